// SPDX-License-Identifier: Apache-2.0
// Tests what the compiler makes of a spec in the IR: permutations as in numpy, attributes with and without defaults,
// the constants of the family gpt2, and carried tensors that are removed.
#include "tests/unit/image_fixture.h"

#include "gen/ir/ir.h"

// Builds the IR of a graph with one region of operations on an input x [2][3][5], after infer-types.
static struct ir *build(struct image_fixture *x, const char *ops) {
    const char *spec = arena_printf(&x->f.arena,
                                    "name: t\ngraph:\n  inputs: {x: {shape: [2, 3, 5]}}\n  outputs: [y]\n"
                                    "  regions:\n    - name: main\n      ops:\n%s",
                                    ops);
    return image_build(x, spec, "infer-types");
}

static const struct ir_attrs *attrs_of(const struct ir *ir, const char *name) {
    return &ir->node[image_node(ir, name)].attrs;
}

static const struct ir_tensor *tensor_of(const struct ir *ir, const char *name) {
    return &ir->tensor[ir->node[image_node(ir, name)].out[0]];
}

// As in numpy, dimension d of the result is dimension perm[d] of the operand.
static void test_permutations(void **state) {
    (void)state;
    static const int shape[] = {2, 3, 5};
    static const int perms[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct image_fixture x;
    image_begin(&x);
    for (size_t i = 0; i < COUNT_OF(perms); i++) {
        const int *p = perms[i];
        const char *op = arena_printf(&x.f.arena, "        - {op: transpose, name: y, in: x, perm: [%d, %d, %d]}\n",
                                      p[0], p[1], p[2]);
        const struct ir *ir = build(&x, op);
        for (int d = 0; d < 3; d++) assert_int_equal(tensor_of(ir, "y")->shape[d].bound, shape[p[d]]);
    }
    const struct ir *ir = build(&x, "        - {op: transpose, name: y, in: x}\n"); // the last two change places
    assert_int_equal(tensor_of(ir, "y")->shape[0].bound, 2);
    assert_int_equal(tensor_of(ir, "y")->shape[1].bound, 5);
    assert_int_equal(tensor_of(ir, "y")->shape[2].bound, 3);
    image_end(&x);
}

static void assert_float(double have, double want) {
    if (have != want) fail_msg("%.17g instead of %.17g", have, want);
}

static void test_attributes(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir =
        build(&x, "        - {op: reshape, name: r, in: x, shape: [30]}\n"
                  "        - {op: rmsnorm, name: n, in: r, eps: 0.25, gamma: own.g}\n"
                  "        - {op: layernorm, name: m, in: n, eps: 1, gamma: other.g, beta: other.b}\n"
                  "        - {op: quantize, name: q, in: m, exp_min: -30}\n"
                  "        - {op: matmul, name: acc, in: q, rows: 7, row_offset: 3, transpose: 1, weights: int4, "
                  "weight: w, bias: b}\n"
                  "        - {op: dequantize, name: y, in: acc}\n");
    assert_float(ir_attr_float(attrs_of(ir, "n"), "eps", -1), 0.25);
    assert_float(ir_attr_float(attrs_of(ir, "m"), "eps", -1), 1);
    assert_string_equal(ir_attr_string(attrs_of(ir, "n"), "gamma", ""), "own.g");
    assert_string_equal(ir_attr_string(attrs_of(ir, "m"), "gamma", ""), "other.g");
    assert_string_equal(ir_attr_string(attrs_of(ir, "m"), "beta", ""), "other.b");
    assert_int_equal(tensor_of(ir, "q")->exp_min, -30);
    assert_int_equal(tensor_of(ir, "acc")->exp_min, -30);
    assert_int_equal(tensor_of(ir, "y")->shape[0].bound, 7);
    assert_int_equal(ir_attr_int(attrs_of(ir, "acc"), "row_offset", 0), 3);
    assert_int_equal(ir_attr_int(attrs_of(ir, "acc"), "transpose", 0), 1);
    assert_string_equal(ir_attr_string(attrs_of(ir, "acc"), "weights", ""), "int4");
    assert_string_equal(ir_attr_string(attrs_of(ir, "acc"), "bias", ""), "b");
    image_end(&x);
}

static void test_defaults(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build(&x, "        - {op: reshape, name: r, in: x, shape: [30]}\n"
                                    "        - {op: rmsnorm, name: n, in: r, gamma: g}\n"
                                    "        - {op: quantize, name: q, in: n}\n"
                                    "        - {op: matmul, name: acc, in: q, rows: 7, weight: w}\n"
                                    "        - {op: dequantize, name: y, in: acc}\n");
    assert_float(ir_attr_float(attrs_of(ir, "n"), "eps", -1), 1e-5);
    assert_int_equal(tensor_of(ir, "q")->block, ir->design.group);
    assert_int_equal(tensor_of(ir, "q")->exp_min, -24);
    assert_int_equal(ir_attr_int(attrs_of(ir, "acc"), "row_offset", -1), 0);
    assert_int_equal(ir_attr_int(attrs_of(ir, "acc"), "transpose", -1), 0);
    assert_string_equal(ir_attr_string(attrs_of(ir, "acc"), "weights", "int8"), "int8");
    image_end(&x);
}

// The family gpt2 has the numerics of docs/numerics.md: the eps of the spec in every norm, attention weights with
// exponents down to -36, blocks of the size of a head for queries and of 64 positions for attention weights.
static void test_gpt2(void **state) {
    (void)state;
    static const char *const norms[] = {"norm1", "norm2", "norm_final"};
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = image_build(&x,
                                      "name: t\nmodel: {family: gpt2, layers: 3, hidden: 64, heads: 4, ffn: 96, vocab: "
                                      "70, context: 40, eot: 5, norm_eps: 0.0625}\n",
                                      "infer-types");
    for (size_t i = 0; i < COUNT_OF(norms); i++) assert_float(ir_attr_float(attrs_of(ir, norms[i]), "eps", -1), 0.0625);
    assert_int_equal(tensor_of(ir, "attention_p_mx")->exp_min, -36);
    assert_int_equal(tensor_of(ir, "attention_p_mx")->block, 64);
    assert_int_equal(tensor_of(ir, "attention_q")->block, 16);
    assert_int_equal(tensor_of(ir, "q_mx")->exp_min, -24);
    // The quantizers of attention must follow the operations that make their operands, before the next product.
    assert_int_equal(image_node(ir, "attention_q"), image_node(ir, "q") + 1);
    assert_int_equal(image_node(ir, "attention_keys"), image_node(ir, "k") + 1);
    assert_int_equal(ir_attr_int(attrs_of(ir, "q_acc"), "row_offset", -1), 0);
    assert_int_equal(ir_attr_int(attrs_of(ir, "k_acc"), "row_offset", -1), 64);
    assert_int_equal(ir_attr_int(attrs_of(ir, "v_acc"), "row_offset", -1), 128);
    assert_int_equal(ir->region[1].repeat, 3);
    image_end(&x);
}

// If no repetition reads a carried value, the pass drop-unread replaces the carried value by its value after the last
// repetition. The pass must do so even where a carried value of another region begins with it.
static void test_left_out_start(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    alarm(20); // in case a pass does not end
    const struct ir *ir = image_build(
        &x,
        "name: t\ngraph:\n  inputs: {x: {shape: [8]}}\n  outputs: [g]\n  regions:\n"
        "    - name: first\n      repeat: 3\n      carry: {k: {init: x, next: t}, h: {init: x, next: s}}\n      ops:\n"
        "        - {op: gelu, name: t, in: k}\n        - {op: silu, name: s, in: t}\n"
        "    - name: second\n      repeat: 2\n      carry: {g: {init: h, next: u}}\n      ops:\n"
        "        - {op: gelu, name: u, in: g}\n",
        "drop-unread");
    alarm(0);
    assert_int_equal(ir->region[0].carries, 1);
    assert_int_equal(ir->region[1].carries, 1);
    assert_int_equal(ir->region[1].carry[0].init, ir->node[image_node(ir, "s")].out[0]);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permutations), cmocka_unit_test(test_attributes),     cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_gpt2),         cmocka_unit_test(test_left_out_start),
    };
    return cmocka_run_group_tests_name("meaning", tests, NULL, NULL);
}
