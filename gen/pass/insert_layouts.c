// SPDX-License-Identifier: Apache-2.0
// insert-layouts: if the two ends of an edge walk a tensor differently, this pass inserts a chain of kernels that
// converts one walk into the other. A rill_layout_converter reorders words; its ping-pong buffer stores only the part
// of the tensor inside the loops that both walks share. A rill_corner_turn does this with words of several elements,
// where that is possible. A rill_width_converter makes words wider or narrower, a rill_frame divides the tensor into
// other firings, a rill_line_buffer makes patches, and a rill_row_block collects rows. Ends with equal walks, words and
// firings need no kernel (docs/passes.md).
#include <string.h>

#include "gen/kernel/kernel.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

// The stream at the current point of the chain between the two ends of an edge.
struct stream {
    int kernel, port;      // kernel and port that write the stream
    int64_t width, pieces; // elements of a word; firings of a tensor
    bool padded;           // every firing ends with a partly filled word
};

struct link { // an edge and the chain that replaces it
    struct ir *ir;
    struct diag *diag;
    int edge;                // becomes the first edge of the chain
    bool first;              // no kernel of the chain is inserted yet
    struct ir_edge old;      // the edge before the change
    struct ir_port from, to; // its two ends
    int64_t elements;        // elements per token at the current point of the chain
    int made;                // kernels inserted so far
    struct stream at;
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// ---- walks without tokens ----

// Removes the loop over tokens from a type, if it is the innermost loop. It is so on both sides, so it need not be
// converted.
static struct ir_itensor without_tokens(const struct ir_itensor *type) {
    struct ir_itensor t = *type;
    if (t.map[0] != t.loops - 1) return t;
    t.loops--;
    t.map[0] = IR_NONE;
    return t;
}

// Returns the tensor that an output port of this kernel names, or else the first one that is named downstream, through
// kernels that only pass it on. Returns IR_NONE if none is named. depth: most kernels that the search passes, including
// this one.
static int tensor_behind(const struct ir *ir, int kernel, int depth) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    for (int p = 0; depth > 0 && p < k->ports; p++) {
        if (!k->port[p].is_output || k->port[p].edge == IR_NONE || !ports_is_vector(&k->port[p])) continue;
        if (k->port[p].tensor != IR_NONE) return k->port[p].tensor;
        const struct ir_edge *e = &ir->edge[k->port[p].edge];
        int tensor = ir->kernel[e->dst_kernel].port[e->dst_port].tensor;
        if (tensor == IR_NONE) tensor = tensor_behind(ir, e->dst_kernel, depth - 1);
        if (tensor != IR_NONE) return tensor;
    }
    return IR_NONE;
}

// Finds the extents of the tensor in the dimensions of the port's type. The extent of dimension 0, the tokens, is 1.
// The others are those of the tensor's shape if it has one dimension less than the type. A type of rank 2 has all
// elements of the tensor as one row. Heads, which are sent row by row, and unknown tensors have the extents of the
// type.
static void find_extents(const struct link *l, const struct ir_port *port, int64_t extent[]) {
    enum { MOST_STEERING = 6 }; // most forks and multiplexers that the search for the tensor passes
    int named = l->from.tensor != IR_NONE ? l->from.tensor : l->to.tensor;
    if (named == IR_NONE) named = tensor_behind(l->ir, l->old.dst_kernel, MOST_STEERING);
    const struct ir_tensor *t = named == IR_NONE ? NULL : &l->ir->tensor[named];
    extent[0] = 1;
    for (int d = 1; d < port->type.rank; d++)
        extent[d] =
            t && !t->heads && t->rank == port->type.rank - 1 ? t->shape[d - 1].bound : itensor_extent(&port->type, d);
    if (port->type.rank == 2 && t && !t->heads) extent[1] = ir_tensor_elements(t);
}

// Finds the walk of a port's type, without tokens. Returns false if the type has no walk (itensor_walk).
static bool find_walk(const struct link *l, const struct ir_port *port, struct itensor_walk *walk) {
    int64_t extent[IR_MAX_RANK];
    struct ir_itensor type = without_tokens(&port->type);
    find_extents(l, port, extent);
    int inner = type.rank - 1;
    if (port->pieces > 1 &&
        // Rows padded to words: use the walk of the unpadded rows.
        itensor_extent(&type, inner) != extent[inner]) {
        type.element[inner] = 1;
        type.trip[type.map[inner]].bound = extent[inner];
        type.step[type.map[inner]] = 1;
    }
    return itensor_walk(&type, extent, walk);
}

