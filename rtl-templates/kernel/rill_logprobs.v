// SPDX-License-Identifier: Apache-2.0
// Makes a record of log probabilities for every generated id (docs/numerics.md section 11). rill_record_writer writes
// the records to memory.
//
// x: the logits from which the ids are chosen, one firing of ceil(N / LANES) chunks in order (chunk, tok). They are
// stored, and the largest one of each token is found while they come. ring: the ids, as the token loop sends them to
// the ring. An id belongs to the latest firing. With ROWS = 1 it belongs to the firing's only token. Else:
//     SLOTS 1      index 0 belongs to the firing's last token, and further ids of the firing to its tokens in order
//     SLOTS 2..16  the same among the tokens of the id's slot. The step words on s_axis_step say which tokens these
//                  are: the latest word of the slot before the firing. With SLOTS 1 the stream is not used
// For each id, the stored logits of its token are read again: exp(x - largest) is summed exactly, and the TOP largest
// logits are inserted into a list, one per cycle.
// A record has 16 words of 32 bits, word 0 in the low bits:
//     0 id; 1 its logit; 2 and 3 the sum in units of 2^-39, low word first; 4 to 8 the ids of the largest logits, the
//     largest first; 9 to 13 these logits; 14 and 15 are 0. Places of the list that are not filled have only ones.
// Logits that are zero or subnormal are +0 in a record. A difference x - largest that is not finite counts as exp = 0.
// Out: {index[31:0], record[511:0]} for each id, where index is that of the id.
// Throughput: a chunk per cycle. An id is taken at the earliest log2(LANES) + 4 cycles after the last chunk. From an id
// to its record: ceil(N / LANES) * LANES / UNITS + log2(UNITS) + 29 cycles, and one cycle for each element that is
// inserted into the list. Chunks of the next firing and further ids wait until the record has been taken.
// Reset: clk, synchronous active-high rst.
//
// name       meaning                                         unit      range
// LANES      fp32 per chunk                                  elements  1, 2, 4, 8, 16, 32
// TOKENS     tokens per step, upper bound                    tokens    1, 2, 4, 8
// N          elements of a vector                            elements  1 to 2^24
// ROWS       tokens of a firing: 1 or TOKENS                 tokens    1 to TOKENS
// UNITS      elements read again per cycle, at most LANES    elements  1, 2, 4, 8, 16, 32
// TOP        places of the list                              elements  1 to 5
// SLOTS      slots of the design, each with a separate ring  slots     1 to 16
// RAM_STYLE  style of the storage, as in rill_ram_sdp        -         "auto", "distributed", "block", "ultra"
// USER_W     width of tuser                                  bits      derived
`default_nettype none

module rill_logprobs #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter ROWS = 1,
    parameter UNITS = 1,
    parameter TOP = 5,
    parameter SLOTS = 1,
    parameter RAM_STYLE = "auto",
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_step_tvalid,  // with SLOTS above 1, else unused
    output wire                 s_axis_step_tready,
    input  wire [63:0]          s_axis_step_tdata,

    input  wire                 s_axis_x_tvalid,
    output wire                 s_axis_x_tready,
    input  wire [LANES*32-1:0]  s_axis_x_tdata,
    input  wire [USER_W-1:0]    s_axis_x_tuser,      // {tok_last, tok}
    input  wire                 s_axis_x_tlast,

    input  wire                 s_axis_ring_tvalid,
    output wire                 s_axis_ring_tready,
    input  wire [63:0]          s_axis_ring_tdata,   // {index[31:0], id[31:0]}; SLOTS above 1: index[31:28] is the slot
    output wire                 m_axis_record_tvalid,
    input  wire                 m_axis_record_tready,
    output wire [543:0]         m_axis_record_tdata
);
    `include "rill_fields.vh"
    `include "rill_latency.vh"
    localparam LEVELS = LANES > 1 ? $clog2(LANES) : 0;
    localparam SUM_LEVELS = UNITS > 1 ? $clog2(UNITS) : 0;
    localparam CHUNKS = (N + LANES - 1) / (LANES > 0 ? LANES : 1);
    localparam GROUPS = LANES / (UNITS > 0 ? UNITS : 1); // groups of UNITS elements in a chunk
    localparam TOK_W = USER_W - 1;
    localparam DEPTH = CHUNKS * ROWS;
    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] ROWS_32 = ROWS;
    localparam [31:0] GROUPS_32 = GROUPS;
    localparam [31:0] N_32 = N;
    localparam FRACTION = 39;                // places of the sum
    localparam FIXED_W = 41;                 // width of an exponential, which is at most 1, with a sign
    localparam [31:0] LEAST = 32'hff7fffff;  // the least finite number
    // Words of a record.
    localparam RECORD_ID = 0, RECORD_LOGIT = 1, RECORD_SUM = 2, RECORD_IDS = 4, RECORD_LOGITS = 9, RECORD_USED = 14;
    // Cycles from an element in a_* to the sum with it, and from a chunk to the maximum with it.
    localparam SUM_STAGES = LATENCY_ADD + LATENCY_EXP + LATENCY_TO_FIXED + SUM_LEVELS + 2;
    localparam MAX_STAGES = LEVELS + 2;
    localparam [31:0] SETTLED = MAX_STAGES;
    localparam [31:0] DRAINED = SUM_STAGES + 2;
    localparam [31:0] UNITS_32 = UNITS;

    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (ROWS != 1 && ROWS != TOKENS) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_or_TOKENS u_error ();
        end
        if (UNITS < 1 || UNITS > LANES || (UNITS & (UNITS - 1)) != 0) begin : gen_bad_units
            rill_error_UNITS_must_be_a_power_of_two_up_to_LANES u_error ();
        end
        if (TOP < 1 || TOP > 5) begin : gen_bad_top
            rill_error_TOP_must_be_1_to_5 u_error ();
        end
        if (SLOTS < 1 || SLOTS > 16) begin : gen_bad_slots
            rill_error_SLOTS_must_be_1_to_16 u_error ();
        end
    endgenerate

    // Returns x as an unsigned integer: a larger number gives a larger integer. A finite number never gives 0.
    function [31:0] key_of(input [31:0] x);
        key_of = x[30:23] == 8'd0 ? 32'h80000000 : x[31] ? ~x : {1'b1, x[30:0]};
    endfunction
    // Returns the number of a key. Key 0, an empty place of the list, gives only ones.
    function [31:0] number_of(input [31:0] key);
        number_of = key[31] ? {1'b0, key[30:0]} : ~key;
    endfunction

    // S_WAIT: takes chunks of a firing or an id. S_SETTLE: the maxima of the firing become valid. S_ROW: the id's token
    // is known. S_READ: its logits are read again. S_DRAIN: the sum becomes complete. S_SEND: until the record has
    // left.
    localparam [2:0] S_WAIT = 3'd0, S_SETTLE = 3'd1, S_ROW = 3'd2, S_READ = 3'd3, S_DRAIN = 3'd4, S_SEND = 3'd5;
    reg  [2:0]           state_q;
    reg                  open_q;             // low in reset
    reg                  filling_q;          // some chunks of a firing have come, but not the last one
    reg  [5:0]           count_q;            // cycles of S_SETTLE or S_DRAIN
    wire                 waits = open_q && state_q == S_WAIT;

    // ---- logits in: into the storage, and the largest of each token ----

    wire                 take = s_axis_x_tvalid && s_axis_x_tready;
    reg  [23:0]          chunk_q;
    wire [2:0]           in_row = ROWS > 1 ? {{(3-TOK_W){1'b0}}, s_axis_x_tuser[TOK_W-1:0]} : 3'd0;
    assign s_axis_x_tready = waits && (filling_q || !s_axis_ring_tvalid);

    reg                  write_q;
    reg  [ADDR_W-1:0]    write_addr_q;
    reg  [LANES*32-1:0]  write_data_q;
    wire [31:0]          write_addr = {8'd0, chunk_q} * ROWS_32 + {29'd0, in_row};
    always @(posedge clk) begin
        write_q <= take && !rst;
        write_addr_q <= write_addr[ADDR_W-1:0];
        write_data_q <= s_axis_x_tdata;
        if (rst) begin
            chunk_q <= 24'd0;
            filling_q <= 1'b0;
        end else if (take) begin
            filling_q <= !s_axis_x_tlast;
            if (s_axis_x_tuser[TOK_W])
                chunk_q <= s_axis_x_tlast ? 24'd0 : chunk_q + 24'd1;
        end
    end

    reg  [LANES*32-1:0]  keys_q;             // keys of a chunk; those from N on are 0
    reg  [LEVELS:0]      tree_valid_q, tree_first_q; // tree_first_q: of the token's first chunk
    reg  [(LEVELS+1)*3-1:0] tree_row_q;
    wire [LEVELS+1:0]    tree_valid = {tree_valid_q, take};
    wire [LEVELS+1:0]    tree_first = {tree_first_q, chunk_q == 24'd0};
    wire [(LEVELS+2)*3-1:0] tree_row = {tree_row_q, in_row};
    wire [31:0]          chunk_most;
    reg  [31:0]          most_q [0:7];       // key of the largest logit of each token
    wire [2:0]           most_row = tree_row_q[LEVELS*3 +: 3];
    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_key
            localparam [31:0] I = i;
            wire [31:0] element = (({8'd0, chunk_q}) << LEVELS) + I;
            always @(posedge clk)
                keys_q[i*32 +: 32] <= element < N_32 ? key_of(s_axis_x_tdata[i*32 +: 32]) : 32'd0;
        end
    endgenerate
    rill_max_tree #(.DATA_W(32), .LANES(LANES)) u_most (.clk(clk), .en(1'b1), .d(keys_q), .q(chunk_most));
    always @(posedge clk) begin
        tree_valid_q <= rst ? {(LEVELS+1){1'b0}} : tree_valid[LEVELS:0];
        tree_first_q <= tree_first[LEVELS:0];
        tree_row_q <= tree_row[(LEVELS+1)*3-1:0];
        if (tree_valid_q[LEVELS] && (tree_first_q[LEVELS] || chunk_most > most_q[most_row]))
            most_q[most_row] <= chunk_most;
    end

    // ---- ids: which token of the firing an id belongs to ----

    wire                 take_id = s_axis_ring_tvalid && s_axis_ring_tready;
    wire [3:0]           id_slot = SLOTS > 1 ? s_axis_ring_tdata[63:60] : 4'd0;
    wire [27:0]          id_index = s_axis_ring_tdata[59:32];
    reg  [2:0]           row_q;
    reg  [31:0]          id_q;
    reg  [31:0]          index_q;
    assign s_axis_ring_tready = waits && !filling_q;
    always @(posedge clk)
        if (take_id) begin
            id_q <= s_axis_ring_tdata[31:0];
            index_q <= s_axis_ring_tdata[63:32];
        end

    generate
        if (ROWS > 1 && SLOTS > 1) begin : gen_parts
            // The first and the last token of each slot in the firing. Those of a step whose logits have not come wait
            // in new_*. The first token becomes the next one when an id has come.
            reg  [2:0] new_first_q [0:15];
            reg  [2:0] new_last_q [0:15];
            reg  [2:0] first_q [0:15];
            reg  [2:0] last_q [0:15];
            wire [3:0] part_slot = s_axis_step_tdata[STEP_SLOT +: STEP_SLOT_W];
            wire [2:0] part_tok = s_axis_step_tdata[STEP_TOK +: STEP_TOK_W];
            wire [3:0] part_ntok = s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W];
            wire [3:0] part_last = {1'b0, part_tok} + part_ntok - 4'd1;
            integer    s;
            assign s_axis_step_tready = open_q;
            always @(posedge clk) begin
                if (s_axis_step_tvalid) begin
                    new_first_q[part_slot] <= part_tok;
                    new_last_q[part_slot] <= part_last[2:0];
                end
                if (take && !filling_q)
                    for (s = 0; s < 16; s = s + 1) begin
                        first_q[s] <= new_first_q[s];
                        last_q[s] <= new_last_q[s];
                    end
                else if (take_id)
                    first_q[id_slot] <= first_q[id_slot] + 3'd1;
                row_q <= take_id ? (id_index == 28'd0 ? last_q[id_slot] : first_q[id_slot]) : row_q;
            end
            wire unused_part = &{1'b0, part_last[3], s_axis_step_tdata};
        end else if (ROWS > 1) begin : gen_rows
            reg  [2:0] next_q, last_q;       // the token of the firing's next id, and the firing's last token
            assign s_axis_step_tready = 1'b1;
            always @(posedge clk) begin
                if (take && s_axis_x_tlast) begin
                    next_q <= 3'd0;
                    last_q <= in_row;
                end else if (take_id)
                    next_q <= next_q + 3'd1;
                row_q <= take_id ? (s_axis_ring_tdata[63:32] == 32'd0 ? last_q : next_q) : row_q;
            end
            wire unused_step = &{1'b0, s_axis_step_tvalid, s_axis_step_tdata};
        end else begin : gen_one_row
            assign s_axis_step_tready = 1'b1;
            always @(posedge clk)
                row_q <= 3'd0;
            wire unused_step = &{1'b0, s_axis_step_tvalid, s_axis_step_tdata};
        end
    endgenerate

    // ---- the token's logits again: ram_* is the storage's output, w_* the chunk that is divided into groups ----

    reg  [31:0]          minus_most_q;       // the token's largest logit, negated
    reg  [24:0]          to_read_q;          // chunks that are still to be read
    reg  [ADDR_W-1:0]    read_addr_q;
    reg                  ram_valid_q, w_valid_q;
    reg  [LANES*32-1:0]  w_data_q;
    reg  [23:0]          w_base_q;           // index of the group's first element
    reg  [5:0]           w_left_q;           // groups of the chunk that have not left, this one included
    wire [LANES*32-1:0]  ram_data;
    wire                 list_room;
    wire                 w_go = w_valid_q && list_room;
    wire                 ram_go = ram_valid_q && (!w_valid_q || (w_go && w_left_q == 6'd1));
    wire                 read_go = to_read_q != 25'd0 && (!ram_valid_q || ram_go);
    wire [31:0]          next_addr = {{(32-ADDR_W){1'b0}}, read_addr_q} + ROWS_32;
    rill_ram_sdp #(.DATA_W(LANES * 32), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_logits (
        .clk(clk), .write_en(write_q), .write_addr(write_addr_q), .write_strobe(1'b1), .write_data(write_data_q),
        .read_en(read_go), .read_addr(read_addr_q), .read_data(ram_data));
    wire [31:0]          row_most = number_of(most_q[row_q]);
    wire [31:0]          row_addr = {29'd0, row_q};
    wire [31:0]          w_next = {8'd0, w_base_q} + UNITS_32;
    always @(posedge clk) begin
        if (rst)
            to_read_q <= 25'd0;
        else if (state_q == S_ROW)
            to_read_q <= CHUNKS_32[24:0];
        else if (read_go)
            to_read_q <= to_read_q - 25'd1;
        if (state_q == S_ROW) begin
            minus_most_q <= {!row_most[31], row_most[30:0]};
            read_addr_q <= row_addr[ADDR_W-1:0];
            w_base_q <= 24'd0;
        end else begin
            if (read_go)
                read_addr_q <= next_addr[ADDR_W-1:0];
            if (w_go)
                w_base_q <= w_next[23:0];
        end
        ram_valid_q <= !rst && (read_go || (ram_valid_q && !ram_go));
        w_valid_q <= !rst && (ram_go || (w_valid_q && !(w_go && w_left_q == 6'd1)));
        if (ram_go) begin
            w_data_q <= ram_data;
            w_left_q <= GROUPS_32[5:0];
        end else if (w_go) begin
            w_data_q <= w_data_q >> (UNITS * 32);
            w_left_q <= w_left_q - 6'd1;
        end
    end
    wire                 all_read = to_read_q == 25'd0 && !ram_valid_q && !w_valid_q;

    // ---- the list of the largest logits; key 0 marks an empty place ----

    // Three stages: a_* holds a group. b_* holds it while the elements above the list's smallest key are picked, one
    // per cycle (mask_q). c_* holds the picked element while the list inserts it.
    reg                  a_valid_q, c_valid_q;
    reg  [UNITS*32-1:0]  a_data_q, b_keys_q;
    reg  [23:0]          a_base_q, b_base_q, c_id_q;
    reg  [UNITS-1:0]     a_inside_q;         // the element is below N
    reg  [UNITS-1:0]     mask_q;
    reg  [31:0]          c_key_q;
    reg  [31:0]          own_key_q;          // key of the id's logit
    wire [TOP*32-1:0]    list_key;
    wire [TOP*24-1:0]    list_id;
    wire [31:0]          bound = list_key[(TOP-1)*32 +: 32];
    wire                 b_free = mask_q == {UNITS{1'b0}};
    wire                 a_go = a_valid_q && b_free;
    wire [UNITS*32-1:0]  a_keys;
    wire [31:0]          own_place = id_q - {8'd0, a_base_q};  // place of the id in the group, if it is below UNITS
    reg  [4:0]           pick;
    integer              p;
    assign list_room = !a_valid_q || b_free;
    always @* begin
        pick = 5'd0;
        for (p = UNITS - 1; p >= 0; p = p - 1)
            if (mask_q[p])
                pick = p[4:0];
    end
    generate
        for (i = 0; i < UNITS; i = i + 1) begin : gen_group
            localparam [31:0] I = i;
            wire [31:0] element = {8'd0, w_base_q} + I;
            assign a_keys[i*32 +: 32] = a_inside_q[i] ? key_of(a_data_q[i*32 +: 32]) : 32'd0;
            always @(posedge clk) begin
                if (w_go)
                    a_inside_q[i] <= element < N_32;
                if (rst)
                    mask_q[i] <= 1'b0;
                else if (b_free)
                    mask_q[i] <= a_valid_q && a_keys[i*32 +: 32] > bound;
                else if ({27'd0, pick} == I)
                    mask_q[i] <= 1'b0;
            end
        end
    endgenerate
    always @(posedge clk) begin
        a_valid_q <= !rst && (w_go || (a_valid_q && !b_free));
        if (w_go) begin
            a_data_q <= w_data_q[UNITS*32-1:0];
            a_base_q <= w_base_q;
        end
        if (b_free) begin
            b_keys_q <= a_keys;
            b_base_q <= a_base_q;
        end
        if (a_go && own_place < UNITS_32)
            own_key_q <= a_keys[own_place[4:0]*32 +: 32];
        c_valid_q <= !b_free && !rst;
        c_key_q <= b_keys_q[pick*32 +: 32];
        c_id_q <= b_base_q + {19'd0, pick};
    end

    // A new element is inserted after elements that are not smaller, because its index is higher.
    generate
        for (i = 0; i < TOP; i = i + 1) begin : gen_place
            reg  [31:0] place_key_q;
            reg  [23:0] place_id_q;
            wire        above = c_key_q > place_key_q;
            wire        shift;               // the place before gets a new element
            if (i == 0) begin : gen_first
                assign shift = 1'b0;
            end else begin : gen_next
                assign shift = c_key_q > list_key[(i-1)*32 +: 32];
            end
            always @(posedge clk)
                if (state_q == S_ROW) begin
                    place_key_q <= 32'd0;
                    place_id_q <= 24'hffffff;
                end else if (c_valid_q && above) begin
                    place_key_q <= shift ? list_key[(i > 0 ? i - 1 : 0)*32 +: 32] : c_key_q;
                    place_id_q <= shift ? list_id[(i > 0 ? i - 1 : 0)*24 +: 24] : c_id_q;
                end
            assign list_key[i*32 +: 32] = place_key_q;
            assign list_id[i*24 +: 24] = place_id_q;
        end
    endgenerate

    // ---- the sum of exp(x - largest), one group per cycle ----

    wire [UNITS-1:0]     inside_late;
    wire [UNITS*48-1:0]  terms;
    wire [47:0]          group_sum;
    reg  [SUM_STAGES-2:0] sum_valid_q;
    reg  [63:0]          sum_q;
    rill_delay_line #(.DATA_W(UNITS), .DEPTH(LATENCY_ADD + LATENCY_EXP + LATENCY_TO_FIXED)) u_inside (
        .clk(clk), .rst(rst), .en(1'b1), .d(a_inside_q), .q(inside_late));
    generate
        for (i = 0; i < UNITS; i = i + 1) begin : gen_term
            wire [31:0] difference, e;
            wire [FIXED_W-1:0] fixed;
            wire        too_far, exp_fault, fix_fault, overflow;
            rill_fp32_add u_difference (.clk(clk), .en(1'b1), .a(a_data_q[i*32 +: 32]), .b(minus_most_q),
                .y(difference), .fault(too_far));
            rill_fp32_exp u_exp (.clk(clk), .en(1'b1), .a(too_far ? LEAST : difference), .y(e), .fault(exp_fault));
            rill_fp32_to_fixed #(.FRAC(FRACTION), .WIDTH(FIXED_W)) u_fixed (.clk(clk), .en(1'b1), .a(e), .y(fixed),
                .overflow(overflow), .fault(fix_fault));
            assign terms[i*48 +: 48] = inside_late[i] ? {{(48-FIXED_W){1'b0}}, fixed} : 48'd0;
            wire unused_term = &{1'b0, exp_fault, fix_fault, overflow};
        end
    endgenerate
    rill_sum_tree #(.DATA_W(48), .LANES(UNITS)) u_sum (.clk(clk), .en(1'b1), .d(terms), .q(group_sum));
    always @(posedge clk) begin
        sum_valid_q <= rst ? {(SUM_STAGES-1){1'b0}} : {sum_valid_q[SUM_STAGES-3:0], a_go};
        if (state_q == S_ROW)
            sum_q <= 64'd0;
        else if (sum_valid_q[SUM_STAGES-3])
            sum_q <= sum_q + {16'd0, group_sum};
    end

    // ---- the record ----

    wire [511:0]         words;              // of the record
    reg  [511:0]         record_q;
    generate
        for (i = 0; i < 5; i = i + 1) begin : gen_record
            localparam AT = i < TOP ? i : 0;
            wire there = i < TOP && list_key[AT*32 +: 32] != 32'd0;
            assign words[(RECORD_IDS+i)*32 +: 32] = there ? {8'd0, list_id[AT*24 +: 24]} : 32'hffffffff;
            assign words[(RECORD_LOGITS+i)*32 +: 32] = there ? number_of(list_key[AT*32 +: 32]) : 32'hffffffff;
        end
    endgenerate
    assign words[RECORD_ID*32 +: 32] = id_q;
    assign words[RECORD_LOGIT*32 +: 32] = number_of(own_key_q);
    assign words[RECORD_SUM*32 +: 64] = sum_q;
    assign words[511:RECORD_USED*32] = {(512-RECORD_USED*32){1'b0}};
    assign m_axis_record_tvalid = state_q == S_SEND;
    assign m_axis_record_tdata = {index_q, record_q};
    wire                 drained = state_q == S_DRAIN && count_q == DRAINED[5:0];
    always @(posedge clk)
        if (drained)
            record_q <= words;

    // ---- course ----

    wire                 list_idle = !a_valid_q && b_free && !c_valid_q;
    always @(posedge clk) begin
        open_q <= !rst;
        count_q <= 6'd0;
        if (rst)
            state_q <= S_WAIT;
        else
            case (state_q)
                S_WAIT: if (take && s_axis_x_tlast) state_q <= S_SETTLE; else if (take_id) state_q <= S_ROW;
                S_SETTLE: begin
                    count_q <= count_q + 6'd1;
                    if (count_q == SETTLED[5:0]) state_q <= S_WAIT;
                end
                S_ROW: state_q <= S_READ;
                S_READ: if (all_read && list_idle) state_q <= S_DRAIN;
                S_DRAIN: begin
                    count_q <= count_q + 6'd1;
                    if (drained) state_q <= S_SEND;
                end
                default: if (m_axis_record_tready) state_q <= S_WAIT;
            endcase
    end

    wire unused = &{1'b0, CHUNKS_32[31:25], row_addr, w_next[31:24], write_addr, next_addr, GROUPS_32,
        id_slot, id_index, tree_valid[LEVELS+1], tree_first[LEVELS+1], tree_row, sum_valid_q[SUM_STAGES-2], own_place,
        s_axis_x_tuser};
endmodule

`default_nettype wire
