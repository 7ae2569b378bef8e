// SPDX-License-Identifier: Apache-2.0
// Chat templates: the text around a question, from which a chat model generates the answer. Like families, they are
// data: files in families/chat, or a user's own file.
#ifndef RILL_CHAT_H
#define RILL_CHAT_H

#include "gen/base/schema.h"

struct chat_template {
    const char *name;
    const char *needs;           // a vocabulary without this token does not use this template
    const char *prefix, *suffix; // text before and after the question
    const char *stop;            // the token that ends the answer
    // Text around a system message, in place of `prefix`: before it, and after it up to the first question. "": the
    // template has no system message.
    const char *system_prefix, *system_suffix;
    const char *between; // between an answer and the next question, with the end of the answer; "": one question only
};

enum chat_role { CHAT_SYSTEM, CHAT_USER, CHAT_ASSISTANT };
struct chat_turn { // one message of a conversation
    enum chat_role role;
    const char *text;
};

extern const struct schema_table chat_table; // the keys of a template file

// Finds a template by its name in the installation, or by a path. NULL after an error.
const struct chat_template *chat_find(const char *name, struct arena *, struct diag *);

#endif
