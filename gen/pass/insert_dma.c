// SPDX-License-Identifier: Apache-2.0
// insert-dma: builds the memory map (the segments with their offsets), the stores of vector parameters, and for each
// engine a walker, the kernel that requests weights, keys and values from memory in the order in which the engine needs
// them. docs/passes.md describes the map.
#include <string.h>

#include "gen/kernel/args.h"
#include "gen/pass/fuse.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/layout.h"
#include "gen/ir/names.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"
#include "gen/ir/schedule.h"

// AUX_CHANNEL: channel of tables, rows, rings and parameters. AUX_ENGINE: the engine that owns this channel.
enum { AUX_CHANNEL = 0, AUX_ENGINE = 0 };

struct dma {
    struct ir *ir;
    struct diag *diag;
    int64_t *offset; // per engine: next free byte on its channels
    int parts;       // channels over which the rows of tables are dealt out
};

// Returns the next free byte of a channel, which all channels of an engine have in common.
static int64_t *next_of(struct dma *d, int channel) {
    int engine = ir_engine_at(d->ir, channel);
    return &d->offset[engine == IR_NONE ? AUX_ENGINE : engine];
}

static int64_t repeat_of(const struct ir *ir, int node) { return ir->region[ir->node[node].region].repeat; }

// Adds a segment at the next free byte of its channels and returns its index. channel IR_NONE: all channels of the
// node's engine. stride: bytes from one repetition to the next.
static int add_segment(struct dma *d, const char *name, enum ir_segment_kind kind, int node, int channel,
                       int64_t stride, int64_t bytes) {
    int engine = channel == IR_NONE ? ir_engine_of(d->ir, node) : ir_engine_at(d->ir, channel);
    int64_t *offset = &d->offset[engine == IR_NONE ? AUX_ENGINE : engine];
    int id = ir_add_segment(
        d->ir, (struct ir_segment){name, kind, node, channel, *offset, stride, bytes, IR_SEG_OF_KERNEL, 1});
    *offset = layout_align(*offset + bytes);
    return id;
}

// ---- weights ----

static struct layout_matrix matrix_of(const struct ir *ir, const struct ir_firing *f) {
    const struct ir_node *node = &ir->node[f->node];
    return layout_matrix(&ir->design, ir->engine[f->engine].lanes, ir_attr_int(&node->attrs, "rows", 0),
                         ir_vector_length(ir, node), layout_format(node));
}

// Places the weights that an engine reads in a region. The segments of the products are adjacent. Each repetition has a
// copy of this group of segments, one after the other. The segments of a resident engine have the weights of all lanes
// and are on AUX_CHANNEL, from which they are loaded on chip.
static void place_weights(struct dma *d, int engine, int region) {
    struct ir *ir = d->ir;
    const struct ir_engine *e = &ir->engine[engine];
    bool stays = ir_is_resident(e);
    int64_t beat_bytes = ir->design.beat_bits / 8 * (stays ? e->lanes : 1),
            *next = stays ? next_of(d, AUX_CHANNEL) : &d->offset[engine], start = *next, at = start,
            repeat = ir->region[region].repeat;
    int first = ir->segments, channel = stays ? AUX_CHANNEL : IR_NONE;
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        if (f->engine != engine || f->region != region || f->mode > ENGINE_MODE_INT4 || f->head > 0) continue;
        int64_t bytes = matrix_of(ir, f).stream_beats * beat_bytes;
        ir_add_segment(ir, (struct ir_segment){ir->node[f->node].name, IR_SEG_WEIGHTS, f->node, channel, at, 0, bytes,
                                               IR_SEG_OF_KERNEL, 1});
        at += bytes;
    }
    int64_t stride = stays ? at - start : layout_align(at - start); // a store has no gaps
    for (int s = first; s < ir->segments; s++) ir->segment[s].layer_stride = repeat > 1 ? stride : 0;
    *next = start + stride * repeat;
}

// ---- KV cache ----

