// SPDX-License-Identifier: Apache-2.0
// The report's table of dies: the share of each die's capacity that is used, and the bits that cross each boundary.
#include <string.h>

#include "gen/report/report_parts.h"
#include "gen/ir/ir.h"

bool report_has_dies(const struct report *r) { return r->ir->design.dies > 1 && r->ir->dies > 1; }

static int kernels_on(const struct ir *ir, int die) {
    int count = 0;
    for (int k = 0; k < ir->kernels; k++) count += ir->kernel[k].die == die;
    return count;
}

static double share(int64_t part, int64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static int lanes_on(const struct ir *ir, int die) {
    int lanes = 0;
    for (int e = 0; e < ir->engines; e++)
        for (int l = 0; l < ir->engine[e].lanes; l++) lanes += ir->engine[e].lane_die[l] == die;
    return lanes;
}

static void add_shares(const struct cost_resources *c, const struct cost_resources *whole, struct text *out) {
    struct report_figure part[REPORT_RESOURCES], all[REPORT_RESOURCES];
    report_figures(c, part);
    report_figures(whole, all);
    for (int i = 0; i < REPORT_RESOURCES; i++) text_addf(out, "%7.1f", share(part[i].count, all[i].count));
    text_add(out, "\n");
}

// Lists the limits that the design exceeds, and by how much. Prints nothing if it exceeds none.
static void add_over(const struct cost_resources *c, const struct cost_resources *limit, struct text *out) {
    struct report_figure use[REPORT_RESOURCES], most[REPORT_RESOURCES];
    report_figures(c, use);
    report_figures(limit, most);
    const char *sep = "    over its limits: ";
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        struct report_figure more = use[i];
        more.count -= most[i].count;
        if (more.count <= 0) continue;
        text_addf(out, "%s%s by ", sep, use[i].title);
        report_count(&more, 0, out);
        sep = ", ";
    }
    if (*sep == ',') text_add(out, "\n");
}

// Adds the rows of a die: the shares that are used, the shares under the upper estimate of the memory ports' resources
// if they differ, the limits, and by how much the design exceeds them.
static void add_die(const struct report *r, int die, struct text *out) {
    const struct board_memory_port *port = &r->ir->design.figures.memory_port;
    struct cost_fill f = cost_fill(r->ir, &r->cost, die);
    text_addf(out, "  %-22s %8d %7d ", r->ir->die[die].name, kernels_on(r->ir, die), lanes_on(r->ir, die));
    add_shares(&f.taken, &f.whole, out);
    if (f.most.lut != f.taken.lut || f.most.ff != f.taken.ff) {
        const char *what = arena_printf(r->ir->arena, "%d LUT, %d FF a port", port->most_lut, port->most_ff);
        text_addf(out, "    %-20s %8s %7s ", what, "", "");
        add_shares(&f.most, &f.whole, out);
    }
    text_addf(out, "    %-20s %8s %7s ", "limits", "", "");
    add_shares(&f.limit, &f.whole, out);
    add_over(&f.taken, &f.limit, out);
}

// Adds the line of a boundary: the bits that cross, as shares of the wires, and the excess over the limit.
static void add_boundary(const struct report *r, int b, struct text *out) {
    const struct ir *ir = r->ir;
    int64_t bits = cost_boundary_bits(ir, b);
    struct cost_wires w = cost_wires(ir, b);
    text_addf(out, "  %s to %s: %lld bits cross", ir->die[b].name, ir->die[b + 1].name, (long long)bits);
    if (w.all && w.region < w.all)
        text_addf(out, ", %.1f %% of %lld wires of the region", share(bits, w.region), (long long)w.region);
    if (w.all && w.platform)
        text_addf(out, "; with %lld of the platform %.1f %% of %lld", (long long)w.platform,
                  share(bits + w.platform, w.all), (long long)w.all);
    else if (w.all) text_addf(out, ", %.1f %% of %lld wires", share(bits, w.all), (long long)w.all);
    if (w.all && bits > w.room)
        text_addf(out, "; over its limit of %.1f %% by %lld", share(w.limit, w.all), (long long)(bits - w.room));
    text_add(out, "\n");
}

