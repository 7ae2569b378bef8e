// SPDX-License-Identifier: Apache-2.0
// Reads the parameters of an RTL module as numbers.
#ifndef RILL_KERNEL_ARGS_H
#define RILL_KERNEL_ARGS_H

#include "gen/kernel/kernel.h"

const struct ir_value *args_value(const struct kernel_args *, const char *name); // NULL if absent
// RAM_STYLE; the fallback is its default in the RTL.
enum ram_style args_style(const struct kernel_args *, enum ram_style fallback);
// Reads a number such as 12, -3, 16'd29 or 32'h3727c5ac. The fallback (the RTL's default) if the parameter is absent or
// a wider constant. The result is limited to -2^24 to 2^24.
int64_t args_int(const struct kernel_args *, const char *name, int64_t fallback);
int64_t args_address(const struct kernel_args *, const char *name); // a byte address of 40 bits; 0: not given
// Reads an element of a list. Item 0 is written first and has the highest bits. The fallback if the item is past the
// end or the parameter is not a list.
int64_t args_item(const struct kernel_args *, const char *name, int item, int64_t fallback);

static inline struct kernel_args args_of(const struct ir_kernel *k) {
    return (struct kernel_args){k->param, k->params};
}

static inline int64_t log2_up(int64_t v) { return v > 1 ? u64_clog2((uint64_t)v) : 0; }

#endif
