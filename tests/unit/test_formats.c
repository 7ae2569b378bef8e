// SPDX-License-Identifier: Apache-2.0
// Tests the formats of weights that a spec sets by patterns of tensor names. The compiler and the oracle apply the
// patterns separately and must agree. Also tests that the oracle refuses a damaged image.
#include "tests/unit/image_fixture.h"

#include "gen/reference/weights.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"

// Returns a spec of a model of the family `model`. weights: value of the key `weights`, after which other keys of
// `design` may follow.
static const char *spec_of(struct image_fixture *x, const char *model, const char *weights) {
    return arena_printf(&x->f.arena,
                        "name: t\n"
                        "model: {family: %s, layers: 2, hidden: 64, heads: 2, ffn: 100, vocab: 97, context: 40}\n"
                        "design: {weights: %s}\n",
                        model, weights);
}

static bool is_int4(const struct ir *ir, const char *name) {
    return ir_attr_choice(&ir->node[image_node(ir, name)].attrs, "weights", SPEC_INT8) == SPEC_INT4;
}

static bool oracle_is_int4(const struct oracle_graph *g, const char *name) {
    return g->node.items[g->tensor.items[oracle_find(g, name)].node].int4;
}

// Checks that the product `name` has the format int4 or not, in the compiler and in the oracle.
static void assert_format(const struct ir *ir, const struct oracle_graph *g, const char *name, bool int4) {
    if (is_int4(ir, name) != int4 || oracle_is_int4(g, name) != int4)
        fail_msg("`%s`: int4 in the compiler %d, in the oracle %d, should be %d", name, is_int4(ir, name),
                 oracle_is_int4(g, name), int4);
}

struct formats { // the format of a product
    const char *name;
    bool int4;
};

// Checks the formats of the products of a model with this value of `weights`. `want` ends with an empty entry.
static void assert_formats(const char *model, const char *weights, const struct formats *want) {
    struct image_fixture x;
    image_begin(&x);
    const char *spec = spec_of(&x, model, weights);
    struct ir *ir = image_build(&x, spec, "expand-model");
    struct oracle_graph *g = oracle_read_text(&x.f.arena, "t.yaml", spec, NULL, &x.f.diag);
    assert_no_errors(&x.f);
    for (; want->name; want++) assert_format(ir, g, want->name, want->int4);
    image_end(&x);
}

// The embedding has the format of the key `embedding`. Without this key it has the format of the tied head, or int8 if
// a table cannot have that format.
static void test_embedding(void **state) {
    (void)state;
    static const struct {
        const char *design;
        enum spec_table_format want;
        enum qformat oracle;
    } cases[] = {{"int8", SPEC_TABLE_INT8, QFORMAT_INT8},
                 {"int8, head: int4", SPEC_TABLE_INT4, QFORMAT_INT4},
                 {"int4, head: int4_asym", SPEC_TABLE_INT8, QFORMAT_INT8},
                 {"int8, embedding: int16", SPEC_TABLE_INT16, QFORMAT_INT16},
                 {"int4, head: int4, embedding: int16", SPEC_TABLE_INT16, QFORMAT_INT16},
                 {"int8, embedding: int4", SPEC_TABLE_INT4, QFORMAT_INT4}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct image_fixture x;
        image_begin(&x);
        const char *spec = spec_of(&x, "gpt2", cases[i].design);
        struct ir *ir = image_build(&x, spec, "expand-model");
        struct oracle_graph *g = oracle_read_text(&x.f.arena, "t.yaml", spec, NULL, &x.f.diag);
        assert_no_errors(&x.f);
        assert_int_equal(layout_table_format(&ir->node[image_node(ir, "token_row")]), cases[i].want);
        assert_int_equal(oracle_format(&g->node.items[g->tensor.items[oracle_find(g, "token_row")].node]),
                         cases[i].oracle);
        image_end(&x);
    }
}

// A format without patterns applies to all products except the head.
static void test_words(void **state) {
    (void)state;
    static const struct formats all[] = {{"q_acc", true}, {"mlp_down_acc", true}, {"logits_acc", false}, {0}},
                                none[] = {{"q_acc", false}, {"mlp_down_acc", false}, {"logits_acc", false}, {0}};
    assert_formats("gpt2", "int4", all);
    assert_formats("gpt2", "{default: int4}", all);
    assert_formats("gpt2", "int8", none);
    assert_formats("gpt2", "{default: int8}", none);
}

// The tensor c_attn belongs to three products, which all get its format. The format of the head does not depend on the
// patterns.
static void test_patterns(void **state) {
    (void)state;
    static const struct formats want[] = {{"q_acc", true},
                                          {"v_acc", true},
                                          {"attention_proj_acc", false},
                                          {"mlp_up_acc", false},
                                          {"mlp_down_acc", false},
                                          {"logits_acc", false},
                                          {0}};
    assert_formats("gpt2", "{default: int8, 'h.*.attn.c_attn.*': int4}", want);
    assert_formats("gpt2", "{'*attn.c_attn*': int4, default: int8}", want);
    assert_formats("gpt2", "{default: int4, '*c_proj.weight': int8, 'h.*.c_fc.*': int8}", want);
}

// If several patterns match a name, the last one decides, not the longest one.
static void test_last(void **state) {
    (void)state;
    static const struct formats v_alone[] = {{"q_acc", false},
                                             {"k_acc", false},
                                             {"v_acc", true},
                                             {"up_acc", true},
                                             {0}},
                                none[] = {{"q_acc", false}, {"k_acc", false}, {"v_acc", false}, {"up_acc", true}, {0}};
    assert_formats("llama", "{default: int4, '*self_attn*': int8, '*.v_proj.*': int4}", v_alone);
    assert_formats("llama", "{default: int4, '*.v_proj.*': int4, '*self_attn*': int8}", none);
}

