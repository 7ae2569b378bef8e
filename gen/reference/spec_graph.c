// SPDX-License-Identifier: Apache-2.0
// Reads a spec file into the oracle's graph (graph.h). libyaml parses the document; docs/spec.md defines the keys. This
// file does not use the compiler's readers. Keys that are missing get their defaults, and unknown keys are ignored,
// because the compiler checks them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/reference/family_expand.h"
#include "gen/reference/graph.h"

enum { SPEC_BYTES = 16 << 20, TEXT_BYTES = 1 << 20 }; // size limits of a spec or family, and of a golden file

// The state of reading a document into a graph.
struct reader {
    struct oracle_graph *graph;
    struct diag *diag;
    yaml_document_t *doc;
    const char *base; // folder of the spec or of the family; paths of golden files are relative to it
    bool ok;          // no error was reported
};

// Reports an error, if it is the first one.
static void wrong(struct reader *r, const yaml_node_t *at, const char *what, const char *word) {
    struct loc loc = loc_file(r->graph->arena, r->graph->path);
    if (at) loc.line = (uint32_t)at->start_mark.line + 1, loc.col = (uint32_t)at->start_mark.column + 1;
    if (r->ok) diag_error(r->diag, loc, MSG_ORACLE_SPEC, what, word);
    r->ok = false;
}

// ---- the document ----

static const char *text(const yaml_node_t *node) {
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static const yaml_node_t *node_at(struct reader *r, int index) { return yaml_document_get_node(r->doc, index); }

static const yaml_node_t *get(struct reader *r, const yaml_node_t *map, const char *key) {
    if (!map || map->type != YAML_MAPPING_NODE) return NULL;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const char *name = text(node_at(r, p->key));
        if (name && !strcmp(name, key)) return node_at(r, p->value);
    }
    return NULL;
}

static int count(const yaml_node_t *list) {
    if (!list) return 0;
    return list->type == YAML_SEQUENCE_NODE ? (int)(list->data.sequence.items.top - list->data.sequence.items.start)
                                            : 1; // a single value is a list of one
}

static const yaml_node_t *item(struct reader *r, const yaml_node_t *list, int i) {
    return list->type == YAML_SEQUENCE_NODE ? node_at(r, list->data.sequence.items.start[i]) : list;
}

static int line_of(const yaml_node_t *node) { return (int)node->start_mark.line + 1; }

static const char *string(struct reader *r, const yaml_node_t *map, const char *key, const char *preset) {
    const char *s = text(get(r, map, key));
    return s ? arena_strdup(r->graph->arena, s) : preset;
}

// Returns the value of a decimal or hexadecimal (0x) number; `true` is 1.
static int64_t number_of(const char *s) {
    if (!strcmp(s, "true")) return 1;
    size_t sign = strspn(s, "+-");
    return strtoll(s, NULL, s[sign] == '0' && (s[sign + 1] | 32) == 'x' ? 16 : 10);
}

static int64_t number(struct reader *r, const yaml_node_t *map, const char *key, int64_t preset) {
    const char *s = text(get(r, map, key));
    return s ? number_of(s) : preset;
}

static double real(struct reader *r, const yaml_node_t *map, const char *key, double preset) {
    const char *s = text(get(r, map, key));
    return s ? strtod(s, NULL) : preset;
}

// Whether the key has the wanted word as its value; `preset` if the key is absent.
static bool word(struct reader *r, const yaml_node_t *map, const char *key, const char *wanted, bool preset) {
    const char *s = text(get(r, map, key));
    return s ? !strcmp(s, wanted) : preset;
}

// Reads at most `most` integers of a list. Returns their number.
static int numbers(struct reader *r, const yaml_node_t *list, int most, int64_t out[]) {
    int n = count(list);
    for (int i = 0; i < n && i < most; i++) {
        const char *s = text(item(r, list, i));
        out[i] = s ? number_of(s) : 0;
    }
    return n < most ? n : most;
}

