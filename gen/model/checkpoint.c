// SPDX-License-Identifier: Apache-2.0
// Reads named tensors from safetensors or GGUF files (shards.c), or generates them from a seed. Checks shapes, and that
// the spec uses every tensor of the files.
#include "gen/model/checkpoint.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "gen/model/shards.h"

// The part of a tensor that was read: the indices below `used` of the `extent` indices of one dimension. This is the
// dimension that slices cut: columns of a tensor that is stored transposed, otherwise rows (elements of a vector). Both
// numbers are 0 if nothing was read.
struct coverage {
    int64_t used, extent;
};

enum { PIECE_BYTES = 16 << 20 }; // bytes of fp32 values of a matrix that are read at once

struct checkpoint {
    const char *dir;     // folder or GGUF file; NULL: random weights
    uint64_t seed;       // of random weights
    struct shards *file; // NULL: random weights
    struct arena *arena;
    VEC(struct coverage) coverage; // per tensor of the files
    const char *prefix;            // see checkpoint_set_names; or NULL
    const char *const *unused;
    size_t unused_count;
};

// ---- random weights ----

// Returns the output of the generator SplitMix64 for the state x: a bijective hash of 64 bits.
static uint64_t splitmix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Returns the key of a tensor's random numbers: a hash of the seed and of the tensor's name (FNV-1a), so that tensors
// differ.
static uint64_t name_key(uint64_t seed, const char *name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return splitmix64(hash ^ splitmix64(seed));
}

// Returns a nearly normal number with mean 0, variance 1 and |x| < 4.9: the sum of eight uniform 16-bit integers,
// scaled. It uses no library function, so every machine computes the same bits.
static float normal(uint64_t key, uint64_t index) {
    uint64_t a = splitmix64(key + index), b = splitmix64(a);
    int32_t sum = 0;
    for (int i = 0; i < 64; i += 16) sum += (int32_t)(a >> i & 0xffff) + (int32_t)(b >> i & 0xffff);
    return (float)(sum - 4 * 0xffff) * (1.0f / 53509.9f); // sqrt(8 / 12) * 65536
}

// Returns the index of an element's random number. It does not depend on the total number of rows, which the caller may
// not know. The highest bit tells tensors stored as [cols][all rows] from those stored as [all rows][cols], so that a
// matrix that is read transposed by mistake has other values.
static uint64_t random_index(const struct checkpoint_slice *s, int64_t row, int64_t col) {
    if (s->transpose) return (uint64_t)1 << 63 | (uint64_t)col << 32 | (uint64_t)row;
    return (uint64_t)(row * s->cols + col);
}

static float *random_rows(const struct checkpoint *c, struct arena *arena, const struct checkpoint_slice *s,
                          int64_t first, int64_t rows) {
    uint64_t key = name_key(c->seed, s->name);
    float spread = s->is_table ? 3.0f : (float)(1.0 / sqrt((double)s->cols)),
          *out = ARENA_ARRAY(arena, float, (size_t)(rows * s->cols));
    for (int64_t row = 0; row < rows; row++)
        for (int64_t col = 0; col < s->cols; col++)
            out[row * s->cols + col] = spread * normal(key, random_index(s, s->row_offset + first + row, col));
    return out;
}

static float *random_vector(const struct checkpoint *c, struct arena *arena, const char *name, int64_t n,
                            int64_t offset, enum checkpoint_role role) {
    uint64_t key = name_key(c->seed, name);
    float *out = ARENA_ARRAY(arena, float, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        float x = normal(key, (uint64_t)(offset + i));
        out[i] = role == CHECKPOINT_GAIN ? 1.0f + 0.1f * x : 0.05f * x;
    }
    return out;
}

// ---- files of weights: safetensors or GGUF ----

