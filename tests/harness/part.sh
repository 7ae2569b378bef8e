#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A part of the test suite for tests/harness/run.sh: five cheap jobs or checks, in which something goes wrong. HOW says
# what: which process is killed and when, or which lines or exit status are wrong.
# usage: part.sh HOW [VICTIM]    VICTIM: number of the job that HOW `job-random` kills
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
how=$1

# Prints the children of a process, with this name if one is given.
children_of() { # process, name
    local status
    for status in /proc/[0-9]*/status; do
        awk -v p="$1" -v n="${2:-}" '
            $1 == "Name:" { name = $2 }
            $1 == "Pid:" { pid = $2 }
            $1 == "PPid:" && $2 == p && (n == "" || n == name) { print pid }' "$status" 2>/dev/null
    done
}

kill_now() { kill -9 $$; }

job() { # number
    case $how-$1 in
        job-first-1 | job-random-"$victim") kill_now ;;
        job-late-3) echo "ok    job 3" && kill_now ;;
        job-last-5) kill_now ;;
        job-silent-2) exit 0 ;;
        job-status-2) echo "ok    job 2" && exit 3 ;;
        job-more-2) echo "ok    job 2 and more" ;;
        job-variable-*) [ "${RILL_TEST_WORD:-}" = "it's a word" ] || exit 1 ;;
        job-same-2) echo "ok    job 2" ;;
        job-twice-2) echo "ok    job 1" && exit 0 ;;
        job-child-4) again="run job 4" && check "job 4" sh -c 'kill -9 $$' && exit 0 ;;
        job-full-2) exec >/dev/full ;;
        job-subshell-2)
            (kill -9 "$BASHPID" && ok "job 2")
            exit 0
            ;;
    esac
    ok "job $1"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
victim=${2:-0}
if [ "${3:-}" = --job ]; then
    job "$4"
    exit 0
fi
# Makes one of five checks, which are run one after the other with `queue` or with `counted`.
one() { # number
    case ${how#*-}-$1 in
        lost-3) return ;;
        more-3) ok "check 3 and more" ;;
        dies-3) check "check 3" sh -c 'kill -9 $$' && return ;;
        killed-3) kill_now ;;
    esac
    ok "check $1"
}
between() { [ "$how" != queue-prepare ]; }
[ "$how" != script-before ] || kill_now
if [[ $how == counted-* ]]; then
    for ((number = 1; number <= 5; number++)); do counted one $number; done
    verdict && exit 0 || exit 1
fi
if [[ $how == queue-* ]]; then
    for ((number = 1; number <= 5; number++)); do queue one $number && prepare between; done
    run_queue
    verdict && exit 0 || exit 1
fi
[ "$how" = no-plan ] || for ((number = 1; number <= 5; number++)); do add_job 1 "${BASH_SOURCE[0]}" "$how" "$victim" \
    --job $number; done
run_jobs 2
case $how in
    no-plan) for ((number = 1; number <= 5; number++)); do echo "ok    job $number"; done ;;
    script-after) kill_now ;;
    script-orphan) # its child continues after the script was killed
        (sleep 0.3 && echo "ok    job 6" && echo "6 passed, 0 failed") &
        plan 1
        kill_now
        ;;
    # kills the `tee` of tests/run.sh that takes the output of this part
    tee) kill -9 "$(children_of "$(awk '$1 == "PPid:" { print $2 }' /proc/$PPID/status)" tee)" ;;
    background) kill -9 $PPID ;;
    full) for ((number = 0; number < 400; number++)); do echo "a line that makes the file longer than it may be"; \
        done ;;
esac
verdict
[ "$how" != after-verdict ] || ok "job 6"
[ "$how" != script-end ] || kill_now
