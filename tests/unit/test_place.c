// SPDX-License-Identifier: Apache-2.0
// Tests the integer programs that choose kinds of memory and distribute a design over dies: compares a solution with
// all possible ones, and checks memories, dies, lanes and die crossings of designs against the board's resources.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/emit/emit.h"
#include "gen/report/design_report.h"
#include "gen/cost/cost.h"
#include "gen/ir/ir.h"
#include "gen/lp/mip.h"
#include "gen/pass/pass.h"
#include "gen/pass/place.h"
#include "gen/spec/spec.h"
#include "tests/unit/design_fixture.h"

static struct arena arena;
static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static struct ir *build(const char *spec) { return build_in(&arena, spec); }

// A knapsack problem: choose items of at most the weight ROOM in total that are worth as much as possible.
enum { ITEMS = 8, ROOM = 29 };
static const int weight[ITEMS] = {3, 7, 5, 9, 4, 8, 6, 2}, worth[ITEMS] = {5, 11, 8, 15, 5, 13, 8, 2};

static int best_by_trying(void) {
    int best = 0;
    for (int set = 0; set < 1 << ITEMS; set++) {
        int w = 0, v = 0;
        for (int i = 0; i < ITEMS; i++)
            if (set >> i & 1) w += weight[i], v += worth[i];
        if (w <= ROOM && v > best) best = v;
    }
    return best;
}

static void a_program_has_the_best_answer(void **state) {
    (void)state;
    struct mip m;
    mip_init(&m, &arena);
    int room = mip_row(&m, -MIP_NO_BOUND, ROOM), sum = 0;
    for (int i = 0; i < ITEMS; i++) mip_term(&m, room, mip_variable(&m, 0, 1, -worth[i], true), weight[i]);
    enum mip_status status;
    const double *x = mip_solve(&m, (struct mip_limits){10000, 100000}, &status);
    assert_int_equal(status, MIP_OPTIMAL);
    for (int i = 0; i < ITEMS; i++) sum += (int)x[i] * worth[i];
    assert_int_equal(sum, best_by_trying());
    // Each limit ends the search before an answer is proved.
    (void)mip_solve(&m, (struct mip_limits){1, 100000}, &status);
    assert_int_not_equal(status, MIP_OPTIMAL);
    (void)mip_solve(&m, (struct mip_limits){10000, 1}, &status);
    assert_int_not_equal(status, MIP_OPTIMAL);
}

static void a_program_without_answer_says_so(void **state) {
    (void)state;
    struct mip m;
    mip_init(&m, &arena);
    int x = mip_variable(&m, 0, 1, 1, true);
    mip_term(&m, mip_row(&m, 0.25, 0.75), x, 1); // no whole number
    enum mip_status status;
    assert_null(mip_solve(&m, (struct mip_limits){10000, 100000}, &status));
    assert_int_equal(status, MIP_NONE);
}

// If the kind of each memory followed only from its depth and shape, GPT-2 medium would need more block RAMs than the
// board has. The integer program must keep it within 75 % of the block RAMs and of the UltraRAMs.
static void a_large_design_fits_its_board(void **state) {
    (void)state;
    const struct ir *ir = built("configs/gpt2-medium-u55c.yaml");
    struct cost_design cost = cost_design(ir);
    int64_t bram36 = 0, uram = 0;
    for (int d = 0; d < ir->dies; d++) bram36 += ir->die[d].bram36, uram += ir->die[d].uram;
    assert_memory_equal(ir->design.memories, "by resource", strlen("by resource"));
    assert_true(cost.total.bram18 * 100 <= 2 * bram36 * 75);
    assert_true(cost.total.uram * 100 <= uram * 75);
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].depth <= 33) assert_int_equal(ir->edge[e].ram_style, RAM_DISTRIBUTED);
}

// Checks that the shipped designs use at most these shares, in percent, of the board's resources; above them, placement
// and routing become difficult. A single die may use a larger share, but not more than it has.
static void the_shipped_designs_fit_the_u55c(void **state) {
    (void)state;
    static const char *const specs[] = {"configs/gpt2-medium-u55c.yaml", "configs/gpt2-124m-u55c.yaml",
                                        "configs/gpt2-medium-u55c-spatial.yaml", "configs/gpt2-124m-u55c-spatial.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        const struct ir *ir = built(specs[s]);
        const struct cost_design cost = cost_design(ir);
        struct ir_die all = {0};
        for (int d = 0; d < ir->dies; d++) {
            const struct ir_die *die = &ir->die[d];
            all.lut += die->lut, all.ff += die->ff, all.dsp += die->dsp, all.bram36 += die->bram36,
                all.uram += die->uram;
            if (ir->design.dies < 2) continue;
            struct cost_resources r = cost_die(ir, &cost, d);
            if (r.lut > die->lut || r.ff > die->ff || r.dsp > die->dsp || r.bram18 > 2 * die->bram36 ||
                r.uram > die->uram)
                fail_msg("%s: more than %s has", specs[s], die->name);
            if (d + 1 < ir->dies && cost_boundary_bits(ir, d) > ir->design.sll)
                fail_msg("%s: too many wires from %s", specs[s], die->name);
        }
        const struct cost_resources *t = &cost.total;
        if (t->lut * 100 > 60 * all.lut || t->ff * 100 > 60 * all.ff || t->dsp * 100 > 70 * all.dsp ||
            t->bram18 * 100 > 2 * 75 * all.bram36 || t->uram * 100 > 75 * all.uram)
            fail_msg("%s: beyond a limit of the board's shares", specs[s]);
    }
}

