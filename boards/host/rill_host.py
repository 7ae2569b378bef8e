# SPDX-License-Identifier: Apache-2.0
"""Runs requests on a card: the C interface of rill_host.h, by ctypes.

    from rill_host import Host
    with Host("build/medium-kernel") as host:
        host.upload()
        for request in ("Once upon a time", [1, 2, 3]):
            print(host.run(request, tokens=64).text)
        numbers = [host.submit(prompt, tokens=64) for prompt in ("One day", "Lily")]  # a design with slots
        for _ in numbers:
            number, answer = host.wait()

The library is the file that $RILL_HOST_LIBRARY names, or librill_host.so beside this file.
"""
import ctypes as c
import os

STATUS = ["ok", "input", "card", "fault", "timeout", "stopped"]
MAX_CHANNELS = 32
MAX_LOGPROBS = 5
NONE = 0x7fffffff
PROGRESS = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_uint64, c.c_uint64)
TOKEN = c.CFUNCTYPE(None, c.c_void_p, c.c_uint32, c.c_double)


# These structures have the members of the structs in rill_host.h, in the same order.
class Options(c.Structure):
    _fields_ = [("package", c.c_char_p), ("image", c.c_char_p), ("binary", c.c_char_p), ("device", c.c_char_p),
                ("timeout", c.c_double), ("watchdog", c.c_uint32), ("progress", PROGRESS), ("context", c.c_void_p),
                ("unit", c.c_uint32)]


class Logprobs(c.Structure):
    _fields_ = [("id", c.c_uint32), ("logprob", c.c_double), ("count", c.c_uint32),
                ("top_id", c.c_uint32 * MAX_LOGPROBS), ("top", c.c_double * MAX_LOGPROBS)]


RECORD = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(Logprobs))


class Request(c.Structure):
    _fields_ = [("prompt", c.POINTER(c.c_uint32)), ("prompt_count", c.c_uint32), ("max_new", c.c_uint32),
                ("ignore_eot", c.c_int), ("token", TOKEN), ("context", c.c_void_p), ("temperature", c.c_float),
                ("top_k", c.c_uint32), ("min_p", c.c_float), ("seed", c.c_uint64), ("whole", c.c_int),
                ("logprobs", c.c_int), ("record", RECORD)]


class Result(c.Structure):
    _fields_ = [("id", c.POINTER(c.c_uint32)), ("seconds", c.POINTER(c.c_double)), ("count", c.c_uint32),
                ("total", c.c_double), ("cycles", c.c_uint64), ("clock_mhz", c.c_double), ("channels", c.c_uint32),
                ("beat_bytes", c.c_uint32), ("beats", c.c_uint64 * MAX_CHANNELS), ("stalls", c.c_uint64 * MAX_CHANNELS),
                ("status", c.c_uint32), ("fault", c.c_uint32), ("fault_place", c.c_uint32), ("ending", c.c_uint32),
                ("logits_hash", c.c_uint64), ("hashes_logits", c.c_int), ("watts", c.c_double), ("drafts", c.c_uint64),
                ("drafts_accepted", c.c_uint64), ("prefix", c.c_uint32), ("new_cycles", c.c_uint64),
                ("new_bytes", c.c_uint64), ("logprobs", c.POINTER(Logprobs))]


class HostError(Exception):
    """An error of a call. `status` is a word of STATUS. `answer` is the Answer of a request with its ids up to the
    error, or None for other calls."""

    def __init__(self, status, message, answer=None):
        super().__init__(message)
        self.status, self.answer = STATUS[status], answer


class Answer:
    """The result of a request: ids, seconds (of each id), text, cycles, clock_mhz, total, watts, beats and stalls (of
    each channel), ending, fault, fault_place, drafts, drafts_accepted, prefix (prompt tokens that the card still held
    from an earlier request), new_cycles, new_bytes, and logits_hash (None if the design has none). rill_host.h
    explains them. logprobs: for each id its log probability and a list of (id, log probability) of the most likely
    ones; None for a request without logprobs."""

    def __init__(self, host, result):
        self.ids = [result.id[i] for i in range(result.count)]
        self.seconds = [result.seconds[i] for i in range(result.count)]
        self.text = host.decode(self.ids)
        self.beats, self.stalls = list(result.beats[:result.channels]), list(result.stalls[:result.channels])
        for name in ("total", "cycles", "clock_mhz", "watts", "ending", "fault", "fault_place", "drafts",
                     "drafts_accepted", "prefix", "new_cycles", "new_bytes"):
            setattr(self, name, getattr(result, name))
        self.logits_hash = result.logits_hash if result.hashes_logits else None
        self.logprobs = [(one.logprob, list(zip(one.top_id, one.top))[:one.count])
                         for one in result.logprobs[:result.count]] if result.logprobs else None


