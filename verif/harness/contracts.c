// SPDX-License-Identifier: Apache-2.0
// Checks custom kernels against their timing contracts, cycle by cycle. A kernel must not offer a word later, or refuse
// an input longer, than the numbers of the spec allow (gen/spec/custom.h, docs/kernels.md).
#include "verif/harness/contracts.h"

#include <string.h>

#include "gen/ir/custom_ops.h"
#include "gen/timing/timing.h"

enum { SETTLE = 2 /* cycles after a reset, and after a stall of a pipe, in which an input may be refused */ };

// The input words that a kernel takes before it gives a result. In a pipe, a group is one word.
struct group {
    uint64_t taken, stalls; // cycle at which the last word was taken; stalls of the output until then
    uint64_t end;           // count of output words when the last one of this group has left
};

struct contract {
    bool watched; // a custom kernel with a contract
    const char *kernel;
    int inputs;
    struct timing_contract c;
    struct timing_groups groups; // a pipe: groups of single words
    uint64_t reset;              // cycle of the reset
    // Progress of the inputs. row: rows of the current group that each input has taken. done: rows of the earlier
    // groups. tokens: tokens in the first row of the current group so far. index: number of the group. given: output
    // rows of the earlier groups.
    int64_t row[CUSTOM_MAX_PORTS], done[CUSTOM_MAX_PORTS], tokens, index, given;
    uint64_t taken_words[CUSTOM_MAX_PORTS];     // used if each word makes a result (by_word)
    uint64_t last_take, last_leave, last_stall; // cycles
    bool took, left;                            // since the reset: a word was taken; an output word has left
    // Groups from index `first` on have results that have not left.
    VEC(struct group) group;
    size_t first;
    uint64_t due, given_words; // output words of all groups taken so far; output words that have left
    uint64_t stalls;           // cycles in which an output word was not taken
    bool offered;              // the current output word has been offered
    struct contract_finding found;
};

struct contracts {
    struct arena *arena;
    const struct ir *ir;
    struct contract *kernel; // per kernel
};

// Returns the groups of a contract. For a pipe, these are groups of one row.
static struct timing_groups groups_of(const struct ir *ir, int kernel, const struct timing_contract *c) {
    if (c->machine == TIMING_GROUPS) return c->groups;
    int node = ir->kernel[kernel].node;
    struct timing_groups one = {.gives = 1, .banks = 1, .every = 1};
    struct custom_timing t;
    if (!ir_custom_timing(ir, &ir->node[node], ir_node_lanes(ir, node), &t, NULL)) return one;
    for (int i = 0; i < ir->node[node].inputs; i++) one.words[i] = t.words[i], one.take[i] = 1;
    return one;
}

struct contracts *contracts_open(struct arena *arena, const struct ir *ir) {
    struct contracts *w = ARENA_NEW(arena, struct contracts);
    *w = (struct contracts){arena, ir, ARENA_ARRAY(arena, struct contract, (size_t)ir->kernels + 1)};
    for (int k = 0; k < ir->kernels; k++) {
        const struct kernel_class *class = kernel_of(&ir->kernel[k]);
        if (!class || !class->custom || !timing_contract(ir, k, &w->kernel[k].c)) continue;
        w->kernel[k].watched = true;
        w->kernel[k].kernel = ir->kernel[k].name;
        w->kernel[k].inputs = class->custom->inputs;
        w->kernel[k].groups = groups_of(ir, k, &w->kernel[k].c);
        w->kernel[k].found.declared = w->kernel[k].c.stages;
    }
    return w;
}

static bool is_pipe(const struct contract *k) { return k->c.machine == TIMING_PIPE; }

void contracts_reset(struct contracts *w, int kernel, uint64_t cycle) {
    struct contract *k = &w->kernel[kernel];
    k->reset = cycle;
    memset(k->row, 0, sizeof k->row);
    memset(k->done, 0, sizeof k->done);
    memset(k->taken_words, 0, sizeof k->taken_words);
    k->tokens = k->index = k->given = 0;
    k->took = k->left = k->offered = false;
    k->group.count = k->first = 0;
    k->due = k->given_words = k->stalls = k->last_stall = 0;
}

// Notes a group that was taken, and the output words that the kernel owes for it.
static void add_group(struct contracts *w, struct contract *k, uint64_t cycle, uint64_t words) {
    k->due += words;
    if (k->first == k->group.count) k->first = k->group.count = 0;
    VEC_PUSH(w->arena, k->group, ((struct group){cycle, k->stalls, k->due}));
}

// ---- inputs ----

static int64_t share(const struct contract *k, int i) { // rows that input i has in this group
    int64_t rest = k->groups.words[i] - k->done[i];
    return k->groups.take[i] < rest ? k->groups.take[i] : rest;
}

// Returns a bit mask of the inputs that must give the next word.
static int needed(const struct contract *k) {
    int64_t row = INT64_MAX;
    int bits = 0;
    for (int i = 0; i < k->inputs; i++)
        if (k->row[i] < share(k, i) && k->row[i] < row) row = k->row[i];
    for (int i = 0; i < k->inputs; i++)
        if (is_pipe(k) || (k->row[i] < share(k, i) && k->row[i] == row)) bits |= 1 << i;
    return bits;
}

// Returns whether each input row makes one output row, so that every word makes one result.
static bool by_word(const struct contract *k) {
    bool one = k->groups.gives == 1;
    for (int i = 0; i < k->inputs; i++) one &= share(k, i) <= 1;
    return one;
}

