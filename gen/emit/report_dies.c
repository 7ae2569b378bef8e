// SPDX-License-Identifier: Apache-2.0
// The report's partition over dies: what each takes of its stock, what crosses each boundary.
#include <string.h>

#include "gen/emit/report.h"

bool report_has_dies(const struct report *r) { return r->ir->design.dies > 1 && r->ir->dies > 1; }

static int kernels_on(const struct ir *ir, int die) {
    int count = 0;
    for (int k = 0; k < ir->kernels; k++) count += ir->kernel[k].die == die;
    return count;
}

static double share(int64_t part, int64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void report_crossing(const struct report *r, const struct ir_edge *edge, int from, int to, struct text *out) {
    const struct ir *ir = r->ir;
    text_addf(out, "  %-10s -> %-10s %5lld bits  %s%s%s\n", ir->die[from].name, ir->die[to].name,
              (long long)cost_stream_bits(ir, edge), edge->name, edge->pool == IR_NONE ? "" : " by ",
              edge->pool == IR_NONE ? "" : ir->kernel[edge->pool].name);
}

void report_dies(const struct report *r, struct text *out) {
    const struct ir *ir = r->ir;
    if (!report_has_dies(r)) return;
    text_addf(out, "\ndies: %s; share of what the shell leaves, %%\n",
              ir->design.placement ? ir->design.placement : "-");
    text_add(out, "  die         kernels   lanes     LUT     FF    DSP BRAM36   URAM\n");
    for (int d = 0; d < ir->dies; d++) {
        struct cost_resources c = cost_die(ir, &r->cost, d);
        const struct ir_die *die = &ir->die[d];
        int lanes = 0;
        for (int e = 0; e < ir->engines; e++)
            for (int l = 0; l < ir->engine[e].channels; l++) lanes += ir->engine[e].lane_die[l] == d;
        text_addf(out, "  %-10s %8d %7d %7.1f%7.1f%7.1f%7.1f%7.1f\n", die->name, kernels_on(ir, d), lanes,
                  share(c.lut, die->lut), share(c.ff, die->ff), share(c.dsp, die->dsp),
                  share(c.bram18, 2 * die->bram36), share(c.uram, die->uram));
    }
    for (int b = 0; b + 1 < ir->dies; b++) {
        int64_t bits = cost_boundary_bits(ir, b);
        text_addf(out, "  %s to %s: %lld bits cross", ir->die[b].name, ir->die[b + 1].name, (long long)bits);
        if (ir->design.sll)
            text_addf(out, ", %.1f %% of %lld wires", share(bits, ir->design.sll), (long long)ir->design.sll);
        text_add(out, "\n");
    }
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int from = ir->kernel[edge->src_kernel].die, to = ir->kernel[edge->dst_kernel].die,
            home = edge->pool == IR_NONE ? from : ir->kernel[edge->pool].die;
        if (edge->entry_crossings) report_crossing(r, edge, from, home, out);
        if (edge->crossings) report_crossing(r, edge, home, to, out);
    }
}

void report_dies_json(const struct report *r, struct text *out) {
    const struct ir *ir = r->ir;
    if (!report_has_dies(r)) return;
    text_add(out, " \"dies\": [");
    for (int d = 0; d < ir->dies; d++) {
        struct cost_resources c = cost_die(ir, &r->cost, d);
        struct report_figure f[REPORT_RESOURCES];
        report_figures(&c, f);
        text_addf(out, "%s\n  {\"name\": ", d ? "," : "");
        text_add_json_string(out, ir->die[d].name, strlen(ir->die[d].name));
        for (int i = 0; i < REPORT_RESOURCES; i++) {
            text_addf(out, ", \"%s\": ", f[i].key);
            report_count(&f[i], 0, out);
        }
        text_addf(out, ", \"bits_to_next\": %lld}", (long long)(d + 1 < ir->dies ? cost_boundary_bits(ir, d) : 0));
    }
    text_addf(out, "], \"sll\": %lld,\n", (long long)ir->design.sll);
}
