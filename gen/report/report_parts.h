// SPDX-License-Identifier: Apache-2.0
// What the report's parts share.
#ifndef RILL_REPORT_PARTS_H
#define RILL_REPORT_PARTS_H

#include "gen/emit/clock.h"
#include "gen/cost/cost.h"

struct report {
    const struct ir *ir;
    int64_t position; // of the step that the cycles are for
    struct cost_step step;
    struct cost_design cost;
    struct cost_beats beats; // of the slowest engine
    struct cost_bound bound;
    struct cost_rows measured; // none: the table is not with the program
    const struct clock_model *clock;
};
struct report report_make(const struct ir *, const struct clock_model *);
int64_t report_channel_used(const struct ir *); // bytes
int64_t report_fifo_bits(const struct ir *);
struct report_uniform {   // bits of all FIFOs but those of step words and parameters
    int64_t safe;         // with other depths: those of the safe rule,
    int64_t deepest, all; // or each as deep as the deepest, words
};
struct report_uniform report_uniform_depths(const struct ir *);

enum { REPORT_RESOURCES = 5 };
struct report_figure { // one kind of resource
    const char *title, *key;
    bool halves; // counted in halves
    int64_t count;
};
void report_figures(const struct cost_resources *, struct report_figure out[REPORT_RESOURCES]);
void report_count(const struct report_figure *, int width, struct text *out); // right-aligned; halves as .5

struct report_memory { // a FIFO deeper than two words, a buffer of a kernel, or the prefetch FIFOs of an engine
    const char *name;
    struct cost_memory shape;
    struct cost_resources cost; // of the storage alone
    int64_t held, room;         // bits: of its words, of the pieces it takes
};
struct report_memories {
    struct report_memory *item;
    int count, buffers; // buffers first, then FIFOs
};
struct report_memories report_memories_make(const struct ir *);

// What a group holds as emitted, counted as group->bits is: its own FIFOs at the depths that they have. *fifos: of
// these alone.
int64_t report_group_bits(const struct ir *, int group, int64_t *fifos);
void report_resources(const struct report *, struct text *out); // text tables
const char *report_where(const struct report *);                // whether the bound holds at its step's positions alone
struct hbm_share report_share(const struct report *);           // of the fullest channel's rate, at the bound
void report_decode(const struct report *, struct text *out);
void report_power(const struct report *, struct text *out); // nothing where the board has no coefficients
void report_power_json(const struct report *, struct text *out);
void report_kernels(const struct report *, struct text *out);
void report_fifos(const struct report *, struct text *out);
// "gelu 38/1": cycles from its first word in to its first word out (- where no stream goes through it), cycles per
// word. In a decode step.
const char *report_contract(const struct report *, int kernel);
bool report_has_dies(const struct report *);
void report_dies(const struct report *, struct text *out);      // how full they are
void report_crossings(const struct report *, struct text *out); // what goes from die to die, widest first
void report_dies_json(const struct report *, struct text *out);
void report_fit(const struct report *, struct text *out); // estimates beside measurements
void report_fit_json(const struct report *, struct text *out);
void report_measured_json(const struct report *, int kernel,
                          struct text *out);          // of a kernel measured with its own parameters
const char *report_clock_says(const struct report *); // whether it is known, and what it is beside the spec's
void report_clock(const struct report *, struct text *out);
void report_clock_json(const struct report *, struct text *out);
double report_per_weight(const struct cost_format *, int64_t bits);
int64_t report_filled(const struct cost_format *);            // bits that are neither elements nor beside them
void report_weights(const struct report *, struct text *out); // nothing where there are none
void report_weights_json(const struct report *, struct text *out);
void report_memories(const struct report *, struct text *out);
void report_memories_json(const struct report *, struct text *out);

#endif
