#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs packaged kernels with third-party tools: cocotb with the host and memories of cocotbext-axi on Icarus, and
# FuseSoC. It is not a part of the suite, because it installs packages from PyPI into build/foreign/venv. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/foreign/run.sh [--seeds N] [--no-faults] [design...]
  --seeds N     runs N requests with random waiting times on every channel, for each design (default 20)
  --no-faults   plants no faults
  design        a spec of tests/foreign/specs without .yaml (default: all)
TEXT
}

wanted=20 faults=1 designs=()
while [ $# -gt 0 ]; do
    case $1 in
        --seeds) wanted=$2 && shift ;;
        --no-faults) faults=0 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) designs+=("$1") ;;
    esac
    shift
done
here=$root/tests/foreign work=$root/build/foreign
venv=$work/venv log=$work/log
[ ${#designs[@]} -gt 0 ] || designs=(tiny pair)
mkdir -p "$work"
packages=(cocotb==1.9.2 cocotbext-axi==0.1.28 fusesoc==2.4.7)
limit=3600 # seconds of a simulation

# Installs the packages into a virtual environment, unless it has these versions.
environment() {
    [ "$(cat "$venv/packages" 2>/dev/null)" = "${packages[*]}" ] && return
    rm -rf "$venv" && python3 -m venv "$venv" && "$venv/bin/pip" install -q "${packages[@]}" &&
        echo "${packages[*]}" >"$venv/packages"
}

# The requests of the tests: prompt ids, and the number of ids to generate.
requests=("1,2,3 2" "5 2" "7,4 1" "0,9 2")
# Prints the oracle's answers to the requests as JSON.
answers() { # spec
    local request separator="["
    for request in "${requests[@]}"; do
        printf '%s' "$separator"
        # shellcheck disable=SC2086 # two words
        set -- "$1" $request
        "$rill" golden "$1" --weights random:1 --prompt-ids "$2" --tokens "$3" --ignore-eot --json || return
        separator=","
    done
    echo "]"
}

make_kernel() { # design
    local spec=$here/specs/$1.yaml dir=$work/$1
    rm -rf "$dir" "$dir.design"
    "$rill" gen "$spec" -o "$dir.design" && "$rill" package "$dir.design" -o "$dir" &&
        "$rill" pack "$spec" --weights random:1 -o "$dir" && answers "$spec" >"$dir.json" && compile "$dir"
}
compile() { (cd "$1" && iverilog -g2005 -s rill_kernel -o sim.vvp -f filelist.f); } # folder

# Runs a test of kernel.py. It passes if the report of cocotb names the test without a failure. The exit status of vvp
# does not show failures.
cocotb_test() { # folder, test, seeds
    local report=$1/$2.xml
    rm -f "$report"
    env RILL_PACKAGE="$1" RILL_ANSWERS="${1%.faulty}.json" RILL_SEEDS="${3:-[1]}" VIRTUAL_ENV="$venv" \
        PATH="$venv/bin:$PATH" \
        PYTHONPATH="$here:$(echo "$venv"/lib/python3*/site-packages)" PYTHONDONTWRITEBYTECODE=1 COCOTB_LOG_LEVEL=ERROR \
        MODULE=kernel TESTCASE="$2" TOPLEVEL=rill_kernel TOPLEVEL_LANG=verilog COCOTB_RESULTS_FILE="$report" \
        timeout --foreground "$limit" vvp -M "$("$venv/bin/cocotb-config" --lib-dir)" -m libcocotbvpi_icarus \
        "$1/sim.vvp" </dev/null || return
    grep -q "<testcase name=\"$2\"" "$report" && ! grep -qE '<(failure|error|skipped)' "$report"
}

check_seeds() { # design
    local seed last=$((wanted)) again="$0 --seeds $wanted --no-faults $1"
    cocotb_test "$work/$1" seeds "[$(seq -s, 1 "$last")]" >"$work/$1.seeds" 2>&1
    for ((seed = 1; seed <= last; seed++)); do
        if grep -q "^seed $seed ok" "$work/$1.seeds"; then ok "$1 seed $seed: ids of the oracle"
        else fail "$1 seed $seed" "$(grep -m1 -E 'Error|error' "$work/$1.seeds" || tail -n 1 "$work/$1.seeds")"
        fi
    done
}

fusesoc() { # folder, arguments: with a separate home folder
    (mkdir -p "$work/home" && cd "$work/home" && env HOME="$work/home" XDG_CONFIG_HOME="$work/home" \
        PATH="$venv/bin:$PATH" \
        "$venv/bin/fusesoc" --cores-root "$1" run --build-root "$1/fusesoc" "${@:2}" \
        "$(sed -n 's/^name: "\(.*\)"$/\1/p' "$1"/*.core)")
}
vivado_script() { fusesoc "$1" --setup --target=synth && find "$1/fusesoc" -path '*/synth/*.tcl' | grep -q .; } # folder

# Plants a fault in the Verilog of the kernel, which the given test must find.
check_fault() { # design, what, file, sed expression, test
    local dir=$work/$1.faulty
    rm -rf "$dir" && cp -r "$work/$1" "$dir"
    sed -i "$4" "$dir/rtl/$3"
    if cmp -s "$dir/rtl/$3" "$work/$1/rtl/$3"; then fail "$1 fault: $2" "$4 changes nothing in $3"
    elif ! compile "$dir" >"$log" 2>&1; then fail "$1 fault: $2" "does not compile: $(tail -n 1 "$log")"
    elif RILL_LIMIT=6000 cocotb_test "$dir" "$5" "[1,2,3]" >"$log" 2>&1; then fail "$1 fault: $2" "not found"
    elif [ ! -s "$dir/$5.xml" ]; then fail "$1 fault: $2" "no report: $(tail -n 1 "$log")"
    else ok "$1 fault: $2"
    fi
}

tests=(registers illegal errors ends resets)
queue check "environment: ${packages[*]}" environment
for design in "${designs[@]}"; do
    queue check "$design: packaged, compiled by Icarus" make_kernel "$design"
    queue check "$design: FuseSoC's lint" fusesoc "$work/$design" --target=lint
    queue check "$design: FuseSoC's set-up for Vivado" vivado_script "$work/$design"
    for test in "${tests[@]}"; do queue check "$design: $test" cocotb_test "$work/$design" "$test"; done
    queue_many "$wanted" check_seeds "$design"
done
fault() { queue check_fault "$@"; }
if [ $faults = 1 ]; then
    one=${designs[0]}
    fault "$one" "beats of another client" rill_axi_read_arbiter.v 's/m_axi_rid == INDEX/m_axi_rid >= INDEX/' \
        seeds
    fault "$one" "a burst across 4 KiB" rill_burst_splitter.v 's/is_short || next_beats == to_border/is_short/' \
        seeds
    fault "$one" "WLAST that never comes" rill_dma_write.v \
        's/m_axi_wlast = 1.b1/m_axi_wlast = 1'"'b0"'/' seeds
    fault "$one" "a dropped BVALID of the registers" rill_axil_regs.v 's/else if (s_axi_control_bready)/else/' \
        seeds
    fault "$one" "another id in the ring" rill_ring_writer.v 's/here_q\[i\] ? id_q/here_q[i] ? id_q + 1/' seeds
    fault "$one" "an error response that nobody heeds" rill_dma_read.v 's/m_axi_rresp != 2.b00/1'"'b0"'/' errors
fi
run_queue
verdict
