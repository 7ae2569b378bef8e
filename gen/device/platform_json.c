// SPDX-License-Identifier: Apache-2.0
// Reads the JSON that platforminfo prints. JSON of this kind is YAML, so the YAML reader is used, which knows the
// location of each value. Versions of the tool nest their objects differently, so counts of resources are taken from
// every object. A count belongs to a die if its object, an outer object, or the key of one of these names a die;
// otherwise it belongs to the whole card.
#include <string.h>

#include "gen/base/yaml.h"
#include "gen/device/platform.h"

static const struct {
    const char *key;
    enum platform_kind kind;
} counts[] = {{"lutCount", PLATFORM_LUT},   {"registerCount", PLATFORM_FF}, {"bramCount", PLATFORM_BRAM36},
              {"uramCount", PLATFORM_URAM}, {"dspCount", PLATFORM_DSP},     {"LUTs", PLATFORM_LUT},
              {"FFs", PLATFORM_FF},         {"BRAMs", PLATFORM_BRAM36},     {"URAMs", PLATFORM_URAM},
              {"DSPs", PLATFORM_DSP}};

static bool names_die(const char *text) {
    return text && !strncmp(text, "SLR", 3) && text[3] && !text[3 + strspn(text + 3, "0123456789")];
}

struct walk {
    struct platform_said *said;
    struct arena *arena;
    struct diag *diag;
};

// Adds a count of the dynamic region. Returns false after an error.
static bool read_count(struct walk *w, const struct yaml_node *value, const char *die, enum platform_kind kind) {
    struct yaml_node plain = *value;
    int64_t count;
    plain.quoted = false; // some versions write numbers as strings
    if (value->kind != YAML_KIND_SCALAR || !yaml_parse_int(&plain, &count) || count < 0 || count > INT32_MAX) {
        diag_error(w->diag, value->loc, MSG_PLATFORM_COUNT, value->text ? value->text : yaml_kind_name(value),
                   INT32_MAX);
        return false;
    }
    struct platform_row row = {.what = PLATFORM_REGION,
                               .kind = kind,
                               .die = die,
                               .low = (double)count,
                               .high = (double)count,
                               .loc = value->loc};
    return platform_add(w->said, &row, w->arena, w->diag);
}

// Adds all counts in a node. die: the die that an outer object names; NULL: none. The YAML reader limits the nesting.
static bool walk_node(struct walk *w, const struct yaml_node *node, const char *die) {
    static const char *const names[] = {"name", "id", "slr"};
    if (node->kind == YAML_KIND_SCALAR) return true;
    for (size_t i = 0; node->kind == YAML_KIND_MAP && i < COUNT_OF(names); i++) {
        const struct yaml_node *name = yaml_get(node, names[i]);
        if (name && name->kind == YAML_KIND_SCALAR && names_die(name->text)) die = name->text;
    }
    for (size_t c = 0; node->kind == YAML_KIND_MAP && c < COUNT_OF(counts); c++) {
        const struct yaml_node *value = yaml_get(node, counts[c].key);
        if (value && !read_count(w, value, die, counts[c].kind)) return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        bool named = node->kind == YAML_KIND_MAP && names_die(node->keys[i]);
        if (!walk_node(w, node->items[i], named ? node->keys[i] : die)) return false;
    }
    return true;
}

bool platform_read_json(const struct source *source, struct platform_said *said, struct arena *arena,
                        struct diag *diag) {
    struct walk w = {said, arena, diag};
    const struct yaml_node *root = yaml_read_bytes(source->path, source->data, source->size, arena, diag);
    return root && walk_node(&w, root, NULL);
}
