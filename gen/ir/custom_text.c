// SPDX-License-Identifier: Apache-2.0
// Writes and reads custom kernels in dumps, the IR's text form. A dump contains the texts of their Verilog and golden
// files, so that it can be used without the spec's folder.
#include <string.h>

#include "gen/ir/custom_text.h"
#include "gen/ir/custom_ops.h"

static const char *const type_words[CUSTOM_TYPES] = {"fp32", "int8"};

// ---- writing ----

// Writes a key with a text, or nothing if the text is NULL.
static void key_string(struct yaml_writer *y, const char *key, const char *s) {
    if (!s) return;
    yaml_write_key(y, key);
    yaml_write_string(y, s);
}

static void key_int(struct yaml_writer *y, const char *key, int64_t v) {
    yaml_write_key(y, key);
    yaml_write_int(y, v);
}

static void write_ports(struct yaml_writer *y, const char *key, const struct custom_port *port, int count) {
    yaml_write_key(y, key);
    yaml_begin_seq(y, false);
    for (int i = 0; i < count; i++) {
        yaml_begin_map(y, true);
        key_string(y, "name", port[i].name);
        key_string(y, "type", type_words[port[i].type]);
        yaml_write_key(y, "shape");
        yaml_begin_seq(y, true);
        for (int d = 0; d < port[i].extents; d++) yaml_write_string(y, port[i].shape[d].text);
        yaml_end(y);
        yaml_end(y);
    }
    yaml_end(y);
}

static void write_file(struct yaml_writer *y, const struct custom_file *file) {
    yaml_begin_map(y, false);
    key_string(y, "name", file->name);
    key_string(y, "text", file->text);
    yaml_end(y);
}

// Lists of a kernel's fields as F(name): integers that older dumps lack (CUSTOM_LATER), other integers, and
// expressions.
#define CUSTOM_LATER(F) F(step) F(fetch)
#define CUSTOM_INTS(F) F(elementwise) F(lanes) F(tokens) F(has_resources) F(lut) F(ff) F(dsp) F(bram18) F(uram)
#define CUSTOM_EXPRS(F) F(latency) F(group) F(interval) F(buffers) F(ask) F(ask_next) F(held)
#define WRITE_INT(name) key_int(y, #name, (int64_t)k->name);
#define WRITE_EXPR(name) key_string(y, #name, k->name.text);

void custom_write(struct yaml_writer *y, const struct custom *k) {
    yaml_begin_map(y, false);
    key_string(y, "name", k->name);
    key_string(y, "module", k->module);
    write_ports(y, "inputs", k->in, k->inputs);
    write_ports(y, "outputs", k->out, k->outputs);
    yaml_write_key(y, "parameters");
    yaml_begin_map(y, false);
    for (int p = 0; p < k->params; p++) key_string(y, k->param[p].name, k->param[p].value.text);
    yaml_end(y);
    yaml_write_key(y, "vectors");
    yaml_begin_map(y, false);
    for (int v = 0; v < k->vectors; v++) key_string(y, k->vector[v].name, k->vector[v].elements.text);
    yaml_end(y);
    CUSTOM_LATER(WRITE_INT)
    CUSTOM_INTS(WRITE_INT)
    CUSTOM_EXPRS(WRITE_EXPR)
    key_string(y, "function", k->function);
    yaml_write_key(y, "verilog");
    yaml_begin_seq(y, false);
    for (int f = 0; f < k->files; f++) write_file(y, &k->file[f]);
    yaml_end(y);
    if (k->function) {
        yaml_write_key(y, "golden");
        write_file(y, &k->golden);
    }
    yaml_end(y);
}

// ---- reading ----

struct reader {
    struct arena *arena;
    struct diag *diag;
    bool ok;
};

// Reports that the value of a key has the wrong form.
static void wrong(struct reader *r, struct loc loc, const char *key) {
    diag_error(r->diag, loc, MSG_DUMP_KEY_FORM, key);
    r->ok = false;
}

// Returns the value at a key. Reports an error and returns NULL if it is missing or of another kind, or if a list or
// map has more than `most` items.
static const struct yaml_node *child(struct reader *r, const struct yaml_node *map, const char *key,
                                     enum yaml_kind kind, size_t most) {
    const struct yaml_node *node = yaml_get(map, key);
    if (node && node->kind == kind && (kind == YAML_KIND_SCALAR || node->count <= most)) return node;
    wrong(r, map->loc, key);
    return NULL;
}

static const char *get_string(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = child(r, map, key, YAML_KIND_SCALAR, 0);
    return node ? node->text : "";
}

static int64_t get_int(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = child(r, map, key, YAML_KIND_SCALAR, 0);
    int64_t v = 0;
    if (node && !yaml_int(node, 0, INT32_MAX, key, &v, r->diag)) r->ok = false;
    return v;
}