static struct layout_kv kv_of(const struct ir *ir, int attention_node) {
    struct kv_cache cache = kv_cache_of(ir, attention_node);
    return layout_kv(&ir->design, ir->engine[ir_engine_of(ir, attention_node)].lanes, cache.heads, cache.head_dim);
}

// Returns the first segment of a kind. The caller knows that there is one.
static const struct ir_segment *first_of_cache(const struct ir *ir, enum ir_segment_kind kind) {
    int s = 0;
    while (ir->segment[s].kind != kind) s++;
    return &ir->segment[s];
}

// Places the keys or values of an attention. The first attention of a KV cache reserves the memory of the whole cache.
// Attentions that share a cache have interleaved segments in it, layer by layer.
static void place_kv(struct dma *d, int node) {
    struct ir *ir = d->ir;
    struct layout_kv kv = kv_of(ir, node);
    struct kv_cache cache = kv_cache_of(ir, node);
    bool keys = ir_node_is(ir, node, OP_BY_KEYS);
    int k = kv_kernel(ir, cache.unit, keys ? KERNEL_KEYS : KERNEL_VALUES);
    int64_t layer_bytes = keys ? kv.k_layer_bytes : kv.v_layer_bytes, *next = &d->offset[ir_engine_of(ir, node)],
            repeat = repeat_of(ir, node), slots = at_least(ir->design.slots, 1);
    int64_t base = *next;
    if (cache.layer > 0) base = first_of_cache(ir, keys ? IR_SEG_K : IR_SEG_V)->offset;
    else {
        ir_set_word(ir, k, keys ? "K_BASE" : "V_BASE", 40, *next);
        ir_set_word(ir, k, keys ? "K_LAYER_STRIDE" : "V_LAYER_STRIDE", 40, layer_bytes);
        ir_set_word(ir, k, keys ? "K_HEAD_STRIDE" : "V_ROW_STRIDE", 40, (keys ? kv.k_head_bytes : kv.v_row_bytes));
        *next += slots * cache.layers * layer_bytes;
    }
    int64_t stride = repeat > 1 ? cache.step * layer_bytes : layer_bytes, bytes = (repeat - 1) * stride + layer_bytes;
    bytes += (slots - 1) * cache.layers * layer_bytes; // each slot has all layers, after those of the slot before
    const char *name = kv_name(ir, cache.unit, keys ? "k_cache" : "v_cache");
    if (cache.layers > repeat) name = arena_printf(ir->arena, "%s_%s", ir->node[node].name, name);
    ir_add_segment(ir, (struct ir_segment){name, keys ? IR_SEG_K : IR_SEG_V, node, IR_NONE,
                                           base + cache.layer * layer_bytes, stride, bytes, IR_SEG_OF_KERNEL, 1});
}

// ---- tables, rows and rings: on AUX_CHANNEL; rows of tables on several channels if it is too small for them ----

// Advances the first `channels` channels, possibly of several engines, to one offset, so that the next segment can
// begin at this offset on all of them.
static void level_offsets(struct dma *d, int channels) {
    int64_t most = 0;
    for (int c = 0; c < channels; c++)
        if (*next_of(d, AUX_CHANNEL + c) > most) most = *next_of(d, AUX_CHANNEL + c);
    for (int c = 0; c < channels; c++) *next_of(d, AUX_CHANNEL + c) = most;
}

