// SPDX-License-Identifier: Apache-2.0
// rill check: reads a spec, runs every pass and prints what would be built.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gen/command.h"
#include "include/timing.h"
#include "gen/emit/emit_report.h"
#include "include/ops.h"
#include "gen/pass/pass.h"
#include "gen/timing/depths.h"
#include "include/cost.h"

static const char check_usage[] =
    "usage: rill check SPEC [what is printed] [options] [--hbm KEY=VALUE]... [--clock MHZ]\n"
    "       rill check --passes   |   rill check --operations   |   rill check --hbm help\n"
    "Without an option: the graph and the design as they would be built, and what other FIFO depths would take.\n"
    "\n"
    "What is printed, one of:\n"
    "  --types         the itensor type of every stream\n"
    "  --memory        on-chip memory of intermediates, groups, pools\n"
    "  --depths        depths of each FIFO: safe rule, timing contracts, least for the same cycles\n"
    "  --request I:O   tokens/s, time to the first id and latency of a request of I ids (or rows) in and O ids out\n"
    "  --timeline      cycles of each step of a request and what the FIFOs hold, from timing contracts alone\n"
    "  --json          as JSON: the design, or any of these but --types\n"
    "\n"
    "With --memory:\n"
    "  --positions N   positions of the whole tensors that it compares with (default: those of a step)\n"
    "\n"
    "With --timeline:\n"
    "  --prompt-len N  ids (or rows) of the request (default: two whole steps)\n"
    "  --tokens N      ids to make (default 3)\n"
    "  --ids A,B,...   ids of the first positions, the prompt's and those made: their rows' addresses (default: some)\n"
    "  --unchecked     where the context has no room for so many ids, stop at its end\n"
    "  --unbounded     as if no FIFO were ever full\n"
    "  --no-refresh    as if the memory never refreshed: no word is late by luck\n"
    "  --beats FILE    the cycle of every word: a line with edge number, cycle, end of firing\n"
    "\n"
    "With --request:\n"
    "  --kept          a request behind another one of the same image: its vector parameters are on chip\n"
    "\n"
    "With --timeline or --request:\n"
    "  --start N       cycles that the memory has run when the first step, or the request, begins: its refreshes "
    "(default: after reset)\n"
    "\n"
    "With all of them:\n"
    "  --hbm KEY=VALUE another figure of the board's memory; may be repeated\n"
    "  --clock MHZ     another clock than the spec's, up to the board's limit\n"
    "\n"
    "Without a spec:\n"
    "  --passes        the compiler's passes, in order\n"
    "  --operations    the operations, a table in Markdown\n"
    "  --hbm help      the figures of a board's memory\n";

static int list_passes(void) {
    for (int p = 0; pass_table[p].name; p++) puts(pass_table[p].name);
    return RILL_OK;
}

// The operations table as Markdown, for docs/spec.md.
static int list_operations(void) {
    puts("| operation | in | out | attributes | what it computes |\n|---|---|---|---|---|");
    struct arena arena;
    arena_init(&arena);
    for (int op = 0; op < ir_spec_ops(); op++) {
        const struct ir_composite row = ir_spec_op(op);
        struct ir_op_attr attr[IR_MAX_OP_ATTRS];
        int count = ir_attr_column(row.attributes, attr);
        printf("| `%s` | %d | %d | ", row.name, row.inputs, row.outputs);
        for (int i = 0; i < count; i++) {
            static const char *const kinds[] = {"integer", "number", "string", "list", ""};
            bool words = attr[i].kind == IR_ATTR_WORD;
            printf("%s`%s`: %s%s%s%s", i ? ", " : "", attr[i].name, words ? "" : kinds[attr[i].kind],
                   ir_op_attr_legal(&attr[i], &arena) + words,
                   attr[i].has_default ? " = "
                   : attr[i].required  ? ""
                                       : ", optional",
                   attr[i].text);
        }
        printf(" | %s |\n", row.doc);
    }
    arena_free(&arena);
    return RILL_OK;
}

enum { MOST_OVERRIDES = 64 };

struct check_options {
    const char *hbm[MOST_OVERRIDES + 1];
    double clock_mhz;
    const char *spec, *request;
    bool json, timeline, depths, types, memory, kept;
    int64_t positions;
    struct timeline_options t;
};

