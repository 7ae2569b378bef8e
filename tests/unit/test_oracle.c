// SPDX-License-Identifier: Apache-2.0
// Tests the oracle without a compiled design: attributes of a spec (with values that are not their defaults), shapes,
// regions, names, and values computed by hand.
#define _GNU_SOURCE
#include "tests/unit/image_fixture.h"

#include <math.h>

#include "gen/reference/graph.h"
#include "gen/ir/ops.h"

// An evaluation of a spec. open_case gets the text of the spec, and the JSON header and the `count` numbers of a
// safetensors file. header NULL: random weights.
struct oracle_case {
    struct image_fixture x;
    struct oracle_graph *graph;
    struct oracle *oracle;
};

static void open_case(struct oracle_case *c, const char *spec, enum oracle_mode mode, const char *header,
                      const float *data, size_t count) {
    image_begin(&c->x);
    struct arena *a = &c->x.f.arena;
    const char *path = image_path(&c->x, "spec.yaml");
    write_file(path, spec, strlen(spec));
    if (header) write_safetensors(image_path(&c->x, "model.safetensors"), header, data, count * sizeof *data);
    struct checkpoint *weights = checkpoint_open(a, header ? c->x.dir : "random:1", &c->x.f.diag);
    assert_no_errors(&c->x.f);
    c->graph = oracle_read(a, path, &c->x.f.diag);
    assert_no_errors(&c->x.f);
    c->oracle = oracle_open(a, c->graph, mode, weights, &c->x.f.diag);
    assert_no_errors(&c->x.f);
    checkpoint_close(weights);
}

static void close_case(struct oracle_case *c) {
    oracle_close(c->oracle);
    image_end(&c->x);
}

// Evaluates position 0 with x for all inputs.
static void step(struct oracle_case *c, const float *x) {
    const float *row[] = {x, x, x};
    assert_true(oracle_step(c->oracle, 0, row, 0, true));
}

static const struct oracle_value *value(const struct oracle_case *c, const char *name, int64_t repetition) {
    const struct oracle_value *v = oracle_value(c->oracle, oracle_find(c->graph, name), repetition);
    if (!v) fail_msg("no value of `%s`", name);
    return v;
}

static const struct oracle_node *node(const struct oracle_case *c, const char *name) {
    return &c->graph->node.items[c->graph->tensor.items[oracle_find(c->graph, name)].node];
}

#define GRAPH(inputs, outputs, ops)                                                                                    \
    "name: t\ngraph:\n  inputs: {" inputs "}\n  outputs: [" outputs "]\n  context: 70\n  regions:\n  - name: m\n"      \
    "    ops:\n" ops

// ---- shapes ----

static void assert_shape(const struct oracle_case *c, const char *name, int rank, int64_t a, int64_t b, int64_t d) {
    const struct oracle_tensor *t = &c->graph->tensor.items[oracle_find(c->graph, name)];
    const int64_t want[] = {a, b, d};
    if (t->rank != rank) fail_msg("`%s` has rank %d", name, t->rank);
    for (int i = 0; i < rank; i++)
        if (t->extent[i] != want[i]) fail_msg("`%s`: extent %d is %lld", name, i, (long long)t->extent[i]);
}

