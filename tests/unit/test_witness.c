// SPDX-License-Identifier: Apache-2.0
// Tests the graphs of tests/witness with values from numpy. The replay of the compiled graph and the oracle must give
// the exact values bit by bit. The oracle in floating point must be close to the values in float64.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

#include "gen/command/command.h"
#include "gen/reference/oracle.h"
#include "gen/pack/pack.h"
#include "gen/model/rows.h"
#include "verif/replay/replay.h"

// LEAST_GRAPHS: least number of graphs in the folder. MOST_IDS: most ids of a prompt and its answer. MOST_SIZE: see
// size_of.
enum { LEAST_GRAPHS = 12, MOST_IDS = 128, MOST_SIZE = 16 };
static const double tolerance = 1e-5; // in floating point, as a share of size_of(row) + |value|

struct witness {
    struct fixture f;
    const char *dir, *name, *spec, *weights;
    struct ir *ir;
    struct oracle_graph *graph;
    int64_t rows;
    struct rows_tensor *in, *exact, *real; // inputs; outputs computed bit by bit; outputs computed in float64
};

// Returns the path of the file of rows STEM.npy or STEM.safetensors, whichever exists.
static const char *path_of(struct witness *w, const char *stem) {
    const char *npy = arena_printf(&w->f.arena, "%s/%s.npy", w->weights, stem);
    return access(npy, R_OK) == 0 ? npy : arena_printf(&w->f.arena, "%s/%s.safetensors", w->weights, stem);
}

static void read_rows(struct witness *w, const char *stem, struct rows_tensor *t, int count) {
    w->rows = rows_read(&w->f.arena, path_of(w, stem), t, count, 0, 1 << 20, &w->f.diag);
    assert_no_errors(&w->f);
}

// Reads the outputs that numpy computed. The outputs of a language model are the logits from which its generated ids
// were chosen.
static struct rows_tensor *outputs_of(struct witness *w, const char *stem) {
    struct rows_tensor *t = rows_outputs(&w->f.arena, w->ir);
    if (w->ir->design.is_lm) {
        const int64_t vocabulary = ir_vocabulary(w->ir);
        *t = (struct rows_tensor){"logits", 1, {vocabulary}, vocabulary, NULL};
    }
    read_rows(w, stem, t, w->ir->outputs);
    return t;
}

static void witness_open(struct witness *w, const char *dir, const char *name) {
    *w = (struct witness){.dir = dir, .name = name};
    fixture_begin(&w->f);
    w->spec = arena_printf(&w->f.arena, "%s/%s.yaml", dir, name);
    w->weights = arena_printf(&w->f.arena, "%s/%s", dir, name);
    w->ir = command_build(w->spec, &w->f.arena, &w->f.diag, "drop-unread");
    w->graph = oracle_read(&w->f.arena, w->spec, &w->f.diag);
    assert_no_errors(&w->f);
    w->exact = outputs_of(w, "exact");
    w->real = outputs_of(w, "float");
    if (w->ir->design.is_lm) return;
    w->in = rows_inputs(&w->f.arena, w->ir);
    read_rows(w, "inputs", w->in, w->ir->inputs);
}

static int64_t output_count(const struct witness *w) { return w->ir->design.is_lm ? 1 : w->ir->outputs; }

static void input_row(const struct witness *w, int64_t row, const float *in[]) {
    for (int i = 0; i < w->ir->inputs; i++) in[i] = w->in[i].values + row * w->in[i].elements;
}

// ---- comparing a row of an output ----

static void assert_exact(const struct witness *w, const char *who, int output, int64_t row, const float *got) {
    const struct rows_tensor *t = &w->exact[output];
    assert_non_null(got);
    for (int64_t i = 0; i < t->elements; i++)
        if (memcmp(&got[i], &t->values[row * t->elements + i], 4) != 0)
            fail_msg("%s, %s: `%s`, row %lld, element %lld: %a, numpy has %a", w->name, who, t->name, (long long)row,
                     (long long)i, (double)got[i], (double)t->values[row * t->elements + i]);
}

