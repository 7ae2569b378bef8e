# SPDX-License-Identifier: Apache-2.0
# Functions for the end-to-end scripts, which source this file. The functions make designs under build/e2e and the
# request sets that run on them, judge the results of a run, and compare the logits of several runs.
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with the scripts that source this, and with verdict.sh

. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
. "$root/tests/oracle.sh"
. "$root/tests/streams.sh"
. "$root/tests/quick_build.sh"
work=$root/build/e2e
model=$root/models/tinystories-gpt2-1m
story=$root/configs/tinystories-gpt2-1m.yaml
run_limit=${RILL_TEST_TIMEOUT:-1800}

# Prints the value of a key of a spec that has one key in each line.
spec_value() { # spec, key, default
    local value
    value=$(sed -n "s/^  $2: *\([^ #]*\).*/\1/p" "$1" | tail -n 1)
    echo "${value:-$3}"
}

# Generates and packs a design. If the folder already has an equal design, keeps it with its simulation. Packing the
# compiled design gives the same image as packing its spec (tests/e2e/memory_map.sh), and saves time.
make_design() { # name, spec, weights
    local dir=$work/$1 fresh=$work/$1.fresh
    rm -rf "$fresh"
    # The copy for the oracle must be the original spec.
    "$rill" gen "$2" -o "$fresh" && cmp "$2" "$fresh/oracle/spec.yaml" || return
    if diff -rq -x image -x 'build*' -x 'tuned*' -x quick "$fresh" "$dir" >/dev/null 2>&1; then
        rm -rf "$fresh"
    else
        rm -rf "$dir" && mv "$fresh" "$dir"
    fi
    rm -rf "$dir/image"
    "$rill" pack "$dir/design.yaml" --weights "$3" -o "$dir"
}

# Builds the simulation as `rill sim` does.
build_design() { # name
    timeout 3000 "$rill" sim "$work/$1" --build-only --jobs "${RILL_TEST_JOBS:-1}"
}

# Builds the simulation with the modules of tests/fuzz/precompiled, which are compiled once for all designs, and puts it
# where `rill sim --quick-build` looks for one. `tests/fuzz/run.sh --plain` compares the two kinds of builds.
build_soon() { # name
    local sim_folder=quick made=$work/$1/sim/quick/Vrill
    make_runtime || return
    [ -x "$made" ] && [ -z "$(find "$work/$1"/{rtl,filelist.f,sim/rill_sim_top.sv} "$root/build/librill.a" \
        "$lib/precompiled.a" "$root"/verif/{model,harness} -newer "$made" -print -quit)" ] && return
    (verilate "$work/$1" && compile "$work/$1")
}

# Prints pseudo-random ids, which are equal in every run.
some_ids() { # count, vocabulary
    awk -v n="$1" -v v="$2" \
        'BEGIN {
            x = 12345
            for (i = 0; i < n; i++) { x = (x * 1103 + 12347) % 65521; printf "%s%d", i ? "," : "", x % v }
            print ""
        }'
}

# Adds settings of sampling to `requests`. Their kind depends on the number of the request: greedy, drawn from all ids,
# from a list, or from a list with a bound. The list has at most 12 ids, or as many as the design has.
set_drawn() { # number, ids of a list in the design
    local kind=$(($1 % 4)) list=$((12 - $1 % 5))
    list=$((list < ${2:-12} ? list : ${2:-12}))
    arguments=12
    requests+=(--temperature "$([ $kind = 0 ] && echo 0 || echo "$((1 + $1 % 3)).5")"
        --top-k $((kind > 1 ? list : 0)) --min-p "$([ $kind = 3 ] && echo 0.4 || echo 0)"
        --sampling-seed $((77 + $1 / 2)))
}

# Adds ids that the host predicts to the latest of `requests`. With two token ids in the vocabulary, about half of them
# are right.
add_predicted() { # vocabulary
    local i
    predicted=2
    requests+=(--predict-ids "$(for ((i = 0; i < 40; i++)); do echo $((i * i % 3 % $1)); done | paste -sd,)")
}

