// SPDX-License-Identifier: Apache-2.0
// The intermediate representation (IR) on which all passes of the compiler work: a tensor graph (what is computed) and
// a kernel graph (the hardware for it). Items refer to each other by their indices in the lists of struct ir. Lists are
// in program order, so passes and emitters are deterministic. All memory belongs to one arena.
//
// Terms of this header and of those that include it (docs/glossary.md has more, docs/ir.md has examples):
//   token       a piece of text with a number, the id. In a graph that is not a language model, a row of its input
//   position    place of a token in its request (a prompt and the tokens generated for it), from 0
//   step        one pass of the design over the graph, for 1 to `T` consecutive tokens of a request (with slots, of
//               several requests). The token loop sends the kernels a step word with position and tokens
//   head        of a step: the regions IR_LAST run, because the step needs a next token. In attention: a slice of the
//               vector, which attends by itself
//   slot, part  with `slots`, the place for one request and its KV cache, and the tokens of one request in a step
//   region      consecutive operations that run `repeat` times in a step. One such run is a repetition, for example a
//               layer of the model
//   firing      one run of a kernel over its operands, for all tokens of the step, in one repetition
//   word        the data that a stream transfers in one cycle
//   walk        the order in which the elements of a tensor pass a stream, as nested loops (itensor.h)
//   walker      the kernel that orders the reads of memory for an engine, ahead of the engine
//   row-step    one row in each lane of an engine at the same time
//   lane        of a vector kernel: an element of its words. Of an engine: the multipliers and sums for one row of a
//               product at a time
//   beat        the data of one transfer on a memory channel: design.beat_bits bits
//   descriptor  a request to a DMA engine for a number of beats at an offset in memory
//   client      a user of memory with a DMA engine
//   dump        the IR as YAML text
#ifndef RILL_IR_H
#define RILL_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/base.h"
#include "gen/device/board_figures.h"
#include "gen/spec/choices.h"
#include "gen/spec/custom.h"
#include "gen/base/diag.h"
#include "gen/ir/fields.h"
#include "gen/device/hbm_figures.h"
#include "gen/ir/itensor.h"

struct ir;
struct ir_kernel;

// ---- The design as a whole ---------------------------------------------------------------------

// The board properties that a package needs (device.h explains each field). NULL: the board file does not give it.
struct ir_platform {
    const char *part, *name;
    const char *first, *last; // first and last supported version of the vendor's tools
    const char *cells, *pblock;
};

// How the pass size-fifos chose the depths of FIFOs. NONE: the spec gives the depths.
enum ir_strategy { IR_STRATEGY_NONE, IR_STRATEGY_CONSERVATIVE, IR_STRATEGY_AUTO };

// Design-wide numbers: the keys under `design` in a spec (docs/spec.md has ranges and defaults, docs/ir.md the names
// that differ), and figures of the board.
struct ir_design {
    double clock_mhz;
    // Memory channels; bits of a beat (256 or 512); fp32 lanes of vector kernels, unless choose-lanes gives a kernel
    // others; `T`, the most tokens of a step.
    int channels, beat_bits, lanes, tokens;
    int copies;      // `A`: tokens that share a beat of weights in one cycle of a matrix engine; divides ir_places
    int pump;        // 2: each multiplier makes two products per cycle, although `copies` does not require it; else 0
    int query_heads; // most query heads that an engine takes together in a step of one token; 0 or 1: one at a time
    int tensor_rows; // most rows of a tensor that an engine takes together in a step of one token; 0: one at a time
    int bmm_rows;    // most rows of its first operand that a `bmm` multiplies at the same time; 0: one at a time
    enum spec_resident resident; // which engines keep their weights on chip
    int resident_lanes;          // lanes of all resident engines together; 0: as many as channels
    int unroll;                  // lanes to distribute over the kernels; 0: every kernel has `lanes`
    int group;                   // int4 weights that share a scale, and elements of an operand that share an exponent
    int prefetch_beats, max_burst, outstanding; // of each channel: beats read ahead, beats of a burst, open bursts
    int64_t context;                            // most positions of a request
    struct end_ids eot;                         // ids that end a request
    int64_t channel_bytes;                      // memory of one channel, in bytes
    struct hbm_figures hbm;                     // figures of the board's memory
    struct board_figures figures;               // the other numbers of the board
    int64_t on_chip_kib;                        // on-chip memory budget of a group, in KiB; 0: no budget, no groups
    int sampling;         // largest top_k that the design supports; 0: it always takes the most likely token
    int logprobs;         // places of the list in a record of log probabilities; 0: the design makes no records
    int drafts;           // most drafts (guessed next tokens) of a decode step; 0: none
    int draft_confidence; // confidence in drafts when a request begins (rill_drafts); 0 without drafts
    int host_drafts;      // 1: drafts also come from a list that the host writes (rill_draft_list); else 0
    int slots;            // requests at the same time; 0: one, without the logic for slots
    int prefix;           // 1: a request can keep positions of the request before it; else 0
    bool is_lm;           // true: ids in, ids out; false: rows in, rows out
    const char *derived;  // model sizes that the spec does not give, in words for the report, or NULL
    // Family of the model. Its checkpoints have a config.json that is compared with the graph. NULL: the spec writes
    // the graph out.
    const char *family;
    enum spec_binding binding;
    enum spec_format weights; // format of products that do not choose one
    enum spec_activations activations;
    enum spec_fifo fifo; // SPEC_AUTO until size-fifos
    const char *board;   // name or path, as in the spec
    struct ir_platform platform;
    enum ir_strategy strategy;
    const char *weighed;  // what the strategy decided, in words for the report, or NULL
    const char *memories; // how allocate-memories chose, in words for the report, or NULL
    int dies;             // dies over which the design is spread; 1: it is not partitioned
    int single_rate;      // 1: beats do not cross between dies in halves; 0: they may
    int second_reserve;   // 1: memory ports take the board's second reserve; 0: the first one
    int64_t sll;          // wires from die to die; 0: unknown
    int64_t sll_region;   // how many of these wires have their registers in the platform's dynamic region
    // Resources of the device without the platform's cells.
    int64_t budget_lut, budget_ff, budget_dsp, budget_bram36, budget_uram;
    const char *placement; // how place-dies found its partition, or NULL
};

