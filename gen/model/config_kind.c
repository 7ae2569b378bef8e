// SPDX-License-Identifier: Apache-2.0
// Finds the kind of model of a checkpoint, that is, `model_type` in its config.json or a GGUF file's architecture, and
// the kinds that a family supports.
#include <jansson.h>
#include <string.h>

#include "gen/model/config_unread.h"
#include "gen/model/gguf_model.h"
#include "gen/spec/family.h"
#include "gen/model/json_text.h"

enum { MAX_CONFIG_BYTES = 1 << 20 };
static const char kind_key[] = "model_type";

// Returns `model_type` of the text model in a multimodal config.json, or of the file itself; "" if there is none.
// Returns NULL after an error.
static const char *kind_of_config(const char *path, struct arena *arena, struct diag *diag) {
    size_t len;
    const char *why, *text = file_read(arena, path, MAX_CONFIG_BYTES, &len, &why), *kind = NULL;
    if (!text) return diag_error_text(diag, loc_file(arena, path), why), NULL;
    json_t *root = json_text_object(text, len, loc_file(arena, path), diag),
           *model = json_object_get(root, CONFIG_TEXT_MODEL),
           *value = json_object_get(json_is_object(model) ? model : root, kind_key);
    if (root) kind = arena_strdup(arena, json_is_string(value) ? json_string_value(value) : "");
    json_decref(root);
    return kind;
}

const char *family_checkpoint_kind(const char *source, struct arena *arena, struct diag *diag) {
    if (gguf_is_path(source)) return gguf_model_architecture(arena, source, diag);
    return kind_of_config(arena_printf(arena, "%s/config.json", source), arena, diag);
}

bool family_key_is_kind(const struct family_key *k) { return k->spellings && !strcmp(k->spelling[0], kind_key); }

// Returns the list of values of `model_type` that the family supports, or NULL if its file has no such list.
static const struct yaml_node *kinds_of_config(const struct family *f) {
    for (size_t i = 0; i < f->config.count; i++)
        if (f->config.item[i].values && family_key_is_kind(&f->config.item[i])) return f->config.item[i].values;
    return NULL;
}

static size_t count_kinds(const struct family *f, bool gguf) {
    const struct yaml_node *list = gguf ? NULL : kinds_of_config(f);
    return gguf ? f->gguf.architectures : list ? list->count : 0;
}

static const char *kind_at(const struct family *f, bool gguf, size_t i) {
    return gguf ? f->gguf.architecture[i] : kinds_of_config(f)->items[i]->text;
}

bool family_is_for(const struct family *f, const char *source, const char *kind) {
    bool gguf = gguf_is_path(source);
    for (size_t i = 0; i < count_kinds(f, gguf); i++)
        if (!strcmp(kind_at(f, gguf, i), kind)) return true;
    return false;
}

const char *family_kinds(const struct family *f, const char *source, struct arena *arena) {
    bool gguf = gguf_is_path(source);
    const char *list = "";
    for (size_t i = 0; i < count_kinds(f, gguf); i++)
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", kind_at(f, gguf, i));
    return list;
}
