// SPDX-License-Identifier: Apache-2.0
// Copies into a design those modules of the RTL library that the design instantiates, directly or indirectly. No other
// module is copied, so a tool without a `top` setting finds exactly one top module. Each library module is in a file of
// the same name. Include directives (*.vh) are expanded in place, so the emitted design needs no include path.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"
#include "gen/emit/emit.h"

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

typedef VEC(char *) name_list;

static name_list list_folder(struct arena *arena, const char *path, const char *suffix) {
    name_list names = {0};
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.' && file_has_suffix(e->d_name, suffix))
            VEC_PUSH(arena, names, arena_strdup(arena, e->d_name));
    if (dir) closedir(dir);
    if (names.count) qsort(names.items, names.count, sizeof *names.items, by_name);
    return names;
}

static void add_headers(struct emit_library *library, const char *path) {
    name_list names = list_folder(library->arena, path, ".vh");
    for (size_t i = 0; i < names.count; i++)
        VEC_PUSH(library->arena, library->headers,
                 (struct emit_header){names.items[i], arena_printf(library->arena, "%s/%s", path, names.items[i])});
}

static int by_module(const void *a, const void *b) {
    const struct emit_template *const *one = a, *const *other = b;
    return strcmp((*one)->module, (*other)->module);
}

// Makes the list in which find() searches.
static void sort_by_module(struct emit_library *library) {
    for (size_t i = 0; i < library->templates.count; i++)
        VEC_PUSH(library->arena, library->by_module, &library->templates.items[i]);
    struct emit_template **all = library->by_module.items;
    if (all) qsort(all, library->by_module.count, sizeof *all, by_module);
}

struct emit_library *emit_library_open(struct arena *arena, const char *root) {
    static const char *const folders[] = {"arith", "control", "dma",    "engine", "kernel",
                                          "kv",    "layout",  "memory", "stream"};
    struct emit_library *library = ARENA_NEW(arena, struct emit_library);
    library->arena = arena;
    for (size_t d = 0; d < COUNT_OF(folders); d++) {
        const char *path = arena_printf(arena, "%s/%s", root, folders[d]);
        name_list names = list_folder(arena, path, ".v");
        add_headers(library, path);
        for (size_t i = 0; i < names.count; i++) {
            const char *module = arena_strndup(arena, names.items[i], strlen(names.items[i]) - 2);
            struct source source = {arena_printf(arena, "%s/%s", path, names.items[i]), NULL, 0};
            VEC_PUSH(arena, library->templates, (struct emit_template){module, source});
        }
    }
    sort_by_module(library);
    return library;
}

static struct emit_template *find(const struct emit_library *library, const char *module) {
    const struct emit_template named = {.module = module}, *key = &named;
    size_t count = library->by_module.count;
    struct emit_template *const *all = library->by_module.items;
    struct emit_template *const *at = count ? bsearch(&key, all, count, sizeof *all, by_module) : NULL;
    return at ? *at : NULL;
}

bool emit_library_has(const struct emit_library *library, const char *module) { return find(library, module); }

// ---- includes ----

enum { MAX_BYTES = 1 << 20 /* limit of the size of a template, a header or a lint.txt */ };

static const char *header_path(const struct emit_library *library, const char *name) {
    for (size_t i = 0; i < library->headers.count; i++)
        if (!strcmp(library->headers.items[i].name, name)) return library->headers.items[i].path;
    return NULL;
}

// Returns the name of the constant if the line declares exactly one (localparam), or NULL for any other line.
static const char *constant_of(struct emit_library *library, const char *line) {
    static const char begins[] = "localparam ";
    size_t len = strcspn(line, ";\n"), name = strcspn(line, "=");
    bool alone = !strncmp(line, begins, strlen(begins)) && line[len] == ';' && name < len && !memchr(line, ',', len);
    return alone ? verilog_word_before(library->arena, line, name) : NULL;
}

// Returns whether a line of an included file is copied. A constant is copied only if the text around the directive or
// another line of the file uses it, because unused constants would cause lint warnings. The licence line is dropped,
// and so is the line about the command that writes the file, which is not part of a design.
static bool is_wanted(struct emit_library *library, const char *header, const char *line, const char *text) {
    const char *name = constant_of(library, line);
    if (!strncmp(line, "// SPDX", 7) || !strncmp(line, "// `tests/fields.py", 19)) return false;
    return !name || verilog_count_word(text, name) > 0 || verilog_count_word(header, name) > 1;
}

// Adds the lines of an included file that the surrounding text needs, between two comments with the file's name.
// around: the text of the template. blanks, count: the indentation of the directive, which all lines get. Returns
// false, and sets *why, after an error.
static bool add_header(struct emit_library *library, const char *name, const char *around, const char *blanks,
                       int count, struct text *out, const char **why) {
    const char *path = header_path(library, name);
    size_t len;
    *why = MSG_LIBRARY_INCLUDE;
    const char *header = path ? file_read(library->arena, path, MAX_BYTES, &len, why) : NULL;
    struct text lines = {0};
    for (const char *line = header, *end; line && (end = strchr(line, '\n')); line = end + 1)
        if (is_wanted(library, header, line, around))
            text_addf(&lines, "%.*s%.*s\n", end > line ? count : 0, blanks, (int)(end - line), line);
    if (lines.len)
        text_addf(out, "%.*s// ---- a copy of the library's %s ----\n%s%.*s// ---- end of the copy ----\n", count,
                  blanks, name, text_cstr(&lines), count, blanks);
    text_free(&lines);
    return header;
}

