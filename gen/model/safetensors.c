// SPDX-License-Identifier: Apache-2.0
// Reads the safetensors format. It trusts nothing in the file: it checks every number before using it. Functions whose
// names end in _error return NULL or the reason for an error.
#define _POSIX_C_SOURCE 200809L
#include "gen/model/safetensors.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LENGTH_BYTES = 8, MAX_HEADER_BYTES = 100 * 1000 * 1000 };

struct safetensors {
    FILE *stream;
    const char *path;
    struct loc loc;
    uint64_t file_bytes;
    uint64_t data_begin; // start of the data area in the file
    VEC(struct safetensors_tensor) tensors;
};

// ---- numbers ----

static float float_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

float safetensors_from_bf16(uint16_t bits) { return float_from_bits((uint32_t)bits << 16); }

float safetensors_from_f16(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    uint32_t exponent = bits >> 10 & 31u;
    uint32_t fraction = bits & 0x3ffu;
    if (exponent == 31) return float_from_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent > 0) return float_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    float magnitude = (float)fraction * 0x1p-24f; // subnormal: exact in fp32
    return sign ? -magnitude : magnitude;
}

static const struct {
    const char *name;
    enum safetensors_dtype dtype;
    unsigned bytes;
} dtypes[] = {
    {"F32", SAFETENSORS_F32, 4},    {"F16", SAFETENSORS_F16, 2},   {"BF16", SAFETENSORS_BF16, 2},
    {"F64", SAFETENSORS_OTHER, 8},  {"I64", SAFETENSORS_OTHER, 8}, {"U64", SAFETENSORS_OTHER, 8},
    {"I32", SAFETENSORS_OTHER, 4},  {"U32", SAFETENSORS_OTHER, 4}, {"I16", SAFETENSORS_OTHER, 2},
    {"U16", SAFETENSORS_OTHER, 2},  {"I8", SAFETENSORS_OTHER, 1},  {"U8", SAFETENSORS_OTHER, 1},
    {"BOOL", SAFETENSORS_OTHER, 1},
};

// Returns the bytes of an element of a dtype and sets *dtype. Returns 0 if the dtype is unknown.
static uint64_t dtype_bytes(const char *name, enum safetensors_dtype *dtype) {
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        if (strcmp(dtypes[i].name, name) == 0) return *dtype = dtypes[i].dtype, dtypes[i].bytes;
    return 0;
}

// ---- header ----

static bool is_count(const json_t *value) { return json_is_integer(value) && json_integer_value(value) >= 0; }

// Reads a shape and calculates the number of elements.
static const char *shape_error(const json_t *shape, struct safetensors_tensor *t) {
    if (!json_is_array(shape)) return "`shape` is not a list";
    if (json_array_size(shape) > SAFETENSORS_MAX_RANK) return "too many dimensions";
    uint64_t elements = 1;
    size_t i;
    json_t *extent;
    json_array_foreach(shape, i, extent) {
        if (!is_count(extent)) return "`shape` holds something that is no size";
        t->shape[t->rank++] = json_integer_value(extent);
        if (!u64_mul(elements, (uint64_t)json_integer_value(extent), &elements) || elements > INT64_MAX / 8)
            return "`shape` is too large";
    }
    t->elements = (int64_t)elements;
    return NULL;
}

static const char *offsets_error(const json_t *offsets, struct safetensors_tensor *t) {
    if (!json_is_array(offsets) || json_array_size(offsets) != 2) return "`data_offsets` is not a pair";
    const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
    if (!is_count(begin) || !is_count(end)) return "`data_offsets` holds something that is no offset";
    t->begin = (uint64_t)json_integer_value(begin);
    t->end = (uint64_t)json_integer_value(end);
    return t->begin > t->end ? "ends before it begins" : NULL;
}

// Reads one entry of the header and checks it without the rest of the file.
static const char *entry_error(struct arena *arena, const json_t *entry, struct safetensors_tensor *t) {
    const char *why = json_is_object(entry) ? shape_error(json_object_get(entry, "shape"), t) : "is not an object";
    if (!why) why = offsets_error(json_object_get(entry, "data_offsets"), t);
    if (why) return why;
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    uint64_t bytes = dtype ? dtype_bytes(dtype, &t->dtype) : 0;
    if (bytes == 0) return arena_printf(arena, "unknown dtype `%s`", dtype ? dtype : "");
    t->dtype_name = arena_strdup(arena, dtype);
    if ((uint64_t)t->elements * bytes == t->end - t->begin) return NULL;
    return arena_printf(arena, "shape %s of %s takes %" PRIu64 " bytes, data_offsets give %" PRIu64,
                        safetensors_shape_text(arena, t), dtype, (uint64_t)t->elements * bytes, t->end - t->begin);
}

