// SPDX-License-Identifier: Apache-2.0
// Tests the order in which the products of an engine fire. The product that makes v fires after the first scores if
// this hides the latency of softmax.
#include "tests/unit/image_fixture.h"

#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"

// Returns the design after the pass that orders the firings. products: lines of the operations that make q, k and v.
// design: further keys.
static struct ir *build(struct image_fixture *x, const char *products, const char *design) {
    static const char *const text = "name: t\n"
                                    "graph:\n"
                                    "  context: 70\n"
                                    "  inputs: {x: {shape: [128]}}\n"
                                    "  outputs: [y]\n"
                                    "  regions:\n"
                                    "    - name: r\n"
                                    "      ops:\n"
                                    "%s"
                                    "        - {op: attention, name: a, in: [q, k, v], heads: 4, kv_heads: 4}\n"
                                    "        - {op: linear, name: y, in: a, rows: 128, weight: y}\n"
                                    "design: {lanes: 8, beat_bits: 256, T: 2, %s}\n";
    return image_build(x, arena_printf(&x->f.arena, text, products, design), "bind-operations");
}

// Compares the order of the firings with `want`, which has a letter for each firing: S for a head's scores, V for its
// values, or the product's name.
static void check(const char *products, const char *design, const char *want) {
    struct image_fixture x;
    char order[32] = "";
    image_begin(&x);
    const struct ir *ir = build(&x, products, design);
    for (int f = 0; f < ir->firings; f++) {
        const struct ir_node *node = &ir->node[ir->firing[f].node];
        bool scores = ir_op_is(ir, node->op, OP_BY_KEYS), values = ir_op_is(ir, node->op, OP_BY_VALUES);
        order[f] = scores ? 'S' : values ? 'V' : node->name[0];
    }
    assert_string_equal(order, want);
    image_end(&x);
}

static const char q[] = "        - {op: linear, name: q, in: x, rows: 128, weight: q}\n",
                  k[] = "        - {op: linear, name: k, in: x, rows: 128, weight: k}\n",
                  v[] = "        - {op: linear, name: v, in: x, rows: 128, weight: v}\n";

static const char *in_order(struct arena *arena, const char *a, const char *b, const char *c) {
    return arena_printf(arena, "%s%s%s", a, b, c);
}

static void test_values_product(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    check(in_order(&f.arena, q, k, v), "channels: 1", "qkSSvSVSVVVy");
    check(in_order(&f.arena, k, q, v), "channels: 1", "kqSSvSVSVVVy");
    fixture_end(&f);
}

// The order of the spec is kept in these cases: the scores need the product (k after v), the product is too short to
// hide the latency, there are several engines, or there are groups of operations.
static void test_program_order(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    check(in_order(&f.arena, q, v, k), "channels: 1", "qvkSSSVSVVVy");
    check(in_order(&f.arena, q, k, v), "channels: 8", "qkvSSSSVVVVy");
    check(in_order(&f.arena, q, k, v), "channels: 1, on_chip_kib: 400", "qkvSSSVSVVVy");
    check(in_order(&f.arena, q, k, v), "channels: 6, binding: spatial", "qkvSSSVSVVVy");
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_product),
        cmocka_unit_test(test_program_order),
    };
    return cmocka_run_group_tests_name("firings", tests, NULL, NULL);
}
