// SPDX-License-Identifier: Apache-2.0
// The partition as an integer program. A task's die is a thermometer: x[task][b] = 1 when it lies beyond boundary b, so
// x[b] >= x[b + 1], a stream crosses b when the two ends differ there, and the program is smaller and its bounds are
// tighter than with a variable per die.
//
// Minimised: bits that cross a boundary, each boundary counted, plus IMBALANCE bits for the largest share of a die's
// room, plus CROWD bits for each time all of a kind of a die's room (FULL of it), or of a boundary's wires, that is
// taken beyond it.
// Rows: what lies on a die takes at most that share of each kind of resource; a boundary is crossed by at most as many
// bits as its limit says, and the excess. So there is always a partition; the report says where it is beyond the
// limits.
#include "gen/pass/place.h"

static const double FULL = 0.98; // of a die's room: register slices of the streams that cross take the rest
enum { IMBALANCE = 40000, CROWD = 1000000, BRANCHES = 1500, MILLISECONDS = 60000 };

struct program {
    struct place *p;
    struct mip m;
    int largest;
    int crowded[IR_MAX_DIES][PLACE_RESOURCES]; // what is beyond the room, as a share of it
    int *beyond;                               // per task and boundary
    int *parts;                                // per engine and die
    int *chain;                                // likewise: 1 where parts lie on another die than the memory
};

static int beyond(const struct program *g, int task, int boundary) { return g->beyond[task * g->p->dies + boundary]; }
static int parts(const struct program *g, int lanes, int die) { return g->parts[lanes * g->p->dies + die]; }
static int chain(const struct program *g, int lanes, int die) { return g->chain[lanes * g->p->dies + die]; }

static void add_tasks(struct program *g) {
    const struct place *p = g->p;
    g->beyond = ARENA_ARRAY(p->arena, int, p->task.count *(size_t)p->dies + 1);
    for (size_t t = 0; t < p->task.count; t++)
        for (int b = 0; b + 1 < p->dies; b++) {
            int past = p->home > b; // of a pinned one
            bool pinned = p->task.items[t].pinned;
            int x = mip_variable(&g->m, pinned ? past : 0, pinned ? past : 1, 0, true);
            g->beyond[(int)t * p->dies + b] = x;
            if (b == 0) continue;
            int row = mip_row(&g->m, 0, MIP_NO_BOUND);
            mip_term(&g->m, row, beyond(g, (int)t, b - 1), 1);
            mip_term(&g->m, row, x, -1);
        }
}

static void add_links(struct program *g, const int *wires) {
    const struct place *p = g->p;
    for (size_t l = 0; l < p->link.count; l++)
        for (int b = 0; b + 1 < p->dies; b++) {
            const struct place_link *link = &p->link.items[l];
            int crosses = mip_variable(&g->m, 0, 1, (double)link->bits, false);
            if (p->sll) mip_term(&g->m, wires[b], crosses, (double)link->bits);
            for (int way = -1; way <= 1; way += 2) {
                int row = mip_row(&g->m, 0, MIP_NO_BOUND);
                mip_term(&g->m, row, crosses, 1);
                mip_term(&g->m, row, beyond(g, link->from, b), way);
                mip_term(&g->m, row, beyond(g, link->to, b), -way);
            }
        }
}

// Parts of an engine: each that is not at the memory has its beats, or its results, to bring over every boundary
// between.
static void add_lanes(struct program *g, const int *wires) {
    const struct place *p = g->p;
    g->parts = ARENA_ARRAY(p->arena, int, p->lanes.count *(size_t)p->dies + 1);
    g->chain = ARENA_ARRAY(p->arena, int, p->lanes.count *(size_t)p->dies + 1);
    for (size_t e = 0; e < p->lanes.count; e++) {
        const struct place_lanes *lanes = &p->lanes.items[e];
        int all = mip_row(&g->m, lanes->parts, lanes->parts);
        for (int d = 0; d < p->dies; d++) {
            int away = d > p->home ? d - p->home : p->home - d;
            int x = mip_variable(&g->m, 0, lanes->parts, (double)(away * lanes->bits), true);
            g->parts[(int)e * p->dies + d] = x;
            mip_term(&g->m, all, x, 1);
            int far = mip_variable(&g->m, 0, 1, (double)(away * lanes->chain_bits), true),
                row = mip_row(&g->m, -MIP_NO_BOUND, 0);
            mip_term(&g->m, row, x, 1);
            g->chain[(int)e * p->dies + d] = far;
            mip_term(&g->m, row, far, -lanes->parts);
            for (int b = 0; p->sll && b + 1 < p->dies; b++) {
                if ((d > b) == (p->home > b)) continue;
                mip_term(&g->m, wires[b], x, (double)lanes->bits);
                mip_term(&g->m, wires[b], far, (double)lanes->chain_bits);
            }
        }
    }
}

