# SPDX-License-Identifier: Apache-2.0
# Prints the path of every instance of a module below the top, one in each line, as the vendor's tools write it: `/`
# follows an instance, and `.` follows a generate block. FILE.vvp is what Icarus compiled the design to.
# usage: awk -v prefix=PATH -f cells.awk FILE.vvp    PATH: path of the top, with `/` at the end
/^S_[^ ]* \.scope (module|generate|autogenerate|begin|fork|function|task)/ {
    self = $1
    kind = $3
    sub(/,$/, "", kind)
    split($0, quoted, "\"")
    label = quoted[2]
    parent = ""
    if (match($0, /S_[^ ]*;$/)) parent = substr($0, RSTART, RLENGTH - 1)
    if (kind == "module" && parent == self || !(parent in path) && kind == "module") { path[self] = prefix; next }
    if (!(parent in path) || kind != "module" && kind != "generate") next
    path[self] = path[parent] label (kind == "module" ? "/" : ".")
    if (kind == "module") { name = path[self]; sub(/\/$/, "", name); print name }
}
