// SPDX-License-Identifier: Apache-2.0
// Writes the floorplan, that is, which instance is on which die, for the vendor's placer: pblocks.tcl of a design has a
// pblock per die, and the lines of emit_placement become the placement.tcl of a package. A path that matches no
// instance is an error when the placer reads the script.
//
// Every function that takes a die writes only the lines of the instances on this die. An instance may have two lines:
// one places the instance around it, and one places the instance itself on another die. The last line decides. So
// functions with a parameter `inside` run first with false, for whole instances, and then with true, for their parts.
#include <stdlib.h>

#include "gen/cost/cost.h"
#include "gen/emit/emit.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

static void add_pblock(const struct ir *ir, int die, struct text *out) {
    const char *name = ir->die[die].name;
    text_addf(out, "create_pblock pblock_%s\nresize_pblock pblock_%s -add %s\n", name, name, name);
}

struct lines { // the text to which lines are added, and the kind of the lines
    struct text *text;
    bool prefers; // a preference of the placer (rill_prefer) instead of a pblock
};

static void place(const struct ir *ir, int die, const char *path, const struct lines *out) {
    text_addf(out->text, out->prefers ? "rill_prefer %s {%s}\n" : "rill_place pblock_%s {%s}\n", ir->die[die].name,
              path);
}

// State of place_if_here.
struct placed {
    const struct ir *ir;
    int die;
    const struct lines *out;
};

static void place_if_here(void *state, const char *instance, int die) {
    const struct placed *p = state;
    if (die == p->die) place(p->ir, die, instance, p->out);
}

// Returns the die of register stage `k`, counted from 0, on the way from one die to another. Stage 0 is already one die
// away from `from`. Each further stage is one more die away, until `to` is reached. So registers are on both sides of
// each die boundary, provided that a register on `from` drives stage 0.
static int stage_die(int from, int to, int k) {
    int away = abs(to - from);
    return from + (to < from ? -1 : 1) * (k + 1 < away ? k + 1 : away);
}

// Places those of the `n` stages of the rill_hop at `path` that are on `die`. If there are more stages than die
// boundaries on the way, the last ones are on die `to`.
static void place_hop(const struct ir *ir, int die, const char *path, int from, int to, int n,
                      const struct lines *out) {
    for (int k = 0; k < n; k++)
        if (stage_die(from, to, k) == die)
            place(ir, die, arena_printf(ir->arena, "%s/gen_stage[%d].u_stage", path, k), out);
}

// Like place_hop, but the first stage is on die `from`, because logic instead of a register drives its input.
static void place_late_hop(const struct ir *ir, int die, const char *path, int from, int to, int n,
                           const struct lines *out) {
    for (int k = 0; k < n; k++)
        if ((k ? stage_die(from, to, k - 1) : from) == die)
            place(ir, die, arena_printf(ir->arena, "%s/gen_stage[%d].u_stage", path, k), out);
}

// Places the rill_half_hop that brings the beats of the lane at path `lane`. u_send is on the first die. Each die on
// the way has two stages, one after the boundary to it and one in front of the next boundary, because a stage takes
// half a cycle. All other stages are on the last die. stages: the value of ir_engine_hops.
static void place_halves(const struct ir *ir, int die, const char *lane, int from, int to, int stages,
                         const struct lines *out) {
    const char *hop = arena_printf(ir->arena, "%s/gen_halves.u_beat_hop/gen_halves.", lane);
    if (from == die) place(ir, die, arena_printf(ir->arena, "%su_send", hop), out);
    for (int k = 0; k < 2 * stages - 3; k++)
        if (stage_die(from, to, k / 2) == die)
            place(ir, die, arena_printf(ir->arena, "%su_hop/gen_stage[%d].u_stage", hop, k), out);
}

// Returns whether the results of this lane's group stay on the engine's die, so that the engine's own placement covers
// them.
static bool stays(const struct ir *ir, const struct ir_engine *e, int lane) {
    int home = ir->kernel[e->kernel].die;
    return e->sums_die[lane] == home && e->result_die == home;
}

