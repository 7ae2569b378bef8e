// SPDX-License-Identifier: Apache-2.0
// pblocks.tcl: a pblock per die and the instances that lie on it, for the vendor's placer. A path that matches nothing is an error.
#include "cost.h"
#include "emit.h"

static void add_pblock(const struct ir *ir, int die, struct text *out) {
    text_addf(out, "\n# ---- %s ----\ncreate_pblock pblock_%s\nresize_pblock pblock_%s -add %s\n", ir->die[die].name, ir->die[die].name,
              ir->die[die].name, ir->die[die].name);
}

static void place(const struct ir *ir, int die, const char *path, struct text *out) {
    text_addf(out, "rill_place pblock_%s {%s}\n", ir->die[die].name, path);
}

static void place_slices(const struct ir *ir, int die, const char *what, const struct ir_edge *edge, int from, int to, struct text *out) {
    int step = from < to ? 1 : -1;
    for (int i = 0; from + step * i != to; i++)
        if (from + step * (i + 1) == die) place(ir, die, arena_printf(ir->arena, "u_%s_%s_%d", what, edge->name, i), out);
}

static void place_edges(const struct ir *ir, int die, struct text *out) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int from = ir->kernel[edge->src_kernel].die, to = ir->kernel[edge->dst_kernel].die;
        if (edge->pool != IR_NONE) {
            int home = ir->kernel[edge->pool].die;
            place_slices(ir, die, "entry", edge, from, home, out);
            from = home;
        } else if (from == die) place(ir, die, arena_printf(ir->arena, "u_fifo_%s", edge->name), out);
        place_slices(ir, die, "slice", edge, from, to, out);
    }
}

static void place_lanes(const struct ir *ir, int die, struct text *out) {
    for (int i = 0; i < ir->engines; i++)
        for (int c = 0; c < ir->engine[i].channels; c++)
            if (ir->engine[i].lane_die[c] == die)
                place(ir, die, arena_printf(ir->arena, "u_%s/gen_lane[%d].u_lane", ir->kernel[ir->engine[i].kernel].name, c), out);
}

void emit_pblocks(const struct ir *ir, struct text *out) {
    text_add(out, "# Read after the design is linked; set rill_top to the path of rill_top with a slash behind it where it is not the top.\n"
                  "if {![info exists rill_top]} {set rill_top {}}\n"
                  "proc rill_place {pblock path} {\n"
                  "    global rill_top\n"
                  "    set cells [get_cells -quiet \"$rill_top[string map {[ \\\\[ ] \\\\]} $path]\"]\n"
                  "    if {![llength $cells]} {error \"no instance $rill_top$path\"}\n"
                  "    add_cells_to_pblock [get_pblocks $pblock] $cells\n"
                  "}\n");
    for (int d = 0; d < ir->dies; d++) {
        bool used = cost_memory_die(ir) == d;
        for (int k = 0; k < ir->kernels; k++) used = used || ir->kernel[k].die == d;
        if (!used) continue;
        add_pblock(ir, d, out);
        if (cost_memory_die(ir) == d) place(ir, d, "u_read_*", out);
        for (int c = 0; c < ir->clients && cost_memory_die(ir) == d; c++)
            if (ir->client[c].is_write) {
                place(ir, d, "u_write_*", out);
                break;
            }
        for (int k = 0; k < ir->kernels; k++)
            if (ir->kernel[k].die == d) place(ir, d, arena_printf(ir->arena, "u_%s", ir->kernel[k].name), out);
        place_edges(ir, d, out);
        place_lanes(ir, d, out); // behind the engine: what is named last counts
    }
}
