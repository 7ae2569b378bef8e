#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual page in roff, made of what `rill help` and `rill COMMAND --help` print: they are its only source.
# usage: packaging/man.sh RILL >rill.1
set -eu
rill=$1

# Text as it stands: a backslash and a dot at the beginning of a line mean something in roff.
plain() { sed -e 's/\\/\\e/g' -e 's/^\([.'"'"']\)/\\\&\1/' -e 's/-/\\-/g'; }
verbatim() { printf '.nf\n' && plain && printf '.fi\n'; }

printf '.TH RILL 1 "" "%s" "User Commands"\n' "$("$rill" --version)"
printf '.SH NAME\nrill \\- streaming accelerators in Verilog from a design spec\n.SH SYNOPSIS\n.B rill\nCOMMAND ...\n'
printf '.SH COMMANDS\n' && "$rill" help | verbatim
for command in $("$rill" help | sed -n 's/^  rill \([a-z]*\) .*/\1/p'); do
    printf '.SH "RILL %s"\n' "$(echo "$command" | tr '[:lower:]' '[:upper:]')"
    "$rill" "$command" --help | verbatim
    [ "$command" != sim ] || { printf '.SS "Options of the simulation"\n' && "$rill" sim . --help | verbatim; }
done
printf '.SH ENVIRONMENT\n.TP\n.B RILL_HOME\nthe folder of templates, boards and families, instead of the installed one\n'