static bool add_tensor(struct safetensors *file, struct arena *arena, const char *name, const json_t *entry,
                       struct diag *diag) {
    struct safetensors_tensor t = {.name = arena_strdup(arena, name)};
    const char *why = entry_error(arena, entry, &t);
    if (why) return diag_error(diag, file->loc, MSG_SAFETENSORS_TENSOR, name, why), false;
    VEC_PUSH(arena, file->tensors, t);
    return true;
}

// Checks that all tensors are completely in the file. A truncated file lacks the end of one tensor and all tensors
// after it, so this is reported as one error, for the first tensor that is cut.
static bool check_whole(struct safetensors *file, struct diag *diag) {
    const struct safetensors_tensor *first = NULL;
    uint64_t have = file->file_bytes - file->data_begin;
    size_t cut = 0;
    for (size_t i = 0; i < file->tensors.count; i++) {
        const struct safetensors_tensor *t = &file->tensors.items[i];
        if (t->end <= have) continue;
        if (!first || t->end < first->end) first = t;
        cut++;
    }
    if (!first) return true;
    diag_error(diag, file->loc, MSG_SAFETENSORS_END, first->name, first->end, have);
    if (cut > 1) diag_note(diag, file->loc, "%zu of %zu tensors end beyond it", cut, file->tensors.count);
    return false;
}

