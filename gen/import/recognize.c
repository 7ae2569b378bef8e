// SPDX-License-Identifier: Apache-2.0
// Recognizes a checkpoint: its family, the values of the family's parameters, and a name for the design.
#define _POSIX_C_SOURCE 200809L
#include "gen/import/import.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAME = 63, MOST_SHOWN = 80 }; // characters: of a design's name, and of a kind in messages

// ---- the family ----

// Adds notes to the error that no family fits: for which kinds of checkpoints the installed families are.
static void note_families(const struct import *m, const char *names[], size_t count, struct diag *diag) {
    for (size_t i = 0; i < count; i++) {
        struct family *f = family_find(names[i], ".", loc_none(), m->arena, diag);
        const char *kinds = f ? family_kinds(f, m->o.source, m->arena) : "";
        if (*kinds) diag_note(diag, loc_none(), "family %s is for %s", names[i], kinds);
    }
    diag_note(diag, loc_none(), "use --family FILE for your own family (docs/models.md)");
}

// Finds the installation's families that fit the checkpoint, takes the first one, and lists all of them in *list.
// Returns their number.
static size_t find_fitting(struct import *m, const char *names[], size_t count, const char **list, struct diag *diag) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        struct family *f = family_find(names[i], ".", loc_none(), m->arena, diag);
        if (!f || !family_is_for(f, m->o.source, m->kind)) continue;
        if (!found++) m->family = f, m->family_word = names[i];
        *list = arena_printf(m->arena, "%s%s%s", *list, found > 1 ? ", " : "", names[i]);
    }
    return found;
}

// Finds the only family that fits the checkpoint. Returns false after an error: none or several fit, or a family file
// has an error.
static bool find_family(struct import *m, struct diag *diag) {
    const char *names[FAMILY_MAX_INSTALLED], *list = "";
    size_t count = family_names(m->arena, names), found = find_fitting(m, names, count, &list, diag);
    struct loc loc = loc_file(m->arena, m->o.source);
    if (diag_failed(diag)) return false;
    if (found == 1) return true;
    if (found) {
        diag_error(diag, loc, MSG_FAMILY_AMBIGUOUS, list, MOST_SHOWN, m->kind);
        return false;
    }
    diag_error(diag, loc, MSG_FAMILY_NONE, MOST_SHOWN, m->kind);
    note_families(m, names, count, diag);
    return false;
}

// Makes a path absolute, so that it is valid wherever the spec is written. Returns the name of an installed family or
// board as it is.
static const char *lasting_word(struct import *m, const char *word) {
    return file_is_path(word) ? file_whole(m->arena, word) : word;
}

// Returns the last part of the path without the ending.
static const char *base_name(struct import *m, const char *path, const char *ending) {
    const char *whole = file_whole(m->arena, path), *slash = strrchr(whole, '/');
    const char *base = slash ? slash + 1 : whole;
    size_t len = strlen(base);
    return arena_strndup(m->arena, base, file_has_suffix(base, ending) ? len - strlen(ending) : len);
}

// Returns how a spec in `dir` refers to a file: by name if it is the installation's file, else by a relative path.
static const char *placed_word(struct import *m, const char *word, const char *folder, const char *dir) {
    if (!file_is_path(word)) return word;
    const char *name = base_name(m, word, ".yaml"),
               *shared = file_find_shared(m->arena, arena_printf(m->arena, "%s/%s.yaml", folder, name));
    if (shared && !strcmp(file_whole(m->arena, shared), word)) return name;
    return file_relative(m->arena, dir, word);
}

void import_place(struct import *m, const char *dir) {
    m->family_word = placed_word(m, m->family_word, "families", dir);
    m->board_word = placed_word(m, m->board_word, "boards", dir);
}

// Takes the family that the user names or, without one, the family that fits. Returns false after an error.
static bool take_family(struct import *m, struct diag *diag) {
    if (!m->o.family) return find_family(m, diag);
    m->family_word = lasting_word(m, m->o.family);
    m->family = family_find(m->family_word, ".", loc_none(), m->arena, diag);
    if (!m->family || family_is_for(m->family, m->o.source, m->kind)) return m->family;
    const char *kinds = family_kinds(m->family, m->o.source, m->arena);
    if (!*kinds) return true; // for any kind: the family's keys decide
    diag_error(diag, loc_file(m->arena, m->o.source), MSG_FAMILY_OTHER, MOST_SHOWN, m->kind, m->family->name, kinds);
    return false;
}

