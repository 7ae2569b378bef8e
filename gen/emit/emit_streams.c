// SPDX-License-Identifier: Apache-2.0
// Edges and kernel instances. An edge is two bundles of nets, `<edge>_i` at the writer and `<edge>_o` at the reader,
// with a FIFO between.
#include <stdlib.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/ir/custom_ops.h"
#include "gen/cost/cost.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

enum { PROBE_MAX_BITS = 1088 /* verif/harness/rill_probe.sv */ };

static const struct ir_port *writer(const struct ir *ir, const struct ir_edge *e) {
    return &ir->kernel[e->src_kernel].port[e->src_port];
}

// tdata, then tuser and tlast, then tcount.
static int user_bits(const struct ir *ir) {
    return (ir->design.tokens > 1 ? u64_clog2((uint64_t)ir->design.tokens) : 1) + 1;
}
static bool has_user(const struct ir_port *p) { return p->kind == IR_STREAM_TOKENS || p->kind == IR_STREAM_COUNTED; }

static void emit_bundle(const struct ir *ir, const struct ir_port *p, const char *net, struct text *out) {
    text_addf(out, "    wire %s_tvalid, %s_tready;\n    wire %s%s_tdata;\n", net, net, emit_range(ir, p->data_bits),
              net);
    if (has_user(p))
        text_addf(out, "    wire %s%s_tuser;\n    wire %s_tlast;\n", emit_range(ir, user_bits(ir)), net, net);
    if (p->kind == IR_STREAM_COUNTED) text_addf(out, "    wire %s%s_tcount;\n", emit_range(ir, p->count_bits), net);
}

// Of a word's data what the stream's reader looks at: nothing else is stored or goes from die to die.
static const char *part_of(const struct ir *ir, const struct ir_edge *e, const char *net) {
    struct kernel_part part = kernel_part(ir, e);
    if (part.bits == writer(ir, e)->data_bits) return arena_printf(ir->arena, "%s_tdata", net);
    return arena_printf(ir->arena, "%s_tdata[%lld +: %lld]", net, (long long)part.first, (long long)part.bits);
}

// The rest of a net behind the writer's: nothing drives or reads it.
static void emit_rest(const struct ir *ir, const struct ir_edge *e, const char *net, struct text *out) {
    struct kernel_part part = kernel_part(ir, e);
    int64_t above = writer(ir, e)->data_bits - part.first - part.bits;
    if (part.first)
        text_addf(out, "    assign %s_tdata[%lld:0] = %lld'd0;\n", net, (long long)part.first - 1,
                  (long long)part.first);
    if (above)
        text_addf(out, "    assign %s_tdata[%lld +: %lld] = %lld'd0;\n", net, (long long)(part.first + part.bits),
                  (long long)above, (long long)above);
    if (part.first || above) text_addf(out, "    wire unused_%s = &{1'b0, %s_tdata};\n", net, net);
}

static void emit_rests(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    struct kernel_part part = kernel_part(ir, e);
    emit_rest(ir, e, arena_printf(ir->arena, "%s_o", e->name), out);
    if (part.bits < writer(ir, e)->data_bits)
        text_addf(out, "    wire unused_%s_i = &{1'b0, %s_i_tdata};\n", e->name, e->name);
}

// The port `side`_axis of what stores or delays words, tied to this net.
static void emit_side(const struct ir *ir, const struct ir_edge *e, char side, const char *net, struct text *out) {
    const struct ir_port *p = writer(ir, e);
    text_addf(out, ",\n        .%c_axis_tvalid(%s_tvalid), .%c_axis_tready(%s_tready),\n        .%c_axis_tdata(%s",
              side, net, side, net, side, emit_open(has_user(p) ? 2 : 1));
    if (p->kind == IR_STREAM_COUNTED) text_addf(out, "%s_tcount, ", net);
    if (has_user(p)) text_addf(out, "%s_tlast, %s_tuser, ", net, net);
    text_addf(out, "%s%s)", part_of(ir, e, net), emit_close(has_user(p) ? 2 : 1));
}

// ---- ways between dies ----

// From a bundle of nets to another one: a sender with credits, a stage on each die between, the FIFO at the far end.
struct way {
    const char *what, *in, *out; // what: in front of the names of instances
    int borders, from, to;       // from, to: dies
    int64_t depth;
    enum ram_style style;
    const char *fills; // more ports of the FIFO
};

