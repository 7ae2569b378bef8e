// SPDX-License-Identifier: Apache-2.0
// Timing models of rill_head_pack and rill_head_split. In a step of one token, rill_head_pack turns several query
// heads, or rows of a tensor, into the tokens of one firing, so that the engine computes them together. rill_head_split
// turns these tokens back into firings.
#include "gen/simulator/machines.h"

struct together {
    struct sim_edge *in, *out, *step;
    bool alone, inside; // alone: the present step or firing has one token; inside: a firing has begun
    int64_t head;       // pack: heads of the output firing that have passed
    int64_t rows;       // pack: heads of the tensor that have passed
    int64_t left;       // split: firings of the step still to arrive
    // Per bank with a stored firing: words of the firing, words of a head in it, the cycle from which the firing can be
    // read, and the cycle from which the bank is free again.
    int64_t words[2], head_words[2], ready[2], released[2];
    int64_t row;             // words of a head in the arriving firing so far
    int64_t filled, emptied; // firings that arrived, and that were sent so far
    int64_t count;           // words of the arriving firing so far
    int64_t next;            // index of the next word out in its firing
    int64_t last_in, sent;   // cycles of the last word in and the last word out
};

bool sim_together_init(struct sim *sim, struct actor *a) {
    struct together *t = a->state = ARENA_NEW(sim->arena, struct together);
    t->in = sim_lane(sim, a, false, IR_NONE);
    t->out = sim_lane(sim, a, true, IR_NONE);
    t->step = sim_in(sim, a, IR_ROLE_STEP);
    t->last_in = t->sent = -1;
    return t->in && t->out && a->c.split.together > 0 && (t->step || a->c.machine == TIMING_PACK);
}

// Passes a word to the output in the cycle in which it is taken. Returns false while it is not known from which cycle
// the stream has room.
static bool pass_word(struct sim *sim, struct together *t, int64_t from, uint8_t mark) {
    int64_t room;
    if (!edge_room(t->out, &room)) return false;
    int64_t at = at_least(from, room);
    edge_put(sim, t->out, from, at, mark);
    edge_take(sim, t->in, at);
    t->last_in = t->sent = at;
    return true;
}

// Takes a word to pack. A firing has one token if its first word already belongs to its last token (MARK_TOK_LAST).
// Then only the words of the last head in the output firing keep their marks, because the heads are the tokens of this
// firing. Returns false if no word can be taken yet.
static bool pack_word(struct sim *sim, const struct actor *a, struct together *t) {
    if (!edge_waiting(t->in)) return false;
    uint8_t mark = edge_mark(t->in), out = mark;
    if (!t->inside) t->alone = mark & MARK_TOK_LAST;
    bool left = a->c.split.heads && t->rows == a->c.split.heads - 1, // the last head of its tensor
        last = !t->alone || left || t->head == a->c.split.together - 1;
    if (!last) out = 0;
    if (!pass_word(sim, t, edge_avail(t->in), out)) return false;
    t->inside = !(mark & MARK_LAST);
    if (!(mark & MARK_LAST)) return true;
    t->head = last ? 0 : t->head + 1;
    if (t->alone) t->rows = left ? 0 : t->rows + 1;
    return true;
}

void sim_pack_run(struct sim *sim, struct actor *a) {
    while (pack_word(sim, a, a->state)) continue;
}

// Takes the next step word when no firing of the present step is left. Returns false if there is none.
static bool split_step(struct sim *sim, const struct actor *a, struct together *t) {
    if (t->left) return true;
    if (!edge_waiting(t->step)) return false;
    int64_t at = at_least(edge_avail(t->step), t->last_in + 1);
    t->alone = a->c.split.together > 1 && sim->options->step[t->step->takes].ntok == 1;
    edge_take(sim, t->step, at);
    t->last_in = at;
    t->left = a->c.split.layers * div_up(a->c.split.heads, t->alone ? a->c.split.together : 1);
    return true;
}

// Takes a word. In a step of one token, a firing is stored whole; in other steps its words pass through at once.
// Returns false if no word can be taken yet.
static bool split_in(struct sim *sim, const struct actor *a, struct together *t) {
    int64_t slot = t->filled % a->c.split.banks;
    if (!split_step(sim, a, t) || !edge_waiting(t->in)) return false;
    uint8_t mark = edge_mark(t->in);
    int64_t from = at_least(edge_avail(t->in), t->last_in + 1);
    if (!t->alone) {
        if (t->filled != t->emptied || !pass_word(sim, t, at_least(from, t->sent + 1), mark)) return false;
    } else {
        if (t->filled - t->emptied >= a->c.split.banks) return false;
        t->last_in = at_least(from, t->released[slot]);
        edge_take(sim, t->in, t->last_in);
        t->count++;
        t->row += (mark & MARK_TOK_LAST) != 0;
    }
    if (!(mark & MARK_LAST)) return true;
    t->left--;
    if (!t->alone) return true;
    t->words[slot] = t->count;
    t->head_words[slot] = t->row;
    t->ready[slot] = t->last_in + a->c.split.ready;
    t->count = t->row = 0;
    t->filled++;
    return true;
}

// Sends the next word of the oldest stored firing, in which each query head is now a firing of one token. Returns false
// if there is none, or if it is not known from which cycle the stream has room.
static bool split_out(struct sim *sim, const struct actor *a, struct together *t) {
    int64_t slot = t->emptied % a->c.split.banks, room;
    if (t->emptied == t->filled || !edge_room(t->out, &room)) return false;
    int64_t offer = at_least(t->ready[slot], t->sent) + a->c.stages;
    t->sent = at_least(offer, room);
    bool last = ++t->next % t->head_words[slot] == 0;
    edge_put(sim, t->out, offer, t->sent, (uint8_t)(MARK_TOK_LAST | (last ? MARK_LAST : 0)));
    if (t->next < t->words[slot]) return true;
    t->next = 0;
    t->released[slot] = t->sent + 1;
    t->emptied++;
    return true;
}

void sim_split_run(struct sim *sim, struct actor *a) {
    struct together *t = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (split_in(sim, a, t)) moved = true;
        while (split_out(sim, a, t)) moved = true;
    }
}
