#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lays the code of a simulation out anew: what a step of its own design runs through stands together, what it never runs
# stands apart (BOLT: Panchenko et al., CGO 2019). The code of a large design is bound by fetching itself.
# usage: tune.sh DIR [EXE]
#        DIR: the design, with a memory image; EXE: its simulation, linked with relocations (-Wl,-q). Without EXE: is
#        all there?
set -e
design=$1 exe=${2:-}
bolt=$(readlink -f "$(command -v llvm-bolt-15 || command -v llvm-bolt || true)" || true)
[ -x "$bolt" ] || { echo "--tune needs llvm-bolt (Debian: bolt-15)"; exit 1; }
[ -d "$design/image" ] || { echo "--tune runs the design: it needs a memory image (rill pack)"; exit 1; }
[ -n "$exe" ] || exit 0
# What is left of a failure is no simulation.
trap 'status=$?; rm -f "$exe.profile" "$exe.counting" "$exe.tuned"; [ $status = 0 ] || rm -f "$exe"' EXIT

"$bolt" "$exe" -instrument -instrumentation-file="$exe.profile" -o "$exe.counting"
RILL_PAGES=small "$exe.counting" --dir "$design" --prompt-ids 0 --tokens 1 --ignore-eot --compare min --quiet
"$bolt" "$exe" -data="$exe.profile" -reorder-blocks=ext-tsp -reorder-functions=hfsort+ \
    -split-functions -split-all-cold -icf=1 -plt=hot -o "$exe.tuned"
mv "$exe.tuned" "$exe"
