// SPDX-License-Identifier: Apache-2.0
// The shared matrix engine and what belongs to it: the multiplexer of its operands, the demultiplexer of its results, the KV cache kernels;
// their schedules all come from one list of firings.
#include <string.h>

#include "bind.h"
#include "layout.h"
#include "ops.h"
#include "ports.h"
#include "schedule.h"

enum { ENGINE_ENTRY_BITS = 96, STEER_ENTRY_BITS = 8, STEER_PORTS = 254, TAIL_ADDR_BITS = 24 };

struct engine {
    struct ir *ir;
    struct diag *diag;
    int kernel, x_mux, y_demux;
    int x_ports, y_ports;
    int attention; // node of the scores, or IR_NONE
    bool ok;
};

void bind_engine(struct ir *ir, const struct ir_node *node, int kernel) {
    (void)ir;
    (void)node;
    base_fatal("bind: kernel %d of a shared operation", kernel);
}

bool bind_on_engine(const struct ir_node *node) { return bind_rule_table[node->op] == bind_engine; }

// ---- operands and results ----

static int add_x_port(struct engine *e, int tensor, int region) {
    int p = ports_add_tensor(e->ir, e->x_mux, "", false, tensor);
    e->ir->kernel[e->x_mux].port[p].index = e->x_ports;
    e->ir->kernel[e->x_mux].port[p].region = region;
    return e->x_ports++;
}

// Heads of one attention operand take turns on one port; anything else that fires again has a port of its own.
static void assign_x_ports(struct engine *e) {
    struct ir *ir = e->ir;
    for (int i = 0; i < ir->firings; i++) {
        struct ir_firing *f = &ir->firing[i];
        int tensor = ir->node[f->node].in[0];
        f->x_edge_port = IR_NONE;
        if (f->head > 0)
            for (int j = i - 1; j >= 0 && f->x_edge_port == IR_NONE; j--)
                if (ir->firing[j].node == f->node) f->x_edge_port = ir->firing[j].x_edge_port;
        if (f->x_edge_port == IR_NONE && f->x_take) f->x_edge_port = add_x_port(e, tensor, f->region);
    }
}

static int dequantize_of(struct engine *e, int node) {
    struct ir *ir = e->ir;
    int tensor = ir->node[node].out[0], found = IR_NONE, readers = 0;
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++)
            if (ir->node[n].in[i] == tensor) {
                readers++;
                if (ir->node[n].op == IR_OP_DEQUANTIZE) found = n;
            }
    if (readers == 1 && found != IR_NONE) return found;
    diag_error(e->diag, ir->node[node].loc, "`%s` must be read by one `dequantize` and nothing else", ir->node[node].name);
    e->ok = false;
    return IR_NONE;
}

static void assign_y_ports(struct engine *e) {
    struct ir *ir = e->ir;
    for (int i = 0; i < ir->firings; i++) {
        struct ir_firing *f = &ir->firing[i];
        f->y_port = IR_NONE;
        for (int j = i - 1; j >= 0 && f->y_port == IR_NONE; j--)
            if (ir->firing[j].node == f->node) f->y_port = ir->firing[j].y_port;
        if (f->y_port != IR_NONE) continue;
        int dq = dequantize_of(e, f->node);
        if (dq == IR_NONE) return;
        int p = ports_add_tensor(ir, e->y_demux, "", true, ir->node[dq].out[0]);
        ir->kernel[e->y_demux].port[p].index = e->y_ports;
        ir->kernel[e->y_demux].port[p].region = f->region;
        f->y_port = e->y_ports++;
    }
}

// ---- schedules ----

static void region_sections(struct engine *e, struct schedule *s, void (*add)(struct engine *, struct schedule *, const struct ir_firing *)) {
    for (int r = 0; r < e->ir->regions; r++) {
        schedule_section(s, e->ir->region[r].repeat, e->ir->region[r].when == IR_LAST);
        for (int i = 0; i < e->ir->firings; i++)
            if (e->ir->firing[i].region == r) add(e, s, &e->ir->firing[i]);
    }
}

static void add_x_entry(struct engine *e, struct schedule *s, const struct ir_firing *f) {
    (void)e;
    if (!f->x_take) return;
    schedule_entry(s);
    schedule_field(s, 7, 0, (uint64_t)f->x_edge_port);
}

