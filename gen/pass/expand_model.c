// SPDX-License-Identifier: Apache-2.0
// expand-model, the first pass: turns the graph of a spec into regions of operations, and copies the design's keys and
// the board's figures into the IR. Every attribute gets its value or its default. Then it checks the form of the graph,
// such as the inputs and outputs of a language model.
#include <inttypes.h>
#include <string.h>

#include "gen/model/model.h"
#include "gen/bind/bind.h"
#include "gen/ir/custom_ops.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

// Returns NULL for the word `none`, which a board file writes for a part number or platform that the board lacks.
static const char *or_null(const char *text) { return strcmp(text, "none") != 0 ? text : NULL; }

static struct ir_platform platform_of(const struct rill_device *d) {
    return (struct ir_platform){.part = or_null(d->part),
                                .name = or_null(d->platform),
                                .first = d->vitis.first,
                                .last = d->vitis.last,
                                .cells = d->vitis.cells,
                                .pblock = d->vitis.pblock};
}

// Fills ir->design from the keys of `design` and `graph` and from the board's figures. The budgets are the resources of
// the device without the platform's cells.
static void set_design(struct ir *ir, const struct rill_spec *spec) {
    const struct spec_design *d = &spec->design;
    const struct device_resources all = device_total(spec->device), *cells = &spec->device->platform_cells;
    ir->design = (struct ir_design){.clock_mhz = d->clock_mhz,
                                    .channels = d->channels,
                                    .beat_bits = d->beat_bits,
                                    .lanes = d->lanes,
                                    .unroll = d->unroll,
                                    .tokens = d->tokens,
                                    .copies = d->copies,
                                    .pump = d->copies < CHOICE_PUMPED_COPIES && d->pump > 1 ? d->pump : 0,
                                    .group = d->group,
                                    .prefetch_beats = d->prefetch_beats,
                                    .max_burst = d->max_burst,
                                    .outstanding = d->outstanding,
                                    .on_chip_kib = d->on_chip_kib,
                                    .sampling = d->sampling,
                                    .logprobs = d->logprobs,
                                    .drafts = d->drafts,
                                    .draft_confidence = d->drafts ? d->draft_confidence : 0,
                                    .host_drafts = d->host_drafts,
                                    .slots = d->slots > 1 ? d->slots : 0,
                                    .prefix = d->prefix,
                                    .query_heads = d->query_heads > 1 ? d->query_heads : 0,
                                    .tensor_rows = d->tensor_rows > 1 ? d->tensor_rows : 0,
                                    .bmm_rows = d->bmm_rows > 1 ? d->bmm_rows : 0,
                                    .resident = (enum spec_resident)d->resident,
                                    .resident_lanes = d->resident_lanes,
                                    .context = spec->graph->context ? spec->graph->context : 1024,
                                    .eot = spec->graph->eot,
                                    .channel_bytes = (int64_t)spec->device->hbm.channel_mbytes << 20,
                                    .hbm = spec->device->hbm,
                                    .figures = spec->device->figures,
                                    .derived = spec->model ? family_derived(spec->model->values, ir->arena) : NULL,
                                    .family = spec->model ? spec->model->family->name : NULL,
                                    .binding = (enum spec_binding)d->binding,
                                    .fifo = (enum spec_fifo)d->fifo,
                                    .board = spec->device->name,
                                    .platform = platform_of(spec->device),
                                    .dies = d->dies,
                                    .single_rate = d->crossings == SPEC_SINGLE_RATE,
                                    .second_reserve = d->reserve == SPEC_SECOND_RESERVE,
                                    .sll = spec->device->sll,
                                    .sll_region = spec->device->sll_region,
                                    .budget_lut = all.lut - cells->lut,
                                    .budget_ff = all.ff - cells->ff,
                                    .budget_dsp = all.dsp - cells->dsp,
                                    .budget_bram36 = all.bram36 - cells->bram36,
                                    .budget_uram = all.uram - cells->uram,
                                    .weights = (enum spec_format)d->weights,
                                    .activations = (enum spec_activations)d->activations};
}

