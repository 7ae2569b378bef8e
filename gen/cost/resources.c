// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "args.h"
#include "cost.h"

bool cost_module(const char *module, const struct ir_param *param, int params, struct cost_resources *out) {
    (void)module;
    (void)param;
    (void)params;
    *out = (struct cost_resources){0};
    return false;
}
