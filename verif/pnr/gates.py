#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a netlist of a design unchanged, or with a fault that a simulation must find.

usage: verif/pnr/gates.py NETLIST_V [--fault N] >VERILOG
  --fault N  the N-th AND of the netlist, counted from 0, becomes an OR
"""
import argparse
import pathlib
import re
import sys


def with_fault(netlist, number):
    """Returns the netlist with its AND of this number, counted from 0, as an OR. Exits if there are fewer ANDs."""
    ands = [found.start() for found in re.finditer(" & ", netlist)]
    if number >= len(ands):
        sys.exit(f"error: the netlist has {len(ands)} ANDs")
    at = ands[number]
    return netlist[:at] + " | " + netlist[at + 3:]


def main():
    parser = argparse.ArgumentParser(usage=__doc__[__doc__.index("usage: ") + 7:])
    parser.add_argument("netlist", type=pathlib.Path)
    parser.add_argument("--fault", type=int)
    given = parser.parse_args()
    netlist = given.netlist.read_text(encoding="utf-8")
    if "\nmodule rill_top(" not in netlist:
        sys.exit("error: no rill_top in the netlist")
    print(netlist if given.fault is None else with_fault(netlist, given.fault), end="")


if __name__ == "__main__":
    main()
