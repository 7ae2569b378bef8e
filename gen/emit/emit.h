// SPDX-License-Identifier: Apache-2.0
// The emitters print a design's Verilog and files about it from the IR, which they do not change. The output depends on
// the IR alone, byte for byte. Texts that functions return are in the arena of the IR; functions with `out` append to
// it. `kernel`, `edge`, `die`, `channel` and `tensor` are indices in the lists of struct ir (ir.h), and `module` is an
// index in the plan or EMIT_TOP (emit_plan.h). What contradicts the IR, such as an expression without a value, is an
// internal error.
#ifndef RILL_EMIT_H
#define RILL_EMIT_H

#include "gen/base/verilog.h"
#include "gen/emit/emit_plan.h"
#include "gen/ir/ir.h"

// Hashes by which a host recognizes a design.
struct emit_names {
    uint64_t identity; // hash of design.yaml
    uint64_t layout;   // hash of the memory layout; the manifest of an image that fits the design has the same value
};

// ---- the Verilog of a design ----

// Makes the plan of the design's modules, with their texts (emit_plan.h). `names` may be NULL if the caller needs only
// the placement.
struct emit_plan *emit_plan_make(const struct ir *, const struct emit_names *);
void emit_top(const struct emit_plan *, struct text *out); // the module rill_top
// Parts of the top module.
void emit_ports(const struct ir *, struct text *out);         // the list of ports
void emit_levels(const struct emit_plan *, struct text *out); // the registers that distribute reset and flush
// Adds a comment that lists the kernel of each bit of a vector of faults: of a module's vector, or of all faults for
// EMIT_TOP. indent: the blanks before the comment.
void emit_describe_faults(const struct emit_plan *, int module, const char *indent, struct text *out);
void emit_faults(const struct emit_plan *, struct text *out);   // wires all faults to the token loop's `kernel_fault`
void emit_channels(const struct emit_plan *, struct text *out); // the memory channels
// Parts of one module: each kernel after the links of the streams that it reads, the descriptors from the walkers (the
// kernels that order an engine's reads of memory) to the channels, and the logic that belongs to no kernel. A link is
// the FIFO of a stream, or its sender, register stages and FIFO between dies, or only wires.
void emit_kernels(struct emit_scope *);
void emit_walks(struct emit_scope *);
void emit_control(struct emit_scope *);
// Adds the comment above a parameter: the number that the bits of an fp32 stand for, the order of a list, or the
// meaning of an engine's chains. Most parameters have none.
void emit_describe_value(const struct ir *, int kernel, const struct ir_param *, struct text *out);
// Prints the value of a parameter. A table has one line per entry.
void emit_value(const struct ir *, int kernel, const struct ir_param *, struct text *out);
// A field of the words of a layout (fields.def).
struct emit_layout_field {
    const char *name, *meaning; // the name with its bits, `mode[1:0]`; the meaning with the meanings of values
    int first, bits;
};
// Gets the field with this index, from 0 and counted from the low bits. layout: its id in fields.def, `ENGINE`. Returns
// false if the layout has no such field.
bool emit_layout_field(const struct ir *, const char *layout, int index, struct emit_layout_field *);
// Adds the top module of a simulation. It instantiates rill_top, or the wrapper module named `wrapper` (NULL: none)
// around rill_top, a memory model for each channel, and probes.
void emit_sim_top(const struct emit_plan *, const char *wrapper, struct text *out);

// ---- levels ----

// A level is a signal that goes to all instances, with a separate register for each: `core_rst` resets everything that
// belongs to one request, `core_flush` makes the DMA engines send no new bursts. A design on several dies has a
// `core_rst_<die>` for each die.

// Returns the net at the top that has the copies of a die's reset for a module.
const char *emit_module_reset(const struct emit_plan *, int module, int die);
const char *emit_first_reset(const struct emit_plan *); // the reset bit of an instance that every design has
// Returns the number of register stages of the reset on its way to each die, and of the faults on their way back. 0:
// the whole design is on the token loop's die.
int emit_way_stages(const struct ir *);
int emit_home(const struct ir *); // the token loop's die; 0 before the design has a token loop
// Returns the name of a net or instance that exists once per die: `<net>_<die>`, or `net` itself in a design on one
// die.
const char *emit_of_die(const struct ir *, const char *net, int die);
bool emit_has_faults(const struct ir *, int die);     // whether a kernel on the die can raise a fault
void emit_stall(const struct ir *, struct text *out); // assigns channel_no_beat: bit c is 1 if channel c has no beat
const char *emit_on_die(const struct ir *, int die);  // `, on SLR1`; empty if the whole design is on one die
void emit_count_channels(struct emit_plan *);         // adds the copies of reset and flush that the channels take
// Returns the number of a channel's DMA engines: one for each read client, one for all writers. Each takes a copy of
// reset and of flush.
int emit_channel_engines(const struct ir *, int channel);
// Returns the die whose reset the channels take, or 0 if the whole design is on one die.
int emit_channel_die(const struct ir *);
const char *emit_channel_level(const struct ir *, const char *level, int channel); // net with a channel's copies

