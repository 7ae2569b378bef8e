// SPDX-License-Identifier: Apache-2.0
// Writes image/oracle.bin, the oracle's weights of a packed design, and maps it into memory. The file has a head (magic
// number, number of entries, checksum of the rest), the entries, and then arrays of floats and integers at multiples of
// 8 bytes.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/reference/calibrate.h"
#include "gen/reference/oracle.h"
#include "gen/reference/weights.h"

// The beginning of the file. check: checksum of everything after it.
struct head {
    char magic[8];
    uint64_t entries, check;
};

// The weights of one operation in one repetition. The members from q to vectors are byte offsets in the file; 0:
// absent. If in_golden is 1, q and the scales and offsets of rows and groups are in golden.bin instead. count: number
// of vectors.
struct entry {
    uint64_t asked; // hash of the weights that the spec asks for
    int64_t in_golden, rows, k, group, groups, q, row_scale, group_scale, group_offset, matrix, bias, gamma, beta,
        vectors, count;
};

static const char magic[8] = "RILLORC3";

// ---- hashes ----

// Returns the hash h, continued over a word.
static uint64_t stir(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9fb21c651e98df25u;
    return h ^ (h >> 32);
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t bytes) {
    const uint8_t *p = data;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = stir(h, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, p, bytes);
    return bytes ? stir(h, rest) : h;
}

struct oracle_content oracle_content_of(int64_t rows, int64_t k, enum qformat format, int64_t group) {
    return (struct oracle_content){{1, 2}, rows, k, quantize_group(format, group), format};
}

void oracle_content_add(struct oracle_content *c, const float *w, int64_t rows) {
    for (int i = 0; i < 2; i++) c->hash[i] = hash_bytes(c->hash[i], w, (size_t)(rows * c->k) * sizeof *w);
}

static bool same_content(const struct oracle_content *a, const struct oracle_content *b) {
    return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1] && a->rows == b->rows && a->k == b->k &&
           a->group == b->group && a->format == b->format;
}

static uint64_t hash_text(uint64_t h, const char *s) {
    return s ? hash_bytes(stir(h, 1), s, strlen(s) + 1) : stir(h, 2);
}

// Returns a hash of everything in the spec that decides which weights an operation reads in a repetition.
static uint64_t asked_by(const struct oracle_graph *g, const struct oracle_node *n, int64_t repetition) {
    const int64_t numbers[] = {n->op,        n->rows,          oracle_vector_length(g, n), n->row_offset,
                               n->transpose, oracle_format(n), oracle_group(g, n),         repetition};
    uint64_t h = hash_bytes(3, numbers, sizeof numbers);
    if (oracle_is_computed(n)) h = hash_bytes(h, &n->rope, sizeof n->rope);
    if (n->gamma_plus != 0) h = hash_bytes(h, &n->gamma_plus, sizeof n->gamma_plus);
    if (n->times_root) h = stir(h, 3);
    for (int v = 0; v < n->vectors; v++) h = hash_text(h, n->vector[v]);
    h = hash_text(hash_text(h, n->weight), n->bias);
    return hash_text(hash_text(h, n->gamma), n->beta);
}

// ---- every entry, in order ----

static bool has_entries(const struct oracle_graph *g, const struct oracle_node *n) {
    return g->tensor.items[n->out[0]].needed && (oracle_has_matrix(n) || oracle_has_vectors(n));
}

static uint64_t count_entries(const struct oracle_graph *g) {
    uint64_t count = 0;
    for (size_t i = 0; i < g->node.count; i++)
        if (has_entries(g, &g->node.items[i])) count += (uint64_t)g->region.items[g->node.items[i].region].repeat;
    return count;
}

// ---- writing ----

// The state of writing the file. stored: matrices in golden.bin.
struct packer {
    struct arena *arena; // scratch
    const struct oracle_graph *graph;
    struct checkpoint *checkpoint;
    const struct oracle_stored *stored;
    size_t stored_count;
    FILE *file;
    struct diag *diag;
    int64_t at;     // offset of the next array
    uint64_t check; // checksum of the arrays so far
    bool ok;
};

// Writes an array and returns its offset; 0 if there is no data. Clears p->ok if it cannot be written.
static int64_t put(struct packer *p, const void *data, int64_t bytes) {
    static const char zeros[8];
    if (!data || bytes == 0) return 0;
    int64_t here = p->at, pad = -bytes & 7;
    p->ok = p->ok && fwrite(data, 1, (size_t)bytes, p->file) == (size_t)bytes &&
            fwrite(zeros, 1, (size_t)pad, p->file) == (size_t)pad;
    p->check = hash_bytes(p->check, data, (size_t)bytes);
    p->at += bytes + pad;
    return here;
}

