// SPDX-License-Identifier: Apache-2.0
// Writes the recurrent operators RNN, GRU and LSTM. Every step has the same operations with the same weights, so that
// the steps become a region that repeats. A step reads the first element of the sequence and passes the sequence on
// with this element moved to its end, because a repeated region cannot count its steps.
#include <string.h>

#include "gen/onnx/lower.h"

enum { MOST_STEPS = 1024 }; // most elements of a sequence

// The weights of a product that every step has.
struct weights {
    const char *name;
    const struct onnx_data *w, *b; // b: NULL, or one summand for each row of w
};

// An operator that is being written. x: the input of a step, `width` elements; h: the state, `hidden` elements.
struct recurrent {
    struct lower *l;
    int64_t steps, batch, width, hidden, gates; // gates: 1 (RNN), 3 (GRU) or 4 (LSTM)
    bool batch_first, linear_before_reset;      // attributes `layout` and `linear_before_reset`
    const char *name;                           // beginning of the names of the weights
    // One direction:
    int64_t direction; // 0, or 1 for the second direction of a bidirectional operator
    // Activations, as operations of the graph language. gate: of the gates, and of the RNN; inner: of the new state of
    // a GRU and of the new part of an LSTM's cell; outer: of the cell for an LSTM's state.
    const char *gate, *inner, *outer;
    // Products. joint: with [x h]. The others are for a GRU's last gate: last with [x h], x with x alone, h with h
    // alone.
    struct weights joint, last, x, h;
    // Tensors: the operator's sequence, the sequence that the next step reads, the state, the cell, the states of all
    // steps (NONE: nobody reads them).
    int all, sequence, state, cell, results;
    int peephole[3]; // tensors, or NONE
};

static const struct onnx_data *constant(const struct recurrent *r, size_t i) {
    return graph_constant(r->l->g, r->l->n, i);
}
static bool has(const struct recurrent *r, size_t i) { return graph_in(r->l->n, i) != NONE; }

static int function(struct recurrent *r, const char *op, int t) {
    int out = NONE;
    lower_elementwise(r->l, op, t, &out);
    return out;
}
static int mul(struct recurrent *r, int a, int b) { return lower_two(r->l, "mul", a, b); }
static int add(struct recurrent *r, int a, int b) { return lower_two(r->l, "add", a, b); }

// ---- weights ----

// Returns rows of the operand's matrix or vector for this direction.
static const struct onnx_data *rows_of(struct recurrent *r, size_t operand, int64_t first, int64_t rows) {
    const struct onnx_data *d = constant(r, operand);
    int64_t cols = d->dims.rank == 3 ? d->dims.dim[2] : 1, each = d->dims.dim[1] * cols;
    struct onnx_dims dims = {d->dims.rank - 1, {rows, cols}};
    return data_walk(r->l->s->arena, d, &dims, r->direction * each + first * cols, (const int64_t[]){cols, 1});
}

// Returns the summands of some rows, or NULL if the operator has none. with_x, with_h: include those of the product
// with x, with h; at least one is set.
static const struct onnx_data *bias_of(struct recurrent *r, int64_t first, int64_t rows, bool with_x, bool with_h) {
    if (!has(r, 3)) return NULL;
    const struct onnx_data *x = rows_of(r, 3, first, rows), *h = rows_of(r, 3, r->gates * r->hidden + first, rows);
    return with_x && with_h ? data_binary(r->l->g, "Add", x, h) : with_x ? x : h;
}

// Returns rows of the matrices for x and h side by side: the weights of a product with [x h].
static struct weights beside(struct recurrent *r, const char *name, int64_t first, int64_t rows) {
    const struct onnx_data *x = rows_of(r, 1, first, rows), *h = rows_of(r, 2, first, rows);
    int64_t k = r->width + r->hidden;
    float *f;
    struct weights w = {name, data_floats(r->l->s->arena, &(struct onnx_dims){2, {rows, k}}, &f),
                        bias_of(r, first, rows, true, true)};
    for (int64_t i = 0; i < rows; i++) {
        memcpy(f + i * k, x->f + i * r->width, sizeof *f * (size_t)r->width);
        memcpy(f + i * k + r->width, h->f + i * r->hidden, sizeof *f * (size_t)r->hidden);
    }
    return w;
}

