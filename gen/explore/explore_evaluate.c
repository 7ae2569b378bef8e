// SPDX-License-Identifier: Apache-2.0
// Evaluates a point at one of the levels of explore.h, with the passes of the compiler, the cost model and the
// forecast. Each evaluation has a separate arena, which it frees.
#include <stdlib.h>
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/explore/evaluate.h"
#include "gen/pass/pass.h"
#include "gen/report/design_report.h"

struct evaluation {
    const struct explore *x;
    struct arena arena;
    struct diag diag; // prints into `said`
    char *said;
    size_t len;
    struct rill_spec *spec;
    struct ir *ir;
    int pass; // the next pass to run
};

// Reads the spec with the point's values, as if it were in the file.
static bool make_spec(struct evaluation *e, const struct explore_point *p) {
    struct text text = {0};
    explore_spec_text(e->x, p, NULL, &text);
    char *copy = arena_strndup(&e->arena, text_cstr(&text), text.len);
    e->spec = rill_spec_read_bytes(e->x->path, copy, text.len, &e->arena, &e->diag);
    text_free(&text);
    return e->spec != NULL;
}

// Runs the passes that come before the pass `before` (NULL: all that are left). Returns false after an error.
static bool run_passes(struct evaluation *e, const char *before) {
    for (; pass_table[e->pass].name && (!before || strcmp(pass_table[e->pass].name, before) != 0); e->pass++)
        if (!pass_run(e->pass, e->ir, e->spec, &e->diag)) return false;
    return true;
}

// Copies the text of the first error or warning into `words`, without its location and its id. mark: `error: ` or
// `warning: `.
static void take_message(struct evaluation *e, const char *mark, char words[EXPLORE_WORDS]) {
    fflush(e->diag.out);
    const char *at = e->said ? strstr(e->said, mark) : NULL;
    at = at ? at + strlen(mark) : "";
    const char *end = strstr(at, " [");
    size_t line = strcspn(at, "\n"), len = end && (size_t)(end - at) < line ? (size_t)(end - at) : line;
    snprintf(words, EXPLORE_WORDS, "%.*s", (int)at_most((int64_t)len, EXPLORE_WORDS - 1), at);
}

// ---- bounds ----

// Sets bounds that exclude nothing.
static void worst_bounds(double bound[EXPLORE_METRICS]) {
    for (int m = 0; m < EXPLORE_METRICS; m++) bound[m] = explore_metric[m].up ? 1e300 : 0;
}

// Adds a lower bound of a kernel's resources: for each resource, the least that the kernel takes with any kind of
// memory, because allocate-memories has not chosen the kind yet. now: the kernel's resources without a chosen kind.
static void add_least(const struct ir *ir, int kernel, const struct cost_resources *now, struct cost_resources *sum) {
    static const enum ram_style styles[] = {RAM_DISTRIBUTED, RAM_BLOCK, RAM_ULTRA};
    struct cost_memory shape;
    struct cost_resources least = *now;
    for (size_t s = 0; kernel_memory(&ir->kernel[kernel], &shape) && s < COUNT_OF(styles); s++) {
        struct cost_resources one = cost_kernel_as(ir, kernel, styles[s]);
        least.lut = at_most(least.lut, one.lut);
        least.ff = at_most(least.ff, one.ff);
        least.bram18 = at_most(least.bram18, one.bram18);
        least.uram = at_most(least.uram, one.uram);
    }
    cost_add(sum, &least, 1);
}

// Lowers each amount to that of `one` if this is less.
static void lower(struct cost_resources *least, const struct cost_resources *one) {
    least->lut = at_most(least->lut, one->lut);
    least->ff = at_most(least->ff, one->ff);
    least->bram18 = at_most(least->bram18, one->bram18);
    least->uram = at_most(least->uram, one->uram);
}

// Calculates the least that kernels and DMA engines take, before depths and dies are known. FIFOs count as nothing,
// because later passes choose their depths and memories.
static struct cost_resources least_resources(struct ir *ir) {
    static const enum ram_style styles[] = {RAM_DISTRIBUTED, RAM_BLOCK, RAM_ULTRA};
    struct cost_design cost = cost_design(ir);
    struct cost_resources sum = {0}, memory = cost.memory;
    for (int k = 0; k < ir->kernels; k++) add_least(ir, k, &cost.kernel[k], &sum);
    for (size_t s = 0; s < COUNT_OF(styles); s++) {
        for (int e = 0; e < ir->engines; e++) ir->engine[e].prefetch_style = styles[s];
        struct cost_resources one = cost_design(ir).memory;
        lower(&memory, &one);
    }
    for (int e = 0; e < ir->engines; e++) ir->engine[e].prefetch_style = RAM_AUTO;
    cost_add(&sum, &memory, 1);
    return sum;
}

