// SPDX-License-Identifier: Apache-2.0
// Writes README.md, which explains a design's folder to a reader who has only this folder: what the design does, which
// model it runs, what each file is, in which order to read the Verilog, and what the fields of its tables mean.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/ir/ops.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "include/version.h"

// ---- the model ----

// Lists the formats of weights that products of the design have.
static void add_formats(const struct ir *ir, struct text *out) {
    bool seen[SPEC_FORMATS] = {false};
    int count = 0;
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_BY_WEIGHTS))
            seen[ir_attr_choice(&ir->node[n].attrs, "weights", (int)ir->design.weights)] = true;
    for (int f = 0; f < SPEC_FORMATS; f++)
        if (seen[f]) text_addf(out, "%s%s", count++ ? " and " : " Products have ", spec_format_name(f));
    if (count)
        text_addf(out, " weights and operands with %s mantissas.", spec_activations_name((int)ir->design.activations));
}

// Describes the attention of the first cache. Other attentions may have other sizes.
static void add_attention(const struct ir *ir, struct text *out) {
    int scores = kv_unit_scores(ir, 0);
    if (scores == IR_NONE) return;
    struct kv_cache cache = kv_cache_of(ir, scores);
    int64_t heads = ir->tensor[ir->node[scores].out[0]].shape[0].bound;
    text_addf(out, " Its attention has %lld query heads", (long long)heads);
    if (cache.heads != heads) text_addf(out, " and %lld heads of keys and values", (long long)cache.heads);
    text_addf(out, ", each of %lld elements. Keys and values are int8.", (long long)cache.head_dim);
}

// Lists the tensors that a graph reads or writes, with their shapes.
static void add_tensors(const struct ir *ir, const char *what, const int tensor[], int count, struct text *out) {
    text_addf(out, " %s: ", what);
    for (int i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        emit_tensor(ir, tensor[i], out);
    }
    text_add(out, ".");
}

// Lists the regions, with the number of times that they run and the number of elements that a repetition hands on.
static void add_regions(const struct ir *ir, struct text *out) {
    text_addf(out, "%d operation%s in the region%s ", ir->nodes, ir->nodes == 1 ? "" : "s",
              ir->regions == 1 ? "" : "s");
    for (int r = 0; r < ir->regions; r++) {
        const struct ir_region *region = &ir->region[r];
        text_addf(out, "%s%s", !r ? "" : r + 1 < ir->regions ? ", " : " and ", region->name);
        if (region->repeat == 1) continue;
        text_addf(out, " (runs %lld times", (long long)region->repeat);
        if (region->carries == 1)
            text_addf(out, ", on %lld elements per %s",
                      (long long)ir_tensor_elements(&ir->tensor[region->carry[0].local]),
                      ir->design.is_lm ? "token" : "row");
        text_add(out, ")");
    }
    text_add(out, ".");
}

const char *emit_model(const struct ir *ir) {
    const struct ir_design *d = &ir->design;
    struct text text = {0};
    text_add(&text, d->is_lm ? "a language model" : "a graph that is not a language model");
    if (d->family) text_addf(&text, " of the family %s", d->family);
    text_add(&text, ": ");
    add_regions(ir, &text);
    add_attention(ir, &text);
    if (d->is_lm)
        text_addf(&text,
                  " The vocabulary has %lld ids. A request has at most %lld positions, prompt and generated tokens "
                  "together.",
                  (long long)ir_vocabulary(ir), (long long)d->context);
    else {
        add_tensors(ir, "Inputs", ir->input, ir->inputs, &text);
        add_tensors(ir, "Outputs", ir->output, ir->outputs, &text);
    }
    add_formats(ir, &text);
    const char *model = arena_printf(ir->arena, "%s", text_cstr(&text));
    text_free(&text);
    return model;
}

// ---- the parts of the page ----

