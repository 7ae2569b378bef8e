// SPDX-License-Identifier: Apache-2.0
// Type rules of most operations: those of language models and all elementwise ones (gen/ir/type_rules.h). The other
// files type_*.c and custom_ops.c have the rest. The pass infer-types calls the rules.
#include "gen/ir/type_rules.h"

#include <stdlib.h>
#include <string.h>

enum {
    V_BLOCK = 64,   // positions that share an exponent: docs/numerics.md section 3
    MAX_GROUP = 255 // most query heads that share a key and value head
};

static const struct ir_tensor *input(const struct ir *ir, const struct ir_node *node, int i) {
    return &ir->tensor[node->in[i]];
}
static struct ir_tensor *output(struct ir *ir, const struct ir_node *node, int i) { return &ir->tensor[node->out[i]]; }

bool type_expect(const struct ir *ir, const struct ir_node *node, int i, enum ir_dtype want, struct diag *diag) {
    const struct ir_tensor *t = input(ir, node, i);
    if (t->dtype == want) return true;
    if (t->dtype == IR_DTYPES) return false; // already reported at the operation that makes it
    diag_error(diag, node->loc, MSG_INPUT_FORMAT, ir_op_of(ir, node->op)->name, node->name, i + 1, t->name,
               ir_dtype_words[t->dtype], ir_dtype_words[want]);
    if (want == IR_MX && t->dtype == IR_F32) diag_note(diag, node->loc, "put a `quantize` between them");
    if (want == IR_F32 && t->dtype == IR_ACC) diag_note(diag, node->loc, "put a `dequantize` between them");
    return false;
}

static void set_vector(struct ir_tensor *t, enum ir_dtype dtype, int64_t n) {
    t->dtype = dtype;
    t->rank = 1;
    t->shape[0] = (struct ir_extent){n, IR_STATIC};
}

static void set_matrix(struct ir_tensor *t, enum ir_dtype dtype, int64_t rows, struct ir_extent cols) {
    t->dtype = dtype;
    t->rank = 2;
    t->shape[0] = (struct ir_extent){rows, IR_STATIC};
    t->shape[1] = cols;
}

bool type_embed(struct ir *ir, struct ir_node *node, struct diag *diag) {
    set_vector(output(ir, node, 0), IR_F32, ir_attr_int(&node->attrs, "cols", 0));
    return type_expect(ir, node, 0, IR_ID, diag);
}

bool type_position(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (ir_attr_int(&node->attrs, "rows", 0) < ir->design.context) {
        diag_error(diag, node->loc, MSG_TABLE_ROWS, ir_op_of(ir, node->op)->name, node->name,
                   (long long)ir_attr_int(&node->attrs, "rows", 0), (long long)ir->design.context);
        return false;
    }
    set_vector(output(ir, node, 0), IR_F32, ir_attr_int(&node->attrs, "cols", 0));
    return true;
}

static void copy_shape(struct ir_tensor *to, const struct ir_tensor *from) {
    to->rank = from->rank;
    to->heads = from->heads;
    memcpy(to->shape, from->shape, sizeof to->shape);
}

// Returns whether the tensor has several dimensions that are not heads of attention.
static bool is_array(const struct ir_tensor *t) { return t->rank > 1 && !t->heads; }

// Returns whether the shapes of two operands agree: tensors of several dimensions must have equal extents. A vector, or
// heads of attention, agree with any tensor; the caller compares the numbers of elements.
static bool same_shape(const struct ir_tensor *a, const struct ir_tensor *b) {
    if (!is_array(a) || !is_array(b)) return true;
    bool same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++) same = a->shape[d].bound == b->shape[d].bound;
    return same;
}

// Returns whether the rows of a tensor grow with the position, as those of scores and of softmax weights do.
static bool grows(const struct ir_tensor *t) { return t->rank > 1 && t->shape[t->rank - 1].dynamic == IR_POSITIONS; }

