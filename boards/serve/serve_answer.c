// SPDX-License-Identifier: Apache-2.0
// Makes the text of an answer. Compares the stop strings after every byte, so that the first complete one ends the
// text.
#include "boards/serve/serve_answer.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" // U+FFFD

// Returns the length in bytes of the UTF-8 character that begins at `at`, where `count` bytes are available. Returns 0
// if these bytes are not valid UTF-8, and more than `count` if the character is not complete yet.
static size_t character(const unsigned char *at, size_t count) {
    size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < bytes && i < count; i++) {
        unsigned char least = 0x80, most = 0xbf;
        if (i == 1 && at[0] == 0xe0) least = 0xa0; // the character would have a shorter form
        if (i == 1 && at[0] == 0xf0) least = 0x90;
        if (i == 1 && at[0] == 0xed) most = 0x9f; // surrogates
        if (i == 1 && at[0] == 0xf4) most = 0x8f; // above U+10FFFF
        if (at[i] < least || at[i] > most) return 0;
    }
    return bytes;
}

// Moves the first `count` held bytes to `out`. Bytes that are not valid become U+FFFD. An incomplete character at the
// end stays held, because the next token may complete it. With `end`, the incomplete character becomes U+FFFD.
static void release(struct answer_text *a, size_t count, bool end, struct text *out) {
    size_t at = 0;
    while (at < count) {
        size_t bytes = character((const unsigned char *)a->held.data + at, count - at);
        if (bytes > count - at && !end) break;
        bool whole = bytes && bytes <= count - at;
        text_add_bytes(out, whole ? a->held.data + at : REPLACEMENT, whole ? bytes : strlen(REPLACEMENT));
        at += whole ? bytes : bytes ? count - at : 1;
    }
    memmove(a->held.data, a->held.data + at, a->held.len - at);
    a->held.len -= at;
}

static bool ends_with(const struct text *held, const char *word, size_t bytes) {
    return held->len >= bytes && !memcmp(held->data + held->len - bytes, word, bytes);
}

// Returns the length of the longest stop string with which the held bytes end, or 0.
static size_t complete(const struct answer_text *a) {
    size_t longest = 0;
    for (int s = 0; s < a->stops; s++) {
        size_t bytes = strlen(a->stop[s]);
        if (bytes > longest && ends_with(&a->held, a->stop[s], bytes)) longest = bytes;
    }
    return longest;
}

// Returns how many of the last held bytes may be the beginning of a stop string.
static size_t begun(const struct answer_text *a) {
    size_t longest = 0;
    for (int s = 0; s < a->stops; s++)
        for (size_t bytes = strlen(a->stop[s]) - 1; bytes > longest; bytes--)
            if (ends_with(&a->held, a->stop[s], bytes)) longest = bytes;
    return longest;
}

void answer_push(struct answer_text *a, const char *bytes, size_t count, struct text *out) {
    for (size_t i = 0; i < count && !a->stopped; i++) {
        text_add_bytes(&a->held, bytes + i, 1);
        size_t stop = complete(a);
        a->stopped = stop > 0;
        if (a->stopped) release(a, a->held.len - stop, true, out); // the stop string itself is not part of the answer
    }
    if (a->stopped) a->held.len = 0;
    else if (a->held.len) release(a, a->held.len - begun(a), false, out);
}

void answer_end(struct answer_text *a, struct text *out) {
    if (a->held.len) release(a, a->held.len, true, out);
}

void answer_free(struct answer_text *a) { text_free(&a->held); }
