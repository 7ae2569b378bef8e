// SPDX-License-Identifier: Apache-2.0
// Declarations that the report's parts share.
#ifndef RILL_REPORT_PARTS_H
#define RILL_REPORT_PARTS_H

#include "gen/emit/clock.h"
#include "gen/cost/cost.h"

struct report {
    const struct ir *ir;
    int64_t position; // position of the step that the cycles are for
    struct cost_step step;
    struct cost_design cost;
    struct cost_beats beats; // of the slowest engine
    struct cost_bound bound;
    struct cost_rows measured; // empty if the table of measurements is not installed
    const struct clock_model *clock;
};
struct report report_make(const struct ir *, const struct clock_model *);
int64_t report_channel_used(const struct ir *); // bytes used in the fullest memory channel
int64_t report_fifo_bits(const struct ir *);
// Bits of all FIFOs except those of step words and parameters, if they had other depths than in the design.
struct report_uniform {
    int64_t safe;         // bits if every FIFO had the depth of the safe rule
    int64_t deepest, all; // deepest: words of the deepest FIFO; all: bits if all were that deep
};
struct report_uniform report_uniform_depths(const struct ir *);

enum { REPORT_RESOURCES = 5 };
struct report_figure { // one kind of resource
    const char *title, *key;
    bool halves; // counted in halves
    int64_t count;
};
void report_figures(const struct cost_resources *, struct report_figure out[REPORT_RESOURCES]);
void report_count(const struct report_figure *, int width, struct text *out); // right-aligned; a half is printed as .5

struct report_memory { // a FIFO deeper than two words, a buffer of a kernel, or the prefetch FIFOs of an engine
    const char *name;
    struct cost_memory shape;
    struct cost_resources cost; // of the storage alone, without FIFO logic
    int64_t held, room;         // in bits: contents, and capacity of the memory blocks used
};
struct report_memories {
    struct report_memory *item;
    int count, buffers; // buffers first, then FIFOs
};
struct report_memories report_memories_make(const struct ir *);

// Bits that a group holds as emitted: like group->bits, but the FIFOs of its streams have their actual depths instead
// of the safe ones. *fifos: these FIFOs alone.
int64_t report_group_bits(const struct ir *, int group, int64_t *fifos);
void report_resources(const struct report *, struct text *out); // the tables of resources
const char *report_where(const struct report *); // a phrase if the bound depends on the step's positions, else empty
struct hbm_share report_share(const struct report *); // shares of the fullest channel's rates, at the bound
void report_decode(const struct report *, struct text *out);
void report_power(const struct report *, struct text *out); // prints nothing if the board has no power coefficients
void report_power_json(const struct report *, struct text *out);
void report_kernels(const struct report *, struct text *out);
void report_fifos(const struct report *, struct text *out);
// A kernel's contract in a decode step, as in "gelu 38/1": cycles from its first word in to its first word out (- if no
// stream goes through it), and cycles per word.
const char *report_contract(const struct report *, int kernel);
bool report_has_dies(const struct report *);
void report_dies(const struct report *, struct text *out);      // how full the dies are
void report_crossings(const struct report *, struct text *out); // streams between dies, widest first
void report_dies_json(const struct report *, struct text *out);
void report_fit(const struct report *, struct text *out); // estimates next to measurements
void report_fit_json(const struct report *, struct text *out);
// Prints nothing unless the kernel was measured with its parameters.
void report_measured_json(const struct report *, int kernel, struct text *out);
// Whether the clock is modelled, and the modelled clock next to the spec's.
const char *report_clock_says(const struct report *);
void report_clock(const struct report *, struct text *out);
void report_clock_json(const struct report *, struct text *out);
double report_per_weight(const struct cost_format *, int64_t bits);
// Padding: bits that are neither elements nor scales, offsets or biases.
int64_t report_filled(const struct cost_format *);
void report_weights(const struct report *, struct text *out); // prints nothing if the model has no weights
void report_weights_json(const struct report *, struct text *out);
void report_memories(const struct report *, struct text *out);
void report_memories_json(const struct report *, struct text *out);

#endif
