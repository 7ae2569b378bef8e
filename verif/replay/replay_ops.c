// SPDX-License-Identifier: Apache-2.0
// Computes the operations of include/ops.def at one position, with the functions of gen/numerics that docs/numerics.md
// describes.
#include <math.h>
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/numerics/numerics.h"
#include "verif/replay/replay_internal.h"
#include "gen/numerics/sample.h"

static const struct ir_tensor *in_tensor(const struct replay_op *op, int i) {
    return &op->run->ir->tensor[op->node->in[i]];
}
static const struct ir_tensor *out_tensor(const struct replay_op *op, int i) {
    return &op->run->ir->tensor[op->node->out[i]];
}
static const void *at(const struct replay_op *op, int64_t offset) { return store_at(&op->run->store, offset); }

// Returns the number of elements of a value. The elements are adjacent unless rows grow with the position.
static size_t elements(const struct replay_slot *v) { return (size_t)(v->rows * v->cols); }

static void embed_row(struct replay_op *op, const struct store_entry *w, int64_t id) {
    const uint8_t *gs = at(op, w->group_scale);
    const void *q = at(op, w->q);
    float scale = ((const float *)at(op, w->row_scale))[id], *y = op->out[0]->f32;
    if (w->format == QFORMAT_INT16)
        golden_embed_int16((size_t)w->k, (const int16_t *)q + id * w->k, scale, y, op->fault);
    else
        golden_embed((size_t)w->k, w->group ? (size_t)w->group : (size_t)w->k, (const int8_t *)q + id * w->k,
                     gs ? gs + id * w->groups : NULL, scale, y, op->fault);
}

// Looks up the row of an id. An id outside the table raises a fault and gets row 0, as in the hardware.
static void replay_embed(struct replay_op *op) {
    const struct store_entry *w = op->weights;
    int64_t id = op->in[0]->id;
    if (id >= w->rows) {
        golden_fault_raise(op->fault, GOLDEN_FAULT_DOMAIN);
        id = 0;
    }
    embed_row(op, w, id);
}

static void replay_position(struct replay_op *op) {
    const struct store_entry *w = op->weights;
    memcpy(op->out[0]->f32, (const float *)at(op, w->f32) + op->position * w->k, sizeof(float) * (size_t)w->k);
}

static float eps_of(const struct replay_op *op) { return (float)ir_attr_float(&op->node->attrs, "eps", 1e-5); }

typedef void norm_function(struct replay_op *, const float x[], float y[]);

// Normalizes the whole value, or each vector along a dimension.
static void each_vector(struct replay_op *op, norm_function *f) {
    const struct ir_tensor *t = in_tensor(op, 0);
    int64_t along = ir_attr_int(&op->node->attrs, "along", 0), n = ir_vector_length(op->run->ir, op->node), step = 1;
    float *x = op->run->scratch.line, *y = x + n;
    for (int64_t d = along + 1; d < t->rank && n < ir_tensor_elements(t); d++) step *= t->shape[d].bound;
    for (int64_t v = 0; v < ir_tensor_elements(t) / n; v++) {
        int64_t first = v / step * step * n + v % step;
        for (int64_t i = 0; i < n; i++) x[i] = op->in[0]->f32[first + i * step];
        f(op, x, y);
        for (int64_t i = 0; i < n; i++) op->out[0]->f32[first + i * step] = y[i];
    }
}

static void layernorm(struct replay_op *op, const float x[], float y[]) {
    const float *gain = at(op, op->weights->f32);
    size_t n = (size_t)op->weights->k;
    golden_layernorm(n, eps_of(op), x, gain, gain + n, y, op->fault);
}

static void rmsnorm(struct replay_op *op, const float x[], float y[]) {
    golden_rmsnorm((size_t)op->weights->k, eps_of(op), x, at(op, op->weights->f32), y, op->fault);
}

static void replay_layernorm(struct replay_op *op) { each_vector(op, layernorm); }
static void replay_rmsnorm(struct replay_op *op) { each_vector(op, rmsnorm); }

// Quantizes row by row, because blocks start anew in every row of the result. If the operand is divided into rows in
// another way, neither value has gaps, so the operand can be read with the rows of the result.
static void replay_quantize(struct replay_op *op) {
    const struct ir_tensor *t = out_tensor(op, 0);
    const struct replay_slot *y = op->out[0];
    for (int64_t r = 0; r < y->rows; r++)
        golden_quantize_mx((size_t)y->cols, (size_t)t->block, spec_mantissa_bits(op->run->ir->design.activations),
                           (int)t->exp_min, op->in[0]->f32 + r * y->stride, y->mx + r * y->stride,
                           y->shift + r * y->shift_stride, op->fault);
}

