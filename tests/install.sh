#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that are missing, with apt-get, lists them, and prints how long the download and the
# installation took. It prints nothing when all are there.
# usage: tests/install.sh demo|serve|test [PROGRAM:PACKAGE]...
#   demo: what builds `rill` and simulates a design; serve: also what `make serve-demo` needs; test: what the tests need
#   PROGRAM:PACKAGE: one more program and the package that has it
# If the variable DOWNLOAD_SECONDS names a file, the seconds of the download are written to it; 0: nothing was missing.
set -eu
usage() { sed -n '5,8s/^# //p' "$0"; }
case ${1:-} in
    demo | serve | test) ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
set_name=$1
shift
for word in "$@"; do
    case $word in
        *:*) ;;
        *) echo "tests/install.sh: error: \`$word\` is not of the form PROGRAM:PACKAGE" >&2; exit 2 ;;
    esac
done

# PROGRAM:PACKAGE. A program that is already installed is used, whichever package it comes from.
programs="gcc:gcc g++:g++ make:make verilator:verilator $*"
libraries="libc6-dev libyaml-dev libjansson-dev libpcre2-dev libutf8proc-dev zlib1g-dev libglpk-dev"
host_libraries="libmicrohttpd-dev libxrt-dev uuid-dev"
if [ "$set_name" = serve ]; then
    programs="$programs clang:clang python3:python3"
    libraries="$libraries $host_libraries"
fi
if [ "$set_name" = test ]; then
    programs="$programs iverilog:iverilog yosys:yosys clang:clang clang-format:clang-format clang-tidy:clang-tidy
        cppcheck:cppcheck dot:graphviz python3:python3 tclsh:tcl xmllint:libxml2-utils mkdocs:mkdocs
        ccache:ccache shellcheck:shellcheck pyflakes3:pyflakes3 llvm-bolt-15:bolt-15"
    libraries="$libraries libcmocka-dev libclang-rt-14-dev $host_libraries python3-yaml python3-jsonschema"
fi

missing=""
for pair in $programs; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
# Without dpkg-query, libraries are taken as installed.
if command -v dpkg-query >/dev/null 2>&1; then
    for package in $libraries; do
        status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
        [ "$status" = "install ok installed" ] || missing="$missing $package"
    done
fi
[ -z "${DOWNLOAD_SECONDS:-}" ] || echo 0 >"$DOWNLOAD_SECONDS"
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
install() { # option...
    # shellcheck disable=SC2086 # one word per package
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" $missing
}
began=$(date +%s)
$as_root apt-get update -q
install --download-only
loaded=$(date +%s)
install
echo "packages: download $((loaded - began)) s, installation $(($(date +%s) - loaded)) s"
[ -z "${DOWNLOAD_SECONDS:-}" ] || echo $((loaded - began)) >"$DOWNLOAD_SECONDS"
