// SPDX-License-Identifier: Apache-2.0
// Declares the functions that machines.def names. A machine is the code that behaves like a kernel (sim_actor.h calls a
// kernel in the simulation an actor). An init function makes the state of an actor, and a run function moves the
// actor's words. Also declares what several machines share.
#ifndef RILL_SIMULATOR_MACHINES_H
#define RILL_SIMULATOR_MACHINES_H

#include "gen/simulator/sim_actor.h"

enum { SIM_ID_BITS = 32 }; // width of a token id in memory
// Returns the byte offset in its channel of the segment with this role, or 0 if there is none.
int64_t sim_offset_for(const struct ir *, enum ir_segment_role);

// The rows of a table in memory that a custom kernel reads for a firing, at the step's positions. The kernel reads the
// rows before it takes the firing's words.
struct sim_table {
    struct sim_client *client; // NULL: the kernel reads no table
    // Bytes: offset in the channel, distance between two firings' tables, length of a row.
    int64_t offset, stride, row_bytes;
    int64_t rows;         // rows of the table
    int64_t firing;       // index of the present firing in the step
    int64_t asked, beats; // rows that were requested, and beats that have arrived, for the present firing
    int64_t from;         // first cycle for the next request
    int64_t held;         // first cycle in which words of the firing may be taken
};

// The step words of a custom kernel. A step word tells the kernels which tokens and positions a step has. The kernel
// takes no word of a step before the step word has arrived, and takes the step word together with the last word of the
// step.
struct sim_steps {
    struct sim_table table;
    struct sim_edge *edge; // NULL: the kernel takes no step words
    int64_t firings, left; // firings of a step; firings left of the present step, 0: the step has not begun
    int64_t last;          // cycle of the last step word that was taken
    bool when_last;        // the kernel runs only in steps with a head, for their last position
};
// Fills in the struct for any kernel. Returns false if a kernel that takes step words lacks the stream of the step
// words or the client of its table.
bool sim_steps_init(struct sim *, const struct actor *, struct sim_steps *);
// Raises *from to the cycle from which words of the present step may be taken. Returns false while the step word, or a
// row of the table, has not arrived.
bool sim_steps_wait(struct sim *, const struct actor *, struct sim_steps *, int64_t *from);
// Notes that the last word of a firing was taken in cycle `at`.
void sim_steps_fired(struct sim *, const struct actor *, struct sim_steps *, int64_t at);

// Each init function makes the state of its machine in arena memory. It returns false if the kernel lacks a stream or a
// client, or if its parameters are invalid.
bool sim_pipe_init(struct sim *, struct actor *);
bool sim_bank_init(struct sim *, struct actor *);
bool sim_argmax_init(struct sim *, struct actor *);
bool sim_gear_init(struct sim *, struct actor *);
bool sim_fork_init(struct sim *, struct actor *);
bool sim_steer_init(struct sim *, struct actor *);
bool sim_select_init(struct sim *, struct actor *);
bool sim_kept_init(struct sim *, struct actor *);
bool sim_spill_init(struct sim *, struct actor *);
bool sim_layout_init(struct sim *, struct actor *);
bool sim_parts_init(struct sim *, struct actor *);
bool sim_order_init(struct sim *, struct actor *);
bool sim_slots_init(struct sim *, struct actor *);
bool sim_lines_init(struct sim *, struct actor *);
bool sim_turns_init(struct sim *, struct actor *);
bool sim_sieve_init(struct sim *, struct actor *);
bool sim_together_init(struct sim *, struct actor *);
bool sim_kv_init(struct sim *, struct actor *);
bool sim_engine_init(struct sim *, struct actor *);
bool sim_fetch_init(struct sim *, struct actor *);
bool sim_rows_init(struct sim *, struct actor *);
bool sim_writer_init(struct sim *, struct actor *);
bool sim_ring_init(struct sim *, struct actor *);
bool sim_logprobs_init(struct sim *, struct actor *);
bool sim_records_init(struct sim *, struct actor *);
bool sim_loop_init(struct sim *, struct actor *);
bool sim_groups_init(struct sim *, struct actor *);

// Each run function moves all words of its kernel that can move: those whose inputs arrive, and for which outputs have
// room, in known cycles. It is called again when more cycles become known (sim_wake).
void sim_pipe_run(struct sim *, struct actor *);
void sim_bank_run(struct sim *, struct actor *);
void sim_argmax_run(struct sim *, struct actor *);
void sim_gear_run(struct sim *, struct actor *);
void sim_fork_run(struct sim *, struct actor *);
void sim_steer_run(struct sim *, struct actor *);
void sim_select_run(struct sim *, struct actor *);
void sim_kept_run(struct sim *, struct actor *);
void sim_spill_run(struct sim *, struct actor *);
void sim_layout_run(struct sim *, struct actor *);
void sim_parts_run(struct sim *, struct actor *);
void sim_order_run(struct sim *, struct actor *);
void sim_slots_run(struct sim *, struct actor *);
void sim_lines_run(struct sim *, struct actor *);
void sim_turns_run(struct sim *, struct actor *);
void sim_sieve_run(struct sim *, struct actor *);
void sim_pack_run(struct sim *, struct actor *);
void sim_split_run(struct sim *, struct actor *);
void sim_store_run(struct sim *, struct actor *);
void sim_scales_run(struct sim *, struct actor *);
void sim_k_writer_run(struct sim *, struct actor *);
void sim_v_tail_run(struct sim *, struct actor *);
void sim_engine_run(struct sim *, struct actor *);
void sim_fetch_run(struct sim *, struct actor *);
void sim_rows_run(struct sim *, struct actor *);
void sim_sink_run(struct sim *, struct actor *);
void sim_writer_run(struct sim *, struct actor *);
void sim_ring_run(struct sim *, struct actor *);
void sim_logprobs_run(struct sim *, struct actor *);
void sim_records_run(struct sim *, struct actor *);
void sim_loop_run(struct sim *, struct actor *);
void sim_groups_run(struct sim *, struct actor *);

#endif
