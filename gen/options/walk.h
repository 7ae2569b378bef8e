// SPDX-License-Identifier: Apache-2.0
// The rows of a command's tables, one after the other.
#ifndef RILL_OPTIONS_WALK_H
#define RILL_OPTIONS_WALK_H

#include "gen/options/options.h"

enum { OPTIONS_MOST = 128 }; // rows of a command

// Row `index` of all tables, and where its table begins in the command's options; NULL behind the last.
const struct option_row *options_row(const struct options *, int index, size_t *base);
bool option_is_argument(const struct option_row *); // no dash
// `--tokens N`, `--dump-after=PASS`, SPEC.
const char *option_shown(struct arena *, const struct option_row *);
// What follows the help: " (may be repeated, default 2)"; "" if there is nothing to say.
const char *option_notes(struct arena *, const struct option_row *);
// Value `index` that completion offers, of a choice or a list; NULL behind the last.
const char *option_value(struct arena *, const struct option_row *, int index);
// Purpose and more as sentences.
const char *options_meaning(struct arena *, const struct options *);
// The first line of a usage, without `usage: `; and one for each option that stands alone.
void options_synopsis(const struct options *, struct text *out, const char *between);

#endif
