// SPDX-License-Identifier: Apache-2.0
// Writes the lint waivers of a design: the lines of verif/lint/emitted.vlt that its files need, each limited to the
// files that need it. So lint still reports the waived warning in all other files.
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "gen/emit/emit.h"

struct waivers {
    const struct emit_rtl *rtl;
    struct arena *arena;
    const char *reason; // the comment above the present paragraph of lines
    size_t reason_len;  // 0: it is written already
    struct text *out;
};

// Returns the text in quotes after a word of the line, or NULL if the line does not have the word.
static const char *quoted(struct arena *arena, const char *line, const char *word) {
    const char *at = strstr(line, arena_printf(arena, "%s \"", word));
    if (!at) return NULL;
    at += strlen(word) + 2;
    return arena_strndup(arena, at, strcspn(at, "\""));
}

// Returns the signal's name in a pattern for messages: `interrupt` in `*interrupt*`, `fills` in `... used: 'fills*`.
static const char *name_in(struct arena *arena, const char *match) {
    const char *quote = strchr(match, '\''), *name = quote ? quote + 1 : match + strspn(match, "*");
    return arena_strndup(arena, name, strcspn(name, "*'"));
}

// Returns whether the name occurs in the text outside of `//` comments.
static bool names(const char *text, const char *name) {
    for (const char *at = text; (at = strstr(at, name)); at++) {
        const char *line = at;
        while (line > text && line[-1] != '\n') line--;
        const char *comment = strstr(line, "//");
        if (!comment || comment > at) return true;
    }
    return false;
}

// Returns whether an instance in the file leaves a port open: `.port()`.
static bool has_open_port(const char *text) {
    for (const char *at = text; (at = strstr(at, "()")); at++) {
        const char *name = at;
        while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
        if (name < at && name > text && name[-1] == '.') return true;
    }
    return false;
}

// Writes a line for the file `of`, whose name replaces `*.v`. The reason of a paragraph goes before its first line.
static void add_line(struct waivers *w, const char *line, const struct emit_file *of) {
    static const char all[] = "\"*.v\"";
    const char *at = strstr(line, all);
    text_add_bytes(w->out, w->reason, w->reason_len);
    w->reason_len = 0;
    if (!at) text_addf(w->out, "%s\n", line);
    else text_addf(w->out, "%.*s\"*%s\"%s\n", (int)(at - line), line, strrchr(of->name, '/'), at + strlen(all));
}

// Writes a line whose pattern is `*.v` once for each file to which it applies. Writes any other line once if it applies
// to at least one file.
static void add_waiver(struct waivers *w, const char *line) {
    const char *file = quoted(w->arena, line, "-file"), *match = quoted(w->arena, line, "-match");
    const char *name = match ? name_in(w->arena, match) : NULL;
    bool of_ports = strstr(line, "PINCONNECTEMPTY"), for_all = !strcmp(file, "*.v");
    for (size_t i = 0; i < w->rtl->files.count; i++) {
        const struct emit_file *f = &w->rtl->files.items[i];
        if (fnmatch(file, f->name, 0) != 0) continue;
        if ((of_ports && !has_open_port(f->data)) || (name && !names(f->data, name))) continue;
        add_line(w, line, f);
        if (!for_all) return;
    }
}

void emit_waivers(const struct emit_rtl *rtl, struct arena *arena, const char *shared, struct text *out) {
    struct waivers w = {.rtl = rtl, .arena = arena, .out = out};
    const char *paragraph = shared;
    bool begun = false; // the lines before the first paragraph are copied
    for (const char *line = shared, *end; (end = strchr(line, '\n')); line = end + 1) {
        bool waives = !strncmp(line, "lint_off", 8);
        if (waives && paragraph) w.reason = paragraph, w.reason_len = (size_t)(line - paragraph), paragraph = NULL;
        if (waives) add_waiver(&w, arena_strndup(arena, line, (size_t)(end - line)));
        else if (line == end) {
            if (!begun) text_add_bytes(out, shared, (size_t)(line - shared));
            begun = true, paragraph = line;
        }
    }
}
