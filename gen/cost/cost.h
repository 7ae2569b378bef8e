// SPDX-License-Identifier: Apache-2.0
// The cost model: what a design takes of the device and how many cycles its kernels work for one token. docs/cost.md.
// Everything is a function of a kernel's RTL module and parameters; nothing here knows a model or an instance by name.
#ifndef RILL_COST_H
#define RILL_COST_H

#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

// ---- resources ----------------------------------------------------------------------------------

// Of a DMA engine's prefetch FIFO, where nobody has chosen: short ones in LUTRAM.
enum ram_style cost_prefetch_style(int64_t beats);
// The table of syntheses (verif/cost/measured.txt) that the formulas are fitted to.
struct cost_row {
    const char *module;
    struct ir_param *param;
    int params;
    struct cost_resources is;
};
struct cost_rows { // a vector
    struct cost_row *items;
    size_t count, capacity;
};
struct cost_rows cost_rows_read(struct arena *); // none when the table is not with the program
// The row of just these parameters, whatever its tables hold; NULL: not measured.
const struct cost_row *cost_row_of(const struct cost_rows *, const char *module, const struct ir_param *param,
                                   int params);
struct cost_fit_of { // in percent of what was measured, over the rows of at least 300 cells
    int rows;
    double mean, worst; // mean of the sizes; worst with its sign, estimates that are too low below 0
};
struct cost_fit {
    int rows; // all
    struct cost_fit_of lut, ff;
};
struct cost_fit cost_fit(const struct cost_rows *, const char *module); // NULL: of all modules

struct cost_resources cost_kernel_as(const struct ir *, int kernel,
                                     enum ram_style style); // the kernel with its memory built so
struct cost_resources cost_prefetch(const struct ir *, int64_t beats, enum ram_style style); // one prefetch FIFO

struct cost_design {                      // of a whole design
    struct cost_resources *kernel, *edge; // per kernel instance, per stream
    bool *known;                          // per kernel: there is a formula
    struct cost_resources kernels, fifos; // sums
    struct cost_resources memory;         // the DMA engines and arbiters of all channels
    struct cost_resources total;
};
struct cost_design cost_design(const struct ir *);
// What is kept of tensors on their way, in bits; 0 for other kernels.
int64_t cost_pool_bits(const struct ir_kernel *);       // words of a rill_fifo_pool
int64_t cost_spill_bits(const struct ir *, int kernel); // buffers of a rill_spill and its two engines
int64_t cost_local_bits(const struct ir *, int kernel); // banks, replays, converters
// Of the tensor for one position, dynamic extents at their bound.
int64_t cost_tensor_bits(const struct ir *, const struct ir_tensor *);
// Of a stream between dies: an end of its way, the far one with the FIFO, and a stage on a die between.
struct cost_resources cost_credit_end(const struct ir *, const struct ir_edge *, int64_t credits, bool far);
struct cost_resources cost_credit_stage(const struct ir *, const struct ir_edge *);
int64_t cost_edge_bits(const struct ir *, const struct ir_edge *); // of a FIFO's word: data, tuser, tlast, tcount

struct cost_resources cost_capacity(const struct ir_die *);        // what the die has without its shell
struct cost_resources cost_ports(const struct ir *, int die);      // what the memory's ports take of it, beside
struct cost_resources cost_ports_most(const struct ir *, int die); // the same by the board's second figure
struct cost_resources cost_room(const struct ir *, int die);       // what a design may take of it within the limits
struct cost_resources cost_available(const struct ir *);           // the board without its shell and memory ports
int64_t cost_wires(const struct ir *);                             // from die to die, within the limit; 0: not known

// A design that is spread over dies (place-dies).
struct cost_resources cost_lane(const struct ir *,
                                const struct ir_engine *); // one lane of an engine, without its front at the memory
struct cost_resources cost_lane_sums(const struct ir *, const struct ir_engine *); // of it, what lies with its sums
// What crosses for each lane: its beat, or its terms where it is cut, and its result.
int64_t cost_lane_bits(const struct ir *, const struct ir_engine *, bool cut);
// Over a boundary, for all lanes of an engine and what they share on each die.
int64_t cost_engine_bits(const struct ir *, const struct ir_engine *, int boundary);
int64_t cost_load_bits(const struct ir *, int kernel);    // from the memory's die to a store of parameters alone,
int64_t cost_loads_bits(const struct ir *, int boundary); // and to all behind a boundary together
// What the ids are chosen from is hashed, and the hash goes to the token loop beside the ids: from die to die in slices
// (rill_serializer).
enum { COST_HASH_BITS = 64, COST_HASH_SLICE = 8, COST_HASH_WAY = 11 }; // of it, of a slice, of one with its number
struct cost_hash {
    int from, to; // kernels; IR_NONE: of no design that chooses ids
};
struct cost_hash cost_hash(const struct ir *);
int64_t cost_hash_bits(const struct ir *, int boundary);
int64_t cost_stream_bits(const struct ir *, const struct ir_edge *); // that cross: of a part, with its handshake
int64_t cost_edge_pace(const struct ir *, const struct ir_edge *);   // cycles from word to word, at least
int cost_memory_die(const struct ir *);                              // where the memory's ports are
struct cost_resources cost_die(const struct ir *, const struct cost_design *, int die); // all that lies there
int64_t cost_boundary_bits(const struct ir *, int boundary); // from die `boundary` to the next
// How full a die is: with the shell and the memory's ports.
struct cost_fill {
    struct cost_resources taken, most; // most: by the second figure of the ports
    struct cost_resources whole, limit;
};
struct cost_fill cost_fill(const struct ir *, const struct cost_design *, int die);

