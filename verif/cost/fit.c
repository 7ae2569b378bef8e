// SPDX-License-Identifier: Apache-2.0
// Fits the terms of the cost formulas to the syntheses in verif/cost/measured.txt and prints include/costs.def with the
// new figures. See verif/cost/fit.sh. The formulas are linear in their terms. To find the coefficient of a term in a
// formula, the program increases the term and divides the increase of the formula's result by that of the term.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/kernel/terms.h"

enum { LUT, FF, KINDS };
// Which figures of a term are fitted: none, its LUTs alone, or LUTs and FFs (include/costs.def).
enum how { KEPT, LUTS, FITTED };
// GROWTH: LUTs that find_times adds to a term. LINE: room for a line of costs.def.
enum { GROWTH = 1 << 20, LINE = 160 };
static const double least = 100;     // relative errors of a module with fewer cells are relative to this many cells
static const double no_pivot = 1e-9; // a smaller pivot means that the rows do not determine a term

static const struct cost_amount given[COST_TERMS] = {
#define COST(name, lut, ff, dsp, ...) {lut, ff, dsp},
#include "include/costs.def"
#undef COST
};

static struct cost_amount amount[COST_TERMS]; // the figures with which the formulas calculate now

static const enum how how_of[COST_TERMS] = {
#define COST(name, lut, ff, dsp, how, ...) how,
#include "include/costs.def"
#undef COST
};

static const char *const how_name[] = {"KEPT", "LUTS", "FITTED"};

static bool is_fitted(int term, int kind) { return how_of[term] == FITTED || (how_of[term] == LUTS && kind == LUT); }

struct row { // a module that was measured
    const struct cost_row *from;
    double rest[KINDS];       // result of the formula with all fitted figures 0
    double times[COST_TERMS]; // how often the formula takes each term
};

struct rows {
    struct row *items;
    int count;
};

// ---- how often a row takes a term ----

// Returns the result of the formula with the present figures.
static struct cost_resources result(const struct cost_row *row) {
    struct cost_resources r = {0};
    cost_use(amount);
    cost_module(row->module, row->param, row->params, &r);
    return r;
}

// Returns how often a formula takes a term, from the difference of its results when the term grows by GROWTH. The
// number is rounded to a multiple of 1/2, because a formula may take half of a term. The formula rounds its result to
// whole cells. This changes the difference by much less than GROWTH, so it does not change the number.
static double halves(int64_t difference) { return round(2 * (double)difference / GROWTH) / 2; }

// Finds how often a row takes each term. Growing the LUTs is enough, because a formula takes LUTs and FFs equally
// often.
static void find_times(struct row *row) {
    struct cost_resources before = result(row->from);
    for (int t = 0; t < COST_TERMS; t++) {
        const struct cost_amount was = amount[t];
        amount[t].lut += GROWTH;
        row->times[t] = halves(result(row->from).lut - before.lut);
        amount[t] = was;
    }
}

static void find_rest(struct row *row) {
    struct cost_resources all = result(row->from);
    row->rest[LUT] = (double)all.lut, row->rest[FF] = (double)all.ff;
}

// Sets all figures to those of include/costs.def, but the figures that will be fitted to 0. So a second fit gives the
// same figures.
static void take_given(void) {
    for (int t = 0; t < COST_TERMS; t++)
        amount[t] = (struct cost_amount){is_fitted(t, LUT) ? 0 : given[t].lut, is_fitted(t, FF) ? 0 : given[t].ff,
                                         given[t].dsp};
}

static struct rows rows_of(struct arena *arena, const struct cost_rows *table) {
    struct rows rows = {.items = ARENA_ARRAY(arena, struct row, table->count)};
    take_given();
    for (size_t i = 0; i < table->count; i++) {
        struct cost_resources unused;
        // A module without a cost formula is skipped.
        if (!cost_module(table->items[i].module, table->items[i].param, table->items[i].params, &unused)) continue;
        struct row *row = &rows.items[rows.count++];
        row->from = &table->items[i];
        find_times(row);
        find_rest(row);
    }
    return rows;
}

// ---- least squares of the relative errors ----

static double measured(const struct row *row, int kind) {
    return (double)(kind == LUT ? row->from->is.lut : row->from->is.ff);
}

// Returns the factor that turns an error in cells into a relative error.
static double weight(const struct row *row, int kind) { return 1 / fmax(measured(row, kind), least); }

// The normal equations of the fitted terms.
struct system {
    int terms, term[COST_TERMS];
    double sum[COST_TERMS][COST_TERMS], right[COST_TERMS];
};

static void add_row(struct system *s, const struct row *row, int kind) {
    double w = weight(row, kind), wanted = w * (measured(row, kind) - row->rest[kind]);
    for (int i = 0; i < s->terms; i++) {
        double a = w * row->times[s->term[i]];
        s->right[i] += a * wanted;
        for (int j = 0; j < s->terms; j++) s->sum[i][j] += a * w * row->times[s->term[j]];
    }
}

// Subtracts a multiple of equation `column` from each other equation, so that its coefficient in this column becomes 0.
static void eliminate(struct system *s, int column) {
    for (int i = 0; i < s->terms; i++) {
        double factor = s->sum[i][column] / s->sum[column][column];
        if (i == column) continue;
        for (int j = column; j < s->terms; j++) s->sum[i][j] -= factor * s->sum[column][j];
        s->right[i] -= factor * s->right[column];
    }
}

