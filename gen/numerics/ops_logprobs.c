// SPDX-License-Identifier: Apache-2.0
// Makes records of log probabilities. The list of the largest logits is kept as the RTL keeps it: sorted, where a new
// element is inserted after the elements that equal it.
#include "gen/numerics/logprobs.h"

#include <math.h>
#include <string.h>

#include "gen/numerics/fp32.h"

enum { KEY_OF_ZERO = 1u << 31, FIXED_WIDTH = 41 /* bits of an exponential, which is at most 1, with a sign */ };

// key_of maps a logit to an unsigned integer of the same order, and number_of maps it back. A finite number never gives
// 0. Zeros and subnormals give +0.
static uint32_t key_of(float x) {
    uint32_t bits = g_bits(x);
    if (!(bits & 0x7f800000u)) return (uint32_t)KEY_OF_ZERO;
    return bits >> 31 ? ~bits : bits | (uint32_t)KEY_OF_ZERO;
}

static float number_of(uint32_t key) { return g_float(key >> 31 ? key & ~(uint32_t)KEY_OF_ZERO : ~key); }

// Returns exp(x - most) in units of 2^-39; 0 if the difference is not finite.
static uint64_t term(float x, float most) {
    struct golden_fault fault = {0};
    float difference = g_sub(x, most, &fault);
    if (fault.raised) return 0;
    return (uint64_t)g_fix(g_exp(difference, &fault), LOGPROBS_FRACTION, FIXED_WIDTH, &fault);
}

// Inserts element `i` into the list of the `top` largest keys. Key 0 marks an empty place.
static void insert(uint32_t key, uint32_t i, int top, uint32_t keys[], uint32_t ids[]) {
    int at = top;
    while (at > 0 && keys[at - 1] < key) at--;
    for (int j = top - 1; j > at; j--) keys[j] = keys[j - 1], ids[j] = ids[j - 1];
    if (at < top) keys[at] = key, ids[at] = i;
}

void golden_logprobs(size_t n, const float x[], uint32_t id, int top, uint32_t record[LOGPROBS_WORDS]) {
    uint32_t keys[LOGPROBS_MOST] = {0}, ids[LOGPROBS_MOST] = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) insert(key_of(x[i]), (uint32_t)i, top, keys, ids);
    for (size_t i = 0; i < n; i++) sum += term(x[i], number_of(keys[0]));
    memset(record, 0, LOGPROBS_WORDS * sizeof *record);
    record[LOGPROBS_ID] = id;
    record[LOGPROBS_LOGIT] = g_bits(number_of(key_of(x[id])));
    record[LOGPROBS_SUM] = (uint32_t)sum;
    record[LOGPROBS_SUM + 1] = (uint32_t)(sum >> 32);
    for (int i = 0; i < LOGPROBS_MOST; i++) {
        record[LOGPROBS_IDS + i] = i < top && keys[i] ? ids[i] : (uint32_t)LOGPROBS_EMPTY;
        record[LOGPROBS_LOGITS + i] = i < top && keys[i] ? g_bits(number_of(keys[i])) : (uint32_t)LOGPROBS_EMPTY;
    }
}

double logprobs_of(const uint32_t record[LOGPROBS_WORDS], int word) {
    uint64_t sum = (uint64_t)record[LOGPROBS_SUM + 1] << 32 | record[LOGPROBS_SUM];
    double most = g_float(record[LOGPROBS_LOGITS]);
    return g_float(record[word]) - most - log(ldexp((double)sum, -LOGPROBS_FRACTION));
}

int logprobs_listed(const uint32_t record[LOGPROBS_WORDS]) {
    int count = 0;
    while (count < LOGPROBS_MOST && record[LOGPROBS_IDS + count] != (uint32_t)LOGPROBS_EMPTY) count++;
    return count;
}