static bool parse_seed(const char *text, uint64_t *seed) {
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

struct checkpoint *checkpoint_open(struct arena *arena, const char *source, struct diag *diag) {
    return checkpoint_open_of(arena, source, NULL, diag);
}

bool checkpoint_is_there(struct arena *arena, const char *source, struct diag *diag) {
    if (!access(source, F_OK)) return true;
    if (!strcmp(source, "random")) diag_error(diag, loc_none(), MSG_SEED_MISSING);
    else diag_error(diag, loc_file(arena, source), MSG_WEIGHTS_MISSING);
    return false;
}

struct checkpoint *checkpoint_open_of(struct arena *arena, const char *source, const struct family_values *values,
                                      struct diag *diag) {
    static const char prefix[] = "random:";
    struct checkpoint *c = ARENA_NEW(arena, struct checkpoint);
    c->arena = arena;
    if (strncmp(source, prefix, sizeof prefix - 1) == 0) {
        if (parse_seed(source + sizeof prefix - 1, &c->seed)) return c;
        diag_error(diag, loc_none(), MSG_SEED_FORM, source);
        return NULL;
    }
    if (!checkpoint_is_there(arena, source, diag)) return NULL;
    c->dir = arena_strdup(arena, source);
    c->file = shards_open(arena, source, values, diag);
    if (!c->file) return NULL;
    for (int i = 0; i < shards_count(c->file); i++) VEC_PUSH(arena, c->coverage, (struct coverage){0});
    return c;
}

void checkpoint_close(struct checkpoint *checkpoint) {
    if (checkpoint) shards_close(checkpoint->file);
}

const char *checkpoint_dir(const struct checkpoint *checkpoint) { return checkpoint->dir; }

// Returns the CRC-32 of a file combined with its size.
static uint64_t file_checksum(const char *path) {
    static const size_t block = 1 << 20;
    FILE *file = fopen(path, "rb");
    unsigned char *data = malloc(block);
    uint64_t bytes = 0;
    uLong crc = 0;
    for (size_t n; file && data && (n = fread(data, 1, block, file)) > 0; bytes += n) crc = crc32_z(crc, data, n);
    free(data);
    if (file) fclose(file);
    return bytes << 32 ^ crc;
}

uint64_t checkpoint_checksum(const struct checkpoint *c) {
    uint64_t sum = splitmix64(c->seed);
    const char *path;
    for (int i = 0; c->file && (path = shards_path(c->file, i)) != NULL; i++)
        sum = splitmix64(sum ^ file_checksum(path));
    return sum;
}

void checkpoint_set_names(struct checkpoint *c, const char *prefix, const char *const *unused, size_t count) {
    c->prefix = prefix;
    c->unused = unused;
    c->unused_count = count;
}

// Returns the name without the prefix that multimodal models put before the names of the text model's tensors.
static const char *without_model(const char *name) {
    static const char *const models[] = {"model.language_model.", "language_model."};
    for (size_t i = 0; i < COUNT_OF(models); i++)
        if (!strncmp(name, models[i], strlen(models[i]))) return name + strlen(models[i]);
    return name;
}

// Returns the name without the prefix of multimodal models and without the prefix that the spec's
// `weights: {prefix: ...}` gives.
static const char *without_prefix(const struct checkpoint *c, const char *name) {
    name = without_model(name);
    size_t len = c->prefix ? strlen(c->prefix) : 0;
    return len && strncmp(name, c->prefix, len) == 0 ? name + len : name;
}

// Returns the index of a tensor, or -1 if there is none. `name` may be with or without the prefixes.
static int find_tensor(const struct checkpoint *c, const char *name) {
    for (int i = 0; i < shards_count(c->file); i++)
        if (strcmp(without_prefix(c, shards_at(c->file, i)->name), without_prefix(c, name)) == 0) return i;
    return -1;
}

// Returns whether the n elements in x are finite. If not, reports the first that is not. from: index of x[0] in the
// tensor, for the message.
static bool all_finite(const struct checkpoint *c, int index, const float *x, int64_t from, int64_t n,
                       struct diag *diag) {
    const struct safetensors_tensor *t = shards_at(c->file, index);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i])) {
            diag_error(diag, shards_loc(c->file, index), MSG_TENSOR_NOT_FINITE, t->name, from + i);
            return false;
        }
    return true;
}

