// SPDX-License-Identifier: Apache-2.0
// Adds the kernels of the KV caches: the writers of keys and values on the channels of the engines that read them, the
// V tail with the newest, incomplete block of values, the on-chip stores of the scales, and the stream that carries a
// step's own keys to the engine. Attentions on one engine share writers and V tail, through multiplexers that follow
// the order of the products in the program.
#include <string.h>

#include "gen/bind/bind.h"
#include "gen/ir/fields.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/kernel/class.h"
#include "gen/kernel/ports.h"
#include "gen/ir/schedule.h"
#include "gen/ir/window.h"

struct attention {
    struct ir *ir;
    int scores, softmax, values; // nodes
};

struct unit { // a cache with its attentions and engines
    struct ir *ir;
    int id;                                        // number of the cache
    int scores, values;                            // the cache's first attn_scores and attn_values in program order
    const struct ir_engine *on_scores, *on_values; // engines that read keys, values
};

static int64_t repeat_of(const struct ir *ir, int node) { return ir->region[ir->node[node].region].repeat; }

// Returns the number of query heads that read one key and value head.
static int64_t head_group(const struct ir *ir, int scores) {
    return ir->tensor[ir->node[scores].out[0]].shape[0].bound / ir->tensor[ir->node[scores].in[1]].shape[0].bound;
}

// Counts the nodes with the trait that read the tensor `reads` as operand 1. If `reads` is IR_NONE, counts all nodes
// with the trait.
static int count_nodes(const struct ir *ir, unsigned trait, int reads) {
    int count = 0;
    for (int n = 0; n < ir->nodes; n++)
        count += ir_node_is(ir, n, trait) && (reads == IR_NONE || ir->node[n].in[1] == reads);
    return count;
}

// Merges the streams of keys or values of several attentions into one, with a multiplexer that follows the program
// order of their products. begin_merge adds the multiplexer, merge_input adds an input for a tensor, and end_merge
// makes the schedule and connects the output.
struct merge {
    struct ir *ir;
    int unit;          // number of the cache
    unsigned trait;    // products with this trait have these streams as operands
    int kernel, ports; // the multiplexer and its number of inputs so far
};

static struct merge begin_merge(struct ir *ir, int unit, unsigned trait, const char *name) {
    struct merge m = {ir, unit, trait, kernel_add(ir, kv_name(ir, unit, name), &rtl_stream_mux, IR_NONE), 0};
    ports_add_step(ir, m.kernel);
    return m;
}

// Returns the new input port of the multiplexer.
static int merge_input(struct merge *m, int tensor, int region) {
    int p = ports_add_tensor(m->ir, m->kernel, "", false, tensor);
    m->ir->kernel[m->kernel].port[p].index = m->ports++;
    m->ir->kernel[m->kernel].port[p].region = region;
    return p;
}

// Returns whether a node is a product whose keys or values are among the merged streams.
static bool merges(const struct merge *m, int n) {
    return ir_node_is(m->ir, n, m->trait) && kv_cache_of(m->ir, n).unit == m->unit;
}

// Connects the merged stream to a kernel's port. The callback `firings` returns how many firings the stream of a node
// has in a repetition. If query heads fire together, only the last firing of each group of heads remains in a step of
// one token.
static void end_merge(struct merge *m, int64_t (*firings)(const struct ir *, int node), int kernel, int port) {
    struct ir *ir = m->ir;
    struct schedule s;
    schedule_init(&s, ir, STEER_BITS);
    for (int r = 0, input = 0; r < ir->regions; r++) {
        schedule_section(&s, ir->region[r].repeat, ir->region[r].when == IR_LAST);
        for (int n = ir->region[r].first_node; n < ir->region[r].first_node + ir->region[r].nodes; n++) {
            if (!merges(m, n)) continue;
            int64_t together = m->trait == OP_BY_KEYS && firings(ir, n) > 1 ? kv_together(ir, n) : 1;
            for (int64_t f = 0; f < firings(ir, n); f++) {
                schedule_entry(&s);
                schedule_field(&s, STEER_PORT, (uint64_t)input);
                if (f % together != together - 1) schedule_many(&s);
            }
            input++;
        }
    }
    ir_set_int(ir, m->kernel, "PORTS", m->ports);
    ir_set_int(ir, m->kernel, "DATA_W", ports_data_bits(ir, IR_KV, 1));
    ir_set_int(ir, m->kernel, "USER_W", ports_user_bits(ir));
    schedule_set_params(&s, m->kernel);
    ir->kernel[kernel].port[port].tensor = IR_NONE;
    int out = ports_add_like(ir, m->kernel, "", true, &ir->kernel[kernel].port[port]);
    ir_connect(ir, m->kernel, out, kernel, port);
}