// Returns whether the streams of two tensors have the same firings: both tensors are without heads, or both have the
// same number of heads, and the rows of both grow with the position or those of neither do.
static bool same_rows(const struct ir_tensor *a, const struct ir_tensor *b) {
    if (a->heads != b->heads || grows(a) != grows(b)) return false;
    return !a->heads || a->shape[0].bound == b->shape[0].bound;
}

// Returns how the stream of a tensor travels, in words for messages. check_rows compares the texts by address.
static const char *travels(const struct ir_tensor *t) {
    return !t->heads ? "as a whole" : grows(t) ? "head by head, in rows that grow with the position" : "head by head";
}

void type_note_heads(const struct ir_tensor *t, const struct ir_node *node, struct diag *diag) {
    if (t->heads && !grows(t)) diag_note(diag, node->loc, "`scale` joins the heads of attention");
}

// Checks that the streams of two operands have the same firings (same_rows). The kernel takes a firing from both at
// once.
static bool check_rows(const struct ir *ir, const struct ir_node *node, const struct ir_tensor *a,
                       const struct ir_tensor *b, struct diag *diag) {
    if (same_rows(a, b)) return true;
    const char *name = ir_op_of(ir, node->op)->name;
    if (travels(a) == travels(b)) {
        diag_error(diag, node->loc, MSG_HEADS_DIFFER, name, node->name, a->name, (long long)a->shape[0].bound, b->name,
                   (long long)b->shape[0].bound);
        return false;
    }
    diag_error(diag, node->loc, MSG_STREAMED_DIFFERENTLY, name, node->name, a->name, travels(a), b->name, travels(b));
    if (!grows(a) && !grows(b)) diag_note(diag, node->loc, "`scale` joins the heads of attention");
    return false;
}

bool type_same(struct ir *ir, struct ir_node *node, struct diag *diag) {
    struct ir_tensor *out = output(ir, node, 0);
    for (int i = 0; i < node->inputs; i++)
        if (!type_expect(ir, node, i, IR_F32, diag)) return false;
    const struct ir_tensor *first = input(ir, node, 0);
    for (int i = 1; i < node->inputs; i++)
        if (ir_tensor_elements(input(ir, node, i)) != ir_tensor_elements(first)) {
            diag_error(diag, node->loc, MSG_ELEMENTS_DIFFER, ir_op_of(ir, node->op)->name, node->name, first->name,
                       (long long)ir_tensor_elements(first), input(ir, node, i)->name,
                       (long long)ir_tensor_elements(input(ir, node, i)));
            return false;
        }
    for (int i = 1; i < node->inputs; i++)
        if (!same_shape(first, input(ir, node, i))) {
            const char *shapes[] = {type_shape_text(ir->arena, first), type_shape_text(ir->arena, input(ir, node, i))};
            diag_error(diag, node->loc, MSG_SHAPES_DIFFER, ir_op_of(ir, node->op)->name, node->name, first->name,
                       shapes[0], input(ir, node, i)->name, shapes[1]);
            diag_note(diag, node->loc, "`reshape` or `transpose` makes them equal");
            return false;
        }
    for (int i = 1; i < node->inputs; i++)
        if (!check_rows(ir, node, first, input(ir, node, i), diag)) return false;
    if (grows(first) &&
        ir_fills(ir, node)) { // no elementwise kernel knows where such a row ends and its padding begins
        diag_error(diag, node->loc, MSG_ROWS_GROW, ir_op_of(ir, node->op)->name, node->name, first->name);
        return false;
    }
    out->dtype = IR_F32;
    copy_shape(out, first);
    return true;
}

