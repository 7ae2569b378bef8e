// SPDX-License-Identifier: Apache-2.0
// Calculates the resources of a whole design: kernels, streams, and the memory side of every channel, which has the
// modules that gen/emit/emit_memory.c emits.
#include <string.h>

#include "gen/kernel/args.h"
#include "gen/cost/cost.h"
#include "gen/ir/ir.h"

enum {
    DISTRIBUTED_BEATS = 64 /* longest prefetch FIFO that is built in LUTRAM */,
    CLIENT_BURSTS = 2 /* bursts that a client other than a lane prefetches */
};

int64_t cost_edge_bits(const struct ir *ir, const struct ir_edge *e) {
    const struct ir_port *p = &ir->kernel[e->src_kernel].port[e->src_port];
    int64_t user = at_least(log2_up(ir->design.tokens), 1) + 1, bits = kernel_part(ir, e).bits;
    if (p->kind == IR_STREAM_TOKENS || p->kind == IR_STREAM_COUNTED) bits += user + 1;
    return bits + (p->kind == IR_STREAM_COUNTED ? p->count_bits : 0);
}

// Adds `times` instances of a module.
static void add_module(struct cost_resources *sum, const struct kernel_class *class, const struct ir_param *param,
                       int params, int64_t times) {
    struct cost_resources r = {0};
    class->cost(&(struct kernel_args){param, params}, &r);
    cost_add(sum, &r, times);
}

enum ram_style cost_prefetch_style(int64_t beats) { return beats > DISTRIBUTED_BEATS ? RAM_BLOCK : RAM_DISTRIBUTED; }

static enum ram_style or_by_rule(enum ram_style chosen, int64_t beats) {
    return chosen != RAM_AUTO ? chosen : cost_prefetch_style(beats);
}

int64_t cost_client_beats(const struct ir *ir, const struct ir_client *client) {
    return client->buffer ? client->buffer : (int64_t)CLIENT_BURSTS * ir->design.max_burst;
}

// Adds `count` DMA engines that read and have a FIFO for `prefetch` beats.
static void add_read_engines(const struct ir *ir, struct cost_resources *sum, int64_t prefetch, enum ram_style style,
                             int64_t count) {
    const struct ir_design *d = &ir->design;
    const struct ir_param param[] = {
        {"BEAT_BITS", ir_value_int(d->beat_bits)},        {"OUTSTANDING", ir_value_int(d->outstanding)},
        {"PREFETCH_BEATS", ir_value_int(prefetch)},       {"RAM_STYLE", ir_value_style(style)},
        {"ADDR_BITS", ir_value_int(ir_address_bits(ir))},
    };
    add_module(sum, &rtl_dma_read, param, COUNT_OF(param), count);
}

struct cost_resources cost_prefetch(const struct ir *ir, int64_t beats, enum ram_style style) {
    return cost_fifo(beats, ir->design.beat_bits, style);
}

static void add_write_engine(const struct ir *ir, struct cost_resources *sum, int64_t clients, int64_t buffer) {
    const struct ir_param param[] = {
        {"CLIENTS", ir_value_int(clients)},
        {"BEAT_BITS", ir_value_int(ir->design.beat_bits)},
        {"BUFFER_BEATS", ir_value_int(buffer)},
        {"OUTSTANDING", ir_value_int(IR_WRITES_OPEN)},
        {"ADDR_BITS", ir_value_int(ir_address_bits(ir))},
    };
    add_module(sum, &rtl_dma_write, param, COUNT_OF(param), 1);
}

static void add_arbiter(const struct ir *ir, struct cost_resources *sum, int64_t clients) {
    const struct ir_param param[] = {
        {"CLIENTS", ir_value_int(at_least(clients, 1))},
        {"BEAT_BITS", ir_value_int(ir->design.beat_bits)},
        {"ADDR_BITS", ir_value_int(ir_address_bits(ir))},
    };
    add_module(sum, &rtl_axi_read_arbiter, param, COUNT_OF(param), 1);
}

// Adds the memory side of a channel: a DMA engine for each client that reads and for the lane, the arbiter, and a write
// engine if a client writes.
static void add_channel(const struct ir *ir, struct cost_resources *sum, int channel) {
    int64_t lanes = ir_engine_at(ir, channel) != IR_NONE, readers = 0, writers = 0;
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        if (!ir_client_on(ir, client, channel)) continue;
        if (client->is_write) {
            writers++;
            continue;
        }
        int64_t beats = cost_client_beats(ir, client);
        readers++;
        add_read_engines(ir, sum, beats, or_by_rule(client->ram_style, beats), 1);
    }
    int engine = ir_engine_at(ir, channel);
    enum ram_style chosen = engine == IR_NONE ? RAM_AUTO : ir->engine[engine].prefetch_style;
    int64_t prefetch = ir->design.prefetch_beats;
    add_read_engines(ir, sum, prefetch, or_by_rule(chosen, prefetch), lanes);
    add_arbiter(ir, sum, lanes + readers);
    if (writers) add_write_engine(ir, sum, writers, ir_write_buffer(ir, channel));
}

