// SPDX-License-Identifier: Apache-2.0
// Makes the plan of a design's modules: decides in which module an instance goes, and names modules and streams. An
// instance is in the module of its region, in `shared` if several regions use it, or in `control` if it belongs to no
// region.
#include <ctype.h>
#include <string.h>

#include "gen/base/verilog.h"
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

// ---- names ----

// Returns the design's name as a Verilog identifier: one `_` replaces each run of characters that are neither letters
// nor digits, but a single such character at the end is dropped. If the name does not begin with a letter, or begins
// with `rill` like the modules of the library, `design_` precedes it, and such a run at the beginning is dropped.
static const char *prefix_of(const struct ir *ir) {
    struct text text = {0};
    bool own = isalpha((unsigned char)ir->name[0]) && strncmp(ir->name, "rill", 4) != 0;
    text_add(&text, own ? "" : "design_");
    for (const char *c = ir->name; *c; c++) {
        bool word = isalnum((unsigned char)*c);
        if (word) text_add_bytes(&text, c, 1);
        else if (text.len && text.data[text.len - 1] != '_' && c[1]) text_add(&text, "_");
    }
    const char *name = arena_printf(ir->arena, "%s", text_cstr(&text));
    text_free(&text);
    return name;
}

// Returns whether an instance `u_<name>` of module `module` would clash with another module of the design, with a
// custom kernel's module, or with a register tree or memory channel that the top names itself.
static bool is_taken(const struct emit_plan *p, const char *name, const char *module) {
    static const char *const others[] = {"core_", "channel_", "fault_way_"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (!strncmp(name, others[i], strlen(others[i]))) return true;
    for (int m = 0; m < p->modules; m++)
        if (!strcmp(p->module[m].name, name)) return true;
    for (int c = 0; c < p->ir->customs; c++)
        if (!strcmp(p->ir->custom[c].module, module)) return true;
    return false;
}

// Adds a module with the wanted name, or with `_region` appended until the name is free. Returns its index.
static int add_module(struct emit_plan *p, const char *wanted, int region) {
    const char *name = wanted, *prefix = prefix_of(p->ir), *module = arena_printf(p->ir->arena, "%s_%s", prefix, name);
    while (is_taken(p, name, module)) {
        name = arena_printf(p->ir->arena, "%s_region", name);
        module = arena_printf(p->ir->arena, "%s_%s", prefix, name);
    }
    p->module[p->modules] = (struct emit_module){.name = name, .module = module, .region = region};
    return p->modules++;
}

// ---- homes ----

// The home of a kernel is the module that instantiates it. While homes are searched, these values replace a module's
// index: the home is not searched yet, the search for it is in progress, or nothing decides it.
enum { UNKNOWN = -2, ASKED = -3, NOWHERE = -4 };

struct homes {
    struct emit_plan *plan;
    int *of_region; // per region: its module
};

static int home_of(struct homes *h, int kernel);

// Returns the home that a port's stream suggests. This is the first of these that applies:
// - NOWHERE, if the port has no stream, or a stream of step words, which kernels of all regions read;
// - `shared`, if the other end is a multiplexer or demultiplexer whose home is `shared`;
// - the module of the region in which the port fires;
// - the home of the kernel at the other end. It is NOWHERE while the search for it is in progress.
static int home_at(struct homes *h, const struct ir_port *p) {
    const struct ir *ir = h->plan->ir;
    if (p->edge == IR_NONE) return NOWHERE;
    const struct ir_edge *e = &ir->edge[p->edge];
    int other = p->is_output ? e->dst_kernel : e->src_kernel;
    if (ir_carries_steps(ir, e)) return NOWHERE;
    bool steers = kernel_is(&ir->kernel[other], KERNEL_MUX | KERNEL_DEMUX);
    int home = steers || p->region == IR_NONE ? home_of(h, other) : NOWHERE;
    if (p->region == IR_NONE || home == h->plan->shared) return home;
    return h->of_region[p->region];
}

// Returns the home that all ports of one direction suggest, NOWHERE if no port decides, or IR_NONE if the ports suggest
// several homes.
static int home_along(struct homes *h, const struct ir_kernel *k, bool is_output) {
    int home = NOWHERE;
    for (int p = 0; p < k->ports; p++) {
        int at = k->port[p].is_output == is_output ? home_at(h, &k->port[p]) : NOWHERE;
        if (at == NOWHERE || at == home) continue;
        if (home != NOWHERE) return IR_NONE;
        home = at;
    }
    return home;
}

// Returns the home of a pool: the home of the kernels that read from it, or `shared` if these have several homes. A
// pool has at least one stream, so a reader exists.
static int home_of_pool(struct homes *h, int pool) {
    const struct ir *ir = h->plan->ir;
    int home = NOWHERE;
    for (int e = 0; e < ir->edges; e++) {
        int at = ir->edge[e].pool == pool ? home_of(h, ir->edge[e].dst_kernel) : NOWHERE;
        if (at == NOWHERE || at == home) continue;
        if (home != NOWHERE) return h->plan->shared;
        home = at;
    }
    return home;
}

// Returns whether the kernel is an engine, or the walker, the store of weights, the operand multiplexer or the result
// demultiplexer of one.
static bool is_of_engine(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel || ir->engine[e].walker == kernel || ir->engine[e].store == kernel ||
            ir->engine[e].x_mux == kernel || ir->engine[e].y_demux == kernel)
            return true;
    return false;
}

