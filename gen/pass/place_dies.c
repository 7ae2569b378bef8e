// SPDX-License-Identifier: Apache-2.0
// place-dies: chooses the die (SLR) of each kernel, and sets the FIFO depths (credits) of streams between dies. Without
// `design.dies` it does nothing. Results never change, only timing: a word takes two more cycles for the first boundary
// and one for each further boundary, and a word that is sent in parts takes longer. place_program.c solves the
// partition, and place_loads.c connects the load bus, the reset and the hash of the logits over dies.
//
// Kernels that are connected by plain nets stay on one die, because in general register stages can be inserted only
// into streams; place_loads.c handles the exceptions. All kernels that access memory are on the die with the memory
// ports (the memory's die). The lanes of an engine may be on other dies, in groups that share their operand registers,
// because their beats and results go from FIFO to FIFO.
#include <stdlib.h>
#include <string.h>

#include "gen/pass/pass.h"
#include "gen/pass/place.h"
#include "gen/ir/ir.h"
#include "gen/ir/layout.h"

// root_of and join implement union-find: with[k] is the parent of kernel k, and the root of a set is its lowest kernel.
static int root_of(const int *with, int k) {
    while (with[k] != k) k = with[k];
    return k;
}

static void join(int *with, int a, int b) {
    a = root_of(with, a), b = root_of(with, b);
    if (a < b) with[b] = a;
    else with[a] = b;
}

// Whether the net of a wire may cross dies, which depends on the kernel at the wire. The kernel that makes the row hash
// may be on any die, because the hash goes from register to register and may arrive later. So may a parameter store,
// because the load bus gets register stages (place_loads.c).
static bool may_cross(const struct ir *ir, int wire) {
    return kernel_is(&ir->kernel[ir->wire[wire].kernel], KERNEL_CHOOSES | KERNEL_STORE);
}

struct fork_sides {
    bool from_memory; // the fork's writer must be on the memory's die
    int near, far;    // number of its readers that must be on the memory's die, and number of the others
};

// Counts a fork's readers that must be on the memory's die, and those that may be elsewhere.
static struct fork_sides sides_of(const struct ir *ir, const int *with, int memory, int fork) {
    struct fork_sides s = {0};
    int home = root_of(with, memory);
    for (int p = 0; p < ir->kernel[fork].ports; p++) {
        const struct ir_port *port = &ir->kernel[fork].port[p];
        if (port->edge == IR_NONE) continue;
        const struct ir_edge *e = &ir->edge[port->edge];
        bool there = root_of(with, port->is_output ? e->dst_kernel : e->src_kernel) == home;
        if (!port->is_output) s.from_memory = there;
        else if (there) s.near++;
        else s.far++;
    }
    return s;
}

// Joins a fork to the kernels on the memory's die if words would otherwise cross more often.
static void join_forks(const struct ir *ir, int *with, int memory) {
    for (int k = 0; k < ir->kernels; k++) {
        if (!kernel_is(&ir->kernel[k], KERNEL_FORK)) continue;
        struct fork_sides s = sides_of(ir, with, memory, k);
        if (s.from_memory ? s.near && s.far < 2 : s.near > 1 && !s.far) join(with, memory, k);
    }
}

// Joins the kernels that must be on one die. These are kernels with ports whose connections are equal (the same net,
// the same constant, or none), and all kernels that access memory or control the design. with: the result, a parent per
// kernel. *memory: one of the kernels that access memory or control the design; IR_NONE if there is none.
static void join_kernels(const struct ir *ir, int *with, int *memory) {
    *memory = IR_NONE;
    for (int k = 0; k < ir->kernels; k++) with[k] = k;
    for (int a = 0; a < ir->wires; a++)
        for (int b = a + 1; b < ir->wires; b++)
            if (ir_use_equal(&ir->wire[a].use, &ir->wire[b].use) && !may_cross(ir, a) && !may_cross(ir, b))
                join(with, ir->wire[a].kernel, ir->wire[b].kernel);
    for (int k = 0; k < ir->kernels; k++) {
        bool there = ir->kernel[k].is_control;
        for (int c = 0; c < ir->clients; c++) there = there || ir->client[c].kernel == k;
        for (int e = 0; e < ir->engines; e++)
            there = there || ir->engine[e].kernel == k || ir->engine[e].walker == k || ir->engine[e].store == k;
        if (!there) continue;
        if (*memory == IR_NONE) *memory = k;
        join(with, *memory, k);
    }
    if (*memory != IR_NONE) join_forks(ir, with, *memory);
}

