// SPDX-License-Identifier: Apache-2.0
// The oracle's interpreter: runs the graph of a spec as a program. At every position it runs the regions in order, each
// as often as it repeats, and passes the carried values from one repetition to the next. exact.c and float.c compute
// the operations.
#include "gen/reference/execute.h"

#include <string.h>

// ---- memory ----

// Allocates the elements of a value, in the types that its kind and the mode need, and the cache of keys or values.
static void make_slot(struct oracle *o, const struct oracle_tensor *t, struct slot *s) {
    size_t n = (size_t)oracle_elements(t);
    struct oracle_value *v = &s->v;
    v->kind = t->kind;
    v->cols = t->rank ? t->extent[t->rank - 1] : 1;
    v->rows = (int64_t)n / v->cols;
    v->block = t->kind == ORACLE_MX ? t->block : 0;
    v->blocks = t->kind == ORACLE_MX ? (v->cols + v->block - 1) / v->block : 0;
    bool exact = o->mode == ORACLE_EXACT;
    if (t->kind == ORACLE_F32 || (!exact && t->kind != ORACLE_INT8)) v->f32 = ARENA_ARRAY(o->arena, float, n);
    if (exact && t->kind == ORACLE_MX) v->mx = ARENA_ARRAY(o->arena, int16_t, n);
    if (t->kind == ORACLE_INT8 || (exact && t->kind == ORACLE_KV)) v->q = ARENA_ARRAY(o->arena, int8_t, n);
    if (exact && t->kind == ORACLE_ACC) v->acc = ARENA_ARRAY(o->arena, int128, n);
    if (exact && t->kind == ORACLE_MX) v->shift = ARENA_ARRAY(o->arena, uint8_t, (size_t)(v->rows * v->blocks));
    if (exact && t->kind == ORACLE_KV) v->scale = ARENA_ARRAY(o->arena, float, (size_t)v->rows);
    if (t->kind != ORACLE_KV) return;
    size_t positions = (size_t)o->positions;
    if (exact) {
        s->cache.q = ARENA_ARRAY(o->arena, int8_t, positions * n);
        s->cache.scale = ARENA_ARRAY(o->arena, float, positions *(size_t)v->rows);
    } else s->cache.f32 = ARENA_ARRAY(o->arena, float, positions *n);
}

static int64_t repeats(const struct oracle_graph *g, const struct oracle_tensor *t) {
    return t->region == NONE ? 1 : g->region.items[t->region].repeat;
}

// Whether the oracle computes the tensor: an output depends on it, and no custom kernel without a golden function is
// involved.
static bool is_evaluated(const struct oracle_tensor *t) { return t->needed && !t->unknown; }

// Allocates a value for each tensor and repetition. A carried tensor gets no separate value: it refers to the value
// that it carries.
static void make_slots(struct oracle *o) {
    const struct oracle_graph *g = o->graph;
    o->slot = ARENA_ARRAY(o->arena, struct slot *, g->tensor.count + 1);
    o->meaning = ARENA_ARRAY(o->arena, struct slot *, g->tensor.count + 1);
    o->carried = ARENA_ARRAY(o->arena, struct slot **, g->tensor.count + 1);
    for (size_t i = 0; i < g->tensor.count; i++) {
        const struct oracle_tensor *t = &g->tensor.items[i];
        size_t repeat = (size_t)repeats(g, t);
        if (!is_evaluated(t)) continue;
        if (t->carry != NONE) {
            o->carried[i] = ARENA_ARRAY(o->arena, struct slot *, repeat + 1);
            continue;
        }
        o->slot[i] = ARENA_ARRAY(o->arena, struct slot, repeat);
        for (size_t r = 0; r < repeat; r++) make_slot(o, t, &o->slot[i][r]);
    }
}

