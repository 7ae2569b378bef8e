// SPDX-License-Identifier: Apache-2.0
// Timing model of custom kernels that do not make one output word from each input word in every cycle
// (gen/kernel/custom.c). The kernel takes a group of words of every input, then offers the words made from the group.
// The n-th words of all inputs' groups are taken together. A row has the n-th word of every token of the step, and a
// group is one or more rows.
#include "gen/kernel/kernel.h"
#include "gen/simulator/machines.h"

struct group {            // the output words that are made from a group of input words
    int64_t ready;        // cycle from which the first word can be given
    int64_t rows, tokens; // rows to give, and words of a row, one per token of the group
    int64_t released;     // cycle in which the group's place is free again; negative: not known yet
    bool tok_last;        // the last word of a row belongs to the step's last token
    bool last;            // it is the last group of a firing
    bool word;            // the group is one input word that makes one output word
};

struct groups {
    int inputs;
    struct sim_edge *in[IR_MAX_PORTS], *out;
    struct sim_steps steps;
    VEC(struct group) group;
    int64_t index, row, tokens; // group that arrives: index in its firing, present row, words of its first row so far
    int64_t done[IR_MAX_PORTS]; // words of the firing that earlier groups took
    int64_t last_in, last_out;  // cycles of the last word in and the last word out
    int64_t given;              // rows of the firing that were given
    int64_t sending;            // index of the group whose words are given
    int64_t out_row, out_token; // next word of that group
};

// Returns the stream of the i-th operand or result, in the order of the kernel's declaration, or NULL. Inputs for step
// words and parameters, which every kernel may have, do not count.
static struct sim_edge *edge_at(struct sim *sim, const struct actor *a, int i, bool is_output) {
    for (int p = 0; p < a->k->ports; p++) {
        const struct ir_port *port = &a->k->port[p];
        if (port->is_output != is_output || port->role == IR_ROLE_STEP || port->role == IR_ROLE_PARAM) continue;
        if (i-- == 0) return port->edge == IR_NONE ? NULL : &sim->edge[port->edge];
    }
    return NULL;
}

bool sim_groups_init(struct sim *sim, struct actor *a) {
    const struct custom *k = kernel_of(a->k)->custom;
    struct groups *g = a->state = ARENA_NEW(sim->arena, struct groups);
    g->inputs = k->inputs;
    g->last_in = g->last_out = -a->c.groups.every;
    bool ok = true;
    for (int i = 0; i < k->inputs; i++) ok &= (g->in[i] = edge_at(sim, a, i, false)) != NULL;
    g->out = edge_at(sim, a, 0, true);
    return ok && g->out && sim_steps_init(sim, a, &g->steps);
}

// Returns how many words of each token the present group takes from input `i`.
static int64_t share(const struct actor *a, const struct groups *g, int i) {
    return at_most(a->c.groups.take[i], a->c.groups.words[i] - g->done[i]);
}

// Returns the rows of the present group: the largest number of words that it takes from an input.
static int64_t rows_in(const struct actor *a, const struct groups *g) {
    int64_t most = 1;
    for (int i = 0; i < g->inputs; i++) most = at_least(most, share(a, g, i));
    return most;
}

// Returns whether there is a place for the present group, and raises *at to the first cycle with a place.
static bool has_place(const struct actor *a, const struct groups *g, int64_t *at) {
    int64_t before = (int64_t)g->group.count - a->c.groups.banks;
    if (before < 0) return true;
    if (g->group.items[before].released < 0) return false;
    *at = at_least(*at, g->group.items[before].released);
    return true;
}

// Returns whether the present group is one row and makes one row. Then each input word makes one output word, without
// waiting for the words of other tokens.
static bool by_word(const struct actor *a, const struct groups *g) {
    return a->c.groups.gives == 1 && rows_in(a, g) == 1;
}

// Adds the output of a complete group, whose last word was taken in cycle `at`. A group that gives nothing is released
// at once.
static void add_group(struct sim *sim, const struct actor *a, struct groups *g, int64_t at, int64_t tokens,
                      bool tok_last) {
    int64_t rows = at_most(a->c.groups.gives, a->c.groups.words_out - g->given);
    bool last = tok_last && g->index + 1 == a->c.groups.groups;
    VEC_PUSH(sim->arena, g->group,
             (struct group){at + a->c.stages, rows, tokens, rows ? -1 : at, tok_last, last, by_word(a, g)});
}

// Advances to the next group of the firing, or to the first one of the next firing.
static void next_group(const struct actor *a, struct groups *g) {
    bool last = g->index + 1 == a->c.groups.groups;
    for (int i = 0; i < g->inputs; i++) g->done[i] = last ? 0 : g->done[i] + share(a, g, i);
    g->given = last ? 0 : g->given + at_most(a->c.groups.gives, a->c.groups.words_out - g->given);
    g->index = last ? 0 : g->index + 1;
    g->row = g->tokens = 0;
}

// Takes a word of every input that still has words in this group. Returns false if no words can be taken yet.
static bool word_in(struct sim *sim, struct actor *a, struct groups *g) {
    int64_t at = g->last_in + a->c.groups.every;
    uint8_t mark = 0;
    if (!sim_steps_wait(sim, a, &g->steps, &at) || !has_place(a, g, &at)) return false;
    for (int i = 0; i < g->inputs; i++) {
        if (g->row >= share(a, g, i)) continue;
        if (!edge_waiting(g->in[i])) return false;
        at = at_least(at, edge_avail(g->in[i]));
        mark |= edge_mark(g->in[i]) & MARK_TOK_LAST;
    }
    for (int i = 0; i < g->inputs; i++)
        if (g->row < share(a, g, i)) edge_take(sim, g->in[i], at);
    g->last_in = at;
    g->tokens += g->row == 0;
    bool words = by_word(a, g);
    if (words) add_group(sim, a, g, at, 1, mark & MARK_TOK_LAST);
    if (!(mark & MARK_TOK_LAST) || ++g->row < rows_in(a, g)) return true;
    if (!words) add_group(sim, a, g, at, g->tokens, true);
    if (g->index + 1 == a->c.groups.groups) sim_steps_fired(sim, a, &g->steps, at);
    next_group(a, g);
    return true;
}

// Gives the next word of the oldest group. Returns false if none is ready, or if it is not known from which cycle the
// stream has room.
static bool word_out(struct sim *sim, struct actor *a, struct groups *g) {
    while (g->sending < (int64_t)g->group.count && !g->group.items[g->sending].rows) g->sending++;
    if (g->sending >= (int64_t)g->group.count) return false;
    struct group *group = &g->group.items[g->sending];
    int64_t room, offer = at_least(group->ready, g->last_out + a->c.groups.every);
    if (!edge_room(g->out, &room)) return false;
    bool row_end = g->out_token == group->tokens - 1, tok_last = row_end && group->tok_last,
         end = row_end && g->out_row == group->rows - 1;
    g->last_out = at_least(offer, room);
    edge_put(sim, g->out, offer, g->last_out,
             (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (end && group->last ? MARK_LAST : 0)));
    if (++g->out_token == group->tokens) g->out_token = 0, g->out_row++;
    if (!end) return true;
    // After a group of several words, the kernel notices one cycle later that the group has left.
    group->released = g->last_out + !group->word;
    g->out_row = 0;
    g->sending++;
    return true;
}

void sim_groups_run(struct sim *sim, struct actor *a) {
    struct groups *g = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (word_in(sim, a, g)) moved = true;
        while (word_out(sim, a, g)) moved = true;
    }
}
