// SPDX-License-Identifier: Apache-2.0
// What the spec language and its operations are, for people and for editors; made of the tables that the readers use.
#ifndef RILL_EXPLAIN_H
#define RILL_EXPLAIN_H

#include "gen/base/base.h"

struct options;

enum explain_file { EXPLAIN_SPEC, EXPLAIN_BOARD, EXPLAIN_FAMILY, EXPLAIN_CHAT };

// A JSON Schema (draft 7) of a file that Rill reads: of a spec with the operations and the families of the
// installation. Freed by the caller.
char *explain_json_schema(enum explain_file, struct arena *);

// The rows of docs/spec.md for a table of the spec ("design", "graph.regions"), in Markdown; false: no such table.
bool explain_table(FILE *out, const char *path, struct arena *);
// Its paths, one a line.
void explain_tables(FILE *out);

// The rows of docs/glossary.md, in Markdown.
void explain_glossary(FILE *out);

// The rows of docs/messages.md, in Markdown.
void explain_messages(FILE *out);

// Everything that has a name, one after the other. commands: NULL behind the last.
void explain_everything(FILE *out, const struct options *const *commands, struct arena *);

// Explains what a text is about: a key of a spec, a board file or a family file (`design.T`, or `T`), one of its legal
// words (`int4_asym`), a parameter of a family, an operation or its attribute (`softmax`, `rmsnorm.eps`), a register, a
// command or an option (commands: NULL behind the last), a word of the glossary, or a message of Rill: what it means,
// what to do, and what it names.
// False when it names none; `near` is then the likely spelling, or NULL.
bool explain_topic(FILE *out, const char *text, const struct options *const *commands, const char **near,
                   struct arena *);

#endif
