// SPDX-License-Identifier: Apache-2.0
// Writes an instance of each kernel in a module's body, writers before readers. Connects the ports of each instance to
// the nets of streams, to plain nets and to the memory's transfers.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

// ---- streams ----

static bool has_user(const struct ir_port *p) { return p->kind == IR_STREAM_TOKENS || p->kind == IR_STREAM_COUNTED; }

static const char *signal_net(const struct emit_plan *p, const struct ir_port *port, int signal) {
    return emit_net(p, port->edge, port->is_output, (enum emit_field)signal);
}

static const char *port_prefix(const struct ir *ir, const struct ir_port *p) {
    return arena_printf(ir->arena, "%s_axis_%s%s", p->is_output ? "m" : "s", p->name, *p->name ? "_" : "");
}

// Writes the signals of a port that is not an array.
static void add_single(const struct emit_scope *s, const struct ir_port *p) {
    const char *prefix = port_prefix(s->plan->ir, p);
    int count = p->kind == IR_STREAM_COUNTED ? EMIT_FIELDS : has_user(p) ? EMIT_TCOUNT : EMIT_TUSER;
    for (int i = 0; i < count; i++) { // handshake on one line, payload on the next
        const char *net = p->edge != IR_NONE ? signal_net(s->plan, p, i) : i == 1 && p->is_output ? "1'b1" : "";
        text_addf(s->out, "%s%s.%s%s(%s)", i ? "," : "", i == 0 || i == 2 ? "\n        " : " ", prefix,
                  emit_field_words[i], net);
    }
}

const struct ir_port *emit_array_port(const struct ir_kernel *k, const struct ir_port *like, int index) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].index == index && k->port[p].is_output == like->is_output &&
            !strcmp(k->port[p].name, like->name))
            return &k->port[p];
    return NULL;
}

static const char *unused_net(const struct ir *ir, const struct ir_kernel *k, const struct ir_port *p) {
    return arena_printf(ir->arena, "%s_unused_%d", k->name, p->index);
}

// Returns the net of one signal of an array's port. An output that no kernel reads has `unused` nets and is always
// ready, so that it never blocks the kernel.
static const char *array_net(const struct emit_plan *p, const struct ir_kernel *k, const struct ir_port *port,
                             int signal) {
    if (port->edge != IR_NONE) return signal_net(p, port, signal);
    return signal == EMIT_TREADY
               ? "1'b1"
               : arena_printf(p->ir->arena, "%s_%s", unused_net(p->ir, k, port), emit_field_words[signal]);
}

// Writes the ports of an array as packed ports, with port 0 in the low bits. first: port 0. handshake_only: leaves out
// the words.
static void add_array(const struct emit_scope *s, const struct ir_kernel *k, const struct ir_port *first,
                      bool handshake_only) {
    int ports = 0;
    while (emit_array_port(k, first, ports)) ports++;
    for (int i = 0; i < (handshake_only ? EMIT_TDATA : EMIT_TCOUNT); i++) {
        text_addf(s->out, "%s\n        .%s%s(%s", i ? "," : "", port_prefix(s->plan->ir, first), emit_field_words[i],
                  emit_open(ports));
        for (int n = ports - 1; n >= 0; n--)
            text_addf(s->out, "%s%s", n == ports - 1 ? "" : ", ",
                      array_net(s->plan, k, emit_array_port(k, first, n), i));
        text_addf(s->out, "%s)", emit_close(ports));
    }
}

// Declares nets for array outputs without a reader.
static void add_unused_nets(const struct emit_scope *s, const struct ir_kernel *k) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].edge == IR_NONE && k->port[p].index != IR_NONE && k->port[p].is_output) {
            const char *net = unused_net(s->plan->ir, k, &k->port[p]);
            struct emit_word w = emit_port_word(s->plan->ir, (int)(k - s->plan->ir->kernel), &k->port[p]);
            text_addf(s->out, "    // output %d has no reader\n    wire %s_tvalid%s%s%s;\n", k->port[p].index, net,
                      w.last ? ", " : "", w.last ? net : "", w.last ? "_tlast" : "");
            text_addf(s->out, "    wire %s%s_tdata;\n", emit_field_range(s->plan->ir, &w, EMIT_TDATA), net);
            if (w.user) text_addf(s->out, "    wire %s%s_tuser;\n", emit_field_range(s->plan->ir, &w, EMIT_TUSER), net);
        }
}

