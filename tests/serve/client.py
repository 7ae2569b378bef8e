#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of rill-serve. Each case is a function below that checks answers of a running server. The program ends with
an error if an answer is wrong. tests/serve/run.sh starts the server and the card (fast_card.c) and runs the cases.

usage: client.py table GOLDEN OUT [TEXT_IDS]      writes the table of fast_card to OUT, and its requests to OUT.json
       client.py CASE PORT ANSWERS [VALUE...]     ANSWERS: OUT.json

Cases that are given CONTROL, the control file of fast_card, slow the card down or make it fail (set_card).
"""
import http.client
import json
import math
import os
import re
import socket
import struct
import sys
import threading
import time

LONG = [500]  # a prompt that is not in the table: the card answers with ids counted up from it, as many as asked for
MODEL = "tinystories-gpt2-1m"
# Time limit of a request in seconds. A simulated card needs a higher one than fast_card.
PATIENCE = float(os.environ.get("RILL_CLIENT_SECONDS", 60))


def fail(*words):  # ends the program
    sys.exit("error: " + " ".join(str(word) for word in words))


def equal(what, got, want):
    if got != want:
        fail(f"{what}: {got!r} instead of {want!r}")


# ---- HTTP ----


class Server:
    """Sends requests to the server at a port of this machine."""

    def __init__(self, port):
        self.port = int(port)

    def ask(self, path, body=None, method=None, timeout=PATIENCE, **headers):
        """Returns status, headers and bytes of the answer. body: an object of JSON, text or bytes; with a body, the
        method is POST by default. headers: `_` in a name means `-`."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        headers = {name.replace("_", "-"): value for name, value in headers.items() if value}
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        link.request(method or ("GET" if body is None else "POST"), path, body, headers)
        answer = link.getresponse()
        text = answer.read()
        link.close()
        return answer.status, dict(answer.getheaders()), text

    def json(self, path, body=None, want=200, **more):
        """Returns the JSON of the answer, whose status must be `want`."""
        status, headers, text = self.ask(path, body, **more)
        if status != want:
            fail(f"{path}: status {status} instead of {want}: {text.decode()}")
        return json.loads(text)

    def complete(self, body, want=200, path="/v1/completions", **more):
        return self.json(path, body, want, **more)

    def stream(self, body, path="/v1/completions"):
        """Returns the events of a stream: objects of JSON, and the text `[DONE]`."""
        status, headers, text = self.ask(path, dict(body, stream=True))
        if status != 200:
            fail(f"stream: status {status}: {text.decode()}")
        equal("type of a stream", headers["Content-Type"], "text/event-stream")
        events = text.decode().split("\n\n")  # an incomplete UTF-8 character is an error
        equal("end of a stream", events.pop(), "")
        events = [event for event in events if not event.startswith(": ")]
        for event in events:
            if not event.startswith("data: "):
                fail("no event:", event)
        return [event[6:] if event[6:] == "[DONE]" else json.loads(event[6:]) for event in events]

    def raw(self, body, path="/v1/completions", receive=None):
        """Sends a request and returns its socket. receive: size of the socket's receive buffer."""
        data = json.dumps(body).encode()
        link = socket.socket()
        if receive:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        link.connect(("127.0.0.1", self.port))
        link.settimeout(60)
        link.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        return link

    def metric(self, name):
        """Returns the value of a metric of /metrics."""
        text = self.ask("/metrics")[2].decode()
        found = [float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " ")]
        if len(found) != 1:
            fail("metric", name, "in", text)
        return found[0]

    def wait_for(self, name, value, seconds=20):
        """Waits until a metric has this value, and fails if that takes longer than `seconds`."""
        end = time.time() + seconds
        while self.metric(name) != value:
            if time.time() > end:
                fail(f"{name} is {self.metric(name)} and not {value} after {seconds} s")
            time.sleep(0.02)


def text_of(events, key="text"):
    """Returns the text of a stream after checking its end. key: `text` for completions, `delta` for chats."""
    equal("last event", events[-1], "[DONE]")
    choices = [event["choices"][0] for event in events[:-1] if event["choices"]]
    if any(choice["finish_reason"] for choice in choices[:-1]) or not choices[-1]["finish_reason"]:
        fail("the reason must be in the last choice:", events)
    if key == "text":
        return "".join(choice["text"] for choice in choices)
    equal("role of the first piece", choices[0]["delta"]["role"], "assistant")
    return "".join(choice["delta"].get("content", "") for choice in choices)


# ---- the table ----


def fp32(value):  # returns the bits of a value in single precision
    return struct.unpack("<I", struct.pack("<f", value))[0]


def make_table(golden, out, shown_ids=""):
    """Writes the table of fast_card. golden: a file with an answer of `rill golden --json` on each line, with two more
    members: `request`, the body for the server, and `settings`, the sampling [temperature, top_k, min_p, seed].
    shown_ids: token ids of a text with characters of several bytes, which becomes the answer to the prompt [7]."""
    rows, requests = [], []
    for line in open(golden):
        answer = json.loads(line)
        t, k, p, seed = answer["settings"]
        t = struct.unpack("<f", struct.pack("<f", t))[0]
        settings = [fp32(1 / t) if t else 0, k, fp32(p) if p else 0, seed]
        rows.append((answer["prompt_ids"], settings, answer["token_ids"]))
        requests.append({"request": answer["request"], "ids": answer["prompt_ids"], "text": answer["text"],
                         "count": len(answer["token_ids"])})
    if shown_ids:
        rows.append(([7], [0, 0, 0, 0], [int(i) for i in shown_ids.split(",")]))
    with open(out, "w") as table:
        for row in rows:
            table.write(" : ".join(" ".join(map(str, part)) for part in row) + "\n")
    json.dump(requests, open(out + ".json", "w"))


# ---- cases ----


