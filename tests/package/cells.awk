# SPDX-License-Identifier: Apache-2.0
# The instances of a design, as the vendor's tools name them, from what Icarus compiled it to, a line for each: `/` behind a
# module's instance, `.` behind a generate block. awk -v prefix=PATH -f cells.awk FILE.vvp
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
