// SPDX-License-Identifier: Apache-2.0
// Builds the matrix engines, each with the multiplexer of its operands and the demultiplexer of its results. The
// schedules of all three come from the list of firings (bind_firings.c). In names, x is an operand, and y a result.
#include "gen/bind/bind.h"
#include "gen/ir/fields.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/kernel/ports.h"
#include "gen/ir/schedule.h"
#include "gen/ir/window.h"

enum { STEER_PORTS = STEER_PORT_DROP - 1 }; // most operand ports, or result ports, of an engine

struct engine {
    struct ir *ir;
    struct diag *diag;
    int id;                     // index of the engine in ir->engine
    int lanes;                  // lanes of this engine
    int kernel, x_mux, y_demux; // kernels of the engine, of the multiplexer and of the demultiplexer
    int x_ports, y_ports;       // numbers of operand ports and of result ports so far
    bool windows;               // some attentions on this engine have sliding windows
    bool ok;                    // no error was reported
};

// ---- operands and results ----

// Adds an input of the multiplexer and returns its index.
static int add_x_port(struct engine *e, int tensor, int region) {
    int p = ports_add_tensor(e->ir, e->x_mux, "", false, tensor);
    e->ir->kernel[e->x_mux].port[p].index = e->x_ports;
    e->ir->kernel[e->x_mux].port[p].region = region;
    return e->x_ports++;
}

// Assigns operand ports. Heads of one attention operand, and rows of one tensor, take turns on one port. Every other
// operand has a separate port. A firing that uses the operand of the previous firing (x_take is false) needs no port.
static void assign_x_ports(struct engine *e) {
    struct ir *ir = e->ir;
    for (int i = 0; i < ir->firings; i++) {
        struct ir_firing *f = &ir->firing[i];
        int tensor = ir->node[f->node].in[0];
        if (f->engine != e->id) continue;
        f->x_edge_port = IR_NONE;
        if (f->head > 0)
            for (int j = i - 1; j >= 0 && f->x_edge_port == IR_NONE; j--)
                if (ir->firing[j].node == f->node) f->x_edge_port = ir->firing[j].x_edge_port;
        if (f->x_edge_port == IR_NONE && f->x_take) f->x_edge_port = add_x_port(e, tensor, f->region);
    }
}

// Returns the operation that turns a product's sums into fp32. It must be the only reader of the product, and in the
// same region, because one schedule entry serves both. Returns IR_NONE after an error.
static int dequantize_of(struct engine *e, int node) {
    struct ir *ir = e->ir;
    int tensor = ir->node[node].out[0], found = IR_NONE, readers = 0;
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++)
            if (ir->node[n].in[i] == tensor) {
                readers++;
                if (ir_node_is(ir, n, OP_OF_PRODUCT)) found = n;
            }
    if (readers == 1 && found != IR_NONE && ir->node[found].region == ir->node[node].region) return found;
    if (readers == 1 && found != IR_NONE) {
        diag_error(e->diag, ir->node[found].loc, MSG_REGION_OF_PRODUCT, ir_op_of(ir, ir->node[found].op)->name,
                   ir->node[found].name, ir->region[ir->node[node].region].name, ir->node[node].name);
        e->ok = false;
        return IR_NONE;
    }
    diag_error(e->diag, ir->node[node].loc, MSG_ONE_DEQUANTIZE, ir->node[node].name);
    e->ok = false;
    return IR_NONE;
}

// Assigns an output of the demultiplexer to each product. This output carries the result of the product's dequantize.
static void assign_y_ports(struct engine *e) {
    struct ir *ir = e->ir;
    for (int i = 0; i < ir->firings; i++) {
        struct ir_firing *f = &ir->firing[i];
        if (f->engine != e->id) continue;
        f->y_port = IR_NONE;
        for (int j = i - 1; j >= 0 && f->y_port == IR_NONE; j--)
            if (ir->firing[j].node == f->node) f->y_port = ir->firing[j].y_port;
        if (f->y_port != IR_NONE) continue;
        int dq = dequantize_of(e, f->node);
        if (dq == IR_NONE) return;
        int p = ports_add_tensor(ir, e->y_demux, "", true, ir->node[dq].out[0]);
        ports_set_rows(ir, e->y_demux, p, ir->node[dq].out[0]);
        ir->kernel[e->y_demux].port[p].index = e->y_ports;
        ir->kernel[e->y_demux].port[p].region = f->region;
        f->y_port = e->y_ports++;
    }
}

