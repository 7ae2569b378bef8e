// SPDX-License-Identifier: Apache-2.0
// Converts the graph of a spec to the tensor graph of the IR: resolves names, and checks operations and attributes
// against include/ops.def. In each region, composite.c first replaces the composite operations. Functions that return
// bool and take a `diag` return false after an error.
#include <math.h>
#include <string.h>

#include "gen/model/model.h"
#include "gen/ir/names.h"
#include "gen/ir/ops.h"

// Finds the tensor with this name, which an earlier line of the graph must have declared.
static bool resolve(const struct ir *ir, const struct spec_name *name, int *tensor, struct diag *diag) {
    *tensor = ir_find_tensor(ir, name->text);
    if (*tensor != IR_NONE) return true;
    diag_error(diag, name->loc, MSG_TENSOR_NOT_YET, name->text);
    const char *words[256];
    size_t count = 0;
    for (int i = 0; i < ir->tensors && count < COUNT_OF(words); i++) words[count++] = ir->tensor[i].name;
    diag_note_words(diag, name->loc, name->text, words, count);
    return false;
}

// Adds a tensor, whose name must be new.
static bool declare(struct ir *ir, const struct spec_name *name, enum ir_dtype dtype, int *tensor, struct diag *diag) {
    int old = ir_find_tensor(ir, name->text);
    if (old != IR_NONE) {
        diag_error(diag, name->loc, MSG_TENSOR_TWICE, name->text);
        diag_note(diag, ir->tensor[old].loc, "the first is here");
        return false;
    }
    *tensor = ir_add_tensor(ir, name->text, dtype, name->loc);
    return true;
}

enum { MAX_COMPOSITES = 16 /* at least as many as include/composites.def has */ };

// Names of operations in other languages, with a hint on what to write instead.
static const struct {
    const char *name, *hint;
} elsewhere[] = {
    {"relu6", "`clip` with `lo: 0, hi: 6` is relu6"},
    {"swish", "`silu` is x * sigmoid(x)"},
    {"gemm", "`linear` is a product with weights"},
    {"dense", "`linear` is a product with weights"},
    {"dot", "`bmm` multiplies two tensors; `linear` is a product with weights"},
    {"einsum", "`bmm` multiplies two tensors, `transpose` orders their dimensions, and `reduce` sums"},
    {"pow", "`mul` of a tensor with itself is its square, `sqrt` its root"},
    {"split", "each part is a `slice`"},
    {"maxpool", "`patch` and then `reduce` with `kind: max` is a maximum over patches"},
    {"averagepool", "`patch` and then `reduce` with `kind: mean` is a mean over patches"},
    {"gather", "`gather` is not in the language yet; a `slice` takes elements at a constant distance"},
};

static const char *hint_of(const char *name) {
    for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
        if (!strcmp(elsewhere[i].name, name)) return elsewhere[i].hint;
    return NULL;
}

// Adds a note that helps after an unknown operation: a hint, a similar name, or how to list the operations.
static void note_ops(const struct ir *ir, const struct spec_name *op, struct diag *diag) {
    const char *words[IR_OPS + SPEC_MAX_KERNELS + MAX_COMPOSITES];
    size_t count = 0;
    const char *hint = hint_of(op->text);
    if (hint) {
        diag_note(diag, op->loc, "%s", hint);
        return;
    }
    for (int i = 0; i < ir_spec_ops(); i++) words[count++] = ir_spec_op(i).name;
    for (int i = 0; i < ir->customs; i++) words[count++] = ir->custom[i].name;
    diag_note_words(diag, op->loc, op->text, words, count);
    if (!diag_nearest_word(op->text, words, count)) diag_note(diag, op->loc, "`rill explain --operations` lists them");
}

// Returns whether a value is a list of integers; a single integer counts as a list of one.
static bool is_list(const struct spec_value *value) {
    if (value->type == SPEC_VALUE_INT) return true;
    bool ok = value->type == SPEC_VALUE_LIST;
    for (size_t i = 0; ok && i < value->count; i++) ok = value->items[i].type == SPEC_VALUE_INT;
    return ok;
}

static void set_list(struct ir *ir, struct ir_attrs *attrs, const char *key, const struct spec_value *value) {
    size_t count = value->type == SPEC_VALUE_LIST ? value->count : 1;
    int64_t *list = ARENA_ARRAY(ir->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) list[i] = value->type == SPEC_VALUE_LIST ? value->items[i].i : value->i;
    ir_attr_set_list(ir, attrs, key, list, (int)count);
}

