# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests that simulate many designs (tests/fuzz, tests/e2e): builds a simulation in seconds, from parts
# that are compiled once for all designs and from the design's own files.
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with verdict.sh and the scripts that source this

lib=$root/build/fuzz/lib # parts that all designs share
sim_folder=build # folder of the model below the design's sim/
plain=0          # 1: without the modules of tests/fuzz/precompiled
optimized=0      # 1: compiled with -O1, for simulations that take minutes

# ---- what all designs share ----

verilator_root() { cat "$lib/verilator_root"; }

# Runs verilator_bin instead of the command `verilator`, which is a script whose start takes as long as reading a small
# design. Uses a faster allocator if the machine has one.
run_verilator() ( # arguments of verilator
    ulimit -s unlimited 2>/dev/null
    VERILATOR_ROOT=$(verilator_root) LD_PRELOAD=$(cat "$lib/allocator") exec timeout 600 verilator_bin "$@"
)

# Prints the compiler flags for all C++ files. They set the macros that Verilator's own makefile would set.
cpp_flags() { # folder of headers that go before Verilator's
    local include
    include=$(verilator_root)/include
    echo "${1:+-I$1} -I$include -I$include/vltstd -I$root -DVM_COVERAGE=0 -DVM_SC=0" \
        "-DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0 -faligned-new -w"
}

# Builds what all designs share: the runtime as objects, precompiled headers, and the fp32 units. One process builds
# them while the others wait.
make_runtime() {
    mkdir -p "$lib" || return
    (
        flock 9 && make_parts 9>&-
    ) 9>"$lib/lock"
}

# Makes every shared part that is missing or older than its sources. Only one process at a time may run it.
make_parts() {
    local name include
    # Files are written under another name and then renamed, because other processes may be reading the existing ones.
    verilator --getenv VERILATOR_ROOT >"$lib/new" && mv "$lib/new" "$lib/verilator_root" || return
    find /usr/lib /usr/local/lib -name libtcmalloc_minimal.so.4 2>/dev/null | head -n 1 >"$lib/new"
    mv "$lib/new" "$lib/allocator" || return
    include=$(verilator_root)/include
    if [ ! -e "$lib/precompiled.pch" ] || [ ! "$lib/headers.pch" -nt "$include/verilated.h" ] ||
        [ ! "$lib/headers.pch" -nt "$root/tests/fuzz/outline.awk" ]; then
        make_headers "$include" || return
    fi
    for name in verilated verilated_dpi verilated_threads; do
        [ "$lib/$name.o" -nt "$include/$name.cpp" ] && continue
        # The runtime is compiled with g++, because the code of clang++ would need libatomic.
        # shellcheck disable=SC2046 # flags are words
        g++ $(cpp_flags) -O1 -c -o "$lib/$name.new" "$include/$name.cpp" || return
        mv "$lib/$name.new" "$lib/$name.o" || return
    done
    make_precompiled
}

# Precompiles Verilator's headers. As unoptimized inline functions, Verilator's functions for wide values would take
# half the time of a simulation. So headers.pch, for files compiled with -O0, only declares them, and functions.o has
# them optimized. precompiled.pch, for files compiled with -O1, has the original headers.
make_headers() { # Verilator's include folder
    local outline=$root/tests/fuzz/outline.awk
    rm -rf "$lib/headers" "$lib/bodies"
    mkdir -p "$lib/headers" "$lib/bodies"
    cp "$1"/verilated*.h "$lib/headers" && cp "$1"/verilated*.h "$lib/bodies" || return
    awk -f "$outline" "$1/verilated_funcs.h" >"$lib/headers/verilated_funcs.h" || return
    awk -v bodies=1 -f "$outline" "$1/verilated_funcs.h" >"$lib/bodies/verilated_funcs.h" || return
    # The conversions of wide values are inlined even with -O0, because every access uses them.
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
    clang++ $(cpp_flags) -O1 -x c++-header -o "$lib/precompiled.pch" "$lib/headers.h" || return
    # shellcheck disable=SC2046 # flags are words
    clang++ $(cpp_flags "$lib/headers") -O0 -x c++-header -o "$lib/headers.pch" "$lib/headers.h"
}

