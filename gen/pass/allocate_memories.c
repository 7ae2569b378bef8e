// SPDX-License-Identifier: Apache-2.0
// allocate-memories: chooses LUTRAM, BRAM or URAM for every FIFO and buffer.
//
// A rule first chooses for each memory alone, by its number of words and their width (UltraScale+: 8 LUTs are a LUTRAM
// of 32 words x 14 bits or 64 words x 7 bits; a BRAM36 has 512 x 72, a URAM 4096 x 72). The result is kept if the sum
// stays within the board's limits, or with `dies` within the share AIM of the limits. Otherwise an integer program
// chooses for all memories together. The program minimises first the resources used beyond AIM of the limits, then the
// largest share of a resource, then the sum of the shares. Memories with equal costs form a *shape*. They share one
// variable per kind, so the programs of large designs stay small. A memory's *kind* is its RAM style: LUTRAM, BRAM or
// URAM. With `dies`, the memories that must be on the die with the memory ports (write engines, prefetch FIFOs, V tail)
// must also fit into that die. SRLs are never chosen: a LUTRAM of 32 words takes 8 LUTs for 14 bits, but a shift
// register takes one LUT per bit and moves every bit in every cycle.

#include "gen/cost/cost.h"
#include "gen/kernel/kernel.h"
#include "gen/lp/mip.h"
#include "gen/pass/pass.h"
#include "gen/pass/place.h"

enum {
    STYLES = 3,
    RESOURCES = 3, // LUTs, BRAM18s and URAMs, in this order
    // Least words for which the program may choose BRAM or URAM: a LUTRAM has twice the bits per LUT up to 32 words.
    MIN_BLOCK_WORDS = 33,
    MAX_LUTRAM_WORDS = 1024, // most words for which it may choose LUTRAM
    BRANCHES = 20000,        // limits of the search (mip.h)
    ITERATIONS = 1000000
};
static const enum ram_style styles[STYLES] = {RAM_DISTRIBUTED, RAM_BLOCK, RAM_ULTRA};

struct memory {               // a FIFO, a kernel's buffer or a piece of one, or the prefetch FIFOs of an engine
    int edge, kernel, engine; // one of them is set, the others are IR_NONE
    int piece;                // index in a buffer whose pieces may have different kinds; else IR_NONE
    struct cost_resources now, cost[STYLES]; // resources with the present kind, and with each kind
    bool legal[STYLES], at_memory;           // at_memory: it must be on the die with the memory ports
    int same_as; // the first memory of its shape; the memory's own index if none comes before it
};

enum { BELOW_LARGEST, BELOW_AIM, ROWS }; // rows of the program for each resource (add_resource)
// Places with limits: the whole board, and the die with the memory ports, for the modules that must be there.
enum { BOARD, HOME, PLOTS };

struct choice {
    struct ir *ir;
    VEC(struct memory) memory;
    // room: resources within the limits. taken: resources of everything that is not chosen here. In LUTs, BRAM18s and
    // URAMs.
    int64_t room[PLOTS][RESOURCES], taken[PLOTS][RESOURCES];
    bool *at_memory;       // per kernel: it must be on the die with the memory ports; NULL: the design has one die
    VEC(int) first, count; // per shape: index of its first memory, and number of its memories
};

// A memory of at most 64 words, or of at most 16 Kbit, is in LUTRAM. Any other memory is in URAM from 2048 words on,
// and else in BRAM. bits: width of a word.
enum ram_style allocate_memories_style(int64_t depth, int64_t bits) {
    if (depth * bits <= 16384 || depth <= 64) return RAM_DISTRIBUTED;
    return depth >= 2048 ? RAM_ULTRA : RAM_BLOCK;
}

static void amounts(const struct cost_resources *r, int64_t out[RESOURCES]) {
    out[0] = r->lut;
    out[1] = r->bram18;
    out[2] = r->uram;
}

static void add_taken(struct choice *c, int plot, const struct cost_resources *r, int64_t times) {
    int64_t amount[RESOURCES];
    amounts(r, amount);
    for (int s = 0; s < RESOURCES; s++) c->taken[plot][s] += times * amount[s];
}

static void add_room(struct choice *c, int plot, int die) {
    struct cost_resources room = cost_room(c->ir, die);
    int64_t amount[RESOURCES];
    amounts(&room, amount);
    for (int s = 0; s < RESOURCES; s++) c->room[plot][s] += amount[s];
}

