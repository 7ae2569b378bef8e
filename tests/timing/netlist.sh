#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests when verif/timing synthesizes a netlist again: it must do so after a change of logic, but not after a change of
# comments or layout. Uses a library of one module in a separate folder. Prints one line per case.
# usage: tests/timing/netlist.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,5s/^# //p' "$0"; exit 2; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/rtl-templates/stream" && ln -s "$root/verif" "$scratch/verif"
log=$scratch/log root=$scratch

template() { # the lines in the middle
    printf '%s\n' 'module rill_pair (input wire clk, input wire [3:0] a, output reg [3:0] y);' "$@" \
        'endmodule' >"$scratch/rtl-templates/stream/rill_pair.v"
}
made() { # returns 0 if synthesize_once writes the netlist, 1 if it keeps the existing one, 2 if the synthesis fails
    local before after
    before=$(stat -c %i.%Y "$work/pair.json" 2>/dev/null)
    sleep 1.1 # the time of modification is compared in whole seconds
    synthesize_once pair rill_pair || return 2
    after=$(stat -c %i.%Y "$work/pair.json")
    [ "$before" != "$after" ]
}
kept() {
    local status=0
    made || status=$?
    [ $status = 1 ]
}

template "    always @(posedge clk) y <= a + 4'd3;"
. "$root/verif/timing/netlist.sh"
queue check "a netlist that is not there" made
queue check "a netlist of the same text" kept
prepare template '    // A comment.' '    localparam [3:0] THREE = 3;' '    always @(posedge clk) y <= a + THREE;'
queue check "a netlist of the same logic in another form" kept
prepare template '    localparam [3:0] THREE = 4;' '    always @(posedge clk) y <= a + THREE;'
queue check "a netlist of other logic" made
run_queue
verdict
