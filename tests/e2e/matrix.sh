#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Spec to ids: every design point is generated, packed, built and simulated; the streams must match the golden model as
# they flow, the ids must be those of `rill golden`, and the logits of all design points of one model and weight format
# must be the same bytes. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/judge.sh"

usage() {
    cat <<'TEXT'
usage: tests/e2e/matrix.sh [--all | --set test | --set deep] [--list | --kinds] [--jobs N] [design...]
  --set X   of the design points those of `make test`, or those of `make test-deep`
  --all     {int8, int4} x {1, 2, 3, 4, 8} channels x {256, 512} bit x T in {1, 2}, all odd sizes, three seeds
  --list    print the design points and stop
  --kinds   print the kinds of logits that are compared with one another and stop
  --jobs N  design points made side by side (default 2)
  design    names of design points to run (default: all of the list)
TEXT
}

# name | what its results must equal: model and format (group included) | spec | weights | request sets | seeds of the
# memory's jitter | values of the spec
# Every family whole, with one engine and with one for every product, to the end of a context that is short, but longer
# than its windows.
family_points() {
    local family spec
    for family in gpt2 llama qwen2 qwen3 gemma2 gemma3; do
        spec=$root/tests/e2e/specs/$family.yaml
        [ $family != gpt2 ] || spec=$root/tests/e2e/specs/odd.yaml
        echo "$family|$family|$spec|random:3|span|0|context=23"
        echo "$family-spatial|$family|$spec|random:3|span|1|context=23 channels=10 binding=spatial"
    done
}

representative_points() {
    family_points
    cat <<TEXT
int8-4x512-T2|story-int8|$story|$model|prompts lengths blocks end stop|0|channels=4 beat_bits=512 T=2 weights=int8
int4-3x256-T2|story-int4|$story|$model|stop|2|channels=3 beat_bits=256 T=2 weights=int4
odd|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end ends|0|
odd-T4-A2|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0|A=2
odd-T4-A4|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0|A=4
odd-T8-A4-pumped|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths|0|channels=2 T=8 A=4
odd-pump2|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths|0|pump=2
pump-pumped|odd|$root/tests/e2e/specs/pump.yaml|random:1|lengths|0|
odd-T2-A2-pump2-pumped|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths|0|channels=2 T=2 A=2 pump=2
dies|dies|$root/tests/e2e/specs/dies.yaml|random:1|end|0|
dies-A4|dies|$root/tests/e2e/specs/dies.yaml|random:1|end|0|T=4 A=4
cut-A4|cut|$root/tests/e2e/specs/cut.yaml|random:1|end|0|T=8 A=4
cut|cut|$root/tests/e2e/specs/cut.yaml|random:1|end|0|
dealt|dealt|$root/tests/e2e/specs/dealt.yaml|random:1|end|1|
headasym-4x512-T2|story-headasym|$story|$model|stop|1|weights=int4_asym head=int4_asym
embed16-3x256-T4|story-embed16|$story|$model|stop|1|channels=3 beat_bits=256 T=4 lanes=32 head=int4_asym embedding=int16
head80|head80|$root/tests/e2e/specs/head80.yaml|random:2|lengths|1|
grouped|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths end|1|
grouped-heads|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths end|0|T=4 query_heads=8
attentions|attentions|$root/tests/e2e/specs/attentions.yaml|random:3|end|0|fifo=timed channels=4
attentions-heads|attentions|$root/tests/e2e/specs/attentions.yaml|random:3|end|0|channels=4 query_heads=2
sampling|sampling|$root/tests/e2e/specs/sampling.yaml|random:1|drawn listed|0 1|
sampling-3x256-T1|sampling|$root/tests/e2e/specs/sampling.yaml|random:1|drawn listed|1|channels=3 T=1 lanes=2
inputs|inputs|$root/tests/e2e/specs/inputs.yaml|random:3|rows-blocks|0|
gated|gated|$root/tests/e2e/specs/gated.yaml|random:4|end|0|
rectified|rectified|$root/tests/e2e/specs/rectified.yaml|random:5|rows|0|
llama_block|llama_block|$root/tests/e2e/specs/llama_block.yaml|random:3|lengths end|0|
formats|formats|$root/tests/e2e/specs/formats.yaml|random:3|end|0|
gemma2-long|gemma2-long|$root/tests/e2e/specs/gemma2.yaml|random:3|end|0|channels=4 context=90
rope|rope|$root/tests/e2e/specs/rope.yaml|random:1|rows|0 1|
composites|composites|$root/tests/e2e/specs/composites.yaml|random:3|rows|0 1|
blocks|blocks|$root/tests/e2e/specs/blocks.yaml|random:3|rows|0 1|
asym|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|
asym-int10|asym-int10|$root/tests/e2e/specs/asym.yaml|random:1|rows|0|activations=int10 A=2
asym-T4-A4|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0|T=4 A=4
asym-int10-A4|asym-int10|$root/tests/e2e/specs/asym.yaml|random:1|rows|0|activations=int10 T=8 A=4
asym-long|asym_long|$root/tests/e2e/specs/asym_long.yaml|random:1|rows|0|
transpose|transpose|$root/tests/e2e/specs/transpose.yaml|random:1|rows|0 1|
mixer|mixer|$root/tests/e2e/specs/mixer.yaml|random:1|rows|0 1|
lanes|lanes|$root/tests/e2e/specs/lanes.yaml|random:1|rows|0 1|
carried|carried|$root/tests/e2e/specs/carried.yaml|random:1|rows|0 1|
odd-groups|odd|$root/tests/e2e/specs/odd.yaml|random:1|end|1|on_chip_kib=14 dies=3
spills|spills|$root/tests/e2e/specs/spills.yaml|random:11|rows|0 1|
witness-lookup|lookup|$root/tests/witness/lookup.yaml|$root/tests/witness/lookup|rows-file|1|
TEXT
}