void oracle_content_weigh(struct oracle_content *c, const float *mean_square) {
    if (!mean_square) return;
    for (int i = 0; i < 2; i++) c->hash[i] = hash_bytes(c->hash[i], mean_square, sizeof(float) * (size_t)c->k);
}

// Reads the rows in order, piece by piece, and passes each piece to `take`. Returns false if a row could not be read.
static bool each_piece(struct packer *p, const struct oracle_node *n, const struct checkpoint_slice *s,
                       void (*take)(struct packer *, int64_t first, const float *w, int64_t rows, void *to), void *to) {
    int64_t piece = checkpoint_piece(s);
    for (int64_t first = 0; first < s->rows; first += piece) {
        struct arena_mark mark = arena_mark(p->arena);
        int64_t rows = s->rows - first < piece ? s->rows - first : piece;
        const float *w = oracle_rows(p->checkpoint, p->arena, n, s, first, rows, p->diag);
        if (w) take(p, first, w, rows, to);
        arena_release(p->arena, mark);
        if (!w) return false;
    }
    return true;
}

static void add_content(struct packer *p, int64_t first, const float *w, int64_t rows, void *to) {
    (void)p, (void)first;
    oracle_content_add(to, w, rows);
}

struct weighed {
    struct qmatrix *m;
    const float *x; // mean squares of the columns, or NULL
};
static void quantize_piece(struct packer *p, int64_t first, const float *w, int64_t rows, void *to) {
    const struct weighed *by = to;
    struct qmatrix *m = by->m, piece = quantize_weighed(p->arena, w, rows, m->k, m->format, m->group, by->x);
    quantize_place(m, first, &piece);
}

static const struct oracle_stored *find_stored(const struct packer *p, const struct oracle_content *content) {
    for (size_t i = 0; i < p->stored_count; i++)
        if (same_content(&p->stored[i].content, content)) return &p->stored[i];
    return NULL;
}

// Writes a quantized matrix, or refers to golden.bin if it has this matrix. Reads the floats once to hash them, and a
// second time only if they must be quantized.
static bool put_quantized(struct packer *p, const struct oracle_node *n, const struct checkpoint_slice *slice,
                          const float *x, struct entry *e) {
    enum qformat format = oracle_format(n);
    e->group = oracle_group(p->graph, n);
    e->groups = e->group ? (e->k + e->group - 1) / e->group : 0;
    struct oracle_content content = oracle_content_of(e->rows, e->k, format, e->group);
    if (!each_piece(p, n, slice, add_content, &content)) return false;
    oracle_content_weigh(&content, x);
    const struct oracle_stored *s = find_stored(p, &content);
    if (s) {
        e->in_golden = 1;
        e->q = s->q, e->row_scale = s->row_scale, e->group_scale = s->group_scale, e->group_offset = s->group_offset;
        return true;
    }
    struct qmatrix m = quantize_room(p->arena, e->rows, e->k, format, e->group);
    struct weighed to = {&m, x};
    if (!each_piece(p, n, slice, quantize_piece, &to)) return false;
    e->q = put(p, quantize_elements(&m), e->rows * e->k * quantize_bytes(format));
    e->row_scale = put(p, m.row_scale, e->rows * 4);
    e->group_scale = put(p, m.group_scale, e->rows * e->groups);
    e->group_offset = put(p, m.group_offset, e->rows * e->groups);
    return true;
}

// Writes a vector of the checkpoint and returns its offset; 0 if the pattern is NULL. Clears p->ok after an error.
static int64_t put_vector(struct packer *p, const char *pattern, int64_t repetition, int64_t n, int64_t offset,
                          enum checkpoint_role role) {
    if (!pattern) return 0;
    const float *v = checkpoint_vector(p->checkpoint, p->arena, oracle_name(p->arena, pattern, repetition), n, offset,
                                       0, role, p->diag);
    p->ok = p->ok && v;
    return put(p, v, n * 4);
}

// Writes the gain of a norm and returns its offset.
static int64_t put_gain(struct packer *p, const struct oracle_node *n, int64_t repetition, int64_t length) {
    const char *name = oracle_name(p->arena, n->gamma, repetition);
    const float *v = oracle_gain(p->checkpoint, p->arena, n, name, length, p->diag);
    p->ok = p->ok && v;
    return put(p, v, length * 4);
}

