// SPDX-License-Identifier: Apache-2.0
// Where words come from, and where they go: the token loop, rows of memory by id, by position and by step, the ring of
// ids.

#include "gen/simulator/machines.h"
#include "gen/kernel/kernel.h"

enum { ID_BITS = 32 };

// ---- the token loop: states of rill_token_loop ----

struct loop {
    struct sim_edge *step, *walk, *id, *next, *ring;
    struct sim_client *prompt; // NULL: no ids, or in the middle of a request
    int64_t unread, left;      // ids of the prompt, of its beat in hand
    int64_t beat_at, popped;   // when that beat was there, when the last id left one
    int at, ids;               // step; ids of it that were sent
    int64_t from;              // when the next thing can be offered
    bool inside, waits;
    int walked;
};

static int64_t offset_for(const struct ir *ir, enum ir_segment_role role) {
    const struct ir_segment *segment = ir_segment_for(ir, role);
    return segment ? segment->offset : 0;
}

// One read for the whole prompt, asked for in the cycle before the first step.
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
    client_ask(sim, l->prompt, -CYCLES_LOOP_PROMPT, offset_for(ir, IR_SEG_PROMPT),
               div_up(l->unread, ir->design.beat_bits / ID_BITS));
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

static bool loop_step(struct sim *sim, struct loop *l) {
    int64_t room;
    if (l->at == sim->options->steps || !edge_room(l->step, &room)) return false;
    int64_t at = at_least(l->from, room);
    edge_put(sim, l->step, l->from, at, MARK_LAST | MARK_TOK_LAST);
    sim->step_start[l->at] = at;
    l->from = at + (l->id ? CYCLES_LOOP_ID : sim->options->step[l->at].ntok + CYCLES_LOOP_STREAM);
    l->inside = l->id != NULL;
    l->ids = 0;
    if (!l->id) l->at++;
    return true;
}

// The next id of the prompt is in hand, or none is wanted.
static bool has_id(struct sim *sim, struct loop *l) {
    int64_t at;
    if (!l->prompt || !l->unread || l->left) return true;
    if (!client_beat(l->prompt, &at)) return false;
    at = at_least(at, l->popped + 1);
    client_take(sim, l->prompt, at);
    l->beat_at = at + 1;
    l->left = at_most(l->unread, sim->ir->design.beat_bits / ID_BITS);
    return true;
}

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
    l->from = at + CYCLES_LOOP_AGAIN;
    l->waits = false;
    sim->step_start[++l->at] = l->from;
    return true;
}

void sim_loop_run(struct sim *sim, struct actor *a) {
    struct loop *l = a->state;
    int64_t room;
    for (; l->walk && l->walked < sim->options->steps && edge_room(l->walk, &room); l->walked++)
        edge_put(sim, l->walk, room, room, MARK_LAST | MARK_TOK_LAST);
    while (l->inside ? loop_id(sim, l) : l->waits ? loop_next(sim, l) : loop_step(sim, l)) continue;
}

// ---- rows by id or position: asked for one after the other, buffered until all of a step are in ----

struct fetch {
    struct sim_edge *in, *out;
    struct sim_client *client;
    struct kernel_table table; // one of its channels stands for all, as all have the same other reads
    struct stage stage;
    int64_t free;               // the unit can take the next id or step
    int64_t tokens, more, from; // asked for in this step; rows still to be asked for, from then on
    bool last;                  // they are the step's
    int64_t left;               // words of the present step that are still to be sent
    int64_t token, next, beats;
    int64_t step, fired, firings; // of which step; firings of it so far, and in all
    bool of_loop;                 // its ids are the request's, not ones that the graph has found
};

// The ids of this stream come from the token loop, perhaps through forks.
static bool is_of_loop(struct sim *sim, const struct sim_edge *e) {
    for (int n = 0; e && n < sim->ir->kernels; n++) {
        const struct actor *a = &sim->actor[e->writer];
        if (a->c.machine != TIMING_FORK) return a->c.machine == TIMING_LOOP;
        e = sim_lane(sim, a, false, IR_NONE);
    }
    return false;
}

static const struct ir_region *region_of(const struct sim *sim, const struct actor *a) {
    return a->k->node == IR_NONE ? NULL : &sim->ir->region[sim->ir->node[a->k->node].region];
}

