// SPDX-License-Identifier: Apache-2.0
// Prints COUNT firings for rill_choose_tb, each with a random number of random values on both inputs. y equals one of
// the inputs. A repetition consists of FIRINGS firings. y is b in repetition r if bit r mod LAYERS of OF is 1, else a.
#include "verif/modules/vectors_rill_stream.h"

enum { COUNT = 40, ELEMENTS_MAX = 40 };

// Prints a firing. of: y is b instead of a.
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
