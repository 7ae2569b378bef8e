// SPDX-License-Identifier: Apache-2.0
// Reads and checks the header of a GGUF file. It trusts nothing in the file: it compares every length with the rest of
// the file. gguf_format.c decodes the blocks of tensors.
#define _DEFAULT_SOURCE // madvise
#include "gen/model/gguf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// MAX_NAME: most bytes of a key or of a tensor's name. MAX_ENTRIES: most keys, and most tensors. Alignments are in
// bytes.
enum { MAX_NAME = 65535, MAX_ENTRIES = 65536, DEFAULT_ALIGNMENT = 32, MAX_ALIGNMENT = 1 << 20 };

// The numbers of metadata types in a file.
enum {
    TYPE_U8,
    TYPE_I8,
    TYPE_U16,
    TYPE_I16,
    TYPE_U32,
    TYPE_I32,
    TYPE_F32,
    TYPE_BOOL,
    TYPE_STRING,
    TYPE_ARRAY,
    TYPE_U64,
    TYPE_I64,
    TYPE_F64,
    TYPES
};
static const struct {
    enum gguf_kind kind;
    int bytes; // 0: a length precedes the value
    bool is_signed;
} types[TYPES] = {
    [TYPE_U8] = {GGUF_INT, 1, false},      [TYPE_I8] = {GGUF_INT, 1, true},     [TYPE_U16] = {GGUF_INT, 2, false},
    [TYPE_I16] = {GGUF_INT, 2, true},      [TYPE_U32] = {GGUF_INT, 4, false},   [TYPE_I32] = {GGUF_INT, 4, true},
    [TYPE_F32] = {GGUF_FLOAT, 4, true},    [TYPE_BOOL] = {GGUF_BOOL, 1, false}, [TYPE_STRING] = {GGUF_STRING, 0, false},
    [TYPE_ARRAY] = {GGUF_ARRAY, 0, false}, [TYPE_U64] = {GGUF_INT, 8, false},   [TYPE_I64] = {GGUF_INT, 8, true},
    [TYPE_F64] = {GGUF_FLOAT, 8, true},
};

struct pair {
    struct gguf_text key;
    struct gguf_value value;
};

struct gguf {
    struct arena *arena;
    const char *path;
    struct loc loc;
    const uint8_t *data; // mapped file
    uint64_t bytes, at;  // bytes: size of the file; at: reading position in the header
    // alignment: of the data area and of the tensors in it. data_begin: offset of the data area. pairs_end: offset
    // after the metadata.
    uint64_t alignment, data_begin, pairs_end;
    VEC(struct pair) pairs;
    VEC(struct gguf_tensor) tensors;
    VEC(uint64_t) offsets; // offset of each tensor in the data area
};

// ---- numbers and texts ----

static uint64_t left(const struct gguf *g) { return g->bytes - g->at; }

// Reads a number of `bytes` bytes, the low byte first. Like take_text, it returns false if the file ends too early.
static bool take(struct gguf *g, int bytes, uint64_t *v) {
    if (left(g) < (uint64_t)bytes) return false;
    *v = u64_little_endian(g->data + g->at, bytes);
    g->at += (uint64_t)bytes;
    return true;
}

static bool take_text(struct gguf *g, struct gguf_text *t) {
    if (!take(g, 8, &t->len) || t->len > left(g)) return false;
    t->data = (const char *)g->data + g->at;
    g->at += t->len;
    return true;
}

static int64_t sign_extend(uint64_t v, int bytes) {
    int shift = 64 - 8 * bytes;
    return (int64_t)(v << shift) >> shift;
}

static double to_double(uint64_t bits, int bytes) {
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return bytes == 4 ? (double)narrow : wide;
}

// Decodes a number or a truth value. Returns false for an integer that int64_t cannot hold and for a truth value that
// is not 0 or 1.
static bool decode(uint32_t type, const uint8_t *p, struct gguf_value *v) {
    uint64_t bits = u64_little_endian(p, types[type].bytes);
    v->kind = types[type].kind;
    if (v->kind == GGUF_FLOAT) v->number = to_double(bits, types[type].bytes);
    else v->integer = types[type].is_signed ? sign_extend(bits, types[type].bytes) : (int64_t)bits;
    if (v->kind == GGUF_BOOL) return bits <= 1;
    return v->kind != GGUF_INT || types[type].is_signed || v->integer >= 0;
}

// ---- metadata ----

