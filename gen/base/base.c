// SPDX-License-Identifier: Apache-2.0
// Implements the parts of base.h that have no other file: internal errors, checked arithmetic, hashes, and the ids that
// end a request.
#include "gen/base/base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void base_fatal(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fputs("rill: internal error: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(RILL_INTERNAL);
}

bool size_mul(size_t a, size_t b, size_t *out) {
    size_t r;
    if (__builtin_mul_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}

bool size_add(size_t a, size_t b, size_t *out) {
    size_t r;
    if (__builtin_add_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}

bool u64_mul(uint64_t a, uint64_t b, uint64_t *out) {
    uint64_t r;
    if (__builtin_mul_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}

bool u64_add(uint64_t a, uint64_t b, uint64_t *out) {
    uint64_t r;
    if (__builtin_add_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}

int u64_clog2(uint64_t v) { return v <= 1 ? 0 : 64 - __builtin_clzll(v - 1); }

uint64_t u64_little_endian(const uint8_t *bytes, int count) {
    uint64_t v = 0;
    while (count > 0) v = v << 8 | bytes[--count];
    return v;
}

// The row's part of the hash is a sum of running sums. Within a block of 32 elements the last element has the least
// weight, and later blocks have less weight than earlier ones, so the hash depends on the order of the elements.
uint64_t logits_hash(uint64_t hash, const float row[], size_t count) {
    uint64_t blocks = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &row[i], sizeof bits);
        blocks += (uint64_t)(uint32_t)~bits << (31 - i % 32);
        if (i % 32 == 31 && i + 1 < count) sum += 2 * blocks;
    }
    return (hash << 1 | hash >> 63) + sum + blocks;
}

uint64_t bytes_hash(const void *bytes, size_t len) {
    const unsigned char *p = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

// ---- ids that end a request ----

bool end_ids_has(const struct end_ids *ends, uint32_t id) {
    for (int i = 0; i < ends->count; i++)
        if (ends->id[i] == id) return true;
    return false;
}

const char *end_ids_text(struct arena *arena, const struct end_ids *ends) {
    const char *text = ends->count ? "" : "none";
    for (int i = 0; i < ends->count; i++) text = arena_printf(arena, "%s%s%" PRIu32, text, i ? ", " : "", ends->id[i]);
    return text;
}
