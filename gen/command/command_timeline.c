// SPDX-License-Identifier: Apache-2.0
// rill timeline: prints the cycles of every step of a request and how full its streams get, without a simulation of
// RTL. gen/timing moves every word by the timing contracts. `rill forecast` prints sums over a whole request instead.
#include <inttypes.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/timing/timing.h"

struct timeline_options {
    struct design_options design;
    int64_t prompt, tokens;                    // 0: default
    int64_t start;                             // cycles that the memory has run before the request
    bool started, unbounded, no_refresh, json; // started: --start is given
    bool unchecked;                            // accept tokens beyond the context, and stop at the context's end
    const char *beats;                         // name of a file, or NULL
    const char *ids;                           // ids of the first positions, separated by commas; NULL: not known
};

static void print_steps(const struct timing_result *r, const struct timing_step *step, int steps, bool json) {
    if (json) printf("{\n  \"cycles\": %" PRId64 ",\n  \"steps\": [", r->cycles);
    else printf("step  position  tokens  cycles\n");
    for (int i = 0; i < steps; i++) {
        int64_t cycles = r->step[i + 1] - r->step[i];
        if (json) printf("%s%" PRId64, i ? ", " : "", cycles);
        else printf("%4d  %8" PRId64 "  %6d  %6" PRId64 "\n", i, step[i].pos, step[i].ntok, cycles);
    }
    if (json) printf("],\n");
    else printf("all  %" PRId64 " cycles\n", r->cycles);
}

static void print_streams(const struct ir *ir, const struct timing_result *r, bool json) {
    if (json) printf("  \"fifos\": {");
    else printf("\n   depth  high water    words  waits  stream\n");
    for (int e = 0; e < ir->edges; e++) {
        const struct timing_edge *t = &r->edge[e];
        if (json)
            printf("%s\n    \"%s\": {\"depth\": %" PRId64 ", \"high_water\": %" PRId64 ", \"waits\": %" PRId64
                   ", \"run_ahead\": %s}",
                   e ? "," : "", ir->edge[e].name, ir->edge[e].depth, t->high_water, t->full,
                   ir->edge[e].run_ahead ? "true" : "false");
        else
            printf("%8" PRId64 "  %10" PRId64 " %8" PRId64 " %6" PRId64 "  %s\n", ir->edge[e].depth, t->high_water,
                   t->words, t->full, ir->edge[e].name);
    }
    if (json) printf("\n  }\n}\n");
}

// Writes a line for each word: index of the edge, cycle in which the word is put, and 1 if the word ends a firing or
// else 0. Returns false after an error.
static bool write_beats(const struct ir *ir, const struct timing_result *r, const char *path) {
    FILE *out = fopen(path, "w");
    if (!out) return false;
    for (int e = 0; e < ir->edges; e++)
        for (int64_t i = 0; i < r->edge[e].words; i++)
            fprintf(out, "%d %" PRId64 " %d\n", e, r->edge[e].put[i], r->edge[e].mark[i] & MARK_LAST);
    return fclose(out) == 0;
}

// Reads a list of ids into options->id. Returns false if the text is not such a list.
static bool read_ids(struct ir *ir, const char *text, struct timing_options *options) {
    int64_t *id = ARENA_ARRAY(ir->arena, int64_t, strlen(text) + 1);
    options->id = id;
    for (;;) {
        char *end;
        if (*text < '0' || *text > '9') return false;
        id[options->ids] = strtoll(text, &end, 10);
        if (id[options->ids++] > INT32_MAX) return false;
        if (*end != ',') return !*end;
        text = end + 1;
    }
}

