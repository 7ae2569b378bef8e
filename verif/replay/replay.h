// SPDX-License-Identifier: Apache-2.0
// The replay of a design runs the compiled tensor graph position by position and has the value of every tensor. The
// stream checker (verif/check) compares the RTL with these values. `rill golden` runs the oracle instead
// (gen/reference).
#ifndef RILL_REPLAY_H
#define RILL_REPLAY_H

#include "gen/ir/ir.h"

// The value of one tensor for one position and one repetition of its region. It has rows x cols elements; element (r,
// c) is at [r * stride + c]. With static shapes, rank 1 is one row of n, and rank 2 is [heads][head_dim]. If the last
// dimension is dynamic, cols = position + 1, because later positions do not exist yet (causal). A quantized vector
// whose blocks cross the ends of heads (operand of a product) is one row of heads * head_dim.
struct replay_value {
    enum ir_dtype dtype;
    int64_t rows, cols, stride;
    int64_t block;        // IR_MX: elements that share an exponent; blocks start anew in every row
    int64_t shift_stride; // IR_MX: distance of two rows in shift[]
    const float *f32;     // IR_F32 [rows][stride]; IR_SCALAR: [rows], cols = 1
    const int128 *acc;    // IR_ACC: sums of the matrix engine in units of 2^exp_min, without the scales of rows
    const int16_t *mx;    // IR_MX: mantissas q; the value of an element is q * 2^(exp_min + the shift of its block)
    const int8_t *q;      // IR_KV, IR_INT8: quantized values
    const uint8_t *shift; // IR_MX: exponents of the blocks, less exp_min, at shift[r * shift_stride + c / block]
    const float *scale;   // IR_KV: one per row, as stored (the scales of K include the scale of the scores)
    const uint32_t *id;   // IR_ID: one token id
};

struct replay;
struct sampling;

// Opens a run. image_dir is the folder to which `rill pack` wrote the design's image and golden weights. `window`, at
// least 1, is the number of latest positions whose values are kept; a large window needs much memory, because a tensor
// of attention has [heads][positions] elements for each of them. Returns NULL after an error in diag. Memory belongs to
// the arena; replay_close releases files and golden functions.
struct replay *replay_open(struct arena *arena, const struct ir *ir, const char *image_dir, int window,
                           struct diag *diag);
void replay_close(struct replay *run);
// Sets how ids are chosen from now on. Before the first call, the id of the largest logit is chosen.
void replay_sample(struct replay *run, const struct sampling *);

// Runs one position. The positions of a request are 0, 1, 2, ...; position 0 starts a new request, which fills the KV
// cache anew. A position outside the context ends the program. If need_head is set, also runs the regions marked
// IR_LAST.
// Inputs: a language model reads input_id. In another graph, row[i] is the value of graph input i (ir->input[i]), its
// elements in order. The other argument is ignored.
// Errors: returns false if the run waits for a result (replay_waits), or if a numeric fault was raised (replay_fault
// names its place). After a fault all steps return false until position 0.
bool replay_step(struct replay *run, uint32_t input_id, const float *const row[], int64_t position, bool need_head);

// If a custom kernel has no golden function, the caller gives its whole result for each repetition and position of the
// request (replay_give). A step that needs a result that was not given yet returns false, and replay_waits() is true.
// If the same call is repeated after the result was given, it continues from there. The replay does not tell which
// result is missing: the caller repeats the call when it has given a further one.
bool replay_waits(const struct replay *run);
void replay_give(struct replay *run, int tensor, int64_t repetition, int64_t position,
                 const void *values);   // all elements of the tensor, fp32 or int8; they are copied
void replay_forget(struct replay *run); // forgets all given results, for a new request

// Returns the id made by the last step that ran the head (language models).
uint32_t replay_next_id(const struct replay *run);

// Sets *value to the value of a tensor in repetition `repetition` of its region, at a position inside the window.
// Returns false if there is none (position not yet run or no longer kept, head not run, repetition out of range).
// Pointers are valid until the next step. For a carried tensor, repetition 0 is its init and repetition r the `next` of
// repetition r - 1. A carried tensor also has a repetition `repeat`, one past the region's last, whose value later
// regions see.
bool replay_value(const struct replay *run, int tensor, int64_t repetition, int64_t position,
                  struct replay_value *value);

// ---- the state between two positions: keys and values of all earlier positions ----

// Keys or values of all positions so far: q[position][heads * dim], scale[position][heads].
struct replay_cached {
    const int8_t *q;
    const float *scale;
    int64_t heads, dim;
};
// Finds the keys or values that readers in `region` see in one repetition. Returns false if `tensor` is not the result
// of an operation that stores it.
bool replay_cached(const struct replay *run, int tensor, int region, int64_t repetition, struct replay_cached *cached);
// Appends the bytes of the keys, values and scales of positions 0 to positions - 1 to `out`.
void replay_store(const struct replay *run, int64_t positions, struct text *out);
// Takes the keys and values of the first `positions` positions from what replay_store wrote for `stored` positions. The
// next replay_step runs position `positions`. Returns false if the bytes do not have the size for this graph, or if
// positions > stored.
bool replay_restore(struct replay *run, const char *bytes, size_t size, int64_t stored, int64_t positions);

// Returns text that names node, repetition and position of the first numeric fault, or NULL.
const char *replay_fault(const struct replay *run);

#endif
