// SPDX-License-Identifier: Apache-2.0
// Reads the part `model` of a spec: a family and the values of its parameters. Makes the graph from them.
#include <stddef.h>

#include "gen/spec/spec_read.h"

static const struct schema_key model_keys[] = {
    {.key = "family",
     .required = true,
     .range = "text",
     .doc = "name of a family that Rill ships (`families/<name>.yaml`). Text with a `/` or the "
            "ending `.yaml` is the path of a family file, relative to the spec "
            "([models.md](models.md))",
     .json = "{\"type\": \"string\"}"},
};
const struct schema_table spec_model_table = {
    .path = "model", .what = "model", .keys = model_keys, .key_count = COUNT_OF(model_keys), .open = true};

struct spec_model *spec_read_model(const struct yaml_node *node, const char *dir, struct arena *arena,
                                   struct diag *diag) {
    const char *name = NULL;
    if (!yaml_expect(node, YAML_KIND_MAP, "model", diag)) return NULL;
    const struct yaml_node *word = yaml_get(node, "family");
    if (!word) diag_error(diag, node->loc, MSG_MISSING_FAMILY);
    if (!word || !yaml_string(word, "model.family", &name, diag)) return NULL;
    struct spec_model *m = ARENA_NEW(arena, struct spec_model);
    m->loc = node->loc;
    m->family = family_find(name, dir, word->loc, arena, diag);
    m->values = m->family ? family_values_read(m->family, node, arena, diag) : NULL;
    return m->values ? m : NULL;
}

struct spec_graph *spec_model_graph(struct spec_model *m, const struct spec_design *design, struct arena *arena,
                                    struct diag *diag) {
    m->values->design = design;
    const struct yaml_node *graph = family_graph(m->values, arena, diag);
    return graph ? spec_read_graph(graph, arena, diag) : NULL;
}

void spec_note_model(const struct rill_spec *spec, struct diag *diag) {
    const struct spec_model *m = spec->model;
    if (m && diag->last.source == m->family->source) diag_note(diag, m->loc, "in the graph of this model");
}
