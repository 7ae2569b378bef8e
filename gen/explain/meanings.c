// SPDX-License-Identifier: Apache-2.0
// Looks up the rows of include/meanings.def.
#include "gen/explain/meanings.h"

#include <string.h>

#include "gen/base/base.h"

struct meaning {
    // `name` is an attribute of the operation `of`, or a legal word of the key or attribute `of`. If `of` is "", the
    // row is for all of them.
    const char *of, *name, *text;
};
static const struct meaning attributes[] = {
#define ATTRIBUTE(op, name, text) {op, name, text},
#define VALUE(of, word, text)
#include "include/meanings.def"
#undef ATTRIBUTE
#undef VALUE
};
static const struct meaning values[] = {
#define ATTRIBUTE(op, name, text)
#define VALUE(of, word, text) {of, word, text},
#include "include/meanings.def"
#undef ATTRIBUTE
#undef VALUE
};

// Returns the text of the row for `of` and `name`, else that of the row for all and `name`, else NULL.
static const char *find(const struct meaning *rows, size_t count, const char *of, const char *name) {
    const char *text = NULL;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].name, name)) {
            if (!strcmp(rows[i].of, of)) return rows[i].text;
            if (!*rows[i].of) text = rows[i].text;
        }
    return text;
}

const char *explain_attribute(const char *op, const char *attribute) {
    return find(attributes, COUNT_OF(attributes), op, attribute);
}

const char *explain_value(const char *of, const char *word) { return find(values, COUNT_OF(values), of, word); }
