// SPDX-License-Identifier: Apache-2.0
// Tests how ids are drawn at random: known answers of the hash, uniform bits, the errors of the logarithm and the
// noise, frequencies against softmax, ties, and refused settings. The seeds are fixed, so the statistical tests always
// have the same outcome. Also tests the options of a simulation that set how ids are drawn, alone and for each prompt,
// and its option --plant, which is read in the same way.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gen/numerics/numerics.h"
#include "gen/numerics/sample.h"
#include "gen/request/sim_options.h"

enum { IDS = 8, DRAWS = 40000, MOST = 64 }; // MOST is the largest top_k.

// Compares the hash with known answers from Random123 (kat_vectors), the library of the authors of Threefry.
static void test_known_answers(void **state) {
    (void)state;
    static const uint32_t known[][6] = {
        {0, 0, 0, 0, 0x6b200159, 0x99ba4efe},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xc4923a9c, 0x483df7a0},
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t out[2];
        golden_threefry(known[i] + 2, known[i], out);
        assert_int_equal(out[0], known[i][4]);
        assert_int_equal(out[1], known[i][5]);
    }
}

// Returns the sum of (count - expected)^2 / expected.
static double chi_square(size_t n, const double expected[], const int64_t count[]) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ((double)count[i] - expected[i]) * ((double)count[i] - expected[i]) / expected[i];
    return sum;
}

// Checks that each byte of the random number is uniform over neighbouring ids, neighbouring positions and neighbouring
// seeds. With 255 degrees of freedom, chance exceeds 330 once in a thousand times.
static void test_uniform(void **state) {
    (void)state;
    enum { N = 1 << 18 };
    double expected[256];
    for (int i = 0; i < 256; i++) expected[i] = N / 256;
    for (int along = 0; along < 3; along++)
        for (int shift = 0; shift < 32; shift += 8) {
            int64_t count[256] = {0};
            for (uint32_t i = 0; i < N; i++) {
                uint32_t r = golden_random(along == 2 ? i : 1, along == 1 ? i : 7, along == 0 ? i : 5);
                count[r >> shift & 255]++;
            }
            assert_true(chi_square(256, expected, count) < 330);
        }
}

// Bounds the relative error of the logarithm. It stays small even near 1, because no sum cancels. Tests every float
// from 0.5 to 2, and floats of all exponents in steps.
static void test_ln(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    double worst = 0;
    for (uint32_t bits = 0x3f000000; bits < 0x40000000; bits++) {
        double want = log((double)g_float(bits)), error = fabs((double)g_ln(g_float(bits), &fault) - want);
        worst = fmax(worst, want != 0 ? error / fabs(want) : error);
    }
    for (uint32_t bits = 0x00800000; bits < 0x7f800000; bits += 997) {
        double want = log((double)g_float(bits));
        if (want != 0) worst = fmax(worst, fabs((double)g_ln(g_float(bits), &fault) - want) / fabs(want));
    }
    assert_true(worst < 0x1p-22);
    assert_false(fault.raised);
    g_ln(-1.0f, &fault);
    assert_int_equal(fault.kind, GOLDEN_FAULT_DOMAIN);
}

// Returns the noise -log(-log(u)) for u = (r + 1/2) / 2^32, calculated in long double.
static double gumbel(uint32_t r) {
    long double rest = (2 * (4294967295.0L - (long double)r) + 1) * 0x1p-33L; // 1 - u
    return (double)-logl(-log1pl(-rest));
}

// Compares the Gumbel noise of every random number near both ends of the range, and of others in steps, with the
// formula in long double. Checks the mean and the variance of the noise that the steps give.
static void test_gumbel(void **state) {
    (void)state;
    double worst = 0, sum = 0, squares = 0;
    int64_t n = 0;
    for (uint64_t r = 0; r < (uint64_t)1 << 32; r += r < 100000 || r > 0xfffe0000u ? 1 : 4099) {
        worst = fmax(worst, fabs((double)g_gumbel((uint32_t)r) - gumbel((uint32_t)r)));
        if (r < 100000 || r > 0xfffe0000u) continue;
        sum += (double)g_gumbel((uint32_t)r);
        squares += (double)g_gumbel((uint32_t)r) * (double)g_gumbel((uint32_t)r);
        n++;
    }
    assert_true(worst < 0x1p-19);
    assert_true(fabs(sum / (double)n - 0.5772) < 0.001);
    assert_true(fabs(squares / (double)n - sum / (double)n * sum / (double)n - 1.6449) < 0.01);
}

