// SPDX-License-Identifier: Apache-2.0
// Calculates the resources of each die, the resources that a design on several dies takes on each of them, and the bits
// that cross between dies.
#include <stdlib.h>

#include "gen/cost/cost.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/layout.h"

enum { HANDSHAKE = 2 /* valid, and a credit in return */, LOAD = 3 /* start, keep and valid of a parameter store */ };

struct cost_resources cost_lane(const struct ir *ir, const struct ir_engine *e) {
    return cost_one_lane(&ir->kernel[e->kernel]);
}

struct cost_resources cost_lane_sums(const struct ir *ir, const struct ir_engine *e) {
    return cost_one_sums(&ir->kernel[e->kernel]);
}

int64_t cost_lane_bits(const struct ir *ir, const struct ir_engine *e, bool cut) {
    if (cut) return cost_lane_term_bits(&ir->kernel[e->kernel], ir_param_bits(ir, e));
    return ir->design.beat_bits / (e->halves ? 2 : 1);
}

int64_t cost_stream_bits(const struct ir *ir, const struct ir_edge *e) {
    return ir_part_bits(e, cost_edge_bits(ir, e)) + HANDSHAKE;
}

int64_t cost_load_bits(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    return kernel_is(k, KERNEL_STORE) ? LOAD : 0;
}

struct cost_resources cost_capacity(const struct ir_die *die) {
    return (struct cost_resources){
        .lut = die->lut, .ff = die->ff, .dsp = die->dsp, .bram18 = 2 * die->bram36, .uram = die->uram};
}

// Returns the resources of a die that belong to the shell, which no design can use.
static struct cost_resources shell(const struct ir_die *die) {
    return (struct cost_resources){.lut = die->shell_lut,
                                   .ff = die->shell_ff,
                                   .dsp = die->shell_dsp,
                                   .bram18 = 2 * die->shell_bram36,
                                   .uram = die->shell_uram};
}

struct cost_resources cost_ports(const struct ir *ir, int die) {
    int64_t ports = die == cost_memory_die(ir) ? ir->design.channels : 0;
    const struct board_memory_port *p = &ir->design.figures.memory_port;
    if (ir->design.second_reserve) return cost_ports_most(ir, die);
    return (struct cost_resources){.lut = ports * p->lut, .ff = ports * p->ff};
}

struct cost_resources cost_ports_most(const struct ir *ir, int die) {
    int64_t ports = die == cost_memory_die(ir) ? ir->design.channels : 0;
    const struct board_memory_port *p = &ir->design.figures.memory_port;
    return (struct cost_resources){.lut = ports * p->most_lut, .ff = ports * p->most_ff};
}

// Returns all resources of a die, including those of the shell.
static struct cost_resources whole(const struct ir_die *die) {
    struct cost_resources sum = cost_capacity(die), kept = shell(die);
    cost_add(&sum, &kept, 1);
    return sum;
}

static int64_t part(int64_t whole, double percent) { return (int64_t)((double)whole * percent / 100); }

// Returns the part of a die's resources that the board's limits allow to be used.
static struct cost_resources limit(const struct ir *ir, int die) {
    const struct board_limits *l = &ir->design.figures.limits;
    struct cost_resources all = whole(&ir->die[die]);
    return (struct cost_resources){.lut = part(all.lut, die == cost_memory_die(ir) ? l->hbm_lut : l->lut),
                                   .ff = part(all.ff, l->ff),
                                   .dsp = part(all.dsp, l->dsp),
                                   .bram18 = part(all.bram18, l->bram36),
                                   .uram = part(all.uram, l->uram)};
}

// Returns n, or 0 if it is negative.
static int64_t more_than_none(int64_t n) { return n > 0 ? n : 0; }

struct cost_resources cost_room(const struct ir *ir, int die) {
    struct cost_resources room = limit(ir, die), kept = shell(&ir->die[die]), ports = cost_ports(ir, die);
    cost_add(&room, &kept, -1);
    cost_add(&room, &ports, -1);
    return (struct cost_resources){.lut = more_than_none(room.lut),
                                   .ff = more_than_none(room.ff),
                                   .dsp = more_than_none(room.dsp),
                                   .bram18 = more_than_none(room.bram18),
                                   .uram = more_than_none(room.uram)};
}

