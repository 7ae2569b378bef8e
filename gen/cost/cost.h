// SPDX-License-Identifier: Apache-2.0
// The cost model: the device resources that a design takes, the bits of its memory image, lower bounds of its cycles,
// and its power. See docs/cost.md. Costs depend only on a kernel's RTL module and parameters, never on the name of a
// model or an instance. Arrays in results are in the arena of the IR. `kernel`, `engine`, `die` and `channel` are
// indices in the lists of struct ir; ir.h explains terms such as firing and step. A lane here is the part of a matrix
// engine that processes one row of a product at a time. Resources, cycles and power are estimates.
#ifndef RILL_COST_H
#define RILL_COST_H

#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

// ---- resources ----------------------------------------------------------------------------------

// Returns the default RAM style of a DMA engine's prefetch FIFO that holds `beats` beats. Short FIFOs are in LUTRAM.
enum ram_style cost_prefetch_style(int64_t beats);
// Returns the beats of the prefetch FIFO of a client that reads: its own number, or by default two bursts.
int64_t cost_client_beats(const struct ir *, const struct ir_client *);
// A row of the table of syntheses (verif/cost/measured.txt) to which the cost formulas are fitted.
struct cost_row {
    const char *module;
    struct ir_param *param;
    int params;
    struct cost_resources is; // the measured resources
};
struct cost_rows { // the table, as a vector for VEC_PUSH
    struct cost_row *items;
    size_t count, capacity;
};
struct cost_rows cost_rows_read(struct arena *); // empty if the installation has no such table
// Returns the row of the module with exactly these parameters, or NULL if this combination was not measured. The
// contents of schedules (TABLE, SECTION_...) are not compared.
const struct cost_row *cost_row_of(const struct cost_rows *, const char *module, const struct ir_param *param,
                                   int params);
// Errors of the estimates of LUTs or of flip-flops, in percent of the measured value. `rows` is the number of compared
// rows, which are those with at least 300 LUTs or flip-flops.
struct cost_fit_of {
    int rows;
    double mean, worst; // mean: of the absolute errors; worst: signed, negative if the estimate is too low
};
struct cost_fit {
    int rows; // number of all rows of the module that have an estimate
    struct cost_fit_of lut, ff;
};
struct cost_fit cost_fit(const struct cost_rows *, const char *module); // module NULL: all modules

// Returns the resources of the kernel with its memory in this style; zeros if there is no formula for its module.
struct cost_resources cost_kernel_as(const struct ir *, int kernel, enum ram_style style);
struct cost_resources cost_prefetch(const struct ir *, int64_t beats, enum ram_style style); // one prefetch FIFO

struct cost_design {                      // resources of a whole design
    struct cost_resources *kernel, *edge; // per kernel instance, per stream
    bool *known;                          // per kernel: whether its cost is known; if not, it counts as zeros
    struct cost_resources kernels, fifos; // sums
    struct cost_resources memory; // DMA engines and arbiters of all channels, and the trees that send them descriptors
    struct cost_resources total;
};
struct cost_design cost_design(const struct ir *);
// These three return the storage, in bits, that a kernel has for intermediate tensors. They return 0 for kernels of
// another kind.
int64_t cost_pool_bits(const struct ir_kernel *);       // words of a rill_fifo_pool
int64_t cost_spill_bits(const struct ir *, int kernel); // buffers of a rill_spill and its two engines
int64_t cost_local_bits(const struct ir *, int kernel); // banks, replay buffers, converters
// Returns the bits of a tensor for one position (token or row), with dynamic extents at their bounds and with shared
// exponents or scales. Returns 0 for the sums of a product (IR_ACC), which never leave the engine.
int64_t cost_tensor_bits(const struct ir *, const struct ir_tensor *);
// cost_credit_end returns the resources of one end of a stream between dies (`far`: the receiving end, which has the
// FIFO), cost_credit_stage those of the register stage on a die that the stream passes through. credits: words that may
// be on their way or in the FIFO.
struct cost_resources cost_credit_end(const struct ir *, const struct ir_edge *, int64_t credits, bool far);
struct cost_resources cost_credit_stage(const struct ir *, const struct ir_edge *);
int64_t cost_edge_bits(const struct ir *, const struct ir_edge *); // bits of a FIFO word: data, tuser, tlast, tcount