// Checks a text. It may have expressions in braces, whose only name is `layer`. It may be empty only if the attribute
// has a list of legal words.
static bool check_text(const struct ir *ir, const struct ir_op_attr *want, const struct spec_value *value,
                       struct diag *diag) {
    struct expression_error error;
    if (!*value->s && !*want->legal) {
        diag_error(diag, value->loc, MSG_EMPTY_NAME, want->name);
        return false;
    }
    if (names_check(ir->arena, value->s, ir->region[ir->regions - 1].repeat, &error)) return true;
    static const char *const words[] = {"layer"};
    struct loc loc = value->loc;
    loc.col += (uint32_t)(error.at + value->quoted);
    diag_error(diag, loc, MSG_EXPRESSION, value->s, error.why);
    if (error.unknown && diag_nearest_word(error.unknown, words, 1)) diag_note(diag, loc, "did you mean `layer`?");
    else diag_note(diag, loc, "braces contain an expression of `layer`, the number of the repetition, counted from 0");
    return false;
}

static bool is_text(const struct ir_op_attr *want) {
    return want->kind == IR_ATTR_STRING || want->kind == IR_ATTR_WORD;
}

// Checks an attribute that may differ between repetitions: a list has as many integers as the region has repetitions.
static bool check_each(const struct ir *ir, const struct ir_op_attr *want, const struct spec_value *value,
                       struct diag *diag) {
    int repeat = ir->region[ir->regions - 1].repeat;
    if (!want->each || value->type != SPEC_VALUE_LIST || value->count == (size_t)repeat) return true;
    diag_error(diag, value->loc, MSG_REPETITION_VALUES, want->name, value->count, repeat, repeat == 1 ? "" : "s");
    diag_note(diag, value->loc, "one integer is used for all repetitions");
    return false;
}

// Checks the type and range of an attribute and stores its value.
static bool set_attr(struct ir *ir, struct ir_attrs *attrs, const struct ir_op_attr *want, const struct spec_attr *attr,
                     struct diag *diag) {
    bool is_int = attr->value.type == SPEC_VALUE_INT || attr->value.type == SPEC_VALUE_BOOL;
    bool each = want->each && attr->value.type == SPEC_VALUE_LIST;
    bool ok = each                          ? is_list(&attr->value)
              : want->kind == IR_ATTR_INT   ? is_int
              : want->kind == IR_ATTR_FLOAT ? is_int || attr->value.type == SPEC_VALUE_FLOAT
              : want->kind == IR_ATTR_LIST  ? is_list(&attr->value)
                                            : attr->value.type != SPEC_VALUE_LIST;
    if (!ok) {
        diag_error(diag, attr->value.loc, MSG_ATTRIBUTE_FORM, want->name,
                   want->each                    ? "an integer, or a list of one for each repetition"
                   : want->kind == IR_ATTR_INT   ? "an integer"
                   : want->kind == IR_ATTR_FLOAT ? "a number"
                   : want->kind == IR_ATTR_LIST  ? "a list of integers"
                                                 : "a string");
        if (attr->value.quoted && (want->kind == IR_ATTR_INT || want->kind == IR_ATTR_FLOAT))
            diag_note(diag, attr->value.loc, "a text in quotes is not a number; write it without quotes");
        if (want->kind == IR_ATTR_INT && attr->value.type == SPEC_VALUE_FLOAT && fabs(attr->value.f) < INT32_MAX)
            diag_note(diag, attr->value.loc, "the nearest integer is %.0f", attr->value.f);
        return false;
    }
    if (!check_each(ir, want, &attr->value, diag)) return false;
    if (want->kind == IR_ATTR_INT && !each) ir_attr_set_int(ir, attrs, want->name, attr->value.i);
    if (want->kind == IR_ATTR_FLOAT) ir_attr_set_float(ir, attrs, want->name, attr->value.f);
    if (is_text(want)) ir_attr_set_text(ir, attrs, want, attr->value.s);
    if (want->kind == IR_ATTR_LIST || each) set_list(ir, attrs, want->name, &attr->value);
    attrs->item[attrs->count - 1].loc = attr->value.loc;
    return ir_op_attr_check(want, &attrs->item[attrs->count - 1], diag);
}

static const struct ir_op_attr *find_attr(const struct ir_op_attr *known, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(known[i].name, key)) return &known[i];
    return NULL;
}

