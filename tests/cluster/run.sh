#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a request in shards, and jobs of the test scripts, on clusters of three nodes. One of the nodes is killed. See
# --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/design.sh"
. "$root/tests/cluster/nodes.sh"

usage() {
    cat <<'TEXT'
usage: tests/cluster/run.sh [--keep] [--design DIR] [--request IN:OUT] [slurm] [ssh]
Starts a cluster of three nodes on this machine, first Slurm (a controller, three node daemons, munge), then ssh servers
(with tools/over-ssh, and with GNU parallel), and stops it at the end. Missing Debian packages are installed first. On
each cluster `rill verify` must give the verdict, tokens, hash and cycles that it gives without a cluster, and the test
scripts the same lines, although a node is killed in the middle. A script that is killed must continue where its journal
ends. Takes about two minutes. This is in neither set of tests, because it starts daemons and installs packages.
  --keep     keeps the cluster of the last argument running, and prints how to use and stop it
  --design   runs only the check of a request in shards, on this design with a memory image, for example a large one.
             Its simulation is built as by `rill sim --tune`. A node is killed after it has simulated for 5 seconds
  --request  the request of this design: prompt tokens and generated tokens (default 8:8)
The files are in build/cluster.
TEXT
}

keep=0 kinds=() design="" request=8:8
while [ $# -gt 0 ]; do
    case $1 in
        --keep) keep=1 ;;
        --design) design=$2 && shift ;;
        --request) request=$2 && shift ;;
        slurm | ssh) kinds+=("$1") ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
