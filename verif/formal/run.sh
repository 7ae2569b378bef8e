#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves the properties under `ifdef FORMAL in rtl-templates with Yosys: temporal induction (unbounded), over a matrix of parameters, and shows
# that the proof can fail: each module is also run once with a planted fault, which must be found.
# usage: verif/formal/run.sh [--quick]. One line per proof, exit status 0 if all hold.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/verdict.sh"

limit=${RILL_FORMAL_TIMEOUT:-120}
quick=0
case ${1:-} in
    "") ;;
    --quick) quick=1 ;;
    --help | -h) sed -n '3,5s/^# //p' "$0"; exit 0 ;;
    *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

prove() { # source, module, induction depth, NAME=VALUE...
    local source=$1 module=$2 depth=$3 params="" pair
    shift 3
    for pair in "$@"; do params+=" -chparam ${pair%%=*} ${pair#*=}"; done
    timeout "$limit" yosys -q -l "$work/log" -p "read_verilog -formal -DFORMAL -defer $source; hierarchy -check -top $module$params;
        proc; opt_clean; memory_map; flatten; opt; setundef -undriven -anyseq; async2sync;
        sat -tempinduct -prove-asserts -set-assumes -set-init-zero -maxsteps $depth -verify $module" >"$work/out" 2>&1
}

check_proof() { # module, depth, NAME=VALUE...
    if prove "$root"/rtl-templates/*/"$1.v" "$@"; then ok "$*"
    else fail "$*" "$(grep -m1 -iE 'error|fail|timeout' "$work/log" || echo "no proof within $limit s")"
    fi
}

check_fault() { # module, sed expression that plants the fault, depth, NAME=VALUE...
    local module=$1 fault=$2
    shift 2
    sed "$fault" "$root"/rtl-templates/*/"$module.v" >"$work/faulty.v"
    if cmp -s "$work/faulty.v" "$root"/rtl-templates/*/"$module.v"; then
        fail "$module" "the fault '$fault' changes nothing"
    elif prove "$work/faulty.v" "$module" "$@" || ! grep -q 'model found for base case' "$work/log"; then
        fail "$module" "no counterexample for the fault '$fault'"
    else
        ok "$module: the fault '$fault' is found"
    fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

plan $((27 - 2 * quick))
check_proof rill_register_slice 4 DATA_W=3 MODE=0
check_proof rill_register_slice 4 DATA_W=3 MODE=1
check_proof rill_register_slice 4 DATA_W=3 MODE=2
check_proof rill_register_slice 4 DATA_W=3 MODE=3
srl="RAM_STYLE=24'h$(printf srl | od -An -tx1 | tr -d ' \n')"
for depth in 1 2 3 5 6; do check_proof rill_fifo 4 DATA_W=3 DEPTH=$depth; done
check_proof rill_fifo 4 DATA_W=5 DEPTH=2 # above WIDE
for depth in 3 5 6; do check_proof rill_fifo 4 DATA_W=2 DEPTH=$depth "$srl"; done
if [ $quick = 0 ]; then
    check_proof rill_fifo 4 DATA_W=2 DEPTH=17
    check_proof rill_fifo 4 DATA_W=2 DEPTH=33 "$srl"
fi
check_proof rill_write_tracker 4 WRITERS=1 COUNT_W=2 LAYERS_W=3
check_proof rill_write_tracker 4 WRITERS=2 COUNT_W=2 LAYERS_W=3
check_fault rill_register_slice 's/skid_valid_q ? skid_q : s_axis_tdata/s_axis_tdata/' 12 DATA_W=3 MODE=2
check_fault rill_register_slice 's/write_q <= write_q ^ push/write_q <= write_q ^ s_axis_tvalid/' 12 DATA_W=3 MODE=3
check_fault rill_register_slice 's/if (s_axis_tready \&\& s_axis_tvalid)/if (s_axis_tvalid)/' 6 DATA_W=3 MODE=1
check_fault rill_fifo 's/room_q <= count_d != FULL/room_q <= 1/' 8 DATA_W=3 DEPTH=2
check_fault rill_fifo 's/if (push \&\& !write_q)/if (s_axis_tvalid \&\& !write_q)/' 8 DATA_W=5 DEPTH=2
check_fault rill_fifo 's/else if (push \&\& !take \&\& any_q)/else if (push \&\& !take)/' 8 DATA_W=2 DEPTH=5 "$srl"
# Counted early: without a response; a round that begins before the one before is over; a layer's last
# descriptors left out of it. Counted late: what has begun behind a layer holds its count.
check_fault rill_write_tracker 's/of_round = written\[i\] \&\& /of_round = /' 8 WRITERS=1 COUNT_W=2 LAYERS_W=3
check_fault rill_write_tracker 's/turn = &clear/turn = |clear/' 12 WRITERS=2 COUNT_W=2 LAYERS_W=3
check_fault rill_write_tracker 's/next_q + part_in/next_q + part_q/' 8 WRITERS=1 COUNT_W=2 LAYERS_W=3
check_fault rill_write_tracker 's/turn ? next_left/turn ? next_left + part_q/' 8 WRITERS=1 COUNT_W=2 LAYERS_W=3
verdict
