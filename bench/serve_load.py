# SPDX-License-Identifier: Apache-2.0
"""Clients of rill-serve for locust. Each client sends requests one after another, and compares each answer with the
expected one. All clients together send the prompts in turn: once each with a whole answer, then once each as a stream,
and so on. Locust ends when RILL_LOAD_REQUESTS answers have come, with status 1 if one of them is wrong or missing.
bench/serve_load.sh runs it."""
import itertools
import json
import os

from locust import HttpUser, events, task

ANSWERS = [json.loads(line) for line in open(os.environ["RILL_LOAD_ANSWERS"])]
REQUESTS = int(os.environ["RILL_LOAD_REQUESTS"])
KEY = os.environ.get("RILL_API_KEY", "none")
numbers = itertools.count()  # of requests
ended = {"right": 0, "wrong": 0}


def streamed(answer):
    """Returns the text of a stream, which must end with [DONE]."""
    lines = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    if lines.pop() != "[DONE]":
        return None
    return "".join(choice["text"] for line in lines for choice in json.loads(line)["choices"])


class Client(HttpUser):
    @task
    def complete(self):
        number = next(numbers)
        if number >= REQUESTS:
            self.stop()
            return
        want = ANSWERS[number % len(ANSWERS)]
        stream = number // len(ANSWERS) % 2 == 1
        body = {"prompt": want["prompt"], "max_tokens": want["tokens"], "stream": stream}
        with self.client.post("/v1/completions", json=body, headers={"Authorization": "Bearer " + KEY}, timeout=600,
                              name="stream" if stream else "whole", catch_response=True) as answer:
            text = None
            if answer.status_code == 200:
                text = streamed(answer) if stream else answer.json()["choices"][0]["text"]
            right = text == want["text"]
            ended["right" if right else "wrong"] += 1
            if right:
                answer.success()
            else:
                answer.failure(f"status {answer.status_code}, {text!r} instead of {want['text']!r}")
        if sum(ended.values()) == REQUESTS:
            self.environment.runner.quit()


@events.quitting.add_listener
def report(environment, **_):
    print(f"{ended['right']} of {REQUESTS} answers are right, {ended['wrong']} are wrong")
    environment.process_exit_code = 0 if ended["right"] == REQUESTS else 1
