// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_engine, the matrix engine, and costs of its parts. The cost of the engine is the sum
// of its parts, because its lanes dominate every design. docs/engine.md describes the parts.
#include "gen/kernel/class.h"
#include "gen/ir/fields.h"

enum {
    OPERAND_SHIFT = 5, // bits of the exponent of a token's block
    OFFSET = 14 /* bits of a sum of x beyond those of a mantissa */,
    COMMAND_BITS = 4 + 35 /* most bits of a command to the lanes of a die */,
    UNIT_SHIFT = 8,      // bits of a unit's exponent in the operand buffer
    ROW_PARAMETERS = 64, // bits of the scale and the bias of a row
    BANK_BITS = 2,       // further bits of a command with two banks of results
    SLICE_CONTROLS = 3   // valid, half, int4 (rill_x_slice)
};
enum { LANE_BEATS = 16, KEY_UNITS = 16, FAN_OUT = IR_LANE_GROUP }; // constants of rill_engine

// These return 1 if the engine supports int4_asym, else 0; the bits of a mantissa; and the bits of a unit of the
// operand, which has a mantissa for each byte of a beat.
static int64_t asym(const struct kernel_args *a) { return args_int(a, "ASYM", 0); }
static int64_t x_bits(const struct kernel_args *a) { return args_int(a, "X_BITS", 8); }
static int64_t unit_bits(const struct kernel_args *a) { return class_beat_bits(a) / 8 * x_bits(a); }
// Returns by how many pairs of bits a mantissa is wider than 8 bits. Terms *_WIDE of the costs are for each such pair.
static double wide(int64_t bits) { return (double)(bits - 8) / 2; }
// Returns the number of tokens that are computed at a time. Modules that work on pairs of tokens have the parameter
// PAIRS.
static int64_t copies(const struct kernel_args *a) {
    return args_int(a, "TURN_TOKENS", at_least(2 * args_int(a, "PAIRS", 0), 1));
}

static int64_t pairs_of(int64_t tokens_at_once) { return tokens_at_once / 2; }

// Returns the products of a multiplier per cycle: 2 if the multiplier serves two pairs of tokens, or both nibbles of a
// byte; else 1.
static int64_t pump(const struct kernel_args *a) { return args_int(a, "PUMP", pairs_of(copies(a)) > 1 ? 2 : 1); }

// Returns the additional pipeline stages of multipliers that work twice in a cycle, on a second clock. If a multiplier
// tree sums few products, crossing to that clock takes longer than the adders that it saves (PAIR_MORE of
// rill_pair_skew.vh).
static int64_t pair_more(const struct kernel_args *a) { return pump(a) < 2 ? 0 : x_bits(a) > 8 ? 2 : asym(a) ? 1 : 0; }

// Returns whether the multipliers sum their products in trees (rill_matrix_pair). Weights are then signed.
static bool in_trees(const struct kernel_args *a) { return copies(a) > 1 || pump(a) > 1; }

// Returns the multipliers of a lane for this number of token pairs. Each nibble of a beat and each pair needs one
// product; a multiplier makes `pump` products per cycle.
static int64_t multipliers(int64_t beat, int64_t pairs, int64_t pump) { return beat / 4 * at_least(pairs, 1) / pump; }

// Adds the multipliers of a lane: one per nibble, each a DSP, and one for the group scale.
static void matrix_lane(int64_t beat, int64_t bits, struct cost_resources *r) {
    cost_mix(r, beat, 1, PER_LANE_BIT, wide(bits), PER_LANE_BIT_WIDE);
    cost_mix(r, 1, 1, PER_LANE_BASE, wide(bits), PER_LANE_WIDE);
    r->dsp += beat / 4 + 1;
}

// Adds the part for int4_asym: two multipliers for each 32 weights and token, their sum, and the pipeline of group
// words.
static void group_terms(int64_t beat, int64_t bits, struct cost_resources *r) {
    cost_mix(r, beat, 1, PER_GROUP_TERMS_BIT, wide(bits), PER_GROUP_TERMS_BIT_WIDE);
    r->dsp += beat / 64;
}

