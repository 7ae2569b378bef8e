// SPDX-License-Identifier: Apache-2.0
// Finds for each plain net of a design (a signal that is not part of a stream) which module drives it, which modules
// read it, and its width.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

bool emit_is_of_client(const struct ir_net *n) { return n->role >= IR_NET_DESC_TVALID && n->role <= IR_NET_BEAT_TDATA; }

int64_t emit_all_faults(const struct ir *ir) {
    int count = 0;
    for (int k = 0; k < ir->kernels; k++) count += ir->kernel[k].has_fault;
    return count ? count : 1;
}

int emit_client_channels(const struct ir *ir, int client) {
    const struct ir_client *c = &ir->client[client];
    return c->channel == IR_NONE ? ir->engine[c->engine].channels : ir_parts(c->parts);
}

int64_t emit_net_bits(const struct ir *ir, int net) {
    const struct ir_net *n = &ir->net[net];
    int64_t channels = ir->design.channels;
    switch (n->role) {
    case IR_NET_KERNEL_FAULT: return emit_all_faults(ir);
    case IR_NET_OUT_STEPS_DONE: return 32 * (ir->design.is_lm || !ir->outputs ? 1 : ir->outputs);
    case IR_NET_MEMORY_ERROR:
    case IR_NET_ERROR_IS_WRITE:
    case IR_NET_CHANNEL_BEAT:
    case IR_NET_CHANNEL_NO_BEAT:
    case IR_NET_LANE_BEAT_TVALID:
    case IR_NET_LANE_BEAT_TREADY: return channels;
    case IR_NET_LANE_BEAT_TDATA: return channels * ir->design.beat_bits;
    case IR_NET_ERROR_ADDRESS: return 64 * channels;
    case IR_NET_CLOCK_STATE: return 32;
    case IR_NET_IDENTITY:
    case IR_NET_LAYOUT:
    case IR_NET_IDLE_ENGINES: return 64;
    case IR_NET_WRITE_IDLE:
    case IR_NET_WRITTEN: return emit_client_channels(ir, n->of);
    case IR_NET_K_LAYERS_DONE:
    case IR_NET_V_LAYERS_DONE:
    case IR_NET_KV_LAYERS_DONE:
    case IR_NET_IDS_WRITTEN: return 32;
    default: return n->driver == IR_NONE ? 1 : n->bits;
    }
}

// Returns the net before the register stages between dies that drive this one; this net if there are none.
static int before_hops(const struct ir *ir, int net) {
    int driver = ir->net[net].driver;
    for (int w = 0; w < ir->wires && driver != IR_NONE && kernel_hop_stages(&ir->kernel[driver]) >= 0; w++) {
        const struct ir_wire *wire = &ir->wire[w];
        int from = wire->kernel == driver && !wire->is_output ? ir_use_whole(&wire->use) : IR_NONE;
        if (from != IR_NONE) return before_hops(ir, from);
    }
    return net;
}

const char *emit_net_width(const struct ir *ir, int net) {
    const struct ir_net *n = &ir->net[before_hops(ir, net)];
    int64_t channels = ir->design.channels, bits = emit_net_bits(ir, net);
    switch (n->role) {
    case IR_NET_KERNEL_FAULT: return "FAULTS";
    case IR_NET_PARAM_LOAD_DATA: return "LOAD_BITS";
    case IR_NET_WALK_DESC_TDATA: return "DESC_W";
    case IR_NET_IMAGE_PARAMS_TDATA: return "BEAT_BITS";
    case IR_NET_MEMORY_ERROR:
    case IR_NET_ERROR_IS_WRITE:
    case IR_NET_CHANNEL_BEAT:
    case IR_NET_CHANNEL_NO_BEAT: return emit_of_channels(ir, channels, NULL);
    case IR_NET_WRITE_IDLE:
    case IR_NET_WRITTEN:
    case IR_NET_K_GIVEN:
    case IR_NET_V_GIVEN: return emit_of_channels(ir, bits, NULL);
    case IR_NET_TAIL_DATA: return emit_of_channels(ir, bits / ir->design.beat_bits, "BEAT_BITS");
    case IR_NET_ERROR_ADDRESS:
    case IR_NET_CHANNEL_BASE: return emit_of_channels(ir, channels, "64");
    default: return NULL;
    }
}

// Returns whether a net is a pin of the top that only the control module uses.
static bool is_pin(const struct ir *ir, const struct ir_net *n) {
    return n->role == IR_NET_INTERRUPT || (n->role == IR_NET_CLOCK_STATE && ir_second_clock(ir)) ||
           (n->role == IR_NET_PLAIN && !strncmp(n->name, "s_axi_control_", 14));
}

