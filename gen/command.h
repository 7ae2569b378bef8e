// SPDX-License-Identifier: Apache-2.0
// The commands of `rill`. argv[0] is the command's name; the result is the exit status (enum rill_exit).
#ifndef RILL_COMMAND_H
#define RILL_COMMAND_H

#include "include/ir.h"

int command_check(int argc, char **argv);
int command_gen(int argc, char **argv);
int command_pack(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_golden(int argc, char **argv);
int command_report(int argc, char **argv);
int command_import(int argc, char **argv);
int command_package(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_schema(int argc, char **argv);

// Prints the usage where `--help` or `-h` is given, or says which argument the usage does not know, lacks its value, or
// is one too many: the exit status then.
enum { COMMAND_GOES_ON = -1 };
int command_arguments(const char *command, const char *usage, int argc, char **argv);
int command_usage(const char *usage); // on stderr, where an argument is missing; RILL_USAGE
// Says which of them is (`-o DIR`, SPEC); NULL: none.
int command_missing(const char *command, const char *usage, const char *what);
// Of two that do not go together, or one that would change nothing; RILL_USAGE.
int command_clash(const char *command, const char *why);
// The number of an option; false after a message.
bool command_number(const char *command, const char *option, const char *text, int64_t least, int64_t *value);

struct timeline_options {
    int64_t prompt, tokens; // 0: defaults
    int64_t start;          // age of the memory, cycles
    bool unbounded, no_refresh, json;
    bool unchecked;    // tokens beyond the context: stop at its end
    const char *beats; // file, or NULL
    const char *ids;   // of the first positions, with commas between; NULL: not known
};
int command_timeline(struct ir *ir, const struct timeline_options *);
int command_depths(struct ir *ir, bool json);
int command_forecast(struct ir *ir, const char *request, int64_t age, bool kept,
                     bool json); // request: IN:OUT; age of the memory, cycles; kept: parameters are on chip

// Rows of a graph that is no language model, from a file or random ones, to a file or standard output.
struct oracle_graph;
struct golden_rows {
    const struct ir *ir;
    const struct oracle_graph *graph;
    const char *weights, *inputs, *outputs; // inputs, outputs: or NULL
    int64_t tokens;                         // rows; 0: all of the file, or some
    int64_t data_seed;
    bool in_float; // without any quantization
    bool json;
};
bool command_golden_rows(const struct golden_rows *options, struct arena *arena, struct diag *diag);

// Reads a spec, or an IR dump to continue from, and runs the passes with the verifier between them, up to stop_after
// (NULL: all). NULL after errors in diag.
struct ir *command_build(const char *path, struct arena *arena, struct diag *diag, const char *stop_after);

// The same with figures of the board's memory, and the clock, other than the spec's.
struct build_changes {
    const char *const *hbm; // KEY=VALUE each, NULL behind the last; or NULL
    double clock_mhz;       // 0: the spec's
    bool fifo_auto;         // FIFO depths by forecast, whatever the spec says; of a spec alone
};
struct ir *command_build_changed(const char *path, const struct build_changes *, struct arena *arena, struct diag *diag,
                                 const char *stop_after);
// The same of a spec that was read already.
struct rill_spec;
struct ir *command_build_spec(const struct rill_spec *, struct arena *arena, struct diag *diag, const char *stop_after);

// The largest of some designs that fits the board by estimate, else the least; d receives it and *spec its text. The
// design in the arena, NULL after reporting: a model that cannot be built on the board at all.
struct import;
struct import_design;
struct ir *command_fit(const struct import *, const char *path, struct import_design *d, struct text *spec,
                       struct diag *diag);

#endif