// If the kinds of memory by depth and shape fit, they are kept, and no kernel gets a parameter RAM_STYLE.
static void a_small_design_keeps_the_rule(void **state) {
    (void)state;
    const struct ir *ir = built("configs/tinystories-gpt2-1m.yaml");
    assert_string_equal(ir->design.memories, "by depth and shape");
    for (int k = 0; k < ir->kernels; k++) assert_null(ir_param(&ir->kernel[k], "RAM_STYLE"));
}

// Returns whether a wire may cross between dies. Such a wire belongs to a parameter store, to the register stages that
// bring parameters to a store, or to a slice of the hash of the logits, which has registers at both ends.
static bool is_of_store(const struct ir *ir, int wire) {
    const struct ir_kernel *k = &ir->kernel[ir->wire[wire].kernel];
    return kernel_is(k, KERNEL_STORE) || !strcmp(k->module, "rill_hop") || !strcmp(ir->wire[wire].port, "way");
}

// Spreads a design over three dies. Only streams, the loading of parameter stores and the hash of the logits may cross
// between dies. Streams and loading must have a register stage for each boundary. The clients of the memory must be on
// the memory's die.
static void a_design_is_spread_over_dies(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-124m-layer.yaml");
    struct diag diag;
    diag_init(&diag, stderr);
    int64_t all = cost_design(ir).total.lut, sum = 0;
    ir->design.dies = 3;
    assert_true(pass_place_dies(ir, NULL, &diag));
    assert_true(ir_verify(ir, &diag, "place-dies"));
    struct cost_design cost = cost_design(ir);
    for (int d = 0; d < ir->dies; d++) sum += cost_die(ir, &cost, d).lut;
    assert_int_equal(sum, cost.total.lut);
    assert_true(cost.total.lut > all);
    int crossings = 0;
    for (int e = 0; e < ir->edges; e++) {
        int from = ir_source_die(ir, ir->edge[e].src_kernel), to = ir->kernel[ir->edge[e].dst_kernel].die;
        assert_int_equal(ir->edge[e].crossings, from < to ? to - from : from - to);
        crossings += ir->edge[e].crossings;
    }
    assert_true(crossings > 0);
    for (int a = 0; a < ir->wires; a++)
        for (int b = 0; b < ir->wires; b++)
            if (ir_use_equal(&ir->wire[a].use, &ir->wire[b].use) &&
                ir_use_whole(&ir->wire[a].use) != ir_find_net(ir, IR_NET_ROW_HASH, IR_NONE) && !is_of_store(ir, a) &&
                !is_of_store(ir, b))
                assert_int_equal(ir->kernel[ir->wire[a].kernel].die, ir->kernel[ir->wire[b].kernel].die);
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].kernel != IR_NONE)
            assert_int_equal(ir->kernel[ir->client[c].kernel].die, cost_memory_die(ir));
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_STORE))
            assert_true(ir_param_int(&ir->kernel[k], "HOPS", 0) >= abs(ir->kernel[k].die - cost_memory_die(ir)));
    for (int b = 0; b + 1 < ir->dies; b++) assert_true(cost_boundary_bits(ir, b) <= ir->design.sll);
}

struct way {
    int last, count; // die of the previous instance; number of instances
    bool near;       // every instance is on a die next to that of the previous one
};

// Notes the next instance on the way of a stream (see emit_walk_stream). state: a struct way.
static void follow(void *state, const char *instance, int die) {
    struct way *w = state;
    (void)instance;
    w->near = w->near && (!w->count || abs(die - w->last) == 1);
    w->last = die;
    w->count++;
}

// The FIFO of a stream between dies must have room for the words in flight. The stream must have one instance on each
// die of its way. A design with a smaller FIFO must be refused.
static void a_stream_between_dies_has_credits_for_its_way(void **state) {
    (void)state;
    assert_int_equal(ir_credits(5, 0), 5);
    assert_int_equal(ir_credits(2, 1), 7);
    assert_int_equal(ir_credits(8, 2), 14);
    struct ir *ir = build("tests/e2e/cases/dies/spec.yaml");
    struct diag diag;
    diag_init(&diag, tmpfile());
    int streams = 0, far = IR_NONE;
    const struct emit_plan *plan = emit_plan_make(ir, NULL);
    for (int e = 0; e < ir->edges; e++) {
        if (!ir->edge[e].crossings || ir->edge[e].pool != IR_NONE) continue;
        struct way way = {.near = true};
        emit_walk_stream(plan, e, follow, &way);
        assert_true(way.near && way.count == ir->edge[e].crossings + 1);
        assert_int_equal(way.last, ir->kernel[ir->edge[e].dst_kernel].die);
        assert_true(ir->edge[e].depth >= 2 * ir->edge[e].crossings + 5);
        streams++;
        if (ir->edge[e].crossings > 1) far = e;
    }
    assert_true(streams > 1 && far != IR_NONE);
    assert_true(ir_verify(ir, &diag, "place-dies"));
    ir->edge[far].depth = 2 * ir->edge[far].crossings + 4;
    assert_false(ir_verify(ir, &diag, "place-dies"));
}

