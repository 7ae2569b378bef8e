// SPDX-License-Identifier: Apache-2.0
// Reads the part `graph` of a spec: inputs, regions and operations. The reader knows no operation, so it accepts any
// attributes. graph_check.c then checks the tensor names.
#include <stddef.h>
#include <string.h>

#include "gen/spec/spec_read.h"

struct reader {
    struct arena *arena;
    struct diag *diag;
    size_t ops; // operations so far, in all regions
};

#define NAME_JSON "{\"type\": \"string\", \"pattern\": \"^[A-Za-z_][A-Za-z0-9_]{0,62}$\"}"
#define ID_JSON "{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 1048575}"
#define NAMES_JSON(least) "{\"type\": \"array\", \"minItems\": " least ", \"maxItems\": 8, \"items\": " NAME_JSON "}"

static const struct schema_key input_keys[] = {
    {.key = "shape",
     .required = true,
     .range = "list of 1 to 3 integers",
     .doc = "extents of the tensor for one position, at most 1048576 elements in all",
     .json = "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 3, "
             "\"items\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 1048576}}"},
};
static const struct schema_table input_table = {
    .path = "graph.inputs", .what = "an input", .keys = input_keys, .key_count = COUNT_OF(input_keys)};

static const struct schema_key weights_keys[] = {
    {.key = "prefix",
     .range = "text",
     .preset = "none",
     .doc = "a prefix that the names of a checkpoint's tensors may have",
     .json = "{\"type\": \"string\"}"},
    {.key = "unused",
     .range = "list of texts",
     .preset = "none",
     .doc = "names of tensors in a checkpoint that the graph need not use. `*` stands for any "
            "characters. `NAME = OTHER` names a copy of another tensor, which must have the same values",
     .json = "{\"type\": \"array\", \"maxItems\": 1024, \"items\": {\"type\": \"string\"}}"},
};
static const struct schema_table weights_table = {
    .path = "graph.weights", .what = "weights", .keys = weights_keys, .key_count = COUNT_OF(weights_keys)};

static const struct schema_key carry_keys[] = {
    {.key = "init",
     .required = true,
     .range = "name",
     .doc = "the tensor's value in the first repetition, made before the region",
     .json = NAME_JSON},
    {.key = "next",
     .required = true,
     .range = "name",
     .doc = "the tensor's value in the next repetition, made in the region",
     .json = NAME_JSON},
};
static const struct schema_table carry_table = {
    .path = "graph.regions.carry", .what = "a carried tensor", .keys = carry_keys, .key_count = COUNT_OF(carry_keys)};

static const struct schema_key op_keys[] = {
    {.key = "op",
     .required = true,
     .range = "text",
     .doc = "the operation (section 5) or a custom kernel (section 6)",
     .json = NAME_JSON},
    {.key = "name", .range = "text", .preset = "one of the two", .doc = "name of its output", .json = NAME_JSON},
    {.key = "out",
     .range = "list of 1 to 8 names",
     .preset = "one of the two",
     .doc = "names of its outputs, if it has several",
     .json = "{\"anyOf\": [" NAME_JSON ", " NAMES_JSON("1") "]}"},
    {.key = "in",
     .range = "list of up to 8 names, or one name",
     .preset = "none",
     .doc = "names of the tensors that it reads",
     .json = "{\"anyOf\": [" NAME_JSON ", " NAMES_JSON("0") "]}"},
};
const struct schema_table spec_op_table = {
    .path = "graph.regions.ops", .what = "an operation", .keys = op_keys, .key_count = COUNT_OF(op_keys), .open = true};

