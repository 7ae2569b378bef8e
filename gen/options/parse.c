// SPDX-License-Identifier: Apache-2.0
// Parses a command line by the command's tables of options: first identifies each argument, then checks which may be
// combined, then reads the values. Functions that return a string return a message, or NULL if nothing is wrong, unless
// their comment says otherwise.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/options/walk.h"
#include "gen/base/diag.h"

struct given { // a positional argument, or an option with its value
    const struct option_row *row;
    size_t base;       // of the row's table, see struct option_table
    const char *value; // NULL for a flag
};

struct parse {
    const struct options *o;
    struct arena *arena;
    int argc, at; // at: index of the argument that is being identified
    char **argv;
    VEC(struct given) given;
    int arguments; // number of positional arguments so far
};

int options_wrong(const struct options *o, const char *message) {
    diag_command(o->name, "error", "%s", message);
    fprintf(stderr, "(`rill %s --help` shows the options)\n", o->name);
    return RILL_USAGE;
}

// ---- identifying each argument ----

// Returns whether a word is an option. A dash alone, or before a digit, begins no option.
static bool is_option(const char *arg) { return arg[0] == '-' && arg[1] && !(arg[1] >= '0' && arg[1] <= '9'); }
// Returns whether the value of an option may be empty or begin with dashes.
static bool takes_any(const struct option_row *row) {
    return row->kind == OPTION_TEXT || (row->traits & OPTION_ANY) != 0;
}

// Returns the row with this name of `len` bytes, and the base of its table in *base; NULL if there is none.
static const struct option_row *find(const struct options *o, const char *name, size_t len, size_t *base) {
    const struct option_row *row;
    for (int i = 0; (row = options_row(o, i, base)); i++)
        if (strlen(row->name) == len && !strncmp(row->name, name, len)) return row;
    return NULL;
}

// Returns the row of a positional argument, counted from 0, or NULL.
static const struct option_row *argument(const struct options *o, int number, size_t *base) {
    const struct option_row *row;
    for (int i = 0; (row = options_row(o, i, base)); i++)
        if (option_is_argument(row) && number-- == 0) return row;
    return NULL;
}

// Returns the option that is most similar in spelling, or NULL.
static const char *near_option(const struct parse *p, const char *arg, size_t len) {
    const char *words[OPTIONS_MOST];
    size_t count = 0;
    const struct option_row *row;
    for (int i = 0; (row = options_row(p->o, i, NULL)) && count < OPTIONS_MOST; i++)
        if (!option_is_argument(row)) words[count++] = row->name;
    return diag_nearest_word(arena_strndup(p->arena, arg, len), words, count);
}

static const char *unknown(const struct parse *p, const char *arg, size_t len) {
    const char *near = near_option(p, arg, len);
    return arena_printf(p->arena, MSG_UNKNOWN_OPTION, arg,
                        near ? arena_printf(p->arena, "; did you mean `%s`?", near) : "");
}

static bool is_given(const struct parse *p, const struct option_row *row) {
    for (size_t i = 0; i < p->given.count; i++)
        if (p->given.items[i].row == row) return true;
    return false;
}

// Takes the next argument as an option's value.
static const char *take_value(struct parse *p, const struct option_row *row, const char **value) {
    if (!(row->traits & OPTION_REPEATS) && is_given(p, row)) return arena_printf(p->arena, MSG_OPTION_TWICE, row->name);
    if (p->at + 1 >= p->argc) return arena_printf(p->arena, MSG_OPTION_VALUE_MISSING, row->name, row->name, row->word);
    *value = p->argv[++p->at];
    if (takes_any(row)) return NULL;
    if (!strncmp(*value, "--", 2)) return arena_printf(p->arena, MSG_OPTION_VALUE_IS_OPTION, row->name, *value, *value);
    return **value ? NULL : arena_printf(p->arena, MSG_OPTION_VALUE_EMPTY, row->name);
}

