// SPDX-License-Identifier: Apache-2.0
// Section of the HTML report about groups: compares the on-chip bits of each group with the budget (`on_chip_kib`), and
// the cuts between groups with those of the greedy Algorithm 2 of StreamTensor.
#include "gen/report/html.h"

static void cell(struct text *out, const char *s) {
    text_add(out, "<td>");
    html_escape(out, s);
    text_add(out, "</td>");
}

static void number(struct text *out, int64_t n) { text_addf(out, "<td class=\"n\">%lld</td>", (long long)n); }

// Adds a bar for the bits of a group, and their share of the budget. The full width is the whole budget.
static void add_bar(int64_t bits, int64_t budget, struct text *out) {
    double share = budget ? 100.0 * (double)bits / (double)budget : 0;
    text_addf(out,
              "<td style=\"width:30%%\"><div class=\"track\"><i "
              "style=\"width:%.2f%%;background:#3b82f6\"></i></div></td><td class=\"n%s\">%.1f %%</td>",
              share > 100 ? 100 : share, share > 100 ? " over" : "", share);
}

// Adds the table of the groups: the bits with the safe FIFO depths, which the budget limits, and with the emitted ones.
static void add_groups(const struct ir *ir, struct text *out) {
    int64_t budget = ir->design.on_chip_kib * 8192; // 8192 bits per KiB
    text_add(out, "<table><tr><th class=\"n\">group</th><th>region</th><th>first operation</th><th>last "
                  "operation</th><th class=\"n\">bits counted</th>"
                  "<th>share of the budget</th><th></th><th class=\"n\">as emitted</th><th class=\"n\">of these, its "
                  "FIFOs</th></tr>\n");
    for (int g = 0; g < ir->groups; g++) {
        const struct ir_group *group = &ir->group[g];
        text_add(out, "<tr>");
        number(out, g + 1);
        cell(out, ir->region[group->region].name);
        cell(out, ir->node[group->first_node].name);
        cell(out, ir->node[group->first_node + group->nodes - 1].name);
        number(out, group->bits);
        add_bar(group->bits, budget, out);
        int64_t fifos;
        number(out, report_group_bits(ir, g, &fifos));
        number(out, fifos);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

// Adds the table that compares the cuts between groups.
static void add_fusions(const struct ir *ir, struct text *out) {
    text_add(out, "<h3>These cuts, and the greedy walk of StreamTensor's Algorithm 2 by the same "
                  "count</h3><table><tr><th>cuts</th><th class=\"n\">groups</th>"
                  "<th class=\"n\">bits of the largest</th><th class=\"n\">bits written and read per step between "
                  "groups</th></tr>\n");
    for (int f = 0; f < ir->fusions; f++) {
        const struct ir_fusion *fusion = &ir->fusion[f];
        text_add(out, "<tr>");
        cell(out, fusion->kind == IR_FUSION_GREEDY ? "StreamTensor's walk" : "these: least traffic within the budget");
        number(out, fusion->groups);
        text_addf(out, "<td class=\"n%s\">%lld</td>", fusion->bits > ir->design.on_chip_kib * 8192 ? " over" : "",
                  (long long)fusion->bits);
        number(out, fusion->traffic);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

void html_groups(const struct ir *ir, struct text *out) {
    add_groups(ir, out);
    add_fusions(ir, out);
}
