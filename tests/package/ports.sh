#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that no output of a module depends on an input in the same cycle. AXI requires this of the ports of a kernel.
# Yosys removes the registers from the flat design, and any path that is left from an input to an output is
# combinational. Memories that are read without a clock count as combinational.
# usage: tests/package/ports.sh FOLDER TOP NETLIST    FOLDER/filelist.f names the files; NETLIST (JSON) is written
set -u -o pipefail
[ $# = 3 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
netlist=$(realpath -m "$3")
cd "$1" || exit 1
# assert-min: fewer than 100 registers would mean that the pattern does not match Yosys' names of them.
yosys -q -p "read_verilog -defer $(tr '\n' ' ' <filelist.f); hierarchy -check -top $2; proc;
    select -assert-min 100 */t:\$*dff*; delete */t:\$*dff* */t:\$memwr*; opt_clean
    setattr -unset src; flatten; opt_clean; write_json $netlist" 2>&1 | grep -v "^Warning: " >&2
[ "${PIPESTATUS[0]}" = 0 ] && python3 "$here/ports.py" "$netlist"