// Returns the resources of the memory side of all channels, and of the trees that send descriptors of the matrix
// engines to their channels.
static struct cost_resources memory_side(const struct ir *ir) {
    struct cost_resources sum = {0};
    for (int c = 0; c < ir->design.channels; c++) add_channel(ir, &sum, c);
    for (int e = 0; e < ir->engines; e++) {
        if (ir_is_resident(&ir->engine[e])) continue;
        const struct ir_param tree[] = {{"DATA_W", ir_value_int(DESCRIPTOR_BITS)},
                                        {"PORTS", ir_value_int(ir->engine[e].channels)}};
        add_module(&sum, &rtl_fork_tree, tree, COUNT_OF(tree), 1);
    }
    return sum;
}

struct cost_resources cost_credit_end(const struct ir *ir, const struct ir_edge *e, int64_t credits, bool far) {
    const struct ir_param param[] = {
        {"DATA_W", ir_value_int(cost_edge_bits(ir, e))},
        {"CREDITS", ir_value_int(credits)},
        {"DEPTH", ir_value_int(credits)},
        {"PARTS", ir_value_int(ir_edge_parts(e))},
        {"RAM_STYLE", ir_value_style(e->pool == IR_NONE ? e->ram_style : RAM_DISTRIBUTED)},
    };
    struct cost_resources r = {0};
    add_module(&r, far ? &rtl_credit_receive : &rtl_credit_send, param, COUNT_OF(param), 1);
    return r;
}

struct cost_resources cost_credit_stage(const struct ir *ir, const struct ir_edge *e) {
    const struct ir_param param[] = {{"DATA_W", ir_value_int(cost_stream_bits(ir, e))}, {"STAGES", ir_value_int(1)}};
    struct cost_resources r = {0};
    add_module(&r, &rtl_hop, param, COUNT_OF(param), 1);
    return r;
}

// Adds a connection that crosses `borders` die boundaries: both ends, and a stage on each die between them.
static void add_way(const struct ir *ir, const struct ir_edge *e, int borders, int64_t credits,
                    struct cost_resources *to) {
    if (!borders) return;
    struct cost_resources send = cost_credit_end(ir, e, credits, false), stage = cost_credit_stage(ir, e),
                          receive = cost_credit_end(ir, e, credits, true);
    cost_add(to, &send, 1);
    cost_add(to, &stage, borders - 1);
    cost_add(to, &receive, 1);
}

// Returns the resources of a stream with its FIFO. The storage of a stream in a pool is counted with the pool, so only
// its connections between dies are counted here.
static struct cost_resources cost_stream(const struct ir *ir, const struct ir_edge *e) {
    struct cost_resources r = {0};
    if (e->pool == IR_NONE && !e->crossings) return cost_fifo(e->depth, cost_edge_bits(ir, e), e->ram_style);
    add_way(ir, e, e->crossings, e->pool == IR_NONE ? e->depth : ir_credits(0, e->crossings), &r);
    add_way(ir, e, e->entry_crossings, ir_credits(0, e->entry_crossings), &r);
    return r;
}

struct cost_resources cost_kernel_as(const struct ir *ir, int kernel, enum ram_style style) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    struct ir_param *param = ARENA_ARRAY(ir->arena, struct ir_param, (size_t)k->params + 1);
    struct cost_resources r;
    int count = 0;
    for (int p = 0; p < k->params; p++)
        if (strcmp(k->param[p].name, "RAM_STYLE") != 0) param[count++] = k->param[p];
    param[count++] = (struct ir_param){"RAM_STYLE", ir_value_style(style)};
    cost_module(k->module, param, count, &r);
    return r;
}

struct cost_design cost_design(const struct ir *ir) {
    struct cost_design d = {.kernel = ARENA_ARRAY(ir->arena, struct cost_resources, (size_t)ir->kernels),
                            .edge = ARENA_ARRAY(ir->arena, struct cost_resources, (size_t)ir->edges),
                            .known = ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernels)};
    for (int k = 0; k < ir->kernels; k++) {
        d.known[k] = kernel_cost(ir, k, &d.kernel[k]);
        cost_add(&d.kernels, &d.kernel[k], 1);
    }
    for (int e = 0; e < ir->edges; e++) {
        d.edge[e] = cost_stream(ir, &ir->edge[e]);
        cost_add(&d.fifos, &d.edge[e], 1);
    }
    d.memory = memory_side(ir);
    cost_add(&d.total, &d.kernels, 1);
    cost_add(&d.total, &d.fifos, 1);
    cost_add(&d.total, &d.memory, 1);
    return d;
}
