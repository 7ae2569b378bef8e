// SPDX-License-Identifier: Apache-2.0
// Checks the structural rules of the IR after every pass and after reading a dump: references in range, unique names,
// and parts that fit together. A violation is an internal error of the pass. invariants.c has the rules that hold only
// from certain passes on.
#include <stdlib.h>
#include <string.h>

#include "gen/ir/ir.h"
#include "gen/ir/custom_ops.h"

struct check {
    const struct ir *ir;
    struct diag *diag;
    const char *pass; // for messages: the pass that has just run
    bool ok;
};

// Reports a violation. name: the item that violates a rule.
static void fault(struct check *c, const char *what, const char *name) {
    diag_error(c->diag, loc_none(), MSG_INTERNAL, c->pass, what, name);
    c->ok = false;
}

static bool in_range(int id, int count) { return id >= 0 && id < count; }

static void check_node(struct check *c, const struct ir_node *n) {
    if (!in_range(n->op, IR_OPS + c->ir->customs) || !in_range(n->region, c->ir->regions))
        return fault(c, "operation or region out of range at", n->name);
    for (int i = 0; i < n->inputs; i++)
        if (!in_range(n->in[i], c->ir->tensors)) fault(c, "input out of range at", n->name);
    for (int i = 0; i < n->outputs; i++)
        if (!in_range(n->out[i], c->ir->tensors)) fault(c, "output out of range at", n->name);
}

// Checks that an operation of a custom kernel has as many operands as the declaration has streams, and that the
// expressions of the timing contract have values once kernels exist.
static void check_custom(struct check *c, int id) {
    const struct ir_node *n = &c->ir->node[id];
    const struct custom *k = n->op >= IR_OPS ? ir_custom_of(c->ir, id) : NULL;
    struct custom_timing timing;
    if (!k) return;
    if (n->inputs != k->inputs || n->outputs != k->outputs) fault(c, "operands of the custom kernel at", n->name);
    else if (c->ir->kernels > 0 && !ir_custom_timing(c->ir, n, ir_node_lanes(c->ir, id), &timing, NULL))
        fault(c, "no timing contract at", n->name);
}

static bool none_or_in_range(int id, int count) { return id == IR_NONE || in_range(id, count); }

static void check_kernel(struct check *c, const struct ir_kernel *k) {
    if (!none_or_in_range(k->node, c->ir->nodes)) fault(c, "node out of range at kernel", k->name);
    for (int p = 0; p < k->ports; p++) {
        const struct ir_port *port = &k->port[p];
        if (!none_or_in_range(port->tensor, c->ir->tensors) || !none_or_in_range(port->region, c->ir->regions) ||
            !none_or_in_range(port->edge, c->ir->edges))
            fault(c, "port out of range at kernel", k->name);
        if (port->type.rank && !itensor_is_valid(&port->type)) fault(c, "no itensor type at a port of", k->name);
    }
}

// Checks that the kernels of engines and the engines of firings exist, that engines own adjacent channels in order, one
// for each lane, and that together they own all channels. Resident engines own none.
static void check_engines(struct check *c) {
    const struct ir *ir = c->ir;
    int channel = 0;
    for (int i = 0; i < ir->engines; i++) {
        const struct ir_engine *e = &ir->engine[i];
        if (!none_or_in_range(e->kernel, ir->kernels) || !none_or_in_range(e->x_mux, ir->kernels) ||
            !none_or_in_range(e->y_demux, ir->kernels) || !none_or_in_range(e->walker, ir->kernels) ||
            !none_or_in_range(e->store, ir->kernels))
            fault(c, "kernel out of range at engine", e->name);
        if (e->channels < 0 || e->channels > ir->design.channels - channel || e->first_channel != channel)
            return fault(c, "channels out of range at engine", e->name);
        if (e->lanes < 1 || e->lanes > IR_MAX_LANES || (e->channels && e->channels != e->lanes))
            return fault(c, "lanes out of range at engine", e->name);
        channel += e->channels;
    }
    if (ir_has_lanes(ir) && channel != ir->design.channels) fault(c, "channels without an engine in", ir->name);
    for (int f = 0; f < ir->firings; f++)
        if (!in_range(ir->firing[f].engine, ir->engines))
            return fault(c, "engine out of range at a firing of", ir->name);
}

static void check_sizes(struct check *c) {
    const struct ir_design *d = &c->ir->design;
    bool widths = (d->beat_bits == 256 || d->beat_bits == 512) && d->lanes >= 1 && d->lanes <= 32;
    if (!widths || d->channels < 1 || d->channels > IR_MAX_LANES || d->tokens < 1 || d->tokens > 8 ||
        d->tensor_rows < 0 || d->tensor_rows > 8 || d->bmm_rows < 0 || d->bmm_rows > IR_MAX_BMM_ROWS)
        fault(c, "sizes out of range in", c->ir->name);
}