// Replaces the include directives of a template. Returns false, and sets *why, after an error.
static bool expand(struct emit_library *library, struct source *source, const char **why) {
    static const char directive[] = "`include \"";
    struct text out = {0};
    bool ok = true;
    for (const char *line = source->data, *end; ok && *line; line = end) {
        end = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line);
        size_t blanks = strspn(line, " ");
        const char *name = line + blanks + strlen(directive);
        if (strncmp(line + blanks, directive, strlen(directive)) != 0) text_add_bytes(&out, line, (size_t)(end - line));
        else
            ok = add_header(library, arena_strndup(library->arena, name, strcspn(name, "\"\n")), source->data, line,
                            (int)blanks, &out, why);
    }
    source->data = arena_strdup(library->arena, text_cstr(&out));
    source->size = out.len;
    text_free(&out);
    return ok;
}

// ---- defaults ----

// Returns legal parameter values of a module, ` NAME=VALUE NAME=VALUE`, from the first line about the module in the
// lint.txt of the module's folder. Returns NULL if there is no such line.
static const char *legal_set(struct emit_library *library, const struct source *source, const char *module) {
    const char *why, *name = strrchr(source->path, '/');
    size_t folder = (size_t)(name - source->path), len;
    const char *path = arena_printf(library->arena, "%.*s/lint.txt", (int)folder, source->path);
    char *list = file_read(library->arena, path, MAX_BYTES, &len, &why);
    for (char *line = list; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, module, strlen(module)) && line[strlen(module)] == ' ')
            return arena_strndup(library->arena, line + strlen(module), strcspn(line + strlen(module), "\n"));
    return NULL;
}

// Returns the value of a parameter in a legal set, or NULL if the set does not mention the parameter.
static const char *value_in(struct emit_library *library, const char *set, const char *name, size_t len) {
    const char *given = arena_printf(library->arena, " %.*s=", (int)len, name);
    const char *at = strstr(set, given);
    return at ? arena_strndup(library->arena, at + strlen(given), strcspn(at + strlen(given), " ")) : NULL;
}

// Returns whether the table in the module's header gives this parameter a range that excludes 0. The columns of a row
// (name, meaning, unit, range) are separated by two or more blanks.
static bool is_required(struct emit_library *library, const char *text, const char *name) {
    const char *row = strstr(text, arena_printf(library->arena, "\n// %s  ", name));
    if (!row) row = strstr(text, arena_printf(library->arena, "\n// %s ", name));
    const char *range = row ? row + 1 : "0";
    for (const char *c = range; row && *c && *c != '\n'; c++)
        if (c[0] == ' ' && c[1] == ' ' && c[2] != ' ') range = c + 2;
    return *range != '0' && strncmp(range, "any", 3) != 0 && strncmp(range, "derived", 7) != 0;
}

// Gives required parameters a legal default in the design's copy of a module. In the library they default to 0, and a
// guard rejects 0, so that an instance that forgets one is an error. A tool without a top setting elaborates every
// module with its defaults before it finds the top, and the guard would stop the tool. Optional parameters keep their
// defaults, because instances may leave them out. A line over 110 columns is broken before the value.
static void give_defaults(struct emit_library *library, const char *module, struct source *source) {
    static const char begins[] = "    parameter ";
    const char *set = legal_set(library, source, module);
    struct text out = {0};
    if (!set) return;
    for (const char *line = source->data; *line;) {
        size_t len = strcspn(line, "\n"), at = strcspn(line, "=\n");
        const char *value = NULL, *end = line + len - (len && line[len - 1] == ',');
        bool zero =
            !strncmp(line, begins, strlen(begins)) && line[at] == '=' && end - (line + at) == 3 && end[-1] == '0';
        if (zero) {
            const char *name = verilog_word_before(library->arena, line, at);
            value = is_required(library, source->data, name) ? value_in(library, set, name, strlen(name)) : NULL;
        }
        if (!value) {
            text_add_bytes(&out, line, len);
            text_add(&out, "\n");
        } else
            text_addf(&out, "%.*s=%s%s%s\n", (int)at, line, at + strlen(value) > 110 ? "\n        " : " ", value,
                      *end == ',' ? "," : "");
        line += len + (line[len] != '\0');
    }
    source->data = arena_strdup(library->arena, text_cstr(&out));
    source->size = out.len;
    text_free(&out);
}

// Reads the file of a template, expands its includes and gives it defaults. Returns false after an error.
static bool read_template(struct emit_library *library, struct emit_template *t, struct diag *diag) {
    const char *why;
    struct source *source = &t->source;
    source->data = file_read(library->arena, source->path, MAX_BYTES, &source->size, &why);
    if (source->data && expand(library, source, &why)) {
        give_defaults(library, t->module, source);
        return true;
    }
    diag_error_text(diag, loc_file(library->arena, source->path), why);
    return false;
}

bool emit_library_reach(struct emit_library *library, const struct source *text, struct diag *diag) {
    verilog_names names = verilog_find_instances(library->arena, text);
    for (size_t i = 0; i < names.count; i++) {
        struct emit_template *t = find(library, names.items[i]);
        if (!t || t->source.data) continue;
        if (!read_template(library, t, diag)) return false;
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
