// SPDX-License-Identifier: Apache-2.0
// Kernels: all that the compiler knows of an RTL module. One file of gen/kernel defines a class (small parts of one
// engine share one); nothing else spells a module's name or knows what it does: passes ask for traits, the timing model
// for the contract, the cost model for resources and memories. A kernel that a spec declares fills a class of its own
// (kernel_set_customs): passes see no difference.
#ifndef RILL_KERNEL_H
#define RILL_KERNEL_H

#include "gen/kernel/contract.h"
#include "gen/ir/ir.h"

// ---- Resources ---------------------------------------------------------------------------------

// LUT: LUTs, those used as memory and shift registers included. bram18: halves of a BRAM36.
// Source: formulas fitted to verif/cost/measured.txt (Yosys); memories by their shape, exactly as the device offers it.
// Range: the parameter ranges of docs/rtl.md section 2 and of the modules' headers.
struct cost_resources {
    int64_t lut, ff, dsp, bram18, uram;
};

void cost_add(struct cost_resources *to, const struct cost_resources *what, int64_t times);
// A simple dual port RAM of `words` x `bits`.
struct cost_resources cost_ram(int64_t words, int64_t bits, enum ram_style style);
// rill_fifo: its storage and its control.
struct cost_resources cost_fifo(int64_t depth, int64_t bits, enum ram_style style);

// A memory of a kernel whose RAM_STYLE may be chosen.
struct cost_memory {
    int64_t words, bits, times; // times: so many of it side by side
    enum ram_style style;
    bool mixed;    // they need not be alike:
    int64_t ultra; // so many of them are UltraRAM, whatever the style (parameter ULTRA)
};

// ---- Classes -----------------------------------------------------------------------------------

// What passes ask of a kernel.
enum kernel_trait {
    KERNEL_FORK = 1 << 0,       // carries the handshake of one stream to several; the payload is shared by wiring
    KERNEL_MUX = 1 << 1,        // firings of several streams become one, in the turns of a schedule
    KERNEL_DEMUX = 1 << 2,      // and the other way round
    KERNEL_ENTRY = 1 << 3,      // stands where a region is entered and belongs to those who read there
    KERNEL_WIDTH = 1 << 4,      // changes the width of words alone
    KERNEL_REORDERS = 1 << 5,   // stores groups of a firing in their order, gives them in another
    KERNEL_SPILL = 1 << 6,      // keeps firings in memory
    KERNEL_POOL = 1 << 7,       // is the storage of several streams
    KERNEL_KEYS = 1 << 8,       // writes keys of the KV cache
    KERNEL_VALUES = 1 << 9,     // writes values of the KV cache
    KERNEL_ROWS_OUT = 1 << 10,  // writes rows of an output to memory
    KERNEL_LOOP = 1 << 11,      // gives the steps of a request
    KERNEL_REGISTERS = 1 << 12, // is what the host reads and writes
    KERNEL_STEP = 1 << 13,      // takes step words,
    KERNEL_FETCH = 1 << 14,     // reads memory by an engine of its own,
    KERNEL_PARAM = 1 << 15,     // takes vector parameters,
    KERNEL_FAULT = 1 << 16,     // has an output `fault`: all of one operation's kernel
    KERNEL_CHOOSES = 1 << 17,   // has an output `row_hash`, of what it chooses from
    KERNEL_SAMPLES = 1 << 18,   // takes the request's settings of sampling
    KERNEL_STORE = 1 << 19,     // keeps the vector parameters of one operation's kernel
    KERNEL_DEALT = 1 << 20,     // reads rows that may be dealt out over channels
    KERNEL_FRAMES = 1 << 21,    // words as they come, of other firings
    KERNEL_REPEATS = 1 << 22,   // gives a firing in every repetition of its region
    KERNEL_LAST = 1 << 23,      // gives the last token of a firing
    KERNEL_PACKS = 1 << 24,     // makes query heads tokens of a firing,
    KERNEL_UNPACKS = 1 << 25,   // and firings again
    KERNEL_SCALES = 1 << 26,    // gives scales of the KV cache by position
    KERNEL_AGAIN = 1 << 27,     // gives keys as often as query heads read them
    KERNEL_MULTIPLIES = 1 << 28 // the matrix engine
};

