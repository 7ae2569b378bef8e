// SPDX-License-Identifier: Apache-2.0
// Tests groups of operations (`on_chip_kib`). The cuts between groups are compared with the best of all possible cuts.
// The pools, spills and report of a design with groups are checked, and a planted deadlock must be found.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/cost/cost.h"
#include "gen/report/design_report.h"
#include "gen/report/report_parts.h"
#include "gen/pass/fuse.h"
#include "gen/pass/pass.h"
#include "gen/timing/depths.h"

enum { KIB_BITS = 8192 };

static struct arena arena;
static struct diag diag;
static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    diag_init(&diag, stderr);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

// Compiles a spec up to the pass `stop_after`, or by all passes if it is NULL. kib: on-chip memory, 0 for no groups.
static struct ir *build(const char *path, enum spec_fifo fifo, int64_t kib, const char *stop_after) {
    struct ir *ir = command_build(path, &arena, &diag, "infer-types");
    assert_non_null(ir);
    ir->design.on_chip_kib = kib;
    ir->design.fifo = fifo;
    bool begun = false;
    for (int p = 0; pass_table[p].name; p++) {
        if (begun) assert_true(pass_run(p, ir, NULL, &diag));
        if (!strcmp(pass_table[p].name, "infer-types")) begun = true;
        if (stop_after && !strcmp(pass_table[p].name, stop_after)) break;
    }
    return ir;
}

// Returns the bits of all FIFOs, pools and spill buffers of a design.
static int64_t memory_bits(const struct ir *ir) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].pool == IR_NONE) bits += ir->edge[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    for (int k = 0; k < ir->kernels; k++) bits += cost_pool_bits(&ir->kernel[k]) + cost_spill_bits(ir, k);
    return bits;
}

// ---- the cuts ----

struct best { // of all partitions of a region, compared in this order
    int64_t traffic, across, groups;
};

static bool is_less(const struct best *a, const struct best *b) {
    if (a->traffic != b->traffic) return a->traffic < b->traffic;
    return a->across != b->across ? a->across < b->across : a->groups < b->groups;
}

// Returns the best of all partitions of units begin..end-1 whose groups are within the budget (bits), or a traffic of
// INT64_MAX if there is none. Bit i of `cuts` is set if a group ends with unit begin + i.
static struct best best_partition(const struct fuse *f, int begin, int end, int64_t budget) {
    struct best best = {.traffic = INT64_MAX};
    for (uint32_t cuts = 0; cuts < 1u << (end - begin - 1); cuts++) {
        struct best sum = {0};
        int first = begin;
        bool fits = true;
        for (int u = begin; fits && u < end; u++) {
            int64_t across;
            if (u + 1 < end && !(cuts >> (u - begin) & 1)) continue;
            fits = fuse_group_bits(f, first, u) <= budget;
            sum.traffic += fuse_group_traffic(f, first, u, &across);
            sum.across += across;
            sum.groups++;
            first = u + 1;
        }
        if (fits && is_less(&sum, &best)) best = sum;
    }
    return best;
}

// Returns the best partition of a whole design, by trying all cuts in each region. The traffic of streams that always
// cross between groups is added.
static struct best brute_force(const struct fuse *f, int64_t budget) {
    struct best sum = {0};
    for (int i = 0; i < f->streams; i++) sum.traffic += f->stream[i].loops ? f->stream[i].traffic : 0;
    for (int begin = 0, end; begin < f->units; begin = end) {
        for (end = begin; end < f->units && f->unit[end].region == f->unit[begin].region;) end++;
        struct best best = best_partition(f, begin, end, budget);
        assert_true(best.traffic < INT64_MAX);
        sum.traffic += best.traffic;
        sum.across += best.across;
        sum.groups += best.groups;
    }
    return sum;
}

// fusion[0] describes the cuts that the pass has chosen. Their traffic must be the least that is possible, and with
// this traffic their number must be the least. The groups must be within the budget and contain every operation once,
// in order.
static void test_cuts(void **state) {
    (void)state;
    const int64_t budget[] = {14, 15, 17, 20, 25}; // KiB
    for (size_t i = 0; i < COUNT_OF(budget); i++) {
        struct fuse f;
        struct ir *before = build("tests/e2e/cases/odd/spec.yaml", SPEC_SAFE, 0, "insert-converters");
        fuse_read(before, &f);
        assert_true(f.units > 10 && fuse_whole_bits(&f) > budget[i] * KIB_BITS);
        struct ir *ir = build("tests/e2e/cases/odd/spec.yaml", SPEC_SAFE, budget[i], "fuse-groups");
        assert_int_equal(ir->fusions, 2);
        assert_int_equal(ir->fusion[0].groups, ir->groups);
        int64_t largest = 0;
        for (int g = 0; g < ir->groups; g++)
            if (ir->group[g].bits > largest) largest = ir->group[g].bits;
        assert_int_equal(ir->fusion[0].bits, largest);
        struct best best = brute_force(&f, budget[i] * KIB_BITS);
        assert_int_equal(ir->fusion[0].traffic, best.traffic);
        assert_int_equal(ir->groups, best.groups);
        int nodes = 0;
        for (int g = 0; g < ir->groups; g++) {
            assert_true(ir->group[g].bits <= budget[i] * KIB_BITS);
            assert_int_equal(ir->group[g].first_node, nodes);
            nodes += ir->group[g].nodes;
        }
        assert_int_equal(nodes, ir->nodes);
    }
}

// ---- the design ----