// Adds room and taken resources of the die with the memory ports. A FIFO is on the die of the kernel that reads it. The
// lanes of an engine count as evenly spread over the dies.
static void add_home(struct choice *c, const struct cost_design *cost) {
    const struct ir *ir = c->ir;
    c->at_memory = ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernels + 1);
    place_at_memory(ir, c->at_memory);
    add_room(c, HOME, cost_memory_die(ir));
    add_taken(c, HOME, &cost->memory, 1);
    for (int k = 0; k < ir->kernels; k++)
        if (c->at_memory[k]) add_taken(c, HOME, &cost->kernel[k], 1);
    for (int e = 0; e < ir->edges; e++)
        if (c->at_memory[ir->edge[e].dst_kernel]) add_taken(c, HOME, &cost->edge[e], 1);
    for (int i = 0; i < ir->engines; i++) {
        struct cost_resources lane = cost_lane(ir, &ir->engine[i]);
        int64_t lanes = ir->engine[i].lanes, there = lanes / ir->design.dies;
        if (c->at_memory[ir->engine[i].kernel]) add_taken(c, HOME, &lane, there - lanes);
    }
}

// Share of each limit that the choice aims at. The rest is a margin for parts that a partition over dies cannot divide.
static const double AIM = 0.9;

// Returns an amount of a resource as a share of the room in a plot.
static double share(const struct choice *c, int plot, int resource, int64_t amount) {
    int64_t room = c->room[plot][resource];
    return (double)amount / (double)(room > 0 ? room : 1);
}

// Chooses the kind of every FIFO and prefetch FIFO by the rule, and adds up the room and the resources taken.
// Buffers of kernels keep the kind that they have. Returns whether the result stays within the limits, or with `dies`
// within AIM of them; true if the board file has no resources of dies.
static bool by_rule(struct ir *ir, struct choice *c) {
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        edge->ram_style = allocate_memories_style(edge->depth, kernel_part(ir, edge).bits);
    }
    for (int e = 0; e < ir->engines; e++) ir->engine[e].prefetch_style = cost_prefetch_style(ir->design.prefetch_beats);
    for (int d = 0; d < ir->dies; d++) add_room(c, BOARD, d);
    struct cost_design cost = cost_design(ir);
    add_taken(c, BOARD, &cost.total, 1);
    if (ir->design.dies >= 2 && ir->dies >= 2) add_home(c, &cost);
    bool fits = true;
    double most = c->at_memory ? AIM : 1;
    for (int p = BOARD; p <= (c->at_memory ? HOME : BOARD); p++)
        for (int s = 0; s < RESOURCES; s++) fits = fits && share(c, p, s, c->taken[p][s]) <= most;
    return fits || !ir->dies;
}

// ---- the memories to choose for ----

// Returns whether two memories have the same shape.
static bool same_figures(const struct memory *a, const struct memory *b) {
    if (a->at_memory != b->at_memory) return false;
    for (int s = 0; s < STYLES; s++) {
        const struct cost_resources *x = &a->cost[s], *y = &b->cost[s];
        if (a->legal[s] != b->legal[s] || x->lut != y->lut || x->bram18 != y->bram18 || x->uram != y->uram)
            return false;
    }
    return true;
}

// Whether a memory of this depth may have the kind styles[style]. Kind 0 is LUTRAM.
static bool is_legal(int64_t words, int style) { return style ? words >= MIN_BLOCK_WORDS : words <= MAX_LUTRAM_WORDS; }

// Whether some die has room for this memory alone, because a memory cannot be divided over dies.
static bool fits_a_die(const struct ir *ir, const struct cost_resources *r) {
    if (ir->design.dies < 2) return true;
    for (int d = 0; d < ir->dies && d < ir->design.dies; d++) {
        struct cost_resources room = cost_room(ir, d);
        if (r->lut <= room.lut && r->bram18 <= room.bram18 && r->uram <= room.uram) return true;
    }
    return false;
}

