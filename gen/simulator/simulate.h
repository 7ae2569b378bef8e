// SPDX-License-Identifier: Apache-2.0
// The forecast's simulator, which calculates in which cycles words move. It runs the kernel graph word by word by the
// kernels' timing contracts, without calculating values (docs/timing.md). All times are cycles of the design's clock. A
// row has one word for each active token of the step. A firing is one run of a kernel over its operands, for all tokens
// of the step.
#ifndef RILL_SIMULATE_H
#define RILL_SIMULATE_H

#include "gen/ir/ir.h"

// A part of a step: consecutive tokens of one request, in a design with slots.
struct timing_part {
    int64_t pos;    // position of the first token
    int64_t passes; // kept positions that the token loop passes over before this first part of a request
    int ntok;       // tokens
    int slot;       // number of the slot that holds the request's keys and values
    bool prompt;    // the ids come from the prompt in memory
    // The id that the model chooses after the last token of a prompt, or after the first token of another part, is the
    // request's next one.
    bool head;
    bool ends;  // the request ends with the part's last id that counts
    bool looks; // the token loop searches for drafts of the part; it has found them if ntok is above 1
    int right;  // right drafts: the ids after them are also those of the request
};

// A step: the design runs once, for `ntok` tokens at consecutive positions.
struct timing_step {
    int64_t pos; // position of the first token
    int ntok;    // active tokens
    bool head;   // regions that run only in steps with a head (IR_LAST) run in this step
    // The parts of a step of several requests, whose tokens add up to ntok. NULL: the step is one part.
    const struct timing_part *part;
    int parts;
};
// Returns a step that is one part.
static inline struct timing_step timing_step_at(int64_t pos, int64_t tokens, bool head) {
    return (struct timing_step){.pos = pos, .ntok = (int)tokens, .head = head};
}
static inline int timing_parts(const struct timing_step *s) { return s->part ? s->parts : 1; }
// Returns the part with this number. A step without a list of parts is one part in slot 0.
static inline struct timing_part timing_part(const struct timing_step *s, int part) {
    return s->part ? s->part[part] : (struct timing_part){.pos = s->pos, .ntok = s->ntok, .head = s->head};
}

struct timing_memory {                 // the memory of a channel
    const struct hbm_figures *figures; // the board's figures, which the Verilog simulation uses as well (docs/hbm.md)
    double period_ps;                  // period of the design's clock, in ps
    bool refreshes;                    // the memory is refreshed, which costs time
    int64_t start; // age of the memory when the first step begins, in cycles; it decides when refreshes come
    bool kept;     // the vector parameters are already on chip, so only the image's header is read
    // Cycles from the start of the request to its first step (timing_start). In this time, the parameters and the
    // engines' first beats are requested.
    int64_t lead;
};
// Returns the memory of the design's board, refreshed and of age 0.
struct timing_memory timing_memory(const struct ir_design *);

struct timing_options {
    const struct timing_step *step; // steps of one request, in order
    int steps;
    // FIFOs have their depths. If false, only streams of step words, of vector parameters and of ids for the ring have
    // their depths, and all others are unbounded.
    bool bounded;
    // Ids of the first `ids` positions, which select the rows that are fetched. Later positions have arbitrary ids.
    const int64_t *id;
    int64_t ids;
    // Per edge: depth in words, at least 2 (less counts as 2). NULL: the depths and the pools of the IR.
    const int64_t *depth;
    bool twice; // all of the IR's depths are doubled, including those of pools
    // A pipeline that stalls as a whole holds only one word. This is the worst case: if words come far apart, no two of
    // them are in the pipeline together.
    bool single_word;
    // Repetitions of the repeated region that run; more if more are needed to have every kind of window. 0 or 1: all.
    // Has an effect only if exactly one region repeats.
    int64_t layers;
    const int64_t *words; // per edge, number of expected words, for which memory is allocated at once; NULL: unknown
    // Per step: latest cycle of an engine's last command. A later command ends the run as if stuck. NULL: no limit.
    const int64_t *latest;
    int64_t limit; // limit of words and beats, beyond which the run ends as if stuck; 0: none
    // Keys count as written only when their write engine holds nothing at all. An old version of the hardware had this
    // rule; a test of deadlocks uses it.
    bool idle_counts;
    bool load_only; // simulate only the load of the parameters before the first step (timing_result.loaded)
    struct timing_memory memory;
};

