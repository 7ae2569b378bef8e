# SPDX-License-Identifier: Apache-2.0
# Functions for run.sh, which sources this file. They build the forms of one spec. All forms must give the same values,
# and the time of some forms has limits.
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with run.sh and stages.sh

# Succeeds if a spec can have drafts: a language model with steps of several tokens and no custom kernels.
has_drafts() { [ -n "$(vocabulary "$1")" ] && [ "$(key_of "$1" T 1)" != 1 ] && ! grep -q '^kernels:' "$1"; } # spec

# Prints design keys that change only time and cost, each with its value for on and for off.
optional_keys() { # spec, seed
    echo "fifo timed safe"
    echo "unroll 48 0"
    # A budget of on-chip memory cuts the design into groups, which are not spread over dies.
    local budget
    budget=$(key_of "$1" on_chip_kib 0)
    if [ "$budget" = 0 ]; then echo "dies $((2 + $2 % 2)) 1"; else echo "on_chip_kib $budget 1048576"; fi
    local positions
    positions=$(key_of "$1" T 1)
    if [ "$positions" -ge 4 ] && [ $(($2 % 3)) = 0 ]; then echo "A 4 1"
    elif [ "$positions" != 1 ]; then echo "A 2 1"
    fi
    # Rows of a tensor may take more places than a step has tokens, except in a graph with attention.
    local rows=$((2 << $2 % 3))
    ! grep -qE 'op: (attn_scores|attention),' "$1" || [ $rows -le "$positions" ] || rows=1
    [ -n "$(vocabulary "$1")" ] || [ $rows = 1 ] || echo "tensor_rows $rows 1"
    ! grep -q 'op: bmm,' "$1" || echo "bmm_rows $((2 << $2 % 4)) 1"
    ! has_drafts "$1" || echo "drafts $((1 + $2 % (positions - 1))) 0"
}

most_channels=32

# Prints the number of engines that a spec needs with one engine per product.
products() { # spec
    if grep -q '^model:' "$1"; then echo 9; else grep -cE 'op: (matmul|attn_scores|attn_values),' "$1"; fi
}

# Prints the keys of the form `slots`: slots, steps of several tokens, in two of three seeds drafts, and in five of six
# seeds log probabilities.
slots_keys() { # spec, seed
    local positions=$((2 << $2 % 3)) # T: 2, 4 or 8
    echo "slots=$((2 + $2 % 4)) T=$positions A=$((1 + $2 % 2)) query_heads=1 prefix=0 logprobs=$(($2 % 6))"
    [ $(($2 % 3)) = 1 ] || echo "drafts=$((1 + $2 % (positions - 1)))"
}

# Succeeds if a spec can have slots: a language model without what docs/batches.md#limits excludes.
has_slots() { # spec, seed
    local status=0
    [ -n "$(vocabulary "$1")" ] || return
    make_form "$1" slots "$2" "$1.slots"
    "$rill" check "$1.slots" >/dev/null 2>&1 || status=1
    rm -f "$1.slots"
    return $status
}

