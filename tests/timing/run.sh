#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the delay model of verif/timing on netlists whose longest paths and loops are known (cases.py). known.sh and
# netlist.sh test when its results are kept.
# usage: tests/timing/run.sh [CASE...]
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../verdict.sh"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
cd "$root" || exit 1

cases=("$@")
check_case() { # its name
    again="tests/timing/run.sh $1"
    check "model: $1" python3 tests/timing/cases.py "$1"
}
if [ $# = 0 ]; then
    listed=$(python3 tests/timing/cases.py) || { counted fail "list of cases" "it breaks off" && verdict; exit 1; }
    mapfile -t cases <<<"$listed"
fi
for case in "${cases[@]}"; do queue check_case "$case"; done
run_queue
verdict