// Places the table that a client reads. There is one table for each repetition if the tensor's name depends on `layer`;
// otherwise there is only one.
static void place_table(struct dma *d, struct ir_client *client) {
    struct ir *ir = d->ir;
    int k = client->kernel;
    const struct ir_node *node = &ir->node[ir->kernel[k].node];
    int64_t rows = ir_attr_int(&node->attrs, "rows", 0), cols = ir_attr_int(&node->attrs, "cols", 0);
    int64_t record = ir_op_weights(ir, node->op) == IR_WEIGHTS_RECORDS
                         ? layout_record(&ir->design, cols, layout_table_format(node)).bytes
                         : layout_float_row_beats(&ir->design, cols) * (ir->design.beat_bits / 8);
    int64_t tables = names_repeat(ir_attr_string(&node->attrs, "weight", "")) ? ir->region[node->region].repeat : 1;
    int parts = kernel_is(&ir->kernel[k], KERNEL_DEALT) ? d->parts : 1;
    int64_t bytes = layout_div_up(rows, parts) * record;
    level_offsets(d, parts);
    int s = add_segment(d, node->name, IR_SEG_TABLE, ir->kernel[k].node, AUX_CHANNEL, tables > 1 ? bytes : 0,
                        tables * bytes);
    level_offsets(d, parts);
    ir_set_word(ir, k, "TABLE_OFFSET", 40, ir->segment[s].offset);
    ir->segment[s].parts = client->parts = parts;
    if (parts > 1) ir_set_int(ir, k, "PARTS", parts);
    if (tables == 1) return;
    ir_set_int(ir, k, "REPEAT", tables);
    ir_set_word(ir, k, "TABLE_STRIDE", 40, bytes);
}

// Places the rows of an input or output, one for each position of the context.
static void place_rows(struct dma *d, int k) {
    struct ir *ir = d->ir;
    int64_t n = 0;
    for (int p = 0; p < ir->kernel[k].ports; p++)
        if (ir->kernel[k].port[p].tensor != IR_NONE) n = ir_tensor_elements(&ir->tensor[ir->kernel[k].port[p].tensor]);
    int64_t bytes = layout_io_row_bytes(&ir->design, n) * ir->design.context;
    int s = add_segment(d, ir->kernel[k].name, IR_SEG_IO, IR_NONE, AUX_CHANNEL, 0, bytes);
    ir_set_word(ir, k, "OFFSET", 40, ir->segment[s].offset);
}

// Returns the edge at the first input of a kernel, which must have an input.
static const struct ir_edge *input_of(const struct ir *ir, int kernel) {
    int p = 0;
    while (ir->kernel[kernel].port[p].is_output) p++;
    return &ir->edge[ir->kernel[kernel].port[p].edge];
}

// Places the memory of a spill, for firings that wait between two groups of operations (fuse_spill.c).
static void place_spill(struct dma *d, const struct ir_client *client) {
    struct ir *ir = d->ir;
    int k = client->kernel;
    struct fuse_spill spill = fuse_spill_of(ir, input_of(ir, k), kernel_spill_firings(&ir->kernel[k]));
    int s = add_segment(d, ir->kernel[k].name, IR_SEG_IO, IR_NONE, client->channel, 0, spill.room);
    ir_set_word(ir, k, "OFFSET", 40, ir->segment[s].offset);
}

// Places the prompt or the ring of generated ids of a language model. ids: number of ids that there is room for, 4
// bytes each. records: bytes of the records of log probabilities after the ids.
static void place_ids(struct dma *d, const char *name, enum ir_segment_role role, int64_t ids, int64_t records) {
    int64_t bytes = at_least(d->ir->design.slots, 1) * (layout_align(ids * 4) + records); // an area for each slot
    int s = add_segment(d, name, IR_SEG_IO, IR_NONE, AUX_CHANNEL, 0, bytes);
    d->ir->segment[s].role = role;
}

// Places the segments of all memory clients, and in a language model those of the prompt and the ring.
static void place_clients(struct dma *d) {
    struct ir *ir = d->ir;
    for (int c = 0; c < ir->clients; c++) {
        int k = ir->client[c].kernel;
        if (ir->client[c].channel == IR_NONE) continue;
        if (kernel_is(&ir->kernel[k], KERNEL_SPILL)) {
            if (ir->client[c].is_write) place_spill(d, &ir->client[c]);
        } else if (ir->kernel[k].node != IR_NONE) place_table(d, &ir->client[c]);
        else place_rows(d, k);
    }
    if (!ir->design.is_lm) return;
    place_ids(d, "prompt", IR_SEG_PROMPT, ir->design.context, 0);
    place_ids(d, "ring", IR_SEG_RING, ir->design.context + 1, layout_logprobs_bytes(&ir->design));
}

// ---- vector parameters ----

