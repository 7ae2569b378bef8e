// SPDX-License-Identifier: Apache-2.0
// Tests the stream checker with a custom kernel that has no golden function. The replay waits for the kernel's
// result, and the checker queues words of other streams. Errors before and after the kernel must still be found. The
// last test gives each stream one beat too many.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verif/check/check.h"
#include "gen/numerics/numerics.h"
#include "tests/unit/image_fixture.h"
#include "gen/ir/custom_ops.h"

enum { SIZE = 6, LANES = 4, WORDS = 2, TOKENS = 2, REPEAT = 2, ROWS = 3, STEPS = 2 };

static const char module[] = "module k (input wire clk, rst, input wire s_axis_x_tvalid, output wire s_axis_x_tready, "
                             "input wire [127:0] s_axis_x_tdata,\n"
                             "    input wire [1:0] s_axis_x_tuser, input wire s_axis_x_tlast, output wire "
                             "m_axis_y_tvalid, input wire m_axis_y_tready,\n"
                             "    output wire [127:0] m_axis_y_tdata, output wire [1:0] m_axis_y_tuser, output wire "
                             "m_axis_y_tlast);\nendmodule\n";
static const char spec[] =
    "name: t\nkernels:\n  k: {verilog: k.v, inputs: {x: fp32}, outputs: {y: fp32}, timing: {latency: 1}}\n"
    "graph:\n  inputs: {x: {shape: [6]}}\n  outputs: [h]\n  regions:\n    - name: r\n      repeat: 2\n"
    "      carry: {h: {init: x, next: h_next}}\n      ops:\n        - {op: k, name: a, in: [h]}\n"
    "        - {op: silu, name: s, in: [a]}\n        - {op: add, name: h_next, in: [s, h]}\ndesign:\n  lanes: 4\n  T: "
    "2\n";

// INPUT, RESULT: input and result of the custom kernel. BEHIND: output of the silu that reads the result.
enum stream { INPUT, RESULT, BEHIND, STREAMS };

// The values that a design would compute: value[stream][row][repetition][element].
struct design {
    float row[ROWS][SIZE], value[STREAMS][ROWS][REPEAT][SIZE]; // row: the inputs of the request
    int edge[STREAMS];
    struct check *check;
};

static void compute(struct design *d) {
    struct golden_fault fault = {0};
    for (int r = 0; r < ROWS; r++) {
        float h[SIZE];
        for (int i = 0; i < SIZE; i++) h[i] = d->row[r][i] = (float)(r * 7 + i) * 0.25f - 1;
        for (int k = 0; k < REPEAT; k++) {
            memcpy(d->value[INPUT][r][k], h, sizeof h);
            for (int i = 0; i < SIZE; i++)
                // any function serves as the kernel
                d->value[RESULT][r][k][i] = (float)((r * 31 + k * 17 + i * 3) % 13) - 6;
            golden_silu(SIZE, d->value[RESULT][r][k], d->value[BEHIND][r][k], &fault);
            golden_add(SIZE, d->value[BEHIND][r][k], h, h, &fault);
        }
    }
}

// A fault in the form (not the values) of the kernel's result, which send_step makes.
static struct {
    bool padding; // the elements after the last one are not zero
    int words;    // words of a firing; 0: the right number
} wrong;

static void send_step(struct design *d, enum stream stream, int step) {
    int words = stream == RESULT && wrong.words ? wrong.words : WORDS;
    int tokens = ROWS - step * TOKENS < TOKENS ? ROWS - step * TOKENS : TOKENS;
    for (int k = 0; k < REPEAT; k++)
        for (int w = 0; w < words; w++)
            for (int tok = 0; tok < tokens; tok++) {
                uint32_t word[LANES] = {0};
                int elements = SIZE - w * LANES < LANES ? SIZE - w * LANES : LANES;
                if (elements > 0)
                    memcpy(word, d->value[stream][step * TOKENS + tok][k] + w * LANES,
                           sizeof(float) * (size_t)elements);
                if (stream == RESULT && wrong.padding && elements < LANES) word[LANES - 1] = 1;
                bool tok_last = tok == tokens - 1;
                check_beat(d->check, d->edge[stream], word, (unsigned)tok_last << 1 | (unsigned)tok,
                           tok_last && w == words - 1, 0, 1);
            }
}

