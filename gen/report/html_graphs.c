// SPDX-License-Identifier: Apache-2.0
// Writes three stages of the compiler as Graphviz graphs: operations and tensors, the kernels that serve them, and the
// complete hardware with its FIFOs.
#include <string.h>

#include "gen/report/html.h"
#include "gen/ir/ops.h"

// Colours and names of nodes, in the order of enum html_kind.
const char *const html_fill[HTML_KINDS] = {"#dbeafe", "#1e3a8a", "#f1f5f9", "#fef3c7"};
const char *const html_line[HTML_KINDS] = {"#3b82f6", "#1e3a8a", "#94a3b8", "#d97706"};
const char *const html_kind_name[HTML_KINDS] = {"operation", "matrix engine", "steering and buffers",
                                                "control and memory"};
static const char *const text_colour[HTML_KINDS] = {"#0f172a", "#ffffff", "#334155", "#451a03"};

enum html_kind html_kind_of(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel) return HTML_ENGINE;
    const struct ir_kernel *k = &ir->kernel[kernel];
    if (k->node != IR_NONE) return HTML_OPERATION;
    if (k->is_control) return HTML_CONTROL;
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].kernel == kernel) return HTML_CONTROL;
    return HTML_STEERING;
}

// Adds a string of Graphviz in quotes, with its special characters escaped.
static void quote(struct text *out, const char *s) {
    text_add(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') text_add(out, "\\");
        if (*s == '\n') text_add(out, "\\n");
        else text_add_bytes(out, s, 1);
    }
    text_add(out, "\"");
}

static void begin(struct text *out, const char *rankdir) {
    text_addf(
        out,
        "digraph g {\n rankdir=%s; bgcolor=transparent; nodesep=0.22; ranksep=0.35; fontname=Helvetica; fontsize=11;\n"
        " node [shape=box, style=\"rounded,filled\", fontname=Helvetica, fontsize=10, height=0.3, "
        "margin=\"0.10,0.04\"];\n"
        " edge [fontname=Helvetica, fontsize=8, color=\"#64748b\", fontcolor=\"#475569\", arrowsize=0.6];\n",
        rankdir);
}

static void begin_cluster(struct text *out, int id, const char *label) {
    text_addf(out,
              " subgraph cluster_%d { style=\"rounded,filled\"; color=\"#cbd5e1\"; fillcolor=\"#f8fafc\"; label=", id);
    quote(out, label);
    text_add(out, ";\n");
}

// Opens a group's cluster inside the cluster `outer` of a region or a die. If group is IR_NONE, it opens none.
static void begin_group(struct text *out, const struct ir *ir, int outer, int group) {
    if (group == IR_NONE) return;
    text_addf(out, "  subgraph cluster_%d_group_%d { style=\"rounded,dashed\"; color=\"#64748b\"; label=", outer,
              group);
    quote(out, arena_printf(ir->arena, "group %d, %.1f KiB", group + 1, (double)ir->group[group].bits / 8192));
    text_add(out, ";\n");
}
static void end_group(struct text *out, int group) {
    if (group != IR_NONE) text_add(out, "  }\n");
}

static void add_node(struct text *out, char letter, int id, const char *label, enum html_kind kind) {
    text_addf(out, "  %c%d [label=", letter, id);
    quote(out, label);
    text_addf(out, ", fillcolor=\"%s\", color=\"%s\", fontcolor=\"%s\"];\n", html_fill[kind], html_line[kind],
              text_colour[kind]);
}

// Returns a tensor's type and shape, such as `fp32 <=8x768`, where `<=` marks a dimension that varies at run time.
static const char *shape_of(const struct ir *ir, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    const char *s = ir_dtype_words[t->dtype];
    for (int d = 0; d < t->rank; d++)
        s = arena_printf(ir->arena, "%s%s%s%lld", s, d ? "x" : " ",
                         t->shape[d].dynamic == IR_STATIC ? "" : "<=", (long long)t->shape[d].bound);
    return s;
}

static const char *region_label(const struct ir *ir, int r) {
    const struct ir_region *region = &ir->region[r];
    return arena_printf(ir->arena, "%s%s%s", region->name,
                        region->repeat > 1 ? arena_printf(ir->arena, ", %lld times", (long long)region->repeat) : "",
                        ir_takes_last(ir, r)      ? ", last token"
                        : region->when == IR_LAST ? ", last step"
                                                  : "");
}

