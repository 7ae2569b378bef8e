// SPDX-License-Identifier: Apache-2.0
// Finds messages by their fixed text: the row counts whose pattern matches with the most letters outside of its gaps.
#include "gen/explain/messages.h"

#include <string.h>

#include "gen/explain/explain.h"
#include "gen/explain/key_tables.h"

#define GAP "..."
#define NEXT " | "

static const struct message {
    const char *name, *patterns, *meaning, *remedy, *page;
} messages[] = {
#define MESSAGE(name, patterns, meaning, remedy, page) {name, patterns, meaning, remedy, page},
#include "include/messages.def"
#undef MESSAGE
};

// Length of a text up to a mark, or to its end.
static size_t up_to(const char *text, const char *mark) {
    const char *end = strstr(text, mark);
    return end ? (size_t)(end - text) : strlen(text);
}

// Number of letters of a pattern outside of its gaps, if its pieces occur in the text in this order; else 0.
static size_t fixed_letters(const char *pattern, const char *text) {
    char piece[256];
    size_t letters = 0;
    for (size_t len; *pattern; pattern += len + (pattern[len] ? strlen(GAP) : 0)) {
        len = up_to(pattern, GAP);
        snprintf(piece, sizeof piece, "%.*s", (int)len, pattern);
        const char *at = strstr(text, piece);
        if (!at) return 0;
        text = at + len, letters += len;
    }
    return letters;
}

static size_t best_pattern(const char *patterns, const char *text, struct arena *arena) {
    size_t best = 0;
    for (size_t len; *patterns; patterns += len + (patterns[len] ? strlen(NEXT) : 0)) {
        len = up_to(patterns, NEXT);
        size_t letters = fixed_letters(arena_strndup(arena, patterns, len), text);
        if (letters > best) best = letters;
    }
    return best;
}

static const struct message *find(const char *text, struct arena *arena) {
    const struct message *found = NULL;
    size_t best = 0;
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        size_t letters = best_pattern(messages[i].patterns, text, arena);
        if (letters > best) best = letters, found = &messages[i];
    }
    return found;
}

bool explain_say_message(FILE *out, const char *text, struct arena *arena) {
    const struct message *m = find(text, arena);
    if (!m) return false;
    fprintf(out, "message %s: %s\n  what to do: %s\n  more: docs/%s\n", m->name, explain_plain(m->meaning, arena),
            explain_plain(m->remedy, arena), m->page);
    return true;
}

// Prints patterns in a cell of a Markdown table: each is quoted as code and has a line.
static void print_patterns(FILE *out, const char *patterns) {
    for (size_t len; *patterns; patterns += len + (patterns[len] ? strlen(NEXT) : 0)) {
        len = up_to(patterns, NEXT);
        const char *quotes = memchr(patterns, '`', len) ? "``" : "`", *blank = quotes[1] ? " " : "";
        fprintf(out, "%s%s%.*s%s%s%s", quotes, blank, (int)len, patterns, blank, quotes, patterns[len] ? "<br>" : "");
    }
}

void explain_messages(FILE *out) {
    fprintf(out, "| message | what it means | what to do | page |\n|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        const struct message *m = &messages[i];
        fputs("| ", out);
        print_patterns(out, m->patterns);
        fprintf(out, " | %s | %s | [%.*s](%s) |\n", m->meaning, m->remedy, (int)strcspn(m->page, "."), m->page,
                m->page);
    }
}
