// SPDX-License-Identifier: Apache-2.0
// Makes the steps of several requests that run at the same time, as rill_slot_loop chooses them, and forecasts when
// each request gets its first and its last id. The steps fall into stretches of equal kind. A long stretch is sampled:
// some of its steps are simulated, each after a few steps that fill the FIFOs.
#include <math.h>

#include "gen/ir/latency.h"
#include "gen/ir/layout.h"
#include "gen/timing/timing.h"

// ---- the steps ----

struct load_slot {
    int64_t pos, made; // position of the next token, generated tokens
    bool busy;
    int64_t joins; // first step that the request can be in
    // due: a credit of each outcome of next_outcome. Each draw adds an outcome's weight to its credit, takes the
    // outcome with the largest credit, and subtracts the sum of all weights from that credit.
    int64_t due[2 + TIMING_MAX_DRAFTS];
};

struct loading {
    const struct ir *ir;
    const struct timing_loads *load;
    struct load_slot slot[REGISTER_SLOTS];
    int came, first; // came: requests that have joined; first: the slot that began the previous step
};

// Returns the first slot of the mask from `from` on. After the last slot, the search continues at slot 0.
static int pick(unsigned mask, int from) {
    int slot = from % REGISTER_SLOTS;
    while (!(mask >> slot & 1)) slot = (slot + 1) % REGISTER_SLOTS;
    return slot;
}

static int count(unsigned mask) {
    int n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
}

static bool generates(const struct loading *l, int slot) { return l->slot[slot].pos >= l->load->request[slot].prompt; }

// Returns the mask of the slots in the mask `among` whose requests are not over; if `generating`, only of those whose
// prompt is over.
static unsigned mask_of(const struct loading *l, unsigned among, bool generating) {
    unsigned mask = 0;
    for (int s = 0; s < l->came; s++)
        if (among >> s & 1 && l->slot[s].busy && (!generating || generates(l, s))) mask |= 1U << s;
    return mask;
}

// Returns the tokens of a part of a prompt. The first part of a step leaves a token for each slot in `decodes`, as far
// as the step has tokens and parts for them. A part ends where a beat of ids ends. used, parts: tokens and parts that
// the step already has.
static int64_t chunk_of(const struct loading *l, int slot, unsigned decodes, int64_t used, int parts) {
    const struct load_slot *s = &l->slot[slot];
    int64_t ids = l->ir->design.beat_bits / 32, left = l->ir->design.tokens - used;
    int64_t room = left;
    if (parts == 0) room = left - at_most(at_most(count(decodes), left - 1), ir_parts_of_step(l->ir) - 1);
    return at_most(at_most(room, ids - s->pos % ids), l->load->request[slot].prompt - s->pos);
}

// Returns how many drafts the part of a slot that generates may have. The drafts leave a token for each slot in
// `decodes`, as far as the step has parts for these slots. They do not cross the end of a block of 64 positions or the
// end of the request.
static int64_t most_drafts(const struct loading *l, int slot, unsigned decodes, int64_t used, int parts) {
    const struct load_slot *s = &l->slot[slot];
    int64_t others = at_most(count(decodes), ir_parts_of_step(l->ir) - parts - 1),
            room = at_least(l->ir->design.tokens - used - 1 - others, 0),
            block = LAYOUT_V_BLOCK - 1 - s->pos % LAYOUT_V_BLOCK;
    return at_most(at_most(l->ir->design.drafts, room), at_most(block, l->load->request[slot].tokens - s->made - 1));
}

// Returns the outcome of the next step in which the slot may have drafts: 0 if it has none, else one more than the
// number of those that are right. Outcomes come in the proportions of the request's list, evenly mixed.
static int next_outcome(const struct loading *l, struct load_slot *s) {
    const struct timing_drafts *d = l->load->drafts;
    int64_t sum = 0;
    int next = 0;
    if (!d) return 0;
    for (int i = 0; i <= l->ir->design.drafts + 1; i++) {
        int64_t weight = i == 0 ? d->none : d->right[i - 1];
        s->due[i] += weight;
        sum += weight;
        if (s->due[i] > s->due[next]) next = i;
    }
    s->due[next] -= sum;
    return next;
}

// Adds the drafts of a part of a request that generates.
static void add_drafts(const struct loading *l, struct load_slot *s, struct timing_part *part, int64_t most) {
    part->looks = most > 0;
    int outcome = most > 0 ? next_outcome(l, s) : 0;
    if (outcome == 0) return;
    part->ntok += (int)most;
    part->right = (int)at_most(outcome - 1, most);
}

