// SPDX-License-Identifier: Apache-2.0
// Writes the streams of a module. A stream has the nets `from_<kernel>_<port>_*` at its writer,
// `to_<kernel>_<port>_*` at its reader, and between them a link (rtl_link), which takes all fields as one word. Streams
// of a pool share the storage of the pool instead. They have links to and from the storage if it is on another die.
#include <stdlib.h>
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

static const struct ir_port *writer(const struct ir *ir, const struct ir_edge *e) {
    return &ir->kernel[e->src_kernel].port[e->src_port];
}

static bool has_user(const struct ir_port *p) { return p->kind == IR_STREAM_TOKENS || p->kind == IR_STREAM_COUNTED; }

int64_t emit_user_bits(const struct ir *ir) { return ir_user_bits(ir->design.tokens); }

struct emit_word emit_port_word(const struct ir *ir, int kernel, const struct ir_port *p) {
    struct emit_word w = {.data = p->data_bits, .is = emit_data_width(ir, kernel, p)};
    if (has_user(p)) w.user = ir_port_user_bits(ir, p), w.last = 1;
    if (p->kind == IR_STREAM_COUNTED) w.count = p->count_bits;
    return w;
}

struct emit_word emit_word(const struct ir *ir, const struct ir_edge *e) {
    struct emit_word w = emit_port_word(ir, e->src_kernel, writer(ir, e));
    w.is = emit_stream_width(ir, e);
    return w;
}

// ---- nets ----

const char *const emit_field_words[EMIT_FIELDS] = {"tvalid", "tready", "tdata", "tuser", "tlast", "tcount"};

int64_t emit_field_bits(const struct emit_word *w, enum emit_field f) {
    const int64_t bits[EMIT_FIELDS] = {1, 1, w->data, w->user, w->last, w->count};
    return bits[f];
}

bool emit_is_packed(const struct emit_word *w) { return w->user > 0; }

// Returns the name of the net of one field. stream: name of an end of a stream, `from_...` or `to_...`.
static const char *net_name(const struct ir *ir, const char *stream, enum emit_field f) {
    return arena_printf(ir->arena, "%s_%s", stream, emit_field_words[f]);
}

int emit_fork_at(const struct emit_plan *p, int edge) {
    int reader = p->ir->edge[edge].dst_kernel;
    bool forks = kernel_is(&p->ir->kernel[reader], KERNEL_FORK);
    return forks && emit_link_home(p, edge) == p->home[reader] ? reader : IR_NONE;
}

int emit_copied_from(const struct emit_plan *p, int edge) {
    const struct ir_kernel *from = &p->ir->kernel[p->ir->edge[edge].src_kernel];
    int in = kernel_is(from, KERNEL_FORK) ? from->port[0].edge : IR_NONE;
    return in != IR_NONE && emit_fork_at(p, in) != IR_NONE ? in : IR_NONE;
}

bool emit_word_leaves(const struct emit_plan *p, int edge) {
    int fork = emit_fork_at(p, edge);
    for (int e = 0; e < p->ir->edges && fork != IR_NONE; e++)
        if (p->ir->edge[e].src_kernel == fork && emit_link_home(p, e) != p->home[fork]) return true;
    return false;
}

// Returns the name that the word of a fork's input stream `in` has in this module. In the fork's module, this is the
// name of the nets at the fork's input.
static const char *copied_name(const struct emit_plan *p, int in, int module) {
    return p->home[p->ir->edge[in].dst_kernel] == module ? p->to[in] : p->copied[in];
}

const char *emit_net(const struct emit_plan *p, int edge, bool at_writer, enum emit_field f) {
    int in = at_writer && f >= EMIT_TDATA ? emit_copied_from(p, edge) : IR_NONE;
    if (in != IR_NONE) return net_name(p->ir, copied_name(p, in, emit_link_home(p, edge)), f);
    return net_name(p->ir, at_writer ? p->from[edge] : p->to[edge], f);
}

const char *emit_written_net(const struct emit_plan *p, int edge, enum emit_field f) {
    int in = f >= EMIT_TDATA ? emit_copied_from(p, edge) : IR_NONE;
    return net_name(p->ir, in == IR_NONE ? p->from[edge] : p->to[in], f);
}

