// SPDX-License-Identifier: Apache-2.0
// Writes the comments of the emitted Verilog: how to read the top, which operations a kernel computes, the words and
// the depth of each stream, and the data that modules exchange. emit_carried.c names the data of a stream.
#include <ctype.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/ir/ops.h"
#include "gen/ir/schedule.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/ports.h"

// ---- streams ----

// Returns whether the words of a stream are in the usual order: chunks of a vector, and for each chunk the tokens of a
// step in turn.
static bool is_plain(const struct ir_itensor *t) {
    return t->rank == 2 && t->loops == 2 && !t->patches && t->element[0] == 1 && t->step[0] == t->element[1] &&
           t->step[1] == 1 && t->map[0] == 1 && t->map[1] == 0;
}

// Returns whether a stream carries several tensors, with firings of different lengths.
static bool takes_turns(const struct ir *ir, const struct ir_edge *e) {
    return emit_tensor_at(ir, e) == IR_NONE &&
           (kernel_is(&ir->kernel[e->src_kernel], KERNEL_MUX) || kernel_is(&ir->kernel[e->dst_kernel], KERNEL_DEMUX));
}

// Returns whether a quantizer adds a word of zeros to a firing, because it sends an even number of words for each
// token. elements: of a firing and token. The last block may be short, but no other block ends inside a word.
static bool is_evened(const struct ir *ir, const struct ir_edge *e, int64_t elements) {
    const struct ir_itensor *type = &ir->kernel[e->src_kernel].port[e->src_port].type;
    int tensor = emit_tensor_at(ir, e);
    int64_t block = tensor == IR_NONE ? 0 : ir->tensor[tensor].block, words = div_up(elements, type->element[1]);
    return type->dtype == IR_MX && block > 0 && (block % type->element[1] == 0 || block >= elements) &&
           words % 2 == 1 && type->trip[0].bound == words + 1;
}

// Adds the number of words of a firing for one token, their size, and the number of firings of a tensor that has
// several.
static void add_words(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_port *p = &ir->kernel[e->src_kernel].port[e->src_port];
    const struct ir_extent *words = &p->type.trip[0];
    int tensor = emit_tensor_at(ir, e);
    int64_t elements = p->type.element[1], firings = tensor == IR_NONE ? 1 : ports_ends(ir, tensor);
    if (p->kind == IR_STREAM_COUNTED) {
        text_addf(out, "; words of up to %lld", (long long)elements);
        return;
    }
    if (takes_turns(ir, e)) return text_addf(out, "; words of %lld", (long long)elements);
    text_add(out, "; ");
    if (firings > 1) text_addf(out, "%lld firings, each of ", (long long)firings);
    text_addf(out, "%s%lld word%s", words->dynamic == IR_STATIC ? "" : "up to ", (long long)words->bound,
              words->bound == 1 ? "" : "s");
    if (elements > 1) text_addf(out, " of %lld", (long long)elements);
    if (p->pieces > 1) text_addf(out, " in %lld firings", (long long)p->pieces);
    if (tensor == IR_NONE || ir_tensor_elements(&ir->tensor[tensor]) >= firings * words->bound * elements) return;
    bool evened = is_evened(ir, e, ir_tensor_elements(&ir->tensor[tensor]) / firings);
    text_addf(out, ", padded with zeros%s", evened ? " to an even number of words" : "");
}

// Adds the part of tdata that the reader takes, and the dies that the stream connects.
static void add_way(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_port *p = &ir->kernel[e->src_kernel].port[e->src_port];
    struct kernel_part part = kernel_part(ir, e);
    int from = ir_source_die(ir, e->src_kernel), to = ir->kernel[e->dst_kernel].die;
    if (part.bits < p->data_bits)
        text_add(out, part.first ? "; only the scale, tdata[KV_W-1:UNIT*8]" : "; only the integers, tdata[UNIT*8-1:0]");
    if (!emit_way_stages(ir) || from == to) return;
    text_addf(out, "; %s to %s", ir->die[from].name, ir->die[to].name);
    if (ir_edge_parts(e) > 1) text_addf(out, ", each word in %d parts", (int)ir_edge_parts(e));
}

// Lists up to two other readers of the fork from which the stream comes.
static void add_others(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    int count = 0;
    for (int o = 0; o < ir->edges; o++) {
        const struct ir_edge *other = &ir->edge[o];
        if (other->src_kernel != e->src_kernel || other == e) continue;
        if (++count <= 2) text_addf(out, "%s%s", count > 1 ? ", " : "", ir->kernel[other->dst_kernel].name);
    }
    if (count > 2) text_add(out, " and others");
}

// Adds the reason for which the safe rule makes a FIFO deep.
static void add_safe(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_kernel *from = &ir->kernel[e->src_kernel], *to = &ir->kernel[e->dst_kernel];
    text_add(out, "all words in flight of a firing, by the safe rule (docs/fifos.md): ");
    if (e->stored_firings) text_add(out, "the reader's group starts after the writer's group\n");
    else if (kernel_is(to, KERNEL_MUX)) text_addf(out, "the words wait for their turn at %s\n", to->name);
    else if (kernel_is(from, KERNEL_DEMUX)) text_addf(out, "%s must be free for its next firing\n", from->name);
    else if (kernel_is(from, KERNEL_FORK)) {
        text_addf(out, "%s may wait while other readers of %s proceed (", to->name, from->name);
        add_others(ir, e, out);
        text_add(out, ")\n");
    } else text_add(out, "with fewer words, a simulated step deadlocks\n");
}

// Adds the data that wait in a FIFO, and the data for which they wait, if both are known. forced_by ends with the last
// two kernels on the way of the data for which they wait.
static void add_waiting(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_kernel *to = &ir->kernel[e->dst_kernel];
    const char *awaited = NULL;
    size_t len = strlen(e->forced_by);
    int count = 0;
    for (int p = 0; p < to->ports && emit_tensor_at(ir, e) != IR_NONE; p++) {
        const struct ir_edge *other = to->port[p].edge == IR_NONE ? NULL : &ir->edge[to->port[p].edge];
        if (!other || to->port[p].is_output || other == e || emit_tensor_at(ir, other) == IR_NONE) continue;
        const char *way = arena_printf(ir->arena, " %s > %s", ir->kernel[other->src_kernel].name, to->name);
        size_t end = strlen(way);
        if (len < end || strcmp(e->forced_by + len - end, way) != 0) continue;
        awaited = emit_carried_name(ir, other);
        count++;
    }
    if (count == 1) text_addf(out, " of %s that wait here for %s", emit_carried_name(ir, e), awaited);
    else text_add(out, " that wait");
}

