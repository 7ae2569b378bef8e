// SPDX-License-Identifier: Apache-2.0
// graph_seed SEED [STEP...]: prints a random legal spec (docs/spec.md). Equal seeds print equal text. Each STEP is the
// number of a change that makes the spec smaller. graph_seed --count SEED: prints how many such changes there are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/graph_make.h"

enum {
    MANY_ATTENTIONS = 100000, // graphs of seeds from here on may have several attentions
    OWN_KERNELS = 200000,     // from here on they have custom kernels instead
    ATTENTION_ROLES = 300000, // from here on attention over all kinds of tensors, to the end of longer contexts
    ROTARY = 400000,          // from here on rotary embedding, in graphs like those of the first seeds
    STEP_KERNELS = 500000,    // from here on custom kernels with step words, vectors and tables
};

static bool many_attentions(const struct spec *s) { return s->seed >= MANY_ATTENTIONS && s->seed < OWN_KERNELS; }

static bool is_rotary(const struct spec *s) { return s->seed >= ROTARY && s->seed < STEP_KERNELS; }

// ---- groups of operations ----

// Returns a size class of vectors, mostly one whose length is given.
static int random_size(const struct spec *s) {
    int size;
    do size = below(s->sizes);
    while (s->size[size].rank != 1 || (s->size[size].source != SHAPE_GIVEN && chance(70)));
    return size;
}

// Adds several products of one operand, with their dequantizations in any order.
static int add_parallel(struct spec *s, int x) {
    int q = add_quantize(s, tame(s, x, most_rms)), acc[3], count = between(2, 3), y = NONE;
    for (int i = 0; i < count; i++) acc[i] = add_matmul(s, q, random_size(s));
    for (int i = 0, at = below(count); i < count; i++) y = add_dequantize(s, acc[(at + i) % count]);
    return y;
}

// Adds a gated feed-forward part: the product of two products of x, a product of that, and mostly the sum with x.
static void add_gated(struct spec *s, int x) {
    int size = random_size(s), q = add_quantize(s, tame(s, x, 3));
    int gate = add_dequantize(s, add_matmul(s, q, size));
    if (chance(50)) gate = add_unary(s, gate, OP_SILU);
    int up = add_dequantize(s, add_matmul(s, q, size));
    int both = add_binary(s, gate, up, true);
    int down = add_linear(s, both, s->tensor[x].size);
    if (chance(70)) add_binary(s, x, down, false);
}

// Returns vectors of heads: a product of x, or an existing tensor of that size.
static int head_source(struct spec *s, int x, int size) {
    int other = chance(25) ? pick(s, size) : NONE;
    return other != NONE ? tame(s, other, most_rms) : add_linear(s, x, size);
}

static int add_kv(struct spec *s, int x, bool is_value) {
    struct op *op = add_op(s, OP_KV_QUANTIZE, VALUE_KV, s->tensor[x].size, s->tensor[x].rms);
    reads(op, x);
    op->is_value = is_value;
    return op->out[0];
}

// Finds the size class of each kind of heads.
static void head_sizes(const struct spec *s, int size[RESULT_HEADS + 1]) {
    for (int kind = QUERY_HEADS; kind <= RESULT_HEADS; kind++)
        for (int i = 0; i < s->sizes; i++)
            if (s->size[i].heads == (enum heads)kind || (kind > QUERY_HEADS && s->size[i].heads == QUERY_HEADS))
                size[kind] = i; // if all kinds have one class, it is that of the queries
}

