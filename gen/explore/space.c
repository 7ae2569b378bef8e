// SPDX-License-Identifier: Apache-2.0
// The space of a search: which keys of `design` vary, and over which values. The values of a key come from the table of
// the keys (spec_design_table). A list or a short range gives all legal values, a long range powers of two and 1.5
// times these. The command line can give other values.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/explore/explore.h"
#include "gen/spec/spec_read.h"
#include "include/version.h"

// SHORT_RANGE: a range whose ends are at most this far apart gives all its values. MOST_BYTES: size of the largest file
// that is hashed.
enum { SHORT_RANGE = 32, MOST_BYTES = 1 << 24 };

// ---- reading settings ----

static const char *const weights_key = "weights.";

// `context` is a key of the model or the graph, not of `design`. It can be varied if the spec gives it.
static const struct schema_field context_field = {
    .key = "context", .type = SCHEMA_INT, .min = 1, .max = SPEC_MAX_CONTEXT};

const struct yaml_node *explore_context(const struct explore *x) {
    const struct yaml_node *of = yaml_get(x->spec->root, x->spec->model ? "model" : "graph"),
                           *context = yaml_get(of, "context");
    return context && context->kind == YAML_KIND_SCALAR && !context->quoted ? context : NULL;
}

// Returns the field of a key, or NULL if there is no such key.
static const struct schema_field *find_field(const struct explore *x, const char *name) {
    if (!strcmp(name, "context") && explore_context(x)) return &context_field;
    for (size_t i = 0; i < spec_design_table.count; i++)
        if (!strcmp(spec_design_table.fields[i].key, name)) return &spec_design_table.fields[i];
    return NULL;
}

// Reports a key that does not exist, with the most similar one. Returns false.
static bool unknown_key(const struct explore *x, const char *name) {
    const char *keys[64];
    size_t count = 0;
    for (; count < spec_design_table.count && count < COUNT_OF(keys); count++)
        keys[count] = spec_design_table.fields[count].key;
    const char *near = diag_nearest_word(name, keys, count);
    diag_error(x->diag, loc_none(), MSG_EXPLORE_KEY, name,
               near ? arena_printf(x->arena, "did you mean `%s`?", near) : "`rill explain --table design` lists them");
    return false;
}

// ---- the values of a key ----

// Adds a value to the values of a key unless it is among them. Returns false after an error: there are too many.
static bool add_value(struct explore *x, struct explore_key *k, const char *value) {
    for (int v = 0; v < k->values; v++)
        if (!strcmp(k->value[v], value)) return true;
    if (k->values == EXPLORE_VALUES) {
        diag_error(x->diag, loc_none(), MSG_EXPLORE_MANY, k->name, EXPLORE_VALUES, "values");
        return false;
    }
    k->value[k->values++] = value;
    return true;
}

// Returns the largest value of a key. The board may have fewer channels or dies than the table allows.
static int64_t most_of(const struct explore *x, const struct schema_field *f) {
    int64_t most = (int64_t)f->max;
    if (!strcmp(f->key, "channels")) most = at_most(most, x->spec->device->hbm.channels);
    if (!strcmp(f->key, "dies")) most = at_most(most, (int64_t)x->spec->device->slr_count);
    return most;
}

// Adds the values of a numeric key: all of them in a short range, else powers of two and 1.5 times these, and 0 if it
// is legal.
static bool add_range(struct explore *x, struct explore_key *k) {
    int64_t low = (int64_t)k->field->min, high = most_of(x, k->field);
    bool ok = true;
    if (high - low <= SHORT_RANGE) {
        for (int64_t v = low; ok && v <= high; v++) ok = add_value(x, k, arena_printf(x->arena, "%lld", (long long)v));
        return ok;
    }
    if (low == 0) ok = add_value(x, k, "0");
    for (int64_t v = 1; ok && v <= high; v *= 2) {
        if (v >= low) ok = add_value(x, k, arena_printf(x->arena, "%lld", (long long)v));
        int64_t half = v + v / 2;
        if (ok && v > 1 && half >= low && half <= high)
            ok = add_value(x, k, arena_printf(x->arena, "%lld", (long long)half));
    }
    return ok;
}