// Identifies an option and its value. Returns what is wrong, or NULL.
static const char *take_option(struct parse *p) {
    const char *arg = p->argv[p->at], *fault = NULL;
    size_t len = strcspn(arg, "=");
    struct given g = {0};
    g.row = find(p->o, arg, len, &g.base);
    if (!g.row) return unknown(p, arg, len);
    bool joined = g.row->traits & OPTION_JOINED;
    if (joined && is_given(p, g.row)) return arena_printf(p->arena, MSG_OPTION_TWICE, g.row->name);
    if (joined && (!arg[len] || !arg[len + 1]))
        return arena_printf(p->arena, MSG_OPTION_VALUE_JOINED, g.row->name, option_shown(p->arena, g.row));
    if (joined) g.value = arg + len + 1;
    else if (arg[len]) return arena_printf(p->arena, MSG_OPTION_NOT_JOINED, arg, option_shown(p->arena, g.row));
    else if (g.row->word) fault = take_value(p, g.row, &g.value);
    VEC_PUSH(p->arena, p->given, g);
    return fault;
}

// Identifies a positional argument. Returns what is wrong, or NULL.
static const char *take_argument(struct parse *p) {
    const char *arg = p->argv[p->at];
    struct given g = {.value = arg};
    g.row = argument(p->o, p->arguments++, &g.base);
    if (g.row) VEC_PUSH(p->arena, p->given, g);
    if (g.row) return NULL;
    for (size_t i = 0; p->arguments == 2 && i < p->given.count; i++)
        if (option_is_argument(p->given.items[i].row))
            return arena_printf(p->arena, MSG_ARGUMENT_IS_ENOUGH, p->given.items[i].value, arg);
    return arena_printf(p->arena, MSG_ARGUMENT_TOO_MANY, arg);
}

// Returns whether an argument that looks like an option is a text instead. This is so if the next positional argument
// is a text, and the argument has a blank (a quoted message) or resembles no option of this command.
static bool is_text(const struct parse *p, const char *arg) {
    const struct option_row *row = argument(p->o, p->arguments, &(size_t){0});
    size_t len = strcspn(arg, "=");
    if (!row || row->kind != OPTION_TEXT) return false;
    return strchr(arg, ' ') || (!find(p->o, arg, len, &(size_t){0}) && !near_option(p, arg, len));
}

// Identifies all arguments. After `--` all arguments are positional.
static const char *take_all(struct parse *p) {
    const char *fault = NULL;
    bool options = true;
    for (p->at = 1; p->at < p->argc && !fault; p->at++) {
        const char *arg = p->argv[p->at];
        if (!*arg) fault = MSG_ARGUMENT_EMPTY;
        else if (options && !strcmp(arg, "--")) options = false;
        else if (*arg == '+' && p->o->skips_plus) continue;
        else fault = options && is_option(arg) && !is_text(p, arg) ? take_option(p) : take_argument(p);
    }
    return fault;
}

// Returns whether --help or -h is among the arguments. As the value of an option that takes any text it does not count.
static bool asks_help(const struct options *o, int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return true;
        const struct option_row *row = find(o, argv[i], strlen(argv[i]), NULL);
        if (row && row->word && takes_any(row)) i++;
    }
    return false;
}

// ---- options that need or exclude each other ----

// Returns whether a list of names, separated by blanks, has this name; a NULL list is empty.
static bool is_named(const char *list, const char *name) {
    size_t len = strlen(name);
    for (const char *at = list; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == len && !strncmp(at, name, len)) return true;
    return false;
}

// Returns a list of names, separated by blanks, in the form "`--a` or `--b`".
static const char *either(struct arena *arena, const char *list) {
    struct text t = {0};
    for (const char *at = list; *at; at += strcspn(at, " "), at += strspn(at, " "))
        text_addf(&t, "%s`%.*s`", t.len ? " or " : "", (int)strcspn(at, " "), at);
    const char *copy = arena_strdup(arena, text_cstr(&t));
    text_free(&t);
    return copy;
}