void place_at_memory(const struct ir *ir, bool *there) {
    int *with = ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1), memory;
    join_kernels(ir, with, &memory);
    for (int k = 0; k < ir->kernels; k++) there[k] = memory != IR_NONE && root_of(with, k) == root_of(with, memory);
}

static void add_need(int64_t need[PLACE_RESOURCES], const struct cost_resources *r, int64_t times) {
    int64_t amount[PLACE_RESOURCES];
    place_amounts(r, amount);
    for (int s = 0; s < PLACE_RESOURCES; s++) need[s] += times * amount[s];
}

// Returns the number of lane groups of an engine, including a last group with fewer lanes.
static int groups_of(const struct ir_engine *e) { return (e->lanes + IR_LANE_GROUP - 1) / IR_LANE_GROUP; }

// Returns the task of the logic where an engine's results come together: a new task if this logic may be on another die
// (with cuts), otherwise the engine's task.
static int task_of_results(const struct ir *ir, struct place *p, const struct ir_engine *e, int task) {
    if (!p->cuts) return task;
    struct cost_resources results = cost_engine_results(&ir->kernel[e->kernel]);
    add_need(p->task.items[task].need, &results, -1);
    VEC_PUSH(ir->arena, p->task, ((struct place_task){.pinned = false}));
    add_need(p->task.items[p->task.count - 1].need, &results, 1);
    return (int)p->task.count - 1;
}

// Adds `parts` groups of `size` lanes, from lane `first` on, to the description of the partition.
static void add_lanes(const struct ir *ir, struct place *p, int engine, int first, int parts, int size) {
    const struct ir_engine *e = &ir->engine[engine];
    const struct ir_kernel *kernel = &ir->kernel[e->kernel];
    int64_t beat = cost_lane_bits(ir, e, false);
    struct cost_resources lane = cost_lane(ir, e), sums = cost_lane_sums(ir, e), copy = cost_lane_copy(kernel);
    const struct place_lanes *before = first ? &p->lanes.items[p->lanes.count - 1] : NULL;
    struct place_lanes lanes = {.task = p->task_of[e->kernel],
                                .parts = parts,
                                .engine = engine,
                                .first = first,
                                .with = (int)p->lanes.count - (before ? 1 : 0),
                                .bits = size * beat,
                                .send_luts = e->halves ? size * beat : 0,
                                .back_bits = (int64_t)size * COST_LANE_RESULT_BITS,
                                .chain_bits = cost_lane_chain_bits(kernel),
                                .sums_bits = size * cost_lane_bits(ir, e, true),
                                .sums_chain_bits = cost_sums_chain_bits(kernel)};
    lanes.results = before ? before->results : task_of_results(ir, p, e, lanes.task);
    place_amounts(&copy, lanes.chain_need);
    add_need(lanes.need, &lane, size);
    add_need(lanes.sums_need, &sums, size);
    VEC_PUSH(ir->arena, p->lanes, lanes);
}

// Subtracts the lanes from the engines' tasks and adds them as parts that may be on other dies. With cuts, a last group
// with fewer lanes counts with these lanes, otherwise as a whole group.
static void add_engines(const struct ir *ir, struct place *p) {
    for (int i = 0; i < ir->engines; i++) {
        const struct ir_engine *e = &ir->engine[i];
        struct cost_resources lane = cost_lane(ir, e);
        int full = p->cuts ? e->lanes / IR_LANE_GROUP : groups_of(e), rest = e->lanes - full * IR_LANE_GROUP;
        add_need(p->task.items[p->task_of[e->kernel]].need, &lane, -e->lanes);
        if (full) add_lanes(ir, p, i, 0, full, IR_LANE_GROUP);
        if (rest > 0) add_lanes(ir, p, i, full * IR_LANE_GROUP, 1, rest);
    }
}

static void add_link(const struct ir *ir, struct place *p, int64_t bits, int from, int to) {
    if (from != to) VEC_PUSH(ir->arena, p->link, ((struct place_link){from, to, bits}));
}