// Returns how often the parameter vectors of an operation are stored.
static int64_t param_times(const struct ir *ir, int node) {
    return repeat_of(ir, node) * ir_param_copies(ir, &ir->node[node]);
}

// Returns the bytes in memory of the parameters that a kernel reads at this port.
static int64_t param_bytes(const struct ir *ir, int k, int port) {
    int node = ir->kernel[k].node;
    int64_t lanes = ports_lanes(ir, k), vectors = ir->kernel[k].port[port].data_bits / (lanes * 32);
    return layout_param_beats(&ir->design, lanes, vectors, ir_vector_length(ir, &ir->node[node]),
                              param_times(ir, node)) *
           (ir->design.beat_bits / 8);
}

// Adds the on-chip store of the parameters that a kernel reads at this port, and places them in memory.
static void add_param_store(struct dma *d, int k, int port) {
    struct ir *ir = d->ir;
    int node = ir->kernel[k].node;
    int64_t n = ir_vector_length(ir, &ir->node[node]), bits = ir->kernel[k].port[port].data_bits;
    int store = kernel_add(ir, arena_printf(ir->arena, "%s_param", ir->kernel[k].name), &rtl_param_store, IR_NONE);
    ir_set_int(ir, store, "LOAD_BITS", layout_load_bits(&ir->design));
    ir_set_int(ir, store, "WORD_W", bits);
    ir_set_int(ir, store, "WORDS", (layout_div_up(n, ports_lanes(ir, k)) * param_times(ir, node)));
    int out = ir_add_port(ir, store, "param", true, IR_STREAM_BARE, bits);
    ir_connect(ir, store, out, k, port);
    add_segment(d, ir->kernel[store].name, IR_SEG_PARAMS, node, AUX_CHANNEL, 0, param_bytes(ir, k, port));
    *next_of(d, AUX_CHANNEL) = ir->segment[ir->segments - 1].offset +
                               // Stores follow one another without gaps.
                               ir->segment[ir->segments - 1].bytes;
}

static bool takes_params(const struct ir *ir, int k, int port) {
    return ir->kernel[k].port[port].role == IR_ROLE_PARAM && !ir->kernel[k].port[port].is_output;
}

// Returns an upper bound of the bytes that place_params takes after the tables: for the header, the parameters, and the
// weights that stay on chip.
static int64_t params_room(const struct ir *ir) {
    int64_t bytes = 2 * LAYOUT_ALIGN;
    for (int k = 0; k < ir->kernels; k++)
        for (int p = 0; p < ir->kernel[k].ports; p++)
            if (takes_params(ir, k, p)) bytes += param_bytes(ir, k, p);
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        if (f->head == 0 && ir_is_resident(&ir->engine[f->engine]))
            bytes += matrix_of(ir, f).stream_beats * ir->engine[f->engine].lanes * ir->region[f->region].repeat *
                     (ir->design.beat_bits / 8);
    }
    return bytes;
}

// ---- weights that stay on chip ----

// Returns the beats of a lane of a resident engine: those of all its products in all repetitions.
static int64_t stored_beats(const struct ir *ir, int engine) {
    int64_t bytes = 0;
    for (int s = 0; s < ir->segments; s++)
        if (ir_is_of_store(ir, &ir->segment[s]) && ir_engine_of(ir, ir->segment[s].node) == engine)
            bytes += ir->segment[s].bytes * ir_segment_copies(ir, &ir->segment[s]);
    return bytes / (ir->design.beat_bits / 8) / ir->engine[engine].lanes;
}

