// SPDX-License-Identifier: Apache-2.0
// What is wrong with the arguments of a command: the option that its usage does not know, the value that is missing or
// no number.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/command.h"

enum { MAX_OPTIONS = 64, MAX_NAME = 32 };

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
    return !strcmp(arg, "-o");
}

// Whether a usage shows the option with a word in capitals behind it, after this character.
static bool takes_value(const char *usage, const char *option, char after) {
    size_t len = strlen(option);
    for (const char *p = strstr(usage, option); p; p = strstr(p + 1, option))
        if (p[len] == after && p[len + 1] >= 'A' && p[len + 1] <= 'Z') return true;
    return false;
}

// Whether a usage shows it as `[--option ...]...`.
static bool repeats(const char *usage, const char *option) {
    size_t len = strlen(option);
    for (const char *p = strstr(usage, option); p; p = strstr(p + 1, option)) {
        const char *end = strchr(p, ']');
        if (p > usage && p[-1] == '[' && p[len] == ' ' && end && !strncmp(end, "]...", 4)) return true;
    }
    return false;
}

// Text may be empty; a name, a number and a list may not.
static bool takes_text(const char *usage, const char *option) {
    char shown[MAX_NAME + 8];
    snprintf(shown, sizeof shown, "%s TEXT", option);
    const char *at = strstr(usage, shown);
    return at && (at[strlen(shown)] < 'A' || at[strlen(shown)] > 'Z');
}

static bool is_number(const char *arg) { return arg[1] >= '0' && arg[1] <= '9'; }
static bool is_option(const char *arg) { return arg[0] == '-' && arg[1] && !is_number(arg); }

static int wrong(const char *command, const char *what) {
    fprintf(stderr, "rill %s: error: %s\n(`rill %s --help` shows the options)\n", command, what, command);
    return RILL_USAGE;
}

static const char *unknown(struct arena *arena, const struct names *names, const char *arg, const char *option) {
    const char *near = diag_nearest_word(option, names->word, names->count);
    return arena_printf(arena, "unknown option `%s`%s", arg,
                        near ? arena_printf(arena, "; did you mean `%s`?", near) : "");
}

static bool is_given(int argc, char **argv, int before, const char *option) {
    for (int i = 1; i < before && i < argc; i++)
        if (!strcmp(argv[i], option)) return true;
    return false;
}

// What is wrong with the option at *at, NULL: nothing. Steps over its value.
static const char *option_fault(struct arena *arena, const char *usage, const struct names *names, int argc,
                                char **argv, int *at) {
    const char *arg = argv[*at];
    size_t len = strcspn(arg, "=");
    const char *option = arena_strndup(arena, arg, len);
    bool joined = takes_value(usage, option, '='), apart = takes_value(usage, option, ' ');
    if (!is_known(names, option)) return unknown(arena, names, arg, option);
    if (joined)
        return arg[len] && arg[len + 1] ? NULL : arena_printf(arena, "`%s` needs a value: `%s=...`", option, option);
    if (arg[len]) return arena_printf(arena, "`%s`: write `%s%s`", arg, option, apart ? " ..." : "");
    if (!apart) return NULL;
    if (!repeats(usage, option) && is_given(argc, argv, *at, option))
        return arena_printf(arena, "`%s` is given twice", option);
    if (++*at >= argc) return arena_printf(arena, "`%s` needs a value", option);
    if (takes_text(usage, option)) return NULL;
    if (!strncmp(argv[*at], "--", 2))
        return arena_printf(arena, "`%s` needs a value, not the option `%s`; a file of that name is `./%s`", option,
                            argv[*at], argv[*at]);
    return argv[*at][0] ? NULL : arena_printf(arena, "`%s` needs a value, not \"\"", option);
}

static const char *find_fault(struct arena *arena, const char *usage, int argc, char **argv) {
    struct names names = {0};
    const char *operand = NULL;
    find_options(usage, &names);
    for (int i = 1; i < argc; i++) {
        if (!argv[i][0]) return "an empty argument";
        if (!is_option(argv[i])) {
            if (operand) return arena_printf(arena, "`%s` and `%s`: one is enough", operand, argv[i]);
            operand = argv[i];
            continue;
        }
        const char *fault = option_fault(arena, usage, &names, argc, argv, &i);
        if (fault) return fault;
    }
    return NULL;
}

int command_arguments(const char *command, const char *usage, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return fputs(usage, stdout), RILL_OK;
    struct arena arena;
    arena_init(&arena);
    const char *fault = find_fault(&arena, usage, argc, argv);
    int status = fault ? wrong(command, fault) : COMMAND_GOES_ON;
    arena_free(&arena);
    return status;
}

int command_usage(const char *usage) {
    fputs(usage, stderr);
    return RILL_USAGE;
}

int command_missing(const char *command, const char *usage, const char *what) {
    if (what) fprintf(stderr, "rill %s: error: %s is missing\n", command, what);
    return command_usage(usage);
}

int command_clash(const char *command, const char *why) { return wrong(command, why); }

bool command_number(const char *command, const char *option, const char *text, int64_t least, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end != text && !*end && !errno && *value >= least) return true;
    if (errno == ERANGE && *end == 0 && *value > 0) {
        fprintf(stderr, "rill %s: error: %s: %s is too large\n", command, option, text);
        return false;
    }
    fprintf(stderr, "rill %s: error: %s takes a number of at least %lld, not `%s`\n", command, option, (long long)least,
            text);
    return false;
}