// Adds the reason why a FIFO has more than two words, which are enough for full throughput. The comment at the head of
// rill_top.v explains the depth of FIFOs of ids for the ring, and of step words at the kernels that take them.
static void add_depth(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    enum { USUAL = 2 };
    if (e->depth <= USUAL || e->pool != IR_NONE || ir_carries_steps(ir, e) || ir_is_of(ir, e, IR_ROLE_RING)) return;
    text_add(out, "    // DEPTH: ");
    if (e->depth <= ir_credits(USUAL, e->crossings)) text_add(out, "words and credits on the way between dies\n");
    else if (!e->forced_by || ir->design.fifo == SPEC_SAFE) add_safe(ir, e, out);
    else {
        bool waits = e->delay > 0 && e->group == IR_NONE && ir->design.fifo != SPEC_CONSERVATIVE;
        if (waits) text_add(out, "the most words"), add_waiting(ir, e, out), text_add(out, " in simulated steps. ");
        text_addf(out, "%c%s\n", waits ? toupper((unsigned char)*e->forced_by) : *e->forced_by, e->forced_by + 1);
    }
}

void emit_describe_stream(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_port *p = &ir->kernel[e->src_kernel].port[e->src_port];
    text_addf(out, "    // %s -> %s: ", ir_port_text(ir, e->src_kernel, e->src_port),
              ir_port_text(ir, e->dst_kernel, e->dst_port));
    const struct ir_kernel *to = &ir->kernel[e->dst_kernel];
    if (to->port[e->dst_port].role == IR_ROLE_K_LOCAL)
        text_add(out, "keys of the step's own tokens, which the engine does not read from memory; ");
    emit_carried(ir, e, out);
    if (to->port[e->dst_port].role == IR_ROLE_PARAM) text_addf(out, "; their order in a word: %s.v", to->module);
    if (is_plain(&p->type)) add_words(ir, e, out);
    else if (p->type.rank || p->type.loops) text_addf(out, "; as %s", ir_type_text(ir, &p->type));
    add_way(ir, e, out);
    text_add(out, "\n");
    add_depth(ir, e, out);
}

bool emit_has_orders(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_itensor *t = &ir->kernel[ir->edge[e].src_kernel].port[ir->edge[e].src_port].type;
        if ((t->rank || t->loops) && !is_plain(t)) return true;
    }
    return false;
}

// ---- kernels ----

// Adds a node's operation, the tensors that it reads, and the tensors that it makes.
static void add_operation(const struct ir *ir, int node, struct text *out) {
    const struct ir_node *n = &ir->node[node];
    text_add(out, ir_op_of(ir, n->op)->name);
    for (int i = 0; i < n->inputs; i++) {
        bool scales = ir->tensor[n->in[i]].dtype == IR_KV; // a kernel takes only the scales of keys and values
        bool first = scales && (!i || ir->tensor[n->in[i - 1]].dtype != IR_KV);
        text_addf(out, "%s%s", first ? " with the scales of " : i ? ", " : " of ", ir->tensor[n->in[i]].name);
    }
    if (!n->inputs && ir_op_is(ir, n->op, OP_BY_POSITION))
        text_add(out, " (the rows of the table at the tokens' positions)");
    text_add(out, " -> ");
    for (int o = 0; o < n->outputs; o++) {
        if (o) text_add(out, ", ");
        emit_tensor(ir, n->out[o], out);
    }
}

// Finds the streams of a softmax that leaves the division by the sum to a later kernel. Returns false for any other
// kernel.
static bool is_undivided(const struct ir *ir, int kernel, int *weights, int *inverse) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    int p = ir_port_for(k, IR_ROLE_P, true), i = ir_port_for(k, IR_ROLE_INVERSE, true);
    if (p == IR_NONE || i == IR_NONE) return false;
    *weights = k->port[p].edge;
    *inverse = k->port[i].edge;
    return *weights != IR_NONE && *inverse != IR_NONE;
}

// Says what the two outputs of a softmax are if it leaves the division by the sum to a later kernel. The scales of the
// values are factors of the weights, but not of the sum.
static void add_undivided(const struct ir *ir, int kernel, struct text *out) {
    int weights, inverse;
    if (!is_undivided(ir, kernel, &weights, &inverse)) return;
    text_addf(out,
              "    //   The division by the sum is left to a later kernel. For each element, with s = score * scale of "
              "the key%s:\n"
              "    //   %s = exp(s - max) * scale of the value\n"
              "    //   %s = 1 / sum of exp(s - max), one for each token and head\n",
              kernel_caps_scores(&ir->kernel[kernel]) ? " after the soft cap" : "",
              emit_carried_name(ir, &ir->edge[weights]), emit_carried_name(ir, &ir->edge[inverse]));
}

static int engine_of_kernel(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel) return e;
    return IR_NONE;
}

static void add_products(const struct ir *ir, int engine, struct text *out) {
    int count = 0;
    for (int n = 0; n < ir->nodes; n++)
        if (ir_engine_of(ir, n) == engine)
            text_addf(out, "%s%s", count++ ? ", " : "computes the products ", ir->node[n].name);
    if (count) text_add(out, count > 1 ? ", and dequantizes them" : ", and dequantizes it");
}

// Returns the first port of a direction whose stream has an itensor type and that is not part of an array of ports, or
// NULL.
static const struct ir_port *only_port(const struct ir_kernel *k, bool is_output) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].is_output == is_output && k->port[p].index == IR_NONE && k->port[p].type.rank)
            return &k->port[p];
    return NULL;
}

// Describes a kernel that only changes the width of words; returns false for another kernel. Words with a count may
// have fewer elements than they have room for, so the kernel packs them, even if its output is as wide as its input.
static bool add_widths(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct ir_port *in = only_port(k, false), *to = only_port(k, true);
    if (!in || !to) return false;
    long long from = itensor_tile(&in->type), into = itensor_tile(&to->type);
    bool packs = in->kind == IR_STREAM_COUNTED && (from != into || kernel_is(k, KERNEL_WIDTH));
    if (packs && from == 1) text_addf(out, "packs single elements into full words of %lld", into);
    else if (packs) text_addf(out, "packs words of up to %lld elements into full words of %lld", from, into);
    else if (from != into) text_addf(out, "converts words of %lld elements to words of %lld", from, into);
    return packs || from != into;
}

