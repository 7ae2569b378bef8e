# SPDX-License-Identifier: Apache-2.0
# Scripts that simulate source this file. It checks that the oracle took part in a run: without it, a run compares the
# design only with the replay, which works from the compiler's own output.
# shellcheck shell=bash

# Prints how many tensors a spec names (inputs, results and carried names), counted without Rill's readers of specs. A
# comment in the spec gives the number if the graph has composites, or if the spec is of another family than gpt2, which
# has 42 tensors.
named_tensors() { # spec
    grep -m 1 '^#.*([0-9]* tensors)' "$1" | grep -o '([0-9]* tensors)' | grep -o '[0-9]*' && return
    if grep -q '^model:' "$1"; then echo 42 && return; fi
    awk '/^ *#/ { next }
        /^[a-z]+:/ { graph = /^graph:/ }
        !graph { next }
        /op: / { n += match($0, /out: \[[^]]*\]/) ? split(substr($0, RSTART, RLENGTH), names, ",") : 1; next }
        { n += gsub(/\{shape:/, "&") + gsub(/\{init:/, "&") }
        END { print n + 0 }' "$1"
}

oracle_value() { sed -n "s/^  \"oracle_$2\": \([0-9]*\),\$/\1/p" "$1" | head -n 1; } # JSON of rill sim, key

# Returns 0 if every tensor of the spec was compared, except those on which no output depends. Otherwise prints an error
# and returns 1.
oracle_compared() { # JSON of rill sim, spec, number of tensors on which no output depends (default: any number)
    local want named compared left
    want=$(named_tensors "$2") named=$(oracle_value "$1" named) compared=$(oracle_value "$1" tensors)
    left=$(grep '^  "oracle_not_compared"' "$1" | grep -o 'no output depends on it' | wc -l)
    if [ "${named:-0}" != "$want" ]; then
        echo "error: the oracle knows ${named:-none} of the $want tensors that the spec names"
    elif [ $((compared + left)) != "$want" ] || [ "$left" != "${3:-$left}" ]; then
        echo "error: $compared of $want tensors compared, $left not needed"
    elif [ "$(oracle_value "$1" values)" -lt "$compared" ] || [ "$(oracle_value "$1" positions)" = 0 ]; then
        echo "error: no values compared with the oracle"
    else return 0
    fi
    return 1
}
