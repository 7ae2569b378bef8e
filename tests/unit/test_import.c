// SPDX-License-Identifier: Apache-2.0
// Tests `rill import`. The config.json of published models must give specs that every pass accepts, and designs within
// the limits of the board. Other models must be refused with a reason. The printed table must list the origin of each
// value.
#include "tests/unit/model_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "gen/command/command.h"
#include "gen/import/import.h"
#include "gen/model/config_generation.h"
#include "gen/report/design_report.h"
#include "gen/spec/spec.h"

// Parts of the texts of config.json below.
#define ROPE_LLAMA                                                                                                     \
    "\"model_type\": \"llama\", \"hidden_act\": \"silu\", \"attention_bias\": false, \"rms_norm_eps\": 1e-05, "
#define SIZES(layers, hidden, heads, kv_heads, ffn, vocab)                                                             \
    "\"num_hidden_layers\": " #layers ", \"hidden_size\": " #hidden ", \"num_attention_heads\": " #heads               \
    ", \"num_key_value_heads\": " #kv_heads ", \"intermediate_size\": " #ffn ", \"vocab_size\": " #vocab ", "
#define GEMMA3                                                                                                         \
    "\"model_type\": \"gemma3_text\", \"hidden_activation\": \"gelu_pytorch_tanh\", \"head_dim\": 256, "               \
    "\"query_pre_attn_scalar\": 256, \"rms_norm_eps\": 1e-06, \"sliding_window\": 512, "                               \
    "\"max_position_embeddings\": 32768, \"final_logit_softcapping\": null, "