struct timing_edge {    // one stream
    int64_t words;      // words that were put
    int64_t high_water; // most words in the stream at once
    // Most places in use at once: words, and places whose words have left but which the writer does not know to be free
    // yet. A FIFO of this depth never stops its writer, so the timing stays the same. This does not hold for depth 2,
    // because a FIFO of two words has another latency.
    int64_t room;
    int64_t most_at;     // index of the word whose put reached high_water first
    int64_t holds;       // words in the stream at the end of the run
    int64_t full;        // cycles in which the writer waited for room
    const int64_t *put;  // per word: cycle in which it was put
    const int64_t *take; // per word: cycle in which it was taken
    const uint8_t *mark; // per word: MARK_LAST and MARK_TOK_LAST, by what the word ends; higher bits have other uses
};
enum { MARK_LAST = 1 /* of a firing */, MARK_TOK_LAST = 2 /* of a row */ };

// The causes for which an engine waits: beats of weights, keys or values, its operand, or room for its results.
enum timing_cause { TIMING_FOR_BEATS /* and keys, values */, TIMING_FOR_OPERAND, TIMING_FOR_ROOM, TIMING_CAUSES };

struct timing_firing {           // one firing of an engine in one step, over all its repetitions
    int64_t busy;                // cycles with a command
    int64_t beats;               // beats that each lane reads from memory
    int64_t wait[TIMING_CAUSES]; // cycles without a command, by cause
};

// TIMING_ROUND_PLACES: how many rounds of a step are noted.
enum { TIMING_ROUND_PLACES = 16 };
struct timing_turn {      // one engine in one step
    int64_t wait;         // cycles of waiting for the step's first operand, which no firing's `wait` includes
    int64_t last_command; // cycle of the last command
    // The first repetitions (rounds) of the sections of the schedule that repeat: cycle of the last command of each.
    int64_t round[TIMING_ROUND_PLACES];
    int rounds;
};

struct timing_work {     // one kernel
    int64_t busy;        // words of the kernel's busiest port, each of which takes a cycle
    int64_t first, last; // first and last cycle with a word at any port; first < 0: none
};

struct timing_result {
    int64_t cycles;               // cycle in which the last step is over; < 0: the run is stuck
    int64_t *step;                // per step: cycle in which it began; [steps]: cycle in which the last step was over
    struct timing_edge *edge;     // per edge of the IR
    struct timing_work *kernel;   // per kernel of the IR
    struct timing_firing *firing; // [step * firings of the IR + firing]
    struct timing_turn *turn;     // [step * engines + engine]
    int64_t words, beats;         // words and beats moved in all
    int64_t layers, left_out;     // repetitions of the repeated region: simulated, and left out (timing_options.layers)
    int64_t loaded;    // cycle in which the last beat of header and parameters was taken; < 0: none is loaded
    const char *stuck; // if cycles < 0: a text that lists the streams that still hold words; else NULL
    bool cut;          // the run has reached options->limit
};

// Simulates the steps. Returns NULL if a kernel has no contract, lacks a stream or has invalid parameters, or if a
// figure of the design is out of range. *missing then is the kernel's module or name, or "the design", and NULL
// otherwise. A run that ends early is not NULL: its `cycles` is below 0. The whole result is in the arena.
struct timing_result *timing_simulate(struct arena *, const struct ir *, const struct timing_options *,
                                      const char **missing);

// Returns the last one of the first `layers` repetitions that has attention windows of the same lengths as number
// `repetition`, which may be any repetition of the design. Returns `layers` - 1 if no windows differ, and 0 if none of
// the first repetitions has the same.
int64_t timing_layer_like(const struct ir *, int64_t repetition, int64_t layers);

#endif
