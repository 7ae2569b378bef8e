// SPDX-License-Identifier: Apache-2.0
// Makes random rows, which depend only on the seed, so that `rill sim` and `rill golden` use the same rows.
#include "gen/model/rows.h"

uint64_t rows_random_state(uint64_t seed) { return seed * 0x9e3779b97f4a7c15u + 1; }

// Returns the next number of the generator xorshift64*.
static uint64_t draw(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1du;
}

// Returns a number with a bell-shaped distribution in [-4, 4). About one in 128 is exactly 0.
static float random_value(uint64_t *state) {
    uint64_t r = draw(state);
    if ((r & 127) == 0) return 0.0f;
    int32_t sum = 0;
    for (int i = 0; i < 4; i++) sum += (int32_t)(r >> (8 + 14 * i) & 0x3fff) - 0x2000;
    return (float)sum / 8192.0f + (float)(draw(state) & 0xff) / 2097152.0f;
}

float *rows_random(struct arena *arena, size_t count, uint64_t *state) {
    float *values = ARENA_ARRAY(arena, float, count);
    for (size_t i = 0; i < count; i++) values[i] = random_value(state);
    return values;
}
