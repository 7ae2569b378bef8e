// SPDX-License-Identifier: Apache-2.0
// Internal to the search: the points that it has examined (known.c), random numbers, new points made from known ones
// (moves.c), and the ranking of points (front.c).
#ifndef RILL_EXPLORE_KNOWN_H
#define RILL_EXPLORE_KNOWN_H

#include "gen/explore/explore.h"

struct known {
    const struct explore *x;
    struct explore_seen *item; // the points with their results, in the order in which they were added
    int count, capacity;
    int *slot; // hash table: indices in `item`; -1: the slot is free
    int slots; // a power of two
};
void known_init(struct known *, const struct explore *);
void known_free(struct known *);
int known_find(const struct known *, const struct explore_point *); // index of the point; -1: it is not known
// Adds a point with its result, or replaces the earlier result of the point. Returns its index.
int known_put(struct known *, const struct explore_point *, const struct explore_result *);

// A generator of random numbers that gives the same numbers on every machine.
struct chance {
    uint64_t state;
};
uint64_t chance_next(struct chance *);    // 64 random bits
int chance_below(struct chance *, int n); // from 0 to n - 1

// These functions return a new point. move_random chooses every value at random. move_child takes about two thirds of
// the keys from the mother and the others from the father, and then changes one or two keys.
struct explore_point move_random(const struct explore *, struct chance *);
struct explore_point move_child(const struct explore *, struct chance *, const struct explore_seen *mother,
                                const struct explore_seen *father);
// Lists the points that differ from this point in one key: by one place in the key's list of values, or because they
// have the spec's own value. Returns their number, at most 3 * EXPLORE_KEYS.
int move_neighbours(const struct explore *, const struct explore_point *, struct explore_point *);

// Gives each point a rank by its figures; 0 is the best. The rank of a point that meets the limits is the number of
// fronts before its front. Points that miss a limit follow, the smallest miss first. index: the points to rank, as
// indices in `seen`. rank[i] belongs to index[i].
void front_ranks(const struct explore *, const struct explore_seen *, const int *index, int count, int *rank);

#endif
