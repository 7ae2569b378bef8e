// SPDX-License-Identifier: Apache-2.0
// rill platform: prints the platform figures of a board file, or compares them with the output of the vendor's tools.
// gen/device reads that output and compares it.
#include <string.h>

#include "gen/command/command.h"
#include "gen/device/platform.h"

struct platform_options {
    const char *board, *compare;
    struct platform_build build; // the build that a utilization report is about
    bool json;
};

static void add_resources(const char *title, const struct device_resources *r, struct text *out) {
    text_addf(out, "  %-26s %8d %8d %7d %6d %6d\n", title, r->lut, r->ff, r->bram36, r->uram, r->dsp);
}

// Prints the resources of the dies and of the platform's cells, and the budget that remains for designs.
static void print_board(const struct rill_device *d, struct arena *arena, struct text *out) {
    const struct device_resources all = device_total(d), *cells = &d->platform_cells;
    struct device_resources budget = all;
    budget.lut -= cells->lut, budget.ff -= cells->ff, budget.bram36 -= cells->bram36, budget.uram -= cells->uram,
        budget.dsp -= cells->dsp;
    text_addf(out, "%s: platform %s\n\n  %-26s %8s %8s %7s %6s %6s\n", d->name, d->platform, "", "LUT", "FF", "BRAM36",
              "URAM", "DSP");
    for (size_t i = 0; i < d->slr_count; i++) {
        add_resources(d->slrs[i].name, &d->slrs[i].total, out);
        add_resources(arena_printf(arena, "  of it in the region"), &d->slrs[i].region, out);
    }
    add_resources("device", &all, out);
    add_resources("  cells of the platform", cells, out);
    add_resources("  budget of designs", &budget, out);
    text_add(out, "\n");
    for (size_t i = 0; d->sll && i + 1 < d->slr_count; i++)
        text_addf(out, "  %s to %s: %d wires, %d of them in the region; the platform uses %d\n", d->slrs[i].name,
                  d->slrs[i + 1].name, d->sll, d->sll_region, d->slrs[i].platform_wires);
}

// Returns the tools' figure in words: a number, a range, or a bound on one side.
static const char *range(const struct platform_row *row, struct arena *arena) {
    enum { NO_BOUND = 1000000000 }; // an upper end from here on means that there is none
    if (row->high >= NO_BOUND) return arena_printf(arena, "%.0f or more", row->low);
    if (row->low <= 0 && row->high > 0) return arena_printf(arena, "at most %.10g", row->high);
    if (row->low < row->high) return arena_printf(arena, "%.10g to %.10g", row->low, row->high);
    return arena_printf(arena, "%.10g", row->low);
}

static int count_wrong(const struct platform_said *said, const struct platform_verdict *v) {
    int wrong = 0;
    for (size_t i = 0; i < said->rows.count; i++) wrong += !v[i].agrees;
    return wrong;
}

// Prints a row for each compared figure, then the places of those that differ.
static void print_verdicts(const struct rill_device *d, const struct platform_options *o,
                           const struct platform_said *said, const struct platform_verdict *v, struct arena *arena,
                           struct text *out) {
    int wrong = count_wrong(said, v);
    text_addf(out, "%s compared with %s (%s)\n\n  %-28s %12s  %s\n", d->path, o->compare, said->format, "figure",
              "board file", "tools");
    for (size_t i = 0; i < said->rows.count; i++)
        text_addf(out, "  %-28s %12.0f  %-22s %s\n", platform_figure_name(v[i].row, arena), v[i].board,
                  range(v[i].row, arena), v[i].agrees ? "agrees" : "DIFFERS");
    text_addf(out, "\n%zu figures compared, %d differ\n", said->rows.count, wrong);
    for (size_t i = 0; i < said->rows.count; i++)
        if (!v[i].agrees)
            text_addf(out, "%s:%u:%u: %s is %.0f; %s:%u:%u has %s\n", d->path, v[i].at.line, v[i].at.col, v[i].key,
                      v[i].board, o->compare, v[i].row->loc.line, v[i].row->loc.col, range(v[i].row, arena));
    if (wrong)
        text_addf(out, "Copy %s, write the tools' figures into the copy, and name it with `board:` in your spec.\n",
                  d->path);
}

