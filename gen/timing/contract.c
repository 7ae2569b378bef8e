// SPDX-License-Identifier: Apache-2.0
// The timing contract of every RTL module with streams, one row of the table each. Sources: the modules' headers
// (rtl-templates/), whose benches measure them; the split into stages follows their code.
#include <stdlib.h>
#include <string.h>

#include "cost/args.h"
#include "ir_custom.h"
#include "timing.h"

struct call {
    struct args args;
    struct timing_contract *c;
};

static int64_t arg(const struct call *k, const char *name, int64_t fallback) {
    return args_int(&k->args, name, fallback);
}
static int64_t lanes(const struct call *k) { return at_least(arg(k, "LANES", 1), 1); }
static int64_t levels(const struct call *k) { return log2_up(lanes(k)); }
static int64_t unit_rows(const struct call *k) { return at_least(arg(k, "BEAT_BITS", 512) / 8 / lanes(k), 1); }

// ---- elementwise ----

static void pipe(const struct call *k, int64_t latency) {
    k->c->machine = TIMING_PIPE;
    k->c->pipe = latency;
}
static void add(const struct call *k) { pipe(k, 5); }
static void mul(const struct call *k) { pipe(k, 3); }
static void gelu(const struct call *k) { pipe(k, 42); }
static void silu(const struct call *k) { pipe(k, 25); }
static void scale(const struct call *k) {
    pipe(k, 4);
    k->c->fire = arg(k, "HEADS", 1);
}

// ---- rill_bank_buffer: two banks; a word is issued READY_DELAY + 1 cycles after the group's last word at the
// earliest, its data is there one cycle later; a bank is free for writing 2 cycles after its last word was issued ----

static void banks(const struct call *k, int64_t rows, int64_t ready_delay, int64_t stages) {
    k->c->machine = TIMING_BANKS;
    k->c->rows = rows;
    k->c->banks = 2;
    k->c->release = 2;
    k->c->ready = ready_delay + 1;
    k->c->pipe = 1 + stages;
    k->c->pack = 1;
}
static int64_t max_delay(const struct call *k) {
    return levels(k) > 2 ? levels(k) - 1 : 1;
} // the maximum of a row is in place
static int64_t chunks(const struct call *k) { return div_up(arg(k, "N", 1), lanes(k)); }
static void layernorm(const struct call *k) { banks(k, chunks(k), levels(k) + 32, 17); }
static void rmsnorm(const struct call *k) { banks(k, chunks(k), levels(k) + 28, 7); }
static void units(const struct call *k) {
    k->c->by_token = true;
    k->c->pack = unit_rows(k);
}
static void quantize(const struct call *k) {
    banks(k, div_up(arg(k, "BLOCK", 1), lanes(k)), max_delay(k), 3);
    units(k);
    k->c->pads = true;
    k->c->fire = arg(k, "FIRE_BLOCKS", 0);
}
static void kv_quantize(const struct call *k) {
    banks(k, div_up(arg(k, "HEAD_DIM", 1), lanes(k)), levels(k) + 11, 8);
    units(k);
    k->c->fire = arg(k, "HEADS", 1);
}
static void softmax(const struct call *k) {
    banks(k, 0, max_delay(k), 19);
    k->c->machine = TIMING_SOFTMAX;
    k->c->enter = 3;
    k->c->units = levels(k) + 18; // from a token's last p to its scalar
    k->c->times = 4;              // firings whose scalars have room
    k->c->heads = arg(k, "HEADS", 1);
    k->c->layers = arg(k, "LAYERS", 1);
}
static void argmax(const struct call *k) {
    k->c->machine = TIMING_ARGMAX;
    k->c->banks = 1;
    k->c->pipe = levels(k) + 3;
}

// ---- words of other widths ----