// Places the sums of a cut lane (its accumulators), the stages between its multipliers and its sums, and the logic that
// brings the commands of the sums.
static void place_sums(const struct emit_plan *p, int die, const struct ir_engine *e, int c, bool inside,
                       const struct lines *out) {
    const struct ir *ir = p->ir;
    const char *engine = emit_kernel_path(p, e->kernel), *array = ir->design.copies > 1 ? "pair" : "single",
               *lane = arena_printf(ir->arena, "%s/gen_lane[%d].", engine, c),
               *matrix = arena_printf(ir->arena, "%su_lane/gen_%s.u_matrix", lane, array);
    if (!inside) return;
    place_hop(ir, die, arena_printf(ir->arena, "%s/u_way/u_hop", matrix), e->lane_die[c], e->sums_die[c],
              ir_engine_hops(ir, e), out);
    if (e->sums_die[c] != die) return;
    place(ir, die, arena_printf(ir->arena, "%sgen_sums.*", lane), out);
    place(ir, die, arena_printf(ir->arena, "%su_lane/gen_%s.u_command", lane, array), out);
    place(ir, die, arena_printf(ir->arena, "%s/u_sums", matrix), out);
}

// Places a lane as a whole, and the instances inside it that are on another die.
static void place_lane(const struct emit_plan *p, int die, const struct ir_engine *e, int c, bool inside,
                       const struct lines *out) {
    const struct ir *ir = p->ir;
    const char *lane = arena_printf(ir->arena, "%s/gen_lane[%d].u_lane", emit_kernel_path(p, e->kernel), c);
    int home = ir->kernel[e->kernel].die;
    if (!inside && e->lane_die[c] == die) {
        place(ir, die, lane, out);
        place(ir, die, arena_printf(ir->arena, "%s/gen_lane[%d].gen_own.u_mine", emit_kernel_path(p, e->kernel), c),
              out);
    }
    if (ir_is_cut(e, c)) place_sums(p, die, e, c, inside, out);
    if (!inside || e->lane_die[c] == home) return;
    if (home == die) place(ir, die, arena_printf(ir->arena, "%s/u_front", lane), out);
    if (e->halves) place_halves(ir, die, lane, home, e->lane_die[c], ir_engine_hops(ir, e), out);
    else
        place_hop(ir, die, arena_printf(ir->arena, "%s/gen_beat.u_beat_hop", lane), home, e->lane_die[c],
                  ir_engine_hops(ir, e), out);
}

// Places the stages that carry side data to the sums of the first lane group, and the logic that joins the results of
// all groups, if these are on other dies than the engine.
static void place_side(const struct emit_plan *p, int die, const struct ir_engine *e, const struct lines *out) {
    const struct ir *ir = p->ir;
    const char *results = arena_printf(ir->arena, "%s/u_results", emit_kernel_path(p, e->kernel));
    int home = ir->kernel[e->kernel].die, first = e->sums_die[0];
    if (first != home) {
        place_hop(ir, die, arena_printf(ir->arena, "%s/u_side_hop", results), home, first, ir_engine_hops(ir, e), out);
        if (first == die) place(ir, die, arena_printf(ir->arena, "%s/u_side", results), out);
    }
    if (e->result_die == home) return;
    if (e->result_die == die) place(ir, die, arena_printf(ir->arena, "%s/u_out", results), out);
    if (e->result_die == die) place(ir, die, arena_printf(ir->arena, "%s/u_rst", results), out);
    place_hop(ir, die, arena_printf(ir->arena, "%s/u_rst", results), home, e->result_die, ir_pulse_hops(ir, e), out);
    place_late_hop(ir, die, arena_printf(ir->arena, "%s/u_home", results), e->result_die, home, ir_pulse_hops(ir, e),
                   out);
}

// Places, for each lane group, the logic that turns its integers into results and the stages that carry these results
// to the die where the results of all groups are joined.
static void place_results(const struct emit_plan *p, int die, const struct ir_engine *e, bool inside,
                          const struct lines *out) {
    const struct ir *ir = p->ir;
    if (inside) place_side(p, die, e, out);
    for (int c = 0; c < e->lanes; c += IR_LANE_GROUP) {
        const char *group =
            arena_printf(ir->arena, "%s/u_results/gen_result[%d].", emit_kernel_path(p, e->kernel), c / IR_LANE_GROUP);
        if (!inside && e->sums_die[c] == die) place(ir, die, arena_printf(ir->arena, "%su_dequantize", group), out);
        if (inside && stays(ir, e, c)) continue;
        if (inside)
            place_hop(ir, die, arena_printf(ir->arena, "%su_hop", group), e->sums_die[c], e->result_die,
                      ir_result_hops(e), out);
    }
}

