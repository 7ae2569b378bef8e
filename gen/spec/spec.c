// SPDX-License-Identifier: Apache-2.0
// Reads a design spec: its top level, and the other parts through spec_read.h. Also has the words of choices and finds
// the place of a key.
#include "gen/spec/spec_read.h"

#include <string.h>

const char *const spec_format_words[] = {"int8", "int4", "int4_asym"};
const char *const spec_table_format_words[] = {"int8", "int4", "int16"};
const char *const spec_activation_words[] = {"int8", "int10"};
const char *const spec_binding_words[] = {"shared", "spatial"};
const char *const spec_fifo_words[] = {"timed", "safe", "conservative", "auto"};
const char *const spec_crossing_words[] = {"auto", "single_rate"};
const char *const spec_reserve_words[] = {"first", "second"};
const char *const spec_resident_words[] = {"none", "all", "auto"};
const char *const spec_when_words[] = {"always", "last"};

const char *spec_format_name(int format) { return spec_format_words[format]; }

const char *spec_table_format_name(int format) { return spec_table_format_words[format]; }

const char *spec_activations_name(int activations) { return spec_activation_words[activations]; }

const char *spec_binding_name(int binding) { return spec_binding_words[binding]; }

const char *spec_fifo_name(int fifo) { return spec_fifo_words[fifo]; }

bool spec_is_name(const char *s, bool dash) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t len = strlen(s), head = strspn(s, letters);
    const char *rest = dash ? "0123456789-" : "0123456789";
    if (len == 0 || len > 63 || head == 0) return false;
    for (const char *p = s; *p; p++)
        if (!strchr(letters, *p) && !strchr(rest, *p)) return false;
    return true;
}

static const struct schema_field top_fields[] = {
    {.key = "name",
     .type = SCHEMA_STRING,
     .offset = SPEC_OFFSET(rill_spec, name),
     .required = true,
     .doc = "name of the design: letters, digits, `_` and `-`, starting with a letter or `_`, at "
            "most 63 characters"},
};
static const struct schema_key top_maps[] = {
    {.key = "model",
     .range = "map",
     .preset = "one of the two",
     .doc = "the model: a family and its sizes (section 2)",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &spec_model_table},
    {.key = "graph",
     .range = "map",
     .preset = "one of the two",
     .doc = "operations and tensors, written out (section 3)",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &spec_graph_table},
    {.key = "kernels",
     .range = "map of up to 64",
     .preset = "none",
     .doc = "custom kernels, which operations of the graph use (section 6)",
     .holds = SCHEMA_HOLDS_NAMED,
     .table = &spec_kernel_table},
    {.key = "board",
     .range = "text",
     .preset = "`u55c`",
     .doc = "name of a board that Rill ships (`boards/<name>.yaml`). Text with a `/` or the ending "
            "`.yaml` is the path of a board file, relative to the spec ([boards.md](boards.md))",
     .json = "{\"type\": \"string\"}"},
    {.key = "design",
     .range = "map",
     .preset = "all defaults",
     .doc = "how the hardware is built (section 4)",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &spec_design_table},
};
const struct schema_table spec_table = {.path = "",
                                        .what = "spec",
                                        .fields = top_fields,
                                        .count = COUNT_OF(top_fields),
                                        .keys = top_maps,
                                        .key_count = COUNT_OF(top_maps)};
static const char *const top_keys[] = {"name", "model", "graph", "kernels", "board", "design"};

static void check_name(const struct yaml_node *root, const char *name, struct diag *diag) {
    if (!name || spec_is_name(name, true)) return;
    diag_error(diag, yaml_get(root, "name")->loc, MSG_NAME_OF_DESIGN);
}

// Reports a kernel of the spec that has the name of a kernel of the family.
static void refuse_twice(const struct custom *family, const struct custom *k, struct diag *diag) {
    if (strcmp(family->name, k->name) != 0) return;
    diag_error(diag, k->loc, MSG_FAMILY_KERNEL, k->name);
    diag_note(diag, family->loc, "it is here");
}

