// SPDX-License-Identifier: Apache-2.0
// Timing model of the path of beats to an engine lane: the walker requests the runs in its table (rill_segment_walker),
// and the read engine of the channel (sim_client.c) brings the beats of these runs to the lane's FIFO.
#include "gen/simulator/sim_lane.h"

#include <string.h>

#include "gen/ir/layout.h"
#include "gen/kernel/kernel.h"

enum {
    LONG_BEFORE = 200, // cycles by which the walker is ahead of the first step, if steps precede it or with slots
    JOIN_LANES = 8,    // lanes whose arrivals one level of joins can combine
};

static int64_t field(const struct lane *l, int64_t entry, enum field f) { return schedule_at(&l->schedule, entry, f); }

// Notes the windows of the walker's runs of keys and values, which are in the order of the engine's firings. Returns
// false if there are more runs than firings.
static bool name_runs(const struct ir *ir, int engine, struct lane *l, struct arena *arena) {
    int f = 0;
    l->window = ARENA_ARRAY(arena, int, (size_t)l->schedule.entries + 1);
    for (int64_t i = 0; i < l->schedule.entries; i++) {
        l->window[i] = IR_NONE;
        if (field(l, i, SEGMENT_KIND) == SEGMENT_KIND_WEIGHTS) continue;
        while (f < ir->firings && (ir->firing[f].engine != engine || ir->firing[f].mode <= ENGINE_MODE_INT4)) f++;
        if (f == ir->firings) return false;
        l->window[i] = sim_window_of(ir, &ir->firing[f++]);
    }
    return true;
}

bool lane_init(struct sim *sim, struct lane *l, int kernel, const struct ir_engine *engine,
               struct sim_channel *channel) {
    int walker = engine->walker;
    memset(l, 0, sizeof *l);
    if (walker < 0 || walker >= sim->ir->kernels || sim->actor[walker].c.machine != TIMING_WALKER) return false;
    l->client = client_open_lane(sim, kernel, channel);
    l->places = sim->actor[kernel].c.engine.lane_beats;
    l->channels = at_least(engine->lanes, 1);
    l->cache = sim_cache_of(sim, &sim->actor[kernel]);
    l->waits = sim->actor[walker].c.walker.layers > 0;
    l->counted = CYCLES_LANE_COUNTED + (l->channels > JOIN_LANES ? CYCLES_LANE_JOIN : 0);
    l->described_at = CYCLES_LOOP_WALK + CYCLES_SCHEDULE + CYCLES_WALKER - sim->options->memory.lead;
    if (kernel_has_key_windows(sim->actor[walker].k)) l->described_at += CYCLES_WINDOW_ENTRIES;
    if (kernel_tree_copies((int)l->channels) > 1) l->described_at += CYCLES_TREE; // a second register on the way
    if (sim->options->step[0].pos > 0 || sim->ir->design.slots) l->described_at = -LONG_BEFORE;
    l->k_stride = sim->actor[walker].c.walker.slot_keys;
    l->v_stride = sim->actor[walker].c.walker.slot_values;
    return sim_schedule_read(sim, &sim->actor[walker], SEGMENT_BITS, &l->schedule) &&
           name_runs(sim->ir, (int)(engine - sim->ir->engine), l, sim->arena);
}

// Implements the rule of an old version of the hardware (options->idle_counts): keys count as written only when their
// write engine holds nothing, not even keys of a later head. Returns true at most once each time when no actor can go
// on.
static bool engine_idle(struct sim *sim, const struct sim_client *keys) {
    int64_t at = 0;
    if (!sim->settled || !client_written(keys, (int64_t)keys->run.count, &at)) return false;
    sim->settled = false;
    return true;
}

// Returns whether the keys of a pair of step and layer are written. Raises *from to the first cycle in which a lane may
// rely on this.
static bool keys_written(struct sim *sim, const struct sim_cache *cache, int64_t pair, int64_t *from) {
    int64_t at = 0;
    if (pair >= (int64_t)cache->k_runs.count || !client_written(cache->keys, cache->k_runs.items[pair], &at))
        return false;
    *from = at_least(*from, at + CYCLES_KV_WRITTEN);
    return !sim->options->idle_counts || engine_idle(sim, cache->keys);
}

// Returns whether the values of a pair of step and layer are written. Raises *from as keys_written does.
static bool values_written(const struct sim_cache *cache, int64_t pair, int64_t *from) {
    if (pair >= (int64_t)cache->v_layer.count) return false;
    *from = at_least(*from, cache->v_layer.items[pair] + CYCLES_KV_WRITTEN);
    return true;
}

// Returns whether a lane may read an entry of keys or values: the keys or values of the entry's layer must be written
// for all earlier steps. Raises *from to the first cycle in which the lane may request them.
static bool gate_open(struct sim *sim, const struct lane *l, int64_t entry, int64_t *from) {
    if (!l->waits || l->walk.step == 0) return true;
    const struct sim_cache *cache = l->cache;
    int64_t layer = field(l, entry, SEGMENT_KV_LAYER) + l->walk.repeat * field(l, entry, SEGMENT_KV_STEP);
    if (layer >= cache->left_from) layer -= cache->left_out;
    int64_t need = (l->walk.step - 1) * cache->layers + layer;
    if (need < 0) return false;
    return field(l, entry, SEGMENT_KIND) == SEGMENT_KIND_K ? keys_written(sim, cache, need, from)
                                                           : values_written(cache, need, from);
}

