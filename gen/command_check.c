// SPDX-License-Identifier: Apache-2.0
// rill check: reads a spec, runs every pass and prints what would be built.
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "emit/emit_report.h"
#include "ops.h"
#include "pass/pass.h"

static const char check_usage[] =
    "usage: rill check SPEC [--json]   |   rill check --passes   |   rill check --operations\n"
    "       rill check SPEC --types         the itensor type of every stream\n"
    "       rill check SPEC --memory [--positions N] [--json]  on-chip memory of intermediates, groups, pools\n"
    "       rill check SPEC --depths [--json]\n"
    "       rill check SPEC --timeline [--prompt-len N] [--tokens N] [--unbounded] [--beats FILE] [--json]\n"
    "       rill check SPEC --request IN:OUT [--start N] [--json]\n"
    "  --request I:O   tokens/s, time to the first id and latency of a request of I ids (or rows) in and O ids out\n"
    "  --depths        depths of each FIFO: safe rule, timing contracts, least for the same cycles\n"
    "  --timeline      cycles of each step of a request and what the FIFOs hold, from timing contracts alone\n"
    "  --positions N   positions of the whole tensors that --memory compares with (default: those of a step)\n"
    "  --prompt-len N  ids (or rows) of the request (default: two whole steps)\n"
    "  --tokens N      ids to make (default 3)\n"
    "  --start N       cycles that the memory has run when the first step, or the request, begins: its refreshes (default: after reset)\n"
    "  --unbounded     as if no FIFO were ever full\n"
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
            printf("%s`%s`: %s%s%s%s", i ? ", " : "", attr[i].name, words ? "" : kinds[attr[i].kind], ir_op_attr_legal(&attr[i], &arena) + words,
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

int command_check(int argc, char **argv) {
    const char *spec = NULL, *request = NULL;
    bool json = false, timeline = false, depths = false, types = false, memory = false;
    int64_t positions = 0;
    struct timeline_options t = {.start = -1};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) return fputs(check_usage, stdout), RILL_OK;
        if (!strcmp(argv[i], "--passes")) return list_passes();
        if (!strcmp(argv[i], "--operations")) return list_operations();
        if (!strcmp(argv[i], "--json")) json = t.json = true;
        else if (!strcmp(argv[i], "--types")) types = true;
        else if (!strcmp(argv[i], "--memory")) memory = true;
        else if (!strcmp(argv[i], "--positions") && i + 1 < argc) positions = strtoll(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--timeline")) timeline = true;
        else if (!strcmp(argv[i], "--depths")) depths = true;
        else if (!strcmp(argv[i], "--unbounded")) t.unbounded = true;
        else if (!strcmp(argv[i], "--request") && i + 1 < argc) request = argv[++i];
        else if (!strcmp(argv[i], "--prompt-len") && i + 1 < argc) t.prompt = strtoll(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--tokens") && i + 1 < argc) t.tokens = strtoll(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--start") && i + 1 < argc) t.start = strtoll(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--beats") && i + 1 < argc) t.beats = argv[++i];
        else if (argv[i][0] != '-' && !spec) spec = argv[i];
        else return fputs(check_usage, stderr), RILL_USAGE;
    }
    if (!spec) return fputs(check_usage, stderr), RILL_USAGE;
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    struct ir *ir = command_build(spec, &arena, &diag, NULL);
    struct text text = {0};
    int status = ir ? RILL_OK : RILL_BAD_SPEC;
    if (ir && request) status = command_forecast(ir, request, t.start < 0 ? 0 : t.start, json);
    else if (ir && timeline) status = command_timeline(ir, &t);
    else if (ir && depths) status = command_depths(ir, json);
    else if (ir && types) emit_report_types(ir, &text);
    else if (ir && memory && json) emit_report_memory_json(ir, positions, &text);
    else if (ir && memory) emit_report_memory(ir, positions, &text);
    else if (ir && json) emit_report_json(ir, &text);
    else if (ir) emit_report_summary(ir, &text);
    fputs(text_cstr(&text), stdout);
    text_free(&text);
    arena_free(&arena);
    return status;
}