struct shape {
    const char *name, *config; // config: text of config.json
    const char *said[4];       // texts that the spec must contain
    int64_t context;           // context of the spec, without the option --context
};
static const struct shape shapes[] = {
    {"gpt2",
     "{\"model_type\": \"gpt2\", \"activation_function\": \"gelu_new\", \"n_layer\": 12, \"n_embd\": 768, "
     "\"n_head\": 12, \"vocab_size\": 50257, \"n_positions\": 1024, \"n_inner\": null, \"layer_norm_epsilon\": 1e-05, "
     "\"eos_token_id\": 50256}",
     {"  ffn: 3072 # assumed", "  eot: 50256\n", "  norm_eps: 1e-05\n"},
     1024},
    {"SmolLM2-135M",
     "{" ROPE_LLAMA SIZES(30, 576, 9, 3, 1536, 49152) "\"max_position_embeddings\": 8192, \"rope_theta\": 100000, "
                                                      "\"tie_word_embeddings\": true, \"eos_token_id\": 2}",
     {"  kv_heads: 3\n", "  rope_theta: 100000\n", "  tied_head: true\n", "trained for 8192\n"},
     2048},
    {"Qwen2.5-0.5B",
     "{\"model_type\": \"qwen2\", \"hidden_act\": \"silu\", " SIZES(
         24, 896, 14, 2, 4864,
         151936) "\"max_position_embeddings\": 32768, \"rms_norm_eps\": 1e-06, \"rope_theta\": 1000000.0, "
                 "\"tie_word_embeddings\": true, \"use_sliding_window\": false, \"sliding_window\": 32768, "
                 "\"eos_token_id\": 151643}",
     {"  family: \"qwen2\"\n", "  rope_theta: 1e+06\n", "trained for 32768\n"},
     2048},
    {"Qwen3-0.6B",
     "{\"model_type\": \"qwen3\", \"hidden_act\": \"silu\", \"head_dim\": 128, \"attention_bias\": false, " SIZES(
         28, 1024, 16, 8, 3072,
         151936) "\"max_position_embeddings\": 40960, \"rms_norm_eps\": 1e-06, \"rope_theta\": 1000000, "
                 "\"rope_scaling\": null, \"tie_word_embeddings\": true, \"eos_token_id\": 151645}",
     {"  family: \"qwen3\"\n", "  head_dim: 128\n"},
     2048},
    {"TinyLlama-1.1B",
     "{" ROPE_LLAMA SIZES(22, 2048, 32, 4, 5632,
                          32000) "\"max_position_embeddings\": 2048, \"tie_word_embeddings\": false, "
                                 "\"eos_token_id\": 2}",
     {"  tied_head: false\n", "  ffn: 5632\n"},
     2048},
    {"Llama-3.2-1B",
     "{" ROPE_LLAMA SIZES(
         16, 2048, 32, 8, 8192,
         128256) "\"max_position_embeddings\": 131072, \"tie_word_embeddings\": true, \"rope_parameters\": "
                 "{\"rope_type\": \"llama3\", \"rope_theta\": 500000.0, \"factor\": 32.0, \"low_freq_factor\": 1.0, "
                 "\"high_freq_factor\": 4.0, \"original_max_position_embeddings\": 8192}}",
     {"  rope_scaling: llama3\n", "  rope_factor: 32\n", "  rope_theta: 500000\n", "  rope_context: 8192\n"},
     2048},
    {"gemma-3-270m",
     "{" GEMMA3 SIZES(18, 640, 4, 1, 2048, 262144) "\"rope_theta\": 1000000, \"rope_local_base_freq\": 10000, "
                                                   "\"_sliding_window_pattern\": 6, \"eos_token_id\": [1, 106]}",
     {"  family: \"gemma3\"\n", "  period: 6\n", "  head_dim: 256\n", "  rope_local_theta: 10000\n"},
     512},
    {"gemma-3-1b",
     "{" GEMMA3 SIZES(26, 1152, 4, 1, 6912, 262144) "\"rope_parameters\": {\"full_attention\": {\"rope_type\": "
                                                    "\"default\", \"rope_theta\": 1000000}, \"sliding_attention\": "
                                                    "{\"rope_theta\": 10000}}}",
     {"  family: \"gemma3\"\n", "  layers: 26\n", "  rope_theta: 1e+06\n"},
     512},
    // The text part of a multimodal model. Its config.json leaves out keys that have the defaults of the library.
    {"gemma-3-4b",
     "{\"architectures\": [\"Gemma3ForConditionalGeneration\"], \"boi_token_index\": 255999, \"eoi_token_index\": "
     "256000, \"eos_token_id\": [1, 106], \"image_token_index\": 262144, \"initializer_range\": 0.02, "
     "\"mm_tokens_per_image\": 256, \"model_type\": \"gemma3\", \"text_config\": {\"hidden_size\": 2560, "
     "\"intermediate_size\": 10240, \"model_type\": \"gemma3_text\", \"num_hidden_layers\": 34, \"rope_scaling\": "
     "{\"factor\": 8.0, \"rope_type\": \"linear\"}, \"sliding_window\": 1024}, \"torch_dtype\": \"bfloat16\", "
     "\"vision_config\": {\"hidden_size\": 1152, \"model_type\": \"siglip_vision_model\"}}",
     {"  heads: 8", "  kv_heads: 4", "  rope_factor: 8\n", "  eot: [1, 106]\n"},
     1024},
    // Scores are not divided by the root of the size of a head, and two of three layers have a sliding window.
    {"gemma-3-27b",
     "{\"model_type\": \"gemma3_text\", \"hidden_activation\": \"gelu_pytorch_tanh\", \"head_dim\": 128, "
     "\"query_pre_attn_scalar\": 168, \"rms_norm_eps\": 1e-06, \"sliding_window\": 1024, " SIZES(
         3, 5376, 32, 16, 21504, 262208) "\"layer_types\": [\"sliding_attention\", \"sliding_attention\", "
                                         "\"full_attention\"]}",
     {"  score_root: 168\n", "  period: 3\n", "  window: 1024\n"},
     1024},
    {"Mistral-7B",
     "{\"model_type\": \"mistral\", \"hidden_act\": \"silu\", \"rms_norm_eps\": 1e-05, " SIZES(
         32, 4096, 32, 8, 14336, 32000) "\"max_position_embeddings\": 32768, \"sliding_window\": 4096, "
                                        "\"tie_word_embeddings\": false}",
     {"  window: 4096\n", "  family: \"llama\"\n"},
     2048},
    {"Llama-with-biases",
     "{\"model_type\": \"llama\", \"hidden_act\": \"silu\", \"attention_bias\": true, \"rms_norm_eps\": 1e-05, " SIZES(
         2, 64, 4, 2, 96, 128) "\"max_position_embeddings\": 512, \"sliding_window\": null}",
     {"  attention_bias: true\n", "  output_bias: true\n"},
     512},
};

