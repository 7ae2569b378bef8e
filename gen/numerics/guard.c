// SPDX-License-Identifier: Apache-2.0
// Catches signals, exit and endless loops in code written by users (gen/numerics/guard.h).
#include "gen/numerics/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

// SECONDS, MOST_SECONDS: default and largest limit of processor time for a call.
enum { STACK_BYTES = 1 << 16, WHAT_BYTES = 512, SECONDS = 60, MOST_SECONDS = 1000000, EXIT_CODE = 1 };

static const struct {
    int signal;
    const char *how;
} caught[] = {{SIGSEGV, "accesses memory that is not its own, or fills the stack (SIGSEGV)"},
              {SIGBUS, "accesses memory that is not there (SIGBUS)"},
              {SIGFPE, "divides an integer by zero (SIGFPE)"},
              {SIGILL, "comes to no instruction, as after a function without its `return` (SIGILL)"},
              {SIGABRT, "calls abort (SIGABRT)"},
              {SIGVTALRM, "does not end: one call takes more processor time than RILL_KERNEL_SECONDS, 60 by default"}};
enum { SIGNALS = sizeof caught / sizeof caught[0] };

// The state of the guard. Apart from the table above, the signal handlers read only this.
static struct {
    volatile sig_atomic_t entered;
    char what[WHAT_BYTES];
    char stack[STACK_BYTES];          // stack of the signal handler, because the program's stack may be exhausted
    struct sigaction before[SIGNALS]; // actions that guard_leave restores
    stack_t stack_before;
    bool at_exit;
} guard;

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; // nobody can read the message, so nothing is left to do
}

// Ends the program with a message. Calls only functions that are safe in a signal handler.
static _Noreturn void end(const char *how) {
    say("rill: error: ");
    say(guard.what);
    say(how);
    say("\n");
    _exit(EXIT_CODE);
}

static void on_signal(int number) {
    const char *how = "ends by a signal";
    for (int i = 0; i < SIGNALS; i++)
        if (caught[i].signal == number) how = caught[i].how;
    end(how);
}

static void on_exit_within(void) {
    if (guard.entered) end("calls exit");
}

// Returns the limit of processor time in seconds: RILL_KERNEL_SECONDS, or the default if this is not a number from 1
// on.
static time_t seconds(void) {
    const char *text = getenv("RILL_KERNEL_SECONDS");
    long value = text ? strtol(text, NULL, 10) : SECONDS;
    return value < 1 ? SECONDS : value > MOST_SECONDS ? MOST_SECONDS : value;
}

void guard_enter(const char *what) {
    snprintf(guard.what, sizeof guard.what, "%.400s ", what);
    if (!guard.at_exit) guard.at_exit = !atexit(on_exit_within);
    stack_t stack = {.ss_sp = guard.stack, .ss_size = sizeof guard.stack};
    sigaltstack(&stack, &guard.stack_before);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) sigaction(caught[i].signal, &action, &guard.before[i]);
    guard.entered = 1;
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = seconds()}, NULL);
}

void guard_leave(void) {
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
    guard.entered = 0;
    for (int i = 0; i < SIGNALS; i++) sigaction(caught[i].signal, &guard.before[i], NULL);
    sigaltstack(&guard.stack_before, NULL);
}
