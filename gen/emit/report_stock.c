// SPDX-License-Identifier: Apache-2.0
// A warning where a design needs more than its board has: it can be simulated, but not built.
#include "gen/emit/emit_report.h"
#include "gen/emit/report.h"

// False where the need is within the stock.
static bool warn_of(const struct cost_resources *need, const struct cost_resources *stock, const char *whose,
                    struct loc loc, struct diag *diag) {
    struct report_figure use[REPORT_RESOURCES], have[REPORT_RESOURCES];
    struct text list = {0};
    report_figures(need, use);
    report_figures(stock, have);
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        if (use[i].count <= have[i].count) continue;
        text_addf(&list, "%s%s ", list.len ? ", " : "", use[i].title);
        report_count(&use[i], 0, &list);
        text_add(&list, " of ");
        report_count(&have[i], 0, &list);
    }
    if (list.len)
        diag_warning(diag, loc, "the design needs more than %s has without its shell, by estimate: %s", whose,
                     text_cstr(&list));
    bool warned = list.len > 0;
    text_free(&list);
    return warned;
}

void emit_report_stock(const struct ir *ir, struct loc loc, struct diag *diag) {
    struct cost_design cost = cost_design(ir);
    struct cost_resources stock = cost_available(ir);
    if (warn_of(&cost.total, &stock, arena_printf(ir->arena, "board %s", ir->design.board), loc, diag)) return;
    for (int d = 0; d < ir->dies && ir->design.dies > 1; d++) {
        struct cost_resources need = cost_die(ir, &cost, d);
        stock = cost_stock(&ir->die[d]);
        warn_of(&need, &stock, arena_printf(ir->arena, "die %s of board %s", ir->die[d].name, ir->design.board), loc,
                diag);
        int64_t bits = d + 1 < ir->dies ? cost_boundary_bits(ir, d) : 0;
        if (ir->design.sll && bits > ir->design.sll)
            diag_warning(diag, loc, "%lld bits cross from %s to %s, board %s has %lld wires there", (long long)bits,
                         ir->die[d].name, ir->die[d + 1].name, ir->design.board, (long long)ir->design.sll);
    }
}
