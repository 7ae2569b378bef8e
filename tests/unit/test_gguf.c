// SPDX-License-Identifier: Apache-2.0
// Tests the reader of GGUF files. The values of every block format must equal those that the `gguf` package reads
// (tests/unit/gguf/make.py). Also tests metadata, and files that are damaged or refused.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <unistd.h>

#include "gen/model/gguf.h"

// FORMATS: number of block formats in all_types.gguf, which has one tensor of each. VALUES: number of weights in that
// file. SMALL: most bytes of a file that a test writes byte by byte.
enum { FORMATS = 11, VALUES = 4000, SMALL = 512 };

static char path[] = "/tmp/rill_gguf_XXXXXX"; // the file that the tests write and open

static int make_path(void **state) {
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

// Returns the content of a file of tests/unit/gguf.
static char *read_shipped(struct fixture *f, const char *name, size_t *len) {
    const char *why;
    char *found = file_find_shared(&f->arena, name), *data = NULL;
    if (found) data = file_read(&f->arena, found, 1 << 20, len, &why);
    if (!data) fail_msg("%s: not found", name);
    return data;
}

static void write_bytes(const void *data, size_t len) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
}

static struct gguf *open_shipped(struct fixture *f) {
    struct gguf *g = gguf_open(&f->arena, file_find_shared(&f->arena, "tests/unit/gguf/all_types.gguf"), &f->diag);
    assert_no_errors(f);
    assert_non_null(g);
    return g;
}

static void test_every_format_bit_for_bit(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    size_t len, at = 0;
    const float *want = (const float *)(const void *)read_shipped(&f, "tests/unit/gguf/all_types.f32", &len);
    struct gguf *g = open_shipped(&f);
    assert_int_equal(len, VALUES * sizeof(float));
    assert_int_equal(gguf_tensor_count(g), FORMATS);
    for (int i = 0; i < FORMATS; i++) {
        const struct gguf_tensor *t = gguf_tensor_at(g, i);
        float row[512];
        for (int64_t r = 0; r < t->rows; r++, at += (size_t)t->cols) {
            gguf_row(t, r, row);
            if (memcmp(row, want + at, (size_t)t->cols * sizeof *row)) fail_msg("%s, row %d", t->name, (int)r);
        }
    }
    assert_int_equal(at, VALUES);
    gguf_close(g);
    fixture_end(&f);
}

static void test_metadata(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct gguf *g = open_shipped(&f);
    int64_t integers[3];
    double scores[4];
    struct gguf_text tokens[4];
    assert_int_equal(gguf_find(g, "llama.block_count")->integer, 3);
    assert_int_equal(gguf_find(g, "test.negative")->integer, -7);
    assert_true(gguf_find(g, "test.wide")->integer == (int64_t)1 << 62);
    assert_true(gguf_find(g, "test.double")->number == -0.1);
    assert_true(gguf_find(g, "llama.attention.layer_norm_rms_epsilon")->number == (double)1e-5f);
    assert_int_equal(gguf_find(g, "test.truth")->kind, GGUF_BOOL);
    assert_true(gguf_text_is(gguf_find(g, "general.architecture")->text, "llama"));
    assert_null(gguf_find(g, "absent"));
    assert_true(gguf_integers(gguf_find(g, "test.integers"), 1, 2, integers));
    assert_int_equal(integers[0], -2);
    assert_false(gguf_integers(gguf_find(g, "test.integers"), 1, 3, integers));
    assert_true(gguf_numbers(gguf_find(g, "tokenizer.ggml.scores"), 0, 4, scores));
    assert_true(scores[1] == -1.5 && scores[3] == (double)1e30f);
    assert_true(gguf_texts(gguf_find(g, "tokenizer.ggml.tokens"), 4, tokens));
    assert_true(gguf_text_is(tokens[0], "<s>") && gguf_text_is(tokens[1], "") && gguf_text_is(tokens[2], "\u2581a"));
    assert_int_equal(tokens[3].len, 6);
    assert_false(gguf_texts(gguf_find(g, "test.integers"), 3, tokens));
    gguf_close(g);
    fixture_end(&f);
}

// ---- files made by hand ----

struct maker {
    uint8_t data[SMALL];
    size_t len;
};

// Appends a little-endian integer.
static void put(struct maker *m, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) m->data[m->len++] = (uint8_t)(v >> 8 * i);
}

static void put_text(struct maker *m, const char *text) {
    put(m, strlen(text), 8);
    memcpy(m->data + m->len, text, strlen(text));
    m->len += strlen(text);
}

// Begins a file with the magic, the version, the number of tensors and the number of pairs of key and value.
static void put_front(struct maker *m, uint64_t version, uint64_t tensors, uint64_t pairs) {
    *m = (struct maker){0};
    memcpy(m->data, "GGUF", 4);
    m->len = 4;
    put(m, version, 4);
    put(m, tensors, 8);
    put(m, pairs, 8);
}

