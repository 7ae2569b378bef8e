// SPDX-License-Identifier: Apache-2.0
// Timing of one pseudo-channel's DRAM.
#include "hbm_bank.h"

// The published figures: idle read latency 107 / 122 / 138 ns by page state, 13.27 of 14.4 GB/s sustained with refresh
// every 3.9 us, 2.4 GB/s for 32 B at 4 KB stride (which meets four banks in turn: 4 * 32 B per row cycle).
struct hbm_timing hbm_timing_default(void) {
    return (struct hbm_timing){
        .atom = 2222,
        .latency = 107000,
        .activate = 15000,
        .precharge = 16000,
        .row_cycle = 49000,
        .read_to_write = 7000,
        .write_to_read = 15000,
        .write_response = 40000,
        .refresh_interval = 3900000,
        .refresh = 291000,
        .jitter = 60000,
    };
}

void hbm_banks_init(struct hbm_banks *banks, const struct hbm_timing *timing) {
    *banks = (struct hbm_banks){.next_refresh = timing->refresh_interval};
}

static uint64_t max_time(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Row, bank group, bank, column, bank group: [.. row 14][13 group][12:11 bank][10:6 column][5 group][4:0 byte].
static int bank_of(uint64_t offset) { return (int)((offset >> 11 & 7) << 1 | (offset >> 5 & 1)); }

static uint64_t row_of(uint64_t offset) { return offset >> 14; }

// Refreshes that are due before the next data: the bus pauses and every bank closes.
static void refresh_due(struct hbm_banks *banks, const struct hbm_timing *timing, uint64_t arrival) {
    while (max_time(banks->bus_free, arrival) >= banks->next_refresh) {
        uint64_t end = banks->next_refresh + timing->refresh;
        for (int i = 0; i < HBM_BANKS; i++) {
            banks->bank[i].open = false;
            banks->bank[i].idle_until = end;
        }
        banks->bus_free = max_time(banks->bus_free, end);
        banks->next_refresh += timing->refresh_interval;
    }
}

static void open_row(struct hbm_bank *bank, const struct hbm_timing *timing, uint64_t arrival, uint64_t row,
                     struct hbm_stats *stats) {
    uint64_t start = arrival;
    if (bank->open) {
        start = max_time(arrival, bank->busy_until) + timing->precharge;
        stats->page_misses++;
    } else {
        start = max_time(arrival, bank->idle_until);
        stats->page_closed++;
    }
    if (bank->activated != 0) start = max_time(start, bank->activated + timing->row_cycle);
    bank->open = true;
    bank->row = row;
    bank->activated = start;
    bank->row_ready = start + timing->activate;
}

uint64_t hbm_banks_access(struct hbm_banks *banks, const struct hbm_timing *timing, uint64_t arrival, uint64_t offset,
                          bool is_write, struct hbm_stats *stats) {
    if (is_write != banks->last_was_write) {
        banks->bus_free += is_write ? timing->read_to_write : timing->write_to_read;
        banks->last_was_write = is_write;
    }
    refresh_due(banks, timing, arrival);
    struct hbm_bank *bank = &banks->bank[bank_of(offset)];
    if (bank->open && bank->row == row_of(offset)) stats->page_hits++;
    else open_row(bank, timing, arrival, row_of(offset), stats);
    uint64_t data = max_time(max_time(arrival, banks->bus_free), bank->row_ready);
    banks->bus_free = data + timing->atom;
    bank->busy_until = banks->bus_free;
    return data;
}