// Returns the first input or output stream of the kernel that computes a node.
static int edge_of(const struct ir *ir, const char *node, bool output) {
    for (int k = 0; k < ir->kernels; k++)
        for (int p = 0; ir->kernel[k].node == image_node(ir, node) && p < ir->kernel[k].ports; p++)
            if (ir->kernel[k].port[p].is_output == output) return ir->kernel[k].port[p].edge;
    fail_msg("no stream at `%s`", node);
    return IR_NONE;
}

// Returns a copy of a text, or NULL for NULL.
static const char *const_text(struct image_fixture *x, const char *text) {
    return text ? arena_strdup(&x->f.arena, text) : NULL;
}

// Sends all streams, with one wrong element in the stream `spoilt` (STREAMS: in none) at this row and repetition. The
// stream BEHIND comes first or last. The kernel's result has result_steps steps. *values receives how many values were
// compared. Returns the first difference, or NULL.
static const char *run(struct image_fixture *x, bool behind_first, enum stream spoilt, int row, int repetition,
                       int result_steps, uint64_t *values) {
    write_file(image_path(x, "k.v"), module, strlen(module));
    struct ir *ir = image_build(x, spec, NULL);
    struct design d = {.edge = {edge_of(ir, "a", false), edge_of(ir, "a", true), edge_of(ir, "s", true)}};
    struct replay *golden = replay_open(&x->f.arena, ir, image_pack_golden(x, ir, "random:1", "g"), 4, &x->f.diag);
    assert_non_null(golden);
    d.check = check_open(&x->f.arena, ir, golden, CHECK_ALL, &x->f.diag);
    compute(&d);
    const float *const rows[] = {&d.row[0][0]};
    check_begin(d.check, &(struct check_request){.count = ROWS, .row = rows});
    if (spoilt != STREAMS) d.value[spoilt][row][repetition][5] += 1;
    for (int step = 0; behind_first && step < STEPS; step++) send_step(&d, BEHIND, step);
    for (int step = 0; step < STEPS; step++) send_step(&d, INPUT, step);
    for (int step = 0; step < result_steps; step++) send_step(&d, RESULT, step);
    for (int step = 0; !behind_first && step < STEPS; step++) send_step(&d, BEHIND, step);
    *values = check_counts(d.check).values;
    if (!check_mismatch(d.check)) check_end(d.check, 1);
    const char *mismatch = const_text(x, check_mismatch(d.check));
    replay_close(golden);
    return mismatch;
}

static void test_compared_around(void **state) {
    (void)state;
    static const struct {
        enum stream spoilt;
        int row, repetition;
        const char *want;
    } cases[] = {{STREAMS, 0, 0, NULL},
                 {INPUT, 0, 0, "repetition 0, position 0, element 5"},
                 {INPUT, 2, 1, "repetition 1, position 2, element 5"},
                 {BEHIND, 1, 1, "repetition 1, position 1, element 5"},
                 // The checker cannot know a wrong result, but the values after the kernel then differ.
                 {RESULT, 0, 1, "repetition 1, position 0, element 5"}};
    for (size_t c = 0; c < COUNT_OF(cases); c++)
        for (int order = 0; order < 2; order++) {
            struct image_fixture x;
            image_begin(&x);
            uint64_t values;
            const char *got = run(&x, order == 1, cases[c].spoilt, cases[c].row, cases[c].repetition, STEPS, &values);
            if (cases[c].want ? !got || !strstr(got, cases[c].want) : got != NULL)
                fail_msg("case %zu: %s", c, got ? got : "no difference");
            if (!got) assert_int_equal(values, 2 * ROWS * REPEAT * SIZE);
            image_end(&x);
        }
}

