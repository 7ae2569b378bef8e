// SPDX-License-Identifier: Apache-2.0
// Types of values and of streams: dtypes, extents that may be dynamic with a bound, iterative tensor types and what
// converts one into another.
#ifndef RILL_ITENSOR_H
#define RILL_ITENSOR_H

#include <stdbool.h>
#include <stdint.h>

enum ir_dtype {
    IR_F32,    // IEEE binary32
    IR_MX,     // mantissas with one shared exponent per block
    IR_ACC,    // exact 64-bit integer result of a product
    IR_KV,     // int8 head vectors with one fp32 scale each
    IR_SCALAR, // one fp32 per token and head
    IR_ID,     // token id
    IR_INT8,   // int8 of custom kernels
    IR_DTYPES
};
extern const char *const ir_dtype_words[IR_DTYPES];

// What bounds a dynamic extent. The static field next to it is the largest value.
enum ir_dynamic {
    IR_STATIC,
    IR_TOKENS /* active tokens of a step */,
    IR_POSITIONS /* positions seen so far, context at most */
};

struct ir_extent {
    int64_t bound;
    enum ir_dynamic dynamic;
};

// IR_MAX_RANK: a tensor has at most IR_MAX_RANK - 1 dimensions, its stream the token besides.
enum { IR_MAX_RANK = 4, IR_MAX_LOOPS = 6, IR_MAX_PORTS = 8, IR_NONE = -1 };

// Iterative tensor type (StreamTensor, MICRO 2025): in which order which tile of a tensor travels on a stream.
// Data dimension d is walked by loop map[d] (IR_NONE: the tile covers the dimension); a loop no dimension names
// re-reads data.
struct ir_itensor {
    enum ir_dtype dtype;
    int rank;
    int64_t element[IR_MAX_RANK]; // tile shape
    int loops;
    struct ir_extent trip[IR_MAX_LOOPS]; // outermost first
    int64_t step[IR_MAX_LOOPS];
    int map[IR_MAX_RANK];
};

// ---- properties ---------------------------------------------------------------------------------

// Every dimension is walked by a loop of its own that steps by the tile, and no count is below 1.
bool itensor_is_valid(const struct ir_itensor *);
// The same stream in the one form that has no loop of one trip and no two re-reading loops side by side.
struct ir_itensor itensor_canonical(const struct ir_itensor *);
bool itensor_equal(const struct ir_itensor *, const struct ir_itensor *); // of the canonical forms
int64_t itensor_extent(const struct ir_itensor *, int dim);               // of the data, at the bound
int64_t itensor_tile(const struct ir_itensor *);                          // elements of a tile

// ---- conversion ---------------------------------------------------------------------------------

// Converter inference, Algorithm 1 of the StreamTensor paper, corrected (docs/ir.md). A dimension is reducible when
// both sides have the same tile there and walk it with the same loop, trips and step. The converter sits inside the
// `shared` outermost loops, the longest run of them that reducible dimensions own; it holds the tile of a dimension
// that such a loop walks, and all of any other.
struct itensor_buffer {
    bool needed; // false: equal types
    int shared;
    bool reducible[IR_MAX_RANK];
    int64_t shape[IR_MAX_RANK];
    int64_t elements; // of one of the two banks
};
// False when the two do not carry the same data: other ranks, dtypes or extents.
bool itensor_converter(const struct ir_itensor *from, const struct ir_itensor *to, struct itensor_buffer *);

// The same for hardware: a walk is the order of a stream's elements as nested loops over addresses of the tensor in
// row-major order, the loops inside a tile included. Neighbouring loops that make one are one, so equal walks are equal
// whatever their tiles.
enum { ITENSOR_WALK = IR_MAX_LOOPS + IR_MAX_RANK };
struct itensor_walk {
    int loops;
    int64_t trip[ITENSOR_WALK], stride[ITENSOR_WALK]; // stride 0: reads again
};
// False where a trip count is dynamic, or a tile reaches over the end of one of several dimensions.
bool itensor_walk(const struct ir_itensor *, const int64_t extent[], struct itensor_walk *);
bool itensor_walk_equal(const struct itensor_walk *, const struct itensor_walk *);

// rill_layout_converter between two walks over the same tensor. Words are runs of elements that both walks keep
// together.
struct itensor_layout {
    int64_t width;  // elements of a word: a power of two
    int64_t rounds; // trips of the shared outer loops
    int64_t buffer; // words of a bank
    int loops;      // of the reader in the bank
    int64_t trip[ITENSOR_WALK], stride[ITENSOR_WALK];
};
// Words of at most max_width elements. False where no such converter exists: the writer reads again inside the shared
// loops, or the reader's loops do not nest in the writer's.
bool itensor_layout(const struct itensor_walk *from, const struct itensor_walk *to, int64_t max_width,
                    struct itensor_layout *);

// rill_corner_turn in its place: `lanes` of the layout's words, of different places, in one word of each side. Word e
// of the buffer lies in bank (e + skew * floor(e / period)) mod lanes; period 0: no skew.
struct itensor_corner {
    int64_t lanes; // a power of two, at least 2
    int64_t period, skew;
};
// The most lanes, at most `most`, at which no word of the reader meets a bank twice. False where there are none.
bool itensor_corner(const struct itensor_layout *, int64_t most, struct itensor_corner *);

#endif
