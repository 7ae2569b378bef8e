// SPDX-License-Identifier: Apache-2.0
// Ends a request early when the second clock is lost, the memory reports an error, a kernel reports a fault, the memory
// is silent for too long, or the host kills the request.
//
// broken: the request must end. It rises only while `running` is high, at most two cycles after the cause. In the next
// cycle `told` is high, and the told_* outputs describe the cause: told_clock, told_memory, told_kernel and told_silent
// are flags. If none of these flags is set, the cause is the kill. For several causes together, told_place belongs to
// the first of: loss of the clock, memory error, kernel fault, silence. The loss comes first because the others may be
// its consequence. told_place is the lowest bit of kernel_fault or memory_error, or idle_place, or 0 for the clock.
// told_state is `status` at that time. told_address and told_write come from the channel with the error.
// expired: a pulse after `watchdog` cycles without `progress` (a pulse for each beat or response) and without a change
// of state. With `watchdog` 0 it never comes. The watchdog counts while `running` or `waited` is high; `waited` means
// that a start waits for the end of a flush. idle_place: the first bit of idle_engines that is 0.
// A bit of kernel_fault may be a pulse of one cycle. memory_error is a level until the reset at the end of the request.
// Reset: clk, synchronous active-high rst.
//
// name           meaning                unit  range
// FAULTS         width of kernel_fault  bits  1 or more
// MEMORY_ERRORS  width of memory_error  bits  1 or more
// STATE_W        width of state         bits  1 or more
`default_nettype none

module rill_request_watch #(
    parameter FAULTS = 1,
    parameter MEMORY_ERRORS = 1,
    parameter STATE_W = 4
) (
    input  wire                        clk,
    input  wire                        rst,
    input  wire                        running,
    input  wire                        waited,
    input  wire [STATE_W-1:0]          state,
    input  wire [31:0]                 status,
    input  wire                        kill,
    input  wire [31:0]                 watchdog,
    input  wire [FAULTS-1:0]           kernel_fault,
    input  wire [MEMORY_ERRORS-1:0]    memory_error,    // of each channel
    input  wire [MEMORY_ERRORS-1:0]    error_is_write,
    input  wire [MEMORY_ERRORS*64-1:0] error_address,
    input  wire                        clock_ready,
    input  wire                        progress,
    input  wire [63:0]                 idle_engines,
    output wire                        broken,
    output reg                         expired,
    output wire [31:0]                 idle_place,
    output reg                         told,
    output reg                         told_clock,
    output reg                         told_memory,
    output reg                         told_kernel,
    output reg                         told_silent,
    output reg  [31:0]                 told_place,
    output reg  [31:0]                 told_state,
    output reg  [63:0]                 told_address,
    output reg                         told_write
);
    generate
        if (FAULTS < 1 || MEMORY_ERRORS < 1) begin : gen_bad_vectors
            rill_error_FAULTS_and_MEMORY_ERRORS_must_be_at_least_1 u_error ();
        end
    endgenerate
    localparam PLACE_W = MEMORY_ERRORS > 1 ? $clog2(MEMORY_ERRORS) : 1;

    // Faults of the clock, the kernels and the memory, one register later.
    reg         clock_lost_q;
    reg         kernel_fault_q;
    reg         memory_error_q;
    reg  [31:0] kernel_place_d, kernel_place_q;
    reg  [31:0] memory_place_d, memory_place_q;
    integer     i;

    always @* begin
        kernel_place_d = 32'd0;
        for (i = FAULTS - 1; i >= 0; i = i - 1)
            if (kernel_fault[i])
                kernel_place_d = i;
        memory_place_d = 32'd0;
        for (i = MEMORY_ERRORS - 1; i >= 0; i = i - 1)
            if (memory_error[i])
                memory_place_d = i;
    end

    always @(posedge clk) begin
        clock_lost_q <= running && !clock_ready && !rst;
        kernel_fault_q <= running && |kernel_fault && !rst;
        memory_error_q <= running && |memory_error && !rst;
        kernel_place_q <= kernel_place_d;
        memory_place_q <= memory_place_d;
    end

    // Watchdog: counts cycles without progress.
    reg  [31:0] silent_q;
    reg         alive_q;
    reg  [STATE_W-1:0] state_seen_q;
    reg  [31:0] idle_low_d, idle_low_q;       // first busy engine of the channels
    reg  [31:0] idle_high_d, idle_high_q;     // first busy engine of the walkers
    reg         low_busy_q;
    assign idle_place = low_busy_q ? idle_low_q : idle_high_q;

    always @* begin
        idle_low_d = 32'd0;
        idle_high_d = 32'd0;
        for (i = 31; i >= 0; i = i - 1) begin
            if (!idle_engines[i])
                idle_low_d = i;
            if (!idle_engines[32+i])
                idle_high_d = 32 + i;
        end
    end

    wire watched = running || waited;
    always @(posedge clk) begin
        state_seen_q <= state;
        alive_q <= progress || state_seen_q != state || !watched;
        idle_low_q <= idle_low_d;
        idle_high_q <= idle_high_d;
        low_busy_q <= !(&idle_engines[31:0]);
        silent_q <= rst || alive_q || expired ? 32'd0 : silent_q + 32'd1;
        expired <= !rst && watched && !alive_q && !expired && watchdog != 32'd0 && silent_q >= watchdog;
    end

    assign broken = running && (clock_lost_q || kernel_fault_q || memory_error_q || expired || kill);

    // Copies for the status registers, one cycle later, when the flush has begun.
    always @(posedge clk) begin
        told <= broken && !rst;
        told_clock <= clock_lost_q;
        told_memory <= memory_error_q;
        told_kernel <= kernel_fault_q;
        told_silent <= expired;
        told_place <= clock_lost_q ? 32'd0 : memory_error_q ? memory_place_q
            : kernel_fault_q ? kernel_place_q : idle_place;
        told_state <= status;
        // The channel still has the address of this error, or already the address of another error (rill_channel).
        told_address <= error_address[64*memory_place_q[PLACE_W-1:0] +: 64];
        told_write <= error_is_write[memory_place_q[PLACE_W-1:0]];
    end
endmodule

`default_nettype wire