// ---- products ----

// Computes acc[rows] for one operand.
static void replay_rows(struct replay_op *op, const int16_t x[], const uint8_t shift[], int128 acc[]) {
    const struct store_entry *w = op->weights;
    const int8_t *q = at(op, w->q), *offset = at(op, w->group_offset);
    const uint8_t *scale = at(op, w->group_scale);
    int64_t block = in_tensor(op, 0)->block;
    int32_t sums[GOLDEN_K_MAX / GOLDEN_ASYM_GROUP];
    if (offset) dot_group_sums(w->k, x, sums);
    for (int64_t n = 0; n < w->rows; n++) {
        const uint8_t *scales = scale ? scale + n * w->groups : NULL;
        acc[n] = offset ? dot_product_asym(w->k, block, q + n * w->k, scales, offset + n * w->groups, x, sums, shift)
                        : dot_product(w->k, block, q + n * w->k, scales, x, shift);
    }
}

static void replay_matmul(struct replay_op *op) {
    const struct store_entry *w = op->weights;
    const struct replay_slot *x = op->in[0];
    for (int64_t r = 0; r < x->rows; r++)
        replay_rows(op, x->mx + r * x->stride, x->shift + r * x->shift_stride, op->out[0]->acc + r * w->rows);
}

// Dequantizes the products with keys and values, which have no row scales, by the power of two alone.
static void dequantize_attention(struct replay_op *op, int exp_min) {
    const struct replay_slot *x = op->in[0];
    for (int64_t r = 0; r < x->rows; r++)
        for (int64_t i = r * x->stride; i < r * x->stride + x->cols; i++)
            op->out[0]->f32[i] = golden_dequantize_raw(x->acc[i], exp_min, op->fault);
}

static void replay_dequantize(struct replay_op *op) {
    const struct store_entry *w = replay_product_weights(op, 0);
    int exp_min = (int)in_tensor(op, 0)->exp_min;
    if (!w) {
        dequantize_attention(op, exp_min);
        return;
    }
    const float *scale = at(op, w->row_scale), *bias = at(op, w->bias);
    for (int64_t i = 0; i < op->in[0]->rows * w->rows; i++) {
        int64_t n = i % w->rows;
        op->out[0]->f32[i] = golden_dequantize(op->in[0]->acc[i], golden_stored_scale(scale[n], exp_min, op->fault),
                                               bias ? bias[n] : 0.0f, op->fault);
    }
}

// ---- attention ----

// Quantizes the keys or values of all heads and stores them in the cache. The scales of keys include the scale of the
// scores.
static void replay_kv_quantize(struct replay_op *op) {
    const struct ir_tensor *t = out_tensor(op, 0);
    size_t heads = (size_t)t->shape[0].bound, hd = (size_t)t->shape[1].bound;
    bool key = ir_attr_choice(&op->node->attrs, "role", -1) == SPEC_KEY;
    struct replay_cache *cache = &op->run->cache[op->node - op->run->ir->node][op->repetition];
    size_t root = (size_t)ir_attr_int(&op->node->attrs, "scale_root", (int64_t)hd);
    float of_scores = golden_score_scale(ir_attr_float(&op->node->attrs, "scale", 0), root);
    for (size_t h = 0; h < heads; h++) {
        float scale = golden_quantize_kv(hd, op->in[0]->f32 + h * hd, op->out[0]->q + h * hd, op->fault);
        op->out[0]->scale[h] = key ? golden_k_scale(scale, of_scores, op->fault) : scale;
    }
    memcpy(cache->q + (size_t)op->position * heads * hd, op->out[0]->q, heads * hd);
    memcpy(cache->scale + (size_t)op->position * heads, op->out[0]->scale, heads * sizeof(float));
}

// Computes the scores of all query heads. Query heads h * group to h * group + group - 1 share the key head h.
static void replay_attn_scores(struct replay_op *op) {
    const struct ir_tensor *k = in_tensor(op, 1);
    int64_t kv_heads = k->shape[0].bound, hd = k->shape[1].bound, heads = out_tensor(op, 0)->shape[0].bound,
            group = heads / kv_heads;
    const struct replay_cache *cache = replay_cache_of(op, 1);
    for (int64_t h = 0; h < heads; h++) {
        const int8_t *keys = cache->q + h / group * hd;
        const int16_t *q = op->in[0]->mx + h * hd;
        for (int64_t t = 0; t <= op->position; t++)
            op->out[0]->acc[h * op->out[0]->stride + t] =
                dot_product(hd, hd, keys + t * kv_heads * hd, NULL, q, op->in[0]->shift + h);
    }
}