// Allocates the scratch memory. `line` is twice as long as the others, because oracle_each_line and products use two
// lines at once.
static void make_scratch(struct oracle *o) {
    size_t most = (size_t)o->graph->context;
    for (size_t i = 0; i < o->graph->tensor.count; i++) {
        size_t n = (size_t)oracle_elements(&o->graph->tensor.items[i]);
        most = n > most ? n : most;
    }
    o->scratch.sum = ARENA_ARRAY(o->arena, int32_t, most);
    o->scratch.line = ARENA_ARRAY(o->arena, float, 2 * most);
    o->scratch.kscale = ARENA_ARRAY(o->arena, float, most);
    o->scratch.vscale = ARENA_ARRAY(o->arena, float, most);
}

// ---- opening ----

// Opens a library for each operation of the kernel, because each operation needs separate static variables.
static bool open_kernel(struct oracle *o, int kernel, struct diag *diag) {
    const struct oracle_graph *g = o->graph;
    const struct oracle_kernel *k = &g->kernel.items[kernel];
    const char **operation = ARENA_ARRAY(o->arena, const char *, g->node.count + 1);
    struct golden_library **library = ARENA_ARRAY(o->arena, struct golden_library *, g->node.count + 1);
    struct golden_source source = {k->name, k->file, k->text, k->function};
    int count = 0;
    for (size_t i = 0; i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        if (n->op != ORACLE_OPS + kernel || !is_evaluated(&g->tensor.items[n->out[0]])) continue;
        operation[count] = g->tensor.items[n->out[0]].name;
        library[count++] = &o->library[i];
    }
    return !count || golden_library_open(o->arena, &source, operation, count, library, diag);
}

static bool open_libraries(struct oracle *o, struct diag *diag) {
    const struct oracle_graph *g = o->graph;
    o->library = ARENA_ARRAY(o->arena, struct golden_library, g->node.count + 1);
    for (size_t k = 0; k < g->kernel.count; k++)
        if (!open_kernel(o, (int)k, diag)) return false;
    return true;
}

static struct oracle *open_run(struct arena *arena, const struct oracle_graph *g, enum oracle_mode mode) {
    struct oracle *o = ARENA_NEW(arena, struct oracle);
    *o = (struct oracle){.arena = arena, .graph = g, .mode = mode, .positions = g->context};
    return o;
}

// Completes an oracle whose weights are set. If they are NULL or a library does not open, closes it and returns NULL.
static struct oracle *opened(struct oracle *o, struct diag *diag) {
    if (o->weights && open_libraries(o, diag)) {
        make_slots(o);
        make_scratch(o);
        return o;
    }
    oracle_close(o);
    return NULL;
}

struct oracle *oracle_open(struct arena *arena, const struct oracle_graph *g, enum oracle_mode mode,
                           struct checkpoint *checkpoint, struct diag *diag) {
    return oracle_open_short(arena, g, mode, checkpoint, g->context, diag);
}

struct oracle *oracle_open_short(struct arena *arena, const struct oracle_graph *g, enum oracle_mode mode,
                                 struct checkpoint *checkpoint, int64_t positions, struct diag *diag) {
    struct oracle *o = open_run(arena, g, mode);
    o->positions = positions;
    o->weights = oracle_weights_load(arena, g, mode, checkpoint, diag);
    return opened(o, diag);
}

struct oracle *oracle_open_image(struct arena *arena, const struct oracle_graph *g, const char *image_dir,
                                 struct diag *diag) {
    struct oracle *o = open_run(arena, g, ORACLE_EXACT);
    o->weights = oracle_weights_map(arena, g, image_dir, &o->map, diag);
    return opened(o, diag);
}

struct oracle *oracle_open_beside(struct arena *arena, const struct oracle *first, struct diag *diag) {
    struct oracle *o = open_run(arena, first->graph, first->mode);
    o->weights = first->weights;
    o->positions = first->positions;
    return opened(o, diag);
}

void oracle_close(struct oracle *o) {
    if (!o) return;
    for (size_t i = 0; o->library && i < o->graph->node.count; i++) golden_library_close(&o->library[i]);
    oracle_weights_unmap(&o->map);
}

