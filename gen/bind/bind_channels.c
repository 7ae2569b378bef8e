// SPDX-License-Identifier: Apache-2.0
// Decides how many engines there are, which of them keep their weights on chip (resident engines), and which memory
// channels each of the others owns. `shared`: one engine has all channels, or none if it is resident. `spatial`: each
// product has an engine, in program order, and the channels are divided in proportion to the beats that each product
// reads in a decode step at half the context. The lanes of resident engines are divided in the same way.
#include "gen/bind/bind.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/ir/window.h"

// Returns the beats that a product reads in a decode step over all repetitions if all its data are on one channel.
// Weights are read once for each row of the operand. Keys and values of half the context are read once for each query
// head.
static int64_t decode_beats(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]], *out = &ir->tensor[node->out[0]];
    int64_t repeat = ir->region[node->region].repeat, positions = layout_div_up(ir->design.context, 2);
    if (ir_op_is(ir, node->op, OP_BY_WEIGHTS))
        return repeat *
               layout_matrix(&ir->design, 1, ir_attr_int(&node->attrs, "rows", 0), ir_vector_length(ir, node),
                             layout_format(node))
                   .stream_beats *
               (ir_tensor_elements(in) / ir_vector_length(ir, node));
    const struct ir_tensor *kv = &ir->tensor[node->in[1]];
    struct layout_kv l = layout_kv(&ir->design, 1, kv->shape[0].bound, kv->shape[1].bound);
    bool keys = ir_op_is(ir, node->op, OP_BY_KEYS);
    int64_t heads = out->shape[0].bound, beats = 0;
    int over = window_node(ir, keys ? node->out[0] : node->in[0]);
    for (int64_t r = 0; r < repeat; r++) {
        int64_t window = window_length(ir, over, r), read = window < positions ? window : positions;
        beats += heads * (keys ? read * l.k_units : l.v_rows * layout_div_up(read, LAYOUT_V_BLOCK) * l.v_block_beats);
    }
    return beats;
}

// How channels are divided among the engines that are not resident, and lanes among the resident engines.
struct division {
    // alike: number of engines that compute attn_scores. These must have equal numbers of channels, because the step
    // word has one count of row-steps of keys for all of them.
    int engines, alike;
    int64_t *beats;          // beats that each engine reads, all its lanes together
    bool *is_scores, *stays; // is_scores: the engine computes attn_scores; stays: the engine is resident
    int *share;              // lanes of each engine
};

// Returns how many engines are resident (`stay`), or how many are not.
static int count_of(const struct division *d, bool stay) {
    int count = 0;
    for (int e = 0; e < d->engines; e++) count += d->stays[e] == stay;
    return count;
}

// Divides lanes among the engines that are resident (`stay`), or channels among the others. Each engine gets one. Each
// further lane goes to the engine with the most beats per lane, so that the largest load of a lane is as small as
// possible. No engine gets more than IR_MAX_LANES. If the engine with the most beats per lane computes attn_scores, all
// engines that compute attn_scores get one more channel. If too few channels are left for that, these engines get no
// more.
static void divide(struct division *d, bool stay, int lanes) {
    for (int e = 0; e < d->engines; e++)
        if (d->stays[e] == stay) d->share[e] = 1;
    for (int left = lanes - count_of(d, stay); left > 0;) {
        int most = IR_NONE;
        for (int e = 0; e < d->engines; e++) {
            if (d->stays[e] != stay || d->share[e] == IR_MAX_LANES || (d->is_scores[e] && d->alike > left)) continue;
            if (most == IR_NONE || d->beats[e] * d->share[most] > d->beats[most] * d->share[e]) most = e;
        }
        if (most == IR_NONE) return;
        for (int e = 0; e < d->engines; e++)
            if (e == most || (d->is_scores[most] && d->is_scores[e])) {
                d->share[e]++;
                left--;
            }
    }
}

// ---- engines whose weights stay on chip ----

enum {
    ON_CHIP_PART = 4,       // `auto` uses at most 1 / ON_CHIP_PART of the board's memory blocks
    ON_CHIP_BEATS = 3 << 14 // `auto` keeps at most this many beats, because one read of memory loads all of them
};

// Returns the bits that the memory blocks of the board can store.
static int64_t block_bits(const struct ir_design *d) {
    enum { BRAM36_BITS = 36 << 10, URAM_BITS = 288 << 10 };
    return d->budget_bram36 * BRAM36_BITS + d->budget_uram * URAM_BITS;
}

// Returns the beats of the weights that an engine stores: those of a product in all repetitions, or with node IR_NONE
// those of all products.
static int64_t weight_beats(const struct ir *ir, int node) {
    int64_t beats = 0;
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_BY_WEIGHTS) && (node == IR_NONE || node == n))
            beats += ir->region[ir->node[n].region].repeat *
                     layout_matrix(&ir->design, 1, ir_attr_int(&ir->node[n].attrs, "rows", 0),
                                   ir_vector_length(ir, &ir->node[n]), layout_format(&ir->node[n]))
                         .stream_beats;
    return beats;
}

// Returns the node if it is a product of attention, or with node IR_NONE the first such product of the design. These
// products read a cache, so they cannot be on a resident engine. Returns IR_NONE if there is none.
static int cached_product(const struct ir *ir, int node) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_PRODUCT) && !ir_node_is(ir, n, OP_BY_WEIGHTS) && (node == IR_NONE || node == n))
            return n;
    return IR_NONE;
}

