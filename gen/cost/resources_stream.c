// SPDX-License-Identifier: Apache-2.0
// Streams and the KV cache: mostly buffers by shape, multiplexers by width.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"

static int64_t tokens(const struct args *a) { return args_int(a, "TOKENS", 1); }
static int64_t beat_bits(const struct args *a) { return args_int(a, "BEAT_BITS", 512); }

// ---- FIFO, fork, join, slice ----

void formula_fifo(const struct args *a, struct cost_resources *r) {
    cost_fifo_add(r, args_int(a, "DEPTH", 0), args_int(a, "DATA_W", 0), args_style(a, "auto"));
}

void formula_fork(const struct args *a, struct cost_resources *r) { cost_per(r, args_int(a, "PORTS", 1), 3.5, 1, 0); }
void formula_join(const struct args *a, struct cost_resources *r) { cost_per(r, args_int(a, "PORTS", 1), 0.5, 0, 0); }

void formula_register_slice(const struct args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "DATA_W", 1), mode = args_int(a, "MODE", 2);
    if (mode == 1) cost_per(r, 1, 2, (double)bits + 1, 0);
    if (mode == 2) cost_per(r, 1, (double)bits + 4, 2 * (double)bits + 3, 0);
}

// ---- schedules and steering ----

// A ROM in LUTs of 64 entries, the entry's register, counters and the step word.
void cost_schedule(struct cost_resources *r, int64_t entry_bits, int64_t entries, int64_t sections) {
    cost_per(r, entry_bits * div_up(entries, 64), 1.05, 0, 0);
    cost_per(r, entry_bits, 0, 1.08, 0);
    cost_per(r, sections, 3, 0, 0);
    cost_per(r, 1, 75, 210, 0);
}

void formula_schedule(const struct args *a, struct cost_resources *r) {
    cost_schedule(r, args_int(a, "ENTRY_W", 1), args_int(a, "ENTRIES", 1), args_int(a, "SECTIONS", 1));
}

// The schedule of 8-bit turns without the step word, which nobody reads, and the turns fetched ahead.
static void turns(const struct args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "PORTS", 1), 4, 0, 0);
    cost_per(r, div_up(args_int(a, "ENTRIES", 1), 64), 10, 0, 0);
    cost_per(r, 1, 90, 85, 0);
}

void formula_stream_demux(const struct args *a, struct cost_resources *r) { turns(a, r); }

// A multiplexer of any number of ports is dearer than one of a power of two.
void formula_stream_mux(const struct args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1, ports = args_int(a, "PORTS", 1);
    turns(a, r);
    cost_per(r, word * ports, (ports & (ports - 1)) == 0 ? 0.5 : 0.76, 0, 0);
}

// Two walks with a step word each ahead, the words of all streams into one FIFO.
void formula_fifo_pool(const struct args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "DATA_W", 1) + 1, ports = args_int(a, "PORTS", 1);
    cost_fifo_add(r, args_int(a, "DEPTH", 0), word, args_style(a, "auto"));
    turns(a, r);
    turns(a, r);
    cost_per(r, word * ports, 0.45, 0, 0);
}

void formula_token_select(const struct args *a, struct cost_resources *r) { (void)a, cost_per(r, 1, 3, 0, 0); }

// ---- converters ----

// A buffer with the register behind it, which a block RAM brings along.
static void buffer(struct cost_resources *r, int64_t words, int64_t bits, const char *style) {
    struct cost_resources ram = cost_ram(words, bits, style);
    cost_add(r, &ram, 1);
    if (!ram.bram18 && !ram.uram) r->ff += bits;
}

static void replay(int64_t depth, int64_t bits, const char *style, struct cost_resources *r) {
    buffer(r, depth, bits, style);
    cost_per(r, log2_up(depth + 1), 3, 3, 0);
    cost_per(r, 1, 10, 0, 0);
}

void formula_replay_buffer(const struct args *a, struct cost_resources *r) {
    replay(args_int(a, "DEPTH", 1), args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1, args_style(a, "auto"), r);
}

void formula_head_replay(const struct args *a, struct cost_resources *r) {
    replay(tokens(a) * args_int(a, "UNITS", 1), args_int(a, "DATA_W", 1) + user_bits(tokens(a)) + 1, "distributed", r);
    cost_per(r, 1, 10, 5, 0);
}

void formula_frame(const struct args *a, struct cost_resources *r) {
    cost_per(r, log2_up(args_int(a, "WORDS", 1) + 1), 2, 1, 0);
}
void formula_view(const struct args *a, struct cost_resources *r) { (void)a, cost_per(r, 1, 2, 0, 0); }

void formula_layout_converter(const struct args *a, struct cost_resources *r) {
    buffer(r, 2 * args_int(a, "BUFFER", 1) * tokens(a), args_int(a, "DATA_W", 1), args_style(a, "auto"));
    cost_per(r, 1, 70, 56, 0);
}

// rill_rotate, yosys: 2:1 multiplexers alone or two in a LUT.
static double rotation(int64_t elements, int64_t bits) {
    return 0.88 * (double)(elements * bits * (1 + log2_up(elements) / 2));
}

// Whether words end with the innermost loop, which stands last in the list's order of loops: highest first.
static bool is_aligned(const struct args *a, int64_t lanes) { return args_item(a, "TRIPS", 0, 0) % lanes == 0; }

