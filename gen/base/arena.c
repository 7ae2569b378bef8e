// SPDX-License-Identifier: Apache-2.0
// Implements the arena and vec_grow of base.h. An arena is a list of blocks, newest first. A mark remembers the newest
// block and how full this block was. Released blocks are kept for reuse until arena_free.
#include "gen/base/base.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK_BYTES = 64 << 10 }; // smallest size of a block

struct arena_block {
    struct arena_block *below; // the next older block; in the list of spare blocks, the next spare block
    size_t size, fill;         // capacity of data and the part of it that is in use, in bytes
    max_align_t data[];
};

void arena_init(struct arena *arena) { *arena = (struct arena){0}; }

void arena_free(struct arena *arena) {
    arena_release(arena, (struct arena_mark){0});
    while (arena->spare) {
        struct arena_block *block = arena->spare;
        arena->spare = block->below;
        free(block);
    }
}

struct arena_mark arena_mark(const struct arena *arena) {
    return (struct arena_mark){arena->top, arena->top ? arena->top->fill : 0};
}

void arena_release(struct arena *arena, struct arena_mark mark) {
    while (arena->top && arena->top != mark.block) {
        struct arena_block *block = arena->top;
        arena->top = block->below;
        arena->used -= block->fill;
        block->below = arena->spare;
        arena->spare = block;
    }
    if (arena->top != mark.block) base_fatal("arena: mark of another arena, or already released");
    if (!mark.block) return;
    arena->used -= mark.block->fill - mark.fill;
    mark.block->fill = mark.fill;
}

// Takes the smallest spare block with at least `size` bytes out of the list. Returns NULL if there is none.
static struct arena_block *spare_block(struct arena *arena, size_t size) {
    struct arena_block **best = NULL;
    for (struct arena_block **b = &arena->spare; *b; b = &(*b)->below)
        if ((*b)->size >= size && (!best || (*b)->size < (*best)->size)) best = b;
    if (!best) return NULL;
    struct arena_block *block = *best;
    *best = block->below;
    return block;
}

// Adds a block with room for `need` bytes as the newest block, and returns it. Uses a spare block if one is large
// enough.
static struct arena_block *block_new(struct arena *arena, size_t need) {
    size_t size = need > ARENA_BLOCK_BYTES ? need : ARENA_BLOCK_BYTES, total;
    if (!size_add(size, sizeof(struct arena_block), &total)) base_fatal("arena: size overflow");
    struct arena_block *block = spare_block(arena, size);
    if (!block) {
        block = malloc(total);
        if (!block) base_fatal("out of memory (%zu bytes)", total);
        block->size = size;
    }
    block->below = arena->top;
    block->fill = 0;
    arena->top = block;
    return block;
}

// Returns count * size bytes, rounded up to the alignment of any type. An overflow ends the run.
static size_t round_size(size_t count, size_t size) {
    size_t bytes, align = _Alignof(max_align_t);
    if (!size_mul(count, size, &bytes) || !size_add(bytes, align - 1, &bytes)) base_fatal("arena: size overflow");
    return bytes & ~(align - 1);
}

// Takes bytes from the newest block, or from a new block if they do not fit. The rest of the old block then stays
// unused until a release.
static void *take(struct arena *arena, size_t bytes) {
    if (arena->fail_after && --arena->fail_after == 0) base_fatal("out of memory (injected)");
    struct arena_block *block = arena->top;
    if (!block || block->size - block->fill < bytes) block = block_new(arena, bytes);
    void *p = (char *)block->data + block->fill;
    block->fill += bytes;
    arena->used += bytes;
    return p;
}

void *arena_alloc_dirty(struct arena *arena, size_t count, size_t size) { return take(arena, round_size(count, size)); }

void *arena_alloc(struct arena *arena, size_t count, size_t size) {
    size_t bytes = round_size(count, size);
    return memset(take(arena, bytes), 0, bytes);
}

char *arena_strndup(struct arena *arena, const char *s, size_t len) {
    size_t bytes;
    if (!size_add(len, 1, &bytes)) base_fatal("arena: size overflow");
    char *copy = arena_alloc(arena, bytes, 1);
    if (len) memcpy(copy, s, len);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *s) { return arena_strndup(arena, s, strlen(s)); }

// Formats into a buffer on the stack, and once more only if the text did not fit. Few texts are longer than it.
char *arena_vprintf(struct arena *arena, const char *fmt, va_list args) {
    char brief[256];
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(brief, sizeof brief, fmt, args);
    if (len < 0) base_fatal("arena: bad format");
    char *s = arena_alloc(arena, (size_t)len + 1, 1);
    if ((size_t)len < sizeof brief) memcpy(s, brief, (size_t)len);
    else vsnprintf(s, (size_t)len + 1, fmt, again);
    va_end(again);
    return s;
}

char *arena_printf(struct arena *arena, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *s = arena_vprintf(arena, fmt, args);
    va_end(args);
    return s;
}

void *vec_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
    if (count < *capacity) return items;
    size_t larger;
    if (!size_mul(*capacity, 2, &larger)) base_fatal("vector: size overflow");
    if (larger < 8) larger = 8;
    void *copy = arena_alloc_dirty(arena, larger, item_size);
    if (count) memcpy(copy, items, count * item_size);
    *capacity = larger;
    return copy;
}
