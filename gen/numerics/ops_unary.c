// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of one operand, by name. The golden model, the oracle and the benches call them in the same
// way, so that a new operation is one function and one row here.
#include <math.h>
#include <string.h>

#include "gen/numerics/fp32.h"
#include "gen/numerics/numerics.h"

static void gelu(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    (void)given;
    golden_gelu(n, x, y, fault);
}

static void silu(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    (void)given;
    golden_silu(n, x, y, fault);
}

static void softcap(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    golden_softcap(n, given[0], x, y, fault);
}

// min(max(x, lo), hi) in the order of g_max. A bound that is not given is the largest finite value.
static void clip(size_t n, const double given[], const float x[], float y[], struct golden_fault *fault) {
    float lo = isnan(given[0]) ? -GOLDEN_FP32_MAX : (float)given[0];
    float hi = isnan(given[1]) ? GOLDEN_FP32_MAX : (float)given[1];
    for (size_t i = 0; i < n; i++) y[i] = g_neg(g_max(g_neg(g_max(x[i], lo, fault)), g_neg(hi), fault));
}

// new-op: functions

static const struct {
    const char *name;
    golden_unary *run;
} table[] = {
    {"gelu", gelu}, {"silu", silu}, {"softcap", softcap}, {"clip", clip},
    // new-op: rows
};

golden_unary *golden_find_unary(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return table[i].run;
    return NULL;
}