// ---- parameters that the design decides ----

// Lowers default values that exceed `most`, the limit of the model's training, and derives the other values again.
// Returns false after an error.
static bool bound_defaults(struct import *m, struct diag *diag) {
    struct family_values *v = m->values;
    for (size_t p = 0; p < m->family->parameters; p++) {
        struct family_value *value = &v->parameter[p];
        if (!value->most || value->given || !value->known || value->i <= value->most) continue;
        value->i = value->most;
        value->given = true;
    }
    return family_derive(v, NULL, loc_file(m->arena, m->o.source), m->arena, diag);
}

// Reports that the context of --context is not possible. nearest: the nearest legal value; 0: none. Returns false.
static bool refuse_context(const struct import *m, const char *why, int64_t nearest, struct diag *diag) {
    diag_error(diag, loc_none(), MSG_IMPORT_CONTEXT, m->o.context, why);
    if (nearest) diag_note(diag, loc_none(), "the nearest legal value is %" PRId64, nearest);
    return false;
}

// Sets the context that the user asks for. Returns false after an error: the checkpoint, its training or the family
// does not allow it.
static bool set_context(struct import *m, struct diag *diag) {
    int p = family_find_parameter(m->family, "context");
    if (!m->o.context) return true;
    if (p < 0) return refuse_context(m, "the family has no parameter `context`", 0, diag);
    struct family_value *v = &m->values->parameter[p];
    double most = m->family->parameter[p].to;
    if (v->given && v->i != m->o.context)
        return refuse_context(m, "the checkpoint's tables have as many positions as it says", v->i, diag);
    if (v->most && m->o.context > v->most)
        return refuse_context(m, "the model was not trained for so many positions", v->most, diag);
    if ((double)m->o.context > most) return refuse_context(m, "beyond the family's range", (int64_t)most, diag);
    v->i = m->o.context;
    v->known = v->given = true;
    return true;
}

// Reads the values of the family's parameters. Returns false after an error, for example if a parameter has no value.
static bool take_values(struct import *m, struct diag *diag) {
    m->values = family_config_read(m->family, m->o.source, m->arena, diag);
    if (!m->values) return false;
    for (size_t p = 0; p < m->family->parameters; p++) {
        if (m->values->parameter[p].known || m->family->parameter[p].preset) continue;
        diag_error(diag, loc_file(m->arena, m->o.source), MSG_CONFIG_UNTOLD, m->family->parameter[p].name,
                   m->family->name);
    }
    return !diag_failed(diag) && set_context(m, diag) && bound_defaults(m, diag);
}

void import_begin(struct import *m, int64_t begins) {
    int p = family_find_parameter(m->family, "bos");
    m->tokenizer = true;
    m->begins = begins;
    if (p < 0 || begins < 0) return;
    m->values->parameter[p].i = begins;
    m->values->parameter[p].known = m->values->parameter[p].given = true;
}

// ---- name of the design ----

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Makes the design's name from the names of the source and the board. It has at most MOST_NAME characters and begins
// with a letter or underscore. Each character that a name must not contain becomes `-`.
static const char *make_name(struct import *m) {
    const char *base = base_name(m, m->o.source, ".gguf"), *board = base_name(m, m->device->path, ".yaml");
    int room = MOST_NAME - 1 - (int)(strlen(board) < 24 ? strlen(board) : 24);
    char *name = arena_printf(m->arena, "%s%.*s", is_letter(*base) ? "" : "model-", room - 6, base);
    name = arena_printf(m->arena, "%s-%.24s", name, board);
    for (char *c = name; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9')) *c = '-';
    return name;
}

struct import *import_read(const struct import_options *o, struct arena *arena, struct diag *diag) {
    struct import *m = ARENA_NEW(arena, struct import);
    *m = (struct import){.o = *o, .arena = arena, .begins = -1};
    if (access(o->source, R_OK) != 0) {
        diag_error(diag, loc_file(arena, o->source), MSG_IMPORT_SOURCE);
        return NULL;
    }
    m->kind = family_checkpoint_kind(o->source, arena, diag);
    if (!m->kind || !take_family(m, diag) || !take_values(m, diag)) return NULL;
    m->board_word = lasting_word(m, o->board);
    m->device = rill_device_find(m->board_word, ".", loc_none(), arena, diag);
    if (!m->device) return NULL;
    m->name = o->name ? o->name : make_name(m);
    return m;
}
