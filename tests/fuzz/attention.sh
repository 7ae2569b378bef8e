#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that attention over inputs, norms, products and carried values does not deadlock before the end of the context.
# See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/fuzz/attention.sh [--every n] [--from n] [--rtl] [--jobs n] [variant...]
  --every n  only every n-th variant of the cross product (tests/fuzz/attention.py list; default 1)
  --from n   begins with variant n, counted from 0 (default 0)
  --rtl      builds and simulates the variants with jitter, and without jitter to compare them with the forecast. By
             default it runs a subset with every source, number of heads, size, binding and number of channels
  --jobs n   jobs that run at the same time (default 1)
  variant    only these variants: KEYS-HEADSxSIZE-cCHANNELS-tT-lLANES-BINDING-CONTEXT
Without --rtl, every step of a request that fills the context is forecast. No step may deadlock. Specs are in
build/fuzz/attention.
TEXT
    echo "$launch_help"
}

specs=$root/build/fuzz/attention
subset=(
    product-2x80-c6-t1-l8-spatial-200 product-1x128-c6-t1-l8-spatial-200 product-2x80-c5-t2-l8-spatial-130
    product-3x64-c8-t4-l16-spatial-130 product-3x96-c1-t4-l8-shared-130 product-1x256-c3-t2-l16-shared-130
    input-1x256-c3-t4-l8-shared-200 input-1x256-c1-t2-l8-shared-130 input-2x128-c2-t1-l16-shared-130
    input-2x160-c8-t4-l8-spatial-200 input-3x80-c7-t1-l8-spatial-130 input-1x64-c4-t2-l16-spatial-130
    norm-3x96-c2-t1-l8-shared-200 norm-3x96-c3-t4-l8-spatial-130 norm-2x128-c5-t2-l16-shared-130
    norm-1x160-c1-t4-l8-shared-200 norm-1x256-c4-t1-l16-spatial-130 carried-1x128-c3-t4-l8-shared-200
    carried-2x64-c2-t1-l8-shared-130 carried-3x80-c6-t2-l16-spatial-130 carried-1x256-c8-t2-l8-shared-130
    mixed-2x96-c4-t1-l8-spatial-130 mixed-3x64-c1-t2-l8-shared-200 mixed-1x256-c7-t4-l16-shared-130
)

# Forecasts a request that fills the context, and checks that every step of it was simulated.
forecast_whole() { # spec, context
    "$rill" forecast "$1" "$2:1" >"$log" 2>&1 || return
    grep -Eq "^([1-9][0-9]*) of \1 steps simulated" "$log" && return
    echo "error: not every step is simulated" >>"$log"
    return 1
}

forecast_each() { # variant...
    local name log=$specs/log.$BASHPID
    for name in "$@"; do
        if forecast_whole "$specs/$name.yaml" "${name##*-}"; then ok "$name"; else fail "$name" "$(reason)"; fi
    done
    rm -f "$log"
}

# Prints every n-th line, beginning at a given one.
some() { awk -v every="$1" -v from="$2" 'NR > from && (NR - 1 - from) % every == 0'; }

every=1 from=0 jobs=${job_count:-1} rtl=0 mine=() variants=()
while [ $# -gt 0 ]; do
    case $1 in
        --every) every=$2 && shift ;;
        --from) from=$2 && shift ;;
        --rtl) rtl=1 ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --forecast-share) mine=("${@:2}") && break ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) variants+=("$1") ;;
    esac
    shift
done
if [ ${#mine[@]} != 0 ]; then
    forecast_each "${mine[@]}"
    exit 0
fi
make -C "$root" --no-print-directory build/rill >/dev/null || exit
mkdir -p "$specs"
names_of_all() { if [ $rtl = 1 ]; then printf '%s\n' "${subset[@]}"; else "$root/tests/fuzz/attention.py" list; fi; }
if [ ${#variants[@]} = 0 ]; then
    set -o pipefail
    list=$(names_of_all | some "$every" "$from") || { fail "attention" "the list of variants breaks off" &&
        verdict; exit 1; }
    mapfile -t variants <<<"$list"
fi
"$root/tests/fuzz/attention.py" write "$specs" ${variants[@]+"${variants[@]}"} || exit
if [ $rtl = 1 ]; then
    cd "$specs" || exit
    exec "$root/tests/fuzz/run.sh" --form as-is --forecast --no-shrink --jobs "$jobs" "${variants[@]/%/.yaml}"
fi
for ((at = 0; at < ${#variants[@]}; at += 100)); do
    share=("${variants[@]:at:100}")
    add_job ${#share[@]} "${BASH_SOURCE[0]}" --forecast-share "${share[@]}"
done
run_jobs "$jobs"
verdict
