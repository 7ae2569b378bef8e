#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests that the tokens of a request do not depend on what else runs: requests join designs with slots at random
# moments, and each must have the ids that `rill golden` gives to it alone. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/judge.sh"

usage() {
    cat <<'TEXT'
usage: tests/e2e/moments.sh [--runs N] [--seed S] [--list] [--jobs N] [design...]
Runs the 13 requests of the set `moments` on designs with 2, 3, 4 and 8 slots, with T = 1, 2, 4 and 8, without and with
drafts (T = 1 has none). In each run, the requests join at other random moments, and the memory has other delays.
  --runs N  runs of each design (default 8: 56 for each number of slots)
  --seed S  other moments and delays (default 1)
  --list    only prints the designs
  design    names of designs to run (default: all)
All of it takes half an hour on two cores, so it is in neither set of tests.
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

check_design() { # name, runs, seed; one job makes one design
    local name=$1 spec=$work/moments-$1.yaml run log=$work/moments-$1.log json why
    again="tests/e2e/moments.sh $name"
    export RILL_QUICK_BUILD=1
    write_spec "$name" "$spec"
    if ! { make_design "moments-$name" "$spec" random:8 && build_soon "moments-$name"; } >"$log" 2>&1; then
        fail "$name" "$(reason)"
        return
    fi
    set_requests moments "$spec" 0
    golden_ids "$spec" random:8 moments 0 >"$work/moments-$name.ids" 2>"$log" || { fail "$name" "$(reason)" && return; }
    ok "$name: built, and run by the golden model"
    for ((run = 1; run <= $2; run++)); do
        json=$work/moments-$name.$run.json
        joins=$(moments $(($3 * 1000 + run)) 13)
        if ! timeout "$run_limit" "$rill" sim "$work/moments-$name" "${requests[@]}" "${flags[@]}" --join "$joins" \
            --seed $(($3 * 1000 + run)) --json "$json" --quiet >"$log" 2>&1 </dev/null; then
            fail "$name run $run" "$(reason)"
        elif ! why=$(judge_run "$json" "$spec" "$work/moments-$name" "" "$work/moments-$name.ids"); then
            fail "$name run $run" "$why"
        else ok "$name run $run: 13 requests, joined at 0,$joins"
        fi
    done
}

if [ "${1:-}" = --check-design ]; then
    check_design "$2" "$3" "$4"
    exit 0
fi

runs=8 seed=1 list=0 jobs=${job_count:-2} wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --runs) runs=$2 && shift ;;
        --seed) seed=$2 && shift ;;
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
[ ${#wanted[@]} != 0 ] || mapfile -t wanted < <(names)
[ $list = 0 ] || { printf '%s\n' "${wanted[@]}" && exit 0; }
for name in "${wanted[@]}"; do
    names | grep -qx -- "$name" || { echo "no such design: $name (--list shows them)" >&2; exit 2; }
    add_job $((1 + runs)) "${BASH_SOURCE[0]}" --check-design "$name" "$runs" "$seed"
done
run_jobs "$jobs"
verdict
