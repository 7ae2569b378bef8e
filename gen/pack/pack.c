// SPDX-License-Identifier: Apache-2.0
// Reads every weight of a design once, quantizes it, and passes it to the golden store and to the memory image.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "gen/pack/golden_store.h"
#include "gen/reference/calibrate.h"
#include "gen/model/checkpoint.h"
#include "gen/pack/image.h"
#include "gen/kernel/kernel.h"
#include "gen/reference/oracle.h"
#include "gen/ir/ops.h"
#include "gen/pack/pack.h"

struct packer {
    const struct ir *ir;
    struct arena *arena; // scratch, released after each matrix
    struct diag *diag;
    struct checkpoint *checkpoint;
    const struct statistics *statistics; // or NULL
    FILE *store;                         // file of the golden weights
    struct image image;
    const struct store_entry *entry;  // entries of the golden weights
    int count;                        // number of entries
    VEC(struct oracle_stored) stored; // the quantized matrices in the file of the golden weights, for the oracle
};

static const char *tensor_name(const struct packer *p, const struct store_entry *e, const char *key) {
    return store_tensor_name(p->arena, &p->ir->node[e->node], key, e->repetition);
}

static int64_t attr_int(const struct packer *p, const struct store_entry *e, const char *key) {
    return ir_attr_int(&p->ir->node[e->node].attrs, key, 0);
}

// Reports an error of writing the golden weights, with errno, if `ok` is false. Returns `ok`.
static bool written(struct packer *p, bool ok) {
    if (!ok)
        diag_error(p->diag, loc_none(), MSG_IMAGE_FILE_UNWRITABLE, p->image.out->dir, GOLDEN_STORE_FILE,
                   strerror(errno));
    return ok;
}

// ---- matrices: read and quantized once for all nodes that use them ----

// Returns the square root of `n` rounded to bf16 (8 bits of precision), to nearest even. An embedding with
// `times: sqrt_cols` is multiplied by it.
static float root_bf16(int64_t n) {
    float root = (float)sqrt((double)n);
    uint32_t bits;
    memcpy(&bits, &root, sizeof bits);
    bits += 0x7fff + (bits >> 16 & 1);
    bits &= 0xffff0000;
    memcpy(&root, &bits, sizeof bits);
    return root;
}

static void multiply(float *w, int64_t n, float by) {
    for (int64_t i = 0; i < n; i++) w[i] *= by;
}

// Reads and quantizes `rows` rows of a matrix from row `first` on, and puts them into `m`. A matrix is read in such
// pieces, because a whole matrix of floats may not fit into memory. x: per column, the mean square of the activations
// that are multiplied with the column, or NULL. content: gets the rows added, so that the oracle can recognize the
// matrix.
static bool read_piece(struct packer *p, const struct store_entry *e, const struct checkpoint_slice *slice,
                       int64_t first, int64_t rows, const float *x, struct qmatrix *m, struct oracle_content *content) {
    struct arena_mark mark = arena_mark(p->arena);
    float *w = checkpoint_rows(p->checkpoint, p->arena, slice, first, rows, p->diag);
    if (!w) return false;
    if (ir_attr_find(&p->ir->node[e->node].attrs, "times")) multiply(w, rows * e->k, root_bf16(e->k));
    oracle_content_add(content, w, rows);
    struct qmatrix piece = quantize_weighed(p->arena, w, rows, e->k, (enum qformat)e->format, e->group, x);
    quantize_place(m, first, &piece);
    arena_release(p->arena, mark);
    return true;
}

// Reads and quantizes the matrix of an entry into scratch memory, and adds the matrix to `stored` for the oracle.
static bool read_matrix(struct packer *p, const struct store_entry *e, struct qmatrix *m) {
    struct checkpoint_slice slice = {.name = tensor_name(p, e, "weight"),
                                     .rows = e->rows,
                                     .cols = e->k,
                                     .transpose = attr_int(p, e, "transpose") != 0,
                                     .row_offset = attr_int(p, e, "row_offset")};
    const float *x = statistics_of(p->statistics, slice.name, e->rows, slice.row_offset, e->k);
    struct oracle_content content = oracle_content_of(e->rows, e->k, (enum qformat)e->format, e->group);
    int64_t piece = checkpoint_piece(&slice);
    *m = quantize_room(p->arena, e->rows, e->k, (enum qformat)e->format, e->group);
    for (int64_t first = 0; first < e->rows; first += piece)
        if (!read_piece(p, e, &slice, first, e->rows - first < piece ? e->rows - first : piece, x, m, &content))
            return false;
    oracle_content_weigh(&content, x);
    VEC_PUSH(p->ir->arena, p->stored,
             ((struct oracle_stored){content, e->q, e->row_scale, e->group_scale, e->group_offset}));
    return true;
}