// The part of a tensor that a caller wants, in terms of the stored tensor. `along` is the stored dimension that the
// slice cuts; its indices are the rows of the result.
struct wanted {
    const char *name;
    int rank, along;
    int64_t shape[2];    // extents of the wanted part
    int64_t offset, all; // in dimension `along`: first wanted index, and stored extent (0: unknown)
};

static bool shape_fits(const struct safetensors_tensor *t, const struct wanted *w) {
    if (t->rank != w->rank) return false;
    for (int i = 0; i < t->rank; i++)
        if (i != w->along && t->shape[i] != w->shape[i]) return false;
    if (w->all > 0) return t->shape[w->along] == w->all;
    return t->shape[w->along] - w->offset >= w->shape[w->along];
}

static void report_shape(struct checkpoint *c, int index, const struct wanted *w, struct diag *diag) {
    const struct safetensors_tensor *t = shards_at(c->file, index);
    struct loc loc = shards_loc(c->file, index);
    int64_t extent[2] = {w->shape[0], w->shape[1]};
    extent[w->along] = w->all > 0 ? w->all : w->offset + w->shape[w->along];
    const char *have = safetensors_shape_text(c->arena, t);
    if (w->rank == 1) diag_error(diag, loc, MSG_TENSOR_VECTOR_SHAPE, t->name, have, extent[0]);
    else diag_error(diag, loc, MSG_TENSOR_MATRIX_SHAPE, t->name, have, extent[0], extent[1]);
}

// Reports a missing tensor. Suggests a tensor whose name is this name after a prefix, or else the most similar name.
static void report_missing(const struct checkpoint *c, const char *name, struct diag *diag) {
    int count = shards_count(c->file);
    struct loc loc = shards_loc(c->file, -1);
    const char **names = ARENA_ARRAY(c->arena, const char *, (size_t)count + 1);
    diag_error(diag, loc, MSG_TENSOR_MISSING, name);
    for (int i = 0; i < count; i++) {
        const char *have = names[i] = shards_at(c->file, i)->name;
        size_t len = strlen(have), end = strlen(name);
        if (len <= end || have[len - end - 1] != '.' || strcmp(have + len - end, name) != 0) continue;
        diag_note(diag, loc, "there is %s: `weights: {prefix: %.*s}` in `graph` says what names begin with", have,
                  (int)(len - end), have);
        return;
    }
    diag_note_words(diag, loc, name, names, (size_t)count);
}

// Returns the index of the tensor if it exists and fits. Otherwise reports an error and returns -1.
static int find_checked(struct checkpoint *c, const struct wanted *w, struct diag *diag) {
    int index = find_tensor(c, w->name);
    if (index < 0) return report_missing(c, w->name, diag), -1;
    if (shape_fits(shards_at(c->file, index), w)) return index;
    report_shape(c, index, w, diag);
    return -1;
}

// Reads rows first .. first + rows - 1, counted along the tensor's first dimension. Returns NULL after an error. A
// value that is not finite is an error.
static float *read_rows(struct checkpoint *c, int index, struct arena *arena, int64_t first, int64_t rows,
                        struct diag *diag) {
    const struct safetensors_tensor *t = shards_at(c->file, index);
    int64_t row = t->elements / t->shape[0];
    float *x = shards_read(c->file, index, first, rows, arena, diag);
    return x && all_finite(c, index, x, first * row, rows * row, diag) ? x : NULL;
}

// Records that the tensor is used up to this index of the cut dimension.
static void note_used(struct checkpoint *c, int index, const struct wanted *w, int64_t end) {
    struct coverage *coverage = &c->coverage.items[index];
    if (end > coverage->used) coverage->used = end;
    coverage->extent = shards_at(c->file, index)->shape[w->along];
}

