// SPDX-License-Identifier: Apache-2.0
// Part of place-dies (place.h): makes the partition of a design with many tasks smaller. With some hundreds of tasks,
// the search of the integer program takes minutes and often ends at its limit. So tasks between which many bits go are
// merged, and the program places the merged tasks. A merged task stays small in proportion to a die, so that the dies
// can still be filled evenly. Designs with fewer tasks keep the exact program.
//
// Tasks are merged in rounds. In each round, pairs are merged in the order of their bits, and a task takes part in at
// most one pair, so that merged tasks grow at the same rate.
#include <stdlib.h>
#include <string.h>

#include "gen/pass/place.h"

// MANY: tasks are merged if there are more than this. FEW: number of tasks that are left, if enough can be merged.
// PART: a merged task takes at most 1 / PART of each resource of the smallest die.
enum { MANY = 200, FEW = 100, PART = 40 };

struct pair { // two tasks with links between them; a < b
    int a, b;
    int64_t bits;
};

struct merging {
    const struct place *p;
    int *with; // task with which each task is merged; itself for one that stands for a merged task
    int64_t (*need)[PLACE_RESOURCES];
    int64_t most[PLACE_RESOURCES]; // resources of a merged task
    int tasks;                     // number of tasks that are left
};

static int task_of(const struct merging *m, int task) {
    while (m->with[task] != task) task = m->with[task];
    return task;
}

static int compare_tasks(const void *x, const void *y) {
    const struct pair *a = x, *b = y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

// Orders pairs from the most bits to the fewest. Pairs with equal bits have the order of their tasks, so that the
// result is the same on every machine.
static int compare_bits(const void *x, const void *y) {
    const struct pair *a = x, *b = y;
    if (a->bits != b->bits) return a->bits > b->bits ? -1 : 1;
    return compare_tasks(x, y);
}

// Writes all pairs of different tasks that are left and have links between them, and returns their number.
static int find_pairs(const struct merging *m, struct pair *pair) {
    int links = 0, pairs = 0;
    for (size_t l = 0; l < m->p->link.count; l++) {
        const struct place_link *link = &m->p->link.items[l];
        int a = task_of(m, link->from), b = task_of(m, link->to);
        if (a != b) pair[links++] = (struct pair){a < b ? a : b, a < b ? b : a, link->bits};
    }
    if (links) qsort(pair, (size_t)links, sizeof *pair, compare_tasks);
    for (int l = 0; l < links; l++) {
        if (pairs && compare_tasks(&pair[pairs - 1], &pair[l]) == 0) pair[pairs - 1].bits += pair[l].bits;
        else pair[pairs++] = pair[l];
    }
    return pairs;
}

// Returns whether two tasks may become one. A pinned task stays as it is, because it decides the die of all that is
// merged with it.
static bool may_merge(const struct merging *m, const struct pair *pair) {
    if (m->p->task.items[pair->a].pinned || m->p->task.items[pair->b].pinned) return false;
    for (int s = 0; s < PLACE_RESOURCES; s++)
        if (m->need[pair->a][s] + m->need[pair->b][s] > m->most[s]) return false;
    return true;
}

// Merges tasks until FEW are left, each with at most one other. Returns whether any were merged.
static bool merge_round(struct merging *m, struct pair *pair, bool *taken) {
    int pairs = find_pairs(m, pair), before = m->tasks;
    if (pairs) qsort(pair, (size_t)pairs, sizeof *pair, compare_bits);
    memset(taken, 0, m->p->task.count * sizeof *taken);
    for (int i = 0; i < pairs && m->tasks > FEW; i++) {
        int a = pair[i].a, b = pair[i].b;
        if (taken[a] || taken[b] || !may_merge(m, &pair[i])) continue;
        taken[a] = taken[b] = true;
        m->with[b] = a;
        m->tasks--;
        for (int s = 0; s < PLACE_RESOURCES; s++) m->need[a][s] += m->need[b][s];
    }
    return m->tasks < before;
}

// Sets the most resources that a merged task may take.
static void set_most(struct merging *m) {
    for (int s = 0; s < PLACE_RESOURCES; s++) {
        m->most[s] = m->p->room[0][s] / PART;
        for (int d = 1; d < m->p->dies; d++)
            if (m->p->room[d][s] / PART < m->most[s]) m->most[s] = m->p->room[d][s] / PART;
    }
}

// Sets the tasks, links and lanes of the smaller partition.
static void set_smaller(const struct merging *m, struct place_merged *merged) {
    const struct place *p = m->p;
    struct place *to = &merged->place;
    int *number = merged->task_of;
    *to = *p;
    memset(&to->task, 0, sizeof to->task);
    memset(&to->link, 0, sizeof to->link);
    memset(&to->lanes, 0, sizeof to->lanes);
    for (size_t t = 0; t < p->task.count; t++) { // the task that stands for a merged one has the lowest number
        int root = task_of(m, (int)t);
        number[t] = root == (int)t ? (int)to->task.count : number[root];
        if (root != (int)t) continue;
        struct place_task task = {.pinned = p->task.items[t].pinned};
        memcpy(task.need, m->need[t], sizeof task.need);
        VEC_PUSH(p->arena, to->task, task);
    }
    struct pair *pair = ARENA_ARRAY(p->arena, struct pair, p->link.count + 1);
    int pairs = find_pairs(m, pair);
    for (int i = 0; i < pairs; i++)
        VEC_PUSH(p->arena, to->link, ((struct place_link){number[pair[i].a], number[pair[i].b], pair[i].bits}));
    for (size_t e = 0; e < p->lanes.count; e++) {
        struct place_lanes lanes = p->lanes.items[e];
        lanes.task = number[lanes.task];
        lanes.results = number[lanes.results];
        VEC_PUSH(p->arena, to->lanes, lanes);
    }
}

bool place_merge(const struct place *p, struct place_merged *merged) {
    size_t tasks = p->task.count;
    struct merging m = {.p = p, .tasks = (int)tasks};
    if (tasks <= MANY) return false;
    m.with = ARENA_ARRAY(p->arena, int, tasks);
    m.need = arena_alloc(p->arena, tasks, sizeof *m.need);
    for (size_t t = 0; t < tasks; t++) {
        m.with[t] = (int)t;
        memcpy(m.need[t], p->task.items[t].need, sizeof m.need[t]);
    }
    set_most(&m);
    struct pair *pair = ARENA_ARRAY(p->arena, struct pair, p->link.count + 1);
    bool *taken = ARENA_ARRAY(p->arena, bool, tasks);
    while (m.tasks > FEW && merge_round(&m, pair, taken)) continue;
    merged->task_of = ARENA_ARRAY(p->arena, int, tasks);
    set_smaller(&m, merged);
    return true;
}

void place_unmerge(struct place *p, const struct place_merged *merged) {
    for (size_t t = 0; t < p->task.count; t++) p->task.items[t].die = merged->place.task.items[merged->task_of[t]].die;
    for (size_t e = 0; e < p->lanes.count; e++) {
        const struct place_lanes *from = &merged->place.lanes.items[e];
        memcpy(p->lanes.items[e].on, from->on, sizeof from->on);
        memcpy(p->lanes.items[e].cut, from->cut, sizeof from->cut);
    }
}