// The die behind so many boundaries of the way.
static int die_of(const struct way *w, int boundaries) {
    return w->from + (w->from < w->to ? boundaries : -boundaries);
}

// What a stream in a pool has at the storage: bundles of their own where a way lies between.
static const char *storage_in(const struct ir *ir, const struct ir_edge *e) {
    return arena_printf(ir->arena, e->entry_crossings ? "%s_w" : "%s_i", e->name);
}
static const char *storage_out(const struct ir *ir, const struct ir_edge *e) {
    return arena_printf(ir->arena, e->crossings ? "%s_x" : "%s_o", e->name);
}

static const char *way_net(const struct ir *ir, const struct ir_edge *e, const struct way *w, int i) {
    return arena_printf(ir->arena, "%s_%s%d", e->name, w->what, i);
}

static void emit_way_nets(const struct ir *ir, const struct ir_edge *e, const struct way *w, struct text *out) {
    for (int i = 0; i < w->borders; i++) {
        const char *net = way_net(ir, e, w, i);
        text_addf(out, "    wire %s_valid, %s_credit;\n    wire %s%s_data;\n", net, net,
                  emit_range(ir, (int)ir_part_bits(e, cost_edge_bits(ir, e))), net);
    }
}

static void emit_stage(const struct ir *ir, const struct ir_edge *e, const struct way *w, int i,
                       struct emit_levels *levels, struct text *out) {
    const char *from = way_net(ir, e, w, i), *to = way_net(ir, e, w, i + 1);
    text_addf(out,
              "    %s #(.DATA_W(%lld), .CLEAR_W(2), .STAGES(1)) u_%sway_%s_%d (\n        .clk(clk), "
              ".rst(%s),\n        .d({%s_data, %s_valid, %s_credit}),\n        .q({%s_data, %s_valid, "
              "%s_credit}));\n",
              rtl_hop.module, (long long)cost_stream_bits(ir, e), w->what, e->name, i,
              emit_reset(ir, levels, die_of(w, i + 1)), from, from, to, to, to, from);
}

// Where a word goes as a whole there is no parameter.
static const char *parts_param(const struct ir *ir, const struct ir_edge *e) {
    return e->parts > 1 ? arena_printf(ir->arena, ", .PARTS(%d)", e->parts) : "";
}

static void emit_near_end(const struct ir *ir, const struct ir_edge *e, const struct way *w, struct emit_levels *levels,
                          struct text *out) {
    const char *net = way_net(ir, e, w, 0);
    text_addf(out, "    %s #(.DATA_W(%lld), .CREDITS(%lld)%s) u_%ssend_%s (\n        .clk(clk), .rst(%s)",
              rtl_credit_send.module, (long long)cost_edge_bits(ir, e), (long long)w->depth, parts_param(ir, e),
              w->what, e->name, emit_reset(ir, levels, w->from));
    emit_side(ir, e, 's', w->in, out);
    text_addf(out, ",\n        .valid(%s_valid), .data(%s_data), .credit(%s_credit));\n", net, net, net);
}

// The FIFO; without borders all that there is.
static void emit_far_end(const struct ir *ir, const struct ir_edge *e, const struct way *w, struct emit_levels *levels,
                         struct text *out) {
    const char *net = w->borders ? way_net(ir, e, w, w->borders - 1) : NULL;
    text_addf(out,
              "    %s #(.DATA_W(%lld), .DEPTH(%lld)%s, .RAM_STYLE(\"%s\")) u_%sfifo_%s (\n"
              "        .clk(clk), .rst(%s)",
              (net ? &rtl_credit_receive : &rtl_fifo)->module, (long long)cost_edge_bits(ir, e), (long long)w->depth,
              net ? parts_param(ir, e) : "", ram_style_words[w->style], w->what, e->name,
              emit_reset(ir, levels, w->borders ? w->to : w->from));
    if (net) text_addf(out, ",\n        .valid(%s_valid), .data(%s_data), .credit(%s_credit)", net, net, net);
    else emit_side(ir, e, 's', w->in, out);
    emit_side(ir, e, 'm', w->out, out);
    text_addf(out, ",\n        %s);\n", w->fills);
}

