// SPDX-License-Identifier: Apache-2.0
// Passes the calls of the Verilated memory ports to the memory model (hbm.h). Packs its results as hbm_dpi.h says.
#include "verif/model/hbm_dpi.h"

// The only state outside the model itself: the model and its beat size, set by hbm_dpi_bind.
static struct {
    struct hbm *hbm;
    int beat_bytes;
} bound;

void hbm_dpi_bind(struct hbm *hbm, int beat_bytes) {
    bound.hbm = hbm;
    bound.beat_bytes = beat_bytes;
}

void *rill_hbm_port(int port, int beat_bytes) {
    if (bound.hbm == NULL) base_fatal("memory port %d: no HBM model is bound", port);
    if (beat_bytes != bound.beat_bytes)
        base_fatal("memory port %d has beats of %d bytes, the design's are %d", port, beat_bytes, bound.beat_bytes);
    struct hbm_channel *ch = hbm_channel(bound.hbm, port);
    if (ch == NULL) base_fatal("memory port %d: the HBM model has no such channel", port);
    return ch;
}

int rill_hbm_ids(void *ch) { return hbm_ids(ch); }

int rill_hbm_read(void *ch, long long address, int beats, int id) {
    int natives = hbm_accept_read(ch, (uint64_t)address, beats, id);
    return natives << 8 | hbm_draw_stall(ch);
}

int rill_hbm_write(void *ch, long long address, int beats, int id) {
    int natives = hbm_accept_write(ch, (uint64_t)address, beats, id);
    return natives << 8 | hbm_draw_stall(ch);
}

static int meta_word(const struct hbm_beat *beat) {
    return beat->natives << 19 | (beat->last ? 1 << 18 : 0) | beat->resp << 16 | (beat->id & 0xffff);
}

int rill_hbm_take_read(void *ch, uint32_t *data, int *meta) {
    struct hbm_beat beat = {0};
    int wait = hbm_take_read(ch, (uint8_t *)data, &beat);
    *meta = meta_word(&beat);
    return wait;
}

int rill_hbm_give_write(void *ch, const uint32_t *data, long long strobe) {
    hbm_give_write(ch, (const uint8_t *)data, (uint64_t)strobe);
    return hbm_draw_stall(ch);
}

int rill_hbm_take_response(void *ch, int *meta) {
    struct hbm_beat beat = {0};
    int wait = hbm_take_response(ch, &beat);
    *meta = meta_word(&beat);
    return wait;
}
