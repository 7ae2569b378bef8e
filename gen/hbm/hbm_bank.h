// SPDX-License-Identifier: Apache-2.0
// DRAM timing of one pseudo-channel (the memory behind one memory port): banks, rows, the shared data bus and refresh.
// A bank is an array of rows of which one can be open, that is, ready for access. The model stores no data and has no
// queues. Both the memory model of simulations and the forecast use it. Times are in picoseconds from the start.
#ifndef RILL_HBM_BANK_H
#define RILL_HBM_BANK_H

#include "gen/base/base.h"
#include "gen/device/hbm_figures.h"

enum {
    HBM_BANKS = 16,
    HBM_ATOM_BYTES = 32, // bytes of a native beat, the smallest transfer on the data bus
};

// Times in picoseconds, from the board's figures (docs/hbm.md).
struct hbm_timing {
    uint64_t atom;                         // data bus time of one native beat
    uint64_t latency;                      // from request to data, idle channel, page hit
    uint64_t activate;                     // added to the latency when the bank is closed
    uint64_t precharge;                    // added to latency and activate when another row is open
    uint64_t row_cycle;                    // shortest time between two activations of one bank
    uint64_t read_to_write, write_to_read; // idle bus time when the direction changes
    uint64_t write_response;               // from the start of the last native beat on the bus to the response
    uint64_t refresh_interval, refresh;    // from one refresh to the next; length of a refresh, which closes all banks
    uint64_t jitter;                       // with a seed, the memory model lets bursts arrive up to this much later
    int native_bytes;                      // length of a native burst; the controller divides longer bursts into these
    // A burst is accepted while fewer native bursts than this are in flight in its direction. Each of them takes one of
    // the controller's ids, which are not the AXI ids.
    int ids;
};
struct hbm_timing hbm_timing_of(const struct hbm_figures *);
// Returns the number of native bursts into which the controller divides a burst of so many bytes; at most 4095.
int hbm_native_bursts(const struct hbm_timing *, int64_t bytes);

struct hbm_stats { // counts
    uint64_t read_bursts, write_bursts, read_bytes, write_bytes;
    // Per native beat: its row was open, no row of its bank was open, or another row was.
    uint64_t page_hits, page_closed, page_misses;
};

struct hbm_bank {
    bool open;
    uint64_t row;        // the open row
    uint64_t activated;  // time of the last activation (opening of a row); 0: none yet
    uint64_t row_ready;  // earliest time of data from the open row, without the latency
    uint64_t busy_until; // end of the bank's last data on the bus
    uint64_t idle_until; // of a closed bank: end of the last refresh, before which no row can be opened
};

struct hbm_banks {
    struct hbm_bank bank[HBM_BANKS];
    uint64_t bus_free;     // end of the last data, plus the idle time of a change of direction
    uint64_t next_refresh; // time at which the next refresh is due
    bool last_was_write;
};

void hbm_banks_init(struct hbm_banks *banks, const struct hbm_timing *timing);

// Accesses one native beat that may be served from the time `arrival` on. offset: byte address in the pseudo-channel.
// Returns the time at which the beat's data begin on the bus, without `latency`, and counts a page hit, a closed page
// or a page miss in `stats`. Calls must come in the order of service, because each changes the state of the banks and
// the bus.
uint64_t hbm_banks_access(struct hbm_banks *banks, const struct hbm_timing *timing, uint64_t arrival, uint64_t offset,
                          bool is_write, struct hbm_stats *stats);

#endif
