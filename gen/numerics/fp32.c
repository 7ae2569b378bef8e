// SPDX-License-Identifier: Apache-2.0
// Computes bit-exact fp32 arithmetic (gen/numerics/fp32.h): conversions, and functions that are computed from tables of
// piecewise quadratics as the RTL computes them. RN in comments means: rounded to the nearest integer, ties to even.
#include <math.h>

#include "gen/numerics/fp32.h"

// One segment of a piecewise quadratic; docs/numerics.md section 2 gives the format.
struct segment {
    int32_t c0, c1, c2;
};

#include "gen/numerics/fp32_tables.inc"

enum { SIGNIFICAND_ONE = 1 << 23 };

static int exponent_field(uint32_t bits) { return (int)(bits >> 23 & 0xff); }

static uint32_t significand_of(uint32_t bits) { return (bits & 0x7fffffu) | SIGNIFICAND_ONE; }

float g_mul_sat(float a, float b, struct golden_fault *fault) {
    if (!g_is_finite(a) || !g_is_finite(b)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    float y = g_flush(a) * g_flush(b);
    if (!g_is_finite(y)) y = g_float((g_bits(y) & 0x80000000u) | g_bits(GOLDEN_FP32_MAX));
    return g_flush(y);
}

float g_from_int64(int64_t i) { return (float)i; }

float g_from_int128(int128 i) { return (float)i; }

// Returns RN(magnitude * 2^shift), limited to `limit`. *over: the rounded value exceeds the limit.
static uint64_t round_shift(uint32_t magnitude, int shift, uint64_t limit, bool *over) {
    uint64_t value;
    if (shift >= 0) {
        // 24 bits shifted by more than 40 places do not fit 64 bits.
        *over =
            shift > 40 || (uint64_t)magnitude << shift > limit || ((uint64_t)magnitude << shift >> shift) != magnitude;
        value = *over ? limit : (uint64_t)magnitude << shift;
        return value;
    }
    int right = -shift;
    if (right > 25) { // below one quarter
        *over = false;
        return 0;
    }
    uint64_t rest = magnitude & ((1u << right) - 1), half = (uint64_t)1 << (right - 1);
    value = magnitude >> right;
    if (rest > half || (rest == half && (value & 1))) value++;
    *over = value > limit;
    return *over ? limit : value;
}

// Returns RN(x * 2^frac) with its sign, limited to +-limit. *over: the rounded magnitude exceeds the limit.
static int64_t to_fixed(float x, int frac, uint64_t limit, bool *over, struct golden_fault *fault) {
    uint32_t bits = g_bits(x);
    *over = false;
    if (!g_is_finite(x)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    if (exponent_field(bits) == 0) return 0;
    int64_t value = (int64_t)round_shift(significand_of(bits), exponent_field(bits) - 150 + frac, limit, over);
    return bits >> 31 ? -value : value;
}

int64_t g_fix(float x, int frac, int width, struct golden_fault *fault) {
    bool over;
    int64_t value = to_fixed(x, frac, ((uint64_t)1 << (width - 1)) - 1, &over, fault);
    if (over) golden_fault_raise(fault, GOLDEN_FAULT_FIXED);
    return value;
}

int64_t g_fix_clamp(float x, int frac, int64_t limit, struct golden_fault *fault) {
    bool over;
    return to_fixed(x, frac, (uint64_t)limit, &over, fault);
}

float g_ldexp(float x, int power, struct golden_fault *fault) {
    uint32_t bits = g_bits(x);
    if (exponent_field(bits) == 0) return g_flush(x);
    int field = exponent_field(bits) + power;
    if (!g_is_finite(x) || field >= 255) {
        golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
        return x;
    }
    if (field < 1) return g_float(bits & 0x80000000u);
    return g_float((bits & 0x807fffffu) | (uint32_t)field << 23);
}

// Maps a float to a key whose unsigned order is the order of the values, with -0 just below +0.
static uint32_t order_key(float x) {
    uint32_t bits = g_bits(g_flush(x));
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

float g_max(float a, float b, struct golden_fault *fault) {
    if (!g_is_finite(a) || !g_is_finite(b)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    return g_flush(order_key(a) < order_key(b) ? b : a);
}

bool g_less(float a, float b, struct golden_fault *fault) {
    if (!g_is_finite(a) || !g_is_finite(b)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    return g_flush(a) < g_flush(b);
}

float g_abs(float x) { return g_float(g_bits(x) & 0x7fffffffu); }

float g_neg(float x) { return g_float(g_bits(x) ^ 0x80000000u); }

// Evaluates a segment at distance d from its middle. shift2 and shift1 bring the products of d to the units of c1 and
// c0. c0 and the sum have 5 more low bits than the result; they are dropped. In tables of significands, the
// result has 24 bits, or is 1 << 24 after a carry.
static uint32_t quadratic(const struct segment *s, int32_t d, int shift2, int shift1) {
    int64_t u = s->c1 + (((int64_t)s->c2 * d) >> shift2);
    return (uint32_t)((s->c0 + ((u * d) >> shift1)) >> 5);
}

// Returns value * 2^(field - 150) with this sign bit. A value of 2^24 carries into the exponent.
static float pack(uint32_t sign, int field, uint32_t value) {
    return g_float(sign | (((uint32_t)field << 23) + (value - SIGNIFICAND_ONE)));
}

float g_exp(float x, struct golden_fault *fault) {
    const uint64_t log2e = 0x2e2a8eca5; // log2(e) * 2^33
    uint32_t bits = g_bits(x);
    int exponent = exponent_field(bits) - 127;
    bool negative = bits >> 31;
    if (!g_is_finite(x)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    if (exponent > 6) return negative ? 0.0f : GOLDEN_FP32_MAX;
    if (exponent == -127) return 1.0f;
    // t = x * log2(e) on a grid of 2^-25, magnitude rounded half up.
    uint64_t scaled = significand_of(bits) * log2e >> 24;
    int shift = 6 - exponent;
    uint64_t magnitude = shift > 34 ? 0 : ((scaled >> shift) + 1) >> 1;
    int64_t t = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    int power = (int)(t >> 25);
    if (power > 127) return GOLDEN_FP32_MAX;
    if (power < -126) return 0.0f;
    int32_t d = (int32_t)(t & 0x3ffff) - (1 << 17);
    float y = pack(0, power + 127, quadratic(&exp_table[t >> 18 & 127], d, 16, 22));
    return g_is_finite(y) ? y : GOLDEN_FP32_MAX;
}

// Returns the distance of the low 16 fraction bits from the middle of their segment.
static int32_t fraction_distance(uint32_t bits) { return (int32_t)(bits & 0xffff) - (1 << 15); }

float g_recip(float x, struct golden_fault *fault) {
    uint32_t bits = g_bits(x), sign = bits & 0x80000000u;
    if (!g_is_finite(x)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    if (exponent_field(bits) == 0) {
        golden_fault_raise(fault, GOLDEN_FAULT_DOMAIN);
        return 0.0f;
    }
    bool power_of_two = (bits & 0x7fffff) == 0; // 1/1 is exact; any other 1/m is below 1, one exponent lower
    int field = 254 - exponent_field(bits) - !power_of_two;
    if (field < 1) return g_float(sign);
    uint32_t value = quadratic(&recip_table[bits >> 16 & 127], fraction_distance(bits), 14, 19);
    return pack(sign, field, power_of_two ? SIGNIFICAND_ONE : value);
}

float g_rsqrt(float x, struct golden_fault *fault) {
    uint32_t bits = g_bits(x);
    if (!g_is_finite(x)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    if (exponent_field(bits) == 0 || bits >> 31) {
        golden_fault_raise(fault, GOLDEN_FAULT_DOMAIN);
        return 0.0f;
    }
    uint32_t odd = !(exponent_field(bits) & 1); // the bias is odd
    bool power_of_four = !odd && (bits & 0x7fffff) == 0;
    int half = (exponent_field(bits) + 1) >> 1; // 64 + floor(e / 2)
    uint32_t index = odd << 7 | (bits >> 16 & 127);
    uint32_t value = quadratic(&rsqrt_table[index], fraction_distance(bits), 14, 19);
    return pack(0, 190 - half + power_of_four, power_of_four ? SIGNIFICAND_ONE : value);
}

// ---- curves: functions of |x| in segments of 2^18 steps, whose values are integers with 24 binary places ----

// shift2, shift1: as in quadratic().
struct curve {
    const struct segment *table;
    int64_t segments;
    int places, shift2, shift1; // places: binary places of |x|
};

static const struct curve tanh_curve = {tanh_table, COUNT_OF(tanh_table), 23, 14, 21};
static const struct curve erf_curve = {erf_table, COUNT_OF(erf_table), 24, 15, 21};
static const struct curve tail_curve = {tail_table, COUNT_OF(tail_table), 23, 15, 21};
static const struct curve softplus_curve = {softplus_table, COUNT_OF(softplus_table), 22, 14, 20};

// Returns the curve at |x|, times 2^24. Returns -1 above the last segment.
static int64_t curve_at(const struct curve *c, float x, struct golden_fault *fault) {
    int64_t a = g_fix_clamp(g_abs(x), c->places, (int64_t)1 << 28, fault);
    if (a >> 18 >= c->segments) return -1;
    return quadratic(&c->table[a >> 18], (int32_t)(a & 0x3ffff) - (1 << 17), c->shift2, c->shift1);
}

static float curve_value(int64_t value) { return (float)value * 0x1p-24f; }

// Returns x times the curve or, above the last segment, 1 with the sign of x.
static float odd(const struct curve *c, float x, struct golden_fault *fault) {
    int64_t value = curve_at(c, x, fault);
    if (value < 0) return signbit(x) ? -1.0f : 1.0f;
    return g_mul(x, curve_value(value), fault);
}

float g_tanh(float x, struct golden_fault *fault) { return odd(&tanh_curve, x, fault); }

float g_erf(float x, struct golden_fault *fault) { return odd(&erf_curve, x, fault); }

// Returns x * Phi(x), where Phi is the distribution function of the normal distribution. The table has Phi(-|x|), which
// counts as 0 above its last segment.
float g_gelu_exact(float x, struct golden_fault *fault) {
    int64_t tail = curve_at(&tail_curve, x, fault);
    if (tail < 0) tail = 0;
    return g_mul(x, curve_value(signbit(x) ? tail : (1 << 24) - tail), fault);
}

// Returns max(x, 0) + ln(1 + exp(-|x|)); the logarithm counts as 0 above its last segment.
float g_softplus(float x, struct golden_fault *fault) {
    int64_t value = curve_at(&softplus_curve, x, fault);
    return g_add(signbit(x) ? 0.0f : x, curve_value(value < 0 ? 0 : value), fault);
}

float g_sqrt(float x, struct golden_fault *fault) {
    return g_flush(x) == 0 ? g_flush(x) : g_mul(x, g_rsqrt(x, fault), fault);
}

// Returns max(0, min(1, alpha * x + beta)). The product saturates.
float g_hardsigmoid(float x, float alpha, float beta, struct golden_fault *fault) {
    float v = g_add(g_mul_sat(x, alpha, fault), beta, fault);
    return signbit(v) ? 0.0f : v < 1.0f ? v : 1.0f;
}

// From |b| = 2^126 on, both operands are divided by 4, because the reciprocal of a larger b would be below 2^-126 and
// would be flushed.
float g_div(float a, float b, struct golden_fault *fault) {
    if (g_is_finite(b) && exponent_field(g_bits(b)) > 252) a = g_ldexp(a, -2, fault), b = g_ldexp(b, -2, fault);
    return g_mul(a, g_recip(b, fault), fault);
}

float g_sigmoid(float x, struct golden_fault *fault) {
    return g_recip(g_add(1.0f, g_exp(g_neg(x), fault), fault), fault);
}

// Returns cap * tanh(x / cap), computed with tanh(x) = 2 * sigmoid(2x) - 1.
float g_softcap(float x, float slope, float gain, struct golden_fault *fault) {
    float e = g_exp(g_mul_sat(x, slope, fault), fault);
    return g_mul(g_add(g_recip(g_add(1.0f, e, fault), fault), -0.5f, fault), gain, fault);
}

// Returns the tanh form of GELU, written as x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 x^3)).
float g_gelu(float x, struct golden_fault *fault) {
    float square = g_mul_sat(x, x, fault);
    float p = g_add(g_mul_sat(0x1.6e4e26p-5f, square, fault), 1.0f, fault);
    float u = g_mul_sat(x, p, fault);
    float v = g_mul_sat(u, -0x1.988454p+0f, fault);
    return g_mul(x, g_recip(g_add(1.0f, g_exp(v, fault), fault), fault), fault);
}

// Returns ln(m * 2^exponent), m = 1 + fraction * 2^-32. From 3/2 on, m is halved and the exponent increased by one, so
// that the two parts of the sum never cancel. The sum of exponent * ln(2) and (m - 1) times a 24-bit factor from the
// table is exact and is rounded once.
static float ln_of(int exponent, uint32_t fraction) {
    const int64_t ln2 = 0xb17217f7d1cf7a; // ln(2) * 2^56
    int upper = (int)(fraction >> 31);
    int32_t d = (int32_t)(fraction >> 7 & 0x3ffff) - (1 << 17);
    int64_t factor = quadratic(&ln_table[fraction >> 25], d, 16, 22);
    int64_t distance = upper ? (int64_t)fraction - ((int64_t)1 << 32) : 2 * (int64_t)fraction; // (m - 1) * 2^33
    struct golden_fault none = {0};
    return g_ldexp(g_from_int64((exponent + upper) * ln2 + distance * factor), -56, &none);
}

float g_ln(float x, struct golden_fault *fault) {
    uint32_t bits = g_bits(x);
    if (!g_is_finite(x)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    if (exponent_field(bits) == 0 || bits >> 31) {
        golden_fault_raise(fault, GOLDEN_FAULT_DOMAIN);
        return 0.0f;
    }
    return ln_of(exponent_field(bits) - 127, bits << 9);
}

float g_gumbel(uint32_t r) {
    uint64_t u = 2 * (uint64_t)r + 1; // 2^33 times the u of fp32.h; the loop finds its leading one
    int zeros = 0;
    while (!(u << zeros >> 32)) zeros++;
    struct golden_fault none = {0};
    return g_neg(g_ln(g_neg(ln_of(-1 - zeros, (uint32_t)(u << zeros))), &none));
}
