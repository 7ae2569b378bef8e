// SPDX-License-Identifier: Apache-2.0
// Chat templates: how a question stands in the text that a chat model goes on from. Data, as families are: a file of
// families/chat, or a user's own.
#ifndef RILL_CHAT_H
#define RILL_CHAT_H

#include "gen/base/schema.h"

struct chat_template {
    const char *name;
    const char *needs;           // a token without which a vocabulary does not have this template
    const char *prefix, *suffix; // text in front of the question and behind it
    const char *stop;            // the token that ends the answer
};

extern const struct schema_table chat_table; // keys of such a file

// By the name of one of the installation, or by a path. NULL after a message.
const struct chat_template *chat_find(const char *name, struct arena *, struct diag *);

#endif
