// SPDX-License-Identifier: Apache-2.0
// Writes and reads custom kernels in dumps, the IR's text form; ir_write_text and ir_read use it.
#ifndef RILL_CUSTOM_TEXT_H
#define RILL_CUSTOM_TEXT_H

#include "gen/ir/ir.h"
#include "gen/base/yaml.h"

// Writes one item of the list `custom`.
void custom_write(struct yaml_writer *, const struct custom *);
// Reads the list `custom` of a dump. Returns false after an error.
bool custom_read(struct ir *, const struct yaml_node *root, struct diag *);

#endif
