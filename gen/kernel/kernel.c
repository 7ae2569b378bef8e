// SPDX-License-Identifier: Apache-2.0
// The table of classes, and what is asked of an instance through it.
#include "gen/kernel/kernel.h"

#include <string.h>

#include "gen/kernel/args.h"
#include "gen/kernel/class.h"
#include "gen/ir/custom_ops.h"
#include "gen/ir/ops.h"

static const struct kernel_class *const table[] = {
#define KERNEL(name) &rtl_##name,
#include "include/kernels.def"
#undef KERNEL
};

static const struct kernel_class *const of_op[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) &rtl_##kernel,
#include "include/ops.def"
#undef RILL_OP
};

const struct kernel_class *kernel_find(const char *module) {
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strcmp(table[i]->module, module)) return table[i];
    return NULL;
}

enum { KV_SCALE_BITS = 32 /* fp32, above the integers */ };

const struct kernel_class *kernel_of(const struct ir_kernel *k) {
    return k->of_class ? k->of_class : kernel_find(k->module);
}

bool kernel_is(const struct ir_kernel *k, unsigned traits) {
    const struct kernel_class *class = kernel_of(k);
    return class && class->traits & traits;
}

int kernel_lanes(const struct kernel_class *class, int lanes) {
    for (int l = lanes; class->lanes && l >= 1; l /= 2)
        if (class->lanes & l) return l;
    for (int l = lanes; class->lanes && l <= 32; l *= 2)
        if (class->lanes & l) return l;
    return lanes;
}

struct kernel_part kernel_part(const struct ir *ir, const struct ir_edge *e) {
    const struct ir_port *to = &ir->kernel[e->dst_kernel].port[e->dst_port];
    const struct kernel_class *class = kernel_of(&ir->kernel[e->dst_kernel]);
    enum kernel_kv kv = class && to->type.dtype == IR_KV ? class->kv : KERNEL_KV_ALL;
    struct kernel_part all = {0, ir->kernel[e->src_kernel].port[e->src_port].data_bits};
    if (kv == KERNEL_KV_INTEGERS) return (struct kernel_part){0, all.bits - KV_SCALE_BITS};
    return kv == KERNEL_KV_SCALE ? (struct kernel_part){all.bits - KV_SCALE_BITS, KV_SCALE_BITS} : all;
}

int kernel_first(const struct ir *ir, unsigned traits) {
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], traits)) return k;
    return IR_NONE;
}

const struct kernel_class *kernel_of_op(const struct ir *ir, int op) {
    return op < IR_OPS ? of_op[op] : &ir->custom_class[op - IR_OPS];
}

int kernel_add(struct ir *ir, const char *name, const struct kernel_class *class, int node) {
    int k = ir_add_kernel(ir, name, class->module, node);
    ir->kernel[k].of_class = class;
    return k;
}

// ---- kernels that a spec declares ----

static void add_classes(struct ir *ir) {
    ir->custom_class = ARENA_ARRAY(ir->arena, struct kernel_class, (size_t)ir->customs + 1);
    for (int c = 0; c < ir->customs; c++) ir->custom_class[c] = class_of_custom(&ir->custom[c]);
}

void kernel_set_customs(struct ir *ir, struct custom *custom, int count) {
    ir_set_customs(ir, custom, count);
    add_classes(ir);
}

struct ir *kernel_read_design(struct arena *arena, const char *path, struct diag *diag) {
    struct ir *ir = ir_read(arena, path, diag);
    if (!ir) return NULL;
    add_classes(ir);
    for (int k = 0; k < ir->kernels; k++)
        ir->kernel[k].of_class = ir_custom_kernel(ir, k) ? kernel_of_op(ir, ir->node[ir->kernel[k].node].op)
                                                         : kernel_find(ir->kernel[k].module);
    return ir;
}

// ---- resources ----

static bool cost_class(const struct kernel_class *class, const struct ir_param *param, int params,
                       struct cost_resources *out) {
    const struct kernel_args args = {param, params};
    *out = (struct cost_resources){0};
    if (!class || !class->cost) return false;
    class->cost(&args, out);
    return true;
}

bool cost_module(const char *module, const struct ir_param *param, int params, struct cost_resources *out) {
    return cost_class(kernel_find(module), param, params, out);
}

bool kernel_cost(const struct ir *ir, int kernel, struct cost_resources *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct kernel_class *class = kernel_of(k);
    const struct custom *custom = class ? class->custom : NULL;
    if (!custom) return cost_class(class, k->param, k->params, out);
    if (custom->has_resources)
        *out = (struct cost_resources){custom->lut, custom->ff, custom->dsp, custom->bram18, custom->uram};
    return custom->has_resources;
}

bool kernel_memory(const struct ir_kernel *k, struct cost_memory *out) {
    const struct kernel_class *class = kernel_of(k);
    const struct kernel_args args = {k->param, k->params};
    if (!class || !class->memory) return false;
    *out = class->memory(&args);
    out->style = args_style(&args, RAM_AUTO);
    return true;
}

// ---- timing ----

// A dump may have been edited: numbers that no module takes.
static bool is_sane(const struct timing_contract *c) {
    if (c->machine >= TIMING_MACHINES) return false;
    const int64_t number[] = {c->rows,  c->ready, c->pipe,  c->pack,   c->fire,  c->in,    c->out,
                              c->times, c->units, c->heads, c->layers, c->lanes, c->beats, c->channels};
    for (size_t i = 0; i < COUNT_OF(number); i++)
        if (number[i] < 0 || number[i] > 1 << 20) return false;
    bool words = (c->machine != TIMING_GEAR && c->machine != TIMING_SPILL) ||
                 (c->in > 0 && c->out > 0 && (c->machine == TIMING_GEAR || c->beats > 0));
    bool kv =
        c->machine < TIMING_SCALES || c->machine > TIMING_V_TAIL || (c->units > 0 && c->heads > 0 && c->layers > 0);
    bool scales = c->machine != TIMING_SCALES || (c->lanes > 0 && c->times > 0);
    bool rows = c->machine < TIMING_EMBED || c->machine > TIMING_READER || (c->rows > 0 && c->beats > 0);
    rows &= c->machine != TIMING_WRITER || (c->rows > 0 && c->beats > 0 && c->units > 0);
    return words && kv && scales && rows && c->pack > 0 && (c->machine != TIMING_ENGINE || c->channels > 0) &&
           (c->machine != TIMING_READER || c->units > 0);
}

bool timing_contract(const struct ir *ir, int kernel, struct timing_contract *c) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct kernel_class *class = kernel_of(k);
    *c = (struct timing_contract){.machine = TIMING_NONE, .pack = 1};
    if (!class || !class->contract) return false;
    class->contract(&(struct kernel_args){k->param, k->params}, &(struct kernel_at){ir, kernel}, c);
    return is_sane(c);
}

int64_t timing_latency(const struct timing_contract *c) {
    switch (c->machine) {
    case TIMING_GEAR: return c->pipe + 2;   // the line, the output register
    case TIMING_ENGINE: return c->pipe + 5; // counted 2 cycles after an operand's last unit; docs/engine.md
    default: return c->enter + c->ready + c->pipe + (c->by_token ? at_most(c->pack, c->rows) - 1 : 0);
    }
}

enum timing_need timing_need(const struct ir_kernel *k, int port) {
    const struct kernel_class *class = kernel_of(k);
    return class && class->need                  ? class->need(k->port[port].role)
           : k->port[port].role == IR_ROLE_PARAM ? TIMING_ROW
                                                 : TIMING_EACH;
}
