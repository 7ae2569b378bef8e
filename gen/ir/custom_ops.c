// SPDX-License-Identifier: Apache-2.0
// Custom kernels as operations of the IR (custom_ops.h): makes their rows of the operations table, evaluates the
// expressions of their declarations, checks shapes, and computes their timing.
#include "gen/ir/custom_ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/expression.h"
#include "gen/ir/type_rules.h"

// MOST_NESTING: depth to which the expression of a parameter may use other parameters. MOST_ELEMENTS: elements of a
// port or vector. MOST_CYCLES: largest number of cycles in a timing contract.
enum { MOST_NESTING = 8, MOST_ELEMENTS = 1 << 20, MOST_CYCLES = 1 << 16 };

// ---- rows of the table ----

// Returns the names of the ports, with spaces between them.
static const char *port_names(struct arena *arena, const struct custom_port *port, int count) {
    const char *text = "";
    for (int i = 0; i < count; i++) text = arena_printf(arena, "%s%s%s", text, i ? " " : "", port[i].name);
    return text;
}

// Attributes of a kernel that reads rows of a table.
#define TABLE_ATTRIBUTES "rows:i(1..1048576) cols:i(1..65535) weight:s"

// Returns the row of the operations table for a kernel: its ports, its attributes and its kind of weights.
static struct ir_op_info row_of(struct arena *arena, const struct custom *k) {
    struct ir_op_info row = {k->name,         k->inputs,   k->outputs,       "", "", k->elementwise ? OP_FOLLOWS : 0,
                             IR_WEIGHTS_NONE, type_custom, "a custom kernel"};
    row.ports =
        arena_printf(arena, "%s | %s", port_names(arena, k->in, k->inputs), port_names(arena, k->out, k->outputs));
    for (int p = 0; p < k->params; p++) // each is a string: the code that uses a parameter decides what its text means
        row.attributes = arena_printf(arena, "%s%s%s%s:s", row.attributes, p ? " " : "",
                                      strcmp(k->param[p].value.text, "required") ? "?" : "", k->param[p].name);
    for (int v = 0; v < k->vectors; v++)
        row.attributes = arena_printf(arena, "%s%s%s:s", row.attributes, *row.attributes ? " " : "", k->vector[v].name);
    if (k->vectors) row.weights = IR_WEIGHTS_VECTORS;
    if (!k->fetch) return row;
    row.weights = IR_WEIGHTS_TABLE;
    row.attributes = arena_printf(arena, "%s%s" TABLE_ATTRIBUTES, row.attributes, *row.attributes ? " " : "");
    return row;
}

void ir_set_customs(struct ir *ir, struct custom *custom, int count) {
    ir->custom = custom;
    ir->customs = count;
    ir->custom_op = ARENA_ARRAY(ir->arena, struct ir_op_info, (size_t)count + 1);
    for (int c = 0; c < count; c++) ir->custom_op[c] = row_of(ir->arena, &custom[c]);
}

static const struct custom *custom_op(const struct ir *ir, int op) {
    return op >= IR_OPS ? &ir->custom[op - IR_OPS] : NULL;
}
const struct custom *ir_custom_of(const struct ir *ir, int node) {
    return node == IR_NONE ? NULL : custom_op(ir, ir->node[node].op);
}
const struct custom *ir_custom_kernel(const struct ir *ir, int kernel) {
    return ir_custom_of(ir, ir->kernel[kernel].node);
}

// ---- expressions ----

// Returns the tensor at the input with this name, or at the output if `s->outputs` is set. NULL: there is no such port.
static const struct ir_tensor *port_tensor(const struct custom_scope *s, const char *name, size_t len) {
    for (int i = 0; i < s->custom->inputs; i++)
        if (strlen(s->custom->in[i].name) == len && !strncmp(s->custom->in[i].name, name, len))
            return &s->ir->tensor[s->node->in[i]];
    for (int i = 0; s->outputs && i < s->custom->outputs; i++)
        if (strlen(s->custom->out[i].name) == len && !strncmp(s->custom->out[i].name, name, len))
            return &s->ir->tensor[s->node->out[i]];
    return NULL;
}

// Finds the value of a port's name: `x` is its number of elements, `x.1` the extent of its dimension 1, and `x.words`
// its words per firing and token. Returns false if the name is none of these.
static bool port_value(struct custom_scope *s, const char *name, int64_t *value) {
    const char *dot = strchr(name, '.');
    const struct ir_tensor *t = port_tensor(s, name, dot ? (size_t)(dot - name) : strlen(name));
    if (!t) return false;
    *value = ir_tensor_elements(t);
    if (!dot) return true;
    if (!strcmp(dot, ".words")) {
        s->depends = true;
        *value = s->lanes ? (*value + s->lanes - 1) / s->lanes : 1;
        return true;
    }
    int d = dot[1] - '0';
    if (!isdigit((unsigned char)dot[1]) || dot[2] || d >= (t->rank ? t->rank : 1)) return false;
    *value = t->rank ? t->shape[d].bound : 1;
    return true;
}