// Reads one value, or a list with one for each repetition.
static struct oracle_each each(struct reader *r, const yaml_node_t *list) {
    int n = count(list);
    int64_t *value = ARENA_ARRAY(r->graph->arena, int64_t, (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        const char *s = text(item(r, list, i));
        value[i] = s ? number_of(s) : 0;
    }
    return (struct oracle_each){value, n};
}

int64_t oracle_each_at(const struct oracle_each *e, int64_t repetition) {
    return e->count == 0 ? 0 : repetition < e->count ? e->value[repetition] : e->value[0];
}

// ---- tensors ----

// Adds a tensor and returns its number.
static int declare(struct reader *r, const char *name, int line, int region) {
    struct oracle_tensor t = {
        .name = arena_strdup(r->graph->arena, name), .line = line, .node = NONE, .region = region, .carry = NONE};
    VEC_PUSH(r->graph->arena, r->graph->tensor, t);
    return (int)r->graph->tensor.count - 1;
}

// Returns the tensor that the node names. Reports an error and returns 0 if there is none.
static int find(struct reader *r, const yaml_node_t *at) {
    const char *name = text(at);
    int t = name ? oracle_find(r->graph, name) : NONE;
    if (t == NONE) wrong(r, at, "no tensor", name ? name : "?");
    return t == NONE ? 0 : t;
}

// ---- operations ----

static const char *const op_names[ORACLE_OPS] = {
#define ORACLE_OP(op, name, ins, outs, exact, in_float) [ORACLE_##op] = name,
#include "gen/reference/ops.inc"
#undef ORACLE_OP
    [ORACLE_LINEAR] = "linear", [ORACLE_CONV] = "conv", [ORACLE_ATTENTION] = "attention"};

// Returns the operation that the key `op` names. After an error it returns ORACLE_ADD; the graph is not used then.
static int find_op(struct reader *r, const yaml_node_t *map) {
    const char *name = text(get(r, map, "op"));
    for (int i = 0; name && i < ORACLE_OPS; i++)
        if (!strcmp(op_names[i], name)) return i;
    for (size_t k = 0; name && k < r->graph->kernel.count; k++)
        if (!strcmp(r->graph->kernel.items[k].name, name)) return ORACLE_OPS + (int)k;
    wrong(r, map, "no operation", name ? name : "?");
    return ORACLE_ADD;
}

static enum oracle_scaling scaling_of(struct reader *r, const yaml_node_t *map) {
    return word(r, map, "scaling", "linear", false)   ? ORACLE_SCALED_LINEAR
           : word(r, map, "scaling", "llama3", false) ? ORACLE_LLAMA3
           : word(r, map, "scaling", "yarn", false)   ? ORACLE_YARN
                                                      : ORACLE_UNSCALED;
}

static struct oracle_rope read_rope(struct reader *r, const yaml_node_t *map) {
    return (struct oracle_rope){.scaling = scaling_of(r, map),
                                .theta = real(r, map, "theta", 10000),
                                .factor = real(r, map, "factor", 1),
                                .low_freq = real(r, map, "low_freq_factor", 1),
                                .high_freq = real(r, map, "high_freq_factor", 4),
                                .beta_fast = real(r, map, "beta_fast", 32),
                                .beta_slow = real(r, map, "beta_slow", 1),
                                .attention = real(r, map, "attention_factor", 0),
                                .original = number(r, map, "original_context", 8192)};
}

// Whether a name fits a pattern in which `*` matches any characters. If the text after the latest `*` does not fit, the
// function tries this text one character later in the name.
static bool fits(const char *pattern, const char *name) {
    const char *behind = NULL, *from = NULL;
    while (*name) {
        if (*pattern == '*') behind = ++pattern, from = name;
        else if (*pattern == *name) pattern++, name++;
        else if (behind) pattern = behind, name = ++from;
        else return false;
    }
    return strspn(pattern, "*") == strlen(pattern);
}

// Returns the format of the last pattern that fits the tensor's name, with or without the prefix, or else the format
// for all others. Repetition 0 decides for all repetitions.
static const char *format_of(struct reader *r, const char *weight) {
    const struct oracle_graph *g = r->graph;
    const char *name = weight && g->format.count ? oracle_name(g->arena, weight, 0) : NULL,
               *whole = name && g->prefix ? arena_printf(g->arena, "%s%s", g->prefix, name) : NULL,
               *format = g->weights;
    for (size_t i = 0; name && i < g->format.count; i++) {
        const char *pattern = g->format.items[i].pattern;
        if (fits(pattern, name) || (whole && fits(pattern, whole))) format = g->format.items[i].word;
    }
    return format;
}

// Returns an attribute: a number, or the index of a word in the list of docs/spec.md. NAN: the attribute is not given.
static double given(struct reader *r, const yaml_node_t *map, const char *key) {
    static const char *const words[][8] = {{"tanh", "none"},
                                           {"add", "sub", "mul", "div", "max", "min", "rsub", "rdiv"}};
    const char *s = key ? text(get(r, map, key)) : NULL;
    for (size_t i = 0; s && i < 2 * 8; i++)
        if (words[i / 8][i % 8] && !strcmp(s, words[i / 8][i % 8])) return (double)(i % 8);
    return s ? strtod(s, NULL) : NAN;
}

// Reads the attributes of an operation of unary.inc.
static void read_unary(struct reader *r, const yaml_node_t *map, struct oracle_node *n) {
    const char *first = NULL, *second = NULL;
    switch (n->op) {
#define ORACLE_UNARY(op, name, one, two, value)                                                                        \
    case ORACLE_##op:                                                                                                  \
        first = one, second = two;                                                                                     \
        break;
#include "gen/reference/unary.inc"
#undef ORACLE_UNARY
    default: break;
    }
    n->given[0] = given(r, map, first);
    n->given[1] = given(r, map, second);
}

// Reads the attributes of docs/spec.md section 5.
static void read_attributes(struct reader *r, const yaml_node_t *map, struct oracle_node *n) {
    const struct oracle_graph *g = r->graph;
    n->rows = number(r, map, "rows", 0);
    n->cols = number(r, map, "cols", 0);
    n->row_offset = number(r, map, "row_offset", 0);
    n->transpose = number(r, map, "transpose", 0) == 1;
    n->weight = string(r, map, "weight", NULL);
    const char *format =
        n->op == ORACLE_EMBED ? string(r, map, "format", "int8") : string(r, map, "weights", format_of(r, n->weight));
    n->int4 = !strcmp(format, "int4");
    n->asym = !strcmp(format, "int4_asym");
    n->int16 = !strcmp(format, "int16");
    n->bias = string(r, map, "bias", NULL);
    n->gamma = string(r, map, "gamma", NULL);
    n->beta = string(r, map, "beta", NULL);
    n->gamma_plus = real(r, map, "gamma_plus", 0);
    n->times_root = word(r, map, "times", "sqrt_cols", false);
    n->eps = real(r, map, "eps", 1e-5);
    n->rope = read_rope(r, map);
    n->along = number(r, map, "along", NONE);
    n->block = number(r, map, "block", 0);
    n->exp_min = number(r, map, "exp_min", -24);
    n->heads = number(r, map, "heads", 0);
    n->kv_heads = number(r, map, "kv_heads", n->heads);
    n->scale = real(r, map, "scale", 0);
    n->scale_root = number(r, map, "scale_root", 0);
    n->window = each(r, get(r, map, "window"));
    n->of = each(r, get(r, map, "of"));
    n->cap = real(r, map, "cap", 0);
    read_unary(r, map, n);
    n->interleaved = word(r, map, "pairs", "interleaved", false);
    n->key = word(r, map, "role", "key", false);
    n->perms = numbers(r, get(r, map, "perm"), ORACLE_MAX_RANK, n->perm);
    n->extents = numbers(r, get(r, map, "shape"), ORACLE_MAX_RANK, n->extent);
    n->joins = n->op == ORACLE_REDUCE ? numbers(r, get(r, map, "along"), ORACLE_MAX_RANK, n->join) : 0;
    n->start = number(r, map, "start", 0);
    n->take = number(r, map, "count", 0);
    n->skip = number(r, map, "step", 1);
    n->every = number(r, map, "every", 0);
    n->kind = word(r, map, "kind", "min", false)    ? 1
              : word(r, map, "kind", "sum", false)  ? 2
              : word(r, map, "kind", "mean", false) ? 3
                                                    : 0;
    n->taps = numbers(r, get(r, map, "size"), ORACLE_MAX_RANK, n->tap);
    n->strides = numbers(r, get(r, map, "stride"), ORACLE_MAX_RANK, n->stride);
    n->dilations = numbers(r, get(r, map, "dilation"), ORACLE_MAX_RANK, n->dilation);
    n->pads = numbers(r, get(r, map, "pads"), 2 * ORACLE_MAX_RANK, n->padding);
    n->pad = real(r, map, "pad", 0);
    if (n->block == 0) n->block = g->group;
}

// Reads what an operation gives for its custom kernel: parameters, names of vectors, and the table.
static void read_parameters(struct reader *r, const yaml_node_t *map, struct oracle_node *n) {
    const struct oracle_kernel *k = &r->graph->kernel.items[n->op - ORACLE_OPS];
    for (int p = 0; p < k->parameters; p++) {
        const char *given = string(r, map, k->parameter[p].name, NULL);
        if (given) n->parameter[n->parameters++] = (struct oracle_parameter){k->parameter[p].name, given};
    }
    for (int v = 0; v < k->vectors; v++) n->vector[n->vectors++] = string(r, map, k->vector[v].name, "?");
    n->reads_table = k->reads_table;
    if (!k->reads_table) return;
    n->rows = number(r, map, "rows", 0);
    n->cols = number(r, map, "cols", 0);
    n->weight = string(r, map, "weight", NULL);
}

// Reads an operation and declares the tensors that it makes.
static void read_node(struct reader *r, const yaml_node_t *map, int region) {
    struct oracle_node n = {.op = find_op(r, map), .line = line_of(map), .region = region};
    const yaml_node_t *in = get(r, map, "in"), *out = get(r, map, "name");
    if (!out) out = get(r, map, "out");
    n.inputs = count(in);
    n.outputs = count(out);
    if (n.inputs > ORACLE_PORTS || n.outputs < 1 || n.outputs > ORACLE_PORTS) {
        wrong(r, map, "inputs and outputs of", op_names[n.op < ORACLE_OPS ? n.op : 0]);
        return;
    }
    for (int i = 0; i < n.inputs; i++) n.in[i] = find(r, item(r, in, i));
    if (n.op < ORACLE_OPS) read_attributes(r, map, &n);
    else read_parameters(r, map, &n);
    for (int o = 0; o < n.outputs; o++) {
        const char *name = text(item(r, out, o));
        n.out[o] = declare(r, name ? name : "?", n.line, region);
        r->graph->tensor.items[n.out[o]].node = (int)r->graph->node.count;
    }
    VEC_PUSH(r->graph->arena, r->graph->node, n);
}

// ---- regions ----

static void read_carries(struct reader *r, const yaml_node_t *map, int region) {
    struct oracle_region *g = &r->graph->region.items[region];
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        if (g->carries == ORACLE_PORTS) return wrong(r, map, "more than 8 carried tensors in", g->name);
        int local = declare(r, text(node_at(r, p->key)), line_of(node_at(r, p->key)), region);
        r->graph->tensor.items[local].carry = g->carries;
        g->carry[g->carries++] = (struct oracle_carry){local, find(r, get(r, node_at(r, p->value), "init")), NONE};
    }
}

