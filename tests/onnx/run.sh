#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests `rill import` with ONNX files: compares results with numpy's, checks the tables that it prints, and files that
# it must refuse. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/onnx/run.sh [--set test | --set deep] [name...]
  --set test  imports models and trained networks, and compares their values (the default)
  --set deep  simulates the trained networks whose RTL the test set does not simulate, one row each, and the designs of
              the sample of nodes (tests/onnx/sample.py). Compares the exact results of the quantized file `steps`
  name        models of tests/onnx/models; with --set deep, designs of the sample, or `steps` (default: all, and the
              checks that need no name)
Each model is imported; the float side of its spec gives the results that numpy gave (tests/onnx/models.py). So do the
trained networks (tests/onnx/train.py), whose exact results are compared as well.
TEXT
}

names=() set=test
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) usage; exit 0 ;;
        --set) set=${2:-} && [[ $set == @(test|deep) ]] && shift || { usage >&2; exit 2; } ;;
        -*) usage >&2; exit 2 ;;
        *) names+=("$1") ;;
    esac
    shift
done
here=$root/tests/onnx
work=$root/build/onnx
log=$work/log
rm -rf "$work" && mkdir -p "$work/hostile"
all=${#names[@]}

import() { # model, options
    "$rill" import "$here/models/$1.onnx" -o "$work/$1" "${@:2}" >"$work/$1.table"
}

# Prints the options with which a model is imported.
options_of() { # model
    case $1 in
        part) echo --cut ;;
        chosen) echo --set rate=16000 ;;
    esac
}

# Imports a model, and compares the results of its float side with numpy's.
# shellcheck disable=SC2046 # options are words
values() { # model
    import "$1" $(options_of "$1") &&
        "$rill" golden "$work/$1/$1.yaml" --weights "$work/$1" --float --inputs "$here/models/$1.in.safetensors" \
            --outputs "$work/$1/got.safetensors" &&
        python3 "$here/compare.py" "$here/models/$1.want.safetensors" "$work/$1/got.safetensors"
}

# Imports a model with its weights on chip, where convolutions may be wide, and compares the results of its float side
# with numpy's.
on_chip() { # model, texts of the spec
    "$rill" import "$here/models/$1.onnx" -o "$work/chip/$1" --on-chip >"$work/$1.chip" &&
        says "$work/chip/$1/$1.yaml" 'resident: all' "${@:2}" &&
        "$rill" golden "$work/chip/$1/$1.yaml" --weights "$work/chip/$1" --float \
            --inputs "$here/models/$1.in.safetensors" --outputs "$work/chip/$1/got.safetensors" &&
        python3 "$here/compare.py" "$here/models/$1.want.safetensors" "$work/chip/$1/got.safetensors"
}

# Imports a trained network, compares the results of its float side with numpy's, and checks that the exact results are
# nearly as good.
trained() { # network
    local spec=$work/trained/$1/$1.yaml from=$here/trained/$1
    local run=("$rill" golden "$spec" --weights "$work/trained/$1" --inputs "$from.in.safetensors" --outputs)
    "$rill" import "$from.onnx" -o "$work/trained/$1" &&
        "${run[@]}" "$work/trained/$1/float.safetensors" --float &&
        python3 "$here/compare.py" "$from.want.safetensors" "$work/trained/$1/float.safetensors" &&
        "${run[@]}" "$work/trained/$1/exact.safetensors" &&
        python3 "$here/accuracy.py" "$from.want.safetensors" "$from.labels.safetensors" \
            "$work/trained/$1/exact.safetensors"
}

# Checks that the simulated design of a model computes the bits of the oracle, and that `rill check` finds that it fits.
# Writes the results to build/onnx/rtl/NAME/got.safetensors.
rtl() { # name, rows, folder (default: trained)
    local to=$work/rtl/$1 from=$here/${3:-trained}/$1
    local spec=$to/$1.yaml
    "$rill" import "$from.onnx" -o "$to" &&
        "$rill" check "$spec" >"$to/check" &&
        "$rill" gen "$spec" -o "$to/design" &&
        "$rill" pack "$spec" --weights "$to" -o "$to/design" &&
        "$rill" sim "$to/design" --quick-build --inputs "$from.in.safetensors" --tokens "$2" \
            --outputs "$to/got.safetensors" --quiet
}

