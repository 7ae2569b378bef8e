// SPDX-License-Identifier: Apache-2.0
// Tests the quantization of weights: the ranges of the integers, bounds of the error, extreme rows, equal bits on every
// machine, and the loss of accuracy of the shipped model.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"
#include "tests/unit/quantize_fixture.h"

#include "gen/reference/evaluate.h"
#include "gen/reference/execute.h"

#include <float.h>
#include <math.h>

#include "gen/model/checkpoint.h"
#include "gen/model/gguf.h"
#include "gen/numerics/quantize.h"

static float *random_rows(struct fixture *f, const char *name, int64_t rows, int64_t k) {
    struct checkpoint *c = checkpoint_open(&f->arena, "random:11", &f->diag);
    return checkpoint_matrix(c, &f->arena, &(struct checkpoint_slice){name, rows, k, false, 0, 0, false}, &f->diag);
}

static double squared_error(const struct qmatrix *m, const float *w, int64_t row) {
    float out[512];
    double sum = 0;
    quantize_row_to_float(m, row, out);
    for (int64_t i = 0; i < m->k; i++)
        sum += ((double)out[i] - w[row * m->k + i]) * ((double)out[i] - w[row * m->k + i]);
    return sum;
}

static void check_ranges(const struct qmatrix *m) {
    bool is_int4 = m->format != QFORMAT_INT8;
    for (int64_t i = 0; m->q16 && i < m->rows * m->k; i++) assert_true(m->q16[i] >= -QUANTIZE_INT16_MAX);
    for (int64_t i = 0; m->q && i < m->rows * m->k; i++) {
        assert_true(m->q[i] >= (is_int4 ? QUANTIZE_INT4_MIN : -QUANTIZE_INT8_MAX));
        assert_true(m->q[i] <= (is_int4 ? QUANTIZE_INT4_MAX : QUANTIZE_INT8_MAX));
    }
    for (int64_t r = 0; r < m->rows; r++)
        assert_true(m->row_scale[r] == 0 || fabsf(m->row_scale[r]) >= QUANTIZE_MIN_ROW_SCALE);
    assert_null(m->bias);
}

// Checks that the squared error of int8 in each row is at most that of rounding with the scale max / 127.
static void test_int8(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { ROWS = 40, K = 300 };
    const float *w = random_rows(&f, "w", ROWS, K);
    struct qmatrix m = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT8, 128);
    assert_true(m.rows == ROWS && m.k == K && m.groups == 0 && !m.group_scale);
    check_ranges(&m);
    for (int64_t r = 0; r < ROWS; r++) {
        float max = 0;
        double plain = 0;
        for (int64_t i = 0; i < K; i++) max = fmaxf(max, fabsf(w[r * K + i]));
        for (int64_t i = 0; i < K; i++) {
            double x = w[r * K + i], scale = (double)max / 127;
            plain += (x - scale * rint(x / scale)) * (x - scale * rint(x / scale));
        }
        assert_true(squared_error(&m, w, r) <= plain * 1.0001);
        assert_true(m.row_scale[r] > 0);
    }
    fixture_end(&f);
}

// Checks that a largest weight that the best scale clips becomes -127. The sums of the engine have no room for -128.
static void test_int8_clips(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { K = 300 };
    float w[K];
    for (int i = 0; i < K; i++) w[i] = i == 7 ? -1.0f : 10.0f / 127 * (63.0f / 64);
    struct qmatrix m = quantize_matrix(&f.arena, w, 1, K, QFORMAT_INT8, 128);
    check_ranges(&m);
    assert_true(m.row_scale[0] < 1.0f / 127);
    assert_int_equal(m.q[7], -QUANTIZE_INT8_MAX);
    assert_int_equal(m.q[0], 10);
    fixture_end(&f);
}

// Checks that weights that are whole multiples of a scale are stored exactly, whatever the largest one is. Only -128,
// in the last row, becomes -127.
static void test_int8_keeps_multiples(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { ROWS = QUANTIZE_INT8_MAX + 2, K = 65 };
    const double scale = 0.0123;
    float *w = ARENA_ARRAY(&f.arena, float, ROWS *K);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < K; i++) w[r * K + i] = (float)(scale * (i == 0 ? -r : (i * 37 + r) % (r + 1)));
    struct qmatrix m = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT8, 128);
    check_ranges(&m);
    for (int r = 0; r < ROWS; r++)
        for (int i = r > QUANTIZE_INT8_MAX; i < K; i++)
            assert_true(fabs((double)m.row_scale[r] * m.q[r * K + i] - w[r * K + i]) < 1e-4 * scale);
    assert_int_equal(m.q[(ROWS - 1) * K], -QUANTIZE_INT8_MAX);
    fixture_end(&f);
}

