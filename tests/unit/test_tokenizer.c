// SPDX-License-Identifier: Apache-2.0
// Tests byte-level BPE: known ids, the order of merges, round trips of arbitrary bytes, and damaged files.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <jansson.h>
#include <unistd.h>

#include "gen/model/tokenizer.h"

static void assert_ids(const struct tokenizer *t, const char *text, bool specials, size_t count,
                       const uint32_t *expected) {
    struct token_ids ids = {0};
    tokenizer_encode(t, text, strlen(text), specials, &ids);
    bool equal = ids.count == count;
    for (size_t i = 0; equal && i < count; i++) equal = ids.items[i] == expected[i];
    if (equal) return;
    for (size_t i = 0; i < ids.count; i++) print_error("%u ", ids.items[i]);
    fail_msg("ids of `%s`", text);
}
#define ASSERT_IDS(t, text, specials, ...)                                                                             \
    assert_ids(t, text, specials, COUNT_OF(((uint32_t[]){__VA_ARGS__})), (uint32_t[]){__VA_ARGS__})

static void assert_round_trip(const struct tokenizer *t, const char *bytes, size_t len) {
    struct token_ids ids = {0};
    tokenizer_encode(t, bytes, len, true, &ids);
    size_t at = 0;
    for (size_t i = 0; i < ids.count; i++) {
        size_t n;
        const char *part = tokenizer_decode(t, ids.items[i], &n);
        assert_true(n <= len - at);
        assert_memory_equal(part, bytes + at, n);
        at += n;
    }
    assert_int_equal(at, len);
}

// ---- the shipped tokenizer ----

static struct tokenizer *open_shipped(struct fixture *f) {
    fixture_begin(f);
    struct tokenizer *t = tokenizer_open(&f->arena, shipped_model(f), &f->diag);
    assert_no_errors(f);
    return t;
}

static void test_expected_ids(void **state) {
    (void)state;
    struct fixture f;
    struct tokenizer *t = open_shipped(&f);
    json_t *root = json_load_file(arena_printf(&f.arena, "%s/expected.json", shipped_model(&f)), 0, NULL), *one;
    size_t index, i;
    json_array_foreach(json_object_get(root, "cases"), index, one) {
        uint32_t expected[64];
        json_t *id, *ids = json_object_get(one, "ids"), *greedy = json_object_get(one, "greedy32");
        json_array_foreach(ids, i, id) expected[i] = (uint32_t)json_integer_value(id);
        assert_ids(t, json_string_value(json_object_get(one, "prompt")), true, json_array_size(ids), expected);
        struct text text = {0};
        json_array_foreach(greedy, i, id) {
            size_t n;
            const char *bytes = tokenizer_decode(t, (uint32_t)json_integer_value(id), &n);
            text_add_bytes(&text, bytes, n);
        }
        assert_string_equal(text_cstr(&text), json_string_value(json_object_get(one, "greedy32_text")));
        text_free(&text);
    }
    assert_int_equal(index, 2);
    json_decref(root);
    tokenizer_close(t);
    fixture_end(&f);
}

static void test_specials(void **state) {
    (void)state;
    struct fixture f;
    struct tokenizer *t = open_shipped(&f);
    assert_int_equal(tokenizer_vocab(t), 1024);
    assert_int_equal(tokenizer_eot(t), 1023);
    ASSERT_IDS(t, "<|endoftext|>", true, 1023);
    ASSERT_IDS(t, "!<|endoftext|><|endoftext|>!", true, 0, 1023, 1023, 0);
    struct token_ids ids = {0};
    tokenizer_encode(t, "<|endoftext|>", 13, false, &ids);
    assert_true(ids.count > 1);
    ids.count = 0;
    tokenizer_encode(t, "<|endoftext|", 12, true, &ids);
    tokenizer_encode(t, "", 0, true, &ids);
    for (size_t i = 0; i < ids.count; i++) assert_true(ids.items[i] != 1023);
    size_t n = 7;
    assert_string_equal(tokenizer_decode(t, 1024, &n), "");
    assert_int_equal(n, 0);
    tokenizer_close(t);
    fixture_end(&f);
}

