// SPDX-License-Identifier: Apache-2.0
// Loads the oracle's weights (weights.h) from a checkpoint, by the names and slices that the spec gives. In exact mode,
// it quantizes the matrices of products and embeddings.
#include "gen/reference/weights.h"

#include <math.h>
#include <string.h>

#include "gen/reference/calibrate.h"
#include "gen/base/expression.h"

// Gives the value of `layer`, the only name in the expressions of tensor names. Returns false for any other name.
static bool is_layer(void *repetition, const char *name, int64_t *value) {
    *value = *(int64_t *)repetition;
    return !strcmp(name, "layer");
}

const char *oracle_name(struct arena *arena, const char *pattern, int64_t repetition) {
    struct text out = {0};
    struct expression_error error;
    int64_t v = 0;
    while (*pattern) {
        size_t len = strcspn(pattern, "{"), end = strcspn(pattern + len, "}");
        text_add_bytes(&out, pattern, len);
        pattern += len;
        if (!*pattern) break;
        bool ok =
            expression_value(arena, arena_strndup(arena, pattern + 1, end - 1), is_layer, &repetition, &v, &error);
        if (ok) text_addf(&out, "%lld", (long long)v);
        pattern += end + (pattern[end] == '}');
    }
    const char *name = arena_strdup(arena, text_cstr(&out));
    text_free(&out);
    return name;
}

const float *oracle_gain(struct checkpoint *checkpoint, struct arena *arena, const struct oracle_node *n,
                         const char *name, int64_t length, struct diag *diag) {
    // With gamma_plus, the checkpoint stores the gain less this number. So random values are drawn near 0, like a bias.
    bool plus = n->gamma_plus != 0;
    float *v = checkpoint_vector(checkpoint, arena, name, length, 0, 0, plus ? CHECKPOINT_BIAS : CHECKPOINT_GAIN, diag);
    for (int64_t i = 0; v && plus && i < length; i++) v[i] = v[i] + (float)n->gamma_plus;
    return v;
}

// Returns sqrt(cols) rounded to eight significant bits, ties to even (`times: sqrt_cols`).
static float rounded_root(int64_t cols) {
    int exponent;
    double root = sqrt((double)cols), steps = frexp(root, &exponent) * 256;
    return (float)ldexp(nearbyint(steps), exponent - 8);
}

const float *oracle_rows(struct checkpoint *checkpoint, struct arena *arena, const struct oracle_node *n,
                         const struct checkpoint_slice *s, int64_t first, int64_t rows, struct diag *diag) {
    float *m = checkpoint_rows(checkpoint, arena, s, first, rows, diag), by = n->times_root ? rounded_root(n->cols) : 1;
    for (int64_t i = 0; m && n->times_root && i < rows * s->cols; i++) m[i] *= by;
    return m;
}

const float *oracle_matrix(struct checkpoint *checkpoint, struct arena *arena, const struct oracle_node *n,
                           const struct checkpoint_slice *s, struct diag *diag) {
    return oracle_rows(checkpoint, arena, n, s, 0, s->rows, diag);
}

bool oracle_has_matrix(const struct oracle_node *n) {
    return n->op == ORACLE_MATMUL || n->op == ORACLE_EMBED || oracle_is_table(n);
}
enum qformat oracle_format(const struct oracle_node *n) {
    return n->int16 ? QFORMAT_INT16 : n->asym ? QFORMAT_INT4_ASYM : n->int4 ? QFORMAT_INT4 : QFORMAT_INT8;
}
// A group of int4_asym always has 32 columns. A group of int4 has as many as the spec says.
int64_t oracle_group(const struct oracle_graph *g, const struct oracle_node *n) {
    return n->asym ? 32 : n->int4 ? g->group : 0;
}
bool oracle_is_table(const struct oracle_node *n) {
    return n->op == ORACLE_POSITION || n->op == ORACLE_ROPE_TABLE || n->reads_table;
}
bool oracle_has_vectors(const struct oracle_node *n) {
    return n->op == ORACLE_LAYERNORM || n->op == ORACLE_RMSNORM || n->vectors;
}

const float *oracle_vectors(struct checkpoint *checkpoint, struct arena *arena, const struct oracle_node *n,
                            int64_t repetition, int64_t length, struct diag *diag) {
    float *all = ARENA_ARRAY(arena, float, (size_t)(n->vectors * length) + 1);
    for (int v = 0; v < n->vectors; v++) {
        const float *one = checkpoint_vector(checkpoint, arena, oracle_name(arena, n->vector[v], repetition), length, 0,
                                             0, CHECKPOINT_GAIN, diag);
        if (!one) return NULL;
        memcpy(all + v * length, one, (size_t)length * sizeof *all);
    }
    return all;
}

int64_t oracle_vector_length(const struct oracle_graph *g, const struct oracle_node *n) {
    if (n->op == ORACLE_EMBED || oracle_is_table(n)) return n->cols;
    if (n->vectors) return oracle_kernel_vector_length(g, n);
    const struct oracle_tensor *x = &g->tensor.items[n->in[0]];
    if (n->op == ORACLE_MATMUL) return x->extent[x->rank - 1];
    return n->along == NONE ? oracle_elements(x) : x->extent[n->along];
}

// The state of loading weights. scratch: memory for matrices of floats until they are quantized.
struct loader {
    struct arena *arena, scratch;
    const struct oracle_graph *graph;
    enum oracle_mode mode;
    struct checkpoint *checkpoint;
    struct diag *diag;
    VEC(struct loaded) matrices; // loaded so far; several operations may read one
};

// A loaded matrix and the key by which it is found again.
struct loaded {
    const char *key;
    size_t len;
    struct oracle_weights w;
};

