// SPDX-License-Identifier: Apache-2.0
// Makes the list of firings, in the order in which products fire on their engines. It is program order, except that
// attention alternates: the scores of head h + n fire before the values of head h, so on a shared engine the softmax of
// one head runs in parallel to the products of other heads. For the same reason, the product with weights that makes V
// fires after the scores of the first n heads if the scores do not need it.

#include "gen/bind/bind.h"
#include "gen/ir/fields.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/latency.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/kernel/ports.h"
#include "gen/ir/schedule.h"

struct order {
    struct ir *ir;
    struct diag *diag;
    bool ok;
};

static const struct ir_tensor *in_tensor(const struct ir *ir, int node, int i) {
    return &ir->tensor[ir->node[node].in[i]];
}

static int channels_of(const struct ir *ir, int node) { return ir->engine[bind_product_engine(ir, node)].lanes; }

enum {
    MAX_K = 32768, // the sum of an int8 block stays below 2^31 (docs/numerics.md section 5)
    MAX_ROW_STEPS = FIELD_MOST(ENGINE_ROWS),
    MAX_FIRINGS = SECTION_MOST,                 // firings of a region on one engine
    MAX_GROUPS = FIELD_MOST(ENGINE_GROUPS) + 1, // the field has 0 for this number
    MAX_BEATS = FIELD_MOST(SEGMENT_BEATS)       // beats of a matrix on one channel
};

// Returns whether the fields of the engine's schedule can hold the sizes of a product whose operand has `rows` rows.
// Reports an error if not.
static bool size_fits(const struct order *o, const struct ir_node *node, const struct layout_matrix *m, int64_t rows,
                      int channels) {
    const char *op = ir_op_of(o->ir, node->op)->name;
    if (m->k > MAX_K) {
        diag_error(o->diag, node->loc, MSG_ROW_ELEMENTS, op, node->name, (long long)m->k, MAX_K);
    } else if (m->row_steps > MAX_ROW_STEPS) {
        diag_error(o->diag, node->loc, MSG_ROW_STEPS, op, node->name, (long long)m->rows, channels,
                   channels == 1 ? "" : "s", MAX_ROW_STEPS);
        diag_note(o->diag, node->loc, "%lld channels take them", (long long)layout_div_up(m->rows, MAX_ROW_STEPS));
    } else if (m->format == SPEC_INT4 && m->groups > MAX_GROUPS) {
        diag_error(o->diag, node->loc, MSG_ROW_GROUPS, op, node->name, (long long)m->groups, MAX_GROUPS);
    } else if (m->stream_beats > MAX_BEATS) {
        diag_error(o->diag, node->loc, MSG_WEIGHT_BEATS, op, node->name, (long long)m->stream_beats, channels,
                   channels == 1 ? "" : "s", MAX_BEATS + 1);
        diag_note(o->diag, node->loc, "%lld channels take them",
                  (long long)layout_div_up(m->stream_beats * channels, MAX_BEATS) + 1);
    } else if (rows > MAX_FIRINGS) {
        diag_error(o->diag, node->loc, MSG_OPERAND_ROWS, op, node->name, (long long)rows, MAX_FIRINGS);
        diag_note(o->diag, node->loc,
                  "`reshape` can make fewer and longer ones; rows that go through the design one by one are positions");
    } else {
        return true;
    }
    return false;
}

// Adds the firings for the rows of an operand, made from f. In a step of one token, a group of `together` rows takes
// the places of tokens in one firing; the last group may have fewer rows. Steps of several tokens have a firing for
// each row. The list therefore has a firing for each row, and steps of one token skip all but the last of each group,
// because the last entry of a section must not be skipped. With T: 1 no step has several tokens, so the list has one
// firing for each group.
static void fire_rows(struct order *o, struct ir_firing f, int64_t rows, int64_t together) {
    for (int64_t row = 0; row < rows; row++) {
        int64_t in_group = row % together + 1;
        bool leads = in_group == together || row == rows - 1;
        f.head = (int)(o->ir->design.tokens == 1 ? row / together : row);
        f.heads = leads && in_group > 1 ? in_group : 0;
        f.many = !leads;
        if (leads || o->ir->design.tokens > 1) ir_add_firing(o->ir, f); // every firing reads the weights again
    }
}

