#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disturbs rill-host while a request runs.

usage: drive.py ACTION IDS COMMAND...
Starts COMMAND, a call of rill-host that prints ids. Does ACTION when two ids are printed:
  stop   sends SIGINT. COMMAND must end by itself with status 130, and say that the request was stopped
  kill   sends SIGINT twice. COMMAND must end with status 130, and say that the request was stopped or killed
  die    sends SIGKILL
  reset  runs `rill-host --reset` in another process. COMMAND must end with status 1
The printed ids must be the beginning of IDS (separated by blanks), and not all of them. There is no time limit except
that of COMMAND itself.
"""
import os
import signal
import subprocess
import sys


def take_ids(process, count):
    """Reads `count` whole ids and returns all bytes that were read."""
    text = b""
    while len(text.split()) <= count:  # until the next id begins, because the last one that was read may be cut
        more = os.read(process.stdout.fileno(), 1)
        if not more:
            sys.exit(f"error: it ended after `{text.decode()}`: {process.stderr.read().decode()}")
        text += more
    return text


def wait_for(stream, word):
    text = b""
    while word not in text:
        more = os.read(stream.fileno(), 1)
        if not more:
            sys.exit(f"error: no `{word.decode()}` in `{text.decode()}`")
        text += more


def act(action, process, command):
    if action == "reset":
        subprocess.run(command[:1] + ["--reset"], check=True)
    elif action == "die":
        process.kill()
    else:
        process.send_signal(signal.SIGINT)
        wait_for(process.stderr, b"stopping")
    if action == "kill":
        process.send_signal(signal.SIGINT)


def main():
    action, want, command = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        text = take_ids(process, 2)
        act(action, process, command)
        rest, errors = process.communicate()
    finally:
        process.kill()
    status = {"stop": 130, "kill": 130, "die": -signal.SIGKILL, "reset": 1}[action]
    says = {"stop": b"the request was stopped", "kill": b"the request was ", "die": b"", "reset": b"state"}[action]
    ids = [one.decode() for one in (text + rest).split()]
    if process.returncode != status or says not in errors:
        sys.exit(f"error: status {process.returncode} instead of {status}: {errors.decode()}")
    if action == "die":  # cut anywhere
        ids.pop()
    if len(ids) < 2 or len(ids) >= len(want) or ids != want[:len(ids)]:
        sys.exit(f"error: the ids are {ids}, and must be the beginning of {want}")


main()
