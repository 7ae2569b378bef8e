# SPDX-License-Identifier: Apache-2.0
# Scripts that simulate source this file. It derives from design.yaml alone which streams of a design a run must have
# compared, so that a simulation that silently compares less is found.
# shellcheck shell=bash

# Prints a line `name: reason` for each stream of a design that is not compared, sorted, and a line `streams N` with the
# number of all streams.
streams_left() { # design.yaml
    awk '/^[a-z]+:/ { part = $1 }
        part == "kernels:" && /^  - name: / { kernel = $3 }
        part == "kernels:" && /^    module: / { module[kernel] = $2 }
        part == "edges:" && match($0, /\{name: [^,]*/) {
            name[edges] = substr($0, RSTART + 7, RLENGTH - 7)
            if (match($0, / from: [^.,]*/)) from[edges] = substr($0, RSTART + 7, RLENGTH - 7)
            if (match($0, / to: [^.,]*/)) to[edges] = substr($0, RSTART + 5, RLENGTH - 5)
            edges++
        }
        END {
            why["rill_param_store"] = "vector parameters: their reader\047s results are compared"
            why["rill_kv_scale"] = "scales of all positions: their reader\047s results are compared"
            why["rill_logprobs"] = "log probabilities: the records in memory are compared"
            why["rill_head_replay"] = "keys again: they are compared the first time"
            for (e = 0; e < edges; e++)
                if (module[from[e]] == "rill_head_replay" && module[to[e]] == "rill_stream_mux") again[to[e]] = 1
            for (e = 0; e < edges; e++)
                if (module[from[e]] in why) print name[e] ": " why[module[from[e]]]
                else if (from[e] in again) print name[e] ": " why["rill_head_replay"]
            print "streams " edges + 0
        }' "$1" | sort
}

# Prints the result of a run in the form of streams_left.
streams_said() { # JSON of rill sim
    sed -n 's/^  "streams": \([0-9]*\),$/streams \1/p
        /^  "streams_not_compared"/,/}/s/^    "\(.*\)": "\(.*\)",*$/\1: \2/p' "$1" | sort
}

# Returns 0 if every stream of the design was compared, except those that streams_left lists, for the listed reasons.
# Otherwise prints an error and returns 1.
streams_compared() { # JSON of rill sim, design.yaml
    local want compared must
    want=$(streams_left "$2") compared=$(sed -n 's/^  "streams_compared": \([0-9]*\),$/\1/p' "$1")
    must=$(awk '/^streams / { n += $2; next } { n-- } END { print n + 0 }' <<<"$want")
    if [ "$must" -lt 1 ]; then echo "error: no streams in $2"
    elif [ "$want" != "$(streams_said "$1")" ]; then
        echo "error: other streams not compared than the design has reasons for:" \
            "$(diff <(echo "$want") <(streams_said "$1") | grep -m 1 '^[<>]')"
    elif [ "${compared:-0}" != "$must" ]; then echo "error: ${compared:-0} streams compared, $must must be"
    else return 0
    fi
    return 1
}
