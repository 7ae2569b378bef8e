// SPDX-License-Identifier: Apache-2.0
// allocate-memories: what every FIFO and buffer is built of: LUTRAM, BRAM or URAM.
//
// By depth and shape (UltraScale+: LUTRAM of 64 words, BRAM36 of 512 x 72, URAM of 4096 x 72) as long as the sum stays within the shares of the
// board's stock below. Where it does not, an integer program chooses for all memories together: it minimises the largest share of a kind of
// resource, then the sum of the shares. Memories of equal shape are one variable per kind, so that large designs are small programs.
// No SRLs: LUTRAM takes 8 LUTs for 14 bits of 32 words, a shift register one for each, and it moves every bit in every cycle.
#include "cost.h"
#include "lp/mip.h"
#include "pass.h"

enum { STYLES = 3, STOCKS = 3, MIN_BLOCK_WORDS = 33 /* a LUT holds 32 */, MAX_LUTRAM_WORDS = 1024, BRANCHES = 20000, MILLISECONDS = 5000 };
static const char *const styles[STYLES] = {"distributed", "block", "ultra"};

// Shares of the stock that the rule may take: beyond them placing and routing get hard.
static const struct {
    const char *name;
    int percent;
} limits[STOCKS] = {{"LUT", 60}, {"BRAM36", 75}, {"URAM", 75}};

struct memory { // a FIFO, a kernel's buffer, or the prefetch FIFOs of an engine
    int edge, kernel, engine;
    struct cost_resources now, cost[STYLES];
    bool legal[STYLES];
    int same_as; // the first memory with the same figures: itself, or one before it
};

struct choice {
    struct ir *ir;
    VEC(struct memory) memory;
    int64_t stock[STOCKS], taken[STOCKS]; // taken: by all that is not chosen here. BRAM in halves
    VEC(int) first, count;                // one of each shape, and how many there are
};

const char *allocate_memories_style(int64_t depth, int64_t bits) {
    if (depth * bits <= 16384 || depth <= 64) return styles[0];
    return depth >= 2048 ? styles[2] : styles[1];
}

static void amounts(const struct cost_resources *r, int64_t out[STOCKS]) {
    out[0] = r->lut;
    out[1] = r->bram18;
    out[2] = r->uram;
}

static bool by_rule(struct ir *ir, struct choice *c) {
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        edge->ram_style = allocate_memories_style(edge->depth, ir->kernel[edge->src_kernel].port[edge->src_port].data_bits);
    }
    for (int e = 0; e < ir->engines; e++) ir->engine[e].prefetch_style = cost_prefetch_style(ir->design.prefetch_beats);
    for (int d = 0; d < ir->dies; d++) {
        c->stock[0] += ir->die[d].lut;
        c->stock[1] += 2 * ir->die[d].bram36;
        c->stock[2] += ir->die[d].uram;
    }
    struct cost_design cost = cost_design(ir);
    amounts(&cost.total, c->taken);
    bool fits = true;
    for (int s = 0; s < STOCKS; s++) fits = fits && c->taken[s] * 100 <= c->stock[s] * limits[s].percent;
    return fits || !ir->dies;
}

// ---- what there is to choose ----

static bool same_figures(const struct memory *a, const struct memory *b) {
    for (int s = 0; s < STYLES; s++) {
        const struct cost_resources *x = &a->cost[s], *y = &b->cost[s];
        if (a->legal[s] != b->legal[s] || x->lut != y->lut || x->bram18 != y->bram18 || x->uram != y->uram) return false;
    }
    return true;
}

static void add_memory(struct choice *c, struct memory m, int64_t words) {
    int id = (int)c->memory.count;
    int64_t now[STOCKS];
    for (int s = 0; s < STYLES; s++) m.legal[s] = s ? words >= MIN_BLOCK_WORDS : words <= MAX_LUTRAM_WORDS;
    amounts(&m.now, now);
    for (int s = 0; s < STOCKS; s++) c->taken[s] -= now[s];
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
    struct memory m = {.edge = e, .kernel = IR_NONE, .engine = IR_NONE, .now = cost_fifo(edge->depth, bits, edge->ram_style)};
    if (edge->depth <= 2 || edge->pool != IR_NONE) return; // registers, or a place in a kernel's memory
    for (int s = 0; s < STYLES; s++) m.cost[s] = cost_fifo(edge->depth, bits, styles[s]);
    add_memory(c, m, edge->depth);
}

