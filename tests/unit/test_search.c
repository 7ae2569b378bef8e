// SPDX-License-Identifier: Apache-2.0
// Tests the search for the scales of int4 groups and int8 rows in which the squared error of a weight counts with the
// importance of its column, that is, with the mean square of the operand. The search must find known optima and must
// never give a worse result than the search without importance.
#include "tests/unit/model_fixture.h"
#include "tests/unit/quantize_fixture.h"

#include <math.h>

#include "gen/numerics/scale_search.h"
#include "gen/model/checkpoint.h"
#include "gen/numerics/quantize.h"

enum { ROWS = 48, K = 300, GROUP = 64 };

static const float *random_rows(struct fixture *f, const char *name) {
    struct checkpoint *c = checkpoint_open(&f->arena, "random:5", &f->diag);
    return checkpoint_matrix(c, &f->arena, &(struct checkpoint_slice){name, ROWS, K, false, 0, 0, false}, &f->diag);
}

// Makes mean squares of the operands as in a transformer: most are alike, a few are a hundred times as large.
static void make_squares(float *x) {
    uint64_t state = 7;
    for (int i = 0; i < K; i++) {
        double u = (double)(next_random(&state) % 1000) / 1000;
        x[i] = (float)(0.1 + u) * (i % 37 == 3 ? 100 : 1);
    }
}

// Returns the sum of x * error^2 over the columns of a row. x: importance or mean square of each column.
static double weighed_error(const struct qmatrix *m, const float *w, const float *x, int64_t row) {
    float out[K];
    double sum = 0;
    quantize_row_to_float(m, row, out);
    for (int64_t i = 0; i < K; i++) {
        double e = (double)out[i] - w[row * K + i];
        sum += x[i] * e * e;
    }
    return sum;
}

// Checks that the search with importance gives no row a larger error than the search without it, and that it makes the
// error of all rows together at least 10 % smaller. Errors count with the importance that the search used.
static void check_never_worse(enum qformat format, int64_t group) {
    struct fixture f;
    fixture_begin(&f);
    float x[K], importance[K];
    make_squares(x);
    search_importance(x, K, importance);
    const float *w = random_rows(&f, "w");
    struct qmatrix plain = quantize_matrix(&f.arena, w, ROWS, K, format, group);
    struct qmatrix by = quantize_weighed(&f.arena, w, ROWS, K, format, group, x);
    double before = 0, after = 0;
    for (int64_t r = 0; r < ROWS; r++) {
        double a = weighed_error(&plain, w, importance, r), b = weighed_error(&by, w, importance, r);
        assert_true(b <= a * 1.00001);
        before += a, after += b;
    }
    assert_true(after < 0.9 * before);
    fixture_end(&f);
}

static void test_never_worse(void **state) {
    (void)state;
    check_never_worse(QFORMAT_INT4, GROUP);
}
static void test_int8_never_worse(void **state) {
    (void)state;
    check_never_worse(QFORMAT_INT8, 0);
}

// Checks that int8 clips an outlier of little importance in favour of the other weights, and does not clip an important
// outlier.
static void test_int8_clips(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    float w[K], x[K];
    for (int i = 0; i < K; i++) w[i] = i == 7 ? 1.0f : (float)(i % 21 - 10) * 0x1p-9f, x[i] = i == 7 ? 1e-6f : 1;
    struct qmatrix by = quantize_weighed(&f.arena, w, 1, K, QFORMAT_INT8, 0, x);
    assert_true(by.row_scale[0] < 0.5f / 127);
    assert_int_equal(by.q[7], QUANTIZE_INT8_MAX);
    x[7] = 1e6f;
    assert_true(quantize_weighed(&f.arena, w, 1, K, QFORMAT_INT8, 0, x).row_scale[0] > 0.9f / 127);
    fixture_end(&f);
}

// Checks that the error with equal importance of all columns is at most that of the search without importance.
static void test_alike(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    float x[K];
    for (int i = 0; i < K; i++) x[i] = 3;
    const float *w = random_rows(&f, "v");
    struct qmatrix plain = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT4, GROUP);
    struct qmatrix by = quantize_weighed(&f.arena, w, ROWS, K, QFORMAT_INT4, GROUP, x);
    for (int64_t r = 0; r < ROWS; r++)
        assert_true(weighed_error(&by, w, x, r) <= weighed_error(&plain, w, x, r) * 1.00001);
    fixture_end(&f);
}