// Solves the equations. Returns false and prints an error if the measurements do not determine a term. The matrix of
// sums is symmetric and positive semidefinite, so pivoting is not needed.
static bool solve(struct system *s) {
    for (int i = 0; i < s->terms; i++) {
        if (s->sum[i][i] < no_pivot) {
            fprintf(stderr,
                    "verif/cost/fit.sh: the rows of verif/cost/measured.txt do not determine %s; measure more "
                    "of them, or keep a figure (KEPT in include/costs.def)\n",
                    cost_term_name((enum cost_term)s->term[i]));
            return false;
        }
        eliminate(s, i);
    }
    return true;
}

// Returns whether the formula of any row takes the term.
static bool is_taken(const struct rows *rows, int term) {
    for (int i = 0; i < rows->count; i++)
        if (rows->items[i].times[term] != 0) return true;
    return false;
}

// Rounds a figure to the digits that the table has.
static double rounded(double figure) {
    double size = fabs(figure), step = size < 10 ? 0.01 : size < 100 ? 0.1 : 1;
    return round(figure / step) * step;
}

static double *figure_of(int term, int kind) { return kind == LUT ? &amount[term].lut : &amount[term].ff; }

// Fits the LUTs or the FFs of the fitted terms that a formula of the rows contains. All other terms keep the figures of
// include/costs.def. Returns false after an error.
static bool fit(const struct rows *rows, int kind) {
    static struct system s;
    s = (struct system){0};
    for (int t = 0; t < COST_TERMS; t++)
        if (is_fitted(t, kind) && is_taken(rows, t)) s.term[s.terms++] = t;
        else
            *figure_of(t, kind) =
                kind == LUT ? given[t].lut : given[t].ff; // a kept figure, or a term that no row takes
    for (int i = 0; i < rows->count; i++) add_row(&s, &rows->items[i], kind);
    if (!solve(&s)) return false;
    for (int i = 0; i < s.terms; i++) {
        *figure_of(s.term[i], kind) = rounded(s.right[i] / s.sum[i][i]);
    }
    return true;
}

// ---- remaining errors ----

struct left { // the errors of the rows that take a term
    int rows;
    double mean, worst; // percent: mean of the absolute errors; the largest error, with its sign
};

// Returns the error of the formula in percent.
static double error_of(const struct row *row, int kind) {
    struct cost_resources r = result(row->from);
    return 100 * weight(row, kind) * ((double)(kind == LUT ? r.lut : r.ff) - measured(row, kind));
}

static struct left left_of(const struct rows *rows, int term, int kind) {
    struct left left = {0};
    for (int i = 0; i < rows->count; i++) {
        if (rows->items[i].times[term] == 0) continue;
        double error = error_of(&rows->items[i], kind);
        left.mean = (left.mean * left.rows + fabs(error)) / (left.rows + 1);
        left.rows++;
        if (fabs(error) > fabs(left.worst)) left.worst = error;
    }
    return left;
}

static void print_term(const struct rows *rows, int t) {
    struct left lut = left_of(rows, t, LUT), ff = left_of(rows, t, FF);
    printf("COST(%s, %.6g, %.6g, %d, %s, %d, %.1f, %.1f, %.1f, %.1f)\n", cost_term_name((enum cost_term)t),
           amount[t].lut, amount[t].ff, (int)amount[t].dsp, how_name[how_of[t]], lut.rows, lut.mean, lut.worst, ff.mean,
           ff.worst);
}

// Prints the old file with the new figures. Comments and order stay. Returns false if the file does not have exactly
// one COST line for each term.
static bool print_file(const struct rows *rows) {
    FILE *old = fopen("include/costs.def", "r");
    char line[LINE];
    int next = 0;
    while (old && fgets(line, sizeof line, old))
        if (strncmp(line, "COST(", 5)) fputs(line, stdout);
        else print_term(rows, next++);
    if (old) fclose(old);
    return next == COST_TERMS;
}

// ---- errors of rows, the largest first ----

// Returns the larger one of a row's two absolute errors.
static double size_of(const struct row *row) { return fmax(fabs(error_of(row, LUT)), fabs(error_of(row, FF))); }

static int by_size(const void *a, const void *b) {
    double left = size_of(a), right = size_of(b);
    return left < right ? 1 : left > right ? -1 : 0;
}

static void print_errors(struct rows *rows) {
    struct arena arena;
    arena_init(&arena);
    qsort(rows->items, (size_t)rows->count, sizeof *rows->items, by_size);
    for (int i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        struct cost_resources r = result(row->from);
        printf("%6.1f %6.1f %%  LUT %lld of %lld, FF %lld of %lld  %s", error_of(row, LUT), error_of(row, FF),
               (long long)r.lut, (long long)row->from->is.lut, (long long)r.ff, (long long)row->from->is.ff,
               row->from->module);
        for (int p = 0; p < row->from->params; p++)
            printf(" %s=%.20s", row->from->param[p].name, ir_value_print(&arena, &row->from->param[p].value));
        putchar('\n');
    }
    arena_free(&arena);
}

int main(int argc, char **argv) {
    struct arena arena;
    arena_init(&arena);
    struct cost_rows table = cost_rows_read(&arena);
    struct rows rows = rows_of(&arena, &table);
    bool errors = argc > 1 && !strcmp(argv[1], "--errors"), good = rows.count > 0;
    if (!good) fprintf(stderr, "verif/cost/fit.sh: verif/cost/measured.txt has no rows\n");
    for (int kind = LUT; good && kind < KINDS; kind++) good = fit(&rows, kind);
    if (good && errors) print_errors(&rows);
    else if (good) good = print_file(&rows);
    arena_free(&arena);
    return good ? RILL_OK : RILL_BAD_SPEC;
}
