// SPDX-License-Identifier: Apache-2.0
// Tests YAML trees and design specs. A spec in tests/spec must give exactly the diagnostics of the .expect file next to
// it, and none if there is no such file. RILL_UPDATE=1 rewrites the .expect files; check the difference afterwards.
#define _GNU_SOURCE
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/spec/spec.h"

// One run of the reader with its own arena and its diagnostics as text.
struct run {
    struct arena arena;
    struct diag diag;
    FILE *stream;
    char *text;
    size_t len;
};

static void run_begin(struct run *r) {
    *r = (struct run){0};
    arena_init(&r->arena);
    r->stream = open_memstream(&r->text, &r->len);
    diag_init(&r->diag, r->stream);
}

static const char *run_text(struct run *r) {
    fflush(r->stream);
    return r->text;
}

static void run_end(struct run *r) {
    fclose(r->stream);
    free(r->text);
    arena_free(&r->arena);
}

static const struct yaml_node *read_yaml(struct run *r, const char *text) {
    return yaml_read_bytes("t", text, strlen(text), &r->arena, &r->diag);
}

// ---- YAML ----

static void test_tree(void **state) {
    (void)state;
    struct run r;
    run_begin(&r);
    const struct yaml_node *n = read_yaml(&r, "a: 1\nb: [x, {c: 'q'}, ]\n\"d e\": |\n  text\n");
    assert_non_null(n);
    assert_int_equal(n->count, 3);
    assert_int_equal(yaml_key_loc(n, "b").line, 2);
    assert_int_equal(yaml_get(n, "b")->loc.col, 4);
    const struct yaml_node *q = yaml_get(yaml_get(n, "b")->items[1], "c");
    assert_true(q->quoted);
    assert_int_equal(q->loc.col, 12);
    assert_string_equal(yaml_get(n, "d e")->text, "text\n");
    assert_null(yaml_get(n, "none"));
    assert_null(yaml_get(q, "none"));
    run_end(&r);
}

// Checks that UTF-16 is refused, although the YAML library would accept it.
static void test_utf16(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } texts[] = {{"\xff\xfe"
                  "a\0:\0 \0001\0",
                  10},
                 {"\xfe\xff"
                  "\0a\0:\0 \0001",
                  10}};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct run r;
        run_begin(&r);
        assert_null(yaml_read_bytes("t", texts[i].bytes, texts[i].len, &r.arena, &r.diag));
        assert_non_null(strstr(run_text(&r), "not valid UTF-8: it is UTF-16"));
        run_end(&r);
    }
}

static void expect_int(struct run *r, const char *text, bool good, int64_t value) {
    int64_t v = 0;
    assert_int_equal(yaml_parse_int(read_yaml(r, text), &v), good);
    assert_int_equal(v, value);
}

static void expect_float(struct run *r, const char *text, bool good, double value) {
    double v = 0;
    assert_int_equal(yaml_parse_float(read_yaml(r, text), &v), good);
    assert_true(v == value);
}

static void test_scalars(void **state) {
    (void)state;
    struct run r;
    bool b = false;
    run_begin(&r);
    expect_int(&r, "0", true, 0);
    expect_int(&r, "-12", true, -12);
    expect_int(&r, "0x1F", true, 31);
    expect_int(&r, "9223372036854775807", true, INT64_MAX);
    static const char *const no_ints[] = {
        "9223372036854775808", "010", "1.0", "'1'", "0x", "0x-1", "1 2", "x", "1e3", "-"};
    for (size_t i = 0; i < COUNT_OF(no_ints); i++) expect_int(&r, no_ints[i], false, 0);
    expect_float(&r, "1", true, 1);
    expect_float(&r, "-.5e1", true, -5);
    expect_float(&r, "0x1.8p-3", true, 0.1875);
    static const char *const no_floats[] = {"inf", ".inf", "nan", "1e999", "'1.0'", "1.0f", "1 2", "-"};
    for (size_t i = 0; i < COUNT_OF(no_floats); i++) expect_float(&r, no_floats[i], false, 0);
    assert_true(yaml_parse_bool(read_yaml(&r, "true"), &b) && b);
    assert_false(yaml_parse_bool(read_yaml(&r, "yes"), &b));
    assert_true(yaml_is_null(read_yaml(&r, "~")));
    assert_false(yaml_is_null(read_yaml(&r, "''")));
    run_end(&r);
}