static const struct schema_field region_fields[] = {
    {.key = "repeat",
     .type = SCHEMA_INT,
     .offset = SPEC_OFFSET(spec_region, repeat),
     .min = 1,
     .max = 65535,
     .preset = 1,
     .doc = "how often the region runs per position. Each repetition has its own weights"},
    {.key = "when",
     .type = SCHEMA_WORD,
     .offset = SPEC_OFFSET(spec_region, when),
     .words = spec_when_words,
     .count = 2,
     .doc = "`last`: the region runs only in steps whose result is needed, that is for the last "
            "token of a prompt and for every decoded token. Only for language models"},
};
static const struct schema_key region_maps[] = {
    {.key = "name",
     .required = true,
     .range = "text",
     .doc = "name of the region, unique among the regions",
     .json = NAME_JSON},
    {.key = "carry",
     .range = "map of up to 8",
     .preset = "none",
     .doc = "tensors that one repetition hands to the next: local name -> `{init: tensor, next: "
            "tensor}`",
     .holds = SCHEMA_HOLDS_NAMED,
     .table = &carry_table},
    {.key = "ops",
     .required = true,
     .range = "list",
     .doc = "operations in the order in which they run, at most 4096 in all regions together",
     .holds = SCHEMA_HOLDS_LIST,
     .table = &spec_op_table},
};
const struct schema_table spec_region_table = {.path = "graph.regions",
                                               .what = "region",
                                               .fields = region_fields,
                                               .count = COUNT_OF(region_fields),
                                               .keys = region_maps,
                                               .key_count = COUNT_OF(region_maps)};

static const struct schema_field graph_fields[] = {
    {.key = "context",
     .type = SCHEMA_INT,
     .offset = SPEC_OFFSET(spec_graph, context),
     .min = 1,
     .max = SPEC_MAX_CONTEXT,
     .preset_doc = "1024, or required (see meaning)",
     .doc = "most positions (or rows) of one request. Memory has space for the inputs and outputs of this many "
            "positions. Required in a language model, and in a graph that stores something per position "
            "(`position`, `kv_quantize`)"},
};
static const struct schema_key graph_maps[] = {
    {.key = "eot",
     .range = "0 to 1048575, or a list of up to 8",
     .preset = "none",
     .doc = "end-of-text ids of a language model. Decoding stops after any of them",
     .json = "{\"anyOf\": [" ID_JSON ", {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 8, "
             "\"uniqueItems\": true, \"items\": " ID_JSON "}]}"},
    {.key = "inputs",
     .required = true,
     .range = "map of 1 to 8",
     .doc = "name -> `{shape: [...]}`: the shape per position, 1 to 3 extents, at most 1048576 "
            "elements",
     .holds = SCHEMA_HOLDS_NAMED,
     .table = &input_table},
    {.key = "outputs",
     .required = true,
     .range = "list of 1 to 8 names",
     .doc = "names of the tensors that leave the design",
     .json = "{\"anyOf\": [" NAME_JSON ", " NAMES_JSON("1") "]}"},
    {.key = "weights",
     .range = "map",
     .preset = "none",
     .doc = "how the graph's names relate to a checkpoint: a prefix, and tensors that may stay unused",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &weights_table},
    {.key = "regions",
     .required = true,
     .range = "list of 1 to 64",
     .doc = "the program. Regions run in the order in which they are listed",
     .holds = SCHEMA_HOLDS_LIST,
     .table = &spec_region_table},
};
const struct schema_table spec_graph_table = {.path = "graph",
                                              .what = "graph",
                                              .fields = graph_fields,
                                              .count = COUNT_OF(graph_fields),
                                              .keys = graph_maps,
                                              .key_count = COUNT_OF(graph_maps)};

#define NEED(r, map, key, table) schema_need(map, key, table, (r)->arena, (r)->diag)

static void check_name(struct reader *r, struct spec_name name, const char *what) {
    if (spec_is_name(name.text, false)) return;
    diag_error(r->diag, name.loc, MSG_NAME_IN_GRAPH, what, name.text);
}

static struct spec_name read_name(struct reader *r, const struct yaml_node *node, const char *what) {
    struct spec_name name = {"", node->loc};
    if (yaml_string(node, what, &name.text, r->diag)) check_name(r, name, what);
    return name;
}