static void test_shapes(void **state) {
    (void)state;
    struct oracle_case c;
    open_case(&c,
              GRAPH("x: {shape: [2, 3, 4]}, q: {shape: [6, 8]}, k: {shape: [16]}", "u, d, o, a",
                    "    - {op: transpose, name: t, in: x, perm: [2, 0, 1]}\n"
                    "    - {op: transpose, name: u, in: x}\n"
                    "    - {op: reshape, name: r, in: t, shape: [3, 8]}\n"
                    "    - {op: silu, name: s, in: r}\n"
                    "    - {op: quantize, name: m, in: s}\n"
                    "    - {op: matmul, name: p, in: m, rows: 5, weight: w}\n"
                    "    - {op: dequantize, name: d, in: p}\n"
                    "    - {op: quantize, name: qq, in: q, block: 8}\n"
                    "    - {op: kv_quantize, name: kk, in: k, heads: 2, role: key}\n"
                    "    - {op: kv_quantize, name: vv, in: k, heads: 2, role: value}\n"
                    "    - {op: attn_scores, name: sa, in: [qq, kk]}\n"
                    "    - {op: dequantize, name: sc, in: sa}\n"
                    "    - {op: softmax, out: [pr, inv], in: [sc, kk, vv]}\n"
                    "    - {op: quantize, name: pq, in: pr, block: 64, exp_min: -36}\n"
                    "    - {op: attn_values, name: oa, in: [pq, vv]}\n"
                    "    - {op: dequantize, name: ob, in: oa}\n"
                    "    - {op: scale, name: o, in: [ob, inv]}\n"
                    "    - {op: argmax, name: i, in: o}\n"
                    "    - {op: embed, name: e, in: i, rows: 48, cols: 9, weight: e}\n"
                    "    - {op: position, name: b, rows: 70, cols: 9, weight: b}\n"
                    "    - {op: add, name: a, in: [e, b]}\n"),
              ORACLE_EXACT, NULL, NULL, 0);
    assert_shape(&c, "t", 3, 4, 2, 3);
    assert_shape(&c, "u", 3, 2, 4, 3);
    assert_shape(&c, "s", 2, 3, 8, 0);
    assert_shape(&c, "m", 2, 3, 8, 0);
    assert_shape(&c, "p", 2, 3, 5, 0);
    assert_shape(&c, "d", 2, 3, 5, 0);
    assert_shape(&c, "kk", 2, 2, 8, 0);
    assert_shape(&c, "sa", 2, 6, 70, 0);
    assert_shape(&c, "pr", 2, 6, 70, 0);
    assert_shape(&c, "inv", 1, 6, 0, 0);
    assert_shape(&c, "oa", 2, 6, 8, 0);
    assert_shape(&c, "o", 1, 48, 0, 0);
    assert_shape(&c, "i", 1, 1, 0, 0);
    assert_shape(&c, "a", 1, 9, 0, 0);
    assert_false(oracle_is_lm(c.graph));
    assert_int_equal(oracle_output(c.graph, 1).elements, 15);
    close_case(&c);
}

// ---- values ----

static void test_transpose(void **state) {
    (void)state;
    struct oracle_case c;
    float x[24];
    for (int i = 0; i < 24; i++) x[i] = (float)i;
    open_case(&c,
              GRAPH("x: {shape: [2, 3, 4]}", "t, u, v",
                    "    - {op: transpose, name: t, in: x, perm: [2, 0, 1]}\n"
                    "    - {op: transpose, name: u, in: x, perm: [1, 2, 0]}\n"
                    "    - {op: transpose, name: v, in: x}\n"),
              ORACLE_EXACT, NULL, NULL, 0);
    step(&c, x);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) { // dimension d of the result is dimension perm[d] of the operand
                float want = x[(i * 3 + j) * 4 + k];
                assert_true(value(&c, "t", 0)->f32[(k * 2 + i) * 3 + j] == want);
                assert_true(value(&c, "u", 0)->f32[(j * 4 + k) * 2 + i] == want);
                assert_true(value(&c, "v", 0)->f32[(i * 4 + k) * 3 + j] == want);
            }
    close_case(&c);
}

static const char file[] = "{\"w\": {\"dtype\": \"F32\", \"shape\": [4, 2], \"data_offsets\": [0, 32]},"
                           "\"t\": {\"dtype\": \"F32\", \"shape\": [2, 4], \"data_offsets\": [32, 64]},"
                           "\"b\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": [64, 80]},"
                           "\"g.0\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [80, 88]},"
                           "\"g.1\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [88, 96]}}";
static const float numbers[24] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 300, 400, 1, 2, 3, 5};