def plain(server, answers):
    """Texts, usage and drafts of the answers are right, and so are the sums in the metrics."""
    for a in answers:
        got = server.complete(a["request"])
        equal("text", got["choices"][0]["text"], a["text"])
        equal("reason", got["choices"][0]["finish_reason"], "length")
        kept = got["usage"].pop("prompt_tokens_details")["cached_tokens"]
        0 <= kept < len(a["ids"]) or fail("kept", kept, "of", len(a["ids"]))
        equal("usage", got["usage"], {"prompt_tokens": len(a["ids"]), "completion_tokens": a["count"],
                                      "total_tokens": len(a["ids"]) + a["count"]})
        equal("object and model", (got["object"], got["model"]), ("text_completion", MODEL))
        drafts = got["timings"]["drafts"], got["timings"]["drafts_accepted"]
        equal("drafts, right ones", drafts, (3 * a["count"], a["count"]))
    made = sum(a["count"] for a in answers)
    equal("drafts of all", server.metric("rill_draft_tokens_total"), 3 * made)
    equal("right drafts of all", server.metric("rill_draft_tokens_accepted_total"), made)
    by_ids = server.complete(dict(answers[0]["request"], prompt=answers[0]["ids"]))
    equal("text by ids", by_ids["choices"][0]["text"], answers[0]["text"])
    got["timings"]["memory_gb_per_second"] > 0 or fail("no bandwidth")


def turns(server, answers, control):
    """Each request keeps the prefix that it shares with the previous prompt and answer. The last token of an answer has
    no keys and values yet."""
    def ask(prompt, tokens, want_kept, want=None):
        got = server.complete({"prompt": prompt, "max_tokens": tokens, "ignore_eos": True})
        equal(f"kept of {len(prompt)}", got["usage"]["prompt_tokens_details"]["cached_tokens"], want_kept)
        return got["choices"][0]["text"]

    # The card answers with ids counted up from the first id of a prompt. The card gives wrong ids if the server asks it
    # to keep a prefix that the card does not hold.
    ask([40, 1, 2], 1, 0)
    first = ask([300, 301, 302], 5, 0)
    ask([300, 301, 302] + [300, 301, 302, 303, 304] + [9, 9], 5, 7)
    equal("the answer again", ask([300, 301, 302], 5, 2), first)        # one id is left to compute
    ask([300, 301, 7, 7], 70, 2)
    long = [300, 301, 7, 7] + list(range(300, 370))
    ask(long[:70], 3, 69)                                               # positions 0 to 72; the last block begins at 64
    ask(long[:40] + [1, 2, 3], 3, 0)                                    # its block is in memory alone
    ask(long[:40] + [1, 2, 3, 4], 90, 43)
    ask(long[:40] + [1, 2, 3, 4] + list(range(300, 340)), 2, 64)        # 84 are equal, 64 can be kept
    kept = server.metric("rill_prompt_tokens_kept_total")
    equal("kept of all", kept, 7 + 2 + 2 + 69 + 43 + 64)
    set_card(control, "fault 5 2")
    server.complete({"prompt": [300, 301, 302], "max_tokens": 5}, 503)
    ask([300, 301, 302], 5, 0)                                          # a fault leaves nothing
    set_card(control, "hang 2")
    server.complete({"prompt": [300, 301, 302], "max_tokens": 5}, 503)
    for _ in range(100):
        if server.ask("/health")[0] == 200:
            break
        time.sleep(0.1)
    equal("after a reset", ask([300, 301, 302], 5, 0), first)


def streamed(server, answers, control):
    """A stream comes in pieces that add up to the text. It has the usage only if the request asks for it."""
    set_card(control, "delay 30")  # the first answer takes more than a second, so it comes in pieces on any machine
    sum("finish_reason" in str(event) for event in server.stream(answers[0]["request"])) > 2 or fail("one piece")
    set_card(control, "delay 1")
    for a in answers:
        events = server.stream(dict(a["request"], stream_options={"include_usage": True}))
        equal("text", text_of(events), a["text"])
        equal("usage", events[-2]["usage"]["completion_tokens"], a["count"])
    events = server.stream(answers[0]["request"])
    any("usage" in event for event in events[:-1]) and fail("usage without being asked for")


def characters(server, answers, text):
    """A piece of a stream has only whole characters, although the bytes of one character are several tokens."""
    events = server.stream({"prompt": [7], "max_tokens": 200})
    equal("text", text_of(events), text)
    any("\ufffd" in str(event) for event in events) and fail("a character was cut:", events)
    equal("text at once", server.complete({"prompt": [7], "max_tokens": 200})["choices"][0]["text"], text)
    cut = server.complete({"prompt": [7], "max_tokens": 3})["choices"][0]["text"]
    equal("the end within a character", cut, "na\ufffd")
    got = server.complete({"prompt": [7], "max_tokens": 200, "stop": ["\U0001f600"]})["choices"][0]
    equal("a stop string of one character", got["text"], text.split("\U0001f600")[0])


def stops(server, answers):
    """The text ends before a stop string, also in a stream, and the card stops early."""
    a = answers[0]
    text = a["text"]
    for begin in range(3, len(text) - 12, 4):  # stop strings that begin and end anywhere within tokens
        stop = text[begin:begin + 9]
        want = text[:text.index(stop)]
        got = server.complete(dict(a["request"], stop=[stop, "zzz"]))
        equal(f"text before {stop!r}", got["choices"][0]["text"], want)
        equal("reason", got["choices"][0]["finish_reason"], "stop")
        got["usage"]["completion_tokens"] <= a["count"] or fail("too many tokens")
    equal("stream", text_of(server.stream(dict(a["request"], stop=text[4:9]))), text[:4])
    equal("a part of a stop string alone", text_of(server.stream(dict(a["request"], stop=text[-6:] + "#"))), text)
    long = server.complete({"prompt": LONG, "max_tokens": 200, "ignore_eos": True})["choices"][0]["text"]
    short = server.complete({"prompt": LONG, "max_tokens": 200, "ignore_eos": True, "stop": long[8:14]})
    equal("stopped early", short["choices"][0]["text"], long[:long.index(long[8:14])])
    short["timings"]["design_cycles"] < 100000 or fail("the card ran on after the stop string")


