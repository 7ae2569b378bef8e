// SPDX-License-Identifier: Apache-2.0
// rill depths: prints three depths of each FIFO: by the safe rule, by the timing contracts, and the smallest one that
// bisection finds without more cycles.
#include <inttypes.h>

#include "gen/command/command.h"
#include "gen/cost/cost.h"
#include "gen/pass/pass.h"
#include "gen/timing/depths.h"
#include "gen/timing/sizing.h"

struct depths_options {
    struct design_options design;
    bool json;
};

struct depths {
    struct ir *ir;
    int64_t *safe, *timed, *least;          // depths per edge in words
    int64_t all_safe, all_timed, all_least; // bits
    int64_t uniform;                        // bits if every FIFO were as deep as the deepest timed one
    int sized;                              // number of FIFOs compared
};

// Computes the three depths of every edge. Returns false after a failure; *missing then names a kernel without a timing
// contract, or stays NULL if the design would deadlock.
static bool find_depths(struct depths *d, const char **missing) {
    struct ir *ir = d->ir;
    struct timing_depth *out = ARENA_ARRAY(ir->arena, struct timing_depth, (size_t)ir->edges + 1);
    d->safe = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->edges + 1);
    d->timed = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->edges + 1);
    d->least = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->edges + 1);
    int64_t pass;
    pass_safe_depths(ir);
    for (int e = 0; e < ir->edges; e++) d->safe[e] = out[e].depth = ir->edge[e].depth;
    if (!timing_depths(ir, out, 0, &pass, missing)) return false;
    for (int e = 0; e < ir->edges; e++) d->timed[e] = out[e].depth;
    return timing_least(ir, d->safe, d->timed, d->least, missing);
}

// Adds up the bits of the FIFOs whose depths the compiler chooses.
static void add_up(struct depths *d) {
    int64_t deepest = 0, widths = 0;
    for (int e = 0; e < d->ir->edges; e++) {
        if (!sizing_is_sized(d->ir, e)) continue;
        int64_t bits = cost_edge_bits(d->ir, &d->ir->edge[e]);
        d->sized++;
        d->all_safe += d->safe[e] * bits;
        d->all_timed += d->timed[e] * bits;
        d->all_least += d->least[e] * bits;
        widths += bits;
        if (d->timed[e] > deepest) deepest = d->timed[e];
    }
    d->uniform = deepest * widths;
}

static double ratio(int64_t a, int64_t b) { return b ? (double)a / (double)b : 1; }

static void print_json(const struct depths *d) {
    bool first = true;
    printf("{\n  \"fifos\": {");
    for (int e = 0; e < d->ir->edges; e++) {
        if (!sizing_is_sized(d->ir, e)) continue;
        printf("%s\n    \"%s\": {\"bits\": %" PRId64 ", \"safe\": %" PRId64 ", \"timed\": %" PRId64
               ", \"least\": %" PRId64 "}",
               first ? "" : ",", d->ir->edge[e].name, cost_edge_bits(d->ir, &d->ir->edge[e]), d->safe[e], d->timed[e],
               d->least[e]);
        first = false;
    }
    printf("\n  },\n  \"safe_bits\": %" PRId64 ",\n  \"timed_bits\": %" PRId64 ",\n  \"least_bits\": %" PRId64
           ",\n  \"uniform_bits\": %" PRId64 ",\n  \"timed_to_least\": %.4f\n}\n",
           d->all_safe, d->all_timed, d->all_least, d->uniform, ratio(d->all_timed, d->all_least));
}

// Prints a row for each FIFO, then the sums of their bits.
static void print_table(const struct depths *d) {
    printf(" bits    safe   timed   least  stream\n");
    for (int e = 0; e < d->ir->edges; e++)
        if (sizing_is_sized(d->ir, e))
            printf("%5" PRId64 " %7" PRId64 " %7" PRId64 " %7" PRId64 "  %s\n", cost_edge_bits(d->ir, &d->ir->edge[e]),
                   d->safe[e], d->timed[e], d->least[e], d->ir->edge[e].name);
    printf("\n%d FIFOs, bits in all: safe rule %" PRId64 ", timed %" PRId64 ", least for the same cycles %" PRId64 "\n",
           d->sized, d->all_safe, d->all_timed, d->all_least);
    printf(
        "timed / least %.3f; saved against the safe rule %.1f %%, against the deepest timed depth everywhere (%" PRId64
        ") %.1f %%\n",
        ratio(d->all_timed, d->all_least), 100 * (1 - ratio(d->all_timed, d->all_safe)), d->uniform,
        100 * (1 - ratio(d->all_timed, d->uniform)));
}

static int start(struct run *run, void *options) {
    const struct depths_options *o = options;
    struct depths d = {.ir = command_design(run, &o->design)};
    if (!d.ir) return RILL_BAD_SPEC;
    const char *missing = NULL;
    if (!find_depths(&d, &missing)) {
        if (missing) diag_command("depths", "error", MSG_NO_CONTRACT, missing);
        else diag_command("depths", "error", MSG_DEPTHS_DEADLOCK);
        return RILL_BAD_SPEC;
    }
    add_up(&d);
    if (o->json) print_json(&d);
    else print_table(&d);
    return RILL_OK;
}

static const struct option_row rows[] = {
    {"--json", NULL, OPTION_FLAG, 0, offsetof(struct depths_options, json), .help = "print JSON"}, {0}};

const struct command command_depths = {
    .options = {.name = "depths",
                .purpose = "compare FIFO depths: safe rule, timing contracts, and least for the same cycles",
                .example = "rill depths model.yaml",
                .page = "fifos",
                .table = {DESIGN_TABLES(struct depths_options, design, rows)}},
    .size = sizeof(struct depths_options),
    .start = start};