// Reads `next` of the carries. This is done after the region's operations, because `next` names their results.
static void read_nexts(struct reader *r, const yaml_node_t *map, int region) {
    struct oracle_region *g = &r->graph->region.items[region];
    int c = 0;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++, c++)
        g->carry[c].next = find(r, get(r, node_at(r, p->value), "next"));
}

// Reads a region with its carried tensors and operations.
static void read_region(struct reader *r, const yaml_node_t *map) {
    int region = (int)r->graph->region.count;
    struct oracle_region g = {.name = string(r, map, "name", "?"),
                              .repeat = number(r, map, "repeat", 1),
                              .last = word(r, map, "when", "last", false),
                              .first_node = (int)r->graph->node.count};
    const yaml_node_t *ops = get(r, map, "ops"), *carry = get(r, map, "carry");
    bool carries = carry && carry->type == YAML_MAPPING_NODE;
    VEC_PUSH(r->graph->arena, r->graph->region, g);
    if (carries) read_carries(r, carry, region);
    for (int i = 0; r->ok && i < count(ops); i++) read_node(r, item(r, ops, i), region);
    r->graph->region.items[region].nodes = (int)r->graph->node.count - g.first_node;
    if (carries && r->ok) read_nexts(r, carry, region);
}

static void read_regions(struct reader *r, const yaml_node_t *list) {
    for (int i = 0; r->ok && i < count(list); i++) read_region(r, item(r, list, i));
}

