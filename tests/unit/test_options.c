// SPDX-License-Identifier: Apache-2.0
// Tests the parser of command lines, which works from tables of options: values of every kind, messages, options that
// need or exclude each other, usage and completions. Also checks the tables of all commands.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// gen/main.c defines rill_commands, which test_commands checks. Its main is renamed, because this file has one.
#define main rill_main
#include "gen/main.c"
#undef main

// The values that the rows below fill. `inner` is filled by a second table, as if it were shared by several commands.
struct inner {
    double speed;
};
struct values {
    bool flag, started;
    int64_t number, start;
    uint64_t count;
    int choice;
    const char *word, *text, *file, *out, *pass;
    VEC(const char *) list;
    struct inner inner;
};

static const char *read_list(struct arena *arena, void *into, const char *value) {
    struct values *v = into;
    if (!strcmp(value, "bad")) return "it is bad";
    VEC_PUSH(arena, v->list, value);
    return NULL;
}
static const char *pass(int index) { return index == 0 ? "one" : index == 1 ? "two" : NULL; }
static void list_passes(FILE *out) { fputs("one two\n", out); }

#define AT(member) offsetof(struct values, member)
static const struct option_row rows[] = {
    {"FILE", NULL, OPTION_FILE, OPTION_NEEDED, AT(file), .help = "a file"},
    {"WHAT", "red|green", OPTION_CHOICE, 0, AT(choice), .preset = "green", .help = "a colour"},
    {"-o", "DIR", OPTION_FILE, OPTION_NEEDED, AT(out), .help = "a folder"},
    {"--flag", NULL, OPTION_FLAG, 0, AT(flag), .without = "--word", .help = "yes"},
    {"--number", "N", OPTION_NUMBER, 0, AT(number), 1, 64, .preset = "7", .help = "a number"},
    {"--start", "N", OPTION_NUMBER, 0, AT(start), 0, .given = AT(started), .help = "a beginning"},
    {"--count", "N", OPTION_COUNT, 0, AT(count), .help = "a count"},
    {"--word", "WORD", OPTION_WORD, 0, AT(word), .group = "Words", .help = "a word"},
    {"--text", "TEXT", OPTION_TEXT, 0, AT(text), .with = "--word --flag", .help = "a text"},
    {"--list", "ITEM", OPTION_CALL, OPTION_REPEATS, 0, .call = read_list, .help = "an item"},
    {"--pass", "PASS", OPTION_WORD, OPTION_JOINED, AT(pass), .value = pass, .list = list_passes, .help = "a pass"},
    {"--all", NULL, OPTION_FLAG, OPTION_ALONE, AT(flag), .help = "alone"},
    {0}};
static const struct option_row inner[] = {
    {"--speed", "MHZ", OPTION_REAL, 0, offsetof(struct inner, speed), 1, 2000, .help = "a speed"}, {0}};
static const struct options options = {.name = "try",
                                       .purpose = "try options",
                                       .example = "rill try a -o b\nrill try --all",
                                       .page = "ci",
                                       .table = {{rows, 0}, {inner, AT(inner)}},
                                       .skips_plus = true};

static struct arena arena;
static struct values v;
static char said[4096];

// Parses words separated by blanks; `_` means a blank inside a word, `~` an empty word. The values are in `v`, the
// output is in `said`. Returns the status of options_parse.
static int parse(const char *line) {
    char *argv[32] = {"try"}, *copy = arena_strdup(&arena, line);
    int argc = 1, saved[2] = {dup(1), dup(2)}, pipes[2];
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) argv[argc++] = strcmp(word, "~") ? word : "";
    for (int i = 1; i < argc; i++)
        for (char *c = argv[i]; *c; c++)
            if (*c == '_') *c = ' ';
    fflush(NULL);
    assert_int_equal(pipe(pipes), 0);
    dup2(pipes[1], 1), dup2(pipes[1], 2), close(pipes[1]);
    v = (struct values){0};
    int status = options_parse(&options, &arena, argc, argv, &v);
    fflush(NULL);
    dup2(saved[0], 1), dup2(saved[1], 2), close(saved[0]), close(saved[1]);
    ssize_t len = read(pipes[0], said, sizeof said - 1);
    said[len > 0 ? len : 0] = 0;
    close(pipes[0]);
    return status;
}

