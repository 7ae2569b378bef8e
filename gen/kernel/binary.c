// SPDX-License-Identifier: Apache-2.0
// rill_binary: difference, quotient, maximum or minimum of two vectors, element by element, by the operation's name.
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/kernel/class.h"

// By FUNCTION. lut, ff, dsp: per lane, fitted to the rows of rill_binary in verif/cost/measured.txt (Yosys).
static const struct function {
    const char *name;
    int64_t latency;
    double lut, ff;
    int64_t dsp;
} table[] = {
    {"add", LATENCY_ADD, 437, 217, 0},
    {"sub", LATENCY_ADD, 437, 217, 0},
    {"mul", LATENCY_MUL, 159, 175, 2},
    {"div", LATENCY_RECIP + LATENCY_MUL, 456, 486, 4},
    {"max", 1, 154, 33, 0},
    {"min", 1, 154, 33, 0},
};
enum { DIV = 3 };

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int64_t f = 0;
    while (strcmp(table[f].name, ir_op_of(ir, node->op)->name)) f++;
    ir_set_int(ir, k, "FUNCTION", f);
    if (f == DIV) class_padding(ir, node, k);
}

int64_t class_binary_latency(int64_t function) { return table[function].latency; }

void class_cost_binary(int64_t function, int64_t lanes, struct cost_resources *r) {
    const struct function *f = &table[function];
    cost_per(r, lanes, f->lut, f->ff, f->dsp);
    cost_per(r, 1, 14, 12, 0);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, CYCLES_SLICE + class_binary_latency(args_int(a, "FUNCTION", 1)));
    c->pipe.sliced = true;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_binary(args_int(a, "FUNCTION", 1), class_lanes(a), r);
    cost_per(r, class_lanes(a), 100, 130, 0); // the slices of both operands
    cost_per(r, 1, 5, 10, 0);
    class_cost_padding(a, r);
}

const struct kernel_class rtl_binary = {
    .module = "rill_binary", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
