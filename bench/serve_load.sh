#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Loads a running rill-serve with locust from PyPI, which is installed into build/openai: eight clients at once, half of
# whose requests are streams. Every answer must be that of `rill golden`. Prints locust's statistics.
# usage: bench/serve_load.sh SPEC WEIGHTS [URL] [REQUESTS]    default http://127.0.0.1:8080, 200 requests
set -eu
[ $# -ge 2 ] && [ $# -le 4 ] || { sed -n '3,5s/^# //p' "$0" >&2 && exit 2; }
spec=$(realpath "$1") weights=$(realpath "$2") url=${3:-http://127.0.0.1:8080}
export RILL_LOAD_REQUESTS=${4:-200} RILL_LOAD_CLIENTS=8 RILL_LOAD_ANSWERS
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=build/openai
if ! $venv/bin/python3 -c 'import locust' 2>/dev/null; then
    python3 -m venv $venv
    $venv/bin/pip install -q --disable-pip-version-check locust
fi
RILL_LOAD_ANSWERS=$(mktemp)
trap 'rm -f "$RILL_LOAD_ANSWERS"' EXIT
tokens=1
for prompt in "Once upon a time" "Tom and his dog Max" "The sun" "One day" Lily "A big red ball was in the park"; do
    tokens=$((tokens + 1)) # each prompt has another number of tokens
    build/rill golden "$spec" --weights "$weights" --prompt "$prompt" --tokens $tokens --json |
        $venv/bin/python3 -c 'import json, sys
print(json.dumps({"prompt": sys.argv[1], "tokens": int(sys.argv[2]), "text": json.load(sys.stdin)["text"]}))' \
            "$prompt" $tokens >>"$RILL_LOAD_ANSWERS"
done
$venv/bin/locust --headless --only-summary --locustfile bench/serve_load.py --host "$url" \
    --users $RILL_LOAD_CLIENTS --spawn-rate $RILL_LOAD_CLIENTS