// Checks that the operand is one vector. Heads of attention are not: their stream ends a firing after every row.
static bool expect_vector(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *t = input(ir, node, 0);
    if (t->rank < 2) return true;
    diag_error(diag, node->loc, MSG_ONE_VECTOR, ir_op_of(ir, node->op)->name, node->name, t->name,
               (long long)t->shape[0].bound);
    type_note_heads(t, node, diag);
    if (t->heads) return false;
    if (ir_op_is(ir, node->op, OP_ALONG))
        diag_note(diag, node->loc, "`along: %d` normalizes each row by itself", t->rank - 1);
    else diag_note(diag, node->loc, "`reshape` makes one vector of them");
    return false;
}

enum { MAX_NORM = 65536 }; // most elements of a norm; wider sums do not fit rill_layernorm and rill_rmsnorm

static bool norm_fits(const struct ir *ir, const struct ir_node *node, int64_t elements, struct diag *diag) {
    if (elements <= MAX_NORM) return true;
    diag_error(diag, node->loc, MSG_NORM_ELEMENTS, ir_op_of(ir, node->op)->name, node->name, (long long)elements,
               MAX_NORM);
    return false;
}

bool type_scalar(struct ir *ir, struct ir_node *node, struct diag *diag) {
    int function = ir_attr_choice(&node->attrs, "function", SPEC_ADD);
    const struct ir_attr *value = ir_attr_find(&node->attrs, "value");
    if (function != SPEC_DIV || value->f != 0) return type_same(ir, node, diag);
    diag_error(diag, value->loc.source ? value->loc : node->loc, MSG_DIVIDES_BY_ZERO, node->name);
    return false;
}

bool type_norm(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    const struct ir_attr *along = ir_attr_find(&node->attrs, "along");
    const struct ir_tensor *t = input(ir, node, 0);
    if (!along || t->heads)
        return expect_vector(ir, node, diag) && norm_fits(ir, node, t->shape[0].bound, diag) &&
               type_same(ir, node, diag);
    if (is_array(t) ? along->i >= 0 && along->i < t->rank : t->rank < 2 && along->i == 0)
        return norm_fits(ir, node, t->shape[along->i].bound, diag) && type_same(ir, node, diag);
    diag_error(diag, along->loc.source ? along->loc : node->loc, MSG_NO_DIMENSION, ir_op_of(ir, node->op)->name,
               node->name, t->name, (long long)along->i);
    diag_note(diag, along->loc.source ? along->loc : node->loc, "the nearest legal value is %d",
              along->i < 0 || !is_array(t) ? 0 : t->rank - 1);
    return false;
}

// Returns where the spec gives the block of a `quantize`, or the operation if it has no `block`.
static struct loc block_place(const struct ir_node *node) {
    const struct ir_attr *block = ir_attr_find(&node->attrs, "block");
    return block && block->loc.source ? block->loc : node->loc;
}

// Adds a note at the `quantize` that made the operand of a product: the block that the product needs. why: the reason.
static void note_block(const struct ir *ir, const struct ir_tensor *t, int64_t block, const char *why,
                       struct diag *diag) {
    if (t->producer == IR_NONE || !ir_node_is(ir, t->producer, OP_QUANTIZES)) return;
    diag_note(diag, block_place(&ir->node[t->producer]), "quantize `%s`: `block: %lld`, %s", t->name, (long long)block,
              why);
}

// Adds up to two notes about n elements in `heads` heads: the nearest number of heads with which a head is a whole
// number of words of `lanes`, and the largest number of lanes, a power of two, with which the given heads are legal.
static void note_heads(int64_t n, int64_t heads, int64_t lanes, struct loc loc, struct diag *diag) {
    int64_t nearest = 0, fewer = heads > 0 && n % heads == 0 ? n / heads & -(n / heads) : 0;
    for (int64_t h = 1; h <= n; h++)
        if (n % h == 0 && n / h % lanes == 0 && (!nearest || llabs(h - heads) < llabs(nearest - heads))) nearest = h;
    if (nearest) diag_note(diag, loc, "the nearest legal number of heads is %lld", (long long)nearest);
    if (fewer)
        diag_note(diag, loc, "or `lanes: %lld` of the design, for heads of %lld", (long long)fewer,
                  (long long)(n / heads));
}

