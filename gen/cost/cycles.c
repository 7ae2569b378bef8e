// SPDX-License-Identifier: Apache-2.0
// Contracts of the RTL modules (their headers, docs/rtl.md) as functions of their parameters, one row of the table
// each.
#include <string.h>

#include "args.h"
#include "contract.h"
#include "cost.h"
#include "ir_custom.h"
#include "layout.h"
#include "ports.h"

struct call { // one kernel at a position
    const struct ir *ir;
    int kernel;
    struct args args;
    int64_t position;
};

static int64_t arg(const struct call *c, const char *name) { return args_int(&c->args, name, 0); }
static int64_t lanes(const struct call *c) { return at_least(arg(c, "LANES"), 1); }
static int64_t levels(const struct call *c) { return log2_up(lanes(c)); }
static int64_t chunks(const struct call *c) { return div_up(arg(c, "N"), lanes(c)); }
static int64_t unit_elements(const struct call *c) { return arg(c, "BEAT_BITS") / 8; }

static struct cost_contract passes(int64_t delay) { return (struct cost_contract){1, delay, 1}; }
static struct cost_contract gathers(int64_t fill, int64_t delay) {
    return (struct cost_contract){at_least(fill, 1), delay, 1};
}

// Words of one firing on the kernel's first typed input.
static int64_t firing_in(const struct call *c) {
    const struct ir_kernel *k = &c->ir->kernel[c->kernel];
    for (int p = 0; p < k->ports; p++) {
        const struct ir_port *port = &k->port[p];
        if (port->is_output || port->kind == IR_STREAM_BARE) continue;
        int64_t repeat = port->region == IR_NONE ? 1 : c->ir->region[port->region].repeat;
        return cost_port_words(c->ir, c->kernel, p, c->position) / at_least(repeat, 1);
    }
    return 1;
}

// ---- contracts ----

static struct cost_contract wire(const struct call *c) { return (void)c, passes(0); }
static struct cost_contract add(const struct call *c) { return (void)c, passes(5); }
static struct cost_contract mul(const struct call *c) { return (void)c, passes(3); }
static struct cost_contract scale(const struct call *c) { return (void)c, passes(4); }
static struct cost_contract gelu(const struct call *c) { return (void)c, passes(42); }
static struct cost_contract silu(const struct call *c) { return (void)c, passes(25); }
static struct cost_contract slice(const struct call *c) { return passes(arg(c, "MODE") ? 1 : 0); }
static struct cost_contract layernorm(const struct call *c) { return gathers(chunks(c), levels(c) + 51); }
static struct cost_contract rmsnorm(const struct call *c) { return gathers(chunks(c), levels(c) + 37); }
static struct cost_contract argmax(const struct call *c) { return gathers(chunks(c), levels(c) + 3); }
static struct cost_contract replay(const struct call *c) { return gathers(firing_in(c), 2); }
static struct cost_contract head_replay(const struct call *c) { return gathers(arg(c, "UNITS"), 2); }
static struct cost_contract layout(const struct call *c) { return gathers(arg(c, "BUFFER"), 2); }
static struct cost_contract corner_turn(const struct call *c) {
    return gathers(div_up(arg(c, "BUFFER"), at_least(arg(c, "LANES"), 1)), 2);
}
static struct cost_contract kv_scale(const struct call *c) { return gathers(arg(c, "UNITS"), 5); }
static struct cost_contract token_loop(const struct call *c) {
    return (void)c, passes(6);
} // next id to id: ring, decision, step, id, check, send

// A block is read when all of it is in; a unit leaves with its last chunk.
static struct cost_contract quantize(const struct call *c) {
    int64_t block = at_most(arg(c, "BLOCK"), at_least(firing_in(c), 1) * lanes(c));
    return gathers(div_up(block, lanes(c)),
                   at_least(levels(c) + 4, 6) + div_up(at_most(block, unit_elements(c)), lanes(c)) - 1);
}

static struct cost_contract kv_quantize(const struct call *c) {
    int64_t head = arg(c, "HEAD_DIM");
    return gathers(head / lanes(c), levels(c) + 21 + div_up(at_most(head, unit_elements(c)), lanes(c)) - 1);
}

static struct cost_contract softmax(const struct call *c) {
    return gathers(div_up(c->position + 1, lanes(c)), at_least(levels(c) - 1, 1) + 24);
}

static struct cost_contract width(const struct call *c) {
    int64_t in = arg(c, "IN_ELEMS"), out = arg(c, "OUT_ELEMS");
    if (arg(c, "DENSE") && in == out) return passes(0);
    return gathers(div_up(out, in), div_up(log2_up(out), 2) + 4);
}