static void set_resources(const struct cost_resources *r, double value[EXPLORE_METRICS]) {
    value[EXPLORE_LUT] = (double)r->lut;
    value[EXPLORE_FF] = (double)r->ff;
    value[EXPLORE_DSP] = (double)r->dsp;
    value[EXPLORE_BRAM36] = (double)r->bram18 / 2;
    value[EXPLORE_URAM] = (double)r->uram;
}

// Returns the resources that the design may take on all dies together. If it is not divided over dies (`dies`), these
// are the resources of the die with the memory ports, because then no pass considers the wires between dies.
static struct cost_resources room_of(const struct ir *ir) {
    struct cost_resources room = {0};
    if (ir->design.dies < 2 && ir->dies > 1) return cost_room(ir, cost_memory_die(ir));
    for (int d = 0; d < ir->dies; d++) {
        struct cost_resources of = cost_room(ir, d);
        cost_add(&room, &of, 1);
    }
    return room;
}

static double ratio(int64_t use, int64_t have) { return have > 0 ? (double)use / (double)have : use > 0 ? 1e6 : 0; }

// Returns the share of the available amount that is used, for the resource of which the largest share is used. *which:
// name of this resource.
static double largest_share(const struct cost_resources *use, const struct cost_resources *have, const char **which) {
    const struct {
        const char *name;
        double share;
    } of[] = {{"LUTs", ratio(use->lut, have->lut)},
              {"flip-flops", ratio(use->ff, have->ff)},
              {"DSPs", ratio(use->dsp, have->dsp)},
              {"block RAMs", ratio(use->bram18, have->bram18)},
              {"UltraRAMs", ratio(use->uram, have->uram)}};
    size_t best = 0;
    for (size_t i = 1; i < COUNT_OF(of); i++)
        if (of[i].share > of[best].share) best = i;
    *which = of[best].name;
    return of[best].share;
}

// Returns the figure `accuracy`: the bits of the weights' coarsest format (4.5 for int4_asym) plus the bits of the
// activations' mantissas.
static double accuracy_of(const struct ir *ir) {
    static const double bits[SPEC_FORMATS] = {[SPEC_INT8] = 8, [SPEC_INT4] = 4, [SPEC_INT4_ASYM] = 4.5};
    struct cost_formats f = cost_formats(ir);
    double least = bits[SPEC_INT8];
    for (int i = 0; i < f.rows; i++)
        if (f.row[i].holder == COST_PRODUCTS && bits[f.row[i].coding] < least) least = bits[f.row[i].coding];
    return least + spec_mantissa_bits(ir->design.activations);
}

static double cycles_ms(const struct ir *ir, double cycles) { return cycles / (ir->design.clock_mhz * 1e3); }
static double per_second(const struct ir *ir, double tokens, double cycles) {
    return cycles > 0 ? tokens * ir->design.clock_mhz * 1e6 / cycles : 0;
}

// Sets the times and the speed of a request from the cycles of its prompt and of its decode steps. A design without
// decode steps has the speed of the prompt.
static void set_times(const struct explore *x, const struct ir *ir, double prefill, double decode, double value[]) {
    int64_t decodes = ir->design.is_lm ? x->tokens - 1 : 0;
    value[EXPLORE_TTFT_MS] = cycles_ms(ir, prefill);
    value[EXPLORE_LATENCY_MS] = cycles_ms(ir, prefill + decode);
    value[EXPLORE_TOKENS_S] =
        decodes ? per_second(ir, (double)decodes, decode) : per_second(ir, (double)x->prompt, prefill);
}

// Sets the bounds of a point: times from the lower bound of a request, resources from the least that the design takes.
static void set_bounds(const struct explore *x, struct ir *ir, struct explore_result *r) {
    enum { GROUPS = 8 }; // groups of decode steps for the bound
    struct cost_bound prefill, decode;
    struct cost_resources least = least_resources(ir), room = room_of(ir);
    const char *which;
    worst_bounds(r->bound);
    timing_request_bounds(ir, x->prompt, x->tokens, GROUPS, &prefill, &decode);
    set_times(x, ir, (double)prefill.cycles, (double)decode.cycles, r->bound);
    set_resources(&least, r->bound);
    double idle = ir->design.figures.power.idle_high_w;
    r->bound[EXPLORE_POWER_W] = idle;
    if (idle > 0) r->bound[EXPLORE_TOKENS_J] = r->bound[EXPLORE_TOKENS_S] / idle;
    r->bound[EXPLORE_ACCURACY] = accuracy_of(ir);
    double share = ir->dies ? largest_share(&least, &room, &which) : 0;
    r->bound[EXPLORE_FILL] = 0; // the fill of a die has no such bound, because one die may take less than the average
    r->fits = share <= 1;
    r->beyond = share > 1 ? share - 1 : 0;
    if (!r->fits) snprintf(r->words, sizeof r->words, "more %s than its dies have within the limits", which);
    memcpy(r->value, r->bound, sizeof r->value);
}

