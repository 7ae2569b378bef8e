// SPDX-License-Identifier: Apache-2.0
// Meanings and remedies of Rill's messages: the rows of include/messages.def.
#ifndef RILL_EXPLAIN_MESSAGES_H
#define RILL_EXPLAIN_MESSAGES_H

#include "gen/base/base.h"

// Explains the message in a text: its meaning, what to do, and the page about it. Returns false if the text has no
// known message.
bool explain_say_message(FILE *out, const char *text, struct arena *);

#endif
