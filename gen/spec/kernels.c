// SPDX-License-Identifier: Apache-2.0
// Reads the part `kernels` of a spec or of a family's file: custom kernels (custom.h) with the texts of their files.
// Expressions stay texts; their values depend on the operation that uses the kernel.
#include <ctype.h>
#include <string.h>

#include "gen/spec/custom.h"
#include "gen/spec/spec_read.h"

struct reader {
    struct arena *arena;
    struct diag *diag;
    const char *dir; // folder of the spec or of the family's file, to which paths are relative
};

static const char *const type_words[CUSTOM_TYPES] = {"fp32", "int8"};
// Names that are refused because they already have a meaning. taken_streams: streams of the design. taken_keys: keys of
// operations, which cannot be names of parameters or vectors.
static const char *const taken_streams[] = {"step", "param", "fetch", "kscale", "vscale"};
static const char *const taken_keys[] = {"op", "name", "in", "out", "lanes", "order"};
static const char *const table_keys[] = {"rows", "cols", "weight"}; // keys of operations whose kernel reads a table

#define EXPRESSION "{\"type\": [\"string\", \"integer\", \"number\"]}"
#define POWERS(list) "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"enum\": [" list "]}}"
#define STREAM                                                                                                         \
    "{\"anyOf\": [{\"enum\": [\"fp32\", \"int8\"]}, {\"type\": \"object\", \"additionalProperties\": false, "          \
    "\"properties\": {\"type\": {\"enum\": [\"fp32\", \"int8\"]}, \"shape\": {\"anyOf\": [" EXPRESSION                 \
    ", {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 3, \"items\": " EXPRESSION "}]}}}]}"

static const struct schema_key timing_keys[] = {
    {.key = "latency",
     .required = true,
     .range = "expression",
     .doc = "cycles from the arrival of the last word that an output word depends on, until the "
            "output word is offered",
     .json = EXPRESSION},
    {.key = "group",
     .range = "expression",
     .preset = "1",
     .doc = "words of the first input that are taken before any result is given. `firing`: all words of "
            "the firing. The other inputs, and the result, are divided into equally many groups",
     .json = EXPRESSION},
    {.key = "interval",
     .range = "expression",
     .preset = "1",
     .doc = "cycles from one word to the next, when taking and when giving",
     .json = EXPRESSION},
    {.key = "buffers",
     .range = "expression",
     .preset = "1",
     .doc = "groups that the kernel can hold. 2: it takes a group while it gives out the previous "
            "one",
     .json = EXPRESSION},
};
static const struct schema_table timing_table = {
    .path = "kernels.timing", .what = "timing", .keys = timing_keys, .key_count = COUNT_OF(timing_keys)};

static const struct schema_key fetch_keys[] = {
    {.key = "ask",
     .range = "expression",
     .preset = "1",
     .doc = "cycles from the step word, or from the last word of the previous firing, until the "
            "first row is requested",
     .json = EXPRESSION},
    {.key = "interval",
     .range = "expression",
     .preset = "1",
     .doc = "cycles from the request of one row to the next",
     .json = EXPRESSION},
    {.key = "ready",
     .range = "expression",
     .preset = "1",
     .doc = "cycles from the last beat of a firing's rows until the kernel takes its first word",
     .json = EXPRESSION},
};
static const struct schema_table fetch_table = {
    .path = "kernels.fetch", .what = "fetch", .keys = fetch_keys, .key_count = COUNT_OF(fetch_keys)};

static const struct schema_key golden_keys[] = {
    {.key = "file",
     .required = true,
     .range = "file",
     .doc = "C file with the golden function (`include/rill_kernel.h`)",
     .json = "{\"type\": \"string\"}"},
    {.key = "function",
     .range = "text",
     .preset = "the kernel's name",
     .doc = "name of the C function. A file without it is an error",
     .json = "{\"type\": \"string\"}"},
};
static const struct schema_table golden_table = {
    .path = "kernels.golden", .what = "golden", .keys = golden_keys, .key_count = COUNT_OF(golden_keys)};