// ---- estimate ----

// Sets the power, and the tokens per joule from the speed that is set already. cycles: of one step in the middle of
// decoding, or of a prompt step if there are no decode steps.
static void set_power(const struct explore *x, const struct ir *ir, const struct cost_design *cost, double cycles,
                      double value[]) {
    int64_t decodes = ir->design.is_lm && x->tokens > 1 ? x->tokens - 1 : 0;
    struct cost_step step = cost_usual_step(ir, x->prompt + decodes / 2);
    struct cost_power p = cost_step_power(ir, cost, &step, cycles);
    value[EXPLORE_POWER_W] = p.high_w;
    value[EXPLORE_TOKENS_J] = p.high_w > 0 ? value[EXPLORE_TOKENS_S] / p.high_w : 0;
}

// Returns the average cycles of the steps whose power is calculated: decode steps, or prompt steps if there are none.
static double each_step(const struct explore *x, const struct ir *ir, double prefill, double decode) {
    if (ir->design.is_lm && x->tokens > 1) return decode / (double)(x->tokens - 1);
    return prefill / (double)div_up(x->prompt, ir->design.tokens);
}

// Sets the figures of the level `estimate`. If the design cannot be simulated, or its memories cannot be allocated, the
// point stays at the level `bounds`.
static void set_estimate(struct evaluation *e, struct explore_result *r) {
    struct explore_pace pace;
    const char *which;
    if (!explore_pace(e->x, e->ir, &e->arena, &pace) || !pass_allocate_memories(e->ir, e->spec, &e->diag)) return;
    struct cost_design cost = cost_design(e->ir);
    struct cost_resources room = room_of(e->ir);
    double prefill = pace.prefill, decode = pace.decode;
    set_times(e->x, e->ir, prefill, decode, r->value);
    set_resources(&cost.total, r->value);
    set_power(e->x, e->ir, &cost, each_step(e->x, e->ir, prefill, decode), r->value);
    double share = e->ir->dies ? largest_share(&cost.total, &room, &which) : 0;
    r->value[EXPLORE_FILL] = 100 * share;
    r->beyond = share > 1 ? share - 1 : 0;
    if (e->ir->design.dies > 1) r->beyond = place_dies_excess(e->ir);
    r->fits = r->beyond <= 0;
    r->level = EXPLORE_ESTIMATE;
}

// ---- whole ----

struct fullest {  // the resource of which a design takes the largest share
    double share; // of the limit, 1: all
    const char *what;
};

// Replaces the fullest resource if this one is fuller.
static void fuller(struct fullest *f, double share, const char *what) {
    if (share > f->share) *f = (struct fullest){share, what};
}

static bool has_one_die_of_several(const struct ir *ir) { return ir->design.dies < 2 && ir->dies > 1; }

// Finds the fullest resource. A design that is divided over dies is compared with each die and each boundary between
// dies. Any other design is compared with the die that has the memory ports, which may be the only die of the board.
static struct fullest fullest_of(const struct ir *ir, const struct cost_design *cost) {
    struct fullest f = {0, "nothing"};
    const char *which;
    if (has_one_die_of_several(ir)) {
        struct cost_resources room = room_of(ir);
        double share = largest_share(&cost->total, &room, &which);
        fuller(&f, share,
               arena_printf(ir->arena, "%s, if the whole design were on %s", which, ir->die[cost_memory_die(ir)].name));
    } else if (ir->design.dies < 2 && ir->dies) {
        struct cost_resources room = room_of(ir);
        double share = largest_share(&cost->total, &room, &which);
        fuller(&f, share, which);
    }
    for (int d = 0; d < ir->dies && ir->design.dies > 1; d++) {
        struct cost_fill fill = cost_fill(ir, cost, d);
        double share = largest_share(&fill.taken, &fill.limit, &which);
        fuller(&f, share, arena_printf(ir->arena, "%s of %s", which, ir->die[d].name));
    }
    for (int b = 0; b + 1 < ir->dies && ir->design.dies > 1 && ir->design.sll; b++)
        fuller(&f, ratio(cost_boundary_bits(ir, b), cost_wires(ir, b).room),
               arena_printf(ir->arena, "wires from %s to %s", ir->die[b].name, ir->die[b + 1].name));
    return f;
}

