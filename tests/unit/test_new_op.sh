#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests tools/new-op, which adds an operation to the compiler, in a copy of the tree. The files that it writes must
# compile, and the module bench must pass. With docs/spec.md, which gets the new table of operations, at most 15 files
# may change. Each file that the script changes must have a mark `NEW-OP`, except three tables. A name that exists must
# be refused.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" # tests/unit/run.sh starts all shell tests with sh
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$work" -xf -
cd "$work"
[ -z "$(tools/new-op --marks)" ] || { echo "new-op: marks in the tree: $(tools/new-op --marks | head -n 1)"; exit 1; }
tools/new-op dummy low high >marks
mapfile -t changed < <(diff -rq "$root" . | grep -v ': \(build\|\.git\|marks\)$' |
    sed -n 's/^Files .* and \.\/\(.*\) differ$/\1/p; s/^Only in \.\/\(.*\): \(.*\)$/\1\/\2/p')
[ "${#changed[@]}" -le 14 ] || { echo "new-op: ${#changed[@]} files and docs/spec.md, of at most 15"; exit 1; }
tools/new-op --marks >left
for file in "${changed[@]}"; do
    case $file in
        # the rows in these files may need no change by hand, so they need no mark
        include/costs.def | rtl-templates/kernel/lint.txt | verif/cost/measured.txt) ;;
        *) grep -q "^$file:[0-9]*: NEW-OP dummy: " left || { echo "new-op: no mark in $file"; exit 1; } ;;
    esac
done
for file in gen/ir/ops.c gen/kernel/{kernel,dummy}.c gen/numerics/ops_unary.c \
        gen/reference/{exact,float,shapes,spec_graph}.c verif/replay/replay_ops.c tests/fuzz/graph_{ops,text}.c; do
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I. -fsyntax-only "$file"
done
verif/modules/run.sh --quick rill_dummy >log || { head -n 3 log; exit 1; }
if tools/new-op dummy >log 2>&1; then echo "new-op: a second dummy is taken"; exit 1; fi
echo "new-op: PASS"