// Sets the parts of the spec that packing of weights needs: the text of the family's file, the prefix of tensor names
// in checkpoints, and the tensors that may stay unused.
static void set_names(struct ir *ir, const struct rill_spec *spec) {
    const struct spec_weights *w = &spec->graph->weights;
    const struct source *family = spec->model ? spec->model->family->source : NULL;
    if (family) ir->family = arena_strndup(ir->arena, family->data, family->size);
    ir->prefix = w->prefix;
    ir->unused = w->unused;
    ir->unuseds = (int)w->unused_count;
}

// Adds the dies. Each has the resources of the platform's dynamic region; the rest of the die is the shell's.
static void set_dies(struct ir *ir, const struct rill_device *device) {
    ir->die_capacity = device->slr_count;
    ir->die = ARENA_ARRAY(ir->arena, struct ir_die, device->slr_count + 1);
    for (size_t i = 0; i < device->slr_count; i++) {
        const struct device_resources *t = &device->slrs[i].total, *r = &device->slrs[i].region;
        ir->die[ir->dies++] = (struct ir_die){.name = device->slrs[i].name,
                                              .lut = r->lut,
                                              .ff = r->ff,
                                              .dsp = r->dsp,
                                              .bram36 = r->bram36,
                                              .uram = r->uram,
                                              .shell_lut = t->lut - r->lut,
                                              .shell_ff = t->ff - r->ff,
                                              .shell_dsp = t->dsp - r->dsp,
                                              .shell_bram36 = t->bram36 - r->bram36,
                                              .shell_uram = t->uram - r->uram,
                                              .platform_wires = device->slrs[i].platform_wires,
                                              .hbm = device->slrs[i].hbm};
    }
}

// Gives an operation the default of each attribute that it lacks. A product gets the design's format of weights.
static void fill_defaults(struct ir *ir, struct ir_node *node) {
    struct ir_op_attr known[IR_MAX_OP_ATTRS];
    int count = ir_op_attrs(ir, node->op, known);
    for (int i = 0; i < count; i++)
        if (known[i].has_default && !ir_attr_find(&node->attrs, known[i].name))
            ir_attr_set_text(ir, &node->attrs, &known[i], known[i].text);
    if (ir_op_is(ir, node->op, OP_BY_WEIGHTS) && !ir_attr_find(&node->attrs, "weights"))
        ir_attr_set_word(ir, &node->attrs, "weights", (int)ir->design.weights,
                         spec_format_name((int)ir->design.weights));
}

// Finds the inputs that are token ids: those that an embedding reads, directly or as the initial value of a carried
// tensor. A graph with such an input is a language model. Returns false after an error.
static bool find_ids(struct ir *ir, struct diag *diag) {
    for (int n = 0; n < ir->nodes; n++) {
        int in = ir_node_is(ir, n, OP_BY_ID) ? ir_first_value(ir, ir->node[n].in[0]) : IR_NONE;
        if (in == IR_NONE || ir->tensor[in].producer != IR_NONE) continue;
        if (ir_tensor_elements(&ir->tensor[in]) != 1) {
            diag_error(diag, ir->tensor[in].loc, MSG_EMBED_ID, ir->tensor[in].name,
                       (long long)ir_tensor_elements(&ir->tensor[in]));
            return false;
        }
        ir->tensor[in].dtype = IR_ID;
        ir->tensor[in].rank = 1;
        ir->tensor[in].shape[0] = (struct ir_extent){1, IR_STATIC};
        ir->design.is_lm = true;
    }
    return true;
}

// Checks that the spec gives `context` if the graph is a language model, reads rows by position or has a KV cache.
static bool check_context(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    if (spec->graph->context) return true;
    for (int n = 0; n < ir->nodes; n++) {
        int op = ir->node[n].op;
        if (!(ir_op_is(ir, op, OP_BY_ID) && ir->design.is_lm) && !ir_op_is(ir, op, OP_BY_POSITION) &&
            !ir_op_is(ir, op, OP_CACHES))
            continue;
        diag_error(diag, spec_place(spec, "graph"), MSG_MISSING_CONTEXT, ir_op_of(ir, op)->name, ir->node[n].name);
        diag_note(diag, ir->node[n].loc, "`%s` is here", ir->node[n].name);
        return false;
    }
    return true;
}

