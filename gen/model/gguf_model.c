// SPDX-License-Identifier: Apache-2.0
// Interprets a GGUF file as a family describes it: the names of its tensors, the order of their rows, and its metadata
// as the family's keys. gguf.c reads the file itself.
#define _POSIX_C_SOURCE 200809L
#include "gen/model/gguf_model.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A tensor of the file with its name and layout for the graph.
struct entry {
    struct safetensors_tensor as; // name and shape for the graph
    const struct gguf_tensor *tensor;
    int64_t heads; // heads whose rows are stored as pairs; 0: rows are in order
    bool transpose;
    float plus; // added to each element of a vector
};

struct gguf_model {
    struct arena *arena;
    struct gguf *file;
    struct loc loc;
    const struct family_values *values; // NULL: use the file's names
    VEC(struct entry) entry;
};

bool gguf_is_path(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? S_ISREG(st.st_mode) : file_has_suffix(path, ".gguf");
}

// ---- the architecture ----

static struct gguf_text architecture_of(const struct gguf *file) {
    const struct gguf_value *v = gguf_find(file, "general.architecture");
    return v && v->kind == GGUF_STRING ? v->text : (struct gguf_text){"", 0};
}

static bool has_architecture(const struct family *f, struct gguf_text have) {
    for (size_t i = 0; i < f->gguf.architectures; i++)
        if (gguf_text_is(have, f->gguf.architecture[i])) return true;
    return false;
}

// Checks that the family reads files of this architecture.
static bool check_architecture(const struct gguf *file, const struct family *f, struct loc loc, struct diag *diag) {
    struct gguf_text have = architecture_of(file);
    struct text list = {0};
    if (has_architecture(f, have)) return true;
    for (size_t i = 0; i < f->gguf.architectures; i++)
        text_addf(&list, "%s`%s`", i ? ", " : "", f->gguf.architecture[i]);
    if (f->gguf.architectures)
        diag_error(diag, loc, MSG_FAMILY_ARCHITECTURE, (int)(have.len < 80 ? have.len : 80), have.data, f->name,
                   text_cstr(&list));
    else diag_error(diag, loc, MSG_FAMILY_NO_GGUF, f->name);
    text_free(&list);
    return false;
}

// ---- tensors ----

// Returns whether a name matches a pattern. Each `*` of the pattern matches one piece between dots, which is stored in
// the next item of `piece`.
static bool matches(const char *pattern, const char *name, struct gguf_text *piece) {
    for (; *pattern; pattern++) {
        size_t len = *pattern == '*' ? strcspn(name, ".") : *pattern == *name;
        if (!len) return false;
        if (*pattern == '*') *piece++ = (struct gguf_text){name, len};
        name += len;
    }
    return !*name;
}

// Returns a name with each `*` replaced by the next piece.
static const char *filled(struct arena *arena, const char *name, const struct gguf_text *piece) {
    const char *out = "", *star;
    for (; (star = strchr(name, '*')) != NULL; name = star + 1, piece++)
        out = arena_printf(arena, "%s%.*s%.*s", out, (int)(star - name), name, (int)piece->len, piece->data);
    return arena_printf(arena, "%s%s", out, name);
}

// Returns the rule of the first pattern that matches the tensor `gguf`, and the tensor's name for the graph in *name.
// Without a rule, returns NULL, and the tensor keeps its name. If the graph reads no tensor of this name, it is later
// reported as unused.
static const struct family_tensor *rule_of(const struct gguf_model *m, const char *gguf, const char **name) {
    const struct family *f = m->values ? m->values->family : NULL;
    struct gguf_text piece[FAMILY_MAX_STARS];
    for (size_t i = 0; f && i < f->gguf.tensors; i++) {
        if (!matches(f->gguf.tensor[i].pattern, gguf, piece)) continue;
        const char *own = f->gguf.tensor[i].name;
        *name = own ? filled(m->arena, own, piece) : gguf;
        return &f->gguf.tensor[i];
    }
    *name = gguf;
    return NULL;
}