static void add_y_entry(struct engine *e, struct schedule *s, const struct ir_firing *f) {
    (void)e;
    schedule_entry(s);
    schedule_field(s, 7, 0, (uint64_t)f->y_port);
}

static void add_engine_entry(struct engine *e, struct schedule *s, const struct ir_firing *f) {
    schedule_entry(s);
    schedule_field(s, 1, 0, (uint64_t)f->mode);
    schedule_field(s, 17, 2, (uint64_t)f->row_steps);
    schedule_field(s, 33, 18, (uint64_t)f->beats);
    schedule_field(s, 34, 34, f->x_take);
    schedule_field(s, 35, 35, f->x_free);
    schedule_field(s, 43, 36, (uint64_t)f->last_rows);
    schedule_field(s, 59, 44, (uint64_t)f->tail_base);
    schedule_field(s, 67, 60, (uint64_t)f->groups);
    schedule_field(s, 68, 68, e->ir->region[f->region].when == IR_LAST); // one token, whatever the step holds
    schedule_field(s, 69, 69, f->kv_keep);
}

static void set_schedule(struct engine *e, int kernel, int bits, void (*add)(struct engine *, struct schedule *, const struct ir_firing *)) {
    struct schedule s;
    schedule_init(&s, e->ir, bits);
    region_sections(e, &s, add);
    schedule_set_params(&s, kernel);
}

// ---- the KV cache ----

static int kv_producer(struct engine *e, int tensor, const char *role) {
    const struct ir *ir = e->ir;
    int n = ir->tensor[tensor].producer;
    if (n != IR_NONE && !strcmp(ir_attr_string(&ir->node[n].attrs, "role", ""), role)) return n;
    diag_error(e->diag, ir->tensor[tensor].loc, "`%s` is not made by a kv_quantize with role `%s`", ir->tensor[tensor].name, role);
    e->ok = false;
    return IR_NONE;
}

static int add_kv_sink(struct engine *e, const char *name, const char *module, int tensor, int region) {
    struct ir *ir = e->ir;
    int k = ir_add_kernel(ir, name, module, IR_NONE);
    int p = ports_add_tensor(ir, k, "kv", false, tensor);
    ir->kernel[k].port[p].region = region;
    ports_add_step(ir, k);
    return k;
}

static int64_t kv_repeat(const struct engine *e) { return e->ir->region[e->ir->node[e->attention].region].repeat; }

// Query heads that read one key and value head.
static int64_t head_group(const struct engine *e) {
    const struct ir_node *scores = &e->ir->node[e->attention];
    return e->ir->tensor[scores->out[0]].shape[0].bound / e->ir->tensor[scores->in[1]].shape[0].bound;
}

// On-chip scales of the keys or values, streamed to softmax. `port` is softmax's input.
static void add_kv_scale(struct engine *e, int tensor, int softmax_kernel, const char *port) {
    struct ir *ir = e->ir;
    const struct ir_tensor *t = &ir->tensor[tensor];
    int region = ir->node[e->attention].region;
    int k = add_kv_sink(e, arena_printf(ir->arena, "%s_scale", t->name), "rill_kv_scale", tensor, region);
    ir_set_param(ir, k, "LANES", "%d", ir->design.lanes);
    ir_set_param(ir, k, "TOKENS", "%d", ir->design.tokens);
    ir_set_param(ir, k, "BEAT_BITS", "%d", ir->design.beat_bits);
    ir_set_param(ir, k, "LAYERS", "%lld", (long long)kv_repeat(e));
    ir_set_param(ir, k, "HEADS", "%lld", (long long)t->shape[0].bound);
    ir_set_param(ir, k, "UNITS", "%lld", (long long)layout_kv(&ir->design, 1, ir->tensor[tensor].shape[1].bound).k_units);
    ir_set_param(ir, k, "CONTEXT", "%lld", (long long)ir->design.context);
    ir_set_param(ir, k, "REPLAYS", "%lld", (long long)head_group(e));
    int out = ir_add_port(ir, k, "scale", true, IR_STREAM_BARE, ir->design.lanes * 32);
    for (int p = 0; p < ir->kernel[softmax_kernel].ports; p++) {
        struct ir_port *in = &ir->kernel[softmax_kernel].port[p];
        if (strcmp(in->name, port)) continue;
        in->tensor = IR_NONE; // scales only, not the whole tensor
        in->kind = IR_STREAM_BARE;
        in->data_bits = ir->design.lanes * 32;
        ir_connect(ir, k, out, softmax_kernel, p);
    }
}

