#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Replaces the launcher of a cluster in tests/harness/launch.sh, and imitates what goes wrong on machines. Appends a
# line to CALLS for each call.
# usage: launcher.sh HOW CALLS COMMAND... SCRIPT; SCRIPT is of item N and run R if it is named N.R.sh
# HOW  run: runs the script; bare: runs it in another folder, with an empty environment
#      status: loses its exit status; after: ends with status 1 after the script has passed, once
#      once, die: item 2 is killed, the first time or each time; none: nothing runs, with status 0, for item 2
#      twice: runs it twice; other: gives the output of another item for item 2; cut: the last line of item 2 is lost
#      late: item 2 does not end; parent: kills the process that called it, for item 3
#      batch, batch-once, batch-die: runs all scripts; item 2 is lost the first time or each time
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