static void print_json(const struct rill_device *d, const struct platform_options *o, const struct platform_said *said,
                       const struct platform_verdict *v, struct arena *arena, struct text *out) {
    text_add(out, "{\"board\": ");
    text_add_json_string(out, d->path, strlen(d->path));
    text_add(out, ", \"file\": ");
    text_add_json_string(out, o->compare, strlen(o->compare));
    text_addf(out, ", \"format\": \"%s\", \"differ\": %d, \"figures\": [", said->format, count_wrong(said, v));
    for (size_t i = 0; i < said->rows.count; i++) {
        text_addf(out, "%s\n  {\"figure\": \"%s\", \"key\": \"%s\", \"board\": %.0f, \"low\": %.10g", i ? "," : "",
                  platform_figure_name(v[i].row, arena), v[i].key, v[i].board, v[i].row->low);
        if (v[i].row->high < 1e9) text_addf(out, ", \"high\": %.10g", v[i].row->high);
        text_addf(out, ", \"agrees\": %s, \"board_line\": %u, \"line\": %u}", v[i].agrees ? "true" : "false",
                  v[i].at.line, v[i].row->loc.line);
    }
    text_add(out, "]}\n");
}

// Compares the board file with a report of the vendor's tools and prints the result. Returns the exit status, which is
// 1 if a figure differs.
static int compare(struct run *run, const struct rill_device *d, const struct platform_options *o, struct text *out) {
    const struct platform_said *said = platform_read(o->compare, d, &o->build, &run->arena, &run->diag);
    const struct platform_verdict *v = said ? platform_compare(d, said, &run->arena, &run->diag) : NULL;
    if (!v) return RILL_BAD_SPEC;
    if (said->platform && strcmp(said->platform, d->platform) != 0)
        diag_warning(&run->diag, said->platform_loc, MSG_PLATFORM_NAME, said->platform, d->platform);
    if (o->json) print_json(d, o, said, v, &run->arena, out);
    else print_verdicts(d, o, said, v, &run->arena, out);
    int status = command_print(out);
    return status == RILL_OK && count_wrong(said, v) ? RILL_BAD_SPEC : status;
}

static int start(struct run *run, void *options) {
    const struct platform_options *o = options;
    struct text out = {0};
    const struct rill_device *d =
        rill_device_find(o->board, ".", loc_file(&run->arena, o->board), &run->arena, &run->diag);
    if (!d) return RILL_BAD_SPEC;
    if (o->compare) return compare(run, d, o, &out);
    print_board(d, &run->arena, &out);
    return command_print(&out);
}

#define AT(member) offsetof(struct platform_options, member)
static const struct option_row rows[] = {
    {"BOARD", NULL, OPTION_FILE, 0, AT(board), .preset = "u55c", .names = "boards",
     .help = "name or path of the board file"},
    {"--compare", "FILE", OPTION_FILE, 0, AT(compare),
     .help =
         "output of `platforminfo` (text or JSON), or a utilization report of Vivado, by site type, by hierarchy or "
         "by kernel"},
    {"--kernel", "NAME", OPTION_WORD, 0, AT(build.kernel), .with = "--compare",
     .help = "instance of the kernel in a report by hierarchy; the rest of the build is the platform's"},
    {"--ports", "N", OPTION_NUMBER, 0, AT(build.ports), 0, 64, .given = AT(build.has_ports), .with = "--compare",
     .help = "memory ports of the kernel in the report; the platform may have cells for each of them"},
    {"--json", NULL, OPTION_FLAG, 0, AT(json), .with = "--compare", .help = "print the comparison as JSON"},
    {0}};

const struct command command_platform = {
    .options =
        {.name = "platform",
         .purpose = "print a board's platform, or compare the board file with the vendor's tools",
         .about = "The output of `platforminfo` is compared with the dynamic region. A utilization report is compared "
                  "with the dies, the wires between them, and the platform's cells, which are all cells of a "
                  "build except its kernel. The exit status is 1 if a figure differs.",
         .example = "rill platform u55c\nrill platform u55c --compare info.txt",
         .page = "boards",
         .table = {{rows, 0}}},
    .size = sizeof(struct platform_options),
    .start = start};
