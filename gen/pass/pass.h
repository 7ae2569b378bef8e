// SPDX-License-Identifier: Apache-2.0
// The passes. Each takes the IR to its next form, or reports errors and returns false. passes.def lists them in their
// order. The pass bind-operations has a separate folder (gen/bind/bind.h).
#ifndef RILL_PASS_H
#define RILL_PASS_H

#include "gen/ir/ir.h"
#include "gen/spec/spec.h"

typedef bool pass_function(struct ir *, const struct rill_spec *, struct diag *);

// Returns the name of something for which a rule does not hold, or NULL.
typedef const char *pass_invariant(const struct ir *);

#define PASS(name, function, invariant, doc, after)                                                                    \
    pass_function function;                                                                                            \
    pass_invariant invariant;
#include "gen/pass/passes.def"
#undef PASS

// Parts of passes that have separate files.
void gather_products(struct ir *); // expand-model: moves `dequantize` into the region of its product
pass_function choose_formats;      // expand-model: formats of weights by tensor names
void split_queries(struct ir *);   // expand-model: separates quantized heads from quantized vectors
// Part of infer-types. Checks that all operations that read one tensor of weights need the same shape.
bool check_weights(const struct ir *, struct diag *);
void pass_safe_depths(struct ir *); // size-fifos: sets every edge by the safe rule

// Answers to questions of other passes and of reports: the memory kind for a depth and a width, the depth of a stream
// by the safe rule, and the most words that a stream ever has in flight.
enum ram_style allocate_memories_style(int64_t depth, int64_t bits);
int64_t size_fifos_safe(const struct ir *, const struct ir_edge *);
int64_t safe_words(const struct ir *, const struct ir_edge *);
// A lower bound of the excess over the limits of the dies, as a sum of shares of the limits. 0: the design may fit. It
// needs a design that is complete up to allocate-memories.
double place_dies_excess(struct ir *);

struct pass {
    const char *name;
    pass_function *run;
    pass_invariant *invariant; // what holds after this pass and all later ones
    const char *doc, *after;   // what the pass does, and the invariant in words, for docs/passes.md
};
extern const struct pass pass_table[]; // ends with a NULL name
const char *pass_last(void);           // name of the pass that completes a design
// Runs the pass at this index of the table. Then the verifier checks the IR, and so do the invariants of this pass and
// of all earlier ones. Returns false after an error.
bool pass_run(int pass, struct ir *, const struct rill_spec *, struct diag *);

#endif