// A word of keys can cross in several parts, one per cycle, because the engine makes keys at a slow pace. This saves
// wires. Streams for which an engine waits, or that wait for an engine, must not cross in parts.
static void words_cross_in_parts(const char *spec) {
    struct ir *ir = build(spec);
    struct diag diag;
    diag_init(&diag, tmpfile());
    int in_parts = 0, whole = IR_NONE;
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        int64_t bits = cost_edge_bits(ir, edge);
        assert_true(edge->parts == 0 || edge->crossings);
        assert_true(ir_edge_parts(edge) <= cost_edge_pace(ir, edge));
        assert_int_equal(cost_stream_bits(ir, edge), (bits + ir_edge_parts(edge) - 1) / ir_edge_parts(edge) + 2);
        for (int i = 0; i < ir->engines; i++)
            if (edge->dst_kernel == ir->engine[i].kernel || edge->src_kernel == ir->engine[i].y_demux)
                assert_int_equal(edge->parts, 0);
        in_parts += edge->parts > 1;
        if (!edge->crossings) whole = e;
    }
    assert_true(in_parts > 0 && whole != IR_NONE);
    assert_true(ir_verify(ir, &diag, "place-dies"));
    ir->edge[whole].parts = 2;
    assert_false(ir_verify(ir, &diag, "place-dies"));
}

static void words_far_apart_cross_in_parts(void **state) {
    (void)state;
    words_cross_in_parts("tests/e2e/cases/dies/spec.yaml");
    words_cross_in_parts("configs/gpt2-medium-u55c.yaml"); // in this design, results also have a slow pace
}

// Returns the register stage that drives the net, or IR_NONE.
static int stage_of(const struct ir *ir, int net) {
    for (int w = 0; w < ir->wires; w++)
        if (ir_use_whole(&ir->wire[w].use) == net && !strcmp(ir->wire[w].port, "q")) return ir->wire[w].kernel;
    return IR_NONE;
}

static int net_of(const struct ir *ir, int kernel, const char *port) {
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].kernel == kernel && !strcmp(ir->wire[w].port, port)) return ir_use_whole(&ir->wire[w].use);
    return IR_NONE;
}

static int readers_of(const struct ir *ir, int net) {
    int count = 0;
    for (int w = 0; w < ir->wires; w++) count += !ir->wire[w].is_output && ir_use_whole(&ir->wire[w].use) == net;
    return count;
}

// Checks that the load path of a store has as many register stages as the store's parameter HOPS, that the first one is
// on the memory's die, and that a signal that crosses a boundary has only one reader.
static void follow_loads(const struct ir *ir, int store) {
    int die = ir->kernel[store].die, stages = 0, net = net_of(ir, store, "load_data");
    for (int k; (k = stage_of(ir, net)) != IR_NONE; stages++) {
        if (ir->kernel[k].die != die) assert_int_equal(readers_of(ir, net), 1);
        die = ir->kernel[k].die;
        net = net_of(ir, k, "d");
    }
    assert_int_equal(die, cost_memory_die(ir));
    assert_int_equal(stages, ir_param_int(&ir->kernel[store], "HOPS", 0));
}

static void what_loads_stores_leaves_from_a_register(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-medium-u55c.yaml");
    int away = 0;
    for (int k = 0; k < ir->kernels; k++) {
        if (!kernel_is(&ir->kernel[k], KERNEL_STORE)) continue;
        follow_loads(ir, k);
        away += ir->kernel[k].die != cost_memory_die(ir);
    }
    assert_true(away > 0);
}

// The number of an engine's hops must follow from its farthest lane or sums. Here the engine is on the last die, so the
// farthest lane is on the first one.
static void the_farthest_lanes_count(void **state) {
    (void)state;
    struct ir_kernel kernel = {.die = 2};
    struct ir_engine e = {.channels = 3, .lanes = 3, .lane_die = {2, 0, 1}, .sums_die = {2, 0, 1}, .result_die = 2};
    struct ir ir = {.kernel = &kernel, .engine = &e};
    assert_int_equal(ir_engine_hops(&ir, &e), 2);
    assert_int_equal(ir_result_hops(&e), 2);
    assert_int_equal(ir_pulse_hops(&ir, &e), 0);
    e.lane_die[1] = 2, e.result_die = 0;
    assert_int_equal(ir_engine_hops(&ir, &e), 2);
    assert_int_equal(ir_pulse_hops(&ir, &e), 3);
}

// In a cut lane, row parameters cross in words that are as narrow as possible: the parameters of a row may take no
// longer than the beats of the shortest row.
static void row_parameters_take_no_longer_than_a_row(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-124m-layer.yaml"); // rows of 6 beats
    const int beats[] = {8, 6, 3, 1}, bits[] = {8, 16, 32, 64};
    assert_int_equal(ir_param_bits(ir, &ir->engine[0]), 16);
    for (int f = 0; f < ir->firings; f++) ir->firing[f].beats += 8;
    for (size_t i = 0; i < COUNT_OF(beats); i++) {
        ir->firing[0].beats = beats[i];
        assert_int_equal(ir_param_bits(ir, &ir->engine[0]), bits[i]);
    }
}

// The table of each die boundary must list the widest crossing first, and the sum of its rows must be all bits that
// cross.
static void all_that_crosses_is_in_the_table(void **state) {
    (void)state;
    static const char *const specs[] = {"configs/gpt2-medium-u55c.yaml", "tests/e2e/cases/cut/spec.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        struct ir *ir = build(specs[s]);
        struct text text = {0};
        long long bits, sum = 0, before = INT64_MAX;
        char what[64];
        int boundary = 0;
        design_report_crossings(ir, &text);
        for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
            if (sscanf(line, " %lld  %63[^\n]", &bits, what) != 2) continue;
            if (!strcmp(what, "all")) {
                assert_true(sum == bits && bits == cost_boundary_bits(ir, boundary++));
                sum = 0, before = INT64_MAX;
                continue;
            }
            assert_true(bits <= before);
            before = bits, sum += bits;
        }
        assert_int_equal(boundary, ir->dies - 1);
        text_free(&text);
    }
}

