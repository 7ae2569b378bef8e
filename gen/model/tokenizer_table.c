// SPDX-License-Identifier: Apache-2.0
// Reads the table of regular expressions by which tokenizers split a text (families/tokenizer/splittings.yaml), and
// compiles the expressions that a tokenizer uses.
#include <string.h>

#include "gen/model/tokenizer_internal.h"
#include "gen/base/schema.h"

#define FILE_NAME "families/tokenizer/splittings.yaml"

// ---- the file ----

static const struct schema_key table_keys[] = {{.key = "splittings", .required = true},
                                               {.key = "gguf", .required = true},
                                               {.key = "end_of_text", .required = true}};
static const struct schema_table file_table = {
    .what = "a table of splittings", .keys = table_keys, .key_count = COUNT_OF(table_keys)};

// Returns the value of a required key, or NULL after an error.
static const struct yaml_node *part(struct tokenizer_builder *b, const struct yaml_node *root, const char *key,
                                    enum yaml_kind kind) {
    const struct yaml_node *node = schema_need(root, key, &file_table, b->arena, b->diag);
    return node && yaml_expect(node, kind, key, b->diag) ? node : NULL;
}

bool tokenizer_read_table(struct tokenizer_builder *b) {
    const char *path = file_find_shared(b->arena, FILE_NAME);
    if (!path) {
        diag_error(b->diag, b->loc, MSG_TOKENIZER_RULES_MISSING);
        diag_note(b->diag, b->loc, "set RILL_HOME to the folder that has it");
        return false;
    }
    const struct yaml_node *root = yaml_read_file(path, b->arena, b->diag), *ends;
    if (!root || !yaml_expect(root, YAML_KIND_MAP, "a table of splittings", b->diag)) return false;
    bool known = schema_check_keys(root, &file_table, b->arena, b->diag);
    b->splittings = part(b, root, "splittings", YAML_KIND_MAP);
    b->gguf = part(b, root, "gguf", YAML_KIND_MAP);
    ends = part(b, root, "end_of_text", YAML_KIND_SCALAR);
    b->end_of_text = ends ? ends->text : "";
    return known && b->splittings && b->gguf && ends;
}

void tokenizer_note_known(const struct tokenizer_builder *b, const struct yaml_node *map, const char *word) {
    diag_note_words(b->diag, loc_none(), word, map->keys, map->count);
    diag_note(b->diag, loc_none(), "they are listed in " FILE_NAME);
}

const char *tokenizer_splitting_of(const struct tokenizer_builder *b, const char *expression) {
    for (size_t i = 0; i < b->splittings->count; i++)
        if (b->splittings->items[i]->text && !strcmp(b->splittings->items[i]->text, expression))
            return b->splittings->keys[i];
    return NULL;
}

// ---- expressions ----

// The code points with Unicode's property White_Space. They replace \s and \S in expressions, because the meaning of
// these escapes differs between libraries of regular expressions.
#define WS "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"

// Returns the text that replaces the escape \letter, or NULL if the escape stays. in_class: it is inside [...].
static const char *space_as(char letter, bool in_class) {
    if (letter == 's') return in_class ? WS : "[" WS "]";
    return letter == 'S' && !in_class ? "[^" WS "]" : NULL;
}

// Appends the expression with \s and \S replaced.
static void spell_out(const char *expression, struct text *out) {
    bool in_class = false;
    for (const char *p = expression; *p; p++) {
        bool escape = *p == '\\' && p[1];
        const char *space = escape ? space_as(p[1], in_class) : NULL;
        if (*p == '[') in_class = true;
        if (*p == ']') in_class = false;
        if (space) text_add(out, space);
        else text_add_bytes(out, p, escape ? 2 : 1);
        p += escape;
    }
}

// Compiles an expression of the table. Returns NULL after an error.
static pcre2_code *compile(struct tokenizer_builder *b, const struct yaml_node *node, const char *name) {
    struct text spelt = {0};
    PCRE2_UCHAR why[128];
    int error;
    PCRE2_SIZE offset;
    spell_out(node->text, &spelt);
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)text_cstr(&spelt), PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
    text_free(&spelt);
    if (!code) {
        pcre2_get_error_message(error, why, sizeof why);
        diag_error(b->diag, node->loc, MSG_TOKENIZER_EXPRESSION, name, (const char *)why);
        return NULL;
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); // only affects speed
    return code;
}

bool tokenizer_add_stage(struct tokenizer_builder *b, const char *name) {
    struct tokenizer *t = b->t;
    const struct yaml_node *node = yaml_get(b->splittings, name);
    if (t->stages == TOKENIZER_MAX_STAGES) {
        diag_error(b->diag, b->loc, MSG_TOKENIZER_STEPS, TOKENIZER_MAX_STAGES);
        return false;
    }
    if (!node) {
        diag_error(b->diag, b->loc, MSG_TOKENIZER_SPLITTING, name);
        tokenizer_note_known(b, b->splittings, name);
        return false;
    }
    if (!yaml_expect(node, YAML_KIND_SCALAR, name, b->diag) || !(t->stage[t->stages] = compile(b, node, name)))
        return false;
    t->stages++;
    if (!t->match) t->match = pcre2_match_data_create_from_pattern(t->stage[0], NULL);
    if (!t->match) base_fatal("out of memory");
    return true;
}

// ---- splittings named in a GGUF file ----

// An entry of `gguf` in the table. GGUF files name their splitting (`tokenizer.ggml.pre`) instead of giving its
// expressions. whole and nfc: as in struct tokenizer. begins: `bos` precedes a text in files that do not say so.
struct named {
    bool whole, nfc, begins;
};
static const struct schema_field named_fields[] = {
    {.key = "whole", .type = SCHEMA_BOOL, .offset = offsetof(struct named, whole)},
    {.key = "nfc", .type = SCHEMA_BOOL, .offset = offsetof(struct named, nfc)},
    {.key = "begins", .type = SCHEMA_BOOL, .offset = offsetof(struct named, begins)},
};
static const struct schema_key named_keys[] = {{.key = "split", .required = true}};
static const struct schema_table named_table = {.path = "gguf",
                                                .what = "a splitting of GGUF files",
                                                .fields = named_fields,
                                                .count = COUNT_OF(named_fields),
                                                .keys = named_keys,
                                                .key_count = COUNT_OF(named_keys)};

static bool add_stages(struct tokenizer_builder *b, const struct yaml_node *list) {
    const char *name;
    if (!yaml_expect(list, YAML_KIND_SEQ, "split", b->diag)) return false;
    for (size_t i = 0; i < list->count; i++)
        if (!yaml_string(list->items[i], "split", &name, b->diag) || !tokenizer_add_stage(b, name)) return false;
    return true;
}

bool tokenizer_split_as(struct tokenizer_builder *b, const char *name, int64_t *begins) {
    const struct yaml_node *node = yaml_get(b->gguf, name);
    struct named n = {0};
    if (!node) {
        diag_error(b->diag, b->loc, MSG_TOKENIZER_GGUF_SPLITTING, name);
        tokenizer_note_known(b, b->gguf, name);
        return false;
    }
    if (!yaml_expect(node, YAML_KIND_MAP, name, b->diag) ||
        !schema_read_table(node, &named_table, &n, b->arena, b->diag))
        return false;
    const struct yaml_node *split = schema_need(node, "split", &named_table, b->arena, b->diag);
    b->t->whole = n.whole;
    b->t->nfc = n.nfc;
    *begins = n.begins;
    return split && add_stages(b, split);
}