// Adds attention with the queries q, keys k and values v, which may be the same tensor. Mostly adds a product of the
// result, and the sum with x.
static void attend(struct spec *s, int x, int q, int k, int v) {
    int size[RESULT_HEADS + 1];
    head_sizes(s, size);
    if (is_rotary(s) && chance(85)) {
        q = add_rope(s, q, s->heads);
        k = add_rope(s, k, s->kv_heads);
    }
    int first = add_kv(s, chance(50) ? k : v, false), second;
    bool value_first = s->op[s->ops - 1].in[0] == v && v != k;
    s->op[s->ops - 1].is_value = value_first;
    second = add_kv(s, value_first ? k : v, !value_first);
    int keys = value_first ? second : first, values = value_first ? first : second;
    struct op *op = add_op(s, OP_QUANTIZE, VALUE_MX, size[QUERY_HEADS], s->tensor[q].rms);
    reads(op, q);
    op->block = BLOCK_HEAD;
    int q_mx = op->out[0];
    op = add_op(s, OP_ATTN_SCORES, VALUE_ACC, size[QUERY_HEADS], 1);
    reads(op, q_mx);
    reads(op, keys);
    int scores = add_dequantize(s, op->out[0]);
    s->tensor[scores].type = VALUE_SCALAR; // rows over positions: only softmax reads them
    op = add_op(s, OP_SOFTMAX, VALUE_SCALAR, size[QUERY_HEADS], 1);
    reads(op, scores);
    reads(op, keys);
    reads(op, values);
    op->out[op->outs++] = add_tensor(s, VALUE_SCALAR, size[QUERY_HEADS], op->region, 1);
    op->setting = s->ops % 4; // 0 to 3: three of four have a cap; no random number is drawn
    op->window = s->tensors % 4 ? 1 + s->tensors % 29 : 0;
    int weights = op->out[0], inverse = op->out[1];
    op = add_op(s, OP_QUANTIZE, VALUE_MX, size[QUERY_HEADS], 1);
    reads(op, weights);
    op->block = BLOCK_POSITIONS;
    if (!s->weights_exp_min) s->weights_exp_min = chance(80) ? -36 : between(-40, -30);
    op->exp_min = s->weights_exp_min;
    int p = op->out[0];
    op = add_op(s, OP_ATTN_VALUES, VALUE_ACC, size[RESULT_HEADS], 1);
    reads(op, p);
    reads(op, values);
    int weighted = add_dequantize(s, op->out[0]);
    s->tensor[weighted].type = VALUE_SCALAR;
    op = add_op(s, OP_SCALE, VALUE_F32, size[RESULT_HEADS], s->tensor[v].rms);
    reads(op, weighted);
    reads(op, inverse);
    int y = op->out[0];
    if (chance(70)) y = add_linear(s, y, s->tensor[x].size);
    if (s->tensor[y].size == s->tensor[x].size && chance(80)) add_binary(s, x, y, false);
}

// Adds an operation that reads a tensor of several dimensions, if there is one.
static void add_array_unit(struct spec *s) {
    int x = pick(s, ANY_ARRAY), kind = below(100);
    if (x == NONE) return;
    if (kind < 22) {
        x = add_patch(s, x);
        if (s->tensors % 4 == 3) add_contraction(s, x);
        else add_reduction(s, x);
    } else if (kind < 35) add_transpose(s, x);
    else if (kind < 45) add_norm(s, x);
    else if (kind < 55) add_unary(s, x, chance(50) ? OP_GELU : OP_SILU);
    else if (kind < 70) add_reshape(s, x, chance(50));
    else if (kind < 85) add_linear(s, x, random_size(s));
    else add_binary(s, x, pick(s, s->tensor[x].size), chance(50));
}

// Adds the row of a random table for the position to x.
static void add_position(struct spec *s, int x) {
    struct op *op = add_op(s, OP_POSITION, VALUE_F32, s->tensor[x].size, 0.5f);
    op->weight = s->weights++;
    op->extra_rows = chance(50) ? 0 : between(1, 9);
    add_binary(s, x, op->out[0], false);
}

