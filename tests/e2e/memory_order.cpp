// SPDX-License-Identifier: Apache-2.0
// Checks the order of the calls of verif/model/rill_axi_memory.sv, with a memory model that only notes the calls. In a
// cycle with all five calls, they must come in the order that the header of the module states, however the simulator
// schedules the module. pieces.sh builds and runs this program.
#include <cstdio>
#include <string>

#include "Vrill_axi_memory.h"
#include "svdpi.h"

static std::string calls; // the calls of this cycle

extern "C" {
void *rill_hbm_port(int, int) { return &calls; }
int rill_hbm_ids(void *) { return 64; }
int rill_hbm_read(void *, long long, int, int) { return calls += " read-address", 0; }
int rill_hbm_write(void *, long long, int, int) { return calls += " write-address", 0; }
int rill_hbm_give_write(void *, const svBitVecVal *, long long) { return calls += " write-beat", 0; }
int rill_hbm_take_read(void *, svBitVecVal *, int *meta) {
    return calls += " read-beat", *meta = 1 << 18, 0;
} // bit 18: the last beat of its burst
int rill_hbm_take_response(void *, int *meta) { return calls += " response", *meta = 0, 0; }
}

int main() {
    Vrill_axi_memory top;
    const std::string want = " write-beat write-address read-beat read-address response";
    std::string all;
    top.awlen = top.arlen = 0;
    top.awsize = top.arsize = 6;
    top.awburst = top.arburst = top.wlast = top.bready = top.rready = 1;
    top.awcache = top.arcache = 3;
    top.wstrb = ~0ull;
    for (int cycle = 0; cycle < 12; cycle++) {
        calls.clear();
        top.rst = cycle < 2;
        top.awvalid = top.arvalid = top.wvalid = cycle > 3;
        for (int clk = 0; clk < 2; clk++) {
            top.clk = clk;
            top.eval();
        }
        if (calls == want) return 0;
        all += "\n" + calls;
    }
    std::printf("error: no cycle with the calls%s, but%s\n", want.c_str(), all.c_str());
    return 1;
}