// On to a step in which the unit fires.
static void fetch_step(const struct sim *sim, const struct actor *a, struct fetch *f) {
    const struct ir_region *r = region_of(sim, a);
    while (r && r->when == IR_LAST && f->step < sim->options->steps && !sim->options->step[f->step].head) f->step++;
}

bool sim_fetch_init(struct sim *sim, struct actor *a) {
    struct fetch *f = a->state = ARENA_NEW(sim->arena, struct fetch);
    f->in = sim_in(sim, a, a->c.machine == TIMING_EMBED ? IR_ROLE_ID : IR_ROLE_STEP);
    f->out = sim_out(sim, a, IR_ROLE_Y);
    f->client = client_open(sim, a, false);
    f->table = kernel_table(a->k);
    if (!f->table.row_bytes) f->table.row_bytes = a->c.fetch.beats * sim->ir->design.beat_bits / 8;
    stage_init(sim, &f->stage, a->c.stages);
    if (!f->in || !f->out || !f->client) return false;
    const struct ir_region *r = region_of(sim, a);
    f->firings = r ? sim_repeats(sim, r->repeat) : 1;
    f->of_loop = a->c.machine == TIMING_EMBED && is_of_loop(sim, f->in);
    fetch_step(sim, a, f);
    return true;
}

enum { ANY_ID = 7919 /* ids that are not known: some that lie apart */ };

static int64_t row_at(const struct sim *sim, const struct fetch *f, const struct actor *a, int64_t pos) {
    if (a->c.machine == TIMING_POSITION) return pos;
    return f->of_loop && pos < sim->options->ids ? sim->options->id[pos] : (pos + 1) * ANY_ID;
}

static bool ask_row(struct sim *sim, struct fetch *f, const struct actor *a) {
    int64_t room;
    if (!f->more || f->step == sim->options->steps || !client_room(f->client, &room)) return false;
    int64_t row = row_at(sim, f, a, sim->options->step[f->step].pos + f->tokens), at = at_least(f->from, room);
    const struct kernel_table *t = &f->table;
    client_ask(sim, f->client, at, t->offset + row % t->rows / t->parts * t->row_bytes, a->c.fetch.beats);
    f->from = at + a->c.fetch.ask_next;
    f->tokens++;
    if (--f->more == 0) f->free = f->from;
    return true;
}

// Takes ids until the step's last, or the step; false while there is none.
static bool fetch_in(struct sim *sim, const struct actor *a, struct fetch *f) {
    if (f->more || f->last || !edge_waiting(f->in)) return false;
    int64_t at = at_least(edge_avail(f->in), f->free);
    f->last = edge_mark(f->in) & MARK_LAST;
    f->more = a->c.machine == TIMING_EMBED ? 1 : sim->options->step[f->in->takes].ntok;
    f->from = at + a->c.fetch.ask;
    edge_take(sim, f->in, at);
    return true;
}

static bool fetch_beat(struct sim *sim, struct fetch *f) {
    int64_t at;
    if (!client_beat(f->client, &at)) return false;
    client_take(sim, f->client, at);
    f->beats++;
    return true;
}

// All rows of the step are in.
static bool fetch_done(const struct sim *sim, const struct actor *a, struct fetch *f) {
    if (!f->last || f->more || f->beats < a->c.fetch.beats * f->tokens) return false;
    f->last = false;
    f->beats = 0;
    f->left = a->c.fetch.rows * f->tokens;
    f->next = at_least(f->client->taken.items[f->client->taken.count - 1] + a->c.fetch.ready, f->free + 1);
    if (++f->fired < f->firings) return true;
    f->fired = 0;
    f->step++;
    fetch_step(sim, a, f);
    return true;
}

static bool fetch_out(struct sim *sim, struct fetch *f) {
    int64_t at;
    if (!stage_enter(sim, &f->stage, f->out, f->next, &at)) return false;
    bool tok_last = f->token == f->tokens - 1;
    stage_push(sim, &f->stage, at, (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (f->left == 1 ? MARK_LAST : 0)), true);
    f->token = tok_last ? 0 : f->token + 1;
    f->next = at + 1;
    f->left--;
    return true;
}