// Some readers of keys and values use only the scale, others only the integers. Only the used part of a word may be
// stored in the FIFO and cross.
static void a_stream_has_what_its_reader_looks_at(void **state) {
    (void)state;
    const struct ir *ir = built("configs/gpt2-124m-layer.yaml");
    int64_t beat = ir->design.beat_bits;
    int scales = 0, integers = 0;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_port *to = &ir->kernel[ir->edge[e].dst_kernel].port[ir->edge[e].dst_port];
        struct kernel_part part = kernel_part(ir, &ir->edge[e]);
        const char *module = ir->kernel[ir->edge[e].dst_kernel].module;
        bool of_scales = !strcmp(module, "rill_kv_scale") && to->role == IR_ROLE_KV;
        if (of_scales) assert_true(part.first == beat && part.bits == 32);
        else assert_true(part.first == 0 && part.bits == (part.bits < to->data_bits ? beat : to->data_bits));
        scales += of_scales, integers += part.bits == beat && part.bits < to->data_bits;
    }
    assert_int_equal(scales, 2);
    assert_int_equal(integers,
                     3); // keys of the step for the scores, and the keys and values that are written to memory
}

// Four tasks in a row are distributed over two dies with room for two tasks each. Only the narrow stream in the middle
// may cross.
static void a_partition_cuts_the_narrow_stream(void **state) {
    (void)state;
    struct place p = {.arena = &arena, .dies = 2};
    for (int d = 0; d < 2; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++) p.room[d][s] = 100;
    for (int t = 0; t < 4; t++) VEC_PUSH(&arena, p.task, ((struct place_task){.need = {30}, .pinned = t == 0}));
    for (int t = 0; t < 3; t++) VEC_PUSH(&arena, p.link, ((struct place_link){t, t + 1, t == 1 ? 8 : 512}));
    assert_int_equal(place_solve(&p), MIP_OPTIMAL);
    for (int t = 0; t < 4; t++) assert_int_equal(p.task.items[t].die, t / 2);
}

// If a partition has many tasks, tasks with many bits between them are placed as one. Here they are in a chain, and the
// streams are wide within each four tasks. Two narrow streams cross, and every die gets a third of the tasks.
static void many_tasks_are_merged(void **state) {
    (void)state;
    enum { TASKS = 240, GROUP = 4, DIES = 3, LEFT = 100 };
    struct place p = {.arena = &arena, .dies = DIES};
    int on[DIES] = {0};
    for (int d = 0; d < DIES; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++) p.room[d][s] = 160, p.full[d][s] = 1;
    for (int t = 0; t < TASKS; t++) VEC_PUSH(&arena, p.task, ((struct place_task){.need = {1}, .pinned = t == 0}));
    for (int t = 0; t + 1 < TASKS; t++)
        VEC_PUSH(&arena, p.link, ((struct place_link){t, t + 1, t % GROUP == GROUP - 1 ? 8 : 512}));
    VEC_PUSH(&arena, p.lanes, ((struct place_lanes){.parts = 2, .bits = 512}));
    struct place_merged merged;
    assert_true(place_merge(&p, &merged));
    assert_int_equal(merged.place.task.count, LEFT);
    assert_int_equal(place_solve(&p), MIP_OPTIMAL);
    for (int t = 0; t < TASKS; t++) {
        on[p.task.items[t].die]++;
        assert_int_equal(p.task.items[t].die, p.task.items[t / GROUP * GROUP].die);
    }
    for (int d = 0; d < DIES; d++) assert_int_equal(on[d], TASKS / DIES);
    assert_int_equal(p.task.items[0].die, 0);
    assert_int_equal(p.lanes.items[0].on[0], 2);
}

// If a die would exceed its limits, lanes are cut, and their results are joined on another die. Every part must be
// counted on one die. The design has 11 lanes of 256 bits and two tokens per cycle.
static void lanes_are_cut_beyond_limits(void **state) {
    (void)state;
    const struct ir *ir = built("tests/e2e/cases/cut/spec.yaml");
    const struct ir_engine *e = &ir->engine[0];
    const struct ir_kernel *k = &ir->kernel[e->kernel];
    struct cost_design cost = cost_design(ir);
    struct cost_resources sums = cost_lane_sums(ir, e);
    int64_t all = 0;
    for (int d = 0; d < ir->dies; d++) all += cost_die(ir, &cost, d).lut;
    assert_int_equal(all, cost.total.lut);
    for (int c = 0; c < e->channels; c++) {
        assert_int_equal(e->lane_die[c], c < 8 ? 0 : 1);
        assert_int_equal(e->sums_die[c], 1);
    }
    assert_int_equal(e->result_die, 1);
    assert_int_equal(ir_param_int(k, "HOPS", 0), 1);
    assert_int_equal(ir_param_int(k, "EARLY", 0), 1);
    assert_int_equal(ir_param_int(k, "COPY_CHAIN", 0), 0x10);
    assert_int_equal(ir_param_int(k, "SUMS_CHAIN", 0), 0x11);
    assert_int_equal(ir_param_int(k, "CHAIN_AWAY", 0), 2);
    assert_int_equal(ir_param_int(k, "RESULT_HOPS", -1), 0);
    assert_int_equal(ir_param_int(k, "PULSE_HOPS", 0), 2);
    int64_t shared = cost_lane_chain_bits(k), terms = 2 * (8 + 26) + ir_param_bits(ir, e);
    assert_int_equal(cost_engine_bits(ir, e, 0), 8 * terms + 3 * 256 + shared);
    assert_int_equal(cost_engine_bits(ir, e, 1), 0);
    struct ir whole = *ir;
    struct ir_engine same = *e;
    for (int c = 0; c < 8; c++) same.sums_die[c] = 0;
    whole.engine = &same;
    assert_int_equal(cost_die(&whole, &cost, 0).lut - cost_die(ir, &cost, 0).lut, 8 * sums.lut);
    assert_int_equal(cost_die(ir, &cost, 1).dsp - cost_die(&whole, &cost, 1).dsp, 8 * sums.dsp);
    assert_true(sums.lut > 1000);
}

