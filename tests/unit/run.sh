#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the C unit tests (test_*.c, cmocka) and the shell tests (*.sh named test_* or slow_*) of this folder.
# Prints one line per test. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/cases.sh"

usage() {
    cat <<'TEXT'
usage: tests/unit/run.sh [--set test | --set deep | --sanitize | --clang] [--jobs N] [--list] [test...]
  --set test  without the slow tests and cases, whose names begin with slow_
  --set deep  these alone
  --sanitize  the C tests under AddressSanitizer and UndefinedBehaviorSanitizer (library and tests; objects in
              build/sanitize), without slow cases
  --clang     the C tests with clang (program, library and tests; objects in build/clang), without slow cases
  --jobs N    tests that run at the same time (default 1)
  --list      the tests and their cases, without running them
  test        names as test_base (default: all); test_base:test_arena is one case of it
TEXT
    echo "$launch_help"
}

sanitize=0 clang=0 jobs=${job_count:-1} one=0 list=0 # one: this is a job, which runs one test
slow=all # all: all tests and cases; none: without the slow ones; only: only the slow ones
names=() kind=() # kind: options that select the same cases when a failed test is run again
while [ $# -gt 0 ]; do
    case $1 in
        --sanitize) sanitize=1 slow=none kind=(--sanitize) ;;
        --clang) clang=1 slow=none kind=(--clang) ;;
        --set)
            case ${2:-} in test) slow=none ;; deep) slow=only ;; *) usage >&2; exit 2 ;; esac
            kind=(--set "$2") && shift
            ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --one) one=1 ;;
        --list) list=1 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) names+=("$1") ;;
    esac
    shift
done

out=$root/build/tests/unit flags="-O0" library=build
if [ "$clang" = 1 ]; then
    export CC=clang
    out=$root/build/clang/tests library=build/clang
fi
if [ "$sanitize" = 1 ]; then
    out=$root/build/sanitize/tests library=build/sanitize
    flags="-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
    flags+=" -Wno-format-truncation" # it gives false alarms in instrumented code
fi
mkdir -p "$out"
log=$out/log.$$ # a separate log for each concurrent run
trap 'rm -f "$log" "$out"/*.$$.o' EXIT
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

build_library() {
    if [ "$sanitize" = 1 ]; then
        make -C "$root" --no-print-directory -j2 OUT="$library" CFLAGS="$flags" "$library/librill.a"
    else
        make -C "$root" --no-print-directory -j2 OUT="$library" "$library/librill.a" "$library/rill"
    fi
}

build_test() { # name
    local source=$root/tests/unit/$1.c
    [ -n "$(find "$source" "$root"/tests/unit/{*.h,one_case.c} "$root/$library/librill.a" -newer "$out/$1" 2>&1)" ] ||
        return 0
    # The sources are compiled by themselves, so that ccache finds them again after a change of the library.
    compile "$source" "$out/$1.$$.o" && compile "$root/tests/unit/one_case.c" "$out/one_case.$$.o" || return
    # shellcheck disable=SC2086 # flags are words
    ${CC:-gcc} $flags -o "$out/$1" "$out/$1.$$.o" "$out/one_case.$$.o" "$root/$library/librill.a" \
        -lcmocka -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm
}
compile() { # source, object
    # shellcheck disable=SC2086 # flags are words
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Werror -ffp-contract=off $flags -I"$root" -c "$1" -o "$2"
}

# Builds and runs a test program with one case, or with the cases that `slow` selects.
run_c_test() { # name, case or ""
    local why
    unset RILL_TEST_CASE RILL_TEST_SKIP
    if [ -n "$2" ]; then export RILL_TEST_CASE=$2
    elif [ $slow = only ]; then export RILL_TEST_CASE='slow_*'
    elif [ $slow = none ]; then export RILL_TEST_SKIP='slow_*'
    fi
    if ! build_test "$1" >"$log" 2>&1; then
        fail "$1" "does not build: $(reason)"
    elif (cd "$root" && timeout "${RILL_TEST_TIMEOUT:-600}" "$out/$1") >"$log" 2>&1; then report_cases "$1" "$2"
    else
        cp "$log" "$out/$1.log"
        why=$(grep -Em1 'FAILED  ?\]|runtime error|ERROR: |LeakSanitizer' "$log" || tail -n 1 "$log")
        fail "$1" "$why (${out#"$root"/}/$1.log)"
    fi
}

run_names() {
    local name
    for name in "${names[@]}"; do
        again="tests/unit/run.sh ${kind[*]}${kind:+ }${name%.c}"
        case $name in
            *.sh) [ $sanitize$clang != 00 ] || check "${name%.sh}" sh "$root/tests/unit/$name" ;;
            *:*) run_c_test "${name%%:*}" "${name#*:}" ;;
            *) run_c_test "${name%.c}" "" ;;
        esac
    done
}

# Prints how many lines these tests will print. Lines of skipped cases are not counted; report_cases adds them
# to the plan.
checks_of() { # name...
    local name count=0
    for name in "$@"; do [[ $name == *.sh && $sanitize$clang != 00 ]] || count=$((count + 1)); done
    echo $count
}

if [ $one = 1 ]; then
    run_names
    exit 0
fi
choose_names() {
    [ $slow = only ] || names=("$root"/tests/unit/test_*)
    [ $slow = none ] || names+=("$root"/tests/unit/slow_*.sh)
    [ $slow != only ] ||
        mapfile -t -O ${#names[@]} names < <(grep -l 'cmocka_unit_test[a-z_]*(slow_' "$root"/tests/unit/test_*.c)
    names=("${names[@]##*/}")
}
[ ${#names[@]} != 0 ] || choose_names
if [ $list = 1 ]; then
    for name in "${names[@]%.c}"; do
        if [[ $name == *.sh ]]; then echo "$name"; else cases_listed "$name" | sed "s/.*(/$name:/"; fi
    done
    exit 0
fi
if ! build_library >"$log" 2>&1; then
    fail "library" "does not build: $(reason)"
    verdict
    exit 1
fi
if [ "$jobs" = 1 ] && [ -z "$job_launch$job_batch$job_journal" ]; then
    plan "$(checks_of "${names[@]}")"
    run_names
else
    for name in "${names[@]}"; do add_job "$(checks_of "$name")" "${BASH_SOURCE[0]}" "${kind[@]}" --one "$name"; done
    run_jobs "$jobs"
fi
verdict
