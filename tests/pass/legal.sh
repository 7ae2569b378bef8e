#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that `rill check` prints no message for legal specs of the tree, except warnings that a spec announces in its
# first lines. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<TEXT
usage: tests/pass/legal.sh [spec...]
  spec  these (default: those of tests/ and of configs/)
TEXT
    exit "$1"
}

log=$root/build/tests/legal.log
small=("$root"/tests/e2e/cases/*/spec.yaml "$root"/tests/spec/ok_{odd_sizes,graph_regions}.yaml)
shipped=("$root"/configs/*.yaml)
case ${*:-} in
    "") specs=("${small[@]}" "${shipped[@]}") ;;
    --help | -h) usage 0 ;;
    -*) usage 2 >&2 ;;
    *) specs=("$@") ;;
esac
mkdir -p "$root/build/tests"

# A spec with a record of the delay model may ask for a higher clock than the model supports.
clock='the design asks for [0-9]+ MHz, but by estimate the delay model|note: `clock_mhz: [0-9]+` is within it'
silent_check() ( # spec
    set -o pipefail
    "$rill" check "$1" --json 2>&1 >/dev/null | { ! grep -vE "$clock"; }
)
# A spec may say in its first lines that it exceeds its board. Then only warnings about that are allowed. If it says
# `Beyond the limits of the board`, there must be at least one such warning (warned_check).
over='warning: (die .* exceeds its limits|the design (needs more than|exceeds)|[0-9]+ bits cross)'
warned_check() { excess_alone "$1" && grep -qE "$over" "$log.warned"; } # spec
excess_alone() { # spec
    "$rill" check "$1" --json 2>"$log.warned" >/dev/null && ! grep -vE "$over|$clock" "$log.warned"
}

plan ${#specs[@]}
for spec in "${specs[@]}"; do
    how=silent_check
    ! grep -q '^# Beyond the limits of the board' "$spec" || how=warned_check
    ! sed -n 2p "$spec" | grep -q '^# Over the limits of ' || how=excess_alone
    check "${spec#"$root"/}" $how "$spec"
done
verdict
