// SPDX-License-Identifier: Apache-2.0
// The functions that rill_probe.sv, rill_fifo_probe.sv and rill_contract_probe.sv import, and that the other probes of
// tests/fuzz/precompiled call. They report to one run, which probe_dpi_bind (sim_internal.h) sets before the first
// evaluation of the model. In all functions `id` is the number of an edge in the design's kernel graph, or for
// rill_contract_* of a kernel. An edge that the design does not have ends the program. Flags are 0 or 1.
#ifndef VERIF_PROBE_DPI_H
#define VERIF_PROBE_DPI_H

#include <stdint.h>

// rill_probe.sv calls this at the start. Returns whether the beats of the stream are wanted. data_bits: width of tdata;
// a width other than the stream's ends the program.
int rill_probe_open(int id, int data_bits);
// Called for each beat as long as they are wanted. data: tdata in 32-bit words, low first. user, last, count: the
// values of tuser, tlast and tcount, or 0 if the stream does not have them. Return whether further beats are wanted.
// The three functions differ only in the width of data: 64, 544 or 1,088 bits.
int rill_probe_beat64(int id, const uint32_t *data, int user, int last, int count);
int rill_probe_beat544(int id, const uint32_t *data, int user, int last, int count);
int rill_probe_beat(int id, const uint32_t *data, int user, int last, int count);
// Called at the end, or after every change. beats: all beats so far, also those that were not wanted. stalls: cycles in
// which a word was offered and not taken.
void rill_probe_state(int id, int tvalid, int tready, long long beats, long long stalls);
// Called in every cycle of the kernel's reset.
void rill_contract_reset(int id);
// Called in every other cycle in which a stream of a custom kernel offers a word. in_*: bit i is the signal of input i.
// beside: the kernel need not wait for other inputs (struct contract_pins in contracts.h).
void rill_contract_cycle(int id, int in_tvalid, int in_tready, int in_tok_last, int beside, int out_tvalid,
                         int out_tready);
// rill_fifo_probe.sv calls this at the start. Returns whether every change of the fill is wanted.
int rill_fifo_open(int id);
// Called at each new high-water mark, at each change of the fill if these are wanted, and at the end, or at every
// change of the fill. Numbers are words. high_water: the largest fill since the FIFO's last reset.
void rill_fifo_state(int id, int depth, int occupancy, int high_water);

#endif
