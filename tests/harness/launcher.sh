#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the place of the launcher of a cluster in tests/harness/launch.sh, and imitates failures of machines. Appends a
# line to the file CALLS for each call.
# usage: launcher.sh HOW CALLS COMMAND... SCRIPT    SCRIPT is named N.R.sh for run R (from 1) of item N (from 0)
# HOW  run     runs the script
#      bare    runs the script in another folder, with an empty environment
#      status  runs the script and ends with status 0, whatever the script's status is
#      after   runs the script; at the first run of an item it ends with status 1 although the script has passed
#      once    kills itself instead of the first run of item 2
#      die     kills itself instead of each run of item 2
#      none    ends with status 0 without running item 2
#      twice   runs the script twice
#      other   gives the output of another item for item 2
#      cut     loses the last line of item 2
#      late    does not end for item 2
#      parent  kills the process that called it, for item 3
#      batch   runs all scripts of the call, one after another. batch-once leaves out the first run of item 2, and
#              batch-die leaves out each run of item 2
set -u
how=$1 calls=$2
shift 2
echo "$*" >>"$calls"
for script; do :; done
name=${script##*/} item=${name%%.*} first=0
[[ $name != *.1.sh ]] || first=1
case $how-$item in
    bare-*) cd / && exec env -i "$@" ;;
    status-*) "$@"; exit 0 ;;
    after-*)
        "$@" || exit
        exit $first
        ;;
    die-2) kill -9 $$ ;;
    once-2) [ $first = 0 ] || kill -9 $$ ;;
    none-2) exit 0 ;;
    twice-*) "$@" ;;
    other-2) exec "${@:1:$#-1}" "${script%/*}/1.1.sh" ;;
    cut-2) "$@" | sed '$d' && exit 0 ;;
    late-2) exec sleep 1000 ;;
    parent-3) kill -9 $PPID ;;
    batch*)
        for script; do
            name=${script##*/}
            case $how-$name in batch-once-2.1.sh | batch-die-2.*) continue ;; esac
            /bin/bash "$script"
        done
        exit 0
        ;;
esac
exec "$@"
