#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures of the docs from their text: docs/pictures/NAME.dot -> docs/pictures/NAME.svg, and
# docs/folders.svg, docs/speed.svg.
# usage: docs/pictures/make.sh [--check]
#        --check: says which are not what their text gives, by words and arrows; a Graphviz of another version may lay
#        them out differently
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

draw() { # name: SVG on standard output
    case $1 in
        docs/folders.svg) tests/walls.py dot | dot -Tsvg ;;
        docs/speed.svg) bench/chart.py ;;
        *) dot -Tsvg "${1%.svg}.dot" ;;
    esac
}
words() { grep -oE '<(title|text)[^>]*>[^<]*' | sed 's/^[^>]*>//' | sort; }

pictures=(docs/folders.svg docs/speed.svg)
for text in docs/pictures/*.dot; do pictures+=("${text%.dot}.svg"); done
case ${1:-} in
    "") for name in "${pictures[@]}"; do draw "$name" >"$name.new" && mv "$name.new" "$name"; done ;;
    --check) for name in "${pictures[@]}"; do diff <(draw "$name" | words) <(words <"$name") >/dev/null ||
        echo "$name is old"; done ;;
    *) sed -n '5,7s/^# //p' "$0" >&2; exit 2 ;;
esac