// Adds an operation or a group of operations of a random kind, except attention.
static void add_unit(struct spec *s) {
    int x = pick(s, NONE), kind = below(100);
    if (!has_room(s)) return;
    if (pick(s, ANY_ARRAY) != NONE && chance(70)) {
        for (int more = between(1, 3); more > 0 && has_room(s); more--) add_array_unit(s);
        if (chance(60)) return;
    }
    if (x == NONE) return;
    if (is_rotary(s) && chance(40)) {
        add_rope(s, chance(30) && pick(s, ANY_ARRAY) != NONE ? pick(s, ANY_ARRAY) : x, 0);
        return;
    }
    if (s->seed >= STEP_KERNELS && chance(60)) add_step_kernel(s, x);
    else if (s->seed >= OWN_KERNELS && s->seed < ATTENTION_ROLES && chance(75))
        add_kernel(s, chance(30) && pick(s, ANY_ARRAY) != NONE ? pick(s, ANY_ARRAY) : x);
    else if (kind < 24) add_linear(s, x, random_size(s));
    else if (kind < 32) add_parallel(s, x);
    else if (kind < 44) add_norm(s, x);
    else if (kind < 58) add_unary(s, x, chance(50) ? OP_GELU : OP_SILU);
    else if (kind < 64) add_gated(s, x);
    else if (kind < 68 && s->context > 0 && here(s)->repeat == 1 && !here(s)->last)
        add_position(s, x); // once per step, for every position
    else add_binary(s, x, pick(s, s->tensor[x].size), chance(45));
}

// Adds attention of products of x, or of existing tensors.
static void add_attention(struct spec *s, int x) {
    int size[RESULT_HEADS + 1];
    head_sizes(s, size);
    x = tame(s, x, 4);
    int q = head_source(s, x, size[QUERY_HEADS]), k = head_source(s, x, size[KEY_HEADS]),
        v = head_source(s, x, size[VALUE_HEADS]);
    attend(s, x, q, k, v);
}

// ---- attention over all kinds of tensors ----

// Returns an input of this size, or any input if there is none.
static int some_input(const struct spec *s, int size) {
    int fitting[MAX_PORTS], count = 0;
    for (int i = 0; i < s->inputs; i++)
        if (s->tensor[s->input[i]].size == size) fitting[count++] = s->input[i];
    return count ? fitting[below(count)] : s->input[below(s->inputs)];
}

// Returns queries, keys or values: an existing tensor (an input, a carried value or another one), or a norm, product or
// sum of one.
static int role_source(struct spec *s, int size) {
    int x = some_input(s, size), other = pick(s, size), kind = below(100);
    if (s->tensor[x].size != size && other != NONE && chance(70)) x = other;
    if (s->tensor[x].size != size || kind < 30) return add_linear(s, chance(50) ? x : pick(s, NONE), size);
    if (kind < 55) return tame(s, x, most_rms);
    if (kind < 65) return tame(s, other, most_rms);
    if (kind < 80) return add_norm(s, x);
    if (kind < 90) return tame(s, add_binary(s, x, other, chance(40)), most_rms);
    return tame(s, add_unary(s, x, chance(50) ? OP_GELU : OP_SILU), most_rms);
}

// Adds attention whose queries, keys and values come from role_source. Some of the three may be the same tensor.
static void add_roles(struct spec *s) {
    int size[RESULT_HEADS + 1];
    head_sizes(s, size);
    bool alike = size[KEY_HEADS] == size[VALUE_HEADS];
    int k = role_source(s, size[KEY_HEADS]);
    int v = alike && chance(35) ? k : role_source(s, size[VALUE_HEADS]);
    int q = size[KEY_HEADS] == size[QUERY_HEADS] && chance(20) ? k : role_source(s, size[QUERY_HEADS]);
    attend(s, s->input[0], q, k, v);
}

// ---- regions ----

// Begins a region. last: it runs only for the last position of a step (`when: last`).
static void begin_region(struct spec *s, int repeat, bool last) {
    struct region *r = &s->region[s->regions];
    *r = (struct region){.repeat = repeat, .last = last};
    snprintf(r->name, sizeof r->name, "r%d", s->regions);
    s->regions++;
}

