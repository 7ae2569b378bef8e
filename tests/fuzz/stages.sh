# SPDX-License-Identifier: Apache-2.0
# Functions for run.sh, which sources this file: the stages of one spec, from gen to simulation.
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with run.sh and verdict.sh

# Builds the generator of random specs, and the precompiled parts that all designs share (tests/quick_build.sh).
make_shared() {
    mkdir -p "$lib" "$work/failures"
    ln -sfn "$root/tests/e2e/kernels" "$work/kernels" # beside the specs that read them
    ln -sfn "$root/tests/e2e/kernels" "$work/failures/kernels"
    make -C "$root" --no-print-directory build/rill >"$work/make.log" 2>&1 || return
    ${CC:-gcc} -std=c11 -Wall -Wextra -Werror -O1 -I"$root" -o "$lib/graph_seed" "$root"/tests/fuzz/graph_*.c || return
    [ $quick = 0 ] || return 0 # nothing is simulated
    make_runtime
}

# ---- one spec ----

# Prints the value of a key of a spec that has one key in each line.
key_of() { # spec, key, default
    local value
    value=$(sed -n "s/^  $2: *\([^ #]*\).*/\1/p" "$1" | head -n 1)
    echo "${value:-$3}"
}

vocabulary() { # spec; prints nothing if it is not a language model
    grep -qE '^model:|^ +[A-Za-z0-9_]+: *\{shape: *\[1\]' "$1" || return 0
    sed -n 's/^  vocab: *\([0-9]*\).*/\1/p; s/.*{op: embed,.* rows: \([0-9]*\).*/\1/p' "$1" | head -n 1
}

some_ids() { # count, vocabulary
    awk -v n="$1" -v v="$2" \
        'BEGIN {
            x = 12345
            for (i = 0; i < n; i++) { x = (x * 1103 + 12347) % 65521; printf "%s%d", i ? "," : "", x % v }
        }'
}

# Succeeds if a spec asks for requests up to the end of its context.
to_end() { grep -q '^# requests: to the end of the context' "$1"; } # spec

# Fills `requests` with whole and partial steps, and with one to the end of the context if that is near or the spec asks
# for it.
set_requests() { # spec
    local context positions vocab length
    context=$(key_of "$1" context 1024) positions=$(key_of "$1" T 1) vocab=$(vocabulary "$1")
    requests=()
    if to_end "$1" && [ -z "$vocab" ]; then
        requests=(--prompt rows --tokens "$context" --prompt rows --tokens "$((positions + 1))")
        return
    fi
    for length in $((positions + 1)) $((2 * positions + 1)) "$context"; do
        if [ "$length" -gt "$context" ] || { [ "$length" = "$context" ] && [ "$length" -gt 12 ]; }; then continue; fi
        if [ -n "$vocab" ]; then requests+=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens 3)
        else requests+=(--prompt rows --tokens "$length")
        fi
    done
    # A request with enough tokens that a model begins to repeat itself, so that drafts are found.
    length=$((positions + 2))
    if has_drafts "$1" && [ $((length + 12)) -le "$context" ]; then
        requests+=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens 12)
    fi
}

golden_ids() { # spec
    local i
    for ((i = 0; i < ${#requests[@]}; i += 4)); do
        timeout 300 "$rill" golden "$1" --weights random:1 "${requests[@]:i:4}" --unchecked --ids || return
        echo
    done | grep .
}
json_ids() { sed -n 's/^      "token_ids": \[\(.*\)\],*$/\1/p' "$1" | tr -d ','; }

# Simulates the requests. Succeeds if all values match, and if all streams and tensors were compared that must be.
simulate() { # folder, seed of the memory's jitter, further options
    local status=0 slots joins=()
    slots=$(key_of "$1/oracle/spec.yaml" slots 1)
    [ "$slots" = 1 ] || joins=(--join "$(($2 % 7 * 1000)),$(($2 % 5 * 4000))")
    RILL_MODEL=$(model_name "$1") \
        timeout 600 "$1/sim/build/Vrill" --dir "$1" "${requests[@]}" --unchecked \
        --seed "$2" --timeout 40000000 --json "$1.json" --quiet ${joins[@]+"${joins[@]}"} "${@:3}" </dev/null ||
        status=$?
    [ $status != 124 ] || echo "error: still running after 600 s"
    [ $status = 0 ] || return $status
    if ! grep -q '"match": true' "$1.json" ||
        { [ "$slots" = 1 ] && grep -q '"values_compared": 0,' "$1.json"; }; then
        echo "error: nothing compared, or no match"
        return 1
    fi
    oracle_compared "$1.json" "$1/oracle/spec.yaml" || return
    [ "$slots" != 1 ] || streams_compared "$1.json" "$1/design.yaml" # slots: tokens and hashes of requests instead
}

# Checks that the design built from all of its own Verilog has equal results and cycles.
same_plainly() { # folder, seed of the memory's jitter
    mv "$1.json" "$1.precompiled.json"
    plain=1
    verilate "$1" && compile "$1" && simulate "$1" "$2" || return
    cmp "$1.json" "$1.precompiled.json" ||
        { echo "error: another result without the modules of tests/fuzz/precompiled" && return 1; }
}

same_ids() { # spec, folder
    golden_ids "$1" >"$2.golden" || return
    json_ids "$2.json" | diff - "$2.golden" >/dev/null || { echo "error: other ids than rill golden" && return 1; }
}

# Sets `spent` to the processor time of this shell and of its finished children, in hundredths of a second.
take_clock() {
    local fields
    read -r -a fields </proc/self/stat
    spent=$((fields[13] + fields[14] + fields[15] + fields[16]))
}

# Runs one stage of a spec. Records its processor time and, if it fails, its name; its messages go to $log.
step() { # stage, command...
    local before status=0
    take_clock
    before=$spent stage=$1
    ("${@:2}") >"$log" 2>&1 </dev/null || status=$?
    [ $status != 124 ] || echo "error: stopped at its time limit" >>"$log"
    take_clock
    times+=" $1 $(printf '%d.%02d' $(((spent - before) / 100)) $(((spent - before) % 100)))"
    return $status
}