// Checks that a command line is refused with a message that begins like this.
static void refuse(const char *line, const char *message) {
    int status = parse(line);
    const char *whole = arena_printf(&arena, "rill try: error: %s [", message);
    if (status != RILL_USAGE || strncmp(said, whole, strlen(whole)) != 0)
        fail_msg("%s: status %d, %s instead of %s", line, status, said, whole);
}

static void test_values(void **state) {
    (void)state;
    assert_int_equal(parse("-o dir file --number 64 --count 18446744073709551615 --word w --speed 12.5 --pass=two red"),
                     OPTIONS_GO_ON);
    assert_string_equal(v.file, "file");
    assert_string_equal(v.out, "dir");
    assert_string_equal(v.word, "w");
    assert_string_equal(v.pass, "two");
    assert_int_equal(v.number, 64);
    assert_true(v.count == UINT64_MAX);
    assert_true(v.inner.speed == 12.5);
    assert_int_equal(v.choice, 0);
    assert_false(v.flag);
}

static void test_presets(void **state) {
    (void)state;
    assert_int_equal(parse("file -o dir"), OPTIONS_GO_ON);
    assert_int_equal(v.number, 7);
    assert_int_equal(v.choice, 1);
    assert_null(v.word);
    assert_false(v.started);
    assert_int_equal(parse("file -o dir --start 0 --flag --text --help"), OPTIONS_GO_ON);
    assert_true(v.started && v.flag);
    assert_string_equal(v.text, "--help");
}

static void test_lists(void **state) {
    (void)state;
    assert_int_equal(parse("file -o dir --list a +other=1 --list b"), OPTIONS_GO_ON);
    assert_int_equal(v.list.count, 2);
    assert_string_equal(v.list.items[1], "b");
    assert_int_equal(parse("--pass=help"), RILL_OK);
    assert_string_equal(said, "one two\n");
    refuse("file -o dir --list a --list bad", "`--list`: it is bad");
}

static void test_words(void **state) {
    (void)state;
    refuse("file -o dir --flga", "unknown option `--flga`; did you mean `--flag`?");
    refuse("file -o dir --zzzzzzzz=1", "unknown option `--zzzzzzzz=1`");
    refuse("file -o dir --number", "`--number` needs a value: `--number N`");
    refuse("file -o dir --word ~", "`--word` needs a value, not \"\"");
    refuse("file -o --flag", "`-o` needs a value, not the option `--flag`; a file of that name is `./--flag`");
    refuse("file -o dir --word a --word b", "`--word` is given twice");
    refuse("file -o dir --pass=one --pass=two", "`--pass` is given twice");
    refuse("file -o dir --pass one", "`--pass` needs a value: `--pass=PASS`");
    refuse("file -o dir --flag=1", "`--flag=1`: write `--flag`");
    refuse("file -o dir --word=1", "`--word=1`: write `--word WORD`");
    refuse("file red blue -o dir", "`blue` is one argument too many");
    refuse("~", "an empty argument");
}

static void test_ranges(void **state) {
    (void)state;
    refuse("file -o dir --number 0", "`--number` takes a number from 1 to 64, not `0`");
    refuse("file -o dir --number 65", "`--number` takes a number from 1 to 64, not `65`");
    refuse("file -o dir --number 2x", "`--number` takes a number from 1 to 64, not `2x`");
    refuse("file -o dir --start -1", "`--start` takes a number of at least 0, not `-1`");
    refuse("file -o dir --start 99999999999999999999", "`--start`: 99999999999999999999 is too large");
    refuse("file -o dir --count -1", "`--count` takes a number of at least 0, not `-1`");
    refuse("file -o dir --speed 0.5", "`--speed` takes a number from 1 to 2000, not `0.5`");
    refuse("file -o dir --speed nan", "`--speed` takes a number from 1 to 2000, not `nan`");
    refuse("file gren -o dir", "WHAT takes red|green, not `gren`; did you mean `green`?");
}

static void test_together(void **state) {
    (void)state;
    refuse("-o dir", "FILE is missing");
    refuse("file", "`-o DIR` is missing");
    refuse("file -o dir --flag --word w", "`--flag` and `--word` cannot be used together");
    refuse("file -o dir --text t", "`--text` needs `--word` or `--flag`");
    refuse("--all file", "`--all` excludes all other options and arguments");
    assert_int_equal(parse("--all"), OPTIONS_GO_ON);
}

