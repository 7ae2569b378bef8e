// SPDX-License-Identifier: Apache-2.0
// The report's table of the streams that cross each boundary between dies, widest first.
#include <stdlib.h>

#include "gen/report/report_parts.h"
#include "gen/ir/ir.h"

struct crossing { // a row of the table
    const char *what, *from, *to;
    int64_t bits;
};

struct crossings { // the rows of one boundary
    struct arena *arena;
    const struct ir *ir;
    int boundary; // between this die and the next one
    VEC(struct crossing) row;
};

// Returns whether a way from one die to another passes the boundary.
static bool crosses(const struct crossings *c, int from, int to) { return (from > c->boundary) != (to > c->boundary); }

static void add_row(struct crossings *c, struct crossing row) {
    if (row.bits > 0) VEC_PUSH(c->arena, c->row, row);
}

// Adds a row for a stream. A stream in a pool has two: to the storage of the pool, and from there.
static void add_stream(struct crossings *c, const struct ir_edge *edge) {
    const struct ir *ir = c->ir;
    const char *from = ir->kernel[edge->src_kernel].name, *to = ir->kernel[edge->dst_kernel].name;
    int source = ir_source_die(ir, edge->src_kernel), end = ir->kernel[edge->dst_kernel].die;
    int64_t bits = cost_stream_bits(ir, edge);
    if (edge->pool == IR_NONE) {
        add_row(c, (struct crossing){edge->name, from, to, crosses(c, source, end) * bits});
        return;
    }
    const struct ir_kernel *pool = &ir->kernel[edge->pool];
    add_row(c, (struct crossing){edge->name, from, pool->name, crosses(c, source, pool->die) * bits});
    add_row(c, (struct crossing){edge->name, pool->name, to, crosses(c, pool->die, end) * bits});
}

// Adds the signals of lanes on other dies: the beats, terms and results of each lane, and the rest of the engine's
// signals, which all lanes of a die share.
static void add_lanes(struct crossings *c, const struct ir_engine *e) {
    const struct ir_kernel *engine = &c->ir->kernel[e->kernel];
    int64_t beats = 0, terms = 0, results = 0;
    for (int l = 0; l < e->lanes; l++) {
        beats += crosses(c, engine->die, e->lane_die[l]) * cost_lane_bits(c->ir, e, false);
        terms += crosses(c, e->lane_die[l], e->sums_die[l]) * cost_lane_bits(c->ir, e, true);
        results += crosses(c, e->sums_die[l], e->result_die) * COST_LANE_RESULT_BITS;
    }
    int64_t shared = cost_engine_bits(c->ir, e, c->boundary) - beats - terms - results;
    const struct crossing row[] = {{"beats of lanes", engine->name, "its lanes", beats},
                                   {"terms, row parameters", "its lanes", "their sums", terms},
                                   {"results of lanes", "its lanes", engine->name, results},
                                   {"commands, operands", engine->name, "its lanes", shared}};
    for (size_t i = 0; i < COUNT_OF(row); i++) add_row(c, row[i]);
}

static int by_bits(const void *a, const void *b) {
    const struct crossing *x = a, *y = b;
    return (x->bits < y->bits) - (x->bits > y->bits);
}

// Returns the rows of a boundary: streams, loads of parameters, the hash of the logits and the signals of lanes.
static struct crossings crossings_of(const struct ir *ir, int boundary) {
    struct crossings c = {.arena = ir->arena, .ir = ir, .boundary = boundary};
    for (int e = 0; e < ir->edges; e++) add_stream(&c, &ir->edge[e]);
    for (int k = 0; k < ir->kernels; k++)
        if (crosses(&c, ir->kernel[k].die, cost_memory_die(ir)))
            add_row(&c, (struct crossing){"load of parameters", "memory", ir->kernel[k].name, cost_load_bits(ir, k)});
    add_row(&c, (struct crossing){"parameters", "memory", "all stores behind", cost_loads_bits(ir, boundary)});
    struct cost_hash hash = cost_hash(ir);
    if (hash.from != IR_NONE)
        add_row(&c, (struct crossing){"hash of the logits", ir->kernel[hash.from].name, ir->kernel[hash.to].name,
                                      cost_hash_bits(ir, boundary)});
    for (int e = 0; e < ir->engines; e++) add_lanes(&c, &ir->engine[e]);
    if (c.row.count) qsort(c.row.items, c.row.count, sizeof *c.row.items, by_bits);
    return c;
}

static void add_boundary(const struct ir *ir, int boundary, struct text *out) {
    struct crossings c = crossings_of(ir, boundary);
    int64_t sum = 0;
    text_addf(out, "\nwhat crosses from %s to %s, bits, estimated, widest first\n", ir->die[boundary].name,
              ir->die[boundary + 1].name);
    for (size_t i = 0; i < c.row.count; i++) {
        const struct crossing *row = &c.row.items[i];
        text_addf(out, "  %6lld  %-36s %-28s -> %s\n", (long long)row->bits, row->what, row->from, row->to);
        sum += row->bits;
    }
    text_addf(out, "  %6lld  all\n", (long long)sum);
}

void report_crossings(const struct report *r, struct text *out) {
    if (!report_has_dies(r)) return;
    for (int b = 0; b + 1 < r->ir->dies; b++) add_boundary(r->ir, b, out);
}