// Returns the first position of the window that ends at the position of the token, or 0 without a window.
static int64_t first_seen(const struct replay_op *op) {
    int64_t window = ir_attr_each(&op->node->attrs, "window", op->repetition, 0);
    return window && op->position >= window ? op->position - window + 1 : 0;
}

static void replay_softmax(struct replay_op *op) {
    int64_t kv_heads = in_tensor(op, 1)->shape[0].bound, heads = in_tensor(op, 0)->shape[0].bound,
            stride = op->out[0]->stride;
    int64_t first = first_seen(op);
    double cap = ir_attr_float(&op->node->attrs, "cap", 0);
    const struct replay_cache *keys = replay_cache_of(op, 1), *values = replay_cache_of(op, 2);
    float *kscale = op->run->scratch.kscale, *vscale = op->run->scratch.vscale;
    for (int64_t h = 0; h < heads; h++) {
        for (int64_t t = 0; t <= op->position; t++) {
            int64_t at = t * kv_heads + h / (heads / kv_heads);
            kscale[t] = keys->scale[at];
            vscale[t] = values->scale[at];
        }
        float *p = op->out[0]->f32 + h * stride;
        for (int64_t t = 0; t < first; t++) p[t] = 0.0f;
        op->out[1]->f32[h] =
            golden_softmax((size_t)(op->position + 1 - first), cap, op->in[0]->f32 + h * stride + first, kscale + first,
                           vscale + first, p + first, op->fault);
    }
}

static void replay_attn_values(struct replay_op *op) {
    const struct ir_tensor *v = in_tensor(op, 1);
    const struct replay_slot *p = op->in[0];
    int64_t kv_heads = v->shape[0].bound, hd = v->shape[1].bound, heads = out_tensor(op, 0)->shape[0].bound;
    const struct replay_cache *cache = replay_cache_of(op, 1);
    for (int64_t h = 0; h < heads; h++)
        dot_weighted_sum(op->position + 1, in_tensor(op, 0)->block, p->mx + h * p->stride,
                         p->shift + h * p->shift_stride, hd, kv_heads * hd, cache->q + h / (heads / kv_heads) * hd,
                         op->run->scratch.sum, op->out[0]->acc + h * hd);
}

static void replay_scale(struct replay_op *op) {
    const struct replay_slot *x = op->in[0];
    for (int64_t r = 0; r < x->rows; r++)
        golden_scale((size_t)x->cols, op->in[1]->f32[r], x->f32 + r * x->stride, op->out[0]->f32 + r * x->stride,
                     op->fault);
}

static void replay_rope(struct replay_op *op) {
    size_t n = elements(op->in[0]), heads = (size_t)ir_attr_int(&op->node->attrs, "heads", 1), head = n / heads;
    bool beside = ir_attr_choice(&op->node->attrs, "pairs", SPEC_HALF) == SPEC_INTERLEAVED;
    for (size_t at = 0; at < n; at += head)
        golden_rope(head, elements(op->in[1]), beside, op->in[1]->f32, op->in[0]->f32 + at, op->out[0]->f32 + at,
                    op->fault);
}

// ---- elementwise operations, row by row, because rows that grow with the position have gaps after them ----

typedef void binary_function(size_t n, const float a[], const float b[], float y[], struct golden_fault *);

static void replay_unary(struct replay_op *op) {
    const struct replay_slot *x = op->in[0];
    struct ir_op_attr attr[IR_MAX_OP_ATTRS];
    int count = ir_op_attrs(op->run->ir, op->node->op, attr);
    double given[GOLDEN_UNARY_ATTRIBUTES] = {NAN, NAN};
    for (int a = 0; a < count; a++)
        given[a] = attr[a].kind == IR_ATTR_WORD ? ir_attr_choice(&op->node->attrs, attr[a].name, 0)
                                                : ir_attr_float(&op->node->attrs, attr[a].name, NAN);
    golden_unary *f = golden_find_unary(ir_op_of(op->run->ir, op->node->op)->name);
    for (int64_t r = 0; r < x->rows; r++)
        f((size_t)x->cols, given, x->f32 + r * x->stride, op->out[0]->f32 + r * x->stride, op->fault);
}

