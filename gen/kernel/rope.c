// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_rope, which rotates pairs of elements of each head (rotary embedding). Heads
// are kept in banks. A head is read only when the table's rows for the positions of its tokens have arrived. The table
// has cosines and sines; class_rope_table calculates it.
#include "gen/kernel/class.h"

#include <math.h>

// ---- the table: every step in double, rounded once to fp32; docs/numerics.md section 9 ----

struct angles {                            // the attributes of rope_table
    double theta, factor, original, pairs; // original: context of the training, in positions; pairs: pairs of a row
    double low, high; // llama3: turns within the original context; yarn: pairs at the ends of the ramp
    // Returns the scaled frequency of pair i.
    double (*scaled)(const struct angles *, double frequency, double i);
    double magnitude; // factor of cos and sin
};

// Forms of scaling: functions for `scaled`. Frequencies are in radians per position.

static double plain(const struct angles *a, double frequency, double i) {
    (void)a, (void)i;
    return frequency;
}

static double linear(const struct angles *a, double frequency, double i) {
    (void)i;
    return frequency / a->factor;
}

static double llama3(const struct angles *a, double frequency, double i) {
    (void)i;
    double turns = a->original / (2 * M_PI / frequency), smooth = (turns - a->low) / (a->high - a->low);
    if (turns > a->high) return frequency;
    if (turns < a->low) return frequency / a->factor;
    return (1 - smooth) * frequency / a->factor + smooth * frequency;
}

static double yarn(const struct angles *a, double frequency, double i) {
    double ramp = fmin(fmax((i - a->low) / (a->high - a->low), 0), 1);
    return frequency / a->factor * ramp + frequency * (1 - ramp);
}

// Returns the number of the pair that makes this many turns within the original context. It is not rounded.
static double pair_of(const struct angles *a, double turns) {
    return 2 * a->pairs * log(a->original / (turns * 2 * M_PI)) / (2 * log(a->theta));
}

// Sets the ends of the ramp of yarn, from the turns at both ends, and the magnitude.
static void set_yarn(struct angles *a, const struct ir_attrs *attrs) {
    a->low = fmax(floor(pair_of(a, ir_attr_float(attrs, "beta_fast", 32))), 0);
    a->high = fmin(ceil(pair_of(a, ir_attr_float(attrs, "beta_slow", 1))), 2 * a->pairs - 1);
    if (a->high == a->low) a->high += 0.001;
    a->magnitude = ir_attr_float(attrs, "attention_factor", 0);
    if (a->magnitude <= 0) a->magnitude = 0.1 * log(a->factor) + 1;
}

// Reads the attributes of rope_table. With yarn, low and high are pairs (set_yarn) instead of numbers of turns.
static struct angles angles_of(const struct ir_attrs *attrs, int64_t cols) {
    static double (*const forms[])(const struct angles *, double, double) = {
        [SPEC_PLAIN] = plain, [SPEC_LINEAR] = linear, [SPEC_LLAMA3] = llama3, [SPEC_YARN] = yarn};
    int scaling = ir_attr_choice(attrs, "scaling", SPEC_PLAIN);
    struct angles a = {.theta = ir_attr_float(attrs, "theta", 10000),
                       .factor = ir_attr_float(attrs, "factor", 1),
                       .original = (double)ir_attr_int(attrs, "original_context", 8192),
                       .pairs = (double)cols / 2,
                       .low = ir_attr_float(attrs, "low_freq_factor", 1),
                       .high = ir_attr_float(attrs, "high_freq_factor", 4),
                       .scaled = forms[scaling < 0 ? SPEC_PLAIN : scaling],
                       .magnitude = 1};
    if (scaling == SPEC_YARN) set_yarn(&a, attrs);
    return a;
}

void class_rope_table(const struct ir_node *node, int64_t rows, int64_t cols, float table[]) {
    struct angles a = angles_of(&node->attrs, cols);
    int64_t pairs = cols / 2;
    for (int64_t i = 0; i < pairs; i++) {
        double frequency = a.scaled(&a, pow(a.theta, -2 * (double)i / (double)cols), (double)i);
        for (int64_t p = 0; p < rows; p++) {
            table[p * cols + i] = (float)(cos((double)p * frequency) * a.magnitude);
            table[p * cols + pairs + i] = (float)(sin((double)p * frequency) * a.magnitude);
        }
    }
}

// ---- the kernel ----

// head_of returns the number of elements of a head, rotary_of the number of those that are rotated.
static int64_t head_of(const struct ir *ir, const struct ir_node *node) {
    return ir_tensor_elements(&ir->tensor[node->in[0]]) / ir_attr_int(&node->attrs, "heads", 1);
}

static int64_t rotary_of(const struct ir *ir, const struct ir_node *node) {
    return ir_tensor_elements(&ir->tensor[node->in[1]]);
}

// Returns the greatest common divisor of the elements of a head and of half of its rotated part. The number of lanes
// must divide it, because a word must not cross the end of either.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    int64_t a = head_of(ir, node), b = rotary_of(ir, node) / 2;
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_int(ir, k, "HEAD", head_of(ir, node));
    ir_set_int(ir, k, "ROTARY", rotary_of(ir, node));
    ir_set_int(ir, k, "PAIRS", ir_attr_choice(&node->attrs, "pairs", SPEC_HALF) == SPEC_INTERLEAVED);
}

static int64_t chunks(const struct kernel_args *a) { return div_up(args_int(a, "HEAD", 1), class_lanes(a)); }

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_banks(c, chunks(a), 1, 1 + LATENCY_MUL + LATENCY_ADD);
}

// Counts two copies of the bank buffer, because both elements of a pair are read in the same cycle. One copy is enough
// if the elements of a pair are neighbours in a word (`beside`). Also counts a memory for cosines and one for sines,
// each with two banks of rows.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), half = div_up(args_int(a, "ROTARY", 2), 2 * lanes);
    bool beside = args_int(a, "PAIRS", 0) && lanes > 1;
    struct cost_resources row = cost_ram(2 * class_tokens(a) * half, 32 * lanes, RAM_AUTO);
    class_cost_banks(a, chunks(a), r);
    if (!beside) class_cost_banks(a, chunks(a), r);
    cost_add(r, &row, 2);
    if (!row.bram18) r->ff += 64 * lanes;
    cost_per(r, lanes, PER_ROPE_LANE);
    cost_per(r, 1, PER_ROPE_BASE);
}

static enum timing_need need(enum ir_role input) { return input == IR_ROLE_ROW ? TIMING_HELD : TIMING_EACH; }

const struct kernel_class rtl_rope = {.module = "rill_rope",
                                      .traits = KERNEL_FAULT,
                                      .bind = bind,
                                      .whole = whole,
                                      .contract = contract,
                                      .cost = cost,
                                      .need = need};
