// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the parts of `rill import` that choose a design for a board: fit_board.c (lanes, tokens per
// step, prefetch) and fit_search.c (channels, `A`, `pump`, sharing of reads).
#ifndef RILL_FIT_H
#define RILL_FIT_H

#include "gen/base/base.h"
#include "gen/import/import.h"
#include "gen/ir/ir.h"

struct fitting {
    const struct import *m; // the imported model; designs and texts of the search are in its arena
    const char *path;       // path of the spec, for messages
};

// Builds a design with all passes and prints nothing. Returns NULL if the design has an error or a warning, such as one
// about the board's limits; its memory is then released. *why (if why is not NULL) receives the first warning, or NULL
// if there is none. *spec receives the text of the design's spec in place of an earlier text, also if the result is
// NULL.
struct ir *fit_build(const struct fitting *, const struct import_design *, struct text *spec, const char **why);

// Doubles the lanes, and sets the key `unroll` (lanes to distribute over the vector kernels), so that these kernels
// stay about as wide as before. Returns false, and changes nothing, if the family does not allow as many lanes or if
// they are more than 32.
bool fit_widen(const struct fitting *, struct import_design *);

// Sets `request` to the prompt tokens and generated tokens of a request that fills the context, half of it with the
// prompt. Returns false if the family has no key `context`.
bool fit_filling(const struct fitting *, int64_t request[2]);

// Chooses one of the bases (at most 2), a number of channels, and the keys `A` (tokens that share a beat of weights in
// a cycle) and `pump` (2: multipliers that work twice per cycle). The base gives all other keys and the most channels.
// The returned design was built with all passes and is within the limits of its board. *d receives the design, and
// *spec the text of its spec. Returns NULL if none was found, and leaves *d as it is. request: prompt tokens and
// generated tokens of the request whose time the search minimizes; 0: those that explore_request_of chooses for the
// context. *spec may be overwritten even if none was found.
struct ir *fit_search(const struct fitting *, const struct import_design *bases, int count, const int64_t request[2],
                      struct import_design *d, struct text *spec);

#endif