// Adds an input of the graph. Inputs beyond ORACLE_PORTS are ignored, because the compiler rejects them.
static void add_input(struct reader *r, const char *name, int line, int rank, const int64_t extent[]) {
    if (r->graph->inputs == ORACLE_PORTS) return;
    int t = declare(r, name, line, NONE);
    r->graph->tensor.items[t].rank = rank;
    for (int d = 0; d < rank; d++) r->graph->tensor.items[t].extent[d] = extent[d];
    r->graph->input[r->graph->inputs++] = t;
}

// Reads the prefix of the checkpoint's tensor names and the patterns of tensors that are not used.
static void read_weights(struct reader *r, const yaml_node_t *map) {
    const yaml_node_t *unused = get(r, map, "unused");
    r->graph->prefix = string(r, map, "prefix", NULL);
    for (int i = 0; i < count(unused); i++) {
        const char *name = text(item(r, unused, i));
        if (name) VEC_PUSH(r->graph->arena, r->graph->unused, arena_strdup(r->graph->arena, name));
    }
}

// Reads `eot`: the id that ends a request, or a list of such ids.
static void read_end_ids(struct reader *r, const yaml_node_t *eot) {
    struct end_ids *ends = &r->graph->eot;
    for (int i = 0; eot && i < count(eot) && ends->count < END_IDS_MAX; i++)
        ends->id[ends->count++] = (uint32_t)strtoul(text(item(r, eot, i)), NULL, 0);
}

