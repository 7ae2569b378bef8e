#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests that the tokens of a request do not depend on what else runs: requests join designs with slots at random
# moments, and each must have the ids that `rill golden` gives to it alone. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/judge.sh"

usage() {
    cat <<'TEXT'
usage: tests/e2e/moments.sh [--runs N] [--seed S] [--alone] [--list] [--jobs N] [design...]
Runs 17 requests on designs with 2, 3, 4 and 8 slots, with T = 1, 2, 4 and 8, without and with drafts (T = 1 has none):
the 15 requests of the set `moments`, and two faulty ones. Two of the 15 requests are stopped. In each run, the requests
join and are stopped at other random moments, and the memory has other delays.
  --runs N  runs of each design (default 8: 56 for each number of slots)
  --seed S  other moments and delays (default 1)
  --alone   also simulates each of the 15 requests alone
  --list    only prints the designs
  design    names of designs to run (default: all)
All of it takes about 30 minutes of CPU time, so it is in neither set of tests.
TEXT
    echo "$launch_help"
}

# Writes the spec of a design: S<slots>-T<tokens>, or S<slots>-T<tokens>-drafts.
write_spec() { # name, file
    local slots tokens drafts=0
    IFS=- read -r slots tokens drafts <<<"$1"
    slots=${slots#S} tokens=${tokens#T}
    [ "$drafts" = drafts ] && drafts=$((tokens < 4 ? tokens - 1 : 3)) || drafts=0
    variant "$root/tests/e2e/cases/slots_drafts/spec.yaml" "$2" "T=$tokens" "A=$((tokens < 2 ? 1 : 2))" "slots=$slots" \
        "drafts=$drafts" channels=2 sampling=2
}

names() {
    local slots tokens
    for slots in 2 3 4 8; do
        for tokens in 1 2 4 8; do
            echo "S$slots-T$tokens"
            [ $tokens = 1 ] || echo "S$slots-T$tokens-drafts"
        done
    done
}

# Prints ascending cycles at which the second and further requests join: some at the same time, and some far apart.
moments() { # seed, requests
    awk -v seed="$1" -v n="$2" 'BEGIN {
        srand(seed)
        for (i = 1; i < n; i++) {
            if (rand() < 0.8) at += int(rand() * rand() * 40000)
            printf "%s%d", (i == 1 ? "" : ","), at
        }
    }'
}

# Prints a number of cycles in which a request cannot end, even if it runs alone and all its drafts are right.
cycles_alone() { # design, IN:OUT
    local drafts
    drafts=$(spec_value "$1/oracle/spec.yaml" drafts 0)
    "$rill" forecast "$1/design.yaml" "$2" --json | awk -F'[:,]' -v drafts="$drafts" '
        /^  "cycles_prefill"/ { prefill = $2 }
        /^  "cycles_decode"/ { decode = $2 }
        END { print int(0.9 * (prefill + decode / (1 + drafts))) }'
}

# Prints a random number of cycles.
stop_after() { # seed, bound
    awk -v seed="$1" -v bound="$2" 'BEGIN { srand(seed); rand(); print int(rand() * bound) }'
}

