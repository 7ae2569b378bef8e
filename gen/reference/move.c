// SPDX-License-Identifier: Apache-2.0
// The oracle's operations that are the same in exact mode and in float mode: they move values, gather the vectors that
// other operations work on, or call custom kernels.
#include <string.h>

#include "gen/reference/execute.h"

// Exchanges dimensions: dimension d of the result is dimension perm[d] of the operand.
void oracle_transpose(struct step *s) {
    const struct oracle_tensor *x = oracle_operand(s, 0), *y = oracle_result(s, 0);
    int64_t step[ORACLE_MAX_RANK], at[ORACLE_MAX_RANK] = {0}, n = oracle_elements(y);
    for (int d = 0; d < y->rank; d++) { // step[d]: distance in the operand between neighbours along d of the result
        step[d] = 1;
        for (int e = (int)s->node->perm[d] + 1; e < x->rank; e++) step[d] *= x->extent[e];
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t from = 0;
        for (int d = 0; d < y->rank; d++) from += at[d] * step[d];
        s->out[0]->v.f32[i] = s->in[0]->v.f32[from];
        for (int d = y->rank - 1; d >= 0 && ++at[d] == y->extent[d]; d--) at[d] = 0;
    }
}

void oracle_reshape(struct step *s) {
    memcpy(s->out[0]->v.f32, s->in[0]->v.f32, sizeof(float) * (size_t)oracle_count(&s->in[0]->v));
}

// Writes, for each place of a convolution, the patch that the convolution multiplies there: its elements tap by tap, in
// the operand's order. Elements outside of the operand are `pad`. A signal of one dimension is treated as an image with
// a height of 1.
void oracle_patch(struct step *s) {
    const struct oracle_tensor *x = oracle_operand(s, 0), *y = oracle_result(s, 0);
    const struct oracle_node *n = s->node;
    int64_t wide = x->extent[0], pixel = 1, high = 1, taps[2] = {1, 1}, out[2] = {1, 1};
    int two = n->taps == 2;
    for (int d = n->taps; d < x->rank; d++) pixel *= x->extent[d];
    if (two) high = x->extent[0], wide = x->extent[1];
    for (int d = 0; d < n->taps; d++) {
        taps[d + 1 - two] = n->tap[d];
        out[d + 1 - two] = y->extent[d];
    }
    const int64_t *stride = n->strides ? n->stride : NULL, *apart = n->dilations ? n->dilation : NULL;
    float *to = s->out[0]->v.f32;
    for (int64_t place = 0; place < out[0] * out[1]; place++)
        for (int64_t tap = 0; tap < taps[0] * taps[1]; tap++) {
            int64_t at[2] = {place / out[1], place % out[1]}, of[2] = {tap / taps[1], tap % taps[1]}, row = 0, col = 0;
            for (int d = 0; d < n->taps; d++) {
                int side = d + 1 - two;
                int64_t i = at[side] * (stride ? stride[d] : 1) + of[side] * (apart ? apart[d] : 1) -
                            (n->pads ? n->padding[d] : 0);
                if (side) col = i;
                else row = i;
            }
            bool has = row >= 0 && row < high && col >= 0 && col < wide;
            for (int64_t e = 0; e < pixel; e++)
                *to++ = has ? s->in[0]->v.f32[(row * wide + col) * pixel + e] : (float)n->pad;
        }
}

// Returns the place of an element in the tensor; at[d] is its index in dimension d.
static int64_t place_at(const struct oracle_tensor *t, const int64_t at[]) {
    int64_t place = 0;
    for (int d = 0; d < t->rank; d++) place = place * t->extent[d] + at[d];
    return place;
}

// Advances to the next element in row-major order. Returns false after the last one.
static bool next_index(const struct oracle_tensor *t, int64_t at[]) {
    for (int d = t->rank - 1; d >= 0; d--) {
        if (++at[d] < t->extent[d]) return true;
        at[d] = 0;
    }
    return false;
}

void oracle_slice(struct step *s) {
    const struct oracle_tensor *x = oracle_operand(s, 0), *y = oracle_result(s, 0);
    int64_t at[ORACLE_MAX_RANK] = {0}, dim = s->node->along == NONE ? 0 : s->node->along;
    do {
        int64_t from[ORACLE_MAX_RANK];
        memcpy(from, at, sizeof from);
        from[dim] = s->node->start + at[dim] * s->node->skip;
        s->out[0]->v.f32[place_at(y, at)] = s->in[0]->v.f32[place_at(x, from)];
    } while (next_index(y, at));
}