// Adds all values that the table gives for the key. Returns false after an error: the table lists no values of a
// fraction or a text, or there are more than EXPLORE_VALUES values.
static bool add_all(struct explore *x, struct explore_key *k) {
    const struct schema_field *f = k->field;
    bool ok = true;
    if (f->type == SCHEMA_FLOAT || f->type == SCHEMA_STRING) {
        diag_error(x->diag, loc_none(), MSG_EXPLORE_NAME_VALUES, f->key, f->key);
        return false;
    }
    if (f->type == SCHEMA_INT && !f->legal) return add_range(x, k);
    for (size_t i = 0; ok && i < f->count; i++)
        ok = add_value(x, k, f->words ? f->words[i] : arena_printf(x->arena, "%lld", (long long)f->legal[i]));
    return ok;
}

// Checks a single value as if it were in a spec, and reports an error if it is not legal. Legal values of several keys
// may still exclude each other. This is found when a point is evaluated.
static bool check_value(struct explore *x, const struct explore_key *k, const char *value) {
    struct schema_field f = *k->field;
    char *said = NULL;
    size_t len = 0;
    struct diag silent;
    struct yaml_node node = {.kind = YAML_KIND_SCALAR, .text = value}, *items[] = {&node};
    const char *keys[] = {f.key};
    struct loc locs[] = {loc_none()};
    struct yaml_node map = {.kind = YAML_KIND_MAP, .count = 1, .items = items, .keys = keys, .key_locs = locs};
    struct spec_design design;
    diag_init(&silent, open_memstream(&said, &len));
    if (f.type == SCHEMA_INT && !f.legal) f.max = (double)most_of(x, &f);
    bool ok = schema_read(&map, "design", &f, 1, NULL, 0, &design, x->arena, &silent);
    fclose(silent.out);
    if (!ok) {
        const char *mark = "error: ", *at = strstr(said, mark);
        at = at ? at + strlen(mark) : said;
        const char *end = strstr(at, " [");
        diag_error(x->diag, loc_none(), MSG_EXPLORE_VALUE, k->name, value,
                   arena_strndup(x->arena, at, end ? (size_t)(end - at) : strcspn(at, "\n")));
    }
    free(said);
    return ok;
}

// Adds the values of a list `A,B,C`. Returns false after an error: a value is not legal, or there are too many.
static bool add_list(struct explore *x, struct explore_key *k, const char *list) {
    for (const char *at = list;; at++) {
        size_t len = strcspn(at, ",");
        const char *value = arena_strndup(x->arena, at, len);
        if (!check_value(x, k, value) || !add_value(x, k, value)) return false;
        at += len;
        if (!*at) return true;
    }
}

// Returns the spec's own value of a key or pattern, or the value that the key has if the spec does not give it. If
// `weights` is a map, a pattern without an entry has the map's default.
static const char *own_value(const struct explore *x, const struct explore_key *k) {
    if (k->field == &context_field) return explore_context(x)->text;
    const struct yaml_node *design = yaml_get(x->spec->root, "design"), *own = yaml_get(design, k->name);
    if (k->pattern || (own && own->kind == YAML_KIND_MAP)) {
        const struct yaml_node *of =
            own && own->kind == YAML_KIND_MAP ? yaml_get(own, k->pattern ? k->pattern : "default") : NULL;
        if (!of) of = own && own->kind == YAML_KIND_MAP ? yaml_get(own, "default") : own;
        return of ? of->text : k->field->words[(int)k->field->preset];
    }
    if (own) return own->text;
    const void *member = (const char *)&x->spec->design + k->field->offset;
    int value = *(const int *)member;
    if (k->field->type == SCHEMA_FLOAT) return arena_printf(x->arena, "%g", *(const double *)member);
    return k->field->words ? k->field->words[value] : arena_printf(x->arena, "%d", value);
}

static int by_number(const void *a, const void *b) {
    long x = strtol(*(const char *const *)a, NULL, 0), y = strtol(*(const char *const *)b, NULL, 0);
    return (x > y) - (x < y);
}

// Adds the spec's own value to the values of the key, so that the space contains the spec itself.
static bool add_own(struct explore *x, struct explore_key *k) {
    const char *own = own_value(x, k);
    if (!add_value(x, k, own)) return false;
    if (k->field->type == SCHEMA_INT) qsort(k->value, (size_t)k->values, sizeof k->value[0], by_number);
    for (int v = 0; v < k->values; v++)
        if (!strcmp(k->value[v], own)) k->own = v;
    return true;
}

// ---- which keys vary ----

