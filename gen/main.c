// SPDX-License-Identifier: Apache-2.0
// rill: reads a design spec and writes a streaming accelerator. The pipeline is the list in gen/pass/passes.c; each
// command below runs as much of it as it needs.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "include/base.h"
#include "include/diag.h"
#include "gen/command.h"
#include "include/version.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
    {"import", command_import, "SOURCE -o DIR [--board BOARD]          a checkpoint (folder or GGUF file) to a spec"},
    {"check", command_check, "SPEC [--json]                            read a spec, print the graph and the design"},
    {"gen", command_gen, "SPEC -o DIR [--dump-after=PASS]            write Verilog, memory map, IR and report"},
    {"pack", command_pack, "SPEC --weights MODELDIR|random:SEED -o DIR  quantize and pack the memory image"},
    {"sim", command_sim,
     "DIR --prompt TEXT --tokens N               build and run the design in Verilator against the golden model"},
    {"golden", command_golden, "SPEC --weights MODELDIR|random:SEED ...     decode with the golden model alone"},
    {"report", command_report,
     "DIR [--html FILE]                        print a design's report, or make a page of it"},
    {"package", command_package,
     "DIR -o PKG                               a folder for the vendor's flow: kernel, scripts, registers"},
    {"explain", command_explain, "KEY|OPERATION|REGISTER|MESSAGE           what it means, and which values are legal"},
    {"schema", command_schema, "                                         a JSON Schema of the spec, for editors"},
};

static void print_usage(FILE *out) {
    fprintf(out, "usage: rill COMMAND ...; `rill COMMAND --help` for each, `rill --version`\n\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        fprintf(out, "  rill %-7s %s\n", commands[i].name, commands[i].help);
    fprintf(out, "\nexit status: 0 done, 1 wrong input or a check that failed, 2 usage, 3 internal fault\n");
}

static int unknown(const char *name) {
    const char *names[COUNT_OF(commands)];
    for (size_t i = 0; i < COUNT_OF(commands); i++) names[i] = commands[i].name;
    const char *near = diag_nearest_word(name, names, COUNT_OF(names));
    if (near) {
        fprintf(stderr, "rill: no command `%s`; did you mean `%s`?\n(`rill --help` lists them)\n", name, near);
        return RILL_USAGE;
    }
    fprintf(stderr, "rill: no command `%s`\n", name);
    print_usage(stderr);
    return RILL_USAGE;
}

// What could not be printed has not been done: a full disk shows here at the latest.
static int finish(int status) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "rill: error: standard output: %s\n", errno ? strerror(errno) : "write failed (disk full?)");
    return status == RILL_OK ? RILL_BAD_SPEC : status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return RILL_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return finish(RILL_OK);
    }
    if (!strcmp(argv[1], "--version")) return printf("rill %s\n", RILL_VERSION), finish(RILL_OK);
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (!strcmp(argv[1], commands[i].name)) return finish(commands[i].run(argc - 1, argv + 1));
    return unknown(argv[1]);
}