static void each_row_pair(struct replay_op *op, binary_function *f) {
    const struct replay_slot *x = op->in[0];
    for (int64_t r = 0; r < x->rows; r++) {
        int64_t at = r * x->stride;
        f((size_t)x->cols, x->f32 + at, op->in[1]->f32 + at, op->out[0]->f32 + at, op->fault);
    }
}

static void replay_add(struct replay_op *op) { each_row_pair(op, golden_add); }
static void replay_mul(struct replay_op *op) { each_row_pair(op, golden_mul); }
static void replay_sub(struct replay_op *op) { each_row_pair(op, golden_sub); }
static void replay_div(struct replay_op *op) { each_row_pair(op, golden_div); }
static void replay_max(struct replay_op *op) { each_row_pair(op, golden_max); }
static void replay_min(struct replay_op *op) { each_row_pair(op, golden_min); }

static void replay_choose(struct replay_op *op) {
    const struct replay_slot *x = op->in[ir_attr_each(&op->node->attrs, "of", op->repetition, 0)];
    for (int64_t r = 0; r < x->rows; r++)
        memcpy(op->out[0]->f32 + r * x->stride, x->f32 + r * x->stride, sizeof(float) * (size_t)x->cols);
}

// ---- other dimensions ----

static void replay_reshape(struct replay_op *op) {
    memcpy(op->out[0]->f32, op->in[0]->f32, sizeof(float) * elements(op->in[0]));
}

static void replay_transpose(struct replay_op *op) {
    const struct ir_tensor *in = in_tensor(op, 0), *out = out_tensor(op, 0);
    int perm[IR_MAX_RANK];
    if (!ir_permutation(op->run->ir, op->node, perm)) base_fatal("golden: `%s` has no permutation", op->node->name);
    for (int64_t i = 0; i < ir_tensor_elements(out); i++) {
        int64_t rest = i, at_dim[IR_MAX_RANK] = {0}, from = 0;
        for (int d = out->rank - 1; d >= 0; rest /= out->shape[d].bound, d--)
            at_dim[perm[d]] = rest % out->shape[d].bound;
        for (int d = 0; d < in->rank; d++) from = from * in->shape[d].bound + at_dim[d];
        op->out[0]->f32[i] = op->in[0]->f32[from];
    }
}

// Counts the elements of the dimensions in `mask` alone, in row-major order. Returns the place of element `at` of this
// count in the whole tensor, where the indices in the other dimensions are 0.
static int64_t place_in(const struct ir_tensor *t, int mask, int64_t at) {
    int64_t place = 0, stride = 1;
    for (int d = t->rank - 1; d >= 0; stride *= t->shape[d].bound, d--) {
        if (!(mask >> d & 1)) continue;
        place += at % t->shape[d].bound * stride;
        at /= t->shape[d].bound;
    }
    return place;
}

static void replay_reduce(struct replay_op *op) {
    const struct ir_tensor *in = in_tensor(op, 0);
    struct ir_reduction r;
    float *line = op->run->scratch.line;
    if (!ir_reduction(op->run->ir, op->node, &r)) base_fatal("golden: `%s` reduces nothing", op->node->name);
    int64_t every = at_least(r.every, 1);
    for (int64_t i = 0; i < ir_tensor_elements(out_tensor(op, 0)); i++) {
        const float *from = op->in[0]->f32 + place_in(in, ~r.mask, i / every) + i % every;
        for (int64_t k = 0; k < r.count; k++) line[k] = from[place_in(in, r.mask, k * every)];
        op->out[0]->f32[i] =
            golden_reduce(ir_attr_choice(&op->node->attrs, "kind", SPEC_KIND_MAX), (size_t)r.count, 1, line, op->fault);
    }
}

static void replay_expand(struct replay_op *op) {
    const struct ir_tensor *in = in_tensor(op, 0), *out = out_tensor(op, 0);
    int from[IR_MAX_RANK];
    if (!ir_expansion(op->run->ir, op->node, from)) base_fatal("golden: `%s` repeats nothing", op->node->name);
    for (int64_t i = 0; i < ir_tensor_elements(out); i++) {
        int64_t rest = i, place = 0, stride = 1;
        for (int d = out->rank - 1; d >= 0; rest /= out->shape[d].bound, d--) {
            if (from[d] == IR_NONE) continue;
            place += rest % out->shape[d].bound * stride;
            stride *= in->shape[from[d]].bound;
        }
        op->out[0]->f32[i] = op->in[0]->f32[place];
    }
}