// A kernel of a design, or parameters alone (ir NULL).
struct kernel_at {
    const struct ir *ir;
    int kernel;
};

struct kernel_args { // parameters of an RTL module
    const struct ir_param *param;
    int count;
};

enum kernel_kv { KERNEL_KV_ALL, KERNEL_KV_INTEGERS, KERNEL_KV_SCALE };

struct kernel_class {
    const char *module;  // its name in Verilog
    const char *doc;     // what it does with what goes through it; NULL: an operation's kernel, or a part of one
    const char *without; // what a design has not whose ports are open or tied; NULL: nobody says
    unsigned traits;     // of enum kernel_trait
    // Parameters beside LANES and TOKENS for the operation that it serves, whose tensors have their types; NULL: none.
    void (*bind)(struct ir *, const struct ir_node *, int kernel);
    // How it moves words, into a contract that is all zero but for pack 1; NULL: nothing is known. `at` is the kernel.
    void (*contract)(const struct kernel_args *, const struct kernel_at *at, struct timing_contract *);
    // Adds what an instance takes; NULL: nothing is known. Fitted to verif/cost/measured.txt.
    void (*cost)(const struct kernel_args *, struct cost_resources *);
    // The memory whose RAM_STYLE may be chosen; NULL: there is none.
    struct cost_memory (*memory)(const struct kernel_args *);
    // Of IR_WEIGHTS_COMPUTED: fills the table [rows][cols] of the operation's node; NULL: it computes none.
    void (*compute)(const struct ir_node *, int64_t rows, int64_t cols, float table[]);
    // Lanes must divide it: what is whole words for the operation's kernel; NULL: nothing.
    int64_t (*whole)(const struct ir *, const struct ir_node *);
    // What it needs of an input with this role; NULL: a word for every word.
    enum timing_need (*need)(enum ir_role input);
    enum kernel_kv kv; // what it looks at of keys and values, which have a scale each
    // Takes its place at the output of a design with `sampling`; NULL: nothing can.
    const struct kernel_class *sampling;
    int lanes; // sum of the numbers of lanes that it can have; 0: any
    // Declared in a spec, which brings the module along; NULL: of the RTL library.
    const struct custom *custom;
};

// The classes: rtl_<name>.
#define KERNEL(name) extern const struct kernel_class rtl_##name;
#include "include/kernels.def"
#undef KERNEL

const struct kernel_class *kernel_find(const char *module); // NULL: no module of the library
// That serves an operation.
const struct kernel_class *kernel_of_op(const struct ir *, int op);
const struct kernel_class *kernel_of(const struct ir_kernel *); // of an instance; NULL: a dump names no module
bool kernel_is(const struct ir_kernel *, unsigned traits);      // one of them at least
int kernel_lanes(const struct kernel_class *, int lanes);       // the nearest number that it can have
struct kernel_part { // of the data of a stream's words: what its reader looks at
    int64_t first, bits;
};
struct kernel_part kernel_part(const struct ir *, const struct ir_edge *);
int kernel_first(const struct ir *, unsigned traits); // the first kernel with one of them, or IR_NONE
// As ir_add_kernel, of this class.
int kernel_add(struct ir *, const char *name, const struct kernel_class *, int node);
// As ir_set_customs, with a class for each.
void kernel_set_customs(struct ir *, struct custom *, int count);
// As ir_read: a dump or a design, whose kernels have their classes.
struct ir *kernel_read_design(struct arena *, const char *path, struct diag *);
// One instance of an RTL module. False when there is no formula for the module; *out is zero then.
bool cost_module(const char *module, const struct ir_param *param, int params, struct cost_resources *out);
// Resources of an instance; false: nobody says.
bool kernel_cost(const struct ir *, int kernel, struct cost_resources *);
bool kernel_memory(const struct ir_kernel *, struct cost_memory *); // false: it has none whose style may be chosen

