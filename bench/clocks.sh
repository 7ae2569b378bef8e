#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Forecasts tokens/s and the time to the first token (ms) of designs at several clocks, and prints them as a table in
# Markdown for docs/performance.md (class: forecast). The rate of the memory does not change with the clock. Defaults:
# the request 256:256, the clocks 150 to 250 MHz in steps of 25, and the specs configs/gpt2-medium-*.yaml. The
# environment variable RILL names the program to run instead of build/rill.
#
#   bench/clocks.sh [--request I:O] [--clocks "150 175 ..."] [SPEC...]
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
rill=${RILL:-build/rill} request=256:256 clocks="150 175 200 225 250" specs=()

usage() {
    sed -n '/^#   bench/s/^#   /usage: /p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
        --request | --clocks) [ $# -gt 1 ] || usage ;;&
        --request) request=$2 && shift ;;
        --clocks) clocks=$2 && shift ;;
        -*) usage ;;
        *) specs+=("$1") ;;
    esac
    shift
done
[ ${#specs[@]} != 0 ] || specs=(configs/gpt2-medium-*.yaml)

# Prints the cell of a spec at a clock: tokens/s, a slash, TTFT in ms. Returns 1 if there is no forecast.
cell() { # spec, MHz
    local json
    json=$("$rill" forecast "$1" "$request" --clock "$2" --json 2>/dev/null) || return 1
    sed -nE 's/^ *"(tokens_per_second|ttft_ms)": ([0-9.]+),$/\1 \2/p' <<<"$json" |
        awk '{ v[$1] = $2 } END { printf " %.0f / %.1f |", v["tokens_per_second"], v["ttft_ms"] }'
}

# shellcheck disable=SC2086 # one word per clock
printf '| %s |' "$request: tokens/s / TTFT in ms" && printf ' %s MHz |' $clocks && echo
echo "|---|$(printf -- '---:|%.0s' $clocks)"
for spec in "${specs[@]}"; do
    line="| $(basename "$spec" .yaml) |"
    for clock in $clocks; do
        line+=$(cell "$spec" "$clock") || { echo "clocks.sh: no forecast of $spec at $clock MHz" >&2; exit 1; }
    done
    echo "$line"
done
