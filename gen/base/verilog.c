// SPDX-License-Identifier: Apache-2.0
// Reads module headers and the names of instantiated modules, and parses nothing else. Comments and attributes are
// skipped everywhere, strings and compiler directives only outside of headers.
#include "gen/base/verilog.h"

#include <ctype.h>
#include <string.h>

struct scan {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;   // NULL: not in a header
    const char *p, *end; // the next character to read, and the end of the source
    bool ok;             // no error was reported
    const char *placed;  // argument of the last call of place(); NULL before the first call
    struct loc loc;      // result of that call
};

// ---- places, words ----

// Moves *loc, the place of `from`, on to `at`. A column is a character of UTF-8.
static void count_to(struct loc *loc, const char *from, const char *at) {
    for (const char *p = from; p < at; p++) {
        loc->col += ((unsigned char)*p & 0xc0) != 0x80;
        if (*p == '\n') loc->line++, loc->col = 1;
    }
}

struct loc verilog_place(const struct source *source, const char *at) {
    struct loc loc = {source, 1, 1};
    count_to(&loc, source->data, at);
    return loc;
}

// Returns the place of `at`. A header has hundreds of places, most of them in the order of the file, so lines and
// columns are counted from the last place instead of the file's beginning.
static struct loc place(struct scan *s, const char *at) {
    if (!s->placed || at < s->placed) s->placed = s->source->data, s->loc = (struct loc){s->source, 1, 1};
    count_to(&s->loc, s->placed, at);
    s->placed = at;
    return s->loc;
}

// Reports an error at `at`, unless an error was reported before.
static void fail(struct scan *s, const char *at, const char *what) {
    if (s->ok) diag_error_text(s->diag, place(s, at), what);
    s->ok = false;
}

static bool starts(const struct scan *s, const char *word) {
    size_t len = strlen(word);
    return (size_t)(s->end - s->p) >= len && !memcmp(s->p, word, len);
}

static void skip_to(struct scan *s, const char *word) { // moves past the next occurrence of the word
    const char *at = memmem(s->p, (size_t)(s->end - s->p), word, strlen(word));
    s->p = at ? at + strlen(word) : s->end;
}

// Skips one blank, comment or attribute. Returns false if there is none.
static bool skip_one(struct scan *s) {
    if (s->p >= s->end) return false;
    if (isspace((unsigned char)*s->p)) s->p++;
    else if (starts(s, "//")) skip_to(s, "\n");
    else if (starts(s, "/*")) s->p += 2, skip_to(s, "*/");
    else if (starts(s, "(*") && !starts(s, "(*)")) skip_to(s, "*)");
    else return false;
    return true;
}

// Skips blanks, comments and attributes. In a header, a directive after them is an error.
static void skip(struct scan *s) {
    while (skip_one(s)) continue;
    if (s->p < s->end && *s->p == '`' && s->diag) fail(s, s->p, MSG_HEADER_DIRECTIVE);
}

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static const char *word_at(struct scan *s) { // skips blanks and returns the word after them; "" if there is none
    skip(s);
    const char *from = s->p;
    if (s->p < s->end && !isdigit((unsigned char)*s->p))
        while (s->p < s->end && is_letter(*s->p)) s->p++;
    return arena_strndup(s->arena, from, (size_t)(s->p - from));
}

static bool take(struct scan *s, char c) {
    skip(s);
    if (s->p >= s->end || *s->p != c) return false;
    s->p++;
    return true;
}

static void need(struct scan *s, char c) {
    if (s->ok && !take(s, c)) fail(s, s->p, arena_printf(s->arena, MSG_HEADER_CHARACTER, c));
}

static bool take_word(struct scan *s, const char *word) {
    const char *from = s->p;
    if (!strcmp(word_at(s), word)) return true;
    s->p = from;
    return false;
}