static void emit_way(const struct ir *ir, const struct ir_edge *e, const struct way *w, struct emit_levels *levels,
                     struct text *out) {
    emit_way_nets(ir, e, w, out);
    if (w->borders) emit_near_end(ir, e, w, levels, out);
    for (int i = 0; i + 1 < w->borders; i++) emit_stage(ir, e, w, i, levels, out);
    emit_far_end(ir, e, w, levels, out);
}

// Between a stream's own nets and those at the storage that it shares.
static void emit_pool_way(const struct ir *ir, const struct ir_edge *e, bool entry, struct emit_levels *levels,
                          struct text *out) {
    const char *here = arena_printf(ir->arena, entry ? "%s_i" : "%s_o", e->name),
               *storage = entry ? storage_in(ir, e) : storage_out(ir, e);
    int borders = entry ? e->entry_crossings : e->crossings, pool = ir->kernel[e->pool].die;
    const struct way way = {.from = entry ? ir_source_die(ir, e->src_kernel) : pool,
                            .to = entry ? pool : ir->kernel[e->dst_kernel].die,
                            .what = entry ? "entry_" : "exit_",
                            .in = entry ? here : storage,
                            .out = entry ? storage : here,
                            .borders = borders,
                            .depth = ir_credits(0, borders),
                            .style = RAM_DISTRIBUTED,
                            .fills = ".occupancy(), .high_water()"};
    if (!borders) return;
    emit_bundle(ir, writer(ir, e), storage, out);
    emit_rest(ir, e, storage, out);
    emit_way(ir, e, &way, levels, out);
}

// ---- probes, of a simulation only ----

static void emit_fill_probe(const struct ir_edge *e, int id, int bits, struct text *out) {
    text_addf(out,
              "    rill_fifo_probe #(.ID(%d), .DEPTH(%lld), .W(%d)) u_fill_%s (\n        .clk(clk), "
              ".occupancy(%s_fill), .high_water(%s_high));\n",
              id, (long long)e->depth, bits, e->name, e->name, e->name);
}

// Shows the stream to the checker; signals a stream does not have are tied to 0.
static void emit_beat_probe(const struct ir *ir, const struct ir_edge *e, int id, struct text *out) {
    const struct ir_port *p = writer(ir, e);
    bool counted = p->kind == IR_STREAM_COUNTED;
    if (p->data_bits > PROBE_MAX_BITS) return;
    text_addf(out,
              "    rill_probe #(.ID(%d), .DATA_W(%lld), .USER_W(%d), .COUNT_W(%lld)) u_probe_%s (\n"
              "        .clk(clk), .rst(%s),\n        .tvalid(%s_i_tvalid), .tready(%s_i_tready),\n"
              "        .tdata(%s_i_tdata), ",
              id, (long long)p->data_bits, user_bits(ir), counted ? (long long)p->count_bits : 1, e->name,
              emit_first_reset(ir), e->name, e->name, e->name);
    if (has_user(p)) text_addf(out, ".tuser(%s_i_tuser), .tlast(%s_i_tlast), ", e->name, e->name);
    else text_addf(out, ".tuser(%d'd0), .tlast(1'b0), ", user_bits(ir));
    if (counted) text_addf(out, ".tcount(%s_i_tcount));\n", e->name);
    else text_add(out, ".tcount(1'b0));\n");
}

static void emit_probes(const struct ir *ir, const struct ir_edge *e, int fill_bits, struct text *out) {
    int id = (int)(e - ir->edge);
    text_add(out, "`ifdef RILL_PROBES\n");
    emit_fill_probe(e, id, fill_bits, out);
    emit_beat_probe(ir, e, id, out);
    text_add(out, "`endif\n");
}

// ---- streams that share a storage: rill_fifo_pool ----

static int64_t pool_number(const struct ir *ir, int pool, const char *param) {
    return ir_param_int(&ir->kernel[pool], param, 0);
}
static int pool_count_bits(const struct ir *ir, int pool) {
    return u64_clog2((uint64_t)pool_number(ir, pool, "DEPTH") + 1);
}

