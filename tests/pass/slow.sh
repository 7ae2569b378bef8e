# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh and dumps.sh: makes a spec for a board with a slow clock.
# shellcheck shell=bash disable=SC2154 # variables of the scripts that source this

slow_board() { # file to write, line to add to its `design`; the board has 120 MHz by default and at most 160 MHz
    sed 's/^name: .*/name: slow/; s/default_mhz: 250, max_mhz: 300/default_mhz: 120, max_mhz: 160/' \
        "$root/tests/spec/boards/small.yaml" \
        >"$work/slow-board.yaml"
    sed "s#^board: .*#board: slow-board.yaml#; s/^design:/design:\n  $2/" "$root/configs/graph-linear.yaml" >"$1"
}
