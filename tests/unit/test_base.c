// SPDX-License-Identifier: Apache-2.0
// Tests gen/base: arithmetic, arena, vectors, text, output sets, nearest words, places of messages, and the hash of
// logits.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/base/diag.h"
#include "gen/base/verilog.h"

static void test_arithmetic(void **state) {
    (void)state;
    size_t s = 7;
    uint64_t u = 7;
    assert_true(size_mul(3, 5, &s) && s == 15);
    assert_false(size_mul(SIZE_MAX, 2, &s));
    assert_false(size_add(SIZE_MAX, 1, &s));
    assert_int_equal(s, 15);
    assert_true(u64_mul(UINT32_MAX, UINT32_MAX, &u) && u == 0xfffffffe00000001u);
    assert_false(u64_mul(UINT64_MAX, 2, &u));
    assert_false(u64_add(UINT64_MAX, 1, &u));
    assert_int_equal(u64_div_ceil(UINT64_MAX, 2), UINT64_C(1) << 63);
    assert_int_equal(u64_div_ceil(8, 4), 2);
    assert_int_equal(u64_clog2(0), 0);
    assert_int_equal(u64_clog2(1), 0);
    assert_int_equal(u64_clog2(5), 3);
    assert_int_equal(u64_clog2(8), 3);
    assert_int_equal(u64_clog2(UINT64_MAX), 64);
}

static void test_arena(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a);
    char *first = arena_printf(&a, "%s-%d", "x", 5);
    struct arena_mark mark = arena_mark(&a);
    size_t used = a.used;
    for (int i = 0; i < 100; i++) {
        char *p = arena_alloc(&a, 1, (size_t)i * 1000);
        for (int k = 0; k < i * 1000; k++) assert_int_equal(p[k], 0);
        memset(p, 0xff, (size_t)i * 1000);
    }
    arena_release(&a, mark);
    assert_int_equal(a.used, used);
    assert_string_equal(first, "x-5");
    int *reused = ARENA_ARRAY(&a, int, 100);
    for (int k = 0; k < 100; k++) assert_int_equal(reused[k], 0);
    arena_free(&a);
    assert_int_equal(a.used, 0);
}

struct point {
    int x, y;
};

static void test_vector(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a);
    VEC(struct point) v = {0};
    for (int i = 0; i < 1000; i++) VEC_PUSH(&a, v, (struct point){i, 2 * i});
    assert_int_equal(v.count, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(v.items[i].y, 2 * v.items[i].x);
    arena_free(&a);
}

static void exhaust(struct arena *a, int what) {
    if (what == 0) arena_alloc(a, SIZE_MAX / 2, 4);
    if (what == 1) arena_alloc(a, 1, SIZE_MAX - 8);
    if (what == 2) {
        a->fail_after = 3;
        for (int i = 0; i < 3; i++) arena_alloc(a, 1, 1);
    }
}

// A failed allocation ends the process with the exit code of internal faults. `what` of exhaust: a size that overflows,
// a size that is too large, or an arena that is set to fail after three allocations.
static void test_exhaustion(void **state) {
    (void)state;
    for (int what = 0; what < 3; what++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct arena a;
            arena_init(&a);
            if (!freopen("/dev/null", "w", stderr)) _exit(0);
            exhaust(&a, what);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == RILL_INTERNAL);
    }
}

static void expect_json(const char *bytes, size_t len, const char *expected) {
    struct text t = {0};
    text_add_json_string(&t, bytes, len);
    assert_string_equal(text_cstr(&t), expected);
    text_free(&t);
}

