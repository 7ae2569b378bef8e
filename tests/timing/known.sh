#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests when verif/timing/known.py considers the kept result of a walk current: it must be current after a change of
# comments or layout, and stale after a change of logic, of a delay, of the model's version or of the floorplan. The
# test uses a library of a few modules in a separate folder and no Yosys. Prints one line per case.
# usage: tests/timing/known.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,6s/^# //p' "$0"; exit 2; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log work=$scratch/build/timing timing=$scratch/verif/timing
# model.py changes twice within a second here, and Python compares compiled files with their source by seconds.
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$scratch/rtl-templates/stream" "$timing" "$work"
cp "$root"/verif/timing/{*.py,delays.txt} "$timing" && echo '# Rows.' >"$timing/paths.txt"
printf '%s\n' 'rill_pair WIDTH=4' 'rill_leaf' 'rill_engine LANES=2' >"$scratch/lines"
echo 'rill_place pblock_SLR0 {u_shared/u_engine/gen_lane[0].u_lane}' >"$scratch/pblocks.tcl"

leaf() { # expression: writes the module rill_leaf
    printf '%s\n' 'module rill_leaf (input wire a, output wire y);' "    assign y = $1;" endmodule \
        >"$scratch/rtl-templates/stream/rill_leaf.v"
}
# shellcheck disable=SC2120 # the lines are optional
pair() { # lines in the middle: writes the module rill_pair, which has an instance of rill_leaf and includes a header
    printf '%s\n' '`include "rill_width.vh"' 'module rill_pair (input wire a, output wire y);' "$@" \
        '    rill_leaf u_leaf (.a(a), .y(y));' endmodule >"$scratch/rtl-templates/stream/rill_pair.v"
}
header() { echo "localparam W = $1; // a width" >"$scratch/rtl-templates/stream/rill_width.vh"; }
known() { python3 "$timing/known.py" --floorplan "$scratch/pblocks.tcl" "$@"; }
needs() { # names: checks that exactly these modules must be walked again, in the order of $scratch/lines
    known --stale "$scratch/lines" | sed 's/ .*//' | paste -sd' ' | grep -qx "$1"
}
nothing() { [ -z "$(known --stale "$scratch/lines")" ] && known --check; } # every result is current
# Writes the table of a module as a walk does, and marks it as current.
walked() { # line of $scratch/lines, ns of its longest path
    printf '{"arrive":{},"depart":{},"through":[],"clbs":1.0,"bare":[],"inside":{},"parts":[],%s}' \
        '"paths":[['"$2"',1,"a","y"]],"resets":[]' \
        >"$work/$(cd "$timing" && python3 -c 'import sys, walk; print(walk.netlist_name(sys.argv[1]))' "$1").table"
    known --mark "$1"
}
walk_all() {
    walked 'rill_pair WIDTH=4' 1.5 && walked 'rill_leaf' 1.2 && walked 'rill_engine LANES=2' 3.5 &&
        known --store "$scratch/lines"
}
# Checks that known.py says that the row of a line is stale.
told() { grep -qx "stale: $1" <<<"$(known --check)"; }
# Changes the hash in the row of a module, as if the row were from another version of the module. It must be stale.
with_another_key() { # line
    sed -i -E "s/ [0-9a-f]{16}( $1)\$/ 0123456789abcdef\1/" "$timing/paths.txt"
    told "$1"
}
# Checks that known.py restores the tables of all walks from the rows of paths.txt, which is in the tree.
restored() { rm -rf "$work" && mkdir "$work" && nothing && [ "$(find "$work" -name '*.table' | wc -l)" = 3 ]; }
# A walk that finds another time than the row of the same logic must say so.
other_result() { grep -q '^1.30 ns, but its row of the same logic says 1.20 ns' <<<"$(walked 'rill_leaf' 1.3)"; }

leaf 'a'
header 4
pair
printf '%s\n' 'module rill_engine (input wire a, output wire y);' endmodule \
    >"$scratch/rtl-templates/stream/rill_engine.v"
queue check "what was never walked" needs 'rill_pair rill_leaf rill_engine'
prepare walk_all
queue check "what was walked" nothing
prepare pair '    // A comment,' '    /* and' '       another */'
queue check "a comment" nothing
prepare leaf '  a /* same */'
queue check "layout" nothing
prepare header '4 '
queue check "layout of a header" nothing
prepare sed -i 's/(input/((* user_sll_reg = "true" *) input/' "$scratch/rtl-templates/stream/rill_leaf.v"
queue check "an attribute that only a placer reads" nothing
queue check "tables from the tree alone" restored
prepare leaf '~a'
queue check "a module of other logic, and what instantiates it" needs 'rill_pair rill_leaf'
queue check "its row" told 'rill_leaf'
prepare leaf 'a'
prepare header 5
queue check "a header of other logic" needs 'rill_pair'
prepare header 4
prepare sed -i 's/gen_lane\[0\]/gen_lane[1]/' "$scratch/pblocks.tcl"
queue check "an engine with another floorplan" needs 'rill_engine'
prepare sed -i 's/gen_lane\[1\]/gen_lane[0]/' "$scratch/pblocks.tcl"
prepare sed -i 's/^VERSION = .*/VERSION = 0/' "$timing/model.py"
queue check "a model of another version" needs 'rill_pair rill_leaf rill_engine'
prepare cp "$root/verif/timing/model.py" "$timing/model.py"
prepare sed -i -E 's/^(lut +)0.10/\10.11/' "$timing/delays.txt"
queue check "another delay" needs 'rill_pair rill_leaf rill_engine'
prepare cp "$root/verif/timing/delays.txt" "$timing/delays.txt"
queue check "another result of the same logic" other_result
queue check "a row of another key" with_another_key 'rill_leaf'
run_queue
verdict
