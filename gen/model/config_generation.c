// SPDX-License-Identifier: Apache-2.0
// Warns about settings that the publisher of a checkpoint recommends for generated text and that no design can apply.
#include <jansson.h>

#include "gen/model/config_generation.h"
#include "gen/model/json_text.h"

enum { MAX_BYTES = 1 << 20 /* of generation_config.json */ };

// Settings that no design has, with the value that means that the setting is off.
static const struct {
    const char *name;
    double off;
} absent[] = {{"top_p", 1},
              {"typical_p", 1},
              {"repetition_penalty", 1},
              {"presence_penalty", 0},
              {"frequency_penalty", 0},
              {"no_repeat_ngram_size", 0}};

void config_warn_generation(struct arena *arena, const char *source, struct diag *diag) {
    const char *path = arena_printf(arena, "%s/generation_config.json", source);
    json_t *root = NULL;
    // The import has read the end ids from this file before, so it has no error.
    if (!json_file_object(arena, path, MAX_BYTES, diag, &root)) return;
    for (size_t i = 0; root && i < COUNT_OF(absent); i++) {
        const json_t *value = json_object_get(root, absent[i].name);
        if (!json_is_number(value) || json_number_value(value) == absent[i].off) continue;
        diag_warning(diag, loc_file(arena, path), MSG_GENERATION_ABSENT, absent[i].name, json_number_value(value));
    }
    json_decref(root);
}
