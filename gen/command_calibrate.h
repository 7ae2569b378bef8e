// SPDX-License-Identifier: Apache-2.0
// `--calibrate`, `--calibrate-tokens`, `--statistics` of the commands that quantize weights.
#ifndef RILL_COMMAND_CALIBRATE_H
#define RILL_COMMAND_CALIBRATE_H

#include "include/calibrate.h"
#include "include/tokenizer.h"

#define CALIBRATE_USAGE                                                                                                \
    "  --calibrate TEXTFILE  int4 weights by what they are multiplied with: a text as the model will meet it\n"        \
    "  --calibrate-tokens N  of its beginning (default 4096)\n"                                                        \
    "  --statistics FILE     what was measured: written with --calibrate, else read\n"

struct calibrate_options {
    const char *text, *statistics;
    int64_t tokens; // 0: not given
};

// An option of the command and its value; false: it is none of these, or after a message.
bool calibrate_option(const char *command, const char *option, const char *value, struct calibrate_options *);
const char *calibrate_clash(const struct calibrate_options *); // what does not go together; NULL: nothing
static inline bool calibrate_asked(const struct calibrate_options *o) { return o->text || o->statistics; }

// What the options ask for. NULL after an error.
struct calibrate_run {
    const struct calibrate_options *options;
    const char *spec; // its path, for messages
    const struct oracle_graph *graph;
    struct checkpoint *checkpoint;
    const struct tokenizer *tokenizer;
};
const struct statistics *calibrate_run(const struct calibrate_run *, struct arena *, struct diag *);

#endif