// The first product uses rows 1 and 2 of a matrix and of its bias, the second one columns 1 to 3 of a transposed
// matrix.
static void test_products(void **state) {
    (void)state;
    struct oracle_case c;
    const float x[] = {1, 10};
    open_case(&c,
              GRAPH("x: {shape: [2]}", "y, z",
                    "    - {op: quantize, name: q, in: x}\n"
                    "    - {op: matmul, name: p, in: q, rows: 2, weight: w, bias: b, row_offset: 1}\n"
                    "    - {op: dequantize, name: y, in: p}\n"
                    "    - {op: matmul, name: r, in: q, rows: 3, weight: t, row_offset: 1, transpose: 1}\n"
                    "    - {op: dequantize, name: z, in: r}\n"),
              ORACLE_FLOAT, file, numbers, 24);
    step(&c, x);
    const float *y = value(&c, "y", 0)->f32, *z = value(&c, "z", 0)->f32;
    assert_true(y[0] == 3 + 40 + 200 && y[1] == 5 + 60 + 300);
    assert_true(z[0] == 2 + 200 && z[1] == 3 + 300 && z[2] == 4 + 400);
    close_case(&c);
}

static void test_norms(void **state) {
    (void)state;
    struct oracle_case c;
    const float x[] = {3, 4, 3, 5};
    open_case(&c,
              GRAPH("x: {shape: [2, 2]}", "r, l",
                    "    - {op: rmsnorm, name: r, in: x, gamma: g.0, along: 1, eps: 0.5}\n"
                    "    - {op: layernorm, name: l, in: x, gamma: g.0, beta: g.1, along: 0, eps: 0.25}\n"),
              ORACLE_FLOAT, file, numbers, 24);
    step(&c, x);
    const float *r = value(&c, "r", 0)->f32, *l = value(&c, "l", 0)->f32;
    assert_float_equal(r[0], 3 / sqrt(13), 1e-6); // mean of squares 12.5
    assert_float_equal(r[1], 4 * 2 / sqrt(13), 1e-6);
    assert_float_equal(r[3], 5 * 2 / sqrt(17.5), 1e-6);
    assert_float_equal(l[0], 3, 1e-6); // both elements of the column are 3, so only beta is left
    assert_float_equal(l[2], 5, 1e-6);
    // Elements 4 and 5 of the column have the variance 0.25. gamma[i] belongs to element i of the column.
    assert_float_equal(l[1], -0.5 / sqrt(0.5) * 1 + 3, 1e-6);
    assert_float_equal(l[3], 0.5 / sqrt(0.5) * 2 + 5, 1e-6);
    close_case(&c);
}

static void test_mantissas_of_ten_bits(void **state) {
    (void)state;
    struct oracle_case c;
    const float x[] = {1, -0.5f, 8, 4};
    open_case(&c,
              "design: {activations: int10}\n" GRAPH("x: {shape: [4]}", "a",
                                                     "    - {op: quantize, name: q, in: x}\n"
                                                     "    - {op: matmul, name: p, in: q, rows: 1, weight: w}\n"
                                                     "    - {op: dequantize, name: a, in: p}\n"),
              ORACLE_EXACT, NULL, NULL, 0);
    step(&c, x);
    const struct oracle_value *q = value(&c, "q", 0); // the largest value, 8, is 256 * 2^-5
    assert_int_equal(q->mx[0], 32);
    assert_int_equal(q->mx[1], -16);
    assert_int_equal(q->mx[2], 256);
    assert_int_equal(q->shift[0], -5 + 24);
    close_case(&c);
}

