// SPDX-License-Identifier: Apache-2.0
// route-streams: connects the kernels by streams with exactly one writer and one reader each. Before this pass, the IR
// only has the port that makes a tensor and the ports that read it. The pass inserts multiplexers and demultiplexers
// for the loops of repeated regions, replay buffers for values that such a region reads in every repetition, selectors
// of the last token where a `when: last` region begins (with drafts or slots, of all tokens of steps with a head), and
// forks.
#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"
#include "gen/ir/schedule.h"

struct endpoint { // a port at one end of a stream
    int kernel, port;
    bool once; // the reader takes the value once per step instead of once per repetition
};
// The kernels between a value's region and its readers in another region: a selector of tokens, a replay buffer, or
// both. `in` and `out` are the ends of the chain.
struct bridge {
    int region;                // region of the readers
    bool select, replay, once; // once: as in struct endpoint, for all readers
    struct endpoint in, out;
};
typedef VEC(struct endpoint) endpoint_list;

struct route {
    struct ir *ir;
    struct diag *diag;
    bool ok;
    struct value { // one per tensor
        struct endpoint source;
        endpoint_list sinks;
    } * value;
    int values;
};

static struct ir_port *port_at(const struct route *r, struct endpoint e) {
    return &r->ir->kernel[e.kernel].port[e.port];
}
static void add_sink(struct route *r, int tensor, struct endpoint e) {
    VEC_PUSH(r->ir->arena, r->value[tensor].sinks, e);
}

// Finds the writer and the readers of every tensor.
static void collect(struct route *r) {
    struct ir *ir = r->ir;
    r->values = ir->tensors;
    r->value = ARENA_ARRAY(ir->arena, struct value, (size_t)ir->tensors);
    for (int t = 0; t < ir->tensors; t++) r->value[t].source.kernel = IR_NONE;
    for (int k = 0; k < ir->kernels; k++)
        for (int p = 0; p < ir->kernel[k].ports; p++) {
            const struct ir_port *port = &ir->kernel[k].port[p];
            if (port->tensor == IR_NONE) continue;
            if (port->is_output) r->value[port->tensor].source = (struct endpoint){k, p, false};
            else add_sink(r, port->tensor, (struct endpoint){k, p, false});
        }
}

// ---- inserted kernels ----

// Adds a port for streams like those of `like`. index: as in struct ir_port. region: region in which the port fires.
static struct endpoint add_stream_port(struct route *r, int kernel, const char *name, bool is_output, int index,
                                       const struct ir_port *like, int region) {
    int p = ports_add_like(r->ir, kernel, name, is_output, like);
    r->ir->kernel[kernel].port[p].index = index;
    r->ir->kernel[kernel].port[p].region = region;
    r->ir->kernel[kernel].port[p].pieces = 1; // schedules count whole tensors
    return (struct endpoint){kernel, p, false};
}

static bool is_fp32(const struct ir_port *p) {
    return p->kind == IR_STREAM_TOKENS && p->type.dtype == IR_F32 && p->type.loops > 0;
}

// Returns a copy of the writer's port in the form in which the value is sent between regions, as whole tensors. If rows
// are padded to whole words, the copy's type is a plain sequence of elements without padding.
static struct ir_port whole_port(const struct route *r, struct endpoint source) {
    struct ir_port like = *port_at(r, source);
    if (like.pieces <= 1 || !is_fp32(&like) || like.tensor == IR_NONE) return like;
    int64_t elements = ir_tensor_elements(&r->ir->tensor[like.tensor]), width = itensor_tile(&like.type);
    struct ir_tensor any = {.dtype = IR_F32, .rank = 1, .shape = {{elements, IR_STATIC}}};
    if (elements / like.pieces % width) like.type = ports_vector_type(r->ir, &any, width);
    return like;
}

static void connect(struct route *r, struct endpoint from, struct endpoint to) {
    ir_connect(r->ir, from.kernel, from.port, to.kernel, to.port);
}

// Adds a section that steers to or from port `entry` in `repeat` repetitions of the region. With repeat 0 it has no
// entry.
static void region_section(struct schedule *s, const struct ir_region *region, int64_t repeat, uint64_t entry) {
    schedule_section(s, repeat, region->when == IR_LAST);
    if (repeat == 0) s->section[s->sections - 1].repeat = 1; // an empty section still counts as one pass
    else {
        schedule_entry(s);
        schedule_field(s, STEER_PORT, entry);
    }
}