static void width(const struct call *k) {
    k->c->in = arg(k, "IN_ELEMS", 1);
    k->c->out = arg(k, "OUT_ELEMS", 1);
    bool wires = k->c->in == k->c->out && arg(k, "DENSE", 0) == 1;
    k->c->machine = wires ? TIMING_PIPE : TIMING_GEAR;
    k->c->pipe = wires ? 0 : div_up(log2_up(k->c->out), 2) + 2;
    k->c->lines = 4;
    k->c->rows = arg(k, "LAST_WORDS", 0);
    k->c->units = arg(k, "LAST_ELEMS", 0);
}

// ---- steering ----

static void fork_(const struct call *k) { k->c->machine = TIMING_FORK; }
static void mux(const struct call *k) { k->c->machine = TIMING_MUX; }
static void demux(const struct call *k) { k->c->machine = TIMING_DEMUX; }
static void select_(const struct call *k) { k->c->machine = TIMING_SELECT; }
static void slice(const struct call *k) { pipe(k, arg(k, "MODE", 0) ? 1 : 0); }
static void replay(const struct call *k) {
    k->c->machine = TIMING_REPLAY;
    k->c->banks = 1;
    k->c->ready = 1;
    k->c->pipe = 1;
    k->c->release = 2;
    k->c->times = arg(k, "REPLAYS", 1);
    k->c->units = arg(k, "UNITS", 0); // 0: whole firings
}
// Of all loops together; the fallback where there is no list.
static int64_t trips(const struct args *a, int64_t fallback) {
    int64_t product = 1, trip;
    for (int loop = 0; product <= 1 << 20 && (trip = args_item(a, "TRIPS", loop, 0)) > 0; loop++) product *= trip;
    return args_item(a, "TRIPS", 0, 0) > 0 ? product : fallback;
}
static void layout(const struct call *k) {
    k->c->machine = TIMING_LAYOUT;
    k->c->banks = 2;
    k->c->ready = 1;
    k->c->pipe = 1;
    k->c->release = 1;
    k->c->rows = arg(k, "BUFFER", 1);
    k->c->units = trips(&k->args, k->c->rows);
    k->c->times = arg(k, "ROUNDS", 1);
}
static void corner_turn(const struct call *k) {
    int64_t lanes = at_least(arg(k, "LANES", 1), 1);
    layout(k);
    k->c->rows = div_up(k->c->rows, lanes);
    k->c->units = div_up(k->c->units, lanes);
}
static void frame(const struct call *k) {
    pipe(k, 0);
    k->c->rows = arg(k, "WORDS", 1);
}
static void view(const struct call *k) { pipe(k, 0); }
static void spill(const struct call *k) {
    int64_t bits = at_least(arg(k, "DATA_W", 1), 1), beat_bits = arg(k, "BEAT_BITS", 512);
    k->c->machine = TIMING_SPILL;
    k->c->in = at_least(beat_bits / bits, 1);
    k->c->out = beat_bits / bits ? 1 : div_up(bits, at_least(beat_bits, 1));
    k->c->beats = arg(k, "BURST", 1);
    k->c->banks = arg(k, "FIRINGS", 1);
    k->c->rows = arg(k, "WORDS", 1);
}
static void store(const struct call *k) { k->c->machine = TIMING_STORE; }

// ---- KV cache ----

