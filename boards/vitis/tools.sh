#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stops if a tool of the vendor is missing or has a version that the package is not for. With RILL_ANY_TOOLS=1 it only
# warns of the version.
# usage: tools.sh TOOL FIRST LAST      first and last version, such as 2022.2; empty: any version
set -u
tool=$1 first=$2 last=$3

stop() {
    echo "rill: error: $1" >&2
    exit 1
}

# Prints the year and the minor version as one number, or nothing if there is no version.
number() { printf '%s\n' "$1" | awk -F. '/^[0-9][0-9][0-9][0-9]\.[0-9]/ { print $1 * 100 + $2 }'; }

path=$(command -v "$tool") || stop "no $tool in PATH: source settings64.sh of Vitis and setup.sh of XRT"
case $(basename "$tool") in vivado*) ask=-version ;; *) ask=--version ;; esac
version=$("$path" $ask 2>/dev/null | sed -n 's/.*[^0-9]\([0-9]\{4\}\.[0-9][0-9.]*\).*/\1/p' | head -n 1)
echo "rill: $tool ${version:-of an unknown version}, expected ${first:-any} to ${last:-any}"
[ -n "$first" ] || exit 0
have=$(number "$version")
if [ -n "$have" ] && [ "$have" -ge "$(number "$first")" ] && [ "$have" -le "$(number "$last")" ]; then exit 0; fi
says="$tool ${version:-of an unknown version} is not one of the versions that this package is for, $first to $last"
if [ "${RILL_ANY_TOOLS:-}" = 1 ]; then
    echo "rill: warning: $says" >&2
    exit 0
fi
stop "$says; RILL_ANY_TOOLS=1 tries all the same"
