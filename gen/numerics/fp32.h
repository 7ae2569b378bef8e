// SPDX-License-Identifier: Apache-2.0
// Computes bit-exact fp32 arithmetic. docs/numerics.md sections 1 and 2 define it; rtl-templates/arith computes the
// same bits in hardware. A function that can fault takes the sticky fault of its kernel as its last argument. After a
// fault the returned values are undefined but harmless. RN means: rounded to the nearest integer, ties to even.
#ifndef RILL_FP32_H
#define RILL_FP32_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gen/base/base.h"

enum golden_fault_kind {
    GOLDEN_FAULT_NONE,
    GOLDEN_FAULT_NOT_FINITE, // NaN or infinite operand or result
    GOLDEN_FAULT_DOMAIN,     // recip(0), rsqrt(x <= 0), ln(x <= 0)
    GOLDEN_FAULT_FIXED,      // fix(): the integer does not fit its width
    GOLDEN_FAULT_EXPONENT,   // MX block exponent above its range
    GOLDEN_FAULT_KERNEL,     // raised by the golden function of a custom kernel
};

// A sticky fault: it keeps the first kind raised. Initialize with {0}.
struct golden_fault {
    bool raised;
    enum golden_fault_kind kind;
};

#define GOLDEN_FP32_MAX 0x1.fffffep+127f

static inline void golden_fault_raise(struct golden_fault *fault, enum golden_fault_kind kind) {
    if (!fault->raised) {
        fault->raised = true;
        fault->kind = kind;
    }
}

// g_bits and g_float convert between an fp32 number and its bits.
static inline uint32_t g_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float g_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool g_is_finite(float x) { return (g_bits(x) & 0x7f800000u) != 0x7f800000u; }

// Flushes a subnormal to the zero of its sign.
static inline float g_flush(float x) {
    uint32_t bits = g_bits(x);
    return (bits & 0x7f800000u) ? x : g_float(bits & 0x80000000u);
}

// Raises a fault for a NaN or infinite result and flushes subnormals. Checking the result is enough, because a NaN or
// infinite operand always makes the result of an addition or a multiplication NaN or infinite.
static inline float g_check(float y, struct golden_fault *fault) {
    if (!g_is_finite(y)) golden_fault_raise(fault, GOLDEN_FAULT_NOT_FINITE);
    return g_flush(y);
}

static inline float g_add(float a, float b, struct golden_fault *fault) {
    return g_check(g_flush(a) + g_flush(b), fault);
}

static inline float g_sub(float a, float b, struct golden_fault *fault) {
    return g_check(g_flush(a) - g_flush(b), fault);
}

static inline float g_mul(float a, float b, struct golden_fault *fault) {
    return g_check(g_flush(a) * g_flush(b), fault);
}

// Multiplies; a product that overflows becomes the largest finite value of its sign.
float g_mul_sat(float a, float b, struct golden_fault *fault);

// Converts an integer to float, rounding to nearest even.
float g_from_int64(int64_t i);
float g_from_int128(int128 i);

// Returns fix(x, frac) = RN(x * 2^frac) as a signed integer of `width` (2..64) bits. frac may be negative. A magnitude
// of 2^(width-1) or more raises a fault and saturates to +-(2^(width-1) - 1).
int64_t g_fix(float x, int frac, int width, struct golden_fault *fault);

// Returns clamp(RN(x * 2^frac), -limit, limit). A finite x never raises a fault, however large it is.
int64_t g_fix_clamp(float x, int frac, int64_t limit, struct golden_fault *fault);

// Returns x * 2^power, exact unless it flushes to zero or overflows (a fault). power is in -252..254.
float g_ldexp(float x, int power, struct golden_fault *fault);

// Returns the larger value; +0 counts as larger than -0, so that the result does not depend on the order.
float g_max(float a, float b, struct golden_fault *fault);

// Returns a < b; -0 equals +0.
bool g_less(float a, float b, struct golden_fault *fault);

// These change only the sign bit.
float g_abs(float x);
float g_neg(float x);

// Functions from tables and polynomials. docs/numerics.md gives their error bounds, tests/unit/test_fp32.c tests them.
float g_exp(float x, struct golden_fault *fault);   // saturates at GOLDEN_FP32_MAX, never faults on finite x
float g_recip(float x, struct golden_fault *fault); // x = 0 faults
float g_rsqrt(float x, struct golden_fault *fault); // x <= 0 faults
float g_ln(float x, struct golden_fault *fault);    // x <= 0 faults
// Maps 32 random bits to a sample of the Gumbel distribution: -ln(-ln(u)), u = (2r + 1) / 2^33.
float g_gumbel(uint32_t r);

float g_sigmoid(float x, struct golden_fault *fault);
// Returns cap * tanh(x / cap). slope: -2 / cap; gain: 2 * cap.
float g_softcap(float x, float slope, float gain, struct golden_fault *fault);
float g_gelu(float x, struct golden_fault *fault);       // the form with tanh
float g_gelu_exact(float x, struct golden_fault *fault); // x * Phi(x); Phi: normal distribution function
float g_tanh(float x, struct golden_fault *fault);
float g_erf(float x, struct golden_fault *fault);
float g_softplus(float x, struct golden_fault *fault); // ln(1 + exp(x))
float g_sqrt(float x, struct golden_fault *fault);     // x < 0 faults
// Returns max(0, min(1, alpha * x + beta)).
float g_hardsigmoid(float x, float alpha, float beta, struct golden_fault *fault);
float g_div(float a, float b, struct golden_fault *fault); // b = 0 faults

#endif
