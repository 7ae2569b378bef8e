// SPDX-License-Identifier: Apache-2.0
// Prints firings of at most NTOK tokens for rill_quantize_tb. Each token of a firing has N elements, or with RANDOM the
// same random number of 1 to N elements. The middle firing has an infinity with FAULT 1, or a block exponent just above
// its range with FAULT 2.
#include <math.h>

#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 16 };

struct shape {
    size_t n, block;                // elements per token of the firing; elements of a block
    int bits, exp_min, fire_blocks; // width of a mantissa; EXP_MIN and FIRE_BLOCKS of rill_quantize
};

// Prints the units of block b, in order tok, unit. before: units of a token that the output firing already has. closes:
// the block ends the output firing, so it may need a zero unit, and its last unit has tlast. Returns the units of a
// token that the output firing has then; 0 if it has ended.
static size_t print_block(const struct stream *s, const struct shape *p, size_t b, int ntok, size_t before, int closes,
                          const int16_t q[], const uint8_t shift[], size_t blocks) {
    size_t xs = (size_t)s->beat_bits / 8, first = b * p->block;
    size_t length = p->n - first < p->block ? p->n - first : p->block, units = (length + xs - 1) / xs;
    int pad = closes && (before + units) % 2;
    for (int t = 0; t < ntok; t++) {
        for (size_t u = 0; u < units + (size_t)pad; u++) {
            size_t at = u * xs, count = at < length ? length - at : 0;
            printf("y ");
            stream_mantissas(xs, u < units ? shift[(size_t)t * blocks + b] : 0, p->bits, count,
                             q + (size_t)t * p->n + first + at);
            stream_mark(s, t, ntok, closes && u == units + (size_t)pad - 1);
        }
    }
    return closes ? 0 : before + units;
}

// Fills the blocks of x[n] with values of very different size, with zeros, and with values around and below the
// smallest block exponent.
static void fill(struct vectors *v, const struct shape *p, float x[]) {
    for (size_t first = 0; first < p->n; first += p->block) {
        size_t length = p->n - first < p->block ? p->n - first : p->block;
        // least: exponent field whose values have the block exponent exp_min
        int kind = stream_below(v, 6), least = 125 + p->bits + p->exp_min;
        int centre = kind == 1 ? least - stream_below(v, 12) : least + stream_below(v, 33 - p->bits);
        for (size_t i = first; i < first + length; i++) {
            x[i] = kind == 0 ? g_float((uint32_t)stream_below(v, 2) << 31) : vectors_value(v, centre, 5);
            if (kind == 2 && i == first) // almost 2^k: clamps to the largest mantissa
                x[i] = g_float((uint32_t)(centre + 5) << 23 | 0x7fffff);
        }
    }
}

// Prints a firing. spoiled: one value must raise the fault.
static void firing(const struct stream *s, struct vectors *v, const struct shape *p, int ntok, int spoiled) {
    size_t blocks = golden_block_count(p->n, p->block), all = p->n * (size_t)ntok, units = 0;
    float *x = stream_alloc(all);
    int16_t *q = (int16_t *)stream_alloc(all);
    uint8_t *shift = (uint8_t *)stream_alloc(blocks * (size_t)ntok);
    struct golden_fault fault = {0};
    for (int t = 0; t < ntok; t++) fill(v, p, x + (size_t)t * p->n);
    if (spoiled) x[stream_below(v, (int)all)] = s->fault == 1 ? g_float(0x7f800000u) : ldexpf(1, p->exp_min + 38);
    for (int t = 0; t < ntok; t++)
        golden_quantize_mx(p->n, p->block, p->bits, p->exp_min, x + (size_t)t * p->n, q + (size_t)t * p->n,
                           shift + (size_t)t * blocks, &fault);
    stream_vector(s, "x", ntok, p->n, x, 1);
    for (size_t b = 0; b < blocks; b++) {
        int closes = b == blocks - 1 || (p->fire_blocks && (b + 1) % (size_t)p->fire_blocks == 0);
        units = print_block(s, p, b, ntok, units, closes, q, shift, blocks);
    }
    free(x);
    free(q);
    free(shift);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    struct shape p = {.block = (size_t)vectors_argument(argc, argv, "BLOCK", 32),
                      .bits = (int)vectors_argument(argc, argv, "X_BITS", 8),
                      .exp_min = (int)vectors_argument(argc, argv, "EXP_MIN", -24),
                      .fire_blocks = (int)vectors_argument(argc, argv, "FIRE_BLOCKS", 0)};
    int n = (int)vectors_argument(argc, argv, "N", 32), random = (int)vectors_argument(argc, argv, "RANDOM", 0),
        most = (int)vectors_argument(argc, argv, "NTOK", s.tokens);
    for (int f = 0; f < FIRINGS; f++) {
        int ntok = f ? stream_tokens(&s, &v) : s.tokens;
        p.n = (size_t)(random ? 1 + stream_below(&v, n) : n);
        firing(&s, &v, &p, ntok < most ? ntok : most, s.fault && f == FIRINGS / 2);
    }
    return 0;
}
