// SPDX-License-Identifier: Apache-2.0
// DRAM timing of one pseudo-channel: open rows, refreshes and the data bus. Times are in picoseconds.
#include "gen/hbm/hbm_bank.h"

enum { MOST_NATIVES = 4095 /* limited by a 12-bit field in hbm_dpi.c */ };

static uint64_t ps(double ns) { return (uint64_t)(ns * 1000 + 0.5); }

struct hbm_timing hbm_timing_of(const struct hbm_figures *h) {
    return (struct hbm_timing){
        .atom = ps(hbm_figures_atom_ns(h)),
        .latency = ps(h->latency_hit_ns),
        .activate = ps(h->latency_closed_ns - h->latency_hit_ns),
        .precharge = ps(h->latency_miss_ns - h->latency_closed_ns),
        .row_cycle = ps(h->row_cycle_ns),
        .read_to_write = ps(h->read_to_write_ns),
        .write_to_read = ps(h->write_to_read_ns),
        .write_response = ps(h->write_response_ns),
        .refresh_interval = ps(h->refresh_interval_ns),
        .refresh = ps(h->refresh_ns),
        .jitter = ps(h->jitter_ns),
        .native_bytes = h->port_burst * h->port_bits / 8,
        .ids = h->ids,
    };
}

int hbm_native_bursts(const struct hbm_timing *timing, int64_t bytes) {
    int64_t natives = (bytes + timing->native_bytes - 1) / timing->native_bytes;
    return natives < MOST_NATIVES ? (int)natives : MOST_NATIVES;
}

void hbm_banks_init(struct hbm_banks *banks, const struct hbm_timing *timing) {
    *banks = (struct hbm_banks){.next_refresh = timing->refresh_interval};
}

static uint64_t max_time(uint64_t a, uint64_t b) { return a > b ? a : b; }

// The address map: [.. row 14][13 group][12:11 bank][10:6 column][5 group][4:0 byte]. Bits 13 and 5 are the bank group,
// so consecutive native beats alternate between two groups.
static int bank_of(uint64_t offset) { return (int)((offset >> 11 & 7) << 1 | (offset >> 5 & 1)); }

static uint64_t row_of(uint64_t offset) { return offset >> 14; }

// Performs the refreshes that are due before the next data. During a refresh the bus pauses and every bank closes.
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

// Opens a row in its bank, after closing another row that is open. The activation waits until `row_cycle` has passed
// since the last one of the bank (bank->activated is 0 before the first activation).
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