struct import_fixture {
    struct fixture f;
    char dir[32];
    struct import_options o;
    const char *model;
};

static void begin(struct import_fixture *x, const char *name, const char *config) {
    fixture_begin(&x->f);
    strcpy(x->dir, "/tmp/rill_import_XXXXXX");
    assert_non_null(mkdtemp(x->dir));
    x->model = arena_printf(&x->f.arena, "%s/%s", x->dir, name);
    assert_int_equal(mkdir(x->model, 0700), 0);
    if (config) write_file(arena_printf(&x->f.arena, "%s/config.json", x->model), config, strlen(config));
    x->o = (struct import_options){.source = x->model, .board = "u55c"};
}

static void end(struct import_fixture *x) {
    unlink(arena_printf(&x->f.arena, "%s/config.json", x->model));
    rmdir(x->model);
    assert_int_equal(rmdir(x->dir), 0);
    fixture_end(&x->f);
}

// A design that import_spec is given where the test is not about the design.
static const struct import_design least = {.channels = 32, .lanes = 8, .tokens = 1, .copies = 1, .beat_bits = 512};

// Imports a model and checks texts and context of the spec. All passes must accept the spec, and its parameters must
// agree with config.json.
static void import_shape(const struct shape *s) {
    struct import_fixture x;
    struct text spec = {0};
    begin(&x, s->name, s->config);
    struct import *m = import_read(&x.o, &x.f.arena, &x.f.diag);
    bool ok = m && import_spec(m, &least, &spec, &x.f.diag);
    assert_no_errors(&x.f);
    assert_true(ok);
    for (size_t i = 0; i < COUNT_OF(s->said) && s->said[i]; i++)
        if (!strstr(text_cstr(&spec), s->said[i])) fail_msg("%s: `%s` not in\n%s", s->name, s->said[i], spec.data);
    struct rill_spec *read = rill_spec_read_bytes("t.yaml", spec.data, spec.len, &x.f.arena, &x.f.diag);
    assert_no_errors(&x.f);
    assert_int_equal(read->graph->context, s->context);
    read->design.fifo = SPEC_SAFE; // no forecasts, which would take most of the time
    assert_non_null(command_build_spec(read, &x.f.arena, &x.f.diag, NULL));
    assert_no_errors(&x.f);
    assert_true(family_config_check(m->values, read->model->values, x.model, &x.f.arena, &x.f.diag));
    text_free(&spec);
    end(&x);
}

static void slow_published_shapes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) import_shape(&shapes[i]);
}

static struct import *try_import(struct import_fixture *x) { return import_read(&x->o, &x->f.arena, &x->f.diag); }

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *config, *said;
    } refused[] = {
        {"{\"model_type\": \"gemma\"}", "no family is for models of the kind `gemma`"},
        {"{\"model_type\": \"gemma\"}", "note: family llama is for llama, mistral"},
        {"{}", "no family is for models of the kind ``"},
        {"[]", "config.json: error: not a JSON object"},
        {"{\"model_type\": \"llama\", ", "config.json: error: "},
        {NULL, "config.json: error: "},
        {"{" ROPE_LLAMA SIZES(1, 64, 2, 1, 64, 99) "\"rope_scaling\": {\"rope_type\": \"dynamic\"}}",
         "`rope_scaling.rope_type` is `dynamic`, which the family does not support"},
        {"{" ROPE_LLAMA SIZES(1, 64, 2, 1, 64, 99) "\"sliding_window\": \"wide\"}",
         "`sliding_window` is not an integer from 0"},
        {"{" ROPE_LLAMA "\"num_hidden_layers\": 2}", "`hidden_size` is missing"},
    };
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct import_fixture x;
        begin(&x, "m", refused[i].config);
        assert_null(try_import(&x));
        assert_reported(&x.f, refused[i].said);
        end(&x);
    }
}

