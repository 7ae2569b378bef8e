#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates the netlist that Yosys makes of a design, instead of the RTL, and compares every stream with the replay.
# `make pnr` runs it. See --help.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
rill=$root/build/rill work=$root/build/pnr spec=$here/linear.yaml fault=()

usage() {
    cat <<'TEXT'
usage: verif/pnr/gates.sh [--fault N] [SPEC]
  --fault N  with a fault: the N-th AND of the netlist, counted from 0, is an OR
  SPEC       default: verif/pnr/linear.yaml
Synthesizes the design to gates and registers, module by module (Yosys, generic cells; memories stay memories). Then
runs `rill sim` with the netlist instead of the RTL. Every beat of every stream must equal the replay's. Exit status: 0
if all are equal, 1 if not, 2 after wrong arguments. Takes about two minutes of processor time.
TEXT
    exit "$1"
}

while [ $# -gt 0 ]; do
    case $1 in
        --fault) fault=(--fault "${2:-}") && shift ;;
        --help | -h) usage 0 ;;
        -*) usage 2 >&2 ;;
        *) spec=$1 ;;
    esac
    shift
done
mkdir -p "$work"
design=$work/gates log=$work/gates.log
rm -rf "$design"
# Generates the design and its image, and replaces the RTL by the netlist. `synth -run begin:fine` stops before the
# stage `fine`. The steps of that stage are listed here without memory_map, so that memories stay memories.
synthesize() (
    "$rill" gen "$spec" -o "$design" && "$rill" pack "$spec" --weights random:1 -o "$design" && cd "$design" &&
        yosys -q -p "read_verilog -defer $(tr '\n' ' ' <filelist.f)
            hierarchy -top rill_top
            synth -top rill_top -run begin:fine
            opt -fast -full; opt -undriven -fine; techmap; opt -fast; abc -fast; opt -fast; clean
            tee -q -o ../gates.stat stat
            write_verilog -noattr ../gates.v" &&
        python3 "$here/gates.py" ../gates.v "${fault[@]}" >rtl/gates.v && echo rtl/gates.v >filelist.f
)
if ! synthesize >"$log" 2>&1; then
    echo "error: no netlist; $log ends with:" >&2
    tail -n 3 "$log" >&2
    exit 1
fi
echo "netlist of $(awk '/Number of cells/ { cells = $4 } END { print cells }' "$work/gates.stat") cells"
# If multipliers work twice in a cycle, their gates have a second clock, which `rill sim --pumped` drives.
pumped=()
! grep -q clk_2x "$design/sim/rill_sim_top.sv" || pumped=(--pumped)
RILL_QUICK_BUILD=1 "$rill" sim "$design" "${pumped[@]}"
