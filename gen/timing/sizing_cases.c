// SPDX-License-Identifier: Apache-2.0
// Chooses the cases that FIFOs are sized for, which are short runs of steps at chosen positions, and runs them.
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/ir/window.h"
#include "gen/timing/sizing.h"

// Sizing runs without refreshes, because with the fastest memory the streams after the engine need the greatest depths.
struct timing_memory sizing_fast_memory(const struct ir *ir) {
    struct timing_memory m = timing_memory_at(ir, 0);
    m.refreshes = false;
    return m;
}

int64_t sizing_bits(const struct sizing *z, const int64_t *depth) {
    int64_t bits = 0;
    for (int e = 0; e < z->ir->edges; e++) bits += depth[e] * z->width[e];
    return bits;
}

// ---- which steps ----

void sizing_add_case(struct sizing *z, const char *name, int64_t pos, const struct timing_step *step, int steps) {
    if (z->tests == MAX_CASES) return;
    struct test_case *t = &z->test[z->tests++];
    t->for_lp = z->tests == 1 || strcmp(name, z->kind) != 0; // it is the first of its kind
    z->kind = name;
    t->name = arena_printf(z->ir->arena, "%s at %lld", name, (long long)pos);
    t->layers = LAYERS;
    t->steps = steps;
    t->known = NULL;
    memcpy(t->step, step, (size_t)steps * sizeof *step);
}

// Adds steps of n tokens from a position on. In a prompt of a language model, only the last step runs the head, and a
// step for the id that the head makes follows.
static void add_steps(struct sizing *z, const char *name, int64_t pos, int n, int steps, bool prompt) {
    struct timing_step step[MAX_STEPS];
    const struct ir_design *d = &z->ir->design;
    int count = 0;
    for (; count < steps && pos + n <= d->context; count++, pos += n)
        step[count] = timing_step_at(pos, n, !prompt || !d->is_lm);
    if (!count) return;
    step[count - 1].head = true;
    if (prompt && d->is_lm && pos < d->context) step[count++] = timing_step_at(pos, 1, true);
    sizing_add_case(z, name, step[0].pos, step, count);
}

// Adds whole steps of a graph's rows and a partial one. The partial step ends while the rows before it are still in
// flight.
static void add_part(struct sizing *z) {
    struct timing_step *step;
    int steps = timing_request_steps(z->ir, at_most(2 * z->ir->design.tokens + 1, z->ir->design.context), 1, &step);
    sizing_add_case(z, "rows", 0, step, steps);
}

// Returns the position of the last step of n tokens in which a layer with a window reads the most positions, over all
// layers. Returns -1 if there is none, for example because no window is shorter than the context. A step at position p
// reads from p - window + 1 on, rounded down to a multiple of the unit. So it reads the most positions if
// p - window + 1 is one less than a multiple: p is window + unit - 2, or that plus a multiple of the unit. p is then
// rounded down to a multiple of n, where steps begin.
static int64_t longest_window(const struct ir *ir, int n) {
    int64_t at = -1;
    for (int node = 0; node < ir->nodes; node++)
        for (int r = 0; ir_node_is(ir, node, OP_OF_SCORES) && r < ir->region[ir->node[node].region].repeat; r++) {
            int64_t unit = window_unit(ir), window = window_length(ir, node, r), first = (window + unit - 2) / n * n;
            if (window < ir->design.context && first + n <= ir->design.context)
                at = at_least(at, first + (ir->design.context - n - first) / unit * unit);
        }
    return at;
}

// Adds generating steps with drafts: after the first token, up to the end of a block, and up to the last positions.
static void add_drafts(struct sizing *z) {
    const int64_t n = 1 + z->ir->design.drafts, end = z->ir->design.context;
    const int64_t block = end % LAYOUT_V_BLOCK ? end % LAYOUT_V_BLOCK : LAYOUT_V_BLOCK; // positions of the last block
    const int64_t at[] = {1, LAYOUT_V_BLOCK - 2 * n, end - at_most(block / n, 2) * n};
    for (size_t i = 0; i < COUNT_OF(at); i++)
        if (at[i] > 0 && (i == 0 || at[i] > at[i - 1])) add_steps(z, "drafts", at[i], (int)n, 2, false);
}

