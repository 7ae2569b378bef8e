#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The timing model of verif/timing on netlists whose longest paths and loops are known: tests/timing/run.sh [CASE...]
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../verdict.sh"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
cd "$root" || exit 1

cases=("$@")
[ $# != 0 ] || mapfile -t cases < <(python3 tests/timing/cases.py)
if [ $# = 0 ]; then plan 35; else plan $#; fi
for case in "${cases[@]}"; do
    again="tests/timing/run.sh $case"
    check "model: $case" python3 tests/timing/cases.py "$case"
done
verdict