// Sets m->bias to the entry's bias, or to NULL if it has none. Returns false after an error.
static bool read_bias(struct packer *p, const struct store_entry *e, struct qmatrix *m) {
    m->bias = NULL;
    if (!e->bias) return true;
    m->bias = checkpoint_vector(p->checkpoint, p->arena, tensor_name(p, e, "bias"), e->rows,
                                attr_int(p, e, "row_offset"), 0, CHECKPOINT_BIAS, p->diag);
    return m->bias != NULL;
}

// Reads and quantizes the matrix of entry `owner`, and writes it for all entries that share it. Each of these entries
// has its own bias.
static bool pack_matrix(struct packer *p, int owner) {
    struct qmatrix m;
    if (!read_matrix(p, &p->entry[owner], &m) || !written(p, store_write_matrix(p->store, &p->entry[owner], &m)))
        return false;
    for (int i = owner; i < p->count; i++) {
        const struct store_entry *e = &p->entry[i];
        if (e->owner != owner) continue;
        if (!read_bias(p, e, &m) || !written(p, store_write_bias(p->store, e, m.bias)) ||
            !image_matrix(&p->image, e, &m, p->diag))
            return false;
    }
    return true;
}

// ---- tables and norms ----

static const float *read_table(struct packer *p, const struct store_entry *e) {
    struct checkpoint_slice slice = {
        .name = tensor_name(p, e, "weight"), .rows = e->rows, .cols = e->k, .is_table = true};
    return checkpoint_matrix(p->checkpoint, p->arena, &slice, p->diag);
}

// Returns the vector parameters of a node, one per row: the gain of a norm and the offset of a layernorm, or the
// vectors of a custom kernel. The role CHECKPOINT_GAIN only matters for random weights, where gains are drawn around 1.
// A model with `gamma_plus` stores gains from which this number has been subtracted. So its random gains are drawn
// around 0, and the number is added here. Returns NULL after an error.
static const float *read_norm(struct packer *p, const struct store_entry *e) {
    const struct ir_node *node = &p->ir->node[e->node];
    float *all = ARENA_ARRAY(p->arena, float, (size_t)(e->rows * e->k)),
          plus = node->op < IR_OPS ? (float)ir_attr_float(&node->attrs, "gamma_plus", 0) : 0;
    for (int64_t v = 0; v < e->rows; v++) {
        bool gain = plus == 0 && (v == 0 || node->op >= IR_OPS);
        const char *name = tensor_name(p, e, ir_param_name(p->ir, node, (int)v));
        const float *one = checkpoint_vector(p->checkpoint, p->arena, name, e->k, 0, e->k,
                                             gain ? CHECKPOINT_GAIN : CHECKPOINT_BIAS, p->diag);
        if (!one) return NULL;
        memcpy(all + v * e->k, one, sizeof(float) * (size_t)e->k);
    }
    for (int64_t i = 0; plus != 0 && i < e->k; i++) all[i] += plus;
    return all;
}

// Computes a table that no checkpoint has, such as the angles of rotary embedding.
static const float *compute_table(struct packer *p, const struct store_entry *e) {
    const struct ir_node *node = &p->ir->node[e->node];
    float *table = ARENA_ARRAY(p->arena, float, (size_t)(e->rows * e->k));
    kernel_of_op(p->ir, node->op)->compute(node, e->rows, e->k, table);
    return table;
}

// Returns the fp32 values of a table or of vector parameters in scratch memory, or NULL after an error.
static const float *floats_of(struct packer *p, const struct store_entry *e) {
    switch (ir_op_weights(p->ir, p->ir->node[e->node].op)) {
    case IR_WEIGHTS_TABLE: return read_table(p, e);
    case IR_WEIGHTS_COMPUTED: return compute_table(p, e);
    default: return read_norm(p, e);
    }
}