// Patterns match names with and without the checkpoint's prefix. A `*` matches any number of characters, including none
// and including dots.
static void test_names(void **state) {
    (void)state;
    static const struct formats want[] = {{"q_acc", false}, {"down_acc", true}, {0}};
    assert_formats("llama", "{default: int8, 'model.layers.*.mlp.down_proj.weight': int4}", want);
    assert_formats("llama", "{default: int8, 'layers.*.mlp.down_proj.weight': int4}", want);
    assert_formats("llama", "{default: int8, '*d*o*w*n*_proj.weight*': int4}", want);
    assert_formats("llama", "{default: int8, 'layers**.down_proj.weight': int4}", want);
}

// An operation with the attribute `weights` keeps its format even if a pattern matches its tensor.
static void test_own(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *spec = "name: t\ngraph:\n  inputs: {x: {shape: [64]}}\n  outputs: [y]\n  regions:\n"
                       "    - name: all\n      ops:\n"
                       "        - {op: linear, name: a, in: x, rows: 64, weight: w.a, weights: int8}\n"
                       "        - {op: linear, name: b, in: a, rows: 64, weight: w.b}\n"
                       "        - {op: linear, name: y, in: b, rows: 64, weight: v}\n"
                       "design: {weights: {default: int8, 'w.*': int4}}\n";
    struct ir *ir = image_build(&x, spec, "expand-model");
    struct oracle_graph *g = oracle_read_text(&x.f.arena, "t.yaml", spec, NULL, &x.f.diag);
    assert_no_errors(&x.f);
    assert_format(ir, g, "a_acc", false);
    assert_format(ir, g, "b_acc", true);
    assert_format(ir, g, "y_acc", false);
    image_end(&x);
}

// The oracle must find every quantized matrix in the image that the packer has written, so oracle.bin has none.
static void test_packed(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *spec = spec_of(&x, "llama", "{default: int4, '*.v_proj.*': int8, '*.down_proj.*': int8}");
    struct ir *ir = image_build(&x, spec, NULL);
    const char *dir = image_pack(&x, ir, "random:1", "d");
    struct oracle_graph *g = oracle_read_text(&x.f.arena, "t.yaml", spec, NULL, &x.f.diag);
    struct oracle *packed = oracle_open_image(&x.f.arena, g, dir, &x.f.diag),
                  *own = oracle_open(&x.f.arena, g, ORACLE_EXACT, checkpoint_open(&x.f.arena, "random:1", &x.f.diag),
                                     &x.f.diag);
    assert_no_errors(&x.f);
    assert_true(oracle_step(packed, 5, NULL, 0, true) && oracle_step(own, 5, NULL, 0, true));
    assert_memory_equal(oracle_logits(packed), oracle_logits(own), 97 * sizeof(float));
    FILE *file = fopen(arena_printf(&x.f.arena, "%s/oracle.bin", dir), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_in_range(ftell(file), 1, 40 * 32 * 4 + 64 * 80); // the table of angles and room for 64 entries; no matrix
    fclose(file);
    oracle_close(packed);
    oracle_close(own);
    image_end(&x);
}

// Opens the image for the oracle after a change of its files. This must fail with the message.
static void assert_damaged(struct image_fixture *x, const char *spec, const char *dir, const char *message) {
    struct oracle_graph *g = oracle_read_text(&x->f.arena, "t.yaml", spec, NULL, &x->f.diag);
    assert_null(oracle_open_image(&x->f.arena, g, dir, &x->f.diag));
    assert_reported(&x->f, message);
}

// The oracle must refuse an image with a file that is cut or changed, before it reads beyond the end of the file. The
// products have biases, which are complete in oracle.bin wherever golden.bin ends.
static void test_damaged(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *spec = spec_of(&x, "gpt2", "{default: int4, '*.c_fc.*': int8}");
    struct ir *ir = image_build(&x, spec, NULL);
    const char *dir = image_pack(&x, ir, "random:1", "d"), *golden = arena_printf(&x.f.arena, "%s/golden.bin", dir),
               *own = arena_printf(&x.f.arena, "%s/oracle.bin", dir), *why;
    size_t len, own_len;
    char *kept = file_read(&x.f.arena, golden, 1 << 24, &len, &why),
         *bytes = file_read(&x.f.arena, own, 1 << 24, &own_len, &why);
    assert_true(kept && bytes);
    for (size_t cut = 1; cut < 16; cut++) {
        assert_int_equal(truncate(golden, (off_t)(len * cut / 16)), 0);
        assert_damaged(&x, spec, dir, "golden.bin is not the one that was packed with it; pack again");
        write_file(golden, kept, len);
    }
    assert_int_equal(truncate(golden, 1), 0);
    assert_damaged(&x, spec, dir, "golden.bin is not the one that was packed with it; pack again");
    write_file(golden, kept, len);
    bytes[own_len - 1] ^= 1;
    write_file(own, bytes, own_len);
    assert_damaged(&x, spec, dir, "damaged; pack again");
    bytes[own_len - 1] ^= 1;
    write_file(own, bytes, own_len - 1);
    assert_damaged(&x, spec, dir, "damaged; pack again");
    write_file(own, bytes, 3);
    assert_damaged(&x, spec, dir, "truncated");
    write_file(own, bytes, own_len);
    assert_non_null(
        oracle_open_image(&x.f.arena, oracle_read_text(&x.f.arena, "t.yaml", spec, NULL, &x.f.diag), dir, &x.f.diag));
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),  cmocka_unit_test(test_embedding), cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_last),   cmocka_unit_test(test_names),     cmocka_unit_test(test_own),
        cmocka_unit_test(test_packed), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
