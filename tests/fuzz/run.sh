#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random legal specs from end to end: check, gen, lint, pack random weights, simulate with jitter against the golden model. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/fuzz/run.sh [--seeds a-b] [--jobs n] [--quick] [--no-shrink] [--times] [spec...]
  --seeds a-b  seeds of the generator (default 1-5)
  --jobs n     seeds side by side (default 1)
  --quick      without the simulation: check, gen, lint, pack
  --no-shrink  leave a failing spec as it is
  --times      where the time of each seed went, in seconds
  spec         these files instead of seeds, or `found`: every spec of tests/fuzz/found
A failing spec is kept, made smaller, in build/fuzz/failures, its work folder in build/fuzz/seed_N. LAUNCH is put before the command of
every seed (LAUNCH="srun -n1"). FUZZ_SHRINK is the time for making one spec smaller, in seconds (default 600).
TEXT
}

work=$root/build/fuzz
lib=$work/lib
top=Vrill_sim_top
times=""

# ---- what all designs share ----

verilator_root() { verilator --getenv VERILATOR_ROOT; }

# Flags of every C++ file; the Verilated files come from `verilator --cc`.
cpp_flags() {
    local include
    include=$(verilator_root)/include
    echo "-I$include -I$include/vltstd -I$root/verif/harness -I$root/include -DVM_COVERAGE=0 -DVM_SC=0" \
        "-DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0 -faligned-new -w"
}

make_shared() {
    local name include
    mkdir -p "$lib" "$work/failures"
    make -C "$root" --no-print-directory build/rill >"$work/make.log" 2>&1 || return
    ${CC:-gcc} -std=c11 -Wall -Wextra -Werror -O1 -o "$lib/graph_seed" "$root"/tests/fuzz/graph_*.c || return
    include=$(verilator_root)/include
    for name in verilated verilated_dpi verilated_threads; do
        [ "$lib/$name.o" -nt "$include/$name.cpp" ] && continue
        # shellcheck disable=SC2046 # flags are words
        g++ $(cpp_flags) -O1 -c -o "$lib/$name.o" "$include/$name.cpp" || return
    done
}

# ---- one spec ----


lint() { # folder
    (cd "$1" && timeout 300 verilator --lint-only -Wall --top-module rill_top "$root/verif/lint/emitted.vlt" -f filelist.f)
}

verilate() { # folder: as `rill sim` does, but into few files
    cd "$1" && timeout 600 verilator --cc --exe --x-assign fast --x-initial fast --top-module rill_sim_top --prefix $top --Mdir sim/build \
        -Wno-fatal -Wno-lint -Wno-style --assert -DRILL_PROBES -DRILL_ASSERT -f filelist.f sim/rill_sim_top.sv "$root"/verif/model/*.sv \
        "$root"/verif/harness/*.sv "$root/verif/harness/main.cpp"
}

compile() { # folder: all as one file, without optimisation: a design this small is simulated sooner than it is optimised
    cd "$1/sim/build" || return
    for file in $top*.cpp; do echo "#include \"$file\""; done >all.cc
    echo "#include \"$root/verif/harness/main.cpp\"" >>all.cc
    # shellcheck disable=SC2046 # flags are words
    timeout 900 clang++ -I. $(cpp_flags) -O0 -o Vrill all.cc "$lib"/*.o "$root/build/librill.a" -lyaml -ljansson -lpcre2-8 -lz -lglpk -lm -lpthread
}

key_of() { # spec, key, default
    local value
    value=$(sed -n "s/^  $2: *\([^ #]*\).*/\1/p" "$1" | head -n 1)
    echo "${value:-$3}"
}

vocabulary() { # spec; nothing: no language model
    sed -n 's/^  vocab: *\([0-9]*\).*/\1/p; s/.*{op: embed,.* rows: \([0-9]*\).*/\1/p' "$1" | head -n 1
}

some_ids() { # count, vocabulary
    awk -v n="$1" -v v="$2" 'BEGIN { x = 12345; for (i = 0; i < n; i++) { x = (x * 1103 + 12347) % 65521; printf "%s%d", i ? "," : "", x % v } }'
}

# Fills `requests`: whole and partial steps, and the end of the context where that is near.
set_requests() { # spec
    local context positions vocab length
    context=$(key_of "$1" context 1024) positions=$(key_of "$1" T 1) vocab=$(vocabulary "$1")
    requests=()
    for length in 1 $((2 * positions + 1)) $((positions + 2)) "$context"; do
        if [ "$length" -gt "$context" ] || { [ "$length" = "$context" ] && [ "$length" -gt 20 ]; }; then continue; fi
        if [ -n "$vocab" ]; then requests+=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens 3)
        else requests+=(--prompt rows --tokens "$length")
        fi
    done
}