// The nets of a stream in a pool; its words are a part of the pool's.
static void emit_pooled(const struct ir *ir, const struct ir_edge *e, struct emit_levels *levels, struct text *out) {
    const struct ir_port *p = writer(ir, e);
    const char *to = storage_out(ir, e), *pool = ir->kernel[e->pool].name;
    int bits = pool_count_bits(ir, e->pool);
    int64_t first = e->pool_port * pool_number(ir, e->pool, "DATA_W");
    emit_bundle(ir, p, arena_printf(ir->arena, "%s_i", e->name), out);
    emit_bundle(ir, p, arena_printf(ir->arena, "%s_o", e->name), out);
    emit_pool_way(ir, e, true, levels, out);
    emit_pool_way(ir, e, false, levels, out);
    text_addf(out, "    wire %s%s_fill, %s_high;\n", emit_range(ir, bits), e->name, e->name);
    text_addf(out, "    assign %s = %s_word[%lld +: %lld];\n", part_of(ir, e, to), pool, (long long)first,
              (long long)kernel_part(ir, e).bits);
    text_addf(out, "    assign %s_tuser = %s_word[%lld +: %d];\n", to, pool,
              (long long)(first + kernel_part(ir, e).bits), user_bits(ir));
    emit_rests(ir, e, out);
    emit_probes(ir, e, bits, out);
}

static const struct ir_edge *pool_member(const struct ir *ir, int pool, int port) {
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].pool == pool && ir->edge[e].pool_port == port) return &ir->edge[e];
    base_fatal("emit: pool %s without a stream at port %d", ir->kernel[pool].name, port);
}

static const char *stream_name(const struct ir *ir, const struct ir_edge *e) {
    (void)ir;
    return e->name;
}

// A signal of every stream: `base` gives the net's name without it.
static void emit_pool_array(const struct ir *ir, int pool, const char *port,
                            const char *(*base)(const struct ir *, const struct ir_edge *), const char *signal,
                            struct text *out) {
    int ports = (int)pool_number(ir, pool, "PORTS");
    text_addf(out, ",\n        .%s({", port);
    for (int i = ports - 1; i >= 0; i--)
        text_addf(out, "%s%s%s", base(ir, pool_member(ir, pool, i)), signal, i ? ", " : "})");
}

static void emit_pool_words(const struct ir *ir, int pool, struct text *out) {
    int64_t width = pool_number(ir, pool, "DATA_W");
    text_add(out, ",\n        .s_axis_tdata({");
    for (int i = (int)pool_number(ir, pool, "PORTS") - 1; i >= 0; i--) {
        const struct ir_edge *e = pool_member(ir, pool, i);
        int64_t rest = width - kernel_part(ir, e).bits - user_bits(ir);
        if (rest) text_addf(out, "%lld'd0, ", (long long)rest);
        text_addf(out, "%s_tuser, %s%s", storage_in(ir, e), part_of(ir, e, storage_in(ir, e)), i ? ", " : "})");
    }
}

static bool is_pool(const struct ir_kernel *k) { return kernel_is(k, KERNEL_POOL); }

static void emit_pool_ports(const struct ir *ir, int pool, struct text *out) {
    emit_pool_array(ir, pool, "s_axis_tvalid", storage_in, "_tvalid", out);
    emit_pool_array(ir, pool, "s_axis_tready", storage_in, "_tready", out);
    emit_pool_words(ir, pool, out);
    emit_pool_array(ir, pool, "s_axis_tlast", storage_in, "_tlast", out);
    emit_pool_array(ir, pool, "m_axis_tvalid", storage_out, "_tvalid", out);
    emit_pool_array(ir, pool, "m_axis_tready", storage_out, "_tready", out);
    text_addf(out, ",\n        .m_axis_tdata(%s_word)", ir->kernel[pool].name);
    emit_pool_array(ir, pool, "m_axis_tlast", storage_out, "_tlast", out);
    emit_pool_array(ir, pool, "occupancy", stream_name, "_fill", out);
    emit_pool_array(ir, pool, "high_water", stream_name, "_high", out);
}