static const float logits[IDS] = {1.0f, 2.5f, -0.5f, 0.0f, 2.5f, 1.75f, -3.0f, 0.25f};
static const bool all[IDS] = {true, true, true, true, true, true, true, true};

// Compares the frequencies of draws with softmax over the candidates by a chi-square test with `limit`. Checks that
// other ids are never drawn.
static void check_frequencies(const struct sampling *s, const bool candidate[], double limit) {
    int64_t count[IDS] = {0}, kept[IDS];
    double expected[IDS], sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < IDS; i++) sum += candidate[i] ? exp((double)logits[i] * (double)g_float(s->inverse)) : 0;
    struct golden_fault fault = {0};
    for (int64_t p = 0; p < DRAWS; p++) count[golden_sample(IDS, logits, s, MOST, p, &fault)]++;
    for (size_t i = 0; i < IDS; i++) {
        if (!candidate[i]) assert_int_equal(count[i], 0);
        else expected[n] = exp((double)logits[i] * (double)g_float(s->inverse)) / sum * DRAWS, kept[n++] = count[i];
    }
    assert_false(fault.raised);
    assert_true(chi_square(n, expected, kept) < limit);
}

// Checks the frequencies of several settings. Chance exceeds each limit once in a thousand times, with one degree of
// freedom less than there are candidates.
static void test_frequencies(void **state) {
    (void)state;
    struct sampling s = {.inverse = g_bits(1.0f), .seed = 11};
    check_frequencies(&s, all, 24.3);
    s = (struct sampling){.inverse = g_bits(1 / 0.6f), .seed = 0x123456789abcdefu};
    check_frequencies(&s, all, 24.3);
    s = (struct sampling){.inverse = g_bits(1.0f), .top_k = 3, .seed = 12};
    check_frequencies(&s, (const bool[IDS]){[1] = true, [4] = true, [5] = true}, 13.8);
    s = (struct sampling){.inverse = g_bits(1.0f), .top_k = MOST, .min_p = g_bits(0.2f), .seed = 13};
    check_frequencies(&s, (const bool[IDS]){[0] = true, [1] = true, [4] = true, [5] = true}, 16.3);
    s = (struct sampling){.inverse = g_bits(0.5f), .top_k = 6, .min_p = g_bits(0.3f), .seed = 14};
    check_frequencies(&s, (const bool[IDS]){[0] = true, [1] = true, [4] = true, [5] = true, [7] = true}, 18.5);
}

// Ids 1 and 4 have the largest logit. A greedy choice, and a draw from one candidate, must give the first of them.
static void test_ties(void **state) {
    (void)state;
    struct golden_fault fault = {0};
    struct sampling s = {.inverse = g_bits(1.0f), .top_k = 1};
    for (int64_t p = 0; p < 100; p++) assert_int_equal(golden_sample(IDS, logits, &s, MOST, p, &fault), 1);
    s = (struct sampling){.inverse = 0, .top_k = 5, .seed = 9}; // greedy
    for (int64_t p = 0; p < 100; p++) assert_int_equal(golden_sample(IDS, logits, &s, MOST, p, &fault), 1);
    assert_false(fault.raised);
}

// Each of these settings must raise a fault of the domain. inverse and min_p are bits of fp32.
static void test_refused(void **state) {
    (void)state;
    const uint32_t one = g_bits(1.0f);
    const struct sampling wrong[] = {
        {.inverse = 0x7fc00000},                           // NaN
        {.inverse = 0x7f800000},                           // infinity
        {.inverse = 0xbf800000},                           // -1
        {.inverse = 0x80000000},                           // -0
        {.inverse = 1},                                    // subnormal
        {.inverse = one, .top_k = MOST + 1},               // more candidates than the design can have
        {.inverse = one, .min_p = one},                    // min_p without top_k
        {.inverse = one, .top_k = 2, .min_p = one + 1},    // more than 1
        {.top_k = 2, .min_p = 0x7fc00000},                 // NaN, although the choice is greedy
        {.inverse = one, .top_k = 2, .min_p = 0x80000000}, // -0
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct golden_fault fault = {0};
        golden_sample(IDS, logits, &wrong[i], MOST, 0, &fault);
        assert_int_equal(fault.kind, GOLDEN_FAULT_DOMAIN);
    }
}