// Reads the section `graph`, or the graph of a family.
static void read_graph(struct reader *r, const yaml_node_t *graph) {
    const yaml_node_t *inputs = get(r, graph, "inputs"), *outputs = get(r, graph, "outputs");
    if (!inputs || inputs->type != YAML_MAPPING_NODE) return wrong(r, graph, "no map", "inputs");
    r->graph->context = number(r, graph, "context", 1024);
    read_end_ids(r, get(r, graph, "eot"));
    read_weights(r, get(r, graph, "weights"));
    for (const yaml_node_pair_t *p = inputs->data.mapping.pairs.start; p < inputs->data.mapping.pairs.top; p++) {
        int64_t extent[ORACLE_MAX_RANK];
        int rank = numbers(r, get(r, node_at(r, p->value), "shape"), ORACLE_MAX_RANK, extent);
        add_input(r, text(node_at(r, p->key)), line_of(node_at(r, p->key)), rank, extent);
    }
    read_regions(r, get(r, graph, "regions"));
    for (int o = 0; r->ok && o < count(outputs) && o < ORACLE_PORTS; o++)
        r->graph->output[r->graph->outputs++] = find(r, item(r, outputs, o));
}

// ---- custom kernels ----

// Reads the golden file of a kernel. The kernel has no golden function if the spec names no file, or if the graph is
// read without golden functions.
static void read_golden(struct reader *r, const yaml_node_t *golden, struct oracle_kernel *k) {
    struct arena *a = r->graph->arena;
    const char *file = string(r, golden, "file", NULL), *why = NULL;
    size_t len;
    if (!file || !r->graph->functions) return;
    const char *slash = strrchr(file, '/'), *path = r->graph->dir  ? arena_printf(a, "%s/%s.c", r->graph->dir, k->name)
                                                    : *file == '/' ? file
                                                                   : arena_printf(a, "%s/%s", r->base, file);
    k->file = slash ? slash + 1 : file;
    k->function = string(r, golden, "function", k->name);
    k->text = file_read(a, path, TEXT_BYTES, &len, &why);
    if (!k->text) wrong(r, golden, why, path);
}

