// SPDX-License-Identifier: Apache-2.0
// Prints firings of random values for the bench of an elementwise kernel with one operand (unary_bench.vh).
// The first arguments are the operation's name and its attributes, with `-` for an attribute that is not given. With
// the name `function`, the argument FUNCTION=n selects operation n of rill_unary with its attributes
// (vectors_rill_unary.h). EXACT=1 and CHOICE=n set the first attribute of other operations. N=n sets the elements of a
// token.
#include <math.h>
#include <string.h>

#include "verif/modules/vectors_rill_stream.h"
#include "verif/modules/vectors_rill_unary.h"

enum { FIRINGS = 30, ELEMENTS_MAX = 100 };

struct operation {
    golden_unary *run;
    double given[GOLDEN_UNARY_ATTRIBUTES]; // attributes; NAN: not given
    size_t n;                              // elements of a firing per token; 0: random
};

// Prints a firing. spoiled: with FAULT, one value is infinite.
static void firing(const struct operation *o, const struct stream *s, struct vectors *v, int spoiled) {
    static float a[STREAM_TOKENS_MAX * ELEMENTS_MAX], y[STREAM_TOKENS_MAX * ELEMENTS_MAX];
    struct golden_fault fault = {0};
    int ntok = stream_tokens(s, v);
    size_t n = o->n ? o->n : 1 + (size_t)stream_below(v, ELEMENTS_MAX), all = n * (size_t)ntok;
    stream_values(v, all, 12, a);
    if (spoiled) stream_spoil(s, v, all, a);
    o->run(all, o->given, a, y, &fault);
    stream_vector(s, "x", ntok, n, a, 1);
    stream_vector(s, "y", ntok, n, y, 1);
}

// Returns the operation that the arguments name. `run` is NULL if there is no such operation.
static struct operation named(int argc, char **argv) {
    struct operation o = {.run = argc > 1 ? golden_find_unary(argv[1]) : NULL};
    o.n = (size_t)vectors_argument(argc, argv, "N", 0);
    for (int i = 0; i < GOLDEN_UNARY_ATTRIBUTES; i++) {
        bool given = i + 2 < argc && !strchr(argv[i + 2], '=') && strcmp(argv[i + 2], "-") != 0;
        o.given[i] = given ? strtod(argv[i + 2], NULL) : NAN;
    }
    if (vectors_argument(argc, argv, "EXACT", 0)) o.given[0] = 1;
    if (vectors_argument(argc, argv, "CHOICE", -1) >= 0) o.given[0] = (double)vectors_argument(argc, argv, "CHOICE", 0);
    if (argc < 2 || strcmp(argv[1], "function") != 0) return o;
    const struct vectors_operation *of = &vectors_operations[vectors_argument(argc, argv, "FUNCTION", 0)];
    o.run = golden_find_unary(of->name);
    memcpy(o.given, of->given, sizeof o.given);
    return o;
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    struct operation o = named(argc, argv);
    if (!o.run) return fprintf(stderr, "no operation `%s` in gen/numerics/ops_unary.c\n", argc > 1 ? argv[1] : ""), 1;
    for (int f = 0; f < FIRINGS; f++) firing(&o, &s, &v, f == FIRINGS / 2);
    return 0;
}