// Declares tvalid and tready of a stream, and tlast if `last` is set.
static void add_handshake(const struct ir *ir, const char *name, bool last, struct text *out) {
    text_addf(out, "    wire %s, %s", net_name(ir, name, EMIT_TVALID), net_name(ir, name, EMIT_TREADY));
    text_addf(out, "%s%s;\n", last ? ", " : "", last ? net_name(ir, name, EMIT_TLAST) : "");
}

// Declares the fields of a word on one line, tlast only if `last` is set.
static void add_payload(const struct ir *ir, const char *name, const struct emit_word *w, bool last, struct text *out) {
    static const enum emit_field fields[] = {EMIT_TLAST, EMIT_TDATA, EMIT_TUSER, EMIT_TCOUNT};
    const char *before = "    ";
    for (size_t i = last ? 0 : 1; i < COUNT_OF(fields); i++) {
        int64_t bits = emit_field_bits(w, fields[i]);
        if (!bits) continue;
        text_addf(out, "%swire %s%s;", before, emit_field_range(ir, w, fields[i]), net_name(ir, name, fields[i]));
        before = " ";
    }
    text_add(out, "\n");
}

void emit_stream_nets(const struct ir *ir, const char *name, const struct emit_word *w, struct text *out) {
    add_handshake(ir, name, w->last, out);
    add_payload(ir, name, w, false, out);
}

// ---- words between modules ----

static const char *word_name(const struct ir *ir, const char *stream) {
    return arena_printf(ir->arena, "%s_word", stream);
}

static const char *end_of(const struct emit_plan *p, int edge, bool at_writer) {
    return at_writer ? p->from[edge] : p->to[edge];
}

static int home_of_end(const struct emit_plan *p, int edge, bool at_writer) {
    const struct ir_edge *e = &p->ir->edge[edge];
    return p->home[at_writer ? e->src_kernel : e->dst_kernel];
}

// Adds the concatenation of a word's fields, with tdata in the low bits.
static void add_fields(const struct ir *ir, const char *name, const struct emit_word *w, struct text *out) {
    int fields = 0;
    for (int f = EMIT_TDATA; f < EMIT_FIELDS; f++) fields += emit_field_bits(w, (enum emit_field)f) > 0;
    text_add(out, emit_open(fields));
    for (int f = EMIT_FIELDS - 1; f >= EMIT_TDATA; f--)
        if (emit_field_bits(w, (enum emit_field)f))
            text_addf(out, "%s%s", net_name(ir, name, (enum emit_field)f), f > EMIT_TDATA ? ", " : "");
    text_add(out, emit_close(fields));
}

// Assigns the fields of a word to the net `<name>_word` if the word leaves the module, else this net to the fields.
static void assign_word(const struct ir *ir, const char *name, const struct emit_word *w, bool leaves,
                        struct text *out) {
    const char *word = word_name(ir, name);
    text_add(out, "    assign ");
    if (leaves) text_addf(out, "%s = ", word);
    add_fields(ir, name, w, out);
    if (!leaves) text_addf(out, " = %s", word);
    text_add(out, ";\n");
}

// Returns whether the module needs the separate fields of a stream that has an end in another module. It needs them if
// a kernel or a pool in the module uses them. A link takes the whole word instead.
static bool needs_fields(const struct emit_scope *s, int edge, bool at_writer) {
    const struct ir_edge *e = &s->plan->ir->edge[edge];
    if (home_of_end(s->plan, edge, at_writer) == s->module) return true;
    return e->pool != IR_NONE && !(at_writer ? e->entry_crossings : e->crossings);
}

// Declares the fields of a word that is a port of the module, and connects them with this port.
static void declare_fields(struct emit_scope *s, int edge, bool at_writer) {
    const struct emit_plan *p = s->plan;
    const struct ir *ir = p->ir;
    struct emit_word w = emit_word(ir, &ir->edge[edge]);
    bool here = home_of_end(p, edge, at_writer) == s->module;
    int in = at_writer ? emit_copied_from(p, edge) : IR_NONE;
    bool *declared = in == IR_NONE ? &s->declared[2 * edge + !at_writer] : &s->declared[2 * in + 1];
    const char *name = in == IR_NONE ? end_of(p, edge, at_writer) : copied_name(p, in, s->module);
    if (*declared || !emit_is_packed(&w) || !needs_fields(s, edge, at_writer)) return;
    *declared = true;
    add_payload(ir, name, &w, true, s->out);
    assign_word(ir, name, &w, at_writer == here, s->out);
}

