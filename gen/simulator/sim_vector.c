// SPDX-License-Identifier: Apache-2.0
// Vector kernels: pipelines of words, groups in banks, scalars of softmax, argmax, the width converter.
#include "gen/simulator/machines.h"
#include "gen/kernel/kernel.h"

enum { MAX_INPUTS = IR_MAX_PORTS };

// Inputs of a kernel, the one that leads (a word of it for every word read) first.
struct inputs {
    int count;
    struct sim_edge *edge[MAX_INPUTS];
    enum timing_need need[MAX_INPUTS];
};

static void inputs_init(struct sim *sim, const struct actor *a, struct inputs *in) {
    in->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int p = 0; p < a->k->ports && in->count < MAX_INPUTS; p++) {
            const struct ir_port *port = &a->k->port[p];
            enum timing_need need = timing_need(a->k, p);
            if (port->is_output || port->edge == IR_NONE || port->role == IR_ROLE_STEP ||
                (need == TIMING_EACH) != (pass == 0))
                continue;
            in->need[in->count] = need;
            in->edge[in->count++] = &sim->edge[port->edge];
        }
}

static struct sim_edge *only_output(struct sim *sim, const struct actor *a) {
    for (int p = 0; p < a->k->ports; p++)
        if (a->k->port[p].is_output && a->k->port[p].edge != IR_NONE) return &sim->edge[a->k->port[p].edge];
    return NULL;
}

// From when on a word can be read, as far as the inputs go; first: it belongs to the first row of a firing.
static bool inputs_ready(const struct inputs *in, bool first, int64_t *from) {
    for (int i = 0; i < in->count; i++) {
        if (in->need[i] == TIMING_FIRST && !first) continue;
        if (!edge_waiting(in->edge[i])) return false;
        *from = at_least(*from, edge_avail(in->edge[i]));
    }
    return true;
}

static void inputs_take(struct sim *sim, const struct inputs *in, bool first, uint8_t mark, int64_t at) {
    for (int i = 0; i < in->count; i++) {
        bool pops = in->need[i] == TIMING_EACH || (in->need[i] == TIMING_ROW && mark & MARK_TOK_LAST) ||
                    (in->need[i] == TIMING_FIRST && first);
        if (pops) edge_take(sim, in->edge[i], at);
    }
}

// ---- pipelines ----

// A register slice before an input of the stages: rill_register_slice of mode 2.
enum { SLICE_WORDS = 2 };
struct slice {
    struct sim_edge *from, words;
};

struct pipe {
    struct inputs in;
    struct slice slice[MAX_INPUTS];
    int slices;
    struct sim_edge *out;
    struct sim_steps steps;
    struct stage stage;
    bool inside;    // a firing has begun
    int64_t firing; // of those that make one firing out; rows of it
};

static void open_slices(struct pipe *p) {
    for (p->slices = 0; p->slices < p->in.count; p->slices++) {
        struct slice *s = &p->slice[p->slices];
        s->from = p->in.edge[p->slices];
        edge_init(&s->words, SLICE_WORDS, IR_NONE, IR_NONE);
        p->in.edge[p->slices] = &s->words;
    }
}

static void fill_slice(struct sim *sim, struct slice *s) {
    for (int64_t room; edge_waiting(s->from) && edge_room(&s->words, &room);) {
        int64_t at = at_least(edge_avail(s->from), room);
        uint8_t mark = edge_mark(s->from);
        edge_take(sim, s->from, at);
        edge_put(sim, &s->words, at, at, mark);
        sim->words--; // it has been counted as one of the stream
    }
}

bool sim_pipe_init(struct sim *sim, struct actor *a) {
    struct pipe *p = a->state = ARENA_NEW(sim->arena, struct pipe);
    inputs_init(sim, a, &p->in);
    p->out = only_output(sim, a);
    if (a->c.pipe.sliced) open_slices(p);
    stage_init(sim, &p->stage, a->c.stages - (a->c.pipe.sliced ? CYCLES_SLICE : 0));
    return p->in.count && p->out && sim_steps_init(sim, a, &p->steps);
}