// ---- The dies of a board (SLRs), for the passes allocate-memories and place-dies ----------------

enum {
    IR_MAX_DIES = 8,
    IR_MAX_LANES = 32,
    IR_RESET_LEAST = 2, /* registers between the token loop's reset and what it resets on the same die */
    IR_LANE_GROUP = 8   /* lanes of an engine that share one copy of the operand (FAN_OUT) */
};

// One die. The resources are those of the platform's dynamic region. The rest of the die, the shell, is in shell_*.
struct ir_die {
    const char *name;
    int64_t lut, ff, dsp, bram36, uram;
    int64_t shell_lut, shell_ff, shell_dsp, shell_bram36, shell_uram; // outside the dynamic region, not for designs
    int64_t platform_wires;                                           // wires to the next die that the platform uses
    bool hbm;                                                         // the ports of the HBM are on this die
};

// ---- Attributes of operations ------------------------------------------------------------------

enum ir_attr_kind {
    IR_ATTR_INT,
    IR_ATTR_FLOAT,
    IR_ATTR_STRING,
    IR_ATTR_LIST, // of integers
    IR_ATTR_WORD  // one of the words that the operations table lists; its enumeration is in choices.h
};

// An attribute of an operation. `kind` decides which member has the value; for an integer, i and f have it.
struct ir_attr {
    const char *key;
    enum ir_attr_kind kind;
    int64_t i; // IR_ATTR_WORD: index among the legal words, -1 if it is not one of them
    double f;
    const char *s; // IR_ATTR_WORD: the word as written
    const int64_t *list;
    int items;
    struct loc loc;
};

struct ir_attrs {
    struct ir_attr *item;
    int count;
    size_t capacity;
};

// Setting a key a second time replaces its value. Texts and lists are copied into the arena. The functions that read
// return the fallback if the key is absent or has another kind; ir_attr_float also takes an integer. ir_attr_find
// returns NULL if the key is absent.
void ir_attr_set_int(struct ir *, struct ir_attrs *, const char *key, int64_t);
void ir_attr_set_float(struct ir *, struct ir_attrs *, const char *key, double);
void ir_attr_set_string(struct ir *, struct ir_attrs *, const char *key, const char *);
void ir_attr_set_list(struct ir *, struct ir_attrs *, const char *key, const int64_t list[], int items); // copied
void ir_attr_set_word(struct ir *, struct ir_attrs *, const char *key, int choice, const char *word);
const struct ir_attr *ir_attr_find(const struct ir_attrs *, const char *key);
int64_t ir_attr_int(const struct ir_attrs *, const char *key, int64_t fallback);
double ir_attr_float(const struct ir_attrs *, const char *key, double fallback);
const char *ir_attr_string(const struct ir_attrs *, const char *key, const char *fallback); // or a word, as written
int ir_attr_choice(const struct ir_attrs *, const char *key, int fallback);                 // enumerator of a word
// Returns the value of the attribute in one repetition: an item of the list, or the integer for all repetitions.
int64_t ir_attr_each(const struct ir_attrs *, const char *key, int64_t repetition, int64_t fallback);
// Copies at most `most` numbers of a list and returns how many it has copied; 0 if it is absent or not a list.
int ir_attr_list(const struct ir_attrs *, const char *key, int64_t out[], int most);

// ---- Tensor graph -------------------------------------------------------------------------------

// A tensor has one value per token. The shape leaves out the dimension of tokens: [heads][head_dim],
// [heads][positions], or [n].
struct ir_tensor {
    const char *name;
    enum ir_dtype dtype;
    int rank;
    struct ir_extent shape[IR_MAX_RANK];
    int64_t block;   // IR_MX: elements that share an exponent; 0 for other dtypes
    int64_t exp_min; // IR_MX, IR_ACC: exponent of the unit. A block of IR_MX stores its exponent less exp_min (shift)
    // true: the tensor has rank 2, and its rows are heads of attention. Each row is one firing on every stream that
    // carries the tensor, except where query heads are the tokens of a firing in steps of one token.
    bool heads;
    int producer; // node, or IR_NONE for graph inputs and carried tensors
    int region;   // in which it is made; IR_NONE for graph inputs
    struct loc loc;
};

// An operation of the tensor graph.
struct ir_node {
    const char *name;
    int op; // enum ir_op (a row of ops.def), or from IR_OPS on a custom kernel
    int region;
    int inputs, outputs;                     // how many of `in` and `out` are in use
    int in[IR_MAX_PORTS], out[IR_MAX_PORTS]; // tensors
    struct ir_attrs attrs;
    int lanes;              // fp32 lanes of its kernel's streams; 0 until choose-lanes
    int orders;             // 0: the output is walked in row-major order; else the rank of the output
    int order[IR_MAX_RANK]; // the dimensions of the output's walk, outermost loop first; words run along the last one
    struct loc loc;
    const char *step_of; // text for messages about the composite of which this node is a step, or NULL; not in dumps
};

