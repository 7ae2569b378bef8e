// SPDX-License-Identifier: Apache-2.0
// Builds a struct tokenizer step by step: ids and their texts, the byte alphabet, merges, scores, specials. All loaders
// use these functions, which tokenizer_internal.h describes.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/model/tokenizer_internal.h"

enum { FIRST_SHIFTED = 256, LAST_SHIFTED = 323 }; // characters that represent the bytes that are not plain

struct tokenizer_builder tokenizer_begin(struct arena *arena, struct diag *diag, struct loc loc) {
    struct tokenizer_builder b = {.arena = arena, .t = ARENA_NEW(arena, struct tokenizer), .diag = diag, .loc = loc};
    b.t->arena = arena;
    b.t->eot = b.t->begin = b.t->unknown = -1;
    b.t->model = TOKENIZER_BYTE_BPE;
    return b;
}

// ---- the byte alphabet of GPT-2: every byte is written as one printable character ----

// Returns whether a byte is represented by the character with its own number.
static bool is_plain(unsigned byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

// Returns the byte of a character, or -1 if the alphabet lacks the character. Characters from 256 on represent the 68
// bytes that are not plain, in order.
static int byte_of_character(uint32_t character) {
    if (character < FIRST_SHIFTED) return is_plain(character) ? (int)character : -1;
    if (character > LAST_SHIFTED) return -1;
    int byte = 0;
    for (uint32_t left = character - FIRST_SHIFTED;; byte++)
        if (!is_plain((unsigned)byte) && left-- == 0) return byte;
}

// Reads a character of one or two bytes; the alphabet has no longer ones. Returns its length, or 0 for any other
// character.
static size_t next_character(const char *s, size_t len, uint32_t *character) {
    unsigned char a = (unsigned char)s[0];
    if (a < 0x80) return *character = a, 1;
    if ((a & 0xe0) != 0xc0 || len < 2 || ((unsigned char)s[1] & 0xc0) != 0x80) return 0;
    *character = (uint32_t)(a & 0x1f) << 6 | ((unsigned char)s[1] & 0x3f);
    return 2;
}

struct tokenizer_token tokenizer_from_alphabet(struct arena *arena, const char *text, size_t len) {
    char *bytes = arena_alloc(arena, len + 1, 1);
    size_t n = 0;
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t character = 0;
        step = next_character(text + at, len - at, &character);
        int byte = step ? byte_of_character(character) : -1;
        if (byte < 0) return (struct tokenizer_token){arena_strndup(arena, text, len), len, TOKENIZER_NONE};
        bytes[n++] = (char)byte;
    }
    return (struct tokenizer_token){bytes, n, TOKENIZER_NONE};
}

// ---- names ----

// Returns the size of a hash table: a power of two that is at least twice the number of entries.
static size_t round_slots(size_t entries) {
    size_t slots = 16;
    while (slots < 2 * entries) slots *= 2;
    return slots;
}

// Returns the entry of a text in the hash table, or the free entry for it.
static struct tokenizer_name *name_place(const struct tokenizer *t, const char *bytes, size_t len) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    size_t i = (size_t)(hash ^ hash >> 29) & (t->name_slots - 1);
    while (t->names[i].bytes && (t->names[i].len != len || memcmp(t->names[i].bytes, bytes, len) != 0))
        i = (i + 1) & (t->name_slots - 1);
    return &t->names[i];
}

uint32_t tokenizer_find(const struct tokenizer *t, const char *bytes, size_t len) {
    if (!t->name_slots) return TOKENIZER_NONE;
    const struct tokenizer_name *name = name_place(t, bytes, len);
    return name->bytes ? name->id : TOKENIZER_NONE;
}

bool tokenizer_reserve(struct tokenizer_builder *b, size_t vocab) {
    if (vocab == 0 || vocab > TOKENIZER_MAX_IDS) {
        diag_error(b->diag, b->loc, MSG_TOKENIZER_SIZE, vocab, TOKENIZER_MAX_IDS);
        return false;
    }
    b->t->vocab = vocab;
    b->t->tokens = ARENA_ARRAY(b->arena, struct tokenizer_token, vocab);
    b->t->name_slots = round_slots(vocab);
    b->t->names = ARENA_ARRAY(b->arena, struct tokenizer_name, b->t->name_slots);
    return true;
}

bool tokenizer_put(struct tokenizer_builder *b, uint32_t id, struct tokenizer_token token) {
    struct tokenizer_token *place = &b->t->tokens[id];
    if (place->bytes) {
        diag_error(b->diag, b->loc, MSG_TOKENIZER_ID_TWICE, (int)(token.len < 80 ? token.len : 80), token.bytes, id);
        return false;
    }
    *place = token;
    struct tokenizer_name *name = name_place(b->t, token.bytes, token.len);
    if (!name->bytes) *name = (struct tokenizer_name){token.bytes, token.len, id};
    return true;
}

void tokenizer_put_special(struct tokenizer_builder *b, uint32_t id, bool control) {
    const struct tokenizer_token *token = &b->t->tokens[id];
    struct tokenizer_special s = {.id = id, .control = control, .text = token->bytes, .len = token->len};
    if (s.len) VEC_PUSH(b->arena, b->t->specials, s);
}

void tokenizer_put_normalized(struct tokenizer_builder *b, uint32_t id, bool control) {
    const struct tokenizer_token *token = &b->t->tokens[id];
    struct text normal = {0};
    tokenizer_add_normal(b->t, token->bytes, token->len, &normal);
    struct tokenizer_special s = {.id = id, .control = control, .normalized = true, .len = normal.len};
    s.text = arena_strndup(b->arena, text_cstr(&normal), normal.len);
    text_free(&normal);
    if (!s.len) return;
    b->t->normalized_specials = true;
    VEC_PUSH(b->arena, b->t->specials, s);
}

