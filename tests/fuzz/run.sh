#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests random legal specs from end to end: generates, packs random weights, builds with all warnings of Verilator, and
# simulates with jitter against the replay. Each spec is built in forms that may change its time but never its values.
# See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
. "$root/tests/oracle.sh"
. "$root/tests/streams.sh"
. "$root/tests/quick_build.sh"
. "$root/tests/fuzz/stages.sh"
. "$root/tests/fuzz/forms.sh"
. "$root/tests/fuzz/depths.sh"

usage() {
    cat <<'TEXT'
usage: tests/fuzz/run.sh [--seeds a-b] [--operations a-b] [--set FILE]... [--form NAME]... [--timing | --depths]
                         [--forecast] [--plain] [--jobs n] [--together n] [--quick] [--no-shrink] [--times] [spec...]
  --seeds a-b       runs these seeds of the generator (default 1-5)
  --operations a-b  runs only the graphs with a number of operations in this range. (The spec of a language model lists
                    no operations, so it is counted as 0.)
  --set FILE        runs the seeds that the file lists. `#` begins a comment. A word at the start of a line changes how
                    its seeds are run: `three:` in the forms on, off and one; `timing:` with --form timed --timing;
                    `depths:` with --depths; `plain:` with --form seed --plain
  --form NAME       how the specs are built:
                      as-is    as they are
                      on       with all optional design keys
                      off      with none of them
                      one      with all except one, which the seed chooses
                      spatial  like on, with one engine for every product
                      slots    with `slots`, in two of three seeds with `drafts`, and in five of six with `logprobs`;
                               like on if it cannot have slots
                      timed    like off, with `fifo: timed`
                      seed     in the form on, off, one, spatial or slots, which the seed chooses (default for seeds)
                      all      in the forms on, off, one and spatial; all values must be the same bits
  --timing          also simulates without jitter and with timed FIFO depths. The cycles are compared with the forecast,
                    and with those of a design whose FIFOs are twice as deep
  --depths          checks only the timed FIFO depths (docs/fifos.md), by the forecast, without RTL
  --forecast        also simulates the form `on` without jitter. The cycles must be those of the forecast, within
                    2 % plus 64 cycles
  --plain           also builds without the modules of tests/fuzz/precompiled; results and cycles must be equal
  --jobs n          runs n batches at the same time (default 1)
  --together n      compiles the models of at most n seeds as one executable (default 4)
  --quick           generates and packs, without a simulation
  --no-shrink       does not reduce a failing spec
  --times           prints where the CPU time of each seed went, in seconds
  spec              runs these files, in addition to the seeds of --set if that is given. `found` means every spec of
                    tests/fuzz/found, with --forecast and with --form on or the form that it names (`# form: as-is`)
A failing spec is reduced and kept in build/fuzz/failures. Its work folders are in build/fuzz/seed_N.FORM.
FUZZ_SHRINK is the time limit for reducing one spec, in seconds (default 600).
TEXT
    echo "$launch_help"
}

work=$root/build/fuzz
times=""

# Prints the seeds whose graphs have a number of operations in the given range.
of_size() { # least, most, seed...
    local seed count
    for seed in "${@:3}"; do
        count=$("$lib/graph_seed" "$seed" | grep -c '{op:')
        if [ "$count" -ge "$1" ] && [ "$count" -le "$2" ]; then echo "$seed"; fi
    done
}

