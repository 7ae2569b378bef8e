// SPDX-License-Identifier: Apache-2.0
// Tests the FIFO depths of the rule `fifo: safe` against depths computed by hand, the kinds of memory for FIFOs, and
// the places of the layers in the KV caches.
#include "tests/unit/image_fixture.h"

#include "gen/cost/cost.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

// Returns the first stream between two kernels.
static struct ir_edge *edge_between(struct ir *ir, const char *from, const char *to) {
    for (int e = 0; e < ir->edges; e++)
        if (!strcmp(ir->kernel[ir->edge[e].src_kernel].name, from) &&
            !strcmp(ir->kernel[ir->edge[e].dst_kernel].name, to))
            return &ir->edge[e];
    fail_msg("no stream from %s to %s", from, to);
    return NULL;
}

// Returns a design with a fork of its input, a product, and an addition at which two branches meet.
static struct ir *build_five(struct image_fixture *x) {
    return image_build(x,
                       "name: t\ngraph:\n  inputs: {x: {shape: [96]}}\n  outputs: [y]\n  regions:\n    - name: main\n"
                       "      ops:\n        - {op: quantize, name: x_q, in: x}\n"
                       "        - {op: matmul, name: acc, in: x_q, rows: 96, weight: w}\n"
                       "        - {op: dequantize, name: wx, in: acc}\n        - {op: gelu, name: g, in: wx}\n"
                       "        - {op: add, name: y, in: [g, x]}\n"
                       "design: {channels: 2, lanes: 8, beat_bits: 256, T: 1, fifo: safe}\n",
                       NULL);
}

// 2,048 values in words of 4 are 512 words, which fill the rows of a block RAM. The depth is only one more, because one
// word is in the output register; a depth of two more would need another block RAM.
static void test_block_ram_edge(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x,
                                "name: t\ngraph:\n  inputs: {x: {shape: [2048]}}\n  outputs: [y]\n  regions:\n"
                                "    - name: main\n      ops:\n        - {op: gelu, name: g, in: x}\n"
                                "        - {op: add, name: y, in: [g, x]}\n"
                                "design: {channels: 1, lanes: 4, beat_bits: 256, T: 1, fifo: safe}\n",
                                NULL);
    const struct ir_edge *edge = edge_between(ir, "x_fork", "y");
    assert_int_equal(edge->depth, 512 + 1);
    int64_t bits = cost_edge_bits(ir, edge);
    assert_true(cost_fifo(edge->depth, bits, RAM_BLOCK).bram18 <= (bits + 35) / 36);
    assert_true(cost_fifo(edge->depth + 1, bits, RAM_BLOCK).bram18 > (bits + 35) / 36);
    image_end(&x);
}

// 96 values are 12 words of 8 lanes. A branch of a fork, and a stream whose firing waits for its turn, get room for all
// of them and two more. Streams for which nothing waits get two words, streams of step words four.
static void test_safe_rule(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = build_five(&x);
    assert_int_equal(edge_between(ir, "input_x", "x_fork")->depth, 2);
    assert_int_equal(edge_between(ir, "x_fork", "x_q")->depth, 12 + 2);
    assert_int_equal(edge_between(ir, "x_fork", "y")->depth, 12 + 2);
    assert_int_equal(edge_between(ir, "y_demux", "g")->depth, 12 + 2);
    assert_int_equal(edge_between(ir, "g", "y")->depth, 2);
    assert_int_equal(edge_between(ir, "y", "output_y")->depth, 2);
    assert_int_equal(edge_between(ir, "token_loop", "step_fork")->depth, 2);
    assert_int_equal(edge_between(ir, "step_fork", "engine")->depth, 4);
    struct ir_edge *edge = edge_between(ir, "g", "y"); // treated as a stream between groups
    edge->stored_firings = 1;
    assert_int_equal(size_fifos_safe(ir, edge), 12 + 2);
    edge->stored_firings = 2;
    assert_int_equal(size_fifos_safe(ir, edge), 2 * 12 + 2);
    image_end(&x);
}

static struct ir *build_llama(struct image_fixture *x, const char *design) {
    return image_build(x,
                       arena_printf(&x->f.arena,
                                    "name: t\nmodel: {family: llama, layers: 2, hidden: 96, heads: 6, kv_heads: 3, "
                                    "head_dim: 16, ffn: 32, vocab: 61, context: 128}\n"
                                    "design: {%s, beat_bits: 512, T: 2, fifo: safe}\n",
                                    design),
                       NULL);
}

