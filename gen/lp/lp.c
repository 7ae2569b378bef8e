// SPDX-License-Identifier: Apache-2.0
#include "gen/lp/lp.h"

#include <glpk.h>
#include <math.h>

void lp_init(struct lp *lp, struct arena *arena, int variables) {
    *lp = (struct lp){.arena = arena, .variables = variables};
}

void lp_add(struct lp *lp, int from, int to, int64_t least, double weight) {
    lp->row = vec_grow(lp->arena, lp->row, (size_t)lp->rows, &lp->row_capacity, sizeof *lp->row);
    lp->row[lp->rows++] = (struct lp_row){from, to, least, weight};
}

// One GLPK row per difference: s[to] - s[from] >= least (StreamTensor: delay(i, j) >= D_i, written with start times).
static void load(const struct lp *lp, glp_prob *p) {
    glp_set_obj_dir(p, GLP_MIN);
    glp_add_cols(p, lp->variables);
    for (int v = 0; v < lp->variables; v++) glp_set_col_bnds(p, v + 1, v ? GLP_FR : GLP_FX, 0, 0);
    if (lp->rows) glp_add_rows(p, lp->rows);
    for (int r = 0; r < lp->rows; r++) {
        const struct lp_row *row = &lp->row[r];
        int index[3] = {0, row->to + 1, row->from + 1};
        double value[3] = {0, 1, -1};
        glp_set_row_bnds(p, r + 1, GLP_LO, (double)row->least, 0);
        if (row->to != row->from) glp_set_mat_row(p, r + 1, 2, index, value);
        glp_set_obj_coef(p, row->to + 1, glp_get_obj_coef(p, row->to + 1) + row->weight);
        glp_set_obj_coef(p, row->from + 1, glp_get_obj_coef(p, row->from + 1) - row->weight);
    }
}

static int64_t *rounded(const struct lp *lp, glp_prob *p) {
    int64_t *s = ARENA_ARRAY(lp->arena, int64_t, (size_t)lp->variables + 1);
    for (int v = 0; v < lp->variables; v++) s[v] = llround(glp_get_col_prim(p, v + 1));
    for (int r = 0; r < lp->rows; r++)
        if (s[lp->row[r].to] - s[lp->row[r].from] < lp->row[r].least) base_fatal("lp: row %d fails after rounding", r);
    return s;
}

int64_t *lp_solve(const struct lp *lp) {
    glp_prob *p = glp_create_prob();
    load(lp, p);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_DUALP;
    how.presolve = GLP_ON;
    bool solved = glp_simplex(p, &how) == 0 && glp_get_status(p) == GLP_OPT;
    int64_t *s = solved ? rounded(lp, p) : NULL;
    glp_delete_prob(p);
    return s;
}

static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

int64_t lp_max_words(const struct lp_stream *s) {
    int64_t words;
    if (s->interval <= s->target_interval)
        words = s->words - floor_div(s->length - s->delay, s->target_interval); // source faster: most at its end
    else words = -floor_div(-(s->delay - s->first), s->interval);               // slower: most when the target begins
    return words < s->words ? (words > 0 ? words : 0) : s->words;
}
