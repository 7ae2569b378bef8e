// SPDX-License-Identifier: Apache-2.0
// Writes the whole IR as YAML text (a dump), so that ir_read can read it and the passes can continue from it.
#include <math.h>
#include <string.h>

#include "gen/ir/custom_text.h"
#include "gen/ir/ir_text.h"
#include "gen/ir/ops.h"
#include "gen/base/yaml.h"

struct writer {
    struct yaml_writer y;
    const struct ir *ir;
    bool on_dies; // some kernel or part of an engine is not on the first die, so dies are written
};

static void key_int(struct writer *w, const char *key, int64_t v) {
    yaml_write_key(&w->y, key);
    yaml_write_int(&w->y, v);
}

// Writes `key: true`. Flags that are false are left out.
static void key_bool(struct writer *w, const char *key) {
    yaml_write_key(&w->y, key);
    yaml_write_bool(&w->y, true);
}

// Writes a key with a text, or nothing if the text is NULL.
static void key_string(struct writer *w, const char *key, const char *s) {
    if (!s) return;
    yaml_write_key(&w->y, key);
    yaml_write_string(&w->y, s);
}

// Writes a number, without a decimal point if it is whole.
static void key_number(struct writer *w, const char *key, double v) {
    yaml_write_key(&w->y, key);
    if (v == floor(v) && fabs(v) < 1e15) yaml_write_int(&w->y, (int64_t)v);
    else yaml_write_float(&w->y, v);
}

static void key_ints(struct writer *w, const char *key, const int *v, int count) {
    if (!count) return;
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++) yaml_write_int(&w->y, v[i]);
    yaml_end(&w->y);
}

static void key_tensors(struct writer *w, const char *key, const int *v, int count) {
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++) yaml_write_string(&w->y, w->ir->tensor[v[i]].name);
    yaml_end(&w->y);
}

static void key_strings(struct writer *w, const char *key, const char *const *s, int count) {
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++) yaml_write_string(&w->y, s[i]);
    yaml_end(&w->y);
}

// Returns the name of a die, or its number if the board has no list of dies.
static const char *die_name(const struct writer *w, int die) {
    return die < w->ir->dies ? w->ir->die[die].name : arena_printf(w->ir->arena, "%d", die);
}

static void key_dies(struct writer *w, const char *key, const int *die, int count) {
    if (!w->on_dies || !count) return;
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++) yaml_write_string(&w->y, die_name(w, die[i]));
    yaml_end(&w->y);
}

// Writes which input of an operand multiplexer or output of a result demultiplexer a firing uses: the name of the
// tensor there, or of the port if several ports of the kernel carry this tensor.
static void key_steered(struct writer *w, const char *key, int kernel, int index) {
    int port = ir_steered_port(w->ir, kernel, index);
    if (port == IR_NONE) return;
    int tensor = w->ir->kernel[kernel].port[port].tensor;
    bool alone = tensor != IR_NONE && ir_steered_index(w->ir, kernel, tensor) == index;
    key_string(w, key, alone ? w->ir->tensor[tensor].name : ir_port_text(w->ir, kernel, port));
}

// WRITE_<kind> writes a field of this kind (ir_text.h).
#define WRITE_PLATFORM(key, member) key_string(w, key, item->platform.member);
#define WRITE_FIELD(kind, name) WRITE_##kind(name)
#define WRITE_INT(name) key_int(w, #name, (int64_t)item->name);
#define WRITE_COUNT(name)                                                                                              \
    if (item->name) WRITE_INT(name)
#define WRITE_TIMES(name)                                                                                              \
    if (item->name != 1) WRITE_INT(name)
