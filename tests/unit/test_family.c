// SPDX-License-Identifier: Apache-2.0
// Tests families: the graph that a family makes from the values of a model must equal a graph written by hand, both in
// the compiler and in the oracle, which expand families separately. Also tests how families read config.json, names of
// tensors, and the kernels of a family.
#include "tests/unit/image_fixture.h"

#include "gen/reference/graph.h"
#include "gen/reference/weights.h"
#include "gen/spec/family.h"
#include "gen/ir/ir.h"
#include "gen/ir/names.h"
#include "gen/spec/spec.h"

// A family with pairs of layers in a repeated region and an odd layer in a separate region. It uses loops, choices,
// words, numbers, defaults from other parameters, expressions of `layer`, and a value per layer that is equal for all.
static const char family_text_of_test[] =
    "family: pairs\n"
    "parameters:\n"
    "  layers: {type: integer, from: 1, to: 9}\n"
    "  size: {type: integer, from: 1, to: 64}\n"
    "  wide: {type: integer, from: 1, to: 256, default: 2 * size}\n"
    "  gated: {type: flag, default: false}\n"
    "  act: {type: word, of: [gelu, silu], default: gelu}\n"
    "  eps: {type: number, from: 1e-9, to: 1, default: 1e-6}\n"
    "let:\n"
    "  pairs: layers / 2\n"
    "  rest: layers % 2\n"
    "graph:\n"
    "  context: 9\n"
    "  weights: {prefix: model., unused: ['*.mask']}\n"
    "  inputs: {x: {shape: ['{size}']}}\n"
    "  outputs: [{if: rest, then: last, else: hidden}]\n"
    "  regions:\n"
    "    - if: pairs\n"
    "      then:\n"
    "        name: pair\n"
    "        repeat: '{pairs}'\n"
    "        carry: {hidden: {init: x, next: h2}}\n"
    "        ops:\n"
    "          - for: i\n"
    "            count: 2\n"
    "            do:\n"
    "              - op: rmsnorm\n"
    "                name: 'n{i}'\n"
    "                in: {if: i == 0, then: hidden, else: 'h{i}'}\n"
    "                eps: '{eps}'\n"
    "                gamma: 'blk.{2 * layer + i}.norm'\n"
    "              - {op: quantize, name: 'q{i}', in: 'n{i}'}\n"
    "              - op: matmul\n"
    "                name: 'a{i}_acc'\n"
    "                in: 'q{i}'\n"
    "                rows: '{wide}'\n"
    "                weights: '{design.weights}'\n"
    "                weight: 'blk.{2 * layer + i}.up'\n"
    "                row_offset: '{(layer + 1) * 0 + wide}'\n"
    "              - {op: dequantize, name: 'a{i}', in: 'a{i}_acc'}\n"
    "              - {op: '{act}', name: 's{i}', in: 'a{i}'}\n"
    "              - if: gated && act.silu\n"
    "                then:\n"
    "                  - {op: mul, name: 'm{i}', in: ['s{i}', 'a{i}']}\n"
    "                  - {op: quantize, name: 'o{i}', in: 'm{i}'}\n"
    "                else: [{op: quantize, name: 'o{i}', in: 's{i}'}]\n"
    "              - {op: matmul, name: 'b{i}_acc', in: 'o{i}', rows: '{size}', weight: 'blk.{2 * layer + i}.down'}\n"
    "              - {op: dequantize, name: 'h{i + 1}', in: 'b{i}_acc'}\n"
    "    - if: rest\n"
    "      then:\n"
    "        name: odd\n"
    "        ops:\n"
    "          - {op: rmsnorm, name: last, in: {if: pairs, then: hidden, else: x}, gamma: 'blk.{layers - 1}.norm'}\n";

// The graphs that the family must make, written by hand from these parts.
#define LAYER(i, from, act, last)                                                                                      \
    "    - {op: rmsnorm, name: n" #i ", in: " from ", eps: 0.125, gamma: 'blk.{2 * layer + " #i "}.norm'}\n"           \
    "    - {op: quantize, name: q" #i ", in: n" #i "}\n"                                                               \
    "    - {op: matmul, name: a" #i "_acc, in: q" #i ", rows: 16, weights: int4, weight: 'blk.{2 * layer + " #i        \
    "}.up', row_offset: 16}\n"                                                                                         \
    "    - {op: dequantize, name: a" #i ", in: a" #i "_acc}\n"                                                         \
    "    - {op: " act ", name: s" #i ", in: a" #i "}\n" last
