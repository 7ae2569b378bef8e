// SPDX-License-Identifier: Apache-2.0
// Vector kernels: so much per fp32 lane, something for the kernel, and the buffers by shape.
#include "formula.h"

static int64_t lanes(const struct args *a) { return args_int(a, "LANES", 1); }
static int64_t tokens(const struct args *a) { return args_int(a, "TOKENS", 1); }
static int64_t beat_bits(const struct args *a) { return args_int(a, "BEAT_BITS", 512); }
static bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static void kernel(struct cost_resources *r, double lut, double ff) { cost_per(r, 1, lut, ff, 0); }

// rill_bank_buffer: two banks of all tokens' chunks; the register behind LUTRAM is part of a block RAM.
static void banks(const struct args *a, int64_t chunks, struct cost_resources *r) {
    struct cost_resources ram = cost_ram(2 * tokens(a) * chunks, 32 * lanes(a), "auto");
    cost_add(r, &ram, 1);
    if (!ram.bram18) r->ff += 32 * lanes(a);
}

// ---- elementwise ----

void formula_add(const struct args *a, struct cost_resources *r) {
    cost_per(r, lanes(a), 457, 217, 0);
    kernel(r, 10, 11);
}

void formula_mul(const struct args *a, struct cost_resources *r) {
    cost_per(r, lanes(a), 159, 175, 2);
    kernel(r, 14, 10);
}

void formula_scale(const struct args *a, struct cost_resources *r) {
    cost_per(r, lanes(a), 158, 175, 2);
    kernel(r, 60, 15);
}

void formula_gelu(const struct args *a, struct cost_resources *r) {
    cost_per(r, lanes(a), 2095, 2082, 16);
    kernel(r, 75, 49);
}

void formula_silu(const struct args *a, struct cost_resources *r) {
    cost_per(r, lanes(a), 1176, 1142, 8);
    kernel(r, 20, 31);
}

// ---- over vectors ----

static int64_t vector_chunks(const struct args *a) { return div_up(args_int(a, "N", 1), lanes(a)); }

// The variance multiplies wide sums by N: shifts if N is a power of two.
void formula_layernorm(const struct args *a, struct cost_resources *r) {
    banks(a, vector_chunks(a), r);
    bool shifts = is_power_of_two(args_int(a, "N", 1));
    cost_per(r, lanes(a), 1685, 1643, 10);
    kernel(r, shifts ? 2380 : 2420, shifts ? 2995 : 3260);
    r->dsp += shifts ? 16 : 25;
}

void formula_rmsnorm(const struct args *a, struct cost_resources *r) {
    banks(a, vector_chunks(a), r);
    cost_per(r, lanes(a), 815, 1092, 10);
    kernel(r, 1345, 1550);
    r->dsp += 4;
}

// One pass to scale and find the largest, one for exp, product and sum.
void formula_softmax(const struct args *a, struct cost_resources *r) {
    banks(a, div_up(args_int(a, "CONTEXT", 1), lanes(a)), r);
    cost_per(r, lanes(a), 1515, 1274, 8);
    kernel(r, 830, 789);
    r->dsp += 2;
}

void formula_argmax(const struct args *a, struct cost_resources *r) {
    cost_per(r, lanes(a), 85 + 1.6 * (double)log2_up(args_int(a, "N", 1)), 62, 0);
    kernel(r, 40, 80);
}

// ---- fp32 to int8 ----

void formula_quantize(const struct args *a, struct cost_resources *r) {
    banks(a, div_up(args_int(a, "BLOCK", 1), lanes(a)), r);
    cost_per(r, lanes(a), 64, 25, 0);
    cost_per(r, beat_bits(a), 1.36, 1, 0);
    kernel(r, 32, 88);
}

void formula_kv_quantize(const struct args *a, struct cost_resources *r) {
    banks(a, div_up(args_int(a, "HEAD_DIM", 1), lanes(a)), r);
    cost_per(r, lanes(a), 285, 265, 2);
    cost_per(r, beat_bits(a), 1.56, 1.86, 0);
    kernel(r, 580, 690);
    r->dsp += 4;
}

// ---- rows of tables ----

// Rows of all tokens wait in a buffer; int4 rows have group scales beside them.
void formula_embed(const struct args *a, struct cost_resources *r) {
    int64_t mode = args_int(a, "MODE", 0),
            words = 1ll << (tok_bits(tokens(a)) + at_least(log2_up(args_int(a, "ROW_BEATS", 1)), 1));
    struct cost_resources rows = cost_ram(words, beat_bits(a), "auto");
    cost_add(r, &rows, 1);
    cost_per(r, lanes(a), 190, 232, 2);
    cost_per(r, beat_bits(a), 1.04, rows.bram18 ? 0.96 : 1.96, 0);
    kernel(r, 40, 0);
    cost_per(r, mode, 357, 500, 2);
    cost_per(r, args_int(a, "REPEAT", 1) > 1, 60, 56, 0); // the table of the repetition
    r->dsp += 2;
}

void formula_position(const struct args *a, struct cost_resources *r) {
    int64_t beat = beat_bits(a), chunk = 32 * lanes(a), ram_banks = at_least(div_up(chunk, beat), 1);
    int64_t words = div_up(div_up(32 * args_int(a, "N", 1), beat), ram_banks);
    struct cost_resources rows = cost_ram(1ll << (tok_bits(tokens(a)) + at_least(log2_up(words), 1)), beat, "auto");
    cost_add(r, &rows, ram_banks);
    cost_per(r, chunk < beat ? beat : 0, 0.43, 0, 0); // a chunk cut out of a word
    kernel(r, 115, 198 + 32 * (double)lanes(a));
    if (!rows.bram18) r->ff += ram_banks * beat;
    if (!is_power_of_two(div_up(32 * args_int(a, "N", 1), beat))) r->dsp++;
}
