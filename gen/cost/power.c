// SPDX-License-Identifier: Apache-2.0
// Estimates the power of a card that repeats a step, as a lower and a higher figure, from the board's coefficients.
// Logic takes its full energy in the cycles in which its kernel has words, and a share of it in the other cycles.
#include "gen/cost/cost.h"
#include "gen/kernel/kernel.h"

// Returns the energy in pJ that these resources take in a cycle of full work.
static double cells_pj(const struct board_power *p, const struct cost_resources *r) {
    return p->lut_pj * (double)r->lut + p->ff_pj * (double)r->ff + p->dsp_pj * (double)r->dsp +
           p->bram36_pj * (double)r->bram18 / 2 + p->uram_pj * (double)r->uram;
}

// Returns the average energy per cycle of a part that works in `busy` of `cycles`, as a share of its energy in a cycle
// of full work.
static double activity(const struct board_power *p, double busy, double cycles) {
    double share = busy < cycles ? busy / cycles : 1;
    return share + (1 - share) * p->waiting;
}

// Returns the energy per cycle of all logic in pJ, averaged over the step. A stream counts as busy when its writer is,
// a DMA engine when beats arrive. Multipliers with the second clock work twice in a cycle, so they count twice. beats:
// beats of the step on all channels.
static double logic_pj(const struct ir *ir, const struct cost_design *cost, const struct cost_step *s, double beats,
                       double cycles) {
    const struct board_power *p = &ir->design.figures.power;
    double sum = cells_pj(p, &cost->memory) * activity(p, beats / ir->design.channels, cycles);
    double *of = ARENA_ARRAY(ir->arena, double, (size_t)ir->kernels + 1);
    for (int k = 0; k < ir->kernels; k++) {
        of[k] = activity(p, (double)cost_kernel_work(ir, k, s->position).busy, cycles);
        sum += cells_pj(p, &cost->kernel[k]) * of[k];
    }
    for (int e = 0; e < ir->engines; e++) {
        int k = ir->engine[e].kernel;
        sum += p->dsp_pj * (double)cost_engine_twice(&ir->kernel[k]) * of[k];
    }
    for (int e = 0; e < ir->edges; e++) sum += cells_pj(p, &cost->edge[e]) * of[ir->edge[e].src_kernel];
    return sum;
}

// Returns the beats of a step on all channels together, as cost_load counts them.
static double step_beats(const struct ir *ir, const struct cost_step *s) {
    struct cost_load load = cost_load_new(ir);
    double beats = 0;
    cost_load_add(ir, &load, s);
    for (int c = 0; c < ir->design.channels; c++) beats += (double)load.channel[c];
    return beats;
}

struct cost_power cost_step_power(const struct ir *ir, const struct cost_design *cost, const struct cost_step *s,
                                  double cycles) {
    const struct board_power *p = &ir->design.figures.power;
    if (p->limit_w <= 0 || cycles <= 0) return (struct cost_power){0};
    double beats = step_beats(ir, s), hz = ir->design.clock_mhz * 1e6;
    double bits = beats * ir->design.beat_bits * hz / cycles, logic = logic_pj(ir, cost, s, beats, cycles) * hz * 1e-12;
    return (struct cost_power){
        .low_w = p->idle_low_w + bits * p->hbm_low_pj * 1e-12 + logic / p->logic_spread,
        .high_w = p->idle_high_w + bits * p->hbm_high_pj * 1e-12 + logic * p->logic_spread,
        .hbm_low_w = bits * p->hbm_low_pj * 1e-12,
        .hbm_high_w = bits * p->hbm_high_pj * 1e-12,
        .logic_low_w = logic / p->logic_spread,
        .logic_high_w = logic * p->logic_spread,
    };
}