// Returns the number of an engine's cut lanes whose sums are on this die.
static int cut_to(const struct ir_engine *e, int die) {
    int lanes = 0;
    for (int c = 0; c < e->lanes; c++) lanes += ir_is_cut(e, c) && e->sums_die[c] == die;
    return lanes;
}

// Returns the number of cut lanes of all engines whose sums are on this die.
static int cuts_to(const struct ir *ir, int die) {
    int lanes = 0;
    for (int e = 0; e < ir->engines; e++) lanes += cut_to(&ir->engine[e], die);
    return lanes;
}

// Describes how an engine is spread over dies: its cut lanes, beats that cross in halves, and the die where results are
// joined if this is not the engine's die. Prints nothing for an engine to which none of this applies.
static void add_cuts(const struct report *r, const struct ir_engine *e, struct text *out) {
    const struct ir *ir = r->ir;
    for (int d = 0; d < ir->dies; d++)
        if (cut_to(e, d))
            text_addf(out, "  %s: %d lanes cut, sums on %s, %lld bits each\n", ir->kernel[e->kernel].name, cut_to(e, d),
                      ir->die[d].name, (long long)cost_lane_bits(ir, e, true));
    if (e->halves)
        text_addf(out, "  %s: beats of lanes on other dies cross in two halves, at %g MHz\n",
                  ir->kernel[e->kernel].name, 2 * ir->design.clock_mhz);
    if (e->result_die != ir->kernel[e->kernel].die)
        text_addf(out, "  %s: results come together on %s\n", ir->kernel[e->kernel].name, ir->die[e->result_die].name);
}

void report_dies(const struct report *r, struct text *out) {
    const struct ir *ir = r->ir;
    const struct board_memory_port *port = &ir->design.figures.memory_port;
    if (!report_has_dies(r)) return;
    text_addf(out, "\ndies: %s\n", ir->design.placement ? ir->design.placement : "-");
    text_add(out, "  share of the whole die with its shell");
    if (port->lut || port->ff)
        text_addf(out, " and the vendor's subsystem for %d memory ports, %d LUT and %d FF each", ir->design.channels,
                  ir->design.second_reserve ? port->most_lut : port->lut,
                  ir->design.second_reserve ? port->most_ff : port->ff);
    text_add(out, ", %, estimated\n");
    text_add(out, "  die                     kernels   lanes     LUT     FF    DSP BRAM36   URAM\n");
    for (int d = 0; d < ir->dies; d++) add_die(r, d, out);
    for (int b = 0; b + 1 < ir->dies; b++) add_boundary(r, b, out);
    for (int e = 0; e < ir->engines; e++) add_cuts(r, &ir->engine[e], out);
}

static void add_json(const char *key, const struct cost_resources *c, struct text *out) {
    struct report_figure f[REPORT_RESOURCES];
    report_figures(c, f);
    text_addf(out, ", \"%s\": {", key);
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        text_addf(out, "%s\"%s\": ", i ? ", " : "", f[i].key);
        report_count(&f[i], 0, out);
    }
    text_add(out, "}");
}

static void add_fill_json(const struct report *r, int die, struct text *out) {
    struct cost_fill f = cost_fill(r->ir, &r->cost, die);
    add_json("taken", &f.taken, out);
    add_json("taken_most", &f.most, out);
    add_json("limit", &f.limit, out);
    add_json("whole", &f.whole, out);
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
        add_fill_json(r, d, out);
        text_addf(out, ", \"lanes\": %d, \"sums_of_cut_lanes\": %d", lanes_on(ir, d), cuts_to(ir, d));
        text_addf(out, ", \"bits_to_next\": %lld, \"platform_wires\": %lld, \"bits_limit\": %lld}",
                  (long long)(d + 1 < ir->dies ? cost_boundary_bits(ir, d) : 0), (long long)ir->die[d].platform_wires,
                  (long long)(d + 1 < ir->dies ? cost_wires(ir, d).room : 0));
    }
    text_addf(out, "], \"sll\": %lld, \"sll_region\": %lld,\n", (long long)ir->design.sll,
              (long long)ir->design.sll_region);
}
