#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs scripts as job arrays of Slurm and waits for their ends, for --batch of the test scripts. A task whose node fails
# is queued again. sbatch takes further options from variables such as SBATCH_PARTITION.
# usage: tests/cluster/array.sh SCRIPT...; ARRAY_TASKS: most tasks that run at the same time (default: all)
set -u
case ${1:-} in
    --help | -h) sed -n '3,5s/^# //p' "$0"; exit 0 ;;
    "" | -*) sed -n '3,5s/^# //p' "$0" >&2; exit 2 ;;
esac
most=1000 # tasks of an array: Slurm's default of MaxArraySize is 1001
list=$(mktemp "${1%/*}/array.XXXXXX") || exit
printf '%s\n' "$@" >"$list"
jobs=()
trap '[ ${#jobs[@]} = 0 ] || scancel "${jobs[@]}"; exit 143' INT TERM
for ((first = 1; first <= $#; first += most)); do
    last=$(($# - first < most ? $# - first : most - 1))
    # `exec` in the task's shell, so that the task ends with the status of the script.
    printf -v task 'exec /bin/bash "$(sed -n $((SLURM_ARRAY_TASK_ID + %d))p %q)"' "$first" "$list"
    # The output of a task is dropped, because each script writes its output and its status to its own file, which
    # tests/launch.py reads.
    job=$(sbatch --parsable --requeue --output=/dev/null --array="0-$last${ARRAY_TASKS:+%$ARRAY_TASKS}" \
        --wrap "$task") || exit
    jobs+=("${job%%;*}")
done
# Succeeds while a job is in the queue. Also succeeds if the controller does not answer.
in_queue() {
    local said
    if said=$(squeue --noheader --jobs="$(IFS=, && echo "${jobs[*]}")" 2>&1); then [ -n "$said" ]
    else [[ $said != *"Invalid job id"* ]]; fi
}
while in_queue; do
    sleep 1 &
    wait $! # a signal ends this wait
done
