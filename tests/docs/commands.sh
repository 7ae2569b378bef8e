# SPDX-License-Identifier: Apache-2.0
# Functions for scripts that source this file. They run the commands of one class of tests/docs/commands.txt in order,
# in a folder that looks like the root of the project, so that the commands do not write into the tree.
# shellcheck shell=bash disable=SC2154 # variables of verdict.sh

# Makes an empty folder with links to the tree, in which the commands run.
commands_folder() { # folder
    local entry
    rm -rf "$1" && mkdir -p "$1/build" || return
    for entry in "$root"/*; do
        [ "$entry" = "$root/build" ] || ln -s "$entry" "$1/" || return
    done
    ln -s "$root/build/rill" "$1/build/rill"
}

# Runs each command of a class as a check.
run_commands() { # class
    local folder=$root/build/tests/commands-$1 line list=$root/build/tests/commands-$1.txt
    run_line() { (cd "$folder" && PATH=$root/build:$PATH timeout 900 bash -c "$line" </dev/null); }
    if ! commands_folder "$folder" || ! "$root"/tests/docs/commands.py --list "$1" >"$list" || ! [ -s "$list" ]; then
        plan 1 && fail "commands of the pages, $1" "no folder, or no list"
        return
    fi
    plan "$(sort -u "$list" | wc -l)"
    while IFS= read -r line; do check "command of a page: $line" run_line; done < <(awk '!seen[$0]++' "$list")
}