// ---- the chain ----

// Appends a kernel to the chain. The kernel reads the stream at the current point, and sends words of `width` elements
// in `pieces` firings. what: end of the kernel's name. like: port from which the new ports take kind and side signals.
static void append(struct link *l, const char *what, const struct kernel_class *class, int64_t width, int64_t pieces,
                   const struct ir_port *like) {
    struct ir *ir = l->ir;
    const char *writer = ir_end_name(ir, l->old.src_kernel, l->old.src_port);
    int k = kernel_add(ir, arena_printf(ir->arena, "%s_%s", writer, what), class, IR_NONE);
    int element = ports_element_bits(l->from.type.dtype);
    int64_t bits[2] = {l->at.width * element, width * element};
    for (int out = 0; out < 2; out++) {
        int p = ports_add_like(ir, k, "", out == 1, like);
        struct ir_port *port = &ir->kernel[k].port[p];
        port->data_bits = bits[out];
        port->region = l->from.region;
        port->pieces = out ? pieces : l->at.pieces;
        struct ir_tensor any = {.dtype = l->from.type.dtype, .rank = 1, .shape = {{l->elements, IR_STATIC}}};
        port->type =
            // Inside the chain, the type is a plain sequence of words: the order is that of the walk.
            ports_vector_type(ir, &any, out ? width : l->at.width);
    }
    if (l->first) {
        ir->edge[l->edge].dst_kernel = k;
        ir->edge[l->edge].dst_port = 0;
        ir_name_edge(ir, l->edge);
        ir->kernel[k].port[0].edge = l->edge;
        ir->kernel[k].port[0].type = l->from.type;
        ir->kernel[k].port[0].pieces = l->from.pieces;
    } else ir_connect(ir, l->at.kernel, l->at.port, k, 0);
    l->first = false;
    l->at.kernel = k;
    l->at.port = 1;
    l->at.width = width;
    l->at.pieces = pieces;
    l->made++;
}

// Appends a width converter, unless the words have this width already and none is partly filled.
static void add_width(struct link *l, int64_t width) {
    int64_t row = l->elements / l->at.pieces, in = l->at.width, rest = row % in;
    if (in == width && !(l->at.padded && rest)) return;
    struct ir *ir = l->ir;
    append(l, arena_printf(ir->arena, "x%lld", (long long)width), &rtl_width_converter, width, l->at.pieces, &l->from);
    int k = l->at.kernel;
    ir_set_int(ir, k, "IN_ELEMS", in);
    ir_set_int(ir, k, "OUT_ELEMS", width);
    ir_set_int(ir, k, "ELEM_W", ports_element_bits(l->from.type.dtype));
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "DENSE", 1);
    ir_set_int(ir, k, "LAST_ELEMS", (rest ? rest : in));
    ir_set_int(ir, k, "LAST_WORDS", div_up(row, in));
    int bits = u64_clog2((uint64_t)in + 1);
    ir_add_zero(ir, k, "s_axis_tcount", bits);
    l->at.padded = row % width != 0;
}

// Appends a kernel that divides the tensor into other firings, unless it has `pieces` firings already.
static void add_frame(struct link *l, int64_t pieces) {
    if (l->at.pieces == pieces) return;
    append(l, "frame", &rtl_frame, l->at.width, pieces, &l->from);
    ir_set_int(l->ir, l->at.kernel, "DATA_W", (l->at.width * ports_element_bits(l->from.type.dtype)));
    ir_set_int(l->ir, l->at.kernel, "TOKENS", l->ir->design.tokens);
    ir_set_int(l->ir, l->at.kernel, "WORDS", (l->elements / pieces / l->at.width));
}

// Returns a constant with one number per loop. value[0], of the outermost loop, is in the low bits.
static struct ir_value loop_list(struct ir *ir, const int64_t *value, int loops) {
    struct ir_word *word = ARENA_ARRAY(ir->arena, struct ir_word, (size_t)loops + 1);
    for (int l = 0; l < loops; l++)
        word[loops - 1 - l] = (struct ir_word){.bits = 32, .radix = IR_DECIMAL, .value = (uint64_t)value[l]};
    return ir_value_list(ir->arena, word, loops);
}

static int64_t product(const int64_t *value, int count) {
    int64_t all = 1;
    for (int i = 0; i < count; i++) all *= value[i];
    return all;
}