static bool is_fork(const struct ir_kernel *k) { return kernel_is(k, KERNEL_FORK); }

// Assigns the word at a fork's input to the words at its outputs, if these have nets, because the fork itself has only
// handshakes. Usually they have none, and readers read the word at the fork's input; they have nets if the link of the
// stream into the fork is in another module (emit_fork_at).
static void add_fork_words(const struct emit_scope *s, const struct ir_kernel *k) {
    struct emit_word w = emit_word(s->plan->ir, &s->plan->ir->edge[k->port[0].edge]);
    if (emit_fork_at(s->plan, k->port[0].edge) != IR_NONE) return;
    for (int p = 1; p < k->ports; p++)
        for (int f = EMIT_TDATA; f < EMIT_FIELDS; f++)
            if (emit_field_bits(&w, (enum emit_field)f) && k->port[p].edge != IR_NONE)
                text_addf(s->out, "    assign %s = %s;\n", signal_net(s->plan, &k->port[p], f),
                          signal_net(s->plan, &k->port[0], f));
}

static void add_streams(const struct emit_scope *s, const struct ir_kernel *k) {
    for (int p = 0; p < k->ports; p++) {
        const struct ir_port *port = &k->port[p];
        if (port->index > 0) continue;
        text_add(s->out, ",");
        if (port->index == 0) add_array(s, k, port, is_fork(k));
        else if (is_fork(k))
            text_addf(s->out, "\n        .s_axis_tvalid(%s), .s_axis_tready(%s)", signal_net(s->plan, port, 0),
                      signal_net(s->plan, port, 1));
        else add_single(s, port);
    }
}

// ---- storage that several streams share ----

int emit_pool_member(const struct ir *ir, int pool, int port) {
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].pool == pool && ir->edge[e].pool_port == port) return e;
    base_fatal("emit: pool %s without a stream at port %d", ir->kernel[pool].name, port);
}

// Writes one signal of all streams of the pool, on the storage's side. is_input: at the input of the storage.
static void add_pool_array(const struct emit_scope *s, int pool, const char *port, bool is_input, int signal) {
    const struct ir *ir = s->plan->ir;
    text_addf(s->out, ",\n        .%s({", port);
    for (int i = (int)emit_pool_number(ir, pool, "PORTS") - 1; i >= 0; i--) {
        int e = emit_pool_member(ir, pool, i);
        enum emit_field f = (enum emit_field)signal;
        const char *net = is_input ? emit_into_pool(s->plan, e, f) : emit_out_of_pool(s->plan, e, f);
        text_addf(s->out, "%s%s", net, i ? ", " : "})");
    }
}

// Writes the words of all streams at the storage's input: tuser and tdata, filled with zeros up to the storage's width.
static void add_pool_words(const struct emit_scope *s, int pool) {
    const struct ir *ir = s->plan->ir;
    int64_t width = emit_pool_number(ir, pool, "DATA_W");
    text_add(s->out, ",\n        .s_axis_tdata({");
    for (int i = (int)emit_pool_number(ir, pool, "PORTS") - 1; i >= 0; i--) {
        int e = emit_pool_member(ir, pool, i);
        struct emit_word word = emit_word(ir, &ir->edge[e]);
        struct kernel_part part = kernel_part(ir, &ir->edge[e]);
        const char *data = emit_into_pool(s->plan, e, EMIT_TDATA);
        int64_t rest = width - part.bits - word.user;
        if (rest) text_addf(s->out, "%lld'd0, ", (long long)rest);
        text_addf(s->out, "%s, %s%s", emit_into_pool(s->plan, e, EMIT_TUSER),
                  emit_slice(ir, data, word.data, part.first, part.bits), i ? ", " : "})");
    }
}

static void add_pool_ports(const struct emit_scope *s, int pool) {
    add_pool_array(s, pool, "s_axis_tvalid", true, EMIT_TVALID);
    add_pool_array(s, pool, "s_axis_tready", true, EMIT_TREADY);
    add_pool_words(s, pool);
    add_pool_array(s, pool, "s_axis_tlast", true, EMIT_TLAST);
    add_pool_array(s, pool, "m_axis_tvalid", false, EMIT_TVALID);
    add_pool_array(s, pool, "m_axis_tready", false, EMIT_TREADY);
    text_addf(s->out, ",\n        .m_axis_tdata(%s_word)", s->plan->ir->kernel[pool].name);
    add_pool_array(s, pool, "m_axis_tlast", false, EMIT_TLAST);
    text_add(s->out, ",\n        // read in simulation only\n        .occupancy(), .high_water()");
}

