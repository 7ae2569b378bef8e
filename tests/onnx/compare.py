# SPDX-License-Identifier: Apache-2.0
"""compare.py WANT GOT: compares the tensors of two safetensors files, in their order, with a tolerance for rounding."""
import sys

from plain import read

TOLERANCE = 2e-5  # relative to the largest magnitude of the wanted tensor


def main():
    want, got = read(sys.argv[1]), read(sys.argv[2])
    if [len(w) for w in want] != [len(g) for g in got]:
        sys.exit(f"results of {[len(g) for g in got]} elements instead of {[len(w) for w in want]}")
    for k, (a, b) in enumerate(zip(want, got)):
        off = max(abs(x - y) for x, y in zip(a, b)) / max(max(map(abs, a)), 1e-6)
        if not off <= TOLERANCE:
            sys.exit(f"result {k} differs by {off:.2g} of its largest magnitude")


main()