// Adds the on-chip store of a resident engine's weights, and places them in memory after the stores before it.
static void add_weight_store(struct dma *d, int engine) {
    struct ir *ir = d->ir;
    for (int r = 0; r < ir->regions; r++) place_weights(d, engine, r);
    int k = kernel_add(ir, ir_engine_name(ir, engine, "weights"), &rtl_weight_store, IR_NONE),
        lanes = ir->engine[engine].lanes;
    ir_set_int(ir, k, "LOAD_BITS", layout_load_bits(&ir->design));
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "LANES", lanes);
    ir_set_int(ir, k, "DEPTH", stored_beats(ir, engine));
    ir_add_wire(ir, k, "s_axis_desc_tvalid", false, 1, ir_net(ir, IR_NET_WALK_DESC_TVALID, engine));
    ir_add_wire(ir, k, "s_axis_desc_tready", true, 1, ir_net(ir, IR_NET_WALK_DESC_TREADY, engine));
    ir_add_wire(ir, k, "s_axis_desc_tdata", false, DESCRIPTOR_BITS, ir_net(ir, IR_NET_WALK_DESC_TDATA, engine));
    ir_add_wire(ir, k, "m_axis_beat_tvalid", true, lanes, ir_net(ir, IR_NET_STORED_BEAT_TVALID, engine));
    ir_add_wire(ir, k, "m_axis_beat_tready", false, lanes, ir_net(ir, IR_NET_STORED_BEAT_TREADY, engine));
    ir_add_wire(ir, k, "m_axis_beat_tdata", true, (int64_t)lanes * ir->design.beat_bits,
                ir_net(ir, IR_NET_STORED_BEAT_TDATA, engine));
    ir->engine[engine].store = k;
}

// Places the image's header, which is one beat, and directly after it the parameters and the weights that stay on chip,
// so that the design gets all of them with one linear read.
static void place_params(struct dma *d) {
    int kernels = d->ir->kernels, beat = d->ir->design.beat_bits / 8;
    int header = add_segment(d, "image_header", IR_SEG_HEADER, IR_NONE, AUX_CHANNEL, 0, beat);
    *next_of(d, AUX_CHANNEL) = d->ir->segment[header].offset + beat;
    for (int k = 0; k < kernels; k++)
        for (int p = 0; p < d->ir->kernel[k].ports; p++)
            if (takes_params(d->ir, k, p)) add_param_store(d, k, p);
    for (int e = 0; e < d->ir->engines; e++)
        if (ir_is_resident(&d->ir->engine[e])) add_weight_store(d, e);
    *next_of(d, AUX_CHANNEL) = layout_align(*next_of(d, AUX_CHANNEL));
}

// ---- walkers and their tables ----

static const struct ir_segment *segment_of(const struct ir *ir, int node) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].node == node && ir->segment[s].kind <= IR_SEG_V) return &ir->segment[s];
    base_fatal("insert-dma: operation %s has no memory segment", ir->node[node].name);
}

// Adds an entry to a walker's table; include/fields.def explains the fields (SEGMENT). outer, outer_stride: only for
// values, 0 for other kinds.
static void walk_entry(struct schedule *s, int kind, int64_t offset, int64_t stride, int64_t beats, int64_t outer,
                       int64_t outer_stride) {
    schedule_entry(s);
    schedule_field(s, SEGMENT_KIND, (uint64_t)kind);
    schedule_field(s, SEGMENT_OFFSET, (uint64_t)offset);
    schedule_field(s, SEGMENT_LAYER_STRIDE, (uint64_t)stride);
    schedule_field(s, SEGMENT_BEATS, (uint64_t)beats);
    schedule_field(s, SEGMENT_OUTER, (uint64_t)outer);
    schedule_field(s, SEGMENT_OUTER_STRIDE, (uint64_t)outer_stride);
}

// Whether a run of weights directly follows those of the table's last entry, so that this entry can read both.
static bool extends_last(const struct schedule *s, int64_t offset, int64_t more, int64_t beat_bytes) {
    if (s->section[s->sections - 1].length == 0 || schedule_get(s, SEGMENT_KIND) != SEGMENT_KIND_WEIGHTS) return false;
    uint64_t beats = schedule_get(s, SEGMENT_BEATS);
    return (int64_t)(schedule_get(s, SEGMENT_OFFSET) + beats * (uint64_t)beat_bytes) == offset &&
           field_fits(SEGMENT_BEATS, beats + (uint64_t)more);
}