// Returns the squared error of one group of n weights with the best of many scales, which are tried in double
// precision.
static double best_error(const float *w, int64_t n) {
    double max = 0, best = DBL_MAX;
    for (int64_t i = 0; i < n; i++) max = fmax(max, fabs((double)w[i]));
    for (double scale = -max / 3; scale <= max / 3; scale += max / 3000) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double e = w[i] - scale * fmin(fmax(rint(w[i] / scale), QUANTIZE_INT4_MIN), QUANTIZE_INT4_MAX);
            sum += e * e;
        }
        if (sum < best) best = sum;
    }
    return best;
}

// Checks with one group per row that the search comes close to the best possible scale, and that it uses both signs.
static void test_int4_search(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { ROWS = 60, K = 128 };
    const float *w = random_rows(&f, "w", ROWS, K);
    struct qmatrix m = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT4, 128);
    check_ranges(&m);
    int turned = 0;
    for (int64_t r = 0; r < ROWS; r++) {
        assert_true(squared_error(&m, w, r) <= best_error(w + r * K, K) * 1.05);
        turned += m.row_scale[r] < 0;
    }
    assert_true(turned > ROWS / 4 && turned < ROWS * 3 / 4);
    fixture_end(&f);
}

// Checks rows with groups of different magnitudes, a short last group and a group of zeros.
static void test_int4_groups(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { ROWS = 8, K = 300, GROUP = 128 };
    float *w = random_rows(&f, "w", ROWS, K);
    for (int64_t r = 0; r < ROWS; r++) {
        for (int64_t i = 0; i < GROUP; i++) w[r * K + i] *= 0.05f;
        for (int64_t i = GROUP; i < 2 * GROUP; i++) w[r * K + i] = r == 3 ? 0 : w[r * K + i];
    }
    struct qmatrix m = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT4, GROUP);
    assert_int_equal(m.groups, 3);
    check_ranges(&m);
    for (int64_t r = 0; r < ROWS; r++) {
        double best = best_error(w + r * K, GROUP) + best_error(w + r * K + 2 * GROUP, K - 2 * GROUP);
        if (r != 3) best += best_error(w + r * K + GROUP, GROUP);
        assert_true(squared_error(&m, w, r) <= best * 1.1);
    }
    assert_int_equal(m.group_scale[3 * 3 + 1], 0);
    fixture_end(&f);
}

// Checks that int16 gives the largest element of a row the last level, and that each element is within half a step.
static void test_int16(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { ROWS = 20, K = 300 };
    const float *w = random_rows(&f, "w", ROWS, K);
    struct qmatrix m = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT16, 128);
    assert_true(!m.q && m.groups == 0 && !m.group_scale);
    check_ranges(&m);
    for (int r = 0; r < ROWS; r++) {
        int most = 0;
        float out[K];
        quantize_row_to_float(&m, r, out);
        for (int i = 0; i < K; i++) {
            most = abs(m.q16[r * K + i]) > most ? abs(m.q16[r * K + i]) : most;
            assert_true(fabsf(out[i] - w[r * K + i]) <= 0.503f * m.row_scale[r]); // 0.003: roundings of fp32
        }
        assert_int_equal(most, QUANTIZE_INT16_MAX);
    }
    struct qmatrix whole = quantize_room(&f.arena, ROWS + 1, K, QFORMAT_INT16, 128);
    quantize_place(&whole, 1, &m);
    assert_memory_equal(whole.q16 + K, m.q16, ROWS * K * sizeof *m.q16);
    fixture_end(&f);
}