static const struct schema_field resource_fields[] = {
    {.key = "lut", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, lut), .max = 1 << 24, .doc = "LUTs"},
    {.key = "ff", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, ff), .max = 1 << 24, .doc = "flip-flops"},
    {.key = "dsp", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, dsp), .max = 1 << 20, .doc = "DSP slices"},
    {.key = "bram18",
     .type = SCHEMA_INT,
     .offset = SPEC_OFFSET(custom, bram18),
     .max = 1 << 20,
     .doc = "block RAMs of 18 Kbit"},
    {.key = "uram", .type = SCHEMA_INT, .offset = SPEC_OFFSET(custom, uram), .max = 1 << 20, .doc = "UltraRAMs"},
};
static const struct schema_table resource_table = {
    .path = "kernels.resources", .what = "resources", .fields = resource_fields, .count = COUNT_OF(resource_fields)};

static const struct schema_key port_keys[] = {
    {.key = "type",
     .range = "`fp32`, `int8`",
     .preset = "`fp32`",
     .doc = "type of the elements. Only custom kernels make and read `int8`",
     .json = "{\"enum\": [\"fp32\", \"int8\"]}"},
    {.key = "shape",
     .range = "expression, or list of 1 to 3",
     .preset = "any for an input; the first input's for the output",
     .doc = "number of elements, or extents. For an input: what the operand must have. For the output: "
            "what the result has",
     .json = "{\"anyOf\": [" EXPRESSION
             ", {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 3, \"items\": " EXPRESSION "}]}"},
};
static const struct schema_table port_table = {
    .path = "kernels.inputs", .what = "a stream", .keys = port_keys, .key_count = COUNT_OF(port_keys)};

static const struct schema_key kernel_keys[] = {
    {.key = "verilog",
     .required = true,
     .range = "file, or list of up to 16",
     .doc = "Verilog-2005 files (`.v`), relative to the spec. Rill copies them into the design. "
            "Names of files and modules must not begin with `rill_`, and a file must not include "
            "another. They may instantiate modules of the RTL library",
     .json = "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 16, "
             "\"items\": {\"type\": \"string\"}}]}"},
    {.key = "module",
     .range = "text",
     .preset = "the kernel's name",
     .doc = "name of the module. Its declaration lists its ports and parameters",
     .json = "{\"type\": \"string\"}"},
    {.key = "inputs",
     .required = true,
     .range = "map of 1 to 8",
     .doc = "name of the stream -> type, or `{type: ..., shape: ...}`",
     .json = "{\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 8, \"additionalProperties\": " STREAM "}",
     .table = &port_table},
    {.key = "outputs",
     .required = true,
     .range = "map of 1",
     .doc = "the output stream, in the same form",
     .json =
         "{\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": " STREAM "}"},
    {.key = "elementwise",
     .range = "true or false",
     .preset = "`false`",
     .doc = "element i of the result depends only on the elements i of the operands. All have the "
            "same shape and are fp32, and the kernel accepts the elements in any order",
     .json = "{\"type\": \"boolean\"}"},
    {.key = "step",
     .range = "true or false",
     .preset = "`false`",
     .doc =
         "the kernel receives a word for each step, on a stream `step` ([step words](kernel-reference.md#step-words))",
     .json = "{\"type\": \"boolean\"}"},
    {.key = "parameters",
     .range = "map of up to 16",
     .preset = "none",
     .doc = "Verilog parameter -> its value: an expression, a sized constant (`32'h3f800000`), a "
            "text (`'\"block\"'`), or `required` if every operation must give it. An operation may "
            "override any value: `{op: name, ..., LIMIT: 3}`",
     .json = "{\"type\": \"object\", \"maxProperties\": 16, \"additionalProperties\": " EXPRESSION "}"},
    {.key = "vectors",
     .range = "map of up to 4",
     .preset = "none",
     .doc = "weights on chip: name of an fp32 vector -> its number of elements, an expression, equal "
            "for all. They arrive on a stream `param` ([vector parameters](kernel-reference.md#vector-parameters)). An "
            "operation names the tensor: `{op: name, ..., gamma: \"norm.{layer}\"}`",
     .json = "{\"type\": \"object\", \"maxProperties\": 4, \"additionalProperties\": " EXPRESSION "}"},
    {.key = "fetch",
     .range = "map",
     .preset = "none",
     .doc = "the kernel reads rows of an fp32 table in memory, on streams `fetch` ([rows of a "
            "table](kernel-reference.md#rows-of-a-table)). Needs `step: true`. An operation gives `rows`, `cols` and "
            "`weight`, like `position`",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &fetch_table},
    {.key = "lanes",
     .range = "list of 1, 2, 4, 8, 16, 32",
     .preset = "all",
     .doc = "lane counts that the kernel supports",
     .json = POWERS("1, 2, 4, 8, 16, 32")},
    {.key = "T",
     .range = "list of 1, 2, 4, 8",
     .preset = "all",
     .doc = "values of `design.T` that the kernel supports",
     .json = POWERS("1, 2, 4, 8")},
    {.key = "timing",
     .required = true,
     .range = "map",
     .doc = "the timing contract: when the kernel takes and gives words",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &timing_table},
    {.key = "golden",
     .range = "`{file: ..., function: ...}`",
     .preset = "none",
     .doc = "C file with the golden function (`include/rill_kernel.h`), and its name if it is not "
            "that of the kernel. Without it `rill sim` accepts the results of the kernel unchecked "
            "and compares all other streams, and `rill golden` cannot run the graph",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &golden_table},
    {.key = "resources",
     .range = "`{lut, ff, dsp, bram18, uram}`",
     .preset = "none",
     .doc = "resources of one instance, for reports",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &resource_table},
};
const struct schema_table spec_kernel_table = {
    .path = "kernels", .what = "a kernel", .keys = kernel_keys, .key_count = COUNT_OF(kernel_keys)};