static struct explore_key *find_key(struct explore *x, const char *name, const char *pattern) {
    for (int k = 0; k < x->keys; k++)
        if (!strcmp(x->key[k].name, name) && !x->key[k].pattern == !pattern &&
            (!pattern || !strcmp(pattern, x->key[k].pattern)))
            return &x->key[k];
    return NULL;
}

// Adds a key to the space. Returns NULL after an error.
static struct explore_key *new_key(struct explore *x, const char *name, const char *pattern) {
    const struct schema_field *field = find_field(x, name);
    if (!field) return unknown_key(x, name), NULL;
    if (find_key(x, name, pattern) || x->keys == EXPLORE_KEYS) {
        if (x->keys == EXPLORE_KEYS) diag_error(x->diag, loc_none(), MSG_EXPLORE_MANY, name, EXPLORE_KEYS, "keys");
        else diag_error(x->diag, loc_none(), MSG_EXPLORE_TWICE, name);
        return NULL;
    }
    struct explore_key *k = &x->key[x->keys++];
    *k = (struct explore_key){.name = field->key, .pattern = pattern, .field = field};
    return k;
}

// Reads `KEY`, `KEY=A,B,C`, or `weights.PATTERN=A,B` of the command line. fixed: there must be exactly one value.
// Returns false after an error.
static bool read_key(struct explore *x, const char *word, bool fixed) {
    size_t len = strcspn(word, "=");
    const char *name = arena_strndup(x->arena, word, len), *pattern = NULL;
    if (fixed && (!word[len] || strchr(word + len, ','))) {
        diag_error(x->diag, loc_none(), MSG_EXPLORE_PAIR, word, "KEY=VALUE");
        return false;
    }
    if (!strncmp(name, weights_key, strlen(weights_key))) {
        pattern = name + strlen(weights_key);
        name = "weights";
    }
    struct explore_key *k = new_key(x, name, pattern);
    if (!k) return false;
    k->fixed = fixed;
    if (fixed) k->own = 0;
    if (fixed) return add_list(x, k, word + len + 1);
    return (word[len] ? add_list(x, k, word + len + 1) : add_all(x, k)) && add_own(x, k);
}

// Reads the fixed keys, then the keys that vary: the named ones, or all that the table marks for a search. With `also`,
// `weights`, `activations` and the spec's `context` vary in addition.
static bool read_keys(struct explore *x, const struct explore_words *w) {
    bool ok = true;
    for (size_t i = 0; w->fix && w->fix[i]; i++) ok &= read_key(x, w->fix[i], true);
    for (size_t i = 0; w->vary && w->vary[i]; i++) ok &= read_key(x, w->vary[i], false);
    bool named = w->vary && w->vary[0];
    for (size_t i = 0; ok && !named && i < spec_design_table.count; i++) {
        const struct schema_field *f = &spec_design_table.fields[i];
        if (f->search && !find_key(x, f->key, NULL)) ok = read_key(x, f->key, false);
    }
    if (ok && w->also) ok = read_key(x, "weights", false) && read_key(x, "activations", false);
    if (ok && w->also && explore_context(x)) ok = read_key(x, "context", false);
    return ok;
}

// ---- goals and limits ----

static int metric_of(struct explore *x, const char *word, size_t len) {
    int m = explore_find_metric(word, len);
    const char *key = arena_strndup(x->arena, word, len);
    if (m < 0) diag_error(x->diag, loc_none(), MSG_EXPLORE_FIGURE, key, explore_metric_hint(x->arena, key));
    return m;
}

static bool add_goals(struct explore *x, const char *word) {
    for (const char *at = word;; at++) {
        size_t len = strcspn(at, ",");
        int m = metric_of(x, at, len);
        if (m < 0) return false;
        if (x->goals == EXPLORE_GOALS) {
            diag_error(x->diag, loc_none(), MSG_EXPLORE_MANY, word, EXPLORE_GOALS, "goals");
            return false;
        }
        x->goal[x->goals++] = m;
        at += len;
        if (!*at) return true;
    }
}

