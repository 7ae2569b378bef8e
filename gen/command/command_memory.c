// SPDX-License-Identifier: Apache-2.0
// rill memory prints the on-chip bits of streams, groups and pools. rill types prints the type of each stream, that is,
// the order in which it traverses its tensor. The functions of design_report.h write the texts.
#include "gen/command/command.h"
#include "gen/report/design_report.h"

struct memory_options {
    struct design_options design;
    int64_t positions; // the report compares with storing whole tensors of so many positions; 0: as many as a step has
    bool json;
};

static int start_memory(struct run *run, void *options) {
    const struct memory_options *o = options;
    struct text text = {0};
    struct ir *ir = command_design(run, &o->design);
    if (!ir) return RILL_BAD_SPEC;
    if (o->json) design_report_memory_json(ir, o->positions, &text);
    else design_report_memory(ir, o->positions, &text);
    return command_print(&text);
}

static const struct option_row memory_rows[] = {
    {"--positions", "N", OPTION_NUMBER, 0, offsetof(struct memory_options, positions), 1,
     .help = "compare with whole tensors of N positions (default: those of a step)"},
    {"--json", NULL, OPTION_FLAG, 0, offsetof(struct memory_options, json), .help = "print JSON"},
    {0}};

const struct command command_memory = {
    .options =
        {.name = "memory",
         .purpose = "print the on-chip memory of intermediate tensors, groups and pools",
         .about =
             "Groups are parts of a graph that run one after the other. A pool is a memory that several FIFOs share.",
         .example = "rill memory model.yaml",
         .page = "passes",
         .table = {DESIGN_TABLES(struct memory_options, design, memory_rows)}},
    .size = sizeof(struct memory_options),
    .start = start_memory};

static int start_types(struct run *run, void *options) {
    struct text text = {0};
    struct ir *ir = command_design(run, options);
    if (!ir) return RILL_BAD_SPEC;
    design_report_types(ir, &text);
    return command_print(&text);
}

const struct command command_types = {
    .options = {.name = "types",
                .purpose = "print the type (itensor) of every stream",
                .about = "The type says in which order a stream traverses its tensor.",
                .example = "rill types model.yaml",
                .page = "ir",
                .table = {{spec_row, 0}, {figure_rows, offsetof(struct design_options, figures)}}},
    .size = sizeof(struct design_options),
    .start = start_types};
