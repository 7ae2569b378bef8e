// SPDX-License-Identifier: Apache-2.0
// Reads the parameters of an RTL module as numbers. The files of gen/kernel use it in their contracts and costs.
#ifndef RILL_KERNEL_ARGS_H
#define RILL_KERNEL_ARGS_H

#include "gen/kernel/kernel.h"

const struct ir_value *args_value(const struct kernel_args *, const char *name); // NULL if absent
// Returns the parameter RAM_STYLE. Returns the fallback, which is the default in the RTL, if it is not given.
enum ram_style args_style(const struct kernel_args *, enum ram_style fallback);
// Returns a number such as 12, -3 or 16'd29, limited to -2^24 to 2^24. Returns the fallback, which is the default in
// the RTL, if the parameter is absent, a list, a text, or a constant that does not fit int64_t.
int64_t args_int(const struct kernel_args *, const char *name, int64_t fallback);
// Returns a number from 1 to 2^40 - 1. Returns 0 if the parameter is absent or another value.
int64_t args_address(const struct kernel_args *, const char *name);
// Returns the lowest 64 bits of an item of a list. Item 0 is written first in Verilog and has the highest bits. Returns
// the fallback if the item is past the end or the parameter is not a list.
int64_t args_item(const struct kernel_args *, const char *name, int item, int64_t fallback);

static inline struct kernel_args args_of(const struct ir_kernel *k) {
    return (struct kernel_args){k->param, k->params};
}

// Returns the logarithm of v to base 2, rounded up; 0 for v below 2.
static inline int64_t log2_up(int64_t v) { return v > 1 ? u64_clog2((uint64_t)v) : 0; }

#endif