// ---- bytes ----

bool tokenizer_find_bytes(struct tokenizer_builder *b) {
    for (unsigned byte = 0; byte < 256; byte++) {
        char c = (char)byte;
        uint32_t id = b->t->byte_id[byte] = tokenizer_find(b->t, &c, 1);
        bool wanted = byte >= ' ' && byte <= '~';
        if (id == TOKENIZER_NONE && wanted) return diag_error(b->diag, b->loc, MSG_TOKENIZER_BYTE, byte), false;
    }
    return true;
}

static const char byte_form[] = "<0x%02X>";
enum { BYTE_FORM_BYTES = 6 };

void tokenizer_find_fallback(struct tokenizer_builder *b) {
    b->t->byte_fallback = true;
    for (unsigned byte = 0; byte < 256; byte++) {
        char name[BYTE_FORM_BYTES + 1];
        snprintf(name, sizeof name, byte_form, byte & 255u);
        b->t->byte_id[byte] = tokenizer_find(b->t, name, BYTE_FORM_BYTES);
        if (b->t->byte_id[byte] == TOKENIZER_NONE) b->t->byte_fallback = false;
    }
}

// ---- merges ----

void tokenizer_reserve_merges(struct tokenizer_builder *b, size_t count) {
    b->t->merge_slots = round_slots(count);
    b->t->merges = ARENA_ARRAY(b->arena, struct tokenizer_merge, b->t->merge_slots);
    for (size_t i = 0; i < b->t->merge_slots; i++) b->t->merges[i].rank = TOKENIZER_NONE;
}

// Returns the id of a side or of the result of a merge. Reports an error if there is none.
static uint32_t find_symbol(struct tokenizer_builder *b, struct tokenizer_token token, const char *what,
                            const char *where) {
    uint32_t id = tokenizer_find(b->t, token.bytes, token.len);
    if (id == TOKENIZER_NONE)
        diag_error(b->diag, b->loc, MSG_TOKENIZER_UNKNOWN, where, what, (int)(token.len < 80 ? token.len : 80),
                   token.bytes);
    return id;
}

bool tokenizer_put_merge(struct tokenizer_builder *b, struct tokenizer_token left, struct tokenizer_token right,
                         const char *where) {
    char *joined = arena_alloc(b->arena, left.len + right.len + 1, 1);
    memcpy(joined, left.bytes, left.len);
    memcpy(joined + left.len, right.bytes, right.len);
    uint32_t l = find_symbol(b, left, "symbol", where), r = find_symbol(b, right, "symbol", where);
    uint32_t m = find_symbol(b, (struct tokenizer_token){joined, left.len + right.len, 0}, "merge", where);
    if (l == TOKENIZER_NONE || r == TOKENIZER_NONE || m == TOKENIZER_NONE) return false;
    struct tokenizer_merge *place = tokenizer_merge_place(b->t, l, r);
    if (place->rank == TOKENIZER_NONE) *place = (struct tokenizer_merge){l, r, m, b->merge_rank++};
    return true;
}

// ---- scores ----

struct scored {
    double score;
    uint32_t id;
};

static int compare_scores(const void *a, const void *b) { // best first
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x < y) - (x > y);
}

bool tokenizer_set_scores(struct tokenizer_builder *b, const double score[]) {
    struct scored *sorted = ARENA_ARRAY(b->arena, struct scored, b->t->vocab);
    for (size_t i = 0; i < b->t->vocab; i++) {
        if (isnan(score[i])) return diag_error(b->diag, b->loc, MSG_TOKENIZER_SCORE, i), false;
        sorted[i] = (struct scored){score[i], (uint32_t)i};
    }
    qsort(sorted, b->t->vocab, sizeof *sorted, compare_scores);
    uint32_t rank = 0;
    for (size_t i = 0; i < b->t->vocab; i++) {
        if (i && sorted[i].score != sorted[i - 1].score) rank++;
        b->t->tokens[sorted[i].id].rank = rank;
    }
    return true;
}

// ---- decoded texts of ids ----

static bool is_byte_token(const struct tokenizer *t, uint32_t id, unsigned *byte) {
    for (*byte = 0; *byte < 256; ++*byte)
        if (t->byte_id[*byte] == id) return true;
    return false;
}

// Returns the text to which an id decodes: <0x41> becomes its byte, and TOKENIZER_SPACE a space.
static struct tokenizer_token show(struct tokenizer_builder *b, uint32_t id) {
    struct tokenizer_token token = b->t->tokens[id];
    unsigned byte;
    struct text out = {0};
    if (!token.bytes) return token;
    if (b->t->byte_fallback && token.len == BYTE_FORM_BYTES && is_byte_token(b->t, id, &byte)) {
        text_add_bytes(&out, &(char){(char)byte}, 1);
    } else {
        size_t mark = strlen(TOKENIZER_SPACE);
        for (size_t i = 0; i < token.len;) {
            bool space = token.len - i >= mark && !memcmp(token.bytes + i, TOKENIZER_SPACE, mark);
            text_add_bytes(&out, space ? " " : token.bytes + i, 1);
            i += space ? mark : 1;
        }
    }
    token.len = out.len;
    token.bytes = arena_strndup(b->arena, text_cstr(&out), out.len);
    text_free(&out);
    return token;
}

struct tokenizer *tokenizer_finish(struct tokenizer_builder *b) {
    struct tokenizer *t = b->t;
    if (t->model == TOKENIZER_BYTE_BPE) return t; // its tokens are what ids decode to
    t->shown = ARENA_ARRAY(b->arena, struct tokenizer_token, t->vocab);
    for (size_t id = 0; id < t->vocab; id++) t->shown[id] = show(b, (uint32_t)id);
    return t;
}
