#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares simulated and forecast cycles of requests to small designs, from the start register to the interrupt, without
# memory jitter. `designs` compares several designs, `memory` one design with several figures of the memory. Without an
# argument, both run. Prints rows of Markdown for docs/timing.md (classes: simulated, forecast). Takes a quarter of an
# hour.
#
#   bench/beside.sh [designs|memory]...
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rill=build/rill work=build/bench/beside parts=("$@")

usage() {
    sed -n '/^#   bench/s/^#   /usage: /p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

for part in "$@"; do [[ $part =~ ^(designs|memory)$ ]] || usage; done
[ ${#parts[@]} != 0 ] || parts=(designs memory)
rm -rf "$work" && mkdir -p "$work" # designs of an earlier run may have other RTL

# Generates a case of tests/e2e/cases with this value of `fifo` and builds its simulation, unless this run has done so.
design() { # name of the case, fifo
    local dir=$work/$1.$2
    [ ! -e "$dir/built" ] || return 0
    rm -rf "$dir"
    sed "/^  fifo:/d; s/^design:.*/&\n  fifo: $2/" "tests/e2e/cases/$1/spec.yaml" >"$dir.yaml"
    "$rill" gen "$dir.yaml" -o "$dir" >"$dir.log"
    "$rill" pack "$dir.yaml" --weights random:1 -o "$dir" >>"$dir.log"
    RILL_QUICK_BUILD=1 "$rill" sim "$dir" --build-only >>"$dir.log"
    touch "$dir/built"
}

cycles() { sed -n 's/^ *"cycles_prefill": \([0-9]*\),*$/\1/p' "$1" | head -n 1; }

# Prints a row of a table: the given cells, then simulated and forecast cycles.
row() { # first cells, name of the case, fifo, rows of the request, options of sim and forecast for the memory...
    local cells=$1 dir=$work/$2.$3 rows=$4
    design "$2" "$3"
    shift 4
    RILL_QUICK_BUILD=1 "$rill" sim "$dir" --tokens "$rows" --json "$dir.sim.json" "$@" >>"$dir.log"
    "$rill" forecast "$dir/design.yaml" "$rows:1" --json "$@" >"$dir.forecast.json"
    awk -v cells="$cells" -v rtl="$(cycles "$dir.sim.json")" -v of="$(cycles "$dir.forecast.json")" '
        function digits(n) { return n < 1000 ? n : int(n / 1000) sprintf(",%03d", n % 1000) }
        BEGIN { printf "| %s | %s | %s |\n", cells, digits(rtl), digits(of) }'
}

designs() {
    local name fifo rows
    echo "| design | \`fifo\` | in:out | RTL, cycles | forecast |"
    echo "|---|---|---|---:|---:|"
    while read -r name fifo rows; do row "$name | $fifo | $rows:1" "$name" "$fifo" "$rows"; done <<TEXT
five timed 20
blocks timed 4
spills timed 19
mixer safe 7
transpose safe 7
TEXT
}

# Compares a design that keeps every value in memory. Each row changes one figure of the memory.
memory() {
    local change
    echo "| of the memory | RTL, cycles | forecast |"
    echo "|---|---:|---:|"
    for change in ids=1 ids=2 ids=3 ids=4 read_to_write_ns=200 write_to_read_ns=200 latency_miss_ns=500; do
        row "\`$change\`" spills safe 19 --hbm "$change"
    done
}

for part in "${parts[@]}"; do "$part"; done
