// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_kv_scale_tb in the form of vectors_rill_kernel.h. Port 0: step words; 1: kv units; 2:
// expected words of scales.
#include "gen/ir/fields.h"
#include "verif/modules/vectors_rill_kernel.h"

// Parameters of the bench, with their names in lower case. xs: bytes of a beat.
struct shape {
    size_t layers, heads, units, context, xs, replays, window, each, channels, together;
};

// Prints a step word.
static void print_step(size_t pos, int ntok) {
    printf("0 %016" PRIx64 " 0 0\n", field_put(STEP_NTOK, (uint64_t)ntok) | field_put(STEP_POS, pos));
}

// Prints the units of one head and stores the scales of its tokens.
static void print_units(struct kernel *k, const struct shape *s, size_t pos, float store[], bool last) {
    int8_t q[64];
    for (int t = 0; t < k->ntok; t++) {
        float scale = vectors_value(&k->random, 120, 6);
        store[pos + (size_t)t] = scale;
        for (size_t u = 0; u < s->units; u++) {
            for (size_t i = 0; i < s->xs; i++) q[i] = (int8_t)vectors_random(&k->random);
            // Only the scale of unit 0 is used.
            uint32_t head = u ? (uint32_t)vectors_random(&k->random) : g_bits(scale);
            kernel_print_units(k, 1, s->xs, 1, s->xs, q, head, 8, t, last && t == k->ntok - 1 && u == s->units - 1);
        }
    }
}

// Returns the first position of a layer that is sent: the last common multiple of 64 and of the keys' channels that is
// not after the start of the first token's window.
static size_t begin_of(const struct shape *s, size_t layer, size_t pos) {
    size_t window = s->each && layer % 2 ? 0 : s->window + layer, unit = 64;
    while (unit % s->channels) unit += 64;
    return s->window && window && pos >= window ? (pos - window + 1) / unit * unit : 0;
}

int main(int argc, char **argv) {
    struct kernel k = kernel_start(argc, argv);
    struct shape s = {(size_t)vectors_argument(argc, argv, "LAYERS", 1),
                      (size_t)vectors_argument(argc, argv, "HEADS", 1),
                      (size_t)vectors_argument(argc, argv, "UNITS", 1),
                      (size_t)vectors_argument(argc, argv, "CONTEXT", 1),
                      (size_t)vectors_argument(argc, argv, "BEAT_BITS", 256) / 8,
                      (size_t)vectors_argument(argc, argv, "REPLAYS", 1),
                      (size_t)vectors_argument(argc, argv, "WINDOW", 0),
                      (size_t)vectors_argument(argc, argv, "EACH", 0),
                      (size_t)vectors_argument(argc, argv, "CHANNELS", 1),
                      (size_t)vectors_argument(argc, argv, "TOGETHER", 1)};
    float *store = calloc(s.layers * s.heads * s.context, sizeof *store);
    struct golden_fault fault = {0};
    for (size_t pos = 0; pos < s.context; pos += (size_t)k.ntok) {
        kernel_next_firing(&k);
        if (pos + (size_t)k.ntok > s.context) k.ntok = (int)(s.context - pos);
        print_step(pos, k.ntok);
        for (size_t i = 0; i < s.layers * s.heads; i++) {
            size_t from = begin_of(&s, i / s.heads, pos), n = pos + (size_t)k.ntok - from;
            print_units(&k, &s, pos, store + i * s.context, i % s.heads == s.heads - 1);
            for (size_t r = 0; r < s.replays / (k.ntok == 1 ? s.together : 1); r++)
                for (size_t c = 0; c < kernel_chunks(&k, n); c++)
                    kernel_print_bare(&k, 2, n, store + i * s.context + from, c);
        }
    }
    free(store);
    return kernel_end(&k, &fault);
}
