// SPDX-License-Identifier: Apache-2.0
// Evaluates and checks patterns of names, texts with expressions in braces such as `h.{layer + 1}.w` (gen/ir/names.h).
#include "gen/ir/names.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_CHECKED = 1024 /* repetitions 0 to this one are checked, and the last one */ };

// Gives expression_value the number of the repetition as the value of `layer`. Returns false for any other name.
static bool layer_of(void *context, const char *name, int64_t *value) {
    if (strcmp(name, "layer") != 0) return false;
    *value = *(const int64_t *)context;
    return true;
}

// Evaluates the expression between two braces in one repetition. Returns false after filling *error.
static bool value_of(struct arena *arena, const char *open, const char *close, int64_t repetition, int64_t *value,
                     struct expression_error *error) {
    const char *text = arena_strndup(arena, open + 1, (size_t)(close - open - 1));
    return expression_value(arena, text, layer_of, &repetition, value, error);
}

const char *names_in(struct arena *arena, const char *pattern, int64_t repetition) {
    const char *name = "", *open, *close;
    for (; (open = strchr(pattern, '{')) && (close = strchr(open, '}')); pattern = close + 1) {
        struct expression_error error;
        int64_t v;
        bool ok = value_of(arena, open, close, repetition, &v, &error);
        name = ok ? arena_printf(arena, "%s%.*s%" PRId64, name, (int)(open - pattern), pattern, v)
                  : arena_printf(arena, "%s%.*s", name, (int)(close + 1 - pattern), pattern);
    }
    return *name ? arena_printf(arena, "%s%s", name, pattern) : pattern;
}

bool names_repeat(const char *pattern) { return strchr(pattern, '{') != NULL; }

static bool fail(struct expression_error *error, const char *why, size_t at) {
    *error = (struct expression_error){why, NULL, at};
    return false;
}

// Checks that the expression between the braces has a value of at least 0 in repetitions 0 to MOST_CHECKED, and in the
// last repetition.
static bool check_value(struct arena *arena, const char *pattern, const char *open, const char *close,
                        int64_t repetitions, struct expression_error *error) {
    for (int64_t r = 0; r < repetitions; r = r == MOST_CHECKED && r < repetitions - 1 ? repetitions - 1 : r + 1) {
        struct arena_mark mark = arena_mark(arena);
        int64_t v;
        if (!value_of(arena, open, close, r, &v, error)) {
            error->at += (size_t)(open + 1 - pattern);
            return false;
        }
        arena_release(arena, mark);
        if (v < 0) return fail(error, "a number below 0", (size_t)(open + 1 - pattern));
    }
    return true;
}

bool names_check(struct arena *arena, const char *pattern, int64_t repetitions, struct expression_error *error) {
    const char *p = pattern, *open;
    for (; (open = strpbrk(p, "{}")) != NULL;) {
        const char *close = strchr(open, '}');
        if (*open == '}') return fail(error, "`}` without `{`", (size_t)(open - pattern));
        if (!close) return fail(error, "`{` without `}`", (size_t)(open - pattern));
        if (!check_value(arena, pattern, open, close, repetitions, error)) return false;
        p = close + 1;
    }
    return true;
}
