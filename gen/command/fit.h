// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of `rill import` that choose a design for a board.
#ifndef RILL_FIT_H
#define RILL_FIT_H

#include "gen/base/base.h"
#include "gen/import/import.h"
#include "gen/ir/ir.h"

struct fitting {
    const struct import *m;
    const char *path; // of the spec, in messages
};

// Builds a design with all passes. Returns NULL if it has an error or a warning, such as one about the board's limits.
// *why (if not NULL) receives the first warning, or NULL. *spec receives the text of the design's spec.
struct ir *fit_build(const struct fitting *, const struct import_design *, struct text *spec, const char **why);

// Doubles the lanes, and limits the vector kernels to about the width that they had. False if the family or the kernels
// do not allow so many lanes.
bool fit_widen(const struct fitting *, struct import_design *);

// The request that fills the context, half of it with the prompt. False if the family has no key `context`.
bool fit_filling(const struct fitting *, int64_t request[2]);

// Chooses one of the bases, a number of channels, and the keys `A` and `pump`. The base gives all other keys and the
// most channels. The design that it returns is within the limits of its board, by all passes; *d and *spec receive it.
// NULL: none was found, and *d is as before.
// request: prompt tokens and generated tokens that the estimates are about; 0: the usual ones.
struct ir *fit_search(const struct fitting *, const struct import_design *bases, int count, const int64_t request[2],
                      struct import_design *d, struct text *spec);

#endif
