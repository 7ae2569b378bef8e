// SPDX-License-Identifier: Apache-2.0
// The options of a command as data: tables with a row for each option. parse.c parses command lines by these tables.
// usage.c, shells.c and manual.c derive the usage, shell completion and the manual page from them.
#ifndef RILL_OPTIONS_H
#define RILL_OPTIONS_H

#include "gen/base/base.h"

// The type of an option's value, and of the field in the struct that the table fills.
enum option_kind {
    OPTION_FLAG,   // bool
    OPTION_NUMBER, // int64_t from `least` to `most` (most 0: no upper limit)
    OPTION_COUNT,  // uint64_t, with limits as for OPTION_NUMBER
    OPTION_REAL,   // double, with limits as for OPTION_NUMBER
    OPTION_WORD,   // const char *, not empty
    OPTION_FILE,   // const char *, not empty: a file's or folder's name
    OPTION_TEXT,   // const char *, may be empty or begin with dashes
    OPTION_CHOICE, // int: index of the value among the words in `word`, which are separated by `|`
    OPTION_CALL    // whatever `call` makes of the value
};
enum {
    OPTION_NEEDED = 1,  // must be given
    OPTION_REPEATS = 2, // may be given several times
    OPTION_JOINED = 4,  // written `--name=VALUE`
    OPTION_ALONE = 8,   // allows no other option or argument, and lifts OPTION_NEEDED of the others
    OPTION_ANY = 16     // OPTION_CALL: a value may be empty or begin with dashes
};

struct option_row {
    const char *name; // `--tokens`, `-o`; without a dash: a positional argument; NULL ends the table
    const char *word; // placeholder of the value, `N`; NULL: a flag
    enum option_kind kind;
    unsigned traits;
    size_t offset;       // of the field within the struct that the table fills
    int64_t least, most; // inclusive range of a number
    size_t given;        // offset of a bool that is set if the option is given; 0: none
    const char *preset;  // value if the option is not given; NULL: the field keeps its value
    // OPTION_CALL: stores the value in `into` (at `offset`) and returns NULL, or returns what is wrong with it.
    const char *(*call)(struct arena *, void *into, const char *value);
    const char *(*value)(int index); // the legal values, NULL after the last; or NULL
    void (*list)(FILE *);            // prints the legal values if the value is `help`; or NULL
    const char *names;               // NULL, or a shipped folder, whose names completion offers in addition to files
    const char *group;               // heading above this row and the following ones; NULL: none begins here
    const char *help;                // meaning of the option, for usage and manual
    const char *with;                // options separated by blanks; one of them must be given as well
    const char *without;             // options separated by blanks; none of them may be given as well
};

// Rows, the last with name NULL. Their offsets count from byte `base` of the struct with a command's options, so that
// several commands can share the rows.
struct option_table {
    const struct option_row *row;
    size_t base;
};
enum { OPTION_TABLES = 5 }; // most tables of a command

struct options {                              // all options of a command
    const char *name, *purpose;               // purpose: one line for lists of commands
    const char *about;                        // text below the usage; or NULL
    const char *example;                      // command lines to try, separated by newlines; or NULL
    const char *page;                         // page of docs/ that says more, without `.md`; or NULL
    struct option_table table[OPTION_TABLES]; // ends at the first one with row NULL
    bool skips_plus;                          // ignores arguments that begin with `+`, which are for another program
};

enum { OPTIONS_GO_ON = -1 };
// Fills the struct `into` from the arguments after argv[0]. Returns OPTIONS_GO_ON if the command can go on. Otherwise,
// it has printed the usage, a list of legal values or an error, and returns the exit status of the command.
int options_parse(const struct options *, struct arena *, int argc, char **argv, void *into);
// Prints a message about the arguments, in the form that options_parse uses; returns RILL_USAGE.
int options_wrong(const struct options *, const char *message);
// Copies to `out`, which has room for `argc` pointers, the arguments that are options of this table, with their values,
// and the arguments that begin with `+` if the command skips them. The arguments must be legal. Returns the number of
// copied arguments.
int options_select(const struct options *, const struct option_row *table, int argc, char **argv, char **out);

// Writes the usage of a command (`rill COMMAND --help`).
void options_usage(const struct options *, struct text *out);
// These write, for all commands: a list with one line per command, shell completion, the manual page. `all` ends with
// NULL.
void options_commands(const struct options *const *all, struct text *out);
void options_bash(const struct options *const *all, struct text *out);
void options_zsh(const struct options *const *all, struct text *out);
void options_manual(const struct options *const *all, const char *version, struct text *out); // in roff

#endif
