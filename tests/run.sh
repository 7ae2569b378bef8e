#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test, part by part; one line per check, and one verdict at the end. `make test` runs the quick selection, `make test-all` all of it.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.."
all=() quick=(--quick)
case ${1:-} in
    --all) all=(--all) quick=() ;;
    "") ;;
    *) echo "usage: tests/run.sh [--all]" && exit 2 ;;
esac
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

part() { # title, command...
    local started=$SECONDS
    echo "== $1"
    shift
    "$@" 2>&1 | tee -a "$lines"
    echo "   ($((SECONDS - started)) s)"
}

part "C unit tests" tests/unit/run.sh
part "C unit tests under sanitizers" tests/unit/run.sh --sanitize
[ -x tests/pass/run.sh ] && part "specs that passes refuse" tests/pass/run.sh
part "emitted files" tests/emit/run.sh "${all[@]}"
part "module benches" verif/unit/run.sh "${quick[@]}"
part "templates alone" verif/unit/lint_templates.sh "${quick[@]}"
part "end to end" tests/e2e/matrix.sh "${all[@]}"
[ -x tests/e2e/failures.sh ] && part "failures" tests/e2e/failures.sh

good=$(grep -c '^ok ' "$lines") bad=$(grep -c '^FAIL' "$lines") skipped=$(grep -c '^skip' "$lines")
if [ "$skipped" = 0 ]; then echo "$good passed, $bad failed"; else echo "$good passed, $bad failed, $skipped skipped"; fi
[ "$bad" = 0 ] && [ "$good" -gt 0 ]
