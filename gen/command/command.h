// SPDX-License-Identifier: Apache-2.0
// The commands of `rill`, and code that they share. Each command has its options as data and a function that does its
// work. To add a command, write a file with a struct command, declare it here, and add it to the list in gen/main.c.
// Usage, messages, completion and the manual page are derived from the struct.
#ifndef RILL_COMMAND_H
#define RILL_COMMAND_H

#include "gen/ir/ir.h"
#include "gen/options/options.h"
#include "gen/request/sim_options.h"

struct run { // one call of a command; command_start makes it, and frees the arena with all of its memory at the end
    struct arena arena;
    struct diag diag; // prints to standard error
    int argc;         // length of argv
    char **argv;      // argv[0] is the command's name
};

struct command {
    struct options options;
    size_t size;                               // bytes of the struct that its tables fill; it begins as zeros
    int (*start)(struct run *, void *options); // returns the exit status (enum rill_exit)
};

extern const struct command command_import, command_check, command_gen, command_pack, command_sim, command_verify,
    command_golden, command_report, command_explore, command_advise, command_package, command_forecast,
    command_timeline, command_depths, command_memory, command_types, command_platform, command_explain, command_schema,
    command_completion, command_man;
extern const struct command *const rill_commands[]; // defined in gen/main.c; NULL after the last
// Parses the arguments and runs the command. argv[0] is the command's name. Returns the exit status.
int command_start(const struct command *, int argc, char **argv);

// ---- command_design.c: shared by commands that read a spec and options for other memory figures or another clock ----
struct design_options {
    const char *spec;
    struct figure_options figures;
};
extern const struct option_row spec_row[]; // the argument SPEC
// The option tables of such a command: SPEC, the command's own rows, the figures. type: the struct that the tables
// fill. member: the struct design_options in it.
#define DESIGN_TABLES(type, member, rows)                                                                              \
    {spec_row, offsetof(type, member)}, {rows, 0}, { figure_rows, offsetof(type, member.figures) }
// Builds the design with all passes, and warns of resources that exceed the board. Returns NULL after errors, which
// run->diag has printed.
struct ir *command_design(struct run *, const struct design_options *);
// Warns with the verdict (explore_verdict) if the design exceeds the limits of its board.
void command_warn_verdict(struct run *, const struct ir *, struct loc);
// Builds the design again, up to the pass size-fifos, and prints nothing. fifo_auto: lets a forecast choose the depths,
// whatever the spec says. Returns NULL after errors.
struct ir *command_design_again(struct run *, const struct design_options *, bool fifo_auto);
// Returns whether DIR may be a design's folder. If DIR is a file, prints an error that says how to make a folder from
// it, and returns false.
bool command_takes_folder(const char *command, const char *dir);
struct simulation {   // how to build the simulation of a design
    bool quick, tune; // as the options of `rill sim` with these names
    int jobs;         // processes of the build
};
// Builds the simulation of a design (the folder `dir` of the options) if there is none or if it is out of date, and
// checks that the options fit the design. The design needs its image. Sets RILL_HOME in the environment, unless it is
// set, to the installation that the executable needs. Returns the path of the executable, or NULL after an error.
const char *command_simulation(struct run *, const struct simulation *, struct sim_options *);
struct clock_model;
// Reads the clock that the delay model supports (gen/emit/clock.h), from the record that the option --timing names
// (`timing`, or NULL) or that is next to the spec. Without a record next to the spec, the state is CLOCK_NONE. Returns
// false after an error.
bool command_clock(struct run *, const struct ir *, const char *timing, const char *spec, struct clock_model *);
#define COMMAND_TIMING_HELP "record of the delay model (default: NAME.timing.json next to NAME.yaml)"
// Adds a note that names the custom kernels which count as nothing in the estimates, because they do not state their
// resources.
void command_note_resources(const struct ir *, struct text *);
int command_print(struct text *);         // prints to standard output and frees the text; returns RILL_OK
const char *command_pass_name(int index); // name of a pass in the order of running; NULL after the last
void command_list_passes(FILE *);         // prints these names, one per line

// ---- parts of `rill golden` ----

struct oracle_graph;
struct golden_rows { // rows to compute with the oracle (gen/reference), for a graph that is not a language model
    const struct ir *ir;
    const struct oracle_graph *graph;
    const char *weights, *inputs, *outputs; // paths; inputs and outputs may be NULL
    int64_t tokens;    // number of rows; 0: all rows of the file or, without a file, at most 16 random ones
    int64_t data_seed; // seed of random input rows
    bool in_float;     // compute without any quantization; false: exactly as the hardware
    bool json;         // print JSON to standard output, also if `outputs` names a file
};
// Takes input rows from a file or makes random ones, computes the output rows, and writes them to a file or to standard
// output. Returns false after an error.
bool command_golden_rows(const struct golden_rows *options, struct arena *arena, struct diag *diag);

struct checkpoint;
struct oracle;
struct tokenizer;
struct golden_check { // a model to check
    struct arena *arena;
    struct diag *diag;
    const char *spec, *weights; // paths
    const struct oracle_graph *graph;
    struct checkpoint *checkpoint;
    const struct tokenizer *tokenizer;
    struct oracle *exact; // computes the same values as the hardware
};
// Measures the loss of a fixed text in nats per token (`rill golden --check`) and prints it to standard output. Warns
// if the weights seem to have another layout than the spec assumes. Returns false after an error.
bool command_golden_check(const struct golden_check *);

// ---- building the IR ----

// Reads a spec, or a dump of the IR (its text form after a pass), and runs the passes, each followed by the verifier,
// up to the pass stop_after (NULL: all). A dump goes only through the passes that follow the last one that it has been
// through. Returns NULL after errors, for example if stop_after is no pass or the file is a pipe, which cannot be read
// twice.
struct ir *command_build(const char *path, struct arena *arena, struct diag *diag, const char *stop_after);

// Changes to a spec: figures of the board's memory, the clock, the choice of FIFO depths.
struct build_changes {
    const char *const *hbm; // strings KEY=VALUE with NULL after the last; or NULL
    double clock_mhz;       // from 1 to the board's highest clock (a dump: 2000); 0: as in the spec
    bool fifo_auto;         // FIFO depths by forecast, whatever the spec says; not possible for a dump
};
// Like command_build, with changes.
struct ir *command_build_changed(const char *path, const struct build_changes *, struct arena *arena, struct diag *diag,
                                 const char *stop_after);
// Like command_build, for a spec that is already read.
struct rill_spec;
struct ir *command_build_spec(const struct rill_spec *, struct arena *arena, struct diag *diag, const char *stop_after);

// Finds the fastest design of an imported model within the limits of the board (fit_board.c). If none of the designs
// that were tried is within the limits, takes the smallest one, with d->fits false. *d receives the design, and *spec
// the text of its spec, which the caller frees. path: path of the spec, for messages. Returns the IR, or NULL after an
// error if even the smallest design cannot be built.
struct import;
struct import_design;
struct ir *command_fit(const struct import *, const char *path, struct import_design *d, struct text *spec,
                       struct diag *diag);

#endif
