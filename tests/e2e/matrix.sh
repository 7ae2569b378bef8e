#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generates, packs, builds and simulates every design point of tests/e2e/cases. All streams must match the replay,
# the ids must be those of `rill golden`, and the logits of all design points of one model and weight format must be the
# same bytes. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/judge.sh"

usage() {
    cat <<'TEXT'
usage: tests/e2e/matrix.sh [--all | --set test | --set deep] [--list | --kinds] [--jobs N] [design...]
  --set X   only the design points of `make test`, or only those of `make test-deep` (default: both)
  --all     the design points of the set `all` instead: {int8, int4} x {1, 2, 3, 4, 8} channels x {256, 512} bit x T in
            {1, 2}, all odd sizes, three seeds
  --list    only prints the design points
  --kinds   only prints the kinds of logits that are compared with one another
  --jobs N  design points that are run at the same time (default 2)
  design    names of the design points to run (default: all of the set)
TEXT
    echo "$launch_help"
}

# Reads a line of tests/e2e/cases.py into the variables of the calling function.
read_point() { IFS=$'\t' read -r name key spec weights sets seeds build values <<<"$1"; }

# Prints the number of checks of a point: the point itself, each run, and the forecast of each run without jitter.
checks_of_point() { # line of cases.py
    local name key spec weights sets seeds build values count
    read_point "$1"
    count=$(wc -w <<<"$seeds")
    [[ " $seeds " != *" 0 "* ]] || count=$((count + 1))
    echo $((1 + $(wc -w <<<"$sets") * count))
}

check_point() { # line of cases.py; one job makes one point
    local name key spec weights sets seeds build values set seed start=$SECONDS builder=build_design
    read_point "$1"
    # shellcheck disable=SC2086 # one word per value
    variant "$spec" "$work/$name.yaml" $values
    log=$work/$name.log
    again="tests/e2e/matrix.sh $name"
    [ "$thorough" = 0 ] || again="tests/e2e/matrix.sh --all $name"
    # Runs take seconds, so a quick build is worth more than a fast simulation. In the sets of `make test` and `make
    # test-deep`, parts that all designs have are precompiled (tests/quick_build.sh), which takes a third of the time.
    # A design whose runs take minutes is compiled with optimization there.
    [ "$build" = whole ] || export RILL_QUICK_BUILD=1
    [[ $build != [qf]* || $thorough != 0 || -n "${RILL_COVERAGE:-}" ]] || builder=build_soon
    [ "$build" != fast ] || optimized=1
    # Simulates multipliers at twice the clock (`A: 4`, `pump: 2`) as the hardware has them. All other designs of this
    # kind use the form that simulates faster.
    [ "$build" != pumped ] || export RILL_PUMPED=1
    if ! make_design "$name" "$work/$name.yaml" "$weights" >"$log" 2>&1; then
        fail "$name" "$(reason)"
        return
    fi
    if ! $builder "$name" >"$log" 2>&1; then
        fail "$name" "the simulation does not build: $(reason)"
        return
    fi
    ok "$name: generated, packed and built ($((SECONDS - start)) s)"
    for set in $sets; do
        set_requests "$set" "$work/$name.yaml" "$thorough" || fail "$name" "no set $set"
        for seed in $seeds; do check_run "$name" "$key" "$set" "$seed"; done
    done
}

# Makes the ids of the oracle, once for all design points whose results must be equal.
make_golden() { # lines of cases.py
    local name key spec weights sets seeds build values set line
    while IFS= read -r line; do
        read_point "$line"
        # shellcheck disable=SC2086
        variant "$spec" "$work/golden.yaml" $values
        [[ $sets != *rows* ]] || continue
        for set in $sets; do
            # Prompt lengths depend on T, so each design point makes this set itself.
            [ "$set" != lengths ] || continue
            [ -s "$work/golden/$key.$set" ] && continue
            golden_ids "$work/golden.yaml" "$weights" "$set" "$thorough" >"$work/golden/$key.$set" 2>"$log" ||
                fail "golden $key $set" "$(reason)"
        done
    done <<<"$1"
}

# Prints a line for each kind of results that several runs of language models must have in common.
kinds_of_logits() { # lines of cases.py
    local name key spec weights sets seeds build values set seed line
    while IFS= read -r line; do
        read_point "$line"
        ! grep -q '^  slots:' "$spec" || continue # requests at the same time have no file of logits
        for set in $sets; do
            for seed in $seeds; do
                case $set in
                    rows*) ;;
                    lengths) echo "$key.$set.$name" ;;
                    *) echo "$key.$set" ;;
                esac
            done
        done
    done <<<"$1" | sort | uniq -d
}

export thorough=${thorough:-0}
if [ "${1:-}" = --check-point ]; then
    check_point "$2"
    exit 0
fi

list=0 jobs=${job_count:-2} half=()
wanted=" "
while [ $# -gt 0 ]; do
    case $1 in
        --all) half=(--set all) thorough=1 ;;
        --set)
            [[ "${2:-}" =~ ^(test|deep)$ ]] || { usage >&2; exit 2; }
            half=(--set "$2") && shift
            ;;
        --list) list=1 ;;
        --kinds) list=2 ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) wanted+="$1 " ;;
    esac
    shift
done
points=$("$root/tests/e2e/cases.py" ${half[@]+"${half[@]}"}) ||
    { fail "design points" "tests/e2e/cases.py does not list them" && verdict; exit 1; }
if [ "$wanted" != " " ]; then
    points=$(while IFS= read -r line; do [[ $wanted != *" ${line%%$'\t'*} "* ]] || echo "$line"; done <<<"$points")
    [ -n "$points" ] || { echo "no such design point (--list shows them)" >&2; exit 2; }
fi
if [ $list = 1 ]; then
    cut -f1 <<<"$points"
    exit 0
fi

[ $list = 0 ] || { kinds_of_logits "$points" && exit 0; }

resumes || rm -rf "$work/golden" "$work/logits" # logits of points that passed before are also compared
mkdir -p "$work/golden" "$work/logits"
log=$work/golden.log
plan "$(kinds_of_logits "$points" | grep -c .)"
make_golden "$points"
while IFS= read -r point; do
    add_job "$(checks_of_point "$point")" "${BASH_SOURCE[0]}" --check-point "$point"
done <<<"$points"
run_jobs "$jobs"
compare_logits "$work/logits" # of all points with equal results and their seeds; for `lengths` of one point's seeds
verdict