// Returns the text, without comments, up to the first character of `ends` that is outside brackets and strings. Leaves
// the scan at this character. The `:` of `?:` does not end the text.
static const char *text_until(struct scan *s, const char *ends) {
    struct text t = {0};
    int open = 0, choices = 0;
    bool quoted = false;
    for (; s->ok && s->p < s->end; s->p++) {
        if (!quoted && (starts(s, "//") || starts(s, "/*"))) skip(s);
        if (s->p >= s->end) break;
        char c = *s->p;
        if (c == '"') quoted = !quoted;
        if (quoted) {
            text_add_bytes(&t, &c, 1);
            continue;
        }
        if (!open && strchr(ends, c) && !(c == ':' && choices)) break;
        open += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        choices += (c == '?') - (c == ':');
        text_add_bytes(&t, isspace((unsigned char)c) ? " " : &c, 1);
    }
    const char *copy = arena_strdup(s->arena, text_cstr(&t));
    text_free(&t);
    return copy;
}

// ---- modules ----

// Finds the next word outside of comments, strings and directives: its beginning and its length in bytes. Returns false
// at the end of the source.
static bool next_word(struct scan *s, const char **from, size_t *len) {
    while (s->p < s->end) {
        if (skip_one(s)) continue;
        if (*s->p == '`') {
            skip_to(s, "\n");
        } else if (*s->p == '"') {
            for (s->p++; s->p < s->end && *s->p != '"' && *s->p != '\n'; s->p++)
                s->p += *s->p == '\\' && s->p + 1 < s->end;
            s->p += s->p < s->end;
        } else if (is_letter(*s->p)) {
            *from = s->p;
            while (s->p < s->end && is_letter(*s->p)) s->p++;
            *len = (size_t)(s->p - *from);
            return true;
        } else s->p++;
    }
    return false;
}

size_t verilog_count_word(const char *text, const char *word) {
    size_t count = 0, len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += len)
        if (!is_letter(at[len]) && (at == text || !is_letter(at[-1]))) count++;
    return count;
}

const char *verilog_word_before(struct arena *arena, const char *text, size_t at) {
    while (at && !is_letter(text[at - 1])) at--;
    size_t from = at;
    while (from && is_letter(text[from - 1])) from--;
    return arena_strndup(arena, text + from, at - from);
}

static bool is_word(const char *from, size_t len, const char *word) {
    return len == strlen(word) && !memcmp(from, word, len);
}

static struct scan scan_of(struct arena *arena, const struct source *source) {
    return (struct scan){arena, source, NULL, source->data, source->data + source->size, .ok = true};
}

verilog_modules verilog_find_modules(struct arena *arena, const struct source *source) {
    struct scan s = scan_of(arena, source);
    verilog_modules found = {0};
    const char *from;
    size_t len;
    while (next_word(&s, &from, &len)) {
        if (is_word(from, len, "endmodule") && found.count) found.items[found.count - 1].ends = true;
        if (!is_word(from, len, "module")) continue;
        skip(&s);
        struct loc loc = place(&s, s.p);
        const char *name = word_at(&s);
        VEC_PUSH(arena, found, (struct verilog_module){name, loc, (size_t)(s.p - source->data), false});
    }
    return found;
}

verilog_names verilog_find_instances(struct arena *arena, const struct source *source) {
    struct scan s = scan_of(arena, source);
    verilog_names found = {0};
    const char *from;
    size_t len;
    while (next_word(&s, &from, &len)) {
        if (is_word(from, len, "module")) { // the name of the module itself is not an instance
            word_at(&s);
            continue;
        }
        skip(&s);
        bool named = s.p < s.end && (is_letter(*s.p) || *s.p == '\\');
        if (named || (s.p < s.end && *s.p == '#')) VEC_PUSH(arena, found, arena_strndup(arena, from, len));
    }
    return found;
}

// ---- the header ----

struct range {
    const char *msb, *lsb;
    struct loc loc;
};

// Reads a range `[msb:lsb]` as two texts. If there is no range, msb and lsb are NULL.
static struct range read_range(struct scan *s) {
    struct range r = {NULL, NULL, loc_none()};
    skip(s);
    r.loc = place(s, s->p);
    if (!take(s, '[')) return r;
    r.msb = text_until(s, ":]");
    need(s, ':');
    if (s->ok) r.lsb = text_until(s, "]");
    need(s, ']');
    return r;
}