// Checks rows that have groups with weights of one sign, of both signs and of one value, and a short last group. The
// squared error of a row must be less than 70 % of that of int4. Weights of a group of one value may differ by half a
// step of the offsets, which is 4 units of the row scale.
static void test_int4_asym(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { ROWS = 8, K = 300, GROUP = QUANTIZE_ASYM_GROUP };
    float *w = random_rows(&f, "w", ROWS, K), out[K];
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t i = 0; i < 3 * GROUP; i++)
            w[r * K + i] = i < GROUP ? fabsf(w[r * K + i]) : i < 2 * GROUP ? 0.25f * w[r * K + i] : w[r * K];
    struct qmatrix m = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT4_ASYM, 128);
    assert_true(m.group == GROUP && m.groups == 10 && m.group_offset);
    check_ranges(&m);
    struct qmatrix plain = quantize_matrix(&f.arena, w, ROWS, K, QFORMAT_INT4, 128);
    for (int64_t r = 0; r < ROWS; r++) {
        quantize_row_to_float(&m, r, out);
        assert_true(squared_error(&m, w, r) < 0.7 * squared_error(&plain, w, r));
        for (int64_t i = 2 * GROUP; i < 3 * GROUP; i++)
            assert_true(fabsf(out[i] - w[r * K + i]) <= 4.01f * m.row_scale[r]);
    }
    fixture_end(&f);
}

// Returns the least squared error of n weights over all scales and offsets. The error is in squared units of the row
// scale, `unit`.
static double exhaustive(const float *w, int64_t n, float unit) {
    double best = INFINITY;
    for (int step = 0; step <= QUANTIZE_GROUP_SCALE_MAX; step++)
        for (int offset = -8 * 128; offset < 8 * 128; offset += 8) {
            double sum = 0;
            for (int64_t i = 0; i < n && sum < best; i++) {
                double x = (double)w[i] / unit - offset, q = step ? nearbyint(x / step) : 0;
                q = q < -8 ? -8 : q > 7 ? 7 : q;
                sum += (x - q * step) * (x - q * step);
            }
            best = sum < best ? sum : best;
        }
    return best;
}

// Checks that the squared error of the search over a row is within 10 % of the best of all scales and offsets.
static void test_int4_asym_best(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { K = 300, GROUP = QUANTIZE_ASYM_GROUP };
    float *w = random_rows(&f, "w", 1, K);
    for (int64_t i = 0; i < 2 * GROUP; i++) w[i] = i < GROUP ? fabsf(w[i]) : 0.25f * w[i];
    struct qmatrix m = quantize_matrix(&f.arena, w, 1, K, QFORMAT_INT4_ASYM, 128);
    double unit = m.row_scale[0], best = 0;
    for (int64_t at = 0; at < K; at += GROUP)
        best += exhaustive(w + at, K - at < GROUP ? K - at : GROUP, m.row_scale[0]);
    double ratio = squared_error(&m, w, 0) / (best * unit * unit);
    assert_true(ratio < 1.10);
    fixture_end(&f);
}

// ---- blocks of GGUF files ----

enum { OWN_K = 512, OWN_ROWS = 40 }; // whole blocks of every format

static uint64_t own_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// Makes a row of blocks of random bytes, except for the high bytes of the blocks' fp16 numbers: the scale d has a
// magnitude of about 2^-7 to 2^-5, the minimum m of about 2^-6 to 2^-4. negative: d is negative. Stores the weights in
// w, and the integers of the blocks, 0 to 15, in levels.
static void own_row(const struct gguf_format *f, uint64_t *seed, bool negative, float *w, int *levels) {
    uint8_t block[144];
    for (int at = 0; at < OWN_K; at += f->weights) {
        for (int i = 0; i < f->bytes; i++) block[i] = (uint8_t)own_random(seed);
        block[1] = (uint8_t)((negative ? 0xA0 : 0x20) + own_random(seed) % 8);
        if (f->type != GGUF_Q4_0) block[3] = (uint8_t)(0x24 + own_random(seed) % 8);
        f->dequantize(block, w + at);
        const uint8_t *q = block + (f->type == GGUF_Q4_0 ? 2 : f->type == GGUF_Q4_1 ? 4 : 16);
        for (int i = 0; i < f->weights; i++) {
            int part = f->type == GGUF_Q4_K ? 32 : 16, byte = i / (2 * part) * part + i % part;
            levels[at + i] = q[byte] >> (i / part % 2 ? 4 : 0) & 15;
        }
    }
}

// Returns whether the integers q of a group are those of the file, or the reflected ones if the scale is negative. If
// the integers of the file do not include both 0 and 15, all of q may be shifted by the same number, unless `centred`.
// The caller leaves out groups whose scale is only a few units of the row scale: such a scale cannot be kept exactly.
static bool is_kept(const int8_t *q, const int *levels, bool negative, bool centred) {
    int low = 15, high = 0, shift = negative ? q[0] + levels[0] - 7 : q[0] - (levels[0] - 8);
    for (int i = 0; i < QUANTIZE_ASYM_GROUP; i++) {
        if ((negative ? 7 - levels[i] : levels[i] - 8) + shift != q[i]) return false;
        low = levels[i] < low ? levels[i] : low;
        high = levels[i] > high ? levels[i] : high;
    }
    return shift == 0 || !((low == 0 && high == 15) || centred);
}