complete_points() {
    local format channels bits positions family
    for format in int8 int4; do
        for channels in 1 2 3 4 8; do
            for bits in 256 512; do
                for positions in 1 2; do
                    echo "$format-${channels}x$bits-T$positions|story-$format|$story|$model|$(
                    )prompts stop lengths blocks|1 2 3|channels=$channels beat_bits=$bits T=$positions weights=$format"
                done
            done
        done
    done
    family_points
    for family in llama qwen2 qwen3 gemma2 gemma3; do
        echo "$family-end|$family-end|$root/tests/e2e/specs/$family.yaml|random:3|end|0 1|"
    done
    cat <<TEXT
int8-4x512-T8|story-int8|$story|$model|prompts lengths blocks end|0|channels=4 T=8 lanes=32
int8-2x512-T4|story-int8|$story|$model|prompts lengths blocks end|1|channels=2 T=4 lanes=1
int8-4x512-T2-end|story-int8|$story|$model|end|2|channels=4 T=2
int8-16x512-T2-spatial|story-int8|$story|$model|prompts lengths blocks|1|channels=16 binding=spatial
int4all-4x512-T2|story-int4all|$story|$model|prompts stop|1|weights=int4 head=int4
int4all-3x256-T1|story-int4all|$story|$model|prompts|2|weights=int4 head=int4 channels=3 beat_bits=256 T=1
int4g256-2x512-T2|story-int4g256|$story|$model|prompts|1|weights=int4 group=256 channels=2
odd|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end ends|0 1|
odd-T4-A2|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|A=2
odd-T8-A2|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|channels=5 T=8 A=2
odd-T4-A4|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|A=4
odd-T8-A4|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|channels=5 T=8 A=4 fifo=timed
odd-T8-A4-pumped|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths|0 1|channels=2 T=8 A=4
odd-spatial-T4-A4|odd|$root/tests/e2e/specs/odd.yaml|random:1|end|1|channels=11 binding=spatial A=4
odd-int10-A4|odd-int10|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|activations=int10 A=4
dies-A4|dies|$root/tests/e2e/specs/dies.yaml|random:1|lengths end|0 1|T=4 A=4
cut-A4|cut|$root/tests/e2e/specs/cut.yaml|random:1|lengths end|0 1|T=8 A=4
asym-T4-A4|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|T=4 A=4
asym-T8-A4-pumped|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|T=8 A=4
odd-pump2|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|pump=2
odd-T8-A2-pump2|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|channels=5 T=8 A=2 pump=2
pump-pumped|odd|$root/tests/e2e/specs/pump.yaml|random:1|lengths|0 1|
odd-T2-A2-pump2-pumped|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths|0 1|channels=2 T=2 A=2 pump=2
cut-pump2|cut|$root/tests/e2e/specs/cut.yaml|random:1|end|0 1|pump=2
asym-T4-A2-pump2|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|T=4 A=2 pump=2
asym-int10-pump2-pumped|asym-int10|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|activations=int10 pump=2
asym-int10-A4|asym-int10|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|activations=int10 T=8 A=4
grouped-heads-T8-A4|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|blocks end|0 1|T=8 A=4 query_heads=3
int4-4x512-T8-A4|story-int4|$story|$model|prompts stop|1|T=8 A=4 weights=int4
odd-T2-A2|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|1|channels=2 T=2 A=2 fifo=timed
odd-T8|odd|$root/tests/e2e/specs/odd.yaml|random:1|end|1|T=8
odd-dies|odd|$root/tests/e2e/specs/odd.yaml|random:1|end|1|dies=3
dies|dies|$root/tests/e2e/specs/dies.yaml|random:1|lengths end|0 1|
cut|cut|$root/tests/e2e/specs/cut.yaml|random:1|lengths end|0 1|
cut-T2-A1|cut|$root/tests/e2e/specs/cut.yaml|random:1|lengths end|0 1|T=2 A=1 fifo=timed
cut-far|cut_far|$root/tests/e2e/specs/cut_far.yaml|random:1|lengths end|0 1|
dies-T2-A1|dies|$root/tests/e2e/specs/dies.yaml|random:1|lengths end|0 1|T=2 A=1 fifo=timed
odd-spatial-T8-A2|odd|$root/tests/e2e/specs/odd.yaml|random:1|end|1|channels=11 binding=spatial T=8 A=2
grouped-T8-A2|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths blocks|1|T=8 A=2
head80-T4-A2|head80|$root/tests/e2e/specs/head80.yaml|random:2|blocks end|1|T=4 A=2
head128-T8-A2|head128|$root/tests/e2e/specs/head128.yaml|random:4|blocks|1|T=8 A=2 beat_bits=512
layers7-T2-A2|layers7|$root/tests/e2e/specs/layers7.yaml|random:5|blocks|1|T=2 A=2
int4-4x512-T8-A2|story-int4|$story|$model|prompts stop|1|T=8 A=2 weights=int4
odd-1x256-T1|odd|$root/tests/e2e/specs/odd.yaml|random:1|end|0 1|channels=1 T=1 lanes=32
odd-1x512-T1|odd-g128|$root/tests/e2e/specs/odd.yaml|random:1|end|0 1|channels=1 T=1 lanes=32 group=128
odd-spatial|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|channels=11 binding=spatial
odd-8x256-T2|odd|$root/tests/e2e/specs/odd.yaml|random:1|end|0 1|channels=8 T=2 lanes=2
head80|head80|$root/tests/e2e/specs/head80.yaml|random:2|lengths blocks end|0 1|
head80-spatial|head80|$root/tests/e2e/specs/head80.yaml|random:2|lengths blocks end|0 1|channels=9 binding=spatial
head80-3x256-T1|head80|$root/tests/e2e/specs/head80.yaml|random:2|blocks end|1|channels=3 beat_bits=256 T=1 lanes=8
head128|head128|$root/tests/e2e/specs/head128.yaml|random:4|lengths blocks end|1|
head128-2x256-T1|head128|$root/tests/e2e/specs/head128.yaml|random:4|blocks end|1|channels=2 beat_bits=256 T=1
layers7|layers7|$root/tests/e2e/specs/layers7.yaml|random:5|lengths blocks end|0 1|
layers7-4x512-T4|layers7-g128|$root/tests/e2e/specs/layers7.yaml|random:5|blocks end|1|channels=4 beat_bits=512 T=4 \
    lanes=2 group=128
