// SPDX-License-Identifier: Apache-2.0
// Implements the text buffers of base.h, which grow, and writes JSON strings into them.
#include "gen/base/base.h"

#include <stdlib.h>
#include <string.h>

void text_free(struct text *text) {
    free(text->data);
    *text = (struct text){0};
}

// Makes room for `more` bytes and the final NUL.
static void text_reserve(struct text *text, size_t more) {
    size_t need, larger = text->capacity ? text->capacity : 128;
    if (!size_add(text->len, more, &need) || !size_add(need, 1, &need)) base_fatal("text: size overflow");
    if (need <= text->capacity) return;
    while (larger < need)
        if (!size_mul(larger, 2, &larger)) base_fatal("text: size overflow");
    char *data = realloc(text->data, larger);
    if (!data) base_fatal("out of memory (%zu bytes)", larger);
    text->data = data;
    text->capacity = larger;
}

void text_add_bytes(struct text *text, const void *bytes, size_t len) {
    text_reserve(text, len);
    if (len) memcpy(text->data + text->len, bytes, len);
    text->len += len;
    text->data[text->len] = '\0';
}

void text_add(struct text *text, const char *s) { text_add_bytes(text, s, strlen(s)); }

// Formats into the free part of the buffer, and once more only if the text did not fit.
void text_vaddf(struct text *text, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    size_t room = text->capacity - text->len;
    int len = vsnprintf(room ? text->data + text->len : NULL, room, fmt, args);
    if (len < 0) base_fatal("text: bad format");
    if ((size_t)len >= room) {
        text_reserve(text, (size_t)len);
        vsnprintf(text->data + text->len, (size_t)len + 1, fmt, again);
    }
    va_end(again);
    text->len += (size_t)len;
}

void text_addf(struct text *text, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    text_vaddf(text, fmt, args);
    va_end(args);
}

const char *text_cstr(const struct text *text) { return text->data ? text->data : ""; }

// Returns the length in bytes (1 to 4) of the valid UTF-8 sequence at s, or 0 if there is none. left: bytes available,
// at least 1. Overlong forms and surrogates are not valid.
static size_t utf8_length(const unsigned char *s, size_t left) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
    if (n <= 1 || s[0] >= 0xf8 || n > left) return n == 1;
    uint32_t code = s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[n] && code < 0x110000 && !surrogate ? n : 0;
}

// Returns whether a YAML reader would fold or refuse the character if it were not escaped (C1 controls, line
// separators, byte order mark, U+FFFE and U+FFFF). JSON strings are also written into YAML files.
static bool needs_escape(uint32_t code) {
    return (code >= 0x80 && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff || code == 0xfffe ||
           code == 0xffff;
}

// Adds the character of n = 2 to 4 bytes at s, escaped if YAML needs it.
static void add_json_wide(struct text *text, const unsigned char *s, size_t n) {
    uint32_t code =
        n == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu) : (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    if (n < 4 && needs_escape(code)) text_addf(text, "\\u%04x", (unsigned)code);
    else text_add_bytes(text, s, n);
}

static void add_json_ascii(struct text *text, unsigned char c) {
    static const char escapes[] = "\"\\\n\r\t\b\f", letters[] = "\"\\nrtbf";
    const char *hit = c ? strchr(escapes, c) : NULL;
    if (hit) text_addf(text, "\\%c", letters[hit - escapes]);
    else if (c < 0x20 || c == 0x7f) text_addf(text, "\\u%04x", (unsigned)c);
    else text_add_bytes(text, &c, 1);
}

void text_add_json_string(struct text *text, const char *s, size_t len) {
    const unsigned char *bytes = (const unsigned char *)s;
    text_add(text, "\"");
    for (size_t i = 0; i < len;) {
        size_t n = utf8_length(bytes + i, len - i);
        if (n == 0) text_add(text, "\xef\xbf\xbd");
        else if (n == 1) add_json_ascii(text, bytes[i]);
        else add_json_wide(text, bytes + i, n);
        i += n ? n : 1;
    }
    text_add(text, "\"");
}