static void put_table(struct packer *p, const struct oracle_node *n, const struct checkpoint_slice *s,
                      struct entry *e) {
    const float *w =
        oracle_is_computed(n) ? oracle_computed(p->arena, n) : oracle_matrix(p->checkpoint, p->arena, n, s, p->diag);
    p->ok = p->ok && w;
    e->matrix = put(p, w, e->rows * e->k * 4);
}

// Writes the matrix and the bias of an operation in one repetition. Clears p->ok after an error.
static void put_matrix(struct packer *p, const struct oracle_node *n, int64_t repetition, struct entry *e) {
    struct checkpoint_slice s = {.name = oracle_name(p->arena, n->weight ? n->weight : "", repetition),
                                 .rows = e->rows,
                                 .cols = e->k,
                                 .transpose = n->transpose,
                                 .row_offset = n->row_offset,
                                 .is_table = oracle_is_table(n)};
    if (oracle_is_table(n)) put_table(p, n, &s, e);
    else
        p->ok = p->ok &&
                put_quantized(p, n, &s, statistics_of(p->graph->statistics, s.name, s.rows, s.row_offset, s.cols), e);
    if (!p->ok) return;
    e->bias = put_vector(p, n->bias, repetition, e->rows, n->row_offset, CHECKPOINT_BIAS);
}

// Writes the weights of an operation in one repetition and fills its entry. Clears p->ok after an error.
static void put_entry(struct packer *p, const struct oracle_node *n, int64_t repetition, struct entry *e) {
    struct arena_mark mark = arena_mark(p->arena);
    *e = (struct entry){
        .asked = asked_by(p->graph, n, repetition), .rows = n->rows, .k = oracle_vector_length(p->graph, n)};
    if (oracle_has_matrix(n)) put_matrix(p, n, repetition, e);
    else if (n->vectors) {
        const float *v = oracle_vectors(p->checkpoint, p->arena, n, repetition, e->k, p->diag);
        p->ok = p->ok && v;
        e->count = n->vectors;
        e->vectors = put(p, v, e->count * e->k * 4);
    } else {
        e->gamma = put_gain(p, n, repetition, e->k);
        e->beta = put_vector(p, n->beta, repetition, e->k, 0, CHECKPOINT_BIAS);
    }
    arena_release(p->arena, mark);
}

bool oracle_pack(struct arena *arena, const struct oracle_graph *g, struct checkpoint *checkpoint,
                 const struct oracle_stored *stored, size_t count, FILE *file, struct diag *diag) {
    struct arena scratch;
    checkpoint_set_names(checkpoint, g->prefix, g->unused.items, g->unused.count);
    struct head head = {.entries = count_entries(g)};
    size_t done = 0, bytes = head.entries * sizeof(struct entry);
    struct entry *entry = ARENA_ARRAY(arena, struct entry, head.entries + 1);
    struct packer p = {.arena = &scratch,
                       .graph = g,
                       .checkpoint = checkpoint,
                       .stored = stored,
                       .stored_count = count,
                       .file = file,
                       .diag = diag,
                       .ok = true};
    arena_init(&scratch);
    p.at = (int64_t)(sizeof head + bytes);
    p.ok = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(entry, 1, bytes, file) == bytes;
    for (size_t i = 0; p.ok && i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        for (int64_t r = 0; p.ok && has_entries(g, n) && r < g->region.items[n->region].repeat; r++)
            put_entry(&p, n, r, &entry[done++]);
    }
    arena_free(&scratch);
    memcpy(head.magic, magic, sizeof magic);
    head.check = hash_bytes(p.check, entry, bytes);
    return p.ok && fseeko(file, 0, SEEK_SET) == 0 && fwrite(&head, sizeof head, 1, file) == 1 &&
           fwrite(entry, 1, bytes, file) == bytes;
}

// ---- reading ----

static const char *const files[2] = {ORACLE_IMAGE_FILE, "golden.bin"};

// Maps a file into memory. Returns NULL, or the error.
static const char *map_file(struct oracle_map *m, int i, const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY);
    off_t least = i == 0 ? sizeof(struct head) : 1;
    const char *why = fd < 0 || fstat(fd, &st) ? strerror(errno) : st.st_size < least ? "truncated" : NULL;
    if (!why) {
        m->size[i] = (size_t)st.st_size;
        void *map = mmap(NULL, m->size[i], PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) why = strerror(errno);
        else m->data[i] = map;
    }
    if (fd >= 0) close(fd);
    return why;
}

