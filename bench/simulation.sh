#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures how fast differently built simulations of a design run (docs/simulation.md). See --help.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: bench/simulation.sh [--spec SPEC] [--tokens N] [--rounds N] [--base REVISION] [--verilator FOLDER] [BUILD...]
  --spec      the design (default configs/tinystories-gpt2-1m.yaml). Its weights are random
  --tokens N  generated tokens that a run is charged with (default 2)
  --rounds N  pairs of runs: plain, then the other build (default 3)
  --base R    also a plain build of this revision of git, with its own RTL
  --verilator FOLDER  for the build `newer`: folder with the program of another Verilator
  BUILD       is compared with the plain build of `rill sim`. tuned: `rill sim --tune`. threads: `rill sim --threads 2`.
              o2, o3: plain with -O2, -O3 instead of -Os. profile: plain, compiled a second time with clang's profile of
              a step. hierarchical: the engine's lane is a block that Verilator translates apart. unshared: without
              share.vlt, so that few instances share their code. newer: with another Verilator
A run takes one prompt token, and its time is the CPU time of 1 + N generated tokens less that of one. (For `threads` it
is the elapsed time.) All streams are compared. Every run must give the tokens and the hash of the first build. Prints a
row for each build: its median time, that of the plain runs right before it, and the median of the gains over these.
The class of these figures is measured. The machine must be quiet. For GPT-2 medium, each build takes several minutes.
TEXT
}

spec=configs/tinystories-gpt2-1m.yaml tokens=2 rounds=3 base="" newer="" builds=()
while [ $# -gt 0 ]; do
    case $1 in
        --spec) spec=$2 && shift ;;
        --tokens) tokens=$2 && shift ;;
        --rounds) rounds=$2 && shift ;;
        --base) base=$2 && shift ;;
        --verilator) newer=$2 && shift ;;
        tuned | threads | o2 | o3 | profile | hierarchical | unshared | newer) builds+=("$1") ;;
        --help | -h) usage && exit 0 ;;
        *) usage >&2 && exit 2 ;;
    esac
    shift
done
[ -z "$base" ] || builds+=(base)

work=$PWD/build/bench/simulation
make --no-print-directory build/rill
mkdir -p "$work"

# Writes a design and its image into $work/NAME with the program of a tree.
design() { # name, folder of the tree
    rm -rf "${work:?}/$1"
    (cd "$2" && build/rill gen "$spec" -o "$work/$1" && build/rill pack "$spec" --weights random:1 -o "$work/$1") \
        >"$work/$1.log" 2>&1 || { cat "$work/$1.log" && exit 1; }
}

# Runs `rill sim` on a build. The request is one prompt token.
simulate() { # build, generated tokens, options of rill sim...
    local build=$1 tree=$PWD options=()
    case $build in
        tuned) options=(--tune) ;;
        threads) options=(--threads 2) ;;
        base) tree=$work/tree ;;
    esac
    (cd "$tree" && build/rill sim "$work/$build" ${options[@]+"${options[@]}"} --prompt-ids 17 --tokens "$2" \
        --ignore-eot "${@:3}")
}

build() { # build
    echo "building $1" >&2
    if [ "$1" = base ]; then
        rm -rf "$work/tree" && git worktree prune && git worktree add --quiet --detach "$work/tree" "$base"
        make --no-print-directory -C "$work/tree" build/rill >"$work/base.make.log" 2>&1
        design base "$work/tree"
    else
        design "$1" .
    fi
    local profile=$work/profile.data
    case $1 in
        o2 | o3) RILL_SIM_OPTIMIZE=-${1^^} simulate "$1" 1 --build-only ;;
        profile)
            rm -rf "$profile" "$profile.raw"
            RILL_SIM_CXX="clang++ -fprofile-generate=$profile.raw" simulate profile 1 --build-only &&
                simulate profile 1 &&
                "$(command -v llvm-profdata || command -v llvm-profdata-14)" merge -o "$profile" "$profile.raw" &&
                rm -rf "$work/profile/sim/build" &&
                RILL_SIM_CXX="clang++ -fprofile-use=$profile -Wno-profile-instr-unprofiled" \
                    simulate profile 1 --build-only
            ;;
        hierarchical)
            printf '`verilator_config\nhier_block -module "rill_engine_lane"\n' >"$work/block.vlt"
            RILL_SIM_VERILATOR="--hierarchical $work/block.vlt" simulate "$1" 1 --build-only
            ;;
        unshared)
            echo '`verilator_config' >"$work/unshared.vlt"
            RILL_SIM_SHARE=$work/unshared.vlt simulate "$1" 1 --build-only
            ;;
        newer) # Its objects need more alignment than `new` gives before C++17. Its makefile gives precompiled headers
            # to the compiler in gcc's way, which clang does not understand. The sources include them anyway.
            MAKEFLAGS="VK_PCH_I_FAST= VK_PCH_I_SLOW=" PATH=$newer:$PATH RILL_SIM_CXX="clang++ -std=gnu++17" \
                RILL_SIM_VERILATOR="-LDFLAGS -latomic" simulate "$1" 1 --build-only
            ;;
        *) simulate "$1" 1 --build-only ;;
    esac >"$work/$1.log" 2>&1 || { tail -n 20 "$work/$1.log" && exit 1; }
}

# Prints the seconds that a build takes for a number of generated tokens, and checks its result.
seconds() { # build, generated tokens, kind of time
    local TIMEFORMAT=$3 json=$work/$1.$2.json
    { time simulate "$1" "$2" --json "$json" >"$work/$1.log" 2>&1; } 2>"$work/time" || { cat "$work/$1.log" && exit 1; }
    python3 bench/simulation.py check "$json" "$work/plain.$2.json"
    cat "$work/time"
}

# Runs the plain build and another one, and notes the seconds of both for one token and for more.
pair() { # build
    local kind=%U times=() name count
    [ "$1" != threads ] || kind=%R
    for name in plain "$1"; do
        for count in 1 $((1 + tokens)); do
            # An assignment ends the script if its command fails. An argument of echo would not.
            seconds=$(seconds "$name" $count $kind)
            times+=("$seconds")
        done
    done
    echo "$1 ${times[*]}" | tee -a "$work/times" >&2
}

rm -f "$work/times"
build plain
for build in ${builds[@]+"${builds[@]}"}; do
    build "$build"
    for ((round = 1; round <= rounds; round++)); do pair "$build"; done
done
python3 bench/simulation.py table "$work/times"
[ -z "$base" ] || git worktree remove --force "$work/tree"
