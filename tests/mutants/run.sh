#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plants each entry of the faults.txt of every folder in a copy of the tree. There the test of the entry must fail. See
# --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/mutants/run.sh [--check | --quick | --places | --list] [--jobs N] [--kind K] [--table FILE]
                            [--results FILE [--failed]] [entry...]
  --check      checks the entries without planting a fault: each pattern occurs once, each test exists, and the two sets
               of tests find enough of the faults
  --quick      does the same, plants a few faults with fast tests, and plants faults that no test finds, which the
               runner must not report as found
  --places     checks that the runner refuses an entry in the faults.txt of another folder, and an id given twice
  --list       prints for each entry: number, id, file, kind, the set that runs its test (`test`: make test,
               `deep`: make test-deep, `extra`: neither), and the test
  --jobs N     works in N copies of the tree at the same time (default 1)
  --kind K     runs only the entries of this kind
  --table FILE runs the entries of this file instead of every folder's faults.txt
  --results FILE  appends each result to FILE at once, and takes the results that FILE already has, so that a run that
               was interrupted continues. A result counts as long as the entry and the file that it changes are the
               same. Changes of the tests are not noticed: delete FILE after such changes, or give --failed.
  --failed     runs the entries again whose result in FILE is FAIL
  entry        numbers such as 1-40, ids, or patterns of ids such as 'fifo-*' (default: all)
The line `ok ID: killed by TEST` means that the test passes without the fault and fails with it. FAIL means that the
fault survived or does not compile, that its pattern does not occur exactly once, or that the test fails without the
fault. An entry of kind `equivalent` must survive. Logs are in build/mutants. docs/testing.md says how to add an entry.
TEXT
    echo "$launch_help"
}

work=$root/build/mutants
least=${RILL_MUTANTS_LEAST:-900}

faults() { python3 "$root/tests/mutants/faults.py" ${tables[@]+"${tables[@]}"} "$@"; }

# ---- one copy of the tree, in which a batch of entries is run ----

copy_tree() { # to
    mkdir -p "$1/build"
    tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$1" -xf - || return
    [ ! -d "$root/build/obj" ] || cp -a "$root"/build/{obj,rill,librill.a} "$1/build"
}

build_tree() { make -C "$tree" --no-print-directory -j2 build/rill build/librill.a >"$log" 2>&1; }

# Returns the exit status of the command, or 124 after a timeout. Memory is limited, because a fault may allocate all of
# it.
run_test() { # command, seconds
    # AddressSanitizer reserves terabytes of addresses.
    local memory=12000000
    [[ $1 != *serve/run.sh* && $1 != *--sanitize* ]] || memory=unlimited
    (cd "$tree" && ulimit -v $memory && unset RILL_HOME && timeout -k 5 "$2" bash -c "$1") >"$log" 2>&1 </dev/null
}

# Puts a version of the entry's file into the copy of the tree, newer than what was built.
put_file() { cp "$tree/build/$1" "$tree/$file"; } # original or planted
build_file() { [[ $file != *.[ch] && $file != *.def && $file != *.inc ]] || build_tree; }

# Runs the commands of the test with the fault until one fails. Returns the exit status of that command, which stays in
# `command`. A command that has not yet run without a fault runs without the fault first. If it fails there, `clean` is
# 0.
run_commands() { # test
    local mark status
    clean=1
    while read -r command; do
        mark=$work/clean/$state-$(sha1sum <<<"$command" | cut -d' ' -f1)
        if [ ! -e "$mark" ]; then
            put_file original
            if ! time_clean "$command" "$mark"; then clean=0 && return 1; fi
            put_file planted && build_file
        fi
        status=0
        run_test "$command" "$(cat "$mark")" || status=$?
        [ $status = 0 ] || return $status
    done <<<"${1// && /$'\n'}"
}
# Runs a command without the fault, and stores the time limit for the command with the fault. The limit is many times
# the measured time, so that a timeout means that the command does not end.
time_clean() { # command, file for the seconds that it may take with a fault
    local began=$SECONDS
    build_tree && run_test "$1" 3600 || return
    mkdir -p "$work/clean" && echo $((20 * (SECONDS - began) + 40)) >"$2"
}

