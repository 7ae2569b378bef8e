// SPDX-License-Identifier: Apache-2.0
// Large pages for a simulation's code. The code of a large design is a few megabytes, all executed once per cycle. With
// 4 KiB pages it does not fit the processor's TLB, which costs most in virtual machines.
#ifndef RILL_HARNESS_PAGES_H
#define RILL_HARNESS_PAGES_H

#ifdef __cplusplus
extern "C" {
#endif

// Moves the executable's code to large pages if the system provides them; otherwise changes nothing. Call it at the
// start of main, while there is no other thread. RILL_PAGES=small in the environment disables it (perf finds no names
// in code that was moved from its file).
void pages_for_code(void);

#ifdef __cplusplus
}
#endif

#endif
