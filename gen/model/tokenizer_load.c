// SPDX-License-Identifier: Apache-2.0
// Loading a tokenizer: the vocabulary (JSON: text of a token -> id), the merges (one pair to a line), the pattern of
// pieces.
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokenizer_internal.h"

enum { MAX_FILE_BYTES = 64 << 20, MAX_IDS = 1 << 22, FIRST_SHIFTED = 256, LAST_SHIFTED = 323 };

// White space is spelled out (Unicode's White_Space): libraries differ in what \s means.
#define WS "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
static const char piece_pattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^" WS "\\p{L}\\p{N}]+|[" WS "]+(?![^" WS "])|[" WS "]+";

// While loading: from the bytes of a token to its id.
struct name_slot {
    const char *bytes; // NULL: free
    size_t len;
    uint32_t id;
};

struct loader {
    struct arena *arena;
    struct tokenizer *t;
    struct diag *diag;
    struct loc loc; // of the file being read
    struct name_slot *names;
    size_t slots; // a power of two
};

// ---- the alphabet: every byte is written as one printable character ----

static bool is_plain(unsigned byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

// The other 68 bytes, in order, are the characters from 256 on. -1: not in the alphabet.
static int byte_of_character(uint32_t character) {
    if (character < FIRST_SHIFTED) return is_plain(character) ? (int)character : -1;
    if (character > LAST_SHIFTED) return -1;
    int byte = 0;
    for (uint32_t left = character - FIRST_SHIFTED;; byte++)
        if (!is_plain((unsigned)byte) && left-- == 0) return byte;
}

// One character of one or two bytes (all the alphabet needs); its length, 0 when it is another.
static size_t next_character(const char *s, size_t len, uint32_t *character) {
    unsigned char a = (unsigned char)s[0];
    if (a < 0x80) return *character = a, 1;
    if ((a & 0xe0) != 0xc0 || len < 2 || ((unsigned char)s[1] & 0xc0) != 0x80) return 0;
    *character = (uint32_t)(a & 0x1f) << 6 | ((unsigned char)s[1] & 0x3f);
    return 2;
}

// Text of a token -> its bytes. A text outside the alphabet stands for itself.
static struct tokenizer_token token_bytes(struct arena *arena, const char *text, size_t len) {
    char *bytes = arena_alloc(arena, len + 1, 1);
    size_t n = 0;
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t character = 0;
        step = next_character(text + at, len - at, &character);
        int byte = step ? byte_of_character(character) : -1;
        if (byte < 0) return (struct tokenizer_token){arena_strndup(arena, text, len), len};
        bytes[n++] = (char)byte;
    }
    return (struct tokenizer_token){bytes, n};
}

// ---- names ----

static size_t round_slots(size_t entries) {
    size_t slots = 16;
    while (slots < 2 * entries) slots *= 2;
    return slots;
}

static struct name_slot *name_place(const struct loader *l, const char *bytes, size_t len) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    size_t i = (size_t)(hash ^ hash >> 29) & (l->slots - 1);
    while (l->names[i].bytes && (l->names[i].len != len || memcmp(l->names[i].bytes, bytes, len) != 0))
        i = (i + 1) & (l->slots - 1);
    return &l->names[i];
}

static uint32_t find_name(const struct loader *l, const char *bytes, size_t len) {
    const struct name_slot *slot = name_place(l, bytes, len);
    return slot->bytes ? slot->id : TOKENIZER_NONE;
}

// ---- vocabulary ----