const char *ir_custom_text(const struct ir_node *node, const struct custom_param *param, struct loc *loc) {
    const struct ir_attr *given = ir_attr_find(&node->attrs, param->name);
    *loc = given ? given->loc : param->value.loc;
    if (!loc->source) *loc = node->loc;
    return given && given->s ? given->s : param->value.text;
}

// Gives expression_value the value of a name. A parameter of the kernel has the value of its expression, which may use
// other parameters, at most MOST_NESTING deep. Returns false if there is no such name or the value cannot be found.
static bool look_up(void *context, const char *name, int64_t *value) {
    struct custom_scope *s = context;
    if (!strcmp(name, "lanes") || !strcmp(name, "T")) {
        s->depends = true;
        *value = !strcmp(name, "T") ? s->ir->design.tokens : s->lanes ? s->lanes : 1;
        return true;
    }
    if (!strcmp(name, "context")) return *value = s->ir->design.context, true;
    if (s->custom->fetch && (!strcmp(name, "rows") || !strcmp(name, "cols")))
        return *value = ir_attr_int(&s->node->attrs, name, 1), true;
    if (port_value(s, name, value)) return true;
    for (int p = 0; p < s->custom->params && s->depth < MOST_NESTING; p++) {
        struct loc loc;
        struct expression_error error;
        if (strcmp(s->custom->param[p].name, name) != 0) continue;
        s->depth++;
        bool ok = expression_value(s->ir->arena, ir_custom_text(s->node, &s->custom->param[p], &loc), look_up, s, value,
                                   &error);
        s->depth--;
        return ok;
    }
    return false;
}

// Notes the names that the expression could have used, and the one most similar to `word`.
static void note_names(const struct custom_scope *s, struct loc loc, const char *word, struct diag *diag) {
    const char *words[3 * CUSTOM_MAX_PORTS + CUSTOM_MAX_PARAMS + 5];
    size_t count = 0;
    words[count++] = "lanes", words[count++] = "T", words[count++] = "context";
    if (s->custom->fetch) words[count++] = "rows", words[count++] = "cols";
    for (int i = 0; i < s->custom->inputs; i++) words[count++] = s->custom->in[i].name;
    for (int i = 0; s->outputs && i < s->custom->outputs; i++) words[count++] = s->custom->out[i].name;
    for (int p = 0; p < s->custom->params; p++) words[count++] = s->custom->param[p].name;
    diag_note_words(diag, loc, word, words, count);
}

// Evaluates an expression. If it has no value, reports an error, with `what` as the name of the expression, and returns
// false. diag NULL: errors are not reported.
static bool evaluate(struct custom_scope *s, const char *text, struct loc loc, const char *what, int64_t *value,
                     struct diag *diag) {
    struct expression_error error = {0};
    if (expression_value(s->ir->arena, text, look_up, s, value, &error)) return true;
    if (!diag) return false;
    // If the unknown name is a parameter, its own expression has no value. Report the error there.
    for (int p = 0; error.unknown && p < s->custom->params; p++) {
        const struct custom_param *param = &s->custom->param[p];
        if (strcmp(param->name, error.unknown) != 0) continue;
        const char *own = ir_custom_text(s->node, param, &loc);
        if (!strcmp(param->name, what) || s->depth >= MOST_NESTING) {
            diag_error(diag, loc, MSG_KERNEL_LOOP, what, s->custom->name, text);
            return false;
        }
        s->depth++;
        return evaluate(s, own, loc, param->name, value, diag);
    }
    diag_error(diag, loc, MSG_KERNEL_EXPRESSION, what, s->custom->name, text, error.why);
    if (error.unknown) note_names(s, loc, error.unknown, diag);
    return false;
}

bool ir_custom_value(struct custom_scope *s, const struct custom_expr *e, int64_t least, int64_t most, const char *what,
                     int64_t *value, struct diag *diag) {
    struct loc loc = e->loc.source ? e->loc : s->node->loc;
    if (!evaluate(s, e->text, loc, what, value, diag)) return false;
    if (*value >= least && *value <= most) return true;
    if (diag) {
        diag_error(diag, loc, MSG_KERNEL_VALUE_RANGE, what, s->custom->name, (long long)least, (long long)most,
                   (long long)*value, e->text, s->node->name);
        diag_note(diag, loc, "the nearest legal value is %lld", (long long)(*value < least ? least : most));
    }
    return false;
}

