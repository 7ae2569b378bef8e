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
    text_addf(out,
              "<!-- " EMIT_README_MARK " %s (rill gen). Do not edit. -->\n\n# %s\n\n"
              "This folder is a hardware design: Verilog-2005 for an FPGA, with files for synthesis, simulation and "
              "its host. "
              "To write\nthe folder again: `rill gen design.yaml -o OTHER`.\n\n%s\n\n",
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
             "- **Reset.** `rst` is synchronous and active-high. " EMIT_RESET_USE "\n");
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
        add_file(arena_printf(ir->arena, "`rtl/%s.v`", p->module[m].module),
                 arena_printf(ir->arena, "%s %s.", emit_what(p, m), emit_counts(p, m)), out);
    add_customs(p, rtl, out);
    add_file("`rtl/rill_*.v`, all others",
             "modules of Rill's library, the same text in every design. Include directives are expanded. Parameters "
             "that every instance must set have a legal value as default, so that a tool can elaborate a module alone. "
             "It is an example: the instances have the values of this design",
             out);
    add_file("`filelist.f`",
             "all Verilog files in an order in which they compile, `rill_top.v` last. Some library modules are there "
             "only because a generate branch that this design does not take instantiates them",
             out);
    add_file("`lint.vlt`", "warnings of Verilator that are waived, with the reasons", out);
    add_file("`memory_map.json`",
             arena_printf(ir->arena,
                          "what is where in memory: image%s%s. `channel` is -1 for what every channel has at the same "
                          "offset, such as its part of the weights",
                          kernel_first(ir, KERNEL_KEYS) == IR_NONE ? "" : ", caches of keys and values",
                          ir->design.is_lm ? ", prompt, ring" : ", input and output rows"),
             out);
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
        "its\n   parameters. [Not in this design](#not-in-this-design) lists what you can skip there.\n",
        n, p->module[p->control].module, n + 1);
}

// Says how to use the design in Vivado (docs/rtl.md, docs/package.md).
static void add_vivado(const struct ir *ir, struct text *out) {
    bool dies = ir->design.dies > 1 && ir->dies > 1;
    text_addf(
        out,
        "\n## Use in Vivado\n\n"
        "Nobody has tried this in Vivado. `docs/rtl.md` and `docs/package.md` of Rill have the details.\n\n"
        "1. For Vitis, `rill package . -o PACKAGE` does all of this: it adds a wrapper with an active-low reset "
        "(`ap_clk`, `ap_rst_n`),\n   scripts, the register map and a host program. The next steps are for a project "
        "without a package.\n"
        "2. Add the files of `filelist.f`, which is a list for simulators, with `rill_top` as top or in a block "
        "design.\n"
        "3. Define the macro `RILL_VENDOR_CELLS` for synthesis.%s\n"
        "4. Constrain `clk` to %g MHz or less. Drive `rst` from a register of this clock.%s%s\n"
        "5. Connect each `m_axi_hbm_NN` to a memory: addresses of 64 bits, `awid` and `arid` of %d bit%s, and "
        "rules for "
        "bursts in\n   `rill_top.v` at memory channel 0. Connect `s_axi_control` (4 KiB) to the host.\n"
        "6. The host writes the address of each channel's memory to the register `hbm_c` of channel c "
        "(`docs/registers.md`). The\n   offsets in `memory_map.json` count from it.\n",
        ir_second_clock(ir) ? " Without it, `clk_2x` is not used." : "", ir->design.clock_mhz,
        ir_second_clock(ir) ? " `clk_2x` needs the constraints\n   that `rill package` writes." : "",
        dies ? " `pblocks.tcl` has the\n   floorplan." : "", emit_id_bits(ir), emit_id_bits(ir) == 1 ? "" : "s");
}

// Says how the comment of a depth from simulated steps is read.
static void add_simulated(struct text *out) {
    text_add(
        out,
        "- Such a comment may say: \"the most words of x that wait here for g in simulated steps. In the case \"prompt "
        "at 0\", the\n  word written in cycle 115 (firing 1) waits until data have passed x_fork > engine > g > y\". "
        "`DEPTH` is the largest number\n  of words in any simulated case. The case `prompt at 0` has steps of a prompt "
        "from position 0 on. The FIFO is fullest in\n  this case, after the word of cycle 115, which belongs to firing "
        "1 (the first is 0). `...` in a path stands for more\n  kernels.\n"
        "- Such a depth can be less than the words of a firing. It is safe: Rill has also run the steps with these "
        "depths and one\n  word in each pipeline, without a deadlock. More room and a slower memory cannot cause one "
        "(`docs/fifos.md`).\n");
}

