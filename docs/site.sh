#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The pages of docs/ as a static site with search, by MkDocs (Debian's): build/site/index.html, whose path it prints. A
# link that leads nowhere is an error.
# usage: docs/site.sh
set -eu
[ $# = 0 ] || { sed -n '5s/^# //p' "$0" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=build/docs

rm -rf "$work" build/site && mkdir -p "$work/pages"
cp -r docs/*.md docs/*.svg docs/*.css docs/*.js docs/pictures docs/decisions CONTRIBUTING.md CHANGELOG.md "$work/pages"
sed 's#\](docs/#](#g; s#\[LICENSE\](LICENSE)#LICENSE#' README.md >"$work/pages/index.md"
sed -i 's#\](\.\./README\.md#](index.md#g; s#\](\.\./\([A-Z]*\.md\)#](\1#g; s#\](docs/#](#g' "$work"/pages/*.md
sed -i 's#\](\.\./\.\./\([A-Z]*\.md\)#](../\1#g' "$work"/pages/decisions/*.md

# The order of the pages is that of the README's table of readers.
pages_of() { sed -n "s/^| $1 | //p" README.md | grep -oE '\([A-Za-z/]+\.md' | sed 's#[(]##; s#docs/##'; }
{
    echo "site_name: Rill
docs_dir: pages
site_dir: ../site
theme: {name: mkdocs, highlightjs: false, nav_style: light}
plugins: [search]
use_directory_urls: false
extra_css: [site.css]
extra_javascript: [site.js]
nav:
  - Start: index.md
  - Questions: pages.md"
    for reader in user "hardware engineer" "compiler writer"; do
        echo "  - ${reader^}:"
        pages_of "$reader" | sed 's/^/      - /'
    done
    echo "  - Decisions:
      - decisions/README.md"
    grep -oE '\]\([a-z]+\.md' docs/decisions/README.md | sed 's#.*(#      - decisions/#'
    echo "  - Glossary: glossary.md
  - Changelog: CHANGELOG.md"
} >"$work/mkdocs.yml"
mkdocs build --quiet --strict --config-file "$work/mkdocs.yml"
{ printf 'const rill_search_index = '; cat build/site/search/search_index.json; } >build/site/search/search_index.js
echo "$PWD/build/site/index.html"
