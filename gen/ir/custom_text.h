// SPDX-License-Identifier: Apache-2.0
// Custom kernels in the IR's text form.
#ifndef RILL_CUSTOM_TEXT_H
#define RILL_CUSTOM_TEXT_H

#include "gen/ir/ir.h"
#include "gen/base/yaml.h"

void custom_write(struct yaml_writer *, const struct custom *);
// Reads the list `custom` of a dump. False after an error.
bool custom_read(struct ir *, const struct yaml_node *root, struct diag *);

#endif
