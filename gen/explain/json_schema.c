// SPDX-License-Identifier: Apache-2.0
// Makes JSON Schemas (draft 7) of the spec language, board files, families and chat templates (`rill schema`). Editors
// use them to complete and check YAML.
#include <jansson.h>
#include <string.h>

#include "gen/spec/chat.h"
#include "gen/device/device.h"
#include "gen/explain/explain.h"
#include "gen/spec/family.h"
#include "gen/ir/ops.h"
#include "gen/spec/spec_read.h"
#include "gen/explain/key_tables.h"

// Parses a schema that a table of keys has as a text.
static json_t *parsed(const char *text) {
    json_t *json = json_loads(text, 0, NULL);
    if (!json) base_fatal("a JSON Schema of the tables is none");
    return json;
}

// Adds a description, without the backquotes of Markdown.
static json_t *described(json_t *schema, const char *doc, struct arena *arena) {
    if (!doc) return schema;
    char *plain = arena_strdup(arena, explain_plain(doc, arena)), *to = plain;
    for (const char *p = plain; *p; p++)
        if (*p != '`') *to++ = *p;
    *to = '\0';
    json_object_set_new(schema, "description", json_string(plain));
    return schema;
}

static json_t *words_of(const char *const *words, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(words[i]));
    return list;
}

static json_t *numbers_of(const int64_t *legal, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer(legal[i]));
    return list;
}

// ---- keys ----

static json_t *integer(double min, double max) {
    return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)min, "maximum", (json_int_t)max);
}

static json_t *number(double min, double max) {
    return json_pack("{s:s, s:f, s:f}", "type", "number", "minimum", min, "maximum", max);
}

static json_t *field_schema(const struct schema_field *f) {
    if (f->json) return parsed(f->json);
    switch (f->type) {
    case SCHEMA_INT:
        return f->legal ? json_pack("{s:o}", "enum", numbers_of(f->legal, f->count)) : integer(f->min, f->max);
    case SCHEMA_FLOAT: return number(f->min, f->max);
    case SCHEMA_WORD: return json_pack("{s:o}", "enum", words_of(f->words, f->count));
    case SCHEMA_BOOL: return json_pack("{s:s}", "type", "boolean");
    case SCHEMA_STRING: return json_pack("{s:s}", "type", "string");
    }
    return NULL;
}

// Returns the default of a field, or NULL if the field is required or its default depends on something else.
static json_t *preset_of(const struct schema_field *f) {
    if (f->required || f->preset_doc) return NULL;
    switch (f->type) {
    case SCHEMA_INT: return json_integer((json_int_t)f->preset);
    case SCHEMA_FLOAT: return json_real(f->preset);
    case SCHEMA_WORD: return json_string(f->words[(int)f->preset]);
    case SCHEMA_BOOL: return json_boolean(f->preset != 0);
    case SCHEMA_STRING: return f->preset_text ? json_string(f->preset_text) : NULL;
    }
    return NULL;
}

static json_t *table_schema(const struct schema_table *, struct arena *);

static json_t *key_schema(const struct schema_key *k, struct arena *arena) {
    switch (k->holds) {
    case SCHEMA_HOLDS_JSON: return parsed(k->json);
    case SCHEMA_HOLDS_ONE: return table_schema(k->table, arena);
    case SCHEMA_HOLDS_LIST: return json_pack("{s:s, s:o}", "type", "array", "items", table_schema(k->table, arena));
    case SCHEMA_HOLDS_NAMED:
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties", table_schema(k->table, arena));
    }
    return NULL;
}

// Returns the schemas of the keys of a table, and adds the required keys to `required`.
static json_t *properties_of(const struct schema_table *t, json_t *required, struct arena *arena) {
    json_t *properties = json_object();
    for (size_t i = 0; i < t->count; i++) {
        const struct schema_field *f = &t->fields[i];
        json_t *schema = described(field_schema(f), f->doc, arena), *preset = preset_of(f);
        if (preset) json_object_set_new(schema, "default", preset);
        if (f->required) json_array_append_new(required, json_string(f->key));
        json_object_set_new(properties, f->key, schema);
    }
    for (size_t i = 0; i < t->key_count; i++) {
        json_object_set_new(properties, t->keys[i].key,
                            described(key_schema(&t->keys[i], arena), t->keys[i].doc, arena));
        if (t->keys[i].required) json_array_append_new(required, json_string(t->keys[i].key));
    }
    return properties;
}

static json_t *operations(struct arena *);

static json_t *table_schema(const struct schema_table *t, struct arena *arena) {
    json_t *required = json_array(), *properties = properties_of(t, required, arena);
    json_t *schema = json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required", required);
    if (!t->open) json_object_set_new(schema, "additionalProperties", json_false());
    if (t == &spec_op_table) json_object_set_new(schema, "allOf", operations(arena));
    return schema;
}

// ---- keys that depend on a word: attributes of an operation, parameters of a family ----

// Returns a condition of JSON Schema: if `key` is `word`, the map may have only `properties` and the keys of `table`,
// and must have `required`.
static json_t *where(const char *key, const char *word, const struct schema_table *table, json_t *properties,
                     json_t *required) {
    json_t *names = json_array();
    for (size_t i = 0; i < table->key_count; i++) json_array_append_new(names, json_string(table->keys[i].key));
    for (void *at = json_object_iter(properties); at; at = json_object_iter_next(properties, at))
        json_array_append_new(names, json_string(json_object_iter_key(at)));
    return json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:{s:o, s:o, s:{s:o}}}", "if", "properties", key, "const", word,
                     "required", key, "then", "properties", properties, "required", required, "propertyNames", "enum",
                     names);
}