// Adds a note that points to `rill explain`, which knows all operations except custom kernels.
static void note_explain(const struct ir *ir, const struct spec_op *op, struct diag *diag) {
    int id = ir_op_find(ir, op->op.text);
    if (id < IR_OPS) diag_note(diag, op->op.loc, "`rill explain %s` says more", op->op.text);
}

bool model_lower_attrs(struct ir *ir, struct ir_attrs *attrs, const struct spec_op *op, const struct ir_op_attr known[],
                       int count, bool names, struct diag *diag) {
    const char *words[IR_MAX_OP_ATTRS];
    bool is_composite = ir_composite_find(op->op.text) != NULL;
    bool ok = true;
    for (int i = 0; i < count; i++) words[i] = known[i].name;
    for (size_t a = 0; a < op->attr_count; a++) {
        const struct ir_op_attr *want = find_attr(known, (size_t)count, op->attrs[a].key.text);
        struct ir_op_attr common;
        if (!want && !is_composite && ir_common_attr(op->attrs[a].key.text, &common)) want = &common;
        if (want) {
            bool text = is_text(want) && names && op->attrs[a].value.type != SPEC_VALUE_LIST;
            ok &= (!text || check_text(ir, want, &op->attrs[a].value, diag)) &&
                  set_attr(ir, attrs, want, &op->attrs[a], diag);
            continue;
        }
        diag_error(diag, op->attrs[a].key.loc, MSG_UNKNOWN_ATTRIBUTE, op->op.text, op->attrs[a].key.text);
        diag_note_words(diag, op->attrs[a].key.loc, op->attrs[a].key.text, words, (size_t)count);
        ok = false;
    }
    // Required attributes are not checked after an error, because a wrong name may be the missing attribute's.
    for (int i = 0; i < count && ok; i++)
        if (known[i].required && !ir_attr_find(attrs, known[i].name)) {
            diag_error(diag, op->loc, MSG_MISSING_ATTRIBUTE, op->op.text, known[i].name);
            ok = false;
        }
    if (!ok) note_explain(ir, op, diag);
    return ok;
}

