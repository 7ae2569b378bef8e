// SPDX-License-Identifier: Apache-2.0
// Builds the intermediate representation and looks things up in it. ir.h documents the functions.
#include "gen/ir/ir.h"
#include "gen/ir/custom_ops.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gen/ir/ops.h"

// Appends a zeroed item to a list and yields its index.
#define IR_PUSH(ir, list, count, capacity)                                                                             \
    ((list) = vec_grow((ir)->arena, (list), (size_t)(count), &(capacity), sizeof *(list)),                             \
     memset(&(list)[count], 0, sizeof *(list)), (count)++)

int ir_add_tensor(struct ir *ir, const char *name, enum ir_dtype dtype, struct loc loc) {
    int id = IR_PUSH(ir, ir->tensor, ir->tensors, ir->tensor_capacity);
    struct ir_tensor *t = &ir->tensor[id];
    t->name = arena_strdup(ir->arena, name);
    t->dtype = dtype;
    t->producer = IR_NONE;
    t->region = ir->regions - 1;
    t->loc = loc;
    return id;
}

int ir_add_node(struct ir *ir, const char *name, int op, struct loc loc) {
    int id = IR_PUSH(ir, ir->node, ir->nodes, ir->node_capacity);
    struct ir_node *n = &ir->node[id];
    n->name = arena_strdup(ir->arena, name);
    n->op = op;
    n->region = ir->regions - 1;
    n->loc = loc;
    ir->region[n->region].nodes++;
    return id;
}

int ir_add_region(struct ir *ir, const char *name, int64_t repeat, enum ir_when when, struct loc loc) {
    int id = IR_PUSH(ir, ir->region, ir->regions, ir->region_capacity);
    struct ir_region *r = &ir->region[id];
    r->name = arena_strdup(ir->arena, name);
    r->repeat = repeat;
    r->when = when;
    r->first_node = ir->nodes;
    r->loc = loc;
    return id;
}

void ir_move_node(struct ir *ir, int n, int to, int region) {
    struct ir_node moved = ir->node[n];
    int old = moved.region;
    memmove(&ir->node[to + 1], &ir->node[to], sizeof moved * (size_t)(n - to));
    moved.region = region;
    ir->node[to] = moved;
    ir->region[region].nodes++;
    ir->region[old].nodes--;
    for (int r = region + 1; r <= old; r++) ir->region[r].first_node++;
    for (int t = 0; t < ir->tensors; t++) {
        int *producer = &ir->tensor[t].producer;
        if (*producer == n) *producer = to;
        else if (*producer >= to && *producer < n) ++*producer;
    }
    for (int o = 0; o < moved.outputs; o++) ir->tensor[moved.out[o]].region = region;
}

static int find_kernel(const struct ir *ir, const char *name) {
    for (int k = 0; k < ir->kernels; k++)
        if (!strcmp(ir->kernel[k].name, name)) return k;
    return IR_NONE;
}

// If another kernel has the name, a number from 2 on is appended, because names of instances in Verilog must be unique.
int ir_add_kernel(struct ir *ir, const char *name, const char *module, int node) {
    const char *wanted = name;
    for (int i = 2; find_kernel(ir, name) != IR_NONE; i++) name = arena_printf(ir->arena, "%s_%d", wanted, i);
    int id = IR_PUSH(ir, ir->kernel, ir->kernels, ir->kernel_capacity);
    struct ir_kernel *k = &ir->kernel[id];
    k->name = arena_strdup(ir->arena, name);
    k->module = arena_strdup(ir->arena, module);
    k->node = node;
    return id;
}

enum ir_role ir_role_of(const char *port_name) {
    static const char *const names[] = {
        "",
#define ROLE(role, name, what) name,
#include "include/roles.def"
#undef ROLE
    };
    for (size_t r = 1; r < COUNT_OF(names); r++)
        if (!strcmp(names[r], port_name)) return (enum ir_role)r;
    return IR_ROLE_NONE;
}

