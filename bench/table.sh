#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares GPT-2 medium with published accelerators and with the same model on one engine per product. Every request is
# simulated cycle by cycle, compared with the replay, and forecast. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../tests/verdict.sh"

usage() {
    cat <<'TEXT'
usage: bench/table.sh [--spec SPEC] [--set KEY=VALUE]... [--requests "IN:OUT..."] [--twin "IN:OUT..."] [--seed N]
[--weights W] [--jobs N] [--threads N]
                      [--again] [--forecast] [--print]
  --spec SPEC     the design (default configs/gpt2-medium-u55c.yaml)
  --set K=V       another value of a key of its `design`, e.g. channels=8
  --requests R    ids in and out (default "32:32 64:64 128:128 256:256")
  --twin R        requests that SPEC-spatial.yaml, an engine for every product, takes too (default none: a cycle of it
                  takes as long, and it needs four times as many)
  --seed N        jitter of the memory model (default 1; 0: none)
  --weights W     weights (default random:1)
  --jobs N        compiler processes (default 2)
  --threads N     cores of a simulation (default 1)
  --again         simulate requests whose results are there already, too
  --forecast      no simulation: the table from the forecasts alone
  --print         no simulation: the table from the results that are there
Results: build/bench/NAME/IN-OUT.json, the table in build/bench/NAME/table.md and on standard output. Exit status 1 if a
check fails.
TEXT
}

spec=$root/configs/gpt2-medium-u55c.yaml requests="32:32 64:64 128:128 256:256" twin="" seed=1 weights=random:1 jobs=2 \
    threads=1 again=0 mode=all
values=() tune=()
# With BOLT, `rill sim --tune` rearranges the simulator after a first step, which makes it faster (docs/simulation.md).
if command -v llvm-bolt-15 llvm-bolt >/dev/null; then tune=(--tune); fi
while [ $# -gt 0 ]; do
    case $1 in
        --again) again=1 ;;
        --forecast) mode=forecast ;;
        --print) mode=print ;;
        --help | -h) usage; exit 0 ;;
        --set | --spec | --requests | --twin | --seed | --weights | --jobs | --threads)
            [ $# -gt 1 ] || { usage >&2; exit 2; }
            if [ "$1" = --set ]; then values+=("$2"); else printf -v "${1#--}" %s "$2"; fi
            shift
            ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

# Prints pseudo-random token ids of the whole vocabulary. They are the same on every run.
some_ids() { # count
    awk -v n="$1" -v v="$(sed -n 's/^  vocab: *\([0-9]*\).*/\1/p' "$spec" | head -n 1)" \
        'BEGIN {
            x = 12345
            for (i = 0; i < n; i++) { x = (x * 1103 + 12347) % 65521; printf "%s%d", i ? "," : "", (x * 31 + i) % v }
            print ""
        }'
}

# Generates the design and packs its image. If the existing design and weights are the same, keeps them with their
# simulation and results, because a simulation of this size takes long to build and run.
make_design() {
    local fresh=$dir/fresh
    rm -rf "$fresh"
    "$rill" gen "$spec" -o "$fresh" >"$log" 2>&1 || return
    if diff -rq -x image -x 'build*' -x 'tuned*' -x quick -x '*.log' -x '*.json' "$fresh" \
            "$dir/design" >/dev/null 2>&1; then
        rm -rf "$fresh"
        [ "$(cat "$dir/weights" 2>/dev/null)" = "$weights" ] && return
    else
        rm -rf "$dir/design" && mv "$fresh" "$dir/design" || return
    fi
    rm -f "$dir"/*-*.json "$dir/weights"
    "$rill" pack "$spec" --weights "$weights" -o "$dir/design" >"$log" 2>&1 && echo "$weights" >"$dir/weights"
}

# Simulates a request, unless its result exists and --again is not given.
run_request() { # IN:OUT
    local in=${1%:*} out=${1#*:} result start=$SECONDS
    result=$dir/$in-$out.json
    if [ $again = 0 ] && [ -s "$result" ]; then
        echo "$1: results are there" >&2
        return 0
    fi
    "$rill" sim "$dir/design" "${tune[@]}" --threads "$threads" --prompt-ids "$(some_ids "$in")" --tokens "$out" \
        --ignore-eot --seed "$seed" \
        --compare min --quiet --json "$result.new" >"$log" 2>&1 </dev/null || return
    mv "$result.new" "$result"
    echo "$1: simulated in $((SECONDS - start)) s" >&2
}

# Runs all requests of one design. Adds the label and the paths of result and forecast of each request to `rows`.
run_design() { # label, spec, requests
    local name request result
    spec=$2 name=$(spec_name "$2")
    if [ ${#values[@]} != 0 ]; then
        name=$(tr ' ' '-' <<<"$name ${values[*]}")
        mkdir -p "$root/build/bench/$name"
        variant "$2" "$root/build/bench/$name/spec.yaml" "${values[@]}"
        spec=$root/build/bench/$name/spec.yaml
    fi
    dir=$root/build/bench/$name log=$root/build/bench/$name/log
    mkdir -p "$dir"
    if [ $mode = all ]; then
        make_design && "$rill" sim "$dir/design" "${tune[@]}" --build-only --jobs "$jobs" \
            --threads "$threads" >"$log" 2>&1 ||
            { fail "$name" "$(reason)"; return; }
    fi
    for request in $3; do
        result=$dir/${request%:*}-${request#*:}
        if [ $mode = all ]; then run_request "$request" || { fail "$request" "$(reason)"; continue; }; fi
        "$rill" forecast "$spec" "$request" --json >"$result.forecast" 2>"$log" ||
            { fail "$request" "$(reason)"; continue; }
        if [ $mode = forecast ]; then
            rows+=("$1" - "$result.forecast")
        else
            rows+=("$1" "$result.json" "$result.forecast")
        fi
    done
}

rows=() base=$spec
run_design Rill "$base" "$requests"
table=$dir/table.md shown=$spec
[ -z "$twin" ] || run_design "Rill, spatial" "${base%.yaml}-spatial.yaml" "$twin"
python3 "$root/bench/table.py" "$shown" "$seed" ${rows[@]+"${rows[@]}"} >"$table"
status=$?
cat "$table"
[ $status = 0 ] && [ $bad = 0 ]