// Reads a single name, or a list of `least` to SPEC_MAX_PORTS names. Returns NULL after an error.
static struct spec_name *read_names(struct reader *r, const struct yaml_node *node, size_t least, const char *what,
                                    size_t *count) {
    bool list = node->kind == YAML_KIND_SEQ;
    if (node->kind == YAML_KIND_MAP) {
        diag_error(r->diag, node->loc, MSG_WRONG_FORM_NAMES, what);
        return NULL;
    }
    if (list && !yaml_expect_items(node, YAML_KIND_SEQ, least, SPEC_MAX_PORTS, what, r->diag)) return NULL;
    *count = list ? node->count : 1;
    struct spec_name *names = ARENA_ARRAY(r->arena, struct spec_name, *count);
    for (size_t i = 0; i < *count; i++) names[i] = read_name(r, list ? node->items[i] : node, what);
    return names;
}

// ---- operations ----

// Reads a scalar as the first of these types that fits its text: integer, number, flag, text.
static struct spec_value scalar_value(const struct yaml_node *node) {
    struct spec_value v = {.loc = node->loc, .s = node->text};
    bool truth = false;
    if (yaml_parse_int(node, &v.i)) {
        v.type = SPEC_VALUE_INT;
        v.f = (double)v.i;
    } else if (yaml_parse_float(node, &v.f)) {
        v.type = SPEC_VALUE_FLOAT;
    } else if (yaml_parse_bool(node, &truth)) {
        v.type = SPEC_VALUE_BOOL;
        v.i = truth;
    } else {
        v.type = SPEC_VALUE_STRING;
        v.quoted = node->quoted;
    }
    return v;
}

static struct spec_value read_value(struct reader *r, const struct yaml_node *node, const char *what) {
    struct spec_value v = {.type = SPEC_VALUE_LIST, .loc = node->loc, .s = ""};
    if (node->kind != YAML_KIND_SEQ) return yaml_expect(node, YAML_KIND_SCALAR, what, r->diag) ? scalar_value(node) : v;
    v.count = node->count;
    v.items = ARENA_ARRAY(r->arena, struct spec_value, v.count);
    for (size_t i = 0; i < v.count; i++)
        if (yaml_expect(node->items[i], YAML_KIND_SCALAR, what, r->diag)) v.items[i] = scalar_value(node->items[i]);
    return v;
}

static bool is_op_key(const char *key) {
    for (size_t i = 0; i < COUNT_OF(op_keys); i++)
        if (strcmp(key, op_keys[i].key) == 0) return true;
    return false;
}

// Reads the attributes, that is, all keys that not every operation has.
static void read_attrs(struct reader *r, const struct yaml_node *node, struct spec_op *op) {
    op->attrs = ARENA_ARRAY(r->arena, struct spec_attr, node->count);
    for (size_t i = 0; i < node->count; i++) {
        if (is_op_key(node->keys[i])) continue;
        struct spec_attr *attr = &op->attrs[op->attr_count++];
        attr->key = (struct spec_name){node->keys[i], node->key_locs[i]};
        attr->value = read_value(r, node->items[i], attr->key.text);
    }
}

// Reads the names of the outputs from `name` or `out`, exactly one of which must be present.
static void read_outs(struct reader *r, const struct yaml_node *node, struct spec_op *op) {
    const struct yaml_node *name = yaml_get(node, "name"), *out = yaml_get(node, "out");
    if (name && out) diag_error(r->diag, yaml_key_loc(node, "out"), MSG_NAME_AND_OUT);
    else if (!name && !out) diag_error(r->diag, node->loc, MSG_NO_NAME_NOR_OUT);
    else if (name && name->kind == YAML_KIND_SEQ) diag_error(r->diag, name->loc, MSG_NAME_OF_ONE);
    else if (name && yaml_expect(name, YAML_KIND_SCALAR, "name", r->diag))
        op->outs = read_names(r, name, 1, "name", &op->out_count);
    else if (out) op->outs = read_names(r, out, 1, "out", &op->out_count);
}

// Suggests `op` for every key that resembles it or is `type`. The other keys may be attributes, which are not known
// here.
static void note_op_key(struct reader *r, const struct yaml_node *node) {
    static const char *const meant[] = {"op"};
    for (size_t i = 0; i < node->count; i++)
        if (!is_op_key(node->keys[i]) && (diag_nearest_word(node->keys[i], meant, 1) || !strcmp(node->keys[i], "type")))
            diag_note(r->diag, node->key_locs[i], "did you mean `op`?");
}