def load(path=None):
    """Loads the library and declares the types of its functions. Raises OSError if the file cannot be loaded."""
    here = os.path.dirname(os.path.abspath(__file__))
    library = c.CDLL(path or os.environ.get("RILL_HOST_LIBRARY") or os.path.join(here, "librill_host.so"))
    library.rill_host_open.restype = c.c_void_p
    library.rill_host_open.argtypes = [c.POINTER(Options)]
    for name in ("message", "about"):
        function = getattr(library, "rill_host_" + name)
        function.restype, function.argtypes = c.c_char_p, [c.c_void_p]
    for name in ("close", "failed", "stop"):
        getattr(library, "rill_host_" + name).argtypes = [c.c_void_p]
    library.rill_host_upload.argtypes = [c.c_void_p, c.c_int]
    library.rill_host_check_weights.argtypes = [c.c_void_p]
    library.rill_host_encode.restype = c.c_long
    library.rill_host_encode.argtypes = [c.c_void_p, c.c_char_p, c.POINTER(c.c_uint32), c.c_size_t]
    library.rill_host_encode_chat.restype = c.c_long
    library.rill_host_encode_chat.argtypes = [c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(c.c_uint32), c.c_size_t]
    library.rill_host_decode.restype = c.POINTER(c.c_char)
    library.rill_host_decode.argtypes = [c.c_void_p, c.c_uint32, c.POINTER(c.c_size_t)]
    library.rill_host_run.argtypes = [c.c_void_p, c.POINTER(Request), c.POINTER(Result)]
    library.rill_host_slots.restype = c.c_uint32
    library.rill_host_slots.argtypes = [c.c_void_p]
    library.rill_host_submit.argtypes = [c.c_void_p, c.POINTER(Request), c.POINTER(c.c_uint32)]
    library.rill_host_wait.argtypes = [c.c_void_p, c.c_uint, c.POINTER(c.c_uint32), c.POINTER(Result)]
    library.rill_host_stop_request.argtypes = [c.c_void_p, c.c_uint32]
    library.rill_host_register.restype = c.c_uint64
    library.rill_host_register.argtypes = [c.c_void_p, c.c_char_p]
    return library


