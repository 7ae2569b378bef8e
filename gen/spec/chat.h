// SPDX-License-Identifier: Apache-2.0
// Chat templates: the text that a chat model expects around each question and answer. Like families, they are data:
// YAML files in families/chat, or a user's own file.
#ifndef RILL_CHAT_H
#define RILL_CHAT_H

#include "gen/base/schema.h"

struct chat_template {
    const char *name;
    const char *needs;           // a token; the template only fits vocabularies that have this token
    const char *prefix, *suffix; // text before and after the question
    const char *stop;            // the token that ends the answer
    // Text before a system message, and text after it up to the first question. Both replace `prefix` if there is a
    // system message. "": the template has no system message.
    const char *system_prefix, *system_suffix;
    const char *between; // text from the end of an answer, with `stop`, to the next question; "": one question only
};

enum chat_role { CHAT_SYSTEM, CHAT_USER, CHAT_ASSISTANT };
struct chat_turn { // one message of a conversation
    enum chat_role role;
    const char *text;
};

extern const struct schema_table chat_table; // the keys of a template file

// Reads the template with this name in the installation, or the template file with this path. Returns NULL after an
// error.
const struct chat_template *chat_find(const char *name, struct arena *, struct diag *);

#endif
