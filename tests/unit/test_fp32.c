// SPDX-License-Identifier: Apache-2.0
// Compares the fp32 functions of gen/numerics with double precision. Their errors must be within the bounds of
// docs/numerics.md over the whole input range.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gen/numerics/numerics.h"

// FRACTIONS: number of fractions in a binade (one value of the exponent). STRIDE: step if not all fractions are tested.
enum { FRACTIONS = 1 << 23, STRIDE = 1009 };

// Returns one unit in the last place (ulp) in the binade of y > 0.
static double ulp(double y) {
    int exponent;
    frexp(y, &exponent);
    return ldexp(1.0, exponent - 24);
}

// field: the exponent with its bias of 127
static float float_of(int field, uint32_t fraction) { return g_float((uint32_t)field << 23 | fraction); }

static double larger(double a, double b) { return a > b ? a : b; }

typedef float function(float x, struct golden_fault *fault);
typedef double exact_function(double x);

static double exact_recip(double x) { return 1.0 / x; }

static double exact_rsqrt(double x) { return 1.0 / sqrt(x); }

// Returns the largest error in ulp over every `stride`th fraction of one binade. Also checks that the function is
// monotonic: it rises if direction is 1 and falls if direction is -1.
static double binade_error(function *f, exact_function *exact, int field, uint32_t stride, int direction) {
    struct golden_fault fault = {0};
    double worst = 0.0, before = direction > 0 ? -INFINITY : INFINITY;
    bool monotonic = true;
    for (uint32_t fraction = 0; fraction < FRACTIONS; fraction += stride) {
        float x = float_of(field, fraction);
        double y = f(x, &fault), truth = exact(x);
        if (truth >= 0x1p-126 && truth < 0x1p128) worst = larger(worst, fabs(y - truth) / ulp(truth));
        monotonic = monotonic && (y - before) * direction >= 0;
        before = y;
    }
    assert_true(monotonic);
    assert_false(fault.raised);
    return worst;
}

static void test_recip_every_fraction(void **state) {
    (void)state;
    assert_true(binade_error(g_recip, exact_recip, 127, 1, -1) < 0.8);
}

static void test_rsqrt_every_fraction(void **state) {
    (void)state;
    assert_true(binade_error(g_rsqrt, exact_rsqrt, 127, 1, -1) < 0.65);
    assert_true(binade_error(g_rsqrt, exact_rsqrt, 128, 1, -1) < 0.65);
}

static void test_recip_rsqrt_every_exponent(void **state) {
    (void)state;
    for (int field = 1; field < 255; field++) {
        assert_true(binade_error(g_recip, exact_recip, field, STRIDE, -1) < 0.8);
        assert_true(binade_error(g_rsqrt, exact_rsqrt, field, STRIDE, -1) < 0.65);
    }
}

static void test_recip_signs_and_ends(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    assert_true(g_recip(-4.0f, &fault) == -0.25f);
    assert_int_equal(g_bits(g_recip(0x1p126f, &fault)), 0x00800000); // 2^-126
    assert_int_equal(g_bits(g_recip(-0x1.000002p126f, &fault)), 0x80000000);
    assert_int_equal(g_bits(g_recip(GOLDEN_FP32_MAX, &fault)), 0);
    assert_true(g_recip(0x1p-126f, &fault) == 0x1p126f);
    assert_true(g_rsqrt(0x1p-126f, &fault) == 0x1p63f);
    assert_false(fault.raised);
    g_recip(0x1p-127f, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_DOMAIN);
}

static void test_rsqrt_refuses_zero_and_negative(void **state) {
    (void)state;
    const float bad[] = {0.0f, -0.0f, -1.0f, 0x1p-140f};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct golden_fault fault = {0};
        g_rsqrt(bad[i], &fault);
        assert_int_equal(fault.kind, GOLDEN_FAULT_DOMAIN);
    }
}

static float exp_of_negative(float x, struct golden_fault *fault) { return g_exp(-x, fault); }

static double exact_exp_of_negative(double x) { return exp(-x); }

// In the binade [1, 2) every fraction is tested, so every segment of the table is used at every distance from its
// centre. The other binades are tested with a stride.
static void test_exp_every_exponent(void **state) {
    (void)state;
    for (int field = 1; field < 133; field++) {
        uint32_t stride = field == 127 ? 1 : STRIDE;
        assert_true(binade_error(g_exp, exp, field, stride, 1) < 0.8);
        assert_true(binade_error(exp_of_negative, exact_exp_of_negative, field, stride, -1) < 0.8);
    }
    assert_true(binade_error(g_exp, exp, 133, 7, 1) < 0.8);
    assert_true(binade_error(exp_of_negative, exact_exp_of_negative, 133, 7, -1) < 0.8);
}