def seeds(server, answers):
    """If a request that samples gives no seed, the server draws a new seed for it, and the answer names the seed. A
    greedy request has no seed."""
    body = {"prompt": LONG, "max_tokens": 2, "temperature": 1}
    drawn = {server.complete(body)["timings"]["seed"] for _ in range(3)}
    equal("different seeds", len(drawn), 3)
    equal("the given seed", server.complete(dict(body, seed=42))["timings"]["seed"], 42)
    "seed" in server.complete({"prompt": LONG, "max_tokens": 1})["timings"] and fail("a seed of no use")


def chat(server, answers, golden):
    """Chats give the oracle's text, also as streams, in parts and with several turns. Messages that the template cannot
    express are refused. golden: the oracle's answer in the template."""
    want = json.load(open(golden))
    messages = [{"role": "user", "content": "Once upon a time"}]
    body = {"messages": messages, "max_tokens": len(want["token_ids"]), "model": MODEL}
    got = server.complete(body, path="/v1/chat/completions")
    equal("message", got["choices"][0]["message"], {"role": "assistant", "content": want["text"]})
    equal("object", got["object"], "chat.completion")
    equal("stream", text_of(server.stream(body, "/v1/chat/completions"), "delta"), want["text"])
    parts = [{"role": "user", "content": [{"type": "text", "text": "Once upon"}, {"type": "text", "text": " a time"}]}]
    got = server.complete(dict(body, messages=parts), path="/v1/chat/completions")
    equal("parts", got["choices"][0]["message"]["content"], want["text"])
    turns = messages + [{"role": "assistant", "content": ", there"}, {"role": "user", "content": "The end"}]
    whole = server.complete({"prompt": "Once upon a time, there\nThe end", "max_tokens": 1})
    got = server.complete(dict(body, messages=turns, max_tokens=1), path="/v1/chat/completions")
    equal("tokens of a conversation", got["usage"]["prompt_tokens"], whole["usage"]["prompt_tokens"])
    equal("answer in a conversation", got["choices"][0]["message"]["content"], whole["choices"][0]["text"])

    def refused(messages, param, words):
        error = server.complete({"messages": messages}, 400, "/v1/chat/completions")["error"]
        equal("param", error["param"], param)
        words in error["message"] or fail(words, "not in", error["message"])

    refused([{"role": "system", "content": "x"}] + messages, "messages[0]", "no place for a system message")
    refused(messages + messages, "messages[1]", "the roles of `messages`")
    refused(turns[:2], "messages", "ends with a message of the user")
    refused([{"role": "tool", "content": "x"}], "messages[0]", "the role of a message")
    refused([{"role": "user", "content": 5}], "messages[0]", "the content of a message")
    refused([{"role": "user", "content": [{"type": "image_url", "text": "x"}]}], "messages[0]", "text parts")
    refused([{"role": "user", "content": "x", "tool_calls": [1]}], "messages[0]", "`tool_calls`")
    refused([{"role": "user", "content": "a<|endoftext|>b"}], "messages", "control")
    refused([], "messages", "ends with")


REFUSED = [  # field, value, code of the error
    ("frequency_penalty", 0.5, "unsupported_value"), ("presence_penalty", 1, "unsupported_value"),
    ("repetition_penalty", 1.1, "unsupported_value"), ("top_p", 0.9, "unsupported_value"),
    ("n", 2, "unsupported_value"), ("best_of", 2, "unsupported_value"), ("logprobs", 5, "unsupported_value"),
    ("logit_bias", {"5": 1}, "unsupported_value"), ("echo", True, "unsupported_value"),
    ("suffix", "x", "unsupported_value"), ("temperature", -1, "invalid_value"), ("temperature", "hot", "invalid_value"),
    ("temperature", 0.001, "invalid_value"), ("top_k", 9, "invalid_value"), ("top_k", 1.5, "invalid_value"),
    ("min_p", 2, "invalid_value"), ("min_p", 0.1, "invalid_value"), ("seed", -1, "invalid_value"),
    ("max_tokens", 0, "invalid_value"), ("max_tokens", 257, "invalid_value"), ("max_tokens", "9", "invalid_value"),
    ("stop", "", "invalid_value"), ("stop", ["a"] * 5, "invalid_value"), ("stop", [1], "invalid_value"),
    ("stream", 1, "invalid_value"), ("stream_options", {"include_usage": True}, "invalid_value"),
    ("stream_options", {"other": True}, "unknown_field"), ("ignore_eos", "yes", "invalid_value"),
    ("prompt", 5, "invalid_value"), ("prompt", [], "invalid_value"), ("prompt", ["a", "b"], "unsupported_value"),
    ("prompt", [1024], "invalid_value"), ("prompt", [1, "a"], "invalid_value"), ("messages", [], "unknown_field"),
    ("tools", [], "unknown_field"), ("banana", 1, "unknown_field"), ("prompt", [1] * 257, "context_length_exceeded"),
    ("prompt", "word " * 400, "context_length_exceeded"),
]
# Fields with values that the server accepts and that do not change the answer of a greedy request.
ACCEPTED = {"frequency_penalty": 0, "presence_penalty": 0.0, "top_p": 1, "n": 1, "best_of": 1, "logprobs": None,
            "logit_bias": {}, "echo": False, "suffix": None, "user": "me", "metadata": {"a": "b"}, "store": False,
            "seed": 5, "top_k": 3, "min_p": 0.5, "temperature": 0, "stop": None}