// Gives the current region a carried tensor, if a tensor from before the region can be its initial value.
static void add_carry(struct spec *s) {
    int init = chance(30) ? pick(s, ANY_ARRAY) : NONE;
    if (init == NONE) init = pick(s, NONE);
    if (init == NONE || s->tensor[init].region == s->regions - 1 || s->tensor[init].rms > carried_rms)
        return; // `init` must come from before the region
    struct region *r = &s->region[s->regions - 1];
    int local = add_tensor(s, VALUE_F32, s->tensor[init].size, s->regions - 1, carried_rms);
    s->tensor[local].local_of = s->regions - 1;
    snprintf(s->tensor[local].name, NAME_BYTES, "h%d", local);
    r->carry[r->carries++] = (struct carry){local, init, NONE};
}

// Chooses the tensor that the next repetition gets: one of this region, with bounded values.
static void close_carry(struct spec *s, struct carry *carry) {
    int size = s->tensor[carry->local].size, found = NONE;
    for (int t = 0; t < s->tensors; t++)
        if (s->tensor[t].type == VALUE_F32 && s->tensor[t].region == s->regions - 1 && s->tensor[t].local_of == NONE &&
            s->tensor[t].size == size && (found == NONE || chance(60)))
            found = t;
    if (found == NONE && s->size[size].rank > 1) found = add_norm(s, carry->local);
    if (found == NONE || (s->size[size].rank == 1 && chance(15))) {
        int y = add_linear(s, pick(s, NONE), size);
        int sum = add_binary(s, carry->local, y, false);
        found = sum == carry->local ? y : sum;
    }
    carry->next = tame(s, found, carried_rms);
}

static void close_region(struct spec *s) {
    struct region *r = &s->region[s->regions - 1];
    for (int c = 0; c < r->carries; c++) close_carry(s, &r->carry[c]);
    if (s->ops == 0 || s->op[s->ops - 1].region != s->regions - 1)
        add_norm(s, pick(s, NONE)); // a region needs an operation
}

static void make_regions(struct spec *s) {
    int count = ONE_OF(1, 1, 1, 2, 2, 3), attention = s->heads ? below(count) : NONE;
    bool last = false, many = s->heads && many_attentions(s);
    for (int i = 0; i < count; i++) {
        last = last || (i > 0 && i > attention && !many && s->is_lm &&
                        chance(15)); // not in graphs of rows, which need the result of every step
        begin_region(s, chance(55) ? 1 : between(2, 4), last);
        int carries = here(s)->repeat > 1 ? ONE_OF(0, 1, 1, 1, 2, 3) : chance(15);
        for (int c = 0; c < carries; c++) add_carry(s);
        int units = ONE_OF(1, 1, 2, 2, 3);
        for (int u = 0, at = below(units); u < units; u++) {
            if ((i == attention && u == at) || (many && chance(35) && has_room(s))) add_attention(s, pick(s, NONE));
            else add_unit(s);
        }
        close_region(s);
    }
}

// ---- ends ----

// Returns whether a tensor is made in a region with `when: last`.
static bool is_last(const struct spec *s, int tensor) {
    return s->tensor[tensor].region != NONE && s->region[s->tensor[tensor].region].last;
}

// Lists the tensors that nothing reads, those of regions with `when: last` after the others. Returns their number.
static int unread(const struct spec *s, int *list) {
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < s->tensors; t++)
            if (s->tensor[t].type == VALUE_F32 && !s->tensor[t].keep && !is_read(s, t) && is_last(s, t) == (pass == 1))
                list[count++] = t;
    return count;
}

