// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_gumbel_tb. Each line has the hexadecimal words "key counter random low high". The first three
// have 64 bits. low and high are the noise made from the low and from the high half of `random`. A key is kept for more
// counters than the pipeline has stages, because the bench compares random words only while the key does not change.
#include "gen/numerics/sample.h"
#include "verif/modules/vectors_rill_fp32.h"

enum { KEYS = 6, COUNTERS = 700 };

static void print_line(const uint32_t key[2], const uint32_t counter[2]) {
    uint32_t random[2];
    golden_threefry(key, counter, random);
    printf("%08" PRIx32 "%08" PRIx32 " %08" PRIx32 "%08" PRIx32 " %08" PRIx32 "%08" PRIx32 " %08" PRIx32 " %08" PRIx32
           "\n",
           key[1], key[0], counter[1], counter[0], random[1], random[0], g_bits(g_gumbel(random[0])),
           g_bits(g_gumbel(random[1])));
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    for (int k = 0; k < KEYS; k++) {
        uint64_t seed = k ? vectors_random(&v) : 0;
        uint32_t key[] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
        for (uint32_t c = 0; c < COUNTERS; c++) {
            uint32_t counter[] = {c < 100 ? c : (uint32_t)vectors_random(&v), (uint32_t)k};
            print_line(key, counter);
        }
    }
    return 0;
}