#define DOWN(i, name)                                                                                                  \
    "    - {op: matmul, name: b" #i "_acc, in: o" #i ", rows: 8, weight: 'blk.{2 * layer + " #i "}.down'}\n"           \
    "    - {op: dequantize, name: " name ", in: b" #i "_acc}\n"
#define GATE(i)                                                                                                        \
    "    - {op: mul, name: m" #i ", in: [s" #i ", a" #i "]}\n    - {op: quantize, name: o" #i ", in: m" #i "}\n"
#define PLAIN(i) "    - {op: quantize, name: o" #i ", in: s" #i "}\n"
#define GRAPH(output, regions)                                                                                         \
    "graph:\n  context: 9\n  weights: {prefix: model., unused: ['*.mask']}\n  inputs: {x: {shape: [8]}}\n"             \
    "  outputs: [" output "]\n  regions:\n" regions
#define PAIR(repeat) "  - name: pair\n    repeat: " repeat "\n    carry: {hidden: {init: x, next: h2}}\n    ops:\n"

static const struct {
    const char *model, *graph;
} cases[] = {
    {"model: {family: ./own.yaml, layers: 5, size: 8, gated: true, act: silu, eps: 0.125}\n",
     GRAPH("last", PAIR("2") LAYER(0, "hidden", "silu", GATE(0)) DOWN(0, "h1") LAYER(1, "h1", "silu", GATE(1))
                       DOWN(1, "h2") "  - name: odd\n    ops:\n    - {op: rmsnorm, name: last, in: hidden, gamma: "
                                     "blk.4.norm}\n")},
    {"model: {family: ./own.yaml, layers: 6, size: 8, gated: true, eps: 0.125}\n",
     GRAPH("hidden", PAIR("3") LAYER(0, "hidden", "gelu", PLAIN(0)) DOWN(0, "h1") LAYER(1, "h1", "gelu", PLAIN(1))
                         DOWN(1, "h2"))},
    {"model: {family: ./own.yaml, layers: 1, size: 8}\n",
     GRAPH("last", "  - name: odd\n    ops:\n    - {op: rmsnorm, name: last, in: x, gamma: blk.0.norm}\n")},
};

// Writes a spec with this model or graph to the scratch folder and returns its path.
static const char *spec_of(struct image_fixture *x, const char *name, const char *subject) {
    const char *path = image_path(x, name),
               *spec = arena_printf(&x->f.arena, "name: t\n%sdesign: {weights: int4}\n", subject);
    write_file(path, spec, strlen(spec));
    return path;
}

// ---- the compiler ----

// Returns the IR after infer-types as text, without the members that say whether the graph comes from a family.
static const char *dump(struct image_fixture *x, const char *path) {
    struct ir *ir = command_build(path, &x->f.arena, &x->f.diag, "infer-types");
    struct text text = {0};
    assert_no_errors(&x->f);
    assert_non_null(ir);
    ir->spec = ir->family = ir->design.family = ir->design.derived = NULL;
    ir_write_text(ir, &text);
    const char *copy = arena_strdup(&x->f.arena, text_cstr(&text));
    text_free(&text);
    return copy;
}

// Checks the name of a weight that depends on the layer.
static void assert_names(struct image_fixture *x, const char *path) {
    const struct ir *ir = command_build(path, &x->f.arena, &x->f.diag, "infer-types");
    const char *name = names_in(&x->f.arena, "blk.{2 * layer + 1}.norm", 1);
    assert_string_equal(name, "blk.3.norm");
    for (int n = 0; n < ir->nodes; n++) {
        const char *gamma = ir_attr_string(&ir->node[n].attrs, "gamma", "");
        if (!strcmp(ir->node[n].name, "n1")) assert_string_equal(names_in(&x->f.arena, gamma, 1), "blk.3.norm");
    }
}

// ---- the oracle ----

static void assert_same_text(const char *a, const char *b) { assert_string_equal(a ? a : "", b ? b : ""); }

static void assert_same_names(struct arena *arena, const char *a, const char *b, int64_t repeat) {
    for (int64_t r = 0; r < repeat; r++)
        assert_same_text(a ? oracle_name(arena, a, r) : NULL, b ? oracle_name(arena, b, r) : NULL);
}

