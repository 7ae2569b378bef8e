#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows how the forecast of a design depends on the memory's figures, the clock and the number of channels. Prints rows
# of Markdown for docs/performance.md (class: forecast). Defaults: configs/gpt2-medium-u55c-a4.yaml, the request 256:256
# and all three parts. The environment variable RILL names the program to run instead of build/rill.
#
#   bench/sensitivity.sh [--spec SPEC] [--request I:O] [memory|clock|channels]...
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
rill=${RILL:-build/rill} spec=configs/gpt2-medium-u55c-a4.yaml request=256:256 parts=()

usage() {
    sed -n '/^#   bench/s/^#   /usage: /p' "${BASH_SOURCE[0]}"
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
        --spec | --request) [ $# -gt 1 ] || usage ;;&
        --spec) spec=$2 && shift ;;
        --request) request=$2 && shift ;;
        memory | clock | channels) parts+=("$1") ;;
        *) usage ;;
    esac
    shift
done
[ ${#parts[@]} != 0 ] || parts=(memory clock channels)

# Prints a row: what is changed, tokens/s, TTFT in ms. Exits if the forecast fails.
row() { # what is changed, spec, options of the forecast...
    local what=$1 file=$2 json
    shift 2
    json=$("$rill" forecast "$file" "$request" --json "$@") || exit 1
    printf '%s\n' "$json" | awk -F'[:,]' -v what="$what" '$1 ~ /"tokens_per_second"/ || /"ttft_ms"/ {
        for (i = 1; i < NF; i++) { if ($i ~ /"tokens_per_second"/) t = $(i + 1); if ($i ~ /"ttft_ms"/) f = $(i + 1) } }
        END { printf "| %s | %.0f | %.1f |\n", what, t, f }'
}

figure() { sed -n "s/^ *$1: *\([0-9.]*\).*/\1/p" "boards/$board.yaml"; } # key of the board's memory: prints its value

# Prints a row in which all three read latencies of the memory are longer. With a third argument, the row is for that
# spec, which has this value of `outstanding`.
latency() { # ns to add, [value of `outstanding`, spec]
    local more=$1 given=() key
    shift
    for key in latency_miss_ns latency_closed_ns latency_hit_ns; do
        given+=(--hbm "$key=$(awk -v a="$(figure $key)" -v b="$more" 'BEGIN { print a + b }')")
    done
    row "latency $(awk -v a="$(figure latency_hit_ns)" -v b="$more" 'BEGIN { print a + b }') ns${1:+, $1 outstanding}" \
        "${2:-$spec}" "${given[@]}"
}

changed() { # key, value: makes a copy of the spec with this value and prints its path
    sed "s/^  $1: .*/  $1: $2/" "$spec" >"$copies/$1-$2.yaml"
    echo "$copies/$1-$2.yaml"
}

part_memory() {
    local value
    for value in 13.27 13.06 12.5 11.8 10.3 8; do row "sustained $value GB/s" "$spec" --hbm sustained_gbs=$value; done
    for value in 293 493 893; do latency $value; done
    for value in 8 4; do latency 293 $value "$(changed outstanding $value)"; done
    row "refresh 350 ns" "$spec" --hbm refresh_ns=350
    row "refresh twice as often" "$spec" \
        --hbm refresh_interval_ns="$(awk -v a="$(figure refresh_interval_ns)" 'BEGIN { print a / 2 }')"
    row "both" "$spec" --hbm refresh_ns=350 \
        --hbm refresh_interval_ns="$(awk -v a="$(figure refresh_interval_ns)" 'BEGIN { print a / 2 }')"
}

part_clock() {
    local value
    for value in 100 130 150 200 225 250 300; do row "$value MHz" "$spec" --clock $value; done
}

part_channels() {
    local value
    for value in 16 24 28 31 32; do row "$value channels" "$(changed channels $value)"; done
}

board=$(sed -n 's/^board: *//p' "$spec")
copies=$(mktemp -d)
trap 'rm -rf "$copies"' EXIT
[ -f "boards/$board.yaml" ] || { echo "sensitivity.sh: no board boards/$board.yaml" >&2; exit 1; }
echo "| $(basename "$spec" .yaml), $request | tokens/s | TTFT, ms |"
echo "|---|---:|---:|"
for part in "${parts[@]}"; do "part_$part"; done