// Adds a multiplexer or demultiplexer with two ports, which a schedule steers. Returns the kernel.
static int add_steering(struct route *r, const char *name, const struct kernel_class *class,
                        const struct ir_port *like) {
    int k = kernel_add(r->ir, name, class, IR_NONE);
    ir_set_int(r->ir, k, "PORTS", 2);
    ir_set_int(r->ir, k, "DATA_W", like->data_bits);
    ir_set_int(r->ir, k, "USER_W", ports_user_bits(r->ir));
    ports_add_step(r->ir, k);
    return k;
}

// Adds the multiplexer at a region's entry, and sets the ends init, feedback (its inputs) and out. The first firing of
// a step comes from `init`, all others from `feedback`.
static void add_loop(struct route *r, int region, const char *name, const struct ir_port *like, struct endpoint *init,
                     struct endpoint *feedback, struct endpoint *out) {
    struct ir *ir = r->ir;
    int k = add_steering(r, arena_printf(ir->arena, "%s_loop", name), &rtl_stream_mux, like);
    struct schedule s;
    schedule_init(&s, ir, STEER_BITS);
    region_section(&s, &ir->region[region], 1, 0);
    region_section(&s, &ir->region[region], ir->region[region].repeat - 1, 1);
    schedule_set_params(&s, k);
    *init = add_stream_port(r, k, "", false, 0, like, region);
    *feedback = add_stream_port(r, k, "", false, 1, like, region);
    *out = add_stream_port(r, k, "", true, IR_NONE, like, region);
}

// Adds the demultiplexer at a region's exit, and sets the ends in, feedback and out (its outputs). It sends the last
// firing of a step to `out` and all others to `feedback`. Without has_feedback it drops the others; without has_out it
// drops the last one.
static void add_exit(struct route *r, int region, const char *name, const struct ir_port *like, bool has_feedback,
                     bool has_out, struct endpoint *in, struct endpoint *feedback, struct endpoint *out) {
    struct ir *ir = r->ir;
    int k = add_steering(r, arena_printf(ir->arena, "%s_exit", name), &rtl_stream_demux, like);
    struct schedule s;
    schedule_init(&s, ir, STEER_BITS);
    region_section(&s, &ir->region[region], ir->region[region].repeat - 1, has_feedback ? 0 : STEER_PORT_DROP);
    region_section(&s, &ir->region[region], 1, has_out ? 1 : STEER_PORT_DROP);
    schedule_set_params(&s, k);
    *in = add_stream_port(r, k, "", false, IR_NONE, like, region);
    *feedback = add_stream_port(r, k, "", true, 0, like, region);
    *out = add_stream_port(r, k, "", true, 1, like, region);
}

// Adds a selector before a `when: last` region. It passes on the last token, or with drafts or slots all tokens of
// steps with a head. Returns its input; *out is its output.
static struct endpoint add_select(struct route *r, struct endpoint source, int region, const char *name,
                                  struct endpoint *out) {
    struct ir *ir = r->ir;
    struct ir_port like = whole_port(r, source);
    int k = kernel_add(ir, arena_printf(ir->arena, "%s_into_%s", name, ir->region[region].name), &rtl_token_select,
                       IR_NONE);
    ir_set_int(ir, k, "DATA_W", like.data_bits);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    if (ir_chooses_all(ir)) ir_set_int(ir, k, "ALL", 1);
    if (ir_parts_of_step(ir) > 1) ir_set_int(ir, k, "PARTS", ir_parts_of_step(ir));
    ports_add_step(ir, k);
    struct endpoint in = add_stream_port(r, k, "", false, IR_NONE, &like, like.region);
    *out = add_stream_port(r, k, "", true, IR_NONE, &like, region);
    return in;
}

// Adds a buffer that sends a value once for each repetition of a region. Returns its input; *out is its output.
static struct endpoint add_replay(struct route *r, struct endpoint source, int region, const char *name,
                                  struct endpoint *out) {
    struct ir *ir = r->ir;
    struct ir_port like = whole_port(r, source);
    int k =
        kernel_add(ir, arena_printf(ir->arena, "%s_in_%s", name, ir->region[region].name), &rtl_replay_buffer, IR_NONE);
    ir_set_int(ir, k, "DATA_W", like.data_bits);
    ir_set_int(ir, k, "USER_W", ports_user_bits(ir));
    ir_set_int(ir, k, "DEPTH", ports_firing_words(&like));
    ir_set_int(ir, k, "REPLAYS", ir->region[region].repeat);
    struct endpoint in = add_stream_port(r, k, "", false, IR_NONE, &like, like.region);
    *out = add_stream_port(r, k, "", true, IR_NONE, &like, region);
    return in;
}

