// SPDX-License-Identifier: Apache-2.0
// Describes the spec language, its operations, commands and messages: for people (`rill explain`), for editors (JSON
// Schemas) and for generated tables of docs/. Names, ranges and defaults come from the tables with which Rill reads its
// input, so they cannot differ from those of the program.
#ifndef RILL_EXPLAIN_H
#define RILL_EXPLAIN_H

#include "gen/base/base.h"

struct options;

enum explain_file { EXPLAIN_SPEC, EXPLAIN_BOARD, EXPLAIN_FAMILY, EXPLAIN_CHAT };

// Returns a JSON Schema (draft 7) for a kind of file that Rill reads. The schema of a spec includes all operations and
// the installed families. The caller frees the string with free(); the arena is for scratch memory.
char *explain_json_schema(enum explain_file, struct arena *);

// Prints a table of the spec ("design", "graph.regions") as Markdown rows for docs/spec.md. Returns false if there is
// no such table.
bool explain_table(FILE *out, const char *path, struct arena *);
// Prints the tables' paths, one per line.
void explain_tables(FILE *out);

// Prints the rows of docs/glossary.md, in Markdown.
void explain_glossary(FILE *out);

// Prints the rows of docs/messages.md, in Markdown.
void explain_messages(FILE *out);

// Explains every topic in turn, so that a test can check all explanations. `commands` ends with NULL.
void explain_everything(FILE *out, const struct options *const *commands, struct arena *);

// Explains what a text is about. The text may be a key of a spec, a board file, a family file or a chat template
// (`design.T`, or `T`), one of its legal words (`int4_asym`), a parameter of a family, an operation or its attribute
// (`softmax`, `rmsnorm.eps`), a register, a command or an option (`commands` ends with NULL), or a word of the
// glossary. It may also be a message of Rill. Then its meaning, its remedy and the things that it names are explained.
// Returns false if nothing is found; *near is then the likely spelling, or NULL.
bool explain_topic(FILE *out, const char *text, const struct options *const *commands, const char **near,
                   struct arena *);

#endif