// Sets the number of elements per token from here on. A converter to a walk that reads data again sends more elements
// than it receives.
static void set_elements(struct link *l, int64_t elements) {
    struct ir_port *port = &l->ir->kernel[l->at.kernel].port[l->at.port];
    struct ir_tensor any = {.dtype = l->from.type.dtype, .rank = 1, .shape = {{elements, IR_STATIC}}};
    l->elements = elements;
    port->type = ports_vector_type(l->ir, &any, l->at.width);
}

// Appends a layout converter, or a corner turn if `corner` is not NULL. A stream word of a corner turn has
// corner->lanes words of the layout; a stream word of the layout converter has one.
static void add_layout(struct link *l, const struct itensor_layout *layout, const struct itensor_corner *corner) {
    struct ir *ir = l->ir;
    append(l, "layout", corner ? &rtl_corner_turn : &rtl_layout_converter, layout->width * (corner ? corner->lanes : 1),
           1, &l->from);
    int k = l->at.kernel;
    ir_set_int(ir, k, "DATA_W", (layout->width * ports_element_bits(l->from.type.dtype)));
    if (corner) ir_set_int(ir, k, "LANES", corner->lanes);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "BUFFER", layout->buffer);
    ir_set_int(ir, k, "ROUNDS", layout->rounds);
    ir_set_int(ir, k, "LOOPS", layout->loops);
    ir_set_param(ir, k, "TRIPS", loop_list(ir, layout->trip, layout->loops));
    ir_set_param(ir, k, "STRIDES", loop_list(ir, layout->stride, layout->loops));
    if (corner && corner->period) {
        ir_set_int(ir, k, "PERIOD", corner->period);
        ir_set_int(ir, k, "SKEW", corner->skew);
    }
    l->at.padded = false;
    set_elements(l, layout->width * layout->rounds * product(layout->trip, layout->loops));
}

// Sets the parameters of a line buffer for one axis. suffix: `Y` for rows or `X` for pixels.
static void set_axis(struct ir *ir, int k, const char *suffix, const struct itensor_line_axis *axis) {
    const struct {
        const char *name;
        int64_t value;
    } set[] = {{"PLACES", axis->places},
               {"STRIDE", axis->stride},
               {"TAPS", axis->taps},
               {"DILATION", axis->dilation},
               {"BEFORE", axis->before}};
    for (size_t i = 0; i < COUNT_OF(set); i++)
        ir_set_int(ir, k, arena_printf(ir->arena, "%s_%s", set[i].name, suffix), set[i].value);
}

// Returns a word of pad elements, which a line buffer sends for the parts of patches outside the tensor. bits: value of
// an element.
static struct ir_value pad_word(struct ir *ir, uint32_t bits, int64_t elements) {
    struct ir_word *word = ARENA_ARRAY(ir->arena, struct ir_word, (size_t)elements);
    for (int64_t i = 0; i < elements; i++) word[i] = (struct ir_word){.bits = 32, .radix = IR_HEX, .value = bits};
    return ir_value_list(ir->arena, word, (int)elements);
}

// Words that a line buffer can store in addition to those that patches need, so that its writer need not wait. In
// rill_line_buffer, 4 cycles pass from the last read of a patch until the word that takes a freed place can be read:
// a cycle each for the registers of the patch's position, for oldest_q, for open_q, and for the write. At the first
// word of an image, begun_q adds a cycle. The rest is a margin.
enum { LINE_SLACK = 8 };

// Appends a line buffer. rows: type of the stream that it reads, in row-major order.
static void add_lines(struct link *l, const struct itensor_lines *lines, const struct ir_itensor *rows) {
    struct ir *ir = l->ir;
    bool first = l->first;
    append(l, "lines", &rtl_line_buffer, lines->width, 1, &l->from);
    int k = l->at.kernel;
    ir_set_int(ir, k, "DATA_W", lines->width * ports_element_bits(l->from.type.dtype));
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "ROWS", lines->axis[0].size);
    ir_set_int(ir, k, "PIXELS", lines->axis[1].size);
    ir_set_int(ir, k, "WORDS", lines->pixel);
    set_axis(ir, k, "Y", &lines->axis[0]);
    set_axis(ir, k, "X", &lines->axis[1]);
    ir_set_int(ir, k, "BUFFER", least(lines->buffer + LINE_SLACK, l->elements / lines->width));
    ir_set_param(ir, k, "PAD", pad_word(ir, l->to.type.patch[0].pad, lines->width));
    if (!first) ir->kernel[k].port[0].type = *rows;
    ir->kernel[k].port[1].type = l->to.type;
    l->at.padded = false;
}