// Checks an option against the other arguments: `with`, `without` and OPTION_ALONE.
static const char *clash(const struct parse *p, const struct option_row *row) {
    bool accompanied = !row->with;
    if (row->traits & OPTION_ALONE && p->given.count > 1) return arena_printf(p->arena, MSG_OPTION_ALONE, row->name);
    for (size_t i = 0; i < p->given.count; i++) {
        const char *other = p->given.items[i].row->name;
        accompanied |= is_named(row->with, other);
        if (is_named(row->without, other)) return arena_printf(p->arena, MSG_OPTIONS_EXCLUDE, row->name, other);
    }
    return accompanied ? NULL : arena_printf(p->arena, MSG_OPTION_NEEDS, row->name, either(p->arena, row->with));
}

// Checks that the arguments may be combined and that no needed one is missing.
static const char *together(const struct parse *p) {
    bool alone = false;
    for (size_t i = 0; i < p->given.count; i++) {
        const char *fault = clash(p, p->given.items[i].row);
        if (fault) return fault;
        alone |= (p->given.items[i].row->traits & OPTION_ALONE) != 0;
    }
    const struct option_row *row;
    for (int i = 0; !alone && (row = options_row(p->o, i, NULL)); i++) {
        if (!(row->traits & OPTION_NEEDED) || is_given(p, row)) continue;
        return arena_printf(p->arena, option_is_argument(row) ? MSG_ARGUMENT_MISSING : MSG_OPTION_MISSING,
                            option_shown(p->arena, row));
    }
    return NULL;
}

// ---- values ----

static const char *range_fault(struct arena *arena, const struct option_row *row, const char *value) {
    const char *most = row->most ? arena_printf(arena, "from %lld to %lld", (long long)row->least, (long long)row->most)
                                 : arena_printf(arena, "of at least %lld", (long long)row->least);
    return arena_printf(arena, MSG_OPTION_NUMBER, row->name, most, value);
}

// Reads an integer within the row's limits and stores it as int64_t or uint64_t, as the row's kind says.
static const char *read_number(struct arena *arena, const struct option_row *row, void *into, const char *value) {
    char *end;
    bool minus = value[0] == '-', is_count = row->kind == OPTION_COUNT;
    if (value[minus] < '0' || value[minus] > '9' || (is_count && minus)) return range_fault(arena, row, value);
    errno = 0;
    int64_t n = is_count ? (int64_t)strtoull(value, &end, 10) : strtoll(value, &end, 10);
    if (*end) return range_fault(arena, row, value);
    if (errno == ERANGE && !minus) return arena_printf(arena, MSG_OPTION_TOO_LARGE, row->name, value);
    bool below = is_count ? (uint64_t)n < (uint64_t)row->least : n < row->least;
    if (errno || below || (row->most && n > row->most)) return range_fault(arena, row, value);
    memcpy(into, &n, sizeof n);
    return NULL;
}

static const char *read_real(struct arena *arena, const struct option_row *row, void *into, const char *value) {
    char *end;
    double x = strtod(value, &end);
    if (end == value || *end || !(x >= (double)row->least) || (row->most && !(x <= (double)row->most)))
        return range_fault(arena, row, value);
    *(double *)into = x;
    return NULL;
}

// Stores the index of the value among the legal words.
static const char *read_choice(struct arena *arena, const struct option_row *row, void *into, const char *value) {
    const char *word, *words[OPTIONS_MOST];
    int count = 0;
    for (; count < OPTIONS_MOST && (word = option_value(arena, row, count)); count++) {
        words[count] = word;
        if (strcmp(word, value) != 0) continue;
        *(int *)into = count;
        return NULL;
    }
    const char *near = diag_nearest_word(value, words, (size_t)count);
    return arena_printf(arena, MSG_OPTION_CHOICE, row->name, row->word, value,
                        near ? arena_printf(arena, "; did you mean `%s`?", near) : "");
}