// Raises *from so that the next descriptor follows the slowest lane. One walker serves all lanes, and offers a
// descriptor in the cycle after all lanes have taken the previous one (rill_fork_tree). For a lane that waited for
// room, ask_run notes a cycle that is one too late, hence the - 1. Returns false while a lane has not taken the
// previous descriptor.
static bool all_described(const struct lane *l, int64_t *from) {
    size_t n = l->client->run.count;
    for (const struct lane *o = l->first; n && o < l->first + l->first->lanes; o++) {
        if (o->client->run.count < n) return false;
        *from = at_least(*from, o->client->run.items[n - 1].at - 1);
    }
    return true;
}

// Raises *from to the cycle from which the walker has the entry's step. A design with slots chooses a step when the
// previous step is over, so its walkers cannot be whole steps ahead. Returns false while the step has not been chosen.
static bool step_known(const struct sim *sim, const struct lane *l, int64_t *from) {
    if (!sim->ir->design.slots) return true;
    if (sim->chosen[l->walk.step] < 0) return false;
    *from = at_least(*from, sim->chosen[l->walk.step] + CYCLES_SCHEDULE + CYCLES_WALKER);
    return true;
}

// Returns the distance in bytes of a slot's keys or values from those of slot 0, and 0 for weights.
static int64_t slot_bytes(const struct lane *l, int64_t kind, int slot) {
    return slot * (kind == SEGMENT_KIND_K ? l->k_stride : kind == SEGMENT_KIND_V ? l->v_stride : 0);
}

// Hands the next descriptor that has beats to the channel's read engine. Returns false while its cycle is not known, or
// after the last one.
static bool ask_run(struct sim *sim, struct lane *l) {
    for (;;) {
        int64_t entry, from = 0;
        if (!sim_walk_entry(sim, &l->schedule, &l->walk, &entry) || !client_room(l->client, &from)) return false;
        if (!all_described(l, &from)) return false;
        const struct timing_part step = sim_walk_part(sim, &l->schedule, &l->walk);
        if (!step_known(sim, l, &from)) return false;
        int64_t kind = field(l, entry, SEGMENT_KIND), beats = field(l, entry, SEGMENT_BEATS),
                outer = kind == SEGMENT_KIND_V ? field(l, entry, SEGMENT_OUTER) : 1;
        from = at_least(from + 1, l->described_at + 1);
        int64_t begin = window_begin(sim->ir, l->window[entry], l->walk.repeat, step.pos), first = 0;
        if (kind == SEGMENT_KIND_K) first = begin / l->channels * beats;
        if (kind == SEGMENT_KIND_K) beats *= div_up(step.pos - begin, l->channels);
        if (kind == SEGMENT_KIND_V) first = begin / LAYOUT_V_BLOCK * beats;
        if (kind == SEGMENT_KIND_V) beats *= (step.pos - begin) / LAYOUT_V_BLOCK;
        if (kind != SEGMENT_KIND_WEIGHTS && beats && !gate_open(sim, l, entry, &from)) return false;
        int64_t address = field(l, entry, SEGMENT_OFFSET) + l->walk.repeat * field(l, entry, SEGMENT_LAYER_STRIDE) +
                          l->outer * field(l, entry, SEGMENT_OUTER_STRIDE) + first * (sim->ir->design.beat_bits / 8) +
                          slot_bytes(l, kind, step.slot);
        if (beats == 0 || ++l->outer == outer) {
            l->outer = 0;
            sim_walk_next(sim, &l->schedule, &l->walk);
        }
        if (!beats) continue;
        l->described_at = from;
        client_ask(sim, l->client, from, address, beats);
        return true;
    }
}

// Gives the next beat to the lane. Returns false if no beat has arrived, or if it is not known from which cycle the
// lane's FIFO has room.
static bool give_beat(struct sim *sim, struct lane *l) {
    int64_t g = (int64_t)l->client->taken.count, at;
    if (!client_beat(l->client, &at) || (g >= l->places && g - l->places >= (int64_t)l->used.count)) return false;
    if (g >= l->places) at = at_least(at, l->used.items[g - l->places] + CYCLES_LANE_POPPED + 1);
    client_take(sim, l->client, at);
    return true;
}

// Hands over the next run of each simulated lane whose cycle is known. Returns whether there was one.
static bool ask_runs(struct sim *sim, struct lane *first) {
    bool asked = false;
    for (struct lane *l = first; l < first + first->lanes; l++) asked |= ask_run(sim, l);
    return asked;
}

void lane_advance(struct sim *sim, struct lane *l) {
    while (ask_runs(sim, l->first)) continue;
    while (give_beat(sim, l)) continue;
}

bool lane_ready(const struct lane *l, int64_t *from) {
    if (l->used.count >= l->client->taken.count) return false;
    *from = at_least(*from, l->client->taken.items[l->used.count] + l->counted);
    return true;
}

void lane_use(struct sim *sim, struct lane *l, int64_t at) {
    VEC_PUSH(sim->arena, l->used, at);
    lane_advance(sim, l);
}
