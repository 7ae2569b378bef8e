// SPDX-License-Identifier: Apache-2.0
// From the segment table to beats at a lane: rill_segment_walker, rill_burst_splitter, rill_dma_read, the channel, the lane's FIFO.
#include "sim_lane.h"

#include <string.h>

#include "layout.h"

enum {
    ENTRY_BITS = 192,
    WALK_LATENCY = 10, // step word to the first descriptor: 4 of the schedule, 6 of the walker
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

bool lane_init(struct sim *sim, struct lane *l, int64_t channels) {
    bool found = false;
    memset(l, 0, sizeof *l);
    for (int k = 0; k < sim->ir->kernels; k++) {
        if (sim->actor[k].c.machine != TIMING_WALKER) continue;
        found = sim_schedule_read(sim, &sim->actor[k], ENTRY_BITS, &l->schedule);
        l->layers = sim->actor[k].c.layers;
    }
    l->design = &sim->ir->design;
    l->counted = channels > JOIN_LANES ? COUNTED + 2 : COUNTED;
    l->asked = l->described_at = -1;
    memory_init(&l->memory, &sim->options->memory);
    return found;
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
        if (kind == KIND_KEYS) beats *= div_up(step->pos, l->design->channels);
        if (kind == KIND_VALUES) beats *= step->pos / LAYOUT_V_BLOCK;
        if (kind != KIND_WEIGHTS && beats && !gate_open(sim, l, &from)) return false;
        int64_t address = field(l, entry, 41, 2) + l->walk.repeat * field(l, entry, 81, 42) + l->outer * field(l, entry, 153, 122);
        if (beats) {
            l->run = (struct lane_run){beats, address};
            l->described_at = at_least(from, WALK_LATENCY);
        }
        if (beats == 0 || ++l->outer == outer) {
            l->outer = 0;
            sim_walk_next(sim, &l->schedule, &l->walk);
        }
        if (beats) return true;
    }
}

// Asks for the next burst: room for it must be reserved, and few enough may be outstanding.
static bool next_burst(struct sim *sim, struct lane *l) {
    if (l->run.beats == 0 && !next_run(sim, l)) return false;
    int64_t beat_bytes = l->design->beat_bits / 8, most = l->design->max_burst, place = l->run.address / beat_bytes % most;
    int64_t beats = at_most(l->run.beats, most - place), from = at_least(l->asked + 1, l->described_at + SPLIT_LATENCY);
    int64_t room = l->requested + beats - l->design->prefetch_beats - 1, slot = (int64_t)l->burst_end.count - l->design->outstanding;
    if (room >= 0) from = at_least(from, l->given.items[room] + 1);
    if (slot >= 0) from = at_least(from, l->burst_end.items[slot] + 1);
    l->asked = from;
    l->requested += beats;
    l->run.beats -= beats;
    l->run.address += beats * beat_bytes;
    if (l->run.beats == 0) {
        l->described[0] = l->described[1];
        l->described[1] = from;
    }
    for (int64_t b = 0; b < beats; b++) {
        int64_t n = (int64_t)l->arrived.count, at = memory_beat(&l->memory, from + PORT_LATENCY, false) + DATA_LATENCY;
        VEC_PUSH(sim->arena, l->arrived, n && l->arrived.items[n - 1] >= at ? l->arrived.items[n - 1] + 1 : at);
    }
    VEC_PUSH(sim->arena, l->burst_end, l->arrived.items[l->arrived.count - 1]);
    return true;
}

bool lane_ready(struct sim *sim, struct lane *l, int64_t *from) {
    int64_t n = (int64_t)l->used.count;
    while (n >= (int64_t)l->given.count) { // beats reach the lane in order
        int64_t g = (int64_t)l->given.count;
        if (g >= (int64_t)l->arrived.count && !next_burst(sim, l)) return false;
        int64_t at = l->arrived.items[g] + FIFO_LATENCY;
        if (g) at = at_least(at, l->given.items[g - 1] + 1);
        if (g >= LANE_BEATS) at = at_least(at, l->used.items[g - LANE_BEATS] + LANE_POPPED + 1);
        VEC_PUSH(sim->arena, l->given, at);
    }
    *from = at_least(*from, l->given.items[n] + l->counted);
    return true;
}

void lane_use(struct sim *sim, struct lane *l, int64_t at) { VEC_PUSH(sim->arena, l->used, at); }