int ir_port_for(const struct ir_kernel *k, enum ir_role role, bool is_output) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].role == role && k->port[p].is_output == is_output) return p;
    return IR_NONE;
}

bool ir_is_of(const struct ir *ir, const struct ir_edge *e, enum ir_role role) {
    return ir->kernel[e->src_kernel].port[e->src_port].role == role ||
           ir->kernel[e->dst_kernel].port[e->dst_port].role == role;
}

bool ir_carries_steps(const struct ir *ir, const struct ir_edge *e) {
    return ir_is_of(ir, e, IR_ROLE_STEP) || ir_is_of(ir, e, IR_ROLE_WALK);
}

int ir_add_port(struct ir *ir, int kernel, const char *name, bool is_output, enum ir_stream_kind kind,
                int64_t data_bits) {
    struct ir_kernel *k = &ir->kernel[kernel];
    int id = IR_PUSH(ir, k->port, k->ports, k->port_capacity);
    struct ir_port *p = &k->port[id];
    p->name = arena_strdup(ir->arena, name);
    p->role = ir_role_of(name);
    p->is_output = is_output;
    p->kind = kind;
    p->data_bits = data_bits;
    p->index = IR_NONE;
    p->edge = IR_NONE;
    p->tensor = IR_NONE;
    p->pieces = 1;
    p->region = k->node == IR_NONE ? IR_NONE : ir->node[k->node].region;
    return id;
}

int ir_add_client(struct ir *ir, const char *name, int kernel, const char *port, bool is_write, int channel) {
    int id = IR_PUSH(ir, ir->client, ir->clients, ir->client_capacity);
    ir->client[id] = (struct ir_client){.name = arena_strdup(ir->arena, name),
                                        .kernel = kernel,
                                        .port = port ? arena_strdup(ir->arena, port) : NULL,
                                        .is_write = is_write,
                                        .channel = channel};
    ir->client[id].engine = ir->client[id].base = IR_NONE;
    return id;
}

int ir_add_client_for(struct ir *ir, const char *name, enum ir_client_role role) {
    int id = ir_add_client(ir, name, IR_NONE, NULL, false, 0);
    ir->client[id].role = role;
    return id;
}

int ir_client_for(const struct ir *ir, enum ir_client_role role) {
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].role == role) return c;
    return IR_NONE;
}

void ir_add_client_port(struct ir *ir, int kernel, const char *port, int64_t bits, int client, enum ir_net_role valid) {
    static const char *const signals[] = {"tvalid", "tready", "tdata"};
    for (int s = 0; s < 3; s++) // the roles of the three nets follow each other in nets.def
        ir_add_wire(ir, kernel, arena_printf(ir->arena, "%s_%s", port, signals[s]), false, s == 2 ? bits : 1,
                    ir_net(ir, valid + (enum ir_net_role)s, client));
}

int ir_add_engine(struct ir *ir, const char *name, int first_channel, int lanes) {
    int id = IR_PUSH(ir, ir->engine, ir->engines, ir->engine_capacity);
    ir->engine[id] = (struct ir_engine){.name = arena_strdup(ir->arena, name),
                                        .kernel = IR_NONE,
                                        .x_mux = IR_NONE,
                                        .y_demux = IR_NONE,
                                        .walker = IR_NONE,
                                        .store = IR_NONE,
                                        .first_channel = first_channel,
                                        .channels = lanes,
                                        .lanes = lanes};
    return id;
}

int ir_add_resident(struct ir *ir, const char *name, int first_channel, int lanes) {
    int id = ir_add_engine(ir, name, first_channel, lanes);
    ir->engine[id].channels = 0;
    return id;
}

bool ir_has_lanes(const struct ir *ir) {
    for (int e = 0; e < ir->engines; e++)
        if (!ir_is_resident(&ir->engine[e])) return true;
    return false;
}

int64_t ir_segment_copies(const struct ir *ir, const struct ir_segment *s) {
    return s->layer_stride && s->kind == IR_SEG_WEIGHTS ? ir->region[ir->node[s->node].region].repeat : 1;
}