// Returns the bridge that a value of region `home` needs to a reader; a bridge without kernels if it needs none. home
// IR_NONE: the value is an input of the graph, which arrives once per step.
static struct bridge bridge_to(const struct route *r, int home, struct endpoint sink) {
    const struct ir *ir = r->ir;
    struct bridge b = {.region = port_at(r, sink)->region, .once = sink.once};
    if (b.region == IR_NONE || b.region == home) return b;
    b.select = ir->region[b.region].when == IR_LAST && (home == IR_NONE || ir->region[home].when == IR_ALWAYS);
    b.replay = ir->region[b.region].repeat > 1 && !sink.once;
    return b;
}

// Adds the kernels of a bridge and sets its ends. The caller connects them.
static void build_bridge(struct route *r, struct endpoint source, struct bridge *b, const char *name) {
    struct endpoint out;
    if (b->select) b->in = add_select(r, source, b->region, name, &b->out);
    if (!b->replay) return;
    struct endpoint in = add_replay(r, b->select ? b->out : source, b->region, name, &out);
    if (b->select) connect(r, b->out, in);
    else b->in = in;
    b->out = out;
}

// ---- from one value to all its readers ----

// Adds a fork from a source to `count` readers.
static void add_fork(struct route *r, struct endpoint source, int count, const char *name,
                     const struct endpoint *sink) {
    struct ir *ir = r->ir;
    struct ir_port like = *port_at(r, source);
    int k = kernel_add(ir, arena_printf(ir->arena, "%s_fork", name), &rtl_fork, IR_NONE);
    ir_set_int(ir, k, "PORTS", count);
    struct endpoint in = add_stream_port(r, k, "", false, IR_NONE, &like, like.region);
    port_at(r, in)->pieces = like.pieces;
    connect(r, source, in);
    for (int i = 0; i < count; i++) {
        struct endpoint out = add_stream_port(r, k, "", true, i, &like, like.region);
        port_at(r, out)->pieces = like.pieces;
        connect(r, out, sink[i]);
    }
}

// Whether two ports can be at the ends of one stream without a converter.
static bool take_alike(const struct ir_port *a, const struct ir_port *b) {
    return !ports_is_vector(a) || !ports_is_vector(b) || (ir_type_equal(&a->type, &b->type) && a->pieces == b->pieces);
}

// Joins readers that walk the tensor in one common way, but not as it arrives. They get a separate fork, so that they
// share one converter before it. The fork replaces them in `sinks`. Returns the number of readers that are left.
static size_t join_readers(struct route *r, struct endpoint source, endpoint_list *sinks, const char *name) {
    struct ir *ir = r->ir;
    for (size_t i = 0; i < sinks->count; i++) {
        endpoint_list alike = {0}, others = {0};
        struct ir_port like = *port_at(r, sinks->items[i]);
        if (take_alike(port_at(r, source), &like)) continue;
        for (size_t k = 0; k < sinks->count; k++) {
            bool joins = k >= i && take_alike(port_at(r, sinks->items[k]), &like);
            if (joins) VEC_PUSH(ir->arena, alike, sinks->items[k]);
            else VEC_PUSH(ir->arena, others, sinks->items[k]);
        }
        if (alike.count < 2 || !ports_is_vector(&like)) continue;
        int k = kernel_add(ir, arena_printf(ir->arena, "%s_fork_%zu", name, i + 1), &rtl_fork, IR_NONE);
        int region = port_at(r, source)->region;
        ir_set_int(ir, k, "PORTS", (int64_t)alike.count);
        struct endpoint in = add_stream_port(r, k, "", false, IR_NONE, &like, region);
        port_at(r, in)->pieces = like.pieces;
        for (size_t s = 0; s < alike.count; s++) {
            struct endpoint out = add_stream_port(r, k, "", true, (int)s, &like, region);
            port_at(r, out)->pieces = like.pieces;
            connect(r, out, alike.items[s]);
        }
        VEC_PUSH(ir->arena, others, in);
        *sinks = others;
        i--; // the next reader is now at this index
    }
    return sinks->count;
}

// Connects a source to readers that need no bridge.
static void deliver(struct route *r, struct endpoint source, const struct endpoint *readers, size_t count,
                    const char *name) {
    endpoint_list sinks = {0};
    for (size_t i = 0; i < count; i++) VEC_PUSH(r->ir->arena, sinks, readers[i]);
    count = ports_is_vector(port_at(r, source)) ? join_readers(r, source, &sinks, name) : count;
    if (count == 1) connect(r, source, sinks.items[0]);
    if (count > 1) add_fork(r, source, (int)count, name, sinks.items);
}

