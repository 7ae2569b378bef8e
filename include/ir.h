// SPDX-License-Identifier: Apache-2.0
// The intermediate representation: a tensor graph (what is computed) and a kernel graph (the hardware for it).
// Lists are in program order, so passes and emitters are deterministic. All memory belongs to one arena.
#ifndef RILL_IR_H
#define RILL_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/attrs.h"
#include "include/base.h"
#include "include/custom.h"
#include "include/diag.h"
#include "include/fields.h"
#include "include/ir_design.h"
#include "include/ir_die.h"
#include "include/ir_engine.h"
#include "include/ir_group.h"
#include "include/ir_net.h"
#include "include/ir_param.h"
#include "include/itensor.h"
#include "include/ram_style.h"

// ---- Tensor graph -------------------------------------------------------------------------------

// One value per token: shape is without the token dimension. [heads][head_dim], [heads][positions], or [n].
struct ir_tensor {
    const char *name;
    enum ir_dtype dtype;
    int rank;
    struct ir_extent shape[IR_MAX_RANK];
    int64_t block;   // IR_MX: elements that share an exponent
    int64_t exp_min; // IR_MX and IR_ACC: exponent of shift 0
    bool heads;      // rank 2: rows are heads of attention, each a firing of its own wherever the tensor travels
    int producer;    // node, or IR_NONE for graph inputs and carried tensors
    int region;
    struct loc loc;
};

struct ir_node {
    const char *name;
    int op; // row of ops.def, enum ir_op
    int region;
    int inputs, outputs;
    int in[IR_MAX_PORTS], out[IR_MAX_PORTS]; // tensors
    struct ir_attrs attrs;
    int lanes;              // fp32 lanes of its kernel's streams; 0 until choose-lanes
    int orders;             // 0: row-major. Else the rank of its output:
    int order[IR_MAX_RANK]; // the loops of the output's walk, by dimension, outermost first; words lie along the last
    struct loc loc;
    const char *step_of; // what messages say of a step of a composite, not in dumps; NULL: it is none
};

// A tensor carried around a repeated region: `local` is `init` in the first repetition and the previous repetition's
// `next` afterwards. Outside, after the region, `local`'s last `next` is meant.
struct ir_carry {
    int local, init, next; // tensors
};

enum ir_when {
    IR_ALWAYS,
    IR_LAST /* only steps that need the head: the last position of the prompt and every decode step */
};

struct ir_region {
    const char *name;
    int64_t repeat;
    enum ir_when when;
    int carries;
    struct ir_carry carry[IR_MAX_PORTS];
    int first_node, nodes; // nodes are contiguous
    struct loc loc;
};

// ---- Kernel graph -------------------------------------------------------------------------------

enum ir_stream_kind {  // what travels beside tdata; docs/rtl.md section 3
    IR_STREAM_TOKENS,  // tdata, tuser {tok_last, tok}, tlast
    IR_STREAM_COUNTED, // the same and tcount (valid elements)
    IR_STREAM_BARE,    // tdata alone (steps, ids to the ring, descriptors, beats, parameters)
};

// What a stream is for, beside the operands of operations in general (roles.def).
enum ir_role {
    IR_ROLE_NONE,
#define ROLE(role, name, what) IR_ROLE_##role,
#include "include/roles.def"
#undef ROLE
};

struct ir_port {
    const char *name;  // Verilog name without s_axis_ / m_axis_
    enum ir_role role; // of that name
    bool is_output;
    enum ir_stream_kind kind;
    int64_t data_bits;
    int64_t count_bits;
    struct ir_itensor type;
    int index;   // lane of a packed array port (mux, demux, fork), or IR_NONE
    int edge;    // the edge at this port, or IR_NONE
    int tensor;  // the tensor graph's value on this stream, or IR_NONE
    int64_t cut; // firings into which the walk of `type` is cut, 1: it is one firing (rows of a tensor that are worked
                 // on one by one)
    int region;  // region in which the port fires, or IR_NONE
};

struct ir_kernel {
    const char *name;                    // instance u_<name>
    const char *module;                  // RTL module
    const struct kernel_class *of_class; // kernel.h; NULL: to be found by the module's name
    int node;                            // the operation it serves, or IR_NONE (shared or inserted)
    struct ir_param *param;
    int params;
    size_t param_capacity;
    struct ir_port *port;
    int ports;
    size_t port_capacity;
    bool has_fault;  // has an output `fault`
    int die;         // where it lies; 0 without partition
    bool is_control; // outlives a request: reset by `rst` alone, not by the datapath's reset
};