static int64_t embed_beats(const struct args *a) { return args_int(a, "HDR_BEATS", 0) + args_int(a, "ROW_BEATS", 0); }
static int64_t position_beats(const struct args *a) {
    return div_up(32 * args_int(a, "N", 0), args_int(a, "BEAT_BITS", 0));
}
static int64_t row_beats(const struct args *a) {
    int64_t chunk = 32 * args_int(a, "LANES", 0), group = at_least(chunk, args_int(a, "BEAT_BITS", 0));
    return div_up(args_int(a, "CHUNKS", 0) * chunk, group) * group / at_least(args_int(a, "BEAT_BITS", 1), 1);
}

// The request, the row's beats, then the pipeline behind the row buffer.
static struct cost_contract embed(const struct call *c) {
    return passes(6 + embed_beats(&c->args) + 2 + (arg(c, "MODE") ? 12 : 9));
}
static struct cost_contract position(const struct call *c) { return passes(5 + position_beats(&c->args) + 2 + 2); }
static struct cost_contract reader(const struct call *c) {
    return passes(4 + at_least(1, lanes(c) * 32 / at_least(arg(c, "BEAT_BITS"), 1)) + 2);
}

// Whose kernel or walker it is.
static int engine_id(const struct call *c) {
    for (int e = 0; e < c->ir->engines; e++)
        if (c->ir->engine[e].kernel == c->kernel || c->ir->engine[e].walker == c->kernel) return e;
    return IR_NONE;
}

static const struct ir_firing *first_firing(const struct call *c) {
    for (int i = 0; i < c->ir->firings; i++)
        if (c->ir->firing[i].engine == engine_id(c)) return &c->ir->firing[i];
    return NULL;
}

// The whole operand, then the first row-step of the first firing.
static struct cost_contract engine(const struct call *c) {
    const struct ir_firing *f = first_firing(c);
    if (!f) return passes(0);
    int64_t fill = ports_mx_units(c->ir, &c->ir->tensor[c->ir->node[f->node].in[0]]);
    return gathers(fill, 6 + f->beats - 1 + 29);
}

// ---- work beyond one word per cycle ----

static int64_t engine_busy(const struct call *c, int64_t words) {
    struct cost_beats b = cost_engine_beats(c->ir, engine_id(c), c->position);
    return at_least(b.weights + b.scores + b.values, words);
}

// Row after row: a row is not fetched while the one before leaves.
static int64_t embed_busy(const struct call *c, int64_t words) { return embed_beats(&c->args) + words; }
static int64_t position_busy(const struct call *c, int64_t words) { return position_beats(&c->args) + words; }

static int64_t v_tail_busy(const struct call *c, int64_t words) {
    int64_t rows = div_up(arg(c, "HEAD_DIM"), at_least(arg(c, "CHANNELS"), 1)),
            heads = arg(c, "LAYERS") * arg(c, "HEADS");
    bool two_beats = arg(c, "BEAT_BITS") < 512; // of a block
    int64_t opening = two_beats && c->position % LAYOUT_V_BLOCK == 0 ? rows : 0;
    int64_t closing = c->position % LAYOUT_V_BLOCK == LAYOUT_V_BLOCK - 1 ? 5 * rows * (two_beats ? 2 : 1) : 0;
    return words + heads * (rows + opening + closing);
}

static int64_t kv_scale_busy(const struct call *c, int64_t words) {
    int64_t heads = arg(c, "LAYERS") * arg(c, "HEADS") * args_int(&c->args, "REPLAYS", 1);
    return at_least(words, heads * div_up(c->position + 1, lanes(c)));
}

static int64_t head_replay_busy(const struct call *c, int64_t words) { return words * arg(c, "REPLAYS"); }

static int64_t param_busy(const struct call *c, int64_t words) { return at_least(words, arg(c, "WORDS")); }

// Only what passes counts: behind a repeated region the dropped firings have not come here.
static int64_t select_busy(const struct call *c, int64_t words) {
    const struct ir_kernel *k = &c->ir->kernel[c->kernel];
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].is_output) return at_most(words, cost_port_words(c->ir, c->kernel, p, c->position));
    return words;
}

// One descriptor per run of beats.
static int64_t walker_busy(const struct call *c, int64_t words) {
    int64_t runs = 0;
    for (int i = 0; i < c->ir->firings; i++) {
        const struct ir_firing *f = &c->ir->firing[i];
        if (f->engine != engine_id(c)) continue;
        runs += c->ir->region[f->region].repeat * (f->mode == 3 ? f->row_steps : 1);
    }
    return at_least(words, runs);
}

