#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the test harness itself: the suite must fail if any of its processes is killed at any time, or if lines of its
# output are lost or printed twice. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/sets.sh"
. "$(dirname "${BASH_SOURCE[0]}")/launch.sh"

fake=0
case ${1:-} in
    "") ;;
    --fake) fake=1 ;;
    --runs) fake=2 ;;
    --kills) fake=3 ;;
    --launch) fake=4 ;;
    --help | -h)
        echo "usage: tests/harness/run.sh [--fake | --runs | --launch | --kills [part...]]
Checks that the tests report what goes wrong, in this order:
  1. runs of a design with one wrong result
  2. suites with one part of five cheap jobs (part.sh), in which one thing goes wrong
  3. the two sets of tests (sets.sh)
  4. launchers that fail, and journals (launch.sh)
  5. the scripts of all parts, of which first the script and then one worker is killed (kills.sh)
  --fake   all but 5
  --runs   1 alone
  --launch 4 alone
  --kills  5 alone, or only the killed workers of the given parts"
        exit 0
        ;;
    *) echo "usage: tests/harness/run.sh [--fake | --runs | --launch | --kills [part...]]" >&2 && exit 2 ;;
esac
work=$root/build/tests/harness log=$root/build/tests/harness.log
rm -rf "$work" && mkdir -p "$work"

# Prints the file of parts (like tests/parts.sh) of a suite with one part, which fails in a given way.
parts_of() { # how, victim, background part or nothing, a part that is not there
    echo "known=\"fake${4:+ $4}\" alone=\"${3:-}\"
each_part() { \"\$1\" fake \"a fake part\" \"$root/tests/harness/part.sh\" $1 ${2:-0}; }"
}
suite() { # how, victim, background part or nothing
    parts_of "$@" >"$work/parts.sh"
    RILL_TEST_PARTS=$work/parts.sh RILL_TEST_OUT=$work timeout 60 "${limit[@]}" "$root/tests/run.sh"
}
limit=() # a command in front of tests/run.sh that limits the size of its files

# Checks that the suite passes with five checks, and that its first line counts one part.
passes() { # how, background part
    suite "$1" 0 "${2:-}" >"$log" 2>&1 && [ "$(tail -n 1 "$log")" = "5 passed, 0 failed" ] &&
        [ "$(head -n 1 "$log")" = "1 part, logs in build/tests/harness" ]
}

# Checks that the suite fails: its exit status and its last line must say so.
fails() { # label, reason, how, victim, background part, a part that is not there
    local status=0
    suite "${@:3}" >"$log" 2>&1 || status=$?
    if [ $status != 1 ]; then fail "$1" "status $status: $(tail -n 1 "$log")"
    elif ! tail -n 1 "$log" | grep -qE '^[0-9]+ passed, [1-9][0-9]* failed$'; then
        fail "$1" "ends with: $(tail -n 1 "$log")"
    elif ! grep -qE "^FAIL .*$2" "$log"; then fail "$1" "no word of '$2': $(grep -m 1 '^FAIL' "$log")"
    else ok "$1"
    fi
}

# ---- runs of a design: a program replaces rill and prints prepared output ----

# Writes a program that replaces rill, and its prepared output of `rill sim` and `rill forecast` for a correct run, one
# value per line. A sed command then changes one file of this output.
write_run() { # sed command, file: sim, forecast, status or logits
    rm -rf "$work/e2e" && mkdir -p "$work/e2e"/{golden,logits,said}
    printf 'graph:\n  inputs:\n    x: {shape: [4]}\n        - {op: gelu, name: y, in: [x]}\n' >"$work/e2e/p.yaml"
    echo "3 4" >"$work/e2e/golden/key.end"
    printf '  "%s": %s,\n' match true values_compared 9 streams_compared 6 streams 6 \
        oracle_named 2 oracle_tensors 2 oracle_values 8 oracle_positions 1 late 0 refused 0 \
        requests '[' >"$work/e2e/said/sim"
    printf '      "%s": %s,\n' prompt_ids '[1, 2]' token_ids '[3, 4]' cycle_start 100 cycles_prefill 5000 \
        cycles_decode 5000 >>"$work/e2e/said/sim"
    printf '  "%s": %s,\n' cycles_prefill 5060 cycles_decode 5060 steps 1 cycles_prefill_bound 4000 \
        cycles_decode_bound 4000 >"$work/e2e/said/forecast"
    printf '%s\n' 0 >"$work/e2e/said/status"
    printf 'logits\n' >"$work/e2e/said/logits"
    sed -i "$1" "$work/e2e/said/$2"
    cat >"$work/e2e/rill" <<'STUB'
#!/usr/bin/env bash
cd "$(dirname "$0")/said" || exit
command=$1
while [ $# -gt 0 ]; do
    case $1 in --json) json=${2:-} ;; --logits) logits=$2 ;; esac
    shift
done
[ "$command" = forecast ] && exec cat forecast
cp sim "$json" && cp logits "$logits" && exit "$(cat status)"
STUB
    chmod +x "$work/e2e/rill"
}