void sim_fetch_run(struct sim *sim, struct actor *a) {
    struct fetch *f = a->state;
    do {
        while (ask_row(sim, f, a) || fetch_beat(sim, f) || fetch_done(sim, a, f)) continue;
        while (f->left && fetch_out(sim, f)) continue;
        stage_drain(sim, &f->stage, f->out);
        if (f->left || f->stage.sent < f->stage.count) return; // the last word must have left before the next request
        if (f->tokens && f->next) {
            f->free = at_least(f->free, f->out->put[f->out->puts - 1] + 1);
            f->tokens = f->next = 0;
        }
    } while (fetch_in(sim, a, f));
}

// ---- rows of a step, group after group, read ahead: requests, beats into one of two banks, words out ----

struct rows {
    struct sim_edge *step, *out;
    struct sim_client *client;
    struct stage stage;
    int64_t offset, row_bytes, groups; // of a row
    // requests: a group of a token each
    bool inside; // a step is held
    int64_t described, from, group, token;
    VEC(int64_t) full, drained; // by group, when its words may leave and have left
    int64_t beats;              // of the present group
    // words
    int64_t row, word_token, next;
};

static int64_t group_bytes(const struct sim *sim, const struct actor *a) {
    return a->c.rows.beats * sim->ir->design.beat_bits / 8;
}

bool sim_rows_init(struct sim *sim, struct actor *a) {
    struct rows *r = a->state = ARENA_NEW(sim->arena, struct rows);
    r->step = sim_in(sim, a, IR_ROLE_STEP);
    r->out = sim_out(sim, a, IR_ROLE_X);
    r->client = client_open(sim, a, false);
    r->described = -1;
    r->offset = kernel_offset(a->k);
    r->groups = div_up(a->c.rows.rows, a->c.rows.group);
    r->row_bytes = r->groups * group_bytes(sim, a);
    stage_init(sim, &r->stage, a->c.stages);
    return r->step && r->out && r->client;
}

static bool rows_step(const struct actor *a, struct sim *sim, struct rows *r) {
    if (r->inside) return true;
    if (!edge_waiting(r->step)) return false;
    int64_t at = at_least(edge_avail(r->step), r->described + 1);
    edge_take(sim, r->step, at);
    r->from = at + a->c.rows.ask;
    return r->inside = true;
}

// Asks for a group of a token.
static bool rows_ask(struct sim *sim, struct actor *a, struct rows *r) {
    int64_t room;
    if (!rows_step(a, sim, r) || !client_room(r->client, &room)) return false;
    const struct timing_step *step = &sim->options->step[r->step->takes - 1];
    r->described = at_least(at_least(r->from, r->described + 1), room);
    client_ask(sim, r->client, r->described,
               r->offset + (step->pos + r->token) * r->row_bytes + r->group * group_bytes(sim, a), a->c.rows.beats);
    if (++r->token < step->ntok) return true;
    r->token = 0;
    if (++r->group == r->groups) r->group = 0, r->inside = false;
    return true;
}

static int64_t tokens_of(const struct sim *sim, const struct rows *r, size_t group) {
    return sim->options->step[(int64_t)group / r->groups].ntok;
}

static bool rows_take(struct sim *sim, struct actor *a, struct rows *r) {
    size_t g = r->full.count;
    int64_t at;
    if (!client_beat(r->client, &at) || (g >= 2 && g - 2 >= r->drained.count)) return false;
    if (g >= 2) at = at_least(at, r->drained.items[g - 2] + 1);
    client_take(sim, r->client, at);
    if (++r->beats < a->c.rows.beats * tokens_of(sim, r, g)) return true;
    r->beats = 0;
    VEC_PUSH(sim->arena, r->full, at + a->c.rows.ready);
    return true;
}

static bool rows_word(struct sim *sim, struct actor *a, struct rows *r) {
    size_t g = r->drained.count;
    int64_t at;
    if (g >= r->full.count || !stage_enter(sim, &r->stage, r->out, at_least(r->next, r->full.items[g]), &at))
        return false;
    bool tok_last = r->word_token == tokens_of(sim, r, g) - 1, last = tok_last && r->row == a->c.rows.rows - 1;
    stage_push(sim, &r->stage, at, (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (last ? MARK_LAST : 0)), true);
    r->next = at + 1;
    r->word_token = tok_last ? 0 : r->word_token + 1;
    if (!tok_last) return true;
    r->row = last ? 0 : r->row + 1;
    if (last || r->row % a->c.rows.group == 0) VEC_PUSH(sim->arena, r->drained, at);
    return true;
}

