#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests `make install`, the Debian package, the man page and the shell completions. An installed `rill` must find its
# library. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
case ${1:-} in
    "") ;;
    *)
        echo "usage: tests/install/run.sh    installs into a temporary folder, not on the machine; builds in build/"
        [ "$1" = --help ] && exit 0 || exit 2
        ;;
esac
unset RILL_HOME # an installed rill must find its library without it
work=$(mktemp -d "${TMPDIR:-/tmp}/rill-install-XXXXXX") # outside the tree, so that rill cannot find the tree's files
trap 'rm -rf "$work"' EXIT
log=$work/log
mkdir "$work/there" && cd "$work/there" || exit 1
cp "$root/tests/e2e/cases/five/spec.yaml" five.yaml

from_prefix() { make -s -C "$root" "$1" DESTDIR="$work/stage" PREFIX="$2"; } # target, prefix
works_from() { # program, name: runs gen, pack, package, golden and check with this program
    "$1" gen five.yaml -o "$2" && "$1" pack five.yaml --weights random:1 -o "$2" && "$1" package "$2" -o "$2.pkg" &&
        "$1" golden five.yaml --weights random:1 --tokens 2 --outputs "$2.npy" && "$1" check five.yaml
}
same_design() { "$rill" gen five.yaml -o tree && diff -r -x image -x sim "$1" tree; } # folder

# ---- make install ----

prefix=$work/stage/opt/rill
queue check "make install" from_prefix install /opt/rill
queue check "installed: gen, pack, package, golden, check" works_from "$prefix/bin/rill" prefix
queue check "installed: the same files as from the tree" same_design prefix
queue check "installed: a simulation is built and matches" "$prefix/bin/rill" sim prefix --quick-build --tokens 2
queue check "installed: no planted faults" bash -c "! find '$prefix' -name faults.txt | grep ."
moved() { mv "$prefix" "$work/other place" && works_from "$work/other place/bin/rill" moved; }
queue check "installed: the folder may move" moved
other=$work/other\ place/bin/rill
linked() { ln -s "$other" "$work/link" && works_from "$work/link" linked; }
queue check "installed: a link to the program" linked
prepare mv "$work/other place/lib" "$work/away"
queue check_refused "installed: without its library" 1 'not installed with the program; set RILL_HOME' "$other" check \
    five.yaml
queue check "installed: RILL_HOME names another" env RILL_HOME="$work/away/rill" "$other" gen five.yaml -o home
prepare mv "$work/away" "$work/other place/lib"
prepare mv "$work/other place" "$prefix"
queue check "make install over an older one" from_prefix install /opt/rill
older() {
    touch "$prefix/lib/rill/rtl-templates/old.v" && from_prefix install /opt/rill &&
        [ ! -e "$prefix/lib/rill/rtl-templates/old.v" ]
}
queue check "make install: files that are no more" older
prepare touch "$prefix/bin/other"
queue check "make uninstall" from_prefix uninstall /opt/rill
queue check "make uninstall: another's file stays" test -e "$prefix/bin/other"
nothing_left() { rm "$prefix/bin/other" && ! find "$1" ! -type d | grep .; } # folder
queue check "make uninstall: nothing is left" nothing_left "$work/stage"
queue check_refused "PREFIX is a path" 2 'must begin with /' "$root/packaging/install.sh" "" prefix
version=$(sed -n 's/.*RILL_VERSION "\(.*\)"/\1/p' "$root/include/version.h")
queue check "rill --version" bash -c "[ \"\$('$rill' --version)\" = \"rill $version\" ]"

# ---- man page, completions: every command and option of the usages, and no other ----

# Prints the options in a text on stdin, each once.
names() { grep -oE -- '(^|[^A-Za-z-])--[a-z][a-z-]*' | grep -oE -- '--.*' | sort -u; }
commands=$("$rill" help | sed -n 's/^  rill \([a-z]*\) .*/\1/p')
usages() { for command in $commands; do "$rill" "$command" --help; done && "$rill" help; }
options_of() { "$rill" "$1" --help | sed -nE 's/^  (--?[a-z][a-z-]*)([ =].*)?$/\1/p' | sort -u; } # command
"$rill" man >"$work/rill.1"
man_has_all() { diff <(usages | names) <(sed 's/\\-/-/g' "$work/rill.1" | names); }
queue check "man page: the options of all commands" man_has_all
if command -v groff >/dev/null; then queue check "man page: no warning of roff" \
    bash -c "groff -man -ww -Tascii '$work/rill.1' 2>&1 >/dev/null | { ! grep .; }"
