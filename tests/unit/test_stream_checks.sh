#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that the stream checker and the sink of the benches (verif/modules) report each broken rule of a stream with
# its own message.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
iverilog -g2012 -y "$here/../../verif/modules" -s stream_breaches -o "$work/sim" "$here/stream_breaches.v"

# Checks that the bench with this breach prints a line that matches the pattern, and prints PASS only for breach 0,
# which breaks no rule. stream_breaches.v lists the breaches.
says() { # breach, pattern
    vvp -n "$work/sim" "+break=$1" >"$work/log"
    grep -q "$2" "$work/log" || { echo "error: breach $1: no '$2': $(tail -n 1 "$work/log")"; exit 1; }
    [ "$1" = 0 ] || ! grep -q '^PASS' "$work/log" || { echo "error: breach $1 passed"; exit 1; }
}

says 0 '^PASS'
says 1 '^FAIL.*u_checker.*tvalid is not low in reset'
says 2 '^FAIL.*u_checker.*tready is not low in reset'
says 3 '^FAIL.*u_checker.*tvalid dropped before the transfer'
for breach in 4 5 6; do says $breach '^FAIL.*u_checker.*payload changed while stalled'; done
says 7 '^FAIL.*u_checker.*unknown bits in a valid beat'
for breach in 8 9; do says $breach '^FAIL.*u_checker.*tvalid or tready unknown'; done
for breach in 10 11 12; do says $breach '^FAIL.*u_snk.*word 2 is data'; done
says 13 '^FAIL.*u_snk.*word 4 is data'
