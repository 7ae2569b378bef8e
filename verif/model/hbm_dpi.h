// SPDX-License-Identifier: Apache-2.0
// The functions that verif/model/rill_axi_memory.sv imports, so that a Verilated design uses the memory model (hbm.h).
// rill_hbm_port, which looks up a channel, has no argument for the model, so the model of the run is bound once, before
// the first evaluation of the design.
#ifndef VERIF_HBM_DPI_H
#define VERIF_HBM_DPI_H

#include "verif/model/hbm.h"

#ifdef __cplusplus
extern "C" {
#endif

void hbm_dpi_bind(struct hbm *hbm, int beat_bytes);

// ch is a struct hbm_channel *, which rill_hbm_port returns. That function ends the program with an error if no model
// is bound, or if the model has another beat size or no such channel. Wide vectors are 32-bit words, low first.
// rill_hbm_read and rill_hbm_write accept a burst. They and rill_hbm_give_write return, in the low byte, the cycles for
// which the ready signal then stays low. The bits above this byte are the number of native bursts (gen/hbm/hbm_bank.h)
// of an accepted burst. The take functions return the values of hbm_take_read; *meta is {native bursts that are
// released, last, resp[1:0], id[15:0]}.
void *rill_hbm_port(int port, int beat_bytes);
int rill_hbm_ids(void *ch);
int rill_hbm_read(void *ch, long long address, int beats, int id);
int rill_hbm_write(void *ch, long long address, int beats, int id);
int rill_hbm_take_read(void *ch, uint32_t *data, int *meta);
int rill_hbm_give_write(void *ch, const uint32_t *data, long long strobe);
int rill_hbm_take_response(void *ch, int *meta);

#ifdef __cplusplus
}
#endif

#endif
