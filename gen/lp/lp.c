// SPDX-License-Identifier: Apache-2.0
// Solves difference constraints with GLPK. Variables with a fixed difference are merged first, which makes the program
// smaller.
#include "gen/lp/lp.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>

void lp_init(struct lp *lp, struct arena *arena, int variables) {
    *lp = (struct lp){.arena = arena, .variables = variables};
}

void lp_add(struct lp *lp, int from, int to, int64_t least, double weight) {
    lp->row = vec_grow(lp->arena, lp->row, (size_t)lp->rows, &lp->row_capacity, sizeof *lp->row);
    lp->row[lp->rows++] = (struct lp_row){from, to, least, weight};
}

// ---- variables that are a fixed difference apart are merged into one class ----

struct class {       // the class to which a variable belongs
    int of;          // another variable of the class, or the variable itself if it represents the class
    int64_t further; // value of the variable minus the value of variable `of`
};

// Returns the variable that represents the class of v, and the value of v minus that variable's value.
static struct class find(struct class *all, int v) {
    struct class c = {v, 0};
    for (; all[c.of].of != c.of; c.of = all[c.of].of) c.further += all[c.of].further;
    if (c.of != v) all[v] = c; // shortens the path for the next lookup
    return c;
}

// Orders rows by `from`, then by `to`, then from the largest lower bound to the smallest.
static int compare_rows(const void *x, const void *y) {
    const struct lp_row *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->least < b->least) - (a->least > b->least);
}

// Sorts the rows, keeps only the strictest one for each pair of variables, and returns the number of rows left.
static int sort_rows(struct lp_row *row, int rows) {
    int kept = 0;
    if (rows) qsort(row, (size_t)rows, sizeof *row, compare_rows);
    for (int r = 0; r < rows; r++)
        if (!kept || row[r].from != row[kept - 1].from || row[r].to != row[kept - 1].to) row[kept++] = row[r];
    return kept;
}

// Returns whether row r fixes the difference of its variables, because the row in the other direction makes the lower
// bound an upper bound as well. The rows must be sorted.
static bool is_fixed(const struct lp_row *row, int rows, const struct lp_row *r) {
    struct lp_row key = {r->to, r->from, 0, 0};
    int low = 0, high = rows;
    while (low < high) {
        int at = (low + high) / 2;
        if (row[at].from < key.from || (row[at].from == key.from && row[at].to < key.to)) low = at + 1;
        else high = at;
    }
    return low < rows && row[low].from == key.from && row[low].to == key.to && row[low].least == -r->least;
}

// Merges the classes of all variables with a fixed difference. The variable with the lowest number represents its
// class.
static struct class *join_fixed(const struct lp *lp, const struct lp_row *row, int rows) {
    struct class *all = ARENA_ARRAY(lp->arena, struct class, (size_t)lp->variables);
    for (int v = 0; v < lp->variables; v++) all[v].of = v;
    for (int r = 0; r < rows; r++) {
        if (row[r].from == row[r].to || !is_fixed(row, rows, &row[r])) continue;
        struct class a = find(all, row[r].from), b = find(all, row[r].to);
        int64_t further = a.further + row[r].least - b.further; // value of variable b.of minus the value of a.of
        if (a.of < b.of) all[b.of] = (struct class){a.of, further};
        else if (b.of < a.of) all[a.of] = (struct class){b.of, -further};
    }
    return all;
}

// ---- GLPK: a column per class, a row per difference of two: s[to] - s[from] >= least ----

// Adds a column per class. column[v] gets the number of the column if variable v represents a class. The first column
// is that of variable 0 and is fixed at 0; the others are free. The objective is the weighted sum of differences.
static void load_columns(const struct lp *lp, struct class *all, int *column, glp_prob *p) {
    int columns = 0;
    for (int v = 0; v < lp->variables; v++)
        if (find(all, v).of == v) column[v] = ++columns;
    glp_add_cols(p, columns);
    for (int c = 1; c <= columns; c++) glp_set_col_bnds(p, c, c == 1 ? GLP_FX : GLP_FR, 0, 0);
    for (int r = 0; r < lp->rows; r++) {
        int to = column[find(all, lp->row[r].to).of], from = column[find(all, lp->row[r].from).of];
        if (to == from) continue;
        glp_set_obj_coef(p, to, glp_get_obj_coef(p, to) + lp->row[r].weight);
        glp_set_obj_coef(p, from, glp_get_obj_coef(p, from) - lp->row[r].weight);
    }
}

// Adds a row per difference. In the notation of StreamTensor (MICRO 2025) a row is delay(i, j) >= D_i. A row with the
// same class on both sides has no terms; it cannot be satisfied if `least` is more than 0.
static void load_rows(const struct lp_row *row, int rows, const int *column, glp_prob *p) {
    if (rows) glp_add_rows(p, rows);
    for (int r = 0; r < rows; r++) {
        int index[3] = {0, column[row[r].to], column[row[r].from]};
        double value[3] = {0, 1, -1};
        glp_set_row_bnds(p, r + 1, GLP_LO, (double)row[r].least, 0);
        if (row[r].to != row[r].from) glp_set_mat_row(p, r + 1, 2, index, value);
    }
}

// Returns the values of all variables, rounded to integers. If they violate a row, this ends the program as an internal
// error.
static int64_t *rounded(const struct lp *lp, struct class *all, const int *column, glp_prob *p) {
    int64_t *s = ARENA_ARRAY(lp->arena, int64_t, (size_t)lp->variables + 1);
    for (int v = 0; v < lp->variables; v++) {
        struct class c = find(all, v);
        s[v] = llround(glp_get_col_prim(p, column[c.of])) + c.further;
    }
    for (int r = 0; r < lp->rows; r++)
        if (s[lp->row[r].to] - s[lp->row[r].from] < lp->row[r].least) base_fatal("lp: row %d fails after rounding", r);
    return s;
}

// Sorts the rows twice: first to find variables with a fixed difference, then, with each class as one variable, to drop
// rows that became redundant.
int64_t *lp_solve(const struct lp *lp) {
    struct lp_row *row = ARENA_ARRAY(lp->arena, struct lp_row, (size_t)lp->rows + 1);
    int *column = ARENA_ARRAY(lp->arena, int, (size_t)lp->variables + 1);
    for (int r = 0; r < lp->rows; r++) row[r] = lp->row[r];
    int rows = sort_rows(row, lp->rows);
    struct class *all = join_fixed(lp, row, rows);
    for (int r = 0; r < rows; r++) {
        struct class to = find(all, row[r].to), from = find(all, row[r].from);
        row[r] = (struct lp_row){from.of, to.of, row[r].least - to.further + from.further, 0};
    }
    rows = sort_rows(row, rows);
    glp_prob *p = glp_create_prob();
    glp_set_obj_dir(p, GLP_MIN);
    load_columns(lp, all, column, p);
    load_rows(row, rows, column, p);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_DUALP;
    how.presolve = GLP_ON;
    bool solved = glp_simplex(p, &how) == 0 && glp_get_status(p) == GLP_OPT;
    int64_t *s = solved ? rounded(lp, all, column, p) : NULL;
    glp_delete_prob(p);
    return s;
}

static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

int64_t lp_max_words(const struct lp_stream *s) {
    int64_t words;
    if (s->interval <= s->target_interval)
        words = s->words - floor_div(s->length - s->delay, s->target_interval); // source is faster: most at its end
    else words = -floor_div(-(s->delay - s->first), s->interval); // source is slower: most when the target begins
    return words < s->words ? (words > 0 ? words : 0) : s->words;
}
