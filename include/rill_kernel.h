// SPDX-License-Identifier: Apache-2.0
// The golden function of a custom kernel: what its Verilog computes, in C, for one position and one repetition of
// its region. It stands alone: a golden file includes this header, and `fp32.h` where it wants the arithmetic of the
// RTL library (rill_fp32_add is g_add there, rill_fp32_exp g_exp, ...). docs/kernels.md has an example.
//
// Equality is bit by bit, so write down the kernel's own order of operations. fp32 is IEEE-754 binary32, round to
// nearest even; the design's other kernels take a subnormal operand for the zero of its sign (rill_flush). The file is
// compiled without contraction of a * b + c. The result must not depend on anything but the call: the same function
// runs for every lane count and every T. State that the kernel keeps from position to position, or from repetition to
// repetition, is the file's own (static): the file is loaded once for each operation, as the hardware has an instance
// for each. Position 0, repetition 0 begins a new request.
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

struct rill_parameter { // as the instance has it; those that depend on lanes, T or words are left out
    const char *name;
    int64_t value;
};

struct rill_call {
    int inputs, outputs, parameters;
    const struct rill_value *in;            // in the order of the spec; not to be written
    const struct rill_value *out;           // of the declared shape, zeros
    const struct rill_parameter *parameter; // rill_parameter() finds one
    int64_t position, repetition;
    int instance;          // which of the kernel's operations, from 0 in the order of the spec
    const char *operation; // its name
    int fault;             // set to 1 for a numeric fault: the run ends there, as where the kernel raises its `fault`
    int vectors;           // vector parameters, type fp32, in the order of the spec; not to be written
    const struct rill_value *vector; // of this repetition
    const struct rill_value *table;  // [rows][cols] of this repetition, not to be written; NULL: it reads none
};

typedef void rill_function(struct rill_call *call);

// The value of a parameter; the fallback where there is none of that name.
static inline int64_t rill_parameter(const struct rill_call *call, const char *name, int64_t fallback) {
    for (int i = 0; i < call->parameters; i++)
        if (!strcmp(call->parameter[i].name, name)) return call->parameter[i].value;
    return fallback;
}

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

// A subnormal becomes the zero of its sign.
static inline float rill_flush(float x) {
    return rill_bits(x) & 0x7f800000u ? x : rill_float(rill_bits(x) & 0x80000000u);
}

#endif
