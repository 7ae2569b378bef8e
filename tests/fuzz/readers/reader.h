// SPDX-License-Identifier: Apache-2.0
// Functions that the targets for fuzzing readers share. Every input gets a separate arena and diag. Messages are
// discarded.
#ifndef RILL_FUZZ_READER_H
#define RILL_FUZZ_READER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/base.h"
#include "gen/base/diag.h"

// Each target defines this function, which libFuzzer calls for every input. It reads the input, and returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Makes an arena and a diag for one input.
static inline void reader_begin(struct arena *arena, struct diag *diag) {
    static FILE *nowhere;
    if (nowhere == NULL) nowhere = fopen("/dev/null", "w");
    arena_init(arena);
    diag_init(diag, nowhere);
}

// Returns the folder for files that a reader opens by name: READER_FOLDER in the environment, or the current folder.
static inline const char *reader_folder(void) {
    const char *path = getenv("READER_FOLDER");
    return path != NULL ? path : ".";
}

// Writes an input to a file of this name in the folder. Returns its path. Aborts if the file cannot be written.
static inline const char *reader_file(struct arena *arena, const char *name, const void *data, size_t size) {
    const char *path = arena_printf(arena, "%s/%s", reader_folder(), name);
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(data, 1, size, out) != size || fclose(out) != 0) abort();
    return path;
}

// Removes the files of an input and frees the arena.
static inline void reader_end(struct arena *arena, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) unlink(arena_printf(arena, "%s/%s", reader_folder(), names[i]));
    arena_free(arena);
}

#endif
