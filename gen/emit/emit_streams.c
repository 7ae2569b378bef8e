// SPDX-License-Identifier: Apache-2.0
// A stream consists of two words with their handshakes, `from_<kernel>_<port>` at its writer and `to_<kernel>_<port>`
// at its reader, and of a link between them. Streams in a pool share one storage instead, and have links to and from
// the storage if it is on another die.
#include <stdlib.h>
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

static const struct ir_port *writer(const struct ir *ir, const struct ir_edge *e) {
    return &ir->kernel[e->src_kernel].port[e->src_port];
}

static bool has_user(const struct ir_port *p) { return p->kind == IR_STREAM_TOKENS || p->kind == IR_STREAM_COUNTED; }

// tuser is {last token of the step, token}.
int64_t emit_user_bits(const struct ir *ir) {
    return (ir->design.tokens > 1 ? u64_clog2((uint64_t)ir->design.tokens) : 1) + 1;
}

struct emit_word emit_port_word(const struct ir *ir, const struct ir_port *p) {
    struct emit_word w = {.data = p->data_bits};
    if (has_user(p)) w.user = emit_user_bits(ir), w.last = 1;
    if (p->kind == IR_STREAM_COUNTED) w.count = p->count_bits;
    w.bits = w.data + w.user + w.last + w.count;
    return w;
}

struct emit_word emit_word(const struct ir *ir, const struct ir_edge *e) {
    return emit_port_word(ir, writer(ir, e));
}

// Declares a word and its handshake, or two words of equal width.
static void add_stream_nets(const struct ir *ir, const char *net, const char *other, int64_t bits, struct text *out) {
    text_addf(out, "    wire %s_valid, %s_ready", net, net);
    if (other) text_addf(out, ", %s_valid, %s_ready", other, other);
    text_addf(out, ";\n    wire %s%s%s%s;\n", emit_range(ir, bits), net, other ? ", " : "", other ? other : "");
}

// ---- links ----

struct link {
    const char *name, *in, *out; // name without `u_`, input net, output net
    int from, to;                // dies
    int64_t depth;
    enum ram_style style;
    int parts;
};

static int borders_of(const struct link *l) { return abs(l->to - l->from); }
static int die_behind(const struct link *l, int borders) { return l->from + (l->from < l->to ? borders : -borders); }

static void add_link(struct emit_scope *s, const struct ir_edge *e, const struct link *l) {
    const struct ir *ir = s->plan->ir;
    struct emit_word word = emit_word(ir, e);
    struct kernel_part part = kernel_part(ir, e);
    int borders = borders_of(l);
    const char *reset = emit_reset(s, l->from);
    text_addf(s->out, "    %s #(.DATA_W(%lld)", rtl_link.module, (long long)word.data);
    if (word.bits > word.data) text_addf(s->out, ", .SIDE_W(%lld)", (long long)(word.bits - word.data));
    if (part.first) text_addf(s->out, ", .FIRST(%lld)", (long long)part.first);
    if (part.bits < word.data) text_addf(s->out, ", .PART_W(%lld)", (long long)part.bits);
    text_addf(s->out, ", .DEPTH(%lld)", (long long)l->depth);
    if (l->style != RAM_DISTRIBUTED) text_addf(s->out, ", .RAM_STYLE(\"%s\")", ram_style_words[l->style]);
    if (borders) text_addf(s->out, ", .BORDERS(%d)", borders);
    if (borders && l->parts > 1) text_addf(s->out, ", .PARTS(%d)", l->parts);
    for (int b = 1; b <= borders; b++) // the writer's die is in the low bit
        reset = arena_printf(ir->arena, "%s, %s", emit_reset(s, die_behind(l, b)), reset);
    text_addf(s->out, ") u_%s (\n        .clk(clk), .rst(%s%s%s),\n", l->name, emit_open(borders + 1), reset,
              emit_close(borders + 1));
    text_addf(s->out, "        .s_axis_tvalid(%s_valid), .s_axis_tready(%s_ready), .s_axis_tdata(%s),\n", l->in, l->in,
              l->in);
    text_addf(s->out, "        .m_axis_tvalid(%s_valid), .m_axis_tready(%s_ready), .m_axis_tdata(%s));\n", l->out,
              l->out, l->out);
}

static struct link whole_link(const struct emit_plan *p, int edge) {
    const struct ir_edge *e = &p->ir->edge[edge];
    return (struct link){.name = p->to[edge],
                         .in = p->from[edge],
                         .out = p->to[edge],
                         .from = ir_source_die(p->ir, e->src_kernel),
                         .to = p->ir->kernel[e->dst_kernel].die,
                         .depth = e->depth,
                         .style = e->ram_style,
                         .parts = e->parts};
}

// ---- streams in a pool ----

const char *emit_into_pool(const struct emit_plan *p, int edge) {
    return p->ir->edge[edge].entry_crossings ? arena_printf(p->ir->arena, "%s_there", p->from[edge]) : p->from[edge];
}

const char *emit_out_of_pool(const struct emit_plan *p, int edge) {
    return p->ir->edge[edge].crossings ? arena_printf(p->ir->arena, "%s_there", p->to[edge]) : p->to[edge];
}

