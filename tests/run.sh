#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test, part by part: one line per part and one per check that failed, then the verdict alone on the last line. `make test` runs the
# representative selection, `make test-all` all of it. docs/testing.md says what each part proves. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/verdict.sh"
. "${RILL_TEST_PARTS:-$root/tests/parts.sh}"
cd "$root" || exit 1

usage() {
    cat <<TEXT
usage: tests/run.sh [--all] [--verbose] [part...]
  --all      everything: all sweeps, design points, seeds
  --verbose  every check's line, not only those that failed or were skipped
  part       one or more of these (default: all, in this order):
$(fold -s -w 100 <<<"$known" | sed 's/^/             /')
The lines of each part are kept in build/tests/<part>.out. Exit status: 0 all passed, 1 a check failed, 2 usage.
TEXT
}

all=() forms=() paths=() tune=() ends=(--every 250) quick=(--quick) verbose=0 wanted=""
for arg in "$@"; do
    case $arg in
        --all) all=(--all) paths=(--all) forms=(--form all --timing) tune=(--tune) ends=() quick=() ;;
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
out=${RILL_TEST_OUT:-build/tests} # where the lines are kept
mkdir -p "$out"
begun=$SECONDS finished=" "

show_lines() { if [ $verbose = 1 ]; then grep -aE '^(ok   |FAIL |skip )'; else grep -aE '^(FAIL |skip )'; fi; }

run_alone() { # name, what it is, command...
    [[ " $alone " == *" $1 "* && " $wanted " == *" $1 "* ]] || return 0
    "${@:3}" >"$out/$1.out" 2>&1 </dev/null
    echo $? >"$out/$1.status"
}

wait_alone() { # name: the exit status of a part that runs beside others
    while [ ! -s "$out/$1.status" ] && kill -0 "$beside" 2>/dev/null; do sleep 0.2; done
    show_lines <"$out/$1.out"
    return "$(cat "$out/$1.status" 2>/dev/null || echo 1)"
}

run_here() { # name, command...
    "${@:2}" 2>&1 </dev/null | tee "$out/$1.out" | show_lines
    local codes=("${PIPESTATUS[@]}")
    [ "${codes[0]}" = 0 ] || return "${codes[0]}"
    [ "${codes[1]}" = 0 ] && [ "${codes[2]}" -le 1 ]
}

# What is wrong with a part's lines: they must be the checks it planned, and behind them its own verdict.
judge_part() { # name, exit status
    local lines=$out/$1.out words sum
    sum=$(sed -n 's/^plan  \(-\?[0-9]\+\)$/\1/p' "$lines" | awk '{ s += $1 } END { print s + 0 }')
    count_checks "$lines" "$sum"
    words="$passed passed, $failed failed"
    [ "$left" = 0 ] || words+=", $left skipped"
    if [ "$failed" != 0 ]; then amiss=""
    elif [ "$2" != 0 ]; then amiss="ended with status $2 after $passed of $sum checks: $(tail -n 1 "$lines")"
    elif [ -z "$amiss" ] && [ "$passed" = 0 ]; then amiss="no check"
    elif [ -z "$amiss" ] && [ "$(tail -n 1 "$lines")" != "$words" ]; then amiss="its last line is not \`$words\`: $(tail -n 1 "$lines")"
    fi
}

part() { # name, what it is, command...
    local name=$1 title=$2 status=0 passed failed left amiss began=$SECONDS
    shift 2
    [[ " $wanted " == *" $name "* ]] || return 0
    [ ! -t 2 ] || printf '%s ...\r' "$title" >&2
    if [[ " $alone " == *" $name "* ]]; then wait_alone "$name" || status=$?
    else run_here "$name" "$@" || status=$?
    fi
    judge_part "$name" $status
    if [ -n "$amiss" ]; then
        echo "FAIL  $name: $amiss"
        failed=$((failed + 1))
    fi
    good=$((good + passed)) bad=$((bad + failed)) skipped=$((skipped + left)) finished+="$name "
    printf '%-38s %5d passed, %d failed%s  (%d s)\n' "$title" "$passed" "$failed" "$([ "$left" = 0 ] || echo ", $left skipped")" $((SECONDS - began))
}

for name in $wanted; do rm -f "$out/$name".{out,status}; done
each_part run_alone &
beside=$!
trap 'kill "$beside" 2>/dev/null' EXIT
each_part part
for name in $wanted; do
    [[ $finished == *" $name "* ]] || fail "$name" "this part did not run"
done

echo "in $((SECONDS - begun)) s; lines of every check in $out/*.out"
if [ $skipped = 0 ]; then echo "$good passed, $bad failed"; else echo "$good passed, $bad failed, $skipped skipped"; fi
[ $bad = 0 ] && [ $good -gt 0 ]
