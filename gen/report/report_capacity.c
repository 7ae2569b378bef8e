// SPDX-License-Identifier: Apache-2.0
// Warns if a design needs more than its board has. Such a design can be simulated, but not built. Also warns if it
// exceeds the limits of the board file, which are assumed or derived (docs/boards.md), or comes near the card's power
// limit.
#include <stdlib.h>

#include "gen/report/design_report.h"
#include "gen/report/report_parts.h"

// Lists the kinds of resource that exceed the capacity, as "LUT 12 of 10"; the list is empty if none does.
static void list_over(const struct cost_resources *need, const struct cost_resources *capacity, struct text *list) {
    struct report_figure use[REPORT_RESOURCES], have[REPORT_RESOURCES];
    report_figures(need, use);
    report_figures(capacity, have);
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        if (use[i].count <= have[i].count) continue;
        text_addf(list, "%s%s ", list->len ? ", " : "", use[i].title);
        report_count(&use[i], 0, list);
        text_add(list, " of ");
        report_count(&have[i], 0, list);
    }
}

// Returns whether the vendor's subsystem for the memory ports takes resources of this die.
static bool has_ports(const struct ir *ir, int die) { return cost_ports(ir, die).lut + cost_ports(ir, die).ff > 0; }

// Warns and returns true if the need exceeds the capacity. die: the die whose capacity it is, or IR_NONE for the board.
static bool warn_of(const struct ir *ir, const struct cost_resources *need, const struct cost_resources *capacity,
                    int die, struct loc loc, struct diag *diag) {
    struct text list = {0};
    list_over(need, capacity, &list);
    bool warned = list.len > 0;
    const char *whose = die == IR_NONE
                            ? arena_printf(ir->arena, "board %s", ir->design.board)
                            : arena_printf(ir->arena, "die %s of board %s", ir->die[die].name, ir->design.board);
    if (warned)
        diag_warning(diag, loc, MSG_OVER_CAPACITY, whose, die == IR_NONE ? "platform" : "shell",
                     has_ports(ir, die == IR_NONE ? cost_memory_die(ir) : die) ? " and memory ports" : "",
                     text_cstr(&list));
    text_free(&list);
    return warned;
}

// Warns if the design needs more on a die than the die has. If not, warns if it exceeds the die's limits.
static void warn_of_die(const struct ir *ir, const struct cost_design *cost, int die, struct loc loc,
                        struct diag *diag) {
    struct cost_resources need = cost_die(ir, cost, die), capacity = cost_capacity(&ir->die[die]),
                          ports = cost_ports(ir, die);
    cost_add(&capacity, &ports, -1);
    if (warn_of(ir, &need, &capacity, die, loc, diag)) return;
    struct cost_fill fill = cost_fill(ir, cost, die);
    struct text list = {0};
    list_over(&fill.taken, &fill.limit, &list);
    if (list.len)
        diag_warning(diag, loc, MSG_OVER_DIE_LIMIT, ir->die[die].name, ir->design.board,
                     has_ports(ir, die) ? " and memory ports" : "", text_cstr(&list));
    text_free(&list);
}

// Warns if more bits cross from a die to the next one than there are free wires, or than the limit allows. Free wires
// are those that the platform does not use, and at most those in its dynamic region.
static void warn_of_wires(const struct ir *ir, int die, struct loc loc, struct diag *diag) {
    int64_t bits = die + 1 < ir->dies ? cost_boundary_bits(ir, die) : 0;
    const char *from = ir->die[die].name, *to = die + 1 < ir->dies ? ir->die[die + 1].name : "";
    struct cost_wires w = cost_wires(ir, die);
    int64_t free = w.all - w.platform < w.region ? w.all - w.platform : w.region;
    if (!w.all || bits <= w.room) return;
    if (bits > free)
        diag_warning(diag, loc, MSG_DIE_WIRES, (long long)bits, from, to, ir->design.board, (long long)free);
    else
        diag_warning(diag, loc, MSG_DIE_WIRES_LIMIT, (long long)bits, from, to, ir->design.board, (long long)w.limit,
                     (long long)w.all, (long long)w.platform);
}