// Returns the task from which a kernel's streams come. For an engine this is the task of its results.
static int source_task(const struct ir *ir, const struct place *p, int kernel) {
    for (size_t i = 0; i < p->lanes.count; i++)
        if (ir->engine[p->lanes.items[i].engine].kernel == kernel) return p->lanes.items[i].results;
    return p->task_of[kernel];
}

// Adds a link for each stream and for the hash of the logits, and the FIFOs' resources to the tasks of their readers.
static void add_links(const struct ir *ir, struct place *p, const struct cost_design *cost) {
    const int *task_of = p->task_of;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int64_t bits = cost_stream_bits(ir, edge);
        int from = source_task(ir, p, edge->src_kernel), to = task_of[edge->dst_kernel];
        add_need(p->task.items[to].need, &cost->edge[e], 1);
        if (edge->pool != IR_NONE) { // through the storage
            add_link(ir, p, bits, from, task_of[edge->pool]);
            from = task_of[edge->pool];
        }
        add_link(ir, p, bits, from, to);
    }
    struct cost_hash hash = cost_hash(ir);
    if (hash.from != IR_NONE) add_link(ir, p, hash.way, task_of[hash.from], task_of[hash.to]);
}

// Adds the wires by which parameter stores are loaded. All stores share one bus, so its bits are subtracted once from
// the wires of every boundary. The further bits of each store are a link.
static void add_loads(const struct ir *ir, struct place *p, int memory) {
    const int *task_of = p->task_of;
    bool any = false;
    for (int k = 0; k < ir->kernels; k++) any = any || cost_load_bits(ir, k);
    for (int b = 0; any && b + 1 < p->dies; b++)
        if (p->wires[b] > layout_load_bits(&ir->design)) p->wires[b] -= layout_load_bits(&ir->design);
    for (int k = 0; k < ir->kernels; k++)
        if (cost_load_bits(ir, k)) add_link(ir, p, cost_load_bits(ir, k), task_of[memory], task_of[k]);
}

// Adds a task for each set of joined kernels, with its resources, and then the lanes, links and load bus. A FIFO counts
// as part of the kernel that reads it. The storage of a pool is a separate kernel.
static void add_tasks(const struct ir *ir, struct place *p) {
    int *task_of = p->task_of = ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1);
    struct cost_design cost = cost_design(ir);
    int *with = ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1), memory;
    join_kernels(ir, with, &memory);
    for (int k = 0; k < ir->kernels; k++) {
        int root = root_of(with, k);
        if (root == k) {
            task_of[k] = (int)p->task.count;
            VEC_PUSH(ir->arena, p->task,
                     ((struct place_task){.pinned = memory != IR_NONE && root_of(with, memory) == k}));
        }
        task_of[k] = task_of[root];
        add_need(p->task.items[task_of[k]].need, &cost.kernel[k], 1);
    }
    add_engines(ir, p);
    add_links(ir, p, &cost);
    if (memory != IR_NONE) add_loads(ir, p, memory);
    if (memory != IR_NONE) add_need(p->task.items[task_of[memory]].need, &cost.memory, 1);
}

// Returns the first of the dies that the design uses. These dies are adjacent and include the memory's die.
static int first_die(const struct ir *ir) {
    int home = 0, dies = ir->design.dies < ir->dies ? ir->design.dies : ir->dies;
    while (home < ir->dies && !ir->die[home].hbm) home++;
    if (home == ir->dies) home = 0;
    return home + dies <= ir->dies ? home : ir->dies - dies;
}

// Returns a parameter of rill_engine with one bit for each chain (ir_chains). early: the chains that have only
// multipliers; otherwise the chains that copy the operand on another die.
static int64_t bits_of_chains(const struct ir_chains *chains, int home, bool early) {
    int64_t bits = 0;
    for (int n = 0; n < chains->count; n++) {
        const struct ir_chain *c = &chains->chain[n];
        bool copy = c->multiplies && !c->early && c->die != home;
        bits |= (int64_t)(early ? c->early : copy) << n;
    }
    return bits;
}

// Returns a parameter of rill_engine with 4 bits for each lane group: the number of its chain.
static int64_t chains_of_groups(const struct ir_engine *e, const int chain[IR_LANE_GROUPS]) {
    int64_t word = 0;
    for (int c = 0; c < e->lanes; c += IR_LANE_GROUP)
        word |= (int64_t)chain[c / IR_LANE_GROUP] << (4 * (c / IR_LANE_GROUP));
    return word;
}

