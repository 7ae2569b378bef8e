#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests part by part. Prints one line per part and one per failed check, then the commands that run the failed
# checks again. The last line is the verdict. `make test` and `make test-deep` run a representative selection of the
# checks in two sets, and `make test-all` runs all checks. docs/testing.md says what each part proves. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/verdict.sh"
# RILL_TEST_PARTS: another list of parts, with which tests/harness/run.sh tests this script.
# shellcheck source=tests/parts.sh
. "${RILL_TEST_PARTS:-$root/tests/parts.sh}"
cd "$root" || exit 1
# Code that several simulations share, such as Verilator's runtime, is compiled once where ccache is installed.
if [ -x /usr/lib/ccache/gcc ]; then
    export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=${CCACHE_DIR:-$root/build/ccache} CCACHE_DEPEND=1
fi

usage() {
    cat <<TEXT
usage: tests/run.sh [--set test | --set deep | --all] [--verbose] [--list] [--jobs N] [--launch CMD | --batch CMD]
                    [--limit SECONDS] [--journal FOLDER] [part...]
  --set test what \`make test\` runs
  --set deep the rest of the representative selection: what \`make test-deep\` runs (default: both as one)
  --all      everything: all sweeps, design points, seeds
  --verbose  every check's line, not only those that failed or were skipped
  --list     the parts and their commands, without running them
  --jobs N   jobs of a part that run at the same time, for the parts that consist of jobs (default 2)
$launch_help
             Each part has a journal of its own in FOLDER, PART.jsonl
  part       one or more of these (default: all of the set):
$(fold -s -w 100 <<<"$known" | sed 's/^/             /')
The lines of each part are kept in build/tests/<part>.out, those of the deep set in build/tests/deep. Exit status: 0 all
passed, 1 a check failed, 2 usage.
TEXT
}

# Most arrays hold the options that parts.sh gives to the commands of certain parts. half: the set, for parts of which
# each set runs a half. chosen, wanted: names of the parts of the set, and of those to run.
all=() forms=() paths=() ends=(--every 250) quick=(--quick) verbose=0 wanted="" list=0 half=()
of_harness=() seeds=(--set tests/fuzz/seeds.test --set tests/fuzz/seeds found) chosen=$known out=build/tests
jobs=${job_count:-2} given=$job_count
choose_set() { # name of the set; selects the checks of parts that are in both sets
    half=(--set "$1")
    case $1 in
        test) chosen=${test_parts-$known} of_harness=(--fake) seeds=(--set tests/fuzz/seeds.test) ;;
        deep)
            chosen=${deep_parts-$known} of_harness=(--kills) seeds=(--set tests/fuzz/seeds found)
            out=build/tests/deep
            ;;
        *) usage >&2; exit 2 ;;
    esac
}
while [ $# -gt 0 ]; do
    case $1 in
        --all) all=(--all) paths=(--all) forms=(--form all --timing) ends=() quick=() ;;
        --set) choose_set "${2:-}" && shift ;;
        --verbose) verbose=1 ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            given=1 && shift
            ;;
        --list) list=1 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *)
            [[ " $chosen " == *" $1 "* ]] || { usage >&2; exit 2; }
            wanted+=" $1"
            ;;
    esac
    shift
done
[ ${#half[@]} = 0 ] || [ ${#all[@]} = 0 ] || { usage >&2; exit 2; }
[ -n "$wanted" ] || wanted=$chosen
if [ $list = 1 ]; then
    show_part() { [[ " $wanted " != *" $1 "* ]] || echo "$1: ${*:3}"; }
    each_part show_part
    exit 0
fi
[ -z "$job_journal" ] || mkdir -p "$job_journal" || exit
out=${RILL_TEST_OUT:-$out} # folder of the parts' output
mkdir -p "$out"
# The first report can take minutes, so the expected time is printed.
[ "${half[*]:-}" != "--set test" ] || takes=", about 5 minutes on two cores"
parts=$(wc -w <<<"$wanted")
[ "$parts" = 1 ] && unit=part || unit=parts
echo "$parts $unit${takes:-}, logs in ${out#"$root/"}"
begun=$SECONDS finished=" " hints=() cpu=0

# Sets `spent` to the processor time of this shell and of its finished children, in seconds.
take_clock() {
    local fields
    read -r -a fields </proc/self/stat
    spent=$(((fields[13] + fields[14] + fields[15] + fields[16]) / 100))
}

show_lines() { if [ $verbose = 1 ]; then grep -aE '^(ok   |FAIL |skip )'; else grep -aE '^(FAIL |skip )'; fi; }

# Prints variables for the script of a part, which say how it runs its jobs (verdict.sh). Without options the scripts
# keep their own numbers of jobs. The part `harness` tests these variables itself.
how_jobs_run() { # name of the part
    [ "$1" != harness ] || return 0
    printf '%s\0' "JOBS=${given:+$jobs}" "LAUNCH=$job_launch" "BATCH=$job_batch" "LIMIT=$job_limit" \
        "JOURNAL=${job_journal:+$job_journal/$1.jsonl}"
}

# Runs a command and records its processor time. Callers run it in a subshell, a pipeline or a background job, because
# otherwise the time of a part that ends at the same time would be counted as well.
run_timed() { # name, command...
    local before status=0 how
    mapfile -d '' how < <(how_jobs_run "$1")
    take_clock
    before=$spent
    env "${how[@]}" "${@:2}" </dev/null || status=$?
    take_clock
    echo $((spent - before)) >"$out/$1.clock"
    return $status
}

# Runs the command if it is a part of `alone`. Runs in the background; wait_alone waits for the status and reports.
run_alone() { # name, title, command...
    [[ " $alone " == *" $1 "* && " $wanted " == *" $1 "* ]] || return 0
    local status=0
    run_timed "$1" "${@:3}" >"$out/$1.out" 2>&1 || status=$?
    echo $status >"$out/$1.status"
}

wait_alone() { # name of a part of `alone`: waits for it, shows its lines and returns its exit status
    while [ ! -s "$out/$1.status" ] && kill -0 "$beside" 2>/dev/null; do sleep 0.2; done
    show_lines <"$out/$1.out"
    return "$(cat "$out/$1.status" 2>/dev/null || echo 1)"
}

run_here() { # name, command...: runs any other part, shows its lines and returns its exit status
    run_timed "$@" 2>&1 | tee "$out/$1.out" | show_lines
    local codes=("${PIPESTATUS[@]}")
    [ "${codes[0]}" = 0 ] || return "${codes[0]}"
    [ "${codes[1]}" = 0 ] && [ "${codes[2]}" -le 1 ]
}

# Sets `amiss` to what is wrong with the lines of a part, or to nothing. They must be the checks that it announced,
# followed by its verdict. Sets `passed`, `failed` and `left` to the numbers of its checks.
judge_part() { # name, exit status
    local lines=$out/$1.out words sum
    sum=$(sed -n 's/^plan  \(-\?[0-9]\+\)$/\1/p' "$lines" | awk '{ s += $1 } END { print s + 0 }')
    count_checks "$lines" "$sum"
    words="$passed passed, $failed failed"
    [ "$left" = 0 ] || words+=", $left skipped"
    if [ "$failed" != 0 ]; then amiss=""
    elif [ "$2" != 0 ]; then amiss="ended with status $2 after $passed of $sum checks: $(tail -n 1 "$lines")"
    elif [ -z "$amiss" ] && [ "$passed" = 0 ]; then amiss="no check"
    elif [ -z "$amiss" ] && [ "$(tail -n 1 "$lines")" != "$words" ]; then
        amiss="its last line is not \`$words\`: $(tail -n 1 "$lines")"
    fi
}

# Adds to `hints` the commands that run failed checks of a part again. The line after a `FAIL` can name the command
# (`fail` of verdict.sh). If it does not, the command of the part is added.
note_again() { # name, command of the part...
    local line
    while IFS= read -r line; do
        hints+=("$line")
    done < <(awk -v part="${*:2}" '/^again / && open { print substr($0, 7); open = 0; next }
        open { print part; open = 0 }
        /^FAIL / { open = 1 }
        END { if (open) print part }' "$out/$1.out" 2>/dev/null | awk '!seen[$0]++')
}

# Runs or awaits a part, if it is wanted, and prints the line with its numbers and times.
part() { # name, title, command...
    local name=$1 title=$2 status=0 passed failed left amiss began=$SECONDS spent
    shift 2
    [[ " $wanted " == *" $name "* ]] || return 0
    [ ! -t 2 ] || printf '%s ...\r' "$title" >&2
    if [[ " $alone " == *" $name "* ]]; then wait_alone "$name" || status=$?
    else run_here "$name" "$@" || status=$?
    fi
    spent=$(cat "$out/$name.clock" 2>/dev/null || echo 0)
    cpu=$((cpu + spent))
    judge_part "$name" $status
    [ "$failed" = 0 ] || note_again "$name" "$@"
    if [ -n "$amiss" ]; then
        echo "FAIL  $name: $amiss"
        failed=$((failed + 1)) hints+=("$*")
    fi
    good=$((good + passed)) bad=$((bad + failed)) skipped=$((skipped + left)) finished+="$name "
    printf '%-38s %5d passed, %d failed%s  (%d s, %d CPU s)\n' "$title" "$passed" "$failed" \
        "$([ "$left" = 0 ] || echo ", $left skipped")" $((SECONDS - began)) "$spent"
}

for name in $wanted; do rm -f "$out/$name".{out,status,clock}; done
each_part run_alone &
beside=$!
trap 'kill "$beside" 2>/dev/null' EXIT
each_part part
for name in $wanted; do
    [[ $finished == *" $name "* ]] && continue
    fail "$name" "this part did not run"
    hints+=("tests/run.sh ${half[*]} ${all[*]} $name")
done

if [ ${#hints[@]} != 0 ]; then
    printf '%s\n' "${hints[@]}" | awk '!seen[$0]++' >"$out/again"
    echo "to run again what failed:" && head -n 20 "$out/again" | sed 's/^/    /'
else rm -f "$out/again"
fi
echo "in $((SECONDS - begun)) s, $cpu CPU s; lines of every check in $out/*.out"
if [ $skipped = 0 ]; then echo "$good passed, $bad failed"; else echo "$good passed, $bad failed, $skipped skipped"; fi
[ $bad = 0 ] && [ $good -gt 0 ]
