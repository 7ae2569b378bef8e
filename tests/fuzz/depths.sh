# SPDX-License-Identifier: Apache-2.0
# Functions for run.sh, which sources this file. They check the promises of docs/fifos.md about timed FIFO depths, by a
# comparison of a design with a copy whose FIFOs are twice as deep. Both were simulated or forecast before, without
# jitter.
# shellcheck shell=bash disable=SC2154 # variables shared with run.sh and forms.sh

# Prints the forecast cycles of the request with unbounded FIFOs, until its rows are in memory. This is the time with
# bounded FIFOs plus the difference of the two timelines. The beats of the streams would not give it, because a word
# that has entered an unbounded FIFO is not in memory yet.
cycles_without_bounds() { # folder with .timeline and .forecast, prompt length
    local bounded free
    free=$("$rill" timeline "$1/design.yaml" --unbounded --prompt-len "$2" --tokens 3 --unchecked \
        ${ids[@]+"${ids[@]}"} --json | first_number cycles) || return
    bounded=$(first_number cycles <"$1.timeline")
    echo $(($(cat "$1.forecast") + free - bounded))
}

first_number() { sed -n "s/^.*\"$1\": \([0-9]*\).*/\1/p" | head -n 1; } # key; of JSON

# Checks that FIFOs that are not marked `run_ahead` in the design never stall their writers, and that they hold at most
# the computed depth if all are twice as deep.
compare_streams() { # folder, JSON with its FIFOs, JSON with the FIFOs of the copy with twice the depths
    "$rill" check "$1/design.yaml" --json >"$1.report" || return
    awk -v deep="$3" '
        /"name": .*"depth": .*"run_ahead": / {
            split($0, part, "\""); name = part[4]
            match($0, /"depth": [0-9]+/); computed[name] = substr($0, RSTART + 9, RLENGTH - 9) + 0
            ahead[name] = /"run_ahead": true/
        }
        match($0, /^    "[^"]*": \{"depth"/) {
            split($0, part, "\""); name = part[2]
            if (name ~ /^(token_loop|step_fork)_|_param_param_to_/) next # step words and parameters wait by design
            if (!(name in computed)) { print "error: " name " is not in the report"; bad = 1; next }
            match($0, /"high_water": [0-9]+/); high = substr($0, RSTART + 14, RLENGTH - 14) + 0
            match($0, /"waits": [0-9]+/); waits = substr($0, RSTART + 9, RLENGTH - 9) + 0
            if (FILENAME == deep) {
                if (!ahead[name] && high > computed[name]) {
                    print "error: " name " held " high " words, computed " computed[name]; bad = 1
                }
                next
            }
            if (!ahead[name] && waits > 0) {
                print "error: the writer of " name " waited " waits " cycles for room"; bad = 1
            }
            all++; many += ahead[name]
        }
        END {
            if (!all) { print "error: no FIFO in the result of the simulation"; bad = 1 }
            if (!bad) print all " FIFOs, " many " run ahead"
            exit bad + 0
        }' "$1.report" "$2" "$3"
}

# Makes the design one group, because the depths of FIFOs between groups have another reason.
lift_budget() { sed -i 's/^  on_chip_kib: .*/  on_chip_kib: 1048576/' "$1"; } # spec

# Compares the bits of all FIFOs with the least that bisection finds for the same cycles.
compare_bits() { # spec
    local ratio whole=${1%.yaml}.whole.yaml
    cp "$1" "$whole" && lift_budget "$whole"
    ratio=$("$rill" depths "$whole" --json 2>/dev/null | sed -n 's/.*"timed_to_least": \([0-9.]*\).*/\1/p')
    awk -v r="${ratio:-9}" 'BEGIN { exit r > 1.15 }' ||
        { echo "error: FIFO bits are ${ratio:-?} times the least" && return 1; }
    echo "$ratio times the least bits"
}

# Forecasts both designs, and checks that the design is not slower than with unbounded FIFOs. The memory never
# refreshes. With refreshes, different words would be delayed with and without bounds, so a request with unbounded FIFOs
# could be slower.
forecast_twins() { # folder, prompt length
    local options=(--no-refresh --prompt-len "$2" --tokens 3 --unchecked --json)
    "$rill" timeline "$1/design.yaml" "${options[@]}" >"$1.timeline" &&
        "$rill" timeline "$1_deep/design.yaml" "${options[@]}" >"$1_deep.timeline" &&
        "$rill" timeline "$1/design.yaml" "${options[@]}" --unbounded >"$1.unbounded" || return
    within "slower than without bounds" "$(first_number cycles <"$1.timeline")" \
        "$(first_number cycles <"$1.unbounded")" 1
}

# Checks the promises of docs/fifos.md for a spec with timed FIFOs, without RTL. It uses the forecast instead, which
# agrees with the RTL within 2 % plus 64 cycles (--forecast).
check_depths() { # spec, folder, seed
    local spec=$2.timed.yaml dir=$2.timed length requests form=timed
    times="" said="" log=$2.log
    make_form "$1" timed "$3" "$spec"
    lift_budget "$spec"
    timing_request "$spec"
    step gen timeout 300 "$rill" gen "$spec" -o "$dir" || return
    step deepen deepen "$dir" || return
    step forecast forecast_twins "$dir" "$length" || return
    step streams compare_streams "$dir" "$dir.timeline" "${dir}_deep.timeline" || return
    said=$(tail -n 1 "$log")
    step least compare_bits "$spec" || return
    said+=", $(head -n 1 "$log")"
    rm -rf "$dir" "$dir".* "${dir}_deep" "${dir}_deep".*
}