static int64_t loop_busy(const struct call *c, int64_t words) { return (void)c, words ? 7 : 0; }

// ---- the table ----

static const struct row {
    const char *module;
    struct cost_contract (*contract)(const struct call *); // NULL: nothing goes through it
    int64_t (*busy)(const struct call *, int64_t words);   // NULL: one cycle per word of the busiest stream
    int64_t (*beats)(const struct args *); // NULL: no DMA engine of its own, or one that may run at any time
} table[] = {
    {"rill_add", add, NULL, NULL},
    {"rill_argmax", argmax, NULL, NULL},
    {"rill_axil_regs", NULL, NULL, NULL},
    {"rill_corner_turn", corner_turn, NULL, NULL},
    {"rill_embed", embed, embed_busy, embed_beats},
    {"rill_engine", engine, engine_busy, NULL},
    {"rill_event_counters", NULL, NULL, NULL},
    {"rill_fork", wire, NULL, NULL},
    {"rill_frame", wire, NULL, NULL},
    {"rill_gelu", gelu, NULL, NULL},
    {"rill_head_replay", head_replay, head_replay_busy, NULL},
    {"rill_join", wire, NULL, NULL},
    {"rill_k_writer", NULL, NULL, NULL},
    {"rill_kv_quantize", kv_quantize, NULL, NULL},
    {"rill_kv_scale", kv_scale, kv_scale_busy, NULL},
    {"rill_kv_tracker", NULL, NULL, NULL},
    {"rill_layernorm", layernorm, NULL, NULL},
    {"rill_layout_converter", layout, NULL, NULL},
    {"rill_mul", mul, NULL, NULL},
    {"rill_param_loader", NULL, NULL, NULL},
    {"rill_param_store", NULL, param_busy, NULL},
    {"rill_position", position, position_busy, position_beats},
    {"rill_pulse_word", NULL, NULL, NULL},
    {"rill_quantize", quantize, NULL, NULL},
    {"rill_register_slice", slice, NULL, NULL},
    {"rill_replay_buffer", replay, NULL, NULL},
    {"rill_ring_writer", NULL, NULL, NULL},
    {"rill_rmsnorm", rmsnorm, NULL, NULL},
    {"rill_scale", scale, NULL, NULL},
    {"rill_segment_walker", NULL, walker_busy, NULL},
    {"rill_silu", silu, NULL, NULL},
    {"rill_softmax", softmax, NULL, NULL},
    {"rill_stream_demux", wire, NULL, NULL},
    {"rill_stream_mux", wire, NULL, NULL},
    {"rill_stream_reader", reader, NULL, row_beats},
    {"rill_stream_writer", NULL, NULL, row_beats},
    {"rill_token_loop", token_loop, loop_busy, NULL},
    {"rill_token_select", wire, select_busy, NULL},
    {"rill_v_tail", NULL, v_tail_busy, NULL},
    {"rill_view", wire, NULL, NULL},
    {"rill_width_converter", width, NULL, NULL},
};

static const struct row *row_of(const struct ir_kernel *k) {
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strcmp(table[i].module, k->module)) return &table[i];
    return NULL;
}

bool cost_is_engine(const struct ir_kernel *k) {
    const struct row *row = row_of(k);
    return row && row->contract == engine;
}

int64_t cost_memory_beats(const struct ir_kernel *k) {
    const struct row *row = row_of(k);
    struct args args = {k->param, k->params};
    return row && row->beats ? row->beats(&args) : 0;
}

struct cost_work cost_kernel_work(const struct ir *ir, int kernel, int64_t position) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct row *row = row_of(k);
    struct call call = {ir, kernel, {k->param, k->params}, position};
    struct cost_work w = {.contract = {1, 0, 1}, .latency = IR_NONE};
    for (int p = 0; p < k->ports; p++) w.words = at_least(w.words, cost_port_words(ir, kernel, p, position));
    struct custom_timing t;
    if (ir_custom_kernel(ir, kernel) &&
        ir_custom_timing(ir, &ir->node[k->node], ir_node_lanes(ir, k->node), &t, NULL)) {
        w.contract = gathers(t.group ? t.group : t.words[0], t.latency);
        w.contract.interval = t.interval;
        w.latency = (w.contract.fill - 1) * w.contract.interval + w.contract.delay;
    }
    if (row && row->contract) {
        w.contract = row->contract(&call);
        w.latency = (w.contract.fill - 1) * w.contract.interval + w.contract.delay;
    }
    w.busy = row && row->busy ? row->busy(&call, w.words) : w.words * w.contract.interval;
    return w;
}