static void assert_same_node(struct arena *arena, const struct oracle_node *a, const struct oracle_node *b,
                             int64_t repeat) {
    assert_true(a->op == b->op && a->region == b->region && a->inputs == b->inputs && a->outputs == b->outputs);
    assert_memory_equal(a->in, b->in, sizeof a->in);
    assert_memory_equal(a->out, b->out, sizeof a->out);
    assert_true(a->rows == b->rows && a->cols == b->cols && a->row_offset == b->row_offset && a->block == b->block &&
                a->exp_min == b->exp_min && a->int4 == b->int4 && a->transpose == b->transpose && a->eps == b->eps);
    assert_same_names(arena, a->weight, b->weight, repeat);
    assert_same_names(arena, a->gamma, b->gamma, repeat);
}

// Checks that the oracle reads equal graphs from the two specs.
static void assert_same_oracle(struct image_fixture *x, const char *model, const char *graph) {
    const struct oracle_graph *a = oracle_read(&x->f.arena, model, &x->f.diag),
                              *b = oracle_read(&x->f.arena, graph, &x->f.diag);
    assert_no_errors(&x->f);
    assert_true(a && b && a->tensor.count == b->tensor.count && a->node.count == b->node.count &&
                a->region.count == b->region.count && a->context == b->context &&
                !memcmp(&a->eot, &b->eot, sizeof a->eot));
    assert_string_equal(a->prefix, b->prefix);
    assert_int_equal(a->unused.count, b->unused.count);
    for (size_t i = 0; i < a->tensor.count; i++) assert_string_equal(a->tensor.items[i].name, b->tensor.items[i].name);
    for (size_t i = 0; i < a->region.count; i++) assert_int_equal(a->region.items[i].repeat, b->region.items[i].repeat);
    for (size_t i = 0; i < a->node.count; i++)
        assert_same_node(&x->f.arena, &a->node.items[i], &b->node.items[i],
                         b->region.items[b->node.items[i].region].repeat);
}

static void test_expansion(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct image_fixture x;
        image_begin(&x);
        write_file(image_path(&x, "own.yaml"), family_text_of_test, strlen(family_text_of_test));
        const char *model = spec_of(&x, "model.yaml", cases[i].model),
                   *graph = spec_of(&x, "graph.yaml", cases[i].graph);
        assert_string_equal(dump(&x, model), dump(&x, graph));
        assert_names(&x, graph);
        assert_same_oracle(&x, model, graph);
        image_end(&x);
    }
}

// ---- a checkpoint of a family that is not in the folder families/ ----

// A safetensors file with random weights that is being written, with the family's prefix and each tensor once.
struct file_of {
    struct image_fixture *x;
    struct checkpoint *random;
    struct text header, data;
};

// Adds a tensor to the file, unless the file already has one of this name. cols: 1 for a vector.
static void add_tensor(struct file_of *f, const char *name, int64_t rows, int64_t cols, const float *values) {
    size_t begin = f->data.len, bytes = sizeof *values * (size_t)(rows * cols);
    const char *entry = arena_printf(&f->x->f.arena, "\"model.%s\":", name);
    assert_non_null(values);
    if (f->header.len && strstr(text_cstr(&f->header), entry)) return;
    text_add_bytes(&f->data, values, bytes);
    text_addf(&f->header, "%s%s{\"dtype\":\"F32\",\"shape\":[", f->header.len ? "," : "{", entry);
    text_addf(&f->header, cols > 1 ? "%lld,%lld" : "%lld", (long long)rows, (long long)cols);
    text_addf(&f->header, "],\"data_offsets\":[%zu,%zu]}", begin, begin + bytes);
}

static void add_vector(struct file_of *f, const char *pattern, int64_t repetition, int64_t n,
                       enum checkpoint_role role) {
    if (!pattern) return;
    const char *name = oracle_name(&f->x->f.arena, pattern, repetition);
    add_tensor(f, name, n, 1, checkpoint_vector(f->random, &f->x->f.arena, name, n, 0, 0, role, &f->x->f.diag));
}

static void add_matrix(struct file_of *f, const struct oracle_node *n, int64_t cols, int64_t repetition) {
    if (!n->weight) return;
    const char *name = oracle_name(&f->x->f.arena, n->weight, repetition);
    const struct checkpoint_slice s = {name, n->rows, cols, false, 0, 0, n->op == ORACLE_POSITION};
    add_tensor(f, name, n->rows, cols, checkpoint_matrix(f->random, &f->x->f.arena, &s, &f->x->f.diag));
}

