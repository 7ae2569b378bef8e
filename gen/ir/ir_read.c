// SPDX-License-Identifier: Apache-2.0
// The IR from its YAML text. A dump may be edited by hand, so every field is checked; cross references are the
// verifier's business.
#include <limits.h>
#include <string.h>

#include "gen/ir/custom_text.h"
#include "gen/ir/ir_text.h"
#include "include/ops.h"
#include "include/yaml.h"

struct reader {
    struct arena *arena;
    struct diag *diag;
    bool ok;
};

static int64_t get_int(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    int64_t v = 0;
    if (!node) {
        diag_error(r->diag, map->loc, "`%s` is missing", key);
        r->ok = false;
    } else if (!yaml_int(node, INT64_MIN, INT64_MAX, key, &v, r->diag)) r->ok = false;
    return v;
}

static double get_float(struct reader *r, const struct yaml_node *map, const char *key, double min, double max) {
    const struct yaml_node *node = yaml_get(map, key);
    double v = 0;
    if (!node) {
        diag_error(r->diag, map->loc, "`%s` is missing", key);
        r->ok = false;
    } else if (!yaml_float(node, min, max, key, &v, r->diag)) r->ok = false;
    return v;
}

static const char *get_string(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    if (node && node->kind == YAML_KIND_SCALAR) return arena_strdup(r->arena, node->text);
    diag_error(r->diag, map->loc, "`%s` is missing or no value", key);
    r->ok = false;
    return "";
}

static const char *get_optional(struct reader *r, const struct yaml_node *map, const char *key) {
    return yaml_get(map, key) ? get_string(r, map, key) : NULL;
}

static int get_word(struct reader *r, const struct yaml_node *map, const char *key, const char *const *words,
                    size_t count) {
    const struct yaml_node *node = yaml_get(map, key);
    int v = 0;
    if (!node) {
        diag_error(r->diag, map->loc, "`%s` is missing", key);
        r->ok = false;
    } else if (!yaml_word(node, words, count, key, &v, r->diag)) r->ok = false;
    return v;
}

static enum ram_style get_style(struct reader *r, const struct yaml_node *map, const char *key) {
    return yaml_get(map, key) ? (enum ram_style)get_word(r, map, key, ram_style_words, RAM_STYLES) : RAM_AUTO;
}

// Items of a list; 0 when it is absent or has more than max.
static size_t list_count(struct reader *r, const struct yaml_node *list, size_t max) {
    if (list && list->kind == YAML_KIND_SEQ && list->count <= max) return list->count;
    diag_error(r->diag, list ? list->loc : loc_none(), "the IR needs a list of at most %zu items here", max);
    r->ok = false;
    return 0;
}

static int64_t item_int(struct reader *r, const struct yaml_node *list, size_t i) {
    int64_t v = 0;
    if (!yaml_int(list->items[i], INT64_MIN, INT64_MAX, "item", &v, r->diag)) r->ok = false;
    return v;
}

static int get_ints(struct reader *r, const struct yaml_node *map, const char *key, int *out, size_t max) {
    const struct yaml_node *list = yaml_get(map, key);
    size_t count = list_count(r, list, max);
    for (size_t i = 0; i < count; i++) out[i] = (int)item_int(r, list, i);
    return (int)count;
}

static int get_longs(struct reader *r, const struct yaml_node *map, const char *key, int64_t *out, size_t max) {
    const struct yaml_node *list = yaml_get(map, key);
    size_t count = list_count(r, list, max);
    for (size_t i = 0; i < count; i++) out[i] = item_int(r, list, i);
    return (int)count;
}

static int get_extents(struct reader *r, const struct yaml_node *map, const char *key, struct ir_extent *out,
                       size_t max) {
    const struct yaml_node *list = yaml_get(map, key);
    size_t count = list_count(r, list, 2 * max) / 2;
    for (size_t i = 0; i < count; i++) {
        int word = 0;
        out[i].bound = item_int(r, list, 2 * i);
        if (!yaml_word(list->items[2 * i + 1], ir_dynamic_words, COUNT_OF(ir_dynamic_words), key, &word, r->diag))
            r->ok = false;
        out[i].dynamic = (enum ir_dynamic)word;
    }
    return (int)count;
}

#define READ_PLATFORM(key, member) item->platform.member = get_optional(r, map, key);
#define READ_FIELD(name) item->name = (__typeof__(item->name))get_int(r, map, #name);

static const struct yaml_node *get_map(struct reader *r, const struct yaml_node *design, const char *key) {
    const struct yaml_node *map = yaml_get(design, key);
    if (map && yaml_expect(map, YAML_KIND_MAP, key, r->diag)) return map;
    if (!map) diag_error(r->diag, design->loc, "`%s` is missing", key);
    r->ok = false;
    return NULL;
}