// Returns the place in the spec of the first product for which no port is left.
static struct loc place_of_last(const struct engine *e) {
    for (int i = 0; i < e->ir->firings; i++) {
        const struct ir_firing *f = &e->ir->firing[i];
        if (f->engine == e->id && (f->x_edge_port >= STEER_PORTS || f->y_port >= STEER_PORTS))
            return e->ir->node[f->node].loc;
    }
    return loc_none();
}

// ---- schedules ----

// Adds a section for each region to a schedule. `add` adds the entry of a firing, if the firing needs one.
static void region_sections(struct engine *e, struct schedule *s,
                            void (*add)(struct engine *, struct schedule *, const struct ir_firing *)) {
    for (int r = 0; r < e->ir->regions; r++) {
        schedule_section(s, e->ir->region[r].repeat, e->ir->region[r].when == IR_LAST);
        for (int i = 0; i < e->ir->firings; i++)
            if (e->ir->firing[i].region == r && e->ir->firing[i].engine == e->id) add(e, s, &e->ir->firing[i]);
    }
}

// Sets the marks of the entry that was added last: whether steps of one token skip it, and whether it is repeated for
// each part of a step. Firings with keys or values are repeated, because each part has its own keys and values.
static void mark(struct schedule *s, const struct ir_firing *f) {
    if (f->many) schedule_many(s);
    if (f->mode > ENGINE_MODE_INT4) schedule_part(s);
}

static void add_x_entry(struct engine *e, struct schedule *s, const struct ir_firing *f) {
    (void)e;
    if (!f->x_take) return;
    schedule_entry(s);
    schedule_field(s, STEER_PORT, (uint64_t)f->x_edge_port);
    mark(s, f);
}

static void add_y_entry(struct engine *e, struct schedule *s, const struct ir_firing *f) {
    (void)e;
    schedule_entry(s);
    schedule_field(s, STEER_PORT, (uint64_t)f->y_port);
    mark(s, f);
}

static bool is_asym(const struct ir *ir, const struct ir_firing *f) {
    return f->mode == ENGINE_MODE_INT4 && layout_format(&ir->node[f->node]) == SPEC_INT4_ASYM;
}

// Adds the entry of a firing to the engine's table, whose fields are in include/fields.def. The field GROUPS has 8
// bits, in which 0 means 256 groups. The engine does not use GROUPS with int4_asym.
static void add_engine_entry(struct engine *e, struct schedule *s, const struct ir_firing *f) {
    schedule_entry(s);
    schedule_field(s, ENGINE_MODE, (uint64_t)f->mode);
    schedule_field(s, ENGINE_ROWS, (uint64_t)f->row_steps);
    schedule_field(s, ENGINE_BEATS, (uint64_t)f->beats);
    schedule_field(s, ENGINE_X_TAKE, f->x_take);
    schedule_field(s, ENGINE_X_FREE, f->x_free);
    schedule_field(s, ENGINE_LAST_ROWS, (uint64_t)f->last_rows);
    schedule_field(s, ENGINE_TAIL_BASE, (uint64_t)f->tail_base);
    schedule_field(s, ENGINE_GROUPS, is_asym(e->ir, f) ? 0 : (uint64_t)f->groups & field_mask(ENGINE_GROUPS));
    schedule_field(s, ENGINE_SINGLE, ir_takes_last(e->ir, f->region));
    schedule_field(s, ENGINE_KEEP, f->kv_keep);
    schedule_field(s, ENGINE_OUTER, f->outer);
    schedule_field(s, ENGINE_ASYM, is_asym(e->ir, f));
    schedule_field(s, ENGINE_HEADS, (uint64_t)f->heads);
    mark(s, f);
    bool values = f->mode == ENGINE_MODE_VALUES;
    if (!values && !(f->mode == ENGINE_MODE_SCORES && e->windows)) return;
    struct kv_cache cache = kv_cache_of(e->ir, f->node);
    schedule_field(s, ENGINE_KV_LAYER, (uint64_t)cache.layer);
    schedule_field(s, ENGINE_KV_STEP, (uint64_t)cache.step);
}

