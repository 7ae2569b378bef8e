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
    if (l->id && l->at == 0) l->from = at_least(l->from, at + LOOP_PROMPT + memory_latency(&sim->channel[0].memory));
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
    for (int64_t b = 0; b < a->c.beats; b++, address += sim->channel[0].memory.beat_bytes) {
        int64_t there = memory_read(sim, &sim->channel[0], at + ASK_TO_PORT, address) + DATA_LATENCY + FIFO_LATENCY;
        f->arrived = at_least(f->arrived + 1, there);
    }
    f->tokens++;
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
        sim_wake_all(sim, TIMING_EMBED);
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

// ---- rows of a step, group after group, read ahead: requests, beats into one of two banks, words out ----

struct rows {
    struct sim_edge *step, *out;
    struct stage stage;
    int64_t offset, row_bytes, groups; // of a row
    // requests: a group of a token each
    struct sim_request request;
    bool inside, asks; // a step is held; the request waits for its answer
    int64_t asked, described, from, group, token;
    VEC(int64_t) burst_end, arrived;
    // beats
    VEC(int64_t) taken, full, drained; // full, drained: by group, when its words may leave and have left
    int64_t beats;                     // of the present group
    // words
    int64_t row, word_token, next;
};

static bool rows_init(struct sim *sim, struct actor *a) {
    struct rows *r = a->state = ARENA_NEW(sim->arena, struct rows);
    r->step = sim_in(sim, a, "step");
    r->out = sim_out(sim, a, "x");
    r->asked = r->described = -1;
    r->offset = args_int(&a->args, "OFFSET", 0);
    r->groups = div_up(a->c.rows, a->c.units);
    r->row_bytes = r->groups * a->c.beats * sim->channel[0].memory.beat_bytes;
    r->request = (struct sim_request){.kernel = a->kernel, .beats = a->c.beats, .there = ARENA_ARRAY(sim->arena, int64_t, (size_t)a->c.beats)};
    stage_init(sim, &r->stage, a->c.pipe);
    return r->step && r->out;
}

static bool rows_step(const struct actor *a, struct sim *sim, struct rows *r) {
    if (r->inside) return true;
    if (!edge_waiting(r->step)) return false;
    int64_t at = at_least(edge_avail(r->step), r->described + 1);
    edge_take(sim, r->step, at);
    r->from = at + a->c.ask;
    return r->inside = true;
}

// Asks for a group of a token, as far as the read engine has room and few enough are outstanding.
static bool rows_ask(struct sim *sim, struct actor *a, struct rows *r) {
    const struct ir_design *d = &sim->ir->design;
    if (r->asks || !rows_step(a, sim, r)) return false;
    int64_t slot = (int64_t)r->burst_end.count - d->outstanding, room = (int64_t)r->arrived.count + a->c.beats - 2 * d->max_burst - 1;
    if (room >= (int64_t)r->taken.count) return false;
    const struct timing_step *step = &sim->options->step[r->step->takes - 1];
    r->described = at_least(r->from, r->described + 1);
    r->asked = at_least(r->asked + 1, r->described + 2);
    if (slot >= 0) r->asked = at_least(r->asked, r->burst_end.items[slot] + 1);
    if (room >= 0) r->asked = at_least(r->asked, r->taken.items[room] + 1);
    r->request.at = r->asked + 2;
    r->request.address = r->offset + (step->pos + r->token) * r->row_bytes + r->group * a->c.beats * sim->channel[0].memory.beat_bytes;
    r->asks = true;
    memory_ask(sim, &sim->channel[0], &r->request);
    if (++r->token < step->ntok) return true;
    r->token = 0;
    if (++r->group == r->groups) r->group = 0, r->inside = false;
    return true;
}

static bool rows_answer(struct sim *sim, struct rows *r) {
    if (!r->asks || r->request.waits) return false;
    for (int64_t b = 0; b < r->request.beats; b++) VEC_PUSH(sim->arena, r->arrived, r->request.there[b] + DATA_LATENCY);
    VEC_PUSH(sim->arena, r->burst_end, r->arrived.items[r->arrived.count - 1]);
    r->asks = false;
    return true;
}

