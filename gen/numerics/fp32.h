// SPDX-License-Identifier: Apache-2.0
// Bit-exact fp32: what docs/numerics.md sections 1 and 2 define and rtl-templates/arith computes.
// Every function takes the sticky fault of its kernel last. After a fault the returned values are undefined but
// harmless.
#ifndef RILL_FP32_H
#define RILL_FP32_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gen/base/base.h"

enum golden_fault_kind {
    GOLDEN_FAULT_NONE,
    GOLDEN_FAULT_NOT_FINITE, // NaN or infinite operand or result
    GOLDEN_FAULT_DOMAIN,     // recip(0), rsqrt(x <= 0)
    GOLDEN_FAULT_FIXED,      // fix(): the integer does not fit its width
    GOLDEN_FAULT_EXPONENT,   // MX block exponent above its range
    GOLDEN_FAULT_KERNEL,     // raised by the golden function of a custom kernel
};

// Sticky: keeps the first kind raised. Start with {0}.
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

// A subnormal becomes the zero of its sign.
static inline float g_flush(float x) {
    uint32_t bits = g_bits(x);
    return (bits & 0x7f800000u) ? x : g_float(bits & 0x80000000u);
}

// A NaN or infinite operand always shows in the result of an addition or a multiplication, so the result alone is
// checked.
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

// A product that overflows becomes the largest finite value of its sign.
float g_mul_sat(float a, float b, struct golden_fault *fault);

// float(i): round to nearest even.
float g_from_int64(int64_t i);
float g_from_int128(int128 i);

// fix(x, frac) = RN(x * 2^frac) in a signed integer of `width` (2..64) bits. |result| >= 2^(width-1) faults and
// saturates to
// +-(2^(width-1) - 1). frac may be negative.
int64_t g_fix(float x, int frac, int width, struct golden_fault *fault);

// clamp(RN(x * 2^frac), -limit, limit), no fault for a large x.
int64_t g_fix_clamp(float x, int frac, int64_t limit, struct golden_fault *fault);

// x * 2^power, exact unless it flushes or overflows (a fault). power in -252..254.
float g_ldexp(float x, int power, struct golden_fault *fault);

// The larger value; +0 is larger than -0, so that the result does not depend on the order.
float g_max(float a, float b, struct golden_fault *fault);

// a < b; -0 equals +0.
bool g_less(float a, float b, struct golden_fault *fault);

float g_abs(float x);
float g_neg(float x);

// Tables and polynomials; error bounds in docs/numerics.md, tested in tests/unit/test_fp32.c.
float g_exp(float x, struct golden_fault *fault);   // saturates, never faults on finite x
float g_recip(float x, struct golden_fault *fault); // x = 0 faults
float g_rsqrt(float x, struct golden_fault *fault); // x <= 0 faults
float g_ln(float x, struct golden_fault *fault);    // x <= 0 faults
// A number of the Gumbel distribution: -ln(-ln(u)), u = (2r + 1) / 2^33.
float g_gumbel(uint32_t r);

float g_sigmoid(float x, struct golden_fault *fault);
float g_softcap(float x, float slope, float gain, struct golden_fault *fault); // slope -2 / cap, gain 2 * cap
float g_gelu(float x, struct golden_fault *fault);

#endif