// Returns the number of elements that share an exponent: a head if `heads` is given, else the attribute `block`, else
// the design's group. Returns 0 after reporting an error.
static int64_t block_of(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    int64_t block = ir_attr_int(&node->attrs, "block", 0), heads = ir_attr_int(&node->attrs, "heads", 0),
            n = ir_tensor_elements(input(ir, node, 0));
    if (!heads) return block ? block : ir->design.group;
    if (!block && n % heads == 0) return n / heads;
    struct loc loc = ir_attr_find(&node->attrs, "heads")->loc;
    if (!loc.source) loc = node->loc;
    if (block) diag_error(diag, loc, MSG_BLOCK_AND_HEADS, node->name);
    else diag_error(diag, loc, MSG_HEADS_DIVIDE, node->name, (long long)heads, (long long)n);
    if (block) diag_note(diag, loc, "remove one of them");
    else note_heads(n, heads, ir->design.lanes, loc, diag);
    return 0;
}

// Returns whether a product with weights reads the node's result.
static bool feeds_product(const struct ir *ir, const struct ir_node *node) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_BY_WEIGHTS) && ir->node[n].in[0] == node->out[0]) return true;
    return false;
}

bool type_quantize(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    if (input(ir, node, 0)->heads && input(ir, node, 0)->shape[1].dynamic == IR_STATIC &&
        !expect_vector(ir, node, diag))
        return false;
    const struct ir_tensor *in = input(ir, node, 0);
    struct ir_tensor *out = output(ir, node, 0);
    out->dtype = IR_MX;
    copy_shape(out, in);
    out->block = block_of(ir, node, diag);
    if (!out->block) return false;
    out->exp_min = ir_attr_int(&node->attrs, "exp_min", -24);
    // Softmax weights have one row per head, with an element per position. Each of their blocks must cover the same
    // positions as a block of the value cache.
    bool positions = in->rank == 2 && in->shape[1].dynamic == IR_POSITIONS;
    if (positions && out->block != V_BLOCK) {
        diag_error(diag, block_place(node), MSG_BLOCK_OF_POSITIONS, node->name, V_BLOCK, (long long)out->block);
        diag_note(diag, block_place(node), "write `block: %d`", V_BLOCK);
        return false;
    }
    if (out->block < ir->design.lanes || out->block % ir->design.lanes != 0) {
        int64_t lanes = ir->design.lanes,
                nearest = feeds_product(ir, node) ? ir->design.group : (out->block + lanes / 2) / lanes * lanes;
        diag_error(diag, block_place(node), MSG_BLOCK_LANES, node->name, (long long)out->block, (long long)lanes);
        diag_note(diag, block_place(node), "the nearest legal block is %lld%s", (long long)(nearest ? nearest : lanes),
                  feeds_product(ir, node) ? ", the design's group, as `matmul` reads it" : "");
        if (!feeds_product(ir, node))
            diag_note(diag, block_place(node), "or `lanes: %lld` of the design", (long long)(out->block & -out->block));
        return false;
    }
    return true;
}

// Checks that the operand is not divided into heads. Only `attn_values` multiplies head by head.
static bool expect_no_heads(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *t = input(ir, node, 0);
    if (!t->heads) return true;
    diag_error(diag, node->loc, MSG_ONLY_ATTN_VALUES, ir_op_of(ir, node->op)->name, node->name, t->name, travels(t));
    return false;
}

bool type_matmul(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_MX, diag) || !expect_no_heads(ir, node, diag)) return false;
    const struct ir_tensor *in = input(ir, node, 0);
    struct ir_tensor *out = output(ir, node, 0);
    if (in->block != ir->design.group) {
        diag_error(diag, node->loc, MSG_BLOCK_AND_GROUP, node->name, in->name, (long long)in->block, ir->design.group);
        note_block(ir, in, ir->design.group, "or no `block`, is the design's group", diag);
        return false;
    }
    if (in->rank < 2) {
        set_vector(out, IR_ACC, ir_attr_int(&node->attrs, "rows", 0));
    } else { // one product for every row of the operand
        out->dtype = IR_ACC;
        copy_shape(out, in);
        out->shape[out->rank - 1].bound = ir_attr_int(&node->attrs, "rows", 0);
    }
    out->exp_min = in->exp_min;
    return true;
}

