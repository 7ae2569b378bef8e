// SPDX-License-Identifier: Apache-2.0
// The golden function of a custom kernel: its C text compiled, loaded and called, whatever it does to the
// process.
#ifndef RILL_LIBRARY_H
#define RILL_LIBRARY_H

#include "gen/base/diag.h"
#include "include/rill_kernel.h"

struct golden_source {
    const char *kernel, *file, *text, *function; // file: its name without folders
};

// An operation's. Each has state of its own (what is static in the file).
struct golden_library {
    struct golden_source source;
    void *handle;
    rill_function *function; // NULL: empty
    int instance;
    const char *operation;
};

// With cc, or $CC: compiled once, loaded for each of the operations by that name, which are known to the function by
// their index. libraries: one for each. False after an error; those that are open are closed by the caller.
bool golden_library_open(struct arena *, const struct golden_source *, const char *const *operations, int count,
                         struct golden_library *const *libraries, struct diag *);
void golden_library_close(struct golden_library *);
// Under gen/numerics/guard.h; call->position and repetition are told with whatever happens. Sets call->instance and
// operation.
void golden_library_call(const struct golden_library *, struct rill_call *call);

#endif