// Adds the firings of a product with weights. If the previous firing has the same operand, the operand stays in its
// bank.
static void fire_matmul(struct order *o, int n) {
    struct ir *ir = o->ir;
    const struct ir_node *node = &ir->node[n];
    const struct ir_tensor *x = in_tensor(ir, n, 0);
    enum spec_format format = layout_format(node);
    int64_t k = ir_vector_length(ir, node), rows = ir_tensor_elements(x) / k;
    struct layout_matrix m =
        layout_matrix(&ir->design, channels_of(ir, n), ir_attr_int(&node->attrs, "rows", 0), k, format);
    if (!size_fits(o, node, &m, rows, channels_of(ir, n))) {
        o->ok = false;
        return;
    }
    struct ir_firing f = {.engine = bind_product_engine(ir, n),
                          .node = n,
                          .region = node->region,
                          .mode = format == SPEC_INT8 ? ENGINE_MODE_INT8 : ENGINE_MODE_INT4,
                          .x_take = true,
                          .x_free = true,
                          .row_steps = m.row_steps,
                          .beats = m.beats,
                          .last_rows = m.last_rows,
                          .groups = m.groups};
    struct ir_firing *last = ir->firings ? &ir->firing[ir->firings - 1] : NULL;
    bool one = rows == 1 && last && ir_vector_length(ir, &ir->node[last->node]) == k;
    if (one && last->engine == f.engine && last->mode <= ENGINE_MODE_INT4 && last->region == f.region &&
        ir->node[last->node].in[0] == node->in[0]) {
        last->x_free = false; // the same operand stays in its bank
        f.x_take = false;
    }
    // With `outer`, the row-steps of the first chunk advance together, one beat at a time, so the firing can begin with
    // the operand's first block (docs/engine.md, K outermost). If the rows need several firings, most operands arrive
    // while the previous firing runs, so this would gain nothing.
    int64_t together = bind_rows_together(ir, n);
    f.outer = f.x_take && m.beats > 1 && (together == 1 || rows <= together);
    fire_rows(o, f, rows, together);
}

// Returns the number of query heads that read one key and value head.
static int head_group(const struct ir *ir, int n) {
    return (int)(ir->tensor[ir->node[n].out[0]].shape[0].bound / in_tensor(ir, n, 1)->shape[0].bound);
}

// Returns the next product after n in the same region, or IR_NONE.
static int next_product(const struct ir *ir, int n) {
    const struct ir_region *region = &ir->region[ir->node[n].region];
    for (int i = n + 1; i < region->first_node + region->nodes; i++)
        if (ir_node_is(ir, i, OP_PRODUCT)) return i;
    return IR_NONE;
}

// Returns the number of query heads of a product of attention.
static int head_count(const struct ir *ir, int n) { return (int)ir->tensor[ir->node[n].out[0]].shape[0].bound; }

// Sets how a firing of attention takes part in steps of one token. In such a step, query heads that are computed
// together have one firing, which is that of the first of these heads (`first`) or of the last one.
static void set_together(struct ir_firing *f, int together, bool first) {
    bool leads = f->head % together == (first ? 0 : together - 1);
    f->many = !leads;
    f->heads = leads && together > 1 ? together : 0;
}

// Returns whether heads whose scores fire together do so in the place of the first head. This is necessary if the
// scores fire ahead of the values on the same engine: only then the scores of the next heads fire before the values of
// these heads. Otherwise they fire in the place of the last head.
static bool scores_go_first(const struct ir *ir, int scores) {
    int next = next_product(ir, scores);
    return next != IR_NONE && ir_node_is(ir, next, OP_BY_VALUES) &&
           bind_product_engine(ir, next) == bind_product_engine(ir, scores);
}