// Reads a parameter that is a string in quotes. It must not contain a quote or a backslash.
static bool read_quoted(struct custom_scope *s, const struct custom_param *param, const char *text, struct loc loc,
                        struct ir_value *value, struct diag *diag) {
    size_t len = strlen(text);
    bool whole = len > 1 && strchr(text + 1, '"') == text + len - 1 && !strchr(text, '\\');
    if (whole) *value = ir_value_text(arena_strndup(s->ir->arena, text + 1, len - 2));
    else diag_error(diag, loc, MSG_KERNEL_QUOTES, param->name, s->custom->name);
    return whole;
}

// Returns whether the text is a Verilog constant with a base, such as 8'hff. It is passed to the module as it is
// written.
static bool is_sized(const char *text) {
    size_t head = strspn(text, "0123456789_");
    return text[head] == '\'' &&
           strspn(text + head + 1, "sSbBoOdDhH0123456789abcdefABCDEF_xXzZ") == strlen(text + head + 1);
}

bool ir_custom_param(struct custom_scope *s, const struct custom_param *param, struct ir_value *value, bool *number,
                     int64_t *integer, struct diag *diag) {
    struct loc loc;
    struct expression_error error;
    const char *text = ir_custom_text(s->node, param, &loc);
    *number = false;
    if (*text == '"') return read_quoted(s, param, text, loc, value, diag);
    if (is_sized(text)) {
        *number = expression_value(s->ir->arena, text, look_up, s, integer, &error);
        *value = ir_value_read(s->ir->arena, text);
        return true;
    }
    if (!evaluate(s, text, loc, param->name, integer, diag)) return false;
    *number = true;
    bool plain = *integer >= INT32_MIN && *integer <= INT32_MAX;
    *value = plain ? ir_value_int(*integer) : ir_value_word(s->ir->arena, 64, (uint64_t)*integer);
    return true;
}

// ---- shapes ----

static const enum ir_dtype dtypes[CUSTOM_TYPES] = {IR_F32, IR_INT8}; // by enum custom_type

// Checks type and shape of input i, which must have no heads and only static extents. A port without extents accepts
// any such shape. A port with one extent accepts any such shape with that number of elements. A port with more extents
// accepts exactly the shape that they give.
static bool check_input(struct custom_scope *s, int i, struct diag *diag) {
    const struct custom_port *port = &s->custom->in[i];
    const struct ir_tensor *t = &s->ir->tensor[s->node->in[i]];
    if (!type_expect(s->ir, s->node, i, dtypes[port->type], diag)) return false;
    for (int d = 0; d < t->rank; d++)
        if (t->heads || t->shape[d].dynamic != IR_STATIC) {
            diag_error(diag, s->node->loc, MSG_KERNEL_HEADS, s->custom->name, s->node->name, t->name);
            return false;
        }
    struct ir_tensor want = {.rank = port->extents};
    bool same = t->rank == port->extents;
    int64_t elements = 1;
    for (int d = 0; d < port->extents; d++) {
        if (!ir_custom_value(s, &port->shape[d], 1, MOST_ELEMENTS, "shape", &want.shape[d].bound, diag)) return false;
        elements *= want.shape[d].bound;
        same = same && t->shape[d].bound == want.shape[d].bound;
    }
    if (!port->extents || (elements == ir_tensor_elements(t) && (same || port->extents == 1))) return true;
    if (port->extents == 1)
        diag_error(diag, s->node->loc, MSG_KERNEL_ELEMENTS, s->custom->name, s->node->name, t->name,
                   (long long)ir_tensor_elements(t), (long long)elements, port->name);
    else
        diag_error(diag, s->node->loc, MSG_KERNEL_SHAPE, s->custom->name, s->node->name, t->name,
                   type_shape_text(s->ir->arena, t), type_shape_text(s->ir->arena, &want), port->name);
    if (elements == ir_tensor_elements(t)) diag_note(diag, s->node->loc, "`reshape` or `transpose` makes them equal");
    return false;
}

// Sets type and shape of an output. Without extents in its declaration, it has the shape of the first input.
static bool set_output(struct custom_scope *s, struct ir_tensor *out, const struct custom_port *port,
                       struct diag *diag) {
    const struct ir_tensor *first = &s->ir->tensor[s->node->in[0]];
    out->dtype = dtypes[port->type];
    out->rank = first->rank;
    memcpy(out->shape, first->shape, sizeof out->shape);
    if (!port->extents) return true;
    int64_t elements = 1;
    out->rank = port->extents;
    for (int d = 0; d < port->extents; d++) {
        int64_t extent;
        if (!ir_custom_value(s, &port->shape[d], 1, MOST_ELEMENTS / elements, "shape", &extent, diag)) return false;
        out->shape[d] = (struct ir_extent){extent, IR_STATIC};
        elements *= extent;
    }
    return true;
}

