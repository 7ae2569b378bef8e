// SPDX-License-Identifier: Apache-2.0
// The values of the registers `fault` and `ending`, which say how a request ended: the rows of endings.def. The host
// programs and the simulation share this header.
#ifndef RILL_ENDINGS_H
#define RILL_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

enum fault_code {
#define FAULT(id, code, ends, text) FAULT_##id = (code),
#include "include/endings.def"
};

enum ending_code {
#define ENDING(id, code, text) ENDING_##id = (code),
#include "include/endings.def"
};

// Returns whether a fault ends one request alone. In a design with slots, the other requests then go on.
bool fault_ends_request_alone(uint64_t fault);

// Describes a value of the register. Returns NULL if the table has no such value.
const char *fault_text(uint64_t fault);
const char *ending_text(uint64_t ending);

#endif
