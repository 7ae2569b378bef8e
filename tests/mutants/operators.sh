#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generates faults from the syntax and runs each with the fastest tests that execute its line. This finds gaps that
# planted faults do not show. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/mutants/operators.sh [--cover [--all]] [--sample N] [--seed S] [--jobs N] [--changed REVISION | FILE...]
  --cover      finds out first which C lines each test executes: the unit tests and the short parts of the suite, with
               --all the simulations too (build/mutants/operators/map.json; needed once, and after larger changes). With
               --sample only the lines of the files in this sample, which takes less time.
  --sample N   N of the faults, drawn at random by the seed (default: all)
  --seed S     another draw (default 1)
  --jobs N     copies of the tree side by side (default 1)
  --changed R  the files that differ from a revision of git
  FILE         C files of gen/ and verif/replay, templates (default: all of these)
The summary has the faults by class, and every survivor. It is no verdict: a survivor may change nothing that a test
could see. `tests/mutants/operators.py` says which faults are made. Results in build/mutants/operators.
TEXT
}

work=$root/build/mutants/operators
map=$work/map.json
short='image|clock|emit|passes|legal|schema|report|witness' # parts that simulate no RTL
twice='unit|benches|mutants|pages|harness' # parts that are listed one by one, or run no code of gen/

# Prints the commands, one in each line.
commands_to_cover() {
    local source
    for source in "$root"/tests/unit/test_*.c; do echo "tests/unit/run.sh $(basename "$source" .c)"; done
    if [ $all = 1 ]; then "$root/tests/run.sh" --set test --list | grep -Ev "^($twice):"
    else "$root/tests/run.sh" --list | grep -E "^($short):"
    fi | sed 's/^[a-z]*: //'
}

drawn_files() { files_to_change | xargs "$root/tests/mutants/operators.py" draw ${draw[@]+"${draw[@]}"}; }

in_tree() { make -C "$tree" --no-print-directory -j"$jobs" "$@" >>"$work/build.log" 2>&1; } # arguments of make

cover() {
    local tree=$work/tree command began count=0 total objects libraries
    libraries=$(sed -n 's/^LIBS *:= *//p' "$root/Makefile")
    rm -rf "$tree" "$map" && mkdir -p "$tree"
    tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf - || return
    mapfile -t objects < <(drawn_files | sed -n 's#^\(.*\)\.c$#build/obj/\1.o#p')
    # Files outside the sample are compiled as always.
    { [ ${#objects[@]} = 0 ] || in_tree CC="gcc --coverage" CFLAGS=-O0 "${objects[@]}"; } &&
        in_tree LIBS="$libraries -lgcov" build/rill build/librill.a || {
        echo "the tree does not build with gcc --coverage: $work/build.log" >&2
        return 1
    }
    export CC="gcc --coverage"
    total=$(commands_to_cover | wc -l)
    while read -r command; do
        count=$((count + 1)) began=$SECONDS
        find "$tree" -name '*.gcda' -delete
        echo "$count of $total: $command"
        (cd "$tree" && unset RILL_HOME && timeout 3600 bash -c "$command") >"$work/log" 2>&1 </dev/null ||
            { echo "      it fails with gcc --coverage, and counts for no line: $(tail -n 1 "$work/log")" && continue; }
        echo $((SECONDS - began)) >"$work/seconds"
        (cd "$tree" && tests/mutants/operators.py lines "$tree/build" "$command" "$map") || return
    done < <(commands_to_cover)
    unset CC
}

files_to_change() {
    cd "$root" || return
    if [ -n "$changed" ]; then
        git diff --name-only --diff-filter=d "$changed" -- 'gen/*.c' 'verif/replay/*.c' 'rtl-templates/*.v'
    elif [ ${#files[@]} != 0 ]; then printf '%s\n' "${files[@]}"
    else ls gen/*/*.c verif/replay/*.c rtl-templates/*/*.v
    fi
}

cover=0 all=0 jobs=1 changed="" files=() draw=()
while [ $# -gt 0 ]; do
    case $1 in
        --cover) cover=1 ;;
        --all) all=1 ;;
        --sample | --seed) draw+=("$1" "$2") && shift ;;
        --jobs) jobs=$2 && shift ;;
        --changed) changed=$2 && shift ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) files+=("$1") ;;
    esac
    shift
done
mkdir -p "$work"
own=$work/map-$(tr -dc 'a-z0-9' <<<"${draw[*]}").json # of this sample alone
{ [ ${#draw[@]} = 0 ] || { [ $cover = 0 ] && [ ! -e "$own" ]; }; } || map=$own
[ $cover = 0 ] || cover || exit 1
[ -e "$map" ] || { echo "which lines the tests execute is not known: run it with --cover first" >&2; exit 2; }
mapfile -t files < <(files_to_change)
[ ${#files[@]} != 0 ] || { echo "no file of gen/, verif/replay or rtl-templates has changed"; exit 0; }
"$root/tests/mutants/operators.py" table "$map" ${draw[@]+"${draw[@]}"} "${files[@]}" >"$work/table.txt" || exit 1
if grep -q '^id ' "$work/table.txt"; then
    "$root/tests/mutants/run.sh" --table "$work/table.txt" --jobs "$jobs" | tee "$work/results.txt"
else : >"$work/results.txt"
fi
"$root/tests/mutants/operators.py" summary "$work/table.txt" "$work/results.txt"