struct cost_resources cost_capacity(const struct ir_die *);        // resources of the dynamic region on the die
struct cost_resources cost_ports(const struct ir *, int die);      // resources reserved for the memory ports on a die
struct cost_resources cost_ports_most(const struct ir *, int die); // these resources by the board's higher estimate
// Returns the resources that a design may take on a die: those that the board's limits allow, without the shell's and
// those of the memory ports; 0 where these exceed the limit.
struct cost_resources cost_room(const struct ir *, int die);
struct cost_resources cost_available(const struct ir *); // the device without the platform's cells and memory ports
// Wires from die `boundary` to the next, which has the next index. A boundary between two dies has the number of the
// lower die.
struct cost_wires {
    int64_t all;      // 0: unknown, and then the others mean nothing
    int64_t platform; // used by the platform
    int64_t region;   // wires of `all` whose registers are in the platform's dynamic region
    int64_t limit;    // wires of `all` that the platform and the design may use together
    int64_t room;     // wires that the design may use: `limit` - `platform`, and at most `region`
};
struct cost_wires cost_wires(const struct ir *, int boundary);

// ---- designs that are spread over several dies (place-dies) ----

// Returns the resources of one lane of an engine, without the lane's DMA engine.
struct cost_resources cost_lane(const struct ir *, const struct ir_engine *);
// Returns the resources of the part of a lane that is on the die of the lane's sums, if the lane is cut, that is, if
// its multipliers are on another die.
struct cost_resources cost_lane_sums(const struct ir *, const struct ir_engine *);
// Returns the bits that cross between dies for each lane. cut: the multipliers and sums of the lane are on different
// dies, so the terms cross. Otherwise the beats cross.
int64_t cost_lane_bits(const struct ir *, const struct ir_engine *, bool cut);
// Returns the bits that cross a boundary for an engine: beats, terms and results of its lanes, and the command chains
// (struct ir_chain) that the lanes of a die share.
int64_t cost_engine_bits(const struct ir *, const struct ir_engine *, int boundary);
// These return the bits that cross from the memory's die to parameter stores (kernels that keep vector parameters on
// chip): cost_load_bits those that one store needs for itself, 0 for other kernels, and cost_loads_bits those of the
// bus that all stores beyond a boundary share, 0 if there is none.
int64_t cost_load_bits(const struct ir *, int kernel);
int64_t cost_loads_bits(const struct ir *, int boundary);
// A design that chooses tokens hashes the logits from which it chooses. The hash goes to the token loop, and crosses
// between dies in slices (rill_serializer). The constants are the bits of a hash, of a slice, and of a slice's number.
// With drafts or slots, each token of a step has a hash, and these hashes cross together.
enum { COST_HASH_BITS = 64, COST_HASH_SLICE = 8, COST_HASH_NUMBER = 3 };
struct cost_hash {
    int from, to; // kernels that make and take the hash; from is IR_NONE if the design does not choose tokens
    int rows;     // number of hashes
    int way;      // bits that cross at once: a slice of each hash, and the number of the slice
};
struct cost_hash cost_hash(const struct ir *);
// Returns the bits of the hashes that cross between die `boundary` and the next.
int64_t cost_hash_bits(const struct ir *, int boundary);
// Returns the bits of a stream that cross between dies: those of one part of a word, and of the handshake.
int64_t cost_stream_bits(const struct ir *, const struct ir_edge *);
int64_t cost_edge_pace(const struct ir *, const struct ir_edge *); // estimated least cycles from one word to the next
int cost_memory_die(const struct ir *);                            // the die with the memory ports
struct cost_resources cost_die(const struct ir *, const struct cost_design *, int die); // the design's part on a die
// Returns the bits that cross between die `boundary` and the next, in both directions together.
int64_t cost_boundary_bits(const struct ir *, int boundary);
// The use of a die's resources by the design, the shell and the memory ports.
struct cost_fill {
    struct cost_resources taken, most;  // most: `taken` with the board's higher estimate for the ports
    struct cost_resources whole, limit; // all resources of the die, and the part that the board's limits allow
};
struct cost_fill cost_fill(const struct ir *, const struct cost_design *, int die);

// ---- bits of the memory image -------------------------------------------------------------------

// The bits of all weights of one kind (`holder`) that are stored in one format. COST_PRODUCTS: matrices. COST_TABLES:
// tables of rows, such as an embedding. COST_VECTORS: vector parameters, such as the gains of a norm.
enum cost_holder { COST_NOTHING, COST_PRODUCTS, COST_TABLES, COST_VECTORS };
struct cost_format {
    enum cost_holder holder;
    int coding;                // products: spec_format; tables: spec_table_format; -1: fp32
    const char *what, *format; // what: products, tables or vectors; format: as the spec writes it, or fp32
    int64_t weights;           // number of weights
    // elements: bits of the weights themselves. beside: bits of their scales, offsets and biases. stored: all of these
    // bits in memory, with the padding of beats, rows and lanes.
    int64_t elements, beside, stored;
};
struct cost_formats {
    struct cost_format *row, all; // row: one for each kind and format that the design has; all: the sums
    int rows;
};
struct cost_formats cost_formats(const struct ir *);

