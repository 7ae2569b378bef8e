#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints for each spec a hash of everything that `rill gen` emits. Equal hashes before and after a change show that it
# changes no design. See --help.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

usage() {
    cat <<'TEXT'
usage: tests/emit/hashes.sh [--rill PROGRAM] [spec...]
  --rill PROGRAM  default build/rill
  spec            default: those of configs, tests/e2e/cases and tests/fuzz/found
Prints a line `HASH SPEC` per spec. Each hash covers all emitted files and the output of `rill forecast SPEC 8:8`, or
the error output if `rill gen` fails.
    tests/emit/hashes.sh >before; ...; tests/emit/hashes.sh | diff before -
TEXT
}

rill=$root/build/rill specs=()
while [ $# -gt 0 ]; do
    case $1 in
        --rill) rill=$2 && shift ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) specs+=("$1") ;;
    esac
    shift
done
cd "$root" || exit 1
[ ${#specs[@]} != 0 ] || specs=(configs/*.yaml tests/e2e/cases/*/spec.yaml tests/fuzz/found/*.yaml)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Prints the text that is hashed for one spec. The folder always has the same name, because outputs may contain it.
hash_of() { # spec
    rm -rf "$work/d"
    "$rill" gen "$1" -o "$work/d" >"$work/log" 2>&1 || { cat "$work/log" && return; }
    (cd "$work/d" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
    "$rill" forecast "$1" 8:8 2>&1
}

for spec in "${specs[@]}"; do
    printf '%s %s\n' "$(hash_of "$spec" | sha256sum | cut -c1-16)" "$spec"
done