// The callback `firings` of end_merge for streams that carry all heads in one firing.
static int64_t one_firing(const struct ir *ir, int node) {
    (void)ir;
    (void)node;
    return 1;
}

// ---- scales ----

// Returns the kernel of the attention's softmax.
static int softmax_kernel(const struct attention *a) {
    int k = 0;
    while (a->ir->kernel[k].node != a->softmax) k++;
    return k;
}

// A kernel with a window needs the number of key channels to calculate where the window begins.
static void set_key_channels(const struct attention *a, int k) {
    if (kernel_has_window(&a->ir->kernel[k])) ir_set_int(a->ir, k, "KEY_CHANNELS", ir_key_channels(a->ir));
}

// Sets TOGETHER unless it has its default value, 1.
static void set_together(struct ir *ir, int kernel, int together) {
    if (together > 1) ir_set_int(ir, kernel, "TOGETHER", together);
}

// Adds the store of the scales of keys or values of one attention, and connects it to softmax. role: role of the input
// of softmax that takes these scales.
static void add_kv_scale(const struct attention *a, int tensor, enum ir_role role) {
    struct ir *ir = a->ir;
    const struct ir_tensor *t = &ir->tensor[tensor];
    int softmax = softmax_kernel(a);
    const char *name = arena_printf(ir->arena, "%s_scale", t->name);
    if (count_nodes(ir, OP_BY_KEYS, tensor) + count_nodes(ir, OP_BY_VALUES, tensor) > 1)
        name = arena_printf(ir->arena, "%s_%s", ir->node[a->scores].name, name);
    int k = kernel_add(ir, name, &rtl_kv_scale, IR_NONE), in = ports_add_tensor(ir, k, "kv", false, tensor);
    ir->kernel[k].port[in].region = ir->node[a->scores].region;
    ports_add_step(ir, k);
    int lanes = ports_lanes(ir, softmax);
    ir_set_int(ir, k, "LANES", lanes);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "LAYERS", repeat_of(ir, a->scores));
    ir_set_int(ir, k, "HEADS", t->shape[0].bound);
    ir_set_int(ir, k, "UNITS", layout_kv(&ir->design, 1, 1, t->shape[1].bound).k_units);
    ir_set_int(ir, k, "CONTEXT", ir->design.context);
    ir_set_int(ir, k, "REPLAYS", head_group(ir, a->scores));
    set_together(ir, k, kv_together(ir, a->scores));
    class_window(ir, &ir->node[a->softmax], k);
    set_key_channels(a, k);
    int out = ir_add_port(ir, k, "scale", true, IR_STREAM_BARE, lanes * 32);
    for (int p = 0; p < ir->kernel[softmax].ports; p++) {
        struct ir_port *to = &ir->kernel[softmax].port[p];
        if (to->role != role) continue;
        to->tensor = IR_NONE; // scales only, not the whole tensor
        to->kind = IR_STREAM_BARE;
        to->data_bits = lanes * 32;
        ir_connect(ir, k, out, softmax, p);
    }
}

// ---- writers ----

