// SPDX-License-Identifier: Apache-2.0
// Tests tokenizers of every kind: compares the ids of 2,000 texts for each kind with those of the reference libraries
// (tests/unit/tokenizers/make.py), and checks that a message names each feature that is not supported.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <inttypes.h>
#include <jansson.h>
#include <unistd.h>

#include "gen/model/tokenizer.h"
#include "gen/spec/chat.h"
#include "gen/request/sim_options.h"

// TEXTS is the number of texts of each kind, MOST_ATOMS the largest number of atoms in a text, and DIGITS the number of
// hexadecimal digits of a hash.
enum { TEXTS = 2000, MOST_ATOMS = 12, DIGITS = 8 };
static const char folder[] = "tests/unit/tokenizers";

// ---- the texts, as make.py makes them ----

static uint64_t splitmix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void make_text(const json_t *atoms, uint64_t index, struct text *out) {
    uint64_t count = splitmix(index << 16) % (MOST_ATOMS + 1);
    for (uint64_t k = 0; k < count; k++)
        text_add(out, json_string_value(
                          json_array_get(atoms, (size_t)(splitmix((index << 16) + 1 + k) % json_array_size(atoms)))));
}

// Returns the hash of the ids as make.py calculates it: FNV-1a with 64 bits, whose halves are combined by XOR.
static uint32_t digest(const struct token_ids *ids) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < ids->count; i++)
        for (int byte = 0; byte < 4; byte++) h = (h ^ (ids->items[i] >> 8 * byte & 255)) * 0x100000001b3u;
    return (uint32_t)(h ^ h >> 32);
}

// ---- comparison with the hashes ----

struct kind {
    const char *source, *hashes;
    bool specials; // special tokens are recognized in the texts
};

static const char *shipped(struct fixture *f, const char *name) {
    const char *path = file_find_shared(&f->arena, arena_printf(&f->arena, "%s/%s", folder, name));
    if (!path) fail_msg("%s/%s: not found", folder, name);
    return path;
}

static void compare(struct fixture *f, const struct kind *kind, struct tokenizer *t, const json_t *atoms,
                    const char *hashes) {
    for (uint64_t i = 0; i < TEXTS; i++) {
        struct text text = {0};
        struct token_ids ids = {0};
        struct arena_mark mark = arena_mark(&f->arena);
        make_text(atoms, i, &text);
        tokenizer_encode(t, text_cstr(&text), text.len, kind->specials, &ids);
        uint32_t want = (uint32_t)strtoul(hashes + i * (DIGITS + 1), NULL, 16);
        if (digest(&ids) != want) {
            for (size_t k = 0; k < ids.count; k++) print_error("%" PRIu32 " ", ids.items[k]);
            fail_msg("%s: text %" PRIu64 ": `%s`", kind->source, i, text_cstr(&text));
        }
        arena_release(&f->arena, mark);
        text_free(&text);
    }
}

static void check_kind(const struct kind *kind) {
    struct fixture f;
    fixture_begin(&f);
    const char *why;
    size_t len;
    json_t *atoms = json_load_file(shipped(&f, "atoms.json"), 0, NULL);
    const char *hashes = file_read(&f.arena, shipped(&f, kind->hashes), 1 << 20, &len, &why);
    struct tokenizer *t = tokenizer_open(&f.arena, shipped(&f, kind->source), &f.diag);
    assert_no_errors(&f);
    assert_int_equal(len, TEXTS * (DIGITS + 1));
    compare(&f, kind, t, atoms, hashes);
    tokenizer_close(t);
    json_decref(atoms);
    fixture_end(&f);
}

#define KIND_TEST(name, source, hashes, specials)                                                                      \
    static void test_##name(void **state) {                                                                            \
        (void)state;                                                                                                   \
        check_kind(&(struct kind){source, hashes, specials});                                                          \
    }
KIND_TEST(gpt2, "gpt2", "gpt2.hashes", true)
KIND_TEST(smollm, "smollm", "smollm.hashes", true)
KIND_TEST(llama3, "llama3", "llama3.hashes", true)
KIND_TEST(qwen2, "qwen2", "qwen2.hashes", true)
KIND_TEST(llama2, "llama2", "llama2.hashes", true)
KIND_TEST(gemma, "gemma", "gemma.hashes", true)
KIND_TEST(metaspace, "metaspace", "metaspace.hashes", true)
KIND_TEST(llama_bpe_gguf, "llama_bpe.gguf", "llama3.hashes", true)
KIND_TEST(sentencepiece_gguf, "sentencepiece.gguf", "sentencepiece.hashes", false)
KIND_TEST(sentencepiece_bare_gguf, "sentencepiece_bare.gguf", "sentencepiece_bare.hashes", false)

