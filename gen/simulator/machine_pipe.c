// SPDX-License-Identifier: Apache-2.0
// Timing model of pipelines. A pipeline makes each output word from the words of all inputs that belong to it
// (machine_inputs.h), in stages that stall together. Most vector kernels are pipelines.
#include "gen/simulator/machine_inputs.h"
#include "gen/simulator/machines.h"

// Words that a register slice (rill_register_slice in mode 2) holds before an input of the stages.
enum { SLICE_WORDS = 2 };
struct slice {                    // register slice in front of an operand
    struct sim_edge *from, words; // the stream before the slice; the words that the slice holds
};

struct pipe {
    struct inputs in;
    struct slice slice[MAX_INPUTS];
    int slices;
    struct sim_edge *out;
    struct sim_steps steps;
    struct stage stage;
    bool inside;    // a firing has begun
    int64_t firing; // input firings (in pass_through: rows) in the present output firing so far
};

// Puts a register slice between each input stream and the stages.
static void open_slices(struct pipe *p) {
    for (p->slices = 0; p->slices < p->in.count; p->slices++) {
        struct slice *s = &p->slice[p->slices];
        s->from = p->in.edge[p->slices];
        edge_init(&s->words, SLICE_WORDS, IR_NONE, IR_NONE);
        p->in.edge[p->slices] = &s->words;
    }
}

// Moves words from a stream into its register slice, as far as their times are known.
static void fill_slice(struct sim *sim, struct slice *s) {
    for (int64_t room; edge_waiting(s->from) && edge_room(&s->words, &room);) {
        int64_t at = at_least(edge_avail(s->from), room);
        uint8_t mark = edge_mark(s->from);
        edge_take(sim, s->from, at);
        edge_put(sim, &s->words, at, at, mark);
        sim->words--; // the FIFO already counted this word
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

// Passes a word through a kernel without stages, in the cycle in which the word is taken. Returns false while it is not
// known from which cycle the output has room.
static bool pass_through(struct sim *sim, const struct actor *a, struct pipe *p, int64_t from) {
    int64_t room;
    if (!edge_room(p->out, &room)) return false;
    uint8_t mark = edge_mark(p->in.edge[0]);
    if (a->c.pipe.rows) { // the output's firings have another length than the input's
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

// Takes words of all inputs and sends the word made from them through the stages. If `firings` input firings make one
// output firing, only the last input firing ends the output firing.
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
