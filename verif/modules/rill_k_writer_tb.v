// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_k_writer and rill_kv_tracker. Sends the K stream of a request's steps, and compares descriptors and
// beats per channel with the address formula. layer_done must come once per firing, not before its last descriptor and
// beat are taken. A pulse of `given` must come for each descriptor, at the latest with the layer_done of its firing.
// Now and then the units stop within a head or a layer until all earlier layers are counted, because words that run
// ahead must not delay that count. The count must never be ahead of the modelled responses.
// Checks in messages: 1 descriptor, 2 beat, 3 layer_done, 4 and 5 counts of the tracker, 6 something is left at the
// end, 7 the run takes too long, 8 number of given pulses at layer_done.
// Sets for verif/modules/run.sh:
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=1 LAYERS=1 HEADS=1 UNITS=1
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 LAYERS=2 HEADS=3 UNITS=2
// sweep: CHANNELS=8 BEAT_BITS=512 TOKENS=2 LAYERS=3 HEADS=2 UNITS=1
// sweep: CHANNELS=32 BEAT_BITS=256 TOKENS=8 LAYERS=1 HEADS=2 UNITS=3
// quick: CHANNELS=3 BEAT_BITS=256 TOKENS=4 LAYERS=2 HEADS=3 UNITS=2
`default_nettype none
`timescale 1ns / 1ps