static bool pack_floats(struct packer *p, const struct store_entry *e) {
    const float *f = floats_of(p, e);
    return f && written(p, store_write_floats(p->store, e, f)) && image_floats(&p->image, e, f, p->diag);
}

// ---- everything ----

static void show_progress(const struct packer *p, int done) {
    if (p->ir->design.is_lm && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%d of %d tensors packed%s", done, p->count, done == p->count ? "\n" : "");
}

static bool pack_entries(struct packer *p) {
    bool ok = written(p, store_write_head(p->store, p->entry, p->count));
    for (int i = 0; ok && i < p->count; i++) {
        struct arena_mark mark = arena_mark(p->arena);
        if (p->entry[i].is_float) ok = pack_floats(p, &p->entry[i]);
        else if (p->entry[i].owner == i) ok = pack_matrix(p, i);
        arena_release(p->arena, mark);
        show_progress(p, i + 1);
    }
    return ok && checkpoint_check_coverage(p->checkpoint, p->diag);
}

// Stores the weights and settings that the oracle needs. The oracle reads the text of the spec, independently of the
// IR.
static bool pack_oracle(struct packer *p) {
    if (!p->ir->spec) return true; // a dump of an older version, without the spec's text
    struct oracle_graph *g = oracle_read_text(p->arena, p->ir->name, p->ir->spec, p->ir->family, p->diag);
    FILE *file = g ? output_open(p->image.out, "image/" ORACLE_IMAGE_FILE) : NULL;
    if (g) oracle_use_statistics(g, p->statistics);
    if (!file) return false;
    if (oracle_pack(p->arena, g, p->checkpoint, p->stored.items, p->stored.count, file, p->diag)) return true;
    if (!diag_failed(p->diag))
        diag_error(p->diag, loc_none(), MSG_IMAGE_FILE_UNWRITABLE, p->image.out->dir, ORACLE_IMAGE_FILE,
                   strerror(errno));
    return false;
}

// Checks the checkpoint against the spec and writes the golden weights. with_image: also writes the channels' files,
// the oracle's weights, the manifest and the tokenizer.
static bool pack_with(struct packer *p, const char *source, bool with_image) {
    struct output *out = p->image.out;
    const char *dir = checkpoint_dir(p->checkpoint);
    if (dir && !(pack_check_config(p->ir, dir, p->diag) && pack_check_tokenizer(p->ir, dir, p->diag))) return false;
    p->store = output_open(out, "image/" GOLDEN_STORE_FILE);
    bool ok = p->store && (!with_image || image_open(&p->image)) && pack_entries(p);
    p->image.golden = p->store;
    if (ok && with_image) ok = pack_oracle(p) && image_finish(&p->image, source, dir, p->diag);
    if (out->error && !diag_failed(p->diag)) diag_error_text(p->diag, loc_none(), out->error);
    return ok;
}

// Opens the checkpoint, packs the weights and closes the checkpoint. with_image: as for pack_with.
static bool pack(const struct ir *ir, const char *source, const struct statistics *statistics, struct output *out,
                 struct diag *diag, bool with_image) {
    struct arena scratch;
    struct packer p = {.ir = ir, .arena = &scratch, .diag = diag, .statistics = statistics};
    int64_t bytes;
    arena_init(&scratch);
    p.image = (struct image){.ir = ir, .out = out, .arena = ir->arena, .scratch = &scratch};
    if (statistics) p.image.calibration = statistics_about(statistics, ir->arena);
    p.entry = store_plan(ir->arena, ir, &p.count, &bytes);
    p.checkpoint = pack_open_checkpoint(ir, source, diag);
    if (p.checkpoint) checkpoint_set_names(p.checkpoint, ir->prefix, ir->unused, (size_t)ir->unuseds);
    bool ok = p.checkpoint && pack_with(&p, source, with_image);
    checkpoint_close(p.checkpoint);
    arena_free(&scratch);
    return ok;
}

bool pack_image_by(const struct ir *ir, const char *source, const struct statistics *statistics, struct output *out,
                   struct diag *diag) {
    return pack(ir, source, statistics, out, diag, true);
}
bool pack_golden(const struct ir *ir, const char *source, struct output *out, struct diag *diag) {
    return pack(ir, source, NULL, out, diag, false);
}
