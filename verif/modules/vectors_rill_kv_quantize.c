// SPDX-License-Identifier: Apache-2.0
// Prints firings of HEADS heads for rill_kv_quantize_tb. With FAULT, one value is infinite in the middle firing.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 12 };

// Prints the expected units of one head, token by token.
static void print_head(const struct stream *s, int ntok, size_t hd, int end, const int8_t q[], const float scale[]) {
    size_t xs = (size_t)s->beat_bits / 8, units = (hd + xs - 1) / xs;
    for (int t = 0; t < ntok; t++) {
        for (size_t u = 0; u < units; u++) {
            stream_unit(s, "y", g_bits(scale[t]), hd - u * xs, q + (size_t)t * hd + u * xs);
            stream_mark(s, t, ntok, end && u == units - 1);
        }
    }
}

// Prints one head of all tokens. zeros: number of elements of the middle token's head that are zero. key: the scales
// are those of keys. end: it is the last head of the firing. spoiled: with FAULT, one value is infinite.
static void head(const struct stream *s, struct vectors *v, int ntok, size_t hd, size_t zeros, int key, int end,
                 int spoiled) {
    float *x = stream_alloc(hd * (size_t)ntok), scale[STREAM_TOKENS_MAX];
    int8_t *q = (int8_t *)stream_alloc(hd * (size_t)ntok);
    struct golden_fault fault = {0};
    stream_values(v, hd * (size_t)ntok, 6, x);
    if (spoiled) stream_spoil(s, v, hd * (size_t)ntok, x);
    for (int t = 0; t < ntok; t++) {
        for (size_t i = 0; i < zeros && t == ntok / 2; i++) x[(size_t)t * hd + i] = 0;
        scale[t] = golden_quantize_kv(hd, x + (size_t)t * hd, q + (size_t)t * hd, &fault);
        scale[t] = key ? golden_k_scale(scale[t], golden_rsqrt_head(hd), &fault) : scale[t];
    }
    stream_vector(s, "x", ntok, hd, x, end);
    print_head(s, ntok, hd, end, q, scale);
    free(x);
    free(q);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    int heads = (int)vectors_argument(argc, argv, "HEADS", 1), key = (int)vectors_argument(argc, argv, "USE_RSQRT", 0);
    size_t hd = (size_t)vectors_argument(argc, argv, "HEAD_DIM", 32);
    for (int f = 0; f < FIRINGS; f++) {
        int ntok = f ? stream_tokens(&s, &v) : s.tokens;
        for (int h = 0; h < heads; h++) {
            size_t zeros = (f + h) % 3 == 1 ? hd : (f + h) % 3 == 2 ? (size_t)stream_below(&v, (int)hd) : 0;
            head(&s, &v, ntok, hd, zeros, key, h == heads - 1, f == FIRINGS / 2 && h == 0);
        }
    }
    return 0;
}