static void kv_scale(const struct call *k) {
    k->c->machine = TIMING_SCALES;
    k->c->ready = 2;
    k->c->pipe = 3;
    k->c->times = arg(k, "REPLAYS", 1);
    k->c->units = arg(k, "UNITS", 1);
    k->c->heads = arg(k, "HEADS", 1);
    k->c->layers = arg(k, "LAYERS", 1);
    k->c->lanes = lanes(k);
}
static void k_writer(const struct call *k) {
    k->c->machine = TIMING_K_WRITER;
    k->c->layers = arg(k, "LAYERS", 1);
    k->c->heads = arg(k, "HEADS", 1);
    k->c->units = arg(k, "UNITS", 1);
    k->c->channels = at_least(arg(k, "CHANNELS", 1), 1);
    k->c->ask = 4; // cycles between steps
}
static void v_tail(const struct call *k) {
    int64_t beat_bits = arg(k, "BEAT_BITS", 512), head_dim = arg(k, "HEAD_DIM", 1);
    k->c->machine = TIMING_V_TAIL;
    k->c->layers = arg(k, "LAYERS", 1);
    k->c->heads = arg(k, "HEADS", 1);
    k->c->rows = div_up(head_dim, at_least(arg(k, "CHANNELS", 1), 1));
    k->c->units = div_up(8 * head_dim, beat_bits);
    k->c->beats = beat_bits == 512 ? 1 : 2; // of 64 positions
    k->c->times = arg(k, "READS", 0);       // of the tail in a layer; 0: not waited for
    k->c->by_step = arg(k, "STEP_READS", 0) != 0;
}

// ---- engine, memory, control ----

static void engine(const struct call *k) {
    k->c->machine = TIMING_ENGINE;
    k->c->channels = arg(k, "CHANNELS", 1);
    k->c->units = arg(k, "BEAT_BITS", 512);
    k->c->times = arg(k, "ARRAYS", 1);
    int64_t hops = 2 * arg(k, "HOPS", 0); // registers to lanes on other dies, and back
    k->c->lines = arg(k, "OUT_FIFO", (k->c->times > 1 ? 48 : 32) + hops);
    k->c->banks = 2;
    k->c->pipe =
        29 + hops; // from the decision to the output's offer: 1, way to the lanes and lanes 14, dequantize 12, FIFO 2
}
static void embed(const struct call *k) {
    k->c->machine = TIMING_EMBED;
    k->c->rows = chunks(k);
    k->c->beats = arg(k, "HDR_BEATS", 0) + arg(k, "ROW_BEATS", 1);
    k->c->ask = 6;
    k->c->ask_next = 1;
    k->c->ready = 2;
    k->c->pipe = arg(k, "MODE", 0) ? 12 : 9;
}
static void position(const struct call *k) {
    k->c->machine = TIMING_POSITION;
    k->c->rows = chunks(k);
    k->c->beats = div_up(32 * arg(k, "N", 1), arg(k, "BEAT_BITS", 512));
    k->c->ask = 5;
    k->c->ask_next = 2;
    k->c->ready = 2;
    k->c->pipe = 2;
}
static void reader(const struct call *k) {
    int64_t chunk_bits = 32 * lanes(k), beat_bits = arg(k, "BEAT_BITS", 512);
    k->c->machine = TIMING_READER;
    k->c->rows = arg(k, "CHUNKS", 1);
    k->c->units = at_least(beat_bits / chunk_bits, 1); // rows of a group
    k->c->beats = at_least(chunk_bits / beat_bits, 1); // beats of a group and token
    k->c->ask = 2;
    k->c->banks = 2;
    k->c->ready = 1;
    k->c->pipe = 1;
}
static void writer(const struct call *k) {
    reader(k);
    k->c->machine = TIMING_WRITER;
}
static void sink(const struct call *k) { k->c->machine = TIMING_SINK; }
static void ring(const struct call *k) { k->c->machine = TIMING_RING; }
static void walker(const struct call *k) {
    k->c->machine = TIMING_WALKER;
    k->c->layers = arg(k, "KV_LAYERS", 0);
}
static void loop(const struct call *k) { k->c->machine = TIMING_LOOP; }
static void none(const struct call *k) { k->c->machine = TIMING_NONE; }