// Writes all tensors that the graph reads, with the values of the source of random weights, to model.safetensors.
static void write_checkpoint(struct image_fixture *x, const struct oracle_graph *g, const char *source) {
    struct file_of f = {.x = x, .random = checkpoint_open(&x->f.arena, source, &x->f.diag)};
    for (size_t i = 0; i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        if (!n->weight && !n->gamma) continue;
        int64_t length = oracle_vector_length(g, n);
        for (int64_t r = 0; r < g->region.items[n->region].repeat; r++) {
            add_matrix(&f, n, length, r);
            add_vector(&f, n->bias, r, n->rows, CHECKPOINT_BIAS);
            add_vector(&f, n->gamma, r, length, CHECKPOINT_GAIN);
        }
    }
    text_add(&f.header, "}");
    write_safetensors(image_path(x, "model.safetensors"), text_cstr(&f.header), f.data.data, f.data.len);
    text_free(&f.header);
    text_free(&f.data);
    checkpoint_close(f.random);
}

static void assert_same_file(struct image_fixture *x, const char *a, const char *b, const char *name) {
    size_t a_len, b_len;
    const char *why, *p = file_read(&x->f.arena, arena_printf(&x->f.arena, "%s/%s", a, name), 1 << 24, &a_len, &why),
                     *q = file_read(&x->f.arena, arena_printf(&x->f.arena, "%s/%s", b, name), 1 << 24, &b_len, &why);
    assert_true(p && q && a_len == b_len && a_len > 0);
    assert_memory_equal(p, q, a_len);
}

#define GATED_CONFIG                                                                                                   \
    "{\"model_type\": \"gated\", \"n_layer\": 3, \"hidden_size\": 24, \"num_attention_heads\": 3, "                    \
    "\"num_key_value_heads\": 1, \"intermediate_size\": 40, \"vocab_size\": 30, \"max_position_embeddings\": 20, "     \
    "\"hidden_act\": \"gelu_new\", \"tie_word_embeddings\": true, \"head_dim\": "

// The image from the written checkpoint must equal the image from the random weights with which it was written.
static void test_checkpoint(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *family = file_find_shared(&x.f.arena, "tests/e2e/families/gated.yaml"),
               *model =
                   arena_printf(&x.f.arena,
                                "model: {family: %s, layers: 3, hidden: 24, heads: 3, kv_heads: 1, head_dim: 4, "
                                "ffn: 40, vocab: 30, context: 20, biases: true, activation: gelu, tied_head: true}\n",
                                family),
               *spec = arena_printf(&x.f.arena, "name: t\n%sdesign: {lanes: 4, weights: int4}\n", model),
               *path = image_path(&x, "kept.yaml");
    write_file(path, spec, strlen(spec));
    const struct oracle_graph *g = oracle_read(&x.f.arena, path, &x.f.diag);
    assert_no_errors(&x.f);
    write_checkpoint(&x, g, "random:6");
    write_file(image_path(&x, "config.json"), GATED_CONFIG "4}", strlen(GATED_CONFIG "4}"));
    const struct ir *ir = image_build(&x, spec, NULL);
    const char *own = image_pack(&x, ir, x.dir, "own"), *random = image_pack(&x, ir, "random:6", "random");
    assert_same_file(&x, own, random, "channel_00.bin");
    assert_same_file(&x, own, random, "golden.bin");
    assert_same_file(&x, own, random, "oracle.bin");
    // The tensors still have the shapes that the spec needs, so only config.json shows the difference.
    write_file(image_path(&x, "config.json"), GATED_CONFIG "8}", strlen(GATED_CONFIG "8}"));
    assert_null(image_try(&x, ir, x.dir, "wrong", false));
    assert_reported(&x.f, "config.json: error: `head_dim` is 8, but the spec says 4");
    image_end(&x);
}

// ---- config.json with old and new names of keys ----

#define LLAMA_CONFIG(more)                                                                                             \
    "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 64, \"num_attention_heads\": 4, "          \
    "\"num_key_value_heads\": 2, \"intermediate_size\": 96, \"vocab_size\": 128, \"max_position_embeddings\": "        \
    "131072, "                                                                                                         \
    "\"rms_norm_eps\": 1e-5, \"hidden_act\": \"silu\", \"eos_token_id\": [9, 7], " more "}"
#define LLAMA3                                                                                                         \
    "\"factor\": 32.0, \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0, \"original_max_position_embeddings\": "    \
    "8192"

struct config_case {
    const char *config, *refused; // refused: the message; NULL: the config fits the spec
};

