// SPDX-License-Identifier: Apache-2.0
// Timing model of rill_slot_loop, state by state. The loop chooses the parts of a step, sends the step's words and ids,
// and writes the ids that the model has chosen to the rings.
#include "gen/simulator/machines.h"

// CHOOSES: chooses the next part. READS: waits for the beat with a part's prompt ids. SENDS: sends the step words.
// GIVES_IDS: sends ids to the model. TAKES_IDS: takes the ids that the model has chosen.
enum stage_of_step { CHOOSES, READS, SENDS, GIVES_IDS, TAKES_IDS };

struct slots {
    struct sim_edge *step, *walk, *id, *next, *ring;
    struct sim_client *prompt; // NULL: no ids are read
    enum stage_of_step stage;
    int at;                          // the present step
    int part;                        // part that is chosen, or whose last token's id comes next
    int token;                       // token of the step whose id is given or taken next
    int64_t now;                     // first cycle of the present state
    int64_t closed;                  // cycle from which the next id may be written, because the previous is in memory
    int64_t prompt_at, prompt_bytes; // offset of the prompts, bytes of the area of a slot
    int64_t write;                   // cycles until an id is in memory
    struct timing_slots cycles;
};

// Returns the cycles until an id is in memory. In a design with `logprobs`, its record is made and written before.
static int64_t write_cycles(const struct sim *sim) {
    const struct timing_memory *m = &sim->options->memory;
    int64_t one = CYCLES_RING_WRITE + (int64_t)(m->figures->write_response_ns * 1e3 / m->period_ps), all = one;
    for (int k = 0; k < sim->ir->kernels; k++) {
        struct timing_contract c;
        if (!timing_contract(sim->ir, k, &c)) continue;
        if (c.machine == TIMING_LOGPROBS) all += c.logprobs.record;
        if (c.machine == TIMING_RECORDS) all += one + c.records.settle;
    }
    return all;
}

bool sim_slots_init(struct sim *sim, struct actor *a) {
    struct slots *l = a->state = ARENA_NEW(sim->arena, struct slots);
    l->step = sim_out(sim, a, IR_ROLE_STEP);
    l->walk = sim_out(sim, a, IR_ROLE_WALK);
    l->id = sim_out(sim, a, IR_ROLE_ID);
    l->next = sim_in(sim, a, IR_ROLE_NEXT_ID);
    l->ring = sim_out(sim, a, IR_ROLE_RING);
    l->cycles = a->c.slots;
    l->write = write_cycles(sim);
    const struct ir_segment *segment = ir_segment_for(sim->ir, IR_SEG_PROMPT);
    int client = ir_client_for(sim->ir, IR_CLIENT_PROMPT);
    if (segment && client != IR_NONE && !sim->options->load_only) {
        l->prompt = client_open_free(sim, client, &sim->channel[0]);
        l->prompt->kernel = a->kernel;
        l->prompt_at = segment->offset;
        l->prompt_bytes = segment->bytes / at_least(sim->ir->design.slots, 1);
    }
    return l->step && l->id && l->next && l->ring;
}

static const struct timing_step *step_of(const struct sim *sim, const struct slots *l) {
    return &sim->options->step[l->at];
}

// Begins the choice of the next step in cycle `at`. The state S_BEGIN of rill_slot_loop takes a cycle.
static void begin_step(struct sim *sim, struct slots *l, int64_t at) {
    sim->step_start[++l->at] = at;
    l->now = at + 1;
    l->part = l->token = 0;
    l->stage = CHOOSES;
}

// Returns the cycles in which the token loop searches for drafts of a part of a request that generates.
static int64_t look_cycles(const struct sim *sim, const struct slots *l, const struct timing_part *part) {
    if (part->prompt || !part->looks) return part->prompt ? 0 : l->cycles.look;
    return l->cycles.look + kernel_slot_lookup_cycles(sim->ir, part->pos + 1, part->ntok > 1);
}

// Returns the cycles in which the token loop passes over the kept positions of a part: S_SKIP, one cycle for each and
// one more, and S_ARGS again, which takes a cycle less than the arguments with S_TAKE.
static int64_t pass_cycles(const struct slots *l, const struct timing_part *part) {
    return part->passes ? part->passes + l->cycles.arguments : 0;
}

// Chooses a part. If the part's ids come from the prompt, requests the beat with these ids first. Returns false after
// the last step, or while the cycle of the request is not known.
static bool choose(struct sim *sim, struct slots *l) {
    if (l->at == sim->options->steps) return false;
    const struct timing_part part = timing_part(step_of(sim, l), l->part);
    int64_t room = 0, ask = l->now + l->cycles.arguments + pass_cycles(l, &part),
            beat_bytes = sim->ir->design.beat_bits / 8;
    if (l->at == 0 && l->part == 0) sim->step_start[0] = 0;
    if (!part.prompt || !l->prompt) {
        l->now = ask + look_cycles(sim, l, &part) + l->cycles.part + part.ntok;
        l->stage = ++l->part == timing_parts(step_of(sim, l)) ? SENDS : CHOOSES;
        return true;
    }
    if (!client_room(l->prompt, &room)) return false;
    l->now = at_least(ask, room);
    client_ask(sim, l->prompt, l->now,
               l->prompt_at + part.slot * l->prompt_bytes + part.pos * SIM_ID_BITS / 8 / beat_bytes * beat_bytes, 1);
    l->stage = READS;
    return true;
}

