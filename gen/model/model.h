// SPDX-License-Identifier: Apache-2.0
// Model families: each expands a spec's sizes to a tensor graph. The only place that knows a model by name.
#ifndef RILL_MODEL_H
#define RILL_MODEL_H

#include "ir.h"
#include "spec.h"

void model_expand_gpt2(struct ir *, const struct rill_spec *);
bool model_expand_graph(struct ir *, const struct rill_spec *, struct diag *); // a graph written out in the spec

// ---- building blocks; each returns the (first) output tensor ----
struct model_builder {
    struct ir *ir;
    struct loc loc;
};
int model_op(struct model_builder *, int op, const char *name, int inputs, const int *in);
int model_op1(struct model_builder *, int op, const char *name, int a);
int model_op2(struct model_builder *, int op, const char *name, int a, int b);
// Attributes of the node that was added last.
void model_int(struct model_builder *, const char *key, int64_t);
void model_float(struct model_builder *, const char *key, double);
void model_string(struct model_builder *, const char *key, const char *);

#endif
