// SPDX-License-Identifier: Apache-2.0
// Forecasts the cycles of a request from the timing contracts alone, without RTL. A short request is simulated whole.
// For a long request of a language model, steps at some positions are simulated, each after a few warm-up steps. Each
// simulated position represents the steps around it (the midpoint rule). In other graphs every step does the same work,
// so the first steps of a long request give the interval of the others.
#include "gen/cost/cost.h"
#include "gen/kernel/args.h"
#include "gen/ir/fields.h"
#include "gen/ir/latency.h"
#include "gen/ir/layout.h"
#include "gen/timing/timing.h"
#include "gen/ir/window.h"

enum {
    SAMPLES_PREFILL = 8, // samples of a phase
    SAMPLES_DECODE = 16,
    WARM = 2,         // warm-up steps before the steps of a sample that count, to fill the FIFOs
    COUNT_DECODE = 2, // decode steps of a sample that count
    TAIL = 3,         // last steps of a prompt, simulated up to the first id after them
    LEAST_ALIKE = 4,  // steps that are simulated at least if all steps do the same work
};

struct forecasting {
    const struct ir *ir;
    struct arena scratch;
    struct timing_forecast *f;   // the result
    struct timing_step *step;    // all steps of the request
    int steps, prefill;          // number of all steps, and of the prompt's steps
    int pace;                    // engine that works in all prompt steps; its last command ends a prompt step
    int64_t whole_words;         // a request with more words is sampled
    int64_t step_words;          // words of the last step of the prompt
    struct timing_memory memory; // memory at the first step
    int64_t phase;               // of a sample: cycles that are added to the memory's age
    const char *why;             // reason of a failure
};

// Simulates some steps of the request. Returns NULL if they cannot be simulated; t->why then has the reason.
static struct timing_result *run(struct forecasting *t, int first, int steps) {
    struct timing_options o = {.step = t->step + first, .steps = steps, .bounded = true};
    const char *missing = NULL;
    o.memory = t->memory;
    o.memory.start += t->phase;
    struct timing_result *r = timing_simulate(&t->scratch, t->ir, &o, &missing);
    if (!r) t->why = arena_printf(t->ir->arena, "%s has no timing contract", missing);
    else if (r->stuck) t->why = arena_printf(t->ir->arena, "the streams deadlock: %s", r->stuck);
    return r && !r->stuck ? r : NULL;
}

// Returns the timing of an engine in a step of a run.
static const struct timing_turn *turn_of(const struct forecasting *t, const struct timing_result *r, int step,
                                         int engine) {
    return &r->turn[step * (t->ir->engines > 0 ? t->ir->engines : 1) + (engine >= 0 ? engine : 0)];
}

// Adds the work and the waits of the forecast's engine in a step, `weight` times.
static void add_step(const struct forecasting *t, struct timing_phase *p, const struct timing_result *r, int step,
                     double weight) {
    for (int i = 0; i < t->ir->firings; i++) {
        const struct timing_firing *f = &r->firing[step * t->ir->firings + i];
        if (t->ir->firing[i].engine != t->f->engine) continue;
        p->busy += weight * (double)f->busy;
        p->beats += weight * (double)f->beats;
        for (int c = 0; c < TIMING_CAUSES; c++) {
            p->wait[c] += weight * (double)f->wait[c];
            p->firing[i][c] += weight * (double)f->wait[c];
        }
    }
    p->turn += weight * (double)turn_of(t, r, step, t->f->engine)->wait;
}

// Returns the engine with the most cycles of commands in the first step of a run.
static int busiest_engine(const struct ir *ir, const struct timing_result *r) {
    int64_t *busy = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->engines + 1);
    int best = ir->engines > 0 ? 0 : IR_NONE;
    for (int i = 0; i < ir->firings; i++) busy[ir->firing[i].engine] += r->firing[i].busy;
    for (int e = 1; e < ir->engines; e++)
        if (busy[e] > busy[best]) best = e;
    return best;
}

// ---- whole ----

static bool forecast_whole(struct forecasting *t) {
    struct timing_result *r = run(t, 0, t->steps);
    if (!r) return false;
    for (int s = 0; s < t->steps; s++) add_step(t, s < t->prefill ? &t->f->prefill : &t->f->decode, r, s, 1);
    t->f->prefill.cycles = (double)r->step[t->prefill];
    t->f->decode.cycles = (double)(r->step[t->steps] - r->step[t->prefill]);
    t->f->simulated = t->steps;
    return true;
}

// ---- sampled ----