static void test_usage(void **state) {
    (void)state;
    assert_int_equal(parse("--nothing -h"), RILL_OK);
    const char *begin = "usage: rill try FILE [red|green] -o DIR [options]\n       rill try --all\n\nTry options.\n\n"
                        "  FILE         a file\n";
    if (strncmp(said, begin, strlen(begin)) != 0) fail_msg("%s", said);
    assert_non_null(strstr(said, "\n\nWords:\n  --word WORD  a word\n"));
    assert_non_null(strstr(said, "  --number N   a number (default 7)\n"));
    assert_non_null(strstr(said, "\n\nExamples:\n  rill try a -o b\n  rill try --all\n\nMore: docs/ci.md\n"));
}

static void test_select(void **state) {
    (void)state;
    char *argv[] = {"try", "file", "--speed", "3", "--word", "--speed", "+x", "--pass=one", "-o", "d"}, *out[10];
    assert_int_equal(options_select(&options, inner, 8, argv, out), 3);
    assert_string_equal(out[0], "--speed");
    assert_string_equal(out[1], "3");
    assert_string_equal(out[2], "+x");
}

static void test_shells(void **state) {
    (void)state;
    const struct options *all[] = {&options, NULL};
    void (*const write[])(const struct options *const *, struct text *) = {options_bash, options_zsh};
    for (size_t i = 0; i < COUNT_OF(write); i++) {
        struct text text = {0};
        write[i](all, &text);
        assert_non_null(strstr(text_cstr(&text),
                               "-o --flag --number --start --count --word --text --list --pass= --all "
                               "--speed -h --help"));
        assert_null(strstr(text_cstr(&text), "WHAT"));
        assert_non_null(strstr(text_cstr(&text), "try:--pass) "));
        assert_non_null(strstr(text_cstr(&text), "red green"));
        text_free(&text);
    }
}

// ---- all commands ----

// Returns the row of the option whose name has these `len` characters, or NULL.
static const struct option_row *row_of(const struct options *o, const char *name, size_t len) {
    for (int t = 0; t < OPTION_TABLES && o->table[t].row; t++)
        for (const struct option_row *row = o->table[t].row; row->name; row++)
            if (strlen(row->name) == len && !strncmp(row->name, name, len)) return row;
    return NULL;
}

static void check_names(const struct options *o, const char *list) {
    for (const char *at = list; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (!row_of(o, at, strcspn(at, " "))) fail_msg("rill %s: no option %s", o->name, at);
}

// Checks the row of an option: its name occurs once, it has a help text, only a row of the kind OPTION_CALL has a
// function, a flag has no value, and the options that the row names exist.
static void check_row(const struct options *o, const struct option_row *row) {
    if (row_of(o, row->name, strlen(row->name)) != row) fail_msg("rill %s: %s stands twice", o->name, row->name);
    if (!row->help || !*row->help) fail_msg("rill %s: %s has no help", o->name, row->name);
    if ((row->kind == OPTION_CALL) != (row->call != NULL)) fail_msg("rill %s: %s: a call?", o->name, row->name);
    if (row->kind == OPTION_FLAG && row->word) fail_msg("rill %s: %s: a flag with a value", o->name, row->name);
    check_names(o, row->with);
    check_names(o, row->without);
}

// Checks that a command has an example that contains `rill NAME`, and that its page in docs/ exists.
static void check_example(const struct options *o) {
    const char *begin = arena_printf(&arena, "rill %s", o->name);
    if (!o->example || !strstr(o->example, begin)) fail_msg("rill %s has no example", o->name);
    const char *page = o->page ? arena_printf(&arena, "docs/%s.md", o->page) : "docs";
    if (access(page, R_OK) != 0) fail_msg("rill %s: there is no %s", o->name, page);
}

static void test_commands(void **state) {
    (void)state;
    for (int i = 0; rill_commands[i]; i++) {
        const struct options *o = &rill_commands[i]->options;
        check_example(o);
        for (int t = 0; t < OPTION_TABLES && o->table[t].row; t++)
            for (const struct option_row *row = o->table[t].row; row->name; row++) check_row(o, row);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_presets),
                                       cmocka_unit_test(test_lists),  cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_ranges), cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_usage),  cmocka_unit_test(test_select),
                                       cmocka_unit_test(test_shells), cmocka_unit_test(test_commands)};
    arena_init(&arena);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
