// SPDX-License-Identifier: Apache-2.0
// Timing of one pseudo-channel's DRAM: banks, rows, the shared data bus, refresh. No content, no queues.
#ifndef VERIF_HBM_BANK_H
#define VERIF_HBM_BANK_H

#include "verif/model/hbm.h"

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