// Adds the part of a slot to the step, and counts the part's tokens. decodes: the slots that generate and are not in
// the step yet.
static void add_part(struct loading *l, struct timing_step *step, struct timing_part *part, int slot,
                     unsigned decodes) {
    struct load_slot *s = &l->slot[slot];
    bool prompt = !generates(l, slot);
    int64_t tokens = prompt ? chunk_of(l, slot, decodes, step->ntok, step->parts) : 1;
    *part = (struct timing_part){.pos = s->pos, .ntok = (int)tokens, .slot = slot, .prompt = prompt};
    if (s->pos == l->load->request[slot].prefix) part->passes = s->pos;
    if (!prompt) add_drafts(l, s, part, most_drafts(l, slot, decodes, step->ntok, step->parts));
    s->pos += tokens + part->right;
    part->head = s->pos >= l->load->request[slot].prompt;
    if (part->head) part->ends = (s->made += 1 + part->right) == l->load->request[slot].tokens;
    if (part->ends) s->busy = false;
    step->ntok += part->ntok;
    step->head |= part->head;
    step->parts++;
}

// Lets requests join before this step. If no request runs, the next one joins at once.
static void let_join(struct loading *l, int64_t step) {
    while (l->came < l->load->requests && (l->slot[l->came].joins <= step || !mask_of(l, ~0U, false)))
        l->slot[l->came++].busy = true;
}

// Makes the next step. Returns false if no request is left. The first part is that of the next slot in turn. Slots that
// generate follow, then slots with prompt tokens.
static bool next_step(struct loading *l, struct timing_step *step) {
    unsigned visits = mask_of(l, ~0U, false);
    if (!visits) return false;
    struct timing_part *part = ARENA_ARRAY(l->ir->arena, struct timing_part, (size_t)l->ir->design.tokens);
    *step = (struct timing_step){.part = part};
    int slot = l->first = pick(visits, l->first + 1);
    while (visits && step->ntok < l->ir->design.tokens && step->parts < ir_parts_of_step(l->ir)) {
        if (step->parts) {
            unsigned decodes = mask_of(l, visits, true);
            slot = pick(decodes ? decodes : visits, l->first);
        }
        visits &= ~(1U << slot);
        add_part(l, step, &part[step->parts], slot, mask_of(l, visits, true));
    }
    step->pos = part[0].pos;
    return true;
}

int timing_load_steps(const struct ir *ir, const struct timing_loads *load, const int64_t *joins,
                      struct timing_step **out) {
    struct loading l = {.ir = ir, .load = load, .first = REGISTER_SLOTS - 1};
    VEC(struct timing_step) steps = {0};
    struct timing_step step;
    for (int s = 0; s < load->requests; s++) {
        l.slot[s].joins = joins ? joins[s] : 0;
        l.slot[s].pos = load->request[s].prefix;
        // Each slot begins at another place of its outcomes, so that the slots do not have the same ones in each step.
        for (int i = 0; i < s; i++) (void)next_outcome(&l, &l.slot[s]);
    }
    let_join(&l, 0);
    while (next_step(&l, &step)) {
        VEC_PUSH(ir->arena, steps, step);
        let_join(&l, (int64_t)steps.count);
    }
    *out = steps.items;
    return (int)steps.count;
}

// ---- the forecast ----

enum {
    SAMPLES = 12,     // samples of a stretch
    SAMPLE_STEPS = 2, // steps of a sample
    DRAFT_STEPS = 5,  // number of steps of a sample with drafts: steps then differ in their numbers of tokens
    WARM = 2,         // warm-up steps before a sample
};

struct foreseeing {
    const struct ir *ir;
    struct timing_load *f;
    struct arena scratch;
    struct timing_step *step;
    int steps;                // steps in all
    int first_full, end_full; // every request generates in steps [first_full, end_full)
    struct timing_memory memory;
    bool drafts;    // requests have drafts
    int64_t phase;  // of a sample: cycles that are added to the memory's age
    double *cycles; // per step: cycles from the last command of the previous step to the last command of this step
    double after;   // cycles from a step's last command until its ids are written: those of the step simulated last
    const char *why;
};

// Simulates steps [first, end). Returns NULL if they cannot be simulated; t->why then tells the reason.
static struct timing_result *run(struct foreseeing *t, int first, int end) {
    struct timing_options o = {.step = t->step + first, .steps = end - first, .bounded = true, .memory = t->memory};
    const char *missing = NULL;
    o.memory.start += t->phase;
    struct timing_result *r = timing_simulate(&t->scratch, t->ir, &o, &missing);
    if (!r) t->why = arena_printf(t->ir->arena, "%s has no timing contract", missing);
    else if (r->stuck) t->why = arena_printf(t->ir->arena, "the streams deadlock: %s", r->stuck);
    return r && !r->stuck ? r : NULL;
}

