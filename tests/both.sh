#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs `make test` and then `make test-deep`, even if the first one failed. The last line has the sums of both. A set
# that is killed, or that does not end with its verdict, counts as failed.
# usage: tests/both.sh
set -u
[ $# = 0 ] || { sed -n '3,5s/^# //p' "$0"; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
out=${RILL_TEST_OUT:-build/tests}
mkdir -p "$out"
good=0 bad=0 skipped=0 again=()

# Runs a set and shows its output. Adds the numbers of its verdict to the sums, and its commands for what failed to
# `again`.
run_set() { # target of make
    local said=$out/$1.said codes last amiss="" form='^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$'
    make --no-print-directory "$1" | tee "$said"
    codes=("${PIPESTATUS[@]}")
    last=$(tail -n 1 "$said")
    if [[ $last =~ $form ]]; then
        good=$((good + BASH_REMATCH[1])) bad=$((bad + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        if [ "${codes[1]}" != 0 ]; then amiss="its lines were not written"
        elif [ "${BASH_REMATCH[1]}" = 0 ]; then amiss="no check"
        elif [ "${BASH_REMATCH[2]}" = 0 ] && [ "${codes[0]}" != 0 ]; then amiss="ended with status ${codes[0]}"
        elif [ "${BASH_REMATCH[2]}" != 0 ] && [ "${codes[0]}" = 0 ]; then amiss="failed, but ended with status 0"
        fi
    else amiss="ended with status ${codes[0]} without a verdict: $last"
    fi
    mapfile -t -O ${#again[@]} again < <(sed -n '/^to run again what failed:$/,/^in [0-9]* s, /s/^    //p' "$said")
    [ -z "$amiss" ] || { echo "FAIL  make $1: $amiss" && bad=$((bad + 1)) && again+=("make $1"); }
}

run_set test
run_set test-deep
if [ ${#again[@]} != 0 ]; then
    echo "to run again what failed:"
    printf '    %s\n' "${again[@]}"
fi
if [ $skipped = 0 ]; then echo "$good passed, $bad failed"; else echo "$good passed, $bad failed, $skipped skipped"; fi
[ $bad = 0 ] && [ $good -gt 0 ]