// A bank for every lane, what turns words on their way to and from them, and the loops: of the first lane where the
// others follow from it, else of each.
void formula_corner_turn(const struct args *a, struct cost_resources *r) {
    int64_t lanes = at_least(args_int(a, "LANES", 2), 2), bits = args_int(a, "DATA_W", 1),
            rows = div_up(args_int(a, "BUFFER", 1), lanes);
    int64_t log = log2_up(lanes), row = at_least(log2_up(2 * rows), 1), loops = at_least(args_int(a, "LOOPS", 1), 1);
    for (int64_t l = 0; l < lanes; l++) buffer(r, 2 * rows * tokens(a), bits, args_style(a, "auto"));
    if (args_int(a, "PERIOD", 0)) cost_per(r, 1, rotation(lanes, bits), 0, 0);
    cost_per(r, lanes * row, 0, 1, 0);
    cost_per(r, 1, 60, 45, 0);
    if (is_aligned(a, lanes)) {
        cost_per(r, 1, rotation(lanes, bits + row) + (double)(lanes * row), 0, 0);
        cost_per(r, loops, 40, 18, 0);
        return;
    }
    cost_per(r, lanes * lanes * (bits + row), 0.5, 0, 0);
    cost_per(r, lanes * loops * (row + log), 2.7, 2.6, 0);
}

// Elements that a shifted word can have after a stage of the shifter: the word and the places moved so far.
static int64_t shifted(int64_t in, int64_t out, int stage) { return in + at_most((1ll << (2 * stage)) - 1, out - 1); }

// rill_width_gear: masked word, shifter of 4:1 stages, join with the token's rest, buffer of four row-steps, output.
void formula_width_converter(const struct args *a, struct cost_resources *r) {
    enum { LINES = 4 };
    int64_t in = args_int(a, "IN_ELEMS", 1), out = at_least(args_int(a, "OUT_ELEMS", 1), 1),
            bits = args_int(a, "ELEM_W", 32);
    if (args_int(a, "DENSE", 0) && in == out) return cost_per(r, in * bits, 1, 0, 0);
    int64_t stages = div_up(log2_up(out), 2), line = in + out - 1, banks = 1ll << tok_bits(tokens(a)), moved = 0;
    for (int s = 1; s <= stages; s++) moved += shifted(in, out, s);
    cost_per(r, bits * (in + moved + line + at_most(out, in - 1) + out), 0, 1, 0);
    struct cost_resources lut = {.lut = bits * (in + moved + out)}; // mask, shifts, join
    int64_t chunks = (in + 2 * out - 2) / out;
    cost_per(&lut, bits * out, (double)div_up(chunks - 2, 3) + (double)div_up(chunks, 4), 0,
             0); // the new rest, the chunk that leaves
    cost_ram_add(&lut, banks, bits * out, "distributed", 1);
    cost_ram_add(&lut, LINES * banks, bits * line, "distributed", 1);
    cost_per(r, lut.lut, 1.28, 0, 0);
    cost_per(r, 1, 60, 47, 0);
}

// ---- KV cache ----

// A RAM per lane, written one lane at a time.
void formula_kv_scale(const struct args *a, struct cost_resources *r) {
    int64_t lanes = args_int(a, "LANES", 1), chunks = div_up(args_int(a, "CONTEXT", 1), lanes);
    struct cost_resources ram =
        cost_ram(args_int(a, "LAYERS", 1) * args_int(a, "HEADS", 1) * chunks, 32, args_style(a, "auto"));
    cost_add(r, &ram, lanes);
    cost_per(r, lanes, 30, 65 + (ram.bram18 || ram.uram ? 0 : 32), 0);
    cost_per(r, 1, 95, 150, 0);
}

void formula_k_writer(const struct args *a, struct cost_resources *r) {
    cost_per(r, beat_bits(a), 1.2, 3.1, 0); // the unit, its place in the beat, the beat
    cost_per(r, args_int(a, "CHANNELS", 1), 5.5, 2.5, 0);
    cost_per(r, 1, 150, 265, 0);
}

// A lane's words of single bytes to write: nine bits of a block RAM for each byte, whole LUTRAMs else.
static void tail_ram(int64_t words, int64_t beat, const char *style, struct cost_resources *r) {
    struct cost_resources bytes = cost_ram(words, 8, style);
    if (!bytes.bram18 && !bytes.uram) {
        cost_add(r, &bytes, beat / 8);
        r->ff += beat; // the register that a block RAM has
    } else cost_ram_add(r, words, beat / 8 * 9, style, 1);
}

void formula_v_tail(const struct args *a, struct cost_resources *r) {
    int64_t channels = args_int(a, "CHANNELS", 1), beat = beat_bits(a), head = args_int(a, "HEAD_DIM", 1);
    int64_t rows = div_up(head, channels), held = at_least(rows * channels, div_up(head, beat / 8) * (beat / 8));
    struct cost_resources lane = {.lut = beat, .ff = 2 * beat + 16}; // the byte to write, the words read and sent
    tail_ram(args_int(a, "LAYERS", 1) * args_int(a, "HEADS", 1) * rows * (beat < 512 ? 2 : 1), beat,
             args_style(a, "auto"), &lane);
    cost_add(r, &lane, channels);
    cost_per(r, 8 * held, 1.2, 1, 0);
    cost_per(r, channels, 14, 11, 0); // copies of what goes to all
    cost_per(r, 1, 80, 260, 0);
    if (args_int(a, "READS", 0) > 0) cost_per(r, 1, 35, 43, 0); // counters of reads and layers
}

void formula_kv_tracker(const struct args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "COUNT_W", 1); // three counts for each engine
    cost_per(r, args_int(a, "K_WRITERS", 1) + args_int(a, "V_WRITERS", 1), 6.4 * (double)bits, 3 * (double)bits + 1, 0);
    cost_per(r, 1, 60, 226, 0);
}