// Builds the schedule of a kernel and sets the parameters that hold it. bits: width of an entry. add: as for
// region_sections.
static void set_schedule(struct engine *e, int kernel, int bits,
                         void (*add)(struct engine *, struct schedule *, const struct ir_firing *)) {
    struct schedule s;
    schedule_init(&s, e->ir, bits);
    region_sections(e, &s, add);
    schedule_set_params(&s, kernel);
}

// ---- the engine ----

// Returns whether the engine has a firing in this mode.
static bool fires(const struct engine *e, int mode) {
    for (int i = 0; i < e->ir->firings; i++)
        if (e->ir->firing[i].engine == e->id && e->ir->firing[i].mode == mode) return true;
    return false;
}

static const struct ir_tensor *operand(const struct ir *ir, const struct ir_firing *f) {
    return &ir->tensor[ir->node[f->node].in[0]];
}

// Returns 2^exp_min of the operands in this mode, which bind_check_attention found to be equal: the value of the last
// bit of a mantissa at shift 0. Returns 1 if no firing has this mode.
static float scale_of(const struct engine *e, int mode) {
    int64_t exp_min = 0;
    for (int i = 0; i < e->ir->firings; i++)
        if (e->ir->firing[i].engine == e->id && e->ir->firing[i].mode == mode)
            exp_min = operand(e->ir, &e->ir->firing[i])->exp_min;
    float scale = 1.0f;
    for (; exp_min < 0; exp_min++) scale *= 0.5f;
    for (; exp_min > 0; exp_min--) scale *= 2.0f;
    return scale;
}

// Returns the units of the longest operand, at least 2 because the buffer stores pairs of units. A unit has as many
// elements as a beat of int8 holds. asym: looks only at operands of products with int4_asym weights.
static int64_t operand_units(const struct engine *e, bool asym) {
    const struct ir *ir = e->ir;
    int64_t most = 2;
    for (int i = 0; i < ir->firings; i++) {
        if (ir->firing[i].engine != e->id || (asym && !is_asym(ir, &ir->firing[i]))) continue;
        struct ir_tensor x = *operand(ir, &ir->firing[i]);
        int over = window_node(ir, ir->node[ir->firing[i].node].in[0]);
        if (over != IR_NONE) x.shape[x.rank - 1].bound = window_most(ir, over);
        int64_t units = ports_mx_units(ir, &x);
        if (units > most) most = units;
    }
    return most;
}

