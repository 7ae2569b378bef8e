// SPDX-License-Identifier: Apache-2.0
// The beats of the engine: one channel's walk through its segments, read engine and lane FIFO; all channels are alike.
#ifndef RILL_TIMING_SIM_LANE_H
#define RILL_TIMING_SIM_LANE_H

#include "sim.h"

struct lane_run { // a descriptor of the walker
    int64_t beats, address;
};

struct lane {
    struct sim_schedule schedule; // of the walker
    struct sim_walk walk;
    const struct ir_design *design;
    struct sim_channel *channel;
    int64_t channels;       // of the engine
    int64_t layers;         // of the KV cache
    int64_t counted;        // cycles from a beat's arrival at the lane to the first command that may use it
    int64_t outer;          // runs of the present entry that were sent
    int64_t described[2];   // when the last two runs' last bursts were asked for
    int64_t described_at;   // when the last run was handed over
    struct lane_run run;    // what is left of the present one
    int64_t asked;          // cycle of the last burst
    int64_t requested;      // beats
    VEC(int64_t) burst_end; // per burst: arrival of its last beat
    VEC(int64_t) arrived;   // per beat: at the read engine,
    VEC(int64_t) given;     // at the lane,
    VEC(int64_t) used;      // used by a command
};

bool lane_init(struct sim *, struct lane *, int kernel, int64_t channels); // kernel: the engine
// Raises *from to when the next beat may be used by a command. False while that is not known.
bool lane_ready(struct sim *, struct lane *, int64_t *from);
// Asks for all that can be asked for before a cycle.
void lane_catch_up(struct sim *, struct lane *, int64_t until);
void lane_use(struct sim *, struct lane *, int64_t at);

#endif
