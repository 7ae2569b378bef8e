// SPDX-License-Identifier: Apache-2.0
// Types of values and of streams: dtypes, extents (static, or dynamic with a bound), iterative tensor types, and the
// converters between them. An itensor is such an iterative tensor type: the tensor that a stream carries, and the order
// in which its words arrive. docs/ir.md explains the notation with examples.
#ifndef RILL_ITENSOR_H
#define RILL_ITENSOR_H

#include <stdbool.h>
#include <stdint.h>

enum ir_dtype {
    IR_F32,    // IEEE binary32
    IR_MX,     // mantissas with one shared exponent per block
    IR_ACC,    // exact integer result of a product: 64 bits, or 66 for long rows of 4-bit weights
    IR_KV,     // int8 head vectors with one fp32 scale each
    IR_SCALAR, // one fp32 per token and head
    IR_ID,     // token id
    IR_INT8,   // int8 of custom kernels
    IR_DTYPES
};
extern const char *const ir_dtype_words[IR_DTYPES];

// The run-time quantity that a dynamic extent equals. The `bound` of the extent is its largest value.
enum ir_dynamic {
    IR_STATIC,
    IR_TOKENS /* active tokens of a step */,
    IR_POSITIONS /* positions seen so far, context at most */
};

struct ir_extent {
    int64_t bound; // the value of a static extent
    enum ir_dynamic dynamic;
};

// A tensor has at most IR_MAX_RANK - 1 dimensions, because its stream adds the token. IR_MAX_LOOPS: loops of a type.
// IR_MAX_PATCHES: dimensions with patches. IR_MAX_PORTS: inputs, and outputs, of an operation. IR_NONE: no item, where
// an index is expected.
enum { IR_MAX_RANK = 4, IR_MAX_LOOPS = 6, IR_MAX_PATCHES = 2, IR_MAX_PORTS = 8, IR_NONE = -1 };

// A data dimension that is walked in patches, which may overlap, leave gaps, and reach past both ends of the data. Two
// loops walk it: map[dim] over the places of the patches (its step is the stride), and `tap` over the elements of a
// patch (its step is the dilation). Element = place * stride + tap * dilation - before. An element outside
// 0 .. extent - 1 has a pad value.
struct ir_patch {
    int dim;
    int tap;        // loop over the elements of a patch; IR_NONE: a patch has one element
    int64_t before; // elements by which the first patch begins before the data
    int64_t extent; // elements of the data
    uint32_t pad;   // bits of an element outside the data
};

// Iterative tensor type (StreamTensor, MICRO 2025): the order in which the tiles of a tensor travel on a stream, as
// nested loops. A tile is the block of elements in a word. On the stream of a tensor, data dimension 0 is the token,
// and the others are those of the tensor. A loop makes `trip` trips and advances by `step` elements along the dimension
// that it walks. Loop map[d] walks data dimension d; IR_NONE: the tile covers the dimension, so no loop is needed. A
// loop that neither a dimension nor a tap names reads the same data again. For example, itensor<1x8xf32, [16,
// tokens<=2]*[8, 1], (d0,d1)->(d1,d0)> has tiles of 1 x 8 elements, trips 16 and `tokens`, steps 8 and 1, and map {1,
// 0}.
struct ir_itensor {
    enum ir_dtype dtype;
    int rank;
    int64_t element[IR_MAX_RANK]; // tile shape
    int loops;
    struct ir_extent trip[IR_MAX_LOOPS];   // outermost first
    int64_t step[IR_MAX_LOOPS];            // elements by which a loop advances along the dimension that it walks
    int map[IR_MAX_RANK];                  // the loop of each dimension
    int patches;                           // number of dimensions with patches
    struct ir_patch patch[IR_MAX_PATCHES]; // by increasing dimension
};

// ---- properties ---------------------------------------------------------------------------------

// Returns true if each loop walks at most one dimension or tap, loops of dimensions without patches advance by the
// tile's extent, the tile has one element along a dimension with patches, and all trips, steps and extents are at least
// 1.
bool itensor_is_valid(const struct ir_itensor *);
// Returns the canonical form: no loops of one trip, no patches that read every element once in order, and no adjacent
// loops that only read again.
struct ir_itensor itensor_canonical(const struct ir_itensor *);
bool itensor_equal(const struct ir_itensor *, const struct ir_itensor *);        // compares canonical forms
bool itensor_same_patches(const struct ir_itensor *, const struct ir_itensor *); // compares patches and their loops
int64_t itensor_extent(const struct ir_itensor *, int dim); // elements of the data; dynamic: the bound
int64_t itensor_tile(const struct ir_itensor *);            // elements of a tile
bool itensor_repeats(const struct ir_itensor *);            // whether a loop of several trips reads data again
const struct ir_patch *itensor_patch(const struct ir_itensor *, int dim); // NULL: no patches along the dimension

