// SPDX-License-Identifier: Apache-2.0
// Plans, writes and maps the file of golden weights. golden_store.h describes the file.
#include "gen/pack/golden_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/ir/ops.h"
#include "gen/ir/layout.h"
#include "gen/ir/names.h"

enum { STORE_ALIGN = 64, STORE_HEADER = 16 }; // bytes; the header is the magic number and the number of entries

// Reserves `bytes` in the file from the next multiple of STORE_ALIGN on, and moves `*at` to their end. Returns the
// offset of the first byte.
static int64_t place(int64_t *at, int64_t bytes) {
    int64_t here = layout_div_up(*at, STORE_ALIGN) * STORE_ALIGN;
    *at = here + bytes;
    return here;
}

const char *store_tensor_name(struct arena *arena, const struct ir_node *node, const char *key, int64_t repetition) {
    return names_in(arena, ir_attr_string(&node->attrs, key, ""), repetition);
}

struct plan {
    const struct ir *ir;
    struct arena *arena;
    struct store_entry *entry;
    const char **weight; // per entry: name of its matrix in the checkpoint; NULL for floats
    // A hash table of owners by name. bucket: the last owner whose name has this hash. before: for each owner, the
    // previous owner in its bucket. -1: none.
    int *bucket, *before;
    uint32_t buckets; // a power of two
    int count;        // entries so far
    int64_t at;       // bytes of the file so far
};

static int *bucket_of(const struct plan *p, const char *name) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &p->bucket[hash & (p->buckets - 1)];
}

// Returns whether entry `i` has the same matrix as `e`: the same tensor, read and quantized in the same way.
static bool same_matrix(const struct plan *p, int i, const struct store_entry *e, const char *weight) {
    const struct store_entry *o = &p->entry[i];
    const struct ir_attrs *a = &p->ir->node[e->node].attrs, *b = &p->ir->node[o->node].attrs;
    return o->rows == e->rows && o->k == e->k && o->format == e->format && !strcmp(p->weight[i], weight) &&
           !ir_attr_find(a, "times") == !ir_attr_find(b, "times") &&
           ir_attr_int(a, "row_offset", 0) == ir_attr_int(b, "row_offset", 0) &&
           ir_attr_int(a, "transpose", 0) == ir_attr_int(b, "transpose", 0);
}

// Returns the earlier entry with the same matrix. If there is none, returns `self`, which later entries then find.
static int find_owner(struct plan *p, const struct store_entry *e, const char *weight, int self) {
    int *last = bucket_of(p, weight);
    for (int i = *last; i >= 0; i = p->before[i])
        if (same_matrix(p, i, e, weight)) return i;
    p->before[self] = *last;
    return *last = self;
}

static enum qformat table_format(const struct ir_node *node) {
    static const enum qformat of[] = {
        [SPEC_TABLE_INT8] = QFORMAT_INT8, [SPEC_TABLE_INT4] = QFORMAT_INT4, [SPEC_TABLE_INT16] = QFORMAT_INT16};
    return of[layout_table_format(node)];
}

// Plans the arrays of a matrix. If an earlier entry has the same matrix, both entries share its arrays except the bias.
// k: columns.
static void plan_matrix(struct plan *p, struct store_entry *e, int64_t k, enum qformat format) {
    const struct ir_node *node = &p->ir->node[e->node];
    e->format = (int32_t)format;
    e->rows = ir_attr_int(&node->attrs, "rows", 0);
    e->k = k;
    e->group = quantize_group(format, p->ir->design.group);
    e->groups = e->group ? layout_div_up(k, e->group) : 0;
    p->weight[p->count] = store_tensor_name(p->arena, node, "weight", e->repetition);
    e->owner = find_owner(p, e, p->weight[p->count], p->count);
    const struct store_entry *owner = e->owner == p->count ? NULL : &p->entry[e->owner];
    e->q = owner ? owner->q : place(&p->at, e->rows * k * quantize_bytes(format));
    e->row_scale = owner ? owner->row_scale : place(&p->at, e->rows * 4);
    e->group_scale = owner ? owner->group_scale : e->group ? place(&p->at, e->rows * e->groups) : 0;
    if (e->format == QFORMAT_INT4_ASYM)
        e->group_offset = owner ? owner->group_offset : place(&p->at, e->rows * e->groups);
    e->bias = ir_attr_find(&node->attrs, "bias") ? place(&p->at, e->rows * 4) : 0;
}

// Plans the array of an fp32 table or of vector parameters.
static void plan_floats(struct plan *p, struct store_entry *e, int64_t rows, int64_t k) {
    e->is_float = 1;
    e->rows = rows;
    e->k = k;
    e->owner = p->count;
    e->f32 = place(&p->at, rows * k * 4);
}

// Adds the entry of node `n` in one repetition. Adds nothing if the node has no weights.
static void plan_entry(struct plan *p, int n, int64_t repetition) {
    const struct ir_node *node = &p->ir->node[n];
    int64_t rows = ir_attr_int(&node->attrs, "rows", 0), cols = ir_attr_int(&node->attrs, "cols", 0);
    int64_t in = ir_vector_length(p->ir, node);
    struct store_entry e = {.node = n, .repetition = (int32_t)repetition};
    switch (ir_op_weights(p->ir, node->op)) {
    case IR_WEIGHTS_NONE: return;
    case IR_WEIGHTS_MATRIX: plan_matrix(p, &e, in, (enum qformat)layout_format(node)); break;
    case IR_WEIGHTS_RECORDS: plan_matrix(p, &e, cols, table_format(node)); break;
    case IR_WEIGHTS_TABLE:
    case IR_WEIGHTS_COMPUTED: plan_floats(p, &e, rows, cols); break;
    case IR_WEIGHTS_VECTORS: plan_floats(p, &e, ir_param_vectors(p->ir, node), in); break;
    }
    p->entry[p->count++] = e;
}

