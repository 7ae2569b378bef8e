// SPDX-License-Identifier: Apache-2.0
// From a checkpoint to a spec: the family that fits it, the values it gives, and assumptions for the rest
// (docs/models.md).
#ifndef RILL_IMPORT_H
#define RILL_IMPORT_H

#include "gen/device/device.h"
#include "gen/spec/family.h"

struct import_options {
    const char *source; // folder with config.json, or a GGUF file
    const char *family; // file or name of a family; NULL: the family of the installation that fits the checkpoint
    const char *board;  // file or name of a board
    const char *name;   // of the design; NULL: derived from the names of the source and the board
    int weights;        // format of the weights (enum in gen/spec/choices.h)
    int64_t context;    // 0: the family's default, limited to what the model was trained for
    bool quick;         // no search: half of the channels, one clock
    bool single_rate;   // no beats in halves between dies
};

struct import {
    struct import_options o;
    const char *kind, *name;
    // Names for the spec. They are absolute paths until import_place is called.
    const char *family_word, *board_word;
    struct family *family;
    struct family_values *values;
    struct rill_device *device;
    struct arena *arena;
    bool tokenizer; // the checkpoint has a tokenizer
    int64_t begins; // id that the tokenizer puts before a text; -1: none
};

// The speed of a request by estimate.
struct import_speed {
    int64_t prompt, tokens;
    double tokens_s, ttft_ms; // 0: not estimated
};

// The design keys that depend on the board.
struct import_design {
    int channels, lanes, tokens, copies, beat_bits;
    int pump;           // 0: left out of the spec
    int unroll;         // 0: every kernel has `lanes`
    int query_heads;    // 0: left out of the spec
    int prefetch_beats; // 0: the default of `design.prefetch_beats`
    bool wide_rows;     // embedding: int16
    int dies;           // dies to spread the design over; 0: left out of the spec
    bool halves;        // the design sends beats between dies in halves
    bool fits;          // the design fits the board, by estimate
    const char *beyond; // if it does not fit: what exceeds the limits
    struct import_speed speed;
    const struct import_design *other; // other designs that the search found within the limits, by estimate
    int others;
};

// NULL after an error: not a checkpoint, no family for it, a feature that the family does not support, an unknown
// board.
struct import *import_read(const struct import_options *, struct arena *, struct diag *);
// Sets the id that the checkpoint's tokenizer puts before a text, which becomes the spec's `bos`; -1: none.
void import_begin(struct import *, int64_t begins);
// Makes the paths of user files relative to this folder, in which the spec will be stored.
void import_place(struct import *, const char *dir);
// Writes the spec. False after an error.
bool import_spec(const struct import *, const struct import_design *, struct text *out, struct diag *);
const char *import_weights(const struct import *); // the format of the weights that the spec has
// Says in words where the id that begins a text comes from.
const char *import_begin_words(const struct import *);
// Prints a table for the user: what was read, what was assumed, which keys were not used, and the design.
void import_table(const struct import *, const struct import_design *, struct text *out);

#endif