// Evaluates the number of heads whose rows are stored as pairs. It must divide the rows into even parts.
static bool pair_heads(const struct gguf_model *m, const struct family_tensor *rule, const struct gguf_tensor *t,
                       int64_t *heads, struct diag *diag) {
    struct family_scope scope = {.values = m->values, .arena = m->arena, .diag = diag};
    if (!family_evaluate(&scope, rule->pairs, rule->pairs->text, 0, heads)) return false;
    if (*heads > 0 && *heads <= INT32_MAX && t->rank <= 2 && t->shape[0] % (2 * *heads) == 0) return true;
    diag_error(diag, m->loc, MSG_TENSOR_ROPE_ROWS, t->name, t->shape[0], *heads);
    return false;
}

// Applies a rule to a tensor: order of rows, transposition, addend. Returns false if the tensor's shape does not fit
// the rule.
static bool lay_out(const struct gguf_model *m, const struct family_tensor *rule, struct entry *e, struct diag *diag) {
    const struct gguf_tensor *t = e->tensor;
    if (rule->pairs && !pair_heads(m, rule, t, &e->heads, diag)) return false;
    e->transpose = rule->transpose;
    e->plus = (float)rule->plus;
    if (rule->plus != 0 && t->rank != 1)
        return diag_error(diag, m->loc, MSG_TENSOR_NOT_VECTOR_ADDED, t->name, t->rank), false;
    if (!e->transpose) return true;
    if (t->rank == 2) return e->as.shape[0] = t->shape[1], e->as.shape[1] = t->shape[0], true;
    diag_error(diag, m->loc, MSG_TENSOR_NOT_MATRIX, t->name, t->rank);
    return false;
}

// Adds a tensor with its name and layout for the graph. Returns false after an error.
static bool add_tensor(struct gguf_model *m, const struct gguf_tensor *t, struct diag *diag) {
    struct entry e = {.tensor = t};
    const struct family_tensor *rule = rule_of(m, t->name, &e.as.name);
    if (rule && rule->divides) return true; // not read by the graph, only compared with the spec's scaling
    e.as.dtype_name = t->format->name;
    e.as.rank = t->rank;
    e.as.elements = t->rows * t->cols;
    memcpy(e.as.shape, t->shape, sizeof t->shape);
    if (rule && !lay_out(m, rule, &e, diag)) return false;
    VEC_PUSH(m->arena, m->entry, e);
    return true;
}

static bool read_all(struct gguf_model *m, struct diag *diag) {
    if (m->values && !check_architecture(m->file, m->values->family, m->loc, diag)) return false;
    for (int i = 0; i < gguf_tensor_count(m->file); i++)
        if (!add_tensor(m, gguf_tensor_at(m->file, i), diag)) return false;
    return true;
}

struct gguf_model *gguf_model_open(struct arena *arena, const char *path, const struct family_values *values,
                                   struct diag *diag) {
    struct gguf_model *m = ARENA_NEW(arena, struct gguf_model);
    m->arena = arena;
    m->values = values;
    m->loc = loc_file(arena, path);
    m->file = gguf_open(arena, path, diag);
    if (m->file && read_all(m, diag)) return m;
    gguf_model_close(m);
    return NULL;
}

void gguf_model_close(struct gguf_model *m) {
    if (m) gguf_close(m->file);
}

int gguf_model_count(const struct gguf_model *m) { return (int)m->entry.count; }
const struct safetensors_tensor *gguf_model_at(const struct gguf_model *m, int index) {
    return &m->entry.items[index].as;
}

// Returns the row in the file for row r of the graph's matrix. The n rows of a head are [2][n / 2] in the graph and
// [n / 2][2] in the file, where pairs for the rotary embedding are neighbours.
static int64_t row_in_file(int64_t r, int64_t rows, int64_t heads) {
    if (!heads) return r;
    int64_t n = rows / heads, half = n / 2, in = r % n;
    return r - in + 2 * (in % half) + in / half;
}