static bool add_token(struct loader *l, const char *text, const json_t *value) {
    json_int_t id = json_integer_value(value);
    if (!json_is_integer(value) || id < 0 || (size_t)id >= l->t->vocab) {
        diag_error(l->diag, l->loc, "token `%s`: its id must be a number from 0 to %zu", text, l->t->vocab - 1);
        return false;
    }
    struct tokenizer_token *token = &l->t->tokens[id];
    if (token->bytes) {
        diag_error(l->diag, l->loc, "token `%s`: its id %" PRId64 " is used twice", text, (int64_t)id);
        return false;
    }
    *token = token_bytes(l->arena, text, strlen(text));
    struct name_slot *slot = name_place(l, token->bytes, token->len);
    if (!slot->bytes) *slot = (struct name_slot){token->bytes, token->len, (uint32_t)id};
    return true;
}

static bool find_bytes_and_specials(struct loader *l) {
    for (unsigned byte = 0; byte < 256; byte++) {
        char c = (char)byte;
        uint32_t id = l->t->byte_id[byte] = find_name(l, &c, 1);
        if (id == TOKENIZER_NONE) return diag_error(l->diag, l->loc, "no token for byte 0x%02x", byte), false;
    }
    uint32_t eot = find_name(l, TOKENIZER_EOT, strlen(TOKENIZER_EOT));
    l->t->eot = eot == TOKENIZER_NONE ? -1 : (int64_t)eot;
    return true;
}

static bool add_vocabulary(struct loader *l, json_t *root) {
    const char *text;
    json_t *value;
    l->t->vocab = json_object_size(root);
    if (l->t->vocab == 0 || l->t->vocab > MAX_IDS) {
        diag_error(l->diag, l->loc, "%zu tokens: expected 1 to %d", l->t->vocab, MAX_IDS);
        return false;
    }
    l->t->tokens = ARENA_ARRAY(l->arena, struct tokenizer_token, l->t->vocab);
    l->slots = round_slots(l->t->vocab);
    l->names = calloc(l->slots, sizeof *l->names);
    if (!l->names) base_fatal("out of memory");
    json_object_foreach(root, text, value) {
        if (!add_token(l, text, value)) return false;
    }
    return find_bytes_and_specials(l);
}

static char *read_file(struct loader *l, const char *path, size_t *len) {
    const char *why;
    l->loc = loc_file(l->arena, path);
    char *text = file_read(l->arena, path, MAX_FILE_BYTES, len, &why);
    if (!text) diag_error(l->diag, l->loc, "%s", why);
    return text;
}

static bool read_vocabulary(struct loader *l, const char *path) {
    size_t len;
    const char *text = read_file(l, path, &len);
    if (!text) return false;
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    bool ok = json_is_object(root);
    if (!ok) diag_error(l->diag, l->loc, "%s", root ? "not a JSON object" : error.text);
    ok = ok && add_vocabulary(l, root);
    json_decref(root);
    return ok;
}

// ---- merges ----

static uint32_t find_symbol(struct loader *l, const char *text, size_t len, const char *what, int line) {
    struct tokenizer_token token = token_bytes(l->arena, text, len);
    uint32_t id = find_name(l, token.bytes, token.len);
    if (id == TOKENIZER_NONE)
        diag_error(l->diag, l->loc, "line %d: %s `%.*s` is not in the vocabulary", line, what,
                   (int)(len < 80 ? len : 80), text);
    return id;
}

static bool add_merge(struct loader *l, const char *text, size_t len, int line, uint32_t *rank) {
    const char *space = memchr(text, ' ', len);
    size_t left_len = space ? (size_t)(space - text) : 0, right_len = space ? len - left_len - 1 : 0;
    if (left_len == 0 || right_len == 0 || memchr(space + 1, ' ', right_len))
        return diag_error(l->diag, l->loc, "line %d: not two symbols with a space between", line), false;
    char *joined = arena_strndup(l->arena, text, len - 1);
    memcpy(joined + left_len, space + 1, right_len);
    uint32_t left = find_symbol(l, text, left_len, "symbol", line);
    uint32_t right = find_symbol(l, space + 1, right_len, "symbol", line);
    uint32_t merged = find_symbol(l, joined, len - 1, "merge", line);
    if (left == TOKENIZER_NONE || right == TOKENIZER_NONE || merged == TOKENIZER_NONE) return false;
    struct tokenizer_merge *place = tokenizer_merge_place(l->t, left, right);
    if (place->rank == TOKENIZER_NONE) *place = (struct tokenizer_merge){left, right, merged, (*rank)++};
    return true;
}

