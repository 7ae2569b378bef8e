// SPDX-License-Identifier: Apache-2.0
// rill explain, rill schema: the spec language for people and for editors.
#include <stdlib.h>
#include <string.h>

#include "gen/command.h"
#include "include/explain.h"

static const char usage[] =
    "usage: rill explain KEY|OPERATION|REGISTER|MESSAGE\n"
    "       rill explain --table PATH\n"
    "       rill explain --tables\n"
    "       rill explain --glossary\n"
    "\n"
    "What a key of a spec means and which values it may have (`design.T`, or `T`), what an operation computes "
    "(`softmax`,\n"
    "`rmsnorm.eps`), what a register of the kernel holds (`fault`); a word of these pages\n"
    "(`beat`); or what a message of Rill in quotes is about.\n"
    "  --table PATH  all keys of a map of the spec, a table in Markdown\n"
    "  --tables      these maps\n"
    "  --glossary    all words, a table in Markdown\n";

static int explain(const char *text, struct arena *arena) {
    const char *near;
    if (explain_topic(stdout, text, &near, arena)) return RILL_OK;
    fprintf(stderr, "rill explain: error: nothing is known of `%s`%s\n", text,
            near ? arena_printf(arena, "; did you mean `%s`?", near) : "");
    return RILL_BAD_SPEC;
}

static int print_table(const char *path, struct arena *arena) {
    if (explain_table(stdout, strcmp(path, "spec") ? path : "", arena)) return RILL_OK;
    fprintf(stderr, "rill explain: error: a spec has no map `%s` (`rill explain --tables` lists them)\n", path);
    return RILL_USAGE;
}

static int run(int argc, char **argv, struct arena *arena) {
    const char *first = argc > 1 ? argv[1] : "";
    bool table = !strcmp(first, "--table"), tables = !strcmp(first, "--tables"), words = !strcmp(first, "--glossary");
    if (words && argc == 2) return explain_glossary(stdout), RILL_OK;
    if (tables && argc == 2) return explain_tables(stdout), RILL_OK;
    if (table && argc == 3) return print_table(argv[2], arena);
    if (table || tables || words) return command_clash("explain", "--table, --tables and --glossary stand alone");
    return argc > 1 ? explain(argv[1], arena) : command_missing("explain", usage, "KEY");
}

int command_explain(int argc, char **argv) {
    int status = command_arguments("explain", usage, argc, argv);
    if (status != COMMAND_GOES_ON) return status;
    struct arena arena;
    arena_init(&arena);
    status = run(argc, argv, &arena);
    arena_free(&arena);
    return status;
}

static const char schema_usage[] =
    "usage: rill schema [spec|board|family]\n"
    "\n"
    "A JSON Schema (draft 7) of a design spec, a board file or a family of models, for completion and checking in "
    "editors.\n";

static int print_schema(enum explain_file file) {
    struct arena arena;
    arena_init(&arena);
    char *text = explain_json_schema(file, &arena);
    puts(text);
    free(text);
    arena_free(&arena);
    return RILL_OK;
}

int command_schema(int argc, char **argv) {
    static const char *const files[] = {"spec", "board", "family"};
    int status = command_arguments("schema", schema_usage, argc, argv);
    if (status != COMMAND_GOES_ON) return status;
    if (argc == 1) return print_schema(EXPLAIN_SPEC);
    for (int i = 0; argc == 2 && i < (int)COUNT_OF(files); i++)
        if (!strcmp(argv[1], files[i])) return print_schema((enum explain_file)i);
    return command_clash("schema", "it takes one of spec, board and family");
}
