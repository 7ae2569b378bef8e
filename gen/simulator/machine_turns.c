// SPDX-License-Identifier: Apache-2.0
// Timing model of kernels that alternate between two inputs (rill_concat): they take a number of words from one input,
// then a number of words from the other one. All stages stall together.
#include "gen/simulator/machine_inputs.h"
#include "gen/simulator/machines.h"

struct turns {
    struct inputs in;
    struct sim_edge *out;
    struct stage stage;
    int64_t row; // words of each token taken in the present turn
    int side;    // input of the present turn
};

bool sim_turns_init(struct sim *sim, struct actor *a) {
    struct turns *t = a->state = ARENA_NEW(sim->arena, struct turns);
    inputs_init(sim, a, &t->in);
    t->out = only_output(sim, a);
    stage_init(sim, &t->stage, a->c.stages);
    return t->in.count == 2 && t->out;
}

// Takes words until the input of the present turn has none, or until the cycle in which the next word enters the stages
// is not known yet, because the reader of the output has not gone far enough. stage_enter has then already sent all
// words that can leave. The simulator calls this function again after a change of one of the streams.
void sim_turns_run(struct sim *sim, struct actor *a) {
    struct turns *t = a->state;
    for (;;) {
        struct sim_edge *from = t->in.edge[t->side];
        int64_t at;
        if (!edge_waiting(from)) break;
        if (!stage_enter(sim, &t->stage, t->out, edge_avail(from), &at)) return;
        uint8_t mark = edge_mark(from);
        edge_take(sim, from, at);
        // MARK_TOK_LAST, the end of a row (a word of each token), is passed on from both inputs. MARK_LAST, the end of
        // a firing, is passed on only from the second one, because the output firing ends with it.
        stage_push(sim, &t->stage, at, t->side ? mark & (MARK_LAST | MARK_TOK_LAST) : mark & MARK_TOK_LAST, true);
        if (!(mark & MARK_TOK_LAST) || ++t->row < a->c.turns.words[t->side]) continue;
        t->row = 0;
        t->side = !t->side;
    }
    stage_drain(sim, &t->stage, t->out);
}
