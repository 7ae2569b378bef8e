// SPDX-License-Identifier: Apache-2.0
// The `kernels:` part: hand-written kernels, with the texts of their files.
#include <ctype.h>
#include <string.h>

#include "include/custom.h"
#include "gen/spec/spec_read.h"

struct reader {
    struct arena *arena;
    struct diag *diag;
    const char *dir; // of the spec
};

static const char *const kernel_keys[] = {"verilog", "module", "inputs", "outputs", "elementwise", "parameters",
                                          "lanes",   "T",      "timing", "golden",  "resources"};
static const char *const port_keys[] = {"type", "shape"};
static const char *const timing_keys[] = {"latency", "group", "interval", "buffers"};
static const char *const golden_keys[] = {"file", "function"};
static const char *const type_words[CUSTOM_TYPES] = {"fp32", "int8"};
// Streams of these names mean something to the design; keys of an operation cannot be parameters.
static const char *const taken_streams[] = {"step", "param", "fetch", "kscale", "vscale"};
static const char *const taken_keys[] = {"op", "name", "in", "out", "lanes", "order"};
static const struct schema_field resource_fields[] = {
    {.key = "lut", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, lut), .max = 1 << 24},
    {.key = "ff", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, ff), .max = 1 << 24},
    {.key = "dsp", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, dsp), .max = 1 << 20},
    {.key = "bram18", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, bram18), .max = 1 << 20},
    {.key = "uram", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, uram), .max = 1 << 20},
};

static bool is_word(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

static bool check_name(struct reader *r, const char *name, struct loc loc, const char *what) {
    if (spec_is_name(name, false)) return true;
    diag_error(r->diag, loc,
               "%s `%s` must be letters, digits and `_`, begin with a letter or `_`, and have at most 63 characters",
               what, name);
    return false;
}

static bool expect_items(struct reader *r, const struct yaml_node *node, enum yaml_kind kind, size_t least, size_t most,
                         const char *what) {
    if (!yaml_expect(node, kind, what, r->diag)) return false;
    if (node->count >= least && node->count <= most) return true;
    diag_error(r->diag, node->loc, "%s must have %zu to %zu items, not %zu", what, least, most, node->count);
    return false;
}

// keys: those that the map may have; others have been reported.
static const struct yaml_node *need(struct reader *r, const struct yaml_node *map, const char *key,
                                    const char *const *keys, size_t count, const char *what) {
    const struct yaml_node *node = yaml_get(map, key);
    if (!node && !yaml_is_misspelt(map, key, keys, count))
        diag_error(r->diag, map->loc, "%s needs the key `%s`", what, key);
    return node;
}

static void read_expr(struct reader *r, const struct yaml_node *node, const char *what, struct custom_expr *out) {
    if (yaml_expect(node, YAML_KIND_SCALAR, what, r->diag)) *out = (struct custom_expr){node->text, node->loc};
}

// ---- files ----

// True when a dump of the IR can hold the text.
static bool is_text(const char *data, size_t len) {
    const unsigned char *p = (const unsigned char *)data, *end = p + len;
    while (p < end) {
        int more = *p < 0x80                 ? 0
                   : *p >= 0xc2 && *p < 0xe0 ? 1
                   : *p >= 0xe0 && *p < 0xf0 ? 2
                   : *p >= 0xf0 && *p < 0xf5 ? 3
                                             : -1;
        if (more < 0 || *p == '\0') return false;
        for (p++; more > 0; more--, p++)
            if (p == end || (*p & 0xc0) != 0x80) return false;
    }
    return true;
}

static bool read_file(struct reader *r, const struct yaml_node *node, const char *what, const char *ending,
                      struct custom_file *out) {
    const char *path, *why = NULL;
    size_t len = 0;
    if (!yaml_string(node, what, &path, r->diag)) return false;
    bool own = *path == '/' || !strcmp(r->dir, ".");
    const char *slash = strrchr(path, '/'), *full = own ? path : arena_printf(r->arena, "%s/%s", r->dir, path);
    out->name = slash ? slash + 1 : path;
    size_t letters = strlen(out->name), tail = strlen(ending);
    if (letters <= tail || strcmp(out->name + letters - tail, ending) != 0) {
        diag_error(r->diag, node->loc, "%s: `%s` is no file whose name ends with `%s`", what, path, ending);
        return false;
    }
    out->text = file_read(r->arena, full, CUSTOM_FILE_BYTES, &len, &why);
    if (out->text && !is_text(out->text, len)) out->text = NULL, why = "it is no UTF-8 text";
    if (!out->text) {
        diag_error(r->diag, node->loc, "%s: `%s` cannot be read: %s", what, full, why);
        return false;
    }
    struct source *source = ARENA_NEW(r->arena, struct source);
    *source = (struct source){full, out->text, len};
    out->source = source;
    return true;
}

static void read_verilog(struct reader *r, const struct yaml_node *node, struct custom *k) {
    bool list = node->kind == YAML_KIND_SEQ;
    if (list && !expect_items(r, node, YAML_KIND_SEQ, 1, CUSTOM_MAX_FILES, "verilog")) return;
    for (size_t i = 0; i < (list ? node->count : 1); i++)
        if (read_file(r, list ? node->items[i] : node, "verilog", ".v", &k->file[k->files])) k->files++;
}

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Whether the C text has the name, or may make it of parts: it is compiled only when the golden model starts.
static bool may_define(const char *text, const char *name) {
    size_t len = strlen(name);
    for (const char *p = text; (p = strstr(p, name)) != NULL; p++)
        if ((p == text || !is_of_word(p[-1])) && !is_of_word(p[len])) return true;
    return strstr(text, "##") != NULL;
}

static void read_golden(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!yaml_expect(node, YAML_KIND_MAP, "golden", r->diag)) return;
    yaml_check_keys(node, golden_keys, COUNT_OF(golden_keys), "golden", r->diag);
    const struct yaml_node *file = need(r, node, "file", golden_keys, COUNT_OF(golden_keys), "golden"),
                           *function = yaml_get(node, "function");
    k->function = k->name;
    if (function && yaml_string(function, "function", &k->function, r->diag))
        check_name(r, k->function, function->loc, "function");
    if (!file || !read_file(r, file, "golden.file", ".c", &k->golden) || may_define(k->golden.text, k->function))
        return;
    diag_error(r->diag, function ? function->loc : file->loc, "kernel `%s`: `%s` has no function `%s`", k->name,
               k->golden.name, k->function);
    if (!function) diag_note(r->diag, file->loc, "the kernel's name is looked for; `function` names another one");
}

