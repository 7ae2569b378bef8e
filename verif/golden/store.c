// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/ops.h"
#include "layout.h"

enum { STORE_ALIGN = 64, STORE_HEADER = 16 };

static int64_t place(int64_t *at, int64_t bytes) {
    int64_t here = layout_div_up(*at, STORE_ALIGN) * STORE_ALIGN;
    *at = here + bytes;
    return here;
}

static void plan_matrix(struct store_entry *e, int64_t *at, int64_t rows, int64_t k, bool int4, int64_t group, bool has_bias) {
    e->format = int4 ? QFORMAT_INT4 : QFORMAT_INT8;
    e->rows = rows;
    e->k = k;
    e->group = int4 ? group : 0;
    e->groups = int4 ? layout_div_up(k, group) : 0;
    e->q = place(at, rows * k);
    e->row_scale = place(at, rows * 4);
    e->group_scale = int4 ? place(at, rows * e->groups) : 0;
    e->bias = has_bias ? place(at, rows * 4) : 0;
}

static void plan_floats(struct store_entry *e, int64_t *at, int64_t rows, int64_t k) {
    e->is_float = 1;
    e->rows = rows;
    e->k = k;
    e->f32 = place(at, rows * k * 4);
}

// False for a node without weights.
static bool plan_entry(const struct ir *ir, const struct ir_node *n, struct store_entry *e, int64_t *at) {
    const struct ir_attrs *a = &n->attrs;
    bool int4 = !strcmp(ir_attr_string(a, n->op == IR_OP_EMBED ? "format" : "weights", ""), "int4");
    int64_t rows = ir_attr_int(a, "rows", 0), cols = ir_attr_int(a, "cols", 0);
    int64_t in = n->inputs ? ir_tensor_elements(&ir->tensor[n->in[0]]) : 0;
    switch (n->op) {
    case IR_OP_MATMUL: plan_matrix(e, at, rows, in, int4, ir->design.group, ir_attr_find(a, "bias") != NULL); return true;
    case IR_OP_EMBED: plan_matrix(e, at, rows, cols, int4, ir->design.group, false); return true;
    case IR_OP_POSITION: plan_floats(e, at, rows, cols); return true;
    case IR_OP_LAYERNORM: plan_floats(e, at, 2, in); return true;
    case IR_OP_RMSNORM: plan_floats(e, at, 1, in); return true;
    default: return false;
    }
}

struct store_entry *store_plan(struct arena *arena, const struct ir *ir, int *count, int64_t *bytes) {
    int64_t most = 0;
    for (int n = 0; n < ir->nodes; n++) most += ir->region[ir->node[n].region].repeat;
    struct store_entry *entry = ARENA_ARRAY(arena, struct store_entry, (size_t)most + 1);
    *count = 0;
    for (int pass = 0; pass < 2; pass++) { // the arrays begin behind the entries, whose number the first pass finds
        int64_t at = STORE_HEADER + (int64_t)sizeof *entry * *count;
        *count = 0;
        for (int n = 0; n < ir->nodes; n++)
            for (int64_t r = 0; r < ir->region[ir->node[n].region].repeat; r++) {
                struct store_entry e = {.node = n, .repetition = (int32_t)r};
                if (plan_entry(ir, &ir->node[n], &e, &at)) entry[(*count)++] = e;
            }
        *bytes = at;
    }
    return entry;
}

// ---- writing: arrays in order of their places, zeros between ----

static bool put(struct store_writer *w, int64_t offset, const void *data, int64_t bytes) {
    static const char zeros[STORE_ALIGN];
    if (!offset) return true;
    if (offset < w->at || offset - w->at >= STORE_ALIGN) base_fatal("golden store: array at %lld written out of order", (long long)offset);
    size_t gap = (size_t)(offset - w->at);
    w->at = offset + bytes;
    return fwrite(zeros, 1, gap, w->file) == gap && fwrite(data, 1, (size_t)bytes, w->file) == (size_t)bytes;
}

bool store_begin(struct store_writer *w, FILE *file, const struct store_entry *entry, int count) {
    *w = (struct store_writer){.file = file, .entry = entry, .count = count};
    int64_t n = count;
    w->at = STORE_HEADER + (int64_t)sizeof *entry * count;
    return fwrite(GOLDEN_STORE_MAGIC, 1, 8, file) == 8 && fwrite(&n, 8, 1, file) == 1 &&
           fwrite(entry, sizeof *entry, (size_t)count, file) == (size_t)count;
}

bool store_matrix(struct store_writer *w, const struct store_entry *e, const struct qmatrix *m) {
    return put(w, e->q, m->q, e->rows * e->k) && put(w, e->row_scale, m->row_scale, e->rows * 4) &&
           put(w, e->group_scale, m->group_scale, e->rows * e->groups) && put(w, e->bias, m->bias, e->rows * 4);
}

bool store_floats(struct store_writer *w, const struct store_entry *e, const float *f) { return put(w, e->f32, f, e->rows * e->k * 4); }

// ---- reading ----

static bool map_file(struct store *s, const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY);
    bool ok = fd >= 0 && !fstat(fd, &st) && st.st_size >= STORE_HEADER;
    if (ok) {
        s->size = (size_t)st.st_size;
        void *map = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, fd, 0);
        s->data = map == MAP_FAILED ? NULL : map;
    }
    if (fd >= 0) close(fd);
    return ok && s->data;
}

bool store_open(struct store *s, struct arena *arena, const struct ir *ir, const char *image_dir, struct diag *diag) {
    const char *path = arena_printf(arena, "%s/%s", image_dir, GOLDEN_STORE_FILE);
    memset(s, 0, sizeof *s);
    if (!map_file(s, path)) {
        diag_error(diag, loc_file(arena, path), "cannot be read; `rill pack` writes it");
        return false;
    }
    int count;
    int64_t bytes, stored;
    const struct store_entry *want = store_plan(arena, ir, &count, &bytes);
    memcpy(&stored, s->data + 8, 8);
    bool same = !memcmp(s->data, GOLDEN_STORE_MAGIC, 8) && stored == count && s->size == (size_t)bytes &&
                !memcmp(s->data + STORE_HEADER, want, sizeof *want * (size_t)count);
    if (!same) {
        diag_error(diag, loc_file(arena, path), "is truncated or belongs to another design (%zu bytes, %lld expected); pack again", s->size,
                   (long long)bytes);
        store_close(s);
        return false;
    }
    s->entry = want;
    s->count = count;
    return true;
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