// Ends the run if a slice is not within its tensor, which is a mistake of the caller.
static void check_slice(int64_t rows, int64_t cols, int64_t offset, int64_t all) {
    if (rows < 1 || cols < 1 || offset < 0 || rows > INT64_MAX / 16 / cols || (all > 0 && offset + rows > all))
        base_fatal("checkpoint: slice of %" PRId64 " x %" PRId64 " at %" PRId64 " of %" PRId64, rows, cols, offset,
                   all);
}

// Reads columns from .. from + rows - 1 of the stored matrix as rows.
static float *read_columns(struct checkpoint *c, int index, struct arena *arena, const struct checkpoint_slice *s,
                           int64_t from, int64_t rows, struct diag *diag) {
    int64_t all = shards_at(c->file, index)->shape[1];
    float *out = ARENA_ARRAY(arena, float, (size_t)(rows * s->cols));
    struct arena_mark mark = arena_mark(arena);
    const float *x = read_rows(c, index, arena, 0, s->cols, diag);
    for (int64_t r = 0; x && r < rows; r++)
        for (int64_t k = 0; k < s->cols; k++) out[r * s->cols + k] = x[k * all + from + r];
    arena_release(arena, mark); // frees the whole tensor; `out` was allocated before the mark
    return x ? out : NULL;
}

float *checkpoint_rows(struct checkpoint *c, struct arena *arena, const struct checkpoint_slice *s, int64_t first,
                       int64_t rows, struct diag *diag) {
    check_slice(s->rows, s->cols, s->row_offset, s->all_rows);
    check_slice(rows, s->cols, first, s->rows);
    if (!c->file) return random_rows(c, arena, s, first, rows);
    struct wanted w = {s->name, 2, s->transpose ? 1 : 0, {s->rows, s->cols}, s->row_offset, s->all_rows};
    if (s->transpose) w.shape[0] = s->cols, w.shape[1] = s->rows;
    int index = find_checked(c, &w, diag);
    if (index < 0) return NULL;
    int64_t from = s->row_offset + first;
    float *x = s->transpose ? read_columns(c, index, arena, s, from, rows, diag)
                            : read_rows(c, index, arena, from, rows, diag);
    // A table counts as read completely, because it may have rows for more positions than the spec's context.
    if (x) note_used(c, index, &w, s->is_table ? shards_at(c->file, index)->shape[w.along] : from + rows);
    return x;
}

float *checkpoint_matrix(struct checkpoint *c, struct arena *arena, const struct checkpoint_slice *s,
                         struct diag *diag) {
    return checkpoint_rows(c, arena, s, 0, s->rows, diag);
}

int64_t checkpoint_piece(const struct checkpoint_slice *s) {
    int64_t rows = PIECE_BYTES / 4 / s->cols & ~INT64_C(1);
    if (rows < 2) rows = 2;
    return s->transpose || rows > s->rows ? s->rows : rows; // columns of a file are all read at once
}

float *checkpoint_vector(struct checkpoint *c, struct arena *arena, const char *name, int64_t n, int64_t offset,
                         int64_t all_n, enum checkpoint_role role, struct diag *diag) {
    check_slice(n, 1, offset, all_n);
    if (!c->file) return random_vector(c, arena, name, n, offset, role);
    struct wanted w = {name, 1, 0, {n, 0}, offset, all_n};
    int index = find_checked(c, &w, diag);
    if (index < 0) return NULL;
    float *x = read_rows(c, index, arena, offset, n, diag);
    if (x) note_used(c, index, &w, offset + n);
    return x;
}

// Returns whether a pattern of `unused` matches the name, with or without its prefix.
static bool may_be_unused(const struct checkpoint *c, const char *name) {
    for (size_t i = 0; i < c->unused_count; i++)
        if (!fnmatch(c->unused[i], name, 0) || !fnmatch(c->unused[i], without_prefix(c, name), 0)) return true;
    return false;
}