// ---- the first id of a prompt ----

static void test_begin(void **state) {
    (void)state;
    static const struct {
        const char *source, *text;
        uint32_t first;
        size_t begins; // how many times `first` must occur in all ids
    } cases[] = {{"llama2", "a", 1, 1},         {"llama2", "<s>a", 1, 1},          {"llama3", "", 0, 1},
                 {"llama_bpe.gguf", "a", 0, 1}, {"sentencepiece.gguf", "a", 1, 1}, {"qwen2", "", 0, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        fixture_begin(&f);
        struct tokenizer *t = tokenizer_open(&f.arena, shipped(&f, cases[i].source), &f.diag);
        struct token_ids ids = {0};
        size_t begins = 0;
        tokenizer_encode_prompt(t, cases[i].text, strlen(cases[i].text), &ids);
        for (size_t k = 0; k < ids.count; k++) begins += ids.items[k] == cases[i].first;
        assert_int_equal(begins, cases[i].begins);
        if (begins) assert_int_equal(ids.items[0], cases[i].first);
        tokenizer_close(t);
        fixture_end(&f);
    }
}

// ---- the text of single ids ----

static void test_decoded(void **state) {
    (void)state;
    static const char *const sources[] = {"llama2", "gemma", "metaspace", "sentencepiece_bare.gguf"};
    static const char text[] = "Once upon\n a \xe4\xb8\xad  time \x01";
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        struct fixture f;
        fixture_begin(&f);
        struct tokenizer *t = tokenizer_open(&f.arena, shipped(&f, sources[i]), &f.diag);
        struct token_ids ids = {0};
        struct text read = {0};
        tokenizer_encode(t, text, strlen(text), false, &ids);
        for (size_t k = 0, n; k < ids.count; k++) {
            const char *part = tokenizer_decode(t, ids.items[k], &n);
            text_add_bytes(&read, part, n);
        }
        assert_string_equal(text_cstr(&read) + (*text_cstr(&read) == ' '), text);
        text_free(&read);
        tokenizer_close(t);
        fixture_end(&f);
    }
}

// ---- refused tokenizers, and special tokens ----

static void assert_refused(const char *json, const char *part) {
    char path[] = "/tmp/rill_tokenizers_XXXXXX";
    struct fixture f;
    fixture_begin(&f);
    assert_non_null(mkdtemp(path));
    char *file = arena_printf(&f.arena, "%s/tokenizer.json", path);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(json, out);
    fclose(out);
    assert_null(tokenizer_open(&f.arena, path, &f.diag));
    assert_reported(&f, part);
    unlink(file);
    rmdir(path);
    fixture_end(&f);
}

// Opens a tokenizer from this text of a tokenizer.json, in a temporary folder.
static struct tokenizer *open_json(struct fixture *f, const char *json) {
    char path[] = "/tmp/rill_tokenizers_XXXXXX";
    const char *why;
    assert_non_null(mkdtemp(path));
    char *file = arena_printf(&f->arena, "%s/tokenizer.json", path);
    write_file(file, json, strlen(json));
    struct tokenizer *t = tokenizer_try(&f->arena, path, &why);
    if (!t) fail_msg("%s", why);
    unlink(file);
    rmdir(path);
    return t;
}

static const char *ids_of(struct fixture *f, const struct tokenizer *t, const char *text) {
    struct token_ids ids = {0};
    const char *out = "";
    tokenizer_encode(t, text, strlen(text), true, &ids);
    for (size_t i = 0; i < ids.count; i++)
        out = arena_printf(&f->arena, "%s%s%" PRIu32, out, i ? " " : "", ids.items[i]);
    return out;
}

