# SPDX-License-Identifier: Apache-2.0
# Sourced: the instances of a generated design as rows `MODULE NAME=VALUE...`, as verif/cost/measured.txt and
# verif/timing/modules.txt have them.
# shellcheck shell=bash

# From rtl/rill_top.v, each row once, in the order of the file; tables of schedules become random ones.
design_instances() { # directory
    awk '
        # Constants side by side to one; a table to one that looks random, as rows have it.
        function constant(name, value,    piece, pieces, bits, hex, i, digits) {
            gsub(/[{}]/, "", value)
            if (value !~ /,/ && name != "TABLE") return value
            pieces = split(value, piece, ",")
            for (i = 1; i <= pieces; i++) {
                bits += piece[i] + 0
                digits = substr(piece[i], index(piece[i], "\047") + 2)
                if (piece[i] ~ /\047d/) digits = sprintf("%x", digits)
                while (4 * length(digits) < piece[i] + 0) digits = "0" digits
                hex = hex digits
            }
            if (name != "TABLE") return bits "\047h" hex
            return module ~ /^rill_(stream_|fifo_pool)/ ? "turns:" of["ENTRIES"] ":" of["PORTS"] : "random:" bits
        }
        function put_row(    row, i) {
            row = module
            for (i = 1; i <= n; i++) row = row " " name[i] "=" constant(name[i], value[i])
            if (!seen[row]++) print row
        }
        /^    rill_[a-z0-9_]+ +u_/ { module = $1; n = 0; put_row(); module = ""; next }
        /^    rill_[a-z0-9_]+ #\(/ { module = $1; text = ""; sub(/^[^(]*\(/, "") }
        module == "" { next }
        { text = text $0 }
        /\)\) *u_/ {
            sub(/\)\) *u_.*/, ")", text)
            n = split(text, part, /\),? *\.|\)$/) - 1
            delete of
            for (i = 1; i <= n; i++) {
                split(part[i], pair, "(")
                name[i] = pair[1]
                gsub(/[ .]/, "", name[i])
                value[i] = substr(part[i], index(part[i], "(") + 1)
                gsub(/ /, "", value[i])
                of[name[i]] = value[i]
            }
            put_row()
            module = ""
        }' "$1/rtl/rill_top.v" | grep -vE '^rill_(assert|probe|fifo_probe|pipe|delay_line)'
}
