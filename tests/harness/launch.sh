# SPDX-License-Identifier: Apache-2.0
# Functions for run.sh, which sources this file. They test tests/launch.py with launchers that lose, double or delay
# items, and test its journals. part.sh is the test script and has five items. launcher.sh takes the place of the
# launcher of a cluster.
# shellcheck shell=bash disable=SC2154 # variables of verdict.sh and run.sh

# Runs the five items through a launcher, and counts its calls.
launched() { # how the launcher fails, how a job fails, NAME=VALUE...
    : >"$calls"
    env LAUNCH="$root/tests/harness/launcher.sh $1 $calls" "${@:3}" timeout 60 "$root/tests/harness/part.sh" "$2" \
        >"$lines" 2>&1
}
# Does the same with one call for the scripts of all items.
batched() { launched "$@" LAUNCH= BATCH="$root/tests/harness/launcher.sh $1 $calls"; }

# Checks that all five items pass, each once in the output, after a number of calls of the launcher.
five_pass() { # calls, command...
    "${@:2}"
    [ "$(tail -n 1 "$lines")" = "5 passed, 0 failed" ] || { cat "$lines"; return 1; }
    [ "$(wc -l <"$calls")" = "$1" ] || { echo "error: $(wc -l <"$calls") calls instead of $1" && return 1; }
}

# Checks that the verdict is a failure, and that a FAIL line matches the pattern.
four_pass() { # pattern, command...
    "${@:2}" # part.sh ends with status 0 even if checks have failed
    # The verdict may not be the last line: an item that outlives the program that started it reports a broken pipe.
    grep -qE '^[0-9]+ passed, [1-9][0-9]* failed$' "$lines" || { cat "$lines"; return 1; }
    grep -qE "^FAIL .*$1" "$lines" || { echo "error: no line like '$1': $(grep -m 1 '^FAIL' "$lines")" && return 1; }
}

with_journal() { launched "$@" JOURNAL="$journal"; }
keeps_rest() { # runs the items that the journal does not have as passed
    local left
    left=$((5 - $(grep -c '"verdict": "passed"' "$journal")))
    [ $left -lt 5 ] && [ $left -gt 0 ] || { echo "error: $left of 5 items are left" && return 1; }
    five_pass $left with_journal run nothing
}
with_line() { printf '%s' "$1" >>"$journal" && five_pass "$2" with_journal run nothing; } # text to append, calls
# Changes the key in the first line, which is a checksum of the tree.
of_other_tree() { sed -i '1s/": "/&0/' "$journal" && five_pass 5 with_journal run nothing; }
in_use() (
    exec 9<"$journal" && flock -s 9 && four_pass 'ended with status 1' with_journal run nothing &&
        grep -q 'another run uses the journal' "$lines"
)
no_journal() {
    printf 'no journal\n' >"$journal" && four_pass 'ended with status 1' with_journal run nothing &&
        grep -q 'is not a journal' "$lines" && [ "$(cat "$journal")" = "no journal" ]
}
ends_late() {
    four_pass 'still running after 1 s' launched late nothing LIMIT=1 && [ "$(wc -l <"$calls")" = 5 ]
}

# Appends an entry that says that an item which had passed has failed. This item alone must run again.
fails_again() {
    grep '"verdict": "passed"' "$journal" | tail -n 1 | sed 's/passed/failed/' >"$work/line" &&
        cat "$work/line" >>"$journal" && five_pass 1 with_journal run nothing
}

runs_once() {
    rm -f "$journal"
    four_pass 'status 137' launched run job-first LAUNCH= JOURNAL="$journal" && ! grep -q '"run": 2' "$journal"
}

check_launch() {
    local calls=$work/calls journal=$work/journal.jsonl lines=$work/lines # lines: the output of part.sh
    queue check "launcher: nothing goes wrong" five_pass 5 launched run nothing
    queue check "launcher: another machine, no environment" five_pass 5 launched bare job-variable \
        "RILL_TEST_WORD=it's a word"
    queue check "launcher: an item fails" four_pass 'status 3' launched run job-status
    queue check "launcher: an item makes no check" four_pass '0 checks instead of 1' launched run job-silent
    queue check "launcher: an item makes a check too many" four_pass '2 checks instead of 1' launched run job-more
    queue check "launcher: an item makes a check twice" four_pass 'a check twice: job 2' launched run job-same
    queue check "launcher: the status of an item is lost" four_pass 'status 3' launched status job-status
    queue check "launcher: an item is lost and runs again" five_pass 6 launched once nothing
    queue check "launcher: its link breaks after the end of each item" five_pass 10 launched after nothing
    queue check "launcher: an item is lost twice" four_pass 'status 137 .* own end was not seen' launched die nothing
    queue check "launcher: nothing runs, with status 0" four_pass 'status 0 .* own end was not seen' launched none \
        nothing
    queue check "launcher: an item's last line is lost" four_pass 'own end was not seen' launched cut nothing
    queue check "launcher: every item runs twice" four_pass 'it ran 2 times' launched twice nothing
    queue check "launcher: the output of another item" four_pass 'gave run 1 of item 1' launched other nothing
    queue check "launcher: a late item is stopped" ends_late
    queue check "a killed item runs once without a launcher" runs_once
    queue check "batch: nothing goes wrong" five_pass 1 batched batch nothing
    queue check "batch: an item fails" four_pass 'status 3' batched batch job-status
    queue check "batch: an item is lost and runs again" five_pass 2 batched batch-once nothing
    queue check "batch: an item is lost twice" four_pass 'own end was not seen' batched batch-die nothing
    prepare rm "$journal"
    queue check "journal: the launcher's process is killed" four_pass 'launch.py ended' with_journal parent nothing
    queue check "journal: the rest runs" keeps_rest
    queue check "journal: nothing runs again" five_pass 0 with_journal run nothing
    queue check "journal: a line that was cut off" with_line '{"item": "' 0
    queue check "journal: an item that failed runs again" fails_again
    queue check "journal: of another tree" of_other_tree
    queue check "journal: another run uses it" in_use
    queue check "journal: a file that is none" no_journal
    run_queue
}