static void add_writer_params(struct engine *e, int k, int64_t heads) {
    struct ir *ir = e->ir;
    ir_set_param(ir, k, "CHANNELS", "%d", ir->design.channels);
    ir_set_param(ir, k, "BEAT_BITS", "%d", ir->design.beat_bits);
    ir_set_param(ir, k, "TOKENS", "%d", ir->design.tokens);
    ir_set_param(ir, k, "LAYERS", "%lld", (long long)kv_repeat(e));
    ir_set_param(ir, k, "HEADS", "%lld", (long long)heads);
}

static void add_k_writer(struct engine *e, int tensor) {
    struct ir *ir = e->ir;
    int k = add_kv_sink(e, "k_writer", "rill_k_writer", tensor, ir->node[e->attention].region);
    int64_t heads = ir->tensor[tensor].shape[0].bound;
    add_writer_params(e, k, heads);
    ir_set_param(ir, k, "UNITS", "%lld", (long long)layout_kv(&ir->design, heads, ir->tensor[tensor].shape[1].bound).k_units);
    ir_add_client(ir, "k_writer", k, "", true, IR_NONE);
    ir_add_wire(ir, k, "layer_done", true, 1, "k_layer_done");
}

static void add_v_tail(struct engine *e, int tensor) {
    struct ir *ir = e->ir;
    int k = add_kv_sink(e, "v_tail", "rill_v_tail", tensor, ir->node[e->attention].region);
    int64_t heads = ir->tensor[tensor].shape[0].bound;
    add_writer_params(e, k, heads);
    ir_set_param(ir, k, "HEAD_DIM", "%lld", (long long)ir->tensor[tensor].shape[1].bound);
    int client = ir_add_client(ir, "v_tail", k, "", true, IR_NONE);
    ir->client[client].is_packed = true;
    const int64_t tail_bits = (int64_t)ir->design.channels * ir->design.beat_bits;
    const struct {
        int kernel;
        bool writes_data;
    } side[] = {{e->kernel, false}, {k, true}};
    for (size_t i = 0; i < COUNT_OF(side); i++) { // the engine reads the tail and waits for its heads
        ir_add_wire(ir, side[i].kernel, "tail_valid", !side[i].writes_data, 1, "tail_valid");
        ir_add_wire(ir, side[i].kernel, "tail_addr", !side[i].writes_data, TAIL_ADDR_BITS, "tail_addr");
        ir_add_wire(ir, side[i].kernel, "tail_data", side[i].writes_data, tail_bits, "tail_data");
        ir_add_wire(ir, side[i].kernel, "head_done", side[i].writes_data, 1, "tail_head_done");
    }
    ir_add_wire(ir, k, "layer_done", true, 1, "v_layer_done");
}

// The step's own keys; with grouped queries each head comes as often as it is read.
static void add_local_keys(struct engine *e, int keys) {
    struct ir *ir = e->ir;
    int region = ir->node[e->attention].region;
    int local = ports_add_tensor(ir, e->kernel, "klocal", false, keys);
    ir->kernel[e->kernel].port[local].region = region;
    if (head_group(e) == 1) return;
    ir->kernel[e->kernel].port[local].tensor = IR_NONE;
    int k = ir_add_kernel(ir, "keys_replay", "rill_head_replay", IR_NONE);
    const struct ir_tensor *t = &ir->tensor[keys];
    ir_set_param(ir, k, "DATA_W", "%lld", (long long)ports_data_bits(ir, IR_KV));
    ir_set_param(ir, k, "TOKENS", "%d", ir->design.tokens);
    ir_set_param(ir, k, "UNITS", "%lld", (long long)layout_kv(&ir->design, t->shape[0].bound, t->shape[1].bound).k_units);
    ir_set_param(ir, k, "REPLAYS", "%lld", (long long)head_group(e));
    int in = ports_add_tensor(ir, k, "", false, keys);
    ir->kernel[k].port[in].region = region;
    int out = ports_add_like(ir, k, "", true, &ir->kernel[e->kernel].port[local]);
    ir_connect(ir, k, out, e->kernel, local);
}

static int kernel_of_node(const struct ir *ir, int node) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].node == node) return k;
    return IR_NONE;
}

