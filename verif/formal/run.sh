#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves the properties of verif/formal/properties, one file per module of rtl-templates, with Yosys: temporal induction
# (unbounded), over a matrix of parameters. Also runs each module with planted faults, which the properties must find.
# usage: verif/formal/run.sh [--quick] [--jobs N] [module...]
#        One line per proof, N in parallel (default 1), exit status 0 if all hold. --quick omits the slowest proofs.
#        --launch CMD, --batch CMD, --limit SECONDS and --journal FILE are described in docs/testing.md.
# RILL_FORMAL_TIMEOUT: seconds for each proof (default 600). RILL_FORMAL_SHOW: further options of Yosys's `sat`.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/verdict.sh"

limit=${RILL_FORMAL_TIMEOUT:-600}
usage() { echo "usage: $0 [--quick] [--jobs N] [module...]"; }
quick=0 wanted=" " jobs=${job_count:-1} one=()
while [ $# -gt 0 ]; do
    case $1 in
        --quick) quick=1 ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --one) one=("${@:2}") && break ;; # internal: one job of add_job and its arguments
        --help | -h) sed -n '3,8s/^# //p' "$0"; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) wanted+="$1 " ;;
    esac
    shift
done

# Prints the source files of the given modules and of all modules that they instantiate, directly or indirectly.
sources_of() { # module...
    local next=("$@") all="" name file found
    while [ ${#next[@]} -gt 0 ]; do
        found=()
        for name in "${next[@]}"; do
            file=$(echo "$root"/rtl-templates/*/"$name.v")
            [[ " $all " != *" $file "* ]] && [ -f "$file" ] || continue
            all+=" $file"
            mapfile -t -O "${#found[@]}" found < <(grep -oE '^ +rill_[a-z0-9_]+ (#|u_)' "$file" | awk '{ print $1 }')
        done
        next=("${found[@]}")
    done
    echo "$all"
}

# Prints a module with its properties inserted before `endmodule`, so that the source in rtl-templates needs no line for
# proofs. The file of properties may contain these directives:
#   // port: output wire f_X  adds the port f_X to the module, for proofs only
#   // shows: u_N f_N         connects each port f_X of the instance u_N to the net f_N_X if the properties use it
#   // in: gen_NAME           the following lines go into the generate block gen_NAME, before its `end` (the next line
#                             `end` with the indentation of its `begin`)
#   // in: module             the following lines go before `endmodule` again
with_properties() { # source, module
    awk -v properties="$root/verif/formal/properties/$2.v" -v names="${port_names[*]}" '
        BEGIN {
            split(names, ports)
            while ((getline line < properties) > 0) {
                if (line ~ /^\/\/ in: /) block = substr(line, 8)
                else if (block != "" && block != "module") inner[block] = inner[block] line "\n"
                else text = text line "\n"
                count = split(line, word)
                if (word[2] == "port:") list_of_ports = list_of_ports substr(line, 10) ",\n"
                if (count == 4 && word[2] == "shows:") net[word[3]] = word[4]
            }
        }
        /^endmodule/ { printf "%s", text }
        {
            for (name in net) if (index($0, name " (")) {
                list = ""
                for (i in ports) {
                    wire = net[name] substr(ports[i], 2)
                    if (index(text, wire ";") || index(text, wire " =")) list = list "." ports[i] "(" wire "), "
                }
                sub(name " \\(", "&" list)
            }
            match($0, /^ */)
            if (depth != "" && RLENGTH == depth && $1 == "end") {
                printf "%s", inner[open]
                depth = ""
            }
            print
            for (block in inner) if ($0 ~ "begin : " block "$") {
                depth = RLENGTH
                open = block
            }
        }
        /^\) \($/ { printf "%s", list_of_ports }' "$1"
}
mapfile -t port_names < <(sed -n 's/^\/\/ port: .* //p' "$root"/verif/formal/properties/*.v | sort -u)

include_dirs=$(printf -- '-I%s ' "$root"/rtl-templates/*/)

# Proves a module. Its assumptions about its inputs are asserted when it is proven as a part of another module. way:
# tempinduct, or tempinduct-baseonly, which only looks for a counterexample.
prove() { # way, source, module, depth, NAME=VALUE...
    local way=$1 source=$2 module=$3 depth=$4 params="" pair other
    shift 4
    for pair in "$@"; do params+=" -chparam ${pair%%=*} ${pair#*=}"; done
    # Lowers the limit for wide words in rill_fifo, so that a FIFO of 5 bits is proven in the form for wide words.
    with_properties "$source" "$module" |
        sed 's/localparam WIDE = 1536;/localparam WIDE = 4;/' >"$work/$module.v.formal"
    for other in $(sources_of "$module"); do
        [ "$(basename "$other" .v)" = "$module" ] ||
            with_properties "$other" "$(basename "$other" .v)" |
            sed 's/assume (/assert (/' >"$work/$(basename "$other").formal"
    done
    timeout "$limit" yosys -q -l "$work/log" -p "read_verilog -formal -defer $include_dirs $work/*.v.formal;
        hierarchy -check -top $module$params; proc; flatten; setundef -undriven -anyseq; opt_clean; memory_map; opt;
        async2sync;
        sat -$way ${RILL_FORMAL_SHOW:-} -prove-asserts -set-assumes -set-init-zero -maxsteps $depth -verify $module" \
        >"$work/out" 2>&1
}

# One job: proves a module with these parameters.
proof() { # module, depth, NAME=VALUE...
    if ! [ -f "$root/verif/formal/properties/$1.v" ]; then fail "$*" "the module has no properties"
    elif prove tempinduct "$root"/rtl-templates/*/"$1.v" "$@"; then ok "$*"
    else fail "$*" "$(grep -m1 -iE 'error|fail|timeout' "$work/log" || echo "no proof within $limit s")"
    fi
}

# One job: plants a fault in a module, and checks that the properties have a counterexample then.
fault() { # module, sed expression that plants the fault, depth, NAME=VALUE...
    local module=$1 fault=$2
    shift 2
    sed "$fault" "$root"/rtl-templates/*/"$module.v" >"$work/faulty.v"
    if cmp -s "$work/faulty.v" "$root"/rtl-templates/*/"$module.v"; then
        fail "$module" "the fault '$fault' changes nothing"
    elif prove tempinduct-baseonly "$work/faulty.v" "$module" "$@" ||
        ! grep -q 'model found for base case' "$work/log"; then
        fail "$module" "no counterexample for the fault '$fault'"
    else
        ok "$module: the fault '$fault' is found"
    fi
}

# Proves that the form of a module for synthesis and its form with RILL_FAST_SIM have equal outputs in every cycle, by
# induction over registers of equal name.
compare() { # source, module, NAME=VALUE...
    local source=$1 module=$2 pair one files=$1
    local read="read_verilog -defer $include_dirs"
    shift 2
    one="hierarchy -check -top $module$(for pair in "$@"; do printf ' -chparam %s %s' "${pair%%=*}" "${pair#*=}"; done)"
    one+="; proc; flatten; opt_clean; memory_map; opt_clean; rename -top"
    for pair in $(sources_of "$module"); do [ "$(basename "$pair" .v)" = "$module" ] || files+=" $pair"; done
    timeout "$limit" yosys -q -l "$work/log" -p "$read $files; $one built; design -stash built;
        $read -DRILL_FAST_SIM $files; $one fast; design -stash fast;
        design -copy-from built -as built built; design -copy-from fast -as fast fast;
        equiv_make built fast equiv; hierarchy -top equiv; equiv_simple; equiv_induct; equiv_status -assert" \
        >"$work/out" 2>&1
}

# One job: compares the two forms of a module.
same() { # module, NAME=VALUE...
    if compare "$root"/rtl-templates/*/"$1.v" "$@"; then ok "$*: both forms are equal"
    else fail "$*: both forms" "$(grep -m1 -iE 'error|fail|timeout' "$work/log" || echo "no proof within $limit s")"
    fi
}

# One job: checks that `compare` finds a difference. Changes the source with a sed expression that affects only one of
# the two forms. The proof must then fail.
other() { # module, sed expression that changes one form, NAME=VALUE...
    local module=$1 fault=$2
    sed "$2" "$root"/rtl-templates/*/"$1.v" >"$work/faulty.v"
    shift 2
    if cmp -s "$work/faulty.v" "$root"/rtl-templates/*/"$module.v"; then
        fail "$module" "the difference '$fault' changes nothing"
    elif compare "$work/faulty.v" "$module" "$@" || ! grep -q 'unproven .equiv cells' "$work/log"; then
        fail "$module" "the difference '$fault' is not found"
    else ok "$module: the difference '$fault' is found"
    fi
}

# Checks that each module of stream/, dma/ and kv/ and rill_axil_regs have a proof below, or a row in the table of
# modules that are not proven in docs/trust.md.
nothing_forgotten() {
    local file name
    for file in "$root"/rtl-templates/{stream,dma,kv}/*.v "$root"/rtl-templates/control/rill_axil_regs.v; do
        name=$(basename "$file" .v)
        grep -qE "^ *(\[.*\|\| |for .* )?check_proof $name " "$here" ||
            sed -n '/^### Not proven/,$p' "$root/docs/trust.md" | grep -q "^|[^|]*\`$name\`" && continue
        echo "error: $name is neither proven nor listed"
        return 1
    done
}
here=${BASH_SOURCE[0]}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
if [ ${#one[@]} != 0 ]; then
    again="verif/formal/run.sh ${one[1]}"
    "${one[@]}"
    exit 0
fi

# These add jobs for a module, if the module is wanted. Each job is a separate process with a separate folder.
check_proof() { [[ $wanted != " " && $wanted != *" $1 "* ]] || add_job 1 "$here" --one proof "$@"; }
check_same() { [[ $wanted != " " && $wanted != *" $1 "* ]] || add_job 1 "$here" --one same "$@"; }
check_other() { [[ $wanted != " " && $wanted != *" $1 "* ]] || add_job 1 "$here" --one other "$@"; }
check_fault() { [[ $wanted != " " && $wanted != *" $1 "* ]] || add_job 1 "$here" --one fault "$@"; }

if [ "$wanted" = " " ]; then
    counted check "every module is proven, or listed with the reason" nothing_forgotten
fi
check_proof rill_register_slice 4 DATA_W=3 MODE=0
check_proof rill_register_slice 4 DATA_W=3 MODE=1
check_proof rill_register_slice 4 DATA_W=3 MODE=2
check_proof rill_register_slice 4 DATA_W=3 MODE=3
srl="RAM_STYLE=24'h$(printf srl | od -An -tx1 | tr -d ' \n')"
for depth in 1 2 3 5 6; do check_proof rill_fifo 4 DATA_W=3 DEPTH=$depth; done
check_proof rill_fifo 4 DATA_W=5 DEPTH=2 # above WIDE
for depth in 3 5 6; do check_proof rill_fifo 4 DATA_W=2 DEPTH=$depth "$srl"; done
check_same rill_fifo DATA_W=3 DEPTH=1
check_same rill_fifo DATA_W=3 DEPTH=2
check_same rill_fifo DATA_W=3 DEPTH=17
check_other rill_fifo "s/count_now - 1'b1/count_now - 1'b0/" DATA_W=3 DEPTH=17
check_other rill_fifo 's/zeros = zeros \&\& !count_now/zeros = zeros \&\& count_now/' DATA_W=3 DEPTH=17
if [ $quick = 0 ]; then
    check_proof rill_fifo 4 DATA_W=2 DEPTH=17
    check_proof rill_fifo 4 DATA_W=2 DEPTH=33 "$srl"
fi
for ports in 1 2 3; do
    check_proof rill_fork 4 PORTS=$ports
    check_proof rill_join 2 PORTS=$ports
done
check_proof rill_weight_lane 4 BEAT_BITS=3 DEPTH=5
check_proof rill_weight_lane 4 BEAT_BITS=3 DEPTH=1
check_proof rill_register_copies 4 DATA_W=3 COPIES=3
check_proof rill_hop_stage 2 DATA_W=3 CLEAR_W=1
check_proof rill_hop 6 DATA_W=3 CLEAR_W=1 STAGES=0
check_proof rill_hop 6 DATA_W=3 CLEAR_W=1 STAGES=2
for clients in 1 2 3 5; do check_proof rill_round_robin 6 CLIENTS=$clients; done
check_proof rill_repetition 3 FIRINGS=1 LAYERS=1
check_proof rill_repetition 3 FIRINGS=3 LAYERS=5
check_proof rill_token_select 2 DATA_W=3 TOKENS=1
check_proof rill_token_select 2 DATA_W=3 TOKENS=4
check_proof rill_burst_splitter 4 BEAT_BITS=64 MAX_BURST=1
check_proof rill_burst_splitter 4 BEAT_BITS=512 MAX_BURST=16 ADDR_BITS=34
check_proof rill_dma_read 4 BEAT_BITS=64 MAX_BURST=2 OUTSTANDING=3 PREFETCH_BEATS=5 ADDR_BITS=34
check_proof rill_write_tracker 4 WRITERS=1 COUNT_W=2 LAYERS_W=3
check_proof rill_write_tracker 4 WRITERS=2 COUNT_W=2 LAYERS_W=3
check_proof rill_owed 6 QUIET_BITS=2
memory=(BEAT_BITS=64 QUIET_BITS=2)
check_proof rill_axi_read_arbiter 4 CLIENTS=1 "${memory[@]}"
check_proof rill_axi_read_arbiter 4 CLIENTS=2 "${memory[@]}" ADDR_BITS=34
check_proof rill_dma_write 4 CLIENTS=1 "${memory[@]}" OUTSTANDING=2
check_proof rill_dma_write 4 CLIENTS=2 "${memory[@]}" OUTSTANDING=3 BUFFER_BEATS=4 ADDR_BITS=34
check_proof rill_ring_writer 4 BEAT_BITS=128
# First schedule: two sections, the second one only for steps with head. Second schedule: three sections, one of them
# without entries.
two=(SECTIONS=2 ENTRIES=3 "SECTION_LEN=32'h00010002" "SECTION_REPEAT=32'h00010002" "SECTION_WHEN_HEAD=2'b10")
check_proof rill_schedule 4 ENTRY_W=2 "${two[@]}" "TABLE=6'b011011"
check_proof rill_schedule 4 ENTRY_W=2 SECTIONS=3 ENTRIES=3 "SECTION_LEN=48'h000200000001" \
    "SECTION_REPEAT=48'h000100020003" \
    "SECTION_WHEN_HEAD=3'b001" "TABLE=6'b100111"
check_proof rill_turns 4 PORTS=3 "${two[@]}" "TABLE=24'h000201"
check_proof rill_stream_mux 4 PORTS=3 DATA_W=2 USER_W=1 "${two[@]}" "TABLE=24'h000201"
check_proof rill_stream_demux 4 PORTS=2 DATA_W=2 USER_W=1 "${two[@]}" "TABLE=24'hFF0001"
rows=(BEAT_BITS=256 TOKENS=2 OFFSET=64)
check_proof rill_stream_writer 4 LANES=8 CHUNKS=2 "${rows[@]}"
[ $quick = 1 ] || check_proof rill_stream_writer 4 LANES=4 CHUNKS=3 "${rows[@]}" # groups of two chunks, one padded
check_proof rill_stream_reader 4 LANES=8 CHUNKS=3 "${rows[@]}"
keys=(BEAT_BITS=256 TOKENS=2 LAYERS=2 HEADS=2 UNITS=2 K_BASE=64 K_LAYER_STRIDE=8192 K_HEAD_STRIDE=2048)
check_proof rill_k_writer 4 CHANNELS=3 "${keys[@]}"
# The table has an entry that reads V, one that reads weights and one that reads K.
walk=(BEAT_BITS=64 KV_LAYERS=2 "${two[@]}" "TABLE=576'h1004000000000000000000000008000000080000000080010000000000000$(
    )00000000000000c00000004000000000100000000100000000200000800000400000010000000004002")
check_proof rill_segment_walker 4 "${walk[@]}"
check_proof rill_axil_regs 8 CHANNELS=1 COUNTERS=0
check_fault rill_register_slice 's/skid_valid_q ? skid_q : s_axis_tdata/s_axis_tdata/' 12 DATA_W=3 MODE=2
check_fault rill_register_slice 's/write_q <= write_q ^ push/write_q <= write_q ^ s_axis_tvalid/' 12 DATA_W=3 MODE=3
check_fault rill_register_slice 's/if (s_axis_tready \&\& s_axis_tvalid)/if (s_axis_tvalid)/' 6 DATA_W=3 MODE=1
check_fault rill_fifo 's/room_q <= pop || .*;/room_q <= 1;/' 8 DATA_W=3 DEPTH=2
check_fault rill_fifo 's/if (push \&\& !write_q)/if (s_axis_tvalid \&\& !write_q)/' 8 DATA_W=5 DEPTH=2
check_fault rill_fifo 's/else if (push \&\& !take \&\& any_q)/else if (push \&\& !take)/' 8 DATA_W=2 DEPTH=5 "$srl"
# Faults that count a layer too early: a response is not needed; a round begins before all engines have finished the
# previous round; the open descriptors of the last layer are left out of its round. The fourth fault counts a layer too
# late: descriptors of the next layer are added to the round.
check_fault rill_write_tracker 's/of_round = written\[i\] \&\& /of_round = /' 8 WRITERS=1 COUNT_W=2 LAYERS_W=3
check_fault rill_write_tracker 's/turn = &clear/turn = |clear/' 12 WRITERS=2 COUNT_W=2 LAYERS_W=3
check_fault rill_write_tracker 's/next_q + part_q/next_q/' 8 WRITERS=1 COUNT_W=2 LAYERS_W=3
check_fault rill_write_tracker 's/turn ? next_left/turn ? next_left + part_q/' 8 WRITERS=1 COUNT_W=2 LAYERS_W=3
# Faults: the FIFO is full one word too early; the last word is held back; a register slice is never ready (modes 2
# and 3).
check_fault rill_fifo 's/room_q <= pop || .*;/room_q <= count_d < FULL - 1;/' 8 DATA_W=3 DEPTH=5
check_fault rill_fifo 's/wire               take = any_q/wire take = any_q \&\& count_q != 1/' 8 DATA_W=3 DEPTH=5
check_fault rill_register_slice 's/ready_q <= move .*/ready_q <= 1'"'b0"';/' 8 DATA_W=3 MODE=2
check_fault rill_register_slice 's/ready_q <= pop .*/ready_q <= 1'"'b0"';/' 8 DATA_W=3 MODE=3
check_fault rill_fork 's/\& ~done_q/\& ~{PORTS{1'"'b0"'}}/' 6 PORTS=2
check_fault rill_fork 's/opened \&\& !(&done_d)/opened/' 6 PORTS=2
check_fault rill_weight_lane 's/fetch = run_q \&\& filled/fetch = run_q/' 6 BEAT_BITS=3 DEPTH=5
check_fault rill_weight_lane 's/ready_q <= !waits/ready_q <= 1'"'b1"'/' 8 BEAT_BITS=3 DEPTH=5
check_fault rill_weight_lane 's/last_q <= left_q == 16.d1/last_q <= left_q == 16'"'d2"'/' 10 BEAT_BITS=3 DEPTH=5
check_fault rill_join 's/(&s_axis_tvalid)/(|s_axis_tvalid)/' 3 PORTS=2
check_fault rill_register_copies 's/copy_q <= rst ?/copy_q <= rst \&\& c == 0 ?/' 4 DATA_W=3 COPIES=3
check_fault rill_hop 's/k < STAGES; k/k < STAGES - 1; k/' 6 DATA_W=3 CLEAR_W=1 STAGES=2
check_fault rill_hop_stage 's/d & KEPT/d/' 6 DATA_W=3 CLEAR_W=1
check_fault rill_round_robin 's/|favoured ? favoured : request/request/' 8 CLIENTS=3
check_fault rill_round_robin 's/pool & ~below/pool/' 6 CLIENTS=3
check_fault rill_repetition 's/if (ends) repetition/repetition/' 6 FIRINGS=2 LAYERS=3
check_fault rill_token_select 's/(m_axis_tready || !keep)/m_axis_tready/' 3 DATA_W=3 TOKENS=4
check_fault rill_burst_splitter 's/(work_addr_q | BORDER\[ADDR_W-1:0\]) + 1.b1/work_addr_q + BURST_MAX/' \
        8 BEAT_BITS=64 MAX_BURST=4
check_fault rill_burst_splitter 's/left_small = left_q <= /left_small = left_q < /' 8 BEAT_BITS=64 MAX_BURST=4
check_fault rill_burst_splitter 's/is_short || next_beats == to_border/is_short/' 8 BEAT_BITS=64 MAX_BURST=4
# Faults: a response that is owed is forgotten; a grant, a beat or a response goes to another client.
check_fault rill_owed 's/owed_q <= (rst || owed_q)/owed_q <= rst/' 8 QUIET_BITS=2
check_fault rill_axi_read_arbiter 's/take ? grant : /take ? grant << 1 : /' 8 CLIENTS=2 "${memory[@]}"
check_fault rill_axi_read_arbiter 's/m_axi_rid == INDEX/m_axi_rid >= INDEX/' 8 CLIENTS=2 "${memory[@]}"
check_fault rill_axi_read_arbiter 's/take = open_q \&\& !owed/take = open_q/' 12 CLIENTS=2 "${memory[@]}"
# Faults: a client without requests keeps its turn; a response goes to another client; the response of any beat, not
# only of the last one, ends its descriptor; one more beat is open than allowed.
check_fault rill_dma_write 's/pass = !current || (push \&\& ends)/pass = push \&\& ends/' 8 CLIENTS=2 \
    "${memory[@]}" OUTSTANDING=3
check_fault rill_dma_write 's/<= {ends, place_turn, addr_d}/<= {ends, request, addr_d}/' 8 CLIENTS=2 \
    "${memory[@]}" OUTSTANDING=3
check_fault rill_dma_write 's/rst || !head_ends ?/rst ?/' 10 CLIENTS=1 "${memory[@]}" OUTSTANDING=2
check_fault rill_dma_write 's/push ? !next_all_out : !all_out/!all_out/' 10 CLIENTS=1 "${memory[@]}" OUTSTANDING=1
check_fault rill_ring_writer "s/settle_q == 3'd7/settle_q == 3'd6/" 16 BEAT_BITS=128
check_fault rill_ring_writer "s/here_q\[i\] ? id_q/here_q[i] ? id_q + 1/" 8 BEAT_BITS=128
check_fault rill_schedule 's/layers_q == 16.d0/layers_q <= 1/' 16 ENTRY_W=2 "${two[@]}" "TABLE=6'b011011"
check_fault rill_turns 's/STEER_PORT_W\] == p;/7] == p;/' 12 PORTS=2 "${two[@]}" "TABLE=24'h008001"
check_fault rill_stream_mux 's/m_axis_tready ? turn/m_axis_tready ? s_axis_tvalid/' 12 PORTS=3 DATA_W=2 USER_W=1 \
    "${two[@]}" "TABLE=24'h000201"
check_fault rill_stream_demux "s/{1'b1, m_axis_tready}/{1'b0, m_axis_tready}/" 12 PORTS=2 DATA_W=2 USER_W=1 \
    "${two[@]}" "TABLE=24'h0001FF"
# Faults: rill_stream_writer writes the row of the next token at the wrong offset, and stores a chunk in every slot of
# its group. rill_stream_reader reads the row of the next token at the wrong offset. rill_k_writer stays in the same row
# after the last lane.
check_fault rill_stream_writer \
    "s/offset_q <= offset_q + {8.d0, ROW_BYTES}/offset_q <= offset_q + {8'd0, GROUP_BYTES}/" \
    8 LANES=8 CHUNKS=2 "${rows[@]}"
check_fault rill_stream_writer 's/here ? s_axis_y_tdata : held_q/s_axis_y_tdata/' 8 LANES=4 CHUNKS=3 "${rows[@]}"
check_fault rill_stream_reader \
    "s/offset_q <= offset_q + {8.d0, ROW_BYTES}/offset_q <= offset_q + {8'd0, GROUP_BYTES}/" \
    8 LANES=8 CHUNKS=3 "${rows[@]}"
check_fault rill_k_writer 's/lane_last_q ? row_offset_q + {8.d0, ROW_BYTES}/lane_last_q ? row_offset_q/' 12 CHANNELS=2 \
    "${keys[@]}"
# One entry of V, so that the products are those of constants. The fault makes one run of descriptors too many.
walk=(BEAT_BITS=64 KV_LAYERS=2 SECTIONS=1 ENTRIES=1 "SECTION_LEN=16'd1" "SECTION_REPEAT=16'd2" "SECTION_WHEN_HEAD=1'b0"
    "TABLE=192'h000000100000000200000800000400000010000000004002")
check_fault rill_segment_walker "s/emit_outer_q != 16.d2/emit_outer_q != 16'd1/" 16 "${walk[@]}"
# Faults: a write response is dropped before bready; a register ignores a write; a setting changes during a request; a
# byte is written by the strobe of another byte.
check_fault rill_axil_regs 's/else if (s_axi_control_bready)/else/' 12 CHANNELS=1 COUNTERS=0
check_fault rill_axil_regs "s/REG_MAX_NEW: max_new <=.*/REG_MAX_NEW: ;/" 12 CHANNELS=1 COUNTERS=0
check_fault rill_axil_regs 's/apply_fixed = apply \&\& !ap_start/apply_fixed = apply/' 12 CHANNELS=1 COUNTERS=0
check_fault rill_axil_regs 's/strobe\[2\] ? data/strobe[1] ? data/' 12 CHANNELS=1 COUNTERS=0
if [ $quick = 0 ]; then
    check_fault rill_dma_read 's/room32 >= ANY_TWO/1/' 8 BEAT_BITS=64 MAX_BURST=2 OUTSTANDING=3 PREFETCH_BEATS=3
    check_fault rill_dma_read 's/!next_all_out : !all_out/1 : !all_out/' \
        10 BEAT_BITS=64 MAX_BURST=1 OUTSTANDING=1 PREFETCH_BEATS=5
    check_fault rill_dma_read 's/beat_offset_q <= m_axi_rlast ? /beat_offset_q <= 0 ? /' \
        12 BEAT_BITS=64 MAX_BURST=2 OUTSTANDING=2 PREFETCH_BEATS=5
fi
run_jobs "$jobs"
verdict
