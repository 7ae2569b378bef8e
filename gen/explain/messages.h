// SPDX-License-Identifier: Apache-2.0
// Meanings and remedies of Rill's messages: the rows of include/messages.def.
#ifndef RILL_EXPLAIN_MESSAGES_H
#define RILL_EXPLAIN_MESSAGES_H

#include "gen/base/base.h"

// Prints a message with its meaning, what to do, and the page about it. The message is the one whose id is in the last
// brackets of the text or, if the text has no brackets, is the whole text. Returns false, and prints nothing, if there
// is no such message.
bool explain_say_message(FILE *out, const char *text, struct arena *);

#endif