static void add_kernel(struct choice *c, int k) {
    struct memory m = {.edge = IR_NONE, .kernel = k, .engine = IR_NONE};
    struct cost_memory shape;
    if (!cost_kernel_memory(&c->ir->kernel[k], &shape)) return;
    m.now = cost_kernel_as(c->ir, k, shape.style);
    for (int s = 0; s < STYLES; s++) m.cost[s] = cost_kernel_as(c->ir, k, styles[s]);
    add_memory(c, m, shape.words);
}

static void add_engine(struct choice *c, int e) {
    const struct ir_engine *engine = &c->ir->engine[e];
    int64_t beats = c->ir->design.prefetch_beats;
    struct memory m = {.edge = IR_NONE, .kernel = IR_NONE, .engine = e};
    struct cost_resources now = cost_prefetch(c->ir, beats, engine->prefetch_style);
    cost_add(&m.now, &now, engine->channels);
    for (int s = 0; s < STYLES; s++) {
        struct cost_resources one = cost_prefetch(c->ir, beats, styles[s]);
        cost_add(&m.cost[s], &one, engine->channels);
    }
    add_memory(c, m, beats);
}

// ---- the program ----

static void set_style(struct ir *ir, const struct memory *m, const char *style) {
    if (m->edge != IR_NONE) ir->edge[m->edge].ram_style = style;
    if (m->kernel != IR_NONE) ir_set_param(ir, m->kernel, "RAM_STYLE", "\"%s\"", style);
    if (m->engine != IR_NONE) ir->engine[m->engine].prefetch_style = style;
}

static double share(const struct choice *c, int stock, int64_t amount) {
    int64_t limit = c->stock[stock] * limits[stock].percent / 100;
    return (double)amount / (double)(limit > 0 ? limit : 1);
}

// Rows: every memory has one kind; for each stock, share taken - largest <= 0.
static enum mip_status solve(struct choice *c) {
    enum { LARGEST = 1000 }; // weight of the largest share against the sum of the shares
    struct mip m;
    enum mip_status status;
    mip_init(&m, c->ir->arena);
    int largest = mip_variable(&m, 0, MIP_NO_BOUND, LARGEST, false), row[STOCKS];
    for (int s = 0; s < STOCKS; s++) {
        row[s] = mip_row(&m, -MIP_NO_BOUND, -share(c, s, c->taken[s]));
        mip_term(&m, row[s], largest, -1);
    }
    for (size_t i = 0; i < c->first.count; i++) {
        const struct memory *item = &c->memory.items[c->first.items[i]];
        int all = mip_row(&m, c->count.items[i], c->count.items[i]);
        for (int k = 0; k < STYLES; k++) {
            int64_t amount[STOCKS];
            double sum = 0;
            amounts(&item->cost[k], amount);
            for (int s = 0; s < STOCKS; s++) sum += share(c, s, amount[s]);
            int x = mip_variable(&m, 0, item->legal[k] ? c->count.items[i] : 0, sum, true);
            mip_term(&m, all, x, 1);
            for (int s = 0; s < STOCKS; s++) mip_term(&m, row[s], x, share(c, s, amount[s]));
        }
    }
    double *x = mip_solve(&m, (struct mip_limits){BRANCHES, MILLISECONDS}, &status);
    for (size_t i = 0; x && i < c->first.count; i++) {
        int style = 0;
        double *left = &x[1 + STYLES * i];
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
    case MIP_OPTIMAL: ir->design.memories = "by stock, the largest share least"; break;
    case MIP_FEASIBLE: ir->design.memories = "by stock, the best found within the limit of the search"; break;
    case MIP_NONE: ir->design.memories = "by depth and shape, as the search by stock ended without a result"; break;
    }
    return true;
}