// Returns the first byte that an engine's walker reads of a segment: on the channel, or in each lane of a store.
static int64_t walk_offset(const struct ir *ir, const struct ir_segment *seg) {
    int64_t first = seg->offset;
    const struct ir_engine *e = &ir->engine[ir_engine_of(ir, seg->node)];
    if (!ir_is_resident(e)) return seg->offset;
    for (int s = 0; s < ir->segments; s++)
        if (ir_is_of_store(ir, &ir->segment[s]) && &ir->engine[ir_engine_of(ir, ir->segment[s].node)] == e)
            first = at_most(first, ir->segment[s].offset);
    return (seg->offset - first) / e->lanes;
}

// Adds the entry by which the walker reads the data of a firing. Modes up to ENGINE_MODE_INT4 read weights, the others
// keys or values of a cache. Weights that follow those of the last entry extend that entry, except if the firing is
// skipped in steps of one token.
static void walk_firing(const struct ir *ir, struct schedule *s, const struct ir_firing *f) {
    const struct ir_segment *seg = segment_of(ir, f->node);
    int lanes = ir_is_resident(&ir->engine[f->engine]) ? ir->engine[f->engine].lanes : 1; // lanes in the segment
    int64_t beat_bytes = ir->design.beat_bits / 8, beats = seg->bytes / lanes / beat_bytes,
            offset = walk_offset(ir, seg);
    if (f->mode <= ENGINE_MODE_INT4 && !f->many && extends_last(s, offset, beats, beat_bytes))
        schedule_field(s, SEGMENT_BEATS, schedule_get(s, SEGMENT_BEATS) + (uint64_t)beats);
    else if (f->mode <= ENGINE_MODE_INT4)
        walk_entry(s, SEGMENT_KIND_WEIGHTS, offset, seg->layer_stride / lanes, beats, 0, 0);
    struct layout_kv kv = f->mode > ENGINE_MODE_INT4 ? kv_of(ir, f->node) : (struct layout_kv){0};
    if (f->mode == ENGINE_MODE_SCORES)
        walk_entry(s, SEGMENT_KIND_K, seg->offset + f->kv_head * kv.k_head_bytes, seg->layer_stride, kv.k_units, 0, 0);
    if (f->mode == ENGINE_MODE_VALUES)
        walk_entry(s, SEGMENT_KIND_V, seg->offset + f->kv_head * kv.v_rows * kv.v_row_bytes, seg->layer_stride,
                   kv.v_block_beats, f->row_steps, kv.v_row_bytes);
    if (f->many) schedule_many(s);
    if (f->mode <= ENGINE_MODE_INT4) return;
    schedule_part(s);
    struct kv_cache cache = kv_cache_of(ir, f->node);
    schedule_field(s, SEGMENT_KV_LAYER, (uint64_t)cache.layer);
    schedule_field(s, SEGMENT_KV_STEP, (uint64_t)cache.step);
}

static bool reads_cache(const struct ir *ir, int engine) {
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].engine == engine && ir->firing[f].mode > ENGINE_MODE_INT4) return true;
    return false;
}

// Returns the number of the KV cache that an engine reads; 0 if it reads none.
static int unit_of(const struct ir *ir, int engine) {
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].engine == engine && ir->firing[f].mode > ENGINE_MODE_INT4)
            return kv_cache_of(ir, ir->firing[f].node).unit;
    return 0;
}

// Connects the walker's ports to nets. The emitter of the memory subsystem sends the walker's descriptors to all
// channels of the engine.
static void add_walker_nets(struct ir *ir, int k, int engine) {
    int unit = unit_of(ir, engine);
    ir_add_wire(ir, k, "m_axis_desc_tvalid", true, 1, ir_net(ir, IR_NET_WALK_DESC_TVALID, engine));
    ir_add_wire(ir, k, "m_axis_desc_tready", false, 1, ir_net(ir, IR_NET_WALK_DESC_TREADY, engine));
    ir_add_wire(ir, k, "m_axis_desc_tdata", true, DESCRIPTOR_BITS, ir_net(ir, IR_NET_WALK_DESC_TDATA, engine));
    ir_add_wire(ir, k, "flush", false, 1, ir_design_net(ir, IR_NET_FLUSH));
    ir_add_wire(ir, k, "idle", true, 1, ir_net(ir, IR_NET_WALKER_IDLE, engine));
    ir_add_wire(ir, k, "k_layers_done", false, 32, kv_net(ir, unit, IR_NET_K_LAYERS_DONE));
    ir_add_wire(ir, k, "v_layers_done", false, 32, kv_net(ir, unit, IR_NET_V_LAYERS_DONE));
}