// Adds a kernel that takes the keys or values of all attentions of the cache, with a multiplexer if there are several.
// first: the first product of the cache that reads these keys or values. mux: name of the multiplexer. Returns the
// kernel.
static int add_kv_sink(const struct unit *u, const char *name, const struct kernel_class *class, int first,
                       const char *mux) {
    struct ir *ir = u->ir;
    int k = kernel_add(ir, kv_name(ir, u->id, name), class, IR_NONE), tensor = ir->node[first].in[1];
    int p = ports_add_tensor(ir, k, "kv", false, tensor);
    ir->kernel[k].port[p].region = ir->node[first].region;
    ports_add_step(ir, k);
    struct merge m = {.ir = ir, .unit = u->id, .trait = ir_node_is(ir, first, OP_BY_KEYS) ? OP_BY_KEYS : OP_BY_VALUES};
    int streams = 0;
    for (int n = 0; n < ir->nodes; n++) streams += merges(&m, n);
    if (streams > 1) {
        m = begin_merge(ir, u->id, m.trait, mux);
        for (int n = 0; n < ir->nodes; n++)
            if (merges(&m, n)) merge_input(&m, ir->node[n].in[1], ir->node[n].region);
        end_merge(&m, one_firing, k, p);
    }
    return k;
}

static void add_writer_params(const struct unit *u, int k, const struct ir_engine *engine,
                              const struct kv_cache *cache) {
    struct ir *ir = u->ir;
    ir_set_int(ir, k, "CHANNELS", engine->lanes);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "LAYERS", cache->layers);
    ir_set_int(ir, k, "HEADS", cache->heads);
}

// Adds the writer of keys of a cache.
static void add_k_writer(const struct unit *u) {
    struct ir *ir = u->ir;
    struct kv_cache cache = kv_cache_of(ir, u->scores);
    int k = add_kv_sink(u, "k_writer", &rtl_k_writer, u->scores, "k_writer_mux");
    add_writer_params(u, k, u->on_scores, &cache);
    ir_set_int(ir, k, "UNITS", layout_kv(&ir->design, 1, 1, cache.head_dim).k_units);
    int client = ir_add_client(ir, ir->kernel[k].name, k, "", true, IR_NONE);
    ir->client[client].engine = (int)(u->on_scores - ir->engine);
    ir_add_wire(ir, k, "layer_done", true, 1, kv_net(ir, u->id, IR_NET_K_LAYER_DONE));
    ir_add_wire(ir, k, "given", true, u->on_scores->channels, kv_net(ir, u->id, IR_NET_K_GIVEN));
}

// Walks over the program once and marks in `after` the tensors that depend on a product of the same step. Carried
// tensors keep their marks during the walk. Afterwards, a carried tensor loses its mark if its first or its next value
// is not marked. Returns true if no mark was removed.
static bool walk_waits(const struct ir *ir, bool *after) {
    bool same = true;
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        bool waits = ir_op_is(ir, node->op, OP_PRODUCT);
        for (int i = 0; i < node->inputs; i++) waits |= after[node->in[i]];
        for (int i = 0; i < node->outputs; i++) after[node->out[i]] = waits;
    }
    for (int t = 0; t < ir->tensors; t++) {
        const struct ir_carry *carry = ir_carry_of(ir, t);
        if (!carry || !after[t] || (after[carry->init] && after[carry->next])) continue;
        after[t] = same = false;
    }
    return same;
}

// Returns whether the tensor depends on a product of the same step in every repetition. Begins with a mark on every
// carried tensor and removes marks until nothing changes.
static bool after_product(const struct ir *ir, int tensor) {
    bool *after = ARENA_ARRAY(ir->arena, bool, (size_t)ir->tensors);
    for (int t = 0; t < ir->tensors; t++) after[t] = ir_carry_of(ir, t);
    while (!walk_waits(ir, after)) {
    }
    return after[tensor];
}