static bool refuse(struct gguf *g, struct diag *diag, const char *what) {
    diag_error(diag, g->loc, MSG_GGUF_FILE, what, g->at, g->bytes);
    return false;
}

static bool refuse_key(struct gguf *g, struct diag *diag, struct gguf_text key, const char *what) {
    diag_error(diag, g->loc, MSG_GGUF_KEY, (int)(key.len < 80 ? key.len : 80), key.data, what);
    return false;
}

// Skips the elements of an array. Texts are skipped one by one, because each has its own length.
static bool skip_items(struct gguf *g, const struct gguf_value *v) {
    struct gguf_text text;
    if (v->item != GGUF_STRING) {
        uint64_t size = (uint64_t)types[v->item_type].bytes;
        if (v->count > left(g) / size) return false;
        g->at += v->count * size;
        return true;
    }
    if (v->count > left(g) / 8) return false;
    for (uint64_t i = 0; i < v->count; i++)
        if (!take_text(g, &text)) return false;
    return true;
}

static const char *take_array(struct gguf *g, struct gguf_value *v) {
    uint64_t type;
    if (!take(g, 4, &type) || !take(g, 8, &v->count)) return "truncated";
    if (type >= TYPES) return "elements of an unknown type";
    if (type == TYPE_ARRAY) return "a list of lists";
    v->kind = GGUF_ARRAY;
    v->item = types[type].kind;
    v->item_type = (uint32_t)type;
    v->items = g->data + g->at;
    return skip_items(g, v) ? NULL : "truncated";
}

// Reads a value of metadata. Returns NULL, or the reason for an error.
static const char *take_value(struct gguf *g, uint64_t type, struct gguf_value *v) {
    if (type >= TYPES) return "a value of an unknown type";
    if (type == TYPE_ARRAY) return take_array(g, v);
    if (type == TYPE_STRING) return v->kind = GGUF_STRING, take_text(g, &v->text) ? NULL : "truncated";
    uint64_t bytes = (uint64_t)types[type].bytes;
    if (left(g) < bytes) return "truncated";
    bool ok = decode((uint32_t)type, g->data + g->at, v);
    g->at += bytes;
    return ok ? NULL : "a value beyond its range";
}

static bool take_pair(struct gguf *g, struct diag *diag) {
    struct pair p = {0};
    uint64_t type;
    if (!take_text(g, &p.key) || p.key.len > MAX_NAME || !take(g, 4, &type))
        return refuse(g, diag, "the metadata are truncated, or a key's length is wrong");
    const char *why = take_value(g, type, &p.value);
    if (why) return refuse_key(g, diag, p.key, why);
    VEC_PUSH(g->arena, g->pairs, p);
    return true;
}

// ---- tensors ----

static bool refuse_tensor(struct gguf *g, struct diag *diag, const char *name, const char *what) {
    diag_error(diag, g->loc, MSG_GGUF_TENSOR, name, what);
    return false;
}

// Reads rank and extents; the file stores the innermost extent first. Returns NULL, or the reason for an error.
static const char *take_shape(struct gguf *g, struct gguf_tensor *t) {
    uint64_t rank, extent, elements = 1;
    if (!take(g, 4, &rank)) return "truncated";
    if (rank < 1 || rank > GGUF_MAX_RANK) return "1 to 4 dimensions are legal";
    t->rank = (int)rank;
    for (int i = t->rank - 1; i >= 0; i--) {
        if (!take(g, 8, &extent)) return "truncated";
        if (extent < 1 || !u64_mul(elements, extent, &elements) || elements > INT64_MAX / 8) return "an illegal extent";
        t->shape[i] = (int64_t)extent;
    }
    t->cols = t->shape[t->rank - 1];
    t->rows = (int64_t)elements / t->cols;
    return NULL;
}

static bool take_format(struct gguf *g, struct gguf_tensor *t, struct diag *diag) {
    uint64_t type;
    if (!take(g, 4, &type)) return refuse_tensor(g, diag, t->name, "truncated");
    t->format = gguf_format((uint32_t)type);
    if (!t->format) {
        diag_error(diag, g->loc, MSG_GGUF_TENSOR_TYPE, t->name, type);
        diag_note(diag, loc_none(), "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K are");
        return false;
    }
    if (t->cols % t->format->weights == 0) return true;
    diag_error(diag, g->loc, MSG_GGUF_TENSOR_ROWS, t->name, t->cols, t->format->name, t->format->weights);
    return false;
}

