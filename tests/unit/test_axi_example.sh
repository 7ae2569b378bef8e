#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the example of docs/checkers.md: a design from outside Rill, checked by rill_axi_checker. Without a fault it
# passes; each planted fault is reported with the expected message; numbers of no fault are refused. The test copies
# only the files that the page names, which shows that they are enough.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/verif/examples" "$work/verif/model"
cp -r "$root/verif/examples/axi" "$work/verif/examples"
cp "$root/verif/model/rill_axi_checker.sv" "$root/verif/model/rill_axi_violation.sv" "$work/verif/model"

# Runs the example with a planted fault and looks for a pattern in its output. Faults: 0 none, 1 to 6 in the design,
# 11 to 14 in the memory.
says() { # fault, pattern
    "$work/verif/examples/axi/run.sh" "$1" >"$work/log" 2>&1 || true
    grep -q "$2" "$work/log" || { echo "error: fault $1: no '$2': $(head -n 1 "$work/log")"; exit 1; }
    [ "$1" = 0 ] || ! grep -q '^PASS' "$work/log" || { echo "error: fault $1 passed"; exit 1; }
}

says 0 '^PASS'
says 1 'AR changed or withdrawn while stalled (address 0*10)'
says 2 'burst at 0*ff0 crosses a 4 KiB boundary'
says 3 'size is not the full width (address 0*10000)'
says 4 'AxCACHE is reserved'
says 5 'W changed or withdrawn while stalled'
says 6 'WLAST on the wrong beat of the burst at 0*10000'
says 11 'RLAST on the wrong beat of the burst (id 0)'
says 12 'B with id 0, for which no burst is complete'
says 13 'R changed or withdrawn while stalled'
says 14 '^FAIL: 0 reads and 1 writes are open'
for unknown in 7 15 -1 1x; do says "$unknown" "there is no fault $unknown\."; done