static void cost_group_terms(const struct kernel_args *a, struct cost_resources *r) {
    group_terms(class_beat_bits(a), x_bits(a), r);
}

// Adds the logic of int4_asym in a lane for so many tokens.
static void groups_of_lane(int64_t beat, int64_t bits, int64_t tokens_at_once, struct cost_resources *r) {
    for (int64_t i = 0; i < tokens_at_once; i++) group_terms(beat, bits, r);
    cost_per(r, beat, PER_GROUP_WORDS_BIT);
    cost_per(r, tokens_at_once, PER_GROUP_WORDS_TOKEN);
}

// Adds the multipliers for one or two pairs of tokens and the trees in which they sum their products. A tree for a
// whole beat is made of the DSPs' own adders and needs no further logic. Trees for groups of weights, or with 10-bit
// mantissas for each 4 bytes, need some logic. The figures hold for a lane in the engine.
static void pair_adders(int64_t beat, int64_t bits, int64_t pairs, int64_t pump, bool groups,
                        struct cost_resources *r) {
    if (groups || bits > 8) cost_per(r, pairs * beat, bits > 8 ? PER_TREES_OF_FOUR_BIT : PER_TREES_OF_GROUPS_BIT);
    r->dsp += multipliers(beat, pairs, pump) + 2 * pairs;
}

// Returns the bits of the sums that the multipliers make of a beat for two tokens: sums of low nibbles and of high
// ones, each from a tree for the whole beat, from trees for each 32 weights (groups), or from trees for each 4 bytes
// (10-bit mantissas).
static int64_t tree_sums_bits(int64_t beat, int64_t bits, bool groups) {
    int64_t trees = bits > 8 ? beat / 32 : groups ? beat / 128 : 1;
    return 4 * trees * (bits + (bits > 8 ? 6 : groups ? 8 : beat == 512 ? 10 : 9));
}

// Adds the logic that four tokens need beyond two in the half of a lane with the multipliers. The sums of both pairs
// wait for one another in registers: in three stages if the height of the trees is odd, otherwise in four.
static void second_pair(int64_t beat, int64_t bits, bool groups, struct cost_resources *r) {
    int64_t waiting = bits > 8 || groups || beat == 512 ? 4 : 3;
    cost_per(r, beat, PER_SECOND_PAIR_BIT);
    cost_per(r, 1, PER_SECOND_PAIR);
    r->ff += waiting * tree_sums_bits(beat, bits, groups);
}

// Adds the further logic in the half of a lane with the multipliers if a multiplier takes both nibbles of a byte: the
// selection of its weight, registers in which high nibbles wait, and registers in which both sums wait for one another.
static void both_nibbles(int64_t beat, int64_t bits, bool groups, struct cost_resources *r) {
    int64_t halves = bits > 8 || groups || beat == 512 ? 4 : 3; // half stages: registers for one of the two sums
    cost_per(r, beat, PER_BOTH_NIBBLES_BIT);
    r->ff += halves * tree_sums_bits(beat, bits, groups) / 2;
}

// Adds the logic for the second product of a multiplier in a cycle, if it makes two.
static void second_product(int64_t beat, int64_t bits, int64_t pairs, int64_t pump, bool groups,
                           struct cost_resources *r) {
    if (pairs > 1) second_pair(beat, bits, groups, r);
    else if (pump > 1) both_nibbles(beat, bits, groups, r);
}

// Adds the accumulators of a lane for pairs of tokens.
static void pair_sums(int64_t bits, int64_t pairs, struct cost_resources *r) {
    cost_mix(r, pairs, 1, PER_PAIR_SUMS_PAIR, wide(bits), PER_PAIR_SUMS_PAIR_WIDE);
    cost_per(r, 1, PER_PAIR_SUMS_BASE);
}

