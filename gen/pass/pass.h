// SPDX-License-Identifier: Apache-2.0
// The passes of the compiler. Each pass changes the IR in one step from the spec's graph to the complete design, or
// reports errors and returns false. passes.def lists the passes in their order. The pass bind-operations has a separate
// folder (gen/bind/bind.h).
#ifndef RILL_PASS_H
#define RILL_PASS_H

#include "gen/ir/ir.h"
#include "gen/spec/spec.h"

// The spec is NULL if the IR was read from a dump.
typedef bool pass_function(struct ir *, const struct rill_spec *, struct diag *);

// Checks a rule. Returns NULL, or the name of an item that breaks it.
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
void pass_safe_depths(struct ir *); // size-fifos: sets the depth of every edge by the safe rule

// The next three functions are for other passes and for reports. allocate_memories_style returns the kind of memory for
// a depth in words and a width in bits. size_fifos_safe returns the depth of a stream in words by the safe rule, which
// prevents deadlocks without a simulation (docs/fifos.md). safe_words returns how many words a stream must be able to
// hold by this rule if its words can wait.
enum ram_style allocate_memories_style(int64_t depth, int64_t bits);
int64_t size_fifos_safe(const struct ir *, const struct ir_edge *);
int64_t safe_words(const struct ir *, const struct ir_edge *);
// Returns a lower bound of the excess over the limits of the dies, as a sum of shares of these limits: 0.1 is 10 % of
// one limit. 0: the design may fit, or it is on one die. The passes up to allocate-memories must have run.
double place_dies_excess(struct ir *);

struct pass {
    const char *name;
    pass_function *run;
    pass_invariant *invariant; // the rule that must hold after this pass and all later ones
    const char *doc, *after;   // description of the pass, and the rule in words, for docs/passes.md
};
extern const struct pass pass_table[]; // ends with a NULL name
const char *pass_last(void);           // name of the pass that completes a design
// Runs the pass at this index of the table. Then checks the rules of the verifier and the invariants of this pass and
// of all earlier ones. Returns false after an error.
bool pass_run(int pass, struct ir *, const struct rill_spec *, struct diag *);

#endif