static const char *counted(struct ir *ir, size_t n, const char *what) {
    return arena_printf(ir->arena, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

bool model_check_ports(struct ir *ir, const struct spec_op *op, const char *name, int inputs, int outputs,
                       struct diag *diag) {
    size_t ins = (size_t)inputs, outs = (size_t)outputs;
    if (op->in_count == ins && op->out_count == outs) return true;
    if (op->in_count != ins)
        diag_error(diag, op->loc, MSG_OPERAND_COUNT, name, counted(ir, ins, "input"), op->in_count);
    else diag_error(diag, op->loc, MSG_OPERAND_COUNT, name, counted(ir, outs, "output"), op->out_count);
    if (op->out_count < outs) diag_note(diag, op->loc, "`out: [...]` names all of them");
    note_explain(ir, op, diag);
    return false;
}

// Returns the number of an operation (ir_op_find). Checks how many operands and results it has. Returns IR_NONE after
// an error.
static int find_op(struct ir *ir, const struct spec_op *op, struct diag *diag) {
    int id = ir_op_find(ir, op->op.text);
    if (id == IR_NONE) {
        diag_error(diag, op->op.loc, MSG_UNKNOWN_OPERATION, op->op.text);
        note_ops(ir, &op->op, diag);
        return IR_NONE;
    }
    const struct ir_op_info *info = ir_op_of(ir, id);
    return model_check_ports(ir, op, info->name, info->inputs, info->outputs, diag) ? id : IR_NONE;
}

static bool lower_attrs(struct ir *ir, struct ir_node *node, const struct spec_op *op, struct diag *diag) {
    struct ir_op_attr known[IR_MAX_OP_ATTRS];
    int count = ir_op_attrs(ir, node->op, known);
    return model_lower_attrs(ir, &node->attrs, op, known, count, node->op < IR_OPS, diag);
}

// Declares the results of a wrong operation, so that their readers are not reported as well. Returns false.
static bool declare_results(struct ir *ir, const struct spec_op *op, struct diag *diag) {
    int out;
    for (size_t o = 0; o < op->out_count; o++) declare(ir, &op->outs[o], IR_F32, &out, diag);
    return false;
}

// Returns a text by which messages name a step of the composite `of`, because the user did not write the step's tensor
// names. The text quotes the rule of the composite.
static const char *step_of(const struct ir *ir, const struct spec_op *of) {
    struct text t = {0};
    text_addf(&t, "a step of %s `%s` of", of->op.text, of->outs[0].text);
    for (size_t i = 0; i < of->in_count; i++) text_addf(&t, "%s `%s`", i ? "," : "", of->ins[i].text);
    const char *text = arena_printf(ir->arena, "%s: %s", text_cstr(&t), ir_composite_find(of->op.text)->rule);
    text_free(&t);
    return text;
}

// Adds one operation to the region that was added last: its node, tensors and attributes.
static bool lower_op(struct ir *ir, const struct spec_op *op, struct diag *diag) {
    int in[IR_MAX_PORTS], out, id = find_op(ir, op, diag);
    bool ok = id != IR_NONE;
    for (size_t i = 0; i < op->in_count && ok; i++) ok = resolve(ir, &op->ins[i], &in[i], diag);
    if (!ok) return declare_results(ir, op, diag);
    const struct ir_op_info *info = ir_op_of(ir, id);
    int node = ir_add_node(ir, op->outs[0].text, id, op->loc);
    ir->node[node].step_of = op->of ? step_of(ir, op->of) : NULL;
    ir->node[node].inputs = info->inputs;
    ir->node[node].outputs = info->outputs;
    memcpy(ir->node[node].in, in, sizeof(int) * op->in_count);
    for (size_t o = 0; o < op->out_count; o++) {
        if (!declare(ir, &op->outs[o], IR_F32, &out, diag)) return false;
        ir->tensor[out].producer = node;
        ir->node[node].out[o] = out;
    }
    return lower_attrs(ir, &ir->node[node], op, diag);
}

static bool lower_ops(struct ir *ir, const struct spec_region *region, struct diag *diag) {
    struct model_ops ops = {0};
    bool ok = model_write_out(ir, region, &ops, diag);
    for (size_t o = 0; o < ops.count; o++) {
        const struct spec_op *op = &ops.items[o];
        ok &= ir_composite_find(op->op.text) ? declare_results(ir, op, diag) : lower_op(ir, op, diag);
    }
    return ok;
}

// Adds a region with its carried tensors and operations.
static bool lower_region(struct ir *ir, const struct spec_region *region, struct diag *diag) {
    bool ok = true;
    int id = ir_add_region(ir, region->name.text, region->repeat, region->when == SPEC_LAST ? IR_LAST : IR_ALWAYS,
                           region->name.loc);
    if (region->carry_count > IR_MAX_PORTS) {
        diag_error(diag, region->name.loc, MSG_CARRY_COUNT, region->name.text, region->carry_count, IR_MAX_PORTS);
        return false;
    }
    for (size_t c = 0; c < region->carry_count; c++) {
        struct ir_carry carry = {IR_NONE, IR_NONE, IR_NONE};
        ok &= resolve(ir, &region->carries[c].init, &carry.init, diag) &&
              declare(ir, &region->carries[c].name, IR_F32, &carry.local, diag);
        ir->region[id].carry[ir->region[id].carries++] = carry;
    }
    ok &= lower_ops(ir, region, diag);
    for (size_t c = 0; ok && c < region->carry_count; c++)
        ok &= resolve(ir, &region->carries[c].next, &ir->region[id].carry[c].next, diag);
    return ok;
}

static bool lower_input(struct ir *ir, const struct spec_input *input, struct diag *diag) {
    int t;
    if (!declare(ir, &input->name, IR_F32, &t, diag)) return false;
    if (input->rank >= IR_MAX_RANK || ir->inputs == IR_MAX_PORTS) {
        diag_error(diag, input->name.loc, MSG_INPUT_COUNT, IR_MAX_PORTS, IR_MAX_RANK - 1);
        return false;
    }
    ir->tensor[t].rank = (int)input->rank;
    for (size_t d = 0; d < input->rank; d++) ir->tensor[t].shape[d] = (struct ir_extent){input->shape[d], IR_STATIC};
    ir->input[ir->inputs++] = t;
    return true;
}

bool model_expand_graph(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    const struct spec_graph *g = spec->graph;
    bool ok = true;
    for (size_t i = 0; i < g->input_count; i++) ok &= lower_input(ir, &g->inputs[i], diag);
    for (size_t r = 0; r < g->region_count; r++) ok &= lower_region(ir, &g->regions[r], diag);
    if (g->output_count > IR_MAX_PORTS) {
        diag_error(diag, g->outputs[IR_MAX_PORTS].loc, MSG_OUTPUT_COUNT, IR_MAX_PORTS);
        return false;
    }
    for (size_t o = 0; ok && o < g->output_count; o++)
        ok &= resolve(ir, &g->outputs[o], &ir->output[ir->outputs++], diag);
    return ok;
}
