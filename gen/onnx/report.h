// SPDX-License-Identifier: Apache-2.0
// The tables that `rill import` prints about an ONNX file.
#ifndef RILL_ONNX_REPORT_H
#define RILL_ONNX_REPORT_H

#include "gen/onnx/spec.h"

// Every operator, its number of nodes, and what they became; then every reason why nodes cannot be written.
void report_operators(const struct graph *, struct text *out);
// Lists the tensors that the host computes for a part of the file, and those that it reads from it.
void report_part(const struct graph *, const struct spec *, int nodes, int all, struct text *out);
// Inputs and outputs of the design.
void report_ports(const struct graph *, const struct spec *, struct text *out);

#endif