static int compare_begin(const void *a, const void *b) {
    const struct safetensors_tensor *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

// Sorts the tensors by offset. Checks that they do not overlap and that nothing follows the last one.
static bool check_places(struct safetensors *file, struct diag *diag) {
    bool ok = true;
    size_t n = file->tensors.count;
    const struct safetensors_tensor *t = file->tensors.items;
    if (n) qsort(file->tensors.items, n, sizeof *t, compare_begin);
    for (size_t i = 1; i < n; i++)
        if (t[i].begin < t[i - 1].end) {
            diag_error(diag, file->loc, MSG_SAFETENSORS_OVERLAP, t[i].name, t[i - 1].name);
            ok = false;
        }
    uint64_t rest = file->file_bytes - file->data_begin - (n ? t[n - 1].end : 0);
    if (ok && rest) diag_error(diag, file->loc, MSG_SAFETENSORS_REST, rest);
    return ok && rest == 0;
}

static bool read_entries(struct safetensors *file, struct arena *arena, json_t *header, struct diag *diag) {
    int errors = diag->errors;
    const char *name;
    json_t *entry;
    json_object_foreach(header, name, entry) {
        if (strcmp(name, "__metadata__") != 0 && !add_tensor(file, arena, name, entry, diag) && diag_full(diag)) break;
    }
    return diag->errors == errors && check_whole(file, diag) && check_places(file, diag);
}

static bool read_bytes(struct safetensors *file, uint64_t offset, void *out, size_t bytes) {
    return fseeko(file->stream, (off_t)offset, SEEK_SET) == 0 && fread(out, 1, bytes, file->stream) == bytes;
}

// Reads the length of the header. Refuses a Git LFS pointer, which is a placeholder for the file. Returns false after
// an error.
static bool read_length(struct safetensors *file, uint64_t *length, struct diag *diag) {
    unsigned char raw[LENGTH_BYTES];
    if (file->file_bytes < LENGTH_BYTES || !read_bytes(file, 0, raw, sizeof raw))
        return diag_error(diag, file->loc, MSG_SAFETENSORS_SHORT), false;
    char begin[32] = "";
    if (file->file_bytes >= sizeof begin && read_bytes(file, 0, begin, sizeof begin) &&
        file_stand_in(begin, sizeof begin))
        return diag_error_text(diag, file->loc, file_stand_in(begin, sizeof begin)), false;
    *length = u64_little_endian(raw, LENGTH_BYTES);
    if (*length > MAX_HEADER_BYTES) return diag_error(diag, file->loc, MSG_SAFETENSORS_LENGTH, *length), false;
    if (*length <= file->file_bytes - LENGTH_BYTES) return true;
    diag_error(diag, file->loc, MSG_SAFETENSORS_TRUNCATED, *length, file->file_bytes);
    return false;
}

static bool read_header(struct safetensors *file, struct arena *arena, struct diag *diag) {
    uint64_t length;
    if (!read_length(file, &length, diag)) return false;
    file->data_begin = LENGTH_BYTES + length;
    char *text = malloc(length + 1);
    if (!text) base_fatal("out of memory");
    json_error_t error = {0};
    json_t *header = NULL;
    if (read_bytes(file, LENGTH_BYTES, text, length)) header = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    free(text);
    bool ok = json_is_object(header);
    if (!ok) diag_error(diag, file->loc, MSG_SAFETENSORS_HEADER, header ? "not a JSON object" : error.text);
    ok = ok && read_entries(file, arena, header, diag);
    json_decref(header);
    return ok;
}

// ---- interface ----

static bool file_size(FILE *stream, uint64_t *bytes) {
    struct stat st;
    if (fstat(fileno(stream), &st) != 0) return false;
    if (!S_ISREG(st.st_mode)) return errno = EISDIR, false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

struct safetensors *safetensors_open(struct arena *arena, const char *path, struct diag *diag) {
    struct safetensors *file = ARENA_NEW(arena, struct safetensors);
    file->path = arena_strdup(arena, path);
    file->loc = loc_file(arena, path);
    file->stream = fopen(path, "rb");
    if (!file->stream || !file_size(file->stream, &file->file_bytes)) {
        diag_error(diag, file->loc, MSG_FILE_UNREADABLE, strerror(errno));
        return safetensors_close(file), NULL;
    }
    setvbuf(file->stream, NULL, _IONBF, 0); // every read is a tensor or a large part of one
    if (read_header(file, arena, diag)) return file;
    return safetensors_close(file), NULL;
}

void safetensors_close(struct safetensors *file) {
    if (file && file->stream) fclose(file->stream);
    if (file) file->stream = NULL;
}

const char *safetensors_path(const struct safetensors *file) { return file->path; }

int safetensors_count(const struct safetensors *file) { return (int)file->tensors.count; }

const struct safetensors_tensor *safetensors_at(const struct safetensors *file, int index) {
    return &file->tensors.items[index];
}

int safetensors_find(const struct safetensors *file, const char *name) {
    for (size_t i = 0; i < file->tensors.count; i++)
        if (strcmp(file->tensors.items[i].name, name) == 0) return (int)i;
    return -1;
}

static void convert(enum safetensors_dtype dtype, const unsigned char *raw, int64_t count, float *out) {
    for (int64_t i = 0; i < count; i++) {
        if (dtype == SAFETENSORS_F32) out[i] = float_from_bits((uint32_t)u64_little_endian(raw + 4 * i, 4));
        else if (dtype == SAFETENSORS_F16) out[i] = safetensors_from_f16((uint16_t)u64_little_endian(raw + 2 * i, 2));
        else out[i] = safetensors_from_bf16((uint16_t)u64_little_endian(raw + 2 * i, 2));
    }
}

int64_t safetensors_rows(const struct safetensors_tensor *t) { return t->rank ? t->shape[0] : 1; }

static bool read_floats(struct safetensors *file, const struct safetensors_tensor *t, int64_t from, int64_t count,
                        float *out) {
    uint64_t each = t->dtype == SAFETENSORS_F32 ? 4 : 2;
    size_t bytes = (size_t)count * each; // fits size_t, because it is inside the file
    unsigned char *raw = malloc(bytes + 1);
    if (!raw) base_fatal("out of memory");
    bool ok = read_bytes(file, file->data_begin + t->begin + (uint64_t)from * each, raw, bytes);
    if (ok) convert(t->dtype, raw, count, out);
    free(raw);
    return ok;
}

float *safetensors_read_rows(struct safetensors *file, int index, int64_t first, int64_t rows, struct arena *arena,
                             struct diag *diag) {
    const struct safetensors_tensor *t = safetensors_at(file, index);
    if (t->dtype == SAFETENSORS_OTHER) {
        diag_error(diag, file->loc, MSG_SAFETENSORS_DTYPE, t->name, t->dtype_name);
        return NULL;
    }
    int64_t row = safetensors_rows(t) ? t->elements / safetensors_rows(t) : 0;
    float *out = ARENA_ARRAY(arena, float, (size_t)(rows * row));
    if (read_floats(file, t, first * row, rows * row, out)) return out;
    diag_error(diag, file->loc, MSG_SAFETENSORS_TENSOR, t->name, ferror(file->stream) ? strerror(errno) : "truncated");
    return NULL;
}

float *safetensors_read(struct safetensors *file, int index, struct arena *arena, struct diag *diag) {
    return safetensors_read_rows(file, index, 0, safetensors_rows(safetensors_at(file, index)), arena, diag);
}

const char *safetensors_shape_text(struct arena *arena, const struct safetensors_tensor *tensor) {
    struct text text = {0};
    for (int i = 0; i < tensor->rank; i++) text_addf(&text, "%s%" PRId64, i ? ", " : "[", tensor->shape[i]);
    text_add(&text, tensor->rank ? "]" : "[]");
    const char *copy = arena_strdup(arena, text_cstr(&text));
    text_free(&text);
    return copy;
}