// Returns what bounds the speed of a phase: the memory or the engine's beats, if one of them is busy most of the time;
// else the busier of the two and the cause for which the engine waits longest. In a design without an engine, this is
// the slowest kernel.
static const char *bound_of(const struct ir *ir, const struct timing_forecast *f, const struct timing_phase *p) {
    static const char *const causes[TIMING_CAUSES] = {[TIMING_FOR_BEATS] = "waits for beats",
                                                      [TIMING_FOR_OPERAND] = "waits for operands (vector kernels)",
                                                      [TIMING_FOR_ROOM] = "waits for room behind the engine"};
    enum { BUSY_PERCENT = 85 }; // from this share on, a part alone bounds the speed
    double memory = p->beats * ir->design.beat_bits / 8 / f->memory_gbs * ir->design.clock_mhz * 1e-3;
    double engine = p->busy, most = engine > memory ? engine : memory;
    int cause = 0;
    if (f->engine == IR_NONE || p->cycles <= 0) return "the slowest kernel";
    for (int c = 1; c < TIMING_CAUSES; c++)
        if (p->wait[c] > p->wait[cause]) cause = c;
    double percent = 100 * most / p->cycles;
    const char *part = engine > memory ? "the engine's beats" : "the memory";
    if (percent >= BUSY_PERCENT) return arena_printf(ir->arena, "%s (%.0f %%)", part, percent);
    return arena_printf(ir->arena, "%s (%.0f %%) and %s (%.0f %%)", part, percent, causes[cause],
                        100 * p->wait[cause] / p->cycles);
}

static void say_bound(const struct ir *ir, const struct timing_forecast *f, const struct fullest *full,
                      char words[EXPLORE_WORDS]) {
    const char *prompt = bound_of(ir, f, &f->prefill);
    const char *text = f->decode.steps ? arena_printf(ir->arena, "decoding bound by %s, prompt by %s",
                                                      bound_of(ir, f, &f->decode), prompt)
                                       : arena_printf(ir->arena, "bound by %s", prompt);
    snprintf(words, EXPLORE_WORDS, "%s; fullest: %s (%.0f %% of the limit)", text, full->what, 100 * full->share);
}

// Returns whether the design is within the limits of its board. Otherwise the reason is a warning in e->diag.
static bool fits_board(struct evaluation *e) {
    int before = e->diag.warnings;
    design_report_capacity(e->ir, loc_none(), &e->diag);
    return e->diag.warnings == before;
}

// Stops with an internal error if a design is better than its bounds, because then the bounds or the forecast are
// wrong.
static void compare_bounds(const struct explore_result *r) {
    for (int m = 0; m < EXPLORE_METRICS; m++) {
        double slack = 1e-9 * (r->bound[m] > 1 ? r->bound[m] : 1);
        bool beats = explore_metric[m].up ? r->value[m] > r->bound[m] + slack : r->value[m] < r->bound[m] - slack;
        if (beats && r->value[m] > 0)
            base_fatal("explore: %s is %.9g, better than its bound %.9g", explore_metric[m].key, r->value[m],
                       r->bound[m]);
    }
}

// Sets the figures of a complete design that need no forecast. Returns its fullest resource.
static struct fullest measure(const struct ir *ir, const struct cost_design *cost, struct explore_result *r) {
    struct fullest full = fullest_of(ir, cost);
    set_resources(&cost->total, r->value);
    r->value[EXPLORE_FILL] = 100 * full.share;
    r->value[EXPLORE_ACCURACY] = accuracy_of(ir);
    r->beyond = full.share > 1 ? full.share - 1 : 0;
    return full;
}

// Sets the speed and the power, and `words`. Returns false if the design has no forecast; `words` then gives the
// reason.
static bool foretell(const struct explore *x, const struct ir *ir, const struct cost_design *cost,
                     const struct fullest *full, struct explore_result *r) {
    const char *why = NULL;
    struct timing_forecast *f = timing_forecast_request(ir, x->prompt, ir->design.is_lm ? x->tokens : 1,
                                                        timing_host_cycles(ir), false, TIMING_WHOLE_WORDS, &why);
    if (!f) {
        snprintf(r->words, sizeof r->words, "%s", why ? why : "no forecast");
        return false;
    }
    set_times(x, ir, f->first_id, f->decode.cycles, r->value);
    set_power(x, ir, cost, each_step(x, ir, f->first_id, f->decode.cycles), r->value);
    say_bound(ir, f, full, r->words);
    return true;
}