static void read_hbm(struct reader *r, const struct yaml_node *design, struct hbm_figures *item) {
    const struct yaml_node *map = get_map(r, design, "hbm");
    if (!map) return;
#define READ_FIGURE(type, key, low, high, preset, unit, text) item->key = (type)get_float(r, map, #key, low, high);
    HBM_FIGURES(READ_FIGURE)
#undef READ_FIGURE
    struct hbm_fault fault[HBM_MAX_FAULTS];
    if (!r->ok || !hbm_figures_faults(r->arena, item, fault)) return;
    diag_error(r->diag, map->loc, "%s", fault[0].what);
    r->ok = false;
}

static void read_figures(struct reader *r, const struct yaml_node *design, struct board_figures *item) {
    const struct yaml_node *map;
#define READ_FIGURE(type, key, low, high, preset, unit, text) part->key = (type)get_float(r, map, #key, low, high);
#define READ_SECTION(name, figures)                                                                                    \
    map = get_map(r, design, #name);                                                                                   \
    if (map) {                                                                                                         \
        struct board_##name *part = &item->name;                                                                       \
        figures(READ_FIGURE)                                                                                           \
    }
    BOARD_SECTIONS(READ_SECTION)
#undef READ_SECTION
#undef READ_FIGURE
}

static void read_design(struct reader *r, const struct yaml_node *root, struct ir_design *item) {
    const struct yaml_node *map = yaml_get(root, "design");
    if (!map) {
        diag_error(r->diag, root->loc, "`design` is missing");
        r->ok = false;
        return;
    }
    item->clock_mhz = get_float(r, map, "clock_mhz", 1, 2000);
    read_hbm(r, map, &item->hbm);
    read_figures(r, map, &item->figures);
    IR_DESIGN_FIELDS(READ_FIELD)
    item->family = get_optional(r, map, "family");
    item->binding = (enum spec_binding)get_word(r, map, "binding", spec_binding_words, SPEC_BINDINGS);
    item->fifo = (enum spec_fifo)get_word(r, map, "fifo", spec_fifo_words, SPEC_FIFOS);
    item->weights = (enum spec_format)get_word(r, map, "weights", spec_format_words, SPEC_FORMATS);
    item->board = get_string(r, map, "board");
    IR_PLATFORM_FIELDS(READ_PLATFORM)
    item->strategy = get_optional(r, map, "strategy");
    item->memories = get_optional(r, map, "memories");
    item->placement = get_optional(r, map, "placement");
}

static void read_tensor(struct reader *r, const struct yaml_node *map, struct ir_tensor *item) {
    item->name = get_string(r, map, "name");
    item->dtype = (enum ir_dtype)get_word(r, map, "dtype", ir_dtype_words, COUNT_OF(ir_dtype_words));
    item->rank = get_extents(r, map, "shape", item->shape, IR_MAX_RANK);
    item->loc = map->loc;
    IR_TENSOR_FIELDS(READ_FIELD)
}

// What is no number is a text; what it means, the operations table says.
static void read_attr(struct reader *r, struct ir *ir, int op, struct ir_attrs *attrs, const char *key,
                      const struct yaml_node *pair) {
    struct ir_op_attr row;
    double f = 0;
    if (list_count(r, pair, 2) != 2) return;
    switch (item_int(r, pair, 0)) {
    case IR_ATTR_INT: ir_attr_set_int(ir, attrs, key, item_int(r, pair, 1)); break;
    case IR_ATTR_FLOAT:
        if (!yaml_float(pair->items[1], -1e300, 1e300, key, &f, r->diag)) r->ok = false;
        ir_attr_set_float(ir, attrs, key, f);
        break;
    default: {
        const char *text = pair->items[1]->kind == YAML_KIND_SCALAR ? pair->items[1]->text : "";
        if (ir_op_attr_of(ir, op, key, &row)) ir_attr_set_text(ir, attrs, &row, text);
        else ir_attr_set_string(ir, attrs, key, text);
    }
    }
}

static void read_node(struct reader *r, struct ir *ir, const struct yaml_node *map, struct ir_node *node) {
    node->name = get_string(r, map, "name");
    node->op = ir_op_find(ir, get_string(r, map, "op"));
    if (node->op == IR_NONE) {
        diag_error(r->diag, map->loc, "unknown operation at node `%s`", node->name);
        r->ok = false;
        node->op = 0;
    }
    node->region = (int)get_int(r, map, "region");
    node->inputs = get_ints(r, map, "in", node->in, IR_MAX_PORTS);
    node->outputs = get_ints(r, map, "out", node->out, IR_MAX_PORTS);
    node->lanes = (int)get_int(r, map, "lanes");
    node->orders = get_ints(r, map, "order", node->order, IR_MAX_RANK);
    node->loc = map->loc;
    const struct yaml_node *attrs = yaml_get(map, "attrs");
    for (size_t i = 0; attrs && attrs->kind == YAML_KIND_MAP && i < attrs->count; i++)
        read_attr(r, ir, node->op, &node->attrs, attrs->keys[i], attrs->items[i]);
}

static void read_region(struct reader *r, const struct yaml_node *map, struct ir_region *item) {
    int flat[3 * IR_MAX_PORTS];
    item->name = get_string(r, map, "name");
    item->when = (enum ir_when)get_word(r, map, "when", ir_when_words, COUNT_OF(ir_when_words));
    item->loc = map->loc;
    IR_REGION_FIELDS(READ_FIELD)
    item->carries = get_ints(r, map, "carry", flat, COUNT_OF(flat)) / 3;
    for (int c = 0; c < item->carries; c++)
        item->carry[c] = (struct ir_carry){flat[3 * c], flat[3 * c + 1], flat[3 * c + 2]};
}

static void read_type(struct reader *r, const struct yaml_node *port, struct ir_itensor *t) {
    const struct yaml_node *map = yaml_get(port, "type");
    if (!map) {
        r->ok = false;
        return;
    }
    t->dtype = (enum ir_dtype)get_word(r, map, "dtype", ir_dtype_words, COUNT_OF(ir_dtype_words));
    t->rank = get_longs(r, map, "element", t->element, IR_MAX_RANK);
    t->loops = get_extents(r, map, "trip", t->trip, IR_MAX_LOOPS);
    get_longs(r, map, "step", t->step, IR_MAX_LOOPS);
    get_ints(r, map, "map", t->map, IR_MAX_RANK);
}

static void read_port(struct reader *r, const struct yaml_node *map, struct ir_port *item) {
    item->name = get_string(r, map, "name");
    item->kind = (enum ir_stream_kind)get_word(r, map, "kind", ir_stream_words, COUNT_OF(ir_stream_words));
    IR_PORT_FIELDS(READ_FIELD)
    read_type(r, map, &item->type);
}

static void read_kernel(struct reader *r, struct ir *ir, int k, const struct yaml_node *map) {
    struct ir_kernel *item = &ir->kernel[k];
    item->name = get_string(r, map, "name");
    item->module = get_string(r, map, "module");
    IR_KERNEL_FIELDS(READ_FIELD)
    const struct yaml_node *params = yaml_get(map, "params"), *ports = yaml_get(map, "ports");
    for (size_t i = 0; params && params->kind == YAML_KIND_MAP && i < params->count; i++)
        if (params->items[i]->kind == YAML_KIND_SCALAR)
            ir_set_param(ir, k, params->keys[i], ir_value_read(ir->arena, params->items[i]->text));
    size_t count = ports ? list_count(r, ports, 4096) : 0;
    ir->kernel[k].port = ARENA_ARRAY(r->arena, struct ir_port, count + 1);
    ir->kernel[k].port_capacity = count;
    ir->kernel[k].ports = (int)count;
    for (size_t p = 0; p < count; p++) read_port(r, ports->items[p], &ir->kernel[k].port[p]);
}

static void read_edge(struct reader *r, const struct yaml_node *map, struct ir_edge *item) {
    item->name = get_string(r, map, "name");
    item->ram_style = get_style(r, map, "ram_style");
    item->forced_by = get_optional(r, map, "forced_by");
    IR_EDGE_FIELDS(READ_FIELD)
}

static void read_wire(struct reader *r, struct ir *ir, const struct yaml_node *map, struct ir_wire *item) {
    item->port = get_string(r, map, "port");
    item->net = ir_net(ir, get_string(r, map, "net"));
    IR_WIRE_FIELDS(READ_FIELD)
}

static void read_client(struct reader *r, struct ir *ir, const struct yaml_node *map, struct ir_client *item) {
    const char *base = get_optional(r, map, "base");
    item->name = get_string(r, map, "name");
    item->port = get_string(r, map, "port");
    item->base = base ? ir_net(ir, base) : IR_NONE;
    IR_CLIENT_FIELDS(READ_FIELD)
}

static void read_engine(struct reader *r, const struct yaml_node *map, struct ir_engine *item) {
    item->name = get_string(r, map, "name");
    item->prefetch_style = get_style(r, map, "prefetch_style");
    IR_ENGINE_FIELDS(READ_FIELD)
    get_ints(r, map, "lane_die", item->lane_die, IR_MAX_LANES);
}

static void read_die(struct reader *r, const struct yaml_node *map, struct ir_die *item) {
    item->name = get_string(r, map, "name");
    IR_DIE_FIELDS(READ_FIELD)
}

static void read_firing(struct reader *r, const struct yaml_node *map, struct ir_firing *item) {
    IR_FIRING_FIELDS(READ_FIELD)
}

static void read_segment(struct reader *r, const struct yaml_node *map, struct ir_segment *item) {
    item->name = get_string(r, map, "name");
    item->kind = (enum ir_segment_kind)get_word(r, map, "kind", ir_segment_words, COUNT_OF(ir_segment_words));
    IR_SEGMENT_FIELDS(READ_FIELD)
}

static void read_group(struct reader *r, const struct yaml_node *map, struct ir_group *item) {
    IR_GROUP_FIELDS(READ_FIELD)
}

static void read_fusion(struct reader *r, const struct yaml_node *map, struct ir_fusion *item) {
    item->name = get_string(r, map, "name");
    IR_FUSION_FIELDS(READ_FIELD)
}

static void read_unused(struct reader *r, struct ir *ir, const struct yaml_node *list) {
    size_t count = list ? list_count(r, list, 1 << 10) : 0;
    ir->unused = ARENA_ARRAY(r->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (yaml_string(list->items[i], "unused", &ir->unused[i], r->diag)) ir->unuseds++;
        else r->ok = false;
}

// Allocates ir->item[] for the list under key and yields its nodes.
#define READ_LIST(key, item, counter, capacity)                                                                        \
    list = yaml_get(root, key);                                                                                        \
    ir->counter = (int)list_count(r, list, 1 << 20);                                                                   \
    ir->capacity = (size_t)ir->counter;                                                                                \
    ir->item = arena_alloc(r->arena, (size_t)ir->counter + 1, sizeof *ir->item);                                       \
    for (int i = 0; i < ir->counter; i++)

static void read_all(struct reader *r, struct ir *ir, const struct yaml_node *root) {
    const struct yaml_node *list;
    ir->name = get_string(r, root, "name");
    ir->done = get_string(r, root, "done");
    ir->spec = get_optional(r, root, "spec");
    ir->family = get_optional(r, root, "family");
    ir->prefix = get_optional(r, root, "prefix");
    read_unused(r, ir, yaml_get(root, "unused"));
    read_design(r, root, &ir->design);
    if (!custom_read(ir, root, r->diag)) r->ok = false;
    READ_LIST("tensors", tensor, tensors, tensor_capacity) read_tensor(r, list->items[i], &ir->tensor[i]);
    READ_LIST("nodes", node, nodes, node_capacity) read_node(r, ir, list->items[i], &ir->node[i]);
    READ_LIST("regions", region, regions, region_capacity) read_region(r, list->items[i], &ir->region[i]);
    ir->inputs = get_ints(r, root, "inputs", ir->input, IR_MAX_PORTS);
    ir->outputs = get_ints(r, root, "outputs", ir->output, IR_MAX_PORTS);
    READ_LIST("kernels", kernel, kernels, kernel_capacity) read_kernel(r, ir, i, list->items[i]);
    READ_LIST("edges", edge, edges, edge_capacity) read_edge(r, list->items[i], &ir->edge[i]);
    READ_LIST("wires", wire, wires, wire_capacity) read_wire(r, ir, list->items[i], &ir->wire[i]);
    READ_LIST("clients", client, clients, client_capacity) read_client(r, ir, list->items[i], &ir->client[i]);
    READ_LIST("engines", engine, engines, engine_capacity) read_engine(r, list->items[i], &ir->engine[i]);
    READ_LIST("firings", firing, firings, firing_capacity) read_firing(r, list->items[i], &ir->firing[i]);
    READ_LIST("segments", segment, segments, segment_capacity) read_segment(r, list->items[i], &ir->segment[i]);
    READ_LIST("groups", group, groups, group_capacity) read_group(r, list->items[i], &ir->group[i]);
    READ_LIST("fusions", fusion, fusions, fusion_capacity) read_fusion(r, list->items[i], &ir->fusion[i]);
    READ_LIST("dies", die, dies, die_capacity) read_die(r, list->items[i], &ir->die[i]);
}

struct ir *ir_read(struct arena *arena, const char *path, struct diag *diag) {
    const struct yaml_node *root = yaml_read_file(path, arena, diag);
    if (!root || !yaml_expect(root, YAML_KIND_MAP, "the IR", diag)) return NULL;
    struct reader r = {arena, diag, true};
    struct ir *ir = ARENA_NEW(arena, struct ir);
    ir->arena = arena;
    read_all(&r, ir, root);
    return r.ok && ir_verify(ir, diag, "reading") ? ir : NULL;
}
