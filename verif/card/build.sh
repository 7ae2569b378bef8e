#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a simulated card of a package, PACKAGE/sim/card/card, and the substitute for XRT's library,
# OUT/libxrt_coreutil.so.2. For a package with a second clock, the card has models of the vendor's multipliers and MMCM.
# usage: build.sh PACKAGE OUT [JOBS [large]]
# JOBS: parallel compilers (default 2). large: many files, compiled for small code, as verif/harness/build.sh builds
# large designs. That script explains the options for Verilator and make.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
package=$1 out=$2 jobs=${3:-2} size=${4:-small}
mkdir -p "$out"
${CXX:-g++} -std=c++17 -O1 -Wall -Wextra -Werror -fPIC -shared -I"$root" -isystem /usr/include/xrt "$here/xrt.cpp" \
    -o "$out/libxrt_coreutil.so.2" \
    -Wl,-soname,libxrt_coreutil.so.2 -luuid -pthread
cd "$package"
rm -rf sim/card
mkdir -p sim/card
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I"$root" -c "$here/card.c" -o sim/card/simulated.o
# The top module has a pin `oscillator` if the design has a second clock.
cells=() flags=
if grep -q oscillator sim/rill_sim_top.sv; then
    cells=(-DRILL_VENDOR_CELLS "$here/cells/MMCME4_BASE.v" "$root"/verif/model/{BUFG,DSP48E2}.v) flags=-DRILL_OSCILLATOR
fi
# A small design is compiled as one file, so that the headers are read once. The card has no probes, so it runs several
# times as fast as the simulation of `rill sim`.
split=() together=(VM_PARALLEL_BUILDS=0) fast="-O1 -march=native"
if [ "$size" = large ]; then
    split=(--output-split 40000 --output-split-cfuncs 4000 -CFLAGS -ffunction-sections -LDFLAGS -fuse-ld=gold
        -LDFLAGS -Wl,--icf=safe)
    together=() fast="-Os -march=native -include $root/verif/harness/wide_copies.h"
fi
verilator --cc --exe --x-assign fast --x-initial fast --expand-limit 12 --top-module rill_sim_top \
    --prefix Vrill_sim_top --Mdir sim/card \
    -Wno-fatal -Wno-lint -Wno-style -Wno-SYMRSVDWORD --assert -DRILL_ASSERT -DRILL_FAST_SIM -DRILL_NO_PROBES \
    -CFLAGS "-I$root $flags" ${split[@]+"${split[@]}"} ${cells[@]+"${cells[@]}"} \
    -LDFLAGS "simulated.o $root/build/librill.a -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm" \
    "$root/verif/harness/share.vlt" \
    -f filelist.f sim/rill_sim_top.sv "$root"/verif/model/*.sv "$root/verif/harness/main.cpp" -o card
[ "$size" != large ] || "$root/verif/harness/join_slow.sh" sim/card
make -s -j "$jobs" -C sim/card -f Vrill_sim_top.mk CXX=clang++ LINK=clang++ ${together[@]+"${together[@]}"} \
    OPT_FAST="$fast" OPT_SLOW=-O0 OPT_GLOBAL=-O1
