// SPDX-License-Identifier: Apache-2.0
// Loads a tokenizer from GPT-2's two files: the vocabulary (JSON: text of a token -> id) and the merges (one pair per
// line, best first).
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "gen/model/tokenizer_internal.h"
#include "gen/model/json_text.h"

enum { LEAST_MADE = 100 }; // warn_unmade accepts that 1 token in 100 is not the result of a merge

static bool add_token(struct tokenizer_builder *b, const char *text, const json_t *value) {
    json_int_t id = json_integer_value(value);
    if (!json_is_integer(value) || id < 0 || (size_t)id >= b->t->vocab) {
        diag_error(b->diag, b->loc, MSG_TOKENIZER_ID, text, b->t->vocab - 1);
        return false;
    }
    return tokenizer_put(b, (uint32_t)id, tokenizer_from_alphabet(b->arena, text, strlen(text)));
}

// Finds the end-of-text token, with which every prompt of GPT-2 also begins. A vocabulary without it is no error.
static void find_end_of_text(struct tokenizer_builder *b) {
    uint32_t eot = tokenizer_find(b->t, b->end_of_text, strlen(b->end_of_text));
    if (eot == TOKENIZER_NONE) return;
    b->t->eot = b->t->begin = eot;
    tokenizer_put_special(b, eot, true);
}

static bool add_vocabulary(struct tokenizer_builder *b, json_t *root) {
    const char *text;
    json_t *value;
    if (!tokenizer_reserve(b, json_object_size(root))) return false;
    json_object_foreach(root, text, value) {
        if (!add_token(b, text, value)) return false;
    }
    find_end_of_text(b);
    return tokenizer_find_bytes(b);
}

static char *read_file(struct tokenizer_builder *b, const char *path, size_t *len) {
    const char *why;
    b->loc = loc_file(b->arena, path);
    char *text = file_read(b->arena, path, TOKENIZER_MAX_BYTES, len, &why);
    if (!text) diag_error_text(b->diag, b->loc, why);
    return text;
}

static bool read_vocabulary(struct tokenizer_builder *b, const char *path) {
    size_t len;
    const char *text = read_file(b, path, &len);
    if (!text) return false;
    json_t *root = json_text_object(text, len, b->loc, b->diag);
    bool ok = root && add_vocabulary(b, root);
    json_decref(root);
    return ok;
}

static bool add_merge(struct tokenizer_builder *b, const char *text, size_t len, int line) {
    const char *space = memchr(text, ' ', len);
    size_t left = space ? (size_t)(space - text) : 0, right = space ? len - left - 1 : 0;
    if (left == 0 || right == 0 || memchr(space + 1, ' ', right))
        return diag_error(b->diag, b->loc, MSG_TOKENIZER_MERGE_LINE, line), false;
    return tokenizer_put_merge(b, tokenizer_from_alphabet(b->arena, text, left),
                               tokenizer_from_alphabet(b->arena, space + 1, right),
                               arena_printf(b->arena, "line %d", line));
}

static size_t count_lines(const char *text, size_t len) {
    size_t lines = 1;
    for (size_t i = 0; i < len; i++) lines += text[i] == '\n';
    return lines;
}

// Reads the merges: one per line, after an optional line with the version.
static bool read_merges(struct tokenizer_builder *b, const char *path) {
    size_t len;
    const char *text = read_file(b, path, &len);
    if (!text) return false;
    tokenizer_reserve_merges(b, count_lines(text, len));
    int line = 1;
    for (const char *at = text, *end = text + len; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        size_t n = (size_t)(stop - at);
        if (n && at[n - 1] == '\r') n--;
        bool is_version = line == 1 && n >= 8 && memcmp(at, "#version", 8) == 0;
        if (n && !is_version && !add_merge(b, at, n, line)) return false;
        at = stop + 1;
    }
    return true;
}

// Warns if many tokens of several bytes are not the result of a merge, because the list of merges is then probably
// truncated. Every tokenizer has a few such tokens.
static void warn_unmade(const struct tokenizer_builder *b) {
    const struct tokenizer *t = b->t;
    bool *made = ARENA_ARRAY(b->arena, bool, t->vocab + 1);
    size_t unmade = 0;
    for (size_t i = 0; i < t->merge_slots; i++)
        if (t->merges[i].rank != TOKENIZER_NONE) made[t->merges[i].merged] = true;
    for (size_t i = 0; i < t->vocab; i++) unmade += t->tokens[i].len > 1 && !made[i];
    if (unmade * LEAST_MADE > t->vocab) diag_warning(b->diag, b->loc, MSG_TOKENIZER_MERGES_MISSING, unmade, t->vocab);
}

struct tokenizer *tokenizer_load_files(struct arena *arena, const char *vocabulary, const char *merges,
                                       struct diag *diag) {
    struct tokenizer_builder b = tokenizer_begin(arena, diag, loc_file(arena, vocabulary));
    if (!tokenizer_read_table(&b) || !read_vocabulary(&b, vocabulary) || !read_merges(&b, merges)) return NULL;
    warn_unmade(&b);
    if (!tokenizer_add_stage(&b, "gpt2")) return tokenizer_close(b.t), NULL;
    return tokenizer_finish(&b);
}