// A tensor carried around a repeated region: `local` is `init` in the first repetition and the previous repetition's
// `next` afterwards. After the region, `local` means the `next` of the last repetition.
struct ir_carry {
    int local, init, next; // tensors
};

enum ir_when {
    IR_ALWAYS,
    IR_LAST /* only steps that need the head: the last step of the prompt and every decode step */
};

// Operations that run `repeat` times in a step, such as the layers of a model.
struct ir_region {
    const char *name;
    int64_t repeat; // at least 1
    enum ir_when when;
    int carries;
    struct ir_carry carry[IR_MAX_PORTS];
    int first_node, nodes; // nodes are contiguous
    struct loc loc;
};

// ---- Parameters of kernels ---------------------------------------------------------------------

// The kind of memory: parameter RAM_STYLE of the templates. RAM_AUTO: no pass has chosen the kind, so the synthesis
// tool chooses it.
enum ram_style { RAM_AUTO, RAM_DISTRIBUTED, RAM_BLOCK, RAM_ULTRA, RAM_SRL, RAM_STYLES };

extern const char *const ram_style_words[RAM_STYLES];                     // as the templates take them
enum ram_style ram_style_find(const char *word, enum ram_style fallback); // fallback: for any other word

// Values of a kernel's parameters. Passes set and read them as numbers; only the emitter and the dump print them.
enum ir_value_kind {
    IR_VALUE_INT,     // integer
    IR_VALUE_WORD,    // one sized constant
    IR_VALUE_LIST,    // several sized constants: fields, elements of a list, pieces of a table
    IR_VALUE_STYLE,   // a kind of memory
    IR_VALUE_TEXT,    // any other text, without quotes
    IR_VALUE_VERBATIM // a constant in another form, as the user wrote it for a custom kernel
};

enum ir_radix { IR_DECIMAL, IR_HEX, IR_FLOAT /* the 32 bits of an fp32 number */ };

enum { IR_WORD_BITS = 256 }; // most bits of a constant
// A sized constant of Verilog.
struct ir_word {
    int bits; // 1 to 64; up to IR_WORD_BITS in hexadecimal form
    enum ir_radix radix;
    uint64_t value, above[IR_WORD_BITS / 64 - 1]; // above: bits from 64 up
};

struct ir_value { // each kind uses only its own members
    enum ir_value_kind kind;
    int64_t integer;            // INT
    const struct ir_word *word; // WORD: one; LIST: highest first
    int words;                  // WORD, LIST
    enum ram_style style;       // STYLE
    const char *text;           // TEXT, VERBATIM
};

struct ir_value ir_value_int(int64_t value);
struct ir_value ir_value_word(struct arena *, int bits, uint64_t value);
struct ir_value ir_value_float(struct arena *, float value);
struct ir_value ir_value_list(struct arena *, const struct ir_word word[], int words); // word[0]: the highest; copied
struct ir_value ir_value_style(enum ram_style style);
struct ir_value ir_value_text(const char *text); // not copied
struct ir_value ir_value_said(const char *text); // IR_VALUE_STYLE if the text names a style, else IR_VALUE_TEXT
// A list of constants of 64 bits each, of which the highest one may be shorter. bit[0] is the lowest bit.
struct ir_value ir_value_bits(struct arena *, int64_t bits, const uint8_t bit[]);
// A table. entry[0] is the lowest entry; each entry is an array of 64-bit words, lowest first.
struct ir_value ir_value_table(struct arena *, int bits, int entries, uint64_t (*entry)[IR_WORD_BITS / 64]);
uint64_t ir_word_field(const struct ir_word *, int first, int bits); // the bits from `first` on; bits: at most 64

// Returns the value as Verilog text. Dumps write numbers in this form.
const char *ir_value_print(struct arena *, const struct ir_value *);
// Reads the form that ir_value_print writes. Text in any other form becomes VERBATIM, so printing the value always
// gives the text back.
struct ir_value ir_value_read(struct arena *, const char *text);

// Returns the text that the user wrote if the value is VERBATIM, else NULL.
const char *ir_value_written(const struct ir_value *);
// Gets the value as a number. Returns false if it is neither an integer nor one sized constant that fits int64_t.
bool ir_value_number(const struct ir_value *, int64_t *number);
// Gets the lowest `bits` bits of a sized constant or list, lowest first. Missing bits are zeros.
void ir_value_to_bits(const struct ir_value *, int64_t bits, uint8_t bit[]);

// A parameter of a kernel's RTL module.
struct ir_param {
    const char *name;
    struct ir_value value;
};

// Setting a name a second time replaces its value. ir_param_int returns the fallback if the parameter is absent or is
// no number (ir_value_number).
void ir_set_param(struct ir *, int kernel, const char *name, struct ir_value);
void ir_set_int(struct ir *, int kernel, const char *name, int64_t value);
void ir_set_word(struct ir *, int kernel, const char *name, int bits, int64_t value); // a sized constant, value >= 0
void ir_set_float(struct ir *, int kernel, const char *name, float value);
void ir_set_style(struct ir *, int kernel, enum ram_style);                  // RAM_STYLE
const struct ir_value *ir_param(const struct ir_kernel *, const char *name); // NULL if absent
int64_t ir_param_int(const struct ir_kernel *, const char *name, int64_t fallback);

