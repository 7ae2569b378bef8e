// SPDX-License-Identifier: Apache-2.0
// Tests rows in .npy and .safetensors files: a written file can be read back, and a file with a wrong header, a wrong
// size or values that are not finite is refused with a reason.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <math.h>
#include <unistd.h>

#include "gen/model/npy.h"
#include "gen/model/rows.h"

enum { ROWS = 3, ELEMENTS = 4 };
static char folder[] = "/tmp/rill_rows_XXXXXX";
static char npy_path[64], tensors_path[64];
static const float values[ROWS * ELEMENTS] = {1, -2, 0.5f, 3, 4, 5, 6, 7, -0.0f, 9, 10, 11};

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(npy_path, sizeof npy_path, "%s/x.npy", folder);
    snprintf(tensors_path, sizeof tensors_path, "%s/x.safetensors", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(npy_path);
    unlink(tensors_path);
    return rmdir(folder);
}

static struct rows_tensor tensor(const char *name) {
    return (struct rows_tensor){name, 2, {2, 2}, ELEMENTS, (float *)(uintptr_t)values};
}

static void test_writes_what_it_reads(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct rows_tensor out[2] = {tensor("x"), tensor("y")}, in[2] = {tensor("y"), tensor("x")};
    assert_true(rows_write(&f.arena, npy_path, out, 1, ROWS, &f.diag));
    assert_true(rows_write(&f.arena, tensors_path, out, 2, ROWS, &f.diag));
    assert_int_equal(rows_read(&f.arena, npy_path, in, 1, 0, ROWS, &f.diag), ROWS);
    assert_memory_equal(in[0].values, values, sizeof values);
    assert_int_equal(rows_read(&f.arena, tensors_path, in, 2, 2, 2, &f.diag), 2);
    assert_no_errors(&f);
    assert_memory_equal(in[1].values, values, sizeof values / ROWS * 2);
    fixture_end(&f);
}

// Checks that npy_write gives the bytes that numpy.save writes.
static void test_form(void **state) {
    (void)state;
    struct text text = {0};
    const struct npy_array a = {.rank = 1, .shape = {2}, .elements = 2};
    npy_write(&text, &a, values);
    assert_int_equal(text.len, 128 + 8);
    assert_memory_equal(text.data, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                        10 + 57);
    assert_int_equal(text.data[127], '\n');
    assert_memory_equal(text.data + 128, values, 8);
    text_free(&text);
}

// Stores a .npy file of this version in `to`, with this header and the 48 bytes of `values`. Returns the size of the
// file.
static size_t build(char *to, int version, const char *header) {
    size_t len = strlen(header), at = version == 1 ? 10 : 12;
    memset(to, 0, 512);
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version;
    to[8] = (char)len;
    memcpy(to + at, header, len);
    memcpy(to + at + len, values, sizeof values);
    return at + len + sizeof values;
}

// Reads a file that `build` has made. wanted: rows to read (the option --tokens), 0: all. most: largest number of rows
// that is accepted (the context). Returns the number of rows, or 0 after an error.
static int64_t read_header(struct fixture *f, int version, const char *header, int64_t wanted, int64_t most) {
    char bytes[512];
    struct rows_tensor t = tensor("x");
    write_file(npy_path, bytes, build(bytes, version, header));
    int64_t rows = rows_read(&f->arena, npy_path, &t, 1, wanted, most, &f->diag);
    if (rows) assert_memory_equal(t.values, values, (size_t)rows * ELEMENTS * sizeof *values);
    return rows;
}

static const char good[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 2), }";

static void test_versions(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    for (int version = 1; version <= 3; version++) assert_int_equal(read_header(&f, version, good, 0, 9), ROWS);
    assert_int_equal(read_header(&f, 1, "{\"shape\":(3,2,2),\"descr\":\"<f4\",\"fortran_order\":False}\n", 1, 9), 1);
    assert_no_errors(&f);
    fixture_end(&f);
}

