// SPDX-License-Identifier: Apache-2.0
// Writes the spec of an imported checkpoint. It has the values that the checkpoint gives, `bos`, values for which the
// family has no default, and values that the model's training bounds. Any other value is written only if a reader of
// the spec would otherwise derive a different value from the family's defaults.
#include "gen/import/import.h"
#include "gen/spec/choices.h"

#include <inttypes.h>
#include <string.h>

// Returns whether a key of the checkpoint gives the parameter a value.
static bool is_read(const struct import *m, size_t parameter) {
    const struct family_notes *n = &m->values->notes;
    for (size_t i = 0; i < n->keys; i++)
        if (n->key[i].value && n->key[i].key->parameter == (int)parameter) return true;
    return false;
}

// Returns whether the parameter is the `bos` of a model that has one.
static bool is_begin(const struct import *m, size_t p) {
    return (int)p == family_find_parameter(m->family, "bos") && m->values->parameter[p].i >= 0;
}

const char *import_begin_words(const struct import *m) {
    if (!m->tokenizer)
        return "assumed to begin every text: named by the checkpoint, which has no tokenizer here to tell";
    return m->begins >= 0 ? "the tokenizer puts it in front of every text"
                          : "named by the checkpoint; its tokenizer does not put it in front of a text";
}

// Returns whether the parameter is written even if it equals the default.
static bool is_told(const struct import *m, size_t p) {
    return is_read(m, p) || is_begin(m, p) || !m->family->parameter[p].preset || m->values->parameter[p].most;
}

static void add_parameter(const struct import *m, size_t p, struct text *out) {
    const struct family_parameter *parameter = &m->family->parameter[p];
    const struct family_value *v = &m->values->parameter[p];
    text_addf(out, "  %s: %s", parameter->name, family_value_text(m->arena, parameter, v));
    if (v->most) text_addf(out, " # of the design; the model was trained for %" PRId64, v->most);
    else if (is_begin(m, p)) text_addf(out, " # %s", import_begin_words(m));
    else if (!is_read(m, p)) text_add(out, " # assumed: the checkpoint does not say");
    text_add(out, "\n");
}

static void add_model(const struct import *m, const bool *written, struct text *out) {
    text_add(out, "model:\n  family: ");
    text_add_json_string(out, m->family_word, strlen(m->family_word));
    text_add(out, "\n");
    for (size_t p = 0; p < m->family->parameters; p++)
        if (written[p]) add_parameter(m, p, out);
}

// Returns the values that a reader of the spec gets from the written parameters and the family, or NULL after an error.
static const struct family_values *understood(const struct import *m, const bool *written, struct diag *diag) {
    struct text text = {0};
    add_model(m, written, &text);
    const struct yaml_node *root = yaml_read_bytes(m->name, text_cstr(&text), text.len, m->arena, diag),
                           *model = root ? yaml_get(root, "model") : NULL;
    text_free(&text);
    return model ? family_values_read(m->family, model, m->arena, diag) : NULL;
}

// Returns whether the checkpoint's value of a parameter differs from the value in `have`, which a reader of the spec
// gets.
static bool differs(const struct import *m, const struct family_values *have, size_t p) {
    const struct family_parameter *parameter = &m->family->parameter[p];
    return m->values->parameter[p].known && strcmp(family_value_text(m->arena, parameter, &m->values->parameter[p]),
                                                   family_value_text(m->arena, parameter, &have->parameter[p])) != 0;
}

const char *import_weights(const struct import *m) { return spec_format_name(m->o.weights); }

static void add_design(const struct import *m, const struct import_design *d, struct text *out) {
    text_add(out, "board: ");
    text_add_json_string(out, m->board_word, strlen(m->board_word));
    text_addf(out, "\ndesign:\n  channels: %d\n  beat_bits: %d\n  lanes: %d\n  T: %d\n  A: %d\n", d->channels,
              d->beat_bits, d->lanes, d->tokens, d->copies);
    if (d->pump) text_addf(out, "  pump: %d\n", d->pump);
    if (d->unroll) text_addf(out, "  unroll: %d\n", d->unroll);
    if (d->query_heads) text_addf(out, "  query_heads: %d\n", d->query_heads);
    if (d->dies) text_addf(out, "  dies: %d\n", d->dies);
    if (m->o.single_rate) text_add(out, "  crossings: single_rate\n");
    if (d->prefetch_beats) text_addf(out, "  prefetch_beats: %d\n", d->prefetch_beats);
    text_addf(out, "  weights: %s\n%s  activations: int10\n", import_weights(m),
              d->wide_rows ? "  embedding: int16\n" : "");
}

bool import_spec(const struct import *m, const struct import_design *d, struct text *out, struct diag *diag) {
    bool *written = ARENA_ARRAY(m->arena, bool, m->family->parameters + 1);
    for (size_t p = 0; p < m->family->parameters; p++) written[p] = is_told(m, p);
    const struct family_values *have = understood(m, written, diag);
    if (!have) return false;
    for (size_t p = 0; p < m->family->parameters; p++) written[p] = written[p] || differs(m, have, p);
    text_add(out, "# Made by `rill import` of a checkpoint; what the keys mean: docs/spec.md, docs/models.md.\n");
    text_addf(out, "name: %s\n", m->name);
    add_model(m, written, out);
    add_design(m, d, out);
    return true;
}
