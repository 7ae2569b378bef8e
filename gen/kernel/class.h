// SPDX-License-Identifier: Apache-2.0
// Internal to gen/kernel: functions that several kernel classes share, for parameters, timing contracts (contract.h)
// and costs. Names in capitals are parameters of the Verilog modules; their fallbacks are the defaults in the RTL.
#ifndef RILL_KERNEL_CLASS_H
#define RILL_KERNEL_CLASS_H

#include "gen/kernel/args.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/terms.h"
#include "gen/ir/latency.h"

// ---- parameters that most modules have ----

static inline int64_t class_lanes(const struct kernel_args *a) { return at_least(args_int(a, "LANES", 1), 1); }
static inline int64_t class_tokens(const struct kernel_args *a) { return args_int(a, "TOKENS", 1); }
static inline int64_t class_beat_bits(const struct kernel_args *a) { return args_int(a, "BEAT_BITS", 512); }
// Returns the number of layers whose rows or scales the kernel stores: those of all slots, or LAYERS without slots.
static inline int64_t class_places(const struct kernel_args *a) {
    int64_t places = args_int(a, "PLACES", 0);
    return places ? places : args_int(a, "LAYERS", 1);
}
static inline int64_t class_ports(const struct kernel_args *a) { return args_int(a, "PORTS", 1); }
// Returns the levels of a binary tree over the lanes; 0 for one lane.
static inline int64_t class_levels(const struct kernel_args *a) { return log2_up(class_lanes(a)); }
// Returns the words (chunks) of a vector of N elements.
static inline int64_t class_chunks(const struct kernel_args *a) { return div_up(args_int(a, "N", 1), class_lanes(a)); }
static inline bool class_is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }
// Returns the greatest common divisor of a and b, which are not negative; with b = 0 it is a.
static inline int64_t class_divisor(int64_t a, int64_t b) { return b ? class_divisor(b, a % b) : a; }
// The widths TOK_W of a token's number and USER_W of tuser (docs/rtl.md section 3).
static inline int64_t tok_bits(int64_t tokens) { return at_least(log2_up(tokens), 1); } // TOK_W
static inline int64_t user_bits(int64_t tokens) { return tok_bits(tokens) + 1; }        // USER_W

// ---- contracts ----

// These fill in a contract for modules of one kind. Times are in cycles.
void class_pipe(struct timing_contract *, int64_t latency); // `latency` stages that stall together
// rill_bank_buffer: two banks of `rows` rows. A group's first word is read `delay` + 1 cycles after its last word
// arrived. The data are available one cycle later and are sent after `stages` further cycles.
void class_banks(struct timing_contract *, int64_t rows, int64_t delay, int64_t stages);
// rill_norm_front: it takes `finish` cycles from the sums of a vector to its statistics, and `stages` cycles from an
// element that is read again to its result.
void class_norm(const struct kernel_args *, struct timing_contract *, int64_t finish, int64_t stages);
int64_t class_max_delay(const struct kernel_args *); // `delay` of class_banks if reading waits for the maximum of a row
void class_units(const struct kernel_args *, struct timing_contract *);  // banks are read by token, packed into beats
void class_replay(const struct kernel_args *, struct timing_contract *); // groups are kept and sent several times
void class_layout(const struct kernel_args *, struct timing_contract *); // two banks, read in another order
void class_rows(const struct kernel_args *, struct timing_contract *);   // rows of a graph's input or output

// ---- computed weights ----

// Fills table[rows][cols] with the cosines and sines of rope_table's angles (rope.c; docs/numerics.md section 9): a row
// per position has cols / 2 cosines, then as many sines.
void class_rope_table(const struct ir_node *, int64_t rows, int64_t cols, float table[]);

// ---- soft caps (softcap.c): as a kernel, and on the scores of softmax ----

void class_softcap(struct ir *, const struct ir_node *, int kernel); // sets the parameters from the attribute `cap`
void class_cost_softcap(int64_t lanes, struct cost_resources *);     // adds the soft cap of so many lanes

// ---- functions of rill_unary (unary.c), which the exact GELU shares ----

enum { CLASS_GELU_FUNCTION = 3 }; // parameter FUNCTION of rill_unary for the GELU with tanh
void class_cost_unary(int64_t function, int64_t lanes, struct cost_resources *);

// ---- functions of two operands (binary.c) ----

// function: parameter FUNCTION of rill_binary. The latency is in cycles.
int64_t class_binary_latency(int64_t function);
void class_cost_binary(int64_t function, int64_t lanes, struct cost_resources *);

void class_cost_sum(const struct kernel_args *, struct cost_resources *); // exact sums of rill_reduce (reduce.c)

// ---- functions whose result for 0 is not 0 (padding.c) ----

// Sets N, the elements of a firing, from which the kernel finds the lanes of the last word that are padding.
void class_padding(struct ir *, const struct ir_node *, int kernel);
void class_cost_padding(const struct kernel_args *, struct cost_resources *); // adds the logic, if lanes are padding

// ---- sliding windows (window_params.c) ----

// Sets parameter `name` to the window of a token in each layer, in positions, and WINDOWS to the number of layers. If
// all layers have one window it sets a single value, and without windows nothing.
void class_window_list(struct ir *, int kernel, const char *name, const int64_t window[], int64_t layers);
void class_window(struct ir *, const struct ir_node *, int kernel); // sets WINDOW from the node's attribute
// class_cost_window adds the window logic of a kernel with WINDOW. class_cost_window_entries adds that of the engine
// and the walker, whose entries begin reading keys or values at a window.
void class_cost_window(const struct kernel_args *, struct cost_resources *);
void class_cost_window_entries(const struct kernel_args *, int64_t entry_bits, struct cost_resources *);

// ---- kernels that a spec declares (gen/kernel/custom.c) ----

struct kernel_class class_of_custom(const struct custom *);

// ---- resources ----

// These add resources to *r.
static inline void cost_ram_add(struct cost_resources *r, int64_t words, int64_t bits, enum ram_style style,
                                int64_t times) {
    struct cost_resources ram = cost_ram(words, bits, style);
    cost_add(r, &ram, times);
}

static inline void cost_fifo_add(struct cost_resources *r, int64_t depth, int64_t bits, enum ram_style style) {
    struct cost_resources fifo = cost_fifo(depth, bits, style);
    cost_add(r, &fifo, 1);
}

// Adds a multiplexer of `words` words of `bits` bits. A LUT selects a bit of four words, and one more LUT per bit
// selects among the results.
void class_cost_select(struct cost_resources *, int64_t bits, int64_t words);
void class_cost_banks(const struct kernel_args *, int64_t chunks, struct cost_resources *); // rill_bank_buffer
// These add a memory with its output register, and a replay buffer of `depth` words with its counters.
void class_cost_buffer(struct cost_resources *, int64_t words, int64_t bits, enum ram_style style);
void class_cost_replay(struct cost_resources *, int64_t depth, int64_t bits, enum ram_style style);
void class_half_hop(int64_t bits, int64_t stages, struct cost_resources *); // rill_half_hop (hop.c)
// rill_schedule: the table, and the logic that walks it.
void class_cost_schedule(struct cost_resources *, int64_t entry_bits, int64_t entries, int64_t sections);
void class_cost_turns(const struct kernel_args *, struct cost_resources *); // rill_turns
// rill_drafts, or rill_slot_drafts in a kernel with SLOTS: logic in proportion to the bits of an id, and memories for
// the ids of the requests. Adds nothing to a kernel without DRAFTS.
void class_draft_cost(const struct kernel_args *, struct cost_resources *);

#endif
