// SPDX-License-Identifier: Apache-2.0
// Finds messages by the id in brackets with which they end, and prints the table of messages as a page.
#include "gen/explain/messages.h"

#include <string.h>

#include "gen/base/messages.h"
#include "gen/explain/explain.h"
#include "gen/explain/key_tables.h"

static const struct message {
    const char *subject;                 // title of a section; such a row has no other fields
    const char *id, *format;             // id and format of a message
    const char *meaning, *remedy, *page; // NULL: the message shares those of the nearest row above that has them
} messages[] = {
#define SUBJECT(title) {.subject = title},
#define MESSAGE(name, id, format, meaning, remedy, page) {NULL, id, format, meaning, remedy, page},
#define ALSO(name, id, format) {NULL, id, format, NULL, NULL, NULL},
#include "include/messages.def"
#undef MESSAGE
#undef ALSO
};

// Returns the row that has the meaning and remedy of a message.
static const struct message *with_meaning(const struct message *m) {
    while (!m->meaning) m--;
    return m;
}

static const struct message *find(const char *id, size_t len) {
    for (size_t i = 0; i < COUNT_OF(messages); i++)
        if (messages[i].id && strlen(messages[i].id) == len && !strncmp(messages[i].id, id, len)) return &messages[i];
    return NULL;
}

// Returns the message whose id is in the last brackets of the text or, without brackets, is the whole text; or NULL.
static const struct message *find_in(const char *text) {
    const char *open = strrchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    return close ? find(open + 1, (size_t)(close - open - 1)) : find(text, strlen(text));
}

// Prints a format with N for each number and one `...` for each run of texts. Prints a backslash before the characters
// in `escaped`.
static void print_format(FILE *out, const char *format, const char *escaped) {
    bool after_text = false;
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            fprintf(out, strchr(escaped, *p) ? "\\%c" : "%c", *p);
            after_text = false;
            continue;
        }
        p += 1 + strspn(p + 1, "0123456789.*lz");
        bool text = *p == 's' || *p == 'c';
        if (!text || !after_text) fputs(*p == '%' ? "%" : text ? "..." : "N", out);
        after_text = text;
    }
}

bool explain_say_message(FILE *out, const char *text, struct arena *arena) {
    const struct message *found = find_in(text), *m = found ? with_meaning(found) : NULL;
    if (!m) return false;
    fprintf(out, "message %s: ", found->id);
    print_format(out, found->format, "");
    fprintf(out, "\n  meaning: %s\n  what to do: %s\n", explain_plain(m->meaning, arena),
            explain_plain(m->remedy, arena));
    if (*m->page) fprintf(out, "  more: docs/%s\n", m->page);
    return true;
}

// Prints a message as a row of a Markdown table.
static void print_row(FILE *out, const struct message *m) {
    fprintf(out, "| `%s` | ", m->id);
    print_format(out, m->format, "|<");
    fputs(" |\n", out);
}

void explain_messages(FILE *out) {
    const struct message *end = messages + COUNT_OF(messages);
    for (const struct message *m = messages; m < end;) {
        if (m->subject) {
            fprintf(out, "%s## %s\n", m > messages ? "\n" : "", m->subject);
            m++;
            continue;
        }
        const struct message *first = m;
        fprintf(out, "\n**%s**\n\n| id | message |\n|---|---|\n", first->meaning);
        do print_row(out, m++);
        while (m < end && m->id && !m->meaning);
        const char *page = first->page;
        fprintf(out, "\nWhat to do: %s", first->remedy);
        if (*page) fprintf(out, " More: [%.*s](%s).", (int)strcspn(page, "."), page, page);
        fputs("\n", out);
    }
}