static struct checkpoint_slice slice_of(const struct loader *l, const struct oracle_node *n, const char *name) {
    return (struct checkpoint_slice){.name = name,
                                     .rows = n->rows,
                                     .cols = oracle_vector_length(l->graph, n),
                                     .transpose = n->transpose,
                                     .row_offset = n->row_offset,
                                     .is_table = oracle_is_table(n)};
}

// Whether the matrix stays in floating point: every matrix in float mode, and tables in both modes.
static bool keep_floats(const struct loader *l, const struct oracle_node *n) {
    return l->mode == ORACLE_FLOAT || oracle_is_table(n);
}

// Loads a matrix from the checkpoint or computes it, and quantizes matrices that do not stay in floating point. False
// after an error.
static bool load_matrix(struct loader *l, const struct oracle_node *n, const struct checkpoint_slice *s,
                        struct oracle_weights *w) {
    bool floats = keep_floats(l, n);
    struct arena_mark mark = arena_mark(&l->scratch);
    struct arena *arena = floats ? l->arena : &l->scratch;
    const float *m =
        oracle_is_computed(n) ? oracle_computed(arena, n) : oracle_matrix(l->checkpoint, arena, n, s, l->diag);
    if (!m) return false;
    *w = (struct oracle_weights){.rows = s->rows, .k = s->cols};
    if (floats) w->matrix = m;
    else {
        const float *x = statistics_of(l->graph->statistics, s->name, s->rows, s->row_offset, s->cols);
        struct qmatrix q =
            quantize_weighed(l->arena, m, s->rows, s->cols, oracle_format(n), oracle_group(l->graph, n), x);
        w->q = q.q;
        w->q16 = q.q16;
        w->row_scale = q.row_scale;
        w->group_scale = q.group_scale;
        w->group_offset = q.group_offset;
        w->group = q.group;
        w->groups = q.groups;
    }
    arena_release(&l->scratch, mark);
    return true;
}

// Gets a matrix. It is loaded only once for all operations that read the same slice in the same format.
static bool find_matrix(struct loader *l, const struct oracle_node *n, int64_t repetition, struct oracle_weights *w) {
    struct checkpoint_slice s = slice_of(l, n, oracle_name(l->arena, n->weight ? n->weight : "", repetition));
    const char *key =
        arena_printf(l->arena, "%s %lld %lld %d %lld %d %d", s.name, (long long)s.rows, (long long)s.cols, s.transpose,
                     (long long)s.row_offset, keep_floats(l, n) ? QFORMATS : (int)oracle_format(n), n->times_root);
    size_t len = strlen(key);
    for (size_t i = 0; i < l->matrices.count; i++)
        if (l->matrices.items[i].len == len && !strcmp(l->matrices.items[i].key, key))
            return *w = l->matrices.items[i].w, true;
    if (!load_matrix(l, n, &s, w)) return false;
    VEC_PUSH(l->arena, l->matrices, ((struct loaded){key, len, *w}));
    return true;
}

static bool load_vector(struct loader *l, const char *pattern, int64_t repetition, int64_t n, int64_t offset,
                        enum checkpoint_role role, const float **out) {
    if (!pattern) return true;
    *out = checkpoint_vector(l->checkpoint, l->arena, oracle_name(l->arena, pattern, repetition), n, offset, 0, role,
                             l->diag);
    return *out != NULL;
}

// Loads the weights of an operation in one repetition. False after an error.
static bool load_node(struct loader *l, const struct oracle_node *n, int64_t repetition, struct oracle_weights *w) {
    struct checkpoint_slice own = {.rows = n->rows, .cols = n->cols};
    if (oracle_is_computed(n)) return load_matrix(l, n, &own, w);
    if (oracle_has_matrix(n))
        return find_matrix(l, n, repetition, w) &&
               load_vector(l, n->bias, repetition, n->rows, n->row_offset, CHECKPOINT_BIAS, &w->bias);
    w->k = oracle_vector_length(l->graph, n);
    if (n->vectors) {
        w->vectors = oracle_vectors(l->checkpoint, l->arena, n, repetition, w->k, l->diag);
        return w->vectors;
    }
    w->gamma = oracle_gain(l->checkpoint, l->arena, n, oracle_name(l->arena, n->gamma, repetition), w->k, l->diag);
    return w->gamma && load_vector(l, n->beta, repetition, w->k, 0, CHECKPOINT_BIAS, &w->beta);
}

// Fills all[node] for every operation that has weights and whose result an output needs. False after an error.
static bool load_all(struct loader *l, const struct oracle_weights **all) {
    const struct oracle_graph *g = l->graph;
    for (size_t i = 0; i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        if (!g->tensor.items[n->out[0]].needed || (!oracle_has_matrix(n) && !oracle_has_vectors(n))) continue;
        int64_t repeat = g->region.items[n->region].repeat;
        struct oracle_weights *w = ARENA_ARRAY(l->arena, struct oracle_weights, (size_t)repeat);
        for (int64_t r = 0; r < repeat; r++)
            if (!load_node(l, n, r, &w[r])) return false;
        all[i] = w;
    }
    return true;
}

const struct oracle_weights **oracle_weights_load(struct arena *arena, const struct oracle_graph *g,
                                                  enum oracle_mode mode, struct checkpoint *checkpoint,
                                                  struct diag *diag) {
    struct loader l = {.arena = arena, .graph = g, .mode = mode, .checkpoint = checkpoint, .diag = diag};
    const struct oracle_weights **all = ARENA_ARRAY(arena, const struct oracle_weights *, g->node.count + 1);
    arena_init(&l.scratch);
    checkpoint_set_names(checkpoint, g->prefix, g->unused.items, g->unused.count);
    bool ok = load_all(&l, all);
    arena_free(&l.scratch);
    return ok ? all : NULL;
}
