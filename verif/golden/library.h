// SPDX-License-Identifier: Apache-2.0
// The golden function of a hand-written kernel: its C text compiled, loaded and called, whatever it does to the
// process.
#ifndef GOLDEN_LIBRARY_H
#define GOLDEN_LIBRARY_H

#include "diag.h"
#include "rill_kernel.h"

struct golden_source {
    const char *kernel, *file, *text, *function; // file: its name without folders
};

// Each has state of its own (what is static in the file).
struct golden_library {
    struct golden_source source;
    void *handle;
    rill_function *function; // NULL: empty
};

// With cc, or $CC. False after an error.
bool golden_library_open(struct arena *, const struct golden_source *, struct golden_library *, struct diag *);
void golden_library_close(struct golden_library *);
// Under verif/golden/run_guard.h; call->position and repetition are told with whatever happens.
void golden_library_call(const struct golden_library *, struct rill_call *call);

#endif
