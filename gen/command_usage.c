// SPDX-License-Identifier: Apache-2.0
// What is wrong with the arguments of a command: the option that its usage does not know, the value that is missing or no number.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { MAX_OPTIONS = 32, MAX_NAME = 32 };

struct names {
    char name[MAX_OPTIONS][MAX_NAME];
    const char *word[MAX_OPTIONS];
    size_t count;
};

// The options that a usage names.
static void find_options(const char *usage, struct names *n) {
    for (const char *p = strstr(usage, "--"); p && n->count < MAX_OPTIONS; p = strstr(p + 2, "--")) {
        size_t len = 2 + strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-");
        if (len < 3 || len >= MAX_NAME) continue;
        memcpy(n->name[n->count], p, len);
        n->word[n->count] = n->name[n->count];
        n->count++;
    }
}

static bool is_known(const struct names *n, const char *arg) {
    for (size_t i = 0; i < n->count; i++)
        if (!strcmp(n->name[i], arg)) return true;
    return !strcmp(arg, "-o") || !strcmp(arg, "--help");
}

// Whether a usage shows the option with a word in capitals behind it.
static bool takes_value(const char *usage, const char *option) {
    size_t len = strlen(option);
    for (const char *p = option[0] == '-' ? strstr(usage, option) : NULL; p; p = strstr(p + 1, option))
        if (p[len] == ' ' && p[len + 1] >= 'A' && p[len + 1] <= 'Z') return true;
    return false;
}

int command_usage(const char *command, const char *usage, int argc, char **argv) {
    struct names names = {0};
    find_options(usage, &names);
    for (int i = 1; i < argc; i++) {
        char arg[MAX_NAME] = "";
        size_t len = strcspn(argv[i], "=");
        if (argv[i][0] != '-' || !argv[i][1] || (argv[i][1] >= '0' && argv[i][1] <= '9')) continue;
        memcpy(arg, argv[i], len < sizeof arg ? len : sizeof arg - 1);
        if (is_known(&names, arg)) continue;
        const char *near = diag_nearest_word(arg, names.word, names.count);
        fprintf(stderr, "rill %s: error: unknown option `%s`", command, argv[i]);
        if (near) fprintf(stderr, "; did you mean `%s`?", near);
        fprintf(stderr, "\n(`rill %s --help` shows the options)\n", command);
        return RILL_USAGE;
    }
    if (argc > 1 && takes_value(usage, argv[argc - 1])) {
        fprintf(stderr, "rill %s: error: `%s` needs a value\n(`rill %s --help` shows the options)\n", command, argv[argc - 1], command);
        return RILL_USAGE;
    }
    fputs(usage, stderr);
    return RILL_USAGE;
}

bool command_number(const char *command, const char *option, const char *text, int64_t least, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end != text && !*end && !errno && *value >= least) return true;
    fprintf(stderr, "rill %s: error: %s takes a number of at least %lld, not `%s`\n", command, option, (long long)least, text);
    return false;
}