// ---- Kernel graph -------------------------------------------------------------------------------

enum ir_stream_kind {  // the signals of a stream next to tdata; docs/rtl.md section 3
    IR_STREAM_TOKENS,  // tdata, tuser {tok_last, tok}, tlast
    IR_STREAM_COUNTED, // as IR_STREAM_TOKENS, and tcount (valid elements)
    IR_STREAM_BARE,    // tdata only (steps, ids to the ring, descriptors, beats, parameters)
};

// The purpose of a stream. Operands of operations have no role (roles.def).
enum ir_role {
    IR_ROLE_NONE,
#define ROLE(role, name, what) IR_ROLE_##role,
#include "include/roles.def"
#undef ROLE
};

// A stream port of a kernel.
struct ir_port {
    const char *name;  // Verilog name without s_axis_ / m_axis_
    enum ir_role role; // follows from the name
    bool is_output;
    enum ir_stream_kind kind;
    int64_t data_bits;      // width of tdata, in bits
    int64_t count_bits;     // width of tcount, with IR_STREAM_COUNTED
    struct ir_itensor type; // the order in which elements pass the port (itensor.h)
    int index;              // lane of a packed array port (mux, demux, fork), or IR_NONE
    int edge;               // the edge at this port, or IR_NONE
    int tensor;             // the tensor graph's value on this stream, or IR_NONE
    // Firings into which the walk of `type` is divided, for rows of a tensor that are processed one by one. 1: the
    // whole walk is one firing.
    int64_t pieces;
    int region; // region in which the port fires, or IR_NONE
    int tokens; // most tokens of its firings; 0: those of a step
};

// An instance of an RTL module.
struct ir_kernel {
    const char *name;                    // instance u_<name>
    const char *module;                  // RTL module
    const struct kernel_class *of_class; // kernel.h; NULL: look it up by the module's name
    int node;                            // the operation it serves, or IR_NONE (shared or inserted)
    struct ir_param *param;
    int params;
    size_t param_capacity;
    struct ir_port *port;
    int ports;
    size_t port_capacity;
    bool has_fault;  // has an output `fault`
    int die;         // 0 if the design is not partitioned
    bool is_control; // outlives a request: only `rst` resets it, not the soft reset at the end of a request
};

// The user of a client: a kernel, or control logic that nets tie to it.
enum ir_client_role { IR_CLIENT_OF_KERNEL, IR_CLIENT_IMAGE /* header and parameters */, IR_CLIENT_PROMPT };

// A client of the memory: a kernel, or control logic, that reads or writes memory apart from the weight stream.
// Descriptors and beats go through the client's DMA engine.
struct ir_client {
    const char *name;
    enum ir_client_role role;
    int kernel; // IR_NONE: control logic
    // Reads: m_axis_<port> descriptor, s_axis_<port> beats. Writes: m_axis_<port>_desc, m_axis_<port>_beat. NULL: wires
    // (struct ir_wire) connect the client.
    const char *port;
    bool is_write;
    // IR_NONE: one client on every channel of `engine` (valid and ready packed, descriptor shared).
    int channel;
    int engine;     // IR_NONE if `channel` is set
    bool is_packed; // with channel IR_NONE: every channel gets different beats
    // Above 1: row r is on channel `channel` + r mod parts. Valid and ready are packed as if channel were IR_NONE.
    int parts;
    int base; // net (index in struct ir) of the base address; IR_NONE: the channel's base register
    // Reads: beats of a burst, and beats of the DMA engine's buffer; 0: the design's values. Writes: each beat is a
    // burst, and the channel's write engine has a buffer of at least `buffer` beats; 0 means 1.
    int64_t burst, buffer;
    enum ram_style ram_style; // reads: memory of that buffer; RAM_AUTO: chosen by the number of its beats
};

struct ir_edge { // one stream with its FIFO
    const char *name;
    int src_kernel, src_port, dst_kernel, dst_port;
    int64_t depth; // words of the FIFO; 0: there is no FIFO, only wires
    enum ram_style ram_style;
    int64_t delay;         // cycles that a word waits when the stream is fullest (size-fifos)
    const char *forced_by; // in words: what requires this depth, or NULL
    // 1: the stream holds a whole tensor under the safe rule as well, because the graph would deadlock otherwise.
    int whole;
    // 1: the writer runs ahead and would fill the FIFO at any depth. It waits for room, but no step takes longer
    // because of this.
    int run_ahead;
    int crossings;       // die boundaries to the reader; for a stream in a pool, from the storage to the reader
    int entry_crossings; // for a stream in a pool: die boundaries from the writer to the storage
    int parts;           // parts in which a word crosses from die to die; 0: whole. Always 0 for a stream in a pool
    int group;           // the group of operations (struct ir_group) in which both ends are, or IR_NONE
    int stored_firings;  // firings that the stream stores between two groups; 0: none
    int pool, pool_port; // kernel whose storage it shares (overlay-fifos) and its port there, or IR_NONE
};

// ---- Plain nets --------------------------------------------------------------------------------

// Nets that are not streams, such as addresses, pulses and levels, and the bits of them that a port uses. Only the
// emitter and the dump print them. The owner is the part of the design to which a net belongs: several engines, for
// example, each have a net of the same role. Passes look for a net by its role and owner, never by its name.
enum ir_net_owner { IR_OF_DESIGN, IR_OF_ENGINE, IR_OF_CACHE, IR_OF_CLIENT, IR_OF_KERNEL };

