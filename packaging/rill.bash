# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion for bash: commands and options are those that `rill help` and `rill COMMAND --help` show.
_rill() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=""
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        words="$(rill help 2>/dev/null | sed -n 's/^  rill \([a-z]*\) .*/\1/p') help --help --version"
    elif [[ $before == = || $word == = ]]; then # bash takes --dump-after=PASS for three words
        words=$(rill check --passes 2>/dev/null) word=${word#=}
    elif [[ $word == -* ]]; then
        words="-h $(rill "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*=?' | sort -u) -o"
        [ "$command" != sim ] || words+=" $(rill sim . --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)"
    fi
    if [ -n "$words" ]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    else mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _rill rill
