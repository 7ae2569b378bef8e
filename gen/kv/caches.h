// SPDX-License-Identifier: Apache-2.0
// The KV caches as hardware.
#ifndef RILL_CACHES_H
#define RILL_CACHES_H

#include "include/ir.h"

// The kernels of the KV caches, when the engines are there.
void bind_attention(struct ir *);

#endif