// Checks that a GGUF file in which two tokens have the text `a` is refused. `b` is the token `b` as GGUF stores a
// string: a 64-bit length and the bytes.
static void test_same_text(void **state) {
    (void)state;
    static const char b[] = "\1\0\0\0\0\0\0\0b";
    char path[] = "/tmp/rill_tokenizers_XXXXXX";
    struct fixture f;
    fixture_begin(&f);
    const char *why;
    size_t len;
    char *data = file_read(&f.arena, shipped(&f, "sentencepiece.gguf"), 1 << 20, &len, &why),
         *at = memmem(data, len, b, sizeof b - 1);
    assert_non_null(at);
    at[8] = 'a';
    assert_non_null(mkdtemp(path));
    const char *file = arena_printf(&f.arena, "%s/t.gguf", path);
    write_file(file, data, len);
    assert_null(tokenizer_try(&f.arena, file, &why));
    if (!strstr(why, "have the same text `a`")) fail_msg("%s", why);
    unlink(file);
    rmdir(path);
    fixture_end(&f);
}

#define ATOMS_AND(normalizer, fuse, added)                                                                             \
    "{\"normalizer\":" normalizer ",\"added_tokens\":[" added "],\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\","     \
    "\"fuse_unk\":" fuse ",\"vocab\":{\"?\":0,\"f\":1,\"e\":2,\"\u00e9\":3,\"x\":4},\"merges\":[]}}"
#define ADDED(id, text, normalized) "{\"id\":" id ",\"content\":\"" text "\",\"normalized\":" normalized "}"