static void read_op(struct reader *r, const struct yaml_node *node, struct spec_op *op) {
    *op = (struct spec_op){.op = {"", node->loc}, .loc = node->loc};
    if (!yaml_expect(node, YAML_KIND_MAP, "an operation", r->diag)) return;
    const struct yaml_node *kind = NEED(r, node, "op", &spec_op_table), *in = yaml_get(node, "in");
    if (kind) op->op = read_name(r, kind, "op");
    else note_op_key(r, node);
    read_outs(r, node, op);
    if (in) op->ins = read_names(r, in, 0, "in", &op->in_count);
    read_attrs(r, node, op);
}

// ---- regions ----

static void read_ops(struct reader *r, const struct yaml_node *node, struct spec_region *region) {
    if (!yaml_expect_items(node, YAML_KIND_SEQ, 1, SPEC_MAX_OPS, "ops", r->diag)) return;
    r->ops += node->count;
    if (r->ops > SPEC_MAX_OPS) {
        diag_error(r->diag, node->loc, MSG_OPERATION_COUNT, SPEC_MAX_OPS);
        return;
    }
    region->op_count = node->count;
    region->ops = ARENA_ARRAY(r->arena, struct spec_op, node->count);
    for (size_t i = 0; i < node->count; i++) read_op(r, node->items[i], &region->ops[i]);
}

static void read_carry(struct reader *r, const struct yaml_node *node, struct spec_carry *carry) {
    if (!yaml_expect(node, YAML_KIND_MAP, "a carried tensor", r->diag)) return;
    schema_check_keys(node, &carry_table, r->arena, r->diag);
    const struct yaml_node *init = NEED(r, node, "init", &carry_table), *next = NEED(r, node, "next", &carry_table);
    if (init) carry->init = read_name(r, init, "init");
    if (next) carry->next = read_name(r, next, "next");
}

static void read_carries(struct reader *r, const struct yaml_node *node, struct spec_region *region) {
    if (!yaml_expect_items(node, YAML_KIND_MAP, 0, SPEC_MAX_PORTS, "carry", r->diag)) return;
    region->carry_count = node->count;
    region->carries = ARENA_ARRAY(r->arena, struct spec_carry, node->count);
    for (size_t i = 0; i < node->count; i++) {
        region->carries[i].name = (struct spec_name){node->keys[i], node->key_locs[i]};
        check_name(r, region->carries[i].name, "a carried tensor");
        read_carry(r, node->items[i], &region->carries[i]);
    }
}

static void read_region(struct reader *r, const struct yaml_node *node, struct spec_region *region) {
    if (!yaml_expect(node, YAML_KIND_MAP, "a region", r->diag)) return;
    schema_read_table(node, &spec_region_table, region, r->arena, r->diag);
    const struct yaml_node *name = NEED(r, node, "name", &spec_region_table),
                           *ops = NEED(r, node, "ops", &spec_region_table);
    const struct yaml_node *carry = yaml_get(node, "carry");
    if (name) region->name = read_name(r, name, "name");
    if (carry) read_carries(r, carry, region);
    if (ops) read_ops(r, ops, region);
}

static void read_regions(struct reader *r, const struct yaml_node *node, struct spec_graph *graph) {
    if (!yaml_expect_items(node, YAML_KIND_SEQ, 1, SPEC_MAX_REGIONS, "regions", r->diag)) return;
    graph->region_count = node->count;
    graph->regions = ARENA_ARRAY(r->arena, struct spec_region, node->count);
    for (size_t i = 0; i < node->count; i++) read_region(r, node->items[i], &graph->regions[i]);
}

// ---- inputs ----

static void read_shape(struct reader *r, const struct yaml_node *node, struct spec_input *input) {
    if (!yaml_expect_items(node, YAML_KIND_SEQ, 1, SPEC_MAX_RANK, "shape", r->diag)) return;
    int64_t elements = 1;
    input->rank = node->count;
    input->shape = ARENA_ARRAY(r->arena, int, node->count);
    for (size_t i = 0; i < node->count; i++) {
        int64_t extent;
        if (!yaml_int(node->items[i], 1, SPEC_MAX_ELEMENTS, "shape", &extent, r->diag)) return;
        input->shape[i] = (int)extent;
        elements *= extent; // at most 2^60: three extents of 2^20
    }
    if (elements > SPEC_MAX_ELEMENTS)
        diag_error(r->diag, node->loc, MSG_INPUT_ELEMENTS, SPEC_MAX_ELEMENTS, (long long)elements);
}

