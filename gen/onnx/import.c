// SPDX-License-Identifier: Apache-2.0
// Runs all steps from an ONNX file to a spec (onnx.h). If the spec cannot express the whole file and the user allows a
// cut (--cut), selects the part of the file that is kept.
#include "gen/onnx/onnx.h"

#include <inttypes.h>
#include <string.h>

#include "gen/onnx/report.h"
#include "gen/onnx/rewrite.h"
#include "gen/onnx/spec.h"

// An imported file. name: name of the design; file: path of the ONNX file.
struct onnx_import {
    const char *name, *file;
    struct graph *g;
    struct spec *spec;
    int first, end; // if `part` is set: the nodes of the part, first to end - 1
    bool part;      // the spec has only a part of the file
};

bool onnx_is_model(const char *path) { return file_has_suffix(path, ".onnx"); }

const char *onnx_import_name(const struct onnx_import *m) { return m->name; }
int64_t onnx_import_weight_bytes(const struct onnx_import *m) { return spec_weight_bytes(m->spec); }
bool onnx_import_weights(const struct onnx_import *m, FILE *out) { return spec_write_weights(m->spec, out); }

// ---- the name ----

enum { MOST_NAME = 48 }; // characters that a name takes from the file's name

// Makes the name of a design from the file's name: a letter, then letters, digits, `_` and `-`.
static const char *base_name(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t len = strlen(base) - strlen(".onnx");
    char *name = arena_printf(arena, "%s%.*s", *base >= '0' && *base <= '9' ? "model-" : "",
                              (int)(len < MOST_NAME ? len : MOST_NAME), base);
    for (char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'), digit = *c >= '0' && *c <= '9';
        if (!letter && !digit && (c == name || (*c != '_' && *c != '-'))) *c = c == name ? 'm' : '-';
    }
    return name;
}

// ---- the part that is kept ----

// Returns whether there is a reason why the node cannot be written.
static bool is_missing(const struct graph *g, int i) {
    return !g->node.items[i].gone && g->fate[g->node.items[i].number].missing;
}

// Counts the nodes that compute something; layout operators do not count.
static int live_nodes(const struct graph *g, int first, int end) {
    int n = 0;
    for (int i = first; i < end; i++) n += !g->node.items[i].gone && !rewrite_is_layout(&g->node.items[i]);
    return n;
}

static bool has_few_ports(const struct spec *s) {
    return s->input.count && s->input.count <= SPEC_MAX_PORTS && s->output.count && s->output.count <= SPEC_MAX_PORTS;
}

// Sets *first and *end to the next run of nodes, from *first on, that can all be written. Returns false if there is
// none.
static bool next_run(const struct graph *g, int *first, int *end) {
    int n = (int)g->node.count;
    while (*first < n && is_missing(g, *first)) ++*first;
    for (*end = *first; *end < n && !is_missing(g, *end);) ++*end;
    return *first < n;
}

// Takes the run of nodes with the most computing nodes that can be written and that has no more inputs and outputs than
// a spec may have. Returns false if there is none.
static bool take_longest(struct onnx_import *m) {
    int most = 0, end, missing;
    for (int first = 0; next_run(m->g, &first, &end); first = end) {
        if (live_nodes(m->g, first, end) <= most) continue;
        struct spec *s = spec_lower(m->g, first, end, &missing);
        if (missing || !has_few_ports(s)) continue;
        most = live_nodes(m->g, first, end);
        m->first = first, m->end = end, m->spec = s, m->part = true;
    }
    return m->part;
}

// ---- all steps ----

static bool check_ports(const struct spec *s, const struct onnx_model *model, struct diag *diag) {
    size_t in = s->input.count, out = s->output.count;
    if (!in || !out) diag_error(diag, model->loc, MSG_ONNX_NOTHING);
    if (in > SPEC_MAX_PORTS) diag_error(diag, model->loc, MSG_ONNX_PORTS, in, "inputs", SPEC_MAX_PORTS);
    if (out > SPEC_MAX_PORTS) diag_error(diag, model->loc, MSG_ONNX_PORTS, out, "outputs", SPEC_MAX_PORTS);
    return in && out && in <= SPEC_MAX_PORTS && out <= SPEC_MAX_PORTS;
}

// Makes the operations of the spec, and adds the operators to the table. Returns false after an error: some nodes
// cannot be written and no part is taken, or the spec has too many inputs or outputs or none.
static bool take_nodes(struct onnx_import *m, const struct onnx_options *o, struct text *table, struct diag *diag) {
    int missing, nodes = live_nodes(m->g, 0, (int)m->g->node.count);
    const struct onnx_model *model = m->g->model;
    m->spec = spec_lower(m->g, 0, (int)m->g->node.count, &missing);
    report_operators(m->g, table);
    if (!missing) return check_ports(m->spec, model, diag);
    if (o->cut && take_longest(m)) {
        report_part(m->g, m->spec, live_nodes(m->g, m->first, m->end), nodes, table);
        return true;
    }
    diag_error(diag, model->loc, o->cut ? MSG_ONNX_NO_PART : MSG_ONNX_MISSING, missing, nodes);
    return false;
}

static struct graph_givens givens(struct arena *arena, const struct onnx_given *given, int count) {
    struct graph_givens all = {0};
    for (int i = 0; i < count; i++)
        VEC_PUSH(arena, all.list, (struct graph_given){.name = given[i].name, .value = given[i].value});
    return all;
}

struct onnx_import *onnx_import_read(const struct onnx_options *o, struct arena *arena, struct text *table,
                                     struct diag *diag) {
    struct onnx_import *m = ARENA_NEW(arena, struct onnx_import);
    struct graph_givens dims = givens(arena, o->dim, o->dims), sets = givens(arena, o->set, o->sets);
    const struct onnx_model *model = onnx_model_read(arena, o->source, diag);
    m->g = model ? graph_build(model, &dims, &sets, arena, diag) : NULL;
    if (!m->g) return NULL;
    m->g->on_chip = o->on_chip;
    m->file = o->source;
    m->name = o->name ? o->name : base_name(arena, o->source);
    rewrite_patterns(m->g);
    rewrite_rows(m->g);
    rewrite_products(m->g);
    if (!take_nodes(m, o, table, diag)) return NULL;
    spec_find_regions(m->spec);
    spec_make_names(m->spec);
    report_ports(m->g, m->spec, table);
    return m;
}

void onnx_import_spec(const struct onnx_import *m, const struct onnx_design *d, struct text *out) {
    const char *slash = strrchr(m->file, '/');
    text_addf(out, "# Made by `rill import` of %s%s. docs/spec.md explains the keys, docs/onnx.md the import.\n",
              m->part ? "a part of " : "", slash ? slash + 1 : m->file);
    text_addf(out, "name: %s\n\n", m->name);
    spec_write_graph(m->spec, out);
    text_addf(out, "\nboard: ");
    text_add_json_string(out, d->board, strlen(d->board));
    text_addf(out, "\ndesign:\n  channels: %d\n  lanes: %d\n  T: %d\n  weights: int8\n  activations: int10\n",
              d->channels, d->lanes, d->tokens);
    if (d->resident) text_addf(out, "  binding: spatial\n  resident: all\n  resident_lanes: %d\n", d->resident);
    if (d->tensor_rows > 1) text_addf(out, "  tensor_rows: %d\n  A: 2\n", d->tensor_rows);
    if (d->bmm_rows > 1) text_addf(out, "  bmm_rows: %d\n", d->bmm_rows);
    if (d->dies > 1) text_addf(out, "  dies: %d\n", d->dies);
}