// Checks added tokens and fuse_unk. The expected ids come from the library tokenizers 0.23.3. It first finds added
// tokens with `normalized: false`. Then it normalizes the text between them and finds added tokens with
// `normalized: true`, even if these are longer. With fuse_unk, adjacent unknown characters become one id.
static void test_added(void **state) {
    (void)state;
    static const struct {
        const char *json, *text, *ids;
    } cases[] = {
        {ATOMS_AND("{\"type\":\"NFC\"}", "false", ADDED("5", "f\u00e9", "true")), "fe\xcc\x81x", "5 4"},
        {ATOMS_AND("{\"type\":\"NFC\"}", "false", ADDED("5", "fe\u0301", "true")), "f\xc3\xa9x", "5 4"},
        {ATOMS_AND("{\"type\":\"NFC\"}", "false", ADDED("5", "f\u00e9", "false")), "fe\xcc\x81x", "1 3 4"},
        {ATOMS_AND("null", "false", ADDED("5", "fe", "false") "," ADDED("6", "fex", "true")), "xfexfex", "4 5 4 5 4"},
        {ATOMS_AND("null", "false", ADDED("5", "ef", "false") "," ADDED("6", "xe", "true")), "xefxex", "4 5 6 4"},
        {ATOMS_AND("null", "true", ""), "qqxqfqq", "0 4 0 1 0"},
        {ATOMS_AND("null", "false", ""), "qqxqfqq", "0 0 4 0 1 0 0"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        fixture_begin(&f);
        struct tokenizer *t = open_json(&f, cases[i].json);
        assert_string_equal(ids_of(&f, t, cases[i].text), cases[i].ids);
        tokenizer_close(t);
        fixture_end(&f);
    }
}

// Checks a special token that has the text of an ordinary token. The text gives the ordinary token if special tokens
// are off.
static void test_special_of_a_token(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct tokenizer *t =
        open_json(&f, ATOMS_AND("null", "false", "{\"id\":5,\"content\":\"e\",\"special\":true,\"normalized\":false}"));
    struct token_ids ids = {0};
    tokenizer_encode(t, "fe", 2, false, &ids);
    assert_int_equal(ids.count, 2);
    assert_int_equal(ids.items[1], 2);
    ids.count = 0;
    tokenizer_encode(t, "fe", 2, true, &ids);
    assert_int_equal(ids.items[1], 5);
    tokenizer_close(t);
    fixture_end(&f);
}

// Checks that requests with ids work without a usable tokenizer, and that one with a text does not.
static void test_unusable(void **state) {
    (void)state;
    static const uint32_t one[] = {1};
    static const char unigram[] = "{\"model\":{\"type\":\"Unigram\"}}";
    char path[] = "/tmp/rill_tokenizers_XXXXXX";
    struct fixture f;
    fixture_begin(&f);
    assert_non_null(mkdtemp(path));
    const char *file = arena_printf(&f.arena, "%s/tokenizer.json", path);
    write_file(file, unigram, strlen(unigram));
    struct sim_options o = {0};
    VEC_PUSH(&f.arena, o.prompts, ((struct sim_prompt){.ids = one, .count = 1}));
    struct tokenizer *t = sim_tokenizer_open(&f.arena, path, 9, &o, &f.diag);
    assert_true(t && tokenizer_vocab(t) == 9);
    assert_no_errors(&f);
    VEC_PUSH(&f.arena, o.prompts, ((struct sim_prompt){.text = "a"}));
    assert_null(sim_tokenizer_open(&f.arena, path, 9, &o, &f.diag));
    assert_reported(&f, "`Unigram` is not supported");
    unlink(file);
    tokenizer_close(t);
    t = sim_tokenizer_open(&f.arena, path, 9, &o, &f.diag); // no tokenizer: bytes are ids
    assert_non_null(t);
    tokenizer_close(t);
    rmdir(path);
    fixture_end(&f);
}

// Checks a special token whose id has no row in the model, such as the image token of Gemma 3. tokenizer_vocab counts
// it, tokenizer_plain_vocab does not.
static void test_beyond(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct tokenizer *t =
        open_json(&f, ATOMS_AND("null", "false", ADDED("5", "<s>", "false") "," ADDED("9", "<i>", "true")));
    assert_true(tokenizer_vocab(t) == 10 && tokenizer_plain_vocab(t) == 5);
    tokenizer_close(t);
    t = open_json(&f, ATOMS_AND("null", "false", ADDED("2", "e", "false")));
    assert_true(tokenizer_vocab(t) == 5 && tokenizer_plain_vocab(t) == 5);
    tokenizer_close(t);
    fixture_end(&f);
}

#define WITH(key, value) "{\"" key "\":" value ",\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]}}"

static void test_refused(void **state) {
    (void)state;
    assert_refused("{\"model\":{\"type\":\"Unigram\"}}", "model: `Unigram` is not supported");
    assert_refused("[1]", "not a JSON object");
    assert_refused(WITH("normalizer", "{\"type\":\"Lowercase\"}"), "normalizer: `Lowercase` is not supported");
    assert_refused(WITH("pre_tokenizer", "{\"type\":\"Whitespace\"}"), "pre_tokenizer: `Whitespace`");
    assert_refused(WITH("pre_tokenizer", "{\"type\":\"ByteLevel\"}"), "ByteLevel with add_prefix_space");
    assert_refused(WITH("pre_tokenizer", "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"x+\"}}"), "Split: `x+`");
    assert_refused(WITH("pre_tokenizer", "{\"type\":\"ByteLevel\",\"add_prefix_space\":false}"),
                   "no token for byte 0x20");
    assert_refused(WITH("added_tokens", "[{\"id\":1,\"content\":\"<x>\",\"lstrip\":true}]"), "lstrip, rstrip: `<x>`");
    assert_refused(WITH("normalizer", "{\"type\":\"Prepend\",\"prepend\":\"\xe2\x96\x81\"},\"added_tokens\":[{\"id\":1,"
                                      "\"content\":\"<x>\",\"normalized\":true}]"),
                   "normalized, with spaces that the normalizer changes: `<x>` is not supported");
    assert_refused(WITH("added_tokens", "[{\"id\":-1,\"content\":\"<x>\"}]"), "token `<x>`: its id must be a number");
    assert_refused("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a b\"]}}",
                   "merge 0: symbol `b` is not in the vocabulary");
    assert_refused("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a\"]}}",
                   "merge 0: this is not two symbols");
    assert_refused("{\"model\":{\"type\":\"BPE\",\"vocab\":{},\"merges\":[]}}", "0 tokens");
}

// A control token in a user's text must be found also if the text has as many tokens with it as without it. `abc` is
// `ab` and `c`, but with control tokens `a` and `bc`.
static void test_control_of_equal_length(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct tokenizer *t =
        open_json(&f, "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"c\":2,\"ab\":3},\"merges\":[\"a b\"]},"
                      "\"added_tokens\":[{\"id\":4,\"content\":\"bc\",\"special\":true},"
                      "{\"id\":5,\"content\":\"<|im_start|>\",\"special\":true}]}");
    const struct chat_template *chatml = chat_find("chatml", &f.arena, &f.diag);
    struct token_ids ids = {0};
    static const char *const texts[] = {"abc", "ccccccabc", "abcabc", "bc"};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_string_equal(tokenizer_encode_chat(t, chatml, texts[i], &ids), MSG_CHAT_CONTROL);
    assert_int_equal(ids.count, 0);
    assert_null(tokenizer_encode_chat(t, chatml, "abacab", &ids));
    tokenizer_close(t);
    fixture_end(&f);
}

// Messages show at most 80 bytes of a token.
static void test_long_token(void **state) {
    (void)state;
    char token[100];
    for (size_t len = 79; len <= 82; len++) {
        struct arena arena;
        arena_init(&arena);
        memset(token, 'x', len);
        const char *json = arena_printf(&arena,
                                        "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"%.*s\":0},"
                                        "\"merges\":[]}}",
                                        (int)len, token);
        assert_refused(
            json, arena_printf(&arena, "token `%.*s`: another token has the id 0", len < 80 ? (int)len : 80, token));
        arena_free(&arena);
    }
}

// Opens a tokenizer of two letters with a tokenizer_config.json of the text `config` next to it.
static struct tokenizer *open_with_config(struct fixture *f, const char *config) {
    static const char letters[] = "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1},\"merges\":[]}}";
    char path[] = "/tmp/rill_tokenizers_XXXXXX";
    assert_non_null(mkdtemp(path));
    const char *file = arena_printf(&f->arena, "%s/tokenizer.json", path),
               *beside = arena_printf(&f->arena, "%s/tokenizer_config.json", path);
    write_file(file, letters, strlen(letters));
    write_file(beside, config, strlen(config));
    struct tokenizer *t = tokenizer_open(&f->arena, path, &f->diag);
    unlink(file);
    unlink(beside);
    rmdir(path);
    return t;
}

// Checks the flag add_bos_token of tokenizer_config.json, which applies if tokenizer.json itself puts nothing in front
// of a text.
static void test_begin_by_flag(void **state) {
    (void)state;
    static const struct {
        const char *config;
        int64_t bos;
    } cases[] = {{"{\"add_bos_token\": true, \"bos_token\": \"b\"}", 1},
                 {"{\"add_bos_token\": true, \"bos_token\": {\"content\": \"b\"}}", 1},
                 {"{\"add_bos_token\": false, \"bos_token\": \"b\"}", -1},
                 {"{\"add_bos_token\": true, \"bos_token\": \"x\"}", -1},
                 {"{\"bos_token\": \"b\"}", -1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        fixture_begin(&f);
        struct tokenizer *t = open_with_config(&f, cases[i].config);
        assert_no_errors(&f);
        assert_int_equal(tokenizer_bos(t), cases[i].bos);
        tokenizer_close(t);
        fixture_end(&f);
    }
}

// Checks that a tokenizer_config.json that cannot be parsed is refused. The file names the token that ends a text, so a
// generated text might never end without it.
static void test_broken_config(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    assert_null(open_with_config(&f, "{\"eos_token\": \"b\""));
    assert_reported(&f, "tokenizer_config.json");
    assert_reported(&f, "is the file cut off?");
    fixture_end(&f);
}

// ---- the table of splittings ----

// Opens the tokenizer of a temporary folder that holds one file with this name and data. Checks that the messages
// contain `part`.
static void assert_said(const char *name, const char *data, size_t len, const char *part) {
    char path[] = "/tmp/rill_splittings_XXXXXX";
    struct fixture f;
    fixture_begin(&f);
    assert_non_null(mkdtemp(path));
    char *file = arena_printf(&f.arena, "%s/%s", path, name);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, len, out), len);
    fclose(out);
    tokenizer_close(tokenizer_open(&f.arena, path, &f.diag));
    assert_reported(&f, part);
    unlink(file);
    rmdir(path);
    fixture_end(&f);
}

