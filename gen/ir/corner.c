// SPDX-License-Identifier: Apache-2.0
// Corner turns: finds how the elements of a tensor are spread over banks, so that the writer and the reader, which walk
// along different dimensions, both move a whole word per cycle (gen/ir/itensor.h).
#include "gen/ir/itensor.h"

enum { MOST_LANES = 32 }; // most elements of a word, and banks

// Returns the number of elements that the reader takes in one round.
static int64_t all_trips(const struct itensor_layout *layout) {
    int64_t n = 1;
    for (int l = 0; l < layout->loops; l++) n *= layout->trip[l];
    return n;
}

// Returns by how many banks the reader's place moves from one index of this loop to the next.
// rtl-templates/layout/rill_corner_turn.v adds these numbers up to find the bank of each word.
static int64_t turn_of(const struct itensor_layout *layout, const struct itensor_corner *c, int loop) {
    int64_t stride = layout->stride[loop];
    return stride + (c->period && stride % c->period == 0 ? c->skew * (stride / c->period) : 0);
}

// Checks every word of the reader: its `lanes` elements must be in different banks, and the sum that the reader forms
// (turn_of) must give the bank in which the writer has put the element.
static bool is_free(const struct itensor_layout *layout, const struct itensor_corner *c) {
    int64_t index[ITENSOR_WALK] = {0}, n = all_trips(layout);
    uint32_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t element = 0, sum = 0;
        for (int l = 0; l < layout->loops; l++) {
            element += index[l] * layout->stride[l];
            sum += index[l] * turn_of(layout, c, l);
        }
        int64_t bank = (element + (c->period ? c->skew * (element / c->period) : 0)) % c->lanes;
        if (i % c->lanes == 0) used = 0;
        if (sum % c->lanes != bank || used >> bank & 1) return false;
        used |= 1u << bank;
        for (int l = layout->loops - 1; l >= 0 && ++index[l] == layout->trip[l]; l--) index[l] = 0;
    }
    return true;
}

// Finds a skew for words of c->lanes elements. First tries no skew, then every skew whose period is the stride of a
// loop of the reader. A period must be a multiple of the lanes, so that it is a whole number of the writer's words.
static bool find_skew(const struct itensor_layout *layout, struct itensor_corner *c) {
    c->period = c->skew = 0;
    if (is_free(layout, c)) return true;
    for (int l = 0; l < layout->loops; l++) {
        c->period = layout->stride[l];
        if (c->period == 0 || c->period % c->lanes) continue;
        for (c->skew = 1; c->skew < c->lanes; c->skew++)
            if (is_free(layout, c)) return true;
    }
    return false;
}

bool itensor_corner(const struct itensor_layout *layout, int64_t most, struct itensor_corner *c) {
    *c = (struct itensor_corner){.lanes = MOST_LANES};
    while (c->lanes > most) c->lanes /= 2;
    for (; c->lanes > 1; c->lanes /= 2) {
        // With several rounds, each round must begin at the first part of a word on both sides.
        bool whole = layout->buffer % c->lanes == 0 && all_trips(layout) % c->lanes == 0;
        if ((layout->rounds == 1 || whole) && layout->buffer >= c->lanes && find_skew(layout, c)) return true;
    }
    return false;
}