[ ${#kinds[@]} != 0 ] || kinds=(slurm ssh)
place=$root/build/cluster log=$root/build/cluster.log
"$root/tests/install.sh" demo python3:python3 slurmctld:slurm-wlm munged:munge sshd:openssh-server \
    parallel:parallel >&2 || exit
if [ ${#place} -gt 90 ]; then
    echo "tests/cluster/run.sh: error: the path of $place is too long for a socket; use a tree with a shorter path" >&2
    exit 1
fi
mkdir -p "$root/build" && exec 8>"$place.lock" || exit
if ! flock -n 8; then
    echo "tests/cluster/run.sh: error: another run of this script uses $place; wait for its end" >&2
    exit 1
fi
rm -rf "$place" && mkdir -p "$place" && chmod 700 "$place" || exit
export SLURM_CONF=$place/slurm.conf RILL_CLUSTER=$place RILL_QUICK_BUILD=1
# The cluster that runs is stopped at every end of this script.
running=""
stop_cluster() { [ -z "$running" ] || "stop_$running" >/dev/null 2>&1; running=""; }
trap stop_cluster EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

dir=$work/cluster
ids=$(some_ids 20 48)
verify=("$rill" verify "$dir" --prompt-ids "$ids" --tokens 20 --ignore-eot --shards 6 --jobs 3)
benches=("$root/verif/modules/run.sh" --quick --jobs 3 rill_fork rill_join rill_fifo rill_slice)
search=("$rill" explore "$root/configs/graph-linear.yaml" --request 8:1 --vary lanes=4,8 --vary channels=1,2
    --for tokens_s,lut --json)
fuzz=("$root/tests/fuzz/run.sh" --quick --seeds 1-6 --together 1 --jobs 3)

if [ -n "$design" ]; then
    unset RILL_QUICK_BUILD
    verify=("$rill" verify "$design" --tune --prompt-ids "$(seq -s , 1 "${request%:*}")" --tokens "${request#*:}"
        --ignore-eot --shards 3 --jobs 3)
fi

make_all() {
    if [ -n "$design" ]; then "$rill" sim "$design" --tune --build-only && return; fi
    make_design cluster "$root/tests/verify/spec.yaml" random:1 && build_soon cluster
}
alone() { # makes the results without a cluster, with which the others are compared
    rm -rf "$place/alone" && "${verify[@]}" --work "$place/alone" --json "$place/alone.json" || return
    [ -z "$design" ] || return 0
    "${benches[@]}" >"$place/benches" && "${fuzz[@]}" >"$place/fuzz" && "${search[@]}" >"$place/search"
}

# Waits until the node has simulated a shard for 5 seconds. The three shards of a design of --design run on all nodes.
simulates() {
    await grep -q '"event": "begin", "shard": 2' "$place/shards/journal.jsonl" && sleep 5 && has_processes "$1"
}

# Runs a command in the background, and kills a node when the file of hold.sh exists or, with `-`, when a task runs on
# the node, or, with `shard`, when it has simulated a shard for a while. Prints the output of the command and returns
# its exit status.
with_killed() { # node, file of hold.sh or - or shard, command...
    local pid status=0
    "${@:3}" >"$place/said" 2>&1 &
    pid=$!
    case $2 in
        -) await has_processes "$1" ;;
        shard) simulates "$1" ;;
        *) await test -e "$2" ;;
    esac && kill_node "$1" || status=1
    wait $pid || status=$?
    cat "$place/said"
    return $status
}
start_node() { if [ "$running" = slurm ]; then start_slurmd "$1" && await all_idle; else start_sshd "$1"; fi; }

shards_pass() { # launcher, a word of the command during which the node is killed, shards that run twice
    rm -rf "$place/shards" "$place/held" "$place/cluster.json"
    with_killed n1 "$place/held" "${verify[@]}" --work "$place/shards" --json "$place/cluster.json" \
        --launch "$1 $root/tests/cluster/hold.sh n1 $place/held $2" &&
        python3 "$root/tests/cluster/equal.py" "$place/alone.json" "$place/cluster.json" "$3" && start_node n1
}

large_passes() { # launcher
    rm -rf "$place/shards" "$place/cluster.json"
    with_killed n1 shard "${verify[@]}" --work "$place/shards" --json "$place/cluster.json" --launch "$1" &&
        python3 "$root/tests/cluster/equal.py" "$place/alone.json" "$place/cluster.json" 1 && start_node n1
}

lines_of() { grep -E '^(ok   |FAIL |skip |[0-9]+ passed)' "$1" | sort; }
same_lines() { diff <(lines_of "$place/$1") <(lines_of "$place/said"); } # name of the lines without a cluster
ends_in() { [ "$(grep -c "\"verdict\": \"$1\"" "$2")" -ge "$3" ]; } # verdict, journal, least number of them
# Checks that all living nodes were used.
uses_nodes() { # journal
    local node
    for node in "${nodes[@]:1}"; do
        grep -q "\"host\": \"$node\"" "$1" || { echo "error: nothing ran on $node" && return 1; }
    done
}
lost_once() { ends_in lost "$1" 1 || { echo "error: no item was lost" && return 1; }; }

jobs_pass() { # launcher
    rm -rf "$place/held" "$place/journal"
    with_killed n1 "$place/held" "${benches[@]}" --journal "$place/journal" \
        --launch "$1 $root/tests/cluster/hold.sh n1 $place/held .sh" && same_lines benches &&
        lost_once "$place/journal" && uses_nodes "$place/journal" && start_node n1
}

# A script is killed after a few items, and a part of a line is appended to its journal. The same command must then run
# the remaining items, and only those.
journal_continues() { # launcher
    local journal=$place/journal.killed pid passed begun items
    rm -f "$journal"
    setsid "${benches[@]}" --journal "$journal" --launch "$1" >"$place/said" 2>&1 &
    pid=$!
    await ends_in passed "$journal" 3 && kill -9 -- -$pid || return # the group of the script and of launch.py
    wait $pid
    passed=$(grep -c '"verdict": "passed"' "$journal") begun=$(grep -c '"run":' "$journal")
    printf '{"item": "cut' >>"$journal"
    "${benches[@]}" --journal "$journal" --launch "$1" >"$place/said" 2>&1 && same_lines benches || return
    begun=$(($(grep -c '"run":' "$journal") - begun))
    items=$(sed -n 's/^\([0-9]*\) of \([0-9]*\) items.*/\2/p' "$place/said")
    echo "$passed of ${items:-no} items had passed, $begun began"
    [ $begun -gt 0 ] && [ $((passed + begun)) = "${items:-0}" ]
}

# Runs random graphs as a job array. A node is killed as soon as a task runs on it.
array_passes() {
    rm -f "$place/journal.array"
    with_killed n1 - "${fuzz[@]}" --batch "$root/tests/cluster/array.sh" --journal "$place/journal.array" &&
        same_lines fuzz && uses_nodes "$place/journal.array" && start_node n1
}

parallel_passes() {
    local journal=$place/journal.array
    rm -f "$journal"
    with_killed n2 - "${fuzz[@]}" --journal "$journal" --batch "parallel --will-cite --jobs 1 --retries 3 \
        --ssh 'ssh -F $place/ssh_config' --sshlogin n1,n2,n3 /bin/bash :::" && same_lines fuzz &&
        grep -q '"host": "n1"' "$journal" && grep -q '"host": "n3"' "$journal"
}

# Runs a command through tools/over-ssh that prints its words. They must arrive as they are, and its status must come
# back.
over_ssh() { "$root/tools/over-ssh" 'n2*2' bash -c 'echo "$SLURMD_NODENAME" "$PWD" "$1" && exit 3' - "it's  a *"; }
words_arrive() {
    local said status=0
    said=$(over_ssh) || status=$?
    [ "$said" = "n2 $PWD it's  a *" ] && [ $status = 3 ] || { echo "error: status $status: $said" && return 1; }
}

# Runs a search and kills a node while a worker on it waits to begin. The worker must be started again, and the search
# must give the same result.
search_passes() { # launcher
    rm -rf "$place/held"
    with_killed n1 "$place/held" "${search[@]}" --jobs 3 \
        --launch "$1 $root/tests/cluster/hold.sh n1 $place/held --work" &&
        diff <(grep -v seconds "$place/search") <(grep -Ev "seconds|^srun: " "$place/said") && start_node n1
}

queue_slurm() {
    prepare start_slurm
    [ -z "$design" ] || { queue check "srun: shards of $design, a node is killed" large_passes "srun -n1" && return; }
    queue check "srun: the replay before the shards, its node is killed" shards_pass "srun -n1" --write-state 0
    queue check "srun: shards, a node is killed" shards_pass "srun -n1" shard_ 1
    queue check "srun: benches, a node is killed" jobs_pass "srun -n1"
    queue check "srun: a search for designs, a node is killed" search_passes "srun -n1"
    queue check "srun: a script is killed, and its journal continues" journal_continues "srun -n1"
    queue check "sbatch: random graphs in a job array, a node is killed" array_passes
}
queue_ssh() {
    export RILL_SSH="ssh -F $place/ssh_config" TMPDIR=$place
    prepare start_ssh
    [ -z "$design" ] || {
        queue check "ssh: shards of $design, a machine is killed" large_passes "$root/tools/over-ssh n1,n2,n3" && return
    }
    queue check "ssh: the words and the status of a command" words_arrive
    queue check "ssh: shards, a machine is killed" shards_pass "$root/tools/over-ssh n1,n2,n3" shard_ 1
    queue check "ssh: benches, a machine is killed" jobs_pass "$root/tools/over-ssh n1,n2,n3"
    queue check "ssh: a script is killed, and its journal continues" journal_continues "$root/tools/over-ssh n2,n3"
    queue check "parallel: random graphs over ssh, a machine is killed" parallel_passes
}

say_how_to_use() {
    trap - EXIT
    echo "the cluster runs; its files are in $place"
    case $running in
        slurm) echo "use it: export SLURM_CONF=$SLURM_CONF; sinfo" ;;
        ssh) echo "use it: export RILL_SSH=\"$RILL_SSH\"; tools/over-ssh n1,n2,n3 uname -n" ;;
    esac
    echo "stop it: kill \$(cat $place/*.pid)"
}

prepare make_all
prepare alone
run_queue
for kind in "${kinds[@]}"; do
    stop_cluster
    running=$kind
    "queue_$kind"
    run_queue
done
[ $keep = 0 ] || say_how_to_use
verdict
