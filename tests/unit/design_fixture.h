// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of whole designs: builds a spec's design once for all tests of a program, which only read it.
#ifndef RILL_DESIGN_FIXTURE_H
#define RILL_DESIGN_FIXTURE_H

// cmocka.h wants these four first.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gen/command/command.h"

static inline struct ir *build_in(struct arena *of, const char *spec) {
    struct diag diag;
    diag_init(&diag, stderr);
    struct ir *ir = command_build(spec, of, &diag, NULL);
    assert_non_null(ir);
    return ir;
}

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