// Checks that the kernel supports the design's T. T is 1, 2, 4 or 8, and k->tokens is the sum of the supported values.
static bool check_tokens(const struct ir *ir, const struct ir_node *node, const struct custom *k, struct diag *diag) {
    if (k->tokens & ir->design.tokens) return true;
    int near = 8;
    for (int t = 8; t >= 1; t /= 2)
        if (k->tokens & t && abs(t - ir->design.tokens) <= abs(near - ir->design.tokens)) near = t;
    diag_error(diag, node->loc, MSG_KERNEL_T, k->name, node->name, ir->design.tokens);
    diag_note(diag, k->loc.source ? k->loc : node->loc, "the nearest T that it supports is %d", near);
    return false;
}

int64_t ir_custom_vector_length(const struct ir *ir, const struct ir_node *node) {
    const struct custom *k = custom_op(ir, node->op);
    struct custom_scope s = {.ir = ir, .node = node, .custom = k, .outputs = true};
    int64_t n = 1;
    return ir_custom_value(&s, &k->vector[0].elements, 1, MOST_ELEMENTS, "vectors", &n, NULL) ? n : 1;
}

// Checks that all vectors of the kernel are equally long, because an element of each arrives in the same word.
static bool check_vectors(struct custom_scope *s, struct diag *diag) {
    const struct custom *k = s->custom;
    int64_t first = 0, n;
    s->outputs = true;
    for (int v = 0; v < k->vectors; v++) {
        if (!ir_custom_value(s, &k->vector[v].elements, 1, MOST_ELEMENTS, k->vector[v].name, &n, diag)) return false;
        if (v == 0) first = n;
        if (n == first) continue;
        diag_error(diag, s->node->loc, MSG_VECTOR_ELEMENTS, k->name, s->node->name, k->vector[v].name, (long long)n,
                   k->vector[0].name, (long long)first);
        return false;
    }
    return true;
}

bool type_custom(struct ir *ir, struct ir_node *node, struct diag *diag) {
    const struct custom *k = custom_op(ir, node->op);
    struct custom_scope s = {.ir = ir, .node = node, .custom = k};
    bool ok = check_tokens(ir, node, k, diag);
    for (int i = 0; i < node->inputs; i++) ok &= check_input(&s, i, diag);
    if (ok && k->elementwise) return type_same(ir, node, diag) && check_vectors(&s, diag);
    for (int o = 0; ok && o < node->outputs; o++) ok &= set_output(&s, &ir->tensor[node->out[o]], &k->out[o], diag);
    return ok && check_vectors(&s, diag);
}

// ---- timing ----

// Returns the words of a tensor per token.
static int64_t words_of(const struct ir *ir, int tensor, int lanes) {
    return (ir_tensor_elements(&ir->tensor[tensor]) + lanes - 1) / lanes;
}

bool ir_custom_timing(const struct ir *ir, const struct ir_node *node, int lanes, struct custom_timing *t,
                      struct diag *diag) {
    const struct custom *k = custom_op(ir, node->op);
    struct custom_scope s = {.ir = ir, .node = node, .custom = k, .lanes = lanes, .outputs = true};
    *t = (struct custom_timing){.group = 1,
                                .interval = 1,
                                .buffers = 1,
                                .ask = 1,
                                .ask_next = 1,
                                .held = 1,
                                .out_words = words_of(ir, node->out[0], lanes)};
    for (int i = 0; i < node->inputs; i++) t->words[i] = words_of(ir, node->in[i], lanes);
    bool whole = k->group.text && !strcmp(k->group.text, "firing");
    bool ok = ir_custom_value(&s, &k->latency, 0, MOST_CYCLES, "latency", &t->latency, diag);
    if (k->interval.text) ok &= ir_custom_value(&s, &k->interval, 1, MOST_CYCLES, "interval", &t->interval, diag);
    if (k->buffers.text) ok &= ir_custom_value(&s, &k->buffers, 1, MOST_CYCLES, "buffers", &t->buffers, diag);
    if (k->ask.text) ok &= ir_custom_value(&s, &k->ask, 1, MOST_CYCLES, "ask", &t->ask, diag);
    if (k->ask_next.text) ok &= ir_custom_value(&s, &k->ask_next, 1, MOST_CYCLES, "interval", &t->ask_next, diag);
    if (k->held.text) ok &= ir_custom_value(&s, &k->held, 0, MOST_CYCLES, "ready", &t->held, diag);
    if (k->group.text && !whole) ok &= ir_custom_value(&s, &k->group, 1, MOST_ELEMENTS, "group", &t->group, diag);
    if (!ok) return false;
    if (whole || t->group >= t->words[0]) t->group = 0;
    t->groups = t->group ? (t->words[0] + t->group - 1) / t->group : 1;
    t->gives = (t->out_words + t->groups - 1) / t->groups;
    return true;
}
