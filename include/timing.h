// SPDX-License-Identifier: Apache-2.0
// When words move: the timing contract of a kernel as functions of its RTL parameters, and a simulator that runs the
// kernel graph word by word on these contracts, without any values. docs/timing.md. Units: cycles, words of a stream. A
// row is a word for each active token of the step.
#ifndef RILL_TIMING_H
#define RILL_TIMING_H

#include "cost.h"
#include "ir.h"

// ---- contracts ----------------------------------------------------------------------------------

// How a kernel orders its work; the numbers that belong to it are below.
enum timing_machine {
    TIMING_NONE,     // moves no words of streams
    TIMING_PIPE,     // a word of every input for a word of the output, stages that stall together
    TIMING_BANKS,    // groups of rows are gathered in banks, then read while the next ones come in
    TIMING_SOFTMAX,  // the same with a stream of scalars beside it
    TIMING_ARGMAX,   // a firing in, a word per token out
    TIMING_GEAR,     // words of some elements to words of others
    TIMING_FORK,     // a word to every output, each as soon as it takes it
    TIMING_MUX,      // firings of the inputs in turn
    TIMING_DEMUX,    // firings to the outputs in turn
    TIMING_SELECT,   // the last token of a firing
    TIMING_REPLAY,   // a firing (or a head) is kept and sent several times
    TIMING_SPILL,    // a firing goes to memory and comes back
    TIMING_LAYOUT,   // two banks, read in another order
    TIMING_STORE,    // vector parameters for ever
    TIMING_SCALES,   // scales of the KV cache
    TIMING_K_WRITER, // keys to memory
    TIMING_V_TAIL,   // values to the open block and to memory
    TIMING_ENGINE,   // the matrix engine with its beats
    TIMING_EMBED,    // a row of memory per id
    TIMING_POSITION, // a row of memory per position
    TIMING_READER,   // rows of memory per step, read ahead
    TIMING_WALKER,   // the order in which the engine's beats are read
    TIMING_WRITER,   // rows to memory
    TIMING_SINK,     // takes a word per cycle
    TIMING_RING,     // ids to memory, one after the other
    TIMING_LOOP,     // steps and ids of a request
    TIMING_GROUPS,   // hand-written: a group of words of every input, then the words made of it
    TIMING_MACHINES
};

// What a kernel needs of an input.
enum timing_need {
    TIMING_EACH,  // a word for every word read
    TIMING_ROW,   // a word for every row: looked at for each word, popped with the last token's
    TIMING_FIRST, // a word for every token, with the first row of a firing
};

struct timing_contract {
    enum timing_machine machine;
    int64_t enter; // stages before the banks
    int64_t rows; // of an input group (TIMING_PIPE: of an output firing; TIMING_SPILL: words of a firing); 0: up to the
                  // end of the firing
    int64_t banks;   // groups (TIMING_SPILL: firings) that are held; a group's place is free `release` cycles after its
                     // last word was read
    int64_t release; //
    int64_t ready;   // from the last word of a group (at the banks) to the first word that may be read
    int64_t pipe;    // from a word read to the output's offer: stages that stall together
    int64_t pack;    // rows read for a word out
    bool by_token;   // a group is read token after token, not row after row
    bool pads;       // and its units are made even
    bool by_step;    // TIMING_V_TAIL: waits for all reads of the step before, not for those of a layer
    int64_t fire;    // input groups (of TIMING_PIPE: firings) of an output firing; 0: as the input's firings
    int64_t in, out; // elements of a word in and out (TIMING_GEAR); of the last of `rows` words `units`, if not 0.
                     // TIMING_SPILL: words of a beat, beats of a word; one of the two is 1
    int64_t lines;   // row-steps that wait at the output (TIMING_GEAR)
    int64_t times;   // passes (TIMING_REPLAY, TIMING_SCALES); groups of a firing (TIMING_LAYOUT)
    int64_t units;   // words of a head and token (TIMING_LAYOUT: read of a group, per token)
    int64_t heads, layers, lanes;
    int64_t beats;                                   // read from memory for a row; TIMING_SPILL: of a burst
    int64_t ask;                                     // cycles from an id or step to the first request
    int64_t ask_next;                                // between requests of a step
    int64_t every;                                   // cycles from a word to the next (TIMING_GROUPS)
    int64_t take[IR_MAX_PORTS], words[IR_MAX_PORTS]; // of every input: words of a group and of a firing (TIMING_GROUPS)
    int64_t channels;
};

struct timing_step {
    int64_t pos; // of the first token
    int ntok;
    bool head; // regions of the last token run
};

// False when the module has no contract; then nothing can be said about a design that has it.
bool timing_contract(const struct ir *, int kernel, struct timing_contract *);
// Cycles from the last word of an input group to the first word that comes of it, nothing being in the way.
int64_t timing_latency(const struct timing_contract *);
enum timing_need timing_need(const struct ir_kernel *, int port);

// ---- simulation ---------------------------------------------------------------------------------

struct timing_memory {                 // of a channel
    const struct hbm_figures *figures; // of the board, those that simulation has too (docs/hbm.md)
    double period_ps;                  // of the design's clock
    bool refreshes;
    int64_t start; // age of the memory when the first step begins, cycles: where its refreshes lie
    int64_t lead;  // cycles before it from which on parameters and the engines' beats are asked for (timing_start)
};
struct timing_memory timing_memory(const struct ir_design *);