// Returns the largest power of two that divides n.
static int64_t low_power(int64_t n) { return n & -n; }

// Returns the widest word, in elements, that is not wider than the words of either side. If a side has several firings
// (pieces), the word also divides each of them evenly.
static int64_t common_width(const struct link *l) {
    int64_t width = least(itensor_tile(&l->from.type), itensor_tile(&l->to.type));
    if (l->from.pieces > 1) width = least(width, low_power(l->elements / l->from.pieces));
    if (l->to.pieces > 1) width = least(width, low_power(l->elements / l->to.pieces));
    return width;
}

// Checks the buffer of a layout converter. The converter moves single words, so its buffer must not be larger than the
// one that Algorithm 1 (itensor.h) gives for a converter of whole tiles. A larger one is an internal error.
static void check_against_tiles(const struct link *l, const struct itensor_layout *layout) {
    struct itensor_buffer tiles;
    struct ir_itensor from = without_tokens(&l->from.type), to = without_tokens(&l->to.type);
    if (!itensor_converter(&from, &to, &tiles) || layout->buffer * layout->width <= tiles.elements) return;
    base_fatal("insert-layouts: edge `%s`: %lld elements a bank, whole tiles need %lld", l->old.name,
               (long long)(layout->buffer * layout->width), (long long)tiles.elements);
}

// Appends the kernels that turn walk `a` into walk `b`. Returns false after an error.
static bool add_chain(struct link *l, const struct itensor_walk *a, const struct itensor_walk *b) {
    int64_t out = itensor_tile(&l->to.type);
    if (itensor_walk_equal(a, b)) {
        if (l->from.pieces != l->to.pieces) {
            add_width(l, common_width(l));
            add_frame(l, l->to.pieces);
        }
        add_width(l, out);
        return true;
    }
    struct itensor_layout layout;
    enum { MOST_LOOPS = 8 }; // of a rill_layout_converter or a rill_corner_turn
    if (!itensor_layout(a, b, common_width(l), &layout) || layout.loops > MOST_LOOPS) {
        diag_error(l->diag, loc_none(), MSG_LAYOUT_CONVERTER, l->old.name, ir_type_text(l->ir, &l->to.type),
                   ir_type_text(l->ir, &l->from.type));
        return false;
    }
    check_against_tiles(l, &layout);
    struct itensor_corner corner;
    bool turns = itensor_corner(&layout, common_width(l) / layout.width, &corner);
    int64_t width = layout.width * (turns ? corner.lanes : 1);
    if (l->at.width != width || l->at.pieces > 1 || !turns)
        // A corner turn accepts a last word that is partly filled.
        add_width(l, width);
    add_layout(l, &layout, turns ? &corner : NULL);
    add_frame(l, l->to.pieces);
    add_width(l, out);
    return true;
}

// Appends the kernels that turn walk `from` into patches: conversion to row-major order, then a line buffer. Returns
// false after an error.
static bool add_patches(struct link *l, const struct itensor_walk *from) {
    static const int row_major[IR_MAX_RANK] = {0, 1, 2, 3};
    struct itensor_lines lines;
    struct itensor_walk rows;
    struct ir_itensor to = without_tokens(&l->to.type), patches = l->to.type;
    int64_t extent[IR_MAX_RANK];
    find_extents(l, &l->to, extent);
    if (!itensor_lines(&to, extent, itensor_tile(&to), &lines)) {
        diag_error(l->diag, loc_none(), MSG_LAYOUT_CONVERTER, l->old.name, ir_type_text(l->ir, &l->to.type),
                   ir_type_text(l->ir, &l->from.type));
        return false;
    }
    struct ir_tensor image = {.dtype = l->from.type.dtype, .rank = to.rank - 1};
    for (int d = 1; d < to.rank; d++) image.shape[d - 1] = (struct ir_extent){extent[d], IR_STATIC};
    struct ir_itensor in_rows = ports_array_type(l->ir, &image, lines.width, row_major);
    l->to.type = in_rows; // add_chain converts to l->to, which is in row-major order until the line buffer is added
    if (!find_walk(l, &l->to, &rows) || !add_chain(l, from, &rows)) return false;
    l->to.type = patches;
    add_lines(l, &lines, &in_rows);
    return true;
}

