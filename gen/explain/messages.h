// SPDX-License-Identifier: Apache-2.0
// What Rill's messages mean and what to do: the rows of include/messages.def.
#ifndef RILL_EXPLAIN_MESSAGES_H
#define RILL_EXPLAIN_MESSAGES_H

#include "gen/base/base.h"

// Says what the message in a text means, what to do and which page tells more; false: it holds none that is known.
bool explain_say_message(FILE *out, const char *text, struct arena *);

#endif
