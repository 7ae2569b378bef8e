// SPDX-License-Identifier: Apache-2.0
// Makes constants, reorders and broadcasts them, and combines two of them. graph.h documents the functions. Results
// belong to the arena.
#include "gen/onnx/graph.h"

#include <math.h>
#include <string.h>

struct onnx_data *data_floats(struct arena *arena, const struct onnx_dims *dims, float **f) {
    struct onnx_data *d = ARENA_NEW(arena, struct onnx_data);
    *d = (struct onnx_data){.type = ONNX_FLOAT, .dims = *dims, .count = onnx_elements(dims)};
    d->f = *f = arena_alloc_dirty(arena, (size_t)d->count, sizeof **f);
    return d;
}

struct onnx_data *data_scalar(struct arena *arena, double x) {
    float *f;
    struct onnx_data *d = data_floats(arena, &(struct onnx_dims){0}, &f);
    *f = (float)x;
    return d;
}

const struct onnx_data *data_as_floats(struct arena *arena, const struct onnx_data *d) {
    float *f;
    if (d->f) return d;
    struct onnx_data *out = data_floats(arena, &d->dims, &f);
    for (int64_t i = 0; i < d->count; i++) f[i] = (float)d->i[i];
    return out;
}

bool data_is_scalar(const struct onnx_data *d) { return d->count == 1; }

// Sets stride[i] to the distance, in elements, between neighbours along axis i.
static void row_major(const struct onnx_dims *dims, int64_t stride[]) {
    int64_t n = 1;
    for (int i = dims->rank - 1; i >= 0; i--) stride[i] = n, n *= dims->dim[i];
}

const struct onnx_data *data_walk(struct arena *arena, const struct onnx_data *d, const struct onnx_dims *dims,
                                  int64_t base, const int64_t stride[]) {
    int64_t index[ONNX_MAX_RANK] = {0}, count = onnx_elements(dims), *i = NULL;
    float *f = NULL;
    struct onnx_data *out = data_floats(arena, dims, &f);
    out->type = d->type;
    if (!d->f) out->f = NULL, out->i = i = arena_alloc_dirty(arena, (size_t)count, sizeof *i);
    for (int64_t n = 0; n < count; n++) {
        if (d->f) f[n] = d->f[base];
        else i[n] = d->i[base];
        for (int k = dims->rank - 1; k >= 0; k--) {
            base += stride[k];
            if (++index[k] < dims->dim[k]) break;
            base -= stride[k] * dims->dim[k];
            index[k] = 0;
        }
    }
    return out;
}

const struct onnx_data *data_transposed(struct arena *arena, const struct onnx_data *m) {
    struct onnx_dims dims = {2, {m->dims.dim[1], m->dims.dim[0]}};
    return data_walk(arena, m, &dims, 0, (const int64_t[]){1, m->dims.dim[1]});
}

// Computes the strides with which d is read if it broadcasts to `dims`.
static void broadcast_strides(const struct onnx_data *d, const struct onnx_dims *dims, int64_t stride[]) {
    int64_t own[ONNX_MAX_RANK];
    row_major(&d->dims, own);
    for (int k = 0; k < dims->rank; k++) {
        int j = k - (dims->rank - d->dims.rank);
        stride[k] = j >= 0 && d->dims.dim[j] != 1 ? own[j] : 0;
    }
}

const struct onnx_data *data_broadcast(struct arena *arena, const struct onnx_data *d, const struct onnx_dims *to) {
    int64_t stride[ONNX_MAX_RANK];
    broadcast_strides(d, to, stride);
    return data_walk(arena, d, to, 0, stride);
}

// Sets *out to the extents of the result of an operation on a and b. Returns false if they cannot be broadcast to each
// other.
static bool broadcast_dims(const struct onnx_dims *a, const struct onnx_dims *b, struct onnx_dims *out) {
    out->rank = a->rank > b->rank ? a->rank : b->rank;
    for (int k = 0; k < out->rank; k++) {
        int i = k - (out->rank - a->rank), j = k - (out->rank - b->rank);
        int64_t x = i >= 0 ? a->dim[i] : 1, y = j >= 0 ? b->dim[j] : 1;
        if (x != y && x != 1 && y != 1) return false;
        out->dim[k] = x == 1 ? y : x;
    }
    return true;
}

const struct onnx_data *data_binary(struct graph *g, const char *op, const struct onnx_data *a,
                                    const struct onnx_data *b) {
    struct node n = {.op = op};
    struct onnx_dims dims;
    int64_t stride[ONNX_MAX_RANK];
    float *f;
    if (!broadcast_dims(&a->dims, &b->dims, &dims)) return NULL;
    broadcast_strides(a, &dims, stride);
    a = data_walk(g->arena, a, &dims, 0, stride);
    broadcast_strides(b, &dims, stride);
    b = data_walk(g->arena, b, &dims, 0, stride);
    struct onnx_data *out = data_floats(g->arena, &dims, &f);
    for (int64_t i = 0; i < out->count; i++) {
        double y = 0;
        graph_compute(g, &n, (const double[]){onnx_at(a, i), onnx_at(b, i)}, 2, &y);
        f[i] = (float)y;
    }
    return out;
}
