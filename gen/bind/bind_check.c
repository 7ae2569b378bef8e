// SPDX-License-Identifier: Apache-2.0
// Checks that attentions can be built: each attention is complete, and attentions that share an engine are alike enough
// to share one KV cache and one operand format.
#include <string.h>

#include "gen/bind/bind.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"

struct check {
    const struct ir *ir;
    struct diag *diag;
    bool ok;
};

// Reports an error at the node and notes that the check failed.
static void refuse(struct check *c, int node, const char *what) {
    diag_error_about(c->diag, c->ir->node[node].loc, what, "%s `%s`: ", ir_op_table[c->ir->node[node].op].name,
                     c->ir->node[node].name);
    c->ok = false;
}

// Checks that operand 1 of the reader comes from a kv_quantize with this role, and that the kv_quantize runs in every
// step.
static void check_producer(struct check *c, int reader, enum spec_role role) {
    static const char *const words[] = {"key", "value"};
    const struct ir *ir = c->ir;
    const struct ir_tensor *t = &ir->tensor[ir->node[reader].in[1]];
    int n = t->producer;
    if (n == IR_NONE || ir_attr_choice(&ir->node[n].attrs, "role", -1) != (int)role) {
        refuse(c, reader, arena_printf(ir->arena, MSG_KV_PRODUCER, t->name, words[role]));
    } else if (ir->region[ir->node[n].region].when == IR_LAST) refuse(c, n, MSG_ATTENTION_IN_LAST);
}

// Checks that scores, softmax and values belong together and are in one region that runs in every step.
static void check_whole(struct check *c, int scores) {
    const struct ir *ir = c->ir;
    int softmax = kv_softmax_of(ir, scores), values = kv_values_of(ir, scores);
    if (softmax == IR_NONE) {
        refuse(c, scores, MSG_SCORES_READER);
        return;
    }
    if (values == IR_NONE) {
        refuse(c, softmax, MSG_WEIGHTS_READER);
        return;
    }
    const struct ir_node *k = &ir->node[scores], *s = &ir->node[softmax], *v = &ir->node[values];
    check_producer(c, scores, SPEC_KEY);
    check_producer(c, values, SPEC_VALUE);
    if (!c->ok) return; // operands that are not valid keys or values are not compared
    if (s->in[1] != k->in[1])
        refuse(c, softmax,
               arena_printf(ir->arena, MSG_KEYS_DIFFER, ir->tensor[s->in[1]].name, ir->tensor[k->in[1]].name));
    else if (s->in[2] != v->in[1])
        refuse(c, values,
               arena_printf(ir->arena, MSG_VALUES_DIFFER, ir->tensor[v->in[1]].name, ir->tensor[s->in[2]].name));
    if (k->region != s->region || k->region != v->region) refuse(c, scores, MSG_ATTENTION_REGION);
    if (ir->region[k->region].when == IR_LAST) refuse(c, scores, MSG_ATTENTION_IN_LAST);
}

// Returns the beats of a head of keys or values at one position.
static int64_t beats_of(const struct ir *ir, int node) {
    return layout_kv(&ir->design, 1, 1, ir->tensor[ir->node[node].in[1]].shape[1].bound).k_units;
}

// Compares a product with the first one of its kind on the engine. Their heads must have equally many beats, and their
// operands the same exp_min.
static void check_same(struct check *c, int first, int n) {
    const struct ir *ir = c->ir;
    const struct ir_node *a = &ir->node[first], *b = &ir->node[n];
    int64_t exp_a = ir->tensor[a->in[0]].exp_min, exp_b = ir->tensor[b->in[0]].exp_min;
    long long dim_a = ir->tensor[a->in[1]].shape[1].bound, dim_b = ir->tensor[b->in[1]].shape[1].bound;
    if (beats_of(ir, first) != beats_of(ir, n)) {
        refuse(c, n,
               arena_printf(ir->arena, MSG_SHARED_HEADS, dim_b, (long long)beats_of(ir, n), a->name, dim_a,
                            (long long)beats_of(ir, first)));
        int64_t beat = ir->design.beat_bits / 8, least = (beats_of(ir, first) - 1) * beat + 1;
        diag_note(c->diag, b->loc, "nearest legal heads: of %lld elements; or `binding: spatial`",
                  (long long)(dim_b < dim_a ? layout_div_up(least, ir->design.lanes) * ir->design.lanes
                                            : beats_of(ir, first) * beat));
    }
    if (exp_a != exp_b) {
        refuse(c, n,
               arena_printf(ir->arena, MSG_SHARED_EXPONENTS, ir->tensor[b->in[0]].name, (long long)exp_b,
                            ir->tensor[a->in[0]].name, a->name, (long long)exp_a));
        diag_note(c->diag, b->loc, "nearest legal exp_min: %lld; or `binding: spatial`", (long long)exp_a);
    }
}

// Checks that the fields of the engine's schedule can hold the layers and row-steps of the cache.
static void check_cache(struct check *c, int n) {
    const struct ir *ir = c->ir;
    if (!c->ok) return;
    struct kv_cache cache = kv_cache_of(ir, n);
    int channels = ir->engine[bind_product_engine(ir, n)].lanes;
    struct layout_kv kv = layout_kv(&ir->design, channels, cache.heads, cache.head_dim);
    if (cache.layers > KV_MAX_LAYERS)
        refuse(c, n, arena_printf(ir->arena, MSG_ENGINE_REPETITIONS, (long long)cache.layers, KV_MAX_LAYERS));
    else if (cache.step > KV_MAX_STEP)
        refuse(c, n, arena_printf(ir->arena, MSG_ENGINE_ATTENTIONS, (long long)cache.step, KV_MAX_STEP));
    else if (cache.heads * kv.v_rows > KV_MAX_ROWS)
        refuse(c, n,
               arena_printf(ir->arena, MSG_ENGINE_HEADS, (long long)cache.heads, (long long)cache.head_dim, channels,
                            (long long)(KV_MAX_ROWS / kv.v_rows)));
}

// Compares the products with this trait on one engine with the first of them. If there are several engines, each
// product is alone on an engine, so nothing is compared. Checks the cache of each first product.
static void check_together(struct check *c, unsigned trait) {
    const struct ir *ir = c->ir;
    int first = IR_NONE;
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, trait)) continue;
        if (first == IR_NONE || ir->engines > 1) {
            first = n;
            check_cache(c, n);
        } else check_same(c, first, n);
    }
}

bool bind_check_attention(const struct ir *ir, struct diag *diag) {
    struct check c = {ir, diag, true};
    for (int n = 0; n < ir->nodes; n++) {
        if (ir_node_is(ir, n, OP_BY_KEYS)) check_whole(&c, n);
        if (ir_node_is(ir, n, OP_BY_VALUES) && kv_scores_of(ir, n) == IR_NONE) refuse(&c, n, MSG_WEIGHTS_PRODUCER);
    }
    if (!c.ok) return false;
    check_together(&c, OP_BY_KEYS);
    check_together(&c, OP_BY_VALUES);
    return c.ok;
}
