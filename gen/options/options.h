// SPDX-License-Identifier: Apache-2.0
// What a command may be told, as data. From one table of rows come the reading of the arguments, the messages about
// them, the usage, the completion of shells and the manual page: nothing else spells an option.
#ifndef RILL_OPTIONS_H
#define RILL_OPTIONS_H

#include "gen/base/base.h"

enum option_kind {
    OPTION_FLAG,   // bool
    OPTION_NUMBER, // int64_t from `least` to `most` (0: whatever fits)
    OPTION_COUNT,  // uint64_t, the same
    OPTION_REAL,   // double, the same
    OPTION_WORD,   // const char *, not empty
    OPTION_FILE,   // the same: the name of a file or a folder
    OPTION_TEXT,   // const char *, may be empty and begin with dashes
    OPTION_CHOICE, // int: the place of the value among those of `word`, which have bars between
    OPTION_CALL,   // what `call` makes of it
    OPTION_GONE    // there is none any more: `help` is what to write now
};
enum {
    OPTION_NEEDED = 1,
    OPTION_REPEATS = 2,
    OPTION_JOINED = 4, // `--name=VALUE`
    OPTION_ALONE = 8,  // nothing else may be there, and nothing is missing then
    OPTION_ANY = 16    // of OPTION_CALL: a value may be empty and begin with dashes
};

struct option_row {
    const char *name; // `--tokens`, `-o`; without a dash: an argument in its place; NULL: behind the last row
    const char *word; // stands for the value: `N`; NULL: a flag
    enum option_kind kind;
    unsigned traits;
    size_t offset; // of the value in what the table fills
    int64_t least, most;
    size_t given;       // of a bool that says that there is one; 0: none
    const char *preset; // value where it is not given; NULL: what was there
    // OPTION_CALL: NULL, or what is wrong with the value. into: at `offset`.
    const char *(*call)(struct arena *, void *into, const char *value);
    const char *(*value)(int index); // the values there are, NULL behind the last; or NULL
    void (*list)(FILE *);            // prints them, where the value is `help`; or NULL
    const char *names;               // folder of what ships, whose names completion offers beside files; or NULL
    const char *group;               // title of this row and those behind it
    const char *help;
    const char *with;    // goes with one of these alone, blanks between
    const char *without; // and with none of these
};

// Rows that fill what is `base` bytes into the options of a command: several commands may have the same ones.
struct option_table {
    const struct option_row *row;
    size_t base;
};
enum { OPTION_TABLES = 5 };

struct options { // of a command
    const char *name, *purpose;
    const char *about;                        // below the usage; or NULL
    struct option_table table[OPTION_TABLES]; // row NULL: none
    bool skips_plus;                          // arguments that begin with `+` are another's
};

enum { OPTIONS_GO_ON = -1 };
// Fills `into` from the arguments behind argv[0]. OPTIONS_GO_ON, or the exit status after the usage or a message.
int options_parse(const struct options *, struct arena *, int argc, char **argv, void *into);
// A message about arguments in the form of those of options_parse; RILL_USAGE.
int options_wrong(const struct options *, const char *fmt, ...) RILL_PRINTF(2, 3);
// Copies to `out` what of right arguments is of this table, and those that begin with `+`; how many.
int options_select(const struct options *, const struct option_row *table, int argc, char **argv, char **out);

void options_usage(const struct options *, struct text *out);
// Of all commands, NULL behind the last.
void options_commands(const struct options *const *all, struct text *out); // a line each
void options_bash(const struct options *const *all, struct text *out);
void options_zsh(const struct options *const *all, struct text *out);
void options_manual(const struct options *const *all, const char *version, struct text *out); // in roff

#endif
