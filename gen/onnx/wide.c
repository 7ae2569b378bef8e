// SPDX-License-Identifier: Apache-2.0
// Writes wide convolutions, for designs that keep their weights on chip: a convolution of an image becomes a
// convolution along the rows of the image, whose channels are the elements of a whole row. The matrix of weights then
// has a row for each channel of each column of the result, and is mostly zeros. It is larger and takes more products,
// but a patch is a few long rows instead of many short ones, and the patches of one row of the result share one pass
// over the weights.
#include "gen/onnx/lower.h"

#include <string.h>

enum {
    MOST_WEIGHTS = 1 << 20, // most elements of a wide matrix
    MOST_K = 32768,         // most elements of a row of weights (docs/spec.md)
    LANES = 16,             // lanes of the engine and of vector kernels, assumed for the comparison of the two forms
    BEAT = 64               // int8 weights of a beat
};

static int64_t div_up64(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Returns the largest power of two that divides n, at most LANES: the elements of a word of a patch.
static int64_t word_of(int64_t n) {
    int64_t word = 1;
    while (word < LANES && n % (2 * word) == 0) word *= 2;
    return word;
}

// Returns the cycles of a convolution in a pipeline: those of its patches or of its products, whichever are more.
// firings: patches, which are the rows of the product's operand. rows, k: rows of weights, and elements of a row. run:
// elements of a patch that follow one another in the image.
static int64_t cycles(int64_t firings, int64_t rows, int64_t k, int64_t run) {
    int64_t patch = firings * k / word_of(run), steps = div_up64(rows, LANES),
            product = firings * (steps * div_up64(k, BEAT) + div_up64(steps, 8));
    return patch > product ? patch : product;
}

bool lower_is_wide(const struct lower *l) {
    const struct node *n = l->n;
    const struct patch *w = n->patch;
    const struct onnx_dims *x = &graph_value(l->g, graph_in(n, 0))->dims,
                           *y = &graph_value(l->g, n->out.items[0])->dims;
    if (!l->g->on_chip || w->places != 2) return false;
    int64_t channels = x->dim[x->rank - 1], run = x->dim[x->rank - 2] * channels, k = w->size[0] * run,
            rows = y->dim[y->rank - 2] * n->w->dims.dim[0], high = y->dim[y->rank - 3];
    if (k > MOST_K || rows > MOST_WEIGHTS / k) return false;
    return cycles(high, rows, k, run) <
           cycles(high * y->dim[y->rank - 2], n->w->dims.dim[0], w->size[0] * w->size[1] * channels, channels);
}

// Returns the wide matrix: its row [column of the result][channel] has the filter of the channel at the columns of the
// image that the column of the result depends on. wide, x: columns of the result and of the image.
static const struct onnx_data *widened(struct lower *l, int64_t wide, int64_t x, int64_t channels) {
    const struct node *n = l->n;
    const struct patch *w = n->patch;
    int64_t rows = n->w->dims.dim[0], run = x * channels, k = w->size[0] * run;
    float *f;
    struct onnx_data *d = data_floats(l->s->arena, &(struct onnx_dims){2, {wide * rows, k}}, &f);
    memset(f, 0, (size_t)d->count * sizeof *f);
    for (int64_t r = 0; r < wide * rows; r++)
        for (int64_t tap = 0; tap < w->size[0] * w->size[1]; tap++) {
            int64_t column = r / rows * w->stride[1] - w->pads[1] + tap % w->size[1] * w->dilation[1];
            if (column < 0 || column >= x) continue;
            memcpy(f + r * k + tap / w->size[1] * run + column * channels,
                   n->w->f + (r % rows * w->size[0] * w->size[1] + tap) * channels, (size_t)channels * sizeof *f);
        }
    return d;
}

// Returns the bias of the wide product: that of each channel, once for each column.
static const struct onnx_data *repeated(struct lower *l, const struct onnx_data *b, int64_t wide) {
    float *f;
    struct onnx_data *d = data_floats(l->s->arena, &(struct onnx_dims){1, {wide * b->count}}, &f);
    for (int64_t i = 0; i < d->count; i++) f[i] = b->f[i % b->count];
    return d;
}

int lower_wide(struct lower *l) {
    const struct node *n = l->n;
    const struct patch *w = n->patch;
    const struct onnx_dims *x = &graph_value(l->g, graph_in(n, 0))->dims,
                           *y = &graph_value(l->g, n->out.items[0])->dims;
    int64_t channels = x->dim[x->rank - 1], columns = x->dim[x->rank - 2], wide = y->dim[y->rank - 2],
            rows = n->w->dims.dim[0], high = y->dim[y->rank - 3];
    const struct patch rest = {.places = 1,
                               .size = {w->size[0]},
                               .stride = {w->stride[0]},
                               .dilation = {w->dilation[0]},
                               .pads = {w->pads[0], w->pads[2]}};
    int t = lower_view(l, lower_operand(l, 0), 2, (const int64_t[]){x->dim[x->rank - 3], columns * channels});
    t = lower_emit(l, "conv", 1, &t, 2, (const int64_t[]){high, wide * rows});
    lower_attr_int(l, "rows", wide * rows);
    lower_attr_patch(l, &rest);
    lower_attr_weight(l, "weight", widened(l, wide, columns, channels), n->w_name);
    if (n->b) lower_attr_weight(l, "bias", repeated(l, n->b, wide), n->b_name);
    return lower_view(l, t, 3, (const int64_t[]){high, wide, rows});
}
