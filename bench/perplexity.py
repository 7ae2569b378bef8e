#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the perplexity of a spec's quantized arithmetic with that of floating point, window by window, on the second
half of a text. Calibration, if any, uses the first half.

usage: bench/perplexity.py SPEC MODEL TEXT [--windows N] [--every N] [--bytes N] [--calibrate N]
  --windows N    windows measured (default 3); each begins with an empty context and ends with the spec's
  --every N      of the pieces, the first and every N-th after it (default 25)
  --bytes N      least length of a piece, which ends with a line (default 2600)
  --calibrate N  calibrate on so many tokens of the first half (default 0: not)
Prints a line per window, then the means of perplexity, difference and agreement, with the standard error of the difference.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def halves(path):
    """Returns the first half of a text and the lines of the second half. The cut is at the end of a line. WikiText
    writes a hyphen as ` @-@ `, which becomes `-` again."""
    lines = path.read_text(encoding="utf-8").replace(" @-@ ", "-").splitlines(keepends=True)
    total, at, size = sum(map(len, lines)), 0, 0
    while size < total / 2:
        size += len(lines[at])
        at += 1
    return "".join(lines[:at]), lines[at:]


def pieces(lines, least):
    """Returns texts of whole lines with at least `least` bytes each. Drops the rest at the end."""
    piece, found = "", []
    for line in lines:
        piece += line
        if len(piece.encode()) >= least:
            found.append(piece)
            piece = ""
    return found


def measure(command, path):
    """Returns the JSON of `rill golden --eval` for a file of texts. Exits if the command fails."""
    done = subprocess.run([*command, "--eval", path], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(usage=__doc__[__doc__.index("usage: ") + 7:])
    parser.add_argument("spec")
    parser.add_argument("model")
    parser.add_argument("text", type=pathlib.Path)
    for name, default in ("windows", 3), ("every", 25), ("bytes", 2600), ("calibrate", 0):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    work = ROOT / "build/bench/perplexity"
    work.mkdir(parents=True, exist_ok=True)
    first, second = halves(given.text)
    chosen = pieces(second, given.bytes)[::given.every][:given.windows]
    if len(chosen) < given.windows:
        sys.exit(f"error: {given.text}: {len(chosen)} windows of {given.windows}")
    command = [ROOT / "build/rill", "golden", given.spec, "--weights", given.model, "--json"]
    statistics_file = work / "statistics.json"
    calibrate = ["--calibrate", work / "first.txt", "--calibrate-tokens", str(given.calibrate), "--statistics", statistics_file]
    (work / "first.txt").write_text(first, encoding="utf-8")
    path = work / "pieces.txt"
    path.write_text("<|endoftext|>".join(chosen), encoding="utf-8")
    rows = []
    for number, got in enumerate(measure([*command, *([] if not given.calibrate else calibrate)], path)["each"]):
        rows.append((math.log(got["perplexity_golden"] / got["perplexity_float"]), got))
        print(f"window {number}: {got['predictions']} predictions, float {got['perplexity_float']:.2f}, "
              f"golden {got['perplexity_golden']:.2f}, {100 * math.expm1(rows[-1][0]):+.1f} %")
    count = sum(got["predictions"] for _, got in rows)
    # The perplexity of all predictions follows from the mean logarithm, weighted with the predictions of each window.
    mean = {key: math.exp(sum(got["predictions"] * math.log(got[key]) for _, got in rows) / count)
            for key in ("perplexity_golden", "perplexity_float")}
    ratios = [ratio for ratio, _ in rows]
    error = statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else math.nan
    agree = sum(got["predictions"] * got["top1_agreement"] for _, got in rows) / count
    print(f"{count} predictions: float {mean['perplexity_float']:.2f}, golden {mean['perplexity_golden']:.2f}, "
          f"{100 * math.expm1(statistics.mean(ratios)):+.1f} % (standard error {100 * error:.1f}), first choice {100 * agree:.1f} %")


if __name__ == "__main__":
    main()