// Adds a note that says how the spec can avoid a value of several firings between regions.
static void note_parts(const struct route *r, int tensor) {
    const struct ir_tensor *t = &r->ir->tensor[tensor];
    if (t->heads || t->dtype == IR_SCALAR)
        diag_note(r->diag, t->loc, "`scale` joins the heads of attention; put it into their region");
    else if (t->dtype == IR_MX) diag_note(r->diag, t->loc, "put the `quantize` into the region of the product");
}

// Reports a bridge for a value of several firings. A replay buffer repeats single firings, and a selector passes on a
// single firing per step, so the firings would arrive in the wrong order.
static void check_bridge(struct route *r, int tensor, const struct bridge *b) {
    const struct ir *ir = r->ir;
    if (!(b->replay || b->select) || ports_ends(ir, tensor) == 1) return;
    diag_error(r->diag, ir->tensor[tensor].loc, MSG_PARTS_INTO_REGION, ir->tensor[tensor].name,
               (long long)ports_ends(ir, tensor), ir->region[b->region].name, b->replay ? "repeats" : "runs last only");
    note_parts(r, tensor);
    r->ok = false;
}

// Reports an exit for a value of several firings, because an exit passes on a single firing, the last one of the step.
static void check_exit(struct route *r, int tensor, int region) {
    const struct ir *ir = r->ir;
    if (ports_ends(ir, tensor) == 1) return;
    diag_error(r->diag, ir->tensor[tensor].loc, MSG_PARTS_OUT_OF_REGION, ir->tensor[tensor].name,
               (long long)ports_ends(ir, tensor), ir->region[region].name);
    note_parts(r, tensor);
    r->ok = false;
}

// Connects a value to its readers. Readers in another region than the writer's get it through one bridge per region, or
// through two if some of them take it once per step and others once per repetition.
static void deliver_tensor(struct route *r, int tensor, struct endpoint source, const struct endpoint *sinks,
                           size_t count) {
    struct ir *ir = r->ir;
    const char *name = ir->tensor[tensor].name;
    int home = port_at(r, source)->region;
    endpoint_list direct = {0};
    VEC(struct bridge) bridges = {0};
    endpoint_list *readers = ARENA_ARRAY(ir->arena, endpoint_list, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct bridge b = bridge_to(r, home, sinks[i]);
        check_bridge(r, tensor, &b);
        if (!b.select && !b.replay) {
            VEC_PUSH(ir->arena, direct, sinks[i]);
            continue;
        }
        size_t at = 0;
        while (at < bridges.count && (bridges.items[at].region != b.region || bridges.items[at].once != b.once)) at++;
        if (at == bridges.count) VEC_PUSH(ir->arena, bridges, b);
        VEC_PUSH(ir->arena, readers[at], sinks[i]);
    }
    for (size_t b = 0; b < bridges.count; b++) {
        build_bridge(r, source, &bridges.items[b], name);
        VEC_PUSH(ir->arena, direct, bridges.items[b].in);
    }
    deliver(r, source, direct.items, direct.count, name);
    for (size_t b = 0; b < bridges.count; b++)
        deliver(r, bridges.items[b].out, readers[b].items, readers[b].count,
                arena_printf(ir->arena, "%s_%s", name, ir->region[bridges.items[b].region].name));
}

// ---- regions ----

// Divides the readers of a tensor into those inside a region and those outside.
static void split_sinks(struct route *r, int tensor, int region, endpoint_list *inside, endpoint_list *outside) {
    struct value *v = &r->value[tensor];
    for (size_t i = 0; i < v->sinks.count; i++) {
        if (port_at(r, v->sinks.items[i])->region == region) VEC_PUSH(r->ir->arena, *inside, v->sinks.items[i]);
        else VEC_PUSH(r->ir->arena, *outside, v->sinks.items[i]);
    }
}