// Adds the firing of scores of a query head. Its number of row-steps comes from the step word, because it grows with
// the position.
static void fire_scores(struct order *o, int n, int head) {
    const struct ir_tensor *keys = in_tensor(o->ir, n, 1);
    struct layout_kv kv = layout_kv(&o->ir->design, channels_of(o->ir, n), keys->shape[0].bound, keys->shape[1].bound);
    struct ir_firing f = {.engine = bind_product_engine(o->ir, n),
                          .node = n,
                          .region = o->ir->node[n].region,
                          .head = head,
                          .kv_head = head / head_group(o->ir, n),
                          .mode = ENGINE_MODE_SCORES,
                          .x_take = true,
                          .x_free = true,
                          .row_steps = 0,
                          .beats = kv.k_units,
                          .last_rows = 1};
    set_together(&f, kv_together(o->ir, n), scores_go_first(o->ir, n));
    ir_add_firing(o->ir, f);
}

// Adds the firing of values of a query head.
static void fire_values(struct order *o, int n, int head) {
    int64_t head_dim = in_tensor(o->ir, n, 1)->shape[1].bound;
    int channels = channels_of(o->ir, n), group = head_group(o->ir, n), kv_head = head / group;
    struct layout_kv kv = layout_kv(&o->ir->design, channels, 1, head_dim),
                     cached = layout_kv(&o->ir->design, channels, 1, kv_cache_of(o->ir, n).head_dim);
    struct ir_firing f = {.engine = bind_product_engine(o->ir, n),
                          .node = n,
                          .region = o->ir->node[n].region,
                          .head = head,
                          .kv_head = kv_head,
                          .kv_keep = head % group < group - 1,
                          .mode = ENGINE_MODE_VALUES,
                          .x_take = true,
                          .x_free = true,
                          .row_steps = kv.v_rows,
                          .beats = kv.v_block_beats,
                          .last_rows = head_dim - (kv.v_rows - 1) * channels,
                          .tail_base = kv_head * cached.v_rows};
    set_together(&f, kv_together(o->ir, kv_scores_of(o->ir, n)), false);
    ir_add_firing(o->ir, f);
}

// Returns the number n of heads whose scores fire before the first values. The products of n heads must take as long as
// softmax and quantization of one head, at a position in the middle of the context. At lower positions the engine waits
// a little at the last heads.
static int heads_ahead(const struct ir *ir, int scores, int heads) {
    const struct ir_tensor *keys = in_tensor(ir, scores, 1);
    int channels = channels_of(ir, scores);
    struct layout_kv kv = layout_kv(&ir->design, channels, keys->shape[0].bound, keys->shape[1].bound);
    int64_t positions = layout_div_up(ir->design.context, 2), blocks = positions / LAYOUT_V_BLOCK + 1;
    int64_t cycles = (positions / channels + 1) * kv.k_units + kv.v_rows * blocks * kv.v_block_beats;
    int64_t ahead = layout_div_up(CYCLES_HEAD_WEIGHTS + 2 * layout_div_up(positions, ir->design.lanes), cycles);
    return ahead < heads ? (int)ahead : heads;
}

// Fires all heads of an attention. `between`: a product that fires after the scores of the first n heads, or IR_NONE.
static void fire_attention(struct order *o, int scores, int values, int between) {
    int heads = head_count(o->ir, scores), ahead = heads_ahead(o->ir, scores, heads);
    for (int h = 0; h < heads + ahead; h++) {
        if (h == ahead && between != IR_NONE) fire_matmul(o, between);
        if (h < heads) fire_scores(o, scores, h);
        if (h >= ahead) fire_values(o, values, h - ahead);
    }
}

