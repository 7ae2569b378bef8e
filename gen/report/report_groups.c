// SPDX-License-Identifier: Apache-2.0
// Section of the report about the on-chip memory for intermediate tensors, by region and by group: FIFOs, pools and
// spills, as the emitted design has them. Compares it with storing whole tensors in double buffers.
#include <string.h>

#include "gen/kernel/args.h"
#include "gen/report/design_report.h"
#include "gen/pass/pass.h"
#include "gen/report/report_parts.h"
#include "gen/kernel/kernel.h"

struct share {       // memory of a region, in bits
    int64_t streams; // FIFOs that are not in a pool
    int64_t pooled;  // FIFOs in a pool, counted as if each had separate storage
    int64_t pools;   // pools that store a stream of the region; a pool of several regions counts in each of them
    int64_t spills;  // on-chip part of streams that are spilled to memory
    int64_t kernels; // buffers inside kernels
    int64_t tensors; // the region's tensors stored whole, for one position
};

static const struct ir_port *end_of(const struct ir *ir, int edge, bool source) {
    const struct ir_edge *e = &ir->edge[edge];
    return source ? &ir->kernel[e->src_kernel].port[e->src_port] : &ir->kernel[e->dst_kernel].port[e->dst_port];
}

static int region_of_edge(const struct ir *ir, int edge) {
    int region = end_of(ir, edge, true)->region;
    return region != IR_NONE ? region : end_of(ir, edge, false)->region;
}

static int region_of_kernel(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    if (k->node != IR_NONE) return ir->node[k->node].region;
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].region != IR_NONE) return k->port[p].region;
    return IR_NONE;
}

// Returns the memory of a region. region: IR_NONE for everything that serves all regions, such as the streams of the
// engines, step words and parameters.
static struct share share_of(const struct ir *ir, int region) {
    struct share s = {0};
    bool *seen = ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernels + 1);
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int64_t bits = edge->depth * cost_edge_bits(ir, edge);
        if (region_of_edge(ir, e) != region) continue;
        if (edge->pool == IR_NONE) s.streams += bits;
        else s.pooled += bits;
        if (edge->pool != IR_NONE && !seen[edge->pool]) s.pools += cost_pool_bits(&ir->kernel[edge->pool]);
        if (edge->pool != IR_NONE) seen[edge->pool] = true;
    }
    for (int k = 0; k < ir->kernels; k++) {
        if (region_of_kernel(ir, k) != region) continue;
        s.spills += cost_spill_bits(ir, k);
        s.kernels += cost_local_bits(ir, k);
    }
    for (int n = 0; n < ir->nodes; n++)
        for (int o = 0; o < ir->node[n].outputs && ir->node[n].region == region; o++)
            s.tensors += cost_tensor_bits(ir, &ir->tensor[ir->node[n].out[o]]);
    return s;
}

// Returns the on-chip bits that the emitted design has for a region's intermediate tensors, without buffers in kernels.
static int64_t emitted(const struct share *s) { return s->streams + s->pools + s->spills; }

// Prints the memory of each region, and then the memory that serves all regions. A region's ratios include the latter.
static void add_regions(const struct ir *ir, int64_t positions, struct text *out) {
    struct share all = share_of(ir, IR_NONE);
    text_addf(out,
              "\nmemory of intermediates, bits: a step of %d tokens as emitted; whole tensors of %lld positions in "
              "double buffers\n",
              ir->design.tokens, (long long)positions);
    text_add(out, "  region             FIFOs      pools     spills    emitted   of kernels        unfused   ratio  "
                  "with kernels\n");
    for (int r = 0; r < ir->regions; r++) {
        struct share s = share_of(ir, r);
        int64_t bits = emitted(&s) + emitted(&all), unfused = 2 * positions * s.tensors;
        text_addf(out, "  %-12s %11lld %10lld %10lld %10lld %12lld %14lld  %.4f  %.4f\n", ir->region[r].name,
                  (long long)s.streams, (long long)s.pools, (long long)s.spills, (long long)emitted(&s),
                  (long long)s.kernels, (long long)unfused, (double)bits / (double)at_least(unfused, 1),
                  (double)(bits + s.kernels + all.kernels) / (double)at_least(unfused, 1));
    }
    text_addf(out, "  %-12s %11lld %10lld %10lld %10lld %12lld\n", "of all", (long long)all.streams,
              (long long)all.pools, (long long)all.spills, (long long)emitted(&all), (long long)all.kernels);
    int64_t kernels = 0;
    for (int k = 0; k < ir->kernels; k++) kernels += cost_local_bits(ir, k);
    text_addf(out, "  %-12s %33s %10lld %12lld\n", "design", "", (long long)report_fifo_bits(ir), (long long)kernels);
    text_add(
        out,
        "  ratio: the region's streams with those of all regions, against the region's tensors in double buffers\n");
}

int64_t report_group_bits(const struct ir *ir, int group, int64_t *fifos) {
    int64_t bits = ir->group[group].bits;
    *fifos = 0;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        if (edge->group != group) continue;
        *fifos += edge->depth * cost_edge_bits(ir, edge);
        // group->bits counts the safe depth; the emitted design has `depth`.
        bits += (edge->depth - size_fifos_safe(ir, edge)) * cost_edge_bits(ir, edge);
    }
    return bits;
}