// Reads some elements of a vector, each of which counts as a row.
static float *read_vector(const struct entry *e, int64_t first, int64_t rows, struct arena *arena) {
    float *stored = ARENA_ARRAY(arena, float, (size_t)e->as.elements), *out = ARENA_ARRAY(arena, float, (size_t)rows);
    gguf_row(e->tensor, 0, stored);
    for (int64_t r = 0; r < rows; r++) out[r] = stored[row_in_file(first + r, e->as.elements, e->heads)] + e->plus;
    return out;
}

static float *read_rows(const struct entry *e, int64_t first, int64_t rows, struct arena *arena) {
    const struct gguf_tensor *t = e->tensor;
    float *out = ARENA_ARRAY(arena, float, (size_t)(rows * t->cols));
    for (int64_t r = 0; r < rows; r++) gguf_row(t, row_in_file(first + r, t->rows, e->heads), out + r * t->cols);
    return out;
}

// Reads rows of the graph's matrix that are columns of the file's matrix.
static float *read_columns(const struct entry *e, int64_t first, int64_t rows, struct arena *arena) {
    int64_t n = e->tensor->rows, cols = e->tensor->cols;
    float *out = ARENA_ARRAY(arena, float, (size_t)(rows * n)), *row = ARENA_ARRAY(arena, float, (size_t)cols);
    for (int64_t r = 0; r < n; r++) {
        gguf_row(e->tensor, row_in_file(r, n, e->heads), row);
        for (int64_t c = 0; c < rows; c++) out[c * n + r] = row[first + c];
    }
    return out;
}

float *gguf_model_read(const struct gguf_model *m, int index, int64_t first, int64_t rows, struct arena *arena) {
    const struct entry *e = &m->entry.items[index];
    if (e->tensor->rank == 1) return read_vector(e, first, rows, arena);
    float *out = (e->transpose ? read_columns : read_rows)(e, first, rows, arena);
    gguf_forget(m->file, e->tensor);
    return out;
}

// ---- metadata ----

// Returns the value of a key, or NULL if it is absent. A key that begins with `.` has the name of the architecture
// before it in the file.
static const struct gguf_value *value_of(struct arena *arena, const struct gguf *file, const char *key) {
    struct gguf_text a = architecture_of(file);
    return gguf_find(file, *key == '.' ? arena_printf(arena, "%.*s%s", (int)a.len, a.data, key) : key);
}

// Returns a value of metadata as JSON, or NULL if JSON cannot represent it. Every array becomes the same text.
static json_t *json_of(const struct gguf_value *v) {
    switch (v->kind) {
    case GGUF_INT: return json_integer(v->integer);
    case GGUF_FLOAT: return json_real(v->number);
    case GGUF_BOOL: return json_boolean(v->integer);
    case GGUF_STRING: return json_stringn(v->text.data, v->text.len);
    default: return json_string("a list");
    }
}

// Adds all spellings of a key that the file has. Returns false if JSON cannot represent a value.
static bool put_spellings(struct arena *arena, const struct gguf *file, const struct family_key *k, json_t *root) {
    bool ok = true;
    for (size_t i = 0; ok && i < k->spellings; i++) {
        const struct gguf_value *v = value_of(arena, file, k->spelling[i]);
        if (v) ok = json_object_set_new(root, k->spelling[i], json_of(v)) == 0;
    }
    return ok;
}

// Returns the largest element of a vector, or of a matrix's first row.
static double largest(struct arena *arena, const struct gguf_tensor *t) {
    float *x = ARENA_ARRAY(arena, float, (size_t)t->cols), most = -INFINITY;
    gguf_row(t, 0, x);
    for (int64_t i = 0; i < t->cols; i++) most = x[i] > most ? x[i] : most;
    return (double)most;
}

