// SPDX-License-Identifier: Apache-2.0
// Walks a static table once per step and sends its entries: the sections in order, each SECTION_REPEAT times. With
// each entry goes the layer index, which counts the repetitions of the section from 0.
//
// In: s_axis_step (docs/rtl.md section 4). Out: m_axis_entry_tdata = {layer[15:0], step[63:0], entry[ENTRY_W-1:0]},
// with tlast on the last entry of the step. A section is skipped if its SECTION_WHEN_HEAD bit is set and the step has
// head = 0, or if its length or its repeat count is 0. A step whose sections are all skipped is discarded. An entry
// whose ENTRY_MANY bit is set is left out in steps of one token. This bit must be 0 for the last entry of a section,
// because that entry may carry tlast.
// PARTS above 1: a step comes as one word for each part (docs/rtl.md section 4), with `more` set in all but the last
// one. Neighbouring entries of a section whose ENTRY_PART bits are set form a run. A run is walked once for each part,
// with the part's word, and ENTRY_MANY then depends on the tokens of the part. Other entries get the last part's word
// with ntok changed to the tokens of the whole step. At least one entry of a run must have ENTRY_MANY 0.
// Throughput: one entry per cycle inside a section, counting those that are left out. One cycle is lost per section up
// to the last one that runs in the step (all of them if none runs), and two per step. Latency: 3 cycles from the step
// to its first entry, plus one per skipped section before it. The table is a ROM with registered read; m_axis_entry
// comes from registers.
// Reset: clk, synchronous active-high rst; the walk is discarded.
//
// name               meaning                                              unit      range
// ENTRY_W            width of an entry                                    bits      1 or more
// SECTIONS           sections of the table                                sections  1 or more
// ENTRIES            entries of the table: the sum of all lengths         entries   1 or more
// SECTION_LEN        length of each section, 16 bits each, the first      entries   not all 0
//                    low. Length 0 skips a section. The sum of all is
//                    ENTRIES
// SECTION_REPEAT     how often each section is walked, 16 bits each       times     any
// SECTION_WHEN_HEAD  bit s: skip section s in steps with head = 0         -         any
// TABLE              the entries, the first low                           -         any
// ENTRY_MANY         bit e: skip entry e in steps of one token            -         any
// PARTS              parts of a step, upper bound                         parts     1 to 8
// ENTRY_PART         bit e: walk entry e once for each part               -         any
`default_nettype none

module rill_schedule #(
    parameter ENTRY_W = 0,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*ENTRY_W-1:0] TABLE = 0,
    parameter [ENTRIES-1:0] ENTRY_MANY = 0,
    parameter PARTS = 1,
    parameter [ENTRIES-1:0] ENTRY_PART = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     s_axis_step_tvalid,
    output wire                     s_axis_step_tready,
    input  wire [63:0]              s_axis_step_tdata,
    output wire                     m_axis_entry_tvalid,
    input  wire                     m_axis_entry_tready,
    output wire [16+64+ENTRY_W-1:0] m_axis_entry_tdata,
    output wire                     m_axis_entry_tlast
);
    `include "rill_fields.vh"
    function integer sum_of_lengths(input integer sections);
        integer n;
        begin
            sum_of_lengths = 0;
            for (n = 0; n < sections; n = n + 1)
                sum_of_lengths = sum_of_lengths + {16'd0, SECTION_LEN[n*16 +: 16]};
        end
    endfunction

    generate
        if (ENTRY_W < 1 || SECTIONS < 1 || ENTRIES < 1) begin : gen_bad
            rill_error_ENTRY_W_SECTIONS_and_ENTRIES_must_be_at_least_1 u_error ();
        end else if (sum_of_lengths(SECTIONS) != ENTRIES) begin : gen_bad_sum
            rill_error_ENTRIES_must_be_the_sum_of_SECTION_LEN u_error ();
        end
        if (PARTS < 1 || PARTS > 8) begin : gen_bad_parts
            rill_error_PARTS_must_be_1_to_8 u_error ();
        end
    endgenerate

    localparam SECTION_W = $clog2(SECTIONS + 1);
    localparam INDEX_W = ENTRIES > 1 ? $clog2(ENTRIES) : 1;  // the index after the table wraps to 0 and is never read
    localparam [SECTION_W-1:0] END = SECTIONS[SECTION_W-1:0];

    reg  [ENTRY_W-1:0] rom [0:ENTRIES-1];
    integer e;
    initial
        for (e = 0; e < ENTRIES; e = e + 1)
            rom[e] = TABLE[e*ENTRY_W +: ENTRY_W];

    // ---- the section section_q, and which sections run in this step ----
    reg  [63:0]          step_q;
    reg  [SECTIONS-1:0]  runs;               // bit s: section s runs in this step; depends on step_q alone
    reg  [SECTION_W-1:0] section_q;          // END: no section is left
    reg  [15:0]          len;                // length of section_q
    reg  [15:0]          repeats;            // repeat count of section_q
    reg                  skip;               // section_q does not run
    reg                  more;               // a later section runs
    integer s;
    always @* begin
        len = 16'd0;
        repeats = 16'd0;
        skip = 1'b1;
        more = 1'b0;
        for (s = 0; s < SECTIONS; s = s + 1) begin
            runs[s] = (step_q[STEP_HEAD] || !SECTION_WHEN_HEAD[s]) && SECTION_LEN[s*16 +: 16] != 16'd0
                && SECTION_REPEAT[s*16 +: 16] != 16'd0;
            if (section_q == s[SECTION_W-1:0]) begin
                len = SECTION_LEN[s*16 +: 16];
                repeats = SECTION_REPEAT[s*16 +: 16];
                skip = !runs[s];
            end
            if (section_q < s[SECTION_W-1:0] && runs[s])
                more = 1'b1;
        end
    end

    // ---- the walk: take a step, look up a section, walk its entries ----
    reg                  open_q;             // no step is held; low in reset
    reg                  inside_q;           // entries of section_q are being walked
    reg  [INDEX_W-1:0]   first_q;            // table index of section_q's first entry
    reg  [INDEX_W-1:0]   index_q;
    reg  [15:0]          left_q;             // entries of this repetition after this one
    reg  [15:0]          top_q;              // left_q at the start of a repetition
    reg  [15:0]          layer_q;
    reg  [15:0]          layers_q;           // repetitions of section_q after this one
    reg                  more_q;             // a section after section_q runs

    reg                  valid_q;
    reg  [ENTRY_W-1:0]   entry_q;
    reg  [15:0]          out_layer_q;
    reg  [63:0]          out_step_q;
    reg                  last_q;

    wire                 advance = m_axis_entry_tready || !valid_q;
    wire [63:0]          step_in;            // the word that comes in, with ntok counted over all parts so far
    wire                 step_more;          // another part of the step follows
    wire [63:0]          entry_step;         // the step word that leaves with the present entry
    wire                 again;              // the walk goes back to the first entry of the run, for the next part
    wire [INDEX_W-1:0]   run_first;
    wire [15:0]          run_left;
    // The entry is skipped in this step (ENTRY_MANY).
    wire                 left_out = ENTRY_MANY[index_q] && entry_step[STEP_NTOK +: STEP_NTOK_W] == 4'd1;
    wire                 end_of_pass = left_q == 16'd0 && !again;
    wire                 end_of_section = end_of_pass && layers_q == 16'd0;
    wire [INDEX_W-1:0]   next_first = first_q + len[INDEX_W-1:0];

    assign s_axis_step_tready = open_q;
    assign m_axis_entry_tvalid = valid_q;
    assign m_axis_entry_tdata = {out_layer_q, out_step_q, entry_q};
    assign m_axis_entry_tlast = last_q;

    always @(posedge clk)
        if (rst) begin
            open_q <= 1'b0;
            inside_q <= 1'b0;
            section_q <= END;
        end else if (open_q) begin
            open_q <= !s_axis_step_tvalid || step_more;
            step_q <= step_in;
            if (s_axis_step_tvalid && !step_more)
                section_q <= {SECTION_W{1'b0}};
            first_q <= {INDEX_W{1'b0}};
        end else if (!inside_q) begin
            if (section_q == END)
                open_q <= 1'b1;
            else if (skip) begin
                section_q <= section_q + 1'b1;
                first_q <= next_first;
            end else
                inside_q <= 1'b1;
            index_q <= first_q;
            left_q <= len - 16'd1;
            top_q <= len - 16'd1;
            layer_q <= 16'd0;
            layers_q <= repeats - 16'd1;
            more_q <= more;
        end else if (advance) begin
            index_q <= again ? run_first : end_of_pass ? first_q : index_q + 1'b1;
            left_q <= again ? run_left : end_of_pass ? top_q : left_q - 16'd1;
            if (end_of_pass) begin
                layer_q <= layer_q + 16'd1;
                layers_q <= layers_q - 16'd1;
            end
            if (end_of_section) begin
                inside_q <= 1'b0;
                section_q <= more_q ? section_q + 1'b1 : END;
                first_q <= next_first;
            end
        end

    always @(posedge clk) begin
        if (rst)
            valid_q <= 1'b0;
        else if (advance)
            valid_q <= inside_q && !left_out;
        if (advance && inside_q) begin
            entry_q <= rom[index_q];
            out_layer_q <= layer_q;
            out_step_q <= entry_step;
            last_q <= end_of_section && !more_q;
        end
    end

    generate
        if (PARTS > 1) begin : gen_parts
            localparam PART_W = $clog2(PARTS);
            reg  [63:0]        part_mem [0:(1 << PART_W)-1];
            reg  [PART_W-1:0]  in_q;         // number of the word that comes in
            reg  [PART_W-1:0]  last_part_q;
            reg  [PART_W-1:0]  part_q;
            reg                begun_q;      // inside a run: its first entry has been walked
            reg  [INDEX_W-1:0] run_first_q;
            reg  [15:0]        run_left_q;
            wire               of_part = ENTRY_PART[index_q];
            // This entry is the last one of its run: the next entry has no ENTRY_PART bit, or the section ends.
            wire               run_end = of_part && (left_q == 16'd0 || !ENTRY_PART[index_q+1'b1]);
            wire               take = s_axis_step_tvalid && open_q;
            wire [3:0]         tokens = s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W]
                + {1'b0, s_axis_step_tdata[STEP_TOK +: STEP_TOK_W]};
            assign step_more = s_axis_step_tdata[STEP_MORE];
            assign step_in = {s_axis_step_tdata[63:STEP_NTOK+STEP_NTOK_W], tokens, s_axis_step_tdata[STEP_NTOK-1:0]};
            assign entry_step = of_part ? part_mem[part_q] : step_q;
            assign again = run_end && part_q != last_part_q;
            assign run_first = begun_q ? run_first_q : index_q;
            assign run_left = begun_q ? run_left_q : left_q;
            always @(posedge clk) begin
                if (take) begin
                    part_mem[in_q] <= s_axis_step_tdata;
                    last_part_q <= in_q;
                end
                if (rst || (take && !step_more))
                    in_q <= {PART_W{1'b0}};
                else if (take)
                    in_q <= in_q + 1'b1;
                if (rst) begin
                    part_q <= {PART_W{1'b0}};
                    begun_q <= 1'b0;
                end else if (advance && inside_q && of_part) begin
                    part_q <= !run_end ? part_q : again ? part_q + 1'b1 : {PART_W{1'b0}};
                    begun_q <= !run_end || again;
                    run_first_q <= run_first;
                    run_left_q <= run_left;
                end
            end
        end else begin : gen_one_part
            assign {step_more, step_in, entry_step, again, run_first, run_left} = {1'b0, s_axis_step_tdata, step_q,
                1'b0, {INDEX_W{1'b0}}, 16'd0};
        end
    endgenerate
endmodule

`default_nettype wire