static void test_quantize(void **state) {
    (void)state;
    struct oracle_case c;
    const float x[] = {1, -0.5f, 8, 4};
    open_case(&c,
              GRAPH("x: {shape: [4]}", "a, b, d",
                    "    - {op: quantize, name: q, in: x}\n"
                    "    - {op: quantize, name: r, in: x, block: 2, exp_min: -20}\n"
                    "    - {op: matmul, name: p, in: q, rows: 1, weight: w}\n"
                    "    - {op: dequantize, name: a, in: p}\n"
                    "    - {op: matmul, name: s, in: r, rows: 1, weight: w}\n"
                    "    - {op: dequantize, name: b, in: s}\n"
                    "    - {op: kv_quantize, name: k, in: x, heads: 2, role: key}\n"
                    "    - {op: kv_quantize, name: v, in: x, heads: 2, role: value}\n"
                    "    - {op: quantize, name: h, in: x, block: 2}\n"
                    "    - {op: attn_scores, name: sa, in: [h, k]}\n"
                    "    - {op: dequantize, name: sc, in: sa}\n"
                    "    - {op: softmax, out: [e, inv], in: [sc, k, v]}\n"
                    "    - {op: quantize, name: eq, in: e, block: 64, exp_min: -36}\n"
                    "    - {op: attn_values, name: oa, in: [eq, v]}\n"
                    "    - {op: dequantize, name: ob, in: oa}\n"
                    "    - {op: scale, name: d, in: [ob, inv]}\n"),
              ORACLE_EXACT, NULL, NULL, 0);
    step(&c, x);
    const struct oracle_value *q = value(&c, "q", 0), *r = value(&c, "r", 0), *k = value(&c, "k", 0),
                              *v = value(&c, "v", 0), *d = value(&c, "d", 0);
    assert_int_equal(q->blocks, 1); // the block has the size of the design's group; 8 is 64 * 2^-3
    assert_int_equal(q->mx[0], 8);
    assert_int_equal(q->mx[1], -4);
    assert_int_equal(q->mx[2], 64);
    assert_int_equal(q->shift[0], -3 + 24);
    assert_int_equal(r->blocks, 2); // in the first block, 1 is 64 * 2^-6
    assert_int_equal(r->mx[0], 64);
    assert_int_equal(r->mx[1], -32);
    assert_int_equal(r->shift[0], -6 + 20);
    assert_int_equal(r->shift[1], -3 + 20);
    assert_int_equal(v->q[0], 127); // heads have two elements, of which 1 and 8 are the largest
    assert_int_equal(v->q[2], 127);
    assert_float_equal(v->scale[1] * 127, 8, 1e-5);
    assert_float_equal(k->scale[1] * 127 * sqrtf(2), 8, 1e-5);
    for (int i = 0; i < 4; i++) assert_float_equal(d->f32[i], x[i], 0.07); // position 0 attends only to itself
    close_case(&c);
}

// ---- regions ----

static const char loop[] = "name: t\n"
                           "graph:\n"
                           "  inputs: {x: {shape: [2]}, unread: {shape: [3]}}\n"
                           "  outputs: [y]\n"
                           "  regions:\n"
                           "  - name: a\n"
                           "    repeat: 2\n"
                           "    carry: {h: {init: x, next: n}, g: {init: x, next: h2}}\n"
                           "    ops:\n"
                           "    - {op: add, name: n, in: [h, g]}\n"
                           "    - {op: add, name: h2, in: [h, h]}\n"
                           "    - {op: rmsnorm, name: r, in: n, gamma: 'g.{layer}', eps: 1}\n"
                           "    - {op: gelu, name: dead, in: h}\n"
                           "  - name: b\n"
                           "    ops:\n"
                           "    - {op: mul, name: p, in: [h, g]}\n"
                           "    - {op: add, name: y, in: [p, r]}\n";

static void test_regions(void **state) {
    (void)state;
    struct oracle_case c;
    const float x[] = {1, 2};
    open_case(&c, loop, ORACLE_FLOAT, file, numbers, 24);
    step(&c, x);
    assert_true(value(&c, "h", 0)->f32[0] == 1 && value(&c, "h", 1)->f32[0] == 2 && value(&c, "h", 2)->f32[0] == 4);
    assert_true(value(&c, "g", 1)->f32[1] == 4 && value(&c, "g", 2)->f32[1] == 8); // twice the h of the repetition
    assert_true(value(&c, "n", 0)->f32[1] == 4 && value(&c, "n", 1)->f32[1] == 8);
    assert_float_equal(value(&c, "r", 1)->f32[0], 4 * 3 / sqrt(41), 1e-6); // g.1 is 3, 5; n is 4, 8
    assert_float_equal(value(&c, "y", 0)->f32[0], 4 * 4 + 4 * 3 / sqrt(41), 1e-5);
    assert_null(oracle_value(c.oracle, oracle_find(c.graph, "dead"), 0)); // no output depends on it
    assert_null(oracle_value(c.oracle, oracle_find(c.graph, "n"), 2));
    assert_false(oracle_info(c.graph, oracle_find(c.graph, "unread")).needed);
    assert_int_equal(oracle_info(c.graph, oracle_find(c.graph, "r")).line, 12);
    assert_int_equal(oracle_info(c.graph, oracle_find(c.graph, "h")).next, oracle_find(c.graph, "n"));
    close_case(&c);
}