// Sets the parameters of rill_engine for cut lanes.
static void set_cuts(struct ir *ir, const struct ir_engine *e, const struct ir_chains *chains) {
    ir_set_word(ir, e->kernel, "EARLY", IR_MAX_CHAINS, bits_of_chains(chains, 0, true));
    ir_set_word(ir, e->kernel, "SUMS_CHAIN", 4 * IR_LANE_GROUPS, chains_of_groups(e, chains->sums_of));
    ir_set_int(ir, e->kernel, "PARAM_BITS", ir_param_bits(ir, e));
}

// Sets the parameters of rill_engine that follow from the dies of its lanes: register stages to the lanes and back,
// whether beats go in halves, the operand copy that each group of lanes uses, the copies that are on other dies, the
// cut lanes, and the register stages of the results.
static void set_hops(struct ir *ir, const struct ir_engine *e) {
    int hops = ir_engine_hops(ir, e), home = ir->kernel[e->kernel].die, back = ir_result_hops(e);
    struct ir_chains chains = ir_chains_of(e);
    int64_t early = bits_of_chains(&chains, home, true);
    if (hops) {
        ir_set_int(ir, e->kernel, "HOPS", hops);
        if (e->halves) ir_set_int(ir, e->kernel, "HALVES", 1);
        ir_set_int(ir, e->kernel, "CHAINS", chains.count);
        ir_set_word(ir, e->kernel, "COPY_CHAIN", 4 * IR_LANE_GROUPS, chains_of_groups(e, chains.lanes_of));
        ir_set_int(ir, e->kernel, "CHAIN_AWAY", bits_of_chains(&chains, home, false));
    }
    if (early) set_cuts(ir, e, &chains);
    if (back != hops) ir_set_int(ir, e->kernel, "RESULT_HOPS", back);
    if (e->result_die != home) ir_set_int(ir, e->kernel, "PULSE_HOPS", ir_pulse_hops(ir, e));
}

static void set_kernels(struct ir *ir, const struct place *p, int first) {
    for (int k = 0; k < ir->kernels; k++) ir->kernel[k].die = first + p->task.items[p->task_of[k]].die;
}

// Assigns the groups of lanes, in their order, to dies: first the whole groups of each die, beginning with the memory's
// die, then the cut groups of each die.
static void set_lanes(struct ir_engine *e, const struct place *p, const struct place_lanes *lanes, int first) {
    int group = lanes->first / IR_LANE_GROUP;
    for (int n = 0; n < 2 * p->dies; n++) {
        int die = (p->home + n) % p->dies, count = n < p->dies ? lanes->on[die] : lanes->cut[die];
        for (int end = group + count; group < end; group++)
            for (int lane = group * IR_LANE_GROUP; lane < (group + 1) * IR_LANE_GROUP && lane < e->lanes; lane++) {
                e->lane_die[lane] = first + (n < p->dies ? die : p->home);
                e->sums_die[lane] = first + die;
            }
    }
    e->result_die = first + p->task.items[lanes->results].die;
}

// Sets the number of boundaries that each stream crosses, directly or by way of its pool's storage.
static void set_crossings(struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        int from = ir_source_die(ir, edge->src_kernel), to = ir->kernel[edge->dst_kernel].die,
            home = edge->pool == IR_NONE ? from : ir->kernel[edge->pool].die;
        edge->entry_crossings = abs(home - from);
        edge->crossings = abs(to - home);
    }
}

// is_result and is_operand tell whether a stream carries results or operands of an engine. Words of results are sent
// whole, because the engine stalls while there is no room for its results. Words of operands are sent whole or in few
// parts, because the engine waits for them.
static bool is_result(const struct ir *ir, const struct ir_edge *e) {
    for (int i = 0; i < ir->engines; i++)
        if (ir->engine[i].y_demux == e->src_kernel) return true;
    return false;
}

static bool is_operand(const struct ir *ir, const struct ir_edge *e) {
    int tensor = ir->kernel[e->src_kernel].port[e->src_port].tensor;
    for (int i = 0; i < ir->engines; i++)
        if (ir->engine[i].kernel == e->dst_kernel) return true;
    return tensor != IR_NONE && ir->tensor[tensor].dtype == IR_MX;
}

