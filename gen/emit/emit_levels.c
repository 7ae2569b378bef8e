// SPDX-License-Identifier: Apache-2.0
// Emits the signals that go to all instances or come from all of them: the reset of everything that belongs to a
// request, the flush of the DMA engines, and the kernels' faults. In a design on several dies, resets and faults pass
// through register stages (rill_hop) between the token loop and every die, so that each crossing has a register on both
// sides. The number of stages is the same for all dies, including the token loop's, so all dies leave reset in the same
// cycle. A fault's bit number does not depend on its die.
#include <ctype.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

int emit_home(const struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP);
    return loop == IR_NONE ? 0 : ir->kernel[loop].die;
}

int emit_way_stages(const struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP);
    return loop == IR_NONE ? 0 : kernel_reset_way(&ir->kernel[loop]) - IR_RESET_LEAST;
}

const char *emit_of_die(const struct ir *ir, const char *net, int die) {
    return emit_way_stages(ir) ? arena_printf(ir->arena, "%s_%d", net, die) : net;
}

// Returns the index of a die's reset in the arrays of resets. A design on one die has only index 0.
static int reset_place(const struct ir *ir, int die) { return emit_way_stages(ir) ? die : 0; }

// Returns the next copy of a die's reset that the module's body has not used yet.
static const char *take_reset(struct emit_scope *s, int die) {
    const struct ir *ir = s->plan->ir;
    int at = reset_place(ir, die), all = s->plan->module[s->module].resets[at];
    return arena_printf(ir->arena, "%s%s", emit_of_die(ir, "core_rst", die), emit_bit(ir, all, s->resets[at]++));
}

const char *emit_reset(struct emit_scope *s, const char *instance, const int die[], int dies) {
    const struct ir *ir = s->plan->ir;
    const char *copies = take_reset(s, die[0]), *name = arena_printf(ir->arena, "rst_%s", instance);
    for (int d = 1; d < dies; d++) copies = arena_printf(ir->arena, "%s, %s", take_reset(s, die[d]), copies);
    text_addf(s->out, "    wire %s%s = %s%s%s;\n", emit_range(ir, dies), name, emit_open(dies), copies,
              emit_close(dies));
    return name;
}

const char *emit_module_reset(const struct emit_plan *p, int module, int die) {
    return arena_printf(p->ir->arena, "%s_%s", emit_of_die(p->ir, "core_rst", die), p->module[module].name);
}

const char *emit_channel_level(const struct ir *ir, const char *level, int channel) {
    return arena_printf(ir->arena, "%s_channel_%02d", level, channel);
}

// The control module has kernels in every design, so its first reset bit always exists.
const char *emit_first_reset(const struct emit_plan *p) {
    int home = emit_home(p->ir);
    return arena_printf(p->ir->arena, "%s%s", emit_module_reset(p, p->control, home),
                        emit_bit(p->ir, p->module[p->control].resets[reset_place(p->ir, home)], 0));
}

const char *emit_on_die(const struct ir *ir, int die) {
    return emit_way_stages(ir) ? arena_printf(ir->arena, ", on %s", ir->die[die].name) : "";
}

bool emit_has_faults(const struct ir *ir, int die) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].has_fault && ir->kernel[k].die == die) return true;
    return false;
}

// ---- levels ----

static const char channel_engines[] = "CHANNEL_ENGINES";

// The copies of a level (emit.h): a net for each module and each memory channel, the first one in the low bits.
struct copies {
    const struct ir *ir;
    VEC(const char *) net;
    VEC(const char *) count; // constants that add up to the number of copies
    struct text nets;        // declarations of the nets
};

// Returns the name of the constant with the number of copies: RESETS_0_LAYER for core_rst_0_layer.
static const char *count_name(const struct ir *ir, const char *net) {
    const char *rest = net + strlen("core_rst");
    char *name = arena_strdup(ir->arena, rest);
    for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
    return arena_printf(ir->arena, "RESETS%s", name);
}

// Declares the number of copies of a module in `out`, and their net in c->nets.
static void take_module(struct copies *c, const char *net, int copies, struct text *out) {
    if (!copies) return;
    const char *count = count_name(c->ir, net);
    VEC_PUSH(c->ir->arena, c->net, net);
    VEC_PUSH(c->ir->arena, c->count, count);
    text_addf(out, "    localparam %s = %d;\n", count, copies);
    if (copies == 1) text_addf(&c->nets, "    wire %s;\n", net);
    else text_addf(&c->nets, "    wire [%s-1:0] %s;\n", count, net);
}

// Adds the nets of all channels to the copies of a level.
static void take_channels(struct copies *c, const char *level) {
    VEC_PUSH(c->ir->arena, c->count, channel_engines);
    for (int ch = 0, before = 0; ch < c->ir->design.channels; ch++) {
        const char *net = emit_channel_level(c->ir, level, ch);
        int engines = emit_channel_engines(c->ir, ch);
        if (!engines) continue;
        VEC_PUSH(c->ir->arena, c->net, net);
        if (engines == before) text_addf(&c->nets, ", %s", net);
        else text_addf(&c->nets, "%s    wire %s%s", before ? ";\n" : "", emit_range(c->ir, engines), net);
        before = engines;
    }
    text_add(&c->nets, ";\n");
}

