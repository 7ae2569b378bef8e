// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE. Loading is in tokenizer_load.c; here: splitting text into pieces, merging, and decoding.
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "tokenizer_internal.h"

bool token_ids_read(struct arena *arena, const char *text, struct token_ids *ids) {
    const char *p = text + strspn(text, " ");
    while (*p) {
        char *end;
        unsigned long v = strtoul(p, &end, 10); // too large: ULONG_MAX
        if (*p < '0' || *p > '9' || v > UINT32_MAX) return false;
        VEC_PUSH(arena, *ids, (uint32_t)v);
        p = end + strspn(end, " ");
        if (*p == ',') {
            p += 1 + strspn(p + 1, " ");
            if (!*p) return false;
        } else if (*p && p == end) return false;
    }
    return true;
}

// ---- merging one piece ----

// A symbol of the piece, linked to its neighbours by index; id TOKENIZER_NONE: merged into the one before.
struct symbol {
    uint32_t id;
    int32_t prev, next; // -1: none
};

// A merge that was possible when it was found; stale when left or right changed since.
struct candidate {
    uint32_t rank;
    int32_t at; // left symbol
    uint32_t left, right;
    uint32_t merged;
};

// Binary heap: lowest rank first, then leftmost.
struct merger {
    struct symbol *symbols;
    struct candidate *heap;
    size_t heap_count;
};

static bool before(const struct candidate *a, const struct candidate *b) {
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void heap_push(struct merger *m, struct candidate c) {
    size_t i = m->heap_count++;
    for (; i > 0 && before(&c, &m->heap[(i - 1) / 2]); i = (i - 1) / 2) m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = c;
}

static struct candidate heap_pop(struct merger *m) {
    struct candidate top = m->heap[0], last = m->heap[--m->heap_count];
    size_t i = 0, n = m->heap_count;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(&m->heap[child + 1], &m->heap[child])) child++;
        if (!before(&m->heap[child], &last)) break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = last;
    return top;
}

static void push_pair(const struct tokenizer *t, struct merger *m, int32_t left) {
    if (left < 0 || m->symbols[left].next < 0) return;
    uint32_t a = m->symbols[left].id, b = m->symbols[m->symbols[left].next].id;
    const struct tokenizer_merge *merge = tokenizer_find_merge(t, a, b);
    if (merge) heap_push(m, (struct candidate){merge->rank, left, a, b, merge->merged});
}

static bool is_current(const struct merger *m, const struct candidate *c) {
    const struct symbol *left = &m->symbols[c->at];
    return left->id == c->left && left->next >= 0 && m->symbols[left->next].id == c->right;
}

static void apply(const struct tokenizer *t, struct merger *m, const struct candidate *c) {
    struct symbol *left = &m->symbols[c->at], *right = &m->symbols[left->next];
    left->id = c->merged;
    right->id = TOKENIZER_NONE;
    left->next = right->next;
    if (left->next >= 0) m->symbols[left->next].prev = c->at;
    push_pair(t, m, left->prev);
    push_pair(t, m, c->at);
}

static void push_id(const struct tokenizer *t, struct token_ids *ids, uint32_t id) {
    ids->items = vec_grow(t->arena, ids->items, ids->count, &ids->capacity, sizeof *ids->items);
    ids->items[ids->count++] = id;
}

// n >= 1 bytes. A merge makes at most two new candidates and there are at most n - 1 merges: the heap never exceeds 3n.
static void encode_piece(const struct tokenizer *t, const unsigned char *piece, size_t n, struct token_ids *ids) {
    struct merger m = {calloc(n, sizeof *m.symbols), calloc(3 * n, sizeof *m.heap), 0};
    if (!m.symbols || !m.heap) base_fatal("out of memory");
    for (size_t i = 0; i < n; i++)
        m.symbols[i] = (struct symbol){t->byte_id[piece[i]], (int32_t)i - 1, i + 1 < n ? (int32_t)i + 1 : -1};
    for (size_t i = 0; i + 1 < n; i++) push_pair(t, &m, (int32_t)i);
    while (m.heap_count > 0) {
        struct candidate c = heap_pop(&m);
        if (is_current(&m, &c)) apply(t, &m, &c);
    }
    for (int32_t i = 0; i >= 0; i = m.symbols[i].next) push_id(t, ids, m.symbols[i].id);
    free(m.symbols);
    free(m.heap);
}