// ---- conversion ---------------------------------------------------------------------------------

// The buffer of a converter between two types, by Algorithm 1 of the StreamTensor paper, corrected (docs/ir.md). A
// dimension is reducible if both types have the same tile along it and walk it with the same loop, trips and step. The
// `shared` outermost loops walk reducible dimensions only, so the converter can run inside them. Along a dimension that
// one of these loops walks, it stores one tile; along any other dimension, it stores the whole extent.
struct itensor_buffer {
    bool needed; // false: the two types are equal
    int shared;
    bool reducible[IR_MAX_RANK];
    int64_t shape[IR_MAX_RANK]; // elements stored along each dimension
    int64_t elements;           // elements of one of the two banks
};
// Fills in the buffer. Returns false if the two types carry different data: ranks, dtypes or extents differ.
bool itensor_converter(const struct ir_itensor *from, const struct ir_itensor *to, struct itensor_buffer *);

// A walk is the form of a type that the hardware uses: the order of a stream's elements as nested loops over the
// tensor's addresses, which count elements in row-major order. The loops inside a tile are included. Adjacent loops
// that act as one are merged, so types that differ only in their tiles have equal walks.
enum { ITENSOR_WALK = IR_MAX_LOOPS + IR_MAX_RANK };
struct itensor_walk {
    int loops;
    int64_t trip[ITENSOR_WALK], stride[ITENSOR_WALK]; // outermost first; stride 0: reads the same elements again
};
// Derives the walk over a tensor with these extents, one for each dimension of the type. Returns false if a trip count
// is dynamic, if a tile extends past the end of one of several dimensions, or if there are patches.
bool itensor_walk(const struct ir_itensor *, const int64_t extent[], struct itensor_walk *);
bool itensor_walk_equal(const struct itensor_walk *, const struct itensor_walk *);

// The parameters of rill_layout_converter between two walks over the same tensor. A word is a run of elements at
// consecutive addresses that both walks keep together. The writer fills one bank in its own order while the reader
// reads the other one.
struct itensor_layout {
    int64_t width;  // elements of a word: a power of two
    int64_t rounds; // trips of the shared outer loops
    int64_t buffer; // words of one of the two banks
    int loops;      // the reader's walk over a bank, in words
    int64_t trip[ITENSOR_WALK], stride[ITENSOR_WALK];
};
// Chooses words of at most max_width elements. Returns false if no such converter exists: the writer sends data again
// inside the shared loops, or the reader's loops do not nest in the writer's.
bool itensor_layout(const struct itensor_walk *from, const struct itensor_walk *to, int64_t max_width,
                    struct itensor_layout *);

// The parameters of rill_line_buffer, which turns a stream in row-major order into one of patches. The data are rows of
// pixels, and a pixel is one or more words. Along each of the two axes (0: from row to row, 1: from pixel to pixel in a
// row) there are `size` positions and `places` patches with `taps` elements each; struct ir_patch_axis (ops.h) explains
// the other fields. Patches are sent in row-major order of their places, and the pixels of a patch in row-major order.
struct itensor_line_axis {
    int64_t size, places, stride, taps, dilation, before;
};
struct itensor_lines {
    struct itensor_line_axis axis[2];
    int64_t width;  // elements of a word
    int64_t pixel;  // words of a pixel
    int64_t buffer; // capacity in words: about (taps - 1) * dilation rows and as many pixels
};
// Chooses words of at most max_width elements for a reader of type `to`. extent: shape of the data. Returns false if
// the loops of `to` are not in the order in which the line buffer sends: places, taps, then the elements of a pixel.
bool itensor_lines(const struct ir_itensor *to, const int64_t extent[], int64_t max_width, struct itensor_lines *);

// The parameters of rill_corner_turn, which can replace the layout converter and moves `lanes` times as much per cycle.
// On each side, one stream word has `lanes` of the layout's words, which are in different banks. Word e of the buffer
// is stored in bank (e + skew * floor(e / period)) mod lanes; period 0: no skew.
struct itensor_corner {
    int64_t lanes; // a power of two, at least 2
    int64_t period, skew;
};
// Finds the largest number of lanes up to `most` at which no stream word of the reader needs two words from one bank.
// Returns false if there is none.
bool itensor_corner(const struct itensor_layout *, int64_t most, struct itensor_corner *);

#endif
