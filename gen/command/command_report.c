// SPDX-License-Identifier: Apache-2.0
// rill report: prints a generated design's report, writes it as a web page, or compares its estimates with Vivado's
// reports. gen/report makes the texts.
#include <string.h>

#include "gen/command/command.h"
#include "gen/pass/pass.h"
#include "gen/report/report_html.h"
#include "gen/report/vendor.h"
#include "gen/kernel/kernel.h"

struct report_options {
    const char *dir, *html, *sim, *vendor, *timing; // paths; all but dir may be NULL
    bool json;
};

static int print_report(struct arena *arena, const struct report_options *o) {
    size_t len;
    const char *why, *path = arena_printf(arena, "%s/report.%s", o->dir, o->json ? "json" : "txt");
    const char *data = file_read(arena, path, 64 << 20, &len, &why);
    if (data) fwrite(data, 1, len, stdout);
    else diag_command("report", "error", MSG_DESIGN_UNREADABLE, o->dir);
    return data ? RILL_OK : RILL_BAD_SPEC;
}

// Reads design.yaml, to which all passes must have been applied. Returns NULL after an error.
static struct ir *read_design(struct arena *arena, const char *dir, struct diag *diag) {
    const char *path = arena_printf(arena, "%s/design.yaml", dir);
    struct ir *ir = kernel_read_design(arena, path, diag);
    if (!ir || (ir->done && !strcmp(ir->done, pass_last()))) return ir;
    diag_error(diag, loc_file(arena, path), MSG_DESIGN_UNFINISHED, ir->done ? ir->done : "");
    return NULL;
}

// Makes the HTML page, with the results of a simulation if --sim names them.
static bool make_page(struct run *run, const struct report_options *o, struct text *page) {
    struct arena *arena = &run->arena;
    struct diag *diag = &run->diag;
    struct clock_model clock;
    struct ir *ir = read_design(arena, o->dir, diag);
    if (!ir || !command_clock(run, ir, o->timing, arena_printf(arena, "%s/design.yaml", o->dir), &clock)) return false;
    const struct measured *measured = o->sim ? measured_read(ir, o->sim, diag) : NULL;
    return (measured || !o->sim) && report_html(ir, &clock, measured, page, diag);
}

static int print_vendor(struct run *run, const struct report_options *o) {
    struct text text = {0};
    struct ir *ir = read_design(&run->arena, o->dir, &run->diag);
    const struct vendor *v = ir ? vendor_read(&run->arena, o->vendor, &run->diag) : NULL;
    if (v && o->json) vendor_json(ir, v, &text);
    else if (v) vendor_text(ir, v, &text);
    command_print(&text);
    return v ? RILL_OK : RILL_BAD_SPEC;
}

static int write_page(struct run *run, const struct report_options *o) {
    struct text page = {0};
    bool ok = make_page(run, o, &page);
    const char *why = ok ? file_write_text(&run->arena, o->html, &page) : NULL;
    if (why) diag_error_text(&run->diag, loc_none(), why);
    text_free(&page);
    return ok && !why ? RILL_OK : RILL_BAD_SPEC;
}

static int start(struct run *run, void *options) {
    const struct report_options *o = options;
    if (!command_takes_folder("report", o->dir)) return RILL_BAD_SPEC;
    return o->html ? write_page(run, o) : o->vendor ? print_vendor(run, o) : print_report(&run->arena, o);
}

#define AT(member) offsetof(struct report_options, member)
static const struct option_row rows[] = {
    {"DIR", NULL, OPTION_FILE, OPTION_NEEDED, AT(dir), .help = "a design that `rill gen` wrote"},
    {"--json", NULL, OPTION_FLAG, 0, AT(json), .without = "--html", .help = "print the report as JSON"},
    {"--html", "FILE", OPTION_FILE, 0, AT(html), .without = "--json --vendor",
     .help = "write one self-contained HTML page with graphs, resources, timeline and FIFOs (needs "
             "Graphviz)"},
    {"--sim", "RUN.json", OPTION_FILE, 0, AT(sim), .with = "--html",
     .help = "add what a simulation measured (RUN.json from `rill sim DIR --json`)"},
    {"--timing", "FILE", OPTION_FILE, 0, AT(timing), .with = "--html",
     .help = "record of the delay model (default: the one that the spec had when `rill gen` "
             "ran)"},
    {"--vendor", "REPORTS", OPTION_FILE, 0, AT(vendor), .without = "--html",
     .help = "compare with Vivado's reports in a folder (*.rpt from report_utilization -hierarchical and "
             "report_timing_summary)"},
    {0}};

const struct command command_report = {.options = {.name = "report",
                                                   .purpose = "print the report of a design, or write it as a web page",
                                                   .example = "rill report design --html report.html",
                                                   .page = "report",
                                                   .table = {{rows, 0}}},
                                       .size = sizeof(struct report_options),
                                       .start = start};