// Plans the entries of all nodes. The first array begins at or after offset `at`.
static void plan_all(struct plan *p, int64_t at) {
    p->at = at;
    p->count = 0;
    for (uint32_t i = 0; i < p->buckets; i++) p->bucket[i] = -1;
    for (int n = 0; n < p->ir->nodes; n++)
        for (int64_t r = 0; r < p->ir->region[p->ir->node[n].region].repeat; r++) plan_entry(p, n, r);
}

struct store_entry *store_plan(struct arena *arena, const struct ir *ir, int *count, int64_t *bytes) {
    size_t most = 1;
    for (int n = 0; n < ir->nodes; n++) most += (size_t)ir->region[ir->node[n].region].repeat;
    struct plan p = {.ir = ir, .arena = arena};
    p.entry = ARENA_ARRAY(arena, struct store_entry, most);
    p.weight = ARENA_ARRAY(arena, const char *, most);
    p.before = ARENA_ARRAY(arena, int, most);
    for (p.buckets = 1; p.buckets < most; p.buckets *= 2) continue;
    p.bucket = ARENA_ARRAY(arena, int, p.buckets);
    plan_all(&p, 0); // the arrays begin after the entries, whose number is now known
    plan_all(&p, STORE_HEADER + (int64_t)sizeof *p.entry * p.count);
    *count = p.count;
    *bytes = p.at;
    return p.entry;
}

// ---- writing ----

static bool put(FILE *file, int64_t offset, const void *data, int64_t bytes) {
    if (bytes == 0) return true;
    return fseeko(file, (off_t)offset, SEEK_SET) == 0 && fwrite(data, 1, (size_t)bytes, file) == (size_t)bytes;
}

bool store_write_head(FILE *file, const struct store_entry *entry, int count) {
    int64_t n = count;
    return put(file, 0, GOLDEN_STORE_MAGIC, 8) && put(file, 8, &n, 8) &&
           put(file, STORE_HEADER, entry, (int64_t)sizeof *entry * count);
}

bool store_write_matrix(FILE *file, const struct store_entry *e, const struct qmatrix *m) {
    return put(file, e->q, quantize_elements(m), e->rows * e->k * quantize_bytes(m->format)) &&
           put(file, e->row_scale, m->row_scale, e->rows * 4) &&
           put(file, e->group_scale, m->group_scale, e->rows * e->groups) &&
           put(file, e->group_offset, m->group_offset, m->group_offset ? e->rows * e->groups : 0);
}

bool store_write_bias(FILE *file, const struct store_entry *e, const float *bias) {
    return put(file, e->bias, bias, e->bias ? e->rows * 4 : 0);
}

bool store_write_floats(FILE *file, const struct store_entry *e, const float *f) {
    return put(file, e->f32, f, e->rows * e->k * 4);
}

// ---- reading ----

// Maps the file. Returns NULL, or the reason why it cannot be mapped.
static const char *map_file(struct store *s, const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY);
    const char *why = fd < 0 || fstat(fd, &st) ? strerror(errno) : st.st_size < STORE_HEADER ? "truncated" : NULL;
    if (!why) {
        s->size = (size_t)st.st_size;
        void *map = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) why = strerror(errno);
        else s->data = map;
    }
    if (fd >= 0) close(fd);
    return why;
}

// Checks the head and the size of the mapped file. The design determines everything in the file except the values, so
// the head must be equal to the head that `rill pack` would write now. Returns NULL, or what is wrong.
static const char *check_file(const struct store *s, int64_t bytes) {
    int64_t stored;
    memcpy(&stored, s->data + 8, 8);
    if (memcmp(s->data, GOLDEN_STORE_MAGIC, 8)) return "no golden weights of this version";
    size_t head = sizeof *s->entry * (size_t)s->count;
    if (stored != s->count || s->size - STORE_HEADER < head || memcmp(s->data + STORE_HEADER, s->entry, head))
        return "made for another design";
    return s->size < (size_t)bytes ? "truncated" : s->size > (size_t)bytes ? "longer than it should be" : NULL;
}

bool store_open(struct store *s, struct arena *arena, const struct ir *ir, const char *image_dir, struct diag *diag) {
    const char *path = arena_printf(arena, "%s/%s", image_dir, GOLDEN_STORE_FILE);
    memset(s, 0, sizeof *s);
    int64_t bytes;
    s->entry = store_plan(arena, ir, &s->count, &bytes);
    const char *why = map_file(s, path);
    if (!why) why = check_file(s, bytes);
    if (!why) return true;
    diag_error(diag, loc_file(arena, path), MSG_GOLDEN_WEIGHTS, why);
    diag_note(diag, loc_none(), "`rill pack` writes them (%lld bytes for this design)", (long long)bytes);
    store_close(s);
    return false;
}

void store_close(struct store *s) {
    if (s->data) munmap((void *)s->data, s->size);
    s->data = NULL;
}

const struct store_entry *store_find(const struct store *s, int node, int64_t repetition) {
    for (int i = 0; i < s->count; i++)
        if (s->entry[i].node == node && s->entry[i].repetition == repetition) return &s->entry[i];
    return NULL;
}
