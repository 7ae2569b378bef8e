// SPDX-License-Identifier: Apache-2.0
// Timing model of the kernel that stores the logits of a step (words of a firing) and writes a record of log
// probabilities for every id. It sends the id on when the write of the record has its response.
#include "gen/simulator/machines.h"

enum { RECORD_BYTES = 64 };

struct logprobs {
    struct sim_edge *x, *in, *out, *step;
    struct sim_client *client;
    int64_t offset, records; // offset of the first record in its channel, in bytes; records written so far
    int64_t last;            // cycle in which the last word or id was taken, or the last id was sent
    int64_t ready;           // first cycle in which an id of the present firing may be taken
    int64_t asked;           // cycle in which the descriptor of a record was given; -1: no id is here
    bool filling;            // some words of a firing were taken, but not the last one
};

bool sim_logprobs_init(struct sim *sim, struct actor *a) {
    struct logprobs *l = a->state = ARENA_NEW(sim->arena, struct logprobs);
    *l = (struct logprobs){.x = sim_in(sim, a, IR_ROLE_X),
                           .in = sim_in(sim, a, IR_ROLE_RING),
                           .out = sim_out(sim, a, IR_ROLE_RING),
                           .step = sim_in(sim, a, IR_ROLE_STEP),
                           .client = client_open(sim, a, true),
                           .offset = sim_offset_for(sim->ir, IR_SEG_RING) + a->c.logprobs.offset,
                           .last = -1,
                           .asked = -1};
    return l->x && l->in && l->out && l->client;
}

// Takes an id and gives the descriptor of its record. Returns false while the cycle is not known.
static bool take_id(struct sim *sim, struct actor *a, struct logprobs *l) {
    int64_t idle;
    if (!edge_waiting(l->in) || !client_idle(l->client, &idle)) return false;
    int64_t at = at_least(at_least(l->last + 1, l->ready), edge_avail(l->in)), asked = at + a->c.logprobs.record;
    edge_take(sim, l->in, at);
    for (int64_t b = 0; b < a->c.logprobs.beats; b++) client_give(sim, l->client, asked + b);
    client_ask(sim, l->client, asked, l->offset + l->records++ * RECORD_BYTES, a->c.logprobs.beats);
    l->asked = asked;
    return true;
}

// Sends the id whose record has been written. Returns false while the cycle is not known.
static bool send_id(struct sim *sim, struct actor *a, struct logprobs *l) {
    int64_t idle, room;
    if (!client_idle(l->client, &idle) || !edge_room(l->out, &room)) return false;
    int64_t from = at_least(idle, l->asked + 1) + a->c.logprobs.settle;
    l->last = at_least(from, room);
    edge_put(sim, l->out, from, l->last, MARK_LAST);
    l->asked = -1;
    return true;
}

// Whether the next thing to take is a word of a firing and not an id. All ids of a firing come before the next firing.
static bool word_is_next(struct logprobs *l) {
    if (!edge_waiting(l->x)) return false;
    return l->filling || !edge_waiting(l->in) || edge_avail(l->x) < edge_avail(l->in);
}

static void take_word(struct sim *sim, struct actor *a, struct logprobs *l) {
    l->filling = !(edge_mark(l->x) & MARK_LAST);
    l->last = at_least(edge_avail(l->x), l->last + 1);
    edge_take(sim, l->x, l->last);
    if (!l->filling) l->ready = l->last + a->c.logprobs.ready;
}

// Takes the next word or id, or sends the id that is here. Returns false while the cycle is not known.
static bool go_on(struct sim *sim, struct actor *a, struct logprobs *l) {
    if (l->asked >= 0) return send_id(sim, a, l);
    if (!word_is_next(l)) return !l->filling && take_id(sim, a, l);
    take_word(sim, a, l);
    return true;
}

void sim_logprobs_run(struct sim *sim, struct actor *a) {
    struct logprobs *l = a->state;
    while (l->step && edge_waiting(l->step)) edge_take(sim, l->step, edge_avail(l->step));
    while (go_on(sim, a, l)) continue;
}
