#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the packages of large designs on the simulated card (verif/card), with one host program for all of them. The
# program runs outside the tree and without environment variables, so a package that needs the tree fails. Some runs
# have gaps in the clock. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../tests/verdict.sh"

usage() {
    cat <<'TEXT'
usage: bench/cards.sh [--request IN:OUT] [--jobs N] [SPEC...]
  --request IN:OUT  prompt tokens and generated tokens (default 4:4)
  --jobs N          compiler processes (default 2)
  SPEC              designs (default: configs/gpt2-medium-u55c-16.yaml, with one clock, and
                    configs/gpt2-medium-u55c.yaml, with two)
Each design runs with a clock that misses cycles at random. One with a second clock also runs with a late lock, and
loses a request to a gap before its next request. Checks compare token ids and the hash of all logits with the oracle.
Packages and logs: build/cards.
TEXT
}

request=4:4 jobs=2 specs=()
while [ $# -gt 0 ]; do
    case $1 in
        --request | --jobs)
            [ $# -gt 1 ] || { usage >&2; exit 2; }
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) specs+=("$(realpath "$1")") ;;
    esac
    shift
done
[ ${#specs[@]} -gt 0 ] || specs=("$root"/configs/gpt2-medium-u55c{-16,}.yaml)
work=$root/build/cards
mkdir -p "$work/xrt"
away=$(mktemp -d "${TMPDIR:-/tmp}/rill-cards-XXXXXX") card=""
stop_card() {
    [ -z "$card" ] || { kill "$card" && wait "$card"; } 2>/dev/null
    card=""
}
trap 'stop_card; rm -rf "$away"' EXIT

# ---- preparation of a design ----

# Makes the package with its image and its xclbin. If the Verilog is that of the existing package, the simulation of the
# card that was built for it is kept.
make_package() { # spec, name
    local fresh=$work/$2.fresh package=$work/$2
    rm -rf "$fresh" && "$rill" gen "$1" -o "$work/$2.design" && "$rill" package "$work/$2.design" -o "$fresh" || return
    if [ -x "$package/sim/card/card" ] && diff -rq "$fresh/rtl" "$package/rtl" &&
        cmp "$fresh/sim/rill_sim_top.sv" "$package/sim/rill_sim_top.sv"; then
        mv "$package/sim/card" "$fresh/sim/card"
    fi
    rm -rf "$package" && mv "$fresh" "$package" || return
    "$rill" pack "$1" --weights random:1 -o "$package" && mkdir -p "$package/build/hw" &&
        python3 "$root/tests/package/xclbin.py" "$package" \
            "$package/build/hw/$(sed -n 's/^UNIT := //p' "$package/design.mk").xclbin"
}
# Writes the oracle's token ids and logits hash of the request to $work/NAME.json.
oracle() { # spec, name
    "$rill" golden "$1" --weights random:1 --prompt-ids "$(seq -s, 11 37 $((11 + 37 * (${request%:*} - 1))))" \
        --tokens "${request#*:}" --ignore-eot --json >"$work/$2.json"
}
# Builds the simulated card of the package, unless the existing one is newer than all its sources.
build_card() { # name
    local built=$work/$1/sim/card/card
    [ -x "$built" ] && [ -z "$(find "$root"/verif/{model,harness,card} -newer "$built" -print -quit)" ] ||
        "$root/verif/card/build.sh" "$work/$1" "$work/xrt" "$jobs" large
}
# Copies the parts of the package that a host needs to a folder outside the tree. The first call also builds and copies
# the host program.
move_away() { # name
    mkdir "$away/$1" && cp -r "$work/$1"/{package.json,memory_map.json,design.yaml,image,build} "$away/$1" &&
        mkdir "$away/$1/host" && cp -r "$work/$1/host/families" "$away/$1/host" && cp "$work/$1.json" \
        "$away/$1/golden.json" || return
    [ -x "$away/rill-host" ] || { make -s -C "$work/$1" host && cp "$work/$1/build/host/rill-host" "$away"; }
}

# ---- runs; no environment variable is set, so an option of the loader names the folder of the card's library ----

# Starts the simulated card in the background and waits up to a minute for its socket. Returns 1 if the card ends first.
start_card() { # name, options of the card..., --, arguments of the MMCM's model...
    local name=$1 options=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1") && shift; done
    stop_card
    rm -f "$away/$name/card.socket"
    (cd "$away/$name" && exec env -i "$work/$name/sim/card/card" --unwritten "${options[@]}" . card.socket "${@:2}") \
        >"$work/$name.card" 2>&1 &
    card=$!
    for ((i = 0; i < 1200; i++)); do
        [ ! -S "$away/$name/card.socket" ] || return 0
        kill -0 $card 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}
program_of() { # name: sets `program`, the command that runs the host program in the folder of this package
    program=(env -i -C "$away/$1" /lib64/ld-linux-x86-64.so.2 --library-path "$work/xrt" "$away/rill-host" . --quiet
        --timeout 3600 --ignore-eot)
}
# Runs the oracle's request and compares its result. Writes the cycles that the design counted and the duration of the
# run to the file $figures.
selftest() { # name
    local begun=$SECONDS
    program_of "$1"
    "${program[@]}" --selftest golden.json --json >"$work/$1.run" || return
    echo "      $(python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))["requests"][0]
print(len(r["token_ids"]), "ids,", r["cycles"], "cycles")' "$work/$1.run"), $((SECONDS - begun)) s" >"$figures"
}
passes() { # name of the check, command...: runs the check, then prints the figures of selftest
    rm -f "$figures"
    check "$@"
    cat "$figures" 2>/dev/null
}
on() { start_card "$@" && selftest "$1"; } # arguments as for start_card

one_clock() { # name
    passes "$1: the oracle's ids and logits" on "$1"
    passes "$1: the same with gaps in the clock" on "$1" --gaps 1
}
# Delays the lock of the second clock. Then a gap in the clock must end a request, and the next request must succeed.
two_clocks() { # name
    passes "$1: a late lock: the oracle's ids and logits" on "$1" -- +mmcm_lock=30000
    start_card "$1" --gap-at 100000:2
    program_of "$1"
    RILL_TEST_TIMEOUT=3600 check_refused "$1: a gap in the clock ends the request" 1 \
        'fault 10: the second clock was lost' "${program[@]}" --selftest golden.json
    passes "$1: the next request: the oracle's ids and logits" selftest "$1"
}

for spec in "${specs[@]}"; do
    name=$(spec_name "$spec")
    log=$work/$name.log figures=$work/$name.figures
    counted check "$name: package and image" make_package "$spec" "$name"
    counted check "$name: oracle" oracle "$spec" "$name"
    counted check "$name: simulated card" build_card "$name"
    counted check "$name: moved to a folder outside the tree" move_away "$name"
    if [ -e "$work/$name/clocks.xdc" ]; then counted_many 3 two_clocks "$name"
    else counted_many 2 one_clock "$name"
    fi
    stop_card
    rm -rf "${away:?}/$name"
done
verdict
