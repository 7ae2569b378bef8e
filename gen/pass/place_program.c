// SPDX-License-Identifier: Apache-2.0
// Part of place-dies (place.h): solves the partition as an integer program. Boundary b is between dies b and b + 1. A
// task's die is thermometer-coded: x[task][b] = 1 if the task is beyond boundary b, so x[b] >= x[b + 1]. A stream
// crosses b if x[b] differs between its two ends. This gives a smaller program with tighter bounds than one variable
// per die.
//
// The program minimises the bits that cross boundaries; a stream counts at each boundary that it crosses. Two terms are
// added: IMBALANCE bits times the largest share of a die's room that is used, and CROWD bits times the sum of the
// excesses. There is an excess for each die and kind of resource: the use beyond `full` of the room, as a share of the
// room. There is one for each boundary: the bits beyond its wires, as a share of the wires. Rows of the program limit
// the use of each kind of resource on a die to the largest share, and to `full` plus the excess. Other rows limit the
// bits over each boundary to its wires plus the excess. So a partition always exists, and the report shows where it
// exceeds the limits.
//
// With `cuts` a part may be cut: its first half stays on the memory's die and its second half is on another die. The
// logic where results come together is then a task like the others. Another excess, with the weight MORE_CROWD, is the
// use beyond the room of the memory's die that is left under the upper estimate of its ports.
#include "gen/pass/place.h"

enum {
    IMBALANCE = 40000,
    CROWD = 1000000,
    MORE_CROWD = CROWD / PLACE_MORE_PART,
    BRANCHES = 1500, // limits of the search (mip.h)
    ITERATIONS = 1000000
};

struct program { // the integers below are indices of variables
    struct place *p;
    struct mip m;
    int largest;                               // largest share of a die's room
    int crowded[IR_MAX_DIES][PLACE_RESOURCES]; // excess over FULL of the room, as a share of the room
    int *beyond;                               // per task and boundary: x
    int *parts;                                // per engine and die: whole parts there
    int *chain;                                // per engine and die: 1 if parts are on a die other than the memory's
    int *cut;                                  // per engine and die: cut parts, by the die of their second half
    int *alone;                                // per engine and die: 1 if there are second halves and no whole parts
};

static int beyond(const struct program *g, int task, int boundary) { return g->beyond[task * g->p->dies + boundary]; }
static int parts(const struct program *g, int lanes, int die) { return g->parts[lanes * g->p->dies + die]; }
static int chain(const struct program *g, int lanes, int die) { return g->chain[lanes * g->p->dies + die]; }
static int cut(const struct program *g, int lanes, int die) { return g->cut[lanes * g->p->dies + die]; }
// Returns the number of boundaries from the memory's die.
static int away(const struct place *p, int die) { return die > p->home ? die - p->home : p->home - die; }

// Adds the variables x[task][b] with the rows x[b - 1] >= x[b]. The variables of a pinned task are fixed.
static void add_tasks(struct program *g) {
    const struct place *p = g->p;
    g->beyond = ARENA_ARRAY(p->arena, int, p->task.count *(size_t)p->dies + 1);
    for (size_t t = 0; t < p->task.count; t++)
        for (int b = 0; b + 1 < p->dies; b++) {
            int past = p->home > b; // for a pinned task
            bool pinned = p->task.items[t].pinned;
            int x = mip_variable(&g->m, pinned ? past : 0, pinned ? past : 1, 0, true);
            g->beyond[(int)t * p->dies + b] = x;
            if (b == 0) continue;
            int row = mip_row(&g->m, 0, MIP_NO_BOUND);
            mip_term(&g->m, row, beyond(g, (int)t, b - 1), 1);
            mip_term(&g->m, row, x, -1);
        }
}

// Adds a variable for each stream and boundary, which is 1 if the stream crosses the boundary: crosses >= +-(x[from][b]
// - x[to][b]). wires: the row of each boundary's wires.
static void add_links(struct program *g, const int *wires) {
    const struct place *p = g->p;
    for (size_t l = 0; l < p->link.count; l++)
        for (int b = 0; b + 1 < p->dies; b++) {
            const struct place_link *link = &p->link.items[l];
            int crosses = mip_variable(&g->m, 0, 1, (double)link->bits, false);
            if (p->has_wires) mip_term(&g->m, wires[b], crosses, (double)link->bits);
            for (int way = -1; way <= 1; way += 2) {
                int row = mip_row(&g->m, 0, MIP_NO_BOUND);
                mip_term(&g->m, row, crosses, 1);
                mip_term(&g->m, row, beyond(g, link->from, b), way);
                mip_term(&g->m, row, beyond(g, link->to, b), -way);
            }
        }
}

