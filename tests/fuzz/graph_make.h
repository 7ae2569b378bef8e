// SPDX-License-Identifier: Apache-2.0
// Functions that the makers of random specs share: random numbers and single operations (graph_ops.c), which
// graph_seed.c uses. Some choices were added later. They depend on the numbers of operations and tensors so far instead
// of a random number, because another drawn number would change all choices after it.
#ifndef RILL_FUZZ_GRAPH_MAKE_H
#define RILL_FUZZ_GRAPH_MAKE_H

#include "tests/fuzz/random_spec.h"

enum { ANY_ARRAY = -2 }; // for pick: a tensor of several dimensions

// Rough limits of the root mean square of values in general, and of values that a repeated region carries. Larger
// values could make a kernel raise a fault.
extern const float most_rms, carried_rms;

// ---- random numbers ----

uint64_t draw(void);                      // returns the next 64 random bits
void draw_from(uint64_t seed);            // sets the seed of all functions below
int below(int n);                         // 0 to n - 1; 0 if n is not positive
int between(int low, int high);           // both are included
bool chance(int percent);                 // true in `percent` percent of the calls
int one_of(const int *values, int count); // each value is as likely; list it twice to make it more likely
#define ONE_OF(...) one_of((const int[]){__VA_ARGS__}, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))
int random_length(void);          // of a vector
void make_design(struct spec *s); // fills s->design; spec_make sets KEY_ACTIVATIONS and KEY_QUERY_HEADS afterwards

// ---- parts of a spec: functions return the index of a size class or of a tensor ----

int add_size(struct spec *s, int length);            // adds a size class of vectors
int derived(struct spec *s, struct size_class want); // returns the class with this description; adds it if it is new
// Adds a tensor. size: index of its size class; region: NONE for an input; rms: bound of its root mean square.
int add_tensor(struct spec *s, enum value_type type, int size, int region, float rms);
// Adds an operation with one new output to the current region, which is the last one. The caller adds the operands.
struct op *add_op(struct spec *s, enum op_kind kind, enum value_type type, int size, float rms);
void reads(struct op *op, int tensor); // adds an operand

bool has_room(const struct spec *s);               // whether more operations may be added
const struct region *here(const struct spec *s);   // the current region
bool is_visible(const struct spec *s, int tensor); // whether the current region can read a tensor
bool is_read(const struct spec *s, int tensor);    // whether an operation reads it, or it begins or continues a carry
bool is_array(const struct spec *s, int tensor);   // whether a tensor has several dimensions
// Picks a fp32 tensor that the current region can read, or NONE. size: its class, NONE for any vector, or ANY_ARRAY.
int pick(const struct spec *s, int size);
bool per_layer(const struct spec *s); // decides at random whether every repetition has separate weights

// These functions add one or several operations that read x, and return the result.
int add_norm(struct spec *s, int x);
int tame(struct spec *s, int x, float limit);    // adds a norm if the rms of x is above the limit, otherwise returns x
int add_quantize(struct spec *s, int x);         // or returns an existing quantization of x
int add_matmul(struct spec *s, int q, int size); // size: class of the result, or of its rows if q is an array
int add_dequantize(struct spec *s, int acc);
int add_linear(struct spec *s, int x, int size); // tame, quantize, matmul and dequantize
// Adds a function of each element. Without a random number, some OP_SILU become other functions.
int add_unary(struct spec *s, int x, enum op_kind kind);
int add_transpose(struct spec *s, int x);
int add_patch(struct spec *s, int x); // returns x if patches would have too many elements
// Weighs the rows of x by the products of each two of them. x has two dimensions or more. Returns x if there would be
// too many pairs. Chooses without a random number.
int add_contraction(struct spec *s, int x);
// Subtracts a reduction of x from x. Returns x if values could become too large. Chooses without a random number.
int add_reduction(struct spec *s, int x);
int add_reshape(struct spec *s, int x, bool flat); // flat: to one vector
// Adds a product or a sum of two tensors of one shape. If a product could grow too large, adds a sum; if that could as
// well, returns a. Without a random number, some become quotients, differences and other operations.
int add_binary(struct spec *s, int a, int b, bool product);
int add_kernel(struct spec *s, int x);          // a custom kernel without step words and weights
int add_step_kernel(struct spec *s, int x);     // a custom kernel with step words, vectors of weights, or a table
void add_rope_tables(struct spec *s);           // adds one or two tables for add_rope
int add_rope(struct spec *s, int x, int heads); // heads: 0 for any number; returns x if no table fits

#endif