// Reads the declared inputs or outputs of a custom kernel. Returns their number.
static int read_streams(struct reader *r, const yaml_node_t *map, struct oracle_stream out[]) {
    int n = 0;
    if (!map || map->type != YAML_MAPPING_NODE) return 0;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top && n < ORACLE_PORTS;
         p++, n++) {
        const yaml_node_t *stream = node_at(r, p->value), *shape = get(r, stream, "shape");
        const char *type = text(stream) ? text(stream) : string(r, stream, "type", "fp32");
        out[n] = (struct oracle_stream){.name = arena_strdup(r->graph->arena, text(node_at(r, p->key))),
                                        .int8 = !strcmp(type, "int8")};
        for (int d = 0; d < count(shape) && d < ORACLE_MAX_RANK; d++)
            out[n].extent[out[n].extents++] = arena_strdup(r->graph->arena, text(item(r, shape, d)));
    }
    return n;
}

// Reads a map of texts, such as the parameters of a custom kernel. Returns the number of its items, at most `most`.
static int read_texts(struct reader *r, const yaml_node_t *map, int most, struct oracle_parameter out[]) {
    int n = 0;
    if (!map || map->type != YAML_MAPPING_NODE) return 0;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top && n < most; p++)
        out[n++] = (struct oracle_parameter){arena_strdup(r->graph->arena, text(node_at(r, p->key))),
                                             arena_strdup(r->graph->arena, text(node_at(r, p->value)))};
    return n;
}

static void read_kernel(struct reader *r, const char *name, const yaml_node_t *map) {
    struct oracle_kernel k = {.name = arena_strdup(r->graph->arena, name)};
    k.inputs = read_streams(r, get(r, map, "inputs"), k.in);
    k.outputs = read_streams(r, get(r, map, "outputs"), k.out);
    k.elementwise = word(r, map, "elementwise", "true", false);
    k.parameters = read_texts(r, get(r, map, "parameters"), ORACLE_PARAMETERS, k.parameter);
    k.vectors = read_texts(r, get(r, map, "vectors"), ORACLE_VECTORS, k.vector);
    k.reads_table = get(r, map, "fetch") != NULL;
    read_golden(r, get(r, map, "golden"), &k);
    VEC_PUSH(r->graph->arena, r->graph->kernel, k);
}

static void read_kernels(struct reader *r, const yaml_node_t *map) {
    if (!map || map->type != YAML_MAPPING_NODE) return;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++)
        read_kernel(r, text(node_at(r, p->key)), node_at(r, p->value));
}

// ---- a model: the graph of its family ----

// Parses YAML. If it returns true, the caller must delete the document.
static bool load(yaml_document_t *doc, const char *data) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)data, strlen(data));
    bool ok = yaml_parser_load(&parser, doc) == 1;
    yaml_parser_delete(&parser);
    return ok;
}

// Returns the file of a family: a path is relative to the spec, and a plain name is a file of the installation.
static const char *family_path(struct reader *r, const char *name) {
    struct arena *a = r->graph->arena;
    if (r->graph->dir) return arena_printf(a, "%s/family.yaml", r->graph->dir); // a generated design's copy
    if (!file_is_path(name)) return file_find_shared(a, arena_printf(a, "families/%s.yaml", name));
    return *name == '/' ? name : arena_printf(a, "%s/%s", r->base, name);
}

// Returns the text of a family: the one that the graph has already, or that of the file. Sets `lines` of the graph.
// NULL: the file cannot be read.
static const char *family_text(struct reader *r, const char *name) {
    const char *path = r->graph->family ? name : family_path(r, name), *why = NULL;
    size_t len;
    r->graph->lines = path ? path : name;
    if (!r->graph->family && path) r->graph->family = file_read(r->graph->arena, path, SPEC_BYTES, &len, &why);
    return r->graph->family;
}

// Expands the family with the spec's parameters and reads the resulting document as a graph.
static void read_graph_of(struct reader *r, const yaml_node_t *model, yaml_document_t *family) {
    yaml_document_t made, *spec = r->doc;
    if (!yaml_document_initialize(&made, NULL, NULL, NULL, 1, 1)) return wrong(r, model, "no memory for", "a graph");
    const char *why = oracle_family(r->graph->arena, family, spec, &made);
    if (why) wrong(r, model, "family:", why);
    r->doc = &made;
    if (r->ok) read_graph(r, yaml_document_get_root_node(&made));
    r->doc = spec;
    yaml_document_delete(&made);
}

