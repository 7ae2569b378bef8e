// SPDX-License-Identifier: Apache-2.0
// The IR as YAML: complete, so that ir_read continues from it.
#include "gen/ir/custom_text.h"
#include "gen/ir/ir_text.h"
#include "include/ops.h"
#include "include/yaml.h"

struct writer {
    struct yaml_writer y;
    const struct ir *ir;
};

static void key_int(struct writer *w, const char *key, int64_t v) {
    yaml_write_key(&w->y, key);
    yaml_write_int(&w->y, v);
}

static void key_string(struct writer *w, const char *key, const char *s) {
    if (!s) return;
    yaml_write_key(&w->y, key);
    yaml_write_string(&w->y, s);
}

static void key_ints(struct writer *w, const char *key, const int *v, int count) {
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++) yaml_write_int(&w->y, v[i]);
    yaml_end(&w->y);
}

static void key_strings(struct writer *w, const char *key, const char *const *s, int count) {
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++) yaml_write_string(&w->y, s[i]);
    yaml_end(&w->y);
}

#define WRITE_PLATFORM(key, member) key_string(w, key, item->platform.member);
#define WRITE_FIELD(name) key_int(w, #name, (int64_t)item->name);

static void write_hbm(struct writer *w, const struct hbm_figures *item) {
    yaml_write_key(&w->y, "hbm");
    yaml_begin_map(&w->y, false);
#define WRITE_FIGURE(type, key, low, high, preset, unit, text)                                                         \
    yaml_write_key(&w->y, #key);                                                                                       \
    yaml_write_float(&w->y, item->key);
    HBM_FIGURES(WRITE_FIGURE)
#undef WRITE_FIGURE
    yaml_end(&w->y);
}

static void write_figures(struct writer *w, const struct board_figures *item) {
#define WRITE_FIGURE(type, key, low, high, preset, unit, text)                                                         \
    yaml_write_key(&w->y, #key);                                                                                       \
    yaml_write_float(&w->y, part->key);
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

static void write_design(struct writer *w, const struct ir_design *item) {
    yaml_write_key(&w->y, "design");
    yaml_begin_map(&w->y, false);
    yaml_write_key(&w->y, "clock_mhz");
    yaml_write_float(&w->y, item->clock_mhz);
    write_hbm(w, &item->hbm);
    write_figures(w, &item->figures);
    IR_DESIGN_FIELDS(WRITE_FIELD)
    key_string(w, "family", item->family);
    key_string(w, "binding", spec_binding_name(item->binding));
    key_string(w, "fifo", spec_fifo_name(item->fifo));
    key_string(w, "weights", spec_format_name(item->weights));
    key_string(w, "board", item->board);
    IR_PLATFORM_FIELDS(WRITE_PLATFORM)
    key_string(w, "strategy", item->strategy);
    key_string(w, "memories", item->memories);
    key_string(w, "placement", item->placement);
    yaml_end(&w->y);
}

static void write_extents(struct writer *w, const char *key, const struct ir_extent *e, int count) {
    yaml_write_key(&w->y, key);
    yaml_begin_seq(&w->y, true);
    for (int i = 0; i < count; i++) {
        yaml_write_int(&w->y, e[i].bound);
        yaml_write_string(&w->y, ir_dynamic_words[e[i].dynamic]);
    }
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

static const char *list_text(struct arena *arena, const struct ir_attr *a) {
    const char *text = "";
    for (int i = 0; i < a->items; i++)
        text = arena_printf(arena, "%s%s%lld", text, i ? "," : "", (long long)a->list[i]);
    return text;
}

static void write_attrs(struct writer *w, const struct ir_attrs *attrs) {
    yaml_write_key(&w->y, "attrs");
    yaml_begin_map(&w->y, true);
    for (int i = 0; i < attrs->count; i++) {
        const struct ir_attr *a = &attrs->item[i];
        yaml_write_key(&w->y, a->key);
        yaml_begin_seq(&w->y, true); // [kind, value]: integer, number, or a text that the operations table reads
        yaml_write_int(&w->y, a->kind < IR_ATTR_STRING ? a->kind : IR_ATTR_STRING);
        if (a->kind == IR_ATTR_INT) yaml_write_int(&w->y, a->i);
        if (a->kind == IR_ATTR_FLOAT) yaml_write_float(&w->y, a->f);
        if (a->kind == IR_ATTR_STRING || a->kind == IR_ATTR_WORD) yaml_write_string(&w->y, a->s);
        if (a->kind == IR_ATTR_LIST) yaml_write_string(&w->y, list_text(w->ir->arena, a));
        yaml_end(&w->y);
    }
    yaml_end(&w->y);
}

static void write_node(struct writer *w, const struct ir_node *n) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", n->name);
    key_string(w, "op", ir_op_of(w->ir, n->op)->name);
    key_int(w, "region", n->region);
    key_ints(w, "in", n->in, n->inputs);
    key_ints(w, "out", n->out, n->outputs);
    key_int(w, "lanes", n->lanes);
    key_ints(w, "order", n->order, n->orders);
    write_attrs(w, &n->attrs);
    yaml_end(&w->y);
}

static void write_region(struct writer *w, const struct ir_region *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "when", ir_when_words[item->when]);
    IR_REGION_FIELDS(WRITE_FIELD)
    yaml_write_key(&w->y, "carry");
    yaml_begin_seq(&w->y, true);
    for (int c = 0; c < item->carries; c++) {
        yaml_write_int(&w->y, item->carry[c].local);
        yaml_write_int(&w->y, item->carry[c].init);
        yaml_write_int(&w->y, item->carry[c].next);
    }
    yaml_end(&w->y);
    yaml_end(&w->y);
}

static void write_type(struct writer *w, const struct ir_itensor *t) {
    yaml_write_key(&w->y, "type");
    yaml_begin_map(&w->y, true);
    key_string(w, "dtype", ir_dtype_words[t->dtype]);
    yaml_write_key(&w->y, "element");
    yaml_begin_seq(&w->y, true);
    for (int d = 0; d < t->rank; d++) yaml_write_int(&w->y, t->element[d]);
    yaml_end(&w->y);
    write_extents(w, "trip", t->trip, t->loops);
    yaml_write_key(&w->y, "step");
    yaml_begin_seq(&w->y, true);
    for (int l = 0; l < t->loops; l++) yaml_write_int(&w->y, t->step[l]);
    yaml_end(&w->y);
    key_ints(w, "map", t->map, t->rank);
    yaml_end(&w->y);
}

static void write_port(struct writer *w, const struct ir_port *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "kind", ir_stream_words[item->kind]);
    IR_PORT_FIELDS(WRITE_FIELD)
    write_type(w, &item->type);
    yaml_end(&w->y);
}

static void write_kernel(struct writer *w, const struct ir_kernel *item) {
    yaml_begin_map(&w->y, false);
    key_string(w, "name", item->name);
    key_string(w, "module", item->module);
    IR_KERNEL_FIELDS(WRITE_FIELD)
    yaml_write_key(&w->y, "params");
    yaml_begin_map(&w->y, false);
    for (int p = 0; p < item->params; p++)
        key_string(w, item->param[p].name, ir_value_print(w->ir->arena, &item->param[p].value));
    yaml_end(&w->y);
    yaml_write_key(&w->y, "ports");
    yaml_begin_seq(&w->y, false);
    for (int p = 0; p < item->ports; p++) write_port(w, &item->port[p]);
    yaml_end(&w->y);
    yaml_end(&w->y);
}

static void write_edge(struct writer *w, const struct ir_edge *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    IR_EDGE_FIELDS(WRITE_FIELD)
    key_string(w, "ram_style", item->ram_style != RAM_AUTO ? ram_style_words[item->ram_style] : NULL);
    key_string(w, "forced_by", item->forced_by);
    yaml_end(&w->y);
}

static void write_wire(struct writer *w, const struct ir_wire *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "port", item->port);
    key_string(w, "net", w->ir->net[item->net].verilog);
    IR_WIRE_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_client(struct writer *w, const struct ir_client *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "port", item->port);
    key_string(w, "base", item->base == IR_NONE ? NULL : w->ir->net[item->base].verilog);
    IR_CLIENT_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_engine(struct writer *w, const struct ir_engine *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "prefetch_style", item->prefetch_style != RAM_AUTO ? ram_style_words[item->prefetch_style] : NULL);
    IR_ENGINE_FIELDS(WRITE_FIELD)
    key_ints(w, "lane_die", item->lane_die, item->channels);
    yaml_end(&w->y);
}

