// SPDX-License-Identifier: Apache-2.0
// Partition of a design over neighbouring dies: between the pass place-dies, which knows kernels, and the program that
// it solves.
#ifndef RILL_PLACE_H
#define RILL_PLACE_H

#include "gen/cost/cost.h"
#include "gen/lp/mip.h"

enum {
    PLACE_RESOURCES = 4 /* LUT, DSP, BRAM in halves, URAM */,
    PLACE_MORE_PART = 8 /* what is beyond limits by the second figure of the memory's ports counts so many times less */
};

struct place_task { // what has to be together
    int64_t need[PLACE_RESOURCES];
    bool pinned; // to the die at the memory
    int die;     // the result
};

struct place_link { // a stream between two tasks
    int from, to;
    int64_t bits;
};

struct place_lanes { // parts of a task that may lie elsewhere, all alike
    int task, parts;
    int engine, first;                   // lanes from `first` on
    int with;                            // the entry that has what all parts of a die share: itself, or of its engine
    int results;                         // the task where results come together
    int64_t need[PLACE_RESOURCES];       // of a part
    int64_t bits;                        // from the die at the memory to a part
    int64_t back_bits;                   // from a part to the results
    int64_t chain_bits;                  // and to all parts of a die together
    int64_t chain_need[PLACE_RESOURCES]; // of all parts of another die together, beside their own
    int64_t sums_need[PLACE_RESOURCES]; // of a part that is cut, what may lie elsewhere while the rest is at the memory
    int64_t sums_bits;                  // then from one half to the other
    int64_t sums_chain_bits;            // and to all such halves of a die together
    int on[IR_MAX_DIES];                // the result: parts on each die,
    int cut[IR_MAX_DIES];               // and parts that are cut, by their second half
};

struct place {
    struct arena *arena;
    int dies, home;                             // home: the die at the memory
    int64_t room[IR_MAX_DIES][PLACE_RESOURCES]; // what the design may take of each die, within the board's limits
    int64_t more[PLACE_RESOURCES];              // and what the die at the memory may have less of it
    int64_t sll;                                // bits that may cross a boundary, likewise; 0: no limit known
    int *task_of;                               // of each kernel
    bool cuts;                                  // parts may be cut, and results come together elsewhere
    VEC(struct place_task) task;
    VEC(struct place_link) link;
    VEC(struct place_lanes) lanes;
};

// Which kernels have to lie on the die at the memory; but the lanes of engines may lie elsewhere.
void place_at_memory(const struct ir *, bool *there);
void place_amounts(const struct cost_resources *, int64_t out[PLACE_RESOURCES]);
// By integer program; MIP_NONE: by filling dies in order instead.
enum mip_status place_solve(struct place *);

// Stores of parameters on other dies than `home`: register stages of what loads them.
void place_set_loads(struct ir *, int home);
void place_set_reset(struct ir *);
void place_set_hash(struct ir *); // the hash of the logits in slices, with a register on each die between

#endif
