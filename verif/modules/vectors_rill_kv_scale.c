// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_kv_scale_tb. Port 0: step words; 1: kv units; 2: expected words of scales.
// Each word of a stream is a line "port data user last" (port and last are decimal, data and user hexadecimal), in the
// order of the stream. The bench sends the lines of an input port and expects the lines of an output port. The last
// line has port FAULT_PORT; its data are 1 if the run must raise a fault.
#include "gen/ir/fields.h"
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

enum { FAULT_PORT = 9 };

struct kernel {
    struct vectors random;
    size_t lanes;
    int tokens; // largest number of tokens of a step
    int ntok;   // tokens of the current firing
    bool fault; // FAULT=1: the run must raise one
};

static struct kernel kernel_start(int argc, char **argv) {
    struct kernel k = {.random = vectors_start(argc, argv)};
    k.lanes = (size_t)vectors_argument(argc, argv, "LANES", 1);
    k.tokens = (int)vectors_argument(argc, argv, "TOKENS", 1);
    k.fault = vectors_argument(argc, argv, "FAULT", 0) != 0;
    return k;
}

// Draws the number of tokens of the next firing.
static void kernel_next_firing(struct kernel *k) {
    k->ntok = 1 + (int)(vectors_random(&k->random) % (uint64_t)k->tokens);
}

// Returns tuser of a word: {tok_last, tok}.
static unsigned kernel_user(const struct kernel *k, int tok) {
    int tok_w = k->tokens > 4 ? 3 : k->tokens > 2 ? 2 : 1;
    return (unsigned)((tok == k->ntok - 1) << tok_w | tok);
}

static void kernel_print_side(const struct kernel *k, int tok, bool last) {
    printf(" %x %d\n", kernel_user(k, tok), last);
}

// Prints chunk `chunk` of x[n], padded with +0.0, without a newline. Lane 0 comes last, because it is in the low bits.
static void kernel_print_lanes(const struct kernel *k, size_t n, const float x[], size_t chunk) {
    for (size_t i = k->lanes; i-- > 0;)
        printf("%08" PRIx32, chunk * k->lanes + i < n ? g_bits(x[chunk * k->lanes + i]) : 0);
}

static size_t kernel_chunks(const struct kernel *k, size_t n) { return (n + k->lanes - 1) / k->lanes; }

// Prints a word of a stream without tokens.
static void kernel_print_bare(const struct kernel *k, int port, size_t n, const float x[], size_t chunk) {
    printf("%d ", port);
    kernel_print_lanes(k, n, x, chunk);
    printf(" 0 0\n");
}

// Prints q[count] as `units` units of xs bytes, padded with zeros. Above the bytes of each unit is `head`, with
// head_digits hexadecimal digits. tlast is on the last unit if `last`.
static void kernel_print_units(const struct kernel *k, int port, size_t xs, size_t units, size_t count,
                               const int8_t q[], uint32_t head, int head_digits, int tok, bool last) {
    for (size_t u = 0; u < units; u++) {
        printf("%d %0*" PRIx32, port, head_digits, head);
        for (size_t i = xs; i-- > 0;) printf("%02x", u * xs + i < count ? (unsigned)(uint8_t)q[u * xs + i] : 0u);
        kernel_print_side(k, tok, last && u == units - 1);
    }
}

// Prints the last line. Returns 1, with a message, if the C function raised a fault without FAULT, or raised none with
// FAULT.
static int kernel_end(const struct kernel *k, const struct golden_fault *fault) {
    if (fault->raised != k->fault) {
        fprintf(stderr, "fault %d, wanted %d\n", fault->raised, k->fault);
        return 1;
    }
    printf("%d %d 0 0\n", FAULT_PORT, k->fault);
    return 0;
}

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
