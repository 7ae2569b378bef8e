// SPDX-License-Identifier: Apache-2.0
// Tests records of log probabilities: the log probabilities against those of double precision, the list of the largest
// logits against a sorted one, and the words of records whose contents are known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/numerics/fp32.h"
#include "gen/numerics/logprobs.h"
#include "gen/numerics/sample.h"

enum { MOST_IDS = 1 << 18 };
// Largest difference from double precision in the tests below; docs/numerics.md section 11 has it.
#define BOUND 3e-7

// Returns random logits of a kind: like those of a language model around `middle`, all equal, or one far above the
// rest.
static float *logits(size_t n, float middle, int kind) {
    float *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        uint32_t r = golden_random(11, 5, (uint32_t)i);
        x[i] = kind == 1 ? middle : middle + g_gumbel(r) * 2 + (float)(r % 1000) * 1e-3f;
    }
    if (kind == 2) x[n / 2] = middle + 60;
    return x;
}

// Returns the logarithm of the sum of exponentials, in double precision.
static double log_sum(size_t n, const float x[]) {
    double most = (double)x[0], sum = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, (double)x[i]);
    for (size_t i = 0; i < n; i++) sum += exp((double)x[i] - most);
    return most + log(sum);
}

static void assert_near(double got, double want) {
    if (!(fabs(got - want) <= BOUND)) fail_msg("%.12g instead of %.12g", got, want);
}

// Compares the log probabilities of several ids and of the list with those of double precision, for vocabularies of
// several sizes, logits near 0 and far from it.
static void test_accuracy(void **state) {
    static const size_t sizes[] = {1, 2, 97, 50257, MOST_IDS};
    static const float middles[] = {0, -100, 30, -1e-3f};
    (void)state;
    for (size_t s = 0; s < 5; s++)
        for (int kind = 0; kind < 12; kind++) {
            size_t n = sizes[s];
            float *x = logits(n, middles[kind % 4], kind / 4);
            double norm = log_sum(n, x);
            for (int k = 0; k < 4; k++) {
                uint32_t record[LOGPROBS_WORDS], id = golden_random(3, k, 9) % (uint32_t)n;
                golden_logprobs(n, x, id, LOGPROBS_MOST, record);
                assert_near(logprobs_of(record, LOGPROBS_LOGIT), (double)x[id] - norm);
                for (int i = 0; i < logprobs_listed(record); i++)
                    assert_near(logprobs_of(record, LOGPROBS_LOGITS + i), (double)x[record[LOGPROBS_IDS + i]] - norm);
            }
            free(x);
        }
}

static const float *sorted_by;
static int by_logit(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return sorted_by[i] != sorted_by[j] ? (sorted_by[i] < sorted_by[j] ? 1 : -1) : i < j ? -1 : 1;
}

// Compares lists of all lengths with the first entries of a sorted list, with equal logits and zeros of both signs.
static void test_list(void **state) {
    enum { N = 300 };
    (void)state;
    for (int round = 0; round < 40; round++) {
        float x[N];
        uint32_t order[N];
        for (uint32_t i = 0; i < N; i++) {
            uint32_t r = golden_random(17, round, i);
            x[i] = round % 2 ? (float)(r % 5) - 2 : g_gumbel(r);
            if (x[i] == 0 && r & 1024) x[i] = -0.0f;
            order[i] = i;
        }
        sorted_by = x;
        qsort(order, N, sizeof *order, by_logit);
        for (int top = 1; top <= LOGPROBS_MOST; top++) {
            uint32_t record[LOGPROBS_WORDS];
            golden_logprobs(N, x, 7, top, record);
            assert_int_equal(logprobs_listed(record), top);
            for (int i = 0; i < top; i++) assert_int_equal(record[LOGPROBS_IDS + i], order[i]);
        }
    }
}

// Checks each word of two records: one of few logits, and one whose differences from the largest logit are not finite.
static void test_words(void **state) {
    static const float few[] = {-2, 1.5f, -0.0f}, far[] = {GOLDEN_FP32_MAX, -GOLDEN_FP32_MAX, 1};
    static const uint32_t want[LOGPROBS_WORDS] = {
        2, 0, 0, 0, 1, 2, 0, 0xffffffff, 0xffffffff, 0x3fc00000, 0, 0xc0000000, 0xffffffff, 0xffffffff};
    uint32_t record[LOGPROBS_WORDS];
    uint64_t sum;
    struct golden_fault none = {0};
    (void)state;
    golden_logprobs(3, few, 2, 5, record);
    memcpy(&sum, record + LOGPROBS_SUM, sizeof sum);
    assert_int_equal(sum, (1ull << 39) + (uint64_t)g_fix(g_exp(-1.5f, &none), 39, 41, &none) +
                              (uint64_t)g_fix(g_exp(-3.5f, &none), 39, 41, &none));
    record[LOGPROBS_SUM] = record[LOGPROBS_SUM + 1] = 0;
    assert_memory_equal(record, want, sizeof want);
    golden_logprobs(3, far, 1, 2, record);
    memcpy(&sum, record + LOGPROBS_SUM, sizeof sum);
    assert_int_equal(sum, 1ull << 39);
    assert_int_equal(logprobs_listed(record), 2);
    assert_int_equal(record[LOGPROBS_LOGIT], g_bits(-GOLDEN_FP32_MAX));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
