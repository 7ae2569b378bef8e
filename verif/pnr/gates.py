#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The probes of an emitted top in the top of its netlist, so that its streams are compared as those of the RTL are.

usage: verif/pnr/gates.py RILL_TOP_V NETLIST_V [--fault N] >VERILOG
  --fault N  the N-th AND of the netlist becomes an OR: the simulation must find it
"""
import argparse
import pathlib
import re
import sys

PROBES = re.compile(r"^`ifdef RILL_PROBES\n.*?^`endif$", re.M | re.S)


def with_fault(netlist, number):
    ands = [found.start() for found in re.finditer(" & ", netlist)]
    if number >= len(ands):
        sys.exit(f"error: the netlist has {len(ands)} ANDs")
    at = ands[number]
    return netlist[:at] + " | " + netlist[at + 3:]


def main():
    parser = argparse.ArgumentParser(usage=__doc__[__doc__.index("usage: ") + 7:])
    parser.add_argument("top", type=pathlib.Path)
    parser.add_argument("netlist", type=pathlib.Path)
    parser.add_argument("--fault", type=int)
    given = parser.parse_args()
    probes = PROBES.findall(given.top.read_text(encoding="utf-8"))
    netlist = given.netlist.read_text(encoding="utf-8")
    if not probes or "\nmodule rill_top(" not in netlist:
        sys.exit("error: no probes, or no rill_top in the netlist")
    if given.fault is not None:
        netlist = with_fault(netlist, given.fault)
    end = netlist.index("\nendmodule", netlist.index("\nmodule rill_top("))
    print(netlist[:end], *probes, sep="\n", end="")
    print(netlist[end:])


if __name__ == "__main__":
    main()
