// SPDX-License-Identifier: Apache-2.0
// Plain nets (all nets that are not streams): creates them, finds them by role, and connects them to ports of kernels.
// net_text.c prints and reads the connections as Verilog text.
#include <string.h>

#include "gen/ir/ir.h"
#include "gen/ir/ops.h"

// The rows NET of nets.def.
static const struct {
    enum ir_net_owner owner;
    const char *word, *doc;
} rows[IR_NETS] = {
#define NET(role, owner, word, doc) [IR_NET_##role] = {IR_OF_##owner, word, doc},
#include "include/nets.def"
};
// The rows PORT of nets.def.
static const char *const port_docs[IR_NETS] = {
#define PORT(role, doc) [IR_NET_##role] = doc,
#include "include/nets.def"
};

// The conditions of the rows DOC of nets.def.
static bool is_slots(const struct ir *ir) { return ir->design.slots > 0; }
static bool is_all_rows(const struct ir *ir) { return ir_chooses_all(ir); }
static bool is_rows(const struct ir *ir) { return !ir->design.is_lm; }
static bool is_no_cache(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_OF_CACHE)) return false;
    return true;
}
static bool is_one_end(const struct ir *ir) { return ir->design.eot.count <= 1; }
static bool is_one_clock(const struct ir *ir) { return !ir_second_clock(ir); }
static bool is_wide(const struct ir *ir) { return ir->design.beat_bits == 512; }
static bool is_slots_wide(const struct ir *ir) { return is_slots(ir) && is_wide(ir); }

// The rows DOC of nets.def.
static const struct {
    enum ir_net_role role;
    bool (*applies)(const struct ir *);
    const char *doc;
} docs[] = {
#define DOC(role, condition, doc) {IR_NET_##role, is_##condition, doc},
#include "include/nets.def"
};

const char *ir_net_doc(const struct ir *ir, enum ir_net_role role) {
    for (size_t i = 0; i < COUNT_OF(docs); i++)
        if (docs[i].role == role && docs[i].applies(ir)) return docs[i].doc;
    return role == IR_NET_PLAIN ? "" : rows[role].doc;
}

const char *ir_port_doc(const struct ir *ir, const struct ir_wire *wire) {
    int net = wire->use.parts ? wire->use.part[0].net : IR_NONE;
    if (net == IR_NONE || !strcmp(wire->port, ir->net[net].name)) return NULL;
    return port_docs[ir->net[net].role];
}

// ---- names ----

// Returns the name of the owner, with which a net's name begins, or NULL if the name is only the word of the role (row
// of nets.def). It is NULL for the only engine, and for the only cache, for which `of` is IR_NONE. The owner of a
// cache is an attention.
static const char *owner_name(const struct ir *ir, enum ir_net_owner owner, int of) {
    switch (owner) {
    case IR_OF_ENGINE: return ir->engines > 1 ? ir->engine[of].name : NULL;
    case IR_OF_CACHE: return of == IR_NONE ? NULL : ir->node[of].name;
    case IR_OF_CLIENT: return ir->client[of].name;
    case IR_OF_KERNEL: return ir->kernel[of].name;
    case IR_OF_DESIGN: break;
    }
    return NULL;
}

// Returns `<owner>_<word>` or `<word>`. A dump has only these names, so ir_nets_complete finds the role and the owner
// of a net by comparing its name with all of them.
static const char *name_of(const struct ir *ir, enum ir_net_role role, int of) {
    const char *owner = owner_name(ir, rows[role].owner, of);
    return owner ? arena_printf(ir->arena, "%s_%s", owner, rows[role].word) : rows[role].word;
}

// Returns the number of possible owners. For a cache these are all nodes, because a cache is numbered by its first
// attn_scores.
static int owners(const struct ir *ir, enum ir_net_owner owner) {
    switch (owner) {
    case IR_OF_ENGINE: return ir->engines;
    case IR_OF_CACHE: return ir->nodes;
    case IR_OF_CLIENT: return ir->clients;
    case IR_OF_KERNEL: return ir->kernels;
    case IR_OF_DESIGN: break;
    }
    return 0;
}

// ---- nets ----

static int add_net(struct ir *ir, struct ir_net net) {
    int id = ir->nets++;
    ir->net = vec_grow(ir->arena, ir->net, (size_t)id, &ir->net_capacity, sizeof *ir->net);
    ir->net[id] = net;
    return id;
}

int ir_add_net(struct ir *ir, const char *name) {
    return add_net(ir, (struct ir_net){.name = arena_strdup(ir->arena, name), .of = IR_NONE, .driver = IR_NONE});
}

int ir_find_net(const struct ir *ir, enum ir_net_role role, int of) {
    for (int n = 0; n < ir->nets; n++)
        if (ir->net[n].role == role && ir->net[n].of == of) return n;
    return IR_NONE;
}

int ir_net(struct ir *ir, enum ir_net_role role, int of) {
    int id = ir_find_net(ir, role, of);
    if (id != IR_NONE) return id;
    return add_net(ir, (struct ir_net){.name = name_of(ir, role, of), .role = role, .of = of, .driver = IR_NONE});
}

int ir_design_net(struct ir *ir, enum ir_net_role role) { return ir_net(ir, role, IR_NONE); }

int ir_driver(const struct ir *ir, enum ir_net_role role) {
    int net = ir_find_net(ir, role, IR_NONE);
    return net == IR_NONE ? IR_NONE : ir->net[net].driver;
}

static bool has_net(const struct ir_use *use, int net) {
    for (int p = 0; p < use->parts; p++)
        if (use->part[p].net == net) return true;
    return false;
}