// Adds the multipliers and accumulators of a lane for pairs of tokens.
static void matrix_pair(int64_t beat, int64_t bits, int64_t pairs, int64_t pump, bool groups,
                        struct cost_resources *r) {
    cost_per(r, beat, PER_PAIR_BIT);
    cost_mix(r, 1, 1, PER_PAIR_BASE, wide(bits), PER_PAIR_WIDE);
    pair_adders(beat, bits, pairs, pump, groups, r);
    second_product(beat, bits, pairs, pump, groups, r);
    if (pairs < 2) return;
    pair_sums(bits, pairs, r);
    struct cost_resources one = {0}; // the sums of one pair, which PER_PAIR_* includes already
    pair_sums(bits, 1, &one);
    cost_add(r, &one, -1);
}

// Adds the multipliers and sums of a lane for a single token if a multiplier takes both nibbles of a byte. The figures
// hold for a lane in the engine.
static void single_in_trees(int64_t beat, int64_t bits, bool groups, struct cost_resources *r) {
    matrix_pair(beat, bits, 1, 2, groups, r);
    cost_per(r, 1, PER_SINGLE_IN_TREES);
    r->dsp--;
}

static void cost_matrix_lane(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a), bits = x_bits(a);
    bool trees = in_trees(a);
    if (trees) single_in_trees(beat, bits, asym(a), r);
    else matrix_lane(beat, bits, r);
    // Synthesized as a module by itself, which is how the measurements check this formula, sums of many terms are
    // mapped for area instead of speed.
    cost_per(r, beat, trees ? PER_TREES_ALONE_BIT : PER_LANE_ALONE_BIT);
    cost_per(r, 1, trees ? PER_TREES_ALONE : PER_LANE_ALONE);
    if (asym(a)) groups_of_lane(class_beat_bits(a), x_bits(a), 1, r);
}

static void cost_matrix_pair(const struct kernel_args *a, struct cost_resources *r) {
    int64_t many = at_least(copies(a), 2);
    matrix_pair(class_beat_bits(a), x_bits(a), pairs_of(many), pump(a), asym(a), r);
    cost_per(r, class_beat_bits(a), PER_TREES_ALONE_BIT); // for area, as in cost_matrix_lane
    cost_per(r, 1, PER_TREES_ALONE);
    if (asym(a)) groups_of_lane(class_beat_bits(a), x_bits(a), many, r);
}

// The next functions add the costs of the two halves of a cut lane: the multipliers (products), and the accumulators
// (sums).
static void cost_lane_products(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a);
    cost_mix(r, beat, 1, PER_LANE_PRODUCTS_BIT, wide(x_bits(a)), PER_LANE_BIT_WIDE);
    cost_per(r, 1, PER_LANE_PRODUCTS_BASE);
    r->dsp += beat / 4 + 1;
    if (asym(a)) groups_of_lane(beat, x_bits(a), 1, r);
}

static void cost_pair_products(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a), pairs = at_least(pairs_of(copies(a)), 1);
    cost_per(r, beat, PER_PAIR_PRODUCTS_BIT);
    cost_per(r, 1, PER_PAIR_PRODUCTS_BASE);
    pair_adders(beat, x_bits(a), pairs, pump(a), asym(a), r);
    if (asym(a)) groups_of_lane(beat, x_bits(a), 2 * pairs, r);
    second_product(beat, x_bits(a), pairs, pump(a), asym(a), r);
}

static void cost_lane_sums(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, PER_LANE_SUMS);
}

static void cost_pair_sums(const struct kernel_args *a, struct cost_resources *r) {
    pair_sums(x_bits(a), at_least(pairs_of(copies(a)), 1), r);
}

// Adds the FIFO in which a lane's beats wait.
static void lane_front(int64_t beat, struct cost_resources *r) {
    cost_fifo_add(r, LANE_BEATS, beat, RAM_DISTRIBUTED);
    cost_per(r, beat, PER_LANE_FRONT_BIT);
}

static void cost_lane_front(const struct kernel_args *a, struct cost_resources *r) {
    lane_front(class_beat_bits(a), r);
}

