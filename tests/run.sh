#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test, part by part: one line per part and one per check that failed, then the verdict alone on the last line. `make test` runs the
# representative selection, `make test-all` all of it. docs/testing.md says what each part proves. See --help.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

usage() {
    cat <<'TEXT'
usage: tests/run.sh [--all] [--verbose] [part...]
  --all      everything: all sweeps, design points, seeds
  --verbose  every check's line, not only those that failed or were skipped
  part       unit sanitize readers passes emit report templates benches paths formal accuracy matrix docs fuzz pieces failures mutants (default: all,
             in this order)
The lines of each part are kept in build/tests/<part>.out. Exit status: 0 all passed, 1 a check failed, 2 usage.
TEXT
}

known="unit sanitize readers passes emit report templates benches paths formal accuracy matrix docs fuzz pieces failures mutants"
all=() forms=() paths=() tune=() quick=(--quick) verbose=0 wanted=""
for arg in "$@"; do
    case $arg in
        --all) all=(--all) paths=(--all) forms=(--form all --timing) tune=(--tune) quick=() ;;
        --verbose) verbose=1 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *)
            [[ " $known " == *" $arg "* ]] || { usage >&2; exit 2; }
            wanted+=" $arg"
            ;;
    esac
done
[ -n "$wanted" ] || wanted=$known
mkdir -p build/tests
good=0 bad=0 skipped=0 start=$SECONDS

show_lines() { if [ $verbose = 1 ]; then grep -E '^(ok   |FAIL |skip )'; else grep -E '^(FAIL |skip )'; fi; }

# Parts that keep one core busy, one after the other beside those that stand first.
alone="passes report accuracy"

run_alone() { # name, what it is, command...
    [[ " $alone " == *" $1 "* && " $wanted " == *" $1 "* ]] || return 0
    "${@:3}" >"build/tests/$1.out" 2>&1 </dev/null
    echo $? >"build/tests/$1.status"
}

run_here() { # name, command...
    "${@:2}" 2>&1 </dev/null | tee "build/tests/$1.out" | show_lines
    return "${PIPESTATUS[0]}"
}

part() { # name, what it is, command...
    local name=$1 title=$2 out=build/tests/$1.out status=0 passed failed left began=$SECONDS
    shift 2
    [[ " $wanted " == *" $name "* ]] || return 0
    [ ! -t 2 ] || printf '%s ...\r' "$title" >&2
    if [[ " $alone " == *" $name "* ]]; then
        while [ ! -s "build/tests/$name.status" ] && kill -0 "$beside" 2>/dev/null; do sleep 1; done
        status=$(cat "build/tests/$name.status" 2>/dev/null || echo 1)
        show_lines <"$out"
    else
        run_here "$name" "$@" || status=$?
    fi
    passed=$(grep -c '^ok ' "$out") failed=$(grep -c '^FAIL' "$out") left=$(grep -c '^skip' "$out")
    if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ "$passed" = 0 ]; }; then
        echo "FAIL  $name: ended with status $status after $passed checks: $(tail -n 1 "$out")"
        failed=1
    fi
    good=$((good + passed)) bad=$((bad + failed)) skipped=$((skipped + left))
    printf '%-38s %5d passed, %d failed%s  (%d s)\n' "$title" "$passed" "$failed" "$([ "$left" = 0 ] || echo ", $left skipped")" $((SECONDS - began))
}

each_part() { # function
    "$1" unit "C unit tests" tests/unit/run.sh
    "$1" sanitize "C unit tests under sanitizers" tests/unit/run.sh --sanitize
    "$1" readers "readers under libFuzzer" tests/fuzz/readers/run.sh
    "$1" passes "refused specs, dumps of the passes" tests/pass/run.sh "${all[@]}"
    "$1" emit "emitted files in three tools" tests/emit/run.sh "${all[@]}"
    "$1" report "the report as a page" tests/report/run.sh
    "$1" templates "templates alone in three tools" verif/unit/lint_templates.sh "${quick[@]}"
    "$1" benches "module benches" verif/unit/run.sh "${quick[@]}"
    "$1" paths "longest paths by a delay model" verif/timing/run.sh "${paths[@]}"
    "$1" formal "proofs of stream modules" verif/formal/run.sh "${quick[@]}"
    "$1" accuracy "accuracy against the float model" tests/e2e/accuracy.sh
    "$1" matrix "spec to ids, design points" tests/e2e/matrix.sh "${all[@]}"
    "$1" docs "commands of the tutorials" tests/e2e/docs.sh
    "$1" fuzz "random graphs, spec to values" tests/fuzz/run.sh --set tests/fuzz/seeds found --jobs 2 --no-shrink "${forms[@]}"
    "$1" pieces "runs in pieces" tests/e2e/pieces.sh "${tune[@]}"
    "$1" failures "what goes wrong, ends well" tests/e2e/failures.sh
    "$1" mutants "planted faults" tests/mutants/run.sh --quick
}

rm -f build/tests/*.status
each_part run_alone &
beside=$!
trap 'kill "$beside" 2>/dev/null' EXIT
each_part part

echo "in $((SECONDS - start)) s; lines of every check in build/tests/*.out"
if [ $skipped = 0 ]; then echo "$good passed, $bad failed"; else echo "$good passed, $bad failed, $skipped skipped"; fi
[ $bad = 0 ] && [ $good -gt 0 ]