struct cost_resources cost_available(const struct ir *ir) {
    const struct ir_design *b = &ir->design;
    struct cost_resources ports = cost_ports(ir, cost_memory_die(ir)), sum = {.lut = b->budget_lut,
                                                                              .ff = b->budget_ff,
                                                                              .dsp = b->budget_dsp,
                                                                              .bram18 = 2 * b->budget_bram36,
                                                                              .uram = b->budget_uram};
    cost_add(&sum, &ports, -1);
    return sum;
}

struct cost_wires cost_wires(const struct ir *ir, int boundary) {
    const struct ir_design *d = &ir->design;
    struct cost_wires w = {.all = d->sll, .platform = ir->die[boundary].platform_wires, .region = d->sll_region};
    w.limit = part(w.all, d->figures.limits.wires);
    w.room = more_than_none(w.limit - w.platform);
    if (w.room > w.region) w.room = w.region;
    return w;
}

int cost_memory_die(const struct ir *ir) {
    for (int d = 0; d < ir->dies; d++)
        if (ir->die[d].hbm) return d;
    return 0;
}

static bool has_lanes(const struct ir_engine *e, int die) {
    for (int c = 0; c < e->lanes; c++)
        if (e->lane_die[c] == die) return true;
    return false;
}

// The functions move_... correct the sum of a die. cost->kernel[] counts a whole engine on the die of the engine's
// instance (`home`), but parts of the engine may be on other dies.

// Moves the copies of the operand buffer to the dies of the lanes.
static void move_copies(const struct ir *ir, const struct ir_engine *e, int die, struct cost_resources *sum) {
    struct cost_resources copy = cost_lane_copy(&ir->kernel[e->kernel]);
    int home = ir->kernel[e->kernel].die;
    for (int d = 0; d < ir->dies; d++)
        if (d != home && has_lanes(e, d)) cost_add(sum, &copy, (d == die) - (home == die));
}

// Moves the lanes to the dies of their multipliers. If a lane is cut, its second half moves on to the die of its sums.
static void move_lanes(const struct ir *ir, const struct ir_engine *e, int die, struct cost_resources *sum) {
    struct cost_resources lane = cost_lane(ir, e), sums = cost_lane_sums(ir, e);
    int home = ir->kernel[e->kernel].die;
    for (int c = 0; c < e->lanes; c++) {
        cost_add(sum, &lane, (e->lane_die[c] == die) - (home == die));
        cost_add(sum, &sums, (e->sums_die[c] == die) - (e->lane_die[c] == die));
    }
}

// Moves the FIFO that collects the results to the die on which it is.
static void move_results(const struct ir *ir, const struct ir_engine *e, int die, struct cost_resources *sum) {
    struct cost_resources results = cost_engine_results(&ir->kernel[e->kernel]);
    cost_add(sum, &results, (e->result_die == die) - (ir->kernel[e->kernel].die == die));
}

// Adds the part of a connection between dies that is on this die.
static void add_way(const struct ir *ir, const struct ir_edge *e, int64_t credits, int from, int to, int die,
                    struct cost_resources *sum) {
    struct cost_resources part =
        die == from || die == to ? cost_credit_end(ir, e, credits, die == to) : cost_credit_stage(ir, e);
    if (from != to && (die - from) * (die - to) <= 0) cost_add(sum, &part, 1);
}

// Adds the part of a stream that is on this die. A stream in a pool goes through the pool's die.
static void add_stream(const struct ir *ir, const struct cost_design *cost, int edge, int die,
                       struct cost_resources *sum) {
    const struct ir_edge *e = &ir->edge[edge];
    int from = ir_source_die(ir, e->src_kernel), to = ir->kernel[e->dst_kernel].die;
    if (e->pool != IR_NONE) {
        int home = ir->kernel[e->pool].die;
        add_way(ir, e, ir_credits(0, abs(home - from)), from, home, die, sum);
        add_way(ir, e, ir_credits(0, abs(to - home)), home, to, die, sum);
    } else if (from != to) add_way(ir, e, e->depth, from, to, die, sum);
    else if (to == die) cost_add(sum, &cost->edge[edge], 1);
}