void oracle_concat(struct step *s) {
    const struct oracle_tensor *y = oracle_result(s, 0);
    int64_t at[ORACLE_MAX_RANK] = {0}, dim = s->node->along == NONE ? 0 : s->node->along;
    do {
        int64_t from[ORACLE_MAX_RANK], first = oracle_operand(s, 0)->extent[dim];
        int second = at[dim] >= first;
        memcpy(from, at, sizeof from);
        if (second) from[dim] -= first;
        s->out[0]->v.f32[place_at(y, at)] = s->in[second]->v.f32[place_at(oracle_operand(s, second), from)];
    } while (next_index(y, at));
}

// Repeats the operand along dimensions in which it has one element. Dimensions are aligned at the last one.
void oracle_expand_dims(struct step *s) {
    const struct oracle_tensor *x = oracle_operand(s, 0), *y = oracle_result(s, 0);
    int64_t at[ORACLE_MAX_RANK] = {0}, n = oracle_elements(y);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = 0;
        for (int d = 0; d < x->rank; d++)
            from = from * x->extent[d] + (x->extent[d] > 1 ? at[d + y->rank - x->rank] : 0);
        s->out[0]->v.f32[i] = s->in[0]->v.f32[from];
        for (int d = y->rank - 1; d >= 0 && ++at[d] == y->extent[d]; d--) at[d] = 0;
    }
}

// The operand's dimensions for a reduction, which keeps some of them and joins the elements along the others. With
// `every`, the last dimension becomes two: the outer one is joined, and the inner one, of `every` elements, stays.
// apart: distance between neighbours along a dimension, in elements.
struct joint {
    int dims;
    int64_t extent[ORACLE_MAX_RANK + 1], apart[ORACLE_MAX_RANK + 1];
    bool joined[ORACLE_MAX_RANK + 1];
};

static struct joint joint_of(const struct step *s) {
    const struct oracle_tensor *x = oracle_operand(s, 0);
    const struct oracle_node *n = s->node;
    struct joint j = {.dims = x->rank + (n->every > 0)};
    for (int d = 0; d < x->rank; d++) j.extent[d] = x->extent[d];
    for (int k = 0; k < n->joins; k++) j.joined[n->join[k]] = true;
    if (n->every) {
        j.extent[x->rank - 1] /= n->every;
        j.extent[x->rank] = n->every;
    }
    for (int d = j.dims - 1, apart = 1; d >= 0; apart *= (int)j.extent[d], d--) j.apart[d] = apart;
    return j;
}

// Advances over the dimensions that stay, or over those that are joined. Returns false after the last place.
static bool next_place(const struct joint *j, bool joined, int64_t at[], int64_t *place) {
    for (int d = j->dims - 1; d >= 0; d--) {
        if (j->joined[d] != joined) continue;
        *place += j->apart[d];
        if (++at[d] < j->extent[d]) return true;
        *place -= at[d] * j->apart[d];
        at[d] = 0;
    }
    return false;
}

void oracle_reduce(struct step *s, oracle_join *f) {
    const struct joint j = joint_of(s);
    int64_t at[ORACLE_MAX_RANK + 1] = {0}, from = 0;
    float *line = s->run->scratch.line, *to = s->out[0]->v.f32;
    do {
        int64_t inner[ORACLE_MAX_RANK + 1] = {0}, place = from, n = 0;
        do line[n++] = s->in[0]->v.f32[place];
        while (next_place(&j, true, inner, &place));
        *to++ = f(s, n, line);
    } while (next_place(&j, false, at, &from));
}

// Multiplies all matrices of a batch. A column of the second operand is gathered once for all rows of the first one.
void oracle_product(struct step *s, oracle_sum *f) {
    const struct oracle_tensor *x = oracle_operand(s, 0), *y = oracle_result(s, 0);
    int64_t k = x->extent[x->rank - 1], m = y->extent[y->rank - 2], n = y->extent[y->rank - 1],
            all = oracle_elements(y);
    const float *a = s->in[0]->v.f32, *b = s->in[1]->v.f32;
    float *column = s->run->scratch.line, *to = s->out[0]->v.f32;
    for (int64_t matrix = 0; matrix < all / (m * n); matrix++)
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = 0; i < k; i++)
                column[i] = b[matrix * n * k + (s->node->transpose ? j * k + i : i * n + j)];
            for (int64_t i = 0; i < m; i++) to[(matrix * m + i) * n + j] = f(s, k, a + (matrix * m + i) * k, column);
        }
}

