// SPDX-License-Identifier: Apache-2.0
// rill_spill: a firing goes to memory as it comes, and back when all its writes have their responses.
#include "sim.h"

enum {
    SETTLE = 5, // last descriptor handed over to the first look at the write engine's idle
};

struct spill {
    struct sim_edge *in, *out;
    struct sim_client *write, *read;
    int64_t offset, address, beat_bytes;
    VEC(uint8_t) mark;  // of the firing's words
    int64_t free;       // from when on a word may enter
    int64_t slot;       // words of the beat that fills
    int64_t parts;      // beats that are still to leave of what is in hand, from then on
    int64_t from;       //
    int64_t since;      // beats without a descriptor
    int64_t beats;      // of the firing
    bool asks, ends;    // a descriptor is due; the firing's last word is in
    bool drains, asked; // the firing is in memory; its read has been asked for
    int64_t settled, word, part, next, sent;
};

static bool spill_init(struct sim *sim, struct actor *a) {
    struct spill *s = a->state = ARENA_NEW(sim->arena, struct spill);
    s->in = sim_lane(sim, a, false, IR_NONE);
    s->out = sim_lane(sim, a, true, IR_NONE);
    s->write = client_open(sim, a, true);
    s->read = client_open(sim, a, false);
    s->offset = s->address = args_int(&a->args, "OFFSET", 0);
    s->beat_bytes = sim->ir->design.beat_bits / 8;
    s->sent = -1;
    return s->in && s->out && s->write && s->read;
}

// Beats in hand and the descriptor behind a burst's last one; false when the engine has no room.
static bool spill_gives(struct sim *sim, const struct actor *a, struct spill *s) {
    int64_t at;
    while (s->parts || s->asks) {
        if (s->asks) {
            if (!client_room(s->write, &at)) return false;
            at = at_least(at, s->from);
            client_ask(sim, s->write, at, s->address, s->since);
            s->address += s->since * s->beat_bytes;
            s->since = 0;
            s->asks = false;
            s->settled = at + SETTLE;
        } else {
            if (!client_space(s->write, &at)) return false;
            at = at_least(at, s->from);
            client_give(sim, s->write, at);
            s->parts--;
            s->beats++;
            s->free = at_least(s->free, a->c.out > 1 ? at + 1 : at);
            s->asks = ++s->since == a->c.beats || (s->ends && !s->parts);
        }
        s->from = at + 1;
    }
    return true;
}

static bool spill_in(struct sim *sim, struct actor *a, struct spill *s) {
    if (s->drains || !spill_gives(sim, a, s)) return false;
    if (s->ends) return s->drains = true;
    if (!edge_waiting(s->in)) return false;
    int64_t at = at_least(edge_avail(s->in), s->free);
    uint8_t mark = edge_mark(s->in);
    edge_take(sim, s->in, at);
    VEC_PUSH(sim->arena, s->mark, mark);
    s->ends = mark & TIMING_LAST;
    s->free = at + 1;
    if (a->c.out == 1 && ++s->slot < a->c.in && !s->ends) return true;
    s->slot = 0;
    s->parts = a->c.out;
    s->from = at_least(s->from, at + 1);
    return true;
}

static bool spill_ask(struct sim *sim, struct spill *s) {
    int64_t idle, at;
    if (!s->drains || s->asked || !client_idle(s->write, &idle) || !client_room(s->read, &at)) return false;
    at = at_least(at, at_least(idle, s->settled) + 1);
    client_ask(sim, s->read, at, s->offset, s->beats);
    s->next = at + 1;
    return s->asked = true;
}

static void spill_over(struct spill *s, int64_t at) {
    s->mark.count = 0;
    s->word = s->beats = 0;
    s->address = s->offset;
    s->asked = s->drains = s->ends = false;
    s->free = at + 1;
}

static bool spill_out(struct sim *sim, const struct actor *a, struct spill *s) {
    int64_t at, room;
    if (!s->asked || !client_beat(s->read, &at)) return false;
    at = at_least(at, s->next);
    if (++s->part < a->c.out) { // of a word that is wider than a beat
        client_take(sim, s->read, at);
        s->next = at + 1;
        return true;
    }
    s->part--;
    if (!edge_room(s->out, &room)) return false;
    at = at_least(at, s->sent); // the word before has left
    bool last = s->word == (int64_t)s->mark.count - 1;
    s->sent = at_least(at + 1, room);
    edge_put(sim, s->out, at + 1, s->sent, s->mark.items[s->word]);
    s->part = 0;
    s->next = at + 1;
    if (++s->slot == a->c.in || last) client_take(sim, s->read, at), s->slot = 0;
    s->word++;
    if (last) spill_over(s, at);
    return true;
}

static void spill_run(struct sim *sim, struct actor *a) {
    struct spill *s = a->state;
    while (spill_in(sim, a, s) || spill_ask(sim, s) || spill_out(sim, a, s)) continue;
}

const struct sim_machine *sim_spill_machine(enum timing_machine machine) {
    static const struct sim_machine spill = {spill_init, spill_run};
    return machine == TIMING_SPILL ? &spill : NULL;
}
