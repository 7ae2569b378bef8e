#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Specs that are legal in form but that a pass refuses: exit status 1, the diagnostics of <name>.expect, nothing written. And: a dump after any
# pass, read back, goes on to the same bytes of Verilog. RILL_UPDATE=1 rewrites the expectations.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ "${1:-}" != --help ] || { echo "usage: tests/pass/run.sh [--all]   --all: dumps of every config"; exit 0; }
work=$root/build/passes
rm -rf "$work"
mkdir -p "$work"
log=$work/log
cd "$root" || exit 1

refused() { # spec
    local expect=${1%.yaml}.expect got status
    rm -rf "$work/refused"
    got=$("$rill" gen "$1" -o "$work/refused" 2>&1)
    status=$?
    [ "${RILL_UPDATE:-0}" = 1 ] && printf '%s\n' "$got" >"$expect"
    [ $status = 1 ] || { echo "error: exit status $status"; return 1; }
    [ ! -e "$work/refused" ] || { echo "error: something was written"; return 1; }
    diff <(printf '%s\n' "$got") "$expect"
}

continues() { # spec, pass
    "$rill" gen "$1" -o "$work/dump" "--dump-after=$2" || return
    "$rill" gen "$work/dump/$2.yaml" -o "$work/again" || return
    cmp "$work/whole/rtl/rill_top.v" "$work/again/rtl/rill_top.v" && cmp "$work/whole/design.yaml" "$work/again/design.yaml"
}

for spec in tests/pass/*.yaml; do check "refused: $(basename "$spec" .yaml)" refused "$spec"; done
configs="configs/tinystories-gpt2-1m.yaml tests/e2e/specs/blocks.yaml"
[ "${1:-}" != --all ] || configs="configs/*.yaml tests/e2e/specs/*.yaml"
for spec in $configs; do
    "$rill" gen "$spec" -o "$work/whole" >"$log" 2>&1 || fail "$spec" "$(reason)"
    for pass in $("$rill" check --passes); do check "$(basename "$spec" .yaml) goes on after $pass" continues "$spec" "$pass"; done
done
verdict