// Adds the term bits * variable to the rows of the boundaries between the memory's die and die d.
static void add_wires(struct program *g, const int *wires, int d, int variable, int64_t bits) {
    const struct place *p = g->p;
    for (int b = 0; p->has_wires && b + 1 < p->dies; b++)
        if ((d > b) != (p->home > b)) mip_term(&g->m, wires[b], variable, (double)bits);
}

// Adds the variable for the whole parts of entry e of lanes on die d. The beats and results of each part cross every
// boundary between this die and the memory's die. With cuts, add_back counts the results. all: the row that adds up the
// parts of the entry.
static void add_parts(struct program *g, const int *wires, size_t e, int d, int all) {
    const struct place *p = g->p;
    const struct place_lanes *lanes = &p->lanes.items[e];
    int64_t bits = lanes->bits + (p->cuts ? 0 : lanes->back_bits);
    int x = mip_variable(&g->m, 0, lanes->parts, (double)(away(p, d) * bits), true);
    g->parts[(int)e * p->dies + d] = x;
    mip_term(&g->m, all, x, 1);
    bool shares = lanes->with != (int)e;
    int far = shares ? chain(g, lanes->with, d)
                     : mip_variable(&g->m, 0, 1, (double)(away(p, d) * lanes->chain_bits), true),
        row = mip_row(&g->m, -MIP_NO_BOUND, 0);
    mip_term(&g->m, row, x, 1);
    g->chain[(int)e * p->dies + d] = far;
    mip_term(&g->m, row, far, -lanes->parts);
    add_wires(g, wires, d, x, bits);
    if (!shares) add_wires(g, wires, d, far, lanes->chain_bits);
}

// Adds the variable for the cut parts of entry e whose second half is on die d. If the die has whole parts, the logic
// that all second halves share is there already; `alone` counts it if there are none.
static void add_cut(struct program *g, const int *wires, size_t e, int d, int all) {
    const struct place *p = g->p;
    const struct place_lanes *lanes = &p->lanes.items[e];
    int most = d == p->home ? 0 : lanes->parts;
    bool shares = lanes->with != (int)e;
    int x = mip_variable(&g->m, 0, most, (double)(away(p, d) * lanes->sums_bits), true),
        alone = shares ? g->alone[lanes->with * p->dies + d]
                       : mip_variable(&g->m, 0, 1, (double)(away(p, d) * lanes->sums_chain_bits), true),
        row = mip_row(&g->m, -MIP_NO_BOUND, 0);
    g->cut[(int)e * p->dies + d] = x;
    g->alone[(int)e * p->dies + d] = alone;
    mip_term(&g->m, all, x, 1);
    mip_term(&g->m, row, x, 1);
    mip_term(&g->m, row, alone, -lanes->parts);
    mip_term(&g->m, row, chain(g, (int)e, d), -lanes->parts);
    add_wires(g, wires, d, x, lanes->sums_bits);
    if (!shares) add_wires(g, wires, d, alone, lanes->sums_chain_bits);
}

// Adds a variable for the results that cross boundary b. If the results come together before b, these are the results
// of the parts beyond b, otherwise those of the parts before b: back >= +-(sum of parts beyond b - parts *
// beyond(results, b)).
static void add_back(struct program *g, const int *wires, size_t e, int b) {
    const struct place *p = g->p;
    const struct place_lanes *lanes = &p->lanes.items[e];
    int back = mip_variable(&g->m, 0, lanes->parts, (double)lanes->back_bits, false);
    if (p->has_wires) mip_term(&g->m, wires[b], back, (double)lanes->back_bits);
    for (int way = -1; way <= 1; way += 2) {
        int row = mip_row(&g->m, 0, MIP_NO_BOUND);
        mip_term(&g->m, row, back, 1);
        mip_term(&g->m, row, beyond(g, lanes->results, b), way * lanes->parts);
        for (int d = b + 1; d < p->dies; d++) {
            mip_term(&g->m, row, parts(g, (int)e, d), -way);
            mip_term(&g->m, row, cut(g, (int)e, d), -way);
        }
    }
}

