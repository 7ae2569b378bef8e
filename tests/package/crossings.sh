#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that every die crossing of a package goes from flip-flop to flip-flop, with the placement as Vivado applies it
# (crossings.py). Yosys writes the netlist.
# usage: tests/package/crossings.sh FOLDER TOP WORK [MODE:PLACEMENT...]    WORK: folder for two netlists (JSON), which
# are kept if the package's Verilog is the same; MODE: soft, hard; PLACEMENT: a path, relative to FOLDER (default: both
# modes of placement.tcl)
set -u -o pipefail
[ $# -ge 3 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 top=$2 work=$(realpath -m "$3")
shift 3
[ $# != 0 ] || set -- {soft,hard}:placement.tcl
mkdir -p "$work" && cd "$folder" || exit 1
# `setattr -unset src` removes the source lines of cells: `flatten` would join them for every copy of a cell, which
# takes a quarter of the time. RILL_PUMP selects the logic with the second clock, as on the card, for beats sent in
# halves.
macros=""
! grep -q rill_half_send filelist.f || macros=-DRILL_PUMP
state=$(xargs cat <filelist.f | sha1sum)
if [ "$(cat "$work/state" 2>/dev/null)" != "$state" ]; then
    rm -f "$work/state"
    yosys -q -p "read_verilog -defer $macros $(tr '\n' ' ' <filelist.f); hierarchy -check -top $top; proc
        setattr -unset src; write_json $work/hierarchy.json; select -set hops *rill_hop_stage*; simplemap @hops
        opt_expr @hops; opt_dff @hops; flatten; opt_expr -fine; opt_dff; opt_clean; write_json $work/flat.json" \
        2>&1 | grep -v "^Warning: " >&2
    [ "${PIPESTATUS[0]}" = 0 ] || exit 1
    echo "$state" >"$work/state"
fi
exec python3 "$here/crossings.py" "$work/hierarchy.json" "$work/flat.json" "$@"
