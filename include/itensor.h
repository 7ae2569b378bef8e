// SPDX-License-Identifier: Apache-2.0
// Types of values and of streams: dtypes, extents that may be dynamic with a bound, iterative tensor types.
#ifndef RILL_ITENSOR_H
#define RILL_ITENSOR_H

#include <stdint.h>

enum ir_dtype {
    IR_F32,    // IEEE binary32
    IR_MX,     // int8 mantissas with one shared exponent per block
    IR_ACC,    // exact 64-bit integer result of a product
    IR_KV,     // int8 head vectors with one fp32 scale each
    IR_SCALAR, // one fp32 per token and head
    IR_ID,     // token id
    IR_DTYPES
};

// What bounds a dynamic extent. The static field next to it is the largest value.
enum ir_dynamic { IR_STATIC, IR_TOKENS /* active tokens of a step */, IR_POSITIONS /* positions seen so far, context at most */ };

struct ir_extent {
    int64_t bound;
    enum ir_dynamic dynamic;
};

enum { IR_MAX_RANK = 3, IR_MAX_LOOPS = 4, IR_MAX_PORTS = 8, IR_NONE = -1 };

// Iterative tensor type (StreamTensor, MICRO 2025): in which order which tile of a tensor travels on a stream.
// Data dimension d is walked by loop map[d] (IR_NONE: the tile covers the dimension); a loop no dimension names re-reads data.
struct ir_itensor {
    enum ir_dtype dtype;
    int rank;
    int64_t element[IR_MAX_RANK]; // tile shape
    int loops;
    struct ir_extent trip[IR_MAX_LOOPS]; // outermost first
    int64_t step[IR_MAX_LOOPS];
    int map[IR_MAX_RANK];
};

#endif
