// SPDX-License-Identifier: Apache-2.0
// Internal to gen/kernel: functions that several classes share.
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
// Layers whose rows or scales the kernel stores: those of all slots, or LAYERS without slots.
static inline int64_t class_places(const struct kernel_args *a) {
    int64_t places = args_int(a, "PLACES", 0);
    return places ? places : args_int(a, "LAYERS", 1);
}
static inline int64_t class_ports(const struct kernel_args *a) { return args_int(a, "PORTS", 1); }
static inline int64_t class_levels(const struct kernel_args *a) { return log2_up(class_lanes(a)); }
static inline int64_t class_chunks(const struct kernel_args *a) { return div_up(args_int(a, "N", 1), class_lanes(a)); }
static inline bool class_is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }
// Returns the greatest common divisor of a and b, which are not negative; with b = 0 it is a.
static inline int64_t class_divisor(int64_t a, int64_t b) { return b ? class_divisor(b, a % b) : a; }
static inline int64_t tok_bits(int64_t tokens) { return at_least(log2_up(tokens), 1); } // TOK_W
static inline int64_t user_bits(int64_t tokens) { return tok_bits(tokens) + 1; }        // USER_W

// ---- contracts ----

void class_pipe(struct timing_contract *, int64_t latency); // stages that stall together
// rill_bank_buffer: two banks of `rows`. The first word is issued `delay` + 1 cycles after the last one arrived. Its
// data are available one cycle later, and leave after `stages` further cycles.
void class_banks(struct timing_contract *, int64_t rows, int64_t delay, int64_t stages);
// rill_norm_front: `finish` cycles from the sums to the statistics, and `stages` cycles from the operands to the
// result.
void class_norm(const struct kernel_args *, struct timing_contract *, int64_t finish, int64_t stages);
int64_t class_max_delay(const struct kernel_args *); // `delay` of class_banks until the maximum of a row is known
void class_units(const struct kernel_args *, struct timing_contract *);  // read token by token, packed into beats
void class_replay(const struct kernel_args *, struct timing_contract *); // groups are kept and sent several times
void class_layout(const struct kernel_args *, struct timing_contract *); // two banks, read in another order
void class_rows(const struct kernel_args *, struct timing_contract *);   // rows of a graph's input or output

// ---- computed weights ----

// Fills the table with cos and sin of rope_table's angles (rope.c; docs/numerics.md section 9).
void class_rope_table(const struct ir_node *, int64_t rows, int64_t cols, float table[]);

// ---- soft caps (softcap.c): as a kernel, and on the scores of softmax ----

void class_softcap(struct ir *, const struct ir_node *, int kernel); // sets the parameters from the attribute `cap`
void class_cost_softcap(int64_t lanes, struct cost_resources *);

// ---- functions of rill_unary (unary.c), which the exact GELU shares ----

enum { CLASS_GELU_FUNCTION = 3 };
void class_cost_unary(int64_t function, int64_t lanes, struct cost_resources *);

// ---- lanes of two operands (binary.c) ----

int64_t class_binary_latency(int64_t function);
void class_cost_binary(int64_t function, int64_t lanes, struct cost_resources *);

void class_cost_sum(const struct kernel_args *, struct cost_resources *); // exact sums of rill_reduce (reduce.c)

// ---- functions that are not 0 at 0 (padding.c) ----

// Sets N, the elements of a firing, from which the kernel knows which lanes are padding.
void class_padding(struct ir *, const struct ir_node *, int kernel);
void class_cost_padding(const struct kernel_args *, struct cost_resources *);

// ---- sliding windows (window_params.c) ----

// Sets parameter `name` to the window of a token in each layer, and WINDOWS to their number, unless one value or none
// is enough.
void class_window_list(struct ir *, int kernel, const char *name, const int64_t window[], int64_t layers);
void class_window(struct ir *, const struct ir_node *, int kernel); // sets WINDOW from the node's attribute
// class_cost_window: of a kernel with WINDOW. class_cost_window_entries: of entries of the engine or walker, which
// begin at a window of keys or values.
void class_cost_window(const struct kernel_args *, struct cost_resources *);
void class_cost_window_entries(const struct kernel_args *, int64_t entry_bits, struct cost_resources *);

// ---- kernels that a spec declares (custom.c) ----

struct kernel_class class_of_custom(const struct custom *);

// ---- resources ----

static inline void cost_ram_add(struct cost_resources *r, int64_t words, int64_t bits, enum ram_style style,
                                int64_t times) {
    struct cost_resources ram = cost_ram(words, bits, style);
    cost_add(r, &ram, times);
}

static inline void cost_fifo_add(struct cost_resources *r, int64_t depth, int64_t bits, enum ram_style style) {
    struct cost_resources fifo = cost_fifo(depth, bits, style);
    cost_add(r, &fifo, 1);
}

// Adds a multiplexer of words. A LUT selects a bit of four words, and another LUT selects among the results.
void class_cost_select(struct cost_resources *, int64_t bits, int64_t words);
void class_cost_banks(const struct kernel_args *, int64_t chunks, struct cost_resources *); // rill_bank_buffer
void class_cost_buffer(struct cost_resources *, int64_t words, int64_t bits, enum ram_style style);
void class_cost_replay(struct cost_resources *, int64_t depth, int64_t bits, enum ram_style style);
void class_half_hop(int64_t bits, int64_t stages, struct cost_resources *); // rill_half_hop (hop.c)
// rill_schedule: the table and the walk through it.
void class_cost_schedule(struct cost_resources *, int64_t entry_bits, int64_t entries, int64_t sections);
void class_cost_turns(const struct kernel_args *, struct cost_resources *); // rill_turns

#endif
