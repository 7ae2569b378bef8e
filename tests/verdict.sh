# SPDX-License-Identifier: Apache-2.0
# Functions for the test scripts, which source this file. A script announces the number of its checks before it begins
# them (`queue` and `counted` count them, `plan N` is for other checks). For each check it prints a line, `ok    name`,
# `FAIL  name: reason` or `skip  name: reason`. It ends with `verdict`. If the number of checks is not the announced
# one, this is a failure. In jobs and in tests/run.sh, a check that is made twice and a process that dies are also
# failures.
# shellcheck shell=bash disable=SC2034 # variables for the scripts that source this

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rill=$root/build/rill
export RILL_HOME=$root LC_ALL=C
good=0 bad=0 skipped=0 planned=0
job_checks=() job_commands=() queued_checks=() queued_commands=()

plan() { # number of checks to come
    echo "plan  $1"
    planned=$((planned + $1))
}

ok() { # name
    echo "ok    $1"
    good=$((good + 1))
}

# name, reason (its first line is shown). If the script sets `again`, a second line shows this command, which runs the
# check again.
fail() {
    echo "FAIL  $1: ${2%%$'\n'*}"
    [ -z "${again:-}" ] || echo "again $again"
    bad=$((bad + 1))
}

skip() { # name, reason, number of planned checks that are skipped (default 1)
    [ "${3:-1}" = 1 ] || plan $((1 - $3))
    echo "skip  $1: $2"
    skipped=$((skipped + 1))
}

# Passes if the command succeeds. Otherwise the most informative line of its output is the reason. $log keeps the whole
# output.
check() { # name, command...
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then ok "$name"; else fail "$name" "$(reason)"; fi
}

# Prints the most informative line of $log.
reason() {
    grep -Eim1 'error|FAIL|mismatch|differ' "$log" || grep -v '^$' "$log" | tail -n 1
    [ -s "$log" ] || echo "failed without a message"
}

# Passes if the command ends by itself with this exit status, and its output on stdout or stderr matches the pattern, an
# extended regular expression.
check_refused() { # name, status, pattern, command...
    local name=$1 want=$2 pattern=$3 status=0
    shift 3
    timeout "${RILL_TEST_TIMEOUT:-300}" "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" = 124 ]; then fail "$name" "still running after ${RILL_TEST_TIMEOUT:-300} s"
    elif [ "$status" != "$want" ]; then fail "$name" "exit status $status instead of $want: $(tail -n 1 "$log")"
    elif ! grep -Eq -e "$pattern" "$log"; then fail "$name" "no message like '$pattern': $(tail -n 1 "$log")"
    else ok "$name"
    fi
}

# Prints the name of a spec: the name of its file, or of its folder for tests/e2e/cases/NAME/spec.yaml.
spec_name() { # spec
    local name
    name=$(basename "$1" .yaml)
    [ "$name" != spec ] || name=$(basename "$(dirname "$1")")
    echo "$name"
}

