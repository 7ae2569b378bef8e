// SPDX-License-Identifier: Apache-2.0
// Reads and writes numpy's .npy format. It trusts nothing in the file: it checks every number before using it.
#define _POSIX_C_SOURCE 200809L
#include "gen/model/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { MAGIC_BYTES = 6, ALIGN = 64, MAX_HEADER_BYTES = 1 << 16 };
static const char magic[] = "\x93NUMPY";

struct npy {
    FILE *stream;
    struct loc loc;
    uint64_t file_bytes, data_begin;
    struct npy_array array;
};

// ---- the header, a dictionary in Python's notation ----

struct header {
    struct arena *arena;
    const char *at; // reading position
    // The values of the three keys; of the shape only its place in the text. NULL: not read yet.
    const char *descr;
    const char *order;
    const char *shape;
    struct npy_array *array;
    const char *why; // first error, or NULL
};

static bool fault(struct header *h, const char *why) {
    if (!h->why) h->why = why;
    return false;
}

// Skips white space, and the character c if it follows. Returns whether c followed.
static bool take(struct header *h, char c) {
    h->at += strspn(h->at, " \t\n");
    if (*h->at != c || !c) return false;
    h->at++;
    return true;
}

// Reads a text in single or double quotes, without escapes. Returns NULL if there is none.
static const char *take_string(struct header *h) {
    char quote = take(h, '\'') ? '\'' : take(h, '"') ? '"' : '\0';
    const char *end = quote ? strchr(h->at, quote) : NULL;
    if (!end) return NULL;
    const char *string = arena_strndup(h->arena, h->at, (size_t)(end - h->at));
    h->at = end + 1;
    return string;
}

