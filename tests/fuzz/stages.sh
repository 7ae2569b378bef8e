# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: the stages of one spec, from gen to simulation.
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with run.sh and verdict.sh

# ---- what all designs share ----

verilator_root() { cat "$lib/verilator_root"; }

# The program behind the command `verilator`, a script that takes as long to start as a small design to be read; with the faster allocator
# where the machine has one.
run_verilator() ( # arguments of verilator
    ulimit -s unlimited 2>/dev/null
    VERILATOR_ROOT=$(verilator_root) LD_PRELOAD=$(cat "$lib/allocator") exec timeout 600 verilator_bin "$@"
)

# Flags of every C++ file; the Verilated files come from `verilator --cc`.
cpp_flags() { # folder of headers that go before Verilator's
    local include
    include=$(verilator_root)/include
    echo "${1:+-I$1} -I$include -I$include/vltstd -I$root/verif/harness -I$root/include -DVM_COVERAGE=0 -DVM_SC=0" \
        "-DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0 -faligned-new -w"
}

# Everything that a design's own file is compiled with comes from here: the runtime as objects, the headers read once, the fp32 units.
make_shared() {
    local name include
    mkdir -p "$lib" "$work/failures"
    ln -sfn "$root/tests/e2e/specs/kernels" "$work/kernels" # beside the specs that read them
    ln -sfn "$root/tests/e2e/specs/kernels" "$work/failures/kernels"
    make -C "$root" --no-print-directory build/rill >"$work/make.log" 2>&1 || return
    ${CC:-gcc} -std=c11 -Wall -Wextra -Werror -O1 -I"$root" -o "$lib/graph_seed" "$root"/tests/fuzz/graph_*.c || return
    [ $quick = 0 ] || return 0 # nothing is simulated
    verilator --getenv VERILATOR_ROOT >"$lib/verilator_root" || return
    find /usr/lib /usr/local/lib -name libtcmalloc_minimal.so.4 2>/dev/null | head -n 1 >"$lib/allocator"
    include=$(verilator_root)/include
    if [ ! "$lib/headers.pch" -nt "$include/verilated.h" ] || [ ! "$lib/headers.pch" -nt "$root/tests/fuzz/outline.awk" ]; then
        make_headers "$include" || return
    fi
    for name in verilated verilated_dpi verilated_threads; do
        [ "$lib/$name.o" -nt "$include/$name.cpp" ] && continue
        # shellcheck disable=SC2046 # flags are words
        g++ $(cpp_flags) -O1 -c -o "$lib/$name.o" "$include/$name.cpp" || return # what clang++ makes of it asks for libatomic
    done
    make_units
}

# Verilator's headers, read once. Its functions for wide values, which take half of an unoptimized simulation's time as inline functions, are
# declared in them and optimized in an object.
make_headers() { # Verilator's include folder
    local outline=$root/tests/fuzz/outline.awk
    rm -rf "$lib/headers" "$lib/bodies"
    mkdir -p "$lib/headers" "$lib/bodies"
    cp "$1"/verilated*.h "$lib/headers" && cp "$1"/verilated*.h "$lib/bodies" || return
    awk -f "$outline" "$1/verilated_funcs.h" >"$lib/headers/verilated_funcs.h" || return
    awk -v bodies=1 -f "$outline" "$1/verilated_funcs.h" >"$lib/bodies/verilated_funcs.h" || return
    sed -i 's/operator WData\(In\|Out\)P()/__attribute__((always_inline)) &/' "$lib/headers/verilated_types.h" || return
    echo '#include "verilated.h"' >"$lib/functions.cc"
    echo '#include "verilated.h"
#include "verilated_dpi.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>' >"$lib/headers.h"
    # shellcheck disable=SC2046 # flags are words
    clang++ $(cpp_flags "$lib/bodies") -O2 -c -o "$lib/functions.o" "$lib/functions.cc" || return
    # shellcheck disable=SC2046 # flags are words
    clang++ $(cpp_flags "$lib/headers") -O0 -x c++-header -o "$lib/headers.pch" "$lib/headers.h"
}