// Returns the group of an operation, or IR_NONE if it is in no group.
static int group_of(const struct ir *ir, int node) {
    for (int g = 0; g < ir->groups; g++)
        if (node >= ir->group[g].first_node && node < ir->group[g].first_node + ir->group[g].nodes) return g;
    return IR_NONE;
}

// ---- operations ----

static bool is_input(const struct ir *ir, int tensor) {
    for (int i = 0; i < ir->inputs; i++)
        if (ir->input[i] == tensor) return true;
    return false;
}

// Adds an edge for a tensor, from its producer or from the node that represents the tensor, to an operation.
static void add_value(struct text *out, const struct ir *ir, int tensor, const char *to) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    if (t->producer != IR_NONE) text_addf(out, " n%d -> %s [label=", t->producer, to);
    else text_addf(out, " t%d -> %s [label=", tensor, to);
    quote(out, arena_printf(ir->arena, "%s\n%s", t->name, shape_of(ir, tensor)));
    text_add(out, "];\n");
}

// Adds the values that a region carries from one repetition to the next. A dashed edge leads back to the next
// repetition.
static void add_carries(struct text *out, const struct ir *ir, const struct ir_region *region) {
    for (int c = 0; c < region->carries; c++) {
        const struct ir_carry *carry = &region->carry[c];
        const struct ir_tensor *init = &ir->tensor[carry->init], *next = &ir->tensor[carry->next];
        text_addf(out, "  t%d [shape=ellipse, fillcolor=\"#ffffff\", color=\"#94a3b8\", label=", carry->local);
        quote(out, ir->tensor[carry->local].name);
        text_add(out, "];\n");
        if (init->producer != IR_NONE) text_addf(out, "  n%d -> t%d;\n", init->producer, carry->local);
        else text_addf(out, "  t%d -> t%d;\n", carry->init, carry->local);
        if (next->producer != IR_NONE)
            text_addf(out, "  n%d -> t%d [style=dashed, constraint=false];\n", next->producer, carry->local);
    }
}

// Draws each region as a cluster of its operations, and each group as a cluster inside it. The pass with g = IR_NONE
// draws the operations without a group.
void graph_operations(struct ir *ir, struct text *out) {
    begin(out, "TB");
    for (int t = 0; t < ir->tensors; t++)
        if (is_input(ir, t)) add_node(out, 't', t, ir->tensor[t].name, HTML_CONTROL);
    for (int r = 0; r < ir->regions; r++) {
        begin_cluster(out, r, region_label(ir, r));
        for (int g = IR_NONE; g < ir->groups; g++) {
            if (g != IR_NONE && ir->group[g].region != r) continue;
            begin_group(out, ir, r, g);
            for (int n = 0; n < ir->nodes; n++) {
                if (ir->node[n].region != r || group_of(ir, n) != g) continue;
                bool product = ir_engine_of(ir, n) != IR_NONE;
                add_node(out, 'n', n,
                         arena_printf(ir->arena, "%s\n%s", ir->node[n].name, ir_op_of(ir, ir->node[n].op)->name),
                         product ? HTML_ENGINE : HTML_OPERATION);
            }
            end_group(out, g);
        }
        text_add(out, " }\n");
    }
    for (int r = 0; r < ir->regions; r++) add_carries(out, ir, &ir->region[r]);
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++)
            add_value(out, ir, ir->node[n].in[i], arena_printf(ir->arena, "n%d", n));
    text_add(out, "}\n");
}

// ---- binding: operations to kernels ----

// Returns the kernel that does an operation's work: the engine that computes it, or the kernel made for it. A
// dequantization has neither; the engine whose product it reads does its work. Returns IR_NONE if there is no kernel.
static int kernel_serving(const struct ir *ir, int node) {
    int engine = ir_engine_of(ir, node);
    if (engine != IR_NONE) return ir->engine[engine].kernel;
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].node == node) return k;
    int from = ir->node[node].inputs ? ir->tensor[ir->node[node].in[0]].producer : IR_NONE;
    return from != IR_NONE && from != node && ir_engine_of(ir, from) != IR_NONE
               ? ir->engine[ir_engine_of(ir, from)].kernel
               : IR_NONE;
}

