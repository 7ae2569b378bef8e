// SPDX-License-Identifier: Apache-2.0
// Calibration: the oracle runs a text in floating point and measures, for each column of each weight matrix, the mean
// square of the activations with which it is multiplied. Quantization then keeps the error small in the columns that
// meet large activations (gen/numerics/quantize.h).
#ifndef RILL_CALIBRATE_H
#define RILL_CALIBRATE_H

#include "gen/reference/oracle.h"

struct statistics;

// Defaults of the command line: how many tokens of the text are used, and how many tokens a window has. A token attends
// only to the earlier tokens of its window.
enum { CALIBRATE_TOKENS = 4096, CALIBRATE_WINDOW = 256 };

// A calibration text as token ids.
struct calibration {
    const uint32_t *ids;                         // split into windows; each window runs from position 0
    size_t count;                                // number of ids
    int64_t window;                              // tokens of a window
    const char *from;                            // name of the text, which statistics_write stores
    void (*progress)(int64_t done, int64_t all); // in tokens; may be NULL
};

// Runs a language model over the ids and returns the statistics, or NULL after an error.
struct statistics *statistics_collect(struct arena *, const struct oracle_graph *, struct checkpoint *,
                                      const struct calibration *, struct diag *);

// Returns the mean squares [k] of the activations that are multiplied with the `rows` rows from `row_offset` on of a
// weight tensor. tensor: its name, with the repetition in place of `{layer}`. Returns NULL if there are no statistics
// of these rows. The statistics may be NULL.
const float *statistics_of(const struct statistics *, const char *tensor, int64_t rows, int64_t row_offset, int64_t k);
// Makes the oracle quantize the weights that it loads or packs for this graph from now on by these statistics. NULL:
// without statistics. The graph refers to them and does not copy them.
void oracle_use_statistics(struct oracle_graph *, const struct statistics *);

// Returns a text for the user: the name of the calibration text and the number of its tokens.
const char *statistics_about(const struct statistics *, struct arena *);

// Write and read the statistics as JSON. statistics_read reports an error and returns NULL for a file that holds no
// statistics, or that belongs to another checkpoint or graph. Formats, groups and the context may differ.
void statistics_write(const struct statistics *, struct text *);
struct statistics *statistics_read(struct arena *, const char *path, const struct oracle_graph *, struct checkpoint *,
                                   struct diag *);

#endif
