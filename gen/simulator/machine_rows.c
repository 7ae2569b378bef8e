// SPDX-License-Identifier: Apache-2.0
// Timing models of the kernels that read a graph's input rows from memory before the rows' step begins, and that write
// the graph's output rows to memory.
#include "gen/kernel/kernel.h"
#include "gen/simulator/machines.h"

// ---- reader: requests the rows of a step ahead, stores a group's beats in one of two banks, and sends its words ----

struct rows {
    struct sim_edge *step, *out;
    struct sim_client *client;
    struct stage stage;
    int64_t offset, row_bytes; // bytes from the channel's base to row 0; bytes of a row
    int64_t groups;            // groups per row; a group is read by one burst
    // Requests, one for each group of each token.
    bool inside;          // a step word is held
    int64_t described;    // cycle of the last request
    int64_t from;         // first cycle for requests of the present step
    int64_t group, token; // next request
    // Beats.
    // Per group: first cycle in which its words may leave, and cycle in which its last word left.
    VEC(int64_t) full, drained;
    int64_t beats; // beats of the present group that have arrived
    // Words.
    int64_t row, word_token; // next word: its number in the row, and its token
    int64_t next;            // first cycle for this word
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

// Takes the next step word unless one is held. Returns false if there is none.
static bool rows_step(const struct actor *a, struct sim *sim, struct rows *r) {
    if (r->inside) return true;
    if (!edge_waiting(r->step)) return false;
    int64_t at = at_least(edge_avail(r->step), r->described + 1);
    edge_take(sim, r->step, at);
    r->from = at + a->c.rows.ask;
    return r->inside = true;
}

// Requests the next group, in the order: for each group, all tokens of the step. Returns false if no step word is held,
// or if the cycle of the request is not known.
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

// Returns the tokens of the step to which a group belongs. group: index over all steps.
static int64_t tokens_of(const struct sim *sim, const struct rows *r, size_t group) {
    return sim->options->step[(int64_t)group / r->groups].ntok;
}

// Takes the next beat into one of the two banks. Returns false if none can be taken yet.
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

// Sends the next word of the oldest full bank. Returns false if there is none, or if it is not known from which cycle
// the stream has room.
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

// ---- writer: writes rows to memory, with one descriptor for each group of a token ----

struct writer {
    struct sim_edge *in;
    struct sim_client *client;
    int64_t offset, row_bytes; // bytes from the channel's base to row 0; bytes of a row
    int64_t pos;               // position of the step's first row, counted from 0
    int64_t row, token;        // next word
    // Cycle in which the write engine took the last beat of the previous group. From then on, the last word of the next
    // group can be taken.
    int64_t clear;
    int64_t left, from; // beats of the group still to be handed over; first cycle for them
    bool ask;           // the group's descriptor is still to be handed over
    int64_t asks;       // first cycle for the descriptor
    int64_t address;    // address of the group
};

bool sim_writer_init(struct sim *sim, struct actor *a) {
    struct writer *w = a->state = ARENA_NEW(sim->arena, struct writer);
    w->in = sim_in(sim, a, IR_ROLE_Y);
    w->client = client_open(sim, a, true);
    w->offset = kernel_offset(a->k);
    w->row_bytes = div_up(a->c.rows.rows, a->c.rows.group) * group_bytes(sim, a);
    return w->in && w->client;
}

// Hands over the remaining beats of the present group. Returns false until the write engine has its last beat.
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

// Advances to the next word of the firing, or to the first one of the next firing.
static void writer_next(struct writer *w, uint8_t mark) {
    w->token++;
    if (!(mark & MARK_TOK_LAST)) return;
    bool last = mark & MARK_LAST;
    if (last) w->pos += w->token;
    w->row = last ? 0 : w->row + 1;
    w->token = 0;
}

// Takes words as they arrive. The last word of a group starts the write of the group. This word waits until the write
// engine has taken all beats of the previous group.
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
