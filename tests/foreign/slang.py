# SPDX-License-Identifier: Apache-2.0
"""Reads the RTL with slang, a strict SystemVerilog front end, through its Python package pyslang.

usage: slang.py templates | slang.py design FOLDER | slang.py package FOLDER TOP

Elaborates each template with each set of its folder's lint.txt, or a folder's filelist.f, under 1364-2005 and
1800-2017, without a macro, with RILL_FAST_SIM, and with RILL_VENDOR_CELLS and the models of the cells in verif/model.
Each error, and each warning of -Weverything except the classes of verif/lint/slang.txt, is a finding. Prints a line for
each finding. Exit status: 0 no findings, 1 findings, 2 wrong arguments.
"""
import os
import pathlib
import re
import shlex
import sys
import tempfile

from pyslang import driver

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STANDARDS = ("1364-2005", "1800-2017")
# The RTL has no `timescale, but the models of the cells have one, so the option gives one to all
# (docs/decisions/front-ends.md).
FORMS = {
    "plain": [],
    "fast": ["-DRILL_FAST_SIM"],
    "cells": ["-DRILL_VENDOR_CELLS", "--timescale", "1ns/1ps", "-Wno-unused-def"]
             + [word for cell in ("DSP48E2", "MMCME4_BASE", "BUFG")
                for word in ("-v", str(ROOT / "verif" / "model" / f"{cell}.v"))],
}


def allowed():
    """Returns the classes of warnings that are no findings."""
    lines = (ROOT / "verif" / "lint" / "slang.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def elaborate(words, log):
    """Returns the errors and warnings that slang prints for one elaboration, as lines. slang writes to standard
    error."""
    run = driver.Driver()
    run.addStandardArgs()
    words = ["slang", "-Weverything", *[f"-Wno-{name}" for name in allowed()], "--error-limit", "0", *words]
    log.seek(0)
    log.truncate()
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        passed = run.parseCommandLine(" ".join(shlex.quote(word) for word in words)) and run.processOptions() \
            and run.parseAllSources() and run.runFullCompilation(True)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    log.seek(0)
    said = [line.strip() for line in log if re.search(r"(error|warning): ", line)]
    return said or ([] if passed else ["slang stops without a message"])


def folders():
    """Returns the folders of templates."""
    return [str(path) for path in sorted((ROOT / "rtl-templates").iterdir()) if path.is_dir()]


def templates():
    """Yields a name and the options of slang for each legal set of each template."""
    around = [word for folder in folders() for word in ("-y", folder, "-I", folder)]
    for folder in folders():
        for line in pathlib.Path(folder, "lint.txt").read_text().splitlines():
            if line and line[0] not in "#!":
                module, *given = line.split()
                yield line, [f"{folder}/{module}.v", *around, "--top", module,
                             *[word for pair in given for word in ("-G", pair)]]


def design(folder, top):
    """Yields a name and the options of slang for the files that filelist.f lists."""
    files = [str(pathlib.Path(folder, line)) for line in pathlib.Path(folder, "filelist.f").read_text().split()]
    yield f"{folder}", [*files, "--top", top]


def main(arguments):
    if arguments == ["templates"]:
        sources = list(templates())
    elif arguments[:1] == ["design"] and len(arguments) == 2:
        sources = list(design(arguments[1], "rill_top"))
    elif arguments[:1] == ["package"] and len(arguments) == 3:
        sources = list(design(*arguments[1:]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    findings, count = [], 0
    with tempfile.TemporaryFile("w+") as log:
        for standard in STANDARDS:
            for form, options in FORMS.items():
                for name, words in sources:
                    count += 1
                    for line in elaborate(["--std", standard, *options, *words], log):
                        if line not in findings:
                            findings.append(line)
                            print(f"{name} ({standard}, {form}): {line}")
    print(f"{count} elaborations, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
