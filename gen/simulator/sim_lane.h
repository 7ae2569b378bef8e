// SPDX-License-Identifier: Apache-2.0
// The beats of one lane of the matrix engine: the walk of its walker (the module that tells the DMA engines what to
// read) through the segments of the lane's channel, the DMA engine that reads them (client), and the lane's FIFO.
// machine_engine.c uses this file. All times are cycles.
#ifndef RILL_TIMING_SIM_LANE_H
#define RILL_TIMING_SIM_LANE_H

#include "gen/simulator/sim_actor.h"

struct lane {
    struct schedule_table schedule; // schedule of the walker
    struct sim_walk walk;           // place of the next run
    struct sim_client *client;      // read client for the lane's channel
    struct lane *first;             // first of the engine's simulated lanes, which are stored one after another
    int lanes;                      // number of these lanes
    int64_t channels;               // channels of the engine
    int *window;                    // per entry: the attention whose window limits its positions, or IR_NONE
    const struct sim_cache *cache;  // KV cache whose writes the lane waits for
    bool waits;                     // reads of keys and values wait for the writes of the previous step
    int64_t k_stride, v_stride;     // bytes from a slot's keys, and values, to those of the next slot
    int64_t places;                 // depth of the lane's FIFO, in beats
    int64_t counted;                // cycles from a beat's arrival at the lane to the first command that may use it
    int64_t outer;                  // runs of the present entry that were handed to the client
    int64_t described_at;           // cycle in which the last run was handed over
    VEC(int64_t) used;              // per beat: cycle of the command that used it
};

// Opens a lane on a channel; with a channel of NULL, a lane that reads rill_weight_store. kernel: the engine's kernel.
// Returns false if the engine's walker or the walker's schedule cannot be simulated.
bool lane_init(struct sim *, struct lane *, int kernel, const struct ir_engine *, struct sim_channel *);
// Requests all runs of the engine's lanes, and takes all beats of this lane, whose cycles are known.
void lane_advance(struct sim *, struct lane *);
// Raises *from to the first cycle in which a command may use the next beat. Returns false while this is not known.
bool lane_ready(const struct lane *, int64_t *from);
// Notes that a command uses the next beat in cycle `at`.
void lane_use(struct sim *, struct lane *, int64_t at);

#endif