// Without a stage the word passes in the cycle in which it is taken.
static bool pass_through(struct sim *sim, const struct actor *a, struct pipe *p, int64_t from) {
    int64_t room;
    if (!edge_room(p->out, &room)) return false;
    uint8_t mark = edge_mark(p->in.edge[0]);
    if (a->c.pipe.rows) { // firings of its own length
        mark &= (uint8_t)~MARK_LAST;
        if (mark & MARK_TOK_LAST && ++p->firing == a->c.pipe.rows) {
            mark |= MARK_LAST;
            p->firing = 0;
        }
    }
    edge_put(sim, p->out, from, at_least(from, room), mark & (MARK_LAST | MARK_TOK_LAST));
    inputs_take(sim, &p->in, false, mark, at_least(from, room));
    if (mark & MARK_LAST) sim_steps_fired(sim, a, &p->steps, at_least(from, room));
    return true;
}

void sim_pipe_run(struct sim *sim, struct actor *a) {
    struct pipe *p = a->state;
    for (;;) {
        int64_t from = 0, at;
        for (int i = 0; i < p->slices; i++) fill_slice(sim, &p->slice[i]);
        if (!sim_steps_wait(sim, a, &p->steps, &from) || !inputs_ready(&p->in, !p->inside, &from)) break;
        if (a->c.stages == 0) {
            if (!pass_through(sim, a, p, from)) return;
            continue;
        }
        if (!stage_enter(sim, &p->stage, p->out, from, &at)) return;
        uint8_t mark = edge_mark(p->in.edge[0]) & (MARK_LAST | MARK_TOK_LAST);
        inputs_take(sim, &p->in, !p->inside, mark, at);
        if (mark & MARK_LAST) sim_steps_fired(sim, a, &p->steps, at);
        if (mark & MARK_TOK_LAST) p->inside = !(mark & MARK_LAST);
        if (mark & MARK_LAST && ++p->firing < a->c.pipe.firings) mark &= (uint8_t)~MARK_LAST;
        else if (mark & MARK_LAST) p->firing = 0;
        stage_push(sim, &p->stage, at, mark, true);
    }
    stage_drain(sim, &p->stage, p->out);
}

// ---- groups in banks ----

struct group {
    int64_t rows, tokens, words, ready, released; // released: place free again; < 0 not yet
    bool last;                                    // it ended a firing
};
// Firings that are kept for a firing of the output each.
struct held {
    struct sim_edge *edge;        // NULL: none
    int64_t last;                 // cycle of the last word taken
    VEC(int64_t) ready, released; // of each firing: cycle from which on it can be read; place free again
};
struct owed { // a scalar follows the word of the output with this number
    int64_t word;
    bool last_token;
};
struct bank {
    struct inputs in;     // what is gathered
    struct inputs beside; // what is read with the words of a group
    struct held held;
    struct sim_edge *out, *scalar, *step;
    struct stage stage;
    VEC(struct group) group;
    int64_t reading;            // group that is read
    int64_t rows, tokens, last; // of the group that comes in; last: cycle of the last word
    int64_t words, in_all;      // of that group, and of all groups so far
    int64_t freed, freed_words; // groups whose words others have taken the place of; these words
    int64_t room_from;          // when the last of these was free
    int64_t row, token, next;   // place of the next word to be read; next: cycle after the last one
    int64_t fired;              // groups of the present firing out
    bool odd;                   // units of the present token's earlier groups
    int64_t started;            // softmax: scalars that have their room
    VEC(struct owed) owed;      // softmax: scalars that are still to be sent, and how many were
    int64_t paid;
    int64_t steps; // softmax: firings of the present step
};

bool sim_bank_init(struct sim *sim, struct actor *a) {
    struct bank *b = a->state = ARENA_NEW(sim->arena, struct bank);
    struct inputs all;
    inputs_init(sim, a, &all);
    for (int i = 0; i < all.count;
         i++) { // parameters and value scales come with the words read, key scales with those taken
        if (all.need[i] == TIMING_HELD) {
            b->held.edge = all.edge[i];
            continue;
        }
        bool gathered = i == 0 || (a->c.machine == TIMING_SOFTMAX && all.edge[i] == sim_in(sim, a, IR_ROLE_K_SCALE));
        struct inputs *to = gathered ? &b->in : &b->beside;
        to->need[to->count] = all.need[i];
        to->edge[to->count++] = all.edge[i];
    }
    b->out = a->c.machine == TIMING_SOFTMAX ? sim_out(sim, a, IR_ROLE_P) : only_output(sim, a);
    b->scalar = a->c.machine == TIMING_SOFTMAX ? sim_out(sim, a, IR_ROLE_INVERSE) : NULL;
    b->step = a->c.machine == TIMING_SOFTMAX ? sim_in(sim, a, IR_ROLE_STEP) : NULL;
    b->last = b->held.last = -1;
    stage_init(sim, &b->stage, a->c.stages);
    return b->in.count && b->out && (a->c.machine != TIMING_SOFTMAX || (b->scalar && b->step));
}

