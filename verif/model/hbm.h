// SPDX-License-Identifier: Apache-2.0
// A cycle-level model of HBM pseudo-channels with AXI4 ports, for simulations. It models content, latency by page
// state, bandwidth ceiling, refresh, read/write turnaround, queue limits, seeded jitter and injected errors. There is
// one port per channel, and a port serves requests in order (unless hbm_shuffle was called). Time inside a channel is
// in picoseconds; clock_mhz gives the design's clock. gen/hbm/hbm_bank.h has the timing of the banks.
#ifndef VERIF_HBM_H
#define VERIF_HBM_H

#include "gen/hbm/hbm_bank.h"
#include "gen/base/base.h"

enum {
    HBM_MAX_CHANNELS = 32,
    HBM_MAX_BEAT_BYTES = 64,
    HBM_MAX_BEATS = 256, // beats of an AXI4 burst
    HBM_QUEUE = 32,      // most outstanding bursts of a channel in one direction
};
// Responses of AXI. SLVERR is an injected error or a read of unwritten bytes, DECERR an address outside the channel.
enum hbm_resp { HBM_OKAY = 0, HBM_SLVERR = 2, HBM_DECERR = 3 };

struct hbm_config {
    int channels;
    int first;              // number of the first channel in the address space
    int beat_bytes;         // bytes per beat of the AXI ports
    double clock_mhz;       // the design's clock
    uint64_t channel_bytes; // channel i answers to the addresses of this many bytes from (first + i) * channel_bytes on
    uint64_t seed;          // 0: no jitter
    struct hbm_timing timing;
};

struct hbm;
struct hbm_channel;

// Opens the model in the arena. The memory of the channels is reserved but not touched: untouched bytes read as 0.
// hbm_close frees it. Returns NULL, with the reason in *why, if the reservation fails.
struct hbm *hbm_open(struct arena *arena, const struct hbm_config *config, const char **why);
void hbm_close(struct hbm *hbm);
// Loads a file into a channel from `offset` on. If `offset` is a multiple of the page size, the file is mapped
// copy-on-write; otherwise it is read. Returns NULL, or the reason for a failure: the file cannot be read, or it does
// not fit in the channel.
const char *hbm_load(struct hbm *hbm, int channel, uint64_t offset, const char *path);
// Returns the channel's memory from `offset` on, for the host side; NULL if the range leaves the channel.
uint8_t *hbm_bytes(struct hbm *hbm, int channel, uint64_t offset, uint64_t bytes);
// The observer (may be NULL) is called when the data of a write burst become visible to reads, which is when the
// response is taken. The range is that of the whole burst. Bursts with an error change nothing and are not reported.
typedef void hbm_observer(void *ctx, int channel, uint64_t offset, uint64_t bytes);
void hbm_observe_writes(struct hbm *hbm, hbm_observer *observer, void *ctx);
// Each hbm_inject function plans one fault in a channel. Bursts and beats are counted from the opening of the model. A
// later call of the same function for the channel (and the same is_write) replaces the fault.
//
// The n-th read or write burst (from 0) of a channel gets SLVERR. Such a write changes nothing.
void hbm_inject_error(struct hbm *hbm, int channel, bool is_write, uint64_t n);
// The n-th read burst (from 0) of a channel ends without RLAST.
void hbm_inject_endless(struct hbm *hbm, int channel, uint64_t n);

// Models memory with error correction, which answers an error for bytes that were never written. From now on a read
// beat with such bytes gets SLVERR. A write burst marks the atoms (HBM_ATOM_BYTES) that it covers completely.
// hbm_mark_written does the same for the range that the host wrote, and nothing without the guard. Returns false if
// there is no memory for the marks.
bool hbm_guard_unwritten(struct hbm *hbm);
void hbm_mark_written(struct hbm *hbm, int channel, uint64_t offset, uint64_t bytes);
// The n-th read beat (from 0) of a channel gets SLVERR.
void hbm_inject_beat_error(struct hbm *hbm, int channel, uint64_t n);
// The data of the n-th read burst (from 0) of a channel come `cycles` later than they would.
void hbm_inject_delay(struct hbm *hbm, int channel, uint64_t n, uint64_t cycles);
// Reorders bursts and responses of different ids at random; bursts of one id stay in order. Without a seed (0) it has
// no effect.
void hbm_shuffle(struct hbm *hbm);
// Drops all outstanding bursts, as when the FPGA around the memory is reconfigured. The content stays.
void hbm_reset(struct hbm *hbm);

// Advances by one design clock. Everything below happens at the current clock edge.
void hbm_tick(struct hbm *hbm);
// Lets `halves` half periods of the design's clock pass without an edge. The memory has a separate clock, so it goes on
// working.
void hbm_pause(struct hbm *hbm, uint32_t halves);
uint64_t hbm_cycle(const struct hbm *hbm); // number of calls of hbm_tick
struct hbm_stats hbm_stats(const struct hbm *hbm, int channel);
uint64_t hbm_beats(const struct hbm *hbm); // beats read and written by all channels, to detect a standstill
bool hbm_quiet(const struct hbm *hbm);     // nothing outstanding on any channel

// ---- one port; called from the AXI module ----
struct hbm_channel *hbm_channel(struct hbm *hbm, int channel); // NULL if there is no such channel
// Accepts a burst of `beats` full-width beats from a byte address on, with the AXI id `id`. Call only when there is
// room (hbm_read_room, hbm_write_room): a full queue ends the program. Returns the number of native bursts (hbm_bank.h)
// into which the burst is divided.
int hbm_accept_read(struct hbm_channel *ch, uint64_t address, int beats, int id);
int hbm_accept_write(struct hbm_channel *ch, uint64_t address, int beats, int id);
int hbm_ids(const struct hbm_channel *ch); // native bursts that may be in flight per direction
// Return whether a further burst can be accepted: the queue has a place, and fewer than hbm_ids native bursts are in
// flight.
bool hbm_read_room(const struct hbm_channel *ch);
bool hbm_write_room(const struct hbm_channel *ch);
// Takes the next read beat with its data. Returns 0 if it was taken, n > 0 if no beat is ready before n cycles from
// now, and -1 if no read burst is outstanding.
struct hbm_beat { // a read beat without its data, or a write response
    int id;       // AXI id of the burst
    int resp;     // enum hbm_resp
    bool last;
    int natives; // in the last beat: native bursts that the burst releases
};
int hbm_take_read(struct hbm_channel *ch, uint8_t data[], struct hbm_beat *beat);
// Gives the next beat of data to the oldest accepted write burst whose data are not complete. Without such a burst, the
// program ends. strobe: bit i is 1 if byte i is written.
void hbm_give_write(struct hbm_channel *ch, const uint8_t data[], uint64_t strobe);
// Takes the next write response, and stores the data of its burst. Returns the same values as hbm_take_read; -1: no
// write burst has all its data.
int hbm_take_response(struct hbm_channel *ch, struct hbm_beat *beat);
// Returns for how many cycles a ready signal stays low after a handshake, drawn at random; 0 without a seed.
int hbm_draw_stall(struct hbm_channel *ch);

#endif