// Returns the amount of a resource that the board has, as `rill check` counts it: the device without the platform's
// cells. The logic of memory ports is not subtracted, because it depends on the number of channels, and a limit must be
// the same for all points. Returns 0 for a figure that is not a resource of the board.
static double board_has(const struct explore *x, int metric) {
    const struct rill_device *d = x->spec->device;
    struct device_resources sum = {0};
    for (size_t i = 0; i < d->slr_count; i++) {
        sum.lut += d->slrs[i].total.lut;
        sum.ff += d->slrs[i].total.ff;
        sum.dsp += d->slrs[i].total.dsp;
        sum.bram36 += d->slrs[i].total.bram36;
        sum.uram += d->slrs[i].total.uram;
    }
    switch (metric) {
    case EXPLORE_LUT: return (double)(sum.lut - d->platform_cells.lut);
    case EXPLORE_FF: return (double)(sum.ff - d->platform_cells.ff);
    case EXPLORE_DSP: return (double)(sum.dsp - d->platform_cells.dsp);
    case EXPLORE_BRAM36: return (double)(sum.bram36 - d->platform_cells.bram36);
    case EXPLORE_URAM: return (double)(sum.uram - d->platform_cells.uram);
    default: return 0;
    }
}

// Adds a limit `FIGURE=NUMBER` or `FIGURE=NUMBER%`. direction: 1 at most, -1 at least; 0: at least if more of the
// figure is better, else at most. Returns false after an error.
static bool add_limit(struct explore *x, const char *word, int direction) {
    size_t len = strcspn(word, "=");
    char *end = NULL;
    if (!word[len]) {
        diag_error(x->diag, loc_none(), MSG_EXPLORE_PAIR, word, "FIGURE=NUMBER");
        return false;
    }
    int m = metric_of(x, word, len);
    if (m < 0) return false;
    struct explore_limit l = {m, strtod(word + len + 1, &end), direction ? direction > 0 : !explore_metric[m].up,
                              false};
    l.part = *end == '%';
    if (end == word + len + 1 || end[l.part] || !(l.value >= 0) || isinf(l.value)) {
        diag_error(x->diag, loc_none(), MSG_EXPLORE_NUMBER, word, ", such as 40% or 1500");
        return false;
    }
    if (l.part && board_has(x, m) <= 0) {
        diag_error(x->diag, loc_none(), MSG_EXPLORE_PART, word);
        return false;
    }
    if (l.part) l.value = l.value / 100 * board_has(x, m);
    if (x->limits == EXPLORE_LIMITS) {
        diag_error(x->diag, loc_none(), MSG_EXPLORE_MANY, word, EXPLORE_LIMITS, "limits");
        return false;
    }
    x->limit[x->limits++] = l;
    return true;
}

static bool add_limits(struct explore *x, const char *const *words, int direction) {
    bool ok = true;
    for (size_t i = 0; words && words[i]; i++) ok &= add_limit(x, words[i], direction);
    return ok;
}

// Reads the goals, which are tokens/s and TTFT if none are given, and the limits. Returns false after an error.
static bool read_goals(struct explore *x, const struct explore_words *w) {
    bool ok = true;
    for (size_t i = 0; w->goal && w->goal[i]; i++) ok &= add_goals(x, w->goal[i]);
    if (!x->goals) {
        x->goal[x->goals++] = EXPLORE_TOKENS_S;
        x->goal[x->goals++] = EXPLORE_TTFT_MS;
    }
    ok &= add_limits(x, w->limit, 0);
    ok &= add_limits(x, w->least, -1);
    return add_limits(x, w->most, 1) && ok;
}

// ---- begin ----

static uint64_t mix(uint64_t hash, const void *bytes, size_t len) {
    return (hash ^ bytes_hash(bytes, len)) * 0x9e3779b97f4a7c15u + (hash >> 29);
}

// Mixes the contents of a file into a hash. A file that cannot be read leaves the hash as it is.
static uint64_t mix_file(const struct explore *x, uint64_t hash, const char *path) {
    size_t len = 0;
    const char *why, *data = file_read(x->arena, path, MOST_BYTES, &len, &why);
    return data ? mix(hash, data, len) : hash;
}

// Sets `base`, the hash of everything that all points of the search share.
static void find_base(struct explore *x) {
    int64_t request[] = {x->prompt, x->tokens};
    uint64_t hash = mix(0, x->text, x->len);
    hash = mix(hash, RILL_VERSION, strlen(RILL_VERSION));
    hash = mix(hash, request, sizeof request);
    hash = mix_file(x, hash, x->spec->device->path);
    if (x->spec->model) hash = mix_file(x, hash, x->spec->model->family->path);
    x->base = hash;
}

