#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds the longest register-to-register paths of the templates by a delay model. Yosys synthesizes each template with
# its real parameters for xcup, and walk.py walks the netlist. Prints one line per module, and fails if a path or a
# fan-out exceeds its limit. See --help.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../tests/verdict.sh"
. "$here/netlist.sh"
. "$here/../cost/instances.sh"

usage() {
    cat <<'TEXT'
usage: verif/timing/run.sh [--all | --design SPEC [--again] | --borders SPEC] [--list | --needed] [--path] [--jobs N]
                           [module...]
       verif/timing/run.sh [--path] -- MODULE [NAME=VALUE...]
  --all      walks every line of verif/timing/modules.txt and every instance of the designs that this file names.
             Without --all, only the quick lines at the top of the file are walked (30 s)
  --design   prints the clock of the design that SPEC gives. Each kind of instance whose logic has changed since its row
             of verif/timing/paths.txt is walked; the other results are taken from verif/timing/tables.jsonl
  --again    with --design, walks all kinds of instances
  --needed   with --design, only prints which kinds need a walk
  --borders  only checks that each signal between dies of the design of SPEC, except resets and those of the matrix
             engine, goes from flip-flop to flip-flop. A run with --design also checks this. A run without --borders
             and --design checks it for the designs that verif/timing/modules.txt names
  --list     only prints what would be walked
  --path     also prints the longest path of each module, net by net
  --record   writes the results to verif/timing/paths.txt and tables.jsonl. With --design, it also replaces a recorded
             clock of the same RTL
  --jobs N   first makes the netlists, N at the same time, and then walks them (default 1: one after the other)
  module     all lines and instances of these modules
  MODULE     one module with these parameters, as in verif/cost/measure.sh; box=NAME leaves the modules NAME inside it
             empty
RILL_TIMING_LIMIT: longest path in ns (default 4). A line whose row of paths.txt is longer may take as long as its row.
Netlists are kept in build/timing/ and made again only when a parameter or the logic of a template in them has changed,
so a run that was broken off continues where it was. With --design, the clock that the model supports is printed at the
end and written to NAME.timing.json next to NAME.yaml, which `rill check`, `rill gen` and the report read. If that file
has the same RTL and another clock, the run fails and does not write it.
TEXT
    echo "$launch_help"
}

pblocks="" # the floorplan of the design whose lines are walked
limit=${RILL_TIMING_LIMIT:-4.0} options=() record=0 anew=0 needed=0
recorded=$here/paths.txt
cd "$root" || exit 1 # the specs of modules.txt are relative to it
# Prints how long the paths of a module may be: the limit, or the time in its row of paths.txt if that is longer.
limit_of() { # line
    awk -v line="$1" -v limit="$limit" '{ ns = $1; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "") }
        $0 == line && ns + 0.02 > limit { limit = ns + 0.02 }
        END { print limit }' "$recorded"
}

# Calls known.py for the design whose lines are walked.
known() { python3 "$here/known.py" --floorplan "$pblocks" "$@"; }

