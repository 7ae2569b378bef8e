// SPDX-License-Identifier: Apache-2.0
// Encodes one piece of text, which tokenizer_split.c has made, by byte pair encoding. Merges adjacent symbols: the pair
// with the lowest rank first, and among pairs of equal rank the leftmost.
#include <stdlib.h>
#include <string.h>

#include "gen/model/tokenizer_internal.h"

// A symbol of the piece, linked to its neighbours by index. Its bytes are start .. start + len - 1. len 0: it was
// merged into the previous symbol.
struct symbol {
    uint32_t id; // TOKENIZER_NONE: a character without a token
    int32_t start, len;
    int32_t prev, next; // -1: none
};

// A merge that was possible when it was found. It is stale, and is then ignored, if the left or right symbol has
// another length now.
struct candidate {
    uint32_t rank;
    int32_t at;                  // index of the left symbol
    int32_t left_len, right_len; // in bytes, when the merge was found
    uint32_t merged;             // id of the result
};

// The merging of one piece. heap: a binary heap of candidates with the lowest rank first, then the leftmost.
struct merger {
    const struct tokenizer *t;
    const char *piece;
    struct symbol *symbols;
    int32_t count;
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

// Returns the merge of two symbols. Its rank is TOKENIZER_NONE if they cannot be merged.
static struct tokenizer_merge find_merge(const struct merger *m, const struct symbol *left,
                                         const struct symbol *right) {
    struct tokenizer_merge none = {.rank = TOKENIZER_NONE};
    if (m->t->model == TOKENIZER_CHAR_SCORE) {
        uint32_t id = tokenizer_find(m->t, m->piece + left->start, (size_t)(left->len + right->len));
        return id == TOKENIZER_NONE ? none : (struct tokenizer_merge){.merged = id, .rank = m->t->tokens[id].rank};
    }
    if (left->id == TOKENIZER_NONE || right->id == TOKENIZER_NONE || !m->t->merge_slots) return none;
    return *tokenizer_merge_place(m->t, left->id, right->id);
}

// Adds a candidate for the symbol and its right neighbour, if they can be merged.
static void push_pair(struct merger *m, int32_t at) {
    if (at < 0 || m->symbols[at].next < 0) return;
    const struct symbol *left = &m->symbols[at], *right = &m->symbols[left->next];
    struct tokenizer_merge merge = find_merge(m, left, right);
    if (merge.rank != TOKENIZER_NONE)
        heap_push(m, (struct candidate){merge.rank, at, left->len, right->len, merge.merged});
}

static bool is_current(const struct merger *m, const struct candidate *c) {
    const struct symbol *left = &m->symbols[c->at];
    return left->len == c->left_len && left->next >= 0 && m->symbols[left->next].len == c->right_len;
}

// Merges the right symbol of a candidate into the left one, and adds the candidates that this makes possible.
static void apply(struct merger *m, const struct candidate *c) {
    struct symbol *left = &m->symbols[c->at], *right = &m->symbols[left->next];
    left->id = c->merged;
    left->len += right->len;
    right->len = 0;
    left->next = right->next;
    if (left->next >= 0) m->symbols[left->next].prev = c->at;
    push_pair(m, left->prev);
    push_pair(m, c->at);
}

// ---- the first symbols of a piece ----

static void add_symbol(struct merger *m, uint32_t id, size_t start, size_t len) {
    m->symbols[m->count] = (struct symbol){id, (int32_t)start, (int32_t)len, m->count - 1, m->count + 1};
    m->count++;
}

// Returns whether each byte is a symbol at first, instead of each character.
static bool has_bytes(const struct tokenizer *t) {
    return t->model == TOKENIZER_BYTE_BPE || t->model == TOKENIZER_PLAIN;
}

static void split_symbols(struct merger *m, size_t len) {
    const unsigned char *bytes = (const unsigned char *)m->piece;
    for (size_t at = 0, n; at < len; at += n) {
        n = has_bytes(m->t) ? 1 : tokenizer_character(bytes + at, len - at);
        if (n == 0) n = 1; // not a valid character: take one byte
        add_symbol(m, has_bytes(m->t) ? m->t->byte_id[bytes[at]] : tokenizer_find(m->t, m->piece + at, n), at, n);
    }
    m->symbols[m->count - 1].next = -1;
}

// ---- the final ids ----

// Appends the ids of a character without a token: the ids of its bytes, or the unknown id, or nothing if the tokenizer
// has neither.
static void push_unknown(const struct merger *m, const struct symbol *s, struct token_ids *ids) {
    for (int32_t i = 0; m->t->byte_fallback && i < s->len; i++)
        tokenizer_push(m->t, ids, m->t->byte_id[(unsigned char)m->piece[s->start + i]]);
    if (!m->t->byte_fallback && m->t->unknown >= 0) tokenizer_push(m->t, ids, (uint32_t)m->t->unknown);
}

static void push_symbols(const struct merger *m, struct token_ids *ids) {
    bool again = false; // the previous symbol was unknown, and unknown symbols after it get no further id
    for (int32_t i = 0; i >= 0; i = m->symbols[i].next) {
        bool known = m->symbols[i].id != TOKENIZER_NONE;
        if (known) tokenizer_push(m->t, ids, m->symbols[i].id);
        else if (!again) push_unknown(m, &m->symbols[i], ids);
        again = !known && m->t->fuses_unknown && !m->t->byte_fallback;
    }
}

// Merges a piece of n bytes and appends its ids. There are at most n - 1 candidates at first and n - 1 merges, each of
// which makes at most two new candidates, so the heap never holds more than 3 n candidates.
static void merge_symbols(const struct tokenizer *t, const char *piece, size_t n, struct token_ids *ids) {
    struct merger m = {.t = t, .piece = piece};
    m.symbols = calloc(n, sizeof *m.symbols);
    m.heap = calloc(3 * n, sizeof *m.heap);
    if (!m.symbols || !m.heap) base_fatal("out of memory");
    split_symbols(&m, n);
    for (int32_t i = 0; i + 1 < m.count; i++) push_pair(&m, i);
    while (m.heap_count > 0) {
        struct candidate c = heap_pop(&m);
        if (is_current(&m, &c)) apply(&m, &c);
    }
    push_symbols(&m, ids);
    free(m.symbols);
    free(m.heap);
}

void tokenizer_push(const struct tokenizer *t, struct token_ids *ids, uint32_t id) { VEC_PUSH(t->arena, *ids, id); }

// Appends the ids of a piece. Pieces of more than 1 MiB are cut, because symbols are linked by 32-bit indices; no real
// text has a word of this length.
void tokenizer_merge_piece(const struct tokenizer *t, const char *piece, size_t len, struct token_ids *ids) {
    enum { MAX_PIECE = 1 << 20 };
    uint32_t id = t->whole ? tokenizer_find(t, piece, len) : TOKENIZER_NONE;
    if (id != TOKENIZER_NONE) {
        tokenizer_push(t, ids, id);
        return;
    }
    for (size_t at = 0; at < len; at += MAX_PIECE)
        merge_symbols(t, piece + at, len - at < MAX_PIECE ? len - at : MAX_PIECE, ids);
}