# Prints the names of the forms of a spec, with `seed` and `all` replaced by names.
form_names() { # spec, seed
    local every=(on off one spatial) name
    [ "$(products "$1")" -le $most_channels ] && [ "$(products "$1")" -gt 0 ] || every=(on off one)
    local of_seed=${every[$2 % ${#every[@]}]} slots=on
    if has_slots "$1" "$2"; then
        slots=slots
        [ $(($2 % 5)) != 0 ] || of_seed=slots
    fi
    for name in ${forms[@]+"${forms[@]}"}; do
        case $name in
            all) echo "${every[@]}" ;;
            seed) echo "$of_seed" ;;
            slots) echo $slots ;;
            *) echo "$name" ;;
        esac
    done | tr ' ' '\n' | awk '!seen[$0]++'
    [ ${#forms[@]} != 0 ] || if [ "$2" = 0 ]; then echo as-is; else echo "$of_seed"; fi
}

# Adds the section `design` to a spec that has none.
with_design() { # spec
    grep -q '^design:' "$1" || printf '\ndesign:\n' >>"$1"
}

# Writes a form of a spec to a file.
make_form() { # spec, form, seed, to
    local key on off count=0 pairs=() chosen
    chosen=$(($3 % $(optional_keys "$1" "$3" | wc -l)))
    cp "$1" "$4" && with_design "$4"
    while read -r key on off; do
        case $2 in
            as-is) ;;
            timed) [ "$key" != fifo ] || pairs+=("$key=$on") ;;
            off) pairs+=("$key=$off") ;;
            slots) ;;
            one) if [ $count = $chosen ]; then pairs+=("$key=$off"); else pairs+=("$key=$on"); fi ;;
            *) pairs+=("$key=$on") ;;
        esac
        count=$((count + 1))
    done < <(optional_keys "$1" "$3")
    if [ "$2" = slots ]; then
        # shellcheck disable=SC2207 # words
        pairs=($(slots_keys "$1" "$3"))
        sed -i '/^  on_chip_kib:/d; /^  binding:/d' "$4"
    fi
    if [ "$2" = spatial ]; then
        local need channels
        need=$(products "$1") channels=$(key_of "$4" channels 1)
        pairs+=(binding=spatial "channels=$((channels > need ? channels : need))")
    fi
    [ ${#pairs[@]} = 0 ] || { cp "$4" "$4.plain" && variant "$4.plain" "$4" "${pairs[@]}" && rm "$4.plain"; }
}

# Raises the budget of a spec to the least one with which the design can be built. Lifts it if the groups have more
# streams than a channel can serve.
fit_budget() { # spec
    local least
    grep -q '^  on_chip_kib:' "$1" || return 0
    least=$("$rill" check "$1" --json 2>&1 |
        sed -n '/on_chip_kib (.*) is too small/,$s/.*the nearest legal value is \([0-9]*\)$/\1/p' | head -n 1)
    [ -z "$least" ] || sed -i "s/^  on_chip_kib:.*/  on_chip_kib: $least/" "$1"
    ! "$rill" check "$1" --json 2>&1 | grep -qE 'engines (read from|write to) channel' ||
        sed -i "s/^  on_chip_kib:.*/  on_chip_kib: 1048576/" "$1"
}

# ---- one form ----

# Prints a checksum of the files that the simulation depends on, without the comment with version and dump.
design_sum() { # folder
    (cd "$1" && cat rtl/* sim/*.sv filelist.f | grep -v '^// Generated by rill' | cat - image/*.bin | cksum)
}

# Prepares a form up to its Verilated model. If an earlier form is the same design, sets `same[form]` instead.
prepare_form() { # spec, folder, form
    local spec=$1 dir=$2 sum
    rm -rf "$dir" "$dir.json" "$dir.golden"
    fit_budget "$spec"
    step gen timeout 300 "$rill" gen "$spec" -o "$dir" && step copy cmp "$spec" "$dir/oracle/spec.yaml" || return
    # Packing the dump needs no more passes.
    step pack timeout 300 "$rill" pack "$dir/design.yaml" --weights random:1 -o "$dir" || return
    [ $quick = 0 ] || return 0
    sum=$(design_sum "$dir")
    if [ -n "${first_of[$sum]:-}" ]; then same[$3]=${first_of[$sum]} && return; fi
    first_of[$sum]=$3
    step verilate verilate "$dir" || return
    models+=("$dir")
}

# Simulates a form with jitter, and compares its ids with `rill golden`. Copies the result of an equal design instead.
simulate_form() { # spec, folder, form
    local spec=$1 dir=$2 jitter
    if [ -n "${same[$3]:-}" ]; then cp "${dir%."$3"}.${same[$3]}.jitter.json" "$dir.json" && return; fi
    jitter=$(sed -n 's/^name: [^0-9]*\([0-9]\{1,6\}\)$/\1/p' "$spec")
    set_requests "$spec"
    step jitter simulate "$dir" "${jitter:-1}" || return
    [ $also_plain = 0 ] || step plain same_plainly "$dir" "${jitter:-1}" || return
    [ -z "$(vocabulary "$spec")" ] || step golden same_ids "$spec" "$dir" || return
}

values_of() { sed -n 's/^  "\(logits\|rows\)_hash": "\(.*\)".*/\2/p' "$1" | tr '\n' ' '; }

same_values() { # two JSON files
    [ "$(values_of "$1")" = "$(values_of "$2")" ] && return
    echo "error: other values than form ${done_forms%% *}: $(values_of "$1"), $(values_of "$2")"
    return 1
}

# Prepares all forms of a spec up to their Verilated models. Sets `names`, `models` and `same`.
prepare_forms() { # spec, folder, seed
    local -A first_of=()
    times="" form="" log=$2.log models=() same=()
    names=$(form_names "$1" "$3")
    for form in $names; do
        make_form "$1" "$form" "$3" "$2.$form.yaml"
        prepare_form "$2.$form.yaml" "$2.$form" "$form" || return
    done
    form=""
}

simulate_forms() { # spec, folder, seed
    local spec=$1 dir=$2 before=""
    done_forms="" said="" compared=0
    for form in $names; do
        done_forms+="${done_forms:+ }$form"
        [ $quick = 0 ] || continue
        simulate_form "$dir.$form.yaml" "$dir.$form" "$form" || return
        compared=$((compared + $(sed -n 's/^  "values_compared": \([0-9]*\).*/\1/p' "$dir.$form.json")))
        [ "$form" != slots ] || continue # no values are compared, and the hash of each request has been
        if [ -n "$before" ]; then step values same_values "$before" "$dir.$form.json" || return; fi
        before=$dir.$form.jitter.json # runs without jitter follow
        cp "$dir.$form.json" "$before" || return
        # `rill timeline` forecasts no drafts.
        if [ $with_forecast = 1 ] && [[ $form = on || $form = as-is ]] &&
            [ "$(key_of "$dir.$form.yaml" drafts 0)" = 0 ]; then
            check_forecast "$dir.$form.yaml" "$dir.$form" || return
        fi
    done
    [ $timing = 0 ] || [ $quick = 1 ] || check_timing "$spec" "$dir" "$3"
}

compile_forms() { [ $quick = 1 ] || step compile compile "${models[@]}"; }

# Builds all forms of a spec as one executable and runs them.
run_forms() { # spec, folder, seed
    local names models
    local -A same
    prepare_forms "$@" && compile_forms && simulate_forms "$@"
}

# ---- time: one request without jitter ----

# Prints the edge numbers of streams whose whole names match a pattern. The JSON of the forecast lists them in order.
edges_like() { # JSON of `rill timeline`, extended pattern
    grep '"depth"' "$1" | grep -nE "^ *\"($2)\":" | cut -d: -f1 | awk '{ printf "%s ", $1 - 1 }'
}

# Prints the streams into the kernels that write rows of results. Their names follow from the graph's outputs only if
# these are not carried values.
streams_of_results() { # dump of a design
    awk '/^[a-z]/ { part = $1 }
        part == "kernels:" && /^  - name: / { kernel = $3 }
        part == "kernels:" && /^    module: rill_stream_writer$/ { writer[kernel] }
        part == "edges:" && match($0, / to: [^.,]+/) && substr($0, RSTART + 5, RLENGTH - 5) in writer {
            sub(/^  - \{name: /, ""); sub(/,.*/, ""); print
        }' "$1" | paste -sd"|"
}

# Reads from a forecast in which cycles a request begins and ends: sets `steps` and `ends`.
edges_of_request() { # folder
    local results
    results=$(streams_of_results "$1/design.yaml")
    steps=$(edges_like "$1.timeline" '[^"]*token_loop_step_to_[^"]*')
    ends=$(edges_like "$1.timeline" "[^\"]*_to_token_loop_next_id${results:+|$results}")
    [ -n "$steps" ] && [ -n "$ends" ] || { echo "error: no stream begins a request, or none ends it" && return 1; }
}

# Prints the cycles from the first step word to the last id or row, from a file of beats.
span() { # file of beats, edges of steps, edges of results
    awk -v steps="$2" -v ends="$3" '
        BEGIN {
            n = split(steps, a, " "); for (i = 1; i <= n; i++) step[a[i]]
            n = split(ends, a, " "); for (i = 1; i <= n; i++) end[a[i]]
        }
        $1 in step && (first == "" || $2 < first) { first = $2 }
        $1 in end && $2 > last { last = $2 }
        END {
            if (first == "" || last == "") { print "error: no request in the file of beats" >"/dev/stderr"; exit 1 }
            print last - first
        }' "$1"
}

within() { # words of the message, value, reference, percent; the value may be larger by this percentage plus 64 cycles
    awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN { exit a - b > b * p / 100 + 64 }' ||
        { echo "error: $1: $2 cycles against $3" && return 1; }
}

# Simulates the design in a folder without jitter, and writes its cycles to FOLDER.span.
measure() { # folder, edges of steps, edges of results
    simulate "$1" 0 --beats "$1.beats" || return
    span "$1.beats" "$2" "$3" >"$1.span"
}

# Succeeds if a design has groups. Groups wait for one another with any FIFO depths, unless all are unbounded.
has_groups() { grep -A 1 '^groups:' "$1/design.yaml" | grep -q '{'; } # folder

# Compares the cycles of the RTL with the forecast, with twice the depths, and with unbounded FIFOs.
compare_cycles() { # folder
    local rtl forecast deep unbounded
    rtl=$(cat "$1.span") deep=$(cat "$1_deep.span") forecast=$(cat "$1.forecast") unbounded=$(cat "$1.unbounded")
    echo "$rtl cycles, forecast $forecast, twice as deep $deep, unbounded $unbounded"
    near_forecast "$1" 2 && within "slower than with twice as deep FIFOs" "$rtl" "$deep" 1 &&
        { has_groups "$1" || within "the forecast is slower than without bounds" "$forecast" "$unbounded" 1; }
}

# Makes a copy of the design with FIFOs twice as deep, from its last dump.
deepen() { # folder
    awk '/^    module: / { pool = $2 == "rill_fifo_pool" }
        pool && match($0, /^      DEPTH: [0-9]+/) { $0 = "      DEPTH: " 2 * substr($0, 14) }
        match($0, /[{ ]depth: [0-9]+/) {
            $0 = substr($0, 1, RSTART) "depth: " 2 * substr($0, RSTART + 8, RLENGTH - 8) substr($0, RSTART + RLENGTH)
        } 1' \
        "$1/design.yaml" >"$1_deep.yaml"
    rm -rf "$1_deep" && "$rill" gen "$1_deep.yaml" -o "$1_deep" || return
    [ ! -d "$1/image" ] || cp -r "$1/image" "$1_deep/image"
}

forecast() { # folder, prompt length
    "$rill" timeline "$1/design.yaml" --prompt-len "$2" --tokens 3 --unchecked ${ids[@]+"${ids[@]}"} \
        --beats "$1.words" --json >"$1.timeline" || return
    edges_of_request "$1" || return
    span "$1.words" "$steps" "$ends" >"$1.forecast" || return
    cycles_without_bounds "$1" "$2" >"$1.unbounded"
}

# Sets `requests` to one request of several whole steps and a partial one.
timing_request() { # spec
    local context positions vocab
    context=$(key_of "$1" context 1024) positions=$(key_of "$1" T 1) vocab=$(vocabulary "$1")
    length=$((2 * positions + 1 < context ? 2 * positions + 1 : context)) ids=()
    ! to_end "$1" || length=$context
    requests=(--prompt rows --tokens "$length")
    [ -z "$vocab" ] || requests=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens 3 --ignore-eot)
}

# Measures the design in a folder without jitter, and forecasts it. Sets `steps` and `ends`, and writes FOLDER.span and
# FOLDER.forecast.
measure_and_forecast() { # spec, folder
    timing_request "$1"
    step forecast forecast "$2" "$length" || return
    edges_of_request "$2" || return
    step measure measure "$2" "$steps" "$ends" || return
    [ "${requests[0]}" = --prompt-ids ] || return 0
    # Which rows of a table cross a burst boundary depends on the ids, so the forecast gets those of the prompt and the
    # generated ones.
    ids=(--ids "$(sed -n 's/.*"\(prompt\|token\)_ids": \[\(.*\)\].*/\2/p' "$2.json" | tr -d ' ' | paste -sd,)")
    step forecast forecast "$2" "$length"
}

# Compares a run without jitter with its forecast.
check_forecast() { # spec, folder
    local length steps ends
    measure_and_forecast "$1" "$2" || return
    step cycles compare_forecast "$2" "$(sed -n 's/^# forecast: within \([0-9]*\) %.*/\1/p' "$1")" || return
    said=$(head -n 1 "$log")
}

compare_forecast() { # folder, percent (default 2)
    awk -v a="$(cat "$1.span")" -v b="$(cat "$1.forecast")" 'BEGIN {
        e = a > b ? a - b : b - a
        printf "%d cycles, forecast %d, %.1f %% off\n", a, b, e * 100 / a }'
    near_forecast "$1" "${2:-2}"
}

near_forecast() { # folder, percent
    within "the design is slower than forecast" "$(cat "$1.span")" "$(cat "$1.forecast")" "$2" &&
        within "the design is faster than forecast" "$(cat "$1.forecast")" "$(cat "$1.span")" "$2"
}

# Checks the promises of docs/fifos.md for a spec with timed FIFOs, with the RTL of the design and of a copy with twice
# the depths.
check_timing() { # spec, folder, seed
    local spec=$2.timed.yaml dir=$2.timed length steps ends models=()
    local -A first_of=() same=()
    if [ "$done_forms" != timed ]; then
        make_form "$1" timed "$3" "$spec"
        prepare_form "$spec" "$dir" timed || return
    fi
    form=timing
    step deepen deepen "$dir" || return
    step verilate verilate "${dir}_deep" || return
    step compile compile "${models[@]}" "${dir}_deep" || return
    measure_and_forecast "$spec" "$dir" || return
    step measure measure "${dir}_deep" "$steps" "$ends" || return
    step cycles compare_cycles "$dir" || return
    said=$(head -n 1 "$log")
    step streams compare_streams "$dir" "$dir.json" "${dir}_deep.json" || return
    said+=", $(tail -n 1 "$log")"
    step least compare_bits "$spec" || return
    said+=", $(head -n 1 "$log")"
    rm -rf "${dir}_deep" "${dir}_deep".*
}
