// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_stream_reader. Runs rill_stream_writer_tb, in which a reader and a writer copy rows, with shapes
// that stress the reader: words narrower than a beat and words as wide as one or two beats.
// Sets for verif/modules/run.sh:
// sweep: BEAT_BITS=512 LANES=16 TOKENS=1 CHUNKS=4
// sweep: BEAT_BITS=512 LANES=2 TOKENS=8 CHUNKS=9
// sweep: BEAT_BITS=256 LANES=16 TOKENS=2 CHUNKS=2
// quick: BEAT_BITS=512 LANES=2 TOKENS=8 CHUNKS=9
// quick: BEAT_BITS=256 LANES=16 TOKENS=2 CHUNKS=2
`default_nettype none
`timescale 1ns / 1ps

module rill_stream_reader_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 512;
    parameter LANES = 2;
    parameter TOKENS = 8;
    parameter CHUNKS = 9;

    rill_stream_writer_tb #(.BEAT_BITS(BEAT_BITS), .LANES(LANES), .TOKENS(TOKENS), .CHUNKS(CHUNKS)) u_bench ();
endmodule