// Compares a design that is not split over dies with the limits of all dies together.
static void warn_of_board(const struct ir *ir, const struct cost_design *cost, struct loc loc, struct diag *diag) {
    struct cost_resources room = {0};
    for (int d = 0; d < ir->dies; d++) {
        struct cost_resources of = cost_room(ir, d);
        cost_add(&room, &of, 1);
    }
    struct text list = {0};
    list_over(&cost->total, &room, &list);
    if (list.len) diag_warning(diag, loc, MSG_OVER_BOARD_LIMIT, ir->design.board, text_cstr(&list));
    text_free(&list);
}

// Warns if the upper estimate of the power at the bound is more than NEAR_PERCENT of the card's limit.
static void warn_of_power(const struct ir *ir, const struct cost_design *cost, struct loc loc, struct diag *diag) {
    enum { NEAR_PERCENT = 90 };
    double limit = ir->design.figures.power.limit_w;
    struct cost_step step = cost_usual_step(ir, ir->design.context / 2);
    struct cost_power p = cost_step_power(ir, cost, &step, (double)cost_step_bound(ir, &step).cycles);
    if (p.high_w * 100 <= limit * NEAR_PERCENT) return;
    diag_warning(diag, loc, MSG_POWER, p.low_w, p.high_w, ir->design.board, limit);
}

void design_report_capacity(const struct ir *ir, struct loc loc, struct diag *diag) {
    struct cost_design cost = cost_design(ir);
    struct cost_resources capacity = cost_available(ir);
    warn_of_power(ir, &cost, loc, diag);
    if (warn_of(ir, &cost.total, &capacity, IR_NONE, loc, diag)) return;
    if (ir->design.dies < 2) warn_of_board(ir, &cost, loc, diag);
    for (int d = 0; d < ir->dies && ir->design.dies > 1; d++) {
        warn_of_die(ir, &cost, d, loc, diag);
        warn_of_wires(ir, d, loc, diag);
    }
}

// Warns if several copies of a design that needs `one` exceed `room`. what, name: the die or board in question.
static void warn_of_copies(int copies, const struct cost_resources *one, const struct cost_resources *room,
                           const char *what, const char *name, struct loc loc, struct diag *diag) {
    struct cost_resources need = {0};
    struct text list = {0};
    cost_add(&need, one, copies);
    list_over(&need, room, &list);
    if (list.len) diag_warning(diag, loc, MSG_PACKAGE_UNITS, copies, what, name, text_cstr(&list));
    text_free(&list);
}

void design_report_copies(const struct ir *ir, int copies, struct loc loc, struct diag *diag) {
    struct cost_design cost = cost_design(ir);
    struct cost_resources all = {0};
    for (int d = 0; d < ir->dies; d++) {
        struct cost_resources room = cost_room(ir, d), ports = cost_ports(ir, d), one = cost_die(ir, &cost, d);
        // cost_room has subtracted the memory ports of one copy. This subtracts those of the other copies.
        cost_add(&room, &ports, 1 - copies);
        cost_add(&all, &room, 1);
        if (ir->design.dies > 1) warn_of_copies(copies, &one, &room, "die", ir->die[d].name, loc, diag);
    }
    if (ir->design.dies < 2) warn_of_copies(copies, &cost.total, &all, "board", ir->design.board, loc, diag);
}

bool design_report_fits(const struct ir *ir) {
    char *said = NULL;
    size_t len;
    struct diag silent;
    diag_init(&silent, open_memstream(&said, &len));
    design_report_capacity(ir, loc_none(), &silent);
    fclose(silent.out);
    free(said);
    return silent.warnings == 0;
}
