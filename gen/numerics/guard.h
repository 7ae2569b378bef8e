// SPDX-License-Identifier: Apache-2.0
// Guards calls to code written by users, which runs in this process. If that code crashes, exits or never returns, a
// message names it.
#ifndef RILL_GUARD_H
#define RILL_GUARD_H

// Between guard_enter and guard_leave, a crash, an exit() or too much processor time ends the program with status 1 and
// one line on standard error: "rill: error: ", `what` (cut after 400 characters), and how the code ended. The
// environment variable RILL_KERNEL_SECONDS sets the limit of processor time; the default is 60 seconds. Calls do not
// nest; use from one thread at a time.
void guard_enter(const char *what);
void guard_leave(void);

#endif
