// SPDX-License-Identifier: Apache-2.0
// Reads the IR from the YAML text that ir_write.c writes (a dump). A dump may have been edited by hand. This file
// checks the form of every field and that names exist; the verifier (verify.c) then checks how the parts fit together.
#include <limits.h>
#include <string.h>

#include "gen/ir/custom_text.h"
#include "gen/ir/ir_reader.h"
#include "gen/ir/ir_text.h"
#include "gen/ir/ops.h"
#include "gen/base/yaml.h"

static const char *const list_keys[LISTS] = {"nodes", "regions", "tensors", "kernels", "engines", "dies"},
                         *const list_words[LISTS] = {"node", "region", "tensor", "kernel", "engine", "die"};

// FIELD_KEY gives the key of a field in the lists of ir_text.h. CHECK_KEYS reports keys of a map that are not listed.
#define FIELD_KEY(kind, name) #name,
#define CHECK_KEYS(map, what, ...)                                                                                     \
    do {                                                                                                               \
        static const char *const keys[] = {__VA_ARGS__};                                                               \
        reader_check_keys(r, map, keys, COUNT_OF(keys), what);                                                         \
    } while (0)

// ---- names ----

// Returns the index of the item that a YAML node names, in the list `which`. Reports an unknown name and returns
// IR_NONE.
static int find_name(struct reader *r, enum list which, const struct yaml_node *node, const char *key) {
    const char *const *names = r->list[which].name;
    int count = r->list[which].count;
    if (node->kind != YAML_KIND_SCALAR) {
        reader_wrong(r, node, key, "no name");
        return IR_NONE;
    }
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], node->text)) return i;
    diag_error(r->diag, node->loc, MSG_DUMP_REFERENCE, key, list_words[which], node->text);
    diag_note_words(r->diag, node->loc, node->text, names, (size_t)count);
    r->ok = false;
    return IR_NONE;
}

// Returns the index of the item that the value of `key` names; IR_NONE if the key is missing or after an error.
static int get_name(struct reader *r, enum list which, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    return node ? find_name(r, which, node, key) : IR_NONE;
}

// Finds a die by name. Dumps of older versions give its number instead; a number out of range becomes IR_MAX_DIES,
// which the verifier rejects.
static int find_die(struct reader *r, const struct yaml_node *node, const char *key) {
    int64_t number;
    if (yaml_parse_int(node, &number)) return number >= 0 && number < IR_MAX_DIES ? (int)number : IR_MAX_DIES;
    return find_name(r, DIES, node, key);
}

// Returns the die at a key, and die 0 if the key is missing, because the dump of a design on one die has no such keys.
static int get_die(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    return node ? find_die(r, node, key) : 0;
}

static void get_dies(struct reader *r, const struct yaml_node *map, const char *key, int *out, size_t max) {
    const struct yaml_node *list = yaml_get(map, key);
    size_t count = list ? reader_list_count(r, list, max) : 0;
    for (size_t i = 0; i < count; i++) out[i] = find_die(r, list->items[i], key);
}

static int get_tensors(struct reader *r, const struct yaml_node *map, const char *key, int *out) {
    const struct yaml_node *list = yaml_get(map, key);
    size_t count = reader_list_count(r, list, IR_MAX_PORTS);
    for (size_t i = 0; i < count; i++) out[i] = find_name(r, TENSORS, list->items[i], key);
    return (int)count;
}

// Reads the names of all items in a list, so that items can refer to names that come later in the file. Reports a name
// that occurs twice.
static void read_names(struct reader *r, enum list which, const struct yaml_node *root) {
    const struct yaml_node *list = yaml_get(root, list_keys[which]);
    size_t count = reader_list_count(r, list, 1 << 20);
    const char **name = r->list[which].name = ARENA_ARRAY(r->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        name[i] = reader_string(r, list->items[i], "name");
        for (size_t j = 0; j < i; j++) {
            if (strcmp(name[j], name[i]) != 0) continue;
            diag_error(r->diag, list->items[i]->loc, MSG_DUMP_TWICE, list_words[which], name[i]);
            r->ok = false;
            break;
        }
    }
    r->list[which].count = (int)count;
}