// Very long pieces (megabytes without a space) are cut: links are 32-bit, and no text means such a word.
static void encode_bytes(const struct tokenizer *t, const char *text, size_t len, struct token_ids *ids) {
    enum { MAX_PIECE = 1 << 20 };
    for (size_t at = 0; at < len; at += MAX_PIECE) {
        size_t n = len - at < MAX_PIECE ? len - at : MAX_PIECE;
        encode_piece(t, (const unsigned char *)text + at, n, ids);
    }
}

// ---- splitting text into pieces ----

// Bytes of the character that starts here, 0 when they are no valid UTF-8 (overlong, surrogate, above 0x10ffff, cut).
static size_t character_bytes(const unsigned char *s, size_t len) {
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

static size_t valid_prefix(const char *text, size_t len) {
    size_t at = 0;
    for (size_t n; at < len && (n = character_bytes((const unsigned char *)text + at, len - at)) > 0;) at += n;
    return at;
}

// Valid UTF-8 without specials. The pattern matches at every place: each character is in one of its classes.
static void encode_valid(const struct tokenizer *t, const char *text, size_t len, struct token_ids *ids) {
    for (size_t at = 0; at < len;) {
        int found =
            pcre2_match(t->pattern, (PCRE2_SPTR)text, len, at, PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED, t->match, NULL);
        if (found < 1) base_fatal("tokenizer: match error %d", found);
        size_t end = pcre2_get_ovector_pointer(t->match)[1];
        encode_bytes(t, text + at, end - at, ids);
        at = end;
    }
}

static void encode_plain(const struct tokenizer *t, const char *text, size_t len, struct token_ids *ids) {
    while (len > 0) {
        size_t n = valid_prefix(text, len);
        encode_valid(t, text, n, ids);
        if (n < len) encode_bytes(t, text + n++, 1, ids);
        text += n;
        len -= n;
    }
}

static const char *find_bytes(const char *text, size_t len, const char *word, size_t word_len) {
    for (; len >= word_len; text++, len--) {
        const char *hit = memchr(text, word[0], len - word_len + 1);
        if (!hit) return NULL;
        len -= (size_t)(hit - text);
        text = hit;
        if (memcmp(text, word, word_len) == 0) return text;
    }
    return NULL;
}

static void encode_ascii(const struct tokenizer *t, const char *text, size_t len, struct token_ids *ids) {
    for (size_t i = 0; i < len; i++) push_id(t, ids, t->byte_id[(unsigned char)text[i]]);
}

void tokenizer_encode(const struct tokenizer *t, const char *text, size_t len, bool specials, struct token_ids *ids) {
    if (!t->pattern) {
        encode_ascii(t, text, len, ids);
        return;
    }
    const char *end = text + len, *special;
    size_t n = strlen(TOKENIZER_EOT);
    while (specials && t->eot >= 0 && (special = find_bytes(text, (size_t)(end - text), TOKENIZER_EOT, n)) != NULL) {
        encode_plain(t, text, (size_t)(special - text), ids);
        push_id(t, ids, (uint32_t)t->eot);
        text = special + n;
    }
    encode_plain(t, text, (size_t)(end - text), ids);
}

// ---- the rest ----

const char *tokenizer_decode(const struct tokenizer *t, uint32_t id, size_t *len) {
    static const struct tokenizer_token none = {"", 0};
    const struct tokenizer_token *token = id < t->vocab && t->tokens[id].bytes ? &t->tokens[id] : &none;
    *len = token->len;
    return token->bytes;
}

int64_t tokenizer_vocab(const struct tokenizer *t) { return (int64_t)t->vocab; }

int64_t tokenizer_eot(const struct tokenizer *t) { return t->eot; }

void tokenizer_close(struct tokenizer *t) {
    if (!t) return;
    pcre2_match_data_free(t->match);
    pcre2_code_free(t->pattern);
    t->match = NULL;
    t->pattern = NULL;
}

void tokenizer_encode_prompt(const struct tokenizer *tokenizer, const char *text, size_t len, struct token_ids *ids) {
    static const char mark[] = "<|endoftext|>";
    bool marked = len >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0;
    if (!marked && tokenizer_eot(tokenizer) >= 0) push_id(tokenizer, ids, (uint32_t)tokenizer_eot(tokenizer));
    tokenizer_encode(tokenizer, text, len, true, ids);
}