// ---- streams ----

struct emit_word emit_port_word(const struct ir *, int kernel, const struct ir_port *); // layout of the words
// Returns the width of tuser in the streams that have it, except in those of an engine with more places than T tokens
// (ir_places).
int64_t emit_user_bits(const struct ir *);
// Returns the net of one signal of a stream at its writer or at its reader, in the module of the stream's link.
const char *emit_net(const struct emit_plan *, int edge, bool at_writer, enum emit_field);
// Returns the net of one signal of a stream at its writer, in the writer's module.
const char *emit_written_net(const struct emit_plan *, int edge, enum emit_field);
// Returns the fork that reads this stream, if the fork's readers read the word at the fork's input, so that the fork's
// outputs have no nets for words. Returns IR_NONE if the reader is not a fork, or if the stream's link is in another
// module than the fork.
int emit_fork_at(const struct emit_plan *, int edge);
// For a stream that leaves such a fork, returns the stream at the fork's input, which has the same words. Returns
// IR_NONE if the writer is not such a fork.
int emit_copied_from(const struct emit_plan *, int edge);
bool emit_word_leaves(const struct emit_plan *, int edge); // whether a reader of such a fork is in another module
// Declares a stream's nets at one end, unless they are ports of the module or are declared already.
void emit_declare(struct emit_scope *, int edge, bool at_writer);
// Writes the links of the streams that the kernel reads or, as a pool, stores.
void emit_links(struct emit_scope *, int kernel);
// Declares the nets of a stream of this name: <name>_tvalid, <name>_tready and the fields of the word.
void emit_stream_nets(const struct ir *, const char *name, const struct emit_word *, struct text *out);
// These return the net of a pooled stream's signal at the input, or at the output, of the pool's storage. A pool is one
// memory that holds the FIFOs of several streams (rill_fifo_pool).
const char *emit_into_pool(const struct emit_plan *, int edge, enum emit_field);
const char *emit_out_of_pool(const struct emit_plan *, int edge, enum emit_field);
// Returns the port with this number in the array to which `like` belongs, or NULL.
const struct ir_port *emit_array_port(const struct ir_kernel *, const struct ir_port *like, int index);
int emit_pool_member(const struct ir *, int pool, int port);              // the stream at a port of a pool
int64_t emit_pool_number(const struct ir *, int pool, const char *param); // value of a parameter of the pool's storage

// ---- places ----

void emit_pblocks(const struct emit_plan *, struct text *out); // Tcl: a pblock for each die, with its instances
// Adds lines `rill_prefer <die> {<path>}` for the matrix engines, and for their parts that are on another die than the
// instance around them, so that crossings stay between flip-flops.
void emit_engine_preferences(const struct emit_plan *, struct text *out);
// Adds only those lines of emit_pblocks that place instances, `rill_place pblock_<die> {<path>}`, and their comments.
void emit_placement(const struct emit_plan *, struct text *out);
// Calls `visit` for each instance of a stream (FIFO, register stages between dies), with its path and its die. path:
// relative to the top, `u_layer/u_norm1`. state: passed on from emit_walk_stream.
typedef void emit_visit(void *state, const char *path, int die);
void emit_walk_stream(const struct emit_plan *, int edge, emit_visit *, void *state);
void emit_memory_map(const struct ir *, struct text *out); // JSON

// ---- comments ----