layer1|layer1|$root/tests/e2e/specs/layer1.yaml|random:6|blocks end|0 1 2 3|
layer1-spatial|layer1|$root/tests/e2e/specs/layer1.yaml|random:6|blocks end|1 2|channels=14 binding=spatial
layer1-8x256-T8|layer1|$root/tests/e2e/specs/layer1.yaml|random:6|blocks end|1 2|channels=8 beat_bits=256 T=8
blocks|blocks|$root/tests/e2e/specs/blocks.yaml|random:3|rows|0 1|
asym|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|
asym-long|asym_long|$root/tests/e2e/specs/asym_long.yaml|random:1|rows|0|
asym-2x512-T4-A2|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|channels=2 beat_bits=512 T=4 A=2
asym-int10|asym-int10|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|activations=int10 A=2
asym-spatial-int10|asym-int10|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|channels=5 binding=spatial T=1 \
    activations=int10
odd-int10|odd-int10|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|activations=int10
odd-spatial-int10|odd-int10|$root/tests/e2e/specs/odd.yaml|random:1|end|1|channels=11 binding=spatial activations=int10
asym-spatial|asym|$root/tests/e2e/specs/asym.yaml|random:1|rows|0 1|channels=5 binding=spatial T=1
asym-long-int10|asym_long10|$root/tests/e2e/specs/asym_long.yaml|random:1|rows|0|activations=int10 T=2 A=2
asym-long-spatial|asym_long|$root/tests/e2e/specs/asym_long.yaml|random:1|rows|0|channels=3 binding=spatial
dealt|dealt|$root/tests/e2e/specs/dealt.yaml|random:1|end|1|
dealt-int16|dealt-int16|$root/tests/e2e/specs/dealt.yaml|random:1|end|1|channels=8 embedding=int16
dealt-spatial|dealt|$root/tests/e2e/specs/dealt.yaml|random:1|end|1|channels=12 binding=spatial
headasym-3x256-T1|story-headasym4|$story|$model|stop|2|weights=int4_asym head=int4_asym embedding=int4 channels=3 \
    beat_bits=256 T=1