static void emit_fifo(const struct ir *ir, const struct ir_edge *e, struct emit_levels *levels, struct text *out) {
    text_add(out, "\n");
    emit_describe_stream(ir, e, out);
    if (e->pool != IR_NONE) return emit_pooled(ir, e, levels, out);
    const struct ir_port *p = writer(ir, e);
    int fill_bits = u64_clog2((uint64_t)e->depth + 1);
    emit_bundle(ir, p, arena_printf(ir->arena, "%s_i", e->name), out);
    emit_bundle(ir, p, arena_printf(ir->arena, "%s_o", e->name), out);
    text_addf(out, "    wire %s%s_fill, %s_high;\n", emit_range(ir, fill_bits), e->name, e->name);
    const struct way way = {.what = "",
                            .from = ir_source_die(ir, e->src_kernel),
                            .to = ir->kernel[e->dst_kernel].die,
                            .in = arena_printf(ir->arena, "%s_i", e->name),
                            .out = arena_printf(ir->arena, "%s_o", e->name),
                            .borders = e->crossings,
                            .depth = e->depth,
                            .style = e->ram_style,
                            .fills =
                                arena_printf(ir->arena, ".occupancy(%s_fill), .high_water(%s_high)", e->name, e->name)};
    emit_way(ir, e, &way, levels, out);
    emit_rests(ir, e, out);
    emit_probes(ir, e, fill_bits, out);
}

void emit_streams(const struct ir *ir, struct emit_levels *levels, struct text *out) {
    text_add(out, "\n    // ---- streams: a FIFO on every edge ----\n");
    for (int k = 0; k < ir->kernels; k++)
        if (is_pool(&ir->kernel[k]))
            text_addf(out, "    wire [%lld:0] %s_word;\n",
                      (long long)(pool_number(ir, k, "PORTS") * pool_number(ir, k, "DATA_W")) - 1, ir->kernel[k].name);
    for (int e = 0; e < ir->edges; e++) emit_fifo(ir, &ir->edge[e], levels, out);
}

// ---- kernel ports ----

static const char *signal_net(const struct ir *ir, const struct ir_port *p, const char *signal) {
    return arena_printf(ir->arena, "%s_%s_%s", ir->edge[p->edge].name, p->is_output ? "i" : "o", signal);
}

static const char *port_prefix(const struct ir *ir, const struct ir_port *p) {
    return arena_printf(ir->arena, "%s_axis_%s%s", p->is_output ? "m" : "s", p->name, *p->name ? "_" : "");
}

static void emit_single(const struct ir *ir, const struct ir_port *p, struct text *out) {
    const char *prefix = port_prefix(ir, p);
    const char *signals[] = {"tvalid", "tready", "tdata", "tuser", "tlast", "tcount"};
    int count = p->kind == IR_STREAM_COUNTED ? 6 : has_user(p) ? 5 : 3;
    for (int s = 0; s < count; s++) { // the handshake on a line, the payload on the next
        const char *net = p->edge != IR_NONE ? signal_net(ir, p, signals[s]) : s == 1 && p->is_output ? "1'b1" : "";
        text_addf(out, "%s%s.%s%s(%s)", s ? "," : "", s == 0 || s == 2 ? "\n        " : " ", prefix, signals[s], net);
    }
}

static const struct ir_port *indexed_port(const struct ir_kernel *k, const struct ir_port *like, int index) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].index == index && k->port[p].is_output == like->is_output &&
            !strcmp(k->port[p].name, like->name))
            return &k->port[p];
    return NULL;
}

// A packed array port: port 0 in the low bits.
static void emit_array(const struct ir *ir, const struct ir_kernel *k, const struct ir_port *first, bool handshake_only,
                       struct text *out) {
    const char *signals[] = {"tvalid", "tready", "tdata", "tuser", "tlast"};
    int ports = 0;
    while (indexed_port(k, first, ports)) ports++;
    for (int s = 0; s < (handshake_only ? 2 : 5); s++) {
        text_addf(out, "%s\n        .%s%s(%s", s ? "," : "", port_prefix(ir, first), signals[s], emit_open(ports));
        for (int i = ports - 1; i >= 0; i--) {
            const struct ir_port *p = indexed_port(k, first, i);
            const char *net =
                p->edge != IR_NONE ? signal_net(ir, p, signals[s]) : "1'b1"; // an output nobody reads is always taken
            if (p->edge == IR_NONE && !(s == 1 && p->is_output))
                net = arena_printf(ir->arena, "%s_unused_%d_%s", k->name, i, signals[s]);
            text_addf(out, "%s%s", i == ports - 1 ? "" : ", ", net);
        }
        text_addf(out, "%s)", emit_close(ports));
    }
}

