// SPDX-License-Identifier: Apache-2.0
// Where words come from: the token loop, rows of memory by id, by position and by step.
#include <string.h>

#include "sim.h"

// ---- the token loop: states of rill_token_loop ----

enum {
    LOOP_ID = 3,     // step word, or id, taken to the next id's offer
    LOOP_STEP = 2,   // last id taken to the next step of a prompt
    LOOP_AGAIN = 4,  // next id taken to its step
    LOOP_PROMPT = 9, // beside the memory's latency: the prompt's read is asked for just before the first step
    LOOP_STREAM = 2, // cycles between steps beside one per token
};

struct loop {
    struct sim_edge *step, *walk, *id, *next, *ring;
    int at, ids;  // step; ids of it that were sent
    int64_t from; // when the next thing can be offered
    bool inside, waits;
    int walked;
};

static bool loop_init(struct sim *sim, struct actor *a) {
    struct loop *l = a->state = ARENA_NEW(sim->arena, struct loop);
    l->step = sim_out(sim, a, "step");
    l->walk = sim_out(sim, a, "walk_step");
    l->id = sim_out(sim, a, "id");
    l->next = sim_in(sim, a, "next_id");
    l->ring = sim_out(sim, a, "ring");
    return l->step && (!l->id || l->next);
}

static bool loop_step(struct sim *sim, struct loop *l) {
    int64_t room;
    if (l->at == sim->options->steps || !edge_room(l->step, &room)) return false;
    int64_t at = at_least(l->from, room);
    edge_put(sim, l->step, l->from, at, TIMING_LAST | TIMING_TOK_LAST);
    sim->step_start[l->at] = at;
    l->from = at + (l->id ? LOOP_ID : sim->options->step[l->at].ntok + LOOP_STREAM);
    if (l->id && l->at == 0) l->from = at_least(l->from, at + LOOP_PROMPT + memory_latency(&sim->memory));
    l->inside = l->id != NULL;
    l->ids = 0;
    if (!l->id) l->at++;
    return true;
}

static bool loop_id(struct sim *sim, struct loop *l) {
    const struct timing_step *s = &sim->options->step[l->at];
    int64_t room;
    if (!edge_room(l->id, &room)) return false;
    int64_t at = at_least(l->from, room);
    bool last = ++l->ids == s->ntok;
    edge_put(sim, l->id, l->from, at, last ? TIMING_LAST | TIMING_TOK_LAST : 0);
    l->from = at + (!last ? LOOP_ID : s->head ? 1 : LOOP_STEP);
    if (!last) return true;
    l->inside = false;
    l->waits = s->head;
    if (!l->waits) sim->step_start[++l->at] = l->from;
    return true;
}

static bool loop_next(struct sim *sim, struct loop *l) {
    int64_t room;
    if (!edge_waiting(l->next)) return false;
    int64_t at = at_least(l->from, edge_avail(l->next));
    bool last = edge_mark(l->next) & TIMING_TOK_LAST;
    edge_take(sim, l->next, at);
    l->from = at + 1;
    if (!last) return true;
    if (l->ring && edge_room(l->ring, &room)) edge_put(sim, l->ring, at + 1, at_least(at + 1, room), TIMING_LAST);
    l->from = at + LOOP_AGAIN;
    l->waits = false;
    sim->step_start[++l->at] = l->from;
    return true;
}

static void loop_run(struct sim *sim, struct actor *a) {
    struct loop *l = a->state;
    int64_t room;
    for (; l->walk && l->walked < sim->options->steps && edge_room(l->walk, &room); l->walked++)
        edge_put(sim, l->walk, room, room, TIMING_LAST | TIMING_TOK_LAST);
    while (l->inside ? loop_id(sim, l) : l->waits ? loop_next(sim, l) : loop_step(sim, l)) continue;
}

// ---- rows by id or position: asked for one after the other, buffered until all of a step are in ----

enum {
    ASK_TO_PORT = 4,  // descriptor, splitter 2, address register, arbiter
    DATA_LATENCY = 1, // the channel's register
    FIFO_LATENCY = 2,
};

struct fetch {
    struct sim_edge *in, *out;
    int64_t table, row_bytes, rows;
    struct stage stage;
    int64_t free; // the unit can take the next id or step
    int64_t asked, tokens, arrived;
    int64_t left, offered; // rows of the present step that are still to be sent
    int64_t token, next;
    int64_t steps; // done
};

