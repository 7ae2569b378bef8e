// SPDX-License-Identifier: Apache-2.0
// Timing model of rill_spill, which stores a stream in memory instead of on chip. It writes a firing as it arrives, and
// reads it back when all of its writes have their responses. If FIRINGS is 2, it writes the next firing meanwhile.
#include "gen/simulator/machines.h"
#include "gen/kernel/kernel.h"

struct spill {
    struct sim_edge *in, *out;
    struct sim_client *write, *read;
    int64_t offset, beat_bytes;
    struct spill_half {    // the memory of one firing
        int64_t offset;    // bytes from the channel's base
        VEC(uint8_t) mark; // marks of its firing's words
    } half[2];

    // The firing that is written.
    struct spill_half *written;
    int64_t address; // address of the next descriptor
    int64_t free;    // first cycle in which a word may enter
    int64_t in_slot; // words in the beat that is being filled
    int64_t parts;   // full beats still to be handed over
    int64_t from;    // first cycle for these beats
    int64_t due;     // first cycle for the descriptor of the next beat
    int64_t beats;   // beats of the firing so far
    bool ends;       // the firing's last word has arrived
    bool full;       // all beats of the firing have been handed over
    int64_t settled; // first cycle in which the kernel can see that the write engine is idle

    // The firing that is read.
    struct spill_half *drains; // NULL: none
    int64_t drained;           // cycle in which the last word of the previous firing entered the output register
    int64_t slot, word, part;  // words taken from the present beat; next word of the firing; beats of that word so far
    int64_t next;              // first cycle in which the next beat can be read
    int64_t sent;              // cycle of the last word out
    bool holds;                // the output register holds a word with `mark`, which is offered from cycle `offer` on
    int64_t offer;
    uint8_t mark;
};

// Lets the next firing enter a half of the memory after cycle `at`.
static void spill_enter(struct spill *s, struct spill_half *half, int64_t at) {
    half->mark.count = 0;
    s->written = half;
    s->address = half->offset;
    s->beats = 0;
    s->full = s->ends = false;
    s->free = at + 1;
}

bool sim_spill_init(struct sim *sim, struct actor *a) {
    struct spill *s = a->state = ARENA_NEW(sim->arena, struct spill);
    s->in = sim_lane(sim, a, false, IR_NONE);
    s->out = sim_lane(sim, a, true, IR_NONE);
    s->write = client_open(sim, a, true);
    s->read = client_open(sim, a, false);
    s->beat_bytes = sim->ir->design.beat_bits / 8;
    s->half[0].offset = kernel_offset(a->k);
    s->half[1].offset =
        s->half[0].offset + div_up(div_up(a->c.spill.words, a->c.spill.in_beat) * a->c.spill.beats, a->c.spill.burst) *
                                a->c.spill.burst * s->beat_bytes;
    s->drained = s->sent = -1;
    spill_enter(s, s->half, -1);
    return s->in && s->out && s->write && s->read;
}

// Hands over the full beats, each after its descriptor. The first descriptor of a firing can be handed over after the
// firing's first word, every other one after the previous beat. If a word is wider than a beat, the descriptors of its
// beats can be handed over after the word. Returns false until the write engine has taken the last beat.
static bool spill_gives(struct sim *sim, const struct actor *a, struct spill *s) {
    bool wide = a->c.spill.beats > 1;
    int64_t at, room;
    for (; s->parts; s->parts--) {
        if (!client_room(s->write, &room) || !client_space(s->write, &at)) return false;
        client_ask(sim, s->write, at_least(room, s->due), s->address, 1);
        client_give(sim, s->write, at_least(at, s->from));
        if (!wide) s->due = s->from;
        s->address += s->beat_bytes;
        s->beats++;
    }
    if (!client_taken(s->write, &at)) return false;
    s->free = at_least(s->free, wide ? at + 1 : at);
    s->settled = at + a->c.spill.settle;
    return true;
}

// Takes the next word of the firing that is written, after handing over the beats before it. Returns false if no word
// can be taken yet.
static bool spill_in(struct sim *sim, struct actor *a, struct spill *s) {
    if (s->full || !spill_gives(sim, a, s)) return false;
    if (s->ends) return s->full = true;
    if (!edge_waiting(s->in)) return false;
    int64_t at = at_least(edge_avail(s->in), s->free);
    uint8_t mark = edge_mark(s->in);
    edge_take(sim, s->in, at);
    if (a->c.spill.beats > 1 || !s->written->mark.count) s->due = at + 1;
    VEC_PUSH(sim->arena, s->written->mark, mark);
    s->ends = mark & MARK_LAST;
    s->free = at + 1;
    if (a->c.spill.beats == 1 && ++s->in_slot < a->c.spill.in_beat && !s->ends) return true;
    s->in_slot = 0;
    s->parts = a->c.spill.beats;
    s->from = at_least(s->from, at + 1);
    return true;
}

// Requests the firing that was written, when all of its writes have their responses. Returns false while this is not
// known.
static bool spill_ask(struct sim *sim, const struct actor *a, struct spill *s) {
    int64_t idle, at;
    if (!s->full || s->drains || !client_idle(s->write, &idle) || !client_room(s->read, &at)) return false;
    at = at_least(at_least(at, s->drained + 1), at_least(idle, s->settled) + 1);
    client_ask(sim, s->read, at, s->written->offset, s->beats);
    s->drains = s->written;
    s->word = 0;
    s->next = at + 1;
    if (a->c.spill.firings == 2) spill_enter(s, &s->half[s->written == s->half], at);
    return true;
}

// Ends the firing that is read, whose last word entered the output register in cycle `at`.
static void spill_over(const struct actor *a, struct spill *s, int64_t at) {
    s->drained = at;
    s->drains = NULL;
    if (a->c.spill.firings == 1) spill_enter(s, s->half, at);
}

// Moves the next word into the output register when the previous word has left it. The firing ends when its last word
// enters the register, even if that word must wait there. Returns false if no beat can be moved yet.
static bool spill_fill(struct sim *sim, const struct actor *a, struct spill *s) {
    int64_t at;
    if (!s->drains || !client_beat(s->read, &at)) return false;
    at = at_least(at, s->next);
    if (s->part + 1 < a->c.spill.beats) { // a word is wider than a beat
        client_take(sim, s->read, at);
        s->part++;
        s->next = at + 1;
        return true;
    }
    if (s->holds) return false;
    at = at_least(at, s->sent);
    bool last = s->word == (int64_t)s->drains->mark.count - 1;
    s->holds = true;
    s->offer = at + 1;
    s->mark = s->drains->mark.items[s->word];
    s->part = 0;
    s->next = at + 1;
    if (++s->slot == a->c.spill.in_beat || last) client_take(sim, s->read, at), s->slot = 0;
    s->word++;
    if (last) spill_over(a, s, at);
    return true;
}

// Sends the word in the output register. Returns false if there is none, or if it is not known from which cycle the
// output has room.
static bool spill_out(struct sim *sim, struct spill *s) {
    int64_t room;
    if (!s->holds || !edge_room(s->out, &room)) return false;
    s->holds = false;
    s->sent = at_least(s->offer, room);
    edge_put(sim, s->out, s->offer, s->sent, s->mark);
    return true;
}

void sim_spill_run(struct sim *sim, struct actor *a) {
    struct spill *s = a->state;
    while (spill_in(sim, a, s) || spill_ask(sim, a, s) || spill_fill(sim, a, s) || spill_out(sim, s)) continue;
}