// Sets the weights of this direction. A GRU's last gate has separate products, because its reset gate works on h alone.
static void take_weights(struct recurrent *r) {
    int64_t n = r->hidden;
    r->joint = beside(r, "gates", 0, (r->gates == 3 ? 2 : r->gates) * n);
    if (r->gates != 3) return;
    r->last = beside(r, "last", 2 * n, n);
    r->x = (struct weights){"x", rows_of(r, 1, 2 * n, n), bias_of(r, 2 * n, n, true, false)};
    r->h = (struct weights){"h", rows_of(r, 2, 2 * n, n), bias_of(r, 2 * n, n, false, true)};
}

// Writes a product of a tensor [batch][k].
static int product(struct recurrent *r, int t, const struct weights *w) {
    const char *name = arena_printf(r->l->s->arena, "%s.%s%s", r->name, r->direction ? "reverse." : "", w->name);
    int64_t x[] = {r->batch, w->w->dims.dim[1]}, y[] = {r->batch, w->w->dims.dim[0]};
    bool one = r->batch == 1;
    t = lower_view(r->l, t, one ? 1 : 2, x + one);
    t = lower_emit(r->l, "linear", 1, &t, one ? 1 : 2, y + one);
    lower_attr_int(r->l, "rows", y[1]);
    lower_attr_weight(r->l, "weight", w->w, arena_printf(r->l->s->arena, "%s.weight", name));
    if (w->b) lower_attr_weight(r->l, "bias", w->b, arena_printf(r->l->s->arena, "%s.bias", name));
    return t;
}

// ---- tensors ----

// Sets *out to the initial state or cell: a tensor with this direction's part of operand i, or with zeros if there is
// no operand. The operand is [directions][batch][hidden], or with batch_first [batch][directions][hidden].
static const char *initial(struct recurrent *r, size_t i, int *out) {
    struct lower *l = r->l;
    struct onnx_dims dims = {2, {r->batch, r->hidden}};
    int64_t directions = graph_value(l->g, l->n->in.items[1])->dims.dim[0], each = r->batch * r->hidden;
    const struct onnx_data *d = constant(r, i);
    if (!has(r, i)) return *out = lower_zeros(l, r->all, &dims), NULL;
    if (graph_count(l->g, graph_in(l->n, i)) != directions * each) return "an initial state of another shape";
    if (d) {
        int64_t stride[] = {r->batch_first ? directions * r->hidden : r->hidden, 1};
        d = data_walk(l->s->arena, d, &dims, r->direction * (r->batch_first ? r->hidden : each), stride);
        return lower_number_tensor(l, r->all, d, out);
    }
    *out = lower_operand(l, i);
    *out = r->batch_first ? lower_part(l, *out, r->batch, directions, r->hidden, r->direction, 1, 1)
                          : lower_part(l, *out, 1, directions, each, r->direction, 1, 1);
    *out = lower_view_like(l, *out, &dims);
    return NULL;
}

// Returns gate `which` of a tensor [batch][gates * hidden].
static int gate(struct recurrent *r, int t, int64_t gates, int64_t which) {
    struct onnx_dims dims = {2, {r->batch, r->hidden}};
    t = lower_part(r->l, t, r->batch, gates * r->hidden, 1, which * r->hidden, r->hidden, 1);
    return lower_view_like(r->l, t, &dims);
}

// Returns [x h] for each entry of the batch.
static int joined(struct recurrent *r, int x, int h) {
    return lower_joined(r->l, x, h, r->batch, r->width, r->hidden, 1);
}

// Drops the first element of a sequence and puts another at its end.
static int moved_on(struct recurrent *r, int sequence, int last, int64_t width) {
    if (r->steps == 1) return last;
    int64_t each = r->batch * width;
    int rest = lower_part(r->l, sequence, 1, r->steps, each, 1, r->steps - 1, 1);
    return lower_joined(r->l, rest, last, 1, r->steps - 1, 1, each);
}