static const struct row {
    const char *module;
    void (*fill)(const struct call *);
} table[] = {
    {"rill_add", add},
    {"rill_argmax", argmax},
    {"rill_axil_regs", none},
    {"rill_corner_turn", corner_turn},
    {"rill_embed", embed},
    {"rill_engine", engine},
    {"rill_event_counters", none},
    {"rill_fifo_pool", sink}, // its streams are the edges', its step words come in passing
    {"rill_fork", fork_},
    {"rill_frame", frame},
    {"rill_gelu", gelu},
    {"rill_head_replay", replay},
    {"rill_k_writer", k_writer},
    {"rill_kv_quantize", kv_quantize},
    {"rill_kv_scale", kv_scale},
    {"rill_kv_tracker", none},
    {"rill_layernorm", layernorm},
    {"rill_layout_converter", layout},
    {"rill_mul", mul},
    {"rill_param_loader", none},
    {"rill_param_store", store},
    {"rill_position", position},
    {"rill_pulse_word", none},
    {"rill_quantize", quantize},
    {"rill_register_slice", slice},
    {"rill_replay_buffer", replay},
    {"rill_ring_writer", ring},
    {"rill_rmsnorm", rmsnorm},
    {"rill_scale", scale},
    {"rill_segment_walker", walker},
    {"rill_silu", silu},
    {"rill_softmax", softmax},
    {"rill_spill", spill},
    {"rill_stream_demux", demux},
    {"rill_stream_mux", mux},
    {"rill_stream_reader", reader},
    {"rill_stream_writer", writer},
    {"rill_token_loop", loop},
    {"rill_token_select", select_},
    {"rill_v_tail", v_tail},
    {"rill_view", view},
    {"rill_width_converter", width},
};

// A dump may have been edited: numbers that no module takes.
static bool is_sane(const struct timing_contract *c) {
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

// As its author declares it. What takes a word for a word, each cycle one, is a pipe like the others.
static bool hand_written(const struct ir *ir, int kernel, struct timing_contract *c) {
    const struct ir_node *node = &ir->node[ir->kernel[kernel].node];
    struct custom_timing t;
    if (!ir_custom_timing(ir, node, ir_node_lanes(ir, ir->kernel[kernel].node), &t, NULL)) return false;
    bool alike = t.group == 1 && t.gives == 1 && t.interval == 1 && t.buffers == 1;
    for (int i = 0; i < node->inputs; i++) alike &= t.words[i] == t.out_words;
    c->machine = alike ? TIMING_PIPE : TIMING_GROUPS;
    c->pipe = t.latency;
    c->every = t.interval;
    c->banks = t.buffers;
    c->rows = alike ? 0 : t.groups; // of a firing
    c->units = t.gives;
    c->fire = alike ? 0 : t.out_words;
    for (int i = 0; i < node->inputs; i++) {
        c->words[i] = t.words[i];
        c->take[i] = i == 0 && t.group ? t.group : div_up(t.words[i], t.groups);
    }
    return true;
}

bool timing_contract(const struct ir *ir, int kernel, struct timing_contract *c) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    *c = (struct timing_contract){.machine = TIMING_NONE, .pack = 1};
    if (ir_custom_kernel(ir, kernel)) return hand_written(ir, kernel, c) && is_sane(c);
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (strcmp(table[i].module, k->module)) continue;
        table[i].fill(&(struct call){{k->param, k->params}, c});
        return is_sane(c);
    }
    return false;
}

int64_t timing_latency(const struct timing_contract *c) {
    switch (c->machine) {
    case TIMING_GEAR: return c->pipe + 2;   // the line, the output register
    case TIMING_ENGINE: return c->pipe + 5; // counted 2 cycles after an operand's last unit; docs/rtl.md
    default: return c->enter + c->ready + c->pipe + (c->by_token ? at_most(c->pack, c->rows) - 1 : 0);
    }
}

enum timing_need timing_need(const struct ir_kernel *k, int port) {
    const char *name = k->port[port].name;
    if (!strcmp(name, "param") || !strcmp(name, "kscale") || !strcmp(name, "vscale")) return TIMING_ROW;
    return !strcmp(name, "s") && !strcmp(k->module, "rill_scale") ? TIMING_FIRST : TIMING_EACH;
}
