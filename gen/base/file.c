// SPDX-License-Identifier: Apache-2.0
// Reads whole files, finds files that ship with the program, and resolves paths. base.h describes the functions.
#define _POSIX_C_SOURCE 200809L
#include "gen/base/base.h"
#include "gen/base/messages.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads the rest of a stream, which may be a pipe, so the length is not known before. Returns NULL and sets *why if it
// cannot be read or has more than max bytes.
static char *read_stream(struct arena *arena, FILE *f, size_t max, size_t *len, const char **why) {
    struct text text = {0};
    char chunk[16384];
    size_t n;
    while (text.len <= max && (n = fread(chunk, 1, sizeof chunk, f)) > 0) text_add_bytes(&text, chunk, n);
    char *data = NULL;
    if (ferror(f)) *why = arena_printf(arena, MSG_FILE_UNREADABLE, strerror(errno));
    else if (text.len > max) *why = arena_printf(arena, MSG_FILE_TOO_LARGE, max);
    else data = arena_strndup(arena, text_cstr(&text), text.len);
    *len = text.len;
    text_free(&text);
    return data;
}

const char *file_stand_in(const void *data, size_t len) {
    static const char pointer[] = "version https://git-lfs";
    if (len < sizeof pointer - 1 || memcmp(data, pointer, sizeof pointer - 1) != 0) return NULL;
    return MSG_GIT_LFS_POINTER;
}

char *file_read(struct arena *arena, const char *path, size_t max, size_t *len, const char **why) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        *why = arena_printf(arena, MSG_FILE_UNREADABLE, strerror(errno));
        return NULL;
    }
    char *data = read_stream(arena, f, max, len, why);
    fclose(f);
    return data;
}

char *file_dir(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return arena_strdup(arena, ".");
    return slash == path ? arena_strdup(arena, "/") : arena_strndup(arena, path, (size_t)(slash - path));
}

// Returns the path of the file in this folder, or NULL if it does not exist or cannot be read.
static char *existing(struct arena *arena, const char *dir, const char *relative) {
    char *path = arena_printf(arena, "%s/%s", dir, relative);
    return access(path, R_OK) == 0 ? path : NULL;
}

static char also_shared[4096]; // folder of file_also_shared, or ""

void file_also_shared(const char *dir) { snprintf(also_shared, sizeof also_shared, "%s", dir); }

char *file_find_shared(struct arena *arena, const char *relative) {
    const char *home = getenv("RILL_HOME");
    char *path = home ? existing(arena, home, relative) : NULL;
    if (!path && *also_shared) path = existing(arena, also_shared, relative);
    if (path) return path;
    char exe[4096];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[len > 0 ? len : 0] = '\0';
    for (char *slash; (slash = strrchr(exe, '/')) != NULL && slash != exe;) {
        *slash = '\0';
        if ((path = existing(arena, exe, relative)) != NULL) return path;
        if ((path = existing(arena, arena_printf(arena, "%s/lib/rill", exe), relative)) != NULL) return path;
    }
    return existing(arena, ".", relative);
}

bool file_has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

bool file_is_path(const char *name) { return strchr(name, '/') || file_has_suffix(name, ".yaml"); }

char *file_from(struct arena *arena, const char *base_dir, const char *path) {
    bool as_it_is = path[0] == '/' || strcmp(base_dir, ".") == 0;
    return as_it_is ? arena_strdup(arena, path) : arena_printf(arena, "%s/%s", base_dir, path);
}

char *file_whole(struct arena *arena, const char *path) {
    char *whole = realpath(path, NULL);
    if (whole) {
        char *copy = arena_strdup(arena, whole);
        free(whole);
        return copy;
    }
    if (!strcmp(path, ".")) return arena_strdup(arena, path); // the working directory no longer exists
    const char *slash = strrchr(path, '/'), *dir = file_whole(arena, file_dir(arena, path));
    return arena_printf(arena, "%s/%s", strcmp(dir, "/") ? dir : "", slash ? slash + 1 : path);
}

// Returns the length of the folders that two absolute paths share, with the `/` after the last one; 1 if they share
// only the root. A path that ends with these folders has its NUL in place of this `/`, so the result is one more than
// its length.
static size_t common_folders(const char *a, const char *b) {
    size_t common = 0;
    for (size_t i = 0;; i++) {
        bool end_a = !a[i] || a[i] == '/', end_b = !b[i] || b[i] == '/';
        if (end_a && end_b) common = i + 1;
        if (a[i] != b[i] || !a[i]) return common;
    }
}

char *file_relative(struct arena *arena, const char *dir, const char *path) {
    char *from = file_whole(arena, dir), *to = file_whole(arena, path), *up = arena_strdup(arena, "");
    size_t common = common_folders(from, to);
    if (common <= 1) return to;
    for (const char *p = from + common - 1; *p; p++)
        if (*p == '/') up = arena_printf(arena, "%s../", up);
    const char *down = to[common - 1] ? to + common : ""; // "": `path` is a folder above `dir`, or `dir` itself
    return arena_printf(arena, "%s%s%s", up, *up || strchr(down, '/') ? "" : "./", down);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

file_names file_list_shared(struct arena *arena, const char *folder) {
    static const char yaml[] = ".yaml";
    file_names names = {0};
    const char *dir = file_find_shared(arena, folder);
    DIR *d = dir ? opendir(dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (file_has_suffix(e->d_name, yaml))
            VEC_PUSH(arena, names, arena_strndup(arena, e->d_name, strlen(e->d_name) - strlen(yaml)));
    if (d) closedir(d);
    if (names.count) qsort(names.items, names.count, sizeof *names.items, by_name);
    return names;
}
