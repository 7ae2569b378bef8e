// SPDX-License-Identifier: Apache-2.0
// Functions for the programs that print vectors for the benches: the arguments of the program, random numbers, and
// operands of the fp32 units, which are corner values (for two operands every pair) and random values.
// Arguments of a program: NAME=VALUE for each parameter of the bench's set, seed=N, count=N.
#ifndef VECTORS_RILL_FP32_H
#define VECTORS_RILL_FP32_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/numerics/fp32.h"

struct vectors {
    uint64_t state; // of the random number generator
    int count;      // number of random vectors after the directed ones
};

// Magnitudes: zero, subnormals, ends of ranges and ties of the functions, infinity, NaN.
static const uint32_t vectors_corner[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x0c800000, 0x33000000,
    0x33000001, 0x337fffff, 0x33800000, 0x33800001, 0x34000000, 0x3eaaaaab, 0x3effffff, 0x3f000000, 0x3f000001,
    0x3f7ffffe, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fb504f3, 0x3fc00000, 0x3fffffff, 0x40000000, 0x40400000,
    0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000, 0x5effffff, 0x5f000000, 0x7e7fffff,
    0x7e800000, 0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x42b17217,
    0x42b17218, 0x42aeac4f, 0x42aeac50, 0x42aeac51, 0x43000000,
};

enum { VECTORS_CORNERS = 2 * sizeof vectors_corner / sizeof vectors_corner[0] };

// Returns corner value i, below VECTORS_CORNERS: each magnitude positive (even i) and negative (odd i).
static inline float vectors_corner_value(int i) { return g_float(vectors_corner[i >> 1] | (uint32_t)(i & 1) << 31); }

// Returns the number of the argument NAME=NUMBER, or `otherwise` if there is none.
static inline int64_t vectors_argument(int argc, char **argv, const char *name, int64_t otherwise) {
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            return strtoll(argv[i] + length + 1, NULL, 0);
    }
    return otherwise;
}

// Takes seed=N (default 0) and count=N (default 5000) from the arguments.
static inline struct vectors vectors_start(int argc, char **argv) {
    struct vectors v = {(uint64_t)vectors_argument(argc, argv, "seed", 0) + 1,
                        (int)vectors_argument(argc, argv, "count", 5000)};
    return v;
}

// Returns 64 random bits (splitmix64).
static inline uint64_t vectors_random(struct vectors *v) {
    uint64_t z = v->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Returns a random finite value. Half of the significands end in a run of ones or zeros. The exponent field is at most
// `spread` away from `centre`, and is limited to 0..254.
static inline float vectors_value(struct vectors *v, int centre, int spread) {
    uint64_t r = vectors_random(v);
    uint32_t fraction = (uint32_t)r & 0x7fffff, mask = 0x7fffffu >> (r >> 24 & 31) % 24;
    if (r >> 32 & 1) fraction = r >> 33 & 1 ? fraction | mask : fraction & ~mask;
    int field = centre - spread + (int)((r >> 40 & 0xffff) % (uint64_t)(2 * spread + 1));
    field = field < 0 ? 0 : field > 254 ? 254 : field;
    return g_float((uint32_t)(r >> 63) << 31 | (uint32_t)field << 23 | fraction);
}

typedef float vectors_unary(float a, struct golden_fault *fault);
typedef float vectors_binary(float a, float b, struct golden_fault *fault);

// Prints a line "a y fault" with the result of the function.
static inline void vectors_print_unary(vectors_unary *function, float a) {
    struct golden_fault fault = {0};
    float y = function(a, &fault);
    printf("%08" PRIx32 " %08" PRIx32 " %d\n", g_bits(a), g_bits(y), fault.raised);
}

// Prints a line "a b y fault" with the result of the function.
static inline void vectors_print_binary(vectors_binary *function, float a, float b) {
    struct golden_fault fault = {0};
    float y = function(a, b, &fault);
    printf("%08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %d\n", g_bits(a), g_bits(b), g_bits(y), fault.raised);
}

// Prints the corner values, a value of each exponent field, and random values. Half of the random values have exponent
// fields within `spread` of `centre`, the others any exponent field.
static inline void vectors_all_unary(struct vectors *v, vectors_unary *function, int centre, int spread) {
    for (int i = 0; i < VECTORS_CORNERS; i++) vectors_print_unary(function, vectors_corner_value(i));
    for (int field = 0; field < 255; field++) vectors_print_unary(function, vectors_value(v, field, 0));
    for (int i = 0; i < v->count; i++)
        vectors_print_unary(function, i & 1 ? vectors_value(v, centre, spread) : vectors_value(v, 127, 127));
}

// Prints every pair of corner values.
static inline void vectors_all_corners(vectors_binary *function) {
    for (int i = 0; i < VECTORS_CORNERS; i++) {
        for (int j = 0; j < VECTORS_CORNERS; j++)
            vectors_print_binary(function, vectors_corner_value(i), vectors_corner_value(j));
    }
}

#endif
