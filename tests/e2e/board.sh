#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that each memory figure of a board file changes the cycles of a simulation, that the forecast with the changed
# figure agrees with that simulation, and that `--hbm` has the same effect as the file. Also checks for most specs
# of the tree that no forecast is below its lower bound.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/design.sh"
rows=19 # number of rows of each request
name=board

simulated() { # design, arguments...: prints the cycles of a request
    local dir=$1
    shift
    rm -f "$work/board.json"
    "$rill" sim "$dir" --quick-build --prompt rows --tokens $rows --quiet --json "$work/board.json" "$@" >"$log" 2>&1 &&
        json_value "$work/board.json" cycles_prefill
}

# Prints the forecast cycles of a request, its number of steps, and the lower bound of its cycles.
forecast() { # spec or design, arguments...
    local spec=$1
    shift
    "$rill" forecast "$spec" $rows:1 --json "$@" 2>"$log" |
        awk -F'[:,]' '/^  "cycles_prefill"/ { c = $2 } /^  "steps"/ { s = $2 } /^  "cycles_prefill_bound"/ { b = $2 }
            END { print c + 0, s + 0, b + 0 }'
}

overrides() { # KEY=VALUE,...: fills `given` with options --hbm
    local pair
    given=()
    for pair in ${1//,/ }; do given+=(--hbm "$pair"); done
}

# Prints the cycles of the simulation with these figures of the memory. Keeps the result in a file, because most calls
# ask for the figures of the board again.
other_cycles() { # KEY=VALUE,... , seed
    local kept=$work/board.cycles/$1.$2
    overrides "$1"
    [ -s "$kept" ] || simulated "$work/$name" --seed "$2" "${given[@]}" >"$kept" || return
    cat "$kept"
}

# Simulates with two sets of figures. The cycles must differ. For the first set, the forecast must be near the
# simulation (see near), and its lower bound must not exceed the simulation. With jitter (seed not 0), the forecast is
# not compared.
check_key() { # first set: KEY=VALUE,..., second set ("": the board's figures), seed
    local one two cycles steps bound
    two=$(other_cycles "$2" "$3") || { fail "$1" "$(reason)"; return; }
    overrides "$1"
    one=$(simulated "$work/$name" --seed "$3" "${given[@]}") || { fail "$1" "$(reason)"; return; }
    read -r cycles steps bound < <(forecast "$work/$name/design.yaml" "${given[@]}")
    if [ "$one" = "$two" ]; then fail "$1" "changes nothing: $one cycles"
    elif [ "$3" = 0 ] && ! near "$cycles" "$one" "$steps"; then fail "$1" "$one cycles, forecast $cycles"
    elif [ "$bound" -gt "$one" ]; then fail "$1" "$one cycles are below the bound of $bound"
    else ok "$1: $one cycles instead of $two$([ "$3" != 0 ] || echo ", forecast $cycles")"; fi
}

near() { # forecast, cycles, steps: succeeds if forecast and cycles differ by at most 2 % plus 64 cycles per step
    awk -v f="$1" -v c="$2" -v s="$3" 'BEGIN { d = f > c ? f - c : c - f; exit !(f > 0 && d <= c * 0.02 + 64 * s) }'
}

# Checks that figures in a board file have the same effect as options. Copies the simulation, because the hardware is
# the same.
check_file() {
    local figures=sustained_gbs=5,latency_hit_ns=507,latency_closed_ns=522,latency_miss_ns=538 by_option by_file \
        cycles steps bound pair
    overrides $figures
    by_option=$(simulated "$work/$name" "${given[@]}") || { fail "a slower board" "$(reason)"; return; }
    mkdir -p "$work/slow"
    cp "$root/boards/u55c.yaml" "$work/slow/u55c.yaml"
    for pair in ${figures//,/ }; do sed -i "s/^\( *${pair%%=*}:\)[^#]*/\1 ${pair#*=} /" "$work/slow/u55c.yaml"; done
    sed "1a board: $work/slow/u55c.yaml" "$spec" >"$work/slow/spec.yaml"
    rm -rf "$work/slow/design" && cp -a "$work/$name" "$work/slow/design"
    "$rill" gen "$work/slow/spec.yaml" -o "$work/slow/fresh" >"$log" 2>&1 ||
        { fail "a slower board" "$(reason)"; return; }
    if ! diff -r -I "^//" -I " identity = " "$work/slow/fresh/rtl" "$work/slow/design/rtl" >"$log"; then
        fail "a slower board" "another design"
        return
    fi
    cp "$work/slow/fresh/design.yaml" "$work/slow/design/design.yaml"
    by_file=$(simulated "$work/slow/design") || { fail "a slower board" "$(reason)"; return; }
    read -r cycles steps bound < <(forecast "$work/slow/spec.yaml")
    if [ "$by_file" != "$by_option" ]; then fail "a slower board" "$by_file cycles, by options $by_option"
    elif ! near "$cycles" "$by_file" "$steps"; then fail "a slower board" "$by_file cycles, forecast $cycles"
    elif [ "$(forecast "$spec" "${given[@]}")" != "$cycles $steps $bound" ]; then
        fail "a slower board" "another forecast by options"
    else ok "a slower board: $by_file cycles by file and by options, forecast $cycles"; fi
}

# Checks that the bandwidth utilization of simulation, forecast and report follows from their bytes and cycles.
shares() { # design, peak_gbs
    simulated "$1" --hbm peak_gbs="$2" --hbm sustained_gbs=4 >/dev/null &&
        "$rill" forecast "$1/design.yaml" $rows:1 --json --hbm peak_gbs="$2" --hbm sustained_gbs=4 \
            >"$work/forecast.json" 2>"$log" &&
        python3 - "$work/board.json" "$work/forecast.json" "$1/report.json" "$2" <<'PY'
import json, sys
run, forecast, report = (json.load(open(path)) for path in sys.argv[1:4])
peak, channels = float(sys.argv[4]), report["channels"]
def check(what, bytes, cycles, share):
    gbs = bytes / cycles * run["clock_mhz"] * 1e-3
    if not 0 < share["hbm_of_sustained"] <= 1: sys.exit(f"{what}: {share['hbm_of_sustained']} of the sustained rate")
    for key, rate in (("hbm_of_peak", peak), ("hbm_of_sustained", forecast["sustained_gbs"])):
        if abs(share[key] * rate - gbs) > 2e-3 * gbs: sys.exit(f"{what}: {key} {share[key]}, {gbs} of {rate} GB/s")
check("simulation", run["hbm_bytes"] / channels, run["cycles_prefill"], run)
prefill = forecast["prefill"]
check("forecast", prefill["memory_cycles"] / forecast["clock_mhz"] * 1e3 * forecast["sustained_gbs"], prefill["cycles"],
      prefill)
decode = report["decode"] # of the board's own figures
if abs(decode["hbm_of_sustained"] - decode["memory_cycles"] / decode["cycles"]) > 1e-3: sys.exit("report: sustained")
if abs(decode["hbm_of_peak"] / decode["hbm_of_sustained"] - 13.277 / 14.4) > 1e-3: sys.exit("report: peak")
if abs(forecast["peak_gbs"] - peak) > 1e-9 or abs(forecast["sustained_gbs"] - 4) > 0.01: sys.exit("rates")
PY
}

# Checks that every memory key that is not a limit has a check_key below.
check_all_keys() {
    local key missing=""
    for key in $("$rill" forecast --hbm help | awk '{ print $1 }'); do
        grep -q "^    queue check_key \"*$key=" "${BASH_SOURCE[0]}" || missing+=" $key"
    done
    if [ -z "$missing" ]; then ok "each key is tried"; else fail "each key is tried" "not$missing"; fi
}

# Checks the bounds of several requests, with the spec as it is, and with steps of one token and without the search for
# depths. `rill forecast` ends with exit status 3 if a forecast is below its bound.
check_bound() { # spec
    local file=$work/bound.yaml made=$work/bound request label=${1#"$root"/} tried=0 values
    for values in "" "T=1 A=1 fifo=safe"; do
        [ -z "$values" ] || [ "$(grep -o '^[a-z]*:' "$1" | tail -n 1)" = design: ] || continue
        [ -z "$values" ] || ! grep -q '^ *drafts:' "$1" || values+=" drafts=0" # a step of one token has none
        # shellcheck disable=SC2086 # words
        variant "$1" "$file" $values
        "$rill" gen "$file" -o "$made" "--dump-after=$last_pass" >"$log" 2>&1 ||
            { fail "bound $label $values" "$(reason)"; return; }
        for request in 1:1 7:1 5:4 40:1; do
            "$rill" forecast "$made/$last_pass.yaml" $request --json >"$work/bound.json" 2>"$log"
            case $? in
                0) tried=$((tried + 1)) ;;
                1)
                    grep -q 'positions, the context has' "$log" || { fail "bound $label $values" "$(reason)"; return; }
                    ;;
                *) fail "bound $label $values, $request" "$(reason)"; return ;;
            esac
            [ ! -s "$work/bound.json" ] || awk -F'[:,]' '/^  "cycles_(prefill|decode)"/ { c[++n] = $2 }
                /^  "cycles_(prefill|decode)_bound"/ { b[++m] = $2 }
                END { exit !(n == 2 && m == 2 && c[1] >= b[1] && c[2] >= b[2] && b[1] > 0) }' \
                "$work/bound.json" || { fail "bound $label $values, $request" "above the forecast, or none"; return; }
        done
    done
    if [ $tried -ge 2 ]; then
        ok "bound $label: at most the forecast of $tried requests"
    else
        fail "bound $label" "$tried requests"
    fi
}