static void write_sample(struct yaml_writer *w) {
    static const char *const strings[] = {"plain",     "",   "true",        "No",    "12",       "a: b",
                                          "-x",        "#c", "line\nbreak", "q\"\\", "\xc3\xa9", "\xc2\x85\xe2\x80\xa8",
                                          "a/b.c+d-e", "~",  " lead",       "x:y",   "[",        "\x01\x7f"};
    yaml_begin_map(w, false);
    yaml_write_key(w, "strings");
    yaml_begin_seq(w, false);
    for (size_t i = 0; i < COUNT_OF(strings); i++) yaml_write_string(w, strings[i]);
    yaml_end(w);
    yaml_write_key(w, "flow");
    yaml_begin_seq(w, true);
    for (size_t i = 0; i < COUNT_OF(strings); i++) yaml_write_string(w, strings[i]);
    yaml_begin_map(w, false);
    yaml_write_key(w, "key: odd");
    yaml_write_int(w, INT64_MIN);
    yaml_end(w);
    yaml_end(w);
    yaml_write_key(w, "nested");
    yaml_begin_seq(w, false);
    for (int i = 0; i < 2; i++) {
        yaml_begin_map(w, false);
        yaml_write_key(w, "empty");
        yaml_begin_map(w, false);
        yaml_end(w);
        yaml_write_key(w, "matrix");
        yaml_begin_seq(w, false);
        yaml_begin_seq(w, false);
        yaml_write_float(w, 0.1);
        yaml_write_float(w, 1e300);
        yaml_end(w);
        yaml_begin_seq(w, false);
        yaml_end(w);
        yaml_end(w);
        yaml_write_key(w, "deep");
        yaml_begin_map(w, false);
        yaml_write_key(w, "float");
        yaml_write_float(w, 3);
        yaml_end(w);
        yaml_end(w);
    }
    yaml_end(w);
    yaml_end(w);
}

// Writes a tree that was read from a text. Every scalar that can be read as a number is written as a number.
static void write_node(struct yaml_writer *w, const struct yaml_node *n) {
    int64_t i;
    double f;
    if (n->kind == YAML_KIND_MAP) {
        yaml_begin_map(w, false);
        for (size_t k = 0; k < n->count; k++) {
            yaml_write_key(w, n->keys[k]);
            write_node(w, n->items[k]);
        }
        yaml_end(w);
    } else if (n->kind == YAML_KIND_SEQ) {
        yaml_begin_seq(w, false);
        for (size_t k = 0; k < n->count; k++) write_node(w, n->items[k]);
        yaml_end(w);
    } else if (yaml_parse_int(n, &i)) {
        yaml_write_int(w, i);
    } else if (yaml_parse_float(n, &f)) {
        yaml_write_float(w, f);
    } else {
        yaml_write_string(w, n->text);
    }
}

static bool same_tree(const struct yaml_node *a, const struct yaml_node *b) {
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == YAML_KIND_SCALAR) return strcmp(a->text, b->text) == 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->kind == YAML_KIND_MAP && strcmp(a->keys[i], b->keys[i]) != 0) return false;
        if (!same_tree(a->items[i], b->items[i])) return false;
    }
    return true;
}

// A text that the writer has made must be readable. If the tree that is read from it is written and read again, it must
// be equal.
static void test_writer(void **state) {
    (void)state;
    struct run r;
    struct yaml_writer w;
    struct text first = {0}, second = {0};
    run_begin(&r);
    yaml_writer_init(&w, &first);
    write_sample(&w);
    const struct yaml_node *a = read_yaml(&r, text_cstr(&first));
    assert_string_equal(run_text(&r), "");
    assert_non_null(a);
    const struct yaml_node *strings = yaml_get(a, "strings"), *flow = yaml_get(a, "flow");
    assert_string_equal(strings->items[8]->text, "line\nbreak");
    assert_string_equal(strings->items[11]->text, "\xc2\x85\xe2\x80\xa8");
    for (size_t i = 0; i < strings->count; i++) assert_string_equal(strings->items[i]->text, flow->items[i]->text);
    yaml_writer_init(&w, &second);
    write_node(&w, a);
    const struct yaml_node *b = read_yaml(&r, text_cstr(&second));
    assert_non_null(b);
    assert_true(same_tree(a, b));
    text_free(&first);
    text_free(&second);
    run_end(&r);
}

// ---- specs ----

static char *read_text(struct run *r, const char *path) {
    size_t len;
    const char *why;
    return file_read(&r->arena, path, 1 << 20, &len, &why);
}

