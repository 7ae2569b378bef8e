// SPDX-License-Identifier: Apache-2.0
// Kernels: everything that the compiler knows about RTL modules, as one class per module. Each class is defined in a
// file of gen/kernel; small modules of one kind, such as the parts of an engine, share a file. No other code spells a
// module's name or knows what the module does. Passes ask a class for traits, the forecast for its timing contract, and
// the cost model for its resources and memories. A kernel that a spec declares gets its own class (kernel_set_customs),
// so passes treat it like any other.
#ifndef RILL_KERNEL_H
#define RILL_KERNEL_H

#include "gen/kernel/contract.h"
#include "gen/ir/ir.h"

// ---- Resources ---------------------------------------------------------------------------------

// Estimated resources. lut: LUTs, including those used as memory and as shift registers. bram18: halves of a BRAM36.
// The formulas for logic are fitted to verif/cost/measured.txt (Yosys). Memories are calculated from their shape and
// the RAMs of the device. Both hold for the parameter ranges of docs/rtl.md section 2 and of the modules' header
// comments.
struct cost_resources {
    int64_t lut, ff, dsp, bram18, uram;
};

// Adds `times` times `what`; times may be negative.
void cost_add(struct cost_resources *to, const struct cost_resources *what, int64_t times);
// Returns the resources of a simple dual-port RAM of `words` x `bits`, without an output register. RAM_AUTO: LUTRAM for
// few words, otherwise block RAM, as synthesis tools choose.
struct cost_resources cost_ram(int64_t words, int64_t bits, enum ram_style style);
// Returns the resources of rill_fifo: its storage and its control.
struct cost_resources cost_fifo(int64_t depth, int64_t bits, enum ram_style style);

// The memory of a kernel whose RAM_STYLE may be chosen.
struct cost_memory {
    int64_t words, bits, times; // times: number of such memories in parallel
    enum ram_style style;
    bool mixed;    // the parallel memories may have different styles
    int64_t ultra; // how many of them are UltraRAM, whatever the style (parameter ULTRA)
};

// ---- Classes -----------------------------------------------------------------------------------

// Properties by which passes treat kernels alike, without knowing their modules.
enum kernel_trait {
    KERNEL_FORK = 1 << 0,        // carries the handshake of one stream to several; the payload is wired to all of them
    KERNEL_MUX = 1 << 1,         // merges firings of several streams into one, in the turns of a schedule
    KERNEL_DEMUX = 1 << 2,       // distributes firings of one stream to several, in the turns of a schedule
    KERNEL_ENTRY = 1 << 3,       // is at the entry of a region; groups of operations count it with its first reader
    KERNEL_WIDTH = 1 << 4,       // changes only the width of words
    KERNEL_REORDERS = 1 << 5,    // stores groups of a firing and sends them in another order
    KERNEL_SPILL = 1 << 6,       // keeps firings in memory
    KERNEL_POOL = 1 << 7,        // is the common storage of several streams
    KERNEL_KEYS = 1 << 8,        // writes keys of the KV cache
    KERNEL_VALUES = 1 << 9,      // writes values of the KV cache
    KERNEL_ROWS_OUT = 1 << 10,   // writes rows of an output to memory
    KERNEL_LOOP = 1 << 11,       // runs the steps of requests (token loop or slot loop)
    KERNEL_REGISTERS = 1 << 12,  // has the registers that the host reads and writes
    KERNEL_STEP = 1 << 13,       // takes step words
    KERNEL_FETCH = 1 << 14,      // reads memory through its own DMA engine
    KERNEL_PARAM = 1 << 15,      // takes vector parameters
    KERNEL_FAULT = 1 << 16,      // has an output `fault`
    KERNEL_CHOOSES = 1 << 17,    // has an output `row_hash`, a hash of what it chooses from
    KERNEL_SAMPLES = 1 << 18,    // takes the request's sampling settings
    KERNEL_STORE = 1 << 19,      // stores the vector parameters of one operation's kernel
    KERNEL_DEALT = 1 << 20,      // reads rows that may be distributed over channels
    KERNEL_FRAMES = 1 << 21,     // passes words unchanged, but divides them into other firings
    KERNEL_REPEATS = 1 << 22,    // sends a firing again in every repetition of its region
    KERNEL_LAST = 1 << 23,       // sends, in steps with a head, a firing's last token (all tokens with drafts or slots)
    KERNEL_PACKS = 1 << 24,      // turns query heads into tokens of a firing
    KERNEL_UNPACKS = 1 << 25,    // turns tokens that were query heads into firings again
    KERNEL_SCALES = 1 << 26,     // stores scales of the KV cache and sends them by position
    KERNEL_AGAIN = 1 << 27,      // sends keys again for every query head that reads them
    KERNEL_MULTIPLIES = 1 << 28, // is the matrix engine
    KERNEL_RECORDS = 1 << 29     // makes a record of log probabilities for each generated id
};