#define SPLIT_AT(regex)                                                                                                \
    WITH("pre_tokenizer", "{\"type\":\"Split\",\"behavior\":\"Isolated\",\"pattern\":{\"Regex\":\"" regex "\"}}")

// Checks that the message for an unknown splitting lists the known ones.
static void test_unknown_splitting(void **state) {
    (void)state;
    struct fixture f;
    size_t len;
    const char *why;
    fixture_begin(&f);
    char *gguf = file_read(&f.arena, shipped(&f, "llama_bpe.gguf"), 1 << 24, &len, &why);
    char *name = memmem(gguf, len, "llama-bpe", 9);
    assert_non_null(name);
    name[8] = 'x';
    assert_said("tokenizer.gguf", gguf, len, "splitting `llama-bpx` is not supported");
    assert_said("tokenizer.gguf", gguf, len, "did you mean `llama-bpe`?");
    assert_refused(SPLIT_AT("x+"), "known: `gpt2`, `digits`, `marks`, `llama3`, `qwen2`");
    assert_refused(SPLIT_AT("x+"), "families/tokenizer/splittings.yaml");
    assert_said("other.json", "{}", 2, "there is no tokenizer: vocab.json and merges.txt, tokenizer.json or");
    fixture_end(&f);
}

// Writes a user's table of splittings with the expression `splitting`, named `mine`, and points RILL_HOME at its
// folder. Checks that a tokenizer.json of the text `json` is then refused with a message that contains `part`.
static void with_table(const char *splitting, const char *json, const char *part) {
    char path[] = "/tmp/rill_table_XXXXXX";
    struct fixture f;
    fixture_begin(&f);
    assert_non_null(mkdtemp(path));
    struct output out;
    struct text table = {0};
    text_addf(&table, "splittings:\n  mine: %s\ngguf: {}\nend_of_text: <e>\n", splitting);
    output_begin(&out, &f.arena, path);
    assert_true(output_text(&out, "families/tokenizer/splittings.yaml", &table) && output_commit(&out));
    text_free(&table);
    setenv("RILL_HOME", path, 1);
    assert_refused(json, part);
    unsetenv("RILL_HOME");
    assert_int_equal(system(arena_printf(&f.arena, "rm -r %s", path)), 0);
    fixture_end(&f);
}