// Checks, once engines exist, that every product has a firing and that an engine reads every segment of weights, keys
// or values.
static void check_products(struct check *c) {
    const struct ir *ir = c->ir;
    for (int n = 0; n < ir->nodes && ir->engines; n++) {
        int op = ir->node[n].op;
        bool product =
            ir_op_is(ir, op, OP_BY_WEIGHTS) || ir_op_is(ir, op, OP_BY_KEYS) || ir_op_is(ir, op, OP_BY_VALUES);
        if (product && ir_engine_of(ir, n) == IR_NONE) fault(c, "no firing of", ir->node[n].name);
    }
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].kind <= IR_SEG_V && ir_engine_of(ir, ir->segment[s].node) == IR_NONE)
            fault(c, "no engine reads segment", ir->segment[s].name);
}

// Checks that a client has either a kernel or a role, and either an engine or a channel. Only a client that reads from
// a channel may have its rows dealt over several channels.
static void check_clients(struct check *c) {
    const struct ir *ir = c->ir;
    for (int i = 0; i < ir->clients; i++) {
        const struct ir_client *client = &ir->client[i];
        if (!none_or_in_range(client->kernel, ir->kernels)) fault(c, "kernel out of range at client", client->name);
        if ((client->kernel == IR_NONE) == (client->role == IR_CLIENT_OF_KERNEL))
            fault(c, "a kernel or a role, one of them, has client", client->name);
        if (client->channel == IR_NONE ? !in_range(client->engine, ir->engines)
                                       : !in_range(client->channel, ir->design.channels))
            fault(c, "engine or channel out of range at client", client->name);
        else if (client->parts > 1 && (client->channel == IR_NONE || client->is_write ||
                                       client->parts > ir->design.channels - client->channel))
            fault(c, "channels of dealt rows out of range at client", client->name);
    }
}

static void check_dies(struct check *c) {
    for (int d = 0; d < c->ir->dies; d++) {
        const struct ir_die *die = &c->ir->die[d];
        const int64_t capacity[] = {die->lut,          die->ff,         die->dsp,           die->bram36,
                                    die->uram,         die->shell_lut,  die->shell_ff,      die->shell_dsp,
                                    die->shell_bram36, die->shell_uram, die->platform_wires};
        for (size_t i = 0; i < COUNT_OF(capacity); i++)
            if (capacity[i] < 0 || capacity[i] >= INT32_MAX) fault(c, "capacity out of range of die", die->name);
    }
}

// Checks that the multipliers of a cut lane are on the engine's die, that all lanes of a group are on the same dies,
// and that beats go in halves only with a second clock.
static void check_cuts(struct check *c, const struct ir_engine *e) {
    if (e->halves && !ir_second_clock(c->ir)) fault(c, "beats go in halves without a second clock at engine", e->name);
    for (int l = 0; l < e->lanes; l++) {
        int first = l - l % IR_LANE_GROUP;
        if (ir_is_cut(e, l) && e->lane_die[l] != c->ir->kernel[e->kernel].die)
            fault(c, "a cut lane's multipliers are not at engine", e->name);
        if (e->lane_die[l] != e->lane_die[first] || e->sums_die[l] != e->sums_die[first])
            fault(c, "a group of lanes is on several dies at engine", e->name);
    }
}

// Checks the dies of kernels and lanes, and the boundaries that streams cross.
static void check_places(struct check *c) {
    const struct ir *ir = c->ir;
    int dies = ir->dies > 0 ? ir->dies : 1;
    for (int k = 0; k < ir->kernels; k++)
        if (!in_range(ir->kernel[k].die, dies)) fault(c, "die out of range at kernel", ir->kernel[k].name);
    for (int e = 0; e < ir->edges; e++)
        if (!in_range(ir->edge[e].crossings, dies) ||
            !in_range(ir->edge[e].entry_crossings, ir->edge[e].pool == IR_NONE ? 1 : dies))
            fault(c, "crossings out of range at edge", ir->edge[e].name);
        else if (ir->edge[e].crossings && ir->edge[e].pool == IR_NONE &&
                 ir->edge[e].depth < ir_credits(0, ir->edge[e].crossings))
            fault(c, "fewer places than are under way between dies at edge", ir->edge[e].name);
        else if (!in_range(ir->edge[e].parts, IR_MAX_WORD_PARTS + 1) ||
                 (ir->edge[e].parts && (!ir->edge[e].crossings || ir->edge[e].pool != IR_NONE)))
            fault(c, "parts of a word out of range, or of a stream that goes nowhere in parts, at edge",
                  ir->edge[e].name);
    for (int i = 0; i < ir->engines; i++)
        for (int l = 0; l < ir->engine[i].lanes; l++)
            if (!in_range(ir->engine[i].lane_die[l], dies) || !in_range(ir->engine[i].sums_die[l], dies) ||
                !in_range(ir->engine[i].result_die, dies))
                fault(c, "die of a lane or of its results out of range at engine", ir->engine[i].name);
    for (int i = 0; i < ir->engines; i++)
        if (ir->engine[i].kernel != IR_NONE) check_cuts(c, &ir->engine[i]);
    if (ir->dies > IR_MAX_DIES || ir->design.sll < 0 || ir->design.sll > INT32_MAX || ir->design.sll_region < 0 ||
        ir->design.sll_region > ir->design.sll)
        fault(c, "dies out of range in", ir->name);
}

