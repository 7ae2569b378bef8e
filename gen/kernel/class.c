// SPDX-License-Identifier: Apache-2.0
// Functions that several kernel classes share (gen/kernel/class.h). The cycles of contracts are those that the header
// comments of the modules state (rtl-templates/) and that the modules' benches measure. Their division into stages
// follows the Verilog.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

// ---- contracts ----

void class_pipe(struct timing_contract *c, int64_t latency) {
    c->machine = TIMING_PIPE;
    c->stages = latency;
}

// The contract of two banks that are filled in turn. A group's first word is read at the earliest `delay` + 1 cycles
// after the group's last word has arrived, and its data are available one cycle later. A bank may be written again 2
// cycles after its last word was read.
void class_banks(struct timing_contract *c, int64_t rows, int64_t delay, int64_t stages) {
    c->machine = TIMING_BANKS;
    c->stages = 1 + stages;
    c->banks = (struct timing_banks){.rows = rows, .banks = 2, .release = 2, .ready = delay + 1, .pack = 1};
}

void class_norm(const struct kernel_args *a, struct timing_contract *c, int64_t finish, int64_t stages) {
    class_banks(c, class_chunks(a), class_levels(a) + LATENCY_NORM_SUMS + finish - 1, stages);
}

int64_t class_max_delay(const struct kernel_args *a) { return class_levels(a) > 2 ? class_levels(a) - 1 : 1; }

void class_units(const struct kernel_args *a, struct timing_contract *c) {
    c->banks.by_token = true;
    c->banks.pack = at_least(class_beat_bits(a) / 8 / class_lanes(a), 1);
}

// The header of rill_replay_buffer gives the latency (`ready` + `stages`) and when the next firing may enter
// (`release`).
void class_replay(const struct kernel_args *a, struct timing_contract *c) {
    c->machine = TIMING_REPLAY;
    c->stages = 1;
    c->replay = (struct timing_replay){.banks = 1,
                                       .ready = 1,
                                       .release = 2,
                                       .times = args_int(a, "REPLAYS", 1),
                                       .units = args_int(a, "UNITS", 0),
                                       .together = args_int(a, "TOGETHER", 1)};
}

// Returns the product of the loops' trip counts (TRIPS), or the fallback if there is no list. A product above 2^20 is
// not multiplied further.
static int64_t trips(const struct kernel_args *a, int64_t fallback) {
    int64_t product = 1, trip;
    for (int loop = 0; product <= 1 << 20 && (trip = args_item(a, "TRIPS", loop, 0)) > 0; loop++) product *= trip;
    return args_item(a, "TRIPS", 0, 0) > 0 ? product : fallback;
}

// A bank that is filled can be read one cycle later (full_q), and one that is read can be filled one cycle later
// (open_q).
void class_layout(const struct kernel_args *a, struct timing_contract *c) {
    c->machine = TIMING_LAYOUT;
    int64_t rows = args_int(a, "BUFFER", 1);
    c->stages = 1;
    c->layout = (struct timing_layout){.rows = rows,
                                       .banks = 2,
                                       .ready = 1,
                                       .release = 1,
                                       .reads = trips(a, rows),
                                       .groups = args_int(a, "ROUNDS", 1)};
}

// `ask` counts S_PLACE and S_RUN of rill_stream_reader, or desc_valid_q and the register slice of rill_stream_writer.
void class_rows(const struct kernel_args *a, struct timing_contract *c) {
    int64_t chunk_bits = 32 * class_lanes(a), beat_bits = class_beat_bits(a);
    c->stages = 1;
    c->rows = (struct timing_rows){.rows = args_int(a, "CHUNKS", 1),
                                   .group = at_least(beat_bits / chunk_bits, 1),
                                   .beats = at_least(chunk_bits / beat_bits, 1),
                                   .ask = 2,
                                   .ready = 1};
}

// ---- resources ----

void class_cost_select(struct cost_resources *r, int64_t bits, int64_t words) {
    int64_t fours = div_up(words, 4);
    if (words > 1) r->lut += bits * (fours > 1 ? fours + 1 : 1);
}

// Adds two banks that each store `chunks` chunks of every token. LUTRAM needs an output register, which a block RAM
// includes.
void class_cost_banks(const struct kernel_args *a, int64_t chunks, struct cost_resources *r) {
    struct cost_resources ram = cost_ram(2 * class_tokens(a) * chunks, 32 * class_lanes(a), RAM_AUTO);
    cost_add(r, &ram, 1);
    if (!ram.bram18) r->ff += 32 * class_lanes(a);
}

// Adds a memory with its output register, which block RAM and UltraRAM include.
void class_cost_buffer(struct cost_resources *r, int64_t words, int64_t bits, enum ram_style style) {
    struct cost_resources ram = cost_ram(words, bits, style);
    cost_add(r, &ram, 1);
    if (!ram.bram18 && !ram.uram) r->ff += bits;
}

void class_cost_replay(struct cost_resources *r, int64_t depth, int64_t bits, enum ram_style style) {
    class_cost_buffer(r, depth, bits, style);
    cost_per(r, log2_up(depth + 1), PER_REPLAY_COUNTER_BIT);
    cost_per(r, 1, PER_REPLAY_BASE);
}

// Adds the table as a ROM of LUTs with 64 entries each, the register of the present entry, the counters and the
// register of the step word.
void class_cost_schedule(struct cost_resources *r, int64_t entry_bits, int64_t entries, int64_t sections) {
    cost_per(r, entry_bits * div_up(entries, 64), PER_SCHEDULE_TABLE_BIT);
    cost_per(r, entry_bits, PER_SCHEDULE_ENTRY_BIT);
    cost_per(r, sections, PER_SCHEDULE_SECTION);
    cost_per(r, 1, PER_SCHEDULE_BASE);
}

// Adds rill_turns: a schedule with entries of 8 bits, without the register of the step word, which is unused, and the
// registers of entries that are read ahead.
void class_cost_turns(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_ports(a), PER_TURNS_PORT);
    cost_per(r, div_up(args_int(a, "ENTRIES", 1), 64), PER_TURNS_TABLE);
    cost_per(r, 1, PER_TURNS_BASE);
}

// ---- parameters that most modules have, for other code (kernel.h) ----

int64_t kernel_ports(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return class_ports(&a);
}

int64_t kernel_tokens(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return class_tokens(&a);
}

int64_t kernel_offset(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_address(&a, "OFFSET");
}

bool kernel_is_together(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_value(&a, "TOGETHER") != NULL;
}

int64_t kernel_together(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_int(&a, "TOGETHER", 0);
}

bool kernel_takes_whole(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_int(&a, "ROUNDS", 0) == 1;
}

enum ram_style kernel_style(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_style(&a, RAM_AUTO);
}

int64_t kernel_ultra(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_int(&a, "ULTRA", 0);
}
