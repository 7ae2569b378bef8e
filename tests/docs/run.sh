#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the documentation against the tree and against the output of `rill`. The usage must stay in line 6, from which
# it is printed. The checks are listed after it.
#
# usage: tests/docs/run.sh [--set test | --set deep]
#
# - Tables match the output of `rill check`, `rill forecast`, `rill depths` and `rill memory`, and wrong cells of a made
#   page are found. The deep set consists of these checks, which take longest, and the test set of all others.
# - Parameters of families on a page are those that `rill explain` prints.
# - Pictures match their source, and every picture is on a page.
# - Files, links and headings that a page names exist, and every page is in an index.
# - The site builds.
# - The table in each template's header lists the parameters of the module, with ranges.
# - The tables of proofs match the properties in verif/formal.
# - Every command of a page is in commands.txt; the commands that take seconds run.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
case $* in
    "") set="" ;;
    "--set test" | "--set deep") set=$2 ;;
    *) sed -n '6s/^# //p' "$0" && exit 2 ;;
esac
cd "$root" || exit 1
. tests/docs/commands.sh

work=build/tests/docs log=build/tests/docs.log
mkdir -p "$work"
# Runs a command that prints mistakes. Fails if it prints any or returns an error, and then prints how many there are,
# and the first one.
nothing() { # command
    "$@" >"$work/said" 2>&1 && [ ! -s "$work/said" ] && return
    echo "error: $(wc -l <"$work/said") places, first $(head -n 1 "$work/said")"
    return 1
}
# Compares the tables of the pages. To correct their cells, run RILL_UPDATE=1 tests/docs/tables.py README.md docs/*.md.
figures() {
    local command
    for command in check forecast; do
        [ "$(cat README.md docs/*.md | grep -c "^<!-- rill $command ")" -ge 6 ] ||
            echo "fewer than 6 tables of the pages are compared with rill $command"
    done
    RILL_UPDATE='' tests/docs/tables.py README.md docs/*.md
}
# Compares a page whose cells are wrong. Its specs are one that sends beats in halves, one of Gemma 3 and one that is
# neither, and the clock to plan with is 110 MHz for the first two. A command prints its second table.
wrong_tables() {
    local page=$work/wrong.md case want clock=110
    local families="bench/families.sh --request 4:4 --context 64 --layers 1 --vocab 8192 --weights int8"
    $families Gemma-3-270M >"$work/printed.txt" || return
    for case in halves gemma3 dies; do
        sed "s|\.\./\.\./boards|$root/tests/e2e/boards|" tests/e2e/cases/$case/spec.yaml >"$work/$case.yaml"
    done
    { echo "<!-- rill forecast $work/*.yaml 3:4; named; speed: planned -->"
        printf '| model | speed |\n|---|---:|\n'
        printf '| any | 0.0 (`%s`) |\n' halves gemma3 dies
        printf '| any | |\n\n<!-- %s Gemma-3-270M -->\n' "$families"
        cat "$work/printed.txt" && sed -n '$s/| [0-9]* |/| 0 |/p; $s/Gemma/Other/p' "$work/printed.txt"
        printf '\n<!-- %s Gemma-3-270M; best: channels -->\n' "$families"
        printf '| model | best |\n|---|---:|\n| Gemma-3-270M | 0 |\n| Other | 0 |\n| Other | |\n'
    } >"$page"
    for case in halves gemma3 dies; do
        [ $case != dies ] || clock=120
        want=$("$rill" forecast "$work/$case.yaml" 3:4 --clock $clock --json |
            python3 -c 'import json, sys; print("{:.1f}".format(json.load(sys.stdin)["tokens_per_second"]))')
        echo "speed: 0.0 (\`$case\`), rill forecast: $want (\`$case\`)"
    done >"$work/wanted.txt"
    printf '%s\n' 'channels: 0, bench/families.sh: 16' 'bench/families.sh prints no such row' \
        'best: 0, bench/families.sh: 16' 'best: 0, bench/families.sh: ' >>"$work/wanted.txt"
    RILL_UPDATE='' tests/docs/tables.py "$page" | sed 's/^[^ ]* //' | diff "$work/wanted.txt" -
}
[ "$set" = test ] || queue check "wrong cells of named specs and of a printed table are found" wrong_tables
[ "$set" = test ] || queue check "figures in the tables are what rill check and rill forecast print" nothing figures
if [ "$set" = deep ]; then
    run_queue
    verdict
    exit
fi
queue check "the parameters of families in docs/spec.md are what rill explain says" nothing tests/docs/families.py
queue check "pictures are what their text gives" nothing docs/pictures/make.sh --check
in_index() {
    local page
    for page in docs/*.md; do
        [[ $page == docs/pages.md ]] || grep -q "](${page#docs/}[#)]" docs/pages.md ||
            echo "$page is not in docs/pages.md"
    done
    for page in docs/decisions/*.md; do
        [[ $page == */README.md ]] || grep -q "](${page##*/})" docs/decisions/README.md ||
            echo "$page is not in docs/decisions/README.md"
    done
}
queue check "every page is in docs/pages.md or docs/decisions/README.md" nothing in_index
# Prints the paths in `code` of README.md and CONTRIBUTING.md that do not exist. A path begins with a folder of the
# root. Paths with wildcards or with placeholders in capitals are not checked.
files_named() {
    local file folders='bench|boards|configs|docs|families|gen|include|models|packaging|rtl-templates|tests|verif'
    grep -ohE "\`($folders)/[a-z0-9_./-]+\`" README.md CONTRIBUTING.md | tr -d '`' | sort -u | while read -r file; do
        [ -e "$file" ] || echo "$file does not exist"
    done
}
queue check "files that README.md and CONTRIBUTING.md name exist" nothing files_named
pictures_shown() {
    local picture
    for picture in docs/*.svg docs/pictures/*.svg; do
        grep -q "(\(docs/\)\?${picture#docs/})" README.md CONTRIBUTING.md docs/*.md || echo "$picture is on no page"
    done
}
queue check "every picture is on a page" nothing pictures_shown
# The site generator does not check links to headings (#...), so this does.
parts_exist() {
    python3 - <<'PYTHON'
import pathlib
import re
def anchors(text):
    heads = re.findall(r"^#+ +(.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
files = [*pathlib.Path("docs").rglob("*.md"), pathlib.Path("README.md"), pathlib.Path("CONTRIBUTING.md")]
pages = {p: p.read_text() for p in files}
for page, text in pages.items():
    for target, part in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", text):
        other = (page.parent / target).resolve().relative_to(pathlib.Path.cwd()) if target else page
        if part not in anchors(pages.get(other, "")):
            print(f"{page}: {target}#{part} leads nowhere")
PYTHON
}
queue check "links to parts of pages" nothing parts_exist
# Builds the site with Debian's theme, and checks that its scripts and some of its pages are there.
site() {
    local page
    docs/site.sh --plain >"$work/site" 2>&1 || { tail -n 1 "$work/site" && return 1; }
    for page in site.css site.js search/lunr.js search/search_index.js decisions/index.html glossary.html; do
        [ -s "build/site/$page" ] || return
    done
}
queue check "the site builds" site
queue check "the header comment of every template lists its parameters with a range" nothing tests/docs/parameters.py
# docs/trust.md has two tables: modules with a proof, and modules without one and the reason. Both must match
# verif/formal/properties.
proofs() {
    local module rows
    rows() {
        sed -n '/^## Proofs/,$p' docs/trust.md | sed -n "$1p" | grep -o '^| .* |' | cut -d'|' -f2 |
            grep -o 'rill_[a-z0-9_]*' | sort
    }
    diff <(rows '1,/^### Not proven/') <(cd verif/formal/properties && printf '%s\n' *.v | sed 's/\.v$//' | sort) |
        grep '^[<>]'
    diff <(rows '/^### Not proven/,$') <(for module in rtl-templates/{stream,dma,kv}/*.v \
            rtl-templates/control/rill_axil_regs.v rtl-templates/*/rill_weight_store.v; do
        module=$(basename "$module" .v)
        [ -f "verif/formal/properties/$module.v" ] || echo "$module"
    done | sort) | grep '^[<>]'
    return 0
}
queue check "every module of streams and of memory access is proven, or stands among those that are not" nothing proofs
queue check "every command of a page is in commands.txt, and what it names is there" nothing \
    tests/docs/commands.py --check
run_queue
run_commands quick
verdict