module rill_k_writer_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter CHANNELS = 3;
    parameter BEAT_BITS = 256;
    parameter TOKENS = 4;
    parameter LAYERS = 2;
    parameter HEADS = 3;
    parameter UNITS = 2;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam BYTES = BEAT_BITS / 8;
    localparam PROMPT = 3 * TOKENS + (TOKENS > 1 ? 1 : 0);
    localparam STEPS = 14;
    localparam [39:0] K_BASE = 40'h10_0000;
    localparam [39:0] K_HEAD_STRIDE = 40'h4000;
    localparam [39:0] K_LAYER_STRIDE = HEADS * 40'h4000;

    reg         clk = 0;
    reg         rst = 1;
    integer     seed, idle, stall;
    reg         step_valid = 0;
    wire        step_ready;
    reg  [63:0] step_data;
    reg         kv_valid = 0;
    wire        kv_ready;
    reg  [BEAT_BITS+31:0] kv_data;
    reg  [TOK_W:0] kv_user;
    reg         kv_last;
    wire [CHANNELS-1:0]  d_valid, b_valid;
    reg  [CHANNELS-1:0]  d_ready = 0, b_ready = 0;
    wire [55:0]          d_data;
    wire [BEAT_BITS-1:0] b_data;
    wire                 layer_done;
    reg                  v_done = 0;
    wire [CHANNELS-1:0]  given;
    reg  [CHANNELS-1:0]  written;
    wire [31:0]          k_layers_done, v_layers_done, kv_layers_done;

    rill_k_writer #(.CHANNELS(CHANNELS), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .LAYERS(LAYERS), .HEADS(HEADS),
        .UNITS(UNITS),
        .K_BASE(K_BASE), .K_LAYER_STRIDE(K_LAYER_STRIDE), .K_HEAD_STRIDE(K_HEAD_STRIDE)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_kv_tvalid(kv_valid), .s_axis_kv_tready(kv_ready), .s_axis_kv_tdata(kv_data), .s_axis_kv_tuser(kv_user),
        .s_axis_kv_tlast(kv_last),
        .m_axis_desc_tvalid(d_valid), .m_axis_desc_tready(d_ready), .m_axis_desc_tdata(d_data),
        .m_axis_beat_tvalid(b_valid), .m_axis_beat_tready(b_ready), .m_axis_beat_tdata(b_data), .layer_done(layer_done),
        .given(given));

    rill_kv_tracker #(.K_WRITERS(CHANNELS), .V_WRITERS(1), .COUNT_W(7)) u_tracker (
        .clk(clk), .rst(rst), .k_layer_done(layer_done), .k_given(given), .k_written(written), .v_layer_done(v_done),
        .v_given(1'b0),
        .v_written(1'b0), .k_layers_done(k_layers_done), .v_layers_done(v_layers_done),
        .kv_layers_done(kv_layers_done));

    always #1 clk = !clk;

    // Units are numbered in the order of the stream, and the data of a unit is its number. The arrays with desc_ have
    // the expected descriptor of each head and token.
    integer     step_sent = 0, unit_sent = 0, units_total = 0, descs_total = 0;
    integer     unit_channel [0:9999];
    integer     unit_layer [0:9999];         // number of the unit's (step, layer): step * LAYERS + layer
    integer     unit_tok_last [0:9999];
    integer     unit_tok [0:9999];
    integer     unit_end [0:9999];
    reg  [39:0] desc_offset [0:9999];
    integer     desc_channel [0:9999];
    integer     desc_layer [0:9999];
    reg  [63:0] step [0:STEPS-1];
    // pos, ntok: position and tokens of the step that is made.
    integer     pos, ntok, i, l, h, t, u, c, n, cycles = 0;
    integer     descs_left [0:999];          // descriptors of each (step, layer) that are not taken yet
    integer     beats_left [0:999];          // beats of each (step, layer) that are not taken yet
    integer     open_writes [0:CHANNELS-1];  // beats of a channel that were taken and not answered
    integer     answered [0:999];            // beats of each (step, layer) that were answered
    integer     beats_all [0:999];           // all beats of each (step, layer)
    integer     queue_layer [0:CHANNELS*64-1]; // per channel, a ring of the (step, layer) of beats not answered yet
    integer     queue_wr [0:CHANNELS-1];       // beats that were put into the ring; queue_rd: taken out of it
    integer     queue_rd [0:CHANNELS-1];
    integer     next_desc [0:CHANNELS-1];    // from this number on, the search for the channel's next descriptor begins
    integer     next_beat [0:CHANNELS-1];    // from this number on, the search for the channel's next beat begins
    integer     done_pulses = 0, v_pulses = 0; // pulses of layer_done and of v_done
    integer     held = 0;                    // 1: units stop until all earlier layers are counted
    integer     answers [0:CHANNELS-1];      // beats of a channel that were answered
    integer     taken [0:CHANNELS-1];        // descriptors that a channel has taken
    integer     seen [0:CHANNELS-1];         // `taken` of the previous cycle
    integer     givens = 0;                  // pulses of `given` on all channels
    reg         failed = 0;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what, input integer where);
        begin
            if (!failed)
                $display("FAIL: check %0d at %0d, cycle %0d, desc %h, beat %h", what, where, cycles, d_data,
                    b_data[31:0]);
            failed = 1;
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        pos = 0;
        for (i = 0; i < STEPS; i = i + 1) begin
            ntok = pos >= PROMPT ? 1 : PROMPT - pos < TOKENS ? PROMPT - pos : TOKENS;
            step[i] = 0;
            step[i][STEP_POS +: STEP_POS_W] = pos;
            step[i][STEP_NTOK +: STEP_NTOK_W] = ntok;
            step[i][STEP_KROWS +: STEP_KROWS_W] = (pos + CHANNELS - 1) / CHANNELS;
            for (l = 0; l < LAYERS; l = l + 1) begin
                descs_left[i*LAYERS + l] = HEADS * ntok;
                beats_left[i*LAYERS + l] = HEADS * ntok * UNITS;
                answered[i*LAYERS + l] = 0;
                beats_all[i*LAYERS + l] = HEADS * ntok * UNITS;
                for (h = 0; h < HEADS; h = h + 1)
                    for (t = 0; t < ntok; t = t + 1) begin
                        desc_channel[descs_total] = (pos + t) % CHANNELS;
                        desc_layer[descs_total] = i * LAYERS + l;
                        desc_offset[descs_total] = K_BASE + l * K_LAYER_STRIDE + h * K_HEAD_STRIDE
                            + (pos + t) / CHANNELS * UNITS * BYTES;
                        descs_total = descs_total + 1;
                        for (u = 0; u < UNITS; u = u + 1) begin
                            unit_channel[units_total] = (pos + t) % CHANNELS;
                            unit_layer[units_total] = i * LAYERS + l;
                            unit_tok[units_total] = t;
                            unit_tok_last[units_total] = t == ntok - 1;
                            unit_end[units_total] = h == HEADS - 1 && t == ntok - 1 && u == UNITS - 1;
                            units_total = units_total + 1;
                        end
                    end
            end
            pos = pos + ntok;
        end
        for (c = 0; c < CHANNELS; c = c + 1) begin
            open_writes[c] = 0;
            queue_wr[c] = 0;
            queue_rd[c] = 0;
            next_desc[c] = 0;
            next_beat[c] = 0;
            answers[c] = 0;
            taken[c] = 0;
            seen[c] = 0;
        end
        written = {CHANNELS{1'b0}};
        repeat (4) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        if (step_valid && step_ready)
            step_valid <= 0;
        if ((!step_valid || step_ready) && step_sent < STEPS && !chance(idle)) begin
            step_valid <= 1;
            step_data <= step[step_sent];
            step_sent = step_sent + 1;
        end
        if (kv_valid && kv_ready)
            kv_valid <= 0;
        if (held && kv_ready && k_layers_done == done_pulses && done_pulses == unit_layer[unit_sent]) held = 0;
        if (!held && unit_sent > 0 && unit_sent < units_total && !unit_end[unit_sent-1] && chance(2)) begin
            held = 1;
        end
        if ((!kv_valid || kv_ready) && unit_sent < units_total && !held && !chance(idle)) begin
            kv_valid <= 1;
            kv_data <= {32'hDEAD_BEEF, {(BEAT_BITS / 32){unit_sent[31:0]}}};
            kv_user <= {unit_tok_last[unit_sent] != 0, unit_tok[unit_sent][TOK_W-1:0]};
            kv_last <= unit_end[unit_sent] != 0;
            unit_sent = unit_sent + 1;
        end
        for (c = 0; c < CHANNELS; c = c + 1) begin
            d_ready[c] <= !chance(stall);
            b_ready[c] <= !chance(stall) && queue_wr[c] - queue_rd[c] < 60;
            if (d_valid[c] && d_ready[c]) begin
                n = next_desc[c];
                while (n < descs_total && desc_channel[n] != c)
                    n = n + 1;
                if (n == descs_total || d_data !== {16'd0 + UNITS[15:0], desc_offset[n]}) fail(1, n);
                descs_left[desc_layer[n]] = descs_left[desc_layer[n]] - 1;
                taken[c] = taken[c] + 1;
                next_desc[c] = n + 1;
            end
            // Beats are answered late. As in rill_dma_write, a descriptor is reported as written with the answer to its
            // last beat.
            written[c] <= 0;
            if (open_writes[c] > 0 && answers[c] < seen[c] * UNITS && chance(15)) begin
                open_writes[c] = open_writes[c] - 1;
                n = queue_layer[c*64 + queue_rd[c] % 64];
                answered[n] = answered[n] + 1;
                queue_rd[c] = queue_rd[c] + 1;
                answers[c] = answers[c] + 1;
                written[c] <= answers[c] % UNITS == 0;
            end
            if (b_valid[c] && b_ready[c]) begin
                n = next_beat[c];
                while (n < units_total && unit_channel[n] != c)
                    n = n + 1;
                if (n == units_total || b_data !== {(BEAT_BITS / 32){n[31:0]}}) fail(2, n);
                beats_left[unit_layer[n]] = beats_left[unit_layer[n]] - 1;
                next_beat[c] = n + 1;
                queue_layer[c*64 + queue_wr[c] % 64] = unit_layer[n];
                queue_wr[c] = queue_wr[c] + 1;
                open_writes[c] = open_writes[c] + 1;
            end
            givens = givens + given[c];
            seen[c] = taken[c];
        end
        if (layer_done) begin
            if (done_pulses >= STEPS * LAYERS || descs_left[done_pulses] != 0 || beats_left[done_pulses] != 0) fail(3,
                done_pulses);
            done_pulses = done_pulses + 1;
            n = 0;
            for (c = 0; c < done_pulses; c = c + 1) n = n + beats_all[c] / UNITS;
            if (givens != n) fail(8, givens);  // one pulse for each descriptor of the layers that are done
        end
        v_done <= v_pulses < STEPS * LAYERS && chance(5);
        if (v_done)
            v_pulses = v_pulses + 1;
        for (n = 0; n < k_layers_done; n = n + 1)
            if (answered[n] != beats_all[n]) fail(4, n);
        if (kv_layers_done > k_layers_done || kv_layers_done > v_pulses || v_layers_done > v_pulses) fail(5,
            kv_layers_done);
        if (kv_layers_done == STEPS * LAYERS) begin
            for (n = 0; n < STEPS * LAYERS; n = n + 1)
                if (descs_left[n] != 0 || beats_left[n] != 0) fail(6, n);
            if (!failed)
                $display("PASS");
            $finish;
        end
        if (cycles > 50000) fail(7, kv_layers_done);
    end
endmodule
