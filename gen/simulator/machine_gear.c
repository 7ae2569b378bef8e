// SPDX-License-Identifier: Apache-2.0
// Timing model of width converters, which turn words of some number of elements into words of another number. The
// converter has stages, a number of lines, each of which holds a row-step that waits for the output, and an output
// register.
#include "gen/kernel/kernel.h"
#include "gen/simulator/machine_inputs.h"
#include "gen/simulator/machines.h"

struct line {               // a row-step that waits for the output
    int64_t chunks, tokens; // output words to send per token, and tokens
    bool last;              // the line ends a firing
};
struct gear {
    struct sim_edge *in, *out;
    struct sim_edge ahead; // lines between the stages and the output
    struct stage stage;
    VEC(struct line) line; // all lines so far
    int64_t fill;          // elements per token that are left from earlier row-steps
    int64_t tokens;        // words of the present row-step so far
    int64_t row;           // row-step of the firing; used if the contract has last_elements
    int64_t sending;       // index of the line that is sent
    int64_t chunk, token;  // next output word of that line: its number, and its token
    int64_t sent;          // cycle of the last word out
    bool holds;            // the output register holds a word with `mark`, which is offered from cycle `offer` on
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

// Takes a word. If it is the last word of a row-step that completes output words, the row-step becomes a line when this
// word leaves the stages. All other words only occupy their stages. Returns false if no word can be taken yet.
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

// Fills the output register, which can be filled again in the cycle in which its word leaves. A line is free as soon as
// its last word is in the register, even if this word must wait there.
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

// Sends the word in the output register. Returns false if there is none, or if it is not known from which cycle the
// stream has room.
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