bool ir_is_of_store(const struct ir *ir, const struct ir_segment *s) {
    return s->kind == IR_SEG_WEIGHTS && ir_is_resident(&ir->engine[ir_engine_of(ir, s->node)]);
}

int ir_add_firing(struct ir *ir, struct ir_firing firing) {
    int id = IR_PUSH(ir, ir->firing, ir->firings, ir->firing_capacity);
    ir->firing[id] = firing;
    return id;
}

int ir_add_segment(struct ir *ir, struct ir_segment segment) {
    int id = IR_PUSH(ir, ir->segment, ir->segments, ir->segment_capacity);
    ir->segment[id] = segment;
    return id;
}

const struct ir_segment *ir_segment_for(const struct ir *ir, enum ir_segment_role role) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].role == role) return &ir->segment[s];
    return NULL;
}

int ir_add_group(struct ir *ir, struct ir_group group) {
    int id = IR_PUSH(ir, ir->group, ir->groups, ir->group_capacity);
    ir->group[id] = group;
    return id;
}

int ir_add_fusion(struct ir *ir, struct ir_fusion fusion) {
    int id = IR_PUSH(ir, ir->fusion, ir->fusions, ir->fusion_capacity);
    ir->fusion[id] = fusion;
    return id;
}

// Returns whether an edge other than `but` has the name.
static bool has_edge(const struct ir *ir, const char *name, int but) {
    for (int e = 0; e < ir->edges; e++)
        if (e != but && ir->edge[e].name && !strcmp(ir->edge[e].name, name)) return true;
    return false;
}

// Returns `kernel_port`, `kernel_index` for a packed array, or only the kernel if the port has no name.
const char *ir_end_name(const struct ir *ir, int kernel, int port) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct ir_port *p = &k->port[port];
    if (p->index != IR_NONE) return arena_printf(ir->arena, "%s_%d", k->name, p->index);
    return *p->name ? arena_printf(ir->arena, "%s_%s", k->name, p->name) : k->name;
}

// Two edges can get the same name, for example from kernel `a` with port `b_c` and from kernel `a_b` with port `c`. So
// the second one gets a number.
void ir_name_edge(struct ir *ir, int edge) {
    struct ir_edge *e = &ir->edge[edge];
    const char *wanted = arena_printf(ir->arena, "%s_to_%s", ir_end_name(ir, e->src_kernel, e->src_port),
                                      ir_end_name(ir, e->dst_kernel, e->dst_port)),
               *name = wanted;
    for (int i = 2; has_edge(ir, name, edge); i++) name = arena_printf(ir->arena, "%s_%d", wanted, i);
    e->name = name;
}

int ir_connect(struct ir *ir, int src_kernel, int src_port, int dst_kernel, int dst_port) {
    int id = IR_PUSH(ir, ir->edge, ir->edges, ir->edge_capacity);
    struct ir_edge *e = &ir->edge[id];
    e->src_kernel = src_kernel;
    e->src_port = src_port;
    e->dst_kernel = dst_kernel;
    e->dst_port = dst_port;
    e->group = e->pool = e->pool_port = IR_NONE;
    ir_name_edge(ir, id);
    ir->kernel[src_kernel].port[src_port].edge = id;
    ir->kernel[dst_kernel].port[dst_port].edge = id;
    return id;
}

void ir_set_param(struct ir *ir, int kernel, const char *name, struct ir_value value) {
    struct ir_kernel *k = &ir->kernel[kernel];
    for (int i = 0; i < k->params; i++)
        if (!strcmp(k->param[i].name, name)) {
            k->param[i].value = value;
            return;
        }
    int id = IR_PUSH(ir, k->param, k->params, k->param_capacity);
    k->param[id] = (struct ir_param){arena_strdup(ir->arena, name), value};
}

void ir_set_int(struct ir *ir, int kernel, const char *name, int64_t value) {
    ir_set_param(ir, kernel, name, ir_value_int(value));
}