// Of the matrix engine's lanes on other dies.
enum { COST_LANE_RESULT_BITS = 34 /* fp32, fault, valid */ };
// To all lanes of another die: what fills and reads its copy of the operand buffer, command, offset.
int64_t cost_lane_chain_bits(const struct ir_kernel *engine);
// To sums alone on another die, of lanes that are cut; and from each lane's multipliers to them.
int64_t cost_sums_chain_bits(const struct ir_kernel *engine);
int64_t cost_lane_term_bits(const struct ir_kernel *engine, int param_bits);
// Its DSPs that work twice in a cycle, at the second clock of a design with `A: 4`.
int64_t cost_engine_twice(const struct ir_kernel *engine);
struct cost_resources cost_one_lane(const struct ir_kernel *engine);       // a lane and its dequantizer
struct cost_resources cost_one_sums(const struct ir_kernel *engine);       // its sums alone, and its dequantizer
struct cost_resources cost_lane_copy(const struct ir_kernel *engine);      // that copy, and what makes slices of it
struct cost_resources cost_engine_results(const struct ir_kernel *engine); // the FIFO where results come together

// ---- Parameters of an instance -----------------------------------------------------------------

// What others ask of an instance's parameters. Each is spelled in the file of its module (gen/kernel), those that most
// modules have in class.c.
int64_t kernel_ports(const struct ir_kernel *);    // streams that it forks, merges, parts or stores
int64_t kernel_tokens(const struct ir_kernel *);   // of a firing at most
int64_t kernel_offset(const struct ir_kernel *);   // bytes from a base to what it reads or writes
bool kernel_is_together(const struct ir_kernel *); // query heads are tokens there in steps of one token,
int64_t kernel_together(const struct ir_kernel *); // so many; 0: it does not say
bool kernel_takes_whole(const struct ir_kernel *); // of those that reorder: a firing is one group

// A storage's memory (allocate_memories): of pieces, those in UltraRAM.
enum ram_style kernel_style(const struct ir_kernel *); // RAM_AUTO: not chosen
int64_t kernel_ultra(const struct ir_kernel *);

// Sliding windows: of softmax and of scales; of keys and of values where an engine's, a walker's cache has layers.
bool kernel_has_window(const struct ir_kernel *);
bool kernel_has_key_windows(const struct ir_kernel *);
bool kernel_has_value_windows(const struct ir_kernel *);

// rill_fifo_pool
int64_t kernel_pool_words(const struct ir_kernel *);
int64_t kernel_pool_word_bits(const struct ir_kernel *);
int64_t kernel_pool_bits(const struct ir_kernel *); // with tlast

// rill_spill
int kernel_spill_firings(const struct ir_kernel *);
int64_t kernel_spill_bits(const struct ir_kernel *); // what it holds beside the buffers of its two DMA engines

// A table of rows in memory (KERNEL_FETCH).
struct kernel_table {
    int64_t offset, row_bytes; // 0: not said
    int64_t stride;            // from the table of a repetition to the next; 0: all have one
    int64_t rows, parts;       // channels over which rows are dealt out
};
struct kernel_table kernel_table(const struct ir_kernel *);

// Where rill_k_writer puts keys: bytes from its channel's base, from head to head and layer to layer.
struct kernel_cache {
    int64_t base, head, layer;
};
struct kernel_cache kernel_cache(const struct ir_kernel *);

int64_t kernel_load_hops(const struct ir_kernel *); // rill_param_store: from the die of what loads it
int kernel_reset_way(const struct ir_kernel *);     // rill_token_loop: cycles that a reset takes
int kernel_counters(const struct ir_kernel *);      // rill_axil_regs

#endif
