#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares raw fp32 values with the first row of a .npy file.

usage: tests/witness/near.py RAW FILE.npy LIMIT
RAW has as many fp32 values as the first row of FILE.npy. LIMIT bounds the largest difference, as a share of the largest
value in FILE.npy. The exit status is 1 if the difference is larger, otherwise 0.
"""
import array
import sys

HEADER = 128  # bytes in front of the values of the stored files


def main():
    raw, file, limit = sys.argv[1:]
    made, want = array.array("f"), array.array("f")
    with open(raw, "rb") as at:
        made.frombytes(at.read())
    with open(file, "rb") as at:
        want.frombytes(at.read()[HEADER:])
    if not made or len(want) % len(made):
        sys.exit(f"{len(made)} values, in {file} {len(want)}")
    apart = max(abs(a - b) for a, b in zip(made, want)) / max(map(abs, want))
    if not apart <= float(limit):
        sys.exit(f"{apart:.2e} of the largest value apart: values differ")


main()