int4asym-3x256-T2|story-int4asym|$story|$model|stop|2|channels=3 beat_bits=256 T=2 weights=int4_asym
transpose|transpose|$root/tests/e2e/specs/transpose.yaml|random:1|rows|0 1|
mixer|mixer|$root/tests/e2e/specs/mixer.yaml|random:1|rows|0 1|
lanes|lanes|$root/tests/e2e/specs/lanes.yaml|random:1|rows|0 1|
lanes-unroll|lanes|$root/tests/e2e/specs/lanes.yaml|random:1|rows|0 1|unroll=90
carried|carried|$root/tests/e2e/specs/carried.yaml|random:1|rows|0 1|
grouped|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths blocks end|0 1|
llama_block-1x512-T8|llama_block-g128|$root/tests/e2e/specs/llama_block.yaml|random:3|blocks end|1|channels=1 \
    beat_bits=512 T=8 lanes=8 group=128 fifo=timed
llama_block-spatial|llama_block|$root/tests/e2e/specs/llama_block.yaml|random:3|lengths end|1|channels=13 \
    binding=spatial T=1
rope-timed|rope|$root/tests/e2e/specs/rope.yaml|random:1|rows|0 1|fifo=timed T=4 lanes=8
composites-spatial|composites|$root/tests/e2e/specs/composites.yaml|random:3|rows|0 1|channels=14 binding=spatial \
    fifo=timed
