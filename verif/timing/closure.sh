# SPDX-License-Identifier: Apache-2.0
# Functions for scripts that source this file and set `root`. They list the templates that a template instantiates,
# directly or indirectly, from the text of the files.
# shellcheck shell=bash disable=SC2154 # variables from the scripts that source this

# Prints the templates that a Verilog file instantiates, even in branches that its parameters do not take. They are
# sorted in the same order on every machine, because the hash of a netlist depends on their order.
instances_of() { # file
    grep -oE '^ *rill_[a-z0-9_]+ +(#\(|#$|u_[a-z0-9_]+ *\()' "$1" | grep -oE 'rill_[a-z0-9_]+' | LC_ALL=C sort -u
}

# Options -I for all folders of templates, relative to the root, for files that a template includes.
include_dirs=$(cd "$root" && printf -- '-I%s ' rtl-templates/*)

# Prints the text of the files that a Verilog file includes.
headers_of() { # file
    local name
    sed -nE 's/^ *`include "([a-z0-9_]+\.vh)".*/\1/p' "$1" |
        while IFS= read -r name; do cat "$root"/rtl-templates/*/"$name"; done
}

# The file of each template by its name, relative to the root.
declare -A template_file=()
for template in "$root"/rtl-templates/*/*.v "$root"/verif/timing/*.v; do
    template=${template#"$root"/}
    name=${template##*/}
    template_file[${name%.v}]=$template
done

# Prints a module and all templates that it instantiates, directly or indirectly.
closure_of() { # module
    local -a waiting=("$1")
    local -A seen=()
    local next sub
    while [ ${#waiting[@]} -gt 0 ]; do
        next=${waiting[0]} waiting=("${waiting[@]:1}")
        [ -z "${seen[$next]:-}" ] && [ -n "${template_file[$next]:-}" ] || continue
        seen[$next]=1
        echo "$next"
        while IFS= read -r sub; do waiting+=("$sub"); done < <(instances_of "$root/${template_file[$next]}")
    done
}