// Changes the working directory to a folder of the source tree.
static void enter(const char *relative) {
    struct arena a;
    arena_init(&a);
    const char *dir = file_find_shared(&a, relative);
    assert_non_null(dir);
    assert_int_equal(chdir(dir), 0);
    arena_free(&a);
}

static void check_file(const char *path) {
    struct run r;
    run_begin(&r);
    const char *expect = arena_printf(&r.arena, "%.*s.expect", (int)(strlen(path) - strlen(".yaml")), path);
    const char *wanted = read_text(&r, expect);
    bool good = rill_spec_read(path, &r.arena, &r.diag) != NULL;
    const char *said = run_text(&r);
    assert_int_equal(good, r.diag.errors == 0);
    if (getenv("RILL_UPDATE") && *said) {
        struct text t = {0};
        text_add(&t, said);
        assert_null(file_write_text(&r.arena, expect, &t));
        text_free(&t);
    } else {
        if (strcmp(said, wanted ? wanted : "") != 0) print_error("%s\n", path);
        assert_string_equal(said, wanted ? wanted : "");
    }
    run_end(&r);
}

static void test_files(void **state) {
    (void)state;
    glob_t files;
    enter("tests/spec");
    assert_int_equal(glob("*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) check_file(files.gl_pathv[i]);
    globfree(&files);
}

static void test_configs(void **state) {
    (void)state;
    glob_t files;
    enter("configs");
    assert_int_equal(glob("*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) check_file(files.gl_pathv[i]);
    globfree(&files);
}

static void test_model(void **state) {
    (void)state;
    struct run r;
    run_begin(&r);
    enter("configs");
    const struct rill_spec *s = rill_spec_read("tinystories-gpt2-1m.yaml", &r.arena, &r.diag);
    assert_non_null(s);
    const struct family_values *v = s->model->values;
    assert_int_equal(v->let[0], 32); // head_dim
    assert_int_equal(v->parameter[family_find_parameter(s->model->family, "kv_heads")].i, 4);
    assert_true(v->parameter[family_find_parameter(s->model->family, "tied_head")].i == 1);
    assert_true(v->parameter[family_find_parameter(s->model->family, "norm_eps")].f == 1e-5);
    assert_int_equal(s->graph->region_count, 3);
    assert_int_equal(s->graph->regions[1].repeat, 4);
    assert_true(s->graph->eot.count == 1 && s->graph->eot.id[0] == 1023);
    assert_string_equal(s->graph->weights.prefix, "transformer.");
    assert_int_equal(s->design.tokens, 2);
    assert_int_equal(s->design.group, 128);
    assert_int_equal(s->design.head, SPEC_INT8);
    assert_int_equal(s->design.embedding, SPEC_INT8);
    assert_int_equal(s->device->hbm.channels, 32);
    assert_int_equal(s->device->slr_count, 3);
    for (size_t d = 0; d < s->device->slr_count; d++) {
        const struct device_slr *slr = &s->device->slrs[d];
        assert_int_equal(slr->total.bram36, 2016 / 3);
        assert_true(slr->region.lut < slr->total.lut);
    }
    struct device_resources all = device_total(s->device), region = device_region(s->device);
    assert_int_equal(all.lut, 1303680);
    assert_int_equal(all.dsp, 9024);
    assert_int_equal(region.dsp, 2664 + 2784 + 2928);
    assert_int_equal(all.lut - s->device->platform_cells.lut, 1183208);
    assert_int_equal(spec_place(s, "design.lanes").line, spec_place(s, "design.channels").line + 2);
    assert_int_equal(spec_place(s, "design.group").line, spec_place(s, "design").line);
    assert_string_equal(s->model->family->name, "gpt2");
    run_end(&r);
}

static void test_graph(void **state) {
    (void)state;
    struct run r;
    run_begin(&r);
    enter("tests/spec");
    const struct rill_spec *s = rill_spec_read("ok_graph_attributes.yaml", &r.arena, &r.diag);
    assert_non_null(s);
    assert_int_equal(s->graph->inputs[0].rank, 2);
    const struct spec_op *op = &s->graph->regions[0].ops[0];
    assert_string_equal(op->op.text, "anything");
    assert_int_equal(op->out_count, 2);
    assert_int_equal(op->attr_count, 7);
    static const enum spec_value_type types[] = {SPEC_VALUE_INT,  SPEC_VALUE_INT,    SPEC_VALUE_FLOAT,
                                                 SPEC_VALUE_BOOL, SPEC_VALUE_STRING, SPEC_VALUE_STRING,
                                                 SPEC_VALUE_LIST};
    for (size_t i = 0; i < op->attr_count; i++) assert_int_equal(op->attrs[i].value.type, types[i]);
    assert_int_equal(op->attrs[1].value.i, 31);
    assert_true(op->attrs[2].value.f == 2.5e-3);
    assert_int_equal(op->attrs[6].value.count, 3);
    assert_string_equal(op->attrs[6].value.items[1].s, "two");
    assert_int_equal(s->graph->regions[0].ops[1].in_count, 0);
    s = rill_spec_read("ok_graph_regions.yaml", &r.arena, &r.diag);
    assert_non_null(s);
    assert_int_equal(s->graph->regions[1].repeat, 7);
    assert_string_equal(s->graph->regions[1].carries[0].next.text, "h2");
    assert_int_equal(s->graph->regions[2].when, SPEC_LAST);
    run_end(&r);
}

// Checks that docs/spec.md describes these keys of the schema. Messages list the known keys, so a user looks them up.
static void test_documented(void **state) {
    (void)state;
    static const char *const keys[] = {
        "name",    "model",     "graph",          "board",     "design",    "family",
        "layers",  "hidden",    "heads",          "kv_heads",  "ffn",       "vocab",
        "context", "bos",       "tied_head",      "norm_eps",  "clock_mhz", "channels",
        "eot",     "beat_bits", "lanes",          "T",         "weights",   "head",
        "kv",      "group",     "binding",        "inputs",    "shape",     "outputs",
        "regions", "repeat",    "prefetch_beats", "max_burst", "ops",       "outstanding",
        "carry",   "when",      "init",           "next",      "op",        "out",
        "in"};
    struct run r;
    run_begin(&r);
    enter("docs");
    const char *text = read_text(&r, "spec.md");
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (!strstr(text, arena_printf(&r.arena, "`%s`", keys[i])))
            fail_msg("docs/spec.md does not describe %s", keys[i]);
    run_end(&r);
}

// ---- garbage ----

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// Makes 1 to 6 edits that replace, remove or double bytes. Returns the new length, at most `room`.
static size_t mutate(char *data, size_t len, size_t room, uint32_t *seed) {
    static const char special[] = "{}[]:,-#&*!|>'\"%@`\n\t \\~?0123456789\xff\xc3\x00";
    for (int edits = 1 + (int)(next_random(seed) % 6); edits > 0 && len > 0; edits--) {
        size_t at = next_random(seed) % len, kind = next_random(seed) % 4, n = 1 + next_random(seed) % 20;
        if (kind == 0) data[at] = (char)next_random(seed);
        if (kind == 1) data[at] = special[next_random(seed) % (sizeof special - 1)];
        if (n > len - at) n = len - at;
        if (kind == 2) memmove(data + at, data + at + n, len - at - n), len -= n;
        if (kind == 3 && len + n <= room) memmove(data + at + n, data + at, len - at), len += n;
    }
    return len;
}

static void read_garbage(const char *data, size_t len) {
    struct run r;
    run_begin(&r);
    bool good = rill_spec_read_bytes("garbage", data, len, &r.arena, &r.diag) != NULL;
    assert_int_equal(good, r.diag.errors == 0);
    run_end(&r);
}

// Checks that damaged specs are either accepted or refused with an error. One in 16 consists of random bytes. The
// environment variable RILL_FUZZ sets the number of specs (default 3,000).
static void test_garbage(void **state) {
    (void)state;
    enum { ROOM = 8192 };
    static char data[ROOM];
    const char *count = getenv("RILL_FUZZ");
    uint32_t seed = 0;
    glob_t files;
    enter("tests/spec");
    assert_int_equal(glob("*.yaml", 0, NULL, &files), 0);
    for (long i = 0, n = count ? atol(count) : 3000; i < n; i++) {
        struct run r;
        run_begin(&r);
        const char *text = read_text(&r, files.gl_pathv[(size_t)i % files.gl_pathc]);
        size_t len = strlen(text) < ROOM ? strlen(text) : ROOM;
        memcpy(data, text, len);
        run_end(&r);
        if (i % 16 == 15)
            for (size_t k = 0; k < (len = 64); k++) data[k] = (char)next_random(&seed);
        read_garbage(data, mutate(data, len, ROOM, &seed));
    }
    read_garbage("", 0);
    globfree(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf16),   cmocka_unit_test(test_tree),  cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_writer),  cmocka_unit_test(test_files), cmocka_unit_test(test_configs),
        cmocka_unit_test(test_model),   cmocka_unit_test(test_graph), cmocka_unit_test(test_documented),
        cmocka_unit_test(test_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
