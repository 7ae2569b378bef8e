// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_norm_spread_tb. Each line has the hexadecimal words "s1 high middle low y": the sums of N
// integers |X| < 2^43 (vectors_rill_norm.h), and the expected result N * sum X^2 - (sum X)^2.
#include "verif/modules/vectors_rill_norm.h"

// Prints a line for numbers whose size depends on k: the largest magnitude for k = 0, then magnitudes of
// 43 - k % 40 bits and a sign.
static void print_vector(struct vectors *v, int n, int k) {
    struct norm_parts p = {0, 0, 0, 0};
    int128 squares = 0;
    int distinct = n < 8 ? n : 8, bits = 44 - k % 40;
    for (int i = 0; i < distinct; i++) { // the last number is added until there are n numbers
        int64_t x = k == 0 ? -((int64_t)1 << 43) + 1 : (int64_t)vectors_random(v) >> (64 - bits);
        for (int64_t j = 0; j < (i == distinct - 1 ? n - distinct + 1 : 1); j++) {
            norm_add(&p, x);
            squares += (int128)x * x;
        }
    }
    int128 y = (int128)n * squares - (int128)p.sum * p.sum;
    norm_print(&p);
    printf(" %014llx%016llx\n", (unsigned long long)(y >> 64) & 0xffffffffffffffull, (unsigned long long)y);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    int n = (int)vectors_argument(argc, argv, "N", 1);
    for (int k = 0; k < 600; k++) print_vector(&v, n, k);
    return 0;
}
