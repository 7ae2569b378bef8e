#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks faults that a user can meet between the spec and the last id. Each case must end by itself with a clear message
# and a non-zero exit status, never with wrong text or an endless wait, and the design must work afterwards.
# usage: tests/e2e/failures.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/design.sh"
[ $# = 0 ] || { sed -n "3,5s/^# //p" "$0"; exit 2; }

mkdir -p "$work/failures"
log=$work/failures/log
dir=$work/failures-odd spec=$work/failures-odd.yaml
export RILL_QUICK_BUILD=1
sim=("$rill" sim "$dir")
export rill
# The faults do not depend on the search for FIFO depths, which takes long, so it is left out.
variant "$story" "$work/failures/story.yaml" fifo=safe
story=$work/failures/story.yaml

# ---- spec and checkpoint ----

bad_spec=$work/failures/spec.yaml
sed 's/channels: 4/chanels: 4/; s/T: 2/T: 3/' "$story" >"$bad_spec"
counted check_refused "wrong spec: unknown key" 1 'spec.yaml:[0-9]+:[0-9]+: error: .*chanels' "$rill" gen "$bad_spec" \
    -o "$work/failures/spec"
counted check_refused "wrong spec: the likely spelling" 1 'did you mean .channels' "$rill" gen "$bad_spec" \
    -o "$work/failures/spec"
counted check_refused "wrong spec: the nearest legal value" 1 'nearest legal value is [24]' "$rill" gen "$bad_spec" \
    -o "$work/failures/spec"
counted check "wrong spec: nothing written" [ ! -e "$work/failures/spec" ]
counted check_refused "no such spec" 1 'error: ' "$rill" gen "$work/failures/none.yaml" -o "$work/failures/spec"
counted check_refused "no arguments" 2 'SPEC is missing' "$rill" gen
counted check_refused "unknown option" 2 'unknown option' "$rill" pack --wrong
counted check_refused "unknown command" 2 'no command' "$rill" decode
counted check_refused "unknown command: the likely one" 2 'did you mean `check`' "$rill" chek

checkpoint() { # a copy of the model's folder, to be spoilt
    rm -rf "$work/failures/model" && mkdir -p "$work/failures/model" &&
        cp "$model"/*.json "$model"/merges.txt "$model"/model.safetensors "$work/failures/model"
}
pack_story() { "$rill" pack "$story" --weights "$work/failures/model" -o "$work/failures/packed"; }
export -f pack_story
export story work

checkpoint && truncate -s 2000000 "$work/failures/model/model.safetensors"
counted check_refused "truncated checkpoint: the tensor is named" 1 'error: .*(wte|wpe|h\.[0-9]|ln_f)' bash -c \
    pack_story
checkpoint && truncate -s 100 "$work/failures/model/model.safetensors"
counted check_refused "truncated checkpoint: header" 1 'model.safetensors: error: ' bash -c pack_story
checkpoint && rm "$work/failures/model/model.safetensors"
counted check_refused "no checkpoint" 1 'model.safetensors: error: ' bash -c pack_story
checkpoint && sed -i 's/"n_embd": *128/"n_embd": 256/' "$work/failures/model/config.json"
counted check_refused "checkpoint of another size" 1 'error: ' bash -c pack_story
checkpoint && sed -i 's/"h\.2\.attn\.c_attn\.weight"/"h.2.attn.c_attn.wrong!"/' "$work/failures/model/model.safetensors"
counted check_refused "a tensor is missing" 1 'error: .*h\.2\.attn\.c_attn\.weight' bash -c pack_story
counted check "bad checkpoint: nothing written" [ ! -e "$work/failures/packed" ]
checkpoint && rm "$work/failures/model/vocab.json"
without_vocabulary() { # without a tokenizer, requests are ids
    bash -c pack_story 2>&1 | grep 'warning: the tokenizer cannot be used'
    [ "${PIPESTATUS[*]}" = "0 0" ]
}
counted check "no vocabulary: packed with a warning" without_vocabulary

# Row scales are about 2^-10. With an `exp_min` of -126 no float can hold them, and the product would be 0.
sed 's/op: quantize, name: x_q,/& exp_min: -126,/' configs/graph-linear.yaml >"$work/failures/scales.yaml"
counted check_refused "row scales too small for a float" 1 'matmul `acc`: a row scale times 2.-126 is out of range' \
    "$rill" pack "$work/failures/scales.yaml" --weights random:1 -o "$work/failures/scales"

# ---- full disk: files larger than a limit, a small file system where the user may mount one, a full device ----

limited() { # a write beyond the limit fails (File too large) instead of killing the program
    trap '' XFSZ
    ulimit -f "$1"
    shift
    "$@"
}
export -f limited
counted check_refused "full disk: gen" 1 'error: .*(large|space)' \
    bash -c "limited 8 \"$rill\" gen '$story' -o '$work/failures/full'"
counted check_refused "full disk: pack" 1 'error: .*(large|space)' \
    bash -c "limited 64 \"$rill\" pack '$story' --weights '$model' -o '$work/failures/full'"
counted check "full disk: nothing left" [ ! -e "$work/failures/full" ]
counted check_refused "full disk: golden" 1 'error: .*(large|space)' \
    bash -c "limited 64 \"$rill\" golden '$story' --weights '$model' --prompt x --tokens 64 --ignore-eot \
        --logits '$work/failures/large'"
mount_full() { # runs in a separate mount namespace
    mount -t tmpfs -o size=256k none "$1" && "$rill" gen "$story" -o "$1/design"
}
export -f mount_full
mkdir -p "$work/failures/tmpfs"
if unshare -rm true 2>/dev/null && unshare -rm mount -t tmpfs none "$work/failures/tmpfs" 2>/dev/null; then
    counted check_refused "full disk: small file system" 1 'error: .*space' unshare \
        -rm bash -c "mount_full '$work/failures/tmpfs'"
else
    counted skip "full disk: small file system" "no name spaces here"
fi
counted check_refused "full output device" 1 'error|space' \
    bash -c "\"$rill\" golden '$story' --weights '$model' --prompt x --tokens 2 --json >/dev/full"

# ---- simulation ----

variant "$root/tests/e2e/cases/odd/spec.yaml" "$spec" fifo=safe
design_for_failures() { make_design failures-odd "$spec" random:1 && build_soon failures-odd; }
counted check "the design for the failures" design_for_failures
[ $bad = 0 ] || { verdict; exit 1; }
few=(--prompt-ids 1,2,3 --tokens 2 --ignore-eot)
long=$(some_ids 41 97)
counted check_refused "no design in the folder" 1 'rill gen' "$rill" sim "$work/failures" "${few[@]}"
counted check_refused "simulation: unknown option" 2 'unknown option' "${sim[@]}" --wrong
counted check_refused "simulation: the likely option" 2 'did you mean `--inputs`' "${sim[@]}" --input rows.npy
counted check_refused "simulation: a number is no number" 2 'not a number' "${sim[@]}" --tokens many
counted check_refused "prompt longer than the context" 1 'context is 40' "${sim[@]}" --prompt-ids "$long" --tokens 2
counted check_refused "prompt longer than the context, unchecked: the design's fault" 1 'fault 2' "${sim[@]}" \
    --unchecked --prompt-ids "$long" --tokens 2
counted check_refused "empty prompt" 1 'prompt is empty' "${sim[@]}" --prompt-ids "" --tokens 2
counted check_refused "empty prompt, unchecked: the design's fault" 1 'fault 1' "${sim[@]}" --unchecked --prompt-ids \
    "" \
    --tokens 2
counted check_refused "prompt id outside the vocabulary" 1 'vocabulary' "${sim[@]}" --unchecked --prompt-ids 1,97,3 \
    --tokens 2
counted check_refused "prompt longer than the context: golden" 1 '1 to 40' "$rill" golden "$spec" --weights random:1 \
    --prompt-ids "$long" --tokens 2
counted check_refused "more ids than the context has room for" 1 \
    'after a prompt of 3 tokens the context of 40 has room for 38 ' \
    "${sim[@]}" --prompt-ids 1,2,3 --tokens 39
counted check_refused "more ids than the context has room for: golden" 1 'the context of 40 has room for 38 ' \
    "$rill" golden "$spec" --weights random:1 --prompt-ids 1,2,3 --tokens 39
counted check_refused "more ids than the context has room for: forecast" 1 'the context of 40 has room for 38 ' \
    "$rill" timeline "$spec" --prompt-len 3 --tokens 39
fills_context() { # command...: generates two ids after a prompt of 39
    "$@" | grep -oE '"token_ids": \[[0-9]+, [0-9]+\]'
}
full=(--prompt-ids "$(some_ids 39 97)" --ignore-eot) golden=("$rill" golden "$spec" --weights random:1 --json)
simulated=("${sim[@]}" --quiet --json -)
counted check "as many ids as there is room for" fills_context "${simulated[@]}" "${full[@]}" --tokens 2
counted check "by default as many as there is room for" fills_context "${simulated[@]}" "${full[@]}"
counted check "by default as many as there is room for: golden" fills_context "${golden[@]}" "${full[@]}"
counted check "unchecked, the design stops at its context's end" \
    fills_context "${simulated[@]}" "${full[@]}" --tokens 4000000000 --unchecked
counted check "unchecked, golden does" fills_context "${golden[@]}" "${full[@]}" --tokens 4000000000 --unchecked
counted check_refused "more ids than a register holds" 2 '1 to 4294967295' "${sim[@]}" --prompt-ids 1 --tokens \
    4294967296
printf 'ids: 1,2,3\nids:5\n' >"$work/failures/requests"
counted check "requests from a file" "${sim[@]}" --requests "$work/failures/requests" --tokens 2 --ignore-eot
echo 'ids: 1,,3' >>"$work/failures/requests"
touch "$dir/filelist.f" # so these refusals come before a build, and the message is the first line
not_built() { # options: refused with status 2 before anything is built
    local status=0
    "${sim[@]}" "$@" >"$work/failures/said" 2>&1 || status=$?
    ! grep 'building' "$work/failures/said" && [ $status = 2 ]
}
requests=$work/failures/requests
counted check "requests from a file: other options are read before the build" not_built --requests "$requests" \
    --tokens many
counted check "requests from a file: the file is read before the build" not_built --requests "$requests" --tokens 2
counted check "requests from a file: a missing one before the build" not_built --requests "$work/failures/none"
counted check "requests from a pipe: other options are read before the build" not_built --requests <(echo ids:1) \
    --tokens many
touch -d '1 hour ago' "$dir/filelist.f"
counted check "requests from a pipe" "${sim[@]}" --requests <(printf 'ids: 1,2,3\nids:5\n') --tokens 2 --ignore-eot
counted check_refused "requests from a file: no list of ids" 2 'not a list of ids, as 1,2,3: 1,,3' "${sim[@]}" \
    --requests "$work/failures/requests"
for place in 0:0 0:3 1:1 2:7 0:40; do
    counted check_refused "read error $place" 1 'fault 6: memory error' "${sim[@]}" "${few[@]}" --inject-error $place
done
for place in 0:w0 1:w0 0:w2; do
    counted check_refused "write error $place" 1 'fault 6: memory error' "${sim[@]}" "${few[@]}" --inject-error $place
done
counted check_refused "error on a channel that is not there" 1 'channels 0 to 2' "${sim[@]}" "${few[@]}" \
    --inject-error 9:0
counted check_refused "base of a channel within a beat: the design's fault" 1 \
    'fault 3: .*place 3, the base of channel 1' \
    "${sim[@]}" "${few[@]}" --base 1:8
counted check_refused "base of a channel within a beat: the first is named" 1 'place 3, the base of channel 1' \
    "${sim[@]}" \
    "${few[@]}" --base 2:1 --base 1:16
counted check_refused "base of a channel within a beat: nothing is moved" 1 'HBM: 0\.000 MB moved' "${sim[@]}" \
    "${few[@]}" \
    --base 2:1
counted check "bases that are multiples of a beat alone" "${sim[@]}" "${few[@]}" --base 0:$((4096 + 64)) --base 1:64 \
    --base 2:4032
counted check_refused "base of a channel that is not there" 1 'channels 0 to 2' "${sim[@]}" "${few[@]}" --base 3:64
counted check_refused "base: no number" 2 'not CH:BYTES' "${sim[@]}" "${few[@]}" --base 1
# A design with slots runs its requests at the same time.
at_once=$work/failures/slots
{
    "$rill" gen tests/e2e/cases/slots/spec.yaml -o "$at_once" &&
        "$rill" pack tests/e2e/cases/slots/spec.yaml --weights random:1 -o "$at_once"
} >"$log" 2>&1 || counted fail "a design with slots" "$(reason)"
counted check_refused "requests at the same time: --from" 1 'slots-from' "$rill" sim "$at_once" "${few[@]}" --from 1
counted check_refused "requests at the same time: --logits" 1 'slots-from' "$rill" sim "$at_once" "${few[@]}" --logits \
    "$work/failures/logits"
counted check_refused "requests at the same time: --prefix without the key" 1 'prefix-absent' "$rill" sim "$at_once" \
    "${few[@]}" --prompt-ids 1,2 --tokens 2 --prefix 1
counted check_refused "requests one after another: --join" 1 'slots-join' "${sim[@]}" "${few[@]}" --join 5
counted check_refused "requests one after another: --stop" 1 'slots-join' "${sim[@]}" "${few[@]}" --stop 1:5
counted check_refused "requests one after another: --fault" 1 'slots-join' "${sim[@]}" "${few[@]}" --fault 1:4
counted check_refused "a request after a good one fails" 1 'fault 2' "${sim[@]}" --unchecked "${few[@]}" --prompt-ids \
    "$long" \
    --tokens 2
counted check_refused "time-out: who waits for whom" 1 'time-out' "${sim[@]}" "${few[@]}" --timeout 600

# A design with a deadlock. The norm takes a whole vector before it sends a word, but the FIFO of the stream around it
# is too small for the vector.
circle=$work/circle
cat >"$circle.yaml" <<'TEXT'
name: circle
graph:
  inputs:
    x: {shape: [64]}
  outputs: [y]
  regions:
    - name: main
      ops:
        - {op: layernorm, name: n, in: [x], gamma: g, beta: b}
        - {op: add, name: y, in: [n, x]}
TEXT
cat >"$work/failures/circle" <<'TEXT'
who waits for whom:
  input_x waits for x_fork to take input_x_x_to_x_fork
  x_fork waits for y to take x_fork_1_to_y_b
  y waits for n to give n_y_to_y_a
  n waits for x_fork to give x_fork_0_to_n_x
  ... and so on from x_fork: a loop
TEXT
# Makes the design with a FIFO of two words on this stream.
cut_stream() {
    rm -rf "$circle" && "$rill" gen "$circle.yaml" -o "$circle" &&
        sed -i 's/\(name: x_fork_1_to_y_b,.* depth: \)[0-9]*/\12/' "$circle/design.yaml" &&
        "$rill" gen "$circle/design.yaml" -o "$circle.cut" &&
        "$rill" pack "$circle/design.yaml" --weights random:1 -o "$circle.cut" &&
        build_soon circle.cut
}
says_circle() {
    sed -n '/^who waits/,/: a loop$/p' "$work/failures/said" | diff "$work/failures/circle" - &&
        grep -q 'x_fork_1_to_y_b .*FIFO 2 of 2' "$work/failures/said"
}
counted check "deadlock: a stream is cut in a dump" cut_stream
counted check_refused "deadlock: nothing moves" 1 'deadlock: nothing moves' "$rill" sim "$circle.cut" \
    --quick-build --prompt rows --tokens 2 --watchdog 2000
cp "$log" "$work/failures/said"
counted check "deadlock: who waits for whom, in a loop, and the full FIFO" says_circle

sed -e 's/{op: layernorm.*/{op: mul, name: n, in: [x, x]}/' \
    -e 's/{op: add.*/{op: quantize, name: q, in: [n], exp_min: -100}/' "$circle.yaml" >"$work/over.yaml"
cat >>"$work/over.yaml" <<'TEXT'
        - {op: matmul, name: a, in: [q], rows: 8, weight: w}
        - {op: dequantize, name: y, in: [a]}
TEXT
{ make_design over "$work/over.yaml" random:1 && build_soon over; } >"$log" 2>&1
counted check_refused "a value outgrows quantize" 1 \
    'error: .*exceeds its format: a block exponent above its range in .q., repetition 0, position 0' \
    "$rill" sim "$work/over" --quick-build --prompt rows --tokens 1
counted check_refused "ids for rows" 1 'is not a language model and takes no prompt' \
    "$rill" sim "$work/over" --quick-build --prompt-ids 1

# Checks that wrong bytes in the memory image are detected. Otherwise equal results would prove nothing.
cp "$dir/image/channel_01.bin" "$work/failures/channel_01.bin"
printf '\x5a\xa5\x5a\xa5' | dd of="$dir/image/channel_01.bin" bs=1 seek=2048 conv=notrunc 2>/dev/null
counted check_refused "a damaged memory image" 1 'damaged; run .rill pack. again' "${sim[@]}" "${few[@]}"
truncate -s 100 "$dir/image/channel_01.bin"
counted check_refused "a truncated memory image" 1 'error: ' "${sim[@]}" "${few[@]}"
rm "$dir/image/channel_01.bin"
counted check_refused "a missing memory image" 1 'channel_01.bin' "${sim[@]}" "${few[@]}"
cp "$work/failures/channel_01.bin" "$dir/image/channel_01.bin"

# ---- the build of a simulation ----

# Makes a replacement for Verilator. Its makefile copies the existing executable, and it waits, so that another build
# can interfere.
mkdir -p "$work/failures/bin"
cp "$dir/sim/quick/Vrill" "$work/failures/Vrill"
cat >"$work/failures/bin/verilator" <<FAKE
#!/bin/sh
echo \$\$ >>"$work/failures/verilators"
sleep \${SLOW:-1}
while [ "\$1" != --Mdir ]; do shift; done
mkdir -p "\$2" && printf 'all:\\n\\tcp %s Vrill\\n' "$work/failures/Vrill" >"\$2/Vrill_sim_top.mk"
FAKE
chmod +x "$work/failures/bin/verilator"
with_fake=(env RILL_QUICK_BUILD=1 "PATH=$work/failures/bin:$PATH")
two_at_once() {
    rm -rf "$dir/sim/quick" "$work/failures/verilators"
    local first second=0
    "${with_fake[@]}" "${sim[@]}" "${few[@]}" --quiet >"$work/failures/first" 2>&1 &
    first=$!
    sleep 0.3
    "${with_fake[@]}" "${sim[@]}" "${few[@]}" --quiet 2>"$work/failures/second" || second=$?
    wait $first && [ $second = 0 ] && [ "$(wc -l <"$work/failures/verilators")" = 1 ] &&
        grep 'waiting for another' "$work/failures/second"
}
counted check "two simulations of one folder: the second waits for the first one's build" two_at_once
ends_with_it() { # a build ends when the process that started it ends, in whatever way
    rm -rf "$dir/sim/quick" "$work/failures/verilators"
    local pid tries=0
    SLOW=100 "${with_fake[@]}" "${sim[@]}" "${few[@]}" >"$work/failures/killed" 2>&1 &
    pid=$!
    until [ -s "$work/failures/verilators" ] || [ $((tries += 1)) = 100 ]; do sleep 0.1; done
    kill -9 $pid && tries=0
    while kill -0 "$(cat "$work/failures/verilators")"; do [ $((tries += 1)) -lt 50 ] && sleep 0.1 || return; done
}
counted check "a simulation that is killed takes its compilers along" ends_with_it
mv "$dir/sim/build.log" "$work/failures/build.log" && mkdir "$dir/sim/build.log"
counted check_refused "a build without its log: no old log is shown" 1 'build.log cannot be written: Is a directory' \
    "${with_fake[@]}" "${sim[@]}" "${few[@]}"
rmdir "$dir/sim/build.log" && rm "$dir/sim/build.lock" && mkdir "$dir/sim/build.lock"
counted check_refused "a build without write access" 1 'build.lock cannot be written: Is a directory' \
    "${with_fake[@]}" "${sim[@]}" "${few[@]}"
rmdir "$dir/sim/build.lock"
build_when_full() { # runs in a separate mount namespace
    mount -t tmpfs -o size=8m none "$1" && mkdir "$1/d" || return 3
    cp -r "$dir"/{rtl,sim,filelist.f,design.yaml} "$1/d" || return 3
    rm -rf "$1/d/sim/quick"
    cat /dev/zero >"$1/zeros" 2>/dev/null
    "${with_fake[@]}" "$rill" sim "$1/d" --build-only
}
if unshare -rm mount -t tmpfs none "$work/failures/tmpfs" 2>/dev/null; then
    counted check_refused "a build on a full disk" 1 'error: the disk that holds .* is full' unshare -rm bash -c \
        "dir='$dir' rill='$rill' with_fake=(${with_fake[*]}); $(declare -f build_when_full)
            build_when_full '$work/failures/tmpfs'"
else
    counted skip "a build on a full disk" "no name spaces here"
fi
"${with_fake[@]}" "${sim[@]}" --build-only >"$log" 2>&1
counted check_refused "beats into a full device" 1 'error: /dev/full: No space left' "${sim[@]}" "${few[@]}" --beats \
    /dev/full

# Damages the files that the oracle reads. Also gives the oracle another spec, with the same weights and another eps.
cp -r "$dir/oracle" "$work/failures/oracle"
sed -i 's/1.0e-6/2.0e-6/' "$dir/oracle/spec.yaml"
counted check_refused "a damaged copy of the spec" 1 \
    "oracle/spec.yaml: error: the design's copy of its spec has changed" "${sim[@]}" "${few[@]}"
variant "$spec" "$work/failures/eps.yaml" norm_eps=2.0e-6
"$rill" gen "$work/failures/eps.yaml" -o "$work/failures/eps" >"$log" 2>&1 &&
    cp "$work/failures/eps/oracle"/* "$dir/oracle"
another='mismatch: oracle: `norm1` .*/oracle/[a-z]*.yaml:[0-9]*., position 0, repetition 0, element [0-9]*: the spec'
counted check_refused "another spec than the design's" 1 "$another makes" "${sim[@]}" "${few[@]}"
sed 's/^\( *\)format: .{design.embedding}.$/&\n\1times: sqrt_cols/' "$root/families/gpt2.yaml" \
    >"$work/failures/times.yaml"
sed "s|family: gpt2|family: $work/failures/times.yaml|" "$spec" >"$work/failures/of_times.yaml"
"$rill" gen "$work/failures/of_times.yaml" -o "$work/failures/times" >"$log" 2>&1 &&
    rm -r "$dir/oracle" && cp -r "$work/failures/times/oracle" "$dir"
counted check_refused "\`times\` changed after packing" 1 'packed for another spec; pack again' "${sim[@]}" "${few[@]}"
rm -r "$dir/oracle"
alone() { # a run without the oracle reports that, and the tests do not accept it
    "${sim[@]}" "${few[@]}" --quiet --json "$work/failures/alone.json" &&
        grep '^  "oracle": null' "$work/failures/alone.json" &&
        ! oracle_compared "$work/failures/alone.json" "$spec"
}
counted check "no copy of the spec" alone
mv "$work/failures/oracle" "$dir/oracle"
cp "$dir/image/oracle.bin" "$work/failures/oracle.bin"
printf '\x5a\xa5' | dd of="$dir/image/oracle.bin" bs=1 seek=9000 conv=notrunc 2>/dev/null
counted check_refused "damaged weights of the oracle" 1 \
    'oracle.bin: error: weights of the oracle: damaged; pack again' \
    "${sim[@]}" "${few[@]}"
cp "$work/failures/oracle.bin" "$dir/image/oracle.bin"

damage_golden() { # byte
    cp "$dir/image/golden.bin" "$work/failures/golden.bin"
    printf '\x5a' | dd of="$dir/image/golden.bin" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
size=$(stat -c %s "$dir/image/golden.bin")
for place in 3 $((size / 2)) $((size - 1)); do
    damage_golden "$place"
    counted check_refused "damaged golden weights, byte $place: no fault of the design" 1 \
        'golden.bin: error: weights of the replay: damaged; run `rill pack` again' "${sim[@]}" "${few[@]}"
    cp "$work/failures/golden.bin" "$dir/image/golden.bin"
done
echo >>"$dir/image/golden.bin"
counted check_refused "golden weights that are too long" 1 'weights of the replay: damaged' "${sim[@]}" "${few[@]}"
truncate -s $((size - 1)) "$dir/image/golden.bin"
counted check_refused "truncated golden weights" 1 'weights of the replay: truncated' "${sim[@]}" "${few[@]}"
cp "$work/failures/golden.bin" "$dir/image/golden.bin"

# ---- folders that already have files ----

rm -rf "$work/failures/design" && cp -r "$dir" "$work/failures/design" &&
    cp "$dir/image/manifest.json" "$work/failures/manifest.json"
sed 's/^name: .*/name: other/' "$spec" >"$work/failures/other.yaml"
variant "$spec" "$work/failures/wider.yaml" channels=4
pack_again() { "$rill" pack "$1" --weights random:2 -o "$work/failures/design" "${@:2}"; }
export -f pack_again
counted check_refused "pack: another design's image" 1 'image: error: .*the image of design .odd' \
    bash -c "pack_again '$work/failures/other.yaml'"
counted check_refused "pack: what to do" 1 'another folder, or .*--force' bash -c \
    "pack_again '$work/failures/other.yaml'"
counted check_refused "pack: another layout" 1 'an image of design .odd. in another layout' \
    bash -c "pack_again '$work/failures/wider.yaml'"
counted check "pack: the image there stays" cmp "$work/failures/manifest.json" \
    "$work/failures/design/image/manifest.json"
counted check "pack: the same design again" pack_again "$spec"
counted check "pack: --force" pack_again "$work/failures/other.yaml" --force
counted check "pack: in the folder that the design was generated into" \
    bash -c "'$rill' gen '$spec' -o '$work/failures/design' && pack_again '$spec'"
rm "$work/failures/design/image/manifest.json"
counted check_refused "pack: files without a manifest" 1 'files without a manifest' \
    bash -c "pack_again '$work/failures/wider.yaml'"
counted check_refused "gen into no folder" 2 '`-o` needs a value' "$rill" gen "$spec" -o ""
counted check_refused "pack into no folder" 2 '`-o` needs a value' "$rill" pack "$spec" --weights random:1 -o ""
counted check_refused "simulation: no name for a file" 2 '.--json. needs a value, not ""' "${sim[@]}" "${few[@]}" \
    --json ""
counted check_refused "a waveform of a simulation without" 2 'built without tracing' "$dir/sim/quick/Vrill" --dir \
    "$dir" \
    "${few[@]}" --trace "$work/failures/wave.fst"
counted check_refused "results that cannot be written" 1 'error: ' "${sim[@]}" "${few[@]}" --json "$log/result.json"
counted check "after all that, the design works" "${sim[@]}" "${few[@]}" --quiet --logits "$work/failures/logits" \
    --json "$work/failures/result.json"
same_hash() { # computes the hash as rill_logits_hash defines it; 97 words per id
    local hash=0 sum=0 at=0 word
    [ "$(stat -c %s "$work/failures/logits")" = $((2 * 97 * 4)) ] || return
    for word in $(od -An -v -tu4 "$work/failures/logits"); do
        sum=$((sum + (2 * (4 - at / 32) - 1) * (1 << (31 - at % 32)) * (~word & 0xffffffff)))
        at=$(((at + 1) % 97))
        [ $at != 0 ] || { hash=$(((hash << 1 | hash >> 63 & 1) + sum)) && sum=0; }
    done
    grep -F "\"logits_hash\": \"$(printf %016x $hash)\"" "$work/failures/result.json" &&
        grep -F "\"logits_register\": \"$(printf %016x $hash)\"" "$work/failures/result.json"
}
counted check "logits_hash is the hash of the logits" same_hash

# ---- names with characters that are special to shells and make ----

# shellcheck disable=SC2016 # no variable may be expanded
odd="$work/failures/a b'c"'"d$e;f&g#h%i(j)ü'
rm -rf "$odd" && mkdir -p "$odd/-k l"
sed 's#\.\./\.\./kernels/#kernels/#; s#file: kernels/clamp.c#file: "kernels/it'"'"'s $me.c"#' \
    "$root/tests/e2e/cases/kernels/spec.yaml" >"$odd/sp ec.yaml"
cp -r "$root/tests/e2e/kernels" "$odd" && cp "$odd/kernels/clamp.c" "$odd/kernels/it's \$me.c"
cd "$odd/-k l" || exit 1
counted check "odd names: gen" "$rill" gen "../sp ec.yaml" -o "-de sign"
counted check "odd names: pack" "$rill" pack "../sp ec.yaml" --weights random:1 -o "./-de sign"
counted check "odd names: sim" "$rill" sim "./-de sign" --quick-build --prompt rows --tokens 2 --quiet \
    --json "re sult.json" --outputs "y'.safetensors"
counted check "odd names: golden" "$rill" golden "../sp ec.yaml" --weights random:1 --tokens 2 --outputs \
    "y\".safetensors"
counted check "odd names: the same rows" cmp "y'.safetensors" 'y".safetensors'
counted check "odd names: report" "$rill" report "./-de sign" --sim "re sult.json" --html "pa ge.html"
counted check "odd names: package" "$rill" package "./-de sign" -o "pack age"
counted check "odd names: the package's make" make -C "pack age" help
verdict
