// SPDX-License-Identifier: Apache-2.0
// The functions that rill_probe.sv, rill_fifo_probe.sv and rill_contract_probe.sv import. They report to one run, which
// probe_dpi_bind sets before the first evaluation of the model.
#ifndef VERIF_PROBE_DPI_H
#define VERIF_PROBE_DPI_H

#include <stdint.h>

// id: edge number; for rill_contract_*, kernel number. data: 32-bit words, low first. rill_fifo_open returns whether
// every change of the fill is wanted. rill_probe_open and rill_probe_beat* return 0 if no (further) beats are needed.
// The three rill_probe_beat* differ only in the width of data: 64, 544 or 1,088 bits.
int rill_probe_open(int id, int data_bits);
int rill_probe_beat64(int id, const uint32_t *data, int user, int last, int count);
int rill_probe_beat544(int id, const uint32_t *data, int user, int last, int count);
int rill_probe_beat(int id, const uint32_t *data, int user, int last, int count);
void rill_probe_state(int id, int tvalid, int tready, long long beats, long long stalls);
void rill_contract_reset(int id);
void rill_contract_cycle(int id, int in_tvalid, int in_tready, int in_tok_last, int beside, int out_tvalid,
                         int out_tready);
int rill_fifo_open(int id);
void rill_fifo_state(int id, int depth, int occupancy, int high_water);

#endif
