#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uses the chat page of a running rill-serve in Chromium: a question, its answer, and an answer that is stopped. Writes
# the screenshots answer.png and stopped.png to build/chat_page. Installs websocket-client from PyPI into build/openai.
# usage: bench/chat_page.sh [URL]    default http://127.0.0.1:8080. CHROMIUM in the environment: another program
set -eu
[ $# -le 1 ] || { sed -n '3,5s/^# //p' "$0" >&2 && exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=build/openai out=$PWD/build/chat_page
if ! $venv/bin/python3 -c 'import websocket' 2>/dev/null; then
    python3 -m venv $venv
    $venv/bin/pip install -q --disable-pip-version-check websocket-client
fi
rm -rf "$out" && mkdir -p "$out"
$venv/bin/python3 bench/chat_page.py "${CHROMIUM:-chromium}" "${1:-http://127.0.0.1:8080}" "$out"