// Softmax holds a step word until its last firing is in.
static bool step_ready(struct sim *sim, struct actor *a, struct bank *b, int64_t *from) {
    if (!b->step) return true;
    if (b->steps == 0) {
        if (!edge_waiting(b->step)) return false;
        int64_t at = at_least(edge_avail(b->step), b->last + 1);
        edge_take(sim, b->step, at);
        *from = at_least(*from, at + 1);
        bool alone = sim->options->step[b->step->takes - 1].ntok == 1;
        b->steps = a->c.banks.softmax.heads * a->c.banks.softmax.layers /
                   (alone ? at_least(a->c.banks.softmax.together, 1) : 1);
    }
    return true;
}

// Whether there is room for a word more in what the groups share, and from when on.
static bool bank_room(const struct actor *a, struct bank *b, int64_t *from) {
    while (a->c.banks.room && b->in_all - b->freed_words >= a->c.banks.room) {
        const struct group *g = &b->group.items[b->freed];
        if (b->freed == (int64_t)b->group.count || g->released < 0) return false;
        b->room_from = g->released - a->c.banks.enter;
        b->freed_words += g->words;
        b->freed++;
    }
    *from = at_least(*from, b->room_from);
    return true;
}

static bool bank_word_in(struct sim *sim, struct actor *a, struct bank *b) {
    int64_t at = b->last + 1, g = (int64_t)b->group.count;
    if (!inputs_ready(&b->in, false, &at) || !step_ready(sim, a, b, &at) || !bank_room(a, b, &at)) return false;
    if (g >= a->c.banks.banks) {
        if (b->group.items[g - a->c.banks.banks].released < 0) return false;
        at = at_least(at, b->group.items[g - a->c.banks.banks].released - a->c.banks.enter);
    }
    uint8_t mark = edge_mark(b->in.edge[0]);
    inputs_take(sim, &b->in, false, mark, at);
    b->last = at;
    b->tokens += b->rows == 0;
    b->words++;
    b->in_all++;
    if (!(mark & MARK_TOK_LAST)) return true;
    b->rows++;
    if (mark & MARK_LAST && b->step) b->steps--;
    if (!(mark & MARK_LAST) && b->rows != a->c.banks.rows) return true;
    VEC_PUSH(sim->arena, b->group,
             (struct group){b->rows, b->tokens, b->words, at + a->c.banks.enter + a->c.banks.ready, -1,
                            (mark & MARK_LAST) != 0});
    b->rows = b->tokens = b->words = 0;
    return true;
}

static bool held_word_in(struct sim *sim, const struct actor *a, struct held *h) {
    int64_t at = h->last + 1, f = (int64_t)h->ready.count - a->c.banks.banks; // that gives up its place
    if (!h->edge || !edge_waiting(h->edge) || f >= (int64_t)h->released.count) return false;
    at = at_least(at, edge_avail(h->edge));
    if (f >= 0) at = at_least(at, h->released.items[f]);
    uint8_t mark = edge_mark(h->edge);
    edge_take(sim, h->edge, at);
    h->last = at;
    if (mark & MARK_LAST) VEC_PUSH(sim->arena, h->ready, at + 1);
    return true;
}

static bool held_ready(const struct held *h, int64_t *from) {
    if (!h->edge) return true;
    if (h->released.count >= h->ready.count) return false;
    *from = at_least(*from, h->ready.items[h->released.count]);
    return true;
}

// Units of a firing are made even: one of zeros follows the last group of a token.
static bool needs_pad(const struct actor *a, const struct bank *b, const struct group *g, bool closes) {
    return a->c.banks.pads && closes && (b->odd ^ (div_up(g->rows, a->c.banks.pack) % 2 != 0));
}

static bool firing_closes(const struct actor *a, const struct bank *b, const struct group *g) {
    if (a->c.banks.pads) return g->last || (a->c.banks.groups && b->fired == a->c.banks.groups - 1);
    if (a->c.banks.groups) return b->fired == a->c.banks.groups - 1;
    return g->last;
}

// Room for a firing's scalars: those that began so far must have left but for `times` - 1 firings.
static bool scalar_room(const struct actor *a, const struct bank *b, int64_t *from) {
    if (!b->scalar || b->row || b->token) return true;
    int64_t need = b->started - (a->c.banks.softmax.kept - 1) * kernel_tokens(a->k);
    if (need <= 0) return true;
    if (b->scalar->puts < need) return false;
    *from = at_least(*from, b->scalar->put[need - 1] + 1);
    return true;
}