static int64_t last_command(const struct forecasting *t, const struct timing_result *r, int step) {
    return turn_of(t, r, step, t->pace)->last_command;
}

// Simulates steps [first, first + count) after their warm-up steps, and counts them `weight` times. A prompt step ends
// with the last command of the engine `pace`, because the next step has entered the pipeline long before. A decode step
// ends with its id.
static bool sample(struct forecasting *t, struct timing_phase *p, int first, int count, double weight) {
    struct arena_mark mark = arena_mark(&t->scratch);
    int from = first > WARM ? first - WARM : 0, lead = first - from;
    struct timing_result *r = run(t, from, lead + count);
    if (!r) return false;
    for (int s = 0; s < count; s++) add_step(t, p, r, lead + s, weight);
    bool is_decode = p == &t->f->decode;
    int64_t begin = is_decode ? r->step[lead] : lead ? last_command(t, r, lead - 1) : 0;
    int64_t end = is_decode ? r->step[lead + count] : last_command(t, r, lead + count - 1);
    p->cycles += weight * (double)(end - begin);
    t->f->simulated += lead + count;
    arena_release(&t->scratch, mark);
    return true;
}

static int64_t refresh_cycles(const struct timing_memory *m) {
    return (int64_t)(m->figures->refresh_interval_ns * 1e3 / m->period_ps);
}

// Samples the steps [first, end): simulates `count` steps in the middle of each of `samples` equal parts. A sample has
// one refresh more or less, depending on the time at which it begins. The age of the memory therefore differs from
// sample to sample, so that all samples together have the average number of refreshes. With one age for all, every
// sample of a fixed length would have the same error.
static bool sample_range(struct forecasting *t, struct timing_phase *p, int first, int end, int samples, int count) {
    int steps = end - first, parts = steps / count < samples ? steps / count : samples;
    if (steps > 0 && parts == 0) parts = 1, count = steps; // fewer steps than a sample has: all are simulated
    for (int i = 0; i < parts; i++) {
        t->phase = refresh_cycles(&t->memory) * i / parts;
        int low = first + (int)((int64_t)steps * i / parts), high = first + (int)((int64_t)steps * (i + 1) / parts);
        if (!sample(t, p, low + (high - low - count) / 2, count, (double)(high - low) / count)) return false;
    }
    t->phase = 0;
    return true;
}

// Simulates the last steps of the prompt, from the end of the step before them to the first id.
static bool forecast_tail(struct forecasting *t, int first) {
    struct arena_mark mark = arena_mark(&t->scratch);
    int from = first > WARM ? first - WARM : 0, lead = first - from, count = t->prefill - first;
    struct timing_result *r = run(t, from, lead + count);
    if (!r) return false;
    for (int s = 0; s < count; s++) add_step(t, &t->f->prefill, r, lead + s, 1);
    t->f->prefill.cycles += (double)(r->step[lead + count] - (lead ? last_command(t, r, lead - 1) : 0));
    t->f->simulated += lead + count;
    arena_release(&t->scratch, mark);
    return true;
}

// Finds the engine `pace`, whose last command ends a prompt step. The engine of the LM head may be the busiest of the
// request, but it idles in all steps of a prompt except the last.
static bool find_pace(struct forecasting *t) {
    struct arena_mark mark = arena_mark(&t->scratch);
    t->pace = t->f->engine;
    if (t->prefill < 2) return true;
    const struct timing_result *r = run(t, 0, 1);
    if (r) t->pace = busiest_engine(t->ir, r);
    arena_release(&t->scratch, mark);
    return r != NULL;
}

// Forecasts a long request: the first steps and the last steps of the prompt are simulated whole, all others are
// sampled.
static bool forecast_samples(struct forecasting *t) {
    if (!find_pace(t)) return false;
    struct timing_phase *p = &t->f->prefill, *d = &t->f->decode;
    int head = t->prefill > TAIL + WARM ? WARM : 0, tail = head ? t->prefill - TAIL : 0;
    if (head && !sample(t, p, 0, head, 1)) return false;
    bool ok = sample_range(t, p, head, tail, SAMPLES_PREFILL, 1) && forecast_tail(t, tail) &&
              sample_range(t, d, t->prefill, t->steps, SAMPLES_DECODE, COUNT_DECODE);
    return ok;
}

// ---- steps that are alike ----

// Returns the number of steps to simulate if all steps do the same work: as many as have `whole_words` words.
static int count_alike(const struct forecasting *t) {
    int64_t count = at_least(t->whole_words / at_least(t->step_words, 1), LEAST_ALIKE);
    return (int)at_most(count, t->steps);
}

