#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the readers of files from outside (specs, checkpoints, tokenizers) with libFuzzer and AddressSanitizer. See
# --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/fuzz/readers/run.sh [--runs N] [--seconds N] [reader...]
  --runs N     inputs of each reader (default 2000). Readers except spec, ir and family get a fifth of N
  --seconds N  runs each reader for N seconds instead, with another seed each time
  reader       spec ir safetensors gguf onnx rows tokenizer tokenizer_json config family
               request (default: all)
The first inputs are files of the tree. An input that crashes a reader stays in build/fuzz/readers/READER.crash-*.
TEXT
}

runs=2000 seconds="" readers=()
while [ $# -gt 0 ]; do
    case $1 in
        --runs) runs=$2 && shift ;;
        --seconds) seconds=$2 && shift ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) readers+=("$1") ;;
    esac
    shift
done
[ ${#readers[@]} != 0 ] || readers=(spec ir safetensors gguf onnx rows tokenizer tokenizer_json config family request)
out=$root/build/fuzz/readers
log=$out/log
mkdir -p "$out"
flags="-O1 -g1 -fsanitize=address,fuzzer-no-link -fno-omit-frame-pointer"

build() { # reader
    # shellcheck disable=SC2086 # flags are words
    clang -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror $flags -fsanitize=fuzzer -I"$root" -o "$out/read_$1" \
        "$root/tests/fuzz/readers/read_$1.c" "$out/librill.a" -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm
}

# Prints a safetensors file of one tensor.
small_safetensors() { # type, shape, bytes
    local header="{\"t\":{\"dtype\":\"$1\",\"shape\":[$2],\"data_offsets\":[0,$3]}}"
    printf '%b' "$(printf '\\x%02x\\0\\0\\0\\0\\0\\0\\0' ${#header})"
    printf '%s' "$header"
    head -c "$3" /dev/zero
}

# Prints a .npy file of fp32 zeros.
small_npy() { # version, shape, values
    local header="{'descr': '<f4', 'fortran_order': False, 'shape': ($2), }"
    printf '\x93NUMPY'
    printf '%b' "$(printf '\\x%02x\\0\\x%02x\\0' "$1" ${#header})"
    [ "$1" = 1 ] || printf '\0\0'
    printf '%s' "$header"
    head -c $(($3 * 4)) /dev/zero
}

# Makes files with bodies of requests, one of them followed by the bytes of an answer.
small_requests() { # folder
    printf '{"prompt": "a", "max_tokens": 5, "stop": ["ab", "\\u00e9"], "stream": true}\0xab\xc3\xa9y' >"$1/answer"
    printf '{"prompt": [1, 2], "temperature": 0.5, "top_k": 3, "min_p": 0.1, "seed": 7, "n": 1}' >"$1/ids"
    printf '{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", %s' \
        '"text": "q"}]}], "model": "m", "logit_bias": {}, "stream_options": {"include_usage": true}}' >"$1/chat"
}

# Makes a folder with the first inputs of a reader.
make_corpus() { # reader, folder
    local model=$root/models/tinystories-gpt2-1m pass passes
    rm -rf "$2" && mkdir -p "$2"
    case $1 in
        spec)
            cp "$root"/tests/spec/*.yaml "$root"/tests/pass/*.yaml "$root"/tests/fuzz/found/*.yaml "$2"
            for spec in "$root"/tests/e2e/cases/*/spec.yaml; do cp "$spec" "$2/case-$(spec_name "$spec").yaml"; done
            ;;
        ir)
            passes=$("$rill" gen --dump-after=help) || return
            for pass in $passes; do
                "$rill" gen "$root/tests/fuzz/found/no_product.yaml" -o "$2/d" --dump-after="$pass" &&
                    mv "$2/d/$pass.yaml" "$2" && rm -rf "$2/d" || return
            done >/dev/null
            ;;
        safetensors)
            small_safetensors F32 2,3 24 >"$2/f32"
            small_safetensors F16 4 8 >"$2/f16"
            small_safetensors BF16 2,1,2 8 >"$2/bf16" ;;
        rows)
            small_npy 1 '2, 3' 6 >"$2/vector"
            small_npy 2 '3, 2, 2' 12 >"$2/two"
            small_npy 3 '5,' 5 >"$2/flat" ;;
        tokenizer)
            { printf '{"a":0,"b":1,"ab":2,"<|endoftext|>":3}\0' && printf '#version: 0.2\na b\n'; } >"$2/small"
            ;;
        gguf) cp "$root"/tests/unit/gguf/all_types.gguf "$root"/tests/unit/tokenizers/*.gguf "$2" ;;
        onnx) cp "$root"/tests/onnx/models/*.onnx "$2" && python3 "$root/tests/onnx/hostile.py" "$2" >/dev/null ;;
        tokenizer_json)
            for kind in "$root"/tests/unit/tokenizers/*/; do
                cp "$kind/tokenizer.json" "$2/$(basename "$kind")"
            done
            ;;
        config) cp "$model/config.json" "$2" ;;
        request) small_requests "$2" ;;
        family)
            cp "$root"/families/*.yaml "$root"/tests/spec/families/*.yaml "$root"/tests/e2e/families/*.yaml "$2"
            ;;
    esac
}

run_reader() { # reader
    local limit=(-runs="$runs" -seed=1)
    case $1 in
        safetensors | gguf | onnx | rows | tokenizer | tokenizer_json | config | request)
            limit=(-runs=$((runs / 5)) -seed=1)
            ;;
    esac
    [ -z "$seconds" ] || limit=(-max_total_time="$seconds")
    make_corpus "$1" "$out/corpus_$1" || return
    mkdir -p "$out/files_$1"
    READER_FOLDER=$out/files_$1 timeout 3600 "$out/read_$1" "${limit[@]}" -max_len=20000 -timeout=20 \
        -rss_limit_mb=2000 \
        -artifact_prefix="$out/$1." "$out/corpus_$1"
}

if ! make -C "$root" --no-print-directory -j2 CC=clang CFLAGS="$flags" OUT="$out" "$out/librill.a" >"$log" 2>&1 ||
    ! make -C "$root" --no-print-directory build/rill >>"$log" 2>&1; then
    fail "readers" "the library does not build: $(reason)"
    verdict
    exit 1
fi
plan ${#readers[@]}
for reader in "${readers[@]}"; do
    if ! build "$reader" >"$log" 2>&1; then fail "reader $reader" "does not build: $(reason)"
    elif ! run_reader "$reader" >"$log" 2>&1; then
        cp "$log" "$out/$reader.log"
        fail "reader $reader" "$(grep -Em1 'ERROR|SUMMARY' "$log" || tail -n 1 "$log") (build/fuzz/readers/$reader.log)"
    else ok "reader $reader: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) second.*/\1 inputs in \2 s/p' "$log")"
    fi
done
verdict