static bool is_word(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

static bool check_name(struct reader *r, const char *name, struct loc loc, const char *what) {
    if (spec_is_name(name, false)) return true;
    diag_error(r->diag, loc, MSG_NAME_IN_GRAPH, what, name);
    return false;
}

#define NEED(r, map, key, table) schema_need(map, key, table, (r)->arena, (r)->diag)

// Stores the text and place of an expression, which is not parsed here.
static void read_expr(struct reader *r, const struct yaml_node *node, const char *what, struct custom_expr *out) {
    if (yaml_expect(node, YAML_KIND_SCALAR, what, r->diag)) *out = (struct custom_expr){node->text, node->loc};
}

// ---- files ----

// Returns whether the text has the form of UTF-8 and no zero byte, so that a dump of the IR can hold it.
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

// Reads a file that a kernel names, whose name must have this ending. what: the key, for messages. Returns false after
// an error.
static bool read_file(struct reader *r, const struct yaml_node *node, const char *what, const char *ending,
                      struct custom_file *out) {
    const char *path, *why = NULL;
    size_t len = 0;
    if (!yaml_string(node, what, &path, r->diag)) return false;
    bool own = *path == '/' || !strcmp(r->dir, ".");
    const char *slash = strrchr(path, '/'), *full = own ? path : arena_printf(r->arena, "%s/%s", r->dir, path);
    out->name = slash ? slash + 1 : path;
    if (!file_has_suffix(out->name, ending)) {
        diag_error(r->diag, node->loc, MSG_FILE_ENDING, what, path, ending);
        return false;
    }
    out->text = file_read(r->arena, full, CUSTOM_FILE_BYTES, &len, &why);
    if (out->text && !is_text(out->text, len)) out->text = NULL, why = MSG_FILE_NOT_TEXT;
    if (!out->text) {
        diag_error_about(r->diag, node->loc, why, "%s: `%s`: ", what, full);
        return false;
    }
    struct source *source = ARENA_NEW(r->arena, struct source);
    *source = (struct source){full, out->text, len};
    out->source = source;
    return true;
}

static void read_verilog(struct reader *r, const struct yaml_node *node, struct custom *k) {
    bool list = node->kind == YAML_KIND_SEQ;
    if (list && !yaml_expect_items(node, YAML_KIND_SEQ, 1, CUSTOM_MAX_FILES, "verilog", r->diag)) return;
    for (size_t i = 0; i < (list ? node->count : 1); i++)
        if (read_file(r, list ? node->items[i] : node, "verilog", ".v", &k->file[k->files])) k->files++;
}

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Returns whether the C text contains the name as a word, or may build it with `##`. The check finds most misspelt
// names early, because the text is compiled only when the replay starts.
static bool may_define(const char *text, const char *name) {
    size_t len = strlen(name);
    for (const char *p = text; (p = strstr(p, name)) != NULL; p++)
        if ((p == text || !is_of_word(p[-1])) && !is_of_word(p[len])) return true;
    return strstr(text, "##") != NULL;
}

// Reads the golden function. Its name is the name of the kernel if `function` is absent.
static void read_golden(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!yaml_expect(node, YAML_KIND_MAP, "golden", r->diag)) return;
    schema_check_keys(node, &golden_table, r->arena, r->diag);
    const struct yaml_node *file = NEED(r, node, "file", &golden_table), *function = yaml_get(node, "function");
    k->function = k->name;
    if (function && yaml_string(function, "function", &k->function, r->diag))
        check_name(r, k->function, function->loc, "function");
    if (!file || !read_file(r, file, "golden.file", ".c", &k->golden) || may_define(k->golden.text, k->function))
        return;
    diag_error(r->diag, function ? function->loc : file->loc, MSG_GOLDEN_NO_SUCH_FUNCTION, k->name, k->golden.name,
               k->function);
    if (!function) diag_note(r->diag, file->loc, "the kernel's name is looked for; `function` names another one");
}