// Checks the version, the number of entries and the checksum of oracle.bin. Returns NULL, or the error.
static const char *check_head(const struct oracle_map *m, const struct oracle_graph *g) {
    struct head head;
    memcpy(&head, m->data[0], sizeof head);
    if (memcmp(head.magic, magic, sizeof magic)) return "no weights of this version; pack again";
    size_t bytes = count_entries(g) * sizeof(struct entry);
    if (head.entries != count_entries(g) || m->size[0] < sizeof head + bytes)
        return "the image was packed for another spec; pack again";
    uint64_t check = hash_bytes(0, m->data[0] + sizeof head + bytes, m->size[0] - sizeof head - bytes);
    return hash_bytes(check, m->data[0] + sizeof head, bytes) == head.check ? NULL : "damaged; pack again";
}

// Returns the array at an offset of a mapped file, or NULL for offset 0. Clears *ok if the array is not within the
// file.
static const void *part(const struct oracle_map *m, int64_t in_golden, int64_t offset, int64_t bytes, bool *ok) {
    int file = in_golden != 0;
    if (offset == 0) return NULL;
    *ok = *ok && offset > 0 && (uint64_t)offset <= m->size[file] && (uint64_t)bytes <= m->size[file] - (uint64_t)offset;
    return m->data[file] + offset;
}

// Fills *w with the arrays of an entry. Returns false if an array is not within its file.
static bool map_entry(const struct oracle_map *m, const struct oracle_node *n, const struct entry *e,
                      struct oracle_weights *w) {
    bool ok = true;
    *w = (struct oracle_weights){.rows = e->rows, .k = e->k, .group = e->group, .groups = e->groups};
    const void *q = part(m, e->in_golden, e->q, e->rows * e->k * quantize_bytes(oracle_format(n)), &ok);
    w->q = n->int16 ? NULL : q;
    w->q16 = n->int16 ? q : NULL;
    w->row_scale = part(m, e->in_golden, e->row_scale, e->rows * 4, &ok);
    w->group_scale = part(m, e->in_golden, e->group_scale, e->rows * e->groups, &ok);
    w->group_offset = part(m, e->in_golden, e->group_offset, e->rows * e->groups, &ok);
    w->matrix = part(m, 0, e->matrix, e->rows * e->k * 4, &ok);
    w->bias = part(m, 0, e->bias, e->rows * 4, &ok);
    w->gamma = part(m, 0, e->gamma, e->k * 4, &ok);
    w->beta = part(m, 0, e->beta, e->k * 4, &ok);
    w->vectors = part(m, 0, e->vectors, e->count * e->k * 4, &ok);
    return ok;
}

// Fills all[node] with the weights of the node in all repetitions. Returns NULL, or the error.
static const char *map_entries(struct arena *arena, const struct oracle_graph *g, const struct oracle_map *m,
                               const struct oracle_weights **all) {
    const uint8_t *at = m->data[0] + sizeof(struct head);
    for (size_t i = 0; i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        if (!has_entries(g, n)) continue;
        int64_t repeat = g->region.items[n->region].repeat;
        struct oracle_weights *w = ARENA_ARRAY(arena, struct oracle_weights, (size_t)repeat);
        for (int64_t r = 0; r < repeat; r++, at += sizeof(struct entry)) {
            struct entry e;
            memcpy(&e, at, sizeof e);
            if (e.asked != asked_by(g, n, r)) return "the image was packed for another spec; pack again";
            if (!map_entry(m, n, &e, &w[r])) return "golden.bin is not the one that was packed with it; pack again";
        }
        all[i] = w;
    }
    return NULL;
}

const struct oracle_weights **oracle_weights_map(struct arena *arena, const struct oracle_graph *g,
                                                 const char *image_dir, struct oracle_map *m, struct diag *diag) {
    const struct oracle_weights **all = ARENA_ARRAY(arena, const struct oracle_weights *, g->node.count + 1);
    const char *why = NULL, *path = NULL;
    *m = (struct oracle_map){0};
    for (int i = 0; !why && i < 2; i++) why = map_file(m, i, path = arena_printf(arena, "%s/%s", image_dir, files[i]));
    if (!why) {
        path = arena_printf(arena, "%s/%s", image_dir, files[0]);
        why = check_head(m, g);
        if (!why) why = map_entries(arena, g, m, all);
    }
    if (!why) return all;
    diag_error(diag, loc_file(arena, path), MSG_ORACLE_WEIGHTS, why);
    oracle_weights_unmap(m);
    return NULL;
}

void oracle_weights_unmap(struct oracle_map *m) {
    for (int i = 0; i < 2; i++)
        if (m->data[i]) munmap((void *)m->data[i], m->size[i]);
    *m = (struct oracle_map){0};
}