// Returns whether the tensor is the value that a region gives to its next repetition.
static bool is_carried(const struct ir *ir, int tensor) {
    for (int r = 0; r < ir->regions && tensor != IR_NONE; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            if (ir->region[r].carry[c].next == tensor) return true;
    return false;
}

// Describes the demultiplexer that sends a value back to the start of a repeated region or, in the last repetition, to
// the reader after the region. Returns false for another kernel.
static bool add_exit(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    int tensor = IR_NONE, loop = IR_NONE, after = IR_NONE, outputs = 0;
    for (int p = 0; p < k->ports && kernel_is(k, KERNEL_DEMUX); p++) {
        if (k->port[p].edge == IR_NONE) continue;
        const struct ir_edge *e = &ir->edge[k->port[p].edge];
        tensor = tensor == IR_NONE ? emit_tensor_at(ir, e) : tensor;
        if (!k->port[p].is_output) continue;
        outputs++;
        if (kernel_is(&ir->kernel[e->dst_kernel], KERNEL_MUX)) loop = e->dst_kernel;
        else after = e->dst_kernel;
    }
    if (outputs != 2 || loop == IR_NONE || after == IR_NONE || !is_carried(ir, tensor)) return false;
    text_addf(out, "sends %s back to %s or, in the last repetition of the region, on to %s", ir->tensor[tensor].name,
              ir->kernel[loop].name, ir->kernel[after].name);
    return true;
}

// Describes the multiplexer that closes the loop of a repeated region; returns false for another kernel.
static bool add_loop(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct ir_carry *carry = NULL;
    for (int p = 0; p < k->ports && kernel_is(k, KERNEL_MUX); p++)
        if (k->port[p].is_output && k->port[p].edge != IR_NONE) {
            int tensor = emit_tensor_at(ir, &ir->edge[k->port[p].edge]);
            carry = tensor == IR_NONE ? NULL : ir_carry_of(ir, tensor);
        }
    if (!carry) return false;
    text_addf(out, "outputs %s: %s in the first repetition of the region, then %s of the previous repetition",
              ir->tensor[carry->local].name, ir->tensor[carry->init].name, ir->tensor[carry->next].name);
    return true;
}

// Describes a kernel that makes the step words of parts for an attention's kernel, or that changes the order of a
// tensor's words from that of the step to that of the parts, or back. Returns false for another kernel.
static bool add_parts(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    int edge = IR_NONE;
    for (int p = 0; p < k->ports && kernel_sends_parts(k); p++)
        if (k->port[p].is_output) edge = k->port[p].edge;
    if (kernel_cuts_parts(k)) text_add(out, "cuts a step's tensor into one tensor for each of its parts");
    else if (kernel_joins_parts(k)) text_add(out, "joins the tensors of a step's parts into one tensor of the step");
    else if (edge != IR_NONE)
        text_addf(out, "sends the words of a step's parts to %s, again for each layer",
                  ir->kernel[ir->edge[edge].dst_kernel].name);
    return edge != IR_NONE || kernel_cuts_parts(k) || kernel_joins_parts(k);
}

// Returns the die on which all readers of a fork are. Returns IR_NONE if they are on several dies, or if the whole
// design is on one die.
static int die_of_readers(const struct ir *ir, const struct ir_kernel *fork) {
    int die = IR_NONE;
    for (int p = 0; p < fork->ports && emit_way_stages(ir); p++) {
        if (!fork->port[p].is_output || fork->port[p].edge == IR_NONE) continue;
        int reader = ir->kernel[ir->edge[fork->port[p].edge].dst_kernel].die;
        if (die != IR_NONE && reader != die) return IR_NONE;
        die = reader;
    }
    return die;
}

// Returns a text with the new name of the data, if the streams at a kernel's only input and only output carry tensors
// with different names.
static const char *new_name(const struct ir *ir, const struct ir_kernel *k) {
    const struct ir_port *in = only_port(k, false), *to = only_port(k, true);
    if (!in || !to || in->edge == IR_NONE || to->edge == IR_NONE) return "";
    int tensor = emit_tensor_at(ir, &ir->edge[to->edge]);
    const char *name = tensor == IR_NONE ? NULL : ir->tensor[tensor].name;
    if (!name || !strcmp(name, emit_carried_name(ir, &ir->edge[in->edge]))) return "";
    for (int r = 0; r < ir->regions && ir_carry_of(ir, tensor); r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            if (ir->region[r].carry[c].local == tensor)
                return arena_printf(ir->arena, ", which is called %s outside of the region %s", name,
                                    ir->region[r].name);
    return arena_printf(ir->arena, "; the output is called %s", name);
}

// Returns whether the text is a list of tensors that a kernel passes on in turn. The comments of its streams have it.
static bool is_turns(const char *carried) {
    static const char turns[] = "carries in turn: ";
    return !strncmp(carried, turns, sizeof turns - 1);
}

// Describes a kernel without an operation by the purpose of its class and the data it carries.
static void add_purpose(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct kernel_class *class = kernel_of(k);
    struct text carried = {0};
    if (add_loop(ir, kernel, out) || add_exit(ir, kernel, out)) return;
    if (kernel_is(k, KERNEL_LAST) && ir_chooses_all(ir))
        text_add(out, "in steps with head = 1, passes on all tokens; drops the words of all other steps");
    else if (!add_parts(ir, kernel, out) && !add_widths(ir, kernel, out))
        text_add(out, class && class->doc ? class->doc : k->module);
    int die = kernel_is(k, KERNEL_FORK) ? die_of_readers(ir, k) : IR_NONE;
    if (die != IR_NONE) text_addf(out, ", all on %s", ir->die[die].name);
    if (kernel_hop_stages(k) >= 0) text_add(out, emit_on_die(ir, k->die));
    bool known = k->is_control || kernel_sends_parts(k);
    if (!known && emit_carried_by(ir, kernel, &carried) && !is_turns(text_cstr(&carried)))
        text_addf(out, " (%s%s)", text_cstr(&carried), new_name(ir, k));
    text_free(&carried);
}

// Adds a kernel's operation, an engine's products, or the purpose of another kernel.
static void add_work(const struct ir *ir, int kernel, struct text *out) {
    int engine = engine_of_kernel(ir, kernel);
    if (ir->kernel[kernel].node != IR_NONE) add_operation(ir, ir->kernel[kernel].node, out);
    else if (engine != IR_NONE) add_products(ir, engine, out);
    else add_purpose(ir, kernel, out);
    text_add(out, "\n");
}

const char *emit_purpose(const struct ir *ir, int kernel) {
    struct text purpose = {0};
    add_purpose(ir, kernel, &purpose);
    const char *text = arena_printf(ir->arena, "%s", text_cstr(&purpose));
    text_free(&purpose);
    return text;
}

// Lists the outputs of a fork by number with their readers, because the names of nets do not always tell both.
static void add_readers(const struct ir *ir, const struct ir_kernel *fork, struct text *out) {
    const char *before =
        arena_printf(ir->arena, "    // Outputs, all with the data of the fork's input (to_%s_*):", fork->name);
    for (int p = 0; p < fork->ports; p++) {
        if (!fork->port[p].is_output || fork->port[p].edge == IR_NONE) continue;
        const struct ir_edge *e = &ir->edge[fork->port[p].edge];
        text_addf(out, "%s %d=%s", before, fork->port[p].index, ir_port_text(ir, e->dst_kernel, e->dst_port));
        before = ",";
    }
    text_add(out, "\n");
}

void emit_describe_kernel(const struct ir *ir, int kernel, struct text *out) {
    text_addf(out, "\n    // %s: ", ir->kernel[kernel].name);
    add_work(ir, kernel, out);
    add_undivided(ir, kernel, out);
    if (kernel_is(&ir->kernel[kernel], KERNEL_FORK)) add_readers(ir, &ir->kernel[kernel], out);
}

// ---- the head of the file ----

// Returns the kernel that computes a node: the node's kernel or its engine. A node without either, such as a
// dequantize, is computed in an engine's lanes, so it belongs to the kernel of its operand.
static int kernel_of_node(const struct ir *ir, int node) {
    for (int hops = 0; hops < ir->nodes; hops++) {
        for (int k = 0; k < ir->kernels; k++)
            if (ir->kernel[k].node == node) return k;
        int engine = ir_engine_of(ir, node);
        if (engine != IR_NONE) return ir->engine[engine].kernel;
        node = ir->node[node].inputs ? ir->tensor[ir->node[node].in[0]].producer : IR_NONE;
        if (node == IR_NONE) return IR_NONE;
    }
    return IR_NONE;
}

// Returns a text that says how often a region runs.
static const char *times_of(const struct emit_plan *p, int region) {
    const struct ir_region *r = &p->ir->region[region];
    const char *times = r->repeat > 1 ? arena_printf(p->ir->arena, "%lld times", (long long)r->repeat) : "once";
    return arena_printf(p->ir->arena, "runs %s in %s%s", times,
                        r->when != IR_LAST        ? "each step"
                        : p->ir->design.slots > 0 ? "each step that ends a prompt or generates a token"
                                                  : "the last step of a prompt and in each later step",
                        ir_takes_last(p->ir, region) ? ", for one token" : "");
}

const char *emit_what(const struct emit_plan *p, int m) {
    if (m == EMIT_TOP)
        return p->ir->design.is_lm ? "Top module: runs a host's requests (prompt in, generated tokens out) on a "
                                     "language model."
                                   : "Top module: runs a host's requests (rows in, rows out) on a graph of operations.";
    int region = p->module[m].region;
    if (m == p->control)
        return "Control: the host's registers, the steps of a request, loading of parameters, counters.";
    if (region == IR_NONE)
        return p->ir->engines > 1 ? "Kernels that several regions share: matrix engines, their walkers, and their "
                                    "operand and result streams."
               : p->ir->engines ? "Kernels that several regions share: the matrix engine, its walker, and its operand "
                                  "and result streams."
                                : "Kernels that several regions share.";
    return arena_printf(p->ir->arena, "Region `%s`: %s.", p->ir->region[region].name, times_of(p, region));
}

// Returns the name of a kernel's instance for the list of a region's operations.
static const char *instance_of(const struct emit_plan *p, int kernel) {
    if (kernel == IR_NONE) return "-";
    const struct ir_kernel *k = &p->ir->kernel[kernel];
    if (k->node == IR_NONE || p->home[kernel] == p->shared) return emit_kernel_path(p, kernel);
    return arena_printf(p->ir->arena, "u_%s", k->name);
}

// Returns the width of the column with the names of the kernels that are listed.
static int columns_of(const struct ir *ir, const int kernel[], int count, bool all) {
    size_t columns = 22;
    for (int i = 0; i < count; i++) {
        const struct ir_kernel *k = &ir->kernel[kernel[i]];
        size_t len = all || k->node == IR_NONE ? strlen(k->name) : 0;
        if (len > columns) columns = len;
    }
    return (int)columns;
}

// Lists the kernels of a module with what they do: all, or those that compute no operation.
static void add_kernels_of(const struct emit_plan *p, int m, bool all, const char *heading, struct text *out) {
    bool any = false;
    int count;
    const int *kernel = emit_kernel_order(p, m, &count);
    int columns = columns_of(p->ir, kernel, count, all);
    for (int i = 0; i < count; i++) {
        int k = kernel[i];
        if (!all && p->ir->kernel[k].node != IR_NONE) continue;
        if (!any) text_addf(out, "// %s\n", heading);
        any = true;
        text_addf(out, "//   u_%-*s ", columns, p->ir->kernel[k].name);
        add_work(p->ir, k, out);
    }
    for (int e = 0; m == p->shared && e < p->ir->engines; e++)
        if (!ir_is_resident(&p->ir->engine[e]))
            text_addf(out, "//   u_%-*s gives each descriptor of the walker to all channels, through registers\n",
                      columns, ir_engine_name(p->ir, e, "walk_tree"));
}

// ---- the text of the head ----

// Adds the row of an operation: its name, what it does, and the instance that computes it.
static void add_row(const struct emit_plan *p, int node, struct text *out) {
    const struct ir *ir = p->ir;
    int kernel = kernel_of_node(ir, node), weights, inverse;
    bool undivided = kernel != IR_NONE && is_undivided(ir, kernel, &weights, &inverse);
    text_addf(out, "//   %-24s %-20s %s%s\n", ir->node[node].name, ir_op_of(ir, ir->node[node].op)->name,
              instance_of(p, kernel), undivided ? ", without the division by the sum" : "");
}

// Lists the operations of a module's region with the instances that compute them, and the module's other kernels.
static void add_region(const struct emit_plan *p, int m, struct text *out) {
    const struct ir *ir = p->ir;
    const struct ir_region *r = &ir->region[p->module[m].region];
    text_add(out, "// Operations in order, what they do, and the instances that compute them:\n");
    for (int n = r->first_node; n < r->first_node + r->nodes; n++) add_row(p, n, out);
    add_kernels_of(p, m, false, "Other instances:", out);
}

// Returns whether a kernel of the module has a table with sections.
static bool has_sections(const struct emit_plan *p, int m) {
    for (int k = 0; k < p->ir->kernels; k++)
        for (int i = 0; p->home[k] == m && i < p->ir->kernel[k].params; i++)
            if (schedule_sections(&p->ir->kernel[k].param[i])) return true;
    return false;
}

const char *emit_walks_parts(const struct ir *ir) {
    return ir->design.slots > 0 ? ", and successive entries with a bit in ENTRY_PART once for each part of the step"
                                : "";
}

void emit_describe_module(const struct emit_plan *p, int m, struct text *out) {
    text_add(out, "//\n");
    if (p->module[m].region != IR_NONE) add_region(p, m, out);
    else add_kernels_of(p, m, true, "Instances:", out);
    text_add(out, "// Streams and transfers of this module:\n");
    emit_flows(p, m, out);
    text_add(
        out,
        "// The body has a section for each kernel, writers before readers: first a rill_link for each stream that "
        "the kernel reads, then the kernel. The comment at the top of rill_top.v explains terms and names, README.md "
        "the "
        "links and their DEPTH, and the first comment of an instance's module its parameters.\n");
    if (has_sections(p, m))
        text_addf(out,
                  "// Tables with sections. A schedule is a TABLE that an instance walks once for each step%s. "
                  "SECTION_LEN: entries of each section. SECTION_REPEAT: how often each section "
                  "runs in a step. SECTION_WHEN_HEAD: 1 if the section runs only in steps whose step word has "
                  "head = 1.\n",
                  emit_walks_parts(p->ir));
}

// Adds the row of the memory channels, which are instances of a library module.
static void add_channel_row(const struct emit_plan *p, struct text *out) {
    int channels = p->ir->design.channels;
    const char *last = channels > 1 ? arena_printf(p->ir->arena, " to u_channel_%02d", channels - 1) : "";
    text_addf(out, "//   u_channel_00%s: one memory channel each: DMA engines, arbiter of reads, AXI port\n", last);
}

const char *emit_counts(const struct emit_plan *p, int m) {
    int operations = 0, others = 0, streams = 0;
    for (int n = 0; n < p->ir->nodes; n++) {
        int kernel = kernel_of_node(p->ir, n);
        operations += kernel != IR_NONE && p->home[kernel] == m;
    }
    for (int k = 0; k < p->ir->kernels; k++)
        others += p->home[k] == m && p->ir->kernel[k].node == IR_NONE && engine_of_kernel(p->ir, k) == IR_NONE;
    for (int e = 0; m == p->shared && e < p->ir->engines; e++)
        others += !ir_is_resident(&p->ir->engine[e]); // a tree of registers for the descriptors of each walker
    for (int e = 0; e < p->ir->edges; e++) streams += emit_link_home(p, e) == m;
    return arena_printf(p->ir->arena, "%d operation%s, %d other kernel%s, reads %d stream%s", operations,
                        operations == 1 ? "" : "s", others, others == 1 ? "" : "s", streams, streams == 1 ? "" : "s");
}

// Adds the row of a module to the list of modules.
static void add_module_row(const struct emit_plan *p, int m, struct text *out) {
    const struct emit_module *module = &p->module[m];
    text_addf(out, "//   u_%s: %s\n", module->name,
              m == p->control             ? "registers, steps of a request, loading of parameters"
              : module->region != IR_NONE ? times_of(p, module->region)
              : p->ir->engines > 1        ? "matrix engines and other kernels of several regions"
              : p->ir->engines            ? "the matrix engine and other kernels of several regions"
                                          : "kernels of several regions");
}

// Says what a language model with slots does.
static const char *does_slots(const struct ir *ir) {
    return arena_printf(
        ir->arena,
        "A host writes the image (weights, tables, parameters) to memory, and a prompt for each request. It starts "
        "requests through the registers. Up to %d requests run at the same time, each in a slot. The design runs the "
        "model once per step, on tokens of several requests: on pieces of prompts and, for each request that "
        "generates, "
        "on its latest token%s. It writes the ids that a request generates to the ring of the request, an array in "
        "memory, and raises the interrupt when a request has ended.",
        ir->design.slots,
        ir->design.drafts ? " and on drafts of the tokens after it (guesses, which the step checks)" : "");
}

const char *emit_does(const struct ir *ir) {
    if (ir->design.slots) return does_slots(ir);
    if (!ir->design.is_lm)
        return "A host writes the image (weights, tables, parameters) and the input rows to memory, and starts a "
               "request through the registers. The design reads some rows in each step, computes the graph, and "
               "writes the output rows to memory. After the last rows it raises the interrupt.";
    return arena_printf(
        ir->arena,
        "A host writes the image (weights, tables, parameters) and a prompt to memory, and starts a "
        "request through the registers. The design runs the model once per step, first on the tokens of the prompt, "
        "then on the latest generated token%s. It writes the generated ids to the ring, an array in memory, and "
        "raises the interrupt.",
        ir->design.drafts ? " and on drafts of the tokens after it (guesses, which the step checks)" : "");
}

// Says what the design does and how to read the file.
static void add_reading(const struct emit_plan *p, struct text *out) {
    int engines = p->ir->engines;
    text_addf(out,
              "// What it does. %s README.md describes the model, the files and the use in Vivado.\n"
              "// The top connects the regions of the graph, %sthe control and the memory channels.\n",
              emit_does(p->ir),
              engines > 1 ? "the matrix engines, "
              : engines   ? "the matrix engine, "
                          : "");
    text_addf(out,
              "// To read this file:\n"
              "//   1. This comment up to \"Reference\".\n"
              "//   2. The ports (from line " EMIT_LINE_PORTS
              ", with the rules of the AXI4 masters at memory channel 0).\n"
              "//   3. The constants, the nets between modules, resets and faults (lines " EMIT_LINE_CONSTANTS
              " to " EMIT_LINE_MODULES ").\n"
              "//   4. Memory channel 0 (from line " EMIT_LINE_CHANNEL ").%s\n"
              "//   The rest is repetition: each port of a module is connected to the net of its own name, except "
              "core_rst and fault.\n",
              p->ir->design.channels > 1 ? " The comment of each later one says how it differs." : "");
}

// Explains the start of a request: the image, and the vector parameters.
static void add_start(const struct ir *ir, struct text *out) {
    bool weights = false;
    for (int e = 0; e < ir->engines; e++) weights = weights || ir_is_resident(&ir->engine[e]);
    text_add(out,
             "//   Start: the host starts the token loop, which is in u_control. The token loop pulses load_start, and "
             "u_control reads the header of the image.");
    if (kernel_first(ir, KERNEL_STORE) != IR_NONE)
        text_addf(out,
                  " Then it loads the vector parameters, such as the gains and biases of norms,%s on chip. If they are "
                  "there already, from the same image, image_keep pulses instead, and the stores keep what they hold.",
                  weights ? " and the weights of engines that keep them on chip," : "");
    text_add(out, "\n");
}

// Explains the steps of a graph that is not a language model. caches: the end of the list of the data that is written.
static void add_steps_of_rows(const char *caches, struct text *out) {
    text_addf(
        out,
        "//   Steps: the token loop sends a step word for each step. The input rows of the step are read from memory, "
        "and its output rows are written to memory. After the last step, the token loop waits until all output "
        "rows%s are in memory.\n",
        caches);
}

// Explains the steps of a language model.
static void add_steps(const struct ir_design *d, const char *caches, struct text *out) {
    text_addf(
        out,
        "//   Steps: the token loop reads the prompt%s. For each step, it sends the step word%s, then the ids of the "
        "step's tokens. The next %s back after the last step of %s prompt and after each later step. The token "
        "loop writes %s to the ring%s, and %s token of the next step%s. After the last step, it waits "
        "until all generated ids%s are in memory.\n",
        d->slots ? " of each request" : "", d->slots ? " of each part" : "",
        d->drafts ? "ids (one or several) come" : "id comes", d->slots ? "a" : "the",
        d->drafts ? "those that it accepts" : "it", d->slots ? " of the request" : "",
        d->drafts  ? "the last of them is the first"
        : d->slots ? "the id is the only"
                   : "it is the only",
        d->slots ? " of this request" : "", caches);
}

// Says what the course of a request is, and where step words go.
static void add_step_words(const struct ir *ir, struct text *out) {
    bool slots = ir->design.slots > 0;
    text_addf(out,
              "// Course of a %s (%s.v). It has steps. A step word (position, number of %ss; fields: \"Reference\") "
              "goes from u_control to every instance that needs it%s.\n",
              slots ? "run" : "request", ir->kernel[kernel_first(ir, KERNEL_LOOP)].module,
              ir->design.is_lm ? "token" : "row", slots ? ", one for each part of the step" : "");
}

// Explains in which order the engine reads keys and values that the design writes. unit: the words before the names of
// nets in a design with several caches.
static void add_cache(const struct ir *ir, struct text *out) {
    int caches = 0;
    for (int n = 0; n < ir->nets; n++) caches += ir->net[n].role == IR_NET_K_LAYERS_DONE;
    const char *unit = caches > 1 ? "<cache>_" : "";
    if (kernel_first(ir, KERNEL_KEYS) == IR_NONE) return;
    text_addf(out,
              "//   Cache: the walker requests the keys or values of a layer when everything that earlier steps write "
              "to this layer is in memory. %sk_layers_written and %sv_layers_written tell it. The "
              "engine gets the keys of the step itself from a stream, and values that are not in memory from the open "
              "block (%stail_*). %sk_layer_done and %sv_layer_done are pulses that come earlier: the channels have "
              "accepted the writes.\n",
              unit, unit, unit, unit, unit);
}

// Explains how a request runs, from the host's start to the reset at its end.
static void add_course(const struct ir *ir, struct text *out) {
    const struct ir_design *d = &ir->design;
    const char *caches = kernel_first(ir, KERNEL_KEYS) == IR_NONE ? "" : ", keys and full blocks of values";
    const char *idle = ir->engines > 1 ? "channels and walkers are idle (channel_idle and the nets *_walker_idle)"
                       : ir->engines   ? "channels and the walker are idle (channel_idle, walker_idle)"
                                       : "channels are idle (channel_idle)";
    add_step_words(ir, out);
    add_start(ir, out);
    if (d->is_lm) add_steps(d, caches, out);
    else add_steps_of_rows(caches, out);
    add_cache(ir, out);
    text_addf(out,
              "//   End%s: the token loop raises flush, so the DMA engines take no new transfers. It waits until all "
              "%s, then "
              "raises soft_rst, which resets everything that belongs to the %s. flush falls last. %s "
              "leads straight to flush%s.\n",
              d->slots ? ", when no slot has a request" : "", idle, d->slots ? "run" : "request",
              d->slots ? "A fault of a kernel, the memory or the image, or a kill," : "A fault or a kill in a request",
              d->slots ? ", for all requests. A bad argument or a bad id of a prompt ends only its own request" : "");
}

// Explains a step, and what it consists of.
static void add_step_terms(const struct ir_design *d, struct text *out) {
    const char *what = d->is_lm ? "token" : "row";
    text_add(out, "//   step: one pass through the graph. It processes ");
    if (d->tokens > 1) text_addf(out, "up to %d %ss", d->tokens, what);
    else text_addf(out, "one %s", what);
    if (d->slots) text_add(out, " of one or several requests");
    else if (d->is_lm && d->tokens > 1)
        text_add(out, d->drafts ? " of the prompt, or one generated token and the drafts after it"
                                : " of the prompt, or one generated token");
    text_add(out, ".\n");
    if (d->slots)
        text_addf(
            out,
            "//   slot: a request runs in a slot. The design has %d slots.\n"
            "//   run: the time from a start by the host until no slot has a request.\n"
            "//   part: the tokens of one request in a step: some of its prompt, or its latest generated token%s. "
            "A step has a part for each request, as far as it has room.\n",
            d->slots, d->drafts ? " and the drafts after it" : "");
    if (d->drafts)
        text_add(out, "//   draft: a guess of a token of the request. The step computes what follows it, and keeps the "
                      "drafts that were right.\n");
    text_addf(out, "//   step word: tells kernels the position and the number of %ss of a %s.\n", what,
              d->slots ? "part" : "step");
}

// Explains the terms of the matrix engine and, in a design with a KV cache, of values.
static void add_engine_terms(const struct ir *ir, struct text *out) {
    bool cache = kernel_first(ir, KERNEL_KEYS) != IR_NONE;
    text_addf(
        out,
        "//   lane: a part of the matrix engine. An engine that reads memory has one lane for each of its "
        "channels, and the client `lane` of a channel reads for this lane. (LANES is something else: the elements "
        "that a vector kernel takes in a cycle.)\n"
        "//   walker: requests the weights%s of an engine ahead of use.\n"
        "//   row-step: one row in each lane at the same time. A row is %s.\n",
        cache ? ", keys and values" : "",
        cache ? "a row of weights, the key of a position, or the values of all positions for one element of a head"
              : "a row of weights");
    if (cache)
        text_addf(out,
                  "//   open block: the newest 64 positions of values%s (tail_* and v_tail_* in names). It stays on "
                  "chip, and is written to memory when it is full.\n",
                  ir->design.slots ? " of a slot" : "");
}

// Explains the terms of the comments.
static void add_terms(const struct emit_plan *p, struct text *out) {
    const struct ir_design *d = &p->ir->design;
    text_add(out, "// Terms:\n");
    add_step_terms(d, out);
    text_addf(
        out,
        "//   region: a part of the graph that runs as a whole, once or several times in a step.\n"
        "//   kernel: an instance that computes an operation, steers or converts words, or is part of the control. "
        "A rill_link is not a kernel.\n"
        "//   firing: one run of a kernel over its operands, for all %ss of the step.\n",
        d->is_lm ? "token" : "row");
    if (p->ir->engines) add_engine_terms(p->ir, out);
    text_addf(out, "//   client of a memory channel: a port of a kernel%s that reads or writes memory through it.\n",
              p->ir->engines ? ", or a lane," : "");
    if (d->is_lm)
        text_addf(out,
                  "//   ring: an array in memory for generated ids%s. It is written in order and does not wrap "
                  "around.\n",
                  d->slots ? ", one for each request" : "");
    text_add(
        out,
        "//   kernel fault: a kernel meets a NaN, an infinity, an overflow, or the number of a table row that does "
        "not exist.\n");
}

// Explains the elements of streams.
static void add_elements(struct text *out) {
    text_add(
        out,
        "// Elements of streams:\n"
        "//   fp32: IEEE 754 single precision\n"
        "//   mx: integer mantissas that share an exponent, {exponent - EXP_MIN, mantissas}; EXP_MIN is a parameter of "
        "the quantizer. A firing has an even number of words for each token; if the data have an odd number, a word of "
        "zeros follows.\n"
        "//   kv: int8 keys or values with an fp32 scale, {scale, values}\n"
        "//   scalar: one fp32 for each token and firing\n"
        "//   id: a token's number in the vocabulary\n"
        "// Names of tensors, unless the spec gives others:\n"
        "//   NAME_mx: the quantized operand of the product NAME, which later products may also use. Only NAME_p_mx, "
        "of "
        "an attention NAME, is NAME_p itself quantized. The comment of a stream of mx says which tensor was "
        "quantized.\n"
        "//   NAME_q, NAME_p: the quantized q of the attention NAME, and the result of its softmax\n"
        "//   NAME_acc: the product NAME before it is dequantized\n");
}

// Explains the names of streams.
static void add_streams(const struct ir *ir, struct text *out) {
    text_addf(
        out,
        "// Streams have the nets of AXI4-Stream (docs/rtl.md, \"Following a stream\"). tuser is {1 for the last token "
        "of the step, number of the token in the step}, tlast the end of a firing, tcount the number of valid "
        "elements. "
        "Names:\n"
        "//   from_<kernel>_<port>_*, to_<kernel>_<port>_*: the nets at the writer and at the reader. Between "
        "them, in the reader's module, is the link u_to_<kernel>_<port> with the FIFO%s. Names of kernels contain "
        "underscores: where a name is ambiguous, the stream's comment has it as kernel.port.\n"
        "//   <port> is left out if the port has no name in the kernel's module, or if the kernel's name already ends "
        "with it: next_id.id is from_next_id_*. The number of a port is followed by what the stream carries or, at a "
        "fork, by its reader, unless the name would be too long.\n"
        "//   <stream>_word, from module to module: {tcount, tlast, tuser, tdata} as one net; <stream>_tdata if there "
        "are no other fields\n"
        "//   A fork's outputs have only tvalid and tready. All its readers use the data at its input: to_<fork>_* in "
        "the fork's module, from_<fork>_* in other modules.\n"
        "//   A comment on a line by itself belongs to the declaration below it.\n",
        emit_way_stages(ir) ? " and the registers on the way to another die" : "");
}

// Explains transfers of memory, and lists the clients whose base is not the channel's part of the image.
static void add_memory(const struct ir *ir, struct text *out) {
    bool any = false;
    text_add(out, "// Memory. A transfer has a descriptor (<name>_desc), {beats[15:0], byte offset[39:0]}, and beats "
                  "(<name>_beat). The offset counts from ");
    for (int c = 0; c < ir->clients; c++) {
        if (ir->client[c].base == IR_NONE) continue;
        text_addf(out, "%s for %s, ", ir->net[ir->client[c].base].name, ir->client[c].name);
        any = true;
    }
    text_addf(out, "the channel's slice of channel_base%s.\n", any ? " for every other client" : "");
}

// Explains the clock and the resets.
static void add_clock(const struct emit_plan *p, struct text *out) {
    bool way = emit_way_stages(p->ir) > 0;
    const char *die = way ? "<die>_" : "";
    if (ir_second_clock(p->ir))
        text_add(out, "// Clocks. clk_2x has twice the rate of clk and is in phase with it, so paths between them are "
                      "synchronous. Only matrix engines use clk_2x. All other ports are synchronous to clk.");
    else
        text_add(out, "// Clock. clk is the only clock. All ports are synchronous to it, and nothing crosses clock "
                      "domains.");
    text_addf(
        out,
        "\n// Resets are synchronous and active-high. Hold rst for at least 16 cycles (README.md says when to kill a "
        "request first). rst resets what outlives a request: the host's registers, the token loop, the counters, "
        "the arbiters of the channels. core_rst_%s<module> and core_rst_%schannel_<number> reset everything else, "
        "%s%d cycles after rst | soft_rst. A module has one bit for each instance u_<name>%s, called rst_<name> in "
        "the module, and a channel has one for each DMA engine. The token loop raises soft_rst for 12 cycles.\n",
        die, die, way ? "up to " : "", kernel_reset_way(&p->ir->kernel[kernel_first(p->ir, KERNEL_LOOP)]),
        way ? " on the die, and one for each part of a link between dies there" : "");
}

// Returns the names of the regions that do not run in every step, or NULL if all do.
static const char *last_regions(const struct ir *ir) {
    const char *names = NULL;
    for (int r = ir->regions - 1, count = 0; r >= 0; r--) {
        if (ir->region[r].when != IR_LAST) continue;
        names = !names ? ir->region[r].name
                       : arena_printf(ir->arena, "%s%s%s", ir->region[r].name, count > 1 ? ", " : " and ", names);
        count++;
    }
    return names ? arena_printf(ir->arena, "%s %s", strchr(names, ' ') ? "regions" : "region", names) : NULL;
}

static void add_step_field(enum field f, const char *name, const char *doc, struct text *out) {
    int first = field_first(f), bits = field_width(f);
    if (bits > 1) text_addf(out, "//   %s[%d:%d]: %s\n", name, first + bits - 1, first, doc);
    else text_addf(out, "//   %s[%d]: %s\n", name, first, doc);
}

// Lists the fields of the words that the kernels of attention get in a design with slots.
static void add_part_words(struct text *out) {
    text_add(out, "// Fields of the words of a part and layer, which rill_part_steps makes for the kernels of "
                  "attention:\n");
    add_step_field(PART_POS, "pos", "position of the part's first token", out);
    add_step_field(PART_NTOK, "ntok", "number of tokens of the part", out);
    add_step_field(PART_MORE, "more", "1 if another part of the same step and layer follows", out);
    add_step_field(PART_PLACE, "place", "slot * layers + layer", out);
    add_step_field(PART_KROWS, "krows", "as in the step word", out);
    add_step_field(PART_VBLOCKS, "vblocks", "as in the step word", out);
}

// Lists the fields of the step word that kernels of this design use (include/fields.def).
static void add_step_word(const struct ir *ir, struct text *out) {
    const char *last = last_regions(ir), *what = ir->design.is_lm ? "token" : "row";
    text_addf(out, "// Fields of the step word (%d bits) that this design uses:\n", STEP_BITS);
    const char *of = ir->design.slots ? " of the part" : "";
    add_step_field(STEP_POS, "pos", arena_printf(ir->arena, "position of the first %s%s", what, of), out);
    add_step_field(STEP_NTOK, "ntok", arena_printf(ir->arena, "number of %ss%s", what, of), out);
    if (last)
        add_step_field(STEP_HEAD, "head",
                       arena_printf(ir->arena, "1 if the step runs %s, as %s do", last,
                                    ir->design.slots ? "steps that end a prompt or generate a token"
                                                     : "the last step of a prompt and each later step"),
                       out);
    add_step_field(STEP_FINAL, "final",
                   arena_printf(ir->arena, "1 in the last %s that the arguments of the request and the context allow",
                                ir->design.slots ? "part" : "step"),
                   out);
    if (ir->design.slots) {
        add_step_field(STEP_SLOT, "slot", "slot of the part. A step has one word for each of its parts", out);
        add_step_field(STEP_MORE, "more", "1 if another part of the same step follows", out);
        add_step_field(STEP_TOK, "tok", "number of the part's first token in the step", out);
    }
    if (kernel_first(ir, KERNEL_KEYS) == IR_NONE) return;
    add_step_field(
        STEP_KROWS, "krows",
        arena_printf(ir->arena, "row-steps of keys to read from memory: ceil(pos / %d)", ir_key_channels(ir)), out);
    add_step_field(STEP_VBLOCKS, "vblocks", "full blocks of 64 positions of values in memory: floor(pos / 64)", out);
    if (ir->design.slots) add_part_words(out);
}

// Adds the part of the comment that is for reference.
static void add_reference(const struct emit_plan *p, struct text *out) {
    text_add(out, "//\n// Reference: the rest of this comment is to look up names and types of nets.\n");
    add_step_word(p->ir, out);
    add_streams(p->ir, out);
    add_elements(out);
    text_add(
        out,
        "// Widths are expressions of the constants of each module (at its top): tdata of LANES elements of fp32 has "
        "LANES*FP32_W bits, element 0 in the low ones. The ports of rill_top have numeric widths (docs/rtl.md, "
        "\"Constants\").\n"
        "// Library modules (rill_*.v) call a word of fp32 a chunk, a word of mx or kv a unit, the exponent in a word "
        "of mx the shift, and the number of a token in the step tok. K and V are keys and values.\n"
        "// README.md explains the links with their DEPTH and the fields of tables, and lists what library modules can "
        "do but this design does not use. Pages docs/*.md are part of Rill.\n");
}

void emit_describe_top(const struct emit_plan *p, struct text *out) {
    text_add(out, "//\n");
    add_reading(p, out);
    add_terms(p, out);
    text_add(out, "// Block diagram, with all data that the modules exchange. A name in parentheses, or alone after "
                  "\"memory:\", is a net or a client of a memory channel. All other names are streams.\n");
    emit_picture(p, "//   ", out);
    text_add(out, "// Structure: the instances of the top.\n");
    for (int m = 0; m < p->modules; m++) add_module_row(p, m, out);
    add_channel_row(p, out);
    add_memory(p->ir, out);
    add_course(p->ir, out);
    add_clock(p, out);
    add_reference(p, out);
}
