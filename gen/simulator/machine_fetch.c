// SPDX-License-Identifier: Apache-2.0
// Timing model of kernels that fetch rows of a table in memory by token id (embedding) or by position. Such a kernel
// requests one row after another and buffers them until all rows of a firing have arrived. All times are cycles of the
// core clock.
#include "gen/kernel/kernel.h"
#include "gen/simulator/machines.h"

struct fetch {
    struct sim_edge *in, *out;
    struct sim_client *client;
    // The table that is read. Its rows may be distributed over several channels. Only one channel is simulated, because
    // each of these channels gets equally many additional reads.
    struct kernel_table table;
    struct stage stage;     // output pipeline
    int64_t free;           // first cycle in which the kernel can take the next id or step word
    int64_t tokens;         // rows requested in this firing
    int64_t more;           // rows still to be requested for the ids that were taken
    int64_t from;           // first cycle for the next request
    bool last;              // the ids taken include the last one of the firing
    int64_t left;           // words of the firing in the buffer that are still to be sent
    int64_t token;          // token of the next word
    int64_t next;           // first cycle in which the next word can be read from the buffer; 0: none can yet
    int64_t beats;          // beats of this firing that have arrived
    int64_t step;           // present step
    int64_t fired, firings; // firings of this step that are done, and firings of a step
    bool of_loop;           // the ids are prompt or generated tokens, not values computed in the graph
};

// Returns whether the ids of this stream come from the token loop, possibly through forks.
static bool is_of_loop(struct sim *sim, const struct sim_edge *e) {
    for (int n = 0; e && n < sim->ir->kernels; n++) {
        const struct actor *a = &sim->actor[e->writer];
        if (a->c.machine != TIMING_FORK) return a->c.machine == TIMING_LOOP || a->c.machine == TIMING_SLOTS;
        e = sim_lane(sim, a, false, IR_NONE);
    }
    return false;
}

static const struct ir_region *region_of(const struct sim *sim, const struct actor *a) {
    return a->k->node == IR_NONE ? NULL : &sim->ir->region[sim->ir->node[a->k->node].region];
}

// Advances to the next step in which the kernel fires. If it fires in the present step, this step remains.
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

enum { ANY_ID = 7919 /* distance between assumed ids where ids are unknown, so that their rows are far apart */ };

// Returns the table's row for a position of the request: the position itself, the id at this position, or an assumed
// id.
static int64_t row_at(const struct sim *sim, const struct fetch *f, const struct actor *a, int64_t pos) {
    if (a->c.machine == TIMING_POSITION) return pos;
    return f->of_loop && pos < sim->options->ids ? sim->options->id[pos] : (pos + 1) * ANY_ID;
}

// Requests the next row. Returns false if no row is to be requested, or if its cycle is not known.
static bool ask_row(struct sim *sim, struct fetch *f, const struct actor *a) {
    int64_t room;
    if (!f->more || f->step == sim->options->steps || !client_room(f->client, &room)) return false;
    int64_t row = row_at(sim, f, a, sim->options->step[f->step].pos + f->tokens), at = at_least(f->from, room);
    const struct kernel_table *t = &f->table;
    // Row r is stored on channel r mod parts, as row r / parts there.
    client_ask(sim, f->client, at, t->offset + row % t->rows / t->parts * t->row_bytes, a->c.fetch.beats);
    f->from = at + a->c.fetch.ask_next;
    f->tokens++;
    if (--f->more == 0) f->free = f->from;
    return true;
}

// Takes the next id (embedding) or step word (positions). Returns false if none has arrived, if rows for the previous
// id or step word are still to be requested, or if the firing's last id was taken and its rows are still arriving.
static bool fetch_in(struct sim *sim, const struct actor *a, struct fetch *f) {
    if (f->more || f->last || !edge_waiting(f->in)) return false;
    int64_t at = at_least(edge_avail(f->in), f->free);
    f->last = edge_mark(f->in) & MARK_LAST;
    f->more = a->c.machine == TIMING_EMBED ? 1 : sim->options->step[f->in->takes].ntok;
    f->from = at + a->c.fetch.ask;
    edge_take(sim, f->in, at);
    return true;
}

// Takes the next beat of the requested rows. Returns false if none has arrived.
static bool fetch_beat(struct sim *sim, struct fetch *f) {
    int64_t at;
    if (!client_beat(f->client, &at)) return false;
    client_take(sim, f->client, at);
    f->beats++;
    return true;
}

// If all rows of the firing have arrived, begins to send them and advances to the next firing, or to the next step in
// which the kernel fires. Returns false if rows are missing, or if no firing is complete.
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

// Sends the next word of the buffered rows. Their order is: for each place in a row, the words of all tokens. Returns
// false while the cycle of the word is not known.
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
        if (f->left || f->stage.sent < f->stage.count) return; // the last word must leave before the next request
        if (f->tokens && f->next) {
            f->free = at_least(f->free, f->out->put[f->out->puts - 1] + 1);
            f->tokens = f->next = 0;
        }
    } while (fetch_in(sim, a, f));
}
