// SPDX-License-Identifier: Apache-2.0
// The tables of all kernel classes, the look-up of a kernel's class, and functions that ask the class for cost, memory
// and timing contract (gen/kernel/kernel.h).
#include "gen/kernel/kernel.h"

#include <string.h>

#include "gen/kernel/args.h"
#include "gen/kernel/class.h"
#include "gen/ir/custom_ops.h"
#include "gen/ir/ops.h"

// The classes that no operation names.
static const struct kernel_class *const others[] = {
#define KERNEL(name) &rtl_##name,
#include "include/kernels.def"
#undef KERNEL
};

// The class of the kernel that computes each operation.
static const struct kernel_class *const of_op[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) &rtl_##kernel,
#include "include/ops.def"
#undef RILL_OP
};

const struct kernel_class *kernel_find(const char *module) {
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (!strcmp(others[i]->module, module)) return others[i];
    for (size_t i = 0; i < COUNT_OF(of_op); i++)
        if (!strcmp(of_op[i]->module, module)) return of_op[i];
    return NULL;
}

enum { KV_SCALE_BITS = 32 /* fp32, the highest bits of a word of keys or values */ };

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

// Calculates the resources of an instance of a class. Returns false and zeros if the class has no formula.
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

// The next functions check the numbers of a contract that follow from parameters, because an edited dump may have
// values that no module allows. These numbers must be from 0 to MOST, and those by which the simulator divides must not
// be 0.
enum { MOST = 1 << 20 };
static bool is_count(int64_t n) { return n >= 0 && n <= MOST; }
static bool is_divisor(int64_t n) { return n > 0 && n <= MOST; }

static bool are_banks_sane(const struct timing_banks *b) {
    return is_count(b->rows) && is_count(b->ready) && is_divisor(b->pack) && is_count(b->groups) &&
           is_count(b->softmax.behind) && is_count(b->softmax.kept) && is_count(b->softmax.heads) &&
           is_count(b->softmax.layers) && is_count(b->softmax.lanes);
}

static bool is_cache_sane(int64_t units, int64_t heads, int64_t layers) {
    return is_divisor(units) && is_divisor(heads) && is_divisor(layers);
}

static bool is_table_sane(const struct timing_table *t) { return is_count(t->beats); }

static bool is_axis_sane(const struct itensor_line_axis *a) {
    return is_divisor(a->size) && is_divisor(a->places) && is_divisor(a->stride) && is_divisor(a->taps) &&
           is_divisor(a->dilation) && is_count(a->before);
}

static bool are_lines_sane(const struct timing_lines *l) {
    return is_axis_sane(&l->axis[0]) && is_axis_sane(&l->axis[1]) && is_divisor(l->pixel) && is_divisor(l->buffer) &&
           is_divisor(l->axis[0].size * l->axis[1].size * l->pixel) &&
           is_divisor(l->axis[0].places * l->axis[1].places);
}

