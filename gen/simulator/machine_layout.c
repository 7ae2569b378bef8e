// SPDX-License-Identifier: Apache-2.0
// Timing model of layout converters. A converter fills one or two banks with words and reads them in another order.
#include "gen/simulator/machines.h"

struct layout {
    struct sim_edge *in, *out, *step; // step: NULL if it takes no step words
    int64_t firings, left;            // with step words: firings of a step, and firings left in the present step
    int64_t rows, tokens;             // rows of the bank that is being filled; words of its first row
    int64_t active[2];                // tokens of each bank
    int64_t ready[2];                 // per bank: cycle from which it can be read
    int64_t released[2];              // per bank: cycle in which it is free again
    int64_t filled, emptied;          // banks that were filled and read so far
    int64_t next;                     // index of the next word out in its bank
    int64_t last_in;                  // cycle of the last word taken
    int64_t sent;                     // cycle of the last word out
};

// Returns the firings of a step: the number of repetitions of the kernel's region, or 1 if it has none.
static int64_t steps_firings(struct sim *sim, const struct actor *a) {
    for (int p = 0; p < a->k->ports; p++)
        if (a->k->port[p].region != IR_NONE) return sim_repeats(sim, sim->ir->region[a->k->port[p].region].repeat);
    return 1;
}

bool sim_layout_init(struct sim *sim, struct actor *a) {
    struct layout *l = a->state = ARENA_NEW(sim->arena, struct layout);
    l->in = sim_lane(sim, a, false, IR_NONE);
    l->out = sim_lane(sim, a, true, IR_NONE);
    l->last_in = l->sent = -1;
    l->step = sim_in(sim, a, IR_ROLE_STEP);
    if (l->step) l->left = l->firings = steps_firings(sim, a);
    return l->in && l->out && a->c.layout.rows > 0 && a->c.layout.reads > 0 && a->c.layout.groups > 0;
}

// Takes a word into the bank that is being filled. Returns false if no word can be taken yet.
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

// Sends the next word of the oldest full bank. Returns false if there is none, or if it is not known from which cycle
// the stream has room.
static bool layout_out(struct sim *sim, struct actor *a, struct layout *l) {
    int64_t slot = l->emptied % a->c.layout.banks, room;
    if (l->emptied == l->filled || !edge_room(l->out, &room)) return false;
    if (l->step && !edge_waiting(l->step)) return false;
    int64_t fetch = at_least(l->ready[slot], l->sent), words = a->c.layout.reads * l->active[slot];
    bool tok_last = l->next % l->active[slot] == l->active[slot] - 1, end = l->next == words - 1;
    bool firing = end && l->emptied % a->c.layout.groups == a->c.layout.groups - 1;
    l->sent = at_least(fetch + a->c.stages, room);
    edge_put(sim, l->out, fetch + a->c.stages, l->sent,
             (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (firing ? MARK_LAST : 0)));
    l->next++;
    if (!end) return true;
    l->next = 0;
    if (l->step && --l->left == 0) {
        l->left = l->firings;
        edge_take(sim, l->step, at_least(l->sent, edge_avail(l->step)));
    }
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
