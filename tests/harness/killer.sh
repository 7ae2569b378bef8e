#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the place of a tool that a test script calls. kills.sh installs this script under the name of the tool. It runs
# the real tool, but at one call it kills a process. Variables from kills.sh:
#   KILL_TOOL, KILL_CALL   kill at this call of this tool, counted from 1. KILL_CALL=any: each call of any tool kills
#                          the script that made it
#   KILL_WHO               tool: this script kills itself instead of running the tool. half: it kills itself after the
#                          first line of the tool's output. job: it kills the job that called it
#   KILL_LAST              1, for `tool` and `half`: the next call of any tool kills the test script, so that the test
#                          ends soon
#   KILL_STATE             folder that counts the calls of KILL_TOOL and has marks for the calls after a kill
#   KILL_ROOT              process that started the test script
#   KILL_TOOLS, KILL_RILL  folder with the links to this script, and the real rill
set -u
name=${0##*/} who=nobody

parent_of() { # process. Sets `parent` to its parent, or to 0 if the process has ended
    local key value
    parent=0
    while read -r key value; do [ "$key" != PPid: ] || parent=$value; done <"/proc/$1/status"
}

words_of() { # process. Sets `words` to its command line, with a blank before and after each word
    local list
    mapfile -d '' list <"/proc/$1/cmdline"
    words=" ${list[*]} "
}

# Sets `line` to the processes between KILL_ROOT and this one, the oldest first: the test script, its jobs, their
# shells.
find_line() {
    local pid=$$ own
    line=()
    while [ "$pid" != "$KILL_ROOT" ]; do
        [ "$pid" -gt 1 ] || { line=() && return; }
        line=("$pid" ${line[@]+"${line[@]}"})
        parent_of "$pid"
        pid=$parent # 0 if a process of the line has ended meanwhile
    done
    words_of "$KILL_ROOT" && own=$words
    words_of "${line[0]}"
    [ "$words" != "$own" ] || line=("${line[@]:1}") # skips the subshell that runs parts in the background
}

# Kills the oldest process in `line` that runs one job of a script, which an option such as --run shows, and all
# processes after it. The last of them is this process.
kill_job() {
    while [ ${#line[@]} != 0 ]; do
        words_of "${line[0]}"
        [[ ! $words =~ \ --(run|run-set|lint-set|check-design|check-point|forecast-share)\  ]] || kill -9 "${line[@]}"
        line=("${line[@]:1}")
    done
    exit 99 # there is no such job
}

# An earlier call has killed the test script. The processes that it left behind end at their next call.
[ ! -e "$KILL_STATE/over" ] || kill -9 $$
if [ -e "$KILL_STATE/last" ] || [ "$KILL_CALL" = any ]; then who=script
elif [ "$name" = "$KILL_TOOL" ]; then
    call=1
    until mkdir "$KILL_STATE/$call" 2>/dev/null; do call=$((call + 1)); done
    [ "$call" != "$KILL_CALL" ] || who=$KILL_WHO
fi
real=$KILL_RILL
[ "$name" = rill ] || real=$(type -aP "$name" | grep -vxF "$KILL_TOOLS/$name" | head -n 1)
[ $who != nobody ] || exec "$real" "$@"
find_line 2>/dev/null
case $who in
    half | tool)
        [ "$KILL_LAST" = 0 ] || : >"$KILL_STATE/last"
        [ $who = tool ] || "$real" "$@" | sed 1q
        ;;
    job) kill_job ;;
    script)
        [ "$KILL_CALL" = any ] || : >"$KILL_STATE/over"
        [ ${#line[@]} = 0 ] || kill -9 "${line[@]}"
        ;;
esac
kill -9 $$