static bool parse_flag(const char *arg, struct check_options *o) {
    if (!strcmp(arg, "--json")) o->json = o->t.json = true;
    else if (!strcmp(arg, "--types")) o->types = true;
    else if (!strcmp(arg, "--memory")) o->memory = true;
    else if (!strcmp(arg, "--timeline")) o->timeline = true;
    else if (!strcmp(arg, "--depths")) o->depths = true;
    else if (!strcmp(arg, "--unbounded")) o->t.unbounded = true;
    else if (!strcmp(arg, "--unchecked")) o->t.unchecked = true;
    else if (!strcmp(arg, "--kept")) o->kept = true;
    else if (!strcmp(arg, "--no-refresh")) o->t.no_refresh = true;
    else if (arg[0] != '-' && !o->spec) o->spec = arg;
    else return false;
    return true;
}

static int add_override(struct check_options *o, const char *value) {
    struct hbm_figures alone = {0};
    struct arena arena;
    int count = 0;
    arena_init(&arena);
    const char *why = hbm_figures_set(&arena, &alone, value);
    if (why) fprintf(stderr, "rill check: error: --hbm: %s\n(`rill check --hbm help` lists them)\n", why);
    arena_free(&arena);
    if (why) return RILL_USAGE;
    while (o->hbm[count]) count++;
    if (count == MOST_OVERRIDES)
        return fprintf(stderr, "rill check: error: more than %d times `--hbm`\n", MOST_OVERRIDES), RILL_USAGE;
    o->hbm[count] = value;
    return RILL_OK;
}

static int read_clock(struct check_options *o, const char *value) {
    char *end;
    o->clock_mhz = strtod(value, &end);
    if (end != value && !*end && o->clock_mhz > 0) return RILL_OK;
    return fprintf(stderr, "rill check: error: --clock takes a number of MHz, not `%s`\n", value), RILL_USAGE;
}

// Exit status; RILL_OK to go on.
static int parse_value(const char *arg, const char *value, struct check_options *o) {
    static const struct {
        const char *name;
        size_t offset;
        int least;
    } numbers[] = {{"--positions", offsetof(struct check_options, positions), 1},
                   {"--prompt-len", offsetof(struct check_options, t.prompt), 1},
                   {"--tokens", offsetof(struct check_options, t.tokens), 1},
                   {"--start", offsetof(struct check_options, t.start), 0}};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (!strcmp(arg, numbers[i].name))
            return command_number("check", arg, value, numbers[i].least, (int64_t *)((char *)o + numbers[i].offset))
                       ? RILL_OK
                       : RILL_USAGE;
    if (!strcmp(arg, "--hbm")) return add_override(o, value);
    if (!strcmp(arg, "--clock")) return read_clock(o, value);
    if (!strcmp(arg, "--request")) o->request = value;
    else if (!strcmp(arg, "--beats")) o->t.beats = value;
    else if (!strcmp(arg, "--ids")) o->t.ids = value;
    else return RILL_BAD_SPEC;
    return RILL_OK;
}

// One thing is printed; an option of another one would change nothing.
static int check_together(const struct check_options *o) {
    const struct {
        const char *name;
        bool given;
    } what[] = {{"--types", o->types},
                {"--memory", o->memory},
                {"--depths", o->depths},
                {"--timeline", o->timeline},
                {"--request", o->request}};
    const struct {
        const char *name;
        bool given, used;
        const char *with;
    } extra[] = {{"--json", o->json && o->types, false, "the other outputs, not with `--types`"},
                 {"--positions", o->positions > 0, o->memory, "`--memory`"},
                 {"--prompt-len", o->t.prompt > 0, o->timeline, "`--timeline`"},
                 {"--tokens", o->t.tokens > 0, o->timeline, "`--timeline`"},
                 {"--ids", o->t.ids, o->timeline, "`--timeline`"},
                 {"--unbounded", o->t.unbounded, o->timeline, "`--timeline`"},
                 {"--no-refresh", o->t.no_refresh, o->timeline, "`--timeline`"},
                 {"--unchecked", o->t.unchecked, o->timeline, "`--timeline`"},
                 {"--beats", o->t.beats, o->timeline, "`--timeline`"},
                 {"--kept", o->kept, o->request, "`--request`"},
                 {"--start", o->t.start >= 0, o->timeline || o->request, "`--timeline` or `--request`"}};
    const char *first = NULL;
    for (size_t i = 0; i < COUNT_OF(what); i++) {
        if (!what[i].given) continue;
        if (first)
            return fprintf(stderr, "rill check: error: `%s` and `%s` do not go together\n", first, what[i].name),
                   RILL_USAGE;
        first = what[i].name;
    }
    for (size_t i = 0; i < COUNT_OF(extra); i++)
        if (extra[i].given && !extra[i].used)
            return fprintf(stderr, "rill check: error: `%s` goes with %s\n", extra[i].name, extra[i].with), RILL_USAGE;
    return RILL_OK;
}

