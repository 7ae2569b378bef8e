# SPDX-License-Identifier: Apache-2.0
"""Sends requests to rill-serve with the `openai` package and checks the answers: completions, streams, a stop string,
chat, sampling with a seed, and fields that must be refused. bench/openai_client.sh runs it.
usage: openai_client.py URL    (API key: RILL_API_KEY)"""
import os
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key=os.environ.get("RILL_API_KEY", "none"), max_retries=0, timeout=600)
model = client.models.list().data[0]
print("model", model.id)
prompt = "Once upon a time"

whole = client.completions.create(model=model.id, prompt=prompt, max_tokens=8)
print("completion", repr(whole.choices[0].text), whole.choices[0].finish_reason, whole.usage.completion_tokens)
events = list(client.completions.create(model=model.id, prompt=prompt, max_tokens=8, stream=True,
                                        stream_options={"include_usage": True}))
text = "".join(event.choices[0].text for event in events if event.choices)
assert text == whole.choices[0].text, text
assert events[-1].usage == whole.usage, events[-1]
print("stream", len(events), "events")

# A stop string from the middle of the text must end the answer before it.
stop = whole.choices[0].text[4:8]
stopped = client.completions.create(model=model.id, prompt=prompt, max_tokens=8, stop=[stop])
assert (stopped.choices[0].text, stopped.choices[0].finish_reason) == (text[:text.index(stop)], "stop"), stopped

# rill-serve adds `chat` and `sampling` (the largest top_k, 0: none) to the fields of a model.
if model.chat:
    messages = [{"role": "user", "content": prompt}]
    answer = client.chat.completions.create(model=model.id, messages=messages, max_tokens=8)
    print("chat", repr(answer.choices[0].message.content))
    pieces = client.chat.completions.create(model=model.id, messages=messages, max_tokens=8, stream=True)
    text = "".join(event.choices[0].delta.content or "" for event in pieces)
    assert text == answer.choices[0].message.content, text
if model.sampling:
    drawn = [client.completions.create(model=model.id, prompt=prompt, max_tokens=8, temperature=1, seed=7,
                                       extra_body={"top_k": min(4, model.sampling)}).choices[0].text for _ in range(2)]
    assert drawn[0] == drawn[1], drawn
    print("drawn", repr(drawn[0]))

for kind, field in ((openai.BadRequestError, {"n": 2}), (openai.BadRequestError, {"frequency_penalty": 1}),
                    (openai.NotFoundError, {"model": "another"})):
    try:
        client.completions.create(**{"model": model.id, "prompt": prompt, "max_tokens": 1, **field})
        sys.exit(f"error: {field} is taken")
    except kind as error:
        assert error.param == next(iter(field)), error
print("every answer is as it must be")
