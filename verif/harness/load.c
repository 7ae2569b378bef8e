// SPDX-License-Identifier: Apache-2.0
// Loads the replay's state of a position into the simulated design, which then begins there (`--from`).
//
// The design has no way to start at a position, so the simulation sets its registers and memories from outside, through
// the names of state.vlt. Before the start it writes keys and full blocks of values to the channels. In the cycle after
// the start, when the token loop's step sources have taken the request and have sent nothing, it sets their position,
// the counts of ids, the ring's beat, the hash of logits, the open block of values and the scales.
#include <string.h>

#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "verif/harness/sim_internal.h"

enum { SOURCE_PREPARES = 1 /* state_q of rill_step_source before its first word */ };

// A key, a value or a scale that is stored for a position, and the kind of planted fault that damages it.
struct item {
    enum plant_kind kind;
    int64_t layer, head, position; // in the cache
};

// Flips a bit of the item if it belongs to layer 0 and head 0, and a fault of its kind is planted at its position.
static void damage(struct sim *sim, const struct item *at, uint8_t *byte) {
    struct load *load = &sim->load;
    for (size_t i = 0; i < sim->options.plants.count; i++) {
        const struct plant *p = &sim->options.plants.items[i];
        bool here = p->kind == at->kind && at->layer == 0 && at->head == 0 && (int64_t)p->place == at->position;
        if (!here || (load->planted >> i & 1)) continue;
        *byte ^= 0x40;
        load->planted |= (uint64_t)1 << i;
    }
}

// Fails if a planted fault of the state found no place, because a test would then pass that tests nothing.
static void all_planted(struct sim *sim) {
    for (size_t i = 0; i < sim->options.plants.count; i++)
        if (sim->options.plants.items[i].kind >= PLANT_KEY && !(sim->load.planted >> i & 1))
            sim_fail(sim, MSG_PLANT_STATE, sim_plant_name(sim->options.plants.items[i].kind));
}

// ---- layers of the caches ----

// A layer of a cache: the replay's keys or values, the kernel that writes them in the design, and the layer's index
// there.
struct layer {
    struct replay_cached cached;
    int kernel;
    int64_t index;
};

// Finds a layer's cache for the operation `node` that reads it. writer: trait of the kernel that writes it.
static struct layer layer_of(struct sim *sim, int node, int64_t repetition, unsigned writer) {
    const struct ir *ir = sim->ir;
    struct kv_cache cache = kv_cache_of(ir, node);
    struct layer l = {.kernel = kv_kernel(ir, cache.unit, writer), .index = cache.layer + repetition * cache.step};
    if (!replay_cached(sim->golden, ir->node[node].in[1], ir->node[node].region, repetition, &l.cached))
        base_fatal("state: `%s` reads no cache", ir->node[node].name);
    return l;
}

// each_layer calls a function of this type for each layer of the operations with the trait `reader`.
typedef void per_layer(struct sim *, int node, const struct layer *);

static void each_layer(struct sim *sim, unsigned reader, unsigned writer, per_layer *load) {
    const struct ir *ir = sim->ir;
    for (int n = 0; n < ir->nodes; n++)
        for (int64_t r = 0; ir_node_is(ir, n, reader) && r < ir->region[ir->node[n].region].repeat; r++) {
            struct layer l = layer_of(sim, n, r, writer);
            load(sim, n, &l);
        }
}

static int first_channel(const struct sim *sim, int node) {
    return sim->ir->engine[ir_engine_of(sim->ir, node)].first_channel;
}

static uint8_t *memory_at(struct sim *sim, int channel, int64_t offset, int64_t bytes) {
    uint8_t *at = hbm_bytes(sim->hbm, channel, sim_base(sim, channel) + (uint64_t)offset, (uint64_t)bytes);
    if (at == NULL) base_fatal("state: offset %lld is outside channel %d", (long long)offset, channel);
    return at;
}

