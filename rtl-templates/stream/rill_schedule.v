// SPDX-License-Identifier: Apache-2.0
// Walks a static table once per step word: sections in order, each repeated, the layer index counting the repetitions.
//
// In: s_axis_step. Out: m_axis_entry_tdata = {layer[15:0], step[63:0], entry[ENTRY_W-1:0]}, tlast on the last entry of the step.
// A section is skipped when its SECTION_WHEN_HEAD bit is set and the step has head = 0 (bit 20), or when its length is 0. A step whose
// sections are all skipped is swallowed. Throughput: one entry per cycle inside a section, one more cycle per section; two per step.
// Reset: synchronous. Parameters: docs/rtl.md section 5; section 0 and entry 0 in the low bits.
`default_nettype none

module rill_schedule #(
    parameter ENTRY_W = 0,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*ENTRY_W-1:0] TABLE = 0
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    s_axis_step_tvalid,
    output wire                    s_axis_step_tready,
    input  wire [63:0]             s_axis_step_tdata,
    output wire                    m_axis_entry_tvalid,
    input  wire                    m_axis_entry_tready,
    output wire [16+64+ENTRY_W-1:0] m_axis_entry_tdata,
    output wire                    m_axis_entry_tlast
);
    generate
        if (ENTRY_W < 1 || SECTIONS < 1 || ENTRIES < 1) begin : gen_bad
            rill_error_ENTRY_W_SECTIONS_and_ENTRIES_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam SECTION_W = $clog2(SECTIONS + 1);
    localparam INDEX_W = $clog2(ENTRIES + 1);

    reg                 busy_q;    // a step is being walked
    reg [63:0]          step_q;
    reg [SECTION_W-1:0] section_q; // SECTIONS: the end
    reg [INDEX_W-1:0]   first_q;   // table index of the section's first entry
    reg [INDEX_W-1:0]   index_q;
    reg [15:0]          place_q;   // entry inside the section
    reg [15:0]          layer_q;
    reg                 inside_q;  // entries of section_q are coming out

    // Constants of the present section and whether a later one still runs in this step.
    reg [15:0] len;
    reg [15:0] repeats;
    reg        skip;
    reg        more;
    integer s;
    always @* begin
        len = 16'd0;
        repeats = 16'd0;
        skip = 1'b1;
        more = 1'b0;
        for (s = 0; s < SECTIONS; s = s + 1) begin
            if (section_q == s[SECTION_W-1:0]) begin
                len = SECTION_LEN[s*16 +: 16];
                repeats = SECTION_REPEAT[s*16 +: 16];
                skip = (SECTION_WHEN_HEAD[s] & ~step_q[20]) | (SECTION_LEN[s*16 +: 16] == 0) | (SECTION_REPEAT[s*16 +: 16] == 0);
            end
            if (section_q < s[SECTION_W-1:0])
                more = more | ~((SECTION_WHEN_HEAD[s] & ~step_q[20]) | (SECTION_LEN[s*16 +: 16] == 0) | (SECTION_REPEAT[s*16 +: 16] == 0));
        end
    end

    wire at_end     = section_q == SECTIONS[SECTION_W-1:0];
    wire take       = m_axis_entry_tvalid & m_axis_entry_tready;
    wire last_place = place_q == len - 16'd1;
    wire last_layer = layer_q == repeats - 16'd1;

    assign s_axis_step_tready  = ~busy_q & ~rst;
    assign m_axis_entry_tvalid = inside_q;
    assign m_axis_entry_tdata  = {layer_q, step_q, TABLE[index_q*ENTRY_W +: ENTRY_W]};
    assign m_axis_entry_tlast  = last_place & last_layer & ~more;

    always @(posedge clk) begin
        if (rst) begin
            busy_q   <= 1'b0;
            inside_q <= 1'b0;
        end else if (!busy_q) begin
            busy_q    <= s_axis_step_tvalid;
            step_q    <= s_axis_step_tdata;
            section_q <= {SECTION_W{1'b0}};
            first_q   <= {INDEX_W{1'b0}};
        end else if (!inside_q) begin
            if (at_end) busy_q <= 1'b0;
            else if (skip) begin
                section_q <= section_q + 1'b1;
                first_q   <= first_q + len[INDEX_W-1:0];
            end else begin
                inside_q <= 1'b1;
                index_q  <= first_q;
                place_q  <= 16'd0;
                layer_q  <= 16'd0;
            end
        end else if (take) begin
            index_q <= last_place ? first_q : index_q + 1'b1;
            place_q <= last_place ? 16'd0 : place_q + 16'd1;
            if (last_place) layer_q <= layer_q + 16'd1;
            if (last_place & last_layer) begin
                inside_q  <= 1'b0;
                section_q <= section_q + 1'b1;
                first_q   <= first_q + len[INDEX_W-1:0];
                busy_q    <= more;
            end
        end
    end
endmodule

`default_nettype wire