// The purpose of a net (nets.def).
enum ir_net_role {
    IR_NET_PLAIN, // named by the port that drives it: pipeline stages, pins of the top
#define NET(role, owner, word, doc) IR_NET_##role,
#include "include/nets.def"
    IR_NETS
};

struct ir_net {
    const char *name; // in Verilog
    enum ir_net_role role;
    int of; // number of the engine, client or kernel; for a cache, its first attn_scores, or IR_NONE if the design has
            // one cache
    int driver;   // kernel, or IR_NONE: the top drives it
    int64_t bits; // bits of its driver's port; 0 without a driver
};

// A range of bits of a net, or `width` zeros.
struct ir_part {
    int net;            // IR_NONE: zeros
    int64_t low, width; // width 0: the whole net
    bool inverted;
};

enum ir_use_kind {
    IR_USE_OPEN,     // nothing: an output that nobody reads
    IR_USE_CONSTANT, // `value` in `bits`
    IR_USE_PART,     // one part
    IR_USE_JOINED,   // concatenated parts, the highest first
    IR_USE_AND,      // bitwise AND of all parts
    IR_USE_SUM       // arithmetic sum of all parts
};

// Describes what is connected to a port.
struct ir_use {
    enum ir_use_kind kind;
    int64_t bits;
    uint64_t value;
    const struct ir_part *part;
    int parts;
};

// A connection at a kernel's port that is not a stream (tail read address, credits, load bus).
struct ir_wire {
    int kernel;
    const char *port;
    bool is_output; // the port drives the whole net that `use` names
    int64_t bits;
    struct ir_use use;
};

// of: the owner, as in struct ir_net; IR_NONE for roles with one net per design.
int ir_net(struct ir *, enum ir_net_role, int of);                  // creates the net if it does not exist
int ir_find_net(const struct ir *, enum ir_net_role, int of);       // IR_NONE if absent
const char *ir_net_doc(const struct ir *, enum ir_net_role);        // the comment in this design; empty if it has none
const char *ir_port_doc(const struct ir *, const struct ir_wire *); // of a port that nets.def explains; else NULL
int ir_design_net(struct ir *, enum ir_net_role);                   // for roles with one net per design
int ir_add_net(struct ir *, const char *name);                      // a new net without a role
int ir_driver(const struct ir *, enum ir_net_role); // the kernel that drives a net of the design, or IR_NONE
bool ir_net_is_read(const struct ir *, int net);    // false for IR_NONE

struct ir_use ir_use_constant(int64_t bits, uint64_t value);
struct ir_use ir_use_net(struct ir *, int net);                                               // the whole net
struct ir_use ir_use_parts(struct ir *, enum ir_use_kind, const struct ir_part[], int parts); // copied
int ir_use_whole(const struct ir_use *);                         // the net, if the use is one whole net; else IR_NONE
bool ir_use_equal(const struct ir_use *, const struct ir_use *); // two open uses are equal
const char *ir_use_print(const struct ir *, const struct ir_use *); // as Verilog; dumps write uses in this form
// Reads the form that ir_use_print writes. Nets are found by name, and created without roles if they do not exist.
// Returns false if the text has another form.
bool ir_use_read(struct ir *, const char *text, struct ir_use *);
// Sets roles, owners and drivers of nets that were read. Returns false if a port drives something other than a whole
// net; *wire is the wire of this port.
bool ir_nets_complete(struct ir *, int *wire);

// These connect a port of a kernel that is not a stream. ir_add_wire connects it to a whole net; an output then drives
// the net.
void ir_add_wire(struct ir *, int kernel, const char *port, bool is_output, int64_t bits, int net);
void ir_add_use(struct ir *, int kernel, const char *port, int64_t bits, struct ir_use); // of an input
void ir_add_zero(struct ir *, int kernel, const char *port, int64_t bits);               // an input of zeros
void ir_add_open(struct ir *, int kernel, const char *port);                             // an output that nobody reads
// Connects all inputs of the kernel that take the whole net `from` to the net `to` instead. Returns false if there are
// none.
bool ir_retie(struct ir *, int kernel, int from, int to); // from IR_NONE: false

// ---- Matrix engines and memory -----------------------------------------------------------------

// A matrix engine with the kernels around it, and the memory channels that its lanes read. A design has one engine for
// all products, or one engine per product. Row n of a product belongs to lane n mod lanes. Lane l reads channel
// first_channel + l. A resident engine has no channels: its lanes read weights that stay on chip, from the kernel
// `store`.
struct ir_engine {
    const char *name;                   // with several engines, the name of its product
    int kernel, x_mux, y_demux, walker; // kernels, or IR_NONE before they are made
    int first_channel, channels;        // channels: as many as lanes, or 0 if the engine is resident
    int lanes;                          // 1 to IR_MAX_LANES
    int store;                          // the kernel that stores the weights of a resident engine, or IR_NONE
    enum ram_style prefetch_style;      // memory of its channels' prefetch FIFOs; RAM_AUTO before allocate-memories
    // Only with several dies. lane_die: die of each lane, except for its waiting beats. sums_die: die of the lane's
    // sums and their dequantizer. The two differ for a cut lane, whose multipliers are on the die of the memory ports.
    // result_die: die on which the results come together.
    int lane_die[IR_MAX_LANES], sums_die[IR_MAX_LANES], result_die;
    bool halves; // beats go to lanes on other dies in two halves, on the second clock
};

