// SPDX-License-Identifier: Apache-2.0
// Implements the YAML writer of yaml.h. A block container prints nothing before its first item, because an empty
// container is written {} or [].
#include "gen/base/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void yaml_writer_init(struct yaml_writer *w, struct text *out) { *w = (struct yaml_writer){.out = out}; }

void yaml_write_comment(struct yaml_writer *w, const char *line) {
    if (w->depth) base_fatal("yaml writer: comment inside a container");
    text_addf(w->out, "# %s\n", line);
}

// Writes the separator and indentation before a key of a map or an item of a list.
static void start_item(struct yaml_writer *w) {
    int top = w->depth - 1;
    bool first = w->stack[top].empty;
    w->stack[top].empty = false;
    if (w->stack[top].flow) {
        text_add(w->out, first ? "" : ", ");
        return;
    }
    if (first && (w->stack[top].same_line || w->depth == 1)) return;
    text_add(w->out, "\n");
    for (int i = 0; i < top; i++) text_add(w->out, "  ");
}

// Writes what precedes a value: a space after its key, or the beginning of a list item. block: the value is a block
// container, whose first item begins a new line.
static void start_value(struct yaml_writer *w, bool block) {
    if (w->depth == 0) return;
    int top = w->depth - 1;
    if (w->stack[top].map) {
        if (!w->after_key) base_fatal("yaml writer: value without a key");
        w->after_key = false;
        if (!block) text_add(w->out, " ");
        return;
    }
    start_item(w);
    if (!w->stack[top].flow) text_add(w->out, "- ");
}

// Ends the line after a scalar that is the whole document.
static void end_root_scalar(struct yaml_writer *w) {
    if (w->depth == 0) text_add(w->out, "\n");
}

// Returns whether common readers of YAML take the word for a truth value or null.
static bool is_reserved(const char *s) {
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcasecmp(s, words[i]) == 0) return true;
    return false;
}

// Writes a word that begins with a letter or `_` and has only letters, digits and `_./+-` without quotes, and every
// other text with quotes.
static void add_string(struct text *out, const char *s) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", others[] = "0123456789./+-";
    bool plain = *s && strchr(letters, *s) && !is_reserved(s);
    for (const char *p = s; *p && plain; p++) plain = strchr(letters, *p) || strchr(others, *p);
    if (plain) text_add(out, s);
    else text_add_json_string(out, s, strlen(s));
}

void yaml_write_key(struct yaml_writer *w, const char *key) {
    if (!w->depth || !w->stack[w->depth - 1].map || w->after_key) base_fatal("yaml writer: key `%s` out of place", key);
    start_item(w);
    add_string(w->out, key);
    text_add(w->out, ":");
    w->after_key = true;
}

void yaml_write_string(struct yaml_writer *w, const char *s) {
    start_value(w, false);
    add_string(w->out, s);
    end_root_scalar(w);
}

void yaml_write_int(struct yaml_writer *w, int64_t v) {
    start_value(w, false);
    text_addf(w->out, "%lld", (long long)v);
    end_root_scalar(w);
}

void yaml_write_float(struct yaml_writer *w, double v) {
    char s[40];
    if (!isfinite(v)) base_fatal("yaml writer: number is not finite");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(s, sizeof s - 2, "%.*g", digits, v); // 2: room for ".0"
        if (strtod(s, NULL) == v) break;
    }
    if (!strpbrk(s, ".e")) strcat(s, ".0");
    start_value(w, false);
    text_add(w->out, s);
    end_root_scalar(w);
}

void yaml_write_bool(struct yaml_writer *w, bool v) {
    start_value(w, false);
    text_add(w->out, v ? "true" : "false");
    end_root_scalar(w);
}

// Begins a map or a list. A block container in a list begins on the line of its `- `.
static void begin(struct yaml_writer *w, bool map, bool flow) {
    bool in_seq = w->depth && !w->stack[w->depth - 1].map;
    flow = flow || (w->depth && w->stack[w->depth - 1].flow);
    start_value(w, !flow);
    if (w->depth == YAML_MAX_DEPTH) base_fatal("yaml writer: nested too deeply");
    if (flow) text_add(w->out, map ? "{" : "[");
    w->stack[w->depth].map = map;
    w->stack[w->depth].flow = flow;
    w->stack[w->depth].empty = true;
    w->stack[w->depth].same_line = in_seq;
    w->depth++;
}

void yaml_begin_map(struct yaml_writer *w, bool flow) { begin(w, true, flow); }

void yaml_begin_seq(struct yaml_writer *w, bool flow) { begin(w, false, flow); }

void yaml_end(struct yaml_writer *w) {
    if (!w->depth || w->after_key) base_fatal("yaml writer: end out of place");
    int top = --w->depth;
    const char *empty = w->stack[top].map ? "{}" : "[]";
    if (w->stack[top].flow) text_add_bytes(w->out, empty + 1, 1);
    else if (w->stack[top].empty) text_addf(w->out, "%s%s", top && w->stack[top - 1].map ? " " : "", empty);
    if (top == 0) text_add(w->out, "\n");
}