// Adds a lane of the engine: multipliers and sums, the FIFO in which beats wait, the register of the present beat, and
// row parameters and group scales with their selection.
static void engine_lane(const struct kernel_args *a, int64_t scale_beats, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a), bits = x_bits(a), tokens_at_once = copies(a);
    bool groups = asym(a);
    if (tokens_at_once > 1) matrix_pair(beat, bits, pairs_of(tokens_at_once), pump(a), groups, r);
    else if (pump(a) > 1) single_in_trees(beat, bits, groups, r);
    else matrix_lane(beat, bits, r);
    lane_front(beat, r);
    cost_per(r, beat, PER_ENGINE_LANE_SHARED_BIT); // selections that share logic with those in the multipliers
    if (groups) groups_of_lane(beat, bits, tokens_at_once, r);
    if (groups) cost_per(r, beat, PER_ENGINE_LANE_GROUP_BIT); // selection of the beat's group words
    if (scale_beats > 1) cost_ram_add(r, scale_beats, beat, RAM_DISTRIBUTED, 1);
    cost_per(r, beat, PER_ENGINE_LANE_BIT);
    cost_per(r, 1, PER_ENGINE_LANE_BASE);
}

static void cost_engine_lane(const struct kernel_args *a, struct cost_resources *r) {
    engine_lane(a, args_int(a, "SCALE_BEATS", 1), r);
}

static void dequantize(int64_t lanes, struct cost_resources *r) {
    cost_per(r, lanes, PER_DEQUANTIZE_LANE);
    cost_per(r, 1, PER_DEQUANTIZE_BASE);
}

static void cost_dequantize(const struct kernel_args *a, struct cost_resources *r) {
    dequantize(args_int(a, "LANES", 1), r);
}

// Adds the sums of a token's x (rill_engine_offset), by which the lanes correct products of unsigned weights and which
// int4_asym multiplies by the offsets of groups.
static void offset(int64_t beat, int64_t bits, bool groups, struct cost_resources *r) {
    cost_mix(r, beat, 1, PER_OFFSET_BIT, wide(bits), PER_OFFSET_BIT_WIDE);
    if (groups) cost_per(r, beat, PER_OFFSET_GROUP_BIT);
    cost_per(r, 1, PER_OFFSET_BASE);
}

static void cost_engine_offset(const struct kernel_args *a, struct cost_resources *r) {
    offset(class_beat_bits(a), x_bits(a), asym(a), r);
}

static void cost_engine_entries(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, PER_ENGINE_ENTRIES);
}

static void cost_engine_ctrl(const struct kernel_args *a, struct cost_resources *r) {
    cost_engine_entries(a, r);
    cost_per(r, 1, PER_ENGINE_CTRL);
}

// Returns the bits of an address in the operand buffer: bank, turn (tokens that are computed at a time), pair of units.
static int64_t x_addr_bits(const struct kernel_args *a) {
    return 1 + log2_up(div_up(class_tokens(a), copies(a))) + at_least(log2_up(args_int(a, "X_UNITS", 2) / 2), 1);
}

// Adds two RAMs of units for each token that is read at a time. LUTRAM needs output registers, which a block RAM
// includes.
static void x_ram(const struct kernel_args *a, struct cost_resources *r) {
    int64_t word = unit_bits(a) + UNIT_SHIFT;
    struct cost_resources ram = cost_ram(1ll << x_addr_bits(a), word, RAM_AUTO);
    cost_add(r, &ram, 2 * copies(a));
    if (!ram.bram18) r->ff += 2 * copies(a) * word;
}

// Returns the bits of a write to the operand buffer: a bit per memory, address, unit.
static int64_t x_write_bits(const struct kernel_args *a) {
    return 2 * copies(a) + x_addr_bits(a) + unit_bits(a) + UNIT_SHIFT;
}

