// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_v_tail, which keeps the values of the newest, incomplete block of 64 positions (the open
// block) on chip and writes complete blocks to memory. kernel_tail gives the places of both.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    int64_t beat_bits = class_beat_bits(a), head_dim = args_int(a, "HEAD_DIM", 1);
    c->machine = TIMING_V_TAIL;
    c->values.layers = args_int(a, "LAYERS", 1);
    c->values.heads = args_int(a, "HEADS", 1);
    c->values.rows = div_up(head_dim, at_least(args_int(a, "CHANNELS", 1), 1));
    c->values.units = div_up(8 * head_dim, beat_bits);
    c->values.beats = beat_bits == 512 ? 1 : 2; // beats of 64 positions
    c->values.reads = args_int(a, "READS", 0);  // reads of the tail in a layer; 0: the kernel does not wait for them
    c->values.reads_alone = args_int(a, "READS_ALONE", 0);
    c->values.every = 6;   // a beat is requested, available 3 cycles later, offered and taken
    c->values.settle = 30; // if no other client reads or writes at the same time
    c->values.release = 3; // tail_valid, read1_q, unread_q
    c->values.by_step = args_int(a, "STEP_READS", 0) != 0;
}

// Returns the rows of a head on a channel.
static int64_t rows_of(const struct kernel_args *a) {
    return div_up(args_int(a, "HEAD_DIM", 1), args_int(a, "CHANNELS", 1));
}

// Returns the words of a lane's memory. A word is a beat: 64 positions of a row take one of 512 bits or two of 256.
static int64_t words_of(const struct kernel_args *a) {
    return class_places(a) * args_int(a, "HEADS", 1) * rows_of(a) * (class_beat_bits(a) < 512 ? 2 : 1);
}

// Adds a lane's memory, in which single bytes are written. In block RAM or UltraRAM each byte takes nine bits; in LUT
// RAM it takes a separate memory.
static void tail_ram(int64_t words, int64_t beat, enum ram_style style, struct cost_resources *r) {
    struct cost_resources bytes = cost_ram(words, 8, style);
    if (!bytes.bram18 && !bytes.uram) {
        cost_add(r, &bytes, beat / 8);
        r->ff += beat; // output register, which a block RAM includes
    } else cost_ram_add(r, words, beat / 8 * 9, style, 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t channels = args_int(a, "CHANNELS", 1), beat = class_beat_bits(a);
    // Bytes of the head whose values are being distributed over the lanes.
    int64_t held = at_least(rows_of(a) * channels, div_up(args_int(a, "HEAD_DIM", 1), beat / 8) * (beat / 8));
    int64_t ultra = args_int(a, "ULTRA", 0);
    struct cost_resources plain = {.ff = 2 * beat}; // the bytes to write, the words read and sent
    cost_per(&plain, 1, PER_V_TAIL_CHANNEL);
    struct cost_resources lane = plain, ultra_lane = plain;
    tail_ram(words_of(a), beat, args_style(a, RAM_AUTO), &lane);
    tail_ram(words_of(a), beat, RAM_ULTRA, &ultra_lane);
    cost_add(r, &lane, channels - ultra);
    cost_add(r, &ultra_lane, ultra);
    cost_per(r, 8 * held, PER_V_TAIL_HELD_BIT);
    cost_per(r, channels, PER_V_TAIL_COPY); // copies of signals that go to all channels
    cost_per(r, 1, PER_V_TAIL_BASE);
    if (args_int(a, "READS", 0) > 0) cost_per(r, 1, PER_V_TAIL_READS); // counters of reads and layers
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){.words = words_of(a),
                                .bits = class_beat_bits(a),
                                .times = args_int(a, "CHANNELS", 1),
                                .mixed = true,
                                .ultra = args_int(a, "ULTRA", 0)};
}

struct kernel_tail kernel_tail(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    int64_t rows = rows_of(&a);
    return (struct kernel_tail){.base = args_address(&a, "V_BASE"),
                                .row = args_address(&a, "V_ROW_STRIDE"),
                                .layer = args_address(&a, "V_LAYER_STRIDE"),
                                .head_rows = rows,
                                .layer_rows = rows * args_int(&a, "HEADS", 1),
                                .lanes = args_int(&a, "CHANNELS", 1),
                                .beat = class_beat_bits(&a) / 8};
}

const struct kernel_class rtl_v_tail = {
    .module = "rill_v_tail",
    .doc = "keeps the open block of values and writes full blocks to the cache in memory",
    .kv = KERNEL_KV_INTEGERS,
    .traits = KERNEL_VALUES,
    .contract = contract,
    .cost = cost,
    .memory = memory};