// ---- fields ----

// READ_<kind> reads a field of this kind from `map`. ir_text.h lists the fields of each struct and explains the kinds.
#define READ_FIELD(kind, name) item->name = (__typeof__(item->name))READ_##kind(name);
#define READ_INT(name) reader_int(r, map, #name)
#define READ_COUNT(name) reader_count(r, map, #name, 0)
#define READ_TIMES(name) reader_count(r, map, #name, 1)
#define READ_FLAG(name) reader_flag(r, map, #name)
#define READ_PLACE(name) reader_count(r, map, #name, IR_NONE)
#define READ_STYLE(name) reader_style(r, map, #name)
#define READ_NODE(name) get_name(r, NODES, map, #name)
#define READ_REGION(name) get_name(r, REGIONS, map, #name)
#define READ_TENSOR(name) get_name(r, TENSORS, map, #name)
#define READ_KERNEL(name) get_name(r, KERNELS, map, #name)
#define READ_ENGINE(name) get_name(r, ENGINES, map, #name)
#define READ_DIE(name) get_die(r, map, #name)
#define READ_PLATFORM(key, member) item->platform.member = reader_optional(r, map, key);

// Returns the map at a key of `design`. Reports an error and returns NULL if the value is missing or is not a map.
static const struct yaml_node *get_map(struct reader *r, const struct yaml_node *design, const char *key) {
    const struct yaml_node *map = yaml_get(design, key);
    if (map && yaml_expect(map, YAML_KIND_MAP, key, r->diag)) return map;
    if (!map) diag_error(r->diag, design->loc, MSG_DUMP_KEY_MISSING, key);
    r->ok = false;
    return NULL;
}

static void read_hbm(struct reader *r, const struct yaml_node *design, struct hbm_figures *item) {
    const struct yaml_node *map = get_map(r, design, "hbm");
    if (!map) return;
#define READ_FIGURE(type, key, low, high, preset, unit, text) item->key = (type)reader_float(r, map, #key, low, high);
    HBM_FIGURES(READ_FIGURE)
#undef READ_FIGURE
    struct hbm_fault fault[HBM_MAX_FAULTS];
    if (!r->ok || !hbm_figures_faults(r->arena, item, fault)) return;
    diag_error(r->diag, map->loc, MSG_BOARD_MEMORY, fault[0].what);
    r->ok = false;
}

