#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an xclbin, the binary of the vendor's runtime (XRT), from a package. It has only metadata and no bitstream, so
XRT's library reads kernels, arguments, banks and connections from it, but no card accepts it. <xclbin.h> defines the
format: each struct.pack below writes one of its structs or a part of one.

usage: xclbin.py PACKAGE OUT.xclbin [BEFORE]
BEFORE: how many other memories precede the HBM banks in the list of memories (default 0)
"""
import json
import re
import struct
import sys
import uuid
import xml.etree.ElementTree as ElementTree

BITSTREAM, EMBEDDED_METADATA, MEM_TOPOLOGY, CONNECTIVITY, IP_LAYOUT = 0, 2, 6, 7, 8  # axlf_section_kind
# Values of MEM_TYPE, IP_TYPE and IP_CONTROL, and the bit that says that a unit has an interrupt.
MEM_DDR4, MEM_HBM, IP_KERNEL, AP_CTRL_HS, INTERRUPT = 1, 6, 1, 0, 1
# UNIT_BASE: address of the registers of the first compute unit. UNIT_RANGE: bytes from one unit's registers to the
# next.
BANKS, BANK_BYTES, UNIT_BASE, UNIT_RANGE = 32, 512 << 20, 0x1800000, 0x10000


def text(value, size):
    """Returns a text as `size` bytes, with zeros after it."""
    data = value.encode()
    if len(data) >= size:
        sys.exit(f"error: `{value}` has more than {size - 1} bytes")
    return data.ljust(size, b"\0")


def memory(used, before):
    """Returns the section MEM_TOPOLOGY. used: set of the banks that a unit uses."""
    rows = [struct.pack("<BB6xQQ16s", MEM_DDR4, 0, 0, 0, text(f"DDR[{i}]", 16)) for i in range(before)]
    for bank in range(BANKS):
        name = text(f"HBM[{bank}]", 16)
        rows.append(struct.pack("<BB6xQQ16s", MEM_HBM, bank in used, BANK_BYTES // 1024, bank * BANK_BYTES, name))
    return struct.pack("<i4x", len(rows)) + b"".join(rows)


def metadata(kernel, units, package, platform):
    """Returns the section EMBEDDED_METADATA, which is the kernel.xml of the package in the form of the linker's XML."""
    kernel = ElementTree.fromstring(ElementTree.tostring(kernel))  # a copy
    kernel.set("language", "ip")
    args = kernel.find("args")
    for child in list(kernel.find("ports")) + list(args):  # in the linker's XML, both are children of the kernel
        kernel.append(child)
    kernel.remove(kernel.find("ports"))
    kernel.remove(args)
    for index, unit in enumerate(units):
        instance = ElementTree.SubElement(kernel, "instance", name=unit)
        ElementTree.SubElement(instance, "addrRemap", base=hex(UNIT_BASE + index * UNIT_RANGE), range=hex(UNIT_RANGE),
                               port="s_axi_control")
    project = ElementTree.Element("project", name=package["design"])
    node = ElementTree.SubElement(project, "platform", vendor="xilinx", boardid=package["board"], name=platform,
                                  featureRomTime="0")
    ElementTree.SubElement(node, "version", major="1", minor="0")
    device = ElementTree.SubElement(node, "device", name="fpga0", fpgaDevice=package["part"] or "none", addrWidth="0")
    core = ElementTree.SubElement(device, "core", name="OCL_REGION_0", target="hw_em", type="clc_region",
                                  clockFreq="0MHz", numComputeUnits=str(len(units)))
    core.append(kernel)
    return b'<?xml version="1.0" encoding="UTF-8"?>' + ElementTree.tostring(project)


def sections(path, before):
    """Returns the name of the platform, the UUID, and the sections of the package at `path`: [(kind, name, bytes)]."""
    with open(f"{path}/package.json", encoding="utf-8") as file:
        package = json.load(file)
    with open(f"{path}/link.cfg", encoding="utf-8") as file:
        link = file.read()
    kernel = ElementTree.parse(f"{path}/kernel.xml").getroot().find("kernel")
    count, names = re.search(r"^nk=\w+:(\d+):([\w.]+)$", link, re.M).groups()
    units = names.split(".")
    if len(units) != int(count):
        sys.exit(f"error: link.cfg: {count} units, but {len(units)} names")
    bank = {(unit, port): int(number)
            for unit, port, number in re.findall(r"^sp=(\w+)\.(\w+):HBM\[(\d+)\]$", link, re.M)}
    wires = [(int(a.get("id")), index, before + bank[unit, a.get("port")]) for index, unit in enumerate(units)
             for a in kernel.iter("arg") if a.get("addressQualifier") == "1"]
    platform = package["platform"] or "none"
    properties = INTERRUPT | AP_CTRL_HS << 8
    layout = struct.pack("<i4x", len(units))
    for index, unit in enumerate(units):
        layout += struct.pack("<IIQ64s", IP_KERNEL, properties, UNIT_BASE + index * UNIT_RANGE,
                              text(f"{kernel.get('name')}:{unit}", 64))
    connectivity = struct.pack("<i", len(wires)) + b"".join(struct.pack("<iii", *wire) for wire in wires)
    return platform, uuid.uuid5(uuid.NAMESPACE_OID, package["identity"]).bytes, [
        (BITSTREAM, "none", b"no bitstream"), (EMBEDDED_METADATA, "xml", metadata(kernel, units, package, platform)),
        (MEM_TOPOLOGY, "memory", memory(set(bank.values()), before)), (CONNECTIVITY, "connectivity", connectivity),
        (IP_LAYOUT, "layout", layout)]


def write(path, out, before=0):
    """Writes the file: the struct axlf with the headers of all sections, then the sections at multiples of 8 bytes."""
    platform, unique, parts = sections(path, before)
    header = 456 + 40 * len(parts)  # struct axlf without its last member, which is the first section's header
    offset, heads, body = header + -header % 8, b"", b""
    for kind, name, data in parts:
        body += b"\0" * (-len(body) % 8)
        heads += struct.pack("<I16s4xQQ", kind, text(name, 16), offset + len(body), len(data))
        body += data
    total = offset + len(body)
    about = struct.pack("<QQQHBBHH16s64s16s16sI4x", total, 0, 0, 0, 2, 13, 3, 0, b"", text(platform, 64), unique, b"",
                        len(parts))
    front = b"xclbin2\0" + struct.pack("<i", -1) + b"\xff" * 28 + b"\0" * 256
    front += b"\0" * (-len(front) % 8) + struct.pack("<Q", 1) + about
    if len(front) != 456:
        sys.exit(f"error: a header of {len(front)} bytes")
    with open(out, "wb") as file:
        file.write((front + heads).ljust(offset, b"\0") + body)


if len(sys.argv) not in (3, 4):
    sys.exit(__doc__.strip())
write(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
