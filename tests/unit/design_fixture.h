// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of whole designs: compiles specs by all passes of the compiler, without writing files.
#ifndef RILL_DESIGN_FIXTURE_H
#define RILL_DESIGN_FIXTURE_H

// cmocka.h needs these four headers before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gen/command/command.h"

// Compiles the spec at this path. The result is allocated in the arena, and the caller may change it. Errors are
// printed to stderr, and fail the test.
static inline struct ir *build_in(struct arena *of, const char *spec) {
    struct diag diag;
    diag_init(&diag, stderr);
    struct ir *ir = command_build(spec, of, &diag, NULL);
    assert_non_null(ir);
    return ir;
}

// Returns the design of the spec at this path, which is compiled once for all tests of a program. Holds up to 16
// designs and never frees them.
static inline const struct ir *built(const char *spec) {
    static struct arena kept;
    static struct {
        const char *spec;
        const struct ir *ir;
    } design[16];
    size_t i = 0;
    while (i < COUNT_OF(design) && design[i].spec && strcmp(design[i].spec, spec) != 0) i++;
    assert_true(i < COUNT_OF(design));
    if (!design[i].spec) design[i].ir = build_in(&kept, spec);
    design[i].spec = spec;
    return design[i].ir;
}

#endif