static void test_json(void **state) {
    (void)state;
    expect_json("", 0, "\"\"");
    expect_json("a\"\\\n\t\x01\x7f", 7, "\"a\\\"\\\\\\n\\t\\u0001\\u007f\"");
    expect_json("a\0b", 3, "\"a\\u0000b\"");
    expect_json("\xc3\xa9\xe2\x88\x91\xf0\x9f\x98\x80", 9, "\"\xc3\xa9\xe2\x88\x91\xf0\x9f\x98\x80\"");
    expect_json("\xe2\x80\xa8", 3, "\"\\u2028\"");
    expect_json("\xff\xc3", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");                 // stray bytes
    expect_json("\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");                 // overlong
    expect_json("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); // surrogate
}

// None of these paths exists, so no link changes them.
static void test_relative(void **state) {
    (void)state;
    static const struct {
        const char *dir, *path, *want;
    } cases[] = {
        {"/none/a", "/none/a/b", "./b"},     {"/none/a", "/none/a/b/c", "b/c"},
        {"/none/a/b", "/none/c", "../../c"}, {"/none/a", "/none/ab", "../ab"},
        {"/none/a/b", "/none/a", "../"},     {"/none/a/b/c", "/none/a", "../../"},
        {"/none/a", "/none/a", "./"},        {"/none/a", "/", "/"},
    };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(file_relative(&a, cases[i].dir, cases[i].path), cases[i].want);
    arena_free(&a);
}

// ---- output sets ----

static bool exists(const char *dir, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

// Returns whether the folder is empty. A folder that is not empty cannot be removed.
static bool is_empty_dir(const char *dir) { return rmdir(dir) == 0 && mkdir(dir, 0777) == 0; }

static void test_output_commit(void **state) {
    const char *dir = *state;
    struct arena a;
    struct output out;
    struct text t = {0};
    arena_init(&a);
    text_add(&t, "text\n");
    output_begin(&out, &a, dir);
    FILE *f = output_open(&out, "sub/deep/b.bin");
    assert_non_null(f);
    assert_int_equal(fwrite("1234", 1, 4, f), 4);
    assert_true(output_text(&out, "a.txt", &t));
    assert_false(exists(dir, "a.txt"));
    assert_true(output_commit(&out));
    assert_null(out.error);
    size_t len;
    const char *why;
    assert_string_equal(file_read(&a, arena_printf(&a, "%s/sub/deep/b.bin", dir), 100, &len, &why), "1234");
    assert_string_equal(file_read(&a, arena_printf(&a, "%s/a.txt", dir), 100, &len, &why), "text\n");
    assert_null(file_read(&a, arena_printf(&a, "%s/a.txt", dir), 4, &len, &why));
    unlink(arena_printf(&a, "%s/a.txt", dir));
    unlink(arena_printf(&a, "%s/sub/deep/b.bin", dir));
    rmdir(arena_printf(&a, "%s/sub/deep", dir));
    rmdir(arena_printf(&a, "%s/sub", dir));
    assert_true(is_empty_dir(dir));
    text_free(&t);
    arena_free(&a);
}

static void test_output_abort(void **state) {
    const char *dir = *state;
    struct arena a;
    struct output out;
    arena_init(&a);
    output_begin(&out, &a, arena_printf(&a, "%s/new/dir", dir));
    assert_non_null(output_open(&out, "x/1"));
    assert_non_null(output_open(&out, "2"));
    output_abort(&out);
    assert_true(is_empty_dir(dir));
    output_begin(&out, &a, "/proc/nothing");
    assert_null(output_open(&out, "x"));
    assert_non_null(strstr(out.error, "/proc/nothing"));
    assert_false(output_commit(&out));
    arena_free(&a);
}

// A limit on the size of files imitates a full disk: the write of the second file fails, and no file of the set may be
// left.
static void test_output_full(void **state) {
    const char *dir = *state;
    struct rlimit old, small;
    struct arena a;
    struct output out;
    struct text t = {0};
    arena_init(&a);
    for (int i = 0; i < 20000; i++) text_add(&t, "0123456789");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    output_begin(&out, &a, arena_printf(&a, "%s/made", dir));
    FILE *f = output_open(&out, "small");
    assert_non_null(f);
    fputs("fits", f);
    bool wrote = output_text(&out, "large", &t);
    bool committed = output_commit(&out);
    const char *single = file_write_text(&a, arena_printf(&a, "%s/large", dir), &t);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(wrote);
    assert_false(committed);
    assert_non_null(strstr(out.error, "made/large cannot be written: File too large"));
    assert_non_null(strstr(single, "File too large"));
    assert_true(is_empty_dir(dir));
    text_free(&t);
    arena_free(&a);
}

static int make_dir(void **state) {
    static const char pattern[] = "/tmp/rill_test_XXXXXX";
    char *dir = strdup(pattern);
    *state = dir;
    return dir && mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    int result = rmdir(*state);
    free(*state);
    return result;
}

// ---- diagnostics ----

static void test_nearest(void **state) {
    (void)state;
    static const char *const words[] = {"lanes", "channels", NULL, "T", "weights"};
    static const char *const near[] = {"u50", "u55c", "a55"};
    static const int64_t legal[] = {1, 2, 4, 8};
    assert_string_equal(diag_nearest_word("lnaes", words, COUNT_OF(words)), "lanes");
    assert_string_equal(diag_nearest_word("chanels", words, COUNT_OF(words)), "channels");
    assert_string_equal(diag_nearest_word("t", words, COUNT_OF(words)), "T");
    // All three words are equally near. The first one with the longest common beginning is chosen.
    assert_string_equal(diag_nearest_word("u55", near, COUNT_OF(near)), "u55c");
    assert_null(diag_nearest_word("binding", words, COUNT_OF(words)));
    assert_null(diag_nearest_word("", words, COUNT_OF(words)));
    assert_int_equal(diag_edit_distance("abc", "acb"), 1);
    assert_int_equal(diag_edit_distance("kitten", "sitting"), 3);
    // Words of more than 63 letters are not compared, although they differ in one letter only.
    static const char seventy[] = "0123456789012345678901234567890123456789012345678901234567890123456789";
    const char *const too_long[] = {seventy}, *const short_enough[] = {seventy + 7};
    assert_null(diag_nearest_word(seventy + 1, too_long, 1));
    assert_non_null(diag_nearest_word(seventy + 8, short_enough, 1));
    assert_int_equal(diag_nearest_value(3, legal, 4), 2);
    assert_int_equal(diag_nearest_value(INT64_MIN, legal, 4), 1);
    assert_int_equal(diag_nearest_value(INT64_MAX, legal, 4), 8);
}

// A column is a character, not a byte.
static void test_verilog_place(void **state) {
    (void)state;
    static const char text[] = "// \xc2\xb5s\n  module";
    const struct source source = {"kernel.v", text, sizeof text - 1};
    struct loc at = verilog_place(&source, strchr(text, 's'));
    assert_int_equal(at.line, 1);
    assert_int_equal(at.col, 5);
    at = verilog_place(&source, strchr(text, 'm'));
    assert_int_equal(at.line, 2);
    assert_int_equal(at.col, 3);
}

// Compares the output of an error at this place, with the line of the source if the source has a text.
static void expect_output(struct loc loc, const char *message, const char *expected) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    struct diag d;
    diag_init(&d, out);
    diag_error(&d, loc, "%s", message);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void test_places(void **state) {
    (void)state;
    struct source s = {"f", "one\n\ttw\xc3\xb6 x\r\n", 13};
    struct source binary = {"f", NULL, 0};
    expect_output(loc_none(), "m", "rill: error: m\n");
    expect_output((struct loc){&binary, 0, 0}, "m", "f: error: m\n");
    expect_output((struct loc){&binary, 3, 4}, "m", "f:3:4: error: m\n");
    expect_output((struct loc){&s, 1, 3}, "m", "f:1:3: error: m\n  one\n    ^\n");
    expect_output((struct loc){&s, 2, 6}, "m", "f:2:6: error: m\n  \ttw\xc3\xb6 x\n  \t    ^\n");
    expect_output((struct loc){&s, 2, 4000}, "\x1b[31m", "f:2:4000: error: ?[31m\n  ...\n     ^\n");
    expect_output((struct loc){&s, 99, 1}, "m", "f:99:1: error: m\n");
}

// Compares logits_hash with the formula of docs/host.md for rows of 1, 17, ... 97 logits, so that the last block of 32
// is whole or partial.
static void test_logits_hash(void **state) {
    (void)state;
    float row[97];
    uint32_t bits[97];
    uint64_t hash = 0, want = 0;
    for (uint32_t n = 1; n <= COUNT_OF(row); n += 16) {
        uint64_t sum = 0, blocks = (n + 31) / 32;
        for (uint32_t i = 0; i < n; i++) {
            bits[i] = (i * n + 1) * 2654435761u & 0x7f7fffff; // finite
            memcpy(&row[i], &bits[i], sizeof row[i]);
            sum += (2 * (blocks - i / 32) - 1) * ((uint64_t)1 << (31 - i % 32)) * (uint32_t)~bits[i];
        }
        want = (want << 1 | want >> 63) + sum;
        hash = logits_hash(hash, row, n);
        assert_true(hash == want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_logits_hash),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_relative),
        cmocka_unit_test_setup_teardown(test_output_commit, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(test_output_abort, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(test_output_full, make_dir, remove_dir),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_verilog_place),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
