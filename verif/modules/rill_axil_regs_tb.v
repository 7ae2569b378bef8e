// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_axil_regs. Checks the register map of docs/registers.md: arguments with byte strobes, channel
// bases, start and done of ap_ctrl_hs, clear-on-read, auto-restart, interrupt enable and toggle, and counters.
// Sets for verif/modules/run.sh:
// sweep: CHANNELS=1 COUNTERS=0
// sweep: CHANNELS=5 COUNTERS=3 END_IDS=8
// sweep: CHANNELS=32 COUNTERS=40
// sweep: CHANNELS=2 COUNTERS=4 SAMPLING=1 END_IDS=3
// sweep: CHANNELS=2 COUNTERS=4 PREFIX=1
// sweep: CHANNELS=2 COUNTERS=4 LIST=1
// quick: CHANNELS=3 COUNTERS=2 PREFIX=1 LIST=1
// quick: CHANNELS=5 COUNTERS=3
// quick: CHANNELS=2 COUNTERS=4 SAMPLING=1 END_IDS=3
`default_nettype none
`timescale 1ns / 1ps

module rill_axil_regs_tb;
    // Parameters without a comment are those of the module.
    parameter CHANNELS = 5;
    parameter COUNTERS = 3;
    parameter SAMPLING = 0;
    parameter END_IDS = 1;
    parameter PREFIX = 0;
    parameter LIST = 0;
    `include "rill_registers.vh"
    localparam COUNTER_BITS = (COUNTERS > 0 ? COUNTERS : 1) * 64;

    reg         clk = 0, rst = 1;
    reg         awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
    wire        awready, wready, bvalid, arready, rvalid, irq, ap_start, ignore_eot;
    reg  [11:0] awaddr, araddr;
    reg  [31:0] wdata;
    reg  [3:0]  wstrb;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata, prompt_len, max_new;
    wire [END_IDS*32-1:0] eot_id;
    wire [63:0] prompt_ptr, ring_ptr;
    wire [CHANNELS*64-1:0] channel_base;
    reg         ap_done = 0, ap_idle = 1;
    reg  [31:0] status = 32'h1234_0005, ids_count = 77, fault_code = 5, fault_place = 9;
    reg  [CHANNELS-1:0] beat = 0, stall_event = 0;
    wire [1:0]  halt;
    wire [31:0] watchdog, ring_ids, inverse_temperature, top_k, min_p;
    wire [63:0] sampling_seed;
    wire [31:0] prefix;
    wire        forget;
    integer     forgets = 0;                                    // pulses of forget
    always @(posedge clk) forgets = forgets + (forget === 1'b1);
    wire        list_set, list_put;
    wire [31:0] list_word;
    // Pulses of list_set and list_put, and the word that came with the latest one.
    integer     list_sets = 0, list_puts = 0;
    reg  [31:0] listed = 0;
    always @(posedge clk) begin
        list_sets = list_sets + (list_set === 1'b1);
        list_puts = list_puts + (list_put === 1'b1);
        if (list_set === 1'b1 || list_put === 1'b1) listed = list_word;
    end
    reg  [COUNTER_BITS-1:0] counters;
    integer     seed, idle, stall, c, i;
    reg  [31:0] got;
    reg         failed = 0;

    rill_axil_regs #(.CHANNELS(CHANNELS), .COUNTERS(COUNTERS), .SAMPLING(SAMPLING), .END_IDS(END_IDS),
        .PREFIX(PREFIX), .LIST(LIST)) dut (
        .clk(clk), .rst(rst), .s_axi_control_awvalid(awvalid), .s_axi_control_awready(awready),
        .s_axi_control_awaddr(awaddr),
        .s_axi_control_wvalid(wvalid), .s_axi_control_wready(wready), .s_axi_control_wdata(wdata),
        .s_axi_control_wstrb(wstrb),
        .s_axi_control_bvalid(bvalid), .s_axi_control_bready(bready), .s_axi_control_bresp(bresp),
        .s_axi_control_arvalid(arvalid), .s_axi_control_arready(arready), .s_axi_control_araddr(araddr),
        .s_axi_control_rvalid(rvalid), .s_axi_control_rready(rready), .s_axi_control_rdata(rdata),
        .s_axi_control_rresp(rresp),
        .irq(irq), .ap_start(ap_start), .ap_done(ap_done), .ap_idle(ap_idle), .prompt_len(prompt_len),
        .max_new(max_new),
        .eot_id(eot_id), .ignore_eot(ignore_eot), .prompt_ptr(prompt_ptr), .ring_ptr(ring_ptr),
        .channel_base(channel_base),
        .status(status), .ids_count(ids_count), .fault_code(fault_code), .fault_place(fault_place),
        .identity(64'h0123_4567_89AB_CDEF), .layout(64'h1111_2222_3333_4444), .image(64'h5555_6666_7777_8888),
        .halt(halt),
        .watchdog(watchdog), .ring_ids(ring_ids), .inverse_temperature(inverse_temperature), .top_k(top_k),
        .min_p(min_p), .seed(sampling_seed), .ending(32'd3), .fault_address(64'h9999_AAAA_BBBB_CCC0),
        .fault_channel(32'h105),
        .fault_state(32'h00070009), .idle_engines(64'hFFFF_FFFE_FFFF_FFFD), .logits_hash(64'h1357_9BDF_0246_8ACE),
        .clock_state(32'h0003_0002),
        .prefix(prefix), .forget(forget), .held(32'h0000_1234), .list_set(list_set), .list_put(list_put),
        .list_word(list_word),
        .channel_beat(beat), .channel_no_beat(stall_event), .counters(counters));
    always #1 clk = !clk;

    // Waits a random number of cycles: after each one, another one follows with a probability of `percent` percent.
    task pause(input integer percent);
        while ($urandom_range(99) < percent)
            @(posedge clk);
    endtask

    // Writes a register. +idle delays address and data at random, each by itself, and +stall delays bready.
    task write(input [11:0] addr, input [31:0] data, input [3:0] strobe);
        begin
            fork
                begin
                    pause(idle);
                    awaddr <= addr;
                    awvalid <= 1;
                    @(posedge clk);
                    while (!awready) @(posedge clk);
                    awvalid <= 0;
                end
                begin
                    pause(idle);
                    wdata <= data;
                    wstrb <= strobe;
                    wvalid <= 1;
                    @(posedge clk);
                    while (!wready) @(posedge clk);
                    wvalid <= 0;
                end
            join
            pause(stall);
            bready <= 1;
            @(posedge clk);
            while (!bvalid) @(posedge clk);
            bready <= 0;
            @(posedge clk);
        end
    endtask

    // Reads a register into `got`.
    task read(input [11:0] addr);
        begin
            pause(idle);
            araddr <= addr;
            arvalid <= 1;
            @(posedge clk);
            while (!arready) @(posedge clk);
            arvalid <= 0;
            pause(stall);
            rready <= 1;
            @(posedge clk);
            while (!rvalid) @(posedge clk);
            got = rdata;
            rready <= 0;
            @(posedge clk);
        end
    endtask

    // Reads a register and compares its value.
    task expect_word(input [11:0] addr, input [31:0] want);
        begin
            read(addr);
            if (got !== want && !failed) begin
                $display("FAIL: word %h is %h, expected %h", addr, got, want);
                failed = 1;
            end
        end
    endtask

    // Compares a bit. what: number of the check, which a failure prints.
    task expect_bit(input integer what, input value, input want);
        if (value !== want && !failed) begin
            $display("FAIL: check %0d: %b", what, value);
            failed = 1;
        end
    endtask

    // Every word must have a value after a reset. Words are read downwards, so the high word of a counter is read
    // before its low word.
    task known_words;
        for (i = 4092; i >= 0; i = i - 4) begin
            read(i);
            if (^got === 1'bx && !failed) begin
                $display("FAIL: word %h is %h after a reset", i, got);
                failed = 1;
            end
        end
    endtask

    // Checks constants, settings with byte strobes, and the bits that end a request (halt).
    task check_settings;
        begin
            expect_word(REG_MAGIC, 32'h4C4C4952);
            expect_word(REG_VERSION, 32'h00010006);
            expect_word(REG_CLOCK, 32'h00030002);
            expect_word(REG_IDENTITY, 32'h89AB_CDEF);
            expect_word(REG_IDENTITY_HIGH, 32'h0123_4567);
            expect_word(REG_LAYOUT, 32'h3333_4444);
            expect_word(REG_LAYOUT_HIGH, 32'h1111_2222);
            expect_word(REG_IMAGE, 32'h7777_8888);
            expect_word(REG_IMAGE_HIGH, 32'h5555_6666);
            expect_word(REG_ENDING, 3);
            expect_word(REG_ADDRESS, 32'hBBBB_CCC0);
            expect_word(REG_ADDRESS_HIGH, 32'h9999_AAAA);
            expect_word(REG_CHANNEL, 32'h105);
            expect_word(REG_FAULT_STATE, 32'h00070009);
            expect_word(REG_IDLE, 32'hFFFF_FFFD);
            expect_word(REG_IDLE_HIGH, 32'hFFFF_FFFE);
            expect_word(REG_LOGITS, 32'h0246_8ACE);
            expect_word(REG_LOGITS_HIGH, 32'h1357_9BDF);
            for (i = REG_WATCHDOG; i <= REG_RING_IDS; i = i + 4) begin
                write(i, 32'hAABBCCDD, 4'hF);
                write(i, 32'h11223344, 4'h5);
                expect_word(i, 32'hAA22CC44);
            end
            if ((watchdog !== 32'hAA22CC44 || ring_ids !== 32'hAA22CC44) && !failed) begin
                $display("FAIL: settings");
                failed = 1;
            end
            for (i = REG_INVERSE; i <= REG_SEED_HIGH; i = i + 4)
                if (i != REG_MIN_P + 4) begin              // this address has no register
                    write(i, 32'hAABBCC00 + i, 4'hF);
                    write(i, 32'h11223344, 4'h4);
                    expect_word(i, SAMPLING ? 32'hAA22CC00 + i : 32'd0);
                end
            // the low bits are those of AABBCC00 + the address of the register
            if ((inverse_temperature !== (SAMPLING ? 32'hAA22CE60 : 32'd0)
                || top_k !== (SAMPLING ? 32'hAA22CE64 : 32'd0) ||
                 min_p !== (SAMPLING ? 32'hAA22CE68 : 32'd0)
                     || sampling_seed !== (SAMPLING ? 64'hAA22CE74AA22CE70 : 64'd0)) && !failed) begin
                $display("FAIL: settings of sampling");
                failed = 1;
            end
            write(REG_PREFIX, 32'hAABBCCDD, 4'hF);
            write(REG_PREFIX, 32'h11223344, 4'h5);
            expect_word(REG_PREFIX, PREFIX ? 32'hAA22CC44 : 32'd0);
            expect_bit(50, prefix === (PREFIX ? 32'hAA22CC44 : 32'd0), 1'b1);
            expect_word(REG_HELD, PREFIX ? 32'h1234 : 32'd0);
            expect_bit(51, forgets == 0, 1'b1);
            write(REG_HELD, 32'h7, 4'h1);
            expect_bit(52, forgets == PREFIX, 1'b1);
            write(REG_DRAFT_AT, 32'h1234, 4'hF);
            expect_bit(60, list_sets == LIST && list_puts == 0 && listed === (LIST ? 32'h1234 : 32'd0), 1'b1);
            write(REG_DRAFT_ID, 32'hAABBCCDD, 4'h3);
            expect_bit(61, list_sets == LIST && list_puts == LIST && listed === (LIST ? 32'hCCDD : 32'd0), 1'b1);
            expect_word(REG_DRAFT_AT, 0);
            expect_word(REG_DRAFT_ID, 0);
            for (i = 1; i <= 7; i = i + 1) begin           // further end ids, which differ from the value after a reset
                expect_word(REG_EOT_MORE_00 + 4 * (i - 1), i < END_IDS ? 32'hFFFF_FFFF : 32'd0);
                write(REG_EOT_MORE_00 + 4 * (i - 1), 32'hAABBCC00 + i, 4'hF);
                write(REG_EOT_MORE_00 + 4 * (i - 1), 32'h11223344, 4'h4);
                expect_word(REG_EOT_MORE_00 + 4 * (i - 1), i < END_IDS ? 32'hAA22CC00 + i : 32'd0);
            end
            for (i = 1; i < END_IDS; i = i + 1)
                expect_bit(30, eot_id[32*i +: 32] === 32'hAA22CC00 + i, 1'b1);
            write(REG_HALT, 3, 4'hF);                       // no request runs
            expect_word(REG_HALT, 0);
            write(REG_CTRL, 32'h81, 4'hF);
            write(REG_HALT, 1, 4'hE);                       // without the byte of the bits
            expect_word(REG_HALT, 0);
            write(REG_HALT, 1, 4'hF);
            expect_word(REG_HALT, 1);
            write(REG_HALT, 2, 4'hF);                       // the other bit stays set
            expect_word(REG_HALT, 3);
            if (halt !== 2'b11 && !failed) begin
                $display("FAIL: halt");
                failed = 1;
            end
            finish_request;
            expect_word(REG_HALT, 0);
            expect_word(REG_PREFIX, 0);                    // the prefix applied to one request only
            expect_bit(20, ap_start, 1'b0);                // no restart
            read(REG_CTRL);
        end
    endtask

    // Lets all channels have a beat in `many` cycles.
    task beats_in_request(input integer many);
        begin
            beat <= {CHANNELS{1'b1}};
            repeat (many) @(posedge clk);
            beat <= 0;
            repeat (3) @(posedge clk);
        end
    endtask

    // Ends a request with a pulse of ap_done.
    task finish_request;
        begin
            ap_done <= 1;
            @(posedge clk);
            ap_done <= 0;
            ap_idle <= 1;
            repeat (3) @(posedge clk);
        end
    endtask

    // While a request runs, writes to everything but CTRL, the interrupt's registers, halt, and with LIST draft_at and
    // draft_id are ignored and counted.
    reg [31:0] kept [0:1023];
    integer    ignored;
    task writes_in_request;
        begin
            write(REG_WATCHDOG, 32'h1234, 4'hF);
            forgets = PREFIX;
            for (i = REG_PROMPT_LEN; i < REG_CYCLES; i = i + 4) begin
                read(i);
                kept[i/4] = got;
            end
            write(REG_CTRL, 32'h80, 4'hF);                  // auto-restart alone starts nothing
            expect_bit(40, ap_start, 1'b0);
            write(REG_CTRL, 32'h81, 4'hF);
            ignored = 0;
            for (i = REG_PROMPT_LEN; i < REG_CYCLES; i = i + 4)
                if (i != REG_HALT) begin
                    write(i, ~kept[i/4], 4'hF);
                    ignored = ignored + (LIST == 0 || (i != REG_DRAFT_AT && i != REG_DRAFT_ID));
                end
            expect_word(REG_IGNORED, ignored);
            write(REG_GIER, 1, 4'hF);                       // taken, so not counted as ignored
            write(REG_GIER, 0, 4'hF);
            expect_word(REG_IGNORED, ignored);
            beats_in_request(3);
            ap_done <= 1;                                   // the next request begins
            @(posedge clk);
            ap_done <= 0;
            repeat (3) @(posedge clk);
            expect_bit(41, ap_start, 1'b1);
            expect_bit(62, list_sets == 2 * LIST && list_puts == 2 * LIST, 1'b1);
            expect_word(REG_IGNORED, 0);
            write(REG_BASE, 32'hFFFF_FFFF, 4'hF);
            expect_word(REG_IGNORED, 1);
            write(REG_CTRL, 32'h0, 4'hF);
            finish_request;
            expect_word(REG_IGNORED, 1);                    // the count stays after the end
            expect_bit(42, ap_start, 1'b0);
            for (i = REG_PROMPT_LEN; i < REG_CYCLES; i = i + 4)
                if (i != REG_HALT && i != REG_IGNORED)
                    expect_word(i, kept[i/4]);
            expect_bit(53, forgets == PREFIX, 1'b1);
            for (c = 0; c < CHANNELS; c = c + 1)
                expect_word(REG_BEATS + 8 * c, 0);
            read(REG_CTRL);
        end
    endtask

    // Writes a start in each cycle around ap_done. A start before ap_done has no effect, because that request still
    // runs. A start in the cycle of ap_done or later begins another request, whose counters begin at 0.
    task start_around_done;
        for (i = 0; i < 8; i = i + 1) begin
            write(REG_CTRL, 1, 4'hF);
            beats_in_request(5);
            fork
                write(REG_CTRL, 1, 4'hF);
                begin
                    repeat (i) @(posedge clk);
                    ap_done <= 1;
                    @(posedge clk);
                    ap_done <= 0;
                end
            join
            repeat (4) @(posedge clk);
            if (ap_start) begin
                beats_in_request(2);
                finish_request;
                again = again + 1;
                expect_word(REG_BEATS, 2);
            end else
                expect_word(REG_BEATS, 5);
            read(REG_CYCLES);
            expect_bit(43, got < 32'd40 + 2 * (idle + stall), 1'b1); // the count began anew with the last request
            read(REG_CTRL);
        end
    endtask
    integer again = 0;                                          // starts around ap_done that began a request

    // Writes a kill in each cycle around ap_done, with auto-restart. A kill before ap_done prevents the next request,
    // and the counters stay. A later kill finds the next request running, with counters at 0, and prevents the one
    // after it.
    task kill_at_done;
        for (i = 0; i < 8; i = i + 1) begin
            write(REG_CTRL, 32'h81, 4'hF);
            beats_in_request(5);
            fork
                write(REG_HALT, 2, 4'hF);
                begin
                    repeat (i) @(posedge clk);
                    ap_done <= 1;
                    @(posedge clk);
                    ap_done <= 0;
                end
            join
            repeat (4) @(posedge clk);
            expect_word(REG_BEATS, ap_start ? 0 : 5);
            if (ap_start)
                finish_request;
            expect_bit(44, ap_start, 1'b0);
            read(REG_CTRL);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (i = 0; i < COUNTER_BITS / 32; i = i + 1)
            counters[i*32 +: 32] = 32'hC000_0000 + i;
        repeat (3) @(posedge clk);
        rst <= 0;
        @(posedge clk);
        expect_word(REG_CTRL, 32'h4);
        known_words;
        write(REG_PROMPT_LEN, 32'hAABBCCDD, 4'hF);
        write(REG_PROMPT_LEN, 32'h11223344, 4'h5);
        expect_word(REG_PROMPT_LEN, 32'hAA22CC44);
        if (prompt_len !== 32'hAA22CC44) failed = 1;
        // Every argument takes only the bytes of its strobe.
        for (i = REG_PROMPT_LEN; i <= REG_RING_HIGH; i = i + 4)
            if (i == REG_PROMPT_LEN || i == REG_MAX_NEW || i == REG_EOT || i == REG_PROMPT || i == REG_PROMPT_HIGH
                || i == REG_RING || i == REG_RING_HIGH) begin
                write(i, 32'hAABBCCDD, 4'hF);
                write(i, 32'h11223344, 4'h5);
                expect_word(i, 32'hAA22CC44);
                write(i, 32'h55667788, 4'hA);
                expect_word(i, 32'h55227744);
            end
        write(REG_PROMPT_LEN, 32'hAA22CC44, 4'hF);
        write(REG_MAX_NEW, 7, 4'hF);
        write(REG_EOT, 50256, 4'hF);
        write(REG_FLAGS, 1, 4'hF);
        write(REG_PROMPT, 32'h1000, 4'hF);
        write(REG_PROMPT_HIGH, 32'h2, 4'hF);
        write(REG_RING, 32'h3000, 4'hF);
        write(REG_RING_HIGH, 32'h4, 4'hF);
        for (c = 0; c < CHANNELS; c = c + 1) begin
            write(REG_BASE + REG_BASE_STRIDE * c, 32'h10000 * c + 1, 4'hF);
            write(REG_BASE_HIGH + REG_BASE_STRIDE * c, c, 4'hF);
        end
        for (c = 0; c < CHANNELS; c = c + 1) begin
            expect_word(REG_BASE + REG_BASE_STRIDE * c, 32'h10000 * c + 1);
            expect_word(REG_BASE_HIGH + REG_BASE_STRIDE * c, c);
            if (channel_base[c*64 +: 64] !== {c[31:0], 32'h10000 * c + 32'd1} && !failed) begin
                $display("FAIL: base %0d", c);
                failed = 1;
            end
        end
        if ((max_new !== 7 || eot_id[31:0] !== 50256 || !ignore_eot || prompt_ptr !== 64'h2_0000_1000 ||
             ring_ptr !== 64'h4_0000_3000) && !failed) begin
            $display("FAIL: arguments");
            failed = 1;
        end
        expect_word(REG_STATUS, 32'h1234_0005);
        expect_word(REG_IDS, 77);
        expect_word(REG_FAULT, 5);
        expect_word(REG_PLACE, 9);
        expect_word(REG_CYCLES - 4, 0);
        // A request, with counters and without interrupt.
        write(REG_CTRL, 1, 4'hF);
        expect_bit(1, ap_start, 1'b1);
        ap_idle <= 0;
        for (i = 0; i < 50; i = i + 1) begin
            beat <= i < 30 ? {CHANNELS{1'b1}} : 0;
            stall_event <= i < 20 ? 1 : 0;
            @(posedge clk);
        end
        beat <= 0;
        stall_event <= 0;
        expect_word(REG_CTRL, 32'h1);
        finish_request;
        expect_bit(2, ap_start, 1'b0);
        expect_bit(3, irq, 1'b0);
        expect_word(REG_CTRL, 32'hE);
        expect_word(REG_CTRL, 32'h4);
        read(REG_CYCLES);
        i = got;
        if ((i < 50 || i > 200) && !failed) begin
            $display("FAIL: %0d cycles counted", i);
            failed = 1;
        end
        repeat (10) @(posedge clk);
        expect_word(REG_CYCLES, i);
        expect_word(REG_CYCLES + 4, 0);
        for (c = 0; c < CHANNELS; c = c + 1) begin
            expect_word(REG_BEATS + 8 * c, 30);
            expect_word(REG_BEATS + 8 * (CHANNELS + c), c == 0 ? 20 : 0);
        end
        for (c = 0; c < COUNTERS; c = c + 1) begin
            expect_word(REG_BEATS + 8 * (2 * CHANNELS + c), 32'hC000_0000 + 2 * c);
            counters[c*64 +: 64] = 64'd5;
            expect_word(REG_BEATS + 4 + 8 * (2 * CHANNELS + c), 32'hC000_0001 + 2 * c);
        end
        expect_word(REG_BEATS + 8 * (2 * CHANNELS + COUNTERS), 0);
        check_settings;
        writes_in_request;
        start_around_done;
        if (idle + stall == 0 && (again == 0 || again == 8)) begin
            $display("FAIL: %0d of 8 starts around ap_done began a request", again);
            failed = 1;
        end
        kill_at_done;
        // Interrupt and auto-restart.
        write(REG_GIER, 1, 4'hF);
        write(REG_IER, 1, 4'hF);
        write(REG_CTRL, 32'h81, 4'hF);
        ap_idle <= 0;
        beats_in_request(7);
        finish_request;
        expect_bit(4, ap_start, 1'b1);
        expect_bit(5, irq, 1'b1);
        expect_word(REG_ISR, 1);
        write(REG_ISR, 1, 4'hF);
        repeat (2) @(posedge clk);
        expect_bit(6, irq, 1'b0);
        beats_in_request(6);
        write(REG_CTRL, 32'h0, 4'hF);
        finish_request;
        expect_bit(7, ap_start, 1'b0);
        expect_bit(8, irq, 1'b1);
        for (c = 0; c < CHANNELS; c = c + 1)                // only the counts of the second request
            expect_word(REG_BEATS + 8 * c, 6);
        expect_word(REG_CYCLES + 4, 0);
        // Both sources: each is set when enabled, and toggled by a one written to its own bit.
        write(REG_ISR, 1, 4'hF);
        expect_word(REG_ISR, 0);
        write(REG_IER, 3, 4'hF);
        write(REG_CTRL, 1, 4'hF);
        finish_request;
        expect_word(REG_ISR, 3);
        write(REG_ISR, 2, 4'hF);
        expect_word(REG_ISR, 1);
        repeat (2) @(posedge clk);
        expect_bit(9, irq, 1'b1);
        write(REG_ISR, 1, 4'hF);
        expect_word(REG_ISR, 0);
        repeat (2) @(posedge clk);
        expect_bit(10, irq, 1'b0);
        write(REG_ISR, 2, 4'hF);
        expect_word(REG_ISR, 2);
        write(REG_GIER, 0, 4'hF);                           // no interrupt, but the sources stay
        repeat (2) @(posedge clk);
        expect_bit(11, irq, 1'b0);
        expect_word(REG_ISR, 2);
        write(REG_CTRL, 1, 4'hF);                           // a reset in the middle of a request
        rst <= 1;
        repeat (3) @(posedge clk);
        rst <= 0;
        known_words;
        expect_word(REG_CTRL, 32'h4);
        expect_word(REG_WATCHDOG, 0);
        if (!failed)
            $display("PASS");
        $finish;
    end

    initial begin
        #2000000 $display("FAIL: timeout");
        $finish;
    end
endmodule
