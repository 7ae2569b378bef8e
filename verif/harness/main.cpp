// SPDX-License-Identifier: Apache-2.0
// Drives the clock of a Verilated design, its doubled clock with RILL_PUMP, and with RILL_OSCILLATOR the oscillator of
// a package's MMCM (verif/card). Everything else is in C (sim_pins.h).
#include <cstdio>
#include <memory>

#include "Vrill_sim_top.h"
#include "verif/harness/pages.h"
#include "verif/harness/scopes.h"
#include "verif/harness/sim_pins.h"
#include "verif/harness/snapshot.h"
#include "verilated.h"
#if VM_COVERAGE
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

#ifndef RILL_THREADS
#define RILL_THREADS 1
#endif

// Copies the pins that the harness drives to the model.
static void drive(Vrill_sim_top &top, const sim_pins &pins) {
    top.rst = pins.rst;
    top.s_axi_control_awvalid = pins.awvalid;
    top.s_axi_control_awaddr = pins.awaddr;
    top.s_axi_control_wvalid = pins.wvalid;
    top.s_axi_control_wdata = pins.wdata;
    top.s_axi_control_wstrb = 0xf;
    top.s_axi_control_bready = pins.bready;
    top.s_axi_control_arvalid = pins.arvalid;
    top.s_axi_control_araddr = pins.araddr;
    top.s_axi_control_rready = pins.rready;
}

// Copies the pins that the design drives from the model.
static void sample(const Vrill_sim_top &top, sim_pins &pins) {
    pins.awready = top.s_axi_control_awready;
    pins.wready = top.s_axi_control_wready;
    pins.bvalid = top.s_axi_control_bvalid;
    pins.arready = top.s_axi_control_arready;
    pins.rvalid = top.s_axi_control_rvalid;
    pins.rdata = top.s_axi_control_rdata;
    pins.interrupt = top.__SYM__interrupt; // Verilator renames a port whose name it reserves for C++
}

// Sets the level of the second clock (RILL_PUMP) or of the oscillator (RILL_OSCILLATOR). Returns false if neither is
// simulated. main gives it two pulses per cycle of clk, one from each edge.
static bool clock_2x([[maybe_unused]] Vrill_sim_top &top, [[maybe_unused]] uint8_t level) {
#ifdef RILL_PUMP
    top.clk_2x = level;
    return true;
#elif defined(RILL_OSCILLATOR)
    top.oscillator = level;
    return true;
#else
    return false;
#endif
}

int main(int argc, char **argv) {
    pages_for_code();
    snapshot_enter(argc, argv);
    int exit_code = 0;
    sim *run = sim_open(argc, argv, &exit_code);
    if (run == nullptr) return exit_code;
    auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(argc, argv);
    // More than one thread only without --save, because a saved run (snapshot.h) has no other threads.
    context->threads(RILL_THREADS);
    context->fatalOnError(false); // after a protocol checker's $fatal the run ends normally, with the report
#if VM_TRACE_FST
    VerilatedFstC trace;
    const char *trace_path = sim_trace(run);
    context->traceEverOn(trace_path != nullptr);
#else
    if (sim_trace(run) != nullptr) {
        std::fprintf(stderr,
                     "rill sim: error: --trace: this simulation was built without tracing (`rill sim` builds one)\n");
        return 2; // wrong usage
    }
#endif
    auto top = std::make_unique<Vrill_sim_top>(context.get(), "rill_sim_top");
#if VM_TRACE_FST
    if (trace_path != nullptr) {
        top->trace(&trace, 99);
        trace.open(trace_path);
    }
#endif
    sim_pins pins = {};
    pins.rst = true;
    pins.find = scope_find;
    pins.context = context.get();
    uint64_t time = 0;
    const auto settle = [&] {
        top->eval();
#if VM_TRACE_FST
        if (trace_path != nullptr) trace.dump(time);
#endif
        time++;
    };
    const auto pulse = [&] { // one pulse of the oscillator, without an edge of clk
        if (!clock_2x(*top, 1)) return;
        settle();
        clock_2x(*top, 0);
        settle();
    };
    for (bool more = true; more && !context->gotFinish() && !context->gotError();) {
        // Pulses of the oscillator alone: two for each cycle that clk misses, and one more before a longer cycle.
        for (uint32_t pulses = 2 * pins.gap + pins.slow; pulses > 0; pulses--) pulse();
        pins.gap = 0;
        drive(*top, pins);
        top->clk = 0;
        clock_2x(*top, 1);
        settle();
        if (clock_2x(*top, 0)) settle();
        sample(*top, pins);
        more = sim_edge(run, &pins);
        top->clk = 1;
        clock_2x(*top, 1);
        settle();
        if (clock_2x(*top, 0)) settle();
    }
    if (context->gotFinish() || context->gotError()) sim_stopped(run);
#if VM_COVERAGE
    // A file for each process, because a design is simulated more than once.
    const std::string file = std::string(std::getenv("RILL_COVERAGE")) + "/" + std::to_string(getpid()) + ".dat";
    context->coveragep()->write(file.c_str());
#endif
    if (sim_saved(run)) return 0; // no report: the run continues in another process
    top->final();
#if VM_TRACE_FST
    if (trace_path != nullptr) trace.close();
#endif
    return sim_close(run);
}