// Returns the home that a kernel's streams suggest. The outputs decide, but for a multiplexer the inputs. So several
// streams of a fork, demultiplexer or multiplexer stay inside a module, and only the one at its other end enters or
// leaves the module. The ports of the other direction decide if the first ones decide nothing, or if these suggest
// several homes and the kernel is neither a multiplexer nor a demultiplexer. Returns `shared` if several homes remain,
// and `control` if no port decides.
static int home_by_streams(struct homes *h, const struct ir_kernel *k) {
    bool out = !kernel_is(k, KERNEL_MUX);
    int home = home_along(h, k, out);
    if (home == NOWHERE || (home == IR_NONE && !kernel_is(k, KERNEL_MUX | KERNEL_DEMUX))) {
        int other = home_along(h, k, !out);
        if (other != NOWHERE) home = other;
    }
    return home == IR_NONE ? h->plan->shared : home == NOWHERE ? h->plan->control : home;
}

// Returns the home of a kernel and stores it. A kernel whose home is being searched returns NOWHERE, so that a loop of
// kernels ends the recursion.
static int home_of(struct homes *h, int kernel) {
    const struct ir *ir = h->plan->ir;
    const struct ir_kernel *k = &ir->kernel[kernel];
    int *home = &h->plan->home[kernel];
    if (*home == ASKED) return NOWHERE;
    if (*home != UNKNOWN) return *home;
    *home = ASKED;
    int found;
    if (k->is_control) found = h->plan->control;
    else if (is_of_engine(ir, kernel)) found = h->plan->shared;
    else if (k->node != IR_NONE) found = h->of_region[ir->node[k->node].region];
    else if (kernel_is(k, KERNEL_POOL)) found = home_of_pool(h, kernel);
    else found = home_by_streams(h, k);
    return *home = found;
}

// Orders the modules: regions first, in the design's order. Modules without a kernel are dropped, except control. If
// the module `shared` is dropped, p->shared becomes EMIT_TOP.
static void put_in_order(struct emit_plan *p) {
    struct emit_module *old = p->module;
    int *to = ARENA_ARRAY(p->ir->arena, int, (size_t)p->modules), kept = 0;
    p->module = ARENA_ARRAY(p->ir->arena, struct emit_module, (size_t)p->modules);
    for (int i = 0; i < p->modules; i++) {
        int m = i + 2 < p->modules ? i + 2 : p->modules - 1 - i; // control and shared were made first
        bool used = m == p->control;
        for (int k = 0; k < p->ir->kernels; k++) used = used || p->home[k] == m;
        to[m] = used ? kept : EMIT_TOP;
        if (used) p->module[kept++] = old[m];
    }
    for (int k = 0; k < p->ir->kernels; k++) p->home[k] = to[p->home[k]];
    p->shared = to[p->shared];
    p->control = to[p->control];
    p->modules = kept;
}

void emit_plan_homes(struct emit_plan *p) {
    const struct ir *ir = p->ir;
    struct homes h = {p, ARENA_ARRAY(ir->arena, int, (size_t)ir->regions + 1)};
    p->module = ARENA_ARRAY(ir->arena, struct emit_module, (size_t)ir->regions + 2);
    p->home = ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1);
    p->control = add_module(p, "control", IR_NONE); // first, so that no region can take its name
    p->shared = add_module(p, "shared", IR_NONE);
    for (int r = 0; r < ir->regions; r++) h.of_region[r] = add_module(p, ir->region[r].name, r);
    for (int k = 0; k < ir->kernels; k++) p->home[k] = UNKNOWN;
    for (int k = 0; k < ir->kernels; k++) home_of(&h, k);
    for (int k = 0; k < ir->kernels; k++) p->module[p->home[k]].faults += ir->kernel[k].has_fault;
    put_in_order(p);
}

// ---- streams ----

// Returns whether an end of one of the first `edges` streams, a kernel or a net has this name.
static bool is_stream_name(const struct emit_plan *p, int edges, const char *name) {
    const struct ir *ir = p->ir;
    for (int e = 0; e < edges; e++)
        if (!strcmp(p->from[e], name) || !strcmp(p->to[e], name)) return true;
    for (int k = 0; k < ir->kernels; k++)
        if (!strcmp(ir->kernel[k].name, name)) return true;
    for (int n = 0; n < ir->nets; n++) {
        const char *taken = ir->net[n].name;
        if (!strcmp(taken, name)) return true;
    }
    return false;
}

