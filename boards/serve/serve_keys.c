// SPDX-License-Identifier: Apache-2.0
// The API keys of the server: reads them from a file and checks the `Authorization: Bearer KEY` header of a request.
#include "boards/serve/serve_keys.h"

#include <string.h>

enum { KEYS_BYTES = 1 << 16 }; // size limit of the file of keys

const char *keys_read(struct keys *keys, const char *path, const char *more) {
    size_t len = 0;
    const char *why = NULL;
    *keys = (struct keys){0};
    arena_init(&keys->arena);
    char *text = path ? file_read(&keys->arena, path, KEYS_BYTES, &len, &why) : NULL, *rest = NULL;
    if (path && !text) return why;
    for (char *line = text ? strtok_r(text, "\r\n", &rest) : NULL; line; line = strtok_r(NULL, "\r\n", &rest))
        VEC_PUSH(&keys->arena, keys->list, line);
    if (path && !keys->list.count) return "the file has no key";
    if (more && *more) VEC_PUSH(&keys->arena, keys->list, arena_strdup(&keys->arena, more));
    return NULL;
}

// Compares all bytes of `given` even after a difference. Otherwise the response time would reveal how many leading
// bytes of a guessed key are correct.
static bool same(const char *given, const char *key) {
    size_t bytes = strlen(given), len = strlen(key);
    unsigned differs = bytes != len;
    for (size_t i = 0; i < bytes; i++) differs |= (unsigned char)given[i] ^ (unsigned char)key[i % (len ? len : 1)];
    return differs == 0;
}

bool keys_allow(const struct keys *keys, const char *authorization) {
    bool any = keys->list.count == 0;
    const char *given = authorization && !strncasecmp(authorization, "Bearer ", 7) ? authorization + 7 : "";
    for (size_t i = 0; i < keys->list.count; i++) any |= same(given, keys->list.items[i]);
    return any;
}