// Connects the engine's results to the demultiplexer.
static void add_y(struct engine *e) {
    struct ir *ir = e->ir;
    int c = e->lanes;
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

// Connects the multiplexer to the engine, and sets the parameters of multiplexer and demultiplexer.
static void add_x(struct engine *e) {
    struct ir *ir = e->ir;
    int64_t bits = ports_data_bits(ir, IR_MX, 1);
    int from = ir_add_port(ir, e->x_mux, "", true, IR_STREAM_TOKENS, bits),
        to = ir_add_port(ir, e->kernel, "x", false, IR_STREAM_TOKENS, bits);
    ir_connect(ir, e->x_mux, from, e->kernel, to);
    ir_set_int(ir, e->x_mux, "PORTS", e->x_ports);
    ir_set_int(ir, e->x_mux, "DATA_W", bits);
    ir_set_int(ir, e->x_mux, "USER_W", ir_user_bits(ir_places(ir)));
    ir_set_int(ir, e->y_demux, "PORTS", e->y_ports);
    ir_set_int(ir, e->y_demux, "DATA_W", ir->design.lanes * 32);
    ir_set_int(ir, e->y_demux, "USER_W", ir_user_bits(ir_places(ir)));
}

// Ties the inputs of unused groups of ports to zero and leaves their outputs open: the ports for the step's own keys if
// `keys` is set, and the ports of the V tail if `values` is set.
static void tie_off(struct engine *e, bool keys, bool values) {
    struct ir *ir = e->ir;
    const struct {
        const char *port;
        int64_t bits;
        bool tied;
    } inputs[] = {{"s_axis_klocal_tvalid", 1, keys},
                  {"s_axis_klocal_tdata", ir->design.beat_bits + 32, keys},
                  {"s_axis_klocal_tuser", ir_user_bits(ir_places(ir)), keys},
                  {"s_axis_klocal_tlast", 1, keys},
                  {"tail_data", (int64_t)e->lanes * ir->design.beat_bits, values},
                  {"head_done", 1, values}},
      outputs[] = {{"s_axis_klocal_tready", 1, keys}, {"tail_valid", 1, values}, {"tail_addr", VTAIL_BITS, values}};
    for (size_t i = 0; i < COUNT_OF(inputs); i++)
        if (inputs[i].tied) ir_add_zero(ir, e->kernel, inputs[i].port, inputs[i].bits);
    for (size_t i = 0; i < COUNT_OF(outputs); i++)
        if (outputs[i].tied) ir_add_open(ir, e->kernel, outputs[i].port);
}

// Connects the beats of the engine's lanes, which are a part of the nets of all channels. The lanes of a resident
// engine have separate nets, which come from the store of the engine's weights.
static void add_beats(struct engine *e) {
    struct ir *ir = e->ir;
    int first = ir->engine[e->id].first_channel, bits = ir->design.beat_bits;
    bool stays = ir_is_resident(&ir->engine[e->id]);
    const struct {
        const char *port;
        enum ir_net_role role, stored;
        int width;
    } beat[] = {{"s_axis_beat_tvalid", IR_NET_LANE_BEAT_TVALID, IR_NET_STORED_BEAT_TVALID, 1},
                {"s_axis_beat_tready", IR_NET_LANE_BEAT_TREADY, IR_NET_STORED_BEAT_TREADY, 1},
                {"s_axis_beat_tdata", IR_NET_LANE_BEAT_TDATA, IR_NET_STORED_BEAT_TDATA, bits}};
    for (size_t i = 0; i < COUNT_OF(beat); i++) {
        int64_t width = (int64_t)e->lanes * beat[i].width;
        if (stays) {
            ir_add_wire(ir, e->kernel, beat[i].port, beat[i].role == IR_NET_LANE_BEAT_TREADY, width,
                        ir_net(ir, beat[i].stored, e->id));
            continue;
        }
        struct ir_part part = {.net = ir_design_net(ir, beat[i].role)};
        if (ir->engines > 1) part.low = (int64_t)first * beat[i].width, part.width = width;
        ir_add_use(ir, e->kernel, beat[i].port, width, ir_use_parts(ir, IR_USE_PART, &part, 1));
    }
}

static bool fires_asym(const struct engine *e) {
    for (int f = 0; f < e->ir->firings; f++)
        if (e->ir->firing[f].engine == e->id && is_asym(e->ir, &e->ir->firing[f])) return true;
    return false;
}

// Returns the bits of an accumulator that can hold the sum of any row of weights on the engine.
static int sum_bits(const struct engine *e) {
    int most = 0;
    for (int i = 0; i < e->ir->firings; i++) {
        const struct ir_firing *f = &e->ir->firing[i];
        if (f->engine != e->id || f->mode > ENGINE_MODE_INT4) continue;
        const struct ir_node *node = &e->ir->node[f->node];
        int bits = layout_sum_bits(&e->ir->design, layout_format(node), ir_vector_length(e->ir, node));
        if (bits > most) most = bits;
    }
    return most;
}

// Connects the outputs whose cycles the event counters count.
static void add_events(struct engine *e) {
    static const struct {
        const char *port;
        enum ir_net_role role;
    } event[] = {{"busy", IR_NET_ENGINE_BUSY},
                 {"stall_beat", IR_NET_ENGINE_STALL_BEAT},
                 {"stall_x", IR_NET_ENGINE_STALL_X},
                 {"stall_out", IR_NET_ENGINE_STALL_OUT}};
    for (size_t i = 0; i < COUNT_OF(event); i++)
        ir_add_wire(e->ir, e->kernel, event[i].port, true, 1, ir_net(e->ir, event[i].role, e->id));
}

// Sets the engine's parameters and connects its ports other than x and y.
static void set_engine_params(struct engine *e) {
    struct ir *ir = e->ir;
    bool keys = fires(e, ENGINE_MODE_SCORES), values = fires(e, ENGINE_MODE_VALUES);
    ir_set_int(ir, e->kernel, "CHANNELS", e->lanes);
    ir_set_int(ir, e->kernel, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, e->kernel, "TOKENS", ir_places(ir));
    ir_set_int(ir, e->kernel, "GROUP", ir->design.group);
    ir_set_int(ir, e->kernel, "X_UNITS", operand_units(e, false));
    ir_set_float(ir, e->kernel, "SCALE_K", scale_of(e, ENGINE_MODE_SCORES));
    ir_set_float(ir, e->kernel, "SCALE_V", scale_of(e, ENGINE_MODE_VALUES));
    ir_set_int(ir, e->kernel, "HAS_KV", keys || values);
    ir_set_int(ir, e->kernel, "TURN_TOKENS", ir->design.copies);
    if (ir->design.pump) ir_set_int(ir, e->kernel, "PUMP", ir->design.pump);
    if (fires_asym(e)) ir_set_int(ir, e->kernel, "ASYM", 1);
    if (fires_asym(e) && operand_units(e, true) < operand_units(e, false))
        ir_set_int(ir, e->kernel, "ASYM_UNITS", operand_units(e, true));
    if (ir->design.slots && values) ir_set_int(ir, e->kernel, "SLOT_LAYERS", kv_layers(ir, 0));
    if (sum_bits(e) > 64) ir_set_int(ir, e->kernel, "ACC_W", 66);
    for (int f = 0; f < ir->firings; f++) {
        if (ir->firing[f].engine != e->id || ir->firing[f].mode <= ENGINE_MODE_INT4) continue;
        kv_set_windows(ir, kv_cache_of(ir, ir->firing[f].node).unit, e->kernel);
        break;
    }
    e->windows = kernel_has_key_windows(&ir->kernel[e->kernel]);
    ports_set_mantissas(ir, e->kernel);
    add_beats(e);
    add_events(e);
    tie_off(e, !keys, !values);
    ir->kernel[e->kernel].has_fault = true;
}

static int add_engine_kernel(struct ir *ir, int id, const char *name, const struct kernel_class *class) {
    int k = kernel_add(ir, ir_engine_name(ir, id, name), class, IR_NONE);
    ports_add_step(ir, k);
    return k;
}

bool bind_engine(struct ir *ir, int id, struct diag *diag) {
    struct engine e = {.ir = ir, .diag = diag, .id = id, .lanes = ir->engine[id].lanes, .ok = true};
    e.x_mux = add_engine_kernel(ir, id, "x_mux", &rtl_stream_mux);
    e.kernel = add_engine_kernel(ir, id, "engine", &rtl_engine);
    e.y_demux = add_engine_kernel(ir, id, "y_demux", &rtl_stream_demux);
    assign_x_ports(&e);
    assign_y_ports(&e);
    if (!e.ok) return false;
    if (e.x_ports > STEER_PORTS || e.y_ports > STEER_PORTS) {
        int most = e.x_ports > e.y_ports ? e.x_ports : e.y_ports;
        diag_error(diag, place_of_last(&e), MSG_ENGINE_PORTS, most, most == e.x_ports ? "operands" : "results",
                   STEER_PORTS);
        diag_note(
            diag, place_of_last(&e),
            "products that a region repeats count once; those that read one operand one after the other share it");
        return false;
    }
    add_x(&e);
    add_y(&e);
    set_engine_params(&e);
    set_schedule(&e, e.x_mux, STEER_BITS, add_x_entry);
    set_schedule(&e, e.kernel, ENGINE_BITS, add_engine_entry);
    set_schedule(&e, e.y_demux, STEER_BITS, add_y_entry);
    ir->engine[id].kernel = e.kernel;
    ir->engine[id].x_mux = e.x_mux;
    ir->engine[id].y_demux = e.y_demux;
    bind_tensor_rows(ir, id);
    return true;
}