# Writes a spec with other values of design keys, or of any other line `key: value` that is indented by two spaces:
# variant FROM TO key=value...
variant() {
    local from=$1 to=$2 pair key value
    shift 2
    local dir
    dir=$(cd "$(dirname "$from")" && pwd)
    # Paths relative to the first spec become absolute, so they remain valid.
    sed -E -e "s#([[ ])((\.\./)*kernels/)#\1$dir/\2#g" -e "s#^(board: )((\.\./)*boards/)#\1$dir/\2#" \
        -e "s#(family: )((\.\./)*families/)#\1$dir/\2#" "$from" >"$to"
    for pair in "$@"; do
        key=${pair%%=*} value=${pair#*=}
        if grep -q "^  $key:" "$to"; then
            sed -i "s|^  $key:.*|  $key: $value|" "$to"
        else
            echo "  $key: $value" >>"$to"
        fi
    done
}

# Counts the lines `ok`, `FAIL` and `skip` of a file into `passed`, `failed` and `left`. Sets `amiss` to a message if
# their sum is not the given number or if a check occurs twice, otherwise to an empty text. After a failure, there may
# be fewer lines.
count_checks() { # file, number of checks
    local twice count
    passed=$(grep -ac '^ok   ' "$1") failed=$(grep -ac '^FAIL ' "$1") left=$(grep -ac '^skip ' "$1")
    count=$((passed + failed + left)) amiss=""
    twice=$(grep -aE '^(ok   |FAIL |skip )' "$1" | sort | uniq -d | head -n 1)
    if [ ! -r "$1" ]; then amiss="its lines are lost"
    elif [ -n "$twice" ]; then amiss="a check twice: ${twice:6}"
    elif [ $count -gt "$2" ] || { [ "$failed" = 0 ] && [ $count != "$2" ]; }; then amiss="$count checks instead of $2"
    fi
}

# ---- checks one after the other ----

# A script lists its checks, and other commands between them, and then runs the list. The plan is the number of checks
# in the list. Arguments are evaluated when they are listed.
queue() { queue_many 1 "$@"; } # command that makes one check: check, check_refused or a function of the script
prepare() { queue_many 0 "$@"; } # command that makes no check, but is a failure if its exit status is not 0
queue_many() { # number of its checks, command
    queued_checks+=("$1")
    printf -v "queued_commands[${#queued_commands[@]}]" '%q ' "${@:2}"
}

run_queue() {
    local queue_at queue_sum=0
    for queue_at in "${queued_checks[@]}"; do queue_sum=$((queue_sum + queue_at)); done
    plan $queue_sum
    for queue_at in "${!queued_checks[@]}"; do
        if [ "${queued_checks[queue_at]}" != 0 ]; then
            watched "${queued_checks[queue_at]}" eval "${queued_commands[queue_at]}"
        else
            eval "${queued_commands[queue_at]}" >"$log" 2>&1 ||
                fail "preparation: ${queued_commands[queue_at]:0:100}" "exit status $?: $(reason)"
        fi
    done
    queued_checks=() queued_commands=()
}

# Announces a check when it begins, for scripts that do other work between checks.
counted() { counted_many 1 "$@"; } # command that makes one check
counted_many() { # number of its checks, command
    plan "$1"
    watched "$@"
}

# Runs the command. A failure is added if it makes another number of checks than given. It may make fewer if one of them
# fails.
watched() { # number of checks, command
    local watched_lines=$((planned - good - bad - skipped)) watched_bad=$bad watched_name=${*:2}
    "${@:2}"
    watched_lines=$((watched_lines - planned + good + bad + skipped))
    [ $watched_lines = "$1" ] || { [ $watched_lines -lt "$1" ] && [ $watched_bad != "$bad" ]; } ||
        fail "${watched_name#eval }" "$watched_lines checks instead of $1"
}

# ---- parallel jobs ----

# How jobs are run: options of the scripts, or variables in the environment, which are not passed on. docs/testing.md
# describes them.
job_launch=${LAUNCH:-} job_batch=${BATCH:-} job_limit=${LIMIT:-} job_count=${JOBS:-}
job_journal=${JOURNAL:+$(realpath -m "$JOURNAL")}
unset LAUNCH BATCH LIMIT JOURNAL JOBS
launch_help="  --launch CMD, --batch CMD, --limit SECONDS, --journal FILE
             run the jobs on other machines, end late ones, continue a run (docs/testing.md)"

# Takes one of these options. Fails if the value is missing or wrong.
job_option() { # option, value
    case $1 in
        --jobs) [[ $2 =~ ^[1-9][0-9]*$ ]] && jobs=$2 ;;
        --launch) job_launch=$2 && [ -n "$2" ] ;;
        --batch) job_batch=$2 && [ -n "$2" ] ;;
        --limit) [[ $2 =~ ^[1-9][0-9]*$ ]] && job_limit=$2 ;;
        --journal) [ -n "$2" ] && job_journal=$(realpath -m "$2") ;;
    esac
}

# Prints a checksum of all files on which the result of a test may depend: the whole tree without build/, .git and the
# journal.
state_of_tree() {
    (cd "$root" && find . \( -path ./build -o -path ./.git -o -name __pycache__ \) -prune -o -type f -print0 |
        grep -zvxF "./${job_journal#"$root/"}" | sort -z | xargs -0 sha1sum | sha1sum | cut -d' ' -f1)
}

# Adds a job. The number of lines that it must print is known before any job begins.
add_job() { # number of its checks, command and arguments
    job_checks+=("$1")
    job_commands+=("${*:2}")
    printf -v "job_commands[-1]" '%q ' "${@:2}"
}

# Runs the jobs with tests/launch.py, which prints their lines. A job that is lost or late, that ran twice, or whose
# exit status is not 0 is a failure.
run_jobs() { # how many at the same time
    local next sum=0 count=${#job_commands[@]} folder status=0 sums=(0 0 0 0) options=(--jobs "$1")
    for ((next = 0; next < count; next++)); do sum=$((sum + job_checks[next])); done
    plan $sum
    mkdir -p "$root/build/tests" && folder=$(mktemp -d "$root/build/tests/jobs.XXXXXX") || return
    for ((next = 0; next < count; next++)); do
        printf '%s\t%s\n' "${job_checks[next]}" "${job_commands[next]}"
    done >"$folder/items"
    [ -z "$job_launch" ] || options+=(--launch "$job_launch")
    [ -z "$job_batch" ] || options+=(--batch "$job_batch")
    [ -z "$job_limit" ] || options+=(--limit "$job_limit")
    [ -z "$job_journal" ] || options+=(--journal "$job_journal" --key "$(state_of_tree)")
    "$root/tests/launch.py" "$folder" "${options[@]}" </dev/null || status=$?
    [ ! -s "$folder/counts" ] || read -r -a sums <"$folder/counts"
    good=$((good + sums[0])) bad=$((bad + sums[1])) skipped=$((skipped + sums[2])) planned=$((planned + sums[3]))
    [ $status = 0 ] && [ -s "$folder/counts" ] || fail "jobs" "tests/launch.py ended with status $status"
    rm -rf "$folder"
    job_checks=() job_commands=()
}

# Succeeds if the journal was written with the present state of the tree. Items in the journal then do not run again.
resumes() { [ -n "$job_journal" ] && head -n 1 "$job_journal" 2>/dev/null | grep -qF "\"$(state_of_tree)\""; }

verdict() {
    local count=$((good + bad + skipped))
    [ "$bad" != 0 ] || [ $count = $planned ] || fail "plan" "$count checks instead of $planned"
    if [ "$skipped" = 0 ]; then
        echo "$good passed, $bad failed"
    else
        echo "$good passed, $bad failed, $skipped skipped"
    fi
    [ "$bad" = 0 ] && [ "$good" -gt 0 ]
}