// Simulates the first `count` steps of the request, with the last step of the request as the last one of them.
static struct timing_result *run_alike(struct forecasting *t, int count) {
    struct timing_step kept = t->step[count - 1];
    t->step[count - 1] = t->step[t->steps - 1];
    struct timing_result *r = run(t, 0, count);
    t->step[count - 1] = kept;
    return r;
}

// Forecasts a request in which all steps do the same work, except the last one, which may have fewer rows. Simulates
// two shorter requests. The difference of their ends gives the interval of the steps that are not simulated.
static bool forecast_alike(struct forecasting *t) {
    struct timing_phase *p = &t->f->prefill;
    struct arena_mark mark = arena_mark(&t->scratch);
    int count = count_alike(t), few = count / 2;
    struct timing_result *r = run_alike(t, few);
    if (!r) return false;
    int64_t end = r->step[few];
    arena_release(&t->scratch, mark);
    r = run_alike(t, count);
    if (!r) return false;
    double each = (double)(t->steps - count) / (count - few);
    for (int s = 0; s < count; s++) add_step(t, p, r, s, s >= few - 1 && s < count - 1 ? 1 + each : 1);
    p->cycles = (double)r->step[count] + each * (double)(r->step[count] - end);
    t->f->simulated = count;
    return true;
}

// ---- products ----

// Returns the multiplications of one firing in all repetitions of a step, over the positions that the window includes.
static double firing_macs(const struct ir *ir, const struct ir_firing *f, const struct timing_step *s) {
    const struct ir_node *n = &ir->node[f->node];
    int64_t tokens = ir_takes_last(ir, f->region) ? 1 : s->ntok, repeat = ir->region[f->region].repeat, positions = 0;
    if (f->mode <= ENGINE_MODE_INT4)
        return (double)(repeat * tokens * ir_attr_int(&n->attrs, "rows", 0)) * (double)ir_vector_length(ir, n);
    const struct ir_tensor *heads = &ir->tensor[n->in[1]]; // keys or values: [heads][elements]
    int over = window_node(ir, f->mode == ENGINE_MODE_SCORES ? n->out[0] : n->in[0]);
    for (int64_t r = 0; r < repeat; r++)
        for (int64_t t = 0; t < tokens; t++) positions += at_most(s->pos + t + 1, window_length(ir, over, r));
    return (double)positions * (double)(ir_tensor_elements(heads) / at_least(heads->shape[0].bound, 1));
}

static void count_macs(struct forecasting *t) {
    for (int s = 0; s < t->steps; s++) {
        struct timing_phase *p = s < t->prefill ? &t->f->prefill : &t->f->decode;
        for (int i = 0; i < t->ir->firings; i++) {
            const struct ir_region *r = &t->ir->region[t->ir->firing[i].region];
            if (r->when != IR_LAST || t->step[s].head) p->macs += firing_macs(t->ir, &t->ir->firing[i], &t->step[s]);
        }
    }
}

// ---- bounds ----

// Multiplies a load by n.
static void times(const struct ir *ir, struct cost_load *load, int64_t n) {
    for (int e = 0; e < ir->engines; e++) load->engine[e] *= n;
    for (int k = 0; k < ir->kernels; k++) load->kernel[k] *= n;
    for (int c = 0; c < ir->design.channels; c++) load->channel[c] *= n;
    load->rows *= n;
}

// Returns the lower bound for steps [first, end). early: beats of each channel that may have been read before them.
static struct cost_bound bound_of(const struct forecasting *t, int first, int end, int64_t early) {
    struct cost_load load = cost_load_new(t->ir);
    // If positions do not matter, all steps except the last do the same work.
    int alike = cost_positions_matter(t->ir) || t->ir->design.is_lm || end <= first ? first : end - 1;
    if (alike > first) {
        cost_load_add(t->ir, &load, &(struct cost_step){0, t->step[first].ntok, true});
        times(t->ir, &load, alike - first);
    }
    for (int s = alike; s < end; s++) {
        const struct timing_step *step = &t->step[s];
        cost_load_add(t->ir, &load, &(struct cost_step){step->pos, step->ntok, step->head});
    }
    return cost_load_bound(t->ir, &load, early, true);
}

// Finds the bounds of both phases. Beats of decode steps may already be in the engines' buffers when decoding begins.
static void find_bounds(struct forecasting *t) {
    t->f->prefill.bound = bound_of(t, 0, t->prefill, 0);
    t->f->decode.bound = bound_of(t, t->prefill, t->steps, t->ir->design.prefetch_beats);
}