// need of all tasks at d: sum of need * (x[d - 1] - x[d]), with x[-1] = 1 and x[last] = 0.
static void add_resource(struct program *g, int d, int s) {
    const struct place *p = g->p;
    double capacity = p->room[d][s] > 0 ? (double)p->room[d][s] : 1, fixed = 0;
    int row = mip_row(&g->m, -MIP_NO_BOUND, 0);
    for (size_t t = 0; t < p->task.count; t++) {
        double need = (double)p->task.items[t].need[s] / capacity;
        if (d == 0) fixed += need;
        else mip_term(&g->m, row, beyond(g, (int)t, d - 1), need);
        if (d + 1 < p->dies) mip_term(&g->m, row, beyond(g, (int)t, d), -need);
    }
    for (size_t e = 0; e < p->lanes.count; e++) {
        mip_term(&g->m, row, parts(g, (int)e, d), (double)p->lanes.items[e].need[s] / capacity);
        if (d != p->home) mip_term(&g->m, row, chain(g, (int)e, d), (double)p->lanes.items[e].chain_need[s] / capacity);
    }
    int crowded = mip_row(&g->m, -MIP_NO_BOUND, FULL - fixed), terms = (int)g->m.term.count;
    for (int i = 0; i < terms; i++)
        if (g->m.term.items[i].row == row)
            mip_term(&g->m, crowded, g->m.term.items[i].variable, g->m.term.items[i].factor);
    mip_term(&g->m, crowded, g->crowded[d][s], -1);
    mip_term(&g->m, row, g->largest, -1);
    g->m.row.items[row].high = -fixed;
}

static void take(struct program *g, const double *value) {
    struct place *p = g->p;
    for (size_t t = 0; t < p->task.count; t++) {
        p->task.items[t].die = 0;
        for (int b = 0; b + 1 < p->dies; b++) p->task.items[t].die += value[beyond(g, (int)t, b)] > 0.5;
    }
    for (size_t e = 0; e < p->lanes.count; e++)
        for (int d = 0; d < p->dies; d++) p->lanes.items[e].on[d] = (int)value[parts(g, (int)e, d)];
}

// ---- without a solution: dies are filled in order, each up to a bit more than the average ----

static double fullest(const struct place *p, int die, const int64_t used[PLACE_RESOURCES],
                      const int64_t more[PLACE_RESOURCES]) {
    double share = 0;
    for (int s = 0; s < PLACE_RESOURCES; s++) {
        double is = (double)(used[s] + more[s]) / (double)(p->room[die][s] > 0 ? p->room[die][s] : 1);
        if (is > share) share = is;
    }
    return share;
}

static double average(const struct place *p) {
    int64_t need[PLACE_RESOURCES] = {0}, capacity[PLACE_RESOURCES] = {0};
    double most = 0;
    for (int s = 0; s < PLACE_RESOURCES; s++) {
        for (size_t t = 0; t < p->task.count; t++) need[s] += p->task.items[t].need[s];
        for (size_t e = 0; e < p->lanes.count; e++) need[s] += p->lanes.items[e].need[s] * p->lanes.items[e].parts;
        for (int d = 0; d < p->dies; d++) capacity[s] += p->room[d][s];
        if (capacity[s] && (double)need[s] / (double)capacity[s] > most) most = (double)need[s] / (double)capacity[s];
    }
    return most;
}

static int choose(const struct place *p, int64_t used[][PLACE_RESOURCES], const int64_t need[PLACE_RESOURCES],
                  double limit) {
    int best = p->home;
    for (int d = 0; d < p->dies; d++) {
        int die = (p->home + d) % p->dies;
        if (fullest(p, die, used[die], need) <= limit) return die;
        if (fullest(p, die, used[die], need) < fullest(p, best, used[best], need)) best = die;
    }
    return best;
}

static void add_need(int64_t used[PLACE_RESOURCES], const int64_t need[PLACE_RESOURCES]) {
    for (int s = 0; s < PLACE_RESOURCES; s++) used[s] += need[s];
}

static void fill_in_order(struct place *p) {
    int64_t used[IR_MAX_DIES][PLACE_RESOURCES] = {{0}};
    double limit = average(p) * 1.1 + 0.02;
    for (size_t t = 0; t < p->task.count; t++) {
        struct place_task *task = &p->task.items[t];
        task->die = task->pinned ? p->home : choose(p, used, task->need, limit);
        add_need(used[task->die], task->need);
    }
    for (size_t e = 0; e < p->lanes.count; e++)
        for (int i = 0; i < p->lanes.items[e].parts; i++) {
            int die = choose(p, used, p->lanes.items[e].need, limit);
            p->lanes.items[e].on[die]++;
            add_need(used[die], p->lanes.items[e].need);
        }
}

void place_amounts(const struct cost_resources *r, int64_t out[PLACE_RESOURCES]) {
    out[0] = r->lut;
    out[1] = r->dsp;
    out[2] = r->bram18;
    out[3] = r->uram;
}

enum mip_status place_solve(struct place *p) {
    struct program g = {.p = p};
    int *wires = ARENA_ARRAY(p->arena, int, IR_MAX_DIES);
    enum mip_status status;
    mip_init(&g.m, p->arena);
    g.largest = mip_variable(&g.m, 0, MIP_NO_BOUND, IMBALANCE, false);
    for (int b = 0; p->sll && b + 1 < p->dies; b++) {
        wires[b] = mip_row(&g.m, -MIP_NO_BOUND, (double)p->sll);
        mip_term(&g.m, wires[b], mip_variable(&g.m, 0, MIP_NO_BOUND, CROWD / (double)p->sll, false), -1);
    }
    for (int d = 0; d < p->dies; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++) g.crowded[d][s] = mip_variable(&g.m, 0, MIP_NO_BOUND, CROWD, false);
    add_tasks(&g);
    add_links(&g, wires);
    add_lanes(&g, wires);
    for (int d = 0; d < p->dies; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++) add_resource(&g, d, s);
    double *value = mip_solve(&g.m, (struct mip_limits){BRANCHES, MILLISECONDS}, &status);
    if (value) take(&g, value);
    else fill_in_order(p);
    return status;
}