// ---- other ports ----

static void add_params(const struct emit_scope *s, int id) {
    const struct ir_kernel *k = &s->plan->ir->kernel[id];
    for (int p = 0; p < k->params; p++) {
        text_add(s->out, p ? ",\n" : "\n");
        emit_describe_value(s->plan->ir, id, &k->param[p], s->out);
        text_addf(s->out, "        .%s(", k->param[p].name);
        emit_value(s->plan->ir, id, &k->param[p], s->out);
        text_add(s->out, ")");
    }
}

static const char *net_of(const struct ir *ir, int wire) { return ir_use_print(ir, &ir->wire[wire].use); }

static bool is_unused(const struct ir_wire *wire) { return !wire->use.parts; } // open, or tied to a constant

// Writes the ports that this design does not use, after a comment that gives the reason.
static void add_unused_ports(const struct emit_scope *s, int k) {
    const struct ir *ir = s->plan->ir;
    const struct kernel_class *class = kernel_of(&ir->kernel[k]);
    const char *why = class && class->without ? class->without : "not used in this design";
    for (int w = 0, count = 0; w < ir->wires; w++) {
        if (ir->wire[w].kernel != k || !is_unused(&ir->wire[w])) continue;
        if (!count++) text_addf(s->out, ",\n        // %s\n        .%s(%s)", why, ir->wire[w].port, net_of(ir, w));
        else text_addf(s->out, ",\n        .%s(%s)", ir->wire[w].port, net_of(ir, w));
    }
}

// Returns the bit of a kernel's fault in the vector of its module.
static int fault_place(const struct emit_plan *p, int kernel) {
    int place = 0;
    for (int k = 0; k < kernel; k++) place += p->ir->kernel[k].has_fault && p->home[k] == p->home[kernel];
    return place;
}

// Whether a port is tready or tdata of the stream of the port before it.
static bool follows(const char *before, const char *port) {
    const char *field = strrchr(port, '_'), *other = strrchr(before, '_');
    bool same = field && other && field - port == other - before && !strncmp(port, before, (size_t)(field - port));
    return same && (!strcmp(field, "_tready") || !strcmp(field, "_tdata"));
}

static void add_plain_nets(struct emit_scope *s, int k) {
    const struct ir *ir = s->plan->ir;
    const char *before = "";
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].kernel == k && !is_unused(&ir->wire[w])) {
            const char *doc = ir_port_doc(ir, &ir->wire[w]);
            text_addf(s->out, ",%s", follows(before, ir->wire[w].port) ? " " : "\n        ");
            if (doc) text_addf(s->out, "// %s\n        ", doc);
            text_addf(s->out, ".%s(%s)", ir->wire[w].port, net_of(ir, w));
            before = ir->wire[w].port;
        }
    if (ir->kernel[k].has_fault)
        text_addf(s->out, ",\n        .fault(fault%s)",
                  emit_bit(ir, s->plan->module[s->module].faults, fault_place(s->plan, k)));
}

// Connects the kernel's ports for descriptors and beats to the nets of its memory clients.
static void add_client_ports(const struct emit_scope *s, int k) {
    const struct ir *ir = s->plan->ir;
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        if (client->kernel != k || !client->port) continue;
        const char *name = arena_printf(ir->arena, "%s%s", client->port, *client->port ? "_" : "");
        const char *desc = client->is_write ? arena_printf(ir->arena, "m_axis_%sdesc", name)
                                            : arena_printf(ir->arena, "m_axis_%s", client->port);
        const char *beat = client->is_write ? arena_printf(ir->arena, "m_axis_%sbeat", name)
                                            : arena_printf(ir->arena, "s_axis_%s", client->port);
        for (int i = 0; i < 3; i++)
            text_addf(s->out, ",%s.%s_%s(%s_desc_%s)", i ? " " : "\n        ", desc, emit_field_words[i], client->name,
                      emit_field_words[i]);
        for (int i = 0; i < 3; i++)
            text_addf(s->out, ",%s.%s_%s(%s_beat_%s)", i ? " " : "\n        ", beat, emit_field_words[i], client->name,
                      emit_field_words[i]);
    }
}