// Reads the kernels of the model's family, if there is one, and then those of the spec, into one list.
static void read_kernels(const struct yaml_node *root, struct rill_spec *spec, const char *dir, struct arena *arena,
                         struct diag *diag) {
    const struct family *f = spec->model ? spec->model->family : NULL;
    const struct yaml_node *node = yaml_get(root, "kernels");
    size_t first = 0, own = 0;
    struct custom *family = NULL, *list = ARENA_ARRAY(arena, struct custom, SPEC_MAX_KERNELS);
    if (f) family = spec_read_kernels(f->kernels, file_dir(arena, f->path), &first, arena, diag);
    if (node && first && node->count > SPEC_MAX_KERNELS - first) {
        diag_error(diag, node->loc, MSG_TOO_MANY_KERNELS, SPEC_MAX_KERNELS, first + node->count);
        return;
    }
    struct custom *kernels = spec_read_kernels(node, dir, &own, arena, diag);
    for (size_t i = 0; i < first; i++) list[i] = family[i];
    for (size_t i = 0; i < own; i++) list[first + i] = kernels[i];
    for (size_t i = 0; i < first * own; i++) refuse_twice(&family[i / own], &kernels[i % own], diag);
    spec->kernels = list;
    spec->kernel_count = first + own;
}

// Reads `model` or `graph`, exactly one of which must be present, and the custom kernels.
static void read_subject(const struct yaml_node *root, struct rill_spec *spec, struct arena *arena, struct diag *diag) {
    const struct yaml_node *model = yaml_get(root, "model"), *graph = yaml_get(root, "graph");
    if (model && graph) {
        diag_error(diag, yaml_key_loc(root, "graph"), MSG_MODEL_AND_GRAPH);
        diag_note(diag, yaml_key_loc(root, "model"), "`model` is here");
        return;
    }
    if (!model && !graph && !yaml_is_misspelt(root, "model", top_keys, COUNT_OF(top_keys)) &&
        !yaml_is_misspelt(root, "graph", top_keys, COUNT_OF(top_keys)))
        diag_error(diag, root->loc, MSG_NO_MODEL_NOR_GRAPH);
    const char *dir = file_dir(arena, spec->path);
    if (model) spec->model = spec_read_model(model, dir, arena, diag);
    if (graph) spec->graph = spec_read_graph(graph, arena, diag);
    read_kernels(root, spec, dir, arena, diag);
}

// Reads the board file. spec->device stays NULL after an error.
static void read_board(const struct yaml_node *root, struct rill_spec *spec, struct arena *arena, struct diag *diag) {
    const struct yaml_node *board = yaml_get(root, "board");
    const char *name = "u55c";
    if (board && !yaml_string(board, "board", &name, diag)) return;
    struct loc loc = board ? board->loc : root->loc;
    spec->device = rill_device_find(name, file_dir(arena, spec->path), loc, arena, diag);
}

// Reads all parts of a spec. Rules between parts are checked only if `design` has no error, and a family's graph is
// expanded only if no part has an error.
static struct rill_spec *read_tree(const char *path, const struct yaml_node *root, struct arena *arena,
                                   struct diag *diag) {
    int before = diag->errors;
    if (!yaml_expect(root, YAML_KIND_MAP, "a spec", diag)) return NULL;
    struct rill_spec *spec = ARENA_NEW(arena, struct rill_spec);
    spec->path = arena_strdup(arena, path);
    spec->root = root;
    schema_read_table(root, &spec_table, spec, arena, diag);
    check_name(root, spec->name, diag);
    read_subject(root, spec, arena, diag);
    read_board(root, spec, arena, diag);
    int outside = diag->errors;
    const struct yaml_node *design = yaml_get(root, "design");
    spec_read_design(design, spec->model, &spec->design, arena, diag);
    bool own_clock = design && yaml_get(design, "clock_mhz");
    if (!own_clock && spec->device) spec->design.clock_mhz = spec->device->clock_default_mhz;
    if (diag->errors == outside) spec_check_design(spec, arena, diag);
    if (spec->model && diag->errors == before) spec->graph = spec_model_graph(spec->model, &spec->design, arena, diag);
    spec_note_model(spec, diag);
    return diag->errors == before ? spec : NULL;
}

struct rill_spec *rill_spec_read(const char *path, struct arena *arena, struct diag *diag) {
    const struct yaml_node *root = yaml_read_file(path, arena, diag);
    return root ? read_tree(path, root, arena, diag) : NULL;
}

struct rill_spec *rill_spec_read_bytes(const char *path, const void *data, size_t len, struct arena *arena,
                                       struct diag *diag) {
    const struct yaml_node *root = yaml_read_bytes(path, data, len, arena, diag);
    return root ? read_tree(path, root, arena, diag) : NULL;
}

struct loc spec_place(const struct rill_spec *spec, const char *path) {
    const struct yaml_node *node = spec->root;
    char key[64];
    while (*path) {
        size_t len = strcspn(path, ".");
        if (len >= sizeof key) break;
        memcpy(key, path, len);
        key[len] = '\0';
        const struct yaml_node *child = yaml_get(node, key);
        if (!child) break;
        node = child;
        path += len + (path[len] == '.');
    }
    return node->loc;
}
