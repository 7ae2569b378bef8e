#compdef rill
# SPDX-License-Identifier: Apache-2.0
# Completion for zsh: commands and options are those that `rill help` and `rill COMMAND --help` show.
_rill() {
    local -a names
    local command=$words[2]
    if (( CURRENT == 2 )); then
        names=(${(f)"$(rill help 2>/dev/null | sed -n 's/^  rill \([a-z]*\) .*/\1/p')"} help --help --version)
        compadd -a names
    elif [[ $PREFIX == -* ]]; then
        names=(${(f)"$({ rill $command --help; [[ $command != sim ]] || rill sim . --help; } 2>/dev/null |
            grep -oE -- '--[a-z][a-z-]*' | sort -u)"})
        compadd -a names
    else
        _files
    fi
}
_rill "$@"
