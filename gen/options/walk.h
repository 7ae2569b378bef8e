// SPDX-License-Identifier: Apache-2.0
// Gives access to the rows of a command's tables as one list, and the texts of rows, for the files of gen/options.
#ifndef RILL_OPTIONS_WALK_H
#define RILL_OPTIONS_WALK_H

#include "gen/options/options.h"

enum { OPTIONS_MOST = 128 }; // most rows of a command, and most legal values of an option

// Returns row `index` of all tables together, and the base of its table in *base if that is not NULL. Returns NULL
// after the last row.
const struct option_row *options_row(const struct options *, int index, size_t *base);
bool option_is_argument(const struct option_row *); // whether its name begins with no dash
// Returns the option as the user types it: `--tokens N`, `--dump-after=PASS`, SPEC.
const char *option_shown(struct arena *, const struct option_row *);
// Returns the notes after the help text, such as " (may be repeated, default 2)", or "".
const char *option_notes(struct arena *, const struct option_row *);
// Returns legal value `index` of a choice or of an option with a list of values, or NULL after the last one.
const char *option_value(struct arena *, const struct option_row *, int index);
// Returns the command's purpose and the text below it (`about`) as sentences.
const char *options_meaning(struct arena *, const struct options *);
// Adds the command with its arguments (`rill gen SPEC [options]`), then `between` and such a line for each option that
// is used alone.
void options_synopsis(const struct options *, struct text *out, const char *between);

#endif
