// SPDX-License-Identifier: Apache-2.0
// Costs of the units of fp32 arithmetic (rtl-templates/arith). They are constants, except for the conversions from and
// to integers, which depend on the width, and for the product, which may saturate.
#include "gen/kernel/class.h"

static void cost_fp32_add(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, PER_FP32_ADD);
}
static void cost_fp32_mul(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, 1, PER_FP32_MUL);
    cost_per(r, args_int(a, "SATURATE", 0), PER_FP32_MUL_SATURATE);
}
static void cost_fp32_exp(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, PER_FP32_EXP);
}
static void cost_fp32_recip(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, PER_FP32_RECIP);
}
static void cost_fp32_rsqrt(const struct kernel_args *a, struct cost_resources *r) {
    (void)a, cost_per(r, 1, PER_FP32_RSQRT);
}

static void cost_fp32_from_int(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "WIDTH", 32), PER_FP32_FROM_INT_BIT);
    cost_per(r, 1, PER_FP32_FROM_INT);
}

static void cost_fp32_to_fixed(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "WIDTH", 32), PER_FP32_TO_FIXED_BIT);
}

const struct kernel_class rtl_fp32_add = {.module = "rill_fp32_add", .cost = cost_fp32_add};
const struct kernel_class rtl_fp32_exp = {.module = "rill_fp32_exp", .cost = cost_fp32_exp};
const struct kernel_class rtl_fp32_from_int = {.module = "rill_fp32_from_int", .cost = cost_fp32_from_int};
const struct kernel_class rtl_fp32_mul = {.module = "rill_fp32_mul", .cost = cost_fp32_mul};
const struct kernel_class rtl_fp32_recip = {.module = "rill_fp32_recip", .cost = cost_fp32_recip};
const struct kernel_class rtl_fp32_rsqrt = {.module = "rill_fp32_rsqrt", .cost = cost_fp32_rsqrt};
const struct kernel_class rtl_fp32_to_fixed = {.module = "rill_fp32_to_fixed", .cost = cost_fp32_to_fixed};