// ---- one step ----

// This function and the two after it return the new state after a step with the input x.
static int rnn(struct recurrent *r, int x) {
    return function(r, r->gate, product(r, joined(r, x, r->state), &r->joint));
}

// The new state is (1 - z) * n + z * h, where z and reset are gates, and n is made from x, h and reset.
static int gru(struct recurrent *r, int x) {
    int both = function(r, r->gate, product(r, joined(r, x, r->state), &r->joint)), z = gate(r, both, 2, 0),
        reset = gate(r, both, 2, 1), n;
    if (r->linear_before_reset) n = add(r, product(r, x, &r->x), mul(r, reset, product(r, r->state, &r->h)));
    else n = product(r, joined(r, x, mul(r, reset, r->state)), &r->last);
    n = lower_view_like(r->l, function(r, r->inner, n), &(struct onnx_dims){2, {r->batch, r->hidden}});
    return add(r, mul(r, lower_not(r->l, z), n), mul(r, z, r->state));
}

// Adds the cell times a peephole to a gate, if the operator has peepholes.
static int peep(struct recurrent *r, int t, int which, int cell) {
    return r->peephole[which] == NONE ? t : add(r, t, mul(r, cell, r->peephole[which]));
}

// The gates are in the order input (i), output (o), forget (f), cell. Also sets the new cell.
static int lstm(struct recurrent *r, int x) {
    int all = product(r, joined(r, x, r->state), &r->joint),
        i = function(r, r->gate, peep(r, gate(r, all, 4, 0), 0, r->cell)),
        f = function(r, r->gate, peep(r, gate(r, all, 4, 2), 2, r->cell)),
        fresh = mul(r, i, function(r, r->inner, gate(r, all, 4, 3)));
    r->cell = add(r, mul(r, f, r->cell), fresh);
    int o = function(r, r->gate, peep(r, gate(r, all, 4, 1), 1, r->cell));
    return mul(r, o, function(r, r->outer, r->cell));
}

// Writes one step: computes the new state from the first element of the sequence, and moves the sequence on.
static void step(struct recurrent *r) {
    struct onnx_dims dims = {2, {r->batch, r->width}}, state = {2, {r->batch, r->hidden}};
    int x = lower_part(r->l, r->sequence, 1, r->steps, r->batch * r->width, 0, 1, 1),
        flat = lower_view_like(r->l, x, &dims);
    r->state = r->gates == 1 ? rnn(r, flat) : r->gates == 3 ? gru(r, flat) : lstm(r, flat);
    r->state = lower_view_like(r->l, r->state, &state);
    r->sequence = moved_on(r, r->sequence, x, r->width);
    if (r->results != NONE) r->results = moved_on(r, r->results, r->state, r->hidden);
}

// ---- one direction ----

// Reverses the order of the steps.
static int reversed(struct recurrent *r, int t, int64_t width) {
    int out = NONE;
    for (int64_t i = 0; i < r->steps; i++) {
        int one = lower_part(r->l, t, 1, r->steps, r->batch * width, r->steps - 1 - i, 1, 1);
        out = i ? lower_joined(r->l, out, one, 1, i, 1, r->batch * width) : one;
    }
    return out;
}