static void add_start(const struct emit_plan *p, struct text *out) {
    const struct ir *ir = p->ir;
    const struct ir_design *d = &ir->design;
    text_addf(
        out,
        "<!-- " EMIT_README_MARK " %s (rill gen). Do not edit. -->\n\n# %s\n\n"
        "This folder is a hardware design: Verilog-2005 for an FPGA, and the files that belong to it. To write the "
        "files again:\n`rill gen design.yaml -o OTHER`.\n\n%s\n\n",
        RILL_VERSION, ir->name, emit_does(ir));
    text_addf(out, "- **Model.** This is %s\n", emit_model(ir));
    text_addf(out,
              "- **Board.** %s: %d memory channel%s of %d bits. The target clock is %g MHz%s; synthesis has to confirm "
              "it.\n",
              emit_board(ir), d->channels, d->channels > 1 ? "s" : "", d->beat_bits, d->clock_mhz,
              ir_second_clock(ir) ? ", and twice that for `clk_2x`" : "");
    text_add(out,
             "- **Ports of `rill_top`.** Registers for the host (AXI4-Lite), one AXI4 master for each memory channel, "
             "and an interrupt.\n"
             "- **Reset.** " EMIT_RESET_USE "\n");
}

static void add_diagram(const struct emit_plan *p, struct text *out) {
    text_add(out, "\n## Block diagram\n\n"
                  "`memory` is reached through the memory channels (`u_channel_NN`). A name in parentheses, or alone "
                  "after `memory:`, is a\nnet or a client of a channel. All other names are streams.\n\n");
    emit_picture(p, "    ", out);
}

static void add_file(const char *name, const char *what, struct text *out) {
    text_addf(out, "| %s | %s |\n", name, what);
}

// Adds the Verilog files of custom kernels, which are neither modules of the design nor of the library.
static void add_customs(const struct emit_plan *p, const struct emit_rtl *rtl, struct text *out) {
    for (size_t i = 0; i < rtl->files.count; i++) {
        const char *name = rtl->files.items[i].name;
        bool known = !strncmp(name, "rtl/rill_", 9);
        for (int m = 0; m < p->modules; m++)
            known = known || !strcmp(name, arena_printf(p->ir->arena, "rtl/%s.v", p->module[m].module));
        if (!known) add_file(arena_printf(p->ir->arena, "`%s`", name), "a file of a custom kernel of the spec", out);
    }
}

static void add_files(const struct emit_plan *p, const struct emit_rtl *rtl, bool timing, struct text *out) {
    const struct ir *ir = p->ir;
    text_add(out, "\n## Files\n\n| file | what it is |\n|---|---|\n");
    add_file("`rtl/rill_top.v`", "the top module", out);
    for (int m = 0; m < p->modules; m++)
        add_file(arena_printf(ir->arena, "`rtl/%s.v`", p->module[m].module), emit_what(p, m), out);
    add_customs(p, rtl, out);
    add_file("`rtl/rill_*.v`, all others",
             "modules of Rill's library, copied. Every design has the same text, except that parameters "
             "without a default have a value of this design as default, so that a tool can elaborate a module alone",
             out);
    add_file("`filelist.f`", "all Verilog files in an order in which they compile, `rill_top.v` last", out);
    add_file("`lint.vlt`", "warnings of Verilator that are waived, with the reasons", out);
    add_file("`memory_map.json`", "the place of everything in memory: image, caches, prompt, ring", out);
    add_file("`report.txt`, `report.json`", "estimated resources and cycles, the depth of each FIFO, the memories",
             out);
    add_file("`design.yaml`", "the design as Rill's compiler state, from which `rill gen` writes this folder again",
             out);
    if (ir->design.dies > 1 && ir->dies > 1)
        add_file("`pblocks.tcl`", "the floorplan for Vivado: which instance is on which die", out);
    if (timing) add_file("`design.timing.json`", "the record of the delay model, which estimates the clock", out);
    add_file("`sim/rill_sim_top.sv`",
             "the top of a simulation: the design, a model of its memory, probes of its streams", out);
    if (ir->spec) add_file("`oracle/`", "the spec, and what else the reference model reads", out);
}