static void replay_bmm(struct replay_op *op) {
    struct ir_contraction c;
    if (!ir_contraction(op->run->ir, op->node, &c)) base_fatal("golden: `%s` multiplies nothing", op->node->name);
    bool turned = c.column[1] > c.row[1];   // the k factors of a sum are adjacent in the second operand
    size_t next = turned ? 1 : (size_t)c.n; // from one element of a column to the next
    for (int64_t i = 0; i < c.batches * c.m * c.n; i++) {
        const float *a = op->in[0]->f32 + i / c.n * c.k, *b = op->in[1]->f32 + i / (c.m * c.n) * c.n * c.k;
        op->out[0]->f32[i] = golden_bmm((size_t)c.k, a, 1, b + i % c.n * (turned ? c.k : 1), next, op->fault);
    }
}

static void replay_slice(struct replay_op *op) {
    const struct ir_attrs *a = &op->node->attrs;
    const struct ir_tensor *in = in_tensor(op, 0), *out = out_tensor(op, 0);
    int64_t along = ir_attr_int(a, "along", 0), inside = ir_inside(op->run->ir, op->node);
    for (int64_t i = 0; i < ir_tensor_elements(out); i++) {
        int64_t part = i / inside, count = out->shape[along].bound,
                from = ir_attr_int(a, "start", 0) + part % count * ir_attr_int(a, "step", 1);
        op->out[0]->f32[i] = op->in[0]->f32[(part / count * in->shape[along].bound + from) * inside + i % inside];
    }
}

static void replay_concat(struct replay_op *op) {
    int64_t along = ir_attr_int(&op->node->attrs, "along", 0), inside = ir_inside(op->run->ir, op->node), to = 0;
    int64_t part[2] = {in_tensor(op, 0)->shape[along].bound * inside, in_tensor(op, 1)->shape[along].bound * inside};
    for (int64_t g = 0; g < ir_tensor_elements(in_tensor(op, 0)) / part[0]; g++)
        for (int i = 0; i < 2; to += part[i], i++)
            memcpy(op->out[0]->f32 + to, op->in[i]->f32 + g * part[i], sizeof(float) * (size_t)part[i]);
}

// Returns an element of the operand at a place, or `pad` if the place is outside the operand.
static float patched(const struct replay_op *op, const struct ir_patch_axis axis[], int axes, const int64_t at[],
                     int64_t element) {
    const struct ir_tensor *in = in_tensor(op, 0);
    int64_t from = 0;
    for (int a = 0; a < axes; a++) {
        if (at[a] < 0 || at[a] >= axis[a].size) return (float)ir_attr_float(&op->node->attrs, "pad", 0);
        from = from * axis[a].size + at[a];
    }
    for (int d = axes; d < in->rank; d++) from *= in->shape[d].bound;
    return op->in[0]->f32[from + element];
}

// Element i of the result belongs to a patch (`place`), a tap of the patch, and an element of a pixel.
static void replay_patch(struct replay_op *op) {
    const struct ir_tensor *in = in_tensor(op, 0), *out = out_tensor(op, 0);
    struct ir_patch_axis axis[IR_MAX_PATCHES];
    int axes = ir_patch_axes(op->run->ir, op->node, axis);
    int64_t pixel = 1, row = out->shape[axes].bound;
    for (int d = axes; d < in->rank; d++) pixel *= in->shape[d].bound;
    for (int64_t i = 0; i < ir_tensor_elements(out); i++) {
        int64_t place = i / row, tap = i % row / pixel, at[IR_MAX_PATCHES];
        for (int a = axes - 1; a >= 0; a--) {
            at[a] = place % axis[a].places * axis[a].stride + tap % axis[a].taps * axis[a].dilation - axis[a].before;
            place /= axis[a].places;
            tap /= axis[a].taps;
        }
        op->out[0]->f32[i] = patched(op, axis, axes, at, i % pixel);
    }
}

// Finds the index of the largest value. At the output of a model that samples, draws an id at random instead.
static void replay_argmax(struct replay_op *op) {
    const struct ir *ir = op->run->ir;
    size_t n = elements(op->in[0]);
    const float *x = op->in[0]->f32;
    bool sampled = ir->design.sampling && op->node->out[0] == ir->output[0];
    op->out[0]->id =
        (uint32_t)(sampled ? golden_sample(n, x, &op->run->sampling, ir->design.sampling, op->position, op->fault)
                           : golden_argmax(n, x, op->fault));
}

replay_function *const replay_functions[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) replay_##golden,
#include "include/ops.def"
#undef RILL_OP
};