static void check_shape(struct check *c, const struct ir_tensor *t) {
    for (int d = 0; d < t->rank; d++)
        if (t->shape[d].bound < 1 || t->shape[d].bound > INT32_MAX) fault(c, "shape out of range at tensor", t->name);
}

// Checks that a net has one driver, and that every bit taken from it exists.
static void check_wire(struct check *c, const struct ir_wire *wire) {
    if (!in_range(wire->kernel, c->ir->kernels)) return fault(c, "kernel out of range at wire", wire->port);
    for (int p = 0; p < wire->use.parts; p++) {
        const struct ir_part *part = &wire->use.part[p];
        if (part->net == IR_NONE) continue;
        const struct ir_net *net = &c->ir->net[part->net];
        if (wire->is_output && net->driver != wire->kernel) fault(c, "two kernels drive the net", net->name);
        if (net->driver != IR_NONE && part->width && part->low + part->width > net->bits)
            fault(c, "bits that are not there are taken of the net", net->name);
    }
}

static void check_lists(struct check *c) {
    const struct ir *ir = c->ir;
    for (int r = 0; r < ir->regions; r++)
        if (ir->region[r].repeat < 1 || ir->region[r].repeat > UINT16_MAX)
            fault(c, "repetitions out of range of region", ir->region[r].name);
    for (int t = 0; t < ir->tensors; t++) {
        const struct ir_tensor *tensor = &ir->tensor[t];
        if (!none_or_in_range(tensor->producer, ir->nodes) || !none_or_in_range(tensor->region, ir->regions))
            fault(c, "producer or region out of range at tensor", tensor->name);
        check_shape(c, tensor);
    }
    for (int w = 0; w < ir->wires; w++) check_wire(c, &ir->wire[w]);
    for (int f = 0; f < ir->firings; f++) {
        const struct ir_firing *now = &ir->firing[f], *before = f ? now - 1 : now;
        if (!in_range(now->node, ir->nodes) || !in_range(now->region, ir->regions))
            fault(c, "node or region out of range at a firing of", ir->name);
        else if (now->outer && now->mode > 1) // 1: ENGINE_MODE_INT4, the last mode with weights
            fault(c, "a firing without weights is `outer`:", ir->node[now->node].name);
        else if (now->node == before->node && now->outer != before->outer) // both read the same weights
            fault(c, "firings of different `outer` of", ir->node[now->node].name);
    }
    for (int s = 0; s < ir->segments; s++)
        if (!none_or_in_range(ir->segment[s].node, ir->nodes))
            fault(c, "node out of range at segment", ir->segment[s].name);
    for (int i = 0; i < ir->inputs; i++)
        if (!in_range(ir->input[i], ir->tensors)) fault(c, "input out of range in", ir->name);
    for (int i = 0; i < ir->outputs; i++)
        if (!in_range(ir->output[i], ir->tensors)) fault(c, "output out of range in", ir->name);
}

static void check_groups(struct check *c) {
    const struct ir *ir = c->ir;
    for (int g = 0; g < ir->groups; g++) {
        const struct ir_group *group = &ir->group[g];
        if (!in_range(group->region, ir->regions) || group->nodes < 1 || !in_range(group->first_node, ir->nodes) ||
            group->nodes > ir->nodes - group->first_node)
            return fault(c, "region or nodes out of range at a group of", ir->name);
    }
}

// Checks that the group and the pool of a stream exist, and that a stream in a pool has a port of the pool and is not
// deeper than the pool's memory.
static void check_pool(struct check *c, const struct ir_edge *e) {
    if (!none_or_in_range(e->group, c->ir->groups) || !none_or_in_range(e->pool, c->ir->kernels))
        return fault(c, "group or pool at edge", e->name);
    if (e->pool == IR_NONE) return;
    const struct ir_kernel *pool = &c->ir->kernel[e->pool];
    if (!in_range(e->pool_port, (int)ir_param_int(pool, "PORTS", 0)) || e->depth > ir_param_int(pool, "DEPTH", -1))
        fault(c, "place in the pool of edge", e->name);
}