# Returns whether the log shows that something does not build, so that the fault proves nothing. A template that refuses
# legal parameters (rill_error_...) does not count: its bench has found the fault.
does_not_build() { grep -v rill_error_ "$log" | grep -Eq '^FAIL.*(does not build| build: |vectors build)'; }

run_entry() { # number, id, file, kind, place, test
    local id=$2 file=$3 kind=$4 test=$6 status=0 why command clean=1 again="tests/mutants/run.sh $2"
    log=$tree/build/log
    cp -p "$tree/$file" "$tree/build/original"
    if ! why=$(faults plant "$id" "$tree" 2>&1); then fail "$id" "$why" && return; fi
    cp "$tree/$file" "$tree/build/planted"
    if ! build_file; then fail "$id" "does not build: $(reason)"
    else
        run_commands "$test" || status=$?
        if [ $clean = 0 ]; then fail "$id" "without the fault $command fails: $(reason)"
        else verdict_of "$id" "$kind" "$test" $status
        fi
    fi
    put_file original
}

verdict_of() { # id, kind, test, exit status
    cp "$log" "$work/logs/${1//\//_}.log"
    if [ "$4" != 0 ] && does_not_build; then fail "$1" "does not build: $(reason)"
    elif [ "$2" = equivalent ] && [ "$4" = 0 ]; then ok "$1: equivalent, $3 passes"
    elif [ "$2" = equivalent ]; then fail "$1" "is not equivalent: killed by $command"
    elif [ "$4" = 0 ]; then fail "$1" "survived $3"
    elif [ "$4" = 137 ]; then fail "$1" "$command was killed itself, and shows nothing"
    elif [ "$4" = 124 ]; then ok "$1: killed by $command: it does not end"
    else ok "$1: killed by $command"
    fi
}

run_batch() { # id...; one process runs them
    local line listed
    mkdir -p "$work/logs"
    tree=$(mktemp -d "$work/tree.XXXXXX")
    trap 'rm -rf "$tree"' EXIT
    if ! copy_tree "$tree"; then fail "$*" "no copy of the tree in $tree" && return; fi
    listed=$(faults list "$@") || return # the caller then misses the checks and fails
    while IFS=$'\t' read -r -a line; do
        run_entry "${line[@]}" >"$tree/build/lines"
        cat "$tree/build/lines"
        [ -z "$results" ] || echo "$(faults key "${line[1]}") $(head -n 1 "$tree/build/lines")" >>"$results"
    done <<<"$listed"
}

# Prints the results that the file already has, and leaves only the other entries in `ids`.
take_results() {
    local recorded line
    recorded=$(faults recorded "$results" "${failed[@]}" "${ids[@]}") || return
    ids=()
    while read -r line; do
        case $line in
            run*) ids+=("${line#run }") ;;
            ok*) plan 1 && ok "${line#ok    }" ;;
            FAIL*) plan 1 && line=${line#FAIL  } && fail "${line%%: *}" "${line#*: }" ;;
        esac
    done <<<"$recorded"
}

# ---- the runner itself ----

