// SPDX-License-Identifier: Apache-2.0
// Reads and writes the rows of graphs that are not language models, as .npy and .safetensors files (npy.c,
// safetensors.c).
#include "gen/model/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gen/model/npy.h"
#include "gen/model/safetensors.h"

enum { ALIGN = 8 }; // bytes to which the header of a .safetensors file is padded

static struct rows_tensor *tensors_of(struct arena *arena, const struct ir *ir, const int index[], int count) {
    struct rows_tensor *list = ARENA_ARRAY(arena, struct rows_tensor, IR_MAX_PORTS);
    for (int i = 0; i < count; i++) {
        const struct ir_tensor *t = &ir->tensor[index[i]];
        list[i] = (struct rows_tensor){.name = t->name, .rank = t->rank, .elements = ir_tensor_elements(t)};
        for (int d = 0; d < t->rank; d++) list[i].shape[d] = t->shape[d].bound;
    }
    return list;
}

struct rows_tensor *rows_inputs(struct arena *arena, const struct ir *ir) {
    return tensors_of(arena, ir, ir->input, ir->inputs);
}

struct rows_tensor *rows_outputs(struct arena *arena, const struct ir *ir) {
    return tensors_of(arena, ir, ir->output, ir->outputs);
}

// ---- format of a file, by its name ----

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n > m && path[n - m - 1] != '/' && !strcmp(path + n - m, end);
}

static bool is_npy(const char *path) { return ends_with(path, ".npy"); }

const char *rows_path_fault(struct arena *arena, const char *path, int count) {
    if (!is_npy(path) && !ends_with(path, ".safetensors")) return arena_printf(arena, MSG_ROWS_FILE_NAME, path);
    if (!is_npy(path) || count == 1) return NULL;
    return arena_printf(arena, MSG_ROWS_FILE_ARRAYS, path, count);
}

// ---- comparing a file with the graph ----

struct reading {
    struct arena *arena;
    struct diag *diag;
    struct loc loc;
    int64_t wanted, most, rows; // arguments of rows_read; rows: number to read, 0 before the first tensor
};

static bool refuse(struct reading *s, const struct rows_tensor *t, const char *why) {
    return diag_error(s->diag, s->loc, MSG_ROWS_ARRAY, t->name, why), false;
}

static const char *shape_text(struct arena *arena, const char *rows, int rank, const int64_t shape[]) {
    struct text text = {0};
    text_addf(&text, "[%s", rows);
    for (int i = 0; i < rank; i++) text_addf(&text, "%s%" PRId64, i || *rows ? ", " : "", shape[i]);
    text_add(&text, "]");
    const char *copy = arena_strdup(arena, text_cstr(&text));
    text_free(&text);
    return copy;
}

static bool check_shape(struct reading *s, const struct rows_tensor *t, int rank, const int64_t shape[]) {
    bool fits = rank == t->rank + 1;
    for (int d = 0; fits && d < t->rank; d++) fits = shape[d + 1] == t->shape[d];
    return fits || refuse(s, t,
                          arena_printf(s->arena, "shape %s, expected %s", shape_text(s->arena, "", rank, shape),
                                       shape_text(s->arena, "rows", t->rank, t->shape)));
}

// Decides how many rows to read (s->rows), and checks that all tensors have equally many rows in the file. have: rows
// of this tensor in the file. *file_rows: rows of the earlier tensors; 0: this is the first one.
static bool check_rows(struct reading *s, const struct rows_tensor *t, int64_t have, int64_t *file_rows) {
    struct arena *a = s->arena;
    if (*file_rows && have != *file_rows)
        return refuse(s, t, arena_printf(a, "%" PRId64 " rows, the tensor before has %" PRId64, have, *file_rows));
    *file_rows = have;
    s->rows = s->wanted ? s->wanted : have;
    if (have < 1) return refuse(s, t, "no rows; at least one is expected");
    if (s->rows > have)
        return refuse(s, t, arena_printf(a, "%" PRId64 " rows, and --tokens asks for %" PRId64, have, s->wanted));
    if (s->rows <= s->most) return true;
    return refuse(s, t,
                  arena_printf(a, "%" PRId64 " rows, and the context is %" PRId64 "; --tokens takes the first ones",
                               s->rows, s->most));
}

static bool check_finite(struct reading *s, const struct rows_tensor *t) {
    for (int64_t i = 0; i < s->rows * t->elements; i++)
        if (!isfinite(t->values[i]))
            return refuse(s, t,
                          arena_printf(s->arena, "row %" PRId64 ", element %" PRId64 " is %s; values must be finite",
                                       i / t->elements, i % t->elements, isnan(t->values[i]) ? "NaN" : "infinite"));
    return true;
}

// ---- reading ----

