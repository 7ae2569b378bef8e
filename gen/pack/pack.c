// SPDX-License-Identifier: Apache-2.0
// Reads every weight of a design once, quantizes it, and hands it to the golden store and to the memory image.
#include <errno.h>
#include <string.h>

#include "../../verif/golden/ops.h"
#include "../../verif/golden/store.h"
#include "checkpoint.h"
#include "image.h"
#include "ops.h"
#include "pack.h"

struct packer {
    const struct ir *ir;
    struct arena *arena;
    struct diag *diag;
    struct checkpoint *checkpoint;
    struct store_writer store;
    struct image image; // image.file[0] NULL: golden weights only
};

// `{layer}` in a tensor's name is the repetition.
static const char *tensor_name(struct arena *arena, const char *pattern, int64_t repetition) {
    const char *mark = strstr(pattern, "{layer}");
    if (!mark) return pattern;
    return arena_printf(arena, "%.*s%lld%s", (int)(mark - pattern), pattern, (long long)repetition, mark + strlen("{layer}"));
}

static const char *attr_name(const struct packer *p, const struct store_entry *e, const char *key) {
    return tensor_name(p->arena, ir_attr_string(&p->ir->node[e->node].attrs, key, ""), e->repetition);
}

static bool read_matrix(struct packer *p, const struct store_entry *e, struct qmatrix *m) {
    const struct ir_attrs *a = &p->ir->node[e->node].attrs;
    struct checkpoint_slice slice = {.name = attr_name(p, e, "weight"), .rows = e->rows, .cols = e->k, .transpose = ir_attr_int(a, "transpose", 0) != 0,
                                     .row_offset = ir_attr_int(a, "row_offset", 0)};
    const float *w = checkpoint_matrix(p->checkpoint, p->arena, &slice, p->diag);
    if (!w) return false;
    *m = quantize_matrix(p->arena, w, e->rows, e->k, (enum qformat)e->format, e->group);
    if (e->bias)
        m->bias = checkpoint_vector(p->checkpoint, p->arena, attr_name(p, e, "bias"), e->rows, slice.row_offset, 0, CHECKPOINT_BIAS, p->diag);
    return !e->bias || m->bias;
}

static const float *read_table(struct packer *p, const struct store_entry *e) {
    struct checkpoint_slice slice = {.name = attr_name(p, e, "weight"), .rows = e->rows, .cols = e->k};
    return checkpoint_matrix(p->checkpoint, p->arena, &slice, p->diag);
}

// Gain and, for a layernorm, offset, as rows.
static const float *read_norm(struct packer *p, const struct store_entry *e) {
    float *both = ARENA_ARRAY(p->arena, float, (size_t)(e->rows * e->k));
    const float *gamma = checkpoint_vector(p->checkpoint, p->arena, attr_name(p, e, "gamma"), e->k, 0, 0, CHECKPOINT_GAIN, p->diag);
    const float *beta = e->rows > 1 && gamma ? checkpoint_vector(p->checkpoint, p->arena, attr_name(p, e, "beta"), e->k, 0, 0, CHECKPOINT_BIAS, p->diag) : gamma;
    if (!gamma || !beta) return NULL;
    memcpy(both, gamma, sizeof(float) * (size_t)e->k);
    if (e->rows > 1) memcpy(both + e->k, beta, sizeof(float) * (size_t)e->k);
    return both;
}

static bool written(struct packer *p, bool ok) {
    if (!ok && !p->image.out->error) diag_error(p->diag, loc_none(), "%s: cannot be written: %s", GOLDEN_STORE_FILE, strerror(errno));
    return ok;
}

static bool pack_entry(struct packer *p, const struct store_entry *e) {
    if (!e->is_float) {
        struct qmatrix m;
        return read_matrix(p, e, &m) && written(p, store_matrix(&p->store, e, &m)) && image_matrix(&p->image, e, &m, p->diag);
    }
    const float *f = p->ir->node[e->node].op == IR_OP_POSITION ? read_table(p, e) : read_norm(p, e);
    return f && written(p, store_floats(&p->store, e, f)) && image_floats(&p->image, e, f, p->diag);
}

static bool pack_entries(struct packer *p, const struct store_entry *entry, int count) {
    bool ok = written(p, store_begin(&p->store, p->store.file, entry, count));
    for (int i = 0; ok && i < count; i++) {
        struct arena_mark mark = arena_mark(p->arena);
        ok = pack_entry(p, &entry[i]);
        arena_release(p->arena, mark);
    }
    return ok && checkpoint_check_coverage(p->checkpoint, p->diag);
}

static bool pack(const struct ir *ir, const char *source, struct output *out, struct diag *diag, bool with_image) {
    struct arena scratch;
    arena_init(&scratch);
    struct packer p = {.ir = ir, .arena = &scratch, .diag = diag};
    p.image = (struct image){.ir = ir, .out = out, .arena = ir->arena, .scratch = &scratch};
    int count;
    int64_t bytes;
    const struct store_entry *entry = store_plan(ir->arena, ir, &count, &bytes);
    p.checkpoint = checkpoint_open(ir->arena, source, diag);
    p.store.file = p.checkpoint ? output_open(out, "image/" GOLDEN_STORE_FILE) : NULL;
    bool ok = p.store.file && (!with_image || image_open(&p.image)) && pack_entries(&p, entry, count);
    if (ok && with_image) ok = image_finish(&p.image, source, checkpoint_dir(p.checkpoint), diag);
    if (out->error && !diag_failed(diag)) diag_error(diag, loc_none(), "%s", out->error);
    checkpoint_close(p.checkpoint);
    arena_free(&scratch);
    return ok;
}

bool pack_image(const struct ir *ir, const char *source, struct output *out, struct diag *diag) { return pack(ir, source, out, diag, true); }
bool pack_golden(const struct ir *ir, const char *source, struct output *out, struct diag *diag) { return pack(ir, source, out, diag, false); }