// ---- streams, parameters ----

static void read_port_map(struct reader *r, const struct yaml_node *node, struct custom_port *port) {
    yaml_check_keys(node, port_keys, COUNT_OF(port_keys), "a stream", r->diag);
    const struct yaml_node *type = yaml_get(node, "type"), *shape = yaml_get(node, "shape");
    if (type) yaml_word(type, type_words, CUSTOM_TYPES, "type", &port->type, r->diag);
    bool list = shape && shape->kind == YAML_KIND_SEQ;
    if (!shape || (list && !expect_items(r, shape, YAML_KIND_SEQ, 1, CUSTOM_MAX_RANK, "shape"))) return;
    port->extents = list ? (int)shape->count : 1;
    for (int i = 0; i < port->extents; i++) read_expr(r, list ? shape->items[i] : shape, "shape", &port->shape[i]);
}

static int read_ports(struct reader *r, const struct yaml_node *node, const char *what, size_t most,
                      struct custom_port ports[]) {
    if (most == 1 && node->kind == YAML_KIND_MAP && node->count > 1) {
        diag_error(r->diag, node->key_locs[1], "a hand-written kernel has one output; `%s` would be its second",
                   node->keys[1]);
        diag_note(r->diag, node->key_locs[1], "two kernels can read the same tensors");
        return 0;
    }
    if (!expect_items(r, node, YAML_KIND_MAP, 1, most, what)) return 0;
    for (size_t i = 0; i < node->count; i++) {
        struct custom_port *port = &ports[i];
        port->name = node->keys[i];
        port->loc = node->key_locs[i];
        check_name(r, port->name, port->loc, "stream");
        if (is_word(port->name, taken_streams, COUNT_OF(taken_streams)))
            diag_error(r->diag, port->loc, "a stream of a hand-written kernel cannot be called `%s`: take another name",
                       port->name);
        if (node->items[i]->kind == YAML_KIND_MAP) read_port_map(r, node->items[i], port);
        else yaml_word(node->items[i], type_words, CUSTOM_TYPES, port->name, &port->type, r->diag);
    }
    return (int)node->count;
}

static void read_params(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!expect_items(r, node, YAML_KIND_MAP, 0, CUSTOM_MAX_PARAMS, "parameters")) return;
    for (size_t i = 0; i < node->count; i++) {
        struct custom_param *param = &k->param[k->params++];
        param->name = node->keys[i];
        param->loc = node->key_locs[i];
        check_name(r, param->name, param->loc, "parameter");
        if (is_word(param->name, taken_keys, COUNT_OF(taken_keys)))
            diag_error(r->diag, param->loc, "a parameter cannot be called `%s`: it is a key of every operation",
                       param->name);
        read_expr(r, node->items[i], param->name, &param->value);
    }
}