// A kernel of a design, for contracts that need more than its parameters. ir is NULL if only the parameters are known.
struct kernel_at {
    const struct ir *ir;
    int kernel;
};

struct kernel_args { // parameters of an RTL module
    const struct ir_param *param;
    int count;
};

// The part of a word of keys or values (integers with a scale) that a kernel reads.
enum kernel_kv { KERNEL_KV_ALL, KERNEL_KV_INTEGERS, KERNEL_KV_SCALE };

struct kernel_class {
    const char *module; // its name in Verilog
    const char *doc;    // its purpose, for comments in generated Verilog; NULL: an operation's kernel, or a part of one
    const char *without; // for such comments: why ports are open or tied to constants; NULL: not stated
    unsigned traits;     // of enum kernel_trait
    // Sets parameters other than LANES and TOKENS for the operation that the kernel serves. The operation's tensors
    // already have their types. NULL: there are no such parameters.
    void (*bind)(struct ir *, const struct ir_node *, int kernel);
    // Fills in the contract of how the kernel `at` moves words. The contract is all zero (TIMING_NONE) before. NULL:
    // the timing is unknown.
    void (*contract)(const struct kernel_args *, const struct kernel_at *at, struct timing_contract *);
    // Adds the resources of an instance; NULL: unknown.
    void (*cost)(const struct kernel_args *, struct cost_resources *);
    // Returns the memory whose RAM_STYLE may be chosen; NULL: there is none.
    struct cost_memory (*memory)(const struct kernel_args *);
    // For an operation with IR_WEIGHTS_COMPUTED: fills its table [rows][cols]; NULL: there are no computed weights.
    void (*compute)(const struct ir_node *, int64_t rows, int64_t cols, float table[]);
    // Returns a number of elements that must be whole words, so that the number of lanes must divide it; 0 or NULL:
    // there is no such condition.
    int64_t (*whole)(const struct ir *, const struct ir_node *);
    // Returns which words an input with this role must deliver. NULL: TIMING_ROW for parameters, TIMING_EACH for
    // others.
    enum timing_need (*need)(enum ir_role input);
    enum kernel_kv kv; // the part of keys and values that it reads
    // The class that replaces it at the output of a design with `sampling`; NULL: none.
    const struct kernel_class *sampling;
    int lanes; // sum of the powers of two that its number of lanes may be; 0: any
    // Its declaration in a spec whose user provides the module; NULL: the module is from the RTL library.
    const struct custom *custom;
};

// The classes: rtl_<name>. Several operations may have the same class, which is then declared several times.
#define KERNEL(name) extern const struct kernel_class rtl_##name;
#include "include/kernels.def"
#undef KERNEL
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc)                         \
    extern const struct kernel_class rtl_##kernel;
#include "include/ops.def"
#undef RILL_OP