// Adds the operand buffer. A write waits in a register. If other dies have copies of the buffer (copied), it waits in a
// second register, and so does the read address.
static void x_buffer(const struct kernel_args *a, bool copied, struct cost_resources *r) {
    x_ram(a, r);
    r->ff += copied ? 2 * x_write_bits(a) + x_addr_bits(a) : x_write_bits(a);
    cost_per(r, 1, PER_X_BUFFER_BASE);
    cost_per(r, class_tokens(a), PER_X_BUFFER_TOKEN);
}

static void cost_x_buffer(const struct kernel_args *a, struct cost_resources *r) {
    x_buffer(a, args_int(a, "COPIED", 0) != 0, r);
}

// Adds the logic that makes the operand of a beat (a slice): selection of a unit, its doubling for int8, zeros for an
// absent token, and the register. As a module by itself it takes more than in the engine.
static void x_slice(const struct kernel_args *a, struct cost_resources *r) {
    cost_mix(r, unit_bits(a), (double)copies(a), PER_X_SLICE_BIT, 1, PER_X_SLICE_SHARED_BIT);
}

static void cost_x_ram(const struct kernel_args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "UNIT_BITS", 1) + UNIT_SHIFT;
    struct cost_resources ram = cost_ram(1ll << args_int(a, "ADDR_W", 1), word, RAM_AUTO);
    cost_add(r, &ram, 2 * copies(a));
    if (!ram.bram18) r->ff += 2 * copies(a) * word;
}

static void cost_x_slice(const struct kernel_args *a, struct cost_resources *r) { x_slice(a, r); }

// Adds a copy of the operand buffer for the lanes on another die, without its register stages.
static void x_copy(const struct kernel_args *a, struct cost_resources *r) {
    x_ram(a, r);
    x_slice(a, r);
}

// Adds the path of the operand to the lanes: the selection of a unit, its doubling for int8, its register, and a copy
// of the register for every FAN_OUT lanes (two copies if there are more than FAN_OUT / 2 lanes). Each two tokens are
// packed into 27 bits. int4_asym needs the elements also separately, for their sums. On each die, half of the operand
// is delayed by a cycle or more; a delay of three cycles or more takes shift registers. dies: dies with multipliers.
static void operand(const struct kernel_args *a, int64_t channels, int64_t dies, struct cost_resources *r) {
    int64_t unit = unit_bits(a), many = copies(a);
    double pairs = (double)pairs_of(many), held = in_trees(a) ? (double)many / 2 : 0;
    cost_times(r, dies * unit, held, x_bits(a) > 8 ? PER_OPERAND_HELD_WIDE_BIT : PER_OPERAND_HELD_BIT);
    cost_mix(r, unit, (double)many, PER_OPERAND_TOKEN_BIT, pairs,
             asym(a) ? PER_OPERAND_PAIR_ASYM_BIT : PER_OPERAND_PAIR_BIT);
    int64_t operands = div_up(channels, FAN_OUT) * (channels > FAN_OUT / 2 ? 2 : 1);
    cost_times(r, operands, (many > 1 ? pairs : 1) * (double)unit,
               many > 1 ? PER_OPERAND_COPY_PAIR_BIT : PER_OPERAND_COPY_BIT);
    cost_per(r, operands * many, PER_OPERAND_COPY_TOKEN);
}

// Returns whether lanes need the sum of x of a whole beat to correct for unsigned weights. In trees the weights are
// signed, so that only the groups of int4_asym need sums of x.
static bool has_offset(const struct kernel_args *a) { return !in_trees(a); }

// Returns the bits of all sums of x that go to the lanes with a command.
static int64_t offset_bits(const struct kernel_args *a) {
    int64_t sums = asym(a) ? (x_bits(a) + 5) * (class_beat_bits(a) / 128) : 0;
    return copies(a) * sums + (has_offset(a) ? OFFSET + x_bits(a) : 0);
}

// Returns the bits that tell which tokens, of those that are computed at a time, are present besides the first one.
static int64_t others(const struct kernel_args *a) { return at_least(copies(a) - 1, 1); }

