// SPDX-License-Identifier: Apache-2.0
// Prints errors, warnings and notes together with the source line that they refer to. gen/base/nearest.c guesses what
// the user meant.
#include "gen/base/diag.h"

#include <string.h>

// SHOWN_COLUMNS: most characters of a source line that are printed; longer lines are cut around the caret.
// SHOWN_MESSAGE: most bytes of a message that are printed.
enum { SHOWN_COLUMNS = 120, SHOWN_MESSAGE = 600 };

struct loc loc_none(void) {
    return (struct loc){NULL, 0, 0};
}

struct loc loc_file(struct arena *arena, const char *path) {
    struct source *source = ARENA_NEW(arena, struct source);
    source->path = arena_strdup(arena, path);
    return (struct loc){source, 0, 0};
}

void diag_init(struct diag *diag, FILE *out) { *diag = (struct diag){.out = out}; }

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

// Returns a line, counted from 1, and in *len its length in bytes without the end of line. Returns NULL if the source
// has no such line.
static const char *find_line(const struct source *source, uint32_t line, size_t *len) {
    const char *p = source->data, *end = p + source->size;
    for (uint32_t at = 1; at < line; at++) {
        const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        if (!newline) return NULL;
        p = newline + 1;
    }
    const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    *len = (size_t)((newline ? newline : end) - p);
    while (*len && p[*len - 1] == '\r') --*len;
    return p;
}

// Returns the place after `count` characters of UTF-8, or the end.
static const char *skip_characters(const char *p, const char *end, size_t count) {
    while (count-- && p < end) do
            p++;
        while (p < end && is_continuation(*p));
    return p;
}

// Writes control characters as `?`, but keeps tabs.
static void put_clean(FILE *out, const char *p, const char *end) {
    for (; p < end; p++) fputc((unsigned char)*p < 0x20 && *p != '\t' ? '?' : *p, out);
}

// Prints the line and a caret below it. Tabs are kept in both, so the caret is below its character in any terminal.
static void print_line(FILE *out, struct loc loc) {
    size_t len = 0;
    const char *line = loc.source->data ? find_line(loc.source, loc.line, &len) : NULL;
    if (!line || loc.col == 0) return;
    size_t before = loc.col - 1, cut = before > SHOWN_COLUMNS * 3 / 4 ? before - SHOWN_COLUMNS / 2 : 0;
    const char *end = line + len, *from = skip_characters(line, end, cut),
               *to = skip_characters(from, end, SHOWN_COLUMNS);
    fprintf(out, "  %s", cut ? "..." : "");
    put_clean(out, from, to);
    fprintf(out, "%s\n  %s", to < end ? "..." : "", cut ? "   " : "");
    const char *caret = skip_characters(from, end, before - cut);
    for (const char *p = from; p < caret; p++)
        if (!is_continuation(*p)) fputc(*p == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
}

// Returns the length of the bracketed id at the end of a message, for example `[spec-key]`. Returns 0 if there is none.
static size_t id_len(const char *message, size_t len) {
    const char *id = len && message[len - 1] == ']' ? strrchr(message, '[') : NULL;
    return id ? len - (size_t)(id - message) : 0;
}

// Prints a message. Messages quote what the user wrote, so control characters are masked. Messages over SHOWN_MESSAGE
// bytes are cut; the id at the end is kept.
static void put_message(FILE *out, const char *fmt, va_list args) {
    struct text message = {0};
    text_vaddf(&message, fmt, args);
    const char *text = text_cstr(&message), *end = text + message.len;
    size_t id = id_len(text, message.len), len = message.len - id;
    if (message.len > SHOWN_MESSAGE)
        for (len = SHOWN_MESSAGE; len > 0 && is_continuation(text[len]);) len--;
    if (id > SHOWN_MESSAGE) id = 0; // quoted text with a bracket, not an id
    put_clean(out, text, text + len);
    if (message.len > SHOWN_MESSAGE) fputs(id ? "... " : "...", out);
    put_clean(out, end - id, end);
    fputc('\n', out);
    text_free(&message);
}

static void print_message(struct diag *diag, struct loc loc, const char *level, const char *fmt, va_list args) {
    if (!loc.source) fputs("rill: ", diag->out);
    else if (loc.line == 0) fprintf(diag->out, "%s: ", loc.source->path);
    else fprintf(diag->out, "%s:%u:%u: ", loc.source->path, loc.line, loc.col);
    fprintf(diag->out, "%s: ", level);
    put_message(diag->out, fmt, args);
}

static void print_with_line(struct diag *diag, struct loc loc, const char *level, const char *fmt, va_list args) {
    print_message(diag, loc, level, fmt, args);
    if (loc.source && loc.line) print_line(diag->out, loc);
    diag->last = loc;
}

// An error after the first DIAG_MAX_ERRORS is counted, but it and its notes are not shown (`muted`).
static void print_error(struct diag *diag, struct loc loc, const char *fmt, va_list args) {
    diag->errors++;
    diag->muted = diag->errors > DIAG_MAX_ERRORS;
    if (diag->errors == DIAG_MAX_ERRORS + 1) fputs("rill: too many errors; the others are not shown\n", diag->out);
    if (!diag->muted) print_with_line(diag, loc, "error", fmt, args);
}

void diag_error(struct diag *diag, struct loc loc, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    print_error(diag, loc, fmt, args);
    va_end(args);
}

void diag_error_text(struct diag *diag, struct loc loc, const char *message) { diag_error(diag, loc, "%s", message); }

void diag_error_about(struct diag *diag, struct loc loc, const char *message, const char *fmt, ...) {
    struct text before = {0};
    va_list args;
    va_start(args, fmt);
    text_vaddf(&before, fmt, args);
    va_end(args);
    diag_error(diag, loc, "%s%s", text_cstr(&before), message);
    text_free(&before);
}

void diag_command(const char *command, const char *level, const char *fmt, ...) {
    va_list args;
    fprintf(stderr, "rill %s: %s: ", command, level);
    va_start(args, fmt);
    put_message(stderr, fmt, args);
    va_end(args);
}

// Warnings after the first DIAG_MAX_ERRORS warnings, and all warnings after more than DIAG_MAX_ERRORS errors, are
// counted, but they and their notes are not shown (`muted`).
void diag_warning(struct diag *diag, struct loc loc, const char *fmt, ...) {
    diag->warnings++;
    diag->muted = diag->errors > DIAG_MAX_ERRORS || diag->warnings > DIAG_MAX_ERRORS;
    if (diag->muted) return;
    va_list args;
    va_start(args, fmt);
    print_with_line(diag, loc, "warning", fmt, args);
    va_end(args);
}

void diag_note(struct diag *diag, struct loc loc, const char *fmt, ...) {
    if (diag->muted) return;
    bool same_line = loc.source == diag->last.source && loc.line == diag->last.line;
    va_list args;
    va_start(args, fmt);
    print_message(diag, loc, "note", fmt, args);
    va_end(args);
    if (!same_line && loc.source && loc.line) print_line(diag->out, loc);
}
