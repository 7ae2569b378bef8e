#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What ends a request, through the emitted top: end ids, stop, kill, watchdog, an error response, another image,
# a ring that is too short, resets in the middle; parameters that stay on chip; after each the next request makes the
# golden model's ids (control.cpp). usage: tests/e2e/control.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/design.sh"
[ $# = 0 ] || { sed -n "3,5s/^# //p" "$0"; exit 2; }

mkdir -p "$work"
log=$work/control.log
spec=$root/tests/e2e/cases/odd/spec.yaml dir=$work/control build=$work/control.build
plan 25

build() {
    make_design control "$spec" random:1 && rm -rf "$build" && cd "$dir" &&
        verilator --cc --exe --build --Mdir "$build" -Wno-fatal -Wno-lint -Wno-style --x-initial unique \
            --x-assign unique --top-module rill_top \
            -f filelist.f "$root/tests/e2e/control.cpp" -o control -CFLAGS "-std=c++17 -I$root" \
            -MAKEFLAGS "VM_PARALLEL_BUILDS=0 CXX=clang++ LINK=clang++ OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"
}
offset_of() { sed -n "s/.*\"name\": \"$1\".*\"offset\": \([0-9]*\).*/\1/p" "$dir/memory_map.json"; } # segment
manifest() { sed -n "s/.*\"$1\": \"\([0-9a-f]*\)\".*/\1/p" "$dir/image/manifest.json"; } # key
run() {
    local identity layout ids
    identity=$(sed -n '1s/.*IR \([0-9a-f]*\).*/\1/p' "$dir/rtl/rill_top.v")
    layout=$(manifest layout)
    ids=$("$rill" golden "$spec" --weights random:1 --prompt-ids 1,2,3 --tokens 6 --ignore-eot --json |
        sed -n 's/.*"token_ids": \[\([0-9, ]*\)\].*/\1/p' | tr -d ,)
    # shellcheck disable=SC2086 # one word per id
    timeout "$run_limit" "$build/control" "$dir/image" "$(offset_of prompt)" "$(offset_of ring)" "$identity" "$layout" \
        "$(offset_of image_header)" "$(manifest checksum)" $ids
}
# Four states: Icarus begins with nothing known, and what a reset leaves so is seen.
known() {
    awk -f "$root/tests/e2e/known.awk" "$dir/rtl/rill_top.v" >"$work/control.known.v" && cd "$dir" &&
        iverilog -g2005 -s known_tb -c filelist.f -o "$work/control.known" "$work/control.known.v" &&
        timeout "$run_limit" vvp -n "$work/control.known" >"$work/control.known.out" &&
        tee /dev/stderr <"$work/control.known.out" | grep -q '^PASS'
}
if ! (build) >"$log" 2>&1; then
    fail "the design for the ends of requests" "$(reason)"
else
    if (known) >"$log" 2>&1; then
        ok "after a reset every register, valid and ready is known"
    else
        fail "known after a reset" "$(reason)"
    fi
    # Each line is a check; a run that ends early has too few of them.
    while IFS= read -r line; do
        case $line in
            'ok    '*) ok "${line#ok    }" ;;
            'FAIL  '*) fail "control" "${line#FAIL  }" ;;
        esac
    done < <(run)
fi
verdict