// Nets for array outputs without a reader.
static void emit_unused(const struct ir *ir, const struct ir_kernel *k, struct text *out) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].edge == IR_NONE && k->port[p].index != IR_NONE && k->port[p].is_output)
            emit_bundle(ir, &k->port[p], arena_printf(ir->arena, "%s_unused_%d", k->name, k->port[p].index), out);
}

static bool is_fork(const struct ir_kernel *k) { return kernel_is(k, KERNEL_FORK); }

// A fork carries the handshake; its payload is shared by wiring.
static void emit_fork_payload(const struct ir *ir, const struct ir_kernel *k, struct text *out) {
    const struct ir_port *in = &k->port[0];
    for (int p = 1; p < k->ports; p++) {
        const char *from = arena_printf(ir->arena, "%s_o", ir->edge[in->edge].name),
                   *to = arena_printf(ir->arena, "%s_i", ir->edge[k->port[p].edge].name);
        text_addf(out, "    assign %s_tdata = %s_tdata;\n", to, from);
        if (has_user(in))
            text_addf(out, "    assign %s_tuser = %s_tuser;\n    assign %s_tlast = %s_tlast;\n", to, from, to, from);
    }
}

static void emit_params(const struct ir *ir, int id, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[id];
    for (int p = 0; p < k->params; p++) {
        text_addf(out, "%s\n        .%s(", p ? "," : "", k->param[p].name);
        emit_value(ir, id, &k->param[p], out);
        text_add(out, ")");
    }
}

static const char *net_of(const struct ir *ir, int wire) { return ir_use_print(ir, &ir->wire[wire].use); }

static bool is_unused(const struct ir_wire *wire) { return !wire->use.parts; } // open, or a constant

// What this design has no use for, under a line that says why.
static void emit_unused_ports(const struct ir *ir, int k, struct text *out) {
    const struct kernel_class *class = kernel_of(&ir->kernel[k]);
    const char *why = class && class->without ? class->without : "not used in this design";
    for (int w = 0, count = 0; w < ir->wires; w++) {
        if (ir->wire[w].kernel != k || !is_unused(&ir->wire[w])) continue;
        if (!count++) text_addf(out, ",\n        // %s\n        .%s(%s)", why, ir->wire[w].port, net_of(ir, w));
        else text_addf(out, ",\n        .%s(%s)", ir->wire[w].port, net_of(ir, w));
    }
}

static void emit_plain_nets(const struct ir *ir, int k, struct text *out) {
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].kernel == k && !is_unused(&ir->wire[w]))
            text_addf(out, ",\n        .%s(%s)", ir->wire[w].port, net_of(ir, w));
    if (ir->kernel[k].has_fault) text_addf(out, ",\n        .fault(fault_of_%s)", ir->kernel[k].name);
}

static void emit_client_ports(const struct ir *ir, int k, struct text *out) {
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        if (client->kernel != k || !client->port) continue;
        const char *name = arena_printf(ir->arena, "%s%s", client->port, *client->port ? "_" : "");
        const char *desc = client->is_write ? arena_printf(ir->arena, "m_axis_%sdesc", name)
                                            : arena_printf(ir->arena, "m_axis_%s", client->port);
        const char *beat = client->is_write ? arena_printf(ir->arena, "m_axis_%sbeat", name)
                                            : arena_printf(ir->arena, "s_axis_%s", client->port);
        const char *signals[] = {"tvalid", "tready", "tdata"};
        for (int s = 0; s < 3; s++)
            text_addf(out, ",%s.%s_%s(%s_desc_%s)", s ? " " : "\n        ", desc, signals[s], client->name, signals[s]);
        for (int s = 0; s < 3; s++)
            text_addf(out, ",%s.%s_%s(%s_beat_%s)", s ? " " : "\n        ", beat, signals[s], client->name, signals[s]);
    }
}

// Of an engine: in a design with one clock nothing looks at it.
static const char *second_clock(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel)
            return ir_second_clock(ir) ? ".clk_2x(clk_2x), "
                                       : "// one clock: nothing looks at clk_2x\n        .clk_2x(clk), ";
    return "";
}

