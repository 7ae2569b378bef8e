// SPDX-License-Identifier: Apache-2.0
// The interface of golden functions. The golden function of a custom kernel computes in C, for one position and one
// repetition of its region, the results of the kernel's Verilog. The replay and the oracle call it. This header needs
// no other file of Rill. A golden file includes it, and also `fp32.h` if it uses the arithmetic of the RTL library
// (g_add there is rill_fp32_add, g_exp is rill_fp32_exp, and so on). docs/kernels.md has an example.
//
// Results are compared bit by bit, so the function must use the kernel's order of operations. fp32 is IEEE-754
// binary32, round to nearest even. The design's other kernels treat a subnormal operand as the zero of its sign
// (rill_flush). The file is compiled without contraction of a * b + c. The results must not depend on the number of
// lanes or on T, because the same function runs for all of them. State that the kernel keeps from position to position,
// or from repetition to repetition, is in static variables of the file: the file is loaded once for each operation, as
// the hardware has one instance for each. Position 0, repetition 0 begins a new request.
#ifndef RILL_KERNEL_H
#define RILL_KERNEL_H

#include <stdint.h>
#include <string.h>

// A tensor, row-major without gaps: element (i, j) of two dimensions is [i * extent[1] + j].
struct rill_value {
    int rank; // 1 to 3
    int64_t extent[3];
    int64_t elements; // product of the extents
    float *f32;       // type fp32, else NULL
    int8_t *i8;       // type int8, else NULL
};

// A Verilog parameter with the value of the instance. Parameters that depend on lanes, T or words are left out.
struct rill_parameter {
    const char *name;
    int64_t value;
};

// One call of a golden function. The function reads the operands and writes the results. The caller owns all memory,
// and its pointers are only valid during the call.
struct rill_call {
    int inputs, outputs, parameters;        // numbers of items of `in`, `out` and `parameter`
    const struct rill_value *in;            // in the order of the spec; not to be written
    const struct rill_value *out;           // of the declared shape; the elements are zeros before the call
    const struct rill_parameter *parameter; // rill_parameter() finds one
    int64_t position, repetition;           // both from 0
    int instance;          // number of the operation among those with this kernel, from 0 in the order of the spec
    const char *operation; // name of the operation
    // The function sets this to 1 for a numeric fault. The run then ends, as it does when the kernel raises `fault`.
    int fault;
    int vectors; // number of vector parameters
    // The values of the vector parameters in this repetition, fp32, in the order of the spec; not to be written.
    const struct rill_value *vector;
    // The table [rows][cols] of this repetition, not to be written; NULL: the kernel reads no table.
    const struct rill_value *table;
};

typedef void rill_function(struct rill_call *call); // the type of a golden function

// Returns the value of a parameter, or `fallback` if there is none of that name.
static inline int64_t rill_parameter(const struct rill_call *call, const char *name, int64_t fallback) {
    for (int i = 0; i < call->parameters; i++)
        if (!strcmp(call->parameter[i].name, name)) return call->parameter[i].value;
    return fallback;
}

// rill_bits returns the bits of an fp32 value, and rill_float returns the fp32 value that has these bits.
static inline uint32_t rill_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float rill_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Returns x, or the zero of its sign if x is subnormal.
static inline float rill_flush(float x) {
    return rill_bits(x) & 0x7f800000u ? x : rill_float(rill_bits(x) & 0x80000000u);
}

#endif