// What a client that is no kernel's reads, tied to the control by nets.
enum ir_client_role { IR_CLIENT_OF_KERNEL, IR_CLIENT_IMAGE /* header and parameters */, IR_CLIENT_PROMPT };

// A kernel that reads or writes memory beside the weight stream: descriptors and beats through its own DMA engine.
struct ir_client {
    const char *name;
    enum ir_client_role role;
    int kernel;
    const char *port; // reads: m_axis_<port> descriptor, s_axis_<port> beats; writes: m_axis_<port>_desc,
                      // m_axis_<port>_beat; NULL: tied by wires
    bool is_write;
    int channel;    // IR_NONE: one of each on every channel of `engine` (valid and ready packed, descriptor shared)
    int engine;     // IR_NONE with a channel of its own
    bool is_packed; // with channel IR_NONE: every channel has beats of its own
    int parts;      // above 1: so many channels from `channel` on, over which rows are dealt out; packed as above
    int base;       // net of the base address; IR_NONE: the channel's base register
    // Reads: beats of a burst and of its engine's buffer; 0: the design's. Writes: a beat is a burst; `buffer` is what
    // the write engine of its channel has at least, 0: one.
    int64_t burst, buffer;
};

struct ir_edge { // one stream with its FIFO
    const char *name;
    int src_kernel, src_port, dst_kernel, dst_port;
    int64_t depth; // words; 0: a wire
    enum ram_style ram_style;
    int64_t delay;         // cycles that a word waits when the stream is fullest (size-fifos)
    const char *forced_by; // what asks for the depth, or NULL
    int whole;             // 1: it holds a whole tensor by the safe rule too, as the graph would deadlock
    int run_ahead; // 1: its writer is early and would fill it at any depth; it waits for room, and no step takes longer
                   // for it
    int crossings; // die boundaries to the reader; of a stream in a pool those from the storage on
    int entry_crossings; // of a stream in a pool: those between its writer and the storage
    int parts;           // in which a word goes from die to die; 0: as a whole. Not of a stream in a pool
    int group;           // both ends are in this group, or IR_NONE
    int crosses;         // firings that it holds from one group to another; 0: none
    int pool, pool_port; // kernel whose storage it shares (overlay-fifos) and its place there, or IR_NONE
};

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
    struct ir_fusion *fusion; // the one in use first
    int fusions;
    size_t fusion_capacity;
    struct ir_die *die;
    int dies;
    size_t die_capacity;
    struct custom *custom; // custom kernels: the operations from IR_OPS on
    int customs;
    struct ir_op_info *custom_op;      // their rows of the operations table (ir_set_customs)
    struct kernel_class *custom_class; // what serves them (kernel_set_customs)
    const char *done, *spec;           // name of the last pass that ran; text of the spec, or NULL
    const char *family, *prefix; // text of its model's family; what a checkpoint's names may begin with; NULL: none
    const char **unused;         // patterns of a checkpoint's names that nothing reads
    int unuseds;
};

// ---- Building and looking up --------------------------------------------------------------------