// ---- one position ----

// If an operation has raised a fault, notes the kind and the place of the fault and returns false.
static bool note_fault(struct oracle *o, const struct oracle_node *n, int64_t repetition) {
    static const char *const kinds[] = {"none",
                                        "a value that is not finite",
                                        "a function outside its domain",
                                        "an integer too large",
                                        "a block exponent above its range",
                                        "a fault that the golden function of a custom kernel raised"};
    if (!o->fault.raised) return true;
    o->fault_text = arena_printf(o->arena, "%s in `%s`, repetition %lld, position %lld", kinds[o->fault.kind],
                                 o->graph->tensor.items[n->out[0]].name, (long long)repetition, (long long)o->position);
    return false;
}

// Starts a tensor's value at this position. Rows that grow have a column for each position up to this one.
static struct slot *begin_value(struct oracle *o, int tensor, int64_t repetition) {
    const struct oracle_tensor *t = &o->graph->tensor.items[tensor];
    struct slot *s = &o->slot[tensor][repetition];
    s->made = o->stamp;
    if (!t->grows) return s;
    s->v.cols = o->position + 1;
    if (t->kind == ORACLE_MX) s->v.blocks = (s->v.cols + s->v.block - 1) / s->v.block;
    return s;
}

static struct step begin_node(struct oracle *o, int node, int64_t repetition) {
    const struct oracle_node *n = &o->graph->node.items[node];
    struct step s = {.run = o, .node = n, .repetition = repetition, .position = o->position, .fault = &o->fault};
    for (int i = 0; i < n->inputs; i++) s.in[i] = o->meaning[n->in[i]];
    for (int i = 0; i < n->outputs; i++) s.out[i] = begin_value(o, n->out[i], repetition);
    s.w = o->weights[node] ? &o->weights[node][repetition] : NULL;
    return s;
}

// Runs a node in `count` evaluations. Only products run in all of them together, to read the weights once.
static bool run_node(struct oracle *const o[], int count, int node, int64_t repetition) {
    const struct oracle_node *n = &o[0]->graph->node.items[node];
    struct step s[ORACLE_MOST_LANES];
    bool ok = true, exact = o[0]->mode == ORACLE_EXACT, products = n->op == ORACLE_MATMUL;
    if (!is_evaluated(&o[0]->graph->tensor.items[n->out[0]])) return true;
    for (int i = 0; i < count; i++) s[i] = begin_node(o[i], node, repetition);
    for (int i = 0; i < count && products && o[i]->squares; i++) oracle_add_squares(&s[i]);
    if (products) (exact ? oracle_exact_products : oracle_float_products)(s, count);
    for (int i = 0; i < count; i++) {
        if (!products) (exact ? oracle_exact : oracle_float)(&s[i]);
        for (int k = 0; k < n->outputs; k++) o[i]->meaning[n->out[k]] = s[i].out[k];
        ok = note_fault(o[i], n, repetition) && ok;
    }
    return ok;
}

// Sets the values of a region's carried names for a repetition, or for the time after the region (repetition = repeat).
// All new values are read before any name changes, because the next value of one name may be another carried name.
static void carry(struct oracle *o, const struct oracle_region *g, int64_t repetition) {
    struct slot *next[ORACLE_PORTS];
    for (int c = 0; c < g->carries; c++) next[c] = o->meaning[repetition ? g->carry[c].next : g->carry[c].init];
    for (int c = 0; c < g->carries; c++) {
        int local = g->carry[c].local;
        o->meaning[local] = next[c];
        if (o->carried[local]) o->carried[local][repetition] = next[c];
    }
}

static bool run_region(struct oracle *const o[], int count, const struct oracle_region *g) {
    for (int64_t r = 0; r < g->repeat; r++) {
        for (int i = 0; i < count; i++) carry(o[i], g, r);
        for (int n = g->first_node; n < g->first_node + g->nodes; n++)
            if (!run_node(o, count, n, r)) return false;
    }
    for (int i = 0; i < count; i++) carry(o[i], g, g->repeat);
    return true;
}

