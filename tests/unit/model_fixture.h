// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of models: diagnostics as text, the shipped checkpoint, small files.
#ifndef RILL_MODEL_FIXTURE_H
#define RILL_MODEL_FIXTURE_H

// cmocka.h needs these four headers before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"

struct fixture {
    struct arena arena;
    struct diag diag; // writes to `stream`, whose text is `text`
    FILE *stream;
    char *text;
    size_t len;
};

// The caller calls fixture_end, which frees the arena and the text.
static inline void fixture_begin(struct fixture *f) {
    *f = (struct fixture){0};
    arena_init(&f->arena);
    f->stream = open_memstream(&f->text, &f->len);
    diag_init(&f->diag, f->stream);
}

// Returns all diagnostics so far.
static inline const char *fixture_text(struct fixture *f) {
    fflush(f->stream);
    return f->text;
}

static inline void fixture_end(struct fixture *f) {
    fclose(f->stream);
    free(f->text);
    arena_free(&f->arena);
}

static inline void assert_no_errors(struct fixture *f) {
    if (f->diag.errors) fail_msg("%s", fixture_text(f));
}

// Checks that the diagnostics contain this text.
static inline void assert_reported(struct fixture *f, const char *part) {
    if (!strstr(fixture_text(f), part)) fail_msg("`%s` not in:\n%s", part, fixture_text(f));
}

// Returns the folder of a file that is given relative to the project's root, or NULL if there is no such file.
static inline const char *find_dir(struct fixture *f, const char *file) {
    char *path = file_find_shared(&f->arena, file);
    return path ? file_dir(&f->arena, path) : NULL;
}

// Returns the folder of the shipped checkpoint. Fails the test if the folder is not found.
static inline const char *shipped_model(struct fixture *f) {
    const char *dir = find_dir(f, "models/tinystories-gpt2-1m/config.json");
    if (!dir) fail_msg("models/tinystories-gpt2-1m not found: set RILL_HOME to the project's root");
    return dir;
}

// Writes a whole file. Fails the test after an error.
static inline void write_file(const char *path, const void *bytes, size_t len) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
}

// Writes a safetensors file: the length of the JSON header as 8 bytes, the header, the data.
static inline void write_safetensors(const char *path, const char *header, const void *data, size_t data_len) {
    struct text text = {0};
    uint64_t len = strlen(header);
    for (int i = 0; i < 8; i++) text_add_bytes(&text, &(char){(char)(len >> 8 * i)}, 1);
    text_add(&text, header);
    if (data_len) text_add_bytes(&text, data, data_len);
    write_file(path, text.data, text.len);
    text_free(&text);
}

// Returns the next number of a xorshift generator. The state must not be 0.
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

#endif