// Parses one option with a table that has only the options of sampling. Returns the status.
static int read_options(const char *option, const char *value, struct sampling *s) {
    static const struct options alone = {.name = "alone", .purpose = "sampling", .table = {{sampling_rows, 0}}};
    struct arena arena;
    arena_init(&arena);
    char *argv[] = {"alone", (char *)option, (char *)value, NULL};
    int status = options_parse(&alone, &arena, 3, argv, s);
    arena_free(&arena);
    return status;
}

static void test_options(void **state) {
    (void)state;
    struct sampling s = {0};
    static const char *const wrong[][2] = {
        {"--temperature", "nan"}, {"--temperature", "-1"}, {"--temperature", "1e9"},
        {"--temperature", ""},    {"--min-p", "1.5"},      {"--min-p", "-0.1"},
        {"--top-k", "-1"},        {"--top-k", "5x"},       {"--sampling-seed", "1.5"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(read_options(wrong[i][0], wrong[i][1], &s), RILL_USAGE);
    s = (struct sampling){0};
    assert_int_equal(read_options("--temperature", "0", &s), OPTIONS_GO_ON);
    assert_int_equal(s.inverse, 0);
    assert_int_equal(read_options("--temperature", "0.5", &s), OPTIONS_GO_ON);
    assert_int_equal(s.inverse, g_bits(2.0f));
    assert_int_equal(read_options("--sampling-seed", "18446744073709551615", &s), OPTIONS_GO_ON);
    assert_true(s.seed == UINT64_MAX);
    assert_null(sampling_refusal(&s, 1));
    assert_non_null(sampling_refusal(&s, 0)); // a design that does not sample
    s.top_k = 5;
    assert_non_null(sampling_refusal(&s, 4));
    s = (struct sampling){.min_p = 1};
    assert_non_null(sampling_refusal(&s, 4));
}

// Reads options of a simulation, separated by blanks.
static void read_requests(struct arena *arena, struct sim_options *o, const char *line) {
    char *argv[32] = {"sim", "--dir", "x"}, *rest = NULL, *words = arena_strdup(arena, line);
    int argc = 3;
    *o = (struct sim_options){0};
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) argv[argc++] = word;
    assert_int_equal(options_parse(&sim_program, arena, argc, argv, o), OPTIONS_GO_ON);
    assert_null(sim_options_finish(arena, o));
}

// A setting after a prompt applies to that prompt. The first setting of each kind also applies to all prompts that have
// none of that kind.
static void test_requests(void **state) {
    (void)state;
    struct arena arena;
    struct sim_options o;
    const struct sim_prompt *p;
    arena_init(&arena);
    read_requests(&arena, &o, "--prompt a --prompt b --temperature 0.5 --sampling-seed 3");
    for (p = o.prompts.items; p < o.prompts.items + 2; p++)
        assert_true(p->sampling.inverse == g_bits(2.0f) && p->sampling.seed == 3 && p->sampling.top_k == 0);
    read_requests(&arena, &o,
                  "--top-k 4 --prompt a --temperature 0.5 --prompt b --temperature 0 --top-k 2 --prompt c --min-p 1 "
                  "--sampling-seed 9");
    p = o.prompts.items;
    assert_int_equal(o.prompts.count, 3);
    assert_true(p[0].sampling.inverse == g_bits(2.0f) && p[0].sampling.top_k == 4);
    assert_true(p[1].sampling.inverse == 0 && p[1].sampling.top_k == 2);
    assert_true(p[2].sampling.inverse == g_bits(2.0f) && p[2].sampling.top_k == 4);
    for (int i = 0; i < 3; i++) assert_true(p[i].sampling.min_p == g_bits(1.0f) && p[i].sampling.seed == 9);
    arena_free(&arena);
}

// A planted fault without a place is at place 0.
static void test_plants(void **state) {
    (void)state;
    struct arena arena;
    struct sim_options o;
    arena_init(&arena);
    read_requests(&arena, &o, "--prompt a --plant memory --plant key:7 --plant tail");
    assert_int_equal(o.plants.count, 3);
    assert_true(o.plants.items[0].kind == PLANT_MEMORY && o.plants.items[0].place == 0);
    assert_true(o.plants.items[1].kind == PLANT_KEY && o.plants.items[1].place == 7);
    assert_true(o.plants.items[2].kind == PLANT_TAIL && o.plants.items[2].place == 0);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_uniform),     cmocka_unit_test(test_ln),
        cmocka_unit_test(test_gumbel),        cmocka_unit_test(test_frequencies), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_options),     cmocka_unit_test(test_requests),
        cmocka_unit_test(test_plants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
