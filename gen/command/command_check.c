// SPDX-License-Identifier: Apache-2.0
// rill check: reads a spec, runs every pass and prints the design that would be built, with its estimated cost and the
// verdict whether it is within the limits of the board.
#include <stdlib.h>

#include "gen/command/command.h"
#include "gen/report/design_report.h"
#include "gen/cost/cost.h"
#include "gen/explore/explore.h"
#include "gen/spec/spec.h"
#include "gen/timing/depths.h"

struct check_options {
    struct design_options design;
    const char *timing;
    bool json, crossings, strict;
};

// Returns the bits of all FIFOs at their chosen depths.
static int64_t fifo_bits(const struct ir *ir) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++) bits += ir->edge[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    return bits;
}

// If the spec fixes the FIFO strategy and a forecast would choose another one, adds a note with the cycles of a short
// trial request (timing_trial) and the FIFO bits of both strategies.
static void advise_fifo(struct run *run, const struct ir *ir, const struct design_options *o, struct text *out) {
    if (ir->design.strategy == IR_STRATEGY_AUTO) return;
    struct ir *best = command_design_again(run, o, true), *own = NULL;
    if (best && best->design.fifo != ir->design.fifo) own = command_design_again(run, o, false);
    if (!own) return;
    text_addf(out,
              "\nnote: by forecast `fifo: %s` takes %lld cycles for a brief request and %lld bits of FIFOs,\n"
              "`fifo: %s` %lld and %lld; the default, `fifo: auto`, takes the better of safe and timed\n",
              spec_fifo_name(own->design.fifo), (long long)timing_trial(own), (long long)fifo_bits(own),
              spec_fifo_name(best->design.fifo), (long long)timing_trial(best), (long long)fifo_bits(best));
}

// If the board has several dies and the spec does not ask for more than one, adds a note that the check did not
// consider them.
static void advise_dies(const struct ir *ir, struct text *out) {
    if (ir->design.dies > 1 || ir->dies < 2) return;
    text_addf(out,
              "\nnote: this check did not look at the %d dies of %s and the wires between them; `design: {dies: %d}` "
              "includes them\n",
              ir->dies, ir->design.board, ir->dies);
}

static void advise(const struct ir *ir, struct text *out) {
    advise_dies(ir, out);
    command_note_resources(ir, out);
}

// Adds notes with the changes that would help a design beyond its limits, by estimate. Adds nothing for a dump, because
// there is no spec to change.
static void note_causes(struct run *run, const char *path, struct text *out) {
    enum { JOBS = 1 };
    char *said = NULL;
    size_t len;
    struct diag silent;
    struct explore x;
    struct explore_result own;
    struct explore_advice *list;
    diag_init(&silent, open_memstream(&said, &len));
    if (explore_begin_advice(&x, path, &run->arena, &silent)) {
        int count = explore_advise(&x, 0, JOBS, &own, &list);
        text_add(out, "\n");
        explore_advice_notes(&own, list, count, out);
    }
    fclose(silent.out);
    free(said);
}

static void add_summary(struct run *run, struct ir *ir, const struct check_options *o, const struct clock_model *clock,
                        bool fits, struct text *text) {
    design_report_summary(ir, clock, text);
    advise_fifo(run, ir, &o->design, text);
    advise(ir, text);
    if (!fits) note_causes(run, o->design.spec, text);
    text_add(text, "\n");
    explore_verdict(ir, fits, text);
    text_add(text, "\n");
}

static int start(struct run *run, void *options) {
    const struct check_options *o = options;
    struct text text = {0};
    struct ir *ir = command_design(run, &o->design);
    struct clock_model clock;
    if (!ir) return RILL_BAD_SPEC;
    bool fits = design_report_fits(ir);
    if (!command_clock(run, ir, o->timing, o->design.spec, &clock)) return RILL_BAD_SPEC;
    clock_warn(ir, &clock, loc_file(&run->arena, o->design.spec), &run->diag);
    if (o->json) design_report_json(ir, &clock, &text);
    else if (o->crossings) design_report_crossings(ir, &text);
    else add_summary(run, ir, o, &clock, fits, &text);
    command_print(&text);
    return o->strict && (!fits || explore_is_unplaced(ir)) ? RILL_BAD_SPEC : RILL_OK;
}

static const struct option_row rows[] = {
    {"--json", NULL, OPTION_FLAG, 0, offsetof(struct check_options, json), .help = "print the design as JSON"},
    {"--crossings", NULL, OPTION_FLAG, 0, offsetof(struct check_options, crossings),
     .help = "print only the streams that cross from one die to the next, widest first"},
    {"--strict", NULL, OPTION_FLAG, 0, offsetof(struct check_options, strict),
     .help = "end with status 1 if the design exceeds a limit of its board, or is not known to fit"},
    {"--timing", "FILE", OPTION_FILE, 0, offsetof(struct check_options, timing), .help = COMMAND_TIMING_HELP},
    {0}};

const struct command command_check = {
    .options = {.name = "check",
                .purpose = "check a spec and print the graph, the design and its estimated cost",
                .about = "Every pass of the compiler runs, so it rejects whatever `rill gen` would reject. If the "
                         "spec chooses FIFO depths, a note says what other depths would cost.",
                .example = "rill check model.yaml",
                .page = "cost",
                .table = {DESIGN_TABLES(struct check_options, design, rows)}},
    .size = sizeof(struct check_options),
    .start = start};