// Reads a value of the row's kind into the field `into`.
static const char *read_value(struct arena *arena, const struct option_row *row, void *into, const char *value) {
    const char *fault = NULL;
    switch (row->kind) {
    case OPTION_FLAG: *(bool *)into = true; break;
    case OPTION_NUMBER:
    case OPTION_COUNT: return read_number(arena, row, into, value);
    case OPTION_REAL: return read_real(arena, row, into, value);
    case OPTION_CHOICE: return read_choice(arena, row, into, value);
    case OPTION_CALL: fault = row->call(arena, into, value); break;
    case OPTION_WORD:
    case OPTION_FILE:
    case OPTION_TEXT: *(const char **)into = value; break;
    }
    if (!fault) return NULL;
    // A message of include/messages.def ends with its id in brackets and lacks only the option's name. Other texts of
    // `call` are the end of MSG_OPTION_VALUE.
    bool has_id = *fault && fault[strlen(fault) - 1] == ']';
    return has_id ? arena_printf(arena, "`%s`: %s", row->name, fault)
                  : arena_printf(arena, MSG_OPTION_VALUE, row->name, fault);
}

// Stores the presets of all rows. The values of the command line replace them afterwards.
static void set_presets(const struct parse *p, void *into) {
    const struct option_row *row;
    size_t base;
    for (int i = 0; (row = options_row(p->o, i, &base)); i++) {
        char *at = (char *)into + base + row->offset;
        const char *fault = row->preset ? read_value(p->arena, row, at, row->preset) : NULL;
        if (fault) base_fatal("rill %s: %s", p->o->name, fault);
    }
}

// Reads all values. Returns OPTIONS_GO_ON, or the exit status after it has printed an error.
static int read_all(const struct parse *p, void *into) {
    set_presets(p, into);
    for (size_t i = 0; i < p->given.count; i++) {
        const struct given *g = &p->given.items[i];
        char *base = (char *)into + g->base;
        const char *fault = read_value(p->arena, g->row, base + g->row->offset, g->value);
        if (g->row->given) *(bool *)(void *)(base + g->row->given) = true;
        if (fault) return options_wrong(p->o, fault);
    }
    return OPTIONS_GO_ON;
}

// Prints the legal values and returns true if `help` is given as the value of an option that can list them.
static bool lists_values(const struct parse *p) {
    for (size_t i = 0; i < p->given.count; i++) {
        const struct given *g = &p->given.items[i];
        if (!g->row->list || strcmp(g->value, "help") != 0) continue;
        g->row->list(stdout);
        return true;
    }
    return false;
}

int options_parse(const struct options *o, struct arena *arena, int argc, char **argv, void *into) {
    struct parse p = {.o = o, .arena = arena, .argc = argc, .argv = argv};
    if (asks_help(o, argc, argv)) {
        struct text usage = {0};
        options_usage(o, &usage);
        fputs(text_cstr(&usage), stdout);
        text_free(&usage);
        return RILL_OK;
    }
    const char *fault = take_all(&p);
    if (!fault && lists_values(&p)) return RILL_OK;
    if (!fault) fault = together(&p);
    return fault ? options_wrong(o, fault) : read_all(&p, into);
}

int options_select(const struct options *o, const struct option_row *table, int argc, char **argv, char **out) {
    const struct options of_table = {.table = {{table, 0}}};
    int count = 0;
    for (int i = 1; i < argc; i++) {
        const struct option_row *row = find(o, argv[i], strcspn(argv[i], "="), NULL);
        bool taken = find(&of_table, argv[i], strcspn(argv[i], "="), NULL) || (argv[i][0] == '+' && o->skips_plus);
        if (!is_option(argv[i])) row = NULL;
        if (taken) out[count++] = argv[i];
        if (!row || !row->word || row->traits & OPTION_JOINED) continue;
        i++;
        if (taken) out[count++] = argv[i];
    }
    return count;
}
