// SPDX-License-Identifier: Apache-2.0
// rill report: prints a generated design's report, or makes a page of it.
#include <string.h>

#include "gen/command.h"
#include "gen/pass/pass.h"
#include "gen/report/report_html.h"
#include "gen/report/vendor.h"

static const char usage[] =
    "usage: rill report DIR [--json]   |   rill report DIR --html FILE [--sim RUN.json]\n"
    "       rill report DIR --vendor REPORTS [--json]\n"
    "  DIR             a design that `rill gen` wrote\n"
    "  --json          the report as JSON\n"
    "  --html FILE     one page that needs nothing else: graphs, resources, timeline, FIFOs (needs Graphviz)\n"
    "  --sim RUN.json  with what a simulation measured (`rill sim DIR --json` wrote it)\n"
    "  --vendor REPORTS  a folder with Vivado's reports (*.rpt: report_utilization -hierarchical, "
    "report_timing_summary):\n"
    "                  its figures beside the estimates\n";

struct report_options {
    const char *dir, *html, *sim, *vendor;
    bool json;
};

static bool parse(int argc, char **argv, struct report_options *o) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) o->json = true;
        else if (!strcmp(argv[i], "--html") && i + 1 < argc) o->html = argv[++i];
        else if (!strcmp(argv[i], "--sim") && i + 1 < argc) o->sim = argv[++i];
        else if (!strcmp(argv[i], "--vendor") && i + 1 < argc) o->vendor = argv[++i];
        else if (argv[i][0] != '-' && !o->dir) o->dir = argv[i];
        else return false;
    }
    return o->dir != NULL;
}

// An option beside which another one would change nothing.
static bool go_together(const struct report_options *o) {
    if (o->json && o->html) fputs("rill report: error: `--json` and `--html` do not go together\n", stderr);
    else if (o->sim && !o->html) fputs("rill report: error: `--sim` goes with `--html`\n", stderr);
    else if (o->vendor && o->html) fputs("rill report: error: `--vendor` and `--html` do not go together\n", stderr);
    else return true;
    return false;
}

static int print_report(struct arena *arena, const struct report_options *o) {
    size_t len;
    const char *why, *path = arena_printf(arena, "%s/report.%s", o->dir, o->json ? "json" : "txt");
    const char *data = file_read(arena, path, 64 << 20, &len, &why);
    if (data) fwrite(data, 1, len, stdout);
    else fprintf(stderr, "%s: error: %s (is it a directory that `rill gen` wrote?)\n", path, why);
    return data ? RILL_OK : RILL_BAD_SPEC;
}

static const char *last_pass(void) {
    int p = 0;
    while (pass_table[p + 1].name) p++;
    return pass_table[p].name;
}

static struct ir *read_design(struct arena *arena, const char *dir, struct diag *diag) {
    const char *path = arena_printf(arena, "%s/design.yaml", dir);
    struct ir *ir = ir_read(arena, path, diag);
    if (!ir || (ir->done && !strcmp(ir->done, last_pass()))) return ir;
    diag_error(diag, loc_file(arena, path), "ends after pass `%s`: no finished design", ir->done ? ir->done : "");
    return NULL;
}

static bool make_page(struct arena *arena, struct diag *diag, const struct report_options *o, struct text *page) {
    struct ir *ir = read_design(arena, o->dir, diag);
    if (!ir) return false;
    const struct measured *measured = o->sim ? measured_read(ir, o->sim, diag) : NULL;
    return (measured || !o->sim) && report_html(ir, measured, page, diag);
}

static int print_vendor(struct arena *arena, const struct report_options *o) {
    struct diag diag;
    struct text text = {0};
    diag_init(&diag, stderr);
    struct ir *ir = read_design(arena, o->dir, &diag);
    const struct vendor *v = ir ? vendor_read(arena, o->vendor, &diag) : NULL;
    if (v && o->json) vendor_json(ir, v, &text);
    else if (v) vendor_text(ir, v, &text);
    fputs(text_cstr(&text), stdout);
    text_free(&text);
    return v ? RILL_OK : RILL_BAD_SPEC;
}

static int write_page(struct arena *arena, const struct report_options *o) {
    struct diag diag;
    struct text page = {0};
    diag_init(&diag, stderr);
    bool ok = make_page(arena, &diag, o, &page);
    const char *why = ok ? file_write_text(arena, o->html, &page) : NULL;
    if (why) diag_error(&diag, loc_none(), "%s", why);
    text_free(&page);
    return ok && !why ? RILL_OK : RILL_BAD_SPEC;
}

int command_report(int argc, char **argv) {
    struct report_options o = {0};
    int status = command_arguments("report", usage, argc, argv);
    if (status != COMMAND_GOES_ON) return status;
    if (!parse(argc, argv, &o)) return command_usage(usage);
    if (!go_together(&o)) return RILL_USAGE;
    struct arena arena;
    arena_init(&arena);
    status = o.html ? write_page(&arena, &o) : o.vendor ? print_vendor(&arena, &o) : print_report(&arena, &o);
    arena_free(&arena);
    return status;
}