static const char around[] = "name: t\n"
                             "kernels:\n"
                             "  k: {verilog: k.v, inputs: {x: fp32}, outputs: {y: {shape: [x / N, N]}}, parameters: "
                             "{N: 2}, timing: {latency: 1}}\n"
                             "graph:\n"
                             "  inputs: {x: {shape: [12]}}\n"
                             "  outputs: [y, z]\n"
                             "  regions:\n"
                             "  - name: m\n"
                             "    ops:\n"
                             "    - {op: gelu, name: z, in: x}\n"
                             "    - {op: k, name: a, in: z, N: 4}\n"
                             "    - {op: silu, name: y, in: a}\n";

// Tensors that depend on a custom kernel without a golden function are unknown. The shape of its output is known.
static void test_unknown(void **state) {
    (void)state;
    struct oracle_case c;
    const float x[12] = {1};
    open_case(&c, around, ORACLE_EXACT, NULL, NULL, 0);
    step(&c, x);
    assert_string_equal(oracle_beyond(c.graph), "a");
    assert_shape(&c, "a", 2, 3, 4, 0);
    assert_true(oracle_info(c.graph, oracle_find(c.graph, "y")).unknown);
    assert_false(oracle_info(c.graph, oracle_find(c.graph, "z")).unknown);
    assert_null(oracle_output_row(c.oracle, 0));
    assert_non_null(oracle_output_row(c.oracle, 1));
    close_case(&c);
}

static const char carried_around[] = "name: t\n"
                                     "kernels:\n"
                                     "  k: {verilog: k.v, inputs: {x: fp32}, outputs: {y: fp32}, timing: {latency: "
                                     "1}}\n"
                                     "graph:\n"
                                     "  inputs: {x: {shape: [4]}}\n"
                                     "  outputs: [y]\n"
                                     "  regions:\n"
                                     "  - name: m\n"
                                     "    repeat: 3\n"
                                     "    carry: {h: {init: x, next: a}}\n"
                                     "    ops:\n"
                                     "    - {op: silu, name: g, in: h}\n"
                                     "    - {op: k, name: a, in: g}\n"
                                     "  - name: tail\n"
                                     "    ops:\n"
                                     "    - {op: silu, name: y, in: a}\n";

// A carried value is unknown in all repetitions if its next value comes from a kernel without a golden function.
static void test_unknown_next(void **state) {
    (void)state;
    struct oracle_case c;
    const float x[4] = {1};
    open_case(&c, carried_around, ORACLE_EXACT, NULL, NULL, 0);
    assert_true(oracle_info(c.graph, oracle_find(c.graph, "h")).unknown);
    assert_true(oracle_info(c.graph, oracle_find(c.graph, "g")).unknown);
    step(&c, x);
    assert_null(oracle_value(c.oracle, oracle_find(c.graph, "g"), 1));
    assert_null(oracle_output_row(c.oracle, 0));
    close_case(&c);
}

// ---- names and defaults ----

static void test_names(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a);
    assert_string_equal(oracle_name(&a, "w.{layer}.{layer}", 12), "w.12.12");
    assert_string_equal(oracle_name(&a, "w", 3), "w");
    arena_free(&a);
}

// Returns the compiler's default of an attribute.
static int64_t default_of(int op, const char *name) {
    struct ir_op_attr known[IR_MAX_OP_ATTRS];
    struct ir ir = {0};
    int count = ir_op_attrs(&ir, op, known);
    for (int i = 0; i < count; i++)
        if (!strcmp(known[i].name, name)) return strtoll(known[i].text, NULL, 0);
    fail_msg("no attribute `%s`", name);
    return 0;
}