grouped-spatial|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths blocks end|0 1|channels=13 binding=spatial
grouped-heads|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths blocks end|0 1|T=4 query_heads=8
grouped-heads-T8-A2|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|blocks end|0 1|T=8 A=2 query_heads=3
grouped-heads-spatial|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths blocks end|0 1|channels=13 \
    binding=spatial T=4 query_heads=3
grouped-heads-groups|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths end|0 1|on_chip_kib=20 T=4 \
    query_heads=3
gemma2-heads|gemma2|$root/tests/e2e/specs/gemma2.yaml|random:3|end|0|channels=4 context=90 query_heads=2
attentions-heads-spatial|attentions|$root/tests/e2e/specs/attentions.yaml|random:3|lengths blocks end|0 1|channels=26 \
    binding=spatial query_heads=2
grouped-1x512-T8|grouped-g128|$root/tests/e2e/specs/grouped.yaml|random:9|blocks end|1|channels=1 beat_bits=512 T=8 \
    group=128
grouped-8x512-T1|grouped-g128|$root/tests/e2e/specs/grouped.yaml|random:9|blocks end|1|channels=8 beat_bits=512 T=1 \
    lanes=1 group=128
attentions-safe|attentions|$root/tests/e2e/specs/attentions.yaml|random:3|lengths blocks end|0 1|fifo=safe
attentions-spatial|attentions|$root/tests/e2e/specs/attentions.yaml|random:3|lengths blocks end|0 1|channels=26 \
    binding=spatial
attentions-groups|attentions|$root/tests/e2e/specs/attentions.yaml|random:3|blocks end|0 1|on_chip_kib=20
attentions-7x512-T8-A2|attentions-g128|$root/tests/e2e/specs/attentions.yaml|random:3|blocks end|0|channels=7 \
    beat_bits=512 T=8 A=2 lanes=2 group=128 fifo=timed
blocks-1x512|blocks-g128|$root/tests/e2e/specs/blocks.yaml|random:3|rows|0 1|channels=1 beat_bits=512 group=128 lanes=32
odd-groups|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|on_chip_kib=14
odd-groups-dies|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|on_chip_kib=14 dies=3
odd-groups-timed|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|on_chip_kib=14 fifo=timed
odd-groups-spatial|odd|$root/tests/e2e/specs/odd.yaml|random:1|lengths end|0 1|on_chip_kib=24 channels=11 \
    binding=spatial
