// SPDX-License-Identifier: Apache-2.0
// Decides on which engine a product fires. With several engines, the product that comes n-th in the program, counted
// from 0, has engine n. Otherwise all products share engine 0.
#include <string.h>

#include "gen/bind/bind.h"
#include "gen/ir/ops.h"

int bind_product_engine(const struct ir *ir, int node) {
    int products = 0;
    for (int n = 0; n < node; n++) products += ir_node_is(ir, n, OP_PRODUCT);
    return ir->engines > 1 ? products : 0;
}