// The oracle and the compiler must have the same defaults. Those of the oracle were written from docs/spec.md. Those of
// the compiler are in ops.def.
static void test_defaults(void **state) {
    (void)state;
    struct oracle_case c;
    open_case(&c,
              GRAPH("x: {shape: [8]}", "y",
                    "    - {op: rmsnorm, name: n, in: x, gamma: g}\n"
                    "    - {op: quantize, name: q, in: n}\n"
                    "    - {op: matmul, name: p, in: q, rows: 8, weight: w}\n"
                    "    - {op: dequantize, name: y, in: p}\n"
                    "design:\n  group: 256\n  weights: int4\n"),
              ORACLE_EXACT, NULL, NULL, 0);
    assert_true(node(&c, "n")->eps == 1e-5 && node(&c, "n")->along == NONE);
    assert_int_equal(node(&c, "q")->block, 256);
    assert_int_equal(default_of(IR_OP_QUANTIZE, "block"), 0);
    assert_int_equal(node(&c, "q")->exp_min, default_of(IR_OP_QUANTIZE, "exp_min"));
    assert_int_equal(node(&c, "p")->row_offset, default_of(IR_OP_MATMUL, "row_offset"));
    assert_int_equal(node(&c, "p")->transpose, default_of(IR_OP_MATMUL, "transpose"));
    assert_true(node(&c, "p")->int4 && !node(&c, "p")->bias);
    assert_int_equal(c.graph->context, 70);
    close_case(&c);
}

static void test_model(void **state) {
    (void)state;
    struct oracle_case c;
    open_case(
        &c,
        "name: t\nmodel:\n  family: gpt2\n  layers: 3\n  hidden: 16\n  heads: 2\n  ffn: 24\n  vocab: 30\n  context: "
        "9\n  norm_eps: 0.25\n  tied_head: false\n  eot: [7, 29]\ndesign:\n  head: int4\n",
        ORACLE_EXACT, NULL, NULL, 0);
    assert_int_equal(oracle_tensors(c.graph), 42);
    assert_true(oracle_is_lm(c.graph) && oracle_context(c.graph) == 9 && oracle_eot(c.graph)->count == 2 &&
                oracle_eot(c.graph)->id[0] == 7 && oracle_eot(c.graph)->id[1] == 29);
    assert_int_equal(oracle_vocabulary(c.graph), 30);
    assert_true(node(&c, "norm2")->eps == 0.25 && node(&c, "token_row")->int4 && node(&c, "logits_acc")->int4);
    assert_string_equal(node(&c, "logits_acc")->weight, "lm_head.weight");
    assert_int_equal(node(&c, "v_acc")->row_offset, 32);
    assert_int_equal(node(&c, "attention_q")->heads, 2);
    assert_true(node(&c, "mlp_up_acc")->transpose && !node(&c, "mlp_up_acc")->int4);
    assert_true(oracle_step(c.oracle, 3, NULL, 0, false));
    assert_null(oracle_value(c.oracle, oracle_find(c.graph, "logits"), 0)); // `when: last`
    assert_true(oracle_step(c.oracle, 4, NULL, 1, true));
    assert_int_equal(value(&c, "next_id", 0)->id, oracle_next_id(c.oracle));
    close_case(&c);
}

static size_t count_interleaved(const struct oracle_graph *g, size_t *ropes) {
    size_t count = 0;
    for (size_t i = *ropes = 0; i < g->node.count; i++) {
        *ropes += g->node.items[i].op == ORACLE_ROPE;
        count += g->node.items[i].op == ORACLE_ROPE && g->node.items[i].interleaved;
    }
    return count;
}

// oracle_turn_other_pairs changes all rotary embeddings from pairs of halves to pairs of neighbours and vice versa. It
// returns false if the graph has none.
static void test_other_pairs(void **state) {
    (void)state;
    struct fixture f;
    size_t ropes, before;
    fixture_begin(&f);
    struct oracle_graph *turns = oracle_read(&f.arena, file_find_shared(&f.arena, "tests/e2e/cases/rope/spec.yaml"),
                                             &f.diag),
                        *none = oracle_read(&f.arena, file_find_shared(&f.arena, "tests/e2e/cases/five/spec.yaml"),
                                            &f.diag);
    assert_no_errors(&f);
    before = count_interleaved(turns, &ropes);
    assert_true(ropes > 0 && oracle_turn_other_pairs(turns));
    assert_int_equal(count_interleaved(turns, &ropes), ropes - before);
    assert_false(oracle_turn_other_pairs(none));
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_pairs),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_quantize),
        cmocka_unit_test(test_mantissas_of_ten_bits),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_unknown_next),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
