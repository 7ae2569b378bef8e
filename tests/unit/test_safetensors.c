// SPDX-License-Identifier: Apache-2.0
// Tests the reader of safetensors files: number formats, refused headers, and truncated and damaged files.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <math.h>
#include <unistd.h>

#include "gen/model/safetensors.h"

static char path[] = "/tmp/rill_safetensors_XXXXXX";

static int make_path(void **state) {
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

static void test_halves(void **state) {
    (void)state;
    assert_float_equal(safetensors_from_f16(0x3c00), 1.0f, 0);
    assert_float_equal(safetensors_from_f16(0xc000), -2.0f, 0);
    assert_float_equal(safetensors_from_f16(0x7bff), 65504.0f, 0);
    assert_float_equal(safetensors_from_f16(0x0001), 0x1p-24f, 0);
    assert_float_equal(safetensors_from_f16(0x83ff), -0x3ffp-24f, 0);
    assert_float_equal(safetensors_from_f16(0x0400), 0x1p-14f, 0);
    assert_true(signbit(safetensors_from_f16(0x8000)));
    assert_true(isinf(safetensors_from_f16(0x7c00)) && isnan(safetensors_from_f16(0x7e00)));
    assert_float_equal(safetensors_from_bf16(0x3fc0), 1.5f, 0);
    assert_float_equal(safetensors_from_bf16(0xc2f7), -123.5f, 0);
}

// Compares the conversion of every finite half with the float that its exponent and fraction give.
static void test_all_halves(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        int exponent = (int)(bits >> 10), fraction = (int)(bits & 0x3ff);
        float expected = exponent ? ldexpf((float)(1024 + fraction), exponent - 25) : ldexpf((float)fraction, -24);
        if (safetensors_from_f16((uint16_t)bits) != expected) fail_msg("0x%04x", (unsigned)bits);
        if (safetensors_from_f16((uint16_t)(bits | 0x8000)) != -expected) fail_msg("-0x%04x", (unsigned)bits);
    }
}

static void test_reads_all_types(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    const unsigned char data[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0x00, 0x3c, 0x80, 0x3f, 7};
    write_safetensors(
        path,
        "{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[8,10]},"
        "\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
        "\"c\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[10,12]},"
        "\"d\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[12,13]}}  ",
        data, sizeof data);
    struct safetensors *file = safetensors_open(&f.arena, path, &f.diag);
    assert_no_errors(&f);
    assert_int_equal(safetensors_count(file), 4);
    const float *a = safetensors_read(file, safetensors_find(file, "a"), &f.arena, &f.diag);
    assert_true(a[0] == 1.0f && a[1] == -2.0f);
    assert_string_equal(safetensors_shape_text(&f.arena, safetensors_at(file, 0)), "[2, 1]");
    assert_true(*safetensors_read(file, safetensors_find(file, "b"), &f.arena, &f.diag) == 1.0f);
    assert_true(*safetensors_read(file, safetensors_find(file, "c"), &f.arena, &f.diag) == 1.0f);
    assert_int_equal(safetensors_find(file, "e"), -1);
    assert_null(safetensors_read(file, safetensors_find(file, "d"), &f.arena, &f.diag));
    assert_reported(&f, "tensor d: dtype U8 is not supported");
    safetensors_close(file);
    fixture_end(&f);
}

// Checks that an empty tensor, which takes no space, may be at the offset where another tensor begins, in either order
// of the two in the header.
static void test_empty_tensors(void **state) {
    (void)state;
    static const char *const headers[] = {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                                          "\"b\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}",
                                          "{\"b\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"
                                          "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"};
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        struct fixture f;
        fixture_begin(&f);
        write_safetensors(path, headers[i], "\0\0\x80\x3f", 4);
        struct safetensors *file = safetensors_open(&f.arena, path, &f.diag);
        assert_no_errors(&f);
        assert_true(*safetensors_read(file, safetensors_find(file, "a"), &f.arena, &f.diag) == 1.0f);
        safetensors_close(file);
        fixture_end(&f);
    }
}

static const struct {
    const char *header, *message;
} refused[] = {
    {"[1]", "not a JSON object"},
    {"{\"a\":", "bad header"},
    {"{\"a\":{},\"a\":{}}", "duplicate"},
    {"{\"h.3.w\":3}", "tensor h.3.w: is not an object"},
    {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", "tensor a: `shape` is not a list"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", "tensor a: `shape` holds something"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", "tensor a: `shape` holds something"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
     "tensor a: too many dimensions"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}",
     "tensor a: `shape` is too large"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "tensor a: `data_offsets` is not a pair"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,\"x\"]}}",
     "tensor a: `data_offsets` holds something"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[\"x\",8]}}",
     "tensor a: `data_offsets` holds something"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", "tensor a: `data_offsets` holds something"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,4]}}", "tensor a: ends before it begins"},
    {"{\"a\":{\"dtype\":\"F12\",\"shape\":[1],\"data_offsets\":[0,4]}}", "tensor a: unknown dtype `F12`"},
    {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", "tensor a: unknown dtype"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
     "tensor a: shape [2] of F32 takes 8 bytes, data_offsets give 4"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}", "tensor a is truncated: it ends at byte 12"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
     "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
     "tensor b: overlaps tensor a"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "4 bytes after the last tensor"},
};