// Checks that quantize_weighed without mean squares (NULL), which quantize_matrix calls, gives the same weights again.
static void test_none(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    float x[K];
    make_squares(x);
    const float *w = random_rows(&f, "u");
    struct qmatrix a = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT4, GROUP),
                   b = quantize_weighed(&f.arena, w, ROWS, K, QFORMAT_INT4, GROUP, NULL);
    assert_memory_equal(a.q, b.q, ROWS * K);
    assert_memory_equal(a.group_scale, b.group_scale, (size_t)(ROWS * a.groups));
    struct qmatrix c = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT8, 0),
                   d = quantize_weighed(&f.arena, w, ROWS, K, QFORMAT_INT8, 0, NULL);
    assert_memory_equal(c.q, d.q, ROWS * K);
    fixture_end(&f);
}

// Checks that the search finds the exact scale of weights that are exactly on levels.
static void test_known_scale(void **state) {
    (void)state;
    for (int scale = 1; scale <= QUANTIZE_GROUP_SCALE_MAX; scale++) {
        float w[32], importance[32];
        for (int i = 0; i < 32; i++) {
            w[i] = 0x1p-10f * (float)scale * (float)(i % 16 - 8);
            importance[i] = i == 5 ? 50 : 1;
        }
        struct search_choice c = search_int4(&(struct search_block){w, importance, 32, 0x1p-10f}, 0);
        assert_int_equal(c.scale, scale);
        assert_true(c.error == 0);
    }
}

// Checks that the search of int4 clips an outlier whose operands are tiny and keeps an important outlier.
static void test_outlier(void **state) {
    (void)state;
    float w[32], importance[32];
    for (int i = 0; i < 32; i++) w[i] = (float)(i % 15 - 7) * 40, importance[i] = 1;
    w[3] = 1500; // about 7 * 214
    importance[3] = 0x1p-10f;
    assert_int_equal(search_int4(&(struct search_block){w, importance, 32, 1}, 0).scale, 40);
    importance[3] = 1e4f;
    int kept = search_int4(&(struct search_block){w, importance, 32, 1}, 0).scale;
    assert_true(abs(kept * QUANTIZE_INT4_MAX - 1500) <= 4);
}

// Checks that most groups get the best of all scales, and that the error over all groups is nearly the least possible.
static void test_best_of_all(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    float x[K];
    make_squares(x);
    const float *w = random_rows(&f, "all");
    int optimal = 0;
    double all = 0, found = 0;
    for (int64_t r = 0; r < ROWS; r++) {
        struct search_block b = {w + r * K, x, GROUP, 0.001f};
        double least = INFINITY;
        for (int s = 1; s <= QUANTIZE_GROUP_SCALE_MAX; s++) {
            double sum = 0, scale = 0.001 * s;
            for (int i = 0; i < GROUP; i++) {
                double e = b.w[i] - scale * fmin(fmax(rint(b.w[i] / scale), QUANTIZE_INT4_MIN), QUANTIZE_INT4_MAX);
                sum += x[i] * e * e;
            }
            least = fmin(least, sum);
        }
        struct search_choice c = search_int4(&b, 0);
        all += least, found += c.error;
        optimal += c.error <= least * 1.0001;
    }
    assert_true(optimal > ROWS * 3 / 4 && found < 1.03 * all);
    fixture_end(&f);
}

// Checks that search_unit returns sum(i w l) / sum(i l l), with importance i, weight w and level l, or 0 if all levels
// are 0. A column of importance 0 does not change the result.
static void test_unit(void **state) {
    (void)state;
    const int8_t q[4] = {2, -3, 5, 1};
    const uint8_t scales[2] = {10, 20};
    const float importance[4] = {1, 2, 3, 0}, w[4] = {0.5f * 20, 0.5f * -30, 0.5f * 100, 77};
    assert_true(search_unit(w, importance, q, 4, 2, scales) == 0.5f);
    const int8_t none[4] = {0};
    assert_true(search_unit(w, importance, none, 4, 2, scales) == 0);
}

// Checks that the importance of a column is its mean square divided by the average of all columns, but at least 2^-10.
static void test_importance(void **state) {
    (void)state;
    const float x[4] = {0, 4, 8, 1e-9f};
    float importance[4];
    search_importance(x, 4, importance);
    assert_true(importance[2] == 2 * importance[1] && fabsf(importance[2] - 8.0f / 3) < 1e-5f);
    assert_true(importance[0] == 0x1p-10f && importance[3] == 0x1p-10f);
    search_importance((const float[4]){0}, 4, importance); // nothing is known
    for (int i = 0; i < 4; i++) assert_true(importance[i] == 0x1p-10f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_worse), cmocka_unit_test(test_int8_never_worse),
        cmocka_unit_test(test_int8_clips),  cmocka_unit_test(test_alike),
        cmocka_unit_test(test_none),        cmocka_unit_test(test_known_scale),
        cmocka_unit_test(test_outlier),     cmocka_unit_test(test_best_of_all),
        cmocka_unit_test(test_unit),        cmocka_unit_test(test_importance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