// Places the register stages that bring reset, commands and the operand to one chain, where `path` is the chain's path.
// A chain without multipliers gets commands and exponents, but no operand. An early chain has no stages.
static void place_way(const struct ir *ir, int die, const struct ir_engine *e, const char *path,
                      const struct ir_chain *chain, const struct lines *out) {
    int home = ir->kernel[e->kernel].die;
    bool away = chain->die != home;
    const char *const way[] = {"gen_all.u_chain/u_cmd", "gen_all.u_chain/u_offset",
                               away ? "gen_away.u_x/u_way" : "gen_home.u_slice"},
                      *const to_sums[] = {"gen_sums.u_cmd", "gen_sums.u_shift"};
    const char *const *all = chain->multiplies ? way : to_sums;
    size_t count = chain->multiplies ? COUNT_OF(way) : COUNT_OF(to_sums);
    place_hop(ir, die, arena_printf(ir->arena, "%su_rst", path), home, chain->die,
              chain->early ? 0 : ir_engine_hops(ir, e), out);
    for (size_t i = 0; i < count && !chain->early; i++)
        place_hop(ir, die, arena_printf(ir->arena, "%s%s", path, all[i]), home, chain->die, ir_engine_hops(ir, e), out);
}

// Places the chains of an engine and each lane group's copy of the operand. A chain is the logic that lanes on one die
// share. ir_chains_of numbers the chains.
static void place_chains(const struct emit_plan *p, int die, const struct ir_engine *e, bool inside,
                         const struct lines *out) {
    const struct ir *ir = p->ir;
    const char *engine = emit_kernel_path(p, e->kernel);
    struct ir_chains chains = ir_chains_of(e);
    if (!ir_engine_hops(ir, e)) return;
    for (int c = 0; c < e->lanes && !inside; c += IR_LANE_GROUP)
        if (e->lane_die[c] == die)
            place(ir, die, arena_printf(ir->arena, "%s/gen_copy[%d].*", engine, c / IR_LANE_GROUP), out);
    for (int n = 0; n < chains.count; n++) {
        const char *path = arena_printf(ir->arena, "%s/gen_chain[%d].", engine, n);
        if (!inside && chains.chain[n].die == die) place(ir, die, arena_printf(ir->arena, "%s*", path), out);
        if (inside) place_way(ir, die, e, path, &chains.chain[n], out);
    }
}

// Places the register stages on the way of parameters from the memory's die to each parameter store.
static void place_stores(const struct emit_plan *p, int die, const struct lines *out) {
    const struct ir *ir = p->ir;
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_STORE))
            place_late_hop(ir, die, arena_printf(ir->arena, "%s/u_hop", emit_kernel_path(p, k)), cost_memory_die(ir),
                           ir->kernel[k].die, kernel_load_hops(&ir->kernel[k]), out);
}

// Places the register trees of reset and flush. Also places, as whole instances, the ways that carry reset to a die and
// faults back from it. place_ways then places the single stages of these ways.
static void place_levels(const struct emit_plan *p, int die, const struct lines *out) {
    const struct ir *ir = p->ir;
    bool far = emit_way_stages(ir) > 0;
    if (p->resets[far ? die : 0] && (far || die == emit_home(ir)))
        place(ir, die, arena_printf(ir->arena, "u_%s", emit_of_die(ir, "core_rst", die)), out);
    if (p->flushes && cost_memory_die(ir) == die) place(ir, die, "u_core_flush", out);
    if (!far) return;
    if (p->resets[die]) place(ir, die, arena_printf(ir->arena, "u_core_rst_way_%d", die), out);
    if (emit_has_faults(ir, die)) place(ir, die, arena_printf(ir->arena, "u_fault_way_%d", die), out);
}

// Places the stages that carry the reset from the token loop to every die and the faults back.
static void place_ways(const struct emit_plan *p, int die, const struct lines *out) {
    const struct ir *ir = p->ir;
    int home = emit_home(ir), stages = emit_way_stages(ir);
    for (int d = 0; d < ir->dies && stages; d++) {
        const char *reset = arena_printf(ir->arena, "u_core_rst_way_%d", d);
        if (p->resets[d]) place_late_hop(ir, die, reset, home, d, stages, out);
        const char *faults = arena_printf(ir->arena, "u_fault_way_%d", d);
        if (emit_has_faults(ir, d)) place_late_hop(ir, die, faults, d, home, stages, out);
    }
}

// Places the chains, lanes and results of all engines.
static void place_engines(const struct emit_plan *p, int die, bool inside, const struct lines *out) {
    const struct ir *ir = p->ir;
    for (int i = 0; i < ir->engines; i++) {
        place_chains(p, die, &ir->engine[i], inside, out);
        for (int c = 0; c < ir->engine[i].lanes; c++) place_lane(p, die, &ir->engine[i], c, inside, out);
        place_results(p, die, &ir->engine[i], inside, out);
    }
}