static const struct config_case llama_configs[] = {
    {LLAMA_CONFIG("\"rope_theta\": 500000.0, \"rope_scaling\": {\"rope_type\": \"llama3\", " LLAMA3 "}"), NULL},
    {LLAMA_CONFIG("\"rope_theta\": 500000.0, \"rope_scaling\": {\"type\": \"llama3\", " LLAMA3 "}"), NULL},
    {LLAMA_CONFIG("\"rope_parameters\": {\"rope_theta\": 500000.0, \"rope_type\": \"llama3\", " LLAMA3 "}"), NULL},
    {LLAMA_CONFIG("\"rope_theta\": 500000.0, \"rope_scaling\": {\"rope_type\": \"dynamic\", \"factor\": 2.0}"),
     "`rope_scaling.rope_type` is `dynamic`, which the family does not support"},
    {LLAMA_CONFIG("\"rope_theta\": 500000.0, \"rope_scaling\": {\"rope_type\": \"llama3\", \"attention_factor\": "
                  "0.9, " LLAMA3 "}"),
     "`rope_parameters.attention_factor` is 0.9, but the spec says 0"},
    {LLAMA_CONFIG("\"rope_scaling\": {\"rope_type\": \"yarn\", \"mscale\": 0.5}"), "`rope_scaling.mscale` is `0.5`"},
    // A scaling with a missing key is refused, or takes the value from another key of the checkpoint.
    {LLAMA_CONFIG("\"rope_scaling\": {\"rope_type\": \"yarn\", \"original_max_position_embeddings\": 4096}"),
     "`rope_scaling.rope_type` is `yarn`, but `rope_scaling.factor` is missing"},
    {LLAMA_CONFIG("\"rope_parameters\": {\"rope_theta\": 5e5, \"rope_type\": \"linear\"}"),
     "`rope_parameters.rope_type` is `linear`, but `rope_parameters.factor` is missing"},
    {LLAMA_CONFIG("\"rope_scaling\": {\"factor\": 2.0}"),
     "`rope_scaling.factor` is `2.0`, but `rope_scaling.rope_type` is missing"},
    {LLAMA_CONFIG("\"rope_theta\": 500000.0, \"rope_scaling\": {\"type\": \"llama3\", \"factor\": 32.0}"),
     "`rope_parameters.original_max_position_embeddings` is 131072, but the spec says 8192"},
    {LLAMA_CONFIG("\"rope_theta\": 500000.0, \"rope_scaling\": {\"type\": \"llama3\", \"factor\": 32.0}, "
                  "\"original_max_position_embeddings\": 8192"),
     NULL},
    {LLAMA_CONFIG("\"rope_theta\": 500000.0, \"rope_scaling\": {\"type\": \"llama3\", \"factor\": 32.0}, "
                  "\"original_max_position_embeddings\": 2048"),
     "`rope_parameters.original_max_position_embeddings` is 2048, but the spec says 8192"},
    {LLAMA_CONFIG("\"rope_theta\": 5e5, \"rope_scaling\": {\"rope_type\": \"llama3\", " LLAMA3
                  "}, \"sliding_window\": 4096"),
     "`sliding_window` is 4096, but the spec says 0 by default"},
    {LLAMA_CONFIG("\"rope_theta\": 5e5, \"rope_scaling\": {\"rope_type\": \"llama3\", " LLAMA3
                  "}, \"sliding_window\": null, \"layer_types\": [\"sliding_attention\"]"),
     "`layer_types` has `sliding_attention` for layer 0"},
    {LLAMA_CONFIG("\"rope_theta\": 5e5, \"rope_scaling\": {\"rope_type\": \"llama3\", " LLAMA3 "}, \"mlp_bias\": true"),
     "`mlp_bias` is true, but the spec says false by default"},
    {LLAMA_CONFIG("\"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 2.0}"),
     "`rope_parameters.rope_theta` is 10000, but the spec says 500000"},
};

#define GEMMA_CONFIG(window, more)                                                                                     \
    "{\"model_type\": \"gemma3_text\", \"num_hidden_layers\": 3, \"hidden_size\": 64, \"num_attention_heads\": 4, "    \
    "\"num_key_value_heads\": 2, \"head_dim\": 16, \"query_pre_attn_scalar\": 16, \"intermediate_size\": 96, "         \
    "\"vocab_size\": 128, \"rms_norm_eps\": 1e-6, \"hidden_activation\": \"gelu_pytorch_tanh\", "                      \
    "\"tie_word_embeddings\": true, \"sliding_window\": " window ", " more "}"
#define GEMMA_PERIOD(types)                                                                                            \
    GEMMA_CONFIG("512", "\"rope_theta\": 1e6, \"_sliding_window_pattern\": 2, \"layer_types\": [" types "]")
#define ATTENTION(kind) "\"" kind "_attention\""

