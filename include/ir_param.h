// SPDX-License-Identifier: Apache-2.0
// Parameters of a kernel's RTL module; part of ir.h.
#ifndef RILL_IR_PARAM_H
#define RILL_IR_PARAM_H

#include "include/ir_value.h"

struct ir;
struct ir_kernel;

struct ir_param {
    const char *name;
    struct ir_value value;
};

// A name that is set again gets the new value.
void ir_set_param(struct ir *, int kernel, const char *name, struct ir_value);
void ir_set_int(struct ir *, int kernel, const char *name, int64_t value);
void ir_set_word(struct ir *, int kernel, const char *name, int bits, int64_t value); // a sized constant, value >= 0
void ir_set_float(struct ir *, int kernel, const char *name, float value);
void ir_set_style(struct ir *, int kernel, enum ram_style);                  // RAM_STYLE
const struct ir_value *ir_param(const struct ir_kernel *, const char *name); // NULL if absent
int64_t ir_param_int(const struct ir_kernel *, const char *name, int64_t fallback);

#endif