// Adds the table of the groups, and the one that compares the cuts between groups.
static void add_groups(const struct ir *ir, struct text *out) {
    text_add(out, "\ngroups: region, first and last operation, bits counted against the budget (at safe depths), as "
                  "emitted, FIFOs of its own streams\n");
    for (int g = 0; g < ir->groups; g++) {
        const struct ir_group *group = &ir->group[g];
        int64_t fifos, emitted = report_group_bits(ir, g, &fifos);
        text_addf(out, "  %2d %-10s %-14s %-14s %10lld %10lld %10lld\n", g, ir->region[group->region].name,
                  ir->node[group->first_node].name, ir->node[group->first_node + group->nodes - 1].name,
                  (long long)group->bits, (long long)emitted, (long long)fifos);
    }
    text_addf(out, "\ncuts within %lld KiB: groups, bits of the largest, bits written and read per step\n",
              (long long)ir->design.on_chip_kib);
    for (int f = 0; f < ir->fusions; f++)
        text_addf(out, "  %-10s %4lld %10lld %10lld\n", ir_fusion_name(ir->fusion[f].kind),
                  (long long)ir->fusion[f].groups, (long long)ir->fusion[f].bits, (long long)ir->fusion[f].traffic);
}

// Adds the table of the pools, and the list of streams between groups.
static void add_pools(const struct ir *ir, struct text *out) {
    text_add(out, "\npools: words x bits, bits, bits of its streams if each had its own FIFO, streams (group)\n");
    for (int k = 0; k < ir->kernels; k++) {
        int64_t bits = cost_pool_bits(&ir->kernel[k]), alone = 0;
        struct text names = {0};
        if (!bits) continue;
        for (int e = 0; e < ir->edges; e++) {
            if (ir->edge[e].pool != k) continue;
            alone += ir->edge[e].depth * cost_edge_bits(ir, &ir->edge[e]);
            text_addf(&names, " %s (%d)", ir->edge[e].name, ir->edge[e].group);
        }
        text_addf(out, "  %-8s %6lld x %-6lld %10lld %10lld %s\n", ir->kernel[k].name,
                  (long long)kernel_pool_words(&ir->kernel[k]), (long long)kernel_pool_word_bits(&ir->kernel[k]),
                  (long long)bits, (long long)alone, text_cstr(&names));
        text_free(&names);
    }
    text_add(out, "\nstreams between groups: bits on chip, stream\n");
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int64_t spill = cost_spill_bits(ir, edge->dst_kernel);
        if (edge->stored_firings)
            text_addf(out, "  %10lld FIFO   %s\n", (long long)(edge->depth * cost_edge_bits(ir, edge)), edge->name);
        if (spill) text_addf(out, "  %10lld memory %s\n", (long long)spill, edge->name);
    }
}

void design_report_memory(const struct ir *ir, int64_t positions, struct text *out) {
    add_regions(ir, positions > 0 ? positions : ir->design.tokens, out);
    if (!ir->groups) return;
    add_groups(ir, out);
    add_pools(ir, out);
}

// ---- the same as JSON ----

static void json_share(const char *name, const struct share *s, int64_t positions, struct text *out) {
    text_add_json_string(out, name, strlen(name));
    text_addf(out, ": {\"fifos\": %lld, \"pools\": %lld, \"spills\": %lld, \"kernels\": %lld, \"unfused\": %lld}",
              (long long)s->streams, (long long)s->pools, (long long)s->spills, (long long)s->kernels,
              (long long)(2 * positions * s->tensors));
}

static void json_groups(const struct ir *ir, struct text *out) {
    text_add(out, ",\n \"groups\": [");
    for (int g = 0; g < ir->groups; g++) {
        const char *first = ir->node[ir->group[g].first_node].name,
                   *last = ir->node[ir->group[g].first_node + ir->group[g].nodes - 1].name;
        text_add(out, g ? ",\n  {\"first\": " : "\n  {\"first\": ");
        text_add_json_string(out, first, strlen(first));
        text_add(out, ", \"last\": ");
        text_add_json_string(out, last, strlen(last));
        int64_t fifos, emitted = report_group_bits(ir, g, &fifos);
        text_addf(out, ", \"bits\": %lld, \"emitted\": %lld}", (long long)ir->group[g].bits, (long long)emitted);
    }
    text_add(out, "],\n \"cuts\": {");
    for (int f = 0; f < ir->fusions; f++)
        text_addf(out, "%s\"%s\": {\"groups\": %lld, \"bits\": %lld, \"traffic\": %lld}", f ? ", " : "",
                  ir_fusion_name(ir->fusion[f].kind), (long long)ir->fusion[f].groups, (long long)ir->fusion[f].bits,
                  (long long)ir->fusion[f].traffic);
    text_add(out, "}");
}

void design_report_memory_json(const struct ir *ir, int64_t positions, struct text *out) {
    if (positions <= 0) positions = ir->design.tokens;
    text_addf(out, "{\"positions\": %lld, \"bits\": %lld,\n \"regions\": {", (long long)positions,
              (long long)report_fifo_bits(ir));
    for (int r = IR_NONE; r < ir->regions; r++) {
        struct share s = share_of(ir, r);
        text_add(out, r == IR_NONE ? "\n  " : ",\n  ");
        json_share(r == IR_NONE ? "of all" : ir->region[r].name, &s, positions, out);
    }
    text_add(out, "}");
    json_groups(ir, out);
    text_add(out, "}\n");
}
