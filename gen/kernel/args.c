// SPDX-License-Identifier: Apache-2.0
// Reads the parameters of an RTL module as numbers (gen/kernel/args.h), for contracts and costs.
#include "gen/kernel/args.h"

#include <string.h>

// Bounds every number, so that the product of two parameters fits in 64 bits even if a dump has absurd values. Legal
// parameters that affect costs are smaller.
enum { LIMIT = 1 << 24 };

const struct ir_value *args_value(const struct kernel_args *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (!strcmp(a->param[i].name, name)) return &a->param[i].value;
    return NULL;
}

enum ram_style args_style(const struct kernel_args *a, enum ram_style fallback) {
    const struct ir_value *v = args_value(a, "RAM_STYLE");
    return v && v->kind == IR_VALUE_STYLE ? v->style : fallback;
}

int64_t args_int(const struct kernel_args *a, const char *name, int64_t fallback) {
    const struct ir_value *v = args_value(a, name);
    int64_t value;
    if (!v || !ir_value_number(v, &value)) return fallback;
    return value > LIMIT ? LIMIT : value < -LIMIT ? -LIMIT : value;
}

int64_t args_address(const struct kernel_args *a, const char *name) {
    enum { BITS = 40 };
    const struct ir_value *v = args_value(a, name);
    int64_t value;
    return v && ir_value_number(v, &value) && value > 0 && value < 1ll << BITS ? value : 0;
}

int64_t args_item(const struct kernel_args *a, const char *name, int item, int64_t fallback) {
    const struct ir_value *v = args_value(a, name);
    if (!v || v->kind != IR_VALUE_LIST || item >= v->words) return fallback;
    return (int64_t)v->word[item].value;
}