void ir_set_word(struct ir *ir, int kernel, const char *name, int bits, int64_t value) {
    ir_set_param(ir, kernel, name, ir_value_word(ir->arena, bits, (uint64_t)value));
}

void ir_set_float(struct ir *ir, int kernel, const char *name, float value) {
    ir_set_param(ir, kernel, name, ir_value_float(ir->arena, value));
}

void ir_set_style(struct ir *ir, int kernel, enum ram_style style) {
    ir_set_param(ir, kernel, "RAM_STYLE", ir_value_style(style));
}

const struct ir_value *ir_param(const struct ir_kernel *kernel, const char *name) {
    for (int i = 0; i < kernel->params; i++)
        if (!strcmp(kernel->param[i].name, name)) return &kernel->param[i].value;
    return NULL;
}

int64_t ir_param_int(const struct ir_kernel *kernel, const char *name, int64_t fallback) {
    const struct ir_value *v = ir_param(kernel, name);
    int64_t number;
    return v && ir_value_number(v, &number) ? number : fallback;
}

// ---- attributes ----

// Returns the attribute with this key, which is added if it does not exist.
static struct ir_attr *attr_slot(struct ir *ir, struct ir_attrs *attrs, const char *key) {
    for (int i = 0; i < attrs->count; i++)
        if (!strcmp(attrs->item[i].key, key)) return &attrs->item[i];
    int id = IR_PUSH(ir, attrs->item, attrs->count, attrs->capacity);
    attrs->item[id].key = arena_strdup(ir->arena, key);
    return &attrs->item[id];
}

void ir_attr_set_int(struct ir *ir, struct ir_attrs *attrs, const char *key, int64_t value) {
    struct ir_attr *a = attr_slot(ir, attrs, key);
    a->kind = IR_ATTR_INT;
    a->i = value;
    a->f = (double)value;
}

void ir_attr_set_float(struct ir *ir, struct ir_attrs *attrs, const char *key, double value) {
    struct ir_attr *a = attr_slot(ir, attrs, key);
    a->kind = IR_ATTR_FLOAT;
    a->f = value;
}

void ir_attr_set_string(struct ir *ir, struct ir_attrs *attrs, const char *key, const char *value) {
    struct ir_attr *a = attr_slot(ir, attrs, key);
    a->kind = IR_ATTR_STRING;
    a->s = arena_strdup(ir->arena, value);
}

void ir_attr_set_list(struct ir *ir, struct ir_attrs *attrs, const char *key, const int64_t list[], int items) {
    int64_t *copy = ARENA_ARRAY(ir->arena, int64_t, (size_t)items + 1);
    if (items) memcpy(copy, list, sizeof *copy * (size_t)items);
    struct ir_attr *a = attr_slot(ir, attrs, key);
    a->kind = IR_ATTR_LIST;
    a->list = copy;
    a->items = items;
}

void ir_attr_set_word(struct ir *ir, struct ir_attrs *attrs, const char *key, int choice, const char *word) {
    struct ir_attr *a = attr_slot(ir, attrs, key);
    a->kind = IR_ATTR_WORD;
    a->i = choice;
    a->s = arena_strdup(ir->arena, word);
}

const struct ir_attr *ir_attr_find(const struct ir_attrs *attrs, const char *key) {
    for (int i = 0; i < attrs->count; i++)
        if (!strcmp(attrs->item[i].key, key)) return &attrs->item[i];
    return NULL;
}

int64_t ir_attr_int(const struct ir_attrs *attrs, const char *key, int64_t fallback) {
    const struct ir_attr *a = ir_attr_find(attrs, key);
    return a && a->kind == IR_ATTR_INT ? a->i : fallback;
}

int64_t ir_attr_each(const struct ir_attrs *attrs, const char *key, int64_t repetition, int64_t fallback) {
    const struct ir_attr *a = ir_attr_find(attrs, key);
    if (a && a->kind == IR_ATTR_LIST && repetition < a->items) return a->list[repetition];
    return ir_attr_int(attrs, key, fallback);
}