// Returns the operation that produces a tensor. For a tensor that a region carries, this is the operation that makes
// its next value. Returns IR_NONE for an input of the graph.
static int source_of(const struct ir *ir, int tensor) {
    for (int hops = 0; hops < ir->tensors && ir->tensor[tensor].producer == IR_NONE; hops++) {
        int next = IR_NONE;
        for (int r = 0; r < ir->regions && next == IR_NONE; r++)
            for (int c = 0; c < ir->region[r].carries; c++)
                if (ir->region[r].carry[c].local == tensor) next = ir->region[r].carry[c].next;
        if (next == IR_NONE) break;
        tensor = next;
    }
    return ir->tensor[tensor].producer;
}

// Returns the names of the products that an engine computes, three per line. For another kernel, returns the name of
// its module.
static const char *served_by(const struct ir *ir, int kernel) {
    const char *names = NULL;
    int count = 0;
    for (int n = 0; n < ir->nodes; n++) {
        if (kernel_serving(ir, n) != kernel || ir_engine_of(ir, n) == IR_NONE) continue;
        names = names ? arena_printf(ir->arena, "%s,%s%s", names, count % 3 ? " " : "\n", ir->node[n].name)
                      : ir->node[n].name;
        count++;
    }
    return names ? names : ir->kernel[kernel].module;
}

// Draws one edge for each pair of kernels between which values go, with the names of these values. label: per
// [from][to], the names on separate lines, or NULL if no value goes this way.
static void add_ways(const struct ir *ir, const char **label, struct text *out) {
    for (int a = 0; a < ir->kernels; a++)
        for (int b = 0; b < ir->kernels; b++) {
            const char *names = label[(size_t)a * (size_t)ir->kernels + (size_t)b];
            if (!names) continue;
            text_addf(out, " k%d -> k%d [label=", a, b);
            quote(out, names);
            text_add(out, "];\n");
        }
}

// Returns whether `line` is one of the lines of a text.
static bool has_line(const char *lines, const char *line) {
    size_t len = strlen(line);
    for (const char *s = lines; s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL)
        if (!strncmp(s, line, len) && (s[len] == '\0' || s[len] == '\n')) return true;
    return false;
}

// Draws the kernels that serve operations. First collects, for each pair of kernels, the names of the values that go
// from one to the other, so that they share one edge.
void graph_binding(struct ir *ir, struct text *out) {
    const char **label = ARENA_ARRAY(ir->arena, const char *, (size_t)ir->kernels *(size_t)ir->kernels + 1);
    bool *used = ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernels + 1);
    begin(out, "TB");
    for (int n = 0; n < ir->nodes; n++) {
        int to = kernel_serving(ir, n);
        if (to == IR_NONE) continue;
        used[to] = true;
        for (int i = 0; i < ir->node[n].inputs; i++) {
            int producer = source_of(ir, ir->node[n].in[i]),
                from = producer == IR_NONE ? IR_NONE : kernel_serving(ir, producer);
            if (from == IR_NONE || from == to) continue;
            const char **way = &label[(size_t)from * (size_t)ir->kernels + (size_t)to],
                       *name = ir->tensor[ir->node[n].in[i]].name;
            if (!*way) *way = name;
            else if (!has_line(*way, name)) *way = arena_printf(ir->arena, "%s\n%s", *way, name);
        }
    }
    for (int k = 0; k < ir->kernels; k++)
        if (used[k])
            add_node(out, 'k', k, arena_printf(ir->arena, "%s\n%s", ir->kernel[k].name, served_by(ir, k)),
                     html_kind_of(ir, k));
    add_ways(ir, label, out);
    text_add(out, "}\n");
}

// ---- hardware ----

// Returns the region of the kernel's operation, or the only region of its ports. Returns IR_NONE if the ports have
// several regions or none.
static int region_of(const struct ir *ir, const struct ir_kernel *k) {
    if (k->node != IR_NONE) return ir->node[k->node].region;
    int region = IR_NONE;
    for (int p = 0; p < k->ports; p++) {
        if (k->port[p].region == IR_NONE) continue;
        if (region != IR_NONE && region != k->port[p].region) return IR_NONE;
        region = k->port[p].region;
    }
    return region;
}