// These return the bits of a chain (the signals from the engine to the lanes of a die) that are for the operand. On the
// engine's die these are the slice of a beat; on another die they are the signals that fill and read the copy of the
// operand buffer.
static int64_t slice_bits(const struct kernel_args *a) { return copies(a) * (2 * unit_bits(a) + OPERAND_SHIFT); }
static int64_t copy_bits(const struct kernel_args *a) {
    return x_write_bits(a) + x_addr_bits(a) + SLICE_CONTROLS + others(a);
}

// Returns the bits of a command. With four tokens, results have two banks, which need further bits.
static int64_t command_bits(const struct kernel_args *a) {
    return COMMAND_BITS - 1 + others(a) + (pairs_of(copies(a)) > 1 ? BANK_BITS : 0);
}

// Returns the bits of a chain to whole lanes. away: they are on another die than the engine.
static int64_t chain_bits(const struct kernel_args *a, bool away) {
    return command_bits(a) + offset_bits(a) + (away ? copy_bits(a) : slice_bits(a));
}

int64_t cost_lane_chain_bits(const struct ir_kernel *engine) {
    const struct kernel_args args = {engine->param, engine->params};
    return chain_bits(&args, true);
}

// Returns the bits of a chain to a die that has only the sums of cut lanes: the command and the exponents.
static int64_t sums_chain_bits(const struct kernel_args *a) { return command_bits(a) + copies(a) * OPERAND_SHIFT; }

int64_t cost_sums_chain_bits(const struct ir_kernel *engine) {
    const struct kernel_args args = {engine->param, engine->params};
    return sums_chain_bits(&args);
}

// Returns the bits from a cut lane's multipliers to its sums: a term for each token, and param_bits bits per cycle of
// the row parameters.
static int64_t term_bits(const struct kernel_args *a, int64_t param_bits) {
    return copies(a) * (x_bits(a) + 26) + param_bits;
}

int64_t cost_lane_term_bits(const struct ir_kernel *engine, int param_bits) {
    const struct kernel_args args = {engine->param, engine->params};
    return term_bits(&args, param_bits);
}

struct cost_resources cost_lane_copy(const struct ir_kernel *engine) {
    const struct kernel_args args = {engine->param, engine->params};
    struct cost_resources r = {0};
    x_copy(&args, &r);
    return r;
}

// Returns the number of chains whose die has a copy of the operand buffer: the bits that are set in CHAIN_AWAY.
static int64_t dies_away(const struct kernel_args *a) {
    int64_t away = args_int(a, "CHAIN_AWAY", 0), dies = 0;
    for (; away; away >>= 1) dies += away & 1;
    return dies;
}

// These return the register stages from the engine to the lanes, the register stages from the lanes to the results, and
// the depth of the FIFO of results, which must have a place for every word in flight.
static int64_t stages_to(const struct kernel_args *a) { return args_int(a, "HOPS", 0); }
static int64_t stages_back(const struct kernel_args *a) { return args_int(a, "RESULT_HOPS", stages_to(a)); }
static int64_t places(const struct kernel_args *a) {
    return args_int(a, "OUT_FIFO",
                    (in_trees(a) ? 48 : 32) + stages_to(a) + stages_back(a) + args_int(a, "PULSE_HOPS", 0));
}

// Returns the chain of a group of lanes. The parameter has 4 bits for each group: COPY_CHAIN for the multipliers,
// SUMS_CHAIN for the sums.
static int64_t chain_of(const struct kernel_args *a, const char *name, int64_t group) {
    int64_t multipliers = args_int(a, "COPY_CHAIN", 0);
    return args_int(a, name, multipliers) >> (4 * group) & 15;
}

static bool is_bit(const struct kernel_args *a, const char *name, int64_t bit) {
    return args_int(a, name, 0) >> bit & 1;
}