static void set_inputs(struct oracle *o, uint32_t id, const float *const row[]) {
    for (int i = 0; i < o->graph->inputs; i++) {
        int t = o->graph->input[i];
        if (!o->slot[t]) continue;
        struct slot *s = begin_value(o, t, 0);
        s->v.id = id;
        if (s->v.kind == ORACLE_F32) memcpy(s->v.f32, row[i], sizeof(float) * (size_t)oracle_count(&s->v));
        o->meaning[t] = s;
    }
}

void oracle_sample(struct oracle *o, const struct sampling *s) { o->sampling = *s; }

// Begins a position. Returns false if an earlier position of the request raised a fault.
static bool begin_position(struct oracle *o, uint32_t id, const float *const row[], int64_t position) {
    if (position < 0 || position >= o->positions) base_fatal("oracle: position %lld", (long long)position);
    if (position == 0) o->fault = (struct golden_fault){0}, o->fault_text = NULL;
    if (o->fault.raised) return false;
    o->stamp++;
    o->position = position;
    set_inputs(o, id, row);
    return true;
}

// Runs the regions at the current position in `count` evaluations. last: also runs regions with `when: last`. False: an
// operation raised a fault.
static bool run_regions(struct oracle *const o[], int count, bool last) {
    const struct oracle_graph *g = o[0]->graph;
    for (size_t r = 0; r < g->region.count; r++)
        if ((!g->region.items[r].last || last) && !run_region(o, count, &g->region.items[r])) return false;
    for (int i = 0; i < count && g->is_lm && last; i++) {
        const struct slot *next = o[i]->meaning[g->output[0]];
        if (next) o[i]->next_id = next->v.id;
    }
    return true;
}

bool oracle_step(struct oracle *o, uint32_t id, const float *const row[], int64_t position, bool last) {
    return begin_position(o, id, row, position) && run_regions(&o, 1, last);
}

bool oracle_step_all(struct oracle *const o[], int count, const uint32_t id[], int64_t position, bool last) {
    for (int i = 0; i < count; i++)
        if (!begin_position(o[i], id[i], NULL, position)) return false;
    return run_regions(o, count, last);
}

// ---- results ----

bool oracle_run_rows(struct oracle *o, int64_t rows, const float *const in[], float *const out[]) {
    const struct oracle_graph *g = o->graph;
    const float *row[ORACLE_PORTS];
    for (int64_t r = 0; r < rows; r++) {
        for (int i = 0; i < g->inputs; i++)
            row[i] = in[i] ? in[i] + r * oracle_elements(&g->tensor.items[g->input[i]]) : NULL;
        if (!oracle_step(o, 0, row, r, true)) return false;
        for (int k = 0; k < g->outputs; k++) {
            size_t n = (size_t)oracle_elements(&g->tensor.items[g->output[k]]);
            const float *made = oracle_output_row(o, k);
            if (made) memcpy(out[k] + (size_t)r * n, made, n * sizeof *made);
        }
    }
    return true;
}

// Returns the value if it was made in the latest step, else NULL.
static const struct slot *latest(const struct oracle *o, const struct slot *s) {
    return s && s->made == o->stamp && s->made ? s : NULL;
}

uint32_t oracle_next_id(const struct oracle *o) { return o->next_id; }

const float *oracle_output_row(const struct oracle *o, int output) {
    int t = o->graph->output[output];
    const struct slot *s = is_evaluated(&o->graph->tensor.items[t]) ? latest(o, o->meaning[t]) : NULL;
    return s ? s->v.f32 : NULL;
}

const float *oracle_logits(const struct oracle *o) {
    const struct oracle_graph *g = o->graph;
    int maker = g->is_lm ? g->tensor.items[g->output[0]].node : NONE;
    const struct slot *s = maker == NONE ? NULL : latest(o, o->meaning[g->node.items[maker].in[0]]);
    return s ? s->v.f32 : NULL;
}