// A head has 128 scores, which are 16 words for each of two tokens, and its attention weights are two words of mx. With
// one engine, the scores of two heads fire before the first values, so up to three of the six heads are in flight. With
// an engine for each product, all six heads can be in flight. The 61 logits (8 words) are only those of the last token;
// the hidden vectors, from which the last token is chosen, are those of both tokens.
static void test_under_way(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = build_llama(&x, "channels: 1, lanes: 8");
    assert_int_equal(edge_between(ir, "y_demux", "attention_p")->depth, 3 * 16 * 2 + 2);
    assert_int_equal(edge_between(ir, "attention_p_mx", "x_mux")->depth, 3 * 2 * 2 + 2);
    assert_int_equal(edge_between(ir, "attention_p", "attention_p_mx")->depth, 2);
    struct ir_edge *weights = edge_between(ir, "attention_p_mx", "x_mux"); // as many elements as positions
    assert_int_equal(ir->kernel[weights->src_kernel].port[weights->src_port].type.trip[0].dynamic, IR_POSITIONS);
    assert_int_equal(edge_between(ir, "y_demux", "next_id")->depth, 8 + 2);
    assert_int_equal(edge_between(ir, "logits_mx", "x_mux")->depth, 2 + 2);
    assert_int_equal(edge_between(ir, "hidden_exit", "hidden_into_head")->depth, 12 * 2 + 2);
    struct ir_edge *edge = edge_between(ir, "y_demux", "attention_p"); // treated as a stream between groups
    edge->stored_firings = 1;
    assert_int_equal(size_fifos_safe(ir, edge), 6 * 16 * 2 + 2);
    ir = build_llama(&x, "channels: 13, binding: spatial, lanes: 8");
    assert_int_equal(edge_between(ir, "attention_p_mx", "attention_raw_acc_x_mux")->depth, 6 * 2 * 2 + 2);
    image_end(&x);
}

// With two lanes, scales of keys have words of 64 bits, like step words and the ids for the ring. Nothing waits for the
// scales, so they must get two words all the same: the rule distinguishes streams by their roles, not by their width.
static void test_words_of_64_bits(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = build_llama(&x, "channels: 1, lanes: 2");
    struct ir_edge *scale = edge_between(ir, "attention_keys_scale", "attention_p");
    assert_int_equal(ir->kernel[scale->dst_kernel].port[scale->dst_port].data_bits, 64);
    assert_int_equal(scale->depth, 2);
    assert_int_equal(edge_between(ir, "step_fork", "attention_p")->depth, 4);
    assert_int_equal(edge_between(ir, "token_loop", "walker")->depth, 4);
    assert_int_equal(edge_between(ir, "token_loop", "ring")->depth, 4);
    image_end(&x);
}

// FIFOs use LUTs up to 64 words or up to 16 Kibit, block RAMs below 2048 words, and UltraRAM for 2048 or more words.
static void test_memory_styles(void **state) {
    (void)state;
    assert_int_equal(allocate_memories_style(64, 2000), RAM_DISTRIBUTED);
    assert_int_equal(allocate_memories_style(65, 2000), RAM_BLOCK);
    assert_int_equal(allocate_memories_style(512, 32), RAM_DISTRIBUTED);
    assert_int_equal(allocate_memories_style(512, 33), RAM_BLOCK);
    assert_int_equal(allocate_memories_style(2047, 72), RAM_BLOCK);
    assert_int_equal(allocate_memories_style(2048, 72), RAM_ULTRA);
}

// ---- attentions that share a cache ----

struct layer { // a layer of a cache: its engine, and its bytes in each channel, from `begin` up to but without `end`
    int engine;
    int64_t begin, end;
};

static int compare_layers(const void *a, const void *b) {
    const struct layer *x = a, *y = b;
    if (x->engine != y->engine) return x->engine - y->engine;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// Returns a parameter of the first kernel with this module.
static int64_t number_of(const struct ir *ir, const char *module, const char *param) {
    for (int k = 0; k < ir->kernels; k++)
        if (!strcmp(ir->kernel[k].module, module)) return ir_param_int(&ir->kernel[k], param, 0);
    fail_msg("no %s", module);
    return 0;
}

// Checks that each repetition of each attention has a separate layer of `bytes`, and that the layers follow one another
// from `base` without gaps.
static void check_cache(struct ir *ir, enum ir_segment_kind kind, int64_t base, int64_t bytes) {
    struct layer layer[32];
    int count = 0;
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *at = &ir->segment[s];
        if (at->kind != kind) continue;
        int64_t repeat = ir->region[ir->node[at->node].region].repeat;
        assert_int_equal(at->bytes, (repeat - 1) * at->layer_stride + bytes);
        for (int64_t r = 0; r < repeat; r++) {
            int64_t begin = at->offset + r * at->layer_stride;
            layer[count++] = (struct layer){ir_engine_of(ir, at->node), begin, begin + bytes};
        }
    }
    assert_int_equal(count, 7);
    qsort(layer, (size_t)count, sizeof *layer, compare_layers);
    for (int i = 0; i < count; i++) assert_int_equal(layer[i].begin, base + i * bytes);
}

static void test_shared_cache(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *path = file_find_shared(&x.f.arena, "tests/e2e/cases/attentions/spec.yaml");
    assert_non_null(path);
    struct ir *ir = command_build(path, &x.f.arena, &x.f.diag, NULL);
    assert_no_errors(&x.f);
    check_cache(ir, IR_SEG_K, number_of(ir, "rill_k_writer", "K_BASE"),
                number_of(ir, "rill_k_writer", "K_LAYER_STRIDE"));
    check_cache(ir, IR_SEG_V, number_of(ir, "rill_v_tail", "V_BASE"), number_of(ir, "rill_v_tail", "V_LAYER_STRIDE"));
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_ram_edge), cmocka_unit_test(test_safe_rule),
        cmocka_unit_test(test_under_way),      cmocka_unit_test(test_words_of_64_bits),
        cmocka_unit_test(test_memory_styles),  cmocka_unit_test(test_shared_cache),
    };
    return cmocka_run_group_tests_name("depths", tests, NULL, NULL);
}
