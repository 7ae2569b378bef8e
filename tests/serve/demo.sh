#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make serve-demo`: runs the HTTP server with the story model on simulated hardware until Ctrl-C. A package with the
# same Verilog keeps its compiled simulation. The environment variable PORT sets the port (default 8080).
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD spec=configs/tinystories-gpt2-1m.yaml model=models/tinystories-gpt2-1m
out=$root/build/serve-demo port=${PORT:-8080}
package=$out/story
step() { echo "serve-demo, $1 of 4: $2"; }

step 1 "write the Verilog of $spec, package it and pack the weights (seconds)"
build/rill gen "$spec" -o "$out/design" >"$out.log"
mkdir -p "$out"
build/rill package "$out/design" -o "$out/fresh" >>"$out.log"
if [ -d "$package" ] && diff -rq -x image -x build -x card "$out/fresh" "$package" >/dev/null; then rm -rf "$out/fresh"
else rm -rf "$package" && mv "$out/fresh" "$package"
fi
build/rill pack "$spec" --weights $model -o "$package" >>"$out.log"
mkdir -p "$package/build/hw"
python3 tests/package/xclbin.py "$package" "$package/build/hw/rill_1.xclbin"
step 2 "compile the Verilog with Verilator (two to three minutes on 2 idle cores)"
if [ ! -x "$package/sim/card/card" ] || [ -n "$(find verif/{model,harness,card} build/librill.a "$package/rtl" \
    -newer "$package/sim/card/card" -print -quit)" ]; then
    verif/card/build.sh "$package" "$out/xrt" >>"$out.log" 2>&1 || { tail "$out.log" && exit 1; }
fi
step 3 "build the server"
make -s -j2 -C boards/host OUT="$root/build/host" serve WERROR=-Werror >>"$out.log" 2>&1 ||
    { tail "$out.log" && exit 1; }

step 4 "start the simulated card, write the image to it, and serve"
export RILL_CARD=$out/card.socket
rm -f "$RILL_CARD"
# The card ignores Ctrl-C, because the server needs it until it has ended.
(trap '' INT && exec "$package/sim/card/card" "$package" "$RILL_CARD") >>"$out.log" 2>&1 &
card=$!
trap 'kill $card 2>/dev/null' EXIT
while [ ! -S "$RILL_CARD" ]; do
    kill -0 $card 2>/dev/null || { tail "$out.log" && exit 1; }
    sleep 0.1
done
cat <<TEXT
Every token below comes from the simulated Verilog, a few in a second. When the next line has the URL, open it in a
browser, or try:
  curl http://127.0.0.1:$port/v1/models
  curl -N http://127.0.0.1:$port/v1/completions -H 'Content-Type: application/json' \\
      -d '{"prompt": "Once upon a time", "max_tokens": 24, "stream": true}'
  curl http://127.0.0.1:$port/v1/chat/completions -H 'Content-Type: application/json' \\
      -d '{"messages": [{"role": "user", "content": "Tom and his dog"}], "max_tokens": 16}'
Ctrl-C ends it.
TEXT
LD_LIBRARY_PATH=$out/xrt build/host/rill-serve "$package" --library build/host/librill_host.so --port "$port" \
    --chat $model/chat.yaml --timeout 300