double ir_attr_float(const struct ir_attrs *attrs, const char *key, double fallback) {
    const struct ir_attr *a = ir_attr_find(attrs, key);
    return a && (a->kind == IR_ATTR_INT || a->kind == IR_ATTR_FLOAT) ? a->f : fallback;
}

int ir_attr_list(const struct ir_attrs *attrs, const char *key, int64_t out[], int most) {
    const struct ir_attr *a = ir_attr_find(attrs, key);
    int count = !a || a->kind != IR_ATTR_LIST ? 0 : a->items < most ? a->items : most;
    if (count) memcpy(out, a->list, sizeof *out * (size_t)count);
    return count;
}

int ir_attr_choice(const struct ir_attrs *attrs, const char *key, int fallback) {
    const struct ir_attr *a = ir_attr_find(attrs, key);
    return a && a->kind == IR_ATTR_WORD ? (int)a->i : fallback;
}

const char *ir_attr_string(const struct ir_attrs *attrs, const char *key, const char *fallback) {
    const struct ir_attr *a = ir_attr_find(attrs, key);
    return a && (a->kind == IR_ATTR_STRING || a->kind == IR_ATTR_WORD) ? a->s : fallback;
}

// ---- look-up ----

const char *const ir_dtype_words[IR_DTYPES] = {"fp32", "mx", "acc", "kv", "scalar", "id", "int8"};

int ir_engine_of(const struct ir *ir, int node) {
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].node == node) return ir->firing[f].engine;
    return IR_NONE;
}

int ir_steered_port(const struct ir *ir, int kernel, int index) {
    for (int p = 0; kernel != IR_NONE && index != IR_NONE && p < ir->kernel[kernel].ports; p++)
        if (ir->kernel[kernel].port[p].index == index) return p;
    return IR_NONE;
}

int ir_steered_index(const struct ir *ir, int kernel, int tensor) {
    int found = IR_NONE;
    for (int p = 0; p < ir->kernel[kernel].ports; p++) {
        const struct ir_port *port = &ir->kernel[kernel].port[p];
        if (port->tensor != tensor || port->index == IR_NONE) continue;
        if (found != IR_NONE) return IR_NONE;
        found = port->index;
    }
    return found;
}

int ir_engine_at(const struct ir *ir, int channel) {
    for (int e = 0; e < ir->engines; e++)
        if (channel >= ir->engine[e].first_channel && channel < ir->engine[e].first_channel + ir->engine[e].channels)
            return e;
    return IR_NONE;
}

int ir_key_channels(const struct ir *ir) {
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].mode == 2) return ir->engine[ir->firing[f].engine].channels;
    return ir->design.channels;
}

bool ir_client_on(const struct ir *ir, const struct ir_client *client, int channel) {
    if (client->channel == IR_NONE) return client->engine == ir_engine_at(ir, channel);
    return channel >= client->channel && channel < client->channel + ir_parts(client->parts);
}

const char *ir_segment_channels(const struct ir *ir, const struct ir_segment *seg, const char *all) {
    if (seg->channel == IR_NONE) return all;
    const char *first = arena_printf(ir->arena, "%d", seg->channel);
    return seg->parts > 1 ? arena_printf(ir->arena, "%s-%d", first, seg->channel + seg->parts - 1) : first;
}

bool ir_second_clock(const struct ir *ir) {
    return (ir->design.copies >= CHOICE_PUMPED_COPIES || ir->design.pump > 1) && ir->engines > 0;
}

// Boards with HBM map the channels one after the other from address 0. In simulation, channels are 512 MiB apart, so 32
// of them need LEAST_BITS address bits.
int ir_address_bits(const struct ir *ir) {
    enum { LEAST_BITS = 34, MIB_BITS = 20, MOST_BITS = 64 };
    const struct hbm_figures *hbm = &ir->design.hbm;
    if (hbm->channels <= 0 || hbm->channel_mbytes <= 0) return MOST_BITS; // an unknown board
    int bits = MIB_BITS + u64_clog2((uint64_t)hbm->channels * (uint64_t)hbm->channel_mbytes);
    return bits > LEAST_BITS ? bits : LEAST_BITS;
}