static void test_context(void **state) {
    (void)state;
    static const struct {
        int shape;
        int64_t context;
        const char *said; // the message; NULL: accepted
    } cases[] = {
        {1, 8192, NULL},
        {1, 8193, "--context 8193: the model was not trained for so many positions"},
        {1, 1, NULL},
        {0, 512, NULL},
        {0, 1025, "--context 1025: the model was not trained for so many positions"},
        {0, 1024, NULL},
        {5, 65536, "--context 65536: beyond the family's range"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct import_fixture x;
        begin(&x, "m", shapes[cases[i].shape].config);
        x.o.context = cases[i].context;
        struct import *m = try_import(&x);
        if (cases[i].said) {
            assert_null(m);
            assert_reported(&x.f, cases[i].said);
        } else {
            assert_no_errors(&x.f);
            assert_int_equal(m->values->parameter[family_find_parameter(m->family, "context")].i, cases[i].context);
        }
        end(&x);
    }
}

// The ids that end a text come from config.json and generation_config.json. An invalid second file is refused.
static void test_end_ids(void **state) {
    (void)state;
    static const struct {
        const char *generation, *eot, *said; // text of generation_config.json, line of the spec, message or NULL
        uint32_t last;                       // the last id of `eot`
    } cases[] = {
        {"{\"eos_token_id\": [7, 3, 12], \"top_k\": 50}", "  eot: [3, 4, 7, 12]\n", NULL, 12},
        {"{\"eos_token_id\": 4}", "  eot: [3, 4]\n", NULL, 4},
        {"{}", "  eot: [3, 4]\n", NULL, 4},
        {"{\"eos_token_id\": [99]}", NULL,
         "generation_config.json: error: model.eot (99) is no token of a vocabulary of 99", 0},
        {"{\"eos_token_id\": [4, true]}", NULL, "generation_config.json: error: `eos_token_id` is not an integer", 0},
        {"version https://git-lfs.github.com/spec/v1\n", NULL,
         "generation_config.json: error: this is a Git LFS pointer", 0},
        {"[]", NULL, "generation_config.json: error: not a JSON object", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct import_fixture x;
        struct text spec = {0};
        begin(&x, "m", "{" ROPE_LLAMA SIZES(1, 64, 2, 1, 64, 99) "\"eos_token_id\": [3, 4]}");
        const char *beside = arena_printf(&x.f.arena, "%s/generation_config.json", x.model);
        write_file(beside, cases[i].generation, strlen(cases[i].generation));
        struct import *m = try_import(&x);
        if (cases[i].said) assert_reported(&x.f, cases[i].said);
        else {
            assert_true(m && import_spec(m, &least, &spec, &x.f.diag) && strstr(text_cstr(&spec), cases[i].eot));
            struct rill_spec *read = rill_spec_read_bytes("t.yaml", spec.data, spec.len, &x.f.arena, &x.f.diag);
            assert_true(read && read->graph->eot.id[read->graph->eot.count - 1] == cases[i].last);
        }
        text_free(&spec);
        unlink(beside);
        end(&x);
    }
}

// Settings of generation_config.json that no design can apply are named, unless they are off.
static void test_generation(void **state) {
    (void)state;
    static const struct {
        const char *generation, *said; // text of the file or NULL, message or NULL
    } cases[] = {
        {NULL, NULL},
        {"{}", NULL},
        {"{\"temperature\": 0.7, \"top_k\": 20, \"top_p\": 1.0, \"repetition_penalty\": 1, "
         "\"presence_penalty\": 0, \"frequency_penalty\": null, \"no_repeat_ngram_size\": 0}",
         NULL},
        {"{\"top_p\": 0.8}", "generation_config.json: warning: `top_p` is 0.8, but no design can apply it"},
        {"{\"repetition_penalty\": 1.1}", "warning: `repetition_penalty` is 1.1, but no design"},
        {"{\"presence_penalty\": 0.5}", "warning: `presence_penalty` is 0.5, but no design"},
        {"{\"frequency_penalty\": 1}", "warning: `frequency_penalty` is 1, but no design"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct import_fixture x;
        begin(&x, "m", "{}");
        const char *file = arena_printf(&x.f.arena, "%s/generation_config.json", x.model);
        if (cases[i].generation) write_file(file, cases[i].generation, strlen(cases[i].generation));
        config_warn_generation(&x.f.arena, x.model, &x.f.diag);
        if (cases[i].said) assert_reported(&x.f, cases[i].said);
        else assert_int_equal(x.f.diag.warnings, 0);
        unlink(file);
        end(&x);
    }
}

// The id that begins every text (`bos`) comes from the keys of the checkpoint or from its tokenizer, or there is none.
static void test_begin(void **state) {
    (void)state;
    enum { NO_TOKENIZER = -2 };
    static const struct {
        const char *config;
        int64_t begins;           // the id that the tokenizer puts first; -1: none
        const char *spec, *table; // texts that the spec and the table must contain; spec NULL: no `bos`
    } cases[] = {
        {"\"bos_token_id\": 7", NO_TOKENIZER,
         "  bos: 7 # assumed to begin every text: ", "\n  bos: 7, assumed to begin"},
        {"\"bos_token_id\": 7", -1, "  bos: 7 # named by the checkpoint; its tokenizer does not put it",
         "\n  bos: 7, named by the checkpoint; its tokenizer does not"},
        {"\"bos_token_id\": 7", 5, "  bos: 5 # the tokenizer puts it in front of every text\n",
         "\n  bos: 5, the tokenizer"},
        {"\"bos_token_id\": 0", NO_TOKENIZER,
         "  bos: 0 # assumed to begin every text: ", "\n  bos: 0, assumed to begin"},
        {"\"bos_token_id\": null", 5, "  bos: 5 # the tokenizer puts it", "\n  bos: 5, the tokenizer puts it"},
        {"\"bos_token_id\": null", -1, NULL, "\n  no bos: the tokenizer puts no id in front of a text"},
        {"\"eos_token_id\": 3", NO_TOKENIZER, NULL, "\n  no bos: assumed, as no key names one"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct import_fixture x;
        struct text spec = {0}, table = {0};
        begin(&x, "m", "");
        const char *config = arena_printf(&x.f.arena, "{" ROPE_LLAMA SIZES(1, 64, 2, 1, 64, 99) "%s}", cases[i].config);
        write_file(arena_printf(&x.f.arena, "%s/config.json", x.model), config, strlen(config));
        struct import *m = try_import(&x);
        assert_no_errors(&x.f);
        if (cases[i].begins != NO_TOKENIZER) import_begin(m, cases[i].begins);
        assert_true(import_spec(m, &least, &spec, &x.f.diag));
        import_table(m, &least, &table);
        if (cases[i].spec ? !strstr(text_cstr(&spec), cases[i].spec) : strstr(text_cstr(&spec), "bos:") != NULL)
            fail_msg("case %zu: %s", i, text_cstr(&spec));
        if (!strstr(text_cstr(&table), cases[i].table)) fail_msg("case %zu: %s", i, text_cstr(&table));
        text_free(&spec);
        text_free(&table);
        end(&x);
    }
}

static struct ir *build_llama(struct fixture *f, const char *more) {
    const char *text = arena_printf(&f->arena,
                                    "name: t\nmodel: {family: llama, layers: 1, hidden: 64, heads: 4, ffn: 96, vocab: "
                                    "99, context: 40%s}\n",
                                    more);
    struct rill_spec *spec = rill_spec_read_bytes("t.yaml", text, strlen(text), &f->arena, &f->diag);
    assert_no_errors(f);
    struct ir *ir = command_build_spec(spec, &f->arena, &f->diag, "drop-unread");
    assert_non_null(ir);
    return ir;
}

static int count_biases(const struct ir *ir) {
    int count = 0;
    for (int n = 0; n < ir->nodes; n++) count += ir_attr_find(&ir->node[n].attrs, "bias") != NULL;
    return count;
}

// Returns the window of the attention, or 0. It is the sum over all operations, because the model has one attention.
static int64_t window_of(const struct ir *ir) {
    int64_t window = 0;
    for (int n = 0; n < ir->nodes; n++) window += ir_attr_int(&ir->node[n].attrs, "window", 0);
    return window;
}

// The options of the family llama must appear in the graph: a window that is shorter than the context, and biases of q,
// k and v, of the projection, and of the three products of the feed-forward layer.
static void test_options_of_llama(void **state) {
    (void)state;
    static const struct {
        const char *more;
        int biases;
        int64_t window;
    } cases[] = {{"", 0, 0},
                 {", window: 16", 0, 16},
                 {", window: 40", 0, 0},
                 {", attention_bias: true", 3, 0},
                 {", output_bias: true", 1, 0},
                 {", mlp_bias: true", 3, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        fixture_begin(&f);
        const struct ir *ir = build_llama(&f, cases[i].more);
        assert_int_equal(count_biases(ir), cases[i].biases);
        assert_int_equal(window_of(ir), cases[i].window);
        fixture_end(&f);
    }
}

// Tests the name of the spec, the printed table, and the context of a model that was trained for fewer positions than
// the family's default.
static void test_words(void **state) {
    (void)state;
    struct import_fixture x;
    struct text table = {0};
    begin(&x, "7B.chat v2",
          "{" ROPE_LLAMA SIZES(1, 64, 2, 1, 64, 99) "\"max_position_embeddings\": 600, \"torch_dtype\": "
                                                    "\"bfloat16\", \"eos_token_id\": [3, 4]}");
    struct import *m = try_import(&x);
    assert_no_errors(&x.f);
    assert_string_equal(m->name, "model-7B-chat-v2-u55c");
    assert_int_equal(m->values->parameter[family_find_parameter(m->family, "context")].i, 600);
    import_table(m, &least, &table);
    static const char *const said[] = {"family llama, by its kind `llama`",
                                       "\nread ",
                                       "bound of context",
                                       "\nassumed",
                                       "asks for none of them\n  torch_dtype\n",
                                       "beyond the board's limits"};
    for (size_t i = 0; i < COUNT_OF(said); i++)
        if (!strstr(text_cstr(&table), said[i])) fail_msg("`%s` not in\n%s", said[i], table.data);
    text_free(&table);
    end(&x);
}

// A model that no shipped family accepts can be imported with a user's family (--family). A family for other kinds of
// models must be refused.
static void test_own_family(void **state) {
    (void)state;
    struct import_fixture x;
    begin(&x, "mine",
          "{\"model_type\": \"gated\", \"n_layer\": 3, \"hidden_size\": 24, \"num_attention_heads\": 3, "
          "\"num_key_value_heads\": 1, \"intermediate_size\": 40, \"vocab_size\": 30, \"head_dim\": 8, "
          "\"max_position_embeddings\": 20, \"hidden_act\": \"gelu_new\", \"tie_word_embeddings\": true}");
    assert_null(try_import(&x));
    x.f.diag.errors = 0;
    x.o.family = file_find_shared(&x.f.arena, "tests/e2e/families/gated.yaml");
    struct import *m = try_import(&x);
    assert_no_errors(&x.f);
    assert_string_equal(m->family->name, "gated");
    x.o.family = "llama";
    assert_null(try_import(&x));
    assert_reported(&x.f, "is of the kind `gated`, but family llama is for llama, mistral");
    end(&x);
}

// Tests how the spec refers to files. The path of a user's file is relative to the folder of the spec, which need not
// exist; an installed file is given by its name.
static void test_places(void **state) {
    (void)state;
    struct import_fixture x;
    begin(&x, "mine",
          "{\"model_type\": \"gated\", \"n_layer\": 3, \"hidden_size\": 24, \"num_attention_heads\": 3, "
          "\"num_key_value_heads\": 1, \"intermediate_size\": 40, \"vocab_size\": 30, \"head_dim\": 8, "
          "\"max_position_embeddings\": 20, \"hidden_act\": \"gelu_new\", \"tie_word_embeddings\": true}");
    struct arena *a = &x.f.arena;
    const char *specs = file_find_shared(a, "tests/e2e");
    static const struct {
        const char *below, *word;
    } places[] = {{"", "families/gated.yaml"},
                  {"/families", "./gated.yaml"},
                  {"/families/../kernels", "../families/gated.yaml"},
                  {"/none/new", "../../families/gated.yaml"}};
    x.o.family = arena_printf(a, "%s/families/gated.yaml", specs);
    x.o.board = file_find_shared(a, "boards/u280.yaml");
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct import *m = try_import(&x);
        assert_no_errors(&x.f);
        import_place(m, arena_printf(a, "%s%s", specs, places[i].below));
        assert_string_equal(m->family_word, places[i].word);
        assert_string_equal(m->board_word, "u280");
    }
    assert_string_equal(file_relative(a, "/dev", "/proc/version"), "/proc/version");
    assert_string_equal(file_relative(a, "/dev/shm", "/dev/shmx"), "../shmx");
    end(&x);
}

// The shape of SmolLM2-135M with few layers, so that the search takes little time.
#define FEW_LAYERS                                                                                                     \
    "{" ROPE_LLAMA SIZES(4, 576, 9, 3, 1536, 4096) "\"max_position_embeddings\": 8192, \"rope_theta\": 100000}"

// The design that the search must find for a context; it must be within the limits of the board. With the long context,
// the engine waits for scores, so the search minimises the time of a request that fills half of the context with its
// prompt, and the design has twice the lanes, and query heads that share reads of keys and values.
static const struct {
    int64_t context, prompt;                        // prompt: prompt tokens of the request whose time is minimised
    bool quick;                                     // --quick
    int channels, copies, pump, lanes, query_heads; // copies: `A`
} fitting[] = {
    {1024, 256, false, 28, 4, 2, 16, 0},
    {8192, 4096, false, 31, 2, 2, 32, 8},
    {1024, 0, true, 16, 1, 0, 16, 0},
};

static void slow_fitting(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    print_message("skipped: slow under sanitizers, and the same passes run in the other tests\n");
    skip();
#endif
    for (size_t i = 0; i < COUNT_OF(fitting); i++) {
        struct import_fixture x;
        struct import_design d = least;
        struct text spec = {0}, table = {0};
        begin(&x, "m", FEW_LAYERS);
        x.o.context = fitting[i].context;
        x.o.quick = fitting[i].quick;
        struct import *m = try_import(&x);
        assert_no_errors(&x.f);
        struct ir *ir = command_fit(m, "t.yaml", &d, &spec, &x.f.diag);
        assert_non_null(ir);
        int64_t got[] = {d.fits, d.channels,          d.copies, d.pump,       d.speed.prompt,
                         d.dies, ir->design.channels, d.lanes,  d.query_heads},
                want[] = {true, fitting[i].channels, fitting[i].copies, fitting[i].pump,       fitting[i].prompt,
                          3,    fitting[i].channels, fitting[i].lanes,  fitting[i].query_heads};
        for (size_t n = 0; n < COUNT_OF(got); n++) assert_int_equal(got[n], want[n]);
        design_report_capacity(ir, loc_none(), &x.f.diag);
        assert_int_equal(x.f.diag.warnings, 0);
        struct rill_spec *read = rill_spec_read_bytes("t.yaml", spec.data, spec.len, &x.f.arena, &x.f.diag);
        assert_no_errors(&x.f);
        assert_int_equal(read->design.prefetch_beats, 512);
        assert_int_equal(read->design.embedding, SPEC_TABLE_INT16);
        import_table(m, &d, &table);
        assert_int_equal(strstr(text_cstr(&table), "\nnot searched (--quick)") != NULL, fitting[i].quick);
        assert_int_equal(strstr(text_cstr(&table), "\nothers within the limits, by estimate:\n  ") != NULL,
                         d.others > 0);
        assert_int_equal(d.others > 0, !fitting[i].quick);
        for (int n = 0; n < d.others; n++) // each listed design is faster than the chosen one in prefill or decode
            assert_true(d.other[n].speed.tokens_s > d.speed.tokens_s || d.other[n].speed.ttft_ms < d.speed.ttft_ms);
        text_free(&spec);
        text_free(&table);
        end(&x);
    }
}

// The design is chosen for the format of weights of the option --weights, and the spec has that format.
static void test_weights(void **state) {
    (void)state;
    struct import_fixture x;
    struct import_design d = least;
    struct text spec = {0};
    begin(&x, "m", "{" ROPE_LLAMA SIZES(1, 96, 3, 3, 200, 400) "\"max_position_embeddings\": 40}");
    x.o.weights = SPEC_INT4_ASYM;
    x.o.quick = true;
    struct import *m = try_import(&x);
    struct ir *ir = command_fit(m, "t.yaml", &d, &spec, &x.f.diag);
    assert_no_errors(&x.f);
    assert_true(ir && strstr(text_cstr(&spec), "\n  weights: int4_asym\n"));
    text_free(&spec);
    end(&x);
}

// A design with eight channels can be spread over three dies so that each die is within its limits.
static void test_dies(void **state) {
    (void)state;
    struct import_fixture x;
    struct import_design d = least;
    struct text spec = {0}, table = {0};
    begin(&x, "m", "{" ROPE_LLAMA SIZES(1, 96, 3, 3, 200, 400) "\"max_position_embeddings\": 40}");
    struct import *m = try_import(&x);
    assert_no_errors(&x.f);
    m->device->hbm.channels = 8;
    struct ir *ir = command_fit(m, "t.yaml", &d, &spec, &x.f.diag);
    import_table(m, &d, &table);
    assert_true(ir && ir->design.dies == 3 && d.dies == 3 && d.channels == 8 && !d.beyond);
    assert_non_null(strstr(text_cstr(&spec), "  dies: 3\n"));
    assert_non_null(strstr(text_cstr(&table), "\nspread over 3 dies, each within its limits (`dies: 3`)\n"));
    text_free(&spec);
    text_free(&table);
    end(&x);
}

// The rows of the embedding have 16 bits if the memory of the board (8 channels of 1 MiB) can hold them.
static void slow_wide_rows(void **state) {
    (void)state;
    static const struct {
        const char *config;
        bool wide;
    } cases[] = {{"{" ROPE_LLAMA SIZES(1, 96, 3, 3, 200, 20000) "\"max_position_embeddings\": 40}", true},
                 {"{" ROPE_LLAMA SIZES(1, 96, 3, 3, 200, 24000) "\"max_position_embeddings\": 40}", false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct import_fixture x;
        struct import_design d = least;
        struct text spec = {0}, table = {0};
        begin(&x, "m", cases[i].config);
        x.o.board = file_find_shared(&x.f.arena, "tests/e2e/boards/narrow.yaml");
        struct import *m = try_import(&x);
        assert_non_null(command_fit(m, "t.yaml", &d, &spec, &x.f.diag));
        assert_no_errors(&x.f);
        import_table(m, &d, &table);
        assert_true(d.fits && d.wide_rows == cases[i].wide);
        assert_int_equal(strstr(text_cstr(&spec), "  embedding: int16\n") != NULL, cases[i].wide);
        assert_int_equal(strstr(text_cstr(&table), ", embedding int16\n") != NULL, cases[i].wide);
        text_free(&spec);
        text_free(&table);
        end(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_published_shapes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_own_family),
        cmocka_unit_test(test_places),
        cmocka_unit_test(slow_fitting),
        cmocka_unit_test(test_end_ids),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(slow_wide_rows),
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_options_of_llama),
        cmocka_unit_test(test_dies),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