grouped-groups|grouped|$root/tests/e2e/specs/grouped.yaml|random:9|lengths blocks end|0 1|on_chip_kib=11
layer1-groups|layer1|$root/tests/e2e/specs/layer1.yaml|random:6|blocks end|0 1|on_chip_kib=3
blocks-groups|blocks|$root/tests/e2e/specs/blocks.yaml|random:3|rows|0 1|on_chip_kib=3
sampling|sampling|$root/tests/e2e/specs/sampling.yaml|random:1|drawn listed|0 1|
sampling-3x256-T1|sampling|$root/tests/e2e/specs/sampling.yaml|random:1|drawn listed|1|channels=3 T=1 lanes=2
spills|spills|$root/tests/e2e/specs/spills.yaml|random:11|rows|0 1|
spills-timed|spills|$root/tests/e2e/specs/spills.yaml|random:11|rows|0 1|fifo=timed
int8-4x512-T4-groups|story-int8|$story|$model|text prompts|0 1|channels=4 T=4 on_chip_kib=50
blocks-spatial|blocks|$root/tests/e2e/specs/blocks.yaml|random:3|rows|0 1|binding=spatial
transpose-1|transpose|$root/tests/e2e/specs/transpose.yaml|random:1|rows|0 1|lanes=1 T=1
mixer-spatial|mixer|$root/tests/e2e/specs/mixer.yaml|random:1|rows|0 1|binding=spatial lanes=2 T=4
five|five|$root/tests/e2e/specs/five.yaml|random:7|rows|0 1|
kernels|kernels|$root/tests/e2e/specs/kernels.yaml|random:5|rows|0 1|
steps|steps|$root/tests/e2e/specs/steps.yaml|random:5|lengths|0 1|
steps-T1|steps|$root/tests/e2e/specs/steps.yaml|random:5|lengths|0|T=1 lanes=8 channels=1 fifo=safe
tables|tables|$root/tests/e2e/specs/tables.yaml|random:5|lengths|0 1|
tables-T1|tables|$root/tests/e2e/specs/tables.yaml|random:5|lengths|0|T=1 lanes=8 channels=1 fifo=safe
linear|linear|$root/configs/graph-linear.yaml|random:8|rows|0 1|
linear-2|linear|$root/configs/graph-linear.yaml|random:8|rows|0 1|channels=2
witness-attention|attention|$root/tests/witness/attention.yaml|$root/tests/witness/attention|rows-file|0|T=2
witness-caps|caps|$root/tests/witness/caps.yaml|$root/tests/witness/caps|rows-file|1|T=2
witness-window|window|$root/tests/witness/window.yaml|$root/tests/witness/window|rows-file|1|T=4
witness-lookup|lookup|$root/tests/witness/lookup.yaml|$root/tests/witness/lookup|rows-file|1|
witness-turns|turns|$root/tests/witness/turns.yaml|$root/tests/witness/turns|rows-file|1|T=4
gpt2-124m-layer|gpt2-124m-layer|$root/configs/gpt2-124m-layer.yaml|random:1|lengths blocks|1|
gpt2-124m-layer-groups|gpt2-124m-layer|$root/configs/gpt2-124m-layer.yaml|random:1|lengths blocks|1|on_chip_kib=160
TEXT
}

# Those of `make test`; the others run in `make test-deep`. Logits are compared within a set, so designs of one kind
# stay together.
quick_points=" inputs blocks mixer lanes $(family_points | cut -d'|' -f1 | tr '\n' ' ')"

# Of the representative ones the one that is built from all of its Verilog, as a user does; the others with what all
# designs have in common (tests/units.sh), in a third of the time and for runs of a third.
whole_point=int8-4x512-T2

in_set() { # test, deep or nothing; the lines of the table are read
    local line
    while IFS= read -r line; do
        case $1$quick_points in
            test*" ${line%%|*} "*) echo "$line" ;;
            deep*" ${line%%|*} "* | test*) ;;
            *) echo "$line" ;;
        esac
    done
}

# Its own line, one per run, and one for the forecast of each run without jitter.
checks_of_point() { # line of the table
    local name key spec weights sets seeds values count
    IFS='|' read -r name key spec weights sets seeds values <<<"$1"
    count=$(wc -w <<<"$seeds")
    [[ " $seeds " != *" 0 "* ]] || count=$((count + 1))
    echo $((1 + $(wc -w <<<"$sets") * count))
}

