// SPDX-License-Identifier: Apache-2.0
// Prints COUNT firings for rill_choose_tb. All tokens of a firing have the same random number of random values on both
// inputs. FIRINGS consecutive firings form a repetition. In repetition r, the output y equals b if bit r mod LAYERS of
// OF is 1, and a otherwise.
#include "verif/modules/vectors_rill_stream.h"

enum { COUNT = 40, ELEMENTS_MAX = 40 };

// Prints a firing. of: 1 if y is b, 0 if y is a.
static void firing(const struct stream *s, struct vectors *v, int of) {
    static float a[STREAM_TOKENS_MAX * ELEMENTS_MAX], b[STREAM_TOKENS_MAX * ELEMENTS_MAX];
    int ntok = stream_tokens(s, v);
    size_t n = 1 + (size_t)stream_below(v, ELEMENTS_MAX), all = n * (size_t)ntok;
    stream_values(v, all, 40, a);
    stream_values(v, all, 40, b);
    stream_vector(s, "a", ntok, n, a, 1);
    stream_vector(s, "b", ntok, n, b, 1);
    stream_vector(s, "y", ntok, n, of ? b : a, 1);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    int firings = (int)vectors_argument(argc, argv, "FIRINGS", 1),
        layers = (int)vectors_argument(argc, argv, "LAYERS", 1);
    int64_t of = vectors_argument(argc, argv, "OF", 0);
    for (int f = 0; f < COUNT; f++) firing(&s, &v, (int)(of >> (f / firings % layers) & 1));
    return 0;
}
