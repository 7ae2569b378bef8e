#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the simulation of a design: `rill sim` runs it.
# usage: build.sh KIND DIR FOLDER THREADS JOBS [VERILATOR OPTION]...    the executable is DIR/FOLDER/Vrill
# THREADS: threads of the simulation. JOBS: parallel compilers
# KIND  plain: runs fast, and is built in minutes for a large design
#       tuned: runs faster, because its code is laid out by a profile of a step of the design (tune.sh)
#       quick: is built in seconds and runs several times slower, for small designs and few steps
set -e
kind=$1 dir=$2 folder=$3 threads=$4 jobs=$5
shift 5
root=$(cd -- "$(dirname -- "$0")/../.." && pwd -P)
cd -- "$dir"
[ "$kind" != tuned ] || "$root/verif/harness/tune.sh" .

# make does not accept a folder with spaces in its name, and the shells between make and the compiler do not accept `$`
# and quotes. For such a folder, the simulation is built in a temporary folder with a plain name, with a link to Rill.
is_plain() { case $1 in *[!A-Za-z0-9_./+,@-]*) return 1 ;; esac; }
work=$folder scratch=
if ! is_plain "$(pwd -P)" || ! is_plain "$root"; then
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/rill-sim-XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    is_plain "$(cd "$scratch" && pwd -P)" || {
        echo "error: make takes neither the name of $(pwd -P) nor that of TMPDIR, $scratch"
        exit 1
    }
    ln -s "$root" "$scratch/rill"
    root=$scratch/rill work=$scratch/build
fi

# A simulation of many lanes is limited by fetching its code. So modules with many instances are not inlined
# (share.vlt), and the linker, or llvm-bolt, joins equal functions that Verilator still writes once per instance.
# Vectors of more than 12 words are not split into words, and are copied with vector instructions (wide_copies.h).
apart="--output-split 40000 --output-split-cfuncs 4000 --expand-limit 12 -CFLAGS -ffunction-sections"
folded="-LDFLAGS -fuse-ld=gold -LDFLAGS -Wl,--icf=safe"
# With `-z now` the program binds all library functions at its start. llvm-bolt 15 sorts the table of these functions
# (.rela.plt), so binding at the first call would take a wrong function in programs with target_clones. librill.a has
# such functions.
movable="-LDFLAGS -Wl,-q -LDFLAGS -Wl,-z,now"
# clang++ compiles Verilator's C++ faster and makes smaller code. Without it, g++ is used, which Verilator depends on.
# bench/simulation.sh sets RILL_SIM_CXX (a compiler with its options), RILL_SIM_OPTIMIZE, RILL_SIM_VERILATOR (more
# options) and RILL_SIM_SHARE (another file instead of share.vlt).
compiler=${RILL_SIM_CXX:-$(command -v clang++ || command -v g++)}
run_make() { make "$@" CXX="$compiler" LINK="$compiler"; }
# The smallest code runs fastest and compiles fastest, hence -Os. OPT_SLOW is for code that runs only once.
optimized() {
    run_make "$@" OPT_FAST="${RILL_SIM_OPTIMIZE:--Os} -march=native -include verif/harness/wide_copies.h" \
        OPT_SLOW=-O0 OPT_GLOBAL=-O1
}
# Without optimization the compiler spends most time on headers. With all code in one file it reads them only once.
unoptimized() { run_make "$@" VM_PARALLEL_BUILDS=0 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0; }

case $kind in
    plain) options="$apart $folded" compile=optimized ;;
    tuned) options="$apart $movable" compile=optimized ;;
    quick) options="" compile=unoptimized ;;
esac
# For tests/coverage.sh. With RILL_COVERAGE, the simulation counts how often each line of Verilog runs and each bit
# changes. With RILL_GCOV, its C code counts its lines.
[ -z "${RILL_COVERAGE:-}" ] || options="$options --coverage-line --coverage-toggle"
options="$options ${RILL_SIM_VERILATOR:-}"
rm -rf "$folder" && mkdir -p "${folder%/*}"
# shellcheck disable=SC2086 # one word per option
verilator --cc --exe --threads "$threads" --x-assign fast --x-initial fast $options "$@" --top-module rill_sim_top \
    --prefix Vrill_sim_top \
    --Mdir "$work" -Wno-fatal -Wno-lint -Wno-style --assert -DRILL_ASSERT -DRILL_FAST_SIM \
    -CFLAGS "-DRILL_THREADS=$threads -I$root" \
    -LDFLAGS "$root/build/librill.a -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm${RILL_GCOV:+ -lgcov}" \
    "${RILL_SIM_SHARE:-$root/verif/harness/share.vlt}" "$root/verif/harness/state.vlt" \
    -f filelist.f sim/rill_sim_top.sv \
    "$root"/verif/model/*.sv "$root"/verif/harness/*.sv "$root/verif/harness/main.cpp" -o Vrill
[ "$kind" = quick ] || "$root/verif/harness/join_slow.sh" "$work"
# With `--hierarchical`, a makefile of another name also builds the blocks.
makefile=Vrill_sim_top.mk
[ ! -e "$work/Vrill_sim_top_hier.mk" ] || makefile=Vrill_sim_top_hier.mk
$compile -j "$jobs" -C "$work" -f "$makefile"
[ "$kind" != tuned ] || "$root/verif/harness/tune.sh" . "$work/Vrill"
[ -z "$scratch" ] || mv "$work" "$folder"