// Returns whether the weights of a product (IR_NONE: of all products, on one engine) stay on chip. left: beats for
// which `auto` still has room. It is reduced by the beats of a product that stays.
static bool stays_on_chip(const struct ir *ir, int node, int64_t *left) {
    if (ir->design.resident == SPEC_RESIDENT_NONE || cached_product(ir, node) != IR_NONE) return false;
    if (ir->design.resident == SPEC_RESIDENT_ALL) return true;
    if (weight_beats(ir, node) > *left) return false;
    *left -= weight_beats(ir, node);
    return true;
}

// Returns the lanes that all resident engines have together: as many as there are channels, if the spec does not say.
static int resident_lanes(const struct ir_design *d) { return d->resident_lanes ? d->resident_lanes : d->channels; }

// Checks that the only engine of a design can be resident, if the spec says `resident: all`.
static bool check_cached(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    int cached = ir->design.resident == SPEC_RESIDENT_ALL ? cached_product(ir, IR_NONE) : IR_NONE;
    if (cached == IR_NONE) return true;
    diag_error(diag, spec ? spec_place(spec, "design.resident") : loc_none(), MSG_RESIDENT_CACHE,
               ir_op_of(ir, ir->node[cached].op)->name, ir->node[cached].name);
    return false;
}

// Checks that every resident engine gets a lane.
static bool check_lanes(const struct ir *ir, int resident, const struct rill_spec *spec, struct diag *diag) {
    int lanes = ir->design.resident_lanes;
    if (lanes == 0 || lanes >= resident) return true;
    struct loc loc = spec ? spec_place(spec, "design.resident_lanes") : loc_none();
    diag_error(diag, loc, MSG_RESIDENT_LANES, lanes, resident);
    diag_note(diag, loc, "the nearest legal value is %d", resident);
    return false;
}

// Checks that every engine that is not resident gets a channel. products: number of these engines.
static bool check_channels(const struct ir *ir, int products, const struct rill_spec *spec, struct diag *diag) {
    if (products <= ir->design.channels) return true;
    int limit = spec && spec->device && spec->device->hbm.channels < SPEC_MAX_CHANNELS ? spec->device->hbm.channels
                                                                                       : SPEC_MAX_CHANNELS;
    bool possible = products <= limit;
    struct loc loc = spec ? spec_place(spec, possible ? "design.channels" : "design.binding") : loc_none();
    diag_error(diag, loc, MSG_SPATIAL_CHANNELS, products, ir->design.channels);
    if (possible) diag_note(diag, loc, "the nearest legal value of `channels` is %d", products);
    else diag_note(diag, loc, "there are at most %d channels; the nearest legal value is shared", limit);
    return false;
}

// Adds the engine of one product, or the engine of all products, with its lanes. An engine that is not resident owns a
// channel for each lane. These channels begin at *channel, and *channel becomes the channel after them.
static void add_engine(struct ir *ir, const char *name, bool stays, int lanes, int *channel) {
    if (stays) {
        ir_add_resident(ir, name, *channel, lanes);
        return;
    }
    ir_add_engine(ir, name, *channel, lanes);
    *channel += lanes;
}

// Returns what divide needs to know of each product, in program order. room: beats that `auto` may keep on chip. `auto`
// takes the smallest products first.
static struct division describe(const struct ir *ir, int products, int64_t room) {
    struct division d = {.engines = products};
    int *node = ARENA_ARRAY(ir->arena, int, (size_t)products);
    d.beats = ARENA_ARRAY(ir->arena, int64_t, (size_t)products);
    d.is_scores = ARENA_ARRAY(ir->arena, bool, (size_t)products);
    d.stays = ARENA_ARRAY(ir->arena, bool, (size_t)products);
    d.share = ARENA_ARRAY(ir->arena, int, (size_t)products);
    for (int n = 0, e = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_PRODUCT)) continue;
        d.is_scores[e] = ir_node_is(ir, n, OP_BY_KEYS);
        d.alike += d.is_scores[e];
        d.beats[e] = decode_beats(ir, &ir->node[n]);
        node[e++] = n;
    }
    for (int tried = 0; tried < products; tried++) {
        int least = IR_NONE;
        for (int e = 0; e < products; e++)
            if (node[e] != IR_NONE && (least == IR_NONE || weight_beats(ir, node[e]) < weight_beats(ir, node[least])))
                least = e;
        d.stays[least] = stays_on_chip(ir, node[least], &room);
        node[least] = IR_NONE;
    }
    return d;
}

bool bind_channels(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    int products = 0, first = 0;
    int64_t room = at_most(block_bits(&ir->design) / ON_CHIP_PART / ir->design.beat_bits, ON_CHIP_BEATS);
    for (int n = 0; n < ir->nodes; n++) products += ir_node_is(ir, n, OP_PRODUCT);
    bool spatial = products > 1 && ir->design.binding == SPEC_SPATIAL;
    if (!spatial) {
        if (!check_cached(ir, spec, diag)) return false;
        bool stays = products && stays_on_chip(ir, IR_NONE, &room);
        int lanes = stays ? (int)at_most(resident_lanes(&ir->design), IR_MAX_LANES) : ir->design.channels;
        if (products) add_engine(ir, "engine", stays, lanes, &first);
        return true;
    }
    struct division d = describe(ir, products, room);
    if (!check_channels(ir, count_of(&d, false), spec, diag) || !check_lanes(ir, count_of(&d, true), spec, diag))
        return false;
    divide(&d, false, ir->design.channels);
    divide(&d, true, (int)at_least(resident_lanes(&ir->design), count_of(&d, true)));
    for (int n = 0, e = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_PRODUCT)) continue;
        add_engine(ir, ir->node[n].name, d.stays[e], d.share[e], &first);
        e++;
    }
    return true;
}
