// SPDX-License-Identifier: Apache-2.0
// Declares the golden operations: one plain C function for each operation, which computes the same bits as the RTL
// kernel (docs/numerics.md sections 3 to 9). Shapes are given with the parameters. Outputs may not overlap inputs
// unless a comment allows it. Functions that can fault take the sticky fault (fp32.h) as their last argument.
#ifndef RILL_NUMERICS_H
#define RILL_NUMERICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/numerics/fp32.h"

enum {
    GOLDEN_KV_LIMIT = 127,     // largest |q| of keys and values
    GOLDEN_MX_EXP_MIN = -24,   // smallest block exponent: default of the operation quantize, and for queries
    GOLDEN_MX_EXP_MIN_P = -36, // smallest block exponent of the attention probabilities p
    GOLDEN_P_BLOCK = 64,       // positions that share a block exponent of p
    GOLDEN_NORM_FRAC = 20,     // grid of the norm statistics: 2^-20
    GOLDEN_NORM_WIDTH = 44,    // bits of a number X on this grid, so |X| < 2^43
    GOLDEN_EXP_SUM_FRAC = 30,  // grid of the softmax sum: 2^-30
    GOLDEN_K_MAX = 32768,      // longest dot product of any format: a block's sum fits in 32 bits, the whole in 66
    GOLDEN_ASYM_GROUP = 32,    // weights that share a scale and an offset
    GOLDEN_ASYM_STEP = 8,      // unit of the offsets
};

// ---- quantization and matrix products (ops_quant.c) ----

// Returns the number of blocks of `block` elements that cover n.
size_t golden_block_count(size_t n, size_t block);

// Quantizes x[n] to block floating point (MX): mantissas q[n] of `bits` (8 or 10) bits, and one shift for each block,
// which is the block exponent minus exp_min. The value of an element is about q * 2^(exp_min + shift of its block).
// shift has golden_block_count(n, block) elements; the last block may be short.
void golden_quantize_mx(size_t n, size_t block, int bits, int exp_min, const float x[], int16_t q[], uint8_t shift[],
                        struct golden_fault *fault);
int64_t golden_mx_limit(int bits); // largest |q|
int golden_mx_shift_max(int bits); // largest block exponent above exp_min

// Returns the exact dot product of a weight row w[k] and an mx vector (mantissas xq[k], shifts xshift[k / block]), in
// units of 2^exp_min. group_scale[k / block] has a factor for each block of weights; NULL (for int8 weights): all
// are 1. int4 weights are passed as int8 in [-8, 7]. k <= GOLDEN_K_MAX.
int128 golden_dot(size_t k, size_t block, const int8_t w[], const uint8_t group_scale[], const int16_t xq[],
                  const uint8_t xshift[]);

// Returns the dot product for int4_asym weights: weight i is group_scale[i / 32] * w[i] + 8 * group_offset[i / 32].
int128 golden_dot_asym(size_t k, size_t block, const int8_t w[], const uint8_t group_scale[],
                       const int8_t group_offset[], const int16_t xq[], const uint8_t xshift[]);

// Returns float(acc) * stored_row_scale + bias, where stored_row_scale = row_scale * 2^exp_min (golden_stored_scale).
// Without a bias, pass +0.0.
float golden_dequantize(int128 acc, float stored_row_scale, float bias, struct golden_fault *fault);

// Returns float(acc) * 2^exp_min: the engine's output for attention scores (mode 2) and weighted values (mode 3).
float golden_dequantize_raw(int128 acc, int exp_min, struct golden_fault *fault);

// Returns row_scale * 2^exp_min, flushed to zero when subnormal.
float golden_stored_scale(float row_scale, int exp_min, struct golden_fault *fault);

// Computes one embedding row: y[k] = (row_scale * float(group_scale[k / block])) * float(q[k]), or row_scale *
// float(q[k]) if group_scale is NULL. row_scale is the scale of section 4 without its power of two.
void golden_embed(size_t k, size_t block, const int8_t q[], const uint8_t group_scale[], float row_scale, float y[],
                  struct golden_fault *fault);
// Computes one row of an int16 table: y[k] = row_scale * float(q[k]).
void golden_embed_int16(size_t k, const int16_t q[], float row_scale, float y[], struct golden_fault *fault);

// ---- attention (ops_attention.c): one head, one token ----

// Quantizes the key or value x[hd] of a head to q[hd]. Returns the scale: max|x| / 127, or 0 if all x are 0.
float golden_quantize_kv(size_t hd, const float x[], int8_t q[], struct golden_fault *fault);

