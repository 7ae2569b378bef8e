#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes sure that a node is killed in the middle of a task. The first task on NODE whose command contains WORD creates
# FILE and then waits to be killed. Other tasks with WORD do not begin before FILE is there.
# usage: hold.sh NODE FILE WORD COMMAND...
node=$1 file=$2 word=$3
shift 3
[[ "$*" == *"$word"* ]] || exec "$@"
if [ "$SLURMD_NODENAME" = "$node" ] && mkdir "$file" 2>/dev/null; then exec sleep 600; fi
for ((n = 0; n < 1200; n++)); do [ ! -e "$file" ] || break; sleep 0.1; done
exec "$@"
