// SPDX-License-Identifier: Apache-2.0
// Linked to every unit test. The environment variable RILL_TEST_CASE is a name or a pattern such as slow_*: only these
// cases run. RILL_TEST_SKIP is a pattern of cases that do not run. tests/unit/run.sh sets them.
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