// Adds a memory whose kind is to be chosen, with its shape. c->taken then no longer has the resources of its present
// kind. words: its depth, which decides its legal kinds. A kind that fits no die is legal only if no kind fits.
static void add_memory(struct choice *c, struct memory m, int64_t words) {
    int id = (int)c->memory.count;
    int kernel = m.edge != IR_NONE     ? c->ir->edge[m.edge].dst_kernel
                 : m.kernel != IR_NONE ? m.kernel
                                       : c->ir->engine[m.engine].kernel;
    m.at_memory = c->at_memory && c->at_memory[kernel];
    bool any = false;
    for (int s = 0; s < STYLES; s++) any |= m.legal[s] = is_legal(words, s) && fits_a_die(c->ir, &m.cost[s]);
    for (int s = 0; s < STYLES && !any; s++) m.legal[s] = is_legal(words, s);
    add_taken(c, BOARD, &m.now, -1);
    if (m.at_memory) add_taken(c, HOME, &m.now, -1);
    m.same_as = id;
    for (size_t i = 0; i < c->first.count && m.same_as == id; i++) {
        if (!same_figures(&c->memory.items[c->first.items[i]], &m)) continue;
        m.same_as = c->first.items[i];
        c->count.items[i]++;
    }
    VEC_PUSH(c->ir->arena, c->memory, m);
    if (m.same_as != id) return;
    VEC_PUSH(c->ir->arena, c->first, id);
    VEC_PUSH(c->ir->arena, c->count, 1);
}

static void add_fifo(struct choice *c, int e) {
    const struct ir_edge *edge = &c->ir->edge[e];
    int64_t bits = cost_edge_bits(c->ir, edge);
    struct memory m = {.edge = e,
                       .kernel = IR_NONE,
                       .engine = IR_NONE,
                       .piece = IR_NONE,
                       .now = cost_fifo(edge->depth, bits, edge->ram_style)};
    if (edge->depth <= 2 || edge->pool != IR_NONE) return; // registers, or a place in the memory of a pool
    for (int s = 0; s < STYLES; s++) m.cost[s] = cost_fifo(edge->depth, bits, styles[s]);
    add_memory(c, m, edge->depth);
}

// Returns one piece's share of a buffer's resources.
static struct cost_resources part_of(struct cost_resources all, int64_t pieces) {
    return (struct cost_resources){
        .lut = all.lut / pieces, .bram18 = all.bram18 / pieces, .uram = all.uram / pieces}; // rounded down
}

// Adds a kernel's buffer, or each of its pieces if these may have different kinds.
static void add_kernel(struct choice *c, int k) {
    struct memory m = {.edge = IR_NONE, .kernel = k, .engine = IR_NONE, .piece = IR_NONE};
    struct cost_memory shape;
    if (!kernel_memory(&c->ir->kernel[k], &shape)) return;
    int pieces = shape.mixed ? (int)shape.times : 1;
    m.now = part_of(cost_kernel_as(c->ir, k, shape.style), pieces);
    for (int s = 0; s < STYLES; s++) m.cost[s] = part_of(cost_kernel_as(c->ir, k, styles[s]), pieces);
    for (int piece = 0; piece < pieces; piece++) {
        if (shape.mixed) m.piece = piece;
        add_memory(c, m, shape.words);
    }
}

// Adds the prefetch FIFOs of an engine's channels as one memory. A resident engine has none.
static void add_engine(struct choice *c, int e) {
    const struct ir_engine *engine = &c->ir->engine[e];
    int64_t beats = c->ir->design.prefetch_beats;
    if (ir_is_resident(engine)) return;
    struct memory m = {.edge = IR_NONE, .kernel = IR_NONE, .engine = e, .piece = IR_NONE};
    struct cost_resources now = cost_prefetch(c->ir, beats, engine->prefetch_style);
    cost_add(&m.now, &now, engine->channels);
    for (int s = 0; s < STYLES; s++) {
        struct cost_resources one = cost_prefetch(c->ir, beats, styles[s]);
        cost_add(&m.cost[s], &one, engine->channels);
    }
    add_memory(c, m, beats);
}

// ---- the program ----

// Sets the kind of one piece of a buffer. The caller goes through the pieces in order, and their kinds follow the order
// of styles[], so pieces in URAM come last. The parameter ULTRA counts the pieces in URAM; all other pieces have the
// buffer's one RAM_STYLE, which is the last that was set. If even piece 0 is in URAM, the whole buffer is.
static void set_piece(struct ir *ir, const struct memory *m, enum ram_style style) {
    const struct ir_kernel *k = &ir->kernel[m->kernel];
    if (style == RAM_ULTRA && m->piece && kernel_style(k) != RAM_ULTRA)
        ir_set_int(ir, m->kernel, "ULTRA", kernel_ultra(k) + 1);
    else if (style != RAM_ULTRA || !m->piece) ir_set_style(ir, m->kernel, style);
}

static void set_style(struct ir *ir, const struct memory *m, enum ram_style style) {
    if (m->edge != IR_NONE) ir->edge[m->edge].ram_style = style;
    if (m->piece != IR_NONE) set_piece(ir, m, style);
    else if (m->kernel != IR_NONE) ir_set_style(ir, m->kernel, style);
    if (m->engine != IR_NONE) ir->engine[m->engine].prefetch_style = style;
}

