#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Forecasts the speed of published models on a board. `rill import` makes a design from the sizes of each model, and
# `rill forecast` predicts its speed. See --help.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rill=$root/build/rill request=256:256 context=1024 board=u55c weights="int8 int4_asym"
search="" simulate="" layers="" vocab=""
keys=() # KEY=VALUE of each --design

usage() {
    cat <<'TEXT'
usage: bench/families.sh [--request IN:OUT] [--context N] [--weights "FORMAT..."] [--board BOARD]
                         [--layers N] [--vocab N] [--search] [--design KEY=VALUE]... [--simulate] [model...]
  --layers N, --vocab N  so many layers and tokens instead of the model's
  --search               the design that `rill import` finds for each format, within the limits of the board; without
                         it half of the board's channels with one clock (`rill import --quick`)
  --design KEY=VALUE     a key of the design instead of what `rill import` wrote; without a VALUE the key's default
  --simulate             RTL with random weights beside the forecast: minutes to build each
  model                  of those of the table (default: all)
Prints a table: tokens/s, TTFT, bytes of weights, keys and values that a step reads, shares of the memory's peak
and sustained rate, how much of the board's LUTs the design takes by estimate. Class: forecast, no weights are read.
Some 2 minutes.
With --simulate: cycles of the request simulated and by forecast, and how many values were compared with the replay.
TEXT
    exit "$1"
}

# Prints one line for each model, with its sizes from its config.json:
# name|model_type|layers|hidden|heads|kv heads|head size|ffn|vocabulary|further keys of config.json
models() {
    cat <<'TEXT'
SmolLM2-135M|llama|30|576|9|3|64|1536|49152|"rope_theta": 1e5, "tie_word_embeddings": true, "hidden_act": "silu"
Gemma-3-270M|gemma3_text|18|640|4|1|256|2048|262144|"hidden_activation": "gelu_pytorch_tanh"
Qwen2.5-0.5B|qwen2|24|896|14|2|64|4864|151936|"rope_theta": 1e6, "tie_word_embeddings": true, "hidden_act": "silu"
TinyLlama-1.1B|llama|22|2048|32|4|64|5632|32000|"hidden_act": "silu"
Gemma-3-1B|gemma3_text|26|1152|4|1|256|6912|262144|"hidden_activation": "gelu_pytorch_tanh"
Llama-3.2-1B|llama|16|2048|32|8|64|8192|128256|"rope_theta": 5e5, "tie_word_embeddings": true, "hidden_act": "silu"
Qwen2.5-7B|qwen2|28|3584|28|4|128|18944|152064|"rope_theta": 1e6, "tie_word_embeddings": false, "hidden_act": "silu"
TEXT
}

while [ $# -gt 0 ]; do
    case $1 in
        --request) request=$2 && shift 2 ;;
        --context) context=$2 && shift 2 ;;
        --weights) weights=$2 && shift 2 ;;
        --board) board=$2 && shift 2 ;;
        --layers) layers=$2 && shift 2 ;;
        --vocab) vocab=$2 && shift 2 ;;
        --design) keys+=("$2") && shift 2 ;;
        --search) search=1 && shift ;;
        --simulate) simulate=1 && shift ;;
        --help | -h) usage 0 ;;
        -*) usage 2 >&2 ;;
        *) break ;;
    esac
done
work=$root/build/bench/families
rm -rf "$work" && mkdir -p "$work"

# Writes the config.json of a model. `rill import` needs no other file of a checkpoint.
config() { # line of models()
    local name kind depth hidden heads kv_heads head ffn words more
    IFS='|' read -r name kind depth hidden heads kv_heads head ffn words more <<<"$1"
    mkdir -p "$work/$name"
    cat >"$work/$name/config.json" <<TEXT
{"model_type": "$kind", "num_hidden_layers": ${layers:-$depth}, "hidden_size": $hidden, "num_attention_heads": $heads,
 "num_key_value_heads": $kv_heads, "head_dim": $head, "intermediate_size": $ffn, "vocab_size": ${vocab:-$words},
 "max_position_embeddings": 131072, $more}
TEXT
}