# Walks a netlist, adds the key to its table, and reports the result.
walk_module() { # MODULE NAME=VALUE...
    local name status=0 said other on_dies=()
    # The engine is the only module whose parts are on several dies.
    [ "$1" != rill_engine ] || [ -z "$pblocks" ] || on_dies=(--dies "$pblocks" --inside u_shared.u_engine.)
    name=$(netlist_name "$@")
    log=$work/$name.log
    said=$(python3 "$here/walk.py" "$work/$name.json" --limit "$(limit_of "$*")" --table "${options[@]}" \
        "${on_dies[@]}" 2>&1) || status=$?
    if ! other=$(known --mark "$*" 2>&1); then fail "$*" "$(tail -n 1 <<<"$other")"
    elif [ -n "$other" ] && [ $record = 0 ]; then fail "$*" "$other"
    elif [ $status = 0 ]; then ok "$*: $(head -n 1 <<<"$said")"
    else fail "$*" "$(grep -m 1 error <<<"$said"); $(head -n 1 <<<"$said")"; fi
    [ ${#options[@]} = 0 ] || sed -n '2,$p' <<<"$said"
    echo "$*" >>"$work/walked"
}

# Prints the rows of all instances of a design. Large parts are left empty there, because they are walked separately.
design_lines() { # SPEC
    local design=$work/design lanes readers writers beats line part
    log=$work/design.log
    rm -rf "$design"
    if ! "$rill" gen "$1" -o "$design" >"$log" 2>&1; then
        echo "error: $1: $(reason)" >&2
        return 1
    fi
    design_instances "$design" | while IFS= read -r line; do
        for part in ${equal_parts[${line%% *}]:-}; do line+=" box=$part"; done
        echo "$line"
    done >"$work/rows"
    cat "$work/rows"
    # The memory channel with the most DMA engines is walked as one module, because no FIFO separates its parts.
    lanes=$(sed -nE 's/^rill_fork_tree .*PORTS=([0-9]+) .*/\1/p' "$work/rows" | sort -n | tail -n 1)
    readers=$(sed -nE 's/^rill_axi_read_arbiter CLIENTS=([0-9]+) .*/\1/p' "$work/rows" | sort -n | tail -n 1)
    writers=$(sed -nE 's/^rill_dma_write CLIENTS=([0-9]+) .*/\1/p' "$work/rows" | sort -n | tail -n 1)
    beats=$(sed -nE 's/^rill_dma_read .*PREFETCH_BEATS=([0-9]+) .*/\1/p' "$work/rows" | sort -n | tail -n 1)
    echo "rill_timing_channel CHANNELS=$lanes READERS=$readers WRITERS=$writers PREFETCH_BEATS=$beats"
}

# Checks that every module that the designs of modules.txt instantiate is among their rows.
check_designs() {
    local of rows module missing
    plan "$(grep -c '^design ' "$here/modules.txt")"
    while IFS= read -r of; do
        rows=$(design_lines "$of") || { fail "instances of $of" "$(reason)"; continue; }
        missing=""
        # shellcheck disable=SC2013 # one word per file
        for module in $(for part in $(design_modules "$work/design"); do instances_of "$part"; done | sort -u); do
            [[ $module == rill_link || $module == rill_channel || -z ${template_file[$module]:-} ]] ||
                grep -q "^$module\b" <<<"$rows" || missing+=" $module"
        done
        if [ -z "$missing" ]; then ok "instances of $of: $(wc -l <<<"$rows") kinds"
        else fail "instances of $of" "not found in its modules:$missing"; fi
    done < <(sed -n 's/^design //p' "$here/modules.txt")
}

# Prints the lines from which all_lines starts: the design of --design, or those of modules.txt.
lines_of_file() {
    if [ -n "$spec" ]; then echo "design $spec"
    elif [ $all = 1 ]; then cat "$here/modules.txt"
    else sed '/^# ---- all/,$d' "$here/modules.txt"; fi
}

# Prints every line to be walked, once.
all_lines() {
    local line
    while IFS= read -r line; do
        case $line in
            '' | '#'* | 'borders '*) ;;
            'design '*) echo "$line" && design_lines "${line#design }" || return 1 ;;
            *) echo "$line" ;;
        esac
    done < <(lines_of_file) | awk -f "$here/larger.awk"
}

# Prints the modules that a netlist leaves empty, with their parameters.
boxes_of() { # NAME
    [ ! -s "$work/$1.json" ] || python3 "$here/walk.py" "$work/$1.json" --boxes
}

# Succeeds if the result of a line can be taken from the tables instead of a walk.
is_known() { # line
    [ -n "$spec" ] && [ $anew = 0 ] && [ -z "$(known --stale <(echo "$1"))" ]
}

declare -A walked=()
# Walks a line. The parts that it leaves empty are walked before it, because its paths include the delays at their
# ports.
walk_line() { # line
    local line=$1 part parts name
    [ -z "${walked[$line]:-}" ] || return 0
    walked[$line]=1
    plan 1 # the empty parts are known only after synthesis
    # shellcheck disable=SC2086 # one word per parameter
    name=$(netlist_name $line)
    log=$work/$name.log
    # shellcheck disable=SC2086
    if ! synthesize_once "$name" $line; then fail "$line" "no synthesis: $(reason)" && return; fi
    if ! parts=$(boxes_of "$name"); then fail "$line" "the list of its parts breaks off" && return; fi
    while IFS= read -r part; do [ -z "$part" ] || is_known "$part" || walk_line "$part"; done <<<"$parts"
    # shellcheck disable=SC2086
    walk_module $line
}

