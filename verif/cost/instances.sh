# SPDX-License-Identifier: Apache-2.0
# Sourced: the instances of a generated design as rows `MODULE NAME=VALUE...`, as verif/cost/measured.txt and
# verif/timing/modules.txt have them.
# shellcheck shell=bash

# From rtl/rill_top.v, each row once, in the order of the file; tables of schedules become random ones.
design_instances() { # directory
    awk '
        # The bits of a sized constant: 3\047d5, 8\047h1f, 1\047b0.
        function bits_of(piece,    width, base, digits, made, i) {
            width = piece + 0
            base = substr(piece, index(piece, "\047") + 1, 1)
            digits = tolower(substr(piece, index(piece, "\047") + 2))
            if (base == "b") made = digits
            if (base == "d") for (; digits > 0; digits = int(digits / 2)) made = digits % 2 made
            if (base == "h") for (i = 1; i <= length(digits); i++)
                made = made substr("0000000100100011010001010110011110001001101010111100110111101111",
                    4 * index("0123456789abcdef", substr(digits, i, 1)) - 3, 4)
            while (length(made) < width) made = "0" made
            return substr(made, length(made) - width + 1)
        }
        function hexadecimal(bits,    made, i) {
            while (length(bits) % 4) bits = "0" bits
            for (i = 1; i <= length(bits); i += 4)
                made = made substr("0123456789abcdef", 1 + 8 * substr(bits, i, 1) + 4 * substr(bits, i + 1, 1) \
                    + 2 * substr(bits, i + 2, 1) + substr(bits, i + 3, 1), 1)
            sub(/^0+/, "", made)
            return made == "" ? "0" : made
        }
        # Constants side by side to one; a table to one that looks random, as rows have it.
        function constant(name, value,    piece, pieces, bits, i) {
            gsub(/[{}]/, "", value)
            if (value !~ /,/ && name != "TABLE") return value
            pieces = split(value, piece, ",")
            for (i = 1; i <= pieces; i++) bits = bits bits_of(piece[i])
            if (name != "TABLE") return length(bits) "\047h" hexadecimal(bits)
            if (module ~ /^rill_(stream_|fifo_pool)/) return "turns:" of["ENTRIES"] ":" of["PORTS"]
            return "random:" length(bits)
        }
        function put_row(    row, i) {
            row = module
            for (i = 1; i <= n; i++) row = row " " name[i] "=" constant(name[i], value[i])
            if (!seen[row]++) print row
        }
        /^    rill_[a-z0-9_]+ +u_/ { module = $1; n = 0; put_row(); module = ""; next }
        /^    rill_[a-z0-9_]+ #\(/ { module = $1; text = ""; sub(/^[^(]*\(/, "") }
        module == "" { next }
        { sub(/ *\/\/.*/, "") }
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
        }' "$1/rtl/rill_top.v" | grep -vE '^rill_(assert|probe|fifo_probe|contract_probe|pipe|delay_line)'
}
