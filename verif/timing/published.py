#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the delay model with paths that Vivado reported for routed designs of other people (published.txt).

usage: published.py [--delays FILE] [--paths]
Prints a table by class of delay and one by group of paths, as in docs/delay-model.md, with the reported time divided by
the model's. Times of speed grade -1 are converted to grade -2: they are divided by the ratio of the flip-flop delays of
both grades. --paths: prints a line for each path instead.
"""
import argparse
import math
import pathlib
import re
import sys
from dataclasses import dataclass
from statistics import median

from model import Netlist, read_delays

TABLE = pathlib.Path(__file__).resolve().with_name("published.txt")
WIDE = 100  # loads of a broadcast
CLASSES = {  # in the order of the table: kinds, and for nets the loads from and to
    "flip-flop, clock to Q": (r"q", 0, 0),
    "flip-flop, setup of D": (r"sd", 0, 0),
    "flip-flop, setup of CE and R": (r"se|sr", 0, 0),
    "LUT, inputs I0 to I2": (r"l[012]", 0, 0),
    "LUT, inputs I3 to I5": (r"l[345]", 0, 0),
    "MUXF7": (r"m", 0, 0),
    "carry chain, from S or DI": (r"cs|so", 0, 0),
    "carry chain, from CI over eight bits": (r"cc|co", 0, 0),
    "DSP without M and P register": (r"da|dq", 0, 0),
    "DSP, from PCIN": (r"dp|dr", 0, 0),
    "block RAM without output register": (r"br", 0, 0),
    "net with a DSP or block RAM at one end": (r"x", 0, 0),
    "net, 1 load": (r"[ne]", 1, 1),
    "net, 2 to 9 loads": (r"[ne]", 2, 9),
    "net, 10 to 99 loads": (r"[ne]", 10, 99),
    "net, 100 to 399 loads": (r"[ne]", WIDE, 399),
    "net, 400 loads or more": (r"[ne]", 400, 10000),
}


@dataclass
class Piece:
    """A part of a path. kind: a letter code of published.txt. loads: of a net, otherwise 0."""
    kind: str
    loads: int
    ns: float


@dataclass
class Row:
    """A path that Vivado reported (published.txt). reports: how many reports have it."""
    part: str
    grade: str
    reports: int
    slack: float
    name: str
    path: list[Piece]


class Bit(Netlist):
    """A net with these numbers of loads and enables, without a netlist around it."""

    def __init__(self, ns: dict[str, float], loads: int, enables: int):  # pylint: disable=super-init-not-called
        self.ns, self.loads, self.enables = ns, {0: loads}, {0: enables}
        self.lanes, self.lane_clbs = {}, {}


def read_rows(path: pathlib.Path = TABLE) -> list[Row]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        part, grade, reports, slack, name, *pieces = line.split()
        found = [re.fullmatch(r"(l[0-5]|[a-z]+)(\d*)=(-?[\d.]+)", piece) for piece in pieces]
        if not all(found) or not pieces:
            sys.exit(f"error: {path.name}:{number}: a piece of a path is KIND=ns or KIND and loads=ns")
        path_of = [Piece(one[1], int(one[2] or 0), float(one[3])) for one in found if one]
        rows.append(Row(part, grade, int(reports), float(slack), name, path_of))
    return rows


def model_ns(ns: dict[str, float], piece: Piece) -> float:
    """Returns the delay of the model (model.py) for a piece of a path. A carry chain counts from its first bit to its
    last one."""
    eight = 8 * ns["carry_step"]
    known = {"q": ns["ff_clock_to_q"], "sd": ns["ff_setup"], "se": ns["ff_setup_enable"], "sr": ns["ff_setup_enable"],
             "sa": ns["bram_setup"], "m": ns["muxf"], "k": 0.0, "cs": ns["carry_in"] + 7 * ns["carry_step"],
             "so": ns["carry_in"] + 4 * ns["carry_step"] + ns["carry_out"], "cc": eight, "co": eight + ns["carry_out"],
             "br": ns["bram_read"], "da": ns["dsp_multiply"] - ns["dsp_setup"],
             "dq": ns["dsp_multiply"] - ns["dsp_setup"], "dp": ns["dsp_add"] - ns["dsp_setup"], "dr": ns["dsp_add"]}
    if piece.kind in known:
        return known[piece.kind]
    if piece.kind[0] == "l":
        return ns["lut"]
    wide = Bit(ns, *((0, piece.loads) if piece.kind == "e" else (piece.loads, 0)))
    return wide.net(0) + (ns["net_column"] if piece.kind == "x" else 0.0)


def grades(rows: list[Row]) -> dict[str, float]:
    """Returns the divisor that converts the times of a speed grade to grade -2: the ratio of the flip-flop delays of
    both grades."""
    of: dict[str, list[float]] = {}
    for row in rows:
        of.setdefault(row.grade, []).extend(piece.ns for piece in row.path if piece.kind == "q")
    return {grade: median(times) / median(of["-2"]) for grade, times in of.items()}


def at(values: list[float], share: float) -> float:
    """Returns the smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def line(name: str, theirs: list[float], ours: list[float]) -> str:
    """Returns a row of the table: the medians, and the ratio of reported to modelled time, as its median and the range
    of the middle 80 %."""
    ratios = [a / b for a, b in zip(theirs, ours)]
    return (f"| {name} | {len(theirs)} | {median(theirs):.2f} | {median(ours):.2f} | {median(ratios):.2f} | "
            f"{at(ratios, 0.1):.2f} to {at(ratios, 0.9):.2f} |")


def class_lines(rows: list[Row], ns: dict[str, float]) -> list[str]:
    """Returns the rows of the table by class of delay."""
    scale, lines = grades(rows), []
    for name, (kinds, least, most) in CLASSES.items():
        found = [(piece.ns / scale[row.grade], model_ns(ns, piece)) for row in rows for piece in row.path
                 if re.fullmatch(kinds, piece.kind) and (not least or least <= piece.loads <= most)]
        lines.append(line(name, [a for a, _ in found], [b for _, b in found]))
    return lines


def totals(rows: list[Row], ns: dict[str, float]) -> list[tuple[Row, float, float]]:
    """Returns each path with the reported time, converted to grade -2, and the model's time, both in ns."""
    scale = grades(rows)
    return [(row, sum(piece.ns for piece in row.path) / scale[row.grade],
             sum(model_ns(ns, piece) for piece in row.path)) for row in rows]


def is_wide(row: Row) -> bool:
    return any(piece.loads >= WIDE for piece in row.path)


def path_lines(rows: list[Row], ns: dict[str, float]) -> list[str]:
    """Returns the rows of the table by group of paths."""
    found = totals(rows, ns)
    groups = {f"paths with a net of {WIDE} loads or more": [one for one in found if is_wide(one[0])],
              "other paths": [one for one in found if not is_wide(one[0])], "all paths": found}
    return [line(name, [a for _, a, _ in group], [b for _, _, b in group]) for name, group in groups.items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delays")
    parser.add_argument("--paths", action="store_true")
    given = parser.parse_args()
    rows, ns = read_rows(), read_delays(given.delays) if given.delays else read_delays()
    if given.paths:
        for row, theirs, ours in totals(rows, ns):
            print(f"{theirs:6.2f} {ours:6.2f} {theirs / ours:5.2f}  slack {row.slack:6.3f}  {row.part} {row.name}")
        return 0
    print(f"{sum(row.reports for row in rows)} reports, {len(rows)} different paths; times of grade -1 are divided by "
          f"{grades(rows)['-1']:.2f}")
    print(*class_lines(rows, ns), *path_lines(rows, ns), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
