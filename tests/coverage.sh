#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows which code the tests execute: lines, branches and functions of C by gcov, lines and toggles of Verilog by
# Verilator. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/coverage.sh [--jobs N] [--set test | --set deep] [--points "NAME..."] [--c | --rtl] [command...]
  --jobs N   commands that run at the same time (default 1)
  --set S    runs the parts of `make test` or of `make test-deep`, instead of the unit tests and the parts that simulate
             no RTL
  --points   the design points to simulate with Verilator's counters (tests/e2e/matrix.sh --list; default: those of make
             test)
  --c        runs no design points
  --rtl      runs only the design points
  command    a command to run instead of the parts
Works in a copy of the tree, build/coverage/tree. Counts are added to those of earlier runs, and points that have been
run are not run again: delete build/coverage for a new start. Writes build/coverage/c.txt and rtl.txt, with a row for
each file, and build/coverage/functions.txt, the C functions that nothing calls. RTL counts only what runs in whole
designs, because the benches of modules run in Icarus, which counts nothing.
TEXT
}

short='unit|image|clock|emit|passes|legal|onnx|platform|package|schema|report|witness' # parts that simulate no RTL
work=$root/build/coverage
tree=$work/tree

# Lists the commands to run, one in each line.
commands() {
    if [ ${#words[@]} != 0 ]; then printf '%s\n' "${words[*]}"
    elif [ -n "$set_name" ]; then "$root/tests/run.sh" --set "$set_name" --list | sed 's/^[a-z]*: //'
    else "$root/tests/run.sh" --list | grep -E "^($short):" | sed 's/^[a-z]*: //'
    fi
}

# Builds the copy of the tree with counters, unless an earlier run has done that.
build_counting() {
    local libraries
    [ ! -e "$tree/build/counting" ] || return 0
    libraries=$(sed -n 's/^LIBS *:= *//p' "$root/Makefile")
    rm -rf "$tree" && mkdir -p "$tree" || return
    tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf - || return
    make -C "$tree" --no-print-directory -j"$jobs" CC="gcc --coverage" CFLAGS=-Og LIBS="$libraries -lgcov" \
        build/rill build/librill.a >"$work/build.log" 2>&1 && touch "$tree/build/counting"
}

# Runs a command in the copy of the tree. A failure does not end the run: what was executed counts.
run_there() { # command
    local began=$SECONDS log
    log=$work/logs/$(tr -c 'A-Za-z0-9\n' _ <<<"$1").log
    if (cd "$tree" && unset RILL_HOME && export RILL_GCOV=1 CC="gcc --coverage" &&
        timeout 7200 bash -c "$1") >"$log" 2>&1 </dev/null; then
        echo "$((SECONDS - began)) s: $1"
    else echo "$((SECONDS - began)) s: $1 fails: $(tail -n 1 "$log")"
    fi
}

# Runs the commands that it reads, $jobs at the same time.
side_by_side() {
    local command
    while read -r command; do
        while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n; done
        run_there "$command" &
    done
    wait
}

# Lists the design points that have no counts yet.
points_left() {
    local name
    for name in $points; do [ -n "$(ls "$work/points/$name" 2>/dev/null)" ] || echo "$name"; done
}

jobs=1 set_name="" points="" parts=1 rtl=1 words=()
while [ $# -gt 0 ]; do
    case $1 in
        --jobs) jobs=$2 && shift ;;
        --set) set_name=$2 && shift ;;
        --points) points=$2 && shift ;;
        --c) rtl=0 ;;
        --rtl) parts=0 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) words+=("$1") ;;
    esac
    shift
done
mkdir -p "$work/logs" "$work/points"
build_counting || { echo "the tree does not build with gcc --coverage: $work/build.log" >&2; exit 1; }
[ $parts = 0 ] || side_by_side < <(commands)
if [ $rtl = 1 ]; then
    [ -n "$points" ] || points=$("$root/tests/e2e/matrix.sh" --set test --list)
    for name in $(points_left); do
        mkdir -p "$work/points/$name"
        echo "RILL_COVERAGE=$work/points/$name tests/e2e/matrix.sh --jobs 1 $name"
    done | side_by_side
    "$root/tests/coverage.py" rtl "$root" "$work/points" >"$work/rtl.txt" || exit 1
    grep -E '^(all|rtl-templates/[a-z]+/) ' "$work/rtl.txt"
fi
"$root/tests/coverage.py" c "$tree" "$work/functions.txt" >"$work/c.txt" || exit 1
grep -E '^all' "$work/c.txt"
echo "$(wc -l <"$work/functions.txt") functions of C that nothing calls: ${work#"$root"/}/functions.txt"
