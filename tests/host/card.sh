# SPDX-License-Identifier: Apache-2.0
# Functions for the tests of rill-host on a simulated card. A test sources this file after tests/verdict.sh. The
# functions make a package of a small model whose design drafts tokens and keeps prefixes, build the host program and
# the card, and check requests. The test sets `work` (its folder), `log` (its log) and `keys` (additional keys of the
# design). If it sets `features`, the design has these keys instead of drafts, prefixes and sampling.
# shellcheck shell=bash disable=SC2154 # variables of the tests and of verdict.sh
model=$root/models/tinystories-gpt2-1m spec=$work/story.yaml package=$work/story socket=$work/card.socket
# standin gets the library that replaces XRT's and connects rill-host to the simulated card. xrt looks like an
# installation of XRT, for a test with XRT's own library.
mkdir -p "$work/standin" "$work/xrt"
ln -sfn /usr/lib/x86_64-linux-gnu "$work/xrt/lib"
export RILL_CARD=$socket
card="" # process of the simulated card
[ -n "${features+x}" ] || features=(sampling=8 drafts=1 draft_confidence=3 prefix=1)

# ---- package, host program, card ----
# An existing package that equals the new one stays, so that its card need not be built again.

make_package() {
    variant "$root/configs/tinystories-gpt2-1m.yaml" "$spec" channels=2 beat_bits=256 T=2 lanes=4 \
        "${features[@]}" \
        ${keys[@]+"${keys[@]}"}
    rm -rf "$work/fresh" "$work/design"
    "$rill" gen "$spec" -o "$work/design" && "$rill" package "$work/design" -o "$work/fresh" || return
    if diff -rq -x image -x build -x card "$work/fresh" "$package" >/dev/null 2>&1; then rm -rf "$work/fresh"
    else rm -rf "$package" && mv "$work/fresh" "$package"
    fi
    "$rill" pack "$spec" --weights "$model" -o "$package" && mkdir -p "$package/build/hw" &&
        python3 "$root/tests/package/xclbin.py" "$package" "$package/build/hw/rill_1.xclbin"
}

# Returns whether the card was built after the last change of its sources.
current_card() {
    [ -x "$package/sim/card/card" ] && [ -z "$(find "$root"/verif/{model,harness,card} "$root/build/librill.a" \
        "$package/rtl" -newer "$package/sim/card/card" -print -quit)" ]
}
build_card() { current_card || "$root/verif/card/build.sh" "$package" "$work/standin" "${RILL_TEST_JOBS:-2}"; }

# Builds the host program from the package's sources and Makefile, copied to another folder. The compilers must print no
# warning.
build_host() {
    rm -rf "$work/moved" && mkdir "$work/moved" && cp -r "$package"/{host,Makefile,design.mk,filelist.f} \
        "$work/moved" &&
        make -s -C "$work/moved" host WERROR=-Werror >"$work/host.out" 2>&1 &&
        ! grep -Ei 'warning|error' "$work/host.out"
}
host=$work/moved/build/host/rill-host
golden() { "$rill" golden "$spec" --weights "$model" "$@" --json; }

# ---- running ----

stop_card() {
    [ -z "$card" ] || { kill -9 "$card" && wait "$card"; } 2>/dev/null
    card=""
    rm -f "$socket"
}
trap stop_card EXIT
start_card() { # options of the card
    stop_card
    "$package/sim/card/card" "$@" "$package" "$socket" >"$work/card.out" 2>&1 &
    card=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -S "$socket" ] || return 0
        kill -0 $card 2>/dev/null || return 1
        sleep 0.05
    done
}

# The time limits are long, because the machine may be busy. A successful run ends long before them.
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec timeout 300 %s %s --timeout 60 --quiet "$@"\n' "$work/standin" "$host" \
    "$package" >"$work/on_card"
chmod +x "$work/on_card"
on_card=$work/on_card
request=(--prompt "Once upon a time" --tokens 3)

# ids prints the ids of each request in a JSON file of rill-host, one request in each line. golden_ids prints the ids of
# an answer of `rill golden` on stdin.
ids() { python3 -c 'import json, sys
for r in json.load(open(sys.argv[1]))["requests"]: print(*r["token_ids"])' "$1"; }
golden_ids() { python3 -c 'import json, sys
print(*json.load(sys.stdin)["token_ids"])'; }

# Checks that the ids of the first request are those of golden.json, the oracle's answer to `request`.
same_ids() { # arguments of rill-host, of which the first ones are "${request[@]}"
    "$on_card" "$@" --json >"$work/run.json" &&
        [ "$(ids "$work/run.json" | head -n 1)" = "$(golden_ids <"$work/golden.json")" ]
}
# Compares the log probabilities of a request in a JSON file of rill-host with those of the oracle's logits, in double
# precision. The list of the most likely ids must be the sorted one.
right_logprobs() { # JSON file, number of the request, length of the list, options of `rill golden`
    golden "${@:4}" --logits "$work/logits.raw" >"$work/logits.json" && python3 -c 'import array, json, math, sys
r, most = json.load(open(sys.argv[1]))["requests"][int(sys.argv[2])], int(sys.argv[3])
x, ids = array.array("f", open(sys.argv[4], "rb").read()), json.load(open(sys.argv[5]))["token_ids"]
n = len(x) // len(ids)
assert r["token_ids"] == ids and len(r["logprobs"]) == len(ids)
for i, one in enumerate(r["logprobs"]):
    row = x[n * i:n * (i + 1)]
    norm = max(row) + math.log(sum(math.exp(v - max(row)) for v in row))
    top = sorted(range(n), key=lambda k: (-row[k], k))[:most]
    assert one["id"] == ids[i] and [k for k, _ in one["top"]] == top, (i, one, top)
    for k, value in [(one["id"], one["logprob"]), *one["top"]]:
        assert abs(value - (row[k] - norm)) < 1e-6, (i, k, value, row[k] - norm)' \
        "$1" "$2" "$3" "$work/logits.raw" "$work/logits.json"
}
# Starts the card and runs a command. In every run, memory that was never written answers an error.
with_card() { # options of the card -- command...
    local options=()
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    start_card --unwritten ${options[@]+"${options[@]}"} && "$@"
}

# Checks that rill-host ends with this status and message, and that the card can be used again.
refused() { # name, status, pattern, options of the card -- arguments of rill-host
    local name=$1 status=$2 pattern=$3 options=()
    shift 3
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    start_card --unwritten ${options[@]+"${options[@]}"}
    check_refused "$name" "$status" "$pattern" "$on_card" "$@"
}

# Builds what each test needs: the package, the host program and the card.
build_all() {
    counted check "package, image, binary of metadata" make_package
    counted check "the host program builds from a package alone, without a warning" build_host
    counted check "the simulated card builds" build_card
    [ $bad = 0 ] || { verdict; exit; }
    golden "${request[@]}" >"$work/golden.json"
}
