// SPDX-License-Identifier: Apache-2.0
// Tests the golden functions of whole operations (gen/numerics): small cases against the definitions of
// docs/numerics.md, and larger ones against double precision.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gen/numerics/numerics.h"
#include "tests/unit/golden_products.h"

enum { N = 96, HD = 32, POSITIONS = 150 }; // N: elements of a row; HD: elements of a head

// Returns the next number of a fixed sequence in [-range, range).
static float noise(uint32_t *state, float range) {
    *state = *state * 1664525u + 1013904223u;
    return ((float)(*state >> 8) / 8388608.0f - 1.0f) * range;
}

static void fill(size_t n, float x[], uint32_t seed, float range) {
    for (size_t i = 0; i < n; i++) x[i] = noise(&seed, range);
}

static void test_quantize_rule(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    const float x[8] = {1.0f, -0.5f, 127.6f, -127.6f, 0.5f, 1.5f, 2.5f, 0.0f};
    int16_t q[8];
    uint8_t shift[2];
    golden_quantize_mx(8, 8, 8, -24, x, q, shift, &fault);
    const int16_t expected[8] = {1, 0, 127, -127, 0, 2, 2, 0}; // e = 0
    assert_memory_equal(q, expected, sizeof expected);
    assert_int_equal(shift[0], 24);
    golden_quantize_mx(6, 4, 8, -24, x, q, shift, &fault); // the second block is short: max 1.5, e = -6
    assert_int_equal(shift[1], 18);
    assert_int_equal(q[5], 96);
    golden_quantize_mx(8, 8, 10, -24, x, q, shift, &fault); // e = -2
    const int16_t wider[8] = {4, -2, 510, -510, 2, 6, 10, 0};
    assert_memory_equal(q, wider, sizeof wider);
    assert_int_equal(shift[0], 22);
    assert_false(fault.raised);
}

// The exponent of a block has a lower and an upper limit. A block that would need a smaller exponent loses bits. A
// block that would need a larger one is a fault.
static void test_quantize_range(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    float x[2] = {0x1.fffffep-19f, -0x1p-19f};
    int16_t q[2];
    uint8_t shift;
    golden_quantize_mx(2, 2, 8, -24, x, q, &shift, &fault);
    assert_true(q[0] == 0 && q[1] == 0 && shift == 0);
    x[0] = 0x1p-18f;
    golden_quantize_mx(2, 2, 8, -24, x, q, &shift, &fault);
    assert_true(q[0] == 64 && q[1] == -32 && shift == 0);
    x[0] = 0x1.fp13f;
    golden_quantize_mx(2, 2, 8, -24, x, q, &shift, &fault);
    assert_true(q[0] == 124 && shift == 31);
    assert_false(fault.raised);
    x[0] = 0x1p14f;
    golden_quantize_mx(2, 2, 8, -24, x, q, &shift, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_EXPONENT);
}

// Mantissas of 10 bits have the same range of values as those of 8 bits, but small blocks keep two bits more.
static void test_quantize_range_10(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    float x[2] = {0x1.8p-20f, -0x1p-22f};
    int16_t q[2];
    uint8_t shift;
    // The block would need an exponent below the lowest one, so it gets the lowest one.
    golden_quantize_mx(2, 2, 10, -24, x, q, &shift, &fault);
    assert_true(q[0] == 24 && q[1] == -4 && shift == 0);
    x[0] = 0x1p-16f, x[1] = -0x1p-17f;
    golden_quantize_mx(2, 2, 10, -24, x, q, &shift, &fault);
    assert_true(q[0] == 256 && q[1] == -128 && shift == 0);
    x[0] = 0x1.ffp13f;
    golden_quantize_mx(2, 2, 10, -24, x, q, &shift, &fault);
    assert_true(q[0] == 511 && shift == 29);
    assert_false(fault.raised);
    x[0] = 0x1p14f;
    golden_quantize_mx(2, 2, 10, -24, x, q, &shift, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_EXPONENT);
}