static int64_t tokens_of(const struct sim *sim, const struct rows *r, size_t group) { return sim->options->step[(int64_t)group / r->groups].ntok; }

static bool rows_take(struct sim *sim, struct actor *a, struct rows *r) {
    size_t n = r->taken.count, g = r->full.count;
    if (n >= r->arrived.count || (g >= 2 && g - 2 >= r->drained.count)) return false;
    int64_t at = r->arrived.items[n] + FIFO_LATENCY;
    if (n) at = at_least(at, r->taken.items[n - 1] + 1);
    if (g >= 2) at = at_least(at, r->drained.items[g - 2] + 1);
    VEC_PUSH(sim->arena, r->taken, at);
    if (++r->beats < a->c.beats * tokens_of(sim, r, g)) return true;
    r->beats = 0;
    VEC_PUSH(sim->arena, r->full, at + a->c.ready);
    return true;
}

static bool rows_word(struct sim *sim, struct actor *a, struct rows *r) {
    size_t g = r->drained.count;
    int64_t at;
    if (g >= r->full.count || !stage_enter(sim, &r->stage, r->out, at_least(r->next, r->full.items[g]), &at)) return false;
    bool tok_last = r->word_token == tokens_of(sim, r, g) - 1, last = tok_last && r->row == a->c.rows - 1;
    stage_push(sim, &r->stage, at, (uint8_t)((tok_last ? TIMING_TOK_LAST : 0) | (last ? TIMING_LAST : 0)), true);
    r->next = at + 1;
    r->word_token = tok_last ? 0 : r->word_token + 1;
    if (!tok_last) return true;
    r->row = last ? 0 : r->row + 1;
    if (last || r->row % a->c.units == 0) VEC_PUSH(sim->arena, r->drained, at);
    return true;
}

static void rows_run(struct sim *sim, struct actor *a) {
    struct rows *r = a->state;
    for (bool moved = true; moved;) {
        moved = rows_answer(sim, r) || rows_ask(sim, a, r);
        while (rows_take(sim, a, r)) moved = true;
        while (rows_word(sim, a, r)) moved = true;
        stage_drain(sim, &r->stage, r->out);
    }
}

// ---- rows to memory: a group of a token in one burst ----

struct writer {
    struct sim_edge *in;
    int64_t offset, row_bytes, pos; // position of the step's first row
    int64_t row, token;
};

static bool writer_init(struct sim *sim, struct actor *a) {
    struct writer *w = a->state = ARENA_NEW(sim->arena, struct writer);
    w->in = sim_in(sim, a, "y");
    w->offset = args_int(&a->args, "OFFSET", 0);
    w->row_bytes = div_up(a->c.rows, a->c.units) * a->c.beats * sim->channel[0].memory.beat_bytes;
    return w->in != NULL;
}

static void writer_run(struct sim *sim, struct actor *a) {
    struct writer *w = a->state;
    while (edge_waiting(w->in)) {
        int64_t at = edge_avail(w->in);
        uint8_t mark = edge_mark(w->in);
        edge_take(sim, w->in, at);
        bool last = mark & TIMING_TOK_LAST && mark & TIMING_LAST;
        if ((w->row + 1) % a->c.units == 0 || w->row == a->c.rows - 1)
            memory_write(sim, &sim->channel[0], at,
                         w->offset + (w->pos + w->token) * w->row_bytes + w->row / a->c.units * a->c.beats * sim->channel[0].memory.beat_bytes,
                         a->c.beats);
        w->token++;
        if (!(mark & TIMING_TOK_LAST)) continue;
        if (last) w->pos += w->token;
        w->row = last ? 0 : w->row + 1;
        w->token = 0;
    }
}

const struct sim_machine *sim_source_machine(enum timing_machine machine) {
    static const struct sim_machine table[TIMING_MACHINES] = {
        [TIMING_LOOP] = {loop_init, loop_run},   [TIMING_EMBED] = {fetch_init, fetch_run},    [TIMING_POSITION] = {fetch_init, fetch_run},
        [TIMING_READER] = {rows_init, rows_run}, [TIMING_WRITER] = {writer_init, writer_run},
    };
    return table[machine].run ? &table[machine] : NULL;
}
