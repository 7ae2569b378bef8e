// SPDX-License-Identifier: Apache-2.0
// The sums that rill_norm_sums makes of integers X: the sum of X, and the sum of X^2 in three parts. Included by the
// programs for rill_norm_sums_tb and rill_norm_spread_tb.
#ifndef VECTORS_RILL_NORM_H
#define VECTORS_RILL_NORM_H

#include "verif/modules/vectors_rill_stream.h"

struct norm_parts {
    int64_t sum;
    uint64_t high, middle, low; // sum X^2 = high * 2^44 + middle * 2^23 + low
};

// Adds X = fixed, |X| < 2^43, to the sums. |X| is divided into high * 2^22 + low.
static inline void norm_add(struct norm_parts *p, int64_t fixed) {
    uint64_t magnitude = (uint64_t)(fixed < 0 ? -fixed : fixed), high = magnitude >> 22, low = magnitude & 0x3fffff;
    p->sum += fixed;
    p->high += high * high;
    p->middle += high * low;
    p->low += low * low;
}

// Prints "sum high middle low", words of 60 bits in hexadecimal digits.
static inline void norm_print(const struct norm_parts *p) {
    printf("%015llx %015llx %015llx %015llx", (unsigned long long)p->sum & 0xfffffffffffffffull,
           (unsigned long long)p->high, (unsigned long long)p->middle, (unsigned long long)p->low);
}

#endif