// One firing of a matrix engine, in program order inside its region. docs/engine.md.
struct ir_firing {
    int engine;
    int node;
    int region;
    int head;            // attention: query head of this firing; product of an operand with several rows: the row
    int kv_head;         // the key and value head that the firing reads
    int mode;            // ENGINE_MODE_... (fields.def): 0 int8 weights, 1 int4 weights, 2 scores (keys), 3 values
    int x_edge_port;     // input of the x multiplexer
    bool x_take, x_free; // takes the next operand; frees its bank at the end
    bool outer;          // modes 0 and 1: processes the first chunk of row-steps column by column
    bool kv_keep;        // mode 3: the next firing of this node reads the same head
    int y_port;          // output of the y demultiplexer
    int64_t row_steps, beats, last_rows, tail_base, groups; // fields of the engine's entry (fields.def)
    int64_t heads; // query heads, or rows of a tensor, of this firing in a step of one token; 0: only its own
    bool many;     // skipped in steps of one token, because another firing covers its head or row
};

enum ir_segment_kind { IR_SEG_WEIGHTS, IR_SEG_K, IR_SEG_V, IR_SEG_TABLE, IR_SEG_PARAMS, IR_SEG_IO, IR_SEG_HEADER };
enum ir_segment_role { IR_SEG_OF_KERNEL, IR_SEG_PROMPT, IR_SEG_RING };

struct ir_segment {   // a range of the memory; its offset is the same on every channel that holds it
    const char *name; // in memory_map.json
    enum ir_segment_kind kind;
    int node;                  // the operation that reads or writes it (matmul, embed, ...), or IR_NONE
    int channel;               // IR_NONE: every channel of the engine that reads it
    int64_t offset;            // bytes from the channel's base address
    int64_t layer_stride;      // bytes from one repetition to the next, if the region repeats; else 0
    int64_t bytes;             // weights: of one repetition; others: of the whole segment
    enum ir_segment_role role; // role of a segment that belongs to no operation
    int parts;                 // above 1: row r is stored on channel + r mod parts, as row r / parts there
};

// ---- Groups of operations ----------------------------------------------------------------------

struct ir_group { // operations that run together; in every repetition, the groups of a region run one after the other
    int region;
    int first_node, nodes;
    int64_t bits; // counted against the on-chip budget: streams, buffers of kernels, data kept between groups
};

// EXACT: the groups with the least memory traffic within the budget. GREEDY: Algorithm 2 of the paper StreamTensor.
enum ir_fusion_kind { IR_FUSION_EXACT, IR_FUSION_GREEDY };

struct ir_fusion { // result of a fusion algorithm
    enum ir_fusion_kind kind;
    int64_t groups, bits, traffic; // bits: of the largest group; traffic: bits written and read between groups per step
};

int ir_add_group(struct ir *, struct ir_group);
int ir_add_fusion(struct ir *, struct ir_fusion);
const char *ir_fusion_name(enum ir_fusion_kind); // in reports and dumps

// ---- The whole ----------------------------------------------------------------------------------

struct ir {
    struct arena *arena;
    const char *name;
    struct ir_design design;
    struct ir_tensor *tensor;
    int tensors;
    size_t tensor_capacity;
    struct ir_node *node;
    int nodes;
    size_t node_capacity;
    struct ir_region *region;
    int regions;
    size_t region_capacity;
    int inputs, outputs;
    int input[IR_MAX_PORTS], output[IR_MAX_PORTS]; // tensors
    struct ir_kernel *kernel;
    int kernels;
    size_t kernel_capacity;
    struct ir_edge *edge;
    int edges;
    size_t edge_capacity;
    struct ir_net *net;
    int nets;
    size_t net_capacity;
    struct ir_wire *wire;
    int wires;
    size_t wire_capacity;
    struct ir_client *client;
    int clients;
    size_t client_capacity;
    struct ir_engine *engine;
    int engines;
    size_t engine_capacity;
    struct ir_firing *firing;
    int firings;
    size_t firing_capacity;
    struct ir_segment *segment;
    int segments;
    size_t segment_capacity;
    struct ir_group *group;
    int groups;
    size_t group_capacity;
    struct ir_fusion *fusion; // the one in use is first
    int fusions;
    size_t fusion_capacity;
    struct ir_die *die;
    int dies;
    size_t die_capacity;
    struct custom *custom; // custom kernels; their operations are numbered from IR_OPS
    int customs;
    struct ir_op_info *custom_op;      // their rows of the operations table (ir_set_customs)
    struct kernel_class *custom_class; // their kernel classes (kernel_set_customs)
    const char *done, *spec;           // name of the last pass that ran; text of the spec, or NULL
    // Text of the model's family, and the prefix that names in a checkpoint may have. NULL: none.
    const char *family, *prefix;
    const char **unused; // patterns of names in a checkpoint that nothing reads
    int unuseds;
};

// ---- Building and looking up --------------------------------------------------------------------