static void add_order(const struct emit_plan *p, struct text *out) {
    text_add(
        out,
        "\n## In which order to read\n\n"
        "1. `rtl/rill_top.v`: its first comment up to the line \"Reference\". It defines the terms, explains how a "
        "request runs\n   and how resets work, and says which lines of the file to read next.\n");
    int n = 2;
    for (int m = 0; m < p->modules; m++)
        if (p->module[m].region != IR_NONE)
            text_addf(out, "%d. `rtl/%s.v`: the first comment lists the operations in order%s\n", n++,
                      p->module[m].module,
                      m ? "."
                        : ". The body\n   has the kernels in the same order, each after the links (FIFOs) of the "
                          "streams that it reads.");
    if (p->shared != EMIT_TOP)
        text_addf(out, "%d. `rtl/%s.v`: kernels of several regions%s.\n", n++, p->module[p->shared].module,
                  p->ir->engines ? ", and the matrix engine with its tables" : "");
    text_addf(
        out,
        "%d. `rtl/%s.v`: the registers, the token loop, and the loading of parameters.\n"
        "%d. A module of the library when an instance names it. Its first comment says what it does, its latency and "
        "its\n   parameters. The reference in `rill_top.v` lists parts of the library that this design does not "
        "use.\n",
        n, p->module[p->control].module, n + 1);
}

static void add_fields(const struct ir *ir, const char *layout, struct text *out) {
    struct emit_layout_field field;
    text_add(out, "\n| field | meaning |\n|---|---|\n");
    for (int i = 0; emit_layout_field(ir, layout, i, &field); i++)
        text_addf(out, "| `%s` | %s |\n", field.name, field.meaning);
}

static void add_tables(const struct ir *ir, struct text *out) {
    bool walks = false;
    for (int e = 0; e < ir->engines; e++) walks = walks || !ir_is_resident(&ir->engine[e]);
    text_add(out,
             "\n## Entries of tables\n\n"
             "A schedule is a constant `TABLE` of an instance, which walks it once for each step word. A comment at "
             "each entry says\nwhat it does. K and V are keys and values, the V tail is the open block, and C is the "
             "number of lanes of the engine. `krows`\nand `vblocks` are fields of the step word (`rtl/rill_top.v`).\n\n"
             "Multiplexers and demultiplexers: an entry is the number of the stream whose firing is next. 255 in a "
             "demultiplexer drops\nthe firing.\n");
    if (ir->engines) {
        text_add(out, "\nMatrix engine: an entry is a firing, one product or a part of it.\n");
        add_fields(ir, "ENGINE", out);
    }
    if (walks) {
        text_add(out, "\nWalker: an entry is a run of memory that the walker requests ahead of use.\n");
        add_fields(ir, "SEGMENT", out);
    }
}

static void add_end(struct text *out) {
    text_addf(
        out,
        "\n## Checks\n\n"
        "    verilator --lint-only -Wall lint.vlt -f filelist.f\n"
        "    iverilog -g2005 -t null -f filelist.f\n\n"
        "Both commands run in this folder and print nothing.\n\n"
        "## More\n\n"
        "Comments name pages `docs/*.md`. They are in the folder `docs` of Rill %s, not here: `docs/rtl.md` explains "
        "the Verilog,\n`docs/engine.md` the matrix engine, `docs/memory.md` the memory, `docs/registers.md` the "
        "registers, `docs/fifos.md` the\ndepths of FIFOs, and `docs/simulation.md` how to simulate this folder with "
        "`rill sim`.\n",
        RILL_VERSION);
}

void emit_readme(const struct emit_plan *p, const struct emit_rtl *rtl, bool timing, struct text *out) {
    add_start(p, out);
    add_diagram(p, out);
    add_files(p, rtl, timing, out);
    add_order(p, out);
    add_tables(p->ir, out);
    add_end(out);
}