// Adds the sum of two tensors, after reshapes and a product if their sizes differ. Returns false if no sum was added.
static bool join(struct spec *s, int a, int b) {
    bool last = is_last(s, a) || is_last(s, b);
    if (s->ops > MAX_OPS - 10 || s->tensors > MAX_TENSORS - 10) return false;
    bool same = s->tensor[a].size == s->tensor[b].size;
    if (s->regions == MAX_REGIONS && here(s)->last != last) return false;
    if (s->regions < MAX_REGIONS && (here(s)->last != last || here(s)->repeat > 1)) begin_region(s, 1, last);
    if (!same && is_array(s, a)) a = add_reshape(s, a, true);
    if (!same && is_array(s, b)) b = add_reshape(s, b, true);
    if (s->tensor[a].size != s->tensor[b].size) b = add_linear(s, b, s->tensor[a].size);
    a = tame(s, a, most_rms / 2);
    b = tame(s, b, most_rms / 2);
    return add_binary(s, a, b, false) != a;
}

// Adds up tensors that nothing reads, until at most `most` of them are left.
static int join_ends(struct spec *s, int most, int *list) {
    int count = unread(s, list);
    while (count > most) {
        bool joined = false;
        for (int i = 1; i < count && !joined; i++) joined = join(s, list[0], list[i]);
        if (!joined) break;
        count = unread(s, list);
    }
    for (int t = s->tensors - 1; count == 0;
         t--) // all tensors are read, the newest ones by a carried name: takes the newest vector
        if (s->tensor[t].type == VALUE_F32 && s->size[s->tensor[t].size].rank == 1) list[count++] = t;
    return count;
}

// Makes a tensor an output, unless it is one already.
static void add_output(struct spec *s, int tensor) {
    for (int o = 0; o < s->outputs; o++)
        if (s->output[o] == tensor) return;
    s->output[s->outputs++] = tensor;
}

static void make_outputs(struct spec *s) {
    int list[MAX_TENSORS], most = ONE_OF(1, 1, 2, 3);
    if (chance(6)) {
        int count = unread(s, list);
        if (count > 1) s->tensor[list[below(count)]].keep = true;
    }
    int count = join_ends(s, most, list);
    for (int i = 0; i < count && s->outputs < MAX_PORTS; i++) add_output(s, list[i]);
    for (int t = s->tensors - 1; t >= 0 && s->outputs < 3; t--) // also some tensors that the graph itself reads
        if (s->tensor[t].type == VALUE_F32 && is_read(s, t) && s->tensor[t].region != NONE &&
            s->tensor[t].local_of == NONE && chance(4))
            add_output(s, t);
    if (chance(3)) add_output(s, s->input[0]);
    for (int r = 0; r < s->regions && s->seed % 29 == 13;
         r++) // also a carried name: its value after the last repetition
        if (s->region[r].carries > 0 && s->outputs < MAX_PORTS) add_output(s, s->region[r].carry[0].local);
}

// Adds the LM head and the choice of the next token. The head's weights may be those of the embedding.
static void make_head(struct spec *s, int vocab) {
    int list[MAX_TENSORS], embed = s->op[0].weight;
    join_ends(s, 1, list);
    int x = list[0];
    begin_region(s, 1, true);
    if (chance(60)) x = add_norm(s, x);
    x = add_linear(s, x, vocab);
    struct op *product = &s->op[s->ops - 2];
    if (s->tensor[s->op[0].out[0]].size == s->tensor[product->in[0]].size && chance(60)) { // tied
        product->weight = embed;
        product->row_offset = product->transpose = 0;
        product->per_layer = s->op[0].per_layer;
    }
    struct op *op = add_op(s, OP_ARGMAX, VALUE_ID, vocab, 0);
    reads(op, x);
    add_output(s, op->out[0]);
}

