// SPDX-License-Identifier: Apache-2.0
// Small integer programs: minimise a weighted sum of bounded variables under linear rows. Only this module and lp.c use
// the solver's library. The search ends after a fixed number of branches, so every machine finds the same result. The
// time limit only helps if the branches take too long.
#ifndef RILL_MIP_H
#define RILL_MIP_H

#include "gen/base/base.h"

struct mip_variable {
    double low, high, cost;
    bool integer;
};

struct mip_row { // low <= sum of its terms <= high
    double low, high;
};

struct mip_term {
    int row, variable;
    double factor;
};

struct mip {
    struct arena *arena;
    VEC(struct mip_variable) variable;
    VEC(struct mip_row) row;
    VEC(struct mip_term) term;
};

#define MIP_NO_BOUND 1e30

enum mip_status {
    MIP_NONE,     // no solution within the limits, or none exists
    MIP_FEASIBLE, // the best one found within the limits
    MIP_OPTIMAL,  // no solution is better by more than a ten-thousandth
};

struct mip_limits {
    int branches;     // limit of the search; a fixed count, so that runs agree
    int milliseconds; // 0: none
};

void mip_init(struct mip *, struct arena *);
int mip_variable(struct mip *, double low, double high, double cost, bool integer); // its index
int mip_row(struct mip *, double low, double high);                                 // its index
void mip_term(struct mip *, int row, int variable, double factor);                  // at most one per row and variable
// Solves the program as if no variable were an integer, which bounds every solution. Returns the sum, or MIP_NO_BOUND
// if no values satisfy the rows.
double mip_relaxed(const struct mip *);
// Returns the variables' values, in arena memory, with integers whole. Every row is checked again with these values.
// Returns NULL with MIP_NONE.
double *mip_solve(const struct mip *, struct mip_limits, enum mip_status *);

#endif