# Adds the two faulty requests to those of set_requests. Sets `all`, `stopped` with the numbers of the requests that are
# stopped, and `faulty` with N:FAULT for each request that must end with a fault. The first faulty request has an id
# outside of the vocabulary. Its fault comes when the prompt has run up to this id. The second one is longer than the
# context.
add_faulty() { # spec
    local i vocab context
    vocab=$(spec_value "$1" vocab) context=$(spec_value "$1" context)
    all=() stopped=() faulty=()
    for ((i = 0; i * arguments < ${#requests[@]}; i++)); do
        if [ $i = 3 ]; then
            all+=(--prompt-ids "$(some_ids 30 "$vocab"),$vocab,0" --tokens 5) faulty+=($((i + 1 + ${#faulty[@]})):4)
        elif [ $i = 11 ]; then
            all+=(--prompt-ids "$(some_ids $((context + 1)) "$vocab")" --tokens 5)
            faulty+=($((i + 1 + ${#faulty[@]})):2)
        fi
        all+=("${requests[@]:i * arguments:arguments}")
        [ $i != 4 ] && [ $i != 9 ] || stopped+=($((i + 1 + ${#faulty[@]})))
    done
}

# Prints the ids that each request of a run must have: those of `rill golden`, for a request that was stopped only the
# first of them, and none for a faulty request.
expected_ids() { # JSON of the run, ids of rill golden
    local got want number=0
    while IFS= read -r got; do
        number=$((number + 1)) want=""
        [[ " ${faulty[*]}" == *" $number:"* ]] || IFS= read -r want <&3
        [[ " ${stopped[*]} " != *" $number "* || -n $got && "$want " != "$got "* ]] || want=$got
        echo "$want"
    done < <(json_ids "$1") 3<"$2"
}

# Judges the results of a run. Prints a message if they are wrong.
judge_moments() { # JSON, spec, design, ids of rill golden
    local ended
    expected_ids "$1" "$4" >"$1.ids"
    judge_run "$1" "$2" "$3" "" "$1.ids" || return
    ended=$(grep -c '^      "ending": 4,' "$1")
    [ "$ended" = ${#stopped[@]} ] || { echo "$ended requests were stopped instead of ${#stopped[@]}" && return 1; }
}

# Simulates each request of set_requests alone: it must have the ids of `rill golden`.
run_alone() { # design, spec, ids of rill golden
    local i why json=$1.alone.json
    for ((i = 0; i * arguments < ${#requests[@]}; i++)); do
        timeout "$run_limit" "$rill" sim "$1" "${requests[@]:i * arguments:arguments}" "${flags[@]}" --json "$json" \
            --quiet </dev/null || return
        sed -n "$((i + 1))p" "$3" >"$json.ids"
        why=$(judge_run "$json" "$2" "$1" "" "$json.ids") || { echo "error: request $((i + 1)): $why" && return 1; }
    done
}

check_design() { # name, runs, seed, 1: also each request alone; one job makes one design
    local name=$1 dir=$work/moments-$1 spec=$work/moments-$1.yaml run seed ends i log=$work/moments-$1.log json why
    local shortest=() optimized=1 # the runs take longer than the build
    again="tests/e2e/moments.sh $name"
    export RILL_QUICK_BUILD=1
    write_spec "$name" "$spec"
    if ! { make_design "moments-$name" "$spec" random:8 && build_soon "moments-$name"; } >"$log" 2>&1; then
        fail "$name" "$(reason)"
        return
    fi
    set_requests moments "$spec" 0
    add_faulty "$spec"
    golden_ids "$spec" random:8 moments 0 >"$dir.ids" 2>"$log" || { fail "$name" "$(reason)" && return; }
    ok "$name: built, and run by the golden model"
    [ "$4" = 0 ] || if run_alone "$dir" "$spec" "$dir.ids" >"$log" 2>&1; then ok "$name: 15 requests, each alone"
    else fail "$name: each request alone" "$(reason)"
    fi
    # The fifth and the tenth request of the set are stopped.
    for i in 20:5 90:10; do
        shortest+=("$(cycles_alone "$dir" "${i%:*}:$(awk -v line="${i#*:}" 'NR == line { print NF }' "$dir.ids")")")
    done
    for ((run = 1; run <= $2; run++)); do
        json=$dir.$run.json seed=$(($3 * 1000 + run)) ends=()
        joins=$(moments $seed 17)
        for i in "${faulty[@]}"; do ends+=(--fault "$i"); done
        for i in 0 1; do ends+=(--stop "${stopped[i]}:$(stop_after $((seed * 2 + i)) "${shortest[i]}")"); done
        if ! timeout "$run_limit" "$rill" sim "$dir" "${all[@]}" "${flags[@]}" "${ends[@]}" \
            --join "$joins" --seed $seed --json "$json" --quiet >"$log" 2>&1 </dev/null; then
            fail "$name run $run" "$(reason)"
        elif ! why=$(judge_moments "$json" "$spec" "$dir" "$dir.ids"); then
            fail "$name run $run" "$why"
        else ok "$name run $run: 17 requests, joined at 0,$joins, ${ends[*]}"
        fi
    done
}

if [ "${1:-}" = --check-design ]; then
    check_design "$2" "$3" "$4" "$5"
    exit 0
fi

runs=8 seed=1 alone=0 list=0 jobs=${job_count:-2} wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --runs) runs=$2 && shift ;;
        --seed) seed=$2 && shift ;;
        --alone) alone=1 ;;
        --list) list=1 ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) wanted+=("$1") ;;
    esac
    shift
done
mkdir -p "$work"
[ ${#wanted[@]} != 0 ] || mapfile -t wanted < <(names)
[ $list = 0 ] || { printf '%s\n' "${wanted[@]}" && exit 0; }
for name in "${wanted[@]}"; do
    names | grep -qx -- "$name" || { echo "no such design: $name (--list shows them)" >&2; exit 2; }
    add_job $((1 + runs + alone)) "${BASH_SOURCE[0]}" --check-design "$name" "$runs" "$seed" "$alone"
done
run_jobs "$jobs"
verdict