// ---- copies of other tensors ----

// Returns OTHER of a rule `NAME = OTHER` for this tensor, or NULL if the rule is a pattern or for another tensor.
static const char *copied_from(const struct checkpoint *c, const char *rule, const char *name) {
    static const char is[] = " = ";
    const char *equals = strstr(rule, is);
    if (!equals) return NULL;
    const char *own = arena_strndup(c->arena, rule, (size_t)(equals - rule));
    return strcmp(without_prefix(c, own), without_prefix(c, name)) ? NULL : equals + sizeof is - 1;
}

static const char *original_of(const struct checkpoint *c, const char *name) {
    const char *original = NULL;
    for (size_t i = 0; i < c->unused_count && !original; i++) original = copied_from(c, c->unused[i], name);
    return original;
}

static bool same_rows(struct checkpoint *c, int a, int b, int64_t first, int64_t rows, struct diag *diag) {
    const struct safetensors_tensor *t = shards_at(c->file, a);
    size_t bytes = (size_t)(rows * (t->elements / t->shape[0])) * sizeof(float);
    const float *x = shards_read(c->file, a, first, rows, c->arena, diag),
                *y = x ? shards_read(c->file, b, first, rows, c->arena, diag) : NULL;
    return y && !memcmp(x, y, bytes);
}

static bool same_tensor(struct checkpoint *c, int a, int b, struct diag *diag) {
    const struct safetensors_tensor *t = shards_at(c->file, a), *u = shards_at(c->file, b);
    bool same = t->rank == u->rank && t->elements == u->elements && t->elements > 0 && t->shape[0] == u->shape[0];
    int64_t row = same ? t->elements / t->shape[0] : 1, piece = 1 + PIECE_BYTES / 4 / row;
    for (int64_t at = 0; same && at < t->shape[0]; at += piece) {
        struct arena_mark mark = arena_mark(c->arena);
        same = same_rows(c, a, b, at, at + piece < t->shape[0] ? piece : t->shape[0] - at, diag);
        arena_release(c->arena, mark);
    }
    return same;
}

// Checks a tensor that is stored although the spec uses another one instead, such as an output head that is tied to the
// embedding (`tie_word_embeddings: true`). The two must be equal, because other programs may use the stored tensor.
static void check_copy(struct checkpoint *c, int index, const char *original, struct diag *diag) {
    const char *name = shards_at(c->file, index)->name;
    int other = find_tensor(c, original), errors = diag->errors;
    if (other < 0 || same_tensor(c, index, other, diag) || diag->errors != errors) return;
    diag_error(diag, shards_loc(c->file, index), MSG_TENSOR_DIFFERS, name, shards_at(c->file, other)->name);
    diag_note(diag, shards_loc(c->file, index),
              "if the model has an output head of its own: `tied_head: false` in the spec, `tie_word_embeddings: "
              "false` in config.json; else take the tensor out of the file");
}

bool checkpoint_check_coverage(struct checkpoint *c, struct diag *diag) {
    int errors = diag->errors;
    for (int i = 0; c->file && i < shards_count(c->file); i++) {
        const struct safetensors_tensor *t = shards_at(c->file, i);
        struct coverage k = c->coverage.items[i];
        const char *original = k.used == 0 ? original_of(c, t->name) : NULL;
        if (original) check_copy(c, i, original, diag);
        else if (k.used == 0 && !may_be_unused(c, t->name))
            diag_error(diag, shards_loc(c->file, i), MSG_TENSOR_UNUSED, t->name);
        else if (k.used < k.extent)
            diag_error(diag, shards_loc(c->file, i), MSG_TENSOR_ROWS_UNUSED, t->name,
                       safetensors_shape_text(c->arena, t), k.used, k.extent);
    }
    return diag->errors == errors;
}
