// SPDX-License-Identifier: Apache-2.0
// Evaluates the declarations of custom kernels for the oracle (docs/spec.md section 6): the shapes of results, and the
// parameters that golden functions receive. gen/ir/custom_ops.c does this for the compiler.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/expression.h"
#include "gen/reference/graph.h"
#include "include/rill_kernel.h"

enum { NESTING = 8 }; // depth to which the expression of a parameter may use other parameters

// The names that an expression may use, for one operation.
struct scope {
    const struct oracle_graph *graph;
    const struct oracle_node *node;
    const struct oracle_kernel *kernel;
    bool result;  // the results' shapes are known, so expressions may use them
    bool depends; // the value depends on lanes, T or words, which differ between designs
    int depth;    // parameters that are being evaluated, each for the expression of the one before
};

// Returns the tensor at the input or output with this name. NULL: there is none, or its shape is not known yet.
static const struct oracle_tensor *stream(const struct scope *s, const char *name, size_t len) {
    const struct oracle_kernel *k = s->kernel;
    for (int i = 0; i < k->inputs; i++)
        if (strlen(k->in[i].name) == len && !strncmp(k->in[i].name, name, len))
            return &s->graph->tensor.items[s->node->in[i]];
    for (int o = 0; s->result && o < k->outputs; o++)
        if (strlen(k->out[o].name) == len && !strncmp(k->out[o].name, name, len))
            return &s->graph->tensor.items[s->node->out[o]];
    return NULL;
}

// Returns the expression that the operation gives for a parameter, or the kernel's preset.
static const char *parameter_text(const struct scope *s, int p) {
    for (int i = 0; i < s->node->parameters; i++)
        if (!strcmp(s->node->parameter[i].name, s->kernel->parameter[p].name)) return s->node->parameter[i].text;
    return s->kernel->parameter[p].text;
}

// Gets the value of a name that refers to a stream: `x` is its number of elements, `x.1` the extent of its dimension 1.
// `x.words` depends on the lanes of the design: it sets s->depends and gives 1.
static bool stream_value(struct scope *s, const char *name, int64_t *value) {
    const char *dot = strchr(name, '.');
    const struct oracle_tensor *t = stream(s, name, dot ? (size_t)(dot - name) : strlen(name));
    if (!t) return false;
    *value = oracle_elements(t);
    if (!dot) return true;
    if (isdigit((unsigned char)dot[1]) && !dot[2] && dot[1] - '0' < t->rank) {
        *value = t->extent[dot[1] - '0'];
        return true;
    }
    *value = 1;
    return s->depends = !strcmp(dot, ".words");
}

// Gets the value of a name in an expression. False: there is no such name, the parameters are nested too deeply, or the
// expression of a parameter has an error.
static bool look_up(void *context, const char *name, int64_t *value) {
    struct scope *s = context;
    struct expression_error error;
    if (!strcmp(name, "lanes") || !strcmp(name, "T")) {
        s->depends = true;
        *value = *name == 'T' ? s->graph->tokens : 1;
        return true;
    }
    if (!strcmp(name, "context")) return *value = s->graph->context, true;
    if (s->node->reads_table && !strcmp(name, "rows")) return *value = s->node->rows, true;
    if (s->node->reads_table && !strcmp(name, "cols")) return *value = s->node->cols, true;
    if (stream_value(s, name, value)) return true;
    for (int p = 0; p < s->kernel->parameters && s->depth < NESTING; p++) {
        if (strcmp(s->kernel->parameter[p].name, name) != 0) continue;
        s->depth++;
        bool ok = expression_value(s->graph->arena, parameter_text(s, p), look_up, s, value, &error);
        s->depth--;
        return ok;
    }
    return false;
}

bool oracle_kernel_shape(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_kernel *k = &g->kernel.items[n->op - ORACLE_OPS];
    struct scope s = {.graph = g, .node = n, .kernel = k};
    struct oracle_tensor *y = &g->tensor.items[n->out[0]];
    const struct oracle_stream *port = &k->out[0];
    const struct oracle_tensor *x = &g->tensor.items[n->in[0]];
    struct expression_error error;
    y->kind = port->int8 ? ORACLE_INT8 : ORACLE_F32;
    y->rank = port->extents && !k->elementwise ? port->extents : x->rank;
    for (int d = 0; d < y->rank; d++) {
        y->extent[d] = x->extent[d];
        if (!port->extents || k->elementwise ||
            expression_value(g->arena, port->extent[d], look_up, &s, &y->extent[d], &error))
            continue;
        struct loc loc = loc_file(g->arena, g->path);
        loc.line = (uint32_t)n->line, loc.col = 1;
        diag_error(diag, loc, MSG_ORACLE_EXTENT, port->extent[d], error.why);
        return false;
    }
    return true;
}

int64_t oracle_kernel_vector_length(const struct oracle_graph *g, const struct oracle_node *n) {
    const struct oracle_kernel *k = &g->kernel.items[n->op - ORACLE_OPS];
    struct scope s = {.graph = g, .node = n, .kernel = k, .result = true};
    struct expression_error error;
    int64_t length;
    return expression_value(g->arena, k->vector[0].text, look_up, &s, &length, &error) ? length : 0;
}

int oracle_kernel_parameters(const struct oracle_graph *g, const struct oracle_node *n, struct rill_parameter out[]) {
    const struct oracle_kernel *k = &g->kernel.items[n->op - ORACLE_OPS];
    int count = 0;
    for (int p = 0; p < k->parameters; p++) {
        struct scope s = {.graph = g, .node = n, .kernel = k, .result = true};
        struct expression_error error;
        int64_t value;
        if (expression_value(g->arena, parameter_text(&s, p), look_up, &s, &value, &error) && !s.depends)
            out[count++] = (struct rill_parameter){k->parameter[p].name, value};
    }
    return count;
}