// In this design, eight whole lanes are on die 0, and the results of all lanes are collected on die 1.
static void results_away_from_whole_lanes(void **state) {
    (void)state;
    const struct ir *ir = built("tests/e2e/cases/cut_far/spec.yaml");
    const struct ir_engine *e = &ir->engine[0];
    const struct ir_kernel *k = &ir->kernel[e->kernel];
    for (int c = 0; c < e->channels; c++) assert_int_equal(e->sums_die[c], c < 8 ? 0 : 1);
    assert_int_equal(e->result_die, 1);
    assert_int_equal(ir_param_int(k, "HOPS", 0), 1);
    assert_null(ir_param(k, "RESULT_HOPS")); // the default is the value of HOPS
    int64_t terms = 3 * (2 * (8 + 26) + ir_param_bits(ir, e)) + cost_sums_chain_bits(k);
    assert_int_equal(cost_engine_bits(ir, e, 0), terms + 8 * COST_LANE_RESULT_BITS);
    assert_int_equal(cost_engine_bits(ir, e, 1), 0);
}

// Beats cross in halves only if all other placements exceed the limits. This takes half of the wires, and one more
// register stage.
static void beats_cross_in_halves_beyond_limits(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/halves/spec.yaml");
    const struct ir_engine *e = &ir->engine[0];
    const struct ir_kernel *k = &ir->kernel[e->kernel];
    int64_t luts = cost_design(ir).kernel[e->kernel].lut;
    int away = 0;
    for (int c = 0; c < e->channels; c++) away += e->lane_die[c] == 1 && e->sums_die[c] == 1;
    assert_int_equal(away, 8);
    assert_true(e->halves);
    assert_int_equal(ir_param_int(k, "HALVES", 0), 1);
    assert_int_equal(ir_param_int(k, "HOPS", 0), 2);
    int64_t results = 3 * COST_LANE_RESULT_BITS; // of the lanes at the memory
    assert_int_equal(cost_engine_bits(ir, e, 0), 8 * 256 / 2 + cost_lane_chain_bits(k) + results);
    ir_set_int(ir, e->kernel, "HALVES", 0);
    assert_int_equal(luts - cost_design(ir).kernel[e->kernel].lut, 8 * (256 / 2 + 1));
    assert_false(built("tests/e2e/cases/cut_far/spec.yaml")->engine[0].halves);
}

// Returns the text of a spec with a line inserted after its line `dies`.
static const char *text_with(const char *path, const char *line) {
    static const char mark[] = "  dies: 3\n";
    size_t len;
    const char *why, *text = file_read(&arena, path, 1 << 16, &len, &why);
    assert_non_null(text);
    const char *at = strstr(text, mark);
    assert_non_null(at);
    at += sizeof mark - 1;
    return arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, line, at);
}

