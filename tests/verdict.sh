# SPDX-License-Identifier: Apache-2.0
# Sourced by the test scripts. A script announces the number of its checks before it begins them (`queue` and `counted`
# count them, `plan N` is for other checks). It prints one line per check, `ok    name`, `FAIL  name: reason` or `skip
# name: reason`, and ends with `verdict`. Fewer checks than announced, more, or the same check twice is a failure, here
# and in tests/run.sh; so is a process that dies.
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

# name, reason (its first line is shown); behind it the command that runs the check again, where a script says it:
# `again`
fail() {
    echo "FAIL  $1: ${2%%$'\n'*}"
    [ -z "${again:-}" ] || echo "again $again"
    bad=$((bad + 1))
}

skip() { # name, reason, number of planned checks it stands for (default 1)
    [ "${3:-1}" = 1 ] || plan $((1 - $3))
    echo "skip  $1: $2"
    skipped=$((skipped + 1))
}

# Passes when the command does; otherwise the last line of what it said is the reason. Everything it said is kept in
# $log.
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

# Passes when the command ends by itself with this exit status and says this (extended regular expression) on stderr or
# stdout.
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

# Prints the name of a spec: that of its file, or for tests/e2e/cases/NAME/spec.yaml that of its folder.
spec_name() { # spec
    local name
    name=$(basename "$1" .yaml)
    [ "$name" != spec ] || name=$(basename "$(dirname "$1")")
    echo "$name"
}

# Writes a spec with other values of design keys (and of any other `key: value` line of two spaces): variant FROM TO
# key=value...
variant() {
    local from=$1 to=$2 pair key value
    shift 2
    local dir
    dir=$(cd "$(dirname "$from")" && pwd)
    # other paths remain valid
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

# Counts the verdict lines of a file into `passed`, `failed` and `left`; `amiss`: what is wrong with them, if they are
# not exactly as many checks as there must be. After a failure fewer may follow.
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

# A script lists its checks, and other commands between them, and then runs the list, so the plan is its length.
# Arguments are evaluated when they are listed.
queue() { queue_many 1 "$@"; } # command that makes one check: check, check_refused or a function of the script
prepare() { queue_many 0 "$@"; } # command that makes no check, and fails like one if it ends with a status
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

watched() { # number of checks, command that must make as many; after a failure fewer may follow
    local watched_lines=$((planned - good - bad - skipped)) watched_bad=$bad watched_name=${*:2}
    "${@:2}"
    watched_lines=$((watched_lines - planned + good + bad + skipped))
    [ $watched_lines = "$1" ] || { [ $watched_lines -lt "$1" ] && [ $watched_bad != "$bad" ]; } ||
        fail "${watched_name#eval }" "$watched_lines checks instead of $1"
}

# ---- jobs side by side ----

# The number of lines that a job must print is known before any job begins.
add_job() { # number of its checks, command and arguments
    job_checks+=("$1")
    job_commands+=("${*:2}")
    printf -v "job_commands[-1]" '%q ' "${@:2}"
}

# Runs the jobs. Each has a file for its lines, which are shown when it has ended; the exit status of each is seen.
run_jobs() { # how many side by side
    local next=0 sum=0 pid count=${#job_commands[@]} folder
    local -A running=()
    for ((next = 0; next < count; next++)); do sum=$((sum + job_checks[next])); done
    plan $sum
    mkdir -p "$root/build/tests" && folder=$(mktemp -d "$root/build/tests/jobs.XXXXXX") || return
    next=0
    while [ $next -lt "$count" ] || [ ${#running[@]} != 0 ]; do
        for (( ; next < count && ${#running[@]} < $1; next++)); do
            (eval "exec ${job_commands[next]}") >"$folder/$next" 2>&3 3>&- </dev/null &
            running[$!]=$next
        done
        wait -n "${!running[@]}"
        for pid in "${!running[@]}"; do
            if ! kill -0 "$pid" 2>/dev/null; then
                wait "$pid"
                close_job "${running[$pid]}" $? "$folder/${running[$pid]}"
                unset "running[$pid]"
            fi
        done
    done 3>&2 2>/dev/null # without bash's own words about a killed job
    rm -rf "$folder"
    job_checks=() job_commands=()
}

close_job() { # number, exit status, its lines
    local passed failed left amiss
    count_checks "$3" "${job_checks[$1]}"
    cat "$3"
    good=$((good + passed)) bad=$((bad + failed)) skipped=$((skipped + left))
    [ "$2" = 0 ] || amiss="ended with status $2 after $((passed + failed + left)) of ${job_checks[$1]} checks"
    [ -z "$amiss" ] || fail "job $(cut -c1-120 <<<"${job_commands[$1]}")" "$amiss"
}

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