static bool fetch_init(struct sim *sim, struct actor *a) {
    struct fetch *f = a->state = ARENA_NEW(sim->arena, struct fetch);
    f->in = sim_in(sim, a, a->c.machine == TIMING_EMBED ? "id" : "step");
    f->out = sim_out(sim, a, "y");
    f->table = args_int(&a->args, "TABLE_OFFSET", 0);
    f->row_bytes = args_int(&a->args, "RECORD_BYTES", a->c.beats * sim->ir->design.beat_bits / 8);
    f->rows = at_least(args_int(&a->args, "ROWS", 1), 1);
    stage_init(sim, &f->stage, a->c.pipe);
    if (a->c.machine == TIMING_POSITION) sim->positions = 0;
    return f->in && f->out;
}

enum { ANY_ID = 7919 /* ids are not known; some that lie apart */ };

static void ask_row(struct sim *sim, struct fetch *f, const struct actor *a, int64_t at) {
    const struct timing_step *step = &sim->options->step[f->steps];
    int64_t pos = step->pos + f->tokens, row = a->c.machine == TIMING_POSITION ? pos : (pos + 1) * ANY_ID;
    int64_t address = f->table + row % f->rows * f->row_bytes;
    for (int64_t b = 0; b < a->c.beats; b++, address += sim->memory.beat_bytes) {
        int64_t there = memory_read(sim, at + ASK_TO_PORT, address) + DATA_LATENCY + FIFO_LATENCY;
        f->arrived = at_least(f->arrived + 1, there);
    }
    f->tokens++;
}

static void wake_embedding(struct sim *sim) {
    for (int k = 0; k < sim->ir->kernels; k++)
        if (sim->actor[k].c.machine == TIMING_EMBED) sim_wake(sim, k);
}

// Takes ids until the step's last, or the step; false while there is none.
static bool fetch_in(struct sim *sim, struct actor *a, struct fetch *f) {
    if (!edge_waiting(f->in)) return false;
    if (a->c.machine == TIMING_EMBED && sim->positions <= f->steps) return false; // the step's positions are asked for first
    int64_t at = at_least(edge_avail(f->in), f->free);
    bool last = edge_mark(f->in) & TIMING_LAST;
    int64_t rows = a->c.machine == TIMING_EMBED ? 1 : sim->options->step[f->in->takes].ntok;
    edge_take(sim, f->in, at);
    if (a->c.machine == TIMING_POSITION) {
        sim->positions = f->in->takes;
        wake_embedding(sim);
    }
    for (int64_t r = 0; r < rows; r++) ask_row(sim, f, a, at + a->c.ask + r * a->c.ask_next);
    f->free = at + a->c.ask + rows * a->c.ask_next;
    if (last) {
        f->steps++;
        f->left = a->c.rows * f->tokens;
        f->next = at_least(f->arrived + a->c.ready, f->free + 1);
    }
    return true;
}

static bool fetch_out(struct sim *sim, struct fetch *f) {
    int64_t at;
    if (!stage_enter(sim, &f->stage, f->out, f->next, &at)) return false;
    bool tok_last = f->token == f->tokens - 1;
    stage_push(sim, &f->stage, at, (uint8_t)((tok_last ? TIMING_TOK_LAST : 0) | (f->left == 1 ? TIMING_LAST : 0)), true);
    f->token = tok_last ? 0 : f->token + 1;
    f->next = at + 1;
    f->left--;
    return true;
}

static void fetch_run(struct sim *sim, struct actor *a) {
    struct fetch *f = a->state;
    for (;;) {
        if (f->left) {
            if (!fetch_out(sim, f)) return;
            if (f->left) continue;
        }
        stage_drain(sim, &f->stage, f->out);
        if (f->stage.sent < f->stage.count) return; // the last word must have left before the next request
        if (f->tokens && f->next && !f->left) {
            f->free = at_least(f->free, f->out->put[f->out->puts - 1] + 1);
            f->tokens = f->next = 0;
        }
        if (!fetch_in(sim, a, f)) return;
    }
}

// ---- rows of a step, group after group, read ahead ----

struct rows {
    struct sim_edge *step, *out;
    struct stage stage;
    int64_t offset, row_bytes, pos;  // of the rows; position of the step's first
    int64_t asked, described, taken; // cycles: the last burst, descriptor, beat
    VEC(int64_t) burst_end, beat_taken;
    int64_t drained[2]; // when the banks' last words were read
    int64_t from;       // the step's first descriptor
    int64_t next;       // word out
    bool inside, full;  // a step is held, the present group is in
    int64_t tokens, group, row, token;
};

