// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of one operand, by name. The golden model, the oracle and the benches call them in the same
// way, so that a new operation is one function and one row here.
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

// new-op: functions

static const struct {
    const char *name;
    golden_unary *run;
} table[] = {
    {"gelu", gelu}, {"silu", silu}, {"softcap", softcap},
    // new-op: rows
};

golden_unary *golden_find_unary(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return table[i].run;
    return NULL;
}