// Checks that the design has pools and spills, and that streams share a pool only if they are in different groups.
static void check_pools(const struct ir *ir) {
    int pooled = 0, spills = 0;
    for (int a = 0; a < ir->edges; a++) {
        pooled += ir->edge[a].pool != IR_NONE;
        spills += !strcmp(ir->kernel[ir->edge[a].dst_kernel].module, "rill_spill");
        for (int b = 0; b < a && ir->edge[a].pool != IR_NONE; b++)
            if (ir->edge[b].pool == ir->edge[a].pool) assert_int_not_equal(ir->edge[a].group, ir->edge[b].group);
    }
    assert_true(pooled > 3 && spills > 2);
}

// Checks that the report's memory bits are those that memory_bits counts.
static void check_report(const struct ir *ir) {
    struct text text = {0};
    design_report_memory_json(ir, 0, &text);
    assert_non_null(strstr(text_cstr(&text), arena_printf(&arena, "\"bits\": %lld,", (long long)memory_bits(ir))));
    text_free(&text);
}

// Checks the bits that each group stores. With safe depths, a group stores exactly the bits that the pass counted. With
// timed depths, no group stores more, and at least one stores less.
static void check_emitted(const struct ir *ir, bool timed) {
    int less = 0;
    for (int g = 0; g < ir->groups; g++) {
        int64_t fifos, bits = report_group_bits(ir, g, &fifos);
        assert_true(fifos >= 0 && fifos < bits && bits <= ir->group[g].bits);
        less += bits < ir->group[g].bits;
    }
    assert_int_equal(less > 0, timed);
}

static void test_design(void **state) {
    (void)state;
    struct ir *one = build("tests/e2e/cases/odd/spec.yaml", SPEC_SAFE, 0, NULL),
              *many = build("tests/e2e/cases/odd/spec.yaml", SPEC_SAFE, 14, NULL);
    assert_int_equal(one->groups, 0);
    assert_true(many->groups >= 3);
    check_pools(many);
    check_report(one);
    check_report(many);
    assert_true(5 * memory_bits(many) < 3 * memory_bits(one));
    static const enum spec_fifo fifo[] = {SPEC_SAFE, SPEC_TIMED};
    const char *stuck;
    for (size_t i = 0; i < COUNT_OF(fifo); i++) {
        struct ir *ir = build("tests/e2e/cases/odd/spec.yaml", fifo[i], 14, NULL);
        assert_true(timing_progress(ir, false, &stuck, NULL));
        check_emitted(ir, i == 1);
    }
}

// Returns the cycles of a way across so many boundaries of dies, with its FIFO.
static int64_t way_of(int borders, int64_t fifo) { return borders ? ir_credit_cycles(borders) + fifo : 0; }

// A word of a pool that is written or read on another die takes the cycles of its way, and those of the FIFO at the end
// of the way, in addition to the cycles of the pool's memory.
static void test_pools_of_dies(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/odd/spec.yaml", SPEC_SAFE, 0, "infer-types");
    ir->design.on_chip_kib = 14;
    ir->design.dies = 3;
    bool begun = false;
    for (int p = 0; pass_table[p].name; p++) {
        if (begun) assert_true(pass_run(p, ir, NULL, &diag));
        if (!strcmp(pass_table[p].name, "infer-types")) begun = true;
    }
    const char *missing = NULL;
    struct timing_step *step;
    struct timing_options o = {.bounded = true, .memory = timing_memory(&ir->design)};
    o.steps = timing_request_steps(ir, 3, 1, &step);
    o.step = step;
    const struct timing_result *r = timing_simulate(&arena, ir, &o, &missing);
    assert_non_null(r);
    assert_null(r->stuck);
    int near = 0, far = 0; // streams of pools whose both ends are at the pool, and other ones
    int64_t least = INT64_MAX;
    for (int pass = 0; pass < 2; pass++) // the second pass needs the result of the first one
        for (int e = 0; e < ir->edges; e++) {
            const struct ir_edge *edge = &ir->edge[e];
            int64_t taken = r->edge[e].words - r->edge[e].holds, shortest = INT64_MAX;
            bool crosses = edge->crossings || edge->entry_crossings;
            if (edge->pool == IR_NONE || !taken || crosses != (pass == 1)) continue;
            for (int64_t i = 0; i < taken; i++) shortest = at_most(shortest, r->edge[e].take[i] - r->edge[e].put[i]);
            if (!crosses) {
                least = at_most(least, shortest);
                near++;
                continue;
            }
            assert_true(shortest >= least + way_of(edge->crossings, least) + way_of(edge->entry_crossings, least));
            far++;
        }
    assert_true(near > 0 && far > 0);
}

// Exchanges the turns of two streams of a pool, so that the later group would have to end before the earlier one. This
// deadlock must be found.
static void test_halt(void **state) {
    (void)state;
    const char *stuck = NULL;
    struct ir *ir = build("tests/e2e/cases/odd/spec.yaml", SPEC_SAFE, 14, NULL);
    int first = 0, second = 0;
    while (ir->edge[first].pool == IR_NONE || ir->edge[first].pool_port != 0) first++;
    while (ir->edge[second].pool != ir->edge[first].pool || ir->edge[second].pool_port != 1) second++;
    ir->edge[first].pool_port = 1;
    ir->edge[second].pool_port = 0;
    assert_false(timing_progress(ir, false, &stuck, NULL));
    assert_non_null(stuck);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cuts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_design, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pools_of_dies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_halt, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
