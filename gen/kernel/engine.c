// SPDX-License-Identifier: Apache-2.0
// rill_engine: the matrix engine, of its parts: its lanes dominate every design.
#include "gen/kernel/class.h"
#include "include/fields.h"

enum {
    OPERAND_SHIFT = 5,
    OFFSET = 14 /* and a mantissa */,
    COMMAND_BITS = 4 + 35 /* to the lanes of a die, at most */
};
enum { LANE_BEATS = 16, KEY_UNITS = 16, FAN_OUT = IR_LANE_GROUP }; // constants of rill_engine

static int64_t asym(const struct kernel_args *a) { return args_int(a, "ASYM", 0); }
static int64_t x_bits(const struct kernel_args *a) { return args_int(a, "X_BITS", 8); }
static int64_t unit_bits(const struct kernel_args *a) { return class_beat_bits(a) / 8 * x_bits(a); }
static double wide(int64_t bits) { return (double)(bits - 8) / 2; } // pairs of bits more than 8
static int64_t arrays(const struct kernel_args *a) { return args_int(a, "ARRAYS", 1); }

// A multiplier per nibble: two in a DSP, and one for the group scale. As part of a lane.
static void matrix_lane(int64_t beat, int64_t bits, struct cost_resources *r) {
    cost_per(r, beat, 5.15 + 0.4 * wide(bits), 4.1 + 0.85 * wide(bits), 0);
    cost_per(r, 1, 160 + 80 * wide(bits), 420 - 20 * wide(bits), 0);
    r->dsp += beat / 4 + 1;
}

// int4_asym: two multipliers for each 32 weights and token, and their sum; group words on their way.
static void group_terms(int64_t beat, int64_t bits, struct cost_resources *r) {
    cost_per(r, beat, 1.2 + 0.1 * wide(bits), 0.58 + 0.05 * wide(bits), 0);
    r->dsp += beat / 64;
}

static void cost_group_terms(const struct kernel_args *a, struct cost_resources *r) {
    group_terms(class_beat_bits(a), x_bits(a), r);
}

static void groups_of_lane(int64_t beat, int64_t bits, int64_t tokens_at_once, struct cost_resources *r) {
    for (int64_t i = 0; i < tokens_at_once; i++) group_terms(beat, bits, r);
    cost_per(r, beat, 0, 0.5, 0);
    cost_per(r, tokens_at_once, 31, 6, 0);
}

static void cost_matrix_lane(const struct kernel_args *a, struct cost_resources *r) {
    matrix_lane(class_beat_bits(a), x_bits(a), r);
    cost_per(r, class_beat_bits(a), -2, 0, 0); // alone: sums of many are mapped for area, not for speed
    cost_per(r, 1, 139, 0, 0);
    if (asym(a)) groups_of_lane(class_beat_bits(a), x_bits(a), 1, r);
}

// As many multipliers for two tokens, which sum four products in their own adders; wider sums behind them, and all that
// follows twice. As part of a lane.
static void matrix_pair(int64_t beat, int64_t bits, struct cost_resources *r) {
    cost_per(r, beat, 4 + 0.3 * wide(bits), 3.5 + 0.07 * wide(bits), 0);
    cost_per(r, 1, 464, 20 * wide(bits), 0);
    r->dsp += beat / 4 + 2;
}

static void cost_matrix_pair(const struct kernel_args *a, struct cost_resources *r) {
    matrix_pair(class_beat_bits(a), x_bits(a), r);
    cost_per(r, class_beat_bits(a), -1.3, 0, 0); // alone: as above
    cost_per(r, 1, -36, 0, 0);
    if (asym(a)) groups_of_lane(class_beat_bits(a), x_bits(a), 2, r);
}

// Their halves: the multipliers, and the accumulators with as many places as a lane has.
static void cost_lane_products(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a);
    cost_per(r, beat, 5 + 0.4 * wide(x_bits(a)), 4.13 + 0.85 * wide(x_bits(a)), 0);
    cost_per(r, 1, -15, 140, 0);
    r->dsp += beat / 4 + 1;
    if (asym(a)) groups_of_lane(beat, x_bits(a), 1, r);
}

static void cost_pair_products(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a);
    cost_per(r, beat, 3.26 + 0.3 * wide(x_bits(a)), 1.27 + 0.07 * wide(x_bits(a)), 0);
    cost_per(r, 1, -36, 290, 0);
    r->dsp += beat / 4 + 2;
    if (asym(a)) groups_of_lane(beat, x_bits(a), 2, r);
}

static void cost_lane_sums(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, 322, 269, 0);
}

static void cost_pair_sums(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, 1, 655, 476 + 4 * wide(x_bits(a)), 0);
}

static void lane_front(int64_t beat, struct cost_resources *r) {
    cost_fifo_add(r, LANE_BEATS, beat, RAM_DISTRIBUTED);
    cost_per(r, beat, 0.4, 1, 0);
}