// Reads an entry of the list of tensors.
static bool take_tensor(struct gguf *g, struct diag *diag) {
    struct gguf_tensor t = {0};
    struct gguf_text name;
    uint64_t offset;
    if (!take_text(g, &name) || name.len > MAX_NAME || memchr(name.data, 0, name.len))
        return refuse(g, diag, "the list of tensors is truncated, or a name's length is wrong");
    t.name = arena_strndup(g->arena, name.data, name.len);
    const char *why = take_shape(g, &t);
    if (why) return refuse_tensor(g, diag, t.name, why);
    if (!take_format(g, &t, diag)) return false;
    if (!take(g, 8, &offset)) return refuse_tensor(g, diag, t.name, "truncated");
    VEC_PUSH(g->arena, g->tensors, t);
    VEC_PUSH(g->arena, g->offsets, offset);
    return true;
}

// Returns the bytes of a tensor. The product does not overflow, because rows * cols <= INT64_MAX / 8, and the bytes of
// a block are at most 4 times its weights.
static uint64_t tensor_bytes(const struct gguf_tensor *t) {
    return (uint64_t)t->rows * (uint64_t)(t->cols / t->format->weights) * (uint64_t)t->format->bytes;
}

// Finds the blocks of a tensor. Leaves `blocks` NULL if they are not completely in the file, which check_whole reports.
// Returns false after an error.
static bool place_tensor(struct gguf *g, size_t i, struct diag *diag) {
    struct gguf_tensor *t = &g->tensors.items[i];
    uint64_t offset = g->offsets.items[i], area = g->bytes - g->data_begin;
    if (offset % g->alignment) return refuse_tensor(g, diag, t->name, "its offset is not aligned");
    if (offset > area || tensor_bytes(t) > area - offset) return true;
    t->blocks = g->data + g->data_begin + offset;
    return true;
}

// ---- the whole ----

// Checks that all tensors are completely in the file. A truncated file lacks the end of one tensor and all tensors
// after it, so this is reported as one error, for the tensor with the lowest offset.
static bool check_whole(const struct gguf *g, struct diag *diag) {
    size_t first = g->tensors.count, cut = 0;
    for (size_t i = 0; i < g->tensors.count; i++) {
        if (g->tensors.items[i].blocks) continue;
        if (!cut++ || g->offsets.items[i] < g->offsets.items[first]) first = i;
    }
    if (!cut) return true;
    const struct gguf_tensor *t = &g->tensors.items[first];
    diag_error(diag, g->loc, MSG_GGUF_TENSOR_END, t->name, tensor_bytes(t), g->offsets.items[first],
               g->bytes - g->data_begin);
    if (cut > 1) diag_note(diag, g->loc, "%zu of %zu tensors end beyond it", cut, g->tensors.count);
    return false;
}

static int compare_texts(struct gguf_text a, struct gguf_text b) {
    int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_keys(const void *a, const void *b) {
    return compare_texts((*(const struct pair *const *)a)->key, (*(const struct pair *const *)b)->key);
}

static int compare_names(const void *a, const void *b) {
    return strcmp((*(const struct gguf_tensor *const *)a)->name, (*(const struct gguf_tensor *const *)b)->name);
}

static int compare_blocks(const void *a, const void *b) {
    const struct gguf_tensor *x = *(const struct gguf_tensor *const *)a, *y = *(const struct gguf_tensor *const *)b;
    return (x->blocks > y->blocks) - (x->blocks < y->blocks);
}

// Checks that no key occurs twice.
static bool check_keys(struct gguf *g, struct diag *diag) {
    size_t n = g->pairs.count;
    const struct pair **sorted = ARENA_ARRAY(g->arena, const struct pair *, n + 1);
    for (size_t i = 0; i < n; i++) sorted[i] = &g->pairs.items[i];
    qsort(sorted, n, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < n; i++)
        if (compare_keys(&sorted[i - 1], &sorted[i]) == 0)
            return refuse_key(g, diag, sorted[i]->key, "stands twice in the metadata");
    return true;
}

// Checks that no name occurs twice and no tensor overlaps another one.
static bool check_tensors(struct gguf *g, struct diag *diag) {
    size_t n = g->tensors.count;
    const struct gguf_tensor **sorted = ARENA_ARRAY(g->arena, const struct gguf_tensor *, n + 1);
    for (size_t i = 0; i < n; i++) sorted[i] = &g->tensors.items[i];
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (size_t i = 1; i < n; i++)
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0)
            return refuse_tensor(g, diag, sorted[i]->name, "stands twice in the file");
    qsort(sorted, n, sizeof *sorted, compare_blocks);
    for (size_t i = 1; i < n; i++)
        if (sorted[i - 1]->blocks + tensor_bytes(sorted[i - 1]) > sorted[i]->blocks)
            return refuse_tensor(g, diag, sorted[i]->name, "overlaps another tensor");
    return true;
}

