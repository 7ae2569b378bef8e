# SPDX-License-Identifier: Apache-2.0
"""Uses the chat page of a running rill-serve in Chromium with mouse and keyboard. Types a question, waits for the
answer, and compares it with the server's answer to the same question. Types another question and stops its answer. The
page must show the figures of the answer, and have no error. Writes a screenshot after each question.
bench/chat_page.sh runs it.
usage: chat_page.py CHROMIUM URL FOLDER"""
import base64
import json
import os
import subprocess
import sys
import time
import urllib.request

import websocket  # websocket-client of PyPI

QUESTION, TOKENS = "Once upon a time", 24
FIGURES = ("tokens", "TTFT", "tokens/s", "design's time", "design's memory bandwidth")


class Page:
    """A page of Chromium, used over its debugging protocol."""

    def __init__(self, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            target = next(one for one in json.load(answer) if one["type"] == "page")
        self.socket = websocket.create_connection(target["webSocketDebuggerUrl"], suppress_origin=True, timeout=600)
        self.number, self.errors = 0, []
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.errors.append(message["params"])
            if message.get("id") == self.number:
                return message["result"]

    def value(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait(self, script, seconds=300):
        end = time.time() + seconds
        while not self.value(script):
            assert time.time() < end, f"still false after {seconds} s: {script}"
            time.sleep(0.1)

    def click(self, selector):
        place = self.value(f"(r => [r.x + r.width / 2, r.y + r.height / 2])"
                           f"(document.querySelector('{selector}').getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def ask(self, text, tokens):
        self.value(f"document.getElementById('tokens').value = {tokens}")
        self.click("#text")
        self.call("Input.insertText", text=text)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)

    def shoot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


def server_answer(url, model):
    """Returns the text that the page must show after QUESTION."""
    body = {"max_tokens": TOKENS}
    body.update({"messages": [{"role": "user", "content": QUESTION}]} if model["chat"] else {"prompt": QUESTION})
    path = "/v1/chat/completions" if model["chat"] else "/v1/completions"
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        choice = json.load(answer)["choices"][0]
    return choice["message"]["content"] if model["chat"] else QUESTION + choice["text"]


def requests_left(url):
    """Returns how many requests run or wait, by the server's counters."""
    with urllib.request.urlopen(url + "/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return sum(int(line.split()[1]) for line in lines
               if line.startswith(("rill_requests_processing ", "rill_requests_deferred ")))


def use(page, url, folder):
    page.call("Page.navigate", url=url)
    page.wait("document.readyState == 'complete' && document.title == 'Rill'")
    page.wait("document.getElementById('state').textContent == 'ok' && model !== null")
    model = page.value("model")
    page.ask(QUESTION, TOKENS)
    page.wait("document.getElementById('state').textContent.includes('1 running')")
    page.wait("running === null && document.querySelectorAll('.turn.assistant').length == 1")
    shown = page.value("document.querySelector('.turn.assistant').textContent")
    figures = page.value("[...document.querySelectorAll('#figures span')].map(f => f.textContent)")
    page.shoot(f"{folder}/answer.png")
    wanted = server_answer(url, model)
    assert shown == wanted, (shown, wanted)
    for name in FIGURES:
        assert any(one.startswith(name + " ") for one in figures), (name, figures)
    print(f"the answer is the server's: {shown!r}; {', '.join(figures)}")
    page.ask("The sun", 200)
    page.wait("document.querySelectorAll('.turn.assistant').length == 2 && "
              "document.querySelectorAll('.turn.assistant')[1].textContent.length > 10")
    page.click("#stop")
    page.wait("running === null && document.querySelectorAll('.turn.wrong').length == 1")
    assert page.value("document.querySelector('.turn.wrong').textContent") == "stopped"
    end = time.time() + 120
    while requests_left(url):
        assert time.time() < end, "the stopped request still runs"
        time.sleep(0.2)
    page.wait("document.getElementById('state').textContent == 'ok'")
    page.shoot(f"{folder}/stopped.png")
    assert not page.errors, page.errors
    print("the stopped answer has freed its slot, and the page has no error")


def main(chromium, url, folder):
    data = folder + "/chromium"
    browser = subprocess.Popen([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                                "--remote-debugging-port=0", f"--user-data-dir={data}", "--window-size=900,700",
                                "about:blank"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.time() + 120
        while not os.path.exists(data + "/DevToolsActivePort"):
            assert browser.poll() is None and time.time() < end, "Chromium does not start"
            time.sleep(0.1)
        use(Page(open(data + "/DevToolsActivePort").readline().strip()), url, folder)
    finally:
        browser.terminate()
        browser.wait()


main(*sys.argv[1:])