golden_ids() { # spec
    local i
    for ((i = 0; i < ${#requests[@]}; i += 4)); do
        timeout 60 "$rill" golden "$1" --weights random:1 "${requests[@]:i:4}" --ids || return
        echo
    done | grep .
}
json_ids() { sed -n 's/^      "token_ids": \[\(.*\)\],*$/\1/p' "$1" | tr -d ','; }

simulate() { # folder, seed of the memory's jitter
    local status=0
    timeout 600 "$rill" sim "$1" "${requests[@]}" --seed "$2" --timeout 4000000 --json "$1.json" --quiet </dev/null || status=$?
    [ $status != 124 ] || echo "error: still running after 600 s"
    [ $status = 0 ] || return $status
    if ! grep -q '"match": true' "$1.json" || grep -q '"values_compared": 0,' "$1.json"; then
        echo "error: nothing compared, or no match"
        return 1
    fi
}

same_ids() { # spec, folder
    golden_ids "$1" >"$2.golden" || return
    json_ids "$2.json" | diff - "$2.golden" >/dev/null || { echo "error: other ids than rill golden" && return 1; }
}

# One stage of a spec: its time, its name if it fails, its message in $log.
step() { # stage, command...
    local before=$EPOCHREALTIME status=0
    stage=$1
    ("${@:2}") >"$log" 2>&1 </dev/null || status=$?
    times+=" $1 $(awk -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')"
    return $status
}

run_spec() { # spec, folder
    local spec=$1 dir=$2 jitter
    rm -rf "$dir" "$dir.json" "$dir.golden"
    set_requests "$spec"
    log=$dir.log times=""
    jitter=$(sed -n 's/^name: [^0-9]*\([0-9]\{1,6\}\)$/\1/p' "$spec")
    step check timeout 60 "$rill" check "$spec" || return
    step gen timeout 60 "$rill" gen "$spec" -o "$dir" || return
    step lint lint "$dir" || return
    step pack timeout 60 "$rill" pack "$spec" --weights random:1 -o "$dir" || return
    [ $quick = 0 ] || return 0
    step verilate verilate "$dir" || return
    step compile compile "$dir" || return
    step sim simulate "$dir" 0 || return
    step jitter simulate "$dir" "${jitter:-1}" || return
    [ -z "$(vocabulary "$spec")" ] || step golden same_ids "$spec" "$dir"
}

# What two failures have in common: stage and message without names and numbers.
signature() {
    echo "$stage: $(reason | head -n 1 | sed -E 's/`[^`]*`/_/g; s/^[^ ]*\.(yaml|v|sv):[0-9:]*//; s/[[:alnum:]_./-]*[0-9][[:alnum:]_./-]*/N/g' | cut -c1-60)"
}

# Greedy: halves of the steps, quarters, ..., single ones; each kept while the spec fails as before.
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
            if ! run_spec "$dir.yaml" "$dir" && [ "$(signature)" = "$want" ]; then
                kept=("${trial[@]}")
                mv "$dir.yaml" "$best"
            fi
        done
    done
    rm -rf "$dir" "$dir".*
}

save_failure() { # spec, name
    local spec=$1 name=$2 why want
    why="$stage: $(reason | head -n 1)" want=$(signature)
    mkdir -p "$work/failures"
    cp "$spec" "$work/failures/$name.yaml"
    cp "$log" "$work/failures/$name.log"
    if [[ $name == seed_* ]] && [ $shrunk = 1 ]; then shrink "${name#seed_}" "$want"; fi
    fail "${name/_/ }" "$why (build/fuzz/failures/$name.yaml; tests/fuzz/run.sh build/fuzz/failures/$name.yaml)"
}

one() { # seed or spec: the unit of parallel work
    local name spec dir what
    if [[ $1 =~ ^[0-9]+$ ]]; then
        name=seed_$1 spec=$work/seed_$1.yaml
        "$lib/graph_seed" "$1" >"$spec" || { fail "seed $1" "no spec" && return; }
    else
        spec=$1 name=$(basename "$1" .yaml)
    fi
    dir=$work/$name
    if run_spec "$spec" "$dir"; then
        what="$(grep -c '{op:' "$spec") operations, $(sed -n 's/.*"values_compared": \([0-9]*\).*/\1/p' "$dir.json" 2>/dev/null | head -n 1) values"
        [ $timing = 0 ] || what+=";$times"
        ok "${name/_/ }: $what"
        rm -rf "$dir" "$dir".*
    else
        save_failure "$spec" "$name"
    fi
}

first=1 last=5 jobs=1 quick=0 shrunk=1 timing=0 specs=() options=() single=""
while [ $# -gt 0 ]; do
    case $1 in
        --seeds) first=${2%%-*} last=${2##*-} && shift ;;
        --jobs) jobs=$2 && shift ;;
        --quick) quick=1 && options+=("$1") ;;
        --no-shrink) shrunk=0 && options+=("$1") ;;
        --times) timing=1 && options+=("$1") ;;
        --one) single=$2 && shift ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        found) specs+=("$root"/tests/fuzz/found/*.yaml) ;;
        *) specs+=("$(realpath "$1")") ;;
    esac
    shift
done
if [ -n "$single" ]; then
    one "$single"
    exit 0
fi
if ! make_shared; then
    fail "fuzz" "the generator or the shared objects do not build"
    verdict
    exit 1
fi
[ ${#specs[@]} != 0 ] || mapfile -t specs < <(seq "$first" "$last")
# shellcheck disable=SC2086 # LAUNCH is words
printf '%s\0' "${specs[@]}" | xargs -0 -n 1 -P "$jobs" ${LAUNCH:-} "${BASH_SOURCE[0]}" ${options[@]+"${options[@]}"} --one | tee "$work/results"
good=$(grep -c '^ok ' "$work/results") bad=$(grep -c '^FAIL' "$work/results")
verdict