# Makes the netlist of a line, and those of the parts that it leaves empty. Other jobs may need the same parts.
make_netlist() { # line
    local line=$1 name part parts
    # shellcheck disable=SC2086 # one word per parameter
    name=$(netlist_name $line)
    log=$work/$name.log
    # shellcheck disable=SC2086
    { flock 9 && synthesize_once "$name" $line; } 9>"$work/$name.lock" && parts=$(boxes_of "$name") || return
    while IFS= read -r part; do [ -z "$part" ] || is_known "$part" || make_netlist "$part" || return; done <<<"$parts"
}

# Makes the netlists of all lines, which takes most of the time, in parallel jobs. The walks come afterwards, because a
# walk needs the tables of the parts that the netlist leaves empty.
make_netlists() {
    local line of=()
    [ -z "$spec" ] || of=(--design "$spec")
    while IFS= read -r line; do add_job 1 "${BASH_SOURCE[0]}" "${of[@]}" --netlist "$line"; done < <(lines_wanted)
    run_jobs "$jobs"
}
# Prints the lines that need a walk, only those of the modules that the arguments name if there are any.
lines_wanted() { awk -v wanted="$wanted" 'wanted == " " || index(wanted, " " $1 " ")' "$work/needed"; }

all=0 list=0 spec="" borders="" wanted=" " one=() jobs=${job_count:-1} netlist=""
while [ $# -gt 0 ]; do
    case $1 in
        --all) all=1 ;;
        --design)
            spec=${2-}
            [ -f "$spec" ] || { usage >&2; exit 2; }
            spec=$(realpath "$spec")
            shift
            ;;
        --list) list=1 ;;
        --again) anew=1 ;;
        --needed) needed=1 ;;
        --borders)
            borders=${2-}
            [ -f "$borders" ] || { usage >&2; exit 2; }
            shift
            ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --netlist) netlist=${2-} && shift ;; # a job of make_netlists
        --path) options=(--path) ;;
        --record) record=1 ;;
        --help | -h) usage; exit 0 ;;
        --)
            shift
            one=("$@")
            break
            ;;
        -*) usage >&2; exit 2 ;;
        *) all=1 wanted+="$1 " ;;
    esac
    shift
done
# Prints and records the clock that the model supports for the design that was walked last. It uses rill_top with all
# modules empty, and the tables of the modules for the delays at their ports.
state_clock() {
    log=$work/clock.log
    if ! make_top >"$log" 2>&1; then
        counted fail "the clock of $spec" "$(reason)"
    elif ! python3 "$here/design.py" "$work/design" "$work/top.json" "$work/lines" --borders "$work/borders" \
        --record "$work/clock.json" >"$work/clock" 2>&1; then
        counted fail "the clock of $spec" "$(tail -n 1 "$work/clock")"
    else
        cat "$work/clock"
        counted check_clock
        counted check_borders "$spec"
    fi
}

