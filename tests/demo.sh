#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job: spec -> Verilog -> simulation -> text, every stream compared with the golden model.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
spec=configs/tinystories-gpt2-1m.yaml
model=models/tinystories-gpt2-1m
out=build/demo
quiet=${DEMO_QUIET:-30} # seconds after which a stage that says nothing says that it goes on

# One line of what a stage does and about how long, then its seconds.
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

stage 1 "$spec becomes Verilog in $out, some seconds" build/rill gen "$spec" -o "$out"
stage 2 "what the design costs and how fast it can be, seconds" build/rill check "$spec"
stage 3 "the weights of $model become a memory image, seconds" build/rill pack "$spec" --weights "$model" -o "$out"
stage 4 "Verilator makes a program of the Verilog, two to four minutes on 2 cores" build/rill sim "$out" --build-only
stage 5 "the simulated accelerator decodes, streams compared with the golden model, seconds" build/rill sim "$out" \
    --prompt "Once upon a time, there was a little" --tokens "${TOKENS:-64}" --json "$out/result.json"
grep -q '"match": true' "$out/result.json"
cat <<TEXT
done: the Verilog is in $out/rtl, its report in $out/report.txt. What next:
  build/rill sim $out --prompt "One day" --tokens 32      another story
  build/rill report $out --html $out/report.html   the design as a page
  build/rill check FILE.yaml                               a spec of your own: docs/tutorial.md, docs/models.md
TEXT