// Streams after the kernel wait for its result. A request must not end while they wait.
static void test_result_missing(void **state) {
    (void)state;
    for (int steps = 0; steps < STEPS; steps++) {
        struct image_fixture x;
        image_begin(&x);
        uint64_t values;
        const char *got = run(&x, steps == 0, STREAMS, 0, 0, steps, &values);
        if (!got || !strstr(got, "words wait for a result of a kernel without golden function"))
            fail_msg("%d steps: %s", steps, got ? got : "no difference");
        image_end(&x);
    }
}

// The replay takes the kernel's result from the design. So the values of the result are not compared, but its form is
// checked: the elements after the last one must be zeros, and firings must be complete.
static void test_result_malformed(void **state) {
    (void)state;
    static const struct {
        bool padding;
        int words;
        const char *want;
    } cases[] = {{true, 0, "element 7: expected 0 (00000000), got 1.4"},
                 {false, 1, "a firing of 1 words, not 2"},
                 {false, 3, "a firing of 3 words, not 2"}};
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct image_fixture x;
        image_begin(&x);
        uint64_t values;
        wrong.padding = cases[c].padding, wrong.words = cases[c].words;
        const char *got = run(&x, false, STREAMS, 0, 0, STEPS, &values);
        wrong.padding = false, wrong.words = 0;
        if (!got || !strstr(got, cases[c].want)) fail_msg("case %zu: %s", c, got ? got : "no difference");
        image_end(&x);
    }
}

// Two products share one engine, so its streams carry firings of both products.
static const char turns[] =
    "name: t\ngraph:\n  inputs: {x: {shape: [8]}}\n  outputs: [y]\n  regions:\n    - name: r\n      ops:\n"
    "        - {op: quantize, name: q, in: x}\n        - {op: matmul, name: a, in: q, rows: 8, weight: w}\n"
    "        - {op: dequantize, name: d, in: a}\n        - {op: quantize, name: p, in: d}\n"
    "        - {op: matmul, name: b, in: p, rows: 8, weight: v}\n        - {op: dequantize, name: y, in: b}\n"
    "design:\n  lanes: 4\n  T: 2\n";

// Sends a beat on a stream of a request without rows, which is one beat too many. Returns the checker's message, or
// NULL if the stream is not compared.
static const char *beat_more(struct image_fixture *x, const struct ir *ir, const char *dir, int edge) {
    static const uint32_t zeros[64];
    struct replay *golden = replay_open(&x->f.arena, ir, dir, 4, &x->f.diag);
    struct check *check = check_open(&x->f.arena, ir, golden, CHECK_ALL, &x->f.diag);
    const float *const rows[] = {(const float *)zeros};
    const char *said = "nothing";
    check_begin(check, &(struct check_request){.count = 0, .row = rows});
    if (check_wants(check, edge)) {
        check_beat(check, edge, zeros, 2, true, 1, 1);
        if (check_mismatch(check)) said = const_text(x, check_mismatch(check));
    } else said = NULL;
    replay_close(golden);
    return said;
}

static void test_beat_after_the_end(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, turns, NULL);
    const char *dir = image_pack_golden(&x, ir, "random:1", "g");
    int found = 0;
    for (int e = 0; e < ir->edges; e++) {
        const char *said = beat_more(&x, ir, dir, e);
        if (said && !strstr(said, "after the end of the request")) fail_msg("stream %s: %s", ir->edge[e].name, said);
        found += said != NULL;
    }
    assert_true(found > 10);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compared_around), cmocka_unit_test(test_result_missing),
                                       cmocka_unit_test(test_result_malformed),
                                       cmocka_unit_test(test_beat_after_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
