// SPDX-License-Identifier: Apache-2.0
// Access to the rows of a command's tables, as one list.
#ifndef RILL_OPTIONS_WALK_H
#define RILL_OPTIONS_WALK_H

#include "gen/options/options.h"

enum { OPTIONS_MOST = 128 }; // rows per command

// Row `index` of all tables, and the base of its table in *base; NULL after the last row.
const struct option_row *options_row(const struct options *, int index, size_t *base);
bool option_is_argument(const struct option_row *); // positional: its name has no dash
// The option as the user types it: `--tokens N`, `--dump-after=PASS`, SPEC.
const char *option_shown(struct arena *, const struct option_row *);
// Notes after the help text, such as " (may be repeated, default 2)"; "" if there are none.
const char *option_notes(struct arena *, const struct option_row *);
// Legal value `index` of a choice or of an option with a list of values; NULL after the last.
const char *option_value(struct arena *, const struct option_row *, int index);
// The command's purpose and further text, as sentences.
const char *options_meaning(struct arena *, const struct options *);
// The first line of a usage, without `usage: `, and a line for each option that is used alone, with `between` before
// it.
void options_synopsis(const struct options *, struct text *out, const char *between);

#endif