// Declares the constant with the number of all channels' DMA engines. It is a sum over groups of consecutive channels
// with equally many.
static void add_channel_engines(const struct ir *ir, struct text *out) {
    text_addf(
        out,
        "\n    // DMA engines of all channels, added up from channel 0 on. A channel has a read engine for each read "
        "client, and one write engine if it has write clients. Each engine has a bit of core_rst_channel_* and "
        "of core_flush_channel_*.\n    localparam %s = ",
        channel_engines);
    const char *plus = "";
    for (int ch = 0, run; ch < ir->design.channels; ch += run) {
        int engines = emit_channel_engines(ir, ch);
        for (run = 1; ch + run < ir->design.channels && emit_channel_engines(ir, ch + run) == engines;) run++;
        if (!engines) continue;
        text_addf(out, "%s%s", plus, emit_times(ir, run, arena_printf(ir->arena, "%d", engines)));
        plus = "+";
    }
    text_add(out, ";\n");
}

// Adds the module with a register for each instance, all fed from one source, which is a register itself.
static void add_tree(const char *name, const char *source, const struct copies *c, struct text *out) {
    text_addf(out, "    %s #(.DATA_W(1), .COPIES(", rtl_register_copies.module);
    for (size_t i = 0; i < c->count.count; i++) text_addf(out, "%s%s", i ? " + " : "", c->count.items[i]);
    text_addf(out, ")) u_%s (\n        .clk(clk), .rst(1'b0), .d(%s),\n        .q(%s", name, source,
              emit_open((int)c->net.count));
    for (size_t i = c->net.count; i-- > 0;) text_addf(out, "%s%s", c->net.items[i], i ? ", " : "");
    text_addf(out, "%s));\n", emit_close((int)c->net.count));
}

// Adds the register <net>_q, which follows the source by a cycle.
static void add_source(const char *net, const char *source, struct text *out) {
    text_addf(out, "    reg %s_q;\n    always @(posedge clk) %s_q <= %s;\n", net, net, source);
}

// Adds the resets of the instances on one die.
static void add_reset(const struct emit_plan *p, int die, struct text *out) {
    const struct ir *ir = p->ir;
    struct copies copies = {.ir = ir};
    const char *net = emit_of_die(ir, "core_rst", die), *from = "core_rst_q";
    text_addf(out, "\n    // copies of the reset for each module%s\n", emit_on_die(ir, die));
    for (int m = 0; m < p->modules; m++)
        take_module(&copies, emit_module_reset(p, m, die), p->module[m].resets[die], out);
    if (die == emit_channel_die(ir) && p->flushes) take_channels(&copies, net);
    text_add(out, text_cstr(&copies.nets));
    text_free(&copies.nets);
    if (emit_way_stages(ir)) {
        from = arena_printf(ir->arena, "%s_arrived", net);
        text_addf(out,
                  "    wire %s;\n    %s #(.DATA_W(1), .STAGES(%d)) u_core_rst_way_%d (\n        .clk(clk), "
                  ".rst(1'b0), .d(core_rst_q), .q(%s));\n",
                  from, rtl_hop.module, emit_way_stages(ir), die, from);
    }
    add_tree(net, from, &copies, out);
}

static void add_flush(const struct emit_plan *p, struct text *out) {
    struct copies copies = {.ir = p->ir};
    text_addf(out,
              "\n    // ---- flush: the DMA engines send no new bursts ----\n"
              "    // The token loop raises flush at the end of a %s and lowers it after the soft reset.\n"
              "    // The registers below need no reset (their rst is 0), because flush is 0 while the token loop is "
              "in reset.\n",
              p->ir->design.slots ? "run of requests" : "request");
    add_source("core_flush", "flush", out);
    take_channels(&copies, "core_flush");
    text_add(out, text_cstr(&copies.nets));
    text_free(&copies.nets);
    add_tree("core_flush", "core_flush_q", &copies, out);
}

void emit_levels(const struct emit_plan *p, struct text *out) {
    text_add(
        out,
        "\n    // ---- reset of everything that belongs to one request, with a register for each instance ----\n"
        "    // rst itself resets what outlives a request. The registers of this section carry resets, so they have no "
        "reset themselves: their rst is 0.\n");
    if (emit_way_stages(p->ir))
        text_addf(
            out,
            "    // The reset reaches every die through %d stages, including the die of the token loop, so that all "
            "dies leave reset in the same cycle.\n",
            emit_way_stages(p->ir));
    add_source("core_rst", "rst | soft_rst", out);
    if (p->flushes) add_channel_engines(p->ir, out);
    for (int d = 0; d < IR_MAX_DIES; d++)
        if (p->resets[d]) add_reset(p, d, out);
    if (p->flushes) add_flush(p, out);
}

// ---- faults ----