static void test_exp_ends(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    assert_true(g_exp(0.0f, &fault) == 1.0f);
    assert_true(g_exp(-0.0f, &fault) == 1.0f);
    assert_true(g_exp(0x1p-140f, &fault) == 1.0f);
    assert_true(g_exp(88.75f, &fault) == GOLDEN_FP32_MAX);
    assert_true(g_exp(GOLDEN_FP32_MAX, &fault) == GOLDEN_FP32_MAX);
    assert_true(g_exp(-87.25f, &fault) > 0.0f);
    assert_int_equal(g_bits(g_exp(-87.5f, &fault)), 0);
    assert_int_equal(g_bits(g_exp(-GOLDEN_FP32_MAX, &fault)), 0);
    assert_false(fault.raised);
}

static double exact_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static double exact_gelu(double x) { return x * exact_sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)); }

static double exact_silu(double x) { return x * exact_sigmoid(x); }

// Returns the largest |error| / max(1, |truth|) over both signs, all exponents and every 2003rd fraction.
static double absolute_error(function *f, exact_function *exact) {
    struct golden_fault fault = {0};
    double worst = 0.0;
    for (uint32_t bits = 0; bits < 0x7f800000u; bits += 2003) {
        for (uint32_t sign = 0; sign < 2; sign++) {
            float x = g_float(bits | sign << 31);
            worst = larger(worst, fabs((double)f(x, &fault) - exact(x)) / larger(1.0, fabs(exact(x))));
        }
    }
    assert_false(fault.raised);
    return worst;
}

static const double caps[] = {1e-3, 0.7, 30, 50, 1e6};

// Returns the largest |error| of g_softcap, which computes cap * tanh(x / cap), as a share of the cap. Also checks that
// g_softcap never falls and that its results are never below -cap.
static double softcap_error(double cap) {
    struct golden_fault fault = {0};
    float slope = golden_softcap_slope(cap), gain = golden_softcap_gain(cap), last = -gain;
    double worst = 0.0;
    for (int64_t i = -0x7f7fffff; i < 0x7f800000; i += 2003) { // from the lowest finite x to the highest
        float x = g_float(i < 0 ? (uint32_t)-i | 0x80000000u : (uint32_t)i), y = g_softcap(x, slope, gain, &fault);
        worst = larger(worst, fabs((double)y - cap * tanh((double)x / cap)) / cap);
        assert_true(y >= last);
        last = y;
    }
    assert_false(fault.raised);
    return worst;
}

static void test_softcap_whole_range(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++) {
        double worst = softcap_error(caps[i]);
        print_message("cap %g: log2 of the largest error %.2f\n", caps[i], log2(worst));
        assert_true(worst < 0x1p-21);
        struct golden_fault fault = {0};
        float slope = golden_softcap_slope(caps[i]), gain = golden_softcap_gain(caps[i]);
        assert_int_equal(g_bits(g_softcap(0.0f, slope, gain, &fault)), 0);
        assert_true(g_softcap(GOLDEN_FP32_MAX, slope, gain, &fault) == (float)caps[i]);
        assert_true(g_softcap(-GOLDEN_FP32_MAX, slope, gain, &fault) == -(float)caps[i]);
    }
}

static float silu_of(float x, struct golden_fault *fault) {
    float y;
    golden_silu(1, &x, &y, fault);
    return y;
}

static void test_activations_whole_range(void **state) {
    (void)state;
    double sigmoid = absolute_error(g_sigmoid, exact_sigmoid);
    double silu = absolute_error(silu_of, exact_silu);
    double gelu = absolute_error(g_gelu, exact_gelu);
    print_message("log2 of the largest error: sigmoid %.2f, silu %.2f, gelu %.2f\n", log2(sigmoid), log2(silu),
                  log2(gelu));
    assert_true(sigmoid < 0x1p-23 && silu < 0x1p-22 && gelu < 0x1p-21);
}

static double exact_gelu_erf(double x) { return x * 0.5 * erfc(-x * 0.70710678118654752440); }

static double exact_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }

