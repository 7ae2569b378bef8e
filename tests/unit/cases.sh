# SPDX-License-Identifier: Apache-2.0
# run.sh sources this file. It reads from the log of a cmocka program which of its cases ran and passed, so that a case
# that is silently left out is found. tests/harness/run.sh tests it with wrong logs.
# shellcheck shell=bash disable=SC2154 # variables of verdict.sh and run.sh

# Prints a line `name: reason` for each case that a test program skipped. The reason is the message `skipped: ...`
# before it in the log.
skipped_cases() {
    awk '/^\[=+\] [0-9]+ test\(s\) run/ { exit }
        /^\[ RUN / { why = "no reason given" }
        /^skipped: / { why = substr($0, 10) }
        /^\[  SKIPPED \] / { print $NF ": " why }' "$log"
}

# Prints the cases that the source lists. `slow` of run.sh selects all cases, those that are not slow, or the slow ones.
cases_listed() { # name of the test, such as test_base
    local which
    case ${slow:-all} in
        all) which=(-e .) ;;
        none) which=(-v -e '(slow_') ;;
        only) which=(-e '(slow_') ;;
    esac
    grep -o 'cmocka_unit_test[a-z_]*([a-z_0-9]*' "$root/tests/unit/$1.c" | grep "${which[@]}"
}

# Checks that a test program ran as many cases as its source lists. Prints a line for each skipped case.
report_cases() { # name, case or ""
    local count want=1 line
    count=$(grep -c '^\[  *\(OK\|SKIPPED\) \]' <(sed '/^\[=*\] [0-9]* test(s) run/,$d' "$log"))
    [ -n "$2" ] || want=$(cases_listed "$1" | wc -l)
    if [ "$count" != "$want" ]; then fail "$1${2:+:$2}" "$count cases instead of $want"
    elif ! grep -q 'OK \]' "$log"; then fail "$1${2:+:$2}" "no case was run"
    else ok "$1${2:+:$2} ($(grep -c 'OK \]' "$log") tests)"
    fi
    while IFS= read -r line; do plan 1 && skip "$1 ${line%%: *}" "${line#*: }"; done < <(skipped_cases)
}