// Returns the cycle of the last command of any engine in a step.
static int64_t last_command(const struct foreseeing *t, const struct timing_result *r, int step) {
    int engines = t->ir->engines > 0 ? t->ir->engines : 1;
    int64_t last = 0;
    for (int e = 0; e < engines; e++) last = at_least(last, r->turn[step * engines + e].last_command);
    return last;
}

// Returns the engine with the most commands in a step.
static int busiest_engine(struct foreseeing *t, const struct timing_result *r, int step) {
    int64_t *busy = ARENA_ARRAY(&t->scratch, int64_t, (size_t)t->ir->engines + 1);
    int best = t->ir->engines > 0 ? 0 : IR_NONE;
    for (int i = 0; i < t->ir->firings; i++) busy[t->ir->firing[i].engine] += r->firing[step * t->ir->firings + i].busy;
    for (int e = 1; e < t->ir->engines; e++)
        if (busy[e] > busy[best]) best = e;
    return best;
}

// Adds what the busiest engine of a step does in it, `weight` times, to the figures of the steps in which every request
// generates.
static void add_step(struct foreseeing *t, const struct timing_result *r, int at, double cycles, double weight) {
    struct timing_load *f = t->f;
    f->engine = busiest_engine(t, r, at);
    f->full.cycles += weight * cycles;
    for (int i = 0; i < t->ir->firings; i++) {
        const struct timing_firing *w = &r->firing[at * t->ir->firings + i];
        if (t->ir->firing[i].engine != f->engine) continue;
        f->full.busy += weight * (double)w->busy;
        f->full.beats += weight * (double)w->beats;
        for (int c = 0; c < TIMING_CAUSES; c++) f->full.wait[c] += weight * (double)w->wait[c];
    }
    int engines = t->ir->engines > 0 ? t->ir->engines : 1;
    f->full.turn += weight * (double)r->turn[at * engines + at_least(f->engine, 0)].wait;
}

// Returns the share of the simulated step `at` in the cycles of step n. A step that was not simulated gets the average
// of the simulated steps [first, first + count) with as many tokens, or of all of them if there is none.
static double share_of(const struct foreseeing *t, int first, int count, int at, int n) {
    int same = 0;
    if (n >= first && n < first + count) return n == at;
    for (int s = first; s < first + count; s++) same += t->step[s].ntok == t->step[n].ntok;
    if (same) return t->step[at].ntok == t->step[n].ntok ? 1.0 / same : 0;
    return 1.0 / count;
}

// Simulates steps [first, first + count) after a few warm-up steps and notes their cycles. Each other step in [low,
// high) gets the average of those that have as many tokens.
static bool sample(struct foreseeing *t, int first, int count, int low, int high) {
    struct arena_mark mark = arena_mark(&t->scratch);
    int from = first > WARM ? first - WARM : 0, lead = first - from;
    struct timing_result *r = run(t, from, first + count);
    if (!r) return false;
    for (int s = 0; s < count; s++) {
        double cycles = (double)(last_command(t, r, lead + s) - (lead + s ? last_command(t, r, lead + s - 1) : 0));
        double weight = 0;
        for (int n = low; n < high; n++) {
            double share = share_of(t, first, count, first + s, n);
            t->cycles[n] += share * cycles;
            weight += share;
        }
        if (first + s >= t->first_full && first + s < t->end_full) add_step(t, r, lead + s, cycles, weight);
    }
    t->after = (double)(r->step[lead + count] - last_command(t, r, lead + count - 1));
    t->f->simulated += lead + count;
    arena_release(&t->scratch, mark);
    return true;
}

static bool has_prompt(const struct timing_step *s) {
    for (int p = 0; p < s->parts; p++)
        if (s->part[p].prompt) return true;
    return false;
}

// Returns the number of kept positions that the token loop passes over in a step.
static int64_t passes(const struct timing_step *s) {
    int64_t sum = 0;
    for (int p = 0; p < s->parts; p++) sum += s->part[p].passes;
    return sum;
}

// Returns whether two steps are of the same kind, so that they can be in one stretch.
static bool alike(const struct timing_step *a, const struct timing_step *b) {
    return a->parts == b->parts && a->head == b->head && has_prompt(a) == has_prompt(b) && passes(a) == passes(b);
}

// Samples a stretch of steps of equal kind, or simulates all of it if it is short. Samples begin at different times
// between two refreshes of the memory. Returns false if a step cannot be simulated.
static bool sample_stretch(struct foreseeing *t, int first, int end) {
    int64_t refresh = (int64_t)(t->memory.figures->refresh_interval_ns * 1e3 / t->memory.period_ps);
    int steps = end - first, count = t->drafts ? DRAFT_STEPS : SAMPLE_STEPS;
    if (steps <= SAMPLES * count) return sample(t, first, steps, first, end);
    for (int i = 0; i < SAMPLES; i++) {
        int low = first + (int)((int64_t)steps * i / SAMPLES), high = first + (int)((int64_t)steps * (i + 1) / SAMPLES);
        t->phase = refresh * i / SAMPLES;
        if (!sample(t, low + (high - low - count) / 2, count, low, high)) return false;
    }
    t->phase = 0;
    return true;
}