// Notes a group that all inputs have given, and begins the next one.
static void end_group(struct contracts *w, struct contract *k, uint64_t cycle) {
    int64_t rows = k->groups.gives < k->groups.words_out - k->given ? k->groups.gives : k->groups.words_out - k->given;
    bool last = k->index + 1 == k->groups.groups;
    if (rows > 0 && !by_word(k)) add_group(w, k, cycle, (uint64_t)(rows * k->tokens));
    memset(k->taken_words, 0, sizeof k->taken_words);
    for (int i = 0; i < k->inputs; i++) k->done[i] = last ? 0 : k->done[i] + share(k, i);
    memset(k->row, 0, sizeof k->row);
    k->given = last ? 0 : k->given + rows;
    k->index = last ? 0 : k->index + 1;
    k->tokens = 0;
}

// Adds a group of one word once every input has taken its part of that word.
static void take_words(struct contracts *w, struct contract *k, int taken, uint64_t cycle) {
    uint64_t before = UINT64_MAX, after = UINT64_MAX;
    for (int i = 0; i < k->inputs; i++) {
        if (!is_pipe(k) && share(k, i) == 0) continue;
        if (k->taken_words[i] < before) before = k->taken_words[i];
        k->taken_words[i] += (uint64_t)(taken >> i & 1);
        if (k->taken_words[i] < after) after = k->taken_words[i];
    }
    if (after > before) add_group(w, k, cycle, 1);
}

// Counts the words that a kernel with groups has taken, and ends the group after its last row.
static void take_groups(struct contracts *w, struct contract *k, int taken, int tok_last, uint64_t cycle) {
    bool whole = true;
    if (by_word(k)) take_words(w, k, taken, cycle);
    for (int i = 0; i < k->inputs; i++) {
        if (!(taken >> i & 1)) continue;
        if (i == 0 && k->row[0] == 0) k->tokens++;
        k->row[i] += tok_last >> i & 1;
    }
    for (int i = 0; i < k->inputs; i++) whole &= k->row[i] >= share(k, i);
    if (whole) end_group(w, k, cycle);
}

// Checks that a word that all needed inputs offer is taken. It may be refused shortly after a reset, within `every`
// cycles after the previous word, if all places for groups are full, or shortly after a stall of the pipe.
static void check_refusal(struct contract *k, const struct contract_pins *pins, uint64_t cycle) {
    int need = needed(k), valid = pins->in_tvalid, ready = pins->in_tready;
    if ((valid & need) != need || (ready & need) == need || !pins->beside) return;
    if (cycle < k->reset + 1 + SETTLE || (k->took && cycle < k->last_take + (uint64_t)k->groups.every)) return;
    size_t held = k->group.count - k->first, leaves = by_word(k) && pins->out_tvalid && pins->out_tready;
    if (is_pipe(k) ? k->last_stall && cycle < k->last_stall + SETTLE : held >= (size_t)k->groups.banks + leaves) return;
    if (!k->found.refused++) k->found.refused_at = cycle;
}

// ---- the output ----

// Checks the cycle in which an output word is first offered: at most `stages` cycles (without the stalls of a pipe)
// after its group was taken, or `every` cycles after the previous word left, whichever is later.
static void check_offer(struct contract *k, uint64_t cycle) {
    k->offered = true;
    if (k->first == k->group.count) return; // offered before its group was complete
    const struct group *g = &k->group.items[k->first];
    uint64_t allowed = g->taken + (uint64_t)k->c.stages + (is_pipe(k) ? k->stalls - g->stalls : 0);
    uint64_t next = k->left ? k->last_leave + (uint64_t)(k->groups.every ? k->groups.every : 1) : 0;
    int64_t latency = (int64_t)(cycle - g->taken) - (is_pipe(k) ? (int64_t)(k->stalls - g->stalls) : 0);
    if (next <= allowed && latency > k->found.latency) k->found.latency = latency;
    if (next > allowed) allowed = next;
    if (cycle <= allowed) return;
    if (!k->found.late) k->found.late_at = cycle;
    if (cycle - allowed > k->found.late) k->found.late = cycle - allowed;
}

// Notes that the output word has left, and removes the groups whose results have all left.
static void leave(struct contract *k, uint64_t cycle) {
    k->given_words++;
    k->left = true;
    k->last_leave = cycle;
    k->offered = false;
    k->found.words++;
    while (k->first < k->group.count && k->group.items[k->first].end <= k->given_words) k->first++;
}

void contracts_cycle(struct contracts *w, int kernel, const struct contract_pins *pins, uint64_t cycle) {
    struct contract *k = &w->kernel[kernel];
    if (!k->watched) return;
    int taken = pins->in_tvalid & pins->in_tready;
    if (pins->out_tvalid && !pins->out_tready) k->last_stall = cycle;
    check_refusal(k, pins, cycle);
    if (taken && is_pipe(k)) take_words(w, k, taken, cycle);
    else if (taken) take_groups(w, k, taken, pins->in_tok_last, cycle);
    if (taken) k->took = true, k->last_take = cycle;
    if (pins->out_tvalid && !k->offered) check_offer(k, cycle);
    if (pins->out_tvalid && pins->out_tready) leave(k, cycle);
    else if (pins->out_tvalid) k->stalls++;
}

const struct contract_finding *contracts_found(const struct contracts *w, int kernel) {
    return w->kernel[kernel].watched ? &w->kernel[kernel].found : NULL;
}