static struct link pool_link(const struct emit_plan *p, int edge, bool entry) {
    const struct ir_edge *e = &p->ir->edge[edge];
    int home = p->ir->kernel[e->pool].die, borders = entry ? e->entry_crossings : e->crossings;
    return (struct link){.name = entry ? p->from[edge] : p->to[edge],
                         .in = entry ? p->from[edge] : emit_out_of_pool(p, edge),
                         .out = entry ? emit_into_pool(p, edge) : p->to[edge],
                         .from = entry ? ir_source_die(p->ir, e->src_kernel) : home,
                         .to = entry ? home : p->ir->kernel[e->dst_kernel].die,
                         .depth = ir_credits(0, borders),
                         .style = RAM_DISTRIBUTED};
}

int64_t emit_pool_number(const struct ir *ir, int pool, const char *param) {
    return ir_param_int(&ir->kernel[pool], param, 0);
}

// Ties the bits of a pooled word that its reader ignores to 0.
static void add_zeros(struct emit_scope *s, const char *net, const struct emit_word *word,
                      const struct kernel_part *part) {
    int64_t above = part->first + part->bits;
    if (part->first)
        text_addf(s->out, "    assign %s = %lld'd0;\n", emit_slice(s->plan->ir, net, word->bits, 0, part->first),
                  (long long)part->first);
    if (above < word->data)
        text_addf(s->out, "    assign %s = %lld'd0;\n",
                  emit_slice(s->plan->ir, net, word->bits, above, word->data - above), (long long)(word->data - above));
}

// A stream's word in the storage uses part of the pool's word: data, then tuser. tlast has a separate port.
static void add_pooled(struct emit_scope *s, int edge) {
    const struct emit_plan *p = s->plan;
    const struct ir *ir = p->ir;
    const struct ir_edge *e = &ir->edge[edge];
    struct emit_word word = emit_word(ir, e);
    struct kernel_part part = kernel_part(ir, e);
    const char *in = emit_into_pool(p, edge), *out = emit_out_of_pool(p, edge), *pool = ir->kernel[e->pool].name;
    int64_t first = e->pool_port * emit_pool_number(ir, e->pool, "DATA_W");
    struct link entry = pool_link(p, edge, true), exit = pool_link(p, edge, false);
    if (e->entry_crossings) add_stream_nets(ir, in, NULL, word.bits, s->out);
    if (e->entry_crossings) add_link(s, e, &entry);
    if (e->crossings) add_stream_nets(ir, out, NULL, word.bits, s->out);
    if (e->crossings) add_link(s, e, &exit);
    text_addf(s->out, "    assign %s = %s_word[%lld +: %lld];\n", emit_slice(ir, out, word.bits, part.first, part.bits),
              pool, (long long)first, (long long)part.bits);
    text_addf(s->out, "    assign %s = %s_word[%lld +: %lld];\n", emit_slice(ir, out, word.bits, word.data, word.user),
              pool, (long long)(first + part.bits), (long long)word.user);
    add_zeros(s, out, &word, &part);
    if (part.bits < word.data) text_addf(s->out, "    wire unused_%s = &{1'b0, %s};\n", in, in);
}

// ---- all of them ----

static void add_stream(struct emit_scope *s, int edge) {
    const struct emit_plan *p = s->plan;
    const struct ir *ir = p->ir;
    const struct ir_edge *e = &ir->edge[edge];
    struct link link = whole_link(p, edge);
    int64_t bits = emit_word(ir, e).bits;
    text_add(s->out, "\n");
    emit_describe_stream(ir, e, s->out);
    bool from = p->home[e->src_kernel] == s->module, to = p->home[e->dst_kernel] == s->module;
    if (from || to)
        add_stream_nets(ir, from ? p->from[edge] : p->to[edge], from && to ? p->to[edge] : NULL, bits, s->out);
    if (e->pool == IR_NONE) add_link(s, e, &link);
    else add_pooled(s, edge);
}

void emit_streams(struct emit_scope *s) {
    const struct emit_plan *p = s->plan;
    const struct ir *ir = p->ir;
    text_add(s->out, "\n    // ---- streams ----\n");
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_POOL) && p->home[k] == s->module)
            text_addf(s->out, "    wire [%lld:0] %s_word;\n",
                      (long long)(emit_pool_number(ir, k, "PORTS") * emit_pool_number(ir, k, "DATA_W")) - 1,
                      ir->kernel[k].name);
    for (int e = 0; e < ir->edges; e++)
        if (emit_link_home(p, e) == s->module) add_stream(s, e);
}

// ---- where they lie ----

static void walk_link(const struct emit_plan *p, int edge, const struct link *l, emit_visit *visit, void *state) {
    const char *path = arena_printf(p->ir->arena, "%s/u_%s", emit_module_path(p, emit_link_home(p, edge)), l->name);
    int borders = borders_of(l);
    if (!borders) return visit(state, path, l->to);
    visit(state, arena_printf(p->ir->arena, "%s/gen_far.u_send", path), l->from);
    for (int b = 1; b < borders; b++)
        visit(state, arena_printf(p->ir->arena, "%s/gen_far.gen_way[%d].u_way", path, b - 1), die_behind(l, b));
    visit(state, arena_printf(p->ir->arena, "%s/gen_far.u_fifo", path), l->to);
}

void emit_walk_stream(const struct emit_plan *p, int edge, emit_visit *visit, void *state) {
    const struct ir_edge *e = &p->ir->edge[edge];
    struct link link = whole_link(p, edge);
    if (e->pool == IR_NONE) return walk_link(p, edge, &link, visit, state);
    struct link entry = pool_link(p, edge, true), exit = pool_link(p, edge, false);
    if (e->entry_crossings) walk_link(p, edge, &entry, visit, state);
    if (e->crossings) walk_link(p, edge, &exit, visit, state);
}
