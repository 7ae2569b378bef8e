// SPDX-License-Identifier: Apache-2.0
// Writes the tables that `rill import` prints about an ONNX file (report.h): the operators, the reasons why nodes
// cannot be written, and the inputs and outputs.
#include "gen/onnx/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A row of the table: all nodes with the same operator and the same words.
struct row {
    const char *op, *words; // words: what the nodes became, or the reason why they cannot be written
    bool missing;           // the nodes cannot be written
    int count;
    const struct onnx_node *first;
};
typedef VEC(struct row) row_list;

static const char *full_op(struct arena *arena, const struct onnx_node *n) {
    return *n->domain && strcmp(n->domain, "ai.onnx") != 0 ? arena_printf(arena, "%s.%s", n->domain, n->op) : n->op;
}

// Counts a node in the row with its operator and words, which is added if it does not exist.
static void count_node(struct arena *arena, row_list *rows, const struct onnx_node *n, const struct fate *f) {
    const char *words = f->missing ? f->missing : f->became ? f->became : "not needed";
    struct row row = {full_op(arena, n), words, f->missing != NULL, 1, n};
    for (size_t i = 0; i < rows->count; i++) {
        struct row *r = &rows->items[i];
        if (r->missing != row.missing || strcmp(r->op, row.op) != 0 || strcmp(r->words, row.words) != 0) continue;
        r->count++;
        return;
    }
    VEC_PUSH(arena, *rows, row);
}

// Orders rows by operator, and rows of one operator from the most nodes to the fewest.
static int by_name(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    int order = strcmp(x->op, y->op);
    return order ? order : y->count - x->count;
}

// Returns the shapes of a node's operands that are not constant, and of its first result.
static const char *shapes_text(const struct graph *g, const struct onnx_node *n) {
    const char *text = "";
    for (size_t k = 0; k < g->node.count; k++) {
        const struct node *node = &g->node.items[k];
        if (node->src != n) continue;
        for (size_t i = 0; i < node->in.count; i++) {
            int v = node->in.items[i];
            if (v == NONE || graph_value(g, v)->constant) continue;
            const char *dims = graph_value(g, v)->shaped ? onnx_dims_text(g->arena, &graph_value(g, v)->dims) : "?";
            text = arena_printf(g->arena, "%s%s%s", text, *text ? ", " : "", dims);
        }
        int v = node->out.count ? node->out.items[0] : NONE;
        bool known = v != NONE && graph_value(g, v)->shaped;
        return arena_printf(g->arena, "%s -> %s", text,
                            known ? onnx_dims_text(g->arena, &graph_value(g, v)->dims) : "?");
    }
    return text;
}

static void add_missing(const struct graph *g, const row_list *rows, struct text *out) {
    bool any = false;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *r = &rows->items[i];
        if (!r->missing) continue;
        if (!any) text_addf(out, "\n%-24s %5s  reason\n", "missing", "nodes");
        any = true;
        text_addf(out, "%-24s %5d  %s\n%33s%s `%s`%s\n", r->op, r->count, r->words, "", r->count > 1 ? "first" : "node",
                  *r->first->name       ? r->first->name
                  : r->first->out.count ? r->first->out.items[0]
                                        : "",
                  arena_printf(g->arena, ", %s", shapes_text(g, r->first)));
    }
}

// Says what a position of a request is: one row of the inputs, or the whole inputs.
static void add_rows(const struct graph *g, struct text *out) {
    if (g->batched) text_add(out, "positions: axis 0 of the inputs, one row at a time\n");
    else if (g->mixer)
        text_addf(out, "positions: the whole inputs are one position, because %s may mix their rows\n", g->mixer);
    else text_add(out, "positions: the whole inputs are one position\n");
}

void report_operators(const struct graph *g, struct text *out) {
    const struct onnx_model *m = g->model;
    row_list rows = {0};
    int nodes = 0;
    for (size_t i = 0; i < m->node.count; i++) {
        nodes += g->fate[i].taken;
        if (g->fate[i].taken) count_node(g->arena, &rows, &m->node.items[i], &g->fate[i]);
    }
    if (rows.count) qsort(rows.items, rows.count, sizeof *rows.items, by_name);
    text_addf(out, "%s: opset %" PRId64 "%s%s, %d nodes, %zu constants\n", m->path, m->opset,
              *m->producer ? ", by " : "", m->producer, nodes, m->initializer.count);
    add_rows(g, out);
    text_addf(out, "\n%-24s %5s  became\n", "operator", "nodes");
    for (size_t i = 0; i < rows.count; i++)
        if (!rows.items[i].missing)
            text_addf(out, "%-24s %5d  %s\n", rows.items[i].op, rows.items[i].count, rows.items[i].words);
    add_missing(g, &rows, out);
}

static const char *tensor_text(const struct spec *s, int tensor) {
    const struct spec_tensor *t = &s->tensor.items[tensor];
    struct onnx_dims d = {.rank = t->rank};
    memcpy(d.dim, t->dim, (size_t)t->rank * sizeof t->dim[0]);
    return onnx_dims_text(s->arena, &d);
}

static bool is_graph_input(const struct graph *g, int v) {
    for (size_t i = 0; i < g->input.count; i++)
        if (g->input.items[i] == v) return true;
    return false;
}

static bool is_graph_output(const struct graph *g, int v) {
    for (size_t i = 0; i < g->output.count; i++)
        if (g->output.items[i] == v) return true;
    return false;
}

void report_part(const struct graph *g, const struct spec *s, int nodes, int all, struct text *out) {
    text_addf(out, "\npart: %d of %d nodes\n", nodes, all);
    for (size_t i = 0; i < s->input.count; i++)
        if (!is_graph_input(g, s->input.items[i].value))
            text_addf(out, "the host computes `%s` and gives it to the design\n",
                      graph_value(g, s->input.items[i].value)->name);
    for (size_t i = 0; i < s->output.count; i++)
        if (!is_graph_output(g, s->output.items[i].value))
            text_addf(out, "the host reads `%s` and computes what follows\n",
                      graph_value(g, s->output.items[i].value)->name);
}

static void add_port(const struct graph *g, const struct spec *s, const char *kind, const struct spec_port *p,
                     struct text *out) {
    const struct value *v = graph_value(g, p->value);
    text_addf(out, "%-7s %-24s %-16s `%s` %s\n", kind, p->name, tensor_text(s, p->tensor), v->name,
              onnx_dims_text(g->arena, &v->dims));
}

void report_ports(const struct graph *g, const struct spec *s, struct text *out) {
    text_addf(out, "\n%-7s %-24s %-16s in the file\n", "", "name", "shape of a row");
    for (size_t i = 0; i < s->input.count; i++) add_port(g, s, "input", &s->input.items[i], out);
    for (size_t i = 0; i < s->output.count; i++) add_port(g, s, "output", &s->output.items[i], out);
    for (size_t i = 0; i < g->output.count; i++)
        if (graph_value(g, g->output.items[i])->constant)
            text_addf(out, "output `%s` is a constant and is left out\n", g->output_name.items[i]);
    for (size_t i = 0; i < s->region.count; i++)
        if (s->region.items[i].repeat > 1)
            text_addf(out, "region `%s`: %d operations, %d times\n", s->region.items[i].name, s->region.items[i].ops,
                      s->region.items[i].repeat);
}
