// SPDX-License-Identifier: Apache-2.0
// The table of formulas. Their figures are fitted to verif/cost/measured.txt; tests/unit/test_cost.c compares the two.
#include <string.h>

#include "formula.h"

static const struct {
    const char *module;
    void (*formula)(const struct args *, struct cost_resources *);
} table[] = {
#define COST_ROW(name, module) {module, formula_##name},
    COST_MODULES(COST_ROW)
#undef COST_ROW
};

bool cost_module(const char *module, const struct ir_param *param, int params, struct cost_resources *out) {
    struct args args = {param, params};
    *out = (struct cost_resources){0};
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strcmp(table[i].module, module)) return table[i].formula(&args, out), true;
    return false;
}