int ir_add_tensor(struct ir *, const char *name, enum ir_dtype, struct loc);
int ir_add_node(struct ir *, const char *name, int op, struct loc);
int ir_add_region(struct ir *, const char *name, int64_t repeat, enum ir_when, struct loc);
void ir_move_node(struct ir *, int node, int to, int region); // to an earlier place, in this region
int ir_add_kernel(struct ir *, const char *name, const char *module, int node);
int ir_add_port(struct ir *, int kernel, const char *name, bool is_output, enum ir_stream_kind, int64_t data_bits);
// Ties a kernel's stream port (whole name) to a client's nets, which the memory emitter declares: IR_NET_DESC_TVALID or
// IR_NET_BEAT_TVALID and the two behind it.
void ir_add_client_port(struct ir *, int kernel, const char *port, int64_t bits, int client, enum ir_net_role valid);
int ir_add_client(struct ir *, const char *name, int kernel, const char *port, bool is_write, int channel);
int ir_add_client_for(struct ir *, const char *name, enum ir_client_role); // of no kernel, on channel 0
int ir_client_for(const struct ir *, enum ir_client_role);                 // the first one, or IR_NONE
int ir_add_engine(struct ir *, const char *name, int first_channel, int channels);
int ir_add_firing(struct ir *, struct ir_firing);
int ir_add_segment(struct ir *, struct ir_segment);
const struct ir_segment *ir_segment_for(const struct ir *, enum ir_segment_role); // the first one, or NULL
enum ir_role ir_role_of(const char *port_name);
int ir_port_for(const struct ir_kernel *, enum ir_role, bool is_output); // IR_NONE if there is none
bool ir_is_of(const struct ir *, const struct ir_edge *, enum ir_role);  // one of its ends has the role
bool ir_carries_steps(const struct ir *, const struct ir_edge *);
int ir_connect(struct ir *, int src_kernel, int src_port, int dst_kernel, int dst_port);
const char *ir_end_name(const struct ir *, int kernel, int port); // as in the names of streams
// An edge has the name of its ends, with a number behind it where another one has that: again after a change of them.
void ir_name_edge(struct ir *, int edge);
int ir_find_tensor(const struct ir *, const char *name);           // IR_NONE if absent
const struct ir_carry *ir_carry_of(const struct ir *, int tensor); // that has it as its local tensor, or NULL
int ir_first_value(const struct ir *, int tensor);                 // of a carried tensor: its initial one
int64_t ir_vocabulary(const struct ir *);      // rows of the smallest table that reads the ids from outside; 0 without
int ir_engine_of(const struct ir *, int node); // the engine a product fires on, IR_NONE for other operations
int ir_engine_at(const struct ir *, int channel); // the engine that owns a channel, IR_NONE without engines
// Of the streams of a multiplexer or demultiplexer: the port at a place; the place of the only one with a tensor.
// IR_NONE without.
int ir_steered_port(const struct ir *, int kernel, int index);
int ir_steered_index(const struct ir *, int kernel, int tensor);
int ir_key_channels(const struct ir *); // channels over which positions of K are dealt out; all, without attention
enum { IR_CHANNEL_CLIENTS = 64 /* most that read, or write, on one channel */ };
bool ir_client_on(const struct ir *, const struct ir_client *, int channel);
// `0`, `0-3`, or `all` where its engine has it on each of its own.
const char *ir_segment_channels(const struct ir *, const struct ir_segment *, const char *all);
static inline int ir_parts(int parts) { return parts > 1 ? parts : 1; } // of a client, a segment
enum { IR_WRITES_OPEN = 16 /* beats without a response of a channel's write engine */ };
// With `A: 4` multipliers work twice in a cycle: the top has an input clk_2x for them.
bool ir_second_clock(const struct ir *);
const char *ir_strategy_text(const struct ir *);         // `auto: ...` for the report and the dump; NULL: none
int ir_address_bits(const struct ir *);                  // of the ports' addresses, by the memory of the board
int64_t ir_write_buffer(const struct ir *, int channel); // beats of that engine's buffer; 0: nobody writes there
// Name of a kernel or net of an engine: `what` itself where there is one engine, else with the engine's name before it.
const char *ir_engine_name(const struct ir *, int engine, const char *what);
// Elements of one token's value, at the bound of dynamic extents.
int64_t ir_tensor_elements(const struct ir_tensor *);
// Elements of the vectors an operation works on: the dimension `along`, the last one of a quantized tensor, else the
// whole first operand.
int ir_node_lanes(const struct ir *, int node); // of its kernel: its own or the design's
int64_t ir_vector_length(const struct ir *, const struct ir_node *);
// How often a repetition's vector parameters stand in their store, which is read in a circle: once for each of the
// vectors that an operation of a repeated region works on.
int64_t ir_param_copies(const struct ir *, const struct ir_node *);

// The itensor type in the paper's notation, in arena memory.
const char *ir_type_text(const struct ir *, const struct ir_itensor *);
// Take the texts back; false: they are none.
bool ir_type_read(const char *text, struct ir_itensor *);
bool ir_extent_read(const char *text, struct ir_extent *);
const char *ir_extent_text(const struct ir *, const struct ir_extent *); // `8`, `positions<=256`
// `kernel.port`, of a packed array `kernel.port.index`; what has no name is left out.
const char *ir_port_text(const struct ir *, int kernel, int port);
bool ir_type_equal(const struct ir_itensor *, const struct ir_itensor *);

// Text form: YAML that ir_read takes back to the same structure.
void ir_write_text(const struct ir *, struct text *);
struct ir *ir_read(struct arena *, const char *path, struct diag *);

// Structural rules that hold between passes; false after reporting. An internal fault names the pass.
bool ir_verify(const struct ir *, struct diag *, const char *pass);

#endif