static int read_ports(struct reader *r, const struct yaml_node *map, const char *key, size_t most,
                      struct custom_port *port) {
    const struct yaml_node *list = child(r, map, key, YAML_KIND_SEQ, most);
    for (size_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *item = list->items[i], *shape = child(r, item, "shape", YAML_KIND_SEQ, CUSTOM_MAX_RANK);
        port[i].name = get_string(r, item, "name");
        port[i].loc = item->loc;
        if (!yaml_get(item, "type") ||
            !yaml_word(yaml_get(item, "type"), type_words, CUSTOM_TYPES, "type", &port[i].type, r->diag))
            r->ok = false;
        for (size_t d = 0; shape && d < shape->count; d++) {
            if (shape->items[d]->kind != YAML_KIND_SCALAR) wrong(r, item->loc, "shape");
            else port[i].shape[port[i].extents++] = (struct custom_expr){shape->items[d]->text, shape->items[d]->loc};
        }
    }
    if (list && !list->count) wrong(r, map->loc, key);
    return list ? (int)list->count : 0;
}

// Reads a file's name and text. The name must have no folder and no leading dot, because the file is written into the
// design's folder.
static struct custom_file read_file(struct reader *r, const struct yaml_node *map) {
    struct custom_file file = {get_string(r, map, "name"), get_string(r, map, "text"), NULL};
    bool plain = *file.name && *file.name != '.' && !strchr(file.name, '/');
    if (!plain) wrong(r, map->loc, "name");
    return file;
}

#define READ_INT(name) k->name = (__typeof__(k->name))get_int(r, map, #name);
#define READ_LATER(name)                                                                                               \
    if (yaml_get(map, #name)) READ_INT(name)
#define READ_EXPR(name)                                                                                                \
    if (yaml_get(map, #name)) k->name = (struct custom_expr){get_string(r, map, #name), yaml_get(map, #name)->loc};

// Reads one custom kernel. Clears r->ok after an error.
static void read_kernel(struct reader *r, const struct yaml_node *map, struct custom *k) {
    if (map->kind != YAML_KIND_MAP) return wrong(r, map->loc, "custom");
    k->loc = map->loc;
    k->name = get_string(r, map, "name");
    k->module = get_string(r, map, "module");
    k->inputs = read_ports(r, map, "inputs", CUSTOM_MAX_PORTS, k->in);
    k->outputs = read_ports(r, map, "outputs", 1, k->out);
    const struct yaml_node *params = child(r, map, "parameters", YAML_KIND_MAP, CUSTOM_MAX_PARAMS);
    for (size_t p = 0; params && p < params->count; p++) {
        if (params->items[p]->kind != YAML_KIND_SCALAR) wrong(r, map->loc, "parameters");
        else
            k->param[k->params++] = (struct custom_param){
                params->keys[p], params->key_locs[p], {params->items[p]->text, params->items[p]->loc}};
    }
    const struct yaml_node *vectors =
        // A dump may lack `vectors`. They have the form of `parameters`.
        yaml_get(map, "vectors") ? child(r, map, "vectors", YAML_KIND_MAP, CUSTOM_MAX_VECTORS) : NULL;
    for (size_t v = 0; vectors && v < vectors->count; v++) {
        if (vectors->items[v]->kind != YAML_KIND_SCALAR) wrong(r, map->loc, "vectors");
        else
            k->vector[k->vectors++] = (struct custom_vector){
                vectors->keys[v], vectors->key_locs[v], {vectors->items[v]->text, vectors->items[v]->loc}};
    }
    CUSTOM_LATER(READ_LATER)
    CUSTOM_INTS(READ_INT)
    CUSTOM_EXPRS(READ_EXPR)
    if (!k->latency.text) wrong(r, map->loc, "latency");
    const struct yaml_node *files = child(r, map, "verilog", YAML_KIND_SEQ, CUSTOM_MAX_FILES);
    for (size_t f = 0; files && f < files->count; f++) k->file[k->files++] = read_file(r, files->items[f]);
    if (!yaml_get(map, "function")) return;
    k->function = get_string(r, map, "function");
    const struct yaml_node *golden = child(r, map, "golden", YAML_KIND_MAP, 2);
    if (golden) k->golden = read_file(r, golden);
}

bool custom_read(struct ir *ir, const struct yaml_node *root, struct diag *diag) {
    enum { MOST_KERNELS = 64 };
    struct reader r = {ir->arena, diag, true};
    const struct yaml_node *list = child(&r, root, "custom", YAML_KIND_SEQ, MOST_KERNELS);
    if (!list) return false;
    struct custom *custom = ARENA_ARRAY(ir->arena, struct custom, list->count + 1);
    for (size_t i = 0; i < list->count; i++) read_kernel(&r, list->items[i], &custom[i]);
    if (r.ok) ir_set_customs(ir, custom, (int)list->count);
    return r.ok;
}