// Whether a stream carries step words, directly or from a fork of them.
static bool carries_steps(const struct ir *ir, const struct ir_edge *e) {
    while (kernel_is(&ir->kernel[e->src_kernel], KERNEL_FORK)) {
        const struct ir_kernel *fork = &ir->kernel[e->src_kernel];
        int in = 0;
        while (in < fork->ports && fork->port[in].is_output) in++;
        if (in == fork->ports || fork->port[in].edge == IR_NONE) break;
        e = &ir->edge[fork->port[in].edge];
    }
    return ir_carries_steps(ir, e);
}

// Whether a stream has so few words in a step that further parts of each word hardly make the step longer. Examples are
// rows of a table, because a step reads them once, and step words, because a step has one.
static bool has_few_words(const struct ir *ir, const struct ir_edge *e, int further_parts) {
    enum { PART = 400 }; // the step gets longer by at most 1 / PART of its weight beats
    struct cost_step step = {.position = 0, .tokens = 1, .head = true};
    int64_t words = carries_steps(ir, e) ? 1 : cost_port_words(ir, e->src_kernel, e->src_port, 0), beats = 0;
    for (int i = 0; i < ir->engines; i++) beats += cost_step_beats(ir, i, &step).weights;
    return words > 0 && PART * words * further_parts <= beats;
}

// A way to use other dies.
struct way {
    bool cuts;   // lanes may be cut
    bool halves; // beats go to lanes on other dies in two halves
    bool fine;   // words cross in up to 8 parts instead of 4, and narrow words cross in parts as well
};

// Whether a way has a price that only a design beyond its limits pays: the second clock on paths between dies, or words
// that take longer.
static bool is_dear(struct way way) { return way.halves || way.fine; }

enum { MOST_PARTS = 4 /* of a word, unless the way is fine */ };

// Returns the parts in which words may be sent: at most `most`, and at most the cycles from word to word. If the stream
// has few words, its words may wait for one another, with halves or fine parts. Halves alone then want so few words
// that even MOST_PARTS parts would be in time.
static int parts_in_time(const struct ir *ir, const struct ir_edge *edge, int most, struct way way) {
    int64_t pace = cost_edge_pace(ir, edge);
    int parts = most;
    while (parts > 1 && parts > pace) {
        if (is_dear(way) && has_few_words(ir, edge, (way.fine ? parts : MOST_PARTS) - 1)) break;
        parts /= 2;
    }
    return parts;
}

// Chooses in how many parts the words of each stream are sent if the stream crosses: a power of two up to MOST_PARTS
// (fine: MOST_FINE), and at most the number of cycles from word to word. Four parts take a quarter of the wires for a
// little logic at the near end. Words of at most NARROW bits (fine: NARROW_FINE), words of pools, and operands and
// results of engines are sent whole. With halves or fine parts, there are two exceptions: operands are sent in up to
// two parts (fine: four), and words of streams with few words in the most parts, although these words may then wait
// for one another.
static void choose_parts(struct ir *ir, struct way way) {
    enum { MOST_FINE = 8, OF_OPERAND = 2, OF_OPERAND_FINE = 4, NARROW = 128 /* bits */, NARROW_FINE = 16 };
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        int most = is_result(ir, edge)    ? 1
                   : is_operand(ir, edge) ? (way.fine     ? OF_OPERAND_FINE
                                             : way.halves ? OF_OPERAND
                                                          : 1)
                   : way.fine             ? MOST_FINE
                                          : MOST_PARTS;
        int parts = parts_in_time(ir, edge, most, way);
        bool wide = cost_edge_bits(ir, edge) > (way.fine ? NARROW_FINE : NARROW);
        edge->parts = parts > 1 && edge->pool == IR_NONE && wide ? parts : 0;
    }
}

// Resets the parts of streams that do not cross.
static void forget_parts(struct ir *ir) {
    for (int e = 0; e < ir->edges; e++)
        if (!ir->edge[e].crossings) ir->edge[e].parts = 0;
}

// Whether the engine has whole lanes on another die.
static bool has_whole_lanes_away(const struct ir *ir, const struct ir_engine *e) {
    for (int c = 0; c < e->lanes; c++)
        if (e->lane_die[c] != ir->kernel[e->kernel].die) return true;
    return false;
}

