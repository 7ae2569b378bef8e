// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the parts of the spec reader.
#ifndef RILL_SPEC_READ_H
#define RILL_SPEC_READ_H

#include "gen/base/schema.h"
#include "gen/spec/spec.h"

#define SPEC_OFFSET(type, member) offsetof(struct type, member)

// Words of the spec, indexed by enum spec_when. The words for the enums of choices.h are declared there.
extern const char *const spec_when_words[];

// The keys of a spec by part; spec_table is the whole.
extern const struct schema_table spec_table, spec_model_table, spec_graph_table, spec_region_table, spec_op_table,
    spec_kernel_table, spec_design_table;

// All functions report errors to diag and continue as far as possible. dir: the spec's folder, in which a user's family
// is found.
struct spec_model *spec_read_model(const struct yaml_node *node, const char *dir, struct arena *arena,
                                   struct diag *diag);
// Builds the graph of a model's family.
struct spec_graph *spec_model_graph(struct spec_model *, const struct spec_design *, struct arena *, struct diag *);
struct spec_graph *spec_read_graph(const struct yaml_node *node, struct arena *arena, struct diag *diag);
// Reads `kernels`. node may be NULL: there are none. dir: the spec's folder, in which the kernels' files are found.
struct custom *spec_read_kernels(const struct yaml_node *node, const char *dir, size_t *count, struct arena *arena,
                                 struct diag *diag);
// Reads `design`. node may be NULL: all values are defaults. model: NULL for a graph.
void spec_read_design(const struct yaml_node *node, const struct spec_model *model, struct spec_design *design,
                      struct arena *arena, struct diag *diag);
// If `weights` is a map, reads its patterns into the design, and returns the node with only the default format in its
// place.
const struct yaml_node *spec_take_formats(const struct yaml_node *node, struct spec_design *, struct arena *,
                                          struct diag *);
// Checks that names are defined once and before their use. All items of the graph must be well formed.
void spec_check_graph(const struct spec_graph *graph, struct arena *arena, struct diag *diag);
// Checks the rules that involve the design, the board and the model.
void spec_check_design(const struct rill_spec *spec, struct arena *arena, struct diag *diag);

// Whether a name has the form [A-Za-z_][A-Za-z0-9_]* and at most 63 characters, so that it can be part of Verilog
// names. dash: `-` is allowed after the first character.
bool spec_is_name(const char *s, bool dash);

#endif