const struct kernel_class *kernel_find(const char *module); // NULL: the library has no such module
// Returns the class of the kernel that computes an operation.
const struct kernel_class *kernel_of_op(const struct ir *, int op);
// Returns the class of a kernel; NULL: the module is unknown, which is possible in a dump.
const struct kernel_class *kernel_of(const struct ir_kernel *);
bool kernel_is(const struct ir_kernel *, unsigned traits); // whether the kernel has at least one of these traits
// Returns the largest number of lanes up to `lanes` that the class supports, or if there is none, the least one above.
// lanes: a power of two, at most 32.
int kernel_lanes(const struct kernel_class *, int lanes);
struct kernel_part { // the part of a stream's words that the reader uses: lowest bit and number of bits
    int64_t first, bits;
};
struct kernel_part kernel_part(const struct ir *, const struct ir_edge *);
int kernel_first(const struct ir *, unsigned traits); // the first kernel with one of these traits, or IR_NONE
// Adds a kernel of this class and returns its index. If the name is taken, a number is appended (ir_add_kernel). node:
// the operation that it serves, or IR_NONE.
int kernel_add(struct ir *, const char *name, const struct kernel_class *, int node);
// Sets the custom kernels of the spec (ir_set_customs) and makes a class for each.
void kernel_set_customs(struct ir *, struct custom *, int count);
// Reads a dump or a design (ir_read), and gives its kernels their classes. Returns NULL after an error.
struct ir *kernel_read_design(struct arena *, const char *path, struct diag *);
// Calculates the resources of one instance of an RTL module. If there is no formula for it, returns false and sets *out
// to zero.
bool cost_module(const char *module, const struct ir_param *param, int params, struct cost_resources *out);
// Calculates the resources of a kernel. Returns false if they are unknown. The result is then zeros, except for a
// custom kernel that does not declare its resources: it leaves the struct unchanged.
bool kernel_cost(const struct ir *, int kernel, struct cost_resources *);
bool kernel_memory(const struct ir_kernel *, struct cost_memory *); // false: it has no memory whose style may be chosen

// Wires and resources of the matrix engine's lanes on other dies, for place-dies. A cut lane has its multipliers on the
// engine's die and its sums on another one.
enum { COST_LANE_RESULT_BITS = 34 /* fp32, fault, valid */ };
// Returns the bits that go to all lanes of another die together: the signals that fill and read the die's copy of the
// operand buffer, the command, and the offset.
int64_t cost_lane_chain_bits(const struct ir_kernel *engine);
// These return the bits that go to a die that has only the sums of cut lanes, and the bits from the multipliers of each
// cut lane to its sums.
int64_t cost_sums_chain_bits(const struct ir_kernel *engine);
int64_t cost_lane_term_bits(const struct ir_kernel *engine, int param_bits);
// Returns the number of the engine's DSPs that work twice in a cycle, on the second clock of a design with `A: 4` or
// `pump: 2`; 0 without a second clock.
int64_t cost_engine_twice(const struct ir_kernel *engine);
struct cost_resources cost_one_lane(const struct ir_kernel *engine); // a lane and its dequantizer
struct cost_resources cost_one_sums(const struct ir_kernel *engine); // only its sums and its dequantizer
// These return the resources of a copy of the operand buffer with the logic that makes a beat's operand from it, and
// those of the FIFO in which the results of all lanes come together.
struct cost_resources cost_lane_copy(const struct ir_kernel *engine);
struct cost_resources cost_engine_results(const struct ir_kernel *engine);

// Values of a kernel's parameters, for other code, which does not know the parameters' names. A function that names a
// module is only for kernels of this module.
int64_t kernel_ports(const struct ir_kernel *);    // streams that it forks, merges, distributes or stores
int64_t kernel_tokens(const struct ir_kernel *);   // most tokens of a firing
int64_t kernel_offset(const struct ir_kernel *);   // bytes from a base address to the rows that it moves; 0: not stated
bool kernel_is_together(const struct ir_kernel *); // whether its tokens may be query heads in a step of one token
int64_t kernel_together(const struct ir_kernel *); // how many query heads; 0: not stated
bool kernel_takes_whole(const struct ir_kernel *); // for kernels that reorder: whether a firing is one group

// The choice of allocate-memories for the kernel's memory.
enum ram_style kernel_style(const struct ir_kernel *); // RAM_AUTO: not chosen
int64_t kernel_ultra(const struct ir_kernel *);        // pieces that are UltraRAM although the style is another one

