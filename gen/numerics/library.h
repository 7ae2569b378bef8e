// SPDX-License-Identifier: Apache-2.0
// Compiles, loads and calls the golden function of a custom kernel, which computes in C what the kernel's RTL must
// compute. The replay and the oracle use it. If the function crashes or exits, a message says where it was called.
#ifndef RILL_LIBRARY_H
#define RILL_LIBRARY_H

#include "gen/base/diag.h"
#include "include/rill_kernel.h"

struct golden_source {
    const char *kernel, *file, *text, *function; // file: its name without folders; text: its contents
};

// The library of one operation. Each operation has its own copy of the file's static variables.
struct golden_library {
    struct golden_source source;
    void *handle;
    rill_function *function; // NULL: no golden function
    int instance;            // index of the operation in the list of golden_library_open
    const char *operation;   // its name
};

// Compiles the source once, with cc or $CC, and loads one library for each of the named operations. The function knows
// its operation by call->instance, the index in `operations`. `libraries` points to one struct per operation, which
// this function fills, and which must be all 0 before. `count` is at least 1. Returns false after an error; the caller
// then closes all libraries.
bool golden_library_open(struct arena *, const struct golden_source *, const char *const *operations, int count,
                         struct golden_library *const *libraries, struct diag *);
void golden_library_close(struct golden_library *); // a struct that is all 0 is fine
// Calls the function under the guard (gen/numerics/guard.h). If it crashes, exits or does not end, the program ends
// with a message, which has call->position and repetition. Sets call->instance and call->operation.
void golden_library_call(const struct golden_library *, struct rill_call *call);

#endif
