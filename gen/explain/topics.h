// SPDX-License-Identifier: Apache-2.0
// Everything that has a name which `rill explain` knows, out of the tables that the readers use.
#ifndef RILL_EXPLAIN_TOPICS_H
#define RILL_EXPLAIN_TOPICS_H

#include "gen/base/base.h"
#include "gen/spec/family.h"
#include "gen/options/options.h"
#include "gen/base/schema.h"

enum { MAX_TOPICS = 4096 };

enum topic_kind {
    TOPIC_KEY,       // of a spec, a board file or a family file
    TOPIC_VALUE,     // a word that such a key, or an attribute, may have
    TOPIC_PARAMETER, // of a family: a key of `model`
    TOPIC_OPERATION,
    TOPIC_ATTRIBUTE,
    TOPIC_REGISTER,
    TOPIC_COMMAND,
    TOPIC_OPTION
};
struct topic {
    const char *name;       // `design.T`, `softmax`, `rmsnorm.eps`, `fault_address`, `sim --tokens`
    const char *short_name; // the last part, an option without its dashes
    enum topic_kind kind;
    const struct schema_table *table;
    size_t row;    // of the table; operation; register
    int attribute; // of the operation
    const struct family *family;
    const struct family_parameter *parameter;
    const struct options *command;
    const struct option_row *option;
    const struct topic *of; // a value: the key or the attribute
};
struct topics {
    struct topic topic[MAX_TOPICS];
    size_t count;
};

// commands: NULL behind the last.
const struct topics *explain_topics(const struct options *const *commands, struct arena *);

#endif
