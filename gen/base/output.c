// SPDX-License-Identifier: Apache-2.0
// Implements the output sets of base.h: files are written under temporary names and then renamed together, or removed
// together after a failure.
#define _POSIX_C_SOURCE 200809L
#include "gen/base/base.h"
#include "gen/base/messages.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void output_begin(struct output *out, struct arena *arena, const char *dir) {
    *out = (struct output){.arena = arena, .dir = dir};
}

// Notes the first failure in out->error. error: the errno, or 0 if an earlier write failed and its reason is no longer
// known.
static void fail(struct output *out, const char *path, int error) {
    const char *why = error ? strerror(error) : "write failed (disk full?)";
    if (!out->error) out->error = arena_printf(out->arena, MSG_FILE_UNWRITABLE, path, why);
}

// Makes a directory if it does not exist, and notes it, so that an abort can remove it.
static bool make_dir(struct output *out, const char *path) {
    struct stat st;
    if (mkdir(path, 0777) == 0) {
        VEC_PUSH(out->arena, out->made_dirs, arena_strdup(out->arena, path));
        return true;
    }
    int error = errno;
    if (error == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    fail(out, path, error == EEXIST ? ENOTDIR : error);
    return false;
}

// Makes every missing directory above the file.
static bool make_parents(struct output *out, const char *path) {
    char *part = arena_strdup(out->arena, path);
    for (char *p = part + 1; *part && *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        if (!make_dir(out, part)) return false;
        *p = '/';
    }
    return true;
}

FILE *output_open(struct output *out, const char *relative) {
    if (out->error) return NULL;
    struct output_file file = {.path = arena_printf(out->arena, "%s/%s", out->dir, relative)};
    file.temp = arena_printf(out->arena, "%s.tmp%ld", file.path, (long)getpid());
    for (size_t i = 0; i < out->files.count; i++)
        if (strcmp(out->files.items[i].path, file.path) == 0) base_fatal("%s is written twice", file.path);
    if (!make_parents(out, file.path)) return NULL;
    file.stream = fopen(file.temp, "w+b");
    if (!file.stream) {
        fail(out, file.path, errno);
        return NULL;
    }
    VEC_PUSH(out->arena, out->files, file);
    return file.stream;
}

// Flushes and closes a file. Returns false after a failure; a full disk is detected here at the latest.
static bool close_file(struct output *out, struct output_file *file) {
    if (!file->stream) return true;
    errno = 0;
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    int error = errno;
    good = fclose(file->stream) == 0 && good;
    file->stream = NULL;
    if (!good) fail(out, file->path, error ? error : errno);
    return good;
}

bool output_close(struct output *out, FILE *stream) {
    for (size_t i = 0; i < out->files.count; i++)
        if (out->files.items[i].stream == stream) return close_file(out, &out->files.items[i]);
    base_fatal("output_close: not a stream of this set");
}

bool output_text(struct output *out, const char *relative, const struct text *text) {
    FILE *stream = output_open(out, relative);
    if (!stream) return false;
    if (text->len && fwrite(text->data, 1, text->len, stream) != text->len)
        fail(out, out->files.items[out->files.count - 1].path, errno);
    return output_close(out, stream);
}

void output_abort(struct output *out) {
    for (size_t i = 0; i < out->files.count; i++) {
        struct output_file *file = &out->files.items[i];
        if (file->stream) fclose(file->stream);
        file->stream = NULL;
        if (file->temp) unlink(file->temp);
    }
    for (size_t i = out->made_dirs.count; i-- > 0;) rmdir(out->made_dirs.items[i]);
    out->files.count = out->made_dirs.count = 0;
}

// Renames every file into place. If one fails, the files renamed before it are removed.
static bool rename_all(struct output *out) {
    for (size_t i = 0; i < out->files.count; i++) {
        struct output_file *file = &out->files.items[i];
        if (rename(file->temp, file->path) == 0) {
            file->temp = NULL;
            continue;
        }
        fail(out, file->path, errno);
        while (i-- > 0) unlink(out->files.items[i].path);
        return false;
    }
    return true;
}

bool output_commit(struct output *out) {
    for (size_t i = 0; i < out->files.count; i++) close_file(out, &out->files.items[i]);
    bool good = !out->error && rename_all(out);
    if (good) out->files.count = out->made_dirs.count = 0;
    else output_abort(out);
    return good;
}

// Returns whether the path is a device, a pipe or a symbolic link. These are written in place, because a rename would
// replace them by a regular file.
static bool is_special(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

// Writes the text to such a path. Returns NULL, or the message of a failure.
static const char *write_special(struct arena *arena, const char *path, const struct text *text) {
    FILE *f = fopen(path, "wb");
    if (!f) return arena_printf(arena, MSG_FILE_UNWRITABLE, path, strerror(errno));
    bool good = fwrite(text_cstr(text), 1, text->len, f) == text->len;
    good = fclose(f) == 0 && good;
    return good ? NULL : arena_printf(arena, MSG_FILE_UNWRITABLE, path, strerror(errno));
}

const char *file_write_text(struct arena *arena, const char *path, const struct text *text) {
    struct output out;
    const char *slash = strrchr(path, '/');
    if (slash ? !slash[1] : !*path) return arena_printf(arena, MSG_FILE_NAME, path);
    if (is_special(path)) return write_special(arena, path, text);
    output_begin(&out, arena, slash == path ? "" : file_dir(arena, path));
    output_text(&out, slash ? slash + 1 : path, text);
    output_commit(&out);
    return out.error;
}