// Sets the number of reads that the V tail counts before it accepts values. The values of a step must not arrive before
// the open blocks of the previous step have been read. If all products share an engine and V depends on one of them,
// that product fires after these reads, so nothing has to be counted. If V depends on no product (in a first layer), or
// if its product has a separate engine, V may arrive at any time, and the tail counts. READS is the number of reads in
// a step if keys and values are on one engine (STEP_READS), and otherwise in a layer. READS_ALONE is the same
// number for steps of one token, if it is smaller.
static void set_tail_reads(const struct unit *u, int k, const struct kv_cache *cache) {
    struct ir *ir = u->ir;
    bool shared = u->on_scores == u->on_values;
    int64_t reads = 0, alone = 0; // reads in a step of several tokens, and in a step of one token
    if (shared && after_product(ir, ir->node[u->values].in[1])) return;
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_BY_VALUES) || kv_cache_of(ir, n).unit != u->id) continue;
        const struct ir_tensor *t = &ir->tensor[ir->node[n].in[1]];
        struct layout_kv kv = layout_kv(&ir->design, u->on_values->channels, 1, t->shape[1].bound);
        int64_t all = repeat_of(ir, n) * ir->tensor[ir->node[n].out[0]].shape[0].bound * kv.v_rows * kv.v_block_beats;
        reads += all;
        alone += all / kv_together(ir, kv_scores_of(ir, n));
    }
    int64_t layers = shared ? 1 : cache->layers;
    ir_set_int(ir, k, "READS", reads / layers);
    if (alone < reads) ir_set_int(ir, k, "READS_ALONE", alone / layers);
    if (shared) ir_set_int(ir, k, "STEP_READS", 1);
}

// Adds the V tail of a cache, which keeps the open block of values and writes full blocks to memory.
static void add_v_tail(const struct unit *u) {
    struct ir *ir = u->ir;
    struct kv_cache cache = kv_cache_of(ir, u->values);
    int k = add_kv_sink(u, "v_tail", &rtl_v_tail, u->values, "v_tail_mux");
    add_writer_params(u, k, u->on_values, &cache);
    ir_set_int(ir, k, "HEAD_DIM", cache.head_dim);
    set_tail_reads(u, k, &cache);
    int client = ir_add_client(ir, ir->kernel[k].name, k, "", true, IR_NONE);
    ir->client[client].is_packed = true;
    ir->client[client].engine = (int)(u->on_values - ir->engine);
    const int64_t tail_bits = (int64_t)u->on_values->channels * ir->design.beat_bits;
    const struct {
        int kernel;
        bool writes_data;
    } side[] = {{u->on_values->kernel, false}, {k, true}};
    for (size_t i = 0; i < COUNT_OF(side); i++) { // the engine reads the tail after `head_done` of each head
        ir_add_wire(ir, side[i].kernel, "tail_valid", !side[i].writes_data, 1, kv_net(ir, u->id, IR_NET_TAIL_VALID));
        ir_add_wire(ir, side[i].kernel, "tail_addr", !side[i].writes_data, VTAIL_BITS,
                    kv_net(ir, u->id, IR_NET_TAIL_ADDR));
        ir_add_wire(ir, side[i].kernel, "tail_data", side[i].writes_data, tail_bits,
                    kv_net(ir, u->id, IR_NET_TAIL_DATA));
        ir_add_wire(ir, side[i].kernel, "head_done", side[i].writes_data, 1, kv_net(ir, u->id, IR_NET_TAIL_HEAD_DONE));
    }
    ir_add_wire(ir, k, "layer_done", true, 1, kv_net(ir, u->id, IR_NET_V_LAYER_DONE));
    ir_add_wire(ir, k, "given", true, u->on_values->channels, kv_net(ir, u->id, IR_NET_V_GIVEN));
}

// ---- the step's own keys; with grouped queries, each head is sent once per read ----

// Returns the firings of the keys of a step: with grouped queries one for each query head, else one for all heads.
static int64_t key_firings(const struct ir *ir, int scores) {
    return head_group(ir, scores) > 1 ? ir->tensor[ir->node[scores].out[0]].shape[0].bound : 1;
}