static void write_firing(struct writer *w, const struct ir_firing *item) {
    yaml_begin_map(&w->y, true);
    IR_FIRING_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_segment(struct writer *w, const struct ir_segment *item) {
    yaml_begin_map(&w->y, true);
    key_string(w, "name", item->name);
    key_string(w, "kind", ir_segment_words[item->kind]);
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
    key_string(w, "name", item->name);
    IR_FUSION_FIELDS(WRITE_FIELD)
    yaml_end(&w->y);
}

static void write_custom(struct writer *w, const struct custom *item) { custom_write(&w->y, item); }

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
    key_ints(w, "inputs", ir->input, ir->inputs);
    key_ints(w, "outputs", ir->output, ir->outputs);
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

void ir_write_text(const struct ir *ir, struct text *out) {
    struct writer w = {.ir = ir};
    yaml_writer_init(&w.y, out);
    yaml_write_comment(&w.y, IR_TEXT_MAGIC);
    yaml_begin_map(&w.y, false);
    write_all(&w);
    yaml_end(&w.y);
}

bool ir_write(const struct ir *ir, const char *path, struct diag *diag) {
    struct text text = {0};
    ir_write_text(ir, &text);
    const char *why = file_write_text(ir->arena, path, &text);
    text_free(&text);
    if (why) diag_error(diag, loc_none(), "%s", why);
    return !why;
}
