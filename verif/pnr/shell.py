#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a top with four pins around a generated top, for an FPGA package with fewer pins than the top has ports.

usage: verif/pnr/shell.py RILL_TOP_V >SHELL_V
A shift register feeds all inputs except clock and reset. Another shift register takes in all outputs: an exclusive or
adds each output to one bit of the register. So no input is a constant and every output has a load, and synthesis cannot
remove any part of the design. Every net between shell and design begins or ends in a register of the shell.
"""
import pathlib
import re
import sys

PORT = re.compile(r"(input|output)\s+wire\s+(?:\[(\d+):0\]\s+)?(\w+)")


def ports(text):
    """Returns (direction, width, name) of each port of rill_top."""
    header = re.search(r"^module rill_top \((.*?)^\);", text, re.M | re.S)
    if not header:
        sys.exit("error: no module rill_top")
    return [(way, int(high or 0) + 1, name) for way, high, name in PORT.findall(header.group(1))]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pins, at, connections = ports(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), {"input": 0, "output": 0}, []
    for way, width, name in pins:
        if name in ("clk", "rst"):
            connections.append(f".{name}({name})")
            continue
        bus = "to_design" if way == "input" else "from_design"
        connections.append(f".{name}({bus}[{at[way]} +: {width}])")
        at[way] += width
    joined = ",\n        ".join(connections)
    print(f"""// Made by verif/pnr/shell.py. Every input of rill_top comes from a shift register; outputs go into one.
module rill_pnr_shell (
    input  wire clk,
    input  wire rst_pin,
    input  wire serial_in,
    output wire serial_out
);
    localparam INPUTS = {at["input"]}, OUTPUTS = {at["output"]};
    reg rst;
    reg [INPUTS-1:0] to_design;
    reg [OUTPUTS-1:0] taken;
    wire [OUTPUTS-1:0] from_design;

    always @(posedge clk) begin
        rst <= rst_pin;
        to_design <= {{to_design[INPUTS-2:0], serial_in}};
        taken <= {{taken[OUTPUTS-2:0], to_design[INPUTS-1]}} ^ from_design;
    end
    assign serial_out = taken[OUTPUTS-1];

    rill_top design (
        {joined}
    );
endmodule""")


if __name__ == "__main__":
    main()