// Inserts a kernel that sends the step's own keys of a head once for each query head that reads them. The new kernel
// reads the tensor of the keys, and the given port reads the new kernel.
static void add_keys_replay(struct ir *ir, int scores, int to_kernel, int to_port) {
    bool only = count_nodes(ir, OP_BY_KEYS, IR_NONE) == 1;
    int k = kernel_add(ir, only ? "keys_replay" : arena_printf(ir->arena, "%s_keys_replay", ir->node[scores].name),
                       &rtl_head_replay, IR_NONE);
    int keys = ir->node[scores].in[1];
    const struct ir_tensor *t = &ir->tensor[keys];
    ir->kernel[to_kernel].port[to_port].tensor = IR_NONE;
    ir_set_int(ir, k, "DATA_W", ports_data_bits(ir, IR_KV, 1));
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "UNITS", layout_kv(&ir->design, 1, t->shape[0].bound, t->shape[1].bound).k_units);
    ir_set_int(ir, k, "REPLAYS", head_group(ir, scores));
    set_together(ir, k, kv_together(ir, scores));
    int in = ports_add_tensor(ir, k, "", false, keys);
    ir->kernel[k].port[in].region = ir->node[scores].region;
    int out = ports_add_like(ir, k, "", true, &ir->kernel[to_kernel].port[to_port]);
    ir_connect(ir, k, out, to_kernel, to_port);
}

// Adds the engine's port for the step's own keys and connects it. Attentions that share an engine need a multiplexer.
static void add_local_keys(const struct unit *u) {
    struct ir *ir = u->ir;
    int engine = u->on_scores->kernel, local = ports_add_tensor(ir, engine, "klocal", false, ir->node[u->scores].in[1]);
    ir->kernel[engine].port[local].region = ir->node[u->scores].region;
    if (kv_units(ir) > 1 || count_nodes(ir, OP_BY_KEYS, IR_NONE) == 1) {
        if (head_group(ir, u->scores) > 1) add_keys_replay(ir, u->scores, engine, local);
        return;
    }
    struct merge m = begin_merge(ir, u->id, OP_BY_KEYS, "keys_mux");
    for (int n = 0; n < ir->nodes; n++) {
        if (!merges(&m, n)) continue;
        int in = merge_input(&m, ir->node[n].in[1], ir->node[n].region);
        if (head_group(ir, n) > 1) add_keys_replay(ir, n, m.kernel, in);
    }
    end_merge(&m, key_firings, engine, local);
}

// ---- sliding windows ----

// Sets a kernel's list of windows, one for each layer of the cache.
static void add_windows(const struct unit *u, int k, const char *name, unsigned trait, const struct kv_cache *all) {
    struct ir *ir = u->ir;
    int64_t *window = ARENA_ARRAY(ir->arena, int64_t, (size_t)all->layers);
    for (int n = 0; n < ir->nodes; n++) {
        struct kv_cache cache = {.unit = IR_NONE};
        if (ir_node_is(ir, n, trait)) cache = kv_cache_of(ir, n);
        if (cache.unit != u->id) continue;
        int softmax = window_node(ir, trait == OP_BY_KEYS ? ir->node[n].out[0] : ir->node[n].in[0]);
        for (int64_t r = 0; r < repeat_of(ir, n); r++)
            window[cache.layer + r * cache.step] = window_length(ir, softmax, r);
    }
    class_window_list(ir, k, name, window, all->layers);
}

void kv_set_windows(struct ir *ir, int unit, int kernel) {
    struct unit u = {.ir = ir, .id = unit, .scores = kv_unit_scores(ir, unit)};
    if (u.scores == IR_NONE) return;
    struct kv_cache cache = kv_cache_of(ir, u.scores);
    add_windows(&u, kernel, "K_WINDOW", OP_BY_KEYS, &cache);
    add_windows(&u, kernel, "V_WINDOW", OP_BY_VALUES, &cache);
    if (kernel_has_key_windows(&ir->kernel[kernel])) ir_set_int(ir, kernel, "KEY_CHANNELS", ir_key_channels(ir));
}