// Adds a key of the family from metadata or tensors. Returns false for a text or a number that JSON cannot represent.
static bool put_key(struct arena *arena, const struct gguf *file, const struct family_key *k, json_t *root) {
    if (k->source == FAMILY_KEY) return put_spellings(arena, file, k, root);
    const struct gguf_tensor *t = gguf_find_tensor(file, k->tensor);
    if (k->source == FAMILY_WITHOUT) return !json_object_set_new(root, k->spelling[0], json_boolean(!t));
    if (t && k->source == FAMILY_WITH) return !json_object_set_new(root, k->spelling[0], json_true());
    if (t && k->source == FAMILY_LARGEST)
        return !json_object_set_new(root, k->spelling[0], json_real(largest(arena, t)));
    return !t || !json_object_set_new(root, k->spelling[0], json_integer(t->rows));
}

// Adds the keys of the architecture that the family does not use, so that the caller can report them. A value that JSON
// cannot represent becomes `true`.
static void put_others(struct arena *arena, const struct gguf *file, json_t *root) {
    struct gguf_text a = architecture_of(file);
    for (int i = 0; i < gguf_key_count(file); i++) {
        struct gguf_text key = gguf_key_at(file, i);
        if (key.len <= a.len + 1 || memcmp(key.data, a.data, a.len) != 0 || key.data[a.len] != '.') continue;
        const char *name = arena_strndup(arena, key.data + a.len, key.len - a.len);
        if (json_object_get(root, name)) continue;
        json_t *value = json_of(gguf_find(file, arena_strndup(arena, key.data, key.len)));
        json_object_set_new(root, name, value ? value : json_true());
    }
}

// Returns the metadata as JSON text, or NULL after an error.
static const char *config_of(struct arena *arena, const struct gguf *file, const struct family *f, struct loc loc,
                             struct diag *diag) {
    json_t *root = json_object();
    bool ok = true;
    for (size_t i = 0; ok && i < f->gguf.metadata.count; i++) {
        ok = put_key(arena, file, &f->gguf.metadata.item[i], root);
        if (!ok) diag_error(diag, loc, MSG_GGUF_VALUE, f->gguf.metadata.item[i].spelling[0]);
    }
    put_others(arena, file, root);
    char *text = ok ? json_dumps(root, JSON_COMPACT) : NULL;
    const char *copy = text ? arena_strdup(arena, text) : NULL;
    free(text);
    json_decref(root);
    return copy;
}

const float *gguf_model_vector(struct arena *arena, const char *path, const char *tensor, int64_t *n,
                               struct diag *diag) {
    struct gguf *file = gguf_open(arena, path, diag);
    const struct gguf_tensor *t = file ? gguf_find_tensor(file, tensor) : NULL;
    float *x = t && t->rank == 1 ? ARENA_ARRAY(arena, float, (size_t)t->cols) : NULL;
    if (t && !x) diag_error(diag, loc_file(arena, path), MSG_TENSOR_NOT_VECTOR, tensor);
    if (x) gguf_row(t, 0, x), *n = t->cols;
    gguf_close(file);
    return x;
}

const char *gguf_model_architecture(struct arena *arena, const char *path, struct diag *diag) {
    struct gguf *file = gguf_open(arena, path, diag);
    struct gguf_text have = file ? architecture_of(file) : (struct gguf_text){0};
    const char *text = file ? arena_strndup(arena, have.data, have.len < 80 ? have.len : 80) : NULL;
    gguf_close(file);
    return text;
}

const char *gguf_model_config(struct arena *arena, const struct family *f, const char *path, struct diag *diag) {
    struct loc loc = loc_file(arena, path);
    struct gguf *file = gguf_open(arena, path, diag);
    bool fits = file && check_architecture(file, f, loc, diag);
    const char *text = fits ? config_of(arena, file, f, loc, diag) : NULL;
    gguf_close(file);
    return text;
}
