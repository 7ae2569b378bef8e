// SPDX-License-Identifier: Apache-2.0
// A simulator that calculates when words move. It runs the kernel graph word by word on the kernels' timing contracts,
// without calculating values. See docs/timing.md. Units: cycles, words of a stream. A row has one word for each active
// token of the step.
#ifndef RILL_SIMULATE_H
#define RILL_SIMULATE_H

#include "gen/ir/ir.h"

// A part of a step: consecutive tokens of one request, in a design with slots.
struct timing_part {
    int64_t pos; // position of the first token
    int ntok;    // tokens
    int slot;    // place of the request's keys and values
    bool prompt; // the ids come from the prompt in memory
    bool head;   // the id that the model chooses after the last token is the request's next one
    bool ends;   // that id is the request's last one
};

struct timing_step {
    int64_t pos; // position of the first token
    int ntok;    // active tokens
    bool head;   // regions that run only in steps with a head (IR_LAST) run in this step
    // The parts of a step of several requests, whose tokens add up to ntok. NULL: the step is one part.
    const struct timing_part *part;
    int parts;
};
static inline struct timing_step timing_step_at(int64_t pos, int64_t tokens, bool head) { // of one part
    return (struct timing_step){.pos = pos, .ntok = (int)tokens, .head = head};
}
static inline int timing_parts(const struct timing_step *s) { return s->part ? s->parts : 1; }
// The part with this number. A step without a list is a part of slot 0.
static inline struct timing_part timing_part(const struct timing_step *s, int part) {
    return s->part ? s->part[part] : (struct timing_part){.pos = s->pos, .ntok = s->ntok, .head = s->head};
}

struct timing_memory {                 // the memory of a channel
    const struct hbm_figures *figures; // the board's figures, which the Verilog simulation uses as well (docs/hbm.md)
    double period_ps;                  // period of the design's clock, in ps
    bool refreshes;                    // the memory is refreshed, which costs time
    int64_t start; // age of the memory when the first step begins, in cycles; sets the times of its refreshes
    bool kept;     // the vector parameters are on chip: only the image's header is read
    // Cycles before the first step in which parameters and the engines' beats are first requested (timing_start).
    int64_t lead;
};
struct timing_memory timing_memory(const struct ir_design *);

struct timing_options {
    const struct timing_step *step; // steps of one request, in order
    int steps;
    // FIFOs have their depths. If false, only streams of steps, of vector parameters and of ids for the ring have them,
    // and all others are unbounded.
    bool bounded;
    // Ids of the first `ids` positions, which select the rows that are fetched. Later positions have arbitrary ids.
    const int64_t *id;
    int64_t ids;
    const int64_t *depth; // per edge, instead of the IR's; counts as 2 if less. NULL: the IR's, with its pools
    bool twice;           // all of the IR's depths are doubled, including those of pools
    // A pipeline that stalls as a whole holds only one word. It may hold so few: words that come far apart are never in
    // it together.
    bool single_word;
    // Repetitions of the repeated region that are run, at least as many as have different windows. 0 or 1: all. Has an
    // effect only with exactly one such region.
    int64_t layers;
    const int64_t *words; // per edge, number of expected words, for which memory is allocated at once; NULL: unknown
    // Per step: latest cycle of an engine's last command. A later one ends the run as if stuck. NULL: any.
    const int64_t *latest;
    int64_t limit; // limit of words and beats, beyond which the run ends as if stuck; 0: none
    // Keys count as written only when their write engine holds nothing at all. An old version of the hardware had this
    // rule; a test of deadlocks uses it.
    bool idle_counts;
    bool load_only; // run only what comes before the first step; timing_result.loaded tells when it ended
    struct timing_memory memory;
};

struct timing_edge {
    int64_t words;      // words that were put
    int64_t high_water; // most words in it at once
    // Most places in use at once: words, and places whose words have left but which the writer does not know to be free
    // yet. A FIFO of this depth never stops its writer, so the timing stays the same. This does not hold for depth 2,
    // because a FIFO of two words has another latency.
    int64_t room;
    int64_t most_at;     // index of the word that was put when it was fullest
    int64_t holds;       // words in it at the end
    int64_t full;        // cycles in which the writer waited for room
    const int64_t *put;  // per word: when it was put,
    const int64_t *take; // when it was taken,
    const uint8_t *mark; // and what it ends: MARK_LAST ...
};
enum { MARK_LAST = 1 /* of a firing */, MARK_TOK_LAST = 2 /* of a row */ };

// The things for which an engine waits: beats of weights, keys or values, its operand, or room for its results.
enum timing_cause { TIMING_FOR_BEATS /* and keys, values */, TIMING_FOR_OPERAND, TIMING_FOR_ROOM, TIMING_CAUSES };

struct timing_firing {           // one firing of an engine in one step, over all its repetitions
    int64_t busy;                // cycles with a command
    int64_t beats;               // beats that each lane reads from memory
    int64_t wait[TIMING_CAUSES]; // cycles without a command, by cause
};

struct timing_turn {      // one engine in one step
    int64_t wait;         // wait for the step's first operand, which is not in any firing's wait
    int64_t last_command; // cycle
};

struct timing_work {
    int64_t busy;        // words of the kernel's busiest port, each of which takes a cycle
    int64_t first, last; // first and last cycle with a word at any port; first < 0: none
};

struct timing_result {
    int64_t cycles; // cycles until the last step is over; < 0: stuck
    int64_t *step;  // when each step began, and [steps] when the last was over
    struct timing_edge *edge;
    struct timing_work *kernel;
    struct timing_firing *firing; // [step * firings of the IR + firing]
    struct timing_turn *turn;     // [step * engines + engine]
    int64_t words, beats;         // words and beats moved in all
    int64_t loaded;    // cycle in which the last beat of header and parameters was taken; < 0: none is loaded
    const char *stuck; // NULL, or the streams that still hold words when the graph cannot go on
    bool cut;          // it stopped only because of the limit
};

// Simulates the steps. Returns NULL if a kernel has no contract; *missing then names its module. The whole result is in
// the arena.
struct timing_result *timing_simulate(struct arena *, const struct ir *, const struct timing_options *,
                                      const char **missing);

#endif