check_point() { # line of the table: the unit of parallel work
    local name key spec weights sets seeds values set seed start=$SECONDS build
    IFS='|' read -r name key spec weights sets seeds values <<<"$1"
    # shellcheck disable=SC2086 # one word per value
    variant "$spec" "$work/$name.yaml" $values
    log=$work/$name.log
    again="tests/e2e/matrix.sh $name"
    [ "$thorough" = 0 ] || again="tests/e2e/matrix.sh --all $name"
    # Where runs take seconds, a build that does is worth more than a fast simulation.
    build=build_design
    if [[ $name != "$whole_point" && $name != gpt2-124m-* &&
            ($thorough == 0 || $weights == random:* || $name == *-groups) ]]; then
        export RILL_QUICK_BUILD=1
        [ $thorough != 0 ] || build=build_soon
    fi
    # Multipliers at twice the clock (`A: 4`, `pump: 2`) as they are made; in all other designs of their kind as they
    # are fast.
    if [[ $name == *-pumped ]]; then
        export RILL_PUMPED=1
        build=build_design
    fi
    if ! make_design "$name" "$work/$name.yaml" "$weights" >"$log" 2>&1; then
        fail "$name" "$(reason)"
        return
    fi
    if ! $build "$name" >"$log" 2>&1; then
        fail "$name" "the simulation does not build: $(reason)"
        return
    fi
    ok "$name: generated, packed and built ($((SECONDS - start)) s)"
    for set in $sets; do
        set_requests "$set" "$work/$name.yaml" "$thorough" || fail "$name" "no set $set"
        for seed in $seeds; do check_run "$name" "$key" "$set" "$seed"; done
    done
}

# The ids of the golden model, once for all design points of one model and format.
make_golden() {
    local name key spec weights sets seeds values set
    while IFS='|' read -r name key spec weights sets seeds values; do
        # shellcheck disable=SC2086
        variant "$spec" "$work/golden.yaml" $values
        [[ $sets != *rows* ]] || continue
        for set in $sets; do
            # Prompt lengths depend on T, so this set is the design point's own.
            [ "$set" != lengths ] || continue
            [ -s "$work/golden/$key.$set" ] && continue
            golden_ids "$work/golden.yaml" "$weights" "$set" "$thorough" >"$work/golden/$key.$set" 2>"$log" ||
                fail "golden $key $set" "$(reason)"
        done
    done <<<"$1"
}

# What is compared with one another, a line for each kind that several runs of language models share.
kinds_of_logits() { # lines of the table
    local name key spec weights sets seeds values set seed
    while IFS='|' read -r name key spec weights sets seeds values; do
        for set in $sets; do
            for seed in $seeds; do
                case $set in
                    rows*) ;;
                    lengths) echo "$key.$set.$name" ;;
                    *) echo "$key.$set" ;;
                esac
            done
        done
    done <<<"$1" | sort | uniq -d
}

export thorough=${thorough:-0}
if [ "${1:-}" = --check-point ]; then
    check_point "$2"
    exit 0
fi

all=0 list=0 jobs=2 half=""
wanted=" "
while [ $# -gt 0 ]; do
    case $1 in
        --all) all=1 thorough=1 ;;
        --set)
            [[ "${2:-}" =~ ^(test|deep)$ ]] || { usage >&2; exit 2; }
            half=$2 && shift
            ;;
        --list) list=1 ;;
        --kinds) list=2 ;;
        --jobs)
            [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || { usage >&2; exit 2; }
            jobs=$2
            shift
            ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) wanted+="$1 " ;;
    esac
    shift
done
if [ $all = 1 ]; then points=$(complete_points); else points=$(representative_points | in_set "$half"); fi
if [ "$wanted" != " " ]; then
    points=$(while IFS= read -r line; do [[ $wanted != *" ${line%%|*} "* ]] || echo "$line"; done <<<"$points")
    [ -n "$points" ] || { echo "no such design point (--list shows them)" >&2; exit 2; }
fi
if [ $list = 1 ]; then
    cut -d'|' -f1 <<<"$points"
    exit 0
fi

[ $list = 0 ] || { kinds_of_logits "$points" && exit 0; }

rm -rf "$work/golden" "$work/logits"
mkdir -p "$work/golden" "$work/logits"
log=$work/golden.log
plan "$(kinds_of_logits "$points" | grep -c .)"
make_golden "$points"
while IFS= read -r point; do
    add_job "$(checks_of_point "$point")" "${BASH_SOURCE[0]}" --check-point "$point"
done <<<"$points"
run_jobs "$jobs"
compare_logits "$work/logits" # of design points and seeds; for `lengths` of the seeds of one design point
verdict