// Sets *op to the operation for item i of the attribute `activations`, or for `preset` if the attribute is absent.
static const char *activation(const struct onnx_attribute *a, size_t i, const char *preset, const char **op) {
    static const char *const known[][2] = {
        {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"}, {"Relu", "relu"}, {"Softplus", "softplus"}};
    const char *name = a && i < a->strings.count ? a->strings.items[i] : preset;
    for (size_t k = 0; k < COUNT_OF(known); k++)
        if (!strcmp(known[k][0], name)) return *op = known[k][1], NULL;
    return "an activation other than Sigmoid, Tanh, Relu and Softplus";
}

// Sets the activations of this direction.
static const char *activations(struct recurrent *r) {
    const struct onnx_attribute *a = onnx_attribute_of(r->l->n->src, "activations");
    size_t each = r->gates == 1 ? 1 : r->gates == 3 ? 2 : 3, at = (size_t)r->direction * each;
    const char *why = activation(a, at, r->gates == 1 ? "Tanh" : "Sigmoid", &r->gate);
    if (!why && r->gates > 1) why = activation(a, at + 1, "Tanh", &r->inner);
    if (!why && r->gates > 3) why = activation(a, at + 2, "Tanh", &r->outer);
    return why;
}

// Returns a tensor [steps][elements of a step], which has no axis for a single element.
static int in_steps(struct recurrent *r, int t, int64_t width) {
    int64_t each = r->batch * width;
    return lower_view(r->l, t, each > 1 ? 2 : 1, (const int64_t[]){r->steps, each});
}

// Makes tensors for the peepholes of an LSTM (operand 7): factors of the cell for the gates input, output and forget.
static const char *take_peepholes(struct recurrent *r) {
    const char *why = NULL;
    struct onnx_dims dims = {2, {r->batch, r->hidden}};
    for (int i = 0; i < 3; i++) {
        r->peephole[i] = NONE;
        if (why || r->gates != 4 || !has(r, 7)) continue;
        const struct onnx_data *d = rows_of(r, 7, i * r->hidden, r->hidden);
        why = lower_number_tensor(r->l, r->all, data_broadcast(r->l->s->arena, d, &dims), &r->peephole[i]);
    }
    return why;
}

// Writes all steps of one direction. keep: the states of all steps are read. backwards: from the last element on.
static const char *run(struct recurrent *r, bool backwards, bool keep) {
    struct onnx_dims all = {2, {r->steps, r->batch * r->hidden}};
    const char *why = activations(r);
    take_weights(r);
    r->cell = r->results = NONE;
    if (!why) why = take_peepholes(r);
    if (!why) why = initial(r, 5, &r->state);
    if (!why && r->gates == 4) why = initial(r, 6, &r->cell);
    if (why) return why;
    r->sequence = in_steps(r, backwards ? reversed(r, r->all, r->width) : r->all, r->width);
    if (keep) r->results = in_steps(r, lower_zeros(r->l, r->all, &all), r->hidden);
    for (int64_t i = 0; i < r->steps; i++) step(r);
    if (keep && backwards) r->results = reversed(r, r->results, r->hidden);
    return NULL;
}

// ---- all directions ----

// Returns the reason why the operator's operands or attributes are not supported, or NULL.
static const char *check(struct recurrent *r) {
    const struct onnx_data *lengths = constant(r, 4);
    const struct onnx_attribute *clip = onnx_attribute_of(r->l->n->src, "clip");
    for (size_t i = 1; i < 4; i++)
        if (has(r, i) && (!constant(r, i) || !constant(r, i)->f)) return "weights that are not constant";
    if (has(r, 7) && (!constant(r, 7) || !constant(r, 7)->f)) return "weights that are not constant";
    if (has(r, 4) && !lengths) return "lengths that are not constant";
    for (int64_t i = 0; lengths && i < lengths->count; i++)
        if (onnx_at(lengths, i) != (double)r->steps) return "sequences of different lengths";
    if (clip) return "a bound of the gates";
    if (onnx_int(r->l->n->src, "input_forget", 0)) return "gates that are coupled";
    return r->steps > MOST_STEPS ? "more than 1024 steps" : NULL;
}

static bool shapes_fit(const struct recurrent *r, int64_t directions) {
    int64_t rows = r->gates * r->hidden;
    const struct onnx_dims want[] = {
        {3, {directions, rows, r->width}}, {3, {directions, rows, r->hidden}}, {2, {directions, 2 * rows}}};
    for (size_t i = 0; i < COUNT_OF(want); i++)
        if (has(r, i + 1) && !graph_same_dims(&graph_value(r->l->g, r->l->n->in.items[i + 1])->dims, &want[i]))
            return false;
    return !has(r, 7) || constant(r, 7)->count == directions * 3 * r->hidden;
}

// Joins the results of both directions. `before` elements come before the axis of directions, and `inside` follow it.
static void join(struct lower *l, int *all, int one, int64_t direction, int64_t before, int64_t inside) {
    *all = direction ? lower_joined(l, *all, one, before, 1, 1, inside) : one;
}

static void set_result(struct recurrent *r, size_t i, int t) {
    struct lower *l = r->l;
    if (i >= l->n->out.count || !graph_value(l->g, l->n->out.items[i])->uses) return;
    l->tensor_of[l->n->out.items[i]] = lower_view_like(l, t, &graph_value(l->g, l->n->out.items[i])->dims);
}

// Writes all directions and sets the operator's results: all states, the last state, and the last cell.
static const char *lower_all(struct recurrent *r, int64_t directions, bool backwards) {
    struct lower *l = r->l;
    bool keep = l->n->out.items[0] != NONE && graph_value(l->g, l->n->out.items[0])->uses > 0;
    int64_t each = r->batch * r->hidden;
    int y = NONE, h = NONE, c = NONE;
    for (r->direction = 0; r->direction < directions; r->direction++) {
        const char *why = run(r, backwards || r->direction, keep);
        if (why) return why;
        if (keep) {
            if (r->batch_first)
                r->results = lower_turned(l, r->results, &(struct onnx_dims){3, {r->steps, r->batch, r->hidden}});
            join(l, &y, r->results, r->direction, r->steps * (r->batch_first ? r->batch : 1),
                 r->batch_first ? r->hidden : each);
        }
        int64_t before = r->batch_first ? r->batch : 1, inside = r->batch_first ? r->hidden : each;
        join(l, &h, r->state, r->direction, before, inside);
        if (r->gates == 4) join(l, &c, r->cell, r->direction, before, inside);
    }
    set_result(r, 0, y);
    set_result(r, 1, h);
    set_result(r, 2, c);
    return NULL;
}

// Writes a recurrent operator with this number of gates.
static const char *recurrent(struct lower *l, int64_t gates, int *out) {
    const struct node *n = l->n;
    const char *direction = onnx_string(n->src, "direction", "forward"), *why = NULL;
    struct onnx_dims x = graph_value(l->g, graph_in(n, 0))->dims;
    struct recurrent r = {.l = l, .gates = gates, .batch_first = onnx_int(n->src, "layout", 0) != 0};
    if (graph_constant(l->g, n, 0) || graph_in(n, 1) == NONE || graph_in(n, 2) == NONE) return "a constant sequence";
    const struct onnx_dims *h = &graph_value(l->g, graph_in(n, 2))->dims;
    if (x.rank != 3 || h->rank != 3) return "a sequence of another rank";
    r.steps = x.dim[r.batch_first], r.batch = x.dim[!r.batch_first], r.width = x.dim[2], r.hidden = h->dim[2];
    r.linear_before_reset = onnx_int(n->src, "linear_before_reset", 0) != 0;
    int64_t directions = strcmp(direction, "bidirectional") ? 1 : 2;
    r.name = graph_value(l->g, graph_in(n, 1))->source;
    if (!r.name) r.name = n->src->name;
    if ((why = check(&r))) return why;
    if (!shapes_fit(&r, directions)) return "weights of another shape";
    r.all = lower_operand(l, 0);
    if (r.batch_first) r.all = lower_turned(l, r.all, &x);
    why = lower_all(&r, directions, !strcmp(direction, "reverse"));
    *out = l->tensor_of[n->out.items[0]];
    return why;
}

bool lower_recurrent(struct lower *l, int *out, const char **why) {
    int64_t gates = graph_is(l->n, "RNN") ? 1 : graph_is(l->n, "GRU") ? 3 : graph_is(l->n, "LSTM") ? 4 : 0;
    if (!gates) return false;
    *why = recurrent(l, gates, out);
    return true;
}