// Adds the variables and rows of all entries of lanes.
static void add_lanes(struct program *g, const int *wires) {
    const struct place *p = g->p;
    size_t places = p->lanes.count * (size_t)p->dies + 1;
    g->parts = ARENA_ARRAY(p->arena, int, places);
    g->chain = ARENA_ARRAY(p->arena, int, places);
    g->cut = ARENA_ARRAY(p->arena, int, places);
    g->alone = ARENA_ARRAY(p->arena, int, places);
    for (size_t e = 0; e < p->lanes.count; e++) {
        int all = mip_row(&g->m, p->lanes.items[e].parts, p->lanes.items[e].parts);
        for (int d = 0; d < p->dies; d++) add_parts(g, wires, e, d, all);
        for (int d = 0; p->cuts && d < p->dies; d++) add_cut(g, wires, e, d, all);
        for (int b = 0; p->cuts && b + 1 < p->dies; b++) add_back(g, wires, e, b);
    }
}

// Adds the resources of kind s of entry e's parts on die d to a row. The first halves of cut parts are on the memory's
// die.
static void add_lanes_need(struct program *g, int row, size_t e, int d, int s, double capacity) {
    const struct place *p = g->p;
    const struct place_lanes *lanes = &p->lanes.items[e];
    double whole = (double)lanes->need[s] / capacity, sums = (double)lanes->sums_need[s] / capacity;
    mip_term(&g->m, row, parts(g, (int)e, d), whole);
    // The memory's die has the LUTs (s = 0) that send beats in halves to whole parts on other dies.
    for (int to = 0; s == 0 && d == p->home && lanes->send_luts && to < p->dies; to++)
        if (to != d) mip_term(&g->m, row, parts(g, (int)e, to), (double)lanes->send_luts / capacity);
    if (d != p->home && lanes->with == (int)e)
        mip_term(&g->m, row, chain(g, (int)e, d), (double)lanes->chain_need[s] / capacity);
    for (int to = 0; p->cuts && to < p->dies; to++)
        if (to != p->home && (d == p->home || d == to))
            mip_term(&g->m, row, cut(g, (int)e, to), d == to ? sums : whole - sums);
}

// Adds a row that limits the sum of the terms that `row` has so far to `most` plus the excess.
static void add_limit(struct program *g, int row, double most, int excess) {
    int limit = mip_row(&g->m, -MIP_NO_BOUND, most), terms = (int)g->m.term.count;
    for (int i = 0; i < terms; i++)
        if (g->m.term.items[i].row == row)
            mip_term(&g->m, limit, g->m.term.items[i].variable, g->m.term.items[i].factor);
    mip_term(&g->m, limit, excess, -1);
}

// Adds the rows that limit the resources of kind s on die d. A task needs need * (x[d - 1] - x[d]) there, with x[-1] =
// 1 and x[last] = 0.
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
    for (size_t e = 0; e < p->lanes.count; e++) add_lanes_need(g, row, e, d, s, capacity);
    add_limit(g, row, p->full[d][s] - fixed, g->crowded[d][s]);
    if (p->cuts && d == p->home && p->more[s])
        add_limit(g, row, p->full[d][s] - fixed - (double)p->more[s] / capacity,
                  mip_variable(&g->m, 0, MIP_NO_BOUND, MORE_CROWD, false));
    mip_term(&g->m, row, g->largest, -1);
    g->m.row.items[row].high = -fixed;
}

// Reads the dies of tasks and parts from the program's solution.
static void take(struct program *g, const double *value) {
    struct place *p = g->p;
    for (size_t t = 0; t < p->task.count; t++) {
        p->task.items[t].die = 0;
        for (int b = 0; b + 1 < p->dies; b++) p->task.items[t].die += value[beyond(g, (int)t, b)] > 0.5;
    }
    for (size_t e = 0; e < p->lanes.count; e++)
        for (int d = 0; d < p->dies; d++) {
            p->lanes.items[e].on[d] = (int)value[parts(g, (int)e, d)];
            p->lanes.items[e].cut[d] = p->cuts ? (int)value[cut(g, (int)e, d)] : 0;
        }
}