// Returns whether the port has words of fp32 or int8 elements. The widths at the two ends of such a stream may differ
// until converters are inserted.
static bool is_vector(const struct ir_port *p) {
    int64_t bits = p->type.dtype == IR_F32 ? 32 : p->type.dtype == IR_INT8 ? 8 : 0;
    return bits && p->type.loops > 0 && p->data_bits == bits * itensor_tile(&p->type);
}

// Checks the ends of an edge. The widths at the two ends may differ only while the depth is 0, before converters are
// inserted. counted_widths_agree (invariants.c) checks the ends of counted streams.
static void check_edge(struct check *c, int id) {
    const struct ir_edge *e = &c->ir->edge[id];
    if (!in_range(e->src_kernel, c->ir->kernels) || !in_range(e->dst_kernel, c->ir->kernels))
        return fault(c, "kernel out of range at edge", e->name);
    const struct ir_kernel *s = &c->ir->kernel[e->src_kernel], *d = &c->ir->kernel[e->dst_kernel];
    if (!in_range(e->src_port, s->ports) || !in_range(e->dst_port, d->ports))
        return fault(c, "port out of range at edge", e->name);
    const struct ir_port *from = &s->port[e->src_port], *to = &d->port[e->dst_port];
    if (!from->is_output || to->is_output) fault(c, "direction of edge", e->name);
    if (from->edge != id || to->edge != id) fault(c, "a port with two edges at", e->name);
    check_pool(c, e);
    bool unequal = from->kind != to->kind ||
                   (from->data_bits != to->data_bits && (e->depth > 0 || !is_vector(from) || !is_vector(to)));
    if (from->kind != IR_STREAM_COUNTED && unequal) fault(c, "unequal streams at edge", e->name);
}

// Reports a name that occurs twice in a list. Names must be unique, because the text form and Verilog refer to things
// by name.
#define CHECK_NAMES(list, count, what)                                                                                 \
    for (int i = 0; i < ir->count; i++)                                                                                \
        for (int j = 0; j < i; j++)                                                                                    \
            if (!strcmp(ir->list[i].name, ir->list[j].name)) fault(c, "a second " what, ir->list[i].name);

static void check_names(struct check *c) {
    const struct ir *ir = c->ir;
    CHECK_NAMES(tensor, tensors, "tensor")
    CHECK_NAMES(node, nodes, "node")
    CHECK_NAMES(region, regions, "region")
    CHECK_NAMES(kernel, kernels, "kernel")
    CHECK_NAMES(edge, edges, "edge")
    CHECK_NAMES(engine, engines, "engine")
}

// Checks that every input of a kernel has a writer. The caller waits until all streams are connected.
static void check_inputs(struct check *c, const struct ir_kernel *k) {
    for (int p = 0; p < k->ports; p++)
        if (!k->port[p].is_output && k->port[p].edge == IR_NONE)
            fault(c, arena_printf(c->ir->arena, "input `%s` has no writer at kernel", k->port[p].name), k->name);
}

static void check_design(struct check *c) {
    const struct ir_design *d = &c->ir->design;
    if ((d->copies != 1 && d->copies != 2 && d->copies != 4) || ir_places(c->ir) % d->copies)
        fault(c, "tokens and copies of the design of", c->ir->name);
    if (d->pump != 0 && (d->pump != 2 || d->copies >= CHOICE_PUMPED_COPIES))
        fault(c, "pump of the design of", c->ir->name);
    if (d->context < 1 || d->context > UINT16_MAX) fault(c, "context out of range in", c->ir->name);
}

bool ir_verify(const struct ir *ir, struct diag *diag, const char *pass) {
    struct check c = {ir, diag, pass, true};
    check_design(&c);
    check_sizes(&c);
    check_names(&c);
    for (int n = 0; n < ir->nodes; n++) check_node(&c, &ir->node[n]);
    // check_custom and check_places use ids as indices, so they run only if no earlier check has failed.
    for (int n = 0; c.ok && n < ir->nodes; n++) check_custom(&c, n);
    for (int e = 0; e < ir->edges; e++) check_edge(&c, e);
    for (int k = 0; k < ir->kernels; k++) check_kernel(&c, &ir->kernel[k]);
    check_lists(&c);
    check_engines(&c);
    check_products(&c);
    check_clients(&c);
    check_groups(&c);
    check_dies(&c);
    if (c.ok) check_places(&c);
    bool whole = ir->edges > 0 && ir->edge[0].depth > 0; // depths are chosen after all streams are connected
    for (int k = 0; whole && k < ir->kernels; k++) check_inputs(&c, &ir->kernel[k]);
    return c.ok;
}