// Adds the load of `step` `count` times. This is a lower bound for the load of `count` steps that do as much work or
// more.
static void add_times(const struct ir *ir, struct cost_load *sum, const struct timing_step *step, int64_t count) {
    struct cost_load load = cost_load_new(ir);
    cost_load_add(ir, &load, &(struct cost_step){step->pos, step->ntok, step->head});
    times(ir, &load, count);
    for (int e = 0; e < ir->engines; e++) sum->engine[e] += load.engine[e];
    for (int k = 0; k < ir->kernels; k++) sum->kernel[k] += load.kernel[k];
    for (int c = 0; c < ir->design.channels; c++) sum->channel[c] += load.channel[c];
    sum->rows += load.rows;
}

void timing_request_bounds(const struct ir *ir, int64_t prompt, int64_t tokens, int groups, struct cost_bound *prefill,
                           struct cost_bound *decode) {
    struct forecasting t = {.ir = ir};
    struct cost_load load = cost_load_new(ir);
    t.steps = timing_request_steps(ir, prompt, tokens, &t.step);
    while (t.prefill < t.steps && t.step[t.prefill].pos < prompt) t.prefill++;
    *prefill = bound_of(&t, 0, t.prefill, 0);
    int decodes = t.steps - t.prefill, size = groups > 0 && decodes > groups ? (decodes + groups - 1) / groups : 1;
    for (int s = t.prefill; s < t.steps; s += size)
        add_times(ir, &load, &t.step[s], s + size < t.steps ? size : t.steps - s);
    *decode = cost_load_bound(ir, &load, ir->design.prefetch_beats, true);
}

// Raises the sampled cycles of a phase to the lower bound if they are slightly below. A sample represents steps that
// differ a little from it, because blocks of keys are read whole. If the memory sets the pace, the sum of the samples
// may therefore be a little less than the bound of all steps. A larger gap is an error, and stays visible. more: cycles
// before and after the phase that the bound includes.
static void hold_to_bound(struct timing_phase *p, double more) {
    static const double OF_SAMPLES = 1e-3;
    double least = (double)p->bound.cycles - more;
    if (p->cycles < least && p->cycles > (1 - OF_SAMPLES) * least) p->cycles = least;
}

// ---- after the last step ----

// Returns the cycles from an id to the response of its write to the ring.
static int64_t ring_cycles(const struct timing_memory *m) {
    return CYCLES_RING_WRITE + (int64_t)(m->figures->write_response_ns * 1e3 / m->period_ps);
}

// Returns whether the request is simulated whole. It is if the words of all its steps, estimated from one step of each
// phase, are at most whole_words, or if the graph is not a language model and its steps differ or are too few to leave
// some out. Also finds the busiest engine. If a step cannot be simulated, t->why tells the reason.
static bool is_short(struct forecasting *t) {
    struct arena_mark mark = arena_mark(&t->scratch);
    int last = t->prefill - 1;
    struct timing_result *r = run(t, last, 1);
    if (!r) return false;
    t->step_words = r->words;
    int64_t words = r->words * t->prefill;
    t->f->engine = busiest_engine(t->ir, r);
    if (t->steps > t->prefill && (r = run(t, t->steps - 1, 1))) words += r->words * (t->steps - t->prefill);
    arena_release(&t->scratch, mark);
    bool differ = !t->ir->design.is_lm && (cost_positions_matter(t->ir) || count_alike(t) >= t->steps);
    return words <= t->whole_words || differ;
}

// Gives each decode step as many drafts as it may have. None of them counts as right, so the next step begins one
// position later.
static void add_drafts(const struct forecasting *t) {
    for (int s = t->prefill; s < t->steps; s++) {
        // A step with drafts stays within a block of positions (rill_step_source).
        int64_t room = LAYOUT_V_BLOCK - t->step[s].pos % LAYOUT_V_BLOCK;
        t->step[s].ntok = (int)at_most(1 + t->ir->design.drafts, at_most(room, t->steps - s));
    }
}

