// SPDX-License-Identifier: Apache-2.0
// The API keys that clients may send.
#ifndef RILL_SERVE_KEYS_H
#define RILL_SERVE_KEYS_H

#include "gen/base/base.h"

struct keys {
    struct arena arena;
    VEC(const char *) list; // if it is empty, no key is needed
};

// Reads a file with a key on each line unless `path` is NULL, and adds `more` unless it is NULL or empty. Returns NULL
// or the reason of an error: the file cannot be read, or has no key. In both cases the caller frees keys->arena.
const char *keys_read(struct keys *keys, const char *path, const char *more);
// Returns whether the value of the header `Authorization` has one of the keys, or no key is needed. The time does not
// depend on where a wrong key differs.
bool keys_allow(const struct keys *keys, const char *authorization);

#endif