bool type_dequantize(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_ACC, diag)) return false;
    const struct ir_tensor *in = input(ir, node, 0);
    struct ir_tensor *out = output(ir, node, 0);
    out->dtype = IR_F32;
    copy_shape(out, in);
    return true;
}

bool type_kv_quantize(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    if (ir_attr_choice(&node->attrs, "role", -1) < 0) { // possible in an edited dump
        diag_error(diag, node->loc, MSG_KV_ROLE, node->name, ir_attr_string(&node->attrs, "role", ""));
        return false;
    }
    const struct ir_tensor *in = input(ir, node, 0);
    int64_t heads = ir_attr_int(&node->attrs, "heads", 0), n = ir_tensor_elements(in);
    if (in->heads && (grows(in) || heads % in->shape[0].bound)) {
        diag_error(diag, node->loc, MSG_KV_INPUT, node->name, in->name, travels(in), (long long)in->shape[0].bound);
        if (!grows(in)) diag_note(diag, node->loc, "`scale` joins them");
        return false;
    }
    if (heads < 1 || n % heads || (n / heads) % ir->design.lanes) {
        diag_error(diag, node->loc, MSG_KV_HEADS_LANES, node->name, (long long)n, (long long)heads, ir->design.lanes);
        note_heads(n, heads, ir->design.lanes, node->loc, diag);
        return false;
    }
    set_matrix(output(ir, node, 0), IR_KV, heads, (struct ir_extent){n / heads, IR_STATIC});
    return true;
}

bool type_attn_scores(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_MX, diag) || !type_expect(ir, node, 1, IR_KV, diag) ||
        !expect_no_heads(ir, node, diag))
        return false;
    const struct ir_tensor *q = input(ir, node, 0), *k = input(ir, node, 1);
    int64_t kv_heads = k->shape[0].bound, head_dim = k->shape[1].bound, heads = ir_tensor_elements(q) / head_dim;
    if (ir_tensor_elements(q) % (kv_heads * head_dim) || q->block != head_dim) {
        diag_error(diag, node->loc, MSG_SCORES_HEADS, node->name, q->name, (long long)kv_heads, (long long)head_dim,
                   (long long)ir_tensor_elements(q), (long long)q->block);
        bool whole = ir_tensor_elements(q) % (kv_heads * head_dim) == 0;
        if (node->step_of && whole) diag_note(diag, node->loc, "use `heads: %lld`", (long long)heads);
        else if (!node->step_of && q->block != head_dim) note_block(ir, q, head_dim, "the size of a head", diag);
        return false;
    }
    if (q->producer == IR_NONE || (q->rank > 1 && q->shape[q->rank - 1].bound != head_dim)) {
        diag_error(diag, node->loc, MSG_SCORES_INPUT, node->name, q->name,
                   q->producer == IR_NONE ? "comes from the repetition before, but its `quantize` must be in the region"
                                          : "has rows, but not one for each head");
        if (q->producer != IR_NONE)
            diag_note(diag, node->loc, "`reshape` before the `quantize` makes one vector of them");
        return false;
    }
    if (heads / kv_heads > MAX_GROUP) {
        diag_error(diag, node->loc, MSG_SCORES_SHARED, node->name, (long long)(heads / kv_heads), q->name, k->name,
                   MAX_GROUP);
        return false;
    }
    output(ir, node, 0)->heads = true;
    set_matrix(output(ir, node, 0), IR_ACC, heads, (struct ir_extent){ir->design.context, IR_POSITIONS});
    output(ir, node, 0)->exp_min = q->exp_min;
    return true;
}

