#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generates faults from the syntax and runs each with the fastest tests that execute its line. This finds gaps that
# planted faults do not show. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/mutants/operators.sh [--cover [--all] [--with FILE]] [--sample N] [--seed S] [--jobs N] [--most N]
                                  [--again] [--table FILE] [--changed REVISION | FILE...]
  --cover      first records which C lines each test executes (needed once, and after larger changes). The tests are the
               unit tests and the parts of the suite that simulate no RTL. --all adds the simulations. With --sample,
               only the lines of the files in the sample are recorded, which takes less time.
  --with FILE  with --cover: also the commands of FILE, one in each line
  --sample N   N of the faults, drawn at random by the seed (default: all)
  --seed S     another draw (default 1)
  --jobs N     copies of the tree that run at the same time (default 1)
  --most N     at most so many commands for each fault, the fastest of those that execute its line (default 12, 0: all)
  --again      runs the faults again that survived, after tests were added
  --table FILE takes the faults of an earlier run (its table.txt) instead of drawing them
  --changed R  the files that differ from a revision of git
  FILE         C files of gen/ and verif/replay, templates (default: all of these)
The summary counts the faults by class and language, and lists every survivor. Survivors do not change the exit status,
because a fault may change nothing that a test could see. tests/mutants/survivors.txt has the known ones with reasons.
`tests/mutants/operators.py` says which faults are made. Results are in a folder of build/mutants/operators, one for
each sample. A run that was interrupted continues: tests whose lines are known, and faults with a result, are not run
again. Delete the folder for a new start.
TEXT
}

short='image|clock|emit|passes|legal|onnx|platform|package|schema|report|witness' # parts that simulate no RTL
# parts that --all leaves out: `unit`, whose tests are listed one by one, and parts that do not test code of gen/
twice='unit|benches|mutants|pages|harness'

# Prints the commands whose executed lines --cover records, one in each line.
commands_to_cover() {
    local source
    for source in "$root"/tests/unit/test_*.c; do echo "tests/unit/run.sh $(basename "$source" .c)"; done
    if [ $all = 1 ]; then
        for source in test deep; do "$root/tests/run.sh" --set $source --list; done | grep -Ev "^($twice):" | sort -u
    else "$root/tests/run.sh" --list | grep -E "^($short):"
    fi | sed 's/^[a-z]*: //'
    echo "tests/emit/hashes.sh --check"
    [ -z "$with" ] || grep -v '^#' "$with"
}

drawn_files() { files_to_change | xargs "$root/tests/mutants/operators.py" draw ${draw[@]+"${draw[@]}"}; }

in_tree() { make -C "$tree" --no-print-directory -j"$jobs" "$@" >>"$work/build.log" 2>&1; } # arguments of make

# Runs a command in the copy of the tree. Its coverage data get a folder of their own, so that commands can run side by
# side.
cover_command() { # command, file of the map
    local began=$SECONDS data
    data=$(mktemp -d "$work/data.XXXXXX")
    if (cd "$tree" && unset RILL_HOME && export RILL_GCOV=1 GCOV_PREFIX=$data &&
        timeout 3600 bash -c "$1") >"$data/log" 2>&1 </dev/null; then
        echo "$((SECONDS - began)) s: $1"
        "$tree/tests/mutants/operators.py" lines "$data" "$tree" "$1" $((SECONDS - began)) "$2"
    else echo "it fails with gcc --coverage, and counts for no line: $1: $(tail -n 1 "$data/log")"
    fi
    rm -rf "$data"
}

# Builds the tree with coverage, unless an earlier run has built this sample.
build_covered() {
    local objects libraries
    [ ! -e "$tree/build/covered" ] || return 0
    libraries=$(sed -n 's/^LIBS *:= *//p' "$root/Makefile")
    rm -rf "$tree" "$map" && mkdir -p "$tree" "$map"
    tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf - || return
    mapfile -t objects < <(drawn_files | sed -n 's#^\(.*\)\.c$#build/obj/\1.o#p')
    # Files outside the sample are compiled without --coverage.
    { [ ${#objects[@]} = 0 ] || in_tree CC="gcc --coverage" CFLAGS=-O1 "${objects[@]}"; } &&
        in_tree LIBS="$libraries -lgcov" build/rill build/librill.a && touch "$tree/build/covered"
}

cover() {
    local command file
    build_covered || { echo "the tree does not build with gcc --coverage: $work/build.log" >&2; return 1; }
    export CC="gcc --coverage"
    while read -r command; do
        file=$map/$(sha1sum <<<"$command" | cut -c1-12).json
        [ ! -e "$file" ] || continue
        while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n; done
        cover_command "$command" "$file" &
    done < <(commands_to_cover)
    wait
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

cover=0 all=0 jobs=1 changed="" with="" files=() draw=() most=() again=() table=""
while [ $# -gt 0 ]; do
    case $1 in
        --cover) cover=1 ;;
        --all) all=1 ;;
        --with) with=$(realpath "$2") && shift ;;
        --sample | --seed) draw+=("$1" "$2") && shift ;;
        --jobs) jobs=$2 && shift ;;
        --most) most=("$1" "$2") && shift ;;
        --again) again=(--failed) ;;
        --table) table=$(realpath "$2") && shift ;;
        --changed) changed=$2 && shift ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) files+=("$1") ;;
    esac
    shift
done
name=$(tr -dc 'a-z0-9' <<<"${draw[*]}")
work=$root/build/mutants/operators/${name:-all}
mkdir -p "$work"
map=$work/map tree=$work/tree
[ $cover = 0 ] || cover || exit 1
if [ -z "$table" ]; then
    [ -d "$map" ] || { echo "which lines the tests execute is not known: run it with --cover first" >&2; exit 2; }
    mapfile -t files < <(files_to_change)
    [ ${#files[@]} != 0 ] || { echo "no file of gen/, verif/replay or rtl-templates has changed"; exit 0; }
    table=$work/table.txt
    "$root/tests/mutants/operators.py" table "$map" "${draw[@]}" "${most[@]}" "${files[@]}" >"$table" || exit 1
fi
if grep -q '^id ' "$table"; then
    "$root/tests/mutants/run.sh" --table "$table" --results "$work/results.txt" "${again[@]}" --jobs "$jobs"
else : >"$work/results.txt"
fi
"$root/tests/mutants/operators.py" summary "$table" "$work/results.txt"