static void cost_lane_front(const struct kernel_args *a, struct cost_resources *r) {
    lane_front(class_beat_bits(a), r);
}

// And the waiting beats, the beat register, row parameters and group scales with their selection.
static void engine_lane(int64_t beat, int64_t bits, int64_t scale_beats, int64_t tokens_at_once, bool groups,
                        struct cost_resources *r) {
    if (tokens_at_once > 1) matrix_pair(beat, bits, r);
    else matrix_lane(beat, bits, r);
    lane_front(beat, r);
    if (groups) groups_of_lane(beat, bits, tokens_at_once, r);
    if (groups) cost_per(r, beat, 0.4, 0, 0); // the beat's group words chosen
    if (scale_beats > 1) cost_ram_add(r, scale_beats, beat, RAM_DISTRIBUTED, 1);
    cost_per(r, beat, 0, 1, 0);
    cost_per(r, 1, 20, 70, 0);
}

static void cost_engine_lane(const struct kernel_args *a, struct cost_resources *r) {
    engine_lane(class_beat_bits(a), x_bits(a), args_int(a, "SCALE_BEATS", 1), arrays(a), asym(a), r);
}

static void dequantize(int64_t lanes, struct cost_resources *r) {
    cost_per(r, lanes, 862, 632, 2);
    cost_per(r, 1, 30, 16, 0);
}

static void cost_dequantize(const struct kernel_args *a, struct cost_resources *r) {
    dequantize(args_int(a, "LANES", 1), r);
}

static void offset(int64_t beat, int64_t bits, bool groups, struct cost_resources *r) {
    cost_per(r, beat, 3.84 + 0.84 * wide(bits), 1.25 + 0.17 * wide(bits), 0);
    if (groups) cost_per(r, beat, 0.1, 0.2, 0);
    cost_per(r, 1, 0, 54, 0);
}

static void cost_engine_offset(const struct kernel_args *a, struct cost_resources *r) {
    offset(class_beat_bits(a), x_bits(a), asym(a), r);
}

static void cost_engine_entries(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, 265, 370, 1);
}

static void cost_engine_ctrl(const struct kernel_args *a, struct cost_resources *r) {
    cost_engine_entries(a, r);
    cost_per(r, 1, 285, 330, 0);
}

// Two RAMs of units for each token read at a time; LUTRAM brings its output registers, two of them are inside a block
// RAM.
static void x_buffer(int64_t unit, int64_t tokens, int64_t tokens_at_once, int64_t units, struct cost_resources *r) {
    int64_t words = 1ll << (1 + log2_up(div_up(tokens, tokens_at_once)) + at_least(log2_up(units / 2), 1));
    struct cost_resources ram = cost_ram(words, unit + 8, RAM_AUTO);
    cost_add(r, &ram, 2 * tokens_at_once);
    cost_per(r, 1, 50, 20, 0);
    cost_per(r, tokens, 2, 5, 0);
    if (!ram.bram18) r->ff += 2 * tokens_at_once * (unit + 8);
}

static void cost_x_buffer(const struct kernel_args *a, struct cost_resources *r) {
    x_buffer(unit_bits(a), args_int(a, "TOKENS", 1), arrays(a), args_int(a, "X_UNITS", 2), r);
}

// Operand path: a unit chosen and doubled for int8, its register, and a copy for every FAN_OUT lanes; two tokens are
// packed into 27 bits, and kept apart once more for their offsets. On each die three fourths of them are held back by
// one to three clocks.
static void operand(int64_t unit, int64_t channels, int64_t tokens_at_once, int64_t dies, struct cost_resources *r) {
    bool pair = tokens_at_once > 1;
    cost_per(r, pair ? dies * unit : 0, 0, 3 * (double)tokens_at_once, 0);
    cost_per(r, unit, 1.4 * (double)tokens_at_once + (pair ? 2.25 : 0), 2 * (double)tokens_at_once + (pair ? 4 : 0), 0);
    cost_per(r, div_up(channels, FAN_OUT), 0, (pair ? 6.75 : 2) * (double)unit + 5 * (double)tokens_at_once, 0);
}

int64_t cost_lane_chain_bits(int64_t beat_bits, int64_t mantissa_bits, int64_t arrays) {
    return arrays * (beat_bits / 4 * mantissa_bits + OPERAND_SHIFT + OFFSET + mantissa_bits) + COMMAND_BITS;
}

// Register stages from a command to the lanes and from them to the results, and places for what is on its way.
static int64_t stages_to(const struct kernel_args *a) { return args_int(a, "HOPS", 0); }
static int64_t stages_back(const struct kernel_args *a) { return args_int(a, "RESULT_HOPS", stages_to(a)); }
static int64_t places(const struct kernel_args *a) {
    return args_int(a, "OUT_FIFO",
                    (arrays(a) > 1 ? 48 : 32) + stages_to(a) + stages_back(a) + args_int(a, "PULSE_HOPS", 0));
}

