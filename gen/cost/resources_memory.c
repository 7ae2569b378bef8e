// SPDX-License-Identifier: Apache-2.0
// The memory side and the control: DMA engines, arbiters, parameter stores, walker, registers, token loop.
#include "formula.h"

static int64_t beat_bits(const struct args *a) { return args_int(a, "BEAT_BITS", 512); }
static int64_t clients(const struct args *a) { return args_int(a, "CLIENTS", 1); }

// ---- DMA ----

void formula_dma_read(const struct args *a, struct cost_resources *r) {
    cost_fifo_add(r, args_int(a, "PREFETCH_BEATS", 0), beat_bits(a), args_style(a, "block"));
    cost_per(r, 1, 235, 320, 0);
}

void formula_dma_write(const struct args *a, struct cost_resources *r) {
    cost_fifo_add(r, args_int(a, "BUFFER_BEATS", 2 * args_int(a, "MAX_BURST", 16)), beat_bits(a),
                  args_style(a, "distributed"));
    cost_per(r, 1, 230, 328, 0);
}

void formula_axi_read_arbiter(const struct args *a, struct cost_resources *r) {
    cost_per(r, clients(a), 62, 2, 0), cost_per(r, 1, 40, 72, 0);
}

// The beats of three clients meet in one LUT per bit.
void formula_axi_write_arbiter(const struct args *a, struct cost_resources *r) {
    cost_per(r, beat_bits(a) * div_up(clients(a), 3), 1, 0, 0);
    cost_per(r, clients(a), 60, 1, 0);
    cost_per(r, 1, 50, 89, 0);
}

// Two groups per token are buffered; a group is a beat or a chunk, the wider of the two.
void formula_stream_reader(const struct args *a, struct cost_resources *r) {
    int64_t chunk = 32 * args_int(a, "LANES", 1), group = at_least(chunk, beat_bits(a));
    cost_ram_add(r, 2ll << tok_bits(args_int(a, "TOKENS", 1)), group, "distributed", 1);
    cost_per(r, chunk < group ? chunk : 0, 1, 0, 0);
    cost_per(r, 1, 260, 216 + (double)chunk + (double)(group - beat_bits(a)), 1);
}

void formula_stream_writer(const struct args *a, struct cost_resources *r) {
    int64_t chunk = 32 * args_int(a, "LANES", 1), group = at_least(chunk, beat_bits(a));
    int64_t tokens = args_int(a, "TOKENS", 1);
    cost_per(r, group, tokens > 2 ? 1.9 * (double)tokens : 2, 0, 0); // the group of a token with its new chunk
    cost_per(r, 1, 250, 280 + (double)(group * (tokens + 1)), 0);
}

void formula_ring_writer(const struct args *a, struct cost_resources *r) {
    cost_per(r, beat_bits(a), 1.05, 1, 0);
    cost_per(r, 1, 13, 70, 0);
}

// The beat that fills (of a wider word: what leaves, what comes back), the word out; tuser of its firings.
void formula_spill(const struct args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "DATA_W", 1), beat = beat_bits(a), whole = beat / at_least(word, 1),
            parts = div_up(word, beat);
    int64_t firings = args_int(a, "FIRINGS", 1);
    cost_ram_add(r, firings * args_int(a, "WORDS", 1), args_int(a, "USER_W", 1), "distributed", 1);
    if (whole) cost_per(r, beat, 1, 1, 0);
    else cost_per(r, 1, 0, (double)(word + (parts - 1) * beat), 0);
    cost_per(r, 1, 40 + 60 * (double)firings, 160 + (double)word, 0);
}

// ---- parameters ----

// Lines as wide as the wider of beat and word; a line collected, one ahead, one leaving.
void formula_param_store(const struct args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "WORD_W", 1), line = at_least(word, beat_bits(a)),
            lines = div_up(args_int(a, "WORDS", 1), line / at_least(word, 1));
    struct cost_resources ram = cost_ram(lines, line, args_style(a, "auto"));
    cost_add(r, &ram, 1);
    cost_per(r, line > word ? line : 0, ram.bram18 || ram.uram ? 1 : 1.75, 0, 0); // words shifted out of a line
    cost_per(r, 1, 20, 20 + (double)line * (ram.bram18 || ram.uram ? 2 : 3), 0);
}

void formula_param_loader(const struct args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "STORES", 1), 5, 1, 0);
    cost_per(r, 1, 45, (double)beat_bits(a) + 38, 0);
}

void formula_pulse_word(const struct args *a, struct cost_resources *r) { (void)a, cost_per(r, 1, 1, 1, 0); }

// ---- control ----

void formula_segment_walker(const struct args *a, struct cost_resources *r) {
    cost_schedule(r, 192, args_int(a, "ENTRIES", 1), args_int(a, "SECTIONS", 1));
    cost_per(r, 1, 590, 412, 3);
}

void formula_token_loop(const struct args *a, struct cost_resources *r) {
    cost_per(r, beat_bits(a), 0.9, 1, 0);
    cost_per(r, args_int(a, "FAULTS", 1) + args_int(a, "MEMORY_ERRORS", 1), 3.5, 0, 0);
    cost_per(r, args_int(a, "BASES", 1), 1.5, 1, 0);
    cost_per(r, 1, 455, 580, 0);
}

// A base address and two counters of 64 bits per channel.
void formula_axil_regs(const struct args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "CHANNELS", 1), 115, 162, 0);
    cost_per(r, args_int(a, "COUNTERS", 0), 35, 0, 0);
    cost_per(r, 1, 346, 511, 0);
}

void formula_event_counters(const struct args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "EVENTS", 1), 3.3, 65, 0);
}
