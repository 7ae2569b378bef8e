#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian package build/rill_VERSION_ARCH.deb from what `make` has built, and from rill-serve if `make serve`
# has built it. It needs dpkg-deb but no debhelper.
# usage: packaging/deb.sh
set -eu
cd -- "$(dirname -- "$0")/.."
version=$(build/rill --version | cut -d' ' -f2) arch=$(dpkg --print-architecture)
stage=build/deb file=build/rill_${version}_$arch.deb
rm -rf "$stage" && mkdir -p "$stage/DEBIAN" "$stage/usr/share/doc/rill"
packaging/install.sh "$stage" /usr
gzip -9n "$stage"/usr/share/man/man1/rill*.1
cp LICENSE "$stage/usr/share/doc/rill/copyright"

# Prints the Debian packages of the libraries that the programs are linked with. Their names are those of the release of
# this machine, so the package fits that release only.
libraries() {
    find build/rill build/host/rill-serve -exec ldd {} + 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' |
        while IFS= read -r path; do
            # dpkg may know a library by its real path or by the path that ldd prints.
            dpkg -S "$(realpath "$path")" "$path" 2>/dev/null | head -n 1 | sed 's/:.*//'
        done | sort -u | paste -sd, | sed 's/,/, /g'
}
cat >"$stage/DEBIAN/control" <<CONTROL
Package: rill
Version: $version
Architecture: $arch
Maintainer: Rill <rill@localhost>
Section: electronics
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$stage" | cut -f1)
Depends: $(libraries)
Recommends: verilator, clang, make, binutils, libyaml-dev, libjansson-dev, libpcre2-dev, libutf8proc-dev, zlib1g-dev,
 libglpk-dev, libc6-dev, graphviz
Description: streaming accelerators in Verilog from a design spec
 Reads a YAML file that names a graph of operations and the parameters of the hardware, and writes Verilog for a
 streaming accelerator with its memory image, report and package for the vendor's tools. Every design is simulated
 against a bit-exact reference model in C, for which the recommended packages are needed.
CONTROL
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$stage" "$file" >/dev/null
echo "$file"
