# SPDX-License-Identifier: Apache-2.0
# Sourced by the test scripts. A script prints one line per check, `ok    name`, `FAIL  name: reason` or `skip  name: reason`, and ends with
# `verdict`: tests/run.sh counts the lines.
# shellcheck shell=bash disable=SC2034 # variables for the scripts that source this

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rill=$root/build/rill
export RILL_HOME=$root LC_ALL=C
good=0 bad=0 skipped=0

ok() { # name
    echo "ok    $1"
    good=$((good + 1))
}

fail() { # name, reason (its first line is shown)
    echo "FAIL  $1: ${2%%$'\n'*}"
    bad=$((bad + 1))
}

skip() { # name, reason
    echo "skip  $1: $2"
    skipped=$((skipped + 1))
}

# Passes when the command does; otherwise the last line of what it said is the reason. Everything it said is kept in $log.
check() { # name, command...
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then ok "$name"; else fail "$name" "$(reason)"; fi
}

# The line of $log that tells most.
reason() {
    grep -Eim1 'error|FAIL|mismatch|differ' "$log" || grep -v '^$' "$log" | tail -n 1
    [ -s "$log" ] || echo "failed without a message"
}

# Passes when the command ends by itself with this exit status and says this (extended regular expression) on stderr or stdout.
check_refused() { # name, status, pattern, command...
    local name=$1 want=$2 pattern=$3 status=0
    shift 3
    timeout "${RILL_TEST_TIMEOUT:-120}" "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" = 124 ]; then fail "$name" "still running after ${RILL_TEST_TIMEOUT:-120} s"
    elif [ "$status" != "$want" ]; then fail "$name" "exit status $status instead of $want: $(tail -n 1 "$log")"
    elif ! grep -Eq -e "$pattern" "$log"; then fail "$name" "no message like '$pattern': $(tail -n 1 "$log")"
    else ok "$name"
    fi
}

# Writes a spec with other values of design keys (and of any other `key: value` line of two spaces): variant FROM TO key=value...
variant() {
    local from=$1 to=$2 pair key value
    shift 2
    local dir
    dir=$(cd "$(dirname "$from")" && pwd)
    sed -e "s#\([[ ]\)kernels/#\1$dir/kernels/#g" -e "s#^board: boards/#board: $dir/boards/#" "$from" >"$to" # other files stay where they are
    for pair in "$@"; do
        key=${pair%%=*} value=${pair#*=}
        if grep -q "^  $key:" "$to"; then sed -i "s|^  $key:.*|  $key: $value|" "$to"; else echo "  $key: $value" >>"$to"; fi
    done
}

verdict() {
    if [ "$skipped" = 0 ]; then echo "$good passed, $bad failed"; else echo "$good passed, $bad failed, $skipped skipped"; fi
    [ "$bad" = 0 ] && [ "$good" -gt 0 ]
}