static void make_embedding(struct spec *s, int vocab) {
    int hidden = random_size(s);
    s->input[s->inputs++] = add_tensor(s, VALUE_ID, add_size(s, 1), NONE, 0);
    snprintf(s->tensor[0].name, NAME_BYTES, "ids");
    begin_region(s, 1, false);
    struct op *op = add_op(s, OP_EMBED, VALUE_F32, hidden, 1);
    reads(op, s->input[0]);
    op->weight = s->weights++;
    op->format = ONE_OF(0, 8, 4, 16);
    op->extra_rows = vocab; // the size class of the vocabulary
    int x = op->out[0];
    if (chance(60)) {
        op = add_op(s, OP_POSITION, VALUE_F32, hidden, 0.5f);
        op->weight = s->weights++;
        add_binary(s, x, op->out[0], false);
    }
}

static void make_inputs(struct spec *s) {
    int count = ONE_OF(1, 1, 2, 3);
    bool arrays = chance(35);
    if (arrays) {
        struct size_class array = {.rank = ONE_OF(2, 2, 3), .extent = {between(1, 5), between(1, 9), between(1, 4)}};
        if (array.rank == 2) array.extent[1] = between(1, 16), array.extent[2] = 0;
        s->size[s->sizes++] = array;
    }
    int array = s->sizes - 1;
    for (int i = 0; i < count + arrays; i++) { // the first is a vector, so that there is always one to pick
        s->input[s->inputs++] = add_tensor(s, VALUE_F32, arrays && i > 0 ? array : random_size(s), NONE, 1.2f);
        snprintf(s->tensor[s->tensors - 1].name, NAME_BYTES, "x%d", i);
    }
}

static int random_head(int lanes) {
    return lanes == 1 ? 2 * between(1, 12) : lanes * between(1, lanes >= 16 ? 2 : 24 / lanes);
}

// Chooses the heads of attention and adds their size classes.
static void make_heads(struct spec *s) {
    int lanes = s->design[KEY_LANES];
    s->heads = ONE_OF(1, 1, 2, 2, 3, 4, 5);
    s->kv_heads = s->heads % 2 == 0 && chance(35) ? s->heads / 2 : chance(15) ? 1 : s->heads;
    s->head_dim = random_head(lanes);
    s->value_dim = chance(10) ? random_head(lanes) : s->head_dim;
    bool one_kind = s->heads == s->kv_heads && s->head_dim == s->value_dim; // then one size class is enough
    for (int kind = QUERY_HEADS; kind <= RESULT_HEADS; kind++)
        if (!one_kind || kind == QUERY_HEADS) s->size[add_size(s, 1)].heads = (enum heads)kind;
}

// Gives some tensors names that a careless emitter would confuse with its own names or with keywords of Verilog.
static void make_names(struct spec *s) {
    static const char *const names[] = {
        "x",        "X",      "x_fork", "x_loop",     "x_exit", "reg",      "wire",   "begin",     "module",
        "output",   "input",  "clk",    "rst",        "token",  "step",     "engine", "x_mux",     "y_demux",
        "a_into_b", "walker", "_",      "__",         "params", "fault",    "in_x",   "task",      "real",
        "event",    "table",  "signed", "token_loop", "x_acc",  "x_select", "top",    "step_fork", "edge"};
    enum { NAMES = sizeof names / sizeof *names };
    if (!chance(20)) return;
    for (int i = 0; i < NAMES; i++)
        if (chance(25)) snprintf(s->tensor[below(s->tensors)].name, NAME_BYTES, "%s", names[i]);
    for (int t = 0; t < s->tensors; t++) // makes the names unique
        for (int u = 0; u < t; u++)
            if (!strcmp(s->tensor[t].name, s->tensor[u].name)) snprintf(s->tensor[t].name, NAME_BYTES, "t%d", t);
    if (chance(50)) snprintf(s->region[0].name, NAME_BYTES, "%s", names[below(NAMES)]);
}

// Returns a size of value heads: `dim`, halved until all heads are small enough, as a multiple of the lanes.
static int at_most_dim(const struct spec *s, int dim) {
    while (s->heads * dim > 320) dim /= 2;
    int lanes = s->design[KEY_LANES];
    return dim < lanes ? lanes : dim / lanes * lanes;
}