// Adds the part of the top's header comment that explains how to read the file. Its text contains these placeholders
// for line numbers, which emit_top replaces when the whole text is known.
#define EMIT_LINE_PORTS "@ports"
#define EMIT_LINE_CONSTANTS "@cons"
#define EMIT_LINE_MODULES "@mods"
#define EMIT_LINE_CHANNEL "@chan"
void emit_describe_top(const struct emit_plan *, struct text *out);
const char *emit_what(const struct emit_plan *, int module); // a sentence about a module
// Returns the numbers of a module's operations, other kernels and streams, in words. An operation is counted in the
// module that computes it, a stream in the module that has its FIFO.
const char *emit_counts(const struct emit_plan *, int module);
// Adds the part of a module's header comment that differs between modules: the region's operations or the module's
// kernels, and the data that the module receives and sends.
void emit_describe_module(const struct emit_plan *, int module, struct text *out);
// Returns what to add to "walks a table once for each step" in a design with slots; otherwise an empty text.
const char *emit_walks_parts(const struct ir *);
// Lists the data that a module receives and sends on streams and nets, and what it reads from memory and writes there.
void emit_flows(const struct emit_plan *, int module, struct text *out);
// Adds a block diagram of the design's modules with all data that they exchange. before: what each line begins with.
void emit_picture(const struct emit_plan *, const char *before, struct text *out);
void emit_describe_kernel(const struct ir *, int kernel, struct text *out); // the kernel's work, or what it carries
void emit_describe_stream(const struct ir *, const struct ir_edge *, struct text *out); // ends, tensor, words, dies
bool emit_has_orders(const struct ir *); // whether a stream with a type has its words in another than the usual order
const char *emit_purpose(const struct ir *, int kernel);           // the purpose of a kernel that computes no operation
void emit_tensor(const struct ir *, int tensor, struct text *out); // name, dtype, shape
void emit_carried(const struct ir *, const struct ir_edge *, struct text *out); // the stream's tensor or purpose
const char *emit_carried_name(const struct ir *, const struct ir_edge *); // the tensor's name, or the stream's purpose
int emit_tensor_at(const struct ir *, const struct ir_edge *); // the tensor at one of the stream's ends, or IR_NONE
bool emit_carried_by(const struct ir *, int kernel, struct text *out); // a kernel's tensors; false: nothing is known

// ---- constants ----
//
// Constants of a design have names in its Verilog (BEAT_BITS, MX_W ...). Widths and parameters that depend on them are
// expressions such as `8*FP32_W+SIDE_W`.

int64_t emit_evaluate(const struct ir *, const char *expression); // the expression's value in this design
// Returns the text of a number: the expression, after checking that it has this value. If the expression is NULL,
// returns the digits.
const char *emit_expression(const struct ir *, const char *expression, int64_t value);
const char *emit_range_of(const struct ir *, const char *expression, int64_t bits); // `[MX_W-1:0] `; empty for one bit
const char *emit_field_range(const struct ir *, const struct emit_word *, enum emit_field); // the same for a field
const char *emit_times(const struct ir *, int64_t times, const char *expression);           // `8*FP32_W`
// Returns the product of a number of channels and an expression; with NULL, only the number of channels. The number is
// written as CHANNELS if these are all channels of the design.
const char *emit_of_channels(const struct ir *, int64_t count, const char *expression);
// These return expressions, or NULL if none is known: the width of tdata at a port, of a stream's tdata, of tuser,
// tlast and tcount together, and of a whole word.
const char *emit_data_width(const struct ir *, int kernel, const struct ir_port *);
const char *emit_stream_width(const struct ir *, const struct ir_edge *);
const char *emit_side_width(const struct ir *, const struct emit_word *);
const char *emit_word_width(const struct ir *, const struct emit_word *);
// Returns the expression of a parameter's value, or NULL if only the number is known.
const char *emit_param_expression(const struct ir *, int kernel, const struct ir_param *);
enum { EMIT_MAX_CONSTANTS = 24 };
struct emit_constant {
    const char *name, *is, *doc; // is: the constant's value or expression; doc: comment at the declaration
};
// Lists the constants that a text uses outside of its comments. A constant comes before those that depend on it.
// Returns their number.
int emit_used_constants(const struct ir *, const char *text, struct emit_constant out[EMIT_MAX_CONSTANTS]);

// ---- layout ----

const char *emit_range(const struct ir *, int64_t bits); // range of a declaration, `[7:0] `; empty for one bit
// Returns the index into a net of `bits` bits, such as `[3]`, or an empty text if the net has one bit.
const char *emit_bit(const struct ir *, int64_t bits, int64_t index);
// Returns `net[7:4]`, `net[3]`, or the bare name if the slice covers the whole net.
const char *emit_slice(const struct ir *, const char *net, int64_t bits, int64_t first, int64_t width);
// These return the braces around a concatenation of `names` names, or an empty text for one name.
const char *emit_open(int names);
const char *emit_close(int names);
// Breaks long lines: code after commas, pluses or `=`, comments at spaces.
void emit_wrapped(const struct text *in, struct text *out);
// Adds a line of code with its comment. The comment is at the end of the line if both fit into the columns, and
// otherwise above the line.
void emit_commented(const char *code, const char *comment, struct text *out);

// ---- the RTL library ----