int64_t ir_write_buffer(const struct ir *ir, int channel) {
    int64_t beats = 0;
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        int64_t own = client->buffer > 0 ? client->buffer : 1;
        if (client->is_write && ir_client_on(ir, client, channel) && own > beats) beats = own;
    }
    return beats;
}

const char *ir_engine_name(const struct ir *ir, int engine, const char *what) {
    return ir->engines > 1 ? arena_printf(ir->arena, "%s_%s", ir->engine[engine].name, what) : what;
}

int ir_find_tensor(const struct ir *ir, const char *name) {
    for (int i = 0; i < ir->tensors; i++)
        if (!strcmp(ir->tensor[i].name, name)) return i;
    return IR_NONE;
}

const struct ir_carry *ir_carry_of(const struct ir *ir, int tensor) {
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            if (ir->region[r].carry[c].local == tensor) return &ir->region[r].carry[c];
    return NULL;
}

int ir_first_value(const struct ir *ir, int tensor) {
    for (const struct ir_carry *c = ir_carry_of(ir, tensor); c; c = ir_carry_of(ir, tensor)) tensor = c->init;
    return tensor;
}

int64_t ir_vocabulary(const struct ir *ir) {
    int64_t least = 0;
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        if (!ir_op_is(ir, node->op, OP_BY_ID) || ir->tensor[ir_first_value(ir, node->in[0])].producer != IR_NONE)
            continue;
        int64_t rows = ir_attr_int(&node->attrs, "rows", 0);
        if (!least || rows < least) least = rows;
    }
    return least;
}

int ir_node_lanes(const struct ir *ir, int node) {
    return ir->node[node].lanes > 0 ? ir->node[node].lanes : ir->design.lanes;
}

bool ir_takes_last(const struct ir *ir, int region) {
    return region != IR_NONE && ir->region[region].when == IR_LAST && !ir_chooses_all(ir);
}

bool ir_chooses_all(const struct ir *ir) { return ir->design.drafts || ir->design.slots; }

int ir_places(const struct ir *ir) {
    return ir->design.tensor_rows > ir->design.tokens ? ir->design.tensor_rows : ir->design.tokens;
}

int ir_user_bits(int64_t tokens) { return (tokens > 1 ? u64_clog2((uint64_t)tokens) : 1) + 1; }

int ir_port_user_bits(const struct ir *ir, const struct ir_port *p) {
    return ir_user_bits(p->tokens ? p->tokens : ir->design.tokens);
}

int ir_parts_of_step(const struct ir *ir) {
    if (!ir->design.slots) return 1;
    return ir->design.slots < ir->design.tokens ? ir->design.slots : ir->design.tokens;
}

int64_t ir_vector_length(const struct ir *ir, const struct ir_node *node) {
    if (node->inputs == 0) return 0;
    if (node->op >= IR_OPS && ir->custom[node->op - IR_OPS].vectors) return ir_custom_vector_length(ir, node);
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    const struct ir_attr *along = ir_attr_find(&node->attrs, "along");
    if (in->rank < 2 || in->heads) return ir_tensor_elements(in);
    if (along && along->i >= 0 && along->i < in->rank) return in->shape[along->i].bound;
    return in->dtype == IR_MX ? in->shape[in->rank - 1].bound : ir_tensor_elements(in);
}

int64_t ir_param_copies(const struct ir *ir, const struct ir_node *node) {
    if (ir->region[node->region].repeat == 1 || node->op >= IR_OPS) return 1;
    return ir_tensor_elements(&ir->tensor[node->in[0]]) / ir_vector_length(ir, node);
}

int64_t ir_tensor_elements(const struct ir_tensor *t) {
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++) n *= t->shape[d].bound;
    return n;
}