// The functions ir_add_... append an item and return its index. Name arguments are copied. Tensors and nodes belong to
// the region added last. Pointers to items of the same list are not valid afterwards, because the list may move.
int ir_add_tensor(struct ir *, const char *name, enum ir_dtype, struct loc);
int ir_add_node(struct ir *, const char *name, int op, struct loc);
int ir_add_region(struct ir *, const char *name, int64_t repeat, enum ir_when, struct loc);
// Moves a node to an earlier index and to this region, which is the same or an earlier one. Its outputs move along.
void ir_move_node(struct ir *, int node, int to, int region);
// If another kernel has the name, a number from 2 on is appended. node: the operation that it serves, or IR_NONE.
int ir_add_kernel(struct ir *, const char *name, const char *module, int node);
int ir_add_port(struct ir *, int kernel, const char *name, bool is_output, enum ir_stream_kind, int64_t data_bits);
// Connects a kernel's stream port, given by its whole name, to a client's nets, which the memory emitter declares.
// valid: IR_NET_DESC_TVALID or IR_NET_BEAT_TVALID; the two nets that follow it in nets.def are connected as well.
void ir_add_client_port(struct ir *, int kernel, const char *port, int64_t bits, int client, enum ir_net_role valid);
int ir_add_client(struct ir *, const char *name, int kernel, const char *port, bool is_write, int channel);
int ir_add_client_for(struct ir *, const char *name, enum ir_client_role);        // without a kernel, on channel 0
int ir_client_for(const struct ir *, enum ir_client_role);                        // the first one, or IR_NONE
int ir_add_engine(struct ir *, const char *name, int first_channel, int lanes);   // a lane for each channel
int ir_add_resident(struct ir *, const char *name, int first_channel, int lanes); // a resident engine
static inline bool ir_is_resident(const struct ir_engine *e) { return e->channels == 0; }
bool ir_has_lanes(const struct ir *); // whether some engine reads memory channels
// Returns whether a segment has the weights of a resident engine.
bool ir_is_of_store(const struct ir *, const struct ir_segment *);
// Returns how often a segment of weights is stored: once for each repetition of its region. 1 for other segments, whose
// bytes are those of all repetitions.
int64_t ir_segment_copies(const struct ir *, const struct ir_segment *);
int ir_add_firing(struct ir *, struct ir_firing);
int ir_add_segment(struct ir *, struct ir_segment);
const struct ir_segment *ir_segment_for(const struct ir *, enum ir_segment_role); // the first one, or NULL
enum ir_role ir_role_of(const char *port_name); // the role of ports with this name; IR_ROLE_NONE: no role has it
int ir_port_for(const struct ir_kernel *, enum ir_role, bool is_output); // IR_NONE if there is none
bool ir_is_of(const struct ir *, const struct ir_edge *, enum ir_role);  // whether one of its two ends has the role
bool ir_carries_steps(const struct ir *, const struct ir_edge *);        // whether its words are step words
// Adds the edge from an output to an input, with its name. Returns its index.
int ir_connect(struct ir *, int src_kernel, int src_port, int dst_kernel, int dst_port);
const char *ir_end_name(const struct ir *, int kernel, int port); // name of a port in the names of streams
// Names an edge after its ends, and appends a number if another edge has that name. Call it again when an end changes.
void ir_name_edge(struct ir *, int edge);
int ir_find_tensor(const struct ir *, const char *name);           // IR_NONE if absent
const struct ir_carry *ir_carry_of(const struct ir *, int tensor); // the carry whose `local` is the tensor, or NULL
int ir_first_value(const struct ir *, int tensor); // the initial tensor of a carried one; any other tensor itself
int64_t ir_vocabulary(const struct ir *);      // rows of the smallest table that ids from outside index; 0 without one
int ir_engine_of(const struct ir *, int node); // the engine that computes a product; IR_NONE for other operations
int ir_engine_at(const struct ir *, int channel); // the engine that owns a channel; IR_NONE: no engine does
// These are for the packed array of a multiplexer's inputs or a demultiplexer's outputs. ir_steered_port returns the
// port that has an index in the array. ir_steered_index returns the index of the only port that carries a tensor. Both
// return IR_NONE if there is no such port, and ir_steered_index also if there are several.
int ir_steered_port(const struct ir *, int kernel, int index);
int ir_steered_index(const struct ir *, int kernel, int tensor);
// Returns the number of channels over which the positions of the keys are distributed; all channels in a design without
// attention.
int ir_key_channels(const struct ir *);
enum { IR_CHANNEL_CLIENTS = 64 /* most clients that read, or that write, on one channel */ };
bool ir_client_on(const struct ir *, const struct ir_client *, int channel); // whether the client uses the channel
// Returns the channels of a segment as text: `0`, `0-3`, or the argument `all` if every channel of its engine has it.
const char *ir_segment_channels(const struct ir *, const struct ir_segment *, const char *all);
static inline int ir_parts(int parts) { return parts > 1 ? parts : 1; } // channels of a client or segment, at least 1
enum { IR_WRITES_OPEN = 16 /* most unacknowledged beats of a channel's write engine */ };
// Returns whether the design has a second clock: with `A: 4` or `pump: 2`. The multipliers then work twice per cycle,
// and the top module has an input clk_2x for them.
bool ir_second_clock(const struct ir *);
const char *ir_strategy_text(const struct ir *); // `auto: ...` for the report and the dump; NULL: no strategy
// Address width of the memory ports, from the board's memory: at least 34; 64 if the memory is not known.
int ir_address_bits(const struct ir *);
int64_t ir_write_buffer(const struct ir *, int channel); // beats of the channel's write buffer; 0: no writes
// Returns the name of a kernel or net of an engine: `what`, after the engine's name if the design has several engines.
const char *ir_engine_name(const struct ir *, int engine, const char *what);
// Returns the number of elements of one token's value. A dynamic extent counts as its bound.
int64_t ir_tensor_elements(const struct ir_tensor *);
int ir_node_lanes(const struct ir *, int node); // lanes of the node's kernel: those set for it, or the design's
// Returns the length of the vectors that an operation works on: the dimension `along`, the last dimension of a
// quantized tensor, or else the whole first operand. For a custom kernel with vector parameters, it is the length of
// these vectors. Returns 0 for an operation without operands.
int64_t ir_vector_length(const struct ir *, const struct ir_node *);
// Returns whether a region processes only the last token of a step. With drafts or slots it processes all tokens of the
// steps in which it runs. False for IR_NONE.
bool ir_takes_last(const struct ir *, int region);
// Returns whether the head chooses a next token for each token of a step: with drafts and with slots.
bool ir_chooses_all(const struct ir *);
// Returns the places for tokens in the matrix engines: the number of tokens of a step, or of rows of a tensor that take
// the places of tokens.
int ir_places(const struct ir *);
// Returns the width of tuser, {last token of the firing, token}, in streams of firings with up to `tokens` tokens.
int ir_user_bits(int64_t tokens);
// Returns the width of tuser at a port that has it.
int ir_port_user_bits(const struct ir *, const struct ir_port *);
// Returns the largest number of parts of a step (tokens of different requests): 1 without slots, else the smaller one
// of `slots` and `T`.
int ir_parts_of_step(const struct ir *);
// Returns the number of copies of a repetition's vector parameters in their on-chip store: in a repeated region, one
// for each vector that the operation works on in a repetition, else 1. The store is read in a circle, word after word,
// so a vector that is needed again must be stored again.
int64_t ir_param_copies(const struct ir *, const struct ir_node *);