// With `crossings: single_rate`, no path between dies may use the second clock, so beats must not cross in halves.
static void beats_cross_whole_at_a_single_rate(void **state) {
    (void)state;
    struct diag diag;
    diag_init(&diag, stderr);
    const char *text = text_with("tests/e2e/cases/halves/spec.yaml", "  crossings: single_rate\n");
    const struct rill_spec *spec =
        rill_spec_read_bytes("tests/e2e/cases/halves/single.yaml", text, strlen(text), &arena, &diag);
    assert_non_null(spec);
    struct ir *ir = command_build_spec(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    assert_int_equal(ir->design.single_rate, 1);
    assert_false(ir->engine[0].halves);
    assert_null(ir_param(&ir->kernel[ir->engine[0].kernel], "HALVES"));
    assert_int_equal(build("tests/e2e/cases/halves/spec.yaml")->design.single_rate, 0);
}

// Whether each die and each boundary between dies is within the limits of the board.
static bool is_within_limits(const struct ir *ir) {
    struct cost_design cost = cost_design(ir);
    for (int d = 0; d < ir->dies; d++) {
        struct cost_fill f = cost_fill(ir, &cost, d);
        if (f.taken.lut > f.limit.lut || f.taken.ff > f.limit.ff || f.taken.dsp > f.limit.dsp ||
            f.taken.bram18 > f.limit.bram18 || f.taken.uram > f.limit.uram)
            return false;
        if (d + 1 < ir->dies && cost_boundary_bits(ir, d) > cost_wires(ir, d).room) return false;
    }
    return true;
}

static int clients_in_rams(const struct ir *ir) {
    int count = 0;
    for (int c = 0; c < ir->clients; c++) count += ir->client[c].ram_style != RAM_AUTO;
    return count;
}

// Returns the number of streams with words of at most 64 bits that cross in parts.
static int narrow_in_parts(const struct ir *ir) {
    int count = 0;
    for (int e = 0; e < ir->edges; e++) count += ir->edge[e].parts > 1 && cost_edge_bits(ir, &ir->edge[e]) <= 64;
    return count;
}

// These designs are within their limits only if prefetch FIFOs of clients leave the LUTs (Llama, Qwen), and only if
// ids and step words cross in parts (Qwen).
static void a_design_near_its_limits_is_within_them(void **state) {
    (void)state;
    const struct ir *llama = built("bench/designs/llama32-1b-u55c-32.yaml"),
                    *qwen = built("bench/designs/qwen25-05b-u55c-32.yaml");
    assert_true(is_within_limits(llama));
    assert_true(clients_in_rams(llama) > 0);
    assert_int_equal(narrow_in_parts(llama), 0);
    assert_true(is_within_limits(qwen));
    assert_true(clients_in_rams(qwen) > 0);
    assert_true(narrow_in_parts(qwen) >= 2); // ids and step words
    for (int c = 0; c < qwen->clients; c++) {
        struct ir other = *qwen;
        other.client = ARENA_ARRAY(&arena, struct ir_client, (size_t)qwen->clients);
        memcpy(other.client, qwen->client, (size_t)qwen->clients * sizeof *qwen->client);
        other.client[c].ram_style = RAM_AUTO;
        int64_t more = cost_design(&other).memory.lut - cost_design(qwen).memory.lut;
        assert_true(more >= 0 && (more > 0) == (qwen->client[c].ram_style != RAM_AUTO));
    }
}

// The channels of the emitted design have the kinds of memory that the IR has, each as a letter: d, b or u.
static void a_client_is_emitted_in_its_kind_of_memory(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/dies/spec.yaml");
    struct text before = {0}, after = {0};
    emit_channels(emit_plan_make(ir, NULL), &before);
    for (int c = 0; c < ir->clients; c++)
        if (!ir->client[c].is_write) ir->client[c].ram_style = RAM_ULTRA;
    emit_channels(emit_plan_make(ir, NULL), &after);
    assert_null(strstr(text_cstr(&before), ".STYLE(\"u"));
    assert_non_null(strstr(text_cstr(&after), ".STYLE(\"u"));
    text_free(&before);
    text_free(&after);
}

// Within the limits, small FIFOs stay in LUTs and narrow words cross whole. If moving all small FIFOs would not bring a
// die within its limits, none is moved.
static void small_fifos_move_only_where_that_suffices(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/dies/spec.yaml");
    int home = cost_memory_die(ir);
    assert_int_equal(clients_in_rams(ir), 0);
    assert_int_equal(narrow_in_parts(ir), 0);
    struct cost_design cost = cost_design(ir);
    struct cost_fill f = cost_fill(ir, &cost, home);
    int64_t spare = place_small_luts(ir);
    assert_true(spare > 0);
    ir->design.figures.limits.hbm_lut = 100.0 * (double)(f.taken.lut - 2 * spare) / (double)f.whole.lut;
    place_relieve(ir, home);
    assert_int_equal(clients_in_rams(ir), 0);
    ir->design.figures.limits.hbm_lut = 100.0 * (double)(f.taken.lut - 100) / (double)f.whole.lut;
    place_relieve(ir, home);
    cost = cost_design(ir);
    f = cost_fill(ir, &cost, home);
    assert_true(f.taken.lut <= f.limit.lut);
}

// With `reserve: second`, memory ports take the board's higher estimate.
static void a_design_has_the_reserve_that_it_names(void **state) {
    (void)state;
    struct diag diag;
    diag_init(&diag, stderr);
    const char *text = text_with("configs/smollm2-135m-u55c-28.yaml", "  reserve: second\n");
    const struct rill_spec *spec = rill_spec_read_bytes("configs/second.yaml", text, strlen(text), &arena, &diag);
    assert_non_null(spec);
    struct ir *ir = command_build_spec(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    const struct board_memory_port *port = &ir->design.figures.memory_port;
    int home = cost_memory_die(ir);
    assert_true(port->most_lut > port->lut && port->most_ff > port->ff);
    assert_int_equal(cost_ports(ir, home).lut, ir->design.channels * port->most_lut);
    assert_int_equal(cost_ports(ir, home).ff, ir->design.channels * port->most_ff);
    struct cost_resources room = cost_room(ir, home);
    ir->design.second_reserve = 0;
    assert_int_equal(cost_ports(ir, home).lut, ir->design.channels * port->lut);
    assert_int_equal(cost_room(ir, home).lut - room.lut, ir->design.channels * (port->most_lut - port->lut));
    assert_int_equal(built("bench/designs/qwen25-05b-u55c-32.yaml")->design.second_reserve, 0);
}

static bool is_refused(const struct ir *ir) {
    struct diag diag;
    diag_init(&diag, stderr);
    return !ir_verify(ir, &diag, "place-dies");
}

static void a_cut_that_cannot_be_built_is_a_fault(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/cut_far/spec.yaml");
    struct ir_engine *e = &ir->engine[0];
    assert_false(is_refused(ir));
    e->sums_die[1] = 1; // only one lane of a group is cut
    assert_true(is_refused(ir));
    for (int c = 0; c < 8; c++)
        e->lane_die[c] = 1, e->sums_die[c] = 2; // the multipliers of cut lanes must be on the memory's die
    assert_true(is_refused(ir));
    ir = build("tests/e2e/cases/dies/spec.yaml");
    assert_false(is_refused(ir));
    ir->engine[0].halves = true; // the design has no second clock
    assert_true(is_refused(ir));
}

// If whole lanes are within the limits, no lane is cut.
static void within_limits_lanes_are_whole(void **state) {
    (void)state;
    const struct ir *ir = built("tests/e2e/cases/dies/spec.yaml");
    const struct ir_engine *e = &ir->engine[0];
    assert_int_equal(e->result_die, ir->kernel[e->kernel].die);
    assert_null(ir_param(&ir->kernel[e->kernel], "EARLY"));
    assert_null(ir_param(&ir->kernel[e->kernel], "PULSE_HOPS"));
    for (int c = 0; c < e->channels; c++) assert_int_equal(e->lane_die[c], e->sums_die[c]);
}

// Two lanes need 60 each, and a die has room for 100. A whole lane on the other die would need 8,192 bits, the sums of
// a cut lane only 8, so the lanes must be cut.
static void a_part_is_cut_where_that_is_narrow(void **state) {
    (void)state;
    struct place p = {.arena = &arena, .dies = 2, .cuts = true};
    for (int d = 0; d < 2; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++) p.room[d][s] = 100;
    VEC_PUSH(&arena, p.task, ((struct place_task){.pinned = true}));
    VEC_PUSH(&arena, p.task, ((struct place_task){.pinned = false}));
    VEC_PUSH(&arena, p.lanes,
             ((struct place_lanes){.parts = 2,
                                   .results = 1,
                                   .need = {60},
                                   .sums_need = {25},
                                   .bits = 8192,
                                   .back_bits = 34,
                                   .chain_bits = 600,
                                   .sums_bits = 8,
                                   .sums_chain_bits = 40}));
    assert_int_equal(place_solve(&p), MIP_OPTIMAL);
    assert_int_equal(p.lanes.items[0].on[0] + p.lanes.items[0].on[1], 0);
    assert_int_equal(p.lanes.items[0].cut[1], 2);
    assert_int_equal(p.task.items[1].die, 1);
}

static int lanes_of(const struct ir *ir, const char *name) {
    for (int n = 0; n < ir->nodes; n++)
        if (!strcmp(ir->node[n].name, name)) return ir->node[n].lanes;
    fail_msg("no operation %s", name);
    return 0;
}

// Kernels that read rows of embedding tables, and kernels that read only their output, have few lanes, because they
// work once per step and not once per layer.
static void rows_of_tables_are_narrow(void **state) {
    (void)state;
    static const char *const names[] = {"token_row", "position_row", "embedded"};
    const struct ir *medium = built("configs/gpt2-medium-u55c.yaml"), *small = built("configs/gpt2-124m-u55c.yaml");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(lanes_of(medium, names[i]), medium->design.lanes / 4);
        assert_int_equal(lanes_of(small, names[i]), small->design.lanes / 4);
    }
    assert_true(lanes_of(medium, "residual1") >= 16);
}

// Step words and keys are read on the memory's die and on others, but cross to SLR1 only once.
static void what_both_sides_read_crosses_once(void **state) {
    (void)state;
    const struct ir *ir = built("configs/gpt2-medium-u55c.yaml");
    int home = cost_memory_die(ir), steps = 0, keys = 0;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int from = ir_source_die(ir, edge->src_kernel), to = ir->kernel[edge->dst_kernel].die;
        if ((from == home) == (to == home)) continue;
        steps += kernel_is(&ir->kernel[edge->src_kernel], KERNEL_FORK | KERNEL_LOOP) && cost_edge_bits(ir, edge) == 64;
        keys += !strncmp(edge->name, "attention_keys_", strlen("attention_keys_"));
    }
    assert_int_equal(steps, 1);
    assert_int_equal(keys, 1);
}

