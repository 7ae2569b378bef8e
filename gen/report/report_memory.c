// SPDX-License-Identifier: Apache-2.0
// The report's table of memories: the memory blocks of which each FIFO and buffer is built, and the share of their bits
// that is in use.
#include <string.h>

#include "gen/report/report_parts.h"

// Capacities in bits of a BRAM18, of a URAM, and of a LUT that is used as memory.
enum { BRAM18_BITS = 18432, URAM_BITS = 4096 * 72, LUT_BITS = 64 };

// Adds a kernel's buffers. If some of them (`ultra`) are in UltraRAM and the rest in another kind of memory, each kind
// gets a row.
static void add_kernel(struct report_memories *all, const struct ir *ir, const struct ir_kernel *k) {
    struct cost_memory m;
    if (!kernel_memory(k, &m)) return;
    struct cost_memory ultra = {.words = m.words, .bits = m.bits, .times = m.ultra, .style = RAM_ULTRA};
    m.times -= m.ultra;
    if (ultra.times)
        all->item[all->count++] =
            (struct report_memory){arena_printf(ir->arena, "%s, in UltraRAM", k->name), ultra, {0}, 0, 0};
    all->item[all->count++] = (struct report_memory){k->name, m, {0}, 0, 0};
}

// Lists the buffers of kernels and the prefetch FIFOs, then the FIFOs of streams, each with the blocks that its storage
// takes. A FIFO stores one word less than its depth, because one is in its output register. FIFOs of at most two words
// have no memory. FIFOs in a pool are left out, because the pool's kernel has their memory.
struct report_memories report_memories_make(const struct ir *ir) {
    struct report_memories all = {0};
    size_t most = (size_t)(ir->edges + 2 * ir->kernels + ir->engines) + 1;
    all.item = ARENA_ARRAY(ir->arena, struct report_memory, most);
    for (int k = 0; k < ir->kernels; k++) add_kernel(&all, ir, &ir->kernel[k]);
    for (int e = 0; e < ir->engines; e++) {
        const struct ir_engine *engine = &ir->engine[e];
        if (ir_is_resident(engine)) continue;
        enum ram_style style = engine->prefetch_style != RAM_AUTO ? engine->prefetch_style
                                                                  : cost_prefetch_style(ir->design.prefetch_beats);
        struct cost_memory m = {.words = ir->design.prefetch_beats - 1,
                                .bits = ir->design.beat_bits,
                                .times = engine->channels,
                                .style = style};
        all.item[all.count++] =
            (struct report_memory){arena_printf(ir->arena, "prefetch of %s", engine->name), m, {0}, 0, 0};
    }
    all.buffers = all.count;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        struct cost_memory m = {.words = edge->depth - 1, // one word is in the output register
                                .bits = cost_edge_bits(ir, edge),
                                .times = 1,
                                .style = edge->ram_style};
        if (edge->depth > 2 && edge->pool == IR_NONE)
            all.item[all.count++] = (struct report_memory){edge->name, m, {0}, 0, 0};
    }
    for (int i = 0; i < all.count; i++) {
        struct report_memory *m = &all.item[i];
        struct cost_resources one = cost_ram(m->shape.words, m->shape.bits, m->shape.style);
        cost_add(&m->cost, &one, m->shape.times);
        m->held = m->shape.words * m->shape.bits * m->shape.times;
        m->room = m->cost.bram18 * BRAM18_BITS + m->cost.uram * URAM_BITS;
        if (!m->room) m->room = m->cost.lut * LUT_BITS;
    }
    return all;
}

enum kind { IN_LUTRAM, IN_BRAM, IN_URAM, KINDS };
static const char *const kinds[KINDS] = {"LUTRAM", "BRAM36", "URAM"};

static enum kind kind_of(const struct report_memory *m) {
    return m->cost.uram ? IN_URAM : m->cost.bram18 ? IN_BRAM : IN_LUTRAM;
}

static double percent(int64_t part, int64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

// Adds one line for each kind of memory, with its sums. BRAM is counted in BRAM18s and printed in BRAM36s, so an odd
// number ends in .5.
static void add_kinds(const struct report_memories *all, struct text *out) {
    for (enum kind k = 0; k < KINDS; k++) {
        int64_t held = 0, room = 0, pieces = 0, count = 0;
        for (int i = 0; i < all->count; i++) {
            const struct report_memory *m = &all->item[i];
            if (kind_of(m) != k) continue;
            held += m->held, room += m->room, count++;
            pieces += m->cost.uram ? m->cost.uram : m->cost.bram18 ? m->cost.bram18 : m->cost.lut;
        }
        text_addf(out, "  %-8s %5lld memories %9lld.%d %-7s %12lld bits of %12lld  %5.1f %%\n", kinds[k],
                  (long long)count, (long long)(k == 1 ? pieces / 2 : pieces), k == 1 && pieces % 2 ? 5 : 0,
                  k ? "pieces" : "LUTs", (long long)held, (long long)room, percent(held, room));
    }
}

void report_memories(const struct report *r, struct text *out) {
    struct report_memories all = report_memories_make(r->ir);
    text_addf(out, "\nmemories: chosen %s; bits held, bits of the pieces taken, share in use\n",
              r->ir->design.memories ? r->ir->design.memories : "-");
    add_kinds(&all, out);
    if (all.buffers) text_add(out, "  buffers: words x bits x times\n");
    for (int i = 0; i < all.buffers; i++) {
        const struct report_memory *m = &all.item[i];
        text_addf(out, "  %7lld x %-5lld x %-4lld %-7s %12lld bits of %12lld  %5.1f %%  %s\n",
                  (long long)m->shape.words, (long long)m->shape.bits, (long long)m->shape.times, kinds[kind_of(m)],
                  (long long)m->held, (long long)m->room, percent(m->held, m->room), m->name);
    }
}

void report_memories_json(const struct report *r, struct text *out) {
    struct report_memories all = report_memories_make(r->ir);
    text_add(out, " \"memories\": [");
    for (int i = 0; i < all.count; i++) {
        const struct report_memory *m = &all.item[i];
        text_addf(out, "%s\n  {\"name\": ", i ? "," : "");
        text_add_json_string(out, m->name, strlen(m->name));
        text_addf(out,
                  ", \"words\": %lld, \"bits\": %lld, \"times\": %lld, \"memory\": \"%s\", \"held_bits\": %lld, "
                  "\"taken_bits\": %lld}",
                  (long long)m->shape.words, (long long)m->shape.bits, (long long)m->shape.times, kinds[kind_of(m)],
                  (long long)m->held, (long long)m->room);
    }
    text_add(out, "],\n");
}