set_keys() { # spec: changes its `design` as --design says; an empty VALUE removes the key
    local key
    for key in "${keys[@]}"; do
        sed -i "/^  ${key%%=*}:/d" "$1"
        [ -z "${key#*=}" ] || sed -i "s/^design:.*/&\n  ${key%%=*}: ${key#*=}/" "$1"
    done
}

# Simulates the design with random weights. Prints a row with simulated and forecast cycles to descriptor 3.
simulated() { # name, format, spec
    local design=$work/$1.$2 ids
    ids=$(seq -s , 1 "${request%:*}")
    "$rill" gen "$3" -o "$design" && "$rill" pack "$3" --weights random:1 -o "$design" &&
        "$rill" sim "$design" --prompt-ids "$ids" --tokens "${request#*:}" --ignore-eot --json "$work/sim.json" &&
        "$rill" forecast "$3" "$request" --json >"$work/forecast.json" || return
    python3 - "$1" "$2" "$work/sim.json" "$work/forecast.json" >&3 <<'TEXT'
import json, sys

sim, forecast = (json.load(open(path)) for path in sys.argv[3:])
made, told = (run["cycles_prefill"] + run["cycles_decode"] for run in (sim, forecast))
print("| {} | `{}` | {:,} | {:,} | {:+.2f} % | {:,} on {} streams | {} |".format(
    sys.argv[1], sys.argv[2], made, told, 100 * (told / made - 1), sim["values_compared"], sim["streams_compared"],
    "yes" if sim["match"] else "no"))
TEXT
}

row() { # name, format of the weights: imports the model and prints its row of the table
    local spec=$work/$1.$2.yaml how=(--quick)
    [ -z "$search" ] || how=()
    "$rill" import "$work/$1" -o "$work" --name "${1//./-}" --context "$context" --board "$board" --weights "$2" \
        "${how[@]}" >"$work/import.log" || return
    cp "$work/${1//./-}.yaml" "$spec"
    set_keys "$spec"
    if [ "$simulate" ]; then
        simulated "$1" "$2" "$spec" 3>&1 >>"$work/sim.log" 2>&1
        return
    fi
    "$rill" check "$spec" --json >"$work/check.json" || return
    "$rill" forecast "$spec" "$request" --json >"$work/forecast.json" || return
    python3 - "$1" "$2" "$work/check.json" "$work/forecast.json" <<'TEXT'
import json, sys

check, forecast = (json.load(open(path)) for path in sys.argv[3:])
decode = forecast["decode"]
bytes_read = decode["memory_cycles"] / forecast["clock_mhz"] / 1e6 * forecast["sustained_gbs"] * 1e9 * check["channels"]
print("| {} | `{}` | {} | {:,.0f} | {:.1f} | {:.0f} | {:.1f} | {:.1f} | {:.0f} |".format(
    sys.argv[1], sys.argv[2], check["channels"], forecast["tokens_per_second"], forecast["ttft_ms"],
    bytes_read / decode["steps"] / 1e6, 100 * decode["hbm_of_peak"], 100 * decode["hbm_of_sustained"],
    check["resources"]["percent"]["lut"]))
TEXT
}

if [ "$simulate" ]; then
    echo "| model | weights | cycles simulated | forecast | difference | compared with golden | equal |"
    echo "|---|---|---:|---:|---:|---:|---|"
else
    echo "| model | weights | channels | tokens/s | TTFT, ms | MB per step | of peak, % | of sustained, % | LUTs, % |"
    echo "|---|---|---:|---:|---:|---:|---:|---:|---:|"
fi
status=0
while IFS= read -r line; do
    name=${line%%|*}
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    config "$line"
    for format in $weights; do row "$name" "$format" || status=1; done
done < <(models)
exit $status