// Reads a parameter and adds its name and default to the header. Its type and range are skipped.
static void read_param(struct scan *s, struct verilog_header *h) {
    static const char *const kinds[] = {"parameter", "localparam", "signed", "integer", "real", "time"};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) take_word(s, kinds[i]);
    read_range(s);
    skip(s);
    struct verilog_param p = {.loc = place(s, s->p)};
    p.name = word_at(s);
    if (!*p.name) return fail(s, s->p, MSG_HEADER_PARAMETER);
    if (take(s, '=')) {
        skip(s);
        p.value = text_until(s, ",)");
    }
    VEC_PUSH(s->arena, h->params, p);
}

// Reads a port. A port without a direction has direction and range of the previous port.
static void read_port(struct scan *s, struct verilog_header *h) {
    static const char *const kinds[] = {"wire", "reg", "logic", "tri", "signed"};
    struct verilog_port p = {.is_input = take_word(s, "input")};
    struct range range = {NULL, NULL, loc_none()};
    p.is_output = !p.is_input && take_word(s, "output");
    bool both = !p.is_input && !p.is_output && take_word(s, "inout"), again = !p.is_input && !p.is_output && !both;
    if (again && !h->ports.count) return fail(s, s->p, MSG_HEADER_BODY_PORTS);
    for (size_t i = 0; !again && i < COUNT_OF(kinds); i++) take_word(s, kinds[i]);
    if (!again) range = read_range(s);
    p.msb = range.msb, p.lsb = range.lsb, p.range_loc = range.loc;
    if (again) p = h->ports.items[h->ports.count - 1]; // with the declaration of the previous port
    skip(s);
    p.loc = place(s, s->p);
    p.name = word_at(s);
    if (!*p.name) return fail(s, s->p, MSG_HEADER_PORT);
    VEC_PUSH(s->arena, h->ports, p);
}

// Reads a list in parentheses, which may be empty.
static void read_list(struct scan *s, struct verilog_header *h, void (*read)(struct scan *, struct verilog_header *)) {
    need(s, '(');
    if (take(s, ')')) return;
    do read(s, h);
    while (s->ok && take(s, ','));
    need(s, ')');
}

// Refuses a reserved name. A name that only SystemVerilog reserves is legal in a Verilog-2005 file, but tools may read
// the design, which has an instance of the module, as SystemVerilog.
static void check_word(struct scan *s, const char *what, const char *name, struct loc loc) {
    const char *language = verilog_reserved(name, false);
    if (!s->ok || !language) return;
    diag_error(s->diag, loc, MSG_RESERVED_WORD, what, name, language);
    s->ok = false;
}

struct verilog_header *verilog_read_header(struct arena *arena, const struct source *source,
                                           const struct verilog_module *module, struct diag *diag) {
    struct verilog_header *h = ARENA_NEW(arena, struct verilog_header);
    struct scan s = {arena, source, diag, source->data + module->at, source->data + source->size, .ok = true};
    h->name = module->name;
    h->loc = module->loc;
    if (take(&s, '#')) read_list(&s, h, read_param);
    if (s.ok) read_list(&s, h, read_port);
    need(&s, ';');
    for (size_t i = 0; i < h->params.count; i++)
        check_word(&s, "parameter", h->params.items[i].name, h->params.items[i].loc);
    for (size_t i = 0; i < h->ports.count; i++) check_word(&s, "port", h->ports.items[i].name, h->ports.items[i].loc);
    return s.ok ? h : NULL;
}

const struct verilog_port *verilog_find_port(const struct verilog_header *h, const char *name) {
    for (size_t i = 0; i < h->ports.count; i++)
        if (!strcmp(h->ports.items[i].name, name)) return &h->ports.items[i];
    return NULL;
}

const struct verilog_param *verilog_find_param(const struct verilog_header *h, const char *name) {
    for (size_t i = 0; i < h->params.count; i++)
        if (!strcmp(h->params.items[i].name, name)) return &h->params.items[i];
    return NULL;
}
