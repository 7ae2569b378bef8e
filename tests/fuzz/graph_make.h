// SPDX-License-Identifier: Apache-2.0
// Functions that the makers of random specs share: random numbers and single operations (graph_ops.c), which
// graph_seed.c uses.
#ifndef RILL_FUZZ_GRAPH_MAKE_H
#define RILL_FUZZ_GRAPH_MAKE_H

#include "tests/fuzz/random_spec.h"

enum { ANY_ARRAY = -2 }; // for pick: a tensor of several dimensions

extern const float most_rms, carried_rms;

// ---- random numbers ----

uint64_t draw(void);
void draw_from(uint64_t seed);
int below(int n);               // 0 to n - 1; 0 if n is not positive
int between(int low, int high); // both are included
bool chance(int percent);       // true in `percent` percent of the calls
int one_of(const int *values, int count);
#define ONE_OF(...) one_of((const int[]){__VA_ARGS__}, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))
int random_length(void);          // of a vector
void make_design(struct spec *s); // fills s->design

// ---- parts of a spec: functions return the index of a size class or of a tensor ----

int add_size(struct spec *s, int length); // adds a size class of vectors
int derived(struct spec *s, struct size_class want);
int add_tensor(struct spec *s, enum value_type type, int size, int region, float rms);
// Adds an operation with one new output to the current region, which is the last one. The caller adds the operands.
struct op *add_op(struct spec *s, enum op_kind kind, enum value_type type, int size, float rms);
void reads(struct op *op, int tensor); // adds an operand

bool has_room(const struct spec *s);               // whether more operations may be added
const struct region *here(const struct spec *s);   // the current region
bool is_visible(const struct spec *s, int tensor); // whether the current region can read a tensor
bool is_read(const struct spec *s, int tensor);
bool is_array(const struct spec *s, int tensor); // whether a tensor has several dimensions
int pick(const struct spec *s, int size);
bool per_layer(const struct spec *s);

// These functions add one or several operations that read x, and return the result.
int add_norm(struct spec *s, int x);
int tame(struct spec *s, int x, float limit);
int add_quantize(struct spec *s, int x);
int add_matmul(struct spec *s, int q, int size);
int add_dequantize(struct spec *s, int acc);
int add_linear(struct spec *s, int x, int size);
int add_unary(struct spec *s, int x, enum op_kind kind);
int add_transpose(struct spec *s, int x);
int add_patch(struct spec *s, int x);       // returns x if patches would have too many elements
int add_contraction(struct spec *s, int x); // draws no random number; x has two dimensions or more
int add_reduction(struct spec *s, int x);   // draws no random number; returns x if values could become too large
int add_reshape(struct spec *s, int x, bool flat);
int add_binary(struct spec *s, int a, int b, bool product);
int add_kernel(struct spec *s, int x);
int add_step_kernel(struct spec *s, int x);
void add_rope_tables(struct spec *s);
int add_rope(struct spec *s, int x, int heads); // heads: 0 for any number; returns x if no table fits

#endif
