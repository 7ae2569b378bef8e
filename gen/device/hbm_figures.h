// SPDX-License-Identifier: Apache-2.0
// The figures of a board's memory: one table, from which come the keys of `hbm:` in a board file, the options
// `--hbm KEY=VALUE`, what design.yaml keeps of them, and the lists in usage and docs/boards.md. They are the
// configuration of the memory model (verif/model), of the forecast and of the bound: there are no other ones.
#ifndef RILL_HBM_FIGURES_H
#define RILL_HBM_FIGURES_H

#include <stdbool.h>

#include "gen/base/base.h"

// F(type, key, low, high, preset, unit, text). preset < 0: a board file must have the key; HBM_LIMIT: besides, it is no
// figure of the memory model, and no override. A channel is a pseudo-channel.
enum { HBM_NEEDED = -1, HBM_LIMIT = -2 };
#define HBM_FIGURES(F)                                                                                                 \
    F(int, channels, 1, 64, HBM_LIMIT, "", "channels of the memory, the limit of `design.channels`")                   \
    F(int, channel_mbytes, 1, 65536, HBM_LIMIT, "MiB", "size of a channel in MiB, the limit of its part of the image") \
    F(double, peak_gbs, 0.1, 1000, HBM_NEEDED, "GB/s", "peak rate of a channel (10^9 bytes/s)")                        \
    F(double, sustained_gbs, 0.1, 1000, HBM_NEEDED, "GB/s", "highest rate of sequential reads, refresh included")      \
    F(int, port_bits, 32, 1024, HBM_NEEDED, "bits", "width of the memory controller's own port, a power of two")       \
    F(double, port_mhz, 1, 2000, HBM_NEEDED, "MHz", "clock of that port. Width times clock limits the rate too")       \
    F(int, port_burst, 1, 256, HBM_NEEDED, "beats",                                                                    \
      "longest burst of that port. A longer burst of a design takes several ids")                                      \
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

// Figures that contradict one another: no memory behaves so.
struct hbm_fault {
    const char *key, *what; // what: the whole sentence
    double nearest;         // legal value of the key
};
enum { HBM_MAX_FAULTS = 5 };
int hbm_figures_faults(struct arena *, const struct hbm_figures *, struct hbm_fault[HBM_MAX_FAULTS]); // their number

// One override, KEY=VALUE. NULL, or what is wrong with it alone, with the nearest legal value.
const char *hbm_figures_set(struct arena *, struct hbm_figures *, const char *key_value);
// Several, NULL behind the last. NULL, or what is wrong with one or with all figures together.
const char *hbm_figures_override(struct arena *, struct hbm_figures *, const char *const *key_value);
// The table, a line per key: key, range, unit, what it is; or as rows of Markdown (docs/boards.md).
void hbm_figures_list(FILE *, bool markdown);

// Sequential reads in the long run, GB/s: no stream of accesses is faster. ns: the pause that a refresh makes.
double hbm_figures_rate(const struct hbm_figures *);
double hbm_figures_pause_ns(const struct hbm_figures *);
// What a number of bytes of one channel in a time is of both rates: of the peak of its pins, and of what sequential
// reads sustain. 0 without a time. The only place where a share of the memory's rate is made.
struct hbm_share {
    double peak, sustained;
};
struct hbm_share hbm_figures_share(const struct hbm_figures *, double bytes, double seconds);
// "90.0 % of the peak 14.40 GB/s, 97.6 % of the sustained 13.28"
const char *hbm_figures_share_text(struct arena *, const struct hbm_figures *, struct hbm_share);
// Bus time of 32 bytes, ns: the slowest of pins, port and what is sustained between the refreshes.
double hbm_figures_atom_ns(const struct hbm_figures *);

#endif