// Returns a unique name for an end of a stream. Kernel `a` with port `b_c` and kernel `a_b` with port `c` would have
// the same name, so the second one gets a number. edges: number of streams whose ends have names already.
static const char *stream_name(const struct emit_plan *p, int edges, const char *side, const char *end) {
    const char *wanted = arena_printf(p->ir->arena, "%s_%s", side, end), *name = wanted;
    for (int i = 2; is_stream_name(p, edges, name); i++) name = arena_printf(p->ir->arena, "%s_%d", wanted, i);
    return name;
}

// Returns the name of an end of a stream, normally `<kernel>_<port>`. If the kernel's name ends with the port's name,
// the port is left out: norm1_param.param becomes norm1_param.
static const char *end_name(const struct ir *ir, int kernel, int port) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const char *name = k->port[port].name;
    size_t all = strlen(k->name), last = strlen(name);
    bool ends = last && all >= last && !strcmp(k->name + all - last, name);
    bool whole = ends && (all == last || k->name[all - last - 1] == '_');
    return whole && k->port[port].index == IR_NONE ? k->name : ir_end_name(ir, kernel, port);
}

// A name of a stream gets the words of words_behind only if it then has at most this many characters. LONGEST: streams
// within a module. LONGEST_BETWEEN: streams between modules. Their limit is lower, because a line of the top has the
// name twice, when it connects the stream to a port of the same name.
enum { LONGEST = 56, LONGEST_BETWEEN = 45 };

// Returns words that explain a packed port, whose name ends with a mere number: at a multiplexer or demultiplexer the
// value that the stream carries, at a fork the kernel that reads the stream. Returns NULL if there are none.
static const char *words_behind(const struct ir *ir, int edge, bool at_writer) {
    const struct ir_edge *e = &ir->edge[edge];
    const struct ir_kernel *k = &ir->kernel[at_writer ? e->src_kernel : e->dst_kernel];
    if (k->port[at_writer ? e->src_port : e->dst_port].index == IR_NONE) return NULL;
    if (kernel_is(k, KERNEL_FORK)) return ir->kernel[e->dst_kernel].name;
    const char *carried = kernel_is(k, KERNEL_MUX | KERNEL_DEMUX) ? emit_carried_name(ir, e) : NULL;
    return carried && !strchr(carried, ' ') ? carried : NULL;
}

// Returns the unique name of an end of a stream: `from_...` at its writer, `to_...` at its reader.
static const char *name_of_end(const struct emit_plan *p, int edge, bool at_writer) {
    const struct ir_edge *e = &p->ir->edge[edge];
    const char *side = at_writer ? "from" : "to", *words = words_behind(p->ir, edge, at_writer);
    const char *end =
        at_writer ? end_name(p->ir, e->src_kernel, e->src_port) : end_name(p->ir, e->dst_kernel, e->dst_port);
    size_t longest = p->home[e->src_kernel] == p->home[e->dst_kernel] ? LONGEST : LONGEST_BETWEEN;
    if (words && strlen(side) + strlen(end) + strlen(words) + 2 <= longest)
        end = arena_printf(p->ir->arena, "%s_%s", end, words);
    return stream_name(p, edge, side, end);
}

// Names both ends of every stream, and the word that each fork sends to other modules.
static void name_streams(struct emit_plan *p) {
    const struct ir *ir = p->ir;
    p->from = ARENA_ARRAY(ir->arena, const char *, (size_t)ir->edges + 1);
    p->to = ARENA_ARRAY(ir->arena, const char *, (size_t)ir->edges + 1);
    p->copied = ARENA_ARRAY(ir->arena, const char *, (size_t)ir->edges + 1);
    for (int e = 0; e < ir->edges; e++) {
        const char *from = name_of_end(p, e, true);
        p->to[e] = name_of_end(p, e, false);
        p->from[e] = from;
    }
    for (int e = 0; e < ir->edges; e++)
        if (kernel_is(&ir->kernel[ir->edge[e].dst_kernel], KERNEL_FORK))
            p->copied[e] = stream_name(p, ir->edges, "from", ir->kernel[ir->edge[e].dst_kernel].name);
}

int emit_link_home(const struct emit_plan *p, int edge) {
    const struct ir_edge *e = &p->ir->edge[edge];
    return p->home[e->pool == IR_NONE ? e->dst_kernel : e->pool];
}

// ---- paths ----

const char *emit_module_path(const struct emit_plan *p, int module) {
    return arena_printf(p->ir->arena, "u_%s", p->module[module].name);
}

const char *emit_kernel_path(const struct emit_plan *p, int kernel) {
    return arena_printf(p->ir->arena, "u_%s/u_%s", p->module[p->home[kernel]].name, p->ir->kernel[kernel].name);
}

// ---- the whole ----

struct emit_plan *emit_plan_make(const struct ir *ir, const struct emit_names *names) {
    struct emit_plan *p = ARENA_NEW(ir->arena, struct emit_plan);
    p->ir = ir;
    if (names) p->identity = names->identity, p->layout = names->layout;
    emit_plan_homes(p);
    name_streams(p);
    emit_plan_nets(p);
    emit_modules(p);
    return p;
}
