// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_sample_tb as hexadecimal words: the number of firings, then for each firing: a flag (1: its
// settings differ from those of the previous firing), for each of the ROWS rows of settings inverse, top_k, min_p, seed
// low, seed high and position, then ntok, ntok*N elements (token by token), ntok ids, and the high and the low word of
// the last token's hash (rill_logits_hash).
#include "gen/numerics/numerics.h"
#include "gen/numerics/sample.h"
#include "verif/modules/vectors_rill_fp32.h"

enum { FIRINGS = 48, SAME = 2 /* firings under the same settings */ };

// Returns one of a few values, so that ties, zeros of both signs and subnormals occur. kind 1: only zeros and
// subnormals; 2: also negative values; 3: all of the few values. kind 0: a random value instead, of either sign and
// from 2^-8 to below 2^9.
static float element(struct vectors *v, int kind) {
    static const uint32_t few[] = {0x00000000, 0x80000000, 0x00000001, 0x80400000,
                                   0xbf800000, 0xc0000000, 0x80800000, 0x3f800000};
    if (kind == 0) return vectors_value(v, 127, 8);
    return g_float(few[vectors_random(v) % (kind == 1 ? 4 : kind == 2 ? 7 : 8)]);
}

// Computes the hash from the weights of its definition. logits_hash (gen/base/base.h) computes it from sums instead.
static uint64_t row_hash(size_t n, const float x[]) {
    uint64_t blocks = (n + 31) / 32, sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (2 * (blocks - i / 32) - 1) * ((uint64_t)1 << (31 - i % 32)) * (uint32_t)~g_bits(x[i]);
    return sum;
}

// Returns settings whose kind follows from `turn` in a cycle of six: the largest element; a choice among all ids
// (twice); a list of top_k; a list that min_p shortens (twice). most: ids in the longest list (TOP_K).
static struct sampling settings(struct vectors *v, int turn, uint32_t most) {
    static const float inverse[] = {1, 0.01f, 8, 1e-3f, 1.25f}, min_p[] = {0.5f, 1, 0.05f, 1e-30f};
    struct sampling s = {.seed = vectors_random(v)};
    if (turn % 6 != 0) s.inverse = g_bits(inverse[vectors_random(v) % 5]);
    if (turn % 6 >= 3) s.top_k = 1 + (uint32_t)(vectors_random(v) % most);
    if (turn % 6 == 5) s.top_k = most;
    if (turn % 6 >= 4) s.min_p = g_bits(min_p[vectors_random(v) % 4]);
    if (turn % 12 == 6) s.top_k = most; // with inverse 0 a list has no effect
    return s;
}

// Settings and position of a row.
struct row {
    struct sampling s;
    int64_t position;
};

// Returns the id that the module must give. The list of top_k serves only the tokens for which `listed` is true. Others
// get their largest element.
static size_t choose(size_t n, const float x[], const struct sampling *s, bool listed, uint32_t most,
                     int64_t position) {
    struct golden_fault fault = {0};
    size_t id = s->top_k && !listed ? golden_argmax(n, x, &fault) : golden_sample(n, x, s, most, position, &fault);
    if (fault.raised) exit(1);
    return id;
}

static void print_settings(const struct row *r) {
    const struct sampling *s = &r->s;
    printf("%08" PRIx32 "\n%" PRIx32 "\n%08" PRIx32 "\n%08" PRIx32 "\n%08" PRIx32 "\n%" PRIx64 "\n", s->inverse,
           s->top_k, s->min_p, (uint32_t)s->seed, (uint32_t)(s->seed >> 32), r->position);
}

// Prints a firing: its tokens' elements, ids and hash.
static void print_firing(struct vectors *v, size_t n, int ntok, const struct row row[], int rows, uint32_t most) {
    float *x = malloc(n * sizeof *x);
    size_t ids[8];
    printf("%x\n", (unsigned)ntok);
    for (int t = 0; t < ntok; t++) {
        int kind = (int)(vectors_random(v) % 4);
        for (size_t i = 0; i < n; i++) {
            x[i] = element(v, kind);
            printf("%08" PRIx32 "\n", g_bits(x[i]));
        }
        const struct row *r = &row[rows > 1 ? t : 0];
        ids[t] = choose(n, x, &r->s, rows > 1 || t == ntok - 1, most, r->position + (rows > 1 ? 0 : t));
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
    uint32_t most = (uint32_t)vectors_argument(argc, argv, "TOP_K", 1);
    int rows = (int)vectors_argument(argc, argv, "ROWS", 1);
    struct row row[8] = {0};
    printf("%x\n", FIRINGS);
    for (int f = 0; f < FIRINGS; f++) {
        bool fresh = rows > 1 || f % SAME == 0;
        printf("%x\n", fresh);
        for (int r = 0; r < rows; r++) {
            int turn = rows > 1 ? f + r * (1 + f / 12) : f / SAME; // so that all kinds meet in the rows of a firing
            if (fresh) row[r] = (struct row){settings(&v, turn, most), (int64_t)(vectors_random(&v) % 60000)};
            print_settings(&row[r]);
        }
        print_firing(&v, n, 1 + (int)(vectors_random(&v) % (uint64_t)tokens), row, rows, most);
    }
    return 0;
}
