# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: what timed FIFO depths promise (docs/timing.md), of a design and its twin with FIFOs twice as deep, both simulated without
# jitter before.
# shellcheck shell=bash disable=SC2154 # variables shared with run.sh and forms.sh

# The forecast with the memory as old as it was at the first step: its refreshes are where they were. Into the folder's name with .timeline.
foretell_streams() { # folder, further options
    local age
    age=$(awk -v steps="$steps" 'BEGIN { n = split(steps, a, " "); for (i = 1; i <= n; i++) step[a[i]] } $1 in step { print $2; exit }' "$1.beats")
    "$rill" check "$1/design.yaml" --timeline --start "${age:-0}" --prompt-len "$length" --tokens 3 --beats "$1.foretold" --json "${@:2}" >"$1.timeline"
}

# No slower than without bounds, and which FIFOs hold their writers back is as foretold: no writer waits for room that does not in the
# forecast, and with twice as deep FIFOs none holds more than the computed depth that does not there.
compare_streams() { # folder
    foretell_streams "$1" --unbounded && within "slower than without bounds" "$(cat "$1.span")" "$(span "$1.foretold" "$steps" "$ends")" 1 || return
    foretell_streams "$1" && foretell_streams "$1_deep" || return
    awk -v deep="$1_deep" '
        match($0, /^    "[^"]*": \{"depth"/) {
            split($0, part, "\""); name = part[2]
            if (name ~ /^(token_loop|step_fork)_|_param_param_to_/) next # step words and parameters wait by design
            match($0, /"depth": [0-9]+/); depth = substr($0, RSTART + 9, RLENGTH - 9) + 0
            match($0, /"high_water": [0-9]+/); high = substr($0, RSTART + 14, RLENGTH - 14) + 0
            match($0, /"waits": [0-9]+/); waits = substr($0, RSTART + 9, RLENGTH - 9) + 0
            twice = index(FILENAME, deep) == 1
            if (FILENAME ~ /\.timeline$/) {
                if (twice) low[name] = high <= computed[name]; else { free[name] = waits == 0; computed[name] = depth }
                next
            }
            if (!(name in computed)) next
            if (twice && low[name] && high > computed[name]) { print "error: " name " held " high " words, computed " computed[name]; bad = 1 }
            if (!twice && free[name] && waits > 0) { print "error: the writer of " name " waited " waits " cycles for room"; bad = 1 }
            if (!twice) { all++; never += waits == 0 } else less += high <= computed[name]
        }
        END { if (!bad) print all + 0 " FIFOs, " never + 0 " never hold their writers, " less + 0 " hold no more when twice as deep"; exit bad + 0 }' \
        "$1.timeline" "$1_deep.timeline" "$1.json" "$1_deep.json"
}

# Bits against the least that bisection finds for the same cycles.
compare_bits() { # spec
    local ratio
    ratio=$("$rill" check "$1" --depths --json 2>/dev/null | sed -n 's/.*"timed_to_least": \([0-9.]*\).*/\1/p')
    awk -v r="${ratio:-9}" 'BEGIN { exit r > 1.15 }' || { echo "error: FIFO bits are ${ratio:-?} times the least" && return 1; }
    echo "$ratio times the least bits"
}
