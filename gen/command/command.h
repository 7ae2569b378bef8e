// SPDX-License-Identifier: Apache-2.0
// The commands of `rill`: each is its options as data and what it does. One more is a file with such a row, a line here
// and one in the list of main.c; usage, messages, completion and the manual page follow.
#ifndef RILL_COMMAND_H
#define RILL_COMMAND_H

#include "gen/ir/ir.h"
#include "gen/options/options.h"
#include "gen/request/sim_options.h"

struct run { // of a command; all of its memory is the arena's
    struct arena arena;
    struct diag diag; // standard error
    int argc;         // behind the command's name
    char **argv;
};

struct command {
    struct options options;
    size_t size;                               // of what its tables fill: zeros at first
    int (*start)(struct run *, void *options); // exit status (enum rill_exit)
};

extern const struct command command_import, command_check, command_gen, command_pack, command_sim, command_golden,
    command_report, command_package, command_forecast, command_timeline, command_depths, command_memory, command_types,
    command_explain, command_schema, command_completion, command_man;
extern const struct command *const rill_commands[]; // main.c's; NULL behind the last
int command_start(const struct command *, int argc, char **argv);

// ---- what commands about a design share (command_design.c): SPEC, another memory, another clock ----
struct design_options {
    const char *spec;
    struct figure_options figures;
};
extern const struct option_row spec_row[]; // SPEC
// The tables of such a command: SPEC, its own rows, the figures. member: a struct design_options in `type`.
#define DESIGN_TABLES(type, member, rows)                                                                              \
    {spec_row, offsetof(type, member)}, {rows, 0}, { figure_rows, offsetof(type, member.figures) }
// The design after all passes, with warnings of what is more than the board has; NULL after errors.
struct ir *command_design(struct run *, const struct design_options *);
struct ir *command_design_again(struct run *, const struct design_options *,
                                bool fifo_auto); // FIFOs sized; says nothing
// Whether DIR may be the folder of a design; false after saying that it is a file, and how a folder is made of it.
bool command_takes_folder(const char *command, const char *dir);
// The clock that the timing model supports: the record that --timing names, or that lies beside the spec. False after
// an error.
struct clock_model;
bool command_clock(struct run *, const struct ir *, const char *timing, const char *spec, struct clock_model *);
#define COMMAND_TIMING_HELP "timing record from verif/timing/run.sh (default: NAME.timing.json next to NAME.yaml)"
// A note of the custom kernels of a design that count as nothing in its estimates; none where all say what they take.
void command_note_resources(const struct ir *, struct text *);
int command_print(struct text *);         // to standard output, and frees it; RILL_OK
const char *command_pass_name(int index); // NULL behind the last
void command_list_passes(FILE *);

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

// The loss of a fixed text, and warnings where the weights seem to lie otherwise than the spec reads them.
struct checkpoint;
struct oracle;
struct tokenizer;
struct golden_check {
    struct arena *arena;
    struct diag *diag;
    const char *spec, *weights;
    const struct oracle_graph *graph;
    struct checkpoint *checkpoint;
    const struct tokenizer *tokenizer;
    struct oracle *exact;
};
bool command_golden_check(const struct golden_check *);

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