class Host:
    """One compute unit of a card. The arguments are the members of struct rill_host_options in rill_host.h, with its
    defaults. progress(what, done, total) reports progress in bytes. library: path of librill_host.so. Raises
    HostError."""

    def __init__(self, package, image=None, binary=None, device=None, timeout=0.0, watchdog=0, progress=None,
                 library=None, unit=0):
        def encoded(text):
            return os.fsencode(text) if text is not None else None

        self.library = load(library)
        self.progress = PROGRESS(lambda _, what, done, total: progress(what.decode(), done, total)) if progress else PROGRESS()
        options = Options(encoded(package), encoded(image), encoded(binary), encoded(device), timeout, watchdog,
                          self.progress, None, unit)
        self.handle = self.library.rill_host_open(c.byref(options))
        status, message = self.library.rill_host_failed(self.handle), self.message()
        if status:
            self.close()
            raise HostError(status, message)
        self.slots = self.library.rill_host_slots(self.handle)
        # The callbacks of submitted requests, by number. ctypes frees a callback without a reference, and the library
        # may call it until the request ends.
        self.called = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Releases the card. No other method may be called afterwards."""
        if self.handle:
            self.library.rill_host_close(self.handle)
        self.handle = None

    def message(self):
        """Returns the message of the latest call, or "" if it had no error."""
        return self.library.rill_host_message(self.handle).decode(errors="replace")

    def about(self):
        """Returns a description of package, image, binary, card and banks as the text of a JSON object."""
        return self.library.rill_host_about(self.handle).decode(errors="replace")

    def upload(self, verify=False):
        """Writes the image to the memory of the card. With `verify`, also reads it back. Raises HostError."""
        status = self.library.rill_host_upload(self.handle, verify)
        if status:
            raise HostError(status, self.message())

    def check_weights(self):
        """Reads the image back from the memory of the card. Raises HostError if the memory does not hold it."""
        status = self.library.rill_host_check_weights(self.handle)
        if status:
            raise HostError(status, self.message())

    def encode(self, text, chat=None):
        """Returns the ids of a text. With `chat`, the name or file of a template, the text is a question to a chat
        model. Raises HostError if there is no tokenizer or no such template."""
        def made(ids, room):
            if chat is None:
                return self.library.rill_host_encode(self.handle, text.encode(), ids, room)
            return self.library.rill_host_encode_chat(self.handle, chat.encode(), text.encode(), ids, room)

        count = made(None, 0)
        if count < 0:
            raise HostError(1, "the image has no tokenizer" if chat is None else self.message())
        ids = (c.c_uint32 * count)()
        made(ids, count)
        return list(ids)

    def decode(self, ids):
        """Returns the text of a list of ids. Bytes that are not valid UTF-8 become U+FFFD."""
        size, text = c.c_size_t(), b""
        for one in ids:
            at = self.library.rill_host_decode(self.handle, one, c.byref(size))
            text += at[:size.value]
        return text.decode(errors="replace")

    def request(self, prompt, tokens=64, ignore_eot=False, token=None, temperature=0.0, top_k=0, min_p=0.0, seed=0,
                whole=False, logprobs=False):
        """Returns a Request for a prompt, which is a text or a list of ids. tokens: most tokens to generate.
        token(id, seconds) is called for each id as it comes. The other arguments are as in rill_host.h."""
        ids = self.encode(prompt) if isinstance(prompt, str) else list(prompt)
        called = TOKEN(lambda _, one, seconds: token(one, seconds)) if token else TOKEN()
        return Request((c.c_uint32 * len(ids))(*ids), len(ids), tokens, ignore_eot, called, None,
                       temperature, top_k, min_p, seed, whole, logprobs, RECORD())

    def run(self, prompt, **settings):
        """Runs one request, with the arguments of `request`, and returns its Answer. Raises HostError."""
        request, result = self.request(prompt, **settings), Result()
        status = self.library.rill_host_run(self.handle, c.byref(request), c.byref(result))
        answer = Answer(self, result)
        if status:
            raise HostError(status, self.message(), answer)
        return answer

    def submit(self, prompt, **settings):
        """Starts a request with the arguments of `request`, even while others run. Returns its number, which is below
        `slots` and belongs to the request until `wait` returns it. Raises HostError."""
        request, number = self.request(prompt, **settings), c.c_uint32()
        status = self.library.rill_host_submit(self.handle, c.byref(request), c.byref(number))
        if status:
            raise HostError(status, self.message())
        self.called[number.value] = request.token
        return number.value

    def wait(self, seconds=3600.0):
        """Waits at most `seconds` for the end of a request, and meanwhile calls `token` for new ids of all requests.
        Returns the number and the Answer of the request that has ended, or (None, None) if none has ended or none runs.
        Raises HostError, whose `number` is that of the request that failed, or None if all requests are given up."""
        number, result = c.c_uint32(), Result()
        status = self.library.rill_host_wait(self.handle, int(1000 * seconds), c.byref(number), c.byref(result))
        one = None if number.value == NONE else number.value
        answer = Answer(self, result)
        if status:
            error = HostError(status, self.message(), answer)
            error.number = one
            raise error
        return (None, None) if one is None else (one, answer)

    def stop_request(self, number):
        """Ends one request before its next step. `wait` then raises HostError for it, with its ids up to then."""
        self.library.rill_host_stop_request(self.handle, number)

    def stop(self):
        """Ends all running requests after the current step. May be called from another thread."""
        self.library.rill_host_stop(self.handle)

    def register(self, name):
        """Returns the value of a register of package.json by its name, or None if there is none."""
        value = self.library.rill_host_register(self.handle, name.encode())
        return None if value == 2**64 - 1 else value