// Adds the resources of an entry's parts on a die, like add_lanes_need.
static void add_lanes_used(const struct place *p, const struct place_lanes *lanes, bool shares, int die,
                           int64_t used[PLACE_RESOURCES]) {
    for (int s = 0; s < PLACE_RESOURCES; s++) {
        used[s] += lanes->on[die] * lanes->need[s];
        if (die != p->home && lanes->on[die] && !shares) used[s] += lanes->chain_need[s];
        for (int to = 0; to < p->dies; to++) {
            if (to == p->home) continue;
            if (s == 0 && die == p->home) used[s] += lanes->on[to] * lanes->send_luts;
            if (to == die) used[s] += lanes->cut[to] * lanes->sums_need[s];
            if (die == p->home) used[s] += lanes->cut[to] * (lanes->need[s] - lanes->sums_need[s]);
        }
    }
}

void place_used(const struct place *p, int die, int64_t used[PLACE_RESOURCES]) {
    for (int s = 0; s < PLACE_RESOURCES; s++) used[s] = 0;
    for (size_t t = 0; t < p->task.count; t++)
        for (int s = 0; s < PLACE_RESOURCES && p->task.items[t].die == die; s++) used[s] += p->task.items[t].need[s];
    for (size_t e = 0; e < p->lanes.count; e++) {
        // Entries of one engine share the logic of a die, which counts with the first entry that has parts there.
        bool shares = false;
        for (size_t o = (size_t)p->lanes.items[e].with; o < e; o++) shares = shares || p->lanes.items[o].on[die] > 0;
        add_lanes_used(p, &p->lanes.items[e], shares, die, used);
    }
}

// ---- without a solution: filling the dies in order, each to slightly more than the average ----

// Returns the share of a die's room that is used with this additional need, of the kind of resource with the largest
// share.
static double fullest(const struct place *p, int die, const int64_t used[PLACE_RESOURCES],
                      const int64_t more[PLACE_RESOURCES]) {
    double share = 0;
    for (int s = 0; s < PLACE_RESOURCES; s++) {
        double is = (double)(used[s] + more[s]) / (double)(p->room[die][s] > 0 ? p->room[die][s] : 1);
        if (is > share) share = is;
    }
    return share;
}

// Returns the share of the room of all dies together that the design uses, of the kind of resource with the largest
// share.
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

// Returns the first die, from the memory's die on, that this need fills to at most the limit; otherwise the one that it
// fills least.
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

// Assigns tasks and parts to dies one after the other (choose). The limit is 1.1 times the average share plus 0.02.
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

// Makes the program. Its first variables are `largest` and the excesses over rooms and wires. Returns the index of the
// first variable after these; place_least_excess sets the costs from there on to 0, so that only excesses count.
static int make_program(struct program *g) {
    struct place *p = g->p;
    int *wires = ARENA_ARRAY(p->arena, int, IR_MAX_DIES);
    mip_init(&g->m, p->arena);
    g->largest = mip_variable(&g->m, 0, MIP_NO_BOUND, IMBALANCE, false);
    for (int b = 0; p->has_wires && b + 1 < p->dies; b++) {
        wires[b] = mip_row(&g->m, -MIP_NO_BOUND, (double)p->wires[b]);
        mip_term(&g->m, wires[b], mip_variable(&g->m, 0, MIP_NO_BOUND, CROWD / (double)p->wires[b], false), -1);
    }
    for (int d = 0; d < p->dies; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++) g->crowded[d][s] = mip_variable(&g->m, 0, MIP_NO_BOUND, CROWD, false);
    int first = (int)g->m.variable.count;
    add_tasks(g);
    add_links(g, wires);
    add_lanes(g, wires);
    for (int d = 0; d < p->dies; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++) add_resource(g, d, s);
    return first;
}

double place_least_excess(struct place *p) {
    struct program g = {.p = p};
    int first = make_program(&g);
    g.m.variable.items[g.largest].cost = 0;
    for (int v = first; v < (int)g.m.variable.count; v++) g.m.variable.items[v].cost = 0;
    return mip_relaxed(&g.m) / CROWD;
}

// Solves the partition with one variable for each task and boundary.
static enum mip_status solve(struct place *p) {
    struct program g = {.p = p};
    enum mip_status status;
    make_program(&g);
    double *value = mip_solve(&g.m, (struct mip_limits){BRANCHES, ITERATIONS}, &status);
    if (value) take(&g, value);
    else fill_in_order(p);
    return status;
}

enum mip_status place_solve(struct place *p) {
    struct place_merged merged;
    if (!place_merge(p, &merged)) return solve(p);
    enum mip_status status = solve(&merged.place);
    place_unmerge(p, &merged);
    return status;
}
