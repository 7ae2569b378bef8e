// SPDX-License-Identifier: Apache-2.0
// Declarations that the parts of the text and JSON report (report_*.c) share. design_report.h has the functions for
// callers outside of this folder.
#ifndef RILL_REPORT_PARTS_H
#define RILL_REPORT_PARTS_H

#include "gen/emit/clock.h"
#include "gen/cost/cost.h"

struct report {
    const struct ir *ir;
    int64_t position;      // first position of `step`: half of the context
    struct cost_step step; // the step to which all cycles apply
    struct cost_design cost;
    struct cost_beats beats; // of the slowest engine
    struct cost_bound bound;
    struct cost_rows measured; // empty if the table of measurements is not installed
    const struct clock_model *clock;
};
// Calculates the figures that the sections share. The clock model is NULL if no section about the clock is written.
struct report report_make(const struct ir *, const struct clock_model *);
int64_t report_channel_used(const struct ir *); // bytes used in the fullest memory channel
// Returns the sum of the bits of FIFOs outside of pools, of pools (memories that several FIFOs share), and of the
// buffers of spills (streams that go through memory).
int64_t report_fifo_bits(const struct ir *);
// Bits that the FIFOs would have with other depths than in the design, for comparison. FIFOs of step words and
// parameters are left out.
struct report_uniform {
    int64_t safe;         // bits if every FIFO had the depth of the safe rule
    int64_t deepest, all; // deepest: words of the deepest FIFO; all: bits if every FIFO were that deep
};
struct report_uniform report_uniform_depths(const struct ir *);

enum { REPORT_RESOURCES = 5 };
struct report_figure { // one kind of resource
    const char *title, *key;
    bool halves; // `count` is in halves: BRAM18 as halves of a BRAM36
    int64_t count;
};
// Lists the kinds of resource: LUT, FF, DSP, BRAM36 and URAM, in this order.
void report_figures(const struct cost_resources *, struct report_figure out[REPORT_RESOURCES]);
// Prints a count in at least `width` characters, right-aligned, and a half as .5.
void report_count(const struct report_figure *, int width, struct text *out);

struct report_memory { // a FIFO deeper than two words, a buffer of a kernel, or the prefetch FIFOs of an engine
    const char *name;
    struct cost_memory shape;
    struct cost_resources cost; // of the storage alone, without FIFO logic
    int64_t held, room;         // bits of the contents, and bits that the used memory blocks could hold
};
struct report_memories {
    struct report_memory *item;
    int count, buffers; // buffers first, then FIFOs
};
struct report_memories report_memories_make(const struct ir *);

// Returns the bits on chip of a group of operations (docs/passes.md section Groups) as emitted. This is group->bits
// with the actual depths of the FIFOs of the group's streams instead of the safe depths. Sets *fifos to the bits of
// these FIFOs alone.
int64_t report_group_bits(const struct ir *, int group, int64_t *fifos);
void report_resources(const struct report *, struct text *out); // the table of resources
const char *report_where(const struct report *); // " at this position" if the bound depends on it, otherwise ""
// Returns the shares of the peak rate and of the sustained rate that the fullest channel uses at the bound.
struct hbm_share report_share(const struct report *);
void report_decode(const struct report *, struct text *out);
void report_power(const struct report *, struct text *out); // prints nothing if the board has no power coefficients
void report_power_json(const struct report *, struct text *out);
void report_kernels(const struct report *, struct text *out);
void report_fifos(const struct report *, struct text *out);
// Returns a kernel's name and timing in a decode step, as in "gelu 38/1": cycles from its first word in to its first
// word out (- if no stream goes through it), and cycles per word.
const char *report_contract(const struct report *, int kernel);
bool report_has_dies(const struct report *);                    // whether the design is split over several dies
void report_dies(const struct report *, struct text *out);      // how full the dies are
void report_crossings(const struct report *, struct text *out); // streams between dies, widest first
void report_dies_json(const struct report *, struct text *out);
void report_fit(const struct report *, struct text *out); // estimates next to measurements
void report_fit_json(const struct report *, struct text *out);
// Adds the synthesized resources of a kernel. Prints nothing unless its module was synthesized with the same
// parameters.
void report_measured_json(const struct report *, int kernel, struct text *out);
// Returns a phrase: the clock that the delay model supports and the spec's clock, or why there is no estimate.
const char *report_clock_says(const struct report *);
void report_clock(const struct report *, struct text *out);
void report_clock_json(const struct report *, struct text *out);
double report_per_weight(const struct cost_format *, int64_t bits); // bits per weight of the format; 0 without weights
// Returns the bits of padding, which are neither elements nor scales, offsets or biases.
int64_t report_filled(const struct cost_format *);
void report_weights(const struct report *, struct text *out); // prints nothing if the model has no weights
void report_weights_json(const struct report *, struct text *out);
void report_memories(const struct report *, struct text *out);
void report_memories_json(const struct report *, struct text *out);

#endif