// Runs the timing model over the steps of the request and prints the result. Returns the exit status.
static int print_timeline(struct ir *ir, const struct timeline_options *o) {
    struct timing_step *step;
    int64_t prompt = o->prompt > 0 ? o->prompt : 2 * ir->design.tokens;
    if (o->prompt > ir->design.context) {
        diag_command("timeline", "error", MSG_TIMELINE_BEYOND, o->prompt, (int64_t)ir->design.context);
        return RILL_BAD_SPEC;
    }
    if (prompt > ir->design.context) prompt = ir->design.context;
    int64_t room = ir->design.context - prompt + 1;
    if (ir->design.is_lm && !o->unchecked && o->tokens > room) {
        diag_command("timeline", "error", MSG_NEW_TOKENS_BEYOND, o->tokens, prompt, ir->design.context, room);
        return RILL_BAD_SPEC;
    }
    int steps = timing_request_steps(ir, prompt, o->tokens > 0 ? o->tokens : 3, &step);
    struct timing_options options = {.step = step, .steps = steps, .bounded = !o->unbounded};
    options.memory = timing_memory_at(ir, timing_host_cycles(ir));
    if (o->started) options.memory.start = o->start;
    if (o->no_refresh) options.memory.refreshes = false;
    if (o->ids && !ir->design.is_lm) return diag_command("timeline", "error", MSG_TIMELINE_ROWS), RILL_BAD_SPEC;
    if (o->ids && !read_ids(ir, o->ids, &options))
        return diag_command("timeline", "error", MSG_TIMELINE_IDS, o->ids, INT32_MAX), RILL_USAGE;
    const char *missing = NULL;
    struct timing_result *r = timing_simulate(ir->arena, ir, &options, &missing);
    if (!r) return diag_command("timeline", "error", MSG_NO_CONTRACT, missing), RILL_BAD_SPEC;
    if (r->stuck) return diag_command("timeline", "error", MSG_FORECAST_DEADLOCK, r->stuck), RILL_BAD_SPEC;
    print_steps(r, step, steps, o->json);
    print_streams(ir, r, o->json);
    if (o->beats && !write_beats(ir, r, o->beats))
        return diag_command("timeline", "error", MSG_FILE_UNWRITABLE, o->beats, strerror(errno)), RILL_BAD_SPEC;
    return RILL_OK;
}

static int start(struct run *run, void *given) {
    const struct timeline_options *o = given;
    struct ir *ir = command_design(run, &o->design);
    return ir ? print_timeline(ir, o) : RILL_BAD_SPEC;
}

#define AT(member) offsetof(struct timeline_options, member)
static const struct option_row rows[] = {
    {"--prompt-len", "N", OPTION_NUMBER, 0, AT(prompt), 1,
     .help = "prompt tokens (or rows) of the request (default: two full steps)"},
    {"--tokens", "N", OPTION_NUMBER, 0, AT(tokens), 1, .help = "generated tokens (default 3)"},
    {"--ids", "A,B,...", OPTION_WORD, 0, AT(ids),
     .help = "token ids of the first positions, prompt and generated, which decide the addresses of table "
             "rows (default: some ids)"},
    {"--unchecked", NULL, OPTION_FLAG, 0, AT(unchecked),
     .help = "if the context has no room for so many tokens, stop at its end"},
    {"--unbounded", NULL, OPTION_FLAG, 0, AT(unbounded), .help = "assume that no FIFO is ever full"},
    {"--no-refresh", NULL, OPTION_FLAG, 0, AT(no_refresh), .help = "assume that the memory never refreshes"},
    {"--start", "N", OPTION_NUMBER, 0, AT(start), 0, .given = AT(started),
     .help = "cycles that the memory has run before the first step, which shift its refreshes (default: "
             "as after a reset)"},
    {"--beats", "FILE", OPTION_FILE, 0, AT(beats),
     .help = "write the cycle of every word: a line with edge number, cycle, end of firing"},
    {"--json", NULL, OPTION_FLAG, 0, AT(json), .help = "print JSON"},
    {0}};

const struct command command_timeline = {
    .options = {.name = "timeline",
                .purpose = "predict the cycles of each step of a request and the fill of the FIFOs",
                .about = "Every word moves by the timing contracts of the kernels, without a simulation of RTL.",
                .example = "rill timeline model.yaml --prompt-len 16 --tokens 4",
                .page = "timing",
                .table = {DESIGN_TABLES(struct timeline_options, design, rows)}},
    .size = sizeof(struct timeline_options),
    .start = start};