void sim_rows_run(struct sim *sim, struct actor *a) {
    struct rows *r = a->state;
    for (bool moved = true; moved;) {
        moved = rows_ask(sim, a, r);
        while (rows_take(sim, a, r)) moved = true;
        while (rows_word(sim, a, r)) moved = true;
        stage_drain(sim, &r->stage, r->out);
    }
}

// ---- rows to memory: a group of a token with a descriptor of its own ----

struct writer {
    struct sim_edge *in;
    struct sim_client *client;
    int64_t offset, row_bytes, pos; // position of the step's first row
    int64_t row, token;
    int64_t clear;      // when the group before has left: in its last beat's cycle
    int64_t left, from; // beats of the group still to be handed over, from then on
    bool ask;           // and its descriptor,
    int64_t asks;       // from then on
    int64_t address;
};

bool sim_writer_init(struct sim *sim, struct actor *a) {
    struct writer *w = a->state = ARENA_NEW(sim->arena, struct writer);
    w->in = sim_in(sim, a, IR_ROLE_Y);
    w->client = client_open(sim, a, true);
    w->offset = kernel_offset(a->k);
    w->row_bytes = div_up(a->c.rows.rows, a->c.rows.group) * group_bytes(sim, a);
    return w->in && w->client;
}

// Hands over what the group in hand has left; false until its last beat is in the engine.
static bool writer_gives(struct sim *sim, struct writer *w) {
    int64_t at;
    if (w->ask) {
        if (!client_room(w->client, &at)) return false;
        client_ask(sim, w->client, at_least(at, w->asks), w->address, w->left);
        w->ask = false;
    }
    for (; w->left; w->left--) {
        if (!client_space(w->client, &at)) return false;
        client_give(sim, w->client, at_least(at, w->from));
    }
    return client_taken(w->client, &w->clear);
}

static void writer_next(struct writer *w, uint8_t mark) {
    w->token++;
    if (!(mark & MARK_TOK_LAST)) return;
    bool last = mark & MARK_LAST;
    if (last) w->pos += w->token;
    w->row = last ? 0 : w->row + 1;
    w->token = 0;
}

void sim_writer_run(struct sim *sim, struct actor *a) {
    struct writer *w = a->state;
    while (edge_waiting(w->in)) {
        bool group_last = (w->row + 1) % a->c.rows.group == 0 || w->row == a->c.rows.rows - 1;
        if (group_last && !writer_gives(sim, w)) return;
        int64_t at = edge_avail(w->in);
        if (group_last) at = at_least(at, w->clear);
        uint8_t mark = edge_mark(w->in);
        edge_take(sim, w->in, at);
        if (group_last) {
            w->ask = true;
            w->left = a->c.rows.beats;
            w->from = at + 1;
            w->asks = at + a->c.rows.ask;
            w->address =
                w->offset + (w->pos + w->token) * w->row_bytes + w->row / a->c.rows.group * group_bytes(sim, a);
        }
        writer_next(w, mark);
    }
    writer_gives(sim, w);
}

// ---- the ring: every id's beat with a descriptor of its own, the next id when the write has its response ----

struct ring {
    struct sim_edge *in;
    struct sim_client *client;
    int64_t offset, ids;
};

bool sim_ring_init(struct sim *sim, struct actor *a) {
    struct ring *r = a->state = ARENA_NEW(sim->arena, struct ring);
    r->in = sim_in(sim, a, IR_ROLE_RING);
    r->client = client_open(sim, a, true);
    r->offset = offset_for(sim->ir, IR_SEG_RING);
    return r->in && r->client;
}

void sim_ring_run(struct sim *sim, struct actor *a) {
    struct ring *r = a->state;
    int64_t beat_bytes = sim->ir->design.beat_bits / 8, at;
    while (edge_waiting(r->in) && client_idle(r->client, &at)) {
        at = at_least(at + a->c.ring.settle, edge_avail(r->in));
        edge_take(sim, r->in, at);
        client_give(sim, r->client, at + a->c.stages);
        client_ask(sim, r->client, at + a->c.stages, r->offset + r->ids++ * ID_BITS / 8 / beat_bytes * beat_bytes, 1);
    }
}
