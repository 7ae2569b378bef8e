// SPDX-License-Identifier: Apache-2.0
// Prints steps for rill_softmax_tb, at the first, the last and random positions. A step has a firing for each layer and
// head or, in a step of one token with TOGETHER above 1, for each layer and TOGETHER heads. A token attends to WINDOW
// positions, or to all if WINDOW is 0. With EACH, odd layers attend to all, and even layers l to WINDOW + l positions.
#include "verif/modules/vectors_rill_stream.h"

enum { STEPS = 6 };

// Prints a firing. pos: place of the first token among the firing's positions. alone: its tokens are query heads of one
// token. cap: soft cap of the scores, 0 for none. window: positions that a token attends to, 0 for all. spoiled: one
// score is infinite.
static void firing(const struct stream *s, struct vectors *v, double cap, int window, int pos, int ntok, bool alone,
                   int spoiled) {
    size_t n = (size_t)(pos + (alone ? 1 : ntok));
    float *raw = stream_alloc(n * (size_t)ntok), *p = stream_alloc(n * (size_t)ntok), *kscale = stream_alloc(n),
          *vscale = stream_alloc(n);
    struct golden_fault fault = {0};
    stream_values(v, n * (size_t)ntok, 5, raw);
    if (spoiled) raw[0] = g_float(0x7f800000u);
    for (size_t i = 0; i < n; i++) {
        kscale[i] = g_abs(vectors_value(v, 126, 2));
        vscale[i] = stream_below(v, 9) ? g_abs(vectors_value(v, 120, 6)) : 0.0f;
    }
    for (int t = 0; t < ntok; t++) {
        size_t seen = (size_t)(pos + (alone ? 0 : t) + 1),
               first = window && seen > (size_t)window ? seen - (size_t)window : 0, at = (size_t)t * n + first;
        float inv = golden_softmax(seen - first, cap, raw + at, kscale + first, vscale + first, p + at, &fault);
        printf("inv %08" PRIx32, g_bits(inv));
        stream_mark(s, t, ntok, 1);
        if (t + 1 < ntok && !alone && stream_below(v, 2)) // a score after the token's position may be NaN
            raw[(size_t)t * n + seen] = g_float(0x7fc00000u);
        if (first && stream_below(v, 2)) raw[at - 1] = g_float(0x7fc00000u);
    }
    stream_vector(s, "s", ntok, n, raw, 1);
    stream_bare(s, "kscale", 1, n, (const float *const[]){kscale});
    stream_bare(s, "vscale", 1, n, (const float *const[]){vscale});
    stream_vector(s, "p", ntok, n, p, 1);
    free(raw);
    free(p);
    free(kscale);
    free(vscale);
}

// Returns the first position of a layer's firings: the last multiple of 64 and of the keys' channels up to the first
// position of the first token's window.
static int begin_of(int window, int channels, int pos) {
    int unit = 64;
    while (unit % channels) unit += 64;
    return window && pos >= window ? (pos - window + 1) / unit * unit : 0;
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    int heads = (int)vectors_argument(argc, argv, "HEADS", 1), layers = (int)vectors_argument(argc, argv, "LAYERS", 1);
    int context = (int)vectors_argument(argc, argv, "CONTEXT", 16);
    int window = (int)vectors_argument(argc, argv, "WINDOW", 0);
    bool each = vectors_argument(argc, argv, "EACH", 0) != 0;
    int channels = (int)vectors_argument(argc, argv, "CHANNELS", 1);
    double cap = (double)vectors_argument(argc, argv, "CAP", 0);
    int together = (int)vectors_argument(argc, argv, "TOGETHER", 1);
    for (int k = 0; k < STEPS; k++) {
        int ntok = k ? stream_tokens(&s, &v) : s.tokens;
        if (together > 1 && k % 2) ntok = 1;
        bool alone = together > 1 && ntok == 1;
        int pos = k == 0 ? 0 : k == 1 ? context - ntok : stream_below(&v, context - ntok + 1);
        stream_step(pos, ntok);
        for (int f = 0; f < heads * layers; f += alone ? together : 1) {
            int layer = f / heads, seen = !each ? window : layer % 2 ? 0 : window + layer;
            firing(&s, &v, cap, seen, pos - begin_of(seen, channels, pos), alone ? together : ntok, alone,
                   s.fault && k == STEPS / 2 && f == 0);
        }
    }
    return 0;
}
