// SPDX-License-Identifier: Apache-2.0
// The table that `rill import` prints about a checkpoint: the keys that it read, the values that it assumed, the keys
// that it did not read, and the design with its estimated speed.
#include "gen/import/import.h"

#include <inttypes.h>
#include <string.h>

// Returns the name of the parameter whose value or upper bound a key gives, or an empty string.
static const char *parameter_of(const struct import *m, const struct family_key *k) {
    int p = k->parameter >= 0 ? k->parameter : k->most;
    return p >= 0 ? m->family->parameter[p].name : "";
}

static void add_row(const struct import *m, const struct family_note *n, const char *value, struct text *out) {
    const char *parameter = parameter_of(m, n->key);
    text_addf(out, "  %-48s %-14s %s%s\n", n->spelling, value, n->key->most >= 0 ? "bound of " : "", parameter);
}

// Returns whether some key of the checkpoint gave a value to this parameter.
static bool is_told(const struct import *m, int parameter) {
    const struct family_notes *n = &m->values->notes;
    for (size_t i = 0; i < n->keys; i++)
        if (n->key[i].value && n->key[i].key->parameter == parameter) return true;
    return false;
}

// Returns whether the parameter of a key is shown elsewhere: an absent key's parameter with the value of another key,
// or the parameter earlier in the same section of the table.
static bool is_repeated(const struct import *m, size_t note) {
    const struct family_note *n = m->values->notes.key, *own = &n[note];
    if (own->key->parameter < 0) return false;
    if (!own->value && is_told(m, own->key->parameter)) return true;
    for (size_t i = 0; i < note; i++)
        if (n[i].key->parameter == own->key->parameter && !n[i].value == !own->value &&
            (!own->value || !strcmp(n[i].spelling, own->spelling)))
            return true;
    return false;
}

// Returns the value assumed for an absent key, or NULL. For a key of a parameter, it is the parameter's value. Another
// key is assumed to have the first value that the family allows, unless the family allows `none`.
static const char *assumed(const struct import *m, const struct family_key *k) {
    if (k->parameter >= 0)
        return family_value_text(m->arena, &m->family->parameter[k->parameter], &m->values->parameter[k->parameter]);
    if (!k->values || !k->values->count || yaml_get(k->values, "none")) return NULL;
    const char *first = k->values->items[0]->text;
    return strcmp(first, "none") ? first : NULL;
}

// Returns the text of a value as it will be in the spec. The text of the file is returned if the key gives no
// parameter, or if its value may differ from the one in the spec (`compare: false` in the family).
static const char *shown(const struct import *m, const struct family_note *n) {
    int p = n->key->parameter;
    if (p < 0 || !n->key->compare) return n->value;
    return family_value_text(m->arena, &m->family->parameter[p], &m->values->parameter[p]);
}

static void add_read(const struct import *m, struct text *out) {
    const struct family_notes *n = &m->values->notes;
    text_addf(out, "\n%-50s %-14s parameter\n", "read", "value");
    for (size_t i = 0; i < n->keys; i++)
        if (n->key[i].value && !is_repeated(m, i)) add_row(m, &n->key[i], shown(m, &n->key[i]), out);
}

static void add_assumed(const struct import *m, struct text *out) {
    const struct family_notes *n = &m->values->notes;
    text_addf(out, "\n%-50s %-14s parameter\n", "assumed, as the key is absent", "value");
    for (size_t i = 0; i < n->keys; i++) {
        const char *value = n->key[i].value || is_repeated(m, i) ? NULL : assumed(m, n->key[i].key);
        if (value) add_row(m, &n->key[i], value, out);
    }
}

// Returns whether the family names a key of checkpoints that gives this parameter. The checkpoint may lack the key.
static bool is_asked(const struct import *m, size_t p) {
    const struct family_notes *n = &m->values->notes;
    for (size_t i = 0; i < n->keys; i++)
        if (n->key[i].key->parameter == (int)p) return true;
    return false;
}

// Adds parameters that no key of the family gives: they come from the family itself or from --context.
static void add_own(const struct import *m, struct text *out) {
    text_add(out, "\ntold by no key, as the family or --context has it\n");
    for (size_t p = 0; p < m->family->parameters; p++) {
        const struct family_parameter *parameter = &m->family->parameter[p];
        if (is_asked(m, p) || !m->values->parameter[p].known) continue;
        text_addf(out, "  %-48s %s\n", parameter->name,
                  family_value_text(m->arena, parameter, &m->values->parameter[p]));
    }
}

static void add_unread(const struct import *m, struct text *out) {
    const struct family_notes *n = &m->values->notes;
    if (n->unreads) text_addf(out, "\nnot looked at: family %s asks for none of them", m->family->name);
    for (size_t i = 0; i < n->unreads; i++) text_addf(out, "%s%s", i % 4 ? ", " : "\n  ", n->unread[i]);
    if (n->unreads) text_add(out, "\n");
}