#define WRITE_FLAG(name)                                                                                               \
    if (item->name) key_bool(w, #name);
#define WRITE_PLACE(name)                                                                                              \
    if (item->name != IR_NONE) WRITE_INT(name)
#define WRITE_STYLE(name)                                                                                              \
    if (item->name != RAM_AUTO) key_string(w, #name, ram_style_words[item->name]);
#define WRITE_NAME(list, field)                                                                                        \
    if (item->field != IR_NONE) key_string(w, #field, w->ir->list[item->field].name);
#define WRITE_DIE(name)                                                                                                \
    if (w->on_dies) key_string(w, #name, die_name(w, item->name));
#define WRITE_NODE(name) WRITE_NAME(node, name)
#define WRITE_REGION(name) WRITE_NAME(region, name)
#define WRITE_TENSOR(name) WRITE_NAME(tensor, name)
#define WRITE_KERNEL(name) WRITE_NAME(kernel, name)
#define WRITE_ENGINE(name) WRITE_NAME(engine, name)

static void write_hbm(struct writer *w, const struct hbm_figures *item) {
    yaml_write_key(&w->y, "hbm");
    yaml_begin_map(&w->y, false);
#define WRITE_FIGURE(type, key, low, high, preset, unit, text) key_number(w, #key, item->key);
    HBM_FIGURES(WRITE_FIGURE)
#undef WRITE_FIGURE
    yaml_end(&w->y);
}

static void write_figures(struct writer *w, const struct board_figures *item) {
#define WRITE_FIGURE(type, key, low, high, preset, unit, text) key_number(w, #key, part->key);
#define WRITE_SECTION(name, figures)                                                                                   \
    {                                                                                                                  \
        const struct board_##name *part = &item->name;                                                                 \
        yaml_write_key(&w->y, #name);                                                                                  \
        yaml_begin_map(&w->y, false);                                                                                  \
        figures(WRITE_FIGURE) yaml_end(&w->y);                                                                         \
    }
    BOARD_SECTIONS(WRITE_SECTION)
#undef WRITE_SECTION
#undef WRITE_FIGURE
}

static void write_end_ids(struct writer *w, const struct end_ids *item) {
    if (!item->count) return;
    yaml_write_key(&w->y, "eot");
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < item->count; i++) yaml_write_int(&w->y, item->id[i]);
    yaml_end(&w->y);
}

static void write_design(struct writer *w, const struct ir_design *item) {
    yaml_write_key(&w->y, "design");
    yaml_begin_map(&w->y, false);
    key_number(w, "clock_mhz", item->clock_mhz);
    write_hbm(w, &item->hbm);
    write_figures(w, &item->figures);
    IR_DESIGN_FIELDS(WRITE_FIELD)
    write_end_ids(w, &item->eot);
    key_string(w, "derived", item->derived);
    key_string(w, "family", item->family);
    key_string(w, "binding", spec_binding_name(item->binding));
    key_string(w, "fifo", spec_fifo_name(item->fifo));
    key_string(w, "weights", spec_format_name(item->weights));
    key_string(w, "activations", spec_activations_name(item->activations));
    key_string(w, "board", item->board);
    IR_PLATFORM_FIELDS(WRITE_PLATFORM)
    key_string(w, "strategy", ir_strategy_text(w->ir));
    key_string(w, "memories", item->memories);
    key_string(w, "placement", item->placement);
    yaml_end(&w->y);
}

static void write_extents(struct writer *w, const char *key, const struct ir_extent *e, int count) {
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++)
        if (e[i].dynamic == IR_STATIC) yaml_write_int(&w->y, e[i].bound);
        else yaml_write_string(&w->y, ir_extent_text(w->ir, &e[i]));
    yaml_end(&w->y);
}

static void write_tensor(struct writer *w, const struct ir_tensor *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "dtype", ir_dtype_words[item->dtype]);
    write_extents(w, "shape", item->shape, item->rank);
    IR_TENSOR_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

// Writes the value of an attribute: an integer, a number or a list in its own form, a word or a string as text. The
// reader looks up in the operations table which of these a text is.
static void write_attr(struct writer *w, const struct ir_attr *a) {
    switch (a->kind) {
    case IR_ATTR_INT: yaml_write_int(&w->y, a->i); return;
    case IR_ATTR_FLOAT: yaml_write_float(&w->y, a->f); return;
    case IR_ATTR_LIST:
        yaml_begin_seq(&w->y, true);
        for (int i = 0; i < a->items; i++) yaml_write_int(&w->y, a->list[i]);
        yaml_end(&w->y);
        return;
    default: yaml_write_string(&w->y, a->s);
    }
}

static void write_attrs(struct writer *w, const struct ir_attrs *attrs) {
    if (!attrs->count) return;
    yaml_write_key(&w->y, "attrs");
    yaml_begin_map(&w->y, true);
    for (int i = 0; i < attrs->count; i++) {
        const struct ir_attr *a = &attrs->item[i];
        yaml_write_key(&w->y, a->key);
        write_attr(w, a);
    }
    yaml_end(&w->y);
}

static void write_node(struct writer *w, const struct ir_node *n) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", n->name);
    key_string(w, "op", ir_op_of(w->ir, n->op)->name);
    key_string(w, "region", w->ir->region[n->region].name);
    key_tensors(w, "in", n->in, n->inputs);
    key_tensors(w, "out", n->out, n->outputs);
    if (n->lanes) key_int(w, "lanes", n->lanes);
    key_ints(w, "order", n->order, n->orders);
    write_attrs(w, &n->attrs);
    yaml_end(&w->y);
}

static void write_carry(struct writer *w, const struct ir_carry *item) {
    yaml_begin_map(&w->y, true);
    IR_CARRY_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_region(struct writer *w, const struct ir_region *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "when", ir_when_words[item->when]);
    IR_REGION_FIELDS(WRITE_FIELD)
    if (item->carries) {
        yaml_write_key(&w->y, "carry");
        yaml_begin_seq(&w->y, true);
        for (int c = 0; c < item->carries; c++) write_carry(w, &item->carry[c]);
        yaml_end(&w->y);
    }
    yaml_end(&w->y);
}

static bool has_type(const struct ir_itensor *t) { return t->rank || t->loops || t->dtype; }

static void write_port(struct writer *w, const struct ir_port *item) {
    yaml_begin_map(&w->y, true);
    if (*item->name) key_string(w, "name", item->name);
    key_string(w, "kind", ir_stream_words[item->kind]);
    IR_PORT_FIELDS(WRITE_FIELD)
    if (has_type(&item->type)) key_string(w, "type", ir_type_text(w->ir, &item->type));
    yaml_end(&w->y);
}

// Writes a map with a single key.
static void key_map(struct writer *w, const char *key, const char *only, const char *text) {
    yaml_write_key(&w->y, key);
    yaml_begin_map(&w->y, true);
    key_string(w, only, text);
    yaml_end(&w->y);
}

// Writes a parameter: a number in Verilog form, a text or a kind of memory as it is. The map {text: ...} marks a text
// that would be read back as a number. The map {verilog: ...} marks a constant that the user wrote in another form.
static void write_param(struct writer *w, const struct ir_param *p) {
    const struct ir_value *v = &p->value;
    if (v->kind == IR_VALUE_INT) key_int(w, p->name, v->integer);
    else if (v->kind == IR_VALUE_VERBATIM) key_map(w, p->name, "verilog", v->text);
    else if (v->kind == IR_VALUE_TEXT && ir_value_read(w->ir->arena, v->text).kind != IR_VALUE_VERBATIM)
        key_map(w, p->name, "text", v->text);
    else if (v->kind == IR_VALUE_TEXT) key_string(w, p->name, v->text);
    else if (v->kind == IR_VALUE_STYLE) key_string(w, p->name, ram_style_words[v->style]);
    else key_string(w, p->name, ir_value_print(w->ir->arena, v));
}

static void write_kernel(struct writer *w, const struct ir_kernel *item) {
    yaml_begin_map(&w->y, false);
    key_string(w, "name", item->name);
    key_string(w, "module", item->module);
    IR_KERNEL_FIELDS(WRITE_FIELD)
    yaml_write_key(&w->y, "params");
    yaml_begin_map(&w->y, false);
    for (int p = 0; p < item->params; p++) write_param(w, &item->param[p]);
    yaml_end(&w->y);
    yaml_write_key(&w->y, "ports");
    yaml_begin_seq(&w->y, false);
    for (int p = 0; p < item->ports; p++) write_port(w, &item->port[p]);
    yaml_end(&w->y);
    yaml_end(&w->y);
}

// Writes the type at the writer's port, and the type at the reader's port if it differs.
static void write_edge_types(struct writer *w, const struct ir_edge *item) {
    const struct ir_itensor *from = &w->ir->kernel[item->src_kernel].port[item->src_port].type,
                            *to = &w->ir->kernel[item->dst_kernel].port[item->dst_port].type;
    if (has_type(from)) key_string(w, "type", ir_type_text(w->ir, from));
    if (has_type(to) && (!has_type(from) || strcmp(ir_type_text(w->ir, from), ir_type_text(w->ir, to)) != 0))
        key_string(w, "to_type", ir_type_text(w->ir, to));
}

static void write_edge(struct writer *w, const struct ir_edge *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "from", ir_port_text(w->ir, item->src_kernel, item->src_port));
    key_string(w, "to", ir_port_text(w->ir, item->dst_kernel, item->dst_port));
    write_edge_types(w, item);
    IR_EDGE_FIELDS(WRITE_FIELD)
    key_string(w, "forced_by", item->forced_by);
    yaml_end(&w->y);
}

static void write_wire(struct writer *w, const struct ir_wire *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "port", item->port);
    if (item->use.kind != IR_USE_OPEN) key_string(w, "net", ir_use_print(w->ir, &item->use));
    IR_WIRE_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_client(struct writer *w, const struct ir_client *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    if (item->role != IR_CLIENT_OF_KERNEL) key_string(w, "role", ir_client_words[item->role]);
    key_string(w, "port", item->port);
    key_string(w, "base", item->base == IR_NONE ? NULL : w->ir->net[item->base].name);
    IR_CLIENT_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_engine(struct writer *w, const struct ir_engine *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    IR_ENGINE_FIELDS(WRITE_FIELD)
    if (item->lanes != item->channels) key_int(w, "lanes", item->lanes);
    key_dies(w, "lane_die", item->lane_die, item->lanes);
    key_dies(w, "sums_die", item->sums_die, item->lanes);
    yaml_end(&w->y);
}

static void write_firing(struct writer *w, const struct ir_firing *item) {
    yaml_begin_map(&w->y, true);
    if (item->engine != IR_NONE) {
        key_steered(w, "x", w->ir->engine[item->engine].x_mux, item->x_edge_port);
        key_steered(w, "y", w->ir->engine[item->engine].y_demux, item->y_port);
    }
    IR_FIRING_FIELDS(WRITE_FIELD)
    key_string(w, "mode", ir_mode_words[item->mode]);
    yaml_end(&w->y);
}

static void write_segment(struct writer *w, const struct ir_segment *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "kind", ir_segment_words[item->kind]);
    if (item->role != IR_SEG_OF_KERNEL) key_string(w, "role", ir_area_words[item->role]);
    IR_SEGMENT_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_die(struct writer *w, const struct ir_die *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    IR_DIE_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_group(struct writer *w, const struct ir_group *item) {
    yaml_begin_map(&w->y, true);
    IR_GROUP_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_fusion(struct writer *w, const struct ir_fusion *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", ir_fusion_words[item->kind]);
    IR_FUSION_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_custom(struct writer *w, const struct custom *item) { custom_write(&w->y, item); }

// Writes a list under a key, with `function` for each item.
#define WRITE_LIST(key, item, count, function)                                                                         \
    do {                                                                                                               \
        yaml_write_key(&w->y, key);                                                                                    \
        yaml_begin_seq(&w->y, false);                                                                                  \
        for (int i = 0; i < (count); i++) function(w, &(item)[i]);                                                     \
        yaml_end(&w->y);                                                                                               \
    } while (0)

static void write_all(struct writer *w) {
    const struct ir *ir = w->ir;
    key_string(w, "name", ir->name);
    key_string(w, "done", ir->done);
    if (ir->spec) key_string(w, "spec", ir->spec);
    key_string(w, "family", ir->family);
    key_string(w, "prefix", ir->prefix);
    if (ir->unuseds) key_strings(w, "unused", ir->unused, ir->unuseds);
    write_design(w, &ir->design);
    WRITE_LIST("custom", ir->custom, ir->customs, write_custom);
    WRITE_LIST("tensors", ir->tensor, ir->tensors, write_tensor);
    WRITE_LIST("nodes", ir->node, ir->nodes, write_node);
    WRITE_LIST("regions", ir->region, ir->regions, write_region);
    key_tensors(w, "inputs", ir->input, ir->inputs);
    key_tensors(w, "outputs", ir->output, ir->outputs);
    WRITE_LIST("kernels", ir->kernel, ir->kernels, write_kernel);
    WRITE_LIST("edges", ir->edge, ir->edges, write_edge);
    WRITE_LIST("wires", ir->wire, ir->wires, write_wire);
    WRITE_LIST("clients", ir->client, ir->clients, write_client);
    WRITE_LIST("engines", ir->engine, ir->engines, write_engine);
    WRITE_LIST("firings", ir->firing, ir->firings, write_firing);
    WRITE_LIST("segments", ir->segment, ir->segments, write_segment);
    WRITE_LIST("groups", ir->group, ir->groups, write_group);
    WRITE_LIST("fusions", ir->fusion, ir->fusions, write_fusion);
    WRITE_LIST("dies", ir->die, ir->dies, write_die);
}

const char *ir_fusion_name(enum ir_fusion_kind kind) { return ir_fusion_words[kind]; }

const char *ir_strategy_text(const struct ir *ir) {
    enum ir_strategy strategy = ir->design.strategy;
    return strategy ? arena_printf(ir->arena, "%s: %s", ir_strategy_words[strategy], ir->design.weighed) : NULL;
}

// Returns whether some kernel, lane or result of an engine is not on the first die.
static bool is_on_dies(const struct ir *ir) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].die) return true;
    for (int e = 0; e < ir->engines; e++)
        for (int l = 0; l < ir->engine[e].lanes; l++)
            if (ir->engine[e].lane_die[l] || ir->engine[e].sums_die[l] || ir->engine[e].result_die) return true;
    return false;
}

void ir_write_text(const struct ir *ir, struct text *out) {
    struct writer w = {.ir = ir, .on_dies = is_on_dies(ir)};
    yaml_writer_init(&w.y, out);
    yaml_write_comment(&w.y, IR_TEXT_MAGIC);
    yaml_begin_map(&w.y, false);
    write_all(&w);
    yaml_end(&w.y);
}
