// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_logprobs_tb as hexadecimal words: the number of firings, then for each firing: ntok, ntok*N
// elements (token by token), and for each token a chosen id and the 16 words of its record.
#include "gen/numerics/logprobs.h"
#include "verif/modules/vectors_rill_fp32.h"

enum { FIRINGS = 30 };

// Returns an element. kind 0: any finite value; 1: zeros of both signs and subnormals; 2: one of a few values, so that
// elements are equal; 3: values as logits have them; 4: rises with i, so that every element enters the list.
static float element(struct vectors *v, int kind, size_t i) {
    static const uint32_t few[] = {0x00000000, 0x80000000, 0x00000001, 0x80400000,
                                   0xbf800000, 0xc0000000, 0x41800000, 0x3f800000};
    if (kind == 0) return vectors_value(v, 127, 127);
    if (kind <= 2) return g_float(few[vectors_random(v) % (kind == 1 ? 4 : 8)]);
    if (kind == 3) return (float)((double)(vectors_random(v) % 2000000) * 1e-5 - 100);
    return -50 + 0.25f * (float)i;
}

static void print_token(struct vectors *v, size_t n, const float x[], int top) {
    uint32_t record[LOGPROBS_WORDS], id = (uint32_t)(vectors_random(v) % n);
    golden_logprobs(n, x, id, top, record);
    printf("%" PRIx32 "\n", id);
    for (int i = 0; i < LOGPROBS_WORDS; i++) printf("%08" PRIx32 "\n", record[i]);
}

static void print_firing(struct vectors *v, size_t n, int ntok, int top, int firing) {
    float *x = malloc(n * (size_t)ntok * sizeof *x);
    printf("%x\n", (unsigned)ntok);
    for (size_t i = 0; i < n * (size_t)ntok; i++) {
        x[i] = element(v, (firing + (int)(i / n)) % 5, i % n);
        printf("%08" PRIx32 "\n", g_bits(x[i]));
    }
    for (int t = 0; t < ntok; t++) print_token(v, n, x + n * (size_t)t, top);
    free(x);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    size_t n = (size_t)vectors_argument(argc, argv, "N", 1);
    int rows = (int)vectors_argument(argc, argv, "ROWS", 1), top = (int)vectors_argument(argc, argv, "TOP", 5);
    printf("%x\n", FIRINGS);
    for (int f = 0; f < FIRINGS; f++) print_firing(&v, n, 1 + (int)(vectors_random(&v) % (uint64_t)rows), top, f);
    return 0;
}
