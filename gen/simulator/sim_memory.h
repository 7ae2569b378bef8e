// SPDX-License-Identifier: Apache-2.0
// Internal to the simulator of simulate.h: a memory channel, its read arbiter and write engine, and the DMA engines of
// its clients. The functions are declared in sim_actor.h, section memory. All times are cycles.
#ifndef RILL_TIMING_SIM_MEMORY_H
#define RILL_TIMING_SIM_MEMORY_H

#include "gen/hbm/hbm_bank.h" // the simulation and the forecast share one memory model
#include "gen/base/base.h"
#include "gen/simulator/simulate.h"

// The memory of one channel. Accesses come in the order of their times.
struct sim_memory {
    struct timing_memory figure;
    struct hbm_timing timing;
    struct hbm_banks banks;
    int64_t beat_bytes;
};

// A descriptor: `beats` beats from byte `address` on, handed over in cycle `at`.
struct sim_run {
    int64_t at, address, beats;
    int64_t end;    // cycle in which its last burst was issued or, in rill_weight_store, its last beat was read
    int64_t bursts; // bursts of this run and of all before it
};

// A client of a channel with its DMA engine: a rill_dma_read, or the client's part of the channel's rill_dma_write.
struct sim_client {
    struct sim_channel *channel; // NULL if is_stored
    int kernel;                  // kernel that is woken when the memory has answered
    int index;                   // index in ir->client; -1: a lane. Arbiters serve clients in this order
    bool is_write;
    bool is_stored;      // a lane of rill_weight_store, which takes descriptors as a DMA engine does
    bool counted;        // writes: matrix engines wait for its responses (rill_write_tracker)
    int64_t burst;       // maximum beats of a burst
    int64_t buffer;      // beats that the buffer holds (writes: beats that may be offered ahead)
    int64_t outstanding; // maximum bursts in flight
    int64_t given;       // with is_stored: beats of all runs before the present one
    VEC(struct sim_run) run;
    int64_t cut;           // runs that have been cut completely into bursts
    int64_t address, left; // byte address of the next burst; beats of the present run that are not cut yet
    int64_t bursts;        // bursts that were cut so far
    int64_t requested;     // beats asked for so far
    int64_t issued;        // cycle of the last burst
    VEC(int64_t) beat;     // reads: cycle of arrival; writes: cycle of the offer
    VEC(int64_t) taken;    // per beat: cycle in which it left the read buffer or entered the write engine's buffer
    VEC(int64_t) over;     // per burst: cycle in which its last beat, or its response, arrived
    // waits: a burst of `beats` beats waits at the arbiter, or a beat at the write engine, from cycle `at` on. granted,
    // granted_before: cycles of the client's last two grants.
    bool waits;
    int64_t at, beats, granted, granted_before;
};

struct sim_access { // a burst, or a written beat, that the memory can access from cycle `at` on
    int64_t at, address, beats;
    struct sim_client *client;
};

enum { SIM_QUEUE = 32 /* bursts that a channel holds per direction */ };

struct sim_waiting { // clients with a burst at the arbiter, or a beat at the write engine; in no order
    VEC(struct sim_client *) client;
};

struct sim_reads { // the read arbiter of a channel
    struct sim_waiting waiting;
    // First cycle in which the arbiter's register can take a burst: the memory has taken the previous one.
    int64_t free;
    struct sim_access held;  // burst in the register until `free`; none if it has no client
    int last;                // index of the client of the last grant
    int64_t bursts;          // bursts that the memory took so far
    int64_t beat;            // cycle of the last beat at the port
    int64_t over[SIM_QUEUE]; // per burst, modulo SIM_QUEUE: cycle in which its last beat was read
    int taken[SIM_QUEUE];    // per burst, modulo SIM_QUEUE: ids of the controller that the burst uses
    int64_t ended, ids;      // bursts that were over at the last grant; ids of the bursts after them
};

// The rill_dma_write of a channel, in which each beat is a burst: whose turn it is, and the cycles of the latest beats.
struct sim_writes {
    struct sim_waiting waiting;
    bool alone;                         // the channel has at most one writing client, which always has the turn
    struct sim_client *turn;            // the client whose turn it is; NULL: no client has had a turn yet
    int last;                           // index of the last client that got the turn
    int64_t since;                      // cycle from which `turn` has the turn
    int64_t buffer;                     // beats that the buffer holds
    int64_t most;                       // most beats without a response for which the memory has ids
    int64_t taken, addressed, answered; // beats so far: entered the buffer, addressed at the memory, answered
    // Per beat, modulo SIM_QUEUE: cycle of each of these events; sent: the beat itself follows its address.
    int64_t taken_at[SIM_QUEUE], addressed_at[SIM_QUEUE], sent_at[SIM_QUEUE], answered_at[SIM_QUEUE];
    struct sim_access held[SIM_QUEUE]; // beats in the buffer
};

struct sim;

// One simulated channel of the board. All channels of an engine do the same for the engine, so only its first channel
// is simulated. Another channel is simulated only if other clients use it.
struct sim_channel {
    int index; // number of the channel on the board
    struct sim_memory memory;
    VEC(struct sim_client *) client; // all clients of the channel that are open
    bool known;                      // whether the next event is known; its time is `next`, INT64_MAX if there is none
    int64_t next;
    void (*what)(struct sim *, struct sim_channel *, int64_t at); // makes the event at `next`
    struct sim_reads read;
    struct sim_writes write;
    VEC(struct sim_access) access; // writes that have not reached the banks, oldest first from `accessed` on
    size_t accessed;
};

#endif