// Returns the module that drives a net for which the IR names no kernel.
static int driver_without(const struct emit_plan *p, const struct ir_net *n) {
    switch (n->role) {
    case IR_NET_MEMORY_ERROR:
    case IR_NET_ERROR_IS_WRITE:
    case IR_NET_ERROR_ADDRESS:
    case IR_NET_CHANNEL_BEAT:
    case IR_NET_CHANNEL_NO_BEAT:
    case IR_NET_LANE_BEAT_TVALID:
    case IR_NET_LANE_BEAT_TDATA:
    case IR_NET_KERNEL_FAULT:
    case IR_NET_WRITE_IDLE:
    case IR_NET_WRITTEN: return EMIT_TOP;
    case IR_NET_LANE_BEAT_TREADY:
    case IR_NET_WALK_DESC_TREADY: return p->shared;
    default: return p->control;
    }
}

// Returns the element of p->reads that says whether a module reads a net.
static bool *reads_at(const struct emit_plan *p, int net, int module) {
    int modules = p->modules;
    return &p->reads[net * (modules + 1) + (module == EMIT_TOP ? modules : module)];
}

bool emit_plan_reads(const struct emit_plan *p, int net, int module) { return *reads_at(p, net, module); }

static void read_by(const struct emit_plan *p, int net, int module) {
    if (net != IR_NONE) *reads_at(p, net, module) = true;
}

// Notes for each module the nets that inputs of its kernels take.
static void add_reads_of_kernels(const struct emit_plan *p) {
    const struct ir *ir = p->ir;
    for (int w = 0; w < ir->wires; w++) {
        const struct ir_wire *wire = &ir->wire[w];
        for (int i = 0; i < wire->use.parts && !wire->is_output; i++) {
            int net = wire->use.part[i].net;
            if (net == IR_NONE) continue;
            if (ir->net[net].role == IR_NET_LANE_BEAT_TREADY) continue; // engines drive their slices of it
            read_by(p, net, p->home[wire->kernel]);
        }
    }
}

// The place of a net's first use: the wire, and the part of this wire.
struct first_use {
    int wire, part;
};

static bool comes_before(const struct ir *ir, const struct first_use first[], int a, int b) {
    if (first[a].wire != first[b].wire) return first[a].wire < first[b].wire;
    if (first[a].part != first[b].part) return first[a].part < first[b].part;
    if (ir->net[a].role != ir->net[b].role) return ir->net[a].role < ir->net[b].role;
    return ir->net[a].of < ir->net[b].of;
}

// Orders the nets by the first wire that uses them. A dump lists wires and not nets, so the order of nets in the IR
// depends on whether the compiler continued from a dump; the order of first wires does not. Nets without a wire come
// last, by role and owner.
static void order_nets(struct emit_plan *p) {
    const struct ir *ir = p->ir;
    struct first_use *first = ARENA_ARRAY(ir->arena, struct first_use, (size_t)ir->nets + 1);
    for (int n = 0; n < ir->nets; n++) first[n] = (struct first_use){ir->wires, 0};
    for (int w = ir->wires - 1; w >= 0; w--)
        for (int i = ir->wire[w].use.parts - 1; i >= 0; i--)
            if (ir->wire[w].use.part[i].net != IR_NONE) first[ir->wire[w].use.part[i].net] = (struct first_use){w, i};
    p->net = ARENA_ARRAY(ir->arena, int, (size_t)ir->nets + 1);
    for (int n = 0; n < ir->nets; n++) {
        int at = n;
        for (; at > 0 && comes_before(ir, first, n, p->net[at - 1]); at--) p->net[at] = p->net[at - 1];
        p->net[at] = n;
    }
}

void emit_plan_nets(struct emit_plan *p) {
    const struct ir *ir = p->ir;
    order_nets(p);
    p->driver = ARENA_ARRAY(ir->arena, int, (size_t)ir->nets + 1);
    p->reads = ARENA_ARRAY(ir->arena, bool, (size_t)ir->nets *(size_t)(p->modules + 1) + 1);
    add_reads_of_kernels(p);
    for (int n = 0; n < ir->nets; n++) {
        const struct ir_net *net = &ir->net[n];
        bool own = !emit_is_of_client(net) && !is_pin(ir, net);
        p->driver[n] = !own ? EMIT_NOT : net->driver != IR_NONE ? p->home[net->driver] : driver_without(p, net);
        bool done = net->role == IR_NET_WALKER_IDLE || net->role == IR_NET_STEPS_DONE;
        bool top = net->role == IR_NET_SOFT_RST || net->role == IR_NET_FLUSH || net->role == IR_NET_CHANNEL_BASE ||
                   net->role == IR_NET_LANE_BEAT_TREADY || net->role == IR_NET_LANE_BEAT_TVALID;
        if (done) read_by(p, n, p->control);
        if (top) read_by(p, n, EMIT_TOP);
    }
    for (int c = 0; c < ir->clients; c++) read_by(p, ir->client[c].base, EMIT_TOP);
}
