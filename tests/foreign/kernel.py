# SPDX-License-Identifier: Apache-2.0
"""Tests a packaged kernel under cocotb and cocotbext-axi, with a host and memories that know only docs/host.md.

Each function with the decorator is a test. run.sh chooses the test (TESTCASE) and its data (RILL_PACKAGE, RILL_ANSWERS,
RILL_SEEDS)."""
import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, First, RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

PACKAGE = os.environ["RILL_PACKAGE"]
LIMIT = int(os.environ.get("RILL_LIMIT", "60000"))  # cycles after which a request counts as hanging
ENDS = {"timeout_time": 4 * 4 * LIMIT, "timeout_unit": "step"}  # ends a test that waits forever; a cycle is four steps
MEMORY = 1 << 20
PROMPT, RING = 0x80000, 0x90000  # other places than those in the image, because pointers are absolute


class Host:
    """A host program and the memories of a card, around the packaged kernel."""

    def __init__(self, dut):
        with open(f"{PACKAGE}/package.json") as f:
            self.package = json.load(f)
        with open(f"{PACKAGE}/memory_map.json") as f:
            self.map = json.load(f)
        with open(os.environ["RILL_ANSWERS"]) as f:
            self.answers = json.load(f)
        self.dut = dut
        self.offset = {r["name"]: (r["offset"], r["bits"]) for r in self.package["registers"]}
        self.control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_control"), dut.ap_clk, dut.ap_rst_n,
                                     reset_active_level=False)
        self.memory = [AxiRam(AxiBus.from_prefix(dut, port["name"]), dut.ap_clk, dut.ap_rst_n, reset_active_level=False,
                              size=MEMORY) for port in self.package["memory_ports"]]

    def base(self, channel):
        # Bases are just below a multiple of 4 KiB, so that data that is aligned in the image is not aligned here.
        return 0x40F80 + 0x3000 * channel

    def of(self, register):  # returns the memory at the port of a pointer
        port = next(r["port"] for r in self.package["registers"] if r["name"] == register)
        return self.memory[int(port[-2:])]

    def segment(self, name):
        """Returns a segment of memory_map.json."""
        return next(s for s in self.map["segments"] if s["name"] == name)

    async def write(self, name, value):
        offset, bits = self.offset[name]
        await self.control.write(offset, value.to_bytes(bits // 8, "little"))

    async def read(self, name):
        offset, bits = self.offset[name]
        return int.from_bytes((await self.control.read(offset, bits // 8)).data, "little")

    async def reset(self, cycles=16):
        """Resets the kernel, and writes its pointers and the enables of the interrupt."""
        self.dut.ap_rst_n.value = 0
        await ClockCycles(self.dut.ap_clk, cycles)
        self.dut.ap_rst_n.value = 1
        await ClockCycles(self.dut.ap_clk, 16)
        for c in range(len(self.memory)):
            await self.write(f"hbm_{c:02d}", self.base(c))
        await self.write("prompt_ptr", PROMPT)
        await self.write("ring_ptr", RING)
        await self.write("GIER", 1)
        await self.write("IP_IER", 1)

    async def open(self):
        """Starts the clock, loads the image into the memories, and resets the kernel."""
        self.dut.ap_rst_n.value = 0
        cocotb.start_soon(Clock(self.dut.ap_clk, 4, "step").start())
        for c, memory in enumerate(self.memory):
            with open(f"{PACKAGE}/image/channel_{c:02d}.bin", "rb") as f:
                memory.write(self.base(c), f.read())
        await self.reset()

    async def start(self, prompt, new):
        """Starts a request for at most `new` ids after a prompt."""
        self.of("prompt_ptr").write(PROMPT, b"".join(i.to_bytes(4, "little") for i in prompt))
        self.of("ring_ptr").write(RING, bytes(256))
        await self.write("prompt_len", len(prompt))
        await self.write("max_new", new)
        await self.write("eot_id", self.package["eot"])
        await self.write("flags", 1)
        await self.write("CTRL", 1)

    async def finish(self):
        """Waits for the interrupt and clears it. Returns fault, ending and the ids in the ring."""
        if self.dut.interrupt.value != 1:
            end = ClockCycles(self.dut.ap_clk, LIMIT)
            if await First(RisingEdge(self.dut.interrupt), end) is end:
                raise AssertionError(f"no interrupt within {LIMIT} cycles, status {await self.read('status'):#x}")
        await self.write("IP_ISR", 1)
        assert await self.read("CTRL") & 2, "interrupt without done"
        fault, ending, count = await self.read("fault"), await self.read("ending"), await self.read("ids_written")
        ring = self.of("ring_ptr").read(RING, 4 * count)
        return fault, ending, [int.from_bytes(ring[i:i + 4], "little") for i in range(0, 4 * count, 4)]

    async def run(self, answer):
        """Runs a request and compares it with the answer of the oracle."""
        await self.start(answer["prompt_ids"], len(answer["token_ids"]))
        result = await self.finish()
        assert result == (0, 1, answer["token_ids"]), f"fault, ending, ids {result}, golden {answer['token_ids']}"

    async def refused(self, want, place, prompt, new=1):
        """Starts a request that must end with a fault and its place."""
        await self.start(prompt, new)
        fault, ending, _ = await self.finish()
        got = fault, ending, await self.read("fault_place")
        assert got == (want, 6, place), f"fault, ending, place {got}, not {(want, 6, place)}"

    def pause(self, rng):
        """Adds random wait states to every channel of every port, each with another rate, from none to nine cycles in
        ten."""
        def waits(seed, rate):
            own = random.Random(seed)
            while True:
                yield own.random() < rate
        m = self.memory
        channels = [c for r in m for c in (r.write_if.aw_channel, r.write_if.w_channel, r.write_if.b_channel,
                                           r.read_if.ar_channel, r.read_if.r_channel)]
        w, r = self.control.write_if, self.control.read_if
        for channel in [*channels, w.aw_channel, w.w_channel, w.b_channel, r.ar_channel, r.r_channel]:
            rate = rng.choice([0, 0.1, 0.3, 0.5, 0.9])
            channel.clear_pause_generator()
            channel.pause = False
            if rate:
                channel.set_pause_generator(waits(rng.random(), rate))


async def opened(dut):
    host = Host(dut)
    await host.open()
    return host


@cocotb.test(**ENDS)
async def seeds(dut):
    """Runs a request for each seed of wait states. Every second one comes after a reset, so that parameters are loaded
    again."""
    host = await opened(dut)
    for seed in json.loads(os.environ["RILL_SEEDS"]):
        rng = random.Random(seed)
        host.pause(rng)
        if seed % 2:
            await host.reset()
        await host.run(host.answers[seed % len(host.answers)])
        print(f"seed {seed} ok", flush=True)


@cocotb.test(**ENDS)
async def registers(dut):
    """Checks with wait states that every register is known after a reset. Registers that a host sets, except halt and
    flags, must keep a written value and obey strobes."""
    host = await opened(dut)
    host.pause(random.Random(1))
    for r in host.package["registers"]:
        value = await host.read(r["name"])  # cocotb refuses to make a number of X
        if r["role"] in ("scalar", "pointer", "setting") and r["name"] not in ("halt", "flags"):
            await host.write(r["name"], 0xFEDCBA9876543210 & ((1 << r["bits"]) - 1))
            value = await host.read(r["name"])
            assert value == 0xFEDCBA9876543210 & ((1 << r["bits"]) - 1), f"{r['name']} is {value:#x}"
            await host.control.write(r["offset"] + 1, b"\xaa")
            value = await host.read(r["name"])
            assert value & 0xFFFF == 0xAA10, f"{r['name']}: one byte written, is {value:#x}"
    assert await host.read("magic") == 0x4C4C4952
    assert f"{await host.read('identity'):016x}" == host.package["identity"]
    assert f"{await host.read('layout'):016x}" == host.package["layout"]
    await host.reset()
    await host.run(host.answers[0])


@cocotb.test(**ENDS)
async def illegal(dut):
    """Checks that illegal arguments end with their faults, and that the next request gives the ids of the oracle."""
    host = await opened(dut)
    context, beat = host.package["context"], host.package["beat_bits"] // 8
    await host.refused(1, 0, [])
    await host.refused(2, 0, [1] * (context + 1))
    for name, place in (("prompt_ptr", 0), ("ring_ptr", 1), ("hbm_00", 2)):
        value = await host.read(name)
        await host.write(name, value + beat // 2)
        await host.refused(3, place, [1])
        await host.write(name, value)
    await host.refused(4, 1, [1, host.package["vocabulary"]])
    await host.write("ring_ids", 1)
    await host.refused(9, 2, [1], new=2)
    await host.write("ring_ids", 0)
    await host.run(host.answers[0])


@cocotb.test(**ENDS)
async def errors(dut):
    """Checks that SLVERR for a read and for a write on each port gives fault 6 with address and channel, and that the
    next request is correct."""
    host = await opened(dut)
    host.pause(random.Random(3))

    def break_at(side, name, first):
        """Makes one direction of a memory answer errors from address `first` on, and records the first such address."""
        seen, was = [], getattr(side, name)

        async def failing(address, *rest):
            if address >= first:
                seen.append(address)
                raise ValueError
            return await was(address, *rest)
        setattr(side, name, failing)
        return seen, lambda: setattr(side, name, was)
    for channel, memory in enumerate(host.memory):
        for side, name, first in ((memory.read_if, "_read", host.base(channel)), (memory.write_if, "_write", 0)):
            seen, mend = break_at(side, name, first)
            await host.start(host.answers[0]["prompt_ids"], 1)
            fault, ending, _ = await host.finish()
            place = await host.read("fault_channel"), await host.read("fault_address")
            mend()
            assert (fault, ending) == (6, 6), f"port {channel} {name}: fault {fault}, ending {ending}"
            assert place[0] == channel + 256 * (name == "_write"), f"port {channel} {name}: fault_channel {place[0]:#x}"
            assert place[1] in seen, f"port {channel} {name}: fault_address {place[1]:#x}, first error at {seen[0]:#x}"
            await host.run(host.answers[0])


@cocotb.test(**ENDS)
async def ends(dut):
    """Checks a stop, a kill, another image and a watchdog on a silent port. After each the next request gives the ids
    of the oracle."""
    host = await opened(dut)
    for bit, ending in ((1, 4), (2, 5)):
        await host.start(host.answers[0]["prompt_ids"], host.package["context"] - 4)
        await ClockCycles(dut.ap_clk, 300)
        await host.write("halt", bit)
        fault, got, _ = await host.finish()
        assert (fault, got) == (0, ending), f"halt {bit}: fault {fault}, ending {got}"
        await host.run(host.answers[1])
    header = host.segment("image_header")
    memory, at = host.memory[header["channel"]], host.base(header["channel"]) + header["offset"]
    was = memory.read(at, 16)
    for byte, place in ((0, 0), (9, 2)):
        memory.write(at + byte, bytes([was[byte] ^ 1]))
        await host.refused(8, place, [1])
        memory.write(at, was)
    await host.write("watchdog", 500)
    await host.start(host.answers[0]["prompt_ids"], 1)
    await ClockCycles(dut.ap_clk, 200)
    silent = host.memory[0].read_if.r_channel
    silent.pause = True
    await ClockCycles(dut.ap_clk, 1500)
    assert await host.read("fault") == 7
    silent.pause = False
    assert (await host.finish())[:2] == (7, 6)
    await host.write("watchdog", 0)
    await host.run(host.answers[0])


@cocotb.test(**ENDS)
async def resets(dut):
    """Resets the kernel and the memories at some moments of a request. The next request gives the ids of the oracle."""
    host = await opened(dut)
    rng = random.Random(5)
    for cycles in (1, 40, 150, rng.randrange(200, 900), rng.randrange(900, 1600)):
        host.pause(rng)
        await host.start(host.answers[0]["prompt_ids"], 2)
        await ClockCycles(dut.ap_clk, cycles)
        await host.reset(rng.randrange(16, 40))
        assert await host.read("ids_written") == 0 and await host.read("fault") == 0
    await host.run(host.answers[1])
