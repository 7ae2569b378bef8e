// SPDX-License-Identifier: Apache-2.0
// Between the parts of the spec reader.
#ifndef RILL_SPEC_READ_H
#define RILL_SPEC_READ_H

#include "gen/base/schema.h"
#include "gen/spec/spec.h"

#define SPEC_OFFSET(type, member) offsetof(struct type, member)

// The words of the spec language, indexed by the enums of spec.h; those of choices.h stand there.
extern const char *const spec_when_words[];

// What a spec consists of; spec_table is the whole.
extern const struct schema_table spec_table, spec_model_table, spec_graph_table, spec_region_table, spec_op_table,
    spec_kernel_table, spec_design_table;

// Every function reports to diag and goes on as far as it makes sense.
// dir: of the spec, where a family of the user's is found.
struct spec_model *spec_read_model(const struct yaml_node *node, const char *dir, struct arena *arena,
                                   struct diag *diag);
// The graph of a model's family.
struct spec_graph *spec_model_graph(struct spec_model *, const struct spec_design *, struct arena *, struct diag *);
struct spec_graph *spec_read_graph(const struct yaml_node *node, struct arena *arena, struct diag *diag);
// node may be NULL: none. dir: of the spec, where the kernels' files are found.
struct custom *spec_read_kernels(const struct yaml_node *node, const char *dir, size_t *count, struct arena *arena,
                                 struct diag *diag);
// node may be NULL: presets.
// model: NULL for a graph.
void spec_read_design(const struct yaml_node *node, const struct spec_model *model, struct spec_design *design,
                      struct arena *arena, struct diag *diag);
// `weights` as a map: its patterns; the design with the default in its place.
const struct yaml_node *spec_take_formats(const struct yaml_node *node, struct spec_design *, struct arena *,
                                          struct diag *);
// Names defined once and before their use; called for a graph whose items are all well formed.
void spec_check_graph(const struct spec_graph *graph, struct arena *arena, struct diag *diag);
// Rules that involve the design, the board and the model.
void spec_check_design(const struct rill_spec *spec, struct arena *arena, struct diag *diag);

// [A-Za-z_][A-Za-z0-9_]*, at most 63 characters: it becomes part of Verilog names. dash: '-' too, after the first.
bool spec_is_name(const char *s, bool dash);

#endif
