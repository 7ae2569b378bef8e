// SPDX-License-Identifier: Apache-2.0
// Properties of rill_repetition, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that repetition equals (firings since reset / FIRINGS) modulo LAYERS. Only TOGETHER = 1 is proven: a `last`
// counts as one firing here, and verif/formal/run.sh sets no other value.
reg        f_begun_q = 1'b0;
reg [31:0] f_firings_q;                      // firings since reset, modulo FIRINGS * LAYERS
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_firings_q <= rst ? 32'd0 : !last ? f_firings_q : f_firings_q == FIRINGS * LAYERS - 1 ? 32'd0 : f_firings_q + 1;
    assume (f_begun_q || rst);
    if (f_begun_q) begin
        assert (f_firings_q < FIRINGS * LAYERS);
        assert (repetition * FIRINGS + firing_q == f_firings_q);
        assert (firing_q < FIRINGS);
    end
end
