// SPDX-License-Identifier: Apache-2.0
// The figures of a board's memory, in one table. The keys of `hbm:` in a board file, the options `--hbm KEY=VALUE`, the
// copy of the figures in design.yaml, and the lists in the usage text and docs/boards.md are generated from the table.
// The memory model (verif/model), the forecast and the lower bound use no other figures of the memory.
#ifndef RILL_HBM_FIGURES_H
#define RILL_HBM_FIGURES_H

#include <stdbool.h>

#include "gen/base/base.h"

// F(type, key, low, high, preset, unit, text). The preset is the value if a board file lacks the key. A preset below 0
// means that a board file must have the key. HBM_LIMIT means in addition that the memory model does not use the figure
// and `--hbm` cannot override it. A channel is a pseudo-channel.
enum { HBM_NEEDED = -1, HBM_LIMIT = -2 };
#define HBM_FIGURES(F)                                                                                                 \
    F(int, channels, 1, 64, HBM_LIMIT, "", "channels of the memory, the limit of `design.channels`")                   \
    F(int, channel_mbytes, 1, 65536, HBM_LIMIT, "MiB", "size of a channel in MiB, the limit of its part of the image") \
    F(double, peak_gbs, 0.1, 1000, HBM_NEEDED, "GB/s", "peak rate of a channel (10^9 bytes/s)")                        \
    F(double, sustained_gbs, 0.1, 1000, HBM_NEEDED, "GB/s", "highest rate of sequential reads, refresh included")      \
    F(int, port_bits, 32, 1024, HBM_NEEDED, "bits", "width of the memory controller's own port, a power of two")       \
    F(double, port_mhz, 1, 2000, HBM_NEEDED, "MHz", "clock of that port. Width times clock limits the rate too")       \
    F(int, port_burst, 1, 256, HBM_NEEDED, "beats",                                                                    \
      "longest burst of that port. A longer burst of a design counts as several bursts in flight")                     \
    F(int, ids, 1, 4096, HBM_NEEDED, "", "bursts in flight on that port, for reads and for writes each")               \
    F(double, latency_hit_ns, 0, 20000, HBM_NEEDED, "ns", "read latency of an idle memory, row already open")          \
    F(double, latency_closed_ns, 0, 20000, HBM_NEEDED, "ns", "the same, no row open in the bank")                      \
    F(double, latency_miss_ns, 0, 20000, HBM_NEEDED, "ns", "the same, another row open in the bank")                   \
    F(double, row_cycle_ns, 0, 20000, 49, "ns", "shortest time between two activations of a bank")                     \
    F(double, read_to_write_ns, 0, 20000, 7, "ns", "idle time of the bus from a read to a write")                      \
    F(double, write_to_read_ns, 0, 20000, 15, "ns", "idle time of the bus from a write to a read")                     \
    F(double, write_response_ns, 0, 20000, 40, "ns", "time from the end of a write's data to its response")            \
    F(double, refresh_interval_ns, 100, 1000000, HBM_NEEDED, "ns", "time from one refresh to the next")                \
    F(double, refresh_ns, 0, 500000, HBM_NEEDED, "ns", "time for which a refresh closes all banks")                    \
    F(double, jitter_ns, 0, 20000, 60, "ns", "largest random delay of a read burst, in simulations with `--seed`")

#define HBM_MEMBER(type, key, low, high, preset, unit, text) type key;
struct hbm_figures {
    HBM_FIGURES(HBM_MEMBER)
};
#undef HBM_MEMBER

// A contradiction between figures: no memory could have all of them.
struct hbm_fault {
    const char *key, *what; // key: the figure to change; what: says what is wrong
    double nearest;         // the nearest legal value of the key
};
enum { HBM_MAX_FAULTS = 5 };
// Finds the contradictions and returns their number; 0: the figures agree.
int hbm_figures_faults(struct arena *, const struct hbm_figures *, struct hbm_fault[HBM_MAX_FAULTS]);

// Applies one override, KEY=VALUE. Returns NULL, or a text that says what is wrong with this override. Contradictions
// with other figures are not checked.
const char *hbm_figures_set(struct arena *, struct hbm_figures *, const char *key_value);
// Applies a list of overrides that ends with NULL. Returns NULL, or a text that says what is wrong with one of them or
// with the resulting figures together.
const char *hbm_figures_override(struct arena *, struct hbm_figures *, const char *const *key_value);
// Prints the table as rows of Markdown (docs/boards.md), or as text with one line per key: key, range, unit, meaning.
// The text has only the keys that `--hbm` can override.
void hbm_figures_list(FILE *, bool markdown);

// hbm_figures_rate returns the long-run rate of sequential reads of a channel in GB/s, which no sequence of accesses
// exceeds. hbm_figures_pause_ns returns the time in ns that the bus idles because of a refresh.
double hbm_figures_rate(const struct hbm_figures *);
double hbm_figures_pause_ns(const struct hbm_figures *);
// The rate of one channel as a share of two rates: the peak of its pins, and the sustained rate of sequential reads. A
// share of 1 is the whole rate. hbm_figures_share calculates both from the bytes that the channel moved in a time; they
// are 0 if the time is 0. It is the only function that calculates a share of the memory's rate, so that all reports
// agree.
struct hbm_share {
    double peak, sustained;
};
struct hbm_share hbm_figures_share(const struct hbm_figures *, double bytes, double seconds);
// Returns a text of this form: "90.0 % of the peak 14.40 GB/s, 97.6 % of the sustained 13.28".
const char *hbm_figures_share_text(struct arena *, const struct hbm_figures *, struct hbm_share);
// Returns the bus time of 32 bytes in ns. The slowest of three rates determines it: the pins, the port, and the
// sustained rate between refreshes.
double hbm_figures_atom_ns(const struct hbm_figures *);

#endif
