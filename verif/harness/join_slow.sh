#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Joins the C++ files of a verilated design that run only once (VM_CLASSES_SLOW) into files of about 400 kB. Most of
# them have about 2 kB, so the compiler would spend most of the build on reading the headers again for each of them.
# usage: join_slow.sh FOLDER    FOLDER: Verilator's --Mdir
set -e
cd -- "$1"
list=Vrill_sim_top_classes.mk
joined=$(sed -n '/^VM_CLASSES_SLOW/,/^$/s/^[[:blank:]]\{1,\}\([^ ]*\).*/\1.cpp/p' "$list" | xargs -r wc -c | awk '
    $2 == "total" { next }
    { file = "slow_" int(sum / 400000); sum += $1; print "#include \"" $2 "\"" >(file ".cpp") }
    file != last { print file; last = file }')
# shellcheck disable=SC2086 # one word per file
[ -z "$joined" ] || echo "VM_CLASSES_SLOW =" $joined >>"$list"