// ---- query heads together: tokens in the engine and softmax, firings outside ----

// Returns the kernel's port for the tensor. The kernel must have one.
static int port_of(const struct ir *ir, int kernel, int tensor) {
    int p = 0;
    while (ir->kernel[kernel].port[p].tensor != tensor) p++;
    return p;
}

// Adds the kernel that turns the tokens of a stream into firings, one for each query head. words: words of one token in
// a firing. together: query heads that are computed together.
static void add_split(const struct attention *a, int kernel, int tensor, int64_t words, int together) {
    struct ir *ir = a->ir;
    const char *name = arena_printf(ir->arena, "%s_split", ir->tensor[tensor].name);
    int k = bind_beside(ir, name, &rtl_head_split, kernel, port_of(ir, kernel, tensor));
    ports_add_step(ir, k);
    ir_set_int(ir, k, "TOGETHER", together);
    ir_set_int(ir, k, "WORDS", words);
    ir_set_int(ir, k, "HEADS", ir->tensor[ir->node[a->scores].out[0]].shape[0].bound);
    ir_set_int(ir, k, "LAYERS", repeat_of(ir, a->scores));
}

// If query heads are computed together, adds head_pack before the engine, and head_split after the values and after
// softmax's second output.
static void add_together(const struct attention *a) {
    struct ir *ir = a->ir;
    int together = kv_together(ir, a->scores), query = ir->node[a->scores].in[0];
    if (together == 1) return;
    int mux = ir->engine[ir_engine_of(ir, a->scores)].x_mux;
    int k = bind_beside(ir, arena_printf(ir->arena, "%s_pack", ir->tensor[query].name), &rtl_head_pack, mux,
                        port_of(ir, mux, query));
    ir_set_int(ir, k, "TOGETHER", together);
    set_together(ir, softmax_kernel(a), together);
    int demux = ir->engine[ir_engine_of(ir, a->values)].y_demux, made = IR_NONE;
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_OF_PRODUCT) && ir->node[n].in[0] == ir->node[a->values].out[0])
            made = ir->node[n].out[0];
    int64_t head_dim = ir->tensor[ir->node[a->values].in[1]].shape[1].bound;
    add_split(a, demux, made, div_up(head_dim, ir->design.lanes), together);
    add_split(a, softmax_kernel(a), ir->node[a->softmax].out[1], 1, together);
}

// Sets the size of softmax's banks: the scores of a head at all positions that its largest window includes.
static void size_softmax(const struct attention *a) {
    int k = softmax_kernel(a);
    ir_set_int(a->ir, k, "CONTEXT", window_most(a->ir, a->softmax));
    set_key_channels(a, k);
}

void bind_attention(struct ir *ir) {
    for (int i = 0; i < kv_units(ir); i++) {
        struct unit u = {.ir = ir, .id = i, .scores = kv_unit_scores(ir, i)};
        u.values = kv_values_of(ir, u.scores);
        for (int n = ir->nodes - 1; n >= 0; n--)
            if (ir_node_is(ir, n, OP_BY_VALUES) && kv_cache_of(ir, n).unit == i) u.values = n;
        u.on_scores = &ir->engine[ir_engine_of(ir, u.scores)];
        u.on_values = &ir->engine[ir_engine_of(ir, u.values)];
        add_local_keys(&u);
        add_k_writer(&u);
        add_v_tail(&u);
    }
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_BY_KEYS)) continue;
        struct attention a = {ir, n, kv_softmax_of(ir, n), kv_values_of(ir, n)};
        size_softmax(&a);
        add_together(&a);
        add_kv_scale(&a, ir->node[n].in[1], IR_ROLE_K_SCALE);
        add_kv_scale(&a, ir->node[a.values].in[1], IR_ROLE_V_SCALE);
    }
    bind_parts(ir);
}