// Returns the group of the kernel's operation. A steering kernel has no operation, so it gets the group of one of its
// streams. Returns IR_NONE for other kernels.
static int group_of_kernel(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    if (k->node != IR_NONE) return group_of(ir, k->node);
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].edge != IR_NONE && ir->edge[k->port[p].edge].group != IR_NONE &&
            html_kind_of(ir, kernel) == HTML_STEERING)
            return ir->edge[k->port[p].edge].group;
    return IR_NONE;
}

// Returns whether a kernel serves all groups: an engine, or the multiplexer or demultiplexer of an engine.
static bool serves_all(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel || ir->engine[e].x_mux == kernel || ir->engine[e].y_demux == kernel)
            return true;
    return false;
}

// Returns an itensor type on three lines: tile, loops and map.
static const char *type_lines(struct ir *ir, const struct ir_itensor *type) {
    char *text = arena_strdup(ir->arena, ir_type_text(ir, type));
    for (char *s = text; *s; s++)
        if (*s == ' ' && s > text && s[-1] == ',' && (s[1] == '[' || s[1] == '(')) *s = '\n';
    return text;
}

// Draws a stream, with its itensor type and its FIFO as label. A stream between dies is red.
static void add_stream(struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_port *from = &ir->kernel[e->src_kernel].port[e->src_port];
    const char *size = arena_printf(ir->arena, "%lld x %lld, %s", (long long)e->depth, (long long)cost_edge_bits(ir, e),
                                    e->depth <= 2              ? "registers"
                                    : e->ram_style != RAM_AUTO ? ram_style_words[e->ram_style]
                                                               : "-");
    const char *type = from->type.rank ? type_lines(ir, &from->type) : "";
    text_addf(out, " k%d -> k%d [label=", e->src_kernel, e->dst_kernel);
    quote(out, arena_printf(ir->arena, "%s%s%s", type, *type ? "\n" : "", size));
    text_addf(out, ", penwidth=%.1f%s];\n", e->depth > 2 ? 1.6 : 0.8,
              e->crossings + e->entry_crossings ? ", color=\"#dc2626\"" : "");
}

// Draws the kernels with their streams. Step words are left out: they go from the token loop to nearly all kernels and
// would hide everything else. Kernels without any other stream are left out as well.
void graph_hardware(struct ir *ir, struct text *out) {
    bool *used = ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernels + 1);
    for (int e = 0; e < ir->edges; e++)
        if (!ir_carries_steps(ir, &ir->edge[e])) used[ir->edge[e].src_kernel] = used[ir->edge[e].dst_kernel] = true;
    bool by_die = ir->design.dies > 1 && ir->dies > 1; // a cluster is a die if the design is on several, else a region
    begin(out, "TB");
    for (int r = by_die ? 0 : IR_NONE; r < (by_die ? ir->dies : ir->regions); r++) {
        if (r != IR_NONE) begin_cluster(out, r, by_die ? ir->die[r].name : region_label(ir, r));
        for (int g = IR_NONE; g < ir->groups; g++) {
            int group = r == IR_NONE ? IR_NONE : g, shown = 0;
            for (int k = 0; k < ir->kernels; k++) {
                if (!used[k] || (by_die ? ir->kernel[k].die : region_of(ir, &ir->kernel[k])) != r ||
                    (serves_all(ir, k) ? IR_NONE : group_of_kernel(ir, k)) != g)
                    continue;
                if (!shown++) begin_group(out, ir, r, group);
                add_node(out, 'k', k, arena_printf(ir->arena, "%s\n%s", ir->kernel[k].name, ir->kernel[k].module),
                         html_kind_of(ir, k));
            }
            if (shown) end_group(out, group);
        }
        if (r != IR_NONE) text_add(out, " }\n");
    }
    for (int e = 0; e < ir->edges; e++)
        if (!ir_carries_steps(ir, &ir->edge[e])) add_stream(ir, &ir->edge[e], out);
    text_add(out, "}\n");
}