// Takes the beat with a part's ids. The ids are checked, one per cycle, and then counted, one per cycle. Returns false
// while the beat has not arrived.
static bool read_prompt(struct sim *sim, struct slots *l) {
    int64_t at;
    if (!client_beat(l->prompt, &at)) return false;
    at = at_least(at, l->now + 1);
    client_take(sim, l->prompt, at);
    l->now = at + 1 + 2 * timing_part(step_of(sim, l), l->part).ntok + l->cycles.part;
    l->stage = ++l->part == timing_parts(step_of(sim, l)) ? SENDS : CHOOSES;
    return true;
}

// Sends the step's words. The hardware sends one for each part. The simulation sends one word, in the cycle of the last
// part's word. Returns false while it is not known from which cycle the streams have room.
static bool send_step(struct sim *sim, struct slots *l) {
    int64_t room, walks = 0, from = l->now + timing_parts(step_of(sim, l)) - 1;
    if (!edge_room(l->step, &room) || (l->walk && !edge_room(l->walk, &walks))) return false;
    int64_t at = at_least(from, at_least(room, walks));
    edge_put(sim, l->step, from, at, MARK_LAST | MARK_TOK_LAST);
    if (l->walk) {
        edge_put(sim, l->walk, from, at, MARK_LAST | MARK_TOK_LAST);
        sim->chosen[l->at] = at + l->walk->latency;
        sim_wake_all(sim, TIMING_ENGINE);
    }
    l->now = at + 1;
    l->stage = GIVES_IDS;
    return true;
}

// Sends the next id of the step to the model. Returns false while it is not known from which cycle the stream has room.
static bool give_id(struct sim *sim, struct slots *l) {
    int64_t room;
    if (!edge_room(l->id, &room)) return false;
    const struct timing_step *step = step_of(sim, l);
    bool last = l->token == step->ntok - 1;
    int64_t at = at_least(l->now, room);
    edge_put(sim, l->id, l->now, at, last ? MARK_LAST | MARK_TOK_LAST : 0);
    l->now = at + 1;
    l->token++;
    if (!last) return true;
    l->part = l->token = 0;
    if (step->head) l->stage = TAKES_IDS;
    else begin_step(sim, l, l->now);
    return true;
}

// Whether the id that the model chose after a token of the part is one of the request, so that it goes to the ring.
// last: number of the part's last token in the step.
static bool is_used(const struct slots *l, const struct timing_part *part, int last) {
    int first = last + 1 - part->ntok;
    if (!part->head) return false;
    return part->looks ? l->token - first <= part->right : l->token == last;
}

// Takes the id that the model chose after a token, and writes it to the ring if it is one of the request. Returns false
// while the cycle is not known.
static bool take_id(struct sim *sim, struct slots *l) {
    int64_t room;
    if (!edge_waiting(l->next) || !edge_room(l->ring, &room)) return false;
    const struct timing_step *step = step_of(sim, l);
    const struct timing_part part = timing_part(step, l->part);
    int last = -1;
    for (int p = 0; p <= l->part; p++) last += timing_part(step, p).ntok;
    int64_t at = at_least(l->now, edge_avail(l->next));
    edge_take(sim, l->next, at);
    l->now = at + 1;
    if (is_used(l, &part, last)) {
        int64_t write = at_least(at_least(l->now + l->cycles.arguments, l->closed) + 1, room);
        edge_put(sim, l->ring, write, write, MARK_LAST);
        l->closed = write + l->write;
        l->now = write + 1 + l->cycles.hash;
        if (part.ends && (!part.looks || l->token == last + 1 - part.ntok + part.right))
            l->now = at_least(l->now, l->closed) + 1;
    }
    if (l->token == last) l->part++;
    if (++l->token == step->ntok) begin_step(sim, l, l->now);
    return true;
}

// Does the work of one state. Returns false while the state's time is not known, and after the last step.
static bool go_on(struct sim *sim, struct slots *l) {
    switch (l->stage) {
    case CHOOSES: return choose(sim, l);
    case READS: return read_prompt(sim, l);
    case SENDS: return send_step(sim, l);
    case GIVES_IDS: return give_id(sim, l);
    default: return take_id(sim, l);
    }
}

void sim_slots_run(struct sim *sim, struct actor *a) {
    struct slots *l = a->state;
    while (go_on(sim, l)) continue;
}
