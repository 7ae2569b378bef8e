// SPDX-License-Identifier: Apache-2.0
// Makes new points from known ones for the genetic search. If the known point exceeds a limit, most moves change keys
// towards less hardware. Otherwise they change keys towards more hardware, for more speed.
#include <stdlib.h>
#include <string.h>

#include "gen/explore/known.h"

// Returns 1 for numeric keys, whose larger values take more hardware; -1 for `pump` and `dies`, whose larger values
// take less of a resource or of each die; 0 for keys that are not numbers.
static int grows(const struct explore_key *k) {
    if (!strcmp(k->name, "pump") || !strcmp(k->name, "dies")) return -1;
    return k->field->type == SCHEMA_INT ? 1 : 0;
}

struct explore_point move_random(const struct explore *x, struct chance *c) {
    struct explore_point p = {{0}};
    for (int k = 0; k < x->keys; k++) p.at[k] = (uint8_t)chance_below(c, x->key[k].values);
    return p;
}

// Moves the index of a value by `way` places in the key's list, unless the list has no such place.
static void step(const struct explore_key *k, uint8_t *at, int way) {
    int to = *at + way;
    if (to >= 0 && to < k->values) *at = (uint8_t)to;
}

// Changes one key. In 7 of 10 cases a numeric key moves by one or two places: to less hardware if `over` (the known
// point is over a limit), else to more. In the other cases, and if it is not numeric, the key gets a random value.
static void change(const struct explore *x, struct chance *c, struct explore_point *p, bool over) {
    enum { GUIDED = 7, OF = 10 }; // GUIDED of OF moves are guided
    int at = chance_below(c, x->keys), way = grows(&x->key[at]) * (over ? -1 : 1);
    const struct explore_key *k = &x->key[at];
    if (way && chance_below(c, OF) < GUIDED) step(k, &p->at[at], way * (1 + chance_below(c, 2)));
    else p->at[at] = (uint8_t)chance_below(c, k->values);
}

struct explore_point move_child(const struct explore *x, struct chance *c, const struct explore_seen *mother,
                                const struct explore_seen *father) {
    struct explore_point p = mother->point;
    bool over = explore_misses(x, &mother->result) > 0;
    for (int k = 0; k < x->keys; k++)
        if (chance_below(c, 3) == 0) p.at[k] = father->point.at[k];
    for (int n = 1 + chance_below(c, 2); n > 0; n--) change(x, c, &p, over);
    return p;
}

int move_neighbours(const struct explore *x, const struct explore_point *p, struct explore_point *out) {
    int count = 0;
    for (int k = 0; k < x->keys; k++) {
        struct explore_point next = *p;
        for (int way = -1; way <= 1; way += 2) {
            next.at[k] = p->at[k];
            step(&x->key[k], &next.at[k], way);
            if (next.at[k] != p->at[k]) out[count++] = next;
        }
        next.at[k] = (uint8_t)x->key[k].own;
        if (abs(next.at[k] - p->at[k]) > 1) out[count++] = next;
    }
    return count;
}