// Reads and checks the first 24 bytes: magic, version, and the numbers of tensors and keys.
static bool take_front(struct gguf *g, uint64_t *tensors, uint64_t *pairs, struct diag *diag) {
    uint64_t version;
    if (g->bytes >= 4 && g->bytes < 24 && !memcmp(g->data, "GGUF", 4))
        return refuse(g, diag, "truncated: the header alone has 24 bytes");
    if (file_stand_in(g->data, g->bytes)) return diag_error_text(diag, g->loc, file_stand_in(g->data, g->bytes)), false;
    if (g->bytes < 24 || memcmp(g->data, "GGUF", 4) != 0)
        return refuse(g, diag, "not a GGUF file; other checkpoints are given as their folder");
    g->at = 4;
    take(g, 4, &version);
    take(g, 8, tensors);
    take(g, 8, pairs);
    if (version > UINT16_MAX) { // a small number in the other byte order
        diag_error(diag, g->loc, MSG_GGUF_BIG_ENDIAN);
        diag_note(diag, loc_none(), "`gguf_convert_endian.py FILE little` of llama.cpp converts it in place");
        return false;
    }
    if (*tensors > MAX_ENTRIES || *pairs > MAX_ENTRIES) return refuse(g, diag, "more than 65536 keys or tensors");
    if (version == 2 || version == 3) return true;
    diag_error(diag, g->loc, MSG_GGUF_VERSION, version);
    return false;
}

static bool read_alignment(struct gguf *g, struct diag *diag) {
    const struct gguf_value *v = gguf_find(g, "general.alignment");
    g->alignment = DEFAULT_ALIGNMENT;
    if (!v) return true;
    if (v->kind != GGUF_INT || v->integer < 1 || v->integer > MAX_ALIGNMENT || (v->integer & (v->integer - 1)))
        return diag_error(diag, g->loc, MSG_GGUF_ALIGNMENT), false;
    g->alignment = (uint64_t)v->integer;
    return true;
}

// Reads and checks the metadata and the list of tensors, and finds the blocks of each tensor.
static bool read_header(struct gguf *g, struct diag *diag) {
    uint64_t tensors = 0, pairs = 0;
    if (!take_front(g, &tensors, &pairs, diag)) return false;
    for (uint64_t i = 0; i < pairs; i++)
        if (!take_pair(g, diag)) return false;
    g->pairs_end = g->at;
    for (uint64_t i = 0; i < tensors; i++)
        if (!take_tensor(g, diag)) return false;
    if (!check_keys(g, diag) || !read_alignment(g, diag)) return false;
    g->data_begin = u64_div_ceil(g->at, g->alignment) * g->alignment;
    if (tensors && g->data_begin > g->bytes) return refuse(g, diag, "truncated before the first tensor");
    for (size_t i = 0; i < g->tensors.count; i++)
        if (!place_tensor(g, i, diag)) return false;
    return check_whole(g, diag) && check_tensors(g, diag);
}

// Maps the file into memory. Returns NULL, or the reason for an error.
static const char *map_file(struct gguf *g, const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0) return strerror(errno);
    const char *why = NULL;
    if (fstat(fd, &st) != 0) why = strerror(errno);
    else if (!S_ISREG(st.st_mode)) why = "not a plain file";
    else if (st.st_size == 0) why = "an empty file";
    void *data = why ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (!why && data == MAP_FAILED) why = strerror(errno);
    close(fd);
    if (why) return why;
    g->data = data;
    g->bytes = (uint64_t)st.st_size;
    return NULL;
}

// Returns whether the file is a whole model. Refuses one of the several files of a split model, because it has only
// some of the tensors.
static bool is_whole(const struct gguf *g, struct diag *diag) {
    const struct gguf_value *count = gguf_find(g, "split.count"), *number = gguf_find(g, "split.no");
    if (!count || count->kind != GGUF_INT || count->integer < 2) return true;
    diag_error(diag, g->loc, MSG_GGUF_SPLIT, number && number->kind == GGUF_INT ? number->integer + 1 : 1,
               count->integer);
    diag_note(diag, loc_none(), "`llama-gguf-split --merge FIRST OUT.gguf` of llama.cpp joins them");
    return false;
}