static const struct {
    const char *header, *message;
    int version;
    int64_t wanted, most;
} refused[] = {
    {good, "that is not 1 to 3", 4, 0, 9},
    {good, "3 rows, and --tokens asks for 4", 1, 4, 9},
    {good, "3 rows, and the context is 2; --tokens takes the first ones", 1, 0, 2},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", "values of type `<f8`; float32 (`<f4`) is", 1, 0,
     9},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2, 2), }", "values of type `>f4`", 1, 0, 9},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", "an array of records", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2, 2), }", "Fortran order; C order is expected", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': None, 'shape': (3, 2, 2), }", "is not a truth value", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", "`x`: shape [3, 4], expected [rows, 2, 2]", 1, 0,
     9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 1), }", "bytes behind the array", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2, 2), }", "truncated: its shape takes 64 bytes", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 2, 2), }", "something that is no size", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 12, }", "`shape` is not a tuple", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 2", "`shape` does not end", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, ), }", "too large", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "too large", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }", "too many dimensions", 1, 0,
     9},
    {"{'descr': '<f4', 'shape': (3, 2, 2), }", "lacks", 1, 0, 9},
    {"{'descr': '<f4', 'descr': '<f4', 'shape': (3, 2, 2), }", "unknown, or there twice", 1, 0, 9},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 2), } x", "something follows", 1, 0, 9},
    {"['descr']", "no dictionary", 1, 0, 9},
};

static void test_refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct fixture f;
        fixture_begin(&f);
        int64_t rows = read_header(&f, refused[i].version, refused[i].header, refused[i].wanted, refused[i].most);
        if (rows) fail_msg("%s", refused[i].header);
        assert_reported(&f, refused[i].message);
        fixture_end(&f);
    }
}

static void assert_value_refused(float value, const char *path, const char *message) {
    struct fixture f;
    fixture_begin(&f);
    float wrong[ROWS * ELEMENTS];
    memcpy(wrong, values, sizeof wrong);
    wrong[2 * ELEMENTS + 1] = value;
    struct rows_tensor t = tensor("x");
    t.values = wrong;
    assert_true(rows_write(&f.arena, path, &t, 1, ROWS, &f.diag));
    assert_int_equal(rows_read(&f.arena, path, &t, 1, 2, 9, &f.diag), 2); // the wrong value is in the third row
    assert_no_errors(&f);
    assert_int_equal(rows_read(&f.arena, path, &t, 1, 0, 9, &f.diag), 0);
    assert_reported(&f, message);
    fixture_end(&f);
}

static void test_refuses_values(void **state) {
    (void)state;
    assert_value_refused(NAN, npy_path, "`x`: row 2, element 1 is NaN; values must be finite");
    assert_value_refused(-INFINITY, tensors_path, "`x`: row 2, element 1 is infinite");
}

static void assert_tensors_refused(const char *header, const char *message) {
    struct fixture f;
    fixture_begin(&f);
    struct rows_tensor t[2] = {tensor("x"), tensor("y")};
    write_safetensors(tensors_path, header, (const unsigned char *)values, 48);
    assert_int_equal(rows_read(&f.arena, tensors_path, t, 2, 0, 9, &f.diag), 0);
    assert_reported(&f, message);
    fixture_end(&f);
}

static void test_refuses_tensors(void **state) {
    (void)state;
    assert_tensors_refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[3,2,2],\"data_offsets\":[0,48]}}",
                           "`y` is missing; [rows, 2, 2] is needed");
    assert_tensors_refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[1,2,2],\"data_offsets\":[0,16]},"
                           "\"y\":{\"dtype\":\"F32\",\"shape\":[2,2,2],\"data_offsets\":[16,48]}}",
                           "`y`: 2 rows, the tensor before has 1");
    assert_tensors_refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[2,2,2],\"data_offsets\":[0,32]},"
                           "\"y\":{\"dtype\":\"BF16\",\"shape\":[2,2,2],\"data_offsets\":[32,48]}}",
                           "`y`: values of type BF16, F32 expected");
    assert_tensors_refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[0,2,2],\"data_offsets\":[0,0]},"
                           "\"y\":{\"dtype\":\"F32\",\"shape\":[3,4],\"data_offsets\":[0,48]}}",
                           "`x`: no rows; at least one is expected");
}

static void test_names_of_files(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    assert_null(rows_path_fault(&f.arena, "a/x.npy", 1));
    assert_null(rows_path_fault(&f.arena, "x.safetensors", 8));
    const char *const wrong[] = {"", "x", ".npy", "a/.safetensors", "x.npy ", "x.npz", "npy"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) assert_non_null(rows_path_fault(&f.arena, wrong[i], 1));
    assert_non_null(strstr(rows_path_fault(&f.arena, "x.npy", 2), "has one array, but there are 2"));
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes_what_it_reads),
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_refuses_values),
        cmocka_unit_test(test_refuses_tensors),
        cmocka_unit_test(test_names_of_files),
    };
    return cmocka_run_group_tests_name("rows", tests, make_folder, remove_folder);
}
