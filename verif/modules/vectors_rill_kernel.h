// SPDX-License-Identifier: Apache-2.0
// Prints words of streams in the format of rill_kv_scale_tb; the other kernels' benches use vectors_rill_stream.h. Each
// word is a line "port data user last" (port and last are decimal, data and user hexadecimal), in the order of the
// stream. The bench sends the lines of an input port and expects the lines of an output port. The last line has port
// FAULT_PORT; its data are 1 if the run must raise a fault.
#ifndef VECTORS_RILL_KERNEL_H
#define VECTORS_RILL_KERNEL_H

#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

// KERNEL_TOKENS: most tokens of a step.
enum { KERNEL_TOKENS = 8, FAULT_PORT = 9 };

struct kernel {
    struct vectors random;
    size_t lanes;
    int tokens; // largest number of tokens of a step
    int ntok;   // tokens of the current firing
    bool fault; // FAULT=1: the run must raise one
};

static inline struct kernel kernel_start(int argc, char **argv) {
    struct kernel k = {.random = vectors_start(argc, argv)};
    k.lanes = (size_t)vectors_argument(argc, argv, "LANES", 1);
    k.tokens = (int)vectors_argument(argc, argv, "TOKENS", 1);
    k.fault = vectors_argument(argc, argv, "FAULT", 0) != 0;
    return k;
}

// Draws the number of tokens of the next firing.
static inline void kernel_next_firing(struct kernel *k) {
    k->ntok = 1 + (int)(vectors_random(&k->random) % (uint64_t)k->tokens);
}

// Returns tuser of a word: {tok_last, tok}.
static inline unsigned kernel_user(const struct kernel *k, int tok) {
    int tok_w = k->tokens > 4 ? 3 : k->tokens > 2 ? 2 : 1;
    return (unsigned)((tok == k->ntok - 1) << tok_w | tok);
}

static inline void kernel_print_side(const struct kernel *k, int tok, bool last) {
    printf(" %x %d\n", kernel_user(k, tok), last);
}

// Prints chunk `chunk` of x[n], padded with +0.0, without a newline. Lane 0 comes last, because it is in the low bits.
static inline void kernel_print_lanes(const struct kernel *k, size_t n, const float x[], size_t chunk) {
    for (size_t i = k->lanes; i-- > 0;)
        printf("%08" PRIx32, chunk * k->lanes + i < n ? g_bits(x[chunk * k->lanes + i]) : 0);
}

static inline size_t kernel_chunks(const struct kernel *k, size_t n) { return (n + k->lanes - 1) / k->lanes; }

// Prints one firing of a vector stream, x[ntok][n], with tlast on the last chunk if `last`.
static inline void kernel_print_vector(const struct kernel *k, int port, size_t n, const float x[], bool last) {
    size_t chunks = kernel_chunks(k, n);
    for (size_t c = 0; c < chunks; c++)
        for (int t = 0; t < k->ntok; t++) {
            printf("%d ", port);
            kernel_print_lanes(k, n, x + (size_t)t * n, c);
            kernel_print_side(k, t, last && c == chunks - 1 && t == k->ntok - 1);
        }
}

// Prints a word of a stream without tokens.
static inline void kernel_print_bare(const struct kernel *k, int port, size_t n, const float x[], size_t chunk) {
    printf("%d ", port);
    kernel_print_lanes(k, n, x, chunk);
    printf(" 0 0\n");
}

// Prints q[count] as `units` units of xs bytes, padded with zeros. Above the bytes of each unit is `head`, with
// head_digits hexadecimal digits. tlast is on the last unit if `last`.
static inline void kernel_print_units(const struct kernel *k, int port, size_t xs, size_t units, size_t count,
                                      const int8_t q[], uint32_t head, int head_digits, int tok, bool last) {
    for (size_t u = 0; u < units; u++) {
        printf("%d %0*" PRIx32, port, head_digits, head);
        for (size_t i = xs; i-- > 0;) printf("%02x", u * xs + i < count ? (unsigned)(uint8_t)q[u * xs + i] : 0u);
        kernel_print_side(k, tok, last && u == units - 1);
    }
}

// Fills x with values around a random power of two from 1/16 to 1. A few elements are instead zero, subnormal, or the
// negative of the element before. spread: largest distance between an exponent and that of the power of two.
static inline void kernel_fill(struct kernel *k, size_t n, float x[], int spread) {
    int centre = 127 - (int)(vectors_random(&k->random) % 5);
    for (size_t i = 0; i < n; i++) {
        uint64_t r = vectors_random(&k->random) % 32;
        x[i] = r == 0            ? 0.0f
               : r == 1          ? g_float(0x80000123)
               : r == 2 && i > 0 ? -x[i - 1]
                                 : vectors_value(&k->random, centre, spread);
    }
}

// Prints the last line. Returns 1, with a message, if the C function raised a fault without FAULT, or raised none with
// it.
static inline int kernel_end(const struct kernel *k, const struct golden_fault *fault) {
    if (fault->raised != k->fault) {
        fprintf(stderr, "fault %d, wanted %d\n", fault->raised, k->fault);
        return 1;
    }
    printf("%d %d 0 0\n", FAULT_PORT, k->fault);
    return 0;
}

#endif
