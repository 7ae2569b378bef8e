// SPDX-License-Identifier: Apache-2.0
// Finding a board by name or path.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/device.h"

static bool has_suffix(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n > m && strcmp(s + n - m, suffix) == 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

typedef VEC(const char *) name_list;

// The boards of the installation, in alphabetical order.
static name_list list_boards(struct arena *arena) {
    name_list names = {0};
    const char *dir = file_find_shared(arena, "boards");
    DIR *d = dir ? opendir(dir) : NULL;
    for (struct dirent *entry; d && (entry = readdir(d)) != NULL;)
        if (has_suffix(entry->d_name, ".yaml"))
            VEC_PUSH(arena, names, arena_strndup(arena, entry->d_name, strlen(entry->d_name) - strlen(".yaml")));
    if (d) closedir(d);
    if (names.count) qsort(names.items, names.count, sizeof *names.items, compare_names);
    return names;
}

struct rill_device *rill_device_find(const char *name, const char *base_dir, struct loc loc, struct arena *arena,
                                     struct diag *diag) {
    bool is_path = strchr(name, '/') || has_suffix(name, ".yaml");
    const char *path = NULL;
    if (!is_path) path = file_find_shared(arena, arena_printf(arena, "boards/%s.yaml", name));
    else if (name[0] == '/' || strcmp(base_dir, ".") == 0) path = name;
    else path = arena_printf(arena, "%s/%s", base_dir, name);
    if (path && access(path, R_OK) == 0) return rill_device_read(path, arena, diag);
    if (is_path) {
        diag_error(diag, loc, "no board file at `%s`", path);
        diag_note(
            diag, loc,
            "a path is relative to the spec; a board of the installation is a name without `/` and `.yaml`, as `u55c`");
        return NULL;
    }
    name_list names = list_boards(arena);
    diag_error(diag, loc, "unknown board `%s`", name);
    if (!names.count)
        diag_note(diag, loc, "the folder `boards` is not beside the program: RILL_HOME names the folder that holds it");
    diag_note_words(diag, loc, name, names.items, names.count);
    return NULL;
}
