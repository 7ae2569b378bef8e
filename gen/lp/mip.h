// SPDX-License-Identifier: Apache-2.0
// Solves small integer programs: minimises a weighted sum of bounded variables under linear rows. Only mip.c and lp.c
// use GLPK, the solver's library. Its limits count the work of a search, not the time, so that every machine finds the
// same result, however busy it is.
#ifndef RILL_MIP_H
#define RILL_MIP_H

#include "gen/base/base.h"

struct mip_variable {       // low <= value <= high
    double low, high, cost; // cost: weight of the value in the minimised sum
    bool integer;           // the value must be an integer
};

struct mip_row { // low <= sum of its terms <= high
    double low, high;
};

struct mip_term { // adds factor * variable to a row
    int row, variable;
    double factor;
};

struct mip {
    struct arena *arena;
    VEC(struct mip_variable) variable;
    VEC(struct mip_row) row;
    VEC(struct mip_term) term;
};

#define MIP_NO_BOUND 1e30 // as `high`: no upper bound; negative, as `low`: no lower bound

enum mip_status {
    MIP_NONE,     // no solution exists, none was found within the limits, or rounding made it violate a row
    MIP_FEASIBLE, // the best solution that was found within the limits
    MIP_OPTIMAL,  // no solution is better by more than a ten-thousandth
};

struct mip_limits { // checked at each node of the search tree; a search that has passed one of them ends there
    int branches;   // nodes of the search tree
    int iterations; // steps of the simplex method in all nodes together
};

void mip_init(struct mip *, struct arena *); // begins a program without variables and rows
int mip_variable(struct mip *, double low, double high, double cost, bool integer); // returns the variable's index
int mip_row(struct mip *, double low, double high);                                 // returns the row's index
// Adds a term to a row. A factor of 0 adds nothing. A row may have only one term for each variable.
void mip_term(struct mip *, int row, int variable, double factor);
// Solves the program without the condition that variables are integers. Returns the minimised sum, which no solution
// can be below. Returns MIP_NO_BOUND if there is no minimum, for example because no values satisfy the rows.
double mip_relaxed(const struct mip *);
// Searches for a solution and sets *status. Returns the values of all variables in arena memory, rounded where
// `integer` is set. Every row is checked again with the rounded values. Returns NULL if *status is MIP_NONE.
double *mip_solve(const struct mip *, struct mip_limits, enum mip_status *);

#endif