static void set_dies(struct ir *ir, const struct place *p, int first) {
    set_kernels(ir, p, first);
    for (size_t i = 0; i < p->lanes.count; i++)
        set_lanes(&ir->engine[p->lanes.items[i].engine], p, &p->lanes.items[i], first);
    for (int e = 0; e < ir->engines; e++) ir->engine[e].halves = p->halves && has_whole_lanes_away(ir, &ir->engine[e]);
    set_crossings(ir);
}

// Makes the FIFO at the far end of each crossing deep enough for all words in flight, because a word is sent only if
// the FIFO has a place for it.
static void set_credits(struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        if (edge->pool != IR_NONE || !edge->crossings) continue;
        edge->depth = ir_credits(edge->depth, edge->crossings);
        if (edge->ram_style == RAM_AUTO)
            edge->ram_style = allocate_memories_style(edge->depth, cost_edge_bits(ir, edge));
    }
}

// Sets the parameters of kernels and streams that follow from the placement.
static void tell_kernels(struct ir *ir, int home) {
    forget_parts(ir);
    set_credits(ir);
    place_set_loads(ir, home);
    place_set_hash(ir);
    place_set_reset(ir);
    for (int e = 0; e < ir->engines; e++) set_hops(ir, &ir->engine[e]);
}

// Sets the room of a die: its resources that the design may use. It is at least 1 / LEAST_PART of the die's capacity,
// because the program divides by it.
static void set_room(const struct ir *ir, int die, int64_t out[PLACE_RESOURCES]) {
    enum { LEAST_PART = 50 };
    struct cost_resources room = cost_room(ir, die), capacity = cost_capacity(&ir->die[die]);
    int64_t all[PLACE_RESOURCES];
    place_amounts(&room, out);
    place_amounts(&capacity, all);
    for (int s = 0; s < PLACE_RESOURCES; s++)
        if (out[s] < all[s] / LEAST_PART) out[s] = all[s] / LEAST_PART;
}

// Returns the bits that the design may send over a boundary: at least 1, because the program divides by them.
static int64_t wires_of(const struct ir *ir, int boundary) {
    int64_t room = cost_wires(ir, boundary).room;
    return room > 0 ? room : 1;
}

// Returns by how much a resource exceeds its limit, as a share of the room.
static double over(int64_t taken, int64_t limit, int64_t room) {
    return taken > limit && room > 0 ? (double)(taken - limit) / (double)room : 0;
}

// By how much the design exceeds the limits, as a sum of shares of the room, like the program's excesses. more:
// `limits` plus 1 / PLACE_MORE_PART of the excess under the upper estimate of the memory ports' resources.
struct excess {
    double limits, more;
};

// Returns by how much the design exceeds the limits with its present placement.
static struct excess excess_of(const struct ir *ir) {
    struct cost_design cost = cost_design(ir);
    struct excess sum = {0};
    for (int d = 0; d < ir->dies; d++) {
        struct cost_fill f = cost_fill(ir, &cost, d);
        int64_t taken[PLACE_RESOURCES], most[PLACE_RESOURCES], limit[PLACE_RESOURCES], room[PLACE_RESOURCES];
        place_amounts(&f.taken, taken);
        place_amounts(&f.most, most);
        place_amounts(&f.limit, limit);
        set_room(ir, d, room);
        for (int s = 0; s < PLACE_RESOURCES; s++)
            sum.limits += over(taken[s], limit[s], room[s]), sum.more += over(most[s], limit[s], room[s]);
    }
    for (int b = 0; ir->design.sll && b + 1 < ir->dies; b++)
        sum.limits += over(cost_boundary_bits(ir, b), cost_wires(ir, b).room, wires_of(ir, b));
    sum.more = sum.limits + sum.more / PLACE_MORE_PART;
    return sum;
}

// The ways, the cheapest first. Cutting a lane doubles its registers and command. Words in fine parts take longer.
// Halves need the second clock on the paths between dies, and one more register stage.
static const struct way ways[] = {{false, false, false}, {true, false, false}, {true, false, true},
                                  {false, true, false},  {true, true, false},  {true, true, true}};

// Returns the number of ways that the design can use. The second half of the ways needs the second clock between dies.
static int ways_of(const struct ir *ir) {
    return ir_second_clock(ir) && !ir->design.single_rate ? COUNT_OF(ways) : COUNT_OF(ways) / 2;
}

