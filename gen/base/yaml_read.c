// SPDX-License-Identifier: Apache-2.0
// Builds the tree of yaml.h from libyaml's events, and explains libyaml's errors. A stack of open containers takes the
// place of recursion; its size YAML_MAX_DEPTH bounds the depth of the input.
#define RILL_YAML_LIBRARY
#include "gen/base/yaml.h"

#include <string.h>

typedef VEC(struct yaml_node *) node_list;
typedef VEC(const char *) name_list;
typedef VEC(struct loc) loc_list;

// An open container. In a map with more keys than items, the next node is the value of the last key.
struct frame {
    struct yaml_node *node;
    bool flow; // the container is in brackets
    node_list items;
    name_list keys;
    loc_list key_locs;
};

struct reader {
    struct arena *arena;
    struct diag *diag;
    struct source *source;
    yaml_parser_t parser;
    struct frame stack[YAML_MAX_DEPTH];
    int depth;
    size_t nodes;
    struct yaml_node *root;
    bool failed;
};

static struct loc place(const struct reader *r, yaml_mark_t mark) {
    return (struct loc){r->source, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

// Reports a structural error and ends the reading, because everything after it would be misread.
static void refuse(struct reader *r, yaml_mark_t mark, const char *message) {
    diag_error_text(r->diag, place(r, mark), message);
    r->failed = true;
}

static struct yaml_node *new_node(struct reader *r, const yaml_event_t *e, enum yaml_kind kind) {
    struct yaml_node *node = ARENA_NEW(r->arena, struct yaml_node);
    node->kind = kind;
    node->loc = place(r, e->start_mark);
    if (++r->nodes > YAML_MAX_NODES) refuse(r, e->start_mark, MSG_YAML_TOO_MANY_ITEMS);
    return node;
}

// Reports a key that the map already has.
static void check_duplicate(struct reader *r, const struct frame *f, const char *key, struct loc loc) {
    for (size_t i = 0; i < f->keys.count; i++) {
        if (strcmp(f->keys.items[i], key) != 0) continue;
        diag_error(r->diag, loc, MSG_KEY_TWICE, key);
        diag_note(r->diag, f->key_locs.items[i], "first given here");
        return;
    }
}

enum { MAX_KEYS = 1024 }; // per map: the search for duplicates is quadratic

// Adds a key to an open map. The next node is its value.
static void add_key(struct reader *r, struct frame *f, const struct yaml_node *node, yaml_mark_t mark) {
    if (node->kind != YAML_KIND_SCALAR) {
        refuse(r, mark, MSG_YAML_PLAIN_KEY);
        return;
    }
    if (f->keys.count >= MAX_KEYS) {
        refuse(r, mark, MSG_YAML_TOO_MANY_KEYS);
        return;
    }
    check_duplicate(r, f, node->text, node->loc);
    VEC_PUSH(r->arena, f->keys, node->text);
    VEC_PUSH(r->arena, f->key_locs, node->loc);
}

// Adds a finished scalar or a newly opened container to the surrounding container.
static void place_node(struct reader *r, struct yaml_node *node, yaml_mark_t mark) {
    if (r->depth == 0) {
        if (r->root) refuse(r, mark, MSG_YAML_ONE_DOCUMENT);
        r->root = node;
        return;
    }
    struct frame *f = &r->stack[r->depth - 1];
    if (f->node->kind == YAML_KIND_MAP && f->keys.count == f->items.count) add_key(r, f, node, mark);
    else VEC_PUSH(r->arena, f->items, node);
}

static void open_container(struct reader *r, const yaml_event_t *e, enum yaml_kind kind, bool flow) {
    struct yaml_node *node = new_node(r, e, kind);
    place_node(r, node, e->start_mark);
    if (r->failed) return;
    if (r->depth == YAML_MAX_DEPTH) refuse(r, e->start_mark, MSG_YAML_TOO_DEEP);
    else r->stack[r->depth++] = (struct frame){.node = node, .flow = flow};
}

// Finishes the innermost open container. Its last line is that of its closing bracket or, without brackets, of its last
// item. The event that ends a container without brackets is not used, because its mark is at the next token.
static void close_container(struct reader *r, const yaml_event_t *e) {
    struct frame *f = &r->stack[--r->depth];
    f->node->last_line = f->flow ? (uint32_t)e->end_mark.line + 1 : f->node->loc.line;
    for (size_t i = 0; i < f->items.count; i++)
        if (f->items.items[i]->last_line > f->node->last_line) f->node->last_line = f->items.items[i]->last_line;
    f->node->items = f->items.items;
    f->node->count = f->items.count;
    f->node->keys = f->keys.items;
    f->node->key_locs = f->key_locs.items;
}

// Adds a scalar to the tree. The end mark of a block scalar (`|` or `>`) is at the beginning of the line after it.
static void add_scalar(struct reader *r, const yaml_event_t *e) {
    struct yaml_node *node = new_node(r, e, YAML_KIND_SCALAR);
    node->last_line = (uint32_t)e->end_mark.line + (e->end_mark.column > 0);
    const char *text = (const char *)e->data.scalar.value;
    size_t len = e->data.scalar.length;
    if (memchr(text, 0, len)) refuse(r, e->start_mark, MSG_YAML_ZERO_BYTE);
    node->text = arena_strndup(r->arena, text, len);
    node->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (!r->failed) place_node(r, node, e->start_mark);
}

// Refuses aliases, anchors and tags. YAML allows an anchor or a tag before any node, so every kind of node is checked.
static void check_decoration(struct reader *r, const yaml_event_t *e) {
    const void *anchor = NULL, *tag = NULL;
    if (e->type == YAML_SCALAR_EVENT) anchor = e->data.scalar.anchor, tag = e->data.scalar.tag;
    if (e->type == YAML_SEQUENCE_START_EVENT) anchor = e->data.sequence_start.anchor, tag = e->data.sequence_start.tag;
    if (e->type == YAML_MAPPING_START_EVENT) anchor = e->data.mapping_start.anchor, tag = e->data.mapping_start.tag;
    if (e->type == YAML_ALIAS_EVENT) refuse(r, e->start_mark, MSG_YAML_ALIAS);
    else if (anchor) refuse(r, e->start_mark, MSG_YAML_ANCHOR);
    else if (tag) refuse(r, e->start_mark, MSG_YAML_TAG);
}

// Adds the node of an event to the tree.
static void take_event(struct reader *r, const yaml_event_t *e) {
    check_decoration(r, e);
    if (r->failed) return;
    switch (e->type) {
    case YAML_SCALAR_EVENT: add_scalar(r, e); break;
    case YAML_SEQUENCE_START_EVENT:
        open_container(r, e, YAML_KIND_SEQ, e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        break;
    case YAML_MAPPING_START_EVENT:
        open_container(r, e, YAML_KIND_MAP, e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: close_container(r, e); break;
    default: break;
    }
}

// Returns the line and column of the byte at an offset. libyaml's reader works ahead of its parser, so for a reader's
// error the parser's mark is too early, and the reader gives only an offset.
static struct loc place_of_byte(const struct reader *r, size_t offset) {
    struct loc at = {r->source, 1, 1};
    const char *p = r->source->data;
    for (size_t i = 0; i < offset && i < r->source->size; i++) {
        bool newline = p[i] == '\n';
        at.line += newline;
        if (newline) at.col = 1;
        else if (((unsigned char)p[i] & 0xc0) != 0x80) at.col++;
    }
    return at;
}

// Returns whether a tab is at the mark, where only spaces are legal. libyaml's mark counts characters, not bytes.
static bool is_tab(const struct reader *r, yaml_mark_t mark) {
    const char *p = r->source->data, *end = p + r->source->size;
    for (size_t line = 0; line < mark.line && p < end; p++) line += *p == '\n';
    for (size_t col = 0; col < mark.column && p < end; col++)
        for (p++; p < end && ((unsigned char)*p & 0xc0) == 0x80;) p++;
    return p < end && *p == '\t';
}

// Returns the beginning of the line with this number, counted from 0, or the end of the source.
static const char *line_at(const struct reader *r, size_t line) {
    const char *p = r->source->data, *end = p + r->source->size;
    for (size_t at = 0; at < line && p < end; p++) at += *p == '\n';
    return p;
}

// Returns the number of spaces at the beginning of a line, or -1 for a line without content.
static int indent_of(const char *line) {
    size_t spaces = strspn(line, " ");
    return strchr("\r\n#", line[spaces]) ? -1 : (int)spaces;
}

// Returns whether a line with the indentation `own` may follow the line `above` with the indentation `other`. It may be
// content that the line above opens, a key of the same map, or a key of the map in a list item (`- key: value`).
static bool may_follow(const char *above, int other, int own) {
    size_t len = strcspn(above, "\r\n#");
    while (len && above[len - 1] == ' ') len--;
    bool opens = len && (above[len - 1] == ':' || above[len - 1] == '-');
    size_t item = above[other] == '-' ? strspn(above + other, "- ") : 0;
    return own == other || own == other + (int)item || (own > other && opens);
}

// Returns whether a line has the form `key: value`.
static bool has_value(const char *line) {
    size_t len = strcspn(line, "\r\n#");
    const char *colon = memchr(line, ':', len);
    return colon && colon + 1 < line + len && colon[1] == ' ' &&
           strspn(colon + 1, " ") < len - (size_t)(colon + 1 - line);
}

// Adds a note if the indentation of a line matches none of the lines above it. It is not called for text in brackets,
// where indentation has no meaning.
static void note_indent(struct reader *r, yaml_mark_t mark) {
    int own = indent_of(line_at(r, mark.line)), other = -1, any;
    size_t above = mark.line;
    while (above > 0 && other < 0) other = indent_of(line_at(r, --above));
    if (own < 0 || other < 0 || may_follow(line_at(r, above), other, own)) return;
    for (size_t l = above; own < other && l > 0; l--)
        if ((any = indent_of(line_at(r, l - 1))) == own) return;
    struct loc at = {r->source, (uint32_t)mark.line + 1, (uint32_t)own + 1};
    bool below = own > other && has_value(line_at(r, above));
    diag_note(r->diag, at,
              "this line is indented by %d, the line above by %d; keys of one map need the same indentation%s", own,
              other, below ? ", and nothing can be nested below a value" : "");
}

// Reports an error of libyaml, with notes about tabs, indentation and the surrounding construct.
static void report_parser(struct reader *r) {
    const yaml_parser_t *p = &r->parser;
    yaml_mark_t mark = p->problem_mark;
    if (p->error == YAML_MEMORY_ERROR) base_fatal("out of memory while reading %s", r->source->path);
    if (p->error == YAML_READER_ERROR) {
        diag_error(r->diag, place_of_byte(r, p->problem_offset), MSG_YAML_UTF8, p->problem);
    } else if (p->error == YAML_SCANNER_ERROR && is_tab(r, mark)) {
        diag_error(r->diag, place(r, mark), MSG_YAML_TAB);
        diag_note(r->diag, place(r, mark), "indent with spaces");
    } else {
        diag_error(r->diag, place(r, mark), MSG_YAML_SYNTAX, p->problem ? p->problem : "unknown problem");
    }
    bool brackets = p->context && strstr(p->context, "flow");
    if (p->error != YAML_READER_ERROR && !brackets) note_indent(r, mark);
    if (p->error != YAML_READER_ERROR && p->context) diag_note(r->diag, place(r, p->context_mark), "%s", p->context);
    r->failed = true;
}

static void read_events(struct reader *r) {
    for (bool more = true; more && !r->failed;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            report_parser(r);
            return;
        }
        take_event(r, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
}

// Returns whether the text begins with a byte order mark of UTF-16. libyaml accepts UTF-16, but the other code that
// reads the text, such as the search for lines, does not.
static bool is_utf16(const char *text, size_t len) {
    return len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2));
}

struct yaml_node *yaml_read_bytes(const char *name, const void *data, size_t len, struct arena *arena,
                                  struct diag *diag) {
    struct reader *r = ARENA_NEW(arena, struct reader);
    int before = diag->errors;
    r->arena = arena;
    r->diag = diag;
    r->source = ARENA_NEW(arena, struct source);
    *r->source = (struct source){arena_strdup(arena, name), arena_strndup(arena, data, len), len};
    struct loc whole = {r->source, 0, 0};
    if (len > YAML_MAX_BYTES) {
        diag_error(diag, whole, MSG_YAML_TOO_LARGE, YAML_MAX_BYTES);
        return NULL;
    }
    if (is_utf16(r->source->data, len)) {
        diag_error(diag, whole, MSG_YAML_UTF8, "it is UTF-16");
        return NULL;
    }
    if (!yaml_parser_initialize(&r->parser)) base_fatal("out of memory while reading %s", name);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->source->data, len);
    read_events(r);
    yaml_parser_delete(&r->parser);
    if (!r->failed && !r->root) diag_error(diag, whole, MSG_YAML_EMPTY);
    return diag->errors == before ? r->root : NULL;
}

struct yaml_node *yaml_read_file(const char *path, struct arena *arena, struct diag *diag) {
    size_t len;
    const char *why = NULL;
    const char *data = file_read(arena, path, YAML_MAX_BYTES, &len, &why);
    if (data) return yaml_read_bytes(path, data, len, arena, diag);
    diag_error_text(diag, loc_file(arena, path), why);
    return NULL;
}
