// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_image_header, which reads the header of the memory image at each start and checks
// it. It works before the first step, so it has no machine in the forecast.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    (void)a;
    cost_per(r, 1, PER_IMAGE_HEADER);
}

const struct kernel_class rtl_image_header = {
    .module = "rill_image_header",
    .without = "no vector parameters in this design",
    .doc = "reads the header of the memory image and checks that it fits this design",
    .contract = contract,
    .cost = cost};