static bool rows_init(struct sim *sim, struct actor *a) {
    struct rows *r = a->state = ARENA_NEW(sim->arena, struct rows);
    r->step = sim_in(sim, a, "step");
    r->out = sim_out(sim, a, "x");
    r->asked = r->taken = -1;
    r->drained[0] = r->drained[1] = -1;
    r->offset = args_int(&a->args, "OFFSET", 0);
    r->row_bytes = div_up(a->c.rows, a->c.units) * a->c.beats * sim->memory.beat_bytes;
    stage_init(sim, &r->stage, a->c.pipe);
    return r->step && r->out;
}

// One group of one token: a descriptor, its beats. Returns the cycle in which the last one is taken.
static int64_t read_group(struct sim *sim, struct actor *a, struct rows *r, int64_t token, int64_t bank_free) {
    const struct ir_design *d = &sim->ir->design;
    int64_t slot = (int64_t)r->burst_end.count - d->outstanding, room = (int64_t)r->beat_taken.count + a->c.beats - 2 * d->max_burst - 1;
    int64_t address = r->offset + (r->pos + token) * r->row_bytes + r->row / a->c.units * a->c.beats * sim->memory.beat_bytes;
    r->described = at_least(r->from, r->described + 1);
    r->asked = at_least(r->asked + 1, r->described + 2);
    if (slot >= 0) r->asked = at_least(r->asked, r->burst_end.items[slot] + 1);
    if (room >= 0) r->asked = at_least(r->asked, r->beat_taken.items[room] + 1);
    int64_t there = 0;
    for (int64_t b = 0; b < a->c.beats; b++) {
        there = memory_read(sim, r->asked + 2, address + b * sim->memory.beat_bytes) + DATA_LATENCY;
        r->taken = at_least(at_least(r->taken + 1, there + FIFO_LATENCY), bank_free);
        VEC_PUSH(sim->arena, r->beat_taken, r->taken);
    }
    VEC_PUSH(sim->arena, r->burst_end, there);
    return r->taken;
}

static bool rows_step(struct sim *sim, struct actor *a, struct rows *r) {
    if (!edge_waiting(r->step)) return false;
    int64_t at = at_least(edge_avail(r->step), r->described + 1);
    r->tokens = sim->options->step[r->step->takes].ntok;
    r->pos = sim->options->step[r->step->takes].pos;
    edge_take(sim, r->step, at);
    r->from = at + a->c.ask;
    r->inside = true;
    return true;
}

static bool rows_word(struct sim *sim, struct actor *a, struct rows *r) {
    int64_t at;
    if (!stage_enter(sim, &r->stage, r->out, r->next, &at)) return false;
    bool tok_last = r->token == r->tokens - 1, last = tok_last && r->row == a->c.rows - 1;
    stage_push(sim, &r->stage, at, (uint8_t)((tok_last ? TIMING_TOK_LAST : 0) | (last ? TIMING_LAST : 0)), true);
    r->next = at + 1;
    r->token = tok_last ? 0 : r->token + 1;
    if (!tok_last) return true;
    r->row++;
    if (!last && r->row % a->c.units) return true;
    r->drained[r->group++ % 2] = at;
    r->full = false;
    if (last) r->row = 0, r->inside = false;
    return true;
}

static void rows_run(struct sim *sim, struct actor *a) {
    struct rows *r = a->state;
    for (;;) {
        if (!r->inside && !rows_step(sim, a, r)) break;
        if (!r->full) {
            for (int64_t t = 0; t < r->tokens; t++) r->next = at_least(r->next, read_group(sim, a, r, t, r->drained[r->group % 2] + 1) + a->c.ready);
            r->full = true;
        }
        if (!rows_word(sim, a, r)) return;
    }
    stage_drain(sim, &r->stage, r->out);
}

const struct sim_machine *sim_source_machine(enum timing_machine machine) {
    static const struct sim_machine table[TIMING_MACHINES] = {
        [TIMING_LOOP] = {loop_init, loop_run},
        [TIMING_EMBED] = {fetch_init, fetch_run},
        [TIMING_POSITION] = {fetch_init, fetch_run},
        [TIMING_READER] = {rows_init, rows_run},
    };
    return table[machine].run ? &table[machine] : NULL;
}
