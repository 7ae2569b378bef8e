#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reorders the machine code of a simulation with BOLT (Panchenko et al., CGO 2019): code that runs in a step of the
# design is placed together, and other code is placed apart. The speed of a simulation of a large design is limited by
# the fetching of its code.
# usage: tune.sh DIR [EXE]
#        DIR: the design, with a memory image. EXE: its simulation, linked with relocations (-Wl,-q). Without EXE, the
#        script only checks that llvm-bolt is installed and that DIR has a memory image.
set -e
design=$1 exe=${2:-}
bolt=$(readlink -f "$(command -v llvm-bolt-15 || command -v llvm-bolt || true)" || true)
[ -x "$bolt" ] || { echo "--tune needs llvm-bolt (Debian: bolt-15)"; exit 1; }
[ -d "$design/image" ] || { echo "--tune runs the design: it needs a memory image (rill pack)"; exit 1; }
[ -n "$exe" ] || exit 0
# After a failure, the executable is removed, so that an incomplete one cannot run.
trap 'status=$?; rm -f "$exe.profile" "$exe.counting" "$exe.tuned"; [ $status = 0 ] || rm -f "$exe"' EXIT

"$bolt" "$exe" -instrument -instrumentation-file="$exe.profile" -o "$exe.counting"
# RILL_PAGES=small: the simulation does not move its code to large pages (pages.h).
RILL_PAGES=small "$exe.counting" --dir "$design" --prompt-ids 0 --tokens 1 --ignore-eot --compare min --quiet
# Without -plt: llvm-bolt 15 would make calls of functions with target_clones (librill.a) go to other functions.
"$bolt" "$exe" -data="$exe.profile" -reorder-blocks=ext-tsp -reorder-functions=hfsort+ \
    -split-functions -split-all-cold -icf=1 -o "$exe.tuned"
mv "$exe.tuned" "$exe"
