// SPDX-License-Identifier: Apache-2.0
// Declarations that the parts of the spec reader share. spec.c reads the top level and calls the others.
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

// All functions report errors to diag and continue as far as possible. The readers of `model` and `graph` return NULL
// after an error. dir: the spec's folder, to which the path of a user's family is relative.
struct spec_model *spec_read_model(const struct yaml_node *node, const char *dir, struct arena *arena,
                                   struct diag *diag);
// Expands the graph of the model's family for the model and the design, and reads it.
struct spec_graph *spec_model_graph(struct spec_model *, const struct spec_design *, struct arena *, struct diag *);
struct spec_graph *spec_read_graph(const struct yaml_node *node, struct arena *arena, struct diag *diag);
// Reads `kernels`; node may be NULL, which means none. Returns the list of kernels, which also has those with errors.
// dir: the folder to which the paths of the kernels' files are relative.
struct custom *spec_read_kernels(const struct yaml_node *node, const char *dir, size_t *count, struct arena *arena,
                                 struct diag *diag);
// Reads `design`; node may be NULL, which means that all values are defaults. model: NULL if the spec has a graph.
void spec_read_design(const struct yaml_node *node, const struct spec_model *model, struct spec_design *design,
                      struct arena *arena, struct diag *diag);
// Returns the node of `design`. If its `weights` is a map, reads the patterns of this map into the design and returns a
// copy of the node whose `weights` is only the default format.
const struct yaml_node *spec_take_formats(const struct yaml_node *node, struct spec_design *, struct arena *,
                                          struct diag *);
// Checks that the tensor names of a graph are defined once and before their use. The graph must have been read without
// errors.
void spec_check_graph(const struct spec_graph *graph, struct arena *arena, struct diag *diag);
// Checks the rules between keys of the design, and between the design and the board or the model.
void spec_check_design(const struct rill_spec *spec, struct arena *arena, struct diag *diag);

// Returns whether a name has the form [A-Za-z_][A-Za-z0-9_]* and at most 63 characters, so that it can be part of
// Verilog names. dash: `-` is allowed after the first character.
bool spec_is_name(const char *s, bool dash);

#endif
