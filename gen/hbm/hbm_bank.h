// SPDX-License-Identifier: Apache-2.0
// Timing of one pseudo-channel's DRAM: banks, rows, the shared data bus, refresh. No content, no queues.
#ifndef RILL_HBM_BANK_H
#define RILL_HBM_BANK_H

#include "gen/base/base.h"
#include "gen/device/hbm_figures.h"

enum {
    HBM_BANKS = 16,
    HBM_ATOM_BYTES = 32, // native beat
};

// Picoseconds, from the figures of the board (docs/hbm.md).
struct hbm_timing {
    uint64_t atom;                         // data bus time of one native beat
    uint64_t latency;                      // request to data, idle channel, page hit
    uint64_t activate;                     // added when the bank is closed
    uint64_t precharge;                    // added besides when another row is open
    uint64_t row_cycle;                    // between two activations of one bank
    uint64_t read_to_write, write_to_read; // idle bus time
    uint64_t write_response;               // end of the data on the bus to the response
    uint64_t refresh_interval, refresh;    // all banks close
    uint64_t jitter;                       // largest extra latency of a read burst when a seed is set
    int native_bytes;                      // of a native burst; a longer one takes several ids
    int ids;                               // native bursts under way per direction: none is accepted beyond
};
struct hbm_timing hbm_timing_of(const struct hbm_figures *);
int hbm_native_bursts(const struct hbm_timing *, int64_t bytes); // ids that a burst of so many bytes takes

struct hbm_stats {
    uint64_t read_bursts, write_bursts, read_bytes, write_bytes;
    uint64_t page_hits, page_closed, page_misses; // per native beat
};

struct hbm_bank {
    bool open;
    uint64_t row;
    uint64_t activated;  // time of the last activation
    uint64_t row_ready;  // earliest data of the open row
    uint64_t busy_until; // end of its last data on the bus
    uint64_t idle_until; // closed: no activation before
};

struct hbm_banks {
    struct hbm_bank bank[HBM_BANKS];
    uint64_t bus_free;
    uint64_t next_refresh;
    bool last_was_write;
};

void hbm_banks_init(struct hbm_banks *banks, const struct hbm_timing *timing);

// One native beat that may be served from `arrival` on. Returns when its data is on the bus, and counts the page state.
// Calls must come in service order.
uint64_t hbm_banks_access(struct hbm_banks *banks, const struct hbm_timing *timing, uint64_t arrival, uint64_t offset,
                          bool is_write, struct hbm_stats *stats);

#endif
