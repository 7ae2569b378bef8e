// SPDX-License-Identifier: Apache-2.0
// Partition of a design over adjacent dies. This is the interface between the pass place-dies (place_dies.c), which
// knows kernels, and the integer program that it solves (place_program.c), which knows only tasks, links and lanes.
// place_merge.c makes the program smaller. The memory's die is the die with the ports of the memory.
// Dies in `struct place` are counted from the first die that the design uses. place_relieve and place_set_loads take
// die numbers of the board.
#ifndef RILL_PLACE_H
#define RILL_PLACE_H

#include "gen/cost/cost.h"
#include "gen/lp/mip.h"

enum {
    PLACE_RESOURCES = 4 /* LUTs, DSPs, BRAM18s and UltraRAMs, in this order */,
    PLACE_MORE_PART = 8 /* an excess that exists only under the upper estimate of the ports' resources counts 1 / 8 */
};

struct place_task {                // kernels that must be on one die
    int64_t need[PLACE_RESOURCES]; // resources of all its kernels
    bool pinned;                   // it must be on the memory's die
    int die;                       // result
};

struct place_link { // a stream between two tasks
    int from, to;   // tasks
    int64_t bits;   // wires that it needs at each boundary
};

// Equal groups of lanes of an engine, which may be on other dies than the engine. Each group is a part. A whole part is
// on one die. A cut part has its multipliers on the memory's die and its accumulators (`sums_`) on another one. With
// place.halves, a beat goes to a whole part on another die in two halves, at the second clock.
struct place_lanes {
    int task, parts;   // task of the engine's other logic; number of parts
    int engine, first; // index of the engine in the IR; first lane of the first part. A part has IR_LANE_GROUP lanes,
                       // or fewer at the end
    int with;          // index of the entry that counts what all parts of the engine on a die share (chain_bits,
                       // sums_chain_bits, chain_need): this one or an earlier one
    int results;       // the task where results come together
    int64_t need[PLACE_RESOURCES];       // resources of one part
    int64_t bits;                        // wires from the memory's die to a part
    int64_t back_bits;                   // wires from a part to the results
    int64_t chain_bits;                  // wires from the memory's die to all parts on a die together
    int64_t chain_need[PLACE_RESOURCES]; // resources of all parts on another die together, in addition to `need`
    int64_t sums_need[PLACE_RESOURCES];  // resources of the accumulators of a part, for a cut part
    int64_t sums_bits;                   // bits from the multipliers of a cut part to its accumulators
    int64_t sums_chain_bits;             // bits to the accumulators of all cut parts on a die together
    // With place.halves: LUTs on the memory's die for each whole part on another die. They select a half of a beat.
    int64_t send_luts;
    int on[IR_MAX_DIES];  // result: whole parts on each die
    int cut[IR_MAX_DIES]; // result: cut parts, by the die of their accumulators
};

struct place {
    struct arena *arena;
    int dies, home;                             // home: the memory's die
    int64_t room[IR_MAX_DIES][PLACE_RESOURCES]; // resources of each die that the design may use, within the limits
    double full[IR_MAX_DIES][PLACE_RESOURCES];  // share of that room that tasks and lanes may take: about 1
    int64_t more[PLACE_RESOURCES]; // reduction of that room on the memory's die under the upper estimate of its ports
    bool has_wires;                // whether the board says how many wires its boundaries have
    int64_t wires[IR_MAX_DIES];    // bits that the design may send over each boundary, within the limits; at least 1
    int *task_of;                  // task of each kernel
    bool cuts;                     // parts may be cut, and results may come together on another die
    bool halves;                   // beats go to parts on other dies in two halves
    VEC(struct place_task) task;
    VEC(struct place_link) link;
    VEC(struct place_lanes) lanes;
};

// Sets there[k] to whether kernel k must be on the memory's die. The lanes of an engine may be on other dies even if
// its kernel is marked.
void place_at_memory(const struct ir *, bool *there);
void place_amounts(const struct cost_resources *, int64_t out[PLACE_RESOURCES]); // the amounts in the program's order
// Solves the partition as an integer program and sets the results: `die` of the tasks, `on` and `cut` of the lanes.
// MIP_NONE: the search found no solution, and the dies were filled in order instead.
enum mip_status place_solve(struct place *);
// Returns the least excess over the limits, as a sum of shares of these limits, if tasks could be divided at will. No
// partition has a smaller excess.
double place_least_excess(struct place *);

// A partition whose tasks stand for one or several tasks of another partition.
struct place_merged {
    struct place place;
    int *task_of; // the task that stands for each task of the other partition
};
// If the partition has very many tasks, merges tasks and returns true.
bool place_merge(const struct place *, struct place_merged *);
// Sets the results of the partition from those of its merged tasks.
void place_unmerge(struct place *, const struct place_merged *);

// Returns the resources that tasks and lanes take on a die, as the program counts them.
void place_used(const struct place *, int die, int64_t used[PLACE_RESOURCES]);

// If the die exceeds the limit of its LUTs, moves small FIFOs from LUTRAM to block RAM, then to UltraRAM, until it is
// within the limit. The FIFO that saves the most LUTs per RAM is moved first. If the limit would still be exceeded,
// nothing is moved. Results and cycles do not change.
void place_relieve(struct ir *, int die);
// Returns the LUTs that place_relieve can save on the memory's die, from FIFOs that must be there.
int64_t place_small_luts(const struct ir *);
// Adds the register stages by which the load bus reaches parameter stores on other dies than `home`.
void place_set_loads(struct ir *, int home);
// Sets the number of register stages on the way of the reset, so that all dies leave reset in the same cycle. Does
// nothing if all kernels are on one die.
void place_set_reset(struct ir *);
// Sends the hash of the logits to the token loop in slices, with a register on each die in between. Does nothing if no
// kernel hashes, or if the hash is made on the die of the token loop.
void place_set_hash(struct ir *);

#endif