// Tests the largest possible sums of int4 rows of 16384 elements, in blocks of 128. With 10-bit mantissas, the sums of
// a row with one more block may not fit in 64 bits.
static void test_dot_extremes(void **state) {
    (void)state;
    enum { K = 16384 };
    static int8_t w[K];
    static int16_t q[K];
    static uint8_t scale[K / 128], shift[K / 128];
    memset(w, -8, sizeof w);
    for (int i = 0; i < K; i++) q[i] = 127;
    memset(scale, 255, sizeof scale);
    memset(shift, 31, sizeof shift);
    int64_t expected = -(int64_t)8 * 127 * 255 * K * ((int64_t)1 << 31);
    assert_true(golden_dot(K, 128, w, scale, q, shift) == expected);
    for (int i = 0; i < K; i++) q[i] = (int16_t)golden_mx_limit(10);
    memset(shift, golden_mx_shift_max(10), sizeof shift);
    expected = -(int64_t)8 * 511 * 255 * K * ((int64_t)1 << 29);
    assert_true(golden_dot(K, 128, w, scale, q, shift) == expected);
}

static void test_matmul_close(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    float x[N], y[2], stored[2] = {0x1p-30f, 0x1.8p-31f}, bias[2] = {0.25f, -1.0f};
    int8_t w[2 * N];
    int16_t q[N];
    uint8_t shift[3], scale[2 * 3] = {1, 2, 3, 200, 0, 255};
    fill(N, x, 1, 3.0f);
    for (int i = 0; i < 2 * N; i++) w[i] = (int8_t)(i * 7 % 16 - 8);
    golden_quantize_mx(N, 32, 8, -24, x, q, shift, &fault);
    whole_product(2, N, 32, w, scale, stored, bias, q, shift, y, &fault);
    for (int n = 0; n < 2; n++) {
        double sum = 0.0;
        for (int k = 0; k < N; k++)
            sum += (double)w[n * N + k] * scale[n * 3 + k / 32] * q[k] * ldexp(1.0, shift[k / 32]);
        assert_true(fabs(y[n] - (sum * (double)stored[n] + (double)bias[n])) < 1e-6 * (1.0 + fabs(y[n])));
    }
    assert_false(fault.raised);
}

static void test_quantize_kv(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    float x[HD];
    int8_t q[HD];
    fill(HD, x, 5, 2.0f);
    x[3] = -4.0f;
    float scale = golden_quantize_kv(HD, x, q, &fault);
    assert_int_equal(q[3], -127);
    for (int i = 0; i < HD; i++) assert_true(fabsf((float)q[i] * scale - x[i]) <= 0.501f * scale);
    memset(x, 0, sizeof x);
    assert_true(golden_quantize_kv(HD, x, q, &fault) == 0.0f);
    assert_int_equal(q[3], 0);
    assert_false(fault.raised);
}

// Compares one head over three blocks of positions with a calculation in double precision from the same quantized keys,
// values and scores.
static void test_attention_close(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    static int8_t k[POSITIONS][HD], v[POSITIONS][HD];
    const int8_t *k_rows[POSITIONS], *v_rows[POSITIONS];
    static float raw[POSITIONS], p[POSITIONS], k_scale[POSITIONS], v_scale[POSITIONS];
    float x[HD], o[HD];
    int16_t q[HD], pq[POSITIONS];
    uint8_t q_shift, p_shift[3];
    for (uint32_t t = 0; t < POSITIONS; t++) {
        fill(HD, x, 100 + t, 1.0f);
        k_scale[t] = golden_k_scale(golden_quantize_kv(HD, x, k[t], &fault), golden_rsqrt_head(HD), &fault);
        fill(HD, x, 900 + t, 1.0f);
        v_scale[t] = golden_quantize_kv(HD, x, v[t], &fault);
        k_rows[t] = k[t];
        v_rows[t] = v[t];
    }
    fill(HD, x, 7, 4.0f);
    golden_quantize_mx(HD, HD, 8, GOLDEN_MX_EXP_MIN, x, q, &q_shift, &fault);
    whole_scores(POSITIONS, HD, q, q_shift, GOLDEN_MX_EXP_MIN, k_rows, raw, &fault);
    double total = 0.0, exact[HD] = {0};
    for (int t = 0; t < POSITIONS; t++) {
        double e = exp((double)raw[t] * (double)k_scale[t]);
        total += e;
        for (int d = 0; d < HD; d++) exact[d] += e * (double)v_scale[t] * v[t][d];
    }
    float inv = golden_softmax(POSITIONS, 0, raw, k_scale, v_scale, p, &fault);
    golden_quantize_mx(POSITIONS, GOLDEN_P_BLOCK, 8, GOLDEN_MX_EXP_MIN_P, p, pq, p_shift, &fault);
    whole_values(POSITIONS, HD, pq, p_shift, GOLDEN_MX_EXP_MIN_P, v_rows, inv, NULL, o, &fault);
    for (int d = 0; d < HD; d++) assert_true(fabs(o[d] - exact[d] / total) < 0.004);
    assert_false(fault.raised);
}