// A word that is cut into pieces.
struct pieces {
    const char *at[41]; // the beginning of each piece, and then the end of the word
    int count;
};

static int piece_len(const struct pieces *p, int i) { return (int)(p->at[i + 1] - p->at[i]); }

// Returns the place in merges.txt at which the merge of pieces i and i + 1 is listed. INT32_MAX: it is not listed.
static int rank_of(const char *merges, const struct pieces *p, int i) {
    char line[100];
    snprintf(line, sizeof line, "\n%.*s %.*s\n", piece_len(p, i), p->at[i], piece_len(p, i + 1), p->at[i + 1]);
    const char *at = strstr(merges, line);
    return at ? (int)(at - merges) : INT32_MAX;
}

// Merges as BPE is defined: merges the adjacent pair that merges.txt lists first, the leftmost of equal ones, until no
// adjacent pair is listed.
static void merge_slowly(const char *merges, const char *word, struct pieces *p) {
    p->count = (int)strlen(word);
    for (int i = 0; i <= p->count; i++) p->at[i] = word + i;
    for (;;) {
        int best = INT32_MAX, at = 0;
        for (int i = 0; i + 1 < p->count; i++) {
            int rank = rank_of(merges, p, i);
            if (rank < best) best = rank, at = i;
        }
        if (best == INT32_MAX) return;
        memmove(&p->at[at + 1], &p->at[at + 2], (size_t)(p->count - at - 1) * sizeof *p->at);
        p->count--;
    }
}

static void assert_merged(const struct tokenizer *t, const char *merges, const char *word) {
    struct pieces want;
    struct token_ids ids = {0};
    merge_slowly(merges, word, &want);
    tokenizer_encode(t, word, strlen(word), false, &ids);
    if (ids.count != (size_t)want.count) fail_msg("`%s`: %zu tokens instead of %d", word, ids.count, want.count);
    for (int i = 0; i < want.count; i++) {
        size_t len;
        const char *piece = tokenizer_decode(t, ids.items[i], &len);
        if (len != (size_t)piece_len(&want, i) || memcmp(piece, want.at[i], len))
            fail_msg("`%s`: token %d is not `%.*s`", word, i, piece_len(&want, i), want.at[i]);
    }
}

static void test_merges(void **state) {
    (void)state;
    struct fixture f;
    struct tokenizer *t = open_shipped(&f);
    const char *why, *path = arena_printf(&f.arena, "%s/merges.txt", shipped_model(&f));
    size_t len;
    const char *merges = file_read(&f.arena, path, 1 << 20, &len, &why);
    assert_non_null(merges);
    static const char *const words[] = {"nnn", "nnnn", "nnnnn", "lll", "lllll", "ooooooo", "sssbbb", "dddnnn", "the"};
    for (size_t i = 0; i < COUNT_OF(words); i++) assert_merged(t, merges, words[i]);
    uint64_t random = 5;
    for (int round = 0; round < 3000; round++) {
        char word[20] = {0};
        for (size_t i = 0; i < 1 + round % 18u; i++) word[i] = "aehillmnnooprsstt"[next_random(&random) % 17];
        assert_merged(t, merges, word);
    }
    tokenizer_close(t);
    fixture_end(&f);
}

