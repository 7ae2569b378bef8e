#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the layers of the folders of C code (tests/layers.txt), and that only certain files name operations and
# modules. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/walls.sh
Prints one line for each of these checks:
  every include in quotes gives the path from the top of the tree;
  a folder includes only from the folders that its line in tests/layers.txt names, and these are in earlier lines;
  no two C files of gen and verif have the same name;
  only gen/kernel, the operations table, verif/harness and verif/model name operations (IR_OP_...) and modules of
    rtl-templates;
  only files that read external texts parse or compare the texts of parameters, nets and choices, and only gen/emit
    and the dump print bits of nets;
  ports and streams are found by their roles;
  only the files that CONTRIBUTING.md lists name the operations that it uses as examples;
  the cycles of modules are numbers only in include/latency.def and in the contracts;
  docs/folders.svg shows the folders and arrows of tests/layers.txt.
To draw docs/folders.svg again:
    tests/walls.py dot | dot -Tsvg >docs/folders.svg
TEXT
}

case ${1:-} in
    "") ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
cd "$root" || exit 1

walls() { # name, what
    local lines
    if ! lines=$(python3 tests/walls.py "$2" 2>&1); then fail "$1" "$lines"
    elif [ -n "$lines" ]; then fail "$1" "$(wc -l <<<"$lines") places, first $lines"
    else ok "$1"
    fi
}

queue walls "includes from the top of the tree" includes
queue walls "arrows between folders" arrows
queue walls "no two C files of one name" twins
queue walls "operations and modules by name" names
queue walls "values instead of texts" texts
queue walls "roles of ports instead of names" ports
queue walls "files of an operation" homes
queue walls "cycles of modules" cycles
queue walls "picture of the folders" picture
run_queue
verdict