static void test_layernorm_close(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    float x[N], gamma[N], beta[N], y[N];
    fill(N, x, 11, 5.0f);
    fill(N, gamma, 12, 1.0f);
    fill(N, beta, 13, 1.0f);
    golden_layernorm(N, 1e-5f, x, gamma, beta, y, &fault);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < N; i++) {
        sum += x[i];
        squares += (double)x[i] * x[i];
    }
    double mean = sum / N, r = 1.0 / sqrt(squares / N - mean * mean + 1e-5);
    for (int i = 0; i < N; i++) assert_true(fabs(y[i] - ((x[i] - mean) * r * gamma[i] + beta[i])) < 2e-6);
    assert_false(fault.raised);
    x[0] = 0x1p23f; // 2^43 in fixed point with 20 fraction bits: the least value that is too large
    golden_layernorm(N, 1e-5f, x, gamma, beta, y, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_FIXED);
}

static void test_rmsnorm_close(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    float x[N], gamma[N], y[N];
    double squares = 0.0;
    fill(N, x, 21, 5.0f);
    fill(N, gamma, 22, 1.0f);
    golden_rmsnorm(N, 1e-6f, x, gamma, y, &fault);
    for (int i = 0; i < N; i++) squares += (double)x[i] * x[i];
    for (int i = 0; i < N; i++) assert_true(fabs(y[i] - x[i] / sqrt(squares / N + 1e-6) * gamma[i]) < 2e-6);
    assert_false(fault.raised);
}

static void test_argmax_ties(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    const float x[] = {-1.0f, -0.0f, 0.0f, -3.0f}, y[] = {1.0f, 2.0f, 7.0f, 7.0f};
    assert_int_equal(golden_argmax(4, x, &fault), 1);
    assert_int_equal(golden_argmax(4, y, &fault), 2);
    assert_false(fault.raised);
}

static void test_embed(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    const int8_t q[4] = {1, -2, 3, -8};
    const uint8_t scale[2] = {3, 0};
    float y[4];
    golden_embed(4, 2, q, scale, 0.5f, y, &fault);
    assert_true(y[0] == 1.5f && y[1] == -3.0f && y[2] == 0.0f && g_bits(y[3]) == 0x80000000u);
    golden_embed(4, 2, q, NULL, 0.5f, y, &fault);
    assert_true(y[3] == -4.0f);
    const int16_t wide[4] = {32767, -32767, 255, -1};
    golden_embed_int16(4, wide, 0x1.0p-3f, y, &fault);
    assert_true(y[0] == 4095.875f && y[1] == -4095.875f && y[2] == 31.875f && y[3] == -0.125f && !fault.raised);
    golden_embed_int16(1, wide, GOLDEN_FP32_MAX, y, &fault);
    assert_true(fault.raised);
}

// The compiler writes these constants into the hardware. A wrong constant would therefore be the same in the hardware
// and in the replay, and no simulation could find it.
static void test_constants(void **state) {
    (void)state;
    assert_true(golden_rsqrt_head(64) == 0.125f && golden_rsqrt_head(16) == 0.25f);
    assert_true(golden_norm_mean_scale(8) == 0x1p-23f);
    assert_true(golden_norm_square_scale(8) == 0x1p-46f);
    assert_true(golden_norm_rms_scale(8) == 0x1p-43f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants),       cmocka_unit_test(test_quantize_rule),
        cmocka_unit_test(test_quantize_range),  cmocka_unit_test(test_quantize_range_10),
        cmocka_unit_test(test_dot_extremes),    cmocka_unit_test(test_matmul_close),
        cmocka_unit_test(test_quantize_kv),     cmocka_unit_test(test_attention_close),
        cmocka_unit_test(test_layernorm_close), cmocka_unit_test(test_rmsnorm_close),
        cmocka_unit_test(test_argmax_ties),     cmocka_unit_test(test_embed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