static void test_round_trips(void **state) {
    (void)state;
    struct fixture f;
    struct tokenizer *t = open_shipped(&f);
    static const char *const texts[] = {
        "",
        " ",
        "\n\n  \t x",
        "na\xc3\xafve \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80",
        "\xff\xfe\x80 cut \xe4\xb8",           // no UTF-8
        "\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80" // a surrogate, a number that is too large, and an overlong form
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) assert_round_trip(t, texts[i], strlen(texts[i]));
    uint64_t random = 3;
    for (int round = 0; round < 2000; round++) {
        char bytes[64];
        size_t len = next_random(&random) % sizeof bytes;
        for (size_t i = 0; i < len; i++) {
            uint64_t r = next_random(&random);
            bytes[i] = r & 1 ? (char)(r >> 8) : "ab 'st\n12"[(r >> 8) % 9];
        }
        assert_round_trip(t, bytes, len);
    }
    tokenizer_close(t);
    fixture_end(&f);
}

// Tests words of 300,000 bytes without a space. They must not take quadratic time.
static void test_long_words(void **state) {
    (void)state;
    struct fixture f;
    struct tokenizer *t = open_shipped(&f);
    size_t len = 300000;
    char *bytes = arena_alloc(&f.arena, len, 1);
    static const char fill[] = "a- \xe4";
    for (size_t i = 0; i + 1 < sizeof fill; i++) {
        memset(bytes, fill[i], len);
        assert_round_trip(t, bytes, len);
    }
    tokenizer_close(t);
    fixture_end(&f);
}

// ---- damaged files ----

static char dir[] = "/tmp/rill_tokenizer_XXXXXX";
static char vocab_path[64], merges_path[64];

static int make_dir(void **state) {
    (void)state;
    if (!mkdtemp(dir)) return -1;
    snprintf(vocab_path, sizeof vocab_path, "%s/vocab.json", dir);
    snprintf(merges_path, sizeof merges_path, "%s/merges.txt", dir);
    return 0;
}

static int remove_dir(void **state) {
    (void)state;
    unlink(vocab_path);
    unlink(merges_path);
    return rmdir(dir);
}

// ---- files under the names that GPT-2 gave them ----

static const char *shipped_file(struct fixture *f, const char *name, size_t *len) {
    const char *why, *path = arena_printf(&f->arena, "%s/%s", shipped_model(f), name);
    const char *bytes = file_read(&f->arena, path, 1 << 20, len, &why);
    if (!bytes) fail_msg("%s: %s", path, why);
    return bytes;
}

static void copy_shipped(struct fixture *f, const char *name, const char *to) {
    size_t len;
    const char *bytes = shipped_file(f, name, &len);
    write_file(to, bytes, len);
}

static void assert_same_ids(const struct tokenizer *a, const struct tokenizer *b, const char *text, size_t len) {
    struct token_ids one = {0}, other = {0};
    tokenizer_encode(a, text, len, true, &one);
    tokenizer_encode(b, text, len, true, &other);
    assert_true(one.count > len / 8 && one.count < len / 2);
    assert_int_equal(one.count, other.count);
    assert_memory_equal(one.items, other.items, one.count * sizeof *one.items);
}

// Checks that the shipped files give the same ids of a long text under the names encoder.json and vocab.bpe, and that
// the ids give the text again.
static void test_old_names(void **state) {
    (void)state;
    struct fixture f;
    struct tokenizer *shipped = open_shipped(&f);
    size_t len;
    const char *text = shipped_file(&f, "valid.txt", &len), *encoder = arena_printf(&f.arena, "%s/encoder.json", dir),
               *merges = arena_printf(&f.arena, "%s/vocab.bpe", dir);
    copy_shipped(&f, "vocab.json", encoder);
    copy_shipped(&f, "merges.txt", merges);
    struct tokenizer *t = tokenizer_open(&f.arena, dir, &f.diag);
    unlink(encoder);
    unlink(merges);
    assert_no_errors(&f);
    assert_true(len > 40000);
    assert_round_trip(t, text, len);
    assert_same_ids(shipped, t, text, len);
    tokenizer_close(t);
    tokenizer_close(shipped);
    fixture_end(&f);
}