# Judges the prepared run with the functions of tests/e2e/judge.sh.
# shellcheck disable=SC2034 # variables of judge.sh
judge_point() (
    . "$root/tests/e2e/judge.sh"
    work=$root/build/tests/harness/e2e rill=$work/rill requests=(--prompt-ids 1,2 --tokens 2) flags=() arguments=4
    echo logits >"$work/logits/key.end.other.0"
    streams_compared() { :; } # replaces the real check, which tests/e2e/comparisons.sh tests
    check_run p key end 0
    compare_logits "$work/logits"
)

judged() { # label, pattern of its line, sed command, file: sim, forecast, status or logits
    write_run "$3" "$4"
    judge_point >"$log" 2>&1
    if grep -Eq "^$2" "$log"; then ok "$1"; else fail "$1" "no line like '$2': $(head -n 1 "$log")"; fi
}

judge_runs() {
    counted judged "a run that is right" 'ok    p end seed 0: 1 requests, 9 values on 6 of 6 streams match' "" sim
    counted judged "a forecast that is right" 'ok    p end forecast: cycles of 1 requests within 1.20 %' "" sim
    counted judged "logits that are right" 'ok    logits key.end: the same 7 bytes from 2 runs' "" sim
    counted judged "a run that fails" 'FAIL  p end seed 0: exit status 1' s/0/1/ status
    counted judged "a mismatch" 'FAIL  p end seed 0: no match' s/true/false/ sim
    counted judged "nothing compared" 'FAIL  p end seed 0: no match' 's/\(values_compared": \)9/\10/' sim
    counted judged "a tensor that the oracle does not know" 'FAIL  p end seed 0: error: the oracle knows 1 of the 2' \
        '/oracle_named/s/2/1/' sim
    counted judged "a tensor not compared with the oracle" 'FAIL  p end seed 0: error: 1 of 2 tensors' \
        '/oracle_tensors/s/2/1/' sim
    counted judged "no values of the oracle" 'FAIL  p end seed 0: error: no values' '/oracle_values/s/8/0/' sim
    counted judged "a kernel that breaks its contract" 'FAIL  p end seed 0: a custom kernel' '/late/s/0/3/' sim
    counted judged "other ids than the oracle's" 'FAIL  p end seed 0: other ids' '/token_ids/s/4/5/' sim
    counted judged "a forecast that is off" \
        'FAIL  p end forecast: request 2:2: off by 1120 of 10000 cycles, at most 264' \
        s/5060/5560/ forecast
    counted judged "a run below its bound" 'FAIL  p end forecast: request 2:2: 10000 cycles, below the bound of 16000' \
        s/4000/8000/ forecast
    counted judged "no request" 'FAIL  p end forecast: no request' /cycles_decode/d sim
    counted judged "other logits" 'FAIL  logits key.end: ' s/logits/logit/ logits
}

victim=$((RANDOM % 5 + 1))
. "$root/tests/harness/kills.sh"
[ $fake != 3 ] || { kill_workers "${@:2}" && verdict && exit 0 || exit 1; }
[ $fake != 4 ] || { check_launch && verdict && exit 0 || exit 1; }
judge_runs
[ $fake != 2 ] || { verdict && exit 0 || exit 1; }
counted check "nothing goes wrong" passes nothing
counted check "nothing goes wrong in the background" passes nothing fake
counted fails "the first job is killed" 'status 137' job-first
counted fails "job $victim of 5 is killed" 'status 137' job-random $victim
counted fails "a job is killed behind its line" 'status 137' job-late
counted fails "the last job is killed" 'status 137' job-last
counted fails "a job ends without a line" '0 checks instead of 1' job-silent
counted fails "a job ends with a status" 'status 3' job-status
counted fails "a job prints a line too many" '2 checks instead of 1' job-more
counted fails "a job prints another's line" 'a check twice: job 1' job-twice
counted fails "a process of a job is killed" 'job 4' job-child
counted fails "a part of a job's shell is killed" 'job 2|checks' job-subshell
counted fails "a job's lines cannot be written" '0 checks instead of 1' job-full
counted fails "a job is killed in the background" 'status 137' job-late 0 fake
for alone in "" fake; do
    where=${alone:+, in the background}
    counted fails "a script is killed before it begins$where" 'status 137' script-before 0 $alone
    counted fails "a script is killed behind its jobs$where" 'status 137' script-after 0 $alone
    counted fails "a script is killed behind its verdict$where" 'status 137' script-end 0 $alone
    counted fails "a script is dead, its child goes on$where" 'status 137' script-orphan 0 $alone
    counted fails "a script plans nothing$where" 'instead of 0' no-plan 0 $alone
    counted fails "a line behind the verdict$where" '6 checks instead of 5|its last line' after-verdict 0 $alone