static void put_tensor(struct maker *m, const char *name, uint64_t cols, uint64_t rows, uint64_t type, uint64_t at) {
    put_text(m, name);
    put(m, 2, 4);
    put(m, cols, 8);
    put(m, rows, 8);
    put(m, type, 4);
    put(m, at, 8);
}

// Appends `bytes` zero bytes as the data of the tensors. The data begin at a multiple of 32 bytes.
static void put_data(struct maker *m, size_t bytes) { m->len = (m->len + 31) / 32 * 32 + bytes; }

// Checks that the file is refused with a message that contains `part`.
static void assert_refused(const struct maker *m, const char *part) {
    struct fixture f;
    fixture_begin(&f);
    write_bytes(m->data, m->len);
    assert_null(gguf_open(&f.arena, path, &f.diag));
    assert_reported(&f, part);
    fixture_end(&f);
}

static void test_two_tensors_by_hand(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct maker m;
    put_front(&m, 2, 2, 1);
    put_text(&m, "general.alignment");
    put(&m, 4, 4), put(&m, 8, 4);
    put_tensor(&m, "b", 3, 2, GGUF_F32, 8);
    put_tensor(&m, "a", 2, 1, GGUF_F32, 0);
    m.len = (m.len + 7) / 8 * 8;
    put(&m, 0x3f800000, 4), put(&m, 0xc0000000, 4); // 1, -2
    m.len += 24;
    write_bytes(m.data, m.len);
    struct gguf *g = gguf_open(&f.arena, path, &f.diag);
    assert_no_errors(&f);
    const struct gguf_tensor *t = gguf_find_tensor(g, "b");
    assert_true(t->rank == 2 && t->shape[0] == 2 && t->shape[1] == 3 && t->rows == 2 && t->cols == 3);
    float row[2];
    gguf_row(gguf_find_tensor(g, "a"), 0, row);
    assert_true(row[0] == 1.0f && row[1] == -2.0f);
    assert_null(gguf_find_tensor(g, "c"));
    gguf_close(g);
    fixture_end(&f);
}

