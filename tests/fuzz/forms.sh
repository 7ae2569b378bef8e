# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: the forms of one spec, with the same values in each, and what a form's time must be.
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with run.sh and stages.sh

# Design keys that change time and cost alone: key, value when on, value when off.
optional_keys() { # spec
    echo "fifo timed safe"
    echo "unroll 48 0"
    echo "dies 2 1"
    [ "$(key_of "$1" T 1)" = 1 ] || echo "A 2 1"
}

most_channels=32

products() { # spec
    if grep -q '^model:' "$1"; then echo 9; else grep -cE 'op: (matmul|attn_scores|attn_values),' "$1"; fi
}

# The names of the forms of a spec, with `seed` and `all` resolved.
form_names() { # spec, seed
    local every=(on off one spatial) name
    [ "$(products "$1")" -le $most_channels ] && [ "$(products "$1")" -gt 0 ] || every=(on off one)
    for name in ${forms[@]+"${forms[@]}"}; do
        case $name in
            all) echo "${every[@]}" ;;
            seed) echo "${every[$2 % ${#every[@]}]}" ;;
            *) echo "$name" ;;
        esac
    done
    [ ${#forms[@]} != 0 ] || if [ "$2" = 0 ]; then echo as-is; else echo "${every[$2 % ${#every[@]}]}"; fi
}

with_design() { # spec: a spec may end without the section
    grep -q '^design:' "$1" || printf '\ndesign:\n' >>"$1"
}

make_form() { # spec, form, seed, to
    local key on off count=0 pairs=() chosen
    chosen=$(($3 % $(optional_keys "$1" | wc -l)))
    cp "$1" "$4" && with_design "$4"
    while read -r key on off; do
        case $2 in
            as-is) ;;
            timed) [ "$key" != fifo ] || pairs+=("$key=$on") ;;
            off) pairs+=("$key=$off") ;;
            one) if [ $count = $chosen ]; then pairs+=("$key=$off"); else pairs+=("$key=$on"); fi ;;
            *) pairs+=("$key=$on") ;;
        esac
        count=$((count + 1))
    done < <(optional_keys "$1")
    if [ "$2" = spatial ]; then
        local need channels
        need=$(products "$1") channels=$(key_of "$4" channels 1)
        pairs+=(binding=spatial "channels=$((channels > need ? channels : need))")
    fi
    [ ${#pairs[@]} = 0 ] || { cp "$4" "$4.plain" && variant "$4.plain" "$4" "${pairs[@]}" && rm "$4.plain"; }
}

# ---- one form ----

run_spec() { # spec, folder
    local spec=$1 dir=$2 jitter
    rm -rf "$dir" "$dir.json" "$dir.golden"
    set_requests "$spec"
    log=$dir.log
    jitter=$(sed -n 's/^name: [^0-9]*\([0-9]\{1,6\}\)$/\1/p' "$spec")
    step gen timeout 60 "$rill" gen "$spec" -o "$dir" || return
    step pack timeout 60 "$rill" pack "$dir/design.yaml" --weights random:1 -o "$dir" || return # the passes have run
    [ $quick = 0 ] || return 0
    step verilate verilate "$dir" || return
    step compile compile "$dir" || return
    step jitter simulate "$dir" "${jitter:-1}" || return
    [ $also_plain = 0 ] || step plain same_plainly "$dir" "${jitter:-1}" || return
    [ -z "$(vocabulary "$spec")" ] || step golden same_ids "$spec" "$dir"
}

values_of() { sed -n 's/^  "\(logits\|rows\)_hash": "\(.*\)".*/\2/p' "$1" | tr '\n' ' '; }

same_values() { # two JSON files
    [ "$(values_of "$1")" = "$(values_of "$2")" ] && return
    echo "error: other values than form ${done_forms%% *}: $(values_of "$1"), $(values_of "$2")"
    return 1
}

run_forms() { # spec, folder, seed
    local spec=$1 dir=$2 before=""
    times="" done_forms="" said="" compared=0 form=""
    # shellcheck disable=SC2013 # words
    for form in $(form_names "$spec" "$3"); do
        make_form "$spec" "$form" "$3" "$dir.$form.yaml"
        run_spec "$dir.$form.yaml" "$dir" || return
        [ $quick = 1 ] || compared=$((compared + $(sed -n 's/^  "values_compared": \([0-9]*\).*/\1/p' "$dir.json")))
        if [ -n "$before" ] && [ $quick = 0 ]; then step values same_values "$before" "$dir.json" || return; fi
        done_forms+="${done_forms:+ }$form"
        [ $quick = 1 ] || { before=$dir.$form.json && cp "$dir.json" "$before"; }
    done
    [ $timing = 0 ] || [ $quick = 1 ] || check_timing "$spec" "$dir" "$3"
}

# ---- time: one request without jitter ----

# Edge numbers by a pattern of their names: the streams stand in order in the JSON of the forecast.
edges_like() { # JSON of `rill check --timeline`, extended pattern
    grep '"depth"' "$1" | grep -nE "\"[^\"]*($2)" | cut -d: -f1 | awk '{ printf "%s ", $1 - 1 }'
}

# Cycles from the first step word to the last id or row, from a file of beats.
span() { # file of beats, edges of steps, edges of results
    awk -v steps="$2" -v ends="$3" '
        BEGIN { n = split(steps, a, " "); for (i = 1; i <= n; i++) step[a[i]]; n = split(ends, a, " "); for (i = 1; i <= n; i++) end[a[i]] }
        $1 in step && (first == "" || $2 < first) { first = $2 }
        $1 in end && $2 > last { last = $2 }
        END { print last - first }' "$1"
}

within() { # what, value, reference, per cent: at most that and 64 cycles more
    awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN { exit a - b > b * p / 100 + 64 }' || { echo "error: $1: $2 cycles against $3" && return 1; }
}

# Cycles of the design in a folder: `measured`.
measure() { # folder, edges of steps, edges of results
    simulate "$1" 0 --beats "$1.beats" || return
    span "$1.beats" "$2" "$3" >"$1.span"
}

compare_cycles() { # folder
    local rtl forecast deep unbounded
    rtl=$(cat "$1.span") deep=$(cat "$1_deep.span") forecast=$(cat "$1.forecast") unbounded=$(cat "$1.unbounded")
    echo "$rtl cycles, forecast $forecast, twice as deep $deep, unbounded $unbounded"
    within "the design is slower than foretold" "$rtl" "$forecast" 2 && within "the design is faster than foretold" "$forecast" "$rtl" 2 &&
        within "slower than with twice as deep FIFOs" "$rtl" "$deep" 1 && within "slower than the forecast without bounds" "$rtl" "$unbounded" 3
}

# The design with FIFOs twice as deep, from its last dump.
deepen() { # folder
    awk 'match($0, /[{ ]depth: [0-9]+/) { $0 = substr($0, 1, RSTART) "depth: " 2 * substr($0, RSTART + 8, RLENGTH - 8) substr($0, RSTART + RLENGTH) } 1' \
        "$1/design.yaml" >"$1_deep.yaml"
    rm -rf "$1_deep" && "$rill" gen "$1_deep.yaml" -o "$1_deep" && cp -r "$1/image" "$1_deep/image"
}

forecast() { # folder, prompt length
    "$rill" check "$1/design.yaml" --timeline --prompt-len "$2" --tokens 3 --beats "$1.beats" --json >"$1.timeline" || return
    local steps ends
    steps=$(edges_like "$1.timeline" 'token_loop_step_to_') ends=$(edges_like "$1.timeline" '_to_token_loop_next_id"|_to_output_[^"]*_y"')
    span "$1.beats" "$steps" "$ends" >"$1.forecast"
    "$rill" check "$1/design.yaml" --timeline --unbounded --prompt-len "$2" --tokens 3 --beats "$1.beats" --json >/dev/null || return
    span "$1.beats" "$steps" "$ends" >"$1.unbounded"
}

check_timing() { # spec, folder, seed
    local spec=$2.timed.yaml dir=$2 length context positions vocab steps ends
    make_form "$1" timed "$3" "$spec"
    form=timing
    [ "$done_forms" = timed ] || run_spec "$spec" "$dir" || return
    context=$(key_of "$spec" context 1024) positions=$(key_of "$spec" T 1) vocab=$(vocabulary "$spec")
    length=$((2 * positions + 1 < context ? 2 * positions + 1 : context))
    requests=(--prompt rows --tokens "$length")
    [ -z "$vocab" ] || requests=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens 3 --ignore-eot)
    step forecast forecast "$dir" "$length" || return
    steps=$(edges_like "$dir.timeline" 'token_loop_step_to_') ends=$(edges_like "$dir.timeline" '_to_token_loop_next_id"|_to_output_[^"]*_y"')
    step measure measure "$dir" "$steps" "$ends" || return
    step deepen deepen "$dir" || return
    step verilate verilate "${dir}_deep" || return
    step compile compile "${dir}_deep" || return
    step measure measure "${dir}_deep" "$steps" "$ends" || return
    step cycles compare_cycles "$dir" || return
    said=$(head -n 1 "$log")
    step streams compare_streams "$dir" || return
    said+=", $(tail -n 1 "$log")"
    step least compare_bits "$spec" || return
    said+=", $(head -n 1 "$log")"
    rm -rf "${dir}_deep" "${dir}_deep".*
}