// Adds the id that begins a text, or why there is none. Adds nothing if the family has no `bos`.
static void add_begin(const struct import *m, struct text *out) {
    int p = family_find_parameter(m->family, "bos");
    if (p < 0) return;
    int64_t id = m->values->parameter[p].i;
    text_add(out, "\nbegin of a text\n  ");
    if (id >= 0) text_addf(out, "bos: %lld, %s\n", (long long)id, import_begin_words(m));
    else if (m->tokenizer) text_add(out, "no bos: the tokenizer puts no id in front of a text, and no key names one\n");
    else
        text_add(out,
                 "no bos: assumed, as no key names one and there is no tokenizer here to tell; prompts are then ids "
                 "(`--prompt-ids`), with the first one written\n");
}

// Returns the values of the design's main keys in words.
static const char *key_text(const struct import *m, const struct import_design *d) {
    const char *pump = d->pump ? arena_printf(m->arena, ", pump = %d", d->pump) : "";
    return arena_printf(m->arena, "%d channels x %d bit, %d lanes, T = %d, A = %d%s", d->channels, d->beat_bits,
                        d->lanes, d->tokens, d->copies, pump);
}

// Returns how many decimals a number needs for about three significant digits.
static int decimals(double value) { return value < 10 ? 2 : value < 100 ? 1 : 0; }

static void add_speed(const struct import_speed *s, struct text *out) {
    text_addf(out, "about %.*f tokens/s, TTFT %.*f ms for %" PRId64 ":%" PRId64, decimals(s->tokens_s), s->tokens_s,
              decimals(s->ttft_ms), s->ttft_ms, s->prompt, s->tokens);
}

// Says how the design uses the dies, or which limit of the board it exceeds.
static void add_limits(const struct import *m, const struct import_design *d, struct text *out) {
    int dies = (int)m->device->slr_count;
    if (d->fits && d->dies)
        text_addf(out, "spread over %d dies, each within its limits (`dies: %d`)\n", d->dies, d->dies);
    if (d->fits) return;
    text_addf(out, "beyond the board's limits by estimate: it can be simulated, not built. No design that was tried "
                   "is within them.\n");
    if (d->beyond) text_addf(out, "  %s\n", d->beyond);
    text_addf(out, "`rill check` shows %s beside %s limits\n", dies > 1 ? "each die" : "the board",
              dies > 1 ? "its" : "the");
}

// Lists what the search found, and how to choose another design.
static void add_search(const struct import *m, const struct import_design *d, struct text *out) {
    if (m->o.quick) text_add(out, "not searched (--quick): half of the channels, one clock\n");
    if (d->speed.tokens_s <= 0) return;
    text_add(out, "chosen by a search for the least time of this request (a second clock must save 2 %):\n  ");
    add_speed(&d->speed, out);
    text_add(out, ", estimated\n");
    if (d->pump > 1) text_add(out, "it needs a second clock for its multipliers (docs/choose.md)\n");
    if (d->halves)
        text_add(out,
                 "its beats cross from die to die in two halves at the second clock; no vendor tool has tried this "
                 "(docs/limits.md). `--single-rate` searches designs without it\n");
    if (d->others) text_add(out, "others within the limits, by estimate:\n");
    for (int i = 0; i < d->others; i++) {
        text_addf(out, "  %s: ", key_text(m, &d->other[i]));
        add_speed(&d->other[i].speed, out);
        text_add(out, "\n");
    }
    text_add(out, "`rill explore` searches all keys of the design\n");
}

// Adds the whole table. In the line of the design, T is the largest number of tokens in a step, and A the number of
// tokens that the engine serves per cycle with one beat of weights.
void import_table(const struct import *m, const struct import_design *d, struct text *out) {
    text_addf(out, "%s: family %s, by its kind `%s`\n", m->name, m->family->name, m->kind);
    add_read(m, out);
    add_assumed(m, out);
    add_own(m, out);
    add_begin(m, out);
    add_unread(m, out);
    text_addf(out, "\ndesign for board %s: %s, weights %s, activations int10%s\n", m->device->name, key_text(m, d),
              import_weights(m), d->wide_rows ? ", embedding int16" : "");
    if (d->query_heads)
        text_addf(out, "query heads share reads of keys and values in decode steps (design.query_heads: %d)\n",
                  d->query_heads);
    if (d->unroll)
        text_addf(out, "more lanes for long contexts; norms and the like share %d (design.unroll)\n", d->unroll);
    add_limits(m, d, out);
    add_search(m, d, out);
}