// rill_fork_tree: most readers of one copy of the word, and the number of copies that `readers` readers need.
enum { KERNEL_TREE_GROUP = 8 };
int kernel_tree_copies(int readers);

// These return whether a kernel has sliding windows. The first is for softmax and the scales of the cache, the others
// are for the keys and for the values of an engine or a walker.
bool kernel_has_window(const struct ir_kernel *);
bool kernel_has_key_windows(const struct ir_kernel *);
bool kernel_has_value_windows(const struct ir_kernel *);

// rill_fifo_pool: words of the storage, bits of a word without tlast, and bits of the storage with tlast.
int64_t kernel_pool_words(const struct ir_kernel *);
int64_t kernel_pool_word_bits(const struct ir_kernel *);
int64_t kernel_pool_bits(const struct ir_kernel *);

// rill_spill
int kernel_spill_firings(const struct ir_kernel *);  // firings that it keeps in memory
int64_t kernel_spill_bits(const struct ir_kernel *); // bits that it stores, without the buffers of its two DMA engines

// A table of rows in memory (KERNEL_FETCH).
struct kernel_table {
    int64_t offset, row_bytes; // bytes: to the table in its channel, from one row to the next; 0: not stated
    int64_t stride;            // bytes from a repetition's table to the next one; 0: all repetitions share one table
    int64_t rows, parts;       // parts: channels over which the rows are distributed
};
struct kernel_table kernel_table(const struct ir_kernel *);

// Where rill_k_writer stores keys, in bytes. base: distance from the channel's base address; head, layer: from one head
// or layer to the next; row: from one position to the next on a channel. Positions are distributed over `lanes`
// channels.
struct kernel_cache {
    int64_t base, head, layer, row, lanes;
};
struct kernel_cache kernel_cache(const struct ir_kernel *);

// Where rill_v_tail stores values. Full blocks are in memory; base, row and layer are distances in bytes from the
// channel's base address, from one row to the next and from one layer to the next. The open block, which gets the next
// position, is on chip, in a memory of each lane.
struct kernel_tail {
    int64_t base, row, layer;
    int64_t head_rows, layer_rows; // rows of a head and of a layer
    int64_t lanes;                 // channels
    int64_t beat;                  // bytes of a word on chip
};
struct kernel_tail kernel_tail(const struct ir_kernel *);

// How rill_kv_scale stores scales: a word has the scales of `lanes` positions, and each head has `words` words. Two
// lanes share a memory.
struct kernel_scales {
    int64_t layers, heads, words, lanes;
};
struct kernel_scales kernel_scales(const struct ir_kernel *);

// The cycles of a search for drafts among so many ids in a design with slots. found: whether it finds drafts.
int64_t kernel_slot_lookup_cycles(const struct ir *, int64_t ids, bool found);
int64_t kernel_load_hops(const struct ir_kernel *);           // rill_param_store: register stages after its loader
int64_t kernel_lookup_cycles(const struct ir *, int64_t ids); // cycles of the search for drafts among so many ids
int kernel_reset_way(const struct ir_kernel *);               // rill_token_loop: cycles that a reset takes to arrive
bool kernel_caps_scores(const struct ir_kernel *);            // rill_softmax: its scores have a soft cap
int kernel_counters(const struct ir_kernel *);                // rill_axil_regs: counters besides those of channels
bool kernel_needs_reset(const struct ir_kernel *);            // false: rill_hop without bits that rst clears
int kernel_hop_stages(const struct ir_kernel *);              // rill_hop: its register stages; -1: another module
int kernel_slice_bits(const struct ir_kernel *);              // rill_serializer: bits of a slice; 0: another module
bool kernel_joins_slices(const struct ir_kernel *);           // whether it is a rill_deserializer
bool kernel_cuts_parts(const struct ir_kernel *);             // cuts a step's tensor into those of its parts
bool kernel_joins_parts(const struct ir_kernel *);            // joins the tensors of a step's parts
bool kernel_sends_parts(const struct ir_kernel *);            // sends the words of a step's parts, again for each layer

#endif