static void read_inputs(struct reader *r, const struct yaml_node *node, struct spec_graph *graph) {
    if (!yaml_expect_items(node, YAML_KIND_MAP, 1, SPEC_MAX_PORTS, "inputs", r->diag)) return;
    graph->input_count = node->count;
    graph->inputs = ARENA_ARRAY(r->arena, struct spec_input, node->count);
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = node->items[i];
        graph->inputs[i].name = (struct spec_name){node->keys[i], node->key_locs[i]};
        check_name(r, graph->inputs[i].name, "input");
        if (!yaml_expect(item, YAML_KIND_MAP, "an input", r->diag)) continue;
        schema_check_keys(item, &input_table, r->arena, r->diag);
        const struct yaml_node *shape = NEED(r, item, "shape", &input_table);
        if (shape) read_shape(r, shape, &graph->inputs[i]);
    }
}

// ---- names of a checkpoint's tensors ----

static void read_unused(struct reader *r, const struct yaml_node *list, struct spec_weights *w) {
    if (!yaml_expect_items(list, YAML_KIND_SEQ, 0, SPEC_MAX_OPS, "unused", r->diag)) return;
    w->unused = ARENA_ARRAY(r->arena, const char *, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        if (yaml_string(list->items[i], "unused", &w->unused[w->unused_count], r->diag)) w->unused_count++;
}

static void read_weights(struct reader *r, const struct yaml_node *node, struct spec_weights *w) {
    if (!yaml_expect(node, YAML_KIND_MAP, "weights", r->diag)) return;
    schema_check_keys(node, &weights_table, r->arena, r->diag);
    const struct yaml_node *prefix = yaml_get(node, "prefix"), *unused = yaml_get(node, "unused");
    if (prefix) yaml_string(prefix, "prefix", &w->prefix, r->diag);
    if (unused) read_unused(r, unused, w);
}

static void read_end_ids(struct reader *r, const struct yaml_node *node, struct end_ids *ends) {
    int64_t id[END_IDS_MAX];
    yaml_ids(node, SPEC_MAX_ID, END_IDS_MAX, "graph.eot", id, &ends->count, r->diag);
    for (int i = 0; i < ends->count; i++) ends->id[i] = (uint32_t)id[i];
}

struct spec_graph *spec_read_graph(const struct yaml_node *node, struct arena *arena, struct diag *diag) {
    struct reader r = {arena, diag, 0};
    int before = diag->errors;
    struct spec_graph *graph = ARENA_NEW(arena, struct spec_graph);
    if (!yaml_expect(node, YAML_KIND_MAP, "graph", diag)) return NULL;
    schema_read_table(node, &spec_graph_table, graph, arena, diag);
    const struct yaml_node *inputs = NEED(&r, node, "inputs", &spec_graph_table);
    const struct yaml_node *outputs = NEED(&r, node, "outputs", &spec_graph_table);
    const struct yaml_node *regions = NEED(&r, node, "regions", &spec_graph_table);
    const struct yaml_node *weights = yaml_get(node, "weights"), *eot = yaml_get(node, "eot");
    if (eot) read_end_ids(&r, eot, &graph->eot);
    if (weights) read_weights(&r, weights, &graph->weights);
    if (inputs) read_inputs(&r, inputs, graph);
    if (outputs && yaml_expect_items(outputs, YAML_KIND_SEQ, 1, SPEC_MAX_PORTS, "outputs", r.diag))
        graph->outputs = read_names(&r, outputs, 1, "outputs", &graph->output_count);
    if (regions) read_regions(&r, regions, graph);
    if (diag->errors == before) spec_check_graph(graph, arena, diag);
    return diag->errors == before ? graph : NULL;
}