done
counted fails "the part's pipe is killed" 'ended with status' tee
counted fails "what runs parts in the background is killed" 'ended with status 1 ' background 0 fake
counted fails "a part is not there" 'this part did not run' nothing 0 "" gone
limit=(bash -c 'trap "" XFSZ && ulimit -f 2 && exec "$@"' limited) # a file may have 2 KiB
counted fails "a part's lines cannot be written" 'ended with status' full
limit=()
for how in queue counted; do
    counted check "$how checks: nothing goes wrong" passes $how-nothing
    counted fails "$how checks: one says nothing" 'one 3 ?: 0 checks instead of 1' $how-lost
    counted fails "$how checks: one says too much" 'one 3 ?: 2 checks instead of 1' $how-more
    counted fails "$how checks: one dies" 'check 3: ' $how-dies
    counted fails "$how checks: the script dies in the middle" 'status 137' $how-killed
done
counted fails "queue checks: a preparation fails" 'preparation: between : exit status 1' queue-prepare
# Writes the source of a test program that lists three cases: one, one in a group that may be skipped, and a slow one,
# which the deep set runs. Writes a log in which some cases ran, and prints the verdict of tests/unit/cases.sh. `which`
# selects the slow cases, as `slow` of tests/unit/run.sh does.
cases_of() { # ok or skipped, for each case that was run
    local root=$work/cases_of how slow=${which:-none}
    mkdir -p "$root/tests/unit"
    printf '    cmocka_unit_test%s,\n' '(test_a)' '_setup(test_b, begin)' '(slow_c)' >"$root/tests/unit/test_x.c"
    for how in "$@"; do
        if [ "$how" = ok ]; then printf '[ RUN      ] a\n[       OK ] a\n'
        else printf '[ RUN      ] b\nskipped: no file\n[  SKIPPED ] b\n'; fi
    done >"$work/cases.log"
    echo "[==========] $# test(s) run." >>"$work/cases.log"
    (. "${BASH_SOURCE[0]%/*}/../unit/cases.sh" && log=$work/cases.log && report_cases test_x "") >"$log" 2>&1
    cat "$log"
}
says() { "${@:2}" | grep -qxE -- "$1"; } # line, command
counted check "a test program runs its cases" says 'ok    test_x \(2 tests\)' cases_of ok ok
counted check "a test program skips a case" says 'skip  test_x b: no file' cases_of ok skipped
counted check "a test program runs fewer cases than it lists" says 'FAIL  test_x: 1 cases instead of 2' cases_of ok
counted check "a test program runs more cases than it lists" says 'FAIL  test_x: 3 cases instead of 2' cases_of ok ok ok
which=only
counted check "a test program runs its slow case alone" says 'ok    test_x \(1 tests\)' cases_of ok
counted check "a test program runs a case that is not slow" says 'FAIL  test_x: 2 cases instead of 1' cases_of ok ok
which=all
counted check "a test program runs all cases" says 'ok    test_x \(3 tests\)' cases_of ok ok ok
counted check "a test program runs only two of them" says 'FAIL  test_x: 2 cases instead of 3' cases_of ok ok
which=none
counted check "a test program skips every case" says 'FAIL  test_x: no case was run' cases_of skipped skipped
# A message from a program that crashes, or that goes on, does not count as a refusal.
ends_so() { # shell command
    (log=$work/refused.log && check_refused "x" 1 'wrong input' sh -c "echo 'error: wrong input'; $1") 2>&1
}
counted check "a refusal" says 'ok    x' ends_so 'exit 1'
counted check "a crash with the words of a refusal" says 'FAIL  x: exit status 139 .*' ends_so 'kill -SEGV $$'
counted check "a refusal with another status" says 'FAIL  x: exit status 2 .*' ends_so 'exit 2'
counted check "the words of a refusal, and success" says 'FAIL  x: exit status 0 .*' ends_so 'exit 0'
check_sets
check_launch
[ $fake = 0 ] || { verdict && exit 0 || exit 1; }
kill_workers
verdict
