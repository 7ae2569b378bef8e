// SPDX-License-Identifier: Apache-2.0
// Connects the simulator with one of the models of proxies.sv. tests/quick_build.sh compiles this file once for each
// model. It defines UNIT as the name of the model, and WIDE as 1 if the model also has the ports `moves` and `state`.
#include <svdpi.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define MODEL JOIN(Vrill_part_, UNIT)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#include TEXT(MODEL.h)

// Copies an argument of the simulator to a port of the model.
static void put(CData &port, const svBitVecVal *in) { port = static_cast<CData>(in[0]); }
static void put(SData &port, const svBitVecVal *in) { port = static_cast<SData>(in[0]); }
static void put(IData &port, const svBitVecVal *in) { port = in[0]; }
static void put(QData &port, const svBitVecVal *in) { port = in[0] | static_cast<QData>(in[1]) << 32; }
template <std::size_t words> static void put(VlWide<words> &port, const svBitVecVal *in) {
    for (std::size_t i = 0; i < words; i++) port[i] = in[i];
}

extern "C" void *JOIN(rill_new_, UNIT)() { return new MODEL; }

// Runs one clock cycle of the model.
static void step(MODEL &model, const svBitVecVal *in) {
    put(model.in, in);
    model.clk = 0;
    model.eval();
    model.clk = 1;
    model.eval();
}

#if WIDE
// Copies a port of the model to an argument of the simulator.
static void get(QData port, svBitVecVal *out) {
    out[0] = static_cast<svBitVecVal>(port), out[1] = static_cast<svBitVecVal>(port >> 32);
}
template <std::size_t words> static void get(const VlWide<words> &port, svBitVecVal *out) {
    for (std::size_t i = 0; i < words; i++) out[i] = port[i];
}

extern "C" int JOIN(rill_step_, UNIT)(void *unit, char moves, const svBitVecVal *in, svBitVecVal *out) {
    auto &model = *static_cast<MODEL *>(unit);
    model.moves = static_cast<CData>(moves);
    step(model, in);
    get(model.out, out);
    return model.state;
}
#else
extern "C" long long JOIN(rill_step_, UNIT)(void *unit, const svBitVecVal *in) {
    auto &model = *static_cast<MODEL *>(unit);
    step(model, in);
    return static_cast<long long>(model.out);
}
#endif