else queue skip "man page: no warning of roff" "no groff here"
fi
"$rill" completion bash >"$work/rill.bash"
"$rill" completion zsh >"$work/_rill"
offered() { # words of the command line
    bash -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _rill && printf "%s\n" "${COMPREPLY[@]}"' \
        "$work/rill.bash" "$@"
}
completes() { # words of the command line, then -- and what must be offered
    local words=() wanted
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    shift
    offered "${words[@]}" >"$work/offered"
    for wanted in "$@"; do
        grep -qxF -- "$wanted" "$work/offered" || { echo "error: no $wanted among $(paste -sd' ' "$work/offered")" &&
            return 1; }
    done
}
# shellcheck disable=SC2086 # $commands is a list of words
queue check "bash completion: commands" completes rill "" -- $commands help
all_options() { # for each command, the completion must offer its options and no others
    for command in $commands; do
        diff <(options_of "$command") <(offered rill "$command" - | sed 's/=$//' | grep -vxE -- '-h|--help|' |
            sort -u) || return
        [ -n "$(options_of "$command")" ] || [[ $command =~ ^(schema|completion|man)$ ]] || return
    done
}
queue check "bash completion: the options of every command, and no others" all_options
in_zsh() { # the same words in both scripts
    words_of() { sed -nE 's/^ +([a-z: |-]*)\) (files=1 )?found=1 (words|names)=.(.*). ;;$/\1 \2\4/p' "$1"; }
    [ "$(words_of "$work/_rill" | wc -l)" -gt 20 ] && diff <(words_of "$work/rill.bash") <(words_of "$work/_rill")
}
queue check "zsh completion: the same words" in_zsh
queue check "bash completion: options of the simulation" completes rill sim --i -- --inject-error --inputs --ignore-eot
queue check "bash completion: passes" completes rill gen x.yaml --dump-after = in -- infer-types insert-dma
queue check "bash completion: values" completes rill sim x --compare "" -- all min
queue check "bash completion: values of an argument" completes rill schema b -- board
queue check "bash completion: names of what ships, and files" completes rill golden five.yaml --chat "" -- gemma \
    five.yaml
queue check "bash completion: help" completes rill help fo -- forecast
queue check "bash completion: files" completes rill gen "fi" -- five.yaml
offers_little() { completes rill pack --f -- --force && [ "$(wc -l <"$work/offered")" = 1 ]; }
queue check "bash completion: no other command's options" offers_little
installed_are_those() { # the installed files equal the output of the program
    diff "$work/rill.1" "$prefix/share/man/man1/rill.1" &&
        diff "$work/rill.bash" "$prefix/share/bash-completion/completions/rill" &&
        diff "$work/_rill" "$prefix/share/zsh/site-functions/_rill"
}
queue check "make install, once more" from_prefix install /opt/rill
queue check "installed: man page and completions" installed_are_those
server_is_installed() { # if `make serve` has built it
    [ -x "$root/build/host/rill-serve" ] || { [ ! -e "$prefix/bin/rill-serve" ] && return; }
    diff <("$prefix/bin/rill-serve" --print man) "$prefix/share/man/man1/rill-serve.1" &&
        diff <("$prefix/bin/rill-serve" --print bash) "$prefix/share/bash-completion/completions/rill-serve"
}
queue check "installed: the server, if it was built" server_is_installed

# ---- the Debian package, in a separate root folder ----

if command -v dpkg-deb >/dev/null; then
    scratch=$work/root
    mkdir -p "$scratch/var/lib/dpkg/info" "$scratch/var/lib/dpkg/updates" && touch "$scratch/var/lib/dpkg/status"
    in_scratch() { dpkg --root="$scratch" --log=/dev/null --force-not-root --force-depends --force-bad-path "$@"; }
    queue check "make deb" make -s -C "$root" deb
    deb_installs() { in_scratch -i "$root"/build/rill_*.deb; }
    queue check "the package is installed" deb_installs
    queue check "the package: gen, pack, package, golden, check" works_from "$scratch/usr/bin/rill" packaged
    purged() { in_scratch -P rill && ! find "$scratch" -path "$scratch/var" -prune -o -type f -print | grep .; }
    queue check "the package is purged: nothing is left" purged
else
    queue_many 4 skip "the Debian package" "no dpkg-deb here" 4
fi
run_queue
verdict
