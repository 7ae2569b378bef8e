// SPDX-License-Identifier: Apache-2.0
// Large pages for a simulation's own code. The code of a large design is a few megabytes that are gone through once a
// cycle: with pages of 4 KiB it does not fit the processor's tables of addresses, in virtual machines least of all.
#ifndef RILL_HARNESS_PAGES_H
#define RILL_HARNESS_PAGES_H

#ifdef __cplusplus
extern "C" {
#endif

// Puts the code of the executable on large pages where the system gives them; else nothing changes. Call it first: no
// other thread may run. RILL_PAGES=small in the environment leaves it as it is (perf finds no names in code that has
// moved from its file).
void pages_for_code(void);

#ifdef __cplusplus
}
#endif

#endif
