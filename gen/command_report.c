// SPDX-License-Identifier: Apache-2.0
// rill report: prints a generated design's report, or makes a page of it.
#include <string.h>

#include "command.h"
#include "pass/pass.h"
#include "report/report_html.h"

static const char usage[] =
    "usage: rill report DIR [--json]   |   rill report DIR --html FILE [--sim RUN.json]\n"
    "  DIR             a design that `rill gen` wrote\n"
    "  --json          the report as JSON\n"
    "  --html FILE     one page that needs nothing else: graphs, resources, timeline, FIFOs (needs Graphviz)\n"
    "  --sim RUN.json  with what a simulation measured (`rill sim DIR --json` wrote it)\n";

struct report_options {
    const char *dir, *html, *sim;
    bool json;
};

static bool parse(int argc, char **argv, struct report_options *o) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) o->json = true;
        else if (!strcmp(argv[i], "--html") && i + 1 < argc) o->html = argv[++i];
        else if (!strcmp(argv[i], "--sim") && i + 1 < argc) o->sim = argv[++i];
        else if (argv[i][0] != '-' && !o->dir) o->dir = argv[i];
        else return false;
    }
    return o->dir != NULL;
}

// An option beside which another one would change nothing.
static bool go_together(const struct report_options *o) {
    if (o->json && o->html) fputs("rill report: error: `--json` and `--html` do not go together\n", stderr);
    else if (o->sim && !o->html) fputs("rill report: error: `--sim` goes with `--html`\n", stderr);
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

static bool make_page(struct arena *arena, struct diag *diag, const struct report_options *o, struct text *page) {
    const char *path = arena_printf(arena, "%s/design.yaml", o->dir);
    struct ir *ir = ir_read(arena, path, diag);
    if (!ir) return false;
    if (!ir->done || strcmp(ir->done, last_pass()) != 0) {
        diag_error(diag, loc_file(arena, path), "ends after pass `%s`: no finished design", ir->done ? ir->done : "");
        return false;
    }
    const struct measured *measured = o->sim ? measured_read(ir, o->sim, diag) : NULL;
    return (measured || !o->sim) && report_html(ir, measured, page, diag);
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
    status = o.html ? write_page(&arena, &o) : print_report(&arena, &o);
    arena_free(&arena);
    return status;
}