// Places the memory channels, the trees for the walkers' descriptors, all kernels as whole instances, and the links of
// all streams.
static void place_kernels(const struct emit_plan *p, int die, const struct lines *out) {
    const struct ir *ir = p->ir;
    bool memory = cost_memory_die(ir) == die;
    if (memory) place(ir, die, "u_channel_*/u_arbiter", out);
    if (memory) place(ir, die, "u_channel_*/gen_*", out);
    for (int e = 0; e < ir->engines && memory; e++)
        place(ir, die,
              arena_printf(ir->arena, "%s/u_%s", emit_module_path(p, p->shared), ir_engine_name(ir, e, "walk_tree")),
              out);
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].die == die) place(ir, die, emit_kernel_path(p, k), out);
    struct placed streams = {ir, die, out};
    for (int e = 0; e < ir->edges; e++) emit_walk_stream(p, e, place_if_here, &streams);
}

// Returns whether any instance is on this die, so that it needs a pblock.
static bool is_used(const struct ir *ir, int die) {
    bool used = cost_memory_die(ir) == die;
    for (int k = 0; k < ir->kernels; k++) used = used || ir->kernel[k].die == die;
    for (int e = 0; e < ir->engines; e++)
        for (int c = 0; c < ir->engine[e].lanes; c++)
            used = used || ir->engine[e].lane_die[c] == die || ir->engine[e].sums_die[c] == die;
    return used;
}

void emit_engine_preferences(const struct emit_plan *p, struct text *out) {
    const struct ir *ir = p->ir;
    const struct lines lines = {out, true};
    for (int e = 0; e < ir->engines; e++)
        place(ir, ir->kernel[ir->engine[e].kernel].die, emit_kernel_path(p, ir->engine[e].kernel), &lines);
    for (int inside = 0; inside <= 1; inside++)
        for (int d = 0; d < ir->dies; d++) place_engines(p, d, inside, &lines);
}

void emit_placement(const struct emit_plan *p, struct text *out) {
    const struct ir *ir = p->ir;
    const struct lines lines = {out, false};
    for (int d = 0; d < ir->dies; d++) {
        if (!is_used(ir, d)) continue;
        text_addf(out, "\n# ---- %s ----\n", ir->die[d].name);
        place_kernels(p, d, &lines);
        place_levels(p, d, &lines);
    }
    text_add(out, "\n# ---- parts of the instances above, and parts of these parts ----\n"
                  "# Parts that no line names are on the die of the instance around them.\n");
    for (int inside = 0; inside <= 1; inside++)
        for (int d = 0; d < ir->dies; d++) {
            place_engines(p, d, inside, &lines);
            if (inside) place_stores(p, d, &lines);
            if (inside) place_ways(p, d, &lines);
        }
}

void emit_pblocks(const struct emit_plan *p, struct text *out) {
    const struct ir *ir = p->ir;
    text_addf(out,
              "# SPDX-License-Identifier: Apache-2.0\n"
              "# Floorplan of the design `%s`: a pblock for each die, with the instances on it.\n"
              "# Generated by rill gen. Do not edit.\n",
              ir->name);
    text_add(out,
             "#\n"
             "# Read this file after the design is linked. If rill_top is not the top, first set the variable "
             "rill_top\n"
             "# to its path with a slash at the end: set rill_top u_kernel/u_top/\n"
             "# A line that matches no cell stops the script.\n"
             "# The last line that names an instance decides its die. First each instance is placed as a whole, "
             "then\n"
             "# the parts of it that are on other dies, such as single stages of a chain of registers\n"
             "# (gen_stage[k].u_stage): a signal crosses a boundary from flip-flop to flip-flop.\n"
             "# Registers outside these instances have no line, such as core_rst_q, the status registers of\n"
             "# u_control and the error registers of the channels: the placer puts them next to their neighbours,\n"
             "# and none of them is on a crossing.\n"
             "if {![info exists rill_top]} {set rill_top {}}\n"
             "proc rill_place {pblock path} {\n"
             "    global rill_top\n"
             "    set cells [get_cells -quiet $rill_top$path]\n"
             "    if {![llength $cells]} {error \"no instance $rill_top$path\"}\n"
             "    add_cells_to_pblock [get_pblocks $pblock] $cells\n"
             "}\n\n");
    for (int d = 0; d < ir->dies; d++)
        if (is_used(ir, d)) add_pblock(ir, d, out);
    emit_placement(p, out);
}
