#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that the tables of functions (exp, 1/x and others) for C and Verilog in the tree are, byte for byte, the output
# of gen/numerics/tables/make_tables.c.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c11 -O2 -ffp-contract=off "$root/gen/numerics/tables/make_tables.c" -lm -o "$work/make_tables"
"$work/make_tables" c > "$work/table"
cmp "$work/table" "$root/gen/numerics/fp32_tables.inc"
for name in exp recip rsqrt ln tanh erf tail softplus; do
    "$work/make_tables" "$name" > "$work/table"
    cmp "$work/table" "$root/rtl-templates/arith/rill_fp32_${name}_table.v"
done
echo "tables: PASS"