static void test_refused_fronts(void **state) {
    (void)state;
    struct maker m;
    put_front(&m, 3, 0, 0);
    m.data[0] = 'g';
    assert_refused(&m, "not a GGUF file");
    put_front(&m, 1, 0, 0);
    assert_refused(&m, "version 1 is not supported; versions 2 and 3 are");
    put_front(&m, 0x03000000, (uint64_t)1 << 56, (uint64_t)20 << 56);
    assert_refused(&m, "error: the GGUF file is big-endian; only little-endian files are supported");
    m = (struct maker){.len = 67};
    strcpy((char *)m.data, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 157664\n");
    assert_refused(&m, "error: this is a Git LFS pointer, not the file itself");
    put_front(&m, 3, 0, 2);
    put_text(&m, "split.no");
    put(&m, 2, 4), put(&m, 1, 2);
    put_text(&m, "split.count");
    put(&m, 2, 4), put(&m, 3, 2);
    put_data(&m, 0);
    assert_refused(&m, "error: this is file 2 of 3 of a split model; a GGUF file must be in one piece");
    put_front(&m, 3, 0, 1u << 20);
    assert_refused(&m, "more than 65536 keys");
    put_front(&m, 3, 1, 0);
    assert_refused(&m, "list of tensors is truncated");
}

// The numbers of the types of values are 0 uint8, 4 uint32, 9 list, 10 uint64 and 12 float64. There is no type 13.
static void test_refused_metadata(void **state) {
    (void)state;
    struct maker m;
    put_front(&m, 3, 0, 1);
    put(&m, UINT64_MAX, 8);
    assert_refused(&m, "truncated");
    put_front(&m, 3, 0, 1);
    put_text(&m, "k"), put(&m, 13, 4);
    assert_refused(&m, "key `k`: a value of an unknown type");
    put_front(&m, 3, 0, 1);
    put_text(&m, "k"), put(&m, 10, 4), put(&m, UINT64_MAX, 8);
    assert_refused(&m, "key `k`: a value beyond its range");
    put_front(&m, 3, 0, 1);
    put_text(&m, "k"), put(&m, 9, 4), put(&m, 9, 4), put(&m, 1, 8);
    assert_refused(&m, "key `k`: a list of lists");
    put_front(&m, 3, 0, 1);
    put_text(&m, "k"), put(&m, 9, 4), put(&m, 12, 4), put(&m, UINT64_MAX / 8 + 2, 8);
    assert_refused(&m, "key `k`: truncated");
    put_front(&m, 3, 0, 2);
    for (int i = 0; i < 2; i++) put_text(&m, "k"), put(&m, 0, 4), put(&m, 1, 1);
    assert_refused(&m, "key `k`: stands twice");
    put_front(&m, 3, 0, 1);
    put_text(&m, "general.alignment"), put(&m, 4, 4), put(&m, 24, 4);
    assert_refused(&m, "a power of two");
}

static void test_refused_tensors(void **state) {
    (void)state;
    static const struct {
        uint64_t cols, rows, type, at;
        size_t bytes;
        const char *message;
    } wrong[] = {
        {4, 1, 9, 0, 64, "tensor t: type 9 is not supported"},
        {48, 1, GGUF_Q8_0, 0, 64, "rows of 48 weights do not consist of whole blocks of Q8_0 (32 weights)"},
        {4, 1, GGUF_F32, 4, 64, "its offset is not aligned"},
        {4, 1, GGUF_F32, 32, 40, "truncated: its"},
        {4, 1, GGUF_F32, UINT64_MAX - 31, 40, "truncated: its"},
        {0, 1, GGUF_F32, 0, 64, "an illegal extent"},
        {1ull << 40, 1ull << 40, GGUF_F32, 0, 64, "an illegal extent"},
        {1ull << 59, 1, GGUF_Q4_K, 0, 64, "truncated: its"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct maker m;
        put_front(&m, 3, 1, 0);
        put_tensor(&m, "t", wrong[i].cols, wrong[i].rows, wrong[i].type, wrong[i].at);
        put_data(&m, wrong[i].bytes);
        assert_refused(&m, wrong[i].message);
    }
}

// The message about a truncated file must name the first incomplete tensor in the order of the data (`cut`), not in the
// order of the list (`last`).
static void test_cut_data(void **state) {
    (void)state;
    struct maker m;
    put_front(&m, 3, 3, 0);
    put_tensor(&m, "last", 4, 1, GGUF_F32, 64);
    put_tensor(&m, "first", 4, 1, GGUF_F32, 0);
    put_tensor(&m, "cut", 4, 1, GGUF_F32, 32);
    put_data(&m, 40);
    assert_refused(&m, "tensor cut is truncated: its 16 bytes begin at byte 32 of the data, but the file has only 40");
}

static void test_refused_pairs_of_tensors(void **state) {
    (void)state;
    struct maker m;
    put_front(&m, 3, 2, 0);
    put_tensor(&m, "t", 9, 1, GGUF_F32, 0);
    put_tensor(&m, "u", 4, 1, GGUF_F32, 32);
    put_data(&m, 64);
    assert_refused(&m, "tensor u: overlaps");
    put_front(&m, 3, 2, 0);
    for (uint64_t i = 0; i < 2; i++) put_tensor(&m, "t", 4, 1, GGUF_F32, 32 * i);
    put_data(&m, 64);
    assert_refused(&m, "tensor t: stands twice");
    put_front(&m, 3, 1, 0);
    put_text(&m, "t"), put(&m, 5, 4);
    assert_refused(&m, "1 to 4 dimensions");
}

// A file that is cut off must be refused; the test cuts it after each of the first 1,300 bytes and then after every
// 97th byte. If one of the first 1,300 bytes is changed, the file must be refused or read, without a crash.
static void test_damage(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    size_t len;
    char *data = read_shipped(&f, "tests/unit/gguf/all_types.gguf", &len);
    for (size_t cut = 0; cut < len; cut += cut < 1300 ? 1 : 97) {
        struct fixture g;
        fixture_begin(&g);
        write_bytes(data, cut);
        assert_null(gguf_open(&g.arena, path, &g.diag));
        assert_true(g.diag.errors > 0);
        fixture_end(&g);
    }
    for (size_t at = 0; at < 1300; at++) {
        struct fixture g;
        fixture_begin(&g);
        data[at] ^= (char)0x84;
        write_bytes(data, len);
        gguf_close(gguf_open(&g.arena, path, &g.diag));
        data[at] ^= (char)0x84;
        fixture_end(&g);
    }
    fixture_end(&f);
}

static void test_no_such_file(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    assert_null(gguf_open(&f.arena, "/nowhere/model.gguf", &f.diag));
    assert_reported(&f, "No such file");
    assert_null(gguf_open(&f.arena, "/tmp", &f.diag));
    assert_reported(&f, "not a plain file");
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format_bit_for_bit),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_two_tensors_by_hand),
        cmocka_unit_test(test_refused_fronts),
        cmocka_unit_test(test_refused_metadata),
        cmocka_unit_test(test_refused_tensors),
        cmocka_unit_test(test_cut_data),
        cmocka_unit_test(test_refused_pairs_of_tensors),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_no_such_file),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
