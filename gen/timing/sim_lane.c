// SPDX-License-Identifier: Apache-2.0
// From the segment table to beats at a lane: rill_segment_walker, rill_burst_splitter, rill_dma_read, the channel, the lane's FIFO.
#include "sim_lane.h"

#include <string.h>

#include "layout.h"

enum {
    ENTRY_BITS = 192,
    WALK_AHEAD = 200,  // the walker begins with the loading of parameters, so long before the first step at least
    SPLIT_LATENCY = 2, // descriptor to its first burst
    PORT_LATENCY = 2,  // burst to the channel: the address register and the arbiter
    DATA_LATENCY = 1,  // the channel's data register
    FIFO_LATENCY = 2,
    LANE_BEATS = 16,
    LANE_POPPED = 5, // command to the beat leaving the lane's FIFO
    COUNTED = 4,     // up to 8 lanes; a second level of joins takes 2 more
    JOIN_LANES = 8,
    WRITTEN = 40, // keys and values handed over to their being counted, beside the response's own time
};
enum { KIND_WEIGHTS, KIND_KEYS, KIND_VALUES };

bool lane_init(struct sim *sim, struct lane *l, int kernel, int64_t channels) {
    int id = 0, walker;
    memset(l, 0, sizeof *l);
    while (id < sim->ir->engines && sim->ir->engine[id].kernel != kernel) id++;
    if (id == sim->ir->engines) return false;
    walker = sim->ir->engine[id].walker;
    if (walker < 0 || walker >= sim->ir->kernels || sim->actor[walker].c.machine != TIMING_WALKER) return false;
    l->design = &sim->ir->design;
    l->channel = &sim->channel[id];
    l->channel->lane = l;
    l->channels = channels;
    l->layers = sim->actor[walker].c.layers;
    l->counted = channels > JOIN_LANES ? COUNTED + 2 : COUNTED;
    l->asked = l->described_at = l->described[0] = l->described[1] = -WALK_AHEAD;
    return sim_schedule_read(sim, &sim->actor[walker], ENTRY_BITS, &l->schedule);
}

static int64_t field(const struct lane *l, int64_t entry, int high, int low) { return (int64_t)sim_schedule_field(&l->schedule, entry, high, low); }

// The layer's keys and values of the step before must have been written.
static bool gate_open(const struct sim *sim, const struct lane *l, int64_t *from) {
    if (!l->layers || l->walk.step == 0) return true;
    int64_t need = (l->walk.step - 1) * l->layers + l->walk.repeat;
    if (need >= (int64_t)sim->k_layer.count || need >= (int64_t)sim->v_layer.count) return false;
    *from = at_least(*from, at_least(sim->k_layer.items[need], sim->v_layer.items[need]) + WRITTEN);
    return true;
}

// The next descriptor with beats; false while it is not known when it comes.
static bool next_run(struct sim *sim, struct lane *l) {
    for (;;) {
        int64_t entry, from = at_least(l->described_at + 1, l->described[0] + 1);
        if (!sim_walk_entry(sim, &l->schedule, &l->walk, &entry)) return false;
        const struct timing_step *step = &sim->options->step[l->walk.step];
        int64_t kind = field(l, entry, 1, 0), beats = field(l, entry, 105, 82), outer = kind == KIND_VALUES ? field(l, entry, 121, 106) : 1;
        if (kind == KIND_KEYS) beats *= div_up(step->pos, l->channels);
        if (kind == KIND_VALUES) beats *= step->pos / LAYOUT_V_BLOCK;
        if (kind != KIND_WEIGHTS && beats && !gate_open(sim, l, &from)) return false;
        int64_t address = field(l, entry, 41, 2) + l->walk.repeat * field(l, entry, 81, 42) + l->outer * field(l, entry, 153, 122);
        if (beats) {
            l->run = (struct lane_run){beats, address};
            l->described_at = from;
        }
        if (beats == 0 || ++l->outer == outer) {
            l->outer = 0;
            sim_walk_next(sim, &l->schedule, &l->walk);
        }
        if (beats) return true;
    }
}

// When the next burst can be asked for: room for it must be reserved, and few enough may be outstanding. False while that is not known.
static bool burst_time(struct sim *sim, struct lane *l, int64_t *beats, int64_t *from) {
    if (l->run.beats == 0 && !next_run(sim, l)) return false;
    int64_t beat_bytes = l->design->beat_bits / 8, most = l->design->max_burst, place = l->run.address / beat_bytes % most;
    *beats = at_most(l->run.beats, most - place);
    *from = at_least(l->asked + 1, l->described_at + SPLIT_LATENCY);
    int64_t room = l->requested + *beats - l->design->prefetch_beats - 1, slot = (int64_t)l->burst_end.count - l->design->outstanding;
    if (room >= (int64_t)l->given.count) return false;
    if (room >= 0) *from = at_least(*from, l->given.items[room] + 1);
    if (slot >= 0) *from = at_least(*from, l->burst_end.items[slot] + 1);
    return true;
}

static void ask_burst(struct sim *sim, struct lane *l, int64_t beats, int64_t from) {
    int64_t beat_bytes = l->design->beat_bits / 8;
    for (int64_t b = 0; b < beats; b++, l->run.address += beat_bytes) {
        int64_t n = (int64_t)l->arrived.count, at = memory_beat(&l->channel->memory, from + PORT_LATENCY, l->run.address, false) + DATA_LATENCY;
        VEC_PUSH(sim->arena, l->arrived, n && l->arrived.items[n - 1] >= at ? l->arrived.items[n - 1] + 1 : at);
    }
    VEC_PUSH(sim->arena, l->burst_end, l->arrived.items[l->arrived.count - 1]);
    l->asked = from;
    l->requested += beats;
    l->run.beats -= beats;
    if (l->run.beats) return;
    l->described[0] = l->described[1];
    l->described[1] = from;
}

// Beats go to the lane in order, as far as its FIFO is known to have room.
static void give_beats(struct sim *sim, struct lane *l) {
    for (int64_t g; (g = (int64_t)l->given.count) < (int64_t)l->arrived.count;) {
        int64_t at = l->arrived.items[g] + FIFO_LATENCY;
        if (g) at = at_least(at, l->given.items[g - 1] + 1);
        if (g >= LANE_BEATS && g - LANE_BEATS >= (int64_t)l->used.count) return;
        if (g >= LANE_BEATS) at = at_least(at, l->used.items[g - LANE_BEATS] + LANE_POPPED + 1);
        VEC_PUSH(sim->arena, l->given, at);
    }
}

bool lane_ready(struct sim *sim, struct lane *l, int64_t *from) {
    int64_t n = (int64_t)l->used.count, beats, at;
    while (n >= (int64_t)l->given.count) {
        if (n >= (int64_t)l->arrived.count) {
            if (!burst_time(sim, l, &beats, &at)) return false;
            memory_serve(sim, l->channel, at + PORT_LATENCY - 1);
            ask_burst(sim, l, beats, at);
        }
        give_beats(sim, l);
    }
    *from = at_least(*from, l->given.items[n] + l->counted);
    return true;
}

void lane_catch_up(struct sim *sim, struct lane *l, int64_t until) {
    int64_t beats, from;
    give_beats(sim, l);
    while (burst_time(sim, l, &beats, &from) && from + PORT_LATENCY <= until) {
        ask_burst(sim, l, beats, from);
        give_beats(sim, l);
    }
}

void lane_use(struct sim *sim, struct lane *l, int64_t at) { VEC_PUSH(sim->arena, l->used, at); }