static void read_timing(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!yaml_expect(node, YAML_KIND_MAP, "timing", r->diag)) return;
    yaml_check_keys(node, timing_keys, COUNT_OF(timing_keys), "timing", r->diag);
    struct custom_expr *const out[] = {&k->latency, &k->group, &k->interval, &k->buffers};
    need(r, node, "latency", timing_keys, COUNT_OF(timing_keys), "timing");
    for (size_t i = 0; i < COUNT_OF(timing_keys); i++) {
        const struct yaml_node *value = yaml_get(node, timing_keys[i]);
        if (value) read_expr(r, value, timing_keys[i], out[i]);
    }
}

// A sum of powers of two out of a list of them.
static int read_powers(struct reader *r, const struct yaml_node *node, int most, const char *what) {
    static const int64_t legal[] = {1, 2, 4, 8, 16, 32};
    size_t known = 0;
    int sum = 0;
    while (known < COUNT_OF(legal) && legal[known] <= most) known++;
    if (!node) return 2 * most - 1;
    if (!expect_items(r, node, YAML_KIND_SEQ, 1, known, what)) return most;
    for (size_t i = 0; i < node->count; i++) {
        int64_t v;
        if (!yaml_int(node->items[i], 1, most, what, &v, r->diag)) continue;
        if (v & (v - 1)) {
            diag_error(r->diag, node->items[i]->loc, "%s must be powers of two, not %lld", what, (long long)v);
            diag_note(r->diag, node->items[i]->loc, "the nearest legal value is %lld",
                      (long long)diag_nearest_value(v, legal, known));
        } else sum |= (int)v;
    }
    return sum;
}

// ---- kernels ----

static void read_resources(struct reader *r, const struct yaml_node *node, struct custom *k) {
    k->has_resources = node != NULL;
    if (node) schema_read(node, "resources", resource_fields, COUNT_OF(resource_fields), NULL, 0, k, r->arena, r->diag);
}

static void read_kernel(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!check_name(r, k->name, k->loc, "kernel") || !yaml_expect(node, YAML_KIND_MAP, "a kernel", r->diag)) return;
    yaml_check_keys(node, kernel_keys, COUNT_OF(kernel_keys), "a kernel", r->diag);
    const struct yaml_node *verilog = need(r, node, "verilog", kernel_keys, COUNT_OF(kernel_keys), "a kernel"),
                           *module = yaml_get(node, "module");
    const struct yaml_node *inputs = need(r, node, "inputs", kernel_keys, COUNT_OF(kernel_keys), "a kernel"),
                           *outputs = need(r, node, "outputs", kernel_keys, COUNT_OF(kernel_keys), "a kernel");
    const struct yaml_node *elementwise = yaml_get(node, "elementwise"), *params = yaml_get(node, "parameters");
    const struct yaml_node *timing = need(r, node, "timing", kernel_keys, COUNT_OF(kernel_keys), "a kernel"),
                           *golden = yaml_get(node, "golden");
    k->module = k->name;
    if (verilog) read_verilog(r, verilog, k);
    if (module && yaml_string(module, "module", &k->module, r->diag)) check_name(r, k->module, module->loc, "module");
    if (inputs) k->inputs = read_ports(r, inputs, "inputs", CUSTOM_MAX_PORTS, k->in);
    if (outputs) k->outputs = read_ports(r, outputs, "outputs", 1, k->out);
    if (elementwise) yaml_bool(elementwise, "elementwise", &k->elementwise, r->diag);
    if (params) read_params(r, params, k);
    k->lanes = read_powers(r, yaml_get(node, "lanes"), 32, "lanes");
    k->tokens = read_powers(r, yaml_get(node, "T"), 8, "T");
    if (timing) read_timing(r, timing, k);
    if (golden) read_golden(r, golden, k);
    read_resources(r, yaml_get(node, "resources"), k);
    for (int i = 0; k->elementwise && i < k->inputs + k->outputs; i++) {
        const struct custom_port *port = i < k->inputs ? &k->in[i] : &k->out[i - k->inputs];
        if (port->type != CUSTOM_FP32)
            diag_error(
                r->diag, port->loc,
                "all streams of an elementwise kernel are fp32: leave out `elementwise`, then tensors come row-major");
    }
    for (int i = 0; k->elementwise && i < k->outputs; i++)
        if (k->out[i].extents)
            diag_error(r->diag, k->out[i].shape[0].loc, "the output of an elementwise kernel has its inputs' shape");
}

struct custom *spec_read_kernels(const struct yaml_node *node, const char *dir, size_t *count, struct arena *arena,
                                 struct diag *diag) {
    struct reader r = {arena, diag, dir};
    *count = 0;
    if (!node || !expect_items(&r, node, YAML_KIND_MAP, 0, SPEC_MAX_KERNELS, "kernels")) return NULL;
    struct custom *kernels = ARENA_ARRAY(arena, struct custom, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        kernels[i].name = node->keys[i];
        kernels[i].loc = node->key_locs[i];
        read_kernel(&r, node->items[i], &kernels[i]);
    }
    *count = node->count;
    return kernels;
}
