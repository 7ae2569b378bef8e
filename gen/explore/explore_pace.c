// SPDX-License-Identifier: Apache-2.0
// Estimates the cycles of a request from one prompt step and one decode step. Each is from the middle of its part of
// the request and is simulated with few layers. This takes about a hundredth of the time of the forecast.
#include "gen/explore/evaluate.h"
#include "gen/pass/pass.h"

enum { FEW = 2, MORE = 3 }; // layers of the two runs of a step, which give the cycles of one layer

struct pacing {
    struct ir *ir;
    struct arena *arena;
    int64_t *room; // per edge: the depth of the FIFO that the runs so far have needed, in words
    bool safe;     // the design has safe depths
};

// Returns how often the layer repeats; 0 unless exactly one region repeats, and more than MORE times.
static int64_t layers_of(const struct ir *ir) {
    int64_t layers = 0;
    int repeated = 0;
    for (int r = 0; r < ir->regions; r++)
        if (ir->region[r].repeat > 1) repeated++, layers = ir->region[r].repeat;
    return repeated == 1 && layers > MORE ? layers : 0;
}

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

// Returns the cycles of one step with this number of layers (0: all), and notes the depths of FIFOs that it needs.
// Returns -1 if a kernel has no contract or the streams deadlock.
static double run(struct pacing *p, const struct timing_step *step, int64_t layers) {
    struct timing_options o = {
        .step = step, .steps = 1, .bounded = p->safe, .layers = layers, .memory = timing_memory(&p->ir->design)};
    const char *missing;
    struct arena_mark mark = arena_mark(p->arena);
    struct timing_result *r = timing_simulate(p->arena, p->ir, &o, &missing);
    double cycles = r && !r->stuck ? end_of(p->ir, r) : -1;
    if (cycles >= 0) take_room(p, r);
    arena_release(p->arena, mark);
    return cycles;
}

struct stretch { // cycles of a step: of the whole step, and of one layer
    double all, layer;
};

// Runs the step with FEW and with MORE layers and extrapolates to all layers. `all` is -1 if this fails.
static struct stretch stretch_of(struct pacing *p, const struct timing_step *step, int64_t layers) {
    double few = run(p, step, layers ? FEW : 0), more = layers && few >= 0 ? run(p, step, MORE) : few;
    if (more < 0) return (struct stretch){-1, 0};
    return (struct stretch){few + (more - few) * (double)(layers ? layers - FEW : 0), more - few};
}

// Sets the depths that the steps need, unless the design has safe depths.
static void set_depths(struct pacing *p) {
    enum { LEAST = 2 }; // words of the smallest FIFO
    for (int e = 0; !p->safe && e < p->ir->edges; e++) p->ir->edge[e].depth = at_least(p->room[e], LEAST);
}

bool explore_pace(const struct explore *x, struct ir *ir, struct arena *arena, struct explore_pace *out) {
    struct pacing p = {ir, arena, ARENA_ARRAY(arena, int64_t, (size_t)ir->edges + 1), ir->design.fifo == SPEC_SAFE};
    int64_t layers = layers_of(ir), decodes = ir->design.is_lm ? x->tokens - 1 : 0;
    int64_t tokens = at_most(ir->design.tokens, x->prompt), steps = div_up(x->prompt, tokens);
    struct timing_step prompt = timing_step_at(x->prompt / 2 / tokens * tokens, tokens, !ir->design.is_lm);
    struct timing_step decode = timing_step_at(x->prompt + decodes / 2, 1, true);
    if (prompt.pos + tokens > x->prompt) prompt.pos = x->prompt - tokens;
    pass_safe_depths(ir);
    struct stretch of_prompt = stretch_of(&p, &prompt, layers),
                   of_decode = ir->design.is_lm ? stretch_of(&p, &decode, layers) : (struct stretch){0, 0};
    if (of_prompt.all < 0 || of_decode.all < 0) return false;
    // Cycles outside the layers, such as those of the head after the last step of the prompt.
    double head = of_decode.all - of_decode.layer * (double)layers;
    *out = (struct explore_pace){of_prompt.all * (double)steps + (layers ? head : 0), of_decode.all * (double)decodes};
    set_depths(&p);
    return true;
}
