#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replaces a cluster's launcher for `rill verify --launch`, and imitates the failures of a machine.
# usage: launch.sh HOW FILE COMMAND...
# HOW  run: nothing, notes the call in FILE
#      die: is killed; once: is killed the first time, while FILE is missing
#      sleep: never ends
#      none: ends well without a result; copy: gives the result of another shard, FILE
how=$1 file=$2
shift 2
for last; do :; done # the command ends with the name of its result
case $how in
    run) echo run >>"$file" && exec "$@" ;;
    die) kill -9 $$ ;;
    once)
        [ -e "$file" ] || { : >"$file" && kill -9 $$; }
        exec "$@"
        ;;
    sleep) exec sleep 1000 ;;
    none) exit 0 ;;
    copy) cp "$file" "$last" ;;
esac