# Runs the entries of self.txt, which must not be reported as found. Then marks the stored results, removes the last of
# them, and runs the entries again: the output must have the marked results, and the last entry must run again.
run_self() {
    rm -f "$work/self.results"
    run_recorded "$work/self.out" &&
        sed -i 's/survived/survived before/; $d' "$work/self.results" && run_recorded "$work/again.out"
}
run_recorded() { # file for the output
    ! "${BASH_SOURCE[0]}" --table "$root/tests/mutants/self.txt" --results "$work/self.results" >"$1" 2>&1
}
queue_runner() {
    local out=$work/self.out
    prepare run_self
    queue check_says "a fault that no test finds is a survivor" \
        "^FAIL  unnoticed: survived tests/unit/run.sh test_lp$" "$out"
    queue check_says "a pattern that occurs twice is refused" "^FAIL  twice: pattern occurs [0-9]+ times" "$out"
    queue check_says "a fault that does not compile is none" "^FAIL  no-c: does not build" "$out"
    queue check_says "a template that does not compile is no fault" "^FAIL  no-verilog: does not build" "$out"
    queue check_says "a test that fails without the fault finds none" "^FAIL  broken-test: without the fault" "$out"
    queue check_says "a proof that does not hold is noticed" "^FAIL  not-equivalent: is not equivalent" "$out"
    queue check_says "a test that is killed finds none" "^FAIL  killed: .* was killed itself" "$out"
    queue check_says "every entry has its line" "^0 passed, 7 failed$" "$out"
    queue check_says "a stored result counts" "^FAIL  unnoticed: survived before" "$work/again.out"
    queue check_says "an entry without a stored result is run" \
        "^FAIL  killed: .* was killed itself" "$work/again.out"
}
# Checks that entries in the wrong folder, and two entries with one id, are refused.
misplaced() {
    local name entry=$work/entry
    sed -n '/^id unnoticed$/,/^$/p' "$root/tests/mutants/self.txt" >"$entry"
    for name in here there; do mkdir -p "$work/$name" && cp "$entry" "$work/$name/faults.txt"; done
    local tables=(--table "$work/here/faults.txt" --table "$work/there/faults.txt")
    ! faults check 0 >"$work/places.out" 2>&1
}
queue_places() {
    prepare misplaced
    queue check_says "an entry beside other code is refused" \
        "/here/faults.txt:1: .* not in this folder; move the entry to gen/base/faults.txt$" "$work/places.out"
    queue check_says "an id that another folder has is refused" \
        "/there/faults.txt:1: unnoticed: an entry of this id is at .*/here/faults.txt:1" "$work/places.out"
}
check_says() { if grep -Eq "$2" "$3"; then ok "$1"; else fail "$1" "no line like '$2': $(tail -n 1 "$3")"; fi; }

check_table() {
    if faults check "$least" >"$log" 2>&1; then ok "table: $(tail -n 1 "$log")"
    else
        fail "table" "$(wc -l <"$log") mistakes, first $(head -n 1 "$log")"
        sed 's/^/      /' "$log"
    fi
}

jobs=${job_count:-1} what=run kind=() wanted=() tables=() results="" failed=()
while [ $# -gt 0 ]; do
    case $1 in
        --check | --quick | --places | --list) what=${1#--} ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --kind) kind=("$1" "${2:-}") && shift ;;
        --table) tables+=("$1" "$(realpath "${2:-}")") && shift ;;
        --results)
            [ -n "${2:-}" ] && touch "$2" || { usage >&2; exit 2; }
            results=$(realpath "$2") && shift
            ;;
        --failed) failed=(--failed) ;;
        --run) what=batch state=$2 wanted=("${@:3}") && break ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) wanted+=("$1") ;;
    esac
    shift
done
mkdir -p "$work"
log=$work/table.log
case $what in
    list) faults list ${kind[@]+"${kind[@]}"} ${wanted[@]+"${wanted[@]}"} && exit 0 || exit 1 ;;
    batch) run_batch "${wanted[@]}" && exit 0 || exit 1 ;;
    places) queue_places && run_queue && verdict && exit 0 || exit 1 ;;
    check) counted check_table && verdict && exit 0 || exit 1 ;;
    quick)
        queue check_table
        queue_runner
        queue_places
        run_queue
        mapfile -t wanted < <(grep -v '^#' "$root/tests/mutants/sample.txt")
        ;;
esac
listed=$(faults list ${kind[@]+"${kind[@]}"} ${wanted[@]+"${wanted[@]}"}) ||
    { fail "table" "its list breaks off" && verdict; exit 1; }
mapfile -t ids < <(grep . <<<"$listed" | cut -f2)
[ ${#ids[@]} != 0 ] || { echo "no such entry (--list shows them)" >&2; exit 2; }
[ -z "$results" ] || take_results || { fail "results" "they cannot be read" && verdict; exit 1; }
state=$(state_of_tree)
batch=$(((${#ids[@]} + jobs - 1) / jobs))
[ $batch -le 20 ] || batch=20
for ((at = 0; at < ${#ids[@]}; at += batch)); do
    add_job "$((${#ids[@]} - at < batch ? ${#ids[@]} - at : batch))" "${BASH_SOURCE[0]}" \
        ${tables[@]+"${tables[@]}"} ${results:+--results "$results"} --run "$state" "${ids[@]:at:batch}"
done
run_jobs "$jobs"
verdict
