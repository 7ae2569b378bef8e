// SPDX-License-Identifier: Apache-2.0
// The layout converter: two banks, each filled in one order and read in another. Query heads as tokens, and as firings
// again.
#include "gen/simulator/machines.h"

struct layout {
    struct sim_edge *in, *out;
    int64_t rows, tokens; // of the bank that comes in; words of its first row
    int64_t active[2];    // tokens of a bank
    int64_t ready[2], released[2];
    int64_t filled, emptied; // banks
    int64_t next, last_in, sent;
};

bool sim_layout_init(struct sim *sim, struct actor *a) {
    struct layout *l = a->state = ARENA_NEW(sim->arena, struct layout);
    l->in = sim_lane(sim, a, false, IR_NONE);
    l->out = sim_lane(sim, a, true, IR_NONE);
    l->last_in = l->sent = -1;
    return l->in && l->out && a->c.layout.rows > 0 && a->c.layout.reads > 0 && a->c.layout.groups > 0;
}

static bool layout_in(struct sim *sim, struct actor *a, struct layout *l) {
    int64_t slot = l->filled % a->c.layout.banks;
    if (!edge_waiting(l->in) || l->filled - l->emptied >= a->c.layout.banks) return false;
    int64_t at = at_least(at_least(edge_avail(l->in), l->last_in + 1), l->released[slot]);
    uint8_t mark = edge_mark(l->in);
    edge_take(sim, l->in, at);
    l->last_in = at;
    if (l->rows == 0) l->tokens++;
    if (!(mark & MARK_TOK_LAST) || ++l->rows < a->c.layout.rows) return true;
    l->active[slot] = l->tokens;
    l->ready[slot] = at + a->c.layout.ready;
    l->rows = l->tokens = 0;
    l->filled++;
    return true;
}

static bool layout_out(struct sim *sim, struct actor *a, struct layout *l) {
    int64_t slot = l->emptied % a->c.layout.banks, room;
    if (l->emptied == l->filled || !edge_room(l->out, &room)) return false;
    int64_t fetch = at_least(l->ready[slot], l->sent), words = a->c.layout.reads * l->active[slot];
    bool tok_last = l->next % l->active[slot] == l->active[slot] - 1, end = l->next == words - 1;
    bool firing = end && l->emptied % a->c.layout.groups == a->c.layout.groups - 1;
    l->sent = at_least(fetch + a->c.stages, room);
    edge_put(sim, l->out, fetch + a->c.stages, l->sent,
             (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (firing ? MARK_LAST : 0)));
    l->next++;
    if (!end) return true;
    l->next = 0;
    l->released[slot] = fetch + a->c.layout.release;
    l->emptied++;
    return true;
}

void sim_layout_run(struct sim *sim, struct actor *a) {
    struct layout *l = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (layout_in(sim, a, l)) moved = true;
        while (layout_out(sim, a, l)) moved = true;
    }
}

// ---- query heads together ----

struct together {
    struct sim_edge *in, *out, *step;
    bool alone, inside;                      // of one token: the step, or the firing that goes by; inside: it has begun
    int64_t head;                            // pack: heads of the firing out that are through
    int64_t left;                            // split: firings of the step that are still to come
    int64_t words[2], ready[2], released[2]; // of the firings that are held
    int64_t filled, emptied, count, next, last_in, sent;
};

bool sim_together_init(struct sim *sim, struct actor *a) {
    struct together *t = a->state = ARENA_NEW(sim->arena, struct together);
    t->in = sim_lane(sim, a, false, IR_NONE);
    t->out = sim_lane(sim, a, true, IR_NONE);
    t->step = sim_in(sim, a, IR_ROLE_STEP);
    t->last_in = t->sent = -1;
    return t->in && t->out && a->c.split.together > 0 && (t->step || a->c.machine == TIMING_PACK);
}

static bool pass_word(struct sim *sim, struct together *t, int64_t from, uint8_t mark) {
    int64_t room;
    if (!edge_room(t->out, &room)) return false;
    int64_t at = at_least(from, room);
    edge_put(sim, t->out, from, at, mark);
    edge_take(sim, t->in, at);
    t->last_in = t->sent = at;
    return true;
}

// A firing of one token begins with the word of its last one.
static bool pack_word(struct sim *sim, const struct actor *a, struct together *t) {
    if (!edge_waiting(t->in)) return false;
    uint8_t mark = edge_mark(t->in), out = mark;
    if (!t->inside) t->alone = mark & MARK_TOK_LAST;
    bool last = !t->alone || t->head == a->c.split.together - 1;
    if (!last) out = 0;
    if (!pass_word(sim, t, edge_avail(t->in), out)) return false;
    t->inside = !(mark & MARK_LAST);
    if (mark & MARK_LAST) t->head = last ? 0 : t->head + 1;
    return true;
}

void sim_pack_run(struct sim *sim, struct actor *a) {
    while (pack_word(sim, a, a->state)) continue;
}

static bool split_step(struct sim *sim, const struct actor *a, struct together *t) {
    if (t->left) return true;
    if (!edge_waiting(t->step)) return false;
    int64_t at = at_least(edge_avail(t->step), t->last_in + 1);
    t->alone = sim->options->step[t->step->takes].ntok == 1;
    edge_take(sim, t->step, at);
    t->last_in = at;
    t->left = a->c.split.layers * a->c.split.heads / (t->alone ? a->c.split.together : 1);
    return true;
}

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
    }
    if (!(mark & MARK_LAST)) return true;
    t->left--;
    if (!t->alone) return true;
    t->words[slot] = t->count;
    t->ready[slot] = t->last_in + a->c.split.ready;
    t->count = 0;
    t->filled++;
    return true;
}

static bool split_out(struct sim *sim, const struct actor *a, struct together *t) {
    int64_t slot = t->emptied % a->c.split.banks, room;
    if (t->emptied == t->filled || !edge_room(t->out, &room)) return false;
    int64_t offer = at_least(t->ready[slot], t->sent) + a->c.stages, head = t->words[slot] / a->c.split.together;
    t->sent = at_least(offer, room);
    bool last = ++t->next % head == 0;
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
