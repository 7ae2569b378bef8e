// SPDX-License-Identifier: Apache-2.0
// Timing models of the kernel that stores the logits of a step (words of a firing) and makes a record of log
// probabilities for every id, and of the kernel that writes the records to memory and then sends the ids on.
#include "gen/simulator/machines.h"

enum { RECORD_BYTES = 64 };

// ---- making records ----

struct logprobs {
    struct sim_edge *x, *in, *out, *step;
    int64_t last;  // cycle in which the last word or id was taken, or the last record was sent
    int64_t ready; // first cycle in which an id of the present firing may be taken
    bool filling;  // some words of a firing were taken, but not the last one
};

bool sim_logprobs_init(struct sim *sim, struct actor *a) {
    struct logprobs *l = a->state = ARENA_NEW(sim->arena, struct logprobs);
    *l = (struct logprobs){.x = sim_in(sim, a, IR_ROLE_X),
                           .in = sim_in(sim, a, IR_ROLE_RING),
                           .out = sim_out(sim, a, IR_ROLE_RECORD),
                           .step = sim_in(sim, a, IR_ROLE_STEP),
                           .last = -1};
    return l->x && l->in && l->out;
}

// Takes an id and sends its record. Returns false while the cycle is not known.
static bool take_id(struct sim *sim, struct actor *a, struct logprobs *l) {
    int64_t room;
    if (!edge_waiting(l->in) || !edge_room(l->out, &room)) return false;
    int64_t at = at_least(at_least(l->last + 1, l->ready), edge_avail(l->in)), made = at + a->c.logprobs.record;
    edge_take(sim, l->in, at);
    l->last = at_least(made, room);
    edge_put(sim, l->out, made, l->last, MARK_LAST);
    return true;
}

// Whether the next thing to take is a word of a firing and not an id. All ids of a firing come before the next firing.
static bool word_is_next(struct logprobs *l) {
    if (!edge_waiting(l->x)) return false;
    return l->filling || !edge_waiting(l->in) || edge_avail(l->x) < edge_avail(l->in);
}

// Takes the next word or id. Returns false while the cycle is not known.
static bool take_next(struct sim *sim, struct actor *a, struct logprobs *l) {
    if (!word_is_next(l)) return !l->filling && take_id(sim, a, l);
    l->filling = !(edge_mark(l->x) & MARK_LAST);
    l->last = at_least(edge_avail(l->x), l->last + 1);
    edge_take(sim, l->x, l->last);
    if (!l->filling) l->ready = l->last + a->c.logprobs.ready;
    return true;
}

void sim_logprobs_run(struct sim *sim, struct actor *a) {
    struct logprobs *l = a->state;
    while (l->step && edge_waiting(l->step)) edge_take(sim, l->step, edge_avail(l->step));
    while (take_next(sim, a, l)) continue;
}

// ---- writing records ----

struct records {
    struct sim_edge *in, *out;
    struct sim_client *client;
    int64_t offset, count; // offset of the first record in its channel, in bytes; records written so far
    int64_t last;          // cycle in which the last id was sent
    int64_t asked;         // cycle in which the descriptor of a record was given; -1: no record is here
};

bool sim_records_init(struct sim *sim, struct actor *a) {
    struct records *r = a->state = ARENA_NEW(sim->arena, struct records);
    *r = (struct records){.in = sim_in(sim, a, IR_ROLE_RECORD),
                          .out = sim_out(sim, a, IR_ROLE_RING),
                          .client = client_open(sim, a, true),
                          .offset = sim_offset_for(sim->ir, IR_SEG_RING) + a->c.records.offset,
                          .last = -1,
                          .asked = -1};
    return r->in && r->out && r->client;
}

// Takes a record and gives its descriptor. Returns false while the cycle is not known.
static bool take_record(struct sim *sim, struct actor *a, struct records *r) {
    int64_t idle;
    if (!edge_waiting(r->in) || !client_idle(r->client, &idle)) return false;
    int64_t at = at_least(r->last + 1, edge_avail(r->in));
    edge_take(sim, r->in, at);
    r->asked = at + a->c.stages;
    for (int64_t b = 0; b < a->c.records.beats; b++) client_give(sim, r->client, r->asked + b);
    client_ask(sim, r->client, r->asked, r->offset + r->count++ * RECORD_BYTES, a->c.records.beats);
    return true;
}

// Sends the id whose record has been written. Returns false while the cycle is not known.
static bool send_id(struct sim *sim, struct actor *a, struct records *r) {
    int64_t idle, room;
    if (!client_idle(r->client, &idle) || !edge_room(r->out, &room)) return false;
    int64_t from = at_least(idle, r->asked + 1) + a->c.records.settle;
    r->last = at_least(from, room);
    edge_put(sim, r->out, from, r->last, MARK_LAST);
    r->asked = -1;
    return true;
}

void sim_records_run(struct sim *sim, struct actor *a) {
    struct records *r = a->state;
    while (r->asked >= 0 ? send_id(sim, a, r) : take_record(sim, a, r)) continue;
}