// ---- bits of the memory image -------------------------------------------------------------------

// Of the weights that are kept in one format, bits. stored: with what fills up beats, rows and lanes.
enum cost_holder { COST_NOTHING, COST_PRODUCTS, COST_TABLES, COST_VECTORS };
struct cost_format {
    enum cost_holder holder;
    int coding;                // of products and tables: spec_format, spec_table_format; -1: fp32
    const char *what, *format; // products, tables, vectors; a word of the spec, or fp32
    int64_t weights;
    int64_t elements, beside, stored; // beside: scales, offsets and biases
};
struct cost_formats {
    struct cost_format *row, all;
    int rows;
};
struct cost_formats cost_formats(const struct ir *);

// ---- cycles -------------------------------------------------------------------------------------

// How a kernel passes a stream on, with one token per step. Source: the contracts in the headers of the RTL modules.
struct cost_contract {
    int64_t fill;     // words that must be in before the first one can come out, at least 1
    int64_t delay;    // cycles from the last of these to the first word out; the latency of the memory is not in it
    int64_t interval; // cycles per word
};

// One kernel in one decode step (one token) at a position.
struct cost_work {
    struct cost_contract contract;
    int64_t words;   // on its busiest stream, all firings
    int64_t busy;    // cycles in which it works; 0: it has nothing to do in a decode step
    int64_t latency; // cycles from the first word in to the first word out; IR_NONE: no stream goes through it
};
struct cost_work cost_kernel_work(const struct ir *, int kernel, int64_t position);
// Words that pass a port in one decode step.
int64_t cost_port_words(const struct ir *, int kernel, int port, int64_t position);

struct cost_step {
    int64_t position; // of the first token
    int tokens;
    bool head; // regions of the last token run
};

// What an engine does in one step. Weights, keys and values: its commands, a cycle each: one for a beat of a header, of
// other beats one for each `copies` tokens. In a decode step they are the beats that each of its lanes reads.
struct cost_beats {
    int64_t weights, scores, values;
    int64_t memory; // beats from the memory (from each of its channels): all but the step's own keys and the open
                    // blocks of V
};
struct cost_beats cost_step_beats(const struct ir *, int engine, const struct cost_step *);
struct cost_beats cost_engine_beats(const struct ir *, int engine, int64_t position); // of a decode step
int cost_slowest_engine(const struct ir *, const struct cost_step *);                 // IR_NONE without engines

// What the parts of a design do, summed over steps.
struct cost_load {
    int64_t *engine;  // commands
    int64_t *channel; // beats, all but those of writes of K, of V and of spills
    int64_t *kernel;  // cycles of work, of those that are no engine; in steps of a prompt 0
    int64_t rows;     // tokens
};
struct cost_load cost_load_new(const struct ir *);
void cost_load_add(const struct ir *, struct cost_load *, const struct cost_step *);

// The least cycles that a load takes: no part of the design can be faster than this.
struct cost_bound {
    int64_t engine; // cycles of the matrix engine, of the slowest where there are several
    int64_t memory; // cycles the fullest channel needs, at the rate that sequential reads sustain
    int64_t kernel; // cycles of the busiest other kernel,
    int busiest;    // and which one; IR_NONE: none
    int64_t cycles; // the largest of the three
    int64_t rows;   // tokens that these cycles are for
    double tokens_per_second;
};
// early: beats of each channel that may have come before; some: the load is of a window, in which one refresh less may
// fall than on average.
struct cost_bound cost_load_bound(const struct ir *, const struct cost_load *, int64_t early, bool some);
// Whether steps differ by more than their tokens and their head.
bool cost_positions_matter(const struct ir *);
// The step that is repeated at a position: one token of a language model, `T` rows of another graph.
struct cost_step cost_usual_step(const struct ir *, int64_t position);
struct cost_bound cost_step_bound(const struct ir *, const struct cost_step *);

// ---- power --------------------------------------------------------------------------------------

// Of the card while a step is repeated, between two estimates; all 0: the board gives no coefficients.
struct cost_power {
    double low_w, high_w;
    double hbm_low_w, hbm_high_w, logic_low_w, logic_high_w; // parts of it
};
struct cost_power cost_step_power(const struct ir *, const struct cost_design *, const struct cost_step *,
                                  double cycles); // that the step takes

#endif
