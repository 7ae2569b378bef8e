// SPDX-License-Identifier: Apache-2.0
// Emitters: read-only walks over the IR that print Verilog and reports. Same IR, same bytes.
#ifndef RILL_EMIT_H
#define RILL_EMIT_H

#include "gen/base/verilog.h"
#include "gen/emit/emit_plan.h"
#include "gen/ir/ir.h"

// What a host recognizes a design by.
struct emit_names {
    uint64_t identity; // of design.yaml
    uint64_t layout;   // of its memory, as in the manifest of an image that fits
};

// ---- the Verilog of a design ----

// Its modules, with their texts; names NULL: of a plan that is asked for places alone.
struct emit_plan *emit_plan_make(const struct ir *, const struct emit_names *);
void emit_top(const struct emit_plan *, struct text *out); // rill_top
// Parts of the top.
void emit_clocks(bool second, struct text *out);
void emit_ports(const struct ir *, struct text *out);
void emit_levels(const struct emit_plan *, struct text *out);
void emit_faults(const struct emit_plan *, struct text *out); // to the token loop's `kernel_fault`
void emit_channels(const struct emit_plan *, struct text *out);
// Parts of a module: links of the streams that it reads, an instance of each kernel, bursts to the channels, what no
// kernel drives.
void emit_streams(struct emit_scope *);
void emit_kernels(struct emit_scope *);
void emit_walks(struct emit_scope *);
void emit_control(struct emit_scope *);
void emit_value(const struct ir *, int kernel, const struct ir_param *, struct text *out); // tables entry by entry
// Simulation top: rill_top, or the kernel wrapper of this name around it, a memory model per channel, probes.
void emit_sim_top(const struct emit_plan *, const char *wrapper, struct text *out);

// ---- levels ----

// A register of its own for each instance: `core_rst`, the reset of all that belongs to one request, and `core_flush`
// of the memory's engines; where the design lies on several dies, `core_rst_<die>`.
const char *emit_first_reset(const struct emit_plan *); // of an instance that every design has
// Stages of the reset's way to each die, and of the way of faults from there; 0: all lies on the token loop's.
int emit_way_stages(const struct ir *);
int emit_home(const struct ir *); // the token loop's die
// A net or an instance of which every die has one; where there is only one die, without its number.
const char *emit_of_die(const struct ir *, const char *net, int die);
bool emit_has_faults(const struct ir *, int die);
void emit_count_channels(struct emit_plan *); // copies of levels that they take

// ---- streams ----

struct emit_word emit_port_word(const struct ir *, const struct ir_port *);
int64_t emit_user_bits(const struct ir *);                                   // of a stream that has tuser
const char *emit_port_net(const struct emit_plan *, const struct ir_port *); // of its stream, at the port
const char *emit_into_pool(const struct emit_plan *, int edge);              // at the storage that it shares
const char *emit_out_of_pool(const struct emit_plan *, int edge);
int64_t emit_pool_number(const struct ir *, int pool, const char *param); // of the storage

// ---- places ----

void emit_pblocks(const struct emit_plan *, struct text *out);   // Tcl: a pblock of each die, and its instances
void emit_placement(const struct emit_plan *, struct text *out); // of it the lines `rill_place pblock_<die> {<path>}`
// The instances of a stream, with their paths, and the dies that they lie on.
typedef void emit_visit(void *state, const char *path, int die);
void emit_walk_stream(const struct emit_plan *, int edge, emit_visit *, void *state);
void emit_memory_map(const struct ir *, struct text *out); // JSON

// ---- comments ----

void emit_describe_top(const struct emit_plan *, struct text *out);                // how to read it
void emit_describe_module(const struct emit_plan *, int module, struct text *out); // operations, or kernels
void emit_describe_kernel(const struct ir *, int kernel, struct text *out); // operations, or what goes through it
void emit_describe_stream(const struct ir *, const struct ir_edge *, struct text *out); // ends, tensor, type
void emit_tensor(const struct ir *, int tensor, struct text *out);                      // name, dtype, shape
void emit_carried(const struct ir *, const struct ir_edge *, struct text *out); // tensor, or purpose, of a stream
bool emit_carried_by(const struct ir *, int kernel, struct text *out);          // of a kernel; false: of none

// ---- layout ----

const char *emit_range(const struct ir *, int64_t bits);              // `[7:0] ` of a declaration; empty: one bit
const char *emit_bit(const struct ir *, int64_t bits, int64_t index); // `[3]` of a net of so many; empty: it has one
// `net[7:4]`, `net[3]`, or the net where that is all of its bits.
const char *emit_slice(const struct ir *, const char *net, int64_t bits, int64_t first, int64_t width);
// Of so many names side by side: no braces around one.
const char *emit_open(int names);
const char *emit_close(int names);
void emit_wrapped(const struct text *in, struct text *out); // broken behind commas or `=`, comments at spaces

// ---- the RTL library ----

struct emit_template {
    const char *module;   // in a file of its own with this name
    struct source source; // data NULL: not reached
};
struct emit_header {
    const char *name, *path; // a file that templates include
};
struct emit_library {
    struct arena *arena;
    VEC(struct emit_header) headers;
    VEC(struct emit_template) templates; // by folder and name
};
struct emit_library *emit_library_open(struct arena *, const char *root);
bool emit_library_has(const struct emit_library *, const char *module);
// Reads the templates that a text instantiates, in whatever branch, and all that these need, what they include in the
// place of the directive. False after an error.
bool emit_library_reach(struct emit_library *, const struct source *text, struct diag *);
bool emit_instantiates(struct arena *, const struct source *text, const char *module);

// ---- all of it ----

struct emit_file {
    const char *name; // in the folder of a design: rtl/rill_top.v
    const char *data;
    size_t len;
};
struct emit_rtl {
    VEC(struct emit_file) files; // in the order of filelist.f, the top last
    const char *hash;            // of what a netlist depends on: lines but comments, placement on dies; 16 digits
};
bool emit_rtl(const struct emit_plan *, struct emit_rtl *out, struct diag *); // false: an error
void emit_header(uint64_t identity, const char *what, struct text *out);      // the first line of a file

// ---- shared by the emitters ----

enum { EMIT_MAX_CLIENTS = IR_CHANNEL_CLIENTS };
struct emit_client {       // a client of one channel
    const char *name;      // suffix of its nets
    int client;            // in the IR, IR_NONE: the weight stream
    int base;              // net of its base address, IR_NONE: the channel's register
    int64_t burst, buffer; // beats; 0: the design's
    bool is_lane;          // the weight stream of the engine
    bool on_every;         // one of it on every channel of a matrix engine
    bool is_packed;        // with beats of its own on each
    int part, parts;       // of a read that is dealt out over so many channels
};
// Read or write clients of a channel; returns the count.
int emit_channel_clients(const struct ir *, int channel, bool is_write, struct emit_client out[EMIT_MAX_CLIENTS]);
int emit_id_bits(const struct ir *); // width of AXI ids, the same on all ports

// The pins of rill_top: m_axi_hbm_NN_<name> of each channel, s_axi_control_<name>.
enum { EMIT_AXI_SIGNALS = 37, EMIT_AXIL_SIGNALS = 19, EMIT_AXIL_READ = 17 /* others: hosts are all alike */ };
struct emit_signal {
    const char *name;
    bool from_master;
    int bits; // 0: id, -1: data, -2: strobe
};
extern const struct emit_signal emit_axi_signals[EMIT_AXI_SIGNALS], emit_axil_signals[EMIT_AXIL_SIGNALS];
int emit_signal_bits(const struct ir *, const struct emit_signal *);

#endif
