// SPDX-License-Identifier: Apache-2.0
// Linked to every unit test. With RILL_TEST_CASE in the environment, only the cases of that name run, which may be a
// pattern; with RILL_TEST_SKIP, all others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void choose_case(void) {
    const char *name = getenv("RILL_TEST_CASE");
    if (name) cmocka_set_test_filter(name);
    const char *skipped = getenv("RILL_TEST_SKIP");
    if (skipped) cmocka_set_skip_filter(skipped);
}