static int parse(int argc, char **argv, struct check_options *o) {
    for (int i = 1; i < argc; i++) {
        if (parse_flag(argv[i], o)) continue;
        int status = i + 1 < argc ? parse_value(argv[i], argv[i + 1], o) : RILL_BAD_SPEC;
        if (status == RILL_BAD_SPEC) return command_usage(check_usage);
        if (status != RILL_OK) return status;
        i++;
    }
    return o->spec ? check_together(o) : command_missing("check", check_usage, "SPEC");
}

static int64_t fifo_bits(const struct ir *ir) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++) bits += ir->edge[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    return bits;
}

// The design with its depths, once more; what is to be said of it has been said.
static struct ir *build_again(struct ir *ir, const struct check_options *o, bool fifo_auto) {
    const struct build_changes changes = {.hbm = o->hbm, .clock_mhz = o->clock_mhz, .fifo_auto = fifo_auto};
    char *said = NULL;
    size_t len;
    struct diag diag;
    diag_init(&diag, open_memstream(&said, &len));
    struct ir *again = command_build_changed(o->spec, &changes, ir->arena, &diag, "size-fifos");
    fclose(diag.out);
    free(said);
    return again;
}

// What the spec's FIFO depths cost beside those that a forecast would choose, where it asks for others.
static void advise_fifo(struct ir *ir, const struct check_options *o, struct text *out) {
    if (ir->design.strategy && !strncmp(ir->design.strategy, "auto", 4)) return;
    struct ir *best = build_again(ir, o, true), *own = NULL;
    if (best && best->design.fifo != ir->design.fifo) own = build_again(ir, o, false);
    if (!own) return;
    text_addf(out,
              "\nnote: by forecast `fifo: %s` takes %lld cycles for a brief request and %lld bits of FIFOs,\n"
              "`fifo: %s` %lld and %lld; the default, `fifo: auto`, takes the better of safe and timed\n",
              spec_fifo_name(own->design.fifo), (long long)timing_trial(own), (long long)fifo_bits(own),
              spec_fifo_name(best->design.fifo), (long long)timing_trial(best), (long long)fifo_bits(best));
}

int command_check(int argc, char **argv) {
    struct check_options o = {.t = {.start = -1}};
    int wrong = command_arguments("check", check_usage, argc, argv);
    if (wrong != COMMAND_GOES_ON) return wrong;
    for (int i = 1; i < argc; i++) {
        bool passes = !strcmp(argv[i], "--passes"), operations = !strcmp(argv[i], "--operations");
        if ((passes || operations) && argc > 2)
            return command_clash("check", "`--passes` and `--operations` go alone: they are the same for every spec");
        if (passes) return list_passes();
        if (operations) return list_operations();
        if (!strcmp(argv[i], "--hbm") && i + 1 < argc && !strcmp(argv[i + 1], "help"))
            return hbm_figures_list(stdout, false), RILL_OK;
    }
    wrong = parse(argc, argv, &o);
    if (wrong != RILL_OK) return wrong;
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    const struct build_changes changes = {.hbm = o.hbm, .clock_mhz = o.clock_mhz};
    struct ir *ir = command_build_changed(o.spec, &changes, &arena, &diag, NULL);
    if (ir) emit_report_capacity(ir, loc_file(&arena, o.spec), &diag);
    struct text text = {0};
    int status = ir ? RILL_OK : RILL_BAD_SPEC;
    if (ir && o.request)
        status = command_forecast(ir, o.request, o.t.start < 0 ? timing_host_cycles(ir) : o.t.start, o.kept, o.json);
    else if (ir && o.timeline) status = command_timeline(ir, &o.t);
    else if (ir && o.depths) status = command_depths(ir, o.json);
    else if (ir && o.types) emit_report_types(ir, &text);
    else if (ir && o.memory && o.json) emit_report_memory_json(ir, o.positions, &text);
    else if (ir && o.memory) emit_report_memory(ir, o.positions, &text);
    else if (ir && o.json) emit_report_json(ir, &text);
    else if (ir) emit_report_summary(ir, &text), advise_fifo(ir, &o, &text);
    fputs(text_cstr(&text), stdout);
    text_free(&text);
    arena_free(&arena);
    return status;
}
