#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fits the terms of the cost formulas (include/costs.def) to the syntheses in verif/cost/measured.txt. See --help.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
table=include/costs.def

usage() {
    cat <<'TEXT'
usage: verif/cost/fit.sh [--check | --errors]
           writes include/costs.def with new figures of FITTED terms and with the error that each term leaves
  --check  changes nothing; ends with status 1 if the file is not what the measurements make of it
  --errors prints how far the formulas are from each row of verif/cost/measured.txt, the worst first
A new term is a row of include/costs.def with any figures: COST(NAME, 0, 0, 0, FITTED, 0, 0, 0, 0, 0).
The figures of a KEPT term are not changed. docs/cost-model.md explains when to use it.
TEXT
}

build() { # the library, and the program with the present table
    make --no-print-directory build/librill.a >/dev/null &&
        ${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -ffp-contract=off -I. -o build/cost_fit \
            verif/cost/fit.c build/librill.a -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm
}

mode=${1:-}
case $mode in
    --help | -h) usage; exit 0 ;;
    '' | --check | --errors) ;;
    *) usage >&2; exit 2 ;;
esac
build || exit 1
case $mode in
    --errors) build/cost_fit --errors ;;
    --check)
        build/cost_fit >build/costs.def || exit 1
        diff -u "$table" build/costs.def >build/costs.diff && exit 0
        rows=$(grep -c '^+COST' build/costs.diff) first=$(grep -m1 '^+COST' build/costs.diff | cut -c2-)
        echo "$table is not what verif/cost/fit.sh makes of verif/cost/measured.txt: $rows rows differ, first $first;" \
            "run verif/cost/fit.sh"
        exit 1 ;;
    *) build/cost_fit >build/costs.def && mv build/costs.def "$table" ;;
esac