// Copies operand 1 if `of` is 1 in this repetition, else operand 0.
void oracle_choose(struct step *s) {
    const struct slot *from = s->in[oracle_each_at(&s->node->of, s->repetition) == 1];
    memcpy(s->out[0]->v.f32, from->v.f32, sizeof(float) * (size_t)oracle_count(&from->v));
}

// Calls f for each vector along the dimension `along`. Without `along`, the whole operand is one vector.
void oracle_each_line(struct step *s, oracle_line *f) {
    const struct oracle_tensor *t = oracle_operand(s, 0);
    int64_t all = oracle_count(&s->in[0]->v), n = s->node->along == NONE ? all : t->extent[s->node->along], apart = 1;
    float *x = s->run->scratch.line, *y = x + n;
    for (int64_t d = s->node->along + 1; s->node->along != NONE && d < t->rank; d++) apart *= t->extent[d];
    for (int64_t outer = 0; outer < all; outer += n * apart)
        for (int64_t inner = outer; inner < outer + apart; inner++) {
            for (int64_t i = 0; i < n; i++) x[i] = s->in[0]->v.f32[inner + i * apart];
            f(s, n, x, y);
            for (int64_t i = 0; i < n; i++) s->out[0]->v.f32[inner + i * apart] = y[i];
        }
}

// ---- custom kernels ----

// Returns a value in the form that golden functions take.
static struct rill_value value_of(const struct oracle_tensor *t, const struct slot *slot) {
    struct rill_value v = {
        .rank = t->rank, .extent = {1, 1, 1}, .elements = oracle_elements(t), .f32 = slot->v.f32, .i8 = slot->v.q};
    for (int d = 0; d < t->rank; d++) v.extent[d] = t->extent[d];
    return v;
}

// Calls the golden function with all operands, parameters and weights. The results are zeros before the call. If the
// function reports a fault, it is raised.
void oracle_custom(struct step *s) {
    struct rill_value in[ORACLE_PORTS], out[ORACLE_PORTS], vector[ORACLE_VECTORS];
    struct rill_parameter parameter[ORACLE_PARAMETERS];
    struct arena_mark mark = arena_mark(s->run->graph->arena);
    for (int i = 0; i < s->node->inputs; i++) in[i] = value_of(oracle_operand(s, i), s->in[i]);
    for (int o = 0; o < s->node->outputs; o++) {
        out[o] = value_of(oracle_result(s, o), s->out[o]);
        if (out[o].f32) memset(out[o].f32, 0, sizeof(float) * (size_t)out[o].elements);
        else memset(out[o].i8, 0, (size_t)out[o].elements);
    }
    for (int v = 0; v < s->node->vectors; v++)
        vector[v] = (struct rill_value){
            .rank = 1, .extent = {s->w->k, 1, 1}, .elements = s->w->k, .f32 = (float *)s->w->vectors + v * s->w->k};
    struct rill_value table = {.rank = 2, .extent = {1, 1, 1}};
    if (s->node->reads_table)
        table = (struct rill_value){.rank = 2,
                                    .extent = {s->w->rows, s->w->k, 1},
                                    .elements = s->w->rows * s->w->k,
                                    .f32 = (float *)s->w->matrix};
    struct rill_call call = {.inputs = s->node->inputs,
                             .outputs = s->node->outputs,
                             .parameters = oracle_kernel_parameters(s->run->graph, s->node, parameter),
                             .in = in,
                             .out = out,
                             .parameter = parameter,
                             .vectors = s->node->vectors,
                             .vector = vector,
                             .table = s->node->reads_table ? &table : NULL,
                             .position = s->position,
                             .repetition = s->repetition};
    golden_library_call(&s->run->library[s->node - s->run->graph->node.items], &call);
    arena_release(s->run->graph->arena, mark);
    if (call.fault) golden_fault_raise(s->fault, GOLDEN_FAULT_KERNEL);
}
