# SPDX-License-Identifier: Apache-2.0
"""accuracy.py WANT LABELS GOT: checks that the exact results of a trained network are nearly as good as the float ones.

WANT has the float results, GOT the exact ones. All files are safetensors, and only the first tensor of each is used.
The results may differ by at most ERROR of the largest magnitude. If every row has one integer as label, the label is
the place where the largest element of the row should be. Then at most LOST more rows of GOT than of WANT may have their
largest element elsewhere.
"""
import sys
from pathlib import Path

from plain import read

ERROR, LOST = 0.05, 1


def wrong(results, labels):
    """Returns the number of rows whose largest element is not at the place that the label gives."""
    width = len(results) // len(labels)
    rows = [results[k * width:(k + 1) * width] for k in range(len(labels))]
    return sum(max(range(width), key=row.__getitem__) != label for row, label in zip(rows, labels))


def main():
    want, labels, got = (read(Path(name))[0] for name in sys.argv[1:])
    off = max(abs(a - b) for a, b in zip(want, got, strict=True)) / max(map(abs, want))
    print(f"error {off:.2%} of the largest magnitude")
    if not off <= ERROR:
        sys.exit("the exact results differ by too much")
    if len(labels) < len(want) and len(want) % len(labels) == 0 and all(x == int(x) for x in labels):
        print(f"wrong rows: {wrong(want, labels)} in floating point, {wrong(got, labels)} exact, of {len(labels)}")
        if wrong(got, labels) > wrong(want, labels) + LOST:
            sys.exit("more rows are wrong")


main()