// ---- cycles -------------------------------------------------------------------------------------

// The passage of words through a kernel, with one token per step.
struct cost_contract {
    int64_t fill;     // words that must enter before the first one can leave, at least 1
    int64_t delay;    // cycles from the last of these to the first word out, without memory latency
    int64_t interval; // cycles from one word to the next
};

// One kernel in one decode step (one token) at a position.
struct cost_work {
    struct cost_contract contract;
    int64_t words;   // words on the kernel's busiest stream, over all firings
    int64_t busy;    // cycles in which the kernel works; 0: it has nothing to do in a decode step. Without a timing
                     // contract: `words`
    int64_t latency; // cycles from the first word in to the first word out; IR_NONE: no stream goes through it
};
struct cost_work cost_kernel_work(const struct ir *, int kernel, int64_t position);
// Returns the words that pass a port in one decode step.
int64_t cost_port_words(const struct ir *, int kernel, int port, int64_t position);

struct cost_step {
    int64_t position; // position of the first token, from 0
    int tokens;       // tokens, or rows of a graph that is not a language model: 1 to `T`
    bool head;        // the regions that run only in steps with a head (IR_LAST) run
};

// The work of an engine in one step. Weights, scores and values count the engine's commands, which take a cycle each. A
// header beat takes one command, and every other beat takes one for each `copies` tokens. In a step of one token these
// numbers are also the beats that each lane reads.
struct cost_beats {
    int64_t weights, scores, values;
    // Beats that each of the engine's channels reads from memory: all but the step's own keys and the open V blocks.
    int64_t memory;
};
struct cost_beats cost_step_beats(const struct ir *, int engine, const struct cost_step *);
struct cost_beats cost_engine_beats(const struct ir *, int engine, int64_t position); // of a decode step at a position
// Returns the index of the engine that works longest in a step, or IR_NONE if the design has no engine.
int cost_slowest_engine(const struct ir *, const struct cost_step *);

// The work of each part of a design, summed over steps.
struct cost_load {
    int64_t *engine;  // per engine: commands
    int64_t *channel; // per channel: beats, without the writes of keys and values, and without spills
    // Per kernel: cycles of work; 0 for engines. In a language model, steps of several tokens and steps without a head
    // add nothing.
    int64_t *kernel;
    int64_t rows; // tokens, or rows of a graph that is not a language model
};
// cost_load_new returns a load without work. cost_load_add adds the work of a step to a load.
struct cost_load cost_load_new(const struct ir *);
void cost_load_add(const struct ir *, struct cost_load *, const struct cost_step *);

// Lower bound of the cycles that a load takes.
struct cost_bound {
    int64_t engine;           // cycles of the slowest matrix engine
    int64_t memory;           // clock cycles of the busiest channel at the sustained rate of sequential reads
    int64_t kernel;           // cycles of the busiest kernel that is not an engine
    int busiest;              // number of this kernel; IR_NONE: none
    int64_t cycles;           // the largest of the three
    int64_t rows;             // tokens (or rows) that are computed in these cycles
    double tokens_per_second; // upper bound, at the design's clock; 0 if `cycles` is 0
};
// Calculates the lower bound of a load. early: beats of each channel that may have arrived before the load began. some:
// the load is a part of a request, so it may contain one refresh less than on average.
struct cost_bound cost_load_bound(const struct ir *, const struct cost_load *, int64_t early, bool some);
// Returns whether the work of a step depends on its position, not only on its tokens and its head.
bool cost_positions_matter(const struct ir *);
// Returns the usual step at a position: one token of a language model, or `T` rows of another graph.
struct cost_step cost_usual_step(const struct ir *, int64_t position);
// Returns the lower bound of one step alone.
struct cost_bound cost_step_bound(const struct ir *, const struct cost_step *);
// Estimates the cycles of a step in which an engine waits for products of two tensors (OP_CONTRACTS): the slowest one
// of each region, because those of one attention work at the same time. This is no part of the lower bound. An engine
// may work on the first rows of a result while the product computes the next ones. 0: the graph has no such product.
int64_t cost_step_waits(const struct ir *, const struct cost_step *);

// ---- power --------------------------------------------------------------------------------------

// Power of the card in W while it repeats a step, as a lower and a higher estimate. All 0 if the board file gives no
// limit of the power (`power.limit_w`).
struct cost_power {
    double low_w, high_w;
    double hbm_low_w, hbm_high_w, logic_low_w, logic_high_w; // parts of the sums above
};
// Estimates the power while the step repeats every `cycles` cycles. All 0 if `cycles` is 0 or less.
struct cost_power cost_step_power(const struct ir *, const struct cost_design *, const struct cost_step *,
                                  double cycles);

#endif