// ---- memory ----

// Writes the keys of a layer to the memory channels.
static void load_keys(struct sim *sim, int node, const struct layer *l) {
    struct kernel_cache k = kernel_cache(&sim->ir->kernel[l->kernel]);
    const struct replay_cached *c = &l->cached;
    for (int64_t p = 0; p < sim->load.from; p++)
        for (int64_t h = 0; h < c->heads; h++) {
            int64_t offset = k.base + l->index * k.layer + h * k.head + p / k.lanes * k.row;
            uint8_t *at = memory_at(sim, first_channel(sim, node) + (int)(p % k.lanes), offset, k.row);
            memset(at, 0, (size_t)k.row);
            memcpy(at, c->q + (p * c->heads + h) * c->dim, (size_t)c->dim);
            damage(sim, &(struct item){PLANT_KEY, l->index, h, p}, at);
        }
}

// Writes the values of a layer to the memory channels, in full blocks only.
static void load_values(struct sim *sim, int node, const struct layer *l) {
    struct kernel_tail v = kernel_tail(&sim->ir->kernel[l->kernel]);
    const struct replay_cached *c = &l->cached;
    for (int64_t p = 0; p < sim->load.from / LAYOUT_V_BLOCK * LAYOUT_V_BLOCK; p++)
        for (int64_t h = 0; h < c->heads; h++)
            for (int64_t d = 0; d < c->dim; d++) {
                int64_t row = h * v.head_rows + d / v.lanes;
                int64_t offset = v.base + l->index * v.layer + row * v.row + p;
                uint8_t *at = memory_at(sim, first_channel(sim, node) + (int)(d % v.lanes), offset, 1);
                *at = (uint8_t)c->q[(p * c->heads + h) * c->dim + d];
                if (d == 0) damage(sim, &(struct item){PLANT_VALUE, l->index, h, p}, at);
            }
}

void load_memory(struct sim *sim) {
    each_layer(sim, OP_BY_KEYS, KERNEL_KEYS, load_keys);
    each_layer(sim, OP_BY_VALUES, KERNEL_VALUES, load_values);
}

// ---- registers and memories of the design ----

// Returns a signal of the design. If there is none, reports a failure, and `data` is NULL.
static struct sim_signal signal_at(struct sim *sim, const char *instance, const char *name) {
    const struct load *load = &sim->load;
    struct sim_signal s;
    if (load->find(load->context, instance, name, &s)) return s;
    sim_fail(sim, MSG_STATE_SIGNAL, arena_printf(&sim->arena, "%s.%s", instance, name));
    return (struct sim_signal){0};
}

// Writes bytes to a word of a signal. Does nothing if the signal was not found.
static void put(const struct sim_signal *s, size_t word, size_t byte, const void *bytes, size_t count) {
    if (s->data == NULL) return;
    if (word >= s->words || byte + count > s->bytes) base_fatal("state: a signal is smaller than its kernel says");
    memcpy(s->data + word * s->bytes + byte, bytes, count);
}

static void put_number(struct sim *sim, const char *instance, const char *name, uint64_t value) {
    struct sim_signal s = signal_at(sim, instance, name);
    put(&s, 0, 0, &value, s.bytes < sizeof value ? s.bytes : sizeof value);
}

// Returns the memory of a lane's open blocks, whose path depends on the style of the RAM.
static struct sim_signal tail_of(struct sim *sim, const char *kernel, int64_t lane) {
    static const char *const styles[] = {"gen_style", "gen_ultra"};
    struct sim_signal s = {0};
    for (int i = 0; i < 2; i++) {
        const char *path =
            arena_printf(&sim->arena, "u_%s.gen_lane[%lld].%s.u_ram", kernel, (long long)lane, styles[i]);
        if (sim->load.find(sim->load.context, path, "mem", &s)) return s;
    }
    return signal_at(sim, arena_printf(&sim->arena, "u_%s.gen_lane[%lld]", kernel, (long long)lane), "mem");
}