// Adds cases with steps of one token at the first positions, at the end of a block, in the middle and at the last
// positions, and cases with steps of the most tokens at the same places except the middle. Windows add a position at
// which a step reads the most, for each of the two numbers of tokens. Without a cache, all steps are alike, so the
// first and the last positions are enough. Drafts add the cases of add_drafts, and graphs with several rows per step
// the case of add_part. A language model of one token per step also has a prompt at position 0.
void sizing_choose_cases(struct sizing *z) {
    const struct ir_design *d = &z->ir->design;
    const int most = (int)at_most(d->tokens, d->context); // a short context never fills a step
    // 63 and 64 are LAYOUT_V_BLOCK - 1 and LAYOUT_V_BLOCK.
    const int64_t at[] = {0, 63, d->context / 2, d->context - 2};
    const int64_t from[] = {0, 64 - 2 * d->tokens, d->context - 1 - 3 * d->tokens};
    bool alike = kv_units(z->ir) == 0;
    for (size_t i = 0; i < COUNT_OF(at); i += alike ? COUNT_OF(at) - 1 : 1)
        if (at[i] >= 0 && at[i] < d->context && (i == 0 || at[i] > at[i - 1]))
            add_steps(z, "single", at[i], 1, d->is_lm ? 3 : GRAPH_STEPS, false);
    int64_t window = longest_window(z->ir, 1), windows = longest_window(z->ir, most);
    if (window >= 0) add_steps(z, "window", window, 1, 1, false);
    if (most > 1 && windows >= 0) add_steps(z, "window", windows, most, 1, true);
    for (size_t i = 0; most > 1 && i < COUNT_OF(from); i += alike ? COUNT_OF(from) - 1 : 1) {
        int64_t pos = from[i] / d->tokens * d->tokens; // a step never crosses a block of 64
        if (from[i] >= 0 && (i == 0 || from[i] > from[i - 1]))
            add_steps(z, "prompt", pos, most, d->is_lm ? 3 : GRAPH_STEPS, true);
    }
    if (d->drafts) add_drafts(z);
    if (d->tokens > 1 && !d->is_lm) add_part(z);
    if (d->tokens == 1 && d->is_lm) add_steps(z, "prompt", 0, 1, 3, true);
}

// Adds whole steps from a position on, and then a step of `part` tokens unless that is 0. The last step runs the head,
// and in a language model a step for its id follows.
static void add_passage(struct sizing *z, int64_t pos, int part) {
    const struct ir_design *d = &z->ir->design;
    struct timing_step step[MAX_STEPS];
    int count = 0, last = MAX_STEPS - 1 - d->is_lm;
    for (; count < last && pos + d->tokens + part <= d->context; pos += d->tokens)
        step[count++] = timing_step_at(pos, d->tokens, !d->is_lm);
    if (part && pos + part <= d->context) step[count++] = timing_step_at(pos, part, true), pos += part;
    if (!count) return;
    step[count - 1].head = true;
    if (d->is_lm && pos < d->context) step[count++] = timing_step_at(pos, 1, true);
    sizing_add_case(z, "passage", step[0].pos, step, count);
}

void sizing_choose_passages(struct sizing *z) {
    const struct ir_design *d = &z->ir->design;
    const int64_t behind = (int64_t)(MAX_STEPS / 2) * d->tokens, end = d->context / d->tokens * d->tokens;
    const int64_t at[] = {0, LAYOUT_V_BLOCK - behind, 2 * LAYOUT_V_BLOCK - behind, end - (MAX_STEPS - 1) * d->tokens};
    if (kv_units(z->ir) == 0) return;
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        int64_t pos = at_least(at[i], 0);
        if (i > 0 && (at[i] < at[i - 1] || pos >= d->context || pos == at[i - 1])) continue;
        add_passage(z, pos, d->tokens > 1 ? 0 : 1);
        if (d->tokens > 1) add_passage(z, pos, 1);
        if (d->tokens > 2) add_passage(z, pos, d->tokens - 1);
    }
}

// ---- runs ----

void sizing_note_words(struct sizing *z, struct test_case *t, const struct timing_result *r) {
    if (r->stuck) return;
    if (!t->words) t->words = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
    for (int e = 0; e < z->ir->edges; e++) t->words[e] = at_least(t->words[e], r->edge[e].words);
}

struct timing_result *sizing_run_until(struct sizing *z, struct test_case *t, const int64_t *depth, bool single_word,
                                       const int64_t *latest) {
    struct timing_options o = {.step = t->step,
                               .steps = t->steps,
                               .bounded = depth != NULL || z->emitted,
                               .depth = depth,
                               .single_word = single_word,
                               .layers = t->layers,
                               .words = t->words,
                               .latest = latest,
                               .limit = z->most ? z->most + 1 : TIMING_LIMIT};
    o.memory = t->refreshes ? timing_memory_at(z->ir, timing_host_cycles(z->ir)) : z->memory;
    struct timing_result *r = timing_simulate(&z->scratch, z->ir, &o, &z->missing);
    if (r) sizing_note_words(z, t, r);
    if (r) z->work += r->cut ? o.limit : r->words + r->beats;
    return r;
}

