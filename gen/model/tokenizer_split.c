// SPDX-License-Identifier: Apache-2.0
// Splits a text into pieces and passes each piece to tokenizer_merge.c. First brings the text to its normal form, then
// applies the tokenizer's regular expressions in turn, each to the pieces that the previous one made.
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "gen/model/tokenizer_internal.h"

// ---- characters ----

size_t tokenizer_character(const unsigned char *s, size_t len) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || n > len) return 0;
    uint32_t c = s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : n;
}

// Returns how many bytes at the start of the text are valid UTF-8.
static size_t valid_prefix(const char *text, size_t len) {
    size_t at = 0;
    for (size_t n; at < len && (n = tokenizer_character((const unsigned char *)text + at, len - at)) > 0;) at += n;
    return at;
}

// ---- pieces ----

// Splits a text at the matches of a stage: the matches and the texts between them are pieces, which the next stage
// splits further. After the last stage, merges each piece.
static void split(const struct tokenizer *t, int stage, const char *text, size_t len, struct token_ids *ids) {
    if (len == 0) return;
    if (stage == t->stages) {
        tokenizer_merge_piece(t, text, len, ids);
        return;
    }
    for (size_t at = 0; at < len;) {
        int found = pcre2_match(t->stage[stage], (PCRE2_SPTR)text, len, at, PCRE2_NO_UTF_CHECK, t->match, NULL);
        if (found < 1 && found != PCRE2_ERROR_NOMATCH) base_fatal("tokenizer: match error %d", found);
        const PCRE2_SIZE *place = pcre2_get_ovector_pointer(t->match);
        size_t begin = found < 1 ? len : place[0], end = found < 1 ? len : place[1];
        split(t, stage + 1, text + at, begin - at, ids);
        split(t, stage + 1, text + begin, end - begin, ids);
        at = end;
    }
}

// Splits a text that may contain bytes that are not valid UTF-8. Each such byte becomes a separate piece.
static void split_any(const struct tokenizer *t, const char *text, size_t len, struct token_ids *ids) {
    while (len > 0) {
        size_t n = valid_prefix(text, len);
        split(t, 0, text, n, ids);
        if (n < len) tokenizer_merge_piece(t, text + n++, 1, ids);
        text += n;
        len -= n;
    }
}

// ---- normal forms ----

// Appends the text in normal form C (NFC). Bytes that are not valid UTF-8 are copied unchanged.
static void add_composed(struct text *out, const char *text, size_t len) {
    while (len > 0) {
        size_t n = valid_prefix(text, len);
        utf8proc_uint8_t *composed = NULL;
        utf8proc_ssize_t size = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)n, &composed,
                                             UTF8PROC_STABLE | UTF8PROC_COMPOSE);
        if (size < 0) base_fatal("tokenizer: %s", utf8proc_errmsg(size));
        text_add_bytes(out, composed, (size_t)size);
        free(composed);
        if (n < len) text_add_bytes(out, text + n++, 1);
        text += n;
        len -= n;
    }
}

void tokenizer_add_normal(const struct tokenizer *t, const char *text, size_t len, struct text *out) {
    if (t->nfc) add_composed(out, text, len);
    else text_add_bytes(out, text, len);
}

// Appends the text with TOKENIZER_SPACE in place of each space.
static void add_marked(struct text *out, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (text[i] == ' ') text_add(out, TOKENIZER_SPACE);
        else text_add_bytes(out, text + i, 1);
}

// Returns whether the text begins with a space, or with the character that replaces spaces.
static bool has_space(const char *text) {
    return *text == ' ' || !strncmp(text, TOKENIZER_SPACE, strlen(TOKENIZER_SPACE));
}

// Returns whether a space is put before this stretch of text; see enum tokenizer_prefix.
static bool wants_prefix(const struct tokenizer *t, const char *text, enum tokenizer_before before) {
    switch (t->prefix) {
    case TOKENIZER_PREFIX_EACH: return true;
    case TOKENIZER_PREFIX_TEXT: return before != TOKENIZER_SYMBOL;
    case TOKENIZER_PREFIX_FIRST: return before == TOKENIZER_NOTHING && !has_space(text);
    default: return false;
    }
}

void tokenizer_encode_text(const struct tokenizer *t, const char *text, size_t len, enum tokenizer_before before,
                           struct token_ids *ids) {
    struct text composed = {0}, spaced = {0}, marked = {0};
    if (t->nfc) {
        add_composed(&composed, text, len);
        text = text_cstr(&composed), len = composed.len;
    }
    if (wants_prefix(t, text, before)) {
        text_add(&spaced, " ");
        text_add_bytes(&spaced, text, len);
        text = text_cstr(&spaced), len = spaced.len;
    }
    if (t->marks_space) {
        add_marked(&marked, text, len);
        text = text_cstr(&marked), len = marked.len;
    }
    split_any(t, text, len, ids);
    text_free(&composed);
    text_free(&spaced);
    text_free(&marked);
}
