// SPDX-License-Identifier: Apache-2.0
// The `model:` part: a family and its sizes.
#include <stddef.h>

#include "spec_read.h"

// What a family allows beyond its sizes.
struct family {
    bool grouped_queries; // kv_heads may be smaller than heads
    double norm_eps;      // preset
};

static const struct family families[SPEC_FAMILIES] = {
    [SPEC_GPT2] = {false, 1e-5},
};

#define SIZE_FIELD(name, low, high)                                                                                    \
    {                                                                                                                  \
        .key = #name, .type = SCHEMA_INT, .offset = SPEC_OFFSET(spec_model, name), .required = true, .min = low,       \
        .max = high                                                                                                    \
    }
#define OPTION_FIELD(name, low, high, value)                                                                           \
    {                                                                                                                  \
        .key = #name, .type = SCHEMA_INT, .offset = SPEC_OFFSET(spec_model, name), .min = low, .max = high,            \
        .preset = value                                                                                                \
    }

// Absent values that another value decides: 0 for kv_heads, 0 for norm_eps (below its range, so it cannot be written).
static const struct schema_field model_fields[] = {
    {.key = "family",
     .type = SCHEMA_WORD,
     .offset = SPEC_OFFSET(spec_model, family),
     .required = true,
     .words = spec_family_words,
     .count = SPEC_FAMILIES},
    SIZE_FIELD(layers, 1, 1024),
    SIZE_FIELD(hidden, 2, SPEC_MAX_K),
    SIZE_FIELD(heads, 1, 1024),
    OPTION_FIELD(kv_heads, 1, 1024, 0),
    SIZE_FIELD(ffn, 1, SPEC_MAX_K),
    SIZE_FIELD(vocab, 2, 1 << 20),
    SIZE_FIELD(context, 1, SPEC_MAX_CONTEXT),
    {.key = "tied_head", .type = SCHEMA_BOOL, .offset = SPEC_OFFSET(spec_model, tied_head), .preset = 1},
    {.key = "norm_eps", .type = SCHEMA_FLOAT, .offset = SPEC_OFFSET(spec_model, norm_eps), .min = 1e-12, .max = 0.1},
    OPTION_FIELD(bos, 0, (1 << 20) - 1, -1),
    OPTION_FIELD(eot, 0, (1 << 20) - 1, -1),
};

static bool heads_fit(const struct spec_model *m, int heads) {
    int dim = m->hidden / heads;
    return m->hidden % heads == 0 && dim % 2 == 0 && dim <= SPEC_MAX_HEAD_DIM;
}

// The nearest number of heads that fits hidden; 0 when none does.
static int nearest_heads(const struct spec_model *m) {
    int best = 0;
    for (int heads = 1; heads <= 1024 && heads <= m->hidden; heads++) {
        if (!heads_fit(m, heads)) continue;
        int now = heads < m->heads ? m->heads - heads : heads - m->heads;
        int was = best < m->heads ? m->heads - best : best - m->heads;
        if (!best || now < was) best = heads;
    }
    return best;
}

static void check_heads(const struct spec_model *m, struct loc loc, struct diag *diag) {
    if (heads_fit(m, m->heads)) return;
    if (m->hidden % m->heads != 0)
        diag_error(diag, loc, "model.heads (%d) must divide model.hidden (%d)", m->heads, m->hidden);
    else
        diag_error(diag, loc, "hidden / heads is %d: the size of a head must be even and at most %d",
                   m->hidden / m->heads, SPEC_MAX_HEAD_DIM);
    int heads = nearest_heads(m);
    if (heads) diag_note(diag, loc, "the nearest legal value is %d (heads of %d)", heads, m->hidden / heads);
    else diag_note(diag, loc, "no number of heads fits a hidden size of %d", m->hidden);
}

static void check_kv_heads(const struct spec_model *m, struct loc loc, struct diag *diag) {
    const struct family *family = &families[m->family];
    if (!family->grouped_queries && m->kv_heads != m->heads) {
        diag_error(diag, loc, "family %s has as many kv_heads as heads (%d)", spec_family_name(m->family), m->heads);
        diag_note(diag, loc, "the nearest legal value is %d", m->heads);
    } else if (m->heads % m->kv_heads != 0) {
        int best = m->kv_heads < m->heads ? m->kv_heads : m->heads;
        while (m->heads % best != 0) best--;
        diag_error(diag, loc, "model.kv_heads (%d) must divide model.heads (%d)", m->kv_heads, m->heads);
        diag_note(diag, loc, "the nearest smaller legal value is %d", best);
    }
}

static void check_id(const struct spec_model *m, int id, const char *key, const struct yaml_node *map,
                     struct diag *diag) {
    if (id < m->vocab) return;
    struct loc loc = yaml_get(map, key)->loc;
    diag_error(diag, loc, "model.%s (%d) is no token of a vocabulary of %d", key, id, m->vocab);
    diag_note(diag, loc, "the nearest legal value is %d", m->vocab - 1);
}

static struct loc place_of(const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    return node ? node->loc : map->loc;
}

struct spec_model *spec_read_model(const struct yaml_node *node, struct arena *arena, struct diag *diag) {
    struct spec_model *m = ARENA_NEW(arena, struct spec_model);
    if (!schema_read(node, "model", model_fields, COUNT_OF(model_fields), NULL, 0, m, arena, diag)) return NULL;
    int before = diag->errors;
    if (m->kv_heads == 0) m->kv_heads = m->heads;
    if (m->norm_eps == 0) m->norm_eps = families[m->family].norm_eps;
    check_heads(m, place_of(node, "heads"), diag);
    check_kv_heads(m, place_of(node, "kv_heads"), diag);
    check_id(m, m->bos, "bos", node, diag);
    check_id(m, m->eot, "eot", node, diag);
    m->head_dim = m->hidden / m->heads;
    return diag->errors == before ? m : NULL;
}