// Returns whether a chain reaches multipliers of lanes.
static bool multiplies(const struct kernel_args *a, int64_t chain) {
    bool any = false;
    for (int64_t g = 0; g < div_up(args_int(a, "CHANNELS", 1), FAN_OUT); g++)
        any = any || chain_of(a, "COPY_CHAIN", g) == chain;
    return any;
}

static int64_t chains_that_multiply(const struct kernel_args *a) {
    int64_t count = 0;
    for (int64_t n = 0; n < args_int(a, "CHAINS", 1); n++) count += multiplies(a, n);
    return count;
}

// Returns the number of whole lanes on other dies if their beats go there in halves; otherwise 0.
static int64_t lanes_in_halves(const struct kernel_args *a, int64_t channels) {
    int64_t lanes = 0;
    for (int64_t c = 0; c < channels && args_int(a, "HALVES", 0); c++)
        lanes += is_bit(a, "CHAIN_AWAY", chain_of(a, "COPY_CHAIN", c / FAN_OUT));
    return lanes;
}

// Returns the number of cut lanes.
static int64_t lanes_cut(const struct kernel_args *a, int64_t channels) {
    int64_t lanes = 0;
    for (int64_t c = 0; c < channels; c++) lanes += is_bit(a, "EARLY", chain_of(a, "COPY_CHAIN", c / FAN_OUT));
    return lanes;
}

// Returns the bits of a chain that go through register stages.
static int64_t bits_of_chain(const struct kernel_args *a, int64_t chain) {
    if (is_bit(a, "EARLY", chain)) return 0; // the chain has no stages
    return multiplies(a, chain) ? chain_bits(a, is_bit(a, "CHAIN_AWAY", chain)) : sums_chain_bits(a);
}

// Adds the register stages to lanes on other dies and back: commands with operands, beats, terms of cut lanes, and
// results. The sums of a cut lane get a separate command.
static void hops(const struct kernel_args *a, int64_t channels, int64_t beat, struct cost_resources *r) {
    int64_t stages = stages_to(a), cut = lanes_cut(a, channels), halves = lanes_in_halves(a, channels);
    for (int64_t n = 0; n < args_int(a, "CHAINS", 1); n++) r->ff += stages * bits_of_chain(a, n);
    r->ff += (channels - cut - halves) * stages * beat;
    for (int64_t i = 0; i < halves; i++) class_half_hop(beat, stages, r);
    r->ff += cut * (stages * term_bits(a, args_int(a, "PARAM_BITS", ROW_PARAMETERS)) + sums_chain_bits(a));
    r->ff += channels * stages_back(a) * COST_LANE_RESULT_BITS;
}

int64_t cost_engine_twice(const struct ir_kernel *engine) {
    const struct kernel_args args = {engine->param, engine->params};
    if (pump(&args) < 2) return 0;
    return args_int(&args, "CHANNELS", 1) * multipliers(class_beat_bits(&args), pairs_of(copies(&args)), pump(&args));
}

// Returns the bits of a word of results: one fp32 per lane, their number, tuser and tlast.
static int64_t result_bits(const struct kernel_args *a) {
    int64_t channels = args_int(a, "CHANNELS", 1);
    return 32 * channels + log2_up(channels + 1) + user_bits(class_tokens(a)) + 1;
}

struct cost_resources cost_engine_results(const struct ir_kernel *engine) {
    const struct kernel_args args = {engine->param, engine->params};
    return cost_fifo(places(&args), result_bits(&args), RAM_DISTRIBUTED);
}