// Returns the root mean square of a row, but at most MOST_SIZE: values near the ends of fp32 must not make the
// tolerance large.
static double size_of(const float row[], int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)row[i] * row[i];
    return fmin(MOST_SIZE, sqrt(sum / (double)n));
}

static void assert_near(const struct witness *w, const char *who, int output, int64_t row, const float *got) {
    const struct rows_tensor *t = &w->real[output];
    const float *wanted = t->values + row * t->elements;
    const double size = size_of(wanted, t->elements);
    assert_non_null(got);
    for (int64_t i = 0; i < t->elements; i++) {
        double want = wanted[i];
        if (!(fabs(got[i] - want) <= tolerance * (size + fabs(want))))
            fail_msg("%s, %s: `%s`, row %lld, element %lld: %g, numpy has %g", w->name, who, t->name, (long long)row,
                     (long long)i, (double)got[i], want);
    }
}

typedef void assertion(const struct witness *, const char *who, int output, int64_t row, const float *got);

// ---- the prompt and the ids of a language model ----

static int64_t read_ids(struct witness *w, const char *name, uint32_t ids[]) {
    size_t len;
    const char *why,
        *at = file_read(&w->f.arena, arena_printf(&w->f.arena, "%s/%s", w->weights, name), 4096, &len, &why);
    int64_t count = 0;
    assert_non_null(at);
    for (char *end; *at && *at != '\n'; at = end + (*end == ',' || *end == ' ')) {
        assert_true(count < MOST_IDS);
        ids[count++] = (uint32_t)strtoul(at, &end, 10);
        assert_true(end > at);
    }
    return count;
}

// Reads the prompt and the generated ids. `made` receives all generated ids. `ids` receives the prompt, then all
// generated ids except the last one; *count is their number. Returns the position that generates the first id.
static int64_t all_ids(struct witness *w, uint32_t ids[], int64_t *count, uint32_t made[]) {
    int64_t prompt = read_ids(w, "prompt", ids), more = read_ids(w, "ids", made);
    assert_int_equal(more, w->rows);
    assert_true(prompt + more <= MOST_IDS);
    memcpy(ids + prompt, made, (size_t)(more - 1) * sizeof *made);
    *count = prompt + more - 1;
    return prompt - 1;
}

// ---- the replay of the compiled graph ----

static struct replay *open_golden(struct witness *w) {
    char dir[] = "/tmp/rill_witness_XXXXXX";
    struct output out;
    assert_non_null(mkdtemp(dir));
    output_begin(&out, &w->f.arena, dir);
    assert_true(pack_golden(w->ir, w->weights, &out, &w->f.diag) && output_commit(&out));
    const char *image = arena_printf(&w->f.arena, "%s/image", dir);
    struct replay *run = replay_open(&w->f.arena, w->ir, image, 1, &w->f.diag);
    assert_no_errors(&w->f);
    unlink(arena_printf(&w->f.arena, "%s/golden.bin", image));
    rmdir(image);
    assert_int_equal(rmdir(dir), 0);
    return run;
}

// Copies the last value of a tensor at a position, that is, the value of the last repetition of its region, or after it
// for a carried tensor. Returns `to`.
static const float *golden_value(const struct witness *w, struct replay *run, int tensor, int64_t position,
                                 float to[]) {
    struct replay_value v;
    const struct ir_tensor *t = &w->ir->tensor[tensor];
    int64_t last = w->ir->region[t->region].repeat - 1;
    assert_true(replay_value(run, tensor, ir_carry_of(w->ir, tensor) ? last + 1 : last, position, &v));
    for (int64_t i = 0; i < ir_tensor_elements(t); i++) to[i] = v.f32[i / v.cols * v.stride + i % v.cols];
    return to;
}

static void check_golden_rows(struct witness *w) {
    struct replay *run = open_golden(w);
    const float *in[IR_MAX_PORTS];
    float row[4096];
    for (int64_t r = 0; r < w->rows; r++) {
        input_row(w, r, in);
        assert_true(replay_step(run, 0, in, r, true));
        for (int o = 0; o < w->ir->outputs; o++)
            assert_exact(w, "replay", o, r, golden_value(w, run, w->ir->output[o], r, row));
    }
    replay_close(run);
}