static bool check_attention(struct engine *e) {
    const struct ir *ir = e->ir;
    int scores = 0;
    e->attention = IR_NONE;
    for (int n = 0; n < ir->nodes; n++) {
        if (ir->node[n].op == IR_OP_ATTN_SCORES && scores++ == 0) e->attention = n;
        else if (ir->node[n].op == IR_OP_ATTN_SCORES)
            diag_error(e->diag, ir->node[n].loc, "a second attention `%s`: one per design is possible", ir->node[n].name), e->ok = false;
        if (ir->node[n].op == IR_OP_KV_QUANTIZE && ir->region[ir->node[n].region].when == IR_LAST)
            diag_error(e->diag, ir->node[n].loc, "kv_quantize in a region that runs only for the last token"), e->ok = false;
    }
    return e->ok;
}

static void bind_attention(struct engine *e) {
    struct ir *ir = e->ir;
    int keys = ir->node[e->attention].in[1], softmax = IR_NONE;
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].op == IR_OP_SOFTMAX) softmax = n;
    if (softmax == IR_NONE) {
        diag_error(e->diag, ir->node[e->attention].loc, "attn_scores `%s` without a softmax", ir->node[e->attention].name);
        e->ok = false;
        return;
    }
    int values = ir->node[softmax].in[2];
    if (kv_producer(e, keys, "key") == IR_NONE || kv_producer(e, values, "value") == IR_NONE) return;
    add_local_keys(e, keys);
    add_k_writer(e, keys);
    add_v_tail(e, values);
    add_kv_scale(e, keys, kernel_of_node(ir, softmax), "kscale");
    add_kv_scale(e, values, kernel_of_node(ir, softmax), "vscale");
}

// ---- the engine ----

static const struct ir_tensor *operand(const struct ir *ir, const struct ir_firing *f) { return &ir->tensor[ir->node[f->node].in[0]]; }

static const char *scale_bits(struct engine *e, int mode) {
    int64_t exp_min = 0;
    for (int i = 0; i < e->ir->firings; i++)
        if (e->ir->firing[i].mode == mode) exp_min = operand(e->ir, &e->ir->firing[i])->exp_min;
    float scale = 1.0f;
    for (; exp_min < 0; exp_min++) scale *= 0.5f;
    for (; exp_min > 0; exp_min--) scale *= 2.0f;
    return bind_float_bits(e->ir, scale);
}

static int64_t operand_units(const struct ir *ir) {
    int64_t most = 2;
    for (int i = 0; i < ir->firings; i++) {
        int64_t units = ports_mx_units(ir, operand(ir, &ir->firing[i]));
        if (units > most) most = units;
    }
    return most;
}

static void add_y(struct engine *e) {
    struct ir *ir = e->ir;
    int c = ir->design.channels;
    int p = ir_add_port(ir, e->kernel, "y", true, IR_STREAM_COUNTED, c * 32);
    struct ir_port *port = &ir->kernel[e->kernel].port[p];
    port->count_bits = u64_clog2((uint64_t)c + 1);
    struct ir_tensor any = {.dtype = IR_F32, .rank = 1, .shape = {{c, IR_STATIC}}};
    port->type = ports_vector_type(ir, &any, c);
    int s = ir_add_port(ir, e->y_demux, "", false, IR_STREAM_TOKENS, ir->design.lanes * 32);
    any.shape[0].bound = ir->design.lanes;
    ir->kernel[e->y_demux].port[s].type = ports_vector_type(ir, &any, ir->design.lanes);
    ir_connect(ir, e->kernel, p, e->y_demux, s);
}

static void add_x(struct engine *e) {
    struct ir *ir = e->ir;
    int64_t bits = ports_data_bits(ir, IR_MX);
    int from = ir_add_port(ir, e->x_mux, "", true, IR_STREAM_TOKENS, bits), to = ir_add_port(ir, e->kernel, "x", false, IR_STREAM_TOKENS, bits);
    ir_connect(ir, e->x_mux, from, e->kernel, to);
    ir_set_param(ir, e->x_mux, "PORTS", "%d", e->x_ports);
    ir_set_param(ir, e->x_mux, "DATA_W", "%lld", (long long)bits);
    ir_set_param(ir, e->x_mux, "USER_W", "%d", ports_user_bits(ir));
    ir_set_param(ir, e->y_demux, "PORTS", "%d", e->y_ports);
    ir_set_param(ir, e->y_demux, "DATA_W", "%d", ir->design.lanes * 32);
    ir_set_param(ir, e->y_demux, "USER_W", "%d", ports_user_bits(ir));
}

