#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs rill-host on a simulated card whose clocks misbehave. The card has a packaged kernel with a second clock, and
# models of the vendor's multipliers and MMCM. Cases: a clock with gaps, a slower clock, and a clock that starts late,
# never starts, or is lost during a request. Each request must end with fault 10 or with the right ids, and the next
# request must be right.
# usage: tests/host/clocks.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,7s/^# //p' "$0"; exit 2; }
work=$root/build/tests/clocks log=$root/build/tests/clocks.log keys=(pump=2)
. "$(dirname "${BASH_SOURCE[0]}")/card.sh"
build_all

lost='fault 10: the second clock was lost in the request'
missing='fault 10: the second clock is not there'
clocks=() # arguments of the MMCM's model, which follow those of the card
begin() { # options of the card, which it starts; returns when the card's socket exists
    stop_card
    "$package/sim/card/card" --unwritten "$@" "$package" "$socket" ${clocks[@]+"${clocks[@]}"} >"$work/card.out" 2>&1 &
    card=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -S "$socket" ] || return 0
        kill -0 $card 2>/dev/null || return 1
        sleep 0.05
    done
}
on() { # options of the card -- command...
    local options=()
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    begin ${options[@]+"${options[@]}"} && "$@"
}
loses() { # name, options of the card: fault 10, then a right request
    local name=$1
    shift
    begin "$@"
    check_refused "$name" 1 "$lost" "$on_card" "${request[@]}"
    check "$name: the next request is right" same_ids "${request[@]}"
}
clock_register() { # expected value of the register `clock`, which is read without a new request
    RILL_CARD=$socket LD_LIBRARY_PATH=$work/standin RILL_HOST_LIBRARY=$work/moved/build/host/librill_host.so \
        PYTHONPATH=$work/moved/host/boards/host timeout 300 python3 -c 'import sys, rill_host
with rill_host.Host(sys.argv[1], timeout=100) as host:
    got = host.register("clock")
    assert got == int(sys.argv[2], 0), hex(got)' "$package" "$1"
}

counted check "two clocks: the oracle's ids, with the vendor's cells" on -- same_ids "${request[@]}"
cycles() { sed -n 's/.*"cycles": \([0-9]*\).*/\1/p' "$work/run.json"; }
all=$(cycles) # cycles of a request whose clocks behave well
counted check "the register says so" clock_register 0x1

# Gaps of one or several cycles, at many places of a request.
for seed in 1 2 3 4 5 6; do
    at=$((seed * ${all:-1} / 8 + seed * 977))
    counted_many 2 loses "a gap of $seed cycles in cycle $at" --gap-at $at:$seed
done
counted check "the register has counted it" clock_register 0x10001
counted_many 2 loses "a slower clock for a while" --slow-at 40000:300
counted_many 2 loses "a slower clock, at once after the start" --slow-at 3:2

# Many random gaps in a request must never cause a wrong id: the printed ids are the beginning of the right ones.
at_random() { # seed
    local status=0
    begin --gaps "$1"
    "$on_card" "${request[@]}" --ids >"$work/ids.txt" 2>"$work/errors.txt" || status=$?
    if [ $status = 0 ]; then [ "$(cat "$work/ids.txt")" = "$(golden_ids <"$work/golden.json")" ]
    else
        grep -q 'fault 10' "$work/errors.txt" &&
            [[ "$(golden_ids <"$work/golden.json") " = "$(sed 's/$/ /; s/^ $//' "$work/ids.txt")"* ]]
    fi
}
for seed in 1 2 3 4; do counted check "gaps at random, seed $seed: fault or right" at_random $seed; done

# The MMCM itself.
for at in 60000 $((${all:-1} / 2)); do
    clocks=("+mmcm_lose=$at")
    counted_many 2 loses "lock is lost after $at cycles"
done
clocks=(+mmcm_lock=30000)
counted check "a late lock: a start waits" on -- same_ids "${request[@]}"
later() { [ "$(cycles)" -gt "$((all + 10000))" ]; }
counted check "... and its cycles count" later
clocks=(+mmcm_lock=100000000)
never() { begin && check_refused "no lock: a start is refused" 1 "$missing" "$on_card" "${request[@]}"; }
counted never
counted check "no lock: the registers answer" clock_register 0x2
counted check_refused "no lock: the next start, too" 1 "$missing" "$on_card" "${request[@]}"
clocks=()

verdict
