// SPDX-License-Identifier: Apache-2.0
// Properties of rill_hop, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that q equals the d of STAGES cycles ago. In a reset, the low CLEAR_W bits of the words on their way become 0.
localparam F_STAGES = STAGES > 0 ? STAGES : 1;
localparam [DATA_W-1:0] F_CLEARED = ~({DATA_W{1'b1}} << CLEAR_W); // the low CLEAR_W bits
reg  [F_STAGES:0]          f_begun_q = {(F_STAGES+1){1'b0}};
reg  [F_STAGES*DATA_W-1:0] f_way_q;          // history of d, previous cycle in the low bits
integer                    f_stage;
always @(posedge clk) begin
    f_begun_q <= {f_begun_q[F_STAGES-1:0], 1'b1};
    for (f_stage = 0; f_stage < F_STAGES; f_stage = f_stage + 1)
        f_way_q[f_stage*DATA_W +: DATA_W] <= (f_stage == 0 ? d : f_way_q[(f_stage-1)*DATA_W +: DATA_W])
                                             & (rst ? ~F_CLEARED : {DATA_W{1'b1}});
    if (STAGES == 0)
        assert (q == d);
    else if (f_begun_q[F_STAGES-1])
        assert (q == f_way_q[(F_STAGES-1)*DATA_W +: DATA_W]);
end