// Without attention the engine's key port and tail port see zeros.
static void tie_off_attention(struct engine *e) {
    struct ir *ir = e->ir;
    const struct {
        const char *port;
        int64_t bits;
    } inputs[] = {{"s_axis_klocal_tvalid", 1},
                  {"s_axis_klocal_tdata", ir->design.beat_bits + 32},
                  {"s_axis_klocal_tuser", ports_user_bits(ir)},
                  {"s_axis_klocal_tlast", 1},
                  {"tail_data", (int64_t)ir->design.channels * ir->design.beat_bits},
                  {"head_done", 1}};
    static const char *const outputs[] = {"s_axis_klocal_tready", "tail_valid", "tail_addr"};
    for (size_t i = 0; i < COUNT_OF(inputs); i++)
        ir_add_wire(ir, e->kernel, inputs[i].port, false, inputs[i].bits, arena_printf(ir->arena, "%lld'd0", (long long)inputs[i].bits));
    for (size_t i = 0; i < COUNT_OF(outputs); i++) ir_add_wire(ir, e->kernel, outputs[i], false, 0, "");
}

static void set_engine_params(struct engine *e) {
    struct ir *ir = e->ir;
    ir_set_param(ir, e->kernel, "CHANNELS", "%d", ir->design.channels);
    ir_set_param(ir, e->kernel, "BEAT_BITS", "%d", ir->design.beat_bits);
    ir_set_param(ir, e->kernel, "TOKENS", "%d", ir->design.tokens);
    ir_set_param(ir, e->kernel, "GROUP", "%d", ir->design.group);
    ir_set_param(ir, e->kernel, "X_UNITS", "%lld", (long long)operand_units(ir));
    ir_set_param(ir, e->kernel, "SCALE_K", "%s", scale_bits(e, 2));
    ir_set_param(ir, e->kernel, "SCALE_V", "%s", scale_bits(e, 3));
    ir_set_param(ir, e->kernel, "HAS_KV", "%d", e->attention != IR_NONE);
    ir_add_wire(ir, e->kernel, "s_axis_beat_tvalid", false, ir->design.channels, "lane_beat_tvalid");
    ir_add_wire(ir, e->kernel, "s_axis_beat_tready", false, ir->design.channels, "lane_beat_tready");
    ir_add_wire(ir, e->kernel, "s_axis_beat_tdata", false, (int64_t)ir->design.channels * ir->design.beat_bits, "lane_beat_tdata");
    static const char *const events[] = {"busy", "stall_beat", "stall_x", "stall_out"};
    for (size_t i = 0; i < COUNT_OF(events); i++) ir_add_wire(ir, e->kernel, events[i], true, 1, arena_printf(ir->arena, "engine_%s", events[i]));
    if (e->attention == IR_NONE) tie_off_attention(e);
    ir->kernel[e->kernel].has_fault = true;
}

bool bind_shared_engine(struct ir *ir, struct diag *diag) {
    struct engine e = {.ir = ir, .diag = diag, .ok = true};
    if (!check_attention(&e) || !bind_order_firings(ir, diag)) return false;
    e.x_mux = ir_add_kernel(ir, "x_mux", "rill_stream_mux", IR_NONE);
    e.kernel = ir_add_kernel(ir, "engine", "rill_engine", IR_NONE);
    e.y_demux = ir_add_kernel(ir, "y_demux", "rill_stream_demux", IR_NONE);
    ports_add_step(ir, e.x_mux);
    ports_add_step(ir, e.kernel);
    ports_add_step(ir, e.y_demux);
    assign_x_ports(&e);
    assign_y_ports(&e);
    if (!e.ok) return false;
    if (e.x_ports > STEER_PORTS || e.y_ports > STEER_PORTS) {
        diag_error(diag, loc_none(), "%d operands of products, at most %d are possible", e.x_ports, STEER_PORTS);
        return false;
    }
    add_x(&e);
    add_y(&e);
    set_engine_params(&e);
    set_schedule(&e, e.x_mux, STEER_ENTRY_BITS, add_x_entry);
    set_schedule(&e, e.kernel, ENGINE_ENTRY_BITS, add_engine_entry);
    set_schedule(&e, e.y_demux, STEER_ENTRY_BITS, add_y_entry);
    if (e.attention != IR_NONE) bind_attention(&e);
    return e.ok;
}