enum { USUAL_CONTEXT = 1024 /* the context of a graph that gives none (expand-model) */ };
static int64_t context_of(const struct rill_spec *spec) {
    return spec->graph->context ? spec->graph->context : USUAL_CONTEXT;
}

// Sets the request with which points are compared. Returns false after an error: the request is longer than the
// context.
static bool choose_request(struct explore *x, const struct explore_words *w) {
    int64_t context = context_of(x->spec);
    explore_request_of(context, &x->prompt, &x->tokens);
    if (w->prompt) x->prompt = w->prompt, x->tokens = w->tokens;
    if (x->prompt + x->tokens - 1 <= context) return true;
    diag_error(x->diag, loc_none(), MSG_EXPLORE_REQUEST, x->prompt, x->tokens, context);
    return false;
}

bool explore_begin_text(struct explore *x, const char *path, const struct text *text, const struct explore_words *w,
                        struct arena *arena, struct diag *diag) {
    *x = (struct explore){.arena = arena, .diag = diag, .path = path, .over = w->over, .len = text->len};
    x->text = arena_strndup(arena, text_cstr(text), text->len);
    x->spec = rill_spec_read_bytes(path, x->text, x->len, arena, diag);
    if (!x->spec) return false;
    bool keys = read_keys(x, w), goals = read_goals(x, w);
    if (!keys || !goals || !choose_request(x, w)) return false;
    find_base(x);
    return true;
}

bool explore_begin(struct explore *x, const char *path, const struct explore_words *w, struct arena *arena,
                   struct diag *diag) {
    const char *why;
    struct text text = {0};
    size_t len;
    const char *read = file_read(arena, path, YAML_MAX_BYTES, &len, &why);
    *x = (struct explore){.arena = arena, .diag = diag, .path = path};
    if (!read) {
        diag_error_text(diag, loc_file(arena, path), why);
        return false;
    }
    if (!strncmp(read, "# rill ir", 9)) {
        diag_error(diag, loc_file(arena, path), MSG_EXPLORE_SPEC);
        return false;
    }
    text_add_bytes(&text, read, len);
    bool ok = explore_begin_text(x, path, &text, w, arena, diag);
    text_free(&text);
    return ok;
}

// ---- points ----

double explore_size(const struct explore *x) {
    double size = 1;
    for (int k = 0; k < x->keys; k++) size *= x->key[k].values;
    return size < 1e18 ? size : 1e18;
}

struct explore_point explore_own(const struct explore *x) {
    struct explore_point p = {{0}};
    for (int k = 0; k < x->keys; k++) p.at[k] = (uint8_t)x->key[k].own;
    return p;
}

struct explore_point explore_nth(const struct explore *x, uint64_t index) {
    struct explore_point p = {{0}};
    for (int k = x->keys - 1; k >= 0; k--) {
        p.at[k] = (uint8_t)(index % (uint64_t)x->key[k].values);
        index /= (uint64_t)x->key[k].values;
    }
    return p;
}

// Returns whether the point's value of a key differs from the spec's. A point's hash covers only the keys that differ,
// so searches over different keys can share a journal.
static bool is_changed(const struct explore *x, const struct explore_point *p, int k) {
    const struct explore_key *key = &x->key[k];
    return strcmp(key->value[p->at[k]], own_value(x, key)) != 0;
}

const char *explore_changes(const struct explore *x, const struct explore_point *p, struct arena *arena) {
    const char *list = "";
    for (int k = 0; k < x->keys; k++) {
        if (!is_changed(x, p, k)) continue;
        const struct explore_key *key = &x->key[k];
        list = arena_printf(arena, "%s%s%s%s%s=%s", list, *list ? " " : "", key->name, key->pattern ? "." : "",
                            key->pattern ? key->pattern : "", key->value[p->at[k]]);
    }
    return *list ? list : "as the spec";
}

static uint64_t hash_of(const struct explore_key *key, const char *value) {
    uint64_t hash = mix(0, key->name, strlen(key->name));
    if (key->pattern) hash = mix(hash, key->pattern, strlen(key->pattern));
    return mix(hash, value, strlen(value));
}

uint64_t explore_hash(const struct explore *x, const struct explore_point *p) {
    uint64_t hash = x->base;
    // A sum, so that the order of the keys does not matter.
    for (int k = 0; k < x->keys; k++)
        if (is_changed(x, p, k)) hash += hash_of(&x->key[k], x->key[k].value[p->at[k]]);
    return hash;
}