// Returns whether the numbers of the contract that follow from parameters are possible (see MOST). Machines that are
// not listed are not checked.
static bool is_sane(const struct timing_contract *c) {
    if (c->machine >= TIMING_MACHINES || !is_count(c->stages)) return false;
    switch (c->machine) {
    case TIMING_PIPE: return is_count(c->pipe.rows) && is_count(c->pipe.firings) && is_table_sane(&c->pipe.table);
    case TIMING_BANKS:
    case TIMING_SOFTMAX: return are_banks_sane(&c->banks);
    case TIMING_GEAR:
        return is_divisor(c->gear.in) && is_divisor(c->gear.out) && is_count(c->gear.last_words) &&
               is_count(c->gear.last_elements);
    case TIMING_REPLAY: return is_count(c->replay.times) && is_count(c->replay.units);
    case TIMING_SPLIT: return is_count(c->split.rows) && is_count(c->split.heads) && is_count(c->split.layers);
    case TIMING_SPILL:
        return is_divisor(c->spill.in_beat) && is_divisor(c->spill.beats) && is_divisor(c->spill.burst) &&
               is_count(c->spill.words);
    case TIMING_LAYOUT: return is_count(c->layout.rows) && is_count(c->layout.reads) && is_count(c->layout.groups);
    case TIMING_ORDER: return is_divisor(c->order.words) && is_divisor(c->order.fire);
    case TIMING_LINES: return are_lines_sane(&c->lines);
    case TIMING_TURNS: return is_divisor(c->turns.words[0]) && is_divisor(c->turns.words[1]);
    case TIMING_SIEVE:
        return is_count(c->sieve.groups) && is_divisor(c->sieve.rounds) && is_divisor(c->sieve.words) &&
               is_count(c->sieve.first) && is_divisor(c->sieve.step) && is_divisor(c->sieve.count);
    case TIMING_SCALES:
        return is_cache_sane(c->scales.units, c->scales.heads, c->scales.layers) && is_divisor(c->scales.lanes) &&
               is_divisor(c->scales.times);
    case TIMING_K_WRITER:
        return is_cache_sane(c->keys.units, c->keys.heads, c->keys.layers) && is_count(c->keys.channels);
    case TIMING_V_TAIL:
        return is_cache_sane(c->values.units, c->values.heads, c->values.layers) && is_count(c->values.rows) &&
               is_count(c->values.beats) && is_count(c->values.reads);
    case TIMING_ENGINE:
        return is_divisor(c->engine.channels) && is_count(c->engine.beat_bits) && is_count(c->engine.copies);
    case TIMING_EMBED:
    case TIMING_POSITION: return is_divisor(c->fetch.rows) && is_divisor(c->fetch.beats);
    case TIMING_READER:
    case TIMING_WRITER: return is_divisor(c->rows.rows) && is_divisor(c->rows.beats) && is_divisor(c->rows.group);
    case TIMING_WALKER: return is_count(c->walker.layers);
    case TIMING_GROUPS:
        return is_count(c->groups.groups) && is_count(c->groups.gives) && is_count(c->groups.words_out) &&
               is_table_sane(&c->groups.table);
    default: return true;
    }
}

bool timing_contract(const struct ir *ir, int kernel, struct timing_contract *c) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct kernel_class *class = kernel_of(k);
    *c = (struct timing_contract){.machine = TIMING_NONE};
    if (!class || !class->contract) return false;
    class->contract(&(struct kernel_args){k->param, k->params}, &(struct kernel_at){ir, kernel}, c);
    return is_sane(c);
}

// Returns the cycles from the last word of a group to the first word that is read; with by_token, until the first
// output word is complete.
static int64_t banks_latency(const struct timing_banks *b) {
    return b->enter + b->ready + (b->by_token ? at_most(b->pack, b->rows) - 1 : 0);
}

int64_t timing_latency(const struct timing_contract *c) {
    switch (c->machine) {
    case TIMING_BANKS:
    case TIMING_SOFTMAX: return c->stages + banks_latency(&c->banks);
    case TIMING_GEAR: return c->stages + 2;   // the register of a line and the output register
    case TIMING_ENGINE: return c->stages + 5; // from the last unit of the operand; docs/engine.md
    case TIMING_REPLAY: return c->stages + c->replay.ready;
    case TIMING_SPLIT: return c->stages + c->split.ready;
    case TIMING_LAYOUT: return c->stages + c->layout.ready;
    case TIMING_ORDER: return c->stages + 1;
    case TIMING_LINES: return c->stages + c->lines.begin;
    case TIMING_SCALES: return c->stages + c->scales.ready;
    case TIMING_EMBED:
    case TIMING_POSITION: return c->stages + c->fetch.ready;
    case TIMING_READER:
    case TIMING_WRITER: return c->stages + c->rows.ready;
    default: return c->stages;
    }
}

const struct timing_table *timing_table(const struct timing_contract *c) {
    if (c->machine == TIMING_PIPE) return &c->pipe.table;
    return c->machine == TIMING_GROUPS ? &c->groups.table : NULL;
}

int64_t *timing_layers(struct timing_contract *c) {
    switch (c->machine) {
    case TIMING_SOFTMAX: return &c->banks.softmax.layers;
    case TIMING_SPLIT: return &c->split.layers;
    case TIMING_SCALES: return &c->scales.layers;
    case TIMING_K_WRITER: return &c->keys.layers;
    case TIMING_V_TAIL: return &c->values.layers;
    case TIMING_WALKER: return &c->walker.layers;
    default: return NULL;
    }
}

enum timing_need timing_need(const struct ir_kernel *k, int port) {
    const struct kernel_class *class = kernel_of(k);
    return class && class->need                  ? class->need(k->port[port].role)
           : k->port[port].role == IR_ROLE_PARAM ? TIMING_ROW
                                                 : TIMING_EACH;
}
