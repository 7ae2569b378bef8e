// SPDX-License-Identifier: Apache-2.0
// Properties of rill_owed, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that open_q is the number of requested bursts that are not answered (f_open_q). If such bursts are open in a
// reset, owed rises. It stays high up to the cycle after the last one is answered, or until there was no sign for
// 2^QUIET_BITS cycles, and is low otherwise. The port f_open gives the number to the properties of modules that contain
// a rill_owed, such as rill_axi_read_arbiter. verif/formal/run.sh describes the directive `port`.
// port: output wire [14:0] f_open
reg                 f_begun_q = 1'b0;
reg  [14:0]         f_open_q = 15'd0;        // bursts asked for and not answered
reg                 f_owes_q = 1'b0;         // expected owed
reg                 f_reset_q = 1'b0;
reg  [QUIET_BITS:0] f_quiet_q = 0;           // cycles without a sign while owed
assign f_open = f_open_q;
// The memory is silent for too long: open bursts are given up.
wire                f_lost = owed && !rst && !sign && f_quiet_q == (1 << QUIET_BITS) - 1;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_reset_q <= rst;
    assume (f_begun_q || rst);
    assume (!answered || (sign && f_open_q != 15'd0));
    assume (!asked || f_open_q != 15'h7FFF);
    assume (!asked || !owed);
    f_open_q <= f_lost ? 15'd0 : f_open_q + {14'd0, asked} - {14'd0, answered};
    f_quiet_q <= rst || sign || !owed || f_lost ? 0 : f_quiet_q + 1'b1;
    f_owes_q <= (rst || f_owes_q) && f_open_q != 15'd0 && !f_lost;
    if (f_begun_q) begin
        assert (open_q == f_open_q);
        assert (owed == f_owes_q);
        assert (quiet_q == f_quiet_q[QUIET_BITS-1:0] && !f_quiet_q[QUIET_BITS]);
    end
end
