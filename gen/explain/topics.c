// SPDX-License-Identifier: Apache-2.0
// Collects the names that `rill explain` knows: keys, legal words, family parameters, operations, registers, commands,
// options.
#include "gen/explain/topics.h"

#include <string.h>

#include "gen/explain/key_tables.h"
#include "gen/spec/spec_read.h"
#include "gen/spec/chat.h"
#include "gen/device/device.h"
#include "gen/ir/ops.h"
#include "gen/ir/registers.h"

// Adds a topic. A topic without a short name gets the part of its name after the last dot. Ends with an internal error
// if there are more than MAX_TOPICS.
static struct topic *add(struct topics *all, struct topic topic) {
    const char *dot = strrchr(topic.name, '.');
    if (!topic.short_name) topic.short_name = dot ? dot + 1 : topic.name;
    if (all->count == MAX_TOPICS) base_fatal("explain: more than %d topics", MAX_TOPICS);
    all->topic[all->count] = topic;
    return &all->topic[all->count++];
}

static void add_value(struct topics *all, const struct topic *of, const char *word, struct arena *arena) {
    add(all,
        (struct topic){
            .name = arena_printf(arena, "%s: %s", of->name, word), .short_name = word, .kind = TOPIC_VALUE, .of = of});
}

static bool has_key(const struct schema_table *table, const char *key, struct arena *arena) {
    for (size_t i = 0; i < explain_rows(table); i++)
        if (!strcmp(explain_row_at(table, i, arena).key, key)) return true;
    return false;
}

// Adds the quoted words in a range, such as `int8` and `int4`, but not keys that the range mentions.
static void add_values(struct topics *all, const struct topic *of, const char *range, struct arena *arena) {
    for (const char *end; range && (range = strchr(range, '`')) != NULL; range = end + 1) {
        if ((end = strchr(++range, '`')) == NULL) return;
        const char *word = arena_strndup(arena, range, (size_t)(end - range));
        if (*word && !strpbrk(word, " .:{[") && !has_key(of->table, word, arena)) add_value(all, of, word, arena);
    }
}

// Adds a table's keys under a path, and the keys of the tables that describe their values.
static void add_keys(struct topics *all, const char *path, const struct schema_table *table, struct arena *arena) {
    for (size_t i = 0; i < explain_rows(table); i++) {
        struct explain_row row = explain_row_at(table, i, arena);
        const char *name = *path ? arena_printf(arena, "%s.%s", path, row.key) : row.key;
        add_values(all, add(all, (struct topic){.name = name, .kind = TOPIC_KEY, .table = table, .row = i}), row.range,
                   arena);
        const struct schema_table *held = explain_held(table, i);
        if (held) add_keys(all, name, held, arena);
    }
}

static void add_operation(struct topics *all, int op, struct arena *arena) {
    struct ir_op_attr attr[IR_MAX_OP_ATTRS];
    const char *name = ir_spec_op(op).name;
    int count = ir_attr_column(ir_spec_op(op).attributes, attr);
    add(all, (struct topic){.name = name, .kind = TOPIC_OPERATION, .row = (size_t)op});
    for (int i = 0; i < count; i++) {
        struct topic *a = add(all, (struct topic){.name = arena_printf(arena, "%s.%s", name, attr[i].name),
                                                  .kind = TOPIC_ATTRIBUTE,
                                                  .row = (size_t)op,
                                                  .attribute = i});
        if (attr[i].kind != IR_ATTR_WORD) continue;
        for (const char *const *word = ir_op_attr_words(&attr[i], arena); word && *word; word++)
            add_value(all, a, *word, arena);
    }
}

static void add_families(struct topics *all, struct arena *arena) {
    const char *names[FAMILY_MAX_INSTALLED];
    size_t count = family_names(arena, names);
    struct diag diag;
    diag_init(&diag, stderr);
    for (size_t n = 0; n < count; n++) {
        const struct family *f = family_find(names[n], ".", loc_none(), arena, &diag);
        for (size_t i = 0; f && i < f->parameters; i++)
            add(all, (struct topic){.name = arena_printf(arena, "%s.%s", names[n], f->parameter[i].name),
                                    .kind = TOPIC_PARAMETER,
                                    .family = f,
                                    .parameter = &f->parameter[i]});
    }
}

static void add_command(struct topics *all, const struct options *command, struct arena *arena) {
    add(all, (struct topic){.name = command->name, .kind = TOPIC_COMMAND, .command = command});
    for (int t = 0; t < OPTION_TABLES && command->table[t].row; t++)
        for (const struct option_row *row = command->table[t].row; row->name; row++)
            if (row->name[0] == '-')
                add(all, (struct topic){.name = arena_printf(arena, "%s %s", command->name, row->name),
                                        .short_name = row->name + strspn(row->name, "-"),
                                        .kind = TOPIC_OPTION,
                                        .command = command,
                                        .option = row});
}

const struct topics *explain_topics(const struct options *const *commands, struct arena *arena) {
    struct topics *all = ARENA_NEW(arena, struct topics);
    add_keys(all, "", &spec_table, arena);
    add_keys(all, "board", &device_table, arena);
    add_keys(all, "family", &family_table, arena);
    add_keys(all, "chat", &chat_table, arena);
    add_families(all, arena);
    for (int op = 0; op < ir_spec_ops(); op++) add_operation(all, op, arena);
    for (int i = 0; i < REGISTER_ROWS; i++)
        add(all, (struct topic){.name = register_row_name(&register_rows[i], arena),
                                .short_name = register_rows[i].name,
                                .kind = TOPIC_REGISTER,
                                .row = (size_t)i});
    for (; *commands; commands++) add_command(all, *commands, arena);
    return all;
}
