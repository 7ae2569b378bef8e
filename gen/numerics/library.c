// SPDX-License-Identifier: Apache-2.0
// Compiles, loads and calls golden functions of custom kernels (gen/numerics/library.h).
#include "gen/numerics/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/numerics/guard.h"

enum { WHAT_BYTES = 400, MAX_OBJECT = 64 << 20 };

// A compilation in the temporary folder `dir`. object: the shared library; log: output of the C compiler.
struct build {
    struct arena *arena;
    const struct golden_source *source;
    const char *dir, *c_file, *object, *log;
    struct diag *diag;
};

// Prints the beginning of the C compiler's output to standard error.
static void show_log(const struct build *b) {
    size_t len;
    const char *why, *text = file_read(b->arena, b->log, 1 << 20, &len, &why);
    if (text) fprintf(stderr, "%.*s", len > 4000 ? 4000 : (int)len, text);
}

// Returns Rill's folder, which has the headers and the arithmetic that golden files may use, or NULL if it was not
// found.
static const char *find_root(const struct build *b) {
    const char *header = file_find_shared(b->arena, "include/rill_kernel.h");
    return header ? arena_strndup(b->arena, header, strlen(header) - strlen("/include/rill_kernel.h")) : NULL;
}

// Quotes text as one word for the shell.
static const char *word(const struct build *b, const char *text) {
    struct text quoted = {0};
    text_add(&quoted, "'");
    for (const char *p = text; *p; p++) {
        if (*p == '\'') text_add(&quoted, "'\\''");
        else text_add_bytes(&quoted, p, 1);
    }
    text_add(&quoted, "'");
    const char *copy = arena_strdup(b->arena, text_cstr(&quoted));
    text_free(&quoted);
    return copy;
}

// Compiles the golden file, together with the arithmetic of fp32.c, to a shared library. Returns false after an error.
static bool compile(const struct build *b) {
    const char *root = find_root(b), *cc = getenv("CC");
    if (!root) {
        diag_error(b->diag, loc_none(), MSG_KERNEL_HEADER_MISSING);
        return false;
    }
    // These are errors because code of this kind, which older C allowed, is nearly always wrong: without its header, a
    // function would be taken to return int.
    static const char errors[] =
        "-Werror=implicit-function-declaration -Werror=incompatible-pointer-types -Werror=int-conversion";
    const char *quoted = word(b, root);
    const char *command =
        arena_printf(b->arena,
                     "%s -std=gnu11 -O2 -ffp-contract=off %s -shared -fPIC -I%s -I%s/include -I%s/gen/numerics %s "
                     "%s/gen/numerics/fp32.c -o %s -lm >%s 2>&1",
                     cc && *cc ? cc : "cc", errors, quoted, quoted, quoted, word(b, b->c_file), quoted,
                     word(b, b->object), word(b, b->log));
    if (system(command) == 0) return true;
    diag_error(b->diag, loc_none(), MSG_GOLDEN_COMPILE, b->source->kernel, b->source->file);
    show_log(b);
    return false;
}

// Loads a library and finds the golden function in it. Returns false after an error.
static bool load(const struct build *b, const char *object, struct golden_library *out) {
    out->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle) {
        diag_error(b->diag, loc_none(), MSG_GOLDEN_LOAD, b->source->kernel, dlerror());
        return false;
    }
    void *symbol = dlsym(out->handle, b->source->function);
    if (symbol) memcpy(&out->function, &symbol, sizeof symbol);
    else
        diag_error(b->diag, loc_none(), MSG_GOLDEN_NO_FUNCTION, b->source->kernel, b->source->file,
                   b->source->function);
    return symbol != NULL;
}

// Loads a separate copy of the library for each operation. Loading the same file twice would return the first library.
static bool load_copy(const struct build *b, int instance, struct golden_library *out) {
    size_t len;
    const char *copy = arena_printf(b->arena, "%s/golden-%d.so", b->dir, instance), *why = NULL;
    struct text text = {0};
    const char *bytes = file_read(b->arena, b->object, MAX_OBJECT, &len, &why);
    if (bytes) text_add_bytes(&text, bytes, len), why = file_write_text(b->arena, copy, &text);
    if (why) diag_error_about(b->diag, loc_none(), why, "kernel `%s`: ", b->source->kernel);
    text_free(&text);
    bool ok = !why && load(b, copy, out);
    unlink(copy);
    return ok;
}

static bool load_all(const struct build *b, const char *const *operations, int count,
                     struct golden_library *const *libraries) {
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        *libraries[i] = (struct golden_library){.source = *b->source, .instance = i, .operation = operations[i]};
        ok = load_copy(b, i, libraries[i]);
    }
    return ok;
}

bool golden_library_open(struct arena *a, const struct golden_source *source, const char *const *operations, int count,
                         struct golden_library *const *libraries, struct diag *diag) {
    const char *root = getenv("TMPDIR");
    char *dir = arena_printf(a, "%s/rill-kernel-XXXXXX", root && *root ? root : "/tmp");
    if (!mkdtemp(dir)) {
        diag_error(diag, loc_file(a, dir), MSG_TEMPORARY_FOLDER, strerror(errno));
        return false;
    }
    struct build b = {a,
                      source,
                      dir,
                      arena_printf(a, "%s/%s", dir, source->file),
                      arena_printf(a, "%s/golden.so", dir),
                      arena_printf(a, "%s/golden.log", dir),
                      diag};
    struct text text = {0};
    text_add(&text, source->text);
    const char *why = file_write_text(a, b.c_file, &text);
    text_free(&text);
    if (why) diag_error_text(diag, loc_none(), why);
    bool ok = !why && compile(&b) && load_all(&b, operations, count, libraries);
    // A loaded library does not need these files. Because they are deleted now, a run that is interrupted later leaves
    // none.
    unlink(b.c_file), unlink(b.object), unlink(b.log);
    rmdir(dir);
    return ok;
}

void golden_library_close(struct golden_library *library) {
    if (library->handle) dlclose(library->handle);
    *library = (struct golden_library){0};
}

// Calls the function under the guard. If it crashes or exits, the guard's message names kernel, position, repetition,
// function and file.
void golden_library_call(const struct golden_library *library, struct rill_call *call) {
    char what[WHAT_BYTES];
    snprintf(what, sizeof what, "kernel `%s`: at position %lld, repetition %lld, `%s` of its golden file `%s`",
             library->source.kernel, (long long)call->position, (long long)call->repetition, library->source.function,
             library->source.file);
    call->instance = library->instance;
    call->operation = library->operation;
    guard_enter(what);
    library->function(call);
    guard_leave();
}