struct timing_result *sizing_run(struct sizing *z, struct test_case *t, const int64_t *depth, bool single_word) {
    return sizing_run_until(z, t, depth, single_word, NULL);
}

// Notes the latest cycle of an engine's last command in each step. In a language model, a step waits for the id of the
// one before. In a graph, rows overlap, so an engine may be late with one row while the last row is still in time; the
// limit is then the end of the run. `slack` is the number of cycles by which a trial may be later.
void sizing_note_latest(const struct sizing *z, struct test_case *t, const struct timing_result *r, int64_t slack) {
    if (!t->latest) t->latest = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)t->steps + 1);
    t->era++;
    for (int s = 0; s < t->steps; s++) {
        t->latest[s] = z->ir->design.is_lm ? 0 : r->cycles;
        for (int e = 0; e < z->ir->engines; e++)
            t->latest[s] = at_least(t->latest[s], r->turn[s * z->ir->engines + e].last_command);
        t->latest[s] += slack;
    }
}

// Allocates a case's lists per edge.
static void open_marks(const struct sizing *z, struct test_case *t) {
    t->room = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
    t->single = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
}

bool sizing_add_request(struct sizing *z, int64_t *room) {
    struct timing_step *step;
    int steps = timing_request_steps(z->ir, at_most(2 * z->ir->design.tokens + 1, z->ir->design.context), 3, &step);
    sizing_add_case(z, "request", 0, step, (int)at_most(steps, MAX_STEPS));
    struct test_case *t = &z->test[z->tests - 1];
    t->refreshes = true;
    open_marks(z, t);
    struct arena_mark mark = arena_mark(&z->scratch);
    const struct timing_result *r = sizing_run(z, t, NULL, false);
    bool ok = r && !r->stuck;
    if (ok) t->cycles = t->unbounded = r->cycles + r->cycles / 100 + SLOWER_IN_ALL;
    for (int e = 0; ok && e < z->ir->edges; e++) room[e] = sizing_is_sized(z->ir, e) ? r->edge[e].room : 0;
    arena_release(&z->scratch, mark);
    return ok;
}

// Streams of tdata alone (steps, ids to the ring, parameters) are not sized, because they wait for their readers by
// design.
bool sizing_is_sized(const struct ir *ir, int e) {
    return ir->kernel[ir->edge[e].src_kernel].port[ir->edge[e].src_port].kind != IR_STREAM_BARE;
}

void sizing_note_mark(struct sizing *z, const struct test_case *t, int e, const struct timing_result *r) {
    const struct timing_edge *edge = &r->edge[e];
    if (edge->high_water <= z->depth[e] || !sizing_is_sized(z->ir, e)) return;
    int64_t firing = 0, word = edge->most_at;
    for (int64_t i = 0; i < word; i++) firing += edge->mark[i] & MARK_LAST;
    z->depth[e] = edge->high_water;
    const char *path = timing_path(&z->scratch, z->ir, r, e, word);
    z->out[e].forced_by =
        arena_printf(z->ir->arena,
                     "in the case \"%s\", the word written in cycle %lld (firing %lld) waits until data have passed %s",
                     t->name, (long long)edge->put[word], (long long)firing, path);
    z->out[e].delay = edge->take[word] - edge->put[word];
}

void sizing_note_least(struct sizing *z, const struct timing_result *r) {
    int64_t *mark = ARENA_ARRAY(&z->scratch, int64_t, (size_t)z->ir->edges + 1);
    if (!timing_latest(&z->scratch, z->ir, r, z->width, mark)) return;
    z->latest = true;
    for (int e = 0; e < z->ir->edges; e++) z->least[e] = at_least(z->least[e], mark[e]);
}

void sizing_clear_marks(struct sizing *z) {
    for (int e = 0; e < z->ir->edges; e++) {
        z->depth[e] = sizing_is_sized(z->ir, e) ? DEPTH_LEAST : z->safe[e];
        z->out[e].delay = 0;
        z->out[e].forced_by = NULL;
    }
}

bool sizing_measure(struct sizing *z, const int64_t *given, bool first) {
    sizing_clear_marks(z);
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, t, given, false);
        if (!r || r->stuck || (z->most && z->work > z->most)) return false;
        if (first) {
            t->cycles = r->cycles;
            open_marks(z, t);
        }
        for (int e = 0; e < z->ir->edges; e++) {
            sizing_note_mark(z, t, e, r);
            t->room[e] = r->edge[e].room;
            if (first && r->edge[e].full) z->full[e] = true;
        }
        if (first && t->for_lp) sizing_note_least(z, r);
        arena_release(&z->scratch, mark);
    }
    return true;
}
