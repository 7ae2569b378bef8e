// SPDX-License-Identifier: Apache-2.0
// Estimates the cycles of a request from one prompt step and one decode step. Each is from the middle of its part of
// the request and is simulated once, with few layers. This takes less than a hundredth of the time of the forecast.
#include "gen/explore/evaluate.h"
#include "gen/pass/pass.h"

enum { FEW = 2 }; // layers that a step is simulated with; the second one takes as long as each further layer

struct pacing {
    struct ir *ir;
    struct arena *arena;
    int64_t *room; // per edge: the depth of the FIFO that the runs so far have needed, in words
    bool safe;     // the design has safe depths
};

static void take_room(struct pacing *p, const struct timing_result *r) {
    for (int e = 0; e < p->ir->edges; e++) p->room[e] = at_least(p->room[e], r->edge[e].room);
}

// Returns the cycle in which a step ends. The simulation of a prompt step ends as soon as the next step may begin, when
// some products of the simulated step are not complete yet. So the step's end is the last command of an engine if that
// is later.
static double end_of(const struct ir *ir, const struct timing_result *r) {
    int64_t end = r->cycles;
    for (int e = 0; e < ir->engines; e++) end = at_least(end, r->turn[e].last_command);
    return (double)end;
}

struct stretch { // cycles of a step, and those of all its layers together
    double all, layers;
};

// Returns the cycles of a layer that the run left out, or of one that it simulated after the first one. The first layer
// takes longer than others that are like it, because nothing was read ahead for it. So its time is not used.
static int64_t layer_cycles(const struct ir *ir, const struct timing_result *r, const struct timing_turn *turn,
                            int64_t layer) {
    int64_t last = timing_layer_like(ir, layer, r->layers) - (r->layers - turn->rounds);
    last = at_least(at_most(last, turn->rounds - 1), 1);
    return turn->round[last] - turn->round[last - 1];
}

// Adds the layers that the run left out to the cycles of its step. Returns false if the time of a layer is not known,
// because the engine has simulated less than two.
static bool stretch(const struct ir *ir, const struct timing_result *r, struct stretch *s) {
    const struct timing_turn *turn = &r->turn[0];
    for (int e = 1; e < ir->engines; e++)
        if (r->turn[e].last_command > turn->last_command) turn = &r->turn[e];
    *s = (struct stretch){end_of(ir, r), 0};
    if (!r->left_out) return true;
    if (turn->rounds < 2) return false;
    for (int64_t l = 0; l < r->layers + r->left_out; l++) {
        double cycles = (double)layer_cycles(ir, r, turn, l);
        s->layers += cycles;
        if (l >= r->layers) s->all += cycles;
    }
    return true;
}

// Simulates one step with this number of layers (0: all), and notes the depths of FIFOs that it needs. Returns false if
// a kernel has no contract, the streams deadlock or the step cannot be extrapolated to all layers.
static bool run(struct pacing *p, const struct timing_step *step, int64_t layers, struct stretch *s) {
    struct timing_options o = {
        .step = step, .steps = 1, .bounded = p->safe, .layers = layers, .memory = timing_memory(&p->ir->design)};
    const char *missing;
    struct arena_mark mark = arena_mark(p->arena);
    struct timing_result *r = timing_simulate(p->arena, p->ir, &o, &missing);
    bool ok = r && !r->stuck && stretch(p->ir, r, s);
    if (ok) take_room(p, r);
    arena_release(p->arena, mark);
    return ok;
}

// Estimates the cycles of a step. Simulates all layers if few layers are not enough to estimate them.
static bool pace(struct pacing *p, const struct timing_step *step, struct stretch *s) {
    return run(p, step, FEW, s) || run(p, step, 0, s);
}

// Sets the depths that the steps need, unless the design has safe depths.
static void set_depths(struct pacing *p) {
    enum { LEAST = 2 }; // words of the smallest FIFO
    for (int e = 0; !p->safe && e < p->ir->edges; e++) p->ir->edge[e].depth = at_least(p->room[e], LEAST);
}

bool explore_pace(const struct explore *x, struct ir *ir, struct arena *arena, struct explore_pace *out) {
    struct pacing p = {ir, arena, ARENA_ARRAY(arena, int64_t, (size_t)ir->edges + 1), ir->design.fifo == SPEC_SAFE};
    int64_t decodes = ir->design.is_lm ? x->tokens - 1 : 0;
    int64_t tokens = at_most(ir->design.tokens, x->prompt), steps = div_up(x->prompt, tokens);
    struct timing_step prompt = timing_step_at(x->prompt / 2 / tokens * tokens, tokens, !ir->design.is_lm);
    struct timing_step decode = timing_step_at(x->prompt + decodes / 2, 1, true);
    struct stretch of_prompt, of_decode = {0, 0};
    if (prompt.pos + tokens > x->prompt) prompt.pos = x->prompt - tokens;
    pass_safe_depths(ir);
    if (!pace(&p, &prompt, &of_prompt) || (ir->design.is_lm && !pace(&p, &decode, &of_decode))) return false;
    // Cycles outside the layers, such as those of the head after the last step of the prompt.
    double head = of_decode.layers > 0 ? of_decode.all - of_decode.layers : 0;
    *out = (struct explore_pace){of_prompt.all * (double)steps + head, of_decode.all * (double)decodes};
    set_depths(&p);
    return true;
}