static const struct config_case gemma_configs[] = {
    {GEMMA_PERIOD(ATTENTION("sliding") ", " ATTENTION("full") ", " ATTENTION("sliding")), NULL},
    {GEMMA_PERIOD(ATTENTION("full") ", " ATTENTION("sliding") ", " ATTENTION("full")), "`layer_types`"},
    // The period follows from the list if the older key is missing.
    {GEMMA_CONFIG("512",
                  "\"layer_types\": [" ATTENTION("sliding") ", " ATTENTION("full") ", " ATTENTION("sliding") "]"),
     NULL},
    {GEMMA_CONFIG("512", "\"layer_types\": [" ATTENTION("sliding") ", " ATTENTION("full") ", " ATTENTION("full") "]"),
     "`layer_types` has `full_attention` for layer 2, but the family computes another kind"},
    {GEMMA_CONFIG("512", "\"layer_types\": [" ATTENTION("sliding") ", " ATTENTION("sliding") "]"),
     "`_sliding_window_pattern` is 6, but the spec says 2"},
    {GEMMA_CONFIG("512", "\"sliding_window_pattern\": 2, \"rope_parameters\": {\"full_attention\": {\"rope_type\": "
                         "\"default\", \"rope_theta\": 1e6}, \"sliding_attention\": {\"rope_theta\": 1e4}}"),
     NULL},
    {GEMMA_CONFIG("512", "\"sliding_window_pattern\": 2, \"rope_local_base_freq\": 5000.0"),
     "`rope_parameters.sliding_attention.rope_theta` is 5000, but the spec says 10000"},
    {GEMMA_CONFIG("512", "\"rope_theta\": 1e6"), "the spec says 2"},
    {GEMMA_CONFIG("512", "\"sliding_window_pattern\": 2, \"rope_scaling\": {\"rope_type\": \"linear\"}"),
     "`rope_scaling.rope_type` is `linear`, but `rope_scaling.factor` is missing"},
    {GEMMA_CONFIG("512", "\"sliding_window_pattern\": 2, \"rope_scaling\": {\"factor\": 8.0}"),
     "`rope_scaling.factor` is `8.0`, but `rope_scaling.rope_type` is missing"},
    {GEMMA_CONFIG("256", "\"sliding_window_pattern\": 2"), "`sliding_window` is 256, but the spec says 512"},
    {GEMMA_CONFIG("512", "\"sliding_window_pattern\": 2, \"final_logit_softcapping\": 30.0"),
     "`final_logit_softcapping` is `30"},
};

#define GEMMA2_CONFIG(caps, first, second)                                                                             \
    "{\"model_type\": \"gemma2\", \"num_hidden_layers\": 2, \"hidden_size\": 64, \"num_attention_heads\": 4, "         \
    "\"num_key_value_heads\": 2, \"head_dim\": 16, \"query_pre_attn_scalar\": 24, \"intermediate_size\": 96, "         \
    "\"vocab_size\": 128, " caps ", \"layer_types\": [" ATTENTION(first) ", " ATTENTION(second) "]}"
#define GEMMA2_CAPS(scores) "\"attn_logit_softcapping\": " scores ", \"final_logit_softcapping\": 30.0"

static const struct config_case gemma2_configs[] = {
    {GEMMA2_CONFIG(GEMMA2_CAPS("50.0"), "sliding", "full"), NULL},
    {GEMMA2_CONFIG(GEMMA2_CAPS("50.0"), "full", "sliding"), "`layer_types`"},
    {GEMMA2_CONFIG(GEMMA2_CAPS("null"), "sliding", "full"), "`attn_logit_softcapping`"},
    {GEMMA2_CONFIG(GEMMA2_CAPS("20.0"), "sliding", "full"), "`attn_logit_softcapping` is 20, but the spec says 50"},
};

// Returns whether a config.json agrees with the values of `model` in a spec.
static bool config_fits(struct image_fixture *x, const struct family *family, const char *model, const char *config) {
    const struct yaml_node *node = yaml_read_bytes("model", model, strlen(model), &x->f.arena, &x->f.diag);
    struct family_values *want = family_values_read(family, node, &x->f.arena, &x->f.diag), *have;
    write_file(image_path(x, "config.json"), config, strlen(config));
    have = family_config_read(family, x->dir, &x->f.arena, &x->f.diag);
    return want && have && family_config_check(have, want, x->dir, &x->f.arena, &x->f.diag);
}