// Returns the kernel that drives the wire, or IR_NONE.
static int driver_of(const struct ir *ir, const struct ir_wire *wire) {
    int net = ir_use_whole(&wire->use);
    return net == IR_NONE ? IR_NONE : ir->net[net].driver;
}

static int driver_of_port(const struct ir *ir, int kernel, const char *port) {
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].kernel == kernel && !strcmp(ir->wire[w].port, port)) return driver_of(ir, &ir->wire[w]);
    return IR_NONE;
}

// Checks that no wire goes from a die to one that is not next to it. Wires to a parameter store are excepted, because
// the store contains the registers of its load path.
static void assert_no_wire_skips_a_die(const struct ir *ir) {
    for (int w = 0; w < ir->wires; w++) {
        const struct ir_wire *wire = &ir->wire[w];
        int from = wire->is_output ? IR_NONE : driver_of(ir, wire);
        if (from != IR_NONE && !kernel_is(&ir->kernel[wire->kernel], KERNEL_STORE))
            assert_in_range(abs(ir->kernel[from].die - ir->kernel[wire->kernel].die), 0, 1);
    }
}

// In this design, tokens are chosen on SLR2 and the token loop is on SLR0. The slices of the hash of the logits must
// pass a register on SLR1.
static void the_hash_of_the_logits_crosses_one_die_at_a_time(void **state) {
    (void)state;
    const struct ir *ir = built("configs/gpt2-medium-u55c-a4.yaml");
    struct cost_hash hash = cost_hash(ir);
    assert_int_equal(cost_hash_bits(ir, 0) + cost_hash_bits(ir, 1), 22);
    assert_no_wire_skips_a_die(ir);
    int there = driver_of_port(ir, hash.to, "row_hash"), way = driver_of_port(ir, there, "way");
    assert_int_equal(ir->kernel[there].die, 0);
    assert_int_equal(ir->kernel[way].die, 1);
    assert_int_equal(driver_of_port(ir, driver_of_port(ir, way, "d"), "d"), hash.from);
    assert_int_equal(ir_param_int(&ir->kernel[hash.to], "HASH_WAIT", 4), 14);
}

