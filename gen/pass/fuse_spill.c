// SPDX-License-Identifier: Apache-2.0
// Part of fuse-groups (fuse.h): sends a stream between two groups through memory. It inserts a rill_spill, which writes
// the stream to one channel and reads it back from there.
#include "gen/pass/fuse.h"

#include "gen/cost/cost.h"
#include "gen/kernel/args.h"
#include "gen/ir/layout.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

enum {
    NATIVE_BURST_BYTES = 512 /* of the HBM port; longer bursts only need larger buffers */,
    LONG_BURSTS = 16 /* a tensor of at least this many bursts is long */,
    READ_BURSTS = 4 /* bursts in the read buffer of a long tensor */
};

struct fuse_spill fuse_spill_of(const struct ir *ir, const struct ir_edge *e, int firings) {
    const struct ir_port *from = &ir->kernel[e->src_kernel].port[e->src_port];
    const struct ir_design *d = &ir->design;
    // whole: words in a beat, 0 if a word is longer than a beat. parts: beats of a word.
    int64_t beat_bytes = d->beat_bits / 8, whole = d->beat_bits / from->data_bits,
            parts = layout_div_up(from->data_bits, d->beat_bits);
    struct fuse_spill s = {.words = ports_firing_words(from)};
    s.burst = at_most(d->max_burst, NATIVE_BURST_BYTES / beat_bytes);
    int64_t beats = whole ? layout_div_up(s.words, whole) : s.words * parts;
    s.read_buffer = beats >= LONG_BURSTS * s.burst ? READ_BURSTS * s.burst
                                                   : s.burst; // a long tensor is read in bursts that overlap
    s.bytes = beats * beat_bytes;
    s.room = (firings - 1) * layout_div_up(beats, s.burst) * s.burst * beat_bytes +
             s.bytes; // every firing begins at a multiple of a burst
    // Registers of the spill: a beat that is being filled with words; or for words wider than a beat, a word that
    // leaves in beats and a word that is put together from beats.
    int64_t gear = whole ? d->beat_bits : (2 * parts - 1) * d->beat_bits;
    s.bits = (s.burst + s.read_buffer) * d->beat_bits + gear + from->data_bits +
             firings * s.words * ports_user_bits(ir) + 2 * FUSE_EDGE_WORDS * cost_edge_bits(ir, e);
    return s;
}

// Inserts a spill into an edge. id: number of the spill, which decides its name and its channel.
void fuse_insert_spill(struct ir *ir, int edge, int firings, int id) {
    struct ir_edge e = ir->edge[edge];
    struct ir_port from = ir->kernel[e.src_kernel].port[e.src_port], to = ir->kernel[e.dst_kernel].port[e.dst_port];
    struct fuse_spill s = fuse_spill_of(ir, &e, firings);
    int k = kernel_add(ir, arena_printf(ir->arena, "spill_%d", id), &rtl_spill, IR_NONE);
    // Spills take the channels from the last one down, because the first one has most of the other clients.
    int channel = ir->design.channels - 1 - id % ir->design.channels;
    const char *name = ir->kernel[k].name, *write = arena_printf(ir->arena, "%s_write", name),
               *read = arena_printf(ir->arena, "%s_read", name);
    ir_set_int(ir, k, "DATA_W", from.data_bits);
    ir_set_int(ir, k, "USER_W", ports_user_bits(ir));
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "WORDS", s.words);
    ir_set_int(ir, k, "BURST", s.burst);
    if (firings > 1) ir_set_int(ir, k, "FIRINGS", firings);
    int in = ports_add_like(ir, k, "", false, &from), out = ports_add_like(ir, k, "", true, &from);
    ir->kernel[k].port[in].region = from.region;
    ir->kernel[k].port[out].region = to.region;
    int writes = ir_add_client(ir, write, k, "write", true, channel); // an index, because the list may move
    ir->client[writes].buffer = s.burst;
    int reads = ir_add_client(ir, read, k, "read", false, channel);
    ir->client[reads].burst = s.burst;
    ir->client[reads].buffer = s.read_buffer;
    ir_add_wire(ir, k, "dma_idle", false, 1, ir_net(ir, IR_NET_WRITE_IDLE, writes));
    ir->edge[edge].dst_kernel = k;
    ir->edge[edge].dst_port = in;
    ir_name_edge(ir, edge);
    ir->kernel[k].port[in].edge = edge;
    ir_connect(ir, k, out, e.dst_kernel, e.dst_port);
}