// Adds the variables of one shape: for each kind, how many of the shape's memories have this kind. Also adds a row by
// which these numbers add up to the number of memories, and adds the resources of the memories to the rows of
// add_resource. i: index of the shape.
static void add_shape(struct choice *c, struct mip *m, size_t i, int row[PLOTS][RESOURCES][ROWS]) {
    const struct memory *item = &c->memory.items[c->first.items[i]];
    int all = mip_row(m, c->count.items[i], c->count.items[i]);
    for (int k = 0; k < STYLES; k++) {
        int64_t amount[RESOURCES];
        double sum = 0;
        amounts(&item->cost[k], amount);
        for (int s = 0; s < RESOURCES; s++) sum += share(c, BOARD, s, amount[s]);
        int x = mip_variable(m, 0, item->legal[k] ? c->count.items[i] : 0, sum, true);
        mip_term(m, all, x, 1);
        for (int p = BOARD; p <= (item->at_memory ? HOME : BOARD); p++)
            for (int s = 0; s < RESOURCES; s++)
                for (int r = 0; r < ROWS; r++) mip_term(m, row[p][s][r], x, share(c, p, s, amount[s]));
    }
}

// Adds two rows for a resource, where share is the part of the room that is used: share - largest <= 0, and share -
// beyond <= AIM. `largest` is the variable of the largest share. `beyond`, a new variable, is the excess over AIM.
static void add_resource(struct choice *c, struct mip *m, int plot, int resource, int largest, int row[ROWS]) {
    enum { BEYOND = 100000 }; // weight of the excess over AIM, relative to the sum of the shares
    double taken = share(c, plot, resource, c->taken[plot][resource]);
    row[BELOW_LARGEST] = mip_row(m, -MIP_NO_BOUND, -taken);
    mip_term(m, row[BELOW_LARGEST], largest, -1);
    row[BELOW_AIM] = mip_row(m, -MIP_NO_BOUND, AIM - taken);
    mip_term(m, row[BELOW_AIM], mip_variable(m, 0, MIP_NO_BOUND, BEYOND, false), -1);
}

// Solves the program and sets the kind of each memory. The first memories of a shape get LUTRAM, the next ones BRAM and
// the last ones URAM, as many of each as the solution has. MIP_NONE: sets nothing.
static enum mip_status solve(struct choice *c) {
    enum { LARGEST = 1000 }; // weight of the largest share relative to the sum of the shares
    struct mip m;
    enum mip_status status;
    mip_init(&m, c->ir->arena);
    int row[PLOTS][RESOURCES][ROWS];
    for (int p = BOARD; p <= (c->at_memory ? HOME : BOARD); p++) {
        int largest = mip_variable(&m, 0, MIP_NO_BOUND, LARGEST, false);
        for (int s = 0; s < RESOURCES; s++) add_resource(c, &m, p, s, largest, row[p][s]);
    }
    size_t shapes = m.variable.count; // index of the first variable of the shapes
    for (size_t i = 0; i < c->first.count; i++) add_shape(c, &m, i, row);
    double *x = mip_solve(&m, (struct mip_limits){BRANCHES, ITERATIONS}, &status);
    for (size_t i = 0; x && i < c->first.count; i++) {
        int style = 0;
        double *left = &x[shapes + STYLES * i];
        for (size_t n = 0; n < c->memory.count; n++) {
            if (c->memory.items[n].same_as != c->first.items[i]) continue;
            while (style < STYLES - 1 && left[style] < 0.5) style++;
            left[style] -= 1;
            set_style(c->ir, &c->memory.items[n], styles[style]);
        }
    }
    return status;
}

bool pass_allocate_memories(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    struct choice c = {.ir = ir};
    ir->design.memories = "by depth and shape";
    if (by_rule(ir, &c)) return true;
    for (int e = 0; e < ir->edges; e++) add_fifo(&c, e);
    for (int k = 0; k < ir->kernels; k++) add_kernel(&c, k);
    for (int e = 0; e < ir->engines; e++) add_engine(&c, e);
    switch (solve(&c)) {
    case MIP_OPTIMAL: ir->design.memories = "by resource, the largest share least"; break;
    case MIP_FEASIBLE: ir->design.memories = "by resource, the best found within the limit of the search"; break;
    case MIP_NONE: ir->design.memories = "by depth and shape, as the search by resource ended without a result"; break;
    }
    return true;
}