// Returns the itensor type in the notation of the paper StreamTensor, in arena memory.
const char *ir_type_text(const struct ir *, const struct ir_itensor *);
// These two read the texts that ir_type_text and ir_extent_text write. They return false if the text has another form.
bool ir_type_read(const char *text, struct ir_itensor *);
bool ir_extent_read(const char *text, struct ir_extent *);
const char *ir_extent_text(const struct ir *, const struct ir_extent *); // `8`, `positions<=256`
// Returns `kernel.port`, or `kernel.port.index` for a packed array. A missing name is left out.
const char *ir_port_text(const struct ir *, int kernel, int port);
bool ir_type_equal(const struct ir_itensor *, const struct ir_itensor *);

// ir_write_text appends the IR as YAML (a dump), from which ir_read makes the same structure. ir_read returns NULL
// after an error.
void ir_write_text(const struct ir *, struct text *);
struct ir *ir_read(struct arena *, const char *path, struct diag *);

// Checks the structural rules that hold between passes, for example that every index is in range. Reports each
// violation to diag as an internal error of `pass` (the program goes on). Returns false if there is one.
bool ir_verify(const struct ir *, struct diag *, const char *pass);

// ---- Engines on several dies -------------------------------------------------------------------

// How the command of a matrix engine reaches lanes on several dies: parameter CHAINS of rill_engine and related
// parameters.
enum { IR_MAX_CHAINS = IR_MAX_DIES, IR_LANE_GROUPS = IR_MAX_LANES / IR_LANE_GROUP };

// A command chain that the lanes of a die share: registers that bring the engine's command (multiply one beat) to them.
// Multipliers of lanes that are cut have a separate chain, marked `early`, because their sums on another die need the
// command later.
struct ir_chain {
    int die;
    bool early, multiplies; // multiplies: serves multipliers of lanes, not only sums
};

struct ir_chains {
    int count, lanes_of[IR_LANE_GROUPS], sums_of[IR_LANE_GROUPS]; // the chains of each group of lanes
    struct ir_chain chain[IR_MAX_CHAINS];
};

struct ir_chains ir_chains_of(const struct ir_engine *);
bool ir_is_cut(const struct ir_engine *, int lane); // whether the lane's multipliers and sums are on different dies
// ir_engine_hops returns the register stages from the engine to its farthest lane or sums: the die boundaries between
// them, and one more if beats go in halves. ir_result_hops returns the most boundaries between sums and results.
int ir_engine_hops(const struct ir *, const struct ir_engine *);
int ir_result_hops(const struct ir_engine *);
// Returns the register stages from the results back to the engine. A signal that leaves the results' die needs one
// extra stage before the boundary.
int ir_pulse_hops(const struct ir *, const struct ir_engine *);
// Returns how many bits of row parameters a cut lane sends to its sums per clock (PARAM_BITS). The result is so large
// that the parameters of a row (scale and bias, 64 bits) never take more cycles than the beats of the row: a power of
// two from 8 to 64.
int ir_param_bits(const struct ir *, const struct ir_engine *);
// Returns the die on which the streams of a kernel start. The results of an engine may be on another die than the rest
// of the engine.
int ir_source_die(const struct ir *, int kernel);

// ---- Streams between dies ----------------------------------------------------------------------

// A stream between dies is a sender with credits, registers on the way, and a FIFO at the far end (docs/rtl.md section
// 3).
enum { IR_MAX_WORD_PARTS = 8 };

// Returns the extra cycles, compared with a FIFO alone, in which a word crosses `borders` die boundaries: one for the
// sender's register and one for each boundary. The credit for a word that was taken needs the same time to come back.
int64_t ir_credit_cycles(int borders);
// These return the number of parts in which a word is sent, at least one, and the bits of each part of a word of `bits`
// bits.
int ir_edge_parts(const struct ir_edge *);
int64_t ir_part_bits(const struct ir_edge *, int64_t bits);
// Returns the depth of the FIFO of a stream that needs `depth` words on one die and crosses `borders` die boundaries.
// With borders, it is larger by the words that can be sent while a word and its credit are on the way. A credit is the
// sender's right to send a word, because the FIFO has a free place.
int64_t ir_credits(int64_t depth, int borders);

#endif
