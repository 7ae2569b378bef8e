// SPDX-License-Identifier: Apache-2.0
// The RTL library beside a design: the templates that its modules reach, and no others, so that a tool that is given no
// top module finds one. A module of the library has a file of its own with its name.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "include/diag.h"
#include "gen/emit/emit.h"

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

typedef VEC(char *) name_list;

static name_list list_folder(struct arena *arena, const char *path) {
    name_list names = {0};
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t len = strlen(e->d_name);
        if (e->d_name[0] != '.' && len > 2 && !strcmp(e->d_name + len - 2, ".v"))
            VEC_PUSH(arena, names, arena_strdup(arena, e->d_name));
    }
    if (dir) closedir(dir);
    if (names.count) qsort(names.items, names.count, sizeof *names.items, by_name);
    return names;
}

struct emit_library *emit_library_open(struct arena *arena, const char *root) {
    static const char *const folders[] = {"arith", "control", "dma", "engine", "kernel", "kv", "layout", "memory", "stream"};
    struct emit_library *library = ARENA_NEW(arena, struct emit_library);
    library->arena = arena;
    for (size_t d = 0; d < COUNT_OF(folders); d++) {
        const char *path = arena_printf(arena, "%s/%s", root, folders[d]);
        name_list names = list_folder(arena, path);
        for (size_t i = 0; i < names.count; i++) {
            const char *module = arena_strndup(arena, names.items[i], strlen(names.items[i]) - 2);
            struct source source = {arena_printf(arena, "%s/%s", path, names.items[i]), NULL, 0};
            VEC_PUSH(arena, library->templates, (struct emit_template){module, source});
        }
    }
    return library;
}

static struct emit_template *find(const struct emit_library *library, const char *module) {
    for (size_t i = 0; i < library->templates.count; i++)
        if (!strcmp(library->templates.items[i].module, module)) return &library->templates.items[i];
    return NULL;
}

bool emit_library_reach(struct emit_library *library, const struct source *text, struct diag *diag) {
    enum { MAX_BYTES = 1 << 20 };
    verilog_names names = verilog_find_instances(library->arena, text);
    for (size_t i = 0; i < names.count; i++) {
        struct emit_template *t = find(library, names.items[i]);
        if (!t || t->source.data) continue;
        const char *why;
        t->source.data = file_read(library->arena, t->source.path, MAX_BYTES, &t->source.size, &why);
        if (!t->source.data) {
            diag_error(diag, loc_file(library->arena, t->source.path), "%s", why);
            return false;
        }
        if (!emit_library_reach(library, &t->source, diag)) return false;
    }
    return true;
}

bool emit_instantiates(struct arena *arena, const struct source *text, const char *module) {
    verilog_names names = verilog_find_instances(arena, text);
    for (size_t i = 0; i < names.count; i++)
        if (!strcmp(names.items[i], module)) return true;
    return false;
}