static void group_end(const struct actor *a, struct bank *b, struct group *g, bool closes, int64_t at) {
    b->odd = a->c.banks.pads && !closes && (b->odd ^ (div_up(g->rows, a->c.banks.pack) % 2 != 0));
    b->fired = closes ? 0 : b->fired + 1;
    g->released = at + a->c.banks.release;
    b->row = b->token = 0;
    b->reading++;
}

// Goes on to the next word of the group; true when there is none.
static bool bank_step(const struct actor *a, struct bank *b, const struct group *g, int64_t rows) {
    if (!a->c.banks.by_token) {
        if (++b->token == g->tokens) b->token = 0, b->row++;
        return b->row == g->rows;
    }
    if (++b->row == rows) b->row = 0, b->token++;
    return b->token == g->tokens;
}

// Scalars leave a fixed time after their token's last word.
static void pay_scalars(struct sim *sim, const struct actor *a, struct bank *b) {
    for (; b->paid < (int64_t)b->owed.count && b->owed.items[b->paid].word < b->out->puts; b->paid++) {
        const struct owed *o = &b->owed.items[b->paid];
        int64_t room, offer = b->out->put[o->word] + a->c.banks.softmax.behind;
        if (!edge_room(b->scalar, &room)) return;
        edge_put(sim, b->scalar, offer, at_least(offer, room), o->last_token ? MARK_LAST | MARK_TOK_LAST : 0);
    }
}

static bool bank_word_out(struct sim *sim, struct actor *a, struct bank *b) {
    if (b->reading >= (int64_t)b->group.count) return false;
    struct group *g = &b->group.items[b->reading];
    int64_t from = at_least(g->ready, b->next), at;
    bool closes = firing_closes(a, b, g), tok_last = b->token == g->tokens - 1;
    if (!inputs_ready(&b->beside, false, &from) || !held_ready(&b->held, &from) || !scalar_room(a, b, &from))
        return false;
    if (!stage_enter(sim, &b->stage, b->out, from, &at)) return false;
    int64_t rows = g->rows + (a->c.banks.by_token && needs_pad(a, b, g, closes));
    bool whole =
        b->row == g->rows || b->row == g->rows - 1 || a->c.banks.pack == 1 || (b->row + 1) % a->c.banks.pack == 0;
    bool end_of_token = a->c.banks.by_token ? b->row == rows - 1 : b->row == g->rows - 1;
    bool last = end_of_token && tok_last && closes;
    inputs_take(sim, &b->beside, false, tok_last ? MARK_TOK_LAST : 0, at);
    if (b->row == 0) b->started++;
    if (whole || !a->c.banks.by_token)
        stage_push(sim, &b->stage, at, (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (last ? MARK_LAST : 0)), true);
    if (end_of_token && b->scalar) VEC_PUSH(sim->arena, b->owed, (struct owed){b->stage.count - 1, tok_last});
    b->next = at + 1;
    if (bank_step(a, b, g, rows)) {
        group_end(a, b, g, closes, at);
        if (closes) VEC_PUSH(sim->arena, b->held.released, at + 1);
    }
    return true;
}

void sim_bank_run(struct sim *sim, struct actor *a) {
    struct bank *b = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (bank_word_in(sim, a, b)) moved = true;
        while (held_word_in(sim, a, &b->held)) moved = true;
        while (bank_word_out(sim, a, b)) moved = true;
        stage_drain(sim, &b->stage, b->out);
        if (b->scalar) pay_scalars(sim, a, b);
    }
}

// ---- argmax ----

struct argmax {
    struct sim_edge *in, *out;
    int64_t last, tokens, sent, offer; // tokens > 0 and offer >= 0: ids leave
    bool first;
};

bool sim_argmax_init(struct sim *sim, struct actor *a) {
    struct argmax *m = a->state = ARENA_NEW(sim->arena, struct argmax);
    *m = (struct argmax){sim_in(sim, a, IR_ROLE_X), sim_out(sim, a, IR_ROLE_ID), -1, 0, 0, -1, true};
    return m->in && m->out;
}

static bool argmax_ids(struct sim *sim, struct argmax *m) {
    int64_t room;
    if (!edge_room(m->out, &room)) return false;
    bool last = ++m->sent == m->tokens;
    edge_put(sim, m->out, m->offer, at_least(m->offer, room), last ? MARK_LAST | MARK_TOK_LAST : 0);
    m->last = at_least(m->offer, room);
    m->offer = last ? -1 : m->last + 1;
    if (last) m->tokens = m->sent = 0, m->first = true;
    return true;
}

