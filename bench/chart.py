#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws bench/figures.txt as an SVG on standard output: bars of tokens/s and of the share of the memory's bandwidth.
usage: bench/chart.py > docs/speed.svg. Lint fails if docs/speed.svg is not the output of this program."""
import os
import sys
from xml.sax.saxutils import escape

# Pixels. ROW: height of a row. LEFT: width of the column of names. BAR: longest bar. GAP: space between the two charts.
ROW, LEFT, BAR, GAP = 34, 220, 260, 60
COLOURS = {"forecast": "#3465a4", "published": "#a0a0a0", "measured": "#4e9a06"}


def rows(path):
    """Returns the fields of each line: name, tokens/s, percent of the peak bandwidth, class of the figure."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return [[field.strip() for field in line.split("|")] for line in lines]


def text(x, y, what, anchor="start", size=13):
    """Returns the SVG element of a text. x, y: its beginning, or its end with the anchor `end`, on the base line."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}">{escape(what)}</text>'


def bars(table, column, x, title, unit):
    """Yields the SVG elements of the chart of one column, whose bars begin at `x`. The largest value has a full bar."""
    most = max(float(row[column]) for row in table)
    yield text(x, 24, title, size=14)
    for i, row in enumerate(table):
        value = float(row[column])
        width = round(BAR * value / most, 1)
        y = 40 + i * ROW
        colour = COLOURS[row[3].split(",")[0]]
        yield f'<rect x="{x}" y="{y}" width="{width}" height="{ROW - 12}" fill="{colour}"/>'
        inside = width > BAR / 2
        at = x + width + (-6 if inside else 6)
        fill = ' fill="white"' if inside else ""
        yield text(at, y + 16, f"{value:,.0f}{unit}", "end" if inside else "start").replace("<text", f"<text{fill}")


def main():
    table = rows(os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.txt"))
    width, height = LEFT + 2 * BAR + GAP + 20, 40 + len(table) * ROW + 34
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, row in enumerate(table):
        out.append(text(LEFT - 12, 40 + i * ROW + 16, row[0], "end"))
    out += bars(table, 1, LEFT, "tokens/s, GPT-2 medium, 256:256", "")
    out += bars(table, 2, LEFT + BAR + GAP, "share of the memory's peak bandwidth", " %")
    x = LEFT
    for name in ("forecast", "published"):
        out.append(f'<rect x="{x}" y="{height - 26}" width="12" height="12" fill="{COLOURS[name]}"/>')
        label = name + (", at a clock that no tool has confirmed" if name == "forecast" else "")
        out.append(text(x + 18, height - 15, label, size=12))
        x += 330
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    sys.exit(main())
