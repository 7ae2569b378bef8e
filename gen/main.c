// SPDX-License-Identifier: Apache-2.0
// rill: reads a design spec and writes a streaming accelerator. This file chooses the command; gen/command has the
// commands. gen/pass/passes.def lists the passes of the compiler. Each command runs the passes that it needs.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/base/diag.h"
#include "include/version.h"

const struct command *const rill_commands[] = {
    &command_import,   // makes a spec from a checkpoint
    &command_check,    // checks a spec's graph and design
    &command_gen,      // writes Verilog
    &command_pack,     // writes the memory image
    &command_sim,      // simulates the design in Verilator
    &command_verify,   // simulates a long request in shards
    &command_golden,   // computes values with the oracle alone
    &command_report,   // prints the report of a generated design
    &command_package,  // makes a folder for the vendor's tools
    &command_forecast, // forecasts the time of a request
    &command_timeline, // lists the cycles of each step and the fill of each stream
    &command_explore,  // searches for the best designs
    &command_advise,   // lists what single changes would do
    &command_depths,   // lists the depths of FIFOs
    &command_memory,   // lists the on-chip memory
    &command_types,    // lists the types of streams
    &command_platform, // compares the figures of a board with the vendor's tools
    &command_explain,  &command_schema, &command_completion, &command_man, NULL};

static void print_usage(FILE *out) {
    const struct options *all[COUNT_OF(rill_commands)] = {0};
    struct text list = {0};
    for (int i = 0; rill_commands[i]; i++) all[i] = &rill_commands[i]->options;
    options_commands(all, &list);
    fprintf(out,
            "usage: rill COMMAND ...\n"
            "       rill help COMMAND   prints the options of a command, as `rill COMMAND --help` does\n"
            "       rill --version\n\n%s",
            text_cstr(&list));
    fprintf(out, "\nexit status: 0 done, 1 wrong input or a failed check, 2 wrong command line, 3 internal error\n");
    text_free(&list);
}

// Reports an unknown command. Prints a similar name, or the usage if there is none. Returns the exit status.
static int unknown(const char *name) {
    const char *names[COUNT_OF(rill_commands)] = {"help"};
    for (int i = 0; rill_commands[i]; i++) names[i + 1] = rill_commands[i]->options.name;
    const char *near = diag_nearest_word(name, names, COUNT_OF(names));
    if (near) {
        fprintf(stderr, "rill: no command `%s`; did you mean `%s`?\n(`rill --help` lists the commands)\n", name, near);
        return RILL_USAGE;
    }
    fprintf(stderr, "rill: no command `%s`\n", name);
    print_usage(stderr);
    return RILL_USAGE;
}

// Flushes standard output and returns the exit status. If output could not be written, for example because the disk is
// full, a successful run ends with status 1.
static int finish(int status) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "rill: error: standard output: %s\n", errno ? strerror(errno) : "write failed (disk full?)");
    return status == RILL_OK ? RILL_BAD_SPEC : status;
}

// Prints the usage of a command. Returns the exit status.
static int help_of(const char *name) {
    char *words[] = {(char *)(uintptr_t)name, "--help", NULL};
    for (int i = 0; rill_commands[i]; i++)
        if (!strcmp(name, rill_commands[i]->options.name)) return command_start(rill_commands[i], 2, words);
    return unknown(name);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return RILL_USAGE;
    }
    if (!strcmp(argv[1], "help") && argc > 2 && strcmp(argv[2], "help") != 0) return finish(help_of(argv[2]));
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return finish(RILL_OK);
    }
    if (!strcmp(argv[1], "--version")) return printf("rill %s\n", RILL_VERSION), finish(RILL_OK);
    for (int i = 0; rill_commands[i]; i++)
        if (!strcmp(argv[1], rill_commands[i]->options.name))
            return finish(command_start(rill_commands[i], argc - 1, argv + 1));
    return unknown(argv[1]);
}