// Returns the bytes on a channel of one slot's keys (OP_BY_KEYS) or values (OP_BY_VALUES); 0 if no operation reads
// them.
static int64_t slot_bytes(const struct ir *ir, unsigned trait) {
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, trait)) continue;
        struct layout_kv kv = kv_of(ir, n);
        return kv_cache_of(ir, n).layers * (trait == OP_BY_KEYS ? kv.k_layer_bytes : kv.v_layer_bytes);
    }
    return 0;
}

// Tells a walker how far the keys and values of neighbouring slots are apart, in a design with slots.
static void set_slot_strides(struct ir *ir, int walker) {
    if (!ir->design.slots) return;
    ir_set_word(ir, walker, "K_SLOT_STRIDE", 40, slot_bytes(ir, OP_BY_KEYS));
    ir_set_word(ir, walker, "V_SLOT_STRIDE", 40, slot_bytes(ir, OP_BY_VALUES));
}

// Adds an engine's walker with its table. Returns the walker's port for step words.
static int add_walker(struct dma *d, int engine) {
    struct ir *ir = d->ir;
    int k = kernel_add(ir, ir_engine_name(ir, engine, "walker"), &rtl_segment_walker, IR_NONE);
    struct schedule s;
    schedule_init(&s, ir, SEGMENT_BITS);
    for (int r = 0; r < ir->regions; r++) {
        schedule_section(&s, ir->region[r].repeat, ir->region[r].when == IR_LAST);
        for (int i = 0; i < ir->firings; i++)
            if (ir->firing[i].engine == engine && ir->firing[i].region == r) walk_firing(ir, &s, &ir->firing[i]);
    }
    schedule_set_params(&s, k);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "KV_LAYERS", kv_layers(ir, unit_of(ir, engine)));
    if (reads_cache(ir, engine)) kv_set_windows(ir, unit_of(ir, engine), k);
    set_slot_strides(ir, k);
    add_walker_nets(ir, k, engine);
    ir->engine[engine].walker = k;
    return ports_add_step(ir, k);
}

// Adds all walkers, and a fork for the step words if there are several. The token loop sends a step word to the walkers
// before it sends the word to the kernels, so that reading begins early. With drafts, the walkers get the word of a
// generating step after the kernels. With slots, walkers and kernels get each word at the same time.
static void add_walkers(struct dma *d) {
    struct ir *ir = d->ir;
    int loop = kernel_first(ir, KERNEL_LOOP), from = loop, fork = IR_NONE,
        port = ir_port_for(&ir->kernel[loop], IR_ROLE_WALK, true);
    if (ir->engines > 1) {
        fork = kernel_add(ir, "walk_step_fork", &rtl_fork, IR_NONE);
        ir_set_int(ir, fork, "PORTS", ir->engines);
        ir_connect(ir, loop, port, fork, ir_add_port(ir, fork, "", false, IR_STREAM_BARE, STEP_BITS));
        from = fork;
    }
    for (int e = 0; e < ir->engines; e++) {
        int step = add_walker(d, e);
        if (fork != IR_NONE) {
            port = ir_add_port(ir, fork, "", true, IR_STREAM_BARE, STEP_BITS);
            ir->kernel[fork].port[port].index = e;
        }
        ir_connect(ir, from, port, ir->engine[e].walker, step);
    }
}

// Returns the bytes used on the fullest channel.
static int64_t fullest(const struct dma *d) {
    int64_t used = 0;
    for (int e = 0; e < d->ir->engines || e <= AUX_ENGINE; e++)
        if (d->offset[e] > used) used = d->offset[e];
    return used;
}

