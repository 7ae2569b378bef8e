#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Simulates a design and its bench in Icarus, with Rill's AXI checker between them (docs/checkers.md).
# usage: verif/examples/axi/run.sh [FAULT]    FAULT 1 to 6 is planted in the design, 11 to 14 in the memory
# Refuses other numbers, because a run without a fault would pass.
set -eu
cd "$(dirname "$0")"
fault=${1:-0} model=../../model
case $fault in
0 | [1-6] | 1[1-4]) ;;
*)
    echo "run.sh: error: there is no fault $fault. Give 1 to 6 (in the design), 11 to 14 (in the memory), or none" >&2
    exit 2
    ;;
esac
sim=$(mktemp)
trap 'rm -f "$sim"' EXIT
iverilog -g2012 -Wall -Wno-timescale -Paxi_copy_tb.FAULT="$fault" -s axi_copy_tb -o "$sim" axi_copy_tb.sv axi_copy.v \
    "$model/rill_axi_checker.sv" "$model/rill_axi_violation.sv"
vvp -n "$sim" "+fault=$fault"
