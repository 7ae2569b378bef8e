// SPDX-License-Identifier: Apache-2.0
// Collects the statistics of a calibration in entries, and writes and reads them as JSON. The file has checksums of the
// checkpoint and of the graph with which the statistics were measured, so that they are not used for another model.
#include "gen/reference/statistics.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/reference/weights.h"

enum { VERSION = 1, MOST_BYTES = 1 << 30 }; // version of the file's form; size limit of a file

// ---- entries ----

static struct statistics_entry *find(const struct statistics *s, const char *tensor, int64_t rows, int64_t row_offset,
                                     int64_t k) {
    for (size_t i = 0; i < s->entry.count; i++) {
        struct statistics_entry *e = &s->entry.items[i];
        if (e->rows == rows && e->row_offset == row_offset && e->k == k && !strcmp(e->tensor, tensor)) return e;
    }
    return NULL;
}

struct statistics_entry *statistics_entry(struct statistics *s, struct arena *arena, const char *tensor, int64_t rows,
                                          int64_t row_offset, int64_t k) {
    struct statistics_entry *e = find(s, tensor, rows, row_offset, k);
    if (e) return e;
    VEC_PUSH(arena, s->entry, ((struct statistics_entry){tensor, rows, row_offset, k, 0, NULL, NULL}));
    e = &s->entry.items[s->entry.count - 1];
    e->sum = ARENA_ARRAY(arena, double, (size_t)k);
    return e;
}

void statistics_divide(struct statistics *s, struct arena *arena) {
    for (size_t i = 0; i < s->entry.count; i++) {
        struct statistics_entry *e = &s->entry.items[i];
        e->mean = ARENA_ARRAY(arena, float, (size_t)e->k);
        for (int64_t c = 0; c < e->k; c++) e->mean[c] = (float)(e->sum[c] / (double)e->count);
    }
}

const float *statistics_of(const struct statistics *s, const char *tensor, int64_t rows, int64_t row_offset,
                           int64_t k) {
    const struct statistics_entry *e = s ? find(s, tensor, rows, row_offset, k) : NULL;
    return e ? e->mean : NULL;
}

const char *statistics_about(const struct statistics *s, struct arena *arena) {
    return arena_printf(arena, "%lld tokens of %s", (long long)s->tokens, s->from);
}

// ---- checksums of checkpoint and graph ----

// Returns the FNV-1a hash h, continued over the bytes.
static uint64_t hash_bytes(uint64_t h, const void *data, size_t bytes) {
    for (const uint8_t *p = data; bytes; p++, bytes--) h = (h ^ *p) * 0x100000001b3u;
    return h;
}

static uint64_t hash_text(uint64_t h, const char *s) { return hash_bytes(h, s ? s : "", s ? strlen(s) + 1 : 1); }

static uint64_t hash_numbers(uint64_t h, const int64_t *number, int count) {
    h = hash_bytes(h, &count, sizeof count);
    return hash_bytes(h, number, sizeof *number * (size_t)count);
}

// Hashes the attributes of operations that select, move or join elements, of elementwise operations, and of attention.
static uint64_t hash_choices(uint64_t h, const struct oracle_node *n) {
    const int64_t numbers[] = {n->scale_root, n->every, n->kind, n->start, n->take, n->skip};
    const double reals[] = {n->cap, n->given[0], n->given[1], n->pad};
    h = hash_bytes(h, numbers, sizeof numbers);
    h = hash_bytes(h, reals, sizeof reals);
    h = hash_numbers(hash_numbers(h, n->window.value, n->window.count), n->of.value, n->of.count);
    h = hash_numbers(hash_numbers(h, n->join, n->joins), n->tap, n->taps);
    h = hash_numbers(hash_numbers(h, n->stride, n->strides), n->dilation, n->dilations);
    return hash_numbers(h, n->padding, n->pads);
}

// Continues the hash over an operation, without its format, block and exp_min.
static uint64_t hash_node(uint64_t h, const struct oracle_node *n) {
    // A table of positions has as many rows as the context, which must not change the hash.
    const int64_t rows = oracle_is_table(n) && !n->reads_table ? 0 : n->rows;
    const int64_t numbers[] = {n->op,         rows,        n->cols,    n->row_offset, n->transpose,
                               n->heads,      n->kv_heads, n->along,   n->key,        n->interleaved,
                               n->times_root, n->inputs,   n->outputs, n->perms,      n->extents};
    const double reals[] = {n->scale, n->eps, n->gamma_plus};
    h = hash_bytes(h, numbers, sizeof numbers);
    h = hash_bytes(h, reals, sizeof reals);
    h = hash_choices(hash_bytes(h, &n->rope, sizeof n->rope), n);
    h = hash_bytes(h, n->in, sizeof *n->in * (size_t)n->inputs);
    h = hash_bytes(h, n->out, sizeof *n->out * (size_t)n->outputs);
    h = hash_bytes(h, n->perm, sizeof *n->perm * (size_t)n->perms);
    h = hash_bytes(h, n->extent, sizeof *n->extent * (size_t)n->extents);
    for (int i = 0; i < n->vectors; i++) h = hash_text(h, n->vector[i]);
    for (int i = 0; i < n->parameters; i++) h = hash_text(hash_text(h, n->parameter[i].name), n->parameter[i].text);
    h = hash_text(hash_text(h, n->weight), n->bias);
    return hash_text(hash_text(h, n->gamma), n->beta);
}