// The absolute errors must be within the bounds of docs/numerics.md, over both signs and all exponents.
static void test_curves_whole_range(void **state) {
    (void)state;
    double tanh_of = absolute_error(g_tanh, tanh), erf_of = absolute_error(g_erf, erf);
    double gelu = absolute_error(g_gelu_exact, exact_gelu_erf), softplus = absolute_error(g_softplus, exact_softplus);
    print_message("log2 of the largest error: tanh %.2f, erf %.2f, exact gelu %.2f, softplus %.2f\n", log2(tanh_of),
                  log2(erf_of), log2(gelu), log2(softplus));
    assert_true(tanh_of < 0x1p-21 && erf_of < 0x1p-22 && gelu < 0x1p-22 && softplus < 0x1p-22);
}

// Returns the largest |error| / |truth| over positive numbers with all exponents and every `stride`th fraction.
static double relative_error(function *f, exact_function *exact, int stride) {
    struct golden_fault fault = {0};
    double worst = 0.0;
    for (uint32_t bits = 0x00800000u; bits < 0x7f800000u; bits += (uint32_t)stride) {
        float x = g_float(bits);
        double truth = exact(x);
        if (fabs(truth) >= 0x1p-126) worst = larger(worst, fabs((double)f(x, &fault) - truth) / fabs(truth));
    }
    assert_false(fault.raised);
    return worst;
}

static void test_relative_errors(void **state) {
    (void)state;
    double tanh_of = relative_error(g_tanh, tanh, 2003), erf_of = relative_error(g_erf, erf, 2003);
    double root = relative_error(g_sqrt, sqrt, 2003), log_of = relative_error(g_ln, log, 2003);
    print_message("log2 of the largest relative error: tanh %.2f, erf %.2f, sqrt %.2f, log %.2f\n", log2(tanh_of),
                  log2(erf_of), log2(root), log2(log_of));
    assert_true(tanh_of < 0x1p-21 && erf_of < 0x1p-22 && root < 0x1p-22 && log_of < 0x1p-22);
}

static void test_ends_of_functions(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    const float large = GOLDEN_FP32_MAX;
    assert_true(g_tanh(large, &fault) == 1 && g_tanh(-large, &fault) == -1 && g_erf(-large, &fault) == -1);
    assert_int_equal(g_bits(g_tanh(-0.0f, &fault)), 0x80000000);
    assert_true(g_gelu_exact(large, &fault) == large && g_gelu_exact(-large, &fault) == 0);
    assert_true(g_softplus(large, &fault) == large && g_softplus(-large, &fault) == 0);
    assert_int_equal(g_bits(g_sqrt(-0x1p-130f, &fault)), 0x80000000);
    assert_true(g_sqrt(0x1p-126f, &fault) == 0x1p-63f);
    assert_true(g_hardsigmoid(large, 1e6f, 1e6f, &fault) == 1 && g_hardsigmoid(-large, 1e-6f, 1e6f, &fault) == 0);
    assert_true(g_sigmoid(-large, &fault) == 0 && g_sigmoid(large, &fault) == 1);
    assert_false(fault.raised);
    g_sqrt(-1, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_DOMAIN);
}

// Tests quotients with divisors of all exponents, including divisors whose reciprocal is below 2^-126.
static void test_quotients(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    double worst = 0.0;
    for (uint32_t bits = 0x00800000u; bits < 0x7f800000u; bits += 2003)
        for (int shift = -100; shift <= 100; shift += 50) {
            float b = g_float(bits);
            double truth = ldexp(1.37, shift), a = truth * b;
            if (a < 0x1p-126 || a > GOLDEN_FP32_MAX) continue;
            worst = larger(worst, fabs((double)g_div((float)a, b, &fault) - (float)a / (double)b) / truth);
        }
    print_message("log2 of the largest relative error of a quotient %.2f\n", log2(worst));
    assert_true(worst < 0x1p-22);
    assert_true(g_div(GOLDEN_FP32_MAX, -GOLDEN_FP32_MAX, &fault) == -1 && g_div(0, 3, &fault) == 0);
    assert_false(fault.raised);
    g_div(1, 0, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_DOMAIN);
}

// A result whose magnitude is below 2^-126 after rounding becomes a zero with the sign of the result.
static void test_flush_after_rounding(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    assert_int_equal(g_bits(g_mul(0x1.fffffep-64f, 0x1p-63f, &fault)), 0x00800000); // a tie just below 2^-126 rounds up
    assert_int_equal(g_bits(g_mul(0x1.fffffcp-64f, 0x1p-63f, &fault)), 0);
    assert_int_equal(g_bits(g_mul(-0x1.8p-64f, 0x1p-63f, &fault)), 0x80000000);
    assert_int_equal(g_bits(g_sub(0x1.8p-126f, 0x1p-126f, &fault)), 0);
    assert_int_equal(g_bits(g_sub(0x1p-126f, 0x1.8p-126f, &fault)), 0x80000000);
    assert_int_equal(g_bits(g_mul(0x1p-127f, GOLDEN_FP32_MAX, &fault)), 0); // a subnormal operand is a zero
    assert_false(fault.raised);
}

