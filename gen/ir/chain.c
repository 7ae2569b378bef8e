// SPDX-License-Identifier: Apache-2.0
// Lanes of an engine on several dies (ir.h): which command chains they share on each die, and how many die boundaries
// are between the parts of the engine.
#include <stdlib.h>

#include "gen/ir/fields.h"
#include "gen/ir/ir.h"

enum { ROW_PARAMETERS = 64 /* bits of the scale and the bias of a row */ };

bool ir_is_cut(const struct ir_engine *e, int lane) { return e->sums_die[lane] != e->lane_die[lane]; }

// Returns the index of a die's early chain, or of its other chain. Adds the chain if it does not exist yet.
static int chain_at(struct ir_chains *all, int die, bool early) {
    int n = 0;
    while (n < all->count && (all->chain[n].die != die || all->chain[n].early != early)) n++;
    if (n == all->count) all->chain[all->count++] = (struct ir_chain){.die = die, .early = early};
    return n;
}

struct ir_chains ir_chains_of(const struct ir_engine *e) {
    struct ir_chains all = {0};
    for (int c = 0; c < e->lanes; c += IR_LANE_GROUP) {
        int group = c / IR_LANE_GROUP, n = chain_at(&all, e->lane_die[c], ir_is_cut(e, c));
        all.lanes_of[group] = n;
        all.chain[n].multiplies = true;
        all.sums_of[group] = chain_at(&all, e->sums_die[c], false);
    }
    return all;
}

static int more(int a, int b) { return a > b ? a : b; }

int ir_engine_hops(const struct ir *ir, const struct ir_engine *e) {
    int home = ir->kernel[e->kernel].die, most = 0;
    for (int c = 0; c < e->lanes; c++) most = more(most, more(abs(e->lane_die[c] - home), abs(e->sums_die[c] - home)));
    return most + e->halves;
}

int ir_result_hops(const struct ir_engine *e) {
    int most = 0;
    for (int c = 0; c < e->lanes; c++) most = more(most, abs(e->sums_die[c] - e->result_die));
    return most;
}

int ir_pulse_hops(const struct ir *ir, const struct ir_engine *e) {
    int away = abs(e->result_die - ir->kernel[e->kernel].die);
    return away ? away + 1 : 0;
}

// Returns the number of data beats of the shortest row of weights that the engine reads. The result is at most
// ROW_PARAMETERS, because a larger one makes no difference.
static int64_t fewest_beats(const struct ir *ir, const struct ir_engine *e) {
    int64_t fewest = ROW_PARAMETERS;
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        if (&ir->engine[f->engine] == e && f->mode <= ENGINE_MODE_INT4 && f->beats < fewest) fewest = f->beats;
    }
    return fewest;
}

int ir_param_bits(const struct ir *ir, const struct ir_engine *e) {
    int bits = 8;
    while (bits < ROW_PARAMETERS && fewest_beats(ir, e) * bits < ROW_PARAMETERS) bits *= 2;
    return bits;
}

int ir_source_die(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel) return ir->engine[e].result_die;
    return ir->kernel[kernel].die;
}
