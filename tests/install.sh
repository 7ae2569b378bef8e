#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing on Debian 12 with apt-get, and says what. With everything there it prints nothing and takes a
# moment.
# usage: tests/install.sh [PROGRAM:PACKAGE]...    these too
set -eu
for word in "$@"; do
    case $word in
        *:*) ;;
        *)
            [ "$word" = --help ] || echo "tests/install.sh: error: \`$word\` is no PROGRAM:PACKAGE" >&2
            echo "usage: tests/install.sh [PROGRAM:PACKAGE]..."
            [ "$word" = --help ] && exit 0 || exit 2
            ;;
    esac
done

# program:package; a program may come from elsewhere than its package.
programs="gcc:gcc g++:g++ make:make verilator:verilator iverilog:iverilog yosys:yosys clang:clang
    clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck dot:graphviz python3:python3 tclsh:tcl
    xmllint:libxml2-utils mkdocs:mkdocs $*"
libraries="libc6-dev libyaml-dev libjansson-dev libpcre2-dev libutf8proc-dev zlib1g-dev libcmocka-dev
    libclang-rt-14-dev libglpk-dev libxrt-dev uuid-dev python3-yaml python3-jsonschema"

missing=""
for pair in $programs; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
if command -v dpkg-query >/dev/null 2>&1; then
    for package in $libraries; do
        status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
        [ "$status" = "install ok installed" ] || missing="$missing $package"
    done
fi
[ -n "$missing" ] || exit 0

echo "missing:$missing"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "tests/install.sh: error: no apt-get here; install these Debian packages' contents by other means" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "tests/install.sh: error: not root and no sudo; as root:" \
            "apt-get install --no-install-recommends$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
$as_root apt-get update -q
# shellcheck disable=SC2086 # one word per package
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
