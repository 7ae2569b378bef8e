#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the pages of docs/ as a static site and prints its path, build/site/index.html. A link that leads nowhere is an
# error.
# The theme is Material for MkDocs, installed from PyPI into build/docs/venv. If this fails, or with --plain, Debian's
# mkdocs and its theme are used, which tests/install.sh installs if they are missing.
# usage: docs/site.sh [--plain]
set -eu
case "${1:-}" in
    "") theme=material ;;
    --plain) theme=plain ;;
    *) sed -n '7,7s/^# //p' "$0" >&2; exit 2 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=build/docs package=mkdocs-material==9.5.49
mkdir -p "$work"

# Makes a virtual environment with the theme, unless an earlier run has made it. Fails if it cannot be installed.
material() {
    [ "$(cat "$work/venv/package" 2>/dev/null)" != $package ] || return 0
    rm -rf "$work/venv"
    python3 -m venv "$work/venv" >"$work/log" 2>&1 &&
        "$work/venv/bin/pip" install -q --disable-pip-version-check $package >>"$work/log" 2>&1 &&
        echo $package >"$work/venv/package"
}

mkdocs=mkdocs
if [ $theme = material ] && material; then
    mkdocs=$work/venv/bin/mkdocs
elif [ $theme = material ]; then
    echo "docs/site.sh: $package does not install ($(tail -n 1 "$work/log")); plain theme" >&2
    theme=plain
fi
[ $theme = material ] || command -v mkdocs >/dev/null || tests/install.sh demo mkdocs:mkdocs >&2

rm -rf build/site
python3 docs/site/pages.py $theme "$work"
# With --quiet, a failed build prints only the number of warnings, so it is repeated without --quiet to show them.
"$mkdocs" build --quiet --strict --config-file "$work/mkdocs.yml" 2>/dev/null || {
    "$mkdocs" build --strict --config-file "$work/mkdocs.yml" 2>&1 | grep -E 'WARNING|ERROR' >&2
    exit 1
}
# Writes the index also as a script, so that the search works in pages that are opened as files.
{ printf 'var __index = '; cat build/site/search/search_index.json; } >build/site/search/search_index.js
echo "$PWD/build/site/index.html"
