// SPDX-License-Identifier: Apache-2.0
// Writes the tables that `rill import` prints about an ONNX file.
#ifndef RILL_ONNX_REPORT_H
#define RILL_ONNX_REPORT_H

#include "gen/onnx/spec.h"

// Lists every operator, the number of its nodes, and what they became. Then lists every reason why nodes cannot be
// written.
void report_operators(const struct graph *, struct text *out);
// For a design of a part of the file: lists the tensors that the host must compute for the design, and those with which
// the host must continue. nodes, all: number of nodes in the part and in the file.
void report_part(const struct graph *, const struct spec *, int nodes, int all, struct text *out);
// Lists the inputs and outputs of the design.
void report_ports(const struct graph *, const struct spec *, struct text *out);

#endif
