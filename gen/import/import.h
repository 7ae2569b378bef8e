// SPDX-License-Identifier: Apache-2.0
// A checkpoint to a spec: the family that is for it, what it says, what is assumed where it is silent. docs/models.md.
#ifndef RILL_IMPORT_H
#define RILL_IMPORT_H

#include "gen/device/device.h"
#include "gen/spec/family.h"

struct import_options {
    const char *source; // folder with config.json, or a GGUF file
    const char *family; // a family's file or name; NULL: the installation's that is for the checkpoint
    const char *board;  // a board's file or name
    const char *name;   // of the design; NULL: made of the source's name and the board's
    int64_t context;    // 0: the family's, at most what was trained for
};

struct import {
    struct import_options o;
    const char *kind, *name;
    const char *family_word, *board_word; // as the spec says them: whole paths, until it has a place
    struct family *family;
    struct family_values *values;
    struct rill_device *device;
    struct arena *arena;
    bool tokenizer; // there is one
    int64_t begins; // id that it puts in front of a text, -1: none
};

// The design's keys that depend on the board.
struct import_design {
    int channels, lanes, tokens, copies, beat_bits;
    int unroll;         // 0: every kernel has `lanes`
    int prefetch_beats; // 0: the default of `design.prefetch_beats`
    bool wide_rows;     // embedding: int16
    int dies;           // over which it is spread; 0: the spec does not say
    bool fits;          // the board, by estimate
    const char *beyond; // of a board with several dies: what is beyond their limits, NULL: nothing
    int fewer_channels; // with these it is within them, 0: not tried, or not with these either
};

// NULL after reporting: a source that is none, no family for it, what the family does not compute, an unknown board.
struct import *import_read(const struct import_options *, struct arena *, struct diag *);
// What the checkpoint's tokenizer puts in front of a text, -1: nothing: the id is the spec's `bos`.
void import_begin(struct import *, int64_t begins);
// The spec will stand in this folder: it calls files of the user's from there.
void import_place(struct import *, const char *dir);
// The spec. False after reporting.
bool import_spec(const struct import *, const struct import_design *, struct text *out, struct diag *);
// Where the id that begins a text is from, in words.
const char *import_begin_words(const struct import *);
// What was read, what was assumed, what nobody asked for, and the design, for people.
void import_table(const struct import *, const struct import_design *, struct text *out);

#endif