// Returns the name of the word at an end of a link if this end is in another module than the link. Returns NULL if the
// link's module has the separate fields.
static const char *word_from_outside(const struct emit_plan *p, int edge, const char *end) {
    struct emit_word w = emit_word(p->ir, &p->ir->edge[edge]);
    bool from = end == p->from[edge], to = end == p->to[edge];
    if (!emit_is_packed(&w) || (!from && !to) || home_of_end(p, edge, from) == emit_link_home(p, edge)) return NULL;
    int in = from ? emit_copied_from(p, edge) : IR_NONE;
    return word_name(p->ir, in == IR_NONE ? end : copied_name(p, in, emit_link_home(p, edge)));
}

// Declares the nets at a fork's input, and assigns their word to the output port from which readers in other modules
// take it.
static void declare_fork(struct emit_scope *s, int edge) {
    const struct ir *ir = s->plan->ir;
    struct emit_word w = emit_word(ir, &ir->edge[edge]);
    const char *name = s->plan->to[edge], *copied = s->plan->copied[edge];
    emit_stream_nets(ir, name, &w, s->out);
    text_addf(s->out,
              "    assign %s = ", emit_is_packed(&w) ? word_name(ir, copied) : net_name(ir, copied, EMIT_TDATA));
    add_fields(ir, name, &w, s->out);
    text_add(s->out, ";\n");
}

void emit_declare(struct emit_scope *s, int edge, bool at_writer) {
    const struct emit_plan *p = s->plan;
    bool *declared = &s->declared[2 * edge + !at_writer];
    if (home_of_end(p, edge, at_writer) != emit_link_home(p, edge)) return declare_fields(s, edge, at_writer);
    if (*declared) return;
    *declared = true;
    int in = at_writer ? emit_copied_from(p, edge) : IR_NONE;
    if (in != IR_NONE) emit_declare(s, in, false);
    struct emit_word w = emit_word(p->ir, &p->ir->edge[edge]);
    const char *name = end_of(p, edge, at_writer);
    if (in != IR_NONE) add_handshake(p->ir, name, false, s->out);
    else if (!at_writer && emit_word_leaves(p, edge)) declare_fork(s, edge);
    else emit_stream_nets(p->ir, name, &w, s->out);
}

// ---- links ----

struct link {
    const char *name, *in, *out; // instance without `u_`, names of the nets at the input and at the output
    int from, to;                // dies of the input and of the output
    int64_t depth;               // words of the FIFO
    enum ram_style style;
    int parts; // value of PARTS on a link between dies
};

// Returns the net of a field at an end of a link. The end is an end of the stream or a side of a pool's storage.
static const char *end_net(const struct emit_plan *p, int edge, const char *end, enum emit_field f) {
    return end == p->from[edge] ? emit_net(p, edge, true, f) : net_name(p->ir, end, f);
}

// Adds the expression of all fields at an end as one word.
static void add_word(const struct emit_plan *p, int edge, const char *end, struct text *out) {
    struct emit_word w = emit_word(p->ir, &p->ir->edge[edge]);
    const char *word = word_from_outside(p, edge, end);
    int in = end == p->from[edge] ? emit_copied_from(p, edge) : IR_NONE;
    if (word) text_add(out, word);
    else add_fields(p->ir, in == IR_NONE ? end : copied_name(p, in, emit_link_home(p, edge)), &w, out);
}

// Adds the connections of a link at one end. side: `s` for its input, `m` for its output.
static void add_end(const struct emit_plan *p, int edge, const char *side, const char *end, struct text *out) {
    struct emit_word w = emit_word(p->ir, &p->ir->edge[edge]);
    bool several = emit_is_packed(&w) && !word_from_outside(p, edge, end);
    text_addf(out, "        .%s_axis_tvalid(%s), .%s_axis_tready(%s),%s.%s_axis_tdata(", side,
              end_net(p, edge, end, EMIT_TVALID), side, end_net(p, edge, end, EMIT_TREADY),
              several ? "\n            " : " ", side);
    add_word(p, edge, end, out);
    text_add(out, ")");
}

// These return the number of die boundaries that a link crosses, and the die on which it is after `borders` boundaries.
static int borders_of(const struct link *l) { return abs(l->to - l->from); }
static int die_behind(const struct link *l, int borders) { return l->from + (l->from < l->to ? borders : -borders); }

