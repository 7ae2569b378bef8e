// SPDX-License-Identifier: Apache-2.0
// Computes the elementwise operations of one operand. The replay, the oracle and the benches find an operation by its
// name in the table below, so that a new operation needs only one function and one row here.
#include <math.h>
#include <string.h>

#include "gen/numerics/fp32.h"
#include "gen/numerics/numerics.h"

// given[0] is the index of the word of `approximate`. 1 is `none`, the exact form; otherwise, or if the attribute is
// not given, the form with tanh is computed.
static void gelu(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = given[0] == 1 ? g_gelu_exact(x[i], fault) : g_gelu(x[i], fault);
}

static void silu(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    (void)given;
    golden_silu(n, x, y, fault);
}

static void softcap(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    golden_softcap(n, given[0], x, y, fault);
}

// Computes min(max(x, lo), hi), where -0 is below +0 as in g_max. A bound that is not given is the largest finite value
// of its sign.
static void clip(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    float lo = isnan(given[0]) ? -GOLDEN_FP32_MAX : (float)given[0];
    float hi = isnan(given[1]) ? GOLDEN_FP32_MAX : (float)given[1];
    for (size_t i = 0; i < n; i++) y[i] = g_neg(g_max(g_neg(g_max(x[i], lo, fault)), g_neg(hi), fault));
}

// Defines an operation without attributes, which applies `function` to each element.
#define PLAIN(name, function)                                                                                          \
    static void name(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {         \
        (void)given;                                                                                                   \
        for (size_t i = 0; i < n; i++) y[i] = function(x[i], fault);                                                   \
    }
PLAIN(sigmoid, g_sigmoid)
PLAIN(tanh_of, g_tanh)
PLAIN(erf_of, g_erf)
PLAIN(exp_of, g_exp)
PLAIN(log_of, g_ln)
PLAIN(sqrt_of, g_sqrt)
PLAIN(reciprocal, g_recip)
PLAIN(softplus, g_softplus)

// Computes x times one of two slopes: `below` where the sign bit of x is set, else `above`.
static void slopes(size_t n, float below, float above, const float x[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_mul(x[i], signbit(x[i]) ? below : above, fault);
}

static void leaky_relu(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    slopes(n, (float)(isnan(given[0]) ? 0.01 : given[0]), 1, x, y, fault);
}

static void abs_of(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    (void)given;
    slopes(n, -1, 1, x, y, fault);
}

static void neg(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    (void)given;
    slopes(n, -1, -1, x, y, fault);
}

static void hardsigmoid(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    float alpha = (float)(isnan(given[0]) ? 0.2 : given[0]), beta = (float)(isnan(given[1]) ? 0.5 : given[1]);
    for (size_t i = 0; i < n; i++) y[i] = g_hardsigmoid(x[i], alpha, beta, fault);
}

static void hardswish(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    (void)given;
    for (size_t i = 0; i < n; i++) y[i] = g_mul(x[i], g_hardsigmoid(x[i], GOLDEN_SIXTH, 0.5f, fault), fault);
}

static void scalar(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    struct golden_scalar s = golden_scalar_of((int)given[0], given[1]);
    golden_binary *run = golden_binaries[s.function];
    for (size_t i = 0; i < n; i++) run(1, s.first ? &s.value : x + i, s.first ? x + i : &s.value, y + i, fault);
}

static void relu(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    (void)given;
    clip(n, (double[]){0, NAN}, x, y, fault);
}

// new-op: functions

static const struct {
    const char *name;
    golden_unary *run;
} table[] = {
    {"gelu", gelu},
    {"silu", silu},
    {"softcap", softcap},
    {"clip", clip},
    {"sigmoid", sigmoid},
    {"tanh", tanh_of},
    {"erf", erf_of},
    {"exp", exp_of},
    {"log", log_of},
    {"sqrt", sqrt_of},
    {"reciprocal", reciprocal},
    {"softplus", softplus},
    {"leaky_relu", leaky_relu},
    {"abs", abs_of},
    {"neg", neg},
    {"hardsigmoid", hardsigmoid},
    {"hardswish", hardswish},
    {"relu", relu},
    {"scalar", scalar},
    // new-op: rows
};

golden_unary *golden_find_unary(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return table[i].run;
    return NULL;
}