// Checks that a config.json agrees with the values of `model` in a spec, or is refused with the message of the case.
static void check_config(const char *name, const char *model, const struct config_case *c) {
    struct image_fixture x;
    image_begin(&x);
    const struct family *family = family_find(name, ".", loc_none(), &x.f.arena, &x.f.diag);
    assert_non_null(family);
    bool fits = config_fits(&x, family, model, c->config);
    if (c->refused) assert_reported(&x.f, c->refused);
    else assert_no_errors(&x.f);
    assert_int_equal(fits, c->refused == NULL);
    image_end(&x);
}

// Compares each config.json with the values of a spec. The spec of llama has theta 500000, the scaling llama3 with
// factor 32, and a context shorter than the model's.
static void test_spellings(void **state) {
    (void)state;
    static const char
        llama[] = "{layers: 2, hidden: 64, heads: 4, kv_heads: 2, ffn: 96, vocab: 128, context: 50, norm_eps: 1e-5, "
                  "rope_theta: 500000, rope_scaling: llama3, rope_factor: 32}",
        gemma[] = "{layers: 3, hidden: 64, heads: 4, kv_heads: 2, head_dim: 16, ffn: 96, vocab: 128, period: 2}";
    for (size_t i = 0; i < COUNT_OF(llama_configs); i++) check_config("llama", llama, &llama_configs[i]);
    for (size_t i = 0; i < COUNT_OF(gemma_configs); i++) check_config("gemma3", gemma, &gemma_configs[i]);
    const char *gemma2 = "{layers: 2, hidden: 64, heads: 4, kv_heads: 2, head_dim: 16, ffn: 96, vocab: 128, "
                         "score_root: 24, score_cap: 50, logit_cap: 30}";
    for (size_t i = 0; i < COUNT_OF(gemma2_configs); i++) check_config("gemma2", gemma2, &gemma2_configs[i]);
}

// Tests keys that the family llama does not read: harmless ones are ignored, unknown ones cause a warning, and keys
// that change the result are refused.
static void test_unread(void **state) {
    (void)state;
    static const struct {
        const char *more, *said; // said: the message, or NULL for none
        bool refused;
    } cases[] = {
        {"\"torch_dtype\": \"bfloat16\", \"summary_type\": 1, \"rope_scaling\": {\"type\": \"linear\", \"factor\": "
         "2.0, \"finetuned\": true}, \"logit_scale\": 1.0, \"num_experts\": 0, \"clip_qkv\": null, \"strange\": null",
         NULL, false},
        {"\"a\": {\"strange\": [1, {\"strange\": 2}]},\n  \"strange\": 7",
         "config.json:2:3: warning: `strange` is `7`: family llama does not read this key", false},
        {"\"rope_scaling\": {\"type\": \"linear\",\n \"factor\": 2.0,\n \"long_factor\" : [1, 2]}",
         "config.json:3:2: warning: `rope_scaling.long_factor` is `[1,2]`: family llama does not read", false},
        {"\"x\": \"\\\"logit_scale\\\"\",\n\"logit_scale\": 0.0625",
         "config.json:2:1: error: `logit_scale` is `0.0625`: the family does not scale the logits", true},
        {"\"quantization_config\": {\"quant_method\": \"awq\"}", "error: `quantization_config` is `{", true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct image_fixture x;
        image_begin(&x);
        const struct family *family = family_find("llama", ".", loc_none(), &x.f.arena, &x.f.diag);
        const char *config = arena_printf(&x.f.arena, LLAMA_CONFIG("%s"), cases[i].more);
        write_file(image_path(&x, "config.json"), config, strlen(config));
        assert_int_equal(family_config_read(family, x.dir, &x.f.arena, &x.f.diag) == NULL, cases[i].refused);
        if (cases[i].said) assert_reported(&x.f, cases[i].said);
        else assert_string_equal(fixture_text(&x.f), "");
        image_end(&x);
    }
}

// ---- names ----

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *why; // why: the error, or NULL for none
        size_t at;                 // offset of the error in the pattern
    } checks[] = {{"h.{layer}.w", NULL, 0},
                  {"plain", NULL, 0},
                  {"{2 * layer + 1}", NULL, 0},
                  {"a{layer", "`{` without `}`", 1},
                  {"a}", "`}` without `{`", 1},
                  {"a{}", "the expression ends early", 2},
                  {"a{layers}", "`layers` has no value here", 2},
                  {"ab{layer - 1}", "a number below 0", 3},
                  {"a{6 / (3 - layer)}", "division by zero", 17}};
    struct fixture f;
    fixture_begin(&f);
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        struct expression_error error = {0};
        bool ok = names_check(&f.arena, checks[i].pattern, 5, &error);
        assert_int_equal(ok, checks[i].why == NULL);
        if (!ok) assert_string_equal(error.why, checks[i].why);
        if (!ok) assert_int_equal(error.at, checks[i].at);
    }
    assert_string_equal(names_in(&f.arena, "h.{layer}.{layer % 2}", 3), "h.3.1");
    assert_string_equal(oracle_name(&f.arena, "h.{layer}.{layer % 2}", 3), "h.3.1");
    assert_true(names_repeat("h.{layer}") && !names_repeat("h.0"));
    fixture_end(&f);
}

