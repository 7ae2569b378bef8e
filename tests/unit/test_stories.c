// SPDX-License-Identifier: Apache-2.0
// Compares the replay of the compiled configuration with stored ids and logits of the shipped model
// (tests/witness/stories.txt). `tests/witness/run.sh` compares `rill golden` with the same file.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <unistd.h>

#include "gen/command/command.h"
#include "gen/pack/pack.h"
#include "gen/model/tokenizer.h"
#include "verif/replay/replay.h"

enum { FIELDS = 6, LEAST_STORIES = 9 }; // The file must have at least LEAST_STORIES lines.
enum { WEIGHTS, HEAD, COUNT, PROMPT, HASH, IDS };

struct story {
    struct fixture f;
    const char *model;
    struct ir *ir;
    struct token_ids prompt, wanted;
};

// Builds the shipped configuration with these formats of the weights. The line `weights` must be the last one of the
// configuration.
static struct ir *build_formats(struct story *s, const char *root, const char *weights, const char *head) {
    size_t len;
    const char *why, *path = arena_printf(&s->f.arena, "%s/configs/tinystories-gpt2-1m.yaml", root);
    char *text = file_read(&s->f.arena, path, 1 << 16, &len, &why);
    assert_non_null(text);
    char *last = strstr(text, "  weights: int8\n");
    assert_true(last && !last[16]);
    const char *spec =
        arena_printf(&s->f.arena, "%.*s  weights: %s\n  head: %s\n", (int)(last - text), text, weights, head);
    char name[] = "/tmp/rill_story_XXXXXX.yaml";
    assert_int_equal(close(mkstemps(name, 5)), 0);
    write_file(name, spec, strlen(spec));
    struct ir *ir = command_build(name, &s->f.arena, &s->f.diag, "drop-unread");
    unlink(name);
    assert_no_errors(&s->f);
    return ir;
}

static struct replay *open_golden(struct story *s) {
    char dir[] = "/tmp/rill_story_XXXXXX";
    struct output out;
    assert_non_null(mkdtemp(dir));
    output_begin(&out, &s->f.arena, dir);
    assert_true(pack_golden(s->ir, s->model, &out, &s->f.diag) && output_commit(&out));
    const char *image = arena_printf(&s->f.arena, "%s/image", dir);
    struct replay *run = replay_open(&s->f.arena, s->ir, image, 1, &s->f.diag);
    assert_no_errors(&s->f);
    unlink(arena_printf(&s->f.arena, "%s/golden.bin", image));
    rmdir(image);
    assert_int_equal(rmdir(dir), 0);
    return run;
}

static void encode(struct story *s, const char *prompt) {
    struct tokenizer *tokenizer = tokenizer_open(&s->f.arena, s->model, &s->f.diag);
    assert_no_errors(&s->f);
    tokenizer_encode_prompt(tokenizer, prompt, strlen(prompt), &s->prompt);
    tokenizer_close(tokenizer);
}

static void read_wanted(struct story *s, const char *list, int64_t count) {
    for (char *end; *list; list = end + strspn(end, " ")) {
        VEC_PUSH(&s->f.arena, s->wanted, (uint32_t)strtoul(list, &end, 10));
        assert_true(end > list);
    }
    assert_int_equal(s->wanted.count, count);
}

// Generates the story with the replay, and compares each id and then the hash of all logits. label: text for messages.
static void decode(struct story *s, const char *label, const char *hash) {
    struct replay *run = open_golden(s);
    uint64_t logits = 0;
    const int chosen_from = s->ir->node[s->ir->tensor[s->ir->output[0]].producer].in[0];
    size_t made = 0;
    for (size_t p = 0; made < s->wanted.count; p++) {
        struct replay_value v;
        bool last = p + 1 >= s->prompt.count;
        assert_true(replay_step(run, p < s->prompt.count ? s->prompt.items[p] : s->wanted.items[made - 1], NULL,
                                (int64_t)p, last));
        if (!last) continue;
        assert_true(replay_value(run, chosen_from, 0, (int64_t)p, &v));
        logits = logits_hash(logits, v.f32, (size_t)v.cols);
        if (replay_next_id(run) != s->wanted.items[made])
            fail_msg("%s: id %zu is %u, %u is stored", label, made, replay_next_id(run), s->wanted.items[made]);
        made++;
    }
    const char *got = arena_printf(&s->f.arena, "%016llx", (unsigned long long)logits);
    replay_close(run);
    if (strcmp(got, hash) != 0) fail_msg("%s: the ids are as stored, but the hash of the logits is %s", label, got);
}

// Compares the story of one line, `weights|head|number of ids|prompt|hash of the logits|ids`, with the replay.
static void check_line(const char *root, char *line) {
    char *field[FIELDS] = {line};
    for (int i = 1; i < FIELDS; i++) {
        field[i] = strchr(field[i - 1], '|');
        assert_non_null(field[i]);
        *field[i]++ = '\0';
    }
    struct story s = {0};
    fixture_begin(&s.f);
    s.model = shipped_model(&s.f);
    s.ir = build_formats(&s, root, field[WEIGHTS], field[HEAD]);
    encode(&s, field[PROMPT]);
    read_wanted(&s, field[IDS], strtoll(field[COUNT], NULL, 10));
    const char *label = arena_printf(&s.f.arena, "%s, head %s, \"%s\"", field[WEIGHTS], field[HEAD], field[PROMPT]);
    decode(&s, label, field[HASH]);
    fixture_end(&s.f);
}

static void test_stories(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    size_t len;
    const char *why, *root = find_dir(&f, "Makefile");
    assert_non_null(root);
    char *text = file_read(&f.arena, arena_printf(&f.arena, "%s/tests/witness/stories.txt", root), 1 << 20, &len, &why);
    assert_non_null(text);
    int stories = 0;
    for (char *next, *line = text; *line; line = next, stories++) {
        next = strchr(line, '\n');
        assert_non_null(next);
        *next++ = '\0';
        check_line(root, line);
    }
    assert_true(stories >= LEAST_STORIES);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stories)};
    return cmocka_run_group_tests_name("stories", tests, NULL, NULL);
}