// Checks the form of a language model: one input of ids, and one output of ids, made in a region that runs once and
// only in the steps whose result is needed.
static bool check_ids(const struct ir *ir, struct diag *diag) {
    int last = ir->outputs ? ir->tensor[ir->output[0]].producer : IR_NONE;
    if (ir->inputs != 1 || ir->outputs != 1 || last == IR_NONE || !ir_node_is(ir, last, OP_CHOOSES)) {
        int wrong = ir->inputs > 1    ? ir->input[1]
                    : ir->outputs > 1 ? ir->output[1]
                    : ir->outputs     ? ir->output[0]
                                      : ir->input[0];
        int by = ir->tensor[wrong].producer;
        diag_error(diag, by == IR_NONE ? ir->tensor[wrong].loc : ir->node[by].loc, MSG_LANGUAGE_MODEL_FORM);
        return false;
    }
    const struct ir_region *region = &ir->region[ir->node[last].region];
    if (region->when == IR_LAST && region->repeat == 1) return true;
    diag_error(diag, ir->node[last].loc, MSG_REGION_OF_LAST, ir->node[last].name, region->name,
               region->repeat == 1 ? "" : " and `repeat: 1`");
    return false;
}

// Checks that the ids that end a request are in the vocabulary.
static bool check_end_ids(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    int64_t most = ir_vocabulary(ir) - 1;
    for (int i = 0; i < ir->design.eot.count; i++) {
        if (ir->design.eot.id[i] <= most) continue;
        struct loc loc = spec_place(spec, spec->model ? "model.eot" : "graph.eot");
        diag_error(diag, loc, MSG_EOT_BEYOND, ir->design.eot.id[i], most + 1);
        diag_note(diag, loc, "the nearest legal value is %" PRId64, most);
        return false;
    }
    return true;
}

// Reports `when: last` in a graph that is not a language model: it has an output for every row, so no row is the last.
static bool check_rows(const struct ir *ir, struct diag *diag) {
    for (int g = 0; g < ir->regions; g++)
        if (ir->region[g].when == IR_LAST) {
            diag_error(diag, ir->region[g].loc, MSG_WHEN_LAST, ir->region[g].name);
            return false;
        }
    return true;
}

// Checks that operations that read a table by position are in a region that runs once in every step, because the design
// reads these rows once per step, for all its tokens.
static bool check_positions(const struct ir *ir, struct diag *diag) {
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_region *region = &ir->region[ir->node[n].region];
        if (!ir_node_is(ir, n, OP_BY_POSITION) || (region->repeat == 1 && region->when == IR_ALWAYS)) continue;
        diag_error(diag, ir->node[n].loc, MSG_REGION_ALWAYS, ir_op_of(ir, ir->node[n].op)->name, ir->node[n].name,
                   region->name);
        diag_note(diag, ir->node[n].loc, "a region before it can make the row; other regions read it as any tensor");
        return false;
    }
    return true;
}

bool pass_expand_model(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    set_design(ir, spec);
    set_dies(ir, spec->device);
    ir->name = spec->name;
    ir->spec = arena_strndup(ir->arena, spec->root->loc.source->data, spec->root->loc.source->size);
    set_names(ir, spec);
    kernel_set_customs(ir, spec->kernels, (int)spec->kernel_count);
    if (!bind_check_customs(ir, diag)) return false;
    if (!model_expand_graph(ir, spec, diag)) return false;
    gather_products(ir);
    if (!choose_formats(ir, spec, diag)) return false;
    for (int n = 0; n < ir->nodes; n++) fill_defaults(ir, &ir->node[n]);
    split_queries(ir);
    if (!find_ids(ir, diag) || !check_context(ir, spec, diag)) return false;
    if (!check_positions(ir, diag)) return false;
    return ir->design.is_lm ? check_ids(ir, diag) && check_end_ids(ir, spec, diag) : check_rows(ir, diag);
}
