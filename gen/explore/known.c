// SPDX-License-Identifier: Apache-2.0
// Stores the points that a search has examined, as a list with a hash table. Also has the generator of random numbers.
#include "gen/explore/known.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 }; // of the hash table; a power of two, as after each doubling

static void *allocate(size_t count, size_t size) {
    void *p = calloc(count, size);
    if (!p) base_fatal("no memory for %zu points", count);
    return p;
}

static void clear_slots(struct known *k, int slots) {
    free(k->slot);
    k->slots = slots;
    k->slot = allocate((size_t)slots, sizeof *k->slot);
    for (int i = 0; i < slots; i++) k->slot[i] = -1;
}

void known_init(struct known *k, const struct explore *x) {
    *k = (struct known){.x = x};
    clear_slots(k, FIRST_SLOTS);
}

void known_free(struct known *k) {
    free(k->item);
    free(k->slot);
}

// Returns the slot of a point, or the free slot for it (open addressing).
static int *slot_of(const struct known *k, const struct explore_point *p) {
    for (uint64_t at = explore_hash(k->x, p);; at++) {
        int *slot = &k->slot[at & (uint64_t)(k->slots - 1)];
        if (*slot < 0 || !memcmp(&k->item[*slot].point, p, sizeof *p)) return slot;
    }
}

int known_find(const struct known *k, const struct explore_point *p) { return *slot_of(k, p); }

// Makes room for another point. The table has at least twice as many slots as the list has places, so a look-up takes
// few steps.
static void grow(struct known *k) {
    if (k->count < k->capacity) return;
    k->capacity = k->capacity ? 2 * k->capacity : FIRST_SLOTS / 2;
    struct explore_seen *more = realloc(k->item, (size_t)k->capacity * sizeof *more);
    if (!more) base_fatal("no memory for %d points", k->capacity);
    k->item = more;
    clear_slots(k, 2 * k->capacity);
    for (int i = 0; i < k->count; i++) *slot_of(k, &k->item[i].point) = i;
}

int known_put(struct known *k, const struct explore_point *p, const struct explore_result *r) {
    grow(k);
    int *slot = slot_of(k, p);
    if (*slot < 0) *slot = k->count++;
    k->item[*slot] = (struct explore_seen){*p, *r};
    return *slot;
}

uint64_t chance_next(struct chance *c) { // splitmix64
    uint64_t z = c->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int chance_below(struct chance *c, int n) { return n > 0 ? (int)(chance_next(c) % (uint64_t)n) : 0; }