// An attribute whose value differs between layers becomes a list. No operation supports a list for `block`, so this
// family is refused.
static void test_per_layer(void **state) {
    (void)state;
    static const char own[] = "family: f\nparameters: {n: {type: integer}}\ngraph:\n  inputs: {x: {shape: [8]}}\n"
                              "  outputs: [h]\n  regions:\n  - name: r\n    repeat: '{n}'\n"
                              "    carry: {h: {init: x, next: y}}\n    ops:\n"
                              "    - {op: quantize, name: q, in: h, block: '{layer % 6 == 5 ? 8 : 4}'}\n"
                              "    - {op: matmul, name: a, in: q, rows: 8, weight: w}\n"
                              "    - {op: dequantize, name: y, in: a}\n";
    struct image_fixture x;
    image_begin(&x);
    write_file(image_path(&x, "own.yaml"), own, strlen(own));
    const char *path = spec_of(&x, "model.yaml", "model: {family: ./own.yaml, n: 7}\n");
    assert_null(command_build(path, &x.f.arena, &x.f.diag, "expand-model"));
    assert_reported(&x.f, "own.yaml:11:45: error: `block` must be an integer");
    assert_reported(&x.f, "model.yaml:2:8: note: in the graph of this model");
    struct family *family = family_read_bytes("own.yaml", own, strlen(own), &x.f.arena, &x.f.diag);
    struct family_values values = {.family = family, .parameter = &(struct family_value){.known = true, .i = 7}};
    const struct yaml_node *graph = family_graph(&values, &x.f.arena, &x.f.diag),
                           *op = yaml_get(yaml_get(graph, "regions")->items[0], "ops")->items[0],
                           *block = yaml_get(op, "block");
    assert_int_equal(block->count, 7);
    for (size_t i = 0; i < 7; i++) assert_string_equal(block->items[i]->text, i == 5 ? "8" : "4");
    image_end(&x);
}

// ---- kernels of a family ----

static void assert_same_text_of(const struct custom *c, const struct oracle_kernel *o, const char *name,
                                const char *file) {
    assert_string_equal(c->name, name);
    assert_string_equal(o->name, name);
    assert_string_equal(c->golden.name, file);
    assert_string_equal(c->golden.text, o->text);
}

// The kernels of a family are added to those of the spec, and their paths are relative to the file that declares them.
static void test_kernels(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *path = file_find_shared(&x.f.arena, "tests/e2e/cases/rectified/spec.yaml");
    const struct rill_spec *spec = rill_spec_read(path, &x.f.arena, &x.f.diag);
    const struct oracle_graph *g = oracle_read(&x.f.arena, path, &x.f.diag);
    assert_no_errors(&x.f);
    assert_true(spec && g && spec->kernel_count == 2 && g->kernel.count == 2);
    assert_same_text_of(&spec->kernels[0], &g->kernel.items[1], "rectify", "rectify.c");
    assert_same_text_of(&spec->kernels[1], &g->kernel.items[0], "bound", "clamp.c");
    image_end(&x);
}

static void test_too_many_kernels(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct text spec = {0};
    text_addf(&spec, "model: {family: %s, layers: 1, width: 8}\nkernels:\n",
              file_find_shared(&x.f.arena, "tests/e2e/families/rectified.yaml"));
    for (int i = 0; i < SPEC_MAX_KERNELS; i++) text_addf(&spec, "  k%d: {}\n", i);
    assert_null(rill_spec_read(spec_of(&x, "many.yaml", text_cstr(&spec)), &x.f.arena, &x.f.diag));
    assert_reported(&x.f,
                    "many.yaml:4:3: error: the spec and its family together must have at most 64 kernels, not 65");
    text_free(&spec);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_expansion),  cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_spellings),
                                       cmocka_unit_test(test_unread),     cmocka_unit_test(test_per_layer),
                                       cmocka_unit_test(test_kernels),    cmocka_unit_test(test_too_many_kernels)};
    return cmocka_run_group_tests_name("family", tests, NULL, NULL);
}