// Chooses heads that take one or several memory beats, with a bounded number of elements in total.
static void make_role_heads(struct spec *s) {
    int lanes = s->design[KEY_LANES];
    s->heads = ONE_OF(1, 1, 2, 2, 3, 4);
    s->kv_heads = s->heads % 2 == 0 && chance(35) ? s->heads / 2 : chance(10) ? 1 : s->heads;
    do s->head_dim = ONE_OF(32, 40, 48, 64, 72, 80, 96, 128, 160, 256) / lanes * lanes;
    while (s->heads * s->head_dim > 320);
    s->value_dim = chance(15) ? at_most_dim(s, ONE_OF(16, 48, 80, 128)) : s->head_dim;
    bool one_kind = s->heads == s->kv_heads && s->head_dim == s->value_dim;
    for (int kind = QUERY_HEADS; kind <= RESULT_HEADS; kind++)
        if (!one_kind || kind == QUERY_HEADS) s->size[add_size(s, 1)].heads = (enum heads)kind;
}

// Adds inputs with the sizes of queries, keys or values, or sometimes with another size.
static void make_role_inputs(struct spec *s) {
    int size[RESULT_HEADS + 1], other = add_size(s, 8 * between(1, 8)), count = between(1, 3);
    head_sizes(s, size);
    for (int i = 0; i < count; i++) {
        int of = chance(12) ? other : size[ONE_OF(QUERY_HEADS, KEY_HEADS, KEY_HEADS, VALUE_HEADS)];
        s->input[s->inputs++] = add_tensor(s, VALUE_F32, of, NONE, 1.2f);
        snprintf(s->tensor[s->tensors - 1].name, NAME_BYTES, "x%d", i);
    }
}

// Makes a graph for the seeds from ATTENTION_ROLES to ROTARY - 1.
static void make_roles(struct spec *s) {
    int regions = ONE_OF(1, 1, 1, 2);
    s->design[KEY_CHANNELS] = ONE_OF(1, 1, 2, 2, 3, 3, 4, 5, 6, 8);
    s->design[KEY_LANES] = ONE_OF(2, 4, 8, 8);
    s->design[KEY_ON_CHIP] = 0;
    s->context = chance(70) ? between(66, 76) : between(129, 146);
    s->to_end = true;
    s->most_ops = 30;
    make_role_heads(s);
    make_role_inputs(s);
    for (int r = 0; r < regions; r++) {
        begin_region(s, chance(75) ? 1 : 2, false);
        for (int c = here(s)->repeat > 1 ? between(0, 2) : 0; c > 0; c--) add_carry(s);
        if (chance(25)) add_unit(s);
        add_roles(s);
        if (r == 0 && chance(15)) add_roles(s);
        if (chance(15)) add_unit(s);
        close_region(s);
    }
    make_outputs(s);
}

// Makes a graph for all other seeds.
static void make_graph(struct spec *s) {
    int sizes = between(1, 3), vocab = NONE;
    for (int i = 0; i < sizes; i++) add_size(s, random_length());
    s->most_ops = ONE_OF(5, 7, 9, 12, 16, 20, 30);
    if (chance(is_rotary(s) ? 50 : 20) || many_attentions(s)) make_heads(s);
    s->context = s->heads || chance(40) ? ONE_OF(9, 17, 17, 33, 66) + below(3) : 0;
    if (is_rotary(s) && s->context == 0) s->context = between(9, 40);
    s->is_lm = chance(25);
    if (s->is_lm) {
        if (s->context == 0) s->context = between(9, 80);
        vocab = add_size(s, between(2, 150));
        make_embedding(s, vocab);
    } else make_inputs(s);
    if (is_rotary(s)) {
        if (!s->is_lm) begin_region(s, 1, false);
        add_rope_tables(s);
    }
    make_regions(s);
    if (s->is_lm) make_head(s, vocab);
    else make_outputs(s);
    make_names(s);
}