uint64_t statistics_graph(const struct oracle_graph *g) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t r = 0; r < g->region.count; r++) {
        const struct oracle_region *region = &g->region.items[r];
        const int64_t numbers[] = {region->repeat, region->last, region->first_node, region->nodes};
        h = hash_bytes(h, numbers, sizeof numbers);
        for (int c = 0; c < region->carries; c++) h = hash_bytes(h, &region->carry[c], sizeof region->carry[c]);
    }
    for (size_t i = 0; i < g->node.count; i++) h = hash_node(h, &g->node.items[i]);
    for (size_t k = 0; k < g->kernel.count; k++) h = hash_text(h, g->kernel.items[k].text);
    return h;
}

// ---- writing ----

void statistics_write(const struct statistics *s, struct text *t) {
    text_addf(t, "{\"rill_statistics\": %d, \"checkpoint\": \"%016" PRIx64 "\", \"graph\": \"%016" PRIx64 "\",\n",
              VERSION, s->checkpoint, s->graph);
    text_addf(t, " \"tokens\": %lld, \"text\": ", (long long)s->tokens);
    text_add_json_string(t, s->from, strlen(s->from));
    text_add(t, ",\n \"matrices\": [");
    for (size_t i = 0; i < s->entry.count; i++) {
        const struct statistics_entry *e = &s->entry.items[i];
        text_addf(t, "%s\n  {\"tensor\": ", i ? "," : "");
        text_add_json_string(t, e->tensor, strlen(e->tensor));
        text_addf(t, ", \"rows\": %lld, \"row_offset\": %lld, \"mean_squares\": [", (long long)e->rows,
                  (long long)e->row_offset);
        for (int64_t c = 0; c < e->k; c++) text_addf(t, "%s%.9g", c ? ", " : "", (double)e->mean[c]);
        text_add(t, "]}");
    }
    text_add(t, "\n]}\n");
}

// ---- reading ----

static uint64_t checksum_at(const json_t *root, const char *key) {
    const char *hex = json_string_value(json_object_get(root, key));
    return hex ? strtoull(hex, NULL, 16) : 0;
}

// Reads the statistics of one matrix. False: the entry is not well formed.
static bool read_entry(struct statistics *s, struct arena *arena, const json_t *matrix) {
    const json_t *list = json_object_get(matrix, "mean_squares");
    const char *tensor = json_string_value(json_object_get(matrix, "tensor"));
    struct statistics_entry e = {.tensor = tensor ? arena_strdup(arena, tensor) : NULL,
                                 .rows = json_integer_value(json_object_get(matrix, "rows")),
                                 .row_offset = json_integer_value(json_object_get(matrix, "row_offset")),
                                 .k = (int64_t)json_array_size(list)};
    if (!tensor || !e.k) return false;
    e.mean = ARENA_ARRAY(arena, float, (size_t)e.k);
    for (int64_t c = 0; c < e.k; c++) {
        const json_t *value = json_array_get(list, (size_t)c);
        e.mean[c] = (float)json_number_value(value);
        if (!json_is_number(value) || !isfinite(e.mean[c]) || e.mean[c] < 0) return false;
    }
    VEC_PUSH(arena, s->entry, e);
    return true;
}

// Reads the whole file. Returns NULL, or the error.
static const char *read_all(struct statistics *s, struct arena *arena, const json_t *root) {
    const json_t *matrices = json_object_get(root, "matrices"), *matrix;
    size_t i;
    if (json_integer_value(json_object_get(root, "rill_statistics")) != VERSION) return MSG_STATISTICS_VERSION;
    s->checkpoint = checksum_at(root, "checkpoint");
    s->graph = checksum_at(root, "graph");
    s->tokens = json_integer_value(json_object_get(root, "tokens"));
    const char *from = json_string_value(json_object_get(root, "text"));
    s->from = from ? arena_strdup(arena, from) : "?";
    json_array_foreach(matrices, i, matrix) {
        if (!read_entry(s, arena, matrix)) return arena_printf(arena, MSG_STATISTICS_MATRIX, i);
    }
    return s->entry.count ? NULL : MSG_STATISTICS_EMPTY;
}

struct statistics *statistics_read(struct arena *arena, const char *path, const struct oracle_graph *g,
                                   struct checkpoint *checkpoint, struct diag *diag) {
    struct statistics *s = ARENA_NEW(arena, struct statistics);
    size_t len;
    const char *why = NULL, *text = file_read(arena, path, MOST_BYTES, &len, &why);
    json_error_t error;
    json_t *root = text ? json_loadb(text, len, 0, &error) : NULL;
    if (text && !root) why = arena_printf(arena, MSG_STATISTICS_JSON, error.line, error.text);
    if (root) why = read_all(s, arena, root);
    json_decref(root);
    if (!why && s->checkpoint != checkpoint_checksum(checkpoint)) why = MSG_STATISTICS_WEIGHTS;
    if (!why && s->graph != statistics_graph(g)) why = MSG_STATISTICS_MODEL;
    if (!why) return s;
    diag_error_text(diag, loc_file(arena, path), why);
    if (text) diag_note(diag, loc_none(), "`--calibrate TEXT` measures them again");
    return NULL;
}