static void read_figures(struct reader *r, const struct yaml_node *design, struct board_figures *item) {
    const struct yaml_node *map;
#define READ_FIGURE(type, key, low, high, preset, unit, text) part->key = (type)reader_float(r, map, #key, low, high);
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

static void read_end_ids(struct reader *r, const struct yaml_node *design, struct end_ids *item) {
    const struct yaml_node *list = yaml_get(design, "eot");
    int64_t id[END_IDS_MAX];
    if (list && !yaml_ids(list, UINT32_MAX, END_IDS_MAX, "eot", id, &item->count, r->diag)) r->ok = false;
    for (int i = 0; i < item->count; i++) item->id[i] = (uint32_t)id[i];
}

// Reads how FIFO depths were chosen, in the form of ir_strategy_text: the strategy and the text about its decision,
// such as `auto: ...`.
static void read_strategy(struct reader *r, const struct yaml_node *map, struct ir_design *item) {
    const char *text = reader_optional(r, map, "strategy");
    if (!text) return;
    for (size_t s = IR_STRATEGY_NONE + 1; s < COUNT_OF(ir_strategy_words); s++) {
        size_t len = strlen(ir_strategy_words[s]);
        if (strncmp(text, ir_strategy_words[s], len) != 0 || strncmp(text + len, ": ", 2) != 0) continue;
        item->strategy = (enum ir_strategy)s;
        item->weighed = text + len + 2;
        return;
    }
    reader_wrong(r, yaml_get(map, "strategy"), "strategy", "no strategy: `auto: ...`, `conservative: ...`");
}

static void read_design(struct reader *r, const struct yaml_node *root, struct ir_design *item) {
    const struct yaml_node *map = yaml_get(root, "design");
    if (!map) {
        diag_error(r->diag, root->loc, MSG_DUMP_DESIGN_MISSING);
        r->ok = false;
        return;
    }
#define SECTION_KEY(name, figures) #name,
#define PLATFORM_KEY(key, member) key,
    CHECK_KEYS(map, "design", "clock_mhz", "hbm", "derived", "family", "binding", "fifo", "weights", "activations",
               "board", "strategy", "memories", "placement", "eot",
               BOARD_SECTIONS(SECTION_KEY) IR_DESIGN_FIELDS(FIELD_KEY) IR_PLATFORM_FIELDS(PLATFORM_KEY));
    item->clock_mhz = reader_float(r, map, "clock_mhz", 1, 2000);
    read_hbm(r, map, &item->hbm);
    read_figures(r, map, &item->figures);
    IR_DESIGN_FIELDS(READ_FIELD)
    read_end_ids(r, map, &item->eot);
    item->derived = reader_optional(r, map, "derived");
    item->family = reader_optional(r, map, "family");
    item->binding = (enum spec_binding)reader_word(r, map, "binding", spec_binding_words, SPEC_BINDINGS);
    item->fifo = (enum spec_fifo)reader_word(r, map, "fifo", spec_fifo_words, SPEC_FIFOS);
    item->weights = (enum spec_format)reader_word(r, map, "weights", spec_format_words, SPEC_FORMATS);
    item->activations =
        (enum spec_activations)reader_word(r, map, "activations", spec_activation_words, SPEC_ACTIVATIONS);
    item->board = reader_string(r, map, "board");
    IR_PLATFORM_FIELDS(READ_PLATFORM)
    read_strategy(r, map, item);
    item->memories = reader_optional(r, map, "memories");
    item->placement = reader_optional(r, map, "placement");
}

static void read_tensor(struct reader *r, const struct yaml_node *map, struct ir_tensor *item) {
    CHECK_KEYS(map, "tensor", "name", "dtype", "shape", IR_TENSOR_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    item->dtype = (enum ir_dtype)reader_word(r, map, "dtype", ir_dtype_words, COUNT_OF(ir_dtype_words));
    item->rank = reader_extents(r, map, "shape", item->shape, IR_MAX_RANK);
    item->loc = map->loc;
    IR_TENSOR_FIELDS(READ_FIELD)
}

// Reads an attribute that is a list of integers.
static void read_list(struct reader *r, struct ir *ir, struct ir_attrs *attrs, const char *key,
                      const struct yaml_node *list) {
    size_t count = reader_list_count(r, list, 1 << 10);
    int64_t *item = ARENA_ARRAY(r->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) item[i] = reader_item_int(r, list, i);
    ir_attr_set_list(ir, attrs, key, item, (int)count);
}

// Reads an attribute. The form of its text makes it an integer, a number or a list. Any other text gets the kind that
// the operations table gives the attribute, or is a string if the table does not have it.
static void read_attr(struct reader *r, struct ir *ir, int op, struct ir_attrs *attrs, const char *key,
                      const struct yaml_node *node) {
    struct ir_op_attr row;
    int64_t v;
    double f;
    if (node->kind == YAML_KIND_SEQ) return read_list(r, ir, attrs, key, node);
    if (node->kind != YAML_KIND_SCALAR) return reader_wrong(r, node, key, "no value of an attribute");
    if (yaml_parse_int(node, &v)) ir_attr_set_int(ir, attrs, key, v);
    else if (yaml_parse_float(node, &f)) ir_attr_set_float(ir, attrs, key, f);
    else if (ir_op_attr_of(ir, op, key, &row)) ir_attr_set_text(ir, attrs, &row, node->text);
    else ir_attr_set_string(ir, attrs, key, node->text);
}

static void read_node(struct reader *r, struct ir *ir, const struct yaml_node *map, struct ir_node *node) {
    CHECK_KEYS(map, "node", "name", "op", "region", "in", "out", "lanes", "order", "attrs");
    node->name = reader_string(r, map, "name");
    node->op = ir_op_find(ir, reader_string(r, map, "op"));
    if (node->op == IR_NONE) {
        diag_error(r->diag, map->loc, MSG_UNKNOWN_NODE_OPERATION, node->name);
        r->ok = false;
        node->op = 0;
    }
    node->region = get_name(r, REGIONS, map, "region");
    node->inputs = get_tensors(r, map, "in", node->in);
    node->outputs = get_tensors(r, map, "out", node->out);
    node->lanes = (int)reader_count(r, map, "lanes", 0);
    node->orders = reader_ints(r, map, "order", node->order, IR_MAX_RANK);
    node->loc = map->loc;
    const struct yaml_node *attrs = yaml_get(map, "attrs");
    for (size_t i = 0; attrs && attrs->kind == YAML_KIND_MAP && i < attrs->count; i++)
        read_attr(r, ir, node->op, &node->attrs, attrs->keys[i], attrs->items[i]);
}

static void read_carry(struct reader *r, const struct yaml_node *map, struct ir_carry *item) {
    CHECK_KEYS(map, "carry", IR_CARRY_FIELDS(FIELD_KEY));
    IR_CARRY_FIELDS(READ_FIELD)
    if (item->local != IR_NONE && item->init != IR_NONE && item->next != IR_NONE) return;
    diag_error(r->diag, map->loc, MSG_DUMP_CARRY);
    r->ok = false;
}

static void read_region(struct reader *r, const struct yaml_node *map, struct ir_region *item) {
    CHECK_KEYS(map, "region", "name", "when", "carry", IR_REGION_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    item->when = (enum ir_when)reader_word(r, map, "when", ir_when_words, COUNT_OF(ir_when_words));
    item->loc = map->loc;
    IR_REGION_FIELDS(READ_FIELD)
    const struct yaml_node *list = yaml_get(map, "carry");
    item->carries = list ? (int)reader_list_count(r, list, IR_MAX_PORTS) : 0;
    for (int c = 0; c < item->carries; c++) read_carry(r, list->items[c], &item->carry[c]);
}

// Sets the first node and the number of nodes of each region. Nodes must be in the order of their regions.
static void give_nodes(struct reader *r, struct ir *ir) {
    int region = 0;
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        if (node->region < region) {
            diag_error(r->diag, node->loc, MSG_DUMP_REGION, node->name);
            r->ok = false;
            return;
        }
        region = node->region;
        ir->region[region].nodes++;
    }
    for (int i = 1; i < ir->regions; i++)
        ir->region[i].first_node = ir->region[i - 1].first_node + ir->region[i - 1].nodes;
}

static void read_type(struct reader *r, const struct yaml_node *port, struct ir_itensor *t) {
    const struct yaml_node *node = yaml_get(port, "type");
    if (node && (node->kind != YAML_KIND_SCALAR || !ir_type_read(node->text, t)))
        reader_wrong(r, node, "type", "no itensor type: `itensor<1x8xf32, [16, tokens<=2]*[8, 1], (d0,d1)->(d1,d0)>`");
}

static void read_port(struct reader *r, const struct yaml_node *map, struct ir_port *item) {
    CHECK_KEYS(map, "port", "name", "kind", "type", IR_PORT_FIELDS(FIELD_KEY));
    item->edge = IR_NONE; // until the edges are read
    item->name = reader_text(r, map, "name");
    item->role = ir_role_of(item->name);
    item->kind = (enum ir_stream_kind)reader_word(r, map, "kind", ir_stream_words, COUNT_OF(ir_stream_words));
    IR_PORT_FIELDS(READ_FIELD)
    read_type(r, map, &item->type);
}

// Reads a parameter in the form that write_param (ir_write.c) writes.
static struct ir_value read_param(struct reader *r, const struct yaml_node *node) {
    if (node->kind == YAML_KIND_MAP) {
        CHECK_KEYS(node, "parameter", "text", "verilog");
        const char *text = reader_optional(r, node, "text");
        return text ? ir_value_text(text)
                    : (struct ir_value){.kind = IR_VALUE_VERBATIM, .text = reader_string(r, node, "verilog")};
    }
    if (node->kind != YAML_KIND_SCALAR) {
        diag_error(r->diag, node->loc, MSG_DUMP_PARAMETER);
        r->ok = false;
        return ir_value_int(0);
    }
    struct ir_value v = ir_value_read(r->arena, node->text);
    if (v.kind == IR_VALUE_TEXT || v.kind == IR_VALUE_STYLE) {
        diag_error(r->diag, node->loc, MSG_DUMP_TEXT, v.kind == IR_VALUE_TEXT ? v.text : ram_style_words[v.style]);
        r->ok = false;
    }
    return v.kind == IR_VALUE_VERBATIM ? ir_value_said(arena_strdup(r->arena, node->text)) : v;
}

static void read_kernel(struct reader *r, struct ir *ir, int k, const struct yaml_node *map) {
    struct ir_kernel *item = &ir->kernel[k];
    CHECK_KEYS(map, "kernel", "name", "module", "params", "ports", IR_KERNEL_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    item->module = reader_string(r, map, "module");
    IR_KERNEL_FIELDS(READ_FIELD)
    const struct yaml_node *params = yaml_get(map, "params"), *ports = yaml_get(map, "ports");
    for (size_t i = 0; params && params->kind == YAML_KIND_MAP && i < params->count; i++)
        ir_set_param(ir, k, params->keys[i], read_param(r, params->items[i]));
    size_t count = ports ? reader_list_count(r, ports, 4096) : 0;
    ir->kernel[k].port = ARENA_ARRAY(r->arena, struct ir_port, count + 1);
    ir->kernel[k].port_capacity = count;
    ir->kernel[k].ports = (int)count;
    for (size_t p = 0; p < count; p++) read_port(r, ports->items[p], &ir->kernel[k].port[p]);
}

// ---- edges ----

// Returns the index of the port that the text names, in the form of ir_port_text. Reports an unknown port and returns
// IR_NONE.
static int find_port(struct reader *r, int kernel, const struct yaml_node *node, bool is_output) {
    const struct ir_kernel *k = &r->ir->kernel[kernel];
    const char **words = ARENA_ARRAY(r->arena, const char *, (size_t)k->ports + 1);
    size_t count = 0;
    for (int p = 0; p < k->ports; p++) {
        if (k->port[p].is_output != is_output) continue;
        words[count] = ir_port_text(r->ir, kernel, p);
        if (!strcmp(words[count++], node->text)) return p;
    }
    diag_error(r->diag, node->loc, MSG_DUMP_PORT, is_output ? "output" : "input", node->text);
    diag_note_words(r->diag, node->loc, node->text, words, count);
    r->ok = false;
    return IR_NONE;
}

// Reads one end of an edge, `kernel.port` or `kernel.port.index`, and sets the edge of this port. *kernel and *port
// become IR_NONE if they are not found.
static void read_end(struct reader *r, const struct yaml_node *map, const char *key, int edge, int *kernel, int *port) {
    const struct yaml_node *node = yaml_get(map, key);
    *kernel = *port = IR_NONE;
    if (!node || node->kind != YAML_KIND_SCALAR) {
        diag_error(r->diag, map->loc, MSG_DUMP_VALUE, key);
        r->ok = false;
        return;
    }
    struct yaml_node name = *node;
    name.text = arena_strndup(r->arena, node->text, strcspn(node->text, "."));
    *kernel = find_name(r, KERNELS, &name, key);
    if (*kernel == IR_NONE) return;
    *port = find_port(r, *kernel, node, !strcmp(key, "from"));
    if (*port == IR_NONE) return;
    int *taken = &r->ir->kernel[*kernel].port[*port].edge;
    if (*taken != IR_NONE) reader_wrong(r, node, key, "at another edge too");
    *taken = edge;
}

// Checks that the type which an edge gives for one of its ends is the port's type.
static void check_type(struct reader *r, const struct yaml_node *map, const char *key, int kernel, int port) {
    const struct yaml_node *node = yaml_get(map, key);
    if (!node || kernel == IR_NONE || port == IR_NONE) return;
    const char *type = ir_type_text(r->ir, &r->ir->kernel[kernel].port[port].type);
    if (node->kind == YAML_KIND_SCALAR && !strcmp(node->text, type)) return;
    reader_wrong(r, node, key,
                 arena_printf(r->arena, "not that of `%s`, `%s`", ir_port_text(r->ir, kernel, port), type));
}

static void read_edge(struct reader *r, int edge, const struct yaml_node *map, struct ir_edge *item) {
    CHECK_KEYS(map, "edge", "name", "from", "to", "type", "to_type", "forced_by", IR_EDGE_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    read_end(r, map, "from", edge, &item->src_kernel, &item->src_port);
    read_end(r, map, "to", edge, &item->dst_kernel, &item->dst_port);
    check_type(r, map, "type", item->src_kernel, item->src_port);
    check_type(r, map, "to_type", item->dst_kernel, item->dst_port);
    item->forced_by = reader_optional(r, map, "forced_by");
    IR_EDGE_FIELDS(READ_FIELD)
}

static void read_wire(struct reader *r, struct ir *ir, const struct yaml_node *map, struct ir_wire *item) {
    CHECK_KEYS(map, "wire", "port", "net", IR_WIRE_FIELDS(FIELD_KEY));
    item->port = reader_string(r, map, "port");
    if (!ir_use_read(ir, reader_text(r, map, "net"), &item->use))
        reader_wrong(r, yaml_get(map, "net"), "net", "no net");
    IR_WIRE_FIELDS(READ_FIELD)
}

// Returns the net of a client's base address; IR_NONE if the client has none.
static int read_base(struct reader *r, struct ir *ir, const struct yaml_node *map) {
    const char *base = reader_optional(r, map, "base");
    struct ir_use use = {.kind = IR_USE_OPEN};
    if (!base) return IR_NONE;
    if (!ir_use_read(ir, base, &use) || ir_use_whole(&use) == IR_NONE)
        reader_wrong(r, yaml_get(map, "base"), "base", "no net");
    return ir_use_whole(&use);
}

static void read_client(struct reader *r, struct ir *ir, const struct yaml_node *map, struct ir_client *item) {
    CHECK_KEYS(map, "client", "name", "role", "port", "base", IR_CLIENT_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    if (yaml_get(map, "role"))
        item->role = (enum ir_client_role)reader_word(r, map, "role", ir_client_words, COUNT_OF(ir_client_words));
    item->port = reader_optional(r, map, "port");
    if (item->port && !strcmp(item->port, "-")) {
        diag_error(r->diag, yaml_get(map, "port")->loc, MSG_DUMP_CLIENT);
        r->ok = false;
    }
    item->base = read_base(r, ir, map);
    IR_CLIENT_FIELDS(READ_FIELD)
}

static void read_engine(struct reader *r, const struct yaml_node *map, struct ir_engine *item) {
    CHECK_KEYS(map, "engine", "name", "lanes", "lane_die", "sums_die", IR_ENGINE_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    IR_ENGINE_FIELDS(READ_FIELD)
    item->lanes = (int)reader_count(r, map, "lanes", item->channels);
    get_dies(r, map, "lane_die", item->lane_die, IR_MAX_LANES);
    get_dies(r, map, "sums_die", item->sums_die, IR_MAX_LANES);
}

static void read_die(struct reader *r, const struct yaml_node *map, struct ir_die *item) {
    CHECK_KEYS(map, "die", "name", IR_DIE_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    IR_DIE_FIELDS(READ_FIELD)
}

// Returns the index of an input of an operand multiplexer or an output of a result demultiplexer. The text is the name
// of the tensor at this port, or `kernel.index` if several ports carry the tensor. Returns IR_NONE after an error.
static int find_steered(struct reader *r, const struct yaml_node *node, const char *key, int kernel) {
    const struct ir_kernel *k = &r->ir->kernel[kernel];
    for (int p = 0; p < k->ports && node->kind == YAML_KIND_SCALAR; p++)
        if (k->port[p].index != IR_NONE && !strcmp(ir_port_text(r->ir, kernel, p), node->text)) return k->port[p].index;
    int tensor = find_name(r, TENSORS, node, key);
    int index = tensor == IR_NONE ? IR_NONE : ir_steered_index(r->ir, kernel, tensor);
    if (tensor != IR_NONE && index == IR_NONE)
        reader_wrong(r, node, key,
                     arena_printf(r->arena, "on no stream of `%s`, or on several: `%s.0` names one", k->name, k->name));
    return index;
}

// Reads the index of a multiplexer's or demultiplexer's port. Dumps of older versions write the index itself, under the
// key `once`.
static int get_steered(struct reader *r, const struct yaml_node *map, const char *key, const char *once, int kernel) {
    const struct yaml_node *node = yaml_get(map, key);
    if (!node) return (int)reader_count(r, map, once, IR_NONE);
    if (kernel != IR_NONE) return find_steered(r, node, key, kernel);
    reader_wrong(r, node, key, "of an engine without streams");
    return IR_NONE;
}

// Returns the engine mode of a firing. Dumps of older versions write `keys` instead of `scores`.
static int get_mode(struct reader *r, const struct yaml_node *map) {
    const struct yaml_node *node = yaml_get(map, "mode");
    if (node && node->kind == YAML_KIND_SCALAR && !strcmp(node->text, "keys")) return ENGINE_MODE_SCORES;
    return reader_word(r, map, "mode", ir_mode_words, COUNT_OF(ir_mode_words));
}

static void read_firing(struct reader *r, const struct yaml_node *map, struct ir_firing *item) {
    CHECK_KEYS(map, "firing", "mode", "x", "y", "x_edge_port", "y_port", IR_FIRING_FIELDS(FIELD_KEY));
    IR_FIRING_FIELDS(READ_FIELD)
    const struct ir_engine *e = item->engine == IR_NONE ? NULL : &r->ir->engine[item->engine];
    item->x_edge_port = get_steered(r, map, "x", "x_edge_port", e ? e->x_mux : IR_NONE);
    item->y_port = get_steered(r, map, "y", "y_port", e ? e->y_demux : IR_NONE);
    item->mode = get_mode(r, map);
}

static void read_segment(struct reader *r, const struct yaml_node *map, struct ir_segment *item) {
    CHECK_KEYS(map, "segment", "name", "kind", "role", IR_SEGMENT_FIELDS(FIELD_KEY));
    item->name = reader_string(r, map, "name");
    item->kind = (enum ir_segment_kind)reader_word(r, map, "kind", ir_segment_words, COUNT_OF(ir_segment_words));
    if (yaml_get(map, "role"))
        item->role = (enum ir_segment_role)reader_word(r, map, "role", ir_area_words, COUNT_OF(ir_area_words));
    IR_SEGMENT_FIELDS(READ_FIELD)
}

static void read_group(struct reader *r, const struct yaml_node *map, struct ir_group *item) {
    CHECK_KEYS(map, "group", IR_GROUP_FIELDS(FIELD_KEY));
    IR_GROUP_FIELDS(READ_FIELD)
}

static void read_fusion(struct reader *r, const struct yaml_node *map, struct ir_fusion *item) {
    CHECK_KEYS(map, "fusion", "name", IR_FUSION_FIELDS(FIELD_KEY));
    item->kind = (enum ir_fusion_kind)reader_word(r, map, "name", ir_fusion_words, COUNT_OF(ir_fusion_words));
    IR_FUSION_FIELDS(READ_FIELD)
}

// Reads the patterns of names in a checkpoint that nothing reads.
static void read_unused(struct reader *r, struct ir *ir, const struct yaml_node *list) {
    size_t count = list ? reader_list_count(r, list, 1 << 10) : 0;
    ir->unused = ARENA_ARRAY(r->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (yaml_string(list->items[i], "unused", &ir->unused[i], r->diag)) ir->unuseds++;
        else r->ok = false;
}

// Allocates ir->item[] for the list under `key`. The statement after it runs for each index i; list->items[i] is the
// node to read from.
#define READ_LIST(key, item, counter, capacity)                                                                        \
    list = yaml_get(root, key);                                                                                        \
    ir->counter = (int)reader_list_count(r, list, 1 << 20);                                                            \
    ir->capacity = (size_t)ir->counter;                                                                                \
    ir->item = arena_alloc(r->arena, (size_t)ir->counter + 1, sizeof *ir->item);                                       \
    for (int i = 0; i < ir->counter; i++)

// Sets roles and drivers of the nets that the wires name. Reports an output that does not drive a whole net.
static void complete_nets(struct reader *r, struct ir *ir, const struct yaml_node *list) {
    int wire;
    if (!r->ok || ir_nets_complete(ir, &wire)) return;
    const struct yaml_node *map = list->items[wire], *net = yaml_get(map, "net");
    reader_wrong(r, net ? net : map, "net", "no net of its own");
}

static void read_all(struct reader *r, struct ir *ir, const struct yaml_node *root) {
    const struct yaml_node *list;
    CHECK_KEYS(root, "the IR", "name", "done", "spec", "family", "prefix", "unused", "design", "custom", "tensors",
               "nodes", "regions", "inputs", "outputs", "kernels", "edges", "wires", "clients", "engines", "firings",
               "segments", "groups", "fusions", "dies");
    for (int l = 0; l < LISTS; l++) read_names(r, (enum list)l, root);
    if (!r->ok) return; // references to names that are missing would only cause more errors
    ir->name = reader_string(r, root, "name");
    ir->done = reader_string(r, root, "done");
    ir->spec = reader_optional(r, root, "spec");
    ir->family = reader_optional(r, root, "family");
    ir->prefix = reader_optional(r, root, "prefix");
    read_unused(r, ir, yaml_get(root, "unused"));
    read_design(r, root, &ir->design);
    if (!custom_read(ir, root, r->diag)) r->ok = false;
    READ_LIST("tensors", tensor, tensors, tensor_capacity) read_tensor(r, list->items[i], &ir->tensor[i]);
    READ_LIST("nodes", node, nodes, node_capacity) read_node(r, ir, list->items[i], &ir->node[i]);
    READ_LIST("regions", region, regions, region_capacity) read_region(r, list->items[i], &ir->region[i]);
    give_nodes(r, ir);
    ir->inputs = get_tensors(r, root, "inputs", ir->input);
    ir->outputs = get_tensors(r, root, "outputs", ir->output);
    READ_LIST("kernels", kernel, kernels, kernel_capacity) read_kernel(r, ir, i, list->items[i]);
    READ_LIST("edges", edge, edges, edge_capacity) read_edge(r, i, list->items[i], &ir->edge[i]);
    READ_LIST("wires", wire, wires, wire_capacity) read_wire(r, ir, list->items[i], &ir->wire[i]);
    READ_LIST("clients", client, clients, client_capacity) read_client(r, ir, list->items[i], &ir->client[i]);
    READ_LIST("engines", engine, engines, engine_capacity) read_engine(r, list->items[i], &ir->engine[i]);
    READ_LIST("firings", firing, firings, firing_capacity) read_firing(r, list->items[i], &ir->firing[i]);
    READ_LIST("segments", segment, segments, segment_capacity) read_segment(r, list->items[i], &ir->segment[i]);
    READ_LIST("groups", group, groups, group_capacity) read_group(r, list->items[i], &ir->group[i]);
    READ_LIST("fusions", fusion, fusions, fusion_capacity) read_fusion(r, list->items[i], &ir->fusion[i]);
    READ_LIST("dies", die, dies, die_capacity) read_die(r, list->items[i], &ir->die[i]);
    complete_nets(r, ir, yaml_get(root, "wires"));
}

struct ir *ir_read(struct arena *arena, const char *path, struct diag *diag) {
    const struct yaml_node *root = yaml_read_file(path, arena, diag);
    if (!root || !yaml_expect(root, YAML_KIND_MAP, "the IR", diag)) return NULL;
    struct ir *ir = ARENA_NEW(arena, struct ir);
    ir->arena = arena;
    struct reader r = {.arena = arena, .diag = diag, .ok = true, .ir = ir};
    read_all(&r, ir, root);
    if (!r.ok)
        diag_note(diag, loc_file(arena, path),
                  "if another version of Rill made the design, `rill gen SPEC -o DIR` makes its files again");
    return r.ok && ir_verify(ir, diag, "reading") ? ir : NULL;
}
