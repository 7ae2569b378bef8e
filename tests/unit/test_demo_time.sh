#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that `make demo` prints the time of its downloads apart from its own: the times that tests/install.sh prints
# and writes, and the line of tests/demo.sh. Other programs take the places of apt-get, sudo and rill.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" # tests/unit/run.sh starts all shell tests with sh
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{bin,build,tests}
cp "$root"/tests/{install,demo}.sh "$work/tests"
cat >"$work/bin/apt-get" <<'SH'
#!/bin/sh
case "$*" in *--download-only*) sleep 2 ;; esac
SH
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
cat >"$work/build/rill" <<'SH'
#!/bin/sh
for word in "$@"; do case $word in *.json) mkdir -p "${word%/*}" && echo '"match": true' >"$word" ;; esac; done
SH
chmod +x "$work"/bin/* "$work/build/rill"
export PATH=$work/bin:$PATH DOWNLOAD_SECONDS=$work/download

fail() { echo "demo time: $1" && exit 1; }
"$work/tests/install.sh" demo >"$work/log"
[ "$(cat "$DOWNLOAD_SECONDS")" = 0 ] || grep -q '^missing: ' "$work/log" || fail "a download of nothing takes time"
"$work/tests/install.sh" demo no-such-program:no-such-package >"$work/log"
grep -qE '^packages: download ([2-9]|[1-9][0-9]+) s, installation [0-9]+ s$' "$work/log" ||
    fail "$(tail -n 1 "$work/log")"
[ "$(cat "$DOWNLOAD_SECONDS")" -ge 2 ] || fail "$(cat "$DOWNLOAD_SECONDS") s in the file"
echo 30 >"$DOWNLOAD_SECONDS"
DEMO_BEGAN=$(($(date +%s) - 100)) "$work/tests/demo.sh" >"$work/log"
grep -qE '^time: (7|8)[0-9] s, and 30 s to download Debian packages$' "$work/log" ||
    fail "$(grep '^time: ' "$work/log" || echo "no line with the time")"
echo "demo time: PASS"