struct cost_resources cost_die(const struct ir *ir, const struct cost_design *cost, int die) {
    struct cost_resources sum = {0};
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].die == die) cost_add(&sum, &cost->kernel[k], 1);
    for (int e = 0; e < ir->edges; e++) add_stream(ir, cost, e, die, &sum);
    if (cost_memory_die(ir) == die) cost_add(&sum, &cost->memory, 1);
    for (int i = 0; i < ir->engines; i++) {
        move_lanes(ir, &ir->engine[i], die, &sum);
        move_copies(ir, &ir->engine[i], die, &sum);
        move_results(ir, &ir->engine[i], die, &sum);
    }
    return sum;
}

struct cost_fill cost_fill(const struct ir *ir, const struct cost_design *cost, int die) {
    struct cost_resources kept = shell(&ir->die[die]), ports = cost_ports(ir, die), most = cost_ports_most(ir, die);
    struct cost_fill f = {.taken = cost_die(ir, cost, die), .whole = whole(&ir->die[die]), .limit = limit(ir, die)};
    cost_add(&f.taken, &kept, 1);
    f.most = f.taken;
    cost_add(&f.taken, &ports, 1);
    cost_add(&f.most, &most, 1);
    return f;
}

// Returns whether dies a and b are on different sides of a boundary.
static bool between(int a, int b, int boundary) { return (a > boundary) != (b > boundary); }

// Returns the bits of an engine's command chains that cross a boundary.
static int64_t chains_bits(const struct ir *ir, const struct ir_engine *e, int boundary) {
    const struct ir_kernel *engine = &ir->kernel[e->kernel];
    struct ir_chains chains = ir_chains_of(e);
    int64_t bits = 0;
    for (int n = 0; n < chains.count; n++)
        if (between(chains.chain[n].die, engine->die, boundary))
            bits += chains.chain[n].multiplies ? cost_lane_chain_bits(engine) : cost_sums_chain_bits(engine);
    return bits;
}

int64_t cost_engine_bits(const struct ir *ir, const struct ir_engine *e, int boundary) {
    int home = ir->kernel[e->kernel].die;
    int64_t bits = chains_bits(ir, e, boundary);
    for (int c = 0; c < e->lanes; c++) {
        bits += between(home, e->lane_die[c], boundary) * cost_lane_bits(ir, e, false);
        bits += between(e->lane_die[c], e->sums_die[c], boundary) * cost_lane_bits(ir, e, true);
        bits += between(e->sums_die[c], e->result_die, boundary) * COST_LANE_RESULT_BITS;
    }
    return bits;
}

int64_t cost_loads_bits(const struct ir *ir, int boundary) {
    for (int k = 0; k < ir->kernels; k++)
        if (cost_load_bits(ir, k) && between(ir->kernel[k].die, cost_memory_die(ir), boundary))
            return layout_load_bits(&ir->design);
    return 0;
}

struct cost_hash cost_hash(const struct ir *ir) {
    int rows = ir_chooses_all(ir) ? ir->design.tokens : 1;
    return (struct cost_hash){.from = ir_driver(ir, IR_NET_ROW_HASH),
                              .to = kernel_first(ir, KERNEL_LOOP),
                              .rows = rows,
                              .way = rows * COST_HASH_SLICE + COST_HASH_NUMBER};
}

int64_t cost_hash_bits(const struct ir *ir, int boundary) {
    struct cost_hash hash = cost_hash(ir);
    if (hash.from == IR_NONE) return 0;
    return hash.way * between(ir->kernel[hash.from].die, ir->kernel[hash.to].die, boundary);
}

int64_t cost_boundary_bits(const struct ir *ir, int boundary) {
    int64_t bits = cost_loads_bits(ir, boundary) + cost_hash_bits(ir, boundary);
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int from = ir_source_die(ir, edge->src_kernel), to = ir->kernel[edge->dst_kernel].die,
            home = edge->pool == IR_NONE ? from : ir->kernel[edge->pool].die;
        bits += (between(from, home, boundary) + between(home, to, boundary)) * cost_stream_bits(ir, edge);
    }
    for (int k = 0; k < ir->kernels; k++)
        if (between(ir->kernel[k].die, cost_memory_die(ir), boundary)) bits += cost_load_bits(ir, k);
    for (int e = 0; e < ir->engines; e++) bits += cost_engine_bits(ir, &ir->engine[e], boundary);
    return bits;
}
