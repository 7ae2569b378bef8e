#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests `rill platform --compare`: it reads every format of the vendor's tools that it claims to read, compares only
# figures with the same meaning, finds a changed figure of a board file, and refuses what it cannot read with line and
# column. The files here were written by hand in the tools' formats. Also checks that designs over the limits say in
# their first lines by how much.
# usage: tests/platform/run.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '7,7s/^# //p' "$0"; exit 2; }
here=$root/tests/platform work=$root/build/tests/platform log=$root/build/tests/platform.log
rm -rf "$work" && mkdir -p "$work"

agrees() { # number of figures that must be compared and all agree, file and options of --compare...
    local figures=$1
    shift
    "$rill" platform u55c --compare "$@" && "$rill" platform u55c --compare "$@" --json >"$work/all.json" &&
        python3 - "$work/all.json" "$figures" <<'PY'
import json, sys
said = json.load(open(sys.argv[1]))
if said["differ"] or len(said["figures"]) != int(sys.argv[2]):
    sys.exit(f"{len(said['figures'])} figures, {said['differ']} differ")
PY
}
edited() { # file of this folder, sed command: prints the path of an edited copy; returns 1 if nothing changes
    sed "$2" "$here/$1" >"$work/$1" && ! cmp -s "$here/$1" "$work/$1" && echo "$work/$1"
}
# Changes a figure of the board file. The comparison must name its key, line and column and return 1.
board_is_wrong() { # file of the tools, sed command on boards/u55c.yaml, key, options...
    local file=$1 edit=$2 key=$3 status=0 line
    shift 3
    sed "$edit" "$root/boards/u55c.yaml" >"$work/wrong.yaml"
    line=$(diff "$root/boards/u55c.yaml" "$work/wrong.yaml" | sed -n '1s/[^0-9].*//p')
    [ -n "$line" ] || { echo "error: nothing was changed"; return 1; }
    "$rill" platform "$work/wrong.yaml" --compare "$here/$file" "$@" || status=$?
    [ "$status" = 1 ] && "$rill" platform "$work/wrong.yaml" --compare "$here/$file" "$@" |
        grep -E "wrong.yaml:$line:[0-9]+: $key is .*; .*$file:[0-9]+:[0-9]+ has "
}
broken() { # name of the check, file, sed command that damages it, pattern of the message
    local copy
    copy=$(edited "$2" "$3") || { fail "$1" "error: nothing was changed"; return; }
    check_refused "$1" 1 "$4" "$rill" platform u55c --compare "$copy"
}
# Checks that the first lines of a spec give each excess over the limits that the design's report gives, and that a spec
# without such lines is within its limits. The report of `rill gen` is used, because `rill check` would first search for
# changes that help.
excess_is_told() { # spec
    local spec=$1 copy=$work/${1##*/} number
    sed '/^  dies:/d; s/^design:/design:\n  dies: 3/' "$spec" >"$copy"
    "$rill" gen "$copy" -o "$work/design" >/dev/null 2>&1 || return
    sed -n '/over its limit/s/.*over its limit//p' "$work/design/report.txt" | grep -oE 'by [0-9.]+' | sed 's/by //' |
        sort -u >"$work/excess.txt"
    if ! sed -n 2p "$spec" | grep -q '^# Over the limits of'; then
        [ ! -s "$work/excess.txt" ] ||
            { echo "error: $spec is over its limits: $(paste -sd, "$work/excess.txt")"; return 1; }
        return 0
    fi
    [ -s "$work/excess.txt" ] || { echo "error: $spec is within its limits"; return 1; }
    sed -n 2,4p "$spec" | tr -d , >"$work/told.txt"
    while read -r number; do
        grep -qwF "$number" "$work/told.txt" || { echo "error: $spec does not tell the excess of $number"; return 1; }
    done <"$work/excess.txt"
}

specs=()
for spec in "$root"/configs/*-u55c*.yaml "$root"/configs/gpt2-medium-u280.yaml; do specs+=("$spec"); done
queue check "platforminfo, text" agrees 20 "$here/info.txt"
queue check "platforminfo, JSON" agrees 16 "$here/info.json"
queue check "report by site type and dies" agrees 19 "$here/sites.rpt"
queue check "report by hierarchy, without the kernel's name" agrees 5 "$here/cells.rpt"
queue check "report by hierarchy" agrees 5 "$here/cells.rpt" --kernel small_1
queue check "report by hierarchy, its ports" agrees 5 "$here/cells.rpt" --kernel small_1 --ports 1
queue check "report by kernel" agrees 10 "$here/kernels.rpt"
queue check "lines that end in CR LF" agrees 19 "$(edited sites.rpt 's/$/\r/')"
queue check "a region too large" board_is_wrong info.txt 's/dsp: 2784/dsp: 3072/' 'slrs\[1\].region.dsp'
queue check "a region too large, by JSON" board_is_wrong info.json 's/lut: 395000/lut: 420000/' 'slrs\[2\].region.lut'
queue check "the device's totals shared equally" board_is_wrong sites.rpt \
    's/^    lut: 439680/    lut: 434560/' 'slrs\[0\].lut'
queue check "flip-flops of a die" board_is_wrong sites.rpt \
    '0,/^    ff: 864000/s/^    ff: 864000/    ff: 869120/' 'slrs\[1\].ff'
queue check "wires from die to die" board_is_wrong sites.rpt 's/^sll: 23040/sll: 23041/' sll
queue check "more wires of the platform than a build has" board_is_wrong sites.rpt \
    's/platform_wires: 5339/platform_wires: 7001/' \
    'slrs\[0\].platform_wires'
queue check "wires of the other boundary" board_is_wrong sites.rpt 's/platform_wires: 5093/platform_wires: 6101/' \
    'slrs\[1\].platform_wires'
queue check "more cells of the platform than a build has" board_is_wrong kernels.rpt \
    's/ff: 162782/ff: 165200/' platform_cells.ff
queue check "fewer cells of the platform than outside the region" board_is_wrong cells.rpt \
    's/lut: 120472/lut: 107000/' \
    platform_cells.lut
queue check "fewer cells of the platform than its ports explain" board_is_wrong cells.rpt 's/lut: 120472/lut: 110000/' \
    platform_cells.lut --kernel small_1 --ports 1
queue check_refused "the board of another card" 1 'info.txt:[0-9]+:[0-9]+: error: board u50 has no die `SLR2`' \
    "$rill" platform u50 --compare "$here/info.txt"
queue check_refused "a kernel that is not there" 1 'cells.rpt:[0-9]+:[0-9]+: error: no instance `large_1`' \
    "$rill" platform u55c --compare "$here/cells.rpt" --kernel large_1
queue broken "a count that is none" info.txt \
    's/LUTs:  365000/LUTs:  many/' 'info.txt:48:14: error: `many`: a count from 0'
queue broken "a negative count" info.json 's/"lutCount": 365000/"lutCount": -3/' \
    'info.json:15:54: error: `-3`: a count from 0 to'
queue broken "a table with a cell too few" sites.rpt \
    's/^| CLB Registers  *|  250000|/|/; s/| 250000 | 150000 |/| 250000 |/' \
    'sites.rpt:[0-9]+:1: error: 5 cells in a table with 6 columns'
queue broken "two figures for one thing" info.txt 's/^    SLR1:/    SLR0:/' 'info.txt:48:14: error: another figure for'
queue broken "JSON that is cut off" info.json '/"SLR1"/,$d' 'info.json:[0-9]+:[0-9]+: error'
queue broken "nothing to compare" sites.rpt 's/^|.*//' 'error: the file has no figure to compare'
printf 'LUT\0s' >"$work/nul"
queue check_refused "no text" 1 'nul: error: the file is not text' "$rill" platform u55c --compare "$work/nul"
queue check_refused "no such file" 1 'gone.txt: error: cannot be read: No such file' \
    "$rill" platform u55c --compare "$work/gone.txt"
# Checks that files that are cut off anywhere, or in which some bytes are changed, give a message or a comparison, and
# never a crash.
hostile() {
    python3 - "$rill" "$here" "$work" <<'PY'
import pathlib, random, subprocess, sys
rill, here, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
draw = random.Random(1)
for name in ("info.txt", "info.json", "sites.rpt", "cells.rpt", "kernels.rpt"):
    data = (here / name).read_bytes()
    for i in range(40):
        bad = bytearray(data)
        if i % 2: bad = bad[: draw.randrange(len(bad))]
        else:
            for _ in range(draw.randrange(1, 20)):
                bad[draw.randrange(len(bad))] = draw.choice(b"|+-:.9{}[]\",\n\x01\xff ")
        (work / "hostile").write_bytes(bad)
        run = subprocess.run([rill, "platform", "u55c", "--compare", work / "hostile"], capture_output=True, timeout=60)
        if run.returncode not in (0, 1): sys.exit(f"{name}, {i}: exit status {run.returncode}")
        if run.returncode and not run.stdout and b"error:" not in run.stderr: sys.exit(f"{name}, {i}: no message")
PY
}
queue check "damaged files" hostile
for spec in "${specs[@]}"; do queue check "excess over the limits: ${spec##*/}" excess_is_told "$spec"; done
run_queue
verdict