# Checks the bound of a long request, of which the forecast simulates only some steps. If the memory limits the whole
# request, a sum over these steps might be slightly below the bound.
check_samples() {
    local file=$work/samples.yaml
    cat >"$file" <<'YAML'
name: samples
model: {family: qwen2, layers: 24, hidden: 896, heads: 14, kv_heads: 2, ffn: 4864, vocab: 151936, context: 8192}
board: u55c
design: {channels: 32, lanes: 32, T: 8, unroll: 160, prefetch_beats: 512, weights: int8, embedding: int16,
         activations: int10}
YAML
    if ! "$rill" forecast "$file" 4096:4096 --json >"$work/samples.json" 2>"$log"; then
        fail "bound of samples" "$(reason)"
    elif ! grep -q '"cycles_decode_bound": [1-9]' "$work/samples.json"; then
        fail "bound of samples" "there is none"
    else
        ok "bound of samples: at most the forecast"
    fi
}

rm -rf "$work/board.cycles" && mkdir -p "$work/board.cycles"
log=$work/board.log last_pass=$("$rill" gen --dump-after=help | tail -n 1)
rm -rf "$work/found" && mkdir "$work/found" && cp "$root"/tests/fuzz/found/*.yaml "$work/found"
ln -s "$root/tests/e2e/kernels" "$work/found/kernels"
files=()
for file in "$root"/tests/e2e/cases/*/spec.yaml "$root"/configs/*.yaml "$work"/found/*.yaml; do
    [[ $file == *medium-u*[0-9c].yaml ]] || files+=("$file")
done
spec=$work/board.yaml
variant "$root/tests/e2e/cases/spills/spec.yaml" "$spec" fifo=safe # depths chosen by forecast depend on the board
export RILL_QUICK_BUILD=1
if make_design $name "$spec" random:1 >"$log" 2>&1 && build_soon $name >>"$log" 2>&1; then
    queue check_key peak_gbs=4,sustained_gbs=4 sustained_gbs=4 0
    queue check "shares of the memory's rate" shares "$work/$name" 14.4
    queue check "shares of the memory's rate, another peak" shares "$work/$name" 9
    queue check_key sustained_gbs=4 "" 0
    queue check_key port_bits=64 "" 0
    queue check_key port_mhz=150 "" 0
    queue check_key port_burst=1,ids=4 ids=4 0
    queue check_key ids=2 "" 0
    queue check_key latency_hit_ns=20 "" 0
    queue check_key latency_closed_ns=137 "" 0
    queue check_key latency_miss_ns=500 "" 0
    queue check_key row_cycle_ns=400 "" 0
    queue check_key read_to_write_ns=200 "" 0
    queue check_key write_to_read_ns=200 "" 0
    queue check_key write_response_ns=500 "" 0
    queue check_key refresh_interval_ns=2000 "" 0
    queue check_key refresh_ns=1500 "" 0
    queue check_key jitter_ns=5 "" 1
    queue check_all_keys
    queue check_file
else
    counted fail "a design" "$(reason)"
fi
for how in "forecast $spec $rows:1" "sim $work/$name --prompt rows"; do
    # shellcheck disable=SC2086 # words
    {
        queue check_refused "${how%% *}: a figure that is none" 2 \
            "no figure .refesh_ns.; did you mean .refresh_ns." "$rill" $how --hbm refesh_ns=1
        queue check_refused "${how%% *}: below its range" 2 \
            'sustained_gbs must be from 0.1 to 1000 GB/s, not 0; .* 0.1' "$rill" $how --hbm sustained_gbs=0
        queue check_refused "${how%% *}: no number" 2 'ids takes an integer from 1 to 4096, not .3.5.' "$rill" $how \
            --hbm ids=3.5
        queue check_refused "${how%% *}: a limit of the file" 2 'channels. is the board file.s alone' "$rill" $how \
            --hbm channels=3
        queue check_refused "${how%% *}: two that contradict" 1 \
            'sustained_gbs \(99\) must not be above peak_gbs \(14.4\); .* 14.4' \
            "$rill" $how --hbm sustained_gbs=99
    }
done
for file in "${files[@]}"; do queue check_bound "$file"; done
queue check_samples
run_queue
verdict