// ---- streams, parameters ----

static void read_port_map(struct reader *r, const struct yaml_node *node, struct custom_port *port) {
    schema_check_keys(node, &port_table, r->arena, r->diag);
    const struct yaml_node *type = yaml_get(node, "type"), *shape = yaml_get(node, "shape");
    if (type) yaml_word(type, type_words, CUSTOM_TYPES, "type", &port->type, r->diag);
    bool list = shape && shape->kind == YAML_KIND_SEQ;
    if (!shape || (list && !yaml_expect_items(shape, YAML_KIND_SEQ, 1, CUSTOM_MAX_RANK, "shape", r->diag))) return;
    port->extents = list ? (int)shape->count : 1;
    for (int i = 0; i < port->extents; i++) read_expr(r, list ? shape->items[i] : shape, "shape", &port->shape[i]);
}

// Reads 1 to `most` streams. Returns their number, or 0 after an error in the map itself.
static int read_ports(struct reader *r, const struct yaml_node *node, const char *what, size_t most,
                      struct custom_port ports[]) {
    if (most == 1 && node->kind == YAML_KIND_MAP && node->count > 1) {
        diag_error(r->diag, node->key_locs[1], MSG_KERNEL_OUTPUTS, node->keys[1]);
        diag_note(r->diag, node->key_locs[1], "two kernels can read the same tensors");
        return 0;
    }
    if (!yaml_expect_items(node, YAML_KIND_MAP, 1, most, what, r->diag)) return 0;
    for (size_t i = 0; i < node->count; i++) {
        struct custom_port *port = &ports[i];
        port->name = node->keys[i];
        port->loc = node->key_locs[i];
        check_name(r, port->name, port->loc, "stream");
        if (is_word(port->name, taken_streams, COUNT_OF(taken_streams)))
            diag_error(r->diag, port->loc, MSG_NAME_OF_STREAM, port->name);
        if (node->items[i]->kind == YAML_KIND_MAP) read_port_map(r, node->items[i], port);
        else yaml_word(node->items[i], type_words, CUSTOM_TYPES, port->name, &port->type, r->diag);
    }
    return (int)node->count;
}

// Refuses parameters that Rill itself sets in a kernel that takes step words or reads a table.
static void refuse_set_params(struct reader *r, const struct custom *k) {
    static const char *const of_steps[] = {"FIRINGS", "WHEN_LAST"}, *const of_tables[] = {"TABLE_OFFSET",
                                                                                          "TABLE_STRIDE", "REPEAT",
                                                                                          "BEAT_BITS"};
    for (int p = 0; p < k->params; p++) {
        const char *name = k->param[p].name;
        if ((k->step && is_word(name, of_steps, COUNT_OF(of_steps))) ||
            (k->fetch && is_word(name, of_tables, COUNT_OF(of_tables))))
            diag_error(r->diag, k->param[p].loc, MSG_KERNEL_OWN_PARAMETER, name, k->name);
    }
}

