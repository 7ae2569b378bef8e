// SPDX-License-Identifier: Apache-2.0
// What the columns of each matrix are multiplied with, measured on a text: the mean square of each, in floating point,
// by the oracle. Weights are quantized so that what counts much is near (gen/numerics/quantize.h).
#ifndef RILL_CALIBRATE_H
#define RILL_CALIBRATE_H

#include "gen/reference/oracle.h"

struct statistics;

enum { CALIBRATE_TOKENS = 4096, CALIBRATE_WINDOW = 256 }; // presets; positions that a token may look back

struct calibration {
    const uint32_t *ids; // in windows that are run each from its start
    size_t count;
    int64_t window;
    const char *from; // what the text is called, for the file
    void (*progress)(int64_t done, int64_t all);
};

// Runs a language model over the ids. NULL after an error.
struct statistics *statistics_collect(struct arena *, const struct oracle_graph *, struct checkpoint *,
                                      const struct calibration *, struct diag *);

// Mean squares [k] of what is multiplied with these rows of a tensor, by its name in the graph; NULL: there are none.
// statistics may be NULL.
const float *statistics_of(const struct statistics *, const char *tensor, int64_t rows, int64_t row_offset, int64_t k);
// Weights that are quantized for the oracle are quantized by them from now on.
void oracle_use_statistics(struct oracle_graph *, const struct statistics *);

// Text and tokens, for people.
const char *statistics_about(const struct statistics *, struct arena *);

// As JSON, and back: false after reporting a file that is none, or is of another checkpoint or another graph. Formats,
// groups and the context may differ.
void statistics_write(const struct statistics *, struct text *);
struct statistics *statistics_read(struct arena *, const char *path, const struct oracle_graph *, struct checkpoint *,
                                   struct diag *);

#endif