// Sets all figures of a complete design. Returns false if it has no forecast.
static bool judge(const struct explore *x, const struct ir *ir, struct explore_result *r) {
    struct cost_design cost = cost_design(ir);
    struct fullest full = measure(ir, &cost, r);
    return foretell(x, ir, &cost, &full, r);
}

// Sets the figures of the level `whole`. Without `over`, a design beyond the limits is never shown, so it gets no
// forecast, which would take most of the time. Its speed stays at the bounds.
static void set_whole(struct evaluation *e, struct explore_result *r) {
    r->level = EXPLORE_WHOLE;
    r->legal = false;
    if (!run_passes(e, NULL)) return take_message(e, "error: ", r->words);
    struct cost_design cost = cost_design(e->ir);
    struct fullest full = measure(e->ir, &cost, r);
    r->fits = fits_board(e) && (!has_one_die_of_several(e->ir) || r->beyond <= 0);
    bool shown = r->fits || e->x->over;
    r->legal = !shown || foretell(e->x, e->ir, &cost, &full, r);
    if (!r->legal) return;
    if (r->fits) r->beyond = 0;
    else if (e->diag.warnings) take_message(e, "warning: ", r->words);
    else if (!shown)
        snprintf(r->words, sizeof r->words, "fullest: %s (%.0f %% of the limit)", full.what, 100 * full.share);
    if (shown) compare_bounds(r);
}

// ---- a point ----

// Evaluates the point up to a level, from the reading of its spec on. If the spec or a pass has an error, the point is
// not legal, and r->words has the message.
static void evaluate(struct evaluation *e, const struct explore_point *p, int level, struct explore_result *r) {
    worst_bounds(r->bound);
    memcpy(r->value, r->bound, sizeof r->value);
    r->level = EXPLORE_BOUNDS;
    if (!make_spec(e, p)) return take_message(e, "error: ", r->words);
    e->ir = ARENA_NEW(&e->arena, struct ir);
    e->ir->arena = &e->arena;
    if (!run_passes(e, "size-fifos")) return take_message(e, "error: ", r->words);
    r->legal = true;
    set_bounds(e->x, e->ir, r);
    if (level == EXPLORE_BOUNDS || (level == EXPLORE_ESTIMATE && explore_excluded(e->x, r))) return;
    if (level == EXPLORE_ESTIMATE) set_estimate(e, r);
    else set_whole(e, r);
}

void explore_evaluate(const struct explore *x, const struct explore_point *p, int level, struct explore_result *r) {
    struct evaluation e = {.x = x};
    *r = (struct explore_result){0};
    arena_init(&e.arena);
    diag_init(&e.diag, open_memstream(&e.said, &e.len));
    evaluate(&e, p, level, r);
    fclose(e.diag.out);
    free(e.said);
    arena_free(&e.arena);
}

void explore_request_of(int64_t context, int64_t *prompt, int64_t *tokens) {
    enum { USUAL = 256 }; // prompt tokens, and generated tokens
    *prompt = at_least(at_most(USUAL, context / 2), 1);
    *tokens = *prompt;
}

bool explore_is_unplaced(const struct ir *ir) {
    if (!has_one_die_of_several(ir)) return false;
    struct cost_design cost = cost_design(ir);
    return fullest_of(ir, &cost).share > 1;
}

static void add_state(const struct ir *ir, bool fits, struct text *out) {
    if (!fits) text_addf(out, "verdict: exceeds the limits of %s", ir->design.board);
    else if (explore_is_unplaced(ir))
        text_addf(out,
                  "verdict: not known to fit %s: larger than one die, and its %d dies were not looked at "
                  "(`design: {dies: %d}` does)",
                  ir->design.board, ir->dies, ir->dies);
    else text_addf(out, "verdict: fits %s", ir->design.board);
}

void explore_verdict(const struct ir *ir, bool fits, struct text *out) {
    struct explore x = {0};
    struct explore_result r = {0};
    explore_request_of(ir->design.context, &x.prompt, &x.tokens);
    bool known = judge(&x, ir, &r);
    add_state(ir, fits, out);
    if (!known) {
        text_addf(out, "; no forecast: %s", r.words);
        return;
    }
    text_addf(out, "; forecast %.1f %s/s, %s %.2f ms (%lld:%lld), %s", r.value[EXPLORE_TOKENS_S],
              ir->design.is_lm ? "tokens" : "rows", ir->design.is_lm ? "TTFT" : "first result",
              r.value[EXPLORE_TTFT_MS], (long long)x.prompt, (long long)(ir->design.is_lm ? x.tokens : 1), r.words);
}