static void assert_refused(const char *vocab, const char *merges, const char *message) {
    struct fixture f;
    fixture_begin(&f);
    write_file(vocab_path, vocab, strlen(vocab));
    write_file(merges_path, merges, strlen(merges));
    struct tokenizer *t = tokenizer_open(&f.arena, dir, &f.diag);
    assert_null(t);
    assert_reported(&f, message);
    fixture_end(&f);
}

// Checks that truncated merges give a warning. They are still a valid list, but make other ids.
static void test_cut_merges(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    const char *why, *names[2] = {"vocab.json", "merges.txt"}, *paths[2] = {vocab_path, merges_path};
    size_t len;
    for (int cut = 0; cut < 2; cut++) {
        for (int i = 0; i < 2; i++) {
            const char *path = arena_printf(&f.arena, "%s/%s", shipped_model(&f), names[i]);
            const char *text = file_read(&f.arena, path, 1 << 20, &len, &why);
            write_file(paths[i], text, i && cut ? (size_t)(strchr(text + len / 2, '\n') - text) : len);
        }
        struct tokenizer *t = tokenizer_open(&f.arena, dir, &f.diag);
        assert_non_null(t);
        assert_int_equal(f.diag.warnings, cut);
        tokenizer_close(t);
    }
    assert_reported(&f, "tokens of the vocabulary are not the result of a merge");
    fixture_end(&f);
}

static void test_damaged_files(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    assert_null(tokenizer_open(&f.arena, "/nowhere", &f.diag));
    assert_reported(&f, "/nowhere: error: there is no tokenizer: vocab.json and merges.txt");
    const char *why;
    size_t len;
    const char *vocab =
        file_read(&f.arena, arena_printf(&f.arena, "%s/vocab.json", shipped_model(&f)), 1 << 20, &len, &why);
    assert_refused("", "", "vocab.json: error");
    assert_refused("[]", "", "not a JSON object");
    assert_refused("{\"a\":0,\n\"b\"", "", "vocab.json: error: line 2, column 3: ");
    assert_refused("{\"a\":0,\n\"b\"", "", "; is the file cut off?");
    assert_refused("{\"a\":tr", "", "; is the file cut off?");
    assert_refused("{}", "", "0 tokens");
    assert_refused("{\"a\":0}", "", "no token for byte 0x20");
    assert_refused("{\"a\":1}", "", "token `a`: its id must be a number from 0 to 0");
    assert_refused("{\"a\":\"0\"}", "", "its id must be a number");
    assert_refused("{\"a\":0,\"b\":0}", "", "token `b`: another token has the id 0");
    assert_refused(vocab, "#version: 0.2\nh e\nh\n", "merges.txt: error: line 3: this is not two symbols");
    assert_refused(vocab, "h e x\n", "line 1: this is not two symbols");
    assert_refused(vocab, " h\n", "line 1: this is not two symbols");
    assert_refused(vocab, "q q\n", "line 1: merge `qq` is not in the vocabulary");
    fixture_end(&f);
}

// ---- the byte tokenizer of random weights ----

static void test_bytes(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct tokenizer *t = tokenizer_open_bytes(&f.arena, 97);
    ASSERT_IDS(t, " A~\n", true, 0, 33, 94, 95);
    assert_round_trip(t, "Once upon a time,\n", 18);
    size_t len;
    assert_string_equal(tokenizer_decode(t, 96, &len), "<96>");
    assert_int_equal(tokenizer_eot(t), -1);
    tokenizer_close(t);
    t = tokenizer_open_bytes(&f.arena, 3);
    ASSERT_IDS(t, " !\"#\xff", true, 0, 1, 2, 0, 0);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected_ids),  cmocka_unit_test(test_specials),  cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_long_words),    cmocka_unit_test(test_old_names), cmocka_unit_test(test_cut_merges),
        cmocka_unit_test(test_damaged_files), cmocka_unit_test(test_bytes),     cmocka_unit_test(test_merges),
    };
    return cmocka_run_group_tests_name("tokenizer", tests, make_dir, remove_dir);
}
