#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries the `openai` package from PyPI with a running rill-serve, for example that of `make serve-demo`. The package is
# installed into build/openai.
# usage: bench/openai_client.sh [URL]    default http://127.0.0.1:8080/v1; a key is taken from RILL_API_KEY
set -eu
[ $# -le 1 ] && [ "${1:-}" != --help ] || { sed -n '3,5s/^# //p' "$0" >&2 && exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=build/openai
if [ ! -x $venv/bin/python3 ] || ! $venv/bin/python3 -c 'import openai' 2>/dev/null; then
    python3 -m venv $venv
    $venv/bin/pip install -q --disable-pip-version-check openai
fi
exec $venv/bin/python3 bench/openai_client.py "${1:-http://127.0.0.1:8080/v1}"