# Builds the models of tests/fuzz/precompiled, one for each top module of parts.sv, if one of their sources is newer
# than the library of models or the library is missing.
make_precompiled() {
    local precompiled=$root/tests/fuzz/precompiled name
    local wide templates=$root/rtl-templates objects=$lib/precompiled
    [ -z "$(find "$precompiled" "$templates"/{arith,stream,kernel} \
        "$templates"/engine/rill_{matrix,lane,pair,row,term}_* "$root/verif/model" -newer "$objects.a" 2>&1)" ] &&
        return
    mkdir -p "$objects"
    rm -f "$objects.a"
    # proxies.sv replaces rill_fifo. For shapes without a precompiled model it uses the template, renamed to
    # rill_fifo_own.
    sed 's/^module rill_fifo /module rill_fifo_own /' "$templates/stream/rill_fifo.v" >"$lib/rill_fifo_own.v"
    # `wide` is 1 if the model also has the ports `moves` and `state` (proxies.cpp).
    for name in $(sed -nE 's/^module rill_part_([a-z_0-9]*) .*/\1/p; s/^`RILL_FROM\((.*)\)/from_\1/p
        s/^`RILL_FIXED\((.*), (.*)\)/fixed_\1_\2/p
        s/^`RILL_FIFO\((.*), (.*),.*/fifo_\1_\2/p
        s/^`RILL_(MATRIX|PAIR|MEMORY)\((.*)\)/\L\1_\2/p' "$precompiled/parts.sv"); do
        wide=0
        [[ ! $name =~ ^(fifo|matrix|pair|memory)_ ]] || wide=1
        run_verilator --cc -O3 --x-assign fast --x-initial fast --top-module "rill_part_$name" \
            --prefix "Vrill_part_$name" --Mdir "$objects/$name" \
            --assert -DRILL_ASSERT -DRILL_FAST_SIM -Wno-fatal "$precompiled/parts.sv" \
            -y "$templates/arith" -y "$templates/stream" \
            -y "$templates/kernel" \
            -y "$templates/engine" -y "$templates/kv" \
            -y "$root/verif/model" >"$objects/$name.log" 2>&1 || { cat "$objects/$name.log" && return 1; }
        cat "$objects/$name"/*.cpp "$precompiled/proxies.cpp" >"$objects/$name/all.cc"
        # shellcheck disable=SC2046 # flags are words
        clang++ $(cpp_flags) "-DUNIT=$name" -DWIDE=$wide -I"$objects/$name" -include-pch "$objects.pch" -O1 -c \
            -o "$objects/$name.o" "$objects/$name/all.cc" || return
    done
    # shellcheck disable=SC2046 # flags are words
    clang++ $(cpp_flags) -O1 -c -o "$objects/probes.o" "$precompiled/probes.cpp" || return
    ar rcs "$objects.a" "$objects"/*.o
}

# ---- one design ----

# Lists Verilator's arguments for the design in the current folder: its Verilog files or, if `plain` is 0, proxies that
# call the precompiled models in place of the templates.
design_files() {
    local precompiled=$root/tests/fuzz/precompiled harness=$root/verif/harness
    echo "$precompiled/memory.sv"
    if [ $plain = 1 ]; then cat filelist.f && echo "$harness/rill_probe.sv $harness/rill_fifo_probe.sv"
    else
        # The precompiled matrix lanes do not cover these values of parameters (proxies.sv).
        ! grep -Eq '\.(EARLY|SUMS_CHAIN|ACC_W)\(|\.(ASYM\(1|TURN_TOKENS\(4|PUMP\(2)\)|parameter X_BITS = 10\b' \
            rtl/*_shared.v ||
            echo +define+RILL_OWN_MATRIX
        echo "$precompiled/proxies.sv $precompiled/probes.sv $lib/rill_fifo_own.v -y rtl rtl/rill_top.v"
        grep -v '^rtl/rill_' filelist.f # custom kernels
    fi
}

# Runs Verilator as `rill sim --quick-build` does, but names the model after the folder, because an executable may
# contain several models. -Wall is on, because a generated design has no warnings (verif/lint/emitted.vlt).
verilate() { # folder
    cd "$1" || return
    rm -rf "sim/$sim_folder" && mkdir -p "sim/$sim_folder"
    design_files >"sim/$sim_folder/design.f"
    run_verilator --cc -fno-expand --x-assign fast --x-initial fast --top-module rill_sim_top \
        --prefix "V$(model_name "$1")" --Mdir "sim/$sim_folder" -Wall \
        --assert -DRILL_ASSERT -DRILL_FAST_SIM "$root/verif/lint/emitted.vlt" "$root/tests/fuzz/harness.vlt" \
        "$root/verif/harness/state.vlt" \
        -f "sim/$sim_folder/design.f" sim/rill_sim_top.sv "$root/verif/model/rill_assert.sv" \
        "$root/verif/harness/rill_contract_probe.sv"
}

# Prints the name of the model of a design, which is the folder's name as an identifier of C++.
model_name() { basename "$1" | tr -c 'a-zA-Z0-9\n' _; }

# A model is placed in memory that is already zero, so the code that clears each variable is not needed. This saves its
# compilation (see program).
zeroed_memory='void *operator new(std::size_t size) { return calloc(1, size); }
void *operator new(std::size_t size, std::align_val_t align) {
    const std::size_t whole = (size + std::size_t(align) - 1) / std::size_t(align) * std::size_t(align);
    return memset(aligned_alloc(std::size_t(align), whole), 0, whole);
}'

# Prints one C++ file with several models, each with its own copy of main.cpp. At run time the environment variable
# RILL_MODEL selects the model by name; the default is the first.
program() { # folders
    local folder name
    echo "$zeroed_memory"
    for folder in "$@"; do
        for name in "$folder/sim/$sim_folder/V"*.cpp; do [[ $name == *Slow.cpp ]] || echo "#include \"$name\""; done
        # Functions in *Slow.cpp run once, so they are not optimized. Those that clear variables become empty.
        echo '#pragma clang optimize off'
        awk 'FNR == 1 || /^(VL_|#)/ { zeros = 0 }
            /^VL_ATTR_COLD void .*___ctor_var_reset\(.*\) \{$/ { zeros = 1; print $0 "}" }
            !zeros' "$folder/sim/$sim_folder/V"*Slow.cpp
        echo '#pragma clang optimize on'
    done
    # main.cpp's headers are included once before the namespaces, because their names must not be in a namespace.
    grep -E '^#include "' "$root/verif/harness/main.cpp" | grep -vE 'Vrill_sim_top|verilated'
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
    echo "    if (!name) name = \"$(model_name "$1")\";"
    for folder in "$@"; do
        name=$(model_name "$folder")
        echo "    if (!strcmp(name, \"$name\")) return $name::run(argc, argv);"
    done
    echo '    return 2;
}'
}

# Compiles the models of all folders as one file. The file is not optimized if `optimized` is 0, because most designs
# are simulated in less time than optimizing takes. Verilator's functions for wide values then come from a separate
# object (make_headers).
compile() { # folders of designs; all get the same executable sim/$sim_folder/Vrill
    cd "$1/sim/$sim_folder" || return
    local folder flags
    rm -f Vrill # not overwritten, because other processes may run it through the links of other folders
    program "$@" >all.cc
    : >Vrill_sim_top.h # main.cpp includes a header of this name; the models have their own
    flags="$(cpp_flags "$lib/headers") -include-pch $lib/headers.pch -O0"
    [ $optimized = 0 ] || flags="$(cpp_flags) -include-pch $lib/precompiled.pch -O1"
    # shellcheck disable=SC2046,SC2086 # flags are words
    LD_PRELOAD=$(cat "$lib/allocator") timeout 900 clang++ $(printf -- "-I%s/sim/$sim_folder " "$@") \
        $flags -fuse-ld=gold -o Vrill all.cc "$lib"/*.o "$lib/precompiled.a" \
        "$root/build/librill.a" \
        -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm -lpthread ${RILL_GCOV:+-lgcov} || return
    for folder in "${@:2}"; do ln -f Vrill "$folder/sim/$sim_folder/Vrill" || return; done
}