static void test_faults(void **state) {
    (void)state;
    const float inf = INFINITY;
    struct golden_fault fault = {0};
    g_add(GOLDEN_FP32_MAX, GOLDEN_FP32_MAX, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_NOT_FINITE);
    fault = (struct golden_fault){0};
    assert_true(g_mul_sat(-GOLDEN_FP32_MAX, 2.0f, &fault) == -GOLDEN_FP32_MAX);
    assert_false(fault.raised);
    g_mul_sat(inf, 0.0f, &fault);
    assert_true(fault.raised);
    fault = (struct golden_fault){0};
    g_max(1.0f, inf, &fault);
    assert_true(fault.raised);
    fault = (struct golden_fault){0};
    g_exp(-inf, &fault);
    assert_true(fault.raised);
}

// g_fix(x, f, width) rounds x * 2^f to a signed integer of `width` bits. g_fix_clamp has a limit instead of a width.
static void test_fix(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    assert_int_equal(g_fix(2.5f, 0, 8, &fault), 2);
    assert_int_equal(g_fix(-3.5f, 0, 8, &fault), -4);
    assert_int_equal(g_fix(0.5f, 0, 8, &fault), 0);
    assert_int_equal(g_fix(0x1.000002p-1f, 0, 8, &fault), 1);
    assert_int_equal(g_fix(1.0f, 30, 32, &fault), 1 << 30);
    assert_int_equal(g_fix(-127.4f, 0, 8, &fault), -127);
    assert_int_equal(g_fix(0x1.fffffep62f, 0, 64, &fault), INT64_MAX - 0x7fffffffff);
    assert_int_equal(g_fix(1e-30f, 20, 44, &fault), 0);
    assert_false(fault.raised);
    assert_int_equal(g_fix_clamp(-1e30f, 0, 127, &fault), -127);
    assert_false(fault.raised);
    assert_int_equal(g_fix(127.5f, 0, 8, &fault), 127);
    assert_int_equal(fault.kind, GOLDEN_FAULT_FIXED);
}

static void test_from_int(void **state) {
    (void)state;
    assert_true(g_from_int64(0x1000001) == 0x1p24f);
    assert_true(g_from_int64(0x1000003) == 0x1.000004p24f);
    assert_true(g_from_int64(INT64_MIN) == -0x1p63f);
    int128 big = (int128)1 << 100, tie = (int128)1 << 76;
    assert_true(g_from_int128(big + tie) == 0x1p100f);
    assert_true(g_from_int128(big + tie + 1) == 0x1.000002p100f);
    assert_true(g_from_int128(-big - 3 * tie) == -0x1.000004p100f);
}

static void test_ldexp_and_max(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    assert_true(g_ldexp(3.0f, -24, &fault) == 0x1.8p-23f);
    assert_int_equal(g_bits(g_ldexp(-0x1.fffffep-120f, -7, &fault)), 0x80000000);
    assert_int_equal(g_bits(g_max(-0.0f, 0.0f, &fault)), 0);
    assert_int_equal(g_bits(g_max(0.0f, -0.0f, &fault)), 0);
    assert_true(g_max(-2.0f, -3.0f, &fault) == -2.0f);
    assert_false(g_less(-0.0f, 0.0f, &fault));
    assert_false(fault.raised);
    g_ldexp(0x1p100f, 28, &fault);
    assert_true(fault.raised);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recip_every_fraction),
        cmocka_unit_test(test_rsqrt_every_fraction),
        cmocka_unit_test(test_recip_rsqrt_every_exponent),
        cmocka_unit_test(test_recip_signs_and_ends),
        cmocka_unit_test(test_rsqrt_refuses_zero_and_negative),
        cmocka_unit_test(test_exp_every_exponent),
        cmocka_unit_test(test_exp_ends),
        cmocka_unit_test(test_activations_whole_range),
        cmocka_unit_test(test_softcap_whole_range),
        cmocka_unit_test(test_curves_whole_range),
        cmocka_unit_test(test_relative_errors),
        cmocka_unit_test(test_ends_of_functions),
        cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_flush_after_rounding),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_fix),
        cmocka_unit_test(test_from_int),
        cmocka_unit_test(test_ldexp_and_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