// Resources of each die, counted from the first one in use, that the program does not count.
struct charge {
    bool known; // measured in a placement
    int64_t of[IR_MAX_DIES][PLACE_RESOURCES];
};

// Sets the part of each die's room that tasks and lanes may take. Until the rest is known, it is 2 %: registers and
// credits of streams that cross.
static void set_full(struct place *p, const struct charge *rest) {
    enum { UNKNOWN = 2 /* % */ };
    for (int d = 0; d < p->dies; d++)
        for (int s = 0; s < PLACE_RESOURCES; s++)
            p->full[d][s] = rest->known ? 1 - (double)rest->of[d][s] / (double)(p->room[d][s] > 0 ? p->room[d][s] : 1)
                                        : (100 - UNKNOWN) / 100.0;
}

// Describes the partition for the program: the dies in use, from `first` on, with their rooms and wires, and the tasks.
static struct place make_place(struct ir *ir, int first, struct way way, const struct charge *rest) {
    struct place p = {.arena = ir->arena,
                      .dies = ir->design.dies < ir->dies ? ir->design.dies : ir->dies,
                      .has_wires = ir->design.sll > 0,
                      .cuts = way.cuts,
                      .halves = way.halves};
    for (int e = 0; e < ir->engines; e++) ir->engine[e].halves = way.halves;
    choose_parts(ir, way);
    for (int d = 0; d < p.dies; d++) {
        set_room(ir, first + d, p.room[d]);
        p.wires[d] = wires_of(ir, first + d);
        if (ir->die[first + d].hbm) p.home = d;
    }
    struct cost_resources more = cost_ports_most(ir, first + p.home), ports = cost_ports(ir, first + p.home);
    cost_add(&more, &ports, -1);
    place_amounts(&more, p.more);
    set_full(&p, rest);
    add_tasks(ir, &p);
    return p;
}

// Whether a way is tried. least: excess of the best way so far. A dear way is not worth its price if the design exceeds
// the limits only under the upper estimate of the ports.
static bool is_worth_trying(struct way way, struct excess least) {
    return is_dear(way) ? least.limits > 0 : least.more > 0;
}

// Whether a way is better than the best one so far. A dear way is better only if the design is then within the limits.
static bool is_better(struct way way, struct excess excess, struct excess least) {
    return excess.more < least.more && !(is_dear(way) && excess.limits > 0);
}

static void *copy_list(struct arena *arena, const void *list, int count, size_t size, size_t *capacity) {
    void *copy = arena_alloc(arena, (size_t)count + 1, size);
    if (count) memcpy(copy, list, (size_t)count * size);
    *capacity = (size_t)count + 1;
    return copy;
}

// Returns a copy of the IR in which place-dies may change kernels, streams, nets, clients and engines.
static struct ir copy_of(const struct ir *ir) {
    struct ir c = *ir;
    struct arena *a = ir->arena;
    c.kernel = copy_list(a, c.kernel, c.kernels, sizeof *c.kernel, &c.kernel_capacity);
    c.edge = copy_list(a, c.edge, c.edges, sizeof *c.edge, &c.edge_capacity);
    c.net = copy_list(a, c.net, c.nets, sizeof *c.net, &c.net_capacity);
    c.wire = copy_list(a, c.wire, c.wires, sizeof *c.wire, &c.wire_capacity);
    c.client = copy_list(a, c.client, c.clients, sizeof *c.client, &c.client_capacity);
    c.engine = copy_list(a, c.engine, c.engines, sizeof *c.engine, &c.engine_capacity);
    for (int k = 0; k < c.kernels; k++) {
        struct ir_kernel *kernel = &c.kernel[k];
        kernel->param = copy_list(a, kernel->param, kernel->params, sizeof *kernel->param, &kernel->param_capacity);
    }
    return c;
}

// A placement, in a copy of the IR with everything that place-dies sets.
struct trial {
    struct ir ir;
    enum mip_status status; // of the search that found it
    struct excess excess;
};

// Returns what the placement takes of each die beyond what the program counts: registers and credits of streams that
// cross, less what place_relieve saves.
static struct charge charge_of(const struct ir *ir, const struct place *p, int first) {
    struct charge rest = {.known = true};
    struct cost_design cost = cost_design(ir);
    for (int d = 0; d < p->dies; d++) {
        struct cost_resources all = cost_die(ir, &cost, first + d);
        int64_t is[PLACE_RESOURCES], counted[PLACE_RESOURCES];
        place_amounts(&all, is);
        place_used(p, d, counted);
        for (int s = 0; s < PLACE_RESOURCES; s++) rest.of[d][s] = is[s] - counted[s];
    }
    return rest;
}

