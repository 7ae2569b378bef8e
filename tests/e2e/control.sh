#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ends requests to a generated design in every possible way: end ids, stop, kill, watchdog, error response, another
# image, a ring that is too short, resets in the middle. Also checks which parameters stay on chip. After each case the
# next request must make the oracle's ids (control.cpp).
# usage: tests/e2e/control.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/design.sh"
[ $# = 0 ] || { sed -n "3,6s/^# //p" "$0"; exit 2; }

mkdir -p "$work"
log=$work/control.log
spec=$root/tests/e2e/cases/odd/spec.yaml dir=$work/control build=$work/control.build

build() {
    make_design control "$spec" random:1 && rm -rf "$build" && cd "$dir" &&
        verilator --cc --exe --build --Mdir "$build" -Wno-fatal -Wno-lint -Wno-style --x-initial unique \
            --x-assign unique --top-module rill_top \
            -f filelist.f "$root/tests/e2e/control.cpp" -o control -CFLAGS "-std=c++17 -I$root" \
            -MAKEFLAGS "VM_PARALLEL_BUILDS=0 CXX=clang++ LINK=clang++ OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"
}
offset_of() { sed -n "s/.*\"name\": \"$1\".*\"offset\": \([0-9]*\).*/\1/p" "$dir/memory_map.json"; } # segment
manifest() { sed -n "s/.*\"$1\": \"\([0-9a-f]*\)\".*/\1/p" "$dir/image/manifest.json"; } # key
run() { # writes its output to $work/control.lines
    local identity layout ids
    identity=$(sed -n '1s/.*with the hash \([0-9a-f]*\).*/\1/p' "$dir/rtl/rill_top.v")
    layout=$(manifest layout)
    ids=$("$rill" golden "$spec" --weights random:1 --prompt-ids 1,2,3 --tokens 6 --ignore-eot --json |
        sed -n 's/.*"token_ids": \[\([0-9, ]*\)\].*/\1/p' | tr -d ,)
    # shellcheck disable=SC2086 # one word per id
    timeout "$run_limit" "$build/control" "$dir/image" "$(offset_of prompt)" "$(offset_of ring)" "$identity" "$layout" \
        "$(offset_of image_header)" "$(manifest checksum)" $ids >"$work/control.lines"
}
check_end() { # name, as control.cpp lists it
    local line
    if ! line=$(grep -m 1 -F -e "  $1" "$work/control.lines"); then
        fail "$1" "the program ended before it: $(tail -n 1 "$work/control.lines")"
    elif [ "$line" = "ok    $1" ]; then ok "$1"
    else fail "$1" "${line#"FAIL  $1: "}"; fi
}
# Checks with Icarus that a reset leaves no register unknown. In Icarus all registers are unknown at the start.
known() (
    awk -f "$root/tests/e2e/known.awk" "$dir/rtl/rill_top.v" >"$work/control.known.v" && cd "$dir" &&
        iverilog -g2005 -s known_tb -c filelist.f -o "$work/control.known" "$work/control.known.v" &&
        timeout "$run_limit" vvp -n "$work/control.known" >"$work/control.known.out" &&
        tee /dev/stderr <"$work/control.known.out" | grep -q '^PASS'
)
if ! { (build) && checks=$("$build/control" --list); } >"$log" 2>&1; then
    counted fail "the design for the ends of requests" "$(reason)"
else
    queue check "after a reset every register, valid and ready is known" known
    prepare run
    while IFS= read -r name; do queue check_end "$name"; done <<<"$checks"
fi
run_queue
verdict