struct gguf *gguf_open(struct arena *arena, const char *path, struct diag *diag) {
    struct gguf *g = ARENA_NEW(arena, struct gguf);
    g->arena = arena;
    g->path = arena_strdup(arena, path);
    g->loc = loc_file(arena, path);
    const char *why = map_file(g, path);
    if (why) return diag_error(diag, g->loc, MSG_CHECKPOINT_FILE, why), NULL;
    if (read_header(g, diag) && is_whole(g, diag)) return g;
    return gguf_close(g), NULL;
}

void gguf_close(struct gguf *g) {
    if (g && g->data) munmap((void *)(uintptr_t)g->data, (size_t)g->bytes);
    if (g) g->data = NULL;
}

// Releases all pages with bytes of the tensor. The first and the last page may also have bytes of other tensors. This
// is harmless: the mapping is never written, so the next use reads these bytes from the file again.
void gguf_forget(const struct gguf *g, const struct gguf_tensor *t) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = (uint64_t)(t->blocks - g->data) / page * page,
             end = (uint64_t)(t->blocks - g->data) + tensor_bytes(t);
    madvise((void *)(uintptr_t)(g->data + from), (size_t)(end - from), MADV_DONTNEED);
}

// ---- look-up ----

const char *gguf_path(const struct gguf *g) { return g->path; }

int gguf_key_count(const struct gguf *g) { return (int)g->pairs.count; }
struct gguf_text gguf_key_at(const struct gguf *g, int index) {
    return g->pairs.items[index].key;
}

void gguf_metadata(const struct gguf *g, struct text *out) {
    static const uint64_t no_tensors = 0;
    text_add_bytes(out, g->data, 8); // magic, version
    text_add_bytes(out, &no_tensors, 8);
    text_add_bytes(out, g->data + 16, (size_t)(g->pairs_end - 16));
}

bool gguf_text_is(struct gguf_text text, const char *word) {
    return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

const struct gguf_value *gguf_find(const struct gguf *g, const char *key) {
    for (size_t i = 0; i < g->pairs.count; i++)
        if (gguf_text_is(g->pairs.items[i].key, key)) return &g->pairs.items[i].value;
    return NULL;
}

static bool has_items(const struct gguf_value *a, uint64_t first, uint64_t n) {
    return a->kind == GGUF_ARRAY && first <= a->count && n <= a->count - first;
}

static bool item_at(const struct gguf_value *a, uint64_t i, struct gguf_value *v) {
    return decode(a->item_type, a->items + i * (uint64_t)types[a->item_type].bytes, v);
}

bool gguf_integers(const struct gguf_value *a, uint64_t first, uint64_t n, int64_t out[]) {
    struct gguf_value v = {0};
    if (!has_items(a, first, n) || (a->item != GGUF_INT && a->item != GGUF_BOOL)) return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!item_at(a, first + i, &v)) return false;
        out[i] = v.integer;
    }
    return true;
}

bool gguf_numbers(const struct gguf_value *a, uint64_t first, uint64_t n, double out[]) {
    struct gguf_value v = {0};
    if (!has_items(a, first, n) || (a->item != GGUF_INT && a->item != GGUF_FLOAT)) return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!item_at(a, first + i, &v)) return false;
        out[i] = a->item == GGUF_INT ? (double)v.integer : v.number;
    }
    return true;
}

bool gguf_texts(const struct gguf_value *a, uint64_t n, struct gguf_text out[]) {
    if (!has_items(a, 0, n) || a->item != GGUF_STRING) return false;
    const uint8_t *at = a->items;
    for (uint64_t i = 0; i < n; i++) {
        out[i].len = u64_little_endian(at, 8);
        out[i].data = (const char *)at + 8;
        at += 8 + out[i].len;
    }
    return true;
}

int gguf_tensor_count(const struct gguf *g) { return (int)g->tensors.count; }
const struct gguf_tensor *gguf_tensor_at(const struct gguf *g, int index) { return &g->tensors.items[index]; }

const struct gguf_tensor *gguf_find_tensor(const struct gguf *g, const char *name) {
    for (size_t i = 0; i < g->tensors.count; i++)
        if (strcmp(g->tensors.items[i].name, name) == 0) return &g->tensors.items[i];
    return NULL;
}