// Routes a carried tensor: adds a loop at the region's entry, an exit, and the stream back. In a region that does not
// repeat, readers take `init` or `next` instead.
static void route_carry(struct route *r, int region, const struct ir_carry *carry) {
    struct ir *ir = r->ir;
    endpoint_list inside = {0}, outside = {0};
    split_sinks(r, carry->local, region, &inside, &outside);
    const char *name = ir->tensor[carry->local].name;
    if (ir->region[region].repeat == 1) { // no loop: the value passes straight through
        for (size_t i = 0; i < inside.count; i++) add_sink(r, carry->init, inside.items[i]);
        for (size_t i = 0; i < outside.count; i++) add_sink(r, carry->next, outside.items[i]);
        r->value[carry->local].sinks.count = 0;
        return;
    }
    check_exit(r, carry->next, region);
    struct ir_port like = whole_port(r, r->value[carry->next].source);
    struct endpoint init, feedback, out, exit_in, exit_feedback, exit_out;
    add_loop(r, region, name, &like, &init, &feedback, &out);
    add_exit(r, region, name, &like, true, outside.count > 0, &exit_in, &exit_feedback, &exit_out);
    port_at(r, out)->tensor = carry->local;
    r->value[carry->local].source = out;
    r->value[carry->local].sinks.count = 0;
    for (size_t i = 0; i < inside.count; i++) add_sink(r, carry->local, inside.items[i]);
    init.once = true;
    add_sink(r, carry->init, init);
    add_sink(r, carry->next, exit_in);
    connect(r, exit_feedback, feedback);
    if (outside.count) deliver_tensor(r, carry->local, exit_out, outside.items, outside.count);
}

// Adds an exit for a tensor of a repeated region that is read after the region without a carry. These readers get the
// value of the last repetition.
static void route_last_repetition(struct route *r, int tensor) {
    struct ir *ir = r->ir;
    struct value *v = &r->value[tensor];
    if (v->source.kernel == IR_NONE) return;
    int region = port_at(r, v->source)->region;
    if (region == IR_NONE || ir->region[region].repeat == 1) return;
    endpoint_list inside = {0}, outside = {0};
    split_sinks(r, tensor, region, &inside, &outside);
    if (!outside.count) return;
    check_exit(r, tensor, region);
    struct ir_port like = whole_port(r, v->source);
    struct endpoint in, feedback, out;
    add_exit(r, region, ir->tensor[tensor].name, &like, false, true, &in, &feedback, &out);
    v->sinks.count = 0;
    for (size_t i = 0; i < inside.count; i++) add_sink(r, tensor, inside.items[i]);
    add_sink(r, tensor, in);
    deliver_tensor(r, tensor, out, outside.items, outside.count);
}

// Reports a tensor that is made in a `when: last` region and read in a region that runs in every step.
static bool check_when(struct route *r, int tensor) {
    const struct ir *ir = r->ir;
    const struct value *v = &r->value[tensor];
    if (v->source.kernel == IR_NONE) return true;
    int home = port_at(r, v->source)->region;
    for (size_t i = 0; home != IR_NONE && i < v->sinks.count; i++) {
        int region = port_at(r, v->sinks.items[i])->region;
        if (region == IR_NONE || ir->region[home].when != IR_LAST || ir->region[region].when == IR_LAST) continue;
        diag_error(r->diag, ir->tensor[tensor].loc, MSG_REGION_RUNS_LAST, ir->tensor[tensor].name,
                   ir->region[home].name, ir->region[region].name);
        return false;
    }
    return true;
}

// Connects the token loop's step words to all kernels that read them.
static void route_steps(struct route *r) {
    struct ir *ir = r->ir;
    struct endpoint source = {IR_NONE, 0, false};
    endpoint_list sinks = {0};
    for (int k = 0; k < ir->kernels; k++)
        for (int p = 0; p < ir->kernel[k].ports; p++) {
            const struct ir_port *port = &ir->kernel[k].port[p];
            if (port->role != IR_ROLE_STEP || port->edge != IR_NONE) continue;
            if (port->is_output) source = (struct endpoint){k, p, false};
            else VEC_PUSH(ir->arena, sinks, ((struct endpoint){k, p, false}));
        }
    if (source.kernel != IR_NONE) deliver(r, source, sinks.items, sinks.count, "step");
}

bool pass_route_streams(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    struct route r = {.ir = ir, .diag = diag, .ok = true};
    collect(&r);
    for (int t = 0; t < r.values; t++) r.ok &= check_when(&r, t);
    if (!r.ok) return false;
    for (int g = ir->regions - 1; g >= 0; g--)
        for (int c = 0; c < ir->region[g].carries; c++) route_carry(&r, g, &ir->region[g].carry[c]);
    for (int t = 0; t < r.values; t++) route_last_repetition(&r, t);
    for (int t = 0; t < r.values; t++) {
        struct value *v = &r.value[t];
        if (v->source.kernel != IR_NONE) deliver_tensor(&r, t, v->source, v->sinks.items, v->sinks.count);
    }
    route_steps(&r);
    return r.ok;
}