const char *oracle_fault(const struct oracle *o) { return o->fault_text; }

const struct oracle_value *oracle_value(const struct oracle *o, int tensor, int64_t repetition) {
    const struct oracle_tensor *t = &o->graph->tensor.items[tensor];
    int64_t most = repeats(o->graph, t) - (t->carry == NONE);
    if (!is_evaluated(t) || repetition < 0 || repetition > most) return NULL;
    const struct slot *s = latest(o, t->carry == NONE ? &o->slot[tensor][repetition] : o->carried[tensor][repetition]);
    return s ? &s->v : NULL;
}

// ---- the graph seen from outside ----

bool oracle_is_lm(const struct oracle_graph *g) { return g->is_lm; }
int64_t oracle_context(const struct oracle_graph *g) { return g->context; }
bool oracle_turn_other_pairs(struct oracle_graph *g) {
    bool any = false;
    for (size_t i = 0; i < g->node.count; i++) {
        struct oracle_node *n = &g->node.items[i];
        if (n->op != ORACLE_ROPE) continue;
        n->interleaved = !n->interleaved;
        any = true;
    }
    return any;
}
const struct end_ids *oracle_eot(const struct oracle_graph *g) { return &g->eot; }
int oracle_inputs(const struct oracle_graph *g) { return g->inputs; }
int oracle_outputs(const struct oracle_graph *g) { return g->outputs; }
int oracle_tensors(const struct oracle_graph *g) { return (int)g->tensor.count; }
const char *oracle_lines(const struct oracle_graph *g) { return g->lines; }

// Follows a carried tensor to its first value.
static int first_value(const struct oracle_graph *g, int t) {
    while (g->tensor.items[t].carry != NONE)
        t = g->region.items[g->tensor.items[t].region].carry[g->tensor.items[t].carry].init;
    return t;
}

// Returns the number of rows of the smallest embedding that the token ids of the request index directly. 0: none.
int64_t oracle_vocabulary(const struct oracle_graph *g) {
    int64_t least = 0;
    for (size_t i = 0; i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        if (n->op != ORACLE_EMBED || !g->tensor.items[n->out[0]].needed ||
            g->tensor.items[first_value(g, n->in[0])].node != NONE)
            continue;
        least = !least || n->rows < least ? n->rows : least;
    }
    return least;
}

int64_t oracle_logit_count(const struct oracle_graph *g) {
    int maker = g->is_lm ? g->tensor.items[g->output[0]].node : NONE;
    return maker == NONE ? 0 : oracle_elements(&g->tensor.items[g->node.items[maker].in[0]]);
}

static struct oracle_io io(const struct oracle_graph *g, int tensor) {
    const struct oracle_tensor *t = &g->tensor.items[tensor];
    struct oracle_io out = {.name = t->name, .rank = t->rank, .elements = oracle_elements(t)};
    for (int d = 0; d < t->rank; d++) out.extent[d] = t->extent[d];
    return out;
}
struct oracle_io oracle_input(const struct oracle_graph *g, int input) {
    return io(g, g->input[input]);
}
struct oracle_io oracle_output(const struct oracle_graph *g, int output) {
    return io(g, g->output[output]);
}

int oracle_find(const struct oracle_graph *g, const char *name) {
    for (size_t i = 0; i < g->tensor.count; i++)
        if (!strcmp(g->tensor.items[i].name, name)) return (int)i;
    return NONE;
}

struct oracle_info oracle_info(const struct oracle_graph *g, int tensor) {
    const struct oracle_tensor *t = &g->tensor.items[tensor];
    struct oracle_info info = {.name = t->name,
                               .line = t->line,
                               .repetitions = repeats(g, t),
                               .carried = t->carry != NONE,
                               .needed = t->needed,
                               .unknown = t->unknown,
                               .next = NONE};
    if (info.carried) info.next = g->region.items[t->region].carry[t->carry].next;
    return info;
}