// Cycles from the start of a request to its first step, the memory as old as given at that start.
int64_t timing_start(const struct ir *, const struct timing_memory *);
// The memory of a request that begins when it is that old.
int64_t timing_host_cycles(const struct ir *); // from reset on, of a host that writes the arguments of a request
struct timing_memory timing_memory_at(const struct ir *, int64_t age);

// The steps of a request; their number.
int timing_request_steps(const struct ir *, int64_t prompt, int64_t tokens, struct timing_step **);

struct timing_options {
    const struct timing_step *step; // of one request, in order
    int steps;
    bool bounded;      // FIFOs have their depth; else only those of steps and vector parameters
    const int64_t *id; // of the first positions, so many: the rows that they fetch; of others any
    int64_t ids;
    const int64_t *depth; // per edge, instead of the IR's; 0: unbounded
    bool twice;           // the IR's depths, twice each, those of pools too
    bool single_word; // a pipeline that stalls as a whole holds one word: the least it can when words come far apart
    int64_t layers;   // repetitions of the repeated region that are run, 0: all; where there is one such region
    const int64_t *words; // per edge, how many are expected: room for them is made at once; NULL: not known
    const int64_t
        *latest; // per step, of the engines' last commands in it: a later one ends the run as if stuck; NULL: none does
    int64_t limit;    // words and beats; 0: none. Beyond it the run ends as if stuck
    bool idle_counts; // as it once was, keys count only while their engine is idle: for a test of halts
    bool load_only;   // what comes before the first step, alone; timing_result.loaded says when it was over
    struct timing_memory memory;
};

struct timing_edge {
    int64_t words, high_water;
    int64_t room; // words and places that are not free yet, at most: with this depth, unless it is 2, nothing changes
    int64_t most_at;     // the word with which it was fullest
    int64_t holds;       // words in it at the end
    int64_t full;        // cycles in which the writer waited for room
    const int64_t *put;  // per word: when it was given,
    const int64_t *take; // when it was taken,
    const uint8_t *mark; // and what it ended: TIMING_LAST ...
};
enum { TIMING_LAST = 1 /* of a firing */, TIMING_TOK_LAST = 2 /* of a row */ };

enum timing_cause { TIMING_FOR_BEATS /* and keys, values */, TIMING_FOR_OPERAND, TIMING_FOR_ROOM, TIMING_CAUSES };

struct timing_firing { // of an engine in one step, all its repetitions
    int64_t busy;      // cycles with a command
    int64_t beats;     // read from memory by each lane
    int64_t wait[TIMING_CAUSES];
};

struct timing_turn {      // of an engine in one step
    int64_t wait;         // for the step's first operand, in no firing's wait
    int64_t last_command; // cycle
};

struct timing_work {
    int64_t busy;        // cycles in which it took or gave a word
    int64_t first, last; // first and last cycle of that; first < 0: never
};

struct timing_result {
    int64_t cycles; // until the last step is over
    int64_t *step;  // when each step began, and [steps] when the last was over
    struct timing_edge *edge;
    struct timing_work *kernel;
    struct timing_firing *firing; // [step * firings of the IR + firing]
    struct timing_turn *turn;     // [step * engines + engine]
    int64_t words, beats;         // moved in all
    int64_t loaded;               // cycle of the last parameter, < 0: there are none
    const char *stuck;            // NULL, or who waits for what: the graph cannot go on with these depths
    bool cut;                     // it could, but for the limit
};

// NULL where a kernel has no contract (*missing then names its module). All of the result lives in the arena.
struct timing_result *timing_simulate(struct arena *, const struct ir *, const struct timing_options *,
                                      const char **missing);

// ---- forecast of a request ----------------------------------------------------------------------

struct timing_phase { // steps of a prompt, or of ids made; sums over them, cycles
    int64_t steps;
    double cycles;
    double macs;        // products of the model: weights, scores, values
    double busy, beats; // of the engine with most to do: cycles with a command, beats that each of its lanes reads
    double wait[TIMING_CAUSES];      // where its other cycles went, beside
    double turn;                     // the wait for a step's first operand
    double (*firing)[TIMING_CAUSES]; // per firing of the IR: parts of `wait`
    struct cost_bound bound;         // below which no simulation of these steps is
};

struct timing_forecast {
    int64_t prompt, tokens; // ids in, ids made
    int64_t start;          // cycles before the first step: arguments, vector parameters
    double first_id, end;   // cycles from start to the first id, and to the last one, in the ring
    struct timing_phase prefill, decode;
    int64_t steps, simulated; // of the request; of these, simulated
    int engine;               // of the phases' figures, or IR_NONE
    double memory_gbs;        // sustained, of a channel
};

// NULL, or how the forecast says less than its own bound: then one of the two is wrong.
const char *timing_below_bound(struct arena *, const struct ir *, const struct timing_forecast *);

enum { TIMING_WHOLE_WORDS = 8000000 /* a second, some 300 MB */ };

// A whole request without any values. One of more words on its streams than whole_words is sampled: steps at some
// positions, each standing for its neighbours. age: of the memory at the start, cycles. NULL: *why says which kernel
// has no contract, or which streams come to a halt.
struct timing_forecast *timing_foretell(const struct ir *, int64_t prompt, int64_t tokens, int64_t age,
                                        int64_t whole_words, const char **why);

#endif
