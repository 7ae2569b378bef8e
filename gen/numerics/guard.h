// SPDX-License-Identifier: Apache-2.0
// Code that somebody else wrote runs in this process: when it crashes, ends the program or never returns, a message
// says whose it is.
#ifndef RILL_GUARD_H
#define RILL_GUARD_H

// Between the two a crash, an exit() or more than RILL_KERNEL_SECONDS (60) of processor time end the program with
// status 1 and one line on standard error: "error: ", what (cut behind 400 characters), how it ended. Calls do not
// nest; one thread at a time.
void guard_enter(const char *what);
void guard_leave(void);

#endif