static json_t *attribute_range(const struct ir_op_attr *a) {
    if (a->kind == IR_ATTR_INT) return a->has_range ? integer(a->low, a->high) : json_pack("{s:s}", "type", "integer");
    return a->has_range ? number(a->low, a->high) : json_pack("{s:s}", "type", "number");
}

static json_t *attribute_schema(const struct ir_op_attr *a, struct arena *arena) {
    if (a->each)
        return json_pack("{s:[o, {s:s, s:i, s:o}]}", "anyOf", attribute_range(a), "type", "array", "minItems", 1,
                         "items", attribute_range(a));
    if (a->kind == IR_ATTR_LIST) return json_pack("{s:s, s:{s:s}}", "type", "array", "items", "type", "integer");
    if (a->kind == IR_ATTR_STRING) return json_pack("{s:s}", "type", "string");
    if (a->kind != IR_ATTR_WORD) return attribute_range(a);
    json_t *list = json_array();
    for (const char *const *word = ir_op_attr_words(a, arena); *word; word++)
        json_array_append_new(list, json_string(*word));
    return json_pack("{s:o}", "enum", list);
}

// Adds the attributes that every operation may have.
static void add_common(json_t *properties, struct arena *arena) {
    static const int64_t lanes[] = {1, 2, 4, 8, 16, 32};
    json_object_set_new(
        properties, "lanes",
        described(json_pack("{s:o}", "enum", numbers_of(lanes, COUNT_OF(lanes))), "lanes of its kernel", arena));
    json_object_set_new(properties, "order",
                        described(json_pack("{s:s, s:{s:s}}", "type", "array", "items", "type", "integer"),
                                  "order of the loops, outermost first", arena));
}

static json_t *operation(int op, struct arena *arena) {
    const struct ir_composite row = ir_spec_op(op);
    struct ir_op_attr attr[IR_MAX_OP_ATTRS];
    int count = ir_attr_column(row.attributes, attr);
    json_t *properties = json_object(), *required = json_array();
    for (int i = 0; i < count; i++) {
        json_object_set_new(properties, attr[i].name, attribute_schema(&attr[i], arena));
        if (attr[i].required) json_array_append_new(required, json_string(attr[i].name));
    }
    if (!row.steps) add_common(properties, arena);
    return where("op", row.name, &spec_op_table, properties, required);
}

static json_t *operations(struct arena *arena) {
    json_t *list = json_array();
    for (int op = 0; op < ir_spec_ops(); op++) json_array_append_new(list, operation(op, arena));
    return list;
}

// Returns the schema of a parameter that is an integer or a list of integers.
static json_t *integers(const struct family_parameter *p) {
    return json_pack("{s:[o, {s:s, s:i, s:i, s:b, s:o}]}", "anyOf", integer(p->from, p->to), "type", "array",
                     "minItems", 1, "maxItems", p->list, "uniqueItems", 1, "items", integer(p->from, p->to));
}

static json_t *parameter_schema(const struct family_parameter *p) {
    switch (p->type) {
    case FAMILY_INTEGER: return p->list ? integers(p) : integer(p->from, p->to);
    case FAMILY_NUMBER: return number(p->from, p->to);
    case FAMILY_FLAG: return json_pack("{s:s}", "type", "boolean");
    case FAMILY_WORD: return json_pack("{s:o}", "enum", words_of(p->words, p->word_count));
    }
    return NULL;
}

static json_t *family_schema(const struct family *family, const char *name) {
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; i < family->parameters; i++) {
        const struct family_parameter *p = &family->parameter[i];
        json_t *schema = parameter_schema(p);
        if (p->doc) json_object_set_new(schema, "description", json_string(p->doc));
        json_object_set_new(properties, p->name, schema);
        if (!p->preset) json_array_append_new(required, json_string(p->name));
    }
    return where("family", name, &spec_model_table, properties, required);
}

// Returns a condition for each installed family. Reports a family file with an error on stderr and leaves it out.
static json_t *families(struct arena *arena) {
    const char *names[FAMILY_MAX_INSTALLED];
    size_t count = family_names(arena, names);
    struct diag diag;
    json_t *list = json_array();
    diag_init(&diag, stderr);
    for (size_t i = 0; i < count; i++) {
        const struct family *family = family_find(names[i], ".", loc_none(), arena, &diag);
        if (family) json_array_append_new(list, family_schema(family, names[i]));
    }
    return list;
}

static json_t *spec_schema(struct arena *arena) {
    json_t *schema = table_schema(&spec_table, arena),
           *model = json_object_get(json_object_get(schema, "properties"), "model");
    json_object_set_new(schema, "oneOf", parsed("[{\"required\": [\"model\"]}, {\"required\": [\"graph\"]}]"));
    json_object_set_new(model, "allOf", families(arena));
    return schema;
}

char *explain_json_schema(enum explain_file file, struct arena *arena) {
    static const char *const titles[] = {"Rill: design spec", "Rill: board", "Rill: family of models",
                                         "Rill: chat template"};
    json_t *schema = file == EXPLAIN_SPEC    ? spec_schema(arena)
                     : file == EXPLAIN_BOARD ? table_schema(&device_table, arena)
                     : file == EXPLAIN_CHAT  ? table_schema(&chat_table, arena)
                                             : table_schema(&family_table, arena);
    json_object_set_new(schema, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(schema, "title", json_string(titles[file]));
    char *text = json_dumps(schema, JSON_INDENT(1));
    json_decref(schema);
    return text;
}
