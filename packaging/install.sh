#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what `make` has built, or removes it again: `make install PREFIX=...`, `make uninstall PREFIX=...`.
# usage: packaging/install.sh [--remove] DESTDIR PREFIX    files are written below DESTDIR; the paths in them begin with
# PREFIX
set -eu
remove=0
[ "${1:-}" != --remove ] || { remove=1 && shift; }
[ $# = 2 ] || { echo "usage: packaging/install.sh [--remove] DESTDIR PREFIX" >&2 && exit 2; }
case $2 in
    /*) ;;
    *) echo "packaging/install.sh: error: PREFIX must begin with /, not: $2" >&2 && exit 2 ;;
esac
cd -- "$(dirname -- "$0")/.."
to=$1${2%/}
bash=$to/share/bash-completion/completions/rill zsh=$to/share/zsh/site-functions/_rill man=$to/share/man/man1/rill.1
serve=build/host/rill-serve serve_man=${man%.1}-serve.1 # installed if `make serve` has built it
rm -rf "$to/lib/rill" # an earlier version may have installed files that this version does not have
if [ $remove = 1 ]; then
    rm -f "$to/bin/rill" "$man" "$bash" "$zsh" "$to/bin/rill-serve" "$serve_man" "$bash-serve" "$zsh-serve"
    exit
fi

# Copies the files that `rill` needs at run time: templates, boards, families, the simulation with its library and
# headers, and the sources of the host program, which go into packages.
copy() { # files and folders of the tree; leaves out faults.txt, which only the tests of the tree need
    tar --exclude=faults.txt -cf - "$@" | tar -xf - -C "$to/lib/rill"
}
mkdir -p "$to/bin" "$to/lib/rill/build" "${man%/*}" "${bash%/*}" "${zsh%/*}"
copy rtl-templates boards families include verif/cost/measured.txt verif/lint/emitted.vlt gen/numerics \
    verif/harness verif/model $(grep '^gen/' boards/host/sources.txt)
cp build/librill.a "$to/lib/rill/build/librill.a"
cp build/rill "$to/bin/rill"
build/rill man >"$man"
build/rill completion bash >"$bash"
build/rill completion zsh >"$zsh"
if [ -x $serve ]; then
    cp $serve "$to/bin/rill-serve"
    $serve --print man >"$serve_man"
    $serve --print bash >"$bash-serve"
    $serve --print zsh >"$zsh-serve"
    chmod 755 "$to/bin/rill-serve"
    chmod 644 "$serve_man" "$bash-serve" "$zsh-serve"
fi
chmod -R u+rwX,go+rX,go-w "$to/lib/rill"
chmod 755 "$to/bin/rill"
chmod 644 "$man" "$bash" "$zsh"