# The models of tests/fuzz/units, one for each top of parts.sv.
make_units() {
    local units=$root/tests/fuzz/units name
    local wide templates=$root/rtl-templates
    [ -z "$(find "$units" "$templates"/{arith,stream,kernel} "$root/verif/model" -newer "$lib/units.a" 2>&1)" ] && return
    mkdir -p "$lib/units"
    rm -f "$lib/units.a"
    sed 's/^module rill_fifo /module rill_fifo_own /' "$templates/stream/rill_fifo.v" >"$lib/rill_fifo_own.v"
    for name in $(sed -nE 's/^module rill_part_([a-z_0-9]*) .*/\1/p; s/^`RILL_FROM\((.*)\)/from_\1/p; s/^`RILL_FIXED\((.*),.*/fixed_\1/p
        s/^`RILL_FIFO\((.*), (.*),.*/fifo_\1_\2/p
        s/^`RILL_(MATRIX|PAIR|MEMORY)\((.*)\)/\L\1_\2/p' "$units/parts.sv"); do
        wide=0
        [[ ! $name =~ ^(fifo|matrix|pair|memory)_ ]] || wide=1
        run_verilator --cc -O3 --x-assign fast --x-initial fast --top-module "rill_part_$name" --prefix "Vrill_part_$name" --Mdir "$lib/units/$name" \
            --assert -DRILL_ASSERT -Wno-fatal "$units/parts.sv" -y "$templates/arith" -y "$templates/stream" -y "$templates/kernel" \
            -y "$root/verif/model" >"$lib/units/$name.log" 2>&1 || { cat "$lib/units/$name.log" && return 1; }
        cat "$lib/units/$name"/*.cpp "$units/units.cpp" >"$lib/units/$name/all.cc"
        # shellcheck disable=SC2046 # flags are words
        clang++ $(cpp_flags) "-DUNIT=$name" -DWIDE=$wide -I"$lib/units/$name" -O1 -c -o "$lib/units/$name.o" "$lib/units/$name/all.cc" || return
    done
    # shellcheck disable=SC2046 # flags are words
    clang++ $(cpp_flags) -O1 -c -o "$lib/units/probes.o" "$units/probes.cpp" || return
    ar rcs "$lib/units.a" "$lib/units"/*.o
}

# ---- one spec ----

# The files of the design in this folder: with the units that are compiled already (tests/fuzz/units), or with its own.
design_files() {
    local units=$root/tests/fuzz/units harness=$root/verif/harness
    echo "$units/memory.sv"
    if [ $plain = 1 ]; then cat filelist.f && echo "$harness/rill_probe.sv $harness/rill_fifo_probe.sv"
    else
        echo "$units/units.sv $units/probes.sv $lib/rill_fifo_own.v -y rtl rtl/rill_top.v"
        grep -v '^rtl/rill_' filelist.f # hand-written kernels
    fi
}

# With every warning of -Wall on the design: an emitted design has none (verif/lint/emitted.vlt). Operations on wide values stay calls.
verilate() { # folder: as `rill sim --quick-build` does, under a name of its own in any executable: its folder's
    cd "$1" || return
    rm -rf sim/build
    design_files >sim/filelist.f
    run_verilator --cc -fno-expand --x-assign fast --x-initial fast --top-module rill_sim_top --prefix "V$(model_name "$1")" --Mdir sim/build -Wall \
        --assert -DRILL_PROBES -DRILL_ASSERT "$root/verif/lint/emitted.vlt" "$root/tests/fuzz/harness.vlt" \
        -f sim/filelist.f sim/rill_sim_top.sv "$root/verif/model/rill_assert.sv" "$root/verif/harness/rill_contract_probe.sv"
}

model_name() { basename "$1" | tr -c 'a-zA-Z0-9\n' _; }

# Memory is zero when a model is made in it: its own code that sets each variable to zero need not be compiled.
zeroed_memory='void *operator new(std::size_t size) { return calloc(1, size); }
void *operator new(std::size_t size, std::align_val_t align) {
    const std::size_t whole = (size + std::size_t(align) - 1) / std::size_t(align) * std::size_t(align);
    return memset(aligned_alloc(std::size_t(align), whole), 0, whole);
}'

# Several models and the program around each of them as one file. The program that runs is named by RILL_MODEL.
program() { # folders
    local folder name
    echo "$zeroed_memory"
    for folder in "$@"; do
        for name in "$folder/sim/build/V"*.cpp; do [[ $name == *Slow.cpp ]] || echo "#include \"$name\""; done
        awk 'FNR == 1 || /^(VL_|#)/ { zeros = 0 }
            /^VL_ATTR_COLD void .*___ctor_var_reset\(.*\) \{$/ { zeros = 1; print $0 "}" }
            !zeros' "$folder/sim/build/V"*Slow.cpp
    done
    grep -E '^#include "' "$root/verif/harness/main.cpp" | grep -vE 'Vrill_sim_top|verilated' # once, outside the namespaces
    for folder in "$@"; do
        name=$(model_name "$folder")
        echo "namespace $name {
#define Vrill_sim_top V$name
#define main run
#include \"$root/verif/harness/main.cpp\"
#undef main
#undef Vrill_sim_top
}"
    done
    echo 'int main(int argc, char **argv) {
    const char *name = getenv("RILL_MODEL");'
    for folder in "$@"; do
        name=$(model_name "$folder")
        echo "    if (!strcmp(name, \"$name\")) return $name::run(argc, argv);"
    done
    echo '    return 2;
}'
}

# All as one file, without optimisation: a design this small is simulated sooner than it is optimised.
compile() { # folders of designs: one executable for all
    cd "$1/sim/build" || return
    local folder
    rm -f Vrill # others may have it under their names
    program "$@" >all.cc
    : >Vrill_sim_top.h # what main.cpp calls the model's header; it has been read
    # shellcheck disable=SC2046 # flags are words
    LD_PRELOAD=$(cat "$lib/allocator") timeout 900 clang++ $(printf -- '-I%s/sim/build ' "$@") $(cpp_flags "$lib/headers") \
        -include-pch "$lib/headers.pch" -O0 -fuse-ld=gold -o Vrill all.cc "$lib"/*.o "$lib/units.a" "$root/build/librill.a" \
        -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm -lpthread || return
    for folder in "${@:2}"; do ln -f Vrill "$folder/sim/build/Vrill" || return; done
}

key_of() { # spec, key, default
    local value
    value=$(sed -n "s/^  $2: *\([^ #]*\).*/\1/p" "$1" | head -n 1)
    echo "${value:-$3}"
}

vocabulary() { # spec; nothing: no language model
    grep -qE '^model:|^ +[A-Za-z0-9_]+: *\{shape: *\[1\]' "$1" || return 0
    sed -n 's/^  vocab: *\([0-9]*\).*/\1/p; s/.*{op: embed,.* rows: \([0-9]*\).*/\1/p' "$1" | head -n 1
}

some_ids() { # count, vocabulary
    awk -v n="$1" -v v="$2" 'BEGIN { x = 12345; for (i = 0; i < n; i++) { x = (x * 1103 + 12347) % 65521; printf "%s%d", i ? "," : "", x % v } }'
}

# A spec that says so has rows up to the end of its context.
to_end() { grep -q '^# requests: to the end of the context' "$1"; } # spec

# Fills `requests`: whole and partial steps, and the end of the context where that is near or the spec says so.
set_requests() { # spec
    local context positions vocab length
    context=$(key_of "$1" context 1024) positions=$(key_of "$1" T 1) vocab=$(vocabulary "$1")
    requests=()
    if to_end "$1" && [ -z "$vocab" ]; then
        requests=(--prompt rows --tokens "$context" --prompt rows --tokens "$((positions + 1))")
        return
    fi
    for length in $((positions + 1)) $((2 * positions + 1)) "$context"; do
        if [ "$length" -gt "$context" ] || { [ "$length" = "$context" ] && [ "$length" -gt 12 ]; }; then continue; fi
        if [ -n "$vocab" ]; then requests+=(--prompt-ids "$(some_ids "$length" "$vocab")" --tokens 3)
        else requests+=(--prompt rows --tokens "$length")
        fi
    done
}

golden_ids() { # spec
    local i
    for ((i = 0; i < ${#requests[@]}; i += 4)); do
        timeout 300 "$rill" golden "$1" --weights random:1 "${requests[@]:i:4}" --unchecked --ids || return
        echo
    done | grep .
}
json_ids() { sed -n 's/^      "token_ids": \[\(.*\)\],*$/\1/p' "$1" | tr -d ','; }

simulate() { # folder, seed of the memory's jitter, further options
    local status=0
    RILL_MODEL=$(model_name "$1") \
        timeout 600 "$1/sim/build/Vrill" --dir "$1" "${requests[@]}" --unchecked \
        --seed "$2" --timeout 4000000 --json "$1.json" --quiet "${@:3}" </dev/null || status=$?
    [ $status != 124 ] || echo "error: still running after 600 s"
    [ $status = 0 ] || return $status
    if ! grep -q '"match": true' "$1.json" || grep -q '"values_compared": 0,' "$1.json"; then
        echo "error: nothing compared, or no match"
        return 1
    fi
    oracle_compared "$1.json" "$1/oracle/spec.yaml" && streams_compared "$1.json" "$1/design.yaml"
}

# The design with its own fp32 units does the same, cycle by cycle.
same_plainly() { # folder, seed of the memory's jitter
    mv "$1.json" "$1.units.json"
    plain=1
    verilate "$1" && compile "$1" && simulate "$1" "$2" || return
    cmp "$1.json" "$1.units.json" || { echo "error: another result without the units of tests/fuzz/units" && return 1; }
}

same_ids() { # spec, folder
    golden_ids "$1" >"$2.golden" || return
    json_ids "$2.json" | diff - "$2.golden" >/dev/null || { echo "error: other ids than rill golden" && return 1; }
}

# Processor time of this shell and of all that it has waited for, in hundredths of a second: `spent`.
take_clock() {
    local fields
    read -r -a fields </proc/self/stat
    spent=$((fields[13] + fields[14] + fields[15] + fields[16]))
}

# One stage of a spec: its processor time, its name if it fails, its message in $log.
step() { # stage, command...
    local before status=0
    take_clock
    before=$spent stage=$1
    ("${@:2}") >"$log" 2>&1 </dev/null || status=$?
    [ $status != 124 ] || echo "error: stopped at its time limit" >>"$log"
    take_clock
    times+=" $1 $(printf '%d.%02d' $(((spent - before) / 100)) $(((spent - before) % 100)))"
    return $status
}