static void test_pointer(void **state) {
    (void)state;
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 153304\n";
    struct fixture f;
    fixture_begin(&f);
    write_file(path, pointer, strlen(pointer));
    assert_null(safetensors_open(&f.arena, path, &f.diag));
    assert_reported(&f, "error: this is a Git LFS pointer, not the file itself; run `git lfs pull`");
    fixture_end(&f);
}

static void test_refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct fixture f;
        fixture_begin(&f);
        write_safetensors(path, refused[i].header, "\0\0\0\0\0\0\0\0", 8);
        assert_null(safetensors_open(&f.arena, path, &f.diag));
        assert_reported(&f, refused[i].message);
        assert_reported(&f, path);
        fixture_end(&f);
    }
}

static void test_refuses_no_file(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    assert_null(safetensors_open(&f.arena, "/nowhere/model.safetensors", &f.diag));
    assert_reported(&f, "/nowhere/model.safetensors: error: cannot be read: No such file");
    assert_null(safetensors_open(&f.arena, "/tmp", &f.diag));
    write_file(path, "1234567", 7);
    assert_null(safetensors_open(&f.arena, path, &f.diag));
    assert_reported(&f, "shorter than its header length");
    write_file(path, "\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10);
    assert_null(safetensors_open(&f.arena, path, &f.diag));
    write_file(path, "\x10\0\0\0\0\0\0\0{}", 10);
    assert_null(safetensors_open(&f.arena, path, &f.diag));
    assert_reported(&f, "truncated: the header has 16 bytes, but the file only 10");
    fixture_end(&f);
}

// Checks that the shipped checkpoint, truncated at each of about 50 places, gives exactly one error, and that the error
// names the first tensor that lacks bytes and counts the tensors that end beyond the file.
static void test_truncated_checkpoint(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    const char *why, *model = arena_printf(&f.arena, "%s/model.safetensors", shipped_model(&f));
    size_t len;
    char *bytes = file_read(&f.arena, model, 1 << 24, &len, &why);
    assert_non_null(bytes);
    for (size_t keep = 0; keep < len; keep += len / 50 + 1) {
        write_file(path, bytes, keep);
        int before = f.diag.errors;
        f.diag.errors = 0;
        assert_null(safetensors_open(&f.arena, path, &f.diag));
        assert_int_equal(f.diag.errors, 1); // one error, although many tensors end beyond the file
        f.diag.errors += before;
    }
    assert_reported(&f, "tensor h.2.mlp.c_proj.weight is truncated: it ends at byte");
    assert_reported(&f, "52 tensors end beyond it");
    fixture_end(&f);
}

// Opens a file of these bytes. Checks that a refused file gives an error, and that each tensor of an accepted file
// either can be read or gives one error.
static void open_and_read(const char *bytes, size_t len) {
    struct fixture f;
    fixture_begin(&f);
    write_file(path, bytes, len);
    struct safetensors *file = safetensors_open(&f.arena, path, &f.diag);
    if (!file) assert_true(f.diag.errors > 0);
    for (int i = 0; file && i < safetensors_count(file); i++) {
        f.diag.errors = 0;
        float *x = safetensors_read(file, i, &f.arena, &f.diag);
        assert_true(x || f.diag.errors == 1);
    }
    safetensors_close(file);
    fixture_end(&f);
}

// Opens files in which up to three bytes are changed at random. About one file in four is also truncated.
static void test_fuzz(void **state) {
    (void)state;
    char seed_file[] = "\x90\0\0\0\0\0\0\0"
                       "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
                       "\"bb\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[8,16]},"
                       "\"c\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[16,18]}}   "
                       "0123456789abcdefgh";
    static const char alphabet[] = "0123456789-{}[]\",:.FBU6\\u\xff";
    seed_file[0] = (char)(sizeof seed_file - 1 - 8 - 18);
    uint64_t random = 1;
    for (int round = 0; round < 3000; round++) {
        char bytes[sizeof seed_file];
        memcpy(bytes, seed_file, sizeof bytes);
        size_t len = sizeof bytes - 1;
        for (uint64_t edits = next_random(&random) % 4; edits > 0; edits--) {
            uint64_t r = next_random(&random);
            bytes[r % len] = r >> 40 & 1 ? alphabet[(r >> 16) % (sizeof alphabet - 1)] : (char)(r >> 16);
        }
        if (next_random(&random) % 4 == 0) len = next_random(&random) % len;
        open_and_read(bytes, len);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_all_halves),
        cmocka_unit_test(test_reads_all_types),
        cmocka_unit_test(test_empty_tensors),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_pointer),
        cmocka_unit_test(test_refuses_no_file),
        cmocka_unit_test(test_truncated_checkpoint),
        cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests_name("safetensors", tests, make_path, remove_path);
}
