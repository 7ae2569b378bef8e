#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the main job, from spec to Verilog, simulation and text, and checks that every compared stream equals the replay.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
spec=configs/tinystories-gpt2-1m.yaml
model=models/tinystories-gpt2-1m
out=build/demo
quiet=${DEMO_QUIET:-30} # seconds of silence after which a stage prints that it is still running
# `make demo` sets DEMO_BEGAN to the second in which it began, and DOWNLOAD_SECONDS to the file in which
# tests/install.sh has left the seconds of its download. The time of the download is printed apart.
began=${DEMO_BEGAN:-$(date +%s)}
download=$(cat "${DOWNLOAD_SECONDS:-/dev/null}")

# Prints what a stage does and about how long it takes, runs it, then prints its seconds.
stage() { # number, words, command and arguments
    local began=$SECONDS waits status=0
    echo "demo, $1 of 5: $2"
    (while sleep "$quiet" >/dev/null 2>&1; do echo "  ... $((SECONDS - began)) s"; done) &
    waits=$!
    "${@:3}" || status=$?
    kill "$waits" 2>/dev/null || true
    wait "$waits" 2>/dev/null || true
    [ $status != 0 ] || echo "  $((SECONDS - began)) s"
    return $status
}

stage 1 "write the Verilog of $spec to $out (seconds)" build/rill gen "$spec" -o "$out"
stage 2 "estimate resources and speed (seconds)" build/rill check "$spec"
stage 3 "pack the weights of $model into a memory image (seconds)" build/rill pack "$spec" --weights "$model" -o "$out"
stage 4 "compile the Verilog with Verilator (two to three minutes on 2 idle cores)" build/rill sim "$out" --build-only
stage 5 "decode on the simulated accelerator and compare its streams with the replay (seconds)" \
    build/rill sim "$out" --prompt "Once upon a time, there was a little" --tokens "${TOKENS:-64}" \
    --json "$out/result.json"
grep -q '"match": true' "$out/result.json"
echo "time: $(($(date +%s) - began - ${download:-0})) s, and ${download:-0} s to download Debian packages"
cat <<TEXT
The simulated hardware told the story above; every compared stream equals the replay. The Verilog is in $out/rtl.
Next, you can:
  build/rill sim $out --prompt "One day" --tokens 32       let it tell another story
  build/rill report $out --html $out/report.html    see the design as a web page
  build/rill check FILE.yaml                                write your own spec (docs/tutorial.md, docs/models.md)
TEXT
