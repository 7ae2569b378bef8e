// SPDX-License-Identifier: Apache-2.0
// `rill import` of a checkpoint: finds the family that fits it, reads the values of the family's parameters, assumes
// the rest, and writes a spec (docs/models.md). gen/onnx imports ONNX files instead.
#ifndef RILL_IMPORT_H
#define RILL_IMPORT_H

#include "gen/device/device.h"
#include "gen/spec/family.h"

struct import_options {
    const char *source; // folder with config.json, or a GGUF file
    const char *family; // file or name of a family; NULL: the family of the installation that fits the checkpoint
    const char *board;  // file or name of a board
    const char *name;   // of the design; NULL: derived from the names of the source and the board
    int weights;        // format of the weights (enum spec_format in gen/spec/choices.h)
    int64_t context;    // positions; 0: the family's default, limited to what the model was trained for
    bool quick;         // does not search for a design: takes half of the board's channels and one clock
    bool single_rate;   // searches only designs whose beats do not cross from die to die in halves
};

// A checkpoint that was read. Everything belongs to `arena`.
struct import {
    struct import_options o;
    const char *kind, *name; // kind of the checkpoint, such as `model_type` in config.json; name of the design
    // Names or files for the spec. The paths of files are absolute until import_place is called.
    const char *family_word, *board_word;
    struct family *family;
    struct family_values *values; // values of the family's parameters
    struct rill_device *device;   // the board
    struct arena *arena;
    bool tokenizer; // the checkpoint has a tokenizer
    int64_t begins; // id that the tokenizer puts before a text; -1: none
};

// The estimated speed of a request with `prompt` prompt tokens and `tokens` generated tokens.
struct import_speed {
    int64_t prompt, tokens;
    double tokens_s, ttft_ms; // 0: not estimated
};

// The design keys that depend on the board.
struct import_design {
    // All at least 1. tokens and copies are the values of `T` and `A`.
    int channels, lanes, tokens, copies, beat_bits;
    int pump;           // 0: left out of the spec
    int unroll;         // 0: every kernel has `lanes`
    int query_heads;    // query heads that share reads of keys and values; 0: left out of the spec
    int prefetch_beats; // 0: the default of `design.prefetch_beats`
    bool wide_rows;     // the embedding has 16-bit elements (`embedding: int16`)
    int dies;           // dies to spread the design over; 0: left out of the spec
    bool halves;        // the design sends beats between dies in halves
    bool fits;          // the design fits the board, by estimate
    const char *beyond; // if it does not fit: what exceeds the limits
    struct import_speed speed;
    const struct import_design *other; // other designs that the search found within the limits, by estimate
    int others;
};

// Reads the checkpoint's configuration and finds its family and the board. Returns NULL after an error, for example if
// the source is no checkpoint, no family fits it, the family does not support one of its features, or the board is
// unknown.
struct import *import_read(const struct import_options *, struct arena *, struct diag *);
// Notes that the checkpoint has a tokenizer. begins: the id that the tokenizer puts before a text, which becomes the
// spec's `bos`; -1: none.
void import_begin(struct import *, int64_t begins);
// Makes the paths of user files relative to this folder, in which the spec will be stored.
void import_place(struct import *, const char *dir);
// Appends the text of the spec to `out`. Returns false after an error.
bool import_spec(const struct import *, const struct import_design *, struct text *out, struct diag *);
const char *import_weights(const struct import *); // the format of the weights that the spec has
// Returns words that say where the id that begins a text comes from.
const char *import_begin_words(const struct import *);
// Appends a table for the user: values that were read, values that were assumed, keys that were not used, the design.
void import_table(const struct import *, const struct import_design *, struct text *out);

#endif