static bool reads_carry(const struct spec *s, int region, int local) {
    for (int n = 0; n < s->ops; n++)
        for (int i = 0; i < s->op[n].ins; i++)
            if (s->op[n].region == region && s->op[n].in[i] == local) return true;
    return false;
}

// Returns whether the outputs depend on at least one operation and one input. Tensors that are kept without a reader do
// not count.
static bool is_whole(const struct spec *s) {
    static struct spec needed;
    bool op = false, input = false;
    needed = *s;
    for (int t = 0; t < needed.tensors; t++) needed.tensor[t].keep = false;
    for (int r = 0; r < needed.regions; r++)
        for (int c = 0; c < needed.region[r].carries; c++)
            if (!reads_carry(&needed, r, needed.region[r].carry[c].local))
                needed.region[r].carry[c].init = needed.region[r].carry[c].next;
    spec_clean(&needed);
    for (int n = 0; n < needed.ops; n++) op = op || !needed.op[n].gone;
    for (int i = 0; i < needed.inputs; i++) input = input || needed.tensor[needed.input[i]].needed;
    return op && input;
}

// Makes a spec that names a language model of the family gpt2, without a graph.
static void make_model(struct spec *s) {
    int lanes = s->design[KEY_LANES], *m = s->model;
    s->is_model = s->is_lm = true;
    m[MODEL_LAYERS] = between(1, 3);
    m[MODEL_HEADS] = ONE_OF(1, 1, 2, 3, 4, 5);
    m[MODEL_HEAD_DIM] = lanes == 1 ? 2 * between(1, 10) : lanes * between(1, lanes >= 8 ? 2 : 24 / lanes);
    m[MODEL_FFN] = between(1, 120);
    m[MODEL_VOCAB] = between(2, 150);
    m[MODEL_CONTEXT] = chance(10) ? between(1, 8) : between(9, 80);
    m[MODEL_UNTIED] = chance(40);
    m[MODEL_EPS] = chance(30) ? ONE_OF(-12, -8, -3, -1) : 0;
    m[MODEL_BOS] = chance(30) ? below(m[MODEL_VOCAB]) : NONE;
    m[MODEL_EOT] = chance(50) ? below(m[MODEL_VOCAB]) : NONE;
}

void spec_make(struct spec *s, uint64_t seed) {
    bool done = false;
    draw_from(seed * 0x2545f4914f6cdd1du);
    while (!done) {
        *s = (struct spec){.seed = seed};
        make_design(s);
        if (seed >= ATTENTION_ROLES && seed < ROTARY) make_roles(s);
        else if (chance(5)) make_model(s);
        else make_graph(s);
        done = s->is_model || is_whole(s);
    }
    s->design[KEY_ACTIVATIONS] = seed % 7 == 3 ? 10 : 8; // not drawn, so that the other choices of a seed stay
    s->design[KEY_QUERY_HEADS] = seed % 3 == 1 ? 8 : 1;
    spec_clean(s);
}

int main(int argc, char **argv) {
    static struct spec s;
    bool count = argc == 3 && !strcmp(argv[1], "--count");
    if (argc < 2 || (argv[1][0] == '-' && !count)) {
        fprintf(stderr, "usage: graph_seed SEED [STEP...]   |   graph_seed --count SEED\n");
        return 2;
    }
    spec_make(&s, strtoull(argv[count ? 2 : 1], NULL, 0));
    if (count) return printf("%d\n", spec_steps(&s)) < 0;
    static struct spec whole; // the original spec, by which steps are numbered
    whole = s;
    for (int i = 2; i < argc; i++)
        if (atoi(argv[i]) < spec_steps(&whole)) spec_step(&s, &whole, atoi(argv[i]));
    spec_clean(&s);
    spec_print(&s);
    return 0;
}
