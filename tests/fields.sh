#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares everything that depends on bit layouts, registers, latencies and codes of faults with include/fields.def,
# registers.def, latency.def and endings.def, by tests/fields.py. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/fields.sh
Prints one line per check. Fields do not overlap and are inside their words. Templates and benches define no field
themselves and take no bits by number. The included files with fields, registers and latencies, and the tables of
docs/*.md, are as `tests/fields.py write` writes them. Templates have no latency of a unit, no stage and no field
beside a stage as a number. Codes of faults and endings in templates and pages are those of endings.def.
TEXT
}

case ${1:-} in
    "") ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
cd "$root" || exit 1

fields() { # name, what
    local lines
    if ! lines=$(python3 tests/fields.py "$2" 2>&1); then fail "$1" "$lines"
    elif [ -n "$lines" ]; then fail "$1" "$(wc -l <<<"$lines") places, first $(head -n 1 <<<"$lines")"
    else ok "$1"
    fi
}

queue fields "fields in their words" layouts
queue fields "fields in templates and benches" names
queue fields "header of the benches" header
queue fields "latencies of units" latencies
queue fields "codes of faults and endings" endings
queue fields "tables of the pages" page
run_queue
verdict
