# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: the stages of one spec, from check to simulation.
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with run.sh and verdict.sh

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

# With every warning of -Wall on the design: an emitted design has none (verif/lint/emitted.vlt).
verilate() { # folder: as `rill sim --quick-build` does
    cd "$1" && timeout 600 verilator --cc --exe --x-assign fast --x-initial fast --top-module rill_sim_top --prefix $top --Mdir sim/build -Wall \
        --assert -DRILL_PROBES -DRILL_ASSERT "$root/verif/lint/emitted.vlt" "$root/tests/fuzz/harness.vlt" -f filelist.f sim/rill_sim_top.sv \
        "$root"/verif/model/*.sv "$root"/verif/harness/*.sv "$root/verif/harness/main.cpp"
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

simulate() { # folder, seed of the memory's jitter, further options
    local status=0
    timeout 600 "$1/sim/build/Vrill" --dir "$1" "${requests[@]}" --seed "$2" --timeout 4000000 --json "$1.json" --quiet "${@:3}" </dev/null || status=$?
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
