// SPDX-License-Identifier: Apache-2.0
// Functions that print stream words for the benches of the vector kernels, as lines "tag data user last" (hexadecimal)
// in the order of docs/rtl.md section 3. rill_file_driver and rill_file_monitor read them.
#ifndef VECTORS_RILL_STREAM_H
#define VECTORS_RILL_STREAM_H

#include "gen/ir/fields.h"
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

enum { STREAM_TOKENS_MAX = 8 };

struct stream {
    int lanes, tokens, beat_bits; // LANES, TOKENS and BEAT_BITS of the bench
    int fault;                    // FAULT of the bench; not 0: some firing has values that must raise the fault
};

// Takes the bench's parameters from the arguments, with defaults for those that are not given.
static inline struct stream stream_start(int argc, char **argv) {
    struct stream s = {(int)vectors_argument(argc, argv, "LANES", 1), (int)vectors_argument(argc, argv, "TOKENS", 1),
                       (int)vectors_argument(argc, argv, "BEAT_BITS", 512),
                       (int)vectors_argument(argc, argv, "FAULT", 0)};
    return s;
}

// Returns a random number from 0 to bound - 1.
static inline int stream_below(struct vectors *v, int bound) { return (int)(vectors_random(v) % (uint64_t)bound); }

// Returns the number of active tokens of a firing, 1 to TOKENS, mostly TOKENS.
static inline int stream_tokens(const struct stream *s, struct vectors *v) {
    return stream_below(v, 3) ? s->tokens : 1 + stream_below(v, s->tokens);
}

// Prints "user last" of a word of token `tok` of ntok. end: it is the token's last word in the firing.
static inline void stream_mark(const struct stream *s, int tok, int ntok, int end) {
    int tok_bits = s->tokens > 4 ? 3 : s->tokens > 2 ? 2 : 1;
    printf(" %x %x\n", (unsigned)((tok == ntok - 1) << tok_bits | tok), (unsigned)(end && tok == ntok - 1));
}

// Prints LANES values from x[first..n), +0.0 after n, the highest element first, as digits of a number are written.
static inline void stream_lanes(const struct stream *s, size_t n, size_t first, const float x[]) {
    for (size_t i = (size_t)s->lanes; i-- > 0;) printf("%08" PRIx32, first + i < n ? g_bits(x[first + i]) : 0);
}

// Prints a vector stream x[ntok][n]; `last`: the firing ends here.
static inline void stream_vector(const struct stream *s, const char *tag, int ntok, size_t n, const float x[],
                                 int last) {
    for (size_t first = 0; first < n; first += (size_t)s->lanes) {
        for (int tok = 0; tok < ntok; tok++) {
            printf("%s ", tag);
            stream_lanes(s, n, first, x + (size_t)tok * n);
            stream_mark(s, tok, ntok, last && first + (size_t)s->lanes >= n);
        }
    }
}

// Prints a stream of words without marks. A word has LANES values of each of `vectors` arrays x[k][n], array 0 low.
static inline void stream_bare(const struct stream *s, const char *tag, int vectors, size_t n, const float *const x[]) {
    for (size_t first = 0; first < n; first += (size_t)s->lanes) {
        printf("%s ", tag);
        for (int k = vectors; k-- > 0;) stream_lanes(s, n, first, x[k]);
        printf(" 0 0\n");
    }
}

// Prints the tag and one unit {head, q}, without user and last: a scale in 8 digits, then XS = beat_bits / 8 bytes from
// q[0..count), zeros after count.
static inline void stream_unit(const struct stream *s, const char *tag, uint32_t head, size_t count, const int8_t q[]) {
    printf("%s %08" PRIx32, tag, head);
    for (size_t i = (size_t)s->beat_bits / 8; i-- > 0;) printf("%02x", i < count ? (unsigned)(uint8_t)q[i] : 0u);
}

// Prints a unit {exponent, q}: the exponent in 2 digits, then xs mantissas of `bits` bits each from q[0..count), zeros
// after count. The mantissas are printed in groups of four, because four of any width fill whole digits.
static inline void stream_mantissas(size_t xs, unsigned exponent, int bits, size_t count, const int16_t q[]) {
    printf("%02x", exponent);
    for (size_t i = xs; i > 0; i -= 4) {
        uint64_t four = 0;
        for (size_t k = i - 4; k < i; k++)
            if (k < count) four |= ((uint64_t)q[k] & ((1u << bits) - 1)) << bits * (int)(k - (i - 4));
        printf("%0*" PRIx64, bits, four);
    }
}

// Prints a step word in which all fields but NTOK and POS are 0.
static inline void stream_step(int pos, int ntok) {
    printf("step %016llx 0 0\n",
           (unsigned long long)(field_put(STEP_NTOK, (uint64_t)ntok) | field_put(STEP_POS, (uint64_t)pos)));
}

// Fills x[n] with values like activations: magnitudes from about 2^-spread to 2^spread, and some zeros of both signs.
static inline void stream_values(struct vectors *v, size_t n, int spread, float x[]) {
    for (size_t i = 0; i < n; i++)
        x[i] = stream_below(v, 16) ? vectors_value(v, 127, spread) : g_float(stream_below(v, 2) ? 0x80000000u : 0);
}

// With FAULT, makes one value of x[n] infinite.
static inline void stream_spoil(const struct stream *s, struct vectors *v, size_t n, float x[]) {
    if (s->fault) x[stream_below(v, (int)n)] = g_float(0x7f800000u);
}

// Returns an array of n zeros, which the caller frees. Ends the program if there is no memory.
static inline float *stream_alloc(size_t n) {
    float *x = calloc(n ? n : 1, sizeof *x);
    if (!x) exit(1);
    return x;
}

#endif