static void check_golden_ids(struct witness *w) {
    struct replay *run = open_golden(w);
    uint32_t ids[MOST_IDS], made[MOST_IDS];
    float row[4096];
    int64_t count, first = all_ids(w, ids, &count, made);
    const int logits = w->ir->node[w->ir->tensor[w->ir->output[0]].producer].in[0];
    for (int64_t p = 0; p < count; p++) {
        assert_true(replay_step(run, ids[p], NULL, p, p >= first));
        if (p < first) continue;
        assert_exact(w, "replay", 0, p - first, golden_value(w, run, logits, p, row));
        assert_int_equal(replay_next_id(run), made[p - first]);
    }
    replay_close(run);
}

// ---- the oracle ----

static void check_oracle_rows(struct witness *w, struct oracle *oracle, const char *who, assertion *compare) {
    const float *in[IR_MAX_PORTS];
    for (int64_t r = 0; r < w->rows; r++) {
        input_row(w, r, in);
        assert_true(oracle_step(oracle, 0, in, r, true));
        for (int o = 0; o < oracle_outputs(w->graph); o++) compare(w, who, o, r, oracle_output_row(oracle, o));
    }
}

// Compares the logits of the oracle. Always continues with the ids of the exact model, even if the oracle would
// generate others in floating point.
static void check_oracle_ids(struct witness *w, struct oracle *oracle, const char *who, assertion *compare) {
    uint32_t ids[MOST_IDS], made[MOST_IDS];
    int64_t count, first = all_ids(w, ids, &count, made);
    for (int64_t p = 0; p < count; p++) {
        assert_true(oracle_step(oracle, ids[p], NULL, p, p >= first));
        if (p < first) continue;
        compare(w, who, 0, p - first, oracle_logits(oracle));
        if (compare == assert_exact) assert_int_equal(oracle_next_id(oracle), made[p - first]);
    }
}

static void check_oracle(struct witness *w, enum oracle_mode mode, const char *who, assertion *compare) {
    struct checkpoint *checkpoint = checkpoint_open(&w->f.arena, w->weights, &w->f.diag);
    assert_non_null(checkpoint);
    struct oracle *oracle = oracle_open(&w->f.arena, w->graph, mode, checkpoint, &w->f.diag);
    assert_no_errors(&w->f);
    if (w->ir->design.is_lm) check_oracle_ids(w, oracle, who, compare);
    else check_oracle_rows(w, oracle, who, compare);
    oracle_close(oracle);
    checkpoint_close(checkpoint);
}

// ---- every graph of the folder ----

static void each_graph(void (*check)(struct witness *)) {
    struct fixture f;
    fixture_begin(&f);
    const char *dir = find_dir(&f, "tests/witness/make.py");
    assert_non_null(dir);
    DIR *folder = opendir(dir);
    assert_non_null(folder);
    int graphs = 0;
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        const char *end = strstr(e->d_name, ".yaml");
        if (!end || end[5]) continue;
        struct witness w;
        witness_open(&w, dir, arena_strndup(&f.arena, e->d_name, (size_t)(end - e->d_name)));
        assert_int_equal(output_count(&w), oracle_outputs(w.graph));
        check(&w);
        fixture_end(&w.f);
        graphs++;
    }
    closedir(folder);
    assert_true(graphs >= LEAST_GRAPHS);
    fixture_end(&f);
}

static void check_golden(struct witness *w) { w->ir->design.is_lm ? check_golden_ids(w) : check_golden_rows(w); }
static void check_exact(struct witness *w) { check_oracle(w, ORACLE_EXACT, "oracle", assert_exact); }
static void check_float(struct witness *w) { check_oracle(w, ORACLE_FLOAT, "oracle in floating point", assert_near); }

static void test_golden(void **state) {
    (void)state;
    each_graph(check_golden);
}

static void test_oracle(void **state) {
    (void)state;
    each_graph(check_exact);
}

static void test_oracle_in_float(void **state) {
    (void)state;
    each_graph(check_float);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_oracle_in_float),
    };
    return cmocka_run_group_tests_name("witness", tests, NULL, NULL);
}
