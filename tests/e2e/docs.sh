#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of docs/tutorial.md, docs/kernels.md and docs/ci.md in order, each page in an empty folder. Each
# command must succeed and print what the page shows. Then runs the slower commands of all pages (class deep of
# tests/docs/commands.txt) and compares the slower tables (tests/docs/tables.py --deep); `deep` does only this. --all
# also compares the slowest tables (--long). See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

. "$root/tests/docs/commands.sh"
pages=(tutorial kernels ci) deep=deep levels=(--deep)
case ${1:-} in
    --help | -h)
        echo "usage: tests/e2e/docs.sh [tutorial|kernels|ci|deep|--all]
In an indented block of a page (tutorial, kernels, ci) a line with \`\$ \` is a command, and the lines below it are
lines of its output, in which \`...\` is any text. The block after \`File \`name\`:\` is that file. \`deep\`: commands
and tables of all pages that take a minute (tests/docs/commands.txt, tests/docs/tables.py). \`--all\`: everything, and
the tables that take many minutes."
        exit 0
        ;;
    tutorial | kernels | ci) pages=("$1") deep="" ;;
    deep) pages=() ;;
    --all) levels=(--deep --long) ;;
    "") ;;
    *) echo "usage: tests/e2e/docs.sh [tutorial|kernels|ci|deep|--all]" >&2 && exit 2 ;;
esac

export PATH=$root/build:$PATH
log=$root/build/tests/docs.log

# Prints the page as lines `F name`, `T text of that file`, `C command`, `O line of output`.
lines() {
    awk '
        match($0, /^File `[^`]*`:$/) { print "F " substr($0, 7, length($0) - 8); file = 1; next }
        /^    / && file { print "T " substr($0, 5); next }
        /^    \$ / { print "C " substr($0, 7); command = 1; next }
        /^    / && command { print "O " substr($0, 5); next }
        /^[^ ]/ { file = 0; command = 0 }
        /^$/ { if (file == 1) print "T " }' "$page"
}

# Converts a line of the page to a pattern.
pattern() { sed -e 's/[][\.*^$/]/\\&/g' -e 's/\\\.\\\.\\\./.*/g' <<<"$1"; }

command="" output="" number=0
finish() { # runs the command whose lines were collected
    local missing="" line
    [ -n "$command" ] || return
    number=$((number + 1))
    (cd "$work" && timeout 900 bash -c "$command") >"$output" 2>&1 </dev/null
    local status=$? want=0
    [[ $command != *"rill check wrong"* ]] || want=1 # the page shows how a wrong spec is refused
    for line in ${shown[@]+"${shown[@]}"}; do
        grep -q -- "^$(pattern "$line")\$" "$output" || missing=${missing:-$line}
    done
    if [ $status != $want ]; then
        fail "$name, command $number" "\`$command\` ended with status $status: $(tail -n 1 "$output")"
    elif [ -n "$missing" ]; then fail "$name, command $number" "\`$command\` prints no line \`$missing\`"
    else ok "$name, command $number: $command"
    fi
    command=""
}

for name in ${pages[@]+"${pages[@]}"}; do
    page=$root/docs/$name.md work=$root/build/tests/$name output=$root/build/tests/$name.log
    rm -rf "$work" && mkdir -p "$work"
    file="" shown=() number=0
    plan "$(lines | grep -c '^C ')"
    while IFS= read -r line; do
        case ${line%% *} in
            F) file=$work/${line#F } && : >"$file" ;;
            T) echo "${line#T }" >>"$file" ;;
            C) finish; command=${line#C } shown=() ;;
            O) shown+=("${line#O }") ;;
        esac
    done < <(lines)
    finish
done
# Compares the tables of a level (--deep or --long) in all pages. Prints the number of wrong cells and the first one. To
# correct wrong cells, run RILL_UPDATE=1 tests/docs/tables.py --deep README.md docs/*.md, or with --long.
tables() { # level
    local said
    said=$(cd "$root" && RILL_UPDATE='' tests/docs/tables.py "$1" README.md docs/*.md) && [ -z "$said" ] && return
    echo "error: $(wc -l <<<"$said") cells, first $(head -n 1 <<<"$said")"
    return 1
}
if [ -n "$deep" ]; then
    for level in "${levels[@]}"; do
        counted check "the tables of the pages agree with the commands that they name: $level" tables "$level"
    done
    run_commands $deep
fi
verdict