// Checks that `softmax` reads its scores directly from `dequantize`. Scores lack the scales of the keys until `softmax`
// multiplies by them. So an operation in between must not be nonlinear, and a linear one is not worth supporting.
static bool expect_scores(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *s = input(ir, node, 0);
    int from = s->producer;
    if (ir_node_is(ir, from, OP_OF_PRODUCT)) return true;
    if (from == IR_NONE) diag_error(diag, node->loc, MSG_SOFTMAX_INPUT, node->name, s->name);
    else diag_error(diag, node->loc, MSG_SOFTMAX_SCALE, node->name, s->name, ir_op_of(ir, ir->node[from].op)->name);
    diag_note(diag, node->loc,
              "give it what `dequantize` makes of `attn_scores`; `scale` of `kv_quantize` scales scores, `cap` of "
              "`softmax` caps them");
    return false;
}

bool type_softmax(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_F32, diag) || !type_expect(ir, node, 1, IR_KV, diag) ||
        !type_expect(ir, node, 2, IR_KV, diag))
        return false;
    const struct ir_tensor *s = input(ir, node, 0), *k = input(ir, node, 1), *v = input(ir, node, 2);
    if (s->rank != 2 || s->shape[1].dynamic != IR_POSITIONS) {
        diag_error(diag, node->loc, MSG_SOFTMAX_SCORES, node->name, s->name);
        return false;
    }
    if (!expect_scores(ir, node, diag)) return false;
    if (k->shape[0].bound != v->shape[0].bound || s->shape[0].bound % k->shape[0].bound) {
        diag_error(diag, node->loc, MSG_HEADS_OF_SCORES, node->name, (long long)s->shape[0].bound,
                   (long long)k->shape[0].bound, k->name, (long long)v->shape[0].bound, v->name);
        return false;
    }
    output(ir, node, 0)->heads = true;
    set_matrix(output(ir, node, 0), IR_F32, s->shape[0].bound, s->shape[1]);
    set_vector(output(ir, node, 1), IR_SCALAR, s->shape[0].bound);
    return true;
}

bool type_attn_values(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_MX, diag) || !type_expect(ir, node, 1, IR_KV, diag)) return false;
    const struct ir_tensor *p = input(ir, node, 0), *v = input(ir, node, 1);
    if (p->rank != 2 || p->shape[1].dynamic != IR_POSITIONS || p->shape[0].bound % v->shape[0].bound) {
        diag_error(diag, node->loc, MSG_VALUES_ROWS, node->name, p->name, (long long)v->shape[0].bound, v->name);
        return false;
    }
    output(ir, node, 0)->heads = true;
    set_matrix(output(ir, node, 0), IR_ACC, p->shape[0].bound, v->shape[1]);
    output(ir, node, 0)->exp_min = p->exp_min;
    return true;
}

bool type_scale(struct ir *ir, struct ir_node *node, struct diag *diag) {
    if (!type_expect(ir, node, 0, IR_F32, diag) || !type_expect(ir, node, 1, IR_SCALAR, diag)) return false;
    const struct ir_tensor *x = input(ir, node, 0), *s = input(ir, node, 1);
    if (!x->heads || x->shape[0].bound != s->shape[0].bound) {
        diag_error(diag, node->loc, MSG_SCALE_ROWS, node->name, x->name, s->name);
        return false;
    }
    if (grows(x)) {
        diag_error(diag, node->loc, MSG_SCALE_INPUT, node->name, x->name, travels(x));
        return false;
    }
    set_vector(output(ir, node, 0), IR_F32, ir_tensor_elements(x));
    return true;
}

bool type_argmax(struct ir *ir, struct ir_node *node, struct diag *diag) {
    set_vector(output(ir, node, 0), IR_ID, 1);
    return type_expect(ir, node, 0, IR_F32, diag) && expect_vector(ir, node, diag);
}