// Finds a placement, sets the dies in `ir`, and makes the placement in a copy. *rest: resources that the program does
// not count; becomes what this placement has.
static struct trial try_once(struct ir *ir, int first, struct way way, struct charge *rest) {
    struct place p = make_place(ir, first, way, rest);
    struct trial t = {.status = place_solve(&p)};
    set_dies(ir, &p, first);
    t.ir = copy_of(ir);
    tell_kernels(&t.ir, first + p.home);
    for (int d = 0; d < p.dies; d++) place_relieve(&t.ir, first + d);
    t.excess = excess_of(&t.ir);
    *rest = charge_of(&t.ir, &p, first);
    return t;
}

// Whether further rounds and finer parts may bring a placement within its limits. They change the use of a die and of a
// boundary by a few percent.
static bool is_near(struct excess excess) {
    enum { NEAR = 10 /* % */ };
    return excess.limits > 0 && 100 * excess.limits < NEAR;
}

// Finds a placement of a way. If it exceeds the limits by little, the search is repeated with the resources that the
// program did not count, and a placement within the limits replaces the first one. Only the first round sets the dies
// in `ir`.
static struct trial try_way(struct ir *ir, int first, struct way way) {
    enum { ROUNDS = 4 /* with the first */ };
    struct charge rest = {0};
    struct trial t = try_once(ir, first, way, &rest);
    struct ir again = copy_of(ir);
    for (int n = 1; n < ROUNDS && is_near(t.excess); n++) {
        struct trial next = try_once(&again, first, way, &rest);
        if (next.status != MIP_NONE && next.excess.limits <= 0) t = next;
    }
    return t;
}

// Tries the ways in order while the design exceeds the limits, and applies the best placement. Returns the status of
// its search. A stream that crossed in the last placement counts with both of its ends in the next program.
static enum mip_status place_all(struct ir *ir, int first) {
    struct trial best = try_way(ir, first, ways[0]);
    struct excess last = best.excess; // of the way before
    for (int w = 1; w < ways_of(ir); w++) {
        struct ir copy = copy_of(ir);
        if (!is_worth_trying(ways[w], best.excess) || (ways[w].fine && !is_near(last))) continue;
        struct trial next = try_way(ways[w].fine ? &copy : ir, first, ways[w]);
        last = next.excess;
        if (next.status != MIP_NONE && is_better(ways[w], next.excess, best.excess)) best = next;
    }
    *ir = best.ir;
    return best.status;
}

// Returns the excess of the loosest ways. Each other way is a special case of one of them. place_relieve may move all
// small FIFOs, and registers and credits of streams that cross are not counted.
double place_dies_excess(struct ir *ir) {
    static const int loosest[] = {0, COUNT_OF(ways) / 2 - 1, COUNT_OF(ways) - 1}; // way 0: it has the smallest program
    int first = first_die(ir);
    struct charge rest = {.known = true};
    double least = 0;
    if (ir->design.dies < 2 || ir->dies < 2) return 0;
    rest.of[cost_memory_die(ir) - first][0] = -place_small_luts(ir);
    for (size_t w = 0; w < COUNT_OF(loosest) && loosest[w] < ways_of(ir) && (!w || least > 0); w++) {
        struct place p = make_place(ir, first, ways[loosest[w]], &rest);
        double excess = place_least_excess(&p);
        if (!w || excess < least) least = excess;
    }
    for (int e = 0; e < ir->engines; e++) ir->engine[e].halves = false;
    return least;
}

bool pass_place_dies(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    if (ir->design.dies < 2 || ir->dies < 2) return true;
    switch (place_all(ir, first_die(ir))) {
    case MIP_OPTIMAL: ir->design.placement = "the fewest bits across dies, within a weight for even shares"; break;
    case MIP_FEASIBLE: ir->design.placement = "the best found within the limit of the search"; break;
    case MIP_NONE:
        ir->design.placement = "filled in order, as the search for fewer crossings ended without a result";
        break;
    }
    return true;
}