// Returns whether `node` depends on the result of `other`. Producers precede their readers in the list.
static bool needs(const struct ir *ir, int node, int other) {
    bool *on_way = arena_alloc(ir->arena, (size_t)(node - other + 1), sizeof *on_way);
    on_way[0] = true;
    for (int n = other + 1; n <= node; n++)
        for (int i = 0; i < ir->node[n].inputs; i++) {
            int maker = ir->tensor[ir->node[n].in[i]].producer;
            if (maker >= other && maker < n && on_way[maker - other]) on_way[n - other] = true;
        }
    return on_way[node - other];
}

// Returns whether the firing is a product with weights of this region that takes long enough to hide the time in which
// queries and keys become operands of the scores.
static bool is_long(const struct ir_firing *f, int region) {
    return f->region == region && f->mode <= ENGINE_MODE_INT4 && f->row_steps * f->beats >= CYCLES_HEAD_OPERAND;
}

// Returns whether the product n with weights, the last one before the scores, fires between the scores and their
// values, where the engine would otherwise wait for softmax. The values must need it, and the scores must not. All
// three must be on one engine. The previous product must be long, or the engine would wait for the operands of the
// scores. With `on_chip_kib`, groups of operations run one after another, which this order would mix. With slots, the
// firings of attention are repeated for each part of a step, so nothing may fire between them.
static bool fires_between(const struct ir *ir, int n) {
    int scores = next_product(ir, n), values = scores == IR_NONE ? IR_NONE : next_product(ir, scores);
    if (values == IR_NONE || !ir_node_is(ir, scores, OP_BY_KEYS) || !ir_node_is(ir, values, OP_BY_VALUES)) return false;
    int engine = bind_product_engine(ir, n);
    bool one_engine = engine == bind_product_engine(ir, scores) && engine == bind_product_engine(ir, values);
    return one_engine && ir->design.on_chip_kib == 0 && ir->design.slots == 0 && ir->firings > 0 &&
           is_long(&ir->firing[ir->firings - 1], ir->node[n].region) && !needs(ir, scores, n) && needs(ir, values, n);
}

// Checks the number of firings of a region on one engine, because they form one section of the engine's schedule.
static bool check_count(struct order *o) {
    const struct ir *ir = o->ir;
    for (int r = 0; r < ir->regions; r++)
        for (int e = 0; e < ir->engines; e++) {
            int64_t count = 0;
            for (int f = 0; f < ir->firings; f++) count += ir->firing[f].region == r && ir->firing[f].engine == e;
            if (count <= MAX_FIRINGS) continue;
            diag_error(o->diag, ir->region[r].loc, MSG_ENGINE_ROWS, ir->region[r].name, (long long)count, MAX_FIRINGS);
            diag_note(
                o->diag, ir->region[r].loc,
                "divide the region into several, or use `binding: spatial`: each region has a table for each engine");
            return false;
        }
    return true;
}

bool bind_order_firings(struct ir *ir, struct diag *diag) {
    struct order o = {ir, diag, true};
    int between = IR_NONE;
    for (int n = 0; n < ir->nodes; n++) {
        int op = ir->node[n].op;
        int heads = ir_op_is(ir, op, OP_BY_KEYS) || ir_op_is(ir, op, OP_BY_VALUES) ? head_count(ir, n) : 0;
        if (ir_op_is(ir, op, OP_BY_WEIGHTS) && fires_between(ir, n)) between = n;
        else if (ir_op_is(ir, op, OP_BY_WEIGHTS)) fire_matmul(&o, n);
        if (ir_op_is(ir, op, OP_BY_KEYS)) {
            int next = next_product(ir, n);
            if (next != IR_NONE && ir_node_is(ir, next, OP_BY_VALUES)) {
                fire_attention(&o, n, next, between);
                between = IR_NONE;
                n = next;
            } else
                for (int h = 0; h < heads; h++) fire_scores(&o, n, h);
        } else if (ir_op_is(ir, op, OP_BY_VALUES))
            for (int h = 0; h < heads; h++) fire_values(&o, n, h);
    }
    return o.ok && check_count(&o);
}