// Explains the links, which are in the modules of the design, and their comments.
static void add_links(const struct ir *ir, struct text *out) {
    text_addf(
        out,
        "\n## Links\n\n"
        "A `rill_link` connects the writer and the reader of a stream. It is in the file of the reader, directly "
        "before "
        "it.\n\n"
        "- Its comment has writer and reader (`kernel.port`), the tensor with its shape per token, and the words of a "
        "firing for\n  one token. The tokens of a step alternate from word to word.%s\n"
        "- `DEPTH` is the number of words in its FIFO. 2 words give full throughput. FIFOs of step words have 4 before "
        "a "
        "kernel and\n  2 before a fork, and the FIFO of ids for the ring has 4, so that the writer can run ahead. "
        "A comment gives the reason for\n  any other depth.%s\n",
        emit_has_orders(ir) ? " A stream in another order has an itensor type instead (`docs/ir.md`)." : "",
        emit_way_stages(ir) ? " Between dies, a FIFO also has places for the words and credits on the way." : "");
    if (ir->design.fifo != SPEC_SAFE) add_simulated(out);
    text_add(out, "- Handshakes without a `rill_link` have the name of what they transfer (`walk_desc`, "
                  "`image_params`).\n");
}

// Lists the features of library modules that this design does not have, with the parameters that belong to them.
static void add_absent(const struct ir *ir, struct text *out) {
    const struct ir_design *d = &ir->design;
    bool windows = false, asym = false, many = false;
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_attrs *attrs = &ir->node[n].attrs;
        windows = windows || ir_attr_find(attrs, "window");
        if (ir_node_is(ir, n, OP_BY_WEIGHTS))
            asym = asym || ir_attr_choice(attrs, "weights", (int)d->weights) == SPEC_INT4_ASYM;
    }
    for (int f = 0; f < ir->firings; f++) many = many || ir->firing[f].many;
    const struct {
        bool absent;
        const char *what;
    } features[] = {
        {!d->drafts, "drafts (`DRAFTS`)"},
        {!d->prefix, "positions that a request keeps from the one before (`PREFIX`)"},
        {!d->slots,
         "several requests at the same time (`SLOTS`, `PLACES`, `ENTRY_PART`, and `PARTS` where it comes with "
         "`ENTRY_PART`)"},
        {!windows, "attention windows (`WINDOW`, `WINDOWS`)"},
        {d->query_heads <= 1, "query heads that an engine takes together (`TOGETHER`)"},
        {!many, "entries that steps of one token skip (`ENTRY_MANY`)"},
        {!emit_way_stages(ir), "several dies (`HOPS`, `CHAINS`, `EARLY`, `HALVES`, `BORDERS`)"},
        {!asym, "int4_asym weights (`ASYM`)"},
        {!ir_second_clock(ir), "multipliers that work twice in a cycle (`PUMP` 2, `clk_2x`)"},
        {d->is_lm, "graphs that are not language models (`MODE` 1 of the token loop)"},
        {!d->is_lm, "language models (`MODE` 0 of the token loop)"}};
    text_add(out,
             "\n## Not in this design\n\n"
             "Library modules can do the following, with these parameters. The design does not use it, so skip what "
             "the modules say\nabout it. A parameter that an instance leaves out has the default in its "
             "module.\n\n");
    for (size_t i = 0; i < COUNT_OF(features); i++)
        if (features[i].absent) text_addf(out, "- %s\n", features[i].what);
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
    text_addf(out,
              "\n## Entries of tables\n\n"
              "A schedule is a constant `TABLE` of an instance, which walks it once for each step%s. A comment at "
              "each entry says what it does. K and V are keys and values, the V tail is the open block, and C is the "
              "number of lanes of the engine. `krows` and `vblocks` are fields of the step word "
              "(`rtl/rill_top.v`).\n\n",
              emit_walks_parts(ir));
    text_add(out,
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
    add_vivado(p->ir, out);
    add_order(p, out);
    add_links(p->ir, out);
    add_tables(p->ir, out);
    add_absent(p->ir, out);
    add_end(out);
}