bool ir_net_is_read(const struct ir *ir, int net) {
    for (int w = 0; net != IR_NONE && w < ir->wires; w++)
        if (!ir->wire[w].is_output && has_net(&ir->wire[w].use, net)) return true;
    return false;
}

// ---- uses ----

struct ir_use ir_use_constant(int64_t bits, uint64_t value) {
    return (struct ir_use){.kind = IR_USE_CONSTANT, .bits = bits, .value = value};
}

struct ir_use ir_use_parts(struct ir *ir, enum ir_use_kind kind, const struct ir_part part[], int parts) {
    struct ir_part *copy = ARENA_ARRAY(ir->arena, struct ir_part, (size_t)parts);
    memcpy(copy, part, sizeof *copy * (size_t)parts);
    return (struct ir_use){.kind = kind, .part = copy, .parts = parts};
}

struct ir_use ir_use_net(struct ir *ir, int net) {
    return ir_use_parts(ir, IR_USE_PART, &(struct ir_part){.net = net}, 1);
}

int ir_use_whole(const struct ir_use *use) {
    bool whole = use->kind == IR_USE_PART && !use->part->width && !use->part->inverted;
    return whole ? use->part->net : IR_NONE;
}

static bool is_same_part(const struct ir_part *a, const struct ir_part *b) {
    return a->net == b->net && a->low == b->low && a->width == b->width && a->inverted == b->inverted;
}

bool ir_use_equal(const struct ir_use *a, const struct ir_use *b) {
    bool same = a->kind == b->kind && a->bits == b->bits && a->value == b->value && a->parts == b->parts;
    for (int p = 0; same && p < a->parts; p++) same = is_same_part(&a->part[p], &b->part[p]);
    return same;
}

// ---- wires ----

// Completes a net by the output that is connected to it: the kernel is its driver, and the output gives its width.
static void drive(struct ir *ir, const struct ir_wire *wire) {
    struct ir_net *net = &ir->net[wire->use.part->net];
    net->driver = wire->kernel;
    net->bits = wire->bits;
}

static void add_wire(struct ir *ir, struct ir_wire wire) {
    int id = ir->wires++;
    ir->wire = vec_grow(ir->arena, ir->wire, (size_t)id, &ir->wire_capacity, sizeof *ir->wire);
    ir->wire[id] = wire;
    ir->wire[id].port = arena_strdup(ir->arena, wire.port);
    if (wire.is_output) drive(ir, &wire);
}

void ir_add_wire(struct ir *ir, int kernel, const char *port, bool is_output, int64_t bits, int net) {
    add_wire(ir, (struct ir_wire){kernel, port, is_output, bits, ir_use_net(ir, net)});
}

void ir_add_use(struct ir *ir, int kernel, const char *port, int64_t bits, struct ir_use use) {
    add_wire(ir, (struct ir_wire){kernel, port, false, bits, use});
}

void ir_add_zero(struct ir *ir, int kernel, const char *port, int64_t bits) {
    ir_add_use(ir, kernel, port, bits, ir_use_constant(bits, 0));
}

void ir_add_open(struct ir *ir, int kernel, const char *port) {
    ir_add_use(ir, kernel, port, 0, (struct ir_use){.kind = IR_USE_OPEN});
}

bool ir_retie(struct ir *ir, int kernel, int from, int to) {
    bool any = false;
    for (int w = 0; from != IR_NONE && w < ir->wires; w++) {
        struct ir_wire *wire = &ir->wire[w];
        if (wire->kernel != kernel || wire->is_output || ir_use_whole(&wire->use) != from) continue;
        wire->use = ir_use_net(ir, to);
        any = true;
    }
    return any;
}

// ---- nets of a dump ----

// Returns the part of a name before `_WORD`; NULL if the name has another ending.
static const char *name_before(const struct ir *ir, const char *name, const char *word) {
    size_t len = strlen(name), tail = strlen(word) + 1;
    if (len <= tail || name[len - tail] != '_' || strcmp(name + len - tail + 1, word) != 0) return NULL;
    return arena_strndup(ir->arena, name, len - tail);
}

// Returns whether the net's name is one that name_of gives to this role for some owner. Sets *of to this owner.
static bool is_owned(const struct ir *ir, const struct ir_net *net, enum ir_net_role role, int *of) {
    enum ir_net_owner owner = rows[role].owner;
    bool bare = owner == IR_OF_DESIGN || owner == IR_OF_CACHE || (owner == IR_OF_ENGINE && ir->engines == 1);
    *of = owner == IR_OF_ENGINE ? 0 : IR_NONE;
    if (!strcmp(net->name, rows[role].word)) return bare;
    const char *before = name_before(ir, net->name, rows[role].word);
    for (*of = 0; before && *of < owners(ir, owner); ++*of)
        if (owner_name(ir, owner, *of) && !strcmp(owner_name(ir, owner, *of), before)) return true;
    return false;
}

// Sets the net's role and owner from its name. A net with any other name keeps IR_NET_PLAIN.
static void give_role(const struct ir *ir, struct ir_net *net) {
    int of;
    for (int role = IR_NET_PLAIN + 1; role < IR_NETS; role++)
        if (is_owned(ir, net, (enum ir_net_role)role, &of)) {
            net->role = (enum ir_net_role)role;
            net->of = of;
            return;
        }
}

bool ir_nets_complete(struct ir *ir, int *wire) {
    for (int n = 0; n < ir->nets; n++) give_role(ir, &ir->net[n]);
    for (*wire = 0; *wire < ir->wires; ++*wire) {
        if (!ir->wire[*wire].is_output) continue;
        if (ir_use_whole(&ir->wire[*wire].use) == IR_NONE) return false;
        drive(ir, &ir->wire[*wire]);
    }
    return true;
}
