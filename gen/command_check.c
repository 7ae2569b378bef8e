// SPDX-License-Identifier: Apache-2.0
// rill check: reads a spec, runs every pass and prints what would be built.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "timing.h"
#include "emit/emit_report.h"
#include "ops.h"
#include "pass/pass.h"

static const char check_usage[] =
    "usage: rill check SPEC [--json]   |   rill check --passes   |   rill check --operations\n"
    "       rill check SPEC --types         the itensor type of every stream\n"
    "       rill check SPEC --memory [--positions N] [--json]  on-chip memory of intermediates, groups, pools\n"
    "       rill check SPEC --depths [--json]\n"
    "       rill check SPEC --timeline [--prompt-len N] [--tokens N] [--ids A,B,...] [--unbounded] [--no-refresh] "
    "[--beats FILE]\n"
    "                                       [--json]\n"
    "       rill check SPEC --request IN:OUT [--start N] [--json]\n"
    "       rill check SPEC [--hbm KEY=VALUE]... [--clock MHZ] ...   any of these with other figures\n"
    "       rill check --hbm help           the figures of a board's memory\n"
    "  --request I:O   tokens/s, time to the first id and latency of a request of I ids (or rows) in and O ids out\n"
    "  --depths        depths of each FIFO: safe rule, timing contracts, least for the same cycles\n"
    "  --timeline      cycles of each step of a request and what the FIFOs hold, from timing contracts alone\n"
    "  --positions N   positions of the whole tensors that --memory compares with (default: those of a step)\n"
    "  --prompt-len N  ids (or rows) of the request (default: two whole steps)\n"
    "  --tokens N      ids to make (default 3)\n"
    "  --ids A,B,...   ids of the first positions, the prompt's and those made: their rows' addresses (default: some)\n"
    "  --start N       cycles that the memory has run when the first step, or the request, begins: its refreshes "
    "(default: after reset)\n"
    "  --hbm KEY=VALUE another figure of the board's memory, for all that is printed\n"
    "  --clock MHZ     another clock than the spec's, up to the board's limit\n"
    "  --unbounded     as if no FIFO were ever full\n"
    "  --no-refresh    as if the memory never refreshed: no word is late by luck\n"
    "  --beats FILE    the cycle of every word: a line with edge number, cycle, end of firing\n";

static int list_passes(void) {
    for (int p = 0; pass_table[p].name; p++) puts(pass_table[p].name);
    return RILL_OK;
}

// The operations table as Markdown, for docs/spec.md.
static int list_operations(void) {
    puts("| operation | in | out | attributes | what it computes |\n|---|---|---|---|---|");
    struct arena arena;
    arena_init(&arena);
    const struct ir none = {0}, *ir = &none;
    for (int op = 0; op < IR_OPS; op++) {
        struct ir_op_attr attr[IR_MAX_OP_ATTRS];
        int count = ir_op_attrs(ir, op, attr);
        printf("| `%s` | %d | %d | ", ir_op_of(ir, op)->name, ir_op_of(ir, op)->inputs, ir_op_of(ir, op)->outputs);
        for (int i = 0; i < count; i++) {
            static const char *const kinds[] = {"integer", "number", "string", "list"};
            bool words = attr[i].kind == IR_ATTR_STRING && *attr[i].legal;
            printf("%s`%s`: %s%s%s%s", i ? ", " : "", attr[i].name, words ? "" : kinds[attr[i].kind],
                   ir_op_attr_legal(&attr[i], &arena) + words,
                   attr[i].has_default ? " = "
                   : attr[i].required  ? ""
                                       : ", optional",
                   attr[i].text);
        }
        printf(" | %s |\n", ir_op_of(ir, op)->doc);
    }
    arena_free(&arena);
    return RILL_OK;
}

enum { MOST_OVERRIDES = 64 };

struct check_options {
    const char *hbm[MOST_OVERRIDES + 1];
    double clock_mhz;
    const char *spec, *request;
    bool json, timeline, depths, types, memory;
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
                 {"--beats", o->t.beats, o->timeline, "`--timeline`"},
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
    return o->spec ? check_together(o) : command_usage(check_usage);
}

int command_check(int argc, char **argv) {
    struct check_options o = {.t = {.start = -1}};
    int wrong = command_arguments("check", check_usage, argc, argv);
    if (wrong != COMMAND_GOES_ON) return wrong;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--passes")) return list_passes();
        if (!strcmp(argv[i], "--operations")) return list_operations();
        if (!strcmp(argv[i], "--hbm") && i + 1 < argc && !strcmp(argv[i + 1], "help"))
            return hbm_figures_list(stdout, false), RILL_OK;
    }
    wrong = parse(argc, argv, &o);
    if (wrong != RILL_OK) return wrong;
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    const struct build_changes changes = {o.hbm, o.clock_mhz};
    struct ir *ir = command_build_changed(o.spec, &changes, &arena, &diag, NULL);
    if (ir) emit_report_stock(ir, loc_file(&arena, o.spec), &diag);
    struct text text = {0};
    int status = ir ? RILL_OK : RILL_BAD_SPEC;
    if (ir && o.request)
        status = command_forecast(ir, o.request, o.t.start < 0 ? timing_host_cycles(ir) : o.t.start, o.json);
    else if (ir && o.timeline) status = command_timeline(ir, &o.t);
    else if (ir && o.depths) status = command_depths(ir, o.json);
    else if (ir && o.types) emit_report_types(ir, &text);
    else if (ir && o.memory && o.json) emit_report_memory_json(ir, o.positions, &text);
    else if (ir && o.memory) emit_report_memory(ir, o.positions, &text);
    else if (ir && o.json) emit_report_json(ir, &text);
    else if (ir) emit_report_summary(ir, &text);
    fputs(text_cstr(&text), stdout);
    text_free(&text);
    arena_free(&arena);
    return status;
}
