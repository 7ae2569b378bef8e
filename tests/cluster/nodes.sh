# SPDX-License-Identifier: Apache-2.0
# Functions for run.sh, which sources this file. They start a Slurm controller with three node daemons on this machine,
# or three ssh servers, kill one of these nodes with all its processes, and stop everything. All files are in the folder
# `place` (run.sh), and daemons that run on this machine for other purposes are left alone.
#
# Slurm needs neither systemd nor cgroups nor a database here: proctrack/linuxproc finds the processes of a task by
# their parents, task/none binds no cores, and accounting_storage/none keeps no records. Each node daemon has its own
# name (slurmd -N), port and folder. munge runs with its own key and socket.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run.sh

nodes=(n1 n2 n3)
PATH=$PATH:/usr/sbin:/sbin # slurmd, munged, sshd

# Prints the numbers of free TCP ports. They are not reserved: this assumes that no other program takes them before the
# daemons begin, seconds later.
free_ports() { # count
    python3 -c 'import socket, sys
all = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in all:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in all))' "$1"
}

# Runs a command until it succeeds, for two minutes at most.
await() {
    local until=$((SECONDS + 120))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || { echo "error: still not true after two minutes: $*" && return 1; }
        sleep 0.1
    done
}

start_munge() {
    [ -s "$place/munge.key" ] || { (umask 077 && head -c 1024 /dev/urandom >"$place/munge.key"); }
    munged --force --key-file="$place/munge.key" --socket="$place/munge.socket" --pid-file="$place/munged.pid" \
        --log-file="$place/munged.log" --seed-file="$place/munged.seed"
}

write_slurm_conf() {
    local host port number=0 ports
    host=$(uname -n) && host=${host%%.*}
    read -r -a ports <<<"$(free_ports 4)"
    cat <<CONF
ClusterName=rill-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[3]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$place/munge.socket
CredType=cred/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool.%n
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/%n.pid
SlurmctldLogFile=$place/slurmctld.log
SlurmdLogFile=$place/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
# A node that does not answer is down after so many seconds. Jobs of a node that is down are noticed at once.
SlurmdTimeout=6
KillWait=2
MessageTimeout=5
# A node has one core by this file, whatever the machine has.
SlurmdParameters=config_overrides
CONF
    for port in "${ports[@]:0:3}"; do
        echo "NodeName=${nodes[number++]} NodeHostname=$host NodeAddr=127.0.0.1 Port=$port CPUs=1"
    done
    echo "PartitionName=all Nodes=$(IFS=, && echo "${nodes[*]}") Default=YES MaxTime=INFINITE State=UP"
}

start_slurm() {
    local node
    mkdir -p "$place/state" && write_slurm_conf >"$place/slurm.conf" && start_munge && slurmctld || return
    for node in "${nodes[@]}"; do start_slurmd "$node" || return; done
    await all_idle
}
start_slurmd() {
    rm -f "$place/$1.pid" && mkdir -p "$place/spool.$1" && slurmd -N "$1" && await test -s "$place/$1.pid"
}
all_idle() { [ "$(sinfo --noheader --Node --format %T)" = "$(printf 'idle\n%.0s' "${nodes[@]}")" ]; }
stop_slurm() {
    local name
    scancel --state=RUNNING --user="$(id -un)" 2>/dev/null
    for name in "${nodes[@]}" slurmctld munged; do end_daemon "$name"; done
}

start_ssh() {
    local node number=0 ports sshd
    sshd=$(command -v sshd) && read -r -a ports <<<"$(free_ports 3)" || return
    mkdir -p /run/sshd 2>/dev/null # sshd wants it if it runs as root
    [ -s "$place/key" ] || ssh-keygen -q -t ed25519 -N "" -f "$place/key" || return
    cp "$place/key.pub" "$place/authorized_keys"
    : >"$place/ssh_config"
    for node in "${nodes[@]}"; do
        printf '%s\n' "ListenAddress 127.0.0.1" "Port ${ports[number]}" "HostKey $place/key" \
            "PidFile $place/$node.pid" \
            "AuthorizedKeysFile $place/authorized_keys" "StrictModes no" "UsePAM no" "PasswordAuthentication no" \
            "PermitRootLogin prohibit-password" "SetEnv SLURMD_NODENAME=$node RILL_CLUSTER=$place" \
            "MaxStartups 100" >"$place/sshd.$node"
        printf '%s\n' "Host $node" "    HostName 127.0.0.1" "    Port ${ports[number]}" "    IdentityFile $place/key" \
            "    IdentitiesOnly yes" "    BatchMode yes" "    StrictHostKeyChecking no" \
            "    UserKnownHostsFile /dev/null" "    LogLevel ERROR" >>"$place/ssh_config"
        number=$((number + 1))
        start_sshd "$node" || return
    done
    for node in "${nodes[@]}"; do await ssh -F "$place/ssh_config" "$node" true || return; done
}
start_sshd() { # also lets tools/over-ssh use the machine again
    rm -f "$place/$1.pid" "$place"/rill-over-ssh.*/"$1.lost" &&
        "$(command -v sshd)" -f "$place/sshd.$1" -E "$place/$1.log"
}
stop_ssh() {
    local node
    for node in "${nodes[@]}"; do end_daemon "$node"; done
}

end_daemon() { # name of its pid file
    local pid
    pid=$(cat "$place/$1.pid" 2>/dev/null) || return 0
    kill "$pid" 2>/dev/null
    await eval "! kill -0 $pid" || kill -9 "$pid"
    rm -f "$place/$1.pid"
}

# Prints the processes of a node: those whose environment names the node and this cluster, and the daemons' processes
# (slurmstepd or sshd) that started them.
processes_of() { # node
    local folder pid parent
    for folder in /proc/[0-9]*; do
        pid=${folder#/proc/}
        grep -qzx "SLURMD_NODENAME=$1" "$folder/environ" 2>/dev/null &&
            grep -qzx "RILL_CLUSTER=$place" "$folder/environ" 2>/dev/null || continue
        echo "$pid"
        parent=$(awk '$1 == "PPid:" { print $2 }' "$folder/status" 2>/dev/null)
        case $(cat "/proc/$parent/comm" 2>/dev/null) in slurmstepd | sshd) echo "$parent" ;; esac
    done | sort -u
}
has_processes() { [ -n "$(processes_of "$1")" ]; }

# Kills a node with all of its processes, as when its power fails.
kill_node() { # node
    local pid
    kill -9 "$(cat "$place/$1.pid")" || return
    for pid in $(processes_of "$1"); do kill -9 "$pid" 2>/dev/null; done
    rm -f "$place/$1.pid"
}
