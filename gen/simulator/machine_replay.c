// SPDX-License-Identifier: Apache-2.0
// Timing model of the replay buffer and the head replay. They store whole groups of words and send each group several
// times. A group of the replay buffer is a firing, and a group of the head replay is a head.
#include "gen/simulator/machines.h"

struct kept {
    struct sim_edge *in, *out;
    VEC(uint8_t) mark;       // marks of the group that arrives
    uint8_t *full[2];        // marks of the groups that are held
    int64_t words[2];        // per group that is held: number of words
    int64_t ready[2];        // per group that is held: cycle from which it can be read
    int64_t released[2];     // per place of a group: cycle in which it is free again
    int64_t filled, emptied; // groups that arrived and were sent for the last time so far
    int64_t next;            // index of the next word out in its group
    int64_t pass;            // times that the present group was sent in full
    int64_t last_in;         // cycle of the last word taken
    int64_t sent;            // cycle of the last word out
};

bool sim_kept_init(struct sim *sim, struct actor *a) {
    struct kept *r = a->state = ARENA_NEW(sim->arena, struct kept);
    r->in = sim_lane(sim, a, false, IR_NONE);
    r->out = sim_lane(sim, a, true, IR_NONE);
    r->last_in = r->sent = -1;
    return r->in && r->out;
}

// Returns whether a group ends with this word: a head ends with the last unit of the last token, a firing with tlast.
static bool group_ends(const struct actor *a, const struct kept *r, uint8_t mark) {
    if (a->c.replay.units == 0) return mark & MARK_LAST;
    return mark & MARK_TOK_LAST && (int64_t)r->mark.count % a->c.replay.units == 0;
}

// Takes a word of the group that arrives. Returns false if no word can be taken yet.
static bool kept_in(struct sim *sim, struct actor *a, struct kept *r) {
    int64_t banks = a->c.replay.banks, slot = r->filled % banks;
    if (!edge_waiting(r->in) || r->filled - r->emptied >= banks) return false;
    int64_t at = at_least(at_least(edge_avail(r->in), r->last_in + 1), r->released[slot]);
    uint8_t mark = edge_mark(r->in);
    edge_take(sim, r->in, at);
    r->last_in = at;
    VEC_PUSH(sim->arena, r->mark, mark);
    if (!group_ends(a, r, mark)) return true;
    r->full[slot] = r->mark.items;
    r->words[slot] = (int64_t)r->mark.count;
    r->ready[slot] = at + a->c.replay.ready;
    r->mark.items = NULL;
    r->mark.count = r->mark.capacity = 0;
    r->filled++;
    return true;
}

// Sends the next word of the oldest complete group. A group is sent `times` times. In a step of one token, in which the
// group's first word ends a row, one pass serves `together` query heads. Returns false if there is no complete group,
// or if it is not known from which cycle the stream has room.
static bool kept_out(struct sim *sim, struct actor *a, struct kept *r) {
    int64_t slot = r->emptied % a->c.replay.banks, room;
    if (r->emptied == r->filled || !edge_room(r->out, &room)) return false;
    int64_t fetch = at_least(r->ready[slot], r->sent), words = r->words[slot];
    uint8_t mark = r->full[slot][r->next];
    if (a->c.replay.units && r->next == words - 1) mark |= MARK_LAST;
    else if (a->c.replay.units) mark &= (uint8_t)~MARK_LAST;
    r->sent = at_least(fetch + a->c.stages, room);
    edge_put(sim, r->out, fetch + a->c.stages, r->sent, mark);
    if (++r->next < words) return true;
    r->next = 0;
    int64_t heads = r->full[slot][0] & MARK_TOK_LAST ? at_least(a->c.replay.together, 1) : 1;
    if (++r->pass < at_least(a->c.replay.times / heads, 1)) return true;
    r->pass = 0;
    r->released[slot] = fetch + a->c.replay.release;
    r->emptied++;
    return true;
}

void sim_kept_run(struct sim *sim, struct actor *a) {
    struct kept *r = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (kept_in(sim, a, r)) moved = true;
        while (kept_out(sim, a, r)) moved = true;
    }
}
