// SPDX-License-Identifier: Apache-2.0
// Proves that layers_done counts a layer only after all its write responses, and within 3 cycles after them.
// verif/formal/run.sh puts this file before the `endmodule` of rill_write_tracker and adds the ports of the `port`
// lines below to the module.
//
// A layer ends one cycle after layer_done, because the given pulses of the cycle of layer_done are counted by then.
// `watched` is an arbitrary layer, so the proof is valid for every layer. A round is a sequence of ended layers whose
// open descriptors the module waits for. Layers that end meanwhile form the next round.
// owed_q, per engine: open descriptors of the watched layer and of all earlier layers. Until the watched layer has
// ended, these are all open descriptors.
// port: output wire [WRITERS-1:0] f_none
// port: output wire [WRITERS-1:0] f_full
// port: output wire f_wraps
// f_none[i]: engine i has no open descriptor. f_full[i]: it has the maximum number of open descriptors. f_wraps: the
// count of layers wraps.
(* anyconst *) reg [LAYERS_W-1:0] watched;
assign f_wraps = ends_q && &ended_q;
reg  started_q = 1'b0;
reg  done_before_q;                      // layer_done in the previous cycle
reg  counted_q = 1'b0;                   // watched layer has ended
reg  in_round_q = 1'b0;                  // watched layer belongs to the current or an earlier round
reg  shown_q = 1'b0;                     // watched layer is included in layers_done
wire [WRITERS-1:0] owes;
wire [WRITERS-1:0] lags;                 // some descriptor of an ended layer is still open
reg  [1:0] quiet_q = 2'd0;               // cycles in which lags was 0 and no layer ended; saturates at 3
wire end_it = ends_q && ended_q == watched && !counted_q;
always @(posedge clk) begin
    started_q <= 1'b1;
    done_before_q <= !rst && layer_done;
    counted_q <= !rst && (counted_q || end_it);
    in_round_q <= !rst && (in_round_q || (turn && (counted_q || end_it)));
    shown_q <= !rst && (shown_q || (turn && in_round_q));
    quiet_q <= rst || ends_q || |lags ? 2'd0 : quiet_q == 2'd3 ? 2'd3 : quiet_q + 2'd1;
    assume (started_q || rst);
    assume (!ends_q || &ended_q == 1'b0); // the count of layers does not wrap during the proof
    if (started_q && !rst) begin
        assert (ends_q == done_before_q);
        assert (counted_q == (ended_q > watched));
        assert (in_round_q == (covered_q > watched));
        assert (shown_q == (layers_done > watched));
        assert (layers_done <= covered_q && covered_q <= ended_q);
        assert (!shown_q || owes == {WRITERS{1'b0}});    // no layer is counted early
        assert (quiet_q != 2'd3 || layers_done == ended_q); // nor late, even if the current layer has open descriptors
    end
end
genvar f;
generate
    for (f = 0; f < WRITERS; f = f + 1) begin : gen_formal
        reg  [COUNT_W:0] owed_q = 0;
        reg  [COUNT_W:0] open_q = 0;     // open descriptors of all layers
        wire [COUNT_W+1:0] sum = gen_writer[f].round_q + gen_writer[f].next_q + gen_writer[f].part_q;
        reg  [COUNT_W:0] done_q = 0;     // open descriptors of ended layers
        assign owes[f] = owed_q != 0;
        assign lags[f] = done_q != 0;
        assign f_none[f] = open_q == 0;
        assign f_full[f] = open_q >= (1 << COUNT_W) - 1;
        always @(posedge clk) begin
            assume (!written[f] || open_q != 0 );
            assume (!given[f] || open_q < (1 << COUNT_W) - 1);
            open_q <= rst ? 0 : open_q + given[f] - written[f];
            owed_q <= rst ? 0 : owed_q + (given[f] && !counted_q && !end_it) - (written[f] && owed_q != 0);
            done_q <= rst ? 0 : ends_q ? open_q - written[f] : done_q - (written[f] && done_q != 0);
            if (started_q && !rst) begin
                assert (open_q < (1 << COUNT_W));
                assert (sum == open_q);
                assert (gen_writer[f].round_none_q == (gen_writer[f].round_q == 0));
                assert (owed_q <= open_q);
                if (!counted_q) assert (owed_q == open_q);
                if (counted_q) assert (owed_q <= gen_writer[f].round_q + gen_writer[f].next_q);
                if (in_round_q) assert (owed_q <= gen_writer[f].round_q);
                if (shown_q) assert (owed_q == 0);
                assert (done_q == gen_writer[f].round_q + gen_writer[f].next_q);
            end
        end
    end
endgenerate