// Writes the instance of a link and the wire with the copies of the reset that the link takes, one for each die on the
// way.
static void add_link(struct emit_scope *s, int edge, const struct link *l) {
    const struct ir *ir = s->plan->ir;
    const struct ir_edge *e = &ir->edge[edge];
    struct emit_word word = emit_word(ir, e);
    struct kernel_part part = kernel_part(ir, e);
    int borders = borders_of(l), die[IR_MAX_DIES] = {l->from};
    for (int b = 1; b <= borders; b++) die[b] = die_behind(l, b);
    const char *reset = emit_reset(s, l->name, die, borders + 1); // the writer's die is in the low bit
    text_addf(s->out, "    %s #(.DATA_W(%s)", rtl_link.module, emit_expression(ir, word.is, word.data));
    int64_t side = word.user + word.last + word.count;
    if (side) text_addf(s->out, ", .SIDE_W(%s)", emit_expression(ir, emit_side_width(ir, &word), side));
    // Only readers of keys and values keep a part: the integers, or the scale above them.
    if (part.first) text_addf(s->out, ", .KEPT_AT(%s)", emit_expression(ir, "UNIT*8", part.first));
    if (part.bits < word.data)
        text_addf(s->out, ", .KEPT_W(%s)", emit_expression(ir, part.first ? "FP32_W" : "UNIT*8", part.bits));
    text_addf(s->out, ", .DEPTH(%lld)", (long long)l->depth);
    if (l->style != RAM_DISTRIBUTED) text_addf(s->out, ", .RAM_STYLE(\"%s\")", ram_style_words[l->style]);
    if (borders) text_addf(s->out, ", .BORDERS(%d)", borders);
    if (borders && l->parts > 1) text_addf(s->out, ", .PARTS(%d)", l->parts);
    text_addf(s->out, ") u_%s (\n        .clk(clk), .rst(%s),\n", l->name, reset);
    add_end(s->plan, edge, "s", l->in, s->out);
    text_add(s->out, ",\n");
    add_end(s->plan, edge, "m", l->out, s->out);
    text_add(s->out, ");\n");
}

// Returns the link of a stream that is in no pool.
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

// Returns the name of the nets on the storage's side of a link between a stream's end and the storage of its pool.
static const char *there(const struct ir *ir, const char *name) { return arena_printf(ir->arena, "%s_there", name); }

static const char *into_pool(const struct emit_plan *p, int edge) {
    return p->ir->edge[edge].entry_crossings ? there(p->ir, p->from[edge]) : p->from[edge];
}

static const char *out_of_pool(const struct emit_plan *p, int edge) {
    return p->ir->edge[edge].crossings ? there(p->ir, p->to[edge]) : p->to[edge];
}

const char *emit_into_pool(const struct emit_plan *p, int edge, enum emit_field f) {
    return end_net(p, edge, into_pool(p, edge), f);
}

const char *emit_out_of_pool(const struct emit_plan *p, int edge, enum emit_field f) {
    return end_net(p, edge, out_of_pool(p, edge), f);
}

// Returns the link of a pooled stream to the pool's storage if `entry` is set, else the link from the storage.
static struct link pool_link(const struct emit_plan *p, int edge, bool entry) {
    const struct ir_edge *e = &p->ir->edge[edge];
    int home = p->ir->kernel[e->pool].die, borders = entry ? e->entry_crossings : e->crossings;
    return (struct link){.name = entry ? p->from[edge] : p->to[edge],
                         .in = entry ? p->from[edge] : out_of_pool(p, edge),
                         .out = entry ? into_pool(p, edge) : p->to[edge],
                         .from = entry ? ir_source_die(p->ir, e->src_kernel) : home,
                         .to = entry ? home : p->ir->kernel[e->dst_kernel].die,
                         .depth = ir_credits(0, borders),
                         .style = RAM_DISTRIBUTED};
}

int64_t emit_pool_number(const struct ir *ir, int pool, const char *param) {
    return ir_param_int(&ir->kernel[pool], param, 0);
}

// Ties the bits of tdata that the reader of a pooled word ignores to 0.
static void add_zeros(struct emit_scope *s, const char *net, int64_t bits, const struct kernel_part *part) {
    int64_t above = part->first + part->bits;
    if (part->first)
        text_addf(s->out, "    assign %s = %lld'd0;\n", emit_slice(s->plan->ir, net, bits, 0, part->first),
                  (long long)part->first);
    if (above < bits)
        text_addf(s->out, "    assign %s = %lld'd0;\n", emit_slice(s->plan->ir, net, bits, above, bits - above),
                  (long long)(bits - above));
}

