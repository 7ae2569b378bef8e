// SPDX-License-Identifier: Apache-2.0
// Section of the report about the errors of the estimates: compares the estimated resources of the design's kernels
// with syntheses of their modules (verif/cost/measured.txt, docs/cost.md).
#include <string.h>

#include "gen/report/report_parts.h"

static bool is_first_of_module(const struct ir *ir, int kernel) {
    for (int k = 0; k < kernel; k++)
        if (!strcmp(ir->kernel[k].module, ir->kernel[kernel].module)) return false;
    return true;
}

static int count_of_module(const struct ir *ir, const char *module) {
    int n = 0;
    for (int k = 0; k < ir->kernels; k++) n += !strcmp(ir->kernel[k].module, module);
    return n;
}

static struct cost_resources sum_of_module(const struct report *r, const char *module) {
    struct cost_resources sum = {0};
    for (int k = 0; k < r->ir->kernels; k++)
        if (!strcmp(r->ir->kernel[k].module, module)) cost_add(&sum, &r->cost.kernel[k], 1);
    return sum;
}

static void add_fit_of(const struct cost_fit_of *fit, struct text *out) {
    if (fit->rows) text_addf(out, "%9.1f%7.1f", fit->mean, fit->worst);
    else text_addf(out, "%9s%7s", "-", "-");
}

// Adds the row of a module: the number of its kernels, the sum of their estimates, the number of syntheses with which
// the module's formula is compared, and the errors of the formula.
static void add_module(const struct report *r, const char *module, struct text *out) {
    struct cost_fit fit = cost_fit(&r->measured, module);
    struct cost_resources sum = sum_of_module(r, module);
    text_addf(out, "  %-24s%8d%9lld%9lld%6d", module, count_of_module(r->ir, module), (long long)sum.lut,
              (long long)sum.ff, fit.rows);
    add_fit_of(&fit.lut, out);
    add_fit_of(&fit.ff, out);
    text_add(out, "\n");
}

// Returns the synthesis of a kernel's module with the same parameters, or NULL if there is none.
static const struct cost_row *row_of(const struct report *r, int kernel) {
    const struct ir_kernel *k = &r->ir->kernel[kernel];
    return cost_row_of(&r->measured, k->module, k->param, k->params);
}

static void add_pair(int64_t estimate, int64_t measured, struct text *out) {
    text_addf(out, "%9lld%9lld", (long long)estimate, (long long)measured);
}

static void add_kernel(const struct report *r, int kernel, const struct cost_row *row, struct text *out) {
    const struct cost_resources *e = &r->cost.kernel[kernel], *m = &row->is;
    text_addf(out, "  %-34s", r->ir->kernel[kernel].name);
    add_pair(e->lut, m->lut, out);
    add_pair(e->ff, m->ff, out);
    add_pair(e->dsp, m->dsp, out);
    text_addf(out, "%9.1f%9.1f", (double)e->bram18 / 2, (double)m->bram18 / 2);
    add_pair(e->uram, m->uram, out);
    text_add(out, "\n");
}

void report_fit(const struct report *r, struct text *out) {
    if (!r->measured.count) return;
    text_add(out, "\nestimates beside syntheses of the modules alone (verif/cost/measured.txt): the formula's error on "
                  "the rows of each module, in percent\n");
    text_addf(out, "  %-24s%8s%9s%9s%6s%9s%7s%9s%7s\n", "module", "kernels", "LUT", "FF", "rows", "LUT mean", "worst",
              "FF mean", "worst");
    for (int k = 0; k < r->ir->kernels; k++)
        if (r->cost.known[k] && is_first_of_module(r->ir, k)) add_module(r, r->ir->kernel[k].module, out);
    int rows = 0;
    for (int k = 0; k < r->ir->kernels; k++) {
        const struct cost_row *row = row_of(r, k);
        if (!row) continue;
        if (!rows++)
            text_addf(out, "  %-34s%18s%18s%18s%18s%18s\n", "estimated, measured", "LUT", "FF", "DSP", "BRAM36",
                      "URAM");
        add_kernel(r, k, row, out);
    }
}

static void add_fit_json(const char *key, const struct cost_fit_of *fit, struct text *out) {
    if (fit->rows) text_addf(out, ", \"%s\": {\"mean\": %.1f, \"worst\": %.1f}", key, fit->mean, fit->worst);
    else text_addf(out, ", \"%s\": null", key);
}

void report_fit_json(const struct report *r, struct text *out) {
    if (!r->measured.count) return;
    text_add(out, " \"estimate_errors_percent\": [");
    const char *sep = "";
    for (int k = 0; k < r->ir->kernels; k++) {
        const char *module = r->ir->kernel[k].module;
        if (!r->cost.known[k] || !is_first_of_module(r->ir, k)) continue;
        struct cost_fit fit = cost_fit(&r->measured, module);
        text_addf(out, "%s\n  {\"module\": ", sep);
        text_add_json_string(out, module, strlen(module));
        text_addf(out, ", \"rows\": %d", fit.rows);
        add_fit_json("lut", &fit.lut, out);
        add_fit_json("ff", &fit.ff, out);
        text_add(out, "}");
        sep = ",";
    }
    text_add(out, "],\n");
}

void report_measured_json(const struct report *r, int kernel, struct text *out) {
    const struct cost_row *row = row_of(r, kernel);
    struct report_figure f[REPORT_RESOURCES];
    if (!row) return;
    report_figures(&row->is, f);
    text_add(out, ", \"measured\": {");
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        text_addf(out, "%s\"%s\": ", i ? ", " : "", f[i].key);
        report_count(&f[i], 0, out);
    }
    text_add(out, "}");
}