static const char *take_word(struct header *h) {
    h->at += strspn(h->at, " \t\n");
    size_t len = strspn(h->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    const char *word = arena_strndup(h->arena, h->at, len);
    h->at += len;
    return word;
}

// Reads an extent of the shape and multiplies *elements by it.
static bool take_extent(struct header *h, uint64_t *elements) {
    struct npy_array *a = h->array;
    uint64_t n = 0;
    h->at += strspn(h->at, " \t\n");
    if (*h->at < '0' || *h->at > '9') return fault(h, "`shape` holds something that is no size");
    for (; *h->at >= '0' && *h->at <= '9'; h->at++)
        if (!u64_mul(n, 10, &n) || !u64_add(n, (uint64_t)(*h->at - '0'), &n)) return fault(h, "`shape` is too large");
    if (a->rank == NPY_MAX_RANK) return fault(h, "too many dimensions");
    if (n > INT64_MAX || !u64_mul(*elements, n, elements) || *elements > INT64_MAX / 8)
        return fault(h, "`shape` is too large");
    a->shape[a->rank++] = (int64_t)n;
    return true;
}

// Reads a tuple of extents: (), (3,), (3, 4).
static bool take_shape(struct header *h) {
    uint64_t elements = 1;
    h->shape = h->at;
    if (!take(h, '(')) return fault(h, "`shape` is not a tuple");
    while (!take(h, ')')) {
        if (!take_extent(h, &elements)) return false;
        if (take(h, ',')) continue;
        if (!take(h, ')')) return fault(h, "`shape` does not end");
        break;
    }
    h->array->elements = (int64_t)elements;
    return true;
}

static bool take_entry(struct header *h) {
    const char *key = take_string(h);
    if (!key || !take(h, ':')) return fault(h, "its header is no dictionary");
    if (!strcmp(key, "descr") && !h->descr) {
        h->descr = take_string(h);
        return h->descr || fault(h, "an array of records, float32 (`<f4`) is expected");
    }
    if (!strcmp(key, "fortran_order") && !h->order) return h->order = take_word(h), true;
    if (!strcmp(key, "shape") && !h->shape) return take_shape(h);
    return fault(h, arena_printf(h->arena, "`%s` in its header is unknown, or there twice", key));
}

static bool take_entries(struct header *h) {
    if (!take(h, '{')) return fault(h, "its header is no dictionary");
    while (!take(h, '}')) {
        if (!take_entry(h)) return false;
        if (take(h, ',')) continue;
        if (!take(h, '}')) return fault(h, "its header does not end");
        break;
    }
    h->at += strspn(h->at, " \t\n");
    return !*h->at || fault(h, "something follows its header");
}

// Reads the dictionary. Returns NULL, or the reason why the file is not little-endian fp32 in C order.
static const char *entries_fault(struct header *h) {
    if (!take_entries(h)) return h->why;
    if (!h->descr || !h->order || !h->shape) return "its header lacks `descr`, `fortran_order` or `shape`";
    if (strcmp(h->descr, "<f4") != 0)
        return arena_printf(h->arena, "values of type `%s`; float32 (`<f4`) is expected, as x.astype('<f4') gives",
                            h->descr);
    if (!strcmp(h->order, "True")) return "Fortran order; C order is expected, as numpy.ascontiguousarray(x) gives";
    return strcmp(h->order, "False") != 0 ? "`fortran_order` is not a truth value" : NULL;
}

// ---- the file ----

static bool refuse(struct npy *file, struct diag *diag, const char *why) {
    return diag_error(diag, file->loc, MSG_NPY_FILE, why), false;
}

static bool read_bytes(struct npy *file, uint64_t offset, void *out, size_t bytes) {
    return fseeko(file->stream, (off_t)offset, SEEK_SET) == 0 && fread(out, 1, bytes, file->stream) == bytes;
}

// Finds where the header begins and how long it is. Returns NULL, or the reason for an error.
static const char *header_place(struct npy *file, uint64_t *begin, uint64_t *length) {
    unsigned char raw[MAGIC_BYTES + 6] = {0};
    size_t most = file->file_bytes < sizeof raw ? (size_t)file->file_bytes : sizeof raw;
    if (!read_bytes(file, 0, raw, most) || memcmp(raw, magic, MAGIC_BYTES) != 0) return "not a .npy file";
    int version = raw[MAGIC_BYTES];
    if (version < 1 || version > 3) return "a version of the .npy format that is not 1 to 3";
    *begin = MAGIC_BYTES + 2 + (version == 1 ? 2 : 4);
    *length = raw[8] | (uint64_t)raw[9] << 8;
    if (version > 1) *length |= (uint64_t)raw[10] << 16 | (uint64_t)raw[11] << 24;
    if (*length > MAX_HEADER_BYTES) return "not a .npy file: its header is too long";
    return *begin + *length > file->file_bytes ? "truncated: it ends in its header" : NULL;
}

// Returns NULL if the file has exactly the bytes of its shape, or the reason for an error.
static const char *bytes_fault(const struct npy *file, struct arena *arena) {
    uint64_t want = (uint64_t)file->array.elements * 4, have = file->file_bytes - file->data_begin;
    if (want == have) return NULL;
    return arena_printf(arena, "%s: its shape takes %" PRIu64 " bytes, the file holds %" PRIu64,
                        have < want ? "truncated" : "bytes behind the array", want, have);
}

static bool read_header(struct npy *file, struct arena *arena, struct diag *diag) {
    uint64_t begin = 0, length = 0;
    const char *why = header_place(file, &begin, &length);
    if (why) return refuse(file, diag, why);
    char *text = ARENA_ARRAY(arena, char, length + 1);
    if (!read_bytes(file, begin, text, (size_t)length)) return refuse(file, diag, "truncated: it ends in its header");
    struct header h = {.arena = arena, .at = text, .array = &file->array};
    why = memchr(text, 0, (size_t)length) ? "its header is no text" : entries_fault(&h);
    file->data_begin = begin + length;
    if (!why) why = bytes_fault(file, arena);
    return !why || refuse(file, diag, why);
}

static bool file_size(FILE *stream, uint64_t *bytes) {
    struct stat st;
    if (fstat(fileno(stream), &st) != 0) return false;
    if (!S_ISREG(st.st_mode)) return errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE, false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

struct npy *npy_open(struct arena *arena, const char *path, struct diag *diag) {
    struct npy *file = ARENA_NEW(arena, struct npy);
    file->loc = loc_file(arena, path);
    file->stream = fopen(path, "rb");
    if (!file->stream || !file_size(file->stream, &file->file_bytes)) {
        diag_error(diag, file->loc, MSG_FILE_UNREADABLE, strerror(errno));
        return npy_close(file), NULL;
    }
    if (read_header(file, arena, diag)) return file;
    return npy_close(file), NULL;
}

void npy_close(struct npy *file) {
    if (file && file->stream) fclose(file->stream);
    if (file) file->stream = NULL;
}

const struct npy_array *npy_array(const struct npy *file) { return &file->array; }

bool npy_read(struct npy *file, int64_t elements, float *out, struct diag *diag) {
    if (elements > file->array.elements) base_fatal("npy_read: more elements than the array has");
    if (!read_bytes(file, file->data_begin, out, (size_t)elements * 4)) return refuse(file, diag, "truncated");
    for (int64_t i = 0; i < elements; i++) {
        unsigned char b[4];
        memcpy(b, &out[i], 4);
        uint32_t bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        memcpy(&out[i], &bits, 4);
    }
    return true;
}

// ---- writing ----

void npy_write(struct text *out, const struct npy_array *array, const float *values) {
    struct text header = {0};
    text_add(&header, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (int i = 0; i < array->rank; i++) text_addf(&header, i ? ", %" PRId64 : "%" PRId64, array->shape[i]);
    text_add(&header, array->rank == 1 ? ",), }" : "), }");
    while ((MAGIC_BYTES + 4 + header.len + 1) % ALIGN) text_add(&header, " ");
    text_add(&header, "\n");
    const unsigned char start[4] = {1, 0, (unsigned char)header.len, (unsigned char)(header.len >> 8)};
    text_add_bytes(out, magic, MAGIC_BYTES);
    text_add_bytes(out, start, sizeof start);
    text_add_bytes(out, header.data, header.len);
    text_add_bytes(out, values, (size_t)array->elements * 4);
    text_free(&header);
}