// Forecasts a request from position `first` of its prompt on, with the most drafts if `drafts` is set. The other
// arguments and the result are those of timing_forecast_request.
static struct timing_forecast *forecast(const struct ir *ir, int64_t first, int64_t prompt, int64_t tokens, bool drafts,
                                        int64_t age, bool kept, int64_t whole_words, const char **why) {
    struct forecasting t = {.ir = ir, .whole_words = whole_words, .memory = timing_memory_of(ir, age, kept)};
    // The token loop passes over the ids of the kept prefix before the first step.
    t.memory.lead += timing_passed_cycles(ir, first);
    t.memory.start += timing_passed_cycles(ir, first);
    arena_init(&t.scratch);
    t.f = ARENA_NEW(ir->arena, struct timing_forecast);
    *t.f = (struct timing_forecast){
        .prompt = prompt, .tokens = tokens, .start = t.memory.lead, .memory_gbs = hbm_figures_rate(&ir->design.hbm)};
    t.steps = timing_steps_from(ir, first, prompt, tokens, &t.step);
    t.f->steps = t.steps;
    while (t.prefill < t.steps && t.step[t.prefill].pos < prompt) t.prefill++;
    if (drafts) add_drafts(&t);
    struct timing_phase *phase[] = {&t.f->prefill, &t.f->decode};
    for (int i = 0; i < 2; i++) {
        phase[i]->steps = i ? t.steps - t.prefill : t.prefill;
        phase[i]->firing = arena_alloc(ir->arena, (size_t)ir->firings + 1, sizeof *phase[i]->firing);
    }
    count_macs(&t);
    find_bounds(&t);
    bool whole = is_short(&t);
    bool ok = !t.why && (whole ? forecast_whole(&t) : ir->design.is_lm ? forecast_samples(&t) : forecast_alike(&t));
    double ring = ir->design.is_lm ? (double)ring_cycles(&t.memory) : CYCLES_LOOP_DRAIN;
    if (!whole) {
        hold_to_bound(&t.f->prefill, (double)t.f->start + ring);
        hold_to_bound(&t.f->decode, 0);
    }
    t.f->first_id = (double)t.f->start + t.f->prefill.cycles + ring;
    t.f->end = t.f->first_id + t.f->decode.cycles;
    arena_free(&t.scratch);
    *why = t.why;
    return ok ? t.f : NULL;
}

struct timing_forecast *timing_forecast_request(const struct ir *ir, int64_t prompt, int64_t tokens, int64_t age,
                                                bool kept, int64_t whole_words, const char **why) {
    return forecast(ir, 0, prompt, tokens, false, age, kept, whole_words, why);
}

struct timing_forecast *timing_forecast_drafted(const struct ir *ir, int64_t prompt, int64_t tokens, int64_t age,
                                                bool kept, int64_t whole_words, const char **why) {
    return forecast(ir, 0, prompt, tokens, true, age, kept, whole_words, why);
}

struct timing_forecast *timing_forecast_from(const struct ir *ir, int64_t first, int64_t prompt, int64_t tokens,
                                             int64_t age, bool drafted, int64_t whole_words, const char **why) {
    return forecast(ir, first, prompt, tokens, drafted, age, true, whole_words, why);
}

// In both forecasts no draft is right, so each has one decode step for each token after the first. A step with (or
// without) drafts takes the average of the steps in the forecast with (or without) them. A step makes one token, and
// one more for each right draft, so fewer steps are needed.
struct timing_drafted timing_with_drafts(const struct timing_forecast *none, const struct timing_forecast *drafted,
                                         const struct timing_drafts *d) {
    double with = 0, right = 0, all, tokens = (double)none->decode.steps;
    if (tokens == 0) return (struct timing_drafted){0};
    for (int i = 0; i <= TIMING_MAX_DRAFTS; i++) {
        with += (double)d->right[i];
        right += (double)d->right[i] * i;
    }
    all = (double)d->none + with;
    struct timing_drafted made = {.steps = tokens * all / (all + right), .tokens_per_step = (all + right) / all};
    double each = ((double)d->none * none->decode.cycles + with * drafted->decode.cycles) / all / tokens;
    made.cycles = made.steps * each;
    return made;
}

// Returns NULL, or a text that says that `what` takes fewer cycles than its bound.
static const char *below(struct arena *arena, const struct ir *ir, const char *what, double cycles,
                         const struct cost_bound *b) {
    if (cycles + 0.5 >= (double)b->cycles) return NULL;
    const char *part = b->cycles == b->engine   ? "the matrix engine"
                       : b->cycles == b->memory ? "the memory"
                                                : ir->kernel[b->busiest].name;
    return arena_printf(arena, "%s of %.0f cycles, but %s needs %lld", what, cycles, part, (long long)b->cycles);
}

const char *timing_below_bound(struct arena *arena, const struct ir *ir, const struct timing_forecast *f) {
    const char *why = below(arena, ir, "a request up to its first result", f->first_id, &f->prefill.bound);
    return why ? why : below(arena, ir, "the ids behind the first", f->decode.cycles, &f->decode.bound);
}
