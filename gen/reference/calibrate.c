// SPDX-License-Identifier: Apache-2.0
// Runs a calibration text through the oracle in float mode and collects, for each matrix product, the mean square of
// each element of its operand. Windows of the text run in parallel, each in a lane: an oracle with its own KV cache.
#include "gen/reference/calibrate.h"

#include <string.h>

#include "gen/reference/execute.h"
#include "gen/reference/statistics.h"

// ---- sums ----

// Adds the squares of a product's operand, per column. Rows are counted only in repetition 0, because every repetition
// of a region multiplies the same number of rows.
void oracle_add_squares(const struct step *s) {
    const struct oracle_value *x = &s->in[0]->v;
    size_t node = (size_t)(s->node - s->run->graph->node.items);
    double *sum = s->run->squares[node] + s->repetition * x->cols;
    for (int64_t r = 0; r < x->rows; r++)
        for (int64_t c = 0; c < x->cols; c++) sum[c] += (double)x->f32[r * x->cols + c] * x->f32[r * x->cols + c];
    if (s->repetition == 0) s->run->multiplied[node] += x->rows;
}

// Allocates the sums of every matrix product, one per column and repetition.
static void ask_for_squares(struct oracle *o) {
    const struct oracle_graph *g = o->graph;
    o->squares = ARENA_ARRAY(o->arena, double *, g->node.count + 1);
    o->multiplied = ARENA_ARRAY(o->arena, int64_t, g->node.count + 1);
    for (size_t i = 0; i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        int64_t all = g->region.items[n->region].repeat * oracle_vector_length(g, n);
        if (n->op == ORACLE_MATMUL) o->squares[i] = ARENA_ARRAY(o->arena, double, (size_t)all);
    }
}

// ---- windows ----

// The text, and the lanes that run its windows.
struct windows {
    const struct calibration *text;
    struct oracle *lane[ORACLE_MOST_LANES];
    int lanes;
};

// Returns the number of tokens of a window. The last window of the text may be shorter; windows after it are empty.
static size_t window_length(const struct calibration *t, size_t window) {
    size_t from = window * (size_t)t->window, left = t->count > from ? t->count - from : 0;
    return left < (size_t)t->window ? left : (size_t)t->window;
}

// Reports how many tokens are done after position p of every lane. first: index of the window in lane 0.
static void tell(const struct windows *w, size_t first, size_t p) {
    size_t done = first * (size_t)w->text->window;
    for (size_t i = 0; i < (size_t)w->lanes; i++) {
        size_t all = window_length(w->text, first + i);
        done += p + 1 < all ? p + 1 : all;
    }
    if (w->text->progress) w->text->progress((int64_t)done, (int64_t)w->text->count);
}

// Runs windows first to first + lanes - 1, one per lane. No window is longer than the one before it, so the lanes that
// still run at a position are always the first ones. Returns false after a fault.
static bool run_windows(struct windows *w, size_t first) {
    const struct calibration *t = w->text;
    for (size_t p = 0; p < (size_t)t->window; p++) {
        uint32_t id[ORACLE_MOST_LANES];
        int count = 0;
        for (; count < w->lanes && p < window_length(t, first + (size_t)count); count++)
            id[count] = t->ids[(first + (size_t)count) * (size_t)t->window + p];
        if (!count) return true;
        if (!oracle_step_all(w->lane, count, id, (int64_t)p, true)) return false;
        tell(w, first, p);
    }
    return true;
}

static bool run_text(struct windows *w, struct diag *diag) {
    for (size_t first = 0; first * (size_t)w->text->window < w->text->count; first += (size_t)w->lanes) {
        if (run_windows(w, first)) continue;
        const char *where = NULL;
        for (int i = 0; i < w->lanes && !where; i++) where = oracle_fault(w->lane[i]);
        diag_error(diag, loc_none(), MSG_CALIBRATION_FAULT, where ? where : "unknown");
        return false;
    }
    return true;
}

// Opens the lanes, no more than there are windows. All lanes share the weights and the sums of lane 0. Returns false
// after an error.
static bool open_lanes(struct windows *w, struct arena *arena, const struct oracle_graph *g, struct checkpoint *c,
                       struct diag *diag) {
    w->lane[0] = oracle_open_short(arena, g, ORACLE_FLOAT, c, w->text->window, diag);
    if (!w->lane[0]) return false;
    ask_for_squares(w->lane[0]);
    size_t windows = (w->text->count + (size_t)w->text->window - 1) / (size_t)w->text->window;
    for (w->lanes = 1; w->lanes < ORACLE_MOST_LANES && (size_t)w->lanes < windows; w->lanes++) {
        struct oracle *o = w->lane[w->lanes] = oracle_open_beside(arena, w->lane[0], diag);
        if (!o) return false;
        o->squares = w->lane[0]->squares;
        o->multiplied = w->lane[0]->multiplied;
    }
    return true;
}

// ---- results ----

// Adds the sums of a product in repetition r to the entry of its rows of the weight.
static void add_entry(struct statistics *s, struct arena *arena, const struct oracle *o, size_t node, int64_t r) {
    const struct oracle_graph *g = o->graph;
    const struct oracle_node *n = &g->node.items[node];
    int64_t k = oracle_vector_length(g, n);
    const double *sum = o->squares[node] + r * k;
    struct statistics_entry *e =
        statistics_entry(s, arena, oracle_name(arena, n->weight, r), n->rows, n->row_offset, k);
    for (int64_t c = 0; c < k; c++) e->sum[c] += sum[c];
    e->count += o->multiplied[node];
}

// Returns the statistics of all products, divided by the counts.
static struct statistics *gather(struct arena *arena, const struct oracle *o) {
    const struct oracle_graph *g = o->graph;
    struct statistics *s = ARENA_NEW(arena, struct statistics);
    for (size_t i = 0; i < g->node.count; i++)
        for (int64_t r = 0; o->multiplied[i] && r < g->region.items[g->node.items[i].region].repeat; r++)
            add_entry(s, arena, o, i, r);
    statistics_divide(s, arena);
    return s;
}

struct statistics *statistics_collect(struct arena *arena, const struct oracle_graph *g, struct checkpoint *checkpoint,
                                      const struct calibration *text, struct diag *diag) {
    struct windows w = {.text = text};
    struct arena scratch;
    struct statistics *s = NULL;
    arena_init(&scratch);
    if (open_lanes(&w, &scratch, g, checkpoint, diag) && run_text(&w, diag)) {
        s = gather(arena, w.lane[0]);
        s->checkpoint = checkpoint_checksum(checkpoint);
        s->graph = statistics_graph(g);
        s->tokens = (int64_t)text->count;
        s->from = text->from;
    }
    for (int i = 0; i < w.lanes; i++) oracle_close(w.lane[i]);
    arena_free(&scratch);
    return s;
}

void oracle_use_statistics(struct oracle_graph *g, const struct statistics *s) { g->statistics = s; }