// Connects a pooled stream to the storage. Each port of the pool has a word of DATA_W bits, of which the stream uses
// the low ones: data, then tuser. The pool has a separate port for tlast.
static void add_pooled(struct emit_scope *s, int edge) {
    const struct emit_plan *p = s->plan;
    const struct ir *ir = p->ir;
    const struct ir_edge *e = &ir->edge[edge];
    struct emit_word word = emit_word(ir, e);
    struct kernel_part part = kernel_part(ir, e);
    const char *in = into_pool(p, edge), *pool = ir->kernel[e->pool].name,
               *data = emit_out_of_pool(p, edge, EMIT_TDATA);
    int64_t first = e->pool_port * emit_pool_number(ir, e->pool, "DATA_W");
    struct link entry = pool_link(p, edge, true), exit = pool_link(p, edge, false);
    if (e->entry_crossings) emit_stream_nets(ir, in, &word, s->out);
    if (e->entry_crossings) add_link(s, edge, &entry);
    if (e->crossings) emit_stream_nets(ir, out_of_pool(p, edge), &word, s->out);
    if (e->crossings) add_link(s, edge, &exit);
    text_addf(s->out, "    assign %s = %s_word[%lld +: %lld];\n",
              emit_slice(ir, data, word.data, part.first, part.bits), pool, (long long)first, (long long)part.bits);
    text_addf(s->out, "    assign %s = %s_word[%lld +: %lld];\n", emit_out_of_pool(p, edge, EMIT_TUSER), pool,
              (long long)(first + part.bits), (long long)word.user);
    add_zeros(s, data, word.data, &part);
    if (part.bits < word.data)
        text_addf(s->out, "    wire unused_%s = &{1'b0, %s};\n", in, emit_into_pool(p, edge, EMIT_TDATA));
}

// ---- all of them ----

// Writes a stream: its comment, the nets at both ends that are not declared yet, and the link or the connection to the
// pool's storage.
static void add_stream(struct emit_scope *s, int edge) {
    const struct emit_plan *p = s->plan;
    struct link link = whole_link(p, edge);
    text_add(s->out, "\n");
    emit_describe_stream(p->ir, &p->ir->edge[edge], s->out);
    if (p->home[p->ir->edge[edge].src_kernel] == s->module && !s->written[p->ir->edge[edge].src_kernel])
        text_addf(s->out, "    // The writer comes later in this file: u_%s.\n",
                  p->ir->kernel[p->ir->edge[edge].src_kernel].name);
    emit_declare(s, edge, true);
    emit_declare(s, edge, false);
    if (p->ir->edge[edge].pool == IR_NONE) add_link(s, edge, &link);
    else add_pooled(s, edge);
}

// Adds the stream at an input, unless it is stored in a pool, whose section has it.
static void add_input(struct emit_scope *s, const struct ir_port *p) {
    if (!p->is_output && p->edge != IR_NONE && s->plan->ir->edge[p->edge].pool == IR_NONE) add_stream(s, p->edge);
}

// Adds the streams that a kernel reads, in the order of its ports. The ports of an array come together, by number.
static void add_streams_read(struct emit_scope *s, const struct ir_kernel *k) {
    for (int p = 0; p < k->ports; p++) {
        if (k->port[p].index == IR_NONE) add_input(s, &k->port[p]);
        if (k->port[p].index != 0) continue;
        const struct ir_port *member = &k->port[p];
        for (int n = 0; member; member = emit_array_port(k, &k->port[p], ++n)) add_input(s, member);
    }
}

void emit_links(struct emit_scope *s, int kernel) {
    const struct ir *ir = s->plan->ir;
    add_streams_read(s, &ir->kernel[kernel]);
    if (!kernel_is(&ir->kernel[kernel], KERNEL_POOL)) return;
    int64_t ports = emit_pool_number(ir, kernel, "PORTS");
    text_addf(s->out, "    wire [%lld*%lld-1:0] %s_word; // PORTS words of DATA_W bits\n", (long long)ports,
              (long long)emit_pool_number(ir, kernel, "DATA_W"), ir->kernel[kernel].name);
    for (int p = 0; p < ports; p++) add_stream(s, emit_pool_member(ir, kernel, p));
}

// ---- the dies of their instances ----

// Visits the instances of a link with their dies. A link within a die is one instance. A link between dies has a
// sender, a register on each die in between, and a FIFO on the reader's die.
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
