// SPDX-License-Identifier: Apache-2.0
// rill explain, rill schema: describe the spec language, operations and messages to people, to editors and to the
// generators of tables in docs/. gen/explain does the work.
#include <stdlib.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/explain/explain.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

struct explain_options {
    const char *topic, *table; // text to explain; path of the table to print, or NULL
    bool tables, everything, glossary, messages, passes, operations;
};

static const struct options *const *all_commands(struct arena *arena) {
    const struct options **commands;
    int count = 0;
    while (rill_commands[count]) count++;
    commands = ARENA_ARRAY(arena, const struct options *, (size_t)count + 1);
    for (int i = 0; i < count; i++) commands[i] = &rill_commands[i]->options;
    return commands;
}

static int explain(const char *text, struct arena *arena) {
    const char *near;
    if (explain_topic(stdout, text, all_commands(arena), &near, arena)) return RILL_OK;
    diag_command("explain", "error", MSG_EXPLAIN_UNKNOWN, text,
                 near ? arena_printf(arena, "; did you mean `%s`?", near) : "");
    return RILL_BAD_SPEC;
}

static int print_table(const char *path, struct arena *arena) {
    if (explain_table(stdout, strcmp(path, "spec") ? path : "", arena)) return RILL_OK;
    diag_command("explain", "error", MSG_EXPLAIN_TABLE, path);
    return RILL_USAGE;
}

// Prints the table of operations of docs/spec.md, in Markdown.
static void print_operations(struct arena *arena) {
    puts("| operation | what it computes | in | out | attributes |\n|---|---|---:|---:|---|");
    for (int op = 0; op < ir_spec_ops(); op++) {
        const struct ir_composite row = ir_spec_op(op);
        struct ir_op_attr attr[IR_MAX_OP_ATTRS];
        int count = ir_attr_column(row.attributes, attr);
        printf("| `%s` | %s | %d | %d | ", row.name, row.doc, row.inputs, row.outputs);
        for (int i = 0; i < count; i++) {
            static const char *const kinds[] = {"integer", "number", "string", "list", ""};
            bool words = attr[i].kind == IR_ATTR_WORD;
            printf("%s`%s`: %s%s%s%s", i ? "<br>" : "", attr[i].name, words ? "" : kinds[attr[i].kind],
                   ir_op_attr_legal(&attr[i], arena) + words,
                   attr[i].has_default ? " = "
                   : attr[i].required  ? ""
                                       : ", optional",
                   attr[i].text);
        }
        puts(" |");
    }
}

// Prints the table of passes of docs/passes.md, in Markdown.
static void print_passes(void) {
    puts("| pass | what it does | what holds after it |\n|---|---|---|");
    for (const struct pass *p = pass_table; p->name; p++) printf("| %s | %s | %s |\n", p->name, p->doc, p->after);
}

static int start_explain(struct run *run, void *options) {
    const struct explain_options *o = options;
    if (o->table) return print_table(o->table, &run->arena);
    if (o->glossary) explain_glossary(stdout);
    else if (o->everything) explain_everything(stdout, all_commands(&run->arena), &run->arena);
    else if (o->messages) explain_messages(stdout);
    else if (o->tables) explain_tables(stdout);
    else if (o->passes) print_passes();
    else if (o->operations) print_operations(&run->arena);
    else return explain(o->topic, &run->arena);
    return RILL_OK;
}

#define AT(member) offsetof(struct explain_options, member)
static const struct option_row explain_rows[] = {
    {"KEY|VALUE|OPERATION|REGISTER|COMMAND|MESSAGE", NULL, OPTION_TEXT, OPTION_NEEDED, AT(topic),
     .help = "what to explain: a key of a spec, a board file or a family file (`design.T`, or just `T`); "
             "a value (`int4_asym`); an operation or its attribute (`softmax`, `rmsnorm.eps`); a register "
             "(`fault`); a command or an option (`sim`, `tokens`); a term of the documentation (`beat`); "
             "or a message of Rill in quotes, with what to do about it"},
    {"--table", "PATH", OPTION_WORD, OPTION_ALONE, AT(table),
     .help = "print all keys of one map of the spec, as a Markdown table"},
    {"--tables", NULL, OPTION_FLAG, OPTION_ALONE, AT(tables), .help = "list the maps for `--table`"},
    {"--operations", NULL, OPTION_FLAG, OPTION_ALONE, AT(operations),
     .help = "print all operations, as a Markdown table"},
    {"--passes", NULL, OPTION_FLAG, OPTION_ALONE, AT(passes),
     .help = "print the compiler's passes in order, as a Markdown table"},
    {"--glossary", NULL, OPTION_FLAG, OPTION_ALONE, AT(glossary), .help = "print all terms, as a Markdown table"},
    {"--all", NULL, OPTION_FLAG, OPTION_ALONE, AT(everything), .help = "print the explanation of everything"},
    {"--messages", NULL, OPTION_FLAG, OPTION_ALONE, AT(messages),
     .help = "print all messages with their meanings and remedies, as Markdown"},
    {0}};

const struct command command_explain = {
    .options = {.name = "explain",
                .purpose = "explain a key, value, operation, register, command, option or message",
                .example = "rill explain design.T\nrill explain softmax\nrill explain unknown-key",
                .page = "pages",
                .table = {{explain_rows, 0}}},
    .size = sizeof(struct explain_options),
    .start = start_explain};

// ---- schema ----

struct schema_options {
    int file; // enum explain_file
};

static int start_schema(struct run *run, void *options) {
    const struct schema_options *o = options;
    char *text = explain_json_schema((enum explain_file)o->file, &run->arena);
    puts(text);
    free(text);
    return RILL_OK;
}

static const struct option_row schema_rows[] = {
    {"FILE", "spec|board|family|chat", OPTION_CHOICE, 0, offsetof(struct schema_options, file), .preset = "spec",
     .help = "the kind of file to describe: a design spec, a board file, a model family or a chat template"},
    {0}};

const struct command command_schema = {
    .options = {.name = "schema",
                .purpose = "print a JSON Schema of the spec, for editors",
                .about = "The schema is draft 7. Editors use it to complete and check keys.",
                .example = "rill schema >spec.schema.json",
                .page = "spec",
                .table = {{schema_rows, 0}}},
    .size = sizeof(struct schema_options),
    .start = start_schema};