// Registers on the way to lanes on other dies and back.
static void hops(const struct kernel_args *a, int64_t channels, int64_t beat, struct cost_resources *r) {
    double stages = (double)stages_to(a), way = (double)cost_lane_chain_bits(beat, x_bits(a), arrays(a));
    if (asym(a)) way += (double)(arrays(a) * (x_bits(a) + 5) * (beat / 128) + 1);
    cost_per(r, args_int(a, "CHAINS", 1), 0, stages * way, 0);
    cost_per(r, channels, 0, stages * (double)beat, 0);
    cost_per(r, channels, 0, (double)(stages_back(a) * COST_LANE_RESULT_BITS), 0);
}

static void cost_engine(const struct kernel_args *a, struct cost_resources *r) {
    int64_t channels = args_int(a, "CHANNELS", 1), beat = class_beat_bits(a), tokens = args_int(a, "TOKENS", 1),
            units = args_int(a, "X_UNITS", 2), many = arrays(a), key_lanes = tokens < channels ? tokens : channels;
    int64_t groups = div_up(units * (beat / 8), at_least(args_int(a, "GROUP", 128), 1));
    struct cost_resources lane = {0};
    int64_t words = div_up(args_int(a, "ASYM_UNITS", units) / 2 * (beat / 64), 8);
    engine_lane(beat, x_bits(a), asym(a) ? at_least(div_up(groups, 8), words) : div_up(groups, 8), many, asym(a),
                &lane);
    cost_add(r, &lane, channels);
    dequantize(channels, r);
    for (int64_t i = 0; i < many; i++) offset(beat, x_bits(a), asym(a), r);
    cost_engine_ctrl(a, r);
    x_buffer(unit_bits(a), tokens, many, units, r);
    operand(unit_bits(a), channels, many, args_int(a, "CHAINS", 1), r);
    hops(a, channels, beat, r);
    class_cost_schedule(r, 96, args_int(a, "ENTRIES", 1), args_int(a, "SECTIONS", 1));
    class_cost_window_entries(a, 96, r);
    for (int64_t i = 0; args_int(a, "HAS_KV", 1) && i < key_lanes; i++)
        cost_fifo_add(r, KEY_UNITS, beat, RAM_DISTRIBUTED);
    cost_fifo_add(r, places(a), 32 * channels + log2_up(channels + 1) + user_bits(tokens) + 1, RAM_DISTRIBUTED);
    cost_per(r, channels, 15, 8, 0); // joining the arrivals
    cost_per(r, 1, 60, 240, 0);      // the command on its way
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_ENGINE;
    c->channels = args_int(a, "CHANNELS", 1);
    c->units = class_beat_bits(a);
    c->times = arrays(a);
    c->lines = places(a);
    c->banks = 2;
    // From the decision to the output's offer: 1, way to the lanes and lanes 14, of two tokens 16, dequantize 12,
    // FIFO 2.
    c->pipe = (c->times > 1 ? 31 : 29) + stages_to(a) + stages_back(a);
}

const struct kernel_class rtl_dequantize = {.module = "rill_dequantize", .cost = cost_dequantize};
const struct kernel_class rtl_engine_ctrl = {.module = "rill_engine_ctrl", .cost = cost_engine_ctrl};
const struct kernel_class rtl_engine_entries = {.module = "rill_engine_entries", .cost = cost_engine_entries};
const struct kernel_class rtl_engine_lane = {.module = "rill_engine_lane", .cost = cost_engine_lane};
const struct kernel_class rtl_engine_offset = {.module = "rill_engine_offset", .cost = cost_engine_offset};
const struct kernel_class rtl_group_terms = {.module = "rill_group_terms", .cost = cost_group_terms};
const struct kernel_class rtl_lane_front = {.module = "rill_lane_front", .cost = cost_lane_front};
const struct kernel_class rtl_lane_products = {.module = "rill_lane_products", .cost = cost_lane_products};
const struct kernel_class rtl_lane_sums = {.module = "rill_lane_sums", .cost = cost_lane_sums};
const struct kernel_class rtl_pair_products = {.module = "rill_pair_products", .cost = cost_pair_products};
const struct kernel_class rtl_pair_sums = {.module = "rill_pair_sums", .cost = cost_pair_sums};
const struct kernel_class rtl_matrix_lane = {.module = "rill_matrix_lane", .cost = cost_matrix_lane};
const struct kernel_class rtl_matrix_pair = {.module = "rill_matrix_pair", .cost = cost_matrix_pair};
const struct kernel_class rtl_x_buffer = {.module = "rill_x_buffer", .cost = cost_x_buffer};
const struct kernel_class rtl_engine = {.module = "rill_engine", .contract = contract, .cost = cost_engine};