// Loads a lane's open blocks, one for each of its rows. Bytes of later positions are 0, as after a block's first
// position.
static void load_tail_lane(struct sim *sim, const struct layer *l, const struct kernel_tail *v, int64_t lane) {
    const struct replay_cached *c = &l->cached;
    struct sim_signal s = tail_of(sim, sim->ir->kernel[l->kernel].name, lane);
    for (int64_t h = 0; h < c->heads; h++)
        for (int64_t d = lane; d < v->head_rows * v->lanes; d += v->lanes) {
            uint8_t block[LAYOUT_V_BLOCK] = {0};
            int64_t row = l->index * v->layer_rows + h * v->head_rows + d / v->lanes, from = sim->load.from;
            for (int64_t p = from / LAYOUT_V_BLOCK * LAYOUT_V_BLOCK; p < from && d < c->dim; p++) {
                uint8_t *byte = &block[p % LAYOUT_V_BLOCK];
                *byte = (uint8_t)c->q[(p * c->heads + h) * c->dim + d];
                if (d == 0) damage(sim, &(struct item){PLANT_TAIL, l->index, h, p}, byte);
            }
            for (int64_t at = 0; at < LAYOUT_V_BLOCK; at += v->beat)
                put(&s, (size_t)((row * LAYOUT_V_BLOCK + at) / v->beat), 0, block + at, (size_t)v->beat);
        }
}

static void load_tail(struct sim *sim, int node, const struct layer *l) {
    (void)node;
    struct kernel_tail v = kernel_tail(&sim->ir->kernel[l->kernel]);
    for (int64_t lane = 0; lane < v.lanes; lane++) load_tail_lane(sim, l, &v, lane);
}

static bool is_key(const struct ir *ir, int tensor) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_BY_KEYS) && ir->node[n].in[1] == tensor) return true;
    return false;
}

// Returns the first port at which the kernel reads a tensor.
static const struct ir_port *input_of(const struct ir_kernel *k) {
    for (int p = 0; p < k->ports; p++)
        if (!k->port[p].is_output && k->port[p].tensor != IR_NONE) return &k->port[p];
    base_fatal("state: kernel %s reads no tensor", k->name);
}

// Loads one memory of scales. It has the scales of two lanes, or of the only lane.
static void load_scale_pair(struct sim *sim, const struct ir_kernel *kernel, int64_t pair) {
    struct kernel_scales k = kernel_scales(kernel);
    const struct ir_port *port = input_of(kernel);
    int64_t wide = k.lanes > 1 ? 2 : 1;
    enum plant_kind kind = is_key(sim->ir, port->tensor) ? PLANT_KEY_SCALE : PLANT_VALUE_SCALE;
    struct sim_signal s =
        signal_at(sim, arena_printf(&sim->arena, "u_%s.gen_pair[%lld]", kernel->name, (long long)pair), "mem");
    struct replay_cached c;
    for (int64_t l = 0; l < k.layers; l++) {
        if (!replay_cached(sim->golden, port->tensor, port->region, l, &c)) base_fatal("state: no scales");
        for (int64_t p = 0; p < sim->load.from; p++)
            for (int64_t h = 0; h < k.heads && p % k.lanes / wide == pair; h++) {
                uint8_t scale[sizeof(float)];
                memcpy(scale, &c.scale[p * c.heads + h], sizeof scale);
                damage(sim, &(struct item){kind, l, h, p}, &scale[2]);
                put(&s, (size_t)((l * k.heads + h) * k.words + p / k.lanes), (size_t)(p % wide) * sizeof scale, scale,
                    sizeof scale);
            }
    }
}

