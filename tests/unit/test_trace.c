// SPDX-License-Identifier: Apache-2.0
// Tests that a waveform for which the disk has no room ends the simulation with a message.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "verif/harness/sim_internal.h"

// Starts a simulation with a trace, and gets the signal of mapped memory for which the disk has no room.
static void write_beyond_the_disk(int messages) {
    char *argv[] = {"Vrill", "--dir", "/nowhere", "--prompt-ids", "1", "--trace", "wave.fst", NULL};
    int exit_code;
    dup2(messages, STDERR_FILENO);
    sim_open(7, argv, &exit_code);
    raise(SIGBUS);
    _exit(99);
}

static void a_full_disk_ends_the_trace(void **state) {
    (void)state;
    int ends[2], status;
    char said[4096] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) write_beyond_the_disk(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), RILL_BAD_SPEC);
    assert_non_null(strstr(said, "wave.fst: the trace could not be written; is the disk full? [trace-full]"));
    close(ends[0]), close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_full_disk_ends_the_trace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
