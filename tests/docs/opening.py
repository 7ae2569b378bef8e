#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Openings of the pages: one heading, then a paragraph of one or two sentences that says what the page is for.

usage: opening.py PAGE...    prints the pages that begin otherwise, as PAGE: what; the status is 0 all the same
"""
import re
import sys

SENTENCES = 2
OTHER = re.compile(r"#|\||!\[|<|    |[-*+] |\d+\. ")  # begins a heading, table, picture, comment, example or list


def fault(text):
    heading, _, rest = text.partition("\n\n")
    purpose = rest.partition("\n\n")[0]
    if not re.fullmatch(r"# [^\n]+", heading) or re.search(r"^# ", re.sub(r"^    .*$", "", rest, flags=re.M), re.M):
        return "not one heading of the page, and an empty line behind it"
    if not purpose.strip() or any(OTHER.match(line) for line in purpose.split("\n")):
        return "its purpose, a paragraph, does not come first"
    count = len(re.findall(r"[.!?](?=\s|$)", re.sub(r"`[^`]*`", "code", purpose.replace("**", ""))))
    return "" if 1 <= count <= SENTENCES else f"{count} sentences of purpose, not one or two"


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            found = fault(file.read())
        if found:
            print(f"{path}: {found}")


main()