static size_t count_lines(const char *text, size_t len) {
    size_t lines = 1;
    for (size_t i = 0; i < len; i++) lines += text[i] == '\n';
    return lines;
}

static bool read_merges(struct loader *l, const char *path) {
    size_t len;
    const char *text = read_file(l, path, &len);
    if (!text) return false;
    l->t->merge_slots = round_slots(count_lines(text, len));
    l->t->merges = ARENA_ARRAY(l->arena, struct tokenizer_merge, l->t->merge_slots);
    for (size_t i = 0; i < l->t->merge_slots; i++) l->t->merges[i].rank = TOKENIZER_NONE;
    uint32_t rank = 0;
    int line = 1;
    for (const char *at = text, *end = text + len; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        size_t n = (size_t)(stop - at);
        if (n && at[n - 1] == '\r') n--;
        bool is_version = line == 1 && n >= 8 && memcmp(at, "#version", 8) == 0;
        if (n && !is_version && !add_merge(l, at, n, line, &rank)) return false;
        at = stop + 1;
    }
    return true;
}

// ---- interface ----

static void compile_pattern(struct tokenizer *t) {
    int error;
    PCRE2_SIZE offset;
    t->pattern = pcre2_compile((PCRE2_SPTR)piece_pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
    if (!t->pattern) base_fatal("tokenizer: pattern error %d at %zu", error, (size_t)offset);
    pcre2_jit_compile(t->pattern, PCRE2_JIT_COMPLETE); // without it matching is slower, not different
    t->match = pcre2_match_data_create_from_pattern(t->pattern, NULL);
    if (!t->match) base_fatal("out of memory");
}

struct tokenizer *tokenizer_open(struct arena *arena, const char *dir, struct diag *diag) {
    struct loader l = {.arena = arena, .t = ARENA_NEW(arena, struct tokenizer), .diag = diag};
    l.t->arena = arena;
    const char *original = arena_printf(arena, "%s/encoder.json", dir),
               *usual = arena_printf(arena, "%s/vocab.json", dir);
    bool is_original = access(usual, F_OK) != 0 && access(original, F_OK) == 0;
    bool ok = read_vocabulary(&l, is_original ? original : usual) &&
              read_merges(&l, arena_printf(arena, "%s/%s", dir, is_original ? "vocab.bpe" : "merges.txt"));
    free(l.names);
    if (!ok) return NULL;
    compile_pattern(l.t);
    return l.t;
}

struct tokenizer *tokenizer_open_bytes(struct arena *arena, int64_t vocab) {
    enum { PRINTABLE = 95, NEWLINE = 95 };
    if (vocab < 1) base_fatal("tokenizer: vocabulary of %" PRId64, vocab);
    struct tokenizer *t = ARENA_NEW(arena, struct tokenizer);
    t->arena = arena;
    t->vocab = (size_t)vocab;
    t->eot = -1;
    t->tokens = ARENA_ARRAY(arena, struct tokenizer_token, t->vocab);
    for (size_t id = 0; id < t->vocab; id++) {
        const char *text = id < PRINTABLE  ? arena_printf(arena, "%c", (int)(' ' + id))
                           : id == NEWLINE ? "\n"
                                           : arena_printf(arena, "<%zu>", id);
        t->tokens[id] = (struct tokenizer_token){text, strlen(text)};
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        bool printable = byte >= ' ' && byte < ' ' + PRINTABLE;
        t->byte_id[byte] = (uint32_t)((printable ? byte - ' ' : byte == '\n' ? NEWLINE : byte) % t->vocab);
    }
    return t;
}
