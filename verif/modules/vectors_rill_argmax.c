// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_argmax_tb, one hexadecimal word of 32 bits per line: the number of firings, then for each
// firing: ntok, ntok*N elements (token by token), ntok ids, and the high and the low word of the hash of the last
// token's elements (rill_logits_hash).
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

enum { FIRINGS = 40 };

// Returns one of a few values, so that ties, zeros of both signs and subnormals occur, or any finite value.
// kind 0: any finite value; 1: only zeros and subnormals; 2: also negative values; 3: all of the few values.
static float element(struct vectors *v, int kind) {
    static const uint32_t few[] = {0x00000000, 0x80000000, 0x00000001, 0x80400000,
                                   0xbf800000, 0xc0000000, 0x80800000, 0x3f800000};
    if (kind == 0) return vectors_value(v, 127, 127);
    return g_float(few[vectors_random(v) % (kind == 1 ? 4 : kind == 2 ? 7 : 8)]);
}

// Computes the hash from the weights of its definition. logits_hash (gen/base/base.h) computes it from sums instead.
static uint64_t row_hash(size_t n, const float x[]) {
    uint64_t blocks = (n + 31) / 32, sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (2 * (blocks - i / 32) - 1) * ((uint64_t)1 << (31 - i % 32)) * (uint32_t)~g_bits(x[i]);
    return sum;
}

// Prints a firing: its tokens' elements, ids and hash.
static void print_firing(struct vectors *v, size_t n, int ntok) {
    float *x = malloc(n * sizeof *x);
    size_t ids[8];
    struct golden_fault fault = {0};
    printf("%x\n", (unsigned)ntok);
    for (int t = 0; t < ntok; t++) {
        int kind = (int)(vectors_random(v) % 4);
        for (size_t i = 0; i < n; i++) {
            x[i] = element(v, kind);
            printf("%08" PRIx32 "\n", g_bits(x[i]));
        }
        ids[t] = golden_argmax(n, x, &fault);
    }
    for (int t = 0; t < ntok; t++) printf("%zx\n", ids[t]);
    uint64_t hash = row_hash(n, x);
    printf("%08" PRIx64 "\n%08" PRIx64 "\n", hash >> 32, hash & 0xffffffff);
    free(x);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    size_t n = (size_t)vectors_argument(argc, argv, "N", 1);
    int tokens = (int)vectors_argument(argc, argv, "TOKENS", 1);
    printf("%x\n", FIRINGS);
    for (int f = 0; f < FIRINGS; f++) print_firing(&v, n, 1 + (int)(vectors_random(&v) % (uint64_t)tokens));
    return 0;
}
