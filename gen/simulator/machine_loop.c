// SPDX-License-Identifier: Apache-2.0
// Timing model of the token loop (rill_token_loop). The loop sends the step words and the ids of a request. After each
// step with a head, it waits for the id that the model chooses, and writes this id to the ring.
#include "gen/kernel/kernel.h"
#include "gen/simulator/machines.h"

struct loop {
    struct sim_edge *step, *walk, *id, *next, *ring;
    struct sim_client *prompt; // NULL: no prompt is read, because the graph has no ids or the run begins in mid-request
    int64_t unread, left;      // ids of the prompt that were not sent yet; ids left in the present beat of the prompt
    int64_t beat_at, popped;   // first cycle for ids of the present beat; cycle in which the last id left its beat
    int at, ids;               // present step; ids of the present step that were sent
    int64_t from;              // first cycle in which the next word can be offered
    bool inside;               // the ids of the present step are being sent
    bool waits;                // the loop waits for the next id from the graph
    int walked;                // step words that were sent to the walkers
    int64_t sent;              // cycle in which the latest step word was sent
};

int64_t sim_offset_for(const struct ir *ir, enum ir_segment_role role) {
    const struct ir_segment *segment = ir_segment_for(ir, role);
    return segment ? segment->offset : 0;
}

// Requests the whole prompt in one read, CYCLES_LOOP_PROMPT cycles before the first step.
static void open_prompt(struct sim *sim, const struct actor *a, struct loop *l) {
    const struct ir *ir = sim->ir;
    if (!l->id || sim->options->load_only || sim->options->step[0].pos > 0) return;
    int client = ir_client_for(ir, IR_CLIENT_PROMPT);
    if (client == IR_NONE) return;
    l->prompt = client_open_free(sim, client, &sim->channel[0]);
    for (int s = 0; s < sim->options->steps; s++) {
        l->unread += sim->options->step[s].ntok;
        if (sim->options->step[s].head) break;
    }
    l->prompt->kernel = a->kernel;
    client_ask(sim, l->prompt, -CYCLES_LOOP_PROMPT, sim_offset_for(ir, IR_SEG_PROMPT),
               div_up(l->unread, ir->design.beat_bits / SIM_ID_BITS));
}

bool sim_loop_init(struct sim *sim, struct actor *a) {
    struct loop *l = a->state = ARENA_NEW(sim->arena, struct loop);
    l->step = sim_out(sim, a, IR_ROLE_STEP);
    l->walk = sim_out(sim, a, IR_ROLE_WALK);
    l->id = sim_out(sim, a, IR_ROLE_ID);
    l->next = sim_in(sim, a, IR_ROLE_NEXT_ID);
    l->ring = sim_out(sim, a, IR_ROLE_RING);
    l->popped = -1;
    open_prompt(sim, a, l);
    return l->step && (!l->id || l->next);
}

// Sends the word of the next step. Returns false after the last step, or while it is not known from which cycle the
// stream has room.
static bool loop_step(struct sim *sim, struct loop *l) {
    int64_t room;
    if (l->at == sim->options->steps || !edge_room(l->step, &room)) return false;
    int64_t at = at_least(l->from, room);
    edge_put(sim, l->step, l->from, at, MARK_LAST | MARK_TOK_LAST);
    sim->step_start[l->at] = l->sent = at;
    l->from = at + (l->id ? CYCLES_LOOP_ID : sim->options->step[l->at].ntok + CYCLES_LOOP_STREAM);
    l->inside = l->id != NULL;
    l->ids = 0;
    if (!l->id) l->at++;
    return true;
}

// Takes the next beat of the prompt if the next id needs one. Returns false while the beat has not arrived.
static bool has_id(struct sim *sim, struct loop *l) {
    int64_t at;
    if (!l->prompt || !l->unread || l->left) return true;
    if (!client_beat(l->prompt, &at)) return false;
    at = at_least(at, l->popped + 1);
    client_take(sim, l->prompt, at);
    l->beat_at = at + 1;
    l->left = at_most(l->unread, sim->ir->design.beat_bits / SIM_ID_BITS);
    return true;
}

// Sends the next id of the present step. Returns false while the cycle of the id is not known.
static bool loop_id(struct sim *sim, struct loop *l) {
    const struct timing_step *s = &sim->options->step[l->at];
    int64_t room;
    if (!has_id(sim, l) || !edge_room(l->id, &room)) return false;
    if (l->left) {
        l->from = at_least(l->from, l->beat_at + CYCLES_LOOP_SEND);
        l->popped = l->from - CYCLES_LOOP_SEND;
        l->left--;
        l->unread--;
    }
    int64_t at = at_least(l->from, room);
    bool last = ++l->ids == s->ntok;
    edge_put(sim, l->id, l->from, at, last ? MARK_LAST | MARK_TOK_LAST : 0);
    l->from = at + (!last ? CYCLES_LOOP_ID : s->head ? 1 : CYCLES_LOOP_STEP);
    if (!last) return true;
    l->inside = false;
    l->waits = s->head;
    if (!l->waits) sim->step_start[++l->at] = l->from;
    return true;
}

// Returns whether a step's first id comes from the graph, and its other ids are drafts.
static bool has_drafts(const struct sim *sim, int step) {
    return sim->ir->design.drafts && step > 0 && step < sim->options->steps && sim->options->step[step - 1].head;
}

// Returns the cycles for which step `step` waits for its drafts.
static int64_t lookup_cycles(const struct sim *sim, int step) {
    return has_drafts(sim, step) ? kernel_lookup_cycles(sim->ir, sim->options->step[step].pos + 1) : 0;
}

// Takes an id from the graph. The last one of the step is also written to the ring, and the next step begins. With
// drafts the model still writes one id per step to the ring, as if no draft were right.
static bool loop_next(struct sim *sim, struct loop *l) {
    int64_t room;
    if (!edge_waiting(l->next) || (l->ring && !edge_room(l->ring, &room))) return false;
    int64_t at = at_least(l->from, edge_avail(l->next));
    bool last = edge_mark(l->next) & MARK_TOK_LAST;
    edge_take(sim, l->next, at);
    l->from = at + 1;
    if (!last) return true;
    if (l->ring) {
        edge_put(sim, l->ring, at + 1, at_least(at + 1, room), MARK_LAST);
        at = at_least(at, room - 1);
    }
    l->from = at + CYCLES_LOOP_AGAIN + lookup_cycles(sim, l->at + 1);
    l->waits = false;
    sim->step_start[++l->at] = l->from;
    return true;
}

// Sends step words to the walkers, as far ahead as they take them. A step with drafts is known only when it begins.
static void walk(struct sim *sim, struct loop *l) {
    int64_t room;
    for (; l->walk && l->walked < sim->options->steps && edge_room(l->walk, &room); l->walked++) {
        bool begun = l->walked < l->at || (l->walked == l->at && (l->inside || l->waits));
        if (has_drafts(sim, l->walked) && !begun) return;
        if (has_drafts(sim, l->walked)) room = at_least(room, l->sent + 1);
        edge_put(sim, l->walk, room, room, MARK_LAST | MARK_TOK_LAST);
    }
}

void sim_loop_run(struct sim *sim, struct actor *a) {
    struct loop *l = a->state;
    walk(sim, l);
    while (l->inside ? loop_id(sim, l) : l->waits ? loop_next(sim, l) : loop_step(sim, l)) continue;
    walk(sim, l);
}