static bool take_npy(struct reading *s, struct npy *file, struct rows_tensor *t) {
    const struct npy_array *a = npy_array(file);
    int64_t file_rows = 0;
    if (!check_shape(s, t, a->rank, a->shape) || !check_rows(s, t, a->shape[0], &file_rows)) return false;
    t->values = ARENA_ARRAY(s->arena, float, (size_t)(s->rows * t->elements));
    return npy_read(file, s->rows * t->elements, t->values, s->diag) && check_finite(s, t);
}

static bool read_npy(struct reading *s, const char *path, struct rows_tensor *t) {
    struct npy *file = npy_open(s->arena, path, s->diag);
    bool ok = file && take_npy(s, file, t);
    npy_close(file);
    return ok;
}

static bool missing(struct reading *s, const struct safetensors *file, const struct rows_tensor *t) {
    int count = safetensors_count(file);
    const char **names = ARENA_ARRAY(s->arena, const char *, (size_t)count + 1);
    for (int i = 0; i < count; i++) names[i] = safetensors_at(file, i)->name;
    diag_error(s->diag, s->loc, MSG_ROWS_MISSING, t->name, shape_text(s->arena, "rows", t->rank, t->shape));
    if (count) diag_note_words(s->diag, s->loc, t->name, names, (size_t)count);
    return false;
}

static bool take_tensor(struct reading *s, struct safetensors *file, struct rows_tensor *t, int64_t *file_rows) {
    int index = safetensors_find(file, t->name);
    if (index < 0) return missing(s, file, t);
    const struct safetensors_tensor *have = safetensors_at(file, index);
    if (have->dtype != SAFETENSORS_F32)
        return refuse(s, t, arena_printf(s->arena, "values of type %s, F32 expected", have->dtype_name));
    if (!check_shape(s, t, have->rank, have->shape) || !check_rows(s, t, have->shape[0], file_rows)) return false;
    t->values = safetensors_read(file, index, s->arena, s->diag);
    return t->values && check_finite(s, t);
}

static bool read_safetensors(struct reading *s, const char *path, struct rows_tensor *tensor, int count) {
    struct safetensors *file = safetensors_open(s->arena, path, s->diag);
    int64_t file_rows = 0;
    bool ok = file;
    for (int i = 0; file && i < count; i++) ok = take_tensor(s, file, &tensor[i], &file_rows) && ok;
    safetensors_close(file);
    return ok;
}

int64_t rows_read(struct arena *arena, const char *path, struct rows_tensor *tensor, int count, int64_t wanted,
                  int64_t most, struct diag *diag) {
    struct reading s = {arena, diag, loc_file(arena, path), wanted, most, 0};
    const char *why = rows_path_fault(arena, path, count);
    if (why) return diag_error_text(diag, loc_none(), why), 0;
    bool ok = is_npy(path) ? read_npy(&s, path, tensor) : read_safetensors(&s, path, tensor, count);
    return ok ? s.rows : 0;
}

// ---- writing ----

static void add_npy(struct text *out, const struct rows_tensor *t, int64_t rows) {
    struct npy_array a = {.rank = t->rank + 1, .shape = {rows}, .elements = rows * t->elements};
    for (int d = 0; d < t->rank; d++) a.shape[d + 1] = t->shape[d];
    npy_write(out, &a, t->values);
}

// Adds a tensor to the header of a .safetensors file. begin: offset of its values.
static void add_entry(struct text *header, const struct rows_tensor *t, int64_t rows, int64_t begin) {
    text_addf(header, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%" PRId64, header->len > 1 ? "," : "", t->name, rows);
    for (int d = 0; d < t->rank; d++) text_addf(header, ",%" PRId64, t->shape[d]);
    text_addf(header, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", begin, begin + rows * t->elements * 4);
}

// Adds the length of the header, little endian.
static void add_length(struct text *out, size_t length) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(length >> 8 * i);
    text_add_bytes(out, bytes, sizeof bytes);
}

static void add_safetensors(struct text *out, const struct rows_tensor *t, int count, int64_t rows) {
    struct text header = {0};
    int64_t at = 0;
    text_add(&header, "{");
    for (int i = 0; i < count; at += rows * t[i++].elements * 4) add_entry(&header, &t[i], rows, at);
    text_add(&header, "}");
    while (header.len % ALIGN) text_add(&header, " ");
    add_length(out, header.len);
    text_add_bytes(out, header.data, header.len);
    for (int i = 0; i < count; i++) text_add_bytes(out, t[i].values, (size_t)(rows * t[i].elements) * 4);
    text_free(&header);
}

bool rows_write(struct arena *arena, const char *path, const struct rows_tensor *tensor, int count, int64_t rows,
                struct diag *diag) {
    struct text out = {0};
    const char *why = rows_path_fault(arena, path, count);
    if (!why && is_npy(path)) add_npy(&out, tensor, rows);
    else if (!why) add_safetensors(&out, tensor, count, rows);
    if (!why) why = file_write_text(arena, path, &out);
    text_free(&out);
    if (why) diag_error_text(diag, loc_none(), why);
    return !why;
}
