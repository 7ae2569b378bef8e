# SPDX-License-Identifier: Apache-2.0
# Prints the lines `MODULE NAME=VALUE...` that no other line covers. A line covers another line of the same module if
# both give the same parameters, none of its sizes (the names in BEGIN) is smaller, and all other values are equal.
# Sized constants such as addresses and tables may differ, because they do not change the kinds of paths. Forks and
# FIFOs of depth 2 are small and part of many paths, so they are walked in every size. If two lines cover each other,
# the earlier one is printed. Lines after a line `design SPEC` do not cover lines before it.
# Splits line number k into its module, the names of its parameters, and their values.
function read_line(line, k,    word, n, i, name) {
    n = split(line, word, " ")
    module[k] = word[1]
    names[k] = ""
    for (i = 2; i <= n; i++) {
        name = word[i]
        sub(/=.*/, "", name)
        if (name == "box") { names[k] = names[k] " " word[i]; continue }
        names[k] = names[k] " " name
        value[k, name] = substr(word[i], length(name) + 2)
    }
}
# Returns whether line a covers line b.
function covers(a, b,    n, i, name, va, vb, part) {
    if (module[a] != module[b] || names[a] != names[b]) return 0
    n = split(names[a], part, " ")
    for (i = 1; i <= n; i++) {
        name = part[i]
        if (name ~ /=/) continue
        va = value[a, name]
        vb = value[b, name]
        if (va == vb || (va ~ /^[0-9]+\047|:/ && vb ~ /^[0-9]+\047|:/)) continue
        if (!(name in size) || module[a] == "rill_fork" || va + 0 < vb + 0) return 0
        if (module[a] == "rill_fifo" && value[b, "DEPTH"] == 2) return 0
    }
    return 1
}
BEGIN {
    n = split("LANES ROWS LAYERS KV_LAYERS CONTEXT ENTRIES DATA_W DEPTH WORDS WORD_W CREDITS PREFETCH_BEATS CLIENTS PORTS COPIES TURN_TOKENS X_UNITS LAST_WORDS READERS WRITERS", s, " ")
    for (i = 1; i <= n; i++) size[s[i]] = 1
}
$1 == "design" { group++; next }
{ line[++lines] = $0; group_of[lines] = group; read_line($0, lines) }
END {
    for (k = 1; k <= lines; k++) {
        covered = 0
        for (j = 1; j <= lines && !covered; j++) covered = j != k && group_of[j] <= group_of[k] && covers(j, k) && !(covers(k, j) && j > k)
        if (!covered) print line[k]
    }
}
