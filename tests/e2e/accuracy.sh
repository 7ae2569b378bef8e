#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the perplexity of the oracle in exact mode with that in floating point, on the shipped validation text (each
# story from its start, at most 256 positions). Limits for the difference: 0.3 % (int8), 3 % (int4 blocks, int8
# embedding and head) and 4 % (all int4).
# usage: tests/e2e/accuracy.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/design.sh"
[ $# = 0 ] || { sed -n '3,6s/^# //p' "$0"; exit 2; }
mkdir -p "$work/accuracy"
log=$work/accuracy/log

# Compares the two perplexities of the story model with other formats.
check_accuracy() { # label, bound of the difference in percent, KEY=VALUE of the spec...
    local label=$1 bound=$2 result difference
    shift 2
    variant "$story" "$work/accuracy/$label.yaml" "$@"
    if ! result=$("$rill" golden "$work/accuracy/$label.yaml" --weights "$model" --eval "$model/valid.txt" \
            --json 2>"$log"); then
        fail "accuracy $label" "$(reason)"
        return
    fi
    difference=$(sed 's/.*"difference": \([-0-9.e]*\).*/\1/' <<<"$result")
    if awk -v d="$difference" -v b="$bound" 'BEGIN { d = d < 0 ? -d : d; exit !(d * 100 <= b) }'; then
        percent=$(awk -v d="$difference" 'BEGIN { printf "%+.2f", d * 100 }')
        ok "accuracy $label: perplexity $percent % (bound $bound %)"
    else
        fail "accuracy $label" "perplexity differs by $difference (bound $bound %): $result"
    fi
}

queue check_accuracy int8 0.3 weights=int8
queue check_accuracy int4 3 weights=int4
queue check_accuracy int4-all 4 weights=int4 head=int4
run_queue
verdict