// Checks that white space is that of Unicode, not of the C library: a no-break space does not belong to the piece
// before it.
static void test_wide_space(void **state) {
    (void)state;
    static const char json[] =
        "{\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Isolated\",\"pattern\":{\"Regex\":\"'s|'t|'re|'ve|'m|'"
        "ll|"
        "'d| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|\\\\s+\"}},\"model\":{\"type\":\"BPE\","
        "\"vocab\":{\"!\":0,\"\\u00a0\":1,\"!\\u00a0\":2},\"merges\":[[\"!\",\"\\u00a0\"]]}}";
    char path[] = "/tmp/rill_wide_XXXXXX";
    struct fixture f;
    struct token_ids ids = {0};
    fixture_begin(&f);
    assert_non_null(mkdtemp(path));
    char *file = arena_printf(&f.arena, "%s/tokenizer.json", path);
    write_file(file, json, strlen(json));
    struct tokenizer *t = tokenizer_open(&f.arena, path, &f.diag);
    assert_no_errors(&f);
    tokenizer_encode(t, "!\xc2\xa0", 3, false, &ids);
    assert_int_equal(ids.count, 2);
    tokenizer_close(t);
    unlink(file);
    rmdir(path);
    fixture_end(&f);
}

static void test_own_splitting(void **state) {
    (void)state;
    const char *two = "{\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Isolated\",\"pattern\":{\"Regex\":"
                      "\"x+\"}},\"model\":{\"type\":\"Unigram\"}}"; // its splitting is known, its model is refused
    with_table("x+", two, "model: `Unigram` is not supported");
    with_table("(x+", SPLIT_AT("(x+"),
               "splittings.yaml:2:9: error: splitting `mine`: the expression is wrong: missing");
    with_table("[x]", SPLIT_AT("x+"), "known: `mine`");
    with_table("x\nsplitings: {}", SPLIT_AT("x+"), "splittings.yaml:3:1: error: unknown key `splitings`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpt2),
        cmocka_unit_test(test_smollm),
        cmocka_unit_test(test_llama3),
        cmocka_unit_test(test_qwen2),
        cmocka_unit_test(test_llama2),
        cmocka_unit_test(test_gemma),
        cmocka_unit_test(test_metaspace),
        cmocka_unit_test(test_llama_bpe_gguf),
        cmocka_unit_test(test_decoded),
        cmocka_unit_test(test_begin_by_flag),
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_sentencepiece_gguf),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_control_of_equal_length),
        cmocka_unit_test(test_long_token),
        cmocka_unit_test(test_added),
        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_unusable),
        cmocka_unit_test(test_special_of_a_token),
        cmocka_unit_test(test_same_text),
        cmocka_unit_test(test_sentencepiece_bare_gguf),
        cmocka_unit_test(test_broken_config),
        cmocka_unit_test(test_unknown_splitting),
        cmocka_unit_test(test_own_splitting),
        cmocka_unit_test(test_wide_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