def fields(server, answers):
    """Wrong and unsupported fields are refused by name. Values that change nothing are accepted."""
    for name, value, code in REFUSED:
        error = server.complete({"prompt": LONG, "max_tokens": 2, name: value}, 400)["error"]
        equal(f"code of {name} = {value!r}", error["code"], code)
        error["param"].startswith(name) or fail(f"{name}: param {error['param']}")
        equal("type", error["type"], "invalid_request_error")
    a = answers[0]
    equal("fields that change nothing", server.complete(dict(a["request"], **ACCEPTED))["choices"][0]["text"], a["text"])
    room = {"prompt": [1] * 250, "max_tokens": 8}
    equal("more than there is room for", server.complete(room, 400)["error"]["param"], "max_tokens")
    got = server.complete({"prompt": [1] * 250, "ignore_eos": True})
    equal("tokens up to the context", got["usage"]["completion_tokens"], 7)
    equal("another model", server.complete({"prompt": "x", "model": "gpt-9"}, 404)["error"]["code"], "model_not_found")
    equal("no prompt", server.complete({}, 400)["error"]["code"], "missing_field")
    chat_error = server.complete({"messages": [{"role": "user", "content": "x"}]}, 404, "/v1/chat/completions")["error"]
    equal("no template", chat_error["code"], "no_chat_template")


def bodies(server, answers):
    """Malformed and long bodies, wrong paths, methods and types give the right status, and the pages are there."""
    for body in ('{"prompt":', "[1]", '"x"', "", "nan", '{"prompt": "a", "prompt": "b"}', '{"prompt": "\\u0000"}',
                 b'{"prompt": "\xff"}', "[" * 3000):
        error = server.json("/v1/completions", body, 400)["error"]
        equal(f"code of {body[:20]!r}", error["code"], "malformed_json")
    equal("path", server.ask("/v1/nothing")[0], 404)
    equal("method", server.ask("/v1/completions")[0], 405)
    equal("method of a page", server.ask("/health", {})[0], 405)
    equal("type", server.ask("/v1/completions", '{"prompt": "x"}', Content_Type="text/plain")[0], 415)
    equal("size", server.ask("/v1/completions", '{"prompt": "' + "x" * 5000 + '"}')[0], 413)
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:  # a chunked body, whose size the server does not know in advance
        link.request("POST", "/v1/completions", iter([b"x" * 3000] * 40), {"Content-Type": "application/json"},
                     encode_chunked=True)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the answer came before the end of the body
    try:
        equal("size without a length", link.getresponse().status, 413)
    except ConnectionResetError:
        server.metric('rill_http_answers_total{status="413"}') == 2 or fail("no 413 was sent")
    equal("after it", server.ask("/health")[0], 200)
    page = server.ask("/")
    (page[0] == 200 and b"<html" in page[2].lower()) or fail("no page")
    models = server.json("/v1/models")["data"]
    equal("models", [(m["id"], m["object"], m["context"]) for m in models], [(MODEL, "model", 256)])