# Makes a netlist of rill_top without hierarchy, in which all modules of the library are empty.
make_top() {
    local design=$work/design read=read_verilog dirs files whole
    dirs=$(printf -- "-I$root/%s " rtl-templates/*)
    whole=$(design_modules "$design"; printf '%s\n' "$design"/rtl/rill_{link,channel}.v)
    files=$(find "$design/rtl" -name '*.v' | grep -vxF "$whole" | LC_ALL=C sort | tr '\n' ' ')
    yosys -q -p "$read -lib -DRILL_PUMP $dirs $files; $read -DRILL_PUMP $dirs $(tr '\n' ' ' <<<"$whole");
        hierarchy -top rill_top; proc; flatten; opt_clean; write_json $work/top.json"
}

# Checks that `design.py --borders` has found nothing: every signal between dies, except resets and those of the matrix
# engine, goes from a flip-flop to a flip-flop.
check_borders() { # spec
    if [ -s "$work/borders" ]; then
        fail "boundaries between dies of ${1#"$root/"}" "$(paste -sd, "$work/borders" | sed 's/,/, /g')"
    else ok "boundaries between dies of ${1#"$root/"}"; fi
}

# Checks the signals between the dies of a design (check_borders). Walks only the modules at the ends of these signals.
walk_borders() { # SPEC
    local line ends
    plan 1
    log=$work/borders.log
    if ! design_lines "$1" >"$work/lines" || ! make_top >"$log" 2>&1 ||
        ! ends=$(python3 "$here/design.py" "$work/design" "$work/top.json" "$work/lines" --ends 2>"$log"); then
        fail "boundaries between dies of $1" "$(reason)"
        return
    fi
    while IFS= read -r line; do
        ! grep -qx "${line%% *}" <<<"$ends" || walk_line "$line"
    done < <(awk -f "$here/larger.awk" "$work/lines")
    if [ -z "$ends" ]; then fail "boundaries between dies of $1" "nothing goes from die to die"
    elif python3 "$here/design.py" "$work/design" "$work/top.json" "$work/lines" --alone --borders "$work/borders" \
        >"$log" 2>&1; then
        check_borders "$1"
    else fail "boundaries between dies of $1" "$(reason)"; fi
}

# Compares the clock with the record next to the spec. A record of the same RTL must be equal. Any other record is
# replaced.
check_clock() {
    local name=${spec#"$root/"} kept=${spec%.yaml}.timing.json rtl says
    says=$(grep '^all but resets' "$work/clock")
    rtl=$(grep -m 1 '"rtl"' "$work/clock.json")
    if [ $record = 0 ] && grep -qsF -- "$rtl" "$kept" && ! diff "$kept" "$work/clock.json" >"$log"; then
        fail "the clock of $name" "its record says otherwise; --record writes it: $(grep -m 1 '^[<>]' "$log")"
    elif cp "$work/clock.json" "$kept" 2>"$log"; then ok "the clock of $name, in ${kept#"$root/"}: $says"
    else fail "the clock of $name" "$(reason)"; fi
}

# Writes the lines that must be walked to $work/needed.
find_needed() {
    if [ -z "$spec" ] || [ $anew = 1 ]; then cp "$work/lines" "$work/needed"
    else known --stale "$work/lines" >"$work/needed"; fi
}

# Stores the tables of the walked lines. With --design, also stores those that an earlier run walked but did not store.
store_walked() {
    local lines=$work/walked
    [ -z "$spec" ] || [ "$wanted" != " " ] || lines=$work/lines
    [ ! -s "$lines" ] || known --store "$lines" || counted fail "verif/timing/paths.txt" "it was not written"
}

# Prints how many kinds of instances of the design are known, and the lines that need a walk.
say_needed() {
    local all count
    all=$(grep -vc '^design ' "$work/lines")
    count=$(grep -vc '^design ' "$work/needed")
    echo "$((all - count)) of $all kinds of instances are known, $count need a walk"
    sed 's/^/  /' "$work/needed"
}

[ -z "$spec" ] || pblocks=$work/design/pblocks.tcl
if [ -n "$netlist" ]; then
    if make_netlist "$netlist"; then ok "netlist of $netlist"; else fail "netlist of $netlist" "$(reason)"; fi
    exit 0
fi
if [ ${#one[@]} -gt 0 ]; then
    walk_line "${one[*]}"
    verdict
    exit
fi
if [ $list = 1 ]; then
    all_lines
    exit
fi
set -o pipefail
if [ -n "$borders" ]; then
    walk_borders "$borders"
    verdict
    exit
fi
if [ "$wanted" = " " ] && [ -z "$spec" ]; then
    check_designs
    while IFS= read -r borders; do walk_borders "$borders"; done < <(sed -n 's/^borders //p' "$here/modules.txt")
fi
rm -f "$work/walked"
all_lines >"$work/lines" || fail "lines" "the list of what is walked breaks off"
find_needed || fail "lines" "the list of what needs a walk breaks off"
[ -z "$spec" ] || say_needed
[ $needed = 0 ] || exit 0
if [ "$jobs" != 1 ] || [ -n "$job_launch$job_batch" ]; then make_netlists; fi
while IFS= read -r line; do walk_line "$line"; done < <(lines_wanted)
if [ -n "$spec" ] && [ "$wanted" = " " ]; then state_clock; fi
if [ $record = 1 ]; then store_walked; fi
verdict