// Checks that int4_asym keeps the integers of the blocks of a GGUF file. negative: the scales are negative.
static void check_kept(enum gguf_type type, bool negative) {
    struct fixture f;
    fixture_begin(&f);
    uint64_t seed = 5 + type;
    float w[OWN_K], out[OWN_K];
    int levels[OWN_K], checked = 0;
    for (int r = 0; r < OWN_ROWS; r++) {
        own_row(gguf_format(type), &seed, negative, w, levels);
        struct qmatrix m = quantize_matrix(&f.arena, w, 1, OWN_K, QFORMAT_INT4_ASYM, 32);
        quantize_row_to_float(&m, 0, out);
        for (int g = 0; g < OWN_K / QUANTIZE_ASYM_GROUP; g++) {
            int at = g * QUANTIZE_ASYM_GROUP;
            if (m.group_scale[g] < 24) continue;
            checked++;
            if (!is_kept(m.q + at, levels + at, negative, type == GGUF_Q4_0 && !negative))
                fail_msg("%s: row %d, group %d has other integers", gguf_format(type)->name, r, g);
            // The second rounding adds half a unit of the scale for each level, and half a step of the offset.
            for (int i = at; i < at + QUANTIZE_ASYM_GROUP; i++)
                assert_true(fabsf(out[i] - w[i]) <= (0.5f * 8 + 4) * 1.001f * m.row_scale[0]);
        }
    }
    assert_true(checked > OWN_ROWS * OWN_K / QUANTIZE_ASYM_GROUP / 2);
    fixture_end(&f);
}

static void test_keeps_integers(void **state) {
    (void)state;
    check_kept(GGUF_Q4_0, false);
    check_kept(GGUF_Q4_0, true);
    check_kept(GGUF_Q4_1, false);
    check_kept(GGUF_Q4_K, false);
}