static void read_params(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!yaml_expect_items(node, YAML_KIND_MAP, 0, CUSTOM_MAX_PARAMS, "parameters", r->diag)) return;
    for (size_t i = 0; i < node->count; i++) {
        struct custom_param *param = &k->param[k->params++];
        param->name = node->keys[i];
        param->loc = node->key_locs[i];
        check_name(r, param->name, param->loc, "parameter");
        if (is_word(param->name, taken_keys, COUNT_OF(taken_keys)))
            diag_error(r->diag, param->loc, MSG_NAME_IS_KEY, param->name);
        read_expr(r, node->items[i], param->name, &param->value);
    }
}

static void read_vectors(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!yaml_expect_items(node, YAML_KIND_MAP, 0, CUSTOM_MAX_VECTORS, "vectors", r->diag)) return;
    for (size_t i = 0; i < node->count; i++) {
        struct custom_vector *vector = &k->vector[k->vectors++];
        vector->name = node->keys[i];
        vector->loc = node->key_locs[i];
        check_name(r, vector->name, vector->loc, "vector");
        bool taken = is_word(vector->name, taken_keys, COUNT_OF(taken_keys));
        for (int p = 0; p < k->params; p++) taken |= !strcmp(vector->name, k->param[p].name);
        if (taken) diag_error(r->diag, vector->loc, MSG_NAME_IS_VECTOR_KEY, vector->name);
        read_expr(r, node->items[i], vector->name, &vector->elements);
    }
}

static void read_timing(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!yaml_expect(node, YAML_KIND_MAP, "timing", r->diag)) return;
    schema_check_keys(node, &timing_table, r->arena, r->diag);
    // in the order of timing_keys
    struct custom_expr *const out[] = {&k->latency, &k->group, &k->interval, &k->buffers};
    NEED(r, node, "latency", &timing_table);
    for (size_t i = 0; i < COUNT_OF(timing_keys); i++) {
        const struct yaml_node *value = yaml_get(node, timing_keys[i].key);
        if (value) read_expr(r, value, timing_keys[i].key, out[i]);
    }
}

// Refuses a parameter with the name of a key that operations with a table have.
static void refuse_table_key(struct reader *r, const char *name, struct loc loc) {
    if (is_word(name, table_keys, COUNT_OF(table_keys))) diag_error(r->diag, loc, MSG_NAME_IS_TABLE_KEY, name);
}

// Reads `fetch`: the kernel reads a table. Such a kernel takes step words and has no vectors.
static void read_fetch(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!yaml_expect(node, YAML_KIND_MAP, "fetch", r->diag)) return;
    schema_check_keys(node, &fetch_table, r->arena, r->diag);
    // in the order of fetch_keys: ask, interval, ready
    struct custom_expr *const out[] = {&k->ask, &k->ask_next, &k->held};
    for (size_t i = 0; i < COUNT_OF(fetch_keys); i++) {
        const struct yaml_node *value = yaml_get(node, fetch_keys[i].key);
        if (value) read_expr(r, value, fetch_keys[i].key, out[i]);
    }
    k->fetch = true;
    for (int p = 0; p < k->params; p++) refuse_table_key(r, k->param[p].name, k->param[p].loc);
    if (!k->step) {
        diag_error(r->diag, node->loc, MSG_KERNEL_ROWS_STEP, k->name);
        diag_note(r->diag, node->loc, "set `step: true`");
    }
    if (k->vectors) {
        diag_error(r->diag, k->vector[0].loc, MSG_KERNEL_TABLE_VECTORS, k->name);
        diag_note(r->diag, k->vector[0].loc,
                  "use a second kernel for the vectors, or store them as columns of the table");
    }
}