static void emit_kernel(const struct ir *ir, int id, struct emit_levels *levels, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[id];
    emit_describe_kernel(ir, id, out);
    emit_unused(ir, k, out);
    if (is_fork(k)) emit_fork_payload(ir, k, out);
    text_addf(out, "    %s", k->module);
    if (k->params) {
        text_add(out, " #(");
        emit_params(ir, id, out);
        text_add(out, ")");
    }
    text_addf(out, " u_%s (\n        %s.clk(clk), .rst(%s)", k->name, second_clock(ir, id),
              k->is_control ? "rst" : emit_reset(ir, levels, k->die));
    for (int p = 0; p < k->ports; p++) {
        const struct ir_port *port = &k->port[p];
        if (port->index > 0) continue;
        text_add(out, ",");
        if (port->index == 0) emit_array(ir, k, port, is_fork(k), out);
        else if (is_fork(k))
            text_addf(out, "\n        .s_axis_tvalid(%s), .s_axis_tready(%s)", signal_net(ir, port, "tvalid"),
                      signal_net(ir, port, "tready"));
        else emit_single(ir, port, out);
    }
    if (is_pool(k)) emit_pool_ports(ir, id, out);
    emit_client_ports(ir, id, out);
    emit_plain_nets(ir, id, out);
    emit_unused_ports(ir, id, out);
    text_add(out, ");\n");
}

// The i-th stream of data in this direction.
static const struct ir_port *data_port(const struct ir_kernel *k, bool is_output, int i) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].is_output == is_output && k->port[p].tensor != IR_NONE && i-- == 0) return &k->port[p];
    return NULL;
}

// Simulation only: holds a custom kernel against its timing contract.
static void emit_contract(const struct ir *ir, int id, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[id];
    const struct kernel_class *class = kernel_of(k);
    const struct custom *custom = class ? class->custom : NULL;
    static const char *const signals[] = {"tvalid", "tready", "tok_last"};
    const struct ir_port *y = custom ? data_port(k, true, 0) : NULL;
    if (!y || y->edge == IR_NONE) return;
    text_addf(
        out,
        "`ifdef RILL_PROBES\n    rill_contract_probe #(.ID(%d), .INPUTS(%d)%s) u_contract_%s (\n        .clk(clk), "
        ".rst(%s)",
        id, custom->inputs, custom->fetch ? ", .TABLE(1)" : "", k->name, emit_first_reset(ir));
    for (int s = 0; s < 3; s++) {
        bool alone = custom->inputs == 1;
        text_addf(out, ",\n        .in_%s(%s", signals[s], alone ? "" : "{");
        for (int i = custom->inputs - 1; i >= 0; i--) {
            const struct ir_port *x = data_port(k, false, i);
            const char *net = s < 2 ? signal_net(ir, x, signals[s])
                                    : arena_printf(ir->arena, "%s[%d]", signal_net(ir, x, "tuser"), user_bits(ir) - 1);
            text_addf(out, "%s%s", net, i ? ", " : alone ? ")" : "})");
        }
    }
    // The step word is kept while words of the step are taken; parameters must have come.
    int step = ir_port_for(k, IR_ROLE_STEP, false), param = ir_port_for(k, IR_ROLE_PARAM, false);
    text_add(out, ",\n        .beside(1'b1");
    if (step != IR_NONE)
        text_addf(out, " && %s && !%s", signal_net(ir, &k->port[step], "tvalid"),
                  signal_net(ir, &k->port[step], "tready"));
    if (param != IR_NONE) text_addf(out, " && %s", signal_net(ir, &k->port[param], "tvalid"));
    text_add(out, ")");
    const struct ir_port *x = data_port(k, false, 0);
    text_addf(out, ",\n        .in_end(%s && %s[%d])", signal_net(ir, x, "tlast"), signal_net(ir, x, "tuser"),
              user_bits(ir) - 1);
    text_addf(out, ",\n        .out_tvalid(%s), .out_tready(%s));\n`endif\n", signal_net(ir, y, "tvalid"),
              signal_net(ir, y, "tready"));
}

void emit_kernels(const struct ir *ir, struct emit_levels *levels, struct text *out) {
    text_add(out, "\n    // ---- kernels ----\n");
    for (int k = 0; k < ir->kernels; k++) {
        emit_kernel(ir, k, levels, out);
        emit_contract(ir, k, out);
    }
}