// Rows of zeros and of weights that are too small must become zeros. Other small and large rows must stay accurate.
static void test_extreme_rows(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    enum { K = 5 };
    const float w[][K] = {
        {0, 0, 0, 0, -0.0f},
        {1e-40f, -1e-41f, 0, 0, 0},      // would be flushed
        {1e-24f, 1e-25f, 0, 0, 0},       // on the border: flushed or a normal scale
        {1e-20f, -2e-20f, 0, 1e-21f, 0}, // small, but fine
        {1e38f, -5e37f, 1e30f, 0, 1},
        {-8, 7, 1, -1, 0},
        {7, -8, 1e-30f, 2, 0},
    };
    static const int16_t zeros[2 * K];
    for (int format = QFORMAT_INT8; format < QFORMATS; format++) {
        struct qmatrix m = quantize_matrix(&f.arena, w[0], COUNT_OF(w), K, (enum qformat)format, 2);
        check_ranges(&m);
        assert_true(m.row_scale[0] == 0 && m.row_scale[1] == 0);
        assert_memory_equal(quantize_elements(&m), zeros, (size_t)(2 * K * quantize_bytes(m.format)));
        for (size_t r = format == QFORMAT_INT16 ? 4 : 3; r < COUNT_OF(w); r++) { // int16: 1e-20 is below the least
            float out[K], max = 0;
            quantize_row_to_float(&m, (int64_t)r, out);
            for (int i = 0; i < K; i++) max = fmaxf(max, fabsf(w[r][i]));
            for (int i = 0; i < K; i++) assert_true(fabsf(out[i] / max - w[r][i] / max) < 0.08f);
        }
    }
    fixture_end(&f);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len) {
    for (size_t i = 0; i < len; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

// Compares quantized matrices with known hashes: a packed image must not depend on the compiler or its optimization.
static void test_same_bits(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    static const uint64_t expected[] = {0xaa2e9cb510c41d65, 0x211657e6c56cda79, 0x9e61f062669d56dc, 0x356faef207257e1b};
    const float *w = random_rows(&f, "w", 33, 300);
    for (int format = QFORMAT_INT8; format < QFORMATS; format++) {
        struct qmatrix m = quantize_matrix(&f.arena, w, 33, 300, (enum qformat)format, 128);
        uint64_t hash = hash_bytes(1, quantize_elements(&m), (size_t)(33 * 300 * quantize_bytes(m.format)));
        hash = hash_bytes(hash, m.row_scale, 33 * sizeof *m.row_scale);
        if (m.group_scale) hash = hash_bytes(hash, m.group_scale, (size_t)(33 * m.groups));
        if (m.group_offset) hash = hash_bytes(hash, m.group_offset, (size_t)(33 * m.groups));
        if (hash != expected[format]) fail_msg("format %d: 0x%016llx", format, (unsigned long long)hash);
    }
    fixture_end(&f);
}

// ---- the shipped model with quantized weights, everything else in fp32 ----

// Replaces the weights of a product by quantized ones in place, so an embedding that shares the matrix has them as
// well.
static void quantize_product(struct arena *arena, const struct oracle_weights *w, enum qformat format) {
    struct qmatrix q = quantize_matrix(arena, w->matrix, w->rows, w->k, format, 128);
    for (int64_t r = 0; r < w->rows; r++) quantize_row_to_float(&q, r, (float *)w->matrix + r * w->k);
}

static struct oracle *open_float(struct fixture *f, const char *dir) {
    struct checkpoint *c = checkpoint_open(&f->arena, dir, &f->diag);
    const char *spec = file_find_shared(&f->arena, "configs/tinystories-gpt2-1m.yaml");
    struct oracle_graph *g = spec ? oracle_read(&f->arena, spec, &f->diag) : NULL;
    struct oracle *o = g ? oracle_open(&f->arena, g, ORACLE_FLOAT, c, &f->diag) : NULL;
    checkpoint_close(c);
    assert_no_errors(f);
    return o;
}

// Returns the perplexity on a part of the validation text. `blocks` and `head` are the formats of the weights in the
// repeated blocks and elsewhere; -1 means that these weights are not quantized.
static double perplexity(struct fixture *f, int blocks, int head) {
    enum { STORIES = 8 };
    const char *dir = shipped_model(f), *why;
    size_t len;
    struct oracle *o = open_float(f, dir);
    struct tokenizer *t = tokenizer_open(&f->arena, dir, &f->diag);
    const char *text = file_read(&f->arena, arena_printf(&f->arena, "%s/valid.txt", dir), 1 << 20, &len, &why);
    for (size_t i = 0; i < o->graph->node.count; i++) {
        const struct oracle_node *n = &o->graph->node.items[i];
        const struct oracle_region *region = &o->graph->region.items[n->region];
        int format = region->repeat > 1 ? blocks : head;
        for (int64_t r = 0; n->op == ORACLE_MATMUL && format >= 0 && r < region->repeat; r++)
            quantize_product(&f->arena, &o->weights[i][r], (enum qformat)format);
    }
    struct evaluate_text of = {t, text, len, oracle_context(o->graph), STORIES, NULL, NULL};
    struct evaluate_lanes lanes;
    assert_true(evaluate_lanes_open(&f->arena, o, STORIES, &lanes, &f->diag));
    struct evaluate_model model = evaluate_lanes_model(&lanes, oracle_vocabulary(o->graph));
    struct evaluation e;
    assert_true(evaluate_text(&of, &model, 1, &e));
    evaluate_lanes_close(&lanes);
    tokenizer_close(t);
    oracle_close(o);
    return evaluate_perplexity(&e, 0);
}

static void slow_model_cost(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    double plain = perplexity(&f, -1, -1);
    double int8 = perplexity(&f, QFORMAT_INT8, QFORMAT_INT8) / plain;
    double mixed = perplexity(&f, QFORMAT_INT4, QFORMAT_INT8) / plain;
    double int4 = perplexity(&f, QFORMAT_INT4, QFORMAT_INT4) / plain;
    print_message("perplexity x %.4f int8, x %.4f int4 blocks, x %.4f int4\n", int8, mixed, int4);
    assert_true(int8 < 1.003 && mixed < 1.03 && int4 < 1.04);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int8),           cmocka_unit_test(test_int8_clips),
        cmocka_unit_test(test_int4_search),    cmocka_unit_test(test_int4_groups),
        cmocka_unit_test(test_int4_asym),      cmocka_unit_test(test_extreme_rows),
        cmocka_unit_test(test_same_bits),      cmocka_unit_test(slow_model_cost),
        cmocka_unit_test(test_int4_asym_best), cmocka_unit_test(test_int16),
        cmocka_unit_test(test_keeps_integers), cmocka_unit_test(test_int8_keeps_multiples),
    };
    return cmocka_run_group_tests_name("quantize", tests, NULL, NULL);
}