// Returns the number of kernels that can raise a fault on a die or, if `die` is IR_NONE, on all dies.
static int faults_of(const struct ir *ir, int die) {
    int faults = 0;
    for (int k = 0; k < ir->kernels; k++)
        faults += ir->kernel[k].has_fault && (die == IR_NONE || ir->kernel[k].die == die);
    return faults;
}

// A run of faults that are adjacent in their module's vector and in the token loop's `kernel_fault`.
struct run {
    int module, first, count; // first: index of the run's first fault in the vector of `module`; count: faults
    int place;                // bit number of the first fault in `kernel_fault`
};

// Finds the run that ends with the fault of kernel *kernel. Sets *kernel to a kernel below which the search for the
// next run goes on. die: all kernels of the run must be on this die; IR_NONE: they may be on several dies. whole: the
// run is a slice of a net with all faults, so it may span modules.
static struct run run_of(const struct emit_plan *p, int *kernel, int die, bool whole) {
    const struct ir *ir = p->ir;
    struct run run = {.module = p->home[*kernel]};
    for (int k = 0; k < *kernel; k++) {
        run.place += ir->kernel[k].has_fault;
        run.first += ir->kernel[k].has_fault && p->home[k] == run.module;
    }
    run.count = 1;
    for (int k = *kernel - 1; k >= 0; k--) {
        if (!ir->kernel[k].has_fault) continue;
        *kernel = k + 1;
        if ((p->home[k] != run.module && !whole) || (die != IR_NONE && ir->kernel[k].die != die)) return run;
        run.first--, run.place--, run.count++;
    }
    *kernel = 0;
    return run;
}

// Lists a die's faults in order of their bit numbers, as slices of the net `net` with all faults, or of the modules'
// vectors if `net` is NULL. die IR_NONE: the faults of all dies.
static void add_list(const struct emit_plan *p, int die, const char *net, struct text *out) {
    const struct ir *ir = p->ir;
    struct text list = {0};
    int runs = 0;
    for (int k = ir->kernels - 1; k >= 0; k--) {
        if (!ir->kernel[k].has_fault || (die != IR_NONE && ir->kernel[k].die != die)) continue;
        struct run run = run_of(p, &k, die, net != NULL);
        const struct emit_module *m = &p->module[run.module];
        const char *faults = arena_printf(ir->arena, "faults_of_%s", m->name);
        text_addf(&list, "%s%s", runs++ ? ", " : "",
                  net ? emit_slice(ir, net, faults_of(ir, IR_NONE), run.place, run.count)
                      : emit_slice(ir, faults, m->faults, run.first, run.count));
    }
    text_addf(out, "%s%s%s", emit_open(runs), text_cstr(&list), emit_close(runs));
    text_free(&list);
}

// Adds the register stages of a die's faults on their way to the token loop.
static void add_fault_way(const struct emit_plan *p, int die, struct text *out) {
    text_addf(out, "    %s #(.DATA_W(%d), .STAGES(%d)) u_fault_way_%d (\n        .clk(clk), .rst(1'b0),\n        .d(",
              rtl_hop.module, faults_of(p->ir, die), emit_way_stages(p->ir), die);
    add_list(p, die, "fault_at", out);
    text_add(out, "),\n        .q(");
    add_list(p, die, "kernel_fault", out);
    text_add(out, "));\n");
}

// Lists the kernel of each bit.
void emit_describe_faults(const struct emit_plan *p, int module, const char *indent, struct text *out) {
    const struct ir *ir = p->ir;
    int bit = 0;
    text_addf(out, "%s// %s:", indent, module == EMIT_TOP ? "Bits" : "kernel faults, by bit");
    for (int k = 0; k < ir->kernels; k++) {
        if (!ir->kernel[k].has_fault || (module != EMIT_TOP && p->home[k] != module)) continue;
        text_addf(out, "%s %d=%s", bit ? "," : "", bit,
                  module == EMIT_TOP ? emit_kernel_path(p, k) : ir->kernel[k].name);
        bit++;
    }
    text_add(out, "\n");
}

void emit_faults(const struct emit_plan *p, struct text *out) {
    const struct ir *ir = p->ir;
    text_add(out, "\n    // ---- kernel faults: they end a request with fault code 5; fault_place is the lowest bit "
                  "that was 1 ----\n");
    if (faults_of(ir, IR_NONE)) emit_describe_faults(p, EMIT_TOP, "    ", out);
    if (!faults_of(ir, IR_NONE)) return text_add(out, "    assign kernel_fault = 1'b0;\n");
    bool far = emit_way_stages(ir) > 0;
    if (far) text_addf(out, "    wire %sfault_at = ", emit_range_of(ir, "FAULTS", faults_of(ir, IR_NONE)));
    else text_add(out, "    assign kernel_fault = ");
    add_list(p, IR_NONE, NULL, out);
    text_add(out, ";\n");
    if (far)
        text_addf(
            out,
            "    // kernel_fault is fault_at %d cycles later: the bits of each die pass through the stages of the "
            "die's u_fault_way.\n",
            emit_way_stages(ir));
    for (int d = 0; d < ir->dies && far; d++)
        if (emit_has_faults(ir, d)) add_fault_way(p, d, out);
}
