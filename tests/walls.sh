#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the layers of the folders of C code (tests/layers.txt), and that only certain files name operations and
# modules. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/walls.sh
One line per check: every include names its file from the top of the tree; a folder includes only from folders that
stand above it in tests/layers.txt, and from those that its line names; no two C files of gen and verif have one name;
operations (IR_OP_...) and modules of rtl-templates are named in gen/kernel and the operations table alone; no text of
a parameter, a net or a choice is parsed or compared, only read from files, and bits of nets are printed by gen/emit
and the dump alone; ports and streams are found by their roles; an operation stands in the files that CONTRIBUTING.md
lists; cycles of modules stand in include/latency.def and in their contracts alone; docs/folders.svg shows the list.
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