# Sets the variables that describe a set of requests:
#   requests   the arguments of all requests: for each one `--prompt TEXT --tokens N` or `--prompt-ids LIST --tokens N`,
#              in the set joins-drawn followed by settings of sampling. The set rows-file has `--inputs` and `--outputs`
#   arguments  number of arguments of each request
#   predicted  how many of them, at the end, only rill sim takes: ids that the host predicts
#   joins      `--join` and its cycles, or empty
#   flags      the other options
#   expected   only in the set rows-file: the file with the expected rows
set_requests() { # set, spec, thorough (1: longer)
    local vocab context positions length
    vocab=$(spec_value "$2" vocab 2) context=$(spec_value "$2" context 64) positions=$(spec_value "$2" T 1)
    requests=() flags=(--ignore-eot) joins=() arguments=4 predicted=0
    case $1 in
        prompts) # five texts
            for text in "Once upon a time, there was a little" "Tom and his dog Max" \
                "One day, Lily and Ben were playing in the" \
                "The bird sang because" "\"Can I have some cake?\" asked Mia."; do
                requests+=(--prompt "$text" --tokens $((12 + 20 * $3)))
            done
            ;;
        text) # one text
            requests=(--prompt "Once upon a time, there was a little" --tokens 12)
            ;;
        lengths) # 1 to 2T + 1 prompt ids: whole and partial steps
            for ((length = 1; length <= 2 * positions + 1; length++)); do
                requests+=(--prompt-ids "$(some_ids $length "$vocab")" --tokens 3)
            done
            ;;
        blocks) # across the end of a block of 64 positions, in the prompt and while decoding
            local room
            for length in 62 63 64 65; do
                room=$(($(spec_value "$2" context 1024) - length + 1))
                requests+=(--prompt-ids "$(some_ids $length "$vocab")" --tokens $((room < 4 ? room : 4)))
            done
            ;;
        # to the end of the context, where the design stops: once reached in the prompt, once while decoding
        end)
            flags+=(--unchecked)
            for length in "$context" $((context - 2)); do
                requests+=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens 9)
            done
            ;;
        span) # one request from the first position of the context to its last, most of it as prompt
            flags+=(--unchecked)
            requests=(--prompt-ids "$(some_ids $((context - 4)) "$vocab")" --tokens 9)
            ;;
        drawn | listed) # ids drawn at random, from all and from a list with a bound
            flags+=(--temperature 1.5 --sampling-seed 77)
            [ "$1" = drawn ] || flags+=(--top-k 9 --min-p 0.4)
            for length in 3 4 6; do requests+=(--prompt-ids "$(some_ids $length "$vocab")" --tokens 5); done
            ;;
        quotes | quotes-drawn) # a text that the model continues with pieces of the same text, so that drafts are right
            [ "$1" = quotes ] || flags+=(--temperature 0.3 --sampling-seed 5)
            local said='Lily said, "I want the big cake." Mom said, "You want the big cake?"'
            requests=(--prompt "$said Lily said, \"Yes, I want the" --tokens $((20 + 40 * $3)))
            ;;
        # ids that repeat, across the end of a block of 64 positions, to the end of the context; in predicted and
        # predicted-drawn, the host predicts the answers, with right and wrong ids
        again | again-drawn | predicted | predicted-drawn)
            flags+=(--unchecked)
            [ "$1" = "${1%-drawn}" ] || flags+=(--temperature 1.5 --sampling-seed 77)
            local i
            for length in 11 60 $((context - 6)); do
                requests+=(--prompt-ids "$(for ((i = 0; i < length; i++)); do echo $((i % 7 * 3 % vocab)); done |
                    paste -sd,)" --tokens 20)
                [ "$1" = "${1#predicted}" ] || add_predicted "$vocab"
            done
            ;;
        # for slots: twelve requests of many lengths, which join one after another, some of them at the same time. In
        # joins-drawn, three of them take the most likely ids. The others draw, each with its own settings
        joins | joins-drawn)
            local i=0
            flags=()
            for length in 5 1 12 3 66 2 7 1 30 4 9 63; do
                requests+=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens $((3 + length * 5 % 11)))
                [ "$1" = joins ] || set_drawn $((i++))
            done
            joins=(--join 0,9000,9000,14000,30000,30001,52000,52000,90000,91000,150000)
            ;;
        # for slots with drafts: eleven requests whose ids repeat themselves, so that drafts are found. They join at
        # several moments, cross blocks of 64 positions, and some reach the end of the context. In joins-again-drawn,
        # most ids are drawn, which often ends drafts for a while, and end ids end requests. In joins-predicted, the
        # host also predicts ids
        joins-again | joins-again-drawn | joins-predicted)
            local i=0 j
            [ "$1" = joins-again ] && flags+=(--unchecked) || flags=()
            for length in 11 1 24 3 60 2 $((context - 6)) 7 30 4 55; do
                requests+=(--prompt-ids "$(for ((j = 0; j < length; j++)); do echo $(((j % 7 * 3 + i) % vocab)); done |
                    paste -sd,)" --tokens $((length > 60 ? 7 : 12 + length * 5 % 31)))
                [ "$1" = joins-again ] || set_drawn $i "$(spec_value "$2" sampling 0)"
                [ "$1" != joins-predicted ] || add_predicted "$vocab"
                i=$((i + 1))
            done
            joins=(--join 0,9000,9000,14000,40000,40001,72000,72000,110000,150000)
            ;;
        # for slots, with moments that tests/e2e/moments.sh chooses: fifteen requests, of one token to more than a block
        # of 64 positions. They end by their number of tokens, by an end id, or at the end of the context. Four of them
        # take the most likely ids, and the others draw. The fifth and the tenth are long, because the script stops them
        moments)
            local i=0
            flags=(--unchecked)
            for length in 11 1 24 3 20 60 2 $((context - 6)) 7 90 30 4 66 8 12; do
                requests+=(--prompt-ids "$(some_ids "$length" "$vocab")"
                    --tokens $((length == 20 ? 99 : 2 + length * 5 % 31)))
                set_drawn $((i++)) "$(spec_value "$2" sampling 0)"
            done
            ;;
        together) # for slots: one request in each slot, all of the same length, which come at the start
            for ((length = 0; length < $(spec_value "$2" slots 1); length++)); do
                requests+=(--prompt-ids "$(some_ids 40 "$vocab" | cut -d, -f$((length + 1))-$((length + 11)))"
                    --tokens 20)
            done
            joins=(--join 0)
            ;;
        apart) # for four slots: requests of different lengths, two of which join while others run
            for length in 11:40 30:30 21:24 7:20; do
                requests+=(--prompt-ids "$(some_ids ${length%:*} "$vocab")" --tokens "${length#*:}")
            done
            joins=(--join 0,60000,90000)
            ;;
        # prompts that begin like the prompt before, in whole or in part: up to the last id but one, to an id within a
        # step or a block, to the first id of a block, and to an id of a block that is only in memory
        turns | turns-drawn)
            [ "$1" = turns ] || flags+=(--temperature 1.5 --sampling-seed 77)
            local text part
            text=$(some_ids 110 "$vocab")
            for length in 20:20 20:20 13:20 70:20 70:20 65:20 40:20 41:70 109:20; do
                part=$(cut -d, -f1-${length%:*} <<<"$text")
                requests+=(--prompt-ids "$part" --tokens "${length#*:}")
            done
            ;;
        # for two slots: turns of two conversations. Short turns end while the other slot has a long one, so the next
        # turn of their conversation begins after kept positions, in the latest block of 64 positions or at an earlier
        # one
        turns-joins)
            local i part
            for part in 1:20:5 31:60:50 1:30:4 1:52:5 1:80:5 1:126:9 1:90:5 31:100:9; do
                IFS=: read -r i length part <<<"$part"
                requests+=(--prompt-ids "$(some_ids 130 "$vocab" | cut -d, -f"$i-$((i + length - 1))")"
                    --tokens "$part")
            done
            joins=(--join 0)
            ;;
        # for two slots: a turn of each of two conversations, and when both are over, their next turns. The last one
        # comes while the other runs. Their forecast begins after the kept positions
        turns-together)
            local i part
            for part in 1:20:6 31:70:6 1:44:20 31:100:20; do
                IFS=: read -r i length part <<<"$part"
                requests+=(--prompt-ids "$(some_ids 130 "$vocab" | cut -d, -f"$i-$((i + length - 1))")"
                    --tokens "$part")
            done
            joins=(--join 0,100000,125000)
            ;;
        stop) # one request ends by end-of-text, one by count; then the first again
            flags=()
            for text in "So, the engine and Alfie became the best of friends. From then on," "Tom and his dog Max" \
                "So, the engine and Alfie became the best of friends. From then on,"; do
                requests+=(--prompt "$text" --tokens $((length = ${#text} > 30 ? 40 : 6)))
            done
            ;;
        ends) # requests of odd.yaml that end by its second end id, and by its third
            flags=()
            for length in 8 5; do requests+=(--prompt-ids "$(some_ids $length "$vocab")" --tokens 9); done
            ;;
        rows) # requests of a graph that is not a language model
            flags=()
            for length in 1 7 3; do requests+=(--prompt rows --tokens $length); done
            ;;
        rows-blocks) # requests of such a graph across the end of a block of 64 positions
            flags=()
            for length in 66 3; do requests+=(--prompt rows --tokens $length); done
            ;;
        rows-file) # rows of a graph of tests/witness, with the values that numpy computed for it
            local folder
            folder=$root/tests/witness/$(sed -n 's/^name: //p' "$2")
            flags=() expected=$(echo "$folder"/exact.*)
            requests=(--inputs "$(echo "$folder"/inputs.*)" --outputs "${2%.yaml}.out.${expected##*.}")
            ;;
        *)
            echo "no request set '$1'" >&2
            return 1
            ;;
    esac
    arguments=$((arguments + predicted))
}