// golden_rsqrt_head returns fp32(1 / sqrt(hd)). golden_score_scale returns the scale of scores: the given one, or
// golden_rsqrt_head if none is given. golden_k_scale returns the stored scale of K: the scale of its quantization times
// the scale of scores.
float golden_rsqrt_head(size_t hd);
float golden_score_scale(double given, size_t hd); // given 0: not given
float golden_k_scale(float scale, float of_scores, struct golden_fault *fault);

// Computes softmax over `positions` positions, of which the last is the token's own. Writes p[positions] = exp(s - max)
// * vscale, where s = raw * kscale, or its softcap with `cap` (0: no cap). Returns the reciprocal of the sum of the
// exponentials, by which the caller multiplies the weighted values. p may be raw.
float golden_softmax(size_t positions, double cap, const float raw[], const float kscale[], const float vscale[],
                     float p[], struct golden_fault *fault);

// ---- vectors (ops_vector.c): y may be x ----

// These functions return the constants fp32(2^-20 / n) and fp32(2^-40 / n^2) for layernorm, and fp32(2^-40 / n) for
// rmsnorm. The compiler passes them to the RTL as parameters.
float golden_norm_mean_scale(size_t n);
float golden_norm_square_scale(size_t n);
float golden_norm_rms_scale(size_t n);

// These compute norms of n elements: y = (x - mean) * rsqrt(variance + eps) * gamma + beta, and y = x * rsqrt(mean(x^2)
// + eps) * gamma.
void golden_layernorm(size_t n, float eps, const float x[], const float gamma[], const float beta[], float y[],
                      struct golden_fault *fault);
void golden_rmsnorm(size_t n, float eps, const float x[], const float gamma[], float y[], struct golden_fault *fault);

// golden_reduce returns the largest, the smallest, the sum or the mean of n >= 1 values that are `stride` elements
// apart. For a sum or mean, each value is rounded to a multiple of 2^-20, and these are summed exactly. The integer sum
// is then rounded to fp32, and so is its product with golden_reduce_scale. function: enum golden_reduction.
enum golden_reduction { GOLDEN_LARGEST, GOLDEN_LEAST, GOLDEN_SUM, GOLDEN_MEAN };
float golden_reduce_scale(int function, size_t n);
float golden_reduce(int function, size_t n, size_t stride, const float x[], struct golden_fault *);

// Returns the sum of n products. Each product is rounded to fp32, and the products are summed as golden_reduce sums
// values. The values of each side are `stride` apart.
float golden_bmm(size_t n, const float a[], size_t a_stride, const float b[], size_t b_stride, struct golden_fault *);

typedef void golden_binary(size_t n, const float a[], const float b[], float y[], struct golden_fault *fault);
golden_binary golden_add, golden_sub, golden_mul, golden_div, golden_max, golden_min;
extern golden_binary *const golden_binaries[6]; // in this order
void golden_scale(size_t n, float factor, const float x[], float y[], struct golden_fault *fault);
// Rotates the pairs among the first `rotary` elements of one head by row[rotary], which holds the cos of all pairs,
// then the sin. beside: elements 2i and 2i + 1 are a pair; otherwise i and i + rotary / 2 are. y must not be x.
void golden_rope(size_t head, size_t rotary, bool beside, const float row[], const float x[], float y[],
                 struct golden_fault *fault);
void golden_gelu(size_t n, const float x[], float y[], struct golden_fault *fault);
void golden_silu(size_t n, const float x[], float y[], struct golden_fault *fault);
void golden_softcap(size_t n, double cap, const float x[], float y[], struct golden_fault *fault);
float golden_softcap_slope(double cap); // fp32(-2 / cap)
float golden_softcap_gain(double cap);  // fp32(2 * cap)

// Elementwise operations of one operand (ops_unary.c). given: the operation's attributes in the order of docs/spec.md.
// An attribute that the graph leaves out is NAN. A word is its index in the list of legal words, from 0.
#define GOLDEN_SIXTH 0x1.555556p-3f // 1/6: the slope of hardswish
enum { GOLDEN_UNARY_ATTRIBUTES = 2 };
typedef void golden_unary(size_t n, const double given[GOLDEN_UNARY_ATTRIBUTES], const float x[], float y[],
                          struct golden_fault *fault);
golden_unary *golden_find_unary(const char *name); // NULL: there is no such operation

// `scalar` runs operation `function` of golden_binaries on x and `value`, or with `first` on `value` and x. x minus a
// number is computed as x plus its negative, and x divided by a number as x times fp32(1 / number).
struct golden_scalar {
    int function;
    float value;
    bool first;
};
// function: index in the list add, sub, mul, div, max, min, rsub, rdiv. The last two have the number as first operand.
struct golden_scalar golden_scalar_of(int function, double value);

// Returns the index of the largest value, ties to the lowest index. n >= 1.
size_t golden_argmax(size_t n, const float x[], struct golden_fault *fault);

#endif