static void load_scales(struct sim *sim) {
    for (int i = 0; i < sim->ir->kernels; i++) {
        const struct ir_kernel *k = &sim->ir->kernel[i];
        if (!kernel_is(k, KERNEL_SCALES)) continue;
        int64_t lanes = kernel_scales(k).lanes;
        for (int64_t pair = 0; pair < (lanes + 1) / 2; pair++) load_scale_pair(sim, k, pair);
    }
}

// Sets the position in both sources of step words: one for the kernels, and one for the walkers.
static void load_position(struct sim *sim) {
    static const char *const sources[] = {"u_token_loop.u_step", "u_token_loop.u_walk_step"};
    const struct load *load = &sim->load;
    int64_t channels = ir_key_channels(sim->ir);
    for (int i = 0; i < 2; i++) {
        put_number(sim, sources[i], "pos_q", (uint64_t)load->from);
        put_number(sim, sources[i], "krows_q", u64_div_ceil((uint64_t)load->from, (uint64_t)channels));
        put_number(sim, sources[i], "lane_q", (uint64_t)(load->from % channels));
        put_number(sim, sources[i], "decode_left_q", (uint64_t)load->decode_left);
    }
}

// Loads the ring writer's beat with the ids that were generated before. The next id overwrites the rest of the beat.
// Also sets the counts of ids and the hash of logits.
static void load_ring(struct sim *sim) {
    const struct load *load = &sim->load;
    struct sim_signal beat = signal_at(sim, "u_ring", "beat_q");
    int64_t ids = sim->ir->design.beat_bits / 32, made = load->start.made;
    for (int64_t i = made / ids * ids; i < made; i++)
        put(&beat, 0, (size_t)(i % ids) * sizeof(uint32_t), &load->start.ids[i], sizeof(uint32_t));
    put_number(sim, "u_ring", "ids_written", (uint64_t)made);
    put_number(sim, "u_token_loop", "made_q", (uint64_t)made);
    put_number(sim, "u_token_loop", "logits_hash", load->start.hash);
}

// Moves a writer of result rows to the row at which the design begins. Until then, its offsets are those of row 0.
static void move_writer(struct sim *sim, const struct ir_kernel *k) {
    static const char *const offsets[] = {"step_offset_q", "group_offset_q", "offset_q"};
    int64_t elements = ir_tensor_elements(&sim->ir->tensor[input_of(k)->tensor]);
    uint64_t bytes = (uint64_t)(sim->load.from * layout_io_row_bytes(&sim->ir->design, elements));
    for (int i = 0; i < 3; i++) {
        const char *instance = arena_printf(&sim->arena, "u_%s", k->name);
        struct sim_signal s = signal_at(sim, instance, offsets[i]);
        uint64_t offset = 0;
        if (s.data == NULL) return;
        memcpy(&offset, s.data, s.bytes < sizeof offset ? s.bytes : sizeof offset);
        put_number(sim, instance, offsets[i], offset + bytes);
    }
}

static void move_writers(struct sim *sim) {
    for (int k = 0; k < sim->ir->kernels; k++)
        if (kernel_is(&sim->ir->kernel[k], KERNEL_ROWS_OUT)) move_writer(sim, &sim->ir->kernel[k]);
}

static void load_design(struct sim *sim) {
    load_position(sim);
    if (sim->ir->design.is_lm) load_ring(sim);
    else move_writers(sim);
    if (sim->load.from % LAYOUT_V_BLOCK) each_layer(sim, OP_BY_VALUES, KERNEL_VALUES, load_tail);
    load_scales(sim);
    all_planted(sim);
}

void load_edge(struct sim *sim, const struct sim_pins *pins) {
    struct load *load = &sim->load;
    if (!load->waits) return;
    load->find = pins->find;
    load->context = pins->context;
    if (load->state.data == NULL) load->state = signal_at(sim, "u_token_loop.u_walk_step", "state_q");
    if (load->state.data == NULL || *load->state.data != SOURCE_PREPARES) return;
    load->waits = false;
    load_design(sim);
}
