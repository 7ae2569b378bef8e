// SPDX-License-Identifier: Apache-2.0
// All names that `rill explain` knows, collected from the tables that the readers use.
#ifndef RILL_EXPLAIN_TOPICS_H
#define RILL_EXPLAIN_TOPICS_H

#include "gen/base/base.h"
#include "gen/spec/family.h"
#include "gen/options/options.h"
#include "gen/base/schema.h"

enum { MAX_TOPICS = 4096 }; // more topics are an internal error

enum topic_kind {
    TOPIC_KEY,       // in a spec, a board file, a family file or a chat template
    TOPIC_VALUE,     // a legal word of such a key or of an attribute
    TOPIC_PARAMETER, // a family's parameter, which is a key of `model`
    TOPIC_OPERATION,
    TOPIC_ATTRIBUTE,
    TOPIC_REGISTER,
    TOPIC_COMMAND,
    TOPIC_OPTION
};
struct topic {
    const char *name;       // `design.T`, `softmax`, `rmsnorm.eps`, `hbm_c`, `sim --tokens`
    const char *short_name; // the last part; of an option, the name without dashes; of a register, without the index
    enum topic_kind kind;
    // Each of the next members is set only for the kinds that have it.
    const struct schema_table *table; // of a key
    size_t row;    // row of `table` or of register_rows; of an operation or attribute: number of the operation
    int attribute; // number among the operation's attributes
    const struct family *family;
    const struct family_parameter *parameter;
    const struct options *command;
    const struct option_row *option;
    const struct topic *of; // of a value: the topic of its key or attribute
};
struct topics {
    struct topic topic[MAX_TOPICS];
    size_t count;
};

// Returns all topics. `commands` ends with NULL.
const struct topics *explain_topics(const struct options *const *commands, struct arena *);

#endif