def slow_body(server, answers):
    """A body that does not come within --body-timeout gives status 408."""
    link = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    link.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 4000\r\n\r\n{")
    answer = b""
    for _ in range(100):
        time.sleep(0.05)
        try:
            link.sendall(b" ")
        except OSError:
            break
    try:
        answer = link.recv(1000)
    except OSError:
        pass
    (b" 408 " in answer or server.metric('rill_http_answers_total{status="408"}') == 1) or fail("no 408:", answer)


def keys(server, answers, *allowed):
    """Completions, /v1/models and /metrics need one of the allowed keys. /health needs none."""
    for key in allowed:
        equal("a right key", server.ask("/v1/models", Authorization="Bearer " + key)[0], 200)
    for header in ("", "Bearer", "Bearer ", "Bearer " + allowed[0][:-1], "Bearer " + allowed[0] + "x", allowed[0],
                   "Basic " + allowed[0]):
        for path in ("/v1/models", "/metrics"):
            status, headers, text = server.ask(path, Authorization=header)
            equal(f"{path} with {header!r}", (status, json.loads(text)["error"]["code"]), (401, "invalid_api_key"))
            equal("header", headers["WWW-Authenticate"], "Bearer")
    equal("completion", server.ask("/v1/completions", {"prompt": "x"})[0], 401)
    equal("health", server.ask("/health")[0], 200)


def origins(server, answers, origin):
    """The server allows pages of the origin that --cors names."""
    status, headers, _ = server.ask("/v1/completions", method="OPTIONS", Origin=origin)
    equal("preflight", (status, headers["Access-Control-Allow-Origin"]), (204, origin))
    "Content-Type" in headers["Access-Control-Allow-Headers"] or fail("headers:", headers)


def no_origins(server, answers):
    """Without --cors, no origin is allowed."""
    equal("preflight", server.ask("/v1/completions", method="OPTIONS", Origin="http://a")[0], 405)
    "Access-Control-Allow-Origin" in server.ask("/health")[1] and fail("an origin is allowed")


def set_card(control, words):  # gives fast_card a command, which its next request reads
    with open(control + ".new", "w") as out:
        out.write(words)
    os.rename(control + ".new", control)


def in_thread(function, *arguments):
    """Starts a call and returns its thread and a list, which gets the result when the thread ends."""
    result = []
    thread = threading.Thread(target=lambda: result.append(function(*arguments)))
    thread.start()
    return thread, result


def full(server, answers, control):
    """One request runs, one waits, and the third is refused; the first two are answered."""
    set_card(control, "delay 10")
    body = {"prompt": LONG, "max_tokens": 60, "ignore_eos": True}
    first = in_thread(server.complete, body)
    server.wait_for("rill_requests_processing", 1)
    second = in_thread(server.complete, dict(body, prompt=[501]))
    server.wait_for("rill_requests_deferred", 1)
    status, headers, text = server.ask("/v1/completions", body)
    equal("status", (status, json.loads(text)["error"]["code"]), (429, "queue_full"))
    int(headers["Retry-After"]) >= 1 or fail("Retry-After:", headers)
    for thread, result in (first, second):
        thread.join()
        equal("tokens", result[0]["usage"]["completion_tokens"], 60)
    second[1][0]["timings"]["queue_seconds"] > 0.2 or fail("the second did not wait")


def slow_reader(server, answers, control):
    """A client that does not read its answer does not block the next request, and can read all of it later."""
    set_card(control, "delay 1")
    link = server.raw({"prompt": LONG, "max_tokens": 250, "ignore_eos": True, "stream": True}, receive=2048)
    begun = time.time()
    equal("another request", server.complete(answers[0]["request"])["choices"][0]["text"], answers[0]["text"])
    time.time() - begun < 10 or fail("it waited for the slow reader")
    text = b""
    while more := link.recv(1 << 16):
        text += more
        if text.endswith(b"0\r\n\r\n"):
            break
    b"data: [DONE]" in text or fail("the slow reader's answer is not whole")


def killed(server, answers, control):
    """A client that closes its connection frees its place, with or without a stream, and also while it waits."""
    set_card(control, "delay 20")  # 250 tokens would take 5 seconds
    body = {"prompt": LONG, "max_tokens": 250, "ignore_eos": True}
    for stream in (True, False):
        link = server.raw(dict(body, stream=stream))
        server.wait_for("rill_requests_processing", 1)
        if stream:
            b"data" in link.recv(4096) + link.recv(4096) or fail("no event")
        waits = server.raw(dict(body, prompt=[501]))
        server.wait_for("rill_requests_deferred", 1)
        waits.close()
        server.wait_for("rill_requests_deferred", 0)
        begun = time.time()
        link.close()
        server.wait_for("rill_requests_processing", 0)
        time.time() - begun < 2 or fail("the slot was free after", time.time() - begun, "s")
    set_card(control, "delay 1")
    equal("the next", server.complete(answers[0]["request"])["choices"][0]["text"], answers[0]["text"])


def late(server, answers, control):
    """A request that takes longer than --request-timeout ends with an error, and the next one is answered."""
    set_card(control, "delay 100")
    body = {"prompt": LONG, "max_tokens": 100, "ignore_eos": True}
    equal("status", server.complete(body, 504)["error"]["code"], "timeout")
    events = server.stream(body)
    equal("the end of a stream", events[-1]["error"]["code"], "timeout")
    server.wait_for("rill_requests_processing", 0, 3)
    set_card(control, "delay 1")
    equal("the next", server.complete(answers[0]["request"])["choices"][0]["text"], answers[0]["text"])


def faults(server, answers, control):
    """A fault ends only its request. If the card hangs, the server restarts it, again and again if the reset fails."""
    body = {"prompt": LONG, "max_tokens": 60, "ignore_eos": True}
    set_card(control, "fault 5 3")
    error = server.complete(body, 503)["error"]
    equal("code", error["code"], "card_fault")
    "fault 5" in error["message"] or fail("message:", error)
    set_card(control, "fault 6 30")
    equal("the end of a stream", server.stream(body)[-1]["error"]["code"], "card_fault")
    set_card(control, "fault 5 0")
    equal("a stream without a token", server.complete(dict(body, stream=True), 503)["error"]["code"], "card_fault")
    equal("restarts", server.metric("rill_card_restarts_total"), 0)
    set_card(control, "hang 2")
    thread, result = in_thread(server.complete, body, 503)
    server.wait_for("rill_requests_processing", 1)
    waits, failed = in_thread(server.complete, dict(body, prompt=[501]), 503)
    thread.join(), waits.join()
    equal("a card that hangs", result[0]["error"]["code"], "card_hangs")
    "nothing has moved" in result[0]["error"]["message"] or fail("message:", result)
    equal("one that waited", failed[0]["error"]["code"], "card_unavailable")
    back(server, answers, 1)
    set_card(control, "stuck")
    equal("a card whose reset fails", server.complete(body, 503)["error"]["code"], "card_hangs")
    health = server.json("/health", want=503)
    equal("health", health["status"], "restarting")
    health["reason"] or fail("no reason:", health)
    equal("meanwhile", server.complete(body, 503)["error"]["code"], "card_unavailable")
    back(server, answers, 2)


def back(server, answers, restarts):
    """Waits until the card works again. restarts: how often the card must have been restarted in all."""
    server.wait_for("rill_card_up", 1)
    equal("the next", server.complete(answers[0]["request"])["choices"][0]["text"], answers[0]["text"])
    equal("restarts", server.metric("rill_card_restarts_total"), restarts)
    equal("health", server.json("/health")["status"], "ok")


def many(server, answers, clients, requests):
    """Many clients at once: no answer is lost or mixed."""
    wrong = []

    def client(number):
        for i in range(int(requests)):
            a = answers[(number + i) % len(answers)]
            try:
                got = text_of(server.stream(a["request"])) if (number + i) % 2 else \
                    server.complete(a["request"])["choices"][0]["text"]
            except (Exception, SystemExit) as error:
                got = repr(error)
            if got != a["text"]:
                wrong.append((number, i, got, a["text"]))

    threads = [threading.Thread(target=client, args=(n,)) for n in range(int(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal("wrong answers", wrong, [])


def page(server, answers, path):
    """Sends the requests of the curl commands in docs/serve.md, and compares the members of `timings` with the page."""
    commands = re.findall(r"^    curl .*http://127.0.0.1:8080(\S*)(.*)$", open(path).read(), re.M)
    equal("commands", len(commands), 3)
    for where, rest in commands:
        body = re.search(r"-d '(.*)'$", rest)
        status, _, text = server.ask(where, body and body[1])
        equal("status of " + where, status, 200)
    set(json.loads(text)["timings"]) == set(re.findall(r"`(\w+)`", "".join(re.findall(
        r"^\| (`(?:queue|tokens_per|design|memory|drafts).*?) \|", open(path).read(), re.M)))) or fail("timings:", text)


# ---- a card with slots ----


def slots_fill(server, answers, control):
    """Requests fill the slots and run at the same time; a further one waits for a slot. All get the answers that they
    get alone."""
    equal("slots", server.metric("rill_slots"), 4)
    set_card(control, "delay 25")
    body = {"prompt": LONG, "max_tokens": 60, "ignore_eos": True}
    alone = time.time()
    first = server.complete(body)["choices"][0]["text"]
    alone = time.time() - alone
    begun = time.time()
    asked = [in_thread(server.stream if i % 2 else server.complete, dict(body, prompt=[500 + 7 * i])) for i in range(4)]
    server.wait_for("rill_slots_used", 4)
    fifth = in_thread(server.complete, dict(body, max_tokens=5))
    server.wait_for("rill_requests_deferred", 1)
    equal("health", (server.json("/health")["running"], server.json("/health")["slots"]), (4, 4))
    texts = []
    for thread, result in asked:
        thread.join()
        texts.append(text_of(result[0]) if isinstance(result[0], list) else result[0]["choices"][0]["text"])
    took = time.time() - begun
    took < 2 * alone or fail(f"four requests took {took:.2f} s, one alone {alone:.2f} s")
    equal("the first", texts[0], first)
    equal("different texts", len(set(texts)), 4)
    set_card(control, "delay 1")
    fifth[0].join()
    equal("the fifth", fifth[1][0]["usage"]["completion_tokens"], 5)
    fifth[1][0]["timings"]["queue_seconds"] > 0.1 or fail("the fifth did not wait")
    for i in range(4):
        equal("alone", server.complete(dict(body, prompt=[500 + 7 * i]))["choices"][0]["text"], texts[i])
    server.wait_for("rill_slots_used", 0)
    # Each token makes the card read 2 * 700 beats of 32 bytes and takes 1000 cycles; a run takes 500 more.
    made = server.metric("rill_tokens_predicted_total")
    equal("bytes of all", server.metric("rill_memory_bytes_total"), made * 2 * 700 * 32)
    cycles = server.metric("rill_design_cycles_total")
    (cycles - made * 1000) % 500 == 0 and cycles > made * 1000 or fail("cycles of all:", cycles, "of", made, "tokens")


def slots_killed(server, answers, control):
    """A client that closes its connection frees only its slot. The other requests continue, and a waiting one takes the
    slot."""
    set_card(control, "delay 20")
    body = {"prompt": LONG, "max_tokens": 250, "ignore_eos": True}
    stays = in_thread(server.complete, dict(body, prompt=[17], max_tokens=120))
    server.wait_for("rill_slots_used", 1)
    for stream in (True, False):
        link = server.raw(dict(body, stream=stream))
        server.wait_for("rill_slots_used", 2)
        if stream:
            b"data" in link.recv(4096) + link.recv(4096) or fail("no event")
        link.close()
        server.wait_for("rill_slots_used", 1, 2)
    links = [server.raw(dict(body, prompt=[600 + i])) for i in range(3)]
    server.wait_for("rill_slots_used", 4)
    waits = in_thread(server.complete, dict(body, prompt=[18], max_tokens=5))
    server.wait_for("rill_requests_deferred", 1)
    links[1].close()
    waits[0].join()
    stays[1] and fail("the request that waited took no free slot")
    for link in links:
        link.close()
    stays[0].join()
    set_card(control, "delay 1")
    for (_, result), (first, count) in ((stays, (17, 120)), (waits, (18, 5))):
        want = server.complete(dict(body, prompt=[first], max_tokens=count))["choices"][0]["text"]
        equal("the one that stayed", result[0]["choices"][0]["text"], want)
    server.wait_for("rill_slots_used", 0)


def slots_leaves(server, answers):
    """A client closes its connection while another one is answered. This case needs no control file, so it also runs on
    the simulated card."""
    link = server.raw({"prompt": [5, 6, 7], "max_tokens": 200, "ignore_eos": True, "stream": True})
    server.wait_for("rill_slots_used", 1, PATIENCE)
    stays = in_thread(server.complete, answers[0]["request"])
    server.wait_for("rill_slots_used", 2, PATIENCE)
    link.close()
    stays[0].join()
    equal("the one that stayed", stays[1][0]["choices"][0]["text"], answers[0]["text"])
    server.wait_for("rill_slots_used", 0, PATIENCE)


def slots_stop(server, answers, control):
    """A stop string ends its own request and no other."""
    set_card(control, "delay 10")
    body = {"prompt": LONG, "max_tokens": 100, "ignore_eos": True}
    others = [in_thread(server.complete, dict(body, prompt=[20 + i])) for i in range(2)]
    server.wait_for("rill_slots_used", 2)
    long = server.complete(dict(body, max_tokens=20))["choices"][0]["text"]
    short = server.complete(dict(body, stop=long[8:14]))
    equal("text", short["choices"][0]["text"], long[:long.index(long[8:14])])
    short["usage"]["completion_tokens"] < 30 or fail("it ran on after the stop string")
    for thread, result in others:
        thread.join()
        equal("tokens", result[0]["usage"]["completion_tokens"], 100)
    set_card(control, "delay 1")


def slots_full(server, answers, control):
    """Four requests run and one waits; the sixth is refused."""
    set_card(control, "delay 10")
    body = {"prompt": LONG, "max_tokens": 100, "ignore_eos": True}
    asked = [in_thread(server.complete, dict(body, prompt=[500 + i])) for i in range(4)]
    server.wait_for("rill_slots_used", 4)
    asked.append(in_thread(server.complete, dict(body, max_tokens=3)))
    server.wait_for("rill_requests_deferred", 1)
    status, headers, text = server.ask("/v1/completions", body)
    equal("status", (status, json.loads(text)["error"]["code"]), (429, "queue_full"))
    int(headers["Retry-After"]) >= 1 or fail("Retry-After:", headers)
    for (thread, result), count in zip(asked, [100] * 4 + [3]):
        thread.join()
        equal("tokens", result[0]["usage"]["completion_tokens"], count)


def slots_faults(server, answers, control):
    """A fault of one request (code below 5) ends only this request. A fault of the run, and a card that hangs, end all
    requests. The server restarts the card after it hung, and after the watchdog's fault (7)."""
    set_card(control, "delay 10")
    body = {"prompt": LONG, "max_tokens": 60, "ignore_eos": True}

    def three(words, want):
        asked = [in_thread(server.complete, dict(body, prompt=[30 + i]), want) for i in range(2)]
        server.wait_for("rill_slots_used", 2)
        set_card(control, words)
        return asked, server.complete(body, 503)["error"]

    asked, error = three("fault 4 0", 200)
    equal("code", error["code"], "card_fault")
    "fault 4" in error["message"] or fail("message:", error)
    for thread, result in asked:
        thread.join()
        equal("tokens", result[0]["usage"]["completion_tokens"], 60)
    asked, error = three("fault 6 3", 503)
    for thread, result in asked:
        thread.join()
        equal("code of all", result[0]["error"]["code"], "card_fault")
        "fault 6" in result[0]["error"]["message"] or fail("message:", result)
    server.wait_for("rill_slots_used", 0)
    equal("restarts", server.metric("rill_card_restarts_total"), 0)
    equal("the next", server.complete(answers[0]["request"])["choices"][0]["text"], answers[0]["text"])
    asked, error = three("hang 3", 503)
    equal("a card that hangs", error["code"], "card_hangs")
    for thread, result in asked:
        thread.join()
        equal("code of all", result[0]["error"]["code"], "card_hangs")
    back(server, answers, 1)
    server.wait_for("rill_slots_used", 0)
    asked, error = three("fault 7 3", 503)
    for thread, result in asked:
        thread.join()
        equal("the watchdog", result[0]["error"]["code"], "card_fault")
    back(server, answers, 2)


def slots_refused(server, answers):
    """Fields that a design without `sampling` does not support are refused by name."""
    for name, value in (("temperature", 0.8), ("top_k", 4), ("min_p", 0.1)):
        error = server.complete(dict({"prompt": LONG, "max_tokens": 2}, **{name: value}), 400)["error"]
        equal("param", error["param"], name)


def logprobs(server, answers, most):
    """Log probabilities in answers and streams, as fast_card makes them: token n has rank n modulo `most` among the
    most likely tokens, and rank k has the log probability -k - ln 2."""
    most = int(most)

    def near(what, got, want):
        abs(got - want) < 1e-6 or fail(what, got, "instead of", want)

    prompt = {"prompt": LONG, "max_tokens": 7}
    texts = [server.complete({"prompt": [500 + n], "max_tokens": 1})["choices"][0]["text"]
             for n in range(-most, 8 + most)]

    def text(n):  # returns the text of token n of the answer
        return texts[most + n]

    def completion(got, listed, first=0):
        """Checks the value of the field in a completion whose first token is number `first` of the answer."""
        equal("tokens", got["tokens"], [text(first + n) for n in range(len(got["tokens"]))])
        offset = sum(len(text(n)) for n in range(first))
        for n, at in enumerate(got["text_offset"]):
            near("log probability", got["token_logprobs"][n], -((first + n) % most) - math.log(2))
            equal("offset", at, offset)
            offset += len(text(first + n))
        if not listed:
            return equal("no list", got["top_logprobs"], None)
        for n, top in enumerate(got["top_logprobs"]):
            rank = (first + n) % most
            ranks = list(range(listed)) + ([rank] if rank >= listed else [])
            equal("the most likely tokens", list(top), [text(first + n - rank + k) for k in ranks])
            for k, value in zip(ranks, top.values()):
                near("log probability of the list", value, -k - math.log(2))

    for listed in range(most + 1):
        choice = server.complete(dict(prompt, logprobs=listed))["choices"][0]
        equal("number of tokens", len(choice["logprobs"]["tokens"]), 7)
        equal("text", "".join(choice["logprobs"]["tokens"]), choice["text"])
        completion(choice["logprobs"], listed)
    seen = 0
    events = server.stream(dict(prompt, logprobs=1))
    for event in events[:-1]:
        got = event["choices"][0]["logprobs"]
        if got:
            completion(got, 1, seen)
            seen += len(got["tokens"])
    equal("tokens of the stream", seen, 7)
    equal("none without the field", server.complete(prompt)["choices"][0]["logprobs"], None)
    equal("none with false", server.complete(dict(prompt, logprobs=False))["choices"][0]["logprobs"], None)

    ask = {"messages": [{"role": "user", "content": "Lily"}], "max_tokens": 4, "ignore_eos": True}
    path = "/v1/chat/completions"

    def chat_tokens(content, listed, first=0):
        for n, one in enumerate(content):
            rank = (first + n) % most
            near("log probability", one["logprob"], -rank - math.log(2))
            equal("bytes", bytes(one["bytes"]).decode(), one["token"])
            equal("length of the list", len(one["top_logprobs"]), listed)
            for k, other in enumerate(one["top_logprobs"]):
                near("log probability of the list", other["logprob"], -k - math.log(2))
                if k == rank:
                    equal("the token in the list", (other["token"], other["bytes"]), (one["token"], one["bytes"]))

    choice = server.complete(dict(ask, logprobs=True, top_logprobs=most), path=path)["choices"][0]
    equal("number of tokens", len(choice["logprobs"]["content"]), 4)
    equal("text", "".join(one["token"] for one in choice["logprobs"]["content"]), choice["message"]["content"])
    chat_tokens(choice["logprobs"]["content"], most)
    chat_tokens(server.complete(dict(ask, logprobs=True), path=path)["choices"][0]["logprobs"]["content"], 0)
    equal("none", server.complete(ask, path=path)["choices"][0]["logprobs"], None)
    seen = 0
    for event in server.stream(dict(ask, logprobs=True, top_logprobs=2), path=path)[:-1]:
        got = event["choices"][0]["logprobs"]
        if got:
            chat_tokens(got["content"], 2, seen)
            seen += len(got["content"])
    equal("tokens of the stream", seen, 4)
    equal("facts of the model", server.json("/v1/models")["data"][0]["logprobs"], most)
    for body, where, param in ((dict(prompt, logprobs=most + 1), "/v1/completions", "logprobs"),
                               (dict(prompt, logprobs=True), "/v1/completions", "logprobs"),
                               (dict(ask, logprobs=1), path, "logprobs"),
                               (dict(ask, top_logprobs=1), path, "top_logprobs"),
                               (dict(ask, logprobs=True, top_logprobs=most + 1), path, "top_logprobs")):
        error = server.complete(body, 400, where)["error"]
        equal("error", (error["param"], error["code"]), (param, "invalid_value"))


def logprobs_refused(server, answers):
    """A design without `logprobs` refuses the fields by name."""
    ask = {"messages": [{"role": "user", "content": "Lily"}], "max_tokens": 2}
    for body, path in (({"prompt": LONG, "logprobs": 0}, "/v1/completions"),
                       (dict(ask, logprobs=True), "/v1/chat/completions"),
                       (dict(ask, top_logprobs=1), "/v1/chat/completions")):
        error = server.complete(body, 400, path)["error"]
        equal("code", error["code"], "unsupported_value")
        "logprobs" in error["param"] and "no `logprobs`" in error["message"] or fail("message", error)
    server.complete(dict(ask, logprobs=False, top_logprobs=0), path="/v1/chat/completions")


def slots_alone(server, answers):
    """A design with slots and without `prefix` and `drafts` keeps no positions and has no drafts."""
    got = server.complete({"prompt": LONG, "max_tokens": 2})
    equal("kept", got["usage"]["prompt_tokens_details"]["cached_tokens"], 0)
    "drafts" in got["timings"] and fail("drafts:", got["timings"])


def slots_drained(server, answers, control, process):
    """After SIGTERM, requests that run or wait are answered, and new ones are refused."""
    set_card(control, "delay 20")
    body = {"prompt": LONG, "max_tokens": 60, "ignore_eos": True}
    runs = [in_thread(server.stream, dict(body, prompt=[500 + i])) for i in range(4)]
    server.wait_for("rill_slots_used", 4)
    waits = in_thread(server.complete, dict(body, prompt=[501], max_tokens=5))
    server.wait_for("rill_requests_deferred", 1)
    os.kill(int(process), 15)
    time.sleep(0.2)
    equal("a new request", server.complete(body, 503)["error"]["code"], "draining")
    for thread, result in runs:
        thread.join()
        equal("events", result[0][-1], "[DONE]")
    waits[0].join()
    equal("tokens of the one that waited", waits[1][0]["usage"]["completion_tokens"], 5)


def slots_hurried(server, answers, control, process):
    """A second SIGTERM ends the requests of all slots at once."""
    set_card(control, "delay 20")
    body = {"prompt": LONG, "max_tokens": 250, "ignore_eos": True}
    asked = [in_thread(server.complete, dict(body, prompt=[500 + i])) for i in range(3)]
    server.wait_for("rill_slots_used", 3)
    begun = time.time()
    os.kill(int(process), 15)
    time.sleep(0.3)
    os.kill(int(process), 15)
    for thread, _ in asked:
        thread.join()
    time.time() - begun < 4 or fail("it took", time.time() - begun, "s")


def drained(server, answers, control, process):
    """After SIGTERM, requests that run or wait are answered, and new ones are refused."""
    set_card(control, "delay 20")
    body = {"prompt": LONG, "max_tokens": 60, "ignore_eos": True}
    runs = in_thread(server.stream, body)
    server.wait_for("rill_requests_processing", 1)
    waits = in_thread(server.complete, dict(body, prompt=[501], max_tokens=5))
    server.wait_for("rill_requests_deferred", 1)
    os.kill(int(process), 15)
    time.sleep(0.2)
    equal("a new request", server.complete(body, 503)["error"]["code"], "draining")
    equal("health", server.json("/health", want=503)["status"], "draining")
    runs[0].join(), waits[0].join()
    equal("events", runs[1][0][-1], "[DONE]")
    equal("tokens of the one that waited", waits[1][0]["usage"]["completion_tokens"], 5)


def hurried(server, answers, control, process):
    """A second SIGTERM ends the running request at once."""
    set_card(control, "delay 20")
    thread, result = in_thread(server.complete, {"prompt": LONG, "max_tokens": 250, "ignore_eos": True})
    server.wait_for("rill_requests_processing", 1)
    begun = time.time()
    os.kill(int(process), 15)
    time.sleep(0.3)
    os.kill(int(process), 15)
    thread.join()
    time.time() - begun < 4 or fail("it took", time.time() - begun, "s")


def main():
    if sys.argv[1] == "table":
        make_table(*sys.argv[2:])
    else:
        case, port, answers = sys.argv[1:4]
        globals()[case](Server(port), json.load(open(answers)), *sys.argv[4:])


main()
