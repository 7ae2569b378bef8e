# SPDX-License-Identifier: Apache-2.0
"""steps.py WANT GOT: compares the results of a quantized file, which are integers, with exact ones. Both files are
safetensors. At most 0.1 % of the elements of all tensors may be off by one step, and none by more."""
import sys

from plain import read

MOST = 0.001  # share of the elements that may be off by one


def main():
    want, got = ([x for tensor in read(name) for x in tensor] for name in sys.argv[1:])
    off = [abs(a - b) for a, b in zip(want, got, strict=True)]
    one, more = sum(0 < d <= 1 for d in off), sum(not d <= 1 for d in off)
    print(f"{one} of {len(off)} elements are off by one step, {more} by more")
    if one > MOST * len(off) or more:
        sys.exit("too many elements are off")


main()