// Finds the steps in which every request generates: from the last prompt's end to the first end of a request.
static void find_full(struct foreseeing *t) {
    t->end_full = t->steps;
    for (int s = 0; s < t->steps; s++)
        for (int p = 0; p < t->step[s].parts; p++) {
            const struct timing_part *part = &t->step[s].part[p];
            if (part->prompt) t->first_full = s + 1;
            if (part->ends) t->end_full = (int)at_most(t->end_full, s);
        }
    t->end_full = (int)at_least(t->end_full, t->first_full);
    t->f->full.steps = t->end_full - t->first_full;
    for (int s = t->first_full; s < t->end_full; s++)
        for (int p = 0; p < t->step[s].parts; p++) t->f->full_tokens += 1 + t->step[s].part[p].right;
}

// Sums the cycles of the steps, and notes for each request when it comes and when its first and its last id are
// written. t->after is taken for all steps.
static void find_times(struct foreseeing *t, const struct timing_loads *load) {
    struct timing_load *f = t->f;
    double now = (double)f->start;
    bool came[REGISTER_SLOTS] = {false};
    for (int s = 0; s < t->steps; s++) {
        double begin = now + (s ? t->after : 0);
        now += t->cycles[s];
        for (int p = 0; p < t->step[s].parts; p++) {
            const struct timing_part *part = &t->step[s].part[p];
            int slot = part->slot;
            // A request that waits for the end of the others comes when its first step begins.
            if (!came[slot]) f->came[slot] = fmin((double)at_least(load->request[slot].join, 0), begin);
            came[slot] = true;
            if (part->head && part->prompt) f->first_id[slot] = now + t->after - f->came[slot];
            if (part->ends) f->end = now + t->after, f->last_id[slot] = f->end - f->came[slot];
        }
    }
}

// Forecasts the steps of the requests, whose first steps `joins` gives. Returns false if a step cannot be simulated.
static bool foresee(struct foreseeing *t, const struct timing_loads *load, const int64_t *joins) {
    *t->f = (struct timing_load){.requests = load->requests,
                                 .start = t->memory.lead,
                                 .engine = IR_NONE,
                                 .memory_gbs = hbm_figures_rate(&t->ir->design.hbm)};
    t->steps = timing_load_steps(t->ir, load, joins, &t->step);
    t->f->steps = t->steps;
    t->cycles = ARENA_ARRAY(t->ir->arena, double, (size_t)t->steps + 1);
    t->first_full = 0;
    find_full(t);
    for (int first = 0, end; first < t->steps; first = end) {
        for (end = first + 1;
             end < t->steps && alike(&t->step[first], &t->step[end]) && end != t->first_full && end != t->end_full;)
            end++;
        if (!sample_stretch(t, first, end)) return false;
    }
    find_times(t, load);
    return true;
}

// Returns the number of the first step that begins in this cycle or later, or the number of steps.
static int64_t step_after(const struct foreseeing *t, int64_t cycle) {
    double now = (double)t->f->start;
    int s = 0;
    for (; s < t->steps && now + (s ? t->after : 0) < (double)cycle; s++) now += t->cycles[s];
    return s;
}

struct timing_load *timing_forecast_load(const struct ir *ir, const struct timing_loads *load, int64_t age, bool kept,
                                         const char **why) {
    struct foreseeing t = {.ir = ir, .memory = timing_memory_of(ir, age, kept), .drafts = load->drafts != NULL};
    int64_t joins[REGISTER_SLOTS];
    arena_init(&t.scratch);
    t.f = ARENA_NEW(ir->arena, struct timing_load);
    for (int i = 0; i < load->requests; i++) joins[i] = load->request[i].join > 0 ? INT64_MAX : 0;
    bool ok = foresee(&t, load, joins);
    // The times of earlier steps tell which step a request can be in. It changes only later steps, so one further
    // forecast for each cycle at which requests join is enough.
    for (int i = 0; i < load->requests && ok; i++) {
        if (joins[i] != INT64_MAX) continue;
        int64_t join = load->request[i].join, step = step_after(&t, join + timing_host_cycles(ir));
        for (int k = i; k < load->requests && load->request[k].join == join; k++) joins[k] = step;
        ok = foresee(&t, load, joins);
    }
    arena_free(&t.scratch);
    *why = t.why;
    return ok ? t.f : NULL;
}
