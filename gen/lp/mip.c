// SPDX-License-Identifier: Apache-2.0
// Solves integer programs with the branch-and-bound search of GLPK.
#include "gen/lp/mip.h"

#include <glpk.h>
#include <math.h>

void mip_init(struct mip *m, struct arena *arena) { *m = (struct mip){.arena = arena}; }

int mip_variable(struct mip *m, double low, double high, double cost, bool integer) {
    VEC_PUSH(m->arena, m->variable, ((struct mip_variable){low, high, cost, integer}));
    return (int)m->variable.count - 1;
}

int mip_row(struct mip *m, double low, double high) {
    VEC_PUSH(m->arena, m->row, ((struct mip_row){low, high}));
    return (int)m->row.count - 1;
}

void mip_term(struct mip *m, int row, int variable, double factor) {
    if (factor != 0) VEC_PUSH(m->arena, m->term, ((struct mip_term){row, variable, factor}));
}

// Returns GLPK's kind of a pair of bounds.
static int bound_kind(double low, double high) {
    bool below = low > -MIP_NO_BOUND, above = high < MIP_NO_BOUND;
    if (below && above) return low == high ? GLP_FX : GLP_DB;
    return below ? GLP_LO : above ? GLP_UP : GLP_FR;
}

// Gives the program to the solver, which counts rows and columns from 1.
static void load(const struct mip *m, glp_prob *p) {
    size_t terms = m->term.count;
    int *row = ARENA_ARRAY(m->arena, int, terms + 1), *column = ARENA_ARRAY(m->arena, int, terms + 1);
    double *factor = ARENA_ARRAY(m->arena, double, terms + 1);
    glp_set_obj_dir(p, GLP_MIN);
    if (m->variable.count) glp_add_cols(p, (int)m->variable.count);
    if (m->row.count) glp_add_rows(p, (int)m->row.count);
    for (size_t v = 0; v < m->variable.count; v++) {
        const struct mip_variable *x = &m->variable.items[v];
        glp_set_col_bnds(p, (int)v + 1, bound_kind(x->low, x->high), x->low, x->high);
        glp_set_obj_coef(p, (int)v + 1, x->cost);
        if (x->integer) glp_set_col_kind(p, (int)v + 1, GLP_IV);
    }
    for (size_t r = 0; r < m->row.count; r++)
        glp_set_row_bnds(p, (int)r + 1, bound_kind(m->row.items[r].low, m->row.items[r].high), m->row.items[r].low,
                         m->row.items[r].high);
    for (size_t t = 0; t < terms; t++) {
        row[t + 1] = m->term.items[t].row + 1;
        column[t + 1] = m->term.items[t].variable + 1;
        factor[t + 1] = m->term.items[t].factor;
    }
    glp_load_matrix(p, (int)terms, row, column, factor);
}

// Ends the search when it has passed one of its limits. The solver calls this function at each node.
static void stop_search(glp_tree *tree, void *info) {
    const struct mip_limits *limits = info;
    int all = 0;
    glp_ios_tree_size(tree, NULL, NULL, &all);
    if (all > limits->branches || glp_get_it_cnt(glp_ios_get_prob(tree)) > limits->iterations) glp_ios_terminate(tree);
}

// Returns whether the values satisfy all rows, with a tolerance for rounding that grows with the size of a row's terms.
static bool within(const struct mip *m, const double *value) {
    double *sum = ARENA_ARRAY(m->arena, double, m->row.count + 1),
           *size = ARENA_ARRAY(m->arena, double, m->row.count + 1);
    for (size_t t = 0; t < m->term.count; t++) {
        const struct mip_term *term = &m->term.items[t];
        sum[term->row] += term->factor * value[term->variable];
        size[term->row] += fabs(term->factor * value[term->variable]);
    }
    for (size_t r = 0; r < m->row.count; r++) {
        double slack = 1e-6 * (1 + size[r]);
        if (sum[r] < m->row.items[r].low - slack || sum[r] > m->row.items[r].high + slack) return false;
    }
    return true;
}

// Returns the values of the solution with integers rounded, or NULL if they then violate a row.
static double *values(const struct mip *m, glp_prob *p) {
    double *value = ARENA_ARRAY(m->arena, double, m->variable.count + 1);
    for (size_t v = 0; v < m->variable.count; v++) {
        value[v] = glp_mip_col_val(p, (int)v + 1);
        if (m->variable.items[v].integer) value[v] = round(value[v]);
    }
    return within(m, value) ? value : NULL;
}

double *mip_solve(const struct mip *m, struct mip_limits limits, enum mip_status *status) {
    glp_prob *p = glp_create_prob();
    glp_iocp how;
    load(m, p);
    glp_init_iocp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.presolve = GLP_ON;
    how.cb_func = stop_search;
    how.cb_info = &limits;
    how.mip_gap = 1e-4;
    int ended = glp_intopt(p, &how), found = glp_mip_status(p);
    double *value = found == GLP_OPT || found == GLP_FEAS ? values(m, p) : NULL;
    *status = !value ? MIP_NONE : found == GLP_OPT && ended == 0 ? MIP_OPTIMAL : MIP_FEASIBLE;
    glp_delete_prob(p);
    return value;
}

double mip_relaxed(const struct mip *m) {
    glp_prob *p = glp_create_prob();
    glp_smcp how;
    load(m, p);
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.presolve = GLP_ON;
    bool solved = glp_simplex(p, &how) == 0 && glp_get_status(p) == GLP_OPT;
    double sum = solved ? glp_get_obj_val(p) : MIP_NO_BOUND;
    glp_delete_prob(p);
    return sum;
}