# Prints the stage and the message of a failure without names and numbers. Failures with equal texts count as having the
# same cause.
signature() {
    local said
    said=$(reason | head -n 1 | sed -E 's/`[^`]*`/_/g; s/^[^ ]*\.(yaml|v|sv):[0-9:]*//
        s/[[:alnum:]_./-]*[0-9][[:alnum:]_./-]*/N/g' | cut -c1-60)
    echo "$stage: $said"
}

# Shrinks a failing spec greedily: removes halves of its steps, then quarters, and so on to single steps, and keeps each
# removal after which the spec still fails in the same way.
shrink() { # seed, signature
    local seed=$1 want=$2 dir=$work/shrink_$1 count size at limit=$((SECONDS + ${FUZZ_SHRINK:-600})) kept=() trial
    local best=$work/failures/seed_$seed.yaml
    count=$("$lib/graph_seed" --count "$seed")
    for ((size = (count + 1) / 2; size >= 1; size /= 2)); do
        for ((at = 0; at < count && SECONDS < limit; at += size)); do
            # shellcheck disable=SC2046 # one word per number
            trial=(${kept[@]+"${kept[@]}"} $(seq $at $((at + size - 1))))
            "$lib/graph_seed" "$seed" "${trial[@]}" >"$dir.yaml"
            cmp -s "$dir.yaml" "$best" && continue
            if ! run_forms "$dir.yaml" "$dir" "$seed" && [ "$(signature)" = "$want" ]; then
                kept=("${trial[@]}")
                mv "$dir.yaml" "$best"
            fi
        done
    done
    rm -rf "$dir" "$dir".*
}

# Prints the options with which a job runs.
run_how() {
    [ ${#forms[@]} = 0 ] || printf ' --form %s' "${forms[@]}"
    [ $timing = 0 ] || echo -n " --timing"
    [ $depths = 0 ] || echo -n " --depths"
    [ $with_forecast = 0 ] || echo -n " --forecast"
    [ $also_plain = 0 ] || echo -n " --plain"
}

# Keeps a failing spec and its log in build/fuzz/failures, shrinks a spec that a seed made, and reports the failure.
save_failure() { # spec, name
    local spec=$1 name=$2 why want
    why="${form:+$form: }$stage: $(reason | head -n 1)" want=$(signature)
    mkdir -p "$work/failures"
    cp "$spec" "$work/failures/$name.yaml"
    cp "$log" "$work/failures/$name.log"
    if [[ $name == seed_* ]] && [ $shrunk = 1 ]; then shrink "${name#seed_}" "$want"; fi
    local again
    again="tests/fuzz/run.sh --no-shrink$(run_how) "
    again+=$([[ $name == seed_* ]] && echo "--seeds ${name#seed_}" || echo "build/fuzz/failures/$name.yaml")
    fail "${name//_/ }" "$why (build/fuzz/failures/$name.yaml; tests/fuzz/run.sh build/fuzz/failures/$name.yaml)"
}

# ---- jobs: a seed or a spec, then `+` and how it is run ----

# Prints the word after `+`, or nothing.
job_kind() {
    case $1 in
        *+timing | *+three | *+forecast | *+plain | *+depths) echo "${1##*+}" ;;
    esac
}

job_dir() { # prefix of all files that the job makes
    local kind what
    kind=$(job_kind "$1") what=$(basename "${1%"${kind:++$kind}"}" .yaml)
    [[ ! $what =~ ^[0-9]+$ ]] || what=seed_$what
    echo "$work/$what${kind:+-$kind}"
}

# Runs a job up to its models, in a subshell. If there is more to do, leaves a file from which `end_job` continues.
begin_job() {
    local name spec dir seed=0 kind names models
    local -A same
    kind=$(job_kind "$1") dir=$(job_dir "$1") spec=${1%"${kind:++$kind}"} name=$(basename "$spec" .yaml)
    case $kind in
        timing) timing=1 forms=(timed) ;;
        three) [ ${#forms[@]} != 0 ] || forms=(on off one) ;;
        forecast)
            [ ${#forms[@]} != 0 ] || forms=("$(sed -n 's/^# form: //p' "$spec" | grep . || echo on)")
            with_forecast=1
            ;;
        plain) also_plain=1 forms=(seed) ;;
        depths) depths=1 ;;
    esac
    if [[ $spec =~ ^[0-9]+$ ]]; then
        seed=$spec spec=$dir.yaml name=seed_$seed
        "$lib/graph_seed" "$seed" >"$spec" || { fail "seed $seed" "no spec"; return 1; }
    fi
    if [ $depths = 1 ]; then
        if check_depths "$spec" "$dir" "$seed"; then
            ok "${name//_/ }: $said;$times"
        else
            save_failure "$spec" "$name"
        fi
        return 1
    fi
    prepare_forms "$spec" "$dir" "$seed" || { save_failure "$spec" "$name"; return 1; }
    declare -p name spec dir seed names models same times log forms timing with_forecast also_plain >"$dir.begun"
}

# Finishes a job in a subshell, from its models to its verdict. Compiles the models unless they were compiled with those
# of other jobs.
end_job() { # folder, seconds of compiling
    local what
    # shellcheck disable=SC1090 # written by begin_job
    source "$1.begun"
    times+=${2:+ compile $2}
    if { [ -n "$2" ] || compile_forms; } && simulate_forms "$spec" "$dir" "$seed"; then
        what="$done_forms, $(grep -c '{op:' "$spec") operations, $compared values"
        [ -z "$said" ] || what+="; $said"
        [ $clock = 0 ] || what+=";$times"
        ok "${name//_/ }: $what"
        rm -rf "$dir" "$dir".*
    else
        save_failure "$spec" "$name"
    fi
}

# Compiles the models of several jobs to one executable. Prints the processor time for each job, or nothing if a model
# does not compile.
compile_jobs() { # folder...
    local dir times="" log=$1.together.log all=()
    for dir in "$@"; do
        # shellcheck disable=SC1090,SC2154 # written by begin_job
        mapfile -t -O ${#all[@]} all < <(source "$dir.begun" && printf '%s\n' "${models[@]}")
    done
    step compile compile "${all[@]}" && awk -v s="${times##* }" -v n=$# 'BEGIN { printf "%.2f", s / n }'
}

run_batch() { # jobs that one process runs
    local job dir dirs=() share=""
    for job in "$@"; do (begin_job "$job") && dirs+=("$(job_dir "$job")"); done
    if [ ${#dirs[@]} -gt 1 ] && [ $quick = 0 ]; then share=$(compile_jobs "${dirs[@]}"); fi
    for dir in ${dirs[@]+"${dirs[@]}"}; do (end_job "$dir" "$share"); done
}

first=1 last=5 jobs=${job_count:-1} quick=0 shrunk=1 timing=0 depths=0 with_forecast=0 plain=0 also_plain=0 clock=0 \
    specs=() options=() \
    forms=() mine=() sizes="" together=4
while [ $# -gt 0 ]; do
    case $1 in
        --seeds) first=${2%%-*} last=${2##*-} && shift ;;
        --operations) sizes=$2 && shift ;;
        --set) mapfile -t -O ${#specs[@]} specs < <(sed -e 's/#.*//' \
            -e '/timing:/s/[0-9]\+/&+timing/g' -e '/plain:/s/[0-9]\+/&+plain/g' -e '/depths:/s/[0-9]\+/&+depths/g' \
            -e '/three:/s/[0-9]\+/&+three/g' "$2" | grep -oE '[0-9]+(\+[a-z]+)?') && shift ;;
        --form) forms+=("$2") && options+=("$1" "$2") && shift ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --forecast) with_forecast=1 && options+=("$1") ;;
        --depths) depths=1 && options+=("$1") ;;
        --plain) also_plain=1 && options+=("$1") ;;
        --quick) quick=1 && options+=("$1") ;;
        --timing) timing=1 && options+=("$1") ;;
        --no-shrink) shrunk=0 && options+=("$1") ;;
        --times) clock=1 && options+=("$1") ;;
        --together) together=$2 && shift ;;
        --run) mine=("${@:2}") && break ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        found) for spec in "$root"/tests/fuzz/found/*.yaml; do specs+=("$spec+forecast"); done ;;
        *) specs+=("$(realpath "$1")") ;;
    esac
    shift
done
for form in ${forms[@]+"${forms[@]}"}; do
    [[ " as-is on off one spatial slots timed seed all " == *" $form "* ]] || { usage >&2; exit 2; }
done
if [ ${#mine[@]} != 0 ]; then
    run_batch "${mine[@]}"
    exit 0
fi
if ! make_shared; then
    fail "fuzz" "the generator or the shared objects do not build"
    verdict
    exit 1
fi
[ ${#specs[@]} != 0 ] || mapfile -t specs < <(seq "$first" "$last")
[ -z "$sizes" ] || mapfile -t specs < <(of_size "${sizes%%-*}" "${sizes##*-}" "${specs[@]}")
share=$(((${#specs[@]} + jobs - 1) / jobs))
batch=$((share < together ? share : together))
for ((at = 0; at < ${#specs[@]}; at += batch)); do
    mine=("${specs[@]:at:batch}")
    add_job ${#mine[@]} "${BASH_SOURCE[0]}" ${options[@]+"${options[@]}"} --run "${mine[@]}"
done
run_jobs "$jobs"
verdict