void sim_argmax_run(struct sim *sim, struct actor *a) {
    struct argmax *m = a->state;
    for (;;) {
        if (m->offer >= 0) {
            if (!argmax_ids(sim, m)) return;
            continue;
        }
        if (!edge_waiting(m->in)) return;
        int64_t at = at_least(edge_avail(m->in), m->last + 1);
        uint8_t mark = edge_mark(m->in);
        edge_take(sim, m->in, at);
        m->last = at;
        m->tokens += m->first;
        if (mark & MARK_TOK_LAST) m->first = false;
        if (mark & MARK_LAST) m->offer = at + a->c.stages;
    }
}

// ---- the width converter: stages, lines of a row-step each, an output register ----

struct line {
    int64_t chunks, tokens;
    bool last;
};
struct gear {
    struct sim_edge *in, *out;
    struct sim_edge ahead; // lines
    struct stage stage;
    VEC(struct line) line;
    int64_t fill, tokens, row;           // row: of a writer without counts
    int64_t chunk, token, sending, sent; // sending: line; sent: cycle of the last word out
    bool holds;                          // the output register: a word that is offered from `offer` on
    int64_t offer;
    uint8_t mark;
};

bool sim_gear_init(struct sim *sim, struct actor *a) {
    struct gear *g = a->state = ARENA_NEW(sim->arena, struct gear);
    g->in = sim_lane(sim, a, false, IR_NONE);
    g->out = sim_lane(sim, a, true, IR_NONE);
    edge_init(&g->ahead, a->c.gear.lines, IR_NONE, IR_NONE);
    g->ahead.latency = 1;
    g->sent = -1;
    stage_init(sim, &g->stage, a->c.stages);
    return g->in && g->out;
}

static bool gear_in(struct sim *sim, struct actor *a, struct gear *g) {
    int64_t at;
    if (!edge_waiting(g->in) || !stage_enter(sim, &g->stage, &g->ahead, edge_avail(g->in), &at)) return false;
    uint8_t mark = edge_mark(g->in);
    int64_t count = mark >> SIM_COUNT_SHIFT ? mark >> SIM_COUNT_SHIFT : a->c.gear.in;
    if (a->c.gear.last_elements && g->row == a->c.gear.last_words - 1) count = a->c.gear.last_elements;
    edge_take(sim, g->in, at);
    g->tokens++;
    bool last = mark & MARK_LAST, row_end = mark & MARK_TOK_LAST;
    int64_t total = g->fill + count, chunks = total / a->c.gear.out + (last && total % a->c.gear.out);
    if (row_end && chunks) VEC_PUSH(sim->arena, g->line, (struct line){chunks, g->tokens, last});
    stage_push(sim, &g->stage, at, 0, row_end && chunks);
    if (row_end) {
        g->fill = last ? 0 : total % a->c.gear.out;
        g->tokens = 0;
        if (++g->row >= a->c.gear.last_words) g->row = 0;
    }
    return true;
}

// The register is filled again in the cycle in which its word leaves. A line is free when its last word is there,
// whenever that finds room.
static bool gear_fill(struct sim *sim, struct gear *g) {
    if (g->holds || g->sending >= g->ahead.puts) return false;
    const struct line *l = &g->line.items[g->sending];
    int64_t from = at_least(edge_avail(&g->ahead), g->sent);
    bool tok_last = g->token == l->tokens - 1, end = tok_last && g->chunk == l->chunks - 1;
    g->holds = true;
    g->offer = from + 1;
    g->mark = (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (end && l->last ? MARK_LAST : 0));
    if (++g->token == l->tokens) g->token = 0, g->chunk++;
    if (!end) return true;
    edge_take(sim, &g->ahead, from);
    g->chunk = 0;
    g->sending++;
    return true;
}

static bool gear_out(struct sim *sim, struct gear *g) {
    int64_t room;
    if (!g->holds || !edge_room(g->out, &room)) return false;
    g->holds = false;
    g->sent = at_least(g->offer, room);
    edge_put(sim, g->out, g->offer, g->sent, g->mark);
    return true;
}

void sim_gear_run(struct sim *sim, struct actor *a) {
    struct gear *g = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (gear_in(sim, a, g)) moved = true;
        stage_drain(sim, &g->stage, &g->ahead);
        while (gear_fill(sim, g) || gear_out(sim, g)) moved = true;
    }
}
