// SPDX-License-Identifier: Apache-2.0
// Choices that a spec makes in words, for its design and for the attributes of operations. They are read once and then
// compared as numbers. An array spec_..._words has the words of an enum in the order of its enumerators.
#ifndef RILL_CHOICES_H
#define RILL_CHOICES_H

// Formats of the weights of products.
#define SPEC_FORMAT_WORDS "int8|int4|int4_asym"
enum spec_format { SPEC_INT8, SPEC_INT4, SPEC_INT4_ASYM, SPEC_FORMATS };
// Formats of the rows of embeddings.
#define SPEC_TABLE_FORMAT_WORDS "int8|int4|int16"
enum spec_table_format { SPEC_TABLE_INT8, SPEC_TABLE_INT4, SPEC_TABLE_INT16, SPEC_TABLE_FORMATS };
// Width of the mantissas of quantized activations.
enum spec_activations { SPEC_ACTIVATIONS_INT8, SPEC_ACTIVATIONS_INT10, SPEC_ACTIVATIONS };
// SHARED: all products use one engine with all channels. SPATIAL: each product has its own engine and its own channels.
enum spec_binding { SPEC_SHARED, SPEC_SPATIAL, SPEC_BINDINGS };
// If the design key `A` (tokens that share a beat in a cycle) is at least this, multipliers always work twice a cycle.
enum { CHOICE_PUMPED_COPIES = 4 };
// How beats may cross from die to die. ANY_RATE (`auto`): once or twice per cycle of `clock_mhz`, as the design needs.
// SINGLE_RATE: only once per cycle.
enum spec_crossings { SPEC_ANY_RATE, SPEC_SINGLE_RATE, SPEC_CROSSINGS };
// The board file gives two estimates of the resources that the platform adds for each memory port (`memory_port`). This
// choice says which of them the compiler subtracts from a die before it places the design.
enum spec_reserve { SPEC_FIRST_RESERVE, SPEC_SECOND_RESERVE, SPEC_RESERVES };
// Which engines keep their weights on chip. NONE: no engine. ALL: every engine that reads no keys or values. FITTING
// (`auto`): as many of these engines, the smallest first, as have room for their weights in a quarter of the board's
// memory blocks.
enum spec_resident { SPEC_RESIDENT_NONE, SPEC_RESIDENT_ALL, SPEC_RESIDENT_FITTING, SPEC_RESIDENTS };
// How FIFO depths are chosen. TIMED: from timing contracts. SAFE: whole tensors where the graph could deadlock with
// less. CONSERVATIVE: the words that streams hold if every firing takes as long as the longest one, at most the depths
// of TIMED. AUTO: the better of TIMED and SAFE; the pass size-fifos replaces AUTO by the one that it chose.
enum spec_fifo { SPEC_TIMED, SPEC_SAFE, SPEC_CONSERVATIVE, SPEC_AUTO, SPEC_FIFOS };

// Choices of operations, each for an attribute of an operation in ops.def, which explains the words. The words are in
// the order of the enumerators. This one is for `role` of kv_quantize.
#define SPEC_ROLE_WORDS "key|value"
enum spec_role { SPEC_KEY, SPEC_VALUE };
// `pairs` of rope.
#define SPEC_PAIRS_WORDS "half|interleaved"
enum spec_pairs { SPEC_HALF, SPEC_INTERLEAVED };
// `approximate` of gelu.
#define SPEC_GELU_WORDS "tanh|none"
enum spec_gelu { SPEC_GELU_TANH, SPEC_GELU_NONE };
// `function` of scalar.
#define SPEC_FUNCTION_WORDS "add|sub|mul|div|max|min|rsub|rdiv"
enum spec_function { SPEC_ADD, SPEC_SUB, SPEC_MUL, SPEC_DIV, SPEC_MAX, SPEC_MIN, SPEC_RSUB, SPEC_RDIV };
// `kind` of reduce.
#define SPEC_KIND_WORDS "max|min|sum|mean"
enum spec_kind { SPEC_KIND_MAX, SPEC_KIND_MIN, SPEC_KIND_SUM, SPEC_KIND_MEAN };
// `scaling` of rope_table.
#define SPEC_SCALING_WORDS "none|linear|llama3|yarn"
enum spec_scaling { SPEC_PLAIN, SPEC_LINEAR, SPEC_LLAMA3, SPEC_YARN };

extern const char *const spec_format_words[], *const spec_binding_words[], *const spec_fifo_words[];
extern const char *const spec_crossing_words[], *const spec_resident_words[], *const spec_reserve_words[];
extern const char *const spec_activation_words[], *const spec_table_format_words[];
// These functions return the word of an enumerator. spec_mantissa_bits returns the bits of a mantissa.
const char *spec_format_name(int format);
const char *spec_table_format_name(int format);
const char *spec_activations_name(int activations);
static inline int spec_mantissa_bits(int activations) { return activations == SPEC_ACTIVATIONS_INT10 ? 10 : 8; }
const char *spec_binding_name(int binding);
const char *spec_fifo_name(int fifo);

#endif