# Imports a quantized file, and counts the exact results that are off by one step or more (tests/onnx/steps.py).
steps() { # model, format of the activations
    local to=$work/steps/$2
    "$rill" import "$here/models/$1.onnx" -o "$to" && sed -i "s/activations: int10/activations: $2/" "$to/$1.yaml" &&
        "$rill" golden "$to/$1.yaml" --weights "$to" --inputs "$here/models/$1.in.safetensors" \
            --outputs "$to/exact.safetensors" &&
        python3 "$here/steps.py" "$here/models/$1.want.safetensors" "$to/exact.safetensors"
}

# Checks that steps.py finds too many elements that are off if activations have fewer bits.
too_coarse() { # model
    local said
    said=$(steps "$1" int8 2>&1) && { echo "error: no element is off"; return 1; }
    [[ $said == *"too many elements are off"* ]] || { echo "error: $said"; return 1; }
}

# Lists the checks of the sample of nodes: for each design its RTL, and for each node of the design the values.
sample() { # designs (default: all)
    local design place op node last=""
    while IFS=$'\t' read -r design place op node; do
        [ $# = 0 ] || [[ " $* " == *" $design "* ]] || continue
        [ "$design" = "$last" ] || queue check "sample $design: RTL" rtl "$design" 3 sample
        queue check "sample $design: $place: $node" node_values "$design" "$place"
        last=$design
    done <"$work/nodes"
}

# Compares the simulated results of a node with numpy's.
node_values() { # design, place
    python3 "$here/sample.py" compare "$1" "$2" "$work/rtl/$1/got.safetensors"
}

# Checks that the sample has this many nodes.
sample_has() { # nodes
    [ "$(wc -l <"$work/nodes")" = "$1" ] || { echo "error: $(wc -l <"$work/nodes") nodes instead of $1"; return 1; }
}

says() { # file, texts
    local text
    for text in "${@:2}"; do
        grep -qF -e "$text" "$1" || { echo "error: no \`$text\` in $1"; return 1; }
    done
}

# Checks that rows of a large image share reads of the weights.
large() { # model, options
    "$rill" import "$here/models/$1.onnx" -o "$work/large/$1" "${@:2}" >"$work/$1.large" &&
        says "$work/large/$1/$1.yaml" 'tensor_rows: 2'
}

spec() { says "$work/$1/$1.yaml" "${@:2}"; } # model, texts
table() { says "$work/$1.table" "${@:2}"; }  # model, texts

nothing_written() { # folder
    [ ! -e "$1" ] || { echo "error: $1 was written"; return 1; }
}

if [ "$set" = deep ]; then
    python3 "$here/sample.py" list >"$work/nodes"
    queue check "the sample has 101 nodes" sample_has 101
    sample ${names[@]+"${names[@]}"}
    if [ "$all" = 0 ] || [[ " ${names[*]} " == *" steps "* ]]; then
        queue check "a quantized file: exact results in steps of the file" steps steps int10
        queue check "a quantized file: int8 activations, which do not hold its integers, are found" too_coarse steps
    fi
    if [ "$all" = 0 ]; then
        for name in digits keywords patches; do queue check "trained $name: RTL" rtl "$name" 1; done
    fi
    run_queue
    verdict
    exit
fi
if [ "$all" = 0 ]; then
    for file in "$here"/models/*.onnx; do names+=("$(basename "$file" .onnx)"); done
fi
for model in "${names[@]}"; do
    name="$model: the values are numpy's"
    if [ "$model" = picture ] && ! "$rill" explain conv >/dev/null 2>&1; then queue skip "$name" "no operation conv"
    else queue check "$name" values "$model"
    fi
done
if [ "$all" = 0 ]; then
    for file in "$here"/trained/*.onnx; do
        name=$(basename "$file" .onnx)
        queue check "trained $name: float and exact values" trained "$name"
    done
    queue check "trained jets: RTL" rtl jets 4
    queue check "weights on chip: strides, padding and groups of wide convolutions" on_chip picture \
        'rows: 64, size: [3], stride: [2], pads: [1, 1]' 'rows: 96, size: [1]'
    queue check "weights on chip: wide transposed convolutions" on_chip spread 'rows: 144, size: [3], pads: [1, 2]'
    queue check "weights on chip: lanes" on_chip mlp 'binding: spatial' 'resident_lanes: '
    queue check_refused "weights on chip for a checkpoint" 1 "\`--on-chip\` is only for ONNX files" \
        "$rill" import "$root/models/tinystories-gpt2-1m" -o "$work/none" --on-chip
    queue check "names of the model" spec mlp '"fc1.weight"' 'x: {shape: [24]}' 'outputs: [y]'
    queue check "a block that repeats" spec blocks 'repeat: 6' '"encoder.layer.{layer}.up.weight"' 'op: silu' 'init: x'
    queue check "rows that share reads of the weights" spec encoder 'T: 1' 'tensor_rows: 4' 'A: 2'
    queue check "rows of vectors share reads of the weights" spec mlp 'T: 4'
    queue check "more rows than the schedule of an engine holds" large spread --dim x.2=160 --dim x.3=150
    queue check "a design that is larger than one die" spec composed 'dies: 3'
    queue check "norms and functions that are written out" spec residual 'op: layernorm' 'op: gelu'
    queue check "an RMS norm that is written out" spec rms 'op: rmsnorm' 'along: 1'
    queue check "layouts are folded into weights" spec images 'shape: [3, 4, 5]'
    queue check "steps of a recurrent operator are a region that repeats" spec recurrent 'repeat: 4'
    queue check "rows of a fixed axis" spec rows 'x: {shape: [12]}'
    queue check "a part: inputs and outputs" spec part 'wave: {shape: [16]}' 'outputs: [middle]'
    queue check "a part: what the host computes" table part 'the host computes `wave`' 'the host reads `middle`'
    queue check "the table" table functions 'LeakyRelu' 'axis 0 of the inputs, one row at a time'
    queue check_refused "not all can be written" 1 "2 of [0-9]+ nodes cannot be written" \
        "$rill" import "$here/models/part.onnx" -o "$work/none"
    queue check "nothing is written then" nothing_written "$work/none"
    queue check_refused "an axis that no input has" 1 "no input has an open axis of this name" \
        "$rill" import "$here/models/mlp.onnx" -o "$work/none" --dim M=3
    queue check_refused "a size for an axis that does not fit" 1 "Gemm.*different lengths" \
        "$rill" import "$here/models/mlp.onnx" -o "$work/none" --dim x.1=23
    queue check_refused "a size that is no number" 2 "is not NAME=N" \
        "$rill" import "$here/models/mlp.onnx" -o "$work/none" --dim N=
    queue check_refused "a condition that is not constant" 1 "1 of [0-9]+ nodes cannot be written" \
        "$rill" import "$here/models/chosen.onnx" -o "$work/none"
    queue check_refused "a value for an input that does not exist" 1 "no input has this name" \
        "$rill" import "$here/models/mlp.onnx" -o "$work/none" --set rate=1
    queue check_refused "a value for an input that is too large" 1 "more elements than a constant may have" \
        "$rill" import "$here/models/mlp.onnx" -o "$work/none" --set x=1 --dim N=1048576 --dim x.1=1048576
    queue check_refused "a value that is no number" 2 "is not NAME=NUMBER" \
        "$rill" import "$here/models/chosen.onnx" -o "$work/none" --set rate=nan
    queue check_refused "options of ONNX files for a checkpoint" 1 "\`--cut\` is only for ONNX files" \
        "$rill" import "$root/models/tinystories-gpt2-1m" -o "$work/none" --cut
    queue check_refused "options of checkpoints for an ONNX file" 1 "\`--context\` is not for ONNX files" \
        "$rill" import "$here/models/mlp.onnx" -o "$work/none" --context 8
    while IFS=$'\t' read -r name said; do
        queue check_refused "hostile: $name" 1 "$said" "$rill" import "$work/hostile/$name.onnx" -o "$work/none"
    done < <(python3 "$here/hostile.py" "$work/hostile")
    queue check "nothing is written of hostile files" nothing_written "$work/none"
fi
run_queue
verdict
