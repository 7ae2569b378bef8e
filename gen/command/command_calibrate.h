// SPDX-License-Identifier: Apache-2.0
// The options `--calibrate`, `--calibrate-tokens` and `--statistics`, for commands that quantize weights (`rill pack`,
// `rill golden`). Calibration measures how large the operands of the products are on a text, so that int4 weights can
// be rounded with the least effect on the results.
#ifndef RILL_COMMAND_CALIBRATE_H
#define RILL_COMMAND_CALIBRATE_H

#include "gen/reference/calibrate.h"
#include "gen/options/options.h"
#include "gen/model/tokenizer.h"

struct calibrate_options {
    const char *text, *statistics; // paths, or NULL
    int64_t tokens;                // most tokens of the text; 0: not given, which means CALIBRATE_TOKENS
};

extern const struct option_row calibrate_rows[];
static inline bool calibrate_asked(const struct calibrate_options *o) { return o->text || o->statistics; }

struct calibrate_run { // a model whose statistics are wanted
    const struct calibrate_options *options;
    const char *spec; // path of the spec, for messages
    const struct oracle_graph *graph;
    struct checkpoint *checkpoint;
    const struct tokenizer *tokenizer;
};
// Measures the statistics on the text, and writes them to the file `statistics` if that is given as well, or without a
// text reads them from this file. Call it only if calibrate_asked is true. Returns NULL after an error, for example if
// the graph is not a language model.
const struct statistics *calibrate_run(const struct calibrate_run *, struct arena *, struct diag *);

#endif
