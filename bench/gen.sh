#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures how long the compiler takes: `rill gen` of GPT-2 medium with all passes, `rill gen` of chains of operations,
# and the linear program for FIFO depths on random graphs, each at one, two and four times the size. The larger sizes
# show how the time grows. Fails if GPT-2 medium or the linear program exceeds its limit at the first size. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../tests/verdict.sh"

case ${1:-} in
    "") ;;
    --help | -h)
        echo "usage: bench/gen.sh    (a minute; limits: gen of GPT-2 medium 2 s, program of 1,000 edges 0.5 s)"
        exit 0
        ;;
    *) echo "usage: bench/gen.sh" >&2; exit 2 ;;
esac
work=$root/build/bench log=$root/build/bench.log
mkdir -p "$work"

TIMEFORMAT="%U %S" # user and system time, because elapsed time depends on other work on the machine
seconds_of() { # command...: prints the shortest processor time of three runs, in seconds
    local best="" took
    for _ in 1 2 3; do
        took=$({ time "$@" >"$log" 2>&1; } 2>&1) || return 1
        took=$(awk '{ printf "%.3f", $1 + $2 }' <<<"$took")
        [ -n "$best" ] && awk -v a="$best" -v b="$took" 'BEGIN { exit !(a <= b) }' || best=$took
    done
    echo "$best"
}

measure() { # label, limit in seconds (0: none), command...
    local label=$1 limit=$2 took
    shift 2
    if ! took=$(seconds_of "$@"); then fail "$label" "$(reason)"
    elif [ "$limit" != 0 ] && awk -v t="$took" -v l="$limit" 'BEGIN { exit !(t > l) }'; then
        fail "$label" "$took s, above $limit s"
    else ok "$label: $took s"; fi
}

# Prints a spec with a chain of additions. Each one adds the two results before it. So every result forks and its two
# paths meet again, and the depths of all FIFOs depend on each other.
chain() { # number of operations
    echo "# SPDX-License-Identifier: Apache-2.0"
    echo "name: chain"
    echo "graph: {inputs: {x0: {shape: [64]}}, outputs: [x$1], regions: [{name: main, ops: ["
    for ((i = 1; i <= $1; i++)); do echo "{op: add, name: x$i, in: [x$((i - 1)), x$((i > 2 ? i - 2 : 0))]},"; done
    echo "]}]}"
    echo "design: {fifo: timed}"
}

for fifo in safe timed auto; do
    for times in 1 2 4; do
        spec=$work/medium-$fifo-$times.yaml
        variant "$root/configs/gpt2-medium-u55c.yaml" "$spec" "fifo=$fifo" "dies=3"
        sed -i "s/^  layers: 24/  layers: $((24 * times))/" "$spec"
        queue measure "gen GPT-2 medium, $((24 * times)) layers, fifo $fifo, 3 dies" $((times == 1 ? 2 : 0)) \
            "$rill" gen "$spec" -o "$work/design"
    done
done
for times in 1 2 4; do
    chain $((100 * times)) >"$work/chain-$times.yaml"
    queue measure "gen chain of $((100 * times)) operations, fifo timed" 0 "$rill" gen "$work/chain-$times.yaml" \
        -o "$work/design"
done
if ! ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I"$root" -o "$work/lp_random" "$root/bench/lp_random.c" \
    "$root/build/librill.a" -lglpk -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lm >"$log" 2>&1; then
    counted fail "lp_random" "$(reason)"
else
    for times in 1 2 4; do
        queue measure "FIFO program, $((1000 * times)) edges" "$([ $times = 1 ] && echo 0.5 || echo 0)" \
            "$work/lp_random" $((1000 * times))
    done
fi
run_queue
verdict
