#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replaces the launcher of a cluster in tests of `rill verify --launch`, and imitates the failures of a machine.
# usage: launch.sh HOW FILE COMMAND...
# HOW  run: appends a line to FILE and runs the command
#      die: is killed without running the command
#      once: is killed the first time, while FILE is missing; later runs the command
#      lost: ends with status 0 and without a result the first time, as srun does when a node fails; later runs the
#      command
#      sleep: sleeps for longer than any limit
#      none: ends with status 0 without a result
#      copy: copies FILE, the result of another shard, as its own result
how=$1 file=$2
shift 2
for last; do :; done # the last word of the command is the name of its result
case $how in
    run) echo run >>"$file" && exec "$@" ;;
    die) kill -9 $$ ;;
    once)
        ! mkdir "$file" 2>/dev/null || kill -9 $$
        exec "$@"
        ;;
    lost)
        ! mkdir "$file" 2>/dev/null || exit 0
        exec "$@"
        ;;
    sleep) exec sleep 1000 ;;
    none) exit 0 ;;
    copy) cp "$file" "$last" ;;
esac