struct emit_template {
    const char *module;   // name of the module and of its file
    struct source source; // data is NULL until emit_library_reach has read the file
};
struct emit_header {
    const char *name, *path; // a file that templates include
};
struct emit_library {
    struct arena *arena;
    VEC(struct emit_header) headers;
    VEC(struct emit_template) templates;   // sorted by folder and name
    VEC(struct emit_template *) by_module; // the same, sorted by name alone
};
// Lists the files of the library in the folders below `root`. Reads none of them yet.
struct emit_library *emit_library_open(struct arena *, const char *root);
bool emit_library_has(const struct emit_library *, const char *module);
// Reads the templates that a text instantiates in any branch of its `ifdef`s, and everything that these templates need.
// Included files replace their directives. Returns false after an error.
bool emit_library_reach(struct emit_library *, const struct source *text, struct diag *);
// Returns whether a text instantiates the module, in any branch of its `ifdef`s. The arena is for scratch memory.
bool emit_instantiates(struct arena *, const struct source *text, const char *module);

// ---- the files of a design's RTL ----

struct emit_file {
    const char *name; // path within the design's folder: rtl/rill_top.v
    const char *data;
    size_t len;
};
struct emit_rtl {
    VEC(struct emit_file) files; // in the order of filelist.f, the top last
    const char *hash; // 16 hexadecimal digits; hash of all that a netlist depends on: code, placement on dies
};
// Makes all Verilog files of the design, with the templates of the library that it needs. Returns false after an error.
bool emit_rtl(const struct emit_plan *, struct emit_rtl *out, struct diag *);
// Writes the waivers for lint of a design: those of a shared list that one of the design's files needs. shared: the
// text of this list (verif/lint/emitted.vlt).
void emit_waivers(const struct emit_rtl *, struct arena *, const char *shared, struct text *out);
// Adds the part of a Verilog file that a netlist depends on: everything except comments, layout, and hashes that only
// the host reads.
void emit_logic(const char *data, size_t len, struct text *out);
// Facts about the reset that a user of a design needs, because the design does not enforce them.
#define EMIT_RESET_USE                                                                                                 \
    "Hold rst for at least 16 cycles. A reset may come in the middle of a request: the channels then discard the "     \
    "responses that the memory still owes. If rst resets the design but not the memory controller, kill the request "  \
    "first (register halt), because a write whose address was sent without its data cannot be completed."
#define EMIT_README_MARK "Generated by rill" // in the first line of a README.md
const char *emit_board(const struct ir *);   // the board's name; of a board file, its name without folder and ending
const char *emit_does(const struct ir *);    // says in a few sentences what the design does
const char *emit_model(const struct ir *);   // describes the model or graph: `a language model of the family gpt2, ...`
// Writes README.md, which explains the design's folder. timing: the folder has a record of the delay model.
void emit_readme(const struct emit_plan *, const struct emit_rtl *, bool timing, struct text *out);
// Adds the first lines of a file: version, hash, license, `what` (a sentence about the file's module), the design.
void emit_header(const struct emit_plan *, const char *what, struct text *out);

// ---- shared by the emitters ----

enum { EMIT_MAX_CLIENTS = IR_CHANNEL_CLIENTS }; // most clients of a channel in one direction
struct emit_client {                            // a client of one channel
    const char *name;                           // the names of the client's nets begin with this name
    int client;                                 // index in the IR; IR_NONE: the weight stream
    int base;                                   // net of the base address; IR_NONE: the channel's register
    int64_t burst, buffer;                      // beats; 0: the design's values
    enum ram_style style;                       // memory of its buffer; RAM_AUTO: chosen by the number of beats
    bool is_lane;                               // the engine's weight stream
    bool on_every;                              // one such client on every channel of a matrix engine
    bool is_packed;                             // each channel transfers different beats
    int part, parts;                            // a read split over `parts` channels: this is number `part`
};
// Lists the read or write clients of a channel, the lane first, and returns their number. More than EMIT_MAX_CLIENTS
// are an internal error.
int emit_channel_clients(const struct ir *, int channel, bool is_write, struct emit_client out[EMIT_MAX_CLIENTS]);
int emit_id_bits(const struct ir *); // width of AXI ids, equal on all ports; at least 1

// The pins of rill_top: m_axi_hbm_NN_<name> of each channel, s_axi_control_<name>.
enum { EMIT_AXI_SIGNALS = 37, EMIT_AXIL_SIGNALS = 19 };
struct emit_signal {
    const char *name;
    bool from_master; // the master of the bus drives the signal
    int bits;         // 0: id width; -1: data width; -2: strobe width
};
bool emit_begins_group(int signal); // returns whether it is the first signal of a channel of AXI4: AR, R, AW, W, B
bool emit_is_ignored(int signal);   // returns whether no module reads this signal of emit_axil_signals
extern const struct emit_signal emit_axi_signals[EMIT_AXI_SIGNALS], emit_axil_signals[EMIT_AXIL_SIGNALS];
int emit_signal_bits(const struct ir *, const struct emit_signal *);

#endif
