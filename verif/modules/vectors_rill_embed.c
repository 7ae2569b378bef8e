// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_embed_tb, hexadecimal: the table as ROWS * RECORD_BYTES / 4 words of 32 bits, the number of
// firings, then for each firing: ntok, the expected faults (bit 0: an id is out of range; bit 1: a value is not
// finite), ntok ids, and ntok*N elements.
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

enum { FIRINGS = 24, MAX_N = 4096, HUGE_ROW = 2 /* its values overflow */ };

// n: elements of a row. group: elements that share a scale (INT4). A row is stored in record_bytes bytes; its first
// header_bytes hold the scale of the row and the scales of the groups.
struct table {
    size_t n, rows, group, header_bytes, record_bytes;
    enum { INT8, INT4, INT16 } mode;
    uint8_t *bytes;
};

// Fills and prints the table. Row 3 has values near the smallest normal number.
static void fill_table(struct table *t, struct vectors *v) {
    t->bytes = malloc(t->rows * t->record_bytes);
    for (size_t i = 0; i < t->rows * t->record_bytes; i++)
        t->bytes[i] = vectors_random(v) % 5 ? (uint8_t)vectors_random(v) : 0;
    for (size_t r = 0; r < t->rows; r++) {
        uint32_t scale = g_bits(r == HUGE_ROW ? GOLDEN_FP32_MAX
                                : r == 3      ? g_float(0x00900000)
                                              : vectors_value(v, 120, 20));
        memcpy(t->bytes + r * t->record_bytes, &scale, 4);
    }
    for (size_t i = 0; i < t->rows * t->record_bytes; i += 4) {
        uint32_t word;
        memcpy(&word, t->bytes + i, 4);
        printf("%08" PRIx32 "\n", word);
    }
}

// Reads a row of the table and computes its values y[n].
static void embed_row(const struct table *t, size_t row, float y[], struct golden_fault *fault) {
    const uint8_t *record = t->bytes + row * t->record_bytes, *data = record + t->header_bytes;
    int8_t q[MAX_N];
    int16_t wide[MAX_N];
    float scale;
    memcpy(&scale, record, 4);
    for (size_t i = 0; i < t->n; i++) {
        if (t->mode == INT4) q[i] = (int8_t)(((data[i / 2] >> i % 2 * 4 & 15) ^ 8) - 8);
        else if (t->mode == INT8) q[i] = (int8_t)data[i];
        else wide[i] = (int16_t)(data[2 * i] | data[2 * i + 1] << 8);
    }
    if (t->mode == INT16) golden_embed_int16(t->n, wide, scale, y, fault);
    else golden_embed(t->n, t->group, q, t->mode == INT4 ? record + 4 : NULL, scale, y, fault);
}

// Prints a firing. About one id in eight is outside the table; the module then fetches row 0.
static void print_firing(const struct table *t, struct vectors *v, int ntok) {
    static float y[8][MAX_N];
    uint32_t id[8];
    struct golden_fault fault = {0};
    unsigned bad = 0;
    for (int i = 0; i < ntok; i++) {
        bool outside = vectors_random(v) % 8 == 0;
        id[i] = (uint32_t)(vectors_random(v) % t->rows);
        if (outside) // half of these ids are the first one outside of the table
            id[i] = (uint32_t)(t->rows + (vectors_random(v) % 2 ? 0 : vectors_random(v) % 0xfffffff));
        if (outside) bad = 1;
        embed_row(t, outside ? 0 : id[i], y[i], &fault);
    }
    printf("%x %x\n", (unsigned)ntok, bad | (fault.raised ? 2u : 0u));
    for (int i = 0; i < ntok; i++) printf("%08" PRIx32 "\n", id[i]);
    for (int i = 0; i < ntok; i++)
        for (size_t k = 0; k < t->n; k++) printf("%08" PRIx32 "\n", g_bits(y[i][k]));
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    int tokens = (int)vectors_argument(argc, argv, "TOKENS", 1);
    struct table t = {
        .n = (size_t)vectors_argument(argc, argv, "N", 1),
        .rows = (size_t)vectors_argument(argc, argv, "ROWS", 1),
        .group = (size_t)vectors_argument(argc, argv, "GROUP", 64),
        .header_bytes =
            (size_t)(vectors_argument(argc, argv, "HDR_BEATS", 1) * vectors_argument(argc, argv, "BEAT_BITS", 256) / 8),
        .record_bytes = (size_t)vectors_argument(argc, argv, "RECORD_BYTES", 64),
        .mode = vectors_argument(argc, argv, "MODE", INT8),
    };
    fill_table(&t, &v);
    printf("%x\n", FIRINGS);
    for (int f = 0; f < FIRINGS; f++) print_firing(&t, &v, 1 + (int)(vectors_random(&v) % (uint64_t)tokens));
    free(t.bytes);
    return 0;
}