# Prints the ids that `rill golden` generates for a request set, one line for each request.
golden_ids() { # spec, weights, set, thorough
    local i
    set_requests "$3" "$1" "$4" || return
    for ((i = 0; i < ${#requests[@]}; i += arguments)); do
        "$rill" golden "$1" --weights "$2" "${requests[@]:i:arguments - predicted}" "${flags[@]}" --ids ||
            return
        echo
    done | grep .
}

# Prints a line of ids for each request in the JSON of a simulation.
json_ids() { sed -n 's/^      "token_ids": \[\(.*\)\],*$/\1/p' "$1" | tr -d ','; }
# Prints the value of a key of the top level of a JSON.
json_value() { sed -n "s/^  \"$2\": \([^,]*\),*\$/\1/p" "$1" | head -n 1; }

# Checks the results of a run that ended with status 0. Prints a message if values were not compared, or if results
# differ from those of other runs and models. The arguments are: JSON of rill sim, spec, folder of the design, number of
# tensors on which no output depends (default: any number), file with the ids of rill golden, file with the rows of the
# run, and file with the expected rows. Ids and rows are not compared if their argument is empty or missing.
judge_run() {
    local why
    # Streams of a design with slots are not compared, because its steps have tokens of several requests.
    local slots
    slots=$(spec_value "$2" slots 1)
    if [ "$(json_value "$1" match)" != true ] ||
        { [ "$slots" = 1 ] && [ "$(json_value "$1" values_compared)" = 0 ]; }; then
        echo "no match in $1"
    elif ! why=$(oracle_compared "$1" "$2" ${4:+"$4"}) ||
        { [ "$slots" = 1 ] && ! why=$(streams_compared "$1" "$3/design.yaml"); }; then
        echo "$why"
    elif grep -q '"late": [1-9]\|"refused": [1-9]' "$1"; then echo "a custom kernel breaks its timing contract"
    elif [ -n "${5:-}" ] && ! diff -q <(json_ids "$1") "$5" >/dev/null; then echo "other ids than rill golden"
    elif [ -n "${6:-}" ] && ! why=$(cmp "$6" "$7" 2>&1); then echo "other rows than expected: $why"
    else return 0
    fi
    return 1
}

# Compares files of logits. The names of the files begin with their kind. All files of a kind must have the same bytes.
compare_logits() { # folder
    local file kind base
    declare -A first count
    for file in "$1"/*; do
        [ -f "$file" ] || continue
        base=${file##*/}
        kind=$(cut -d. -f1,2 <<<"$base")
        [[ $kind != *.lengths ]] || kind=$(cut -d. -f1-3 <<<"$base")
        if [ -z "${first[$kind]:-}" ]; then
            first[$kind]=$file count[$kind]=1
        elif cmp -s "$file" "${first[$kind]}"; then
            count[$kind]=$((count[$kind] + 1))
        else
            fail "logits $kind" "${file##*/} differs from ${first[$kind]##*/}"
        fi
    done
    for kind in "${!first[@]}"; do
        [ "${count[$kind]}" = 1 ] ||
            ok "logits $kind: the same $(stat -c %s "${first[$kind]}") bytes from ${count[$kind]} runs"
    done
}