// Reads a list of powers of two up to `most` and returns their sum, which has a bit for each of them. Without a list,
// returns the sum of all powers up to `most`. Returns `most` if the node is not a list of the right length.
static int read_powers(struct reader *r, const struct yaml_node *node, int most, const char *what) {
    static const int64_t legal[] = {1, 2, 4, 8, 16, 32};
    size_t known = 0;
    int sum = 0;
    while (known < COUNT_OF(legal) && legal[known] <= most) known++;
    if (!node) return 2 * most - 1;
    if (!yaml_expect_items(node, YAML_KIND_SEQ, 1, known, what, r->diag)) return most;
    for (size_t i = 0; i < node->count; i++) {
        int64_t v;
        if (!yaml_int(node->items[i], 1, most, what, &v, r->diag)) continue;
        if (v & (v - 1)) {
            diag_error(r->diag, node->items[i]->loc, MSG_NOT_POWER_OF_TWO, what, (long long)v);
            diag_note(r->diag, node->items[i]->loc, "the nearest legal value is %lld",
                      (long long)diag_nearest_value(v, legal, known));
        } else sum |= (int)v;
    }
    return sum;
}

// ---- kernels ----

static void read_resources(struct reader *r, const struct yaml_node *node, struct custom *k) {
    k->has_resources = node != NULL;
    if (node) schema_read_table(node, &resource_table, k, r->arena, r->diag);
}

// Reads a kernel, whose name and place are set.
static void read_kernel(struct reader *r, const struct yaml_node *node, struct custom *k) {
    if (!check_name(r, k->name, k->loc, "kernel") || !yaml_expect(node, YAML_KIND_MAP, "a kernel", r->diag)) return;
    schema_check_keys(node, &spec_kernel_table, r->arena, r->diag);
    const struct yaml_node *verilog = NEED(r, node, "verilog", &spec_kernel_table), *module = yaml_get(node, "module");
    const struct yaml_node *inputs = NEED(r, node, "inputs", &spec_kernel_table),
                           *outputs = NEED(r, node, "outputs", &spec_kernel_table);
    const struct yaml_node *elementwise = yaml_get(node, "elementwise"), *params = yaml_get(node, "parameters"),
                           *step = yaml_get(node, "step"), *vectors = yaml_get(node, "vectors");
    const struct yaml_node *timing = NEED(r, node, "timing", &spec_kernel_table), *golden = yaml_get(node, "golden");
    k->module = k->name;
    if (verilog) read_verilog(r, verilog, k);
    if (module && yaml_string(module, "module", &k->module, r->diag)) check_name(r, k->module, module->loc, "module");
    if (inputs) k->inputs = read_ports(r, inputs, "inputs", CUSTOM_MAX_PORTS, k->in);
    if (outputs) k->outputs = read_ports(r, outputs, "outputs", 1, k->out);
    if (elementwise) yaml_bool(elementwise, "elementwise", &k->elementwise, r->diag);
    if (step) yaml_bool(step, "step", &k->step, r->diag);
    if (params) read_params(r, params, k);
    if (vectors) read_vectors(r, vectors, k);
    if (yaml_get(node, "fetch")) read_fetch(r, yaml_get(node, "fetch"), k);
    refuse_set_params(r, k);
    k->lanes = read_powers(r, yaml_get(node, "lanes"), 32, "lanes");
    k->tokens = read_powers(r, yaml_get(node, "T"), 8, "T");
    if (timing) read_timing(r, timing, k);
    if (golden) read_golden(r, golden, k);
    read_resources(r, yaml_get(node, "resources"), k);
    for (int i = 0; k->elementwise && i < k->inputs + k->outputs; i++) {
        const struct custom_port *port = i < k->inputs ? &k->in[i] : &k->out[i - k->inputs];
        if (port->type != CUSTOM_FP32) diag_error(r->diag, port->loc, MSG_ELEMENTWISE_FORMAT);
    }
    for (int i = 0; k->elementwise && i < k->outputs; i++)
        if (k->out[i].extents) diag_error(r->diag, k->out[i].shape[0].loc, MSG_ELEMENTWISE_SHAPE);
}

struct custom *spec_read_kernels(const struct yaml_node *node, const char *dir, size_t *count, struct arena *arena,
                                 struct diag *diag) {
    struct reader r = {arena, diag, dir};
    *count = 0;
    if (!node || !yaml_expect_items(node, YAML_KIND_MAP, 0, SPEC_MAX_KERNELS, "kernels", r.diag)) return NULL;
    struct custom *kernels = ARENA_ARRAY(arena, struct custom, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        kernels[i].name = node->keys[i];
        kernels[i].loc = node->key_locs[i];
        read_kernel(&r, node->items[i], &kernels[i]);
    }
    *count = node->count;
    return kernels;
}