// If a buffer of equal memories does not fit in one kind of RAM on its die, some of its memories use another kind.
static void a_buffer_is_divided_where_one_kind_is_short(void **state) {
    (void)state;
    const struct ir *ir = built("configs/gpt2-medium-u55c.yaml");
    struct cost_design cost = cost_design(ir);
    struct cost_fill fill = cost_fill(ir, &cost, cost_memory_die(ir));
    int divided = 0;
    assert_true(fill.taken.uram <= fill.limit.uram && fill.taken.bram18 <= fill.limit.bram18);
    for (int k = 0; k < ir->kernels; k++) {
        struct cost_memory m;
        if (!kernel_memory(&ir->kernel[k], &m) || !m.mixed) continue;
        assert_true(m.ultra > 0 && m.ultra < m.times && m.style == RAM_BLOCK);
        struct cost_resources ultra = cost_kernel_as(ir, k, RAM_ULTRA), block = cost_kernel_as(ir, k, RAM_BLOCK);
        assert_int_equal(cost.kernel[k].uram, block.uram);
        assert_int_equal((ultra.uram - block.uram) * m.ultra, block.uram * (m.times - m.ultra));
        divided++;
    }
    assert_int_equal(divided, 1);
}

// Checks that each memory of a design of GPT-2 medium with a context of 2,048 fits a die.
static void memories_fit(int channels) {
    char text[400];
    snprintf(
        text, sizeof text,
        "name: t\nboard: u55c\nmodel: {family: gpt2, layers: 24, hidden: 1024, heads: 16, ffn: 4096, vocab: 50257, "
        "context: 2048}\ndesign: {channels: %d, beat_bits: 512, lanes: 32, unroll: 280, T: 8, A: 4, dies: 3, "
        "weights: int4, head: int4, prefetch_beats: 512, fifo: safe, clock_mhz: 225}\n",
        channels);
    struct diag diag;
    diag_init(&diag, stderr);
    const struct rill_spec *spec = rill_spec_read_bytes("t.yaml", text, strlen(text), &arena, &diag);
    assert_non_null(spec);
    const struct ir *ir = command_build_spec(spec, &arena, &diag, "allocate-memories");
    assert_non_null(ir);
    int memories = 0;
    for (int k = 0; k < ir->kernels; k++) {
        struct cost_memory m;
        if (!kernel_memory(&ir->kernel[k], &m) || m.mixed) continue;
        struct cost_resources r = cost_kernel_as(ir, k, m.style);
        bool fits = false;
        for (int d = 0; d < ir->dies; d++) {
            struct cost_resources room = cost_room(ir, d);
            fits |= r.bram18 <= room.bram18 && r.uram <= room.uram;
        }
        assert_true(fits);
        memories++;
    }
    assert_true(memories > 0);
}

// A memory cannot be divided over dies, so its kind must be one of which a single die has enough, for every number of
// channels. The scales of keys are the largest memory: 96 URAMs, or 768 block RAMs, which no die has.
static void a_memory_fits_a_die(void **state) {
    (void)state;
    memories_fit(26);
}

static void slow_a_memory_fits_a_die_with_any_channels(void **state) {
    (void)state;
    for (int channels = 16; channels <= 32; channels++) memories_fit(channels);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_buffer_is_divided_where_one_kind_is_short, setup, teardown),
        cmocka_unit_test_setup_teardown(a_memory_fits_a_die, setup, teardown),
        cmocka_unit_test_setup_teardown(slow_a_memory_fits_a_die_with_any_channels, setup, teardown),
        cmocka_unit_test_setup_teardown(what_both_sides_read_crosses_once, setup, teardown),
        cmocka_unit_test_setup_teardown(the_hash_of_the_logits_crosses_one_die_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_of_tables_are_narrow, setup, teardown),
        cmocka_unit_test_setup_teardown(a_program_has_the_best_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(a_program_without_answer_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(a_large_design_fits_its_board, setup, teardown),
        cmocka_unit_test_setup_teardown(the_shipped_designs_fit_the_u55c, setup, teardown),
        cmocka_unit_test_setup_teardown(a_design_is_spread_over_dies, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stream_between_dies_has_credits_for_its_way, setup, teardown),
        cmocka_unit_test_setup_teardown(words_far_apart_cross_in_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(what_loads_stores_leaves_from_a_register, setup, teardown),
        cmocka_unit_test_setup_teardown(the_farthest_lanes_count, setup, teardown),
        cmocka_unit_test_setup_teardown(row_parameters_take_no_longer_than_a_row, setup, teardown),
        cmocka_unit_test_setup_teardown(all_that_crosses_is_in_the_table, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stream_has_what_its_reader_looks_at, setup, teardown),
        cmocka_unit_test_setup_teardown(a_partition_cuts_the_narrow_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(many_tasks_are_merged, setup, teardown),
        cmocka_unit_test_setup_teardown(lanes_are_cut_beyond_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(results_away_from_whole_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cut_that_cannot_be_built_is_a_fault, setup, teardown),
        cmocka_unit_test_setup_teardown(beats_cross_in_halves_beyond_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(beats_cross_whole_at_a_single_rate, setup, teardown),
        cmocka_unit_test_setup_teardown(a_design_near_its_limits_is_within_them, setup, teardown),
        cmocka_unit_test_setup_teardown(small_fifos_move_only_where_that_suffices, setup, teardown),
        cmocka_unit_test_setup_teardown(a_client_is_emitted_in_its_kind_of_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(a_design_has_the_reserve_that_it_names, setup, teardown),
        cmocka_unit_test_setup_teardown(within_limits_lanes_are_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(a_part_is_cut_where_that_is_narrow, setup, teardown),
        cmocka_unit_test_setup_teardown(a_small_design_keeps_the_rule, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
