// SPDX-License-Identifier: Apache-2.0
// Puts a prefix before the names of a package's modules. Packages contain copies of library modules, and two packages
// may come from different versions of the library. Without prefixes, a project with both packages would use one copy
// for both.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/verilog.h"
#include "gen/package/package.h"

const char *package_prefix(struct arena *arena, const char *kernel) {
    return strcmp(kernel, PACKAGE_DEFAULT_NAME) != 0 ? arena_printf(arena, "%s_", kernel) : "";
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void package_add_modules(struct package *p, const struct source *source) {
    verilog_modules modules = verilog_find_modules(p->arena, source);
    for (size_t m = 0; m < modules.count; m++) VEC_PUSH(p->arena, p->modules, modules.items[m].name);
    if (p->modules.count) qsort(p->modules.items, p->modules.count, sizeof *p->modules.items, by_name);
}

struct scan {
    const char *at, *end; // the next character, and the end of the text
};

// is_letter returns whether a character may begin a Verilog name, and is_inside whether it may be inside one.
static bool is_letter(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_inside(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static void skip_words(struct scan *s) {
    while (s->at < s->end && is_inside(*s->at)) s->at++;
}

static void skip_until(struct scan *s, const char *mark) { // skips to the end of the mark
    size_t len = strlen(mark);
    while (s->at < s->end && ((size_t)(s->end - s->at) < len || memcmp(s->at, mark, len) != 0)) s->at++;
    s->at = s->at < s->end ? s->at + len : s->end;
}

static void skip_string(struct scan *s) {
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
        if (*s->at == '\\' && s->at + 1 < s->end) s->at++;
    if (s->at < s->end) s->at++;
}

// Skips a comment, a string, a number, a directive, or a name that begins with `$` or a backslash. Returns false if
// there is none of these.
static bool skip_other(struct scan *s) {
    char c = *s->at, next = s->at + 1 < s->end ? s->at[1] : '\0';
    if (c == '/' && next == '/') skip_until(s, "\n");
    else if (c == '/' && next == '*') s->at += 2, skip_until(s, "*/");
    else if (c == '"') skip_string(s);
    else if (c == '`' || c == '\'' || c == '$' || isdigit((unsigned char)c)) s->at++, skip_words(s);
    else if (c == '\\')
        while (s->at < s->end && !isspace((unsigned char)*s->at)) s->at++;
    else return false;
    return true;
}

// Returns whether `#` or another name follows, as after the name of a module that is instantiated. `s` is a copy, so
// the caller's place does not change.
static bool is_instance(struct scan s) {
    while (s.at < s.end) {
        if (isspace((unsigned char)*s.at)) s.at++;
        else if (*s.at == '/' && s.at + 1 < s.end && (s.at[1] == '/' || s.at[1] == '*')) skip_other(&s);
        else break;
    }
    return s.at < s.end && (*s.at == '#' || *s.at == '\\' || is_letter(*s.at));
}

static bool is_module(const struct package *p, const char *name) {
    return p->modules.count &&
           bsearch(&name, p->modules.items, p->modules.count, sizeof *p->modules.items, by_name) != NULL;
}

void package_add_prefixed(const struct package *p, const char *data, size_t len, struct text *out) {
    struct scan s = {data, data + len};
    bool defines = false; // the previous word was `module`
    while (s.at < s.end) {
        const char *from = s.at;
        if (skip_other(&s)) {
            text_add_bytes(out, from, (size_t)(s.at - from));
            continue;
        }
        if (!is_letter(*s.at)) {
            text_add_bytes(out, s.at++, 1);
            continue;
        }
        skip_words(&s);
        struct arena_mark mark = arena_mark(p->arena);
        const char *word = arena_strndup(p->arena, from, (size_t)(s.at - from));
        if ((defines || is_instance(s)) && is_module(p, word)) text_add(out, p->prefix);
        text_add(out, word);
        defines = !strcmp(word, "module") || !strcmp(word, "macromodule");
        arena_release(p->arena, mark);
    }
}