// Returns the text that connects an engine's second clock, or an empty text for other kernels. A design with one clock
// connects the port to clk, and the engine ignores it.
static const char *second_clock(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel)
            return ir_second_clock(ir) ? ".clk_2x(clk_2x), "
                                       : "// this design has one clock and ignores clk_2x\n        .clk_2x(clk), ";
    return "";
}

// ---- instances ----

// Declares the nets at the kernel's ports that no link before it has declared.
static void declare_ends(struct emit_scope *s, int kernel) {
    const struct ir_kernel *k = &s->plan->ir->kernel[kernel];
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].edge != IR_NONE) emit_declare(s, k->port[p].edge, k->port[p].is_output);
}

// Writes a kernel: the links of the streams that it reads, its comment, the nets at its ports that are not declared
// yet, and the instance.
static void add_kernel(struct emit_scope *s, int id) {
    const struct ir *ir = s->plan->ir;
    const struct ir_kernel *k = &ir->kernel[id];
    text_addf(s->out, "\n    // ---- %s%s ----\n", k->name, emit_on_die(ir, k->die));
    emit_links(s, id);
    emit_describe_kernel(ir, id, s->out);
    declare_ends(s, id);
    add_unused_nets(s, k);
    if (is_fork(k)) add_fork_words(s, k);
    const char *reset = k->is_control ? "rst" : kernel_needs_reset(k) ? emit_reset(s, k->name, &k->die, 1) : "1'b0";
    text_addf(s->out, "    %s", k->module);
    if (k->params) {
        text_add(s->out, " #(");
        add_params(s, id);
        text_add(s->out, ")");
    }
    text_addf(s->out, " u_%s (\n        %s.clk(clk), .rst(%s)", k->name, second_clock(ir, id), reset);
    add_streams(s, k);
    if (kernel_is(k, KERNEL_POOL)) add_pool_ports(s, id);
    add_client_ports(s, id);
    add_plain_nets(s, id);
    add_unused_ports(s, id);
    text_add(s->out, ");\n");
    s->written[id] = true;
}

// ---- order ----

// The kernels of a module in the order in which data flow: writers before readers, except where a multiplexer closes a
// loop.
struct order {
    const struct emit_plan *plan;
    bool *seen;         // per kernel: it is in the order, or is being put there
    int *kernel, count; // the order so far
};

// Returns whether data of one kernel reach another one within their module. met: kernels that were already visited.
static bool reaches(const struct emit_plan *p, int from, int to, bool met[]) {
    const struct ir *ir = p->ir;
    if (from == to) return true;
    if (met[from]) return false;
    met[from] = true;
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].src_kernel == from && p->home[ir->edge[e].dst_kernel] == p->home[from] &&
            reaches(p, ir->edge[e].dst_kernel, to, met))
            return true;
    return false;
}

// Returns whether the stream from `from` to this multiplexer closes a loop.
static bool closes_loop(const struct emit_plan *p, int from, int kernel) {
    bool *met = ARENA_ARRAY(p->ir->arena, bool, (size_t)p->ir->kernels + 1);
    return kernel_is(&p->ir->kernel[kernel], KERNEL_MUX) && reaches(p, kernel, from, met);
}

// Puts a kernel into the order. The kernels of its module from which it reads come before it, and are put there in the
// same way.
static void put_in_order(struct order *o, int kernel) {
    const struct emit_plan *p = o->plan;
    const struct ir *ir = p->ir;
    if (o->seen[kernel]) return;
    o->seen[kernel] = true;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int from = edge->dst_kernel == kernel && edge->pool != IR_NONE ? edge->pool : edge->src_kernel;
        bool reads = edge->dst_kernel == kernel || edge->pool == kernel;
        if (reads && p->home[from] == p->home[kernel] && !closes_loop(p, from, kernel)) put_in_order(o, from);
    }
    o->kernel[o->count++] = kernel;
}

const int *emit_kernel_order(const struct emit_plan *p, int module, int *count) {
    const struct ir *ir = p->ir;
    struct order o = {p, ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernels + 1),
                      ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1), 0};
    for (int k = 0; k < ir->kernels; k++)
        if (p->home[k] == module) put_in_order(&o, k);
    *count = o.count;
    return o.kernel;
}

void emit_kernels(struct emit_scope *s) {
    int count;
    const int *kernel = emit_kernel_order(s->plan, s->module, &count);
    for (int i = 0; i < count; i++) add_kernel(s, kernel[i]);
}