// Places the clients' segments, with the rows of tables on as few channels as can store them. This number is a power of
// two, so that the low bits of an id give its channel. If the largest such number is not enough, check_capacity reports
// it.
static void place_dealt(struct dma *d) {
    struct ir *ir = d->ir;
    int segments = ir->segments;
    size_t bytes = sizeof *d->offset * ((size_t)ir->engines + 1);
    int64_t room = ir->design.channel_bytes - params_room(ir),
            *before = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->engines + 1);
    memcpy(before, d->offset, bytes);
    for (d->parts = 1;; d->parts *= 2) {
        place_clients(d);
        if (fullest(d) <= room || 2 * d->parts > ir->design.channels) return;
        memcpy(d->offset, before, bytes);
        ir->segments = segments;
    }
}

// Checks, in a design with weights that stay on chip, that one read can load these and all parameters. MOST: largest
// value of the parameter BEATS of rill_image_header.
static bool check_loaded(const struct dma *d, const struct rill_spec *spec) {
    enum { MOST = 65534 };
    int64_t bytes = 0;
    for (int s = 0; s < d->ir->segments; s++) {
        const struct ir_segment *seg = &d->ir->segment[s];
        if (seg->kind == IR_SEG_PARAMS || ir_is_of_store(d->ir, seg))
            bytes += seg->bytes * ir_segment_copies(d->ir, seg);
    }
    int64_t beats = bytes / (d->ir->design.beat_bits / 8);
    if (beats <= MOST || d->ir->design.resident == SPEC_RESIDENT_NONE) return true;
    diag_error(d->diag, spec ? spec_place(spec, "design.resident") : loc_none(), MSG_RESIDENT_SIZE, (long long)beats,
               MOST);
    return false;
}

// Checks that the fullest channel can store its segments. The note estimates how many channels would be enough: only
// the segments that are divided over channels get smaller with more of them.
static bool check_capacity(const struct dma *d, const struct rill_spec *spec) {
    const struct ir *ir = d->ir;
    int64_t room = ir->design.channel_bytes, used = fullest(d);
    if (used <= room) return true;
    int64_t own = 0, channels = INT64_MAX; // own: bytes that more channels do not divide
    const struct ir_segment *largest = NULL;
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        if (seg->channel != AUX_CHANNEL) continue;
        own += seg->bytes;
        if (!largest || seg->bytes > largest->bytes) largest = seg;
    }
    if (own < room) channels = layout_div_up(used - own, room - own) * ir->design.channels;
    struct loc loc = spec ? spec_place(spec, "design.channels") : loc_none();
    diag_error(d->diag, loc, MSG_MEMORY_FULL, (long long)(used >> 20) + 1, ir->engines > 1 ? "the fullest" : "each",
               ir->design.channels, ir->design.channels == 1 ? "" : "s", ir->design.board, (long long)(room >> 20));
    if (!spec || channels <= spec->device->hbm.channels)
        diag_note(d->diag, loc, "about %lld channels hold it", (long long)channels);
    else if (channels < INT64_MAX || !largest)
        diag_note(d->diag, loc, "the board's %d channels do not hold it", spec->device->hbm.channels);
    else
        diag_note(d->diag, loc, "%lld MiB of it lie on one channel, most of them `%s`%s", (long long)(own >> 20) + 1,
                  largest->name, largest->kind == IR_SEG_IO ? ", rows of `context` positions" : "");
    return false;
}

bool pass_insert_dma(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    struct dma d = {ir, diag, ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->engines + 1), 1};
    for (int r = 0; r < ir->regions; r++)
        for (int e = 0; e < ir->engines; e++)
            if (!ir_is_resident(&ir->engine[e])) place_weights(&d, e, r);
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_OF_CACHE)) place_kv(&d, n);
    place_dealt(&d);
    place_params(&d);
    add_walkers(&d);
    return check_loaded(&d, spec) && check_capacity(&d, spec);
}