// Reads the kernels that the family declares (docs/families.md). Their files are relative to the family's folder.
static void read_kernels_of(struct reader *r, yaml_document_t *family) {
    struct reader own = *r;
    own.doc = family;
    own.base = file_dir(r->graph->arena, r->graph->lines);
    read_kernels(&own, get(&own, yaml_document_get_root_node(family), "kernels"));
    r->ok = own.ok;
}

static void read_model(struct reader *r, const yaml_node_t *model) {
    yaml_document_t family;
    const char *name = string(r, model, "family", "?"), *data = family_text(r, name);
    if (!data) return wrong(r, model, "no family", name);
    if (!load(&family, data)) return wrong(r, model, "no YAML: family", name);
    read_kernels_of(r, &family);
    read_graph_of(r, model, &family);
    yaml_document_delete(&family);
}

// ---- the whole ----

// Reads the format of weights: one word, or a map of patterns with a default (docs/spec.md section 4).
static void read_formats(struct reader *r, const yaml_node_t *design) {
    const yaml_node_t *weights = get(r, design, "weights");
    bool map = weights && weights->type == YAML_MAPPING_NODE;
    r->graph->weights = map ? string(r, weights, "default", "int8") : string(r, design, "weights", "int8");
    if (!map) return;
    for (const yaml_node_pair_t *p = weights->data.mapping.pairs.start; p < weights->data.mapping.pairs.top; p++) {
        const char *pattern = text(node_at(r, p->key)), *format = text(node_at(r, p->value));
        if (!pattern || !format || !strcmp(pattern, "default")) continue;
        struct oracle_format f = {arena_strdup(r->graph->arena, pattern), arena_strdup(r->graph->arena, format)};
        VEC_PUSH(r->graph->arena, r->graph->format, f);
    }
}

// Reads the whole spec. Its graph is written out, or follows from `model`.
static void read_document(struct reader *r) {
    const yaml_node_t *root = yaml_document_get_root_node(r->doc), *model = get(r, root, "model"),
                      *graph = get(r, root, "graph"), *design = get(r, root, "design");
    r->graph->group = number(r, design, "group", 128);
    r->graph->tokens = number(r, design, "T", 1);
    read_formats(r, design);
    r->graph->mantissa_bits = word(r, design, "activations", "int10", false) ? 10 : 8;
    read_kernels(r, get(r, root, "kernels"));
    if (model) read_model(r, model);
    else if (graph) read_graph(r, graph);
    else wrong(r, root, "neither `model` nor", "graph");
}

// Reads the spec in g->source, expands its composites and finds the shapes. NULL after an error.
static struct oracle_graph *read_text(struct oracle_graph *g, struct diag *diag) {
    yaml_document_t doc;
    struct reader r = {.graph = g, .diag = diag, .doc = &doc, .base = file_dir(g->arena, g->path), .ok = true};
    if (!load(&doc, g->source)) {
        wrong(&r, NULL, "no YAML", g->path);
        return NULL;
    }
    read_document(&r);
    yaml_document_delete(&doc);
    if (r.ok) oracle_expand(g);
    return r.ok && oracle_shapes(g, diag) ? g : NULL;
}

struct oracle_graph *oracle_read_as(struct arena *arena, const char *path, const char *golden_dir, struct diag *diag) {
    struct oracle_graph *g = ARENA_NEW(arena, struct oracle_graph);
    size_t len;
    const char *why;
    *g = (struct oracle_graph){.arena = arena, .path = path, .lines = path, .dir = golden_dir, .functions = true};
    g->source = file_read(arena, path, SPEC_BYTES, &len, &why);
    if (g->source) return read_text(g, diag);
    diag_error_text(diag, loc_file(arena, path), why);
    return NULL;
}

struct oracle_graph *oracle_read(struct arena *arena, const char *path, struct diag *diag) {
    return oracle_read_as(arena, path, NULL, diag);
}

struct oracle_graph *oracle_read_text(struct arena *arena, const char *path, const char *text, const char *family,
                                      struct diag *diag) {
    struct oracle_graph *g = ARENA_NEW(arena, struct oracle_graph);
    *g = (struct oracle_graph){.arena = arena, .path = path, .lines = path, .source = text, .family = family};
    return read_text(g, diag);
}