// Whether the words of a type have elements of several rows and walk along the rows: the first operand of a `bmm` that
// multiplies several rows at the same time. (Words of a second operand may also have elements of several rows, but they
// walk down the columns.)
static bool has_row_blocks(const struct ir_itensor *type) {
    int row = type->rank - 2, column = type->rank - 1;
    return type->rank > 2 && type->element[row] > 1 && type->map[row] < type->map[column];
}

// Appends the kernels that turn walk `from` into words of several rows: conversion to row-major order, then a
// rill_row_block, which sends a block as often as the reader takes it. Returns false after an error.
static bool add_row_blocks(struct link *l, const struct itensor_walk *from) {
    static const int row_major[IR_MAX_RANK] = {0, 1, 2, 3};
    struct ir *ir = l->ir;
    struct ir_itensor to = l->to.type;
    struct itensor_walk rows;
    int64_t extent[IR_MAX_RANK];
    find_extents(l, &l->to, extent);
    int inner = to.rank - 1;
    int64_t width = to.element[inner], block = to.element[inner - 1], words = extent[inner] / width, times = 1;
    int64_t elements = l->elements;
    for (int n = 0; n < to.loops; n++) times *= n == to.map[0] ? 1 : to.trip[n].bound;
    times /= elements / (width * block);
    struct ir_tensor tensor = {.dtype = l->from.type.dtype, .rank = to.rank - 1};
    for (int d = 1; d < to.rank; d++) tensor.shape[d - 1] = (struct ir_extent){extent[d], IR_STATIC};
    struct ir_itensor in_rows = ports_array_type(ir, &tensor, width, row_major);
    l->to.type = in_rows; // until the block is added, as in add_patches
    if (!find_walk(l, &l->to, &rows) || !add_chain(l, from, &rows)) return false;
    bool first = l->first;
    append(l, "rows", &rtl_row_block, width * block, 1, &l->from);
    int k = l->at.kernel;
    if (!first) ir->kernel[k].port[0].type = in_rows;
    ir_set_int(ir, k, "DATA_W", width * ports_element_bits(l->from.type.dtype));
    ir_set_int(ir, k, "ROWS", block);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "WORDS", words);
    ir_set_int(ir, k, "TIMES", times);
    ir_set_int(ir, k, "ROUNDS", elements / (extent[inner] * block));
    ir->kernel[k].port[1].type = l->to.type = to;
    return true;
}

// Inserts the chain of one edge. Returns false after an error.
static bool convert(struct ir *ir, int e, struct diag *diag) {
    const struct ir_edge *edge = &ir->edge[e];
    struct link l = {.ir = ir, .diag = diag, .edge = e, .first = true, .old = *edge};
    l.from = ir->kernel[edge->src_kernel].port[edge->src_port];
    l.to = ir->kernel[edge->dst_kernel].port[edge->dst_port];
    if (!ports_is_vector(&l.from) || !ports_is_vector(&l.to)) return true;
    if (itensor_equal(&l.from.type, &l.to.type) && l.from.pieces == l.to.pieces) return true;
    struct itensor_walk a, b;
    bool patches = l.to.type.patches > 0, blocks = has_row_blocks(&l.to.type);
    if (!find_walk(&l, &l.from, &a) || (!patches && !find_walk(&l, &l.to, &b)))
        return true; // insert-converters handles or rejects an edge without walks
    int64_t extent[IR_MAX_RANK];
    find_extents(&l, patches ? &l.to : &l.from, extent);
    l.elements = 1;
    for (int d = 0; d < (patches ? l.to : l.from).type.rank; d++) l.elements *= extent[d];
    l.at = (struct stream){edge->src_kernel, edge->src_port, itensor_tile(&l.from.type), l.from.pieces, false};
    l.at.padded = l.elements / l.at.pieces % l.at.width != 0;
    if (!(patches ? add_patches(&l, &a) : blocks ? add_row_blocks(&l, &a) : add_chain(&l, &a, &b))) return false;
    if (l.made) ir_connect(ir, l.at.kernel, l.at.port, l.old.dst_kernel, l.old.dst_port);
    return true;
}

bool pass_insert_layouts(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    int edges = ir->edges;
    bool ok = true;
    for (int e = 0; e < edges; e++) ok &= convert(ir, e, diag);
    return ok;
}