static void cost_engine(const struct kernel_args *a, struct cost_resources *r) {
    int64_t channels = args_int(a, "CHANNELS", 1), beat = class_beat_bits(a), tokens = args_int(a, "TOKENS", 1),
            units = args_int(a, "X_UNITS", 2), many = copies(a), key_lanes = tokens < channels ? tokens : channels;
    int64_t groups = div_up(units * (beat / 8), at_least(args_int(a, "GROUP", 128), 1));
    struct cost_resources lane = {0};
    int64_t words = div_up(args_int(a, "ASYM_UNITS", units) / 2 * (beat / 64), 8);
    engine_lane(a, asym(a) ? at_least(div_up(groups, 8), words) : div_up(groups, 8), &lane);
    cost_add(r, &lane, channels);
    dequantize(channels, r);
    for (int64_t i = 0; i < many && (has_offset(a) || asym(a)); i++) offset(beat, x_bits(a), asym(a), r);
    cost_engine_ctrl(a, r);
    x_buffer(a, dies_away(a) != 0, r);
    operand(a, channels, chains_that_multiply(a), r);
    for (int64_t i = dies_away(a); i > 0; i--) x_copy(a, r);
    hops(a, channels, beat, r);
    class_cost_schedule(r, ENGINE_BITS, args_int(a, "ENTRIES", 1), args_int(a, "SECTIONS", 1));
    class_cost_window_entries(a, ENGINE_BITS, r);
    for (int64_t i = 0; args_int(a, "HAS_KV", 1) && i < key_lanes; i++)
        cost_fifo_add(r, KEY_UNITS, beat, RAM_DISTRIBUTED);
    cost_fifo_add(r, places(a), result_bits(a), RAM_DISTRIBUTED);
    cost_per(r, channels, PER_ENGINE_ARRIVAL);                // waits until all lanes have a beat
    cost_per(r, 1, PER_ENGINE_COMMAND);                       // pipeline of the command
    r->ff += (args_int(a, "CHAINS", 1) + 1) * (channels + 8); // registers of the reset, for each chain and the rest
}

// ---- one lane, for place-dies ----

struct cost_resources cost_one_lane(const struct ir_kernel *engine) {
    const struct kernel_args args = {engine->param, engine->params};
    struct cost_resources r = {0}, front = {0};
    cost_engine_lane(&args, &r);
    cost_lane_front(&args, &front);
    cost_add(&r, &front, -1);
    cost_dequantize(&args, &r);
    return r;
}

struct cost_resources cost_one_sums(const struct ir_kernel *engine) {
    const struct kernel_args args = {engine->param, engine->params};
    struct cost_resources r = {0};
    if (copies(&args) > 1) cost_pair_sums(&args, &r);
    else cost_lane_sums(&args, &r);
    cost_dequantize(&args, &r);
    return r;
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_ENGINE;
    c->engine.channels = args_int(a, "CHANNELS", 1);
    c->engine.beat_bits = class_beat_bits(a);
    c->engine.copies = copies(a);
    c->engine.results = places(a);
    c->engine.lane_beats = LANE_BEATS;
    c->engine.key_units = KEY_UNITS;
    // Cycles from the decision to take a beat until its result is offered at the output: the decision, the way of the
    // beat into the lanes (BEAT_AT), the lanes, the dequantizers, the FIFO and the register stages between dies.
    enum { BEAT_AT = 5, DEQUANTIZE = LATENCY_FROM_INT + LATENCY_MUL + LATENCY_ADD };
    int64_t lanes = in_trees(a) ? LATENCY_PAIR_PRODUCTS + pair_more(a) + LATENCY_PAIR_SUMS
                                : LATENCY_LANE_PRODUCTS + LATENCY_LANE_SUMS;
    c->stages = 1 + BEAT_AT + lanes + DEQUANTIZE + CYCLES_FIFO + stages_to(a) + stages_back(a);
    c->engine.release = args_int(a, "PULSE_HOPS", 0);
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
const struct kernel_class rtl_x_ram = {.module = "rill_x_ram", .cost = cost_x_ram};
const struct kernel_class rtl_x_slice = {.module = "rill_x_slice", .cost = cost_x_slice};
const struct kernel_class rtl_x_buffer = {.module = "rill_x_buffer", .cost = cost_x_buffer};
const struct kernel_class rtl_engine = {.module = "rill_engine",
                                        .without = "no keys or values in this design",
                                        .kv = KERNEL_KV_INTEGERS,
                                        .traits = KERNEL_MULTIPLIES,
                                        .contract = contract,
                                        .cost = cost_engine};
