#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures of the pages from their text: docs/pictures/NAME.dot -> docs/pictures/NAME.svg, and
# docs/folders.svg, docs/speed.svg, docs/design.svg. The last one is the graph of a design as `rill report --html` draws
# it.
# usage: docs/pictures/make.sh [--check]
#        --check: lists the pictures that differ from their text in words or arrows; the layout is ignored, because it
#        depends on the version of Graphviz
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Prints the first drawing below a heading of a design's report as an SVG file, with a name space and a white
# background.
of_report() { # spec, heading of the page
    local dir=build/pictures
    mkdir -p $dir
    build/rill gen "$1" -o $dir/design >/dev/null
    build/rill report $dir/design --html $dir/report.html
    sed -n "/<h2>$2</,/<\/svg>/p" $dir/report.html | sed -n '/<svg/,$p' |
        sed -e 's/^.*<svg/<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/; s/<\/svg>.*/<\/svg>/' \
            -e '0,/<g /s//<rect width="100%" height="100%" fill="white"\/>\n<g /'
}

draw() { # name: SVG on standard output
    case $1 in
        docs/folders.svg) tests/walls.py dot | dot -Tsvg ;;
        docs/speed.svg) bench/chart.py ;;
        docs/design.svg) of_report configs/tinystories-gpt2-1m.yaml "2. Binding" ;;
        *) dot -Tsvg "${1%.svg}.dot" ;;
    esac
}
words() { grep -oE '<(title|text)[^>]*>[^<]*' | sed 's/^[^>]*>//' | sort; }

pictures=(docs/folders.svg docs/speed.svg docs/design.svg)
for text in docs/pictures/*.dot; do pictures+=("${text%.dot}.svg"); done
case ${1:-} in
    "") for name in "${pictures[@]}"; do draw "$name" >"$name.new" && mv "$name.new" "$name"; done ;;
    --check) for name in "${pictures[@]}"; do diff <(draw "$name" | words) <(words <"$name") >/dev/null ||
        echo "$name is old"; done ;;
    *) sed -n '6,8s/^# //p' "$0" >&2; exit 2 ;;
esac
