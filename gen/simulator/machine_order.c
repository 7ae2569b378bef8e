// SPDX-License-Identifier: Apache-2.0
// Timing model of rill_part_order. Without `join`, it stores the tensor of a step and sends it part by part. With
// `join`, it stores the tensors of all parts of a step and sends them as one.
#include "gen/simulator/machines.h"

struct order {
    struct sim_edge *in, *out, *step;
    int64_t firings, left;        // tensors of a step; tensors of the present step that have not been sent
    int64_t step_no;              // number of the present step
    int part_in;                  // with join: the part that comes in
    int part;                     // without join: the part that goes out
    int64_t rows;                 // words of each token of the present part that have come in
    int64_t row, token, fire;     // the next word out: word of a token, token, word in its firing
    bool full;                    // the tensor is stored
    int64_t ready, last_in, sent; // cycles: the tensor may be read; the last word came in; the last word went out
    int64_t released;             // cycle from which the next tensor may come in
};

bool sim_order_init(struct sim *sim, struct actor *a) {
    struct order *o = a->state = ARENA_NEW(sim->arena, struct order);
    o->in = sim_lane(sim, a, false, IR_NONE);
    o->out = sim_lane(sim, a, true, IR_NONE);
    o->step = sim_in(sim, a, IR_ROLE_STEP);
    o->last_in = o->sent = -1;
    int region = a->k->port[0].region;
    o->left = o->firings = region == IR_NONE ? 1 : sim_repeats(sim, sim->ir->region[region].repeat);
    return o->in && o->out && o->step;
}

// Takes a word. Returns false if no word can be taken yet.
static bool order_in(struct sim *sim, const struct actor *a, struct order *o) {
    if (o->full || o->step_no >= sim->options->steps || !edge_waiting(o->in)) return false;
    int64_t at = at_least(at_least(edge_avail(o->in), o->last_in + 1), o->released);
    uint8_t mark = edge_mark(o->in);
    edge_take(sim, o->in, at);
    o->last_in = at;
    if (!(mark & MARK_TOK_LAST) || ++o->rows < a->c.order.words) return true;
    o->rows = 0;
    if (a->c.order.join && ++o->part_in < timing_parts(&sim->options->step[o->step_no])) return true;
    o->part_in = 0;
    o->full = true;
    o->ready = at + 1;
    return true;
}

// Goes to the next tensor when the last word of the present one has been read in cycle `at`.
static void tensor_over(struct sim *sim, struct order *o, int64_t at) {
    o->full = false;
    o->part = 0;
    o->released = at + 1;
    if (--o->left) return;
    o->left = o->firings;
    o->step_no++;
    edge_take(sim, o->step, at_least(o->sent, edge_avail(o->step)));
}

// Sends the next word. Returns false if there is none, or if it is not known from which cycle the stream has room.
static bool order_out(struct sim *sim, const struct actor *a, struct order *o) {
    int64_t room;
    if (!o->full || !edge_waiting(o->step) || !edge_room(o->out, &room)) return false;
    const struct timing_step *step = &sim->options->step[o->step_no];
    int64_t tokens = a->c.order.join ? step->ntok : timing_part(step, o->part).ntok,
            read = at_least(at_least(o->ready, o->sent), edge_avail(o->step));
    bool tok_last = o->token == tokens - 1, fires = tok_last && o->fire == a->c.order.fire - 1;
    o->sent = at_least(read + a->c.stages, room);
    edge_put(sim, o->out, read + a->c.stages, o->sent,
             (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (fires ? MARK_LAST : 0)));
    if (!tok_last) return o->token++, true;
    o->token = 0;
    o->fire = fires ? 0 : o->fire + 1;
    if (++o->row < a->c.order.words) return true;
    o->row = 0;
    if (a->c.order.join || ++o->part == timing_parts(step)) tensor_over(sim, o, read);
    return true;
}

void sim_order_run(struct sim *sim, struct actor *a) {
    struct order *o = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (order_in(sim, a, o)) moved = true;
        while (order_out(sim, a, o)) moved = true;
    }
}
